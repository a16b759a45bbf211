//! `syslog` of an application's master, 3.3.6.

use super::super::record::{End, Error, Kind, Notice};
use super::super::{Attempt, Micros};
use super::{Lines, View};

const BASE: &str = "org.apache.hadoop.mapreduce.v2.app";
const EVENTS: &str = "[AsyncDispatcher event handler]";
const PORT: u32 = 45454;

pub(super) fn text(view: &View<'_>, job: usize) -> String {
    let run = view.run;
    let row = &run.jobs[job];
    let id = run.job_id(row.number);
    let mut out = Lines::new(run, None);
    let app = run.application_id(row.number).replacen("application", "appattempt", 1);
    let main = format!("[main] {BASE}.MRAppMaster");
    out.info(row.submitted + 100_000, &main, format_args!("Created MRAppMaster for application {app}_000001"));
    let bytes: f64 = row.maps.iter().map(|t| run.tasks[*t].input).sum();
    out.info(
        row.launched,
        &format!("[main] {BASE}.job.impl.JobImpl"),
        format_args!("Input size for job {id} = {}. Number of splits = {}", bytes as u64, row.maps.len()),
    );
    out.info(
        row.launched,
        &format!("[main] {BASE}.job.impl.JobImpl"),
        format_args!("Number of reduces for job {id} = {}", row.reduces.len()),
    );
    for task in row.maps.iter().chain(&row.reduces) {
        for attempt in &run.tasks[*task].attempts {
            write_attempt(view, *attempt, &run.attempts[*attempt], &mut out);
        }
    }
    for (at, node, notice) in &run.notices {
        let host = &run.nodes[*node].name;
        match notice {
            Notice::Blacklisted(of) if *of == job => {
                out.info(
                    *at,
                    &format!("[Thread-56] {BASE}.rm.RMContainerRequestor"),
                    format_args!("Blacklisted host {host}"),
                );
            }
            Notice::FetchFailed(map, 3) if run.tasks[run.attempts[*map].task].job == job => {
                let id = run.attempt_id(*map);
                out.info(
                    *at,
                    &format!("{EVENTS} {BASE}.job.impl.JobImpl"),
                    format_args!(
                        "Too many fetch-failures for output of task attempt: {id} ... raising fetch failure to map"
                    ),
                );
            }
            _ => {}
        }
    }
    if let Some(at) = row.finished {
        let path: &[&str] = match row.end {
            Some(End::Success) => &["RUNNING", "COMMITTING", "SUCCEEDED"],
            Some(End::Failed) => &["RUNNING", "FAIL_WAIT", "FAIL_ABORT", "FAILED"],
            _ => &["RUNNING", "KILL_WAIT", "KILL_ABORT", "KILLED"],
        };
        for (from, to) in path.iter().zip(path.iter().skip(1)) {
            out.info(
                at,
                &format!("{EVENTS} {BASE}.job.impl.JobImpl"),
                format_args!("{id}Job Transitioned from {from} to {to}"),
            );
        }
    }
    out.text()
}

fn write_attempt(view: &View<'_>, attempt: usize, row: &Attempt, out: &mut Lines<'_>) {
    let run = view.run;
    let id = run.attempt_id(attempt);
    let number = run.jobs[run.tasks[row.task].job].number;
    let container = run.container_id(number, row.container);
    let host = &run.nodes[row.node].name;
    let logger = format!("{EVENTS} {BASE}.job.impl.TaskAttemptImpl");
    let changes = |out: &mut Lines<'_>, at: Micros, from: &str, to: &str| {
        out.info(at, &logger, format_args!("{id} TaskAttempt Transitioned from {from} to {to}"));
    };
    let at = row.assigned;
    out.info(
        at,
        &format!("[RMCommunicator Allocator] {BASE}.rm.RMContainerAllocator"),
        format_args!("Assigned container {container} to {id}"),
    );
    changes(out, at + 1000, "UNASSIGNED", "ASSIGNED");
    out.info(
        row.launched,
        &logger,
        format_args!("TaskAttempt: [{id}] using containerId: [{container} on NM: [{host}:{PORT}]"),
    );
    changes(out, row.launched, "ASSIGNED", "RUNNING");
    if let Some(at) = row.up {
        let letter = if view.kind(row) == Kind::Reduce { 'r' } else { 'm' };
        let job = run.job_id(number).replacen("job", "jvm", 1);
        out.info(
            at,
            "[IPC Server handler 4 on default port 43457] org.apache.hadoop.mapred.TaskAttemptListenerImpl",
            format_args!("JVM with ID: {job}_{letter}_{:06} given task: {id}", row.container),
        );
    }
    let Some(at) = row.finished else { return };
    match (row.end, row.error) {
        (Some(End::Success), _) => {
            // What writes to HDFS asks whether it may.
            let asked = row.worked.filter(|_| row.hdfs_written > 0.0);
            if let Some(asked) = asked {
                changes(out, asked, "RUNNING", "COMMIT_PENDING");
            }
            let from = if asked.is_some() { "COMMIT_PENDING" } else { "RUNNING" };
            changes(out, at, from, "SUCCESS_FINISHING_CONTAINER");
            out.info(
                at + 1000,
                &format!("{EVENTS} {BASE}.job.impl.TaskImpl"),
                format_args!("Task succeeded with attempt {id}"),
            );
            changes(out, at + 400_000, "SUCCESS_FINISHING_CONTAINER", "SUCCEEDED");
        }
        (_, Some(Error::LostNode)) => {
            out.info(
                at,
                &format!("[RMCommunicator Allocator] {BASE}.rm.RMContainerAllocator"),
                format_args!("Killing taskAttempt:{id} because it is running on unusable node:{host}:{PORT}"),
            );
            changes(out, at, "RUNNING", "KILL_CONTAINER_CLEANUP");
            out.info(
                at + 1000,
                &logger,
                format_args!("Diagnostics report from {id}: Container released on a *lost* node"),
            );
        }
        (Some(End::Failed), Some(error)) => {
            out.info(at, &logger, format_args!("Diagnostics report from {id}: {}", diagnostics(&id, error)));
            let (from, event, after) = match error {
                Error::TimedOut => {
                    changes(out, at, "RUNNING", "FAIL_CONTAINER_CLEANUP");
                    changes(out, at + 50_000, "FAIL_CONTAINER_CLEANUP", "FAIL_TASK_CLEANUP");
                    ("FAIL_TASK_CLEANUP", "TA_CLEANUP_DONE", 100_000)
                }
                // Its files cannot be laid out: its container never ran.
                Error::NoSpaceAtStart => ("RUNNING", "TA_CONTAINER_COMPLETED", 0),
                _ => {
                    changes(out, at, "RUNNING", "FAIL_FINISHING_CONTAINER");
                    ("FAIL_FINISHING_CONTAINER", "TA_CONTAINER_COMPLETED", 500_000)
                }
            };
            out.info(
                at + after,
                &logger,
                format_args!(
                    "{id} transitioned from state {from} to FAILED, event type is {event} and nodeId={host}:{PORT}"
                ),
            );
        }
        _ => changes(out, at, "RUNNING", "KILL_CONTAINER_CLEANUP"),
    }
    match row.withdrawn {
        Some((at, Error::LostNode)) => {
            out.info(
                at,
                &format!("{EVENTS} {BASE}.job.impl.JobImpl"),
                format_args!("TaskAttempt killed because it ran on unusable node {host}:{PORT}. AttemptId:{id}"),
            );
            changes(out, at, "SUCCEEDED", "KILLED");
        }
        Some((at, _)) => changes(out, at, "SUCCEEDED", "FAILED"),
        None => {}
    }
}

/// What an attempt's own code says as it ends.
pub(super) const fn exception(error: Error) -> &'static str {
    match error {
        Error::NoSpace => "org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device",
        Error::Application => "java.lang.NumberFormatException: For input string: \"n/a\"",
        _ => "",
    }
}

/// What history and master's log tell of an attempt that failed.
pub(super) fn diagnostics(id: &str, error: Error) -> String {
    match error {
        Error::NoSpaceAtStart => "No space available in any of the local directories.".to_owned(),
        Error::NoSpace | Error::Application => format!("Error: {}", exception(error)),
        Error::TimedOut => {
            let seconds = super::super::master::TASK_TIMEOUT_S as u64;
            format!(
                "AttemptID:{id} task timeout set: {seconds}s, taskTimedOut: true; task stuck timeout set: 600s, taskStuck: false"
            )
        }
        Error::LostNode => "Container released on a *lost* node".to_owned(),
        Error::FetchFailures => "Too Many fetch failures. Failing the attempt".to_owned(),
        Error::NotNeeded | Error::JobEnded => String::new(),
    }
}
