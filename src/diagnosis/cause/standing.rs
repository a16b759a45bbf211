//! Attempts that stand still.

use crate::base::NodeId;
use crate::model::{Outcome, StateKind, Trace};

/// Attempts that must have stood still, so that one bad record is no hang.
pub const STANDING: usize = 2;

/// Attempts that stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Of which kind.
    pub kind: StateKind,
    /// Each of them lasted longer than so many milliseconds.
    pub beyond_ms: i64,
    /// The longest success elsewhere, in milliseconds.
    pub longest_ms: i64,
}

/// How the attempts of a kind ended.
#[derive(Debug)]
pub(super) struct Ends {
    /// The longest success of each node in milliseconds.
    pub(super) longest: Vec<(Option<NodeId>, i64)>,
    pub(super) without_success: Vec<WithoutSuccess>,
}

#[derive(Debug)]
pub(super) struct WithoutSuccess {
    pub(super) node: Option<NodeId>,
    pub(super) ms: Option<i64>,
    pub(super) open: bool,
}

impl Ends {
    pub(super) fn of(trace: &Trace, kind: StateKind) -> Self {
        let mut ends = Self { longest: Vec::new(), without_success: Vec::new() };
        for s in trace.states.of_kind(kind) {
            if s.outcome == Some(Outcome::Success) {
                let ms = s.millis().unwrap_or(0);
                match ends.longest.last_mut() {
                    // States of a kind are in order of their nodes.
                    Some((node, longest)) if *node == s.node => *longest = ms.max(*longest),
                    _ => ends.longest.push((s.node, ms)),
                }
            } else {
                ends.without_success.push(WithoutSuccess { node: s.node, ms: s.millis(), open: s.open });
            }
        }
        ends
    }
}
