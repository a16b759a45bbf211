//! Containers that fail on one node: the node's trouble only where the same job does well elsewhere.

use crate::base::{JobId, NodeId, Timestamp};
use crate::model::{Complaint, JobStatus, Outcome, Trace};
use std::collections::BTreeMap;

/// A job that is killed or fails ends its containers first, and tells of its own end so long after: its
/// ApplicationMaster has to clean up in between.
const TOLD_MS: i64 = 10_000;

/// Whether the container failed because its job was ended.
pub(super) fn fell_with_its_job(trace: &Trace, complaint: &Complaint) -> bool {
    complaint.job.and_then(|job| trace.job(job)).is_some_and(|job| {
        let ended = job.finish.is_some_and(|finish| finish.millis_since(complaint.at) <= TOLD_MS);
        ended && job.status != JobStatus::Success
    })
}

/// How many of these are of jobs whose attempts succeed elsewhere, and not on this node from then on.
pub(super) fn of_healthy_jobs(trace: &Trace, node: NodeId, complaints: &[&Complaint]) -> usize {
    let mut jobs: BTreeMap<JobId, Successes> = BTreeMap::new();
    let is_healthy = |complaint: &&&Complaint| {
        let Some(job) = complaint.job else { return false };
        let successes = jobs.entry(job).or_insert_with(|| Successes::of(trace, job, node));
        successes.elsewhere && successes.last_here < Some(complaint.at)
    };
    complaints.iter().filter(is_healthy).count()
}

/// Where the attempts of a job succeeded.
struct Successes {
    elsewhere: bool,
    last_here: Option<Timestamp>,
}

impl Successes {
    fn of(trace: &Trace, job: JobId, node: NodeId) -> Self {
        let done = || trace.tasks_of(job).iter().filter(|t| t.outcome == Some(Outcome::Success));
        Self {
            elsewhere: done().any(|t| t.node != Some(node)),
            last_here: done().filter(|t| t.node == Some(node)).filter_map(|t| t.finish).max(),
        }
    }
}
