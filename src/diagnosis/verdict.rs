//! From witnesses to a verdict (design §5): rules simple enough to be read aloud.
//!
//! ```text
//! one source, one word      the strongest indictment of a node from one source of data
//! strong 2, moderate 1      a node with 2 or more is a culprit
//! half of the nodes         no majority is left to compare with: no verdict
//! most unlike all controls  correlated: no verdict, if no node differs from its peers
//! a node that did nothing   no evidence: neither clean nor at fault
//! nobody could be judged    no verdict, with the reason
//! a witness against half    it found no majority either: it is not heard, and the others decide
//! beside slow transfers     nobody is accused by times of tasks and by metrics alone
//! ```
//! Slow tasks and odd metrics accuse nobody where the job itself explains them: an application that
//! fails everywhere, or the node of a skewed task; nor metrics that are odd, and block writes that are slow,
//! mostly while the node tried a skewed task, or while a job waited for one alone.

use super::cause::{Cause, Causes};
use super::correlated::correlated;
use super::idle::{NoEvidence, idle};
use super::job_class::{Class, JobClass, blame_incidents, classify};
use super::kahuna_bb::LEVELS;
use super::slow_warnings::{SILENCE, STUCK};
use super::theia::outrun;
use super::{Abstention, Comparison, Indictment, MIN_PEERS, Method, Strength, Witness};
use crate::base::{Arrange, Interval, JobId, NodeId, Timestamp};
use crate::model::{ComplaintKind, FlowKind, Outcome, StateKind, TaskAttempt, Trace};
use std::collections::BTreeMap;

/// Points that make a culprit.
const CULPRIT_POINTS: u32 = 2;
/// How far one strong or moderate word from an independent source goes towards
/// certainty: the share of true indictments among such words on the labelled runs,
/// rounded down to leave room for clusters unlike them.
const STRONG_WORTH: f64 = 0.9;
/// See [`STRONG_WORTH`].
const MODERATE_WORTH: f64 = 0.6;
/// Up to this p, permutation is what decided.
const CHANCE_DECIDES: f64 = 0.05;
/// Block writes that a skewed task causes may follow it by so long.
const FADES_MS: i64 = 60_000;
/// Nothing is surer than this: logs are not the machine.
const SUREST: f64 = 0.99;

/// Where a word comes from; two from one source are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Durations of task attempts and their phases.
    TaskTimes,
    /// Durations of block transfers, as states or as flows.
    Blocks,
    /// Durations of map outputs' transfers.
    Shuffle,
    /// Durations of localisation.
    Localisation,
    /// One kind of complaint.
    Word(ComplaintKind),
    /// Ends of logs.
    Silence,
    /// A method with data of its own.
    Other(Method),
}

impl Source {
    /// Whether trouble of the job itself shows there too.
    #[must_use]
    pub const fn is_of_tasks(self) -> bool {
        use ComplaintKind::{AttemptFailed, Blacklisted, ContainerFailed, TimedOut};
        matches!(
            self,
            Self::TaskTimes
                | Self::Other(Method::KahunaBb)
                | Self::Word(AttemptFailed | Blacklisted | ContainerFailed | TimedOut)
        )
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
    /// Nothing that is read was found.
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
}

impl Reason {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::NoLogs, Self::Idle, Self::NoPeers, Self::TooFewData, Self::NoMajority, Self::Correlated];

    /// The one of this name in reports.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
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
        }
    }

    /// What it means and what to do.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::NoLogs => {
                "No log of Hadoop's was found. Drop the log folders of all nodes, and the job history of the master."
            }
            Self::Idle => {
                "No task and no block transfer is in these logs. Drop logs of a time when jobs ran, job history included."
            }
            Self::NoPeers => {
                "Nodes are compared with their peers, and there are fewer than three here. Drop the logs of more nodes."
            }
            Self::TooFewData => {
                "Too few tasks and transfers on most nodes to compare them. Drop the logs of a longer time, or of more jobs."
            }
            Self::NoMajority => {
                "Half of the nodes or more stand out, so there is no healthy majority to compare with. Look for what they share: a switch, a rack, the master, the job."
            }
            Self::Correlated => {
                "Many nodes alike, unlike the control runs: peers cannot tell what slows all of them. Look for what they share (a switch, the master, the job); if the work is another than in the control runs, add control runs of this work."
            }
        }
    }
}

/// A node at fault.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Which node.
    pub node: NodeId,
    /// Why.
    pub cause: Cause,
    /// Since when.
    pub since: Option<Timestamp>,
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
    pub signal: String,
    /// The threshold that it passed, if any.
    pub threshold: Option<f64>,
    /// What it says.
    pub indictment: Indictment,
}

impl Word {
    fn of(witness: &Witness, indictment: &Indictment) -> Self {
        let Witness { method, signal, threshold, .. } = witness;
        Self { method: *method, signal: signal.clone(), threshold: *threshold, indictment: indictment.clone() }
    }
}

/// The verdict and what was decided on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was found.
    pub finding: Finding,
    /// The jobs with their classes.
    pub jobs: Vec<JobClass>,
    /// Peers of which nothing can be said, and why.
    pub no_evidence: Vec<(NodeId, NoEvidence)>,
}

/// What a job's owner would call a class of trouble; `None` where there is none of the
/// owner's.
#[must_use]
pub const fn class_of_trouble(class: Class) -> Option<&'static str> {
    match class {
        Class::Application => Some("its own code fails on most nodes"),
        Class::Skew => Some("its data is skewed"),
        Class::None | Class::Infrastructure => None,
    }
}

fn source_of(witness: &Witness) -> Source {
    source_named(witness.method, &witness.signal)
}

/// Where a method's word comes from, by its signal.
#[must_use]
pub fn source_named(method: Method, signal: &str) -> Source {
    let is = |kind: StateKind| signal == kind.name();
    match method {
        Method::KahunaWb if is(StateKind::ReadBlock) || is(StateKind::WriteBlock) => Source::Blocks,
        Method::KahunaWb if is(StateKind::Localize) => Source::Localisation,
        // Theia reads the same attempts, job by job.
        Method::KahunaWb | Method::Theia => Source::TaskTimes,
        Method::Flows if signal == FlowKind::Shuffle.name() => Source::Shuffle,
        Method::Flows => Source::Blocks,
        Method::SlowWarnings if signal == STUCK => Source::TaskTimes,
        Method::SlowWarnings => {
            match ComplaintKind::ALL.into_iter().find(|kind| signal == kind.name()) {
                // One monitor tells of both.
                Some(ComplaintKind::GcPaused) => Source::Word(ComplaintKind::Paused),
                kind => kind.map_or(Source::Silence, Source::Word),
            }
        }
        // Both read the same traces.
        Method::SyscallSemantic => Source::Other(Method::SyscallStatistical),
        method => Source::Other(method),
    }
}

/// Reaches the verdict.
#[must_use]
pub fn decide(trace: &Trace, witnesses: &[Witness]) -> Verdict {
    let mut jobs = classify(trace);
    for witness in witnesses {
        if let Some(Comparison::Jobs(incidents)) = &witness.comparison {
            blame_incidents(trace, &mut jobs, incidents);
        }
    }
    let (clusters, causes) = (trace.peers_by_cluster(), Causes::new(trace));
    // What jobs explain is against nobody, however many it is said of.
    let against_half = |w: &&Witness| {
        let named = || w.indicted.iter().map(|i| i.node);
        let held = || named().filter(|node| !excused(trace, *node, &jobs, w, explained(trace, *node, &jobs)));
        clusters.iter().any(|peers| half_are(named(), peers) && half_are(held(), peers))
    };
    let (lost, heard): (Vec<&Witness>, Vec<&Witness>) = witnesses.iter().partition(against_half);
    let mut culprits: Vec<Culprit> =
        trace.peer_nodes().filter_map(|node| accuse(&causes, trace, node, &heard, &jobs)).collect();
    spare_victims(&mut culprits, &clusters);
    culprits.arrange(|a, b| b.sureness.total_cmp(&a.sureness).then(a.node.cmp(&b.node)));
    let mut no_evidence = idle(trace);
    no_evidence.retain(|(node, _)| culprits.iter().all(|c| c.node != *node));
    let accused: Vec<NodeId> = culprits.iter().map(|c| c.node).collect();
    let finding = if clusters.iter().any(|peers| half_are(accused.iter().copied(), peers)) {
        Finding::None(Reason::NoMajority)
    } else if !culprits.is_empty() {
        blame_infrastructure(trace, &mut jobs, &culprits);
        Finding::Indicted(culprits)
    } else if lost.iter().any(|w| w.indicted.iter().any(|i| i.strength == Strength::Strong)) {
        Finding::None(Reason::NoMajority)
    } else {
        not_indicted(trace, witnesses, trace.peer_nodes().count())
    };
    Verdict { finding, jobs, no_evidence }
}

/// Whether half of these peers or more are among the nodes.
fn half_are(nodes: impl Iterator<Item = NodeId>, peers: &[NodeId]) -> bool {
    let among = nodes.filter(|node| peers.contains(node)).count();
    among > 0 && among * 2 >= peers.len()
}

/// A node whose transfers are slow slows whoever moves data through it (Kahuna §VIII-A calls such
/// faults correlated): beside it, nobody is accused by the times of tasks and by metrics alone.
fn spare_victims(culprits: &mut Vec<Culprit>, clusters: &[Vec<NodeId>]) {
    let of_transfers = |c: &Culprit| {
        c.evidence.iter().any(|word| word.method == Method::Flows && word.indictment.strength == Strength::Strong)
    };
    let slow: Vec<NodeId> = culprits.iter().filter(|c| of_transfers(c)).map(|c| c.node).collect();
    let beside_slow = |c: &Culprit| {
        clusters.iter().any(|peers| peers.contains(&c.node) && slow.iter().any(|node| peers.contains(node)))
    };
    let by_times_alone = |c: &Culprit| {
        c.evidence.iter().all(|Word { method, signal, .. }| {
            let blocks = [StateKind::ReadBlock, StateKind::WriteBlock].iter().any(|kind| signal == kind.name());
            matches!(method, Method::KahunaBb | Method::Theia) || (*method == Method::KahunaWb && !blocks)
        })
    };
    culprits.retain(|c| !beside_slow(c) || !by_times_alone(c));
}

/// Clean if some witness that can make a culprit could judge the nodes.
fn not_indicted(trace: &Trace, witnesses: &[Witness], peers: usize) -> Finding {
    let aside =
        [Source::Localisation, Source::Other(Method::SyscallStatistical), Source::Other(Method::PeerSimilarity)];
    // A count of complaints or of lost races says who stands out, never that nobody does.
    let counts = |w: &Witness| w.method == Method::SlowWarnings || w.signal == outrun::SIGNAL;
    let telling = |w: &&Witness| w.abstained.is_none() && !counts(w) && !aside.contains(&source_of(w));
    if witnesses.iter().any(|w| telling(&w)) {
        return if correlated(witnesses) { Finding::None(Reason::Correlated) } else { Finding::Clean };
    }
    let nothing_read = trace.files.iter().all(|f| f.coverage.format.is_none() || f.coverage.understood == 0);
    Finding::None(if nothing_read {
        Reason::NoLogs
    } else if trace.states.is_empty() {
        Reason::Idle
    } else if peers < MIN_PEERS || witnesses.iter().all(|w| w.abstained == Some(Abstention::NoPeers)) {
        Reason::NoPeers
    } else {
        Reason::TooFewData
    })
}

fn accuse<'w>(
    causes: &Causes<'_>,
    trace: &Trace,
    node: NodeId,
    witnesses: &[&'w Witness],
    jobs: &[JobClass],
) -> Option<Culprit> {
    let of_node = |w: &'w Witness| w.indicted.iter().filter(|i| i.node == node).map(move |i| (source_of(w), w, i));
    let mut words: Vec<(Source, &Witness, &Indictment)> = witnesses.iter().flat_map(|w| of_node(w)).collect();
    let explained = words.iter().any(|(source, ..)| source.is_of_tasks()) && explained(trace, node, jobs);
    words.retain(|(_, witness, _)| !excused(trace, node, jobs, witness, explained));
    words.arrange(|a, b| (a.0.cmp(&b.0)).then(b.2.strength.cmp(&a.2.strength)).then(b.2.ratio.total_cmp(&a.2.ratio)));
    let mut strongest: Vec<(Source, &Witness, &Indictment)> = Vec::new();
    for word in &words {
        if strongest.last().is_none_or(|(source, ..)| *source != word.0) {
            strongest.push(*word);
        }
    }
    let sureness = sureness(strongest.iter().map(|(.., i)| (i.strength, i.p)))?;
    words.arrange(|a, b| b.2.strength.cmp(&a.2.strength).then(b.2.ratio.total_cmp(&a.2.ratio)));
    let mut slower: BTreeMap<String, f64> = BTreeMap::new();
    for (_, witness, indictment) in &words {
        slower.entry(witness.signal.clone()).or_insert(indictment.ratio);
    }
    let since = words.iter().filter_map(|(.., i)| i.since).min();
    // A level that is no strong word may be of what the node was given to do, and that tells no cause.
    let is_strong = |w: &Witness| w.indicted.iter().any(|i| i.node == node && i.strength == Strength::Strong);
    let tell = witnesses.iter().filter(|w| w.signal != LEVELS || is_strong(w));
    let odd: Vec<Interval> = tell.flat_map(|w| w.odd_times(node)).collect();
    let cause = causes.of(node, &slower, &odd, since);
    // Work that was under way when it fell began before.
    let fell = || words.iter().filter(|(_, w, _)| is_of_a_fall(w)).filter_map(|(.., i)| i.since).min();
    let since = if cause == Cause::Crashed { fell().or(since) } else { since };
    Some(Culprit {
        node,
        cause,
        since,
        sureness,
        evidence: words.into_iter().map(|(_, w, i)| Word::of(w, i)).collect(),
    })
}

/// Whether a witness tells that nodes went away.
fn is_of_a_fall(witness: &Witness) -> bool {
    witness.signal == SILENCE || witness.signal == ComplaintKind::LostNode.name()
}

/// How sure the strongest words of independent sources make, each with its chance under no
/// fault; `None` where they do not make a culprit.
#[must_use]
pub fn sureness(words: impl Iterator<Item = (Strength, Option<f64>)>) -> Option<f64> {
    let (mut points, mut doubt) = (0, 1.0);
    for (strength, p) in words {
        points += if strength == Strength::Strong { 2 } else { 1 };
        doubt *= 1.0 - worth(strength, p);
    }
    (points >= CULPRIT_POINTS).then(|| (1.0 - doubt).min(SUREST))
}

/// How far one word goes towards certainty. Chance is taken off where it decided; a word that
/// holds by a rule of its own although permutation could not tell (the gap rule, with few states
/// a node) is worth a moderate one's: so the least sure culprit stands at 0.6, not near 0.
fn worth(strength: Strength, p: Option<f64>) -> f64 {
    let worth = if strength == Strength::Strong { STRONG_WORTH } else { MODERATE_WORTH };
    match p {
        Some(p) if p > CHANCE_DECIDES => worth.min(MODERATE_WORTH),
        p => worth * (1.0 - p.unwrap_or(0.0)),
    }
}

/// Whether the jobs themselves explain slow tasks on a node: every job that ran there
/// fails everywhere or has its skewed task there.
fn explained(trace: &Trace, node: NodeId, jobs: &[JobClass]) -> bool {
    let mut here = jobs.iter().filter(|j| trace.tasks_of(j.job).iter().any(|t| t.node == Some(node)));
    let mut any = false;
    let all = here.all(|j| {
        any = true;
        excuses(trace, node, j)
    });
    any && all
}

/// Whether the jobs explain what a witness says of a node, all of whose jobs do so or not.
fn excused(trace: &Trace, node: NodeId, jobs: &[JobClass], witness: &Witness, explained: bool) -> bool {
    let of_ill_job = |job: JobId| jobs.iter().any(|j| j.job == job && excuses(trace, node, j));
    (explained && source_of(witness).is_of_tasks())
        || witness.job.is_some_and(of_ill_job)
        || busy_with_skew(trace, node, jobs, witness)
}

/// Whether a job explains by itself that its tasks are slow on a node.
fn excuses(trace: &Trace, node: NodeId, job: &JobClass) -> bool {
    match job.class {
        Class::Application => true,
        // Whoever tried the skewed task: a rival that lost took as long.
        Class::Skew => tries_of_skewed(trace, job).any(|t| t.node == Some(node)),
        _ => false,
    }
}

/// The attempts at a job's skewed task.
fn tries_of_skewed<'a>(trace: &'a Trace, job: &JobClass) -> impl Iterator<Item = &'a TaskAttempt> {
    let skewed = job.skewed.map(|(id, _)| (id.letter, id.task));
    trace.tasks_of(job.job).iter().filter(move |t| skewed == Some((t.id.letter, t.id.task)))
}

/// When all tasks of a job but the skewed one, and what follows it, were done.
fn others_done(trace: &Trace, job: &JobClass) -> Option<Timestamp> {
    let (skewed, _) = job.skewed?;
    let same_kind = |t: &&TaskAttempt| t.id.letter == skewed.letter && t.id.task != skewed.task;
    let done = trace.tasks_of(job.job).iter().filter(same_kind).filter(|t| t.outcome == Some(Outcome::Success));
    done.filter_map(|t| t.finish).max()
}

/// When what a witness says of a node happened: the times of odd metrics, or of block writes.
fn times_of(trace: &Trace, witness: &Witness, node: NodeId) -> Vec<Interval> {
    if witness.method != Method::KahunaWb || witness.signal != StateKind::WriteBlock.name() {
        return witness.odd_times(node);
    }
    let own = trace.states.of_kind(StateKind::WriteBlock).filter(|s| s.node == Some(node));
    own.filter_map(|s| Some(Interval::new(s.start?, s.end))).collect()
}

/// Whether all that a witness says of a node was mostly while the node tried skewed tasks, or so soon after that it had not
/// faded yet; or while a job waited for a skewed task elsewhere and nothing else of it ran: then
/// the nodes that take its blocks are the only ones that work.
fn busy_with_skew(trace: &Trace, node: NodeId, jobs: &[JobClass], witness: &Witness) -> bool {
    let odd = times_of(trace, witness, node);
    if odd.is_empty() {
        return false;
    }
    // Half of what a node's metrics were has faded from its histogram after so long.
    let fades_ms = match &witness.comparison {
        Some(Comparison::System(c)) => c.window_ms(),
        _ => FADES_MS,
    };
    let mut spans: Vec<(Timestamp, Timestamp)> = Vec::new();
    for job in jobs.iter().filter(|j| j.class == Class::Skew) {
        let others_done = others_done(trace, job);
        for t in tries_of_skewed(trace, job) {
            let Some(start) = t.start else { continue };
            let from = if t.node == Some(node) { start } else { start.max(others_done.unwrap_or(start)) };
            let end = t.finish.or_else(|| trace.span.map(|(_, last)| last));
            spans.extend(end.map(|end| (from, end.plus_millis(fades_ms))).filter(|(from, to)| from < to));
        }
    }
    spans.arrange(Ord::cmp);
    let (mut explained, mut all) = (0, 0);
    for interval in &odd {
        all += interval.millis();
        let mut from = interval.start;
        for (start, end) in &spans {
            let (start, end) = ((*start).max(from), (*end).min(interval.end));
            if start < end {
                explained += end.millis_since(start);
                from = end;
            }
        }
    }
    all > 0 && 2 * explained >= all
}

/// Jobs that ran on a culprit since it is at fault, and had no trouble of their own, suffered from it. Where a
/// comparison of jobs accuses it, that has told which.
fn blame_infrastructure(trace: &Trace, jobs: &mut [JobClass], culprits: &[Culprit]) {
    let by_jobs = |c: &&Culprit| c.evidence.iter().any(|word| word.method == Method::Theia);
    for job in jobs.iter_mut().filter(|j| j.class == Class::None) {
        let touched = |c: &&Culprit| {
            let suffered = |t: &TaskAttempt| t.node == Some(c.node) && (t.finish.is_none() || t.finish >= c.since);
            !by_jobs(c) && trace.tasks_of(job.job).iter().any(suffered)
        };
        if let Some(culprit) = culprits.iter().find(touched) {
            job.class = Class::Infrastructure;
            job.rule = format!("its tasks ran on {}, which is at fault", trace.node_name(culprit.node));
        }
    }
}
