//! Rows by column: the first fields of all rows behind each other, then the second ones, each as what it differs
//! from the one before. Rows of a log differ from their neighbours in few of their fields, so most columns are
//! long runs of one value, and what is left packs well.
//!
//! ```text
//! block  = rows { length column }*           all numbers as base::varint
//! column = line steps: one number a row      the first column, so that a row takes a byte at least
//!        | steps: zigzag(step), where 0 is followed by how many more values are the same
//!        | texts: length + 1, bytes, where 0 is followed by how many more are the same
//!        | tags
//! ```
//! Which column a value belongs to follows from the way to it: after a value the next one, after a tag (a variant's
//! number, whether an option is there, how long a list is) that of the tag ([`Paths`]). Columns stand in the order in
//! which the way first came by them, so who reads finds them in the same order and nothing has to name them.
//!
//! Assumes values as `serde` derives them: what comes after the same tags is of the same type. Cost: O(1) a value.

mod read;
mod write;

pub use read::ColumnReader;
pub use write::ColumnWriter;

/// A block is full with so many bytes: large enough to pack well, small enough that one open block a topic is
/// little memory…
const BLOCK_BYTES: usize = 64 * 1024;
/// …or with so many rows, however few bytes they take…
const BLOCK_ROWS: u64 = 16 * 1024;
/// …or with so many columns, as of rows that are all of another kind…
const BLOCK_COLUMNS: usize = 4 * 1024;
/// …or with so many elements of lists, as runs of one value take next to no bytes.
const BLOCK_ELEMENTS: u64 = 1 << 18;
/// Columns of a block that is read at most: those of a full one, and of a row that came then.
const MOST_COLUMNS: usize = 16 * BLOCK_COLUMNS;
/// Elements of a block that is read at most.
const MOST_ELEMENTS: u64 = 4 * BLOCK_ELEMENTS;
/// Elements of a longer list share the columns of one, instead of each having its own.
const LONG_LIST: usize = 32;

/// The step from a value to the next.
const ON: u32 = 0;
/// No tag: variants are counted from zero.
const NONE: u32 = u32::MAX;

/// The columns, and which comes after which.
#[derive(Debug)]
struct Paths<C> {
    columns: Vec<Place<C>>,
    at: u32,
}

/// A column and those that come after it: a cache's line, as each value comes by one.
#[derive(Debug)]
struct Place<C> {
    column: C,
    /// Most columns have one: after which tag, and where; [`NONE`] until there is one.
    next: (u32, u32),
    #[expect(clippy::box_collection, reason = "few have others, and all are to be small")]
    others: Option<Box<Vec<(u32, u32)>>>,
}

impl<C: Default> Default for Paths<C> {
    fn default() -> Self {
        Self::new(C::default())
    }
}

impl<C> Paths<C> {
    /// With the first column.
    fn new(first: C) -> Self {
        Self { columns: vec![Place::new(first)], at: 0 }
    }

    /// Begins again with the first column.
    fn begin(&mut self, first: C) {
        self.columns.clear();
        self.columns.push(Place::new(first));
        self.at = 0;
    }

    /// Goes by the column where the next value belongs, which `value` takes or gives with the tag to go on after; `new` is
    /// what there is of a column that is new. `None` where there is nothing.
    #[inline(always)]
    fn pass<T>(
        &mut self,
        value: impl FnOnce(&mut C) -> Option<(T, u32)>,
        new: impl FnOnce() -> Option<C>,
    ) -> Option<T> {
        let place = self.columns.get_mut(self.at as usize)?;
        let (value, tag) = value(&mut place.column)?;
        self.at = if place.next.0 == tag { place.next.1 } else { self.step_aside(tag, new)? };
        Some(value)
    }

    /// Where that is, if it is not the usual one.
    #[inline(never)]
    fn step_aside(&mut self, tag: u32, column: impl FnOnce() -> Option<C>) -> Option<u32> {
        let new = u32::try_from(self.columns.len()).ok()?;
        let place = self.columns.get_mut(self.at as usize)?;
        let known = place.others.iter().flat_map(|others| others.iter()).find(|(after, _)| *after == tag);
        if let Some((_, at)) = known {
            return Some(*at);
        }
        let column = column()?;
        match place.next {
            (NONE, _) => place.next = (tag, new),
            _ => place.others.get_or_insert_default().push((tag, new)),
        }
        self.columns.push(Place::new(column));
        Some(new)
    }
}

impl<C> Place<C> {
    const fn new(column: C) -> Self {
        Self { column, next: (NONE, 0), others: None }
    }
}

/// The tag of a list of so many elements, by which its columns are found.
fn tag_of_list(len: usize) -> u32 {
    len.min(LONG_LIST + 1) as u32
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, BlockId, Timestamp};
    use crate::model::digest::Row;
    use crate::model::{Event, Label, Outcome};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::net::IpAddr;

    fn attempt(number: u32) -> AttemptId {
        AttemptId::parse(format!("attempt_202611202124_0001_m_{number:06}_0").as_bytes()).unwrap()
    }

    /// Events with options, addresses of both kinds, texts, and lists short and long.
    fn event() -> impl Strategy<Value = Event> {
        let address = prop_oneof![
            Just(None),
            any::<[u8; 4]>().prop_map(|ip| Some(IpAddr::from(ip))),
            any::<[u8; 16]>().prop_map(|ip| Some(IpAddr::from(ip)))
        ];
        prop_oneof![
            (0_u32..100, any::<bool>()).prop_map(|(n, cleanup)| Event::Launched { attempt: attempt(n), cleanup }),
            (0_u32..9).prop_map(|n| Event::Ended { attempt: attempt(n), outcome: Outcome::Failed }),
            (prop::option::of(0_u32..9), address, any::<u64>(), prop::option::of(0_u64..9)).prop_map(
                |(map, dest, bytes, duration_ns)| Event::ShuffleServed {
                    map: map.map(attempt),
                    dest,
                    bytes,
                    duration_ns
                }
            ),
            any::<i64>().prop_map(|id| Event::Terminating { block: BlockId(id) }),
            (any::<u16>(), vec(prop_oneof![Just(5), 0..u64::MAX], 0..80))
                .prop_map(|(which, hundredths)| Event::Metrics { which, hundredths: hundredths.into() }),
            "[ab]{0,3}".prop_map(|host| Event::MetricsHost { host: host.into() }),
            ("[ab]{0,2}", prop::option::of(any::<i64>())).prop_map(|(run, begin_ms)| {
                Event::Label(Box::new(Label { run: run.into(), begin_ms, ..Label::default() }))
            }),
        ]
    }

    fn block(rows: &[(u64, i64, Event)]) -> Vec<u8> {
        let mut writer = ColumnWriter::default();
        for (line, at, event) in rows {
            writer.push(*line, Timestamp::from_millis(*at), event).unwrap();
        }
        writer.take().unwrap_or_default()
    }

    fn rows_of(block: Vec<u8>) -> Vec<(u64, i64, Event)> {
        ColumnReader::new(block).map(|Row { line, at, event }| (line, at.millis(), event)).collect()
    }

    fn rows() -> impl Strategy<Value = Vec<(u64, i64, Event)>> {
        vec((prop_oneof![0_u64..50, any::<u64>()], -(1_i64 << 50)..1 << 50, event()), 0..60)
    }

    proptest! {
        #[test]
        fn rows_come_back(rows in rows()) {
            prop_assert_eq!(rows_of(block(&rows)), rows);
        }

        #[test]
        fn of_a_damaged_block_nothing_is_endless(rows in rows(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
            let mut damaged = block(&rows);
            if !damaged.is_empty() {
                let at = at.index(damaged.len());
                damaged[at] = to;
                let bytes = damaged.len();
                prop_assert!(rows_of(damaged).len() <= bytes);
            }
        }

        #[test]
        fn of_a_cut_block_nothing_comes(rows in rows(), cut in any::<prop::sample::Index>()) {
            let mut block = block(&rows);
            if !block.is_empty() {
                // Lengths of columns do not fit any more; the last ones may be empty.
                block.truncate(cut.index(block.len()));
                prop_assert!(rows_of(block).len() <= rows.len());
            }
        }
    }

    #[test]
    fn what_stays_the_same_takes_a_byte_a_row() {
        let same = |rows: u64| {
            let event = Event::ShuffleServed { map: Some(attempt(7)), dest: None, bytes: 5, duration_ns: Some(9) };
            block(&(0..rows).map(|line| (line, 1_000, event.clone())).collect::<Vec<_>>())
        };
        let (some, more) = (same(1_000), same(2_000));
        assert!(more.len() - some.len() < 1_100, "{} and {} bytes", some.len(), more.len());
        assert_eq!(rows_of(more).len(), 2_000);
    }

    #[test]
    fn a_writer_that_was_laid_by_writes_the_same() {
        let event =
            |n: u64| Event::ShuffleServed { map: Some(attempt(n as u32)), dest: None, bytes: n * n, duration_ns: None };
        let rows = |from: u64| (from..from + 500).map(|n| (n, n as i64, event(n))).collect::<Vec<_>>();
        let labels = |n: u64| vec![(n, 1, Event::MetricsHost { host: "a".into() }), (n, 2, event(n))];
        for (n, rows) in (0..).zip([rows(0), labels(7), rows(9), vec![], rows(0), labels(7)]) {
            let mut used = ColumnWriter::new();
            rows.iter().for_each(|(line, at, event)| used.push(*line, Timestamp::from_millis(*at), event).unwrap());
            assert_eq!(used.take().unwrap_or_default(), block(&rows), "{n}");
            assert!(used.room_bytes() < 4 * BLOCK_BYTES);
            used.lay_by();
        }
    }

    #[test]
    fn room_does_not_grow_from_block_to_block() {
        let mut writer = ColumnWriter::new();
        let mut room = Vec::new();
        for n in 0_u64..200_000 {
            let event = Event::ShuffleServed {
                map: None,
                dest: None,
                bytes: n.wrapping_mul(0x9e37_79b9_7f4a_7c15),
                duration_ns: None,
            };
            writer.push(n, Timestamp::default(), &event).unwrap();
            if writer.is_full() {
                assert!(writer.take().is_some());
                room.push(writer.room_bytes());
            }
        }
        assert!(room.len() > 10 && room.iter().all(|bytes| *bytes <= room[0]), "{room:?}");
    }

    #[test]
    fn a_block_ends_before_it_is_too_much_to_read() {
        // A list of values that are all the same takes next to no bytes.
        let long = Event::Metrics { which: 0, hundredths: vec![7; 40_000].into() };
        let mut writer = ColumnWriter::default();
        let mut rows = 0;
        while !writer.is_full() {
            writer.push(rows, Timestamp::default(), &long).unwrap();
            rows += 1;
        }
        assert!(rows < 100, "{rows}");
        assert!(writer.bytes() < BLOCK_BYTES);
        let back = rows_of(writer.take().unwrap());
        assert_eq!(back.len() as u64, rows);
        assert!(back.iter().all(|(.., event)| *event == long));
    }

    #[test]
    fn lies_about_lists_end() {
        // A list of more values than there are.
        let mut of_one = block(&[(1, 1, Event::Metrics { which: 0, hundredths: vec![7; 1_000].into() })]);
        let at = of_one.windows(2).position(|two| two == [0xd0, 0x0f]).unwrap();
        of_one[at..at + 2].copy_from_slice(&[0xfe, 0x7f]);
        assert_eq!(rows_of(of_one), []);
        // One of a few bytes, which would take megabytes.
        let long = vec![7; MOST_ELEMENTS as usize + 1].into();
        let few_bytes = block(&[(1, 1, Event::Metrics { which: 0, hundredths: long })]);
        assert!(few_bytes.len() < 40, "{}", few_bytes.len());
        assert_eq!(rows_of(few_bytes), []);
    }
}
