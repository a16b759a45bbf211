//! Tables that `sadf -d -h` puts side by side: which cells of a row are whose.
//!
//! ```text
//! CPU;%user;…;%idle[...];proc/s;cswch/s;IFACE;rxpck/s;…;%ifutil[...]
//! -1;1.00;…;97.00;0;9.00;…;88.00;0.50;812.00;lo;0.00;…;0.00;eth0;7.00;…;0.00
//! └─ all ──────┘ └─ CPU 0 ────┘ └───────────┘└─ lo ───────┘ └─ eth0 ──────┘
//! ```
//! `[...]` stands behind the last column of a table that comes once for each item; how often differs from row to row.
//! Items begin with a name, a processor's number or a word, and all else in them has two decimals. A row is read where
//! that leaves one way to divide it, and else not. Of other tables with items it is not known how these look, so nothing
//! beside them is read.
//!
//! Cost: O(cells · tables) a row, of at most [`PLACES`].

use super::metrics::{self, Column};
use std::ops::Range;

/// Behind the last column of a table with items.
pub(super) const REPEATS: &[u8] = b"[...]";
/// One column for each processor that the row tells of.
const EACH_CPU: &[u8] = b"CPU*";

/// Where a row's items may begin, in all tables. That of a machine with a thousand processors and a thousand disks has
/// some 40,000 cells, in 40 tables.
const PLACES: usize = 1 << 22;

/// How items are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// `-1` for all, `0`.
    Cpu,
    /// `eth0`, `dev8-0`.
    Word,
    /// `sum`, `12`, `NMI`.
    Interrupt,
}

impl Name {
    fn of_column(column: &[u8]) -> Option<Self> {
        Some(match column {
            b"CPU" => Self::Cpu,
            b"IFACE" | b"DEV" => Self::Word,
            b"INTR" => Self::Interrupt,
            _ => return None,
        })
    }

    fn fits(self, cell: &[u8]) -> bool {
        let is_number = !cell.is_empty() && cell.iter().all(u8::is_ascii_digit);
        let is_word = cell.first().is_some_and(u8::is_ascii_alphabetic);
        match self {
            Self::Cpu => is_number || metrics::is_all_cpus(cell),
            Self::Word => is_word,
            Self::Interrupt => is_number || is_word,
        }
    }
}

/// A table.
#[derive(Debug)]
struct Table {
    columns: Vec<Column>,
    /// How its items are named, if it has items.
    items: Option<Name>,
    /// An item has a column for each processor.
    each_cpu: bool,
}

/// The tables of a heading.
#[derive(Debug)]
pub(super) struct Tables(Vec<Table>);

impl Tables {
    /// By the names of all columns behind the timestamp; `None` where items are not known to look in some way.
    pub(super) fn of_heading<'a>(names: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
        let mut tables = Vec::new();
        let mut open: Vec<&[u8]> = Vec::new();
        for name in names {
            let last = name.strip_suffix(REPEATS);
            open.push(last.unwrap_or(name));
            if last.is_some() {
                let (at, items) =
                    open.iter().enumerate().rev().find_map(|(i, name)| Some((i, Name::of_column(name)?)))?;
                let each_cpu = open.last() == Some(&EACH_CPU);
                let of_items = open.split_off(at);
                tables.extend(Table::of(&open, None));
                tables.extend(Table::of(&of_items, Some(items)).map(|table| Table { each_cpu, ..table }));
                open.clear();
            }
        }
        tables.extend(Table::of(&open, None));
        Some(Self(tables))
    }

    /// The cells of each table and item, with what they are; `None` where there is no way to tell, or several.
    pub(super) fn divide<'a>(&'a self, cells: &[&[u8]]) -> Option<Vec<(&'a [Column], Range<usize>)>> {
        let by_cpu = self.0.first().filter(|table| table.items == Some(Name::Cpu));
        let cpus = by_cpu.map_or(0, |table| {
            let item = |i: &usize| table.is_item(cells, i * table.columns.len(), 0);
            (0..cells.len()).take_while(item).count()
        });
        // What has a column for each of so many leaves no choice how many there are.
        let fixed = by_cpu.filter(|_| self.0.iter().any(|table| table.each_cpu));
        let begin = fixed.map_or(0, |table| cpus * table.columns.len());
        let rest = self.0.get(usize::from(fixed.is_some())..)?;
        if rest.len().saturating_mul(cells.len()) > PLACES {
            return None;
        }
        // In how many ways the cells from there on are those of the tables from there on: none, one, or more.
        let mut behind = vec![0_u8; cells.len() + 1];
        *behind.last_mut()? = 1;
        let mut ways = vec![behind];
        for table in rest.iter().rev() {
            let behind = ways.last()?;
            let mut from = vec![0_u8; cells.len() + 1];
            let width = table.width(cpus);
            for at in (0..=cells.len()).rev() {
                let of = |ways: &[u8], at: usize| ways.get(at).copied().unwrap_or_default();
                let count = match table.items {
                    None => of(behind, at + width),
                    Some(_) if table.is_item(cells, at, cpus) => of(behind, at) + of(&from, at + width),
                    Some(_) => of(behind, at),
                };
                *from.get_mut(at)? = count.min(2);
            }
            ways.push(from);
        }
        if *ways.last()?.get(begin)? != 1 {
            return None;
        }
        let mut divided: Vec<(&[Column], Range<usize>)> = Vec::new();
        if let Some(table) = fixed {
            let width = table.columns.len();
            divided.extend((0..cpus).map(|i| (table.columns.as_slice(), i * width..(i + 1) * width)));
        }
        let mut at = begin;
        for (table, behind) in rest.iter().zip(ways.iter().rev().skip(1)) {
            let end = |at: usize| at + table.width(cpus);
            while table.items.is_none() || behind.get(at) == Some(&0) {
                divided.push((table.columns.as_slice(), at..end(at)));
                at = end(at);
                if table.items.is_none() {
                    break;
                }
            }
        }
        Some(divided)
    }
}

impl Table {
    fn of(names: &[&[u8]], items: Option<Name>) -> Option<Self> {
        let columns = names.iter().map(|name| metrics::column(name)).collect();
        (!names.is_empty()).then_some(Self { columns, items, each_cpu: false })
    }

    /// Cells of a row or item, of so many processors.
    const fn width(&self, cpus: usize) -> usize {
        if self.each_cpu { self.columns.len() - 1 + cpus } else { self.columns.len() }
    }

    fn is_item(&self, cells: &[&[u8]], at: usize, cpus: usize) -> bool {
        let item = cells.get(at..at + self.width(cpus)).and_then(<[_]>::split_first);
        item.zip(self.items).is_some_and(|((name, values), items)| {
            items.fits(name) && values.iter().all(|value| !metrics::may_be_cut(value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(heading: &str, row: &str) -> Option<Vec<String>> {
        let tables = Tables::of_heading(heading.split(';').map(str::as_bytes))?;
        let cells: Vec<&[u8]> = row.split(';').map(str::as_bytes).collect();
        let parts = tables.divide(&cells)?;
        Some(parts.into_iter().map(|(_, at)| row.split(';').collect::<Vec<_>>()[at].join(" ")).collect())
    }

    fn check(heading: &str, row: &str, expected: &[&str]) {
        assert_eq!(
            divided(heading, row).as_deref(),
            Some(&expected.iter().map(|e| (*e).to_owned()).collect::<Vec<_>>()[..])
        );
    }

    #[test]
    fn items_come_as_often_as_they_do() {
        let heading = "CPU;%user;%idle[...];proc/s;cswch/s;IFACE;rxkB/s;txkB/s[...];runq-sz;plist-sz";
        check(
            heading,
            "-1;1.00;2.00;0.00;9.00;lo;0.00;0.00;eth0;7.00;8.00;2;300",
            &["-1 1.00 2.00", "0.00 9.00", "lo 0.00 0.00", "eth0 7.00 8.00", "2 300"],
        );
        check(
            heading,
            "-1;1.00;2.00;0;3.00;4.00;0.00;9.00;2;300",
            &["-1 1.00 2.00", "0 3.00 4.00", "0.00 9.00", "2 300"],
        );
    }

    #[test]
    fn interrupts_have_a_column_for_each_processor() {
        let heading = "CPU;%user;%idle[...];INTR;CPU*[...];proc/s;cswch/s";
        check(
            heading,
            "-1;1.00;2.00;3;3.00;4.00;sum;5.00;6.00;8;0.00;0.00;NMI;0.00;0.00;1.00;9.00",
            &["-1 1.00 2.00", "3 3.00 4.00", "sum 5.00 6.00", "8 0.00 0.00", "NMI 0.00 0.00", "1.00 9.00"],
        );
    }

    #[test]
    fn what_could_be_divided_in_two_ways_is_not() {
        // Whether the third cell names a processor or is memory.
        let heading = "CPU;MHz[...];kbmemfree;%memused;CPU;wghMHz[...]";
        assert_eq!(divided(heading, "0;1.00;7;2.00;8;3.00"), None);
        assert!(divided("CPU;MHz[...];kbmemfree;%memused", "0;1.00;7;2.00;8;3.00").is_some());
    }

    #[test]
    fn row_of_more_cells_and_tables_than_any_machine_has_is_not_divided() {
        let heading = "IFACE;rxkB/s[...];".repeat(500) + "runq-sz";
        let divided = |cells: usize| divided(&heading, &("eth0;1.00;".repeat(cells) + "2"));
        assert_eq!(divided(9000), None);
        assert_eq!(divided(0).map(|parts| parts.len()), Some(1));
    }

    #[test]
    fn what_fits_in_no_way_is_not_divided() {
        let heading = "CPU;%user;%idle[...];IFACE;rxkB/s;txkB/s[...]";
        for row in ["-1;1.00;2.00;eth0;7.00", "-1;1.00;2.0", "-1;1.00;2.00;7.00;8.00;9.00", "x", ""] {
            assert_eq!(divided(heading, row), None, "{row}");
        }
        assert!(divided(heading, "-1;1.00;2.00").is_some(), "no interface");
        assert_eq!(divided("FAN;DEVICE;rpm;drpm[...];proc/s", "1;x;2.00;3.00;4.00"), None, "items of some other look");
    }
}
