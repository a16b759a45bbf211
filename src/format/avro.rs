//! Avro data without a container, as they come: pushed bytes in, a job history's events out.
//!
//! ```text
//! schema: {"type":"record","name":"Event",…}      then: datum datum datum …
//! ```
//! Avro's binary encoding: numbers are zigzag and of variable length, texts have their length
//! before them, arrays and maps come in blocks that a count of 0 ends. The data carry no names,
//! so the [`Schema`] leads through them; what is not used is passed over without being built,
//! and texts are borrowed: nine tenths of a history are counters, of which little is used.
//! Cost: O(bytes); a long datum is tried again only when half as much again has come.

use super::avro_schema::{Schema, Type, TypeId};
use super::jhist::EVENT_BYTES;
use super::jhist_fields::{Fields, Leaf, Slot, slot};

/// A schema and the bytes not yet decoded.
#[derive(Debug)]
pub struct Data {
    schema: Schema,
    held: Vec<u8>,
    /// Data read so far.
    count: u64,
    /// Nothing is tried before so many bytes are held.
    try_at: usize,
}

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// All whole data are read.
    More,
    /// The input ends inside the datum of this number.
    Cut(u64),
    /// The datum of this number cannot be decoded, so no later one can be found.
    Bad(u64),
}

impl Data {
    /// Data of the schema that `text` is; `None` if it is none.
    #[must_use]
    pub fn new(text: &[u8]) -> Option<Self> {
        Some(Self { schema: Schema::parse(text)?, held: Vec::new(), count: 0, try_at: 0 })
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Gives each whole datum and its number, from 1, to `take`; `last`: no more bytes
    /// will come.
    pub fn read(&mut self, last: bool, mut take: impl FnMut(&Fields<'_>, u64)) -> Next {
        if !last && self.held.len() < self.try_at {
            return Next::More;
        }
        let mut used = 0;
        let next = loop {
            let rest = self.held.get(used..).unwrap_or_default();
            if rest.is_empty() {
                break Next::More;
            }
            let mut datum = Datum { schema: &self.schema, rest, fields: Fields::default() };
            match datum.event(self.schema.root) {
                Ok(()) => {
                    self.count += 1;
                    used = self.held.len() - datum.rest.len();
                    take(&datum.fields, self.count);
                }
                Err(Stop::Dry) if last => break Next::Cut(self.count + 1),
                Err(Stop::Dry) if rest.len() <= EVENT_BYTES => break Next::More,
                Err(_) => break Next::Bad(self.count + 1),
            }
        };
        self.held.drain(..used);
        self.try_at = self.held.len() + self.held.len() / 2;
        if matches!(next, Next::Bad(_)) {
            self.held = Vec::new();
        }
        next
    }
}

/// Why a datum has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Its bytes are not all there yet.
    Dry,
    /// They are none of its schema.
    Bad,
}

/// A datum being read.
struct Datum<'a> {
    schema: &'a Schema,
    rest: &'a [u8],
    fields: Fields<'a>,
}

impl<'a> Datum<'a> {
    /// The event: its `type` and the record in its `event`.
    fn event(&mut self, id: TypeId) -> Result<(), Stop> {
        let Type::Record(fields) = self.get(id)? else { return self.skip(id) };
        for (name, id) in fields {
            match name.as_str() {
                "type" => {
                    let leaf = self.leaf(*id)?;
                    self.fields.kind = if let Leaf::Text(text) = leaf { Some(text) } else { None };
                }
                "event" => self.record(*id)?,
                _ => self.skip(*id)?,
            }
        }
        Ok(())
    }

    fn record(&mut self, id: TypeId) -> Result<(), Stop> {
        let id = self.branch(id)?;
        let Type::Record(fields) = self.get(id)? else { return self.skip(id) };
        self.fields.is_event = true;
        for (name, id) in fields {
            match slot(name) {
                Some(Slot::Counters) => self.counters(*id)?,
                Some(slot) => {
                    let leaf = self.leaf(*id)?;
                    self.fields.set(slot, leaf);
                }
                None => self.skip(*id)?,
            }
        }
        Ok(())
    }

    /// Counters: groups of counts, each a name and a value.
    fn counters(&mut self, id: TypeId) -> Result<(), Stop> {
        let id = self.branch(id)?;
        let Type::Record(fields) = self.get(id)? else { return self.skip(id) };
        for (name, id) in fields {
            if name == "groups" {
                self.fields.counters.get_or_insert_default();
                self.items(*id, &mut |datum, group| datum.group(group))?;
            } else {
                self.skip(*id)?;
            }
        }
        Ok(())
    }

    fn group(&mut self, id: TypeId) -> Result<(), Stop> {
        let id = self.branch(id)?;
        let Type::Record(fields) = self.get(id)? else { return self.skip(id) };
        for (name, id) in fields {
            if name == "counts" {
                self.items(*id, &mut |datum, count| datum.count(count))?;
            } else {
                self.skip(*id)?;
            }
        }
        Ok(())
    }

    fn count(&mut self, id: TypeId) -> Result<(), Stop> {
        let id = self.branch(id)?;
        let Type::Record(fields) = self.get(id)? else { return self.skip(id) };
        let (mut counter, mut value) = (None, None);
        for (name, id) in fields {
            match name.as_str() {
                "name" => counter = Some(self.leaf(*id)?),
                "value" => value = Some(self.leaf(*id)?),
                _ => self.skip(*id)?,
            }
        }
        if let (Some(Leaf::Text(counter)), Some(value)) = (counter, value) {
            self.fields.count(&counter, value.number());
        }
        Ok(())
    }

    /// Gives the type of each item of an array to `each`, which reads it.
    fn items(&mut self, id: TypeId, each: &mut dyn FnMut(&mut Self, TypeId) -> Result<(), Stop>) -> Result<(), Stop> {
        let id = self.branch(id)?;
        let Type::Array(items) = self.get(id)? else { return self.skip(id) };
        loop {
            let count = self.block()?;
            if count == 0 {
                return Ok(());
            }
            // Items take bytes, so a count that lies ends with the bytes.
            for _ in 0..count {
                each(self, *items)?;
            }
        }
    }

    /// A value without parts; of any other type `Other`, passed over.
    fn leaf(&mut self, id: TypeId) -> Result<Leaf<'a>, Stop> {
        let id = self.branch(id)?;
        match self.get(id)? {
            Type::Number => self.number().map(Leaf::Number),
            Type::Text => Ok(Leaf::Text(String::from_utf8_lossy(self.text()?))),
            Type::Enum(symbols) => {
                let symbol = usize::try_from(self.number()?).ok().and_then(|i| symbols.get(i));
                symbol.map(|text| Leaf::Text(text.as_str().into())).ok_or(Stop::Bad)
            }
            _ => self.skip(id).map(|()| Leaf::Other),
        }
    }

    /// Passes over a datum.
    fn skip(&mut self, id: TypeId) -> Result<(), Stop> {
        match self.get(id)? {
            Type::Null => Ok(()),
            Type::Boolean => self.bytes(1).map(drop),
            Type::Number => self.number().map(drop),
            Type::Fixed(length) => self.bytes(*length).map(drop),
            Type::Text => self.text().map(drop),
            Type::Enum(symbols) => match usize::try_from(self.number()?) {
                Ok(i) if i < symbols.len() => Ok(()),
                _ => Err(Stop::Bad),
            },
            Type::Array(items) => loop {
                let count = self.block()?;
                if count == 0 {
                    return Ok(());
                }
                for _ in 0..count {
                    self.skip(*items)?;
                }
            },
            Type::Map(values) => loop {
                let count = self.block()?;
                if count == 0 {
                    return Ok(());
                }
                for _ in 0..count {
                    self.text()?;
                    self.skip(*values)?;
                }
            },
            Type::Union(_) => {
                let branch = self.branch(id)?;
                self.skip(branch)
            }
            Type::Record(fields) => fields.iter().try_for_each(|(_, id)| self.skip(*id)),
        }
    }

    fn get(&self, id: TypeId) -> Result<&'a Type, Stop> {
        self.schema.get(id).ok_or(Stop::Bad)
    }

    /// The type of a union's branch, read; any other type is its own.
    fn branch(&mut self, id: TypeId) -> Result<TypeId, Stop> {
        let Type::Union(branches) = self.get(id)? else { return Ok(id) };
        let branch = usize::try_from(self.number()?).ok();
        branch.and_then(|i| branches.get(i)).copied().ok_or(Stop::Bad)
    }

    /// Items of the next block of an array or map; 0 ends it. A negative count has the
    /// block's length in bytes behind it.
    fn block(&mut self) -> Result<u64, Stop> {
        let count = self.number()?;
        if count < 0 {
            self.number()?;
        }
        Ok(count.unsigned_abs())
    }

    /// A number: seven bits a byte, the lowest first, its sign in the lowest bit.
    fn number(&mut self) -> Result<i64, Stop> {
        let mut value = 0_u64;
        for (i, byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f).checked_shl(7 * i as u32).unwrap_or_default();
            if byte & 0x80 == 0 {
                self.rest = self.rest.get(i + 1..).unwrap_or_default();
                return Ok((value >> 1).cast_signed() ^ -((value & 1).cast_signed()));
            }
        }
        Err(if self.rest.len() < 10 { Stop::Dry } else { Stop::Bad })
    }

    fn text(&mut self) -> Result<&'a [u8], Stop> {
        let length = usize::try_from(self.number()?).map_err(|_| Stop::Bad)?;
        // Lengths in damaged data may be anything; no event is longer than this.
        if length > EVENT_BYTES { Err(Stop::Bad) } else { self.bytes(length) }
    }

    fn bytes(&mut self, length: usize) -> Result<&'a [u8], Stop> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Stop::Dry)?;
        self.rest = rest;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &[u8] = br#"{"type":"record","name":"Event","fields":[
        {"name":"type","type":{"type":"enum","name":"T","symbols":["A","B"]}},
        {"name":"event","type":[{"type":"record","name":"R","fields":[
            {"name":"finishTime","type":"long"},{"name":"error","type":["null","string"]},
            {"name":"splits","type":{"type":"array","items":"int"}}]}]}]}"#;

    fn values(data: &mut Data, last: bool) -> (Vec<String>, Next) {
        let mut found = Vec::new();
        let next = data.read(last, |fields, number| {
            let (time, error) = (fields.number("finishTime").unwrap(), fields.text("error"));
            found.push(format!("{number} {} {time} {}", fields.kind.as_deref().unwrap(), error.unwrap_or("-")));
        });
        (found, next)
    }

    #[test]
    fn text_that_is_not_there_yet_is_awaited() {
        let mut data = Data::new(SCHEMA).unwrap();
        // B, branch 0, 5, branch 1, "hi", items 1, -1 and -64, the end.
        data.push(&[0x02, 0x00, 0x0a, 0x02, 0x04, b'h']);
        assert_eq!(values(&mut data, false), (vec![], Next::More));
        data.push(b"i\x04\x01\x7f\x00\x00\x00\x0c\x00\x00");
        let expected = vec!["1 B 5 hi".to_owned(), "2 A 6 -".to_owned()];
        assert_eq!(values(&mut data, false), (expected, Next::More));
        assert_eq!(values(&mut data, true), (vec![], Next::More));
    }

    #[test]
    fn block_with_its_length_is_read() {
        let mut data = Data::new(SCHEMA).unwrap();
        // -2 items in 2 bytes.
        data.push(&[0x00, 0x00, 0x0c, 0x00, 0x03, 0x04, 0x02, 0x02, 0x00]);
        assert_eq!(values(&mut data, true), (vec!["1 A 6 -".to_owned()], Next::More));
    }

    #[test]
    fn datum_that_never_ends_is_cut() {
        let mut data = Data::new(SCHEMA).unwrap();
        data.push(&[0x00, 0x00]);
        assert_eq!(values(&mut data, true), (vec![], Next::Cut(1)));
    }

    #[test]
    fn what_no_schema_allows_ends_the_reading() {
        for bad in [
            // A branch, a symbol, a negative length, a length beyond all, a number without end.
            &[0x00, 0x08][..],
            &[0x06, 0x00],
            &[0x00, 0x00, 0x0a, 0x02, 0x01],
            &[0x00, 0x00, 0x0a, 0x02, 0xfe, 0xff, 0xff, 0xff, 0x7f],
            &[0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        ] {
            let mut data = Data::new(SCHEMA).unwrap();
            data.push(bad);
            assert_eq!(values(&mut data, false), (vec![], Next::Bad(1)), "{bad:x?}");
        }
    }

    #[test]
    fn numbers_are_zigzag() {
        let schema = Schema::parse(br#"{"type":"record","name":"E","fields":[{"name":"a","type":"long"}]}"#).unwrap();
        for (bytes, number) in [
            (&[0x00][..], 0),
            (&[0x01], -1),
            (&[0x80, 0x01], 64),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], i64::MIN),
            (&[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], i64::MAX),
        ] {
            let mut datum = Datum { schema: &schema, rest: bytes, fields: Fields::default() };
            assert_eq!(datum.number(), Ok(number));
            assert!(datum.rest.is_empty());
        }
    }
}
