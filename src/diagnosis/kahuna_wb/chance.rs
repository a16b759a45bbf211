//! What chance alone does to T(i): the labels of nodes, permuted within groups of states that would last as long on any
//! node (X3).

use super::comparison::PeerComparison;
use super::peers::Comparer;
use crate::diagnosis::{Number, Params, Reading, Threshold};
use crate::stats::histogram::Bins;
use crate::stats::majority::Distances;
use crate::stats::permutation::Labels;
use crate::stats::quantile::{quantile, sorted};
use crate::stats::random::{Shuffler, least_draws, p_value, reaches};

/// Permutations that a cluster of any size gets.
const MIN_PERMUTATIONS: usize = 100;
/// Bin comparisons and labels drawn for the permutations of one kind at the most, some hundred milliseconds.
const PERMUTATION_BUDGET: usize = 25_000_000;
/// The same where most comparisons are given up after some permutations: that is for 200 nodes with 40,000 states.
const UNLIKELY_BUDGET: usize = 250_000_000;
/// Seeds the permutations ("oddnode" in ASCII); the kind's number is added.
const SEED: u64 = 0x006f_6464_6e6f_6465;

/// Bins compared where all pairs of nodes are, about.
pub(super) const fn bins_of_pairs(nodes: usize, bins: usize) -> usize {
    nodes.saturating_mul(nodes).saturating_mul(bins) / 2
}

/// Bin comparisons and labels drawn for one permutation, at least 1.
fn permutation_cost(nodes: usize, bins: usize, drawn: usize) -> usize {
    bins_of_pairs(nodes, bins).saturating_add(drawn).max(1)
}

/// Permutations of the node labels within groups: what chance alone does to this very set of durations.
pub(super) struct Permutations {
    labels: Labels,
    shuffler: Shuffler,
    nodes: usize,
    bins: usize,
}

impl Permutations {
    pub(super) fn of(comparer: &Comparer, bins: &Bins) -> Self {
        let labels = comparer.samples.iter().map(|s| (s.group, s.node, bins.bin(s.x)));
        Self {
            labels: Labels::of(labels, bins.count()),
            shuffler: Shuffler::new(SEED.wrapping_add(comparer.kind as u64)),
            nodes: comparer.nodes.len(),
            bins: bins.count(),
        }
    }

    pub(super) fn cost(&self) -> usize {
        permutation_cost(self.nodes, self.bins, self.labels.drawn())
    }

    /// The largest T of the next one.
    pub(super) fn largest_score(&mut self) -> f64 {
        let mut counts = vec![vec![0_u32; self.bins]; self.nodes];
        self.labels.deal(&mut self.shuffler, &mut counts);
        Distances::of_histograms(&counts).largest_majority_score()
    }
}

impl Comparer {
    /// The largest T of permutations, ascending, and whether they leave open if a node is as far from the others as chance puts
    /// one so seldom as is asked: where these are more than the budget has room for, such a node gets as many as it takes, if
    /// they do not take too long.
    pub(super) fn null(&self, comparison: &PeerComparison, bins: &Bins, params: &Params) -> (Vec<f64>, bool) {
        let mut permutations = Permutations::of(self, bins);
        let cost = permutations.cost();
        let most = self.numbers.count(Number::WbPermutations);
        let rounds = (PERMUTATION_BUDGET / cost).clamp(MIN_PERMUTATIONS, most);
        let mut null: Vec<f64> = (0..rounds).map(|_| permutations.largest_score()).collect();
        let needed = least_draws(self.numbers.get(Number::WbAlpha));
        let farthest = self.farthest(comparison, params.kahuna).filter(|_| params.threshold == Threshold::Auto);
        let Some(farthest) = farthest.filter(|_| needed > rounds) else { return (sorted(null), false) };
        let mut reached = null.iter().any(|score| reaches(*score, farthest));
        let has_room = needed.saturating_mul(cost) <= UNLIKELY_BUDGET;
        while has_room && !reached && null.len() < needed {
            let score = permutations.largest_score();
            reached = reaches(score, farthest);
            null.push(score);
        }
        let leaves_open = !reached && null.len() < needed;
        (sorted(null), leaves_open)
    }

    /// The largest T of those nodes that it would accuse.
    pub(super) fn farthest(&self, comparison: &PeerComparison, reading: Reading) -> Option<f64> {
        let (floor, slow) = (self.numbers.get(Number::WbFloor), self.numbers.get(Number::WbSlow));
        let is_asked = |ratio: f64| reading == Reading::Literal || ratio >= slow;
        let far = comparison.nodes.iter().filter(|own| own.score >= floor && is_asked(own.ratio));
        far.map(|own| own.score).reduce(f64::max)
    }

    /// How many permutations tell whether a chance is so small; `None` for so many nodes that they would take too long.
    pub(super) fn rounds_to_tell(&self, alpha: f64) -> Option<usize> {
        let rounds = self.numbers.count(Number::WbPermutations).max(least_draws(alpha));
        let cost = permutation_cost(self.nodes.len(), self.numbers.count(Number::WbBins), self.samples.len());
        (rounds.saturating_mul(cost) <= UNLIKELY_BUDGET).then_some(rounds)
    }

    /// Says of a comparison what the largest T of permutations, ascending, make of it.
    pub(super) fn weigh(&self, comparison: &mut PeerComparison, null: &[f64]) {
        let threshold = quantile(null, 1.0 - self.numbers.get(Number::WbAlpha)).unwrap_or(1.0);
        comparison.threshold = threshold.max(self.numbers.get(Number::WbFloor));
        for own in &mut comparison.nodes {
            own.p = Some(p_value(null, own.score));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_of_more_nodes_than_can_be_squared_is_the_greatest() {
        assert_eq!(permutation_cost(4, 5, 60), 100);
        assert!(permutation_cost(usize::MAX, 5, 60) > usize::MAX / 2);
    }
}
