//! Complaints: lines in which a daemon, a master or a task speaks of trouble.
//!
//! ```text
//! JobTracker       Lost tracker 'tracker_h103:localhost/127.0.0.1:40719'                 h100 of h103
//! ReduceTask       attempt_…_r_000009_0 copy failed: attempt_…_m_000002_0 from h102      h105 of h102
//! DataNode         Slow BlockReceiver write packet to mirror took 316ms …, downstream DNs=[10.77.3.14:9866], …
//! DataNode         Slow flushOrSync took 412ms …                                         h302 of itself
//! ```
//! First a [`Said`], what one line says in its own names; then, in the trace, a
//! [`Complaint`] with nodes and UTC. Who complains and of whom is kept apart, since the
//! one that complains is seldom at fault, and a node that complains of everybody is.

use super::Row;
use crate::base::{AttemptId, BlockId, JobId, NodeId, Place, Timestamp};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// What a complaint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ComplaintKind {
    /// A master has not heard of the node for too long and gives it up.
    LostNode,
    /// A master is told by the node that it is not well (its health script, its disks).
    UnhealthyNode,
    /// A master, or a job's, gives the node no more tasks.
    Blacklisted,
    /// An attempt said nothing for too long and is stopped.
    TimedOut,
    /// An attempt ended in an error that is none of the others.
    AttemptFailed,
    /// A container could not be prepared, or ended with an error.
    ContainerFailed,
    /// A map's output cannot be served.
    MapOutputLost,
    /// A reduce could not fetch a map's output, or was at it when it ended, for far longer than others take.
    FetchFailed,
    /// A master gives a map's output up because of failed fetches.
    TooManyFetchFailures,
    /// A disk is full.
    NoSpace,
    /// A disk or a local folder cannot be used.
    BadDisk,
    /// Stored bytes differ from their checksum.
    BadChecksum,
    /// Writing or syncing to a disk took long.
    SlowDisk,
    /// Sending to the next node of a pipeline, or to the one before, took long.
    SlowNetwork,
    /// A node of a write pipeline broke it: bad datanode, failed mirror.
    BrokenPipeline,
    /// Receiving a block broke off: connection reset, broken pipe, timeout, early end.
    WriteBroken,
    /// Sending a block broke off. A reader that has enough closes its end too, so a few
    /// are normal.
    ReadBroken,
    /// A connection could not be made.
    Unreachable,
    /// A daemon stood still with the host below it: it was not given the processor.
    Paused,
    /// A daemon stood still to collect garbage.
    GcPaused,
    /// Its administrators take the node out of service.
    Decommissioned,
    /// A daemon is told by its master, who had lost it, to join again: it ran all the time.
    Rejoined,
    /// A reduce waited for its connection to the node whose map outputs it fetched.
    SlowConnect,
    /// A map's output that a reduce had fetched is gone when it is to be merged.
    FetchedOutputLost,
    /// A DataNode waited for its connection to the next of a write pipeline.
    SlowMirror,
    /// A daemon was started anew, after it had said that it ends.
    Restarted,
    /// A daemon was started anew without having said that it ends: it was killed, or its machine went down.
    Died,
}

impl ComplaintKind {
    /// All kinds in order.
    pub const ALL: [Self; 27] = [
        Self::LostNode,
        Self::UnhealthyNode,
        Self::Blacklisted,
        Self::TimedOut,
        Self::AttemptFailed,
        Self::ContainerFailed,
        Self::MapOutputLost,
        Self::FetchFailed,
        Self::TooManyFetchFailures,
        Self::NoSpace,
        Self::BadDisk,
        Self::BadChecksum,
        Self::SlowDisk,
        Self::SlowNetwork,
        Self::BrokenPipeline,
        Self::WriteBroken,
        Self::ReadBroken,
        Self::Unreachable,
        Self::Paused,
        Self::GcPaused,
        Self::Decommissioned,
        Self::Rejoined,
        Self::SlowConnect,
        Self::FetchedOutputLost,
        Self::SlowMirror,
        Self::Restarted,
        Self::Died,
    ];

    /// Whether a daemon says so that is started while its log goes on.
    #[must_use]
    pub const fn is_start(self) -> bool {
        matches!(self, Self::Restarted | Self::Died)
    }

    /// The name in tables and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LostNode => "lost-node",
            Self::UnhealthyNode => "unhealthy-node",
            Self::Blacklisted => "blacklisted",
            Self::TimedOut => "timed-out",
            Self::AttemptFailed => "attempt-failed",
            Self::ContainerFailed => "container-failed",
            Self::MapOutputLost => "map-output-lost",
            Self::FetchFailed => "fetch-failed",
            Self::TooManyFetchFailures => "too-many-fetch-failures",
            Self::NoSpace => "no-space",
            Self::BadDisk => "bad-disk",
            Self::BadChecksum => "bad-checksum",
            Self::SlowDisk => "slow-disk",
            Self::SlowNetwork => "slow-network",
            Self::BrokenPipeline => "broken-pipeline",
            Self::WriteBroken => "write-broken",
            Self::ReadBroken => "read-broken",
            Self::Unreachable => "unreachable",
            Self::Paused => "paused",
            Self::GcPaused => "gc-paused",
            Self::Decommissioned => "decommissioned",
            Self::Rejoined => "rejoined",
            Self::SlowConnect => "slow-connect",
            Self::FetchedOutputLost => "fetched-output-lost",
            Self::SlowMirror => "slow-mirror",
            Self::Restarted => "restarted",
            Self::Died => "died",
        }
    }
}

/// Whom a line complains of, as it names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// The node whose log it is.
    Own,
    /// A host by its name.
    Host(Box<str>),
    /// A host by its address.
    Address(IpAddr),
    /// Wherever the attempt ran.
    Attempt,
    /// Nobody in particular, or several at once.
    Unsaid,
}

/// What one line complains of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The trouble.
    pub kind: ComplaintKind,
    /// Who is in trouble.
    pub of: Subject,
    /// The attempt in trouble; for a fetch the map.
    pub attempt: Option<AttemptId>,
    /// The job, where it is told without an attempt.
    pub job: Option<JobId>,
    /// The block in trouble.
    pub block: Option<BlockId>,
    /// How long it took, where that is the complaint.
    pub took_ms: Option<u64>,
}

impl Said {
    /// A complaint that says no more than this.
    #[must_use]
    pub const fn new(kind: ComplaintKind, of: Subject) -> Self {
        Self { kind, of, attempt: None, job: None, block: None, took_ms: None }
    }

    /// A complaint about an attempt's node, by way of the attempt.
    #[must_use]
    pub fn of_attempt(kind: ComplaintKind, attempt: AttemptId) -> Self {
        Self { attempt: Some(attempt), ..Self::new(kind, Subject::Attempt) }
    }
}

/// A complaint of one node about another, or about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Complaint {
    /// The trouble.
    pub kind: ComplaintKind,
    /// Whose log says so; `None` where the log's node could not be told.
    pub by: Option<NodeId>,
    /// The node in trouble; `None` where the line does not tell, or names a host that is
    /// none of the cluster's.
    pub of: Option<NodeId>,
    /// When.
    pub at: Timestamp,
    /// The job concerned.
    pub job: Option<JobId>,
    /// The attempt concerned; for a fetch the map.
    pub attempt: Option<AttemptId>,
    /// The block concerned.
    pub block: Option<BlockId>,
    /// How long it took, where that is the complaint.
    pub took_ms: Option<u64>,
    /// The line.
    pub place: Place,
}

/// Connections of a DataNode to another, to which it passes blocks of write pipelines on: its mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mirrors {
    /// Who connects.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// How often, of the blocks that were looked at: a part of very many.
    pub connections: u32,
}

impl Complaint {
    /// That a node is given no more tasks, of which no line is known.
    #[must_use]
    pub const fn blacklisting(node: NodeId, job: Option<JobId>, at: Timestamp) -> Self {
        Self {
            kind: ComplaintKind::Blacklisted,
            by: None,
            of: Some(node),
            at,
            job,
            attempt: None,
            block: None,
            took_ms: None,
            place: Place::NOWHERE,
        }
    }

    /// What `said` in `row` means, once its names are known.
    #[must_use]
    pub fn new(said: &Said, row: &Row, by: Option<NodeId>, of: Option<NodeId>, place: Place) -> Self {
        Self {
            kind: said.kind,
            by,
            of,
            at: row.at,
            job: said.job.or(said.attempt.map(|attempt| attempt.job)),
            attempt: said.attempt,
            block: said.block,
            took_ms: said.took_ms,
            place,
        }
    }

    /// Whether a node speaks of another.
    #[must_use]
    pub fn is_of_another(&self) -> bool {
        self.of.is_some() && self.of != self.by
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_kind_has_a_name_of_its_own() {
        let names: BTreeSet<_> = ComplaintKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ComplaintKind::ALL.len());
        assert!(ComplaintKind::ALL.is_sorted());
    }
}
