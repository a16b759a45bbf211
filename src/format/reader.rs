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
use super::wrapped::{Wrapped, Wrapping};
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
        if best.is_none()
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
mod tests {
    use super::*;
    use crate::format::FormatAbout;
    use crate::model::{Clock, Event, HostClaim, HostSource};

    /// Understands lines that begin with `ok`; sure of files that begin so.
    struct Ok1;
    /// Likes every file a little.
    struct Any;
    struct OkParse;

    static OK: FormatAbout = FormatAbout {
        name: "ok",
        title: "",
        versions: "",
        written_by: "",
        feed: Feed::Lines,
        clock: Clock::Epoch,
        samples: &[],
    };
    static ANY: FormatAbout = FormatAbout { name: "any", ..OK };
    static BOTH: &[&dyn Format] = &[&Any, &Ok1];

    impl Format for Ok1 {
        fn about(&self) -> &'static FormatAbout {
            &OK
        }
        fn sniff(&self, head: &Head<'_>) -> Confidence {
            if head.bytes.starts_with(b"ok") { Confidence::Sure } else { Confidence::No }
        }
        fn start(&self, _path: &str) -> Box<dyn Parse> {
            Box::new(OkParse)
        }
    }

    impl Format for Any {
        fn about(&self) -> &'static FormatAbout {
            &ANY
        }
        fn sniff(&self, head: &Head<'_>) -> Confidence {
            if head.bytes.starts_with(b"?") { Confidence::No } else { Confidence::Maybe }
        }
        fn start(&self, _path: &str) -> Box<dyn Parse> {
            Box::new(OkParse)
        }
    }

    impl Parse for OkParse {
        fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
            if line.bytes.starts_with(b"ok") {
                out.understood();
                let at = crate::base::Timestamp::from_millis(line.offset as i64);
                let dest = std::net::IpAddr::from([10, 0, 0, 1]);
                out.event(line.number, at, &Event::Served { block: crate::base::BlockId(1), dest });
            } else {
                out.skipped(Code::MalformedLine, line.number);
            }
        }
    }

    fn read(bytes: &[u8], piece: usize) -> (FileKey, FileDigest) {
        let mut reader = FileReader::among(BOTH, "a/x.log", &Limits { line_bytes: 8, ..Limits::default() });
        for piece in bytes.chunks(piece) {
            reader.feed(piece);
        }
        reader.finish()
    }

    #[test]
    fn surest_format_wins_and_byte_order_mark_is_skipped() {
        let (key, digest) = read(b"\xef\xbb\xbfok 1\r\nno\nok 2", 1024);
        assert_eq!((digest.format.as_str(), digest.clock), ("ok", Clock::Epoch));
        assert_eq!((digest.lines, digest.understood, digest.skipped), (3, 2, 1));
        let table = digest.shapes.table();
        let shapes: Vec<_> = table.iter().map(|(why, shape, c)| (why, shape, c.count, c.lines.clone())).collect();
        assert_eq!(shapes, [(Unknown::Unfit, "no", 1, vec![2])]);
        let places: Vec<(u64, i64)> = digest.events.iter().map(|row| (row.line, row.at.millis())).collect();
        assert_eq!(places, [(1, 3), (3, 12)]);
        assert_eq!((key.bytes, key.crc), (16, crc32fast::hash(b"\xef\xbb\xbfok 1\r\nno\nok 2")));
        assert_eq!(read(b"no\n", 9).1.format, "any");
    }

    #[test]
    fn pieces_do_not_change_what_is_read() {
        let text = b"ok then\nwhat is this line\n\r\nok\n".repeat(300);
        let whole = read(&text, usize::MAX);
        assert_eq!(whole.1.lines, 1200);
        assert_eq!(whole.1.issues.count(Code::LineTooLong), 300);
        for piece in [1, 7, 4095, 4096, 4097] {
            assert_eq!(read(&text, piece), whole, "pieces of {piece}");
        }
    }

    #[test]
    fn file_that_its_first_bytes_do_not_tell_is_looked_at_further() {
        struct Late;
        impl Format for Late {
            fn about(&self) -> &'static FormatAbout {
                &OK
            }
            fn sniff(&self, head: &Head<'_>) -> Confidence {
                if head.lines().any(|line| line == b"ok") { Confidence::Sure } else { Confidence::No }
            }
            fn start(&self, _path: &str) -> Box<dyn Parse> {
                Box::new(OkParse)
            }
        }
        static LATE: &[&dyn Format] = &[&Late];
        let read = |before: usize, piece: usize| {
            let text = [b"no\n".repeat(before).as_slice(), b"ok\n"].concat();
            let mut reader = FileReader::among(LATE, "x", &Limits::default());
            text.chunks(piece).for_each(|piece| reader.feed(piece));
            let (_, digest) = reader.finish();
            (digest.format.clone(), digest.understood, digest.lines)
        };
        for piece in [1, 4096, 5000, 1 << 20] {
            assert_eq!(read(3000, piece), ("ok".to_owned(), 1, 3001), "pieces of {piece}");
            assert_eq!(read(30_000, piece), (String::new(), 0, 30_001), "pieces of {piece}");
        }
    }

    #[test]
    fn lines_of_unknown_text_are_counted_as_skipped() {
        let (_, digest) = read(b"?\n\nx", 2);
        assert_eq!((digest.format.as_str(), digest.lines, digest.skipped), ("", 3, 3));
        assert_eq!(digest.issues.count(Code::UnknownFormat), 1);
    }

    #[test]
    fn hosts_are_held_once() {
        let mut reader = FileReader::new("x", &Limits::default());
        let none = reader.held_bytes();
        let [one, again, other] = ["h1", "h1", "h100"].map(|name| {
            let claim = HostClaim { source: HostSource::Metrics, name: name.into(), ip: None };
            Out::new(&mut reader.digest, &mut reader.gathered).host(claim);
            reader.held_bytes()
        });
        assert!(one >= none + 2 && again == one && other == one + (one - none) + 2, "{none} {one} {again} {other}");
    }

    #[test]
    fn unknown_binary_has_no_lines() {
        let (_, digest) = read(b"?\n\0\n\n", 9);
        assert_eq!((digest.lines, digest.issues.count(Code::UnknownFormat)), (0, 1));
    }

    #[test]
    fn empty_file_is_said_to_be_empty() {
        let (key, digest) = read(b"", 9);
        assert_eq!((key.bytes, digest.issues.count(Code::EmptyFile)), (0, 1));
        assert_eq!(digest.issues.count(Code::UnknownFormat), 0);
    }

    #[test]
    fn packed_bytes_are_no_log() {
        let mut reader = FileReader::among(BOTH, "x.lz4", &Limits::default());
        reader.issue(Code::UnreadContainer);
        reader.feed(b"ok 1\nok 2\n");
        let (key, digest) = reader.finish();
        assert_eq!((key.bytes, digest.format.as_str(), digest.understood, digest.lines), (10, "", 0, 0));
    }

    #[test]
    fn log_in_an_unknown_layout_is_told_as_such() {
        let codes = |text: &str| {
            let mut reader = FileReader::new("x", &Limits::default());
            reader.feed(text.as_bytes());
            reader.finish().1.issues.iter().map(|(code, found)| (code, found.lines.clone())).collect::<Vec<_>>()
        };
        assert_eq!(codes("21 Nov 2026 02:13:53.542 | INFO | DataNode | Receiving x\n"), [(Code::UnreadLog, vec![0])]);
        assert_eq!(codes("some words\n"), [(Code::UnknownFormat, vec![0])]);
        // A name or a trace may tell whose log it is where no record can be read.
        let of_datanode = |text: &str| {
            let mut reader = FileReader::new("h1/hadoop-u-datanode-h1.log", &Limits::default());
            reader.feed(text.as_bytes());
            let digest = reader.finish().1;
            let codes = digest.issues.iter().map(|(code, found)| (code, found.count, found.lines.clone()));
            (digest.understood, codes.collect::<Vec<_>>())
        };
        let record = "2026-11-21 02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n";
        let undated = "02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n";
        let trace =
            "java.io.IOException: x\n\tat org.apache.hadoop.hdfs.server.datanode.DataNode.main(DataNode.java:1)\n";
        let unread = of_datanode(&[undated, trace].concat());
        assert_eq!(unread, (0, vec![(Code::MalformedLine, 3, vec![1, 2, 3]), (Code::UnreadLog, 1, vec![0])]));
        let half = of_datanode(&[record, trace, undated, undated].concat());
        assert_eq!(half, (3, vec![(Code::MalformedLine, 2, vec![4, 5]), (Code::OtherLayout, 1, vec![4])]));
        assert_eq!(
            of_datanode(&[&record.repeat(50), undated].concat()),
            (50, vec![(Code::MalformedLine, 1, vec![51])])
        );
        let both = "2026-11-21 02:15:47,791 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n\
            2026-11-21 02:15:47,791 INFO org.apache.hadoop.yarn.server.nodemanager.NodeStatusUpdaterImpl: x\n";
        assert_eq!(codes(both), [(Code::MixedLog, vec![2])]);
    }

    #[test]
    fn known_fault_stands_alone() {
        let mut reader = FileReader::among(BOTH, "x", &Limits::default());
        reader.issue(Code::Truncated);
        let (_, digest) = reader.finish();
        assert_eq!(digest.issues.iter().map(|(code, _)| code).collect::<Vec<_>>(), [Code::Truncated]);
    }
}
