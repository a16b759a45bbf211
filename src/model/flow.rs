//! Flows: bytes from one host to another (M05, M11).

use super::packed::Lanes;
use crate::base::{AttemptId, BlockId, Place, Timestamp};
use serde::{Deserialize, Serialize};

/// What a flow is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FlowKind {
    /// A block read.
    Read,
    /// A block written by a client, one flow a pipeline stage.
    Write,
    /// A block copied on the NameNode's order.
    Replicate,
    /// A map's output fetched by a reduce.
    Shuffle,
}

impl FlowKind {
    /// All kinds in order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Replicate, Self::Shuffle];

    /// `read`, `write`, `replicate` or `shuffle`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Replicate => "replicate",
            Self::Shuffle => "shuffle",
        }
    }
}

/// Bytes from one host to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flow {
    /// What kind.
    pub kind: FlowKind,
    /// From: index into [`Trace::peers`](super::Trace::peers).
    pub src: Option<u32>,
    /// To: index into [`Trace::peers`](super::Trace::peers).
    pub dest: Option<u32>,
    /// Begin; `None` where not logged.
    pub start: Option<Timestamp>,
    /// End.
    pub end: Timestamp,
    /// Bytes; `None` where the transfer failed.
    pub bytes: Option<u64>,
    /// The block.
    pub block: Option<BlockId>,
    /// The attempt that reads or writes; for a shuffle the map.
    pub attempt: Option<AttemptId>,
    /// For a shuffle the reduce, where the line tells it.
    pub reduce: Option<AttemptId>,
    /// The line it stands on.
    pub place: Place,
}

impl Flow {
    /// One of which no more is known.
    #[must_use]
    pub const fn of(kind: FlowKind, end: Timestamp, place: Place) -> Self {
        Self {
            kind,
            src: None,
            dest: None,
            start: None,
            end,
            bytes: None,
            block: None,
            attempt: None,
            reduce: None,
            place,
        }
    }
}

/// Flows in canonical order (kind, source, destination, start, end, the rest).
pub type Flows = Lanes<Flow>;

impl Lanes<Flow> {
    /// The flows of one kind, in order, each with its index.
    pub fn each_of_kind(&self, kind: FlowKind, take: &mut dyn FnMut(usize, &Flow)) {
        self.each_within(|lane| lane.0.cmp(&kind), take);
    }
}
