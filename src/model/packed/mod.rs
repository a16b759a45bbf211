//! Rows of which there are millions, states, flows and system calls, in ten to twenty bytes each.
//!
//! ```text
//! lane (what rows are sorted by first)   rows of the lane, sorted, as differences
//! (Shuffle, n001)                        start, end, bytes, block, owner, other, peer, file, line, marks
//! (Shuffle, n002)                        +412, +35, …
//! ```
//! Rows come lane by lane or mixed, in pieces: at no time are the rows of more than one lane there
//! twice. Who a row belongs to (its job, its attempt) is a number in a table, since an attempt has
//! many rows. Cost: O(log lanes) a row to add, O(log lanes + piece) to find, O(n log n) within a lane
//! to sort.

mod call;
mod piece;
mod row;

use crate::base::Arrange;
use piece::Piece;
use row::{Owner, Owners, Packed, Row};
use std::collections::BTreeMap;

/// Rows of a piece: few enough to find one among them at once, many enough that what is kept for each
/// piece does not count.
const PIECE: usize = 64;

#[derive(Clone, Debug)]
struct Lane<R: Row> {
    key: R::Lane,
    /// Rows of the lanes before it.
    from: usize,
    /// Its rows, in pieces of which all but the last are full.
    pieces: Vec<Piece>,
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
        let row = lane.pieces.get(at / PIECE)?.rows().nth(at % PIECE)?;
        Some(R::unpack(lane.key, &row, &self.owners))
    }

    /// What rows are sorted by first, each that there is, in order.
    pub fn lanes(&self) -> impl Iterator<Item = R::Lane> + '_ {
        self.lanes.iter().map(|lane| lane.key)
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

    /// [`Self::within`] for rows of which there are many: none is moved.
    pub(super) fn each_within(&self, side: impl Fn(R::Lane) -> std::cmp::Ordering, take: &mut dyn FnMut(usize, &R)) {
        let from = self.lanes.partition_point(|lane| side(lane.key).is_lt());
        let to = self.lanes.partition_point(|lane| side(lane.key).is_le());
        for lane in self.lanes.get(from..to).unwrap_or_default() {
            for (at, piece) in (lane.from..).step_by(PIECE).zip(&lane.pieces) {
                self.each_of(lane.key, piece, at, take);
            }
        }
    }

    /// A function of its own, so that a browser has made it fast after some pieces.
    #[inline(never)]
    fn each_of(&self, key: R::Lane, piece: &Piece, from: usize, take: &mut dyn FnMut(usize, &R)) {
        (from..).zip(piece.rows()).for_each(|(at, row)| take(at, &R::unpack(key, &row, &self.owners)));
    }

    fn rows_of<'a>(&'a self, lanes: &'a [Lane<R>]) -> impl Iterator<Item = R> + 'a {
        lanes.iter().flat_map(|lane| {
            lane.pieces.iter().flat_map(Piece::rows).map(|row| R::unpack(lane.key, &row, &self.owners))
        })
    }
}

/// Rows that are still being found.
#[derive(Debug)]
pub struct Growing<R: Row> {
    lanes: Vec<(R::Lane, GrowingLane)>,
    /// Where each stands among them.
    places: BTreeMap<R::Lane, usize>,
    /// Where the last row's stands: the next is mostly of the same.
    at: usize,
    owners: Owners,
    room: Vec<u8>,
}

/// The rows of a lane so far.
#[derive(Debug, Default)]
struct GrowingLane {
    pieces: Vec<Piece>,
    /// Those that do not fill a piece yet.
    open: Vec<Packed>,
}

impl<R: Row> Default for Growing<R> {
    fn default() -> Self {
        Self { lanes: Vec::new(), places: BTreeMap::new(), at: 0, owners: Owners::default(), room: Vec::new() }
    }
}

impl<R: Row> Growing<R> {
    /// Adds a row.
    pub fn push(&mut self, row: &R) {
        let key = row.lane();
        if self.lanes.get(self.at).is_none_or(|(at, _)| *at != key) {
            self.at = *self.places.entry(key).or_insert(self.lanes.len());
        }
        if self.at == self.lanes.len() {
            self.lanes.push((key, GrowingLane::default()));
        }
        let Some((_, lane)) = self.lanes.get_mut(self.at) else { return };
        lane.open.push(row.pack(&mut self.owners));
        if lane.open.len() == PIECE {
            lane.pieces.push(Piece::of(&lane.open, &mut self.room));
            lane.open.clear();
        }
    }

    /// The rows of these lanes so far, in no order, their peers as they were given.
    pub fn within(&self, wanted: impl Fn(R::Lane) -> bool) -> impl Iterator<Item = R> {
        let lanes = self.lanes.iter().filter(move |(key, _)| wanted(*key));
        lanes.flat_map(|(key, lane)| {
            let rows = lane.pieces.iter().flat_map(Piece::rows).chain(lane.open.iter().copied());
            rows.map(|row| R::unpack(*key, &row, &self.owners.all))
        })
    }

    /// All rows in canonical order, their peers numbered anew.
    #[must_use]
    pub fn finish(mut self, number: &dyn Fn(u32) -> u32) -> Lanes<R> {
        self.lanes.arrange_by(|(key, _)| *key);
        let Self { lanes: growing, owners: Owners { all: owners, .. }, mut room, .. } = self;
        let mut lanes: Vec<Lane<R>> = Vec::with_capacity(growing.len());
        let mut rows: Vec<Packed> = Vec::new();
        let mut len = 0;
        for (key, GrowingLane { pieces, open }) in growing {
            rows.clear();
            rows.extend(pieces.iter().flat_map(Piece::rows));
            drop(pieces);
            rows.extend(open);
            rows.iter_mut().for_each(|row| row.renumber(number));
            let key = R::renumber(key, number);
            let row = |packed: &Packed| R::unpack(key, packed, &owners);
            rows.sort_unstable_by(|a, b| R::order(a).cmp(&R::order(b)).then_with(|| row(a).cmp(&row(b))));
            let pieces = rows.chunks(PIECE).map(|rows| Piece::of(rows, &mut room)).collect();
            // Where it begins is known when the lanes stand in order; until then this is its length.
            lanes.push(Lane { key, from: rows.len(), pieces });
        }
        lanes.arrange_by(|lane| lane.key);
        for lane in &mut lanes {
            len += std::mem::replace(&mut lane.from, len);
        }
        Lanes { lanes, owners, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, BlockId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
    use crate::model::calls::CallRow;
    use crate::model::{Flow, FlowKind, Outcome, State, StateKind, WriteOrigin};
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
        fn states_come_back_in_order(rows in proptest::collection::vec(state(), 0..300)) {
            let lanes = Lanes::from_rows(rows.clone());
            let mut sorted = rows;
            sorted.sort_unstable();
            prop_assert_eq!(lanes.len(), sorted.len());
            prop_assert_eq!((0..).map_while(|i| lanes.get(i)).collect::<Vec<_>>(), sorted.clone());
            for i in (0..sorted.len()).rev().chain(0..sorted.len() + 1) {
                prop_assert_eq!(lanes.get(i), sorted.get(i).copied());
            }
            prop_assert_eq!(lanes.iter().collect::<Vec<_>>(), sorted.clone());
            let mut keys: Vec<_> = sorted.iter().map(|s| (s.kind, s.node)).collect();
            keys.dedup();
            prop_assert_eq!(lanes.lanes().collect::<Vec<_>>(), keys);
            for kind in StateKind::ALL {
                let of_kind: Vec<(usize, State)> = lanes.within(|lane| lane.0.cmp(&kind)).collect();
                let expected: Vec<(usize, State)> =
                    sorted.iter().copied().enumerate().filter(|(_, s)| s.kind == kind).collect();
                prop_assert_eq!(of_kind, expected);
            }
        }

        #[test]
        fn calls_come_back_in_order(
            rows in proptest::collection::vec(
                (
                    prop_oneof![0..3_u32, Just(u32::MAX)],
                    prop_oneof![-5..5_i64, any::<i64>()],
                    (prop_oneof![0..3_u32, any::<u32>()], any::<[u32; 3]>()),
                    prop_oneof![0..3_u64, Just(u64::MAX), any::<u64>()],
                    any::<[u32; 2]>(),
                ),
                0..200,
            ),
        ) {
            let row = |(node, at_us, (pid, texts), duration_us, [file, line]): (u32, i64, (u32, [u32; 3]), u64, [u32; 2])| {
                CallRow { node, at_us, pid, file, line, duration_us, texts }
            };
            let mut sorted: Vec<CallRow> = rows.into_iter().map(row).collect();
            let lanes = Lanes::from_rows(sorted.clone());
            sorted.sort_unstable();
            prop_assert_eq!(lanes.iter().collect::<Vec<_>>(), sorted);
        }

        #[test]
        fn flows_come_back_in_order_of_their_final_numbers(rows in proptest::collection::vec(flow(), 0..300)) {
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
        let row = |i: i64| State { start: None, ..State::made(StateKind::Map, NodeId(0), (0, -i), 0) };
        let many = 3 * PIECE as i64 + 1;
        let lanes = Lanes::from_rows((0..many).map(row));
        assert_eq!(lanes.len(), many as usize);
        assert_eq!(lanes.get(0).map(|s| s.end.millis()), Some(1 - many));
        assert!(lanes.iter().map(|s| s.end).is_sorted());
        assert_eq!(lanes.get(lanes.len()), None);
    }

    #[test]
    fn rows_like_those_of_a_log_are_small() {
        // A reduce fetches one map's output after the other, from files that it has not seen before.
        let flow = |i: i64| Flow {
            kind: FlowKind::Shuffle,
            src: Some(1),
            dest: Some(i as u32 / 500),
            start: Some(Timestamp::from_millis(1_795_227_884_210 + i * 137)),
            end: Timestamp::from_millis(1_795_227_884_210 + i * 137 + i * i % 400),
            bytes: Some(1_000_000 + (i * 7919 % 9973) as u64),
            block: None,
            attempt: Some(attempt((i * 31 % 500) as u32)),
            reduce: Some(attempt(1_000 + i as u32 / 500)),
            place: Place { file: FileId(i as u32 / 500), line: 40 + 3 * (i % 500) as u64 },
        };
        let lanes = Lanes::from_rows((0..5_000).map(flow));
        let bytes: usize = lanes.lanes.iter().flat_map(|lane| &lane.pieces).map(Piece::bytes).sum();
        assert!(bytes < 16 * lanes.len(), "{} bytes a row", bytes as f64 / lanes.len() as f64);
        assert_eq!(size_of::<Packed>(), 56);
    }
}
