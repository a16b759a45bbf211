//! What the witness of transfers says of made clusters.

use super::*;
use crate::base::{AttemptId, FileId};
use crate::model::{Flow, Lanes, Node, State};

/// A cluster of `n` nodes in which every pair moves four times `bytes`, each taking
/// `seconds(src, dest)`.
pub(crate) fn cluster(n: u32, seconds: impl Fn(u32, u32) -> f64, bytes: impl Fn(u32, u32) -> u64) -> Trace {
    let pairs = (0..4).flat_map(|_| (0..n).flat_map(|a| (0..a).map(move |b| (a, b))));
    let flows = pairs.enumerate().map(|(line, (src, dest))| {
        let start = Timestamp::from_millis(line as i64 * 1000);
        Flow {
            kind: FlowKind::Shuffle,
            src: Some(src),
            dest: Some(dest),
            start: Some(start),
            end: start.plus_millis((seconds(src, dest) * 1000.0) as i64),
            bytes: Some(bytes(src, dest)),
            block: None,
            attempt: None,
            reduce: None,
            place: Place { file: FileId(0), line: line as u64 },
        }
    });
    Trace {
        flows: Lanes::from_rows(flows),
        nodes: (0..n).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
        ..Trace::default()
    }
}

fn shuffle(trace: &Trace) -> Witness {
    let mut witnesses = Flows.run(trace, &Params::default());
    assert_eq!(witnesses.len(), 1, "one kind of flow, one witness");
    witnesses.remove(0)
}

#[test]
fn slow_end_is_named_with_its_ratio() {
    // All of node 2 takes 4 s, the rest 1 s: x differs by ln(4.05 / 1.05).
    let trace = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
    let witness = shuffle(&trace);
    assert_eq!(witness.indicted.len(), 1);
    let word = &witness.indicted[0];
    assert_eq!((word.node, word.strength), (NodeId(2), Strength::Strong));
    assert!((word.ratio - 4.05 / 1.05).abs() < 1e-9, "{}", word.ratio);
    assert!(word.p.unwrap() <= Numbers::default().get(Number::FlowsAlpha));
    // The first transfer of node 2 (to node 0) is the second of all.
    assert_eq!(word.since, Some(Timestamp::from_millis(1000)));
    assert_eq!(word.lines.len(), EVIDENCE_LINES);
}

#[test]
fn medians_over_all_sizes_are_not_told_beside_another_ratio() {
    let of_node = |a: u32, b: u32| a == 2 || b == 2;
    let is_large = |a: u32, b: u32| of_node(a, b) || (a + b).is_multiple_of(2) || a + b == 1;
    let seconds = |a, b| {
        if of_node(a, b) {
            40.0
        } else if is_large(a, b) {
            20.0
        } else {
            1.0
        }
    };
    let trace = cluster(7, seconds, |a, b| if is_large(a, b) { 1_000_000_000 } else { 1000 });
    let text = &shuffle(&trace).indicted[0].text;
    assert!(text.contains("h2 take 2.0 times as long") && text.ends_with("(24 transfers, 60 others)"), "{text}");
    let alike = cluster(5, |a, b| if of_node(a, b) { 4.0 } else { 1.0 }, |_, _| 1000);
    let text = &shuffle(&alike).indicted[0].text;
    assert!(text.ends_with("(medians over all sizes: 4 s for these 16, 1 s for 24 others)"), "{text}");
}

/// Few transfers that were slow by chance hide no node of which many are.
#[test]
fn node_is_asked_that_chance_explains_least() {
    let mut trace = cluster(6, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
    let is_of = |f: &Flow, node: u32| f.src == Some(node) || f.dest == Some(node);
    // Of node 5 three are left, with healthy nodes, that took long.
    let mut left = 0;
    let mut flows: Vec<Flow> = trace
        .flows
        .iter()
        .filter(|f| {
            left += usize::from(is_of(f, 5) && !is_of(f, 2));
            !is_of(f, 5) || (!is_of(f, 2) && left <= 3)
        })
        .collect();
    for f in flows.iter_mut().filter(|f| is_of(f, 5)) {
        f.end = f.start.unwrap().plus_millis(9000);
    }
    trace.flows = Lanes::from_rows(flows);
    let witness = shuffle(&trace);
    let ratio = |node: u32| witness.scores.iter().find(|(n, _)| *n == NodeId(node)).unwrap().1;
    assert!(ratio(5) > ratio(2), "the case: {:?}", witness.scores);
    let named: Vec<NodeId> = witness.indicted.iter().map(|word| word.node).collect();
    assert_eq!(named, [NodeId(2)]);
}

#[test]
fn fault_of_one_job_is_found_among_the_transfers_of_others() {
    // Three quarters of all are of a job that had no fault.
    let slow = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
    let well = cluster(5, |_, _| 1.0, |_, _| 1000);
    let of_job = |number: u32, flows: Vec<Flow>| {
        let attempt = AttemptId::parse(format!("attempt_202611201000_000{number}_r_000000_0").as_bytes());
        flows.into_iter().map(move |f| Flow { attempt, place: Place { line: f.place.line * 4, ..f.place }, ..f })
    };
    let mut rows: Vec<Flow> = of_job(2, slow.flows.iter().collect()).collect();
    (0..9).for_each(|_| rows.extend(of_job(1, well.flows.iter().collect())));
    let trace = Trace { flows: Lanes::from_rows(rows), ..slow };
    let witnesses = Flows.run(&trace, &Params::default());
    let [pooled, alone] = witnesses.as_slice() else { panic!("{} witnesses", witnesses.len()) };
    assert!(pooled.indicted.is_empty());
    assert_eq!(alone.scope, Scope::of_job(JobId { cluster: 202611201000, number: 2 }));
    assert_eq!(alone.indicted.iter().map(|word| word.node).collect::<Vec<_>>(), [NodeId(2)]);
    assert!(alone.indicted[0].p.unwrap() <= Numbers::default().get(Number::FlowsAlpha));
}

#[test]
fn fetches_that_are_held_up_date_back_to_the_long_maps_before_them() {
    let attempt = |kind: char, task: u32| {
        AttemptId::parse(format!("attempt_202611201000_0001_{kind}_{task:06}_0").as_bytes()).unwrap()
    };
    let map = |node: u32, of_node: u32, seconds: i64| {
        let start = -200_000 + i64::from(of_node) * 20_000;
        State {
            job: Some(attempt('m', 0).job),
            attempt: Some(attempt('m', node * 3 + of_node)),
            ..State::made(StateKind::Map, NodeId(node), (start, start + seconds * 1000), 1)
        }
    };
    let since = |of_node_2: [i64; 3]| {
        let slow = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
        let flows: Vec<Flow> = slow.flows.iter().map(|f| Flow { attempt: Some(attempt('r', 0)), ..f }).collect();
        let maps = (0..5).flat_map(|node| (0..3).map(move |i| (node, i)));
        let states = maps.map(|(node, i)| map(node, i, if node == 2 { of_node_2[i as usize] } else { 10 }));
        let trace = Trace { flows: Lanes::from_rows(flows), states: Lanes::from_rows(states), ..slow };
        shuffle(&trace).indicted[0].since.unwrap().millis()
    };
    assert_eq!(since([10, 16, 30]), -180_000, "the first that is longer than 1.5 times the peers' upper quartile");
    assert_eq!(since([10, 11, 30]), 1000, "one of three may be long by chance: the first slow fetch");
}

#[test]
fn each_of_two_slow_nodes_is_named_by_what_does_not_touch_the_other() {
    let is_slow = |node: u32| node == 2 || node == 5;
    // What node 1 does with them takes longest of all.
    let seconds = |a, b| match (is_slow(a) || is_slow(b), a == 1 || b == 1) {
        (true, true) => 400.0,
        (true, false) => 4.0,
        _ => 1.0,
    };
    let trace = cluster(8, seconds, |_, _| 1000);
    let witness = shuffle(&trace);
    let named: Vec<(NodeId, Strength)> = witness.indicted.iter().map(|word| (word.node, word.strength)).collect();
    assert_eq!(named, [(NodeId(2), Strength::Strong), (NodeId(5), Strength::Strong)]);
    // Six nodes are left besides the other: one takes 400 s, five 4 s.
    let ratio = exp((5.0 * ln(4.05 / 1.05) + ln(400.05 / 1.05)) / 6.0);
    for word in &witness.indicted {
        assert!((word.ratio - ratio).abs() < 1e-9, "{}", word.ratio);
        assert!(word.p.unwrap() <= Numbers::default().get(Number::FlowsAlpha));
        let score = witness.scores.iter().find(|(node, _)| *node == word.node).unwrap().1;
        assert_eq!(score.to_bits(), word.score.to_bits(), "a report is checked by it");
    }
}

#[test]
fn job_with_a_fault_is_asked_where_all_jobs_together_say_little() {
    let slow = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
    let well = cluster(5, |_, _| 1.0, |_, _| 1000);
    let of_job = |number: u32, trace: &Trace| {
        let attempt = AttemptId::parse(format!("attempt_202611201000_000{number}_r_000000_0").as_bytes());
        trace.flows.iter().map(|f| Flow { attempt, ..f }).collect::<Vec<Flow>>()
    };
    let rows = [of_job(1, &well), of_job(2, &slow)].concat();
    let witnesses = Flows.run(&Trace { flows: Lanes::from_rows(rows), ..slow }, &Params::default());
    let said: Vec<_> =
        witnesses.iter().map(|w| (w.scope.is_all(), w.indicted[0].node, w.indicted[0].strength)).collect();
    assert_eq!(said, [(true, NodeId(2), Strength::Moderate), (false, NodeId(2), Strength::Strong)]);
}

#[test]
fn fault_begins_in_a_job_that_shows_it() {
    let made = |number: u32, begin_s: i64, seconds: &dyn Fn(u64, u32, u32) -> i64| {
        let attempt = AttemptId::parse(format!("attempt_202611201000_000{number}_r_000000_0").as_bytes());
        let flow = |f: Flow| {
            let start = f.start.unwrap().plus_millis(begin_s * 1000);
            let took = seconds(f.place.line, f.src.unwrap(), f.dest.unwrap());
            let line = f.place.line + u64::from(number) * 100;
            let place = Place { line, ..f.place };
            Flow { attempt, start: Some(start), end: start.plus_millis(took * 1000), place, ..f }
        };
        cluster(5, |_, _| 1.0, |_, _| 1000).flows.iter().map(flow).collect::<Vec<Flow>>()
    };
    let touches = |a: u32, b: u32| a == 2 || b == 2;
    let since = |slow_before: &[u64]| {
        let before = made(1, 0, &|line, _, _| if slow_before.contains(&line) { 20 } else { 1 });
        let then = made(2, 100, &|_, a, b| if touches(a, b) { 20 } else { 1 });
        let rows = [before, then].concat();
        let witnesses =
            Flows.run(&Trace { flows: Lanes::from_rows(rows), ..cluster(5, |_, _| 1.0, |_, _| 1) }, &Params::default());
        let word = &witnesses[0].indicted[0];
        assert_eq!((word.node, word.strength, witnesses[0].scope.is_all()), (NodeId(2), Strength::Strong, true));
        word.since.unwrap().millis()
    };
    assert_eq!(since(&[]), 101_000);
    assert_eq!(since(&[38]), 101_000, "one slow transfer at the end of the job before is chance");
    assert_eq!(since(&[31, 32, 35, 38]), 31_000, "all of the last round are none");
    assert_eq!(
        since(&[24, 29, 32, 33, 34, 35, 38, 39]),
        101_000,
        "node 3 is slower there, by what does not touch node 2"
    );
}

#[test]
fn files_of_a_job_are_slow_only_beside_what_its_tasks_move() {
    let touches = |a: u32, b: u32| a == 2 || b == 2;
    let tasks = cluster(5, |a, b| if touches(a, b) { 20.0 } else { 1.0 }, |_, _| 1_000_000);
    let attempt = AttemptId::parse(b"attempt_202611201000_0001_r_000000_0");
    let of_tasks = |f: Flow| {
        let [start, end] = [f.start.unwrap(), f.end].map(|at| at.plus_millis(100_000));
        Flow { attempt, start: Some(start), end, ..f }
    };
    let since = |seconds: f64| {
        // Small ones of no attempt, of which one has an end on node 2.
        let files = cluster(4, |a, b| if (a, b) == (2, 1) { seconds } else { 0.03 }, |_, _| 1000);
        let one_of_each = files.flows.iter().filter(|f| f.place.line < 5);
        let rows = one_of_each.chain(tasks.flows.iter().map(of_tasks));
        let trace = Trace { flows: Lanes::from_rows(rows.collect::<Vec<_>>()), ..cluster(5, |_, _| 1.0, |_, _| 1) };
        let word = &Flows.run(&trace, &Params::default())[0].indicted[0];
        assert_eq!(word.node, NodeId(2));
        word.since.unwrap().millis() / 1000
    };
    assert_eq!(since(0.8), 101, "long for its size, but what tasks move takes a second");
    assert_eq!(since(20.0), 2);
}

#[test]
fn slow_tail_makes_a_word_strong() {
    // Of the transfers that touch node 2 each fourth (those with node 4) waits 20 s, the
    // rest takes 1.5 s: mean ratio below 3, tail ratio 20.05 / 1.05.
    let slow = |a: u32, b: u32| match (a, b) {
        (4, 2) | (2, 4) => 20.0,
        (2, _) | (_, 2) => 1.5,
        _ => 1.0,
    };
    let word = shuffle(&cluster(5, slow, |_, _| 1000)).indicted.remove(0);
    assert!(word.ratio < STRONG_RATIO, "{}", word.ratio);
    assert_eq!((word.node, word.strength), (NodeId(2), Strength::Strong));
    assert!(word.text.contains("the slowest tenth 19.1 times"), "{}", word.text);
}

#[test]
fn slowness_below_the_ratio_is_no_word() {
    let trace = cluster(5, |a, b| if a == 2 || b == 2 { 1.5 } else { 1.0 }, |_, _| 1000);
    let witness = shuffle(&trace);
    let (node, score) = witness.scores[2];
    assert_eq!(node, NodeId(2));
    assert!((score - 1.55 / 1.05).abs() < 1e-9 && witness.indicted.is_empty(), "{score}");
}

#[test]
fn equal_transfers_accuse_nobody() {
    let witness = shuffle(&cluster(5, |_, _| 1.0, |_, _| 1000));
    assert!(witness.indicted.is_empty() && witness.abstained.is_none());
    assert!(witness.scores.iter().all(|(_, score)| (*score - 1.0).abs() < 1e-12));
}

#[test]
fn larger_transfers_may_take_longer() {
    // Node 2 moves 64 times as much in 8 times the time, as a skewed task's does.
    let touches = |a, b| a == 2 || b == 2;
    let trace =
        cluster(5, |a, b| if touches(a, b) { 8.0 } else { 1.0 }, |a, b| if touches(a, b) { 64_000 } else { 1000 });
    assert!(shuffle(&trace).indicted.is_empty());
}

#[test]
fn pipeline_counts_once_and_for_all_its_nodes() {
    let mut trace = cluster(5, |_, _| 1.0, |_, _| 1000);
    trace.flows = Lanes::from_rows(trace.flows.iter().map(|flow| {
        let block = Some(BlockId(flow.place.line as i64 / 2));
        Flow { kind: FlowKind::Write, block, ..flow }
    }));
    let transfers = Transfers::collect(&trace, FlowKind::Write).unwrap();
    assert_eq!(transfers.rows.len(), trace.flows.len() / 2);
    // Pairs (1,0) and (2,0) touch three nodes; each log says 1 s, whatever the other's clock shows.
    let first = &transfers.rows[0];
    assert_eq!((first.nodes.as_slice(), first.seconds), ([0, 1, 2].as_slice(), 1.0));
}

#[test]
fn blocks_that_are_kept_open_by_others_than_attempts_are_left_out() {
    let attempt = AttemptId::parse_prefix(b"attempt_1_0001_r_000000_0").map(|(attempt, _)| attempt);
    // Of twenty blocks of 1000 bytes those of the first lines name an attempt, in one stage of each.
    let written_where = |untold: bool, named: u64, seconds: f64| {
        let mut trace = cluster(5, |_, _| seconds, |_, _| 1000);
        trace.clients_untold = untold.then_some(FileId(0)).into_iter().gathered();
        trace.flows = Lanes::from_rows(trace.flows.iter().map(|flow| {
            let line = flow.place.line;
            let block = Some(BlockId(line as i64 / 2));
            let attempt = attempt.filter(|_| line < named && line.is_multiple_of(2));
            Flow { kind: FlowKind::Write, block, attempt, ..flow }
        }));
        Transfers::collect(&trace, FlowKind::Write).unwrap().rows.len()
    };
    let written = |named, seconds| written_where(false, named, seconds);
    assert_eq!((written(0, 20.0), written(8, 20.0), written(40, 20.0)), (0, 4, 20));
    assert_eq!(written(8, 1.0), 20, "whoever writes them is done soon");
    assert_eq!(written_where(true, 8, 20.0), 20, "an attempt may write them");
}

#[test]
fn abstains_and_says_why() {
    let two = shuffle(&cluster(2, |_, _| 1.0, |_, _| 1000));
    assert_eq!(two.abstained, Some(Abstention::NoPeers));
    let mut few = cluster(5, |_, _| 1.0, |_, _| 1000);
    few.flows = Lanes::from_rows(few.flows.iter().take(3));
    assert_eq!(shuffle(&few).abstained, Some(Abstention::TooFewData));
    let mut endless = cluster(5, |_, _| 1.0, |_, _| 1000);
    endless.flows = Lanes::from_rows(endless.flows.iter().map(|f| Flow { start: None, ..f }));
    assert_eq!(shuffle(&endless).abstained, Some(Abstention::NotLogged));
    assert!(Flows.run(&Trace::default(), &Params::default()).is_empty());
}

/// The first stage is the longest, and often of nodes that are well.
#[test]
fn lines_of_slow_pipelines_are_of_the_stages_that_the_node_has_part_in() {
    let (block, place) = (|n| Some(BlockId(n)), |line| Place { file: FileId(0), line });
    let stage = |of: i64, src: u32, dest: u32, line: u64| Flow {
        src: Some(src),
        dest: Some(dest),
        block: block(of),
        ..Flow::of(FlowKind::Write, Timestamp::from_millis(9_000), place(line))
    };
    let flows = vec![
        stage(1, 0, 1, 10),
        stage(1, 1, 2, 11),
        stage(1, 2, 3, 12),
        stage(2, 0, 1, 20),
        stage(2, 2, 3, 21),
        stage(3, 0, 1, 30),
    ];
    let trace = Trace { flows: Lanes::from_rows(flows), ..Trace::default() };
    let mut lines = [10, 20, 30].map(place);
    quote_stages_of(&trace, NodeId(2), &mut lines);
    assert_eq!(lines, [11, 21, 30].map(place), "its own log, what it sent, what another has it in");
}

/// Which nodes of twelve are named, of which three are slow, with so much of a budget.
fn named_within(budget: usize, asked: usize) -> Vec<usize> {
    let slow = |node: u32| [2, 5, 8].contains(&node);
    // From 1 to 1.4 s, alike on all nodes.
    let usual = |a: u32, b: u32| 1.0 + f64::from((a * 7 + b * 5) % 5) / 10.0;
    let trace = cluster(12, |a, b| if slow(a) || slow(b) { 5.0 * usual(a, b) } else { usual(a, b) }, |_, _| 1000);
    let rows = Transfers::collect(&trace, FlowKind::Shuffle).unwrap().rows;
    assert_eq!(rows.len(), 264);
    let limits = Limits { least: 3, ratio: 1.5, alpha: 0.001, asked, budget };
    named(FlowKind::Shuffle, 12, &rows, limits).into_iter().map(|named| named.node).collect()
}

/// The third question needs 3000 permutations at the least, however many transfers there are.
#[test]
fn a_third_slow_node_is_named_by_fewer_transfers_where_all_would_take_too_long() {
    assert_eq!(named_within(3000 * 264, 1), [2, 5, 8]);
    assert_eq!(named_within(2000 * 264, 1), [2, 5, 8], "what is left after two are set aside fits");
    assert_eq!(named_within(1500 * 144, 1), [2, 5, 8], "too little for all transfers of any question");
    assert_eq!(named_within(1000, 1), [] as [usize; 0], "one transfer tells nothing");
}

#[test]
fn parts_are_asked_by_fewer_transfers_where_all_would_take_too_long() {
    assert_eq!(
        named_within(10_000 * 264, 10),
        [2, 5, 8],
        "20,000 permutations for the second node, 30,000 for the third"
    );
}

/// So small a chance takes more permutations than are usual.
#[test]
fn smaller_chances_are_told_by_more_permutations() {
    let trace = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
    let of = |alpha: f64| {
        let numbers = Numbers::with(&[crate::diagnosis::numbers::Setting::new("flows_alpha", alpha).unwrap()]);
        let witness = Flows.run(&trace, &Params { numbers, ..Params::default() }).remove(0);
        witness.indicted.iter().map(|word| word.p.unwrap() <= alpha).collect::<Vec<_>>()
    };
    assert_eq!((of(0.0004), of(0.0)), (vec![true], vec![]));
}
