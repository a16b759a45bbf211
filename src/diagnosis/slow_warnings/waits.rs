//! Fetches that wait: for their connection, or, of reduces that end meanwhile, far longer than others take.
//!
//! A line that tells of a failed fetch has no length; one that never ended has, and begins it.

use super::BEHIND;
use crate::base::quantity::of_millis;
use crate::base::{Gathered, NodeId, Timestamp};
use crate::model::{Complaint, FlowKind, Trace};
use std::collections::BTreeSet;

/// A fetch so many times shorter than the shortest wait is none itself: a wait lasts so many times as long as others.
const SHORTER: u64 = 3;

/// Nodes whose reduces wait for this one, by complaints of fetches; none where one waits for another. Its own may: a node
/// that is hard to reach reaches others no better.
pub(super) fn peers_waiting(node: NodeId, complaints: &[&Complaint]) -> usize {
    let mut by = BTreeSet::new();
    for c in complaints.iter().filter(|c| c.took_ms.is_some() && c.by != Some(node)) {
        if c.of != Some(node) {
            return 0;
        }
        by.extend(c.by);
    }
    by.len()
}

/// Nodes at the other ends of a node's complaints.
pub(super) fn partners(node: NodeId, own: &[&Complaint]) -> usize {
    let ends = own.iter().flat_map(|c| [c.of, c.by]).flatten();
    ends.filter(|end| *end != node).gathered::<BTreeSet<NodeId>>().len()
}

/// How a node is waited for until reduces end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    fetches: usize,
    /// The shortest.
    least_ms: u64,
}

impl Waits {
    /// Among complaints of fetches by or from the node.
    pub(super) fn of(own: &[&Complaint], node: NodeId) -> Self {
        let lengths = || own.iter().filter(|c| c.of == Some(node)).filter_map(|c| c.took_ms);
        Self { fetches: lengths().count(), least_ms: lengths().min().unwrap_or(u64::MAX) }
    }

    /// When the last of a node's complaints, in order of time, was made, if all are such and so many fetches by or from the
    /// node began since and were far shorter.
    pub(super) fn until(self, trace: &Trace, node: NodeId, own: &[&Complaint]) -> Option<Timestamp> {
        let last = own.last().filter(|_| self.fetches == own.len())?.at;
        let mut behind = 0;
        trace.flows.each_of_kind(FlowKind::Shuffle, &mut |_, flow| {
            let is_of_node = flow.src != flow.dest && [flow.src, flow.dest].contains(&Some(node.0));
            let is_shorter = |start: Timestamp| {
                let ms = u64::try_from(flow.end.millis_since(start)).unwrap_or_default();
                SHORTER * ms <= self.least_ms
            };
            behind += usize::from(is_of_node && flow.start.is_some_and(|start| start > last && is_shorter(start)));
        });
        (behind >= BEHIND).then_some(last)
    }

    /// What is said of them behind the lines.
    pub(super) fn in_words(self) -> String {
        match self.fetches {
            0 => String::new(),
            n => format!(", {n} of them of fetches that never ended ({} and more)", of_millis(self.least_ms as f64)),
        }
    }
}
