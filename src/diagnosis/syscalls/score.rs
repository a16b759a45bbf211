//! How the paper counts (C18): a run is a success if the faulty node is in a set of at
//! most three with the right cause, and a false positive if the set is not empty and lacks
//! the node or has the wrong cause. Ratios are over the runs of one fault.
//!
//! ```text
//! fault          runs  success  false positive  nothing said  (paper's Table 1: 0.88, 0.13)
//! PacketLoss50      1     1.00            0.00          0.00
//! ```

use super::{Hog, Opinion};
use crate::model::Trace;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The largest set that counts as a success.
pub const LARGEST_SET: usize = 3;
/// Success of the statistical algorithm on disk hogs in the paper's Table 1.
pub const PAPER_SUCCESS: f64 = 0.88;
/// Its false positives.
pub const PAPER_FALSE_POSITIVE: f64 = 0.13;

/// How an opinion stands against what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The faulty node, in a set of at most three, with the right cause.
    Success,
    /// A set without the faulty node, or with the wrong cause; on a run without a fault
    /// any set.
    FalsePositive,
    /// No set, or the faulty node among too many.
    Nothing,
}

impl Mark {
    /// Marks an opinion; `truth` is the faulty node's name and what hogs it.
    #[must_use]
    pub fn of(trace: &Trace, opinion: Option<&Opinion>, truth: Option<(&str, Hog)>) -> Self {
        let Some((hog, set)) = opinion.and_then(|o| o.found.as_ref()) else { return Self::Nothing };
        let Some((node, true_hog)) = truth else { return Self::FalsePositive };
        let has = set.iter().any(|n| trace.node_name(*n) == node);
        match (has && *hog == true_hog, set.len() <= LARGEST_SET) {
            (false, _) => Self::FalsePositive,
            (true, true) => Self::Success,
            (true, false) => Self::Nothing,
        }
    }
}

/// Marks of runs, by fault, in the layout of the paper's Table 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    marks: BTreeMap<String, BTreeMap<Mark, u32>>,
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, fault: &str, mark: Mark) {
        *self.marks.entry(fault.to_owned()).or_default().entry(mark).or_default() += 1;
    }

    /// Share of a fault's runs with a mark.
    #[must_use]
    pub fn share(&self, fault: &str, mark: Mark) -> f64 {
        let Some(marks) = self.marks.get(fault) else { return 0.0 };
        let runs: u32 = marks.values().sum();
        f64::from(marks.get(&mark).copied().unwrap_or(0)) / f64::from(runs.max(1))
    }

    /// The table.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out =
            format!("{:34} {:>4} {:>8} {:>15} {:>13}\n", "fault", "runs", "success", "false positive", "nothing said");
        for (fault, marks) in &self.marks {
            let runs: u32 = marks.values().sum();
            let [success, false_positive, nothing] =
                [Mark::Success, Mark::FalsePositive, Mark::Nothing].map(|mark| self.share(fault, mark));
            // Writing to a String does not fail.
            let _ = writeln!(out, "{fault:34} {runs:4} {success:8.2} {false_positive:15.2} {nothing:13.2}");
        }
        let _ = writeln!(out, "{:34} {:>4} {PAPER_SUCCESS:8.2} {PAPER_FALSE_POSITIVE:15.2}", "paper, disk", "");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::NodeId;
    use crate::model::Node;

    #[test]
    fn sets_are_counted_as_the_paper_does() {
        let nodes = ["a", "b", "c", "d"].map(|name| Node { name: name.into(), is_peer: true }).to_vec();
        let trace = Trace { nodes, ..Trace::default() };
        let mark = |set: &[u32], hog, truth| {
            let found = Some((hog, set.iter().map(|n| NodeId(*n)).collect()));
            Mark::of(&trace, Some(&Opinion { found, ..Opinion::default() }), truth)
        };
        let truth = Some(("b", Hog::Disk));
        assert_eq!(mark(&[1], Hog::Disk, truth), Mark::Success);
        assert_eq!(mark(&[0, 1, 2], Hog::Disk, truth), Mark::Success);
        assert_eq!(mark(&[0, 1, 2, 3], Hog::Disk, truth), Mark::Nothing);
        assert_eq!(mark(&[1], Hog::Network, truth), Mark::FalsePositive);
        assert_eq!(mark(&[0], Hog::Disk, truth), Mark::FalsePositive);
        assert_eq!(mark(&[0], Hog::Disk, None), Mark::FalsePositive);
        assert_eq!(Mark::of(&trace, Some(&Opinion::default()), truth), Mark::Nothing);
        let mut tally = Tally::default();
        for mark in [Mark::Success, Mark::Success, Mark::FalsePositive, Mark::Nothing] {
            tally.add("x", mark);
        }
        assert_eq!((tally.share("x", Mark::Success), tally.share("y", Mark::Success)), (0.5, 0.0));
    }
}
