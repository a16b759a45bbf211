//! Of many, some lie far out by chance: how far one must.

use super::quantile::middle_and_deviation;
use crate::base::math::{ln, pow};

/// From so many nodes on it is known how their ratios scatter.
pub const MANY_NODES: usize = 50;
/// The tail of healthy nodes is no normal one: some hold what many others ask for at once. In simulated runs they were up to
/// 6.8 deviations out of 1,000 nodes that had much to do, and 11.4 of 300 in short runs of 180 transfers each. That is so
/// many times the cube root of their number at the most.
const HEAVY_TAIL: f64 = 1.8;

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
    log(own) - middle > HEAVY_TAIL * pow(ratios.len() as f64, 1.0 / 3.0) * scatter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_nodes_only_the_far_ones_stand_out() {
        // Ratios from e^-0.1 to e^0.1 in even steps: deviation 1.4826 · 0.05; of 100 nodes the limit is
        // 1.8 · ∛100 = 8.35 of these, which is a ratio of 1.86.
        let ratios: Vec<f64> = (0..100).map(|i| crate::base::math::exp(0.2 * (f64::from(i) / 99.0 - 0.5))).collect();
        assert!(!stands_out(&ratios, 1.8));
        assert!(stands_out(&ratios, 1.9));
        assert!(!stands_out(&[1.0; 100], 1.0), "what all have is no one's");
        assert!(stands_out(&ratios[..49], 1.1), "of few nodes nothing is known of how they scatter");
    }
}
