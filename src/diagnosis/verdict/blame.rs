//! Jobs without trouble of their own that suffered from a culprit.
//!
//! ```text
//! its tasks ran there       while the node was at fault, or what they had done was lost with it
//! its data moved there      the same of its transfers, of the kinds that speak against the node
//! ```
//! Cost: O(culprits · (attempts + transfers)).

use super::Culprit;
use crate::base::{JobId, NodeId, Timestamp};
use crate::diagnosis::cause::Cause;
use crate::diagnosis::job_class::{Class, JobClass};
use crate::diagnosis::silence::is_lost_with_node;
use crate::diagnosis::{Method, Scope, Signal};
use crate::model::{FlowKind, StateKind, TaskAttempt, Trace};
use std::collections::BTreeSet;

/// Classes jobs that ran on a culprit while it was at fault, and had no trouble of their own; and those that ran elsewhere
/// but moved data from or to it.
pub(super) fn blame_infrastructure(trace: &Trace, jobs: &mut [JobClass], culprits: &[Culprit]) {
    let well = |jobs: &[JobClass]| jobs.iter().any(|j| j.class == Class::None);
    for job in jobs.iter_mut().filter(|j| j.class == Class::None) {
        if let Some(culprit) = culprits.iter().find(|c| ran_there(trace, job.job, c)) {
            blame(job, "its tasks ran on", trace, culprit.node);
        }
    }
    for culprit in culprits {
        if !well(jobs) {
            return;
        }
        let moved = jobs_moving_data(trace, culprit);
        for job in jobs.iter_mut().filter(|j| j.class == Class::None && moved.contains(&j.job)) {
            blame(job, "its data moved from or to", trace, culprit.node);
        }
    }
}

fn blame(job: &mut JobClass, why: &str, trace: &Trace, node: NodeId) {
    job.class = Class::Infrastructure;
    job.rule = format!("{why} {}, which is at fault", trace.node_name(node));
}

/// Whether attempts of a job suffered from a node. Where a comparison of jobs accuses it, that has told which did.
fn ran_there(trace: &Trace, job: JobId, culprit: &Culprit) -> bool {
    let suffered = |t: &TaskAttempt| {
        // What it had done before was to be done again, if it is lost with the node.
        let was_before = t.finish.is_some() && t.finish < culprit.since && !is_lost_with_node(t);
        t.node == Some(culprit.node) && !had_passed(culprit, t.start) && !was_before
    };
    let by_jobs = culprit.evidence.iter().any(|word| word.method == Method::Theia);
    !by_jobs && trace.tasks_of(job).iter().any(suffered)
}

/// Whether a node was no longer at fault when something began.
fn had_passed(culprit: &Culprit, start: Option<Timestamp>) -> bool {
    start.zip(culprit.until).is_some_and(|(start, until)| start > until)
}

/// The jobs whose transfers had an end on a node while it was at fault. A comparison of jobs does not tell these: it looks
/// at what ran on the node.
fn jobs_moving_data(trace: &Trace, culprit: &Culprit) -> BTreeSet<JobId> {
    let (mut found, end) = (BTreeSet::new(), Some(culprit.node.0));
    for kind in FlowKind::ALL {
        let scopes = scopes_of(culprit, kind);
        if scopes.is_empty() {
            continue;
        }
        let mut jobs = BTreeSet::new();
        trace.flows.each_of_kind(kind, &mut |_, flow| {
            let was_before = culprit.since.is_some_and(|since| flow.end < since);
            let had_passed = had_passed(culprit, flow.start.or(Some(flow.end)));
            if (flow.src == end || flow.dest == end) && !was_before && !had_passed {
                jobs.extend(flow.attempt.or(flow.reduce).map(|attempt| attempt.job));
            }
        });
        let covered = |job: &JobId| scopes.iter().any(|scope| scope.covers(Some(*job)));
        found.extend(jobs.into_iter().filter(covered));
    }
    found
}

/// The jobs of which one kind of transfer is said to be slow on a node; of a network that is slow, all of any kind.
fn scopes_of(culprit: &Culprit, kind: FlowKind) -> Vec<Scope> {
    if culprit.rule.cause() == Cause::Network {
        return vec![Scope::default()];
    }
    let is_of_kind = |signal: Signal| match signal {
        Signal::Transfers(of) => of == kind,
        Signal::States(StateKind::ReadBlock) => kind == FlowKind::Read,
        Signal::States(StateKind::WriteBlock) => kind == FlowKind::Write,
        Signal::States(StateKind::Shuffle) => kind == FlowKind::Shuffle,
        _ => false,
    };
    culprit.evidence.iter().filter(|word| is_of_kind(word.signal)).map(|word| word.scope.clone()).collect()
}
