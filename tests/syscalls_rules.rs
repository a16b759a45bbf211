//! Each rule of the two algorithms on traces made by hand: one that trips it, one that just
//! misses it, one that ties.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod traced;

use oddnode::base::NodeId;
use oddnode::diagnosis::syscalls::peers::End;
use oddnode::diagnosis::syscalls::readiness::connections;
use oddnode::diagnosis::syscalls::semantic::{HIGHEST, meeting_point};
use oddnode::diagnosis::syscalls::usage::CONNECTED;
use oddnode::diagnosis::syscalls::{
    Bands, Examination, Hog, Opinion, Switches, SyscallSemantic, SyscallStatistical, examine, semantic, statistical,
};
use oddnode::diagnosis::verdict::{Finding, Reason, decide};
use oddnode::diagnosis::{Abstention, Baseline, Diagnosis, Method, Params, Signal, Strength};
use oddnode::model::Trace;
use oddnode::pipeline::{Ingest, analyse};
use oddnode::source::Limits;
use std::collections::BTreeMap;
use std::sync::Arc;
use traced::{call, cluster, connect};

const LITERAL: Switches = Switches { literal: true, peer_only: false };
const DEFAULT: Switches = Switches { literal: false, peer_only: false };

/// Calls of a node that differ only in how long they take, microseconds.
#[derive(Clone, Copy)]
struct Spends {
    stat: u64,
    access: u64,
    connect: u64,
    accept: u64,
    /// Calls of bind that take 100 s, where no other takes as long.
    slow_binds: u64,
}

const HEALTHY: Spends = Spends { stat: 1000, access: 500, connect: 800, accept: 10_000, slow_binds: 0 };

/// Ten calls of each, one a second.
fn node(number: usize, s: Spends) -> Vec<String> {
    let mut lines = Vec::new();
    for i in 0..10 {
        let at = i * 1_000_000;
        let to = (number + 1 + i as usize % 3) % 4;
        lines.push(call(7, at, "newfstatat(AT_FDCWD, \"/d/current\", {st_mode=S_IFDIR|0755, ...}, 0) = 0", s.stat));
        lines.push(call(7, at + 200_000, "access(\"/d\", R_OK) = 0", s.access));
        lines.push(call(7, at + 400_000, &connect(9, to, "0"), s.connect));
        lines.push(call(8, at + 500_000, "accept(4, {sa_family=AF_INET, sin_port=htons(40000)}, [16]) = 5", s.accept));
        let bind = if i < s.slow_binds { 100_000_000 } else { 10 };
        lines.push(call(9, at + 600_000, "bind(6, {sa_family=AF_INET}, 16) = 0", bind));
    }
    // All traces are of one length.
    lines.push(call(8, 20_000_000, "execve(\"/bin/df\", [\"df\"], 0x7f) = 0", 1000));
    lines
}

fn four(spends: [Spends; 4]) -> Trace {
    cluster(&spends.iter().enumerate().map(|(i, s)| node(i, *s)).collect::<Vec<_>>())
}

fn control() -> Trace {
    four([HEALTHY; 4])
}

fn examined(trace: &Trace, switches: Switches, controls: &[&Trace]) -> Examination {
    let params = Params { syscalls: switches, ..Params::default() };
    examine(trace, &params, Some(&Bands::learn_by(controls, switches))).unwrap()
}

fn statistical_of(spends: [Spends; 4], switches: Switches) -> Opinion {
    let trace = four(spends);
    statistical::diagnose(&trace, &examined(&trace, switches, &[&control()]))
}

fn found(opinion: &Opinion) -> Option<(Hog, Vec<u32>)> {
    opinion.found.as_ref().and_then(|(hog, set)| Some(((*hog)?, set.iter().map(|n| n.0).collect())))
}

/// The set of which no hog is known.
fn possibly_faulty(opinion: &Opinion) -> Option<Vec<u32>> {
    opinion.found.as_ref().filter(|(hog, _)| hog.is_none()).map(|(_, set)| set.iter().map(|n| n.0).collect())
}

/// What both readings find with the last node spending so.
fn last(spends: Spends) -> [Option<(Hog, Vec<u32>)>; 2] {
    [DEFAULT, LITERAL].map(|switches| found(&statistical_of([HEALTHY, HEALTHY, HEALTHY, spends], switches)))
}

#[test]
fn disk_hog_needs_stat_and_access_out_of_their_bands() {
    let hog = Some((Hog::Disk, vec![3]));
    assert_eq!(last(Spends { stat: 2000, access: 501, ..HEALTHY }), [hog.clone(), hog]);
    // Access as in the control run.
    assert_eq!(last(Spends { stat: 2000, ..HEALTHY }), [None, None]);
    // Stat as in it.
    assert_eq!(last(Spends { access: 2000, ..HEALTHY }), [None, None]);
}

/// A look-up by descriptor is quick, and many of them hide how long the others take (C02).
#[test]
fn look_ups_are_by_path() {
    let of = |stat: u64, descriptors: u64| {
        let mut lines = node(3, Spends { stat, access: 900, ..HEALTHY });
        let by = "newfstatat(27, \"\", {st_mode=S_IFREG|0644, ...}, AT_EMPTY_PATH) = 0";
        lines.extend((0..descriptors).map(|i| call(9, 11_000_000 + i, by, 2)));
        let trace = cluster(&[node(0, HEALTHY), node(1, HEALTHY), node(2, HEALTHY), lines]);
        found(&statistical::diagnose(&trace, &examined(&trace, DEFAULT, &[&control()])))
    };
    assert_eq!([of(2000, 0), of(2000, 90)], [(); 2].map(|()| Some((Hog::Disk, vec![3]))));
    assert_eq!(of(1000, 90), None);
}

/// What control runs were not traced for, they say nothing of (C06).
#[test]
fn call_that_control_runs_lack_is_in_no_band() {
    let without_stat = |number| {
        let mut lines = node(number, HEALTHY);
        lines.retain(|line| !line.contains("newfstatat"));
        lines
    };
    let control = cluster(&[0, 1, 2, 3].map(without_stat));
    let trace = four([HEALTHY, HEALTHY, HEALTHY, Spends { stat: 2000, access: 900, ..HEALTHY }]);
    for switches in [DEFAULT, LITERAL] {
        let opinion = statistical::diagnose(&trace, &examined(&trace, switches, &[&control]));
        assert_eq!(found(&opinion), None, "{:?}", opinion.path);
        assert!(opinion.path.iter().any(|step| step == "Disk: control runs have no stat."), "{:?}", opinion.path);
        // Nor is the second half of the rule met by a call that they lack, or anybody suspected for one.
        let without = |calls: [&str; 2]| {
            let lines = |number| {
                let mut lines = node(number, HEALTHY);
                lines.retain(|line| !calls.iter().any(|call| line.contains(&format!(" {call}("))));
                lines
            };
            cluster(&[0, 1, 2, 3].map(lines))
        };
        let control = without(["access", "accept"]);
        let opinion = statistical::diagnose(&trace, &examined(&trace, switches, &[&control]));
        assert_eq!((found(&opinion), possibly_faulty(&opinion)), (None, None), "{:?}", opinion.path);
    }
}

/// Slow accepts meet in a node and tell of no hog: nothing is diagnosed (C14).
#[test]
fn accepts_alone_name_nobody_to_the_letter() {
    let of = |took_us: u64, stat: u64| {
        let with_accepts = |number: usize| {
            let mut lines = node(number, Spends { stat: if number == 3 { stat } else { 1000 }, ..HEALTHY });
            if number == 3 {
                for from in [1, 2] {
                    let text = format!(
                        "accept(4, {{sa_family=AF_INET, sin_port=htons(40000), sin_addr=inet_addr(\"10.0.0.{from}\")}}, [16]) = 5"
                    );
                    lines.push(call(8, 15_000_000 + from * 1000, &text, took_us));
                }
            }
            lines
        };
        cluster(&[0, 1, 2, 3].map(with_accepts))
    };
    let (control, slow) = (of(10_000, 1000), of(20_000, 1000));
    let e = examined(&slow, LITERAL, &[&control]);
    assert_eq!(meeting_point(e.spikes.pairs.values().next().unwrap(), HIGHEST), Some(End::Node(NodeId(3))), "the case");
    let opinion = semantic::diagnose(&slow, &e);
    assert_eq!(opinion.found, None);
    let why = "The highest scores meet in n4, and none of its calls tells of a hog.";
    assert!(opinion.path.iter().any(|step| step == why), "{:?}", opinion.path);
    let with_stats = of(20_000, 2000);
    let opinion = semantic::diagnose(&with_stats, &examined(&with_stats, LITERAL, &[&control]));
    assert_eq!(found(&opinion), Some((Hog::Disk, vec![3])));
}

#[test]
fn node_with_most_must_lie_a_quarter_above_all_others() {
    let disk = |stat| last(Spends { stat, access: 900, ..HEALTHY }).map(|f| f.is_some());
    assert_eq!(disk(1251), [true, true]);
    assert_eq!(disk(1250), [false, false], "a quarter is not more than a quarter");
    let network = |connect| last(Spends { connect, ..HEALTHY }).map(|f| f.is_some());
    assert_eq!(network(1001), [true, true]);
    assert_eq!(network(1000), [false, false]);
    // Another node near it.
    let near = |stat| {
        let own = Spends { stat: 2000, access: 900, ..HEALTHY };
        found(&statistical_of([HEALTHY, Spends { stat, ..HEALTHY }, HEALTHY, own], DEFAULT)).is_some()
    };
    assert_eq!([near(1599), near(1600), near(2000)], [true, false, false]);
}

#[test]
fn disk_is_asked_before_the_network() {
    let both = Spends { stat: 2000, access: 900, connect: 9000, ..HEALTHY };
    let hog = Some((Hog::Disk, vec![3]));
    assert_eq!(last(both), [hog.clone(), hog]);
    let network = Some((Hog::Network, vec![3]));
    assert_eq!(last(Spends { connect: 9000, ..HEALTHY }), [network.clone(), network]);
}

#[test]
fn less_than_the_band_is_out_of_it_to_the_letter_only() {
    let trace = four([HEALTHY; 4]);
    let slow = Spends { stat: 9000, access: 5000, connect: 9000, ..HEALTHY };
    // The control run was slow; now three nodes are faster still than the fourth.
    let fast = Spends { stat: 500, access: 100, ..HEALTHY };
    let faster = four([fast, fast, fast, Spends { stat: 1000, access: 400, ..HEALTHY }]);
    let slower = four([slow; 4]);
    let of = |switches, trace: &Trace| found(&statistical::diagnose(trace, &examined(trace, switches, &[&slower])));
    assert_eq!([of(DEFAULT, &faster), of(DEFAULT, &trace)], [None, None]);
    assert_eq!(of(LITERAL, &faster), Some((Hog::Disk, vec![3])));
}

#[test]
fn excess_in_buckets_marks_a_node_half_above_all_others() {
    let disk = Spends { stat: 2000, access: 900, ..HEALTHY };
    let binds = |a, b| {
        let slow = |slow_binds| Spends { slow_binds, ..HEALTHY };
        found(&statistical_of([slow(a), slow(b), HEALTHY, disk], LITERAL)).map(|(_, set)| set)
    };
    // A slow bind is missing in one bucket and too much in another: twice its number.
    assert_eq!(binds(4, 2), Some(vec![3, 0]));
    assert_eq!(binds(3, 2), Some(vec![3]), "exactly half above is not more");
    assert_eq!(binds(0, 0), Some(vec![3]));
}

#[test]
fn accept_out_of_its_band_marks_unless_the_network_is_hogged() {
    let slow_accept = Spends { accept: 500_000, ..HEALTHY };
    let set = |hogged: Spends, switches| found(&statistical_of([slow_accept, HEALTHY, HEALTHY, hogged], switches));
    let disk = Spends { stat: 2000, access: 900, ..HEALTHY };
    let network = Spends { connect: 9000, ..HEALTHY };
    for switches in [DEFAULT, LITERAL] {
        assert_eq!(set(disk, switches), Some((Hog::Disk, vec![3, 0])));
        assert_eq!(set(network, switches), Some((Hog::Network, vec![3])));
    }
}

#[test]
fn possibly_faulty_nodes_are_a_set_of_their_own_to_the_letter() {
    let of = |second: Spends, switches| statistical_of([HEALTHY, second, HEALTHY, HEALTHY], switches);
    for odd in [Spends { accept: 500_000, ..HEALTHY }, Spends { slow_binds: 4, ..HEALTHY }] {
        assert_eq!(possibly_faulty(&of(odd, LITERAL)), Some(vec![1]));
        assert_eq!(of(odd, DEFAULT).found, None);
    }
    assert_eq!(of(HEALTHY, LITERAL).found, None);
    // A set without a cause is said of calls, and accuses moderately.
    let baseline = Baseline { calls: Some(Bands::learn_by(&[&control()], LITERAL)), ..Baseline::default() };
    let params = Params { syscalls: LITERAL, baseline: Some(Arc::new(baseline)), ..Params::default() };
    let odd = four([HEALTHY, Spends { accept: 500_000, ..HEALTHY }, HEALTHY, HEALTHY]);
    let [witness] = SyscallStatistical.run(&odd, &params).try_into().unwrap();
    let words: Vec<_> = witness.indicted.iter().map(|i| (i.node.0, i.strength)).collect();
    assert_eq!((witness.signal, words), (Signal::Calls, vec![(1, Strength::Moderate)]));
}

/// The paper stores the time of each unique call for each node.
#[test]
fn bands_to_the_letter_are_of_each_nodes_own_calls() {
    let traces = |of: &dyn Fn(usize) -> Vec<(&'static str, u64)>| {
        let lines = |node| {
            let calls = of(node).into_iter().flat_map(|call| std::iter::repeat_n(call, 5));
            (0..)
                .zip(calls)
                .map(|(i, (path, took))| call(7, i * 500_000, &format!("access({path}, F_OK) = 0"), took))
                .collect()
        };
        cluster(&(0..4).map(lines).collect::<Vec<Vec<String>>>())
    };
    let named = |control: &Trace, test: &Trace, switches| {
        found(&semantic::diagnose(test, &examined(test, switches, &[control])))
    };
    let disk = Some((Hog::Disk, vec![1]));
    // Between the times of another node, and not of its own.
    let usual = |node| if node == 3 { 100_000 } else { 100 };
    let control = traces(&|node| vec![("\"/p\"", usual(node))]);
    let test = traces(&|node| vec![("\"/p\"", if node == 1 { 80_000 } else { usual(node) })]);
    assert_eq!(named(&control, &test, LITERAL), disk);
    assert_eq!(named(&control, &test, DEFAULT), None, "one band of all nodes");
    assert_eq!(named(&control, &control, LITERAL), None);
    // Between the times of another call, whose arguments differ in a number.
    let control = traces(&|_| vec![("\"/disk100/x\"", 100), ("\"/disk200/x\"", 100_000)]);
    let slow = |node| if node == 1 { 80_000 } else { 100 };
    let test = traces(&|node| vec![("\"/disk100/x\"", slow(node)), ("\"/disk200/x\"", 100_000)]);
    assert_eq!(named(&control, &test, LITERAL), disk);
    // A baseline that was not learned so cannot tell.
    let params = Params { syscalls: LITERAL, ..bands(&[&control]) };
    let [witness] = SyscallSemantic.run(&test, &params).try_into().unwrap();
    assert_eq!(witness.abstained, Some(Abstention::NoBaseline));
}

#[test]
fn calls_slower_than_in_control_runs_on_most_nodes_are_correlated() {
    let slow = Spends { stat: 500_000, access: 500_000, ..HEALTHY };
    let of = |spends| {
        let params = bands(&[&control()]);
        let trace = four(spends);
        let said = [SyscallStatistical.run(&trace, &params), SyscallSemantic.run(&trace, &params)].concat();
        decide(&trace, &said, &Params::default()).finding
    };
    let correlated = Finding::None(Reason::Correlated);
    assert_eq!(of([slow; 4]), correlated);
    assert_eq!(of([slow, slow, slow, HEALTHY]), correlated);
    assert_ne!(of([slow, slow, HEALTHY, HEALTHY]), correlated);
    assert_ne!(of([HEALTHY; 4]), correlated);
    // Twice is not more than twice.
    assert_ne!(of([Spends { stat: 2000, access: 1000, ..HEALTHY }; 4]), correlated);
}

#[test]
fn totals_are_compared_as_means_by_default() {
    let mut long = node(3, HEALTHY);
    let again: Vec<String> = (10..40)
        .flat_map(|i| {
            let at = i * 300_000;
            [
                call(11, at, "newfstatat(AT_FDCWD, \"/d/current\", {st_mode=S_IFDIR|0755, ...}, 0) = 0", 1000),
                call(11, at + 100_000, "access(\"/d\", R_OK) = 0", 500),
            ]
        })
        .collect();
    long.extend(again);
    let trace = cluster(&[node(0, HEALTHY), node(1, HEALTHY), node(2, HEALTHY), long]);
    let of = |switches| found(&statistical::diagnose(&trace, &examined(&trace, switches, &[&control()])));
    assert_eq!(of(DEFAULT), None, "four times as many calls, each as long as ever");
    assert_eq!(of(LITERAL).map(|(hog, set)| (hog, set[0])), Some((Hog::Disk, 3)));
}

#[test]
fn connection_lasts_until_a_wait_says_that_it_stands() {
    let begin = |fd| connect(fd, 1, "-1 EINPROGRESS (Operation now in progress)");
    let epoll = |fd| format!("epoll_wait(40, [{{events=EPOLLOUT, data={{u32={fd}, u64={fd}}}}}], 1024, 9000) = 1");
    let of = |lines: Vec<String>| {
        let trace = cluster(&[lines, vec![]]);
        let found = connections(&trace, NodeId(0));
        (found.known.iter().map(|c| c.took_us).collect::<Vec<_>>(), found.unknown)
    };
    let lines = vec![
        call(7, 0, &begin(47), 80),
        call(7, 100, "epoll_wait(40, [], 1024, 9000) = 0", 9_000_000),
        call(7, 9_000_200, &epoll(47), 300),
    ];
    assert_eq!(of(lines.clone()), (vec![9_000_500], 0));
    assert_eq!(of(lines[..2].to_vec()), (vec![], 1), "it never stood");
    // Asked after meanwhile.
    let asked = call(7, 100, &connect(47, 1, "-1 EALREADY (Operation already in progress)"), 20);
    assert_eq!(of(vec![lines[0].clone(), asked, lines[2].clone()]), (vec![9_000_500], 0));
    // Another descriptor, and readable only.
    assert_eq!(of(vec![lines[0].clone(), call(7, 200, &epoll(48), 1)]), (vec![], 1));
    assert_eq!(of(vec![lines[0].clone(), call(7, 200, "poll([{fd=47, events=POLLIN}], 1, 0) = 1", 1)]), (vec![], 1));
    // Another process waits for data under the same number, meanwhile.
    let reads = "poll([{fd=47, events=POLLIN|POLLERR}], 1, 1000) = 1 ([{fd=47, revents=POLLIN}])";
    let stands = call(7, 200, "poll([{fd=47, events=POLLOUT}], 1, 9000) = 1 ([{fd=47, revents=POLLOUT}])", 1_040_000);
    assert_eq!(of(vec![lines[0].clone(), call(8, 100, reads, 379_000), stands]), (vec![1_040_200], 0));
    // Another thread of the process waits; unless two threads connect the same number.
    assert_eq!(of(vec![lines[0].clone(), call(8, 200, &epoll(47), 100)]), (vec![300], 0));
    assert_eq!(of(vec![lines[0].clone(), call(9, 10, &begin(47), 80), call(8, 200, &epoll(47), 100)]), (vec![], 2));
    let own = vec![lines[0].clone(), call(9, 10, &begin(47), 80), call(9, 200, &epoll(47), 100)];
    assert_eq!(of(own), (vec![290], 1));
    // Blocking, refused, and to itself.
    assert_eq!(of(vec![call(7, 0, &connect(5, 1, "0"), 700)]), (vec![700], 0));
    let loopback = begin(47).replace("10.0.0.2", "127.0.0.1");
    assert_eq!(of(vec![call(7, 0, &loopback, 700)]), (vec![], 0));
}

#[test]
fn connections_without_traced_waits_tell_nothing() {
    let blind = |i: usize| {
        let begin = connect(9, (i + 1) % 4, "-1 EINPROGRESS (Operation now in progress)");
        vec![call(7, 0, &begin, 80 + i as u64 * 800), call(7, 10_000, "access(\"/d\", R_OK) = 0", 500)]
    };
    let trace = cluster(&[blind(0), blind(1), blind(2), blind(3)]);
    let e = examined(&trace, DEFAULT, &[&control()]);
    assert!(e.blind_to_network() && e.nodes.values().all(|n| n.of(CONNECTED).calls == 0));
    let opinion = statistical::diagnose(&trace, &e);
    assert_eq!(opinion.found, None);
    assert!(opinion.path.iter().any(|step| step.contains("cannot show")), "{:?}", opinion.path);
}

fn pairs(scores: &[(u32, u32, f64)]) -> BTreeMap<(End, End), f64> {
    let end = |n: u32| End::Node(NodeId(n));
    scores.iter().map(|(a, b, score)| ((end(*a), end(*b)), *score)).collect()
}

#[test]
fn highest_pairs_must_meet_in_one_node() {
    let of = |scores: &[(u32, u32, f64)]| meeting_point(&pairs(scores), HIGHEST);
    let node = |n| Some(End::Node(NodeId(n)));
    assert_eq!(of(&[(0, 1, 9.0), (1, 2, 5.0), (0, 2, 1.0)]), node(1));
    assert_eq!(of(&[(0, 1, 9.0), (2, 3, 5.0)]), None);
    // A tie for the second place that does not meet, and one that does.
    assert_eq!(of(&[(0, 1, 9.0), (1, 2, 5.0), (0, 3, 5.0)]), None);
    assert_eq!(of(&[(0, 1, 9.0), (1, 2, 5.0), (1, 3, 5.0)]), node(1));
    // As many as a node has others to be a pair with, or as have a score at all.
    let sums = [(0, 1, 9.0), (0, 2, 8.0), (1, 2, 7.0), (0, 3, 6.0), (1, 3, 5.0), (2, 3, 4.0)];
    assert_eq!((of(&sums), meeting_point(&pairs(&sums), 3)), (node(0), None));
    let above = [(0, 1, 9.0), (0, 2, 8.0), (0, 3, 7.0), (1, 2, 6.0)];
    assert_eq!(meeting_point(&pairs(&above), 3), node(0));
    assert_eq!(meeting_point(&pairs(&above[..2]), 3), node(0));
    assert_eq!(meeting_point(&pairs(&above[..1]), 3), None);
    // One pair alone has two ends.
    assert_eq!(of(&[(0, 1, 9.0), (1, 2, 0.0)]), None);
    assert_eq!(of(&[]), None);
}

/// n4 with so many connections of this length to each of two others, else healthy.
fn spiked(count: usize, took_us: u64) -> Trace {
    let mut lines = node(3, HEALTHY);
    for i in 0..count {
        lines.push(call(12, i as u64 * 700_000, &connect(9, i % 2, "0"), took_us));
    }
    cluster(&[node(0, HEALTHY), node(1, HEALTHY), node(2, HEALTHY), lines])
}

fn semantic_of(trace: &Trace, switches: Switches) -> Option<(Hog, Vec<u32>)> {
    found(&semantic::diagnose(trace, &examined(trace, switches, &[&control()])))
}

#[test]
fn spike_is_more_than_twice_the_longest_of_the_controls() {
    let hog = Some((Hog::Network, vec![3]));
    assert_eq!(semantic_of(&spiked(4, 1601), DEFAULT), hog);
    assert_eq!(semantic_of(&spiked(4, 1600), DEFAULT), None, "twice is not more than twice");
    // To the letter anything outside counts, also what is shorter.
    assert_eq!(semantic_of(&spiked(4, 801), LITERAL), hog);
    assert_eq!(semantic_of(&spiked(4, 799), LITERAL), hog);
    assert_eq!(semantic_of(&spiked(4, 800), LITERAL), None);
    let said = |took_us| {
        let trace = spiked(4, took_us);
        semantic::diagnose(&trace, &examined(&trace, LITERAL, &[&control()])).path.join(" ")
    };
    assert!(said(799).contains("were out of their bands") && !said(799).contains("longer than they"), "{}", said(799));
}

#[test]
fn few_spikes_and_rare_signatures_name_nobody() {
    assert_eq!(semantic_of(&spiked(3, 9000), DEFAULT), Some((Hog::Network, vec![3])));
    assert_eq!(semantic_of(&spiked(2, 9000), DEFAULT), None);
    // Control runs knew this look-up twice, or three times.
    let path = "access(\"/rare\", F_OK) = 0";
    let rare = |count: u64, took_us| {
        let lines = (0..count).map(|i| call(12, i * 10_000, path, took_us));
        let own: Vec<String> = node(3, HEALTHY).into_iter().chain(lines).collect();
        cluster(&[node(0, HEALTHY), node(1, HEALTHY), node(2, HEALTHY), own])
    };
    let slow = rare(9, 90_000);
    let of = |seen| found(&semantic::diagnose(&slow, &examined(&slow, DEFAULT, &[&rare(seen, 100)])));
    assert_eq!([of(2), of(3)], [None, Some((Hog::Disk, vec![3]))]);
}

#[test]
fn node_that_is_hardly_ahead_is_not_named() {
    let path = "access(\"/d\", R_OK) = 0";
    let slow = |number: usize, count: u64| {
        let lines = (0..count).map(|i| call(12, i * 100_000, path, 500_500));
        node(number, HEALTHY).into_iter().chain(lines).collect::<Vec<String>>()
    };
    let of = |a, b| semantic_of(&cluster(&[slow(0, b), node(1, HEALTHY), node(2, HEALTHY), slow(3, a)]), DEFAULT);
    assert_eq!(of(6, 4), Some((Hog::Disk, vec![3])), "half as much again");
    assert_eq!(of(5, 4), None);
}

/// What the others' connections say of a node counts for its cause, as it does for its pairs.
#[test]
fn cause_to_the_letter_is_what_most_spikes_at_either_end_say() {
    let to_the_last = |number: usize| {
        let late = [1, 2].map(|i| call(12, i * 900_000, &connect(9, 3, "0"), 90_000));
        node(number, HEALTHY).into_iter().chain(late).collect::<Vec<String>>()
    };
    let of = |look_ups: u64| {
        let slow = (0..look_ups).map(|i| call(12, i * 300_000, "access(\"/d\", R_OK) = 0", 90_000));
        let own = node(3, HEALTHY).into_iter().chain(slow).collect();
        semantic_of(&cluster(&[to_the_last(0), to_the_last(1), to_the_last(2), own]), LITERAL)
    };
    assert_eq!(of(1), Some((Hog::Network, vec![3])), "six connections to it against one look-up of its own");
    assert_eq!(of(7), Some((Hog::Disk, vec![3])));
}

fn bands(controls: &[&Trace]) -> Params {
    let baseline = Baseline { calls: Some(Bands::learn(controls)), ..Baseline::default() };
    Params { baseline: Some(Arc::new(baseline)), ..Params::default() }
}

#[test]
fn methods_abstain_with_their_reason() {
    let hogged = four([HEALTHY, HEALTHY, HEALTHY, Spends { connect: 900_000, ..HEALTHY }]);
    let said = |trace: &Trace, params: &Params| {
        [SyscallStatistical.run(trace, params), SyscallSemantic.run(trace, params)].map(|witnesses| {
            let [w] = witnesses.try_into().unwrap();
            (w.abstained, w.indicted.iter().map(|i| (i.node.0, i.strength)).collect::<Vec<_>>())
        })
    };
    let none = (Some(Abstention::NoBaseline), vec![]);
    assert_eq!(said(&hogged, &Params::default()), [none.clone(), none]);
    let indicts = (None, vec![(3, Strength::Moderate)]);
    assert_eq!(said(&hogged, &bands(&[&control()])), [indicts.clone(), indicts.clone()]);
    // The others as the band.
    let peer_only = Params { syscalls: Switches { peer_only: true, ..DEFAULT }, ..Params::default() };
    assert_eq!(said(&hogged, &peer_only)[0], indicts);
    // No spike is no score: 0, not the −0 of an empty sum.
    let [semantic] = SyscallSemantic.run(&control(), &bands(&[&control()])).try_into().unwrap();
    assert!(semantic.scores.len() == 4 && semantic.scores.iter().all(|(_, s)| s.to_bits() == 0), "{semantic:?}");
    // Two traced nodes; an untraced one is no peer.
    let two = cluster(&[node(0, HEALTHY), node(1, HEALTHY), vec![], vec![]]);
    assert_eq!(said(&two, &bands(&[&control()])).map(|s| s.0), [Some(Abstention::NoPeers); 2]);
    let three = cluster(&[node(0, HEALTHY), node(1, HEALTHY), node(2, HEALTHY), vec![]]);
    assert_eq!(examined(&three, DEFAULT, &[&control()]).nodes.len(), 3);
    // All as ever: the statistical one clears, the semantic one says nothing (C14).
    assert_eq!(said(&control(), &bands(&[&control()])), [(None, vec![]), (Some(Abstention::NoMajority), vec![])]);
    // Nothing traced, nothing said.
    let untraced = cluster(&[vec![], vec![], vec![]]);
    assert!(SyscallStatistical.run(&untraced, &Params::default()).is_empty());
}

/// Traces alone are compared among the nodes that were traced, and need control runs (C06).
#[test]
fn traces_alone_want_control_runs() {
    let of = |nodes: usize| {
        let mut ingest = Ingest::new(Limits::default());
        for number in 0..nodes {
            ingest.start(&format!("run/n{}/datanode.strace", number + 1));
            ingest.feed((node(number, HEALTHY).join("\n") + "\n").as_bytes());
        }
        analyse(&ingest.into_digest(), &Params::default()).report
    };
    let report = of(4);
    assert_eq!(report.verdict.reason.as_deref(), Some("no-baseline"));
    assert_eq!(report.nodes, ["n1", "n2", "n3", "n4"]);
    assert!(report.verdict.sentence.contains("Add such runs as control runs"), "{}", report.verdict.sentence);
    assert_eq!(of(2).verdict.reason.as_deref(), Some("no-peers"));
}

#[test]
fn evidence_leads_to_the_lines() {
    let hogged = four([HEALTHY, HEALTHY, HEALTHY, Spends { connect: 900_000, ..HEALTHY }]);
    let [witness] = SyscallStatistical.run(&hogged, &bands(&[&control()])).try_into().unwrap();
    assert_eq!((witness.method, witness.signal), (Method::SyscallStatistical, Signal::Hog(Hog::Network)));
    let indictment = &witness.indicted[0];
    assert_eq!(indictment.lines.len(), 5);
    assert!(indictment.lines.iter().all(|place| hogged.path(place.file) == "run/n4/datanode.strace"));
    assert!(indictment.text.contains("n4 waits 900 ms for a connection (its peers 800 µs)"), "{}", indictment.text);
}

#[test]
fn bands_widen_with_each_run_in_any_order() {
    let slow = four([HEALTHY, HEALTHY, HEALTHY, Spends { stat: 3000, ..HEALTHY }]);
    let (one, other) = (Bands::learn(&[&control()]), Bands::learn(&[&slow]));
    let both = Bands::learn(&[&control(), &slow]);
    let mut merged = other;
    merged.merge(&one);
    assert_eq!(merged, both);
    let mut updated = one;
    updated.update(&slow, DEFAULT);
    assert_eq!(updated, both);
    let band = both.of_all(false, "stat").unwrap();
    assert_eq!((band.mean_us.low, band.mean_us.high, band.total_us.high), (1000.0, 3000.0, 30_000.0));
    assert_eq!(both.of_node(false, "n1", "stat").unwrap().mean_us.high, 1000.0);
    assert_eq!(both.runs, 2);
    let bytes = postcard::to_stdvec(&both).unwrap();
    assert_eq!(postcard::from_bytes::<Bands>(&bytes).unwrap(), both);
    assert_eq!(serde_json::from_str::<Bands>(&serde_json::to_string(&both).unwrap()).unwrap(), both);
    assert_eq!(Bands::learn(&[&cluster(&[vec![]])]), Bands::default());
}

#[test]
fn sums_are_compared_with_sums_only() {
    let table = |stat: &str, access: &str| {
        format!(
            "% time     seconds  usecs/call     calls    errors syscall\n\
             ------ ----------- ----------- --------- --------- ----------------\n\
             \u{20}60.00    {stat}         100        10           newfstatat\n\
             \u{20}40.00    {access}         100        10         2 access\n\
             ------ ----------- ----------- --------- --------- ----------------\n\
             100.00    1.000000         100        20         2 total\n"
        )
    };
    let counted = |last: String| {
        let mut ingest = oddnode::pipeline::Ingest::new(oddnode::source::Limits::default());
        for node in ["h1", "h2", "h3", "h4"] {
            ingest.start(&format!("run/{node}/datanode.strace-c"));
            let text = if node == "h4" { last.clone() } else { table("0.001000", "0.001000") };
            ingest.feed(text.as_bytes());
        }
        oddnode::states::build(&ingest.into_digest(), None)
    };
    let healthy = counted(table("0.001000", "0.001000"));
    let hogged = counted(table("0.005000", "0.002000"));
    let e = examined(&hogged, DEFAULT, &[&healthy]);
    assert!(e.counted);
    assert_eq!(found(&statistical::diagnose(&hogged, &e)), Some((Hog::Disk, vec![3])));
    // No call is told by itself, which the semantic algorithm looks at.
    let [semantic] = SyscallSemantic.run(&hogged, &bands(&[&healthy])).try_into().unwrap();
    assert_eq!((semantic.abstained, semantic.scores), (Some(Abstention::NotLogged), vec![]));
    // Controls under strace -T do not fit.
    assert_eq!(examined(&hogged, DEFAULT, &[&control()]).abstained, Some(Abstention::NoBaseline));
}
