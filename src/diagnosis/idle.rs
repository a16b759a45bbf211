//! Nodes of which nothing can be said (X10): they ran no task and moved no block while
//! others did. They look healthy to every comparison and are not known to be.
//!
//! ```text
//! h101  Map Map WriteBlock …      h104  (nothing)      no evidence: idle, or blacklisted
//! ```
//! Source: Theia, "Evaluating" (T24): 12 faulty nodes were missed because they were idle or
//! blacklisted. Cost: O(tasks), where a node
//! did neither also O(flows + complaints).

use crate::base::{Code, Gathered, NodeId};
use crate::model::{ComplaintKind, Trace};
use std::collections::BTreeSet;

/// Why nothing is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEvidence {
    /// It did nothing.
    Idle,
    /// It was given nothing to do.
    Blacklisted,
    /// Its logs are in a layout that is not read, so what it did is not known.
    Unread,
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
            Self::Unread => "unread",
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
    let named = trace.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
    let blacklisted: BTreeSet<NodeId> = named.filter_map(|c| c.of).gathered();
    let is_unread = |code: Code| matches!(code, Code::UnreadLog | Code::OtherLayout);
    let unread = trace.files.iter().filter(|file| file.issues.iter().any(|(code, ..)| is_unread(*code)));
    let unread: BTreeSet<NodeId> = unread.filter_map(|file| file.node).gathered();
    let why = |node| match (unread.contains(&node), blacklisted.contains(&node)) {
        (true, _) => NoEvidence::Unread,
        (_, true) => NoEvidence::Blacklisted,
        _ => NoEvidence::Idle,
    };
    trace.peer_nodes().filter(|node| !busy.contains(node)).map(|node| (node, why(node))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, Place, Timestamp};
    use crate::model::{Complaint, Coverage, FileInfo, Lanes, Node, State, StateKind};

    /// So many nodes of which the first works, and who was blacklisted.
    fn cluster(nodes: u32, blacklisted: impl Iterator<Item = u32>) -> Trace {
        let complaint = |of: u32| Complaint {
            kind: ComplaintKind::Blacklisted,
            by: None,
            of: Some(NodeId(of)),
            at: Timestamp::from_millis(1),
            job: None,
            attempt: None,
            block: None,
            took_ms: None,
            place: Place { file: FileId(0), line: 1 },
        };
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(vec![State::made(StateKind::Map, NodeId(0), (0, 1), 1)]),
            complaints: blacklisted.map(complaint).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn who_did_nothing_was_idle_or_blacklisted() {
        let found = idle(&cluster(4, [2, 0].into_iter()));
        let [one, two, three] = [1, 2, 3].map(NodeId);
        assert_eq!(found, [(one, NoEvidence::Idle), (two, NoEvidence::Blacklisted), (three, NoEvidence::Idle)]);
    }

    #[test]
    fn who_wrote_in_another_layout_is_not_called_idle() {
        let mut trace = cluster(3, std::iter::empty());
        trace.files = vec![FileInfo {
            path: String::from("h1/hadoop-u-tasktracker-h1.log"),
            node: Some(NodeId(1)),
            daemon_last: None,
            coverage: Coverage::default(),
            issues: vec![(Code::UnreadLog, 1, vec![0])],
        }];
        assert_eq!(idle(&trace), [(NodeId(1), NoEvidence::Unread), (NodeId(2), NoEvidence::Idle)]);
    }

    /// Each node looked for in all lines, it takes minutes.
    #[test]
    fn many_idle_nodes_end_in_time() {
        let (nodes, lines) = (100_000, 500_000);
        assert_eq!(idle(&cluster(nodes, (0..lines).map(|_| 1))).len(), nodes as usize - 1);
    }
}
