//! The rows of a file as bytes.
//!
//! ```text
//! Tasks    launched … ended … launched …          each topic's rows by themselves: who reads one
//! Shuffle  served, served, served …               unpacks and decodes no other
//! ```
//! A row is `postcard`, its line and time as differences from the topic's row before; full blocks are
//! packed. What is read of several topics comes in the order of lines. Cost: O(1) a row, both ways.

use super::DigestError;
use super::append::append;
use super::pack::{pack, repacked, unpack};
use crate::base::Timestamp;
use crate::model::Event;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_bytes::ByteBuf;
use std::borrow::Cow;
use std::iter::Peekable;

/// Rows are packed together once they fill this many bytes: large enough to compress
/// well, small enough that one open block a topic is little memory.
const BLOCK_BYTES: usize = 64 * 1024;
/// A block of rows is never more than this unpacked (a hostile digest might claim to).
const BLOCK_LIMIT: usize = 2 * 1024 * 1024;

/// One event in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Line number from 1; 0 where the event stands for the file as a whole.
    pub line: u64,
    /// The time of the line, in the file's clock.
    pub at: Timestamp,
    /// What it says.
    pub event: Event,
}

/// What events are read together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Topic {
    /// Attempts and containers as daemons, masters and tasks see them, and what tells of clocks.
    Tasks,
    /// Map outputs served and fetched.
    Shuffle,
    /// Blocks of HDFS read and written.
    Blocks,
    /// What was summed up elsewhere: histories, configurations, racks, capacities, labels.
    Summaries,
    /// Trouble.
    Complaints,
    /// System calls.
    Calls,
    /// Metrics of the operating system.
    Metrics,
}

impl Topic {
    /// Of an event.
    #[must_use]
    pub const fn of(event: &Event) -> Self {
        match event {
            Event::Launched { .. }
            | Event::Ended { .. }
            | Event::JobKilled { .. }
            | Event::Progress { .. }
            | Event::Assigned { .. }
            | Event::AmRunning { .. }
            | Event::AmLeft { .. }
            | Event::Localizing { .. }
            | Event::Localized { .. }
            | Event::ContainerRunning { .. }
            | Event::ContainerLeft { .. }
            | Event::TaskLog { .. }
            | Event::TaskDone { .. }
            | Event::FinalMerge { .. }
            | Event::LastMergePass { .. }
            | Event::TaskAssigned { .. }
            | Event::TaskCompleted { .. }
            | Event::EpochTold { .. }
            | Event::ClusterStarted { .. }
            | Event::ContainerStepped { .. }
            | Event::TaskGiven { .. }
            | Event::AttemptError { .. } => Self::Tasks,
            Event::ShuffleServed { .. }
            | Event::ShuffleServedTo { .. }
            | Event::ShuffleServedMaps { .. }
            | Event::ShuffleAudit { .. }
            | Event::Fetched { .. } => Self::Shuffle,
            Event::Receiving { .. }
            | Event::Wrote { .. }
            | Event::Received { .. }
            | Event::Terminating { .. }
            | Event::WriteFailed { .. }
            | Event::Read { .. }
            | Event::Served { .. }
            | Event::ServeFailed { .. } => Self::Blocks,
            Event::Attempt(_)
            | Event::Job(_)
            | Event::Task(_)
            | Event::JobConf { .. }
            | Event::JobQueue { .. }
            | Event::JobMemory { .. }
            | Event::Rack { .. }
            | Event::Capacity { .. }
            | Event::Label(_)
            | Event::LabelParameter { .. } => Self::Summaries,
            Event::Complaint(_) => Self::Complaints,
            Event::CallText(_)
            | Event::CallTextsForgotten
            | Event::Call { .. }
            | Event::CallsFolded(_)
            | Event::CallsCounted(_) => Self::Calls,
            Event::MetricsHost { .. } | Event::Metrics { .. } => Self::Metrics,
        }
    }
}

/// A growing list of rows held as compressed bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct EventLog {
    /// Of each topic that there are rows of, in order of topic.
    topics: Vec<(Topic, Rows)>,
}

impl<'de> Deserialize<'de> for EventLog {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let topics = Vec::<(Topic, Rows)>::deserialize(from)?;
        // A hostile digest might name a topic a million times.
        let in_order = topics.is_sorted_by(|(a, _), (b, _)| a < b);
        if in_order { Ok(Self { topics }) } else { Err(D::Error::custom(DigestError::Damaged)) }
    }
}

impl EventLog {
    /// Appends a row.
    pub fn push(&mut self, line: u64, at: Timestamp, event: &Event) {
        let topic = Topic::of(event);
        let place = match self.topics.binary_search_by_key(&topic, |(topic, _)| *topic) {
            Ok(place) => place,
            Err(place) => {
                self.topics.insert(place, (topic, Rows::default()));
                place
            }
        };
        if let Some((_, rows)) = self.topics.get_mut(place) {
            rows.push(line, at, event);
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.topics.iter().map(|(_, rows)| rows.count).fold(0, u64::saturating_add)
    }

    /// Number of rows of a topic.
    #[must_use]
    pub fn len_of(&self, topic: Topic) -> u64 {
        self.rows_about(topic).map_or(0, |rows| rows.count)
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All rows by line, those of a topic in the order in which they were pushed. A damaged block ends
    /// its topic's rows.
    pub fn iter(&self) -> impl Iterator<Item = Row> + '_ {
        let mut topics: Vec<Peekable<RowsIter<'_>>> =
            self.topics.iter().map(|(_, rows)| rows.iter().peekable()).collect();
        std::iter::from_fn(move || {
            // One topic is most files' only one.
            if let [only] = topics.as_mut_slice() {
                return only.next();
            }
            let heads = topics.iter_mut().enumerate().filter_map(|(i, rows)| Some((rows.peek()?.line, i)));
            let (_, first) = heads.min()?;
            topics.get_mut(first)?.next()
        })
    }

    /// The rows of one topic in the order in which they were pushed.
    pub fn about(&self, topic: Topic) -> impl Iterator<Item = Row> + '_ {
        self.rows_about(topic).into_iter().flat_map(Rows::iter)
    }

    /// Hands over [`Self::about`]'s rows: of many, none is moved.
    pub fn each_about(&self, topic: Topic, take: &mut dyn FnMut(&mut Row)) {
        if let Some(rows) = self.rows_about(topic) {
            rows.iter().each(take);
        }
    }

    fn rows_about(&self, topic: Topic) -> Option<&Rows> {
        self.topics.iter().find(|(of, _)| *of == topic).map(|(_, rows)| rows)
    }

    /// Bytes that the rows take once all are packed; in a digest's file, which is deflated, they take four
    /// fifths of it.
    #[must_use]
    pub fn packed_bytes(&self) -> usize {
        let open: Vec<u8> = self.topics.iter().flat_map(|(_, rows)| rows.open.iter().copied()).collect();
        let open = if open.is_empty() { 0 } else { pack(&open).len() };
        self.topics.iter().map(|(_, rows)| rows.closed_bytes()).sum::<usize>() + open
    }

    /// Gives back what more rows would have needed.
    pub fn shrink_to_fit(&mut self) {
        self.topics.iter_mut().for_each(|(_, rows)| rows.open.shrink_to_fit());
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.topics.iter().map(|(_, rows)| rows.closed_bytes() + rows.open.len()).sum()
    }
}

/// The rows of one topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Rows {
    count: u64,
    blocks: Vec<ByteBuf>,
    #[serde(with = "serde_bytes")]
    open: Vec<u8>,
    last_line: u64,
    last_at: i64,
}

/// A row as it is kept.
#[derive(Serialize)]
struct Packed<'a> {
    line_step: i64,
    at_step: i64,
    event: &'a Event,
}

impl Rows {
    fn push(&mut self, line: u64, at: Timestamp, event: &Event) {
        let packed = Packed {
            line_step: (line as i64).wrapping_sub(self.last_line as i64),
            at_step: at.millis().wrapping_sub(self.last_at),
            event,
        };
        // No Event holds a type that postcard refuses.
        if append(&mut self.open, &packed).is_ok() {
            self.count += 1;
            self.last_line = line;
            self.last_at = at.millis();
        }
        if self.open.len() >= BLOCK_BYTES {
            self.blocks.push(ByteBuf::from(pack(&self.open)));
            self.open.clear();
        }
    }

    fn iter(&self) -> RowsIter<'_> {
        RowsIter {
            closed: self.blocks.iter(),
            open: Some(&self.open),
            block: Cow::Borrowed(&[]),
            from: 0,
            line: 0,
            at: 0,
        }
    }

    fn closed_bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }
}

/// Reads [`Rows`] row by row: of a long list, a block is in memory.
struct RowsIter<'a> {
    closed: std::slice::Iter<'a, ByteBuf>,
    open: Option<&'a [u8]>,
    block: Cow<'a, [u8]>,
    /// What of the block was read.
    from: usize,
    line: i64,
    at: i64,
}

impl RowsIter<'_> {
    fn each(mut self, take: &mut dyn FnMut(&mut Row)) {
        loop {
            while let Some(mut row) = self.next_of_block() {
                take(&mut row);
            }
            if !self.next_block() {
                return;
            }
        }
    }

    /// Unpacks one block more; whether there was one.
    fn next_block(&mut self) -> bool {
        self.block = match (self.closed.next(), self.open.take()) {
            (Some(closed), open) => {
                self.open = open;
                Cow::Owned(unpack(closed, BLOCK_LIMIT).unwrap_or_default())
            }
            (None, Some(open)) => Cow::Borrowed(open),
            (None, None) => return false,
        };
        self.from = 0;
        true
    }

    /// The next row of the block.
    fn next_of_block(&mut self) -> Option<Row> {
        let rest = self.block.get(self.from..).filter(|rest| !rest.is_empty())?;
        // Part by part: a row moved as a whole is moved twice.
        let mut rest = postcard::Deserializer::from_bytes(rest);
        let line_step = i64::deserialize(&mut rest).ok()?;
        let at_step = i64::deserialize(&mut rest).ok()?;
        let event = Event::deserialize(&mut rest).ok()?;
        self.from = self.block.len() - rest.finalize().ok()?.len();
        self.line = self.line.wrapping_add(line_step);
        self.at = self.at.wrapping_add(at_step);
        Some(Row { line: self.line as u64, at: Timestamp::from_millis(self.at), event })
    }
}

impl Iterator for RowsIter<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            if let Some(row) = self.next_of_block() {
                return Some(row);
            }
            if !self.next_block() {
                return None;
            }
        }
    }
}

/// The rows of a file as version 4 wrote them: their blocks were deflated.
#[derive(Deserialize)]
pub(super) struct EventLog4(EventLog);

impl From<EventLog4> for EventLog {
    fn from(EventLog4(mut log): EventLog4) -> Self {
        log.topics.iter_mut().for_each(|(_, rows)| rows.repack());
        log
    }
}

/// The rows of a file as versions 1 to 3 wrote them: one list of all topics, its blocks deflated.
#[derive(Deserialize)]
pub(super) struct Rows3(Rows);

impl From<Rows3> for EventLog {
    fn from(Rows3(mut rows): Rows3) -> Self {
        rows.repack();
        let mut log = Self::default();
        for row in rows.iter() {
            log.push(row.line, row.at, &row.event);
        }
        log
    }
}

impl Rows {
    /// Packs blocks that were deflated.
    fn repack(&mut self) {
        for block in &mut self.blocks {
            *block = ByteBuf::from(repacked(block, BLOCK_LIMIT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, BlockId};
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// An event of one of three topics.
    fn event(topic: u8) -> Event {
        let attempt = AttemptId::parse(b"attempt_202611202124_0001_m_000001_0").unwrap();
        match topic {
            0 => Event::Launched { attempt, cleanup: false },
            1 => Event::Terminating { block: BlockId(7) },
            _ => Event::ShuffleServed { map: Some(attempt), dest: None, bytes: 1 << 40, duration_ns: None },
        }
    }

    fn log(rows: &[(u64, i64, u8)]) -> EventLog {
        let mut log = EventLog::default();
        for (line, at, topic) in rows {
            log.push(*line, Timestamp::from_millis(*at), &event(*topic));
        }
        log
    }

    proptest! {
        #[test]
        fn what_was_pushed_comes_back(rows in vec((any::<u64>(), -(1_i64 << 50)..1 << 50, 0_u8..3), 0..200)) {
            let log = log(&rows);
            prop_assert_eq!(log.len(), rows.len() as u64);
            for (n, topic) in [Topic::Tasks, Topic::Blocks, Topic::Shuffle].into_iter().enumerate() {
                let pushed: Vec<(u64, i64)> =
                    rows.iter().filter(|(.., of)| usize::from(*of) == n).map(|(line, at, _)| (*line, *at)).collect();
                let back: Vec<(u64, i64)> = log.about(topic).map(|row| (row.line, row.at.millis())).collect();
                prop_assert_eq!(back, pushed);
                prop_assert!(log.about(topic).all(|row| Topic::of(&row.event) == topic));
            }
            prop_assert_eq!(log.iter().count(), rows.len());
        }

        #[test]
        fn rows_of_all_topics_come_by_line(topics in vec(0_u8..3, 0..9_000)) {
            let rows: Vec<(u64, i64, u8)> = (1..).zip(topics).map(|(line, topic)| (line, line as i64 * 9, topic)).collect();
            let back = log(&rows).iter().map(|row| (row.line, row.at.millis())).collect::<Vec<_>>();
            prop_assert_eq!(back, rows.iter().map(|(line, at, _)| (*line, *at)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_sums_up_earlier_lines_keeps_its_order() {
        // Tasks: lines 1 and 9, then 4 late; Blocks: 2, 10.
        let log = log(&[(1, 1, 0), (2, 2, 1), (9, 9, 0), (10, 10, 1), (4, 4, 0)]);
        assert_eq!(log.iter().map(|row| row.line).collect::<Vec<_>>(), [1, 2, 9, 4, 10]);
    }

    #[test]
    fn a_topic_stands_once_and_in_its_place() {
        let encoded = |topics: &[(Topic, Rows)]| postcard::to_stdvec(topics).unwrap();
        let decoded = |bytes: &[u8]| postcard::from_bytes::<EventLog>(bytes).is_ok();
        let rows = Rows::default;
        assert!(decoded(&encoded(&[(Topic::Tasks, rows()), (Topic::Blocks, rows())])));
        assert!(!decoded(&encoded(&[(Topic::Blocks, rows()), (Topic::Tasks, rows())])));
        assert!(!decoded(&encoded(&[(Topic::Tasks, rows()), (Topic::Tasks, rows())])));
        let log = log(&[(1, 1, 0), (2, 2, 1), (3, 3, 2)]);
        assert_eq!(postcard::from_bytes::<EventLog>(&postcard::to_stdvec(&log).unwrap()), Ok(log));
    }

    #[test]
    fn blocks_that_were_deflated_are_packed_anew() {
        let rows: Vec<(u64, i64, u8)> = (0..30_000).map(|i| (i, i as i64, (i % 2) as u8)).collect();
        let log = log(&rows);
        let mut old = log.clone();
        for block in old.topics.iter_mut().flat_map(|(_, rows)| &mut rows.blocks) {
            *block = ByteBuf::from(crate::model::digest::deflated(&unpack(block, BLOCK_LIMIT).unwrap()));
        }
        assert_ne!(old, log);
        let (_, of_one_topic) = old.topics[0].clone();
        assert_eq!(EventLog::from(Rows3(of_one_topic)).about(Topic::Tasks).count(), 15_000);
        assert_eq!(EventLog::from(EventLog4(old)), log);
    }

    #[test]
    fn a_damaged_block_ends_its_topic_alone() {
        let rows: Vec<(u64, i64, u8)> = (0..30_000).map(|i| (i, i as i64, (i % 2) as u8)).collect();
        let mut log = log(&rows);
        let (topic, damaged) = &mut log.topics[0];
        assert_eq!(*topic, Topic::Tasks);
        let second = &mut damaged.blocks[1];
        let half = second.len() / 2;
        second.truncate(half);
        let left = log.about(Topic::Tasks).count();
        assert!(left > 0 && left < 15_000, "{left}");
        assert_eq!(log.about(Topic::Blocks).count(), 15_000);
    }
}
