//! Parts of the jobs alone: a fault that lasted for some of several jobs is lost among the states of the others.
//!
//! The rule is that of all states together, at a chance divided by the number of parts that are judged ([`Scope`]).

use super::super::scope::keep_the_best;
use super::super::{Indictment, Number, Params, Scope, Threshold, Witness};
use super::peers::{Comparer, PeerComparison};
use super::{indict, speaking};
use crate::base::{Gathered, JobId};
use crate::diagnosis::MIN_PEERS;
use crate::model::{StateKind, Trace};
use std::collections::BTreeMap;

/// Kinds of which one job has enough.
const JUDGED: [StateKind; 3] = [StateKind::Map, StateKind::Reduce, StateKind::WriteBlock];

/// The witnesses of parts, that of all states being known.
pub(super) fn witnesses(trace: &Trace, all: &Comparer, params: &Params, pooled: &Witness) -> Vec<Witness> {
    if params.threshold != Threshold::Auto || !JUDGED.contains(&all.kind()) {
        return Vec::new();
    }
    let mut count: BTreeMap<JobId, usize> = BTreeMap::new();
    for job in all.jobs() {
        *count.entry(job).or_default() += 1;
    }
    let least = MIN_PEERS * params.numbers.count(Number::WbStates);
    let states = |part: &Scope| part.jobs().into_iter().flatten().filter_map(|job| count.get(job)).sum::<usize>();
    let mut parts = Scope::parts_of(&count.keys().copied().gathered());
    parts.retain(|part| states(part) >= least);
    if parts.len() < 2 {
        return Vec::new();
    }
    let params = Params { numbers: params.numbers.divided(Number::WbAlpha, parts.len()), ..params.clone() };
    let Some(rounds) = all.rounds_to_tell(params.numbers.get(Number::WbAlpha)) else { return Vec::new() };
    let mut said: Vec<(Scope, PeerComparison, Vec<Indictment>)> = Vec::new();
    for part in parts {
        let Some(comparer) = all.within(&part, params.numbers) else { continue };
        let Some(bins) = comparer.bins() else { continue };
        let Some(mut comparison) = comparer.compare_unlikely(&bins, rounds) else { continue };
        let of_part = |i| indict(trace, &comparison, i, &params, &part);
        let words: Vec<Indictment> = (0..comparison.nodes.len()).filter_map(of_part).collect();
        if !words.is_empty() {
            comparison.windows = comparer.windows(trace, &bins, params.window_s);
            said.push((part, comparison, words));
        }
    }
    keep_the_best(pooled, said.iter_mut().map(|(.., words)| words));
    let left = said.into_iter().filter(|(.., words)| !words.is_empty());
    left.map(|(part, comparison, words)| speaking(all.kind(), part, comparison, words)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::KahunaWhiteBox;
    use crate::base::{JobId, NodeId, Timestamp};
    use crate::diagnosis::{Diagnosis, Params, Scope, Threshold, Witness};
    use crate::model::{Lanes, Node, Outcome, State, StateKind, Trace};

    const MAPS: [i64; 2] = [24, 8];

    /// Two jobs of many and of few maps on five nodes, the second of which takes on node 2 `times` as long.
    fn two_jobs(times: i64) -> Trace {
        jobs(&MAPS, 2, times)
    }

    /// Jobs of so many maps on each of five nodes; from one job on they take on node 2 `times` as long.
    fn jobs(maps: &[i64], ill_from: u32, times: i64) -> Trace {
        let mut states = Vec::new();
        for (number, maps) in (1_u32..).zip(maps.iter().copied()) {
            for (node, map) in (0..5).flat_map(|node| (0..maps).map(move |map| (node, map))) {
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
            nodes: (0..5).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
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

    #[test]
    fn jobs_alike_accuse_nobody_and_a_fixed_threshold_judges_all_at_once() {
        assert!(said(&two_jobs(1), &Params::default()).iter().all(|w| w.indicted.is_empty()));
        let literal = Params { threshold: Threshold::Fixed(0.9), ..Params::default() };
        assert_eq!(said(&two_jobs(4), &literal).len(), 1);
    }
}
