//! Peer comparison: whose states stand out, and since when.

use super::{FAST, FAST_2, PLACE, SLOW, attempt, cluster, indicted, state};
use oddnode::base::{JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::kahuna_wb::{self, KahunaWhiteBox};
use oddnode::diagnosis::numbers::Setting;
use oddnode::diagnosis::verdict::{Finding, Reason, decide};
use oddnode::diagnosis::{Abstention, Diagnosis, Indictment, Numbers, Params, Reading, Strength, Threshold};
use oddnode::model::{Node, Outcome, State, StateKind, States, Trace, WriteOrigin};
use oddnode::report;

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
fn files_of_a_job_are_slow_only_beside_what_its_tasks_write() {
    let since = |seconds: f64| {
        let tasks = cluster(StateKind::WriteBlock, &[FAST, FAST_2, SLOW, FAST, FAST_2]);
        let of_tasks =
            |s: State| State { start: s.start.map(|at| at.plus_millis(100_000)), end: s.end.plus_millis(100_000), ..s };
        let file = |node: u32| {
            let seconds = if node == 2 { seconds } else { 0.03 };
            State { job: None, ..state(StateKind::WriteBlock, node, 0, seconds, Some(Outcome::Success)) }
        };
        let rows: Vec<State> = tasks.states.iter().map(of_tasks).chain((0..5).map(file)).collect();
        let trace = Trace { states: States::from_rows(rows), ..tasks };
        let word = &KahunaWhiteBox.run(&trace, &Params::default())[0].indicted[0];
        (word.node, word.since.map(|at| at.millis() / 1000))
    };
    assert_eq!(since(2.0), (NodeId(2), Some(100)), "long for such a file, and sooner written than a block of 10 s");
    assert_eq!(since(40.0), (NodeId(2), Some(0)));
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
    assert_eq!((c.nodes[2].score, c.nodes[0].score), (1.0, 0.0));
    assert_eq!(indicted(&trace, &Params::default())[0].1, [2]);
}

#[test]
fn a_fixed_threshold_replaces_the_one_found_and_nothing_else() {
    let at = |trace: &Trace, threshold| indicted(trace, &Params { threshold, ..Params::default() });
    let one_fast = cluster(StateKind::Map, &[SLOW, SLOW, FAST, SLOW, SLOW]);
    assert_eq!(at(&one_fast, Threshold::Fixed(0.5)), [("Map".to_owned(), vec![])], "only slower nodes");
    // Permutation puts T of so few states at 1, where the gap rule decides.
    let one_slow = cluster(StateKind::Map, &[&FAST[..2], &FAST_2[..2], &SLOW[..2], &FAST[..2], &FAST_2[..2]]);
    for threshold in [Threshold::Auto, Threshold::Fixed(0.6)] {
        assert_eq!(at(&one_slow, threshold), [("Map".to_owned(), vec![2])], "{threshold:?}");
    }
    assert_eq!(
        at(&one_slow, Threshold::Fixed(1.0)),
        [("Map".to_owned(), vec![])],
        "nothing is farther than 1, with a gap or not"
    );
    // What it accuses a node of weighs as much as usual.
    let many = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]);
    for threshold in [Threshold::Auto, Threshold::Fixed(0.6)] {
        let params = Params { threshold, ..Params::default() };
        let finding = decide(&many, &KahunaWhiteBox.run(&many, &params), &Params::default()).finding;
        let Finding::Indicted(culprits) = finding else { panic!("{threshold:?}: {finding:?}") };
        assert_eq!(culprits.iter().map(|c| c.node).collect::<Vec<_>>(), [NodeId(2)]);
    }
    // A small difference is none by any threshold.
    let near: Vec<f64> = FAST.iter().map(|s| s * 1.3).collect();
    let near = cluster(StateKind::Map, &[FAST, FAST, &near, FAST, FAST]);
    assert_eq!(at(&near, Threshold::Fixed(0.1)), [("Map".to_owned(), vec![])]);
}

/// "Differs … from those of a majority of the other nodes" (K21): whichever way, and by how much.
#[test]
fn to_the_letter_a_node_is_indicted_by_its_distance_alone() {
    let fast = cluster(StateKind::Map, &[SLOW, SLOW, FAST, SLOW, SLOW]);
    let near: Vec<f64> = FAST.iter().map(|s| s * 1.3).collect();
    let near = cluster(StateKind::Map, &[FAST, FAST, &near, FAST, FAST]);
    let literal = Params { kahuna: Reading::Literal, ..Params::default() };
    for (trace, threshold) in [
        (&fast, Threshold::Auto),
        (&fast, Threshold::Fixed(0.5)),
        (&near, Threshold::Auto),
        (&near, Threshold::Fixed(0.1)),
    ] {
        let usual = Params { threshold, ..Params::default() };
        assert_eq!(indicted(trace, &usual), [("Map".to_owned(), vec![])]);
        let literal = Params { threshold, ..literal.clone() };
        assert_eq!(indicted(trace, &literal), [("Map".to_owned(), vec![2])], "{threshold:?}");
    }
    // A gap does not count beside it.
    let few = cluster(StateKind::Map, &[&FAST[..2], &FAST_2[..2], &SLOW[..2], &FAST[..2], &FAST_2[..2]]);
    assert_eq!(indicted(&few, &Params::default()), [("Map".to_owned(), vec![2])]);
    assert_eq!(indicted(&few, &literal), [("Map".to_owned(), vec![])], "chance makes such distances of two states");
    let half = cluster(StateKind::Map, &[SLOW, SLOW, SLOW, FAST, FAST, FAST]);
    let params = Params { threshold: Threshold::Fixed(0.2), ..literal.clone() };
    assert_eq!(KahunaWhiteBox.run(&half, &params)[0].worse.len(), 6, "each is far from half of the others");
    // Such a node is not called slow, and its evidence is what is shorter.
    let witnesses = KahunaWhiteBox.run(&fast, &literal);
    let decided = decide(&fast, &witnesses, &Params::default());
    let report = report::build(&fast, &witnesses, &decided, &literal);
    let [culprit] = report.verdict.culprits.as_slice() else { panic!("{:?}", report.verdict) };
    assert!(culprit.sentence.contains("its work takes less time than its peers'"), "{}", culprit.sentence);
    assert!(culprit.evidence[0].faster && !culprit.evidence[0].lines.is_empty(), "{:?}", culprit.evidence);
    assert_eq!(witnesses[0].indicted[0].since, Some(Timestamp::default()));
}

#[test]
fn to_the_letter_who_is_faster_in_all_is_said_to_be_slow_in_nothing() {
    let faster = |kind| cluster(kind, &[SLOW, SLOW, FAST, SLOW, SLOW]);
    let (maps, reads, writes) = (faster(StateKind::Map), faster(StateKind::ReadBlock), faster(StateKind::WriteBlock));
    // What is written for no job, at once everywhere, comes first.
    let file = |node: u32| State { job: None, ..state(StateKind::WriteBlock, node, 0, 0.03, Some(Outcome::Success)) };
    let later = |s: State| State { start: s.start.map(|at| at.plus_millis(1_000)), end: s.end.plus_millis(1_000), ..s };
    let rows = maps.states.iter().chain(reads.states.iter()).chain(writes.states.iter()).map(later);
    let trace = Trace { states: States::from_rows(rows.chain((0..5).map(file))), ..maps.clone() };
    let params = Params { kahuna: Reading::Literal, ..Params::default() };
    let witnesses = KahunaWhiteBox.run(&trace, &params);
    let decided = decide(&trace, &witnesses, &params);
    let report = report::build(&trace, &witnesses, &decided, &params);
    let [culprit] = report.verdict.culprits.as_slice() else { panic!("{:?}", report.verdict) };
    assert_eq!((culprit.cause.as_str(), culprit.evidence.len()), ("unknown", 3), "{culprit:?}");
    assert!(culprit.sentence.contains("its work takes less time than its peers'"), "{}", culprit.sentence);
    assert_eq!(culprit.since_ms, Some(1_000), "files of no job are short on each node");
}

/// A job's history is open as long as the job runs, whether or not any attempt writes blocks.
#[test]
fn blocks_that_their_writer_keeps_open_are_not_compared() {
    let at = |seconds: &[&[f64]], origin, open: bool| {
        let mut trace = cluster(StateKind::WriteBlock, seconds);
        let of_nobody = |s: State| {
            let last = open && s.millis() > Some(10_000);
            let bytes = (!last).then_some(1000);
            State { job: None, origin: Some(origin), bytes, open: last, outcome: s.outcome.filter(|_| !last), ..s }
        };
        trace.states = States::from_rows(trace.states.iter().map(of_nobody).collect::<Vec<_>>());
        let compared = kahuna_wb::compare(&trace, StateKind::WriteBlock, &Params::default());
        compared.nodes.iter().map(|own| own.count).collect::<Vec<_>>()
    };
    let blocks: [&[f64]; 4] = [&[0.1, 0.2, 0.1, 39.0], &[0.2, 0.1], &[0.1, 0.2, 39.0], &[0.2, 0.2]];
    for open in [false, true] {
        assert_eq!(at(&blocks, WriteOrigin::Remote, open), [3, 2, 2, 2], "open: {open}");
    }
    assert_eq!(at(&blocks, WriteOrigin::Replicated, false), [4, 2, 3, 2]);
    assert_eq!(at(&[&[0.1, 5.0], &[0.2, 0.1], &[0.1, 9.9]], WriteOrigin::Remote, false), [2; 3], "not for so long");
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
    assert!(c.nodes.iter().all(|own| (own.ratio - 1.0).abs() < 0.05), "{:?}", c.nodes);
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
    assert!(few.nodes.iter().all(|own| (own.ratio - 1.0).abs() < 0.05), "{:?}", few.nodes);
    assert_eq!(indicted(&made(4, 9), &Params::default()), [("Localize".to_owned(), vec![])]);
    // Who is slow to fetch is still seen to be.
    let slow = compared(&made(9, 1));
    assert!(slow.nodes[1].score > slow.nodes[0].score, "{:?}", slow.nodes);
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

/// Node 2 has a quarter of states like the others', so that its distance alone accuses it, by chance.
#[test]
fn smaller_chances_take_more_permutations_or_nothing_is_said() {
    let durations = |times: f64| -> Vec<f64> {
        let slow = |i: u32| if i.is_multiple_of(3) { 1.0 } else { times };
        (0..40).map(|i| (10.0 + f64::from(i * 7 % 5)) * slow(i)).collect()
    };
    let (even, odd) = (durations(1.0), durations(3.0));
    let ill = cluster(StateKind::Map, &[&even, &even, &odd, &even, &even]);
    let well = cluster(StateKind::Map, &[even.as_slice(); 5]);
    let said = |trace: &Trace, alpha: f64| {
        let numbers = Numbers::with(&[Setting::new("wb_alpha", alpha).unwrap()]);
        let witness = KahunaWhiteBox.run(trace, &Params { numbers, ..Params::default() }).remove(0);
        (witness.indicted.iter().map(|word| word.node.0).collect::<Vec<_>>(), witness.abstained)
    };
    assert_eq!(said(&ill, 0.02), (vec![2], None));
    // One of 2001 is more than that.
    assert_eq!(said(&ill, 0.0004), (vec![2], None));
    assert_eq!(said(&well, 0.0004), (vec![], None), "nobody stands out, however rare that would be");
    // A thousand million permutations take too long.
    assert_eq!(said(&ill, 1e-9), (vec![], Some(Abstention::TooManyPermutations)));
    assert_eq!(said(&ill, 0.0), (vec![], Some(Abstention::TooManyPermutations)), "no chance is so small");
    assert_eq!(said(&well, 0.0), (vec![], None));
    let none = Params { numbers: Numbers::with(&[Setting::new("wb_alpha", 0.0).unwrap()]), ..Params::default() };
    let finding = |trace: &Trace| decide(trace, &KahunaWhiteBox.run(trace, &none), &none).finding;
    assert_eq!(finding(&ill), Finding::None(Reason::TooManyPermutations));
    assert_eq!(finding(&well), Finding::Clean);
}

#[test]
fn windows_show_when_a_node_is_odd_and_its_own_states_since_when() {
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
    let of = |window_s: f64| KahunaWhiteBox.run(&trace, &Params { window_s, ..Params::default() }).remove(0).indicted;
    assert_eq!(of(120.0), of(1.0), "no window has a say in it");
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

/// A job of Maps of 10 s and one of 100 s; those of node 1 last three times as long, and most of them are of the other job.
#[test]
fn medians_over_all_jobs_are_not_told_beside_another_ratio() {
    let maps = |number: u32, node: u32| if (node == 1) == (number == 1) { 6 } else { 2 };
    let of_jobs = (0..2_u32).flat_map(|number| (0..5_u32).map(move |node| (number, node)));
    let rows = of_jobs.flat_map(|(number, node)| (0..maps(number, node)).map(move |i| (number, node, i)));
    let rows = rows.map(|(number, node, i)| {
        let long = [10.0, 100.0][number as usize] * (1.0 + f64::from((node * 3 + i) % 5) / 100.0);
        let seconds = if node == 1 { 3.0 * long } else { long };
        let place = Place { line: u64::from(number * 100 + node * 10 + i), ..PLACE };
        let job = Some(JobId { cluster: 1, number });
        let start = i64::from(number * 100_000 + i * 10);
        State { job, place, ..state(StateKind::Map, node, start, seconds, Some(Outcome::Success)) }
    });
    let nodes = (0..5).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
    let trace = Trace { nodes, states: States::from_rows(rows.collect::<Vec<_>>()), ..Trace::default() };
    let text = &KahunaWhiteBox.run(&trace, &Params::default())[0].indicted[0].text;
    assert!(text.starts_with("Map on h1 takes × 3.0 as long as on its peers, job by job (8 of them);"), "{text}");
}

#[test]
fn a_node_whose_states_are_shorter_is_not_at_fault() {
    let (slow, fast) = ([9.0, 9.1, 9.2, 9.3, 9.4], [3.0, 3.1, 3.2, 3.3, 3.4]);
    let mut trace = cluster(StateKind::Map, &[&slow, &slow, &fast, &slow]);
    let writes = trace.states.iter().map(|s| State { kind: StateKind::WriteBlock, ..s });
    trace.states = States::from_rows(trace.states.iter().chain(writes).collect::<Vec<_>>());
    for threshold in [Threshold::Auto, Threshold::Fixed(0.5)] {
        let witnesses = KahunaWhiteBox.run(&trace, &Params { threshold, ..Params::default() });
        assert!(witnesses.iter().all(|w| w.indicted.is_empty()));
        assert_eq!(decide(&trace, &witnesses, &Params::default()).finding, Finding::Clean);
    }
}

/// Reduces of a job of YARN that copied until 70 s: `reduces(node)` says for how long each then reduced, and how far the
/// node's clock lags, by which it ended its copy.
fn reduces(reduced: impl Fn(u32) -> (f64, f64)) -> Trace {
    let ok = Some(Outcome::Success);
    let mut rows: Vec<State> = (0..5).map(|node| state(StateKind::Map, node, 0, 60.0, ok)).collect();
    for (i, node) in (0..10).map(|i| (i, i as u32 % 5)) {
        let (reduced_s, lag_s) = reduced(node);
        // None takes exactly as long as another.
        let reduced_s = reduced_s + 0.1 * i as f64;
        let attempt = Some(attempt(TaskLetter::Reduce, i));
        let copied_ms = 70_000 - (lag_s * 1000.0) as i64;
        rows.push(State { attempt, ..state(StateKind::Reduce, node, 30_000, 40.0 + reduced_s, ok) });
        rows.push(State { attempt, ..state(StateKind::ReduceCopy, node, 30_000, 40.0 - lag_s, ok) });
        rows.push(State { attempt, ..state(StateKind::ReduceReducer, node, copied_ms, reduced_s + lag_s, ok) });
    }
    Trace { states: States::from_rows(rows), ..cluster(StateKind::Map, &[FAST; 5]) }
}

#[test]
fn phases_that_are_long_by_a_clock_that_is_off_accuse_nobody() {
    let accused = |trace: &Trace| -> Vec<(String, Vec<u32>)> {
        let spoken = indicted(trace, &Params::default());
        spoken.into_iter().filter(|(_, nodes)| !nodes.is_empty()).collect()
    };
    assert_eq!(accused(&reduces(|node| (7.0, if node == 2 { 15.0 } else { 0.0 }))), [], "lags");
    assert_eq!(accused(&reduces(|node| (7.0, if node == 2 { -40.0 } else { 0.0 }))), [], "is ahead");
    let slow = accused(&reduces(|node| (if node == 2 { 22.0 } else { 7.0 }, 0.0)));
    assert!(slow.contains(&("ReduceReducer".to_owned(), vec![2])), "{slow:?}");
    let both = accused(&reduces(|node| if node == 2 { (22.0, 15.0) } else { (7.0, 0.0) }));
    assert!(both.contains(&("ReduceReducer".to_owned(), vec![2])), "{both:?}");
}
