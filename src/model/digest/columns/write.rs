//! Rows into columns.

use super::{BLOCK_BYTES, BLOCK_COLUMNS, BLOCK_ELEMENTS, BLOCK_ROWS, LONG_LIST, ON, Paths, tag_of_list};
use crate::base::{Timestamp, bytes, varint};
use crate::model::Event;
use postcard::{Error, Result};
use serde::{Serialize, Serializer, ser};
use std::cell::RefCell;

/// Takes rows until they fill a block.
#[derive(Debug, Default)]
pub struct ColumnWriter {
    paths: Paths<Column>,
    rows: u64,
    /// Elements of lists.
    elements: u64,
    bytes: usize,
    last_line: u64,
    /// What the columns of the block before were written to, the first of them on top: most logs are short, and have as
    /// many columns as long ones.
    spare: Vec<Vec<u8>>,
}

/// What a column's length takes in a block, and its last run.
const ROOM_A_COLUMN: usize = 4;
/// Writers that a thread keeps, about one a topic.
const KEPT: usize = 8;

thread_local! {
    static WRITERS: RefCell<Vec<ColumnWriter>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug, Default)]
struct Column {
    /// The number before.
    last: u64,
    /// How many values so far are the one before, and not written yet.
    same: u64,
    bytes: Vec<u8>,
    /// Where the text before stands in the bytes, if there is one.
    text: (u32, u32),
}

impl Column {
    /// An empty one, with this room.
    fn with(room: Option<Vec<u8>>) -> Self {
        Self { bytes: room.unwrap_or_default(), ..Self::default() }
    }

    /// Takes a number; returns how many bytes that took.
    #[inline(always)]
    fn number(&mut self, value: u64) -> usize {
        if value == self.last {
            self.same += 1;
            return 0;
        }
        self.step_to(value)
    }

    #[inline(never)]
    fn step_to(&mut self, value: u64) -> usize {
        let before = self.bytes.len();
        self.unfold();
        varint::put(&mut self.bytes, varint::zigzag(value.wrapping_sub(self.last) as i64));
        self.last = value;
        self.bytes.len() - before
    }

    /// Takes a step that no run folds.
    fn lone_step(&mut self, step: i64) -> usize {
        let before = self.bytes.len();
        varint::put(&mut self.bytes, varint::zigzag(step));
        self.bytes.len() - before
    }

    fn text(&mut self, text: &[u8]) -> usize {
        let (from, to) = self.text;
        if to > 0 && self.bytes.get(from as usize..to as usize).is_some_and(|before| bytes::same(before, text)) {
            self.same += 1;
            return 0;
        }
        let before = self.bytes.len();
        self.unfold();
        varint::put(&mut self.bytes, text.len() as u64 + 1);
        let from = self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.text = match (u32::try_from(from), u32::try_from(self.bytes.len())) {
            (Ok(from), Ok(to)) => (from, to),
            _ => (0, 0),
        };
        self.bytes.len() - before
    }

    fn unfold(&mut self) {
        if let Some(more) = std::mem::take(&mut self.same).checked_sub(1) {
            self.bytes.push(0);
            varint::put(&mut self.bytes, more);
        }
    }
}

impl ColumnWriter {
    /// An empty one, with the room of one that was laid by.
    pub fn new() -> Self {
        WRITERS.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Lays it by once its block is taken.
    pub fn lay_by(self) {
        WRITERS.with_borrow_mut(|kept| {
            if self.rows == 0 && kept.len() < KEPT {
                kept.push(self);
            }
        });
    }

    /// Adds a row.
    ///
    /// # Errors
    /// Of values that `postcard` does not write either. What stands before them stays behind: such a block is not
    /// to be gone on with.
    pub fn push(&mut self, line: u64, at: Timestamp, event: &Event) -> Result<()> {
        self.paths.at = 0;
        let step = (line as i64).wrapping_sub(self.last_line as i64);
        self.put(|lines| (lines.lone_step(step), ON));
        self.last_line = line;
        self.rows += 1;
        self.number(at.millis() as u64);
        event.serialize(self)
    }

    /// Whether the rows are enough for a block.
    pub const fn is_full(&self) -> bool {
        self.rows >= BLOCK_ROWS
            || self.elements >= BLOCK_ELEMENTS
            || self.paths.columns.len() >= BLOCK_COLUMNS
            || self.bytes >= BLOCK_BYTES
    }

    /// Bytes so far.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The block, if there is a row; it is empty then.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        if self.rows == 0 {
            return None;
        }
        let mut block = Vec::with_capacity(self.bytes + ROOM_A_COLUMN * self.paths.columns.len());
        varint::put(&mut block, self.rows);
        self.spare.clear();
        for place in &mut self.paths.columns {
            let mut column = std::mem::take(&mut place.column);
            column.unfold();
            varint::put(&mut block, column.bytes.len() as u64);
            block.append(&mut column.bytes);
            self.spare.push(column.bytes);
        }
        // Columns come in the same order again, and find room of their size.
        self.spare.reverse();
        self.paths.begin(Column::with(self.spare.pop()));
        (self.rows, self.elements, self.bytes, self.last_line) = (0, 0, 0, 0);
        block.shrink_to_fit();
        Some(block)
    }

    /// What it has room for.
    #[cfg(test)]
    pub fn room_bytes(&self) -> usize {
        let open = self.paths.columns.iter().map(|place| &place.column.bytes);
        open.chain(&self.spare).map(Vec::capacity).sum()
    }

    /// Has the next column take a value, which says how many bytes that took, and which tag it is.
    #[inline(always)]
    fn put(&mut self, value: impl FnOnce(&mut Column) -> (usize, u32)) {
        let Self { paths, spare, .. } = self;
        // A column that is new begins empty.
        let new = || Some(Column::with(spare.pop()));
        self.bytes += paths.pass(|column| Some(value(column)), new).unwrap_or_default();
    }

    #[inline(never)]
    fn number(&mut self, value: u64) {
        self.put(|column| (column.number(value), ON));
    }

    #[inline(never)]
    fn tag(&mut self, tag: u32) {
        self.put(|column| (column.number(tag.into()), tag));
    }

    fn text(&mut self, text: &[u8]) {
        self.put(|column| (column.text(text), ON));
    }

    fn list(&mut self, len: Option<usize>) -> Result<List<'_>> {
        let len = len.ok_or(Error::SerializeSeqLengthUnknown)?;
        self.put(|column| (column.number(len as u64), tag_of_list(len)));
        self.elements += len as u64;
        let from = (len > LONG_LIST).then_some(self.paths.at);
        Ok(List { to: self, from })
    }
}

/// A list, or whatever else has parts.
pub struct List<'a> {
    to: &'a mut ColumnWriter,
    /// Where each element begins, if they share their columns.
    from: Option<u32>,
}

impl List<'_> {
    fn part(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        value.serialize(&mut *self.to)
    }

    fn element(&mut self, value: &(impl Serialize + ?Sized)) -> Result<()> {
        self.to.paths.at = self.from.unwrap_or(self.to.paths.at);
        self.part(value)
    }
}

impl<'a> Serializer for &'a mut ColumnWriter {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = List<'a>;
    type SerializeTupleVariant = List<'a>;
    type SerializeMap = List<'a>;
    type SerializeStruct = List<'a>;
    type SerializeStructVariant = List<'a>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.serialize_u64(value.into())
    }
    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }
    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }
    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }
    fn serialize_i64(self, value: i64) -> Result<()> {
        self.serialize_u64(value as u64)
    }
    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_u64(value.into())
    }
    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_u64(value.into())
    }
    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_u64(value.into())
    }
    fn serialize_u64(self, value: u64) -> Result<()> {
        self.number(value);
        Ok(())
    }
    fn serialize_f32(self, value: f32) -> Result<()> {
        self.serialize_u32(value.to_bits())
    }
    fn serialize_f64(self, value: f64) -> Result<()> {
        self.serialize_u64(value.to_bits())
    }
    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_u32(value.into())
    }
    fn serialize_str(self, value: &str) -> Result<()> {
        self.serialize_bytes(value.as_bytes())
    }
    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.text(value);
        Ok(())
    }
    fn serialize_none(self) -> Result<()> {
        self.tag(0);
        Ok(())
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        self.tag(1);
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<()> {
        Ok(())
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        Ok(())
    }
    fn serialize_unit_variant(self, _: &'static str, variant: u32, _: &'static str) -> Result<()> {
        self.tag(variant);
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        variant: u32,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        self.tag(variant);
        value.serialize(self)
    }
    fn serialize_seq(self, len: Option<usize>) -> Result<List<'a>> {
        self.list(len)
    }
    fn serialize_tuple(self, _: usize) -> Result<List<'a>> {
        Ok(List { to: self, from: None })
    }
    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<List<'a>> {
        self.serialize_tuple(len)
    }
    fn serialize_tuple_variant(self, _: &'static str, variant: u32, _: &'static str, len: usize) -> Result<List<'a>> {
        self.tag(variant);
        self.serialize_tuple(len)
    }
    fn serialize_map(self, len: Option<usize>) -> Result<List<'a>> {
        self.list(len)
    }
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<List<'a>> {
        self.serialize_tuple(len)
    }
    fn serialize_struct_variant(self, _: &'static str, variant: u32, _: &'static str, len: usize) -> Result<List<'a>> {
        self.tag(variant);
        self.serialize_tuple(len)
    }
}

impl ser::SerializeSeq for List<'_> {
    type Ok = ();
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.element(value)
    }
    fn end(self) -> Result<()> {
        Ok(())
    }
}

impl ser::SerializeMap for List<'_> {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.element(key)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.part(value)
    }
    fn end(self) -> Result<()> {
        Ok(())
    }
}

/// What has parts one after the other, each known by a name or by none.
macro_rules! in_parts {
    ($($trait:ident::$take:ident($($name:ty)?),)*) => {$(
        impl ser::$trait for List<'_> {
            type Ok = ();
            type Error = Error;
            fn $take<T: Serialize + ?Sized>(&mut self, $(_: $name,)? value: &T) -> Result<()> {
                self.part(value)
            }
            fn end(self) -> Result<()> {
                Ok(())
            }
        }
    )*};
}

in_parts! {
    SerializeTuple::serialize_element(),
    SerializeTupleStruct::serialize_field(),
    SerializeTupleVariant::serialize_field(),
    SerializeStruct::serialize_field(&'static str),
    SerializeStructVariant::serialize_field(&'static str),
}
