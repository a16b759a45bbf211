//! Peer comparison, verdicts and causes on clusters made by hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod causes;
mod crashes;
mod gaps;
mod halves;
mod peers;
mod told;
mod verdicts;

use oddnode::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::cause::Symptoms;
use oddnode::diagnosis::kahuna_wb::KahunaWhiteBox;
use oddnode::diagnosis::{Diagnosis, Method, Params, Signal};
use oddnode::model::{
    Complaint, ComplaintKind, Counters, Coverage, FileInfo, Job, JobStatus, Node, Outcome, State, StateKind, States,
    TaskAttempt, TaskType, Trace,
};
use std::collections::BTreeMap;

const JOB: JobId = JobId { cluster: 1, number: 1 };
const PLACE: Place = Place { file: FileId(0), line: 1 };

fn attempt(letter: TaskLetter, task: usize) -> AttemptId {
    AttemptId { job: JOB, letter, task: u32::try_from(task).unwrap(), attempt: 0 }
}

fn state(kind: StateKind, node: u32, start_ms: i64, seconds: f64, outcome: Option<Outcome>) -> State {
    let start = Timestamp::from_millis(start_ms);
    let end = start.plus_millis((seconds * 1000.0) as i64);
    State {
        start: Some(start),
        open: outcome.is_none(),
        job: Some(JOB),
        outcome,
        ..State::of(kind, Some(NodeId(node)), end, PLACE)
    }
}

/// A cluster whose node `i` has states of one kind with the durations given, in seconds,
/// one after another.
fn cluster(kind: StateKind, seconds: &[&[f64]]) -> Trace {
    let mut rows = Vec::new();
    for (node, durations) in (0..).zip(seconds) {
        let mut at = 0;
        for s in *durations {
            rows.push(state(kind, node, at, *s, Some(Outcome::Success)));
            at += (s * 1000.0) as i64;
        }
    }
    let end = rows.iter().map(|s| s.end).max().unwrap_or_default();
    let nodes = (0..seconds.len()).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
    let coverage = Coverage { format: Some("tasktracker".into()), understood: 1, ..Coverage::default() };
    let file =
        FileInfo { path: "a/log".into(), node: None, daemon_last: None, last_line: 0, coverage, issues: Vec::new() };
    Trace {
        files: vec![file],
        nodes,
        states: States::from_rows(rows),
        span: Some((Timestamp::default(), end)),
        ..Trace::default()
    }
}

const SLOW: &[f64] = &[30.0, 31.0, 29.0, 33.0, 30.5, 32.0];
const FAST: &[f64] = &[10.0, 11.0, 9.0, 12.0, 10.5, 11.5];
const FAST_2: &[f64] = &[9.5, 11.2, 9.9, 12.1, 10.1, 10.9];

fn indicted(trace: &Trace, params: &Params) -> Vec<(String, Vec<u32>)> {
    let witnesses = KahunaWhiteBox.run(trace, params);
    witnesses.into_iter().map(|w| (w.signal.name().to_owned(), w.indicted.iter().map(|i| i.node.0).collect())).collect()
}

fn task(letter: TaskLetter, number: usize, node: u32, outcome: Outcome, megabytes: i64, seconds: i64) -> TaskAttempt {
    TaskAttempt {
        node: Some(NodeId(node)),
        start: Some(Timestamp::default()),
        finish: Some(Timestamp::from_millis(seconds * 1000)),
        outcome: Some(outcome),
        counters: Counters {
            shuffle: Some(megabytes * 1_000_000).into(),
            hdfs_read: Some(megabytes * 1_000_000).into(),
            ..Counters::default()
        },
        ..TaskAttempt::of(
            attempt(letter, number),
            if letter == TaskLetter::Map { TaskType::Map } else { TaskType::Reduce },
            PLACE,
        )
    }
}

fn with_job(mut trace: Trace, status: JobStatus, tasks: Vec<TaskAttempt>) -> Trace {
    trace.jobs = vec![Job::of(JOB, status)];
    trace.tasks = tasks;
    trace
}

/// Maps of three nodes, one after another: JVM start and work in seconds; the last node is judged.
fn started(peers: (i64, i64), own: (i64, i64)) -> Trace {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let mut rows = Vec::new();
    let mut tasks = Vec::new();
    for node in 0..3_u32 {
        for k in 0..3 {
            let (start, work) = if node == 2 { own } else { peers };
            let id = attempt(TaskLetter::Map, (node * 3 + k) as usize);
            let seconds = (start + work) as f64;
            let s = state(StateKind::Map, node, i64::from(k) * 1_000_000, seconds, Some(Outcome::Success));
            let mut t = task(TaskLetter::Map, (node * 3 + k) as usize, node, Outcome::Success, 4, 1);
            t.log_start = s.start.map(|at| at.plus_millis(start * 1000));
            rows.push(State { attempt: Some(id), ..s });
            tasks.push(t);
        }
    }
    trace.states = States::from_rows(rows);
    with_job(trace, JobStatus::Success, tasks)
}

fn signal(name: &str) -> Signal {
    Method::ALL.into_iter().find_map(|method| Signal::named(method, name)).unwrap()
}

fn slowly(slower: &BTreeMap<Signal, f64>) -> Symptoms {
    Symptoms { slower: slower.clone(), ..Symptoms::default() }
}

/// That it was told to join again, in its own words, a minute after the begin.
fn complaint(node: u32) -> Complaint {
    Complaint {
        kind: ComplaintKind::Rejoined,
        by: Some(NodeId(node)),
        of: Some(NodeId(node)),
        at: Timestamp::from_millis(60_000),
        job: None,
        attempt: None,
        block: None,
        took_ms: None,
        place: PLACE,
    }
}
