//! The rows of tasks and jobs: those of the histories, then those that only logs tell of.
//!
//! ```text
//! start     history's START_TIME, else the TaskTracker's launch
//! finish    history's FINISH_TIME, else the end in logs
//! ```
//! What neither tells stays empty. A job is there if it has a task or a history.
//!
//! Cost: O(attempts · log attempts); tasks take the room of what was told of them.

use super::phases::Phases;
use super::told::HistoryAttempt;
use super::{Builder, Found, Histories, LoggedAttempt, LoggedSpan};
use crate::base::{AttemptId, Gathered, JobId, NodeId, Timestamp};
use crate::model::{Counters, Job, JobStatus, Outcome, TaskAttempt, TaskType};
use std::collections::BTreeSet;

impl Builder<'_> {
    /// Tasks of the histories, then those that only logs tell of.
    #[inline(never)]
    pub(super) fn push_tasks(&mut self, logged: &[LoggedAttempt], found: &mut Found) {
        let attempts = std::mem::take(&mut self.histories.attempts).into_rows();
        let mut errors = std::mem::take(&mut self.logs.errors);
        let mut logged_error = |attempt, outcome| {
            if outcome == Some(Outcome::Success) { None } else { errors.remove(&attempt) }
        };
        // Row by row in the same place: a task is no larger than what was told of it.
        let tasks = attempts.into_iter().map(|HistoryAttempt { record, node, place }| {
            let launch = self.launch_of(record.attempt);
            let start = record.start.or(launch.map(|(_, seen)| seen.start));
            let (finish, outcome) = match (record.finish, record.outcome) {
                (None, None) => self.end_by_logs(record.attempt, start),
                told => told,
            };
            TaskAttempt {
                id: record.attempt,
                task_type: record.task_type,
                node: node.or_else(|| self.node_by_logs(record.attempt)).or(launch.and_then(|(node, _)| node)),
                start,
                log_start: self.log_start(record.attempt),
                shuffle_end: record.shuffle_end,
                sort_end: record.sort_end,
                finish,
                outcome,
                counters: record.counters,
                error: record.error.or_else(|| logged_error(record.attempt, outcome)),
                place,
            }
        });
        found.tasks = tasks.collect();
        found.tasks.reserve_exact(logged.len());
        for r in logged {
            let is_reduce = r.task_type == TaskType::Reduce;
            let phases = if is_reduce { self.phases_of(r) } else { Phases::default() };
            let outcome = r.end.map(|(_, outcome)| outcome);
            found.tasks.push(TaskAttempt {
                id: r.attempt,
                task_type: r.task_type,
                node: r.node,
                start: Some(r.start),
                log_start: self.log_start(r.attempt),
                shuffle_end: phases.shuffle_end,
                sort_end: phases.sort_end,
                // Logs of two daemons tell: by their clocks it may have ended before it began.
                finish: r.end.map(|(end, _)| end.max(r.start)),
                outcome,
                counters: Counters::default(),
                error: logged_error(r.attempt, outcome),
                place: r.place,
            });
        }
    }

    fn log_start(&self, attempt: AttemptId) -> Option<Timestamp> {
        self.logs.task_logs.get(&attempt)?.first_line().map(|(at, _)| at)
    }

    /// The first TaskTracker that launched an attempt, and what it saw of it.
    fn launch_of(&self, attempt: AttemptId) -> Option<(Option<NodeId>, LoggedSpan)> {
        let launches = self.logs.launched.range((attempt, None)..).take_while(|((found, _), _)| *found == attempt);
        launches.map(|((_, node), seen)| (*node, *seen)).min_by_key(|(_, seen)| seen.start)
    }

    /// The end of an attempt of which its history has none, as its states have it.
    fn end_by_logs(&self, attempt: AttemptId, start: Option<Timestamp>) -> (Option<Timestamp>, Option<Outcome>) {
        let end = match self.launch_of(attempt) {
            Some((_, seen)) => seen.end,
            None => self.logged_end(attempt),
        };
        end.map(|(end, outcome)| (start.map_or(end, |start| end.max(start)), outcome)).unzip()
    }

    #[inline(never)]
    pub(super) fn push_jobs(self, found: &mut Found) {
        let Histories { mut jobs, mut applications, confs, queues, memory, .. } = self.histories;
        let seen: BTreeSet<JobId> = found.tasks.iter().map(|t| t.id.job).chain(jobs.keys().copied()).gathered();
        found.jobs.extend(seen.into_iter().map(|id| {
            let told = jobs.remove(&id).or_else(|| applications.remove(&id));
            told.map_or_else(|| Job::of(id, JobStatus::Running), Job::from)
        }));
        (found.confs, found.queues, found.memory) = (confs, queues, memory);
    }
}
