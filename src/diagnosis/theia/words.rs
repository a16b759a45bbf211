//! What daemons say of a node's hardware that counts of attempts alone do not show.
//!
//! ```text
//! DataNode on cloud07   10-04 02:11  First Verification failed for blk_…: Input/output error ┐
//!                       10-04 02:14  First Verification failed for blk_…: Input/output error ├ one incident
//!                       10-04 02:29  …                                                       ┘
//! ```
//! A history is silent while no job runs (T24: eight of the paper's twelve misses), but daemons
//! go on: a DataNode verifies its blocks, a master listens to heartbeats. Words of one node
//! that follow each other within [`PAUSE_MS`] are one incident. Those at a time at which an
//! incident of the node is known already belong to it. Words about many nodes at one time are
//! no node's.
//!
//! They accuse by themselves elsewhere ([`crate::diagnosis::slow_warnings`]); here they are put in their place
//! in time. Cost: O(complaints log complaints).

use super::absence::alone;
use super::incident::{Incident, IncidentKind};
use crate::base::{Arrange, NodeId, Timestamp};
use crate::model::{ComplaintKind, Trace};
use std::collections::BTreeMap;

/// A longer silence ends an incident.
const PAUSE_MS: i64 = 2 * 3_600_000;
/// Complaints that speak of hardware, or of a node as a whole.
const OF_HARDWARE: [ComplaintKind; 4] =
    [ComplaintKind::LostNode, ComplaintKind::UnhealthyNode, ComplaintKind::BadDisk, ComplaintKind::BadChecksum];

/// The incidents that words alone tell, beside those that are `known`.
#[must_use]
pub fn find(trace: &Trace, peers: &[NodeId], known: &[Incident]) -> Vec<Incident> {
    let mut said: BTreeMap<NodeId, Vec<Timestamp>> = BTreeMap::new();
    for complaint in trace.complaints.iter().filter(|c| OF_HARDWARE.contains(&c.kind)) {
        if let Some(node) = complaint.of.filter(|node| peers.binary_search(node).is_ok()) {
            said.entry(node).or_default().push(complaint.at);
        }
    }
    let mut known_of: BTreeMap<NodeId, Vec<&Incident>> = BTreeMap::new();
    for incident in known {
        known_of.entry(incident.node).or_default().push(incident);
    }
    let mut found = Vec::new();
    for (node, mut times) in said {
        times.arrange(Ord::cmp);
        for words in times.chunk_by(|a, b| b.millis_since(*a) <= PAUSE_MS) {
            let (Some(first), Some(last)) = (words.first(), words.last()) else { continue };
            // The last word takes some time too: a span of nothing meets nothing.
            let span = (*first, last.plus_millis(1));
            if known_of.get(&node).is_some_and(|of| of.iter().any(|i| i.meets(span))) {
                continue;
            }
            let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
            found.push(Incident {
                node,
                kind: IncidentKind::Said,
                span,
                jobs: Vec::new(),
                bad: (count, count),
                peers: (0, 0),
                score: f64::from(count),
                passed: false,
            });
        }
    }
    alone(&found, peers.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, Place};
    use crate::model::Complaint;

    const HOUR_MS: i64 = 3_600_000;

    fn trace(said: &[(u32, i64, ComplaintKind)]) -> Trace {
        let complaint = |(node, hours, kind): &(u32, i64, ComplaintKind)| Complaint {
            kind: *kind,
            by: Some(NodeId(*node)),
            of: Some(NodeId(*node)),
            at: Timestamp::from_millis(hours * HOUR_MS),
            job: None,
            attempt: None,
            block: None,
            took_ms: None,
            place: Place { file: FileId(0), line: 1 },
        };
        Trace { complaints: said.iter().map(complaint).collect(), ..Trace::default() }
    }

    /// Node, first and last hour, words of each incident among five nodes.
    fn found(said: &[(u32, i64, ComplaintKind)], known: &[Incident]) -> Vec<(u32, i64, i64, u32)> {
        found_among(5, said, known)
    }

    /// The same among so many.
    fn found_among(nodes: u32, said: &[(u32, i64, ComplaintKind)], known: &[Incident]) -> Vec<(u32, i64, i64, u32)> {
        let peers: Vec<NodeId> = (0..nodes).map(NodeId).collect();
        let row = |i: &Incident| (i.node.0, i.span.0.millis() / HOUR_MS, i.span.1.millis() / HOUR_MS, i.bad.0);
        find(&trace(said), &peers, known).iter().map(row).collect()
    }

    #[test]
    fn words_that_many_nodes_say_at_a_time_are_no_nodes() {
        let bad = ComplaintKind::BadDisk;
        let said = [(1, 10, bad), (2, 10, bad), (1, 30, bad), (3, 50, bad), (4, 53, bad), (3, 52, bad)];
        assert_eq!(
            found(&said, &[]),
            [(1, 30, 30, 1), (3, 50, 52, 2), (4, 53, 53, 1)],
            "a tenth of five nodes, at least one"
        );
    }

    #[test]
    fn words_within_two_hours_are_one_incident() {
        let bad = ComplaintKind::BadDisk;
        assert_eq!(found(&[(1, 10, bad), (1, 12, bad), (1, 15, bad)], &[]), [(1, 10, 12, 2), (1, 15, 15, 1)]);
    }

    #[test]
    fn ordinary_complaints_and_strangers_are_none() {
        assert_eq!(found(&[(1, 10, ComplaintKind::ReadBroken), (9, 10, ComplaintKind::BadDisk)], &[]), []);
    }

    #[test]
    fn of_twenty_nodes_two_may_have_the_same_trouble_at_a_time() {
        let bad = ComplaintKind::BadDisk;
        let at_once = |nodes: u32| (0..nodes).map(|node| (node, 10, bad)).collect::<Vec<_>>();
        assert_eq!(found_among(20, &at_once(2), &[]), [(0, 10, 10, 1), (1, 10, 10, 1)]);
        assert_eq!(found_among(20, &at_once(3), &[]), []);
        assert_eq!(found_among(19, &at_once(2), &[]), [], "more than a tenth");
    }

    #[test]
    fn what_is_known_is_not_told_twice() {
        let bad = ComplaintKind::BadDisk;
        let said = [(1, 10, bad), (1, 11, bad)];
        let all = find(&trace(&said), &[NodeId(1)], &[]);
        assert_eq!(found(&said, &all), []);
        let elsewhere = Incident { node: NodeId(2), ..all[0].clone() };
        assert_eq!(found(&said, &[elsewhere]), [(1, 10, 11, 2)]);
    }
}
