//! Nodes that fall silent: the last line of all their daemons lies long before the end of
//! everybody else's logs.
//!
//! Logs may also be gathered at different times, or be cut. So only a single silent node
//! counts, and none of which others tell that it went on: an attempt that succeeded there, or a
//! transfer that ended there, after its own last line. A daemon without work has nothing to
//! log either: who falls silent leaves something [`unfinished`], or somebody misses it.
//! Where one daemon of a node ends and another goes on, somebody must ([`daemon_gone`]).

use crate::base::{NodeId, Place, Timestamp};
use crate::model::{Complaint, ComplaintKind, FileInfo, MIN_PEERS, Outcome, State, TaskAttempt, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A node is silent if its last line is so much older than the cluster's: three missed
/// TaskTracker expiry checks at the shortest interval seen (HADOOP default: 10 min).
pub const SILENCE_MS: i64 = 45_000;

/// What others tell of a node so long after its last line shows it alive: clocks differ, and
/// what was under way when it fell is told a few heartbeats later.
const ALIVE_MS: i64 = 10_000;

/// Daemons that every slave runs: their logs' formats, and what they are called.
const DAEMONS: [(&str, &str); 3] =
    [("datanode", "DataNode"), ("nodemanager", "NodeManager"), ("tasktracker", "TaskTracker")];
/// Lines of others that miss a node one of whose daemons is gone: one may be of a connection that just broke.
const MISSED: usize = 3;

/// What is said by who tries to reach it; attempts that hang or fail on a node say nothing of its daemons.
const IN_VAIN: [ComplaintKind; 5] = [
    ComplaintKind::LostNode,
    ComplaintKind::FetchFailed,
    ComplaintKind::BrokenPipeline,
    ComplaintKind::WriteBroken,
    ComplaintKind::Unreachable,
];

/// The one node that falls silent of all but those `elsewhere`, when, and for how many milliseconds until the end.
#[must_use]
pub fn silent_since(trace: &Trace, elsewhere: &BTreeSet<NodeId>) -> Option<(NodeId, Timestamp, i64)> {
    let last = last_lines(trace, |_| true, elsewhere);
    let end = last.values().max().copied()?;
    let mut silent = last.into_iter().map(|(node, at)| (node, at, end.millis_since(at)));
    let mut silent = silent.by_ref().filter(|(.., ms)| *ms > SILENCE_MS);
    let one = silent.next()?;
    (silent.next().is_none() && !went_on(trace, one.0, one.1)).then_some(one)
}

/// Whether the node was at work when it fell silent, or others complain of it from then on.
#[must_use]
pub fn unfinished(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let begun = |s: &State| s.node == Some(node) && s.start.is_some_and(|start| start <= last);
    let cut_off = |s: &State| begun(s) && (s.open || (s.end > last && s.outcome != Some(Outcome::Success)));
    trace.states.iter().any(|s| cut_off(&s)) || trace.complaints.iter().any(|c| misses(c, node, last))
}

/// A daemon of one node that falls silent while its like on every other node go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// Where.
    pub node: NodeId,
    /// Which.
    pub daemon: &'static str,
    /// Its last line.
    pub last: Timestamp,
    /// From then on until the first of the others ends.
    pub silent_ms: i64,
    /// Lines in which others complain of the node meanwhile.
    pub missed: Vec<Place>,
}

/// The one daemon that is gone, of all nodes but those `elsewhere`, and is missed.
#[must_use]
pub fn daemon_gone(trace: &Trace, elsewhere: &BTreeSet<NodeId>) -> Option<Gone> {
    let gone = |(format, daemon): &(&str, &'static str)| {
        let last = last_lines(trace, |file| file.coverage.format.as_deref() == Some(format), elsewhere);
        if last.len() < MIN_PEERS {
            return None;
        }
        let (node, at) = last.iter().min_by_key(|(_, at)| **at).map(|(node, at)| (*node, *at))?;
        let next = last.iter().filter(|(other, _)| **other != node).map(|(_, at)| *at).min()?;
        let missed = trace.complaints.iter().filter(|c| IN_VAIN.contains(&c.kind) && misses(c, node, at));
        let missed: Vec<Place> = missed.map(|c| c.place).collect();
        let silent_ms = next.millis_since(at);
        (silent_ms > SILENCE_MS && missed.len() >= MISSED).then_some(Gone { node, daemon, last: at, silent_ms, missed })
    };
    DAEMONS.iter().find_map(gone)
}

/// The last line of each node's daemons that are meant, but of nodes `elsewhere`.
fn last_lines(
    trace: &Trace,
    is_meant: impl Fn(&FileInfo) -> bool,
    elsewhere: &BTreeSet<NodeId>,
) -> BTreeMap<NodeId, Timestamp> {
    let mut last: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for file in trace.files.iter().filter(|file| is_meant(file)) {
        if let (Some(node), Some(at)) = (file.node.filter(|node| !elsewhere.contains(node)), file.daemon_last) {
            let slot = last.entry(node).or_insert(at);
            *slot = (*slot).max(at);
        }
    }
    last
}

/// Whether another node complains of this one after its last line.
fn misses(complaint: &Complaint, node: NodeId, last: Timestamp) -> bool {
    let of_it = complaint.of == Some(node) && complaint.by != Some(node);
    of_it && last.millis_since(complaint.at) <= ALIVE_MS
}

/// Whether others tell of work that ended well on the node after its own last line.
fn went_on(trace: &Trace, node: NodeId, last: Timestamp) -> bool {
    let later = |at: Timestamp| at.millis_since(last) > ALIVE_MS;
    let attempt =
        |t: &TaskAttempt| t.node == Some(node) && t.outcome == Some(Outcome::Success) && t.finish.is_some_and(later);
    let end = Some(node.0);
    trace.tasks.iter().any(attempt) || trace.flows.iter().any(|f| (f.src == end || f.dest == end) && later(f.end))
}
