//! Whom complaints single out: the node that has most of its own, or the end of a connection that is at fault.

use super::{Rule, subjects};
use crate::base::NodeId;
use crate::model::Complaint;
use std::collections::{BTreeMap, BTreeSet};

/// Share of the connections complained of that must have the node as an end.
const SHARE_OF_PAIRS: f64 = 0.9;
/// Partners that must complain: one alone may be the one at fault.
const MIN_PARTNERS: usize = 2;
/// Share of the node's peers that must name it, where it is not an end of nearly all connections.
const SHARE_OF_PEERS: f64 = 0.5;

/// Whether a count is the node's own trouble, and not that of all alike.
pub(super) fn stands_out(
    rule: &Rule,
    counts: &BTreeMap<NodeId, usize>,
    node: NodeId,
    complaints: &[&Complaint],
    times: f64,
) -> bool {
    let own = counts.get(&node).copied().unwrap_or(0);
    if !rule.pairs {
        return counts.iter().all(|(other, count)| *other == node || own as f64 > times * *count as f64);
    }
    // Each connection has two ends, so a partner may reach the same count: what tells the
    // one at fault is that it has several partners.
    let partners: BTreeSet<NodeId> = complaints
        .iter()
        .map(|c| subjects(c, rule))
        .filter(|ends| ends.contains(&node))
        .flatten()
        .filter(|end| *end != node)
        .collect();
    own as f64 >= SHARE_OF_PAIRS * complaints.len() as f64 && partners.len() >= MIN_PARTNERS
        || named_by_peers(counts, node, complaints, rule.least, times)
        || alone_without_masters(counts, node, complaints, rule.least, times)
}

/// Whether the node complains of masters, and no peer nearly as often: they vouch for the masters.
fn alone_without_masters(
    counts: &BTreeMap<NodeId, usize>,
    node: NodeId,
    complaints: &[&Complaint],
    least: usize,
    times: f64,
) -> bool {
    let of_master = |c: &&&Complaint| c.of.is_some_and(|of| !counts.contains_key(&of));
    let mut by: BTreeMap<NodeId, usize> = BTreeMap::new();
    for reporter in complaints.iter().filter(of_master).filter_map(|c| c.by).filter(|by| counts.contains_key(by)) {
        *by.entry(reporter).or_default() += 1;
    }
    let own = by.remove(&node).unwrap_or(0);
    own >= least && by.values().all(|count| own as f64 > times * *count as f64)
}

/// Whether most peers name the node itself, and no other nearly as often: pipelines that break at one node break
/// at those before and behind it too.
fn named_by_peers(
    counts: &BTreeMap<NodeId, usize>,
    node: NodeId,
    complaints: &[&Complaint],
    least: usize,
    times: f64,
) -> bool {
    let mut named: BTreeMap<NodeId, usize> = BTreeMap::new();
    for of in complaints.iter().filter_map(|c| c.of) {
        *named.entry(of).or_default() += 1;
    }
    let own = named.remove(&node).unwrap_or(0);
    let by: BTreeSet<NodeId> = complaints.iter().filter(|c| c.of == Some(node)).filter_map(|c| c.by).collect();
    let peers = by.iter().filter(|by| counts.contains_key(by)).count();
    let enough = (SHARE_OF_PEERS * (counts.len() - 1) as f64).max(MIN_PARTNERS as f64);
    own >= least && peers as f64 >= enough && named.values().all(|count| own as f64 > times * *count as f64)
}
