//! The comparison itself: histograms, distances, T(i), threshold (K19–K21).

use super::super::{Number, Numbers, Params, Reading, Scope, Threshold};
use super::chance::Permutations;
use super::comparison::{NodeDurations, PAIRS_SHOWN, PeerComparison};
use super::sample::{Sample, compared_s, fetched, nobodys, seconds, subtract_medians};
use crate::base::math::{exp, ln, pairs};
use crate::base::{Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::MIN_PEERS;
use crate::model::{Outcome, State, StateKind, Trace};
use crate::stats::histogram::Bins;
use crate::stats::majority::Distances;
use crate::stats::quantile::{median, median_of, medians_by, quantile, sorted};
use crate::stats::random::sequential_test;
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// Share of the pooled values beyond the outer edges, so that one outlier does not
/// squeeze all others into one bin.
const TAIL: f64 = 0.02;

/// Compares the peers in one kind of state; nothing where too few nodes have enough of it.
#[must_use]
pub fn compare(trace: &Trace, kind: StateKind, params: &Params) -> PeerComparison {
    Comparer::new(trace, kind, params.numbers).map(|comparer| comparer.compare(trace, params)).unwrap_or_default()
}

/// What is compared in one kind of state: those of all nodes that have enough, which are three at least.
pub(super) struct Comparer {
    pub(super) kind: StateKind,
    pub(super) numbers: Numbers,
    pub(super) nodes: Vec<NodeId>,
    too_few: Vec<NodeId>,
    pub(super) samples: Vec<Sample>,
    /// States of nodes that have too few of them to be compared: none of theirs may be as long as what is called a gap.
    pub(super) lone: Vec<Sample>,
    /// What `x = 0` is in seconds: the median of all durations, with the short-state
    /// constant added where it was.
    typical_s: f64,
}

impl Comparer {
    /// `None` where too few nodes have enough states.
    pub(super) fn new(trace: &Trace, kind: StateKind, numbers: Numbers) -> Option<Self> {
        Self::of(trace, kind, numbers, &|_| true)
    }

    /// The same by those states alone that are meant.
    pub(super) fn of(
        trace: &Trace,
        kind: StateKind,
        numbers: Numbers,
        is_meant: &dyn Fn(&State) -> bool,
    ) -> Option<Self> {
        let mut by_node: BTreeMap<NodeId, usize> = trace.peer_nodes().map(|n| (n, 0)).gathered();
        let is_nobodys = nobodys(trace, kind);
        let states = || trace.states.of_kind(kind).filter(is_meant).map(|state| trace.as_told(state));
        let broken_off = |s: &State| s.open || s.outcome == Some(Outcome::Killed);
        // Looked up where something is broken off.
        let ended = LazyCell::new(|| {
            medians_by(states().filter_map(|s| Some((s.job, seconds(trace, &s).filter(|_| !broken_off(&s))?))))
        });
        // What is broken off tells how long it was let, unless that is longer than others of its job take.
        let comparable = |s: &State, seconds: f64| {
            !is_nobodys(s) && (!broken_off(s) || ended.get(&s.job).is_some_and(|usual| seconds > *usual))
        };
        let usable = |s: &State| Some((s.node?, seconds(trace, s).filter(|seconds| comparable(s, *seconds))?));
        for state in states() {
            if let Some(count) = usable(&state).and_then(|(node, _)| by_node.get_mut(&node)) {
                *count += 1;
            }
        }
        let (nodes, too_few): (Vec<_>, Vec<_>) =
            by_node.iter().partition(|(_, count)| **count >= numbers.count(Number::WbStates));
        let nodes: Vec<NodeId> = nodes.into_iter().map(|(n, _)| *n).collect();
        let too_few: Vec<NodeId> = too_few.into_iter().map(|(n, _)| *n).collect();
        if nodes.len() < MIN_PEERS {
            return None;
        }
        let fetched = fetched(trace, kind);
        let (mut samples, mut lone) = (Vec::new(), Vec::new());
        for state in states() {
            let Some(((node, seconds), start)) = usable(&state).zip(state.start) else { continue };
            let finds = fetched.get(&(node, state.job)).is_some_and(|at| start > *at);
            let (group, broken_off) = ((state.job, finds), broken_off(&state));
            let sample = |node| Sample { node, group, seconds, x: 0.0, start, end: state.end, broken_off };
            match nodes.binary_search(&node) {
                Ok(node) => samples.push(sample(node)),
                Err(_) if too_few.binary_search(&node).is_ok() => lone.push(sample(nodes.len())),
                Err(_) => {}
            }
        }
        Some(Self { kind, numbers, nodes, too_few, samples, lone, typical_s: 0.0 }.evened())
    }

    /// The same by the states of some jobs alone; `None` where too few nodes have enough of them.
    pub(super) fn within(&self, scope: &Scope, numbers: Numbers) -> Option<Self> {
        let meant = || self.samples.iter().filter(|s| scope.covers_end(s.group.0, s.end));
        let mut counts = vec![0_usize; self.nodes.len()];
        for sample in meant() {
            if let Some(count) = counts.get_mut(sample.node) {
                *count += 1;
            }
        }
        let enough = |node: &usize| counts.get(*node).is_some_and(|n| *n >= self.numbers.count(Number::WbStates));
        let kept: Vec<usize> = (0..self.nodes.len()).filter(enough).collect();
        if kept.len() < MIN_PEERS {
            return None;
        }
        let samples = meant().filter_map(|s| Some(Sample { node: kept.binary_search(&s.node).ok()?, ..*s })).collect();
        let is_left_out = |s: &&Sample| kept.binary_search(&s.node).is_err();
        let lone = self.lone.iter().filter(|s| scope.covers_end(s.group.0, s.end)).chain(meant().filter(is_left_out));
        let lone = lone.map(|s| Sample { node: kept.len(), ..*s }).collect();
        let nodes: Vec<NodeId> = kept.iter().filter_map(|node| self.nodes.get(*node).copied()).collect();
        let left_out = self.nodes.iter().filter(|node| !nodes.contains(node));
        let too_few = self.too_few.iter().chain(left_out).copied().collect();
        Some(Self { numbers, nodes, too_few, samples, lone, ..*self }.evened())
    }

    /// With the logarithm of each duration over the median of its job.
    fn evened(mut self) -> Self {
        for sample in self.samples.iter_mut().chain(&mut self.lone) {
            sample.x = ln(compared_s(self.kind, sample.seconds));
        }
        self.typical_s = exp(median(&sorted(self.samples.iter().map(|s| s.x))).unwrap_or(0.0));
        subtract_medians(&mut self.samples, &mut self.lone);
        self
    }

    /// The kind of state.
    pub(super) const fn kind(&self) -> StateKind {
        self.kind
    }

    /// How many nodes are compared.
    pub(super) const fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// When the states of each job that has some ended, in no order.
    pub(super) fn ends(&self) -> BTreeMap<JobId, Vec<Timestamp>> {
        let mut ends: BTreeMap<JobId, Vec<Timestamp>> = BTreeMap::new();
        for sample in &self.samples {
            if let Some(job) = sample.group.0 {
                ends.entry(job).or_default().push(sample.end);
            }
        }
        ends
    }

    /// Compares the peers, over time as well.
    pub(super) fn compare(&self, trace: &Trace, params: &Params) -> PeerComparison {
        let Some(bins) = self.bins() else { return PeerComparison::default() };
        let windows = self.windows(trace, &bins, params.window_s);
        PeerComparison { windows, ..self.compare_at_once(&bins, params) }
    }

    /// Compares the peers by all states at once.
    pub(super) fn compare_at_once(&self, bins: &Bins, params: &Params) -> PeerComparison {
        let mut comparison = self.measured(bins);
        let (null, leaves_open) = self.null(&comparison, bins, params);
        self.weigh(&mut comparison, &null);
        comparison.leaves_open = leaves_open;
        if let Threshold::Fixed(threshold) = params.threshold {
            comparison.threshold = threshold;
        }
        comparison
    }

    /// Compares the peers by all states at once, if some node is so slow and so far from the others as chance makes none in so
    /// many permutations.
    pub(super) fn compare_unlikely(&self, bins: &Bins, rounds: usize) -> Option<PeerComparison> {
        let mut comparison = self.measured(bins);
        let farthest = self.farthest(&comparison, Reading::Usual)?;
        let mut permutations = Permutations::of(self, bins);
        let alpha = self.numbers.get(Number::WbAlpha);
        let null = sequential_test(rounds, farthest, alpha, &mut || permutations.largest_score())?;
        self.weigh(&mut comparison, &null);
        Some(comparison)
    }

    /// The bins of the histograms; `None` where there is no state. Where all states last as long, one bin holds them: then no
    /// node differs from another, and that clears all of them.
    pub(super) fn bins(&self) -> Option<Bins> {
        let x: Vec<f64> = self.samples.iter().map(|s| s.x).collect();
        let equal = x.first().map(|x| Bins::single(*x));
        Bins::between_quantiles(&x, TAIL, self.numbers.count(Number::WbBins)).or(equal)
    }

    /// The comparison by all states at once, without a threshold.
    fn measured(&self, bins: &Bins) -> PeerComparison {
        let distances = self.distances(bins, self.samples.iter().map(|s| s.node));
        let scores = distances.majority_scores();
        let shown = if pairs(self.nodes.len()) <= PAIRS_SHOWN { distances.rows() } else { Vec::new() };
        drop(distances);
        let evened = self.per_node(|s| self.evened_s(s));
        // Where nearly all states are alike, as where most jobs have one and are their own measure, a distance of the few
        // that are not is what the gap is already: chance alone decides of it.
        let beside_gap = if bins.are_of_few() { vec![0.0; scores.len()] } else { scores.clone() };
        let last = self.last(&beside_gap);
        let gaps = self.gaps(&evened, &beside_gap);
        let durations_s = self.per_node(|s| s.seconds);
        let measured = scores.into_iter().zip(ratios(&evened)).zip(last).zip(gaps);
        let nodes = self.nodes.iter().zip(durations_s).zip(measured);
        let nodes = nodes.map(|((node, durations_s), (((score, ratio), last), gap))| {
            let gap_s = last.map(|last| [last.shortest_s, last.peers_longest_s]).or(gap);
            NodeDurations {
                node: *node,
                count: durations_s.len(),
                score,
                p: None,
                ratio,
                gap: gap_s.is_some(),
                gap_s,
                last,
                // What makes of it an indictment decides.
                indicted: false,
                quartiles_s: [0.5, 0.25, 0.75].map(|q| quantile(&durations_s, q).unwrap_or(0.0)),
                durations_s,
            }
        });
        PeerComparison {
            kind: Some(self.kind),
            jobs: Vec::new(),
            stretch: None,
            nodes: nodes.collect(),
            too_few: self.too_few.clone(),
            distances: shown,
            threshold: 0.0,
            leaves_open: false,
            windows: Vec::new(),
        }
    }

    /// A duration in seconds with what is added to it, jobs evened out.
    pub(super) fn evened_s(&self, sample: &Sample) -> f64 {
        exp(sample.x) * self.typical_s
    }

    /// A value of each node's samples, ascending.
    fn per_node(&self, value: impl Fn(&Sample) -> f64) -> Vec<Vec<f64>> {
        let mut values = vec![Vec::new(); self.nodes.len()];
        for sample in &self.samples {
            if let Some(own) = values.get_mut(sample.node) {
                own.push(value(sample));
            }
        }
        values.into_iter().map(sorted).collect()
    }

    fn distances(&self, bins: &Bins, labels: impl Iterator<Item = usize>) -> Distances {
        let mut counts = vec![vec![0_u32; bins.count()]; self.nodes.len()];
        for (sample, node) in self.samples.iter().zip(labels) {
            if let Some(count) = counts.get_mut(node).and_then(|c| c.get_mut(bins.bin(sample.x))) {
                *count += 1;
            }
        }
        Distances::of_histograms(&counts)
    }
}

/// Each node's median over the median of the other nodes' medians.
fn ratios(per_node: &[Vec<f64>]) -> Vec<f64> {
    let medians: Vec<f64> = per_node.iter().map(|d| median(d).unwrap_or(0.0)).collect();
    (0..medians.len())
        .map(|i| {
            let mut others: Vec<f64> = medians.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, m)| *m).collect();
            let own = medians.get(i).copied().unwrap_or(0.0);
            let typical = median_of(&mut others).unwrap_or(0.0);
            if typical > 0.0 { own / typical } else { 1.0 }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Lanes, Node};

    /// So many nodes with two maps each, of which the first node's are slow.
    fn cluster(nodes: u32) -> Trace {
        let map = |(node, line): (u32, u64)| {
            let ms = if node == 0 { 60_000 } else { 9_000 };
            State::made(StateKind::Map, NodeId(node), (0, ms), line)
        };
        let states = (0..nodes).flat_map(|node| [(node, 1), (node, 2)]).map(map);
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(states.collect::<Vec<_>>()),
            ..Trace::default()
        }
    }

    /// Logs are gathered while a job runs: how old its attempts are by then says when they were launched.
    #[test]
    fn what_is_broken_off_counts_where_it_is_longer_than_what_ended() {
        let job = |number| Some(JobId { cluster: 1, number });
        let map = |node: u32, number: u32, ms: i64, open: bool| {
            let made = State::made(StateKind::Map, NodeId(node), (0, ms), u64::from(node + 10 * number));
            State { job: job(number), open, ..made }
        };
        let ended = (0..3).flat_map(|node| [map(node, 1, 9_000, false), map(node, 1, 10_000, false)]);
        let counts = |open: [i64; 3], number: u32| {
            let open = (0..3).zip(open).map(|(node, ms)| map(node, number, ms, true));
            let trace = Trace { states: Lanes::from_rows(ended.clone().chain(open).collect::<Vec<_>>()), ..cluster(3) };
            Comparer::new(&trace, StateKind::Map, Numbers::default()).unwrap().samples.len() - 6
        };
        assert_eq!(counts([400, 500, 2_500], 2), 0, "a job of which nothing has ended");
        assert_eq!(counts([400, 500, 30_000], 1), 1, "it stands still");
        assert_eq!(counts([400, 500, 2_500], 1), 0);
    }

    #[test]
    fn distances_of_more_pairs_than_are_shown_are_not_kept() {
        let params = Params { threshold: Threshold::Fixed(0.5), ..Params::default() };
        for (nodes, kept) in [(500, 500), (501, 0)] {
            let c = compare(&cluster(nodes), StateKind::Map, &params);
            assert_eq!((c.nodes.len() as u32, c.distances.len()), (nodes, kept));
            let others = c.nodes[1..].iter().map(|own| own.score).fold(0.0, f64::max);
            assert!(c.nodes[0].score > 0.9 && others < 0.5, "{nodes}: {}, {others}", c.nodes[0].score);
        }
    }
}
