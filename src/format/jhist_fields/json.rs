//! Reads the fields of a job history's event from its JSON.
//!
//! ```text
//! "taskid":"task_…"                    plain
//! "rackname":{"string":"/default"}     in a union: its one entry is named after the branch
//! ```
//! The record itself stands in a union, too, or without. Counters of tasks and jobs are the sums of their attempts', and
//! passed over. Cost: one pass; texts are borrowed but for those with escapes.

use super::{ATTEMPT, Fields, Leaf, Slot, slot};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Names that Avro's JSON gives to the branch of a union.
const PRIMITIVES: [&str; 9] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "array"];

/// Says what a visitor takes, and passes over what it does not.
macro_rules! otherwise {
    ($value:expr) => {
        otherwise!(but a bool $value);
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
    (but a bool $value:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a value of a job history")
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

/// The same for one that takes neither texts nor numbers.
macro_rules! no_leaf {
    ($value:expr) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($value)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($value)
        }
    };
}

fn pass_over<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

impl<'de: 'a, 'a> Deserialize<'de> for Leaf<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Leaf<'de>;
            otherwise!(Leaf::Other);
            fn visit_i64<E>(self, n: i64) -> Result<Self::Value, E> {
                Ok(Leaf::Number(n))
            }
            fn visit_u64<E>(self, n: u64) -> Result<Self::Value, E> {
                Ok(i64::try_from(n).map_or(Leaf::Other, Leaf::Number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Leaf::Text(Cow::Owned(text.to_owned())))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Leaf::Text(Cow::Borrowed(text)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                pass_over(seq).map(|()| Leaf::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                // A union: its one entry is named after the branch.
                let Some(branch) = map.next_key::<Leaf<'de>>()? else { return Ok(Leaf::Other) };
                let inner = map.next_value::<Leaf<'de>>()?;
                let mut alone = true;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    alone = false;
                }
                let is_union = alone && branch.text().is_some_and(|name| PRIMITIVES.contains(&&*name));
                Ok(if is_union { inner } else { Leaf::Other })
            }
        }
        from.deserialize_any(Seen)
    }
}

/// Reads the counters, wherever in their union they stand.
struct CountersOf<'f, 'a>(&'f mut Fields<'a>);

impl<'de> DeserializeSeed<'de> for CountersOf<'_, '_> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountersOf<'_, '_> {
    type Value = ();
    otherwise!(but a bool ());
    no_leaf!(());
    fn visit_bool<E>(self, is_cut: bool) -> Result<(), E> {
        self.0.counters_are_cut = is_cut;
        Ok(())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        // Groups, counts, and the counts themselves.
        while seq.next_element_seed(CountersOf(&mut *self.0))?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut name, mut value) = (None, None);
        while let Some(key) = map.next_key::<Leaf<'de>>()? {
            match key.text().as_deref() {
                Some("name") => name = map.next_value::<Leaf<'de>>()?.text(),
                Some("value") => value = Some(map.next_value::<Leaf<'de>>()?),
                Some("displayName") => _ = map.next_value::<IgnoredAny>()?,
                Some("groups") => {
                    self.0.counters.get_or_insert_default();
                    map.next_value_seed(CountersOf(&mut *self.0))?;
                }
                _ => map.next_value_seed(CountersOf(&mut *self.0))?,
            }
        }
        if let (Some(name), Some(value)) = (name, value) {
            self.0.count(&name, value.number());
        }
        Ok(())
    }
}

/// Reads an event's record, in its union or without.
struct RecordOf<'f, 'a> {
    fields: &'f mut Fields<'a>,
    inner: bool,
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for RecordOf<'_, 'a> {
    type Value = bool;
    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_any(self)
    }
}

/// Whether the value was an object.
impl<'de: 'a, 'a> Visitor<'de> for RecordOf<'_, 'a> {
    type Value = bool;
    otherwise!(false);
    no_leaf!(false);
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<bool, A::Error> {
        pass_over(seq).map(|()| false)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        let fields = self.fields;
        fields.is_event = true;
        // Set while the one entry so far is an object that may be the record itself.
        let mut only_inner = false;
        let mut entries = 0_u32;
        while let Some(key) = map.next_key::<Leaf<'de>>()? {
            if std::mem::take(&mut only_inner) {
                fields.clear();
            }
            entries = entries.saturating_add(1);
            match key.text().as_deref().and_then(slot) {
                // Those of tasks and jobs are the sums of their attempts'.
                Some(Slot::Counters) if fields.kind.as_deref().is_some_and(|kind| !kind.contains(ATTEMPT)) => {
                    _ = map.next_value::<IgnoredAny>()?;
                }
                Some(Slot::Counters) => {
                    (fields.counters, fields.memory, fields.counters_are_cut) = (None, None, false);
                    map.next_value_seed(CountersOf(&mut *fields))?;
                }
                Some(slot) => {
                    let value = map.next_value()?;
                    fields.set(slot, value);
                }
                None if entries == 1 && !self.inner => {
                    only_inner = map.next_value_seed(RecordOf { fields: &mut *fields, inner: true })?;
                }
                None => _ = map.next_value::<IgnoredAny>()?,
            }
        }
        Ok(true)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Seen;
        impl<'de> Visitor<'de> for Seen {
            type Value = Fields<'de>;
            otherwise!(Fields::default());
            no_leaf!(Fields::default());
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                pass_over(seq).map(|()| Fields::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Fields::default();
                while let Some(key) = map.next_key::<Leaf<'de>>()? {
                    match key.text().as_deref() {
                        Some("type") => fields.kind = map.next_value::<Leaf<'de>>()?.text(),
                        Some("fields") => {
                            fields.is_schema = true;
                            map.next_value::<IgnoredAny>()?;
                        }
                        Some("event") => {
                            fields.is_event = map.next_value_seed(RecordOf { fields: &mut fields, inner: false })?;
                        }
                        _ => _ = map.next_value::<IgnoredAny>()?,
                    }
                }
                Ok(fields)
            }
        }
        from.deserialize_any(Seen)
    }
}
