//! Orders of the heatmap's rows.

use super::grid::{Cell, Grid};
use crate::base::Arrange;
use crate::scene::jobs::RowOrder;

/// Columns that a row is compared by: enough to tell bursts apart, few enough for 700 rows
/// against 700.
const COMPARED: usize = 128;

/// The rows in this order.
pub(super) fn of(grid: &Grid, order: RowOrder) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..grid.nodes.len()).collect();
    match order {
        RowOrder::Name => {}
        RowOrder::Anomaly => {
            let mean: Vec<f32> = rows.iter().map(|row| grid.mean(*row).unwrap_or_default()).collect();
            let of = |row: &usize| mean.get(*row).copied().unwrap_or_default();
            rows.arrange(|a, b| of(b).total_cmp(&of(a)).then(a.cmp(b)));
        }
        RowOrder::Similarity => rows = chain(&folded(grid)),
    }
    rows
}

/// The rows in at most [`COMPARED`] columns each, the highest score of those that meet, made
/// to have length 1.
fn folded(grid: &Grid) -> Vec<Vec<f32>> {
    let fold = grid.jobs.len().div_ceil(COMPARED).max(1);
    let row = |row: usize| {
        let most = |cells: &[Cell]| cells.iter().map(|c| c.score()).fold(0.0, f32::max);
        let values: Vec<f32> = grid.row(row).chunks(fold).map(most).collect();
        let length = values.iter().map(|v| v * v).sum::<f32>().sqrt();
        if length > 0.0 { values.iter().map(|v| v / length).collect() } else { values }
    };
    (0..grid.nodes.len()).map(row).collect()
}

/// From the first row on, always the most similar of those left.
fn chain(rows: &[Vec<f32>]) -> Vec<usize> {
    let alike = |a: usize, b: usize| match (rows.get(a), rows.get(b)) {
        (Some(a), Some(b)) => a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>(),
        _ => 0.0,
    };
    let mut left: Vec<usize> = (1..rows.len()).collect();
    let mut order: Vec<usize> = if rows.is_empty() { Vec::new() } else { vec![0] };
    while let Some(last) = order.last().copied().filter(|_| !left.is_empty()) {
        let next =
            left.iter().enumerate().max_by(|a, b| alike(last, *a.1).total_cmp(&alike(last, *b.1)).then(b.0.cmp(&a.0)));
        let Some((place, row)) = next.map(|(place, row)| (place, *row)) else { break };
        left.remove(place);
        order.push(row);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chain_puts_like_rows_beside_one_another() {
        let rows = [vec![1.0, 0.0], vec![0.0, 1.0], vec![0.9, 0.1], vec![0.1, 0.9]];
        assert_eq!(chain(&rows), [0, 2, 3, 1]);
        assert_eq!(chain(&[]), Vec::<usize>::new());
    }
}
