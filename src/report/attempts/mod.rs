//! The attempts of a report, in whole numbers and in columns: of them the heatmap, the jobs and the Maps and Reduces over
//! time are drawn again without the logs (T07 to T20, M09, M10, K13 to K15); and what data one job moved (M11, M12).
//!
//! ```text
//! nodes  h101 h102 h103 │ edge1       the first three are compared
//! jobs   job_…_0007                   0 = the first of them
//!  job  reduces  task  attempt  node  begins  took   ended  bytes
//!   0      0       0      0       2   …000    21000    0    67108864
//!   0      0       1      0       0     +12   20500    0    67108864      12 ms after the one before
//! ```
//! A trace is made of them, as far as those figures look at it: the same code draws both. By the logs a Map or Reduce begins
//! and ends up to some seconds from what its history says: both are there. Cost: some fifteen bytes an attempt in a link.

use super::flow::{self, FlowFigure};
use super::permuted::{by_name, moved, permute};
use super::steps;
use crate::base::{Arrange, AttemptId, Gathered, JobId, NodeId, Place, TaskLetter, TimeZone, Timestamp};
use crate::diagnosis::mochi::study::{self, JobStudy};
use crate::diagnosis::theia::survey::{bytes_of, span_of};
use crate::model::{
    Complaint, ComplaintKind, Counters, Job, JobStatus, Node, Outcome, State, StateKind, States, TaskAttempt, TaskType,
    Trace, ZoneSource,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts at most: of more a report would be mostly these, and a link has no room for them.
pub const MOST_ATTEMPTS: usize = 2_000;
/// Jobs at most, and nodes: those without any attempt have a place, too.
const MOST_NAMED: usize = 1_000;
/// Blacklistings at most.
const MOST_BLACKLISTED: usize = 10_000;
/// What stands for no node, no job, and an attempt whose end is not known.
const NONE: i32 = -1;
/// What stands for the outcome of a state that is open.
const OPEN: i32 = -2;
/// Paths of a job whose flows are carried at most: of more it takes a part of a second to group them.
const MOST_PATHS: usize = 1_000;

/// The attempts. All lists of attempts are equally long, and in order of the ids that the logs have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptsFigure {
    /// Names of the nodes: first those that are compared, then others on which an attempt ran.
    pub nodes: Vec<String>,
    /// How many of them are compared.
    pub compared: u32,
    /// Ids of the jobs; the next two lists follow their order.
    pub jobs: Vec<String>,
    /// Begin (launch, else submission, else that of its first attempt) and end (else that of its last) of each job, epoch
    /// milliseconds.
    pub jobs_ms: Vec<[Option<i64>; 2]>,
    /// How each job ended: places in [`JobStatus::ALL`].
    pub statuses: Vec<u8>,
    /// The last time of any log, epoch milliseconds: until then what has no end lasts.
    pub until_ms: Option<i64>,
    /// Which node was blacklisted for which job (-1: all), and when, epoch milliseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blacklisted: Vec<(u32, i32, i64)>,
    /// The data flow of the job that moved most, where it has few paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<FlowFigure>,
    /// The job of each attempt.
    pub job: Vec<u32>,
    /// 0: a Map, 1: a Reduce.
    pub reduce: Vec<u8>,
    /// The number of its task.
    pub task: Vec<u32>,
    /// Its number in the task.
    pub attempt: Vec<u32>,
    /// Its node; -1: not known.
    pub node: Vec<i32>,
    /// When it began: milliseconds after the begin that was told last, the first since 1970.
    pub begin_ms: Vec<Option<i64>>,
    /// When it ended: milliseconds after the begin that was told last.
    pub end_ms: Vec<Option<i64>>,
    /// How: places in [`Outcome::ALL`]; -1: not known.
    pub outcome: Vec<i32>,
    /// Bytes read and written, files and HDFS.
    pub bytes: Vec<u64>,
    /// When its state began and ended (K18): milliseconds after the attempt itself, or after the begin that was told last
    /// where that has no such time; and how, as [`Self::outcome`], or -2: it is open. None: no begin or no state of it is
    /// known.
    pub state: Vec<Option<(i64, i64, i32)>>,
}

/// The place of each, by what it is.
fn places<K: Ord>(all: impl Iterator<Item = K>) -> BTreeMap<K, u32> {
    all.zip(0..).gathered()
}

/// The attempts of a trace; `None` where there are none, or too many.
#[must_use]
pub fn of(trace: &Trace) -> Option<AttemptsFigure> {
    let tasks: Vec<&TaskAttempt> =
        trace.tasks.iter().filter(|t| letter_of(t).is_some()).take(MOST_ATTEMPTS + 1).collect();
    if tasks.is_empty() || tasks.len() > MOST_ATTEMPTS {
        return None;
    }
    let peers: Vec<NodeId> = trace.peer_nodes().collect();
    if peers.len() > MOST_NAMED || trace.jobs.len() > MOST_NAMED {
        return None;
    }
    let has_few_paths = |job: &JobId| {
        let tasks = trace.tasks_of(*job);
        let count = |of: TaskType| tasks.iter().filter(|t| t.task_type == of).count();
        count(TaskType::Map).saturating_mul(count(TaskType::Reduce).max(1)) <= MOST_PATHS
    };
    let study = study::busiest(&trace.tasks).filter(has_few_paths).map(|job| JobStudy::of(trace, job));
    let moved = study.iter().flat_map(|study| study.volumes.nodes.iter().copied());
    let ran = tasks.iter().filter_map(|t| t.node);
    let others: BTreeSet<NodeId> = ran.chain(moved).filter(|id| !peers.contains(id)).gathered();
    let nodes = places(peers.iter().copied().chain(others.iter().copied()));
    let jobs = places(trace.jobs.iter().map(|job| job.id));
    if nodes.len() > MOST_NAMED {
        return None;
    }
    let place = |at: Option<&u32>| at.and_then(|at| i32::try_from(*at).ok()).unwrap_or(NONE);
    let complaints = trace.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
    let blacklisting = |c: &Complaint| {
        let job = place(c.job.and_then(|job| jobs.get(&job)));
        // Of a job that is not there nothing is shown.
        let is_shown = c.job.is_none() || job != NONE;
        Some((*nodes.get(&c.of?)?, job, c.at.millis())).filter(|_| is_shown)
    };
    let millis = |at: Option<Timestamp>| at.map(Timestamp::millis);
    let mut figure = AttemptsFigure {
        nodes: peers.iter().chain(&others).map(|id| trace.node_name(*id).to_owned()).collect(),
        compared: u32::try_from(peers.len()).unwrap_or(u32::MAX),
        jobs: trace.jobs.iter().map(|job| job.id.to_string()).collect(),
        jobs_ms: trace.jobs.iter().map(|job| span_of(job, trace.tasks_of(job.id)).map(millis)).collect(),
        statuses: trace.jobs.iter().map(|job| job.status as u8).collect(),
        until_ms: trace.span.map(|(_, end)| end.millis()),
        blacklisted: complaints.filter_map(blacklisting).take(MOST_BLACKLISTED).collect(),
        flow: study.and_then(|study| flow::of(&study, &jobs, &nodes)),
        ..AttemptsFigure::default()
    };
    let begins: Vec<Option<i64>> = tasks.iter().map(|t| millis(t.start)).collect();
    figure.begin_ms = steps::encode(begins.iter().copied());
    let states = states_of(trace);
    for (t, base) in tasks.into_iter().zip(steps::told_last(&begins)) {
        let job = jobs.get(&t.id.job)?;
        figure.job.push(*job);
        figure.reduce.push(u8::from(t.task_type == TaskType::Reduce));
        figure.task.push(t.id.task);
        figure.attempt.push(t.id.attempt);
        figure.node.push(place(t.node.and_then(|node| nodes.get(&node))));
        figure.end_ms.push(t.finish.map(|at| at.millis().saturating_sub(base)));
        figure.outcome.push(number(t.outcome));
        figure.bytes.push(bytes_of(t));
        let after = |at: Timestamp, own: Option<Timestamp>| at.millis().saturating_sub(millis(own).unwrap_or(base));
        let outcome = |s: &State| if s.open { OPEN } else { number(s.outcome) };
        let told = |s: &State| Some((after(s.start?, t.start), after(s.end, t.finish), outcome(s)));
        figure.state.push(states.get(&(t.id, t.node)).or_else(|| states.get(&(t.id, None))).and_then(told));
    }
    Some(figure)
}

/// The place of an outcome among all.
fn number(outcome: Option<Outcome>) -> i32 {
    outcome.map_or(NONE, |outcome| outcome as i32)
}

/// The states that are whole attempts, by attempt and node; under no node the first of each, for one whose history names
/// another node than its logs.
fn states_of(trace: &Trace) -> BTreeMap<(AttemptId, Option<NodeId>), State> {
    let mut states = BTreeMap::new();
    for kind in [StateKind::Map, StateKind::Reduce] {
        for state in trace.states.of_kind(kind).map(|state| trace.as_told(state)) {
            let Some(id) = state.attempt else { continue };
            states.entry((id, state.node)).or_insert(state);
            states.entry((id, None)).or_insert(state);
        }
    }
    states
}

/// The letter in the id of an attempt that the figures show.
const fn letter_of(t: &TaskAttempt) -> Option<TaskLetter> {
    match t.task_type {
        TaskType::Map => Some(TaskLetter::Map),
        TaskType::Reduce => Some(TaskLetter::Reduce),
        TaskType::Setup | TaskType::Cleanup | TaskType::TaskCleanup => None,
    }
}

impl AttemptsFigure {
    /// The data flow of the job that moved most, in a trace that [`Self::trace`] made; `None` where there is none, or it
    /// does not fit together.
    #[must_use]
    pub fn study(&self) -> Option<JobStudy> {
        let flow = self.flow.as_ref()?;
        let job = self.jobs.get(flow.job as usize)?;
        flow.study(JobId::named(job.as_bytes())?, self.nodes.len())
    }

    fn fits(&self) -> bool {
        let (n, jobs) = (self.job.len(), self.jobs.len());
        let lengths = [self.reduce.len(), self.task.len(), self.attempt.len(), self.node.len(), self.outcome.len()];
        let others = [self.begin_ms.len(), self.end_ms.len(), self.bytes.len(), self.state.len()];
        (1..=MOST_ATTEMPTS).contains(&n)
            && self.nodes.len() <= MOST_NAMED
            && jobs <= MOST_NAMED
            && self.compared as usize <= self.nodes.len()
            && lengths.iter().chain(&others).all(|length| *length == n)
            && [self.jobs_ms.len(), self.statuses.len()] == [jobs; 2]
            && self.blacklisted.len() <= MOST_BLACKLISTED
    }

    /// The trace again, as far as the figures look at it, its times in that zone, its nodes in the figure's order; `None`
    /// where the figure does not fit together (it comes from outside), or its jobs have no ids.
    #[must_use]
    pub fn trace(&self, zone: TimeZone) -> Option<Trace> {
        if !self.fits() {
            return None;
        }
        let ids: Vec<JobId> = self.jobs.iter().map(|id| JobId::named(id.as_bytes())).collect::<Option<_>>()?;
        let mut jobs: Vec<Job> = ids
            .iter()
            .zip(&self.jobs_ms)
            .zip(&self.statuses)
            .map(|((id, ms), status)| job(*id, *ms, *status))
            .collect();
        // Pseudonyms stand in an order of their own.
        jobs.arrange_by(|job| job.id);
        let begins = steps::decode(&self.begin_ms);
        let (mut tasks, mut states): (Vec<TaskAttempt>, Vec<State>) = Default::default();
        for (i, (begin, base)) in begins.iter().zip(steps::told_last(&begins)).enumerate() {
            let end = self.end_ms.get(i).copied()?.map(|ms| base.saturating_add(ms));
            let task = self.attempt(i, &ids, [*begin, end])?;
            let after = |own: Option<i64>, ms: i64| Timestamp::from_millis(own.unwrap_or(base).saturating_add(ms));
            if let Some((start, stop, outcome)) = self.state.get(i).copied().flatten() {
                let start = after(*begin, start);
                states.push(State {
                    start: Some(start),
                    open: outcome == OPEN,
                    job: Some(task.id.job),
                    attempt: Some(task.id),
                    outcome: outcome_of(outcome),
                    ..State::of(task.task_type.state_kind(), task.node, after(end, stop).max(start), task.place)
                });
            }
            tasks.push(task);
        }
        // After a restart of its master an id may come twice.
        tasks.arrange_by(|t| (t.id, t.node));
        if !jobs.windows(2).all(|two| matches!(two, [a, b] if a.id < b.id)) {
            return None;
        }
        let names = self.nodes.iter().zip(0..);
        let mut trace = Trace {
            nodes: names.map(|(name, at)| Node { name: name.clone(), is_peer: at < self.compared }).collect(),
            peers: self.nodes.clone(),
            jobs,
            tasks,
            complaints: self.blacklisted.iter().filter_map(|told| self.blacklisting(told, &ids)).collect(),
            // Only its end is looked at.
            span: self.until_ms.map(Timestamp::from_millis).map(|end| (end, end)),
            ..Trace::default()
        };
        trace.clocks.source = ZoneSource::of_zone(zone);
        states.arrange(Ord::cmp);
        trace.states = States::from_rows(states);
        Some(trace)
    }

    /// An attempt from its begin to its end.
    fn attempt(&self, i: usize, ids: &[JobId], [begin, end]: [Option<i64>; 2]) -> Option<TaskAttempt> {
        let of = |place: &i32| usize::try_from(*place).ok();
        let (letter, task_type) = match self.reduce.get(i)? {
            0 => (TaskLetter::Map, TaskType::Map),
            _ => (TaskLetter::Reduce, TaskType::Reduce),
        };
        let bytes = self.bytes.get(i).and_then(|b| i64::try_from(*b).ok());
        Some(TaskAttempt {
            node: self.node.get(i).and_then(of).filter(|at| *at < self.nodes.len()).map(node_id),
            start: begin.map(Timestamp::from_millis),
            finish: end.map(Timestamp::from_millis),
            outcome: self.outcome.get(i).copied().and_then(outcome_of),
            // The figures ask for the sum alone.
            counters: Counters { file_read: bytes.into(), ..Counters::default() },
            ..TaskAttempt::of(
                AttemptId {
                    job: *ids.get(*self.job.get(i)? as usize)?,
                    letter,
                    task: *self.task.get(i)?,
                    attempt: *self.attempt.get(i)?,
                },
                task_type,
                Place::NOWHERE,
            )
        })
    }

    /// Puts the nodes into the order of their names, those that are compared first.
    pub(super) fn sort_by_name(&mut self) {
        // What does not fit together is not drawn.
        if !self.fits() {
            return *self = Self::default();
        }
        self.flow = self.flow.take().filter(|flow| flow.fits(self.nodes.len()));
        let at = self.compared as usize;
        let (compared, others) = self.nodes.split_at(at);
        let others = by_name(others).into_iter().map(|i| at + i);
        let order: Vec<usize> = by_name(compared).into_iter().chain(others).collect();
        permute(&mut self.nodes, &order);
        let to = moved(&order);
        let new = |node: usize| to.get(node).copied().unwrap_or(node);
        for node in &mut self.node {
            let moved = usize::try_from(*node).ok().and_then(|node| i32::try_from(new(node)).ok());
            *node = moved.unwrap_or(*node);
        }
        for (node, ..) in &mut self.blacklisted {
            *node = u32::try_from(new(*node as usize)).unwrap_or(*node);
        }
        self.blacklisted.arrange_by(|told| *told);
        self.flow.iter_mut().for_each(|flow| flow.renumber(&to));
    }

    fn blacklisting(&self, (node, job, at_ms): &(u32, i32, i64), ids: &[JobId]) -> Option<Complaint> {
        let job = match usize::try_from(*job) {
            Ok(at) => Some(*ids.get(at)?),
            Err(_) => None,
        };
        let node = Some(*node as usize).filter(|at| *at < self.nodes.len()).map(node_id)?;
        Some(Complaint::blacklisting(node, job, Timestamp::from_millis(*at_ms)))
    }
}

fn outcome_of(number: i32) -> Option<Outcome> {
    usize::try_from(number).ok().and_then(|at| Outcome::ALL.get(at)).copied()
}

fn node_id(at: usize) -> NodeId {
    NodeId(u32::try_from(at).unwrap_or(u32::MAX))
}

fn job(id: JobId, [start, finish]: [Option<i64>; 2], status: u8) -> Job {
    let at = |ms: Option<i64>| ms.map(Timestamp::from_millis);
    let status = JobStatus::ALL.get(usize::from(status)).copied().unwrap_or(JobStatus::Running);
    Job { start: at(start), finish: at(finish), ..Job::of(id, status) }
}

#[cfg(test)]
mod tests;
