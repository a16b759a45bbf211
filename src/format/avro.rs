//! Avro data without a container, as they come: pushed bytes in, JSON values out.
//!
//! ```text
//! schema: {"type":"record","name":"Event",…}      then: datum datum datum …
//! ```
//! The `apache-avro` crate decodes. It takes an end of input inside a text or a union for
//! a null, so the reader given to it does not end: it says that it would have to wait,
//! and the datum is tried again when more bytes are there.
//! Cost: O(bytes); a long datum is tried again only when half as much again has come.

use super::jhist::EVENT_BYTES;
use apache_avro::reader::datum::GenericDatumReader;
use apache_avro::types::Value as Avro;
use apache_avro::{Schema, util};
use serde_json::{Map, Value};
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
