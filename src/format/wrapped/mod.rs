//! Logs as collectors wrap them: something before each line, or each line inside of a JSON object.
//!
//! ```text
//! Nov 21 02:15:47 h301 datanode[4242]: 2026-11-21 02:15:47,791 INFO …        syslog, journalctl
//! <14>1 2026-11-21T02:15:47.791Z h301 datanode 4242 - - 2026-11-21 …         RFC 5424
//! 2026-11-21T02:15:47.791000123Z stdout F 2026-11-21 02:15:47,791 INFO …     CRI; kubectl logs --timestamps
//! [pod/h301/datanode] 2026-11-21 …    h301: 2026-11-21 …    x.log:12:2026-11-21 …    kubectl, pdsh, grep
//! {"log":"2026-11-21 02:15:47,791 INFO …\n","stream":"stdout","time":"…"}    Docker; Filebeat, Fluentd, journalctl -o json
//! {"name":"x.DataNode","date":"2026-11-21 02:15:47,791","level":"INFO","thread":"main","message":"…"}
//! ```
//! The last is Hadoop's own `org.apache.hadoop.log.Log4Json`. What stands before a line that begins a record is what
//! stands before all lines, but for times and numbers in it, so that the lines of a trace lose it too. Whatever reads
//! the file gets the lines without it; numbers of lines stay those of the file.
//!
//! Assumes that a file has the lines of one process. Those of others, told by what is before them or by the object's
//! host, are counted and not read. The host that is named is taken for the file's.
//!
//! Cost: nothing for a file whose format is known by its own lines; else O(head), and O(what is before) a line, or the
//! reading of an object.

use super::log4j::{Split, Splitter, begins};
use super::{Line, Out, Parse, hosts, json};
use crate::base::{Code, MONTHS};
use serde_json::Value;

/// Longest text before a line; a path and what a pod is called are shorter.
const BEFORE_BYTES: usize = 512;
/// Fields of an object that may hold the line.
const TEXTS: [&str; 5] = ["log", "message", "MESSAGE", "msg", "_raw"];

/// How the lines of a file are wrapped.
#[derive(Debug, Default)]
pub struct Wrapping {
    /// Each line is an object.
    is_json: bool,
    /// What stands before a record, or tells whose objects these are.
    before: Vec<u8>,
    host: Vec<u8>,
    splitter: Splitter,
    /// The lines in an object.
    text: Vec<u8>,
    /// The last record was another's, and so is what follows.
    of_another: bool,
}

/// What a line holds.
enum Own<'a> {
    /// Such lines.
    Lines(&'a [u8]),
    /// A line of another process.
    OfAnother,
    /// Nothing that can be told.
    Nothing,
}

impl Wrapping {
    /// How the lines of a file that begins so are wrapped, if they are, and these lines.
    pub fn of(head: &[u8]) -> Option<(Self, Vec<u8>)> {
        let (whole, _) = head.split_at(memchr::memrchr(b'\n', head)?);
        let lines = || whole.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
        let mut wrapping = lines().find_map(Self::of_line)?;
        let (mut own, mut fit, mut all) = (Vec::new(), 0, 0);
        for line in lines() {
            all += 1;
            let begins = wrapping.is_json || behind(&wrapping.before, line).is_some();
            match wrapping.take(line) {
                Own::Lines(text) => {
                    fit += usize::from(begins);
                    own.extend_from_slice(text);
                    own.push(b'\n');
                }
                Own::OfAnother => fit += 1,
                Own::Nothing => {}
            }
        }
        (2 * fit > all).then_some((Self { of_another: false, ..wrapping }, own))
    }

    /// That of a line that holds the beginning of a record.
    fn of_line(line: &[u8]) -> Option<Self> {
        let mut wrapping = Self::default();
        if let Some(object) = object(line) {
            wrapping.is_json = true;
            (wrapping.before, wrapping.host) = speaker(&object);
            text_of(&object, &mut wrapping.text)?;
            let first = wrapping.text.split(|b| *b == b'\n').next()?;
            let is_record = matches!(Splitter::default().split(first), Split::Record(_));
            return is_record.then_some(wrapping);
        }
        let at = wrapping.record_in(line).filter(|at| *at > 0 && line.first() != Some(&b'{'))?;
        wrapping.before.extend_from_slice(line.get(..at)?);
        wrapping.host.extend_from_slice(host_before(&wrapping.before));
        Some(wrapping)
    }

    /// Where a record begins in a line.
    fn record_in(&mut self, line: &[u8]) -> Option<usize> {
        let digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
        (0..line.len().min(BEFORE_BYTES)).filter(|at| digit(*at) && (*at == 0 || !digit(at - 1))).find(|at| {
            let rest = line.get(*at..).unwrap_or_default();
            begins(rest) && matches!(self.splitter.split(rest), Split::Record(_))
        })
    }

    /// What a line holds.
    fn take<'a>(&'a mut self, line: &'a [u8]) -> Own<'a> {
        if self.is_json {
            let Some(object) = object(line) else { return Own::Nothing };
            if speaker(&object).0 != self.before {
                return Own::OfAnother;
            }
            self.text.clear();
            return match text_of(&object, &mut self.text) {
                Some(()) => Own::Lines(self.text.strip_suffix(b"\n").unwrap_or(&self.text)),
                None => Own::Nothing,
            };
        }
        if let Some(text) = behind(&self.before, line) {
            self.of_another = false;
            return Own::Lines(if self.before.ends_with(b"\"") { quoted(text) } else { text });
        }
        self.of_another |= self.record_in(line).is_some();
        if self.of_another { Own::OfAnother } else { Own::Lines(line) }
    }
}

/// The object that a line ends with, behind a time and a tag perhaps.
fn object(line: &[u8]) -> Option<Value> {
    let line = line.trim_ascii_end().strip_suffix(b",").unwrap_or(line);
    let from = memchr::memchr(b'{', line.get(..BEFORE_BYTES).unwrap_or(line))?;
    json::read(line.get(from..).filter(|text| text.ends_with(b"}"))?).ok()
}

/// The lines that an object holds.
fn text_of(object: &Value, text: &mut Vec<u8>) -> Option<()> {
    let field = |name: &str| object.get(name).and_then(Value::as_str);
    let message = TEXTS.into_iter().find_map(field)?;
    if let (Some(date), Some(level), Some(logger)) = (field("date"), field("level"), field("name")) {
        for part in [date, " ", level, " [", field("thread").unwrap_or_default(), "] ", logger, ": "] {
            text.extend_from_slice(part.as_bytes());
        }
    }
    text.extend_from_slice(message.as_bytes());
    let stack = object.get("stack").and_then(Value::as_array);
    for frame in stack.into_iter().flatten().filter_map(Value::as_str) {
        text.push(b'\n');
        text.extend_from_slice(frame.as_bytes());
    }
    Some(())
}

/// Whose an object is, and the host that it names.
fn speaker(object: &Value) -> (Vec<u8>, Vec<u8>) {
    let host = ["/hostname", "/_HOSTNAME", "/host/name", "/host"].iter().find_map(|at| object.pointer(at)?.as_str());
    let more = ["/SYSLOG_IDENTIFIER", "/log/file/path", "/kubernetes/pod_name", "/kubernetes/pod/name"];
    let more = more.iter().filter_map(|at| object.pointer(at)?.as_str());
    let all: Vec<&str> = host.into_iter().chain(more).collect();
    (all.join(" ").into_bytes(), host.unwrap_or_default().as_bytes().to_vec())
}

/// The host that is named before a line: alone, in front of the pod's container, or between a time and a tag.
fn host_before(before: &[u8]) -> &[u8] {
    let mut words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    if let Some(pod) = first.strip_prefix(b"[pod/") {
        return pod.split(|b| *b == b'/').next().unwrap_or_default();
    }
    let has_time = |word: &&[u8]| word.windows(8).any(|part| super::log4j::fits(part, b"00:00:00"));
    if words.clone().next().is_none() {
        return first.strip_suffix(b":").unwrap_or_default();
    }
    let mut words = std::iter::once(first).chain(words).skip_while(|word| !has_time(word)).skip(1);
    let host = words.next().filter(|word| !matches!(*word, b"stdout" | b"stderr"));
    host.filter(|_| words.next().is_some()).unwrap_or_default()
}

/// What stands in a line behind this, of which times and numbers may be others.
fn behind<'a>(before: &[u8], line: &'a [u8]) -> Option<&'a [u8]> {
    let (mut rest, mut text) = (before, line);
    // The word so far, and whether its numbers are a time's.
    let (mut last, mut counts) = (b' ', false);
    while let Some(first) = rest.first() {
        let blank = first.is_ascii_whitespace();
        if last.is_ascii_whitespace() && !blank {
            let word = rest.get(..rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()))?;
            counts = *first == b'<' || first.is_ascii_digit() && !is_address(word);
            let is_month = |text: &[u8]| MONTHS.iter().any(|month| text.starts_with(month.as_bytes()));
            if is_month(word) && is_month(text) {
                (rest, text, last) = (rest.get(3..)?, text.get(3..)?, b'n');
                continue;
            }
            // A part of a line is written by whoever writes whole ones.
            if matches!(word, b"F" | b"P") && matches!(text, [b'F' | b'P', b' ', ..]) {
                (rest, text, last) = (rest.get(1..)?, text.get(1..)?, b'F');
                continue;
            }
        }
        if blank {
            let len = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_whitespace()).count();
            let (here, there) = (len(rest), len(text));
            // Blanks before the line are its own; an empty one may have lost those that are not.
            let ends = here == rest.len();
            if there == 0 && !(ends && text.is_empty()) {
                return None;
            }
            rest = rest.get(here..)?;
            text = text.get(if ends { here.min(there) } else { there }..)?;
        } else if first.is_ascii_digit() && (counts || matches!(last, b'[' | b':' | b'"' | b'=')) {
            let (here, there) = (number(rest), number(text));
            if there == 0 {
                return None;
            }
            (rest, text) = (rest.get(here..)?, text.get(there..)?);
        } else {
            text = text.strip_prefix(&[*first])?;
            rest = rest.get(1..)?;
        }
        last = *first;
    }
    Some(text)
}

/// Length of the number that a text begins with, a fraction included: a time that is whole has none.
fn number(text: &[u8]) -> usize {
    let digits = |from: usize| text.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let part = if matches!(text.get(whole), Some(b'.' | b',')) { digits(whole + 1) } else { 0 };
    if whole > 0 && part > 0 { whole + 1 + part } else { whole }
}

/// Whether a word is an address, which is one host's.
fn is_address(word: &[u8]) -> bool {
    word.iter().filter(|b| **b == b'.').count() == 3
}

/// A text up to the quotation mark that closes it; those inside are doubled.
fn quoted(text: &[u8]) -> &[u8] {
    let mut marks = memchr::memchr_iter(b'"', text);
    while let Some(at) = marks.next() {
        if text.get(at + 1) != Some(&b'"') {
            return text.get(..at).unwrap_or_default();
        }
        marks.next();
    }
    text
}

/// Reads the lines in a file of wrapped ones.
pub struct Wrapped {
    /// How they are.
    pub wrapping: Wrapping,
    /// What reads them.
    pub inner: Box<dyn Parse>,
}

impl Parse for Wrapped {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        match self.wrapping.take(line.bytes) {
            Own::Lines(text) => out.as_one_line(|out| {
                for bytes in text.split(|b| *b == b'\n') {
                    self.inner.line(Line { bytes, ..line }, out);
                }
            }),
            Own::OfAnother => out.skipped(Code::MixedLog, line.number),
            Own::Nothing => out.skipped(Code::MalformedLine, line.number),
        }
    }

    fn end(self: Box<Self>, out: &mut Out<'_>) {
        hosts::named(&self.wrapping.host, out);
        self.inner.end(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FileReader;
    use crate::model::FileDigest;
    use crate::source::Limits;

    /// Two records of a run's DataNode, and a trace.
    const LOG: [&str; 4] = [
        "2026-11-21 02:15:48,209 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving BP-1788024524-10.77.3.10-1795226328902:blk_1073741995_1171 src: /10.77.3.15:50300 dest: /10.77.3.11:9866",
        "java.io.IOException: Premature EOF",
        "\tat org.apache.hadoop.hdfs.server.datanode.BlockReceiver.receivePacket(BlockReceiver.java:529)",
        "2026-11-21 02:15:49,511 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving BP-1788024524-10.77.3.10-1795226328902:blk_1073741996_1172 src: /10.77.3.15:50302 dest: /10.77.3.11:9866",
    ];

    fn read(text: &str) -> FileDigest {
        let mut reader = FileReader::new("a/x.txt", &Limits::default());
        reader.feed(text.as_bytes());
        reader.finish().1
    }

    /// What is read of these lines, each wrapped: format, lines that fit, rows by line, hosts.
    fn told(wrap: impl Fn(usize, &str) -> String) -> (String, u64, Vec<u64>, Vec<String>) {
        let text: String = LOG.iter().enumerate().map(|(at, line)| wrap(at, line) + "\n").collect();
        let digest = read(&text);
        let rows = digest.events.iter().map(|row| row.line).collect();
        let hosts = digest.hosts.iter().map(|claim| claim.name.to_string()).collect();
        (digest.format.clone(), digest.understood, rows, hosts)
    }

    #[test]
    fn lines_with_something_before_them_are_read() {
        let plain = told(|_, line| line.to_owned());
        assert_eq!(plain, ("datanode".to_owned(), 4, vec![1, 4], vec![]));
        let with = |host: &str| (plain.0.clone(), 4, vec![1, 4], vec![host.to_owned()]);
        for (before, after) in [
            ("Nov 21 02:15:48 h301 datanode[4242]: ", "Dec  1 00:00:01 h301 datanode[17]: "),
            ("Nov 21 02:15:48 h301 datanode: ", "Nov 21 02:15:49 h301 datanode: "),
            ("2026-11-21T02:15:48.209000+00:00 h301 dn[1]: ", "2026-11-21T02:15:49+00:00 h301 dn[1]: "),
            ("<14>1 2026-11-21T02:15:48.209Z h301 dn 4242 - - ", "<11>1 2026-11-21T02:15:49.5Z h301 dn 4243 - - "),
            ("[pod/h301/datanode] ", "[pod/h301/datanode] "),
            ("h301: ", "h301: "),
        ] {
            let wrap = |at: usize, line: &str| format!("{}{line}", if at < 2 { before } else { after });
            assert_eq!(told(wrap), with("h301"), "{before}");
        }
        for (before, after) in [
            ("datanode-1  | ", "datanode-1  | "),
            ("2026-11-21T02:15:48.209000123Z ", "2026-11-21T02:15:49.5Z "),
            ("2026-11-21T02:15:48.209000123Z stdout F ", "2026-11-21T02:15:49.511000123Z stdout P "),
            ("/var/log/h301/x.log:", "/var/log/h301/x.log:"),
            ("/var/log/h301/x.log:9:", "/var/log/h301/x.log:10:"),
            ("10.77.3.11: ", "10.77.3.11: "),
        ] {
            let wrap = |at: usize, line: &str| format!("{}{line}", if at < 2 { before } else { after });
            assert_eq!(told(wrap), plain, "{before}");
        }
        assert_eq!(told(|_, line| format!("\"{line}\",\"2026-11-21T02:15:48.000+0000\",h301,main")), plain, "CSV");
    }

    #[test]
    fn lines_in_objects_are_read() {
        let quote = |line: &str| serde_json::to_string(line).unwrap();
        let plain = told(|_, line| line.to_owned());
        let docker = |_: usize, line: &str| {
            format!("{{\"log\":{},\"stream\":\"stdout\",\"time\":\"x\"}}", quote(&format!("{line}\n")))
        };
        assert_eq!(told(docker), plain);
        let with = |host: &str| (plain.0.clone(), 4, vec![1, 4], vec![host.to_owned()]);
        for (begin, end) in [
            ("{\"_HOSTNAME\":\"h301\",\"SYSLOG_IDENTIFIER\":\"datanode\",\"MESSAGE\":", "}"),
            ("{\"host\":{\"name\":\"h301\"},\"log\":{\"file\":{\"path\":\"/x.log\"}},\"message\":", ",\"agent\":{}}"),
            ("2026-11-21T02:15:47+00:00\thadoop.dn\t{\"message\":", ",\"hostname\":\"h301\"}"),
        ] {
            assert_eq!(told(|_, line| format!("{begin}{}{end}", quote(line))), with("h301"), "{begin}");
        }
        // Many lines in one object, and the rest of the file's.
        let whole = format!("{{\"message\":{}}}\n{{\"message\":{}}}\n", quote(&LOG[..3].join("\n")), quote(LOG[3]));
        let digest = read(&whole);
        assert_eq!((digest.understood, digest.lines), (2, 2));
        assert_eq!(digest.events.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn own_json_of_hadoop_is_read() {
        let object = |line: &str| {
            let (head, message) = line.split_once(": ").unwrap();
            let mut words = head.split(' ');
            let mut word = || words.next().unwrap();
            let date = format!("{} {}", word(), word());
            format!(
                "{{\"name\":\"{}\",\"time\":1795227348209,\"date\":\"{date}\",\"level\":\"INFO\",\"thread\":\"main\",\"message\":\"{message}\",\"exceptionclass\":\"java.io.IOException\",\"stack\":[\"a\",\"b\"]}}\n",
                words_last(head)
            )
        };
        fn words_last(head: &str) -> &str {
            head.rsplit(' ').next().unwrap()
        }
        let digest = read(&[LOG[0], LOG[3]].map(object).concat());
        assert_eq!((digest.format.as_str(), digest.understood, digest.lines), ("datanode", 2, 2));
        assert_eq!(digest.events.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn lines_of_others_are_counted_and_not_read() {
        let other = |host: [&'static str; 4]| told(move |at, line| format!("{}: {line}", host[at]));
        let (_, understood, rows, hosts) = other(["h301", "h301", "h302", "h302"]);
        // What has no time goes with the record before it.
        assert_eq!((understood, rows, hosts), (3, vec![1], vec!["h301".to_owned()]));
        let text: String = ["h301", "h302", "h301"].map(|host| format!("{host}: {}\n", LOG[0])).concat();
        let digest = read(&text);
        assert_eq!((digest.understood, digest.issues.count(Code::MixedLog)), (2, 1));
        let address = ["10.77.3.11", "10.77.3.12"].map(|host| format!("{host}: {}\n", LOG[0])).concat();
        assert_eq!(read(&address).issues.count(Code::MixedLog), 1);
    }

    #[test]
    fn text_that_is_no_wrapped_log_stays_unread() {
        for text in
            ["", "x", "x\n", "{\"log\":\"x\"}\n", "a b c\nd e f\n", "{\n", "h301: 2026-11-21 02:15:48,209 INFO\n"]
        {
            assert!(Wrapping::of(text.as_bytes()).is_none(), "{text}");
        }
        let mostly_other = "some words\n".repeat(5) + "h301: " + LOG[0] + "\n";
        assert!(Wrapping::of(mostly_other.as_bytes()).is_none());
    }

    proptest::proptest! {
        #[test]
        fn any_lines_are_taken(lines in proptest::collection::vec("[ a:{}\"0-9\\[,]{0,12}", 0..9), before in "[ a:<0-9.\"\\[]{1,9}") {
            let text: String = lines.iter().map(|line| format!("{before}{line}\n")).collect();
            read(&format!("{before}{}\n{text}", LOG[0]));
        }
    }
}
