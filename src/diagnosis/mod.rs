//! Methods: one algorithm, one file; a trace goes in, witnesses come out. Pure, seeded,
//! no I/O.
//!
//! Adding a method: its file here and one line in [`DIAGNOSES`].

pub mod advice;
pub mod baseline;
pub mod cause;
pub mod control_clusters;
pub mod correlated;
pub mod daemons;
pub mod flows;
pub mod hardware;
pub mod idle;
pub mod job_class;
pub mod kahuna_bb;
pub mod kahuna_wb;
mod kept_open;
pub mod mochi;
pub mod numbers;
pub mod peer_similarity;
pub mod planned;
mod scope;
pub mod settable;
mod signal;
pub mod silence;
pub mod slow_warnings;
pub mod syscalls;
pub mod theia;
pub mod verdict;

pub use baseline::Baseline;
pub use numbers::{Number, Numbers};
pub use scope::{Scope, Stretch};
pub use signal::Signal;

pub use crate::model::MIN_PEERS;

use crate::base::{Gathered, Interval, NodeId, Place, Timestamp};
use crate::model::{ClockChoice, Trace};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Lines kept as evidence of one indictment.
const EVIDENCE_LINES: usize = 5;

/// All methods.
pub static DIAGNOSES: &[&dyn Diagnosis] = &[
    &kahuna_wb::KahunaWhiteBox,
    &kahuna_bb::KahunaBlackBox,
    &peer_similarity::PeerSimilarity,
    &flows::Flows,
    &slow_warnings::SlowWarnings,
    &syscalls::SyscallStatistical,
    &syscalls::SyscallSemantic,
    &theia::Theia,
];

/// The methods' names in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Kahuna, white box: durations of log states.
    KahunaWb,
    /// Kahuna, black box: OS metrics.
    KahunaBb,
    /// Kahuna §IV: correlation of Maps per second.
    PeerSimilarity,
    /// System calls, statistical algorithm.
    SyscallStatistical,
    /// System calls, semantic algorithm.
    SyscallSemantic,
    /// Theia.
    Theia,
    /// Transfers.
    Flows,
    /// Warnings in the logs.
    SlowWarnings,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::KahunaWb,
        Self::KahunaBb,
        Self::PeerSimilarity,
        Self::SyscallStatistical,
        Self::SyscallSemantic,
        Self::Theia,
        Self::Flows,
        Self::SlowWarnings,
    ];

    /// What it compares, for whoever waits.
    #[must_use]
    pub const fn compares(self) -> &'static str {
        match self {
            Self::KahunaWb => "how long states last",
            Self::KahunaBb => "the metrics of the operating system",
            Self::PeerSimilarity => "Maps running at each second",
            Self::SyscallStatistical | Self::SyscallSemantic => "system calls",
            Self::Theia => "jobs across nodes",
            Self::Flows => "transfers",
            Self::SlowWarnings => "warnings",
        }
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::KahunaWb => "kahuna-wb",
            Self::KahunaBb => "kahuna-bb",
            Self::PeerSimilarity => "peer-similarity",
            Self::SyscallStatistical => "syscall-statistical",
            Self::SyscallSemantic => "syscall-semantic",
            Self::Theia => "theia",
            Self::Flows => "flows",
            Self::SlowWarnings => "slow-warnings",
        }
    }
}

/// What there is to know about a method.
#[derive(Clone, Copy, Debug)]
pub struct DiagnosisAbout {
    /// Its name in reports.
    pub method: Method,
    /// Paper and section.
    pub paper: &'static str,
    /// What it needs to have been read.
    pub needs: &'static str,
    /// When it abstains.
    pub abstains: &'static str,
}

/// How the threshold on T(i) is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Threshold {
    /// By permutation of node labels.
    Auto,
    /// This one (K21), which a node with a gap has to pass too; all else is as with [`Threshold::Auto`].
    Fixed(f64),
}

/// How a paper's rule is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// As it serves best.
    #[default]
    Usual,
    /// To the letter.
    Literal,
}

/// Everything that can be set; all of it is in the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Threshold on T(i).
    pub threshold: Threshold,
    /// Length of the sliding windows in which distances are drawn over time, in seconds; of long logs they are longer.
    pub window_s: f64,
    /// Milliseconds to add to log times instead of the offset found; `None`: find it.
    pub tz_offset_ms: Option<i64>,
    /// How profiles of metrics are learned.
    pub learning: kahuna_bb::Learning,
    /// What control runs taught; `None`: each method learns from what is diagnosed, or abstains.
    pub baseline: Option<Arc<Baseline>>,
    /// Take each node's skew out of its times.
    pub fix_clocks: bool,
    /// How system calls are compared.
    pub syscalls: syscalls::Switches,
    /// How Theia's anomaly score is read: usually over the factors that vary, on one scale for any number of nodes.
    pub theia: Reading,
    /// How Kahuna's majority rule is read: usually who is slower by far, or has a gap, is indicted; to the letter whoever is far
    /// from a majority.
    pub kahuna: Reading,
    /// The numbers of the methods.
    pub numbers: Numbers,
}

impl Params {
    /// What is said of the clocks.
    #[must_use]
    pub const fn clocks(&self) -> ClockChoice {
        ClockChoice { tz_offset_ms: self.tz_offset_ms, fix_clocks: self.fix_clocks }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            threshold: Threshold::Auto,
            window_s: 60.0,
            tz_offset_ms: None,
            learning: kahuna_bb::Learning::Usual,
            baseline: None,
            fix_clocks: false,
            syscalls: syscalls::Switches::default(),
            theia: Reading::default(),
            kahuna: Reading::default(),
            numbers: Numbers::default(),
        }
    }
}

/// How much a witness's word weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// One of two such, from different sources, that make a culprit.
    Moderate,
    /// Makes a culprit alone.
    Strong,
}

/// Why a witness says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abstention {
    /// Fewer states than the minimum on too many nodes (X4).
    TooFewData,
    /// Fewer than three nodes to compare (X6).
    NoPeers,
    /// The logs that it reads are not there.
    NotLogged,
    /// No control run was given.
    NoBaseline,
    /// What was found does not point at one node (C14).
    NoMajority,
    /// A node stands out, and it would take more permutations than there is time for to tell whether by chance.
    TooManyPermutations,
}

impl Abstention {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooFewData => "too-few-data",
            Self::NoPeers => "no-peers",
            Self::NotLogged => "not-logged",
            Self::NoBaseline => "no-baseline",
            Self::NoMajority => "no-majority",
            Self::TooManyPermutations => "too-many-permutations",
        }
    }
}

/// A node is indicted by a witness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Indictment {
    /// Which node.
    pub node: NodeId,
    /// How much it weighs.
    pub strength: Strength,
    /// The score that passed the threshold.
    pub score: f64,
    /// The node's typical value over its peers' (2.0: twice as slow).
    pub ratio: f64,
    /// Chance of this under no fault, where it was computed.
    pub p: Option<f64>,
    /// One sentence with its numbers.
    pub text: String,
    /// The lines behind it, most telling first.
    pub lines: Vec<Place>,
    /// When it began to show.
    pub since: Option<Timestamp>,
    /// When it showed last, where it would have shown again since; `None` where it goes on, or nobody can tell.
    pub until: Option<Timestamp>,
}

/// One method's opinion, from one signal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// Which method.
    pub method: Method,
    /// What it looks at.
    pub signal: Signal,
    /// Score of each node that could be judged, in order of node.
    pub scores: Vec<(NodeId, f64)>,
    /// The threshold on the scores.
    pub threshold: Option<f64>,
    /// Nodes indicted.
    pub indicted: Vec<Indictment>,
    /// Why it says nothing, if so.
    pub abstained: Option<Abstention>,
    /// Nodes that are alike and do worse than the others, where they are half of those compared or more: nobody can tell
    /// who of them is at fault (X6).
    pub worse: Vec<NodeId>,
    /// Nodes that do far worse than any did in control runs, where they are most of those compared (K09).
    pub unlike_controls: Vec<NodeId>,
    /// The jobs that it looks at; whoever compares metrics, and sends them, looks at all.
    #[serde(skip)]
    pub scope: Scope,
    /// The comparison of peers behind it, for the views.
    pub comparison: Option<Comparison>,
}

/// What a witness compared. Metrics alone are compared elsewhere than all else, and are sent from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Comparison {
    /// Profiles of metrics. First, because what is skipped is not counted where it is read.
    System(Box<kahuna_bb::SystemComparison>),
    /// Levels of metrics.
    Levels(Box<kahuna_bb::LevelComparison>),
    /// Durations of states.
    #[serde(skip)]
    Durations(Box<kahuna_wb::PeerComparison>),
    /// Jobs across nodes: when which node went wrong in job after job.
    #[serde(skip)]
    Jobs(Vec<theia::Incident>),
    /// Nodes by the Maps that run on them, in order of the jobs.
    #[serde(skip)]
    Likeness(Vec<peer_similarity::Likeness>),
}

impl Witness {
    /// One that has not said anything yet.
    #[must_use]
    pub fn new(method: Method, signal: Signal) -> Self {
        Self {
            method,
            signal,
            scores: Vec::new(),
            threshold: None,
            indicted: Vec::new(),
            abstained: None,
            worse: Vec::new(),
            unlike_controls: Vec::new(),
            scope: Scope::default(),
            comparison: None,
        }
    }

    /// The jobs that it speaks of where it accuses a node.
    #[must_use]
    pub fn scope_of(&self, node: NodeId) -> Scope {
        let went_wrong = |i: &&theia::Incident| i.node == node && i.kind == theia::IncidentKind::WentWrong;
        match &self.comparison {
            Some(Comparison::Jobs(incidents)) => {
                Scope::of(incidents.iter().filter(went_wrong).flat_map(|i| i.jobs.iter().copied()).gathered())
            }
            _ => self.scope.clone(),
        }
    }

    /// When the metrics of a node were odd, as far as this witness indicts it for them.
    #[must_use]
    pub fn odd_times(&self, node: NodeId) -> Vec<Interval> {
        if !self.indicted.iter().any(|i| i.node == node) {
            return Vec::new();
        }
        let times = match &self.comparison {
            Some(Comparison::System(c)) => {
                let own = c.nodes.iter().find(|own| own.node == node);
                own.zip(self.threshold).map(|(own, threshold)| c.over(own, threshold))
            }
            Some(Comparison::Levels(c)) => c.nodes.iter().find(|own| own.node == node).map(|own| own.up.clone()),
            _ => None,
        };
        times.unwrap_or_default()
    }
}

/// A method.
pub trait Diagnosis: Sync {
    /// What it is.
    fn about(&self) -> &'static DiagnosisAbout;
    /// Its witnesses, one a signal.
    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness>;
}

/// So many times apart are at most a ratio that was told and that of the medians beside it: what is farther apart reads as a
/// contradiction, though both are right, one of all and one of jobs and sizes by themselves.
const MOST_APART: f64 = 1.25;

/// Whether two medians may stand beside a ratio that is not theirs.
fn may_stand_beside(ratio: f64, own: f64, others: f64) -> bool {
    (1.0 / MOST_APART..=MOST_APART).contains(&(own / others / ratio))
}

/// `p < 0.001` or `p = 0.013`.
fn chance_in_words(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

#[cfg(test)]
impl Indictment {
    /// A word of this strength that says nothing more.
    pub(crate) const fn bare(node: NodeId, strength: Strength) -> Self {
        let (score, ratio) = (1.0, 1.0);
        Self { node, strength, score, ratio, p: None, text: String::new(), lines: Vec::new(), since: None, until: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_that_say_another_ratio_are_not_told_beside_it() {
        assert!(may_stand_beside(2.6, 5.46, 2.55) && may_stand_beside(2.0, 58.3, 28.6));
        assert!(!may_stand_beside(1.6, 38.4, 1.36) && !may_stand_beside(1.5, 0.097, 0.096));
        assert!(!may_stand_beside(2.8, 0.001, 0.0) && !may_stand_beside(2.8, 0.0, 0.0));
    }

    #[test]
    fn each_method_stands_in_the_docs_with_what_it_needs() {
        for about in DIAGNOSES.iter().map(|method| method.about()) {
            let method = about.method;
            let DiagnosisAbout { paper, needs, abstains, .. } = about;
            let row = format!("| {} | {} | {paper} | {needs} | {abstains} |", method.name(), method.compares());
            assert!(include_str!("../../docs/verdicts.md").contains(&row), "docs/verdicts.md lacks {row}");
        }
    }
}
