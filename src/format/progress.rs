//! Progress lines, which come every few seconds for as long as an attempt says that it gets on: only the first and the last
//! of each phase of an attempt are kept, and given out at the end of the file.
//!
//! One that does not get on sends no more than a ping (`org.apache.hadoop.mapred.Task.TaskReporter`, 0.20 to 3.x), of
//! which no log tells. Cost: O(log attempts) a line.

use super::Out;
use crate::base::{Arrange, AttemptId, Timestamp};
use crate::model::{Event, Phase};
use std::collections::BTreeMap;

/// Phases held before they are given out early: a bound for memory, far above what one
/// TaskTracker runs in the life of a log.
const PHASES_HELD: usize = 1 << 16;

/// First and last progress line of a phase.
#[derive(Clone, Copy, Debug)]
struct PhaseLines {
    first: Timestamp,
    last: Timestamp,
    line: u64,
}

/// What is held.
#[derive(Debug, Default)]
pub(super) struct ProgressLines(BTreeMap<(AttemptId, Phase), PhaseLines>);

impl ProgressLines {
    /// Takes a line.
    pub(super) fn note(&mut self, (attempt, phase): (AttemptId, Phase), at: Timestamp, line: u64, out: &mut Out<'_>) {
        let seen = self.0.entry((attempt, phase)).or_insert(PhaseLines { first: at, last: at, line });
        seen.first = seen.first.min(at);
        if at >= seen.last {
            (seen.last, seen.line) = (at, line);
        }
        if self.0.len() >= PHASES_HELD {
            self.give_out(out);
        }
    }

    /// An attempt succeeded: when it last said that it got on tells nothing any more.
    pub(super) fn succeeded(&mut self, attempt: AttemptId) {
        self.0.remove(&(attempt, Phase::Other));
    }

    /// Gives out what is held, in the order of the lines.
    pub(super) fn give_out(&mut self, out: &mut Out<'_>) {
        let mut rows: Vec<_> = std::mem::take(&mut self.0).into_iter().collect();
        rows.arrange_by(|(_, seen)| seen.line);
        for ((attempt, phase), seen) in rows {
            out.event(seen.line, seen.last, &Event::Progress { attempt, phase, first: seen.first });
        }
    }
}
