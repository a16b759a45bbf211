//! What a verdict says.

use crate::base::{NodeId, Timestamp};
use crate::diagnosis::cause::Rule;
use crate::diagnosis::idle::NoEvidence;
use crate::diagnosis::job_class::JobClass;
use crate::diagnosis::{Indictment, Method, Scope, Signal, Witness};

/// The verdict and what was decided on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was found.
    pub finding: Finding,
    /// The jobs with their classes.
    pub jobs: Vec<JobClass>,
    /// Peers of which nothing can be said, and why.
    pub no_evidence: Vec<(NodeId, NoEvidence)>,
    /// Words that jobs explain, so that they count against nobody: which of the witnesses', and of which node.
    pub excused: Vec<(usize, NodeId)>,
    /// Which of the witnesses found each node that they compared unlike most of the others: no majority is left, and they
    /// abstain.
    pub without_majority: Vec<usize>,
}

impl Verdict {
    /// The nodes of which jobs explain what a witness says.
    #[must_use]
    pub fn excused_of(&self, witness: usize) -> Vec<NodeId> {
        self.excused.iter().filter(|(at, _)| *at == witness).map(|(_, node)| *node).collect()
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// These nodes are at fault.
    Indicted(Vec<Culprit>),
    /// The nodes were compared and none stands out.
    Clean,
    /// No verdict, and why.
    None(Reason),
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No log was found, or none of which a line is understood.
    NoLogs,
    /// No task ran and no block moved.
    Idle,
    /// Fewer than three nodes.
    NoPeers,
    /// Too few states on too many nodes (X4).
    TooFewData,
    /// Half of the nodes or more stand out (X6).
    NoMajority,
    /// Most nodes changed alike (K09).
    Correlated,
    /// There are system calls alone, which need control runs (C06).
    NoBaseline,
    /// So small a chance is allowed that permutations cannot tell, and nothing else was compared.
    TooManyPermutations,
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NoLogs,
        Self::Idle,
        Self::NoPeers,
        Self::TooFewData,
        Self::NoMajority,
        Self::Correlated,
        Self::NoBaseline,
        Self::TooManyPermutations,
    ];

    /// The one of this name in reports.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoLogs => "no-logs",
            Self::Idle => "idle",
            Self::NoPeers => "no-peers",
            Self::TooFewData => "too-few-data",
            Self::NoMajority => "no-majority",
            Self::Correlated => "correlated",
            Self::NoBaseline => "no-baseline",
            Self::TooManyPermutations => "too-many-permutations",
        }
    }

    /// What it means and what to do.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoLogs => {
                "No Hadoop log with understandable lines was found; the coverage says what each file is. Add the log folders of all nodes, and the master's job history."
            }
            Self::Idle => {
                "These logs contain no task and no block transfer. Add logs from a time when jobs ran, job history included."
            }
            Self::NoPeers => {
                "Nodes are compared with their peers, and fewer than three here are of the same cluster and hardware. Add the logs of more nodes."
            }
            Self::TooManyPermutations => {
                "A node stands out, and to tell whether by chance would take more permutations than there is time for. Set a larger chance (--set wb_alpha), or give the logs of fewer nodes."
            }
            Self::TooFewData => {
                "Most nodes ran too few tasks and transfers to be compared. Add logs of a longer time, or of more jobs."
            }
            Self::NoMajority => {
                "Half of the nodes or more stand out, so there is no healthy majority to compare with. Look for what they share: a switch, a rack, the master, the job."
            }
            Self::Correlated => {
                "Many nodes are alike and unlike the control runs; a comparison of peers cannot tell what slows all of them. Look for what they share (a switch, the master, the job). If the work differs from that of the control runs, add control runs of this work."
            }
            Self::NoBaseline => {
                "These logs hold system calls alone (or metrics, with --profiles literal), and they are compared with those of healthy runs. Add such runs as control runs (--baseline), or the logs of Hadoop from the same time."
            }
        }
    }
}

/// A node at fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Which node.
    pub node: NodeId,
    /// Why: the rule that names the cause.
    pub rule: Rule,
    /// Since when.
    pub since: Option<Timestamp>,
    /// When all that accuses it showed last, if it has passed.
    pub until: Option<Timestamp>,
    /// 0 to 1.
    pub sureness: f64,
    /// The strongest word of each source, strongest first.
    pub evidence: Vec<Word>,
}

/// What one witness says against a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// Who says it.
    pub method: Method,
    /// By which signal.
    pub signal: Signal,
    /// The threshold that it passed, if any.
    pub threshold: Option<f64>,
    /// The jobs that it speaks of.
    pub scope: Scope,
    /// What it says.
    pub indictment: Indictment,
}

impl Word {
    /// What a witness says of a node.
    #[must_use]
    pub fn of(witness: &Witness, indictment: &Indictment) -> Self {
        let Witness { method, signal, threshold, scope, .. } = witness;
        let (scope, indictment) = (scope.clone(), indictment.clone());
        Self { method: *method, signal: *signal, threshold: *threshold, scope, indictment }
    }

    /// The same, of what has not passed if that is so.
    pub(super) const fn lasting(mut self, is_so: bool) -> Self {
        if is_so {
            self.indictment.until = None;
        }
        self
    }

    /// Whether it holds without any node to compare with.
    pub(super) const fn needs_no_peers(&self) -> bool {
        self.signal.needs_no_peers(self.indictment.strength)
    }
}
