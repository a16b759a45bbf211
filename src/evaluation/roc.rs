//! What another threshold would have done: true and false indictments of one signal at every
//! threshold on its score.

use super::cells::Rate;
use super::{Said, Scored};
use serde::Serialize;

/// Steps of the threshold between 0 and 1.
const STEPS: u32 = 20;

/// One threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Point {
    /// Scores above it indict.
    pub threshold: f64,
    /// Faulty nodes indicted, of all runs with one.
    pub tp: Rate,
    /// Control runs with some node indicted, of all control runs.
    pub fp: Rate,
}

/// The curve of one signal whose scores lie between 0 and 1. Where it says nothing no node is above any threshold, as
/// [`super::Told`] counts.
#[must_use]
pub fn roc(runs: &[Scored], signal: &str) -> Vec<Point> {
    let said = |s: &Scored| s.signal(signal).filter(|said| !said.abstained).unwrap_or_default();
    let said: Vec<(&Scored, Said)> = runs.iter().map(|s| (s, said(s))).collect();
    let at = |step: u32| {
        let mut point = Point { threshold: f64::from(step) / f64::from(STEPS), ..Point::default() };
        let over = |score: Option<f64>| score.is_some_and(|score| score > f64::from(step) / f64::from(STEPS));
        for (run, said) in &said {
            if run.has_culprit() {
                point.tp.count(over(said.score));
            }
            if run.is_control() {
                point.fp.count(over(said.largest_other));
            }
        }
        point
    };
    (0..=STEPS).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Truth;
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
        // Of which it says nothing, or has nothing to say, are runs too.
        let mut silent = [run("f", Some("a"), Some(0.9), 0.2), run("none", None, None, 0.9)];
        silent[0].said[0].abstained = true;
        silent[1].said.clear();
        let curve = roc(&[&runs[..], &silent].concat(), "x");
        let at = |step: usize| (curve[step].tp, curve[step].fp);
        assert_eq!(at(0), (Rate { hits: 2, of: 3 }, Rate { hits: 1, of: 2 }));
    }
}
