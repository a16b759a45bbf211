//! Nodes of which nothing can be said (X10): they ran no task and moved no block while
//! others did. They look healthy to every comparison and are not known to be.
//!
//! ```text
//! h101  Map Map WriteBlock …      h104  (nothing)      no evidence: idle, or blacklisted
//! ```
//! One that ran something in a quarter of the jobs is known by these alone:
//!
//! ```text
//! jobs 1 … 40    h101 to h104 in each; h105 in ten of them      judged by few of the jobs: h105 (10 of 40)
//! ```
//! One that moved blocks and ran no task, where the others ran several each, is known by its blocks alone: what runs tasks
//! on it may be down.
//!
//! Source: Theia, "Evaluating" (T24): 12 faulty nodes were missed because they were idle or
//! blacklisted. Cost: O(tasks · log nodes), where a node
//! did neither also O(flows + complaints).

use super::MIN_PEERS;
use crate::base::{Arrange, Code, Gathered, NodeId};
use crate::model::{ComplaintKind, FileInfo, Trace, formats};
use crate::stats::quantile::{median, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// A node is told of by few jobs if these are fewer than this share of the typical node's…
const SELDOM: f64 = 0.5;
/// …of which there are so many at least: of three a node may have missed two by chance.
const JOBS: f64 = 4.0;
/// Of so many tasks of the typical node none runs on another by chance.
const TASKS: f64 = 4.0;
/// What tells of the tasks of every node.
const TELL_OF_ALL: [&str; 4] = [formats::JOBHISTORY_V1, formats::JHIST, formats::JOBTRACKER, formats::AM_SYSLOG];

/// Why nothing is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoEvidence {
    /// It did nothing.
    Idle,
    /// It was given nothing to do.
    Blacklisted,
    /// Its logs are in a layout that is not read, so what it did is not known.
    Unread,
    /// It did too little for any method to compare it.
    TooFewData,
    /// Too few nodes are of its cluster and hardware ([`super::hardware`]).
    NoPeers,
}

impl NoEvidence {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Blacklisted => "blacklisted",
            Self::Unread => "unread",
            Self::TooFewData => "too-few-data",
            Self::NoPeers => "no-peers",
        }
    }
}

/// The peers that did nothing while others did something, in order of node.
#[must_use]
pub fn idle(trace: &Trace) -> Vec<(NodeId, NoEvidence)> {
    let mut busy: BTreeSet<NodeId> = trace.states.lanes().filter_map(|(_, node)| node).gathered();
    busy.extend(trace.tasks.iter().filter_map(|t| t.node));
    if trace.peer_nodes().all(|node| busy.contains(&node)) {
        return Vec::new();
    }
    // Behind the nodes stand addresses that are no node's: no peer has their number.
    busy.extend(trace.flows.iter().flat_map(|f| [f.src, f.dest]).flatten().map(NodeId));
    if !trace.peer_nodes().any(|node| busy.contains(&node)) {
        return Vec::new();
    }
    let named = trace.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
    let blacklisted: BTreeSet<NodeId> = named.filter_map(|c| c.of).gathered();
    let is_unread = |code: Code| matches!(code, Code::UnreadLog | Code::OtherLayout);
    let unread = trace.files.iter().filter(|file| file.issues.iter().any(|(code, ..)| is_unread(*code)));
    let unread: BTreeSet<NodeId> = unread.filter_map(|file| file.node).gathered();
    let why = |node| match (unread.contains(&node), blacklisted.contains(&node)) {
        (true, _) => NoEvidence::Unread,
        (_, true) => NoEvidence::Blacklisted,
        _ => NoEvidence::Idle,
    };
    trace.peer_nodes().filter(|node| !busy.contains(node)).map(|node| (node, why(node))).collect()
}

/// A node that few jobs tell of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seldom {
    /// Which node.
    pub node: NodeId,
    /// Jobs that compare it with others: it ran a task for them, and so did two more at least. None where it ran no task
    /// at all.
    pub jobs: u32,
    /// Jobs that compare nodes of its cluster.
    pub of: u32,
}

/// The peers that far fewer jobs tell of than of the typical one, in order of node: what ran on others tells nothing of them
/// (T24). Those that no job tells of, though all tasks are known, are among them where the typical node ran several.
#[must_use]
pub fn seldom_compared(trace: &Trace) -> Vec<Seldom> {
    let mut found = Vec::new();
    let tells_of_all = |file: &FileInfo| file.coverage.format.as_deref().is_some_and(|of| TELL_OF_ALL.contains(&of));
    let all_are_known = trace.files.iter().any(tells_of_all);
    for peers in trace.peers_by_cluster() {
        let mut jobs: BTreeMap<NodeId, u32> = peers.iter().map(|node| (*node, 0)).gathered();
        let mut tasks = jobs.clone();
        let mut of = 0_u32;
        for job in &trace.jobs {
            let ran = trace.tasks_of(job.id).iter().filter(|task| task.start.is_some()).filter_map(|task| task.node);
            let mut nodes: BTreeSet<NodeId> = BTreeSet::new();
            for node in ran {
                if let Some(tasks) = tasks.get_mut(&node) {
                    *tasks += 1;
                    nodes.insert(node);
                }
            }
            if nodes.len() >= MIN_PEERS {
                of += 1;
                for node in nodes {
                    *jobs.entry(node).or_default() += 1;
                }
            }
        }
        let typical = |of: &BTreeMap<NodeId, u32>| median(&sorted(of.values().map(|count| f64::from(*count))));
        let (typical, ran) = (typical(&jobs).unwrap_or(0.0), typical(&tasks).unwrap_or(0.0));
        let is_seldom = |(node, count): &(NodeId, u32)| match tasks.get(node) {
            Some(0) => all_are_known && ran >= TASKS,
            _ => *count > 0 && typical >= JOBS && f64::from(*count) < SELDOM * typical,
        };
        let seldom = jobs.into_iter().filter(is_seldom);
        found.extend(seldom.map(|(node, jobs)| Seldom { node, jobs, of }));
    }
    found.arrange_by(|seldom| seldom.node);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};
    use crate::model::{Complaint, Coverage, Job, JobStatus, Lanes, Node, State, StateKind, TaskAttempt, TaskType};

    /// So many nodes of which the first works, and who was blacklisted.
    fn cluster(nodes: u32, blacklisted: impl Iterator<Item = u32>) -> Trace {
        let complaint = |of: u32| Complaint {
            kind: ComplaintKind::Blacklisted,
            by: None,
            of: Some(NodeId(of)),
            at: Timestamp::from_millis(1),
            job: None,
            attempt: None,
            block: None,
            took_ms: None,
            place: Place { file: FileId(0), line: 1 },
        };
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(vec![State::made(StateKind::Map, NodeId(0), (0, 1), 1)]),
            complaints: blacklisted.map(complaint).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn who_did_nothing_was_idle_or_blacklisted() {
        let found = idle(&cluster(4, [2, 0].into_iter()));
        let [one, two, three] = [1, 2, 3].map(NodeId);
        assert_eq!(found, [(one, NoEvidence::Idle), (two, NoEvidence::Blacklisted), (three, NoEvidence::Idle)]);
    }

    /// Five nodes, of which the last ran a Map in so many of the jobs.
    fn jobs(all: u32, of_last: u32) -> Trace {
        let id = |number: u32| JobId { cluster: 1, number };
        let attempt = |number: u32, node: u32| TaskAttempt {
            node: Some(NodeId(node)),
            start: Some(Timestamp::from_millis(i64::from(number))),
            ..TaskAttempt::of(
                AttemptId { job: id(number), letter: TaskLetter::Map, task: node, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        };
        let nodes = |number: u32| if number < of_last { 5 } else { 4 };
        Trace {
            jobs: (0..all).map(|number| Job::of(id(number), JobStatus::Success)).collect(),
            tasks: (0..all).flat_map(|number| (0..nodes(number)).map(move |node| attempt(number, node))).collect(),
            ..cluster(5, std::iter::empty())
        }
    }

    fn file(path: &str, node: Option<NodeId>, format: Option<&str>, issues: Vec<(Code, u64, Vec<u64>)>) -> FileInfo {
        let coverage = Coverage { format: format.map(str::to_owned), ..Coverage::default() };
        FileInfo { path: path.to_owned(), node, daemon_last: None, last_line: 0, coverage, issues }
    }

    #[test]
    fn jobs_that_ran_nothing_on_a_node_do_not_tell_of_it() {
        let last = |jobs, of| vec![Seldom { node: NodeId(4), jobs, of }];
        assert_eq!(seldom_compared(&jobs(40, 10)), last(10, 40));
        assert_eq!(seldom_compared(&jobs(40, 20)), [], "half of them");
        assert_eq!(seldom_compared(&jobs(4, 1)), last(1, 4));
        assert_eq!(seldom_compared(&jobs(3, 1)), [], "of few jobs it may have missed two by chance");
        assert_eq!(seldom_compared(&jobs(40, 0)), [], "its tasks may be told of in a log that is not here");
        let history = |all: u32| {
            let mut trace = jobs(all, 0);
            trace.files = vec![file("history/x.jhist", None, Some(formats::JHIST), Vec::new())];
            trace
        };
        assert_eq!(seldom_compared(&history(4)), last(0, 4));
        assert_eq!(seldom_compared(&history(3)), [], "of few tasks none may be its own by chance");
    }

    #[test]
    fn who_wrote_in_another_layout_is_not_called_idle() {
        let mut trace = cluster(3, std::iter::empty());
        let issues = vec![(Code::UnreadLog, 1, vec![0])];
        trace.files = vec![file("h1/hadoop-u-tasktracker-h1.log", Some(NodeId(1)), None, issues)];
        assert_eq!(idle(&trace), [(NodeId(1), NoEvidence::Unread), (NodeId(2), NoEvidence::Idle)]);
    }

    /// Each node looked for in all lines, it takes minutes.
    #[test]
    fn many_idle_nodes_end_in_time() {
        let (nodes, lines) = (100_000, 500_000);
        assert_eq!(idle(&cluster(nodes, (0..lines).map(|_| 1))).len(), nodes as usize - 1);
    }
}
