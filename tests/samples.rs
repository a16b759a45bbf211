//! Rows of metrics become samples of nodes: hosts, clocks, tables and files joined.
#![allow(clippy::disallowed_methods, reason = "reads a run of the data set")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod shared;

use oddnode::base::{Code, Timestamp};
use oddnode::diagnosis::Params;
use oddnode::model::Trace;
use oddnode::pipeline::{Ingest, analyse};
use oddnode::source::Limits;
use oddnode::states;

const CPU: &str = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n";
const SWITCHES: &str = "# hostname;interval;timestamp;proc/s;cswch/s\n";

/// A TaskTracker's log and the job's history, five hours apart.
const LOG: &str = "2026-11-20 21:24:44,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction (registerTask): \
    attempt_202611202124_0001_m_000000_0 task's state:UNASSIGNED\n\
    2026-11-20 21:24:54,119 INFO org.apache.hadoop.mapred.TaskTracker: Task attempt_202611202124_0001_m_000000_0 is done.\n";
const HISTORY: &str = "Meta VERSION=\"1\" .\n\
    Job JOBID=\"job_202611202124_0001\" JOBNAME=\"x\" USER=\"u\" SUBMIT_TIME=\"1795227880000\" .\n\
    MapAttempt TASK_TYPE=\"MAP\" TASKID=\"task_202611202124_0001_m_000000\" \
    TASK_ATTEMPT_ID=\"attempt_202611202124_0001_m_000000_0\" START_TIME=\"1795227884210\" TRACKER_NAME=\"tracker_h101:x\" .\n";

fn trace(files: &[(&str, String)]) -> Trace {
    let mut ingest = Ingest::new(Limits::default());
    for (path, text) in files {
        ingest.start(path);
        ingest.feed(text.as_bytes());
    }
    states::build(&ingest.into_digest(), None)
}

/// Node, second, and the metrics that are there, by place.
type Told<'a> = (&'a str, i64, Vec<(usize, f64)>);

fn told(trace: &Trace) -> Vec<Told<'_>> {
    let there = |values: [f64; 14]| values.into_iter().enumerate().filter(|(_, v)| !v.is_nan()).collect();
    trace.samples.iter().map(|s| (trace.node_name(s.node), s.at.millis() / 1000, there(s.values))).collect()
}

#[test]
fn tables_and_files_of_one_instant_are_one_sample() {
    let first =
        format!("{CPU}h1;1;100;-1;1.00;0.00;2.00;3.00;0.00;94.00\n{SWITCHES}h1;1;100;0.00;12.50\nh1;1;101;0.00;1.00\n");
    let second = format!("{SWITCHES}h1;1;100;0.00;99.00\nh1;1;102;0.00;2.00\n");
    let trace = trace(&[("a/m1.txt", first), ("a/m2.txt", second)]);
    let expected = [
        ("h1", 100, vec![(0, 1.0), (1, 2.0), (2, 3.0), (3, 12.5)]),
        ("h1", 101, vec![(3, 1.0)]),
        ("h1", 102, vec![(3, 2.0)]),
    ];
    assert_eq!(told(&trace), expected);
}

#[test]
fn one_file_holds_several_hosts_and_short_names_join_long_ones() {
    let text = format!("{SWITCHES}h1;1;100;0.00;1.00\nh2.example.com;1;100;0.00;2.00\n");
    let other = format!("{SWITCHES}h2;1;101;0.00;3.00\n");
    let trace = trace(&[("a/all.txt", text), ("b/h2.txt", other)]);
    let rows: Vec<_> = told(&trace).into_iter().map(|(_, second, values)| (second, values[0].1)).collect();
    assert_eq!(trace.nodes.len(), 2);
    assert_eq!(rows, [(100, 1.0), (100, 2.0), (101, 3.0)]);
}

#[test]
fn host_that_calls_itself_localhost_is_known_by_its_folder() {
    let text = format!("{SWITCHES}localhost.localdomain;1;100;0.00;1.00\n");
    let logs = [("r/h7/hadoop-u-tasktracker-h7.log", LOG.to_owned()), ("r/h7/m.txt", text.clone())];
    assert_eq!(told(&trace(&logs)), [("h7", 100, vec![(3, 1.0)])]);
    assert_eq!(told(&trace(&[("m.txt", text)])), [("localhost.localdomain", 100, vec![(3, 1.0)])]);
}

#[test]
fn metrics_of_nobody_are_an_issue() {
    let text = format!("{SWITCHES}localhost;1;100;0.00;1.00\n");
    let trace = trace(&[("r/h7/hadoop-u-tasktracker-h7.log", LOG.to_owned()), ("r/m.txt", text)]);
    assert!(trace.samples.is_empty());
    let codes: Vec<Code> = trace.files[1].issues.iter().map(|(code, ..)| *code).collect();
    assert_eq!(codes, [Code::UnknownNode]);
}

#[test]
fn samples_of_a_run_take_little_room() {
    let Some(archive) = shared::data("hadoop1/r06.tar.gz") else { return };
    let digest = shared::digest_of(&archive);
    let rows: usize = digest.files().filter(|(_, f)| f.format == "sadf-d").map(|(_, f)| f.events.bytes()).sum();
    let trace = states::build(&digest, None);
    let len = trace.samples.len();
    println!("{len} samples: {} bytes each, {} in the digest", trace.samples.bytes() / len, rows / len);
    assert_eq!(trace.samples.nodes().count(), 7);
    assert!(len > 1000 && trace.samples.bytes() < 64 * len);
}

#[test]
fn local_times_get_the_offset_of_their_archive_and_others_do_not() {
    let sar = "Linux 3.10 (h101) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n21:24:44  cswch/s\n21:24:45  1.00\n";
    let utc = format!("{SWITCHES}h101;1;2026-11-21 02:24:46 UTC;0.00;2.00\n");
    let local = format!("{SWITCHES}h101;1;2026-11-20 21:24:47;0.00;3.00\n");
    let epoch = format!("{SWITCHES}h101;1;1795227888;0.00;4.00\n");
    let trace = trace(&[
        ("r/h101/hadoop-u-tasktracker-h101.log", LOG.to_owned()),
        ("r/history/job", HISTORY.to_owned()),
        ("r/h101/sar.txt", sar.to_owned()),
        ("r/h101/utc.txt", utc),
        ("r/h101/local.txt", local),
        ("r/h101/epoch.txt", epoch),
    ]);
    assert_eq!(trace.offset_ms, 18_000_000);
    let seconds: Vec<_> = told(&trace).into_iter().map(|(_, second, values)| (second, values[0].1)).collect();
    let expected: Vec<_> = (1..=4).map(|i| (1_795_227_884 + i, i as f64)).collect();
    assert_eq!(seconds, expected);
    // What is measured before and after does not lengthen the log.
    assert_eq!(trace.span.unwrap().1, Timestamp::from_millis(1_795_227_894_119));
}

#[test]
fn metrics_alone_make_peers_and_beside_logs_they_do_not() {
    let text = format!("{SWITCHES}h1;1;100;0.00;1.00\nh2;1;100;0.00;2.00\n");
    let alone = trace(&[("m.txt", text.clone()), ("notes.txt", "nothing\n".to_owned())]);
    assert_eq!(alone.nodes.iter().map(|n| n.is_peer).collect::<Vec<_>>(), [true, true]);
    let beside = trace(&[("m.txt", text), ("h1/hadoop-u-tasktracker-h1.log", LOG.to_owned())]);
    assert_eq!(
        beside.nodes.iter().map(|n| (n.name.as_str(), n.is_peer)).collect::<Vec<_>>(),
        [("h1", true), ("h2", false)]
    );
}

#[test]
fn analysis_of_metrics_alone_reaches_a_report() {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start("m.txt");
    ingest.feed(format!("{CPU}h1;1;100;-1;1.00;0.00;2.00;3.00;0.00;94.00\n").as_bytes());
    let analysis = analyse(&ingest.into_digest(), &Params::default());
    assert!(analysis.report.verdict.culprits.is_empty());
    let row = &analysis.report.coverage[0];
    assert_eq!((row.format.as_deref(), row.node.as_deref(), row.understood), (Some("sadf-d"), Some("h1"), 2));
}

#[test]
fn each_format_that_counts_processors_is_heard() {
    let sar = "Linux 3.10 (h1) \t11/20/26 \t_x86_64_\t(4 CPU)\n\n21:24:44  cswch/s\n21:24:45  1.00\n";
    let restart =
        "Linux 3.10 (h2) \t11/20/26\n\n21:24:44  LINUX RESTART\t(4 CPU)\n\n21:24:44  cswch/s\n21:24:45  1.00\n";
    let dashed = format!("h3;-1;100;LINUX-RESTART\t(4 CPU)\n{SWITCHES}h3;1;100;0.00;1.00\n");
    let plain = "h4\t-1\t100\tLINUX-RESTART\t(4 CPU)\nh4\t1\t100\t-\tcswch/s\t1.00\n";
    let instant = r#""date": "2026-11-21", "time": "03:03:15", "utc": 1, "interval": 1"#;
    let json = format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "h5", "number-of-cpus": 4, "statistics": [
        {{"timestamp": {{{instant}}}, "process-and-context-switch": {{"proc": 2.00, "cswch": 1.00}}}}]}}]}}}}"#
    );
    let xml = r#"<sysstat><host nodename="h6"><number-of-cpus>4</number-of-cpus><statistics>
        <timestamp date="2026-11-21" time="03:03:15" utc="1" interval="1">
        <process-and-context-switch per="second" proc="2.00" cswch="1.00"/></timestamp></statistics></host></sysstat>"#;
    // It had four, and then eight.
    let grown = "Linux 3.10 (h7) \t11/20/26 \t_x86_64_\t(4 CPU)\n\n21:24:44  cswch/s\n21:24:45  1.00\n\
        21:24:46  LINUX RESTART\t(8 CPU)\n";
    let trace = trace(&[
        ("a/1", sar.to_owned()),
        ("a/2", restart.to_owned()),
        ("a/3", dashed),
        ("a/4", plain.to_owned()),
        ("a/5", json),
        ("a/6", xml.to_owned()),
        ("a/7", grown.to_owned()),
    ]);
    let told: Vec<_> = trace.processors.iter().map(|(node, count)| (trace.node_name(*node), *count)).collect();
    assert_eq!(told, [("h1", 4), ("h2", 4), ("h3", 4), ("h4", 4), ("h5", 4), ("h6", 4)]);
    assert_eq!(trace.nodes.len(), 7);
}
