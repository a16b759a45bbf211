//! Half of the nodes or more at fault (X6), and all of them unlike control runs (K09).

use super::{FAST, FAST_2, SLOW, cluster, state, task, with_job};
use oddnode::base::{JobId, NodeId, TaskLetter, Timestamp};
use oddnode::diagnosis::kahuna_bb::KahunaBlackBox;
use oddnode::diagnosis::kahuna_wb::KahunaWhiteBox;
use oddnode::diagnosis::verdict::{Finding, Reason, decide};
use oddnode::diagnosis::{Baseline, Diagnosis, Params, Threshold};
use oddnode::model::{JobStatus, Metric, Node, Outcome, Sample, Samples, State, StateKind, States, Trace};
use oddnode::pipeline::{self, Untaught};
use oddnode::report::{self, doubts};
use std::sync::Arc;

const SLOW_2: &[f64] = &[31.0, 30.0, 32.0, 29.5, 33.0, 30.0];
const NO_MAJORITY: Finding = Finding::None(Reason::NoMajority);

fn said_of(trace: &Trace, params: &Params) -> Finding {
    decide(trace, &KahunaWhiteBox.run(trace, params), &Params::default()).finding
}

fn said(trace: &Trace) -> Finding {
    said_of(trace, &Params::default())
}

/// The same in another job too, half an hour later, with the states of these.
fn and_again(first: Trace, again: &Trace) -> Trace {
    let mut rows: Vec<State> = first.states.iter().collect();
    rows.extend(again.states.iter().map(|s| State {
        job: Some(JobId { cluster: 1, number: 2 }),
        start: s.start.map(|at| at.plus_millis(1_800_000)),
        end: s.end.plus_millis(1_800_000),
        ..s
    }));
    Trace { states: States::from_rows(rows), ..first }
}

fn maps(seconds: &[&[f64]]) -> Trace {
    cluster(StateKind::Map, seconds)
}

#[test]
fn more_than_half_slow_are_no_majority() {
    assert_eq!(said(&maps(&[SLOW, SLOW_2, SLOW, SLOW_2, FAST, FAST_2])), NO_MAJORITY);
    let nodes = |slow: usize| -> Vec<&[f64]> { (0..50).map(|i| if i < slow { SLOW } else { FAST }).collect() };
    assert_eq!(said(&maps(&nodes(25))), NO_MAJORITY);
    assert_eq!(said(&maps(&nodes(26))), NO_MAJORITY);
    assert_eq!(said(&maps(&nodes(0))), Finding::Clean);
}

#[test]
fn fast_nodes_of_a_healthy_cluster_leave_it_clean() {
    // The master's own node, or better hardware.
    assert_eq!(said(&maps(&[SLOW, SLOW_2, SLOW, SLOW_2, FAST])), Finding::Clean);
    // No two modes: each a little slower than the next, whoever is named for it.
    let of = |from: f64| (0..6).map(|i| from + f64::from(i) / 10.0).collect::<Vec<f64>>();
    let stairs: Vec<Vec<f64>> = [10.0, 16.0, 26.0, 40.0, 64.0, 100.0].map(of).into();
    let stairs = maps(&stairs.iter().map(Vec::as_slice).collect::<Vec<_>>());
    assert!(KahunaWhiteBox.run(&stairs, &Params::default()).iter().all(|w| w.worse.is_empty()));
    // Less than a slow node must differ.
    let middle: Vec<f64> = FAST.iter().map(|s| s * 1.8).collect();
    assert_eq!(said(&maps(&[&middle, &middle, &middle, &middle, FAST, FAST_2])), Finding::Clean);
    // They were given half as many.
    assert_eq!(said(&maps(&[SLOW, SLOW, SLOW, SLOW, &FAST[..3], &FAST_2[..3]])), Finding::Clean);
    // Chance sorts so few states in this way once in ten times.
    assert_eq!(said(&maps(&[&SLOW[..2], &SLOW[..2], &FAST[..2], &FAST_2[..2]])), Finding::Clean);
}

#[test]
fn half_of_the_nodes_slower_by_less_than_two_seconds_are_not_slow() {
    let [slow, fast]: [&[f64]; 2] = [&[0.80, 0.82, 0.79, 0.84, 0.81, 0.83], &[0.30, 0.32, 0.29, 0.31, 0.30, 0.32]];
    let of = |times: f64| {
        let [slow, fast] = [slow, fast].map(|seconds| seconds.iter().map(|s| s * times).collect::<Vec<f64>>());
        said(&maps(&[&slow, &slow, &slow, &slow, &fast, &fast]))
    };
    assert_eq!((of(1.0), of(10.0)), (Finding::Clean, NO_MAJORITY));
}

#[test]
fn of_three_nodes_two_slow_ones_show_in_two_jobs() {
    let one = || maps(&[SLOW, SLOW_2, FAST]);
    assert_eq!(said(&one()), Finding::Clean, "as if one node were fast");
    assert_eq!(said(&and_again(one(), &one())), NO_MAJORITY);
    assert_eq!(said(&and_again(one(), &maps(&[FAST, FAST_2, FAST]))), Finding::Clean, "but not always");
}

#[test]
fn slow_nodes_with_more_data_are_not_at_fault() {
    let trace = |megabytes: i64| {
        let on = |node: usize| if node < 4 { megabytes } else { 10 };
        let tasks = (0..36).map(|i| task(TaskLetter::Map, i, i as u32 % 6, Outcome::Success, on(i % 6), 30)).collect();
        with_job(maps(&[SLOW, SLOW_2, SLOW, SLOW_2, FAST, FAST_2]), JobStatus::Success, tasks)
    };
    assert_eq!(said(&trace(10)), NO_MAJORITY);
    assert_eq!(said(&trace(40)), Finding::Clean);
}

/// Six nodes, measured for four minutes at work; the first so many of them are as busy as that.
fn measured(busy: u32, user: f64, works: impl Fn(u32) -> bool) -> Trace {
    let sample = |node: u32, second: i64| {
        let noise = ((node * 31 + 7) as i64 * second % 13) as f64 / 4.0;
        let values = Metric::ALL.map(|metric| match metric {
            Metric::User => noise + if node < busy { user } else { 20.0 },
            Metric::RunQueue => 1.0 + noise / 10.0,
            _ => 1.0,
        });
        Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
    };
    let rows = (0..6)
        .filter(|node| works(*node))
        .flat_map(|node| (0..12).map(move |i| state(StateKind::Map, node, i * 20_000, 19.5, Some(Outcome::Success))));
    Trace {
        samples: Samples::from_rows((0..6).flat_map(|node| (0..240).map(move |s| sample(node, s))).collect()),
        states: States::from_rows(rows.collect::<Vec<_>>()),
        ..maps(&[FAST; 6])
    }
}

#[test]
fn half_of_the_nodes_busier_than_their_work_are_no_majority() {
    let of = |trace: &Trace| decide(trace, &KahunaBlackBox.run(trace, &Params::default()), &Params::default()).finding;
    assert_eq!(of(&measured(4, 85.0, |_| true)), NO_MAJORITY);
    assert_eq!(of(&measured(0, 85.0, |_| true)), Finding::Clean);
    assert_eq!(of(&measured(5, 85.0, |_| true)), Finding::Clean, "one that does less");
    // Two that have nothing left to do.
    assert_eq!(of(&measured(4, 85.0, |node| node < 4)), Finding::Clean);
}

#[test]
fn words_against_half_by_a_fixed_threshold_are_no_majority() {
    let even: &[f64] = &[10.0, 10.1, 10.2];
    let slower: &[f64] = &[15.0, 15.1, 15.2];
    let trace = maps(&[even, slower, slower, even]);
    assert_eq!(said(&trace), Finding::Clean);
    assert_eq!(said_of(&trace, &Params { threshold: Threshold::Fixed(0.5), ..Params::default() }), NO_MAJORITY);
}

/// A job of so many Maps with so much data on five nodes, which take so many times ten seconds.
fn job(name: &str, maps: u32, megabytes: i64, times: f64) -> Trace {
    let seconds: Vec<f64> = (0..maps / 5).map(|i| (10.0 + f64::from(i % 5) / 10.0) * times).collect();
    let tasks = (0..maps as usize)
        .map(|i| task(TaskLetter::Map, i, i as u32 % 5, Outcome::Success, megabytes, (10.0 * times) as i64))
        .collect();
    let mut trace = with_job(cluster(StateKind::Map, &[seconds.as_slice(); 5]), JobStatus::Success, tasks);
    for job in &mut trace.jobs {
        (job.name, job.maps, job.reduces) = (Some(name.into()), Some(maps), Some(0));
    }
    trace
}

#[test]
fn all_nodes_slower_than_the_same_job_in_control_runs_are_correlated() {
    let control = job("wordcount", 50, 4, 1.0);
    let baseline = Arc::new(Baseline::learn(&[&control], &Params::default()));
    let with = |trace: &Trace| said_of(trace, &Params { baseline: Some(Arc::clone(&baseline)), ..Params::default() });
    assert_eq!(with(&job("wordcount", 50, 4, 6.0)), Finding::None(Reason::Correlated));
    assert_eq!(with(&job("wordcount", 50, 4, 1.9)), Finding::Clean);
    assert_eq!(said(&job("wordcount", 50, 4, 6.0)), Finding::Clean, "without control runs it cannot be told");
    // Other work, more of it, or more data for each map.
    assert_eq!(with(&job("sort", 50, 4, 6.0)), Finding::Clean);
    assert_eq!(with(&job("wordcount", 70, 4, 6.0)), Finding::Clean);
    assert_eq!(with(&job("wordcount", 50, 8, 6.0)), Finding::Clean);
    // What is too little for that is told beside the verdict.
    let told = "Map takes × 1.9 as long as the same work did at most in control runs, on most nodes: what slows all of them alike may be why.";
    assert_eq!(doubts(&job("wordcount", 50, 4, 1.9), &baseline), [told]);
    assert_eq!(doubts(&job("wordcount", 50, 4, 1.3), &baseline), [""; 0]);
    assert_eq!(doubts(&job("wordcount", 50, 4, 6.0), &baseline), [""; 0], "which makes no verdict of clean");
    assert_eq!(doubts(&job("sort", 50, 4, 1.9), &baseline), [""; 0]);
    let two = Arc::new((*baseline).clone().extended(&[&job("wordcount", 50, 4, 1.1)], &Params::default()));
    let said = doubts(&job("wordcount", 50, 4, 1.9), &two).concat();
    assert!(said.contains("at most in control runs (there it differs by × 1.10), on most nodes"), "{said}");
    // The slowest control run counts, and a file keeps what was learned.
    let wider =
        Baseline::decode(&baseline.encode()).unwrap().extended(&[&job("wordcount", 50, 4, 4.0)], &Params::default());
    let params = Params { baseline: Some(Arc::new(wider)), ..Params::default() };
    assert_eq!(said_of(&job("wordcount", 50, 4, 6.0), &params), Finding::Clean);
    assert_eq!(said_of(&job("wordcount", 50, 4, 9.0), &params), Finding::None(Reason::Correlated));
}

/// What is told beside the verdict.
fn doubts(trace: &Trace, baseline: &Arc<Baseline>) -> Vec<String> {
    let params = Params { baseline: Some(Arc::clone(baseline)), ..Params::default() };
    let witnesses = KahunaWhiteBox.run(trace, &params);
    let decided = decide(trace, &witnesses, &Params::default());
    doubts::of(&report::build(trace, &witnesses, &decided, &params))
}

#[test]
fn work_that_takes_less_than_two_seconds_longer_than_in_control_runs_is_as_usual() {
    let three_times = |usual: f64| {
        let baseline = Arc::new(Baseline::learn(&[&job("wordcount", 50, 4, usual)], &Params::default()));
        let run = job("wordcount", 50, 4, 3.0 * usual);
        let params = Params { baseline: Some(Arc::clone(&baseline)), ..Params::default() };
        (said_of(&run, &params), doubts(&run, &baseline))
    };
    assert_eq!(three_times(0.05), (Finding::Clean, vec![]), "1.5 s beside 0.5 s");
    assert_eq!(three_times(0.2), (Finding::None(Reason::Correlated), vec![]), "6 s beside 2 s");
}

/// A run that is as others before it is no run that holds nothing.
#[test]
fn control_runs_that_are_as_those_before_are_taken() {
    let [fast, slow, middle] = [1.0, 2.0, 1.5].map(|times| job("wordcount", 50, 4, times));
    let params = Params::default();
    let before = Baseline::learn(&[&fast, &slow], &params);
    let with = |run: Trace| pipeline::learn(&before, &[run], &params);
    assert_eq!(with(middle.clone()), Ok(before.clone()), "no longer than the longest, no shorter than the shortest");
    assert_eq!(with(slow), Ok(before.clone()), "the same run");
    let nodes = middle.nodes.iter().map(|node| Node { name: format!("other-{}", node.name), ..node.clone() });
    let elsewhere = Trace { nodes: nodes.collect(), ..middle.clone() };
    let learned = with(elsewhere).unwrap();
    assert_eq!(learned.usual, before.usual);
    assert!(learned.clusters != before.clusters && before.doubt().is_none() && learned.doubt().is_some());
    // Of five maps no median is known.
    let files = middle.files.clone();
    assert_eq!(with(Trace { files, ..job("wordcount", 5, 4, 1.5) }), Err(Untaught::Nothing));
}
