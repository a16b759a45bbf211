//! What is taken off a node's times where its clock is off for certain.
//!
//! A history has the times of several clocks: an attempt's begin and end are its tracker's (0.20 to 1.x) or its
//! ApplicationMaster's (2.x, 3.x), its phases end by its node's.
//!
//! Cost: O(skews log skews); where one is certain, of each ApplicationMaster's log the rows up to its job.

use super::Input;
use crate::base::{JobId, NodeId};
use crate::model::{Event, Skew, Topic, formats};
use std::collections::BTreeMap;

/// Milliseconds that each node is ahead, of those whose clock is off for certain.
#[derive(Clone, Debug, Default)]
pub struct Corrections {
    ahead_ms: BTreeMap<NodeId, i64>,
    /// Node of the ApplicationMaster of each job: its clock wrote the job's history.
    masters: BTreeMap<JobId, NodeId>,
}

impl Corrections {
    /// Takes the certain skews, and marks them as corrected.
    #[inline(never)]
    pub fn take(input: &Input<'_>, skews: &mut [Skew]) -> Self {
        let mut corrections = Self::default();
        for skew in skews.iter_mut().filter(|skew| skew.is_certain()) {
            skew.corrected = true;
            corrections.ahead_ms.insert(skew.node, skew.skew_ms);
        }
        if corrections.ahead_ms.is_empty() {
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
    pub fn of(&self, node: Option<NodeId>) -> i64 {
        node.and_then(|node| self.ahead_ms.get(&node)).copied().unwrap_or_default()
    }

    /// How far the clock is ahead that wrote an attempt's begin and end into its history: its
    /// tracker's, or its ApplicationMaster's. Its phases end by its node's in any case.
    pub fn of_history(&self, job: JobId, host: Option<NodeId>) -> i64 {
        self.of(if job.is_dated() { host } else { self.masters.get(&job).copied() })
    }

    /// Whether there is nothing to correct.
    pub fn is_empty(&self) -> bool {
        self.ahead_ms.is_empty()
    }
}
