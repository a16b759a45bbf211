//! Pauses of daemons, as Hadoop's own monitor logs them: how long a node stood still.

use crate::base::{Arrange, FileId, Gathered, NodeId, Timestamp};
use crate::model::{Complaint, Trace};
use std::collections::BTreeMap;

/// Share of the logs' time that a node must have stood still to be suspect…
const SHARE_OF_TIME: f64 = 0.01;
/// …and for a strong word: half a minute in a day's logs is no sick node.
const STRONG_SHARE: f64 = 0.05;
/// Share of it that two of the node's daemons must tell of: one alone may have trouble of its own.
const TOGETHER: f64 = 0.5;

/// How long a node stood still.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standstill {
    /// In all: its daemons do so together, and each tells of it.
    pub(super) ms: i64,
    /// As far as two of them tell.
    together_ms: i64,
}

impl Standstill {
    /// Of each node, from what its daemons tell.
    pub(super) fn of_nodes(trace: &Trace, complaints: &[&Complaint]) -> BTreeMap<NodeId, Self> {
        let mut pauses: BTreeMap<NodeId, Vec<(i64, i64, FileId)>> = BTreeMap::new();
        for c in complaints.iter().filter(|c| is_possible(trace, c)) {
            let Some(node) = c.of else { continue };
            pauses.entry(node).or_default().push((began(c).millis(), c.at.millis(), c.place.file));
        }
        pauses.into_iter().map(|(node, pauses)| (node, Self::of(pauses))).gathered()
    }

    fn of(mut pauses: Vec<(i64, i64, FileId)>) -> Self {
        pauses.arrange(Ord::cmp);
        let mut found = Self::default();
        let mut last: Option<(i64, FileId)> = None;
        for (begin, end, file) in pauses {
            let (until, of) = last.unwrap_or((i64::MIN, file));
            found.ms = found.ms.saturating_add(end.saturating_sub(begin.max(until)).max(0));
            if of != file {
                let both = end.min(until).saturating_sub(begin).max(0);
                found.together_ms = found.together_ms.saturating_add(both);
            }
            if end >= until {
                last = Some((end, file));
            }
        }
        found
    }

    /// In seconds.
    pub(super) fn seconds(self) -> usize {
        usize::try_from(self.ms / 1000).unwrap_or_default()
    }

    /// Whether it is enough of the logs' time to be looked at.
    pub(super) fn is_long(self, trace: &Trace) -> bool {
        self.ms as f64 >= SHARE_OF_TIME * logs_ms(trace) as f64
    }

    /// Whether it is much of the logs' time, and not one daemon's trouble.
    pub(super) fn is_the_nodes(self, trace: &Trace) -> bool {
        let much = self.ms as f64 >= STRONG_SHARE * logs_ms(trace) as f64;
        much && self.together_ms as f64 >= TOGETHER * self.ms as f64
    }
}

fn logs_ms(trace: &Trace) -> i64 {
    trace.span.map_or(0, |(from, to)| to.millis_since(from))
}

/// A pause longer than all logs is a damaged line.
fn is_possible(trace: &Trace, complaint: &Complaint) -> bool {
    complaint.at.millis_since(began(complaint)) <= logs_ms(trace)
}

/// The first pause, of these in order of time, that is half as long as the longest: short ones are heard of on any node.
pub(super) fn first_long<'a>(trace: &Trace, pauses: &[&'a Complaint]) -> Option<&'a Complaint> {
    let longest_ms = longest_ms(trace, pauses.iter().copied())?;
    pauses.iter().copied().find(|c| is_possible(trace, c) && c.took_ms.is_some_and(|ms| ms >= longest_ms.div_ceil(2)))
}

/// The longest of these pauses, in milliseconds.
pub(in crate::diagnosis) fn longest_ms<'a>(trace: &Trace, pauses: impl Iterator<Item = &'a Complaint>) -> Option<u64> {
    pauses.filter(|c| is_possible(trace, c)).filter_map(|c| c.took_ms).max()
}

/// When what is complained of began: a pause is told of at its end.
pub(super) fn began(complaint: &Complaint) -> Timestamp {
    let took = complaint.took_ms.map_or(0, |ms| i64::try_from(ms).unwrap_or(i64::MAX));
    Timestamp::from_millis(complaint.at.millis().saturating_sub(took))
}
