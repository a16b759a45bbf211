//! System calls in lanes, one a node.

use super::row::{Marks, Owner, Owners, Packed, Row};
use crate::model::calls::CallRow;

impl Row for CallRow {
    /// Its node.
    type Lane = u32;

    fn lane(&self) -> u32 {
        self.node
    }

    fn pack(&self, _: &mut Owners) -> Packed {
        let [name, args, ret] = self.texts;
        Packed {
            start: self.at_us,
            end: self.at_us,
            // None, the greatest number, becomes the least.
            bytes: self.duration_us.wrapping_add(1),
            block: i64::from(args),
            owner: name,
            other: self.pid,
            peer: ret,
            file: self.file,
            line: self.line,
            line_high: 0,
            marks: Marks(0),
        }
    }

    fn unpack(node: u32, packed: &Packed, _: &[Owner]) -> Self {
        Self {
            node,
            at_us: packed.start,
            pid: packed.other,
            file: packed.file,
            line: packed.line,
            duration_us: packed.bytes.wrapping_sub(1),
            texts: [packed.owner, packed.block as u32, packed.peer],
        }
    }

    fn order(packed: &Packed) -> (u32, i64, i64) {
        (0, packed.start, i64::from(packed.other))
    }

    fn renumber(node: u32, _: &dyn Fn(u32) -> u32) -> u32 {
        node
    }
}
