//! How long a node's maps take to start their JVMs, and to work in them.
//!
//! ```text
//! assigned          first line of its own log                 done
//!    ├──── start ────┼───────────────── work ──────────────────┤
//! ```
//! Every attempt has a start. Work is that of attempts that ended well: one that was killed, failed or runs on tells how
//! long it was let, not how long its work takes. An assignment of Hadoop 2/3 is by the ApplicationMaster's clock, the first line
//! by the node's: skews that are certain are taken off, and what ends before it begins tells nothing. Cost: O(attempts · log attempts), once for a trace.

use crate::base::{AttemptId, ContainerId, Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::Scope;
use crate::model::{FileInfo, Outcome, State, StateKind, Trace, formats};
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// Milliseconds of each node's maps, whose they are and when they ended.
type Times = BTreeMap<NodeId, Vec<(JobId, Timestamp, f64)>>;

/// Of each node's maps; nothing without the maps' own logs.
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
}

impl Slower {
    pub(super) fn both(self) -> Option<(f64, f64)> {
        self.start.zip(self.work)
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
        for state in trace.states.of_kind(StateKind::Map) {
            let (Some(node), Some(begin), Some(attempt)) = (state.node, state.start, state.attempt) else { continue };
            let Some(up) = log_start.get(&attempt) else { continue };
            let up = up.plus_millis(-ahead_ms(&state, node, attempt.job));
            let note = |times: &mut Times, ms: i64| {
                if ms >= 0 {
                    times.entry(node).or_default().push((attempt.job, state.end, ms as f64));
                }
            };
            note(&mut found.starts, up.millis_since(begin));
            if state.outcome == Some(Outcome::Success) {
                note(&mut found.works, state.end.millis_since(up));
            }
        }
        found
    }

    /// In these jobs or this stretch of one, or in all.
    pub(super) fn slower(&self, node: NodeId, elsewhere: &BTreeSet<NodeId>, scope: &Scope) -> Slower {
        let times = |by_node: &Times| {
            // By upper quartiles, not medians: a node's first maps may have started before the fault.
            let slow = |times: &Vec<(JobId, Timestamp, f64)>| {
                let meant = times.iter().filter(|(job, end, _)| scope.covers_end(Some(*job), *end));
                quantile(&sorted(meant.map(|(.., ms)| *ms)), 0.75)
            };
            let own = slow(by_node.get(&node)?)?;
            let beside = |other: &NodeId| *other != node && !elsewhere.contains(other);
            let peers = sorted(by_node.iter().filter(|(n, _)| beside(n)).filter_map(|(_, times)| slow(times)));
            let typical = median(&peers)?;
            (typical > 0.0).then_some(own / typical)
        };
        Slower { start: times(&self.starts), work: times(&self.works) }
    }
}
