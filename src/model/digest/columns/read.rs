//! Rows out of columns.

use super::{LONG_LIST, MOST_COLUMNS, MOST_ELEMENTS, ON, Paths, tag_of_list};
use crate::base::{Timestamp, varint};
use crate::model::Event;
use crate::model::digest::Row;
use postcard::{Error, Result};
use serde::de::value::U32Deserializer;
use serde::de::{DeserializeSeed, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::ops::Range;

/// Gives a block's rows.
#[derive(Debug, Default)]
pub struct ColumnReader {
    block: Vec<u8>,
    /// Columns that no row came by yet.
    rest: std::vec::IntoIter<Column>,
    paths: Paths<Column>,
    rows: u64,
    /// Elements of lists that may still come.
    elements: u64,
    line: u64,
    /// Something was not there: what came instead is no row.
    damaged: bool,
}

#[derive(Debug, Default)]
struct Column {
    last: u64,
    /// How many values more are the one before.
    same: u64,
    /// What is left of it.
    rest: Range<u32>,
    /// Where the text before stands.
    text: Range<u32>,
}

impl Column {
    #[inline(always)]
    fn number(&mut self, block: &[u8]) -> Option<u64> {
        if !self.repeats() {
            self.step(block)?;
        }
        Some(self.last)
    }

    #[inline(never)]
    fn step(&mut self, block: &[u8]) -> Option<()> {
        match self.varint(block)? {
            0 => self.same = self.varint(block)?,
            step => self.last = self.last.wrapping_add(varint::unzigzag(step) as u64),
        }
        Some(())
    }

    fn text(&mut self, block: &[u8]) -> Option<Range<usize>> {
        if !self.repeats() {
            match self.varint(block)?.checked_sub(1) {
                None => self.same = self.varint(block)?,
                Some(length) => {
                    let end = self.rest.start.checked_add(u32::try_from(length).ok()?);
                    let end = end.filter(|end| *end <= self.rest.end)?;
                    self.text = self.rest.start..end;
                    self.rest.start = end;
                }
            }
        }
        Some(range(&self.text))
    }

    /// A step that no run folds.
    fn lone_step(&mut self, block: &[u8]) -> Option<i64> {
        self.varint(block).map(varint::unzigzag)
    }

    /// Whether the value is the one before once more, by a run that goes on.
    #[inline(always)]
    const fn repeats(&mut self) -> bool {
        let Some(left) = self.same.checked_sub(1) else { return false };
        self.same = left;
        true
    }

    #[inline(always)]
    fn varint(&mut self, block: &[u8]) -> Option<u64> {
        let mut rest = block.get(range(&self.rest))?;
        let value = varint::take(&mut rest)?;
        self.rest.start = self.rest.end - rest.len() as u32;
        Some(value)
    }
}

const fn range(of: &Range<u32>) -> Range<usize> {
    of.start as usize..of.end as usize
}

impl ColumnReader {
    /// The rows of a block; none of one that is damaged.
    pub fn new(block: Vec<u8>) -> Self {
        Self::begin(&block).map_or_else(Self::default, |(rows, columns)| {
            let mut rest = columns.into_iter();
            let paths = Paths::new(rest.next().unwrap_or_default());
            Self { block, rest, paths, rows, elements: MOST_ELEMENTS, line: 0, damaged: false }
        })
    }

    /// The number of rows, and the columns.
    fn begin(block: &[u8]) -> Option<(u64, Vec<Column>)> {
        let mut rest = block;
        u32::try_from(block.len()).ok()?;
        let rows = varint::take(&mut rest)?;
        let mut columns = Vec::new();
        while !rest.is_empty() && columns.len() < MOST_COLUMNS {
            let length = usize::try_from(varint::take(&mut rest)?).ok()?;
            let begin = block.len() - rest.len();
            rest = rest.get(length..)?;
            columns.push(Column { rest: begin as u32..(begin + length) as u32, ..Column::default() });
        }
        rest.is_empty().then_some((rows, columns))
    }

    fn row(&mut self) -> Option<Row> {
        self.paths.at = 0;
        let step = self.take(|column, block| Some((column.lone_step(block)?, ON)))?;
        self.line = self.line.wrapping_add(step as u64);
        let at = Timestamp::from_millis(self.number() as i64);
        // Part by part: a row moved as a whole is moved twice.
        let event = Event::deserialize(&mut *self).ok()?;
        (!self.damaged).then_some(Row { line: self.line, at, event })
    }

    /// Has the next column give a value, and the tag to go on after.
    #[inline(always)]
    fn take<T>(&mut self, value: impl FnOnce(&mut Column, &[u8]) -> Option<(T, u32)>) -> Option<T> {
        let Self { block, rest, paths, .. } = self;
        paths.pass(|column| value(column, block), || rest.next())
    }

    /// The next number; zero where there is none, and the row is damaged: a number alone is returned sooner than one that
    /// may be missing.
    #[inline(never)]
    fn number(&mut self) -> u64 {
        let number = self.take(|column, block| Some((column.number(block)?, ON)));
        self.damaged |= number.is_none();
        number.unwrap_or_default()
    }

    /// The next tag, as [`Self::number`].
    #[inline(never)]
    fn tag(&mut self) -> u32 {
        let tag = self.take(|column, block| {
            let tag = u32::try_from(column.number(block)?).ok()?;
            Some((tag, tag))
        });
        self.damaged |= tag.is_none();
        tag.unwrap_or_default()
    }

    fn text(&mut self) -> Result<&[u8]> {
        let text = self.take(|column, block| Some((column.text(block)?, ON)));
        text.and_then(|text| self.block.get(text)).ok_or(Error::DeserializeUnexpectedEnd)
    }

    /// A number of a narrower type.
    fn narrow<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.number()).map_err(|_| Error::DeserializeBadVarint)
    }

    /// A number of a narrower type that may be below zero.
    fn signed<T: TryFrom<i64>>(&mut self) -> Result<T> {
        T::try_from(self.number() as i64).map_err(|_| Error::DeserializeBadVarint)
    }

    fn list(&mut self) -> Result<List<'_>> {
        let len = self.take(|column, block| {
            let len = usize::try_from(column.number(block)?).ok()?;
            Some((len, tag_of_list(len)))
        });
        let len = len.ok_or(Error::DeserializeUnexpectedEnd)?;
        self.elements = self.elements.checked_sub(len as u64).ok_or(Error::DeserializeUnexpectedEnd)?;
        let from = (len > LONG_LIST).then_some(self.paths.at);
        Ok(List { of: self, from, left: len })
    }
}

impl Iterator for ColumnReader {
    type Item = Row;

    /// The next row; `None` behind the last, or where the block is damaged.
    fn next(&mut self) -> Option<Row> {
        self.rows = self.rows.checked_sub(1)?;
        let row = self.row();
        if row.is_none() {
            self.rows = 0;
        }
        row
    }
}

/// A list, or whatever else has parts.
struct List<'a> {
    of: &'a mut ColumnReader,
    from: Option<u32>,
    left: usize,
}

impl List<'_> {
    /// Whether there is another element; goes to it.
    fn goes_on(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        if let Some(from) = self.from {
            self.of.paths.at = from;
        }
        true
    }
}

impl<'de> Deserializer<'de> for &mut ColumnReader {
    type Error = Error;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(Error::WontImplement)
    }
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_bool(self.narrow::<u8>()? != 0)
    }
    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_i8(self.signed()?)
    }
    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_i16(self.signed()?)
    }
    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_i32(self.signed()?)
    }
    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_i64(self.number() as i64)
    }
    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u8(self.narrow()?)
    }
    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u16(self.narrow()?)
    }
    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u32(self.narrow()?)
    }
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_u64(self.number())
    }
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_f32(f32::from_bits(self.narrow()?))
    }
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_f64(f64::from_bits(self.number()))
    }
    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_char(char::from_u32(self.narrow()?).ok_or(Error::DeserializeBadChar)?)
    }
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_str(std::str::from_utf8(self.text()?).map_err(|_| Error::DeserializeBadUtf8)?)
    }
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_bytes(self.text()?)
    }
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.tag() {
            0 => visitor.visit_none(),
            1 => visitor.visit_some(self),
            _ => Err(Error::DeserializeBadOption),
        }
    }
    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(self.list()?)
    }
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        visitor.visit_seq(List { of: self, from: None, left: len })
    }
    fn deserialize_tuple_struct<V: Visitor<'de>>(self, _: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_map(self.list()?)
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        self.deserialize_tuple(fields.len(), visitor)
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value> {
        visitor.visit_enum(self)
    }
    fn deserialize_identifier<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(Error::WontImplement)
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value> {
        Err(Error::WontImplement)
    }
}

impl<'de> SeqAccess<'de> for List<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.goes_on() { seed.deserialize(&mut *self.of).map(Some) } else { Ok(None) }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for List<'_> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(&mut *self.of)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> EnumAccess<'de> for &mut ColumnReader {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let variant: U32Deserializer<Error> = self.tag().into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut ColumnReader {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        Ok(())
    }
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        seed.deserialize(self)
    }
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(len, visitor)
    }
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}
