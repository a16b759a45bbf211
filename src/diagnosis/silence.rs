//! Nodes that fall silent: the last line of all their daemons lies long before the end of
//! everybody else's logs.
//!
//! Logs may also be gathered at different times, or be cut. So only a single silent node
//! counts, and none of which others tell that it went on: an attempt that succeeded there, or a
//! transfer that ended there, after its own last line. A daemon without work has nothing to
//! log either: who falls silent leaves something [`unfinished`], or somebody misses it.

use crate::base::{NodeId, Timestamp};
use crate::model::{Complaint, Outcome, State, TaskAttempt, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A node is silent if its last line is so much older than the cluster's: three missed
/// TaskTracker expiry checks at the shortest interval seen (HADOOP default: 10 min).
pub const SILENCE_MS: i64 = 45_000;

/// What others tell of a node so long after its last line shows it alive: clocks differ, and
/// what was under way when it fell is told a few heartbeats later.
const ALIVE_MS: i64 = 10_000;

/// The one node that falls silent of all but those `elsewhere`, when, and for how many milliseconds until the end.
#[must_use]
pub fn silent_since(trace: &Trace, elsewhere: &BTreeSet<NodeId>) -> Option<(NodeId, Timestamp, i64)> {
    let mut last: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for file in &trace.files {
        if let (Some(node), Some(at)) = (file.node.filter(|node| !elsewhere.contains(node)), file.daemon_last) {
            let slot = last.entry(node).or_insert(at);
            *slot = (*slot).max(at);
        }
    }
    let end = last.values().max().copied()?;
    let mut silent = last.into_iter().map(|(node, at)| (node, at, end.millis_since(at)));
    let mut silent = silent.by_ref().filter(|(.., ms)| *ms > SILENCE_MS);
    let one = silent.next()?;
    (silent.next().is_none() && !went_on(trace, one.0, one.1)).then_some(one)
}

/// Whether the node was at work when it fell silent, or others complain of it from then on.
#[must_use]
pub fn unfinished(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let begun = |s: &State| s.node == Some(node) && s.start.is_some_and(|start| start <= last);
    let cut_off = |s: &State| begun(s) && (s.open || (s.end > last && s.outcome != Some(Outcome::Success)));
    let missed = |c: &Complaint| c.of == Some(node) && c.by != Some(node) && last.millis_since(c.at) <= ALIVE_MS;
    trace.states.iter().any(|s| cut_off(&s)) || trace.complaints.iter().any(missed)
}

/// Whether others tell of work that ended well on the node after its own last line.
fn went_on(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let later = |at: Timestamp| at.millis_since(last) > ALIVE_MS;
    let attempt =
        |t: &TaskAttempt| t.node == Some(node) && t.outcome == Some(Outcome::Success) && t.finish.is_some_and(later);
    let end = Some(node.0);
    trace.tasks.iter().any(attempt) || trace.flows.iter().any(|f| (f.src == end || f.dest == end) && later(f.end))
}
