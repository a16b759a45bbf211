//! Histograms on edges that all samples share.

use super::quantile::{quantile, sorted};

/// Bins of equal width between two values; what lies outside falls into the end bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    from: f64,
    width: f64,
    count: usize,
}

impl Bins {
    /// `count` bins between the `tail` and the `1 − tail` quantile of the pooled values.
    /// `None` if there is no value or no bin. If all values are equal, all fall into the
    /// first bin.
    #[must_use]
    pub fn between_quantiles(pooled: &[f64], tail: f64, count: usize) -> Option<Self> {
        let pooled = sorted(pooled.iter().copied());
        let from = quantile(&pooled, tail)?;
        let to = quantile(&pooled, 1.0 - tail)?;
        (count > 0).then(|| Self { from, width: (to - from) / count as f64, count })
    }

    /// Number of bins.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// The bin of a value.
    #[must_use]
    pub fn bin(&self, x: f64) -> usize {
        if self.width.is_nan() || self.width <= 0.0 {
            return 0;
        }
        let position = ((x - self.from) / self.width).floor();
        // The cast saturates: negative and NaN positions become 0.
        (position as usize).min(self.count - 1)
    }

    /// The edges, one more than bins.
    #[must_use]
    pub fn edges(&self) -> Vec<f64> {
        (0..=self.count).map(|i| self.from + self.width * i as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outliers_fall_into_the_end_bins() {
        let values: Vec<f64> = (0..=100).map(f64::from).collect();
        let Some(bins) = Bins::between_quantiles(&values, 0.1, 4) else { panic!("values give bins") };
        assert_eq!(bins.edges(), [10.0, 30.0, 50.0, 70.0, 90.0]);
        let bin = |x| bins.bin(x);
        assert_eq!([bin(-5.0), bin(10.0), bin(29.9), bin(30.0), bin(89.9), bin(1000.0)], [0, 0, 0, 1, 3, 3]);
    }

    #[test]
    fn equal_values_fall_into_one_bin() {
        let Some(bins) = Bins::between_quantiles(&[2.0; 5], 0.02, 5) else { panic!("values give bins") };
        assert_eq!(bins.bin(2.0), 0);
        assert_eq!(Bins::between_quantiles(&[], 0.02, 5), None);
    }
}
