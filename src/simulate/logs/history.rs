//! Job history of 0.20.2 (version 1): records of `KEY="value"`, ended by ` .`.

use super::super::record::{End, Error, Kind};
use super::super::{Attempt, Micros, Run};
use super::View;
use super::jobtracker::error_text;
use std::fmt::Write;

/// Characters of a value that are escaped: `JobHistory.escapeString`.
fn escaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        if matches!(c, '"' | '=' | '.' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The file's name and text.
pub(super) fn text(view: &View<'_>, job: usize) -> (String, String) {
    let run = view.run;
    let row = &run.jobs[job];
    let id = run.job_id(row.number);
    let mut rows: Vec<(Micros, String)> = Vec::new();
    let mut say = |at: Micros, text: String| rows.push((at, text));
    let path = escaped(&format!("hdfs://{}:9000/hadoop/mapred/system/{id}/job.xml", run.master()));
    say(
        0,
        format!(
            "Job JOBID=\"{id}\" JOBNAME=\"{}\" USER=\"hadoop\" SUBMIT_TIME=\"{}\" JOBCONF=\"{path}\" .",
            escaped(row.name),
            run.ms(row.submitted)
        ),
    );
    say(0, format!("Job JOBID=\"{id}\" JOB_PRIORITY=\"NORMAL\" ."));
    say(
        row.launched,
        format!(
            "Job JOBID=\"{id}\" LAUNCH_TIME=\"{}\" TOTAL_MAPS=\"{}\" TOTAL_REDUCES=\"{}\" JOB_STATUS=\"PREP\" .",
            run.ms(row.launched),
            row.maps.len(),
            row.reduces.len()
        ),
    );
    let tasks = row.setup.iter().chain(&row.maps).chain(&row.reduces).chain(&row.cleanup);
    for task in tasks {
        task_rows(view, *task, &mut say);
    }
    if let Some(at) = row.setup.and_then(|t| run.tasks[t].done_at) {
        say(at, format!("Job JOBID=\"{id}\" JOB_STATUS=\"RUNNING\" ."));
    }
    if let Some(at) = row.finished {
        let done = |tasks: &[usize]| tasks.iter().filter(|t| run.tasks[**t].done.is_some()).count();
        let failed = |tasks: &[usize]| tasks.iter().map(|t| run.tasks[*t].failures).sum::<u32>();
        let (status, counts) = match row.end {
            Some(End::Success) => (
                "SUCCESS",
                format!(" FAILED_MAPS=\"{}\" FAILED_REDUCES=\"{}\"", failed(&row.maps), failed(&row.reduces)),
            ),
            Some(End::Failed) => ("FAILED", String::new()),
            _ => ("KILLED", String::new()),
        };
        say(
            at + 3,
            format!(
                "Job JOBID=\"{id}\" FINISH_TIME=\"{}\" JOB_STATUS=\"{status}\" FINISHED_MAPS=\"{}\" FINISHED_REDUCES=\"{}\"{counts} .",
                run.ms(at),
                done(&row.maps),
                done(&row.reduces)
            ),
        );
    }
    rows.sort_by_key(|(at, _)| *at);
    let mut out = "Meta VERSION=\"1\" .\n".to_owned();
    for (_, text) in rows {
        out.push_str(&text);
        out.push('\n');
    }
    let name: String = row.name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '+' }).collect();
    (format!("{}_{}_{id}_hadoop_{name}", run.master(), run.epoch_ms), out)
}

const fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Setup => "SETUP",
        Kind::Map => "MAP",
        Kind::Reduce => "REDUCE",
        Kind::Cleanup => "CLEANUP",
    }
}

fn task_rows(view: &View<'_>, task: usize, say: &mut impl FnMut(Micros, String)) {
    let run = view.run;
    let row = &run.tasks[task];
    let Some(started) = row.started else { return };
    let (id, kind) = (run.task_id(task), type_name(row.kind));
    let splits: Vec<String> = row.at.iter().map(|n| format!("/default-rack/{}", run.nodes[*n].name)).collect();
    say(
        started,
        format!(
            "Task TASKID=\"{id}\" TASK_TYPE=\"{kind}\" START_TIME=\"{}\" SPLITS=\"{}\" .",
            run.ms(started),
            splits.join(",")
        ),
    );
    for attempt in &row.attempts {
        attempt_rows(view, *attempt, &id, kind, say);
    }
    if let Some(at) = row.failed_at {
        let error = run.last_failure(row).map(|(attempt, error)| error_text(view, attempt, error)).unwrap_or_default();
        say(
            at + 2,
            format!(
                "Task TASKID=\"{id}\" TASK_TYPE=\"{kind}\" TASK_STATUS=\"FAILED\" FINISH_TIME=\"{}\" ERROR=\"{}\" .",
                run.ms(at),
                escaped(&error)
            ),
        );
    }
    if let (Some(at), Some(attempt)) = (row.done_at, row.done) {
        let counters = counters(&run.attempts[attempt], row.kind);
        say(
            at + 2,
            format!(
                "Task TASKID=\"{id}\" TASK_TYPE=\"{kind}\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"{}\" COUNTERS=\"{counters}\" .",
                run.ms(at)
            ),
        );
    }
}

fn attempt_rows(view: &View<'_>, attempt: usize, task: &str, kind: &str, say: &mut impl FnMut(Micros, String)) {
    let run = view.run;
    let row = &run.attempts[attempt];
    let record = if kind == "REDUCE" { "ReduceAttempt" } else { "MapAttempt" };
    // 0.20 writes nothing of attempts that were alive when their job ended, or that are told of later.
    let over = run.jobs[run.tasks[row.task].job].finished.unwrap_or(run.end);
    let told = row.reported.filter(|at| row.error != Some(Error::JobEnded) && *at <= over);
    let Some(at) = told.or(row.withdrawn.map(|(at, _)| at)) else { return };
    let id = run.attempt_id(attempt);
    let head = format!("{record} TASK_TYPE=\"{kind}\" TASKID=\"{task}\" TASK_ATTEMPT_ID=\"{id}\"");
    if row.error != Some(Error::NoSpaceAtStart) {
        let begun = row.spawned.unwrap_or(row.launched);
        let tracker = escaped(&run.tracker(row.node));
        say(at, format!("{head} START_TIME=\"{}\" TRACKER_NAME=\"{tracker}\" HTTP_PORT=\"50060\" .", run.ms(begun)));
    }
    let host = &run.nodes[row.node].name;
    let finished = run.ms(row.finished.unwrap_or(at));
    match row.end.filter(|_| told.is_some()) {
        // It had ended, but its node was lost before it could tell.
        None => {}
        Some(End::Success) => {
            let phases = match (row.shuffled, row.sorted) {
                (Some(a), Some(b)) => format!(" SHUFFLE_FINISHED=\"{}\" SORT_FINISHED=\"{}\"", run.ms(a), run.ms(b)),
                _ => String::new(),
            };
            let state = state(run, row);
            let counters = counters(row, run.tasks[row.task].kind);
            say(
                at + 1,
                format!(
                    "{head} TASK_STATUS=\"SUCCESS\"{phases} FINISH_TIME=\"{finished}\" HOSTNAME=\"/default-rack/{host}\" STATE_STRING=\"{state}\" COUNTERS=\"{counters}\" ."
                ),
            );
        }
        Some(end) => {
            let status = if end == End::Failed { "FAILED" } else { "KILLED" };
            let error = row.error.map(|e| error_text(view, attempt, e)).unwrap_or_default();
            say(
                at + 1,
                format!(
                    "{head} TASK_STATUS=\"{status}\" FINISH_TIME=\"{finished}\" HOSTNAME=\"{host}\" ERROR=\"{}\" .",
                    escaped(&error)
                ),
            );
        }
    }
    if let Some((at, error)) = row.withdrawn {
        let (status, error) =
            (if error == Error::LostNode { "KILLED" } else { "FAILED" }, escaped(&error_text(view, attempt, error)));
        say(
            at,
            format!(
                "{head} TASK_STATUS=\"{status}\" FINISH_TIME=\"{}\" HOSTNAME=\"{host}\" ERROR=\"{error}\" .",
                run.ms(at)
            ),
        );
    }
}

fn state(run: &Run, row: &Attempt) -> String {
    let task = &run.tasks[row.task];
    match task.kind {
        Kind::Setup => "setup".to_owned(),
        Kind::Cleanup => "cleanup".to_owned(),
        Kind::Reduce => "reduce > reduce".to_owned(),
        Kind::Map if task.input > 0.0 => {
            format!("hdfs://{}:9000/data/part-{:05}:0+{}", run.master(), task.index, task.input as u64)
        }
        Kind::Map => String::new(),
    }
}

fn counters(row: &Attempt, kind: Kind) -> String {
    let mut out = String::from("{(org\\.apache\\.hadoop\\.mapred\\.Task$Counter)(Map-Reduce Framework)[");
    let spilled = ((row.file_written / 100.0) as u64, "SPILLED_RECORDS", "Spilled Records");
    let _ = write!(out, "({})({})({})]", spilled.1, spilled.2, spilled.0);
    if kind == Kind::Reduce {
        let _ = write!(out, "[(REDUCE_SHUFFLE_BYTES)(Reduce shuffle bytes)({})]", row.shuffle_bytes as u64);
    }
    out.push_str("}{(FileSystemCounters)(FileSystemCounters)");
    for (name, value) in [
        ("HDFS_BYTES_READ", row.hdfs_read),
        ("FILE_BYTES_READ", row.file_read),
        ("FILE_BYTES_WRITTEN", row.file_written),
        ("HDFS_BYTES_WRITTEN", row.hdfs_written),
    ] {
        if value > 0.0 {
            let _ = write!(out, "[({name})({name})({})]", value as u64);
        }
    }
    out.push('}');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_as_the_real_file_does() {
        assert_eq!(escaped("tracker_h1:localhost/127.0.0.1:46563"), "tracker_h1:localhost/127\\.0\\.0\\.1:46563");
        assert_eq!(escaped("For input string: \"n/a\""), "For input string: \\\"n/a\\\"");
    }
}
