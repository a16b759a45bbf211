//! Hues of the kinds of state: a kind that lies within another has a hue near it.

use crate::model::StateKind;
use serde::{Deserialize, Serialize};

/// A hue that a theme has a colour for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hue {
    /// Maps.
    Map,
    /// Reduces as a whole.
    Reduce,
    /// Their phase of copying.
    Copy,
    /// Their phase of merging.
    Merge,
    /// Their phase of reducing.
    Reducer,
    /// Blocks read.
    Read,
    /// Blocks written.
    Write,
    /// Map outputs served.
    Shuffle,
    /// Containers' files fetched.
    Localize,
    /// Set-up and clean-up.
    Other,
}

impl Hue {
    /// How many there are.
    pub const COUNT: usize = 10;

    /// The hue of a kind.
    #[must_use]
    pub const fn of(kind: StateKind) -> Self {
        match kind {
            StateKind::Map => Self::Map,
            StateKind::Reduce => Self::Reduce,
            StateKind::ReduceCopy => Self::Copy,
            StateKind::ReduceMergeCopy => Self::Merge,
            StateKind::ReduceReducer => Self::Reducer,
            StateKind::ReadBlock => Self::Read,
            StateKind::WriteBlock => Self::Write,
            StateKind::Shuffle => Self::Shuffle,
            StateKind::Localize => Self::Localize,
            StateKind::Setup | StateKind::Cleanup | StateKind::TaskCleanup => Self::Other,
        }
    }
}
