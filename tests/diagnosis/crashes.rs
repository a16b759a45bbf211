//! Causes: nodes and daemons that are gone, and attempts that hang.

use super::{FAST, PLACE, attempt, cluster, complaint, signal, slowly, started, state, task, with_job};
use oddnode::base::{AttemptId, FileId, Interval, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::Params;
use oddnode::diagnosis::cause::{Cause, Causes, Rule, Symptoms};
use oddnode::model::{
    Complaint, ComplaintKind, Coverage, Density, FileInfo, FileReading, Flow, FlowKind, Flows, JobStatus, Metric,
    Outcome, Sample, Samples, State, StateKind, States, TaskAttempt, Trace,
};
use oddnode::pipeline::{self, Ingest};
use oddnode::report::{Report, doubts};
use oddnode::source::Limits;
use std::collections::BTreeMap;

/// A daemon's log on a node, or a master's.
fn log(node: Option<u32>, format: &str) -> FileInfo {
    FileInfo {
        path: String::new(),
        node: node.map(NodeId),
        daemon_last: None,
        last_line: 0,
        coverage: Coverage { format: Some(format.to_owned()), ..Coverage::default() },
        issues: Vec::new(),
    }
}

/// What was read of a log with lines of these seconds.
fn reading(seconds: &[i64]) -> FileReading {
    let mut density = Density::default();
    let at = |s: &i64| Timestamp::from_millis(s * 1000);
    seconds.iter().for_each(|s| density.note(at(s)));
    let span = seconds.first().map(at).zip(seconds.last().map(at));
    FileReading { density: density.into(), span, ..FileReading::default() }
}

#[test]
fn daemon_that_ends_for_lack_of_space_is_full_and_has_not_crashed() {
    let cause = |said_s: i64| {
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        let full =
            Complaint { kind: ComplaintKind::NoSpace, at: Timestamp::from_millis(said_s * 1000), ..complaint(1) };
        trace.complaints = vec![full, Complaint { kind: ComplaintKind::LostNode, by: None, ..complaint(1) }];
        let slower = [(signal("lost-node"), 1.0)].into();
        let fell = Some(Timestamp::from_millis(60_000));
        Causes::new(&trace).of(NodeId(1), &Symptoms { fell, ..slowly(&slower) }).cause()
    };
    assert_eq!((cause(45), cause(10)), (Cause::DiskFull, Cause::Crashed), "long before is another matter");
}

/// Its master had lost it at 60 s and heard of it again; its log has lines of 1, 10 and 80 s.
#[test]
fn lost_daemon_that_was_silent_while_its_node_was_reached_stood_still() {
    let rule = |transfers: i64, seconds: &[i64], slow: &[(&str, f64)]| {
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        trace.complaints.push(Complaint { kind: ComplaintKind::LostNode, by: None, ..complaint(1) });
        trace.complaints.push(Complaint { at: Timestamp::from_millis(81_000), ..complaint(1) });
        trace.files = vec![log(None, "namenode"), log(Some(1), "datanode")];
        trace.readings = [&[], seconds].map(reading).to_vec();
        let moved = |at: i64| Flow {
            src: Some(1),
            dest: Some(0),
            ..Flow::of(FlowKind::Shuffle, Timestamp::from_millis(20_000 + at * 1000), PLACE)
        };
        trace.flows = Flows::from_rows((0..transfers).map(moved).collect::<Vec<_>>());
        let slower = [("lost-node", 1.0)].iter().chain(slow).map(|(name, times)| (signal(name), *times)).collect();
        Causes::new(&trace).of(NodeId(1), &slowly(&slower))
    };
    let log = [1, 10, 80];
    assert_eq!(rule(20, &log, &[]), Rule::DaemonStood);
    assert_eq!(Rule::DaemonStood.cause(), Cause::Hang);
    assert_eq!(rule(3, &log, &[]), Rule::Unheard, "a lossy network lets some through");
    assert_eq!(rule(20, &log, &[("shuffle", 3.0)]), Rule::Unheard, "and those slowly");
    assert_eq!(rule(20, &[1, 10, 40, 80], &[]), Rule::Unheard, "it wrote meanwhile");
}

/// A TaskTracker that was lost at 60 s, whose log has lines of these seconds, and who was or was not started anew at 75 s.
fn lost_tracker(seconds: &[i64], anew: Option<ComplaintKind>) -> Trace {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let of_file = |file: u32, kind: ComplaintKind, at: i64| Complaint {
        kind,
        at: Timestamp::from_millis(at),
        place: Place { file: FileId(file), ..PLACE },
        ..complaint(1)
    };
    trace.complaints.push(Complaint { by: None, ..of_file(0, ComplaintKind::LostNode, 60_000) });
    trace.complaints.extend(anew.map(|kind| of_file(1, kind, 75_000)));
    trace.files = vec![log(None, "jobtracker"), log(Some(1), "tasktracker")];
    trace.readings = vec![FileReading::default(), reading(seconds)];
    trace
}

#[test]
fn lost_daemon_that_goes_on_has_crashed_only_if_it_was_started_anew() {
    let rule = |seconds: &[i64], anew| {
        let slower = [(signal("lost-node"), 1.0)].into();
        Causes::new(&lost_tracker(seconds, anew)).of(NodeId(1), &slowly(&slower))
    };
    assert_eq!(rule(&[1, 10], None), Rule::Gone);
    assert_eq!(rule(&[1, 10, 79], None), Rule::Unheard, "it ran all the time");
    assert_eq!(rule(&[1, 10, 64], None), Rule::Gone, "a clock may be so much ahead");
    for anew in [ComplaintKind::Died, ComplaintKind::Restarted] {
        assert_eq!(rule(&[1, 10, 79], Some(anew)), Rule::Gone, "{anew:?}");
        assert_eq!(rule(&[1, 40, 79], Some(anew)), Rule::Gone, "{anew:?}, quickly");
    }
    assert_eq!(rule(&[79, 90], None), Rule::Gone, "another log");
}

#[test]
fn daemon_that_ended_without_a_word_crashed_unless_something_is_slow() {
    let trace = lost_tracker(&[1, 10, 79], Some(ComplaintKind::Died));
    let rule = |slower: &[(&str, f64)]| {
        let slower = slower.iter().map(|(name, times)| (signal(name), *times)).collect();
        Causes::new(&trace).of(NodeId(1), &slowly(&slower))
    };
    assert_eq!(rule(&[("died", 1.0)]), Rule::DaemonDied);
    assert_eq!(rule(&[("died", 1.0), ("unreachable", 20.0)]), Rule::DaemonDied, "nobody is there for a while");
    assert_eq!(rule(&[("unreachable", 20.0)]), Rule::Unreachable);
    assert_eq!(rule(&[("died", 1.0), ("WriteBlock", 4.0)]), Rule::SlowBlocks);
}

/// In a first wave nothing has ended on some nodes, and their attempts are a moment older than the longest that did.
#[test]
fn attempts_that_are_a_little_longer_than_the_longest_do_not_stand_still() {
    let standing = |ms: f64| {
        let mut trace = cluster(StateKind::Map, &[&[14.0, 13.0], &[12.0, 14.0], &[]]);
        let mut rows: Vec<State> = trace.states.iter().collect();
        rows.extend([0, 1].map(|k| state(StateKind::Map, 2, k, ms, Some(Outcome::Killed))));
        trace.states = States::from_rows(rows);
        Causes::new(&trace).standing_on(NodeId(2)).is_some()
    };
    assert!(!standing(14.4) && !standing(18.9));
    assert!(standing(19.1), "beyond the longest by more than these differ and a heartbeat");
}

#[test]
fn attempts_that_outlast_every_success_elsewhere_hang() {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let mut rows: Vec<State> = trace.states.iter().collect();
    rows.extend([0, 1].map(|k| state(StateKind::Map, 1, k, 60.0, Some(Outcome::Failed))));
    trace.states = States::from_rows(rows.clone());
    assert_eq!(Causes::new(&trace).of(NodeId(1), &Symptoms::default()).cause(), Cause::Hang);
    // What ran elsewhere when its job was killed is no end of its own, what was killed before is.
    rows.push(state(StateKind::Map, 0, 5, 8.0, Some(Outcome::Killed)));
    trace.states = States::from_rows(rows.clone());
    let cause =
        |status| Causes::new(&with_job(trace.clone(), status, vec![])).of(NodeId(1), &Symptoms::default()).cause();
    assert_eq!([JobStatus::Killed, JobStatus::Failed].map(cause), [Cause::Hang; 2]);
    assert_ne!(cause(JobStatus::Success), Cause::Hang);
    rows.push(state(StateKind::Map, 0, 5, 60.0, Some(Outcome::Killed)));
    trace.states = States::from_rows(rows);
    assert_ne!(
        Causes::new(&trace).of(NodeId(1), &Symptoms::default()).cause(),
        Cause::Hang,
        "elsewhere they do not succeed either"
    );
}

/// A task that spins takes the processor as a hog does, and most hogs show in metrics that are compared.
#[test]
fn attempts_on_a_taken_processor_hang_beyond_what_hogs_slow_down() {
    let told = |seconds: f64, odd: bool, got_on_ms: Option<i64>| {
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        let mut rows: Vec<State> = trace.states.iter().collect();
        rows.extend([0, 1].map(|k| {
            let id = AttemptId { attempt: 9, ..attempt(TaskLetter::Map, k as usize) };
            trace.got_on_ms.extend(got_on_ms.map(|ms| (id, ms)));
            State { attempt: Some(id), ..state(StateKind::Map, 1, k, seconds, Some(Outcome::Killed)) }
        }));
        trace.states = States::from_rows(rows);
        let sample = |node: u32| {
            let mut values = [f64::NAN; Metric::ALL.len()];
            for metric in [Metric::User, Metric::RunQueue] {
                values[metric.place()] = if node == 1 { 90.0 } else { 1.0 };
            }
            Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values }
        };
        trace.samples = Samples::from_rows((0..3).map(sample).collect());
        let all = Interval::new(Timestamp::default(), Timestamp::from_millis(100_000));
        let odd = if odd { vec![all] } else { Vec::new() };
        let symptoms = Symptoms { since: Some(Timestamp::default()), odd, ..Symptoms::default() };
        Causes::new(&trace).of(NodeId(1), &symptoms).cause()
    };
    let longest = 12.0;
    let cause = |seconds: f64, odd: bool| told(seconds, odd, None);
    assert_eq!((cause(3.1 * longest, false), cause(4.1 * longest, true)), (Cause::Hang, Cause::Hang));
    assert_ne!(cause(2.9 * longest, false), Cause::Hang);
    assert_ne!(cause(3.9 * longest, true), Cause::Hang);
    // What a hog slows down goes on telling of progress.
    let got_on_at = |seconds: f64| told(3.2 * longest, true, Some((seconds * 1000.0) as i64));
    assert_eq!(got_on_at(1.6 * longest), Cause::Hang);
    assert_ne!(got_on_at(1.8 * longest), Cause::Hang, "silent for less than 1.5 times the longest");
    assert_ne!(
        told(2.9 * longest, true, Some(0)),
        Cause::Hang,
        "three times as long as the longest on the node itself"
    );
}

#[test]
fn node_hangs_where_rivals_overtake_all_that_begins() {
    let slower = BTreeMap::from([(signal("Map"), 3.0)]);
    let cause = |own_start: i64, came_through: bool| {
        let mut trace = started((10, 5), (own_start, 5));
        let mut rows: Vec<State> = trace.states.iter().collect();
        let mut run = |number: usize, again: u32, node: u32, (from, to): (i64, i64), outcome: Outcome| {
            let id = AttemptId { attempt: again, ..attempt(TaskLetter::Map, number) };
            let start = Timestamp::from_millis(from * 1000);
            let s = state(StateKind::Map, node, from * 1000, (to - from) as f64, Some(outcome));
            rows.push(State { attempt: Some(id), ..s });
            let log_start = Some(start.plus_millis(if node == 2 { own_start } else { 10 } * 1000));
            let t = task(TaskLetter::Map, number, node, outcome, 4, to);
            trace.tasks.push(TaskAttempt { id, start: Some(start), log_start, ..t });
        };
        for number in [20, 21] {
            run(number, 0, 2, (100, 160), Outcome::Killed);
            run(number, 1, 0, (145, 160), Outcome::Success);
        }
        // A race that was lost elsewhere.
        run(22, 0, 0, (100, 115), Outcome::Success);
        run(22, 1, 1, (114, 115), Outcome::Killed);
        if came_through {
            run(23, 0, 2, (120, 120 + own_start + 5), Outcome::Success);
        }
        trace.states = States::from_rows(rows);
        Causes::new(&trace).of(NodeId(2), &slowly(&slower)).cause()
    };
    assert_eq!(cause(10, false), Cause::Hang);
    // Nor is the time that a killed attempt was let the time that its work takes.
    assert_eq!(cause(10, true), Cause::Unknown, "one came through, and neither JVMs nor what they do are slow");
    assert_eq!(cause(30, false), Cause::Cpu, "JVMs start slowly too");
}

#[test]
fn lost_or_silent_node_has_crashed_whatever_else_is_slow() {
    let trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let cause = |words: &[&str]| {
        let slower = words.iter().map(|word| (signal(word), 3.0)).collect();
        Causes::new(&trace).of(NodeId(1), &slowly(&slower)).cause()
    };
    assert_eq!(cause(&["silence"]), Cause::Crashed);
    assert_eq!(cause(&["lost-node", "timed-out", "Map"]), Cause::Crashed);
    assert_eq!(cause(&["lost-node", "no-space"]), Cause::DiskFull);
    assert_eq!(cause(&["timed-out", "shuffle"]), Cause::Hang);
    assert_eq!(cause(&["map-output-lost", "shuffle"]), Cause::Network);
    assert_eq!(cause(&["map-output-lost", "fetch-failed"]), Cause::Hang);
    assert_eq!(cause(&["shuffle", "write"]), Cause::Disk);
    assert_eq!(cause(&["fetch-failed"]), Cause::Network);
    assert_eq!(cause(&[]), Cause::Unknown);
}

#[test]
fn lost_node_that_is_told_to_join_again_has_not_crashed() {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    trace.complaints.push(complaint(1));
    let cause = |trace: &Trace, node: u32, since: i64, words: &[&str]| {
        let slower = words.iter().map(|word| (signal(word), 3.0)).collect();
        Causes::new(trace)
            .of(NodeId(node), &Symptoms { slower, since: Some(Timestamp::from_millis(since)), ..Symptoms::default() })
            .cause()
    };
    assert_eq!(cause(&trace, 1, 0, &["lost-node", "Map"]), Cause::Network);
    assert_eq!(cause(&trace, 1, 0, &["lost-node", "paused"]), Cause::Hang, "it says itself what held it up");
    assert_eq!(cause(&trace, 2, 0, &["lost-node"]), Cause::Crashed, "another one joins");
    assert_eq!(cause(&trace, 1, 90_000, &["lost-node"]), Cause::Crashed, "it was lost again since");
    let (since, fell) = (Some(Timestamp::default()), Some(Timestamp::from_millis(90_000)));
    let symptoms = Symptoms { since, fell, ..slowly(&[(signal("lost-node"), 3.0)].into()) };
    assert_eq!(Causes::new(&trace).of(NodeId(1), &symptoms).cause(), Cause::Crashed, "its attempts were slow before");
    trace.complaints.push(complaint(0));
    assert_eq!(cause(&trace, 1, 0, &["lost-node"]), Cause::Crashed, "all join a master that was started anew");
}

#[test]
fn lost_node_whose_daemon_goes_on_writing_has_not_crashed() {
    let of = |format: &str, seconds: &[i64], task: &[i64]| {
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        trace.complaints.push(Complaint { kind: ComplaintKind::LostNode, by: None, ..complaint(1) });
        let master = if format == "tasktracker" { "jobtracker" } else { "resourcemanager" };
        trace.files = vec![log(None, master), log(Some(1), format), log(Some(1), "task-syslog")];
        let density = |seconds: &[i64]| FileReading { span: None, ..reading(seconds) };
        trace.readings = [&[], seconds, task].map(density).to_vec();
        let slower = [(signal("lost-node"), 3.0)].into();
        Causes::new(&trace).of(NodeId(1), &slowly(&slower)).cause()
    };
    let cause = |format: &str, seconds: &[i64]| of(format, seconds, &[]);
    // It was lost at 60 s.
    assert_eq!(cause("nodemanager", &[1, 40, 80]), Cause::Network);
    assert_eq!(cause("nodemanager", &[1, 40]), Cause::Crashed);
    assert_eq!(cause("nodemanager", &[1, 2, 80]), Cause::Crashed, "it was started again");
    assert_eq!(of("nodemanager", &[1, 2, 80], &[40]), Cause::Network, "a task was at work meanwhile");
    assert_eq!(cause("datanode", &[1, 40, 80]), Cause::Crashed, "another daemon lives on");
    assert_eq!(cause("nodemanager", &[1, 40, 80, 9_000]), Cause::Crashed, "a long log's density is too coarse to tell");
    assert_eq!(cause("tasktracker", &[1, 40, 80]), Cause::Network);
    assert_ne!(of("tasktracker", &[1, 2, 80], &[40]), Cause::Network, "it tells of the progress that its tasks make");
}

#[test]
fn daemon_that_is_gone_is_told_from_its_node_by_one_that_goes_on() {
    let rule = |last: i64| {
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        trace.files[0].node = Some(NodeId(1));
        trace.files[0].coverage.format = Some("datanode".into());
        let span = Some((Timestamp::default(), Timestamp::from_millis(last * 1000)));
        trace.readings = vec![FileReading { span, ..FileReading::default() }];
        let slower = [(signal("lost-node"), 3.0)].into();
        let fell = Some(Timestamp::from_millis(60_000));
        Causes::new(&trace).of(NodeId(1), &Symptoms { fell, ..slowly(&slower) })
    };
    assert_eq!((rule(60), rule(100)), (Rule::Gone, Rule::Gone), "what was under way may be told later");
    assert_eq!(rule(120), Rule::DaemonGone);
}

/// Logs of a JobTracker, which loses the tracker of h2 at 21:05:00 or does not, and of three TaskTrackers, of which that
/// one says what is given, at the seconds given; the others work all the time, and may be started anew too.
fn trackers(is_lost: bool, h2: &[(i64, &str)], others_start: Option<i64>) -> Report {
    let line = |s: i64, class: &str, text: &str| {
        let (minute, second) = (s / 60, s % 60);
        format!("2026-11-20 21:{minute:02}:{second:02},000 INFO org.apache.hadoop.mapred.{class}: {text}\n")
    };
    let mut ingest = Ingest::new(Limits::default());
    ingest.start("a/h0/hadoop-u-jobtracker-h0.log");
    ingest.feed(line(0, "JobTracker", "Starting RUNNING").as_bytes());
    if is_lost {
        ingest.feed(line(300, "JobTracker", "Lost tracker 'tracker_h2:localhost/127.0.0.1:41787'").as_bytes());
    }
    for host in ["h1", "h2", "h3"] {
        ingest.start(&format!("a/{host}/hadoop-u-tasktracker-{host}.log"));
        let mut usual: Vec<(i64, &str)> = (1..40).map(|i| (i * 10, "addFreeSlot : current free slots : 1")).collect();
        usual.extend(others_start.map(|s| (s, "STARTUP_MSG: ")));
        usual.sort_unstable();
        for (s, text) in if host == "h2" { h2 } else { &usual } {
            ingest.feed(line(*s, "TaskTracker", text).as_bytes());
        }
    }
    pipeline::analyse(&ingest.into_digest(), &Params::default()).report
}

#[test]
fn banner_of_a_start_tells_a_crash_from_a_network() {
    let cause_beside = |others_start: Option<i64>, h2: &[(i64, &str)]| {
        let report = trackers(true, h2, others_start);
        let told = report.verdict.culprits.iter().map(|c| format!("{}: {}", c.node, c.cause));
        told.collect::<Vec<_>>()
    };
    let (begins, works) = ("STARTUP_MSG: ", "addFreeSlot : current free slots : 1");
    let cause = |h2: &[(i64, &str)]| cause_beside(None, h2);
    assert_eq!(cause(&[(10, begins), (240, works), (319, works), (395, works)]), ["h2: network"]);
    assert_eq!(cause(&[(10, begins), (240, works), (319, begins), (395, works)]), ["h2: crashed"]);
    assert_eq!(cause(&[(10, begins), (240, works)]), ["h2: crashed"]);
    assert_eq!(cause(&[(10, works), (100, begins), (240, works), (319, works)]), ["h2: crashed"], "before it was lost");
    // All were started together, before and after.
    let (before, after) = (Some(101), Some(381));
    assert_eq!(cause_beside(before, &[(10, works), (100, begins), (240, works), (319, works)]), ["h2: network"]);
    assert_eq!(cause_beside(after, &[(10, begins), (240, works), (380, begins), (390, works)]), ["h2: crashed"]);
    assert_eq!(cause_beside(after, &[(10, begins), (240, works), (319, works), (380, begins)]), ["h2: network"]);
}

#[test]
fn daemon_that_dies_and_comes_again_is_told_of() {
    let indicted = |h2: &[(i64, &str)]| {
        let witnesses = trackers(false, h2, None).witnesses;
        let died = witnesses.into_iter().find(|w| w.signal == "died");
        died.map(|w| w.indicted)
    };
    let (begins, ends, works) = ("STARTUP_MSG: ", "SHUTDOWN_MSG: ", "addFreeSlot : current free slots : 1");
    assert_eq!(indicted(&[(10, begins), (240, works), (319, begins), (395, works)]), Some(vec!["h2".to_owned()]));
    assert_eq!(indicted(&[(10, begins), (240, ends), (319, begins), (395, works)]), None);
    assert_eq!(indicted(&[(10, begins), (240, works), (319, works), (395, works)]), None);
}

/// Whoever is only suspected is told of with the words and the lines that say so.
#[test]
fn what_is_said_against_a_suspect_is_in_the_report_with_its_lines() {
    let report = trackers(false, &[(10, "STARTUP_MSG: "), (240, "x"), (319, "STARTUP_MSG: "), (395, "x")], None);
    let [suspect] = report.suspects.as_slice() else { panic!("{:?}", report.suspects) };
    let [ground] = suspect.evidence.as_slice() else { panic!("{suspect:?}") };
    assert_eq!(
        (suspect.node.as_str(), ground.method.as_str(), ground.signal.as_str()),
        ("h2", "slow-warnings", "died")
    );
    let lines: Vec<String> = ground.lines.iter().map(|at| at.to_string()).collect();
    assert_eq!(lines, ["a/h2/hadoop-u-tasktracker-h2.log:3"]);
    let said = format!("There is some evidence against h2, but not enough for a verdict: {}.", ground.text);
    assert!(ground.text.starts_with("h2 ") && doubts::of(&report).contains(&said), "{:?}", doubts::of(&report));
    assert_eq!(trackers(false, &[(10, "STARTUP_MSG: "), (240, "x"), (395, "x")], None).suspects, []);
    assert_eq!(trackers(true, &[(10, "STARTUP_MSG: "), (240, "x")], None).suspects, [], "it is a culprit");
}
