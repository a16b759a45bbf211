//! Nodes that fall silent: the last line of all their daemons lies long before the end of
//! everybody else's logs.
//!
//! Assumes that logs of all nodes were gathered at one time. A cluster whose logs end at
//! many times tells nothing, so only a single silent node counts.

use crate::base::{NodeId, Timestamp};
use crate::model::Trace;
use std::collections::BTreeMap;

/// A node is silent if its last line is so much older than the cluster's: three missed
/// TaskTracker expiry checks at the shortest interval seen (HADOOP default: 10 min).
pub const SILENCE_MS: i64 = 45_000;

/// The one node that falls silent, when, and for how many milliseconds until the end.
#[must_use]
pub fn silent_since(trace: &Trace) -> Option<(NodeId, Timestamp, i64)> {
    let mut last: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for file in &trace.files {
        if let (Some(node), Some(at)) = (file.node, file.daemon_last) {
            let slot = last.entry(node).or_insert(at);
            *slot = (*slot).max(at);
        }
    }
    let end = last.values().max().copied()?;
    let mut silent = last.into_iter().map(|(node, at)| (node, at, end.millis_since(at)));
    let mut silent = silent.by_ref().filter(|(.., ms)| *ms > SILENCE_MS);
    let one = silent.next()?;
    silent.next().is_none().then_some(one)
}
