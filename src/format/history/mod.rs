//! What fields of histories say, in whatever spelling: hosts, types, ends, times, names and errors.

mod joined;

pub use joined::{AttemptPart, JobPart, Joined};

use crate::base::ids::number;
use crate::base::{AttemptId, Timestamp, bytes};
use crate::model::{Event, JobStatus, Outcome, TaskType};

/// An error's first line is kept up to here.
const ERROR_BYTES: usize = 200;
/// Names of jobs and users are kept up to here.
const NAME_BYTES: usize = 1000;

/// Written for the host of an attempt that was killed before it had one (2.x on).
const NO_HOST: &str = "UNKNOWN";

/// The host in a history's host field: rack, `tracker_` and port cut off.
/// `/default-rack/h101`, `h101`, `tracker_h101:localhost/127.0.0.1:43729`, `h303:45454`.
#[must_use]
pub fn host_of(text: &str) -> Option<Box<str>> {
    let name = match text.strip_prefix("tracker_") {
        Some(tracker) => tracker.split(':').next(),
        None => text.rsplit('/').next().and_then(|host| host.split(':').next()),
    };
    let name = name.unwrap_or_default().trim();
    (!name.is_empty() && name != NO_HOST).then(|| name.into())
}

/// The task type of `TASK_TYPE` or `taskType`.
#[must_use]
pub fn task_type(name: &str) -> Option<TaskType> {
    Some(match name {
        "MAP" => TaskType::Map,
        "REDUCE" => TaskType::Reduce,
        "SETUP" | "JOB_SETUP" => TaskType::Setup,
        "CLEANUP" | "JOB_CLEANUP" => TaskType::Cleanup,
        // A JobTracker of 0.20 writes it small.
        "TASK_CLEANUP" | "cleanup" => TaskType::TaskCleanup,
        _ => return None,
    })
}

/// How an attempt ended, by `TASK_STATUS`, `taskStatus` or `status`.
#[must_use]
pub fn outcome(name: &str) -> Option<Outcome> {
    Some(match name {
        "SUCCESS" | "SUCCEEDED" => Outcome::Success,
        "FAILED" => Outcome::Failed,
        "KILLED" => Outcome::Killed,
        _ => return None,
    })
}

/// How a job ended, by `JOB_STATUS` or `jobStatus`; `None` for states before the end.
#[must_use]
pub fn job_status(name: &str) -> Option<JobStatus> {
    Some(match name {
        "SUCCESS" | "SUCCEEDED" => JobStatus::Success,
        "FAILED" | "ERROR" => JobStatus::Failed,
        "KILLED" => JobStatus::Killed,
        _ => return None,
    })
}

/// A time in epoch milliseconds; 0 and less stand for "never".
#[must_use]
pub const fn time(ms: i64) -> Option<Timestamp> {
    if ms > 0 { Some(Timestamp::from_millis(ms)) } else { None }
}

/// A time in digits.
#[must_use]
pub fn time_in(value: &[u8]) -> Option<Timestamp> {
    time(i64::try_from(whole_number(value)?).ok()?)
}

/// A number of tasks in digits.
#[must_use]
pub fn count_in(value: &[u8]) -> Option<u32> {
    u32::try_from(whole_number(value)?).ok()
}

/// The number that all of `value` is.
fn whole_number(value: &[u8]) -> Option<u64> {
    number(value).filter(|(_, rest)| rest.is_empty()).map(|(n, _)| n)
}

/// Puts `value` without the backslashes before other characters behind what `room` holds.
pub fn unescape(value: &[u8], room: &mut Vec<u8>) {
    let mut escaped = false;
    for b in value {
        escaped = *b == b'\\' && !escaped;
        if !escaped {
            room.push(*b);
        }
    }
}

/// The first line of an error text, cut; `None` if there is nothing in it.
#[must_use]
pub fn first_line(text: &str) -> Option<Box<str>> {
    cut(text.trim_start_matches([' ', ',', '\n', '\r', '\t']).lines().next().unwrap_or_default(), ERROR_BYTES)
}

/// The error of an attempt as a master logs it: `ATT: TEXT`, `ATT on TRACKER: TEXT`.
#[must_use]
pub fn logged_error(message: &[u8]) -> Option<Event> {
    let (attempt, rest) = AttemptId::parse_prefix(message)?;
    let text = bytes::after(rest, b": ")?;
    Some(Event::AttemptError { attempt, error: first_line(&bytes::text(text))? })
}

/// A name, cut; `None` if it is empty.
#[must_use]
pub fn name(text: &str) -> Option<Box<str>> {
    cut(text, NAME_BYTES)
}

fn cut(text: &str, bytes: usize) -> Option<Box<str>> {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end)?.trim_end();
    (!text.is_empty()).then(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_loses_rack_tracker_and_port() {
        for (text, host) in [
            ("/default-rack/h101", "h101"),
            ("h105", "h105"),
            ("tracker_h101:localhost/127.0.0.1:43729", "h101"),
            ("/192.30.63.0/cluster1771.site.com", "cluster1771.site.com"),
            ("localhost:45454", "localhost"),
        ] {
            assert_eq!(host_of(text).as_deref(), Some(host));
        }
        assert_eq!(host_of(""), None);
        assert_eq!(host_of("UNKNOWN"), None);
    }

    #[test]
    fn errors_that_masters_log_name_their_attempt() {
        let said = |text: &str| match logged_error(text.as_bytes()) {
            Some(Event::AttemptError { attempt, error }) => Some((attempt.task, error.to_string())),
            _ => None,
        };
        let attempt = "attempt_1_0001_m_000007_0";
        let io = "java.io.IOException: No space left";
        assert_eq!(said(&format!("{attempt}: Error: {io}")), Some((7, format!("Error: {io}"))));
        assert_eq!(said(&format!("{attempt} on tracker_s4:127.0.0.1/127.0.0.1:42: {io}")), Some((7, io.into())));
        for nothing in [format!("{attempt}: "), format!("{attempt}: \n\n"), attempt.to_owned(), format!("task: {io}")] {
            assert_eq!(said(&nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn error_is_cut_at_a_character() {
        let long = "ü".repeat(150);
        assert_eq!(first_line(&long).map(|e| e.len()), Some(200));
        assert_eq!(first_line(", java.io.IOException: x\n\tat y").as_deref(), Some("java.io.IOException: x"));
        assert_eq!(first_line("\n"), None);
    }
}
