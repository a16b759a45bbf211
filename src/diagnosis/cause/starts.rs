//! How long a node's attempts take to start their JVMs, and its maps to work in them.
//!
//! ```text
//! assigned          first line of its own log                 done
//!    ├──── start ────┼───────────────── work ──────────────────┤
//! ```
//! Every attempt has a start. Work is that of attempts that ended well: one that was killed, failed or runs on tells how
//! long it was let, not how long its work takes. An assignment of Hadoop 2/3 is by the ApplicationMaster's clock, the first line
//! by the node's: skews that are certain are taken off, and what ends before it begins tells nothing. Cost: O(attempts · log attempts), once for a trace.

use super::SLOW_START;
use crate::base::{AttemptId, ContainerId, Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::Scope;
use crate::model::{FileInfo, Outcome, State, StateKind, Trace, formats};
use crate::stats::quantile::{median, medians_by, quantile, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// How long an attempt took to start, or to work.
#[derive(Clone, Copy, Debug)]
struct Took {
    job: JobId,
    kind: StateKind,
    ms: f64,
    /// When the attempt began…
    begin: Timestamp,
    /// …and when this was done.
    done: Timestamp,
    /// When the attempt ended.
    end: Timestamp,
}

/// What each node's attempts took.
type Times = BTreeMap<NodeId, Vec<Took>>;

/// Of each node's attempts; nothing without their own logs.
#[derive(Debug, Default)]
pub(super) struct Starts {
    starts: Times,
    works: Times,
}

/// How many times slower than its peers a node starts and works, each as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Slower {
    pub(super) start: Option<f64>,
    pub(super) work: Option<f64>,
    /// Whether none of its starts is known to be of after the fault came: those that were under way may have been over by
    /// then.
    pub(super) may_have_started_before: bool,
}

impl Slower {
    pub(super) fn both(self) -> Option<(f64, f64)> {
        self.start.zip(self.work)
    }

    /// Whether it is known to start more slowly than its peers.
    pub(super) fn starts_slowly(self) -> bool {
        self.start.is_some_and(|start| start >= SLOW_START)
    }

    /// Whether it is known to start about as quickly.
    pub(super) fn starts_well(self) -> bool {
        !self.may_have_started_before && self.start.is_some_and(|start| start < SLOW_START)
    }
}

impl Starts {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut found = Self::default();
        let log_start: BTreeMap<AttemptId, Timestamp> =
            trace.tasks.iter().filter_map(|t| Some((t.id, t.log_start?))).gathered();
        if log_start.is_empty() {
            return found;
        }
        let is_am = |file: &&FileInfo| file.coverage.format.as_deref() == Some(formats::AM_SYSLOG);
        let masters: BTreeMap<JobId, NodeId> = (trace.files.iter().filter(is_am))
            .filter_map(|file| Some((ContainerId::find(file.path.as_bytes())?.job, file.node?)))
            .gathered();
        // A JobTracker's history, and the node's own daemons, tell of attempts by the node's clock.
        let ahead_ms = |state: &State, node: NodeId, job: JobId| {
            let told_by = trace.files.get(state.place.file.index()).and_then(|file| file.node);
            if job.is_dated() || told_by == Some(node) {
                return 0;
            }
            let master = masters.get(&job).map_or(0, |master| trace.clocks.ahead_ms(*master));
            trace.clocks.ahead_ms(node) - master
        };
        let kinds = [StateKind::Map, StateKind::Reduce].into_iter();
        for state in kinds.flat_map(|kind| trace.states.of_kind(kind)) {
            let (Some(node), Some(begin), Some(attempt)) = (state.node, state.start, state.attempt) else { continue };
            let Some(up) = log_start.get(&attempt) else { continue };
            let up = up.plus_millis(-ahead_ms(&state, node, attempt.job));
            let note = |times: &mut Times, from: Timestamp, done: Timestamp| {
                let ms = done.millis_since(from);
                if ms >= 0 {
                    let (job, kind) = (attempt.job, state.kind);
                    let took = Took { job, kind, ms: ms as f64, begin, done, end: state.end };
                    times.entry(node).or_default().push(took);
                }
            };
            note(&mut found.starts, begin, up);
            if state.kind == StateKind::Map && state.outcome == Some(Outcome::Success) {
                note(&mut found.works, up, state.end);
            }
        }
        found
    }

    /// In these jobs or this stretch of one, or in all; Maps are measured by Maps, Reduces by Reduces. What the node's own had
    /// done before `since` tells nothing, if some had not. An attempt that was under way when the fault came may have started
    /// before it: those that began once the first of them had started are asked, if there are some.
    pub(super) fn slower(
        &self,
        node: NodeId,
        elsewhere: &BTreeSet<NodeId>,
        scope: &Scope,
        since: Option<Timestamp>,
    ) -> Slower {
        let of = |by_node: &Times, own: &dyn Fn(&Took) -> bool| {
            let beside = |other: &NodeId| *other != node && !elsewhere.contains(other);
            let peers = || by_node.iter().filter(|(n, _)| beside(n)).map(|(_, times)| times.as_slice());
            let is_meant = |took: &&Took| scope.covers_end(Some(took.job), took.end);
            let usual = medians_by(peers().flatten().filter(is_meant).map(|took| (took.kind, took.ms)));
            // By upper quartiles, not medians: where nothing tells since when, the first may be of before the fault.
            let slow = |times: &[Took], asked: &dyn Fn(&Took) -> bool| {
                let meant = times.iter().filter(is_meant).filter(|took| asked(took));
                let beside = meant.filter_map(|took| Some(took.ms / usual.get(&took.kind).filter(|ms| **ms > 0.0)?));
                quantile(&sorted(beside), 0.75)
            };
            let own = slow(by_node.get(&node)?, own)?;
            let peers = sorted(peers().filter_map(|times| slow(times, &|_| true)));
            let typical = median(&peers)?;
            (typical > 0.0).then_some(own / typical)
        };
        let own_starts = self.starts.get(&node).into_iter().flatten();
        let first_up = own_starts.filter(|took| Some(took.begin) >= since).map(|took| took.done).min();
        let not_before = |took: &Took| Some(took.done) >= since;
        let of_after = first_up.filter(|_| since.is_some()).and_then(|up| of(&self.starts, &|took| took.begin >= up));
        let any = |by_node| of(by_node, &not_before).or_else(|| of(by_node, &|_| true));
        Slower {
            start: of_after.or_else(|| any(&self.starts)),
            work: any(&self.works),
            may_have_started_before: since.is_some() && of_after.is_none(),
        }
    }
}
