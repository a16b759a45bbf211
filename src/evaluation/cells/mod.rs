//! Rates of each {fault, workload, size}, and over everything.

use super::{Controls, Mark, Scored, plain};
use crate::stats::quantile::{median, sorted};
use serde::Serialize;
use std::collections::BTreeMap;

/// Standard deviations of a 95 % interval.
const Z: f64 = 1.959_964;
/// Suspects looked at for AC@3.
const FEW: usize = 3;
/// Of fewer a share says less than its counts, and its interval is nearly all that there is.
const LEAST_FOR_SHARE: u64 = 3;
/// AC@1 to AC@5 make Avg@5.
const MANY: usize = 5;

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Times that it happened.
    pub hits: u64,
    /// Times that it could have.
    pub of: u64,
}

impl Rate {
    /// Counts one.
    pub fn count(&mut self, hit: bool) {
        self.hits += u64::from(hit);
        self.of += 1;
    }

    /// Of those for which `could` holds, those for which `does` does.
    pub fn among<'a>(
        runs: impl IntoIterator<Item = &'a Scored>,
        could: impl Fn(&Scored) -> bool,
        does: impl Fn(&Scored) -> bool,
    ) -> Self {
        let mut rate = Self::default();
        runs.into_iter().filter(|s| could(s)).for_each(|s| rate.count(does(s)));
        rate
    }

    /// Of the faulty nodes indicted whose label tells the cause, those indicted for it.
    pub fn of_causes<'a>(runs: impl IntoIterator<Item = &'a Scored>) -> Self {
        Self::among(runs, |s| is_hit(s) && s.tells_cause(), |s| s.right_cause)
    }

    /// Of the faulty nodes, those indicted: of a run with two of them it counts each.
    pub fn of_nodes<'a>(runs: impl IntoIterator<Item = &'a Scored>) -> Self {
        let add =
            |rate: Self, (named, of): (usize, usize)| Self { hits: rate.hits + named as u64, of: rate.of + of as u64 };
        runs.into_iter().map(Scored::named).fold(Self::default(), add)
    }

    /// The same in words where these are more nodes than runs: else a run's rate says it.
    #[must_use]
    pub fn of_several(self, runs: u64) -> Option<String> {
        (self.of > runs).then(|| format!("{} of {} faulty nodes named", self.hits, self.of))
    }

    /// 0 to 1; `None` of nothing.
    #[must_use]
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.hits as f64 / self.of as f64)
    }

    /// `0.95 [0.76, 0.99] of 20`; of fewer than three `1 of 2`, or a dash.
    #[must_use]
    pub fn in_words(self) -> String {
        let (Some(share), (low, high)) = (self.share(), wilson(self)) else { return "–".to_owned() };
        if self.of < LEAST_FOR_SHARE {
            return format!("{} of {}", self.hits, self.of);
        }
        format!("{share:.2} [{low:.2}, {high:.2}] of {}", self.of)
    }
}

/// Wilson's 95 % interval of a rate (JASA 22, 1927): sensible for few runs and at 0 and 1.
#[must_use]
pub fn wilson(rate: Rate) -> (f64, f64) {
    let Some(p) = rate.share() else { return (0.0, 1.0) };
    let n = rate.of as f64;
    let z2 = Z * Z;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// How often signals indict over some runs, always of the same ones (Kahuna §VIII, K33): rates of what was judged alone
/// would flatter a signal that seldom speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The faulty node is indicted, of all runs with one: a signal that says nothing misses it.
    pub tp: Rate,
    /// Another node is, of all runs: a signal that says nothing names none.
    pub fp: Rate,
    /// Nothing is said, of all runs.
    pub silent: Rate,
}

impl Told {
    /// Of each signal in each run.
    #[must_use]
    pub fn by<'a>(runs: impl IntoIterator<Item = &'a Scored>, signals: &[&str]) -> Self {
        let mut told = Self::default();
        for run in runs {
            for signal in signals {
                let said = run.signal(signal).filter(|said| !said.abstained);
                if run.has_culprit() {
                    told.tp.count(said.as_ref().is_some_and(|said| said.hit));
                }
                told.fp.count(said.as_ref().is_some_and(|said| said.others > 0));
                told.silent.count(said.is_none());
            }
        }
        told
    }

    /// Whether nothing is said of any of the runs.
    #[must_use]
    pub const fn is_silent(&self) -> bool {
        self.silent.hits == self.silent.of
    }
}

/// What came of one {fault, workload, size}.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// What was wrong.
    pub fault: String,
    /// What the jobs did.
    pub workload: String,
    /// Nodes compared; 0: any.
    pub nodes: usize,
    /// Runs.
    pub runs: usize,
    /// The faulty node is indicted, of runs with one; of several one at least.
    pub tp: Rate,
    /// Faulty nodes indicted, of all of them.
    pub named: Rate,
    /// Another node is, of all runs.
    pub fp: Rate,
    /// The faulty node is the first suspect.
    pub ac1: Rate,
    /// It is among the first three.
    pub ac3: Rate,
    /// Mean of AC@1 to AC@5.
    pub avg5: Option<f64>,
    /// It is indicted for the right reason, of those indicted whose label tells the cause.
    pub cause: Rate,
    /// There is no verdict.
    pub abstained: Rate,
    /// How much longer the runs take than controls, where lengths are known: 0.25 is a quarter.
    pub slowdown: Option<f64>,
}

/// The workload of a cell of all of them.
const ALL: &str = "all";

impl Cell {
    /// Whether it is of a fault in all workloads and sizes.
    #[must_use]
    pub fn is_of_all(&self) -> bool {
        self.nodes == 0 && self.workload == ALL
    }

    /// Whether a run is one of its, among all of a fault, a workload and a size.
    #[must_use]
    pub fn has(&self, run: &Scored) -> bool {
        self.fault == run.fault && self.workload == run.workload && self.nodes == size_of(run)
    }

    fn new(fault: &str, workload: &str, nodes: usize, runs: &[&Scored], controls: &Controls<'_>) -> Self {
        let runs_of = || runs.iter().copied();
        let first = |few: usize| Rate::among(runs_of(), Scored::has_culprit, |s| s.rank.is_some_and(|r| r <= few));
        let slower = sorted(runs_of().filter_map(|s| controls.slowdown(s)));
        Self {
            fault: fault.to_owned(),
            workload: workload.to_owned(),
            nodes,
            runs: runs.len(),
            tp: Rate::among(runs_of(), Scored::has_culprit, is_hit),
            named: Rate::of_nodes(runs_of()),
            fp: Rate::among(runs_of(), |_| true, is_false),
            ac1: first(1),
            ac3: first(FEW),
            avg5: avg5(runs_of()),
            cause: Rate::of_causes(runs_of()),
            abstained: Rate::among(runs_of(), |_| true, |s| s.outcome == crate::report::OutcomeKind::NoVerdict),
            slowdown: median(&slower),
        }
    }
}

/// Mean of AC@1 to AC@5 over runs with a faulty node (RCAEval's Avg@5); `None` without one.
fn avg5<'a>(runs: impl Iterator<Item = &'a Scored>) -> Option<f64> {
    let (mut sum, mut of) = (0, 0);
    for s in runs.filter(|s| s.has_culprit()) {
        // The first suspect counts for each of the five, the fifth for the last alone.
        sum += s.rank.map_or(0, |rank| (MANY + 1).saturating_sub(rank));
        of += MANY;
    }
    (of > 0).then(|| sum as f64 / of as f64)
}

/// A faulty node is indicted, alone or among others.
#[must_use]
pub fn is_hit(s: &Scored) -> bool {
    matches!(s.mark, Mark::Hit | Mark::HitSome | Mark::HitAmongOthers)
}

/// A node that is not at fault is.
#[must_use]
pub fn is_false(s: &Scored) -> bool {
    matches!(s.mark, Mark::HitAmongOthers | Mark::Wrong | Mark::False)
}

/// All cells, in order of fault, workload and size.
#[must_use]
pub fn cells(runs: &[Scored]) -> Vec<Cell> {
    let mut by: BTreeMap<(&str, &str, usize), Vec<&Scored>> = BTreeMap::new();
    for s in runs {
        by.entry((&s.fault, &s.workload, size_of(s))).or_default().push(s);
    }
    let controls = Controls::of(runs);
    by.into_iter().map(|((fault, workload, nodes), of)| Cell::new(fault, workload, nodes, &of, &controls)).collect()
}

/// Cells of each fault over all workloads and sizes.
#[must_use]
pub fn by_fault(runs: &[Scored]) -> Vec<Cell> {
    let mut by: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
    for s in runs {
        by.entry(&s.fault).or_default().push(s);
    }
    let controls = Controls::of(runs);
    by.into_iter().map(|(fault, of)| Cell::new(fault, ALL, 0, &of, &controls)).collect()
}

/// The size that a run belongs to: what its name says where it is one of the matrix's, else its nodes.
#[must_use]
pub fn size_of(s: &Scored) -> usize {
    named_size(s).unwrap_or(s.nodes)
}

/// `25` of `sort-cpuhog-25-3` and of `sort-cpuhog-x0.5-25-3`, where workload and fault are the label's.
fn named_size(s: &Scored) -> Option<usize> {
    let workload = plain(&s.workload);
    let behind = |(end, _): (usize, &str)| (plain(s.run.get(..end)?) == workload).then(|| s.run.get(end + 1..))?;
    let mut parts = s.run.match_indices('-').find_map(behind)?.rsplit('-');
    parts.next()?.parse::<u64>().ok()?;
    let size = parts.next()?.parse().ok()?;
    let mut fault = parts.next()?;
    if fault.strip_prefix('x').is_some_and(|tasks| tasks.parse::<f64>().is_ok()) {
        fault = parts.next()?;
    }
    (names_fault(fault, &s.fault) && parts.next().is_none()).then_some(size)
}

/// Whether a part of a run's name is the fault of its label: `hang1036` of HANG-1036; the applications' faults go by other
/// names.
fn names_fault(part: &str, fault: &str) -> bool {
    let label = plain(fault);
    label == part || matches!((part, label.as_str()), ("skew", "appskew") | ("appbug", "appexception"))
}

/// The parts of a run's name but for its fault: `sort`, `x0.5`, `25` and `3` of `sort-cpuhog-x0.5-25-3`; `None` where the
/// name does not tell the fault.
pub(super) fn name_without_fault(s: &Scored) -> Option<Vec<&str>> {
    let mut parts: Vec<&str> = s.run.split('-').collect();
    let at = parts.iter().position(|part| names_fault(part, &s.fault))?;
    parts.remove(at);
    Some(parts)
}

/// Counts over all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Runs diagnosed.
    pub runs: u64,
    /// Runs of `truth.json` whose archive is not there.
    pub without_archive: u64,
    /// Runs of `truth.json` whose archive could not be read.
    pub unread: u64,
    /// Runs with a faulty node.
    pub with_culprit: u64,
    /// Of these: exactly the faulty node indicted, or exactly the faulty nodes.
    pub right: u64,
    /// Of these: some of the faulty nodes indicted, not all, and no other.
    pub right_in_part: u64,
    /// Faulty nodes of all these.
    pub faulty_nodes: u64,
    /// Of these nodes: indicted.
    pub faulty_nodes_named: u64,
    /// Of these: also for the right reason.
    pub right_cause: u64,
    /// Of those right: the label tells the reason.
    pub cause_told: u64,
    /// Of these: another node indicted, alone or beside it.
    pub wrong: u64,
    /// Of these: no node indicted.
    pub missed: u64,
    /// Of those missed: no verdict, with a reason.
    pub abstained: u64,
    /// Runs in which the faulty node is the first suspect.
    pub ac1: u64,
    /// Runs in which it is among the first three.
    pub ac3: u64,
    /// Mean of AC@1 to AC@5 over the runs with a faulty node.
    pub avg5: Option<f64>,
    /// Runs without any fault.
    pub clean: u64,
    /// Of these: some node indicted.
    pub clean_false: u64,
    /// Runs with a fault that is no node's.
    pub application: u64,
    /// Of these: some node indicted.
    pub application_false: u64,
}

impl Summary {
    /// Of runs.
    #[must_use]
    pub fn of(runs: &[Scored], without_archive: u64) -> Self {
        let mut summary = Self { without_archive, avg5: avg5(runs.iter()), ..Self::default() };
        runs.iter().for_each(|s| summary.count(s));
        summary
    }

    /// How many runs have some of several faulty nodes named, and how many nodes are, where a run has several.
    #[must_use]
    pub fn in_part(&self) -> Option<String> {
        let named = Rate { hits: self.faulty_nodes_named, of: self.faulty_nodes };
        Some(format!("{} in part ({})", self.right_in_part, named.of_several(self.with_culprit)?))
    }

    fn count(&mut self, s: &Scored) {
        self.runs += 1;
        let is_false = u64::from(s.mark == Mark::False);
        if s.has_culprit() {
            let (named, of) = s.named();
            self.with_culprit += 1;
            self.faulty_nodes += of as u64;
            self.faulty_nodes_named += named as u64;
            self.ac1 += u64::from(s.rank == Some(1));
            self.ac3 += u64::from(s.rank.is_some_and(|rank| rank <= FEW));
        } else if s.is_control() {
            self.clean += 1;
            self.clean_false += is_false;
        } else {
            self.application += 1;
            self.application_false += is_false;
        }
        match s.mark {
            Mark::Hit => {
                self.right += 1;
                self.right_cause += u64::from(s.right_cause);
                self.cause_told += u64::from(s.tells_cause());
            }
            Mark::HitSome => self.right_in_part += 1,
            Mark::HitAmongOthers | Mark::Wrong => self.wrong += 1,
            Mark::Miss => self.missed += 1,
            Mark::Abstained => {
                self.missed += 1;
                self.abstained += 1;
            }
            Mark::False | Mark::Quiet => {}
        }
    }
}

#[cfg(test)]
mod tests;
