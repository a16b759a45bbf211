//! Stands in for `pipeline::Ingest`.

use crate::model::{Digest, FileDigest, FileKey};

#[derive(Default)]
pub struct Ingest {
    digest: Digest,
    key: FileKey2,
    file: FileDigest,
}
#[derive(Default)]
struct FileKey2(String, u64);

impl Ingest {
    pub fn new(_: crate::source::Limits) -> Self {
        Self::default()
    }
    pub fn start(&mut self, name: &str) {
        self.key = FileKey2(name.into(), 0);
    }
    pub fn feed(&mut self, bytes: &[u8]) {
        self.key.1 += bytes.len() as u64;
        self.file.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
    }
    pub fn finish_input(&mut self) {
        let key = FileKey { path: std::mem::take(&mut self.key.0), bytes: self.key.1, crc: 0 };
        self.digest.insert(key, std::mem::take(&mut self.file));
    }
    pub fn progress(&self) -> Progress {
        Progress { members: 0, lines: self.file.lines }
    }
    pub fn into_digest(self) -> Digest {
        self.digest
    }
}
pub struct Progress {
    pub members: u64,
    pub lines: u64,
}
