//! Job history of Hadoop 0.21 to 3.x, as Avro JSON or Avro binary.
//!
//! ```text
//! Avro-Json                                                     or  Avro-Binary
//! {"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory",…
//! {"type":"MAP_ATTEMPT_STARTED","event":{"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted":{…}}}
//! ```
//! Written by `org.apache.hadoop.mapreduce.jobhistory.EventWriter`. Line 1 names the
//! encoding (an edited file may have blanks or a comment before it), line 2 is the schema;
//! then come the events: JSON values, with or without blank lines between them, each on
//! one line or on many; or Avro data of that schema back to back. Either way an event
//! becomes one JSON value and [`super::jhist_events`] reads it.
//!
//! Numbering: in JSON an event has the line on which it begins; in binary the events are
//! counted from 1. Cost: O(bytes); an unfinished event is held, at most [`EVENT_BYTES`].

use super::avro::{Data, Next};
use super::history::Joined;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, jhist_events};
use crate::base::Code;
use crate::model::Clock;
use memchr::memmem;

/// Longest event read, and longest schema: the schema of 3.x has 24 kB, the totals of a
/// job with many counters some 100 kB.
pub const EVENT_BYTES: usize = 16 << 20;

const JSON: &[u8] = b"Avro-Json";
const BINARY: &[u8] = b"Avro-Binary";
/// What an event's line begins with in JSON, blanks apart.
const EVENT_BEGIN: &[u8] = b"{\"type\":\"";

/// The format.
#[derive(Debug)]
pub struct Jhist;

static ABOUT: FormatAbout = FormatAbout {
    name: "jhist",
    title: "Job history (jhist)",
    versions: "0.21 to 3.x",
    written_by: "org.apache.hadoop.mapreduce.jobhistory.EventWriter",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[
        "Avro-Json\n{\"type\":\"record\",\"name\":\"Event\",\"fields\":[]}\n{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"org.apache.hadoop.mapreduce.jobhistory.TaskAttemptStarted\":{\"taskid\":\"task_1400204860297_0001_m_000000\",\"taskType\":\"MAP\",\"attemptId\":\"attempt_1400204860297_0001_m_000000_0\",\"startTime\":1400204985059,\"trackerName\":\"localhost\",\"httpPort\":8042,\"shufflePort\":16000,\"containerId\":\"container_1400204860297_0001_01_000002\"}}}\n",
    ],
};

impl Format for Jhist {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let lines = || head.bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
        if lines().any(|line| line == JSON || line == BINARY) {
            return Confidence::Sure;
        }
        // A file whose first lines were cut off.
        let event = lines().any(|line| line.starts_with(EVENT_BEGIN) && memmem::find(line, b"\"event\":{").is_some());
        if event { Confidence::Likely } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<History>::default()
    }
}

/// Where in the file the reader is.
#[derive(Debug, Default)]
enum Stage {
    /// Before the line that names the encoding.
    #[default]
    Encoding,
    /// Before the schema of binary data.
    Schema,
    /// Among JSON events.
    Json(Braces),
    /// Among Avro data.
    Binary(Box<Data>),
    /// Beyond repair; what follows is passed over.
    Lost,
}

#[derive(Debug, Default)]
struct History {
    stage: Stage,
    /// Bytes that are no whole line, value or datum yet.
    held: Vec<u8>,
    /// Lines ended so far.
    lines: u64,
    joined: Joined,
}

impl Parse for History {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            match &mut self.stage {
                Stage::Lost => return,
                Stage::Binary(data) => {
                    data.push(rest);
                    self.binary(false, out);
                    return;
                }
                Stage::Encoding | Stage::Schema | Stage::Json(_) => {
                    let Some(end) = memchr::memchr(b'\n', rest) else {
                        self.hold(rest, out);
                        return;
                    };
                    let (line, after) = rest.split_at(end);
                    rest = after.get(1..).unwrap_or_default();
                    self.line(line, out);
                }
            }
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        if !self.held.is_empty() {
            self.line(b"", out);
        }
        if let Stage::Json(braces) = &self.stage
            && braces.line != 0
        {
            out.skipped(Code::CutRecord, braces.line);
        }
        self.binary(true, out);
        self.joined.end(out);
    }
}

impl History {
    fn hold(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if self.held.len() + bytes.len() > EVENT_BYTES {
            out.issue(Code::LineTooLong, self.lines + 1);
            self.held = Vec::new();
            self.stage = Stage::Lost;
        } else {
            self.held.extend_from_slice(bytes);
        }
    }

    /// Takes the line that `end` completes.
    fn line(&mut self, end: &[u8], out: &mut Out<'_>) {
        self.lines += 1;
        let mut line = std::mem::take(&mut self.held);
        let text = if line.is_empty() {
            end
        } else {
            line.extend_from_slice(end);
            &line
        };
        let text = text.trim_ascii();
        match &mut self.stage {
            Stage::Encoding if text == BINARY => {
                out.understood();
                self.stage = Stage::Schema;
            }
            Stage::Encoding if text == JSON => {
                out.understood();
                self.stage = Stage::Json(Braces::default());
            }
            Stage::Encoding if text.starts_with(EVENT_BEGIN) => {
                self.stage = Stage::Json(Braces::default());
                self.json(text, out);
            }
            // Blanks, a comment.
            Stage::Encoding => out.understood(),
            Stage::Schema => {
                self.stage = match Data::new(text) {
                    Some(data) => {
                        out.understood();
                        Stage::Binary(Box::new(data))
                    }
                    None => {
                        out.skipped(Code::BadRecord, self.lines);
                        Stage::Lost
                    }
                };
            }
            Stage::Json(_) => self.json(text, out),
            Stage::Binary(_) | Stage::Lost => {}
        }
        line.clear();
        if self.held.is_empty() {
            self.held = line;
        }
    }

    /// Takes a line of JSON: the schema, an event, a part of one, or several.
    fn json(&mut self, text: &[u8], out: &mut Out<'_>) {
        let Stage::Json(braces) = &mut self.stage else { return };
        if braces.line != 0 && text.starts_with(EVENT_BEGIN) {
            out.skipped(Code::CutRecord, braces.line);
            *braces = Braces::default();
        }
        let mut rest = text;
        while !rest.is_empty() {
            if braces.line == 0 {
                let Some(begin) = memchr::memchr(b'{', rest) else {
                    out.skipped(Code::MalformedLine, self.lines);
                    return;
                };
                rest = rest.get(begin..).unwrap_or_default();
                braces.line = self.lines;
            }
            let Some(end) = braces.close(rest) else {
                if braces.text.len() + rest.len() > EVENT_BYTES {
                    out.skipped(Code::BadRecord, braces.line);
                    *braces = Braces::default();
                } else {
                    braces.text.extend_from_slice(rest);
                    braces.text.push(b'\n');
                }
                return;
            };
            let (last, after) = rest.split_at(end);
            rest = after.trim_ascii_start();
            let line = std::mem::take(&mut braces.line);
            let value = if braces.text.is_empty() {
                serde_json::from_slice(last)
            } else {
                braces.text.extend_from_slice(last);
                let value = serde_json::from_slice(&braces.text);
                braces.text.clear();
                value
            };
            match value {
                Ok(value) if jhist_events::read(&value, line, &mut self.joined, out) => out.understood(),
                _ => out.skipped(Code::BadRecord, line),
            }
        }
    }

    /// Reads the whole data that there are; at the end of the file, all.
    fn binary(&mut self, last: bool, out: &mut Out<'_>) {
        let Stage::Binary(data) = &mut self.stage else { return };
        let joined = &mut self.joined;
        let next = data.read(last, |value, number| {
            if jhist_events::read(&value, number, joined, out) {
                out.understood();
            } else {
                out.skipped(Code::BadRecord, number);
            }
        });
        match next {
            Next::More => {}
            Next::Cut(number) => out.skipped(Code::CutRecord, number),
            Next::Bad(number) => {
                out.skipped(Code::BadRecord, number);
                self.stage = Stage::Lost;
            }
        }
    }
}

/// Finds the end of a JSON object that comes line by line.
#[derive(Debug, Default)]
struct Braces {
    /// Line on which the object began; 0 outside of objects.
    line: u64,
    text: Vec<u8>,
    depth: u32,
    in_string: bool,
    escaped: bool,
}

impl Braces {
    /// The length of `text` up to and with the brace that closes the object.
    fn close(&mut self, text: &[u8]) -> Option<usize> {
        for (at, b) in text.iter().enumerate() {
            match b {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.depth += 1,
                b'}' if !self.in_string => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
