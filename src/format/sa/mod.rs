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
mod tests {
    use super::*;
    use crate::format::Gathered;
    use crate::format::tests::read;
    use crate::model::{Event, FileDigest};

    /// A file of format 0x2175 with context switches and nothing else: (uptime, seconds,
    /// type, switches).
    fn file(records: &[(u64, u64, u8, u64)]) -> Vec<u8> {
        let mut bytes = vec![0x96, 0xd5, 0x75, 0x21, 12, 6, 1, 0];
        let u32s = |bytes: &mut Vec<u8>, numbers: &[u32]| {
            numbers.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
        };
        u32s(&mut bytes, &[336, 0, 1, 1, 12]);
        bytes.resize(76, 0);
        bytes.extend_from_slice(&[0; 16]);
        u32s(&mut bytes, &[2, 1, 126, 0, 0, 9, 2, 0, 1, 36, 24, 0]);
        bytes.extend_from_slice(&[21, 10, 8]);
        let text = bytes.len();
        bytes.resize(text + 65, 0);
        bytes.extend_from_slice(b"h7");
        bytes.resize(76 + 336, 0);
        u32s(&mut bytes, &[2, 0x8b, 1, 1, 0, 16, 1, 1, 0]);
        for (uptime, seconds, kind, switches) in records {
            bytes.extend_from_slice(&uptime.to_le_bytes());
            bytes.extend_from_slice(&seconds.to_le_bytes());
            bytes.extend_from_slice(&[0, 0, 0, 0, *kind, 1, 2, 3]);
            match *kind {
                kind::RESTART => bytes.extend_from_slice(&[2, 0, 0, 0]),
                kind::COMMENT => bytes.extend_from_slice(&[b'x'; COMMENT_BYTES]),
                _ => bytes.extend_from_slice(&[switches.to_le_bytes(), [0; 8]].concat()),
            }
        }
        bytes
    }

    #[test]
    fn bytes_that_wait_for_others_are_not_copied_again() {
        let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
        let mut out = Out::new(&mut digest, &mut gathered);
        let (mut read, mut moved) = (File::new(), 0);
        let bytes = file(&[]);
        for byte in bytes.chunks(1) {
            let before = read.held.capacity();
            read.bytes(byte, &mut out);
            moved += usize::from(read.held.capacity() != before);
        }
        assert!(moved < 12, "{moved} for {} bytes", bytes.len());
    }

    fn told(bytes: &[u8]) -> Vec<(i64, u64)> {
        let digest = read(&Sa, "x", bytes);
        let rows = digest.events.iter().filter_map(|row| match row.event {
            Event::Metrics { which: 8, hundredths } => Some((row.at.millis(), hundredths[0])),
            Event::MetricsHost { host } => {
                assert_eq!(&*host, "h7");
                None
            }
            other => panic!("{other:?}"),
        });
        rows.collect()
    }

    #[test]
    fn rates_are_taken_between_records_and_not_over_restarts() {
        // 30 switches in 2 s, a comment, 5 in 1 s; a restart; an uptime that goes back.
        let records = [
            (1000, 10, 1, 100),
            (1200, 12, 1, 130),
            (0, 12, 4, 0),
            (1300, 13, 1, 135),
            (0, 20, 2, 0),
            (500, 25, 1, 7),
            (600, 26, 1, 8),
            (50, 40, 1, 3),
            (151, 41, 1, 4),
        ];
        assert_eq!(told(&file(&records)), [(12_000, 1500), (13_000, 500), (26_000, 100), (41_000, 99)]);
    }

    #[test]
    fn counter_that_goes_back_is_not_measured() {
        assert_eq!(told(&file(&[(100, 1, 1, 9), (200, 2, 1, 8), (300, 3, 1, 9)])), [(3000, 100)]);
    }

    #[test]
    fn everything_before_a_cut_is_told() {
        let whole = file(&[(100, 1, 1, 0), (200, 2, 1, 5), (300, 3, 1, 9)]);
        for cut in 0..whole.len() {
            let digest = read(&Sa, "x", &whole[..cut]);
            let rows = told(&whole[..cut]);
            assert_eq!(rows, [(2000, 500), (3000, 400)][..rows.len()], "cut at {cut}");
            let whole_records = cut >= 448 && (cut - 448) % 40 == 0;
            assert_eq!(digest.issues.count(Code::CutRecord), u64::from(!whole_records), "cut at {cut}");
        }
    }

    #[test]
    fn unknown_kind_of_record_ends_the_reading() {
        let digest = read(&Sa, "x", &file(&[(100, 1, 1, 0), (200, 2, 77, 5), (300, 3, 1, 9)]));
        assert_eq!((digest.lines, digest.skipped, digest.issues.count(Code::BadRecord)), (2, 1, 1));
    }

    #[test]
    fn an_activity_of_another_layout_is_told() {
        let records = [(100, 1, 1, 0), (200, 2, 1, 5), (300, 3, 1, 9)];
        assert_eq!(read(&Sa, "x", &file(&records)).issues.count(Code::UnreadSysstat), 0);
        let mut bytes = file(&records);
        let magic = 76 + 336 + 4;
        assert_eq!(bytes[magic], 0x8b);
        bytes[magic] = 0x8c;
        let digest = read(&Sa, "x", &bytes);
        assert_eq!((digest.events.len(), digest.lines, digest.skipped), (0, 3, 0));
        assert_eq!(digest.issues.count(Code::UnreadSysstat), 1);
    }

    /// A file of 0x2170 with swapping, which is not kept, and context switches, in entries of so many bytes.
    fn file_of_2170(entry: usize) -> Vec<u8> {
        let mut bytes = vec![0x96, 0xd5, 0x70, 0x21, 9, 1, 5, 0];
        bytes.extend_from_slice(&1_300_000_000_u64.to_le_bytes());
        bytes.extend_from_slice(&[2, 0, 0, 0, 13, 2, 111, 8]);
        bytes.resize(24 + 65, 0);
        bytes.extend_from_slice(b"h7");
        bytes.resize(288, 0);
        for [id, items, size] in [[4_u32, 2, 128], [2, 1, 32]] {
            let long = [id, 0x8a, items, 1, size];
            let fields = if entry == 12 { &[id, items, size][..] } else { &long };
            fields.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
        }
        for (uptime, seconds, switches) in [(1000_u64, 1_300_000_000_u64, 100_u64), (1200, 1_300_000_002, 130)] {
            let mut record = [uptime.to_le_bytes(), [0; 8], [0; 8], [0; 8], seconds.to_le_bytes(), [0; 8]].concat();
            record[40..44].copy_from_slice(&[1, 7, 6, 40]);
            bytes.extend(record);
            bytes.resize(bytes.len() + 2 * 128, 0);
            bytes.extend_from_slice(&switches.to_le_bytes());
            bytes.resize(bytes.len() + 24, 0);
        }
        bytes
    }

    #[test]
    fn format_2170_is_laid_out_as_one_of_its_neighbours() {
        for entry in [12, 20] {
            let bytes = file_of_2170(entry);
            assert_eq!(told(&bytes), [(1_300_000_002_000, 1500)], "{entry}");
            let whole = read(&Sa, "x", &bytes);
            assert_eq!((whole.lines, whole.skipped), (2, 0));
            for cut in 0..bytes.len() {
                assert!(read(&Sa, "x", &bytes[..cut]).events.is_empty());
            }
        }
        // A first record that is not of the file's begin, behind either list: neither layout.
        let mut bytes = file_of_2170(12);
        bytes[8] ^= 0xff;
        bytes[9] ^= 0xff;
        assert_eq!(read(&Sa, "x", &bytes).issues.count(Code::BadRecord), 1);
    }

    #[test]
    fn unread_formats_are_named() {
        for format in [[0x72, 0x21], [0x76, 0x21]] {
            let bytes = [&MAGIC[..], &format, &[0; 20]].concat();
            assert_eq!(read(&Sa, "x", &bytes).issues.count(Code::UnreadSysstat), 1);
        }
    }
}
