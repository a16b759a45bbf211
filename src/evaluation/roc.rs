//! What another threshold would have done: true and false indictments of one signal at every
//! threshold on its score.

use super::Scored;
use super::cells::Rate;
use serde::Serialize;

/// Steps of the threshold between 0 and 1.
const STEPS: u32 = 20;

/// One threshold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// Scores above it indict.
    pub threshold: f64,
    /// Faulty nodes indicted.
    pub tp: Rate,
    /// Control runs with some node indicted.
    pub fp: Rate,
}

/// The curve of one signal whose scores lie between 0 and 1.
#[must_use]
pub fn roc(runs: &[Scored], signal: &str) -> Vec<Point> {
    let over = |score: Option<f64>, threshold: f64| score.is_some_and(|score| score > threshold);
    (0..=STEPS)
        .map(|step| {
            let threshold = f64::from(step) / f64::from(STEPS);
            let judged = |s: &Scored| s.signal(signal).is_some_and(|said| !said.abstained);
            Point {
                threshold,
                tp: Rate::among(
                    runs,
                    |s| s.has_culprit() && judged(s),
                    |s| s.signal(signal).is_some_and(|said| over(said.score, threshold)),
                ),
                fp: Rate::among(
                    runs,
                    |s| s.is_control() && judged(s),
                    |s| s.signal(signal).is_some_and(|said| over(said.largest_other, threshold)),
                ),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Said, Truth};
    use crate::report::Report;

    #[test]
    fn curve_falls_from_everything_to_nothing() {
        let run = |fault: &str, node: Option<&str>, score: Option<f64>, other: f64| {
            let truth = Truth { fault: fault.into(), node: node.map(str::to_owned), ..Truth::default() };
            let mut scored = Scored::new(&truth, &Report::default());
            let said = Said { signal: "x".into(), score, largest_other: Some(other), ..Said::default() };
            scored.said = vec![said];
            scored
        };
        let runs =
            [run("f", Some("a"), Some(0.9), 0.2), run("f", Some("a"), Some(0.4), 0.6), run("none", None, None, 0.5)];
        let curve = roc(&runs, "x");
        let at = |step: usize| (curve[step].tp.hits, curve[step].fp.hits);
        assert_eq!((at(0), at(8), at(10), at(20)), ((2, 1), (1, 1), (1, 0), (0, 0)));
        assert_eq!((curve[0].tp.of, curve[0].fp.of), (2, 1));
    }
}
