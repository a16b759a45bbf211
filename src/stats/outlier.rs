//! Of many, some lie far out by chance: how far one must.

use super::quantile::middle_and_deviation;
use crate::base::math::ln;

/// From so many nodes on it is known how their ratios scatter.
pub const MANY_NODES: usize = 50;
/// How many times farther out than of a normal distribution healthy nodes were: of 1,000 in
/// simulated runs up to 6.8 deviations instead of 3.7.
const HEAVY_TAIL: f64 = 2.2;

/// Whether a node's ratio lies beyond what the ratios of many nodes scatter by themselves. Permutation
/// takes a task's blocks for so many chances, and of a thousand nodes some are far out.
#[must_use]
pub fn stands_out(ratios: &[f64], own: f64) -> bool {
    if ratios.len() < MANY_NODES {
        return true;
    }
    let log = |ratio: f64| ln(ratio.max(f64::MIN_POSITIVE));
    let logs: Vec<f64> = ratios.iter().map(|ratio| log(*ratio)).collect();
    let (middle, scatter) = middle_and_deviation(&logs).unwrap_or_default();
    // The largest of n normal deviates is about the square root of 2 ln n.
    let largest = (2.0 * ln(ratios.len() as f64)).sqrt();
    log(own) - middle > HEAVY_TAIL * largest * scatter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_nodes_only_the_far_ones_stand_out() {
        // Ratios from e^-0.1 to e^0.1 in even steps: deviation 1.4826 · 0.05; of 100 nodes the limit is
        // 2.2 · √(2 ln 100) = 6.68 of these, which is a ratio of 1.64.
        let ratios: Vec<f64> = (0..100).map(|i| crate::base::math::exp(0.2 * (f64::from(i) / 99.0 - 0.5))).collect();
        assert!(!stands_out(&ratios, 1.6));
        assert!(stands_out(&ratios, 1.7));
        assert!(!stands_out(&[1.0; 100], 1.0), "what all have is no one's");
        assert!(stands_out(&ratios[..49], 1.1), "of few nodes nothing is known of how they scatter");
    }
}
