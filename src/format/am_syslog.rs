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
//! leaves RUNNING once, perhaps by way of COMMIT_PENDING. When a task's JVM first spoke (`TaskAttemptListenerImpl`) is
//! kept to compare clocks, and when one that did not succeed last told of progress; `Diagnostics report from` an attempt
//! tells why it failed, where no history does. The name under which the job's history is kept sums the job up, in epoch
//! time. Cost: O(line), plus O(log attempts) for a line of progress.

use super::daemon::{Fit, Messages, Walk};
use super::history;
use super::kind::{self, Kind};
use super::log4j::Record;
use super::progress::ProgressLines;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{AttemptId, ContainerId, JobId, bytes};
use crate::model::{Clock, Event, JobRecord, JobStatus, Outcome, Phase, formats};

/// The format.
#[derive(Debug)]
pub struct AmSyslog;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::AM_SYSLOG,
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
        Box::new(Walk::new(AppMaster::default()))
    }
}

#[derive(Debug, Default)]
struct AppMaster {
    progress: ProgressLines,
}

impl Messages for AppMaster {
    const OF_DAEMON: bool = false;

    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        if record.class() == b"TaskAttemptListenerImpl" {
            if let Some(attempt) = got_on(record.message) {
                self.progress.note((attempt, Phase::Other), record.at, line, out);
                return Fit::Known;
            }
            return match given(record.message) {
                Some(attempt) => {
                    out.event(line, record.at, &Event::TaskGiven { attempt });
                    Fit::Known
                }
                None => Fit::Other,
            };
        }
        if record.class() == b"JobHistoryEventHandler" {
            let Some(job) = kept_history(record.message) else { return Fit::Other };
            if let Some(epoch) = job.finish {
                out.event(line, record.at, &Event::EpochTold { epoch });
            }
            out.event(line, record.at, &Event::Job(Box::new(job)));
            return Fit::Known;
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
            if let Event::AmLeft { attempt, outcome: Outcome::Success } = event {
                self.progress.succeeded(attempt);
            }
            out.event(line, record.at, &event);
        }
        Fit::Known
    }

    fn end(&mut self, out: &mut Out<'_>) {
        self.progress.give_out(out);
    }
}

/// `Progress of TaskAttempt ATT is : 0.667`.
fn got_on(message: &[u8]) -> Option<AttemptId> {
    let (attempt, rest) = AttemptId::parse_prefix(message.strip_prefix(b"Progress of TaskAttempt ")?)?;
    rest.starts_with(b" is : ").then_some(attempt)
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
    Some(Event::Job(Box::new(JobRecord::with_status(job, history::job_status(to)?))))
}

/// `Copying …jhist to …/JOB-submit-user-name-finish-maps-reduces-status-queue-launch.jhist_tmp`, when a job is over: its
/// history may not be there, but what its name says is. Maps and reduces are those that succeeded, so all of a success.
fn kept_history(message: &[u8]) -> Option<JobRecord> {
    let path = message.strip_prefix(b"Copying ")?.strip_suffix(b".jhist_tmp")?;
    let (job, rest) = JobId::parse_prefix(path.rsplit(|b| *b == b'/').next()?)?;
    let mut parts = rest.strip_prefix(b"-")?.split(|b| *b == b'-');
    let mut part = || std::str::from_utf8(parts.next()?).ok();
    let time = |text: &str| history::time(text.parse().ok()?);
    let (submit, user, name) = (time(part()?)?, history::name(&decoded(part()?)), history::name(&decoded(part()?)));
    let finish = time(part()?)?;
    let (maps, reduces) = (part()?.parse().ok(), part()?.parse().ok());
    let status = history::job_status(part()?)?;
    let (maps, reduces) = if status == JobStatus::Success { (maps, reduces) } else { (None, None) };
    let launch = part().and_then(|_queue| time(part()?));
    Some(JobRecord { job, name, user, submit: Some(submit), launch, finish: Some(finish), status, maps, reduces })
}

/// A part of a history's name, as it was before `URLEncoder` wrote it.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, mark)) = rest.char_indices().find(|(_, c)| matches!(c, '+' | '%')) {
        let (before, behind) = rest.split_at(at);
        bytes.extend(before.bytes());
        // A sign would be read as part of a number.
        let is_code = |hex: &&str| mark == '%' && hex.bytes().all(|b| b.is_ascii_hexdigit());
        let code = behind.get(1..3).filter(is_code).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(code.unwrap_or(if mark == '+' { b' ' } else { b'%' }));
        rest = behind.get(if code.is_some() { 3 } else { 1 }..).unwrap_or_default();
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `ATT TaskAttempt Transitioned from A to B`, of the transitions that count; since 2.8 those to FAILED are
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
    use crate::format::tests::rows;

    #[test]
    fn name_of_the_kept_history_sums_the_job_up() {
        let of = |status: &str| {
            let name = format!("job_1795226467746_0011-1795227689878-ann-word+count%2D2-1795227773981-30-4-{status}");
            let to = format!("hdfs://h300:9000/done/ann/{name}-root.default-1795227694986.jhist_tmp");
            kept_history(format!("Copying hdfs://h300:9000/s/job_1795226467746_0011_1.jhist to {to}").as_bytes())
        };
        let record = of("SUCCEEDED").unwrap();
        assert_eq!((record.user.as_deref(), record.name.as_deref()), (Some("ann"), Some("word count-2")));
        let times = [record.submit, record.launch, record.finish].map(|at| at.map(|at| at.millis()));
        assert_eq!(times, [Some(1_795_227_689_878), Some(1_795_227_694_986), Some(1_795_227_773_981)]);
        assert_eq!((record.status, record.maps, record.reduces), (JobStatus::Success, Some(30), Some(4)));
        assert_eq!(of("FAILED").map(|record| (record.status, record.maps)), Some((JobStatus::Failed, None)));
        assert!(of("RUNNING").is_none());
        assert!(
            kept_history(b"Copying hdfs://h300:9000/s/job_1_0011_1_conf.xml to hdfs://h/job_1_0011_conf.xml_tmp")
                .is_none()
        );
        assert_eq!(decoded("100%+of%zz%e"), "100% of%zz%e");
        assert_eq!(decoded("100%+f%-1%2B"), "100% f%-1+");
    }

    #[test]
    fn job_ends_with_its_last_step() {
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
    fn last_progress_of_an_attempt_is_kept_unless_it_succeeds() {
        let told = |to: &str| {
            let class = "org.apache.hadoop.mapred.TaskAttemptListenerImpl";
            let at = |second: u32| format!("2026-11-21 02:16:{second},000 INFO [IPC Server handler 7]");
            let got_on = |second: u32, done: &str| {
                format!("{} {class}: Progress of TaskAttempt attempt_1_0001_m_000000_0 is : {done}\n", at(second))
            };
            let class = "org.apache.hadoop.mapreduce.v2.app.job.impl.TaskAttemptImpl";
            let left = format!("attempt_1_0001_m_000000_0 TaskAttempt Transitioned from RUNNING to {to}");
            let left = format!("{} {class}: {left}\n", at(55));
            let rows = rows(&AmSyslog, &[got_on(10, "0.0"), got_on(13, "0.1"), left].concat());
            let progress = rows.iter().filter(|row| matches!(row.event, Event::Progress { phase: Phase::Other, .. }));
            progress.map(|row| row.at.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(told("KILL_CONTAINER_CLEANUP"), ["2026-11-21 02:16:13,000"]);
        assert_eq!(told("SUCCESS_FINISHING_CONTAINER"), [""; 0]);
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
