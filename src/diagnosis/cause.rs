//! Why a culprit is slow, as far as the logs of its tasks, blocks and daemons tell.
//!
//! The first rule that holds names the cause:
//!
//! ```text
//! disk-full  somebody says so of the node, or an attempt on it failed for lack of space
//! crashed    a master lost it, or all daemons of this node alone fall silent
//! disk       folders on it could not be used
//! hang       attempts on the node timed out; or all unsuccessful ones are there and
//!            outlasted every success elsewhere
//! network    map outputs from or to the node take longer, by more than its maps do, and
//!            its block writes do not
//! hang       it could not serve the map outputs it held
//! network    connections take long to stand, or disk: look-ups of files do (system calls)
//! disk       (metrics) iowait or bwrtn are far above the peers'
//! cpu        (metrics) user or system, and the run queue, are
//! network    (metrics) the node receives or sends far less than they do
//! cpu        maps are slow, and their JVMs start about as much slower as they work
//! disk       maps work much slower than their JVMs start (the classes come from memory,
//!            the data do not), or block writes are slow; or words of bad or slow disks
//! network    words of failed fetches, slow or refused connections, and nothing else
//! ```
//! Metrics count while the black box finds the node odd. Source: measured on the labelled
//! runs. A JVM's start is nearly all processor: under a processor hog start and work slow down alike (× 2.3 and 3.7; 3.6 and 3.0), under disk
//! hogs the work far more (× 1.0 and 28; 1.5 and 3.9; 1.5 and 4.1; 2.0 and 6.9).

use super::kahuna_bb::shift;
use super::slow_warnings::SILENCE;
use super::syscalls::Hog;
use crate::base::{AttemptId, Interval, NodeId, Timestamp};
use crate::model::{ComplaintKind, FlowKind, Outcome, State, StateKind, TaskAttempt, Trace};
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::BTreeMap;

/// Work slowed down by this factor more than the JVM's start is held up by its data.
const DATA_BOUND: f64 = 2.0;
/// Block writes so many times slower than the peers' speak of a disk.
const SLOW_WRITES: f64 = 2.0;
/// Attempts that must have stood still, so that one bad record is no hang.
const STANDING: usize = 2;

/// Why a node is slow, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its processor is taken or slow.
    Cpu,
    /// Its disk is taken or slow.
    Disk,
    /// Its disk is full.
    DiskFull,
    /// Its network loses or delays packets.
    Network,
    /// Its tasks stand still.
    Hang,
    /// It went away.
    Crashed,
    /// It cannot be told.
    Unknown,
}

impl Cause {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Disk => "disk",
            Self::DiskFull => "disk-full",
            Self::Network => "network",
            Self::Hang => "hang",
            Self::Crashed => "crashed",
            Self::Unknown => "unknown",
        }
    }
}

/// Names the cause. `slower` holds how many times slower the indicted kinds of state are,
/// `odd` the times in which the node's metrics were unlike its peers'.
#[must_use]
pub fn cause_of(trace: &Trace, node: NodeId, slower: &BTreeMap<String, f64>, odd: &[Interval]) -> Cause {
    let says = |texts: [&str; 2]| {
        let said = |t: &TaskAttempt| t.error.as_deref().is_some_and(|e| texts.iter().any(|text| e.contains(text)));
        trace.tasks.iter().any(|t| t.node == Some(node) && said(t))
    };
    let slow = |signal: &str| slower.get(signal).copied().unwrap_or(0.0);
    let ratio = |kind: StateKind| slow(kind.name());
    let writes = ratio(StateKind::WriteBlock).max(slow(FlowKind::Write.name()));
    let word = |kind: ComplaintKind| slower.contains_key(kind.name());
    if word(ComplaintKind::NoSpace) || says(["No space left", "No space available"]) {
        Cause::DiskFull
    } else if word(ComplaintKind::LostNode) || slower.contains_key(SILENCE) {
        Cause::Crashed
    } else if word(ComplaintKind::BadDisk) {
        Cause::Disk
    } else if word(ComplaintKind::TimedOut)
        || says(["failed to report status", "Timed out after"])
        || stood_still(trace, node)
    {
        Cause::Hang
    } else if slow(FlowKind::Shuffle.name()) > ratio(StateKind::Map).max(1.0) && writes < SLOW_WRITES {
        Cause::Network
    } else if word(ComplaintKind::MapOutputLost) {
        Cause::Hang
    } else if slower.contains_key(Hog::Network.name()) {
        Cause::Network
    } else if slower.contains_key(Hog::Disk.name()) {
        Cause::Disk
    } else if let Some(cause) = by_metrics(trace, node, odd) {
        cause
    } else if let Some((start, work)) = start_and_work(trace, node).filter(|_| ratio(StateKind::Map) > 0.0) {
        if work > DATA_BOUND * start { Cause::Disk } else { Cause::Cpu }
    } else if writes >= SLOW_WRITES || ratio(StateKind::ReadBlock) > 0.0 {
        Cause::Disk
    } else if ratio(StateKind::Map) > 0.0 {
        Cause::Cpu
    } else if word(ComplaintKind::SlowDisk) || word(ComplaintKind::BadChecksum) {
        Cause::Disk
    } else if word(ComplaintKind::FetchFailed) || word(ComplaintKind::Unreachable) || word(ComplaintKind::SlowNetwork) {
        Cause::Network
    } else {
        Cause::Unknown
    }
}

/// What the metrics speak of while they are odd, where they speak clearly.
fn by_metrics(trace: &Trace, node: NodeId, odd: &[Interval]) -> Option<Cause> {
    use shift::Moved::{Down, Up};
    if odd.is_empty() {
        return None;
    }
    let shift = shift::of(trace, node, odd);
    let moved = |name: &str| shift.of_metric(name);
    let any = |names: [&'static str; 2], way| names.into_iter().any(|name| moved(name) == way);
    if moved("iowait") == Up || moved("bwrtn") == Up {
        Some(Cause::Disk)
    } else if any(["user", "system"], Up) && moved("runq_sz") == Up {
        Some(Cause::Cpu)
    } else if any(["eth_rxbyt", "eth_txbyt"], Down) {
        Some(Cause::Network)
    } else {
        None
    }
}

/// Whether every attempt of a kind that did not succeed is on this node, there are
/// several, and each lasted longer than any success of its kind elsewhere.
fn stood_still(trace: &Trace, node: NodeId) -> bool {
    [StateKind::Map, StateKind::Reduce].into_iter().any(|kind| {
        let succeeded = |s: &State| s.outcome == Some(Outcome::Success);
        let elsewhere = trace.states.of_kind(kind).filter(|s| succeeded(s) && s.node != Some(node));
        let longest = elsewhere.filter_map(|s| s.millis()).max().unwrap_or(0);
        let unsuccessful: Vec<State> = trace.states.of_kind(kind).filter(|s| !succeeded(s)).collect();
        let stands = |s: &State| s.node == Some(node) && s.millis().is_some_and(|ms| ms > longest);
        unsuccessful.len() >= STANDING && unsuccessful.iter().all(stands)
    })
}

/// How many times slower than on its peers the node starts its maps' JVMs, and works in
/// them. `None` without the maps' own logs.
fn start_and_work(trace: &Trace, node: NodeId) -> Option<(f64, f64)> {
    let log_start: BTreeMap<AttemptId, Timestamp> =
        trace.tasks.iter().filter_map(|t| Some((t.id, t.log_start?))).collect();
    let mut starts: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    let mut works: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
    for state in trace.states.of_kind(StateKind::Map) {
        let (Some(node), Some(begin), Some(attempt)) = (state.node, state.start, state.attempt) else { continue };
        let Some(up) = log_start.get(&attempt) else { continue };
        starts.entry(node).or_default().push(up.millis_since(begin).max(0) as f64);
        works.entry(node).or_default().push(state.end.millis_since(*up).max(0) as f64);
    }
    Some((times_slower(&starts, node)?, times_slower(&works, node)?))
}

/// By upper quartiles, not medians: a node's first maps may have started before the fault.
fn times_slower(by_node: &BTreeMap<NodeId, Vec<f64>>, node: NodeId) -> Option<f64> {
    let slow = |values: &Vec<f64>| quantile(&sorted(values.iter().copied()), 0.75);
    let own = slow(by_node.get(&node)?)?;
    let peers = sorted(by_node.iter().filter(|(n, _)| **n != node).filter_map(|(_, v)| slow(v)));
    let typical = median(&peers)?;
    (typical > 0.0).then_some(own / typical)
}
