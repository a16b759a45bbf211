//! Zones, summer time and skews: found in made logs within tolerance, and in real ones.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod clock_set;
mod shared;

use clock_set::with_clock_set;
use oddnode::base::Timestamp;
use oddnode::diagnosis::Params;
use oddnode::model::{ClockChoice, Digest, Evidence, StateKind, Trace, ZoneSource};
use oddnode::pipeline::{Ingest, analyse, measure, prepare};
use oddnode::report::doubts;
use oddnode::source::Limits;
use oddnode::states::{self, Basis};
use std::path::Path;

const HOUR: i64 = 3_600_000;
/// 2026-11-21 02:00:00 UTC.
const START: i64 = 1_795_226_400_000;

fn digest(files: &[(String, String)]) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in files {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    ingest.into_digest()
}

/// A log4j line at a UTC time, in a zone `behind_ms` behind UTC, by a clock ahead by `ahead_ms`.
fn line(utc: i64, behind_ms: i64, ahead_ms: i64, text: &str) -> String {
    format!("{} INFO org.apache.hadoop.{text}\n", Timestamp::from_millis(utc - behind_ms + ahead_ms))
}

/// A cluster of a JobTracker h0 and slaves h1, h2 …, whose clocks are ahead by so much: 30
/// tasks and 30 block pipelines, messages of 3 to 40 ms.
fn cluster(behind_ms: i64, ahead_ms: &[i64], history: bool) -> Vec<(String, String)> {
    let mut jt = String::new();
    let mut trackers = vec![String::new(); ahead_ms.len()];
    let mut datanodes = vec![String::new(); ahead_ms.len()];
    let mut records = String::from("Meta VERSION=\"1\" .\nJob JOBID=\"job_202611210200_0001\" JOBNAME=\"x\" .\n");
    for (i, ahead) in ahead_ms.iter().enumerate() {
        let host = line(START, behind_ms, *ahead, "hdfs.server.datanode.DataNode: STARTUP_MSG: ");
        datanodes[i].push_str(&host);
        datanodes[i].push_str(&format!("STARTUP_MSG:   host = h{i}/10.0.0.{}\n", i + 1));
    }
    for i in 0..30_i64 {
        let at = START + 10_000 * i;
        let slave = 1 + i as usize % (ahead_ms.len() - 1);
        let (latency, ahead) = (3 + i * 7 % 37, ahead_ms[slave]);
        let a = format!("attempt_202611210200_0001_m_{i:06}_0");
        let task = format!("task_202611210200_0001_m_{i:06}");
        let (begin, end) = (at + latency, at + 8000);
        jt.push_str(&line(
            at,
            behind_ms,
            ahead_ms[0],
            &format!(
                "mapred.JobTracker: Adding task '{a}' to tip {task}, for tracker 'tracker_h{slave}:x/127.0.0.1:1'"
            ),
        ));
        trackers[slave].push_str(&line(
            begin,
            behind_ms,
            ahead,
            &format!("mapred.TaskTracker: LaunchTaskAction (registerTask): {a} task's state:UNASSIGNED"),
        ));
        trackers[slave].push_str(&line(end, behind_ms, ahead, &format!("mapred.TaskTracker: Task {a} is done.")));
        jt.push_str(&line(
            end + latency,
            behind_ms,
            ahead_ms[0],
            &format!("mapred.JobInProgress: Task '{a}' has completed {task} successfully."),
        ));
        records.push_str(&format!("Task TASKID=\"{task}\" TASK_TYPE=\"MAP\" START_TIME=\"{}\" .\n", at + ahead_ms[0]));
        records.push_str(&format!("MapAttempt TASK_TYPE=\"MAP\" TASKID=\"{task}\" TASK_ATTEMPT_ID=\"{a}\" START_TIME=\"{}\" TRACKER_NAME=\"tracker_h{slave}:x\" .\n", begin + ahead));
        records.push_str(&format!("MapAttempt TASK_TYPE=\"MAP\" TASKID=\"{task}\" TASK_ATTEMPT_ID=\"{a}\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"{}\" HOSTNAME=\"/rack/h{slave}\" .\n", end + ahead));
        records.push_str(&format!(
            "Task TASKID=\"{task}\" TASK_TYPE=\"MAP\" TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"{}\" .\n",
            end + latency + ahead_ms[0]
        ));
        // h1 → h2 → h3 …, each a little later, the answers back up.
        for (depth, ahead) in ahead_ms.iter().enumerate().skip(1) {
            let src = if depth == 1 { 1 } else { depth };
            let begin = at + latency * depth as i64;
            let text = format!(
                "hdfs.server.datanode.DataNode: Receiving block blk_{i}_1 src: /10.0.0.{}:4000 dest: /10.0.0.{}:50010",
                src.max(2),
                depth + 1
            );
            datanodes[depth].push_str(&line(begin, behind_ms, *ahead, &text));
        }
        for (depth, ahead) in ahead_ms.iter().enumerate().skip(1) {
            let src = if depth == 1 { 2 } else { depth };
            let end = at + 5000 - latency * depth as i64;
            let text = format!(
                "hdfs.server.datanode.DataNode.clienttrace: src: /10.0.0.{src}:4000, dest: /10.0.0.{}:50010, bytes: 9, op: HDFS_WRITE, cliID: DFSClient_{a}, srvID: DS, blockid: blk_{i}_1",
                depth + 1
            );
            datanodes[depth].push_str(&line(end, behind_ms, *ahead, &text));
        }
    }
    let mut files = vec![(String::from("c/h0/hadoop-u-jobtracker-h0.log"), jt)];
    for (i, text) in trackers.into_iter().enumerate().filter(|(_, t)| !t.is_empty()) {
        files.push((format!("c/h{i}/hadoop-u-tasktracker-h{i}.log"), text));
    }
    for (i, text) in datanodes.into_iter().enumerate() {
        files.push((format!("c/h{i}/hadoop-u-datanode-h{i}.log"), text));
    }
    if history {
        files.push((String::from("c/h0/history/x"), records));
    }
    files
}

fn skews(t: &Trace) -> Vec<(String, i64, i64, bool)> {
    t.clocks
        .skews
        .iter()
        .map(|s| (t.node_name(s.node).to_owned(), s.skew_ms, s.high_ms - s.low_ms, s.is_certain()))
        .collect()
}

#[test]
fn made_skews_are_recovered_and_corrected() {
    let ahead = [0, -500_000, 977_000, 0, 1500];
    let read = digest(&cluster(5 * HOUR, &ahead, true));
    let t = states::build(&read, None);
    assert_eq!((t.offset_ms, t.clocks.source), (5 * HOUR, ZoneSource::Found));
    assert_eq!(t.clocks.reference, "h0");
    for (node, skew, width, certain) in skews(&t) {
        let truth = ahead[node[1..].parse::<usize>().unwrap()];
        assert!((skew - truth).abs() < 50 && width < 200, "{node}: {skew} ± {width}, {truth}");
        assert_eq!(certain, truth != 0, "{node}");
    }
    assert_eq!(skews(&t).len(), 5);
    // Corrected, everything is where it would be with good clocks.
    let straight = states::build(&digest(&cluster(5 * HOUR, &[0; 5], true)), None);
    let fixed = states::build(&read, ClockChoice { tz_offset_ms: None, fix_clocks: true });
    let starts = |t: &Trace, kind| t.states.of_kind(kind).map(|s| s.start.unwrap().millis()).collect::<Vec<_>>();
    for kind in [StateKind::Map, StateKind::WriteBlock] {
        let (straight, fixed, as_logged) = (starts(&straight, kind), starts(&fixed, kind), starts(&t, kind));
        assert!(straight.len() >= 30);
        let far = |a: &[i64]| a.iter().zip(&straight).filter(|(a, b)| a.abs_diff(**b) > 60).count();
        assert_eq!((far(&fixed), far(&as_logged) > 10), (0, true), "{kind:?}");
    }
    assert!(fixed.clocks.skews.iter().all(|s| s.corrected == s.is_certain()));
    assert!(fixed.flows.iter().all(|f| f.start.unwrap().millis() < START + 400_000));
    let finish = |t: &Trace| t.tasks.iter().map(|t| t.finish.unwrap().millis()).max().unwrap();
    assert!(finish(&fixed).abs_diff(finish(&straight)) < 60);
}

/// Slaves whose clocks are ahead by so much; each reduces, and fetches 20 map outputs of each other one,
/// which is told by both sides and by nothing else.
fn shuffling(ahead_ms: &[i64]) -> Vec<(String, String)> {
    let mut trackers = vec![String::new(); ahead_ms.len()];
    let mut reduces = vec![String::new(); ahead_ms.len()];
    let told = |utc, node: usize, text: &str| line(utc, 0, ahead_ms[node], &format!("mapred.{text}"));
    for (i, tracker) in trackers.iter_mut().enumerate() {
        tracker.push_str(&told(START, i, "TaskTracker: STARTUP_MSG: "));
        tracker.push_str(&format!("STARTUP_MSG:   host = h{i}/10.0.0.{}\n", i + 1));
    }
    for (i, reduce) in reduces.iter_mut().enumerate() {
        let own = format!(
            "ReduceTask: attempt_202611210200_0001_r_{i:06}_0 Thread started: Thread for merging in memory files"
        );
        reduce.push_str(&told(START + 1000, i, &own));
    }
    let mut at = START + 10_000;
    for map in 0..20 * ahead_ms.len() {
        let from = map % ahead_ms.len();
        let m = format!("attempt_202611210200_0001_m_{map:06}_0");
        for to in (0..ahead_ms.len()).filter(|to| *to != from) {
            at += 500;
            let trip = 3 + (map * 7 % 11) as i64;
            reduces[to].push_str(&told(
                at - trip,
                to,
                &format!("ReduceTask: Shuffling 5 bytes (9 raw bytes) into RAM from {m}"),
            ));
            let served = format!(
                "TaskTracker.clienttrace: src: 10.0.0.{}:50060, dest: 10.0.0.{}:41000, bytes: 9, op: MAPRED_SHUFFLE, cliID: {m}, duration: 20000000",
                from + 1,
                to + 1
            );
            trackers[from].push_str(&told(at + 20, from, &served));
            reduces[to].push_str(&told(
                at + 20 + trip,
                to,
                &format!("ReduceTask: Read 5 bytes from map-output for {m}"),
            ));
        }
    }
    let log = |(i, text)| (format!("c/h{i}/hadoop-u-tasktracker-h{i}.log"), text);
    let syslog = |(i, text)| (format!("c/h{i}/userlogs/attempt_202611210200_0001_r_{i:06}_0/syslog"), text);
    trackers.into_iter().enumerate().map(log).chain(reduces.into_iter().enumerate().map(syslog)).collect()
}

#[test]
fn shuffles_alone_tell_skews() {
    let ahead = [0, 90_000, 0, -40_000, 0];
    let read = digest(&shuffling(&ahead));
    let t = states::build(&read, None);
    assert_eq!(t.flows.len(), 20 * 5 * 4);
    for ((name, skew, width, _), ahead) in skews(&t).iter().zip(ahead) {
        // Its own bounds, widened by the median's.
        assert!((skew - ahead).abs() <= 25 && *width < 2 * 80, "{name}: {skew} for {ahead}, within {width}");
    }
    assert_eq!(skews(&t).len(), ahead.len());
    // Where they are taken out, they are read before the transfers are paired, and are the same.
    let mended = states::build(&read, ClockChoice { fix_clocks: true, ..ClockChoice::default() });
    assert_eq!(skews(&mended), skews(&t));
    let began = |t: &Trace| t.flows.iter().filter_map(|f| Some((f.attempt, f.dest, f.start?))).collect::<Vec<_>>();
    assert_ne!(began(&mended), began(&t));
}

#[test]
fn complaints_are_corrected_with_their_log() {
    let mut logs = cluster(5 * HOUR, &[0, -500_000, 977_000, 0, 1500], true);
    let words = "hdfs.server.datanode.DataNode: Slow flushOrSync took 412ms (threshold=300ms), isSync:true";
    let (_, log) = logs.iter_mut().find(|(_, log)| log.contains("host = h2/") && log.contains("DataNode")).unwrap();
    log.push_str(&line(START + 310_000, 5 * HOUR, 977_000, words).replace(" INFO ", " WARN "));
    let read = digest(&logs);
    let at = |fix_clocks| {
        let trace = states::build(&read, ClockChoice { tz_offset_ms: None, fix_clocks });
        assert_eq!(trace.complaints.len(), 1);
        trace.complaints[0].at.millis()
    };
    assert_eq!(at(false), START + 310_000 + 977_000);
    assert!(at(true).abs_diff(START + 310_000) < 50, "{}", at(true) - START);
}

#[test]
fn history_alone_tells_its_trackers_skews() {
    let history = cluster(0, &[0, -977_000, -500_000, 0], true).pop().unwrap();
    let t = states::build(&digest(&[history]), None);
    assert_eq!((t.clocks.source, t.clocks.reference.as_str()), (ZoneSource::NotNeeded, "master"));
    let found = skews(&t);
    assert_eq!(found.len(), 3);
    for ((node, skew, _, certain), truth) in found.iter().zip([-977_000, -500_000, 0]) {
        assert!((skew - truth).abs() < 50, "{node} {skew}");
        assert_eq!(*certain, truth != 0);
    }
}

#[test]
fn without_a_master_the_median_is_the_reference() {
    let files = cluster(0, &[0, 0, 60_000, 0, 0], false);
    let only: Vec<_> = files.into_iter().filter(|(name, _)| name.contains("datanode")).collect();
    let t = states::build(&digest(&only), None);
    assert_eq!(t.clocks.reference, "median");
    let off: Vec<_> = skews(&t).into_iter().filter(|s| s.3).collect();
    assert_eq!(off.len(), 1);
    assert!(off[0].0 == "h2" && (off[0].1 - 60_000).abs() < 50, "{off:?}");
}

#[test]
fn given_zone_counts_and_unknown_zone_is_told() {
    let files = cluster(-330 * 60_000, &[0, 0, 0], false);
    let read = digest(&files);
    let report = |params: &Params| analyse(&read, params).report;
    let assumed = report(&Params::default());
    assert_eq!(assumed.clock.source, "assumed");
    assert!(assumed.issues.iter().any(|i| i.code == "zone-unknown" && i.advice.contains("--tz")));
    let given = report(&Params { tz_offset_ms: Some(-330 * 60_000), ..Params::default() });
    assert_eq!((given.clock.source.as_str(), given.clock.first_ms), ("given", Some(START)));
    assert!(given.issues.iter().all(|i| i.code != "zone-unknown"));
}

#[test]
fn metrics_beside_logs_without_history_tell_their_zone() {
    let mut files = cluster(5 * HOUR, &[0, 0, 0], false);
    // From a few seconds after the first line to a few before the last.
    let samples = (5..290).map(|s| format!("h1;1;{};-1;5.0;0.0;1.0;0.0;0.0;94.0\n", START / 1000 + s));
    let metrics = format!(
        "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n{}",
        samples.collect::<String>()
    );
    files.push((String::from("c/h1/metrics.sadf.txt"), metrics));
    let read = digest(&files);
    let t = states::build(&read, None);
    assert_eq!((t.offset_ms, t.clocks.source), (5 * HOUR, ZoneSource::Found));
    let report = analyse(&read, &Params::default()).report;
    let evidence: Vec<&String> = report.clock.zones.iter().flat_map(|zone| zone.evidence.keys()).collect();
    assert_eq!(evidence, ["time of the metrics and traces beside the logs"]);
    // A sign is soon wrong: what the logs tell is not kept back.
    let given = |offset_ms| analyse(&read, &Params { tz_offset_ms: Some(offset_ms), ..Params::default() }).report;
    let told = given(-5 * HOUR).clock.told.map(|told| told.offset_ms);
    assert_eq!((told, given(5 * HOUR).clock.told), (Some(5 * HOUR), None));
    let doubts = doubts::of(&given(-5 * HOUR));
    assert!(doubts[0].starts_with("The logs' own times tell UTC-05:00 (1 pair), not UTC+05:00"), "{doubts:?}");
}

#[test]
fn metrics_with_an_ambiguous_date_are_of_the_day_of_the_logs_beside_them() {
    let days = |date: &str| {
        let logs = cluster(0, &[0, 0, 0], false).into_iter();
        let mut files: Vec<_> =
            logs.map(|(name, text)| (name, text.replace("2026-11-21 ", &format!("{date} ")))).collect();
        let rows: String = (5..290)
            .map(|s| format!("02:{:02}:{:02}  all  5.00  0.00  1.00  0.00  0.00  94.00\n", s / 60, s % 60))
            .collect();
        let banner = "Linux 2.6.32 (h1)  05/11/26  _x86_64_  (2 CPU)\n\n";
        let heading = "02:00:04  CPU  %user  %nice  %system  %iowait  %steal  %idle\n";
        files.push((String::from("c/h1/sar.txt"), [banner, heading, &rows].concat()));
        let read = digest(&files);
        let report = analyse(&read, &Params::default()).report;
        assert!(report.issues.iter().any(|issue| issue.code == "ambiguous-date"), "{:?}", report.issues);
        states::build(&read, None)
            .samples
            .iter()
            .map(|sample| sample.at.to_seconds()[..10].to_owned())
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert!(days("2026-11-05").iter().eq(["2026-11-05"]));
    assert!(days("2026-05-11").iter().eq(["2026-05-11"]));
    assert!(days("2026-07-01").iter().eq(["2026-05-11"]), "neither is near the logs");
}

#[test]
fn one_node_may_be_set_to_another_zone() {
    let mut files = cluster(5 * HOUR, &[0, 0, 0, 0], true);
    let utc = cluster(0, &[0, 0, 0, 0], true);
    for (file, other) in files.iter_mut().zip(utc).filter(|(f, _)| f.0.contains("h2/")) {
        *file = other;
    }
    let t = states::build(&digest(&files), None);
    let zones: Vec<_> =
        t.clocks.zones.iter().map(|z| (z.node.map(|n| t.node_name(n).to_owned()), z.offset_ms)).collect();
    assert_eq!(zones, [(None, 5 * HOUR), (Some("h2".to_owned()), 0)]);
    let last = t.states.of_kind(StateKind::WriteBlock).map(|s| s.end.millis()).max().unwrap();
    assert!(last < START + 400_000);
    assert!(skews(&t).iter().all(|s| !s.3), "{:?}", skews(&t));
}

#[test]
fn master_of_another_zone_is_told_by_the_history_or_its_messages() {
    for history in [true, false] {
        master_of_another_zone(history);
    }
}

fn master_of_another_zone(history: bool) {
    let mut files = cluster(0, &[0, 0, 0, 0], history);
    let other = cluster(5 * HOUR, &[0, 0, 0, 0], history);
    for (file, other) in files.iter_mut().zip(other).filter(|(f, _)| f.0.contains("h0/hadoop")) {
        *file = other;
    }
    let read = digest(&files);
    for fix_clocks in [false, true] {
        let t = states::build(&read, ClockChoice { tz_offset_ms: None, fix_clocks });
        let zones: Vec<_> = t.clocks.zones.iter().map(|z| (z.node.map(|n| t.node_name(n)), z.offset_ms)).collect();
        // Where nothing tells it, all are taken for UTC; that is no zone.
        let master = (Some("h0"), 5 * HOUR);
        assert_eq!(zones, if history { vec![(None, 0), master] } else { vec![master] });
        let evidence = t.clocks.zones.last().unwrap().evidence[0].0;
        assert_eq!(evidence, if history { Evidence::Attempt } else { Evidence::Messages });
        let (first, last) = t.span.unwrap();
        assert!(first.millis() >= START - 1000 && last.millis() < START + 400_000, "{first} {last}");
        assert!(skews(&t).iter().all(|s| !s.3), "{:?}", skews(&t));
    }
    // As it was given, whatever they say.
    let given = states::build(&read, Some(0));
    assert_eq!(given.clocks.zones.len(), 0);
    assert!(history || skews(&given).iter().any(|s| s.3), "told as a clock that is wrong");
}

/// A cluster of good clocks but for that of a slave, which is set forward by so much at a UTC time.
fn cluster_with_clock_set(host: &str, from: i64, by_ms: i64) -> Vec<(String, String)> {
    let files: Vec<_> = cluster(0, &[0; 5], true).into_iter().map(|(path, log)| (path, log.into_bytes())).collect();
    let set = with_clock_set(&files, host, (from, by_ms), 0).into_iter();
    set.map(|(path, log)| (path, String::from_utf8(log).unwrap())).collect()
}

#[test]
fn clock_set_forward_makes_nothing_longer() {
    let straight = states::build(&digest(&cluster(0, &[0; 5], true)), None);
    let times = |t: &Trace, kind| {
        let mut all: Vec<_> = t.states.of_kind(kind).map(|s| (s.start.unwrap().millis(), s.end.millis())).collect();
        all.sort_unstable();
        all
    };
    // While a task of h3 ran.
    let (from, by_ms) = (START + 10_000 * 14 + 4000, 2 * HOUR + 120_000);
    let files = cluster_with_clock_set("h3", from, by_ms);
    let read = digest(&files);
    for fix_clocks in [false, true] {
        let t = states::build(&read, ClockChoice { tz_offset_ms: None, fix_clocks });
        for kind in [StateKind::Map, StateKind::WriteBlock] {
            let far = |(a, b): &(&(i64, i64), &(i64, i64))| a.0.abs_diff(b.0) > 3000 || a.1.abs_diff(b.1) > 3000;
            let (found, straight) = (times(&t, kind), times(&straight, kind));
            assert_eq!(found.len(), straight.len(), "{kind:?}");
            assert_eq!(found.iter().zip(&straight).filter(far).count(), 0, "{kind:?}, {fix_clocks}");
        }
        let (first, last) = t.span.unwrap();
        assert!(first.millis() >= START && last.millis() < START + 400_000, "{first} {last}");
        for reading in t.readings.iter().filter_map(|reading| reading.span) {
            assert!(reading.0 >= first && reading.1 <= last, "{reading:?}");
        }
        let notes: Vec<_> = t.notes.iter().map(|(code, text)| (code.name(), text.as_str())).collect();
        let [(code, said)] = &notes[..] else { panic!("{notes:?}") };
        assert_eq!(code, "clock-set");
        assert!(said.starts_with("h3's clock was set forward by 2 h 2 min at 2026-11-21 02:02:"), "{said}");
        let told: Vec<&str> = t
            .files
            .iter()
            .filter(|f| f.issues.iter().any(|(code, ..)| code.name() == "clock-set"))
            .map(|f| f.path.as_str())
            .collect();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].starts_with("c/h3/"));
    }
}

#[test]
fn metrics_compared_by_clocks_taken_wrong_are_compared_again() {
    let metrics = |host: usize| {
        let line = |s: i64| {
            format!("h{host};1;{};-1;{}.0;0.0;1.0;0.0;0.0;80.0\n", START / 1000 + s, 5 + (s + host as i64) % 7)
        };
        let head = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n";
        (format!("c/h{host}/metrics.sadf.txt"), head.to_owned() + &(5..290).map(line).collect::<String>())
    };
    let as_prepared = |logs: Vec<(String, String)>| {
        let read = digest(&logs.into_iter().chain((1..5).map(metrics)).collect::<Vec<_>>());
        let params = Params::default();
        let mut heard = Vec::new();
        // What somebody says who had no metrics.
        let mut other = |basis: &Basis| {
            let basis = postcard::from_bytes(&postcard::to_stdvec(basis).unwrap()).unwrap();
            heard.push(measure(&Digest::default(), &params, basis));
        };
        let prepared = prepare(&read, &params, &|_| (), &mut other);
        assert_eq!(heard.len(), 1);
        let report = prepared.finish(&read, heard.pop(), &|_| ()).report;
        report.to_json() == analyse(&read, &params).report.to_json()
    };
    assert!(as_prepared(cluster_with_clock_set("h3", START + 144_000, 2 * HOUR)));
    assert!(!as_prepared(cluster(0, &[0; 5], true)), "it is heard where the clocks are as they were taken for");
}

#[test]
fn autumn_hour_in_a_log_keeps_its_order() {
    // Local time goes from 01:59 back to 01:00 at 06:00 UTC of 2026-11-01.
    let change = Timestamp::from_civil(2026, 11, 1, 6, 0, 0, 0).unwrap().millis();
    let mut log = line(change - HOUR, 4 * HOUR, 0, "hdfs.server.datanode.DataNode: STARTUP_MSG: ");
    log.push_str("STARTUP_MSG:   host = h1/10.0.0.1\n");
    let mut block = |utc: i64, n: i64| {
        let behind = if utc < change { 4 * HOUR } else { 5 * HOUR };
        let text =
            format!("hdfs.server.datanode.DataNode: Receiving block blk_{n} src: /10.0.0.9:{n} dest: /10.0.0.1:50010");
        log.push_str(&line(utc, behind, 0, &text));
        let text = format!(
            "hdfs.server.datanode.DataNode.clienttrace: src: /10.0.0.9:{n}, dest: /10.0.0.1:50010, bytes: 1, op: HDFS_WRITE, cliID: DFSClient_1, srvID: D, blockid: blk_{n}"
        );
        log.push_str(&line(utc + 1000, behind, 0, &text));
    };
    for i in 1..20 {
        block(change - HOUR + i * 360_000 + 7, i);
    }
    let read = digest(&[("a/h1/hadoop-u-datanode-h1.log".to_owned(), log)]);
    let t = states::build(&read, Some(4 * HOUR));
    let mut starts: Vec<i64> = t.states.of_kind(StateKind::WriteBlock).map(|s| s.start.unwrap().millis()).collect();
    starts.sort_unstable();
    let expected: Vec<i64> = (1..20).map(|i| change - HOUR + i * 360_000 + 7).collect();
    assert_eq!(starts, expected);
    assert_eq!(t.clocks.zones[0].changes, [(Timestamp::from_millis(change), 5 * HOUR)]);
    assert_eq!(t.span.unwrap().1.millis(), expected[18] + 1000);
}

fn read_archive(path: &Path) -> Trace {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start(&path.file_name().unwrap().to_string_lossy());
    ingest.feed(&std::fs::read(path).unwrap());
    states::build(&ingest.into_digest(), None)
}

/// All nodes of the labelled runs are containers of one machine: one clock.
#[test]
fn labelled_runs_have_one_clock() {
    for run in ["hadoop1/r01", "hadoop1/r34", "hadoop1/r06", "hadoop3/y01", "hadoop3/y10", "hadoop3/y18"] {
        let Some(path) = shared::data(&format!("{run}.tar.gz")) else { continue };
        let t = read_archive(&path);
        let found = skews(&t);
        println!("{run}: {found:?}");
        assert!(found.len() >= 5, "{run}");
        assert!(found.iter().all(|(.., certain)| !certain), "{run}: {found:?}");
        assert!(found.iter().all(|(_, skew, width, _)| skew.abs() < 2500 && *width < 6000), "{run}: {found:?}");
    }
}

#[test]
fn nodes_of_two_zones_that_work_by_turns_are_no_summer_time() {
    let mut files = cluster(5 * HOUR, &[0, 0, 0], true);
    let other = cluster(4 * HOUR, &[0, 0, 0], true);
    for (file, other) in files.iter_mut().zip(other).filter(|(f, _)| f.0.contains("h2/")) {
        *file = other;
    }
    let t = states::build(&digest(&files), None);
    assert!(t.clocks.zones.iter().all(|z| z.changes.is_empty()), "{:?}", t.clocks.zones);
    let last = t.states.of_kind(StateKind::WriteBlock).map(|s| s.end.millis()).max().unwrap();
    assert!(last < START + 400_000);
}

#[test]
fn printed_aggregated_logs_tell_their_zone() {
    let text = |modified: &str| {
        format!(
            "Container: container_1795226467746_0033_01_000002 on h301_45454\n{}\nLogType:syslog\n\
             LogLastModifiedTime:{modified}\nLogLength:88\nLogContents:\n\
             2026-11-21 03:08:43,500 INFO [main] org.apache.hadoop.mapred.MapTask: numReduceTasks: 1\n\n\
             End of LogType:syslog\n",
            "=".repeat(60)
        )
    };
    let zone = |modified: &str| {
        let t = states::build(&digest(&[("logs.txt".to_owned(), text(modified))]), None);
        (t.clocks.source == ZoneSource::Found).then_some(t.offset_ms)
    };
    assert_eq!(zone("Sat Nov 21 03:08:44 +0530 2026"), Some(-330 * 60_000));
    assert_eq!(zone("Sat Nov 21 03:08:44 -0500 2026"), Some(5 * HOUR));
    // Gathered an hour later, or printed in another zone; no time at all.
    assert_eq!(zone("Sat Nov 21 04:08:44 +0530 2026"), None);
    assert_eq!(zone("Fri Nov 20 21:38:44 +0000 2026"), None);
    assert_eq!(zone("Sat Nov 31 03:08:44 +0530 2026"), None);
}
