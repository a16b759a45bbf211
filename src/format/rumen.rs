//! Rumen's traces and topologies, Hadoop 0.21 to 3.x.
//!
//! ```text
//! { "jobID" : "job_200904211745_0001", "mapTasks" : [ { "attempts" : [ { "attemptID" : "attempt_…", "hostName" : "/rack/host", …
//! { "name" : "<root>", "children" : [ { "name" : "rack", "children" : [ { "name" : "host", "children" : null } ] } ] }
//! ```
//! Written by `org.apache.hadoop.tools.rumen.TraceBuilder`: one JSON object a job, over many
//! lines or on one, one behind the other; and one object for the tree of racks. A time of −1
//! is unknown. Traces of old histories keep a backslash before each full stop of a host.
//! A job's properties, where the trace has them, count as its configuration.
//! Cost: O(bytes); one object of a trace held, and attempts and jobs as [`super::history`] does.

use super::history::{self, AttemptPart, JobPart, Joined};
use super::json::Stream;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, job_conf};
use crate::base::{AttemptId, Code, JobId, Timestamp};
use crate::model::{Clock, Count, Counters, JobConf, TaskType, formats};
use memchr::memmem;
use serde_json::Value;

/// Racks inside racks; data centres have three or four levels.
const LEVELS: usize = 16;

/// The format of a trace.
#[derive(Debug)]
pub struct Trace;

/// The format of a topology.
#[derive(Debug)]
pub struct Topology;

static TRACE: FormatAbout = FormatAbout {
    name: formats::RUMEN_TRACE,
    title: "Rumen trace",
    versions: "0.21 to 3.x",
    written_by: "org.apache.hadoop.tools.rumen.TraceBuilder",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[
        "{ \"jobID\" : \"job_202611202124_0001\", \"submitTime\" : 1795227874927, \"mapTasks\" : [ { \"taskType\" : \"MAP\", \"attempts\" : [ { \"attemptID\" : \"attempt_202611202124_0001_m_000000_0\", \"hostName\" : \"/default-rack/h101\", \"result\" : \"SUCCESS\", \"startTime\" : 1795227884210, \"finishTime\" : 1795227891377 } ] } ] }",
    ],
};

static TOPOLOGY: FormatAbout = FormatAbout {
    name: formats::RUMEN_TOPOLOGY,
    title: "Rumen topology",
    samples: &[
        "{ \"name\" : \"<root>\", \"children\" : [ { \"name\" : \"default-rack\", \"children\" : [ { \"name\" : \"h101\", \"children\" : null } ] } ] }",
    ],
    ..TRACE
};

impl Format for Trace {
    fn about(&self) -> &'static FormatAbout {
        &TRACE
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.bytes.trim_ascii_start();
        let has = |word: &[u8]| memmem::find(text, word).is_some();
        if !text.starts_with(b"{") || has(b"\"Event\"") {
            return Confidence::No;
        }
        match (has(b"\"jobID\"") || has(b"\"priority\""), has(b"Tasks\"") || has(b"\"attempts\"")) {
            (true, true) => Confidence::Sure,
            (true, false) => Confidence::Maybe,
            _ => Confidence::No,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Reader::new(trace_object))
    }
}

impl Format for Topology {
    fn about(&self) -> &'static FormatAbout {
        &TOPOLOGY
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.bytes.trim_ascii_start();
        let has = |word: &[u8]| memmem::find(text, word).is_some();
        let tree = text.starts_with(b"{") && has(b"\"children\"") && has(b"\"name\"");
        if tree && !has(b"\"jobID\"") { Confidence::Likely } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Reader::new(topology_object))
    }
}

/// Takes an object; false if it is none of the format's.
type Take = fn(&Value, u64, &mut Joined, &mut Out<'_>) -> bool;

struct Reader {
    objects: Stream,
    joined: Joined,
    take: Take,
}

impl Reader {
    fn new(take: Take) -> Self {
        Self { objects: Stream::default(), joined: Joined::default(), take }
    }
}

impl Parse for Reader {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        let Self { objects, joined, take } = self;
        objects.feed(bytes, out, &mut |value, line, out| take(&value, line, joined, out));
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        let Self { objects, joined, take } = &mut *self;
        objects.end(out, &mut |value, line, out| take(&value, line, joined, out));
        joined.end(out);
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn time(value: &Value, name: &str) -> Option<Timestamp> {
    history::time(value.get(name)?.as_i64()?)
}

fn trace_object(value: &Value, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(job) = text(value, "jobID").and_then(|id| JobId::parse(id.as_bytes())) else { return false };
    let count = |name: &str| u32::try_from(value.get(name)?.as_i64()?).ok();
    let part = JobPart {
        name: text(value, "jobName").and_then(history::name),
        user: text(value, "user").and_then(history::name),
        submit: time(value, "submitTime"),
        launch: time(value, "launchTime"),
        finish: time(value, "finishTime"),
        status: text(value, "outcome").and_then(history::job_status),
        maps: count("totalMaps"),
        reduces: count("totalReduces"),
        queue: text(value, "queue").and_then(history::name),
    };
    joined.job(job, part, line, out);
    for list in ["mapTasks", "reduceTasks", "otherTasks"] {
        let tasks = value.get(list).and_then(Value::as_array);
        for task in tasks.into_iter().flatten() {
            let task_type = text(task, "taskType").and_then(history::task_type);
            for attempt in task.get("attempts").and_then(Value::as_array).into_iter().flatten() {
                read_attempt(attempt, task_type, line, joined, out);
            }
        }
    }
    let mut conf = JobConf::default();
    for (name, value) in value.get("jobProperties").and_then(Value::as_object).into_iter().flatten() {
        job_conf::set(&mut conf, name, value.as_str().unwrap_or_default());
    }
    job_conf::tell(job, conf, line, out);
    true
}

fn read_attempt(value: &Value, task_type: Option<TaskType>, line: u64, joined: &mut Joined, out: &mut Out<'_>) {
    let Some(attempt) = text(value, "attemptID").and_then(|id| AttemptId::parse(id.as_bytes())) else {
        out.issue(Code::BadRecord, line);
        return;
    };
    let host = text(value, "hostName").map(|host| host.replace('\\', ""));
    if let Some(host) = &host {
        joined.rack(host);
    }
    let counter = |name: &str| Count::from(value.get(name).and_then(Value::as_i64).filter(|n| *n >= 0));
    let counters = Counters {
        hdfs_read: counter("hdfsBytesRead"),
        hdfs_written: counter("hdfsBytesWritten"),
        file_read: counter("fileBytesRead"),
        file_written: counter("fileBytesWritten"),
        map_output: counter("mapOutputBytes"),
        shuffle: counter("reduceShuffleBytes"),
        spilled_records: counter("spilledRecords"),
        map_output_records: counter("mapOutputRecords"),
        cpu_ms: value.get("resourceUsageMetrics").and_then(|usage| usage.get("cumulativeCpuUsage")?.as_i64()).into(),
        gc_ms: Count::default(),
    };
    let part = AttemptPart {
        begins: true,
        task_type,
        host: host.as_deref().and_then(history::host_of),
        tracker: None,
        start: time(value, "startTime"),
        shuffle_end: time(value, "shuffleFinished"),
        sort_end: time(value, "sortFinished"),
        finish: time(value, "finishTime"),
        outcome: text(value, "result").and_then(history::outcome),
        counters: Some(counters),
        error: None,
        complaint: None,
        memory: value
            .get("resourceUsageMetrics")
            .and_then(|usage| usage.get("physicalMemoryUsage")?.as_u64())
            .filter(|bytes| *bytes > 0),
    };
    joined.attempt(attempt, part, line, out);
}

fn topology_object(value: &Value, _line: u64, joined: &mut Joined, _out: &mut Out<'_>) -> bool {
    if value.get("name").and_then(Value::as_str).is_none() || value.get("children").is_none() {
        return false;
    }
    let mut path = String::new();
    children(value, &mut path, 0, joined);
    true
}

/// Walks the tree; `path` is the rack so far, with a slash before each part.
fn children(value: &Value, path: &mut String, level: usize, joined: &mut Joined) {
    for child in value.get("children").and_then(Value::as_array).into_iter().flatten() {
        let Some(name) = text(child, "name") else { continue };
        let length = path.len();
        let name = name.replace('\\', "");
        let name = name.trim_start_matches('/');
        // A rack that was written with its slash is a tree of its own below a nameless one.
        if !name.is_empty() {
            path.push('/');
            path.push_str(name);
        }
        match child.get("children") {
            Some(Value::Array(_)) if level < LEVELS => children(child, path, level + 1, joined),
            _ => joined.rack(path),
        }
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{read, rows};
    use crate::model::Event;

    fn racks(text: &str) -> Vec<String> {
        let events = rows(&Topology, text).into_iter();
        events
            .filter_map(|row| match row.event {
                Event::Rack { host, rack } => Some(format!("{rack} {host}")),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn leaves_of_the_tree_are_hosts() {
        let host = |name: &str| format!("{{\"name\":\"{name}\",\"children\":null}}");
        let rack = |name: &str, inside: &str| format!("{{\"name\":\"{name}\",\"children\":[{inside}]}}");
        let tree = rack("<root>", &format!("{},{}", rack("a\\\\.b", &host("h1")), rack("dc", &rack("r", &host("h2")))));
        assert_eq!(racks(&tree), ["/a.b h1", "/dc/r h2"]);
        assert_eq!(racks(&rack("<root>", &rack("", &rack("r", &host("h3"))))), ["/r h3"]);
        assert_eq!(read(&Topology, "x", b"{\"name\":1}").issues.count(Code::BadRecord), 1);
    }

    #[test]
    fn minus_one_is_unknown_and_escapes_go() {
        let text = "{\"jobID\":\"job_1_0001\",\"finishTime\":9,\"outcome\":\"KILLED\",\"jobProperties\":{\"io.sort.mb\":\"7\"},\
                    \"reduceTasks\":[{\"taskType\":\"REDUCE\",\"attempts\":[{\"attemptID\":\"attempt_1_0001_r_000000_0\",\
                    \"hostName\":\"/10\\\\.0/h\\\\.lab\",\"startTime\":5,\"shuffleFinished\":-1,\"result\":\"FAILED\",\"hdfsBytesRead\":-1}]}]}";
        let digest = read(&Trace, "x", text.as_bytes());
        let mut seen = (false, false, false);
        for row in digest.events.iter() {
            match row.event {
                Event::Attempt(a) => {
                    assert_eq!(
                        (a.host.as_deref(), a.shuffle_end, a.counters.hdfs_read.get()),
                        (Some("h.lab"), None, None)
                    );
                    seen.0 = true;
                }
                Event::JobConf { conf, .. } => {
                    assert_eq!(conf.sort_mb, Some(7));
                    seen.1 = true;
                }
                Event::Rack { rack, .. } => {
                    assert_eq!(&*rack, "/10.0");
                    seen.2 = true;
                }
                _ => {}
            }
        }
        assert_eq!(seen, (true, true, true));
    }

    #[test]
    fn cut_trace_is_read_up_to_the_cut() {
        let digest = read(&Trace, "x", b"{\"jobID\":\"job_1_0001\"}\n{\"jobID\":\"job_1_00");
        assert_eq!((digest.understood, digest.issues.count(Code::CutRecord)), (1, 1));
    }
}
