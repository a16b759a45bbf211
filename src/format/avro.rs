//! Avro data without a container, as they come: pushed bytes in, JSON values out.
//!
//! ```text
//! schema: {"type":"record","name":"Event",…}      then: datum datum datum …
//! ```
//! The `apache-avro` crate decodes. It takes an end of input inside a text or a union for
//! a null, so the reader given to it does not end: it says that it would have to wait,
//! and the datum is tried again when more bytes are there.
//! A schema comes with the file and may be hostile: one whose data could nest without end,
//! or grow from nothing, is refused before any datum is read.
//! Cost: O(bytes); a long datum is tried again only when half as much again has come.

use super::jhist::EVENT_BYTES;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value as Avro;
use apache_avro::{Schema, util};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, Read};

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
        // Lengths in damaged data may be anything; no event is longer than this.
        util::max_allocation_bytes(EVENT_BYTES);
        let schema = Schema::parse_str(std::str::from_utf8(text).ok()?).ok()?;
        Size::of(&schema, &mut BTreeMap::new())?;
        Some(Self { schema, held: Vec::new(), count: 0, try_at: 0 })
    }

    /// Adds bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// Gives each whole datum and its number, from 1, to `take`; `last`: no more bytes
    /// will come.
    pub fn read(&mut self, last: bool, mut take: impl FnMut(Value, u64)) -> Next {
        if !last && self.held.len() < self.try_at {
            return Next::More;
        }
        let Ok(decoder) = GenericDatumReader::builder(&self.schema).build() else {
            return Next::Bad(self.count + 1);
        };
        let mut used = 0;
        let next = loop {
            let rest = self.held.get(used..).unwrap_or_default();
            if rest.is_empty() {
                break Next::More;
            }
            let mut reader = Waiting { rest, dry: false };
            let result = decoder.read_value(&mut reader);
            if reader.dry {
                break match (last, rest.len() > EVENT_BYTES) {
                    (true, _) => Next::Cut(self.count + 1),
                    (false, true) => Next::Bad(self.count + 1),
                    (false, false) => Next::More,
                };
            }
            let left = reader.rest.len();
            self.count += 1;
            // A datum of no bytes would be read for ever.
            match result {
                Ok(value) if left < rest.len() => take(json(value), self.count),
                _ => break Next::Bad(self.count),
            }
            used = self.held.len() - left;
        };
        self.held.drain(..used);
        self.try_at = self.held.len() + self.held.len() / 2;
        if matches!(next, Next::Bad(_)) {
            self.held = Vec::new();
        }
        next
    }
}

/// Values in one datum of a schema, arrays and maps counted as one item: Hadoop's events
/// have some 500.
const VALUES: u64 = 100_000;

/// How large the data of a schema are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// Values in a datum, all branches of unions together.
    values: u64,
    /// Whether it can take no byte at all.
    empty: bool,
}

impl Size {
    /// The size of `schema`; `known` holds those of the named types, `None` while one is
    /// being looked at. `None` if it holds itself, is beyond [`VALUES`], or has arrays of
    /// nothing.
    fn of<'a>(schema: &'a Schema, known: &mut BTreeMap<&'a str, Option<Self>>) -> Option<Self> {
        let size = match schema {
            Schema::Null => Self { values: 1, empty: true },
            Schema::Array(array) => Self::of(&array.items, known).filter(|items| !items.empty)?.not_empty(),
            Schema::Map(map) => Self::of(&map.types, known)?.not_empty(),
            Schema::Union(union) => {
                let mut branches = union.variants().iter();
                branches
                    .try_fold(Self { values: 1, empty: false }, |sum, branch| sum.plus(Self::of(branch, known)?))?
                    .not_empty()
            }
            Schema::Record(record) => {
                known.insert(record.name.name(), None);
                let mut fields = record.fields.iter();
                let size = fields.try_fold(Self { values: 1, empty: true }, |sum, field| {
                    sum.plus(Self::of(&field.schema, known)?)
                })?;
                known.insert(record.name.name(), Some(size));
                size
            }
            Schema::Ref { name } => {
                known.get(name.name()).copied().unwrap_or(Some(Self { values: 1, empty: false }))?
            }
            Schema::Fixed(fixed) => Self { values: 1, empty: fixed.size == 0 },
            _ => Self { values: 1, empty: false },
        };
        (size.values <= VALUES).then_some(size)
    }

    const fn not_empty(self) -> Self {
        Self { values: self.values, empty: false }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let values = self.values + other.values;
        (values <= VALUES).then_some(Self { values, empty: self.empty && other.empty })
    }
}

/// Reads a slice; beyond its end there is no end, only a wait.
struct Waiting<'a> {
    rest: &'a [u8],
    dry: bool,
}

impl Read for Waiting<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() && !buf.is_empty() {
            self.dry = true;
            return Err(io::ErrorKind::WouldBlock.into());
        }
        self.rest.read(buf)
    }
}

/// The value as JSON; unions lose their branch, bytes and rare types become null.
fn json(value: Avro) -> Value {
    match value {
        Avro::Boolean(b) => b.into(),
        Avro::Int(n) => n.into(),
        Avro::Long(n) => n.into(),
        Avro::Float(x) => x.into(),
        Avro::Double(x) => x.into(),
        Avro::String(text) | Avro::Enum(_, text) => text.into(),
        Avro::Union(_, inner) => json(*inner),
        Avro::Array(items) => items.into_iter().map(json).collect(),
        Avro::Record(fields) => {
            fields.into_iter().map(|(name, value)| (name, json(value))).collect::<Map<_, _>>().into()
        }
        // The order of a map's keys is lost in the crate; `serde_json` sorts them.
        Avro::Map(pairs) => {
            let mut sorted: Vec<_> = pairs.into_iter().collect();
            sorted.sort_by(|a, b| a.0.cmp(&b.0));
            sorted.into_iter().map(|(name, value)| (name, json(value))).collect::<Map<_, _>>().into()
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &[u8] =
        br#"{"type":"record","name":"E","fields":[{"name":"n","type":"long"},{"name":"s","type":["null","string"]}]}"#;

    fn values(data: &mut Data, last: bool) -> (Vec<String>, Next) {
        let mut found = Vec::new();
        let next = data.read(last, |value, number| found.push(format!("{number} {value}")));
        (found, next)
    }

    #[test]
    fn text_that_is_not_there_yet_is_awaited() {
        let Some(mut data) = Data::new(SCHEMA) else { panic!("a schema") };
        data.push(&[0x0a, 0x02, 0x04, b'h']);
        assert_eq!(values(&mut data, false), (vec![], Next::More));
        data.push(b"i\x0c\x00");
        let expected = vec![r#"1 {"n":5,"s":"hi"}"#.to_owned(), r#"2 {"n":6,"s":null}"#.to_owned()];
        assert_eq!(values(&mut data, false), (expected, Next::More));
    }

    #[test]
    fn datum_that_never_ends_is_cut() {
        let Some(mut data) = Data::new(SCHEMA) else { panic!("a schema") };
        data.push(&[0x0a]);
        assert_eq!(values(&mut data, true), (vec![], Next::Cut(1)));
    }

    #[test]
    fn branch_that_does_not_exist_ends_the_reading() {
        let Some(mut data) = Data::new(SCHEMA) else { panic!("a schema") };
        data.push(&[0x0a, 0x08, 0x00]);
        assert_eq!(values(&mut data, false), (vec![], Next::Bad(1)));
    }

    #[test]
    fn datum_of_no_bytes_is_refused() {
        let Some(mut data) = Data::new(br#"{"type":"record","name":"E","fields":[]}"#) else { panic!("a schema") };
        data.push(&[1, 2, 3]);
        assert_eq!(values(&mut data, false), (vec![], Next::Bad(1)));
    }

    #[test]
    fn schema_without_bounds_is_refused() {
        let record = |name: &str, kind: &str| {
            format!(r#"{{"type":"record","name":"{name}","fields":[{{"name":"a","type":{kind}}}]}}"#)
        };
        assert!(Data::new(record("E", r#"["null","long"]"#).as_bytes()).is_some());
        assert!(Data::new(record("E", r#"["null","E"]"#).as_bytes()).is_none());
        assert!(Data::new(record("E", r#"{"type":"array","items":"null"}"#).as_bytes()).is_none());
        let mut doubling = String::from(r#""null""#);
        for level in 0..20 {
            let name = format!("R{level}");
            doubling = format!(
                r#"{{"type":"record","name":"{name}x","fields":[{{"name":"a","type":{}}},{{"name":"b","type":"{name}"}}]}}"#,
                record(&name, &doubling)
            );
        }
        assert!(Data::new(doubling.as_bytes()).is_none());
    }
}
