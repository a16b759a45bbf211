//! Tries of one task that fail: where no node brings the task to its end, the task may be what fails.

use crate::base::{AttemptId, Gathered, NodeId};
use crate::model::{Complaint, ComplaintKind, Outcome, Trace};
use std::collections::BTreeSet;

/// A TaskTracker tells of a try that fails, and so does its master: that is one. A slot that a failed try leaves is often
/// the only free one, and the next try gets it: of a task that succeeded nowhere, all tries on a node are one.
pub(super) fn count_once(trace: &Trace, kind: ComplaintKind, complaints: &mut Vec<&Complaint>) {
    if !matches!(kind, ComplaintKind::AttemptFailed | ComplaintKind::TimedOut) {
        return;
    }
    let mut told: BTreeSet<(AttemptId, NodeId)> = BTreeSet::new();
    complaints.retain(|c| {
        let Some((attempt, node)) = c.attempt.zip(c.of) else { return true };
        told.insert((if is_done(trace, attempt) { attempt } else { attempt.first() }, node))
    });
}

/// How many attempts of which these complain failed.
pub(super) fn failed(trace: &Trace, complaints: &[&Complaint]) -> usize {
    let attempts: BTreeSet<AttemptId> = complaints.iter().filter_map(|c| c.attempt).gathered();
    attempts.into_iter().filter_map(|id| trace.task(id)).filter(|t| t.outcome == Some(Outcome::Failed)).count()
}

/// Whether some attempt at its task succeeded.
fn is_done(trace: &Trace, attempt: AttemptId) -> bool {
    trace.tries_of(attempt).any(|t| t.outcome == Some(Outcome::Success))
}
