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
use super::jhist_fields::{ATTEMPT, Fields};
use crate::base::{AttemptId, JobId, Timestamp};
use crate::model::JobStatus;

/// Reads an event (or the schema) into `joined`; false if it is neither.
pub fn read(event: &Fields<'_>, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(kind) = event.kind.as_deref() else { return false };
    if kind == "record" {
        return event.is_schema;
    }
    if !event.is_event {
        return false;
    }
    let (attempt, end) = match kind.rsplit_once(ATTEMPT) {
        Some((_, end)) => (true, end),
        None => (false, kind),
    };
    if attempt { read_attempt(event, end, line, joined, out) } else { read_job(event, kind, line, joined, out) }
}

fn read_attempt(event: &Fields<'_>, end: &str, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(attempt) = event.text("attemptId").and_then(|id| AttemptId::parse(id.as_bytes())) else {
        return false;
    };
    let mut part =
        AttemptPart { task_type: event.text("taskType").and_then(history::task_type), ..AttemptPart::default() };
    if end == "STARTED" {
        part.begins = true;
        part.start = time(event, "startTime");
        part.tracker = event.text("trackerName").and_then(history::host_of);
    } else {
        let host = event.text("hostname");
        part.host = host.and_then(history::host_of);
        // 0.21 writes the rack before the host, later versions beside it.
        match (host, event.text("rackname")) {
            (Some(host), Some(rack)) if !host.contains('/') => joined.rack(&format!("{rack}/{host}")),
            (Some(host), _) => joined.rack(host),
            _ => {}
        }
        // The end of a map's own work is not its end: spill and merge follow.
        part.finish = time(event, "finishTime");
        part.shuffle_end = time(event, "shuffleFinishTime");
        part.sort_end = time(event, "sortFinishTime");
        part.outcome = match end {
            "FINISHED" => event.text("taskStatus").and_then(history::outcome).or(Some(crate::model::Outcome::Success)),
            end => event.text("status").and_then(history::outcome).or_else(|| history::outcome(end)),
        };
        if let Some(error) = event.text("error") {
            part.fail(error);
        }
        part.counters = event.counters;
        part.memory = event.memory;
    }
    joined.attempt(attempt, part, line, out);
    true
}

fn read_job(event: &Fields<'_>, kind: &str, line: u64, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    if kind == "TASK_STARTED" {
        // Where the blocks of a map lie: `/rack/host,/rack/host`.
        event.text("splitLocations").unwrap_or_default().split(',').for_each(|host| joined.rack(host));
    }
    if !kind.starts_with("JOB_") {
        // Others, as the master's start, say nothing that attempts and jobs do not say.
        let task = event.text("taskid").and_then(|id| AttemptId::parse_task(id.as_bytes()));
        if let (Some(task), "TASK_STARTED" | "TASK_FINISHED") = (task, kind) {
            joined.task(task, (time(event, "startTime"), time(event, "finishTime")), line, out);
        }
        return true;
    }
    let Some(job) = event.text("jobid").and_then(|id| JobId::parse(id.as_bytes())) else { return false };
    let part = JobPart {
        name: event.text("jobName").and_then(history::name),
        user: event.text("userName").and_then(history::name),
        submit: time(event, "submitTime"),
        launch: time(event, "launchTime"),
        finish: time(event, "finishTime"),
        status: match kind {
            "JOB_FINISHED" => Some(JobStatus::Success),
            "JOB_FAILED" | "JOB_KILLED" | "JOB_ERROR" => event
                .text("jobStatus")
                .and_then(history::job_status)
                .or_else(|| history::job_status(kind.trim_start_matches("JOB_"))),
            _ => None,
        },
        maps: count(event, "totalMaps"),
        reduces: count(event, "totalReduces"),
        queue: event.text("jobQueueName").and_then(history::name),
    };
    joined.job(job, part, line, out);
    true
}

fn time(event: &Fields<'_>, name: &str) -> Option<Timestamp> {
    history::time(event.number(name)?)
}

fn count(event: &Fields<'_>, name: &str) -> Option<u32> {
    u32::try_from(event.number(name)?).ok()
}
