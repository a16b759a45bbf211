//! k-means on weighted points (MacQueen 1967, Lloyd 1982), k by the mean silhouette
//! (Rousseeuw 1987), starts by k-means++ (Arthur & Vassilvitskii 2007).
//!
//! ```text
//! points x weights -> k groups: nearest centre, centre = weighted mean, until nothing moves
//! silhouette(i)    = (b − a) / max(a, b)   a: mean distance to its group, b: to the nearest other
//! ```
//! A point of weight w stands for w equal points. Cost: O(rounds · points · k · dims), and
//! O(sample² · dims) for each silhouette.

use super::random::Shuffler;

/// Rounds of one run; groups of points that settle do so long before.
const ROUNDS: usize = 60;
/// Starts of one k: the best of them is kept.
const STARTS: u64 = 4;
/// Points that a silhouette looks at, evenly chosen: its mean moves little beyond.
const SILHOUETTE_SAMPLE: usize = 400;
/// Below this mean silhouette there are no groups (Kaufman & Rousseeuw 1990: "no
/// substantial structure" up to 0.25).
pub const NO_STRUCTURE: f64 = 0.25;

/// Points in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The group of each point, 0 to k − 1.
    pub of: Vec<usize>,
    /// How many groups.
    pub k: usize,
    /// Mean silhouette; 0 for one group.
    pub silhouette: f64,
}

/// Points as rows of `dims` numbers, with weights.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    /// The rows, one behind another.
    pub rows: &'a [f64],
    /// Numbers in a row.
    pub dims: usize,
    /// One a row.
    pub weights: &'a [f64],
}

impl Points<'_> {
    fn len(&self) -> usize {
        self.weights.len()
    }

    fn row(&self, i: usize) -> &[f64] {
        &self.rows[i * self.dims..][..self.dims]
    }
}

/// The best grouping into 1 to `most` groups: the k with the greatest mean silhouette; one
/// group where even that shows no structure.
#[must_use]
pub fn group(points: Points<'_>, most: usize, seed: u64) -> Groups {
    let n = points.len();
    let mut best = Groups { of: vec![0; n], k: usize::from(n > 0), silhouette: 0.0 };
    let mut least = NO_STRUCTURE;
    for k in 2..=most.min(n) {
        let of = kmeans(points, k, seed);
        let used = of.iter().max().map_or(0, |g| g + 1);
        if used < k {
            break;
        }
        let silhouette = silhouette(points, &of, k);
        // A larger k must be better, not equal.
        if silhouette > least + 1e-9 {
            least = silhouette;
            best = Groups { of, k, silhouette };
        }
    }
    best
}

/// Exactly `k` groups, or fewer where there are fewer distinct points; numbered in the
/// order of their first points.
#[must_use]
pub fn kmeans(points: Points<'_>, k: usize, seed: u64) -> Vec<usize> {
    let runs = (0..STARTS).map(|start| run(points, k, seed.wrapping_add(start)));
    let best = runs.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(of, _)| of).unwrap_or_default();
    let mut names = vec![usize::MAX; k.max(1)];
    let mut next = 0;
    let renamed = best.into_iter().map(|g| {
        if names[g] == usize::MAX {
            names[g] = next;
            next += 1;
        }
        names[g]
    });
    renamed.collect()
}

/// One run: groups and the weighted sum of squared distances.
fn run(points: Points<'_>, k: usize, seed: u64) -> (Vec<usize>, f64) {
    let (n, dims) = (points.len(), points.dims);
    let mut centres = start(points, k, &mut Shuffler::new(seed));
    let mut of = vec![0; n];
    let mut inertia = 0.0;
    for round in 0..ROUNDS {
        let mut moved = round == 0;
        inertia = 0.0;
        for (i, group) in of.iter_mut().enumerate() {
            let (nearest, distance) = nearest(points.row(i), &centres, dims);
            moved |= nearest != *group;
            *group = nearest;
            inertia += distance * points.weights[i];
        }
        if !moved {
            break;
        }
        centres = means(points, &of, &centres);
    }
    (of, inertia)
}

fn start(points: Points<'_>, k: usize, dice: &mut Shuffler) -> Vec<f64> {
    let n = points.len();
    if n == 0 || k == 0 {
        return Vec::new();
    }
    let mut centres = points.row(dice.below(n)).to_vec();
    let mut distances = vec![f64::INFINITY; n];
    while centres.len() < k * points.dims {
        let newest = &centres[centres.len() - points.dims..];
        let mut total = 0.0;
        for (i, d) in distances.iter_mut().enumerate() {
            *d = d.min(squared(points.row(i), newest));
            total += *d * points.weights[i];
        }
        if total <= 0.0 {
            break;
        }
        let mut left = dice.unit() * total;
        let drawn = distances.iter().zip(points.weights).position(|(d, w)| {
            left -= d * w;
            left < 0.0
        });
        let farthest = || distances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(i, _)| i);
        let chosen = drawn.unwrap_or_else(farthest);
        centres.extend_from_slice(points.row(chosen));
    }
    centres
}

fn nearest(row: &[f64], centres: &[f64], dims: usize) -> (usize, f64) {
    let mut best = (0, f64::INFINITY);
    for (i, centre) in centres.chunks_exact(dims.max(1)).enumerate() {
        let d = squared(row, centre);
        if d < best.1 {
            best = (i, d);
        }
    }
    best
}

/// Weighted means of the groups; the old centre where a group has lost its points.
fn means(points: Points<'_>, of: &[usize], old: &[f64]) -> Vec<f64> {
    let dims = points.dims;
    let mut sums = vec![0.0; old.len()];
    let mut weights = vec![0.0; old.len() / dims.max(1)];
    for (i, group) in of.iter().enumerate() {
        weights[*group] += points.weights[i];
        for (sum, x) in sums[group * dims..][..dims].iter_mut().zip(points.row(i)) {
            *sum += x * points.weights[i];
        }
    }
    for (j, sum) in sums.iter_mut().enumerate() {
        let weight = weights[j / dims];
        *sum = if weight > 0.0 { *sum / weight } else { old[j] };
    }
    sums
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Mean silhouette, weighted; a point alone in its group counts 0.
#[must_use]
pub fn silhouette(points: Points<'_>, of: &[usize], k: usize) -> f64 {
    let step = points.len().div_ceil(SILHOUETTE_SAMPLE).max(1);
    let sample: Vec<usize> = (0..points.len()).step_by(step).collect();
    let (mut sum, mut weight) = (0.0, 0.0);
    for &i in &sample {
        let own = points.weights[i];
        let mut to = vec![(0.0, 0.0); k];
        for &j in &sample {
            let (d, w) = &mut to[of[j]];
            // Of its own equals, the point itself is left out.
            let share = if i == j { points.weights[j] - 1.0 } else { points.weights[j] };
            *d += squared(points.row(i), points.row(j)).sqrt() * share;
            *w += share;
        }
        let mean = |(d, w): (f64, f64)| (w > 0.0).then(|| d / w);
        let others = to.iter().enumerate().filter(|(g, _)| *g != of[i]).filter_map(|(_, t)| mean(*t));
        let b = others.fold(f64::INFINITY, f64::min);
        weight += own;
        if let Some(a) = mean(to[of[i]])
            && b.is_finite()
            && a.max(b) > 0.0
        {
            sum += own * (b - a) / a.max(b);
        }
    }
    if weight > 0.0 { sum / weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grouped(rows: &[f64], dims: usize) -> Groups {
        let weights = vec![1.0; rows.len() / dims];
        group(Points { rows, dims, weights: &weights }, 5, 7)
    }

    #[test]
    fn silhouette_worked_by_hand() {
        // 0 and 1 | 10 and 12. For 0: a = 1, b = (10 + 12) / 2 = 11: 10/11.
        // For 1: a = 1, b = 10: 9/10. For 10: a = 2, b = 9.5: 7.5/9.5. For 12: a = 2, b = 11.5: 9.5/11.5.
        let rows = [0.0, 1.0, 10.0, 12.0];
        let expected = (10.0 / 11.0 + 0.9 + 7.5 / 9.5 + 9.5 / 11.5) / 4.0;
        let groups = grouped(&rows, 1);
        assert_eq!((groups.of.as_slice(), groups.k), ([0, 0, 1, 1].as_slice(), 2));
        assert!((groups.silhouette - expected).abs() < 1e-12, "{}", groups.silhouette);
    }

    #[test]
    fn a_weight_stands_for_equal_points() {
        let (rows, weights) = ([0.0, 1.0, 10.0], [2.0, 1.0, 1.0]);
        let folded = Points { rows: &rows, dims: 1, weights: &weights };
        let ones = [1.0; 4];
        let unfolded = Points { rows: &[0.0, 0.0, 1.0, 10.0], dims: 1, weights: &ones };
        let a = silhouette(folded, &[0, 0, 1], 2);
        let b = silhouette(unfolded, &[0, 0, 0, 1], 2);
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn three_clouds_are_three_groups_in_the_plane() {
        let mut rows = Vec::new();
        for (x, y) in [(0.0, 0.0), (20.0, 0.0), (0.0, 20.0)] {
            for i in 0..10 {
                rows.extend([x + f64::from(i % 3), y + f64::from(i / 3)]);
            }
        }
        let groups = grouped(&rows, 2);
        assert_eq!(groups.k, 3);
        assert!(groups.of.chunks(10).all(|c| c.iter().all(|g| *g == c[0])), "{:?}", groups.of);
        assert_eq!(groups, grouped(&rows, 2), "the same seed");
    }

    #[test]
    fn no_structure_is_one_group() {
        assert_eq!(grouped(&[5.0; 8], 1).k, 1);
        assert_eq!(grouped(&[3.0], 1).k, 1);
        assert_eq!(grouped(&[], 1).k, 0);
        assert_eq!(grouped(&[3.0, 4.0], 1).k, 1, "two points alone in their groups count nothing");
    }
}
