//! States: what a node did from when to when (K18, SALSA).

use super::Outcome;
use super::packed::Lanes;
use crate::base::{AttemptId, BlockId, JobId, NodeId, Place, Timestamp};
use serde::{Deserialize, Serialize};

/// What a state is (K18, SALSA): the six that Kahuna diagnoses, and what lies beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum StateKind {
    /// A map attempt.
    Map,
    /// A reduce attempt.
    Reduce,
    /// The reduce fetches map outputs.
    ReduceCopy,
    /// The reduce merges (sorts) what it fetched.
    ReduceMergeCopy,
    /// The reduce function runs.
    ReduceReducer,
    /// A DataNode sends a block.
    ReadBlock,
    /// A DataNode receives a block.
    WriteBlock,
    /// A map output is served to a reduce.
    Shuffle,
    /// A job's set-up.
    Setup,
    /// A job's clean-up.
    Cleanup,
    /// Clearing up after a failed or killed attempt.
    TaskCleanup,
    /// A NodeManager fetches a container's files.
    Localize,
}

impl StateKind {
    /// All kinds in order.
    pub const ALL: [Self; 12] = [
        Self::Map,
        Self::Reduce,
        Self::ReduceCopy,
        Self::ReduceMergeCopy,
        Self::ReduceReducer,
        Self::ReadBlock,
        Self::WriteBlock,
        Self::Shuffle,
        Self::Setup,
        Self::Cleanup,
        Self::TaskCleanup,
        Self::Localize,
    ];

    /// In which a task computes, or sorts what lies on the disk: a reduce that copies mostly waits.
    pub const OF_WORK: [Self; 3] = [Self::Map, Self::ReduceMergeCopy, Self::ReduceReducer];

    /// The name that `extract states` prints.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "Map",
            Self::Reduce => "Reduce",
            Self::ReduceCopy => "ReduceCopy",
            Self::ReduceMergeCopy => "ReduceMergeCopy",
            Self::ReduceReducer => "ReduceReducer",
            Self::ReadBlock => "ReadBlock",
            Self::WriteBlock => "WriteBlock",
            Self::Shuffle => "Shuffle",
            Self::Setup => "Setup",
            Self::Cleanup => "Cleanup",
            Self::TaskCleanup => "TaskCleanup",
            Self::Localize => "Localize",
        }
    }
}

/// Where the bytes of a WriteBlock came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WriteOrigin {
    /// From this node.
    Local,
    /// From another host.
    Remote,
    /// Copied on the NameNode's order.
    Replicated,
}

impl WriteOrigin {
    /// `local`, `remote` or `replicated`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Remote => "remote",
            Self::Replicated => "replicated",
        }
    }
}

/// One state: an interval of one kind on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct State {
    /// What kind.
    pub kind: StateKind,
    /// Where; `None` where the log's node could not be told.
    pub node: Option<NodeId>,
    /// Begin; `None` where the version logs only the end and no duration.
    pub start: Option<Timestamp>,
    /// End; for an open state the end of the observation.
    pub end: Timestamp,
    /// Still running at the end of the observation.
    pub open: bool,
    /// Its job.
    pub job: Option<JobId>,
    /// Its attempt.
    pub attempt: Option<AttemptId>,
    /// The other end of a transfer: index into [`Trace::peers`](super::Trace::peers).
    pub peer: Option<u32>,
    /// Bytes moved.
    pub bytes: Option<u64>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Whence a WriteBlock's bytes came.
    pub origin: Option<WriteOrigin>,
    /// The block of a transfer.
    pub block: Option<BlockId>,
    /// The line that begins it (or ends it where only that is logged).
    pub place: Place,
}

impl State {
    /// One that is over, of which no more is known.
    #[must_use]
    pub const fn of(kind: StateKind, node: Option<NodeId>, end: Timestamp, place: Place) -> Self {
        Self {
            kind,
            node,
            start: None,
            end,
            open: false,
            job: None,
            attempt: None,
            peer: None,
            bytes: None,
            outcome: None,
            origin: None,
            block: None,
            place,
        }
    }

    /// Length in milliseconds; `None` where the begin is not known.
    #[must_use]
    pub fn millis(&self) -> Option<i64> {
        self.start.map(|start| self.end.millis_since(start))
    }
}

/// States in canonical order (kind, node, start, end, the rest).
pub type States = Lanes<State>;

impl Lanes<State> {
    /// The states of one kind, in order (a binary search finds them).
    pub fn of_kind(&self, kind: StateKind) -> impl Iterator<Item = State> + '_ {
        self.within(move |lane| lane.0.cmp(&kind)).map(|(_, state)| state)
    }

    /// The nodes that have states of one kind; that of some may not be known.
    pub fn nodes_with(&self, kind: StateKind) -> impl Iterator<Item = Option<NodeId>> + '_ {
        self.lanes().filter(move |lane| lane.0 == kind).map(|(_, node)| node)
    }

    /// Hands over those of one node, by their begin.
    pub fn each_of_kind_on(&self, kind: StateKind, node: Option<NodeId>, take: &mut dyn FnMut(&State)) {
        self.each_within(|lane| lane.cmp(&(kind, node)), &mut |_, state| take(state));
    }

    /// Those of one node, by their begin.
    pub fn of_kind_on(&self, kind: StateKind, node: Option<NodeId>) -> impl Iterator<Item = State> + '_ {
        self.within(move |lane| lane.cmp(&(kind, node))).map(|(_, state)| state)
    }
}

#[cfg(test)]
impl State {
    /// One that is over, of which a test needs no more than this: milliseconds of its begin and end, and its line.
    pub(crate) fn made(kind: StateKind, node: NodeId, (start, end): (i64, i64), line: u64) -> Self {
        let place = Place { file: crate::base::FileId(0), line };
        let state = Self::of(kind, Some(node), Timestamp::from_millis(end), place);
        Self { start: Some(Timestamp::from_millis(start)), ..state }
    }
}
