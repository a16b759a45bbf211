//! Inputs to a digest.
//!
//! Any number of [`Ingest`]s may each take some of the inputs; the merge of their digests
//! is the same bytes however the inputs were dealt out and in whichever order.
//!
//! An input, or a member of an archive, that is itself a digest is merged. Whatever is
//! wrong with an archive or a digest becomes a row of its own beside the files, under
//! the format name [`ARCHIVE`] or [`DIGEST`], so that coverage shows it.

use crate::base::{Code, IssueTable};
use crate::format::FileReader;
use crate::model::digest::MAGIC;
use crate::model::{Digest, DigestError, FileDigest, FileKey};
use crate::source::{Limits, Unpacker, Visitor};
use std::collections::BTreeMap;

/// Format name of the row that says what is wrong with an archive.
pub const ARCHIVE: &str = "archive";
/// Format name of the row that says what is wrong with a digest.
pub const DIGEST: &str = "digest";

/// A digest is decoded from memory, so this is all that is taken of one: a digest of
/// a hundred times as many logs.
const DIGEST_BYTES: usize = 256 << 20;

/// How far an ingest has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes fed.
    pub bytes: u64,
    /// Files read to their end.
    pub members: u64,
    /// Lines (or records) in them.
    pub lines: u64,
}

/// Reads inputs, one after another, into one digest.
#[derive(Default)]
pub struct Ingest {
    limits: Limits,
    unpacker: Option<Unpacker>,
    collector: Collector,
}

impl Ingest {
    /// One that has read nothing.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, unpacker: None, collector: Collector { limits, ..Collector::default() } }
    }

    /// An input begins: a file, an archive or a digest of this name (its base name, or
    /// `folder/sub/file`). The one before it is finished.
    pub fn start(&mut self, name: &str) {
        self.finish_input();
        self.unpacker = Some(Unpacker::new(name, &self.limits));
    }

    /// The next bytes of the input.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(unpacker) = &mut self.unpacker {
            unpacker.feed(bytes, &mut self.collector);
            self.collector.progress.bytes += bytes.len() as u64;
        }
    }

    /// The input is over.
    pub fn finish_input(&mut self) {
        if let Some(mut unpacker) = self.unpacker.take() {
            unpacker.finish(&mut self.collector);
            self.collector.add_archives();
        }
    }

    /// How far it has come.
    #[must_use]
    pub fn progress(&self) -> Progress {
        self.collector.progress
    }

    /// What was read of the inputs that are over.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.collector.digest
    }

    /// What was read. The input that is still open is finished.
    #[must_use]
    pub fn into_digest(mut self) -> Digest {
        self.finish_input();
        self.collector.digest
    }
}

/// Turns members into rows of the digest.
#[derive(Default)]
struct Collector {
    limits: Limits,
    digest: Digest,
    open: Open,
    /// What is wrong with the archives of the present input, by path.
    archives: BTreeMap<String, IssueTable>,
    progress: Progress,
}

/// The member that is open.
#[derive(Default)]
enum Open {
    #[default]
    None,
    File(Box<FileReader>),
    Digest(EncodedDigest),
}

/// A digest whose bytes are gathered.
struct EncodedDigest {
    bytes: Vec<u8>,
    /// The same bytes as a file, for its key and issues.
    file: Box<FileReader>,
    too_long: bool,
}

impl Visitor for Collector {
    fn open(&mut self, path: &str) {
        self.open = Open::File(Box::new(FileReader::new(path, &self.limits)));
    }

    fn data(&mut self, bytes: &[u8]) {
        self.open = match std::mem::take(&mut self.open) {
            Open::File(file) if file.bytes() == 0 && bytes.starts_with(MAGIC) => {
                Open::Digest(EncodedDigest { bytes: Vec::new(), file, too_long: false })
            }
            other => other,
        };
        match &mut self.open {
            Open::None => {}
            Open::File(file) => file.feed(bytes),
            Open::Digest(digest) => digest.feed(bytes),
        }
    }

    fn close(&mut self) {
        match std::mem::take(&mut self.open) {
            Open::None => {}
            Open::File(file) => {
                let (key, file) = file.finish();
                self.progress.lines += file.lines;
                self.digest.insert(key, file);
            }
            Open::Digest(encoded) => match encoded.decode() {
                Ok(digest) => self.digest.merge(digest),
                Err((key, row)) => self.digest.insert(key, row),
            },
        }
        self.progress.members += 1;
    }

    fn issue(&mut self, path: &str, code: Code) {
        match &mut self.open {
            Open::File(file) | Open::Digest(EncodedDigest { file, .. }) if file.path() == path => file.issue(code),
            _ => self.archives.entry(path.to_owned()).or_default().note(code, 0),
        }
    }
}

impl Collector {
    /// Adds a row for each archive with which something is wrong.
    fn add_archives(&mut self) {
        for (path, issues) in std::mem::take(&mut self.archives) {
            let row = FileDigest { format: ARCHIVE.to_owned(), issues, ..FileDigest::default() };
            // Archives of one name are told apart by what is wrong with them: their bytes
            // are not summed up a second time only for this.
            let crc = crc32fast::hash(&postcard::to_stdvec(&row.issues).unwrap_or_default());
            self.digest.insert(FileKey { path, bytes: 0, crc }, row);
        }
    }
}

impl EncodedDigest {
    fn feed(&mut self, bytes: &[u8]) {
        self.file.feed(bytes);
        self.too_long |= self.bytes.len() + bytes.len() > DIGEST_BYTES;
        if !self.too_long {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// The digest, or the row that says why there is none.
    fn decode(mut self) -> Result<Digest, (FileKey, FileDigest)> {
        let code = match Digest::decode(&self.bytes) {
            _ if self.too_long => Code::ExpandsTooMuch,
            Ok(digest) => return Ok(digest),
            Err(DigestError::Newer { .. }) => Code::NewerDigest,
            Err(_) => Code::BadDigest,
        };
        self.file.issue(code);
        let (key, FileDigest { issues, .. }) = self.file.finish();
        Err((key, FileDigest { format: DIGEST.to_owned(), issues, ..FileDigest::default() }))
    }
}
