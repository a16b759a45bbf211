//! Verdicts counted against labels: how often the right node is named, and for the right
//! reason (Kahuna §VIII, syscall paper "Results", Theia "Evaluating").
//!
//! ```text
//! truth.json ─┐
//!             ├─> Scored, one a run ─> Cell, one a {fault, workload, size} ─> tables; `scene::evaluation`
//! Report ─────┘
//! TP   the faulty node is indicted                        FN = 1 − TP
//! FP   another node is indicted: share of runs, as TP is
//! ```
//! A run is judged by its own report alone. Cost: O(witnesses · nodes) a run.

mod archives;
mod cells;
mod kahuna;
mod names;
mod roc;
pub mod syscalls;
mod tables;

pub use archives::{archives_of, run_in, run_of_archive};
pub use cells::{Cell, Rate, Summary, Told, by_fault, cells, is_false, is_hit, size_of, wilson};
pub use kahuna::{
    BLACK_BOX, BLACK_BOX_TRAINED, Controls, Finding, MAPS, OTHER_STATES, SLOWDOWN, Stand, WORKLOADS, WhiteBox,
    black_box_of, findings, likeness, printed_slowdown, slowdown,
};
pub use names::{fault_of, workload_of};
pub use roc::{Point, roc};
pub use tables::text;

use crate::base::{Arrange, text};
use crate::report::doubts::spoken_against;
use crate::report::{JobRow, OutcomeKind, Report};
use names::plain;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// The label of a control run.
pub const CONTROL: &str = "none";

/// One object of `truth.json`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Truth {
    /// Name of the run; its archive is `<run>.tar.gz`, or ends otherwise as archives do.
    pub run: String,
    /// What the jobs did; empty where it is not said.
    #[serde(default, deserialize_with = "workload")]
    pub workload: String,
    /// What was wrong; `none` for controls.
    #[serde(deserialize_with = "fault")]
    pub fault: String,
    /// The faulty node; of several, their names with commas between them; null where no node is at fault.
    #[serde(default, deserialize_with = "node")]
    pub node: Option<String>,
    /// Begin, where it is said; milliseconds since 1970, UTC.
    #[serde(default, alias = "start_ms")]
    pub begin_ms: Option<i64>,
    /// End, likewise.
    #[serde(default)]
    pub end_ms: Option<i64>,
    /// How the run was made, where it is said: each value as JSON, those that are null left out.
    #[serde(default, alias = "params", deserialize_with = "told")]
    pub parameters: BTreeMap<String, String>,
}

fn fault<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(fault_of)
}

fn node<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Nodes {
        One(Option<String>),
        Several(Vec<String>),
    }
    Ok(match Nodes::deserialize(from)? {
        Nodes::One(node) => text::joined_names(node.as_deref().into_iter().flat_map(text::names_in)),
        Nodes::Several(nodes) => text::joined_names(nodes.iter().map(String::as_str)),
    })
}

fn workload<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(workload_of)
}

fn told<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, String>, D::Error> {
    let parameters = serde_json::Value::deserialize(from)?;
    Ok(text::texts_of(&parameters).map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Whether a label's node, or one of its nodes, is this one.
fn is_named(label: Option<&str>, node: &str) -> bool {
    label.into_iter().flat_map(text::names_in).any(|name| name == node)
}

/// How many faulty nodes a label has.
fn count_of(label: Option<&str>) -> usize {
    label.into_iter().flat_map(text::names_in).count()
}

/// How a verdict stands against the label. Where several nodes are at fault, each of them is a right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The faulty node, and no other, is indicted: of several all of them.
    Hit,
    /// Of several faulty nodes some are indicted and some are not, and no other is.
    HitSome,
    /// A faulty node is indicted among others.
    HitAmongOthers,
    /// Only other nodes are indicted.
    Wrong,
    /// A node is at fault and none is indicted.
    Miss,
    /// A node is at fault and there is no verdict.
    Abstained,
    /// No node is at fault and some is indicted.
    False,
    /// No node is at fault and none is indicted.
    Quiet,
}

impl Mark {
    /// Of a report against a label.
    #[must_use]
    pub fn of(truth: &Truth, report: &Report) -> Self {
        Self::against(names::nodes_of(truth, report).as_deref(), report)
    }

    /// Of a report against a label's nodes as the report calls them.
    fn against(label: Option<&str>, report: &Report) -> Self {
        let culprits = &report.verdict.culprits;
        let right = culprits.iter().filter(|culprit| is_named(label, &culprit.node)).count();
        let faulty = count_of(label);
        match (label, right, culprits.len() - right) {
            (None, _, 0) => Self::Quiet,
            (None, ..) => Self::False,
            (Some(_), 1.., 0) if right < faulty => Self::HitSome,
            (Some(_), 1.., 0) => Self::Hit,
            (Some(_), 1.., _) => Self::HitAmongOthers,
            (Some(_), 0, 0) if report.verdict.outcome == OutcomeKind::NoVerdict => Self::Abstained,
            (Some(_), 0, 0) => Self::Miss,
            (Some(_), 0, _) => Self::Wrong,
        }
    }

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::HitSome => "hit-some",
            Self::HitAmongOthers => "hit-among-others",
            Self::Wrong => "wrong",
            Self::Miss => "miss",
            Self::Abstained => "abstained",
            Self::False => "false",
            Self::Quiet => "quiet",
        }
    }
}

/// What one witness said, against the label.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// `method signal`.
    pub signal: String,
    /// The faulty node is indicted.
    pub hit: bool,
    /// Other nodes indicted.
    pub others: usize,
    /// Nodes judged.
    pub judged: usize,
    /// It said nothing.
    pub abstained: bool,
    /// Why, by its name in reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The faulty node's score.
    pub score: Option<f64>,
    /// The largest of any other node.
    pub largest_other: Option<f64>,
}

impl Said {
    /// Both together.
    fn merged(self, other: Self) -> Self {
        let most = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).max_by(f64::total_cmp);
        Self {
            hit: self.hit || other.hit,
            others: self.others.max(other.others),
            judged: self.judged.max(other.judged),
            abstained: self.abstained && other.abstained,
            why: self.why.filter(|_| other.abstained),
            score: most(self.score, other.score),
            largest_other: most(self.largest_other, other.largest_other),
            signal: self.signal,
        }
    }
}

/// One run's verdict beside its label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// Name of the run.
    pub run: String,
    /// What the jobs did.
    pub workload: String,
    /// What was wrong.
    pub fault: String,
    /// The faulty node as the report calls it; of several, their names with commas between them.
    pub node: Option<String>,
    /// Nodes compared.
    pub nodes: usize,
    /// First submission to the last job's end.
    pub length_s: Option<f64>,
    /// How the run was made, each value as JSON.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Nodes indicted, surest first.
    pub indicted: Vec<String>,
    /// Why the first of them is, so it says.
    pub cause: Option<String>,
    /// How sure it is.
    pub sureness: Option<f64>,
    /// What kind of verdict.
    pub outcome: OutcomeKind,
    /// Why there is none.
    pub reason: Option<String>,
    /// Against the label.
    pub mark: Mark,
    /// Place of the faulty node among those suspected, from 1; of several, of the first.
    pub rank: Option<usize>,
    /// The faulty node is named with the fault's cause; never where the label tells none ([`Self::tells_cause`]).
    pub right_cause: bool,
    /// The witnesses.
    pub said: Vec<Said>,
    /// Classes of the jobs.
    pub classes: Vec<String>,
    /// By how the jobs ended: nodes that ran Maps like all others, and nodes compared (Kahuna §IV, K14).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub likeness: BTreeMap<String, [u64; 2]>,
}

impl Scored {
    /// Of a report against a label.
    #[must_use]
    pub fn new(truth: &Truth, report: &Report) -> Self {
        let culprits = &report.verdict.culprits;
        let node = names::nodes_of(truth, report);
        let label = node.as_deref();
        let mark = Mark::against(label, report);
        let of_truth = culprits.iter().find(|c| is_named(label, &c.node));
        let span_ms = truth.begin_ms.zip(truth.end_ms).and_then(|(begin, end)| end.checked_sub(begin));
        Self {
            run: truth.run.clone(),
            workload: truth.workload.clone(),
            fault: truth.fault.clone(),
            nodes: report.nodes.len(),
            // A run that ended before it began was not measured.
            length_s: span_ms.filter(|ms| *ms > 0).map(|ms| ms as f64 / 1000.0),
            parameters: truth.parameters.clone(),
            indicted: culprits.iter().map(|c| c.node.clone()).collect(),
            cause: culprits.first().map(|c| c.cause.clone()),
            sureness: culprits.first().map(|c| c.sureness),
            outcome: report.verdict.outcome,
            reason: report.verdict.reason.clone(),
            mark,
            rank: label.and_then(|label| text::names_in(label).filter_map(|name| rank(report, name)).min()),
            right_cause: of_truth.is_some_and(|c| cause_of(&truth.fault) == Some(c.cause.as_str())),
            said: report.witnesses.iter().map(|w| said(w, label)).collect(),
            node,
            classes: report.jobs.iter().map(|job| job.class.clone()).collect(),
            likeness: likeness_of(&report.jobs),
        }
    }

    /// How many of the faulty nodes are indicted, and how many there are.
    #[must_use]
    pub fn named(&self) -> (usize, usize) {
        let label = self.node.as_deref();
        (self.indicted.iter().filter(|node| is_named(label, node)).count(), count_of(label))
    }

    /// Whether a node is at fault.
    #[must_use]
    pub const fn has_culprit(&self) -> bool {
        self.node.is_some()
    }

    /// Whether the label tells what the cause was: else a verdict has none to be right or wrong about.
    #[must_use]
    pub fn tells_cause(&self) -> bool {
        cause_of(&self.fault).is_some()
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_control(&self) -> bool {
        is_control(&self.fault)
    }

    /// What a signal said, by `method signal`: of parts of the run and of the whole together. [`BLACK_BOX`] are the
    /// profiles of control runs, where there are such.
    #[must_use]
    pub fn signal(&self, name: &str) -> Option<Said> {
        let of = |name: &str| self.said.iter().filter(|s| s.signal == name).cloned().reduce(Said::merged);
        let trained = if name == BLACK_BOX { of(BLACK_BOX_TRAINED) } else { None };
        trained.or_else(|| of(name))
    }
}

/// Whether a label's fault says that nothing is wrong.
#[must_use]
pub fn is_control(fault: &str) -> bool {
    fault == CONTROL
}

fn likeness_of(jobs: &[JobRow]) -> BTreeMap<String, [u64; 2]> {
    let mut sums: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for (job, row) in jobs.iter().filter_map(|job| Some((job, job.likeness?))) {
        let [alike, of] = sums.entry(job.status.clone()).or_default();
        *alike += row.alike;
        *of += row.of;
    }
    sums
}

/// The cause that a verdict should name for a fault, by the labels of all data sets, and by the syscall paper's words (C17),
/// however they are written; `None` where no cause can be told.
#[must_use]
pub fn cause_of(fault: &str) -> Option<&'static str> {
    Some(match plain(fault).as_str() {
        "cpuhog" => "cpu",
        "diskhog" => "disk",
        "diskfull" => "disk-full",
        "hang1036" | "hang1152" | "hang2080" | "maphang" => "hang",
        "crash" | "nodecrash" => "crashed",
        // With the share of packets that are lost, or without.
        loss if ["packetloss", "networkhog"].iter().any(|name| loss.starts_with(name)) => "network",
        _ => return None,
    })
}

fn said(witness: &crate::report::WitnessRow, node: Option<&str>) -> Said {
    let is = |name: &String| is_named(node, name);
    let scores = |own: bool| witness.nodes.iter().filter(move |(name, _)| is_named(node, name) == own).map(|(_, s)| *s);
    Said {
        signal: format!("{} {}", witness.method, witness.signal),
        hit: witness.indicted.iter().any(is),
        others: witness.indicted.iter().filter(|name| !is(name)).count(),
        judged: witness.nodes.len(),
        abstained: witness.abstained.is_some(),
        why: witness.abstained.clone(),
        score: scores(true).max_by(f64::total_cmp),
        largest_other: scores(false).max_by(f64::total_cmp),
    }
}

/// Place of a node among the suspects: culprits first, then those against whom most signals speak; `None` where nobody
/// suspects it.
fn rank(report: &Report, node: &str) -> Option<usize> {
    let mut suspects: Vec<&str> = report.verdict.culprits.iter().map(|c| c.node.as_str()).collect();
    let counts = spoken_against(report).into_iter().map(|(name, by)| (name, by.len()));
    let mut rest: Vec<(&str, usize)> = counts.filter(|(name, _)| !suspects.contains(name)).collect();
    rest.arrange_by(|(name, count)| (usize::MAX - count, *name));
    suspects.extend(rest.into_iter().map(|(name, _)| name));
    suspects.iter().position(|name| *name == node).map(|at| at + 1)
}

#[cfg(test)]
mod tests;
