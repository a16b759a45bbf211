//! Whether a reduce's phase that is long by two clocks is long by one.
//!
//! In YARN a reduce begins and ends by its ApplicationMaster's clock, and ends its copy and its sort by its node's
//! (`TaskAttemptListenerImpl.statusUpdate`, 0.23 to 3.x):
//!
//! ```text
//! ApplicationMaster   start      last map                       finish
//! node                  └─ ReduceCopy ─┘ shuffle   sort └─ ReduceReducer ─┘
//!                                └───────────── tail ──────────────┘
//! ```
//! On a node whose clock lags by 15 s each ReduceReducer lasts 15 s more than on its peers, on one that is ahead each
//! ReduceCopy. A node that is slow also ends its reduces later after the job's last map, by the one clock (X9).
//! Cost: O(maps + reduces).

use super::seconds;
use crate::base::{AttemptId, Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::Scope;
use crate::model::{Outcome, StateKind, Trace};
use crate::stats::quantile::{median, medians_by, sorted};
use std::collections::BTreeMap;

/// The tail has to be longer by this share of what the phase is longer.
const SHARE: f64 = 0.5;

/// Whether what a node's phases are longer than those of its job's others shows in the tails of its reduces; of other kinds,
/// and where all is by one clock, there is nothing to show.
#[must_use]
pub(super) fn bear_out(trace: &Trace, kind: StateKind, node: NodeId, scope: &Scope) -> bool {
    if !matches!(kind, StateKind::ReduceCopy | StateKind::ReduceReducer) {
        return true;
    }
    let last_maps = last_maps(trace);
    let tails: BTreeMap<AttemptId, f64> = trace
        .states
        .of_kind(StateKind::Reduce)
        .filter_map(|state| {
            let (start, job) = (state.start?, state.job?);
            let end_s = seconds(trace, &state)?;
            let waited_s = last_maps.get(&job).map_or(0, |last| last.millis_since(start)).max(0) as f64 / 1000.0;
            Some((state.attempt?, end_s - waited_s))
        })
        .gathered();
    let both: Vec<(JobId, NodeId, [f64; 2])> = trace
        .states
        .of_kind(kind)
        .filter_map(|state| {
            let job = state.job.filter(|job| !job.is_dated() && scope.covers_end(Some(*job), state.end))?;
            Some((job, state.node?, [seconds(trace, &state)?, *tails.get(&state.attempt?)?]))
        })
        .collect();
    let longer_by = |which: fn(&[f64; 2]) -> f64| {
        let usual = medians_by(both.iter().filter(|(_, on, _)| *on != node).map(|(job, _, s)| (*job, which(s))));
        let own = both.iter().filter(|(_, on, _)| *on == node);
        median(&sorted(own.filter_map(|(job, _, s)| Some(which(s) - usual.get(job)?))))
    };
    let (phase, tail) = (longer_by(|[phase, _]| *phase), longer_by(|[_, tail]| *tail));
    phase.zip(tail).is_none_or(|(phase, tail)| tail >= SHARE * phase)
}

/// When the last map of each job ended.
fn last_maps(trace: &Trace) -> BTreeMap<JobId, Timestamp> {
    let mut last: BTreeMap<JobId, Timestamp> = BTreeMap::new();
    for state in trace.states.of_kind(StateKind::Map).filter(|state| state.outcome == Some(Outcome::Success)) {
        if let Some(job) = state.job {
            let held = last.entry(job).or_insert(state.end);
            *held = state.end.max(*held);
        }
    }
    last
}
