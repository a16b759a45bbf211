//! What control runs tell beside a verdict: of which clusters they were, and how long the same work took there.
//!
//! ```text
//! control runs   wordcount, Maps 10.0 s, 10.4 s, 10.9 s       spread 1.09
//! this run       wordcount, Maps 18.5 s on every node         × 1.7 of the slowest: told; × 2 and more: correlated (K09)
//! ```
//! Kahuna claims nothing of what all nodes share (§I, footnote 1; §VIII-A). A verdict of "clean" that says nothing of it would
//! claim it. Cost: O(states · log nodes), where there are control runs.

use super::{OutcomeKind, Report};
use crate::base::Gathered;
use crate::base::math::rounded;
use crate::base::quantity::ratio;
use crate::diagnosis::Params;
use crate::diagnosis::control_clusters::Differ;
use crate::diagnosis::kahuna_wb::BesideControls;
use crate::model::{StateKind, Trace};
use serde::{Deserialize, Serialize};

/// Work that takes so many times as long as in the slowest job of control runs is told beside a verdict of "clean". Of the labelled
/// runs' controls that were recorded alike none takes longer than another by 2 s and more in the middle, and of those recorded
/// with and without a tracer × 1.21 is the most; of simulated healthy clusters, × 1.23.
/// Sorts of one cluster with less of a core than those of another take × 2 and more.
const TOLD_FROM: f64 = 1.4;
/// Beyond it the times are no such work's: of a report from elsewhere it is not told.
const TOLD_TO: f64 = 1e4;
/// What is said of profiles that cannot be compared with.
const OTHER_PROFILES: &str = "The control runs' profiles of metrics were learned by another reading of the paper than is asked for here, and nobody is compared by them: train again with the same --profiles.";
/// Decimals that are kept.
const DECIMALS: f64 = 1e3;

/// What control runs tell beside the verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlsRow {
    /// In what the clusters of the control runs differ.
    #[serde(default)]
    pub clusters: Differ,
    /// States that take longer than those of the same work did there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slower: Vec<SlowerRow>,
    /// Their profiles of metrics were learned otherwise than this diagnosis learns them: nobody is compared by them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_profiles: bool,
}

/// States of one kind beside those of the same work in control runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlowerRow {
    /// Their kind.
    pub state: String,
    /// How many times as long as in the slowest such job, on the typical node.
    pub times: f64,
    /// How many times as long the slowest of them took as the fastest; `None` of one, and where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
}

/// That of an analysis; `None` where there are no control runs, or they tell nothing.
pub(super) fn of(trace: &Trace, params: &Params) -> Option<ControlsRow> {
    let baseline = params.baseline.as_ref()?;
    let row = |beside: BesideControls| SlowerRow {
        state: beside.kind.name().to_owned(),
        times: rounded(beside.times, DECIMALS),
        spread: beside.spread.map(|spread| rounded(spread, DECIMALS)),
    };
    let slower = baseline.usual.beside(trace, &params.numbers).into_iter().map(row).gathered();
    let other_profiles =
        baseline.black_box.is_some() && baseline.learning != params.learning && !trace.samples.is_empty();
    let row = ControlsRow { clusters: baseline.clusters.differ(Some(trace)), slower, other_profiles };
    (row != ControlsRow::default()).then_some(row)
}

/// What is to be doubted of a report for their sake, each a sentence.
pub(super) fn doubts(report: &Report) -> Vec<String> {
    let Some(controls) = &report.controls else { return Vec::new() };
    let mut doubts: Vec<String> = controls.clusters.in_words().collect();
    if controls.other_profiles {
        doubts.push(OTHER_PROFILES.to_owned());
    }
    // Whatever a report from elsewhere calls a state.
    let is_told = |row: &&SlowerRow| {
        (TOLD_FROM..TOLD_TO).contains(&row.times) && StateKind::ALL.iter().any(|kind| kind.name() == row.state)
    };
    let most = controls.slower.iter().filter(is_told).max_by(|a, b| a.times.total_cmp(&b.times));
    if let Some(SlowerRow { state, times, spread }) = most.filter(|_| report.verdict.outcome == OutcomeKind::Clean) {
        let spread = spread.filter(|spread| (1.0..TOLD_TO).contains(spread));
        let spread = spread.map_or_else(String::new, |spread| format!(" (there it differs by × {})", ratio(spread, 2)));
        doubts.push(format!(
            "{state} takes × {} as long as the same work did at most in control runs{spread}, on most nodes: what slows all \
             of them alike may be why.",
            ratio(*times, 1)
        ));
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Verdict;

    fn told(state: &str, times: f64, spread: Option<f64>, outcome: OutcomeKind) -> Vec<String> {
        let slower = vec![SlowerRow { state: state.into(), times, spread }];
        let controls = Some(ControlsRow { slower, ..ControlsRow::default() });
        doubts(&Report { controls, verdict: Verdict { outcome, ..Verdict::default() }, ..Report::default() })
    }

    #[test]
    fn work_that_takes_longer_is_told_beside_a_clean_verdict() {
        let documents = include_str!("../../docs/verdicts.md");
        for spread in [None, Some(1.1)] {
            let said = told("Map", 1.7, spread, OutcomeKind::Clean);
            assert!(said.len() == 1 && documents.contains(&said[0]), "{said:?}");
        }
        let none = [""; 0];
        assert_eq!(told("Map", 1.39, None, OutcomeKind::Clean), none);
        assert_eq!(told("Map", 1.7, None, OutcomeKind::Indicted), none);
        // Of a report from elsewhere.
        for (state, times) in [("call 555", 1.7), ("Map", 1e300), ("Map", f64::NAN)] {
            assert_eq!(told(state, times, None, OutcomeKind::Clean), none);
        }
        let said = told("Map", 1.7, Some(-5.0), OutcomeKind::Clean);
        assert!(!said[0].contains('('), "{said:?}");
        let controls = Some(ControlsRow { other_profiles: true, ..ControlsRow::default() });
        assert_eq!(doubts(&Report { controls, ..Report::default() }), [OTHER_PROFILES]);
        assert!(documents.contains(OTHER_PROFILES));
    }
}
