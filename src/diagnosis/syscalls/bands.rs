//! Admissible bands, learned from control runs (C05–C07).
//!
//! ```text
//! h101  stat    total 18.2 … 21.4 s   mean 1.5 … 1.9 ms   1–4 ms: 310 … 420 calls, 2.9 … 3.6 %
//! connect(fd, {…, "10.77.1.12"}, 16) = -1 EINPROGRESS     0.2 … 160 ms, 52 calls
//! ```
//! Each control run widens the bands; the order of runs makes no difference. Sums of
//! `strace -c` have bands of their own, since they count processor time.
//!
//! The paper's semantic band is that of a unique call of a node (C07): "we store the time taken for each unique system call
//! invocation for each node". To the letter it is kept so, with the arguments as they stand. By default the calls of all nodes
//! make one band, without what differs from run to run: identical hardware is assumed (C03), and a call that a node rarely makes
//! has its like on the others. Where nodes differ, that band is as wide as their differences, and hides a node that leaves its
//! own only.
//!
//! Cost: O(calls) a run; memory O(different calls), at most [`UNIQUE_KEPT`].

use super::Switches;
use super::normalise::{signature, verbatim};
use super::readiness::connections;
use super::usage::{CONNECTED, NodeUse, Usage, compared, usage};
use crate::base::{Gathered, NodeId};
use crate::model::calls::BUCKETS;
use crate::model::{Syscall, Trace};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// Different calls kept: twenty times those of a control run of our own; beyond it their
/// arguments hold ids that are not taken out, and none would match anyway.
const UNIQUE_KEPT: usize = 200_000;

/// Least and greatest value seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// Least.
    pub low: f64,
    /// Greatest.
    pub high: f64,
}

impl Range {
    /// A value alone.
    #[must_use]
    pub const fn of(value: f64) -> Self {
        Self { low: value, high: value }
    }

    fn widen(&mut self, other: Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// Whether a value lies outside.
    #[must_use]
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }

    /// By how much a value lies outside; 0 inside.
    #[must_use]
    pub fn excess(&self, value: f64) -> f64 {
        (self.low - value).max(value - self.high).max(0.0)
    }
}

/// What is admissible for one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UseBand {
    /// Time in it, microseconds (the paper's).
    pub total_us: Range,
    /// Mean time of a call, microseconds.
    pub mean_us: Range,
    /// Seconds in it each second of the trace, all threads together.
    pub per_second: Range,
    /// Calls a bucket (the paper's).
    pub counts: Vec<Range>,
    /// Share of the calls a bucket.
    pub shares: Vec<Range>,
}

impl UseBand {
    fn is_sound(&self) -> bool {
        let ranges = [self.total_us, self.mean_us, self.per_second];
        let mut ranges = ranges.iter().chain(&self.counts).chain(&self.shares);
        // What is no number is not in order either.
        ranges.all(|range| range.low <= range.high) && [&self.counts, &self.shares].map(Vec::len) == [BUCKETS; 2]
    }

    /// Whether the call was seen at all.
    pub(super) fn has_some(&self) -> bool {
        self.total_us.high > 0.0 || self.counts.iter().any(|count| count.high > 0.0)
    }

    pub(super) fn of(node: &NodeUse, name: &str) -> Self {
        let usage = node.of(name);
        Self {
            total_us: Range::of(usage.total_us as f64),
            mean_us: Range::of(usage.mean_us()),
            per_second: Range::of(per_second(node, &usage)),
            counts: usage.buckets.iter().map(|n| Range::of(*n as f64)).collect(),
            shares: (0..BUCKETS).map(|b| Range::of(usage.share(b))).collect(),
        }
    }

    pub(super) fn widen(&mut self, other: &Self) {
        self.total_us.widen(other.total_us);
        self.mean_us.widen(other.mean_us);
        self.per_second.widen(other.per_second);
        self.counts.iter_mut().zip(&other.counts).for_each(|(a, b)| a.widen(*b));
        self.shares.iter_mut().zip(&other.shares).for_each(|(a, b)| a.widen(*b));
    }
}

/// Seconds in a call each second of the trace.
#[must_use]
pub fn per_second(node: &NodeUse, usage: &Usage) -> f64 {
    if node.span_s > 0.0 { usage.total_us as f64 / 1e6 / node.span_s } else { 0.0 }
}

/// What is admissible for calls of one signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UniqueBand {
    /// Calls seen.
    pub count: u64,
    /// Shortest, microseconds.
    pub min_us: u64,
    /// Longest, microseconds.
    pub max_us: u64,
}

impl UniqueBand {
    fn widen(&mut self, other: Self) {
        self.count = self.count.saturating_add(other.count);
        self.min_us = self.min_us.min(other.min_us);
        self.max_us = self.max_us.max(other.max_us);
    }
}

/// Bands by signature.
pub type Unique = BTreeMap<String, UniqueBand>;

/// Admissible bands learned from control runs (C06, C07).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bands {
    /// Runs learned from.
    pub runs: u32,
    /// By node, then by call: of traces.
    pub traced: BTreeMap<String, BTreeMap<String, UseBand>>,
    /// By node, then by call: of `strace -c`.
    pub counted: BTreeMap<String, BTreeMap<String, UseBand>>,
    /// By signature, over all nodes: identical hardware is assumed (C03).
    pub unique: Unique,
    /// By node, then by call as it stands; empty unless learned to the letter, as they are many.
    pub own: BTreeMap<String, Unique>,
}

/// The calls compared: the paper's seven, and connections until they stand.
pub fn watched() -> impl Iterator<Item = &'static str> {
    Syscall::ALL.iter().map(|s| s.name()).chain([CONNECTED])
}

impl Bands {
    /// Bands of these control runs.
    #[must_use]
    pub fn learn(controls: &[&Trace]) -> Self {
        Self::learn_by(controls, Switches::default())
    }

    /// The same, and to the letter those of each node's calls too.
    #[must_use]
    pub fn learn_by(controls: &[&Trace], switches: Switches) -> Self {
        let mut bands = Self::default();
        controls.iter().for_each(|trace| bands.update(trace, switches));
        bands
    }

    /// Widens the bands by one more control run; one without calls teaches nothing.
    pub fn update(&mut self, control: &Trace, switches: Switches) {
        let nodes = usage(control);
        if nodes.is_empty() {
            return;
        }
        self.runs += 1;
        for (node, found) in &nodes {
            let of_kind = if found.counted { &mut self.counted } else { &mut self.traced };
            let by_call = of_kind.entry(control.node_name(*node).to_owned()).or_default();
            for name in watched() {
                let seen = UseBand::of(found, name);
                match by_call.get_mut(name) {
                    Some(band) => band.widen(&seen),
                    None => {
                        by_call.insert(name.to_owned(), seen);
                    }
                }
            }
        }
        for node in nodes.keys() {
            merge_unique(&mut self.unique, &unique(control, *node, signature));
        }
        if switches.literal {
            for node in nodes.keys() {
                let own = self.own.entry(control.node_name(*node).to_owned()).or_default();
                merge_unique(own, &unique(control, *node, verbatim));
            }
        }
    }

    /// Whether it can be compared with: what is read from a file may hold anything.
    pub(in crate::diagnosis) fn is_sound(&self) -> bool {
        let by_node = self.traced.values().chain(self.counted.values());
        by_node.flat_map(BTreeMap::values).all(UseBand::is_sound)
    }

    /// Bands of these and of others: the same as if one had learned from both.
    pub fn merge(&mut self, other: &Self) {
        self.runs = self.runs.saturating_add(other.runs);
        for (mine, theirs) in [(&mut self.traced, &other.traced), (&mut self.counted, &other.counted)] {
            for (node, calls) in theirs {
                let by_call = mine.entry(node.clone()).or_default();
                for (name, band) in calls {
                    by_call.entry(name.clone()).and_modify(|b| b.widen(band)).or_insert_with(|| band.clone());
                }
            }
        }
        merge_unique(&mut self.unique, &other.unique);
        for (node, unique) in &other.own {
            merge_unique(self.own.entry(node.clone()).or_default(), unique);
        }
    }

    fn of_kind(&self, counted: bool) -> &BTreeMap<String, BTreeMap<String, UseBand>> {
        if counted { &self.counted } else { &self.traced }
    }

    /// The band of one node's call.
    #[must_use]
    pub fn of_node(&self, counted: bool, node: &str, name: &str) -> Option<UseBand> {
        self.of_kind(counted).get(node)?.get(name).cloned()
    }

    /// The band of a call over all nodes of the control runs (C03: identical hardware).
    #[must_use]
    pub fn of_all(&self, counted: bool, name: &str) -> Option<UseBand> {
        widest(self.of_kind(counted).values().filter_map(|calls| calls.get(name).cloned()))
    }

    /// Whether there is a band of this kind.
    #[must_use]
    pub fn knows(&self, counted: bool) -> bool {
        !self.of_kind(counted).is_empty()
    }
}

/// The band that holds all of these.
pub(super) fn widest(bands: impl Iterator<Item = UseBand>) -> Option<UseBand> {
    bands.reduce(|mut all, band| {
        all.widen(&band);
        all
    })
}

/// Adds bands of signatures, as far as there is room.
pub(super) fn merge_unique(into: &mut Unique, other: &Unique) {
    for (signature, band) in other {
        if let Some(known) = into.get_mut(signature) {
            known.widen(*band);
        } else if into.len() < UNIQUE_KEPT {
            into.insert(signature.clone(), *band);
        }
    }
}

/// The different calls of a node, by signature. Connections until they stand have one of
/// their own, so that both readings of a connect have their bands. `named` makes the signature of name, arguments and result.
#[must_use]
pub fn unique(trace: &Trace, node: NodeId, named: fn(&str, &str, &str) -> String) -> Unique {
    let mut found = Unique::new();
    let mut known: HashMap<[u32; 3], String> = HashMap::new();
    let mut note = |key: String, us: u64| {
        let seen = UniqueBand { count: 1, min_us: us, max_us: us };
        if let Some(band) = found.get_mut(&key) {
            band.widen(seen);
        } else if found.len() < UNIQUE_KEPT {
            found.insert(key, seen);
        }
    };
    for call in trace.calls.of_node(node).filter(|c| Syscall::of(c.name).is_some() && !c.is_of_descriptor()) {
        let Some(us) = call.duration_us else { continue };
        let text = known.entry(call.texts).or_insert_with(|| named(call.name, call.args, call.ret));
        note(text.clone(), us);
    }
    for connection in connections(trace, node).known {
        if let Some(text) = known.get(&connection.texts) {
            note(connected(text), connection.took_us);
        }
    }
    found
}

/// The signature of a connection until it stands.
#[must_use]
pub fn connected(signature: &str) -> String {
    format!("until ready: {signature}")
}

/// The different calls of all compared nodes.
pub(super) fn unique_by_node(trace: &Trace, named: fn(&str, &str, &str) -> String) -> BTreeMap<NodeId, Unique> {
    compared(trace).into_iter().map(|node| (node, unique(trace, node, named))).gathered()
}
