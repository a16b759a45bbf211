//! Fetches of map outputs that never end: a reduce waits for a node until it is killed or fails.
//!
//! ```text
//! reduce's own log    about to shuffle output of map … decomp: 1100010 …      and nothing more
//! who ran the reduce                                                            killed
//!                     h502 ├──────────────── waits for h501 ────────────────────┤ 105 s
//! the same job        the longest fetch from any other node: 0.5 s
//! ```
//! No line complains of it, so this does: the reduce's node, of the map's, when the reduce ends. A reduce that is killed
//! while it copies as usual complains of nobody, as what it was at had not lasted far longer than what ended. Nor does one
//! that waits for several nodes at once, which may stand still itself; nor one whose log goes on in another file, or was
//! gathered before the reduce ended, with that of the daemon that ran it.
//!
//! Assumes that the clocks of a reduce's node and of who tells its end are apart by less than [`LONG_MS`].
//! Cost: O(log attempts) an open fetch; where one lasted long, the tasks' logs are read once more.

use super::{Found, Input};
use crate::base::{Arrange, AttemptId, Gathered, JobId, Lookup, NodeId, Place, Timestamp};
use crate::model::{Complaint, ComplaintKind, Event, Topic, formats};
use std::collections::{BTreeMap, BTreeSet};

/// What is fetched for so long waits for something: a packet that is lost seven times over comes within 26 s (TCP's timer
/// of 200 ms doubles), and of what brings nothing for 180 s the reduce says itself that it failed
/// (`mapreduce.reduce.shuffle.read.timeout`).
const LONG_MS: i64 = 60_000;
/// It lasts so many times as long as the longest that ended: as far as complaints of a node must be above those of others.
const TIMES: f64 = 3.0;

/// Who runs the attempts of a node.
const RUNNERS: [&str; 2] = [formats::TASKTRACKER, formats::NODEMANAGER];

/// A fetch that a log begins and does not end.
pub(super) struct OpenFetch {
    pub(super) reduce: AttemptId,
    pub(super) map: AttemptId,
    /// Where the reduce ran.
    pub(super) by: Option<NodeId>,
    pub(super) at: Timestamp,
    pub(super) bytes: u64,
    pub(super) place: Place,
}

/// One that lasted long, as far as is known.
struct Open {
    begun: OpenFetch,
    by: NodeId,
    /// Where the map ran.
    from: NodeId,
    lasted_ms: i64,
}

/// Of fetches that ended, the longest in milliseconds and the largest in bytes.
#[derive(Clone, Copy, Default)]
struct Most {
    ms: i64,
    bytes: u64,
}

impl Most {
    fn or(self, other: Self) -> Self {
        Self { ms: self.ms.max(other.ms), bytes: self.bytes.max(other.bytes) }
    }

    /// Whether a fetch lasted far longer; what is larger than all of them may take longer in proportion.
    fn is_outlasted_by(self, open: &Open) -> bool {
        let larger = open.begun.bytes as f64 / self.bytes.max(1) as f64;
        open.lasted_ms as f64 >= TIMES * self.ms as f64 * larger.max(1.0)
    }
}

/// Has reduces complain that wait for one node until they end.
#[inline(never)]
pub(super) fn complain(
    input: &Input<'_>,
    ran_on: &Lookup<AttemptId, NodeId>,
    begun: Vec<OpenFetch>,
    found: &mut Found,
) {
    let mut open = long_ones(input, ran_on, begun, found);
    if open.is_empty() {
        return;
    }
    let logs = Logs::read(input, ran_on, &open);
    open.retain(|open| logs.last_begin.get(&open.begun.reduce).is_none_or(|begin| *begin <= open.begun.at));
    let mut nodes: BTreeMap<AttemptId, BTreeSet<NodeId>> = BTreeMap::new();
    for open in &open {
        nodes.entry(open.begun.reduce).or_default().insert(open.from);
    }
    open.retain(|open| nodes.get(&open.begun.reduce).is_some_and(|nodes| nodes.len() == 1));
    // Each reduce says it once, of the fetch that it began first.
    open.arrange_by(|open| (open.begun.reduce, open.begun.at, open.begun.place));
    open.dedup_by_key(|open| open.begun.reduce);
    open.retain(|open| logs.ended_elsewhere(open).is_some_and(|most| most.is_outlasted_by(open)));
    found.complaints.extend(open.into_iter().map(|Open { begun, by, from, lasted_ms }| Complaint {
        kind: ComplaintKind::FetchFailed,
        by: Some(by),
        of: Some(from),
        at: begun.at.plus_millis(lasted_ms),
        job: Some(begun.map.job),
        attempt: Some(begun.map),
        block: None,
        took_ms: u64::try_from(lasted_ms).ok(),
        place: begun.place,
    }));
}

/// Those from another node that lasted long: until the reduce ended, or for as long as it is known to have been under way.
fn long_ones(input: &Input<'_>, ran_on: &Lookup<AttemptId, NodeId>, begun: Vec<OpenFetch>, found: &Found) -> Vec<Open> {
    if begun.is_empty() {
        return Vec::new();
    }
    // Where the daemon that runs a node's attempts writes no more, it is gone, and they with it, or its log was gathered
    // then, and theirs too.
    let mut heard: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for file in RUNNERS.into_iter().flat_map(|format| input.files_of(format)) {
        if let Some((node, (_, last))) = file.node.zip(input.span(file)) {
            let latest = heard.entry(node).or_insert(last);
            *latest = last.max(*latest);
        }
    }
    let open = |begun: OpenFetch| {
        let (by, from) = (begun.by?, *ran_on.get(&begun.map)?);
        let told = found.copied_until.get(&begun.reduce).or_else(|| found.under_way.get(&begun.reduce))?;
        let until = heard.get(&by).map_or(*told, |heard| *told.min(heard));
        let lasted_ms = until.millis_since(begun.at);
        (by != from && lasted_ms >= LONG_MS).then_some(Open { begun, by, from, lasted_ms })
    };
    begun.into_iter().filter_map(open).collect()
}

/// What all tasks' logs tell beside some open fetches.
struct Logs {
    /// When the last log of each of the reduces begins.
    last_begin: BTreeMap<AttemptId, Timestamp>,
    /// The fetches of each of the jobs that ended, by the node that they came from.
    ended: BTreeMap<JobId, BTreeMap<Option<NodeId>, Most>>,
}

impl Logs {
    fn read(input: &Input<'_>, ran_on: &Lookup<AttemptId, NodeId>, open: &[Open]) -> Self {
        let reduces: BTreeSet<AttemptId> = open.iter().map(|open| open.begun.reduce).gathered();
        let ended = open.iter().map(|open| (open.begun.map.job, BTreeMap::new())).gathered();
        let mut logs = Self { last_begin: BTreeMap::new(), ended };
        for file in input.files_of(formats::TASK_SYSLOG) {
            for row in input.about(file, Topic::Tasks) {
                if let Event::TaskLog { attempt, .. } | Event::TaskLogCut { attempt, .. } = row.event
                    && reduces.contains(&attempt)
                {
                    let last = logs.last_begin.entry(attempt).or_insert(row.at);
                    *last = row.at.max(*last);
                }
            }
            input.each_about(file, Topic::Shuffle, &mut |row| {
                if let Event::Fetched { map, start, bytes, .. } = row.event
                    && let Some(of_job) = logs.ended.get_mut(&map.job)
                {
                    let most = of_job.entry(ran_on.get(&map).copied()).or_default();
                    *most = most.or(Most { ms: row.at.millis_since(start), bytes });
                }
            });
        }
        logs
    }

    /// Those of the same job from other nodes than that which is waited for; `None` if there are none.
    fn ended_elsewhere(&self, open: &Open) -> Option<Most> {
        let of_job = self.ended.get(&open.begun.map.job)?;
        of_job.iter().filter(|(from, _)| **from != Some(open.from)).map(|(_, most)| *most).reduce(Most::or)
    }
}
