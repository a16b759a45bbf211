//! `syslog` of an attempt, 0.20.2.

use super::super::record::{End, Error, Kind};
use super::{Lines, View};

const REDUCE: &str = "org.apache.hadoop.mapred.ReduceTask";
const MAP: &str = "org.apache.hadoop.mapred.MapTask";
const RUNNER: &str = "org.apache.hadoop.mapred.TaskRunner";

/// `None` where its process never spoke.
pub(super) fn text(view: &View<'_>, attempt: usize) -> Option<String> {
    let run = view.run;
    let row = &run.attempts[attempt];
    let up = row.up?;
    let id = run.attempt_id(attempt);
    let mut out = Lines::new(run, run.silent_from(row.node));
    let kind = view.kind(row);
    let name = if kind == Kind::Reduce { "SHUFFLE" } else { "MAP" };
    out.info(
        up,
        "org.apache.hadoop.metrics.jvm.JvmMetrics",
        format_args!("Initializing JVM Metrics with processName={name}, sessionId="),
    );
    match kind {
        Kind::Map => {
            let reduces = run.jobs[run.tasks[row.task].job].reduces.len();
            out.info(up + 200_000, MAP, format_args!("numReduceTasks: {reduces}"));
            if let Some(at) = row.worked.filter(|_| reduces > 0) {
                out.info(up + 210_000, MAP, "io.sort.mb = 100");
                out.info(at.saturating_sub(400_000).max(up + 220_000), MAP, "Starting flush of map output");
                out.info(at.saturating_sub(100_000).max(up + 230_000), MAP, "Finished spill 0");
            }
        }
        Kind::Reduce => copying(view, attempt, &id, &mut out),
        Kind::Setup | Kind::Cleanup => {}
    }
    if let Some(at) = row.worked {
        out.info(at, RUNNER, format_args!("Task:{id} is done. And is in the process of commiting"));
    }
    match (row.finished, row.end, row.error) {
        (Some(at), Some(End::Success), _) => {
            if row.hdfs_written > 0.0 {
                out.info(
                    at.saturating_sub(150_000).max(row.worked.unwrap_or(0)),
                    RUNNER,
                    format_args!("Task attempt {id} is allowed to commit now"),
                );
            }
            out.info(at, RUNNER, format_args!("Task '{id}' done."));
        }
        (Some(at), _, Some(error @ (Error::NoSpace | Error::Application))) => {
            let text = super::jobtracker::error_text(view, attempt, error);
            out.say(at, format!("WARN org.apache.hadoop.mapred.TaskTracker: Error running child\n{}", text.trim_end()));
            out.info(at + 100_000, RUNNER, "Runnning cleanup for the task");
        }
        _ => {}
    }
    Some(out.text())
}

fn copying(view: &View<'_>, attempt: usize, id: &str, out: &mut Lines<'_>) {
    let run = view.run;
    let row = &run.attempts[attempt];
    let up = row.up.unwrap_or(0);
    out.info(up + 10_000, REDUCE, "ShuffleRamManager: MemoryLimit=141937872, MaxSingleShuffleLimit=35484468");
    out.info(up + 20_000, REDUCE, format_args!("{id} Thread started: Thread for polling Map Completion Events"));
    for (at, count) in &row.polls {
        out.info(*at, REDUCE, format_args!("{id}: Got {count} new map-outputs"));
    }
    for fetch in View::of(&view.fetches, attempt) {
        let map = run.attempt_id(fetch.map);
        let host = &run.nodes[run.attempts[fetch.map].node].name;
        let Some(ended) = fetch.ended else { continue };
        if fetch.good {
            let bytes = fetch.bytes as u64;
            let plain = bytes.saturating_sub(4);
            out.info(
                fetch.flowing,
                REDUCE,
                format_args!("header: {map}, compressed len: {bytes}, decompressed len: {plain}"),
            );
            out.info(
                fetch.flowing,
                REDUCE,
                format_args!("Shuffling {plain} bytes ({bytes} raw bytes) into RAM from {map}"),
            );
            out.info(ended, REDUCE, format_args!("Read {plain} bytes from map-output for {map}"));
            out.info(ended + 1000, REDUCE, format_args!("Rec #1 from {map} -> (213, 9252) from {host}"));
        } else if fetch.penalty_s > 0 {
            out.say(ended, format!("WARN {REDUCE}: {id} copy failed: {map} from {host}"));
            out.say(ended, format!("WARN {REDUCE}: java.net.ConnectException: Connection refused"));
            out.say(
                ended,
                format!(
                    "WARN {REDUCE}: {id} adding host {host} to penalty box, next contact in {} seconds",
                    fetch.penalty_s
                ),
            );
        }
    }
    if let Some(at) = row.shuffled {
        let bytes = row.shuffle_bytes as u64;
        out.info(at, REDUCE, "Closed ram manager");
        out.info(at, REDUCE, "Interleaved on-disk merge complete: 2 files left.");
        out.info(at, REDUCE, format_args!("In-memory merge complete: {} files left.", 11));
        if let Some(sorted) = row.sorted {
            out.info(sorted, REDUCE, format_args!("Merging 3 files, {bytes} bytes from disk"));
            out.info(
                sorted,
                "org.apache.hadoop.mapred.Merger",
                format_args!("Down to the last merge-pass, with 3 segments left of total size: {bytes} bytes"),
            );
        }
    }
}
