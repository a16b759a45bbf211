//! Map outputs, served and fetched.
//!
//! The serving side (TaskTracker clienttrace, ShuffleHandler audit) gives Shuffle
//! states. Flows come from the fetching side, the reduce's own log, where a job has it,
//! since only that has begin and end of each map output; else from the serving side.
//! Never from both: that would count every transfer twice.
//!
//! A job has as many of them as maps times reduces, so no row is moved ([`Input::each_about`]).

use super::blocks::millis_of;
use super::open_fetches::{self, OpenFetch};
use super::{End, FileView, Found, Input};
use crate::base::{AttemptId, HOST_NAME_BYTES, JobId, Lookup, NodeId, Place, Timestamp};
use crate::model::{Event, Flow, FlowKind, Outcome, State, StateKind, Topic, formats};
use std::collections::BTreeSet;

/// Who logs map outputs that it serves: a file that several daemons write to is read as one of them.
const DAEMONS: [&str; 3] = [formats::TASKTRACKER, formats::NODEMANAGER, formats::DATANODE];

/// Collects the shuffle's states and flows.
#[inline(never)]
pub fn pair(input: &Input<'_>, found: &mut Found) {
    let fetched_jobs = push_fetched(input, found);
    for format in DAEMONS {
        for file in input.files_of(format) {
            push_served(input, file, &fetched_jobs, found);
        }
    }
}

/// States of the serving side, and flows of the jobs that nobody says were fetched.
#[inline(never)]
fn push_served(input: &Input<'_>, file: &FileView<'_>, fetched_jobs: &BTreeSet<JobId>, found: &mut Found) {
    input.each_about(file, Topic::Shuffle, &mut |row| {
        let place = file.place(row.line);
        let (map, reduce, dest, bytes, duration_ns) = match row.event {
            Event::ShuffleServed { map, dest, bytes, duration_ns } => (map, None, dest, Some(bytes), duration_ns),
            Event::ShuffleServedTo { map, reduce, dest, bytes, duration_ns } => {
                (Some(map), Some(reduce), dest, Some(bytes), duration_ns)
            }
            Event::ShuffleServedMaps { reduce, dest, duration_ns } => (None, Some(reduce), dest, None, duration_ns),
            Event::ShuffleServedPart { dest, duration_ns } => (None, None, dest, None, duration_ns),
            Event::ShuffleAudit { job, bytes } => {
                return found.push_state(served(file.node, None, row.at, (Some(job), None), Some(bytes), place), None);
            }
            _ => return,
        };
        let dest = dest.map(|ip| input.end_of(ip));
        if let (Some(shuffles), Some(map)) = (&mut found.shuffles, map) {
            let to = dest.and_then(|end| if let End::Node(node) = end { Some(node) } else { None });
            shuffles.serve(map, file, to, (row.at, duration_ns));
        }
        let start = duration_ns.map(|ns| row.at.plus_millis(-millis_of(ns)));
        let job = map.or(reduce).map(|attempt| attempt.job);
        // What names neither job nor bytes may be what somebody says was fetched.
        let is_told_there = job.map_or(bytes.is_none() && !fetched_jobs.is_empty(), |job| fetched_jobs.contains(&job));
        if dest.is_some() && !is_told_there {
            let flow = shuffle_flow(start, row.at, bytes, (map, reduce), place);
            found.push_flow(flow, file.node.map(End::Node), dest);
        }
        found.push_state(served(file.node, start, row.at, (job, map), bytes, place), dest);
    });
}

/// Flows of the fetching side; returns the jobs that have any.
fn push_fetched(input: &Input<'_>, found: &mut Found) -> BTreeSet<JobId> {
    let mut jobs = BTreeSet::new();
    if input.files_of(formats::TASK_SYSLOG).next().is_none() {
        return jobs;
    }
    let ran_on: Lookup<AttemptId, NodeId> = found.tasks.iter().filter_map(|t| Some((t.id, t.node?))).collect();
    let mut open = Vec::new();
    for file in input.files_of(formats::TASK_SYSLOG) {
        push_fetched_by(input, file, &ran_on, &mut jobs, &mut open, found);
    }
    open_fetches::complain(input, &ran_on, open, found);
    jobs
}

/// Those of one log, and its fetches that are open.
#[inline(never)]
fn push_fetched_by(
    input: &Input<'_>,
    file: &FileView<'_>,
    ran_on: &Lookup<AttemptId, NodeId>,
    jobs: &mut BTreeSet<JobId>,
    open: &mut Vec<OpenFetch>,
    found: &mut Found,
) {
    // A log is mostly one reduce's.
    let mut last: Option<(AttemptId, Option<NodeId>)> = None;
    input.each_about(file, Topic::Shuffle, &mut |row| {
        let (reduce, map, host, start, bytes) = match row.event {
            Event::Fetched { reduce, map, ref host, start, bytes } => (reduce, map, host, start, bytes),
            Event::FetchOpen { reduce, map, bytes } => {
                let by = ran_on.get(&reduce).copied().or(file.node);
                return open.push(OpenFetch { reduce, map, by, at: row.at, bytes, place: file.place(row.line) });
            }
            _ => return,
        };
        last.take_if(|(of, _)| *of != reduce);
        let (_, dest) = *last.get_or_insert_with(|| {
            jobs.insert(reduce.job);
            (reduce, ran_on.get(&reduce).copied().or(file.node))
        });
        if let Some(shuffles) = &mut found.shuffles {
            shuffles.fetch(map, file, (start, row.at));
        }
        let src = match (ran_on.get(&map), host.as_deref()) {
            (Some(node), _) => Some(End::Node(*node)),
            (None, host) => host.and_then(|host| end_named(host, input, found)),
        };
        let flow =
            shuffle_flow(Some(start), row.at.max(start), Some(bytes), (Some(map), Some(reduce)), file.place(row.line));
        found.push_flow(flow, src, dest.map(End::Node));
    });
}

/// The host that a reduce fetched from, which may be in no other log.
fn end_named(host: &str, input: &Input<'_>, found: &mut Found) -> Option<End> {
    if let Some(node) = input.node_named(host) {
        return Some(End::Node(node));
    }
    if let Ok(ip) = host.parse() {
        return Some(input.end_of(ip));
    }
    let node = input.node_but_for_domain(host).map(End::Node);
    node.or_else(|| (host.len() <= HOST_NAME_BYTES).then(|| found.ends.named(host)))
}

fn shuffle_flow(
    start: Option<Timestamp>,
    end: Timestamp,
    bytes: Option<u64>,
    (attempt, reduce): (Option<AttemptId>, Option<AttemptId>),
    place: Place,
) -> Flow {
    Flow { start, bytes, attempt, reduce, ..Flow::of(FlowKind::Shuffle, end, place) }
}

fn served(
    node: Option<NodeId>,
    start: Option<Timestamp>,
    end: Timestamp,
    (job, attempt): (Option<JobId>, Option<AttemptId>),
    bytes: Option<u64>,
    place: Place,
) -> State {
    let outcome = Some(Outcome::Success);
    State { start, job, attempt, bytes, outcome, ..State::of(StateKind::Shuffle, node, end, place) }
}
