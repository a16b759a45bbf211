//! A row without what others share with it, and back.

use crate::base::{AttemptId, BlockId, FileId, JobId, Lookup, NodeId, Place, Timestamp};
use crate::model::{Flow, FlowKind, Outcome, State, StateKind, WriteOrigin};
use std::hash::{Hash, Hasher};

/// No time; farther away than any ([`Timestamp`] ends before).
pub(super) const NO_TIME: i64 = i64::MIN;
/// No number.
const NONE: u32 = u32::MAX;

/// Whose a row is.
pub(super) type Owner = (Option<JobId>, Option<AttemptId>);

/// A row in 56 bytes. What a kind of rows does not have stays empty.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) bytes: u64,
    pub(super) block: i64,
    /// Job and attempt: a number in the table of owners.
    pub(super) owner: u32,
    /// The other attempt.
    pub(super) other: u32,
    pub(super) peer: u32,
    pub(super) file: u32,
    pub(super) line: u32,
    /// The line's further bits: no file has so many lines that it takes more.
    pub(super) line_high: u16,
    pub(super) marks: Marks,
}

/// Small values side by side: two bits of outcome, two of origin, and which numbers are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marks(pub(super) u16);

impl Marks {
    const ORIGIN: u16 = 2;
    const OPEN: u16 = 1 << 4;
    const BYTES: u16 = 1 << 5;
    const BLOCK: u16 = 1 << 6;

    fn of(outcome: Option<Outcome>, origin: Option<WriteOrigin>) -> Self {
        let outcome = match outcome {
            None => 0,
            Some(Outcome::Success) => 1,
            Some(Outcome::Failed) => 2,
            Some(Outcome::Killed) => 3,
        };
        let origin = match origin {
            None => 0,
            Some(WriteOrigin::Local) => 1,
            Some(WriteOrigin::Remote) => 2,
            Some(WriteOrigin::Replicated) => 3,
        };
        Self(outcome | origin << Self::ORIGIN)
    }

    const fn with(self, mark: u16, there: bool) -> Self {
        Self(if there { self.0 | mark } else { self.0 })
    }

    const fn has(self, mark: u16) -> bool {
        self.0 & mark != 0
    }

    const fn outcome(self) -> Option<Outcome> {
        match self.0 & 3 {
            1 => Some(Outcome::Success),
            2 => Some(Outcome::Failed),
            3 => Some(Outcome::Killed),
            _ => None,
        }
    }

    const fn origin(self) -> Option<WriteOrigin> {
        match self.0 >> Self::ORIGIN & 3 {
            1 => Some(WriteOrigin::Local),
            2 => Some(WriteOrigin::Remote),
            3 => Some(WriteOrigin::Replicated),
            _ => None,
        }
    }
}

impl Packed {
    /// What both kinds of rows have.
    fn of(
        (start, end): (Option<Timestamp>, Timestamp),
        (bytes, block): (Option<u64>, Option<BlockId>),
        peer: Option<u32>,
        place: Place,
        marks: Marks,
    ) -> Self {
        Self {
            start: start.map_or(NO_TIME, Timestamp::millis),
            end: end.millis(),
            bytes: bytes.unwrap_or(0),
            block: block.map_or(0, |block| block.0),
            owner: NONE,
            other: NONE,
            peer: peer.unwrap_or(NONE),
            file: place.file.0,
            line: place.line as u32,
            line_high: (place.line >> 32) as u16,
            marks: marks.with(Marks::BYTES, bytes.is_some()).with(Marks::BLOCK, block.is_some()),
        }
    }

    /// Gives its peer its final number.
    pub(super) fn renumber(&mut self, number: &dyn Fn(u32) -> u32) {
        if self.peer != NONE {
            self.peer = number(self.peer);
        }
    }

    fn start(&self) -> Option<Timestamp> {
        (self.start != NO_TIME).then(|| Timestamp::from_millis(self.start))
    }

    const fn end(&self) -> Timestamp {
        Timestamp::from_millis(self.end)
    }

    fn bytes(&self) -> Option<u64> {
        self.marks.has(Marks::BYTES).then_some(self.bytes)
    }

    fn block(&self) -> Option<BlockId> {
        self.marks.has(Marks::BLOCK).then_some(BlockId(self.block))
    }

    fn peer(&self) -> Option<u32> {
        (self.peer != NONE).then_some(self.peer)
    }

    fn place(&self) -> Place {
        Place { file: FileId(self.file), line: u64::from(self.line_high) << 32 | u64::from(self.line) }
    }
}

/// An owner, looked up by its attempt, else by its job.
#[derive(Debug, PartialEq, Eq)]
struct Key(Owner);

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            (_, Some(attempt)) => attempt.hash(state),
            (job, None) => job.hash(state),
        }
    }
}

/// Owners, each once, in the order in which they were met.
#[derive(Debug, Default)]
pub struct Owners {
    pub(super) all: Vec<Owner>,
    numbers: Lookup<Key, u32>,
    /// The two asked for last, the last first: of a flow's two owners one is mostly that of the flow before.
    recent: [(Owner, u32); 2],
}

impl Owners {
    fn number(&mut self, owner: Owner) -> u32 {
        let [last, before] = self.recent;
        if owner == (None, None) {
            NONE
        } else if owner == last.0 {
            last.1
        } else {
            let (_, number) = if owner == before.0 { before } else { (owner, self.number_anew(owner)) };
            self.recent = [(owner, number), last];
            number
        }
    }

    fn number_anew(&mut self, owner: Owner) -> u32 {
        *self.numbers.entry(Key(owner)).or_insert_with(|| {
            self.all.push(owner);
            // So many rows do not fit into memory.
            u32::try_from(self.all.len() - 1).unwrap_or(NONE)
        })
    }
}

/// The owner of this number.
fn owner(owners: &[Owner], number: u32) -> Owner {
    owners.get(number as usize).copied().unwrap_or_default()
}

/// What is kept in lanes.
pub trait Row: Copy + Ord {
    /// What the rows are sorted by first.
    type Lane: Copy + Ord + std::fmt::Debug;

    /// Its lane.
    fn lane(&self) -> Self::Lane;
    /// The rest of it.
    fn pack(&self, owners: &mut Owners) -> Packed;
    /// Both together again.
    fn unpack(lane: Self::Lane, packed: &Packed, owners: &[Owner]) -> Self;
    /// What the rows of a lane are sorted by first: of equal ones the whole rows decide.
    fn order(packed: &Packed) -> (u32, i64, i64);
    /// Gives a peer in the lane its final number.
    fn renumber(lane: Self::Lane, number: &dyn Fn(u32) -> u32) -> Self::Lane;
}

impl Row for State {
    type Lane = (StateKind, Option<NodeId>);

    fn lane(&self) -> Self::Lane {
        (self.kind, self.node)
    }

    fn pack(&self, owners: &mut Owners) -> Packed {
        let marks = Marks::of(self.outcome, self.origin).with(Marks::OPEN, self.open);
        Packed {
            owner: owners.number((self.job, self.attempt)),
            ..Packed::of((self.start, self.end), (self.bytes, self.block), self.peer, self.place, marks)
        }
    }

    fn unpack((kind, node): Self::Lane, packed: &Packed, owners: &[Owner]) -> Self {
        let (job, attempt) = owner(owners, packed.owner);
        Self {
            kind,
            node,
            start: packed.start(),
            end: packed.end(),
            open: packed.marks.has(Marks::OPEN),
            job,
            attempt,
            peer: packed.peer(),
            bytes: packed.bytes(),
            outcome: packed.marks.outcome(),
            origin: packed.marks.origin(),
            block: packed.block(),
            place: packed.place(),
        }
    }

    fn order(packed: &Packed) -> (u32, i64, i64) {
        (0, packed.start, packed.end)
    }

    fn renumber(lane: Self::Lane, _: &dyn Fn(u32) -> u32) -> Self::Lane {
        lane
    }
}

impl Row for Flow {
    type Lane = (FlowKind, Option<u32>);

    fn lane(&self) -> Self::Lane {
        (self.kind, self.src)
    }

    fn pack(&self, owners: &mut Owners) -> Packed {
        let marks = Marks::of(None, None);
        Packed {
            owner: owners.number((None, self.attempt)),
            other: owners.number((None, self.reduce)),
            ..Packed::of((self.start, self.end), (self.bytes, self.block), self.dest, self.place, marks)
        }
    }

    fn unpack((kind, src): Self::Lane, packed: &Packed, owners: &[Owner]) -> Self {
        Self {
            kind,
            src,
            dest: packed.peer(),
            start: packed.start(),
            end: packed.end(),
            bytes: packed.bytes(),
            block: packed.block(),
            attempt: owner(owners, packed.owner).1,
            reduce: owner(owners, packed.other).1,
            place: packed.place(),
        }
    }

    fn order(packed: &Packed) -> (u32, i64, i64) {
        // Nobody comes before everybody.
        (packed.peer.wrapping_add(1), packed.start, packed.end)
    }

    fn renumber((kind, src): Self::Lane, number: &dyn Fn(u32) -> u32) -> Self::Lane {
        (kind, src.map(number))
    }
}
