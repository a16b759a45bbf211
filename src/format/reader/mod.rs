//! One file's bytes to its digest: recognise, split into lines, parse.
//!
//! The first [`HEAD_BYTES`] are held back until all formats have seen them, as they are and without what may be
//! wrapped around the lines; [`WIDE_HEAD_BYTES`] if none knows them. From then on nothing is kept but the line that is
//! not over yet.
//!
//! Cost: O(bytes), one pass for the checksum, one for the line ends, one for the parser.

mod reading;
mod speakers;

use super::own;
use super::unread;
use super::wrapped::{Wrapping, events};
use super::{Confidence, FORMATS, Feed, Format, HEAD_BYTES, Head, Out, Parse, WIDE_HEAD_BYTES};
use crate::base::crc::Crc;
use crate::base::text::without_bom;
use crate::base::{Code, Timestamp};
use crate::model::{FileDigest, FileKey};
use crate::source::{Limits, LineSplitter};
use reading::{Reading, give_line};
use speakers::Speakers;

/// Reads one file.
pub struct FileReader {
    path: String,
    limits: Limits,
    formats: &'static [&'static dyn Format],
    crc: Crc,
    bytes: u64,
    state: State,
    reading: Reading,
    /// When it was modified, by the clock of some zone and in UTC.
    modified: Option<(Timestamp, Timestamp)>,
}

enum State {
    /// Not yet recognised; the bytes so far, and how many are waited for.
    Head(Vec<u8>, usize),
    /// In a format that takes lines.
    Lines(LineSplitter, Box<dyn Parse>),
    /// Lines that are wrapped, of one process or of several.
    Speakers(LineSplitter, Box<Speakers>),
    /// In a format that takes bytes.
    Bytes(Box<dyn Parse>),
    /// Text in no known format; its lines are counted.
    Text(LineSplitter),
    /// No text, no known format.
    Binary,
}

impl FileReader {
    /// For the file of this path (`archive/member path`).
    #[must_use]
    pub fn new(path: &str, limits: &Limits) -> Self {
        Self::among(FORMATS, path, limits)
    }

    /// A reader that knows these formats only.
    pub(super) fn among(formats: &'static [&'static dyn Format], path: &str, limits: &Limits) -> Self {
        Self {
            path: path.to_owned(),
            limits: *limits,
            formats,
            crc: Crc::new(),
            bytes: 0,
            state: State::Head(Vec::new(), HEAD_BYTES),
            reading: Reading::default(),
            modified: None,
        }
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Bytes so far.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What its events and hosts take in memory so far.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match &self.state {
            State::Speakers(_, speakers) => speakers.held_bytes(),
            _ => self.reading.gathered.bytes(),
        }
    }

    /// The next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.feed_summed(bytes, Crc::of(bytes));
    }

    /// The next bytes, whose checksum is known.
    pub fn feed_summed(&mut self, bytes: &[u8], crc: Crc) {
        self.crc.combine(crc, bytes.len() as u64);
        self.bytes += bytes.len() as u64;
        let mut rest = bytes;
        while let State::Head(head, most) = &mut self.state {
            let (first, behind) = rest.split_at((*most - head.len()).min(rest.len()));
            head.extend_from_slice(first);
            rest = behind;
            if head.len() < *most {
                return;
            }
            let goes_on = *most < WIDE_HEAD_BYTES;
            self.recognise(goes_on);
        }
        self.parse(rest);
    }

    /// Something is wrong with the file as a whole.
    pub fn issue(&mut self, code: Code) {
        self.issue_at(code, 0);
    }

    /// The same, told with the line or the byte where it shows.
    pub fn issue_at(&mut self, code: Code, place: u64) {
        let reading = match &mut self.state {
            State::Speakers(_, speakers) => speakers.reading(),
            _ => &mut self.reading,
        };
        reading.digest.issues.note(code, place);
        // Packed bytes are no log, whatever stands in them as it is.
        let is_packed = matches!(code, Code::UnreadContainer | Code::NestedTooDeep);
        if is_packed && matches!(&self.state, State::Head(head, _) if head.is_empty()) {
            self.state = State::Binary;
        }
    }

    /// It was modified then, by the clock of some zone and in UTC.
    pub const fn modified(&mut self, local: Timestamp, utc: Timestamp) {
        self.modified = Some((local, utc));
    }

    /// The file is over: its key, and what was read of it; of several logs in it, of the first.
    #[must_use]
    pub fn finish(self) -> (FileKey, FileDigest) {
        let mut first = None;
        self.finish_each(&mut |key, digest| {
            first.get_or_insert((key, digest));
        });
        first.unwrap_or_default()
    }

    /// The file is over: gives what was read of it, each log by itself where several processes wrote it. Their paths are
    /// the file's, so that their lines are found.
    pub fn finish_each(mut self, each: &mut dyn FnMut(FileKey, FileDigest)) {
        self.recognise(false);
        let Self { path, bytes, crc, state, mut reading, modified, .. } = self;
        let key = FileKey { path, bytes, crc: crc.sum() };
        match state {
            State::Head(..) | State::Binary => {}
            State::Lines(mut splitter, mut parser) => {
                let Reading { digest, gathered, folder, .. } = &mut reading;
                let out = &mut Out::new(digest, gathered);
                splitter.finish(|line| give_line(line, parser.as_mut(), out, folder));
                parser.end(out);
            }
            State::Speakers(mut splitter, mut speakers) => {
                splitter.finish(|line| speakers.line(line));
                return speakers.finish(key, modified, each);
            }
            State::Bytes(parser) => parser.end(&mut reading.out()),
            State::Text(mut splitter) => splitter.finish(|line| reading.count(line)),
        }
        let digest = reading.settle(&key.path, bytes, modified);
        each(key, digest);
    }

    /// Asks all formats about the head that there is, and parses it; waits for more of a file that
    /// `goes_on` if none knows it.
    fn recognise(&mut self, goes_on: bool) {
        let State::Head(head, _) = &mut self.state else { return };
        let head = std::mem::take(head);
        let text = without_bom(&head);
        if let Some(code) = own::of(text) {
            self.reading.digest.issues.note(code, 0);
            self.state = State::Binary;
            return;
        }
        let seen = Head::new(&self.path, text).going_on(goes_on);
        let best = surest(self.formats, &seen);
        // In elements a banner has lines of its own, by which a log is told that has no other line to be read as it is.
        if (best.is_none() || events::are_in(text))
            && let Some((wrapping, logs)) = Wrapping::of(text)
            && logs.iter().any(|log| self.reads(log, goes_on))
        {
            let reading = std::mem::take(&mut self.reading);
            let speakers = Box::new(Speakers::new(wrapping, self.formats, &self.path, reading));
            let splitter = LineSplitter::new(self.limits.line_bytes, (head.len() - text.len()) as u64);
            self.state = State::Speakers(splitter, speakers);
            self.parse(text);
            return;
        }
        if best.is_none() && goes_on {
            self.state = State::Head(head, WIDE_HEAD_BYTES);
            return;
        }
        let splitter = LineSplitter::new(self.limits.line_bytes, (head.len() - text.len()) as u64);
        let mut parsed = text;
        self.state = match best {
            Some(format) => {
                let parser = self.reading.begin(format, &seen);
                match format.about().feed {
                    Feed::Lines => State::Lines(splitter, parser),
                    Feed::Bytes => {
                        parsed = &head;
                        State::Bytes(parser)
                    }
                }
            }
            None => {
                self.reading.is_log = unread::may_be_log(&seen);
                if memchr::memchr(0, text).is_none() { State::Text(splitter) } else { State::Binary }
            }
        };
        self.parse(parsed);
    }

    /// Whether a format that takes lines knows a log that begins so.
    fn reads(&self, log: &[u8], goes_on: bool) -> bool {
        let head = Head::new(&self.path, log).going_on(goes_on);
        surest(self.formats, &head).is_some_and(|format| format.about().feed == Feed::Lines)
    }

    /// Hands on bytes of a file that is recognised.
    fn parse(&mut self, bytes: &[u8]) {
        let Reading { digest, gathered, folder, .. } = &mut self.reading;
        match &mut self.state {
            State::Head(..) | State::Binary => {}
            State::Lines(splitter, parser) => {
                let out = &mut Out::new(digest, gathered);
                splitter.feed(bytes, |line| give_line(line, parser.as_mut(), out, folder));
            }
            State::Speakers(splitter, speakers) => splitter.feed(bytes, |line| speakers.line(line)),
            State::Bytes(parser) => parser.bytes(bytes, &mut Out::new(digest, gathered)),
            State::Text(splitter) => splitter.feed(bytes, |line| self.reading.count(line)),
        }
    }
}

/// The format that is surest of a head, the first of equals.
fn surest(formats: &[&'static dyn Format], head: &Head<'_>) -> Option<&'static dyn Format> {
    let mut best: Option<(Confidence, &'static dyn Format)> = None;
    for format in formats.iter().filter(|_| !head.bytes.is_empty()) {
        let so_far = best.map_or(Confidence::No, |(so_far, _)| so_far);
        // Only a surer one displaces: the first of equals stays.
        if so_far == Confidence::Sure {
            break;
        }
        let sureness = format.sniff(head);
        if sureness > so_far {
            best = Some((sureness, *format));
        }
    }
    best.map(|(_, format)| format)
}

#[cfg(test)]
mod tests;
