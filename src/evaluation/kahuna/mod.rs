//! The paper's Table IV and its findings (K14, K32, K36–K38), to be confirmed or refuted, or not told apart where chance could
//! have made either of these runs ([`findings()`]).

mod findings;
mod likeness;

pub use findings::{Finding, Stand, findings};
pub use likeness::likeness;

use super::Scored;
use super::cells::{name_without_fault, size_of};
use crate::stats::quantile::{median, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// Table IV: slowdown in percent over control runs; RandWriter, Sort, Nutch, Pig.
pub const SLOWDOWN: [(&str, [f64; 4]); 9] = [
    ("CPUHog", [7.2, 28.2, 25.1, 11.6]),
    ("DiskHog", [5.7, 26.6, 10.6, 16.3]),
    ("DiskFull", [1.4, 4.0, 0.0, 0.0]),
    ("PacketLoss1", [0.0, 0.0, 0.0, 0.0]),
    ("PacketLoss5", [0.0, 23.2, 30.1, 0.0]),
    ("PacketLoss50", [0.0, 89.8, 116.5, 561.1]),
    ("HANG-1036", [1.0, 12.8, 99.4, 37.0]),
    ("HANG-1152", [0.0, 24.4, 44.0, 6.6]),
    ("HANG-2080", [0.0, 23.7, 6.1, 0.5]),
];
/// Its columns.
pub const WORKLOADS: [&str; 4] = ["randwriter", "sort", "nutch", "pig"];
/// The black box's witness; where there are control runs, its other one is meant ([`Scored::signal`]).
pub const BLACK_BOX: &str = "kahuna-bb profiles of these logs";
/// The one that learns from control runs, as the paper does (K23).
pub const BLACK_BOX_TRAINED: &str = "kahuna-bb profiles of control runs";
/// The white box's witness of maps.
pub const MAPS: &str = "kahuna-wb Map";
/// The white box's other states, as in the paper.
pub const OTHER_STATES: [&str; 5] = [
    "kahuna-wb ReadBlock",
    "kahuna-wb WriteBlock",
    "kahuna-wb Reduce",
    "kahuna-wb ReduceCopy",
    "kahuna-wb ReduceMergeCopy",
];

/// How the white box was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhiteBox {
    /// Who is slower by far is indicted.
    #[default]
    Usual,
    /// Whoever is far from a majority, as the paper has it (K21).
    Literal,
}

impl WhiteBox {
    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Usual => "kahuna-wb, slower nodes alone",
            Self::Literal => "kahuna-wb to the letter",
        }
    }
}

/// The faults of Table IV.
pub(super) fn faults() -> [&'static str; SLOWDOWN.len()] {
    SLOWDOWN.map(|(fault, _)| fault)
}

/// Which of the black box's witnesses these runs have.
#[must_use]
pub fn black_box_of(runs: &[Scored]) -> &'static str {
    let used = runs.iter().filter_map(|s| s.signal(BLACK_BOX));
    let trained: Vec<bool> = used.map(|said| said.signal == BLACK_BOX_TRAINED).collect();
    match (trained.contains(&true), trained.contains(&false)) {
        (true, true) => "kahuna-bb profiles of control runs, else of these logs",
        (true, false) => BLACK_BOX_TRAINED,
        _ => BLACK_BOX,
    }
}

/// Control runs by workload and size, in their order.
#[derive(Clone, Debug)]
pub struct Controls<'a>(BTreeMap<(&'a str, usize), Vec<&'a Scored>>);

impl<'a> Controls<'a> {
    /// Those among all runs.
    #[must_use]
    pub fn of(all: &'a [Scored]) -> Self {
        let mut by: BTreeMap<(&str, usize), Vec<&Scored>> = BTreeMap::new();
        for run in all.iter().filter(|s| s.is_control()) {
            by.entry((&run.workload, size_of(run))).or_default().push(run);
        }
        Self(by)
    }

    /// How much longer a run takes than its control: the one with the same name but for the
    /// fault, else the median of those of its workload and size that were made most as it was.
    /// Controls whose length is not known are none. `None` without one.
    #[must_use]
    pub fn slowdown(&self, run: &Scored) -> Option<f64> {
        let length = run.length_s?;
        let controls = self.0.get(&(run.workload.as_str(), size_of(run)))?;
        let known: Vec<&Scored> = controls.iter().copied().filter(|s| s.length_s.is_some()).collect();
        let name = name_without_fault(run);
        let own = known.iter().find(|s| name.is_some() && name_without_fault(s) == name);
        let control = match own {
            Some(own) => own.length_s?,
            None => median(&sorted(most_alike(run, &known).into_iter().filter_map(|s| s.length_s)))?,
        };
        (control > 0.0).then(|| length / control - 1.0)
    }
}

/// [`Controls::slowdown`] of one run among all.
#[must_use]
pub fn slowdown(run: &Scored, all: &[Scored]) -> Option<f64> {
    Controls::of(all).slowdown(run)
}

/// Those of the controls that differ from a run in the fewest parameters: a run under strace
/// or with half of the input is as long for that as for its fault. What no control tells is
/// the fault's own (when it began, how hard it was) and tells none of them from another.
fn most_alike<'a>(run: &Scored, controls: &[&'a Scored]) -> Vec<&'a Scored> {
    let told: BTreeSet<&str> = controls.iter().flat_map(|c| c.parameters.keys()).map(String::as_str).collect();
    let apart = |c: &Scored| told.iter().filter(|name| c.parameters.get(**name) != run.parameters.get(**name)).count();
    let least = controls.iter().map(|c| apart(c)).min();
    controls.iter().copied().filter(|c| Some(apart(c)) == least).collect()
}

/// What Table IV printed.
#[must_use]
pub fn printed_slowdown(fault: &str, workload: &str) -> Option<f64> {
    let column = WORKLOADS.iter().position(|w| *w == workload)?;
    let (_, row) = SLOWDOWN.iter().find(|(name, _)| *name == fault)?;
    row.get(column).copied()
}

#[cfg(test)]
mod tests;
