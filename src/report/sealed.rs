//! A part of a report that is JSON until somebody looks into it.
//!
//! The page passes reports on and draws no figure itself: to whoever does not open such a part, its type costs no code
//! (six kilobytes of the page for attempts and heatmap). Cost: each [`Sealed::of`], [`Sealed::open`] and [`Sealed::change`] writes
//! and reads the part as text.

use super::json::{from_value, value_of};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::marker::PhantomData;

/// A `T`, or none.
pub struct Sealed<T> {
    json: Value,
    of: PhantomData<fn() -> T>,
}

impl<T> Sealed<T> {
    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.json.is_null()
    }
}

impl<T: Serialize + DeserializeOwned> Sealed<T> {
    /// Of one, if there is one.
    #[must_use]
    pub fn of(part: Option<&T>) -> Self {
        Self { json: part.map(|part| value_of(part)).unwrap_or_default(), of: PhantomData }
    }

    /// What is in it; `None` where that is something else (it comes from outside), too.
    #[must_use]
    pub fn open(&self) -> Option<T> {
        (!self.is_none()).then(|| from_value(&self.json).ok())?
    }

    /// Changes what is in it.
    pub fn change(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(mut part) = self.open() {
            change(&mut part);
            *self = Self::of(Some(&part));
        }
    }
}

impl<T> Default for Sealed<T> {
    fn default() -> Self {
        Self { json: Value::Null, of: PhantomData }
    }
}

impl<T> Clone for Sealed<T> {
    fn clone(&self) -> Self {
        Self { json: self.json.clone(), of: PhantomData }
    }
}

impl<T> PartialEq for Sealed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

impl<T> std::fmt::Debug for Sealed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.json.fmt(f)
    }
}

impl<T> Serialize for Sealed<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(to)
    }
}

impl<'de, T> Deserialize<'de> for Sealed<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self { json: Value::deserialize(from)?, of: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_is_the_same_when_it_is_opened() {
        let mut part = Sealed::of(Some(&vec![1_u32, 2]));
        assert_eq!((part.open(), serde_json::to_string(&part).unwrap().as_str()), (Some(vec![1, 2]), "[1,2]"));
        part.change(|list| list.push(3));
        let again: Sealed<Vec<u32>> = serde_json::from_str("[1,2,3]").unwrap();
        assert!(part == again && part.clone() == again);
        assert!(Sealed::<u32>::of(None).is_none() && Sealed::<u32>::default().open().is_none());
    }

    #[test]
    fn what_is_something_else_is_none_and_stays_as_it_is() {
        let mut part: Sealed<Vec<u32>> = serde_json::from_str("{\"a\":\"b\"}").unwrap();
        part.change(|list| list.push(3));
        assert_eq!((part.open(), serde_json::to_string(&part).unwrap().as_str()), (None, "{\"a\":\"b\"}"));
    }
}
