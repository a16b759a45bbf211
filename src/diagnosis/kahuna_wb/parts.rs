//! Parts of the jobs alone: a fault that lasted for some of several jobs is lost among the states of the others, and one that
//! came or went while a long job ran among those of the rest of it.
//!
//! The rule is that of all states together, at a chance divided by the number of parts that are judged ([`Scope`]):
//! once for parts of all jobs, once for stretches of the long ones.

use super::super::scope::{Stretch, keep_the_best};
use super::super::{Indictment, Number, Params, Reading, Scope, Strength, Threshold, Witness};
use super::comparison::PeerComparison;
use super::peers::Comparer;
use super::{indict, speaking};
use crate::base::{Arrange, Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::MIN_PEERS;
use crate::model::{StateKind, Trace};
use std::collections::BTreeMap;

/// Kinds of which one job has enough.
const JUDGED: [StateKind; 3] = [StateKind::Map, StateKind::Reduce, StateKind::WriteBlock];

/// Jobs of which stretches of time are judged have so large a part of all states: of many jobs, parts are stretches.
const LONG: f64 = 0.25;
/// States that a stretch has for each node: what runs on a node at one time shares its fate, so that fewer are chance's…
const STATES_A_NODE: usize = 24;
/// …and so many times it is as long as what a node does in it.
const WAVES: f64 = 6.0;
/// Nodes of which stretches are judged at most. In larger clusters some node is always the one whose blocks many read at a time,
/// which for as long looks like a fault: of 18 simulated ones of 25 to 64 healthy nodes stretches named a node in three.
const MOST_NODES: usize = 20;
/// Jobs of which the last states are judged at most: where more end so, all of them together show it.
const MOST_LATE_JOBS: usize = 4;

/// What is said by the states of a part.
type Said = (Scope, PeerComparison, Vec<Indictment>);

/// The witnesses of parts, that of all states being known.
pub(super) fn witnesses(trace: &Trace, all: &Comparer, params: &Params, pooled: &Witness) -> Vec<Witness> {
    let is_usual = params.threshold == Threshold::Auto && params.kahuna == Reading::Usual;
    if !is_usual || !JUDGED.contains(&all.kind()) {
        return Vec::new();
    }
    let ends = all.ends();
    let least = MIN_PEERS * params.numbers.count(Number::WbStates);
    let states =
        |part: &Scope| part.jobs().into_iter().flatten().filter_map(|job| Some(ends.get(job)?.len())).sum::<usize>();
    let mut parts = Scope::parts_of(&ends.keys().copied().gathered());
    parts.retain(|part| states(part) >= least);
    let mut said = if parts.len() < 2 { Vec::new() } else { judged(trace, all, params, parts) };
    if all.node_count() <= MOST_NODES {
        let of_times = judged(trace, all, params, stretches(ends, STATES_A_NODE * all.node_count()));
        said.extend(of_times.into_iter().filter_map(lasting));
    }
    said.extend(of_last_states(trace, all, params, |node| {
        let words = said.iter().flat_map(|(.., words)| words).chain(&pooled.indicted);
        words.filter(|word| word.strength == Strength::Strong).any(|word| word.node == node)
    }));
    keep_the_best(pooled, said.iter_mut().map(|(.., words)| words));
    let left = said.into_iter().filter(|(.., words)| !words.is_empty());
    left.map(|(part, comparison, words)| speaking(all.kind(), part, comparison, words)).collect()
}

/// What is said by single jobs in which the last states of a node are far longer than its peers', of nodes of which not enough
/// is said.
fn of_last_states(trace: &Trace, all: &Comparer, params: &Params, enough: impl Fn(NodeId) -> bool) -> Vec<Said> {
    let params = Params { numbers: params.numbers.divided(Number::WbAlpha, all.ends().len()), ..params.clone() };
    let of_job = |job| {
        let part = Scope::of_job(job);
        let comparison = all.within(&part, params.numbers)?.compare(trace, &params);
        let words = comparison.nodes.iter().filter_map(|own| indict(trace, &comparison, own, &params, &part)).collect();
        Some((part, comparison, words))
    };
    let mut jobs = all.jobs_with_last();
    jobs.retain(|(_, nodes)| nodes.iter().any(|node| !enough(*node)));
    jobs.into_iter().take(MOST_LATE_JOBS).filter_map(|(job, _)| of_job(job)).collect()
}

/// Stretches of long jobs with so many states: larger ones first.
fn stretches(ends: BTreeMap<JobId, Vec<Timestamp>>, least: usize) -> Vec<Scope> {
    let all: usize = ends.values().map(Vec::len).sum();
    let long = ends.into_iter().filter(|(_, ends)| ends.len() as f64 >= LONG * all as f64);
    let of_job = |(job, mut ends): (JobId, Vec<Timestamp>)| {
        ends.sort_unstable();
        Stretch::all_of(&ends, least).map(|stretch| Scope::of_job(job).within(stretch)).collect::<Vec<_>>()
    };
    let mut stretches: Vec<Scope> = long.flat_map(of_job).collect();
    stretches.arrange_by(|scope| scope.stretch().map(Stretch::of));
    stretches
}

/// What is said of a node that did one thing after another for as long as the stretch lasted.
fn lasting((part, comparison, mut words): Said) -> Option<Said> {
    let lasts_s = part.stretch()?.during().millis() as f64 / 1000.0;
    words.retain(|word| {
        let own = comparison.nodes.iter().find(|own| own.node == word.node);
        own.is_some_and(|own| lasts_s >= WAVES * own.quartiles_s[0])
    });
    Some((part, comparison, words))
}

/// What is said by each part that says something, each at so small a part of the chance that is allowed.
#[inline(never)]
fn judged(trace: &Trace, all: &Comparer, params: &Params, parts: Vec<Scope>) -> Vec<Said> {
    let params = Params { numbers: params.numbers.divided(Number::WbAlpha, parts.len().max(1)), ..params.clone() };
    let Some(rounds) = all.rounds_to_tell(params.numbers.get(Number::WbAlpha)) else { return Vec::new() };
    let mut said = Vec::new();
    for part in parts {
        let Some(comparer) = all.within(&part, params.numbers) else { continue };
        let Some(bins) = comparer.bins() else { continue };
        let Some(mut comparison) = comparer.compare_unlikely(&bins, rounds) else { continue };
        let of_part = |own| indict(trace, &comparison, own, &params, &part);
        let words: Vec<Indictment> = comparison.nodes.iter().filter_map(of_part).collect();
        if !words.is_empty() {
            comparison.windows = comparer.windows(trace, &bins, params.window_s);
            said.push((part, comparison, words));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::super::KahunaWhiteBox;
    use crate::base::{JobId, NodeId, Timestamp};
    use crate::diagnosis::{Comparison, Diagnosis, Params, Scope, Threshold, Witness};
    use crate::model::{Lanes, Node, Outcome, State, StateKind, Trace};

    const MAPS: [i64; 2] = [24, 8];

    /// Two jobs of many and of few maps on five nodes, the second of which takes on node 2 `times` as long.
    fn two_jobs(times: i64) -> Trace {
        jobs(&MAPS, 2, times)
    }

    /// Jobs of so many maps on each of five nodes; from one job on they take on node 2 `times` as long.
    fn jobs(maps: &[i64], ill_from: u32, times: i64) -> Trace {
        jobs_of(5, maps, ill_from, times)
    }

    /// The same on so many nodes.
    fn jobs_of(nodes: u32, maps: &[i64], ill_from: u32, times: i64) -> Trace {
        let mut states = Vec::new();
        for (number, maps) in (1_u32..).zip(maps.iter().copied()) {
            for (node, map) in (0..nodes).flat_map(|node| (0..maps).map(move |map| (node, map))) {
                let start = i64::from(number) * 1_000_000 + map * 1000;
                let slow = if node == 2 && number >= ill_from { times } else { 1 };
                // From 10 to 14 s, alike on all nodes.
                let ms = (10_000 + (map * 7 + i64::from(node)) % 5 * 1000) * slow;
                let line = states.len() as u64 + 1;
                states.push(State {
                    job: Some(JobId { cluster: 1, number }),
                    outcome: Some(Outcome::Success),
                    ..State::made(StateKind::Map, NodeId(node), (start, start + ms), line)
                });
            }
        }
        let span = Some((Timestamp::from_millis(1_000_000), Timestamp::from_millis(2_100_000)));
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(states),
            span,
            ..Trace::default()
        }
    }

    fn said(trace: &Trace, params: &Params) -> Vec<Witness> {
        KahunaWhiteBox.run(trace, params)
    }

    #[test]
    fn fault_of_one_job_is_found_among_the_states_of_another() {
        let witnesses = said(&two_jobs(4), &Params::default());
        let [pooled, alone] = witnesses.as_slice() else { panic!("{} witnesses", witnesses.len()) };
        assert!(pooled.indicted.is_empty() && pooled.scope.is_all(), "a quarter of its states are slow");
        assert_eq!(alone.scope, Scope::of_job(JobId { cluster: 1, number: 2 }));
        let [word] = alone.indicted.as_slice() else { panic!("{:?}", alone.indicted) };
        assert_eq!(word.node, NodeId(2));
        assert_eq!(word.since, Some(Timestamp::from_millis(2_000_000)));
        assert!(word.text.starts_with("Map of job_"), "{}", word.text);
        assert_eq!(word.lines.first().map(|place| place.line > 120), Some(true), "lines of that job");
    }

    #[test]
    fn fault_of_the_last_of_many_small_jobs_is_found_in_them_together() {
        let ill = |number| JobId { cluster: 1, number };
        let witnesses = said(&jobs(&[2; 40], 36, 3), &Params::default());
        let [pooled, part] = witnesses.as_slice() else { panic!("{} witnesses", witnesses.len()) };
        assert!(pooled.indicted.is_empty(), "five of forty");
        assert_eq!(part.scope.ends(), [ill(31), ill(40)], "the largest part of which half is ill");
        let [word] = part.indicted.as_slice() else { panic!("{:?}", part.indicted) };
        assert_eq!((word.node, word.since), (NodeId(2), Some(Timestamp::from_millis(36_000_000))));
        let of = format!("Map of 10 jobs ({} to {}) on h2 takes", ill(31), ill(40));
        assert!(word.text.starts_with(&of), "{}", word.text);
        assert!(said(&jobs(&[2; 40], 41, 3), &Params::default()).iter().all(|w| w.indicted.is_empty()));
    }

    /// One job of 160 maps on each of five nodes, four at a time, of which those from one to another take on node 2 three times
    /// as long.
    fn long_job(ill: std::ops::Range<i64>) -> Trace {
        long_job_of(5, 4, ill)
    }

    /// The same on so many nodes, so many at a time on each.
    fn long_job_of(nodes: u32, slots: usize, ill: std::ops::Range<i64>) -> Trace {
        let mut trace = jobs_of(nodes, &[160], 9, 1);
        let (mut states, mut free): (Vec<State>, _) = (Vec::new(), vec![vec![0_i64; slots]; nodes as usize]);
        for (line, state) in (1_u64..).zip(trace.states.iter()) {
            let node = state.node.unwrap().0 as usize;
            let map = states.iter().filter(|s| s.node == state.node).count() as i64;
            let slot = free[node].iter_mut().min().unwrap();
            let slow = if node == 2 && ill.contains(&map) { 3 } else { 1 };
            let end = *slot + state.millis().unwrap() * slow;
            states.push(State {
                job: state.job,
                outcome: state.outcome,
                ..State::made(StateKind::Map, NodeId(node as u32), (*slot, end), line)
            });
            *slot = end;
        }
        trace.states = Lanes::from_rows(states);
        trace
    }

    #[test]
    fn fault_of_part_of_a_long_job_is_found_in_a_stretch_of_it() {
        let job = JobId { cluster: 1, number: 1 };
        for (ill, stretch) in [(96..160, "second half"), (0..64, "first half"), (128..160, "last quarter")] {
            let witnesses = said(&long_job(ill.clone()), &Params::default());
            let [pooled, part] = witnesses.as_slice() else { panic!("{ill:?}: {} witnesses", witnesses.len()) };
            assert!(pooled.indicted.is_empty() && pooled.scope.is_all(), "{ill:?}");
            assert_eq!((part.scope.stretch().map(|s| s.name()), part.scope.ends()), (Some(stretch), vec![job]));
            let [word] = part.indicted.as_slice() else { panic!("{:?}", part.indicted) };
            assert_eq!(word.node, NodeId(2));
            assert!(word.text.starts_with(&format!("Map of the {stretch} of {job} on h2 takes")), "{}", word.text);
            let Some(Comparison::Durations(comparison)) = &part.comparison else { panic!("{ill:?}") };
            assert_eq!((&*comparison.jobs, comparison.stretch.as_deref()), (&[job.to_string()][..], Some(stretch)));
        }
        // What ran on a node at one time is no fault that lasts.
        for ill in [80..84, 160..160] {
            assert!(said(&long_job(ill), &Params::default()).iter().all(|w| w.indicted.is_empty()));
        }
    }

    /// The stretches in which some node is accused, and whether all states together accuse one.
    fn stretches_of(trace: &Trace) -> (Vec<&'static str>, bool) {
        let witnesses = said(trace, &Params::default());
        let accusing = || witnesses.iter().filter(|w| !w.indicted.is_empty());
        let stretches = accusing().filter_map(|w| w.scope.stretch().map(|s| s.name())).collect();
        (stretches, accusing().any(|w| w.scope.is_all()))
    }

    #[test]
    fn stretches_are_judged_in_clusters_of_twenty_nodes_at_most() {
        let of = |nodes: u32| stretches_of(&long_job_of(nodes, 4, 96..160));
        assert_eq!((of(20), of(21)), ((vec!["second half"], false), (vec![], false)));
    }

    #[test]
    fn stretch_accuses_no_node_that_did_few_things_one_after_another_in_it() {
        let of = |slots: usize| stretches_of(&long_job_of(5, slots, 80..120));
        assert_eq!(of(4).0.len(), 1, "40 maps on four slots");
        assert_eq!(of(40), (vec![], false), "all of them at a time");
    }

    #[test]
    fn jobs_alike_accuse_nobody_and_a_fixed_threshold_judges_all_at_once() {
        assert!(said(&two_jobs(1), &Params::default()).iter().all(|w| w.indicted.is_empty()));
        let literal = Params { threshold: Threshold::Fixed(0.9), ..Params::default() };
        assert_eq!(said(&two_jobs(4), &literal).len(), 1);
    }
}
