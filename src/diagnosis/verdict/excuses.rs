//! What jobs themselves explain: an application that fails everywhere, or a skewed task.

use super::source::Source;
use crate::base::{Arrange, AttemptId, Gathered, Interval, JobId, NodeId, Timestamp};
use crate::diagnosis::job_class::{Class, JobClass};
use crate::diagnosis::kahuna_wb::indicts_without;
use crate::diagnosis::{Comparison, Method, Params, Signal, Witness};
use crate::model::{Complaint, Outcome, StateKind, TaskAttempt, Trace};
use std::collections::BTreeSet;

/// Block writes that a skewed task causes may follow it by so long.
const FADES_MS: i64 = 60_000;

/// Whether the jobs themselves explain slow tasks on a node: every job that ran there
/// fails everywhere or has its skewed task there.
fn explained(trace: &Trace, node: NodeId, jobs: &[JobClass]) -> bool {
    let mut here = jobs.iter().filter(|j| trace.tasks_of(j.job).iter().any(|t| t.node == Some(node)));
    let mut any = false;
    let all = here.all(|j| {
        any = true;
        excuses(trace, node, j)
    });
    any && all
}

/// Whether the jobs explain what a witness says of a node.
pub(super) fn excused(trace: &Trace, node: NodeId, jobs: &[JobClass], witness: &Witness, params: &Params) -> bool {
    let of_ill_job = |job: JobId| jobs.iter().any(|j| j.job == job && excuses(trace, node, j));
    let is_of_tasks = Source::of(witness.signal).is_of_tasks();
    (is_of_tasks && explained(trace, node, jobs))
        || witness.scope.jobs().is_some_and(|jobs| jobs.iter().copied().all(of_ill_job))
        || (is_of_tasks && complains_of_jobs(trace, node, witness, of_ill_job))
        || busy_with_skew(trace, node, jobs, witness)
        || (is_of_tasks && slow_by_skew_alone(trace, node, jobs, witness, params))
}

/// Whether a node's tasks are longer than its peers' by skewed ones alone: without these nothing is said of it.
fn slow_by_skew_alone(trace: &Trace, node: NodeId, jobs: &[JobClass], witness: &Witness, params: &Params) -> bool {
    let Signal::States(kind) = witness.signal else { return false };
    let is_indicted = witness.indicted.iter().any(|word| word.node == node);
    if witness.method != Method::KahunaWb || !witness.scope.is_all() || !is_indicted {
        return false;
    }
    let skewed = jobs.iter().filter(|j| j.class == Class::Skew);
    let tries = || skewed.clone().flat_map(|j| tries_of_skewed(trace, j));
    let tried_here: BTreeSet<AttemptId> = tries().filter(|t| t.node == Some(node)).map(|t| t.id).gathered();
    !tried_here.is_empty() && !indicts_without(trace, kind, node, params, &|id| tried_here.contains(&id))
}

/// Whether all complaints that a witness counts against a node are of such jobs.
fn complains_of_jobs(trace: &Trace, node: NodeId, witness: &Witness, is_such: impl Fn(JobId) -> bool) -> bool {
    let counts = |c: &&Complaint| c.of == Some(node) && Signal::Complaints(c.kind) == witness.signal;
    let mut counted = trace.complaints.iter().filter(counts).peekable();
    witness.method == Method::SlowWarnings && counted.peek().is_some() && counted.all(|c| c.job.is_some_and(&is_such))
}

/// Whether a job explains by itself that its tasks are slow on a node.
fn excuses(trace: &Trace, node: NodeId, job: &JobClass) -> bool {
    match job.class {
        Class::Application => true,
        // Whoever tried the skewed task: a rival that lost took as long.
        Class::Skew => tries_of_skewed(trace, job).any(|t| t.node == Some(node)),
        _ => false,
    }
}

/// The attempts at a job's skewed task.
fn tries_of_skewed<'a>(trace: &'a Trace, job: &JobClass) -> impl Iterator<Item = &'a TaskAttempt> {
    let skewed = job.skewed.map(|(id, _)| (id.letter, id.task));
    trace.tasks_of(job.job).iter().filter(move |t| skewed == Some((t.id.letter, t.id.task)))
}

/// When all tasks of a job but the skewed one, and what follows it, were done.
fn others_done(trace: &Trace, job: &JobClass) -> Option<Timestamp> {
    let (skewed, _) = job.skewed?;
    let same_kind = |t: &&TaskAttempt| t.id.letter == skewed.letter && t.id.task != skewed.task;
    let done = trace.tasks_of(job.job).iter().filter(same_kind).filter(|t| t.outcome == Some(Outcome::Success));
    done.filter_map(|t| t.finish).max()
}

/// When what a witness says of a node happened: the times of odd metrics, or of block writes.
fn times_of(trace: &Trace, witness: &Witness, node: NodeId) -> Vec<Interval> {
    if witness.signal != Signal::States(StateKind::WriteBlock) {
        return witness.odd_times(node);
    }
    let own = trace.states.of_kind(StateKind::WriteBlock).filter(|s| s.node == Some(node));
    own.filter_map(|s| Some(Interval::new(s.start?, s.end))).collect()
}

/// Whether all that a witness says of a node was mostly while the node tried skewed tasks, or so soon after that it had not
/// faded yet; or while a job waited for a skewed task elsewhere and nothing else of it ran: then
/// the nodes that take its blocks are the only ones that work.
fn busy_with_skew(trace: &Trace, node: NodeId, jobs: &[JobClass], witness: &Witness) -> bool {
    let odd = times_of(trace, witness, node);
    if odd.is_empty() {
        return false;
    }
    // Half of what a node's metrics were has faded from its histogram after so long.
    let fades_ms = match &witness.comparison {
        Some(Comparison::System(c)) => c.window_ms(),
        _ => FADES_MS,
    };
    let mut spans: Vec<(Timestamp, Timestamp)> = Vec::new();
    for job in jobs.iter().filter(|j| j.class == Class::Skew) {
        let others_done = others_done(trace, job);
        for t in tries_of_skewed(trace, job) {
            let Some(start) = t.start else { continue };
            let from = if t.node == Some(node) { start } else { start.max(others_done.unwrap_or(start)) };
            let end = t.finish.or_else(|| trace.span.map(|(_, last)| last));
            spans.extend(end.map(|end| (from, end.plus_millis(fades_ms))).filter(|(from, to)| from < to));
        }
    }
    spans.arrange(Ord::cmp);
    let (mut explained, mut all) = (0, 0);
    for interval in &odd {
        all += interval.millis();
        let mut from = interval.start;
        for (start, end) in &spans {
            let (start, end) = ((*start).max(from), (*end).min(interval.end));
            if start < end {
                explained += end.millis_since(start);
                from = end;
            }
        }
    }
    all > 0 && 2 * explained >= all
}
