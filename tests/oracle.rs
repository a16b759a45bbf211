//! Regular expressions as the oracle of the hand-written log4j splitter: on every line of
//! every sample both say the same.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, missing_docs)]

use oddnode::base::Timestamp;
use oddnode::format::log4j::{Level, Record, Split, Splitter};
use regex::bytes::Regex;
use std::path::Path;

/// The times of the layouts: Hadoop's own, a client's console, and 0.14's.
const TIMES: [&str; 3] = [
    r"(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)[,.](\d{3})",
    r"(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)()",
    r"(\d\d)(\d\d)(\d\d) (\d\d)(\d\d)(\d\d)() \d+",
];
/// What follows them in each.
const REST: &str =
    r" +(INFO|WARN|ERROR|DEBUG|FATAL|TRACE) +(?:\[(.*?)\] +)?([^\s\[\](,:]+(?::[^\s\[\](,:]+)*):(?: (.*)|)$";

/// The oracle's reading.
fn oracle<'a>(heads: &[Regex], line: &'a [u8]) -> Option<Record<'a>> {
    let found = heads.iter().find_map(|head| head.captures(line))?;
    let text = |i: usize| found.get(i).map_or(&b""[..], |m| m.as_bytes());
    let n = |i: usize| std::str::from_utf8(text(i)).unwrap().parse::<u32>().unwrap_or(0);
    // Two digits are of this century.
    let year = if text(1).len() == 2 { 2000 } else { 0 } + i64::from(n(1));
    let at = Timestamp::from_civil(year, n(2), n(3), n(4), n(5), n(6), n(7))?;
    let level = match text(8) {
        b"INFO" => Level::Info,
        b"WARN" => Level::Warn,
        b"ERROR" => Level::Error,
        b"DEBUG" => Level::Debug,
        b"FATAL" => Level::Fatal,
        _ => Level::Trace,
    };
    Some(Record { at, level, thread: text(9), logger: text(10), message: text(11) })
}

fn files(folder: &Path, out: &mut Vec<Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "log") {
            out.push(std::fs::read(path).unwrap());
        }
    }
}

#[test]
fn splitter_and_regular_expression_agree_on_every_sample_line() {
    let heads = TIMES.map(|time| Regex::new(&format!("(?-u)^{time}{REST}")).unwrap());
    let mut logs = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs"), &mut logs);
    let mut records = 0;
    for log in &logs {
        let mut splitter = Splitter::default();
        for line in log.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l)) {
            let split = splitter.split(line);
            if let Some(expected) = oracle(&heads, line) {
                assert_eq!(split, Split::Record(expected), "{}", String::from_utf8_lossy(line));
                records += 1;
            } else {
                assert!(!matches!(split, Split::Record(_)), "no head: {}", String::from_utf8_lossy(line));
            }
        }
    }
    assert!(records > 1000, "only {records} lines had a head");
}
