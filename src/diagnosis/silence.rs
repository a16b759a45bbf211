//! Nodes that fall silent: the last line of all their daemons lies long before the end of
//! everybody else's logs.
//!
//! Logs may also be gathered at different times, or be cut. So only a single silent node
//! counts, and none of which others tell that it went on: an attempt that began, succeeded or failed by itself
//! there, or a transfer that ended there, after its own last line; nor one that its administrators took out of
//! service, or whose masters did not lose it in a quarter of an hour. A daemon without work has nothing to
//! log either: who falls silent leaves something [`unfinished`], or somebody misses it.
//! Where one daemon of a node ends and others like it go on, somebody must ([`daemons_gone`]).
//! Nodes' last lines are compared by one clock: skews that are certain are taken off, and what a skew leaves open
//! makes silence no silence.

use super::daemons::{SLAVES, format_of, heard, slave_of, taken_out};
use crate::base::{Arrange, NodeId, Place, Timestamp};
use crate::model::{
    Complaint, ComplaintKind, FileInfo, Flow, FlowKind, MIN_PEERS, Outcome, State, StateKind, TaskAttempt, Trace,
    formats,
};
use std::collections::{BTreeMap, BTreeSet};

/// A node is silent if its last line is so much older than the cluster's: on the labelled runs no healthy node's
/// daemons are quiet for so long at the end. Masters wait longer, ten minutes by default.
pub const SILENCE_MS: i64 = 45_000;

/// What others tell of a node so long after its last line shows it alive: clocks differ, and
/// what was under way when it fell is told a few heartbeats later.
const ALIVE_MS: i64 = 10_000;
/// A master that goes on for so long and did not lose the node hears of it: the usual expiry is ten minutes.
const MASTERS_HEAR_MS: i64 = 900_000;

/// Lines of others that miss a node one of whose daemons is gone: one may be of a connection that just broke.
const MISSED: usize = 3;
/// What an attempt's error says, beside its complaints, that the master ended in the node's stead.
const LOST_WITH_NODE: &str = "unusable node";

/// The one node that falls silent of all but those `elsewhere`, when, and for how many milliseconds until the end.
#[must_use]
pub fn silent_since(trace: &Trace, elsewhere: &BTreeSet<NodeId>) -> Option<(NodeId, Timestamp, i64)> {
    let last = last_lines(trace, |_| true, elsewhere);
    let end = last.values().max().copied()?;
    let silent = last.into_iter().map(|(node, at)| (node, at, end.millis_since(at)));
    let mut silent = silent.filter(|(node, _, ms)| *ms > silence_ms(trace, *node));
    let (node, at, ms) = silent.next()?;
    let is_one =
        silent.next().is_none() && !tasks_went_on(trace, node, at) && !transfers_went_on(trace, node, at, None);
    (is_one && !taken_out(trace).contains_key(&node) && !masters_hear(trace, node, at)).then_some((node, at, ms))
}

/// How long a node must be silent: its clock may yet be so much slower than is known.
fn silence_ms(trace: &Trace, node: NodeId) -> i64 {
    SILENCE_MS + trace.clocks.may_be_later_ms(node)
}

/// Whether masters went on for long after the node's last line, and did not lose it.
fn masters_hear(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let lost = |c: &Complaint| c.kind == ComplaintKind::LostNode && c.of == Some(node);
    let masters = heard(trace, |format| formats::MASTERS.contains(&format));
    masters.values().any(|span| span.end.millis_since(last) > MASTERS_HEAR_MS) && !trace.complaints.iter().any(lost)
}

/// Whether the node was at work when it fell silent, as others tell it: they complain of it from then on, or an
/// attempt that ran there was given up while its job went on. A state that is open at the end of the node's own log
/// says nothing: a log that is cut has them too.
#[must_use]
pub fn unfinished(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let with_its_job = |t: &TaskAttempt| {
        let job = trace.job(t.id.job);
        let ended = job.and_then(|job| job.finish).zip(t.finish);
        ended.is_some_and(|(job, attempt)| job.millis_since(attempt) <= ALIVE_MS)
    };
    let given_up = |t: &TaskAttempt| {
        let begun = t.node == Some(node) && t.start.is_some_and(|start| start <= last);
        let later = t.finish.is_some_and(|finish| finish > last) && t.outcome != Some(Outcome::Success);
        begun && later && !with_its_job(t)
    };
    let missed = complained_of(trace, last, |c| c.kind != ComplaintKind::Blacklisted);
    let own = missed.get(&node).map_or(0, Vec::len);
    trace.tasks.iter().any(given_up) || (own > 0 && missed.iter().all(|(n, lines)| *n == node || lines.len() < own))
}

/// A daemon of one node that falls silent while its like elsewhere go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// The node that it ran on.
    pub node: NodeId,
    /// What it is called.
    pub daemon: &'static str,
    /// Its last line.
    pub last: Timestamp,
    /// From then on until half of the others have ended.
    pub silent_ms: i64,
    /// Lines in which others could not reach it meanwhile.
    pub missed: Vec<Place>,
}

/// The daemons that are gone and missed, `times` as often as any other node's, on these peers; one of a node.
#[must_use]
pub fn daemons_gone(trace: &Trace, peers: &[NodeId], times: f64) -> Vec<Gone> {
    let (mut found, taken_out) = (Vec::<Gone>::new(), taken_out(trace));
    for (format, daemon) in SLAVES {
        let mut last = last_lines(trace, |file| file.coverage.format.as_deref() == Some(format), &BTreeSet::new());
        last.retain(|node, _| peers.contains(node));
        if last.len() < MIN_PEERS {
            continue;
        }
        let mut all: Vec<Timestamp> = last.values().copied().collect();
        all.arrange(Ord::cmp);
        let half = (all.len() - 2) / 2;
        for (node, at) in &last {
            // The middle of the others.
            let own = all.partition_point(|other| other < at);
            let Some(most) = all.get(half + usize::from(own <= half)) else { continue };
            let silent_ms = most.millis_since(*at);
            if silent_ms <= silence_ms(trace, *node) || found.iter().any(|gone| gone.node == *node) {
                continue;
            }
            // Where logs are gathered one by one, many end early: what is cheap and seldom so is asked first.
            if taken_out.contains_key(node) {
                continue;
            }
            let missed = complained_of(trace, *at, |c| is_of_daemon(trace, c, format));
            let far_more = |lines: &Vec<Place>| {
                let outdoes = |other: usize| lines.len() as f64 > times * other as f64;
                lines.len() >= MISSED && missed.iter().all(|(n, others)| n == node || outdoes(others.len()))
            };
            let is_alive = || {
                transfers_went_on(trace, *node, *at, Some(format))
                    || (format != formats::DATANODE && tasks_went_on(trace, *node, *at))
            };
            if let Some(lines) = missed.get(node).filter(|lines| far_more(lines))
                && !is_alive()
            {
                found.push(Gone { node: *node, daemon, last: *at, silent_ms, missed: lines.clone() });
            }
        }
    }
    found
}

/// Whether the complaint is of a daemon with such logs: who tries to reach it says so. Attempts that hang or fail on a
/// node say nothing of its daemons.
fn is_of_daemon(trace: &Trace, complaint: &Complaint, format: &str) -> bool {
    let told_in = format_of(trace, complaint.place);
    let of_datanode = match complaint.kind {
        ComplaintKind::BrokenPipeline | ComplaintKind::WriteBroken => true,
        ComplaintKind::FetchFailed => false,
        ComplaintKind::LostNode => told_in == Some(formats::NAMENODE),
        // Tasks connect to DataNodes; who runs jobs does so for a block, and else to the daemons that run their tasks.
        ComplaintKind::Unreachable if told_in == Some(formats::TASK_SYSLOG) => true,
        ComplaintKind::Unreachable if told_in == Some(formats::AM_SYSLOG) => complaint.block.is_some(),
        _ => return false,
    };
    of_datanode == (format == formats::DATANODE)
}

/// Lines by the node that others complain of in them, from about `last` on.
fn complained_of(
    trace: &Trace,
    last: Timestamp,
    is_meant: impl Fn(&Complaint) -> bool,
) -> BTreeMap<NodeId, Vec<Place>> {
    let mut of: BTreeMap<NodeId, Vec<Place>> = BTreeMap::new();
    for c in trace.complaints.iter().filter(|c| last.millis_since(c.at) <= ALIVE_MS && is_meant(c)) {
        if let Some(node) = c.of.filter(|node| c.by != Some(*node)) {
            of.entry(node).or_default().push(c.place);
        }
    }
    of
}

/// The last line of each node's daemons that are meant, but of nodes `elsewhere`; by the clock of the reference.
fn last_lines(
    trace: &Trace,
    is_meant: impl Fn(&FileInfo) -> bool,
    elsewhere: &BTreeSet<NodeId>,
) -> BTreeMap<NodeId, Timestamp> {
    let mut last: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for file in trace.files.iter().filter(|file| is_meant(file)) {
        if let (Some(node), Some(at)) = (file.node.filter(|node| !elsewhere.contains(node)), file.daemon_last) {
            let at = at.plus_millis(-trace.clocks.ahead_ms(node));
            let slot = last.entry(node).or_insert(at);
            *slot = (*slot).max(at);
        }
    }
    last
}

/// Whether the master ended an attempt with its node, were it a map that was done.
#[must_use]
pub fn is_lost_with_node(attempt: &TaskAttempt) -> bool {
    attempt.error.as_deref().is_some_and(|error| error.contains(LOST_WITH_NODE))
}

/// Whether others tell of attempts that began, ended well or failed by themselves on the node after its own last line.
/// A JobTracker's history has them by the node's clock.
fn tasks_went_on(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let last = last.plus_millis(trace.clocks.ahead_ms(node));
    let later = |at: Option<Timestamp>| at.is_some_and(|at| at.millis_since(last) > ALIVE_MS);
    let by_itself = |t: &TaskAttempt| {
        use ComplaintKind::{LostNode, TimedOut, TooManyFetchFailures};
        let by_master = matches!(t.complains_of(), Some(LostNode | TimedOut | TooManyFetchFailures));
        !by_master && t.error.is_some() && !is_lost_with_node(t)
    };
    let shows = |t: &TaskAttempt| match t.outcome {
        Some(Outcome::Success) => later(t.finish),
        Some(Outcome::Failed) if later(t.finish) && by_itself(t) => true,
        _ => later(t.start),
    };
    trace.tasks.iter().any(|t| t.node == Some(node) && shows(t))
}

/// Whether transfers ended on the node after its own last line: any, or those that a daemon with such logs takes part
/// in. Who reads or fetches on its host is a task.
fn transfers_went_on(trace: &Trace, node: NodeId, last: Timestamp, daemon: Option<&str>) -> bool {
    trace.flows.iter().any(|f| {
        let ahead_ms = || {
            let logged_by = if f.kind == FlowKind::Write { f.dest } else { f.src };
            logged_by.map_or(0, |by| trace.clocks.ahead_ms(NodeId(by)))
        };
        moves(&f, node, daemon) && f.end.millis_since(last) > ALIVE_MS + ahead_ms()
    })
}

/// Whether the node is an end of the transfer, or a daemon on it with such logs takes part in it.
fn moves(flow: &Flow, node: NodeId, daemon: Option<&str>) -> bool {
    let end = Some(node.0);
    match (daemon, flow.kind) {
        (None, _) => flow.src == end || flow.dest == end,
        (Some(formats::DATANODE), FlowKind::Read) => flow.src == end,
        (Some(formats::DATANODE), FlowKind::Write | FlowKind::Replicate) => flow.dest == end,
        (Some(format), FlowKind::Shuffle) => format != formats::DATANODE && flow.src == end,
        (Some(_), _) => false,
    }
}

/// The last line of the node's own daemons before a master lost it, which a master does minutes after the node fell; where
/// another goes on later, or nearly until then, of the daemon that it lost; where that one does, too, the last thing that
/// ended well there or attempt that began, as far as it shows that daemon at work: blocks a DataNode, all else who runs
/// tasks. `None` where nothing of so late a time is told.
#[must_use]
pub fn last_sign_of_life(trace: &Trace, node: NodeId, lost: Timestamp, by: Place) -> Option<Timestamp> {
    let since = lost.plus_millis(-MASTERS_HEAR_MS);
    let is_before = |at: &Timestamp| since < *at && *at <= lost;
    let daemon = format_of(trace, by).and_then(slave_of);
    let is_daemons = |of_blocks: bool| daemon.is_none_or(|daemon| (daemon == formats::DATANODE) == of_blocks);
    let done = |s: &State| {
        let of_blocks = matches!(s.kind, StateKind::ReadBlock | StateKind::WriteBlock);
        s.node == Some(node) && !s.open && s.outcome == Some(Outcome::Success) && is_daemons(of_blocks)
    };
    let states = trace.states.iter().filter(done).map(|s| s.end).filter(is_before).max();
    let moves = |f: &Flow| moves(f, node, daemon);
    let flows = trace.flows.iter().filter(moves).map(|f| f.end).filter(is_before).max();
    let ran = trace.tasks.iter().filter(|t| t.node == Some(node) && is_daemons(false));
    let begins = ran.filter_map(|t| t.start).filter(is_before).max();
    let last = |is_meant: &dyn Fn(&FileInfo) -> bool| {
        last_lines(trace, is_meant, &BTreeSet::new()).get(&node).copied().filter(is_before)
    };
    let of_daemon = || last(&|file| daemon.is_some() && file.coverage.format.as_deref() == daemon);
    let of_all = last(&|_| true);
    let long_before = of_all.filter(|at| lost.millis_since(*at) >= SILENCE_MS);
    long_before.or_else(of_daemon).or(of_all).or_else(|| states.max(flows).max(begins))
}
