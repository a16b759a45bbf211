//! Whom complaints of connections single out: the end that is at fault.

use super::super::daemons::{Vouchers, heard, is_slaves};
use super::{Rule, subjects};
use crate::base::{NodeId, Timestamp};
use crate::model::{Complaint, ComplaintKind, FlowKind, Trace, formats};
use crate::stats::hypergeometric;
use std::collections::{BTreeMap, BTreeSet};

/// Share of the connections complained of that must have the node as an end.
const SHARE_OF_PAIRS: f64 = 0.9;
/// Partners that must complain: one alone may be the one at fault.
const MIN_PARTNERS: usize = 2;
/// Share of the node's connections complained of that must be with others than the partner of most of them.
const SHARE_OF_OTHERS: f64 = 0.2;
/// Share of the node's peers that must name it, where it is not an end of nearly all connections.
const SHARE_OF_PEERS: f64 = 0.5;
/// Chance of so many waits at one node at most, if all connections waited alike…
const WAITS_ALPHA: f64 = 0.05;
/// …and where it is not an end of nearly all of them.
const FAR_ALPHA: f64 = 0.001;

/// The ends of the connections that are complained of.
pub(super) struct Ends<'a> {
    rule: &'a Rule,
    counts: &'a BTreeMap<NodeId, usize>,
    times: f64,
    complaints: usize,
    /// With whom a node's connections are, and how many.
    partners: BTreeMap<NodeId, BTreeMap<NodeId, usize>>,
    /// How often a node is named, and by which peers.
    named: BTreeMap<NodeId, (usize, BTreeSet<NodeId>)>,
    /// How often a peer names masters, and when first.
    of_masters: BTreeMap<NodeId, (usize, Timestamp)>,
    /// Where waits for connections are counted.
    made: Option<Made>,
}

/// Connections between two nodes that may have waited.
#[derive(Default)]
struct Made {
    all: usize,
    /// Of how many each node is an end.
    of_nodes: BTreeMap<NodeId, usize>,
}

impl Made {
    /// Those of a kind of which waits are counted.
    fn of(trace: &Trace, kind: ComplaintKind) -> Self {
        let mut made = Self::default();
        match kind {
            ComplaintKind::SlowConnect => trace.flows.each_of_kind(FlowKind::Shuffle, &mut |_, flow| {
                if let Some((src, dest)) = flow.src.zip(flow.dest).filter(|(src, dest)| src != dest) {
                    made.count([NodeId(src), NodeId(dest)], 1);
                }
            }),
            ComplaintKind::SlowMirror => {
                trace.mirrors.iter().for_each(|m| made.count([m.from, m.to], m.connections as usize));
            }
            _ => {}
        }
        made
    }

    fn count(&mut self, ends: [NodeId; 2], connections: usize) {
        self.all += connections;
        for end in ends {
            *self.of_nodes.entry(end).or_default() += connections;
        }
    }
}

/// How many connections waited with a node as an end, and without it, of how many.
struct Waited {
    own: usize,
    others: usize,
    at_node: usize,
    elsewhere: usize,
}

impl<'a> Ends<'a> {
    /// Goes through the complaints once; `counts` has the peers.
    pub(super) fn of(
        trace: &Trace,
        rule: &'a Rule,
        counts: &'a BTreeMap<NodeId, usize>,
        complaints: &[&Complaint],
        times: f64,
    ) -> Self {
        let masters = heard(trace, |format| formats::MASTERS.contains(&format));
        let mut ends = Self {
            rule,
            counts,
            times,
            complaints: complaints.len(),
            partners: BTreeMap::new(),
            named: BTreeMap::new(),
            of_masters: BTreeMap::new(),
            made: rule.by_part.then(|| Made::of(trace, rule.kind)),
        };
        for c in complaints {
            let both = subjects(c, rule);
            for end in &both {
                let partners = ends.partners.entry(*end).or_default();
                both.iter().filter(|other| *other != end).for_each(|other| *partners.entry(*other).or_default() += 1);
            }
            let by = c.by.filter(|by| counts.contains_key(by));
            let Some(of) = c.of else { continue };
            let (times, namers) = ends.named.entry(of).or_default();
            *times += 1;
            namers.extend(by);
            if let Some(by) = by.filter(|_| masters.contains_key(&of) && !counts.contains_key(&of)) {
                let (times, first) = ends.of_masters.entry(by).or_insert((0, c.at));
                *times += 1;
                *first = c.at.min(*first);
            }
        }
        ends
    }

    /// Whether the node is the end at fault.
    pub(super) fn single_out(&self, trace: &Trace, node: NodeId) -> bool {
        let own = self.counts.get(&node).copied().unwrap_or(0);
        // Each connection has two ends, so a partner may reach the same count: what tells the
        // one at fault is that it has several partners.
        let of_most = own as f64 >= SHARE_OF_PAIRS * self.complaints as f64 && self.has_partners(node);
        match self.chance(node) {
            Some(chance) => of_most && chance <= WAITS_ALPHA || chance <= FAR_ALPHA && self.waits_far_more(node),
            None => of_most || self.named_by_peers(node) || self.alone_without_masters(trace, node),
        }
    }

    /// Whether enough partners complain, and not one of them nearly always.
    fn has_partners(&self, node: NodeId) -> bool {
        let Some(partners) = self.partners.get(&node) else { return false };
        let (all, most) = (partners.values().sum::<usize>(), partners.values().max().copied().unwrap_or(0));
        partners.len() >= MIN_PARTNERS && (all - most) as f64 >= SHARE_OF_OTHERS * all as f64
    }

    /// Where waits for connections are counted, the chance that so many of them were at any one node, were its part of all
    /// connections its part of these too: the only reduce of a job is an end of all fetches.
    pub(super) fn chance(&self, node: NodeId) -> Option<f64> {
        let Waited { own, others, at_node, elsewhere } = self.waited(node)?;
        let chance = hypergeometric::tail(at_node + elsewhere, at_node, own + others, own);
        Some((chance * self.counts.len() as f64).min(1.0))
    }

    /// Whether its connections along write pipelines wait far more often than all others: where these are very many, some
    /// of them wait anywhere. Fetches of a reduce that has just begun wait all at once.
    fn waits_far_more(&self, node: NodeId) -> bool {
        let waited = self.waited(node).filter(|_| self.rule.kind == ComplaintKind::SlowMirror);
        waited.is_some_and(|Waited { own, others, at_node, elsewhere }| {
            self.has_partners(node) && own as f64 * elsewhere as f64 > self.times * others as f64 * at_node as f64
        })
    }

    fn waited(&self, node: NodeId) -> Option<Waited> {
        let made = self.made.as_ref()?;
        let own = self.counts.get(&node).copied().unwrap_or(0);
        let others = self.complaints.saturating_sub(own);
        // One that waited was made, whatever became of it.
        let at_node = made.of_nodes.get(&node).copied().unwrap_or(0).max(own);
        Some(Waited { own, others, at_node, elsewhere: made.all.saturating_sub(at_node).max(others) })
    }

    /// Whether most peers name the node itself, and no other nearly as often: pipelines that break at one node
    /// break at those before and behind it too.
    fn named_by_peers(&self, node: NodeId) -> bool {
        let Some((own, by)) = self.named.get(&node) else { return false };
        let enough = (SHARE_OF_PEERS * (self.counts.len() - 1) as f64).max(MIN_PARTNERS as f64);
        let peers = by.iter().filter(|by| **by != node).count();
        let others = self.named.iter().filter(|(other, _)| **other != node).map(|(_, (count, _))| *count);
        *own >= self.rule.least && peers as f64 >= enough && self.is_far_above(*own, others)
    }

    /// Whether the node could not reach masters, and peers that were heard at the time could: they vouch for the
    /// masters.
    fn alone_without_masters(&self, trace: &Trace, node: NodeId) -> bool {
        let Some((own, since)) = self.of_masters.get(&node) else { return false };
        if self.rule.kind != ComplaintKind::Unreachable || *own < self.rule.least {
            return false;
        }
        let mut slaves = heard(trace, is_slaves);
        slaves.retain(|slave, _| self.counts.contains_key(slave));
        let others = self.of_masters.iter().filter(|(other, _)| **other != node).map(|(_, (count, _))| *count);
        Vouchers::of(slaves).but_for(node, *since) >= MIN_PARTNERS && self.is_far_above(*own, others)
    }

    fn is_far_above(&self, own: usize, mut others: impl Iterator<Item = usize>) -> bool {
        others.all(|count| own as f64 > self.times * count as f64)
    }
}
