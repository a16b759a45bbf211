//! What metrics are joined and compared by, as all other logs tell it, so that it can be done elsewhere
//! while these are still being paired.
//!
//! ```text
//! all logs ── hosts, clock, attempts ──► Basis ─┐
//!                     │                         ├─► samples, and a trace in which they are compared
//! metrics ────────────┼─────────────────────────┘
//!                     └──► blocks, shuffle, complaints …: all else
//! ```

use super::clock::Timeline;
use super::hosts::Hosts;
use super::{FileView, Found, Input, is_metrics, samples};
use crate::base::{FileId, Gathered, Lookup, NodeId};
use crate::model::{Capacity, Digest, Node, State, StateKind, Trace, formats, packed::Lanes};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What all logs but metrics tell of those.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Basis {
    nodes: Vec<Node>,
    by_name: BTreeMap<String, NodeId>,
    capacities: BTreeMap<NodeId, Capacity>,
    clusters: Vec<Vec<NodeId>>,
    /// By which it is known how busy a node was with tasks.
    states: Vec<State>,
    /// Whose each file of metrics is and how its times become UTC, in the order of the files; nothing of one
    /// that is read elsewhere.
    files: Vec<Option<(Option<NodeId>, Timeline)>>,
}

impl Basis {
    /// What is known when attempts are paired.
    #[inline(never)]
    pub(super) fn of(input: &Input<'_>, hosts: &Hosts, found: &Found) -> Self {
        let place = |f: &FileView<'_>| f.copy.is_none().then(|| (f.node, f.zone.clone()));
        Self {
            nodes: nodes(input, hosts, &found.ran, &BTreeSet::new()),
            by_name: input.by_name.clone(),
            capacities: super::files::capacities(input),
            clusters: found.clusters.clone(),
            states: found.states.within(|(kind, _)| StateKind::OF_WORK.contains(&kind)).collect(),
            files: input.files.iter().filter(|f| f.is_metrics()).map(place).collect(),
        }
    }

    /// The metrics of a digest, joined, in a trace that holds no more than they are compared by. The digest may
    /// be the one that this was found in, or its files of metrics alone.
    #[must_use]
    pub fn trace(self, digest: &Digest) -> Trace {
        let metrics = digest.files().filter(|(_, file)| is_metrics(file));
        let placed = metrics.zip(self.files).filter_map(|(file, place)| Some((file, place?)));
        let files = (0..).map(FileId).zip(placed).map(|(id, ((key, digest), (node, zone)))| FileView {
            id,
            digest,
            path: &key.path,
            bytes: key.bytes,
            node,
            zone,
            dated: true,
            last: None,
            copy: None,
        });
        let input = Input {
            files: files.collect(),
            by_ip: Lookup::default(),
            by_name: self.by_name,
            ends: Vec::new(),
            finishes: BTreeMap::new(),
            corrections: super::skew::Corrections::default(),
        };
        let of_nodes = samples::files_of_nodes(&input, &mut Found::default());
        Trace {
            samples: samples::join(&input, &of_nodes),
            nodes: self.nodes,
            capacities: self.capacities,
            processors: samples::processors(&input),
            clusters: self.clusters,
            states: Lanes::from_rows(self.states),
            ..Trace::default()
        }
    }
}

/// All nodes by their names. Those are peers that ran tasks, or are slaves and no master; where logs tell of none,
/// those `watched`, by metrics or system calls, that are no master, since there is nothing else to tell peers by.
pub(super) fn nodes(input: &Input<'_>, hosts: &Hosts, ran: &BTreeSet<NodeId>, watched: &BTreeSet<NodeId>) -> Vec<Node> {
    let mut peers = peers_by_logs(input, ran);
    if peers.is_empty() {
        let masters = masters(input);
        peers.extend(watched.iter().filter(|node| !masters.contains(node)));
    }
    let named = (0..).map(NodeId).zip(hosts.names());
    named.map(|(id, name)| Node { name: name.to_owned(), is_peer: peers.contains(&id) }).collect()
}

/// The nodes that ran tasks, or are slaves and no master.
pub(super) fn peers_by_logs(input: &Input<'_>, ran: &BTreeSet<NodeId>) -> BTreeSet<NodeId> {
    let (slaves, masters) = (nodes_with(input, &formats::PER_NODE), masters(input));
    slaves.iter().filter(|node| !masters.contains(node)).chain(ran).copied().gathered()
}

fn masters(input: &Input<'_>) -> BTreeSet<NodeId> {
    nodes_with(input, &formats::MASTERS)
}

/// The nodes that have a log of one of these formats.
fn nodes_with(input: &Input<'_>, formats: &[&str]) -> BTreeSet<NodeId> {
    formats.iter().flat_map(|format| input.files_of(format)).filter_map(|f| f.node).gathered()
}
