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
//! one line or on many; or Avro data of that schema back to back. Either way the event's
//! [`Fields`] are taken out and [`super::jhist_events`] reads them.
//!
//! Numbering: in JSON an event has the line on which it begins; in binary the events are
//! counted from 1. Cost: O(bytes); an unfinished event is held, at most [`EVENT_BYTES`].

use super::avro::{Data, Next};
use super::history::Joined;
use super::jhist_counters::Shapes;
use super::jhist_fields::Fields;
use super::json::{OBJECT_BYTES, Objects};
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, jhist_events};
use crate::base::Code;
use crate::model::{Clock, formats};
use memchr::memmem;
use serde::Deserialize;

/// Longest event read, and longest schema: the schema of 3.x has 24 kB, the totals of a
/// job with many counters some 100 kB.
pub const EVENT_BYTES: usize = OBJECT_BYTES;

const JSON: &[u8] = b"Avro-Json";
const BINARY: &[u8] = b"Avro-Binary";
/// What an event's line begins with in JSON, blanks apart.
const EVENT_BEGIN: &[u8] = b"{\"type\":\"";

/// The format.
#[derive(Debug)]
pub struct Jhist;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::JHIST,
    title: "Job history (jhist)",
    versions: "0.21 to 3.x",
    written_by: "org.apache.hadoop.mapreduce.jobhistory.EventWriter",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[
        "Avro-Json\n{\"type\":\"record\",\"name\":\"Event\",\"fields\":[]}\n{\"type\":\"record\",\"name\":\"Event\",\"namespace\":\"org.apache.hadoop.mapreduce.jobhistory\",\"fields\":[{\"name\":\"type\",\"type\":{\"type\":\"enum\",\"name\":\"EventType\",\"symbols\":[\"JOB_SUBMITTED\",\"JOB_INITED\",\"JOB_FINISHED\",\"JOB_PRIORITY_CHANGED\",\"JOB_STATUS_CHANGED\",\"JOB_QUEUE_CHANGED\",\"JOB_FAILED\",\"JOB_KILLED\",\"JOB_ERROR\",\"JOB_INFO_CHANGED\",\"TASK_STARTED\",\"TASK_FINISHED\",\"TASK_FAILED\",\"TASK_UPDATED\",\"NORMALIZED_RESOURCE\",\"MAP_ATTEMPT_STARTED\",\"MAP_ATTEMPT_FINISHED\",\"MAP_ATTEMPT_FAILED\",\"MAP_ATTEMPT_KILLED\",\"REDUCE_ATTEMPT_STARTED\",\"REDUCE_ATTEMPT_FINISHED\",\"REDUCE_ATTEMPT_FAILED\",\"REDUCE_ATTEMPT_KILLED\",\"SETUP_ATTEMPT_STARTED\",\"SETUP_ATTEMPT_FINISHED\",\"SETUP_ATTEMPT_FAILED\",\"SETUP_ATTEMPT_KILLED\",\"CLEANUP_ATTEMPT_STARTED\",\"CLEANUP_ATTEMPT_FINISHED\",\"CLEANUP_ATTEMPT_FAILED\",\"CLEANUP_ATTEMPT_KILLED\",\"AM_STARTED\"]}},{\"name\":\"event\",\"type\":[{\"type\":\"record\",\"name\":\"JobFinished\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"finishedMaps\",\"type\":\"int\"},{\"name\":\"finishedReduces\",\"type\":\"int\"},{\"name\":\"failedMaps\",\"type\":\"int\"},{\"name\":\"failedReduces\",\"type\":\"int\"},{\"name\":\"totalCounters\",\"type\":{\"type\":\"record\",\"name\":\"JhCounters\",\"fields\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"groups\",\"type\":{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"JhCounterGroup\",\"fields\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"displayName\",\"type\":\"string\"},{\"name\":\"counts\",\"type\":{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":\"JhCounter\",\"fields\":[{\"name\":\"name\",\"type\":\"string\"},{\"name\":\"displayName\",\"type\":\"string\"},{\"name\":\"value\",\"type\":\"long\"}]}}}]}}}]}},{\"name\":\"mapCounters\",\"type\":\"JhCounters\"},{\"name\":\"reduceCounters\",\"type\":\"JhCounters\"},{\"name\":\"killedMaps\",\"type\":\"int\",\"default\":-1},{\"name\":\"killedReduces\",\"type\":\"int\",\"default\":-1}]},{\"type\":\"record\",\"name\":\"JobInfoChange\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"submitTime\",\"type\":\"long\"},{\"name\":\"launchTime\",\"type\":\"long\"}]},{\"type\":\"record\",\"name\":\"JobInited\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"launchTime\",\"type\":\"long\"},{\"name\":\"totalMaps\",\"type\":\"int\"},{\"name\":\"totalReduces\",\"type\":\"int\"},{\"name\":\"jobStatus\",\"type\":\"string\"},{\"name\":\"uberized\",\"type\":\"boolean\"}]},{\"type\":\"record\",\"name\":\"AMStarted\",\"fields\":[{\"name\":\"applicationAttemptId\",\"type\":\"string\"},{\"name\":\"startTime\",\"type\":\"long\"},{\"name\":\"containerId\",\"type\":\"string\"},{\"name\":\"nodeManagerHost\",\"type\":\"string\"},{\"name\":\"nodeManagerPort\",\"type\":\"int\"},{\"name\":\"nodeManagerHttpPort\",\"type\":\"int\"}]},{\"type\":\"record\",\"name\":\"JobPriorityChange\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"priority\",\"type\":\"string\"}]},{\"type\":\"record\",\"name\":\"JobQueueChange\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"jobQueueName\",\"type\":\"string\"}]},{\"type\":\"record\",\"name\":\"JobStatusChanged\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"jobStatus\",\"type\":\"string\"}]},{\"type\":\"record\",\"name\":\"JobSubmitted\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"jobName\",\"type\":\"string\"},{\"name\":\"userName\",\"type\":\"string\"},{\"name\":\"submitTime\",\"type\":\"long\"},{\"name\":\"jobConfPath\",\"type\":\"string\"},{\"name\":\"acls\",\"type\":{\"type\":\"map\",\"values\":\"string\"}},{\"name\":\"jobQueueName\",\"type\":\"string\"},{\"name\":\"workflowId\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"workflowName\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"workflowNodeName\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"workflowAdjacencies\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"workflowTags\",\"type\":[\"null\",\"string\"],\"default\":null}]},{\"type\":\"record\",\"name\":\"JobUnsuccessfulCompletion\",\"fields\":[{\"name\":\"jobid\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"finishedMaps\",\"type\":\"int\"},{\"name\":\"finishedReduces\",\"type\":\"int\"},{\"name\":\"jobStatus\",\"type\":\"string\"},{\"name\":\"diagnostics\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"failedMaps\",\"type\":\"int\",\"default\":-1},{\"name\":\"failedReduces\",\"type\":\"int\",\"default\":-1},{\"name\":\"killedMaps\",\"type\":\"int\",\"default\":-1},{\"name\":\"killedReduces\",\"type\":\"int\",\"default\":-1}]},{\"type\":\"record\",\"name\":\"MapAttemptFinished\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"attemptId\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"taskStatus\",\"type\":\"string\"},{\"name\":\"mapFinishTime\",\"type\":\"long\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"hostname\",\"type\":\"string\"},{\"name\":\"port\",\"type\":\"int\"},{\"name\":\"rackname\",\"type\":\"string\"},{\"name\":\"state\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":\"JhCounters\"},{\"name\":\"clockSplits\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"cpuUsages\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"vMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"physMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}]},{\"type\":\"record\",\"name\":\"ReduceAttemptFinished\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"attemptId\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"taskStatus\",\"type\":\"string\"},{\"name\":\"shuffleFinishTime\",\"type\":\"long\"},{\"name\":\"sortFinishTime\",\"type\":\"long\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"hostname\",\"type\":\"string\"},{\"name\":\"port\",\"type\":\"int\"},{\"name\":\"rackname\",\"type\":\"string\"},{\"name\":\"state\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":\"JhCounters\"},{\"name\":\"clockSplits\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"cpuUsages\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"vMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"physMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}]},{\"type\":\"record\",\"name\":\"TaskAttemptFinished\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"attemptId\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"taskStatus\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"rackname\",\"type\":\"string\"},{\"name\":\"hostname\",\"type\":\"string\"},{\"name\":\"state\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":\"JhCounters\"}]},{\"type\":\"record\",\"name\":\"TaskAttemptStarted\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"attemptId\",\"type\":\"string\"},{\"name\":\"startTime\",\"type\":\"long\"},{\"name\":\"trackerName\",\"type\":\"string\"},{\"name\":\"httpPort\",\"type\":\"int\"},{\"name\":\"shufflePort\",\"type\":\"int\"},{\"name\":\"containerId\",\"type\":\"string\"},{\"name\":\"locality\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"avataar\",\"type\":[\"null\",\"string\"],\"default\":null}]},{\"type\":\"record\",\"name\":\"TaskAttemptUnsuccessfulCompletion\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"attemptId\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"hostname\",\"type\":\"string\"},{\"name\":\"port\",\"type\":\"int\"},{\"name\":\"rackname\",\"type\":\"string\"},{\"name\":\"status\",\"type\":\"string\"},{\"name\":\"error\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":[\"null\",\"JhCounters\"],\"default\":null},{\"name\":\"clockSplits\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"cpuUsages\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"vMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}},{\"name\":\"physMemKbytes\",\"type\":{\"type\":\"array\",\"items\":\"int\"}}]},{\"type\":\"record\",\"name\":\"TaskFailed\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"error\",\"type\":\"string\"},{\"name\":\"failedDueToAttempt\",\"type\":[\"null\",\"string\"]},{\"name\":\"status\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":[\"null\",\"JhCounters\"],\"default\":null}]},{\"type\":\"record\",\"name\":\"TaskFinished\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"},{\"name\":\"status\",\"type\":\"string\"},{\"name\":\"counters\",\"type\":\"JhCounters\"},{\"name\":\"successfulAttemptId\",\"type\":[\"null\",\"string\"],\"default\":null}]},{\"type\":\"record\",\"name\":\"TaskStarted\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"taskType\",\"type\":\"string\"},{\"name\":\"startTime\",\"type\":\"long\"},{\"name\":\"splitLocations\",\"type\":\"string\"}]},{\"type\":\"record\",\"name\":\"TaskUpdated\",\"fields\":[{\"name\":\"taskid\",\"type\":\"string\"},{\"name\":\"finishTime\",\"type\":\"long\"}]}]}]}\n",
    ],
};

impl Format for Jhist {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let lines = || head.lines().map(<[u8]>::trim_ascii);
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
    Json(Objects),
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
    shapes: Shapes,
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
        if let Stage::Json(objects) = &mut self.stage
            && let Some(line) = objects.abandon()
        {
            out.skipped(Code::CutRecord, line);
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
                self.stage = Stage::Json(Objects::default());
            }
            Stage::Encoding if text.starts_with(EVENT_BEGIN) => {
                self.stage = Stage::Json(Objects::default());
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
        let Stage::Json(objects) = &mut self.stage else { return };
        if text.starts_with(EVENT_BEGIN)
            && let Some(line) = objects.abandon()
        {
            out.skipped(Code::CutRecord, line);
        }
        let joined = &mut self.joined;
        let mut take = |line: u64, event: Result<&Fields<'_>, Code>| match event {
            Ok(event) if jhist_events::read(event, line, joined, out) => out.understood(),
            Ok(_) => out.skipped(Code::BadRecord, line),
            Err(code) => out.skipped(code, line),
        };
        // One event a line, as Hadoop writes them.
        if !objects.is_open()
            && text.starts_with(b"{")
            && let Ok(event) = self.shapes.read(text)
        {
            return take(self.lines, Ok(&event));
        }
        objects.line(text, self.lines, |line, value| match value {
            Ok(value) => take(line, Fields::deserialize(&value).as_ref().map_err(|_| Code::BadRecord)),
            Err(code) => take(line, Err(code)),
        });
    }

    /// Reads the whole data that there are; at the end of the file, all.
    fn binary(&mut self, last: bool, out: &mut Out<'_>) {
        let Stage::Binary(data) = &mut self.stage else { return };
        let joined = &mut self.joined;
        let next = data.read(last, |event, number| {
            if jhist_events::read(event, number, joined, out) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{read, rows};
    use crate::model::Event;

    const EVENT: &str = "{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"TaskAttemptStarted\":{\"taskType\":\"MAP\",\
                         \"attemptId\":\"attempt_1_0001_m_000000_0\",\"startTime\":5,\"trackerName\":\"a}\\\"{b\"}}}";

    fn starts(text: &str) -> Vec<u64> {
        let attempts = rows(&Jhist, text).into_iter();
        attempts.filter(|row| matches!(row.event, Event::Attempt(_))).map(|row| row.line).collect()
    }

    #[test]
    fn events_may_share_a_line_or_fill_many() {
        let second = EVENT.replace("000000_0", "000001_0");
        assert_eq!(starts(&format!("Avro-Json\n{EVENT}{second}\n")), [2, 2]);
        assert_eq!(starts(&format!("Avro-Json\n\n{}\n\n {second}", EVENT.replace(':', ":\n"))), [3, 12]);
    }

    #[test]
    fn braces_and_quotes_inside_texts_do_not_count() {
        let rows = rows(&Jhist, &format!("Avro-Json\n{EVENT}\n"));
        let host = rows.into_iter().find_map(|row| match row.event {
            Event::Attempt(record) => record.host,
            _ => None,
        });
        assert_eq!(host.as_deref(), Some("a}\"{b"));
    }

    #[test]
    fn bytes_that_are_no_text_spoil_only_what_is_used() {
        let event = |field: &str| {
            let text = EVENT.replace("\"startTime\"", &format!("\"{field}\":\"?\",\"startTime\""));
            let bytes: Vec<u8> = text.bytes().map(|b| if b == b'?' { 0xff } else { b }).collect();
            let digest = read(&Jhist, "x", &[b"Avro-Json\n", &bytes[..], b"\n"].concat());
            (
                digest.events.iter().any(|row| matches!(row.event, Event::Attempt(_))),
                digest.issues.count(Code::BadRecord),
            )
        };
        assert_eq!(event("avataar"), (true, 0));
        assert_eq!(event("hostname"), (false, 1));
    }

    #[test]
    fn event_after_a_cut_one_is_read() {
        let cut = EVENT.get(..60).unwrap_or_default();
        let text = format!("Avro-Json\n{cut}\n{EVENT}\n");
        assert_eq!(starts(&text), [3]);
        assert_eq!(read(&Jhist, "x", text.as_bytes()).issues.count(Code::CutRecord), 1);
    }

    #[test]
    fn binary_without_a_schema_is_a_bad_record() {
        let digest = read(&Jhist, "x", b"Avro-Binary\nno schema\n\x00\x01\x02");
        assert_eq!((digest.issues.count(Code::BadRecord), digest.events.len()), (1, 0));
    }
}
