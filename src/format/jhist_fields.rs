//! The fields of a job history's event that are used, whichever way it was encoded.
//!
//! ```text
//! {"type":"TASK_FINISHED","event":{"…TaskFinished":{"taskid":"task_…","finishTime":1474027467843,"counters":…}}}
//! ```
//! Nine tenths of a history are counters and their display names, of which little is used: so
//! no tree of values is built, and texts are borrowed from the file's bytes. A field's value
//! may stand in a union (`{"string":"x"}`, `{"…JhCounters":{…}}`) or plain; where a name comes
//! twice, the last counts. Cost: one pass, no allocation but for texts with escapes.

use crate::model::Counters;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Names that Avro's JSON gives to the branch of a union.
const PRIMITIVES: [&str; 9] = ["null", "boolean", "int", "long", "float", "double", "bytes", "string", "array"];
/// What the kinds of an attempt's events have in their names.
pub const ATTEMPT: &str = "ATTEMPT_";
/// What an attempt held in memory.
const MEMORY: &str = "PHYSICAL_MEMORY_BYTES";

/// Fields that are texts, by Hadoop's names.
const TEXTS: [&str; 15] = [
    "attemptId",
    "taskid",
    "jobid",
    "taskType",
    "trackerName",
    "hostname",
    "rackname",
    "taskStatus",
    "status",
    "error",
    "splitLocations",
    "jobName",
    "userName",
    "jobStatus",
    "jobQueueName",
];
/// Fields that are numbers.
const NUMBERS: [&str; 8] = [
    "startTime",
    "finishTime",
    "shuffleFinishTime",
    "sortFinishTime",
    "submitTime",
    "launchTime",
    "totalMaps",
    "totalReduces",
];

/// Where a field of an event belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Among the texts.
    Text(usize),
    /// Among the numbers.
    Number(usize),
    /// The counters.
    Counters,
}

/// The slot of a field's name; `None` for one that is not used.
#[must_use]
pub fn slot(name: &str) -> Option<Slot> {
    if name == "counters" {
        return Some(Slot::Counters);
    }
    let text = TEXTS.iter().position(|one| *one == name).map(Slot::Text);
    text.or_else(|| NUMBERS.iter().position(|one| *one == name).map(Slot::Number))
}

/// Whether the counter of this name is used.
#[must_use]
pub fn is_kept(name: &str) -> bool {
    name == MEMORY || Counters::default().slot(name).is_some()
}

/// An event's fields, or those of the schema before the events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    /// Its `type`.
    pub kind: Option<Cow<'a, str>>,
    /// It has `fields`, as a schema has.
    pub is_schema: bool,
    /// It has an event that is a record.
    pub is_event: bool,
    texts: [Option<Cow<'a, str>>; TEXTS.len()],
    numbers: [Option<i64>; NUMBERS.len()],
    /// The counters that are kept, where there are counters.
    pub counters: Option<Counters>,
    /// [`MEMORY`], where it is counted.
    pub memory: Option<u64>,
    /// In place of an attempt's counters stands `true`, as [`super::jhist_counters`] leaves it.
    pub counters_are_cut: bool,
}

impl<'a> Fields<'a> {
    /// The text of this name.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        match slot(name)? {
            Slot::Text(i) => self.texts.get(i)?.as_deref(),
            Slot::Number(_) | Slot::Counters => None,
        }
    }

    /// The number of this name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<i64> {
        match slot(name)? {
            Slot::Number(i) => *self.numbers.get(i)?,
            Slot::Text(_) | Slot::Counters => None,
        }
    }

    /// Sets what belongs into a slot; a value of another kind empties it.
    pub fn set(&mut self, slot: Slot, value: Leaf<'a>) {
        match slot {
            Slot::Text(i) => {
                if let Some(place) = self.texts.get_mut(i) {
                    *place = value.text();
                }
            }
            Slot::Number(i) => {
                if let Some(place) = self.numbers.get_mut(i) {
                    *place = value.number();
                }
            }
            Slot::Counters => {}
        }
    }

    /// Notes one counter.
    pub fn count(&mut self, name: &str, value: Option<i64>) {
        if name == MEMORY && self.memory.is_none() {
            self.memory = value.and_then(|n| u64::try_from(n).ok());
        }
        if let Some(slot) = self.counters.get_or_insert_default().slot(name) {
            *slot = value.into();
        }
    }

    /// The same, borrowing nothing.
    #[cfg(test)]
    pub fn into_owned(self) -> Fields<'static> {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Fields {
            kind: self.kind.map(owned),
            texts: self.texts.map(|text| text.map(owned)),
            numbers: self.numbers,
            is_schema: self.is_schema,
            is_event: self.is_event,
            counters: self.counters,
            memory: self.memory,
            // Says how it was read, not what.
            counters_are_cut: false,
        }
    }

    /// Forgets what an inner record said, which was none of the event's own.
    fn clear(&mut self) {
        let (kind, is_schema) = (self.kind.take(), self.is_schema);
        *self = Self { kind, is_schema, is_event: true, ..Self::default() };
    }
}

/// A value without parts; anything else is `Other`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A whole number.
    Number(i64),
    /// Nothing that is used.
    Other,
}

impl<'a> Leaf<'a> {
    fn text(self) -> Option<Cow<'a, str>> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The number that it is.
    #[must_use]
    pub const fn number(&self) -> Option<i64> {
        if let Self::Number(n) = self { Some(*n) } else { None }
    }
}

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

#[cfg(test)]
mod tests;
