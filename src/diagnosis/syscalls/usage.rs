//! What a node spends in each call (C05): how often, how long, in which buckets.

use super::readiness::connections;
use crate::base::NodeId;
use crate::model::calls::{BUCKETS, bucket_of};
use crate::model::{Call, Trace};
use std::collections::BTreeMap;

/// Name under which connections until they stand are compared ([`super::readiness`]).
pub const CONNECTED: &str = "connect until ready";

/// One call of one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls.
    pub calls: u64,
    /// Of these, failed.
    pub errors: u64,
    /// Time in them, microseconds.
    pub total_us: u64,
    /// Calls a bucket; all 0 where only sums are known.
    pub buckets: [u64; BUCKETS],
}

impl Usage {
    fn add(&mut self, duration_us: u64, failed: bool) {
        self.calls += 1;
        self.errors += u64::from(failed);
        self.total_us = self.total_us.saturating_add(duration_us);
        if let Some(count) = self.buckets.get_mut(bucket_of(duration_us)) {
            *count += 1;
        }
    }

    /// Mean time of a call in microseconds.
    #[must_use]
    pub fn mean_us(&self) -> f64 {
        if self.calls == 0 { 0.0 } else { self.total_us as f64 / self.calls as f64 }
    }

    /// Share of the calls in a bucket.
    #[must_use]
    pub fn share(&self, bucket: usize) -> f64 {
        let known = sum(self.buckets);
        let count = self.buckets.get(bucket).copied().unwrap_or(0);
        if known == 0 { 0.0 } else { count as f64 / known as f64 }
    }
}

/// All calls of one node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeUse {
    /// By canonical name.
    pub calls: BTreeMap<String, Usage>,
    /// Begin of the first to end of the last call, seconds; 0 where only sums are known.
    pub span_s: f64,
    /// From `strace -c`: processor time, no buckets.
    pub counted: bool,
    /// Connects that return at once, and no wait is traced.
    pub blind_to_network: bool,
}

impl NodeUse {
    /// What is known of a call, nothing being none.
    #[must_use]
    pub fn of(&self, name: &str) -> Usage {
        self.calls.get(name).copied().unwrap_or_default()
    }

    /// Share of the seven watched calls' time that is spent in one of them.
    #[must_use]
    pub fn share_of_time(&self, name: &str) -> f64 {
        let all = sum(crate::model::Syscall::ALL.map(|s| self.of(s.name()).total_us));
        if all == 0 { 0.0 } else { self.of(name).total_us as f64 / all as f64 }
    }
}

/// Sum of numbers that damage may have made as large as can be: it stays at the largest.
fn sum<const N: usize>(numbers: [u64; N]) -> u64 {
    numbers.into_iter().fold(0, u64::saturating_add)
}

/// What each traced node spends. A node without a trace is not in it.
#[must_use]
pub fn usage(trace: &Trace) -> BTreeMap<NodeId, NodeUse> {
    usage_of(trace, &compared(trace))
}

/// The nodes of which the same is known, traces or only what strace counted: what more nodes have, and whether that is
/// counts. No call is looked at for it.
#[must_use]
pub fn alike(trace: &Trace) -> (Vec<NodeId>, bool) {
    let is_counted = |node: &NodeId| {
        let traced = trace.calls.of_node(*node).next().is_some();
        !traced && trace.calls.sums().iter().any(|s| s.counted && s.node == Some(*node))
    };
    let (counted, traced): (Vec<NodeId>, Vec<NodeId>) = compared(trace).into_iter().partition(is_counted);
    let counts = counted.len() > traced.len();
    (if counts { counted } else { traced }, counts)
}

/// What each of these nodes spends.
#[must_use]
pub fn usage_of(trace: &Trace, compared: &[NodeId]) -> BTreeMap<NodeId, NodeUse> {
    let mut nodes: BTreeMap<NodeId, NodeUse> = BTreeMap::new();
    for node in compared.iter().copied() {
        let mut found = NodeUse::default();
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        trace.calls.each_of_node(node, &mut |call| {
            (first, last) = (first.min(call.at_us), last.max(call.end_us()));
            add(&mut found.calls, call);
        });
        if last > first {
            found.span_s = last.saturating_sub(first) as f64 / 1e6;
        }
        let connections = connections(trace, node);
        found.blind_to_network = connections.tell_nothing();
        for connection in &connections.known {
            found.calls.entry(CONNECTED.to_owned()).or_default().add(connection.took_us, false);
        }
        let traced = trace.calls.of_node(node).next().is_some();
        for sum in trace.calls.sums().iter().filter(|s| s.node == Some(node)) {
            // Processor time and time passed are not added: where there is a trace, it counts.
            if sum.counted && traced {
                continue;
            }
            found.counted |= sum.counted;
            let usage = found.calls.entry(sum.counts.name.to_string()).or_default();
            usage.calls = usage.calls.saturating_add(sum.counts.calls);
            usage.errors = usage.errors.saturating_add(sum.counts.errors);
            usage.total_us = usage.total_us.saturating_add(sum.counts.total_us);
            for (slot, count) in usage.buckets.iter_mut().zip(&sum.counts.buckets) {
                *slot = slot.saturating_add(*count);
            }
        }
        nodes.insert(node, found);
    }
    nodes
}

fn add(calls: &mut BTreeMap<String, Usage>, call: &Call<'_>) {
    let Some(us) = call.duration_us.filter(|_| !call.is_of_descriptor()) else { return };
    let failed = call.ret.starts_with('-');
    match calls.get_mut(call.name) {
        Some(usage) => usage.add(us, failed),
        None => calls.entry(call.name.to_owned()).or_default().add(us, failed),
    }
}

/// The nodes that are compared: those traced that are peers; all traced ones where only
/// traces were given, so that nothing tells slaves from masters.
#[must_use]
pub fn compared(trace: &Trace) -> Vec<NodeId> {
    let traced = trace.calls.nodes();
    let is_peer = |node: &NodeId| trace.nodes.get(node.index()).is_some_and(|n| n.is_peer);
    let peers: Vec<NodeId> = traced.iter().copied().filter(|n| is_peer(n)).collect();
    if peers.is_empty() { traced } else { peers }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_times_beyond_all_bounds_are_shares() {
        let usage = Usage { calls: 2, total_us: u64::MAX, buckets: [u64::MAX; BUCKETS], ..Usage::default() };
        assert!((0.0..=1.0).contains(&usage.share(0)));
        let calls = ["stat", "access"].map(|name| (name.to_owned(), usage));
        let node = NodeUse { calls: calls.into(), ..NodeUse::default() };
        assert!((0.0..=1.0).contains(&node.share_of_time("stat")));
    }
}
