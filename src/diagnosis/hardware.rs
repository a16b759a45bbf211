//! Nodes of two clusters, or of two kinds, are not each other's peers (X11): where the logs show several,
//! nodes are compared within their cluster and their kind of hardware.
//!
//! ```text
//! … ResourceTrackerService: NodeManager from node h304(…) registered with capability: <memory:8192, vCores:8>, …
//! h301 h302 h303   8192 MiB, 8 cores        h304 h305 h306   16384 MiB, 16 cores
//! ```
//! Source: Kahuna §III assumes like hardware. What a node offers to containers is the
//! operator's word for its size and is told before any work, so no fault moves it.
//! Rule: all peers tell it, each kind has as many nodes as a comparison needs, and any two
//! kinds differ by a quarter at least, in memory or cores; else all are one kind.
//! Assumption: a cluster whose nodes differ and are configured alike is not seen.
//! Cost: O(nodes²).

use super::{DIAGNOSES, Diagnosis, MIN_PEERS, Method, Params, Witness};
use crate::base::NodeId;
use crate::model::{Capacity, Trace};
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

/// The kinds of these; all as one where they are, or where it cannot be told.
fn kinds_of(trace: &Trace, peers: Vec<NodeId>) -> Vec<Vec<NodeId>> {
    let mut kinds: BTreeMap<Capacity, Vec<NodeId>> = BTreeMap::new();
    for node in &peers {
        let Some(capacity) = trace.capacities.get(node) else { return vec![peers] };
        kinds.entry(*capacity).or_default().push(*node);
    }
    let all: Vec<Capacity> = kinds.keys().copied().collect();
    let apart = all.iter().enumerate().all(|(i, a)| all.iter().skip(i + 1).all(|b| differ(*a, *b)));
    if kinds.len() < 2 || !apart || kinds.values().any(|nodes| nodes.len() < MIN_PEERS) {
        return vec![peers];
    }
    kinds.into_values().collect()
}

fn differ(a: Capacity, b: Capacity) -> bool {
    let clear = |a: f64, b: f64| a.max(b) >= CLEAR_RATIO * a.min(b);
    clear(a.memory_mib as f64, b.memory_mib as f64) || clear(f64::from(a.vcores), f64::from(b.vcores))
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
