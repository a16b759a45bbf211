//! The gap rule: a few states beyond all that peers have.

use super::{FAST, JOB, attempt, cluster, indicted, state};
use oddnode::base::{JobId, NodeId, TaskLetter, Timestamp};
use oddnode::diagnosis::kahuna_wb::{self, KahunaWhiteBox};
use oddnode::diagnosis::{Diagnosis, Number, Numbers, Params, Scope, Strength};
use oddnode::model::{Outcome, State, StateKind, States, Trace};

/// Which nodes have a gap.
fn gaps(trace: &Trace, kind: StateKind) -> Vec<bool> {
    kahuna_wb::compare(trace, kind, &Params::default()).nodes.iter().map(|own| own.gap).collect()
}

#[test]
fn two_long_maps_among_many_are_seen_by_the_gap_rule() {
    let short: &[f64] = &[9.0, 12.0, 15.0, 11.0, 18.0, 10.0, 8.0];
    let trace = cluster(StateKind::Map, &[short, short, &[108.0, 109.0], short, short, short]);
    assert_eq!(gaps(&trace, StateKind::Map), [false, false, true, false, false, false]);
    // The gap rule is for kinds where a hang shows, and wants 2 s between the medians.
    let copy = cluster(StateKind::ReduceCopy, &[short, short, &[108.0, 109.0], short, short, short]);
    assert!(!gaps(&copy, StateKind::ReduceCopy).contains(&true));
    let brief: &[f64] = &[0.3, 0.4];
    let trace = cluster(StateKind::Map, &[brief, brief, &[1.5, 1.6], brief]);
    assert!(!gaps(&trace, StateKind::Map).contains(&true));
}

/// Beside a job of a minute's maps the maps of a short job last as long as that one's once jobs are evened out.
#[test]
fn seconds_of_a_gap_are_those_of_its_job() {
    let of_short_job = |peers: f64, own: f64| {
        let times = [60.0, 60.0, 60.0, peers, peers];
        let mut trace = cluster(StateKind::Map, &[&times, &times, &[own, own], &times, &times]);
        let is_short = |state: &State| state.node == Some(NodeId(2)) || state.millis() < Some(60_000);
        trace.states = States::from_rows(trace.states.iter().map(|state| {
            let number = if is_short(&state) { 2 } else { 1 };
            State { job: Some(JobId { number, ..JOB }), ..state }
        }));
        gaps(&trace, StateKind::Map)[2]
    };
    assert!(of_short_job(10.0, 25.0));
    assert!(of_short_job(1.0, 3.5));
    assert!(!of_short_job(1.0, 2.5), "a second and a half is no more of a short job than of a long one");
}

#[test]
fn four_maps_that_are_each_longer_than_any_of_a_peers_are_a_gap() {
    let peer: &[f64] = &[13.0, 17.0, 19.0, 21.3, 15.0, 18.0];
    let gap =
        |own: &[f64], peer: &[f64]| gaps(&cluster(StateKind::Map, &[peer, peer, own, peer, peer]), StateKind::Map)[2];
    assert!(gap(&[25.7, 28.0, 28.0, 30.5], peer), "a processor shared with one loop");
    assert!(!gap(&[21.0, 28.0, 28.0, 30.5], peer), "one map of a peer's took longer");
    assert!(!gap(&[28.0, 28.0, 30.5], peer), "of three, chance has more to say");
    assert!(!gap(&[22.0, 23.0, 23.0, 24.0], peer), "hardly slower");
    assert!(!gap(&[25.7, 28.0, 28.0, 30.5], &[17.0, 21.3, 18.0]), "it had more of them than its peers");
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
    beside(8, own, outcome)
}

/// The same beside the first so many of each peer's.
fn beside(count: usize, own: &[f64], outcome: Outcome) -> Trace {
    let [a, b, c, d] = EIGHT.each_ref().map(|maps| &maps[..count]);
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
    let last = "gap rule met: each of its last 2 took at least 30 s, and none of the 29 that its peers finished meanwhile more than 16 s";
    assert!(word.text.ends_with(last), "{}", word.text);
    assert_eq!(word.since, Some(Timestamp::from_millis(11_000)));

    let gap = |own: &[f64], outcome| gaps(&beside_eight(own, outcome), StateKind::Map)[2];
    assert!(!gap(&[12.0, 11.0, 23.0, 22.0], Outcome::Success), "not 1.5 times the longest");
    assert!(!gap(&[12.0, 11.0, 14.0, 30.0], Outcome::Success), "one alone");
    assert!(!gap(&own, Outcome::Killed), "of too few it is known how long they would have taken");
    let late = [12.0, 9.0, 14.0, 11.0, 13.0, 16.0, 31.0, 30.0];
    assert!(!gap(&late, Outcome::Success), "what its peers end then are too few for chance");
    // Of peers with five maps each seventeen end meanwhile.
    let then = |own: &[f64]| gaps(&beside(5, own, Outcome::Success), StateKind::Map)[2];
    assert!(!then(&[12.0, 11.0, 28.0, 27.0]) && then(&[12.0, 11.0, 31.0, 30.0]), "twice the longest is told sooner");
}

#[test]
fn last_maps_longer_than_all_that_peers_end_by_less_than_two_seconds_are_no_gap() {
    let whole = beside_eight(&[12.0, 11.0, 31.0, 30.0], Outcome::Success);
    let tenth = |at: Timestamp| Timestamp::from_millis(at.millis() / 10);
    let short = |state: State| State { start: state.start.map(tenth), end: tenth(state.end), ..state };
    let brief = Trace { states: States::from_rows(whole.states.iter().map(short)), ..whole.clone() };
    assert_eq!(gaps(&whole, StateKind::Map), [false, false, true, false, false]);
    assert_eq!(gaps(&brief, StateKind::Map), [false; 5], "3 s beside 1.6 s");
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
        gaps(&trace, StateKind::Map)
    };
    assert_eq!(maps([false; 5]), [false; 0], "nothing has ended, so that nothing is compared");
    assert_eq!(maps([true, true, false, true, false]), [false, false, true, false], "of h4 nothing is known yet");
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
    let last = &c.nodes[4];
    assert_eq!((last.count, last.score, last.gap), (2, 1.0, false));
    assert!(last.ratio > 5.0 && last.p.unwrap() > 0.05, "{last:?}");
    assert_eq!(indicted(&trace(1), &Params::default())[0].1, [0_u32; 0]);
    // With more of them than the tail that the bins leave out, the distance is there too.
    let c = kahuna_wb::compare(&trace(6), StateKind::Map, &Params::default());
    assert!(c.nodes[4].score > 0.9 && c.nodes[4].gap, "{:?}", c.nodes[4]);
}

#[test]
fn two_states_beside_one_each_are_no_gap() {
    // Five reduces a job on four nodes: whoever runs two at once takes longer for both.
    let reduce = |number: u32, node: u32, seconds: f64| {
        let job = JobId { cluster: 1, number };
        State { job: Some(job), ..state(StateKind::Reduce, node, 0, seconds, Some(Outcome::Success)) }
    };
    let even = |number: u32| [0, 1, 2, 3].map(|node| reduce(number, node, 10.0));
    let reduces = |rows: Vec<State>| {
        let trace = Trace { states: States::from_rows(rows), ..cluster(StateKind::Reduce, &[FAST; 4]) };
        gaps(&trace, StateKind::Reduce)
    };
    let two_at_once =
        [reduce(1, 0, 10.0), reduce(1, 1, 10.0), reduce(1, 2, 10.0), reduce(1, 3, 25.0), reduce(1, 3, 25.0)];
    let others = [0, 1, 2].map(|node| reduce(2, node, 10.0));
    assert_eq!(reduces([two_at_once.as_slice(), &others].concat()), [false; 4]);
    let one_at_a_time = [reduce(1, 3, 25.0), reduce(2, 3, 25.0)];
    let as_many = [even(1), even(2)].concat().into_iter().filter(|s| s.node != Some(NodeId(3))).chain(one_at_a_time);
    assert_eq!(reduces(as_many.collect()), [false, false, false, true]);
}

/// In a piece of a log most nodes have one map or none.
#[test]
fn one_map_of_a_node_that_is_not_compared_refutes_a_gap() {
    let short: &[f64] = &[13.0, 17.0, 15.0];
    let gap = |lone: &[f64]| gaps(&cluster(StateKind::Map, &[&[31.0, 32.0], short, lone, short]), StateKind::Map);
    assert_eq!(gap(&[15.0]), [true, false, false], "of three that are compared");
    assert_eq!(gap(&[28.0]), [false, false, false], "31 s are no longer 1.5 times the longest of the others");
    // What is another job's tells nothing of this one.
    let mut trace = cluster(StateKind::Map, &[&[31.0, 32.0], short, &[28.0], short]);
    trace.states = States::from_rows(trace.states.iter().map(|state| {
        let number = if state.node == Some(NodeId(2)) { 2 } else { 1 };
        State { job: Some(JobId { number, ..JOB }), ..state }
    }));
    assert_eq!(gaps(&trace, StateKind::Map), [true, false, false]);
}

/// Whose launch a log lacks began some time before its own log does, and would look quick beside those that are whole.
#[test]
fn attempts_that_began_before_they_are_told_of_are_not_compared() {
    let mut trace = cluster(StateKind::Map, &[&[2.0, 2.1], &[2.2, 1.9], &[11.0, 11.2], &[2.1, 2.0], &[1.8, 2.2]]);
    assert_eq!(gaps(&trace, StateKind::Map), [false, false, true, false, false]);
    let mut rows: Vec<State> = trace.states.iter().collect();
    for (i, row) in rows.iter_mut().enumerate().filter(|(_, row)| row.node != Some(NodeId(2))) {
        row.attempt = Some(attempt(TaskLetter::Map, i));
        trace.began_before.extend(row.attempt);
    }
    trace.states = States::from_rows(rows);
    assert_eq!(gaps(&trace, StateKind::Map), Vec::<bool>::new(), "of one node nothing is left to compare with");
}
