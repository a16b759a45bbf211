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
use crate::model::digest::lines::{LINE_PREFIX, read_line};
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

/// What is held is looked at behind every so many bytes of a file, wherever its pieces end:
/// so the same byte is the last one read, however the input was fed.
const LOOK_BYTES: u64 = 1 << 20;

/// What a row takes in memory beside its path and events, about.
const ROW_BYTES: usize = 512;

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
    input_bytes: u64,
    collector: Collector,
}

impl Ingest {
    /// One that has read nothing.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, unpacker: None, input_bytes: 0, collector: Collector { limits, ..Collector::default() } }
    }

    /// An input begins: a file, an archive or a digest of this name (its base name, or
    /// `folder/sub/file`). The one before it is finished.
    pub fn start(&mut self, name: &str) {
        self.finish_input();
        self.input_bytes = 0;
        self.collector.begin(name);
        self.unpacker = Some(Unpacker::new(name, &self.limits));
    }

    /// The next bytes of the input.
    pub fn feed(&mut self, bytes: &[u8]) {
        if let Some(unpacker) = &mut self.unpacker {
            unpacker.feed(bytes, &mut self.collector);
            self.input_bytes += bytes.len() as u64;
            self.collector.progress.bytes += bytes.len() as u64;
        }
    }

    /// The input is over.
    pub fn finish_input(&mut self) {
        if let Some(mut unpacker) = self.unpacker.take() {
            unpacker.finish(&mut self.collector);
            self.collector.add_archives(self.input_bytes);
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
    /// Name of the present input.
    input: String,
    /// What its closed files take in memory, about.
    held_bytes: usize,
    /// That is more than the limit; nothing more is taken of it.
    full: bool,
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
}

impl Visitor for Collector {
    fn open(&mut self, path: &str) {
        if self.full {
            return;
        }
        self.open = Open::File(Box::new(FileReader::new(path, &self.limits)));
    }

    fn data(&mut self, bytes: &[u8]) {
        let Open::File(file) = &self.open else { return self.take(bytes) };
        let mut at = file.bytes();
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = usize::try_from(LOOK_BYTES - at % LOOK_BYTES).unwrap_or(usize::MAX);
            let (piece, behind) = rest.split_at(room.min(rest.len()));
            self.take(piece);
            at += piece.len() as u64;
            rest = behind;
            if at.is_multiple_of(LOOK_BYTES) && self.overflows() {
                return;
            }
        }
    }

    fn close(&mut self) {
        match std::mem::take(&mut self.open) {
            Open::None => {}
            Open::File(file) => self.add_file(*file),
            Open::Digest(encoded) => encoded.add_to(&mut self.digest),
            Open::Lines(lines) => lines.end(&mut self.digest),
        }
        self.progress.members += 1;
    }

    fn issue(&mut self, path: &str, code: Code) {
        match &mut self.open {
            Open::File(file) | Open::Digest(EncodedDigest { file, .. }) | Open::Lines(DigestLines { file, .. })
                if file.path() == path =>
            {
                file.issue(code);
            }
            // Of what is not taken any more, only that is told.
            _ if self.full && self.input != path => {}
            _ => self.note(path, code),
        }
    }
}

impl Collector {
    /// An input of this name begins.
    fn begin(&mut self, name: &str) {
        name.clone_into(&mut self.input);
        self.held_bytes = 0;
        self.full = false;
    }

    /// Hands bytes to what is open.
    fn take(&mut self, bytes: &[u8]) {
        self.open = match std::mem::take(&mut self.open) {
            Open::File(file) if file.bytes() == 0 && bytes.starts_with(MAGIC) => {
                Open::Digest(EncodedDigest { bytes: Vec::new(), file, too_long: false })
            }
            Open::File(file) if file.bytes() == 0 && bytes.starts_with(LINE_PREFIX) => {
                Open::Lines(DigestLines { line: Vec::new(), file, issues: IssueTable::default(), lines: 0 })
            }
            other => other,
        };
        match &mut self.open {
            Open::None => {}
            Open::File(file) => file.feed(bytes),
            Open::Digest(digest) => digest.feed(bytes),
            Open::Lines(lines) => lines.feed(bytes, &mut self.digest),
        }
    }

    /// Whether the file that is open makes the input more than is held; it ends here then.
    fn overflows(&mut self) -> bool {
        let Open::File(file) = &self.open else { return false };
        if self.held_bytes.saturating_add(file.held_bytes()) <= self.limits.held_bytes {
            return false;
        }
        if let Open::File(mut file) = std::mem::take(&mut self.open) {
            file.issue(Code::TooMuchToHold);
            // Of an input that is one file this is all there is to tell.
            self.full |= file.path() == self.input;
            self.add_file(*file);
        }
        true
    }

    /// Notes what is wrong with an archive.
    fn note(&mut self, path: &str, code: Code) {
        if let Some(issues) = self.archives.get_mut(path) {
            return issues.note(code, 0);
        }
        let mut issues = IssueTable::default();
        issues.note(code, 0);
        self.archives.insert(path.to_owned(), issues);
        self.hold(path.len());
    }

    /// Counts what is held for a row beside its fixed size.
    fn hold(&mut self, bytes: usize) {
        self.held_bytes = self.held_bytes.saturating_add(bytes).saturating_add(ROW_BYTES);
        if self.held_bytes > self.limits.held_bytes && !std::mem::replace(&mut self.full, true) {
            let input = std::mem::take(&mut self.input);
            self.archives.entry(input.clone()).or_default().note(Code::TooMuchToHold, 0);
            self.input = input;
        }
    }

    fn add_file(&mut self, file: FileReader) {
        let (key, file) = file.finish();
        self.progress.lines += file.lines;
        let bytes = key.path.len() + file.events.bytes();
        self.digest.insert(key, file);
        self.hold(bytes);
    }

    /// Adds a row for each archive with which something is wrong.
    fn add_archives(&mut self, input_bytes: u64) {
        for (path, issues) in std::mem::take(&mut self.archives) {
            let row = FileDigest { format: ARCHIVE.to_owned(), issues, ..FileDigest::default() };
            // Archives of one name are told apart by the length of the input that they
            // lie in and by what is wrong with them: to sum up their bytes only for this
            // would cost a pass.
            let crc = crc32fast::hash(&postcard::to_stdvec(&row.issues).unwrap_or_default());
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

    /// Merges what is whole of the digest, and adds a row that says what is not.
    fn add_to(mut self, digest: &mut Digest) {
        let (decoded, trouble) = Digest::decode_what_is_whole(&self.bytes);
        digest.merge(decoded);
        let code = match trouble {
            _ if self.too_long => Code::ExpandsTooMuch,
            None => return,
            Some(DigestError::Newer { .. }) => Code::NewerDigest,
            Some(_) => Code::BadDigest,
        };
        self.file.issue(code);
        let (key, FileDigest { issues, .. }) = self.file.finish();
        add_row(key, issues, digest);
    }
}

impl DigestLines {
    fn feed(&mut self, bytes: &[u8], digest: &mut Digest) {
        self.file.feed(bytes);
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.line.extend_from_slice(line);
            self.take_line(digest);
            rest = after.get(1..).unwrap_or_default();
        }
        if self.line.len() + rest.len() <= DIGEST_BYTES {
            self.line.extend_from_slice(rest);
        } else {
            self.issues.note(Code::ExpandsTooMuch, self.lines + 1);
            self.line.clear();
        }
    }

    fn take_line(&mut self, digest: &mut Digest) {
        let line = std::mem::take(&mut self.line);
        self.lines += 1;
        if line.trim_ascii().is_empty() {
            return;
        }
        match read_line(&line) {
            Ok(read) => digest.merge(read),
            Err(DigestError::Newer { .. }) => self.issues.note(Code::NewerDigest, self.lines),
            Err(_) => self.issues.note(Code::BadDigest, self.lines),
        }
    }

    /// The last line, and a row if something was wrong.
    fn end(mut self, digest: &mut Digest) {
        self.take_line(digest);
        if !self.issues.is_empty() {
            add_row(self.file.finish().0, self.issues, digest);
        }
    }
}

/// Adds the row that says what is wrong with a digest.
fn add_row(key: FileKey, issues: IssueTable, digest: &mut Digest) {
    digest.insert(key, FileDigest { format: DIGEST.to_owned(), issues, ..FileDigest::default() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::digest::lines::line_of;
    use proptest::prelude::*;
    use std::io::Write;

    const LOG: &str = "2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction \
        (registerTask): attempt_202611210224_0001_m_000001_0 task's state:UNASSIGNED\n";

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    fn gz_tar(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        gz(&builder.into_inner().unwrap())
    }

    fn ingest<'a>(inputs: impl IntoIterator<Item = &'a (String, Vec<u8>)>) -> Digest {
        let mut ingest = Ingest::new(Limits::default());
        for (name, bytes) in inputs {
            ingest.start(name);
            ingest.feed(bytes);
        }
        ingest.into_digest()
    }

    fn rows(digest: &Digest) -> Vec<(&str, &str, Vec<Code>)> {
        let codes = |file: &FileDigest| file.issues.iter().map(|(code, _)| code).collect();
        digest.files().map(|(key, file)| (key.path.as_str(), file.format.as_str(), codes(file))).collect()
    }

    #[test]
    fn archive_becomes_rows_of_its_members_and_of_what_is_wrong_with_it() {
        let archive = gz_tar(&[("h1/x.log", LOG.repeat(50).as_bytes()), ("h1/noise", &[0, 1, 2])]);
        let digest = ingest([&("r.tar.gz".to_owned(), archive.clone())]);
        let expected =
            [("r.tar.gz/h1/noise", "", vec![Code::UnknownFormat]), ("r.tar.gz/h1/x.log", "tasktracker", vec![])];
        assert_eq!(rows(&digest), expected);
        let cut = ingest([&("r.tar.gz".to_owned(), archive[..archive.len() - 4].to_vec())]);
        assert_eq!(rows(&cut)[0], ("r.tar.gz", ARCHIVE, vec![Code::Truncated]));
        assert_eq!(rows(&cut)[1..], expected);
    }

    #[test]
    fn progress_counts_what_is_over() {
        let mut ingest = Ingest::new(Limits::default());
        ingest.start("x.log");
        ingest.feed(LOG.as_bytes());
        ingest.feed(LOG.as_bytes());
        let bytes = 2 * LOG.len() as u64;
        assert_eq!(ingest.progress(), Progress { bytes, members: 0, lines: 0 });
        ingest.finish_input();
        assert_eq!(ingest.progress(), Progress { bytes, members: 1, lines: 2 });
    }

    #[test]
    fn digest_is_merged_wherever_a_log_may_be() {
        let log = ("x.log".to_owned(), LOG.as_bytes().to_vec());
        let digest = ingest([&log]);
        for input in [digest.encode(), gz_tar(&[("part-00000", &digest.encode())])] {
            assert_eq!(ingest([&("any name".to_owned(), input)]), digest);
        }
    }

    #[test]
    fn bad_digests_are_rows() {
        let good = ingest([&("x.log".to_owned(), LOG.as_bytes().to_vec())]).encode();
        let mut newer = good.clone();
        newer[MAGIC.len()] = u8::MAX;
        let mut damaged = good.clone();
        damaged[MAGIC.len() + 12] ^= 1;
        for (bytes, code) in [
            (newer, Code::NewerDigest),
            (damaged, Code::BadDigest),
            (good[..40].to_vec(), Code::BadDigest),
            (MAGIC.to_vec(), Code::BadDigest),
        ] {
            assert_eq!(rows(&ingest([&("d".to_owned(), bytes)])), [("d", DIGEST, vec![code])]);
        }
        // What is whole of a digest whose end is cut counts.
        let cut = good[..good.len() - 1].to_vec();
        let read = ingest([&("d".to_owned(), cut)]);
        assert_eq!(rows(&read), [("d", DIGEST, vec![Code::BadDigest]), ("x.log", "tasktracker", vec![])]);
    }

    #[test]
    fn lines_of_a_digest_are_merged_and_bad_ones_counted() {
        let log = ("x.log".to_owned(), LOG.as_bytes().to_vec());
        let digest = ingest([&log]);
        let line = digest.files().map(|(key, file)| line_of(key, file)).next().unwrap();
        let text = format!("{line}\n\n{line}\r\n");
        for pieces in [1, 7, text.len()] {
            let mut ingest = Ingest::new(Limits::default());
            ingest.start("part-00000");
            text.as_bytes().chunks(pieces).for_each(|piece| ingest.feed(piece));
            assert_eq!(ingest.into_digest(), digest, "{pieces}");
        }
        let text = format!("{line}\n{}\n", &line[..line.len() / 2]);
        let read = ingest([&("part-00000".to_owned(), text.into_bytes())]);
        assert_eq!(rows(&read), [("part-00000", DIGEST, vec![Code::BadDigest]), ("x.log", "tasktracker", vec![])]);
    }

    /// Inputs of few names and contents, so that names and contents meet in all ways:
    /// whole, cut and damaged archives, digests, plain files.
    fn any_input() -> impl Strategy<Value = (String, Vec<u8>)> {
        let name = prop::sample::select(vec!["a.tar.gz", "b.log"]);
        let lines = 0_usize..3;
        (name, lines, 0_usize..7).prop_map(|(name, lines, kind)| {
            let log = LOG.repeat(lines);
            let archive = gz_tar(&[("x.log", log.as_bytes()), ("y.log", b"?")]);
            let bytes = match kind {
                0 => log.into_bytes(),
                1 => archive,
                2 => archive[..archive.len() - 9].to_vec(),
                3 => [&archive[..archive.len() - 8], &[0; 8]].concat(),
                // The same file as in 0, but its gzip's checksum is wrong.
                5 => [&gz(log.as_bytes())[..gz(log.as_bytes()).len() - 8], &[7; 8]].concat(),
                4 => gz_tar(&[]),
                _ => ingest([&("a.tar.gz".to_owned(), archive)]).encode(),
            };
            (name.to_owned(), bytes)
        })
    }

    proptest! {
        #[test]
        fn any_order_and_partition_gives_the_same_bytes(
            inputs in prop::collection::vec((any_input(), 0_usize..3), 0..8),
            order in any::<prop::sample::Index>(),
        ) {
            let whole = ingest(inputs.iter().map(|(input, _)| input)).encode();
            let mut dealt = inputs.clone();
            if !dealt.is_empty() {
                let by = order.index(dealt.len());
                dealt.rotate_left(by);
                dealt[by..].reverse();
            }
            let mut merged = Digest::default();
            for worker in [2, 0, 1] {
                let share = dealt.iter().filter(|(_, to)| *to == worker).map(|(input, _)| input);
                merged.merge(ingest(share));
            }
            prop_assert_eq!(merged.encode(), whole);
        }

        #[test]
        fn pieces_do_not_change_the_digest(input in any_input(), piece in 1_usize..200) {
            let whole = ingest([&input]);
            let mut ingest = Ingest::new(Limits::default());
            ingest.start(&input.0);
            for piece in input.1.chunks(piece) {
                ingest.feed(piece);
            }
            prop_assert_eq!(ingest.into_digest(), whole);
        }
    }
}
