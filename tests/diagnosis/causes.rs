//! Causes: what of a node is at fault.

use super::{FAST, cluster, complaint, signal, slowly, started, state, task, with_job};
use oddnode::base::{AttemptId, JobId, NodeId, TaskLetter, Timestamp};
use oddnode::diagnosis::cause::{Cause, Causes, Rule, Symptoms};
use oddnode::diagnosis::{Scope, Signal};
use oddnode::model::{
    Complaint, ComplaintKind, JobStatus, Metric, OfMetrics, Outcome, Sample, Samples, Skew, State, StateKind, States,
    TaskAttempt, Trace,
};
use std::collections::BTreeMap;

#[test]
fn start_and_work_tell_processor_from_disk() {
    let slower = BTreeMap::from([(signal("Map"), 3.0)]);
    let cause = |own| Causes::new(&started((10, 5), own)).of(NodeId(2), &slowly(&slower)).cause();
    assert_eq!(cause((30, 15)), Cause::Cpu);
    assert_eq!(cause((10, 50)), Cause::Disk);
    assert_eq!(cause((15, 40)), Cause::Disk);
}

#[test]
fn start_that_was_over_when_the_fault_came_tells_nothing() {
    let slower = BTreeMap::from([(signal("Map"), 3.0)]);
    let rule = |trace: &Trace, since_s: i64| {
        let since = Some(Timestamp::from_millis(since_s * 1000));
        Causes::new(trace).of(NodeId(2), &Symptoms { since, ..slowly(&slower) })
    };
    let mut trace = started((10, 5), (10, 14));
    assert_eq!(rule(&trace, 0), Rule::SlowWork, "the second started after the begin of the first");
    assert_eq!(rule(&trace, 2000), Rule::Untold, "the last was under way");
    assert_eq!(rule(&started((10, 5), (10, 15)), 2000), Rule::SlowWork, "no hog in the middle of it does so much");
    assert_eq!(rule(&started((10, 4), (15, 13)), 2000), Rule::SlowWork, "it started slowly: the fault was there");
    // What begins beside it, once that has started, tells: a Reduce as well as a Map.
    for (start_s, expected) in [(11, Rule::SlowWork), (30, Rule::SlowStarts)] {
        let mut trace = trace.clone();
        let reduces = [(0, 10), (1, 10), (2, start_s)].map(|(node, start_s)| {
            let told = task(TaskLetter::Reduce, node as usize, node, Outcome::Success, 4, 1);
            let ran = state(StateKind::Reduce, node, 2_010_000, 60.0, Some(Outcome::Success));
            let log_start = ran.start.map(|at| at.plus_millis(start_s * 1000));
            (State { attempt: Some(told.id), ..ran }, TaskAttempt { log_start, ..told })
        });
        trace.states =
            States::from_rows(trace.states.iter().chain(reduces.iter().map(|(ran, _)| *ran)).collect::<Vec<_>>());
        trace.tasks.extend(reduces.into_iter().map(|(_, told)| told));
        trace.tasks.sort_by_key(|t| t.id);
        assert_eq!(rule(&trace, 2000), expected, "{start_s} s");
    }
    // What it did before is no measure of it, either.
    trace = started((10, 5), (30, 15));
    let was_well = |t: &mut TaskAttempt| t.log_start = t.log_start.map(|at| at.plus_millis(-20_000));
    trace.tasks.iter_mut().filter(|t| t.node == Some(NodeId(2))).take(2).for_each(was_well);
    assert_eq!(rule(&trace, 2000), Rule::SlowStarts);
}

#[test]
fn node_of_which_a_daemon_stood_still_hangs() {
    let mut trace = started((10, 5), (10, 50));
    let slower = BTreeMap::from([("Map", 3.0), ("paused", 1.0)].map(|(name, times)| (signal(name), times)));
    let rule = |trace: &Trace| Causes::new(trace).of(NodeId(2), &slowly(&slower));
    let paused =
        |of: u32, took_ms: u64| Complaint { kind: ComplaintKind::Paused, took_ms: Some(took_ms), ..complaint(of) };
    trace.span = Some((Timestamp::default(), Timestamp::from_millis(3_600_000)));
    trace.complaints = vec![paused(2, 20_000), paused(1, 90_000), paused(2, 3_700_000)];
    assert_eq!(rule(&trace), Rule::SlowWork, "a hog may do so, and nobody pauses for longer than logs reach");
    trace.complaints.push(paused(2, 50_000));
    assert_eq!((rule(&trace), rule(&trace).cause()), (Rule::StoodLong, Cause::Hang));
    // What waited for it was slow.
    for beside in ["shuffle", "write"] {
        let slower = BTreeMap::from([("paused", 1.0), (beside, 9.0)].map(|(name, times)| (signal(name), times)));
        assert_eq!(Causes::new(&trace).of(NodeId(2), &slowly(&slower)), Rule::StoodLong, "{beside}");
    }
}

#[test]
fn processor_that_is_taken_explains_map_outputs_as_slow_as_maps() {
    let cause_since = |since_ms: i64, user: f64, waiting: f64, maps: f64| {
        let sample = |(node, user, waiting): (u32, f64, f64)| {
            let value = |metric| match metric {
                Metric::User => user,
                Metric::RunQueue => waiting,
                _ => 0.0,
            };
            Sample { node: NodeId(node), at: Timestamp::from_millis(since_ms + 1000), values: Metric::ALL.map(value) }
        };
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        let levels = [(0, 10.0, 1.0), (1, user, waiting), (2, 10.0, 1.0)];
        trace.samples = Samples::from_rows(levels.into_iter().map(sample).collect());
        let slower = [("Map", maps), ("shuffle", 2.3)].map(|(name, times)| (signal(name), times));
        let slower = slower.into_iter().filter(|(_, times)| *times > 0.0).collect();
        let symptoms = Symptoms { since: Some(Timestamp::from_millis(since_ms)), ..slowly(&slower) };
        Causes::new(&trace).of(NodeId(1), &symptoms).cause()
    };
    let cause = |user: f64, waiting: f64, maps: f64| cause_since(0, user, waiting, maps);
    assert_eq!(cause(90.0, 12.0, 2.2), Cause::Cpu);
    assert_eq!(cause(90.0, 12.0, 1.0), Cause::Network, "that would slow down maps, too");
    assert_eq!(cause(10.0, 1.0, 2.2), Cause::Network);
    // No map ran since: none could be slowed down.
    let late = 1_000_000_000;
    assert_eq!([cause_since(late, 90.0, 12.0, 0.0), cause_since(late, 10.0, 1.0, 0.0)], [Cause::Cpu, Cause::Network]);
    assert_eq!(cause_since(0, 90.0, 12.0, 0.0), Cause::Network);
}

/// Where all wait for their disks, a hog's iowait does not stand out, and it keeps its node from its work.
#[test]
fn node_that_writes_far_more_and_carries_less_has_a_disk_that_is_taken() {
    let rule = |written: f64| {
        let sample = |node: u32| {
            let value = |metric| match metric {
                Metric::Iowait => 40.0,
                Metric::Received | Metric::Sent if node != 1 => 1e6,
                Metric::Received | Metric::Sent => 1e5,
                Metric::BlocksWritten if node == 1 => written,
                Metric::BlocksWritten => 5_000.0,
                _ => 10.0,
            };
            Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values: Metric::ALL.map(value) }
        };
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        trace.samples = Samples::from_rows((0..3).map(sample).collect());
        let slower = [(signal("levels"), 2.0)].into_iter().collect();
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..slowly(&slower) };
        Causes::new(&trace).of(NodeId(1), &symptoms)
    };
    assert_eq!(rule(128_000.0), Rule::MoreWritten);
    assert_ne!(rule(6_000.0).cause(), Cause::Disk);
}

#[test]
fn busy_processor_is_said_with_a_doubt_where_no_task_is_known() {
    let rule = |of: StateKind, measured: &[Metric]| {
        let mut trace = cluster(of, &[FAST, FAST, FAST]);
        let sample = |node: u32| {
            let mut values = OfMetrics::<f64>::default().map(|_| f64::NAN);
            for metric in measured {
                values[metric.place()] = if node == 1 { 90.0 } else { 1.0 };
            }
            Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values }
        };
        trace.samples = Samples::from_rows((0..3).map(sample).collect());
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..Symptoms::default() };
        Causes::new(&trace).of(NodeId(1), &symptoms)
    };
    let both = [Metric::User, Metric::RunQueue];
    assert_eq!(rule(StateKind::Map, &both), Rule::ProcessorTaken);
    assert_eq!(rule(StateKind::Map, &both[..1]), Rule::ProcessorBusy, "sysstat's default");
    assert_eq!(rule(StateKind::WriteBlock, &both), Rule::ProcessorTakenUntold, "a task that spins looks the same");
    assert_eq!(rule(StateKind::WriteBlock, &both[..1]), Rule::Untold);
}

#[test]
fn starts_are_told_by_one_clock_where_a_skew_is_certain() {
    let slower = BTreeMap::from([(signal("Map"), 3.0)]);
    // An application's maps, assigned by its master's clock; that of the last node is 20 s slow.
    let application = JobId { cluster: 1_795_226_467_746, number: 2 };
    assert!(!application.is_dated());
    let mut trace = started((10, 5), (10, 35));
    let mut rows: Vec<State> = trace.states.iter().collect();
    rows.iter_mut().for_each(|s| s.attempt = s.attempt.map(|id| AttemptId { job: application, ..id }));
    trace.states = States::from_rows(rows);
    trace.tasks.iter_mut().for_each(|t| t.id.job = application);
    let cause = |trace: &Trace| Causes::new(trace).of(NodeId(2), &slowly(&slower)).cause();
    assert_eq!(cause(&trace), Cause::Disk);
    let (low_ms, high_ms) = (-20_010, -19_990);
    let skew = Skew { node: NodeId(2), skew_ms: -20_000, low_ms, high_ms, messages: 9, corrected: false };
    trace.clocks.skews = vec![skew];
    assert_eq!(cause(&trace), Cause::Cpu, "30 s and 15 s");
    trace.clocks.skews = vec![Skew { corrected: true, ..skew }];
    assert_eq!(cause(&trace), Cause::Disk, "that was taken out already");
    // A start that ends before it begins is none.
    trace.clocks.skews.clear();
    trace.tasks.iter_mut().filter(|t| t.node == Some(NodeId(2))).for_each(|t| {
        t.log_start = t.log_start.map(|at| at.plus_millis(-11_000));
    });
    assert_eq!(cause(&trace), Cause::Unknown);
}

#[test]
fn attempts_that_find_no_way_to_a_host_speak_of_the_network() {
    let failed = |errors: &[&str]| {
        let tasks = errors.iter().enumerate().map(|(number, error)| {
            let t = task(TaskLetter::Map, number, 1, Outcome::Failed, 4, 1);
            TaskAttempt { error: Some((*error).into()), ..t }
        });
        let trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST]), JobStatus::Success, tasks.collect());
        let slower = BTreeMap::from([(signal("attempt-failed"), 3.0)]);
        Causes::new(&trace).of(NodeId(1), &slowly(&slower)).cause()
    };
    let no_route = "Error: java.net.NoRouteToHostException: No Route to Host from  h1/10.0.0.1 to h0:9000 failed";
    let refused = "Error: java.net.ConnectException: Call From h1/10.0.0.1 to h0:9000 failed: Connection refused";
    assert_eq!(failed(&[no_route, no_route]), Cause::Network);
    assert_eq!(failed(&[refused, refused]), Cause::Unknown, "a daemon is down that way");
    assert_eq!(failed(&[no_route, "java.lang.NullPointerException"]), Cause::Unknown);
}

#[test]
fn cause_is_read_in_the_jobs_that_show_it() {
    // Before, a longer job of which node 2 had more than its share of short maps.
    let ill = JobId { cluster: 1, number: 77 };
    let mut trace = started((10, 5), (30, 15));
    let in_ill = |id: AttemptId| AttemptId { job: ill, ..id };
    let mut rows: Vec<State> = trace.states.iter().collect();
    let mut tasks = trace.tasks.clone();
    let before = started((100, 900), (10, 50));
    for s in &mut rows {
        s.attempt = s.attempt.map(in_ill);
    }
    tasks.iter_mut().for_each(|t| t.id = in_ill(t.id));
    rows.extend(before.states.iter());
    tasks.extend(before.tasks.iter().cloned());
    tasks.sort_by_key(|t| t.id);
    (trace.states, trace.tasks) = (States::from_rows(rows), tasks);
    let cause = |scope| {
        let slower = BTreeMap::from([(signal("jobs"), 9.0)]);
        Causes::new(&trace).of(NodeId(2), &Symptoms { slower, scope, ..Symptoms::default() }).cause()
    };
    assert_eq!(cause(Scope::of_job(ill)), Cause::Cpu, "three times in both");
    assert_eq!(cause(Scope::default()), Cause::Unknown, "not slow beside the other job's");
}

#[test]
fn slow_work_is_not_the_disks_where_nobody_waits_for_that() {
    // JVMs start as well as elsewhere, and work five times as long.
    let slower: BTreeMap<Signal, f64> = [("Map", 3.0), ("shuffle", 2.0)].map(|(name, x)| (signal(name), x)).into();
    let cause = |metrics: &[(Metric, f64)], slower: &BTreeMap<Signal, f64>| {
        let sample = |node: u32, second: i64| {
            let mut values = OfMetrics::default();
            for (metric, value) in metrics.iter().filter(|_| node == 2) {
                values[metric.place()] = *value;
            }
            Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
        };
        let samples = Samples::from_rows((0..3).flat_map(|node| (0..60).map(move |at| sample(node, at))).collect());
        let trace = Trace { samples, ..started((10, 5), (10, 25)) };
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..slowly(slower) };
        Causes::new(&trace).of(NodeId(2), &symptoms).cause()
    };
    assert_eq!(cause(&[], &slower), Cause::Network);
    assert_eq!(cause(&[(Metric::Iowait, 40.0)], &slower), Cause::Disk);
    let maps_alone = BTreeMap::from([(signal("Map"), 3.0)]);
    assert_eq!(cause(&[], &maps_alone), Cause::Unknown);
    // Writes that break off are the network's or the disk's, which metrics tell apart.
    let broken = BTreeMap::from([(signal("broken-pipeline"), 3.0)]);
    assert_eq!(cause(&[], &broken), Cause::Network);
    assert_eq!(cause(&[(Metric::Iowait, 40.0)], &broken), Cause::Disk);
    assert_eq!(Causes::new(&started((10, 5), (10, 5))).of(NodeId(2), &slowly(&broken)).cause(), Cause::Unknown);
    // A processor with nothing left cannot be many times as busy as its peers'; that more tasks wait for it can be.
    assert_eq!(cause(&[(Metric::User, 96.0), (Metric::RunQueue, 12.0)], &maps_alone), Cause::Cpu);
}

#[test]
fn slow_maps_tell_a_cause_only_with_metrics_or_starts() {
    let of = |words: &[(&str, f64)]| words.iter().map(|(name, times)| (signal(name), *times)).collect();
    let cause = |trace: &Trace, words: &[(&str, f64)]| {
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..slowly(&of(words)) };
        Causes::new(trace).of(NodeId(2), &symptoms).cause()
    };
    let without = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let both = [("Map", 2.2), ("write", 9.6)];
    assert_eq!(cause(&without, &both), Cause::Unknown, "a processor that is taken makes block writes slow, too");
    assert_eq!(cause(&without, &[("write", 9.6)]), Cause::Disk, "it would slow down maps");
    assert_eq!(cause(&started((10, 5), (10, 9)), &both), Cause::Disk, "and their JVMs");
    assert_eq!(cause(&started((10, 5), (30, 15)), &both), Cause::Cpu);
    // Block writes are known here, and are not slow.
    let mut written = cluster(StateKind::WriteBlock, &[FAST, FAST, FAST]);
    assert_eq!(cause(&written, &[("Map", 9.8)]), Cause::Unknown, "a disk may be slow to read");
    let sample =
        |node: u32| Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values: OfMetrics::default() };
    written.samples = Samples::from_rows((0..3).map(sample).collect());
    assert_eq!(cause(&written, &[("Map", 9.8)]), Cause::Cpu, "nobody waits for it");
}

#[test]
fn slow_writes_are_the_networks_where_its_connections_and_not_its_disk_are_called_slow() {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let cause = |trace: &Trace, words: &[&str]| {
        let slower = words.iter().map(|word| (signal(word), 3.0)).collect();
        Causes::new(trace).of(NodeId(1), &slowly(&slower)).cause()
    };
    assert_eq!(cause(&trace, &["write"]), Cause::Disk);
    assert_eq!(cause(&trace, &["write", "slow-network"]), Cause::Network);
    trace.complaints.push(Complaint { kind: ComplaintKind::SlowDisk, ..complaint(0) });
    assert_eq!(cause(&trace, &["write", "slow-network"]), Cause::Network, "another node's disk");
    trace.complaints.push(Complaint { kind: ComplaintKind::SlowDisk, ..complaint(1) });
    assert_eq!(cause(&trace, &["write", "slow-network"]), Cause::Disk, "it says so itself");
    // On healthy nodes a disk is called slow now and then, too (3.x).
    trace.complaints.push(Complaint { kind: ComplaintKind::SlowDisk, ..complaint(2) });
    assert_eq!(cause(&trace, &["write", "slow-network"]), Cause::Network, "no more often than is usual");
}

#[test]
fn full_disk_is_read_from_the_error_text() {
    let mut t = task(TaskLetter::Map, 0, 1, Outcome::Failed, 4, 1);
    t.error = Some("java.io.IOException: No space left on device".into());
    let trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST]), JobStatus::Success, vec![t]);
    assert_eq!(Causes::new(&trace).of(NodeId(1), &Symptoms::default()).cause(), Cause::DiskFull);
    assert_ne!(Causes::new(&trace).of(NodeId(0), &Symptoms::default()).cause(), Cause::DiskFull);
    // Or from one line of a daemon, beside others of folders that cannot be used.
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let full = Complaint { kind: ComplaintKind::NoSpace, ..complaint(1) };
    trace.complaints.push(full);
    let unusable = BTreeMap::from([(signal("bad-disk"), 3.0)]);
    assert_eq!(Causes::new(&trace).of(NodeId(1), &slowly(&unusable)).cause(), Cause::DiskFull);
    assert_eq!(Causes::new(&trace).of(NodeId(2), &slowly(&unusable)).cause(), Cause::Disk);
}
