//! The gap rule: so few states that chance cannot decide by their distribution, all of them beyond all of the peers'.
//!
//! ```text
//! h1   12 s  14 s  11 s
//! h2               47 s  52 s         its lower quartile ≥ 1.5 × every other's upper one
//! h3   14 s  12 s  13 s
//! ```
//! By all states of a node, or by the last of them ([`last`]). Cost: O(states · log states).

use super::Number;
use super::last::{self, Last, LastOfNodes};
use super::peers::Comparer;
use super::sample::{Sample, compared_s};
use crate::base::{JobId, NodeId};
use crate::model::StateKind;
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::BTreeMap;

/// So many seconds a node's states take longer than its peers' of the same job, by the median: ratios of very short states
/// mean nothing.
pub(super) const GAP_S: f64 = 2.0;
/// Up to so many states the lower quartile is the minimum. Of more, it is a gap, too, if each is longer than
/// any of a peer's, and they last longer by what counts as slow: four of thirty do so by chance once in 27,405 times.
const GAP_FEW: usize = 3;

impl Comparer {
    /// The gap rule: all of a node's states beyond all of its peers', by far if not to the last of them, and by its distribution
    /// too: a node whose two states are the far end of a distribution that all share has a gap
    /// and no distance. Nor do few states tell of a node that was given more of them than its peers: they held one another up.
    /// And where none of a peer's has ended by itself, it may be as slow. A peer that has too few of them to be compared itself
    /// still tells how long they may last. Of the nodes that have one, the short end of theirs and the long end of their peers'.
    pub(super) fn gaps(&self, per_node: &[Vec<f64>], scores: &[f64]) -> Vec<Option<[f64; 2]>> {
        let (kind, numbers) = (self.kind, &self.numbers);
        let ruled =
            matches!(kind, StateKind::Map | StateKind::Reduce | StateKind::ReduceReducer | StateKind::WriteBlock);
        let upper: Vec<f64> = per_node.iter().map(|d| quantile(d, 0.75).unwrap_or(0.0)).collect();
        let medians: Vec<f64> = per_node.iter().map(|d| median(d).unwrap_or(0.0)).collect();
        let largest_other =
            |v: &[f64], i: usize| v.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, x)| *x).fold(0.0, f64::max);
        let mut ended = vec![false; per_node.len()];
        for sample in self.samples.iter().filter(|sample| !sample.broken_off) {
            if let Some(ended) = ended.get_mut(sample.node) {
                *ended = true;
            }
        }
        let others_ended = |i: usize| ended.iter().enumerate().all(|(j, ended)| *ended || j == i);
        let lone = self.lone.iter().map(|sample| self.evened_s(sample)).fold(0.0, f64::max);
        let longest: Vec<f64> = per_node.iter().filter_map(|d| d.last().copied()).collect();
        let gap = |(i, (own, score)): (usize, (&Vec<f64>, &f64))| {
            let is_few = own.len() <= GAP_FEW;
            let (shortest, middle) = (*own.first()?, median(own)?);
            let low = if is_few { shortest } else { quantile(own, 0.25)? };
            let [others_upper, others_longest] = [&upper, &longest].map(|of| largest_other(of, i).max(lone));
            let is_far = low >= numbers.get(Number::WbGap) * others_upper;
            let to_the_last = !is_few
                && shortest > others_longest
                && middle >= numbers.get(Number::WbSlow) * largest_other(&medians, i);
            let holds = ruled
                && *score >= numbers.get(Number::WbFloor)
                && (is_far || to_the_last)
                && self.seconds_beyond(i, largest_other(&medians, i)).is_some_and(|seconds| seconds >= GAP_S)
                && ((is_far && !is_few) || self.others_have_as_many(i))
                && others_ended(i);
            holds.then_some(if is_far { [low, others_upper] } else { [shortest, others_longest] })
        };
        per_node.iter().zip(scores).enumerate().map(gap).collect()
    }

    /// By how much a node's states took longer than a peer's of the same job whose median it is, jobs evened out: the median.
    fn seconds_beyond(&self, node: usize, peers_median: f64) -> Option<f64> {
        let beyond = |s: &Sample| compared_s(self.kind, s.seconds) * (1.0 - peers_median / self.evened_s(s));
        median(&sorted(self.samples.iter().filter(|s| s.node == node).map(beyond)))
    }

    fn is_of_one_job(&self) -> bool {
        let job = self.samples.first().map(Sample::job);
        self.samples.iter().all(|sample| Some(sample.job()) == job)
    }

    /// The jobs, each with its nodes of which the last Maps may be a gap.
    fn last_by_job(&self) -> Vec<(Option<JobId>, LastOfNodes)> {
        if self.kind != StateKind::Map {
            return Vec::new();
        }
        let [far, alpha] = [Number::WbGap, Number::WbAlpha].map(|number| self.numbers.get(number));
        last::of_jobs(&self.samples, self.nodes.len(), far, alpha)
    }

    /// Of one job, the last Maps of each node that are a gap: by its distribution too, as above.
    pub(super) fn last(&self, scores: &[f64]) -> Vec<Option<Last>> {
        let mut last = vec![None; self.nodes.len()];
        let found = if self.is_of_one_job() { self.last_by_job() } else { Vec::new() };
        for (node, of_node) in found.into_iter().flat_map(|(_, found)| found) {
            let is_far = scores.get(node).is_some_and(|score| *score >= self.numbers.get(Number::WbFloor));
            if let Some(slot) = last.get_mut(node).filter(|_| is_far) {
                *slot = Some(of_node);
            }
        }
        last
    }

    /// Of several jobs those in which the last Maps of nodes may be a gap, with these nodes.
    pub(super) fn jobs_with_last(&self) -> Vec<(JobId, Vec<NodeId>)> {
        let jobs = if self.is_of_one_job() { Vec::new() } else { self.last_by_job() };
        let nodes = |found: LastOfNodes| -> Vec<NodeId> {
            found.iter().filter_map(|(node, _)| self.nodes.get(*node).copied()).collect()
        };
        jobs.into_iter().filter_map(|(job, found)| Some((job?, nodes(found)))).collect()
    }

    /// Whether in each job of a node's states, few as they are, half of the others have as many of them.
    fn others_have_as_many(&self, node: usize) -> bool {
        let mut by_job: BTreeMap<Option<JobId>, BTreeMap<usize, usize>> = BTreeMap::new();
        for sample in &self.samples {
            *by_job.entry(sample.job()).or_default().entry(sample.node).or_default() += 1;
        }
        by_job.values().all(|counts| {
            let Some(here) = counts.get(&node) else { return true };
            let as_many = counts.iter().filter(|(other, count)| **other != node && *count >= here).count();
            2 * as_many >= self.nodes.len() - 1
        })
    }
}
