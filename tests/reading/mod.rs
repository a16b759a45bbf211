//! Reads bytes as the program would: recognise, split into lines, parse.

#![allow(dead_code, reason = "each test takes what it needs")]

use oddnode::format::FileReader;
use oddnode::model::{FileDigest, Row};
use oddnode::source::Limits;

/// What is read of a file; `None` if it is of no known format.
pub fn read(path: &str, bytes: &[u8]) -> Option<FileDigest> {
    let mut reader = FileReader::new(path, &Limits::default());
    reader.feed(bytes);
    let (_, digest) = reader.finish();
    (!digest.format.is_empty()).then_some(digest)
}

/// The events of a digest.
pub fn events(digest: &FileDigest) -> Vec<Row> {
    digest.events.iter().collect()
}

/// How many lines there are, the last of which may lack its end.
pub fn lines_of(bytes: &[u8]) -> u64 {
    let ends = bytes.iter().filter(|b| **b == b'\n').count() as u64;
    ends + u64::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))
}
