//! Containers that fail on one node: the node's trouble only where the same job does well elsewhere.

use crate::base::NodeId;
use crate::model::{Complaint, JobStatus, Outcome, TaskAttempt, Trace};

/// What is still begun when a job is killed ends so soon after.
const ENDS_MS: i64 = 10_000;

/// Whether the container failed because its job was ended.
pub(super) fn fell_with_its_job(trace: &Trace, complaint: &Complaint) -> bool {
    let of_job = |job: &&crate::model::Job| Some(job.id) == complaint.job;
    trace.jobs.iter().find(of_job).is_some_and(|job| {
        let ended = job.finish.is_some_and(|finish| finish.millis_since(complaint.at) <= ENDS_MS);
        ended && job.status != JobStatus::Success
    })
}

/// How many of these are of jobs whose attempts succeed elsewhere, and not on this node from then on.
pub(super) fn of_healthy_jobs(trace: &Trace, node: NodeId, complaints: &[&Complaint]) -> usize {
    let is_healthy = |complaint: &&&Complaint| {
        let Some(job) = complaint.job else { return false };
        let done = |t: &&TaskAttempt| t.outcome == Some(Outcome::Success);
        let mut elsewhere = false;
        let here = trace.tasks_of(job).iter().filter(done).any(|t| {
            elsewhere |= t.node != Some(node);
            t.node == Some(node) && t.finish >= Some(complaint.at)
        });
        elsewhere && !here
    };
    complaints.iter().filter(is_healthy).count()
}
