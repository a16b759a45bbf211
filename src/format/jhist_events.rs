//! What an event of a jhist file says, whichever way it was encoded.
//!
//! ```text
//! {"type":"REDUCE_ATTEMPT_FINISHED","event":{"…ReduceAttemptFinished":{"taskType":"REDUCE","attemptId":"attempt_…",
//!   "shuffleFinishTime":1474027467843,"sortFinishTime":…,"finishTime":…,"hostname":"/default-rack/slave4","counters":…}}}
//! ```
//! Classes of `org.apache.hadoop.mapreduce.jobhistory`, 0.21 to 3.x. The branch of a
//! union is named with its package (0.23 on), without (0.21), or not at all (binary), so
//! events are told by `type` alone. A set-up task of 0.21 comes as MAP_ATTEMPT_* with
//! taskType JOB_SETUP. Cost: O(event).

use super::Out;
use super::history::{self, AttemptPart, JobPart, Joined};
use crate::base::{AttemptId, JobId, Timestamp};
use crate::model::{Counters, JobStatus};
use serde_json::Value;

/// Names that Avro's JSON gives to the branch of a union.
const PRIMITIVES: [&str; 9] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "array"];

/// Reads an event (or the schema) into `joined`; false if it is neither.
pub fn read(value: &Value, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(kind) = value.get("type").and_then(Value::as_str) else { return false };
    if kind == "record" {
        return value.get("fields").is_some();
    }
    let Some(event) = value.get("event") else { return false };
    let event = record(event);
    if !event.is_object() {
        return false;
    }
    let (attempt, end) = match kind.rsplit_once("ATTEMPT_") {
        Some((_, end)) => (true, end),
        None => (false, kind),
    };
    if attempt { read_attempt(event, end, line, joined, out) } else { read_job(event, kind, line, joined, out) }
}

fn read_attempt(event: &Value, end: &str, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(attempt) = text(event, "attemptId").and_then(|id| AttemptId::parse(id.as_bytes())) else {
        return false;
    };
    let mut part =
        AttemptPart { task_type: text(event, "taskType").and_then(history::task_type), ..AttemptPart::default() };
    if end == "STARTED" {
        part.begins = true;
        part.start = time(event, "startTime");
        part.tracker = text(event, "trackerName").and_then(history::host_of);
    } else {
        let host = text(event, "hostname");
        part.host = host.and_then(history::host_of);
        // 0.21 writes the rack before the host, later versions beside it.
        match (host, text(event, "rackname")) {
            (Some(host), Some(rack)) if !host.contains('/') => joined.rack(&format!("{rack}/{host}")),
            (Some(host), _) => joined.rack(host),
            _ => {}
        }
        // The end of a map's own work is not its end: spill and merge follow.
        part.finish = time(event, "finishTime");
        part.shuffle_end = time(event, "shuffleFinishTime");
        part.sort_end = time(event, "sortFinishTime");
        part.outcome = match end {
            "FINISHED" => text(event, "taskStatus").and_then(history::outcome).or(Some(crate::model::Outcome::Success)),
            end => text(event, "status").and_then(history::outcome).or_else(|| history::outcome(end)),
        };
        part.error = text(event, "error").and_then(history::first_line);
        part.counters = counters(event);
        part.memory = memory(event);
    }
    joined.attempt(attempt, part, line, out);
    true
}

fn read_job(event: &Value, kind: &str, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    if kind == "TASK_STARTED" {
        // Where the blocks of a map lie: `/rack/host,/rack/host`.
        text(event, "splitLocations").unwrap_or_default().split(',').for_each(|host| joined.rack(host));
    }
    if !kind.starts_with("JOB_") {
        // Others, as the master's start, say nothing that attempts and jobs do not say.
        let task = text(event, "taskid").and_then(|id| AttemptId::parse_task(id.as_bytes()));
        if let (Some(task), "TASK_STARTED" | "TASK_FINISHED") = (task, kind) {
            joined.task(task, time(event, "startTime"), time(event, "finishTime"), line);
        }
        return true;
    }
    let Some(job) = text(event, "jobid").and_then(|id| JobId::parse(id.as_bytes())) else { return false };
    let part = JobPart {
        name: text(event, "jobName").and_then(history::name),
        user: text(event, "userName").and_then(history::name),
        submit: time(event, "submitTime"),
        launch: time(event, "launchTime"),
        finish: time(event, "finishTime"),
        status: match kind {
            "JOB_FINISHED" => Some(JobStatus::Success),
            "JOB_FAILED" | "JOB_KILLED" | "JOB_ERROR" => text(event, "jobStatus")
                .and_then(history::job_status)
                .or_else(|| history::job_status(kind.trim_start_matches("JOB_"))),
            _ => None,
        },
        maps: count(event, "totalMaps"),
        reduces: count(event, "totalReduces"),
        queue: text(event, "jobQueueName").and_then(history::name),
    };
    joined.job(job, part, line, out);
    true
}

/// The record inside an event's union: `{"branch": {…}}` or the record itself.
fn record(value: &Value) -> &Value {
    match value.as_object().map(|fields| (fields.len(), fields.values().next())) {
        Some((1, Some(inner))) if inner.is_object() => inner,
        _ => value,
    }
}

/// A field, out of its union.
fn field<'a>(event: &'a Value, name: &str) -> Option<&'a Value> {
    let value = event.get(name)?;
    if let Some(fields) = value.as_object()
        && fields.len() == 1
        && let Some((branch, inner)) = fields.iter().next()
        && (PRIMITIVES.contains(&branch.as_str()) || inner.is_object())
    {
        return Some(inner);
    }
    Some(value)
}

fn text<'a>(event: &'a Value, name: &str) -> Option<&'a str> {
    field(event, name)?.as_str()
}

fn time(event: &Value, name: &str) -> Option<Timestamp> {
    history::time(field(event, name)?.as_i64()?)
}

fn count(event: &Value, name: &str) -> Option<u32> {
    u32::try_from(field(event, name)?.as_i64()?).ok()
}

/// PHYSICAL_MEMORY_BYTES.
fn memory(event: &Value) -> Option<u64> {
    let count = counts(event)?.find(|count| text(count, "name") == Some("PHYSICAL_MEMORY_BYTES"))?;
    field(count, "value")?.as_u64()
}

/// All counters, of all groups.
fn counts(event: &Value) -> Option<impl Iterator<Item = &Value>> {
    let groups = field(field(event, "counters")?, "groups")?.as_array()?;
    Some(groups.iter().filter_map(|group| field(group, "counts")?.as_array()).flatten())
}

/// The counters kept.
fn counters(event: &Value) -> Option<Counters> {
    let mut counters = Counters::default();
    for count in counts(event)? {
        let Some(slot) = text(count, "name").and_then(|name| counters.slot(name)) else { continue };
        *slot = field(count, "value").and_then(Value::as_i64);
    }
    Some(counters)
}
