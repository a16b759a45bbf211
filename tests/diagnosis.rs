//! Peer comparison, causes and verdicts on clusters made by hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::cause::{Cause, Causes, Rule, Symptoms};
use oddnode::diagnosis::job_class::{Class, classify};
use oddnode::diagnosis::kahuna_bb::SystemComparison;
use oddnode::diagnosis::kahuna_wb::{self, KahunaWhiteBox};
use oddnode::diagnosis::slow_warnings::SlowWarnings;
use oddnode::diagnosis::verdict::{Finding, Reason, decide};
use oddnode::diagnosis::{
    Abstention, Comparison, Diagnosis, Indictment, Method, Number, Numbers, Params, Scope, Signal, Strength, Threshold,
    Witness,
};
use oddnode::model::{
    Complaint, ComplaintKind, Counters, Coverage, Density, FileInfo, FileReading, Job, JobStatus, METRICS, Node,
    Outcome, Sample, Samples, Skew, State, StateKind, States, TaskAttempt, TaskType, Trace,
};
use std::collections::BTreeMap;

const JOB: JobId = JobId { cluster: 1, number: 1 };
const PLACE: Place = Place { file: FileId(0), line: 1 };

fn attempt(letter: TaskLetter, task: usize) -> AttemptId {
    AttemptId { job: JOB, letter, task: u32::try_from(task).unwrap(), attempt: 0 }
}

fn state(kind: StateKind, node: u32, start_ms: i64, seconds: f64, outcome: Option<Outcome>) -> State {
    let start = Timestamp::from_millis(start_ms);
    State {
        kind,
        node: Some(NodeId(node)),
        start: Some(start),
        end: start.plus_millis((seconds * 1000.0) as i64),
        open: outcome.is_none(),
        job: Some(JOB),
        attempt: None,
        peer: None,
        bytes: None,
        outcome,
        origin: None,
        block: None,
        place: PLACE,
    }
}

/// A cluster whose node `i` has states of one kind with the durations given, in seconds,
/// one after another.
fn cluster(kind: StateKind, seconds: &[&[f64]]) -> Trace {
    let mut rows = Vec::new();
    for (node, durations) in (0..).zip(seconds) {
        let mut at = 0;
        for s in *durations {
            rows.push(state(kind, node, at, *s, Some(Outcome::Success)));
            at += (s * 1000.0) as i64;
        }
    }
    let end = rows.iter().map(|s| s.end).max().unwrap_or_default();
    let nodes = (0..seconds.len()).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
    let coverage = Coverage { format: Some("tasktracker".into()), understood: 1, ..Coverage::default() };
    let file = FileInfo { path: "a/log".into(), node: None, daemon_last: None, coverage, issues: Vec::new() };
    Trace {
        files: vec![file],
        nodes,
        states: States::from_rows(rows),
        span: Some((Timestamp::default(), end)),
        ..Trace::default()
    }
}

const SLOW: &[f64] = &[30.0, 31.0, 29.0, 33.0, 30.5, 32.0];
const FAST: &[f64] = &[10.0, 11.0, 9.0, 12.0, 10.5, 11.5];
const FAST_2: &[f64] = &[9.5, 11.2, 9.9, 12.1, 10.1, 10.9];

fn indicted(trace: &Trace, params: &Params) -> Vec<(String, Vec<u32>)> {
    let witnesses = KahunaWhiteBox.run(trace, params);
    witnesses.into_iter().map(|w| (w.signal.name().to_owned(), w.indicted.iter().map(|i| i.node.0).collect())).collect()
}

#[test]
fn slow_node_is_indicted_and_strongly() {
    let trace = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]);
    let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
    assert_eq!(witnesses.len(), 1, "kinds that no log has give no witness");
    let w = &witnesses[0];
    assert_eq!(w.indicted.iter().map(|i| i.node).collect::<Vec<_>>(), [NodeId(2)]);
    let i = &w.indicted[0];
    assert_eq!(i.strength, Strength::Strong);
    assert!(i.ratio > 2.5 && i.ratio < 3.5, "{}", i.ratio);
    assert!(i.p.unwrap() < 0.01);
    assert_eq!(i.since, Some(Timestamp::default()));
    assert!(i.text.contains("h2") && i.text.contains("30.8 s"), "{}", i.text);
}

#[test]
fn alike_nodes_are_clear_and_the_fast_one_too() {
    let trace = cluster(StateKind::Map, &[FAST, FAST_2, FAST, FAST_2]);
    assert_eq!(indicted(&trace, &Params::default()), [("Map".to_owned(), vec![])]);
    let trace = cluster(StateKind::Map, &[SLOW, SLOW, FAST, SLOW, SLOW]);
    assert_eq!(indicted(&trace, &Params::default()), [("Map".to_owned(), vec![])], "a faster node is no culprit");
}

#[test]
fn states_that_all_last_as_long_clear_all_nodes() {
    let same = [10.0; 6];
    let [witness] =
        KahunaWhiteBox.run(&cluster(StateKind::Map, &[&same[..]; 4]), &Params::default()).try_into().unwrap();
    assert_eq!((witness.abstained, witness.indicted.len(), witness.scores.len()), (None, 0, 4));
    assert!(witness.scores.iter().all(|(_, t)| *t == 0.0), "{:?}", witness.scores);
}

/// Two of 242 states are beyond both quantiles, between which nothing lies.
#[test]
fn node_whose_few_states_alone_differ_is_seen() {
    let same: &[f64] = &[10.0; 60];
    let trace = cluster(StateKind::Map, &[same, same, &[30.0, 30.0], same, same]);
    let c = kahuna_wb::compare(&trace, StateKind::Map, &Params::default());
    assert_eq!((c.scores[2], c.scores[0]), (1.0, 0.0));
    assert_eq!(indicted(&trace, &Params::default())[0].1, [2]);
}

#[test]
fn fixed_threshold_is_the_papers_rule() {
    let trace = cluster(StateKind::Map, &[SLOW, SLOW, FAST, SLOW, SLOW]);
    let at = |x| indicted(&trace, &Params { threshold: Threshold::Fixed(x), ..Params::default() });
    assert_eq!(at(0.5), [("Map".to_owned(), vec![2])], "K21 asks for a difference, in any direction");
    assert_eq!(at(1.0), [("Map".to_owned(), vec![])]);
}

#[test]
fn two_long_maps_among_many_are_seen_by_the_gap_rule() {
    let short: &[f64] = &[9.0, 12.0, 15.0, 11.0, 18.0, 10.0, 8.0];
    let trace = cluster(StateKind::Map, &[short, short, &[108.0, 109.0], short, short, short]);
    let c = kahuna_wb::compare(&trace, StateKind::Map, &Params::default());
    assert_eq!(c.gaps, [false, false, true, false, false, false]);
    // The gap rule is for kinds where a hang shows, and wants 2 s between the medians.
    let copy = cluster(StateKind::ReduceCopy, &[short, short, &[108.0, 109.0], short, short, short]);
    assert!(!kahuna_wb::compare(&copy, StateKind::ReduceCopy, &Params::default()).gaps.contains(&true));
    let brief: &[f64] = &[0.3, 0.4];
    let trace = cluster(StateKind::Map, &[brief, brief, &[1.5, 1.6], brief]);
    assert!(!kahuna_wb::compare(&trace, StateKind::Map, &Params::default()).gaps.contains(&true));
}

#[test]
fn four_maps_that_are_each_longer_than_any_of_a_peers_are_a_gap() {
    let peer: &[f64] = &[13.0, 17.0, 19.0, 21.3, 15.0, 18.0];
    let gaps = |own: &[f64], peer: &[f64]| {
        let trace = cluster(StateKind::Map, &[peer, peer, own, peer, peer]);
        kahuna_wb::compare(&trace, StateKind::Map, &Params::default()).gaps[2]
    };
    assert!(gaps(&[25.7, 28.0, 28.0, 30.5], peer), "a processor shared with one loop");
    assert!(!gaps(&[21.0, 28.0, 28.0, 30.5], peer), "one map of a peer's took longer");
    assert!(!gaps(&[28.0, 28.0, 30.5], peer), "of three, chance has more to say");
    assert!(!gaps(&[22.0, 23.0, 23.0, 24.0], peer), "hardly slower");
    assert!(!gaps(&[25.7, 28.0, 28.0, 30.5], &[17.0, 21.3, 18.0]), "it had more of them than its peers");
}

/// Peers of which each did eight maps of 9 to 16 s, two of them at a time.
const EIGHT: [[f64; 8]; 4] = [
    [12.0, 9.0, 14.0, 11.0, 13.0, 16.0, 10.0, 12.0],
    [11.0, 13.0, 10.0, 15.0, 9.0, 12.0, 14.0, 11.0],
    [14.0, 12.0, 9.0, 13.0, 11.0, 10.0, 15.0, 12.0],
    [10.0, 15.0, 12.0, 11.0, 14.0, 13.0, 9.0, 16.0],
];

/// These and a node with maps of its own, two at a time; those of two peers have such an outcome.
fn beside_eight(own: &[f64], outcome: Outcome) -> Trace {
    let [a, b, c, d] = &EIGHT;
    let mut trace = cluster(StateKind::Map, &[a, b, own, c, d]);
    let mut free = [[0_i64; 2]; 5];
    trace.states = States::from_rows(trace.states.iter().collect::<Vec<_>>().into_iter().map(|state| {
        let node = state.node.unwrap();
        let slot = free[node.0 as usize].iter_mut().min().unwrap();
        let (start, end) = (*slot, *slot + state.millis().unwrap());
        *slot = end;
        let outcome = if node.0 > 2 { outcome } else { Outcome::Success };
        State {
            start: Some(Timestamp::from_millis(start)),
            end: Timestamp::from_millis(end),
            outcome: Some(outcome),
            ..state
        }
    }));
    trace
}

#[test]
fn last_maps_beyond_all_that_peers_end_meanwhile_are_a_gap() {
    // Its median, 21 s, is far from a majority of its peers, but of two and two its distribution is not unlikely.
    let own = [12.0, 11.0, 31.0, 30.0];
    let witness = KahunaWhiteBox.run(&beside_eight(&own, Outcome::Success), &Params::default()).remove(0);
    let [word] = witness.indicted.as_slice() else { panic!("{:?}", witness.indicted) };
    assert_eq!((word.node, word.strength), (NodeId(2), Strength::Strong));
    assert!(word.p.unwrap() > Numbers::default().get(Number::WbAlpha), "{:?}", word.p);
    let last = "the last 2 took 30 s and more, and none of 29 that its peers ended meanwhile more than 16 s";
    assert!(word.text.ends_with(last), "{}", word.text);
    assert_eq!(word.since, Some(Timestamp::from_millis(11_000)));

    let gap = |own: &[f64], outcome| {
        let trace = beside_eight(own, outcome);
        kahuna_wb::compare(&trace, StateKind::Map, &Params::default()).gaps[2]
    };
    assert!(!gap(&[12.0, 11.0, 23.0, 22.0], Outcome::Success), "not 1.5 times the longest");
    assert!(!gap(&[12.0, 11.0, 14.0, 30.0], Outcome::Success), "one alone");
    assert!(!gap(&own, Outcome::Killed), "of too few it is known how long they would have taken");
    let late = [12.0, 9.0, 14.0, 11.0, 13.0, 16.0, 31.0, 30.0];
    assert!(!gap(&late, Outcome::Success), "what its peers end then are too few for chance");
}

#[test]
fn last_maps_of_one_of_two_jobs_are_told_of_that_job() {
    let second = JobId { number: 2, ..JOB };
    let [a, b, c, d] = &EIGHT;
    let first = cluster(StateKind::Map, &[a, b, a, c, d]);
    let mut trace = beside_eight(&[12.0, 11.0, 10.0, 41.0, 40.0, 42.0], Outcome::Success);
    let later = |at: Timestamp| at.plus_millis(1_000_000);
    let of_second =
        |state: State| State { job: Some(second), start: state.start.map(later), end: later(state.end), ..state };
    trace.states = States::from_rows(first.states.iter().chain(trace.states.iter().map(of_second)).collect::<Vec<_>>());
    let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
    let words: Vec<_> = witnesses.iter().flat_map(|w| w.indicted.iter().map(|word| (&w.scope, word))).collect();
    let [(scope, word)] = words.as_slice() else { panic!("{words:?}") };
    assert_eq!((*scope, word.node, word.strength), (&Scope::of_job(second), NodeId(2), Strength::Strong));
    assert_eq!(word.since, Some(later(Timestamp::from_millis(12_000))));
}

#[test]
fn states_broken_off_elsewhere_leave_no_gap() {
    // The job is killed while its first maps run: whose began first had run longest.
    let maps = |ended: [bool; 5]| {
        let rows = (0..).zip(ended).flat_map(|(node, ended)| {
            let seconds = if node == 2 { 15.0 } else { 8.0 };
            let outcome = if ended { Outcome::Success } else { Outcome::Killed };
            (0..3).map(move |k| state(StateKind::Map, node, k * 100, seconds + k as f64 * 0.1, Some(outcome)))
        });
        let trace = Trace { states: States::from_rows(rows), ..cluster(StateKind::Map, &[FAST; 5]) };
        kahuna_wb::compare(&trace, StateKind::Map, &Params::default()).gaps
    };
    assert_eq!(maps([false; 5]), [false; 5]);
    assert_eq!(maps([true, true, false, true, false]), [false; 5], "h4 may be as slow");
    assert_eq!(maps([true, true, false, true, true]), [false, false, true, false, false]);
}

#[test]
fn gap_without_a_distance_is_no_evidence() {
    // Each peer's jobs have one map and are their own measure: all of these stand at 0,
    // and with them nearly all that there is. The two of the last node have a distance, which chance gives them as well.
    let lone = |node: u32, number: u32, seconds: f64| {
        let job = JobId { cluster: 1, number };
        State { job: Some(job), ..state(StateKind::Map, node, 0, seconds, Some(Outcome::Success)) }
    };
    let trace = |own: u32| {
        let peers = (0..4).flat_map(|node| (0..60).map(move |k| lone(node, node * 60 + k, 10.0)));
        // Jobs of five maps: three on peers, the two far longer ones on the last node.
        let shared = (0..own).flat_map(|k| {
            let maps = [(0, 10.0), (1, 10.0), (2, 10.0), (4, 100.0), (4, 100.0)];
            maps.map(move |(node, seconds)| lone(node, 1000 + k, seconds))
        });
        let rows: Vec<State> = peers.chain(shared).collect();
        Trace { states: States::from_rows(rows), ..cluster(StateKind::Map, &[FAST; 5]) }
    };
    let c = kahuna_wb::compare(&trace(1), StateKind::Map, &Params::default());
    assert_eq!((c.counts[4], c.scores[4]), (2, 1.0));
    assert!(c.ratios[4] > 5.0 && c.p_values[4].unwrap() > 0.05, "{:?} {:?}", c.ratios, c.p_values);
    assert!(!c.gaps[4]);
    assert_eq!(indicted(&trace(1), &Params::default())[0].1, [0_u32; 0]);
    // With more of them than the tail that the bins leave out, the distance is there too.
    let c = kahuna_wb::compare(&trace(6), StateKind::Map, &Params::default());
    assert!(c.scores[4] > 0.9 && c.gaps[4], "{:?}", c.scores);
}

#[test]
fn two_states_beside_one_each_are_no_gap() {
    // Five reduces a job on four nodes: whoever runs two at once takes longer for both.
    let reduce = |number: u32, node: u32, seconds: f64| {
        let job = JobId { cluster: 1, number };
        State { job: Some(job), ..state(StateKind::Reduce, node, 0, seconds, Some(Outcome::Success)) }
    };
    let even = |number: u32| [0, 1, 2, 3].map(|node| reduce(number, node, 10.0));
    let gaps = |rows: Vec<State>| {
        let trace = Trace { states: States::from_rows(rows), ..cluster(StateKind::Reduce, &[FAST; 4]) };
        kahuna_wb::compare(&trace, StateKind::Reduce, &Params::default()).gaps
    };
    let two_at_once =
        [reduce(1, 0, 10.0), reduce(1, 1, 10.0), reduce(1, 2, 10.0), reduce(1, 3, 25.0), reduce(1, 3, 25.0)];
    let others = [0, 1, 2].map(|node| reduce(2, node, 10.0));
    assert_eq!(gaps([two_at_once.as_slice(), &others].concat()), [false; 4]);
    let one_at_a_time = [reduce(1, 3, 25.0), reduce(2, 3, 25.0)];
    let as_many = [even(1), even(2)].concat().into_iter().filter(|s| s.node != Some(NodeId(3))).chain(one_at_a_time);
    assert_eq!(gaps(as_many.collect()), [false, false, false, true]);
}

#[test]
fn durations_are_compared_within_their_job() {
    // Node 0 ran more of the long job; within each job all nodes are alike.
    let mut rows = Vec::new();
    for node in 0..4_u32 {
        for task in 0..6 {
            let long = task < if node == 0 { 5 } else { 1 };
            let job = JobId { cluster: 1, number: if long { 2 } else { 1 } };
            let seconds = if long { 100.0 } else { 10.0 } + f64::from(task) * 0.1;
            rows.push(State { job: Some(job), ..state(StateKind::Map, node, 0, seconds, Some(Outcome::Success)) });
        }
    }
    let trace = Trace { states: States::from_rows(rows), ..cluster(StateKind::Map, &[FAST; 4]) };
    let c = kahuna_wb::compare(&trace, StateKind::Map, &Params::default());
    assert!(c.ratios.iter().all(|r| (r - 1.0).abs() < 0.05), "{:?}", c.ratios);
    assert_eq!(indicted(&trace, &Params::default()), [("Map".to_owned(), vec![])]);
}

#[test]
fn node_with_few_containers_does_not_fetch_slowly() {
    // On each node the first two containers wait for the job's files, which all others find there.
    let made = |few: u32, slow: u32| {
        let mut rows = Vec::new();
        for node in 0..5_u32 {
            let containers = if node == few { 3 } else { 12 };
            for container in 0..containers {
                let times = if node == slow { 3.0 } else { 1.0 };
                let seconds = times * if container < 2 { 8.0 + f64::from(container + node) * 0.1 } else { 0.02 };
                let start_ms = if container < 2 { 0 } else { i64::from(container) * 30_000 };
                rows.push(state(StateKind::Localize, node, start_ms, seconds, Some(Outcome::Success)));
            }
        }
        Trace { states: States::from_rows(rows), ..cluster(StateKind::Localize, &[FAST; 5]) }
    };
    let compared = |trace: &Trace| kahuna_wb::compare(trace, StateKind::Localize, &Params::default());
    let few = compared(&made(4, 9));
    assert!(few.ratios.iter().all(|r| (r - 1.0).abs() < 0.05), "{:?}", few.ratios);
    assert_eq!(indicted(&made(4, 9), &Params::default()), [("Localize".to_owned(), vec![])]);
    // Who is slow to fetch is still seen to be.
    let slow = compared(&made(9, 1));
    assert!(slow.scores[1] > slow.scores[0], "{:?}", slow.scores);
}

#[test]
fn open_states_count_with_their_age() {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST_2, FAST, FAST_2]);
    let mut rows: Vec<State> = trace.states.iter().filter(|s| s.node != Some(NodeId(1))).collect();
    rows.extend([0, 1].map(|k| state(StateKind::Map, 1, k, 300.0, None)));
    trace.states = States::from_rows(rows);
    assert_eq!(indicted(&trace, &Params::default()), [("Map".to_owned(), vec![1])]);
}

#[test]
fn too_few_states_or_nodes_abstain() {
    let one: &[f64] = &[10.0];
    let why = |t: &Trace| KahunaWhiteBox.run(t, &Params::default())[0].abstained;
    assert_eq!(why(&cluster(StateKind::Map, &[one, one, &[90.0], one])), Some(Abstention::TooFewData));
    assert_eq!(why(&cluster(StateKind::Map, &[FAST, SLOW])), Some(Abstention::NoPeers));
    let mut t = cluster(StateKind::ReadBlock, &[FAST, FAST, FAST]);
    t.states = States::from_rows(t.states.iter().map(|s| State { start: None, ..s }).collect::<Vec<_>>());
    assert_eq!(why(&t), Some(Abstention::NotLogged), "0.20.2 logs no begin of a read");
}

#[test]
fn windows_show_since_when() {
    let late: Vec<f64> = std::iter::repeat_n(10.0, 6).chain(std::iter::repeat_n(40.0, 12)).collect();
    let even = vec![10.0; 54];
    let trace = cluster(StateKind::Map, &[&even, &even, &late, &even]);
    let c = kahuna_wb::compare(&trace, StateKind::Map, &Params { window_s: 120.0, ..Params::default() });
    let over = |w: &&kahuna_wb::PeerWindow| w.scores[2].is_some_and(|t| t > 0.9);
    let first = c.windows.iter().find(over).unwrap();
    assert!(first.interval.end.millis() > 60_000, "{:?}", first.interval);
    let witness = &KahunaWhiteBox.run(&trace, &Params::default())[0];
    assert_eq!(witness.indicted.len(), 1);
    assert_eq!(witness.indicted[0].since, Some(Timestamp::from_millis(60_000)), "its first map of 40 s");
}

#[test]
fn verdict_names_the_slow_node() {
    let trace = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]);
    let v = decide(&trace, &KahunaWhiteBox.run(&trace, &Params::default()), &Numbers::default());
    let Finding::Indicted(culprits) = v.finding else { panic!("{:?}", v.finding) };
    assert_eq!(culprits.len(), 1);
    // Slow maps alone have any cause; beside block writes that are known and not slow, the processor.
    assert_eq!((culprits[0].node, culprits[0].rule.cause()), (NodeId(2), Cause::Unknown));
    let mut rows: Vec<State> = trace.states.iter().collect();
    rows.extend(cluster(StateKind::WriteBlock, &[FAST; 5]).states.iter());
    let both = Trace { states: States::from_rows(rows), ..trace };
    let Finding::Indicted(known) =
        decide(&both, &KahunaWhiteBox.run(&both, &Params::default()), &Numbers::default()).finding
    else {
        panic!()
    };
    assert_eq!((known[0].node, known[0].rule.cause()), (NodeId(2), Cause::Cpu));
    assert!(culprits[0].sureness > 0.85 && culprits[0].sureness <= 0.99);
}

#[test]
fn no_verdict_has_its_reason() {
    let reason = |trace: &Trace| match decide(
        trace,
        &KahunaWhiteBox.run(trace, &Params::default()),
        &Numbers::default(),
    )
    .finding
    {
        Finding::None(reason) => Some(reason),
        _ => None,
    };
    let one: &[f64] = &[10.0];
    assert_eq!(reason(&Trace::default()), Some(Reason::NoLogs));
    assert_eq!(reason(&cluster(StateKind::Map, &[])), Some(Reason::Idle));
    assert_eq!(reason(&cluster(StateKind::Map, &[FAST, SLOW])), Some(Reason::NoPeers));
    assert_eq!(reason(&cluster(StateKind::Map, &[one, one, one])), Some(Reason::TooFewData));
    assert_eq!(reason(&cluster(StateKind::Map, &[FAST, FAST, FAST_2])), None);
    // Two nodes of four are slow: nobody is the odd one.
    let half = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, SLOW]);
    let fixed = Params { threshold: Threshold::Fixed(0.5), ..Params::default() };
    let v = decide(&half, &KahunaWhiteBox.run(&half, &fixed), &Numbers::default());
    assert_eq!(v.finding, Finding::None(Reason::NoMajority));
}

fn task(letter: TaskLetter, number: usize, node: u32, outcome: Outcome, megabytes: i64, seconds: i64) -> TaskAttempt {
    TaskAttempt {
        id: attempt(letter, number),
        task_type: if letter == TaskLetter::Map { TaskType::Map } else { TaskType::Reduce },
        node: Some(NodeId(node)),
        start: Some(Timestamp::default()),
        log_start: None,
        shuffle_end: None,
        sort_end: None,
        finish: Some(Timestamp::from_millis(seconds * 1000)),
        outcome: Some(outcome),
        counters: Counters {
            shuffle: Some(megabytes * 1_000_000).into(),
            hdfs_read: Some(megabytes * 1_000_000).into(),
            ..Counters::default()
        },
        error: None,
        place: PLACE,
    }
}

fn with_job(mut trace: Trace, status: JobStatus, tasks: Vec<TaskAttempt>) -> Trace {
    trace.jobs = vec![Job {
        id: JOB,
        name: None,
        user: None,
        submit: None,
        start: None,
        finish: None,
        status,
        maps: None,
        reduces: None,
    }];
    trace.tasks = tasks;
    trace
}

#[test]
fn job_that_fails_everywhere_is_the_applications() {
    let tasks = (0..5).map(|i| task(TaskLetter::Map, i, i as u32, Outcome::Failed, 4, 5)).collect();
    let trace = with_job(cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]), JobStatus::Failed, tasks);
    let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
    let v = decide(&trace, &witnesses, &Numbers::default());
    assert_eq!(v.jobs[0].class, Class::Application);
    assert_eq!(v.finding, Finding::Clean, "slow tasks of a failing application accuse nobody");
}

#[test]
fn failures_on_one_node_are_not_the_applications() {
    let tasks = (0..5).map(|i| task(TaskLetter::Map, i, 2, Outcome::Failed, 4, 5)).collect();
    let trace = with_job(cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]), JobStatus::Success, tasks);
    let v = decide(&trace, &KahunaWhiteBox.run(&trace, &Params::default()), &Numbers::default());
    assert!(matches!(v.finding, Finding::Indicted(_)));
    assert_eq!(v.jobs[0].class, Class::Infrastructure);
}

#[test]
fn job_whose_maps_were_lost_with_a_node_suffered_from_it() {
    let class = |error: Option<&str>| {
        let done = TaskAttempt { error: error.map(Into::into), ..task(TaskLetter::Map, 0, 2, Outcome::Killed, 4, 10) };
        let mut trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST, FAST]), JobStatus::Success, vec![done]);
        let at = Timestamp::from_millis(400_000);
        trace.complaints.push(Complaint { kind: ComplaintKind::LostNode, by: Some(NodeId(0)), at, ..complaint(2) });
        let v = decide(&trace, &SlowWarnings.run(&trace, &Params::default()), &Numbers::default());
        let Finding::Indicted(culprits) = &v.finding else { panic!("{:?}", v.finding) };
        assert!(culprits[0].since > trace.tasks[0].finish, "{:?}", culprits[0].since);
        v.jobs[0].class
    };
    assert_eq!(class(Some("TaskAttempt killed because it ran on unusable node h2:45454")), Class::Infrastructure);
    assert_eq!(class(None), Class::None, "it had ended before");
}

#[test]
fn attempts_that_were_outrun_are_told_of_a_job_without_trouble() {
    let mut tasks: Vec<TaskAttempt> =
        (0..6).map(|i| task(TaskLetter::Map, i, i as u32 % 3, Outcome::Success, 4, 10)).collect();
    let rule = |tasks: &[TaskAttempt]| {
        let mut tasks = tasks.to_vec();
        tasks.sort_by_key(|t| t.id);
        let classes = classify(&with_job(cluster(StateKind::Map, &[FAST, FAST, FAST]), JobStatus::Success, tasks));
        assert_eq!(classes[0].class, Class::None);
        classes[0].rule.clone()
    };
    assert_eq!(rule(&tasks), "no rule fired");
    for number in [6, 7] {
        tasks.push(task(TaskLetter::Map, number, 1, Outcome::Killed, 4, 60));
        let rival = task(TaskLetter::Map, number, 2, Outcome::Success, 4, 60);
        let id = AttemptId { attempt: 1, ..rival.id };
        tasks.push(TaskAttempt { id, start: Some(Timestamp::from_millis(50_000)), ..rival });
    }
    assert_eq!(rule(&tasks), "no rule fired; 2 Maps of it were outrun by speculative attempts");
    assert_eq!(rule(&tasks[..8]), "no rule fired; 1 Map of it was outrun by a speculative attempt");
}

#[test]
fn task_with_far_more_data_is_skewed() {
    let mut tasks: Vec<_> = (0..5).map(|i| task(TaskLetter::Reduce, i, i as u32, Outcome::Success, 10, 20)).collect();
    tasks.push(task(TaskLetter::Reduce, 5, 1, Outcome::Success, 70, 90));
    let trace = with_job(cluster(StateKind::Reduce, &[FAST; 5]), JobStatus::Success, tasks);
    let class = &classify(&trace)[0];
    assert_eq!(class.class, Class::Skew);
    assert_eq!(class.skewed, Some((attempt(TaskLetter::Reduce, 5), NodeId(1))));
    assert!(class.rule.contains("70.0 MB"), "{}", class.rule);
}

#[test]
fn metrics_that_are_odd_while_a_skewed_task_runs_accuse_nobody() {
    let mut tasks: Vec<_> = (0..5).map(|i| task(TaskLetter::Reduce, i, i as u32, Outcome::Success, 10, 20)).collect();
    tasks.push(task(TaskLetter::Reduce, 5, 1, Outcome::Success, 70, 90));
    let mut trace = with_job(cluster(StateKind::Reduce, &[FAST; 5]), JobStatus::Success, tasks);
    // Another job ran there too, so the skewed one does not excuse the node altogether.
    let other = JobId { number: 2, ..JOB };
    trace.jobs.push(Job { id: other, ..trace.jobs[0].clone() });
    let mut small = task(TaskLetter::Map, 0, 1, Outcome::Success, 10, 20);
    small.id.job = other;
    trace.tasks.push(small);
    let verdict = |from: i64, to: i64| {
        let scores = (0..400).map(|second| Some(if (from..to).contains(&second) { 0.9 } else { 0.1 })).collect();
        let own = SystemComparison {
            nodes: vec![NodeId(1)],
            period_ms: 1000,
            stride: 1,
            window: 60,
            share: 0.6,
            scores: vec![scores],
            ..SystemComparison::default()
        };
        let mut witness = Witness::new(Method::KahunaBb, Signal::OwnProfiles);
        witness.threshold = Some(0.45);
        witness.comparison = Some(Comparison::System(Box::new(own)));
        witness.indicted.push(Indictment {
            node: NodeId(1),
            strength: Strength::Strong,
            score: 0.9,
            ratio: 2.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: None,
            until: None,
        });
        decide(&trace, &[witness], &Numbers::default()).finding
    };
    // The skewed task ran for 90 s; what it did fades for a minute more.
    assert_eq!(verdict(20, 150), Finding::Clean);
    assert!(matches!(verdict(140, 260), Finding::Indicted(_)));
    assert!(matches!(verdict(20, 360), Finding::Indicted(_)), "most of it is not explained");
}

/// Maps of three nodes: JVM start and work in seconds; the last node is judged.
fn started(peers: (i64, i64), own: (i64, i64)) -> Trace {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let mut rows = Vec::new();
    let mut tasks = Vec::new();
    for node in 0..3_u32 {
        for k in 0..3 {
            let (start, work) = if node == 2 { own } else { peers };
            let id = attempt(TaskLetter::Map, (node * 3 + k) as usize);
            let seconds = (start + work) as f64;
            let s = state(StateKind::Map, node, i64::from(k) * 1000, seconds, Some(Outcome::Success));
            let mut t = task(TaskLetter::Map, (node * 3 + k) as usize, node, Outcome::Success, 4, 1);
            t.log_start = s.start.map(|at| at.plus_millis(start * 1000));
            rows.push(State { attempt: Some(id), ..s });
            tasks.push(t);
        }
    }
    trace.states = States::from_rows(rows);
    with_job(trace, JobStatus::Success, tasks)
}

fn signal(name: &str) -> Signal {
    Method::ALL.into_iter().find_map(|method| Signal::named(method, name)).unwrap()
}

fn slowly(slower: &BTreeMap<Signal, f64>) -> Symptoms {
    Symptoms { slower: slower.clone(), ..Symptoms::default() }
}

#[test]
fn start_and_work_tell_processor_from_disk() {
    let slower = BTreeMap::from([(signal("Map"), 3.0)]);
    let cause = |own| Causes::new(&started((10, 5), own)).of(NodeId(2), &slowly(&slower)).cause();
    assert_eq!(cause((30, 15)), Cause::Cpu);
    assert_eq!(cause((10, 50)), Cause::Disk);
    assert_eq!(cause((15, 40)), Cause::Disk);
}

#[test]
fn processor_that_is_taken_explains_map_outputs_as_slow_as_maps() {
    let cause = |user: f64, waiting: f64, maps: f64| {
        let sample = |(node, user, waiting): (u32, f64, f64)| {
            let value = |metric: usize| match METRICS[metric] {
                "user" => user,
                "runq_sz" => waiting,
                _ => 0.0,
            };
            Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values: std::array::from_fn(value) }
        };
        let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
        let levels = [(0, 10.0, 1.0), (1, user, waiting), (2, 10.0, 1.0)];
        trace.samples = Samples::from_rows(levels.into_iter().map(sample).collect());
        let slower = [("Map", maps), ("shuffle", 2.3)].map(|(name, times)| (signal(name), times));
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..slowly(&BTreeMap::from(slower)) };
        Causes::new(&trace).of(NodeId(1), &symptoms).cause()
    };
    assert_eq!(cause(90.0, 12.0, 2.2), Cause::Cpu);
    assert_eq!(cause(90.0, 12.0, 1.0), Cause::Network, "that would slow down maps, too");
    assert_eq!(cause(10.0, 1.0, 2.2), Cause::Network);
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
    let cause = |metrics: &[(&str, f64)], slower: &BTreeMap<Signal, f64>| {
        let sample = |node: u32, second: i64| {
            let mut values = [0.0; METRICS.len()];
            for (name, value) in metrics.iter().filter(|_| node == 2) {
                values[METRICS.iter().position(|metric| metric == name).unwrap()] = *value;
            }
            Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
        };
        let samples = Samples::from_rows((0..3).flat_map(|node| (0..60).map(move |at| sample(node, at))).collect());
        let trace = Trace { samples, ..started((10, 5), (10, 25)) };
        let symptoms = Symptoms { since: Some(Timestamp::default()), ..slowly(slower) };
        Causes::new(&trace).of(NodeId(2), &symptoms).cause()
    };
    assert_eq!(cause(&[], &slower), Cause::Network);
    assert_eq!(cause(&[("iowait", 40.0)], &slower), Cause::Disk);
    let maps_alone = BTreeMap::from([(signal("Map"), 3.0)]);
    assert_eq!(cause(&[], &maps_alone), Cause::Unknown);
    // Writes that break off are the network's or the disk's, which metrics tell apart.
    let broken = BTreeMap::from([(signal("broken-pipeline"), 3.0)]);
    assert_eq!(cause(&[], &broken), Cause::Network);
    assert_eq!(cause(&[("iowait", 40.0)], &broken), Cause::Disk);
    assert_eq!(Causes::new(&started((10, 5), (10, 5))).of(NodeId(2), &slowly(&broken)).cause(), Cause::Unknown);
    // A processor with nothing left cannot be many times as busy as its peers'; that more tasks wait for it can be.
    assert_eq!(cause(&[("user", 96.0), ("runq_sz", 12.0)], &maps_alone), Cause::Cpu);
}

#[test]
fn attempts_that_outlast_every_success_elsewhere_hang() {
    let mut trace = cluster(StateKind::Map, &[FAST, FAST, FAST]);
    let mut rows: Vec<State> = trace.states.iter().collect();
    rows.extend([0, 1].map(|k| state(StateKind::Map, 1, k, 60.0, Some(Outcome::Failed))));
    trace.states = States::from_rows(rows.clone());
    assert_eq!(Causes::new(&trace).of(NodeId(1), &Symptoms::default()).cause(), Cause::Hang);
    rows.push(state(StateKind::Map, 0, 5, 60.0, Some(Outcome::Killed)));
    trace.states = States::from_rows(rows);
    assert_ne!(
        Causes::new(&trace).of(NodeId(1), &Symptoms::default()).cause(),
        Cause::Hang,
        "elsewhere they do not succeed either"
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

/// That it was told to join again, in its own words, a minute after the begin.
fn complaint(node: u32) -> Complaint {
    Complaint {
        kind: ComplaintKind::Rejoined,
        by: Some(NodeId(node)),
        of: Some(NodeId(node)),
        at: Timestamp::from_millis(60_000),
        job: None,
        attempt: None,
        block: None,
        took_ms: None,
        place: PLACE,
    }
}

#[test]
fn complaints_of_a_job_that_fails_everywhere_are_its_own() {
    // That job's attempts failed on every node, and another's did well on all of them.
    let well = JobId { number: JOB.number + 1, ..JOB };
    let mut tasks: Vec<TaskAttempt> =
        (0..5).map(|i| task(TaskLetter::Map, i, i as u32, Outcome::Failed, 4, 5)).collect();
    tasks.extend((0..5).map(|i| {
        let t = task(TaskLetter::Map, i, i as u32, Outcome::Success, 4, 5);
        TaskAttempt { id: AttemptId { job: well, ..t.id }, ..t }
    }));
    tasks.sort_by_key(|t| t.id);
    let mut trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST, FAST, FAST]), JobStatus::Failed, tasks);
    let job = Job { id: well, status: JobStatus::Success, ..trace.jobs[0].clone() };
    trace.jobs.push(job);
    let excused = |trace: &Trace| {
        let witnesses = SlowWarnings.run(trace, &Params::default());
        assert!(witnesses.iter().any(|w| w.indicted.iter().any(|i| i.node == NodeId(1))), "{witnesses:?}");
        let v = decide(trace, &witnesses, &Numbers::default());
        v.excused.iter().map(|(_, node)| *node).collect::<Vec<_>>()
    };
    let blacklisted = |job: JobId| Complaint { kind: ComplaintKind::Blacklisted, job: Some(job), ..complaint(1) };
    trace.complaints = vec![blacklisted(JOB)];
    assert_eq!(excused(&trace), [NodeId(1)]);
    trace.complaints = vec![blacklisted(JOB), blacklisted(well)];
    assert_eq!(excused(&trace), [], "one is of a job that did well");
    trace.complaints = vec![Complaint { job: None, ..blacklisted(JOB) }];
    assert_eq!(excused(&trace), [], "nobody tells whose it is");
}

#[test]
fn a_node_is_at_fault_since_the_first_word_that_tells_a_begin() {
    use Strength::{Moderate, Strong};
    let since = |words: &[(&str, Strength, i64)]| {
        let words = words.iter().map(|(name, strength, at)| (signal(name), *strength, Some(*at)));
        oddnode::diagnosis::verdict::since(words)
    };
    assert_eq!(since(&[("Map", Moderate, 1), ("write", Strong, 5), ("levels", Moderate, 4)]), Some(1));
    assert_eq!(since(&[("Map", Moderate, 1), ("write", Strong, 5), ("levels", Strong, 4)]), Some(4), "to the second");
    assert_eq!(since(&[("fetch-failed", Moderate, 1), ("Map", Moderate, 5), ("shuffle", Moderate, 6)]), Some(5));
    assert_eq!(since(&[("fetch-failed", Moderate, 2), ("blacklisted", Moderate, 1)]), Some(1));
    assert_eq!(since(&[]), None);
}

#[test]
fn a_fault_has_passed_where_all_words_have() {
    use Strength::{Moderate, Strong};
    let until = |words: &[(&str, Strength, Option<i64>)]| {
        let words = words.iter().map(|(name, strength, at)| (signal(name), *strength, *at));
        oddnode::diagnosis::verdict::until(words)
    };
    assert_eq!(until(&[("Map", Strong, Some(5)), ("write", Moderate, Some(7))]), Some(7));
    assert_eq!(until(&[("Map", Strong, Some(5)), ("stuck", Moderate, None)]), None);
    assert_eq!(until(&[("levels", Strong, Some(4)), ("Map", Moderate, Some(7))]), Some(4), "to the second");
    assert_eq!(
        until(&[("levels", Strong, Some(4)), ("profiles of these logs", Strong, Some(9))]),
        Some(4),
        "it remembers"
    );
    assert_eq!(until(&[("profiles of these logs", Strong, Some(9))]), Some(9));
    assert_eq!(until(&[]), None);
}

/// Job after job of four maps on each node; in some of them those of node 1 last three times as long.
#[test]
fn states_that_are_as_usual_again_tell_when_the_last_was_not() {
    let jobs = |slow: std::ops::Range<u32>| {
        let rows =
            (0..12_u32).flat_map(|number| (0..4_u32).flat_map(move |node| (0..4_u32).map(move |i| (number, node, i))));
        let rows = rows.map(|(number, node, i)| {
            let start = i64::from(number) * 100_000 + i64::from(i) * 10;
            let long = 10_000 + i64::from((number * 7 + node * 3 + i) % 5) * 200;
            let ms = if node == 1 && slow.contains(&number) { 3 * long } else { long };
            let line = u64::from(number * 100 + node * 10 + i);
            let job = Some(JobId { cluster: 1, number });
            State {
                job,
                place: Place { line, ..PLACE },
                ..state(StateKind::Map, node, start, ms as f64 / 1000.0, Some(Outcome::Success))
            }
        });
        let nodes = (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
        let trace = Trace { nodes, states: States::from_rows(rows.collect::<Vec<_>>()), ..Trace::default() };
        let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
        let words: Vec<Indictment> =
            witnesses.into_iter().flat_map(|w| w.indicted).filter(|i| i.node == NodeId(1)).collect();
        assert!(!words.is_empty());
        words.iter().map(|word| word.until.map(|at| at.millis() / 100_000)).max().unwrap()
    };
    assert_eq!(jobs(0..12), None);
    assert_eq!(jobs(4..12), None);
    assert_eq!(jobs(0..9), Some(8), "twelve maps since");
    assert_eq!(jobs(0..11), None, "four maps since");
}

#[test]
fn a_node_whose_states_are_shorter_is_not_at_fault() {
    let (slow, fast) = ([9.0, 9.1, 9.2, 9.3, 9.4], [3.0, 3.1, 3.2, 3.3, 3.4]);
    let mut trace = cluster(StateKind::Map, &[&slow, &slow, &fast, &slow]);
    let writes = trace.states.iter().map(|s| State { kind: StateKind::WriteBlock, ..s });
    trace.states = States::from_rows(trace.states.iter().chain(writes).collect::<Vec<_>>());
    let params = Params { threshold: Threshold::Fixed(0.5), ..Params::default() };
    let witnesses = KahunaWhiteBox.run(&trace, &params);
    assert_eq!(
        witnesses.iter().filter(|w| w.indicted.iter().any(|i| i.node == NodeId(2))).count(),
        2,
        "K21, to the letter"
    );
    assert_eq!(decide(&trace, &witnesses, &Numbers::default()).finding, Finding::Clean);
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
        let log = |node: Option<u32>, format: &str| FileInfo {
            path: String::new(),
            node: node.map(NodeId),
            daemon_last: None,
            coverage: Coverage { format: Some(format.to_owned()), ..Coverage::default() },
            issues: Vec::new(),
        };
        trace.files = vec![log(None, "resourcemanager"), log(Some(1), format), log(Some(1), "task-syslog")];
        let reading = |seconds: &[i64]| {
            let mut density = Density::default();
            seconds.iter().for_each(|s| density.note(Timestamp::from_millis(s * 1000)));
            FileReading { density: density.into(), ..FileReading::default() }
        };
        trace.readings = [&[], seconds, task].map(reading).to_vec();
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
