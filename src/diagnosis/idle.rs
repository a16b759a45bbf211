//! Nodes of which nothing can be said (X10): they ran no task and moved no block while
//! others did. They look healthy to every comparison and are not known to be.
//!
//! ```text
//! h101  Map Map WriteBlock …      h104  (nothing)      no evidence: idle, or blacklisted
//! ```
//! Source: Theia, "Evaluating" (T24): 12 faulty nodes were missed because they were idle or
//! blacklisted. Cost: O(tasks), where a node
//! did neither also O(flows + complaints).

use crate::base::{Gathered, NodeId};
use crate::model::{ComplaintKind, Trace};
use std::collections::BTreeSet;

/// Why nothing is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEvidence {
    /// It did nothing.
    Idle,
    /// It was given nothing to do.
    Blacklisted,
    /// It did too little for any method to compare it.
    TooFewData,
    /// Too few nodes are of its cluster and hardware ([`super::hardware`]).
    NoPeers,
}

impl NoEvidence {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Blacklisted => "blacklisted",
            Self::TooFewData => "too-few-data",
            Self::NoPeers => "no-peers",
        }
    }
}

/// The peers that did nothing while others did something, in order of node.
#[must_use]
pub fn idle(trace: &Trace) -> Vec<(NodeId, NoEvidence)> {
    let mut busy: BTreeSet<NodeId> = trace.states.lanes().filter_map(|(_, node)| node).gathered();
    busy.extend(trace.tasks.iter().filter_map(|t| t.node));
    if trace.peer_nodes().all(|node| busy.contains(&node)) {
        return Vec::new();
    }
    // Behind the nodes stand addresses that are no node's: no peer has their number.
    busy.extend(trace.flows.iter().flat_map(|f| [f.src, f.dest]).flatten().map(NodeId));
    if !trace.peer_nodes().any(|node| busy.contains(&node)) {
        return Vec::new();
    }
    let blacklisted =
        |node| trace.complaints.iter().any(|c| c.kind == ComplaintKind::Blacklisted && c.of == Some(node));
    let why = |node| if blacklisted(node) { NoEvidence::Blacklisted } else { NoEvidence::Idle };
    trace.peer_nodes().filter(|node| !busy.contains(node)).map(|node| (node, why(node))).collect()
}
