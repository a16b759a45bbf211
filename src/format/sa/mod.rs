//! The daily files of sysstat's collector, `sa21`, `sa20261121`: raw counters in C
//! structures, as `sadc` writes them.
//!
//! ```text
//! 96 d5 75 21 0c 06 01 00 50 01 00 00 …     little-endian, format 0x2175, sysstat 12.6.1
//! d5 96 21 73 …                             big-endian, 0x2173
//! ```
//! Read are 0x1170 (9.0), 0x2170 (9.0–9.1.5), 0x2171 (9.1.6–10.2), 0x2173 (10.3–11.6) and 0x2175 (11.7 on), of both
//! byte orders. Rates need two records and nothing between them that resets the counters:
//! a restart, or an uptime that goes back. What comes before a cut or a damage is told.
//!
//! Assumes 100 jiffies a second for the uptime of formats before 0x2175, as sysstat does.
//! Cost: O(bytes); one record's kept activities are held.

pub mod layout;
pub mod rates;

use super::metrics::Gather;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::{Code, Timestamp};
use crate::model::{Clock, formats};
use layout::{Activity, Header, Numbers, Version, entries_of_2170};
use rates::Counters;

/// The format.
pub struct Sa;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SA,
    title: "sysstat's binary daily file",
    versions: "any",
    written_by: "sysstat's sadc, 0x1170, 0x2170, 0x2171, 0x2173, 0x2175",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[],
};

/// The first two bytes of a file, little-endian.
const MAGIC: [u8; 2] = [0x96, 0xd5];
/// Enough for the format and the header's size.
const FIRST_BYTES: usize = 12;
/// Where the formats whose magic takes 8 bytes have the time of their begin.
const BEGUN_AT: usize = 8;
/// Text behind a comment's record.
const COMMENT_BYTES: usize = 64;
/// What describes extra structures: how many, how large, whether more follow, their types.
const EXTRA_BYTES: usize = 24;
/// Limits of sysstat's own on extra structures.
const MOST_EXTRAS: u32 = 8192;
const LONGEST_EXTRA: u32 = 1024;
/// No record is of a time behind the year 9999.
const LAST_SECOND: u64 = 253_402_300_799;

/// Types of records.
mod kind {
    pub const STATISTICS: u8 = 1;
    pub const RESTART: u8 = 2;
    pub const LAST_STATISTICS: u8 = 3;
    pub const COMMENT: u8 = 4;
    pub const EXTRA_FIRST: u8 = 5;
    pub const EXTRA_LAST: u8 = 15;
}

impl Format for Sa {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let Some((magic, rest)) = head.bytes.split_first_chunk::<2>() else { return Confidence::No };
        let big = *magic == [MAGIC[1], MAGIC[0]];
        let numbers = Numbers { big, short_long: false };
        match numbers.u16(rest, 0) {
            // 0x1170, 0x2170 and all since.
            Some(format) if (*magic == MAGIC || big) && matches!(format >> 8, 0x11 | 0x21) => Confidence::Sure,
            _ => Confidence::No,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(File::new())
    }
}

/// What the next bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    First,
    Header(usize),
    /// Whichever of two layouts it is, from the activities to the first record; only looked at.
    Layout,
    Activities,
    /// A description of extra structures, and what comes behind them.
    Extra(After),
    Record,
    /// What a comment or a restart has behind its record; whether extras follow.
    Tail(usize, bool, bool),
    /// The number of items of an activity.
    Count(usize),
    /// The items of an activity.
    Items(usize, u32),
    /// Nothing: all activities of a record are there.
    Complete,
    /// Nothing is read any more.
    Stop,
}

/// What comes behind extra structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    Record,
    Statistics,
}

struct File {
    held: Vec<u8>,
    /// Bytes to come that are not wanted.
    skip: u64,
    next: Next,
    version: Version,
    header: Option<Header>,
    /// When it was begun, in seconds, by the formats whose magic takes 8 bytes.
    begun: u64,
    activities: Vec<Activity>,
    before: Option<Counters>,
    now: Counters,
    at: Timestamp,
    /// Records so far.
    number: u64,
    gather: Gather,
}

impl Parse for File {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if self.next == Next::Stop {
            return;
        }
        self.held.extend_from_slice(bytes);
        let mut used = 0;
        let mut held = std::mem::take(&mut self.held);
        loop {
            let rest = held.get(used..).unwrap_or_default();
            let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(rest.len());
            self.skip -= skipped as u64;
            used += skipped;
            let rest = rest.get(skipped..).unwrap_or_default();
            if self.skip > 0 || self.next == Next::Stop {
                break;
            }
            let Some(piece) = self.needs().and_then(|needs| rest.get(..needs)) else { break };
            // The header is read from the file's beginning, which the first step only looks at; likewise the activities.
            if !matches!(self.next, Next::First | Next::Layout) {
                used += piece.len();
            }
            if self.step(piece, out).is_none() {
                out.skipped(Code::BadRecord, self.number + 1);
                self.next = Next::Stop;
            }
        }
        if self.next != Next::Stop {
            held.drain(..used);
            self.held = held;
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        self.gather.flush(out);
        let between = self.next == Next::Record && self.held.is_empty() && self.skip == 0;
        if !between && self.next != Next::Stop {
            out.skipped(Code::CutRecord, self.number + 1);
        }
    }
}

impl File {
    fn new() -> Self {
        Self {
            held: Vec::new(),
            skip: 0,
            next: Next::First,
            version: Version::V2175,
            header: None,
            begun: 0,
            activities: Vec::new(),
            before: None,
            now: Counters::default(),
            at: Timestamp::default(),
            number: 0,
            gather: Gather::default(),
        }
    }

    /// Bytes that the next step takes; `None` where there is no next.
    fn needs(&self) -> Option<usize> {
        Some(match self.next {
            Next::First => FIRST_BYTES,
            Next::Header(bytes) | Next::Tail(bytes, ..) => bytes,
            Next::Layout => self.activities_bytes()? + self.header.as_ref()?.record_bytes,
            Next::Activities => self.activities_bytes()?,
            Next::Extra(_) => EXTRA_BYTES,
            Next::Record => self.header.as_ref()?.record_bytes,
            Next::Count(_) => 4,
            Next::Items(i, items) => usize::try_from(self.activities.get(i)?.bytes(items)?).ok()?,
            Next::Complete => 0,
            Next::Stop => return None,
        })
    }

    fn activities_bytes(&self) -> Option<usize> {
        let header = self.header.as_ref()?;
        Some(header.entry_bytes * usize::try_from(header.activities).ok()?)
    }

    /// Takes one piece of the file; `None` where it is damaged.
    fn step(&mut self, piece: &[u8], out: &mut Out<'_>) -> Option<()> {
        match self.next {
            Next::First => self.first(piece, out)?,
            Next::Header(_) => {
                let numbers = Numbers { big: piece.starts_with(&[MAGIC[1], MAGIC[0]]), short_long: false };
                let header = Header::parse(self.version, numbers, piece)?;
                self.begun = header.numbers.long(piece, BEGUN_AT)?;
                self.header = Some(header);
                self.next = if self.version == Version::V2170 { Next::Layout } else { Next::Activities };
            }
            Next::Layout => {
                let header = self.header.as_mut()?;
                (self.version, header.entry_bytes) = entries_of_2170(header, self.begun, piece)?;
                self.next = Next::Activities;
            }
            Next::Activities => {
                let header = self.header.as_ref()?;
                let entries = piece.chunks_exact(header.entry_bytes);
                self.activities =
                    entries.map(|e| Activity::parse(self.version, header.numbers, e)).collect::<Option<_>>()?;
                if self.activities.iter().any(|activity| activity.is_unread) {
                    out.issue(Code::UnreadSysstat, 0);
                }
                self.next = if header.extras { Next::Extra(After::Record) } else { Next::Record };
            }
            Next::Extra(after) => self.extra(piece, after)?,
            Next::Record => self.record(piece, out)?,
            Next::Tail(_, restart, extras) => {
                if restart && self.version == Version::V2173 {
                    self.volatile(piece);
                }
                self.next = if extras { Next::Extra(After::Record) } else { Next::Record };
            }
            Next::Count(i) => {
                let items = self.numbers()?.u32(piece, 0)?;
                self.items(i, items)?;
            }
            Next::Items(i, _) => {
                let activity = *self.activities.get(i)?;
                self.now.take(&activity, self.numbers()?, piece)?;
                self.next = self.before_items(i + 1)?;
            }
            Next::Complete => self.complete(out),
            Next::Stop => {}
        }
        self.pass_unwanted()
    }

    fn first(&mut self, piece: &[u8], out: &mut Out<'_>) -> Option<()> {
        let numbers = Numbers { big: piece.starts_with(&[MAGIC[1], MAGIC[0]]), short_long: false };
        match Version::of(numbers.u16(piece, 2)?) {
            Some(version) => {
                self.version = version;
                self.next = Next::Header(version.header_end(numbers, piece)?);
            }
            None => {
                out.skipped(Code::UnreadSysstat, 0);
                self.next = Next::Stop;
            }
        }
        Some(())
    }

    fn numbers(&self) -> Option<Numbers> {
        self.header.as_ref().map(|h| h.numbers)
    }

    fn extra(&mut self, piece: &[u8], after: After) -> Option<()> {
        let numbers = self.numbers()?;
        let (count, size, more) = (numbers.u32(piece, 0)?, numbers.u32(piece, 4)?, numbers.u32(piece, 8)?);
        if count > MOST_EXTRAS || size > LONGEST_EXTRA {
            return None;
        }
        self.skip = u64::from(count) * u64::from(size);
        if more == 0 {
            match after {
                After::Record => self.next = Next::Record,
                After::Statistics => self.begin_items()?,
            }
        }
        Some(())
    }

    fn record(&mut self, piece: &[u8], out: &mut Out<'_>) -> Option<()> {
        let header = self.header.as_ref()?;
        let numbers = header.numbers;
        let (uptime_cs, seconds) = if self.version == Version::V2175 {
            (numbers.u64(piece, 0)?, numbers.u64(piece, 8)?)
        } else {
            // The second one is of one processor, and 0 where there is no other.
            let one = numbers.u64(piece, 16).filter(|uptime| *uptime != 0);
            (one.or_else(|| numbers.u64(piece, 0))?, numbers.long(piece, 32)?)
        };
        let extras = match header.record_extras_at {
            Some(at) => numbers.u32(piece, at)? != 0,
            None => false,
        };
        let volatile = header.entry_bytes * usize::try_from(header.volatile).ok()?;
        let kind = *piece.get(header.kind_at)?;
        if seconds > LAST_SECOND {
            return None;
        }
        self.number += 1;
        self.at = Timestamp::from_millis(i64::try_from(seconds).ok()?.checked_mul(1000)?);
        match kind {
            kind::STATISTICS | kind::LAST_STATISTICS => {
                self.now = Counters::at(uptime_cs);
                if extras {
                    self.next = Next::Extra(After::Statistics);
                    return Some(());
                }
                return self.begin_items();
            }
            kind::RESTART => {
                self.before = None;
                self.next = match self.version {
                    // The number of processors.
                    Version::V2175 => Next::Tail(4, true, extras),
                    Version::V2173 if volatile > 0 => Next::Tail(volatile, true, false),
                    _ => Next::Record,
                };
            }
            kind::COMMENT => self.next = Next::Tail(COMMENT_BYTES, false, extras),
            kind::EXTRA_FIRST..=kind::EXTRA_LAST => {
                self.next = if extras { Next::Extra(After::Record) } else { Next::Record };
            }
            _ => return None,
        }
        out.understood();
        out.time(self.at);
        Some(())
    }

    /// Numbers of items that a restart has changed.
    fn volatile(&mut self, piece: &[u8]) {
        let Some(header) = &self.header else { return };
        for entry in piece.chunks_exact(header.entry_bytes) {
            // Entries that are not used are all zeros.
            if let (Some(id), Some(items)) = (header.numbers.u32(entry, 0), header.numbers.u32(entry, 8)) {
                self.activities.iter_mut().for_each(|activity| activity.restarted(id, items));
            }
        }
    }

    fn begin_items(&mut self) -> Option<()> {
        self.next = self.before_items(0)?;
        Some(())
    }

    /// What comes before the items of activity `i`, or behind those of the last.
    fn before_items(&self, i: usize) -> Option<Next> {
        if i == self.activities.len() {
            return Some(Next::Complete);
        }
        let activity = self.activities.get(i)?;
        Some(if activity.counted { Next::Count(i) } else { Next::Items(i, activity.items) })
    }

    fn items(&mut self, i: usize, items: u32) -> Option<()> {
        self.activities.get(i)?.bytes(items)?;
        self.next = Next::Items(i, items);
        Some(())
    }

    /// All of a record is there.
    fn complete(&mut self, out: &mut Out<'_>) {
        let mut now = std::mem::take(&mut self.now);
        out.understood();
        out.time(self.at);
        if let (Some(count), Some(header)) = (now.processors(), &self.header) {
            self.gather.processors(self.number, &header.node, count, out);
        }
        if let (Some(before), Some(header)) = (&self.before, &self.header)
            && before.uptime_cs <= now.uptime_cs
        {
            self.gather.row(self.number, &header.node, self.at, out);
            now.tell(before, &mut self.gather);
            self.gather.flush(out);
        }
        self.before = Some(now);
        self.next = Next::Record;
    }

    /// Passes over items that nobody wants, without holding them.
    fn pass_unwanted(&mut self) -> Option<()> {
        while let Next::Items(i, items) = self.next {
            let activity = self.activities.get(i)?;
            let bytes = activity.bytes(items)?;
            if activity.kept.is_some() && bytes > 0 {
                break;
            }
            // No step is taken before all that is to be skipped has passed, so this adds to
            // what the activities before this one left.
            self.skip = self.skip.checked_add(bytes)?;
            self.next = self.before_items(i + 1)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
