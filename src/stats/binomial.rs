//! How likely it is that so many of some fall to one.

use crate::base::math;

/// Chance of `least` or more among `n`, each with chance `p` below 1. Cost: O(n).
#[must_use]
pub fn tail(n: u32, p: f64, least: u32) -> f64 {
    // Each term from the one before, as logarithms: that of none at all may be too small for a number. Only what is summed
    // counts, so small chances are not lost beside 1.
    let odds = math::ln(p / (1.0 - p));
    let (mut term, mut sum) = (f64::from(n) * math::ln(1.0 - p), 0.0);
    for k in 0..=n {
        sum += if k >= least { math::exp(term) } else { 0.0 };
        term += math::ln(f64::from(n - k) / f64::from(k + 1)) + odds;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_by_hand() {
        // 2 of 2 with a tenth each: 0.01. 2 or more of 3: 3 · 0.01 · 0.9 + 0.001.
        assert!((tail(2, 0.1, 2) - 0.01).abs() < 1e-15);
        assert!((tail(3, 0.1, 2) - 0.028).abs() < 1e-15);
        assert!((tail(5, 0.25, 0) - 1.0).abs() < 1e-12);
        assert_eq!([tail(5, 0.25, 6), tail(5, 0.0, 1)], [0.0; 2]);
    }

    #[test]
    fn most_of_many_is_no_wonder() {
        // 0.05²⁵⁰ is no number. 0.999¹⁰⁸ = 0.89761.
        assert!(tail(250, 0.95, 225) > 0.999);
        assert!((tail(108, 0.999, 108) - 0.897_61).abs() < 1e-4);
        assert!((tail(100_000, 0.5, 50_000) - 0.501_261_6).abs() < 1e-6);
    }
}
