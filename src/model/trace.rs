//! The trace: nodes, jobs, tasks, states and flows of a cluster in UTC milliseconds,
//! built once by the `states` room and immutable from then on.

use super::content::Content;
use super::{
    Calls, Clocks, Complaint, ComplaintKind, Counters, Coverage, Density, Flow, FlowKind, Flows, JobConf, JobRecord,
    JobStatus, Mirrors, Outcome, Samples, Shapes, State, StateKind, States, TaskMemory, TaskType, WriteOrigin,
};
use crate::base::{AttemptId, Code, FileId, Gathered, JobId, NodeId, Place, TimeZone, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

/// Nodes that a comparison needs: of two, neither is the odd one (X6).
pub const MIN_PEERS: usize = 3;

/// What a node offers to containers: set by its operator or found at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Capacity {
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Virtual cores.
    pub vcores: u32,
}

/// A host of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The name that the user's own logs use most.
    pub name: String,
    /// A slave, to be compared with its peers: it has a DataNode or TaskTracker log, or
    /// ran a map or reduce, and is not a master that ran none.
    pub is_peer: bool,
}

/// A job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Its name.
    pub name: Option<Box<str>>,
    /// Who submitted it.
    pub user: Option<Box<str>>,
    /// When it was submitted.
    pub submit: Option<Timestamp>,
    /// When it was launched.
    pub start: Option<Timestamp>,
    /// When it ended.
    pub finish: Option<Timestamp>,
    /// What became of it.
    pub status: JobStatus,
    /// Maps planned.
    pub maps: Option<u32>,
    /// Reduces planned.
    pub reduces: Option<u32>,
}

impl Job {
    /// One of which no more is known.
    #[must_use]
    pub const fn of(id: JobId, status: JobStatus) -> Self {
        Self { id, name: None, user: None, submit: None, start: None, finish: None, status, maps: None, reduces: None }
    }
}

impl From<JobRecord> for Job {
    fn from(told: JobRecord) -> Self {
        let JobRecord { job: id, name, user, submit, launch: start, finish, status, maps, reduces } = told;
        Self { id, name, user, submit, start, finish, status, maps, reduces }
    }
}

/// One attempt of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskAttempt {
    /// Its id.
    pub id: AttemptId,
    /// What it does.
    pub task_type: TaskType,
    /// Where it ran.
    pub node: Option<NodeId>,
    /// When it began.
    pub start: Option<Timestamp>,
    /// First line of its own log: its JVM had started.
    pub log_start: Option<Timestamp>,
    /// When a reduce had copied all.
    pub shuffle_end: Option<Timestamp>,
    /// When a reduce had sorted all.
    pub sort_end: Option<Timestamp>,
    /// When it ended.
    pub finish: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Its counters.
    pub counters: Counters,
    /// First line of its error.
    pub error: Option<Box<str>>,
    /// The record or line that tells of it.
    pub place: Place,
}

/// Nodes' clocks may differ by so much, and a kill takes a heartbeat.
const KILL_SLACK_MS: i64 = 5_000;

impl TaskAttempt {
    /// An attempt of which no more is known.
    #[must_use]
    pub fn of(id: AttemptId, task_type: TaskType, place: Place) -> Self {
        Self {
            id,
            task_type,
            node: None,
            start: None,
            log_start: None,
            shuffle_end: None,
            sort_end: None,
            finish: None,
            outcome: None,
            counters: Counters::default(),
            error: None,
            place,
        }
    }

    /// What its error complains of, as far as its first line tells.
    #[must_use]
    pub fn complains_of(&self) -> Option<ComplaintKind> {
        ComplaintKind::of_error(self.error.as_deref()?.as_bytes())
    }

    /// Whether it was killed when a rival, another attempt of its task that began later on another node, had succeeded.
    #[must_use]
    pub fn lost_to(&self, rival: &Self) -> bool {
        let began_later = self.start.zip(rival.start).is_some_and(|(own, rival)| rival > own);
        let after_it = self.finish.zip(rival.finish).is_some_and(|(own, end)| own.millis_since(end) >= -KILL_SLACK_MS);
        self.outcome == Some(Outcome::Killed)
            && rival.outcome == Some(Outcome::Success)
            && rival.node != self.node
            && began_later
            && after_it
    }

    /// Bytes that it had to work through, by the counters that its history has.
    #[must_use]
    pub fn bytes_in(&self) -> Option<i64> {
        match self.task_type {
            TaskType::Reduce => self.counters.fetched(),
            _ => self.counters.hdfs_read.get(),
        }
    }
}

/// A file of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// `archive/member path`.
    pub path: String,
    /// Its node.
    pub node: Option<NodeId>,
    /// Last line of a daemon's log; `None` for histories and logs of containers.
    pub daemon_last: Option<Timestamp>,
    /// The number of its last line; of a log in a file of several, of the last that tells something.
    pub last_line: u64,
    /// Coverage of it.
    pub coverage: Coverage,
    /// Issues of it: code, count, first lines.
    pub issues: Vec<(Code, u64, Vec<u64>)>,
}

/// When a file's records were written, and what of it was not understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileReading {
    /// First and last time.
    pub span: Option<(Timestamp, Timestamp)>,
    /// When its records were written; the bins' begins are in the file's clock.
    pub density: Arc<Density>,
    /// What is added to a time of its density to make it UTC.
    pub offset_ms: i64,
    /// What its unknown lines look like.
    pub shapes: Shapes,
    /// Its length, unpacked.
    pub log_bytes: u64,
    /// What its events take in a digest (M18).
    pub kept_bytes: u64,
}

/// What a cluster did, as far as its logs tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Files in order of path; [`FileId`] is the index.
    pub files: Vec<FileInfo>,
    /// What tells whether others have the same.
    pub content: Content,
    /// The same files, as far as the coverage view needs more of them.
    pub readings: Vec<FileReading>,
    /// Nodes in order of name; [`NodeId`] is the index.
    pub nodes: Vec<Node>,
    /// Whose an address is.
    pub addresses: BTreeMap<IpAddr, NodeId>,
    /// Ends of transfers: names of nodes first (same index as the node's id), then
    /// addresses that no node claims, and hosts that nothing else tells of.
    pub peers: Vec<String>,
    /// Racks of the nodes whose rack is told: `/default-rack`.
    pub racks: BTreeMap<NodeId, Box<str>>,
    /// What nodes offer to containers, where a ResourceManager tells it and always the same.
    pub capacities: BTreeMap<NodeId, Capacity>,
    /// Processors of nodes, where sysstat tells them and always the same.
    pub processors: BTreeMap<NodeId, u32>,
    /// The nodes of each cluster; empty where all are of one.
    pub clusters: Vec<Vec<NodeId>>,
    /// Jobs in order of id.
    pub jobs: Vec<Job>,
    /// Values in use of the jobs' configurations, where those are there.
    pub confs: BTreeMap<JobId, JobConf>,
    /// Queues of the jobs, where a history names them.
    pub queues: BTreeMap<JobId, Box<str>>,
    /// Memory of the jobs' attempts, where a history counts it.
    pub memory: BTreeMap<(JobId, TaskType), TaskMemory>,
    /// Attempts in order of id.
    pub tasks: Vec<TaskAttempt>,
    /// Until when attempts without an end were under way for certain, however long their own logs are silent: the
    /// JobTracker, who hears of each end, had heard of none, and it and the attempt's node gave signs of life until then.
    pub under_way: BTreeMap<AttemptId, Timestamp>,
    /// Attempts that began some time before their states do: the log that has their end was cut before their launch, and
    /// what is left is the begin of their own log.
    pub began_before: BTreeSet<AttemptId>,
    /// How long after their begin attempts that did not succeed last told of progress, in milliseconds, where a TaskTracker's
    /// or an ApplicationMaster's log has it.
    pub got_on_ms: BTreeMap<AttemptId, i64>,
    /// States in canonical order.
    pub states: States,
    /// Flows in canonical order.
    pub flows: Flows,
    /// DataNodes' logs whose lines do not name who reads and writes, as Hadoop's do.
    pub clients_untold: BTreeSet<FileId>,
    /// Complaints in order of kind, who complains, of whom, time.
    pub complaints: Vec<Complaint>,
    /// How often each DataNode passed blocks on to each other.
    pub mirrors: Vec<Mirrors>,
    /// OS metrics.
    pub samples: Samples,
    /// System calls.
    pub calls: Calls,
    /// First and last time of any log or history; of metrics where there is nothing else.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Milliseconds added to the logs' wall clock to make it UTC.
    pub offset_ms: i64,
    /// How many pairs of log and history times gave that offset; 0: assumed or given.
    pub offset_pairs: u64,
    /// What issues do not say by their code and place: which names, which addresses.
    pub notes: Vec<(Code, String)>,
    /// All that is known of the clocks: each archive's offset, and each node's skew.
    pub clocks: Clocks,
}

impl Trace {
    /// What its times are in.
    #[must_use]
    pub const fn zone(&self) -> TimeZone {
        self.clocks.source.zone()
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(file.index()).map_or("", |f| f.path.as_str())
    }

    /// The node's name.
    #[must_use]
    pub fn node_name(&self, node: NodeId) -> &str {
        self.nodes.get(node.index()).map_or("", |n| n.name.as_str())
    }

    /// The job of that id, if the logs tell of it.
    #[must_use]
    pub fn job(&self, id: JobId) -> Option<&Job> {
        self.jobs.binary_search_by_key(&id, |job| job.id).ok().and_then(|at| self.jobs.get(at))
    }

    /// An attempt by its id.
    #[must_use]
    pub fn task(&self, id: AttemptId) -> Option<&TaskAttempt> {
        self.tasks.binary_search_by_key(&id, |t| t.id).ok().and_then(|at| self.tasks.get(at))
    }

    /// The attempts of an attempt's task, itself among them.
    pub fn tries_of(&self, id: AttemptId) -> impl Iterator<Item = &TaskAttempt> {
        let (all, task) = (self.tasks_of(id.job), id.first());
        let from = all.get(all.partition_point(|t| t.id < task)..).unwrap_or_default();
        from.iter().take_while(move |t| t.id.first() == task)
    }

    /// Whether a flow is a block that a client moved which is no attempt of MapReduce's: an ApplicationMaster, a daemon, a
    /// person.
    #[must_use]
    pub fn is_flow_of_others(&self, flow: &Flow) -> bool {
        let by_client = matches!(flow.kind, FlowKind::Read | FlowKind::Write);
        by_client && flow.attempt.is_none() && self.names_client(flow.bytes, flow.place)
    }

    /// The same of a state.
    #[must_use]
    pub fn is_state_of_others(&self, state: &State) -> bool {
        let by_client = match state.kind {
            StateKind::WriteBlock => state.origin != Some(WriteOrigin::Replicated),
            kind => kind == StateKind::ReadBlock,
        };
        by_client && state.attempt.is_none() && self.names_client(state.bytes, state.place)
    }

    /// Whether the line that ended a client's transfer names the client: that line is of `clienttrace` (0.19 on), or it does
    /// not tell how many bytes were moved.
    fn names_client(&self, bytes: Option<u64>, place: Place) -> bool {
        bytes.is_some() && !self.clients_untold.contains(&place.file)
    }

    /// How long a state lasted for certain, in milliseconds: of one that is open where the logs end, until when its attempt is
    /// known to have been under way, as the logs may be cut.
    #[must_use]
    pub fn lasted_ms(&self, state: &State) -> Option<i64> {
        match state.open {
            true => Some(self.under_way.get(&state.attempt?)?.min(&state.end).millis_since(state.start?)),
            false => state.millis(),
        }
    }

    /// A state whose attempt was killed by its log and had failed or been killed before by its history: a TaskTracker
    /// writes no line when a task throws, or when it drops what it has as its JobTracker had lost it, and names the attempt
    /// next when its job ends.
    #[must_use]
    pub fn as_told(&self, state: State) -> State {
        let was_killed = state.outcome == Some(Outcome::Killed);
        let told = state.attempt.filter(|_| was_killed).and_then(|attempt| self.task(attempt));
        let ended = |t: &TaskAttempt| t.finish.zip(t.outcome.filter(|outcome| *outcome != Outcome::Success));
        match told.filter(|t| t.node == state.node).and_then(ended).filter(|(finish, _)| *finish < state.end) {
            Some((end, outcome)) => State { end: end.max(state.start.unwrap_or(end)), outcome: Some(outcome), ..state },
            None => state,
        }
    }

    /// For how many milliseconds an attempt that did not succeed, and lasted so many, had told of no progress, where its
    /// progress is told.
    #[must_use]
    pub fn silent_ms(&self, attempt: AttemptId, ms: i64) -> Option<i64> {
        self.got_on_ms.get(&attempt).map(|got_on_ms| ms.saturating_sub(*got_on_ms))
    }

    /// The attempts of a job, in order of id.
    #[must_use]
    pub fn tasks_of(&self, job: JobId) -> &[TaskAttempt] {
        let from = self.tasks.partition_point(|t| t.id.job < job);
        let to = self.tasks.partition_point(|t| t.id.job <= job);
        self.tasks.get(from..to).unwrap_or_default()
    }

    /// The peers of each cluster: one group, unless the logs are of several.
    #[must_use]
    pub fn peers_by_cluster(&self) -> Vec<Vec<NodeId>> {
        if self.clusters.is_empty() {
            return vec![self.peer_nodes().collect()];
        }
        let peers = |nodes: &Vec<NodeId>| {
            let is_peer = |id: &&NodeId| self.nodes.get(id.index()).is_some_and(|node| node.is_peer);
            nodes.iter().filter(is_peer).copied().collect()
        };
        self.clusters.iter().map(peers).collect()
    }

    /// The peers of a node, without itself: those of its cluster.
    #[must_use]
    pub fn peers_of(&self, node: NodeId) -> Vec<NodeId> {
        let clusters = self.peers_by_cluster();
        let own = clusters.into_iter().find(|peers| peers.contains(&node)).unwrap_or_default();
        own.into_iter().filter(|peer| *peer != node).collect()
    }

    /// The nodes of all clusters but that of these peers.
    #[must_use]
    pub fn of_other_clusters(&self, peers: &[NodeId]) -> BTreeSet<NodeId> {
        let others = self.clusters.iter().filter(|nodes| !nodes.iter().any(|node| peers.contains(node)));
        others.flatten().copied().gathered()
    }

    /// The nodes that are compared with one another.
    pub fn peer_nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0_u32..).zip(&self.nodes).filter(|(_, n)| n.is_peer).map(|(i, _)| NodeId(i))
    }
}
