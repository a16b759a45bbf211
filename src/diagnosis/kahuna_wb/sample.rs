//! States as the comparison sees them: how long each lasted, and beside which others.

use crate::base::{JobId, NodeId, Timestamp};
use crate::diagnosis::kept_open;
use crate::model::{State, StateKind, Trace};
use crate::stats::quantile::medians_by;
use std::collections::BTreeMap;

/// Added to durations of kinds that last milliseconds: below this, differences are noise.
const SHORT_STATE_S: f64 = 0.25;
/// Shortest duration told apart for the other kinds: the log's own resolution.
pub(super) const RESOLUTION_S: f64 = 0.001;

/// States that would last as long on any node: those of a job, and of its localisations those that find what the job
/// needs on their node already, which take no time beside those that fetch it. A node on which the job ran few containers
/// has more of these and is no slower.
pub(super) type Group = (Option<JobId>, bool);

/// One state as the method sees it.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Its place among the nodes compared.
    pub(super) node: usize,
    pub(super) group: Group,
    pub(super) seconds: f64,
    pub(super) x: f64,
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    /// It was under way when the logs end, or was killed: it would have lasted longer.
    pub(super) broken_off: bool,
}

impl Sample {
    /// The job that it is of.
    pub(super) const fn job(&self) -> Option<JobId> {
        self.group.0
    }

    /// When it ended, or was last known to be under way.
    pub(super) fn known_end(&self) -> Timestamp {
        self.start.plus_millis((self.seconds * 1000.0) as i64)
    }
}

/// Durations below which a kind's differences are noise, added before the logarithm.
const fn added_s(kind: StateKind) -> f64 {
    match kind {
        StateKind::ReadBlock | StateKind::WriteBlock | StateKind::Localize | StateKind::ReduceMergeCopy => {
            SHORT_STATE_S
        }
        _ => 0.0,
    }
}

/// A duration with what is added to those of its kind.
pub(super) fn compared_s(kind: StateKind, seconds: f64) -> f64 {
    let added = added_s(kind);
    seconds.max(RESOLUTION_S - added) + added
}

/// How long a state lasted, as far as is known: one that is open is as old as the log that
/// tells of it, which may have been cut or taken earlier than the others; or older, where its attempt was under way for
/// certain. `None` where it began some time before it is told of.
pub(super) fn seconds(trace: &Trace, state: &State) -> Option<f64> {
    let begins_attempt = matches!(state.kind, StateKind::Map | StateKind::Reduce | StateKind::ReduceCopy);
    if begins_attempt && state.attempt.is_some_and(|attempt| trace.began_before.contains(&attempt)) {
        return None;
    }
    let told = || trace.readings.get(state.place.file.0 as usize)?.span.map(|(_, last)| last);
    let known = match (state.open, state.start) {
        (true, Some(start)) => {
            let under_way = state.attempt.and_then(|attempt| trace.under_way.get(&attempt).copied());
            told().max(under_way).map(|last| last.max(start).min(state.end).millis_since(start))
        }
        _ => None,
    };
    known.or_else(|| state.millis()).map(|ms| ms as f64 / 1000.0)
}

/// Tells the states of a kind that say nothing of their node. The line that ends a transfer names its client: open ones are
/// no peers of those whose client is known, and beside small files that no job wrote they would look slow. Nor are blocks that
/// their writer keeps open.
pub(super) fn nobodys(trace: &Trace, kind: StateKind) -> impl Fn(&State) -> bool + '_ {
    let is_known = |s: &State| s.job.is_some() || trace.is_state_of_others(s);
    let by_client = matches!(kind, StateKind::ReadBlock | StateKind::WriteBlock)
        && trace.states.of_kind(kind).any(|s| !s.open && is_known(&s));
    let is_kept_open = |s: &State| seconds(trace, s).zip(s.bytes).is_some_and(|(s, bytes)| kept_open::is_so(s, bytes));
    move |s| {
        let of_others = kind == StateKind::WriteBlock && trace.is_state_of_others(s);
        s.job.is_none() && (s.open && by_client || of_others && is_kept_open(s))
    }
}

/// Jobs do different work: durations are compared within a job (K13's "same job"), in the groups of it. Those that lie beside
/// are measured by the same; of other groups nothing can be said.
pub(super) fn subtract_medians(samples: &mut [Sample], beside: &mut Vec<Sample>) {
    let medians = medians_by(samples.iter().map(|sample| (sample.group, sample.x)));
    beside.retain(|sample| medians.contains_key(&sample.group));
    for sample in samples.iter_mut().chain(beside) {
        sample.x -= medians.get(&sample.group).copied().unwrap_or(0.0);
    }
}

/// When the first container of each job on each node had what the job needs, where the kind is to fetch that.
pub(super) fn fetched(trace: &Trace, kind: StateKind) -> BTreeMap<(NodeId, Option<JobId>), Timestamp> {
    let mut fetched = BTreeMap::new();
    if kind != StateKind::Localize {
        return fetched;
    }
    for state in trace.states.of_kind(kind) {
        let Some(node) = state.node else { continue };
        let first = fetched.entry((node, state.job)).or_insert(state.end);
        *first = state.end.min(*first);
    }
    fetched
}
