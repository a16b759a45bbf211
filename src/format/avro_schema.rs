//! An Avro schema, as far as its data can be passed over and a job history's events found in them.
//!
//! ```text
//! {"type":"record","name":"Event","fields":[{"name":"type","type":{"type":"enum",…}},{"name":"event","type":[…]}]}
//! ```
//! Avro 1.7 to 1.11, "Schema Declaration". A schema comes with the file and may be hostile: one
//! whose data could nest without end, or grow from nothing, is refused before any datum is read.
//! Named types are known by their last name: Hadoop's have one namespace.
//! Cost: O(schema).

use serde_json::Value;
use std::collections::BTreeMap;

/// Values in one datum of a schema, arrays and maps counted as one item: Hadoop's events
/// have some 500.
const VALUES: u64 = 100_000;
/// Types inside types: reading a datum goes as deep. Hadoop's events are 8 deep.
const DEPTH: u32 = 64;
/// Longest value of a fixed length: Hadoop's histories have none, hashes have 64 bytes.
const FIXED_BYTES: usize = 1 << 16;

/// A type, by its place in [`Schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeId(usize);

/// What a datum of a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// No byte.
    Null,
    /// One byte.
    Boolean,
    /// `int`, `long`: a zigzag number of variable length.
    Number,
    /// `float`, `double`, `fixed`: so many bytes.
    Fixed(usize),
    /// `bytes`, `string`: a length and as many bytes.
    Text,
    /// A number that stands for a name.
    Enum(Vec<String>),
    /// Blocks of items.
    Array(TypeId),
    /// Blocks of pairs, the key a text.
    Map(TypeId),
    /// The number of a branch, and its datum.
    Union(Vec<TypeId>),
    /// One datum a field.
    Record(Vec<(String, TypeId)>),
}

/// A whole schema.
#[derive(Clone, Debug)]
pub struct Schema {
    types: Vec<Type>,
    /// The type of a datum.
    pub root: TypeId,
}

/// How large the data of a type are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// Values in a datum, all branches of unions together.
    values: u64,
    /// Types inside it.
    depth: u32,
    /// Whether it can take no byte at all.
    empty: bool,
}

impl Size {
    /// Of a type without others inside.
    const fn one(empty: bool) -> Self {
        Self { values: 1, depth: 1, empty }
    }

    /// With a part of this size inside.
    fn plus(self, part: Self) -> Option<Self> {
        let (values, depth) = (self.values + part.values, self.depth.max(part.depth + 1));
        (values <= VALUES && depth <= DEPTH).then_some(Self { values, depth, empty: self.empty && part.empty })
    }
}

impl Schema {
    /// The schema that `text` is; `None` if it is none, or its data have no bounds.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        let mut making = Making::default();
        let (root, size) = making.add(&value)?;
        // A datum of no bytes would be read for ever.
        (!size.empty).then_some(Self { types: making.types, root })
    }

    /// The type of this id.
    #[must_use]
    pub fn get(&self, id: TypeId) -> Option<&Type> {
        self.types.get(id.0)
    }
}

#[derive(Default)]
struct Making<'a> {
    types: Vec<Type>,
    /// Named types; `None` while one is being made, so that none can hold itself.
    names: BTreeMap<&'a str, Option<(TypeId, Size)>>,
}

impl<'a> Making<'a> {
    fn push(&mut self, made: Type, size: Size) -> Option<(TypeId, Size)> {
        self.types.push(made);
        // As many types as values could be named in a small schema are too many already.
        (self.types.len() as u64 <= VALUES).then_some((TypeId(self.types.len() - 1), size))
    }

    fn add(&mut self, schema: &'a Value) -> Option<(TypeId, Size)> {
        match schema {
            Value::String(name) => self.named(name),
            Value::Array(branches) => {
                let (mut ids, mut size) = (Vec::new(), Size::one(false));
                for branch in branches {
                    let (id, inner) = self.add(branch)?;
                    ids.push(id);
                    size = size.plus(inner)?;
                }
                self.push(Type::Union(ids), size)
            }
            Value::Object(fields) => match fields.get("type")? {
                Value::String(kind) => self.add_kind(kind, schema),
                // `{"type":{"type":"array",…}}`
                inner => self.add(inner),
            },
            _ => None,
        }
    }

    fn add_kind(&mut self, kind: &'a str, schema: &'a Value) -> Option<(TypeId, Size)> {
        let name = || schema.get("name").and_then(Value::as_str).map(last_name);
        match kind {
            "array" => {
                let (items, size) = self.add(schema.get("items")?)?;
                // An array of nothing could have any length.
                if size.empty {
                    return None;
                }
                self.push(Type::Array(items), Size::one(false).plus(size)?)
            }
            "map" => {
                let (values, size) = self.add(schema.get("values")?)?;
                self.push(Type::Map(values), Size::one(false).plus(size)?)
            }
            "enum" => {
                let symbols = schema.get("symbols")?.as_array()?;
                let symbols = symbols.iter().map(|one| one.as_str().map(str::to_owned)).collect::<Option<_>>()?;
                let made = self.push(Type::Enum(symbols), Size::one(false))?;
                self.names.insert(name()?, Some(made));
                Some(made)
            }
            "fixed" => {
                let length = usize::try_from(schema.get("size")?.as_u64()?).ok().filter(|n| *n <= FIXED_BYTES)?;
                let made = self.push(Type::Fixed(length), Size::one(length == 0))?;
                self.names.insert(name()?, Some(made));
                Some(made)
            }
            "record" | "error" => {
                self.names.insert(name()?, None);
                let (mut fields, mut size) = (Vec::new(), Size::one(true));
                for field in schema.get("fields")?.as_array()? {
                    let (id, inner) = self.add(field.get("type")?)?;
                    fields.push((field.get("name")?.as_str()?.to_owned(), id));
                    size = size.plus(inner)?;
                }
                let made = self.push(Type::Record(fields), size)?;
                self.names.insert(name()?, Some(made));
                Some(made)
            }
            // A primitive with attributes, or a name.
            other => self.named(other),
        }
    }

    fn named(&mut self, name: &'a str) -> Option<(TypeId, Size)> {
        let made = match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "int" | "long" => Type::Number,
            "float" => Type::Fixed(4),
            "double" => Type::Fixed(8),
            "bytes" | "string" => Type::Text,
            other => return *self.names.get(last_name(other))?,
        };
        let empty = made == Type::Null;
        self.push(made, Size::one(empty))
    }
}

/// A name without its namespace.
fn last_name(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(name: &str, kind: &str) -> String {
        format!(r#"{{"type":"record","name":"{name}","fields":[{{"name":"a","type":{kind}}}]}}"#)
    }

    #[test]
    fn named_types_are_found_with_and_without_namespace() {
        let text = format!(
            r#"{{"type":"record","name":"E","namespace":"org.x","fields":[{{"name":"a","type":{}}},{{"name":"b","type":"org.x.In"}},{{"name":"c","type":["null","In"]}}]}}"#,
            record("In", r#"{"type":"string","avro.java.string":"String"}"#)
        );
        let schema = Schema::parse(text.as_bytes()).unwrap();
        let Some(Type::Record(fields)) = schema.get(schema.root) else { panic!("a record") };
        assert_eq!(fields[0].1, fields[1].1);
        assert_eq!(fields.len(), 3);
        assert!(Schema::parse(record("E", r#""Unknown""#).as_bytes()).is_none());
        assert!(Schema::parse(b"no schema").is_none());
    }

    #[test]
    fn schema_without_bounds_is_refused() {
        assert!(Schema::parse(record("E", r#"["null","long"]"#).as_bytes()).is_some());
        assert!(Schema::parse(record("E", r#"["null","E"]"#).as_bytes()).is_none());
        assert!(Schema::parse(record("E", r#"{"type":"array","items":"null"}"#).as_bytes()).is_none());
        assert!(Schema::parse(br#"{"type":"record","name":"E","fields":[]}"#).is_none());
        let fixed = |size: u64| record("E", &format!(r#"{{"type":"fixed","name":"F","size":{size}}}"#));
        assert!(Schema::parse(fixed(16).as_bytes()).is_some());
        assert!(Schema::parse(fixed(0).as_bytes()).is_none());
        assert!(Schema::parse(fixed(u64::MAX).as_bytes()).is_none());
        let mut doubling = String::from(r#""long""#);
        for level in 0..20 {
            let name = format!("R{level}");
            doubling = format!(
                r#"{{"type":"record","name":"{name}x","fields":[{{"name":"a","type":{}}},{{"name":"b","type":"{name}"}}]}}"#,
                record(&name, &doubling)
            );
        }
        assert!(Schema::parse(doubling.as_bytes()).is_none());
        // Each holds the one before, by name.
        let chain = |length: usize| {
            let links = (1..length).map(|i| {
                format!(r#"{{"name":"f{i}","type":{}}}"#, record(&format!("R{i}"), &format!(r#""R{}""#, i - 1)))
            });
            let first = format!(r#"{{"name":"f0","type":{}}}"#, record("R0", r#""long""#));
            let fields: Vec<String> = std::iter::once(first).chain(links).collect();
            format!(r#"{{"type":"record","name":"E","fields":[{}]}}"#, fields.join(","))
        };
        assert!(Schema::parse(chain(40).as_bytes()).is_some());
        assert!(Schema::parse(chain(2000).as_bytes()).is_none());
    }
}
