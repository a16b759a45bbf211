//! `syslog` and `syslog.shuffle` of a container, 3.3.6.

use super::super::record::{End, Error, Kind};
use super::{Lines, View};

const TASK: &str = "org.apache.hadoop.mapred.Task";
const MAP: &str = "org.apache.hadoop.mapred.MapTask";
const SHUFFLE: &str = "org.apache.hadoop.mapreduce.task.reduce";

/// The files' names and texts; none where the process never spoke.
pub(super) fn texts(view: &View<'_>, attempt: usize) -> Vec<(&'static str, String)> {
    let run = view.run;
    let row = &run.attempts[attempt];
    let Some(up) = row.up else { return Vec::new() };
    let id = run.attempt_id(attempt);
    let mut out = Lines::new(run, run.silent_from(row.node));
    let main =
        |out: &mut Lines<'_>, at, logger: &str, text: String| out.say(at, format!("INFO [main] {logger}: {text}"));
    let kind = view.kind(row);
    let system = if kind == Kind::Reduce { "ReduceTask" } else { "MapTask" };
    main(&mut out, up, "org.apache.hadoop.metrics2.impl.MetricsSystemImpl", format!("{system} metrics system started"));
    main(
        &mut out,
        up + 10_000,
        "org.apache.hadoop.mapred.YarnChild",
        format!(
            "mapreduce.cluster.local.dir for child: /hadoop/nm-local/usercache/hadoop/appcache/{}",
            run.application_id(run.jobs[run.tasks[row.task].job].number)
        ),
    );
    if kind == Kind::Map {
        let task = &run.tasks[row.task];
        let split = format!(
            "Processing split: hdfs://{}:9000/data/part-m-{:05}:0+{}",
            run.master(),
            task.index,
            task.input as u64
        );
        main(&mut out, up + 20_000, MAP, split);
        if let Some(at) = row.worked.filter(|_| row.file_written > 0.0) {
            main(&mut out, at.saturating_sub(400_000).max(up + 30_000), MAP, "Starting flush of map output".to_owned());
            main(&mut out, at.saturating_sub(100_000).max(up + 40_000), MAP, "Finished spill 0".to_owned());
        }
    } else {
        main(
            &mut out,
            up + 20_000,
            "org.apache.hadoop.mapred.ReduceTask",
            format!("Using ShuffleConsumerPlugin: {SHUFFLE}.Shuffle@12d3a4e9"),
        );
    }
    if let Some(at) = row.worked {
        main(&mut out, at, TASK, format!("Task:{id} is done. And is in the process of committing"));
    }
    match (row.finished, row.end, row.error) {
        (Some(at), Some(End::Success), _) => {
            if row.hdfs_written > 0.0 {
                main(&mut out, at.saturating_sub(20_000), TASK, format!("Task {id} is allowed to commit now"));
            }
            main(&mut out, at, TASK, format!("Task '{id}' done."));
        }
        (Some(at), _, Some(error @ (Error::NoSpace | Error::Application))) => {
            out.say(
                at.saturating_sub(50_000),
                format!(
                    "WARN [main] org.apache.hadoop.mapred.YarnChild: Exception running child : {}",
                    super::am::exception(error)
                ),
            );
        }
        _ => {}
    }
    let mut files = vec![("syslog", out.text())];
    if kind == Kind::Reduce {
        files.push(("syslog.shuffle", shuffle(view, attempt, &id)));
    }
    files
}

fn shuffle(view: &View<'_>, attempt: usize, id: &str) -> String {
    let run = view.run;
    let row = &run.attempts[attempt];
    let mut out = Lines::new(run, run.silent_from(row.node));
    let events = "[EventFetcher for fetching Map Completion Events]";
    let up = row.up.unwrap_or(0);
    out.say(
        up + 100_000,
        format!(
            "INFO {events} {SHUFFLE}.EventFetcher: {id} Thread started: EventFetcher for fetching Map Completion Events"
        ),
    );
    for (at, count) in &row.polls {
        out.say(*at, format!("INFO {events} {SHUFFLE}.EventFetcher: {id}: Got {count} new map-outputs"));
    }
    for fetch in View::of(&view.fetches, attempt) {
        let (n, map) = (fetch.fetcher, run.attempt_id(fetch.map));
        let host = &run.nodes[run.attempts[fetch.map].node].name;
        let Some(ended) = fetch.ended else { continue };
        let bytes = fetch.bytes as u64;
        let plain = bytes.saturating_sub(4);
        if fetch.good {
            out.say(fetch.flowing, format!("INFO [fetcher#{n}] {SHUFFLE}.Fetcher: fetcher#{n} about to shuffle output of map {map} decomp: {plain} len: {bytes} to MEMORY"));
            out.say(
                ended,
                format!("INFO [fetcher#{n}] {SHUFFLE}.InMemoryMapOutput: Read {plain} bytes from map-output for {map}"),
            );
            out.say(
                ended + 1000,
                format!(
                    "INFO [fetcher#{n}] {SHUFFLE}.ShuffleSchedulerImpl: {host}:13562 freed by fetcher#{n} in {}ms",
                    ended.saturating_sub(fetch.begun) / 1000
                ),
            );
        } else if fetch.penalty_s > 0 {
            out.say(ended, format!("WARN [fetcher#{n}] {SHUFFLE}.Fetcher: Failed to connect to {host}:13562 with 1 map outputs\njava.net.ConnectException: Connection refused"));
        }
    }
    if let Some(at) = row.shuffled {
        let good = View::of(&view.fetches, attempt).iter().filter(|f| f.good).count();
        out.say(at, format!("INFO [main] {SHUFFLE}.MergeManagerImpl: finalMerge called with {good} in-memory map-outputs and 0 on-disk map-outputs"));
        if let Some(sorted) = row.sorted {
            out.say(sorted, format!("INFO [main] org.apache.hadoop.mapred.Merger: Down to the last merge-pass, with 1 segments left of total size: {} bytes", row.shuffle_bytes as u64));
        }
    }
    out.text()
}
