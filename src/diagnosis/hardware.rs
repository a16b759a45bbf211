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
//! that sysstat counts are those of the machine that are at work, and tell kinds where Hadoop 1 says
//! nothing of them. Where some were lost, [`Number::KindsApart`] set high has their node compared with
//! the others all the same.
//! Rule: sizes that differ by less than a quarter ([`Number::KindsApart`]), in memory, cores or
//! processors, are of one kind, and so is what is like either. Where there are several, nodes whose size
//! is not told are a kind of their own. Of a kind of fewer nodes than a comparison needs nothing is said:
//! others tell nothing of them.
//! Assumption: a cluster whose nodes differ in neither is not seen to differ; what racks or slots say is not used,
//! since nodes of one rack, or of few slots, are no worse than others.
//! Cost: O(nodes²).

use super::{DIAGNOSES, Diagnosis, MIN_PEERS, Method, Number, Numbers, Params, Witness};
use crate::base::{Gathered, NodeId};
use crate::model::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// Who are compared with one another, the kinds of each cluster, the least first; empty where all peers are of
/// one cluster and one kind.
#[must_use]
pub fn kinds(trace: &Trace, numbers: &Numbers) -> Vec<Vec<NodeId>> {
    let apart = numbers.get(Number::KindsApart);
    let kinds: Vec<Vec<NodeId>> =
        trace.peers_by_cluster().into_iter().flat_map(|peers| kinds_of(trace, peers, apart)).collect();
    if kinds.len() < 2 { Vec::new() } else { kinds }
}

/// The kinds of these: by what they offer, and each of those by its processors.
fn kinds_of(trace: &Trace, peers: Vec<NodeId>, apart: f64) -> Vec<Vec<NodeId>> {
    let offered = |node: NodeId| trace.capacities.get(&node).map(|c| [c.memory_mib, c.vcores.into()]);
    let processors = |node: NodeId| trace.processors.get(&node).map(|count| [u64::from(*count)]);
    split(peers, offered, apart).into_iter().flat_map(|kind| split(kind, processors, apart)).collect()
}

/// Nodes by their size, the least first, and last those whose size is not told; all as one where one size is told.
fn split<const N: usize>(
    nodes: Vec<NodeId>,
    size: impl Fn(NodeId) -> Option<[u64; N]>,
    apart: f64,
) -> Vec<Vec<NodeId>> {
    let mut by_size: BTreeMap<[u64; N], Vec<NodeId>> = BTreeMap::new();
    let mut untold = Vec::new();
    for node in &nodes {
        match size(*node) {
            Some(size) => by_size.entry(size).or_default().push(*node),
            None => untold.push(*node),
        }
    }
    let mut kinds: Vec<Kind<N>> = Vec::new();
    for (size, nodes) in by_size {
        let mut kind = Kind { sizes: vec![size], nodes };
        let (alike, unlike): (Vec<_>, Vec<_>) = kinds.into_iter().partition(|other| other.is_like(&size, apart));
        kinds = unlike;
        for other in alike {
            kind.sizes.extend(other.sizes);
            kind.nodes.extend(other.nodes);
        }
        kinds.push(kind);
    }
    if kinds.len() < 2 {
        return vec![nodes];
    }
    let told = kinds.into_iter().map(|kind| kind.nodes);
    told.chain((!untold.is_empty()).then_some(untold)).collect()
}

/// Nodes of like size.
struct Kind<const N: usize> {
    sizes: Vec<[u64; N]>,
    nodes: Vec<NodeId>,
}

impl<const N: usize> Kind<N> {
    fn is_like(&self, size: &[u64; N], apart: f64) -> bool {
        self.sizes.iter().any(|of| !differ(of, size, apart))
    }
}

/// Whether one of the numbers is so many times another.
fn differ(a: &[u64], b: &[u64], apart: f64) -> bool {
    a.iter().zip(b).any(|(a, b)| *a.max(b) as f64 >= apart * *a.min(b) as f64)
}

/// Those of whose kind there are too few to compare them.
#[must_use]
pub fn without_peers(trace: &Trace, numbers: &Numbers) -> BTreeSet<NodeId> {
    kinds(trace, numbers).into_iter().filter(|kind| kind.len() < MIN_PEERS).flatten().gathered()
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
    let kinds = kinds(trace, &params.numbers);
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
