//! Log of a MapReduce ApplicationMaster, Hadoop 0.23 to 3.x: `syslog` of the container
//! that runs `MRAppMaster`.
//!
//! ```text
//! … TaskAttemptImpl: TaskAttempt: [attempt_…_m_000000_0] using containerId: [container_…_000002 on NM: [h303:45454]
//! … TaskAttemptImpl: attempt_…_m_000000_0 TaskAttempt Transitioned from ASSIGNED to RUNNING
//! … TaskAttemptImpl: attempt_…_m_000000_0 TaskAttempt Transitioned from RUNNING to SUCCESS_FINISHING_CONTAINER
//! … TaskAttemptImpl: attempt_…_m_000000_0 transitioned from state RUNNING to FAILED, event type is … and nodeId=h303:45454
//! ```
//! Written by `org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl`. An attempt
//! leaves RUNNING once, perhaps by way of COMMIT_PENDING, so nothing is held. When a task's
//! JVM first spoke (`TaskAttemptListenerImpl`) is kept to compare clocks; `Diagnostics report from` an attempt tells
//! why it failed, where no history does.
//! Cost: O(line).

use super::daemon::{Fit, Messages, Walk};
use super::history;
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{AttemptId, ContainerId, JobId, bytes};
use crate::model::{Clock, Event, JobRecord, Outcome};

/// The format.
#[derive(Debug)]
pub struct AmSyslog;

static ABOUT: FormatAbout = FormatAbout {
    name: "am-syslog",
    title: "ApplicationMaster log",
    versions: "0.23 to 3.x",
    written_by: "org.apache.hadoop.mapreduce.v2.app.MRAppMaster",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "2026-11-21 02:15:58,486 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: TaskAttempt: [attempt_1795226467746_0009_m_000001_0] using containerId: [container_1795226467746_0009_01_000002 on NM: [h301:45454]",
        "2026-11-21 02:15:58,565 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: attempt_1795226467746_0009_m_000001_0 TaskAttempt Transitioned from ASSIGNED to RUNNING",
        "2026-11-21 02:16:11,817 INFO [AsyncDispatcher event handler] org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl: attempt_1795226467746_0009_m_000002_0 TaskAttempt Transitioned from RUNNING to SUCCESS_FINISHING_CONTAINER",
    ],
};

impl Format for AmSyslog {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, Kind::AppMaster)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Walk::new(AppMaster))
    }
}

#[derive(Debug)]
struct AppMaster;

impl Messages for AppMaster {
    const OF_DAEMON: bool = false;

    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        if record.class() == b"TaskAttemptListenerImpl" {
            return match given(record.message) {
                Some(attempt) => {
                    out.event(line, record.at, &Event::TaskGiven { attempt });
                    Fit::Known
                }
                None => Fit::Other,
            };
        }
        if record.class() == b"JobImpl" {
            return match job_end(record.message) {
                Some(event) => {
                    out.event(line, record.at, &event);
                    Fit::Known
                }
                None => Fit::Other,
            };
        }
        if record.class() != b"TaskAttemptImpl" {
            return Fit::Other;
        }
        let event = if record.message.starts_with(b"attempt_") {
            transition(record.message)
        } else if let Some(text) = record.message.strip_prefix(b"TaskAttempt: [") {
            match assigned(text) {
                Some(event) => Some(event),
                None => return Fit::Malformed,
            }
        } else {
            // A host that the error names is looked for as in any text.
            if let Some(text) = record.message.strip_prefix(b"Diagnostics report from ")
                && let Some(event) = history::logged_error(text)
            {
                out.event(line, record.at, &event);
            }
            return Fit::Other;
        };
        if let Some(event) = event {
            out.event(line, record.at, &event);
        }
        Fit::Known
    }
}

/// `JVM with ID: jvm_… given task: ATT`.
fn given(message: &[u8]) -> Option<AttemptId> {
    let rest = message.strip_prefix(b"JVM with ID: ")?;
    AttemptId::parse(bytes::after(rest, b" given task: ")?)
}

/// `JOBJob Transitioned from A to B` (the blank is missing in Hadoop, too), where B is an end.
fn job_end(message: &[u8]) -> Option<Event> {
    let (job, rest) = JobId::parse_prefix(message)?;
    let rest = rest.strip_prefix(b"Job Transitioned from ")?;
    let to = std::str::from_utf8(bytes::after(rest, b" to ")?).ok()?;
    Some(Event::Job(Box::new(JobRecord::ended(job, history::job_status(to)?))))
}

/// `ATT TaskAttempt Transitioned from A to B`, of the transitions that count; since 2.10 those to FAILED are
/// `ATT transitioned from state A to FAILED, event type is E and nodeId=host:port`.
fn transition(message: &[u8]) -> Option<Event> {
    let (attempt, rest) = AttemptId::parse_prefix(message)?;
    let from = rest.strip_prefix(b" TaskAttempt Transitioned from ");
    let rest = from.or_else(|| rest.strip_prefix(b" transitioned from state "))?;
    match bytes::split(rest, b" to ")? {
        (b"ASSIGNED", b"RUNNING") => Some(Event::AmRunning { attempt }),
        (b"RUNNING" | b"COMMIT_PENDING", b"RUNNING" | b"COMMIT_PENDING") => None,
        (b"RUNNING" | b"COMMIT_PENDING", to) => {
            let outcome = if to.starts_with(b"SUCC") {
                Outcome::Success
            } else if to.starts_with(b"FAIL") {
                Outcome::Failed
            } else {
                Outcome::Killed
            };
            Some(Event::AmLeft { attempt, outcome })
        }
        _ => None,
    }
}

/// `ATT] using containerId: [C on NM: [host:port]`.
fn assigned(text: &[u8]) -> Option<Event> {
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    let (container, rest) = ContainerId::parse_prefix(rest.strip_prefix(b"] using containerId: [")?)?;
    let address = rest.strip_prefix(b" on NM: [")?;
    let host = address.get(..memchr::memrchr(b':', address)?)?;
    let host = std::str::from_utf8(host).ok().filter(|host| !host.is_empty())?;
    Some(Event::Assigned { attempt, container, host: host.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_ends_with_its_last_step() {
        use crate::model::JobStatus;
        let status = |step: &str| match job_end(format!("job_1_0001Job Transitioned from {step}").as_bytes()) {
            Some(Event::Job(job)) => Some(job.status),
            _ => None,
        };
        assert_eq!(status("COMMITTING to SUCCEEDED"), Some(JobStatus::Success));
        assert_eq!(status("FAIL_ABORT to FAILED"), Some(JobStatus::Failed));
        assert_eq!(status("KILL_ABORT to KILLED"), Some(JobStatus::Killed));
        assert_eq!(status("RUNNING to FAIL_WAIT"), None);
    }

    #[test]
    fn only_the_step_out_of_running_is_an_end() {
        let outcome = |from: &str, to: &str| {
            let text = format!("attempt_1_0001_m_000000_0 TaskAttempt Transitioned from {from} to {to}");
            match transition(text.as_bytes()) {
                Some(Event::AmLeft { outcome, .. }) => Some(outcome),
                _ => None,
            }
        };
        assert_eq!(outcome("RUNNING", "COMMIT_PENDING"), None);
        assert_eq!(outcome("COMMIT_PENDING", "SUCCESS_CONTAINER_CLEANUP"), Some(Outcome::Success));
        assert_eq!(outcome("RUNNING", "SUCCEEDED"), Some(Outcome::Success));
        assert_eq!(outcome("RUNNING", "FAIL_FINISHING_CONTAINER"), Some(Outcome::Failed));
        assert_eq!(outcome("RUNNING", "KILL_CONTAINER_CLEANUP"), Some(Outcome::Killed));
        assert_eq!(outcome("SUCCESS_FINISHING_CONTAINER", "SUCCEEDED"), None);
        assert_eq!(outcome("UNASSIGNED", "KILLED"), None);
    }

    #[test]
    fn failure_is_read_in_the_words_of_its_own() {
        let outcome = |from: &str| {
            let event = "event type is TA_CONTAINER_COMPLETED and nodeId=n1.lab:45454";
            let text = format!("attempt_1_0001_m_000000_0 transitioned from state {from} to FAILED, {event}");
            match transition(text.as_bytes()) {
                Some(Event::AmLeft { outcome, .. }) => Some(outcome),
                _ => None,
            }
        };
        assert_eq!(outcome("RUNNING"), Some(Outcome::Failed));
        assert_eq!(outcome("COMMIT_PENDING"), Some(Outcome::Failed));
        assert_eq!(outcome("FAIL_FINISHING_CONTAINER"), None);
        assert_eq!(outcome("ASSIGNED"), None);
    }

    #[test]
    fn host_loses_its_port() {
        let text = b"attempt_1_0001_m_000000_0] using containerId: [container_1_0001_01_000002 on NM: [n1.lab:45454]";
        assert!(matches!(assigned(text), Some(Event::Assigned { host, .. }) if &*host == "n1.lab"));
    }
}
