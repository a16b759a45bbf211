//! Where a run of EM starts: centres by k-means++ (Arthur & Vassilvitskii 2007), each far
//! from those before it, then one assignment to the nearest.

use super::{Fitting, Mixture};
use crate::stats::random::Shuffler;

/// A mixture with its means at the centres of what lies nearest to each.
pub(super) fn plus_plus(rows: &[f64], dims: usize, fitting: &Fitting, seed: u64) -> Option<Mixture> {
    let (k, n) = (fitting.components, rows.len() / dims.max(1));
    if k == 0 || n < k {
        return None;
    }
    let mut dice = Shuffler::new(seed);
    let mut centres = vec![dice.below(n)];
    let mut nearest = vec![(f64::INFINITY, 0); n];
    loop {
        let newest = centres.len() - 1;
        let centre = &rows[centres[newest] * dims..][..dims];
        for (row, near) in rows.chunks_exact(dims).zip(&mut nearest) {
            let distance = squared(row, centre);
            if distance < near.0 {
                *near = (distance, newest);
            }
        }
        if centres.len() == k {
            break;
        }
        centres.push(draw(&mut dice, &nearest));
    }
    Some(around(rows, dims, k, &nearest, fitting.variance_floor))
}

/// Over what both know.
fn squared(a: &[f64], b: &[f64]) -> f64 {
    let known = a.iter().zip(b).map(|(a, b)| a - b).filter(|d| !d.is_nan());
    known.map(|d| d * d).sum()
}

/// A row by its squared distance from the nearest centre; any where all lie on centres.
fn draw(dice: &mut Shuffler, nearest: &[(f64, usize)]) -> usize {
    let total: f64 = nearest.iter().map(|(d, _)| d).sum();
    if total <= 0.0 {
        return dice.below(nearest.len());
    }
    let mut left = dice.unit() * total;
    for (i, (distance, _)) in nearest.iter().enumerate() {
        left -= distance;
        if left < 0.0 {
            return i;
        }
    }
    nearest.len() - 1
}

/// Weights, means and variances of the rows nearest to each centre.
fn around(rows: &[f64], dims: usize, k: usize, nearest: &[(f64, usize)], floor: f64) -> Mixture {
    let mut counts = vec![0.0; k];
    // n, Σx, Σx² of each cell; the last group is all rows.
    let mut cells = vec![[0.0_f64; 3]; (k + 1) * dims];
    for (row, (_, group)) in rows.chunks_exact(dims).zip(nearest) {
        counts[*group] += 1.0;
        for (d, x) in row.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            for group in [*group, k] {
                let cell = &mut cells[group * dims + d];
                cell[0] += 1.0;
                cell[1] += x;
                cell[2] += x * x;
            }
        }
    }
    let moments = |[n, sum, squares]: [f64; 3]| {
        let mean = sum / n;
        (mean, (squares / n - mean * mean).max(floor))
    };
    let (mut means, mut variances) = (Vec::new(), Vec::new());
    for i in 0..k * dims {
        // A value that nobody in the group has is taken from all rows; from none, 0 does.
        let of_all = cells[k * dims + i % dims];
        let (mean, variance) = match cells[i] {
            cell if cell[0] > 0.0 => moments(cell),
            _ if of_all[0] > 0.0 => moments(of_all),
            _ => (0.0, floor),
        };
        means.push(mean);
        variances.push(variance);
    }
    let weights = counts.into_iter().map(|c| c / nearest.len() as f64).collect();
    Mixture { dims, weights, means, variances }
}
