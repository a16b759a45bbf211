//! Lines that were not understood, or said nothing that is used, grouped by what they
//! look like: a pattern that is missing shows as one shape with a high count.
//!
//! ```text
//! # INFO dfs.DataNode: Scheduling block blk_# file <path> for deletion     812 times, lines 7, 19, 40
//! ```
//! `format::shape` folds a line into its shape. A file keeps [`SHAPES_KEPT`] of them, the
//! first that come; lines of further shapes are only counted. Once its file is read, a
//! table is packed ([`Shapes`]): thousands of files are held at once.

use super::digest::pack::{pack, repacked, unpack};
use crate::base::{Arrange, Lookup};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use std::borrow::Cow;
use std::sync::Arc;

/// Shapes kept a file: a daemon's log has about as many kinds of message.
pub const SHAPES_KEPT: usize = 64;
/// Example lines kept a shape.
pub const EXAMPLES_KEPT: usize = 3;

/// Why a line is among the shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Unknown {
    /// It does not fit its file's format, or the file is in none.
    Unfit,
    /// It fits, and nothing in it is used.
    Unused,
}

impl Unknown {
    /// Why, by its name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Unfit, Self::Unused].into_iter().find(|why| why.name() == name)
    }

    /// `unfit` or `unused`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unfit => "unfit",
            Self::Unused => "unused",
        }
    }
}

/// Lines of one shape.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShapeCount {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub lines: Vec<u64>,
}

/// The shapes of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeTable {
    unfit: Lookup<Box<str>, ShapeCount>,
    unused: Lookup<Box<str>, ShapeCount>,
    /// Lines whose shape found no room.
    more: u64,
}

/// A [`ShapeTable`] as it stands in a digest, its shapes in order.
#[derive(Serialize, Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    kept: Vec<((Unknown, &'a str), Cow<'a, ShapeCount>)>,
    more: u64,
}

impl ShapeTable {
    /// Counts `weight` lines of a shape, of which `line` is one; a shape that is new has
    /// room only beside fewer than `kept` others.
    pub fn note(&mut self, why: Unknown, shape: &str, line: u64, weight: u64, kept: usize) {
        let room = self.unfit.len() + self.unused.len() < kept;
        let shapes = self.of_mut(why);
        match shapes.get_mut(shape) {
            Some(found) => {
                found.count += weight;
                if found.lines.len() < EXAMPLES_KEPT {
                    found.lines.push(line);
                }
            }
            None if room => {
                shapes.insert(shape.into(), ShapeCount { count: weight, lines: vec![line] });
            }
            None => self.more += weight,
        }
    }

    /// The shapes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Unknown, &str, &ShapeCount)> {
        let unfit = self.unfit.iter().map(|(shape, count)| (Unknown::Unfit, &**shape, count));
        let unused = self.unused.iter().map(|(shape, count)| (Unknown::Unused, &**shape, count));
        let mut all: Vec<_> = unfit.chain(unused).collect();
        all.arrange_by(|(why, shape, _)| (*why, *shape));
        all.into_iter()
    }

    const fn of_mut(&mut self, why: Unknown) -> &mut Lookup<Box<str>, ShapeCount> {
        match why {
            Unknown::Unfit => &mut self.unfit,
            Unknown::Unused => &mut self.unused,
        }
    }

    /// Lines whose shape found no room.
    #[must_use]
    pub const fn more(&self) -> u64 {
        self.more
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unfit.is_empty() && self.unused.is_empty()
    }
}

/// A packed [`ShapeTable`]; its copies share the bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes(Arc<ByteBuf>);

/// A table is never more than this unpacked (a hostile digest might claim to): ten times what
/// [`SHAPES_KEPT`] of the longest shapes take.
const TABLE_LIMIT: usize = 256 * 1024;

impl From<&ShapeTable> for Shapes {
    fn from(table: &ShapeTable) -> Self {
        if table.is_empty() {
            return Self::default();
        }
        let kept = table.iter().map(|(why, shape, count)| ((why, shape), Cow::Borrowed(count))).collect();
        let written = Written { kept, more: table.more };
        Self::of_packed(pack(&postcard::to_stdvec(&written).unwrap_or_default()))
    }
}

impl Shapes {
    fn of_packed(packed: Vec<u8>) -> Self {
        Self(Arc::new(ByteBuf::from(packed)))
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// What `take` makes of the table; nothing where the bytes are damaged.
    fn read<R: Default>(&self, take: impl FnOnce(Written<'_>) -> R) -> R {
        let plain = if self.0.is_empty() { None } else { unpack(&self.0, TABLE_LIMIT) };
        plain.as_deref().and_then(|plain| postcard::from_bytes(plain).ok()).map(take).unwrap_or_default()
    }

    /// Calls `take` with each shape, in order; with none where the bytes are damaged.
    pub fn each(&self, mut take: impl FnMut(Unknown, &str, &ShapeCount)) {
        self.read(|written| written.kept.iter().for_each(|((why, shape), count)| take(*why, shape, count)));
    }

    /// The table; an empty one where the bytes are damaged.
    #[must_use]
    pub fn table(&self) -> ShapeTable {
        self.read(|written| {
            let mut table = ShapeTable { more: written.more, ..ShapeTable::default() };
            for ((why, shape), count) in written.kept {
                table.of_mut(why).insert(shape.into(), count.into_owned());
            }
            table
        })
    }
}

/// Shapes as versions 2 to 4 of the digest wrote them: deflated.
#[derive(Deserialize)]
pub(super) struct Shapes4(Shapes);

impl From<Shapes4> for Shapes {
    fn from(Shapes4(Self(deflated)): Shapes4) -> Self {
        if deflated.is_empty() { Self::default() } else { Self::of_packed(repacked(&deflated, TABLE_LIMIT)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_are_examples_and_the_rest_is_counted() {
        let mut shapes = ShapeTable::default();
        for line in 1..=5 {
            shapes.note(Unknown::Unfit, "a #", line, 1, SHAPES_KEPT);
        }
        shapes.note(Unknown::Unused, "a #", 9, 16, SHAPES_KEPT);
        let all: Vec<_> = shapes.iter().map(|(why, s, c)| (why, s, c.count, c.lines.clone())).collect();
        assert_eq!(all, [(Unknown::Unfit, "a #", 5, vec![1, 2, 3]), (Unknown::Unused, "a #", 16, vec![9])]);
    }

    #[test]
    fn shapes_beyond_the_room_are_only_counted() {
        let mut shapes = ShapeTable::default();
        for i in 0..10 {
            shapes.note(Unknown::Unfit, &format!("{}", i * 3), i, 1, 3);
        }
        shapes.note(Unknown::Unfit, "0", 99, 1, 3);
        assert_eq!((shapes.iter().count(), shapes.more()), (3, 7));
        assert_eq!(shapes.iter().next().map(|(_, s, c)| (s, c.count)), Some(("0", 2)));
        let packed = Shapes::from(&shapes);
        assert_eq!(packed.table(), shapes);
        let mut each = Vec::new();
        packed.each(|why, shape, count| each.push((why, shape.to_owned(), count.clone())));
        let all = shapes.iter().map(|(why, shape, count)| (why, shape.to_owned(), count.clone()));
        assert_eq!(each, all.collect::<Vec<_>>());
    }

    #[test]
    fn damaged_table_is_empty() {
        assert!(Shapes::of_packed(vec![0xff; 9]).table().is_empty());
        Shapes::of_packed(vec![0xff; 9]).each(|_, shape, _| panic!("{shape}"));
        assert_eq!(Shapes::from(&ShapeTable::default()), Shapes::default());
    }
}
