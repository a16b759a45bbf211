//! What the levels say of made clusters.

use super::*;
use crate::base::JobId;
use crate::diagnosis::Strength;
use crate::model::{Lanes, Metric, Node, Outcome, Samples, State, StateKind};

const SECONDS: i64 = 180;

/// A cluster of so many nodes, all at the same quiet work but where `value` says otherwise: of a
/// node in a second, what a metric is instead.
fn cluster(nodes: u32, value: impl Fn(u32, i64, Metric) -> Option<f64>) -> Trace {
    let mut rows = Vec::new();
    for node in 0..nodes {
        for second in 0..SECONDS {
            let usual = |metric: Metric| match metric {
                Metric::User => 20.0 + ((second * 7 + i64::from(node)) % 11) as f64,
                Metric::PagedOut => 500.0 + ((second * 3 + i64::from(node)) % 7) as f64,
                _ => 1.0,
            };
            let values = Metric::ALL.map(|metric| value(node, second, metric).unwrap_or_else(|| usual(metric)));
            rows.push(Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values });
        }
    }
    Trace {
        nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
        samples: Samples::from_rows(rows),
        ..Trace::default()
    }
}

fn said(trace: &Trace) -> Witness {
    witness(trace, &Params::default()).unwrap()
}

fn accused(witness: &Witness) -> Vec<(u32, Strength)> {
    witness.indicted.iter().map(|i| (i.node.0, i.strength)).collect()
}

fn writes_much(node: u32, second: i64, metric: Metric) -> Option<f64> {
    (node == 2 && second >= 90 && metric == Metric::PagedOut).then_some(9_000.0)
}

#[test]
fn until_when_it_was_so_is_told_where_a_window_more_was_measured() {
    let busy = |from: i64, to: i64| {
        move |node: u32, second: i64, metric: Metric| {
            writes_much(node, second + 90 - from, metric).filter(|_| second < to)
        }
    };
    let until = |from, to| said(&cluster(5, busy(from, to))).indicted.first().map(|word| word.until);
    assert_eq!(until(30, 110), Some(Some(Timestamp::from_millis(110_000))));
    assert_eq!(until(60, 150), Some(None), "half a minute tells nothing");
    assert_eq!(until(90, 180), Some(None));
}

#[test]
fn who_writes_more_than_every_peer_is_named_from_the_first_second() {
    let witness = said(&cluster(5, writes_much));
    assert_eq!(accused(&witness), [(2, Strength::Strong)]);
    let word = witness.indicted.first().unwrap();
    assert_eq!(word.since, Some(Timestamp::from_millis(90_000)));
    // 9,000 over 506 and 1,500.
    assert!((word.score - 4.49).abs() < 0.01, "{}", word.score);
    assert!(
        word.text.starts_with("h2 differs from its peers for 90 s: it writes to its disk at least "),
        "{}",
        word.text
    );
    let up = [Interval::new(Timestamp::from_millis(90_000), Timestamp::from_millis(180_000))];
    assert_eq!(witness.odd_times(NodeId(2)), up);
    assert_eq!(witness.odd_times(NodeId(1)), []);
    assert!(witness.scores.iter().all(|(node, score)| *node == NodeId(2) || *score < 1.0));
}

#[test]
fn begin_is_found_among_busy_peers_whom_it_is_above_by_little() {
    // From 60 s on node 2 writes 4,800 beside 3,000; from 90 s on the others are idle.
    let busy = |own: f64| {
        move |node: u32, second: i64, metric: Metric| match (metric, second) {
            (Metric::PagedOut, 60..90) => Some(if node == 2 { own } else { 3_000.0 }),
            _ => writes_much(node, second, metric),
        }
    };
    let since = |own| said(&cluster(5, busy(own))).indicted.first().and_then(|word| word.since);
    assert_eq!(since(4_800.0), Some(Timestamp::from_millis(62_000)), "six seconds at a time");
    assert_eq!(since(3_000.0), Some(Timestamp::from_millis(90_000)), "as the others do");
}

#[test]
fn who_was_given_more_to_do_is_not_accused_by_that_alone() {
    // Blocks for others come over the network.
    let with_network = |node, second, metric: Metric| {
        let receives = node == 2 && second >= 90 && metric == Metric::Received;
        if receives { Some(9e6) } else { writes_much(node, second, metric) }
    };
    assert_eq!(accused(&said(&cluster(5, with_network))), [(2, Strength::Moderate)]);
    // The others' tasks are done.
    let mut trace = cluster(5, writes_much);
    let task = State::made(StateKind::ReduceMergeCopy, NodeId(2), (80_000, 180_000), 1);
    trace.states = Lanes::from_rows(vec![task]);
    assert_eq!(accused(&said(&trace)), [(2, Strength::Moderate)]);
}

#[test]
fn who_works_alone_as_it_is_late_is_accused() {
    let busy = |node: u32, second: i64, metric: Metric| {
        let more = node == 2 && second >= 90;
        match metric {
            Metric::Received if more => Some(9e6),
            _ => writes_much(node, second, metric),
        }
    };
    let map = |node: u32, from_s: i64, to_s: i64, outcome: Outcome| State {
        job: Some(JobId { cluster: 1, number: 1 }),
        outcome: Some(outcome),
        ..State::made(StateKind::Map, NodeId(node), (from_s * 1000, to_s * 1000), from_s as u64)
    };
    let strength = |own: &[(i64, i64, Outcome)]| {
        let peers = [0, 1, 3, 4].map(|node| map(node, 80, 100, Outcome::Success));
        let own = own.iter().map(|(from, to, outcome)| map(2, *from, *to, *outcome));
        let mut trace = cluster(5, busy);
        trace.states = Lanes::from_rows(peers.into_iter().chain(own).collect::<Vec<_>>());
        accused(&said(&trace))
    };
    use Outcome::{Killed, Success};
    assert_eq!(strength(&[(85, 180, Killed), (86, 180, Killed)]), [(2, Strength::Strong)]);
    assert_eq!(strength(&[(85, 180, Killed)]), [(2, Strength::Moderate)], "one may have more to do");
    assert_eq!(strength(&[(85, 120, Killed), (86, 120, Killed)]), [(2, Strength::Moderate)], "not twice as long");
    let others = [(85, 180, Killed), (86, 180, Killed), (100, 120, Success)];
    assert_eq!(strength(&others), [(2, Strength::Moderate)], "others come through");
}

#[test]
fn what_passes_or_is_small_says_nothing() {
    let for_30_s = |node, second, metric: Metric| writes_much(node, second, metric).filter(|_| second < 120);
    assert_eq!(accused(&said(&cluster(5, for_30_s))), []);
    // Ten times as long in the queue of a machine that has nothing to do.
    let small = |node, _, metric: Metric| (metric == Metric::Iowait).then_some(if node == 2 { 5.0 } else { 0.5 });
    assert_eq!(accused(&said(&cluster(5, small))), []);
}

#[test]
fn hogs_among_many_do_not_hide_each_other() {
    let two = |node, second, metric: Metric| writes_much(if node == 7 { 2 } else { node }, second, metric);
    assert_eq!(accused(&said(&cluster(5, two))).len(), 1, "7 is none of five");
    let accused: Vec<u32> = accused(&said(&cluster(12, two))).into_iter().map(|(node, _)| node).collect();
    assert_eq!(accused, [2, 7]);
}

/// One in ten of hundreds is above what nine in ten reach in any minute.
#[test]
fn more_than_a_few_of_hundreds_hide_each_other() {
    let of = |hogs: u32| move |node: u32, second, metric| writes_much(if node < hogs { 2 } else { 9 }, second, metric);
    assert_eq!([5, 6].map(|hogs| accused(&said(&cluster(70, of(hogs)))).len()), [5, 0]);
}

/// What many ask for may lie on one of many nodes.
#[test]
fn of_many_nodes_one_that_waits_for_its_disk_and_writes_no_more_is_moderately_suspect() {
    let waits = |writes: f64| {
        move |node, second, metric| match metric {
            Metric::Iowait if node == 2 && second >= 90 => Some(40.0),
            Metric::BlocksWritten if node == 2 => Some(writes),
            _ => None,
        }
    };
    let strength = |nodes: u32, writes: f64| accused(&said(&cluster(nodes, waits(writes))));
    assert_eq!(strength(49, 1.0), [(2, Strength::Strong)]);
    assert_eq!(strength(50, 1.0), [(2, Strength::Moderate)]);
    assert_eq!(strength(50, 900.0), [(2, Strength::Strong)]);
    let reads = |node, second, metric| (node == 2 && second >= 90 && metric == Metric::PagedIn).then_some(9_000.0);
    assert_eq!(accused(&said(&cluster(50, reads))), [(2, Strength::Strong)], "it reads, whoever asked");
}

#[test]
fn nodes_without_samples_are_not_compared() {
    assert_eq!(witness(&Trace::default(), &Params::default()), None);
    assert_eq!(said(&cluster(2, writes_much)).abstained, Some(Abstention::NoPeers));
    let unmeasured = |_, _, _: Metric| Some(f64::NAN);
    assert_eq!(said(&cluster(5, unmeasured)).abstained, Some(Abstention::TooFewData));
}
