//! TaskTracker of 0.20.2.

use super::super::record::{End, Error, Fetch, Kind};
use super::super::{Attempt, Micros};
use super::{Lines, View};

const LOGGER: &str = "org.apache.hadoop.mapred.TaskTracker";
const JVMS: &str = "org.apache.hadoop.mapred.JvmManager";
const RUNNER: &str = "org.apache.hadoop.mapred.TaskRunner";
/// Attempts report so often.
const PROGRESS: Micros = 3_000_000;
const SLOTS: usize = 2;

pub(super) fn text(view: &View<'_>, node: usize) -> String {
    let run = view.run;
    let mut out = Lines::new(run, run.silent_from(node));
    let host = format!("{}/{}", run.nodes[node].name, run.ip(node));
    out.start(1_000_000, LOGGER, "TaskTracker", &host, "0.20.2");
    out.info(2_200_000, LOGGER, format_args!("Starting tracker {}", run.tracker(node)));
    for attempt in View::of(&view.attempts, node) {
        write_attempt(view, *attempt, &mut out);
    }
    for fetch in View::of(&view.served, node) {
        if fetch.good {
            serve(view, node, fetch, &mut out);
        }
    }
    for job in run.jobs.iter() {
        let here = View::of(&view.attempts, node)
            .iter()
            .any(|a| run.jobs[run.tasks[run.attempts[*a].task].job].number == job.number);
        if let Some(finished) = job.finished.filter(|_| here) {
            let at = finished + 1_500_000 + (node as u64 * 37) % 1_000_000;
            out.info(at, LOGGER, format_args!("Received 'KillJobAction' for job: {}", run.job_id(job.number)));
        }
    }
    out.stop(LOGGER, "TaskTracker", &host);
    out.text()
}

fn serve(view: &View<'_>, node: usize, fetch: &Fetch, out: &mut Lines<'_>) {
    let run = view.run;
    let Some(at) = fetch.ended else { return };
    let reduce = &run.attempts[fetch.reduce];
    let (map, bytes) = (run.attempt_id(fetch.map), fetch.bytes as u64);
    let index = run.tasks[reduce.task].index;
    out.info(
        at,
        LOGGER,
        format_args!(
            "Sent out {bytes} bytes for reduce: {index} from map: {map} given {bytes}/{}",
            bytes.saturating_sub(4)
        ),
    );
    let (src, dest, port) = (view.ip(node), view.ip(reduce.node), fetch.port);
    out.say(
        at,
        format!("INFO {LOGGER}.clienttrace: src: {src}:50060, dest: {dest}:{port}, bytes: {bytes}, op: MAPRED_SHUFFLE, cliID: {map}"),
    );
}

fn write_attempt(view: &View<'_>, attempt: usize, out: &mut Lines<'_>) {
    let run = view.run;
    let (row, id) = (&run.attempts[attempt], run.attempt_id(attempt));
    let kind = view.kind(row);
    let at = row.launched;
    out.info(at, LOGGER, format_args!("LaunchTaskAction (registerTask): {id} task's state:UNASSIGNED"));
    out.info(at, LOGGER, format_args!("Trying to launch : {id}"));
    out.info(
        at + 1000,
        LOGGER,
        format_args!("In TaskLauncher, current free slots : {SLOTS} and trying to launch {id}"),
    );
    if row.error == Some(Error::NoSpaceAtStart) {
        let at = row.finished.unwrap_or(at);
        let job = run.job_id(run.jobs[run.tasks[row.task].job].number);
        out.say(at, format!("WARN {LOGGER}: Error initializing {id}:\njava.io.IOException: Mkdirs failed to create /hadoop/mapred/local/taskTracker/jobcache/{job}/{id}"));
    }
    let jvm = jvm_id(run, attempt);
    if let Some(at) = row.spawned {
        out.info(at, JVMS, format_args!("In JvmRunner constructed JVM ID: {jvm}"));
        out.info(at + 1000, JVMS, format_args!("JVM Runner {jvm} spawned."));
    }
    if let Some(at) = row.up {
        out.info(
            at.saturating_sub(300_000).max(row.spawned.unwrap_or(0) + 2000),
            LOGGER,
            format_args!("JVM with ID: {jvm} given task: {id}"),
        );
        progress(view, row, attempt, &id, out);
    }
    finish(row, kind, &id, &jvm, out);
}

/// A JVM's id: a number that Java draws.
fn jvm_id(run: &super::super::Run, attempt: usize) -> String {
    let number = (attempt as u64 + 1).wrapping_mul(2_654_435_769).wrapping_add(run.spec.seed) as u32 as i32;
    let letter = if run.tasks[run.attempts[attempt].task].kind == Kind::Reduce { 'r' } else { 'm' };
    let job = run.job_id(run.jobs[run.tasks[run.attempts[attempt].task].job].number);
    format!("{}_{letter}_{number}", job.replacen("job", "jvm", 1))
}

fn progress(view: &View<'_>, row: &Attempt, attempt: usize, id: &str, out: &mut Lines<'_>) {
    let run = view.run;
    let task = &run.tasks[row.task];
    let (Some(up), last) = (row.up, row.finished.unwrap_or(run.end)) else { return };
    let state = |done: f64, text: &str| format!("INFO {LOGGER}: {id} {:?}% {text}", done as f32);
    match task.kind {
        Kind::Setup => out.say(up + 100_000, state(0.0, "setup")),
        Kind::Cleanup => out.say(up + 100_000, state(0.0, "cleanup")),
        Kind::Map => {
            if row.error == Some(Error::TimedOut) {
                // It stands at its first words.
                return out.say(up + PROGRESS, state(0.0, ""));
            }
            let text = if task.input > 0.0 {
                format!("hdfs://{}:9000/data/part-{:05}:0+{}", run.master(), task.index, task.input as u64)
            } else {
                String::new()
            };
            let work = row.worked.unwrap_or(last).saturating_sub(up).max(1);
            let mut at = up + PROGRESS;
            while at < last.min(up + work) {
                out.say(at, state((at - up) as f64 / work as f64, &text));
                at += PROGRESS;
            }
            if let Some(worked) = row.worked {
                out.say(worked, state(1.0, &text));
            }
        }
        Kind::Reduce => {
            let fetches = View::of(&view.fetches, attempt);
            let maps = run.jobs[task.job].maps.len().max(1);
            let end = row.worked.unwrap_or(last);
            let mut at = up + PROGRESS;
            while at < end {
                let (done, text) = reduce_state(row, fetches, maps, at, end);
                out.say(at, state(done, &text));
                // A hung reduce says no more.
                if row.error == Some(Error::TimedOut)
                    && at > fetches.iter().filter_map(|f| f.ended).max().unwrap_or(0).max(row.shuffled.unwrap_or(0))
                {
                    break;
                }
                at += PROGRESS;
            }
        }
    }
}

fn reduce_state(row: &Attempt, fetches: &[&Fetch], maps: usize, at: Micros, end: Micros) -> (f64, String) {
    if row.sorted.is_some_and(|sorted| at >= sorted) {
        let begun = row.sorted.unwrap_or(at);
        let part = (at - begun) as f64 / end.saturating_sub(begun).max(1) as f64;
        return (2.0 / 3.0 + part / 3.0, "reduce > reduce".to_owned());
    }
    if row.shuffled.is_some_and(|shuffled| at >= shuffled) {
        return (0.34, "reduce > sort".to_owned());
    }
    let got: Vec<f64> =
        fetches.iter().filter(|f| f.good && f.ended.is_some_and(|e| e <= at)).map(|f| f.bytes).collect();
    let seconds = at.saturating_sub(row.up.unwrap_or(at)).max(1) as f64 / 1e6;
    let rate = got.iter().sum::<f64>() / 1_048_576.0 / seconds;
    if got.is_empty() {
        return (0.0, "reduce > copy > ".to_owned());
    }
    (got.len() as f64 / maps as f64 / 3.0, format!("reduce > copy ({} of {maps} at {rate:.2} MB/s) > ", got.len()))
}

fn finish(row: &Attempt, kind: Kind, id: &str, jvm: &str, out: &mut Lines<'_>) {
    let Some(at) = row.finished else { return };
    let exited = |out: &mut Lines<'_>| {
        out.info(at + 250_000, JVMS, format_args!("JVM : {jvm} exited. Number of tasks it ran: 1"))
    };
    match (row.end, row.error) {
        (Some(End::Success), _) => {
            if let Some(worked) = row.worked.filter(|_| row.hdfs_written > 0.0) {
                out.info(worked, LOGGER, format_args!("Task {id} is in commit-pending, task state:COMMIT_PENDING"));
                out.info(at.saturating_sub(200_000), LOGGER, format_args!("Received commit task action for {id}"));
            }
            out.info(at, LOGGER, format_args!("Task {id} is done."));
            out.info(
                at,
                LOGGER,
                format_args!(
                    "reported output size for {id}  was {}",
                    if kind == Kind::Map { row.file_written as u64 } else { 0 }
                ),
            );
            out.info(at, LOGGER, format_args!("addFreeSlot : current free slots : {SLOTS}"));
            exited(out);
            if kind == Kind::Reduce
                && let Some(reported) = row.reported
            {
                purge(out, reported + 40_000, id, true);
            }
        }
        (_, Some(Error::TimedOut)) => {
            let seconds = super::super::master::TASK_TIMEOUT_S as u64;
            out.info(
                at,
                LOGGER,
                format_args!("{id}: Task {id} failed to report status for {seconds} seconds. Killing!"),
            );
            purge(out, at + 1000, id, false);
            exited(out);
        }
        (_, Some(Error::NotNeeded | Error::JobEnded)) => purge(out, at, id, true),
        (_, Some(Error::NoSpaceAtStart)) => {}
        _ => {
            exited(out);
            out.info(at + 300_000, RUNNER, format_args!("{id} done; removing files."));
            // The master answers the report with an order.
            if let Some(reported) = row.reported {
                out.info(reported + 3_000_000, LOGGER, format_args!("Received KillTaskAction for task: {id}"));
            }
        }
    }
}

fn purge(out: &mut Lines<'_>, at: Micros, id: &str, ordered: bool) {
    if ordered {
        out.info(at, LOGGER, format_args!("Received KillTaskAction for task: {id}"));
    }
    out.info(at, LOGGER, format_args!("About to purge task: {id}"));
    out.info(at, RUNNER, format_args!("{id} done; removing files."));
}
