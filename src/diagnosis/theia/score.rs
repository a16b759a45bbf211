//! The anomaly score of a node among those that worked for the same job (T05, T06).
//!
//! ```text
//! z = (x − mean) / sd            per factor: mean duration, bytes, failed : successful
//! literal   ( |z1| · |z2| · |z3| )^(1/3), z = 0 where sd = 0
//! default   geometric mean of |z| / √(n−1) over the factors with sd > 0: 0 to 1
//! ```
//! Source: Theia, "Detecting Anomalous Nodes". The formula as printed is 0 wherever no task
//! failed anywhere (X1), so the default leaves out factors that do not vary. With the
//! population's sd one node's |z| among n is √(n−1) at most (X13), so the default divides by
//! that: scores of jobs with few and with many nodes then have one scale.
//!
//! Degenerate cases: one node has nobody to differ from; of two, each is as far from the
//! mean as the other, so |z| is 1 whatever they did. The default gives both no score, the
//! literal reading 0 and what the formula gives. All values equal: 0. No success (X2): the
//! ratio counts half a success, so that it is finite and grows with the failures.
//! Cost: O(n).

use crate::base::math;
use crate::diagnosis::{MIN_PEERS, Reading};
use crate::stats::moments::mean_and_deviation;

/// The factors of a score.
pub const FACTORS: usize = 3;
/// Successes taken where there is none: a ratio twice that of one success.
const HALF_A_SUCCESS: f64 = 0.5;

/// What is known of a node of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// z of mean duration, bytes and failure ratio; `None` where the factor does not vary, or is not known.
    pub z: [Option<f32>; FACTORS],
    /// The score; `None` where nodes cannot be compared.
    pub score: Option<f32>,
}

/// Failed (or killed) to successful attempts.
#[must_use]
pub fn ratio(bad: u32, success: u32) -> f64 {
    f64::from(bad) / f64::from(success).max(HALF_A_SUCCESS)
}

/// What is usual for tasks that took so long: mean and standard deviation; `None` of no task.
#[must_use]
pub fn usual(times_ms: &[f64]) -> Option<(f64, f64)> {
    mean_and_deviation(times_ms.iter().copied())
}

/// z of each value among those that are known, NaN of the others: `None` where all are equal, or there are fewer than
/// two.
#[must_use]
pub fn z_scores(values: &[f64]) -> Option<Vec<f64>> {
    let known = || values.iter().filter(|v| !v.is_nan());
    let first = known().next()?;
    if known().all(|v| v == first) {
        return None;
    }
    let (mean, sd) = mean_and_deviation(known().copied())?;
    (sd > 0.0).then(|| values.iter().map(|v| (v - mean) / sd).collect())
}

/// The scores of the nodes of one job, a row of factors each; NaN of what is not known.
#[must_use]
pub fn score(nodes: &[[f64; FACTORS]], reading: Reading) -> Vec<Scored> {
    let column = |f: usize| z_scores(&nodes.iter().filter_map(|row| row.get(f).copied()).collect::<Vec<f64>>());
    let columns: Vec<Option<Vec<f64>>> = (0..FACTORS).map(column).collect();
    (0..nodes.len())
        .map(|i| {
            let z = |f: usize| columns.get(f).and_then(|c| c.as_ref()?.get(i).copied()).filter(|z| !z.is_nan());
            let z = [z(0), z(1), z(2)];
            Scored { z: z.map(|z| z.map(|z| z as f32)), score: combine(&z, nodes.len(), reading).map(|s| s as f32) }
        })
        .collect()
}

fn combine(z: &[Option<f64>; FACTORS], n: usize, reading: Reading) -> Option<f64> {
    match reading {
        Reading::Literal => {
            let product: f64 = z.iter().map(|z| z.unwrap_or(0.0).abs()).product();
            Some(math::pow(product, 1.0 / FACTORS as f64))
        }
        Reading::Usual if n < MIN_PEERS => None,
        Reading::Usual => {
            let varying: Vec<f64> = z.iter().flatten().map(|z| z.abs() / ((n - 1) as f64).sqrt()).collect();
            if varying.is_empty() {
                return Some(0.0);
            }
            Some(math::pow(varying.iter().product::<f64>(), 1.0 / varying.len() as f64).min(1.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(nodes: &[[f64; 3]], reading: Reading) -> Vec<Option<f32>> {
        score(nodes, reading).into_iter().map(|s| s.score).collect()
    }

    fn close(found: Option<f32>, expected: f64) {
        assert!(found.is_some_and(|f| (f64::from(f) - expected).abs() < 1e-6), "{found:?} is not {expected}");
    }

    /// Durations 10, 10, 10, 30 s: mean 15, sd √75 = 8.660; bytes 4, 4, 4, 0: mean 3,
    /// sd √3 = 1.732; failures 0, 0, 0, 2: mean 0.5, sd √0.75 = 0.866. So the last node's
    /// |z| are all √3, the others' 1/√3.
    const ONE_ODD: [[f64; 3]; 4] = [[10.0, 4.0, 0.0], [10.0, 4.0, 0.0], [10.0, 4.0, 0.0], [30.0, 0.0, 2.0]];

    #[test]
    fn hand_worked_z_and_scores() {
        let all = score(&ONE_ODD, Reading::Literal);
        let z = all[3].z.map(|z| z.map(|z| (f64::from(z) * 1e4).round() / 1e4));
        assert_eq!(z, [Some(1.7321), Some(-1.7321), Some(1.7321)]);
        close(all[3].score, 3.0_f64.sqrt());
        close(all[0].score, 1.0 / 3.0_f64.sqrt());
        let usual = scores(&ONE_ODD, Reading::Usual);
        close(usual[3], 1.0);
        close(usual[0], 1.0 / 3.0);
    }

    #[test]
    fn without_failures_the_formula_as_printed_is_blind() {
        let no_failures = ONE_ODD.map(|[duration, bytes, _]| [duration, bytes, 0.0]);
        assert_eq!(scores(&no_failures, Reading::Literal), [Some(0.0); 4]);
        close(scores(&no_failures, Reading::Usual)[3], 1.0);
    }

    #[test]
    fn factors_of_unlike_size_are_multiplied() {
        // Durations 1, 2, 3: z −√1.5, 0, √1.5; bytes 1, 1, 4: z −1/√2, −1/√2, √2.
        let nodes = [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [3.0, 4.0, 0.0]];
        let found = scores(&nodes, Reading::Usual);
        // √(√1.5/√2 · 0.5) and √(√1.5/√2 · 1)
        close(found[0], (0.75_f64.sqrt() * 0.5).sqrt());
        close(found[1], 0.0);
        close(found[2], 0.75_f64.sqrt().sqrt());
    }

    #[test]
    fn one_node_and_two_have_no_default_score() {
        assert_eq!(scores(&[[5.0, 1.0, 0.0]], Reading::Usual), [None]);
        assert_eq!(scores(&[[5.0, 1.0, 0.0]], Reading::Literal), [Some(0.0)]);
        let two = [[5.0, 1.0, 0.0], [9.0, 2.0, 1.0]];
        assert_eq!(scores(&two, Reading::Usual), [None, None]);
        scores(&two, Reading::Literal).into_iter().for_each(|s| close(s, 1.0));
    }

    #[test]
    fn equal_values_score_nothing() {
        assert_eq!(scores(&[[5.0, 1.0, 0.1]; 5], Reading::Usual), [Some(0.0); 5]);
        assert_eq!(scores(&[[5.0, 1.0, 0.1]; 5], Reading::Literal), [Some(0.0); 5]);
        // The mean of such tenths is not a tenth, and still they are equal.
        assert_eq!(z_scores(&[0.1; 7]), None);
        assert_eq!(z_scores(&[]), None);
    }

    #[test]
    fn what_is_not_known_counts_in_no_mean() {
        let nodes = [[10.0, 4.0, 0.0], [10.0, 4.0, 0.0], [30.0, 4.0, 0.0], [f64::NAN, 0.0, 2.0]];
        let z = |node: usize| score(&nodes, Reading::Usual)[node].z.map(|z| z.map(|z| (z * 100.0).round() / 100.0));
        assert_eq!(z(2), [Some(1.41), Some(0.58), Some(-0.58)]);
        assert_eq!(z(3), [None, Some(-1.73), Some(1.73)]);
        close(scores(&nodes, Reading::Usual)[3], 1.0);
        assert_eq!(z_scores(&[f64::NAN; 3]), None);
    }

    #[test]
    fn no_success_is_a_finite_ratio() {
        assert_eq!((ratio(0, 0), ratio(1, 0), ratio(3, 0), ratio(3, 6)), (0.0, 2.0, 6.0, 0.5));
    }

    #[test]
    fn score_of_one_node_reaches_its_bound_for_any_number() {
        for n in [3_usize, 10, 64] {
            let mut nodes = vec![[10.0, 1.0, 0.0]; n];
            nodes[0] = [20.0, 1.0, 0.0];
            close(scores(&nodes, Reading::Usual)[0], 1.0);
        }
    }
}
