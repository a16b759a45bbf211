//! What intervals are drawn as where each is too small to be seen for itself.

use crate::model::StateKind;
use crate::scene::{Hue, Role};

/// What can be seen of an interval from afar. Failed and killed come last: where they share
/// a pixel with others, the last is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A set-up or a clean-up.
    Other,
    /// Files for a task are fetched.
    Localize,
    /// A Reduce as a whole.
    Reduce,
    /// A Map.
    Map,
    /// A Reduce copies.
    Copy,
    /// A Reduce merges.
    Merge,
    /// A Reduce reduces.
    Reducer,
    /// A block is read.
    Read,
    /// A block is written.
    Write,
    /// A map's output is served.
    Shuffle,
    /// The end of what still runs when the log ends; before it, that has the class of its kind.
    Open,
    /// Killed.
    Killed,
    /// Failed.
    Failed,
}

impl Class {
    /// All, in order: each stands at its number.
    pub const ALL: [Self; 13] = [
        Self::Other,
        Self::Localize,
        Self::Reduce,
        Self::Map,
        Self::Copy,
        Self::Merge,
        Self::Reducer,
        Self::Read,
        Self::Write,
        Self::Shuffle,
        Self::Open,
        Self::Killed,
        Self::Failed,
    ];

    /// That of a state, whatever came of it.
    pub(super) const fn of(kind: StateKind) -> Self {
        match Hue::of(kind) {
            Hue::Other => Self::Other,
            Hue::Localize => Self::Localize,
            Hue::Reduce => Self::Reduce,
            Hue::Map => Self::Map,
            Hue::Copy => Self::Copy,
            Hue::Merge => Self::Merge,
            Hue::Reducer => Self::Reducer,
            Hue::Read => Self::Read,
            Hue::Write => Self::Write,
            Hue::Shuffle => Self::Shuffle,
        }
    }

    /// In which role it is drawn.
    #[must_use]
    pub const fn role(self) -> Role {
        Role::Hue(match self {
            Self::Other => Hue::Other,
            Self::Localize => Hue::Localize,
            Self::Reduce => Hue::Reduce,
            Self::Map => Hue::Map,
            Self::Copy => Hue::Copy,
            Self::Merge => Hue::Merge,
            Self::Reducer => Hue::Reducer,
            Self::Read => Hue::Read,
            Self::Write => Hue::Write,
            Self::Shuffle => Hue::Shuffle,
            Self::Open => return Role::Idle,
            Self::Killed => return Role::Killed,
            Self::Failed => return Role::Failed,
        })
    }

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "set-up and clean-up",
            Self::Localize => "localising",
            Self::Reduce => "Reduce",
            Self::Map => "Map",
            Self::Copy => "copying",
            Self::Merge => "merging",
            Self::Reducer => "reducing",
            Self::Read => "block read",
            Self::Write => "block written",
            Self::Shuffle => "map output served",
            Self::Open => "still running",
            Self::Killed => "killed",
            Self::Failed => "failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_stands_at_its_number() {
        let numbers: Vec<usize> = Class::ALL.iter().map(|class| *class as usize).collect();
        assert_eq!(numbers, (0..Class::ALL.len()).collect::<Vec<_>>());
        assert!(Class::ALL.is_sorted());
    }
}
