//! JobTracker of 0.20.2.

use super::super::master::{TASK_FAILURES, TASK_TIMEOUT_S};
use super::super::record::{End, Error, Kind, Notice};
use super::super::{Attempt, Micros};
use super::{Lines, View};

const LOGGER: &str = "org.apache.hadoop.mapred.JobTracker";
const JOBS: &str = "org.apache.hadoop.mapred.JobInProgress";
const TASKS: &str = "org.apache.hadoop.mapred.TaskInProgress";

pub(super) fn text(view: &View<'_>) -> String {
    let run = view.run;
    let mut out = Lines::new(run, None);
    let host = format!("{}/10.88.1.10", run.master());
    out.start(200_000, LOGGER, "JobTracker", &host, "0.20.2");
    out.info(4_000_000, LOGGER, "Starting RUNNING");
    for node in run.nodes.iter() {
        out.info(
            4_500_000,
            "org.apache.hadoop.net.NetworkTopology",
            format_args!("Adding a new node: /default-rack/{}", node.name),
        );
    }
    for job in run.jobs.iter() {
        let id = run.job_id(job.number);
        out.info(job.submitted + 1000, LOGGER, format_args!("Initializing {id}"));
        out.info(job.submitted + 2000, JOBS, format_args!("Initializing {id}"));
        let bytes: f64 = job.maps.iter().map(|t| run.tasks[*t].input).sum();
        out.info(
            job.launched,
            JOBS,
            format_args!("Input size for job {id} = {}. Number of splits = {}", bytes as u64, job.maps.len()),
        );
        for task in &job.maps {
            for node in &run.tasks[*task].at {
                out.info(
                    job.launched,
                    JOBS,
                    format_args!(
                        "tip:{} has split on node:/default-rack/{}",
                        run.task_id(*task),
                        run.nodes[*node].name
                    ),
                );
            }
        }
        for task in job.maps.iter().chain(&job.reduces) {
            if let Some(at) = run.tasks[*task].failed_at {
                let name = run.task_id(*task);
                out.info(at, TASKS, format_args!("TaskInProgress {name} has failed {TASK_FAILURES} times."));
                out.info(at, JOBS, format_args!("Aborting job {id}"));
            }
        }
        if let Some(at) = job.finished.filter(|_| job.end != Some(End::Success)) {
            out.info(at + 1000, JOBS, format_args!("Killing job '{id}'"));
        }
        if let (Some(at), Some(End::Success)) = (job.finished, job.end) {
            out.info(at, JOBS, format_args!("Job {id} has completed successfully."));
        }
    }
    for (attempt, row) in run.attempts.iter().enumerate() {
        write_attempt(view, attempt, row, &mut out);
    }
    for (at, node, notice) in &run.notices {
        notice_text(view, *at, *node, *notice, &mut out);
    }
    out.stop(LOGGER, "JobTracker", &host);
    out.text()
}

fn write_attempt(view: &View<'_>, attempt: usize, row: &Attempt, out: &mut Lines<'_>) {
    let run = view.run;
    let (id, task) = (run.attempt_id(attempt), run.task_id(row.task));
    let at = row.assigned;
    out.info(at, LOGGER, format_args!("Adding task '{id}' to tip {task}, for tracker '{}'", run.tracker(row.node)));
    if view.kind(row) == Kind::Map && run.tasks[row.task].input > 0.0 {
        let how = if row.local { "data-local" } else { "rack-local" };
        out.info(at, JOBS, format_args!("Choosing {how} task {task}"));
    }
    if let Some(at) = row.reported {
        match (row.end, row.error) {
            (Some(End::Success), _) => {
                out.info(at, JOBS, format_args!("Task '{id}' has completed {task} successfully."));
            }
            (_, Some(Error::NotNeeded | Error::JobEnded)) => {}
            (_, Some(error)) => {
                out.info(at, TASKS, format_args!("Error from {id}: {}", error_text(view, attempt, error)))
            }
            _ => {}
        }
        out.info(
            at + 3_000_000,
            LOGGER,
            format_args!("Removed completed task '{id}' from '{}'", run.tracker(row.node)),
        );
    }
    if let Some((at, error)) = row.withdrawn {
        out.info(at, TASKS, format_args!("Error from {id}: {}", error_text(view, attempt, error)));
    }
}

/// What is told of an attempt that did not succeed.
pub(super) fn error_text(view: &View<'_>, attempt: usize, error: Error) -> String {
    let run = view.run;
    let row = &run.attempts[attempt];
    let id = run.attempt_id(attempt);
    match error {
        Error::NoSpaceAtStart => {
            let job = run.job_id(run.jobs[run.tasks[row.task].job].number);
            format!("Error initializing {id}:\njava.io.IOException: Mkdirs failed to create /hadoop/mapred/local/taskTracker/jobcache/{job}/{id}\n\tat org.apache.hadoop.mapred.TaskTracker$TaskInProgress.localizeTask(TaskTracker.java:1812)\n")
        }
        Error::NoSpace => "java.io.IOException: No space left on device\n\tat java.io.FileOutputStream.writeBytes(Native Method)\n\tat java.io.BufferedOutputStream.flushBuffer(BufferedOutputStream.java:65)\n".to_owned(),
        Error::TimedOut => format!("Task {id} failed to report status for {} seconds. Killing!", TASK_TIMEOUT_S as u64),
        Error::Application => "java.lang.NumberFormatException: For input string: \"n/a\"\n\tat java.lang.Integer.parseInt(Integer.java:449)\n\tat app.Extract$ExtractMapper.map(Extract.java:50)\n\tat org.apache.hadoop.mapred.MapRunner.run(MapRunner.java:50)\n\tat org.apache.hadoop.mapred.Child.main(Child.java:170)\n".to_owned(),
        Error::LostNode => format!("Lost task tracker: {}", run.tracker(row.node)),
        Error::FetchFailures => "Too many fetch-failures".to_owned(),
        Error::NotNeeded | Error::JobEnded => String::new(),
    }
}

fn notice_text(view: &View<'_>, at: Micros, node: usize, notice: Notice, out: &mut Lines<'_>) {
    let run = view.run;
    match notice {
        Notice::Lost => out.info(at, LOGGER, format_args!("Lost tracker '{}'", run.tracker(node))),
        Notice::Blacklisted(_) => {
            out.info(at, JOBS, format_args!("TaskTracker at '{}' turned 'flaky'", run.nodes[node].name))
        }
        Notice::FetchFailed(map, count) => {
            let id = run.attempt_id(map);
            out.info(at, JOBS, format_args!("Failed fetch notification #{count} for task {id}"));
            if count == 3 {
                out.info(at, JOBS, format_args!("Too many fetch-failures for output of task: {id} ... killing it"));
            }
        }
        Notice::Unhealthy => {}
    }
}
