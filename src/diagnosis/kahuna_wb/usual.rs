//! How long work took in control runs: what slows all nodes alike shows beside them, and nowhere else (K09).
//!
//! ```text
//! wordcount, 48 maps of 1.0 MB on 6 nodes, no reduce     Map: median 10.4 s
//! this run, the same job                                 Map: 61 s on h1, 59 s on h2, 63 s on h3 …
//! ```
//! Only like is compared with like: a job of the same name and number of Reduces, with as many Maps, as much data for each, on as
//! many nodes, all three within a quarter. Of other work nothing is said. Of several such jobs the slowest counts; how far these
//! differ is kept beside it.
//! Cost: O(states · log states) a run; kept is a row for each different job, at most [`JOBS_KEPT`].

use super::gap::GAP_S;
use super::sample::seconds;
use super::{Number, STRONG_RATIO};
use crate::base::{Gathered, JobId, NodeId};
use crate::diagnosis::{MIN_PEERS, Numbers};
use crate::model::{Outcome, StateKind, TaskType, Trace};
use crate::stats::quantile::{median, sorted};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds that wait for no other node.
const TOLD_BY: [StateKind; 2] = [StateKind::Map, StateKind::ReduceReducer];
/// Different jobs kept: those of a year of control runs.
const JOBS_KEPT: usize = 5_000;
/// States of a control run's job from which their median is known.
const STATES: usize = 6;
/// What took less in control runs tells nothing by how many times as long it takes: the clocks of logs are no finer.
const MIN_TOLD_S: f64 = 0.001;
/// Counts and sizes that differ by less are alike.
const ALIKE: f64 = 1.25;

/// The median; 0 of nothing.
fn middle(values: &[f64]) -> f64 {
    median(&sorted(values.iter().copied())).unwrap_or(0.0)
}

/// What a job did, as far as its work depends on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Work {
    name: String,
    maps: u32,
    reduces: u32,
    nodes: u32,
    /// Bytes that its typical Map read, as far as counters tell.
    map_bytes: Option<u64>,
}

impl Work {
    /// `None` of a job without a name, or of which it is not known how much it had to do.
    fn of(trace: &Trace, id: JobId) -> Option<Self> {
        let job = trace.job(id)?;
        let tasks = trace.tasks_of(id);
        let nodes: BTreeSet<NodeId> = tasks.iter().filter_map(|task| task.node).gathered();
        let read = tasks.iter().filter(|task| task.task_type == TaskType::Map);
        let read = median(&sorted(read.filter_map(|task| task.counters.hdfs_read.get()).map(|bytes| bytes as f64)));
        Some(Self {
            name: job.name.as_deref()?.to_owned(),
            maps: job.maps?,
            reduces: job.reduces.unwrap_or(0),
            nodes: nodes.len() as u32,
            map_bytes: read.map(|bytes| bytes as u64),
        })
    }

    fn is_like(&self, other: &Self) -> bool {
        let alike = |a: f64, b: f64| a.max(b) <= ALIKE * a.min(b);
        self.name == other.name
            && self.reduces == other.reduces
            && alike(self.maps.into(), other.maps.into())
            && alike(self.nodes.into(), other.nodes.into())
            && match (self.map_bytes, other.map_bytes) {
                (Some(a), Some(b)) => alike(a as f64, b as f64),
                (a, b) => a == b,
            }
    }
}

/// How long the states of a kind took in the jobs of control runs that did the same work: medians, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Took {
    /// `None` where an earlier version kept the longest alone.
    least_s: Option<f64>,
    longest_s: f64,
}

impl Took {
    /// Of one job.
    const fn once(median_s: f64) -> Self {
        Self { least_s: Some(median_s), longest_s: median_s }
    }

    fn and(self, other: Self) -> Self {
        Self {
            least_s: self.least_s.zip(other.least_s).map(|(a, b)| a.min(b)),
            longest_s: self.longest_s.max(other.longest_s),
        }
    }

    /// How many times as long as the fastest job the slowest took; `None` of one job, and where that is not known.
    fn spread(&self) -> Option<f64> {
        let least_s = self.least_s.filter(|least| (MIN_TOLD_S..self.longest_s).contains(least))?;
        Some(self.longest_s / least_s)
    }

    fn is_sound(&self) -> bool {
        let is_time = |s: f64| s.is_finite() && s >= 0.0;
        is_time(self.longest_s) && self.least_s.is_none_or(|least| is_time(least) && least <= self.longest_s)
    }
}

/// How long the states of each kind took in the jobs of control runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usual {
    /// By work and kind.
    jobs: BTreeMap<Work, BTreeMap<String, Took>>,
}

/// What baselines of earlier versions keep: the longest alone.
#[derive(Debug, Default, Deserialize)]
pub struct UsualBefore {
    /// Rows of a map are written as those of a list are, whose code takes less room.
    jobs: Vec<(Work, Vec<(String, f64)>)>,
}

impl From<UsualBefore> for Usual {
    fn from(before: UsualBefore) -> Self {
        let of_work = |(work, kinds): (Work, Vec<(String, f64)>)| {
            let took = |longest_s| Took { least_s: None, longest_s };
            (work, kinds.into_iter().map(|(kind, longest_s)| (kind, took(longest_s))).gathered())
        };
        Self { jobs: before.jobs.into_iter().map(of_work).gathered() }
    }
}

/// How long the states of a kind took beside those of the same work in control runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BesideControls {
    /// Which states.
    pub kind: StateKind,
    /// How many times as long as in the slowest such job, on the typical node.
    pub times: f64,
    /// How many times as long as the fastest of them the slowest took; `None` of one, and where that is not known.
    pub spread: Option<f64>,
}

/// Of each node, how many times the control runs' each state took, and how much longer.
type Beyond = BTreeMap<NodeId, [Vec<f64>; 2]>;

impl Usual {
    /// Learns from one more control run; whether it has a job to compare others with, known already or not.
    pub fn update(&mut self, control: &Trace) -> bool {
        let mut told = false;
        let mut of_jobs: BTreeMap<(JobId, &str), Vec<f64>> = BTreeMap::new();
        for kind in TOLD_BY {
            for state in control.states.of_kind(kind).filter(|s| s.outcome == Some(Outcome::Success)) {
                if let (Some(job), Some(seconds)) = (state.job, seconds(control, &state)) {
                    of_jobs.entry((job, kind.name())).or_default().push(seconds);
                }
            }
        }
        for ((job, kind), lasted) in of_jobs {
            let (true, Some(work)) = (lasted.len() >= STATES, Work::of(control, job)) else { continue };
            if self.jobs.len() >= JOBS_KEPT && !self.jobs.contains_key(&work) {
                continue;
            }
            told = true;
            let took = Took::once(median(&sorted(lasted)).unwrap_or(0.0));
            self.jobs.entry(work).or_default().entry(kind.to_owned()).and_modify(|t| *t = t.and(took)).or_insert(took);
        }
        told
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Whether nothing in it is what no control run could have taught.
    pub(crate) fn is_sound(&self) -> bool {
        self.jobs.len() <= JOBS_KEPT && self.jobs.values().flat_map(BTreeMap::values).all(Took::is_sound)
    }

    /// How many different jobs were learned.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// The nodes on which states of a kind take far longer than the same work did on any in control runs, where these are most
    /// of those compared; else none.
    pub(super) fn slower(&self, trace: &Trace, kind: StateKind, peers: &[NodeId], numbers: &Numbers) -> Vec<NodeId> {
        let Some((beyond, _)) = self.beyond(trace, kind, peers, numbers) else { return Vec::new() };
        let is_slower = |[times, more]: &[Vec<f64>; 2]| middle(times) >= STRONG_RATIO && middle(more) >= GAP_S;
        let slower: Vec<NodeId> = beyond.iter().filter(|(_, of)| is_slower(of)).map(|(node, _)| *node).collect();
        let are_most = beyond.len() >= MIN_PEERS && 2 * slower.len() > peers.len();
        if are_most { slower } else { Vec::new() }
    }

    /// How long the states of each kind took beside control runs, where most nodes have some of work that these had too, and the
    /// typical one takes longer by what can be told from nothing.
    #[must_use]
    pub fn beside(&self, trace: &Trace, numbers: &Numbers) -> Vec<BesideControls> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let of_kind = |kind: StateKind| {
            let (beyond, known) = self.beyond(trace, kind, &peers, numbers)?;
            let typical =
                |at: fn(&[Vec<f64>; 2]) -> &[f64]| middle(&beyond.values().map(at).map(middle).collect::<Vec<f64>>());
            let (times, more_s) = (typical(|[times, _]| times), typical(|[_, more]| more));
            let is_told = beyond.len() >= MIN_PEERS && 2 * beyond.len() > peers.len() && more_s >= GAP_S;
            is_told.then_some(BesideControls { kind, times, spread: known.spread() })
        };
        TOLD_BY.into_iter().filter_map(of_kind).collect()
    }

    /// How far beyond control runs the states of a kind last on each node that has enough of work that these had, and what is
    /// known of that work, spread as far as that of the job with the farthest; `None` where it is of none.
    fn beyond(&self, trace: &Trace, kind: StateKind, peers: &[NodeId], numbers: &Numbers) -> Option<(Beyond, Took)> {
        if !TOLD_BY.contains(&kind) || self.is_empty() {
            return None;
        }
        let known = |job: JobId| {
            let work = Work::of(trace, job)?;
            let like = self.jobs.iter().filter(|(known, _)| known.is_like(&work));
            like.filter_map(|(_, took)| took.get(kind.name()).copied()).reduce(Took::and)
        };
        let mut of_jobs: BTreeMap<JobId, Option<Took>> = BTreeMap::new();
        let mut beyond = Beyond::new();
        for state in trace.states.of_kind(kind) {
            let (Some(job), Some(node)) = (state.job, state.node.filter(|node| peers.binary_search(node).is_ok()))
            else {
                continue;
            };
            let Some(usual) = *of_jobs.entry(job).or_insert_with(|| known(job)) else { continue };
            let usual = usual.longest_s;
            let Some(seconds) = seconds(trace, &state).filter(|_| usual >= MIN_TOLD_S) else { continue };
            let [times, more] = beyond.entry(node).or_default();
            times.push(seconds / usual);
            more.push(seconds - usual);
        }
        beyond.retain(|_, [times, _]| times.len() >= numbers.count(Number::WbStates));
        let spread = |took: &Took| took.spread().unwrap_or(1.0);
        let known = of_jobs.into_values().flatten().max_by(|a, b| spread(a).total_cmp(&spread(b)))?;
        Some((beyond, known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_baselines_kept_before_tells_no_spread() {
        let work = Work { name: "sort".into(), maps: 40, reduces: 4, nodes: 5, map_bytes: None };
        let before = BTreeMap::from([(work.clone(), BTreeMap::from([(String::from("Map"), 12.5)]))]);
        let read: UsualBefore = postcard::from_bytes(&postcard::to_stdvec(&before).unwrap()).unwrap();
        let took = Took { least_s: None, longest_s: 12.5 };
        assert_eq!(Usual::from(read).jobs, BTreeMap::from([(work, BTreeMap::from([(String::from("Map"), took)]))]));
        // Of as many as it may have been, one more does not tell how far they differ.
        assert_eq!((took.spread(), took.and(Took::once(10.0)).spread()), (None, None));
        let (one, two) = (Took::once(12.5), Took::once(12.5).and(Took::once(10.0)));
        assert_eq!((one.spread(), two.spread(), two.longest_s), (None, Some(1.25), 12.5));
    }

    #[test]
    fn times_that_none_can_be_are_not_sound() {
        let is_sound = |least_s, longest_s| Took { least_s, longest_s }.is_sound();
        assert!(is_sound(None, 0.0) && is_sound(Some(0.0), 0.0) && is_sound(Some(1.0), 2.0));
        assert!(!is_sound(None, -1.0) && !is_sound(Some(2.0), 1.0) && !is_sound(Some(1.0), f64::INFINITY));
        assert!(!is_sound(Some(f64::NAN), 1.0) && !is_sound(None, f64::NAN));
    }
}
