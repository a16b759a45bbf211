//! The logs of several processes in one file, as whoever gathered them wrapped their lines: each is read by itself.
//!
//! ```text
//! h301: 2026-11-21 02:15:47,791 INFO x.DataNode: …       → a DataNode's log of h301
//! h302: 2026-11-21 02:15:47,804 INFO x.NodeManager: …    → a NodeManager's log of h302
//! h301: 2026-11-21 02:15:48,209 INFO x.DataNode: …
//! ```
//! Numbers of lines are those of the file, and so is the path. Where there are several, the path tells what the first of
//! them is, but nothing of the others. Those of which no format is known are one log in none.
//!
//! Cost: O(bytes); of each process [`HEAD_BYTES`], or [`WIDE_HEAD_BYTES`], are held until its format is known.

use super::reading::{Reading, give};
use super::{surest, unread};
use crate::base::{Code, Timestamp};
use crate::format::wrapped::{Own, Wrapping};
use crate::format::{Feed, Format, HEAD_BYTES, Head, Out, Parse, WIDE_HEAD_BYTES, hosts};
use crate::model::{FileDigest, FileKey};
use crate::source::Line;

/// The processes of a file.
pub(super) struct Speakers {
    wrapping: Wrapping,
    formats: &'static [&'static dyn Format],
    path: String,
    first: Speaker,
    others: Vec<Speaker>,
}

/// The log of one process.
#[derive(Default)]
struct Speaker {
    reading: Reading,
    state: State,
    /// Its part of the file.
    bytes: u64,
}

enum State {
    /// Not yet recognised; the lines so far, their bytes, and how many are waited for.
    Head(Vec<Held>, usize, usize),
    /// In a format that takes lines.
    Lines(Box<dyn Parse>),
    /// In no known format.
    Text,
}

impl Default for State {
    fn default() -> Self {
        Self::Head(Vec::new(), 0, HEAD_BYTES)
    }
}

/// A line of the file, and the lines in it.
struct Held {
    number: u64,
    offset: u64,
    cut: bool,
    ended: bool,
    text: Box<[u8]>,
}

impl Speakers {
    /// Those of the file of this path, of which so much is read.
    pub(super) fn new(
        wrapping: Wrapping,
        formats: &'static [&'static dyn Format],
        path: &str,
        reading: Reading,
    ) -> Self {
        let first = Speaker { reading, ..Speaker::default() };
        Self { wrapping, formats, path: path.to_owned(), first, others: Vec::new() }
    }

    /// What is read of the first.
    pub(super) const fn reading(&mut self) -> &mut Reading {
        &mut self.first.reading
    }

    /// What their events and hosts take in memory so far.
    pub(super) fn held_bytes(&self) -> usize {
        std::iter::once(&self.first).chain(&self.others).map(|speaker| speaker.reading.gathered.bytes()).sum()
    }

    /// The next line of the file.
    pub(super) fn line(&mut self, line: Line<'_>) {
        match self.wrapping.take(line.bytes) {
            Own::Lines(0, text) => self.first.take(line, text, &self.path, self.formats),
            Own::Lines(who, text) => {
                while self.others.len() < who {
                    self.others.push(Speaker::default());
                }
                if let Some(speaker) = self.others.get_mut(who - 1) {
                    speaker.take(line, text, "", self.formats);
                }
            }
            Own::Around => self.first.reading.out().as_one_line(|_| {}),
            Own::TooMany => self.first.reading.out().skipped(Code::MixedLog, line.number),
            Own::Nothing => self.first.reading.out().skipped(Code::MalformedLine, line.number),
        }
    }

    /// The file, of this key, is over: gives each log and its key.
    pub(super) fn finish(
        self,
        file: FileKey,
        modified: Option<(Timestamp, Timestamp)>,
        each: &mut dyn FnMut(FileKey, FileDigest),
    ) {
        let Self { wrapping, formats, path, first, others } = self;
        let mut logs: Vec<(u64, Reading)> = Vec::new();
        for (who, speaker) in std::iter::once(first).chain(others).enumerate() {
            let (path, host) = (if who == 0 { path.as_str() } else { "" }, wrapping.host(who));
            let (bytes, mut reading) = speaker.finish(path, host, formats);
            reading.taken = wrapping.taken(who);
            let unknown = logs.iter_mut().find(|(_, other)| other.digest.format.is_empty());
            match unknown.filter(|_| reading.digest.format.is_empty()) {
                Some((all, other)) => {
                    *all += bytes;
                    other.digest.lines += reading.digest.lines;
                    other.digest.skipped += reading.digest.skipped;
                    other.is_log |= reading.is_log;
                }
                None => logs.push((bytes, reading)),
            }
        }
        let is_one = logs.len() == 1;
        for (nth, (bytes, reading)) in (0..).zip(logs) {
            let bytes = if is_one { file.bytes } else { bytes };
            let key = FileKey { path: file.path.clone(), bytes, crc: file.crc ^ nth };
            each(key, reading.settle(&file.path, file.bytes, modified));
        }
    }
}

impl Speaker {
    /// The next of its lines, in a line of the file.
    fn take(&mut self, line: Line<'_>, text: &[u8], path: &str, formats: &[&'static dyn Format]) {
        self.bytes += line.bytes.len() as u64 + u64::from(line.ended);
        match &mut self.state {
            State::Head(lines, bytes, most) => {
                let Line { number, offset, cut, ended, .. } = line;
                lines.push(Held { number, offset, cut, ended, text: text.into() });
                *bytes += text.len() + 1;
                if *bytes >= *most {
                    let goes_on = *most < WIDE_HEAD_BYTES;
                    self.recognise(goes_on, path, formats);
                }
            }
            _ => self.read(line, text),
        }
    }

    /// Asks all formats about the lines that there are, and reads them; waits for more if it `goes_on` and none knows
    /// them.
    fn recognise(&mut self, goes_on: bool, path: &str, formats: &[&'static dyn Format]) {
        let State::Head(lines, _, most) = &mut self.state else { return };
        let text = lines.iter().flat_map(|held| held.text.iter().chain(b"\n")).copied().collect::<Vec<u8>>();
        let head = Head::new(path, &text).going_on(goes_on);
        let best = surest(formats, &head).filter(|format| format.about().feed == Feed::Lines);
        if best.is_none() && goes_on {
            *most = WIDE_HEAD_BYTES;
            return;
        }
        let lines = std::mem::take(lines);
        self.state = match best {
            Some(format) => State::Lines(self.reading.begin(format, &head)),
            None => {
                self.reading.is_log = unread::may_be_log(&head);
                State::Text
            }
        };
        for Held { number, offset, cut, ended, text } in lines {
            self.read(Line { number, offset, bytes: &[], cut, ended }, &text);
        }
    }

    fn read(&mut self, line: Line<'_>, text: &[u8]) {
        let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
        let Reading { digest, gathered, folder, .. } = &mut self.reading;
        match &mut self.state {
            State::Head(..) => {}
            State::Lines(parser) => {
                let out = &mut Out::new(digest, gathered);
                give(line, first, out, folder, |out| {
                    out.as_one_line(|out| {
                        for bytes in text.split(|b| *b == b'\n') {
                            parser.line(Line { bytes, ..line }, out);
                        }
                    });
                });
            }
            State::Text => self.reading.count(Line { bytes: first, ..line }),
        }
    }

    fn finish(mut self, path: &str, host: &[u8], formats: &[&'static dyn Format]) -> (u64, Reading) {
        self.recognise(false, path, formats);
        let Self { mut reading, state, bytes } = self;
        if let State::Lines(parser) = state {
            let out = &mut reading.out();
            hosts::named(host, out);
            parser.end(out);
        }
        (bytes, reading)
    }
}
