//! The square root of the Jensen–Shannon divergence, base 2 (K20, X5).
//!
//! ```text
//! JSD(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2        H(p) = −Σ pᵢ log2 pᵢ
//! ```
//! Endres & Schindelin (2003) show its root to be a metric; with base 2 it lies in 0…1.

use crate::base::math::log2;
use std::sync::LazyLock;

/// Whole numbers whose k log2 k is kept: half a megabyte, in which the mixtures of nodes with
/// some hundred states each lie.
const KEPT: u32 = 1 << 16;
static K_LOG2_K: LazyLock<Vec<f64>> = LazyLock::new(|| (0..KEPT).map(|k| -entropy_term(f64::from(k))).collect());

/// k log2 k, by those that are kept.
fn k_log2_k(k: u64, kept: &[f64]) -> f64 {
    let kept = usize::try_from(k).ok().and_then(|k| kept.get(k));
    kept.copied().unwrap_or_else(|| -entropy_term(k as f64))
}

/// −x log2 x, 0 at 0.
fn entropy_term(x: f64) -> f64 {
    if x > 0.0 { -x * log2(x) } else { 0.0 }
}

/// Shannon entropy in bits.
#[must_use]
pub fn entropy(p: &[f64]) -> f64 {
    p.iter().map(|x| entropy_term(*x)).sum()
}

/// Counts as shares of their sum; all 0 if the sum is 0.
#[cfg(test)]
fn shares(counts: &[u32]) -> Vec<f64> {
    let sum: u32 = counts.iter().sum();
    counts.iter().map(|c| if sum == 0 { 0.0 } else { f64::from(*c) / f64::from(sum) }).collect()
}

/// [`sqrt_jsd_with`] in its plain form.
#[cfg(test)]
fn sqrt_jsd(p: &[f64], q: &[f64]) -> f64 {
    sqrt_jsd_with(p, entropy(p), q, entropy(q))
}

/// The distance of two distributions over the same bins, 0 to 1, with their entropies.
#[must_use]
pub fn sqrt_jsd_with(p: &[f64], entropy_p: f64, q: &[f64], entropy_q: f64) -> f64 {
    let mixed: f64 = p.iter().zip(q).map(|(p, q)| entropy_term((p + q) / 2.0)).sum();
    (mixed - (entropy_p + entropy_q) / 2.0).clamp(0.0, 1.0).sqrt()
}

/// Counts over the same bins whose divergences are asked for often, as permutation does.
///
/// Of n counts c and m counts d the mixture's share of a bin is (c m + d n) / 2 n m, so that its
/// entropy takes k log2 k of whole numbers k, most of which are small.
#[derive(Clone, Debug)]
pub struct Histograms {
    /// Bin by bin, those of all histograms side by side.
    counts: Vec<u64>,
    /// Of each the sum of its counts, at least 1, and its logarithm.
    sums: Vec<u64>,
    log2_sums: Vec<f64>,
    entropies: Vec<f64>,
    /// [`K_LOG2_K`]: whoever asks it for one number asks first whether it is there.
    kept: &'static [f64],
}

impl Histograms {
    /// Of these counts, each as many.
    #[must_use]
    pub fn new(counts: &[Vec<u32>]) -> Self {
        let kept = K_LOG2_K.as_slice();
        let bins = counts.first().map_or(0, Vec::len);
        let side_by_side = (0..bins).flat_map(|bin| counts.iter().map(move |c| u64::from(c[bin])));
        let sums: Vec<u64> = counts.iter().map(|c| c.iter().map(|c| u64::from(*c)).sum::<u64>().max(1)).collect();
        let log2_sums: Vec<f64> = sums.iter().map(|sum| log2(*sum as f64)).collect();
        let terms = counts.iter().map(|c| c.iter().map(|c| k_log2_k(u64::from(*c), kept)).sum());
        let of_each = terms.zip(&sums).zip(&log2_sums);
        let entropies = of_each.map(|((terms, sum), log2_sum): ((f64, _), _)| log2_sum - terms / *sum as f64).collect();
        Self { counts: side_by_side.collect(), sums, log2_sums, entropies, kept }
    }

    /// [`sqrt_jsd_with`] of the shares of one and of each that comes after it; none is empty.
    pub fn sqrt_jsd(&self, of: usize, distances: &mut [f64]) {
        let (n, after) = (self.sums[of], of + 1..);
        distances.fill(0.0);
        for counts in self.counts.chunks_exact(self.sums.len()) {
            let c = counts[of];
            let others = counts[after.clone()].iter().zip(&self.sums[after.clone()]);
            for (terms, (d, m)) in distances.iter_mut().zip(others) {
                *terms += k_log2_k(c * m + d * n, self.kept);
            }
        }
        let others = self.sums[after.clone()].iter().zip(&self.log2_sums[after.clone()]).zip(&self.entropies[after]);
        for (distance, ((m, log2_sum), entropy)) in distances.iter_mut().zip(others) {
            let mixed = 1.0 + (self.log2_sums[of] + log2_sum) - *distance / (2 * n * m) as f64;
            *distance = (mixed - (self.entropies[of] + entropy) / 2.0).clamp(0.0, 1.0).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn disjoint_distributions_are_one_apart() {
        assert!((sqrt_jsd(&[1.0, 0.0], &[0.0, 1.0]) - 1.0).abs() < 1e-12);
        assert!(sqrt_jsd(&[0.5, 0.5], &[0.5, 0.5]).abs() < 1e-12);
    }

    #[test]
    fn hand_worked_distance() {
        // p = (1, 0), q = (1/2, 1/2): m = (3/4, 1/4), H(m) = 0.811278, H(p) = 0, H(q) = 1.
        let d = sqrt_jsd(&[1.0, 0.0], &[0.5, 0.5]);
        assert!((d * d - 0.311_278_124_459).abs() < 1e-9);
    }

    #[test]
    fn counts_of_nothing_have_no_shares() {
        assert_eq!(shares(&[0, 0]), [0.0, 0.0]);
        assert_eq!(shares(&[1, 3]), [0.25, 0.75]);
    }

    fn distribution() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0_u32..20, 5)
            .prop_filter("not all zero", |c| c.iter().any(|x| *x > 0))
            .prop_map(|c| shares(&c))
    }

    fn counts() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(prop_oneof![Just(0), 0_u32..20, 0_u32..5_000], 5)
            .prop_filter("not all zero", |c| c.iter().any(|x| *x > 0))
    }

    proptest! {
        #[test]
        fn counts_and_shares_are_as_far_apart(c in counts(), d in counts()) {
            let (mut one, mut other) = ([0.0], [0.0; 2]);
            Histograms::new(&[c.clone(), d.clone()]).sqrt_jsd(0, &mut one);
            let of_shares = sqrt_jsd(&shares(&c), &shares(&d));
            prop_assert!((one[0] * one[0] - of_shares * of_shares).abs() < 1e-12);
            Histograms::new(&[d, c.clone(), c]).sqrt_jsd(0, &mut other);
            prop_assert_eq!(other.map(f64::to_bits), [one[0].to_bits(); 2]);
        }

        #[test]
        fn is_a_metric_within_0_and_1(p in distribution(), q in distribution(), r in distribution()) {
            let (pq, qr, pr) = (sqrt_jsd(&p, &q), sqrt_jsd(&q, &r), sqrt_jsd(&p, &r));
            prop_assert!((0.0..=1.0).contains(&pq));
            prop_assert_eq!(pq.to_bits(), sqrt_jsd(&q, &p).to_bits());
            prop_assert!(sqrt_jsd(&p, &p) < 1e-7);
            prop_assert!(pr <= pq + qr + 1e-9);
        }
    }
}
