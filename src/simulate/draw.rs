//! Chance, seeded.

use crate::base::math::{exp, ln};
use crate::stats::random::Shuffler;

/// Uniform draws that are summed for one normal draw: their sum has variance 1.
const NORMAL_TERMS: usize = 12;

/// A source of draws.
#[derive(Clone, Debug)]
pub struct Draw(Shuffler);

impl Draw {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Shuffler::new(seed))
    }

    /// Uniform from 0 to 1, 1 left out.
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Uniform in a range.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A position below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    /// True with probability `p`.
    pub fn happens(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Mean 0, variance 1: a sum of twelve uniform draws, which is close enough to normal
    /// within three deviations, and needs no function that differs between platforms.
    pub fn normal(&mut self) -> f64 {
        (0..NORMAL_TERMS).map(|_| self.unit()).sum::<f64>() - NORMAL_TERMS as f64 / 2.0
    }

    /// A factor around 1 whose logarithm has the deviation `sigma`.
    pub fn factor(&mut self, sigma: f64) -> f64 {
        exp(sigma * self.normal())
    }

    /// Waiting time with this mean.
    pub fn wait(&mut self, mean: f64) -> f64 {
        -mean * ln(1.0 - self.unit())
    }

    /// How many rare events happen where `mean` are expected: counted by waiting times, and
    /// by the normal approximation where that takes long.
    pub fn count(&mut self, mean: f64) -> u32 {
        if mean > 50.0 {
            return (mean + mean.sqrt() * self.normal()).max(0.0) as u32;
        }
        let mut waited = self.wait(1.0);
        let mut count = 0;
        while waited < mean {
            count += 1;
            waited += self.wait(1.0);
        }
        count
    }

    /// A number that stands for an identifier: 63 bits.
    pub fn id(&mut self) -> i64 {
        let high = (self.unit() * 2_147_483_648.0) as i64;
        let low = (self.unit() * 4_294_967_296.0) as i64;
        (high << 32) | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_moments_they_promise() {
        let mut draw = Draw::new(1);
        let n = 20_000;
        let normals: Vec<f64> = (0..n).map(|_| draw.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(n);
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        let counted: u32 = (0..n).map(|_| draw.count(2.5)).sum();
        assert!((f64::from(counted) / f64::from(n) - 2.5).abs() < 0.05, "{counted}");
        let waited: f64 = (0..n).map(|_| draw.wait(3.0)).sum();
        assert!((waited / f64::from(n) - 3.0).abs() < 0.1, "{waited}");
    }
}
