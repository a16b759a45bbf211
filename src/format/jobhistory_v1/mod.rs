//! JobHistory as text, version 1 (0.19 to 1.x) and 0 (0.18).
//!
//! ```text
//! Meta VERSION="1" .
//! Job JOBID="job_202611202124_0001" JOBNAME="sorter" USER="hadoop" SUBMIT_TIME="1795227874927" JOBCONF="…" .
//! MapAttempt TASK_TYPE="MAP" TASKID="task_…" TASK_ATTEMPT_ID="attempt_…" START_TIME="1795227884210" TRACKER_NAME="tracker_h101:localhost/127\.0\.0\.1:43729" HTTP_PORT="50060" .
//! MapAttempt TASK_TYPE="MAP" … TASK_STATUS="FAILED" FINISH_TIME="1795229297769" HOSTNAME="h105" ERROR="java\.io\.IOException: No space left on device
//!     at java\.base/java\.io\.FileOutputStream\.writeBytes(Native Method)
//! " .
//! ```
//! Written by `org.apache.hadoop.mapred.JobHistory`. A record is `KIND KEY="value" … .`
//! (version 0 has no full stop). Inside values `"`, `=`, `.` and `\` are escaped by a
//! backslash; a value may hold line breaks, so a record ends where no quote is open.
//! Some archives join files by `!!FILE=name!!` lines, with configurations between them.
//!
//! A file may be cut inside a value: what came before the cut counts, and a line that
//! begins a record (an unescaped `="` behind its kind) ends the cut one.
//! Cost: O(bytes); attempts and jobs are held until the end (`history::Joined`).

mod fields;

use super::counters::{compact, physical_memory};
use super::history::{self, AttemptPart, JobPart, Joined};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::{AttemptId, Code, JobId};
use crate::model::{Clock, formats};
use fields::{Fields, closes_value, plain, unescape};

/// A record grows no longer than this: 30 times the longest known. What follows is cut.
const RECORD_BYTES: usize = 1 << 20;

/// What begins a record: its kind and the start of a key that is always first; of attempts' the first differs by version.
const KINDS: &[(&[u8], Kind)] = &[
    (b"MapAttempt TASK", Kind::Attempt),
    (b"ReduceAttempt TASK", Kind::Attempt),
    (b"Task TASKID=\"", Kind::Task),
    (b"Job JOBID=\"", Kind::Job),
    (b"Meta VERSION=\"", Kind::Meta),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Attempt,
    Task,
    Job,
    Meta,
}

/// The kind of the record that `line` begins. In a line within a value the quote behind the first key is escaped.
fn kind_of(line: &[u8]) -> Option<Kind> {
    let (begin, kind) = KINDS.iter().find(|(begin, _)| line.starts_with(begin))?;
    let rest = line.get(begin.len()..).unwrap_or_default();
    let key = rest.iter().take_while(|b| b.is_ascii_uppercase() || **b == b'_').count();
    let is_one = begin.ends_with(b"\"") || rest.get(key..).is_some_and(|rest| rest.starts_with(b"=\""));
    is_one.then_some(*kind)
}

/// The format.
#[derive(Debug)]
pub struct JobHistoryV1;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::JOBHISTORY_V1,
    title: "JobHistory (text)",
    versions: "0.18 to 1.x",
    written_by: "org.apache.hadoop.mapred.JobHistory",
    feed: Feed::Lines,
    clock: Clock::Epoch,
    samples: &[
        r#"Meta VERSION="1" ."#,
        r#"Job JOBID="job_202611202124_0001" JOBNAME="sorter" USER="hadoop" SUBMIT_TIME="1795227874927" JOBCONF="hdfs://h100:9000/hadoop/mapred/system/job_202611202124_0001/job\.xml" ."#,
        r#"MapAttempt TASK_TYPE="SETUP" TASKID="task_202611202124_0001_m_000037" TASK_ATTEMPT_ID="attempt_202611202124_0001_m_000037_0" START_TIME="1795227879113" TRACKER_NAME="tracker_h101:localhost/127\.0\.0\.1:43729" HTTP_PORT="50060" ."#,
    ],
};

impl Format for JobHistoryV1 {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines().map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return Confidence::No };
        if kind_of(first).is_some() {
            return Confidence::Sure;
        }
        let later = lines.any(|line| kind_of(line).is_some());
        match (first.starts_with(b"!!FILE="), later) {
            (true, true) => Confidence::Sure,
            // The rest of a record whose beginning was cut off.
            (false, true) => Confidence::Likely,
            (true, false) => Confidence::Maybe,
            (false, false) => Confidence::No,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<History>::default()
    }
}

#[derive(Debug, Default)]
struct History {
    joined: Joined,
    /// The lines of a record whose value is still open.
    open: Vec<u8>,
    /// Lines behind `!!FILE=name!!` and before the next record: another file's, a configuration's mostly.
    beside: bool,
    /// Line of the open record's beginning, 0 if none is open.
    open_line: u64,
    /// The open record is longer than is held.
    open_is_cut: bool,
    /// Whether values have escapes (v1) or none (v0), once a record tells.
    escapes: Option<bool>,
    /// Room for unescaped values.
    scratch: Vec<u8>,
}

impl Parse for History {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        // Joined archives set a form feed before `!!FILE=`.
        let text = if self.open_line == 0 { line.bytes.trim_ascii_start() } else { line.bytes };
        let begins = kind_of(text).is_some();
        if self.open_line != 0 && (begins || text.starts_with(b"!!FILE=")) {
            self.close(Some(Code::CutRecord), out);
        }
        if self.open_line != 0 {
            if self.open_is_cut {
                // Behind a gap, what stands inside of a value is not known.
            } else if self.open.len() + text.len() < RECORD_BYTES {
                self.open.push(b'\n');
                self.open.extend_from_slice(text);
            } else {
                self.open_is_cut = true;
                out.issue(Code::LineTooLong, self.open_line);
            }
            out.understood();
            if closes_value(text, true, self.has_escapes()) {
                self.close(None, out);
            }
        } else if begins {
            self.beside = false;
            self.escapes = escapes_of(text).or(self.escapes).or_else(|| is_plain(text).then_some(false));
            if closes_value(text, false, self.has_escapes()) {
                if self.record(text, line.number, out) {
                    out.understood();
                } else {
                    out.skipped(Code::BadRecord, line.number);
                }
            } else {
                out.understood();
                self.open.extend_from_slice(text);
                self.open_line = line.number;
                // The reader has told of that.
                self.open_is_cut = line.cut;
            }
        } else if text.starts_with(b"!!FILE=") {
            self.beside = true;
            self.escapes = None;
            out.understood();
        } else if text.trim_ascii().is_empty() {
            out.understood();
        } else if self.beside {
            out.unused();
        } else {
            out.skipped(Code::MalformedLine, line.number);
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        if self.open_line != 0 {
            self.close(Some(Code::CutRecord), out);
        }
        self.joined.end(out);
    }
}

/// Whether the values of a record have escapes, as one of v1 tells: it ends with a full stop, and
/// the first says the version.
fn escapes_of(line: &[u8]) -> Option<bool> {
    let ends = line.trim_ascii_end().ends_with(b"\" .");
    (ends || kind_of(line) == Some(Kind::Meta)).then_some(true)
}

/// Whether a line is a whole record of v0: no full stop, and its last value is closed if a
/// backslash is one of its letters.
fn is_plain(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"\"") && closes_value(line, false, false)
}

impl History {
    /// Of a record that does not tell, the later version's are taken.
    fn has_escapes(&self) -> bool {
        self.escapes != Some(false)
    }

    fn fields<'t>(&self, text: &'t [u8]) -> Fields<'t> {
        Fields::of(text, self.has_escapes())
    }

    /// Ends the open record, noting `code` if it is not whole.
    fn close(&mut self, code: Option<Code>, out: &mut Out<'_>) {
        let text = std::mem::take(&mut self.open);
        let line = std::mem::take(&mut self.open_line);
        if let Some(code) = code {
            out.issue(code, line);
        }
        let read = self.record(&text, line, out);
        if !read && code.is_none() {
            out.issue(Code::BadRecord, line);
        }
        // The buffer is kept: the next open record needs it again.
        self.open = text;
        self.open.clear();
    }

    /// Reads a record; false if it does not say what it is about. A record cut between
    /// two values is told by what stands behind the last of them.
    fn record(&mut self, text: &[u8], line: u64, out: &mut Out<'_>) -> bool {
        let tail = text.get(memchr::memrchr(b'"', text).map_or(0, |quote| quote + 1)..).unwrap_or_default();
        if closes_value(text, false, self.has_escapes()) && !matches!(tail.trim_ascii(), b"" | b".") {
            out.issue(Code::CutRecord, line);
        }
        match kind_of(text) {
            Some(Kind::Attempt) => self.attempt(text, line, out),
            Some(Kind::Job) => self.job(text, line, out),
            Some(Kind::Task) => {
                self.task(text, line, out);
                self.splits(text);
                true
            }
            Some(Kind::Meta) => true,
            None => false,
        }
    }

    /// `SPLITS="/rack/host,/rack/host"`: where the blocks of a map lie.
    fn splits(&mut self, text: &[u8]) {
        let escapes = self.has_escapes();
        for (key, value, whole) in self.fields(text) {
            if key == b"SPLITS" && whole {
                plain(value, escapes, &mut self.scratch).split(',').for_each(|host| self.joined.rack(host));
            }
        }
    }

    fn attempt(&mut self, text: &[u8], line: u64, out: &mut Out<'_>) -> bool {
        let mut attempt = None;
        let mut part = AttemptPart::default();
        let escapes = self.has_escapes();
        for (key, value, whole) in self.fields(text) {
            // A cut number or name would be a wrong one.
            if !whole && key != b"ERROR" {
                continue;
            }
            match key {
                b"TASK_ATTEMPT_ID" => attempt = AttemptId::parse(value),
                b"TASK_TYPE" => part.task_type = std::str::from_utf8(value).ok().and_then(history::task_type),
                b"START_TIME" => (part.begins, part.start) = (true, history::time_in(value)),
                b"SHUFFLE_FINISHED" => part.shuffle_end = history::time_in(value),
                b"SORT_FINISHED" => part.sort_end = history::time_in(value),
                b"FINISH_TIME" => part.finish = history::time_in(value),
                b"TASK_STATUS" => part.outcome = std::str::from_utf8(value).ok().and_then(history::outcome),
                b"HOSTNAME" => {
                    let host = plain(value, escapes, &mut self.scratch);
                    self.joined.rack(&host);
                    part.host = history::host_of(&host);
                }
                b"TRACKER_NAME" => part.tracker = history::host_of(&plain(value, escapes, &mut self.scratch)),
                b"ERROR" => part.fail(&plain(value, escapes, &mut self.scratch)),
                b"COUNTERS" => {
                    unescape(value, escapes, &mut self.scratch);
                    part.counters = Some(compact(&self.scratch));
                    part.memory = physical_memory(&self.scratch);
                }
                _ => {}
            }
        }
        let Some(attempt) = attempt else { return false };
        self.joined.attempt(attempt, part, line, out);
        true
    }

    fn task(&mut self, text: &[u8], line: u64, out: &mut Out<'_>) {
        let (mut task, mut start, mut finish) = (None, None, None);
        for (key, value, _) in self.fields(text).filter(|(.., whole)| *whole) {
            match key {
                b"TASKID" => task = AttemptId::parse_task(value),
                b"START_TIME" => start = history::time_in(value),
                b"FINISH_TIME" => finish = history::time_in(value),
                _ => {}
            }
        }
        if let Some(task) = task {
            self.joined.task(task, (start, finish), line, out);
        }
    }

    fn job(&mut self, text: &[u8], line: u64, out: &mut Out<'_>) -> bool {
        let mut job = None;
        let mut part = JobPart::default();
        let escapes = self.has_escapes();
        for (key, value, whole) in self.fields(text) {
            if !whole {
                continue;
            }
            match key {
                b"JOBID" => job = JobId::parse(value),
                b"JOBNAME" => part.name = history::name(&plain(value, escapes, &mut self.scratch)),
                b"USER" => part.user = history::name(&plain(value, escapes, &mut self.scratch)),
                b"SUBMIT_TIME" => part.submit = history::time_in(value),
                b"LAUNCH_TIME" => part.launch = history::time_in(value),
                b"FINISH_TIME" => part.finish = history::time_in(value),
                b"JOB_STATUS" => part.status = std::str::from_utf8(value).ok().and_then(history::job_status),
                b"TOTAL_MAPS" => part.maps = history::count_in(value),
                b"TOTAL_REDUCES" => part.reduces = history::count_in(value),
                b"JOB_QUEUE" => part.queue = history::name(&plain(value, escapes, &mut self.scratch)),
                _ => {}
            }
        }
        let Some(job) = job else { return false };
        self.joined.job(job, part, line, out);
        true
    }
}

#[cfg(test)]
mod tests;
