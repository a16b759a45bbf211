//! How long work took in control runs: what slows all nodes alike shows beside them, and nowhere else (K09).
//!
//! ```text
//! wordcount, 48 maps of 1.0 MB on 6 nodes, no reduce     Map: median 10.4 s
//! this run, the same job                                 Map: 61 s on h1, 59 s on h2, 63 s on h3 …
//! ```
//! Only like is compared with like: a job of the same name and number of Reduces, with as many Maps, as much data for each, on as
//! many nodes, all three within a quarter. Of other work nothing is said. Of several control runs the slowest counts.
//! Cost: O(states · log states) a run; kept is a row for each different job, at most [`JOBS_KEPT`].

use super::gap::GAP_S;
use super::peers::seconds;
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
/// Counts and sizes that differ by less are alike.
const ALIKE: f64 = 1.25;

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

/// How long the states of each kind took in the jobs of control runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usual {
    /// The longest median of any run, in seconds, by kind.
    jobs: BTreeMap<Work, BTreeMap<String, f64>>,
}

impl Usual {
    /// Learns from one more control run.
    pub fn update(&mut self, control: &Trace) {
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
            let longest = self.jobs.entry(work).or_default().entry(kind.to_owned()).or_default();
            *longest = median(&sorted(lasted)).unwrap_or(0.0).max(*longest);
        }
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// How many different jobs were learned.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// The nodes on which states of a kind take far longer than the same work did on any in control runs, where these are most
    /// of those compared; else none.
    pub(super) fn slower(&self, trace: &Trace, kind: StateKind, peers: &[NodeId], numbers: &Numbers) -> Vec<NodeId> {
        if !TOLD_BY.contains(&kind) || self.is_empty() {
            return Vec::new();
        }
        let limit = |job: JobId| {
            let work = Work::of(trace, job)?;
            let like = self.jobs.iter().filter(|(known, _)| known.is_like(&work));
            like.filter_map(|(_, longest)| longest.get(kind.name()).copied()).reduce(f64::max)
        };
        let mut limits: BTreeMap<JobId, Option<f64>> = BTreeMap::new();
        // Of each node, how many times the control runs' each state took, and how much longer.
        let mut beyond: BTreeMap<NodeId, [Vec<f64>; 2]> = BTreeMap::new();
        for state in trace.states.of_kind(kind) {
            let (Some(job), Some(node)) = (state.job, state.node.filter(|node| peers.contains(node))) else { continue };
            let Some(usual) = *limits.entry(job).or_insert_with(|| limit(job)) else { continue };
            let Some(seconds) = seconds(trace, &state).filter(|_| usual > 0.0) else { continue };
            let [times, more] = beyond.entry(node).or_default();
            times.push(seconds / usual);
            more.push(seconds - usual);
        }
        beyond.retain(|_, [times, _]| times.len() >= numbers.count(Number::WbStates));
        let middle = |values: &[f64]| median(&sorted(values.iter().copied())).unwrap_or(0.0);
        let is_slower = |[times, more]: &[Vec<f64>; 2]| middle(times) >= STRONG_RATIO && middle(more) >= GAP_S;
        let slower: Vec<NodeId> = beyond.iter().filter(|(_, of)| is_slower(of)).map(|(node, _)| *node).collect();
        let are_most = beyond.len() >= MIN_PEERS && 2 * slower.len() > peers.len();
        if are_most { slower } else { Vec::new() }
    }
}
