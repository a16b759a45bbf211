//! Seeded randomness, the same on every platform.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

/// A seeded source of permutations.
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
