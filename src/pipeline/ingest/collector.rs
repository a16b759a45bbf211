//! Members in, rows of the digest out.

use super::Progress;
use crate::base::crc::{Crc, crc32};
use crate::base::{Code, IssueTable, Timestamp};
use crate::format::FileReader;
use crate::model::digest::MAGIC;
use crate::model::digest::lines::{LINE_PREFIX, each_of_line};
use crate::model::digest::{ARCHIVE, DIGEST, DIGEST_LINES};
use crate::model::{Digest, DigestError, FileDigest, FileKey};
use crate::source::{Limits, Visitor};
use std::collections::BTreeMap;

/// A digest is decoded from memory, so this is all that is taken of one: a digest of
/// 17 to 80 times as many logs.
const DIGEST_BYTES: usize = 256 << 20;

/// What is held is looked at behind every so many bytes of a file, wherever its pieces end:
/// so the same byte is the last one read, however the input was fed.
const LOOK_BYTES: u64 = 1 << 20;

/// Turns members into rows of the digest.
#[derive(Default)]
pub struct Collector {
    limits: Limits,
    digest: Digest,
    open: Open,
    /// What is wrong with the archives of the present input, by path.
    archives: BTreeMap<String, IssueTable>,
    progress: Progress,
    /// Name of the present input.
    input: String,
    /// What its closed files take in memory, about.
    held_bytes: usize,
    /// That is more than the limit; nothing more is taken of it.
    full: bool,
    /// Of some input not all was taken for that reason.
    overflowed: bool,
}

/// The member that is open.
#[derive(Default)]
enum Open {
    #[default]
    None,
    File(Box<FileReader>),
    Digest(EncodedDigest),
    Lines(DigestLines),
}

/// A digest whose bytes are gathered.
struct EncodedDigest {
    bytes: Vec<u8>,
    /// The same bytes as a file, for its key and issues.
    file: Box<FileReader>,
    too_long: bool,
}

/// A digest as lines of text; each is merged as it comes.
struct DigestLines {
    line: Vec<u8>,
    /// The same bytes as a file, for its key.
    file: Box<FileReader>,
    issues: IssueTable,
    /// Lines so far.
    lines: u64,
    /// The present line is longer than any digest: its rest is passed over.
    too_long: bool,
}

impl Visitor for Collector {
    fn open(&mut self, path: &str) {
        if !self.full {
            self.open = Open::File(Box::new(FileReader::new(path, &self.limits)));
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        let crc = Crc::of(bytes);
        self.take_all(bytes, Some(crc));
        Some(crc)
    }

    fn modified(&mut self, local: Timestamp, utc: Timestamp) {
        if let Open::File(file) = &mut self.open {
            file.modified(local, utc);
        }
    }

    fn close(&mut self) {
        match std::mem::take(&mut self.open) {
            Open::None => {}
            Open::File(file) => self.add_file(*file),
            Open::Digest(encoded) => encoded.add_to(self),
            Open::Lines(lines) => lines.end(self),
        }
        self.progress.members += 1;
    }

    fn issue(&mut self, path: &str, code: Code) {
        self.issue_at(path, code, 0);
    }

    fn issue_at(&mut self, path: &str, code: Code, byte: u64) {
        match &mut self.open {
            Open::File(file) | Open::Digest(EncodedDigest { file, .. }) | Open::Lines(DigestLines { file, .. })
                if file.path() == path =>
            {
                file.issue(code);
            }
            // Of what is not taken any more, only that is told.
            _ if self.full && self.input != path => {}
            _ => self.note(path, code, byte),
        }
    }
}

impl Collector {
    /// One that has taken nothing.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// What was taken.
    #[must_use]
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// What was taken.
    #[must_use]
    pub fn into_digest(self) -> Digest {
        self.digest
    }

    /// Whether something was left out because all would have been too much to hold.
    #[must_use]
    pub const fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// How far it has come.
    #[must_use]
    pub const fn progress(&self) -> Progress {
        self.progress
    }

    /// Counts bytes of the input.
    pub(super) const fn count(&mut self, bytes: usize) {
        self.progress.bytes += bytes as u64;
    }

    /// An input of this name begins.
    pub fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.input);
        self.held_bytes = 0;
        self.full = false;
    }

    /// Takes the next bytes of the member that is open, whose checksum may be known.
    pub(super) fn take_all(&mut self, bytes: &[u8], known: Option<Crc>) {
        let Open::File(file) = &self.open else { return self.take(bytes, known) };
        let mut at = file.bytes();
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = usize::try_from(LOOK_BYTES - at % LOOK_BYTES).unwrap_or(usize::MAX);
            let (piece, behind) = rest.split_at(room.min(rest.len()));
            self.take(piece, known.filter(|_| piece.len() == bytes.len()));
            at += piece.len() as u64;
            rest = behind;
            if at.is_multiple_of(LOOK_BYTES) && self.overflows() {
                return;
            }
        }
    }

    fn take(&mut self, bytes: &[u8], known: Option<Crc>) {
        let mut open = match std::mem::take(&mut self.open) {
            Open::File(file) if file.bytes() == 0 && bytes.starts_with(MAGIC) => {
                Open::Digest(EncodedDigest { bytes: Vec::new(), file, too_long: false })
            }
            Open::File(file) if file.bytes() == 0 && bytes.starts_with(LINE_PREFIX) => Open::Lines(DigestLines {
                line: Vec::new(),
                file,
                issues: IssueTable::default(),
                lines: 0,
                too_long: false,
            }),
            other => other,
        };
        match &mut open {
            Open::None => {}
            Open::File(file) => file.feed_summed(bytes, known.unwrap_or_else(|| Crc::of(bytes))),
            Open::Digest(digest) => digest.feed(bytes),
            Open::Lines(lines) => lines.feed(bytes, self),
        }
        self.open = open;
    }

    /// Whether the file that is open makes the input more than is held; it ends here then.
    fn overflows(&mut self) -> bool {
        let Open::File(file) = &self.open else { return false };
        if self.held_bytes.saturating_add(file.held_bytes()) <= self.limits.held_bytes {
            return false;
        }
        self.overflowed = true;
        if let Open::File(mut file) = std::mem::take(&mut self.open) {
            file.issue(Code::TooMuchToHold);
            // Of an input that is one file this is all there is to tell.
            self.full |= file.path() == self.input;
            self.add_file(*file);
        }
        true
    }

    /// Notes what is wrong with an archive, at this byte of it.
    fn note(&mut self, path: &str, code: Code, byte: u64) {
        if let Some(issues) = self.archives.get_mut(path) {
            return issues.note(code, byte);
        }
        let mut issues = IssueTable::default();
        issues.note(code, byte);
        let key = FileKey { path: path.to_owned(), bytes: 0, crc: 0 };
        let bytes = FileDigest::default().memory_bytes(&key);
        self.archives.insert(key.path, issues);
        self.hold(bytes);
    }

    /// Counts what a row takes in memory.
    fn hold(&mut self, bytes: usize) {
        self.held_bytes = self.held_bytes.saturating_add(bytes);
        if self.held_bytes > self.limits.held_bytes && !std::mem::replace(&mut self.full, true) {
            self.overflowed = true;
            let input = std::mem::take(&mut self.input);
            self.archives.entry(input.clone()).or_default().note(Code::TooMuchToHold, 0);
            self.input = input;
        }
    }

    fn add_file(&mut self, file: FileReader) {
        file.finish_each(&mut |key, file| {
            self.progress.lines += file.lines;
            self.add(key, file);
        });
    }

    /// Adds a row; whether more can be held.
    fn add(&mut self, key: FileKey, file: FileDigest) -> bool {
        let bytes = file.memory_bytes(&key);
        self.digest.insert(key, file);
        self.hold(bytes);
        !self.full
    }

    /// Adds the row that says what is wrong with a digest, of one of the formats of such rows.
    fn add_issues(&mut self, key: FileKey, format: &str, issues: IssueTable) {
        self.add(key, FileDigest { format: format.to_owned(), issues, ..FileDigest::default() });
    }

    /// The input is over, after so many bytes: adds a row for each archive with which something is wrong.
    pub fn add_archives(&mut self, input_bytes: u64) {
        for (path, issues) in std::mem::take(&mut self.archives) {
            let row = FileDigest { format: ARCHIVE.to_owned(), issues, ..FileDigest::default() };
            // Archives of one name are told apart by the length of the input that they
            // lie in and by what is wrong with them: to sum up their bytes only for this
            // would cost a pass.
            let crc = crc32(&postcard::to_stdvec(&row.issues).unwrap_or_default());
            self.digest.insert(FileKey { path, bytes: input_bytes, crc }, row);
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

    /// Merges what is whole of the digest as far as it can be held, and adds a row that says what is not whole.
    fn add_to(mut self, to: &mut Collector) {
        if to.full {
            return;
        }
        let trouble = Digest::each_whole(&self.bytes, &mut |key, file| to.add(key, file));
        let (code, byte) = match trouble {
            _ if self.too_long => (Code::DigestTooLong, 0),
            None => return,
            Some(DigestError::Newer { .. }) => (Code::NewerDigest, 0),
            Some(why) => (Code::BadDigest, why.byte()),
        };
        self.file.issue_at(code, byte);
        let (key, FileDigest { issues, .. }) = self.file.finish();
        to.add_issues(key, DIGEST, issues);
    }
}

impl DigestLines {
    fn feed(&mut self, bytes: &[u8], to: &mut Collector) {
        self.file.feed(bytes);
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.extend_line(line);
            self.take_line(to);
            rest = after.get(1..).unwrap_or_default();
        }
        self.extend_line(rest);
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > DIGEST_BYTES && !self.too_long {
            self.issues.note(Code::DigestTooLong, self.lines + 1);
            self.too_long = true;
            self.line = Vec::new();
        }
        if !self.too_long {
            self.line.extend_from_slice(bytes);
        }
    }

    /// Merges what a line holds, as far as that can be held.
    fn take_line(&mut self, to: &mut Collector) {
        let line = std::mem::take(&mut self.line);
        self.too_long = false;
        self.lines += 1;
        if line.trim_ascii().is_empty() || to.full {
            return;
        }
        match each_of_line(&line, &mut |key, file| to.add(key, file)) {
            None => {}
            Some(DigestError::Newer { .. }) => self.issues.note(Code::NewerDigest, self.lines),
            Some(_) => self.issues.note(Code::BadDigest, self.lines),
        }
    }

    /// The last line, and a row if something was wrong.
    fn end(mut self, to: &mut Collector) {
        self.take_line(to);
        if !self.issues.is_empty() {
            to.add_issues(self.file.finish().0, DIGEST_LINES, self.issues);
        }
    }
}
