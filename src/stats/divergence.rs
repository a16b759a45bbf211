//! The square root of the Jensen–Shannon divergence, base 2 (K20, X5).
//!
//! ```text
//! JSD(p, q) = H((p + q) / 2) − (H(p) + H(q)) / 2        H(p) = −Σ pᵢ log2 pᵢ
//! ```
//! Endres & Schindelin (2003) show its root to be a metric; with base 2 it lies in 0…1.

use crate::base::math::log2;

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
#[must_use]
pub fn shares(counts: &[u32]) -> Vec<f64> {
    let sum: u32 = counts.iter().sum();
    counts.iter().map(|c| if sum == 0 { 0.0 } else { f64::from(*c) / f64::from(sum) }).collect()
}

/// The distance of two distributions over the same bins, 0 to 1.
#[must_use]
pub fn sqrt_jsd(p: &[f64], q: &[f64]) -> f64 {
    sqrt_jsd_with(p, entropy(p), q, entropy(q))
}

/// [`sqrt_jsd`] with the entropies already known.
#[must_use]
pub fn sqrt_jsd_with(p: &[f64], entropy_p: f64, q: &[f64], entropy_q: f64) -> f64 {
    let mixed: f64 = p.iter().zip(q).map(|(p, q)| entropy_term((p + q) / 2.0)).sum();
    (mixed - (entropy_p + entropy_q) / 2.0).clamp(0.0, 1.0).sqrt()
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

    proptest! {
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
