//! TaskTracker log, Hadoop 0.18 to 1.x.
//!
//! ```text
//! … TaskTracker: LaunchTaskAction (registerTask): attempt_202611202124_0001_m_000000_0 task's state:UNASSIGNED
//! … TaskTracker: attempt_202611202124_0001_r_000000_0 0.3240741% reduce > copy (35 of 36 at 0.29 MB/s) >
//! … TaskTracker: Task attempt_202611202124_0001_m_000000_0 is done.
//! … TaskTracker.clienttrace: src: 10.77.1.11:50060, dest: …, op: MAPRED_SHUFFLE, cliID: attempt_…
//! ```
//! Written by `org.apache.hadoop.mapred.TaskTracker` and `TaskRunner`. Which of the end
//! lines of one attempt counts is decided by the `states` room; here each is reported.
//! Of the lines of progress, the first and the last of each phase count.
//! Cost: O(line), plus O(log attempts) for a progress line.

use super::clienttrace;
use super::daemon::{Fit, Messages, Walk};
use super::kind::{self, Kind};
use super::log4j::Record;
use super::progress::ProgressLines;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{AttemptId, JobId, bytes};
use crate::model::{Clock, Event, Outcome, Phase, formats};
use std::collections::BTreeSet;

/// The format.
#[derive(Debug)]
pub struct TaskTracker;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::TASKTRACKER,
    title: "TaskTracker log",
    versions: "0.18 to 1.x",
    written_by: "org.apache.hadoop.mapred.TaskTracker",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "2026-11-20 21:24:44,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction (registerTask): attempt_202611202124_0001_m_000000_0 task's state:UNASSIGNED",
        "2026-11-20 21:25:47,984 INFO org.apache.hadoop.mapred.TaskTracker: attempt_202611202124_0001_r_000000_0 0.3240741% reduce > copy (35 of 36 at 0.29 MB/s) > ",
        "2026-11-20 21:24:52,914 INFO org.apache.hadoop.mapred.TaskTracker: Task attempt_202611202124_0001_m_000000_0 is done.",
        "2026-11-20 21:25:05,511 INFO org.apache.hadoop.mapred.TaskTracker.clienttrace: src: 10.77.1.11:50060, dest: 10.77.1.12:34788, bytes: 352523, op: MAPRED_SHUFFLE, cliID: attempt_202611202124_0001_m_000000_0",
    ],
};

impl Format for TaskTracker {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, Kind::TaskTracker)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Walk::new(Tracker::default()))
    }
}

#[derive(Debug, Default)]
struct Tracker {
    progress: ProgressLines,
    /// Attempts that this tracker clears up after: their `cleanup` is not a job's.
    clearing: BTreeSet<AttemptId>,
}

impl Messages for Tracker {
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        match record.class() {
            b"clienttrace" => {
                let (fit, event) = clienttrace::event_of(record.message);
                if let Some(event) = event {
                    clienttrace::give_out(&event, record, line, out);
                }
                fit
            }
            b"TaskTracker" | b"TaskRunner" | b"MapTaskRunner" | b"ReduceTaskRunner" => {
                if record.message.starts_with(b"attempt_") {
                    return self.attempt_line(record, line, out);
                }
                match event_of(record.message) {
                    (fit, Some(event)) => {
                        match event {
                            Event::Launched { attempt, cleanup: true } => {
                                self.clearing.insert(attempt);
                            }
                            Event::Ended { attempt, outcome: Outcome::Success } => self.progress.succeeded(attempt),
                            _ => {}
                        }
                        out.event(line, record.at, &event);
                        fit
                    }
                    (fit, None) => fit,
                }
            }
            _ => Fit::Other,
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        self.progress.give_out(out);
    }
}

impl Tracker {
    /// `ATT 0.32% reduce > copy (…)`, `ATT Child Error`, `ATT: Task ATT failed to report …`.
    fn attempt_line(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let Some((attempt, rest)) = AttemptId::parse_prefix(record.message) else { return Fit::Malformed };
        if let Some(phase) = state_of(rest).map(phase_of) {
            let clears_up = phase == Phase::Cleanup && self.clearing.contains(&attempt);
            if !clears_up {
                self.progress.note((attempt, phase), record.at, line, out);
            }
            return Fit::Known;
        }
        let text = rest.trim_ascii_start();
        let text = text.strip_prefix(b":").unwrap_or(text).trim_ascii_start();
        let failed = text.starts_with(b"Child Error") || bytes::contains(text, b"failed to report status for");
        if failed {
            out.event(line, record.at, &Event::Ended { attempt, outcome: Outcome::Failed });
            return Fit::Known;
        }
        Fit::Other
    }
}

/// The state string of ` 0.3240741% STATE`.
fn state_of(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b" ")?;
    let percent = text.iter().position(|b| !(b.is_ascii_digit() || matches!(b, b'.' | b'E' | b'-')))?;
    text.get(percent..)?.strip_prefix(b"% ")
}

/// The phase that a state string names. What a job writes there itself is none, nor is a map's split.
fn phase_of(state: &[u8]) -> Phase {
    if let Some(rest) = state.strip_prefix(b"reduce > ") {
        return match rest {
            r if r.starts_with(b"copy") => Phase::Copy,
            r if r.starts_with(b"sort") => Phase::Sort,
            r if r.starts_with(b"reduce") => Phase::Reduce,
            _ => Phase::Other,
        };
    }
    // 0.21 appends the phase of the map that the task poses as: `setup > map`.
    match state.split(|b| *b == b'>').next().unwrap_or_default().trim_ascii() {
        b"setup" => Phase::Setup,
        b"cleanup" => Phase::Cleanup,
        _ => Phase::Other,
    }
}

/// What a line says that does not begin with an attempt.
fn event_of(message: &[u8]) -> (Fit, Option<Event>) {
    let ended =
        |text: &[u8], outcome| AttemptId::parse_prefix(text).map(|(attempt, _)| Event::Ended { attempt, outcome });
    // Hot shapes first: a busy TaskTracker serves map output all day.
    if message.starts_with(b"Sent out ") {
        return (Fit::Known, None);
    }
    if let Some(text) = message.strip_prefix(b"Task ") {
        return task_line(text);
    }
    if let Some(text) = message.strip_prefix(b"LaunchTaskAction") {
        return Fit::of(launched(text));
    }
    if let Some(text) = message.strip_prefix(b"Task: ") {
        let killed = AttemptId::parse_prefix(text).filter(|(_, rest)| rest.trim_ascii_start().starts_with(b"- Killed"));
        return match killed {
            Some((attempt, _)) => (Fit::Known, Some(Event::Ended { attempt, outcome: Outcome::Failed })),
            None => (Fit::Other, None),
        };
    }
    if let Some(text) = message.strip_prefix(b"Received 'KillJobAction' for job: ") {
        return Fit::of(JobId::parse_prefix(text).map(|(job, _)| Event::JobKilled { job }));
    }
    for (prefix, outcome) in ENDS {
        if let Some(text) = message.strip_prefix(*prefix) {
            // `Error from unknown child task: …` names an attempt that this tracker does not have.
            return if text.starts_with(b"attempt_") { Fit::of(ended(text, *outcome)) } else { (Fit::Other, None) };
        }
    }
    (Fit::Other, None)
}

/// Beginnings of messages that end the attempt named behind them.
const ENDS: &[(&[u8], Outcome)] = &[
    (b"Received KillTaskAction for task: ", Outcome::Killed),
    (b"Received 'KillTaskAction' for task: ", Outcome::Killed),
    (b"About to purge task: ", Outcome::Killed),
    (b"Error initializing ", Outcome::Failed),
    (b"Error from ", Outcome::Failed),
];

/// `ATT is done.` or `ATT failed to report status for …`, behind `Task `.
fn task_line(text: &[u8]) -> (Fit, Option<Event>) {
    let Some((attempt, rest)) = AttemptId::parse_prefix(text) else { return (Fit::Other, None) };
    let outcome = match rest {
        r if r.starts_with(b" is done") => Outcome::Success,
        r if r.starts_with(b" failed to report status for") => Outcome::Failed,
        _ => return (Fit::Known, None),
    };
    (Fit::Known, Some(Event::Ended { attempt, outcome }))
}

/// ` (registerTask): ATT task's state:STATE`, or `: ATT` before 0.20.
fn launched(text: &[u8]) -> Option<Event> {
    let text = bytes::after(text, b": ")?;
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    let state = rest.strip_prefix(b" task's state:").unwrap_or_default();
    let cleanup = state.starts_with(b"FAILED_UNCLEAN") || state.starts_with(b"KILLED_UNCLEAN");
    Some(Event::Launched { attempt, cleanup })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::rows;

    fn said(messages: &[&str]) -> Vec<Event> {
        let text: String = messages.iter().zip(10..).map(|(message, second)| line(second, message)).collect();
        rows(&TaskTracker, &text).into_iter().map(|row| row.event).collect()
    }

    fn line(second: u32, message: &str) -> String {
        format!("2026-11-20 21:24:{second},119 INFO org.apache.hadoop.mapred.TaskTracker: {message}\n")
    }

    fn map(text: &str) -> Option<AttemptId> {
        AttemptId::parse(text.as_bytes())
    }

    #[test]
    fn unclean_states_launch_a_cleanup() {
        for (state, cleanup) in [("UNASSIGNED", false), ("FAILED_UNCLEAN", true), ("KILLED_UNCLEAN", true)] {
            let message = format!("LaunchTaskAction (registerTask): attempt_1_0001_m_000000_0 task's state:{state}");
            let attempt = map("attempt_1_0001_m_000000_0").into_iter();
            let expected: Vec<_> = attempt.map(|attempt| Event::Launched { attempt, cleanup }).collect();
            assert_eq!(said(&[&message]), expected);
        }
    }

    #[test]
    fn removing_files_and_waiting_for_commit_are_no_ends() {
        assert!(said(&["attempt_1_0001_m_000000_0 done; removing files."]).is_empty());
        assert!(said(&["Error from unknown child task: attempt_1_0001_m_000000_0. Ignored."]).is_empty());
        assert!(said(&["Task attempt_1_0001_m_000000_0 is in commit-pending, task state:COMMIT_PENDING"]).is_empty());
    }

    #[test]
    fn progress_keeps_first_and_last_line_of_a_phase() {
        let copy = "attempt_1_0001_r_000000_0 0.1% reduce > copy (1 of 3 at 0.05 MB/s) > ";
        let text: String = (10..=14).map(|second| line(second, copy)).collect();
        let rows = rows(&TaskTracker, &text);
        assert_eq!(rows.len(), 1);
        let place = rows.first().map(|row| (row.line, row.at.to_string()));
        assert_eq!(place, Some((5, "2026-11-20 21:24:14,119".into())));
        let first = rows.first().map(|row| match &row.event {
            Event::Progress { phase: Phase::Copy, first, .. } => first.to_string(),
            other => format!("{other:?}"),
        });
        assert_eq!(first.as_deref(), Some("2026-11-20 21:24:10,119"));
    }

    #[test]
    fn phases_are_told_from_what_a_job_writes() {
        let phase = |state: &str| state_of(format!(" 1.0E-4% {state}").as_bytes()).map(phase_of);
        assert_eq!(phase("reduce > sort"), Some(Phase::Sort));
        assert_eq!(phase("reduce > reduce"), Some(Phase::Reduce));
        assert_eq!(phase("setup"), Some(Phase::Setup));
        assert_eq!(phase("cleanup > map"), Some(Phase::Cleanup));
        assert_eq!(phase("setup of the model"), Some(Phase::Other));
        assert_eq!(phase("hdfs://h100:9000/data/part-00001:0+4194304"), Some(Phase::Other));
    }

    /// A history has all that is asked of a success.
    #[test]
    fn last_progress_of_an_attempt_is_kept_unless_it_succeeds() {
        let told = |end: &str| {
            let split = "attempt_1_0001_m_000000_0 0.5% hdfs://h100:9000/data/part-00001:0+4194304";
            let events = said(&["attempt_1_0001_m_000000_0 0.0% ", split, end]);
            events.iter().filter(|event| matches!(event, Event::Progress { phase: Phase::Other, .. })).count()
        };
        assert_eq!(told("Received KillTaskAction for task: attempt_1_0001_m_000000_0"), 1);
        assert_eq!(told("attempt_1_0001_m_000000_0 Child Error"), 1);
        assert_eq!(told("Task attempt_1_0001_m_000000_0 is done."), 0);
        assert_eq!(told("Task attempt_1_0001_m_000001_0 is done."), 1);
    }

    #[test]
    fn cleanup_of_an_attempt_is_not_that_of_a_job() {
        let launch = "LaunchTaskAction (registerTask): attempt_1_0001_m_000000_0 task's state:KILLED_UNCLEAN";
        let events =
            said(&[launch, "attempt_1_0001_m_000000_0 0.0% cleanup", "attempt_1_0001_m_000009_0 0.0% cleanup"]);
        let phases = events.iter().filter(|event| matches!(event, Event::Progress { .. })).count();
        assert_eq!((events.len(), phases), (2, 1));
    }
}
