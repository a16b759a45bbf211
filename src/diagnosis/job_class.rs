//! What kind of trouble a job had, by rule: Theia's Table 1 (T03) read as numbers.
//!
//! ```text
//!                 application           skew                    infrastructure
//! time            one job               one job                 many jobs (or one, badly)
//! space           many nodes            where the data are      one node
//! value           attempts fail         more data, longer       attempts fail or are slow
//! ```
//! The first rule that holds gives the class:
//!
//! ```text
//! application     attempts of several tasks fail on most nodes that ran such tasks, a tenth of them at least
//!                 a task failed for good, on two nodes or more, or on one that others succeeded on
//!                 the same of one task
//!                 the job failed before any attempt ran, as far as the logs tell
//! skew            few tasks with four times the usual data take longer, and the job waits; it may
//!                 have been given up meanwhile
//!                 one task gets half of the data of all, and ends last
//! infrastructure  an incident of a node ([`super::theia`]) made the job suffer
//!                 four bad attempts or more on one node, half of its own, elsewhere few
//!                 the verdict names a node on which it ran, or through which its data moved (`verdict/blame.rs`)
//! ```
//! # Paper
//! Theia (;login: 2013), Table 1. The paper leaves the decision to the eye; the rules and
//! constants are ours. An attempt whose error blames its node, a master, HDFS or the network between nodes
//! ([`is_of_the_cluster`]) does not speak of the application.
//!
//! # Known misses
//! A fault of a node that moved none of the job's attempts; an application that is only slow; a node through which alone
//! blocks went that were never written to their end, as nothing tells whose those are.

use super::Reading;
use super::theia::survey::{Side, Survey, Work, own_begins};
use super::theia::{Incident, IncidentKind, outrun};
use crate::base::{AttemptId, Gathered, JobId, NodeId, Timestamp};
use crate::model::errors::is_of_the_cluster;
use crate::model::{FlowKind, JobStatus, Outcome, TaskAttempt, TaskType, Trace, formats};
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// Tries that a task of a killed job had: of fewer nobody knows what the next would have done.
const TRIES_OF_KILLED: usize = 3;
/// Failures on so many of the job's nodes are not a node's.
const MANY_NODES: f64 = 0.5;
/// And so many of the attempts: in a large job single failures reach most nodes too.
const MANY_ATTEMPTS: f64 = 0.1;
/// A task is skewed if it has so many times the median task's bytes…
const SKEW_BYTES: f64 = 4.0;
/// …and so many times those of the upper quartile: a mixture of large and small files is
/// not one large task…
const SKEW_BYTES_UPPER: f64 = 2.0;
/// …and, for a map, those of so many blocks: a map of one block among small files is an
/// ordinary map, and none is larger unless its file cannot be split.
const SKEW_BLOCKS: f64 = 2.0;
/// Or it gets this share of the bytes of all tasks of its type, blocks of them, and ends last: no key is spread worse,
/// however soon a machine that has nothing else left to do is done with it.
const SKEW_SHARE: f64 = 0.5;
/// …and takes so many times the median's time.
const SKEW_TIME: f64 = 1.5;
/// The job waits for skewed tasks if this share of the phase is left when all others are done.
const SKEW_WAIT: f64 = 0.1;
/// Tasks of a type needed to call one of them skewed.
const SKEW_TASKS: usize = 4;
/// Bad attempts on one node that one job alone blames it for…
const ALONE_BAD: u32 = 4;
/// …if they are this share of its attempts…
const ALONE_SHARE: f64 = 0.5;
/// …and no other node has more than this share of so many…
const ALONE_OTHERS: f64 = 0.25;
/// …and so many failed, or its attempts took so many times as long as its peers': neighbours
/// on a node make one job half as slow again now and then.
const ALONE_SLOWER: f64 = 2.0;

/// Between a rule and the error that it quotes from the logs. No rule has it elsewhere.
pub const QUOTES: &str = ": ";

/// What is said of a job of which there is no more to say.
pub const NO_RULE: &str = "no rule fired";

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
    /// All, in order.
    pub const ALL: [Self; 4] = [Self::None, Self::Application, Self::Skew, Self::Infrastructure];

    /// The class of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.name() == name)
    }

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

    /// Who acts (T02); `None` where nothing is to be done.
    #[must_use]
    pub const fn who(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Application | Self::Skew => Some("job-owner"),
            Self::Infrastructure => Some("operator"),
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

impl JobClass {
    fn new(job: JobId, class: Class, rule: String) -> Self {
        Self { job, class, rule, skewed: None }
    }
}

/// Classifies every job by its own attempts.
#[must_use]
pub fn classify(trace: &Trace) -> Vec<JobClass> {
    let peers: Vec<NodeId> = trace.peer_nodes().collect();
    let survey = Survey::of(trace, &peers, Reading::Usual);
    let received = received(trace);
    let index: BTreeMap<JobId, usize> = survey.jobs().iter().enumerate().map(|(i, j)| (j.id, i)).gathered();
    trace
        .jobs
        .iter()
        .map(|job| {
            let tasks = trace.tasks_of(job.id);
            let works = || index.get(&job.id).map(|i| survey.works(*i)).unwrap_or_default();
            application(trace, job.id, job.status, tasks)
                .or_else(|| skew(trace, job.id, tasks, &received))
                .or_else(|| one_node(trace, job.id, works()))
                .unwrap_or_else(|| JobClass::new(job.id, Class::None, no_rule(tasks)))
        })
        .collect()
}

/// What is said where nothing stands out, with what speculation has cost.
fn no_rule(tasks: &[TaskAttempt]) -> String {
    let outrun = outrun::counts(tasks).into_iter().filter(|(_, count)| *count > 0).map(|(kind, count)| {
        let kind = kind.state_kind().name();
        match count {
            1 => format!("; 1 {kind} of it was outrun by a speculative attempt"),
            _ => format!("; {count} {kind}s of it were outrun by speculative attempts"),
        }
    });
    std::iter::once(String::from(NO_RULE)).chain(outrun).collect()
}

/// Jobs without trouble of their own that suffered from a node's incident.
pub fn blame_incidents(trace: &Trace, jobs: &mut [JobClass], incidents: &[Incident]) {
    // A job that a node was not given ran without it.
    for incident in incidents.iter().filter(|i| i.kind == IncidentKind::WentWrong) {
        for id in &incident.jobs {
            let found = jobs.binary_search_by_key(id, |j| j.job).ok().and_then(|at| jobs.get_mut(at));
            if let Some(job) = found.filter(|j| j.class == Class::None) {
                job.class = Class::Infrastructure;
                job.rule = incident.in_words(trace);
            }
        }
    }
}

/// Whether an attempt failed by itself, as far as its error tells.
fn failed_itself(t: &TaskAttempt) -> bool {
    t.outcome == Some(Outcome::Failed) && !t.error.as_deref().is_some_and(is_of_the_cluster)
}

fn application(trace: &Trace, job: JobId, status: JobStatus, tasks: &[TaskAttempt]) -> Option<JobClass> {
    (status != JobStatus::Running)
        .then(|| {
            let (widely, for_good) = (fails_widely(tasks), failed_for_good(status, tasks));
            let told = if several_fail(tasks) { widely.or(for_good) } else { for_good.or(widely) };
            told.or_else(|| failed_at_once(trace, job, status, tasks))
        })
        .flatten()
        .map(|rule| JobClass::new(job, Class::Application, rule))
}

/// A task that failed in a job that failed, or often in one that was killed, and succeeded nowhere: on several nodes, as
/// Hadoop tries a task again elsewhere, or on one that brings others to their end meanwhile. So no node is at fault.
fn failed_for_good(status: JobStatus, tasks: &[TaskAttempt]) -> Option<String> {
    let (least, end) = match status {
        JobStatus::Failed => (1, "and the job with it"),
        JobStatus::Killed => (TRIES_OF_KILLED, "and succeeded nowhere until the job was killed"),
        _ => return None,
    };
    let same = |a: &TaskAttempt, b: &TaskAttempt| a.id.letter == b.id.letter && a.id.task == b.id.task;
    // Of several such tasks the one tried most often used up its tries.
    let failed = tasks.chunk_by(same).filter_map(|attempts| {
        let failed: Vec<&TaskAttempt> = attempts.iter().filter(|t| failed_itself(t)).collect();
        let nodes: BTreeSet<NodeId> = failed.iter().filter_map(|t| t.node).gathered();
        let succeeded = attempts.iter().any(|t| t.outcome == Some(Outcome::Success));
        let elsewhere = nodes.len() >= 2 || (failed.len() >= 2 && others_succeed_beside(&failed, tasks));
        (failed.len() >= least && elsewhere && !succeeded).then_some((failed, nodes.len()))
    });
    let (failed, nodes) = failed.reduce(|most, next| if next.0.len() > most.0.len() { next } else { most })?;
    let first = failed.first()?;
    let error = first.error.as_deref().map_or_else(String::new, |e| format!("{QUOTES}{e}"));
    let on = if nodes == 1 { String::from("a node that others succeeded on") } else { format!("{nodes} nodes") };
    Some(format!("{} failed {} times on {on} {end}{error}", first.id.task_name(), failed.len()))
}

/// Whether other tasks of the kind succeeded on the node of these failures, after the first of them began.
fn others_succeed_beside(failed: &[&TaskAttempt], tasks: &[TaskAttempt]) -> bool {
    let Some(first) = failed.first() else { return false };
    let begun = failed.iter().filter_map(|t| t.start).min();
    let mut beside = tasks.iter().filter(|t| t.id.letter == first.id.letter && t.node == first.node);
    beside.any(|t| t.outcome == Some(Outcome::Success) && t.finish > begun)
}

/// Whether more than one task fails by itself: one may be a task with data that nobody can read.
fn several_fail(tasks: &[TaskAttempt]) -> bool {
    let mut failed = tasks.iter().filter(|t| failed_itself(t)).map(|t| (t.id.letter, t.id.task));
    let first = failed.next();
    failed.any(|task| Some(task) != first)
}

/// Failures on most nodes that ran such tasks.
fn fails_widely(tasks: &[TaskAttempt]) -> Option<String> {
    Side::BOTH.into_iter().find_map(|side| {
        let work = || tasks.iter().filter(|t| Side::of(t.task_type) == Some(side));
        let nodes: BTreeSet<NodeId> = work().filter_map(|t| t.node).gathered();
        let failing: BTreeSet<NodeId> = work().filter(|t| failed_itself(t)).filter_map(|t| t.node).gathered();
        let failed = work().filter(|t| failed_itself(t)).count();
        let ended = work().filter(|t| matches!(t.outcome, Some(Outcome::Success | Outcome::Failed))).count();
        let error = work().filter(|t| failed_itself(t)).find_map(|t| t.error.as_deref());
        let widely = failing.len() >= 2
            && failing.len() as f64 > MANY_NODES * nodes.len() as f64
            && failed as f64 >= MANY_ATTEMPTS * ended as f64;
        widely.then(|| {
            format!(
                "{failed} of {ended} attempts failed, on {} of the {} nodes that ran {} for the job, too many for the fault of one node{}",
                failing.len(),
                nodes.len(),
                side.name(),
                error.map_or_else(String::new, |e| format!("; the first{QUOTES}{e}")),
            )
        })
    })
}

/// A job that failed while nothing of it ran. Where it has no attempt its history has to say so: a summary does not tell.
fn failed_at_once(trace: &Trace, job: JobId, status: JobStatus, tasks: &[TaskAttempt]) -> Option<String> {
    let nothing_ran = status == JobStatus::Failed && tasks.iter().all(|t| t.start.is_none());
    let told = || !tasks.is_empty() || has_history(trace, job);
    (nothing_ran && told()).then(|| match tasks {
        [] => "the job failed, and no attempt of it is in its history".to_owned(),
        _ => "the job failed before any attempt of it ran".to_owned(),
    })
}

/// Whether the history of a job was read: its name holds the job's id, if that was not taken from it.
fn has_history(trace: &Trace, job: JobId) -> bool {
    let id = job.to_string();
    let is_history = |format: &str| [formats::JHIST, formats::JOBHISTORY_V1].contains(&format);
    let histories = trace.files.iter().filter(|file| file.coverage.format.as_deref().is_some_and(is_history));
    let mut paths = histories.map(|file| file.path.as_str());
    paths.any(|path| path.contains(&id) || !path.contains("job_"))
}

/// What the attempts of reduces that never succeeded fetched, where a line tells it: their counters are never
/// written.
fn received(trace: &Trace) -> BTreeMap<AttemptId, u64> {
    let reduces: Vec<&TaskAttempt> = trace.tasks.iter().filter(|t| t.task_type == TaskType::Reduce).collect();
    let by_task = reduces.chunk_by(|a, b| (a.id.job, a.id.task) == (b.id.job, b.id.task));
    let never_done = by_task.filter(|tried| tried.iter().all(|t| t.outcome != Some(Outcome::Success)));
    let mut bytes: BTreeMap<AttemptId, u64> = never_done.flatten().map(|t| (t.id, 0)).gathered();
    if !bytes.is_empty() {
        trace.flows.each_of_kind(FlowKind::Shuffle, &mut |_, flow| {
            if let Some(sum) = flow.reduce.and_then(|reduce| bytes.get_mut(&reduce)) {
                *sum = sum.saturating_add(flow.bytes.unwrap_or(0));
            }
        });
    }
    bytes
}

/// A task that succeeded, or ended with its job or the logs, with its bytes and its own time.
struct Done<'a> {
    task: &'a TaskAttempt,
    bytes: f64,
    seconds: f64,
    begin: Timestamp,
    end: Timestamp,
}

fn skew(trace: &Trace, job: JobId, tasks: &[TaskAttempt], received: &BTreeMap<AttemptId, u64>) -> Option<JobClass> {
    let own_begin = own_begins(tasks);
    let done_of = |task, bytes, end: Timestamp| {
        let begin = own_begin(task)?;
        Some(Done { task, bytes, seconds: end.millis_since(begin).max(0) as f64 / 1000.0, begin, end })
    };
    [TaskType::Reduce, TaskType::Map].into_iter().find_map(|task_type| {
        let mut done: Vec<Done<'_>> = tasks
            .iter()
            .filter(|t| t.task_type == task_type && t.outcome == Some(Outcome::Success))
            .filter_map(|task| done_of(task, task.bytes_in().filter(|bytes| *bytes > 0)? as f64, task.finish?))
            .collect();
        if done.len() < SKEW_TASKS {
            return None;
        }
        // A job is given up, or the logs end, while it waits for one.
        let last = trace.span.map(|(_, last)| last);
        let undone = tasks.iter().filter(|t| t.task_type == task_type && t.outcome != Some(Outcome::Success));
        let never_done = |t: &&TaskAttempt| done.binary_search_by_key(&t.id.task, |d| d.task.id.task).is_err();
        let undone = undone.filter(never_done).filter_map(|task| {
            let bytes = received.get(&task.id).filter(|bytes| **bytes > 0)?;
            done_of(task, *bytes as f64, task.finish.or(last)?)
        });
        let undone: Vec<Done<'_>> = undone.collect();
        done.extend(undone);
        let bytes = sorted(done.iter().map(|d| d.bytes));
        let typical_bytes = median(&bytes)?;
        let typical_s = median(&sorted(done.iter().map(|d| d.seconds)))?;
        let blocks = SKEW_BLOCKS * trace.confs.get(&job).copied().unwrap_or_default().block_size();
        let least = if task_type == TaskType::Map { blocks } else { 0.0 };
        let many = (SKEW_BYTES * typical_bytes).max(SKEW_BYTES_UPPER * quantile(&bytes, 0.75)?).max(least);
        let (skewed, others): (Vec<&Done<'_>>, Vec<&Done<'_>>) = done.iter().partition(|d| d.bytes >= many);
        let largest = skewed.iter().max_by(|a, b| a.bytes.total_cmp(&b.bytes).then(b.task.id.cmp(&a.task.id)))?;
        let begin = done.iter().map(|d| d.begin).min()?;
        let last = |of: &[&Done<'_>]| of.iter().map(|d| d.end).max();
        let waits_s = last(&skewed)?.millis_since(last(&others)?) as f64 / 1000.0;
        let phase_s = last(&skewed)?.millis_since(begin) as f64 / 1000.0;
        let is_long = largest.seconds >= SKEW_TIME * typical_s && waits_s >= SKEW_WAIT * phase_s;
        let has_most = largest.bytes >= (SKEW_SHARE * bytes.iter().sum::<f64>()).max(blocks) && waits_s > 0.0;
        (is_long || has_most).then(|| JobClass {
            job,
            class: Class::Skew,
            rule: format!(
                "{} on {} took in {:.1} MB in {:.1} s, the median {} {:.1} MB in {typical_s:.1} s; the job waited {waits_s:.1} s for it alone",
                largest.task.id,
                largest.task.node.map_or("an unknown node", |n| trace.node_name(n)),
                largest.bytes / 1e6,
                largest.seconds,
                task_type.name().to_ascii_lowercase(),
                typical_bytes / 1e6,
            ),
            skewed: largest.task.node.map(|node| (largest.task.id, node)),
        })
    })
}

fn failed(works: &[Work], node: NodeId) -> u32 {
    works.iter().filter(|w| w.node == node).map(|w| w.failed).sum()
}

/// Whether the node's maps, or its reduces, took far longer than its peers'.
fn is_far_slower(works: &[Work], node: NodeId) -> bool {
    Side::BOTH.into_iter().any(|side| {
        let of_side = || works.iter().filter(|w| w.side == side);
        let own = of_side().find(|w| w.node == node).and_then(Work::mean_ms);
        let peers = median(&sorted(of_side().filter(|w| w.node != node).filter_map(Work::mean_ms)));
        own.zip(peers).is_some_and(|(own, peers)| own >= ALONE_SLOWER * peers)
    })
}

/// One node with many bad attempts, where the others have few.
fn one_node(trace: &Trace, job: JobId, works: &[Work]) -> Option<JobClass> {
    let mut by_node: BTreeMap<NodeId, (u32, u32)> = BTreeMap::new();
    for work in works {
        let sum = by_node.entry(work.node).or_default();
        *sum = (sum.0 + work.bad, sum.1 + work.tried);
    }
    let (node, (bad, tried)) = by_node.iter().max_by_key(|(node, (bad, _))| (*bad, std::cmp::Reverse(**node)))?;
    let others = || by_node.iter().filter(|(n, _)| *n != node);
    let most = others().map(|(_, (bad, _))| *bad).max()?;
    let fires = others().count() >= 2
        && *bad >= ALONE_BAD
        && f64::from(*bad) >= ALONE_SHARE * f64::from(*tried)
        && f64::from(most) <= ALONE_OTHERS * f64::from(*bad)
        && (failed(works, *node) >= ALONE_BAD || is_far_slower(works, *node));
    fires.then(|| {
        let at_most = if most == 0 { String::from("none") } else { format!("at most {most}") };
        let rule = format!(
            "{bad} of {tried} attempts on {} were slow or failed, {at_most} on any of the {} other nodes",
            trace.node_name(*node),
            others().count(),
        );
        JobClass::new(job, Class::Infrastructure, rule)
    })
}
