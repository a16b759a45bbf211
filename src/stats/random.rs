//! Seeded randomness, the same on every platform.

use super::quantile::sorted;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// A seeded source of permutations and draws.
#[derive(Clone, Debug)]
pub struct Shuffler(Pcg32);

impl Shuffler {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// Fisher–Yates. Positions are drawn as `u32`, so 32- and 64-bit targets agree.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            let bound = u32::try_from(i).unwrap_or(u32::MAX - 1);
            let j = self.0.random_range(0..=bound) as usize;
            values.swap(i, j);
        }
    }

    /// The first `n` of what [`Shuffler::shuffle`] makes of the values, each choice and order with the
    /// same chance: they stand in front then, in so many steps.
    pub fn choose<'v, T>(&mut self, values: &'v mut [T], n: usize) -> &'v [T] {
        let (n, last) = (n.min(values.len()), values.len().saturating_sub(1));
        for i in 0..n.min(last) {
            let bound = u32::try_from(last - i).unwrap_or(u32::MAX - 1);
            values.swap(i, i + self.0.random_range(0..=bound) as usize);
        }
        &values[..n]
    }

    /// A number from 0 to 1, 1 left out.
    pub fn unit(&mut self) -> f64 {
        // 32 bits are enough to choose among rows, and the same on 32- and 64-bit targets.
        f64::from(self.0.random::<u32>()) / 4_294_967_296.0
    }

    /// A position below `n`; 0 where there is none.
    pub fn below(&mut self, n: usize) -> usize {
        let bound = u32::try_from(n).unwrap_or(u32::MAX);
        if bound == 0 { 0 } else { self.0.random_range(0..bound) as usize }
    }
}

/// Two values so near are one that was summed up in two orders.
const ROUNDING: f64 = 1e-9;

/// Whether a draw is at least `t`.
#[must_use]
pub fn reaches(draw: f64, t: f64) -> bool {
    draw >= t - ROUNDING
}

/// The p-value of a permutation or Monte Carlo test: the chance of at least `t` among draws sorted ascending, never 0, as the
/// observation counts as one draw (Phipson and Smyth 2010).
#[must_use]
pub fn p_value(null: &[f64], t: f64) -> f64 {
    let below = null.partition_point(|v| !reaches(*v, t));
    (null.len() - below + 1) as f64 / (null.len() + 1) as f64
}

/// The fewest draws that can show so small a chance: none of them is as large, and the observation counts as one more.
#[must_use]
pub fn least_draws(alpha: f64) -> usize {
    (1.0 / alpha).ceil().max(1.0) as usize
}

/// A sequential Monte Carlo test: so many draws, ascending, or `None` as soon as the p-value of `t` among them can no longer
/// be `alpha` or less, which mostly shows after a few (Besag and Clifford 1991), or if there are too few of them to show it.
pub fn sequential_test(rounds: usize, t: f64, alpha: f64, draw: &mut dyn FnMut() -> f64) -> Option<Vec<f64>> {
    let is_unlikely = |reached: usize| (reached + 1) as f64 / (rounds + 1) as f64 <= alpha;
    let (mut draws, mut reached) = (Vec::new(), 0);
    while is_unlikely(reached) && draws.len() < rounds {
        let value = draw();
        reached += usize::from(reaches(value, t));
        draws.push(value);
    }
    is_unlikely(reached).then(|| sorted(draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequential_test_ends_once_the_p_value_is_too_large() {
        let draws = |rounds: usize, t: f64, alpha: f64| {
            let mut drawn = 0;
            let null = sequential_test(rounds, t, alpha, &mut || {
                drawn += 1;
                f64::from(drawn % 10)
            });
            (null.map(|null| p_value(&null, t)), drawn)
        };
        assert_eq!(draws(99, 9.0, 0.12), (Some(0.11), 99), "each tenth, and the observation");
        assert_eq!(draws(99, 9.0, 0.05), (None, 49), "the fifth of them is one too many");
        assert_eq!(draws(99, 10.0, 0.01), (Some(0.01), 99));
        assert_eq!(draws(98, 10.0, 0.01), (None, 0), "so few cannot show it");
    }

    #[test]
    fn p_value_counts_the_observation_as_a_draw() {
        let null = [0.1, 0.2, 0.2, 0.9];
        assert_eq!([0.05, 0.2, 0.3, 1.0].map(|t| p_value(&null, t)), [1.0, 0.8, 0.4, 0.2]);
        assert_eq!(p_value(&[], 1.0), 1.0);
        assert_eq!(p_value(&null, 0.2 + 1e-15), 0.8, "a draw like the observation, but for rounding");
    }

    #[test]
    fn every_choice_has_the_same_chance() {
        let (mut dice, mut values, mut seen) = (Shuffler::new(1), [0, 1, 2, 3], [0; 16]);
        for _ in 0..12_000 {
            let [a, b] = *dice.choose(&mut values, 2) else { panic!("two of four") };
            seen[a * 4 + b] += 1;
        }
        for (pair, count) in seen.iter().enumerate() {
            let expected = if pair % 4 == pair / 4 { 0..1 } else { 850..1150 };
            assert!(expected.contains(count), "{pair}: {count}");
        }
        let mut all = dice.choose(&mut values, 9).to_vec();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
        assert!(dice.choose::<u8>(&mut [], 3).is_empty());
    }

    #[test]
    fn every_order_has_the_same_chance() {
        let (mut dice, mut seen) = (Shuffler::new(1), std::collections::BTreeMap::new());
        for _ in 0..6_000 {
            let mut values = [0, 1, 2];
            dice.shuffle(&mut values);
            *seen.entry(values).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 6, "{seen:?}");
        assert!(seen.values().all(|count| (850..1150).contains(count)), "{seen:?}");
    }

    #[test]
    fn same_seed_same_order() {
        let mut a: Vec<u32> = (0..50).collect();
        let mut b = a.clone();
        Shuffler::new(7).shuffle(&mut a);
        Shuffler::new(7).shuffle(&mut b);
        assert_eq!(a, b);
        assert_ne!(a, (0..50).collect::<Vec<_>>());
        b.sort_unstable();
        assert_eq!(b, (0..50).collect::<Vec<_>>());
    }
}
