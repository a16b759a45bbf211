//! How many nodes ran their Maps like all others, by how the jobs ended (K14).
//!
//! ```text
//! success 89 %, aborted 43 %   printed, of the M45 cluster
//! ```
//! Source: Kahuna §IV. Nodes are counted, as there: those of one job are no chances of their own, so the intervals are
//! narrower than so few jobs warrant. Cost: O(runs).

use super::Scored;
use super::findings::{Finding, Stand, above, less, words};
use crate::evaluation::cells::Rate;
use std::collections::BTreeMap;

/// How jobs end that do, as reports call it.
const SUCCESS: &str = "success";
/// How those do that are aborted.
const ABORTED: [&str; 2] = ["failed", "killed"];
/// Most nodes.
const MOST: f64 = 0.5;

/// Of each end of jobs, nodes alike with all others among those compared.
#[must_use]
pub fn likeness(runs: &[Scored]) -> BTreeMap<&str, Rate> {
    let mut by: BTreeMap<&str, Rate> = BTreeMap::new();
    for (status, [alike, of]) in runs.iter().flat_map(|run| &run.likeness) {
        let rate = by.entry(status).or_default();
        *rate = Rate { hits: rate.hits + alike, of: rate.of + of };
    }
    by
}

/// What the paper says of them.
pub(super) fn findings(runs: &[Scored]) -> Vec<Finding> {
    let by = likeness(runs);
    let of = |ends: &[&str]| {
        let rates = ends.iter().filter_map(|end| by.get(end));
        rates.fold(Rate::default(), |a, b| Rate { hits: a.hits + b.hits, of: a.of + b.of })
    };
    let (success, aborted) = (of(&[SUCCESS]), of(&ABORTED));
    let say = |claim, stands: Option<Stand>, numbers| Finding {
        id: "K14",
        claim,
        by: "peer-similarity".to_owned(),
        stands,
        numbers,
    };
    vec![
        say(
            "In jobs that succeed most nodes run their Maps like all others (89 %)",
            above(success, MOST),
            words("nodes alike", success),
        ),
        say(
            "In jobs that are aborted fewer do (43 %)",
            less(aborted, success),
            format!("{}, {}", words("aborted", aborted), words("success", success)),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    fn with(likeness: &[(&str, [u64; 2])]) -> Scored {
        let likeness = likeness.iter().map(|(end, counts)| ((*end).to_owned(), *counts)).collect();
        Scored { likeness, ..run("r", "sort", "none", false, 1) }
    }

    fn stands(runs: &[Scored]) -> Vec<Option<Stand>> {
        findings(runs).iter().map(|finding| finding.stands).collect()
    }

    #[test]
    fn nodes_of_all_runs_count_together_by_how_their_jobs_ended() {
        let runs = [with(&[("success", [89, 100]), ("failed", [20, 50])]), with(&[("killed", [23, 50])])];
        assert_eq!(stands(&runs), [Some(Stand::Confirmed); 2]);
        assert_eq!(findings(&runs)[1].numbers, "aborted 0.43 (43 of 100), success 0.89 (89 of 100)");
        let alike = |end| likeness(&runs).get(end).map(|rate| rate.hits);
        assert_eq!(["success", "failed", "killed", "none"].map(alike), [Some(89), Some(20), Some(23), None]);
    }

    #[test]
    fn claims_fail_by_their_numbers_and_few_nodes_tell_nothing() {
        let turned = [with(&[("success", [11, 100]), ("failed", [60, 100])])];
        assert_eq!(stands(&turned), [Some(Stand::Refuted); 2]);
        let few = [with(&[("success", [2, 4]), ("killed", [1, 2])])];
        assert_eq!(stands(&few), [Some(Stand::NotToldApart); 2]);
        assert_eq!(stands(&[with(&[("success", [9, 10])])]), [Some(Stand::Confirmed), None]);
        assert_eq!(stands(&[]), [None; 2]);
    }
}
