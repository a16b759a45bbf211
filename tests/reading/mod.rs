//! Reads bytes as the program would: recognise, split into lines, parse.

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
