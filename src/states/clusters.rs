//! Logs of several clusters given as one: which nodes belong together.
//!
//! ```text
//! job_202611202149_0001     on h101 h102 h103 h104
//! job_202611210224_0007     on h102 h103 h104        the master was started anew: still one cluster
//! job_1795226467746_0015    on h301 h302 h303        no node of these: another one
//! ```
//! Rule: a job's id begins with its master's start. Nodes that ran attempts under one start belong together, and
//! so do those that share a node. Each cluster has as many nodes as a comparison needs; else all are one, as are
//! nodes whose ids do not tell. A node that ran nothing goes with the cluster whose archive it came in.
//! Assumption: clusters whose hosts have the same names are not told apart.
//! Cost: O(nodes · starts).

use super::{FileView, Found, Input};
use crate::base::{Code, JobId, NodeId, Place};
use crate::model::MIN_PEERS;
use std::collections::BTreeMap;

/// Nodes named for each cluster in the note.
const NAMED: usize = 3;

/// Under which masters' starts each node ran attempts, each with the first line that says so.
pub(super) type Masters = BTreeMap<(NodeId, u64), Place>;

/// Notes an attempt of a node; what a machine runs for itself has no master.
pub(super) fn note(masters: &mut Masters, node: NodeId, job: JobId, place: Place) {
    if job.cluster & JobId::LOCAL == 0 {
        masters.entry((node, job.cluster)).and_modify(|first| *first = place.min(*first)).or_insert(place);
    }
}

/// The nodes of each cluster, and an issue; nothing where all are one.
pub(super) fn find(input: &Input<'_>, names: &[&str], found: &mut Found) -> Vec<Vec<NodeId>> {
    let mut clusters = together(&found.masters);
    if clusters.len() < 2 || clusters.iter().any(|nodes| nodes.len() < MIN_PEERS) {
        return Vec::new();
    }
    for nodes in &clusters {
        let places = found.masters.iter().filter(|((node, _), _)| nodes.contains(node)).map(|(_, place)| *place);
        found.issues.extend(places.min().map(|place| (place, Code::SeveralClusters)));
        found.notes.push((Code::SeveralClusters, in_words(nodes, names)));
    }
    let archive_of = |path: &'_ str| path.find('/').and_then(|end| path.get(..end)).map(str::to_owned);
    let placed = |f: &FileView<'_>| Some((f.node?, archive_of(f.path)?));
    let mut archives: Vec<(NodeId, String)> = input.files.iter().filter_map(placed).collect();
    archives.sort_unstable();
    archives.dedup();
    let (of_clusters, others): (Vec<_>, Vec<_>) = archives
        .into_iter()
        .map(|(node, archive)| (clusters.iter().position(|nodes| nodes.contains(&node)), node, archive))
        .partition(|(cluster, ..)| cluster.is_some());
    for others in others.chunk_by(|(_, a, _), (_, b, _)| a == b) {
        let beside = |(cluster, _, archive): &(Option<usize>, NodeId, String)| {
            cluster.filter(|_| others.iter().any(|(.., own)| own == archive))
        };
        let mut beside: Vec<usize> = of_clusters.iter().filter_map(beside).collect();
        beside.sort_unstable();
        beside.dedup();
        if let ([cluster], [(_, node, _), ..]) = (beside.as_slice(), others) {
            clusters.get_mut(*cluster).into_iter().for_each(|nodes| nodes.push(*node));
        }
    }
    clusters.iter_mut().for_each(|nodes| nodes.sort_unstable());
    clusters
}

/// Nodes joined by the starts that they share, in order of their first node.
fn together(masters: &Masters) -> Vec<Vec<NodeId>> {
    let ran: Vec<(NodeId, u64)> = masters.keys().copied().collect();
    let mut clusters: Vec<(Vec<u64>, Vec<NodeId>)> = Vec::new();
    for of_node in ran.chunk_by(|(a, _), (b, _)| a == b) {
        let ran_under = |start: &u64| of_node.iter().any(|(_, own)| own == start);
        let (joined, apart): (Vec<_>, Vec<_>) =
            clusters.into_iter().partition(|(starts, _)| starts.iter().any(ran_under));
        let (mut starts, mut nodes): (Vec<Vec<u64>>, Vec<Vec<NodeId>>) = joined.into_iter().unzip();
        starts.push(of_node.iter().map(|(_, start)| *start).collect());
        nodes.push(of_node.iter().take(1).map(|(node, _)| *node).collect());
        let (mut starts, mut nodes) = (starts.concat(), nodes.concat());
        starts.sort_unstable();
        starts.dedup();
        nodes.sort_unstable();
        clusters = apart;
        clusters.push((starts, nodes));
    }
    let mut clusters: Vec<Vec<NodeId>> = clusters.into_iter().map(|(_, nodes)| nodes).collect();
    clusters.sort();
    clusters
}

/// `one has h101, h102, h103 and 3 more`.
fn in_words(nodes: &[NodeId], names: &[&str]) -> String {
    let named: Vec<&str> = nodes.iter().take(NAMED).filter_map(|node| names.get(node.index()).copied()).collect();
    let more = match nodes.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("one has {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;

    fn masters(of: &[(u32, &[u64])]) -> Masters {
        let mut masters = Masters::new();
        for (node, starts) in of {
            for start in *starts {
                let place = Place { file: FileId(0), line: 1 };
                note(&mut masters, NodeId(*node), JobId { cluster: *start, number: 1 }, place);
            }
        }
        masters
    }

    fn of(masters: &Masters) -> Vec<Vec<u32>> {
        together(masters).into_iter().map(|nodes| nodes.into_iter().map(|node| node.0).collect()).collect()
    }

    #[test]
    fn nodes_that_share_a_start_belong_together() {
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[7]), (3, &[8])])), [[0, 2], [1, 3]]);
    }

    #[test]
    fn a_master_started_anew_is_one_cluster() {
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[7, 8]), (3, &[8])])), [[0, 1, 2, 3]]);
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[9]), (3, &[7, 8, 9])])), [[0, 1, 2, 3]]);
    }

    #[test]
    fn jobs_without_a_master_tell_nothing() {
        assert_eq!(of(&masters(&[(0, &[JobId::LOCAL | 5]), (1, &[7])])), [[1]]);
        assert_eq!(of(&Masters::new()), [[0; 0]; 0]);
    }

    #[test]
    fn names_are_cut_short() {
        let nodes: Vec<NodeId> = (0..5).map(NodeId).collect();
        assert_eq!(in_words(&nodes, &["a", "b", "c", "d", "e"]), "one has a, b, c and 2 more");
        assert_eq!(in_words(&nodes[..3], &["a", "b", "c"]), "one has a, b, c");
    }
}
