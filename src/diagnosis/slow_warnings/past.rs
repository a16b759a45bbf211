//! Trouble that is over: what was said long before any work, and what nobody would say any more, by the attempts that came
//! through since. Cost: O(attempts), for each node that is accused.

use super::super::daemons::format_of;
use crate::base::{Gathered, NodeId, Timestamp};
use crate::model::{Complaint, ComplaintKind, Outcome, TaskAttempt, Trace, ZoneSource, formats};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts that have to succeed on a node after the last complaint of it, to say that there is nothing to complain of any more,
/// or fetches that must be quick after the last wait for one…
pub(super) const BEHIND: usize = 8;
/// …and so many times as many as began there for each complaint.
const TIMES_BEHIND: usize = 4;
/// Attempts that a master gives a node which it had lost, and that succeed.
const BACK: usize = 2;
/// Who loses nodes, and has them back when they run tasks.
const MASTERS_OF_TASKS: [&str; 2] = [formats::JOBTRACKER, formats::RESOURCEMANAGER];
/// What is said so long before the first attempt has nothing to do with it: a master waits for ten minutes for a node.
const BEFORE_WORK_MS: i64 = 600_000;

/// What tells that a complaint is of a time long before all work.
pub(super) struct Past {
    /// When the first attempt began, if complaints are of the same clock.
    first: Option<Timestamp>,
    /// Nodes on which attempts came through.
    works: BTreeSet<NodeId>,
}

impl Past {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut through: BTreeMap<NodeId, usize> = BTreeMap::new();
        for node in trace.tasks.iter().filter(|t| t.outcome == Some(Outcome::Success)).filter_map(|t| t.node) {
            *through.entry(node).or_default() += 1;
        }
        // Times of two clocks compare only where the zone is known from both.
        let is_known = match trace.clocks.source {
            ZoneSource::Found | ZoneSource::NotNeeded => true,
            ZoneSource::Given => trace.clocks.told.is_none(),
            ZoneSource::Assumed => false,
        };
        let works = through.into_iter().filter(|(_, count)| *count >= BACK).map(|(node, _)| node);
        Self { first: trace.tasks.iter().filter_map(|t| t.start).min().filter(|_| is_known), works: works.gathered() }
    }

    /// Whether a complaint was made long before any work that is known of, and its node worked since: rolled logs reach back
    /// by months. A disk that fails and a block that differs do not mend themselves.
    pub(super) fn holds(&self, c: &Complaint) -> bool {
        !matches!(c.kind, ComplaintKind::BadDisk | ComplaintKind::BadChecksum)
            && self.first.is_some_and(|first| first.millis_since(c.at) > BEFORE_WORK_MS)
            && c.of.or(c.by).is_some_and(|node| self.works.contains(&node))
    }
}

/// The attempts on a node that began since and succeeded.
fn came_through(trace: &Trace, node: NodeId, since: Timestamp) -> impl Iterator<Item = &TaskAttempt> {
    let is_meant =
        move |t: &&TaskAttempt| t.node == Some(node) && t.outcome == Some(Outcome::Success) && t.start > Some(since);
    trace.tasks.iter().filter(is_meant)
}

/// When the last of these complaints, in order of time, was made, if as many attempts on the node came through since as would
/// have seen several more. Of a node that a master of tasks had lost or kept from work a few show that it is back.
pub(super) fn until(trace: &Trace, node: NodeId, own: &[&Complaint]) -> Option<Timestamp> {
    let (first, last) = (own.first()?.at, own.last()?.at);
    let on_node = || trace.tasks.iter().filter(|t| t.node == Some(node));
    let between = on_node().filter(|t| t.start.is_some_and(|start| (first..=last).contains(&start))).count();
    let of_tasks = |c: &&Complaint| {
        let kept_away = matches!(c.kind, ComplaintKind::LostNode | ComplaintKind::UnhealthyNode);
        kept_away && format_of(trace, c.place).is_some_and(|of| MASTERS_OF_TASKS.contains(&of))
    };
    let enough = match own.iter().all(of_tasks) {
        true => BACK,
        false => BEHIND.max(TIMES_BEHIND * between / own.len()),
    };
    (came_through(trace, node, last).count() >= enough).then_some(last)
}
