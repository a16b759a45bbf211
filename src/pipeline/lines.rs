//! The raw text of chosen lines, for evidence. A digest does not hold the lines, so the
//! same inputs are fed again and only the wanted files are split.

use crate::base::Code;
use crate::base::crc::Crc;
use crate::base::text::below;
use crate::report::{LineRef, Lines};
use crate::source::{Limits, LineSplitter, Unpacker, Visitor};
use std::collections::{BTreeMap, BTreeSet};

/// Shown of one line; a longer one is a record with all its counters.
const LINE_BYTES: usize = 4096;

/// First line of a binary history (`org.apache.hadoop.mapreduce.jobhistory.EventWriter`, 2.x and 3.x).
const AVRO_BINARY: &[u8] = b"Avro-Binary";

/// Finds lines by path and number.
pub struct LineFinder {
    limits: Limits,
    unpacker: Option<Unpacker>,
    search: Search,
}

impl LineFinder {
    /// For these lines, their paths as in the digest.
    pub fn new(wanted: impl IntoIterator<Item = LineRef>, limits: Limits) -> Self {
        let mut by_path: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
        for LineRef { file, line } in wanted {
            by_path.entry(file).or_default().insert(line);
        }
        Self { limits, unpacker: None, search: Search { wanted: by_path, open: None, found: Lines::new() } }
    }

    /// Whether all are found, and nothing more has to be fed.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.search.found.len() == self.search.wanted.values().map(BTreeSet::len).sum::<usize>()
    }

    /// Whether an input of this name can hold a wanted line at all.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        self.search.wanted.keys().any(|path| path == name || below(path, name).is_some())
    }

    /// An input begins; the name is the one it had when the digest was made.
    pub fn start(&mut self, name: &str) {
        self.finish_input();
        self.unpacker = Some(Unpacker::new(name, &self.limits));
    }

    /// The next bytes of the input.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(unpacker) = &mut self.unpacker {
            unpacker.feed(bytes, &mut self.search);
        }
    }

    /// The input is over.
    pub fn finish_input(&mut self) {
        if let Some(mut unpacker) = self.unpacker.take() {
            unpacker.finish(&mut self.search);
        }
    }

    /// The input breaks off: of a line that is not whole nothing is known.
    pub fn drop_input(&mut self) {
        self.unpacker = None;
        self.search.open = None;
    }

    /// The lines found. Of two files of one path, the text of the first stays.
    #[must_use]
    pub fn into_lines(mut self) -> Lines {
        self.finish_input();
        self.search.found
    }
}

struct Search {
    wanted: BTreeMap<String, BTreeSet<u64>>,
    open: Option<(String, LineSplitter)>,
    found: Lines,
}

impl Search {
    fn split(&mut self, feed: impl FnOnce(&mut LineSplitter, &mut dyn FnMut(u64, &[u8]))) {
        let Some((path, splitter)) = &mut self.open else { return };
        let Some(numbers) = self.wanted.get(path.as_str()) else { return };
        let found = &mut self.found;
        let at = |line| LineRef { file: path.clone(), line };
        feed(splitter, &mut |number, bytes| {
            if number == 1 && bytes == AVRO_BINARY {
                // It has records, and no lines to quote.
                let texts = numbers.iter().map(|n| (at(*n), format!("record {n} of a binary history")));
                found.extend(texts);
            } else if numbers.contains(&number) {
                found.entry(at(number)).or_insert_with(|| String::from_utf8_lossy(bytes).into_owned());
            }
        });
    }
}

impl Visitor for Search {
    fn open(&mut self, path: &str) {
        self.open = self.wanted.contains_key(path).then(|| (path.to_owned(), LineSplitter::new(LINE_BYTES, 0)));
    }

    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        self.split(|splitter, each| splitter.feed(bytes, |line| each(line.number, line.bytes)));
        None
    }

    fn close(&mut self) {
        self.split(|splitter, each| splitter.finish(|line| each(line.number, line.bytes)));
        self.open = None;
    }

    fn issue(&mut self, _path: &str, _code: Code) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(file: &str, line: u64) -> LineRef {
        LineRef { file: file.to_owned(), line }
    }

    #[test]
    fn wanted_lines_are_found_and_cut_at_their_limit() {
        let wanted = [at("f/x.log", 2), at("f/x.log", 3), at("f/y.log", 1)];
        let mut finder = LineFinder::new(wanted, Limits::default());
        assert!(finder.wants("f/x.log") && finder.wants("f") && !finder.wants("f/x") && !finder.wants("g"));
        finder.start("f/x.log");
        finder.feed(b"one\r\ntw");
        finder.feed(b"o\xff\r\n");
        finder.feed(&[b'3'; 5000]);
        assert!(!finder.is_done(), "one is still missing");
        finder.start("f/z.log");
        finder.feed(b"one");
        let lines: Vec<_> = finder.into_lines().into_iter().collect();
        assert_eq!(lines, [(at("f/x.log", 2), "two\u{FFFD}".to_owned()), (at("f/x.log", 3), "3".repeat(4096))]);
    }

    #[test]
    fn of_an_input_that_breaks_off_whole_lines_are_told() {
        let wanted = ["x", "y"].map(|path| [1, 2].map(|line| at(path, line))).concat();
        let mut finder = LineFinder::new(wanted, Limits::default());
        finder.start("x");
        finder.feed(&[&b"one\n"[..], &[b'.'; 600], b"\n"].concat()[..604]);
        finder.drop_input();
        finder.start("y");
        finder.feed(b"1\n2\n");
        let lines: Vec<_> = finder.into_lines().into_values().collect();
        assert_eq!(lines, ["one", "1", "2"]);
    }

    #[test]
    fn records_of_binary_histories_are_told_by_number() {
        let mut finder = LineFinder::new([at("x.jhist", 7)], Limits::default());
        finder.start("x.jhist");
        finder.feed(b"Avro-Binary\n{}\n\0\x01\n\n\n\n\nseven");
        let lines: Vec<_> = finder.into_lines().into_iter().collect();
        assert_eq!(lines, [(at("x.jhist", 7), String::from("record 7 of a binary history"))]);
    }

    #[test]
    fn nothing_is_left_to_feed_once_all_are_found() {
        let mut finder = LineFinder::new([at("x.log", 2)], Limits::default());
        finder.start("x.log");
        finder.feed(&[b'1'; 4096]);
        finder.feed(b"\ntw");
        assert!(!finder.is_done());
        finder.feed(b"o\nthree");
        assert!(finder.is_done());
    }
}
