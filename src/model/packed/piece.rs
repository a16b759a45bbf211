//! A few rows, each as what differs from the one before.
//!
//! ```text
//! 0b000_0111_1111   which fields differ, a bit each
//! +412 −35 …        by how much, zigzag varints
//! ```
//! Rows of a lane lie side by side in time, in their file, among the attempts: ten to twenty bytes
//! of difference where a row takes 56. Cost: O(1) a row both ways, in order from a piece's first.

use super::row::{NO_TIME, Packed};
use crate::base::varint::{put, take, unzigzag, zigzag};

/// Fields of a row, those that differ most often first: their bits fit into one byte.
const FIELDS: usize = 10;

/// Rows that were put together.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    bytes: Box<[u8]>,
}

impl Piece {
    /// Of these rows; they are put together in `room`, which is kept for the next.
    pub(super) fn of(rows: &[Packed], room: &mut Vec<u8>) -> Self {
        room.clear();
        let mut before = [0_u64; FIELDS];
        for row in rows {
            let fields = fields_of(row);
            let (mut which, mut apart) = (0, [0; FIELDS]);
            for (i, (apart, (now, before))) in apart.iter_mut().zip(fields.iter().zip(&before)).enumerate() {
                *apart = zigzag(now.wrapping_sub(*before) as i64);
                which |= u64::from(*apart != 0) << i;
            }
            put(room, which);
            apart.into_iter().filter(|apart| *apart != 0).for_each(|apart| put(room, apart));
            before = fields;
        }
        Self { bytes: room.as_slice().into() }
    }

    /// The rows.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { rest: &self.bytes, before: [0; FIELDS] }
    }

    /// Bytes held.
    #[cfg(test)]
    pub(super) const fn bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Reads the rows of a [`Piece`].
#[derive(Clone, Debug)]
pub(super) struct Rows<'a> {
    rest: &'a [u8],
    before: [u64; FIELDS],
}

impl Iterator for Rows<'_> {
    type Item = Packed;

    fn next(&mut self) -> Option<Packed> {
        let mut which = take(&mut self.rest)?;
        while which != 0 {
            let field = self.before.get_mut(which.trailing_zeros() as usize)?;
            *field = field.wrapping_add(unzigzag(take(&mut self.rest)?) as u64);
            which &= which - 1;
        }
        Some(row_of(&self.before))
    }
}

fn fields_of(row: &Packed) -> [u64; FIELDS] {
    [
        row.start as u64,
        // How long it took is more alike than when it ended.
        row.end.wrapping_sub(begin_of(row.start)) as u64,
        u64::from(row.owner),
        u64::from(row.line_high) << 32 | u64::from(row.line),
        row.bytes,
        u64::from(row.file),
        u64::from(row.other),
        row.block as u64,
        u64::from(row.peer),
        u64::from(row.marks.0),
    ]
}

fn row_of(fields: &[u64; FIELDS]) -> Packed {
    let [start, took, owner, line, bytes, file, other, block, peer, marks] = *fields;
    let start = start as i64;
    Packed {
        start,
        end: (took as i64).wrapping_add(begin_of(start)),
        bytes,
        block: block as i64,
        owner: owner as u32,
        other: other as u32,
        peer: peer as u32,
        file: file as u32,
        line: line as u32,
        line_high: (line >> 32) as u16,
        marks: super::row::Marks(marks as u16),
    }
}

/// What ends are counted from.
const fn begin_of(start: i64) -> i64 {
    if start == NO_TIME { 0 } else { start }
}
