//! Logs of jobs made by hand: a JobTracker's history, and DataNodes' and TaskTrackers' logs
//! with the lines of 0.20 that tell of their data, read as the program would read them.
#![allow(dead_code, reason = "each test file takes what it needs")]

use oddnode::base::Timestamp;
use oddnode::model::{Digest, Trace};
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use oddnode::states;
use std::collections::BTreeMap;
use std::fmt::Write;

/// When the logs begin: 2026-11-20T22:00:00 UTC.
pub const BEGIN_MS: i64 = 1_795_212_000_000;

/// A Map or a Reduce; times in milliseconds from the begin, volumes in bytes.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Number of its node.
    pub node: usize,
    pub start: i64,
    pub end: i64,
    /// Of a Reduce.
    pub copied: i64,
    pub sorted: i64,
    /// Read from its block, and the node that has it.
    pub read: u64,
    pub from: usize,
    /// Written to the file system.
    pub written: u64,
    /// `SUCCESS`, `FAILED` or `KILLED`; empty: the first.
    pub status: &'static str,
}

/// A job: each Map sends `sends(map, reduce)` bytes to each Reduce.
#[derive(Clone, Debug, Default)]
pub struct Job {
    pub name: &'static str,
    pub number: u32,
    pub launch: i64,
    pub finish: i64,
    pub maps: Vec<Made>,
    pub reduces: Vec<Made>,
    pub sends: Vec<Vec<u64>>,
    /// Reduces side by side on a node, as its configuration has it.
    pub reduce_slots: Option<u32>,
}

/// Which of a cluster's logs there are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Logs {
    /// Histories alone.
    Histories,
    /// And those of the slaves.
    All,
    /// The slaves' do not name the clients of blocks.
    Nameless,
}

fn attempt(job: u32, letter: char, i: usize) -> String {
    format!("attempt_202611202200_{job:04}_{letter}_{i:06}_0")
}

fn history(job: &Job) -> String {
    let mut text = "Meta VERSION=\"1\" .\n".to_owned();
    let id = format!("job_202611202200_{:04}", job.number);
    let at = |ms: i64| BEGIN_MS + ms;
    let _ = writeln!(
        text,
        "Job JOBID=\"{id}\" JOBNAME=\"{}\" USER=\"u\" SUBMIT_TIME=\"{}\" JOBCONF=\"hdfs://n0:9000/job\\.xml\" .",
        job.name,
        at(job.launch)
    );
    let (maps, reduces) = (job.maps.len(), job.reduces.len());
    let _ = writeln!(
        text,
        "Job JOBID=\"{id}\" LAUNCH_TIME=\"{}\" TOTAL_MAPS=\"{maps}\" TOTAL_REDUCES=\"{reduces}\" JOB_STATUS=\"PREP\" .",
        at(job.launch)
    );
    for (letter, kind, record, tasks) in [('m', "MAP", "Map", &job.maps), ('r', "REDUCE", "Reduce", &job.reduces)] {
        for (i, t) in tasks.iter().enumerate() {
            let a = attempt(job.number, letter, i);
            let task = a.replace("attempt", "task").trim_end_matches("_0").to_owned();
            let head = format!("{record}Attempt TASK_TYPE=\"{kind}\" TASKID=\"{task}\" TASK_ATTEMPT_ID=\"{a}\"");
            let node = t.node + 1;
            let _ = writeln!(
                text,
                "{head} START_TIME=\"{}\" TRACKER_NAME=\"tracker_n{node}:localhost/127\\.0\\.0\\.1:4{node:04}\" HTTP_PORT=\"50060\" .",
                at(t.start)
            );
            let phases = if letter == 'r' {
                format!("SHUFFLE_FINISHED=\"{}\" SORT_FINISHED=\"{}\" ", at(t.copied), at(t.sorted))
            } else {
                String::new()
            };
            let moved: u64 = if letter == 'm' {
                job.sends.get(i).map_or(0, |row| row.iter().sum())
            } else {
                job.sends.iter().filter_map(|row| row.get(i)).sum()
            };
            let own = if letter == 'r' {
                format!("[(REDUCE_SHUFFLE_BYTES)(Reduce shuffle bytes)({moved})]")
            } else {
                format!("[(MAP_OUTPUT_BYTES)(Map output bytes)({moved})]")
            };
            let status = if t.status.is_empty() { "SUCCESS" } else { t.status };
            let counters = format!(
                "{{(FileSystemCounters)(FileSystemCounters)[(HDFS_BYTES_READ)(HDFS_BYTES_READ)({})][(HDFS_BYTES_WRITTEN)\
                 (HDFS_BYTES_WRITTEN)({})]}}{{(x)(Map-Reduce Framework){own}}}",
                t.read, t.written
            );
            let counters = if status == "SUCCESS" { format!("COUNTERS=\"{counters}\" ") } else { String::new() };
            let _ = writeln!(
                text,
                "{head} TASK_STATUS=\"{status}\" {phases}FINISH_TIME=\"{}\" HOSTNAME=\"/default-rack/n{node}\" \
                 STATE_STRING=\"x\" {counters}.",
                at(t.end)
            );
        }
    }
    let _ = writeln!(
        text,
        "Job JOBID=\"{id}\" FINISH_TIME=\"{}\" JOB_STATUS=\"SUCCESS\" FINISHED_MAPS=\"{maps}\" FINISHED_REDUCES=\"{reduces}\" .",
        at(job.finish)
    );
    text
}

fn ip(node: usize) -> String {
    format!("10.0.{}.{}", node / 200, node % 200 + 1)
}

/// The slaves' logs: lines with their time, to be sorted.
type Lines = BTreeMap<usize, Vec<(i64, String)>>;

fn slaves(job: &Job, names: bool, datanodes: &mut Lines, trackers: &mut Lines) {
    let mut block = i64::from(job.number) * 1_000_000;
    let client = |letter, i| {
        if names { format!(", cliID: DFSClient_{}", attempt(job.number, letter, i)) } else { String::new() }
    };
    let trace = "INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace:";
    for (letter, tasks) in [('m', &job.maps), ('r', &job.reduces)] {
        for (i, t) in tasks.iter().enumerate() {
            let client = client(letter, i);
            if t.read > 0 {
                block += 1;
                let wire = t.read + t.read.div_ceil(512) * 4;
                let line = format!(
                    "{trace} src: /{}:50010, dest: /{}:40000, bytes: {wire}, op: HDFS_READ{client}, srvID: DS-1, blockid: blk_{block}_1",
                    ip(t.from),
                    ip(t.node)
                );
                datanodes.entry(t.from).or_default().push((t.start + (t.end - t.start) / 2, line));
            }
            if t.written > 0 {
                block += 1;
                // Two copies: the writer's own node, and the next.
                for (node, from) in [(t.node, t.node), (t.from, t.node)] {
                    let line = format!(
                        "{trace} src: /{}:40000, dest: /{}:50010, bytes: {}, op: HDFS_WRITE{client}, srvID: DS-1, blockid: blk_{block}_1",
                        ip(from),
                        ip(node),
                        t.written
                    );
                    let receiving = format!(
                        "INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block blk_{block}_1 src: /{}:40000 dest: /{}:50010",
                        ip(from),
                        ip(node)
                    );
                    let lines = datanodes.entry(node).or_default();
                    lines.push((t.sorted.max(t.start) + i64::from(node != t.node), receiving));
                    lines.push((t.end, line));
                    if t.from == t.node {
                        break;
                    }
                }
            }
        }
    }
    for (m, (map, row)) in job.maps.iter().zip(&job.sends).enumerate() {
        for (reduce, bytes) in job.reduces.iter().zip(row) {
            let line = format!(
                "INFO org.apache.hadoop.mapred.TaskTracker.clienttrace: src: {}:50060, dest: {}:41000, bytes: {bytes}, op: \
                 MAPRED_SHUFFLE, cliID: {}",
                ip(map.node),
                ip(reduce.node),
                attempt(job.number, 'm', m)
            );
            trackers.entry(map.node).or_default().push((map.end.max(reduce.start).min(reduce.copied), line));
        }
    }
}

fn daemon(node: usize, name: &str, lines: &mut Vec<(i64, String)>) -> String {
    let stamp = |ms: i64| Timestamp::from_millis(BEGIN_MS + ms).to_string();
    let mut text = format!(
        "{} INFO org.apache.hadoop.{name}: STARTUP_MSG: \n/************************************************************\n\
         STARTUP_MSG: Starting {}\nSTARTUP_MSG:   host = n{}/{}\n\
         ************************************************************/\n",
        stamp(-60_000),
        name.rsplit('.').next().unwrap_or(name),
        node + 1,
        ip(node)
    );
    lines.sort();
    for (at, line) in lines {
        let _ = writeln!(text, "{} {line}", stamp(*at));
    }
    text
}

/// The files of a cluster of `nodes` slaves, as path and text.
pub fn files(jobs: &[Job], nodes: usize, logs: Logs) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let (mut datanodes, mut trackers) = (Lines::new(), Lines::new());
    for job in jobs {
        let id = format!("job_202611202200_{:04}", job.number);
        files.push((format!("run/n0/history/n0_{BEGIN_MS}_{id}_u_{}", job.name), history(job)));
        if let Some(slots) = job.reduce_slots {
            let conf = format!(
                "<?xml version=\"1.0\"?><configuration>\n<property><name>mapred.tasktracker.reduce.tasks.maximum</name>\
                 <value>{slots}</value></property>\n<property><name>mapred.job.name</name><value>{} {}</value></property>\n\
                 </configuration>\n",
                job.name, job.number
            );
            files.push((format!("run/n0/history/n0_{BEGIN_MS}_{id}_conf.xml"), conf));
        }
        if logs != Logs::Histories {
            slaves(job, logs == Logs::All, &mut datanodes, &mut trackers);
        }
    }
    if logs != Logs::Histories {
        for node in 0..nodes {
            let n = node + 1;
            let lines = |of: &mut Lines, name| daemon(node, name, of.entry(node).or_default());
            let datanode = lines(&mut datanodes, "hdfs.server.datanode.DataNode");
            let tracker = lines(&mut trackers, "mapred.TaskTracker");
            files.push((format!("run/n{n}/hadoop-u-datanode-n{n}.log"), datanode));
            files.push((format!("run/n{n}/hadoop-u-tasktracker-n{n}.log"), tracker));
        }
    }
    files
}

/// These files, read.
pub fn digest(files: &[(String, String)]) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    for (path, text) in files {
        ingest.start(path);
        ingest.feed(text.as_bytes());
        ingest.finish_input();
    }
    ingest.into_digest()
}

/// What the cluster did.
pub fn trace(jobs: &[Job], nodes: usize, logs: Logs) -> Trace {
    states::build(&digest(&files(jobs, nodes, logs)), Some(0))
}
