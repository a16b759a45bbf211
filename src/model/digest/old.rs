//! Rows and files as earlier versions wrote them.

use super::deflate::inflate;
use super::events::{BLOCK_LIMIT, EventLog, Topic};
use super::pack::unpack;
use super::writer::EventWriter;
use super::{Clock, FileDigest, HostClaim, Row};
use crate::base::{IssueTable, Timestamp};
use crate::model::shapes::Shapes4;
use crate::model::{Density, Event, Shapes};
use serde::Deserialize;
use serde_bytes::ByteBuf;
use std::sync::Arc;

/// Rows one by one, cut into blocks.
#[derive(Deserialize)]
struct Rows {
    _count: u64,
    blocks: Vec<ByteBuf>,
    #[serde(with = "serde_bytes")]
    open: Vec<u8>,
    _last_line: u64,
    _last_at: i64,
}

impl Rows {
    /// Adds them to others, up to a block that is damaged.
    fn add_to(&self, log: &mut EventWriter, unpacked: fn(&[u8]) -> Option<Vec<u8>>) {
        let mut before = RowReader::default();
        let mut add = |bytes: &[u8]| {
            let mut rows = before.after(bytes);
            rows.by_ref().for_each(|row| log.push(row.line, row.at, &row.event));
            before = rows.after(&[]);
        };
        for block in &self.blocks {
            let Some(block) = unpacked(block) else { return };
            add(&block);
        }
        add(&self.open);
    }
}

/// Gives rows one by one, up to a damage: `postcard`, line and time as differences from the row before.
#[derive(Debug, Default)]
struct RowReader<'a> {
    rest: &'a [u8],
    line: u64,
    at_ms: i64,
}

impl<'a> RowReader<'a> {
    /// Of bytes that go on where these end.
    const fn after<'b>(&self, bytes: &'b [u8]) -> RowReader<'b> {
        RowReader { rest: bytes, line: self.line, at_ms: self.at_ms }
    }
}

impl Iterator for RowReader<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let bytes = std::mem::take(&mut self.rest);
        if bytes.is_empty() {
            return None;
        }
        // Part by part: a row moved as a whole is moved twice.
        let mut bytes = postcard::Deserializer::from_bytes(bytes);
        let line_step = i64::deserialize(&mut bytes).ok()?;
        let at_step = i64::deserialize(&mut bytes).ok()?;
        let event = Event::deserialize(&mut bytes).ok()?;
        self.rest = bytes.finalize().ok()?;
        self.line = self.line.wrapping_add(line_step as u64);
        self.at_ms = self.at_ms.wrapping_add(at_step);
        Some(Row { line: self.line, at: Timestamp::from_millis(self.at_ms), event })
    }
}

/// Of versions 1 to 3: those of all topics in one list, its blocks deflated.
#[derive(Deserialize)]
pub struct Rows3(Rows);

/// Of version 4: by topic, their blocks deflated.
#[derive(Deserialize)]
pub struct Rows4(Vec<(Topic, Rows)>);

/// Of version 5: by topic, their blocks packed.
#[derive(Deserialize)]
pub struct Rows5(Vec<(Topic, Rows)>);

fn inflated(block: &[u8]) -> Option<Vec<u8>> {
    inflate(block, BLOCK_LIMIT as u64)
}

fn unpacked(block: &[u8]) -> Option<Vec<u8>> {
    unpack(block, BLOCK_LIMIT)
}

impl From<Rows3> for EventLog {
    fn from(Rows3(rows): Rows3) -> Self {
        let mut log = EventWriter::default();
        rows.add_to(&mut log, inflated);
        log.finish()
    }
}

impl From<Rows4> for EventLog {
    fn from(Rows4(topics): Rows4) -> Self {
        let mut log = EventWriter::default();
        topics.iter().for_each(|(_, rows)| rows.add_to(&mut log, inflated));
        log.finish()
    }
}

impl From<Rows5> for EventLog {
    fn from(Rows5(topics): Rows5) -> Self {
        let mut log = EventWriter::default();
        topics.iter().for_each(|(_, rows)| rows.add_to(&mut log, unpacked));
        log.finish()
    }
}

/// A [`FileDigest`] as version 1 wrote it, with the rows of some version.
#[derive(Deserialize)]
pub(super) struct FileDigest1<E = Rows3> {
    format: String,
    clock: Clock,
    span: Option<(Timestamp, Timestamp)>,
    lines: u64,
    understood: u64,
    skipped: u64,
    hosts: Vec<HostClaim>,
    issues: IssueTable,
    events: E,
}

impl<E: Into<EventLog>> From<FileDigest1<E>> for FileDigest {
    fn from(old: FileDigest1<E>) -> Self {
        let FileDigest1 { format, clock, span, lines, understood, skipped, hosts, issues, events } = old;
        let events = events.into();
        Self { format, clock, span, lines, understood, skipped, hosts, issues, events, ..Self::default() }
    }
}

/// A [`FileDigest`] as versions 2 to 5 wrote it, with the rows and the shapes of some version.
#[derive(Deserialize)]
pub(super) struct FileDigest2<E, S = Shapes4> {
    of_1: FileDigest1<E>,
    unused: u64,
    density: Density,
    shapes: S,
}

impl<E: Into<EventLog>, S: Into<Shapes>> From<FileDigest2<E, S>> for FileDigest {
    fn from(old: FileDigest2<E, S>) -> Self {
        let FileDigest2 { of_1, unused, density, shapes } = old;
        Self { unused, density: Arc::new(density), shapes: shapes.into(), ..of_1.into() }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
pub mod tests {
    use super::*;
    use serde::Serialize;

    /// A row as it was kept.
    #[derive(Serialize)]
    struct Packed<'a> {
        line_step: i64,
        at_step: i64,
        event: &'a Event,
    }

    /// A block of rows was full with so many bytes.
    const BLOCK_BYTES: usize = 64 * 1024;

    /// [`Rows`] as they were written.
    #[derive(Serialize)]
    pub struct Old {
        count: u64,
        blocks: Vec<ByteBuf>,
        #[serde(with = "serde_bytes")]
        open: Vec<u8>,
        last_line: u64,
        last_at: i64,
    }

    impl Old {
        /// Of these rows, each block packed so.
        pub fn of(rows: impl Iterator<Item = Row>, packed: fn(&[u8]) -> Vec<u8>) -> Self {
            let mut old = Self { count: 0, blocks: Vec::new(), open: Vec::new(), last_line: 0, last_at: 0 };
            for Row { line, at, event } in rows {
                let line_step = (line as i64).wrapping_sub(old.last_line as i64);
                let at_step = at.millis().wrapping_sub(old.last_at);
                old.open.extend(postcard::to_stdvec(&Packed { line_step, at_step, event: &event }).unwrap());
                (old.count, old.last_line, old.last_at) = (old.count + 1, line, at.millis());
                if old.open.len() >= BLOCK_BYTES {
                    old.blocks.push(ByteBuf::from(packed(&std::mem::take(&mut old.open))));
                }
            }
            old
        }

        /// Cuts a block short.
        pub fn damage(&mut self, block: usize) {
            let half = self.blocks[block].len() / 2;
            self.blocks[block].truncate(half);
        }
    }
}
