//! Jobs and nodes in sums: small enough to travel with a report, and what two runs are
//! compared by. Cost: one pass over attempts and states, the durations of one kind on one node in memory.

use super::file::LONG_MS;
use super::json;
use crate::base::{Gathered, NodeId};
use crate::diagnosis::theia::survey::span_of;
use crate::model::{Job, Outcome, StateKind, TaskAttempt, TaskType, Trace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// One row a job, in order of id.
    #[serde(default)]
    pub jobs: Vec<JobSum>,
    /// One row a kind of state that there is.
    #[serde(default)]
    pub states: Vec<StateSum>,
}

/// A job in sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobSum {
    /// Its id.
    pub job: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it began, or was submitted, or its first attempt began: epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<i64>,
    /// When it ended, or its last attempt; of a job that still runs nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_ms: Option<i64>,
    /// Maps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maps: Option<u64>,
    /// Reduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduces: Option<u64>,
    /// Attempts that are known.
    #[serde(default)]
    pub attempts: u64,
    /// Those that failed.
    #[serde(default)]
    pub failed: u64,
    /// Read from HDFS and local disks, where counters tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<i64>,
    /// Written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<i64>,
    /// Moved from maps to reduces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shuffle_bytes: Option<i64>,
    /// Values of its configuration, numbers and booleans.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conf: BTreeMap<String, Value>,
}

impl JobSum {
    /// How long it took.
    #[must_use]
    pub fn millis(&self) -> Option<i64> {
        Some(self.finish_ms?.checked_sub(self.start_ms?)?).filter(|ms| *ms >= 0)
    }
}

/// All states of a kind, node by node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateSum {
    /// The kind.
    pub kind: String,
    /// Of each node.
    pub nodes: BTreeMap<String, NodeSum>,
}

/// The states of a kind on one node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeSum {
    /// How many.
    pub count: u64,
    /// How long all together; at most [`LONG_MS`].
    pub total_ms: i64,
    /// How long the middle one (of two, the mean).
    pub median_ms: i64,
}

/// Sums up a trace.
#[must_use]
pub fn of(trace: &Trace) -> Summary {
    Summary {
        jobs: trace.jobs.iter().map(|job| job_sum(trace, job)).collect(),
        states: StateKind::ALL.into_iter().filter_map(|kind| state_sum(trace, kind)).collect(),
    }
}

fn job_sum(trace: &Trace, job: &Job) -> JobSum {
    let tasks = trace.tasks_of(job.id);
    let [start, finish] = span_of(job, tasks);
    let sum = |of: fn(&TaskAttempt) -> [Option<i64>; 2]| {
        let known = tasks.iter().flat_map(of).flatten();
        known.fold(None, |sum: Option<i64>, bytes| Some(sum.unwrap_or(0).saturating_add(bytes)))
    };
    JobSum {
        job: job.id.to_string(),
        name: job.name.as_deref().map(str::to_owned),
        start_ms: start.map(|t| t.millis()),
        finish_ms: finish.map(|t| t.millis()),
        maps: job.maps.map(u64::from),
        reduces: job.reduces.map(u64::from),
        attempts: tasks.len() as u64,
        failed: tasks.iter().filter(|t| t.outcome == Some(Outcome::Failed)).count() as u64,
        read_bytes: sum(|t| [t.counters.hdfs_read.get(), t.counters.file_read.get()]),
        written_bytes: sum(|t| [t.counters.hdfs_written.get(), t.counters.file_written.get()]),
        shuffle_bytes: sum(|t| [t.counters.fetched().filter(|_| t.task_type == TaskType::Reduce), None]),
        conf: trace.confs.get(&job.id).map(conf).unwrap_or_default(),
    }
}

/// The values that are told, by name.
fn conf(conf: &crate::model::JobConf) -> BTreeMap<String, Value> {
    let Value::Object(fields) = json::value_of(conf) else { return BTreeMap::new() };
    fields.into_iter().filter(|(_, value)| value.is_number() || value.is_boolean()).gathered()
}

/// `None` where how long they took is not known of any.
fn node_sum(trace: &Trace, kind: StateKind, node: NodeId) -> Option<NodeSum> {
    let mut ms: Vec<i64> = Vec::new();
    trace.states.each_of_kind_on(kind, Some(node), &mut |state| ms.extend(state.millis()));
    let middle = ms.len().checked_sub(1)? / 2;
    let odd = !ms.len().is_multiple_of(2);
    let (_, low, above) = ms.select_nth_unstable(middle);
    let high = above.iter().copied().min().filter(|_| !odd).unwrap_or(*low);
    // Of an even number the mean of the two in the middle, as in the evidence.
    let median_ms = i64::midpoint(*low, high);
    let total_ms = ms.iter().fold(0_i64, |sum, ms| sum.saturating_add(*ms)).clamp(-LONG_MS, LONG_MS);
    Some(NodeSum { count: ms.len() as u64, total_ms, median_ms })
}

fn state_sum(trace: &Trace, kind: StateKind) -> Option<StateSum> {
    let nodes: BTreeMap<String, NodeSum> = trace
        .states
        .nodes_with(kind)
        .flatten()
        .filter_map(|node| Some((trace.node_name(node).to_owned(), node_sum(trace, kind, node)?)))
        .gathered();
    (!nodes.is_empty()).then(|| StateSum { kind: kind.name().to_owned(), nodes })
}
