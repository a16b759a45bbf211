//! Permutations of the node labels of states within their jobs, counted by node and bin.
//!
//! To permute a job's labels is to draw for each bin as many of them as it has states, none twice; what
//! is left over is the last bin's. The bin that most states lie in comes last, and none of its labels is
//! drawn. Cost: O(states outside it + nodes) a permutation.

use crate::base::JobId;
use crate::stats::random::Shuffler;
use std::collections::BTreeMap;

/// The labels of all states.
#[derive(Debug)]
pub(super) struct Labels(Vec<OfJob>);

/// Those of one job.
#[derive(Debug)]
struct OfJob {
    /// The node of each state.
    labels: Vec<u32>,
    /// How many each node has.
    by_node: Vec<(usize, u32)>,
    /// The bins that are drawn for, and how many states lie in each.
    drawn: Vec<(usize, usize)>,
    /// The bin of most states.
    last: usize,
}

impl Labels {
    /// Of states, each given by its job, its node and its bin, below `bins`.
    pub(super) fn of(states: impl Iterator<Item = (Option<JobId>, usize, usize)>, bins: usize) -> Self {
        let mut jobs: BTreeMap<Option<JobId>, (Vec<u32>, Vec<usize>)> = BTreeMap::new();
        for (job, node, bin) in states {
            let (labels, sizes) = jobs.entry(job).or_insert_with(|| (Vec::new(), vec![0; bins]));
            // Nodes are numbered by u32.
            labels.extend(u32::try_from(node));
            sizes[bin] += 1;
        }
        Self(jobs.into_values().map(|(labels, sizes)| OfJob::new(labels, &sizes)).collect())
    }

    /// How many are drawn for a permutation.
    pub(super) fn drawn(&self) -> usize {
        self.0.iter().map(OfJob::drawn).sum()
    }

    /// Permutes them and adds what each node then has in each bin.
    pub(super) fn deal(&mut self, dice: &mut Shuffler, counts: &mut [Vec<u32>]) {
        for job in &mut self.0 {
            job.deal(dice, counts);
        }
    }
}

impl OfJob {
    fn new(mut labels: Vec<u32>, sizes: &[usize]) -> Self {
        labels.sort_unstable();
        let of_node = |same: &[u32]| Some((*same.first()? as usize, u32::try_from(same.len()).ok()?));
        let by_node = labels.chunk_by(|a, b| a == b).filter_map(of_node).collect();
        let last = (0..sizes.len()).max_by_key(|bin| sizes[*bin]).unwrap_or_default();
        let drawn = sizes.iter().copied().enumerate().filter(|(bin, size)| *bin != last && *size > 0).collect();
        Self { labels, by_node, drawn, last }
    }

    fn drawn(&self) -> usize {
        self.drawn.iter().map(|(_, size)| size).sum()
    }

    fn deal(&mut self, dice: &mut Shuffler, counts: &mut [Vec<u32>]) {
        for (node, all) in &self.by_node {
            counts[*node][self.last] += all;
        }
        let n = self.drawn();
        let mut labels = dice.choose(&mut self.labels, n).iter();
        for (bin, size) in &self.drawn {
            for node in labels.by_ref().take(*size) {
                let own = &mut counts[*node as usize];
                own[*bin] += 1;
                own[self.last] -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const BINS: usize = 3;

    fn job(number: u32) -> Option<JobId> {
        Some(JobId { cluster: 1, number })
    }

    proptest! {
        #[test]
        fn nodes_and_bins_keep_what_they_have(
            states in vec((0_u32..3, 0_usize..4, 0..BINS), 0..60),
            seed in any::<u64>(),
        ) {
            let mut labels = Labels::of(states.iter().map(|(j, node, bin)| (job(*j), *node, *bin)), BINS);
            let mut dice = Shuffler::new(seed);
            for _ in 0..3 {
                let mut counts = vec![vec![0; BINS]; 4];
                labels.deal(&mut dice, &mut counts);
                for (node, own) in counts.iter().enumerate() {
                    let all = states.iter().filter(|(_, n, _)| *n == node).count();
                    prop_assert_eq!(own.iter().sum::<u32>() as usize, all);
                }
                for bin in 0..BINS {
                    let all = states.iter().filter(|(.., b)| *b == bin).count();
                    prop_assert_eq!(counts.iter().map(|own| own[bin]).sum::<u32>() as usize, all);
                }
            }
        }
    }

    #[test]
    fn each_permutation_has_the_same_chance() {
        // Two states of node 0 and three of node 1, of which two lie in bin 0: node 0 has none of those
        // in 3 permutations of 10, one in 6, both in 1 (hypergeometric).
        let states = [(0, 1), (0, 0), (1, 1), (1, 0), (1, 1)];
        let mut labels = Labels::of(states.into_iter().map(|(node, bin)| (None, node, bin)), BINS);
        assert_eq!(labels.drawn(), 2);
        let (mut dice, mut seen) = (Shuffler::new(5), [0; 3]);
        for _ in 0..10_000 {
            let mut counts = vec![vec![0; BINS]; 2];
            labels.deal(&mut dice, &mut counts);
            seen[counts[0][0] as usize] += 1;
        }
        for (count, expected) in seen.into_iter().zip([3_000_i32, 6_000, 1_000]) {
            assert!((count - expected).abs() < 200, "{seen:?}");
        }
    }

    #[test]
    fn labels_stay_within_their_job() {
        // Each node works for a job of its own: no permutation can tell them otherwise.
        let states = [(job(1), 0, 0), (job(1), 0, 0), (job(2), 1, 2), (job(2), 1, 1)];
        let mut labels = Labels::of(states.into_iter(), BINS);
        let mut dice = Shuffler::new(9);
        for _ in 0..20 {
            let mut counts = vec![vec![0; BINS]; 2];
            labels.deal(&mut dice, &mut counts);
            assert_eq!(counts, [[2, 0, 0], [0, 1, 1]]);
        }
    }
}
