//! How far nodes' clocks are ahead of ApplicationMasters', as far as phases of reduces show it.
//!
//! In histories of YARN the ends of a reduce's phases are by its node's clock ("set by the task",
//! `TaskAttemptListenerImpl.statusUpdate`, 0.23 to 3.x), begin and end of the attempt by its ApplicationMaster's:
//!
//! ```text
//! ApplicationMaster   start        last map's finish                    finish
//! node                                  └─ ≤ shuffle end ≤ sort end ─ ≤ ─┘
//! ```
//! A phase cannot end before what it waits for, nor after its attempt. Where a node's do, its clock is off by as much at
//! least, and that is taken out: else a node whose clock lags by 15 s would reduce for 15 s longer than its peers.
//! Cost: O(attempts).

use super::told::Attempts;
use crate::base::{Gathered, JobId, NodeId, Timestamp};
use crate::model::{Outcome, TaskType};
use std::collections::BTreeMap;

/// By job and node: milliseconds that the node is ahead, none of those that phases allow to be right.
#[derive(Default)]
pub(super) struct PhaseClocks(BTreeMap<(JobId, NodeId), i64>);

impl PhaseClocks {
    #[inline(never)]
    pub(super) fn of(attempts: &Attempts) -> Self {
        let last_maps = last_maps(attempts);
        let mut bounds: BTreeMap<(JobId, NodeId), (i64, i64)> = BTreeMap::new();
        for told in attempts.iter() {
            let (record, job) = (&told.record, told.record.attempt.job);
            let succeeded = record.task_type == TaskType::Reduce && record.outcome == Some(Outcome::Success);
            let phases = record.shuffle_end.zip(record.sort_end);
            let (Some(node), Some((shuffle_end, sort_end)), Some(finish)) = (told.node, phases, record.finish) else {
                continue;
            };
            // A JobTracker's history has all times by the tracker's clock.
            if job.is_dated() || !succeeded {
                continue;
            }
            let waited_for = record.start.max(last_maps.get(&job).copied()).unwrap_or(shuffle_end);
            let (least, most) = bounds.entry((job, node)).or_insert((i64::MIN, i64::MAX));
            *least = sort_end.millis_since(finish).max(*least);
            *most = shuffle_end.millis_since(waited_for).min(*most);
        }
        let is_off = |(_, (least, most)): &(_, (i64, i64))| least <= most && (*least > 0 || *most < 0);
        let ahead = |(of, (least, most)): (_, (i64, i64))| (of, if least > 0 { least } else { most });
        Self(bounds.into_iter().filter(is_off).map(ahead).gathered())
    }

    /// How far a node is ahead of the ApplicationMaster of a job.
    pub(super) fn ahead_ms(&self, job: JobId, node: Option<NodeId>) -> i64 {
        node.and_then(|node| self.0.get(&(job, node))).copied().unwrap_or_default()
    }
}

/// When the last map of each job had its output for the first time; a reduce may have fetched that, be the map run again.
fn last_maps(attempts: &Attempts) -> BTreeMap<JobId, Timestamp> {
    let mut last: BTreeMap<JobId, Timestamp> = BTreeMap::new();
    let mut maps = attempts.iter().map(|told| &told.record).filter(|r| r.task_type == TaskType::Map).peekable();
    while let Some(record) = maps.next() {
        let mut first = record.finish;
        while let Some(again) = maps.next_if(|next| next.attempt.first() == record.attempt.first()) {
            first = [first, again.finish].into_iter().flatten().min();
        }
        if let Some(first) = first {
            let held = last.entry(record.attempt.job).or_insert(first);
            *held = first.max(*held);
        }
    }
    last
}
