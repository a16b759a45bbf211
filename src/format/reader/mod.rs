//! One file's bytes to its digest: recognise, split into lines, parse.
//!
//! The first [`HEAD_BYTES`] are held back until all formats have seen them, as they are and without what may be
//! wrapped around the lines; [`WIDE_HEAD_BYTES`] if none knows them. From then on nothing is kept but the line that is
//! not over yet.
//!
//! Cost: O(bytes), one pass for the checksum, one for the line ends, one for the parser.

use super::own;
use super::shape::Folder;
use super::unread;
use super::wrapped::{Wrapped, Wrapping, events};
use super::{Confidence, FORMATS, Feed, Format, Gathered, HEAD_BYTES, Head, Out, Parse, WIDE_HEAD_BYTES};
use crate::base::crc::Crc;
use crate::base::text::without_bom;
use crate::base::{Code, Timestamp};
use crate::model::{Clock, Event, FileDigest, FileKey, Unknown};
use crate::source::{Limits, Line, LineSplitter};

/// A log was modified at its last line or so long behind it, or it was some other file of which the time is told.
const MODIFIED_MS: i64 = 120_000;

/// Reads one file.
pub struct FileReader {
    path: String,
    limits: Limits,
    formats: &'static [&'static dyn Format],
    crc: Crc,
    bytes: u64,
    state: State,
    digest: FileDigest,
    gathered: Gathered,
    folder: Folder,
    /// It is in no known format, and looks like a log all the same.
    is_log: bool,
    /// When it was modified, by the clock of some zone and in UTC.
    modified: Option<(Timestamp, Timestamp)>,
}

enum State {
    /// Not yet recognised; the bytes so far, and how many are waited for.
    Head(Vec<u8>, usize),
    /// In a format that takes lines.
    Lines(LineSplitter, Box<dyn Parse>),
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
            digest: FileDigest::default(),
            gathered: Gathered::default(),
            folder: Folder::default(),
            is_log: false,
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
        self.gathered.bytes()
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
        self.digest.issues.note(code, place);
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

    /// The file is over.
    #[must_use]
    pub fn finish(mut self) -> (FileKey, FileDigest) {
        self.recognise(false);
        let Self { mut digest, mut gathered, mut folder, is_log, .. } = self;
        let out = &mut Out::new(&mut digest, &mut gathered);
        match self.state {
            State::Head(..) | State::Binary => {}
            State::Lines(mut splitter, mut parser) => {
                splitter.finish(|line| give(line, parser.as_mut(), out, &mut folder));
                parser.end(out);
            }
            State::Bytes(parser) => parser.end(out),
            State::Text(mut splitter) => splitter.finish(|line| count(line, &mut digest, &mut folder)),
        }
        // Where they were gathered long behind its last line, or printed in another zone, the times tell nothing.
        if let (Some((_, last)), Some((local, epoch)), Clock::Local) = (digest.span, self.modified, digest.clock)
            && (-1_000..=MODIFIED_MS).contains(&local.millis_since(last))
        {
            gathered.events.push(digest.lines, last, &Event::EpochTold { epoch });
        }
        // What is known to be wrong says more than that no format fits.
        if digest.format.is_empty() && digest.issues.is_empty() {
            let unread = if is_log { Code::UnreadLog } else { Code::UnknownFormat };
            digest.issues.note(if self.bytes == 0 { unread::of_nothing(&self.path) } else { unread }, 0);
        }
        if let Some(line) = unread::line_of_another(&digest.format, folder.table()) {
            digest.issues.note(Code::MixedLog, line);
        }
        digest.shapes = folder.table().into();
        gathered.settle(&mut digest);
        (FileKey { path: self.path, bytes: self.bytes, crc: self.crc.sum() }, digest)
    }

    /// Asks all formats about the head that there is, and parses it; waits for more of a file that
    /// `goes_on` if none knows it.
    fn recognise(&mut self, goes_on: bool) {
        let State::Head(head, _) = &mut self.state else { return };
        let head = std::mem::take(head);
        let text = without_bom(&head);
        if let Some(code) = own::of(text) {
            self.digest.issues.note(code, 0);
            self.state = State::Binary;
            return;
        }
        let seen = if goes_on { Head::that_goes_on(&self.path, text) } else { Head::new(&self.path, text) };
        let mut best = self.surest(&seen);
        let mut wrapping = None;
        // In elements a banner has lines of its own, by which a log is told that has no other line to be read as it is.
        if (best.is_none() || events::are_in(text))
            && let Some((found, own)) = Wrapping::of(text)
        {
            let seen = if goes_on { Head::that_goes_on(&self.path, &own) } else { Head::new(&self.path, &own) };
            best = self.surest(&seen).filter(|format| format.about().feed == Feed::Lines);
            wrapping = Some(found);
        }
        if best.is_none() && goes_on {
            self.state = State::Head(head, WIDE_HEAD_BYTES);
            return;
        }
        let splitter = LineSplitter::new(self.limits.line_bytes, (head.len() - text.len()) as u64);
        let mut parsed = text;
        self.state = match best {
            Some(format) => {
                let about = format.about();
                about.name.clone_into(&mut self.digest.format);
                self.digest.clock = about.clock;
                let mut parser = format.start(&self.path);
                if let Some(wrapping) = wrapping {
                    parser = Box::new(Wrapped { wrapping, inner: parser });
                }
                match about.feed {
                    Feed::Lines => State::Lines(splitter, parser),
                    Feed::Bytes => {
                        parsed = &head;
                        State::Bytes(parser)
                    }
                }
            }
            None => {
                self.is_log = unread::may_be_log(&seen);
                if memchr::memchr(0, text).is_none() { State::Text(splitter) } else { State::Binary }
            }
        };
        self.parse(parsed);
    }

    /// The format that is surest of a head, the first of equals.
    fn surest(&self, head: &Head<'_>) -> Option<&'static dyn Format> {
        let mut best: Option<(Confidence, &dyn Format)> = None;
        for format in self.formats.iter().filter(|_| !head.bytes.is_empty()) {
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

    /// Hands on bytes of a file that is recognised.
    fn parse(&mut self, bytes: &[u8]) {
        let out = &mut Out::new(&mut self.digest, &mut self.gathered);
        match &mut self.state {
            State::Head(..) | State::Binary => {}
            State::Lines(splitter, parser) => {
                splitter.feed(bytes, |line| give(line, parser.as_mut(), out, &mut self.folder));
            }
            State::Bytes(parser) => parser.bytes(bytes, out),
            State::Text(splitter) => {
                splitter.feed(bytes, |line| count(line, &mut self.digest, &mut self.folder));
            }
        }
    }
}

fn give(line: Line<'_>, parser: &mut dyn Parse, out: &mut Out<'_>, folder: &mut Folder) {
    if line.cut {
        out.issue(Code::LineTooLong, line.number);
    }
    let (skipped, unused) = out.unknown();
    parser.line(line, out);
    let now = out.unknown();
    if now.0 > skipped {
        folder.note(Unknown::Unfit, line.bytes, line.number, now.0);
    } else if now.1 > unused {
        folder.note(Unknown::Unused, line.bytes, line.number, now.1);
    }
}

/// Counts a line that nobody understands.
fn count(line: Line<'_>, digest: &mut FileDigest, folder: &mut Folder) {
    digest.lines += 1;
    digest.skipped += 1;
    folder.note_foreign(line.bytes, line.number);
}

#[cfg(test)]
mod tests;
