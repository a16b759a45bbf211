//! Rows of which there are millions, states and flows, in 56 bytes each.
//!
//! ```text
//! lane (what rows are sorted by first)   rows of the lane, sorted
//! (Shuffle, n001)                        [start, end, bytes, block, owner, other, peer, file, line, marks]
//! (Shuffle, n002)                        […]
//! ```
//! Rows come lane by lane or mixed, in pieces that stay where they are: at no time are there two
//! copies of more than one lane. Who a row belongs to (its job, its attempt) is a number in a table,
//! since an attempt has many rows. Cost: O(log lanes) a row to add and to find, O(n log n) within a
//! lane to sort.

use super::{Flow, FlowKind, Outcome, State, StateKind, WriteOrigin};
use crate::base::{AttemptId, BlockId, FileId, JobId, NodeId, Place, Timestamp};
use std::collections::{BTreeMap, HashMap};

/// Rows of a piece: a lane that grows is not copied, and its last piece is not much. A power of two, to
/// which a vector grows by itself.
const PIECE: usize = 512;
/// No time; farther away than any ([`Timestamp`] ends before).
const NO_TIME: i64 = i64::MIN;
/// No number.
const NONE: u32 = u32::MAX;

/// Whose a row is.
type Owner = (Option<JobId>, Option<AttemptId>);

/// A row in few bytes. What a kind of rows does not have stays empty.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    start: i64,
    end: i64,
    bytes: u64,
    block: i64,
    /// Job and attempt: a number in the table of owners.
    owner: u32,
    /// The other attempt.
    other: u32,
    peer: u32,
    file: u32,
    line: u32,
    /// The line's further bits: no file has so many lines that it takes more.
    line_high: u16,
    marks: Marks,
}

/// Small values side by side: two bits of outcome, two of origin, and which numbers are there.
#[derive(Clone, Copy, Debug)]
struct Marks(u16);

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

/// Owners, each once, in the order in which they were met.
#[derive(Debug, Default)]
pub struct Owners {
    all: Vec<Owner>,
    numbers: HashMap<Owner, u32>,
}

impl Owners {
    fn number(&mut self, owner: Owner) -> u32 {
        if owner == (None, None) {
            return NONE;
        }
        *self.numbers.entry(owner).or_insert_with(|| {
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
    /// Gives peers their final numbers.
    fn renumber(lane: Self::Lane, packed: &mut [Packed], number: &dyn Fn(u32) -> u32) -> Self::Lane;
}

impl Row for State {
    type Lane = (StateKind, Option<NodeId>);

    fn lane(&self) -> Self::Lane {
        (self.kind, self.node)
    }

    fn pack(&self, owners: &mut Owners) -> Packed {
        let marks = Marks::of(self.outcome, self.origin).with(Marks::OPEN, self.open);
        Packed {
            start: self.start.map_or(NO_TIME, Timestamp::millis),
            end: self.end.millis(),
            bytes: self.bytes.unwrap_or(0),
            block: self.block.map_or(0, |block| block.0),
            owner: owners.number((self.job, self.attempt)),
            other: NONE,
            peer: self.peer.unwrap_or(NONE),
            file: self.place.file.0,
            line: self.place.line as u32,
            line_high: (self.place.line >> 32) as u16,
            marks: marks.with(Marks::BYTES, self.bytes.is_some()).with(Marks::BLOCK, self.block.is_some()),
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

    fn renumber(lane: Self::Lane, packed: &mut [Packed], number: &dyn Fn(u32) -> u32) -> Self::Lane {
        packed.iter_mut().filter(|p| p.peer != NONE).for_each(|p| p.peer = number(p.peer));
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
            start: self.start.map_or(NO_TIME, Timestamp::millis),
            end: self.end.millis(),
            bytes: self.bytes.unwrap_or(0),
            block: self.block.map_or(0, |block| block.0),
            owner: owners.number((None, self.attempt)),
            other: owners.number((None, self.reduce)),
            peer: self.dest.unwrap_or(NONE),
            file: self.place.file.0,
            line: self.place.line as u32,
            line_high: (self.place.line >> 32) as u16,
            marks: marks.with(Marks::BYTES, self.bytes.is_some()).with(Marks::BLOCK, self.block.is_some()),
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

    fn renumber((kind, src): Self::Lane, packed: &mut [Packed], number: &dyn Fn(u32) -> u32) -> Self::Lane {
        packed.iter_mut().filter(|p| p.peer != NONE).for_each(|p| p.peer = number(p.peer));
        (kind, src.map(number))
    }
}

#[derive(Clone, Debug)]
struct Lane<R: Row> {
    key: R::Lane,
    /// Rows of the lanes before it.
    from: usize,
    /// Its rows, in pieces of which all but the last are full.
    pieces: Vec<Vec<Packed>>,
}

/// Rows in canonical order.
#[derive(Clone, Debug)]
pub struct Lanes<R: Row> {
    lanes: Vec<Lane<R>>,
    owners: Vec<Owner>,
    len: usize,
}

impl<R: Row> Default for Lanes<R> {
    fn default() -> Self {
        Self { lanes: Vec::new(), owners: Vec::new(), len: 0 }
    }
}

impl<R: Row> PartialEq for Lanes<R> {
    /// Owners are numbered as they were met.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<R: Row> Lanes<R> {
    /// Puts rows in canonical order.
    #[must_use]
    pub fn from_rows(rows: impl IntoIterator<Item = R>) -> Self {
        let mut growing = Growing::default();
        rows.into_iter().for_each(|row| growing.push(&row));
        growing.finish(&|peer| peer)
    }

    /// Number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The row at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<R> {
        let lane = self.lanes.get(self.lanes.partition_point(|lane| lane.from <= index).checked_sub(1)?)?;
        let at = index - lane.from;
        Some(R::unpack(lane.key, lane.pieces.get(at / PIECE)?.get(at % PIECE)?, &self.owners))
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = R> + '_ {
        self.rows_of(&self.lanes)
    }

    /// The rows of the lanes for which `side` says that they lie neither before nor behind, in order,
    /// each with its index.
    pub(super) fn within(&self, side: impl Fn(R::Lane) -> std::cmp::Ordering) -> impl Iterator<Item = (usize, R)> + '_ {
        let from = self.lanes.partition_point(|lane| side(lane.key).is_lt());
        let to = self.lanes.partition_point(|lane| side(lane.key).is_le());
        let lanes = self.lanes.get(from..to).unwrap_or_default();
        (lanes.first().map_or(0, |lane| lane.from)..).zip(self.rows_of(lanes))
    }

    fn rows_of<'a>(&'a self, lanes: &'a [Lane<R>]) -> impl Iterator<Item = R> + 'a {
        lanes.iter().flat_map(|lane| lane.pieces.iter().flatten().map(|row| R::unpack(lane.key, row, &self.owners)))
    }
}

/// Rows that are still being found.
#[derive(Debug)]
pub struct Growing<R: Row> {
    lanes: BTreeMap<R::Lane, Vec<Vec<Packed>>>,
    /// The lane of the last row, and its pieces: the next is mostly of the same.
    last: Option<R::Lane>,
    pieces: Vec<Vec<Packed>>,
    owners: Owners,
}

impl<R: Row> Default for Growing<R> {
    fn default() -> Self {
        Self { lanes: BTreeMap::new(), last: None, pieces: Vec::new(), owners: Owners::default() }
    }
}

impl<R: Row> Growing<R> {
    /// Adds a row.
    pub fn push(&mut self, row: &R) {
        self.turn_to(Some(row.lane()));
        let packed = row.pack(&mut self.owners);
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(packed),
            Some(_) => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(packed);
                self.pieces.push(piece);
            }
            None => self.pieces.push(vec![packed]),
        }
    }

    fn turn_to(&mut self, lane: Option<R::Lane>) {
        if self.last == lane {
            return;
        }
        let next = lane.and_then(|lane| self.lanes.remove(&lane)).unwrap_or_default();
        let pieces = std::mem::replace(&mut self.pieces, next);
        if let Some(before) = std::mem::replace(&mut self.last, lane) {
            self.lanes.insert(before, pieces);
        }
    }

    /// All rows in canonical order, their peers numbered anew.
    #[must_use]
    pub fn finish(mut self, number: &dyn Fn(u32) -> u32) -> Lanes<R> {
        self.turn_to(None);
        let Self { lanes, owners: Owners { all: owners, .. }, .. } = self;
        let mut lanes: Vec<Lane<R>> = lanes.into_iter().map(|(key, pieces)| Lane { key, from: 0, pieces }).collect();
        let mut rows: Vec<Packed> = Vec::new();
        for lane in &mut lanes {
            rows.clear();
            lane.pieces.iter().for_each(|piece| rows.extend_from_slice(piece));
            lane.key = R::renumber(lane.key, &mut rows, number);
            let row = |packed: &Packed| R::unpack(lane.key, packed, &owners);
            rows.sort_unstable_by(|a, b| R::order(a).cmp(&R::order(b)).then_with(|| row(a).cmp(&row(b))));
            for (piece, sorted) in lane.pieces.iter_mut().zip(rows.chunks(PIECE)) {
                piece.copy_from_slice(sorted);
            }
        }
        lanes.sort_unstable_by_key(|lane| lane.key);
        let mut len = 0;
        for lane in &mut lanes {
            lane.from = len;
            len += lane.pieces.iter().map(Vec::len).sum::<usize>();
        }
        Lanes { lanes, owners, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TaskLetter;
    use proptest::prelude::*;

    fn attempt(task: u32) -> AttemptId {
        let job = JobId { cluster: 202_611_202_124, number: task % 3 };
        AttemptId { job, letter: TaskLetter::Map, task, attempt: 0 }
    }

    fn time() -> impl Strategy<Value = Timestamp> {
        prop_oneof![-5..5_i64, any::<i64>()].prop_map(Timestamp::from_millis)
    }

    fn place() -> impl Strategy<Value = Place> {
        (0..3_u32, 0..1_u64 << 48).prop_map(|(file, line)| Place { file: FileId(file), line })
    }

    prop_compose! {
        fn state()(
            kind in proptest::sample::select(&StateKind::ALL[..]),
            node in proptest::option::of((0..4_u32).prop_map(NodeId)),
            start in proptest::option::of(time()),
            end in time(),
            open in any::<bool>(),
            owner in proptest::option::of((0..4_u32, any::<bool>())),
            peer in proptest::option::of(0..9_u32),
            bytes in proptest::option::of(prop_oneof![Just(0), Just(u64::MAX), any::<u64>()]),
            outcome in proptest::sample::select(&[None, Some(Outcome::Success), Some(Outcome::Failed), Some(Outcome::Killed)][..]),
            origin in proptest::sample::select(
                &[None, Some(WriteOrigin::Local), Some(WriteOrigin::Remote), Some(WriteOrigin::Replicated)][..]
            ),
            block in proptest::option::of(any::<i64>().prop_map(BlockId)),
            place in place(),
        ) -> State {
            let (job, attempt) = match owner {
                Some((task, true)) => (Some(attempt(task).job), Some(attempt(task))),
                Some((task, false)) => (Some(attempt(task).job), None),
                None => (None, None),
            };
            State { kind, node, start, end, open, job, attempt, peer, bytes, outcome, origin, block, place }
        }
    }

    prop_compose! {
        fn flow()(
            kind in proptest::sample::select(&[FlowKind::Read, FlowKind::Write, FlowKind::Replicate, FlowKind::Shuffle][..]),
            src in proptest::option::of(0..5_u32),
            dest in proptest::option::of(0..5_u32),
            start in proptest::option::of(time()),
            end in time(),
            bytes in proptest::option::of(any::<u64>()),
            block in proptest::option::of(any::<i64>().prop_map(BlockId)),
            of in proptest::option::of(0..4_u32),
            reduce in proptest::option::of(0..4_u32),
            place in place(),
        ) -> Flow {
            Flow { kind, src, dest, start, end, bytes, block, attempt: of.map(attempt), reduce: reduce.map(attempt), place }
        }
    }

    proptest! {
        #[test]
        fn states_come_back_in_order(rows in proptest::collection::vec(state(), 0..40)) {
            let lanes = Lanes::from_rows(rows.clone());
            let mut sorted = rows;
            sorted.sort_unstable();
            prop_assert_eq!(lanes.len(), sorted.len());
            prop_assert_eq!((0..).map_while(|i| lanes.get(i)).collect::<Vec<_>>(), sorted.clone());
            prop_assert_eq!(lanes.iter().collect::<Vec<_>>(), sorted.clone());
            for kind in StateKind::ALL {
                let of_kind: Vec<(usize, State)> = lanes.within(|lane| lane.0.cmp(&kind)).collect();
                let expected: Vec<(usize, State)> =
                    sorted.iter().copied().enumerate().filter(|(_, s)| s.kind == kind).collect();
                prop_assert_eq!(of_kind, expected);
            }
        }

        #[test]
        fn flows_come_back_in_order_of_their_final_numbers(rows in proptest::collection::vec(flow(), 0..40)) {
            let number = |peer: u32| 9 - peer;
            let mut growing = Growing::default();
            rows.iter().for_each(|row| growing.push(row));
            let lanes = growing.finish(&number);
            let mut sorted: Vec<Flow> =
                rows.iter().map(|f| Flow { src: f.src.map(number), dest: f.dest.map(number), ..*f }).collect();
            sorted.sort_unstable();
            prop_assert_eq!(lanes.iter().collect::<Vec<_>>(), sorted);
        }
    }

    #[test]
    fn a_lane_longer_than_a_piece_is_one() {
        let row = |i: i64| State {
            kind: StateKind::Map,
            node: Some(NodeId(0)),
            start: None,
            end: Timestamp::from_millis(-i),
            open: false,
            job: None,
            attempt: None,
            peer: None,
            bytes: None,
            outcome: None,
            origin: None,
            block: None,
            place: Place { file: FileId(0), line: 0 },
        };
        let many = 3 * PIECE as i64 + 1;
        let lanes = Lanes::from_rows((0..many).map(row));
        assert_eq!(lanes.len(), many as usize);
        assert_eq!(lanes.get(0).map(|s| s.end.millis()), Some(1 - many));
        assert!(lanes.iter().map(|s| s.end).is_sorted());
        assert_eq!(lanes.get(lanes.len()), None);
    }

    #[test]
    fn a_row_is_small() {
        assert_eq!(size_of::<Packed>(), 56);
    }
}
