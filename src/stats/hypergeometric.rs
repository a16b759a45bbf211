//! How likely it is that so many of those drawn are marked.

use crate::base::math;

/// Chance of `least` or more marked ones among `drawn` of `all`, of which so many are marked: Fisher's exact test, one-sided.
/// Cost: O(drawn + marked).
#[must_use]
pub fn tail(all: u32, marked: u32, drawn: u32, least: u32) -> f64 {
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
        let more = f64::from(marked - k) * f64::from(drawn - k);
        term += math::ln(more / f64::from(k + 1) / (f64::from(unmarked) - f64::from(drawn) + f64::from(k + 1)));
    }
    sum.min(1.0)
}

/// The logarithm of the number of ways to choose so many of these.
fn ln_choices(of: u32, chosen: u32) -> f64 {
    let chosen = chosen.min(of - chosen.min(of));
    (1..=chosen).map(|i| math::ln(f64::from(of - chosen + i) / f64::from(i))).sum()
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
