//! A task's own log: `syslog` and `syslog.shuffle` of a container (0.23 to 3.x), and
//! `userlogs/attempt_…/syslog` (0.18 to 1.x).
//!
//! ```text
//! … [main] org.apache.hadoop.mapred.Task: Task 'attempt_1795226467746_0009_m_000003_0' done.
//! … [EventFetcher …] ….reduce.EventFetcher: attempt_…_r_000002_0 Thread started: EventFetcher …
//! … [main] ….reduce.MergeManagerImpl: finalMerge called with 20 in-memory map-outputs and 0 on-disk …
//! … [main] org.apache.hadoop.mapred.Merger: Down to the last merge-pass, with 20 segments left …
//! ```
//! Written by Task, ReduceTask, `org.apache.hadoop.mapreduce.task.reduce` and YarnChild.
//! The log's owner is the first attempt in a message of Task, TaskRunner, EventFetcher or
//! YarnChild, or that begins one of ReduceTask's; else the attempt in the path. The
//! container stands in the path and, from 3.x on, in the banner of YarnChild; another log of it may name the
//! attempt where this one does not.
//!
//! A log of clearing up after a failed or killed attempt (`processName=CLEANUP`) ends
//! with `Task 'ATT' done.` too; that is not the attempt's end, so it says nothing here.
//! Cost: O(line); see [`super::fetches`] for what is held.

use super::daemon::{Fit, Messages, Walk};
use super::fetches::Fetches;
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{AttemptId, ContainerId, TaskLetter, Timestamp, bytes};
use crate::model::{Clock, Event, formats};

/// The format.
#[derive(Debug)]
pub struct TaskSyslog;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::TASK_SYSLOG,
    title: "Task log",
    versions: "0.18 to 3.x",
    written_by: "org.apache.hadoop.mapred.Task",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "2026-11-20 21:25:08,213 INFO org.apache.hadoop.mapred.ReduceTask: Shuffling 382585 bytes (382589 raw bytes) into RAM from attempt_202611202124_0001_m_000000_0",
        "2026-11-20 21:25:08,609 INFO org.apache.hadoop.mapred.ReduceTask: Read 382585 bytes from map-output for attempt_202611202124_0001_m_000000_0",
        "2026-11-21 02:13:53,543 INFO [EventFetcher for fetching Map Completion Events] org.apache.hadoop.mapreduce.task.reduce.EventFetcher: attempt_1795226467746_0008_r_000002_0 Thread started: EventFetcher for fetching Map Completion Events",
        "2026-11-21 02:13:53,843 INFO [fetcher#1] org.apache.hadoop.mapreduce.task.reduce.ShuffleSchedulerImpl: h301:13562 freed by fetcher#1 in 201ms",
        "2026-11-21 02:16:12,643 INFO [main] org.apache.hadoop.mapred.Task: Task 'attempt_1795226467746_0009_m_000003_0' done.",
    ],
};

impl Format for TaskSyslog {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, Kind::Task)
    }

    fn start(&self, path: &str) -> Box<dyn Parse> {
        let path = path.as_bytes();
        Box::new(Walk::new(Task {
            path_attempt: AttemptId::find(path),
            container: ContainerId::find(path),
            ..Task::default()
        }))
    }
}

#[derive(Debug, Default)]
struct Task {
    path_attempt: Option<AttemptId>,
    container: Option<ContainerId>,
    owner: Option<AttemptId>,
    first: Option<(u64, Timestamp)>,
    /// Its first line is one of the middle of an attempt: the lines before it are lost.
    is_headless: bool,
    /// It has a line that the JVM of a container writes when it starts.
    starts: bool,
    fetches: Fetches,
    final_merge: Option<(u64, Timestamp)>,
    last_pass: Option<(u64, Timestamp)>,
    /// The log of a JVM that was started to clear up.
    clears_up: bool,
    /// The attempt has failed and clears up after itself.
    cleaning: bool,
}

impl Messages for Task {
    const OF_DAEMON: bool = false;

    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let place = (line, record.at);
        if self.first.is_none() {
            self.first = Some(place);
            self.is_headless = is_of_the_middle(record);
        }
        if self.owner.is_none() {
            self.owner = owner_of(record);
        }
        self.starts |= is_of_the_start(record);
        let message = record.message;
        if self.fetches.message(message, record.at, line, self.owner.or(self.path_attempt), out) {
            return Fit::Known;
        }
        match record.class() {
            b"Task" | b"TaskRunner" => self.task_line(record, line, out),
            b"Merger" if message.starts_with(b"Down to the last merge-pass") => {
                if self.final_merge.is_some() {
                    self.last_pass = Some(place);
                }
                Fit::Known
            }
            b"JvmMetrics" if message.ends_with(b"processName=CLEANUP, sessionId=") => {
                self.clears_up = true;
                Fit::Known
            }
            _ if message.starts_with(b"finalMerge called with ") => {
                self.final_merge.get_or_insert(place);
                Fit::Known
            }
            _ => Fit::Other,
        }
    }

    fn continuation(&mut self, text: &[u8]) {
        if self.container.is_none() && text.starts_with(b"user.dir: ") {
            self.container = ContainerId::find(text);
        }
    }

    fn end(&mut self, out: &mut Out<'_>) {
        let Some(attempt) = self.owner.or(self.path_attempt) else { return self.end_unnamed(out) };
        self.fetches.end(Some(attempt), self.final_merge.is_some(), out);
        if self.clears_up && self.cleaning {
            return;
        }
        if let Some((line, at)) = self.first {
            let container = self.container;
            let log = match self.is_headless {
                true => Event::TaskLogCut { attempt, container },
                false => Event::TaskLog { attempt, container },
            };
            out.event(line, at, &log);
        }
        if let Some((line, at)) = self.final_merge {
            out.event(line, at, &Event::FinalMerge { attempt });
        }
        if let Some((line, at)) = self.last_pass {
            out.event(line, at, &Event::LastMergePass { attempt });
        }
    }
}

impl Task {
    /// Of a log that does not name its attempt, its begin may be told.
    fn end_unnamed(&self, out: &mut Out<'_>) {
        if let (true, Some((line, at)), Some(container)) = (self.starts, self.first, self.container) {
            out.event(line, at, &Event::ContainerLog { container });
        }
    }

    /// `Task 'ATT' done.`, `Runnning cleanup for the task` (spelt so until 3.x).
    fn task_line(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let message = record.message;
        if message.ends_with(b"ning cleanup for the task") {
            self.cleaning = true;
            return Fit::Known;
        }
        let Some((attempt, rest)) = message.strip_prefix(b"Task '").and_then(AttemptId::parse_prefix) else {
            return Fit::Other;
        };
        if rest.starts_with(b"' done") && !self.cleaning {
            out.event(line, record.at, &Event::TaskDone { attempt });
        }
        Fit::Known
    }
}

/// Whether no JVM of a task begins its log with this: it fetches, merges or ends.
fn is_of_the_middle(record: &Record<'_>) -> bool {
    let is_end = |message: &[u8]| {
        message.ends_with(b"' done.")
            || bytes::contains(message, b" is allowed to commit now")
            || bytes::contains(message, b" is done. And is in the process of commit")
    };
    match record.class() {
        b"ReduceTask"
        | b"Fetcher"
        | b"EventFetcher"
        | b"ShuffleScheduler"
        | b"ShuffleSchedulerImpl"
        | b"Merger"
        | b"MergeManager"
        | b"MergeManagerImpl" => true,
        b"Task" | b"TaskRunner" => is_end(record.message),
        b"FileOutputCommitter" => record.message.starts_with(b"Saved output of task "),
        _ => false,
    }
}

/// Whether the JVM of a container begins with this: `ReduceTask metrics system started`, `Executing with tokens: …`.
fn is_of_the_start(record: &Record<'_>) -> bool {
    match record.class() {
        b"MetricsSystemImpl" => record.message.ends_with(b"Task metrics system started"),
        b"YarnChild" => record.message.starts_with(b"Executing with tokens"),
        _ => false,
    }
}

/// The attempt whose log a message shows this to be.
fn owner_of(record: &Record<'_>) -> Option<AttemptId> {
    match record.class() {
        b"Task" | b"TaskRunner" | b"EventFetcher" | b"YarnChild" => AttemptId::find(record.message),
        b"ReduceTask" => AttemptId::parse_prefix(record.message)
            .map(|(attempt, _)| attempt)
            .filter(|attempt| attempt.letter == TaskLetter::Reduce),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{read, rows};

    fn log(lines: &[&str]) -> String {
        lines.iter().map(|line| format!("2026-11-20 21:24:10,119 INFO org.apache.hadoop.mapred.{line}\n")).collect()
    }

    const DONE: &str = "TaskRunner: Task 'attempt_1_0001_m_000000_0' done.";

    fn count(text: &str, which: fn(&Event) -> bool) -> usize {
        rows(&TaskSyslog, text).iter().filter(|row| which(&row.event)).count()
    }

    #[test]
    fn done_after_a_failure_is_no_success() {
        let done = |event: &Event| matches!(event, Event::TaskDone { .. });
        assert_eq!(count(&log(&[DONE]), done), 1);
        assert_eq!(count(&log(&["TaskRunner: Runnning cleanup for the task", DONE]), done), 0);
    }

    #[test]
    fn log_of_clearing_up_is_not_the_attempts() {
        let start = "JvmMetrics: Initializing JVM Metrics with processName=CLEANUP, sessionId=";
        let clears = log(&[start, "TaskRunner: Runnning cleanup for the task", DONE]);
        assert!(rows(&TaskSyslog, &clears).is_empty());
        // A job's clean-up task is a task of its own.
        assert_eq!(rows(&TaskSyslog, &log(&[start, "TaskRunner: Cleaning up job", DONE])).len(), 2);
    }

    #[test]
    fn sort_ends_with_the_last_pass_after_the_final_merge() {
        let pass = "Merger: Down to the last merge-pass, with 1 segments left of total size: 4619 bytes";
        let merge = "MergeManagerImpl: finalMerge called with 1 in-memory map-outputs and 0 on-disk map-outputs";
        let owner = "EventFetcher: attempt_1_0001_r_000000_0: Got 1 new map-outputs";
        let lines = |lines: &[&str]| {
            let found = rows(&TaskSyslog, &log(lines)).into_iter();
            found.filter(|row| matches!(row.event, Event::LastMergePass { .. })).map(|row| row.line).collect::<Vec<_>>()
        };
        assert_eq!(lines(&[owner, pass, merge, pass, pass]), [5]);
        assert!(lines(&[owner, pass, merge]).is_empty());
    }

    #[test]
    fn log_without_its_head_does_not_tell_when_the_attempt_began() {
        let cut = |event: &Event| matches!(event, Event::TaskLogCut { .. });
        let whole = |event: &Event| matches!(event, Event::TaskLog { .. });
        let start = "JvmMetrics: Initializing JVM Metrics with processName=MAP, sessionId=";
        let commits = "TaskRunner: Task:attempt_1_0001_r_000000_0 is done. And is in the process of commiting";
        let links = "TaskRunner: Creating symlink: /a <- /b";
        for (lines, is_cut) in [(&[DONE][..], 1), (&[start, DONE], 0), (&[commits, DONE], 1), (&[links, DONE], 0)] {
            assert_eq!((count(&log(lines), cut), count(&log(lines), whole)), (is_cut, 1 - is_cut), "{lines:?}");
        }
    }

    #[test]
    fn log_without_its_attempt_tells_when_its_container_began() {
        let path = "h1/userlogs/application_1_0001/container_1_0001_01_000002/syslog";
        let begun = |path: &str, lines: &[&str]| {
            let digest = read(&TaskSyslog, path, log(lines).as_bytes());
            digest.events.iter().filter(|row| matches!(row.event, Event::ContainerLog { .. })).count()
        };
        let (other, started) = ("MapTask: x", "YarnChild: Executing with tokens:");
        assert_eq!(begun(path, &[other, started]), 1);
        assert_eq!(begun(path, &[other, other]), 0, "it may be of the middle");
        assert_eq!(begun("h1/syslog", &[other, started]), 0);
        assert_eq!(begun(path, &[other, started, DONE]), 0, "it names the attempt");
    }

    #[test]
    fn what_the_log_says_goes_before_its_path() {
        let path = "userlogs/attempt_9_0001_m_000009_0/syslog";
        let digest = read(&TaskSyslog, path, log(&["MapTask: numReduceTasks: 1", DONE]).as_bytes());
        let owners: Vec<_> = digest
            .events
            .iter()
            .filter_map(|row| match row.event {
                Event::TaskLog { attempt, .. } => Some(attempt.to_string()),
                _ => None,
            })
            .collect();
        assert_eq!(owners, ["attempt_1_0001_m_000000_0"]);
    }
}
