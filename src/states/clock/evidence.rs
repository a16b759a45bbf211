//! Pairs of a local and an epoch time of the same instant.
//!
//! ```text
//! 2026-11-20 21:24:44,119 … LaunchTaskAction (registerTask): attempt_…_m_000000_0 task's state:UNASSIGNED
//! START_TIME="1795227884210"                                   → +18 000 000 ms (UTC−5)
//! h100_1795227629679_job_202611202120_0001_hadoop_sorter       → the same, from one name
//! ```
//! Only times of one clock are paired: an attempt's begin in its TaskTracker's log and in
//! the history are both the tracker's; a task's end in the JobTracker's log and in the history,
//! and an attempt's times in the ApplicationMaster's log and the history, both the master's.
//! So a node whose clock is off leaves the zone as it is.

use super::timeline::Fold;
use crate::base::{AttemptId, JobId, Timestamp};
use crate::model::{Clock, Event, Evidence, FileDigest, Outcome, Row, Topic, formats};
use crate::states::attempts::HISTORIES;
use crate::states::copies::File;
use std::collections::BTreeMap;

/// The JobTracker's start in a job's id has no seconds; half a minute is their middle.
const HALF_MINUTE_MS: i64 = 30_000;

/// One pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The time in the log's clock.
    pub local: Timestamp,
    /// The same instant, or nearly, in epoch milliseconds.
    pub epoch: Timestamp,
    /// What it was.
    pub kind: Evidence,
}

/// What the histories say of each attempt.
#[derive(Default)]
pub struct Epochs {
    starts: BTreeMap<AttemptId, Timestamp>,
    finishes: BTreeMap<AttemptId, Timestamp>,
    /// When each task ended of a JobTracker that has a log; its first attempt's id stands for it.
    tasks: BTreeMap<AttemptId, Timestamp>,
}

impl Epochs {
    /// From all histories.
    pub fn read(files: &[File<'_>]) -> Self {
        let mut epochs = Self::default();
        let has_master = files.iter().any(|(_, file)| file.format == formats::JOBTRACKER);
        for (_, file) in files.iter().filter(|(_, f)| f.clock == Clock::Epoch && HISTORIES.contains(&f.format.as_str()))
        {
            epochs.take(file, has_master);
        }
        epochs
    }

    #[inline(never)]
    fn take(&mut self, file: &FileDigest, has_master: bool) {
        for row in file.events.about(Topic::Summaries) {
            let a = match row.event {
                Event::Attempt(a) => a,
                Event::Task(task) if has_master && task.task.job.is_dated() => {
                    self.tasks.extend(task.finish.map(|finish| (task.task, finish)));
                    continue;
                }
                _ => continue,
            };
            if let Some(start) = a.start {
                self.starts.entry(a.attempt).or_insert(start);
            }
            if let (Some(finish), Some(Outcome::Success)) = (a.finish, a.outcome) {
                self.finishes.entry(a.attempt).or_insert(finish);
            }
        }
    }

    /// The pairs of a log, and where its time goes back by an hour.
    #[inline(never)]
    pub fn of_file(&self, file: &FileDigest) -> (Vec<Pair>, Vec<Fold>) {
        // Of a log without a night, nothing but the attempts' lines is of use.
        if file.span.is_some_and(|span| !Fold::may_lie_in(span)) {
            return (file.events.about(Topic::Tasks).filter_map(|row| self.pair(&row)).collect(), Vec::new());
        }
        let (mut pairs, mut folds) = (Vec::new(), Vec::new());
        let mut last: Option<(u64, Timestamp)> = None;
        for row in file.events.iter() {
            pairs.extend(self.pair(&row));
            // Rows that sum up others come late; they say nothing of the order of lines.
            if last.is_none_or(|(line, _)| row.line >= line) {
                folds.extend(last.and_then(|(_, before)| Fold::between(before, row.at)));
                last = Some((row.line, row.at));
            }
        }
        (pairs, folds)
    }

    /// What a row tells of an instant in epoch time.
    fn pair(&self, row: &Row) -> Option<Pair> {
        let (epoch, kind) = match row.event {
            Event::Launched { attempt, cleanup: false } | Event::AmRunning { attempt } => {
                (*self.starts.get(&attempt)?, Evidence::Attempt)
            }
            Event::TaskDone { attempt } | Event::AmLeft { attempt, outcome: Outcome::Success } => {
                (*self.finishes.get(&attempt)?, Evidence::Attempt)
            }
            Event::TaskCompleted { attempt } => (*self.tasks.get(&attempt.first())?, Evidence::Attempt),
            Event::EpochTold { epoch } => (epoch, Evidence::Summary),
            Event::ClusterStarted { stamp } => (stamp, Evidence::ClusterId),
            _ => return None,
        };
        Some(Pair { local: row.at, epoch, kind })
    }
}

/// The pair in the name of a history of 0.20 and 1.x:
/// `<jobtracker>_<its start in ms>_job_<its start, local>_<number>_<user>_<name>`.
pub fn of_name(path: &str) -> Option<Pair> {
    let name = path.rsplit('/').next()?;
    let (before, after) = name.split_once("_job_")?;
    let stamp: i64 = before.rsplit('_').next()?.parse().ok()?;
    let (job, _) = JobId::parse_digits(after.as_bytes())?;
    if !job.is_dated() || stamp < 1_000_000_000_000 {
        return None;
    }
    let part = |divisor: u64, modulus: u64| u32::try_from(job.cluster / divisor % modulus).ok();
    let local = Timestamp::from_civil(
        i64::from(part(100_000_000, 10_000)?),
        part(1_000_000, 100)?,
        part(10_000, 100)?,
        part(100, 100)?,
        part(1, 100)?,
        0,
        0,
    )?;
    let local = local.plus_millis(HALF_MINUTE_MS);
    Some(Pair { local, epoch: Timestamp::from_millis(stamp), kind: Evidence::FileName })
}

#[cfg(test)]
mod tests {
    use super::super::timeline::Timeline;
    use super::*;

    #[test]
    fn name_of_a_history_holds_both_clocks() {
        let offset = |name: &str| of_name(name).and_then(|p| Timeline::of(&[p], &[])).map(|t| t.first_ms());
        assert_eq!(offset("a/history/h100_1795227629679_job_202611202120_0001_hadoop_sorter"), Some(18_000_000));
        assert_eq!(offset("job_1795227629679_0001_conf.xml"), None);
        assert_eq!(offset("h_17_job_202611202120_0001_u_n"), None);
        assert_eq!(offset("h_1795227629679_job_202613202120_0001_u_n"), None);
    }
}
