//! A histogram that forgets: each step halves what was counted a half-life ago (K25).
//!
//! ```text
//! h(t) = h(t − 1) · 2^(−1/half-life) + what was seen at t
//! ```

use crate::base::math::pow;

/// Weights of bins, decayed exponentially with every step.
#[derive(Clone, Debug, PartialEq)]
pub struct DecayedHistogram {
    weights: Vec<f64>,
    total: f64,
    keep: f64,
}

impl DecayedHistogram {
    /// An empty one of `bins` bins.
    #[must_use]
    pub fn new(bins: usize, half_life_steps: f64) -> Self {
        Self { weights: vec![0.0; bins], total: 0.0, keep: pow(0.5, 1.0 / half_life_steps) }
    }

    /// Lets one step pass.
    pub fn step(&mut self) {
        for weight in &mut self.weights {
            *weight *= self.keep;
        }
        self.total *= self.keep;
    }

    /// Counts one in a bin; a bin that is not there is passed over.
    pub fn add(&mut self, bin: usize) {
        if let Some(weight) = self.weights.get_mut(bin) {
            *weight += 1.0;
            self.total += 1.0;
        }
    }

    /// What all bins hold together: the number of recent counts.
    #[must_use]
    pub const fn total(&self) -> f64 {
        self.total
    }

    /// Each bin's share of the whole into `out`; all 0 if nothing is left.
    pub fn shares(&self, out: &mut [f64]) {
        let total: f64 = self.weights.iter().sum();
        for (out, weight) in out.iter_mut().zip(&self.weights) {
            *out = if total > 0.0 { weight / total } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_left_after_a_half_life() {
        let mut h = DecayedHistogram::new(2, 2.0);
        h.add(0);
        h.step();
        h.step();
        h.add(1);
        // Bin 0 has 1/2 left, bin 1 has 1: shares 1/3 and 2/3.
        let mut shares = [0.0; 2];
        h.shares(&mut shares);
        assert!((shares[0] - 1.0 / 3.0).abs() < 1e-12 && (shares[1] - 2.0 / 3.0).abs() < 1e-12, "{shares:?}");
        assert!((h.total() - 1.5).abs() < 1e-12);
    }

    #[test]
    fn steady_counts_fill_to_a_fixed_total() {
        let mut h = DecayedHistogram::new(1, 1.0);
        for _ in 0..60 {
            h.step();
            h.add(0);
        }
        // 1 + 1/2 + 1/4 + … = 2.
        assert!((h.total() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn empty_has_no_shares() {
        let mut h = DecayedHistogram::new(3, 60.0);
        h.step();
        h.add(7);
        let mut shares = [9.0; 3];
        h.shares(&mut shares);
        assert_eq!(shares, [0.0; 3]);
    }
}
