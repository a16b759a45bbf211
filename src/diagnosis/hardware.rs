//! Nodes of two clusters, or of two kinds, are not each other's peers (X11): where the logs show several,
//! nodes are compared within their cluster and their kind of hardware.
//!
//! ```text
//! … ResourceTrackerService: NodeManager from node h304(…) registered with capability: <memory:8192, vCores:8>, …
//! Linux 2.6.32-573.el6.x86_64 (h304)     03/28/16     _x86_64_    (8 CPU)
//! h301 h302 h303   8192 MiB, 8 cores        h304 h305 h306   16384 MiB, 16 cores
//! ```
//! Source: Kahuna §III assumes like hardware. What a node offers to containers is the
//! operator's word for its size and is told before any work, so no fault moves it; the processors
//! that sysstat counts are those of the machine, and tell kinds where Hadoop 1 says nothing of them.
//! Rule: all peers tell it, each kind has as many nodes as a comparison needs, and any two
//! kinds differ by a quarter at least, in memory, cores or processors; else all are one kind.
//! Assumption: a cluster whose nodes differ in neither is not seen to differ; what racks or slots say is not used,
//! since nodes of one rack, or of few slots, are no worse than others.
//! Cost: O(nodes²).

use super::{DIAGNOSES, Diagnosis, MIN_PEERS, Method, Params, Witness};
use crate::base::NodeId;
use crate::model::Trace;
use std::collections::BTreeMap;

/// How many times more two kinds differ at least: memory found at a node's start varies by
/// some percents between equal machines.
const CLEAR_RATIO: f64 = 1.25;

/// Who are compared with one another, the kinds of each cluster, the least first; empty where all peers are of
/// one cluster and one kind.
#[must_use]
pub fn kinds(trace: &Trace) -> Vec<Vec<NodeId>> {
    let kinds: Vec<Vec<NodeId>> =
        trace.peers_by_cluster().into_iter().flat_map(|peers| kinds_of(trace, peers)).collect();
    if kinds.len() < 2 { Vec::new() } else { kinds }
}

/// The kinds of these: by what they offer, and each of those by its processors.
fn kinds_of(trace: &Trace, peers: Vec<NodeId>) -> Vec<Vec<NodeId>> {
    let offered = |node: NodeId| trace.capacities.get(&node).map(|c| [c.memory_mib, c.vcores.into()]);
    let processors = |node: NodeId| trace.processors.get(&node).map(|count| [u64::from(*count)]);
    split(peers, offered).into_iter().flat_map(|kind| split(kind, processors)).collect()
}

/// Nodes by their size, the least first; all as one where they are of one size, or where it cannot be told.
fn split<const N: usize>(nodes: Vec<NodeId>, size: impl Fn(NodeId) -> Option<[u64; N]>) -> Vec<Vec<NodeId>> {
    let mut kinds: BTreeMap<[u64; N], Vec<NodeId>> = BTreeMap::new();
    for node in &nodes {
        let Some(size) = size(*node) else { return vec![nodes] };
        kinds.entry(size).or_default().push(*node);
    }
    let sizes: Vec<&[u64; N]> = kinds.keys().collect();
    let apart = sizes.iter().enumerate().all(|(i, a)| sizes.iter().skip(i + 1).all(|b| differ(*a, *b)));
    if kinds.len() < 2 || !apart || kinds.values().any(|nodes| nodes.len() < MIN_PEERS) {
        return vec![nodes];
    }
    kinds.into_values().collect()
}

/// Whether one of the numbers is clearly another.
fn differ(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| *a.max(b) as f64 >= CLEAR_RATIO * *a.min(b) as f64)
}

/// What all methods say, each kind of node compared with itself; `tell` hears which one is at work.
#[must_use]
pub fn witnesses(trace: &mut Trace, params: &Params, tell: &dyn Fn(&str)) -> Vec<Witness> {
    turns(trace, params, &|_| true, tell).into_iter().flatten().collect()
}

/// [`witnesses`] turn by turn, a method with a kind of node each. In turns of methods that are not asked
/// nothing is said, so that others may say it elsewhere.
#[must_use]
pub fn turns(
    trace: &mut Trace,
    params: &Params,
    asked: &dyn Fn(Method) -> bool,
    tell: &dyn Fn(&str),
) -> Vec<Vec<Witness>> {
    let run = |method: &&dyn Diagnosis, trace: &Trace| {
        if !asked(method.about().method) {
            return Vec::new();
        }
        tell(&format!("comparing {}", method.about().method.compares()));
        method.run(trace, params)
    };
    let kinds = kinds(trace);
    // Words of trouble are no comparison of speeds.
    let (of_words, of_speeds): (Vec<&dyn Diagnosis>, Vec<&dyn Diagnosis>) =
        DIAGNOSES.iter().copied().partition(|method| kinds.is_empty() || method.about().method == Method::SlowWarnings);
    let mut turns: Vec<Vec<Witness>> = Vec::new();
    let peers: Vec<bool> = trace.nodes.iter().map(|node| node.is_peer).collect();
    let clusters = trace.peers_by_cluster();
    for (groups, methods) in [(kinds, of_speeds), (clusters, of_words)] {
        for group in groups {
            for (id, node) in (0..).map(NodeId).zip(&mut trace.nodes) {
                node.is_peer = group.contains(&id);
            }
            turns.extend(methods.iter().map(|method| run(method, trace)));
        }
    }
    for (node, is_peer) in trace.nodes.iter_mut().zip(peers) {
        node.is_peer = is_peer;
    }
    turns
}
