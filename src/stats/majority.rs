//! The majority rule of Kahuna (K21) with its threshold made visible.
//!
//! A node is indicted if its distance from a majority of the other nodes exceeds a
//! threshold. Among N nodes that is so exactly if the ⌈N/2⌉-th largest of its distances,
//! T(i), exceeds it.

use super::divergence::{Histograms, entropy, sqrt_jsd_with};

/// A symmetric matrix of distances.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distances {
    n: usize,
    values: Vec<f64>,
}

impl Distances {
    /// Pairwise sqrt-JSD of histograms given as counts over the same bins.
    #[must_use]
    pub fn of_histograms(counts: &[Vec<u32>]) -> Self {
        let n = counts.len();
        let histograms = Histograms::new(counts);
        let mut values = vec![0.0; n * n];
        for i in 0..n {
            let (above, row) = values.split_at_mut(i * n);
            histograms.sqrt_jsd(i, &mut row[i + 1..n]);
            for (j, value) in row[..i].iter_mut().enumerate() {
                *value = above[j * n + i];
            }
        }
        Self { n, values }
    }

    /// Pairwise sqrt-JSD of distributions over the same bins.
    #[must_use]
    pub fn of_shares(p: &[Vec<f64>]) -> Self {
        let with_entropy: Vec<(&[f64], f64)> = p.iter().map(|p| (p.as_slice(), entropy(p))).collect();
        Self::between(&with_entropy, |(p, of_p), (q, of_q)| sqrt_jsd_with(p, *of_p, q, *of_q))
    }

    fn between<T>(of: &[T], distance: impl Fn(&T, &T) -> f64) -> Self {
        let n = of.len();
        let mut values = vec![0.0; n * n];
        for i in 0..n {
            for j in i + 1..n {
                let d = distance(&of[i], &of[j]);
                values[i * n + j] = d;
                values[j * n + i] = d;
            }
        }
        Self { n, values }
    }

    /// Distances of each node, row by row.
    #[must_use]
    pub fn rows(&self) -> Vec<Vec<f64>> {
        self.values.chunks(self.n.max(1)).map(<[f64]>::to_vec).collect()
    }

    /// T(i) of every node; 0 for a node without another.
    #[must_use]
    pub fn majority_scores(&self) -> Vec<f64> {
        let mut others = Vec::with_capacity(self.n);
        (0..self.n).map(|i| self.score(i, &mut others)).collect()
    }

    /// The largest T(i); 0 without a node.
    #[must_use]
    pub fn largest_majority_score(&self) -> f64 {
        let mut others = Vec::with_capacity(self.n);
        (0..self.n).fold(0.0, |largest, i| {
            // Few are larger who are farther from a majority than that: counting them is less work than
            // to look for the majority's.
            let row = &self.values[i * self.n..][..self.n];
            let farther = row.iter().filter(|d| **d > largest).count();
            if farther < self.majority() { largest } else { self.score(i, &mut others).max(largest) }
        })
    }

    const fn majority(&self) -> usize {
        self.n.div_ceil(2)
    }

    fn score(&self, i: usize, others: &mut Vec<f64>) -> f64 {
        let row = &self.values[i * self.n..][..self.n];
        others.clear();
        others.extend(row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| *d));
        if others.is_empty() {
            return 0.0;
        }
        *others.select_nth_unstable_by(self.majority() - 1, |a, b| b.total_cmp(a)).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    #[test]
    fn odd_node_differs_from_a_majority() {
        let same = vec![8, 2, 0];
        let odd = vec![0, 0, 10];
        let d = Distances::of_histograms(&[same.clone(), same.clone(), odd, same]);
        let t = d.majority_scores();
        assert!(t[2] > 0.99 && t[0] < 1e-9 && t[1] < 1e-9 && t[3] < 1e-9, "{t:?}");
        assert_eq!(d.largest_majority_score(), t[2]);
    }

    #[test]
    fn half_the_nodes_odd_leaves_no_majority() {
        let a = vec![10, 0];
        let b = vec![0, 10];
        let t = Distances::of_histograms(&[a.clone(), a, b.clone(), b]).majority_scores();
        // Each node differs from 2 of its 3 others: everyone is odd, nobody is.
        assert!(t.iter().all(|t| *t > 0.99), "{t:?}");
    }

    proptest! {
        #[test]
        fn the_largest_score_is_among_all(counts in vec(vec(0_u32..9, 3), 0..9)) {
            let counts: Vec<Vec<u32>> = counts.into_iter().filter(|c| c.iter().any(|x| *x > 0)).collect();
            let d = Distances::of_histograms(&counts);
            prop_assert_eq!(d.largest_majority_score(), d.majority_scores().into_iter().fold(0.0, f64::max));
        }
    }

    #[test]
    fn degenerate_clusters_have_scores() {
        assert!(Distances::of_histograms(&[]).majority_scores().is_empty());
        assert_eq!(Distances::of_histograms(&[vec![1]]).majority_scores(), [0.0]);
    }
}
