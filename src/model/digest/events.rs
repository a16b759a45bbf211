//! The rows of a file as bytes.
//!
//! ```text
//! Tasks    launched … ended … launched …          each topic's rows by themselves: who reads one
//! Shuffle  served, served, served …               unpacks and decodes no other
//! ```
//! They lie by column ([`columns`](super::columns)), in blocks that are packed. What is read of several topics comes in the
//! order of lines. Cost: O(1) a row, both ways.

use super::DigestError;
use super::columns::ColumnReader;
use super::pack::{pack, unpack};
use crate::base::Timestamp;
use crate::model::Event;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_bytes::ByteBuf;
use std::iter::Peekable;

/// A block of rows is never more than this unpacked (a hostile digest might claim to).
pub(super) const BLOCK_LIMIT: usize = 2 * 1024 * 1024;

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
            | Event::LocalizingKilled { .. }
            | Event::ContainerRunning { .. }
            | Event::ContainerLeft { .. }
            | Event::TaskLog { .. }
            | Event::TaskLogCut { .. }
            | Event::ContainerLog { .. }
            | Event::TaskDone { .. }
            | Event::FinalMerge { .. }
            | Event::LastMergePass { .. }
            | Event::TaskAssigned { .. }
            | Event::TaskCompleted { .. }
            | Event::EpochTold { .. }
            | Event::ClusterStarted { .. }
            | Event::ContainerStepped { .. }
            | Event::ContainerAssigned { .. }
            | Event::TaskGiven { .. }
            | Event::AttemptError { .. } => Self::Tasks,
            Event::ShuffleServed { .. }
            | Event::ShuffleServedTo { .. }
            | Event::ShuffleServedMaps { .. }
            | Event::ShuffleServedPart { .. }
            | Event::ShuffleAudit { .. }
            | Event::Fetched { .. }
            | Event::FetchOpen { .. } => Self::Shuffle,
            Event::Receiving { .. }
            | Event::Wrote { .. }
            | Event::Received { .. }
            | Event::Terminating { .. }
            | Event::WriteFailed { .. }
            | Event::Read { .. }
            | Event::Served { .. }
            | Event::ClientUntold
            | Event::ServeFailed { .. } => Self::Blocks,
            Event::Attempt(_)
            | Event::Job(_)
            | Event::Task(_)
            | Event::JobConf { .. }
            | Event::CacheFile { .. }
            | Event::JobQueue { .. }
            | Event::JobMemory { .. }
            | Event::Rack { .. }
            | Event::Capacity { .. }
            | Event::Processors { .. }
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

/// Rows held as compressed bytes; an [`EventWriter`](super::EventWriter) makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct EventLog {
    /// Of each topic that there are rows of, in order of topic.
    pub(super) topics: Vec<(Topic, Rows)>,
}

impl<'de> Deserialize<'de> for EventLog {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let topics = Vec::<(Topic, Rows)>::deserialize(from)?;
        // A hostile digest might name a topic a million times.
        let in_order = topics.is_sorted_by(|(a, _), (b, _)| a < b);
        if in_order { Ok(Self { topics }) } else { Err(D::Error::custom(DigestError::Damaged { at: None })) }
    }
}

impl EventLog {
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

    /// All rows by line, those of a topic in the order in which they were pushed. Of a damaged block
    /// those before the damage.
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
        let last: Vec<u8> = self.topics.iter().flat_map(|(_, rows)| rows.last.iter().copied()).collect();
        let last_packed = if last.is_empty() { 0 } else { pack(&last).len() };
        self.bytes() - last.len() + last_packed
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.topics.iter().map(|(_, rows)| rows.bytes()).sum()
    }
}

/// The rows of one topic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rows {
    pub count: u64,
    /// Packed.
    pub blocks: Vec<ByteBuf>,
    /// The last one, if it is short: as it is.
    pub last: ByteBuf,
}

impl Rows {
    fn iter(&self) -> RowsIter<'_> {
        RowsIter { blocks: self.blocks.iter(), last: Some(&self.last), block: ColumnReader::default() }
    }

    pub fn bytes(&self) -> usize {
        self.last.len() + self.blocks.iter().map(|block| block.len()).sum::<usize>()
    }
}

/// Reads [`Rows`] row by row: of a long list, a block is in memory.
struct RowsIter<'a> {
    blocks: std::slice::Iter<'a, ByteBuf>,
    last: Option<&'a [u8]>,
    block: ColumnReader,
}

impl RowsIter<'_> {
    fn each(mut self, take: &mut dyn FnMut(&mut Row)) {
        while self.next_block() {
            self.block.by_ref().for_each(|mut row| take(&mut row));
        }
    }

    /// Unpacks one block more; whether there was one.
    fn next_block(&mut self) -> bool {
        let packed = self.blocks.next().map(|block| unpack(block, BLOCK_LIMIT).unwrap_or_default());
        let Some(block) = packed.or_else(|| self.last.take().map(<[u8]>::to_vec)) else { return false };
        self.block = ColumnReader::new(block);
        true
    }
}

impl Iterator for RowsIter<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        loop {
            if let Some(row) = self.block.next() {
                return Some(row);
            }
            if !self.next_block() {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::old::{Rows3, Rows4, Rows5, tests::Old};
    use super::*;
    use crate::base::{AttemptId, BlockId};
    use crate::model::digest::deflate::{KEPT, deflate};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde::de::DeserializeOwned;

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
        rows.iter().map(|(line, at, topic)| (*line, Timestamp::from_millis(*at), event(*topic))).collect()
    }

    /// Rows enough for blocks of two topics.
    fn long() -> Vec<(u64, i64, u8)> {
        (0..60_000).map(|i| (i, i as i64, (i % 2) as u8)).collect()
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
    fn rows_of_earlier_versions_are_the_same_rows() {
        fn deflated(plain: &[u8]) -> Vec<u8> {
            deflate(plain, KEPT)
        }
        fn read<T: DeserializeOwned + Into<EventLog>>(old: &impl Serialize) -> EventLog {
            postcard::from_bytes::<T>(&postcard::to_stdvec(old).unwrap()).unwrap().into()
        }
        let log = log(&long());
        assert!(log.topics.iter().all(|(_, rows)| rows.blocks.len() > 1));
        let by_topic = |packed: fn(&[u8]) -> Vec<u8>| -> Vec<(Topic, Old)> {
            log.topics.iter().map(|(topic, _)| (*topic, Old::of(log.about(*topic), packed))).collect()
        };
        assert_eq!(read::<Rows3>(&Old::of(log.iter(), deflated)), log);
        assert_eq!(read::<Rows4>(&by_topic(deflated)), log);
        assert_eq!(read::<Rows5>(&by_topic(pack)), log);
        let mut damaged = by_topic(pack);
        damaged[0].1.damage(1);
        let read = read::<Rows5>(&damaged);
        let left = read.about(Topic::Tasks).count();
        assert!(left > 0 && left < 30_000, "{left}");
        assert_eq!(read.about(Topic::Blocks).count(), 30_000);
    }

    #[test]
    fn a_damaged_block_ends_its_topic_alone() {
        let mut log = log(&long());
        let (topic, damaged) = &mut log.topics[0];
        assert_eq!(*topic, Topic::Tasks);
        let second = &mut damaged.blocks[1];
        let half = second.len() / 2;
        second.truncate(half);
        let left = log.about(Topic::Tasks).count();
        assert!(left > 0 && left < 30_000, "{left}");
        assert_eq!(log.about(Topic::Blocks).count(), 30_000);
    }
}
