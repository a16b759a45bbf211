//! Pearson's correlation.
//!
//! ```text
//! r = Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)        −1 … 1
//! ```

/// A spread below this share of a series' size is rounding, not a spread.
const CONSTANT: f64 = 1e-12;

/// A series that varies: its deviations from its mean, and the root of their squares' sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Varying {
    deviations: Vec<f64>,
    root: f64,
}

impl Varying {
    /// The deviations of a series; `None` if it does not vary (X7: there is nothing to correlate) or
    /// has fewer than two values.
    #[must_use]
    pub fn of(series: &[f64]) -> Option<Self> {
        if series.len() < 2 {
            return None;
        }
        let n = series.len() as f64;
        let mean = series.iter().sum::<f64>() / n;
        let deviations: Vec<f64> = series.iter().map(|x| x - mean).collect();
        let squares = deviations.iter().fold(0.0, |sum, d| sum + d * d);
        (squares > CONSTANT * CONSTANT * n * (1.0 + mean * mean)).then(|| Self { deviations, root: squares.sqrt() })
    }
}

/// The correlation of each pair of series of equal length, 1 on the diagonal.
///
/// Rows are filled from the diagonal on, all pairs of a row beside each other, step by step: that keeps
/// the order in which each pair is summed and lets the processor take several pairs at once.
#[must_use]
pub fn correlations(series: &[Varying]) -> Vec<Vec<f64>> {
    let n = series.len();
    let steps = series.iter().map(|s| s.deviations.len()).min().unwrap_or(0);
    let by_step: Vec<f64> = (0..steps).flat_map(|step| series.iter().map(move |s| s.deviations[step])).collect();
    let mut rows = vec![vec![1.0; n]; n];
    for (i, one) in series.iter().enumerate() {
        let row = &mut rows[i][i + 1..];
        row.fill(0.0);
        for (d, all) in one.deviations.iter().zip(by_step.chunks_exact(n)) {
            for (sum, other) in row.iter_mut().zip(&all[i + 1..]) {
                *sum += d * other;
            }
        }
        for (r, other) in row.iter_mut().zip(&series[i + 1..]) {
            *r = (*r / (one.root * other.root)).clamp(-1.0, 1.0);
        }
        let (above, below) = rows.split_at_mut(i + 1);
        for (r, other) in above[i][i + 1..].iter().zip(below) {
            other[i] = *r;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
        Some(correlations(&[Varying::of(x)?, Varying::of(y)?])[0][1])
    }

    #[test]
    fn hand_worked_correlation() {
        // Means 2 and 3; deviations −1, 0, 1 and −2, 1, 1: Σxy = 3, Σxx = 2, Σyy = 6, r = 3/√12.
        let r = pearson(&[1.0, 2.0, 3.0], &[1.0, 4.0, 4.0]).unwrap();
        assert!((r - 0.866_025_403_784).abs() < 1e-9, "{r}");
        let falling = pearson(&[1.0, 2.0, 3.0], &[6.0, 4.0, 2.0]).unwrap();
        assert!((falling + 1.0).abs() < 1e-12, "{falling}");
    }

    #[test]
    fn constant_series_correlates_with_nothing() {
        assert_eq!(pearson(&[0.1; 7], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), None);
        assert_eq!(pearson(&[1.0], &[1.0]), None);
        assert_eq!(pearson(&[], &[]), None);
        assert_eq!(pearson(&[1.0, f64::NAN], &[1.0, 2.0]), None);
    }

    #[test]
    fn every_pair_is_correlated_and_stands_twice() {
        let series = [[1.0, 2.0, 3.0, 0.0], [1.0, 4.0, 4.0, 0.5], [6.0, 4.0, 2.0, 9.0], [0.0, 1.0, 0.0, 1.0]];
        let all = correlations(&series.iter().filter_map(|s| Varying::of(s)).collect::<Vec<_>>());
        assert_eq!(all.len(), 4);
        for (i, x) in series.iter().enumerate() {
            for (j, y) in series.iter().enumerate() {
                let r = if i == j { 1.0 } else { pearson(x, y).unwrap() };
                assert_eq!(all[i][j].to_bits(), r.to_bits(), "{i} {j}");
            }
        }
        assert!(correlations(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn is_symmetric_bounded_and_blind_to_scale(
            pairs in prop::collection::vec((-50_i32..50, -50_i32..50), 2..40),
            scale in 1_i32..9,
        ) {
            let x: Vec<f64> = pairs.iter().map(|(x, _)| f64::from(*x)).collect();
            let y: Vec<f64> = pairs.iter().map(|(_, y)| f64::from(*y)).collect();
            let r = pearson(&x, &y);
            prop_assert_eq!(r.map(f64::to_bits), pearson(&y, &x).map(f64::to_bits));
            if let Some(r) = r {
                prop_assert!((-1.0..=1.0).contains(&r));
                prop_assert!((pearson(&x, &x).unwrap() - 1.0).abs() < 1e-9);
                let scaled: Vec<f64> = x.iter().map(|x| 3.0 - x * f64::from(scale)).collect();
                prop_assert!((pearson(&scaled, &y).unwrap() + r).abs() < 1e-9);
            }
        }
    }
}
