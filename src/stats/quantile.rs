//! Quantiles by linear interpolation between order statistics (Hyndman & Fan's type 7).

use crate::base::Gathered;
use std::collections::BTreeMap;

/// The `q`-quantile (0 to 1) of values sorted ascending; `None` if there are none.
#[must_use]
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = q.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    let share = position - below as f64;
    Some(sorted[below] + (sorted[above] - sorted[below]) * share)
}

/// A normal distribution's standard deviation over its median absolute deviation.
const MAD_TO_DEVIATION: f64 = 1.4826;

/// The median of values, and the standard deviation of a normal distribution that has their median absolute
/// deviation: few outliers move neither. `None` if there are no values.
#[must_use]
pub fn middle_and_deviation(values: &[f64]) -> Option<(f64, f64)> {
    let middle = median(&sorted(values.iter().copied()))?;
    let deviation = median(&sorted(values.iter().map(|x| (x - middle).abs())))?;
    Some((middle, MAD_TO_DEVIATION * deviation))
}

/// The median of values sorted ascending.
#[must_use]
pub fn median(sorted: &[f64]) -> Option<f64> {
    quantile(sorted, 0.5)
}

/// The median of values in any order, which it reorders; less work than to sort them.
#[must_use]
pub fn median_of(values: &mut [f64]) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let (_, middle, above) = values.select_nth_unstable_by(last / 2, f64::total_cmp);
    let middle = *middle;
    let next = above.iter().copied().min_by(f64::total_cmp).filter(|_| last % 2 == 1).unwrap_or(middle);
    median(&[middle, next])
}

/// The median of each group of values.
#[must_use]
pub fn medians_by<K: Ord>(values: impl Iterator<Item = (K, f64)>) -> BTreeMap<K, f64> {
    let mut groups: BTreeMap<K, Vec<f64>> = BTreeMap::new();
    for (group, value) in values {
        groups.entry(group).or_default().push(value);
    }
    groups.into_iter().filter_map(|(group, mut values)| Some((group, median_of(&mut values)?))).gathered()
}

/// Sorts numbers ascending by IEEE 754 total order, so that NaN has a place too.
pub fn sort(values: &mut [f64]) {
    values.sort_unstable_by(f64::total_cmp);
}

/// The values sorted ascending.
#[must_use]
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    sort(&mut values);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_median_needs_no_order(values in prop::collection::vec(-5_i32..5, 0..9)) {
            let mut values: Vec<f64> = values.into_iter().map(|v| f64::from(v) / 3.0).collect();
            let of_sorted = median(&sorted(values.iter().copied()));
            prop_assert_eq!(median_of(&mut values).map(f64::to_bits), of_sorted.map(f64::to_bits));
        }
    }

    #[test]
    fn quantiles_interpolate() {
        let v = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&v, 0.0), Some(1.0));
        assert_eq!(quantile(&v, 1.0), Some(8.0));
        assert_eq!(median(&v), Some(3.0));
        assert_eq!(quantile(&v, 0.25), Some(1.75));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[7.0]), Some(7.0));
    }
}
