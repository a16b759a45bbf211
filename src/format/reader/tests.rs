use super::*;
use crate::format::FormatAbout;
use crate::model::{Clock, Event, HostClaim, HostSource, Unknown};

use crate::source::Line;

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
        reader.reading.out().host(claim);
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
    let trace = "java.io.IOException: x\n\tat org.apache.hadoop.hdfs.server.datanode.DataNode.main(DataNode.java:1)\n";
    let unread = of_datanode(&[undated, trace].concat());
    assert_eq!(unread, (0, vec![(Code::MalformedLine, 3, vec![1, 2, 3]), (Code::UnreadLog, 1, vec![0])]));
    let half = of_datanode(&[record, trace, undated, undated].concat());
    assert_eq!(half, (3, vec![(Code::MalformedLine, 2, vec![4, 5]), (Code::OtherLayout, 1, vec![4])]));
    assert_eq!(of_datanode(&[&record.repeat(50), undated].concat()), (50, vec![(Code::MalformedLine, 1, vec![51])]));
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
