//! Absences: stretches in which one node was given nothing while nearly all others were.
//!
//! ```text
//! five minutes      1      2      3      4      5      6
//! job 7 on       63/64  62/64  61/64
//! job 8 on                            63/64  63/64  60/64     nodes that began an attempt
//! cloud07        ends   –      –      –      –      begins    whole stretches without any
//! evidence              3.5    3.1    4.2    4.2              ln(64 / nodes left out)
//! ```
//! A blacklisted node runs nothing, so nothing that it does tells of it (T24); that it is left
//! out does. Were nodes chosen alike, one that is wholly free would be among the `k` of `n` left
//! out with chance k/n; an absence is a stretch in which the product of these chances falls
//! below what [`super::incident::threshold`] allows anywhere. Stretches of one job share what may keep it from
//! a node (a job has a blacklist of its own), so one job counts for [`ONE_JOB`] of the threshold
//! at most.
//!
//! It says that the node was left out, not why: its master had blacklisted it, its
//! TaskTracker was gone, or its operator had drained it. So it is an incident and accuses nobody.
//!
//! Cost: O(attempts log attempts), 16 bytes each; then O(nodes × stretches of jobs).

use super::incident::{Incident, IncidentKind, ONE_JOB};
use crate::base::math;
use crate::base::{Arrange, Gathered, JobId, NodeId, Timestamp};
use crate::model::Trace;
use std::collections::BTreeMap;

/// Length of a stretch: many times the wait of any scheduler for a better place, so that a
/// free node does not go without by chance.
const STRETCH_MS: i64 = 300_000;
/// A stretch of a job tells if at most this share of the nodes was left out…
const LEFT_OUT: f64 = 0.25;
/// …and absences of more than this share of the nodes at one time are no node's: a queue of
/// its own, a switch, a job of few nodes.
const TOGETHER: f64 = 0.1;

/// A job in one stretch of time.
struct Given {
    /// Which stretch, counted from the epoch.
    stretch: i64,
    job: JobId,
    /// Distinct nodes that began an attempt of it.
    nodes: u32,
}

/// The absences of all nodes, in order of node and time.
#[must_use]
pub fn find(trace: &Trace, peers: &[NodeId], threshold: f64) -> Vec<Incident> {
    let given = given(trace, peers);
    let mut found = Vec::new();
    for (node, mut busy) in busy_times(trace, peers) {
        busy.arrange(Ord::cmp);
        let mut free_from: Option<i64> = None;
        let ends = trace.span.map_or(i64::MIN, |(_, end)| end.millis());
        for (from, to) in busy.into_iter().chain([(ends, ends)]) {
            if let Some(free) = free_from.filter(|free| *free < from) {
                found.extend(absence(node, (free, from), &given, peers.len(), threshold));
            }
            free_from = Some(free_from.map_or(to, |free| free.max(to)));
        }
    }
    alone(&found, peers.len())
}

/// Those of incidents of one kind that few enough others meet.
pub(super) fn alone(all: &[Incident], nodes: usize) -> Vec<Incident> {
    let most = (nodes as f64 * TOGETHER).max(1.0) as usize;
    let [mut begins, mut ends] = [all, all].map(|all| Vec::with_capacity(all.len()));
    begins.extend(all.iter().map(|i| i.span.0));
    ends.extend(all.iter().map(|i| i.span.1));
    begins.arrange(Ord::cmp);
    ends.arrange(Ord::cmp);
    // Whoever began before its end and did not end before it began meets it; it meets itself.
    let meet = |(from, to): (Timestamp, Timestamp)| {
        begins.partition_point(|begin| *begin < to) - ends.partition_point(|end| *end <= from)
    };
    all.iter().filter(|i| meet(i.span) <= most).cloned().collect()
}

/// Of each stretch and job, how many nodes began an attempt; in order of time.
fn given(trace: &Trace, peers: &[NodeId]) -> Vec<Given> {
    let mut found = Vec::new();
    for job in &trace.jobs {
        let starts = trace.tasks_of(job.id).iter().filter_map(|t| Some((t.start?, t.node?)));
        let of_peers = starts.filter(|(_, node)| peers.binary_search(node).is_ok());
        let mut starts: Vec<(i64, NodeId)> =
            of_peers.map(|(at, node)| (at.millis().div_euclid(STRETCH_MS), node)).collect();
        starts.arrange(Ord::cmp);
        starts.dedup();
        for same in starts.chunk_by(|a, b| a.0 == b.0) {
            if let Some((stretch, _)) = same.first() {
                let nodes = u32::try_from(same.len()).unwrap_or(u32::MAX);
                found.push(Given { stretch: *stretch, job: job.id, nodes });
            }
        }
    }
    found.arrange_by(|g| (g.stretch, g.job));
    found
}

/// When each peer ran something.
fn busy_times(trace: &Trace, peers: &[NodeId]) -> BTreeMap<NodeId, Vec<(i64, i64)>> {
    let finishes: BTreeMap<JobId, Timestamp> = trace.jobs.iter().filter_map(|j| Some((j.id, j.finish?))).gathered();
    let last = trace.span.map(|(_, end)| end);
    let mut busy: BTreeMap<NodeId, Vec<(i64, i64)>> = BTreeMap::new();
    for t in &trace.tasks {
        let (Some(node), Some(start)) = (t.node, t.start) else { continue };
        let end = t.finish.or_else(|| finishes.get(&t.id.job).copied()).or(last).unwrap_or(start).max(start);
        if peers.binary_search(&node).is_ok() {
            busy.entry(node).or_default().push((start.millis(), end.millis()));
        }
    }
    busy
}

/// The absence in a stretch of time in which the node ran nothing, if it is one.
fn absence(node: NodeId, free: (i64, i64), given: &[Given], nodes: usize, threshold: f64) -> Option<Incident> {
    // Whole stretches only: at the edges the node was not free all the time.
    let (first, beyond) = (free.0.div_euclid(STRETCH_MS) + 1, free.1.div_euclid(STRETCH_MS));
    let from = given.partition_point(|g| g.stretch < first);
    let to = given.partition_point(|g| g.stretch < beyond).max(from);
    let all = nodes as f64;
    let mut by_job: BTreeMap<JobId, f64> = BTreeMap::new();
    let mut seen: Option<(i64, i64)> = None;
    let mut others = (0, 0);
    for g in given.get(from..to).unwrap_or_default() {
        // The node itself is left out, so never less than one.
        let left_out = (all - f64::from(g.nodes)).max(1.0);
        if left_out > (LEFT_OUT * all).max(1.0) {
            continue;
        }
        *by_job.entry(g.job).or_default() += math::ln(all / left_out);
        seen = Some((seen.map_or(g.stretch, |(from, _)| from), g.stretch));
        others = (others.0 + g.nodes, others.1 + u32::try_from(nodes).unwrap_or(u32::MAX) - 1);
    }
    let score = by_job.values().map(|e| e.min(ONE_JOB * threshold)).sum::<f64>();
    let (from, to) = seen.filter(|_| score >= threshold && by_job.len() >= 2)?;
    let at = |stretch: i64| Timestamp::from_millis(stretch.saturating_mul(STRETCH_MS));
    Some(Incident {
        node,
        kind: IncidentKind::GivenNothing,
        span: (at(from), at(to + 1)),
        jobs: by_job.into_keys().collect(),
        bad: (0, 0),
        peers: others,
        score,
        passed: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given_of(rows: &[(i64, u32, u32)]) -> Vec<Given> {
        let row = |(stretch, job, nodes): &(i64, u32, u32)| Given {
            stretch: *stretch,
            job: JobId { cluster: 1, number: *job },
            nodes: *nodes,
        };
        rows.iter().map(row).collect()
    }

    /// Jobs of the absence in stretches 1 to 8 of 64 nodes, threshold 16.
    fn jobs(rows: &[(i64, u32, u32)]) -> Option<Vec<u32>> {
        let free = (STRETCH_MS - 1, 9 * STRETCH_MS);
        let found = absence(NodeId(7), free, &given_of(rows), 64, 16.0)?;
        Some(found.jobs.iter().map(|j| j.number).collect())
    }

    #[test]
    fn evidence_by_hand() {
        // Four times ln 64 = 4.158883: 16.635532, of two jobs 8.317766 each.
        let rows = [(1, 7, 63), (2, 7, 63), (3, 8, 63), (4, 8, 63)];
        let found = absence(NodeId(7), (STRETCH_MS - 1, 9 * STRETCH_MS), &given_of(&rows), 64, 16.0).unwrap();
        assert!((found.score - 16.635_532).abs() < 1e-5, "{}", found.score);
        assert_eq!(found.span, (Timestamp::from_millis(STRETCH_MS), Timestamp::from_millis(5 * STRETCH_MS)));
        assert_eq!(found.peers, (252, 252));
    }

    #[test]
    fn one_stretch_less_or_outside_is_too_little() {
        assert_eq!(jobs(&[(1, 7, 63), (2, 7, 63), (3, 8, 63)]), None, "12.5 of 16");
        assert_eq!(
            jobs(&[(0, 7, 63), (2, 7, 63), (3, 8, 63), (9, 8, 63)]),
            None,
            "at the edges it still ran or ran again"
        );
    }

    #[test]
    fn one_job_alone_says_little_however_long() {
        let long: Vec<(i64, u32, u32)> = (1..9).map(|i| (i, 7, 63)).collect();
        assert_eq!(jobs(&long), None);
        // 9.6 and 4.158883 are still short of 16; a third job completes it.
        assert_eq!(jobs(&[&long[..], &[(8, 8, 63)]].concat()), None);
        assert_eq!(jobs(&[&long[..], &[(8, 8, 63), (8, 9, 63)]].concat()), Some(vec![7, 8, 9]));
    }

    #[test]
    fn jobs_that_leave_many_out_say_nothing() {
        let small: Vec<(i64, u32, u32)> = (1..9).flat_map(|i| (0..9).map(move |j| (i, j, 47))).collect();
        assert_eq!(jobs(&small), None, "17 of 64 are more than a quarter");
        let large: Vec<(i64, u32, u32)> = (1..9).flat_map(|i| (0..9).map(move |j| (i, j, 48))).collect();
        assert_eq!(jobs(&large).map(|j| j.len()), Some(9));
    }
}
