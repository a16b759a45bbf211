//! Each job alone: a fault that lasted for one of several jobs is lost among the states of the others.
//!
//! The rule is that of all states together, at a chance divided by the number of jobs that are judged. A job says
//! nothing of a node that all states accuse already, and nothing where it is the only one.

use super::super::{Comparison, JOBS_ALONE, Method, Number, Params, Threshold, Witness};
use super::peers::compare_job;
use super::{KINDS, indict};
use crate::base::{Arrange, JobId};
use crate::diagnosis::MIN_PEERS;
use crate::model::{StateKind, Trace};
use std::collections::BTreeMap;

/// Kinds of which one job has enough.
const JUDGED: [StateKind; 3] = [StateKind::Map, StateKind::Reduce, StateKind::WriteBlock];

/// The witnesses that indict a node which `pooled` do not.
pub(super) fn witnesses(trace: &Trace, params: &Params, pooled: &[Witness]) -> Vec<Witness> {
    if params.threshold != Threshold::Auto {
        return Vec::new();
    }
    let kinds = KINDS.into_iter().filter(|kind| JUDGED.contains(kind));
    kinds.flat_map(|kind| of_kind(trace, kind, params, pooled)).collect()
}

fn of_kind(trace: &Trace, kind: StateKind, params: &Params, pooled: &[Witness]) -> Vec<Witness> {
    let mut count: BTreeMap<JobId, usize> = BTreeMap::new();
    trace.states.of_kind(kind).filter_map(|s| s.job).for_each(|job| *count.entry(job).or_default() += 1);
    let least = MIN_PEERS * params.numbers.count(Number::WbStates);
    let mut jobs: Vec<(JobId, usize)> = count.into_iter().filter(|(_, count)| *count >= least).collect();
    jobs.arrange(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    jobs.truncate(JOBS_ALONE);
    if jobs.len() < 2 {
        return Vec::new();
    }
    let params = Params { numbers: params.numbers.divided(Number::WbAlpha, jobs.len()), ..params.clone() };
    let told = |w: &&Witness| w.method == Method::KahunaWb && w.signal == kind.name();
    let accused: Vec<_> = pooled.iter().filter(told).flat_map(|w| w.indicted.iter().map(|i| i.node)).collect();
    let alone = jobs.into_iter().filter_map(|(job, _)| {
        let mut comparison = compare_job(trace, kind, job, &params)?;
        let of_job = |i| indict(trace, &comparison, i, &params, Some(job));
        let indicted: Vec<_> = (0..comparison.nodes.len()).filter_map(of_job).collect();
        let indicted: Vec<_> = indicted.into_iter().filter(|word| !accused.contains(&word.node)).collect();
        if indicted.is_empty() {
            return None;
        }
        comparison.indicted =
            comparison.nodes.iter().map(|node| indicted.iter().any(|word| word.node == *node)).collect();
        Some(Witness {
            scores: comparison.nodes.iter().copied().zip(comparison.scores.iter().copied()).collect(),
            threshold: Some(comparison.threshold),
            indicted,
            job: Some(job),
            comparison: Some(Comparison::Durations(Box::new(comparison))),
            ..Witness::new(Method::KahunaWb, kind.name())
        })
    });
    alone.collect()
}

#[cfg(test)]
mod tests {
    use super::super::KahunaWhiteBox;
    use crate::base::{JobId, NodeId, Timestamp};
    use crate::diagnosis::{Diagnosis, Params, Threshold, Witness};
    use crate::model::{Lanes, Node, Outcome, State, StateKind, Trace};

    const MAPS: [i64; 2] = [24, 8];

    /// Two jobs of many and of few maps on five nodes, the second of which takes on node 2 `times` as long.
    fn two_jobs(times: i64) -> Trace {
        let mut states = Vec::new();
        for (number, maps) in (1_u32..).zip(MAPS) {
            for (node, map) in (0..5).flat_map(|node| (0..maps).map(move |map| (node, map))) {
                let start = i64::from(number) * 1_000_000 + map * 1000;
                let slow = if (node, number) == (2, 2) { times } else { 1 };
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
        assert!(pooled.indicted.is_empty() && pooled.job.is_none(), "a quarter of its states are slow");
        assert_eq!(alone.job, Some(JobId { cluster: 1, number: 2 }));
        let [word] = alone.indicted.as_slice() else { panic!("{:?}", alone.indicted) };
        assert_eq!(word.node, NodeId(2));
        assert_eq!(word.since, Some(Timestamp::from_millis(2_000_000)));
        assert!(word.text.starts_with("Map of job_"), "{}", word.text);
        assert_eq!(word.lines.first().map(|place| place.line > 120), Some(true), "lines of that job");
    }

    #[test]
    fn jobs_alike_accuse_nobody_and_a_fixed_threshold_judges_all_at_once() {
        assert!(said(&two_jobs(1), &Params::default()).iter().all(|w| w.indicted.is_empty()));
        let literal = Params { threshold: Threshold::Fixed(0.9), ..Params::default() };
        assert_eq!(said(&two_jobs(4), &literal).len(), 1);
    }
}
