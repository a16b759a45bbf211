//! How likely it is that so many of those drawn are marked.

use crate::base::math;

/// Chance of `least` or more marked ones among `drawn` of `all`, of which so many are marked: Fisher's exact test, one-sided.
/// Cost: O(drawn + marked).
#[must_use]
pub fn tail(all: usize, marked: usize, drawn: usize, least: usize) -> f64 {
    let (marked, drawn) = (marked.min(all), drawn.min(all));
    let unmarked = all - marked;
    let (first, most) = (least.max(drawn.saturating_sub(unmarked)), drawn.min(marked));
    if first > most {
        return 0.0;
    }
    let mut term = ln_choices(marked, first) + ln_choices(unmarked, drawn - first) - ln_choices(all, drawn);
    let mut sum = 0.0;
    for k in first..=most {
        sum += math::exp(term);
        // Each term from the one before.
        let more = (marked - k) as f64 * (drawn - k) as f64;
        term += math::ln(more / (k + 1) as f64 / (unmarked + k + 1 - drawn) as f64);
    }
    sum.min(1.0)
}

/// The logarithm of the number of ways to choose so many of these. Cost: O(chosen).
#[must_use]
pub fn ln_choices(of: usize, chosen: usize) -> f64 {
    (1..=chosen.min(of)).map(|i| math::ln((of - i + 1) as f64 / i as f64)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_by_hand() {
        let near = |chance: f64, expected: f64| assert!((chance / expected - 1.0).abs() < 1e-12, "{chance} {expected}");
        // Six of six drawn of twelve, six of them marked: one way of 924.
        near(tail(12, 6, 6, 6), 1.0 / 924.0);
        // Five or more: 6 · 6 ways beside that one.
        near(tail(12, 6, 6, 5), 37.0 / 924.0);
        near(tail(12, 6, 6, 0), 1.0);
        // Of ten, two unmarked: of three drawn one at least is marked, and all three in 56 of 120 ways.
        near(tail(10, 8, 3, 1), 1.0);
        near(tail(10, 8, 3, 3), 56.0 / 120.0);
        assert_eq!([tail(12, 6, 6, 7), tail(12, 0, 6, 1), tail(0, 0, 0, 1)], [0.0; 3]);
        assert!((tail(200_000, 100_000, 100_000, 50_000) - 0.5).abs() < 0.01);
    }
}
