//! Histograms on edges that all samples share.

use super::quantile::{quantile, sorted};

/// Bins of equal width between two values; what lies outside falls into the end bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    from: f64,
    width: f64,
    count: usize,
    of_few: bool,
}

impl Bins {
    /// `count` bins between the `tail` and the `1 − tail` quantile of the pooled values; where nearly all values are
    /// equal, so that these coincide, between the least and the greatest, which the few others are. `None` if all values
    /// are equal, if there is none, or no bin.
    #[must_use]
    pub fn between_quantiles(pooled: &[f64], tail: f64, count: usize) -> Option<Self> {
        let pooled = sorted(pooled.iter().copied());
        let between = |tail: f64, of_few: bool| {
            let (from, to) = (quantile(&pooled, tail)?, quantile(&pooled, 1.0 - tail)?);
            (count > 0 && to > from).then(|| Self { from, width: (to - from) / count as f64, count, of_few })
        };
        between(tail, false).or_else(|| between(0.0, true))
    }

    /// Whether nearly all values are equal, so that the bins are between those of the few that are not.
    #[must_use]
    pub const fn are_of_few(&self) -> bool {
        self.of_few
    }

    /// One bin that holds every value: the histogram of values that are all equal.
    #[must_use]
    pub const fn single(value: f64) -> Self {
        Self { from: value, width: 0.0, count: 1, of_few: false }
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
        assert_eq!((bins.edges(), bins.are_of_few()), (vec![10.0, 30.0, 50.0, 70.0, 90.0], false));
        let bin = |x| bins.bin(x);
        assert_eq!([bin(-5.0), bin(10.0), bin(29.9), bin(30.0), bin(89.9), bin(1000.0)], [0, 0, 0, 1, 3, 3]);
    }

    #[test]
    fn equal_values_have_no_bins_between_them_but_one_that_holds_all() {
        for values in [&[2.0; 5][..], &[]] {
            assert_eq!(Bins::between_quantiles(values, 0.02, 5), None);
        }
        assert_eq!(Bins::between_quantiles(&[1.0, 2.0], 0.02, 0), None);
        let one = Bins::single(2.0);
        assert_eq!((one.count(), one.bin(2.0), one.edges()), (1, 0, vec![2.0, 2.0]));
    }

    /// One of a hundred: the 2 % and the 98 % quantile do not show it.
    #[test]
    fn few_that_differ_from_all_others_have_their_bin() {
        let values: Vec<f64> = (0..100).map(|i| if i == 7 { 12.0 } else { 2.0 }).collect();
        let Some(bins) = Bins::between_quantiles(&values, 0.02, 5) else { panic!("values give bins") };
        assert_eq!(bins.edges(), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(([2.0, 12.0].map(|x| bins.bin(x)), bins.are_of_few()), ([0, 4], true));
    }
}
