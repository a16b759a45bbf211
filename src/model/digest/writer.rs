//! Rows on their way into an [`EventLog`].

use super::columns::ColumnWriter;
use super::events::{EventLog, Rows, Topic};
use super::pack::pack;
use crate::base::Timestamp;
use crate::model::Event;
use serde_bytes::ByteBuf;

/// A topic's last rows stay as they are while they fill fewer bytes, since a digest's file is deflated: short logs of a kind
/// have much in common.
const FEW_BYTES: usize = 16 * 1024;

/// Takes rows.
#[derive(Debug, Default)]
pub struct EventWriter {
    topics: Vec<(Topic, RowsWriter)>,
}

impl EventWriter {
    /// Appends a row.
    pub fn push(&mut self, line: u64, at: Timestamp, event: &Event) {
        let topic = Topic::of(event);
        let place = match self.topics.binary_search_by_key(&topic, |(topic, _)| *topic) {
            Ok(place) => place,
            Err(place) => {
                self.topics.insert(place, (topic, RowsWriter { rows: Rows::default(), open: ColumnWriter::new() }));
                place
            }
        };
        if let Some((_, rows)) = self.topics.get_mut(place) {
            rows.push(line, at, event);
        }
    }

    /// Bytes held so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.topics.iter().map(|(_, rows)| rows.bytes()).sum()
    }

    /// All rows are there.
    #[must_use]
    pub fn finish(self) -> EventLog {
        EventLog { topics: self.topics.into_iter().map(|(topic, rows)| (topic, rows.finish())).collect() }
    }
}

/// Takes a topic's rows.
#[derive(Debug)]
struct RowsWriter {
    rows: Rows,
    open: ColumnWriter,
}

impl RowsWriter {
    fn push(&mut self, line: u64, at: Timestamp, event: &Event) {
        // No Event holds a type that serde's formats refuse.
        if self.open.push(line, at, event).is_ok() {
            self.rows.count += 1;
        }
        if self.open.is_full()
            && let Some(block) = self.open.take()
        {
            self.rows.blocks.push(ByteBuf::from(pack(&block)));
        }
    }

    fn bytes(&self) -> usize {
        self.rows.bytes() + self.open.bytes()
    }

    fn finish(mut self) -> Rows {
        match self.open.take() {
            Some(block) if block.len() < FEW_BYTES => self.rows.last = ByteBuf::from(block),
            Some(block) => self.rows.blocks.push(ByteBuf::from(pack(&block))),
            None => {}
        }
        self.open.lay_by();
        self.rows
    }
}

impl FromIterator<(u64, Timestamp, Event)> for EventLog {
    fn from_iter<I: IntoIterator<Item = (u64, Timestamp, Event)>>(rows: I) -> Self {
        let mut writer = EventWriter::default();
        rows.into_iter().for_each(|(line, at, event)| writer.push(line, at, &event));
        writer.finish()
    }
}
