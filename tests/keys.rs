//! Compares what is read with answers made by others: Hadoop's own JobHistoryParser and
//! Rumen's TraceBuilder, Spark's history server, and stand-alone readers
//! (`data/public/KEYS.md`, `data/hadoop3/README.md`). The data are those of
//! `tests/shared`.
//!
//! `cargo test --test keys -- --nocapture` prints a table: file, values compared, agreeing,
//! differing, why. A difference is allowed only by name (`NAMED` in `answers/mod.rs`).
//!
//! A key of a new layout is one function and one line in [`LAYOUTS`].

#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, clippy::print_stdout)]

mod answers;
mod reading;
mod shared;

use answers::{Case, Report, hadoop3, histories, logs, racks, spark};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How a key is compared with what is read of its file.
type Compare = fn(&Case, &mut Report);

/// Endings of the keys in `data/public/*/key`.
const LAYOUTS: &[(&str, Compare)] = &[
    (".v1.json", histories::v1),
    (".events.json", histories::events),
    (".trace.json", histories::trace),
    (".topology.json", racks::topology),
    (".lines.json", logs::lines),
];

/// Keys that came with the data, and single ones: key, file (or folder), below `data`.
const SINGLE: &[(&str, &str, Compare)] = &[
    (
        "public/hadoop-mapreduce/job-tracker-logs-trace-output.gz",
        "public/hadoop-mapreduce/sample-job-tracker-logs.gz",
        histories::trace,
    ),
    (
        "public/hadoop-mapreduce/job-tracker-logs-topology-output",
        "public/hadoop-mapreduce/sample-job-tracker-logs.gz",
        racks::topology,
    ),
    (
        "public/hadoop-mapreduce/truncated-trace-output",
        "public/hadoop-mapreduce/truncated-job-tracker-log",
        histories::trace,
    ),
    (
        "public/hadoop-mapreduce/truncated-topology-output",
        "public/hadoop-mapreduce/truncated-job-tracker-log",
        racks::topology,
    ),
    // Traces and topologies themselves, against a plain walk over their JSON.
    ("public/hadoop-mapreduce/input-trace.json", "public/hadoop-mapreduce/input-trace.json", histories::trace),
    (
        "public/hadoop-mapreduce/19-jobs.trace.json.gz",
        "public/hadoop-mapreduce/19-jobs.trace.json.gz",
        histories::trace,
    ),
    ("public/hadoop-mapreduce/trace_1m.json.gz", "public/hadoop-mapreduce/trace_1m.json.gz", histories::trace),
    ("public/hadoop-mapreduce/trace_5m.json.gz", "public/hadoop-mapreduce/trace_5m.json.gz", histories::trace),
    (
        "public/hadoop-mapreduce/5m_stream_trace.json.gz",
        "public/hadoop-mapreduce/5m_stream_trace.json.gz",
        histories::trace,
    ),
    (
        "public/hadoop-mapreduce/19-jobs.topology.json.gz",
        "public/hadoop-mapreduce/19-jobs.topology.json.gz",
        racks::topology,
    ),
    ("public/hadoop-0.21-cluster/key/labels.json", "public/hadoop-0.21-cluster/logs/history/done", racks::labels),
    ("public/loghub/HDFS/HDFS_2k.log_structured.csv", "public/loghub/HDFS/HDFS_2k.log", logs::structured),
    ("public/loghub/Hadoop/Hadoop_2k.log_structured.csv", "public/loghub/Hadoop/Hadoop_2k.log", logs::structured),
    (
        "public/spark-core-tests/HistoryServerExpectations/stage_list_json_expectation.json",
        "public/spark-1.6-tests/local-1422981780767/EVENT_LOG_1",
        spark::stage_list,
    ),
    (
        "public/spark-core-tests/HistoryServerExpectations/failed_stage_list_json_expectation.json",
        "public/spark-1.6-tests/local-1422981780767/EVENT_LOG_1",
        spark::stage_list,
    ),
    (
        "public/spark-core-tests/HistoryServerExpectations/complete_stage_list_json_expectation.json",
        "public/spark-1.6-tests/local-1422981780767/EVENT_LOG_1",
        spark::stage_list,
    ),
    (
        "public/spark-core-tests/HistoryServerExpectations/application_list_json_expectation.json",
        "public/spark-core-tests",
        spark::applications,
    ),
    ("hadoop3/spark/truth.json", "hadoop3/spark", spark::truth),
    ("hadoop3/key/y02.json", "hadoop3/y02.tar.gz", hadoop3::parser),
    ("hadoop3/key/y08.json", "hadoop3/y08.tar.gz", hadoop3::parser),
    ("hadoop3/key/y10.json", "hadoop3/y10.tar.gz", hadoop3::parser),
    ("hadoop3/key/y13.json", "hadoop3/y13.tar.gz", hadoop3::parser),
    ("hadoop3/key/y16.json", "hadoop3/y16.tar.gz", hadoop3::parser),
    ("hadoop3/key/y17.json", "hadoop3/y17.tar.gz", hadoop3::parser),
    ("hadoop3/key/big-binary.json.gz", "hadoop3/big", hadoop3::parser),
];

/// Folders of keys that other tests compare.
const ELSEWHERE: &[&str] = &["sysstat"];

/// What a folder holds, in order; nothing if it is none.
pub fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).map(|r| r.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    paths.sort();
    paths
}

/// A key's name is its file's, with `__` for the folders above it where needed.
fn file_named(folder: &Path, stem: &str) -> Option<PathBuf> {
    let below = folder.join(stem.replace("__", "/"));
    if below.is_file() {
        return Some(below);
    }
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for path in listed(&folder) {
            if path.is_dir() && !path.ends_with("key") && !path.ends_with("binary") {
                open.push(path);
            } else if path.file_name().is_some_and(|n| n == stem) {
                return Some(path);
            }
        }
    }
    None
}

fn below(data: &Path, path: &Path) -> String {
    path.strip_prefix(data).unwrap().to_str().unwrap().to_owned()
}

/// All keys with what they are about and how they are compared; keys that fit nothing.
fn cases(data: &Path) -> (Vec<(Case, Compare)>, Vec<String>) {
    let mut cases = Vec::new();
    let mut single = BTreeSet::new();
    for (key, file, compare) in SINGLE {
        single.insert(data.join(key));
        let case = Case { place: (*key).to_owned(), key: data.join(key), file: data.join(file) };
        cases.push((case, *compare));
    }
    let mut left = Vec::new();
    let folders = listed(&data.join("public")).into_iter();
    for folder in folders.filter(|f| !ELSEWHERE.iter().any(|name| f.ends_with(name))) {
        for key in listed(&folder.join("key")).into_iter().filter(|key| !single.contains(key)) {
            let name = key.file_name().unwrap().to_str().unwrap();
            let layout = LAYOUTS.iter().find_map(|(ending, compare)| Some((name.strip_suffix(ending)?, *compare)));
            match layout.and_then(|(stem, compare)| Some((file_named(&folder, stem)?, compare))) {
                Some((file, compare)) => cases.push((Case { place: below(data, &key), key, file }, compare)),
                None => left.push(below(data, &key)),
            }
        }
    }
    (cases, left)
}

#[test]
fn all_keys_agree_but_for_what_is_named() {
    let Some(data) = shared::data("") else { return };
    let (cases, left) = cases(&data);
    assert_eq!(left, Vec::<String>::new(), "keys without a comparison");
    assert!(cases.len() > 150, "only {} keys", cases.len());
    println!("| key | values | agree | differ | why |\n|---|---|---|---|---|");
    let mut open = Vec::new();
    let (mut compared, mut keys) = (0, 0);
    for (case, compare) in cases {
        let mut report = Report::of(&case.place);
        compare(&case, &mut report);
        println!("{}", report.row());
        assert!(report.compared > 0, "{}: nothing was compared", case.place);
        compared += report.compared;
        keys += 1;
        open.extend(report.lines);
    }
    println!("{keys} keys, {compared} values, {} differ without a name", open.len());
    open.truncate(60);
    assert!(open.is_empty(), "{}", open.join("\n"));
}
