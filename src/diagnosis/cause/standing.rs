//! Attempts that stand still.
//!
//! Like is compared with like: an attempt with the successes of its own job, as jobs differ in length. Only where the job has
//! none on other nodes are those of all jobs the measure.

use super::merges::{self, InMerge};
use crate::base::{AttemptId, JobId, NodeId, Timestamp};
use crate::model::{JobStatus, Outcome, StateKind, Trace};
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// Attempts that must have stood still, so that one bad record is no hang; by their weight.
pub const STANDING: usize = 2;
/// They last so many times as long as the longest success on the node itself: a slow node's
/// successes are slow too.
const BEYOND_OWN: f64 = 3.0;

/// What has not told of progress for so many times as long as others needed for all of it stands or spins, and need not have
/// lasted longer than that where a processor is taken: what a hog slows down goes on telling.
const SILENT: f64 = 1.5;

/// How late a TaskTracker may tell what ended.
const HEARTBEAT_MS: i64 = 3_000;

/// Attempts of a node that stand still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Of which kind.
    pub kind: StateKind,
    /// Those of each job that has some.
    pub jobs: Vec<StandingOfJob>,
}

/// Attempts of one job that stand still on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingOfJob {
    /// Whose attempts they are, where the logs tell.
    pub job: Option<JobId>,
    /// How many.
    pub attempts: usize,
    /// Each of them lasted longer than so many milliseconds…
    pub beyond_ms: i64,
    /// …and, but for those that stand in their merge, longer than so many.
    limit_ms: i64,
    /// The longest success elsewhere, in milliseconds.
    pub longest_ms: i64,
    /// Those of them that stand in their merge.
    pub in_merges: Vec<InMerge>,
}

impl StandingOfJob {
    /// As how many attempts they count: one that stands in its merge can be nothing but its node's, and counts as two.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.attempts + self.in_merges.len()
    }

    /// Whether an attempt of the job that lasted so long, and did not succeed, is one of them.
    #[must_use]
    pub fn holds(&self, attempt: Option<AttemptId>, ms: i64) -> bool {
        ms > self.limit_ms || self.in_merges.iter().any(|of| Some(of.attempt) == attempt)
    }
}

/// How the attempts of a kind ended, by job.
#[derive(Debug, Default)]
pub(super) struct Ends {
    jobs: BTreeMap<Option<JobId>, OfJob>,
    /// Of Reduces.
    in_merge: Vec<InMerge>,
}

#[derive(Debug, Default)]
struct OfJob {
    /// The longest and the shortest success of each node in milliseconds.
    done: Vec<Done>,
    without_success: Vec<WithoutSuccess>,
}

#[derive(Debug)]
struct Done {
    node: Option<NodeId>,
    longest_ms: i64,
    shortest_ms: i64,
    /// When the last of its successes ended.
    last: Option<Timestamp>,
}

#[derive(Debug)]
struct WithoutSuccess {
    node: Option<NodeId>,
    attempt: Option<AttemptId>,
    ms: Option<i64>,
    /// For how long it had not told of progress, in milliseconds, where that is told.
    silent_ms: Option<i64>,
    /// When it began, if a rival elsewhere came to the end before it.
    overtaken: Option<Timestamp>,
    /// It may still have succeeded: it ran when its log ended, or when its job was killed or failed.
    broken_off: bool,
}

impl WithoutSuccess {
    fn outlasts(&self, limit: f64) -> bool {
        self.ms.is_some_and(|ms| ms as f64 > limit)
    }
}

/// The longest success, in milliseconds, on the nodes that are meant.
fn longest<'a>(of: impl IntoIterator<Item = &'a OfJob>, is_meant: impl Fn(Option<NodeId>) -> bool) -> i64 {
    let nodes = of.into_iter().flat_map(|of| &of.done);
    nodes.filter(|done| is_meant(done.node)).map(|done| done.longest_ms).fold(0, i64::max)
}

/// By how many milliseconds the job's successes on the nodes that are meant differ: one more may be as much longer again
/// than the longest, and a heartbeat late.
fn spread(of: &OfJob, is_meant: impl Fn(Option<NodeId>) -> bool) -> i64 {
    let done = || of.done.iter().filter(|done| is_meant(done.node));
    let shortest = done().map(|done| done.shortest_ms).min();
    let longest = done().map(|done| done.longest_ms).max();
    shortest.zip(longest).map_or(0, |(shortest, longest)| longest - shortest + HEARTBEAT_MS)
}

impl Ends {
    pub(super) fn of(trace: &Trace, kind: StateKind) -> Self {
        let mut ends = Self::default();
        if kind == StateKind::Reduce {
            ends.in_merge = merges::standing(trace);
        }
        for s in trace.states.of_kind(kind).map(|s| trace.as_told(s)) {
            let of = ends.jobs.entry(s.job).or_default();
            if s.outcome == Some(Outcome::Success) {
                let ms = s.millis().unwrap_or(0);
                match of.done.last_mut() {
                    // States of a kind are in order of their nodes.
                    Some(done) if done.node == s.node => {
                        (done.longest_ms, done.shortest_ms) = (ms.max(done.longest_ms), ms.min(done.shortest_ms));
                        done.last = done.last.max(Some(s.end));
                    }
                    _ => of.done.push(Done { node: s.node, longest_ms: ms, shortest_ms: ms, last: Some(s.end) }),
                }
            } else {
                let is_cut_short = || {
                    let status = s.job.and_then(|job| trace.job(job)).map(|job| job.status);
                    s.outcome == Some(Outcome::Killed) && matches!(status, Some(JobStatus::Killed | JobStatus::Failed))
                };
                let broken_off = s.open || is_cut_short();
                let lost =
                    s.attempt.and_then(|id| trace.task(id)).filter(|t| trace.tries_of(t.id).any(|r| t.lost_to(r)));
                let overtaken = lost.and(s.start);
                let ms = s.millis();
                of.without_success.push(WithoutSuccess {
                    node: s.node,
                    attempt: s.attempt,
                    ms,
                    silent_ms: ms.zip(s.attempt).and_then(|(ms, id)| trace.silent_ms(id, ms)),
                    overtaken,
                    broken_off,
                });
            }
        }
        ends
    }

    /// The attempts that stand still on a node, by job. `beside` are the nodes to compare with, of whose longest success
    /// they must have lasted `spinning` times as long, or [`SILENT`] times, if that is less and they do not get on. Where
    /// others have such in other jobs, as one straggler in each of many jobs may be, only jobs with [`STANDING`] of them
    /// count.
    pub(super) fn standing_on(
        &self,
        node: NodeId,
        beside: impl Fn(Option<NodeId>) -> bool,
        spinning: f64,
    ) -> Vec<StandingOfJob> {
        let is_here = |other: Option<NodeId>| other == Some(node);
        let of_all = LazyCell::new(|| [longest(self.jobs.values(), &beside), longest(self.jobs.values(), is_here)]);
        let mut found = Vec::new();
        for (job, of) in self.jobs.iter().filter(|(_, of)| of.without_success.iter().any(|w| is_here(w.node))) {
            let own = [longest([of], &beside), longest([of], is_here)];
            let [longest_ms, longest_here] = if own[0] > 0 { own } else { *of_all };
            let spread_ms = spread(of, &beside);
            let beyond_others = |times: f64| (longest_ms as f64 * times).max((longest_ms + spread_ms) as f64);
            let beyond_all = |times: f64| beyond_others(times).max(longest_here as f64 * BEYOND_OWN);
            let times = |w: &WithoutSuccess| times_needed(w.silent_ms, longest_ms, spinning);
            // What a rival overtook may have been long for what it had to do: a node that hangs brings no other to the end
            // when it is overdue.
            let last = of.done.iter().filter(|done| is_here(done.node)).filter_map(|done| done.last).max();
            let overdue = |w: &WithoutSuccess, began: Timestamp| began.plus_millis(beyond_all(times(w)) as i64);
            let is_of_its_own = |w: &WithoutSuccess| w.overtaken.is_some_and(|began| last > Some(overdue(w, began)));
            // Those that merge are known to do so quickly there.
            let in_merge = |w: &WithoutSuccess| self.in_merge.iter().find(|of| Some(of.attempt) == w.attempt).copied();
            let outlasts = |w: &WithoutSuccess| {
                w.outlasts(beyond_all(times(w))) || (w.outlasts(beyond_others(times(w))) && in_merge(w).is_some())
            };
            let stands = |w: &&WithoutSuccess| is_here(w.node) && outlasts(w) && !is_of_its_own(w);
            let attempts = of.without_success.iter().filter(stands).count();
            let in_merges: Vec<InMerge> = of.without_success.iter().filter(stands).filter_map(in_merge).collect();
            let [limit, least] = [beyond_all(spinning), beyond_others(spinning)];
            let beyond = if in_merges.is_empty() { limit } else { least };
            // Nobody else's fail, and none here but those.
            let is_of_it = |w: &WithoutSuccess| match is_here(w.node) {
                true => w.broken_off || outlasts(w),
                false => !beside(w.node) || (w.broken_off && !w.outlasts(limit)),
            };
            if attempts > 0 && of.without_success.iter().all(is_of_it) {
                found.push(StandingOfJob {
                    job: *job,
                    attempts,
                    beyond_ms: beyond as i64,
                    limit_ms: limit as i64,
                    longest_ms,
                    in_merges,
                });
            }
        }
        if !found.is_empty() && self.others_stand(&beside) {
            found.retain(|of| of.weight() >= STANDING);
        }
        found
    }

    /// Whether an attempt on one of these nodes outlasts every success of its job on all of them, and never succeeds.
    fn others_stand(&self, beside: impl Fn(Option<NodeId>) -> bool) -> bool {
        self.jobs.values().any(|of| {
            let longest = longest([of], &beside);
            longest > 0 && of.without_success.iter().any(|w| beside(w.node) && w.outlasts(longest as f64))
        })
    }
}

/// How many times as long as what needed so many milliseconds for all of it another must have lasted: so many, or [`SILENT`]
/// times, if that is less and it had told of no progress for so much longer.
pub(super) fn times_needed(silent_ms: Option<i64>, needed_ms: i64, times: f64) -> f64 {
    let is_silent = silent_ms.is_some_and(|ms| needed_ms > 0 && ms as f64 > needed_ms as f64 * SILENT);
    if is_silent { times.min(SILENT) } else { times }
}

/// Whether those are enough.
pub(super) fn are_enough(jobs: &[StandingOfJob]) -> bool {
    jobs.iter().map(StandingOfJob::weight).sum::<usize>() >= STANDING
}
