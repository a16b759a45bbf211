//! How likely it is that so many of some fall to one.

use crate::base::math;

/// Chance of `least` or more among `n`, each with chance `p` below 1; 0 where all is too small to be told from it.
/// Cost: O(n).
#[must_use]
pub fn tail(n: u32, p: f64, least: u32) -> f64 {
    // Each term from the one before; only what is summed counts, so small chances are not lost
    // beside 1.
    let (mut term, mut sum) = (math::pow(1.0 - p, f64::from(n)), 0.0);
    for k in 0..=n {
        sum += if k >= least { term } else { 0.0 };
        term *= f64::from(n - k) / f64::from(k + 1) * p / (1.0 - p);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_by_hand() {
        // 2 of 2 with a tenth each: 0.01. 2 or more of 3: 3 · 0.01 · 0.9 + 0.001.
        assert!((tail(2, 0.1, 2) - 0.01).abs() < 1e-15);
        assert!((tail(3, 0.1, 2) - 0.028).abs() < 1e-15);
        assert_eq!((tail(5, 0.25, 0), tail(5, 0.25, 6)), (1.0, 0.0));
    }
}
