//! Whose daemons' logs there are, and of which time: who has none, or one of another day, vouches for nothing; and who
//! was taken out of service.

use crate::base::{Arrange, Interval, NodeId, Place, Timestamp};
use crate::model::{Complaint, ComplaintKind, FileReading, Trace, formats};
use std::collections::BTreeMap;

/// Daemons that slaves run: their logs' formats, and what they are called.
pub const SLAVES: [(&str, &str); 3] =
    [(formats::DATANODE, "DataNode"), (formats::NODEMANAGER, "NodeManager"), (formats::TASKTRACKER, "TaskTracker")];

/// The format of the file that a line is in.
#[must_use]
pub fn format_of(trace: &Trace, place: Place) -> Option<&str> {
    trace.files.get(place.file.index())?.coverage.format.as_deref()
}

/// The format of the log of the daemon that reports to the master whose log is of this one.
#[must_use]
pub fn slave_of(master: &str) -> Option<&'static str> {
    Some(match master {
        formats::NAMENODE => formats::DATANODE,
        formats::JOBTRACKER => formats::TASKTRACKER,
        formats::RESOURCEMANAGER => formats::NODEMANAGER,
        _ => return None,
    })
}

/// Whether a log of the format on the node has lines of that time, as far as its first and last line and its density tell:
/// the bins of long logs are too wide for it.
#[must_use]
pub fn wrote(trace: &Trace, node: NodeId, format: &str, during: Interval) -> bool {
    let is_meant = |at: Timestamp| during.start <= at && at < during.end;
    readings(trace, node, format).any(|reading| {
        let ends = reading.span.is_some_and(|(first, last)| is_meant(first) || is_meant(last));
        let mut begins = reading.density.bins().filter(|(_, count)| *count > 0);
        ends || (has_narrow_bins(reading, during)
            && begins.any(|(begin, _)| is_meant(begin.plus_millis(reading.offset_ms))))
    })
}

/// Whether the node's logs of the format go on from before that time to after it, and have no line of it, as far as their
/// density tells.
#[must_use]
pub fn was_quiet(trace: &Trace, node: NodeId, format: &str, during: Interval) -> bool {
    let logs = || readings(trace, node, format);
    let spans = || logs().filter_map(|reading| reading.span);
    let goes_on = spans().any(|(first, _)| first < during.start) && spans().any(|(_, last)| during.end <= last);
    goes_on && logs().all(|reading| has_narrow_bins(reading, during)) && !wrote(trace, node, format, during)
}

/// Only what is so much later than the loss by its time is taken for later: clocks may differ by more than is known.
const AFTER_LOSS_MS: i64 = 10_000;
/// A master loses a daemon that has ended within this time: ten minutes are usual.
const EXPIRY_MS: i64 = 900_000;
/// Daemons that are started by one command, one node after another, are so within this time.
const TOGETHER_MS: i64 = 300_000;

/// What became of a daemon that a master lost, by its own log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Afterwards {
    /// The same process wrote later.
    RanOn,
    /// The next that was written is of a process that was started anew, and not with those of other nodes.
    StartedAnew,
    /// It wrote nothing more, or all of them were started anew.
    Untold,
}

/// What became of the node's daemon that writes logs of the format, which its master lost at that time.
#[must_use]
pub fn after_loss(trace: &Trace, node: NodeId, format: &str, at: Timestamp) -> Afterwards {
    let is_start = |c: &&Complaint| c.kind.is_start() && format_of(trace, c.place) == Some(format);
    let starts = || trace.complaints.iter().filter(is_start);
    let is_alone =
        |start: Timestamp| starts().all(|c| c.by == Some(node) || c.at.millis_since(start).abs() > TOGETHER_MS);
    let own = || starts().filter(|c| c.by == Some(node)).map(|c| c.at);
    // One that ended may be there again before it is lost.
    let since = at.plus_millis(-EXPIRY_MS);
    if own().any(|start| (since..=at).contains(&start) && is_alone(start)) {
        return Afterwards::StartedAnew;
    }
    let next = own().filter(|start| *start > at).min();
    let from = at.plus_millis(AFTER_LOSS_MS + trace.clocks.may_be_later_ms(node));
    let ran_on = |reading: &FileReading| {
        let Some((first, last)) = reading.span else { return false };
        let wrote_until = |next: Timestamp| {
            // The bin of the start's own line may begin before it.
            reading.density.bins().any(|(begin, count)| {
                let begin = begin.plus_millis(reading.offset_ms);
                count > 0 && from <= begin && begin.plus_millis(reading.density.width_ms()) <= next
            })
        };
        first < at && next.map_or(from < last, wrote_until)
    };
    match next {
        _ if readings(trace, node, format).any(ran_on) => Afterwards::RanOn,
        Some(start) if is_alone(start) => Afterwards::StartedAnew,
        _ => Afterwards::Untold,
    }
}

/// What was read of the node's logs of a format.
fn readings<'a>(trace: &'a Trace, node: NodeId, format: &str) -> impl Iterator<Item = &'a FileReading> {
    let files = trace.files.iter().zip(&trace.readings);
    let own = files.filter(move |(file, _)| file.node == Some(node) && file.coverage.format.as_deref() == Some(format));
    own.map(|(_, reading)| reading)
}

/// Whether a log's density is fine enough to tell what it has of that time.
fn has_narrow_bins(reading: &FileReading, during: Interval) -> bool {
    reading.density.width_ms() <= during.millis() / 2
}

/// Whether the format is of a slave's daemon.
#[must_use]
pub fn is_slaves(format: &str) -> bool {
    SLAVES.iter().any(|(slave, _)| *slave == format)
}

/// From the first to the last line of each node's daemons that are meant.
#[must_use]
pub fn heard(trace: &Trace, is_meant: impl Fn(&str) -> bool) -> BTreeMap<NodeId, Interval> {
    let mut heard: BTreeMap<NodeId, Interval> = BTreeMap::new();
    for (file, reading) in trace.files.iter().zip(&trace.readings) {
        let meant = file.coverage.format.as_deref().is_some_and(&is_meant);
        let (Some(node), Some((first, last))) = (file.node.filter(|_| meant), reading.span) else { continue };
        let slot = heard.entry(node).or_insert(Interval::new(first, last));
        *slot = Interval::new(slot.start.min(first), slot.end.max(last));
    }
    heard
}

/// Nodes that were heard, to be asked at many times.
pub struct Vouchers {
    heard: BTreeMap<NodeId, Interval>,
    /// When each was heard first, and last, in order.
    first: Vec<Timestamp>,
    last: Vec<Timestamp>,
}

impl Vouchers {
    /// Those of [`heard`].
    #[must_use]
    pub fn of(heard: BTreeMap<NodeId, Interval>) -> Self {
        let (mut first, mut last): (Vec<_>, Vec<_>) = heard.values().map(|span| (span.start, span.end)).unzip();
        first.arrange(Ord::cmp);
        last.arrange(Ord::cmp);
        Self { heard, first, last }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.heard.len()
    }

    /// How many but `node` were heard before and after `at`. Cost: O(log nodes).
    #[must_use]
    pub fn but_for(&self, node: NodeId, at: Timestamp) -> usize {
        let begun = self.first.partition_point(|first| *first <= at);
        let over = self.last.partition_point(|last| *last < at);
        let own = self.heard.get(&node).is_some_and(|span| span.start <= at && at <= span.end);
        begun - over - usize::from(own)
    }
}

/// The nodes that their administrators took out of service, and from when on.
#[must_use]
pub fn taken_out(trace: &Trace) -> BTreeMap<NodeId, Timestamp> {
    let mut out: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for c in trace.complaints.iter().filter(|c| c.kind == ComplaintKind::Decommissioned) {
        if let Some(node) = c.of {
            let slot = out.entry(node).or_insert(c.at);
            *slot = c.at.min(*slot);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_heard_before_and_after_vouches_for_others() {
        let spans = [(0, 10), (5, 5), (5, 20), (30, 40)];
        let at = Timestamp::from_millis;
        let heard = (0..).map(NodeId).zip(spans.map(|(first, last)| Interval::new(at(first), at(last))));
        let heard: BTreeMap<NodeId, Interval> = heard.collect();
        let vouchers = Vouchers::of(heard.clone());
        assert_eq!(
            (vouchers.count(), vouchers.but_for(NodeId(0), at(5)), vouchers.but_for(NodeId(9), at(5))),
            (4, 2, 3)
        );
        for (node, ms) in (0..6).flat_map(|node| (-1..42).map(move |ms| (NodeId(node), ms))) {
            let one_by_one =
                heard.iter().filter(|(other, span)| **other != node && span.start <= at(ms) && at(ms) <= span.end);
            assert_eq!(vouchers.but_for(node, at(ms)), one_by_one.count(), "{node:?} at {ms}");
        }
    }
}
