//! What whole inputs come to: the same log twice counts once, rotated files are one log,
//! aggregated logs say the same in both of their forms.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod packing;
mod shared;

use oddnode::base::Code;
use oddnode::model::{Digest, Trace};
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use oddnode::states;
use packing::{bz2, gz, log, tar, xz, zst};
use std::io::Read;

fn digest(inputs: &[(&str, &[u8])]) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    for (name, bytes) in inputs {
        ingest.start(name);
        ingest.feed(bytes);
    }
    ingest.into_digest()
}

fn trace(inputs: &[(&str, &[u8])]) -> Trace {
    states::build(&digest(inputs), None)
}

/// Every state and attempt, without the places they were read at.
fn told(trace: &Trace) -> Vec<String> {
    let name = |node: Option<oddnode::base::NodeId>| node.map(|n| trace.nodes[n.index()].name.clone());
    let states = trace.states.iter().map(|s| {
        let peer = s.peer.map(|p| trace.peers[p as usize].clone());
        format!("{:?} {:?} {:?} {:?} {:?} {peer:?}", s.kind, name(s.node), s.start, s.end, s.outcome)
    });
    let tasks = trace
        .tasks
        .iter()
        .map(|t| format!("{} {:?} {:?} {:?} {:?} {:?}", t.id, name(t.node), t.start, t.log_start, t.finish, t.outcome));
    let mut told: Vec<String> = states.chain(tasks).collect();
    told.sort_unstable();
    told
}

/// Files that are told to be copies, with why.
fn copies(trace: &Trace) -> Vec<(&str, &str)> {
    let is_copy = |issues: &[(Code, u64, Vec<u64>)]| issues.iter().any(|(code, ..)| *code == Code::DuplicateFile);
    let files = trace.files.iter().filter(|file| is_copy(&file.issues));
    files.map(|file| (file.path.as_str(), file.coverage.why.as_deref().unwrap_or_default())).collect()
}

const NAME: &str = "hadoop-hadoop-tasktracker-h101.log";

fn tasktracker() -> Vec<u8> {
    log("tasktracker/0.20.2/map_and_reduce.log")
}

/// The line end nearest behind `at`.
fn line_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().position(|b| *b == b'\n').unwrap() + 1
}

#[test]
fn log_under_two_paths_counts_once() {
    let log = tasktracker();
    let once = trace(&[(NAME, &log)]);
    assert!(once.states.len() > 3);
    let archive = gz(&tar(&[(NAME, &log)]));
    let folder = format!("logs/{NAME}");
    let twice = trace(&[(&folder, &log), ("a.tar.gz", &archive)]);
    assert_eq!(told(&twice), told(&once));
    assert_eq!(copies(&twice), [(folder.as_str(), &*format!("is there twice; counted once, as a.tar.gz/{NAME}"))]);
    // Nothing is told of a log that is there once.
    assert_eq!(copies(&once), []);
}

#[test]
fn log_copied_while_it_grew_counts_once() {
    let log = tasktracker();
    let once = told(&trace(&[(NAME, &log)]));
    let b = format!("b/{NAME}");
    let a = format!("a/{NAME}");
    for at in (1000..log.len() - 1).step_by(97) {
        let both = trace(&[(&a, &log[..at]), (&b, &log)]);
        assert_eq!(told(&both), once, "cut at {at}");
        assert_eq!(copies(&both), [(a.as_str(), &*format!("is the beginning of a longer copy; counted once, as {b}"))]);
    }
    // Whichever path it is under, and three times.
    let c = format!("c/{NAME}");
    let three = trace(&[(&c, &log[..4000]), (&b, &log[..6000]), (&a, &log)]);
    assert_eq!(told(&three), once);
    let of_a = format!("is the beginning of a longer copy; counted once, as {a}");
    assert_eq!(copies(&three), [(b.as_str(), of_a.as_str()), (c.as_str(), of_a.as_str())]);
}

/// Objects of a collector may hold several lines each, as those with stacks do.
#[test]
fn end_of_a_log_in_objects_of_many_lines_counts_once() {
    let text = String::from_utf8(tasktracker()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let object = |lines: &[&str]| format!("{{\"message\":{}}}\n", serde_json::to_string(&lines.join("\n")).unwrap());
    let objects: Vec<String> = lines.chunks(3).map(object).collect();
    let whole = objects.concat();
    let once = told(&trace(&[(NAME, whole.as_bytes())]));
    assert!(once.len() > 3);
    let (a, b) = (format!("a/{NAME}"), format!("b/{NAME}"));
    let end = objects[objects.len() / 3..].concat();
    let both = trace(&[(&a, end.as_bytes()), (&b, whole.as_bytes())]);
    assert_eq!(copies(&both).len(), 1, "{:?}", copies(&both));
    assert_eq!(told(&both), once);
}

#[test]
fn log_of_an_attempt_under_two_folders_of_one_archive_counts_once() {
    let log = log("task-syslog/3.3.6/reduce_shuffle.log");
    let container = "container_1795226467746_0009_01_000003/syslog";
    let paths = [format!("h1/old/{container}"), format!("h1/userlogs/{container}")];
    let [old, now] = paths.each_ref().map(String::as_str);
    let twice = trace(&[("a.tar", &tar(&[(old, &log), (now, &log)]))]);
    assert_eq!(told(&twice), told(&trace(&[("a.tar", &tar(&[(now, &log)]))])));
    assert_eq!(copies(&twice), [(&*format!("a.tar/{now}"), &*format!("is there twice; counted once, as a.tar/{old}"))]);
    // Without its folder a log may be that of another machine.
    let apart = trace(&[("a.tar", &tar(&[("h1/syslog", &log), ("h2/syslog", &log)]))]);
    assert_eq!(copies(&apart), []);
}

#[test]
fn task_log_copied_while_it_grew_counts_once() {
    let log = log("task-syslog/3.3.6/reduce_shuffle.log");
    let once = told(&trace(&[("b/syslog", &log)]));
    let mut some = 0;
    for at in (3000..log.len() - 1).step_by(1501) {
        let both = trace(&[("a/syslog", &log[..at]), ("b/syslog", &log)]);
        let rows = digest(&[("a/syslog", &log[..at])]).files().map(|(_, file)| file.events.len()).sum::<u64>();
        some += usize::from(rows > 0);
        assert_eq!(copies(&both).len(), usize::from(rows > 0), "cut at {at}");
        assert_eq!(told(&both), once, "cut at {at}");
    }
    assert!(some > 5);
}

#[test]
fn node_of_a_log_is_known_if_one_of_its_paths_tells() {
    // Two hosts are known by the other files; this log's own words do not tell.
    let log: Vec<u8> = tasktracker()
        .split_inclusive(|b| *b == b'\n')
        .filter(|line| {
            let has = |text: &[u8]| line.windows(text.len()).any(|part| part == text);
            !has(b"STARTUP_MSG") && !has(b"Starting tracker")
        })
        .flatten()
        .copied()
        .collect();
    let known = trace(&[("a/tt.log", &log), (&format!("b/{NAME}"), &log)]);
    let names: Vec<_> = known.files.iter().map(|f| f.coverage.node.as_deref()).collect();
    assert_eq!(names, [Some("h101"), Some("h101")]);
}

#[test]
fn end_of_a_log_beside_the_whole_counts_once() {
    let log = tasktracker();
    let once = told(&trace(&[(NAME, &log)]));
    let (a, b) = (format!("a/{NAME}"), format!("b/{NAME}"));
    for at in (97..log.len() - 1000).step_by(97).map(|at| line_end(&log, at)) {
        let both = trace(&[(&a, &log[at..]), (&b, &log)]);
        assert_eq!(told(&both), once, "from {at}");
        assert_eq!(copies(&both), [(a.as_str(), &*format!("is the end of a longer copy; counted once, as {b}"))]);
    }
    // Another node's tasks at the same times.
    let text = String::from_utf8(log.clone()).unwrap();
    let other = text.replace("_m_0000", "_m_0001").replace("_r_0000", "_r_0001").replace("h101", "h102");
    let other = &other.as_bytes()[line_end(other.as_bytes(), 500)..];
    let both = trace(&[(NAME, &log), ("hadoop-hadoop-tasktracker-h102.log", other)]);
    assert_eq!(copies(&both), []);
}

#[test]
fn different_logs_that_begin_alike_are_no_copies() {
    let log = tasktracker();
    let text = String::from_utf8(log.clone()).unwrap();
    // Another node's tasks at the same times.
    let other = text.replace("_m_0000", "_m_0001").replace("_r_0000", "_r_0001").replace("h101", "h102");
    let other = &other.as_bytes()[..other.len() - 500];
    let both = trace(&[(NAME, &log), ("hadoop-hadoop-tasktracker-h102.log", other)]);
    assert_eq!(copies(&both), []);
}

/// What idle machines' metrics say is the same to the last row; whose they are stands in the first line.
#[test]
fn equal_metrics_of_two_hosts_are_no_copies() {
    let metrics = |host: &str, hours: std::ops::Range<u32>| {
        let mut text = format!("Linux 5.10.0 ({host}) \t11/20/26 \t_x86_64_\t(4 CPU)\n\n");
        text.push_str("00:00:00          tps      rtps      wtps      dtps   bread/s   bwrtn/s   bdscd/s\n");
        for minute in hours.flat_map(|hour| (0..60).map(move |minute| (hour, minute))) {
            let (hour, minute) = minute;
            text.push_str(&format!(
                "{hour:02}:{minute:02}:01         0.00      0.00      0.00      0.00      0.00      0.00      0.00\n"
            ));
        }
        text.into_bytes()
    };
    let (one, other, begin) = (metrics("h101", 0..3), metrics("h102", 0..3), metrics("h103", 0..2));
    let files = [("x/h101/sar.txt", &one[..]), ("x/h102/sar.txt", &other[..]), ("x/h103/sar.txt", &begin[..])];
    for inputs in [
        vec![("x.tar", tar(&files))],
        vec![("a.tar", tar(&files[..1])), ("b.tar", tar(&files[1..2])), ("c.tar", tar(&files[2..]))],
    ] {
        let inputs: Vec<(&str, &[u8])> = inputs.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
        let trace = trace(&inputs);
        assert_eq!(copies(&trace), []);
        let nodes: Vec<&str> = trace.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(nodes, ["h101", "h102", "h103"]);
    }
    // One host's metrics twice still count once.
    let twice = trace(&[("a.tar", &tar(&files[..1])), ("b.tar", &tar(&files[..1]))]);
    assert_eq!(copies(&twice).len(), 1);
}

#[test]
fn states_go_on_in_the_next_rotated_file_however_it_is_packed() {
    let log = tasktracker();
    let once = told(&trace(&[(NAME, &log)]));
    type Pack = fn(&[u8]) -> Vec<u8>;
    let packers: [(&str, Pack); 5] = [("", <[u8]>::to_vec), (".gz", gz), (".bz2", bz2), (".xz", xz), (".zst", zst)];
    for suffix in [".1", ".2026-11-20"] {
        for (ending, pack) in packers {
            for part in 1..8 {
                let at = line_end(&log, log.len() * part / 8);
                let (first, rest) = log.split_at(at);
                let old = format!("logs/{NAME}{suffix}{ending}");
                let new = format!("logs/{NAME}");
                let joined = trace(&[(&new, rest), (&old, &pack(first))]);
                assert_eq!(told(&joined), once, "{old}, split at {at}");
                assert_eq!(copies(&joined), []);
            }
        }
    }
}

/// The run y30 without its aggregated logs.
fn without_aggregated(archive: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(archive).read_to_end(&mut plain).unwrap();
    let mut members = Vec::new();
    for entry in tar::Archive::new(plain.as_slice()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        if entry.header().entry_type().is_file() && !path.contains("app-logs") {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            members.push((path, bytes));
        }
    }
    let members: Vec<(&str, &[u8])> = members.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    gz(&tar(&members))
}

#[test]
fn aggregated_logs_say_the_same_as_files_and_as_text() {
    let Some(data) = shared::data("hadoop3") else { return };
    let archive = std::fs::read(data.join("y30.tar.gz")).unwrap();
    let text = std::fs::read(data.join("key/y30.yarn-logs.txt")).unwrap();
    let rest = without_aggregated(&archive);
    let files = trace(&[("y30.tar.gz", &archive)]);
    let lines = trace(&[("y30.tar.gz", &rest), ("y30.yarn-logs.txt", &text)]);
    let neither = trace(&[("y30.tar.gz", &rest)]);
    assert!(told(&files) == told(&lines));
    assert!(told(&files) != told(&neither), "the tasks' logs tell of nothing");
    for trace in [&files, &lines] {
        let logs: Vec<_> = trace.files.iter().filter(|f| f.coverage.format.as_deref() == Some("task-syslog")).collect();
        // 20 maps; 3 reduces with a log for the shuffle each.
        assert_eq!(logs.len(), 26);
        for file in logs {
            let folder = file.path.split('/').find(|part| part.ends_with("_45454")).unwrap();
            assert_eq!(file.coverage.node.as_deref(), folder.strip_suffix("_45454"), "{}", file.path);
        }
        assert!(trace.files.iter().all(|f| f.coverage.format.as_deref() != Some("archive")), "an archive is at odds");
    }
    // Given both, the logs count once.
    let both = trace(&[("y30.tar.gz", &archive), ("y30.yarn-logs.txt", &text)]);
    assert_eq!(told(&both), told(&files));
    assert!(copies(&both).len() >= 26);
}
