//! What kind of trouble a job had, by rule: Theia's Table 1 (T03) read as numbers.
//!
//! # Paper
//! Theia (;login: 2013), Table 1: an application problem shows on many nodes of one
//! job, a data skew on one task that has more data, an infrastructure problem on one
//! node. The paper leaves the decision to the eye; the rules and constants are ours.
//!
//! # Known misses
//! Only a job's own attempts are looked at; evidence across jobs comes from the verdict.

use crate::base::{AttemptId, JobId, NodeId};
use crate::model::{JobStatus, Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeSet;

/// Failures on so many of the job's nodes are not a node's.
const MANY_NODES: f64 = 0.5;
/// A task is skewed if it has so many times the median task's bytes…
const SKEW_BYTES: f64 = 4.0;
/// …and takes so many times its time.
const SKEW_TIME: f64 = 1.5;
/// Tasks of a type needed to call one of them skewed.
const SKEW_TASKS: usize = 4;

/// The classes of Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Nothing stands out.
    None,
    /// The job itself fails, wherever it runs.
    Application,
    /// One task has far more data than its peers.
    Skew,
    /// A node is at fault.
    Infrastructure,
}

impl Class {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Application => "application",
            Self::Skew => "skew",
            Self::Infrastructure => "infrastructure",
        }
    }
}

/// A job with its class.
#[derive(Clone, Debug, PartialEq)]
pub struct JobClass {
    /// The job.
    pub job: JobId,
    /// Its class.
    pub class: Class,
    /// The rule that fired, with its numbers.
    pub rule: String,
    /// The skewed task's node, whose slowness is explained by its data.
    pub skewed: Option<(AttemptId, NodeId)>,
}

/// Classifies every job, before any node is judged: application, skew or none.
#[must_use]
pub fn classify(trace: &Trace) -> Vec<JobClass> {
    trace
        .jobs
        .iter()
        .map(|job| {
            let tasks = trace.tasks_of(job.id);
            application(job.id, job.status, tasks).or_else(|| skew(trace, job.id, tasks)).unwrap_or_else(|| JobClass {
                job: job.id,
                class: Class::None,
                rule: "no rule fired".to_owned(),
                skewed: None,
            })
        })
        .collect()
}

fn application(job: JobId, status: JobStatus, tasks: &[TaskAttempt]) -> Option<JobClass> {
    let work = || tasks.iter().filter(|t| matches!(t.task_type, TaskType::Map | TaskType::Reduce));
    let nodes: BTreeSet<NodeId> = work().filter_map(|t| t.node).collect();
    let failing: BTreeSet<NodeId> =
        work().filter(|t| t.outcome == Some(Outcome::Failed)).filter_map(|t| t.node).collect();
    let failed = work().filter(|t| t.outcome == Some(Outcome::Failed)).count();
    let widely = failing.len() >= 2 && failing.len() as f64 > MANY_NODES * nodes.len() as f64;
    (widely && status != JobStatus::Running).then(|| JobClass {
        job,
        class: Class::Application,
        rule: format!(
            "{failed} attempts failed on {} of the {} nodes that worked for the job: more than half",
            failing.len(),
            nodes.len()
        ),
        skewed: None,
    })
}

/// Bytes that a task had to work through, by the counters that its history has.
fn bytes_in(t: &TaskAttempt) -> Option<f64> {
    let c = &t.counters;
    let bytes = match t.task_type {
        TaskType::Reduce => c.shuffle.or(c.file_read),
        _ => c.hdfs_read,
    };
    bytes.filter(|b| *b > 0).map(|b| b as f64)
}

fn skew(trace: &Trace, job: JobId, tasks: &[TaskAttempt]) -> Option<JobClass> {
    [TaskType::Reduce, TaskType::Map].into_iter().find_map(|task_type| {
        let done: Vec<(&TaskAttempt, f64, f64)> = tasks
            .iter()
            .filter(|t| t.task_type == task_type && t.outcome == Some(Outcome::Success))
            .filter_map(|t| Some((t, bytes_in(t)?, t.finish?.millis_since(t.start?) as f64 / 1000.0)))
            .collect();
        if done.len() < SKEW_TASKS {
            return None;
        }
        let typical_bytes = median(&sorted(done.iter().map(|(_, b, _)| *b)))?;
        let typical_s = median(&sorted(done.iter().map(|(.., s)| *s)))?;
        let (task, bytes, seconds) = done.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.id.cmp(&a.0.id)))?;
        let fires = bytes >= SKEW_BYTES * typical_bytes && seconds >= SKEW_TIME * typical_s;
        fires.then(|| JobClass {
            job,
            class: Class::Skew,
            rule: format!(
                "{} on {} took in {:.1} MB in {seconds:.1} s, the median {} {:.1} MB in {typical_s:.1} s",
                task.id,
                task.node.map_or("an unknown node", |n| trace.node_name(n)),
                bytes / 1e6,
                task_type.name().to_lowercase(),
                typical_bytes / 1e6,
            ),
            skewed: task.node.map(|node| (task.id, node)),
        })
    })
}
