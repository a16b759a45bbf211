//! One battery for every format: its samples under `tests/logs/<format>/<version>/`, the
//! lines in its `about`, and bytes of any kind.

#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]

mod reading;
mod told;

use oddnode::format::{Confidence, FORMATS, Feed, FileReader, Format, Gathered, HEAD_BYTES, Head, Line, Out};
use oddnode::model::{Clock, Event, FileDigest, Row, formats};
use oddnode::source::Limits;
use proptest::prelude::*;
use reading::lines_of;
use std::path::{Path, PathBuf};
use told::{event, told};

/// A cut is tried at every byte this near to either end of a sample, and then in steps.
const CUT_NEAR: usize = 300;
/// Steps of the cuts between; a prime, so that they meet every place of a line.
const CUT_STEP: usize = 211;

/// Formats that join records from all over a file.
const OF_WHOLE_FILES: [&str; 3] = ["jhist", "jobhistory-v1", "spark-events"];
/// Formats in which one instant, or one error, takes several lines.
const OF_SEVERAL_LINES: [&str; 4] = ["jobtracker", "sadf-d", "sadf-p", "sar"];

/// Whether an event is told where later lines have been read, too: the last of its kind, whose log it is, a fetch with its
/// host.
const fn is_told_later(event: &Event) -> bool {
    matches!(
        event,
        Event::Progress { .. }
            | Event::TaskLog { .. }
            | Event::TaskLogCut { .. }
            | Event::ContainerLog { .. }
            | Event::LastMergePass { .. }
            | Event::Fetched { .. }
            | Event::FetchOpen { .. }
    )
}

/// The format that a file that begins so is read as.
fn format_of(path: &str, bytes: &[u8]) -> Option<&'static dyn Format> {
    let head = Head::new(path, &bytes[..bytes.len().min(HEAD_BYTES)]);
    let mut best: Option<(Confidence, &'static dyn Format)> = None;
    for format in FORMATS.iter().copied() {
        let confidence = format.sniff(&head);
        if confidence > best.map_or(Confidence::No, |(c, _)| c) {
            best = Some((confidence, format));
        }
    }
    best.map(|(_, format)| format)
}

/// What `format` reads in `bytes`, pushed in pieces of `step`.
fn read_as(format: &'static dyn Format, path: &str, bytes: &[u8], step: usize) -> FileDigest {
    let about = format.about();
    let mut digest = FileDigest { format: about.name.into(), clock: about.clock, ..FileDigest::default() };
    let mut gathered = Gathered::default();
    let mut parse = format.start(path);
    let mut out = Out::new(&mut digest, &mut gathered);
    match about.feed {
        Feed::Bytes => {
            for piece in bytes.chunks(step) {
                parse.bytes(piece, &mut out);
            }
        }
        Feed::Lines => {
            let mut offset = 0;
            for (number, line) in (1..).zip(bytes.split_inclusive(|b| *b == b'\n')) {
                let ended = line.ends_with(b"\n");
                let whole = line.strip_suffix(b"\n").unwrap_or(line);
                let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
                parse.line(Line { number, offset, bytes: whole, cut: false, ended }, &mut out);
                offset += line.len() as u64;
            }
        }
    }
    parse.end(&mut out);
    gathered.settle(&mut digest);
    digest
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs")
}

fn files() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for format in listed(&samples()) {
        for version in listed(&format) {
            for file in listed(&version).into_iter().filter(|f| f.extension().is_some_and(|e| e == "log")) {
                found.push((format.file_name().unwrap().to_str().unwrap().to_owned(), file));
            }
        }
    }
    assert!(found.len() > 40, "the samples are there");
    found
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    paths
}

fn is_text(bytes: &[u8]) -> bool {
    let binary: [&[u8]; 4] = [b"Avro-Binary", b"\x96\xd5", b"\xd5\x96", b"crc\0"];
    !binary.iter().any(|magic| bytes.starts_with(magic))
}

#[test]
fn samples_say_what_they_said() {
    insta::glob!("logs/*/*/*.log", |path| {
        let bytes = std::fs::read(path).unwrap();
        let digest = reading::read(path.to_str().unwrap(), &bytes).expect("a known format");
        insta::assert_snapshot!(told(&digest));
    });
}

#[test]
fn sample_is_recognised_by_its_content_alone() {
    for (format, path) in files() {
        let bytes = std::fs::read(&path).unwrap();
        let hidden = reading::read("x", &bytes).unwrap_or_else(|| panic!("{} is not recognised", path.display()));
        assert_eq!(hidden.format, format, "{}", path.display());
        let named = reading::read(path.to_str().unwrap(), &bytes).unwrap();
        assert_eq!(hidden, named, "{}", path.display());
    }
}

#[test]
fn carriage_returns_change_nothing() {
    for (_, path) in files() {
        let bytes = std::fs::read(&path).unwrap();
        if !is_text(&bytes) {
            continue;
        }
        let mut crlf = Vec::new();
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            match line.strip_suffix(b"\n") {
                Some(line) => crlf.extend_from_slice(&[line, b"\r\n"].concat()),
                None => crlf.extend_from_slice(line),
            }
        }
        assert_eq!(reading::read("x", &crlf), reading::read("x", &bytes), "{}", path.display());
    }
}

#[test]
fn size_of_pieces_changes_nothing() {
    for (_, path) in files() {
        let bytes = std::fs::read(&path).unwrap();
        let format = format_of("x", &bytes).unwrap();
        if format.about().feed == Feed::Bytes {
            let whole = read_as(format, "x", &bytes, bytes.len());
            for step in [1, 7, 4096] {
                assert_eq!(read_as(format, "x", &bytes, step), whole, "{} by {step}", path.display());
            }
        }
    }
}

#[test]
fn cut_at_any_byte_is_read_up_to_the_cut() {
    for (_, path) in files() {
        let bytes = std::fs::read(&path).unwrap();
        let format = format_of("x", &bytes).unwrap();
        let whole = read_as(format, "x", &bytes, 1 << 16);
        let rows = reading::events(&whole);
        let near_end = bytes.len().saturating_sub(CUT_NEAR);
        let cuts =
            (0..CUT_NEAR.min(bytes.len())).chain((CUT_NEAR..near_end).step_by(CUT_STEP)).chain(near_end..bytes.len());
        for cut in cuts {
            let digest = read_as(format, "x", &bytes[..cut], 1 << 16);
            assert!(digest.lines <= whole.lines + 1, "{} cut at {cut}", path.display());
            assert_eq!(digest.lines, digest.understood + digest.skipped, "{} cut at {cut}", path.display());
            if format.about().feed == Feed::Lines {
                assert_eq!(digest.lines, lines_of(&bytes[..cut]), "{} cut at {cut}", path.display());
            }
            if !OF_WHOLE_FILES.contains(&format.about().name) {
                let read = reading::events(&digest);
                assert_eq!(
                    settled(&read, &read, &digest),
                    settled(&rows, &read, &digest),
                    "{} cut at {cut}",
                    path.display()
                );
            }
        }
    }
}

/// Those of rows on which nothing that follows bears, of a file of which so much was read: the last line may be cut, and line
/// 0 is the file as a whole.
fn settled<'a>(rows: &'a [Row], read: &[Row], digest: &FileDigest) -> Vec<&'a Row> {
    let is_before = |row: &Row| (1..digest.lines).contains(&row.line);
    let is_of_several_lines = OF_SEVERAL_LINES.contains(&digest.format.as_str());
    let last = read.iter().filter(|row| is_of_several_lines && is_before(row)).max_by_key(|row| row.line);
    let goes_on = |row: &Row| last.is_some_and(|last| row.at == last.at);
    rows.iter().filter(|row| is_before(row) && !is_told_later(&row.event) && !goes_on(row)).collect()
}

#[test]
fn each_line_is_counted_once() {
    for (_, path) in files() {
        let bytes = std::fs::read(&path).unwrap();
        let digest = reading::read("x", &bytes).unwrap();
        assert_eq!(digest.lines, digest.understood + digest.skipped, "{}", path.display());
        let format = format_of("x", &bytes).unwrap();
        if format.about().feed == Feed::Lines {
            assert_eq!(digest.lines, lines_of(&bytes), "{}", path.display());
        }
    }
}

#[test]
fn each_format_has_samples_and_understands_its_own() {
    let mut names = Vec::new();
    for format in FORMATS {
        let about = format.about();
        assert!(!names.contains(&about.name), "{} is there twice", about.name);
        names.push(about.name);
        // The one that is not text has files alone.
        assert!(!about.samples.is_empty() || about.name == "sa", "{} has no sample line", about.name);
        for sample in about.samples {
            let text = format!("{sample}\n");
            let found = format_of("x", text.as_bytes()).map(|f| f.about().name);
            assert_eq!(found, Some(about.name), "{sample}");
            let digest = read_as(*format, "x", text.as_bytes(), 1 << 16);
            assert_eq!((digest.skipped, digest.understood >= 1), (0, true), "{sample}");
        }
        let folder = samples().join(about.name);
        let versions = listed(&folder);
        assert!(!versions.is_empty(), "{} has no samples", about.name);
        for version in versions {
            assert!(version.join("README.md").is_file(), "{} lacks its README", version.display());
        }
    }
    for folder in listed(&samples()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(names.contains(&name.as_str()), "samples of no format: {name}");
    }
}

/// Formats whose times are epoch milliseconds, or that have none.
const EPOCH: [&str; 12] = [
    "truth",
    "jhist",
    "jobhistory-v1",
    "job-summary",
    "job-conf",
    "rumen-trace",
    "rumen-topology",
    "spark-events",
    "strace-ttt",
    "strace-count",
    "strace-untimed",
    "sa",
];

#[test]
fn histories_traces_and_binary_metrics_alone_have_epoch_times() {
    for format in FORMATS {
        let epoch = EPOCH.contains(&format.about().name);
        assert_eq!(format.about().clock == Clock::Epoch, epoch, "{}", format.about().name);
    }
}

#[test]
fn foreign_files_are_left_alone() {
    for (path, text) in [
        ("build/pom.xml", "<?xml version=\"1.0\"?>\n<project>\n"),
        ("notes/datanode.txt", "the datanode log is in\n/var/log/hadoop\n"),
        ("data.json", "{\"Event\":\"something else\"}\n"),
        ("tree.json", "{\"name\":\"x\",\"value\":[]}\n"),
        ("h101/notes.txt", "stat(x) was called\n"),
        ("empty", ""),
    ] {
        assert_eq!(format_of(path, text.as_bytes()).map(|f| f.about().name), None, "{path}");
    }
}

#[test]
fn container_and_attempt_may_stand_in_the_path_alone() {
    let log = "2026-11-21 02:16:04,043 WARN [main] org.apache.hadoop.mapred.MapTask: Processing split\n";
    let of = |path: &str| reading::events(&reading::read(path, log.as_bytes()).unwrap());
    let rows = of("h102/userlogs/attempt_202611202124_0001_m_000003_1/syslog");
    assert_eq!(rows.len(), 1);
    assert!(event(&rows[0].event).contains("TaskLog"));
    assert!(of("userlogs/application_1_0001/container_1_0001_01_000002/syslog").is_empty());
    let log =
        "2026-11-21 02:16:04,043 INFO [main] org.apache.hadoop.mapred.Task: Task 'attempt_1_0001_m_000000_0' done.\n";
    let rows = reading::events(&reading::read("a/container_1_0001_01_000002/syslog", log.as_bytes()).unwrap());
    assert!(rows.iter().any(|row| event(&row.event).contains("container_1_0001_01_000002")));
}

/// Lines made of the words that formats look for.
fn words() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "2026-11-20 21:24:44,119 INFO org.apache.hadoop.mapred.TaskTracker: ",
        "2026-11-20 21:24:44,119 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: ",
        "2026-11-20 21:24:44,119 INFO [x] org.apache.hadoop.mapred.ReduceTask: ",
        "attempt_202611202124_0001_m_000000_0",
        "container_1_0001_01_000002",
        "blk_-1_2",
        "src: /10.0.0.1:50010, dest: /10.0.0.2:1, bytes: 5, op: HDFS_READ, ",
        "Receiving block ",
        "Shuffling 1 bytes (2 raw bytes) into RAM from ",
        "Read 1 bytes from map-output for ",
        "LaunchTaskAction",
        "STARTUP_MSG:   host = a/10.0.0.1",
        "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"",
        "Job JOBID=\"job_1_0001\" JOBNAME=\"",
        "COUNTERS=\"{(a)(b)[(HDFS_BYTES_READ)(c)(5)]}\" .",
        "7 1795233259.897748 connect(39, {sin_port=htons(9001)}, 16) = -1 EINPROGRESS (x) <0.000100>",
        "7 1795233259.897748 accept(34,  <unfinished ...>",
        "8 1795233269.897748 <... accept resumed>{sa}, [28 => 16]) = 45 <10.145459>",
        "7 +++ superseded by execve in pid 8 +++",
        "12:21:46.362492 brk(NULL) = 0",
        "% time     seconds  usecs/call     calls    errors syscall",
        " 66.39    2.816431         866      3251       722 futex",
        "Avro-Json",
        "Avro-Binary",
        "{\"type\":\"record\",\"name\":\"Event\",\"fields\":[{\"name\":\"type\",\"type\":\"string\"}]}",
        "{\"type\":\"MAP_ATTEMPT_STARTED\",\"event\":{\"x\":{\"attemptId\":\"",
        "<configuration><property><name>dfs.block.size</name><value>128m</value></property>",
        "<!--",
        "&amp;",
        "{\"jobID\":\"job_1_0001\",\"mapTasks\":[{\"attempts\":[",
        "{\"name\":\"<root>\",\"children\":[",
        "{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":4294967295,\"Task Info\":{\"Index\":4294967295}}",
        "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":1,\"Stage IDs\":[1,2]}",
        "jobId=job_1_0001,submitTime=5,jobName=\\",
        "Slow flushOrSync took 5ms",
        "Error from attempt_1_0001_m_000000_0 on tracker_",
        "\\",
        "\"",
        "}",
        "# hostname;interval;timestamp;CPU;%user;IFACE;rxkB/s",
        "h1;1;1795227871;-1;1.00;eth0;2.5",
        "h1\t1\t1795227871\tall\t%user\t1.0",
        "Linux 3.10 (h1) \t03/28/16",
        "12:00:01 AM CPU %user",
        "11:00:01 PM all 1.00",
        "{\"sysstat\":{\"hosts\":[{\"nodename\":\"a\",\"statistics\":[",
        "{\"timestamp\":{\"date\":\"2026-11-21\",\"time\":\"03:03:15\"}",
        "<sysstat><host nodename=\"",
        "<timestamp date=\"2026-11-21\" time=\"03:03:15\">",
        "<cpu number=\"all\" usr=\"1.00\"/>",
        "\u{fc}",
        " ",
        ": ",
        "\r",
        "\n",
        "\n",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat().into_bytes())
}

#[test]
fn sets_of_formats_hold_those_of_the_registry() {
    let sets: [&[&str]; 6] = [
        &formats::PER_NODE,
        &formats::MASTERS,
        &formats::HISTORIES,
        &formats::OF_JOBS,
        &formats::METRICS,
        &formats::CALLS,
    ];
    for name in sets.concat() {
        assert!(FORMATS.iter().any(|format| format.about().name == name), "{name} is no format");
    }
}

proptest! {
    #[test]
    fn bytes_of_any_kind_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        for format in FORMATS {
            let digest = read_as(*format, "p", &bytes, 13);
            prop_assert_eq!(digest.lines, digest.understood + digest.skipped);
            if format.about().feed == Feed::Lines {
                prop_assert_eq!(digest.lines, lines_of(&bytes), "{}", format.about().name);
            }
        }
    }

    #[test]
    fn words_in_any_order_never_panic(bytes in words()) {
        for format in FORMATS {
            let digest = read_as(*format, "userlogs/attempt_1_0001_r_000000_0/syslog", &bytes, 13);
            prop_assert_eq!(digest.lines, digest.understood + digest.skipped);
            if format.about().feed == Feed::Lines {
                prop_assert_eq!(digest.lines, lines_of(&bytes), "{}", format.about().name);
            }
        }
        let _ = reading::read("p", &bytes);
    }

    #[test]
    fn damaged_binary_history_never_panics(at in 0_usize..40_000, byte in any::<u8>()) {
        let mut bytes = std::fs::read(samples().join("jhist/3.3.6/binary_cut.log")).unwrap();
        bytes[at] = byte;
        let _ = reading::read("p", &bytes);
    }
}

#[test]
fn files_are_known_by_what_stands_behind_a_long_beginning() {
    let read = |path: &str, text: &str| {
        let mut reader = FileReader::new(path, &Limits::default());
        text.as_bytes().chunks(1000).for_each(|piece| reader.feed(piece));
        let (_, digest) = reader.finish();
        (digest.format.clone(), digest.events.iter().count())
    };
    let line = |message: &str| format!("2026-11-20 10:00:00,000 INFO org.apache.hadoop.{message}\n");
    let known = |format: &str, events: usize| (format.to_owned(), events);

    let frames = "\tat org.apache.hadoop.mapred.Foo.bar(Foo.java:123)\n".repeat(120);
    let done = line("mapred.TaskTracker: Task attempt_1_0001_m_000000_0 is done.");
    assert_eq!(read("a/hadoop-u-tasktracker-h1.log", &(frames.clone() + &done)), known("tasktracker", 1));
    assert_eq!(read("a/x.log", &(frames + &done)), known("tasktracker", 1));

    let starting = line("ipc.Server: IPC Server handler 1 on 50020: starting").repeat(80);
    let receiving =
        line("hdfs.server.datanode.DataNode: Receiving block blk_1_1 src: /10.0.0.9:1 dest: /10.0.0.1:50010");
    assert_eq!(read("a/x.txt", &(starting + &receiving)), known("datanode", 1));

    let long = format!(
        "1 1697048351.000541 execve(\"/bin/java\", [{}], 0x7 /* 9 vars */) = 0 <0.1>\n",
        "\"-Dx=1\", ".repeat(900)
    );
    assert_eq!(read("h1/tt.strace", &long).0, "strace-ttt");

    let cut = "xx\"".repeat(2001) + "\nMeta VERSION=\"1\" .\n";
    assert_eq!(read("a/h", &cut).0, "jobhistory-v1");

    let container = "y/application_1_0001/container_1_0001_01_000001/syslog";
    let head = line("conf.Configuration: x is deprecated").repeat(80);
    let master = line("mapreduce.v2.app.MRAppMaster: Created MRAppMaster for application appattempt_1_0001_000001");
    assert_eq!(read(container, &(head.clone() + &master)).0, "am-syslog");
    assert_eq!(read(container, &head).0, "task-syslog");
}
