//! Pearson's correlation.
//!
//! ```text
//! r = Σ (x − x̄)(y − ȳ) / √(Σ (x − x̄)² Σ (y − ȳ)²)        −1 … 1
//! ```

/// A spread below this share of a series' size is rounding, not a spread.
const CONSTANT: f64 = 1e-12;

/// The correlation of two series of equal length; `None` if one of them does not vary
/// (X7: there is nothing to correlate), or there are fewer than two values.
#[must_use]
pub fn pearson(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() || x.len() < 2 {
        return None;
    }
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (dx, dy) = (x - mean_x, y - mean_y);
        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    let varies = |squares: f64, mean: f64| squares > CONSTANT * CONSTANT * n * (1.0 + mean * mean);
    (varies(xx, mean_x) && varies(yy, mean_y)).then(|| (xy / (xx.sqrt() * yy.sqrt())).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
