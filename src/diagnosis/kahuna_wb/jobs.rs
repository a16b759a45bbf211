//! Each job alone: a fault that lasted for one of several jobs is lost among the states of the others.
//!
//! The rule is that of all states together, at a chance divided by the number of jobs that are judged. A job says
//! nothing of a node that all states accuse already, and nothing where it is the only one.

use super::super::{Comparison, Method, Number, Params, Threshold, Witness};
use super::peers::compare_job;
use super::{KINDS, indict};
use crate::base::{Arrange, JobId};
use crate::diagnosis::MIN_PEERS;
use crate::model::{StateKind, Trace};
use std::collections::BTreeMap;

/// Jobs judged alone at the most, those with most states: with more of them no chance is small enough.
const JOBS: usize = 16;
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
    jobs.truncate(JOBS);
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
