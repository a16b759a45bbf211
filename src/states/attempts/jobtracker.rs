//! What a JobTracker tells of attempts: all that is known of them where no TaskTracker's log is there.
//!
//! ```text
//! Adding task 'ATT' to tip …, for tracker 'tracker_HOST:…'   begin, at the answer to a heartbeat
//! Task 'ATT' has completed TIP successfully.                 success, at a later heartbeat
//! Error from ATT: …                                          failed
//! Error from ATT: Lost task tracker: tracker_HOST:…          killed, since its tracker was lost
//! (nothing)                                                  killed when another attempt of its task succeeds
//! ```
//! 0.20 does not say which attempts set up and clear up their job: it sends them first and last, numbered behind all maps
//! or reduces (`JobInProgress.initTasks`). Later versions print the type.

use super::logs::Logs;
use crate::base::{Arrange, AttemptId, FileId, NodeId, TaskLetter};
use crate::model::errors::LOST_TRACKER;
use crate::model::{Event, Outcome, TaskType, formats};
use crate::states::{FileView, Input};
use std::collections::{BTreeMap, BTreeSet};

/// Reads one log, of as many files as it was rolled into.
#[inline(never)]
pub(super) fn read(input: &Input<'_>, daemon: &[&FileView<'_>], logs: &mut Logs) {
    let mut untold: Vec<AttemptId> = Vec::new();
    for (row, place) in input.tasks_in(daemon) {
        match row.event {
            Event::AttemptError { attempt, error } => {
                // `JobTracker.lostTaskTracker` reports them to their job as KILLED, and the history says so.
                let outcome = if error.starts_with(LOST_TRACKER) { Outcome::Killed } else { Outcome::Failed };
                logs.master_left.entry(attempt).or_insert((row.at, outcome));
                logs.errors.entry(attempt).or_insert(error);
            }
            Event::TaskAssigned { task_type: Some(TaskType::TaskCleanup), .. } => {}
            Event::TaskAssigned { attempt, task_type, host } => {
                match task_type {
                    Some(task_type @ (TaskType::Setup | TaskType::Cleanup)) => {
                        logs.types.entry(attempt).or_insert(task_type);
                    }
                    Some(_) => {}
                    None => untold.push(attempt),
                }
                if let Some(node) = input.node_named(&host) {
                    logs.sent.entry(attempt).or_insert(node);
                    logs.master_running.entry(attempt).or_insert((row.at, place));
                }
            }
            Event::TaskCompleted { attempt } => {
                logs.master_left.entry(attempt).or_insert((row.at, Outcome::Success));
            }
            _ => {}
        }
    }
    untold.arrange_by(|attempt| attempt.job);
    for sent in untold.chunk_by(|a, b| a.job == b.job) {
        let [set_up, clean_up] = ends_of_job(sent);
        for (attempt, task_type) in [(set_up, TaskType::Setup), (clean_up, TaskType::Cleanup)] {
            if let Some(attempt) = attempt {
                logs.types.entry(attempt).or_insert(task_type);
            }
        }
    }
}

/// Where it sent these attempts.
#[inline(never)]
pub(super) fn place(
    input: &Input<'_>,
    daemon: &[&FileView<'_>],
    attempts: &BTreeSet<AttemptId>,
    sent: &mut BTreeMap<AttemptId, NodeId>,
) {
    for (row, _) in input.tasks_in(daemon) {
        if let Event::TaskAssigned { attempt, task_type, host } = row.event
            && task_type != Some(TaskType::TaskCleanup)
            && attempts.contains(&attempt)
            && let Some(node) = input.node_named(&host)
        {
            sent.entry(attempt).or_insert(node);
        }
    }
}

/// Which of these attempts a JobTracker sent and heard no end of, neither theirs nor of another try at their task; with the
/// log that says so.
#[inline(never)]
pub(super) fn awaited(input: &Input<'_>, open: &BTreeSet<AttemptId>) -> BTreeMap<AttemptId, FileId> {
    let mut awaited = BTreeMap::new();
    for daemon in input.daemons(formats::JOBTRACKER) {
        for (row, place) in input.tasks_in(&daemon) {
            match row.event {
                Event::TaskAssigned { task_type: Some(TaskType::TaskCleanup), .. } => {}
                Event::TaskAssigned { attempt, .. } if open.contains(&attempt) => {
                    awaited.insert(attempt, place.file);
                }
                Event::TaskCompleted { attempt } => {
                    let tries = |id: &AttemptId| id.first() == attempt.first();
                    while let Some(id) = awaited.range(attempt.first()..).map(|(id, _)| *id).next().filter(tries) {
                        awaited.remove(&id);
                    }
                }
                Event::AttemptError { attempt, .. } => {
                    awaited.remove(&attempt);
                }
                _ => {}
            }
        }
    }
    awaited
}

/// Which of a job's attempts, in the order in which they were sent, sets it up and which clears up. Of N maps and R
/// reduces the former is map N + 1 or reduce R + 1, the latter map N or reduce R. Where the first is not seen, the last
/// may be ordinary. The first is seen where the first try at task 0 follows it, of a map or, in a job without maps, of a
/// reduce: a log that begins amid the job, or tells of second tries alone, holds no set-up.
fn ends_of_job(sent: &[AttemptId]) -> [Option<AttemptId>; 2] {
    let [first, rest @ ..] = sent else { return [None, None] };
    let begins = rest.iter().any(|id| (id.task, id.attempt) == (0, 0));
    let tasks = |letter: TaskLetter, of: &[AttemptId]| {
        let mut tasks: Vec<u32> = of.iter().filter(|id| id.letter == letter).map(|id| id.task).collect();
        tasks.arrange(Ord::cmp);
        tasks.dedup();
        tasks
    };
    if !begins || first.attempt > 0 || first.task == 0 || tasks(first.letter, rest).last() >= Some(&first.task) {
        return [None, None];
    }
    let same = rest.iter().find(|id| id.letter == first.letter && id.task + 1 == first.task);
    // All of the other letter were sent before, and no number is left out.
    let other = rest.split_last().filter(|(last, before)| {
        last.letter != first.letter && last.task > 0 && tasks(last.letter, before).len() == last.task as usize
    });
    [Some(*first), same.or(other.map(|(last, _)| last)).copied()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_sent_first_and_last_behind_all_numbers_are_the_jobs_own() {
        let ends = |sent: &[&str]| {
            let sent: Vec<AttemptId> =
                sent.iter().map(|id| AttemptId::parse(format!("attempt_1_0001_{id}_0").as_bytes()).unwrap()).collect();
            ends_of_job(&sent).map(|id| id.map(|id| id.task))
        };
        let [m0, m1, m2, m3, m4] = ["m_000000", "m_000001", "m_000002", "m_000003", "m_000004"];
        assert_eq!(ends(&[m4, m0, m2, m1, "r_000000", m3]), [Some(4), Some(3)], "three maps");
        assert_eq!(ends(&[m4, m0, m2, m1]), [Some(4), None], "still at work");
        assert_eq!(ends(&[m0, m2, m1, m3]), [None, None], "the log begins later, or a fourth map is the last");
        assert_eq!(ends(&["r_000002", m0, m1, "r_000000", "r_000001"]), [Some(2), Some(1)], "one reduce");
        assert_eq!(ends(&["r_000002", m0, m1, "r_000000", m2]), [Some(2), Some(2)], "two maps, one reduce");
        assert_eq!(ends(&["r_000002", m0, m2, "r_000000"]), [Some(2), None], "map 1 is to come");
        assert_eq!(ends(&[m0]), [None, None]);
        assert_eq!(ends(&[]), [None, None]);
    }

    #[test]
    fn log_that_begins_amid_a_job_tells_not_what_set_it_up() {
        let ends = |sent: &[&str]| {
            let id = |id: &&str| AttemptId::parse(format!("attempt_1_0001_{id}").as_bytes()).unwrap();
            ends_of_job(&sent.iter().map(id).collect::<Vec<_>>()).map(|id| id.map(|id| id.task))
        };
        assert_eq!(ends(&["r_000001_0"]), [None, None], "the last reduce of a job");
        assert_eq!(ends(&["r_000003_1", "r_000000_1", "m_000002_1"]), [None, None], "only second tries");
        assert_eq!(ends(&["m_000005_1", "m_000000_0", "m_000001_0"]), [None, None], "a second try is no set-up");
        assert_eq!(ends(&["m_000003_0", "m_000000_0", "m_000001_0"])[0], Some(3));
    }
}
