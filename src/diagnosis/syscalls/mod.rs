//! Diagnosis from system calls: the statistical and the semantic algorithm.
//!
//! # Finds
//! Nodes whose disk is hogged (look-ups of files take long) or whose network loses packets
//! (connections take long to stand).
//!
//! # Paper
//! "Transparent System Call Based Performance Debugging for Cloud Computing" (the syscall paper), sections Thresholds,
//! Statistical and Semantic; C01–C22.
//!
//! # Needs
//! `strace -f -T -ttt` of the daemons on three nodes or more, and of control runs of the
//! same workload ([`Bands`]). The statistical algorithm takes `strace -c -f` too, compared
//! with controls of that kind only. poll, ppoll and epoll_wait have to be traced beside the
//! paper's seven calls where the runtime connects without blocking ([`readiness`]).
//!
//! Look-ups by descriptor (a modern libc's `fstat` is a `newfstatat` of no path) find no file, and are not among those that
//! are compared; in the sums of `strace -c` they cannot be told apart.
//!
//! # Method
//! ```text
//! statistical   disk: stat and access of the node with most of it    ┐ out of the band, and
//!               network: connect of the node with most of it         ┘ 25 % above all others
//!               then: bind, socket, execve, accept of all nodes → the set returned
//! semantic      each call against the same call of control runs → pairs of nodes → one node
//! ```
//!
//! # Parameters
//! [`Switches`]: the paper to the letter, or (default) totals as means per call, connects
//! timed until they stand, and only what is slower; bands from control runs, or the other
//! nodes as the band ("peer-only"); the numbers [`super::Number::CallsApart`] and on.
//!
//! # Abstains when
//! Fewer than three nodes are traced; no control run was given. The semantic one also where
//! strace only counted, and when the pairs do not meet in one node (C14).
//!
//! # Known misses
//! Disk hogs where look-ups are answered from memory, which is the rule on machines of
//! today; loss below what TCP repairs within a connection's first packets. strace itself
//! slows jobs down by a half and more (C04), and tells no line of code.
//!
//! # Cost
//! O(calls · log calls) for each reading of the trace.

pub mod bands;
pub mod normalise;
pub mod peers;
pub mod readiness;
pub mod semantic;
pub mod statistical;
pub mod usage;

pub use bands::Bands;

use super::correlated::calls_unlike_controls;
use super::{
    Abstention, Diagnosis, DiagnosisAbout, Indictment, MIN_PEERS, Method, Numbers, Params, Signal, Strength, Witness,
};
use crate::base::quantity::of_micros;
use crate::base::{Gathered, NodeId, Place, Timestamp};
use crate::model::Trace;
use bands::{Range, UseBand, widest};
use semantic::Spikes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use usage::{CONNECTED, NodeUse, alike, usage_of};

/// The command that records what is needed.
pub const RECORD: &str = "strace -f -T -ttt -e trace=accept,accept4,connect,bind,socket,access,faccessat2,stat,newfstatat,statx,execve,poll,ppoll,epoll_wait,epoll_pwait -o FILE -p PID";

/// How the algorithms are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Switches {
    /// As the paper has it, to the letter.
    pub literal: bool,
    /// The other nodes are the band; control runs are not looked at.
    pub peer_only: bool,
}

/// What hogs a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hog {
    /// Its disk.
    Disk,
    /// Its network.
    Network,
}

impl Hog {
    /// The paper's name, and the witness's signal.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Disk => "disk-hog",
            Self::Network => "network-hog",
        }
    }

    /// The name of the cause in reports.
    #[must_use]
    pub const fn cause(self) -> &'static str {
        match self {
            Self::Disk => "disk",
            Self::Network => "network",
        }
    }
}

/// What an algorithm returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opinion {
    /// The set of nodes, the one that the decision rests on first, and what hogs them, if that was found;
    /// `None`: nothing is diagnosed.
    pub found: Option<(Option<Hog>, Vec<NodeId>)>,
    /// The steps taken, each a sentence with its numbers.
    pub path: Vec<String>,
    /// Score of each node: above 1 is out of the band (statistical), or what its pairs sum
    /// up to (semantic).
    pub scores: Vec<(NodeId, f64)>,
    /// How many times its peers' the value is that the decision rests on.
    pub ratio: f64,
    /// The lines behind it, most telling first, with their begins in UTC microseconds.
    pub lines: Vec<(Place, i64)>,
}

/// Everything that the algorithms look at, for both of them and for the views.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examination {
    /// How the algorithms were read.
    pub switches: Switches,
    /// The numbers of the algorithms.
    pub numbers: Numbers,
    /// What each node spends.
    pub nodes: BTreeMap<NodeId, NodeUse>,
    /// From `strace -c`.
    pub counted: bool,
    /// What is admissible, by node and call; empty without a baseline.
    pub bands: BTreeMap<NodeId, BTreeMap<&'static str, UseBand>>,
    /// Calls out of their bands.
    pub spikes: Spikes,
    /// Why nothing can be said.
    pub abstained: Option<Abstention>,
}

impl Examination {
    /// The band of a node's call.
    #[must_use]
    pub fn band(&self, node: NodeId, name: &str) -> Option<&UseBand> {
        self.bands.get(&node)?.get(name)
    }

    /// Whose calls are the band.
    #[must_use]
    pub const fn healthy(&self) -> &'static str {
        if self.switches.peer_only { "its peers" } else { "control runs" }
    }

    /// Whether no connection's time can be known.
    #[must_use]
    pub fn blind_to_network(&self) -> bool {
        self.nodes.values().any(|n| n.blind_to_network)
    }
}

/// What a trace lets be compared, and with what. No call is looked at for it.
struct Question<'a> {
    nodes: Vec<NodeId>,
    counted: bool,
    known: Option<&'a Bands>,
    /// Why nothing can be said.
    abstained: Option<Abstention>,
}

impl<'a> Question<'a> {
    /// `None` of a trace without calls.
    fn of(trace: &Trace, switches: Switches, baseline: Option<&'a Bands>) -> Option<Self> {
        if trace.calls.is_empty() {
            return None;
        }
        // Sums and traces are not compared with one another.
        let (nodes, counted) = alike(trace);
        let known = baseline.filter(|bands| bands.knows(counted));
        let abstained = if nodes.len() < MIN_PEERS {
            Some(Abstention::NoPeers)
        } else if known.is_none() && !switches.peer_only {
            Some(Abstention::NoBaseline)
        } else {
            None
        };
        Some(Self { nodes, counted, known, abstained })
    }

    /// Looks at all calls, which takes as long as to gather them; at each beside its band only where spikes are asked for.
    fn examine(self, trace: &Trace, params: &Params, with_spikes: bool) -> Examination {
        let Self { nodes, counted, known, abstained } = self;
        let nodes = usage_of(trace, &nodes);
        let (switches, numbers) = (params.syscalls, params.numbers);
        let mut found = Examination { switches, numbers, nodes, counted, abstained, ..Examination::default() };
        if abstained.is_none() {
            let bands = found.nodes.keys().map(|node| (*node, bands_of(trace, &found, *node, known)));
            found.bands = bands.gathered();
            if with_spikes {
                found.spikes = Spikes::find(trace, &found, known);
            }
        }
        found
    }
}

/// Looks at all calls of a trace; `None` where it has none.
#[must_use]
pub fn examine(trace: &Trace, params: &Params, baseline: Option<&Bands>) -> Option<Examination> {
    Some(Question::of(trace, params.syscalls, baseline)?.examine(trace, params, true))
}

fn bands_of(trace: &Trace, e: &Examination, node: NodeId, known: Option<&Bands>) -> BTreeMap<&'static str, UseBand> {
    let band = |name: &str| match known.filter(|_| !e.switches.peer_only) {
        // The paper keeps thresholds for each node; a node that no control run had takes
        // those of all. With few control runs a node's own band is hardly more than a
        // point, so by default all nodes share one.
        // A call that control runs do not have was not traced there, or not on that node.
        Some(bands) if e.switches.literal => {
            let own = bands.of_node(e.counted, trace.node_name(node), name).filter(UseBand::has_some);
            own.or_else(|| bands.of_all(e.counted, name).filter(UseBand::has_some))
        }
        Some(bands) => bands.of_all(e.counted, name).filter(UseBand::has_some),
        None => widest(e.nodes.iter().filter(|(n, _)| **n != node).map(|(_, found)| UseBand::of(found, name))),
    };
    bands::watched().filter_map(|name| Some((name, band(name)?))).gathered()
}

/// The statistical algorithm.
pub struct SyscallStatistical;
/// The semantic algorithm.
pub struct SyscallSemantic;

static STATISTICAL: DiagnosisAbout = DiagnosisAbout {
    method: Method::SyscallStatistical,
    paper: "Transparent System Call Based Performance Debugging for Cloud Computing, Statistical Diagnosis",
    needs: "strace -f -T -ttt, or strace -c -f, of three nodes, and of control runs",
    abstains: "fewer than three nodes are traced, or no control run was given",
};
static SEMANTIC: DiagnosisAbout = DiagnosisAbout {
    method: Method::SyscallSemantic,
    paper: "Transparent System Call Based Performance Debugging for Cloud Computing, Semantic Diagnosis",
    needs: "strace -f -T -ttt of three nodes, and of control runs",
    abstains: "fewer than three nodes are traced, no control run was given, or the pairs do not meet in one node",
};

impl Diagnosis for SyscallStatistical {
    fn about(&self) -> &'static DiagnosisAbout {
        &STATISTICAL
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        witness(trace, params, Method::SyscallStatistical, statistical::diagnose)
    }
}

impl Diagnosis for SyscallSemantic {
    fn about(&self) -> &'static DiagnosisAbout {
        &SEMANTIC
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        witness(trace, params, Method::SyscallSemantic, semantic::diagnose)
    }
}

fn witness(
    trace: &Trace,
    params: &Params,
    method: Method,
    diagnose: fn(&Trace, &Examination) -> Opinion,
) -> Vec<Witness> {
    let bands = params.baseline.as_deref().and_then(|b| b.calls.as_ref());
    let Some(question) = Question::of(trace, params.syscalls, bands) else { return Vec::new() };
    let mut witness = Witness { abstained: question.abstained, ..Witness::new(method, Signal::Calls) };
    if method == Method::SyscallSemantic && question.counted {
        // strace -c gives totals only, not single calls.
        witness.abstained = Some(Abstention::NotLogged);
    }
    if witness.abstained.is_some() {
        return vec![witness];
    }
    let examined = question.examine(trace, params, method == Method::SyscallSemantic);
    if method == Method::SyscallSemantic {
        witness.unlike_controls = calls_unlike_controls(&examined);
    }
    let opinion = diagnose(trace, &examined);
    witness.scores = opinion.scores.clone();
    witness.threshold = (method == Method::SyscallStatistical).then_some(1.0);
    if let Some((hog, nodes)) = &opinion.found {
        witness.signal = hog.map_or(Signal::Calls, Signal::Hog);
        // By default only the node that the decision rests on is accused; the others of the
        // set are named in the text.
        let accused = if examined.switches.literal { nodes.len() } else { 1 };
        let text = opinion.path.join(" ");
        let score = |node| opinion.scores.iter().find(|(n, _)| *n == node).map_or(0.0, |(_, s)| *s);
        witness.indicted = nodes
            .iter()
            .take(accused)
            .enumerate()
            .map(|(i, node)| Indictment {
                node: *node,
                // On the labelled runs calls name too few faults for a strong word.
                strength: Strength::Moderate,
                score: score(*node),
                ratio: if i == 0 { opinion.ratio } else { 1.0 },
                p: None,
                text: text.clone(),
                lines: if i == 0 { opinion.lines.iter().map(|(place, _)| *place).collect() } else { Vec::new() },
                since: opinion
                    .lines
                    .iter()
                    .map(|(_, at_us)| *at_us)
                    .min()
                    .filter(|_| i == 0)
                    .map(|us| Timestamp::from_millis(us.div_euclid(1000))),
                until: None,
            })
            .collect();
    } else if method == Method::SyscallSemantic {
        // The paper's algorithm says nothing where the pairs do not point at one node, and
        // that is no acquittal (C14).
        let unlearned = examined.spikes.unlearned;
        witness.abstained = Some(if unlearned { Abstention::NoBaseline } else { Abstention::NoMajority });
    }
    vec![witness]
}

pub(super) fn span_of(range: Range) -> String {
    format!("{} to {}", of_micros(range.low), of_micros(range.high))
}

/// Which reading of connect is compared.
pub(super) const fn connect_of(e: &Examination) -> &'static str {
    if e.switches.literal || e.counted { "connect" } else { CONNECTED }
}
