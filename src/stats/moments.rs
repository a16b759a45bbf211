//! Mean and standard deviation.

/// The mean of values and their standard deviation as a whole population (divided by their number, not by one less);
/// `None` of nothing. NaN where one of them is.
pub fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> Option<(f64, f64)> {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (n > 0.0).then(|| (mean, variance.sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_is_that_of_the_whole() {
        let of = |values: &[f64]| mean_and_deviation(values.iter().copied());
        assert_eq!(of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), Some((5.0, 2.0)));
        assert_eq!(of(&[3.5]), Some((3.5, 0.0)));
        assert_eq!(of(&[]), None);
        assert!(of(&[1.0, f64::NAN]).is_some_and(|(mean, sd)| mean.is_nan() && sd.is_nan()));
    }
}
