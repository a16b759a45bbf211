//! Permutations of labels within groups (node labels within jobs), counted by label and bin.
//!
//! To permute a group's labels is to draw for each bin as many of them as it has values, none twice;
//! what is left over is the last bin's. The bin that most values lie in comes last, and none of its
//! labels is drawn. Cost: O(values outside it + labels) a permutation.

use super::random::Shuffler;
use std::collections::BTreeMap;

/// The labels of all values, each below the number of rows of counts.
#[derive(Debug)]
pub struct Labels(Vec<OfGroup>);

/// Those of one group.
#[derive(Debug)]
struct OfGroup {
    /// One for each value.
    labels: Vec<u32>,
    /// How often each is there.
    counts: Vec<(usize, u32)>,
    /// The bins that are drawn for, and how many values lie in each.
    drawn: Vec<(usize, usize)>,
    /// The bin of most values.
    last: usize,
}

impl Labels {
    /// Of values, each given by its group, its label and its bin, below `bins`.
    pub fn of<G: Ord>(values: impl Iterator<Item = (G, usize, usize)>, bins: usize) -> Self {
        let mut groups: BTreeMap<G, (Vec<u32>, Vec<usize>)> = BTreeMap::new();
        for (group, label, bin) in values {
            let (labels, sizes) = groups.entry(group).or_insert_with(|| (Vec::new(), vec![0; bins]));
            // So many labels do not fit into memory.
            labels.extend(u32::try_from(label));
            sizes[bin] += 1;
        }
        Self(groups.into_values().map(|(labels, sizes)| OfGroup::new(labels, &sizes)).collect())
    }

    /// How many are drawn for a permutation.
    #[must_use]
    pub fn drawn(&self) -> usize {
        self.0.iter().map(OfGroup::drawn).sum()
    }

    /// Permutes them and adds how often each label then lies in each bin.
    pub fn deal(&mut self, dice: &mut Shuffler, counts: &mut [Vec<u32>]) {
        for group in &mut self.0 {
            group.deal(dice, counts);
        }
    }
}

impl OfGroup {
    fn new(mut labels: Vec<u32>, sizes: &[usize]) -> Self {
        labels.sort_unstable();
        let count = |same: &[u32]| Some((*same.first()? as usize, u32::try_from(same.len()).ok()?));
        let counts = labels.chunk_by(|a, b| a == b).filter_map(count).collect();
        let last = (0..sizes.len()).max_by_key(|bin| sizes[*bin]).unwrap_or_default();
        let drawn = sizes.iter().copied().enumerate().filter(|(bin, size)| *bin != last && *size > 0).collect();
        Self { labels, counts, drawn, last }
    }

    fn drawn(&self) -> usize {
        self.drawn.iter().map(|(_, size)| size).sum()
    }

    fn deal(&mut self, dice: &mut Shuffler, counts: &mut [Vec<u32>]) {
        for (label, all) in &self.counts {
            counts[*label][self.last] += all;
        }
        let n = self.drawn();
        let mut labels = dice.choose(&mut self.labels, n).iter();
        for (bin, size) in &self.drawn {
            for label in labels.by_ref().take(*size) {
                let own = &mut counts[*label as usize];
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

    proptest! {
        #[test]
        fn labels_and_bins_keep_what_they_have(
            values in vec((0_u32..3, 0_usize..4, 0..BINS), 0..60),
            seed in any::<u64>(),
        ) {
            let mut labels = Labels::of(values.iter().copied(), BINS);
            let mut dice = Shuffler::new(seed);
            for _ in 0..3 {
                let mut counts = vec![vec![0; BINS]; 4];
                labels.deal(&mut dice, &mut counts);
                for (label, own) in counts.iter().enumerate() {
                    let all = values.iter().filter(|(_, l, _)| *l == label).count();
                    prop_assert_eq!(own.iter().sum::<u32>() as usize, all);
                }
                for bin in 0..BINS {
                    let all = values.iter().filter(|(.., b)| *b == bin).count();
                    prop_assert_eq!(counts.iter().map(|own| own[bin]).sum::<u32>() as usize, all);
                }
            }
        }
    }

    #[test]
    fn each_permutation_has_the_same_chance() {
        // Label 0 twice and label 1 three times, and two values in bin 0: label 0 has none of those in 3
        // permutations of 10, one in 6, both in 1 (hypergeometric).
        let values = [(0, 1), (0, 0), (1, 1), (1, 0), (1, 1)];
        let mut labels = Labels::of(values.into_iter().map(|(label, bin)| ((), label, bin)), BINS);
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
    fn labels_stay_within_their_group() {
        // Each label has a group of its own: no permutation can tell them otherwise.
        let values = [('a', 0, 0), ('a', 0, 0), ('b', 1, 2), ('b', 1, 1)];
        let mut labels = Labels::of(values.into_iter(), BINS);
        let mut dice = Shuffler::new(9);
        for _ in 0..20 {
            let mut counts = vec![vec![0; BINS]; 2];
            labels.deal(&mut dice, &mut counts);
            assert_eq!(counts, [[2, 0, 0], [0, 1, 1]]);
        }
    }
}
