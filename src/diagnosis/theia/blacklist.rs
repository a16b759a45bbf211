//! Blacklistings: a master that gives a node no more tasks, of one job or of all (T24).
//!
//! Of such a node's cells nothing is known: neither that it is well nor that it is not.

use super::survey::SurveyedJob;
use crate::base::{Arrange, JobId, NodeId, Timestamp};
use crate::model::{ComplaintKind, Trace};

/// A node is given no more tasks by a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Blacklisting {
    node: NodeId,
    /// Of this job; where none is told, of all that start from then on.
    job: Option<JobId>,
    at: Timestamp,
}

/// Who was blacklisted, in order.
#[derive(Clone, Debug, Default)]
pub struct Blacklist(Vec<Blacklisting>);

impl Blacklist {
    /// Of a trace's complaints.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let of_kind = trace.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
        let mut all: Vec<Blacklisting> =
            of_kind.filter_map(|c| Some(Blacklisting { node: c.of?, job: c.job, at: c.at })).collect();
        all.arrange_by(|b| *b);
        Self(all)
    }

    /// Whether a node was given nothing of a job, by name of a master.
    #[must_use]
    pub fn has(&self, node: NodeId, job: &SurveyedJob) -> bool {
        let first = |of: Option<JobId>| {
            let at = self.0.partition_point(|b| (b.node, b.job) < (node, of));
            self.0.get(at).filter(|b| (b.node, b.job) == (node, of))
        };
        first(Some(job.id)).is_some() || first(None).is_some_and(|b| job.start >= Some(b.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::theia::{Reading, Survey};
    use crate::model::{Complaint, Job, JobStatus};

    #[test]
    fn node_is_blacklisted_for_a_job_or_from_the_first_time_on() {
        let at = Timestamp::from_millis;
        let job = |number, start: Option<i64>| Job {
            id: JobId { cluster: 1, number },
            name: None,
            user: None,
            submit: None,
            start: start.map(at),
            finish: None,
            status: JobStatus::Running,
            maps: None,
            reduces: None,
        };
        let complaint = |node: u32, job: Option<u32>, at_ms: i64| {
            Complaint::blacklisting(NodeId(node), job.map(|number| JobId { cluster: 1, number }), at(at_ms))
        };
        let trace = Trace {
            jobs: vec![job(1, None), job(2, Some(10)), job(3, Some(20))],
            complaints: vec![
                complaint(0, Some(1), 90),
                complaint(1, None, 20),
                complaint(1, None, 15),
                complaint(2, None, 0),
                Complaint { of: None, ..complaint(0, None, 0) },
                Complaint { kind: ComplaintKind::LostNode, ..complaint(3, None, 0) },
            ],
            ..Trace::default()
        };
        let survey = Survey::of(&trace, &[], Reading::Usual);
        let list = Blacklist::of(&trace);
        let row = |node| [0, 1, 2].map(|job| list.has(NodeId(node), &survey.jobs()[job]));
        assert_eq!(row(0), [true, false, false], "of one job, whenever");
        assert_eq!(row(1), [false, false, true], "of jobs from the first of several on; one without a begin is none");
        assert_eq!(row(2), [false, true, true]);
        assert_eq!(row(3), [false; 3]);
    }
}
