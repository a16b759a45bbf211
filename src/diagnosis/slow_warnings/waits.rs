//! Fetches that reduces are at when they end, far longer than others take: whom they wait for.
//!
//! A line that tells of a failed fetch has no length; one that never ended has, and begins it.

use super::BEHIND;
use crate::base::quantity::of_millis;
use crate::base::{NodeId, Timestamp};
use crate::model::{Complaint, FlowKind, Trace};
use std::collections::BTreeSet;

/// A fetch so many times shorter than the shortest wait is none itself: a wait lasts so many times as long as others.
const SHORTER: u64 = 3;

/// How a node is waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Waits {
    /// Nodes whose reduces do, where none waits for another.
    pub(super) peers: usize,
    fetches: usize,
    /// The shortest.
    least_ms: u64,
}

impl Waits {
    /// Among complaints of fetches.
    pub(super) fn of(node: NodeId, complaints: &[&Complaint]) -> Self {
        let (mut found, mut by) = (Self { least_ms: u64::MAX, ..Self::default() }, BTreeSet::new());
        let mut of_another = false;
        for (c, took_ms) in complaints.iter().filter_map(|c| Some((c, c.took_ms?))) {
            if c.of == Some(node) {
                found.fetches += 1;
                found.least_ms = took_ms.min(found.least_ms);
                by.extend(c.by);
            } else {
                of_another = true;
            }
        }
        found.peers = if of_another { 0 } else { by.len() };
        found
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
