//! The fields of a job history's event that are used, whichever way it was encoded.
//!
//! ```text
//! {"type":"TASK_FINISHED","event":{"…TaskFinished":{"taskid":"task_…","finishTime":1474027467843,"counters":…}}}
//! ```
//! Nine tenths of a history are counters and their display names, of which little is used: so
//! no tree of values is built, and texts are borrowed from the file's bytes. A field's value
//! may stand in a union (`{"string":"x"}`, `{"…JhCounters":{…}}`) or plain; where a name comes
//! twice, the last counts. Cost: one pass, no allocation but for texts with escapes.

mod json;

use crate::model::Counters;
use std::borrow::Cow;

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

#[cfg(test)]
mod tests;
