//! Blacklistings: a master that gives a node no more tasks, of one job or of all (T24).
//!
//! Of such a node's cells nothing is known: neither that it is well nor that it is not.

use super::survey::SurveyedJob;
use crate::base::{Arrange, Gathered, JobId, NodeId, Timestamp};
use crate::model::{ComplaintKind, Trace};
use std::collections::BTreeMap;

/// A node is given no more tasks by a master.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Blacklisting {
    node: NodeId,
    /// Of this job; where none is told, of all that start from then on.
    job: Option<JobId>,
    at: Timestamp,
    /// Until then, if it was given tasks again: a master told of one job alone without its name, or took its word back.
    until: Option<Timestamp>,
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
            of_kind.filter_map(|c| Some(Blacklisting { node: c.of?, job: c.job, at: c.at, until: None })).collect();
        all.arrange_by(|b| *b);
        let starts = all.iter().map(|b| (b.node, Vec::new()));
        let mut starts: BTreeMap<NodeId, Vec<Timestamp>> = starts.gathered();
        for task in &trace.tasks {
            if let Some((of_node, start)) = task.node.and_then(|node| starts.get_mut(&node)).zip(task.start) {
                of_node.push(start);
            }
        }
        starts.values_mut().for_each(|starts| starts.arrange(Ord::cmp));
        for blacklisting in all.iter_mut().filter(|b| b.job.is_none()) {
            let starts = starts.get(&blacklisting.node).map_or(&[][..], Vec::as_slice);
            let later = starts.partition_point(|start| *start <= blacklisting.at);
            blacklisting.until = starts.get(later).copied();
        }
        // Those that end at one task are one: what is left of a node follows one another.
        all.dedup_by(|next, before| (next.node, next.job, next.until) == (before.node, before.job, before.until));
        Self(all)
    }

    /// Whether a node was given nothing of a job, by name of a master.
    #[must_use]
    pub fn has(&self, node: NodeId, job: &SurveyedJob) -> bool {
        // The last one before that time, if any is.
        let last = |of: Option<JobId>, by: Timestamp| {
            let behind = self.0.partition_point(|b| (b.node, b.job, b.at) <= (node, of, by));
            self.0.get(behind.checked_sub(1)?).filter(|b| (b.node, b.job) == (node, of))
        };
        let holds = |start| last(None, start).is_some_and(|b| b.until.is_none_or(|until| start < until));
        last(Some(job.id), Timestamp::from_millis(i64::MAX)).is_some() || job.start.is_some_and(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, Place, TaskLetter};
    use crate::diagnosis::Reading;
    use crate::diagnosis::theia::Survey;
    use crate::model::{Complaint, Job, JobStatus, TaskAttempt, TaskType};

    #[test]
    fn node_is_blacklisted_for_a_job_or_from_the_first_time_on() {
        let at = Timestamp::from_millis;
        let job = |number, start: Option<i64>| Job {
            start: start.map(at),
            ..Job::of(JobId { cluster: 1, number }, JobStatus::Running)
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
        // Whoever is given tasks again is on no list any more.
        let mut again = trace.clone();
        again.tasks = vec![TaskAttempt {
            node: Some(NodeId(2)),
            start: Some(at(15)),
            ..TaskAttempt::of(
                AttemptId { job: JobId { cluster: 1, number: 1 }, letter: TaskLetter::Map, task: 0, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        }];
        let list = Blacklist::of(&again);
        assert_eq!([0, 1, 2].map(|job| list.has(NodeId(2), &survey.jobs()[job])), [false, true, false]);
    }
}
