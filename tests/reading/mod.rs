//! Reads bytes as the program would: recognise, split into lines, parse.

use oddnode::format::FileReader;
use oddnode::format::{Confidence, FORMATS, Feed, Format, HEAD_BYTES, Head, Line, Out};
use oddnode::model::{FileDigest, Row};
use oddnode::source::Limits;
use std::collections::BTreeSet;

/// The format that a file that begins so is read as.
pub fn format_of(path: &str, bytes: &[u8]) -> Option<&'static dyn Format> {
    let head = Head { path, bytes: &bytes[..bytes.len().min(HEAD_BYTES)] };
    let mut best: Option<(Confidence, &'static dyn Format)> = None;
    for format in FORMATS.iter().copied() {
        let confidence = format.sniff(&head);
        if confidence > best.map_or(Confidence::No, |(c, _)| c) {
            best = Some((confidence, format));
        }
    }
    best.map(|(_, format)| format)
}

/// What `format` reads in `bytes`, pushed in pieces of `step`.
pub fn read_as(format: &'static dyn Format, path: &str, bytes: &[u8], step: usize) -> FileDigest {
    let about = format.about();
    let mut digest = FileDigest { format: about.name.into(), clock: about.clock, ..FileDigest::default() };
    let mut hosts = BTreeSet::new();
    let mut parse = format.start(path);
    let mut out = Out::new(&mut digest, &mut hosts);
    match about.feed {
        Feed::Bytes => {
            for piece in bytes.chunks(step) {
                parse.bytes(piece, &mut out);
            }
        }
        Feed::Lines => {
            let mut offset = 0;
            let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let lines = if bytes.is_empty() { vec![] } else { text.split(|b| *b == b'\n').collect::<Vec<_>>() };
            for (n, line) in lines.into_iter().enumerate() {
                let whole = line.strip_suffix(b"\r").unwrap_or(line);
                parse.line(Line { number: n as u64 + 1, offset, bytes: whole, cut: false }, &mut out);
                offset += line.len() as u64 + 1;
            }
        }
    }
    parse.end(&mut out);
    digest.hosts = hosts.into_iter().collect();
    digest
}

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
