//! What is taken off a node's times where its clock is off for certain, or was set while it was logged.
//!
//! A history has the times of several clocks: an attempt's begin and end are its tracker's (0.20 to 1.x) or its
//! ApplicationMaster's (2.x, 3.x), its phases end by its node's.
//!
//! Cost: O(skews log skews); where one is certain, of each ApplicationMaster's log the rows up to its job.

use super::bounds::Bounds;
use super::steps::Step;
use super::{Found, Input};
use crate::base::quantity::of_millis;
use crate::base::{JobId, NodeId, Timestamp};
use crate::model::{Event, Topic, formats};
use std::collections::BTreeMap;

/// A node whose clock was set while it was logged.
#[derive(Clone, Copy, Debug)]
pub struct ClockSet {
    /// Which.
    pub node: NodeId,
    /// What it tells from this time of its own on is of after.
    pub at: Timestamp,
    /// By how much, in milliseconds.
    pub by_ms: i64,
    /// It was wrong before, and is right after.
    rights: bool,
}

impl ClockSet {
    /// Of a step, and how far the clock was ahead before it; after it, if the step made that less.
    pub(super) fn of(step: Step, bounds: Option<&mut Bounds>) -> Option<Self> {
        let Step { clock, at, by_ms } = step;
        let node = NodeId(u32::try_from(clock).ok()?);
        let ahead_ms = |b: &Bounds| (b.middle_ms().unsigned_abs(), b.middle_ms().saturating_add(by_ms).unsigned_abs());
        let rights = bounds.as_deref().map(ahead_ms).is_some_and(|(before, after)| after < before);
        if let Some(b) = bounds.filter(|_| rights) {
            *b = Bounds { low_ms: b.low_ms.saturating_add(by_ms), high_ms: b.high_ms.saturating_add(by_ms) };
        }
        Some(Self { node, at, by_ms, rights })
    }

    /// It in words, of a node of this name.
    pub fn in_words(&self, name: &str) -> String {
        let (by, at) = (of_millis(self.by_ms as f64), self.at.plus_millis(-self.off_ms(self.at)));
        let of = if self.rights { "before are moved to the later ones" } else { "since are moved to the earlier ones" };
        format!("{name}'s clock was set forward by {by} at {} UTC; its times {of}", at.to_seconds())
    }

    /// What is taken off a time by it, so that one part of its times continues the other.
    fn off_ms(self, at: Timestamp) -> i64 {
        match (self.rights, at >= self.at) {
            (true, false) => self.by_ms.saturating_neg(),
            (false, true) => self.by_ms,
            _ => 0,
        }
    }
}

/// How far a node's clock is ahead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead {
    always_ms: i64,
    set: Option<ClockSet>,
}

impl Ahead {
    /// A time by that clock, put right.
    pub fn right(self, at: Timestamp) -> Timestamp {
        let set_ms = self.set.map_or(0, |set| set.off_ms(at));
        at.plus_millis(self.always_ms.saturating_add(set_ms).saturating_neg())
    }

    /// By how much it is so at all times; `None` where that changes.
    pub fn always_ms(self) -> Option<i64> {
        self.set.is_none().then_some(self.always_ms)
    }
}

/// How far the clocks of nodes are ahead that are to be put right.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    ahead: BTreeMap<NodeId, Ahead>,
    /// Node of the ApplicationMaster of each job: its clock wrote the job's history.
    masters: BTreeMap<JobId, NodeId>,
}

impl Corrections {
    /// Takes the clocks that were set, and where `skews` are to be corrected those that are certain, which are marked.
    #[inline(never)]
    pub fn take(input: &Input<'_>, found: &mut Found, skews: bool) -> Self {
        let mut corrections = Self::default();
        for skew in found.skews.iter_mut().filter(|skew| skews && skew.is_certain()) {
            skew.corrected = true;
            corrections.ahead.entry(skew.node).or_default().always_ms = skew.skew_ms;
        }
        for set in &found.set {
            corrections.ahead.entry(set.node).or_default().set = Some(*set);
        }
        if corrections.ahead.is_empty() {
            return corrections;
        }
        for file in input.files_of(formats::AM_SYSLOG) {
            let job = file.about(Topic::Tasks).find_map(|row| match row.event {
                Event::Assigned { attempt, .. } | Event::AmRunning { attempt } => Some(attempt.job),
                _ => None,
            });
            if let (Some(job), Some(node)) = (job, file.node) {
                corrections.masters.insert(job, node);
            }
        }
        corrections
    }

    /// How far a node is ahead.
    pub fn of(&self, node: Option<NodeId>) -> Ahead {
        node.and_then(|node| self.ahead.get(&node)).copied().unwrap_or_default()
    }

    /// How far the clock is ahead that wrote an attempt's begin and end into its history: its
    /// tracker's, or its ApplicationMaster's. Its phases end by its node's in any case.
    pub fn of_history(&self, job: JobId, host: Option<NodeId>) -> Ahead {
        self.of(if job.is_dated() { host } else { self.masters.get(&job).copied() })
    }

    /// Whether there is nothing to correct.
    pub fn is_empty(&self) -> bool {
        self.ahead.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_joined_on_the_side_that_is_right() {
        let at = Timestamp::from_millis;
        let step = Step { clock: 3, at: at(1_000_000), by_ms: 600_000 };
        // The last before it, the first after it, both put right.
        let right = |bounds: &mut Option<Bounds>| {
            let set = ClockSet::of(step, bounds.as_mut());
            let ahead = Ahead { always_ms: 0, set };
            [400_000, 1_000_000].map(|ms| ahead.right(at(ms)).millis())
        };
        let mut fine = Some(Bounds { low_ms: -5, high_ms: 9 });
        assert_eq!(right(&mut fine), [400_000, 400_000]);
        assert_eq!(fine, Some(Bounds { low_ms: -5, high_ms: 9 }));
        let mut late = Some(Bounds { low_ms: -600_020, high_ms: -599_990 });
        assert_eq!(right(&mut late), [1_000_000, 1_000_000]);
        assert_eq!(late, Some(Bounds { low_ms: -20, high_ms: 10 }));
        assert_eq!(right(&mut None), [400_000, 400_000]);
    }
}
