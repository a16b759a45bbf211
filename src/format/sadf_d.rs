//! `sadf -d`: sysstat's counters as tables of semicolons, one table after another.
//!
//! ```text
//! # hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
//! h100;1;1795227871;-1;1.00;0.00;0.00;0.00;0.00;98.99                  -U: epoch seconds
//! vm;1;2026-11-21 03:03:15 UTC;-1;18.59;47.74;6.53;…                    UTC
//! vm;1;2026-11-20 22:03:15;-1;18.59;…                                   -t, -T: local
//! vm;-1;2026-11-21 03:00:00 UTC;LINUX-RESTART …
//! ```
//! With `-h` all tables stand side by side under one heading, and `[...]` behind a
//! column says that it and those before it come once for each item. Rows are divided by
//! [`Tables`]; of one that cannot be, what follows the first item is left out.
//!
//! Assumes one clock a file: the first row decides. Cost: O(bytes).

use super::metrics::{self, Column, Gather};
use super::side_by_side::{REPEATS, Tables};
use super::sysstat_time::{self, Stamp};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::{Code, Timestamp};
use crate::model::{Clock, Metric, formats};

/// The format.
pub struct SadfD;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SADF_D,
    title: "sadf -d (sysstat)",
    versions: "any",
    written_by: "sysstat's sadf -d",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n\
         h100;1;1795227871;-1;1.00;0.00;0.00;0.00;0.00;98.99",
        "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil\n\
         vm;1;2026-11-21 03:03:15 UTC;eth0;7.00;6.00;0.47;0.44;0.00;0.00;0.00;0.00",
    ],
};

/// How every heading begins.
const HEADING: &[u8] = b"# hostname;interval;timestamp";
/// Columns before a table's own.
const FIXED: usize = 3;

impl Format for SadfD {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let first = head.lines().next().unwrap_or_default();
        let special = || {
            let mut cells = first.split(|b| *b == b';');
            let (_, interval, stamp, what) = (cells.next(), cells.next(), cells.next(), cells.next());
            interval == Some(b"-1")
                && stamp.is_some_and(|s| Stamp::parse(s).is_some())
                && what.is_some_and(|w| w.starts_with(metrics::RESTART) || w.starts_with(b"COM "))
        };
        // Of a file whose beginning is missing, the next heading.
        let later = || first.contains(&b';') && head.lines().any(|line| line.starts_with(HEADING));
        if first.starts_with(HEADING) || special() || later() { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Table>::default()
    }
}

/// The table that is being read.
#[derive(Default)]
struct Table {
    /// Columns behind the timestamp; `None` before the first heading.
    columns: Option<Vec<Column>>,
    /// How many of them are looked at: up to the last that is used.
    seen: usize,
    /// Rows may have more cells than the heading has names.
    repeats: bool,
    /// What stands side by side, where that can be told of some rows.
    side_by_side: Option<Tables>,
    clock: sysstat_time::OneClock,
    gather: Gather,
    /// The metric that the last row ends in, if its decimals may have been cut off.
    may_be_cut: Option<Metric>,
}

impl Parse for Table {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        self.may_be_cut = None;
        let text = line.bytes;
        if text.trim_ascii().is_empty() {
            return out.understood();
        }
        if let Some(rest) = text.strip_prefix(HEADING) {
            self.heading(line.number, rest, out);
            return out.understood();
        }
        let read = self.row(line.number, text, out);
        self.may_be_cut.take_if(|_| line.ended);
        match read {
            Some(()) => out.understood(),
            None => out.skipped(Code::MalformedLine, line.number),
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        self.gather.end_cut(self.may_be_cut, out);
    }
}

impl Table {
    fn heading(&mut self, number: u64, rest: &[u8], out: &mut Out<'_>) {
        self.gather.flush(out);
        self.repeats = false;
        self.side_by_side = None;
        let mut columns = Vec::new();
        let names = rest.strip_prefix(b";").unwrap_or(rest).split(|b| *b == b';');
        for name in names.clone() {
            columns.push(metrics::column(name.strip_suffix(REPEATS).unwrap_or(name)));
            if name.ends_with(REPEATS) {
                self.repeats = true;
                self.side_by_side = Tables::of_heading(names);
                if self.side_by_side.is_none() {
                    out.issue(Code::TablesSideBySide, number);
                }
                break;
            }
            self.repeats |= name.ends_with(b"*");
        }
        if self.repeats {
            // One interface of several is no sum.
            for column in &mut columns {
                if matches!(column, Column::Share(..)) {
                    *column = Column::Other;
                }
            }
        }
        self.seen = columns.iter().rposition(|column| !matches!(column, Column::Other)).map_or(0, |last| last + 1);
        self.columns = Some(columns);
    }

    fn row(&mut self, number: u64, text: &[u8], out: &mut Out<'_>) -> Option<()> {
        let mut cells = text.split(|b| *b == b';');
        let (host, interval, stamp) = (cells.next()?, cells.next()?, cells.next()?);
        let stamp = Stamp::parse(stamp)?;
        let at = self.clock.read(stamp, out)?;
        if interval == b"-1" {
            out.time(at);
            let what = cells.next()?;
            if let Some(count) = metrics::processors(what).filter(|_| what.starts_with(metrics::RESTART)) {
                self.gather.processors(number, host, count, out);
            }
            return Some(());
        }
        if let Some(tables) = &self.side_by_side {
            let cells: Vec<&[u8]> = cells.clone().collect();
            if let Some(divided) = tables.divide(&cells) {
                out.time(at);
                for (columns, place) in divided {
                    let cells = cells.get(place).into_iter().flatten().copied();
                    let target = Target { gather: &mut self.gather, host, at, number };
                    self.may_be_cut = take_cells(columns, cells, target, out);
                }
                return Some(());
            }
            out.issue(Code::TablesSideBySide, number);
        }
        let columns = self.columns.as_ref()?;
        let used = columns.get(..self.seen).unwrap_or_default();
        if !used.is_empty() {
            let cells_there = memchr::memchr_iter(b';', text).count() + 1;
            let wanted = columns.len() + FIXED;
            if cells_there < wanted || (cells_there > wanted && !self.repeats) {
                return None;
            }
        }
        out.time(at);
        let last = take_cells(used, cells, Target { gather: &mut self.gather, host, at, number }, out);
        self.may_be_cut = last.filter(|_| used.len() == columns.len());
        Some(())
    }
}

/// Where the cells of a row go.
struct Target<'a> {
    gather: &'a mut Gather,
    host: &'a [u8],
    at: Timestamp,
    number: u64,
}

/// Takes the metrics out of the cells of a row; the last one if its end may be cut off.
fn take_cells<'a>(
    columns: &[Column],
    cells: impl Iterator<Item = &'a [u8]>,
    target: Target<'_>,
    out: &mut Out<'_>,
) -> Option<Metric> {
    let Target { gather, host, at, number } = target;
    let mut wanted = true;
    let mut short = None;
    let mut begun = false;
    for (column, cell) in columns.iter().zip(cells) {
        let metric = match *column {
            Column::Cpu => {
                wanted = metrics::is_all_cpus(cell);
                continue;
            }
            Column::Iface => {
                wanted = cell != metrics::LOOPBACK;
                continue;
            }
            Column::Other => {
                short = None;
                continue;
            }
            Column::Value(metric) | Column::Share(metric, _) => metric,
        };
        let Some(value) = metrics::hundredths(cell).filter(|_| wanted) else { continue };
        if !begun {
            gather.row(number, host, at, out);
            begun = true;
        }
        match *column {
            Column::Share(_, unit) => gather.share(metric, value.saturating_mul(unit)),
            _ => gather.value(metric, value),
        }
        short = metrics::may_be_cut(cell).then_some(metric);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read;
    use crate::model::{Event, FileDigest};

    fn told(digest: &FileDigest) -> Vec<String> {
        let rows = digest.events.iter();
        rows.map(|row| match row.event {
            Event::MetricsHost { host } => host.to_string(),
            Event::Metrics { which, hundredths } => format!("{} {which:b} {hundredths:?}", row.at.millis()),
            other => panic!("{other:?}"),
        })
        .collect()
    }

    #[test]
    fn rows_of_all_processors_and_sums_of_interfaces_are_told() {
        let text = "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n\
            a;1;100;-1;1.00;0.00;2.00;3.00;0.00;94.00\n\
            a;1;100;0;9.00;0.00;2.00;3.00;0.00;94.00\n\
            b;1;100;-1;4.00;0.00;5.00;6.00;0.00;94.00\n\
            # hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s\n\
            a;1;100;lo;1.00;1.00;9.00;9.00\n\
            a;1;100;eth0;1.00;1.00;1.00;0.50\n\
            a;1;100;eth1;1.00;1.00;0.01;0.00\n";
        let digest = read(&SadfD, "x", text.as_bytes());
        assert_eq!((digest.lines, digest.skipped, digest.clock), (8, 0, Clock::Epoch));
        let expected = [
            "a",
            "100000 111 [100, 200, 300]",
            "b",
            "100000 111 [400, 500, 600]",
            "a",
            "100000 110000000 [103424, 51200]",
        ];
        assert_eq!(told(&digest), expected);
    }

    #[test]
    fn row_that_may_have_lost_its_end_is_left_out() {
        let text = "# hostname;interval;timestamp;proc/s;cswch/s\na;1;100;0.00;12.34\na;1;101;0.00;12.3";
        let digest = read(&SadfD, "x", text.as_bytes());
        assert_eq!(told(&digest), ["a", "100000 1000 [1234]"]);
        assert_eq!(digest.issues.count(Code::CutRecord), 1);
        // What has its line end has its decimals.
        let digest = read(&SadfD, "x", format!("{text}\n").as_bytes());
        assert_eq!(told(&digest), ["a", "100000 1000 [1234]", "101000 1000 [1230]"]);
    }

    #[test]
    fn sum_over_fewer_interfaces_than_before_the_cut_is_left_out() {
        let text = "# hostname;interval;timestamp;IFACE;rxkB/s;txkB/s;x\n\
            a;1;1;e0;1.00;1.00;0.00\na;1;1;e1;1.00;1.00;0.00\na;1;2;e0;1.00;1.00;0.00\n";
        assert_eq!(told(&read(&SadfD, "x", text.as_bytes())), ["a", "1000 110000000 [204800, 204800]"]);
    }

    #[test]
    fn side_by_side_tables_are_read_up_to_the_first_that_repeats() {
        for heading in ["CPU;%user;%idle[...];FAN;rpm[...]", "CPU;%user;%idle[...];INTR;CPU*[...]"] {
            let text = format!(
                "# hostname;interval;timestamp;{heading}\n\
                 a;1;2019-04-18 13:20:19 UTC;-1;1.00;2.00;0;3.00;4.00;sum;5.00\n"
            );
            let digest = read(&SadfD, "x", text.as_bytes());
            assert_eq!(told(&digest), ["a", "1555593619000 1 [100]"]);
            assert_eq!(digest.issues.count(Code::TablesSideBySide), 1);
        }
    }

    #[test]
    fn side_by_side_tables_are_read_to_the_end_where_it_is_told_which_cell_is_whose() {
        let text = "# hostname;interval;timestamp;CPU;%user;%idle[...];proc/s;cswch/s;IFACE;rxkB/s;txkB/s[...];runq-sz\n\
            a;1;100;-1;1.00;2.00;0;3.00;4.00;0.50;812.00;lo;9.00;9.00;e0;1.00;0.50;e1;1.00;0.00;3\n\
            a;1;101;-1;5.00;2.00;0;3.00;4.00;0.50;9.00;lo;9.00;9.00;e0;2.00;0.00;e1;0.00;0.00;4";
        let digest = read(&SadfD, "x", text.as_bytes());
        // The length of the queue may go on behind the cut.
        let expected =
            ["a", "100000 110011001 [100, 81200, 300, 204800, 51200]", "101000 110001001 [500, 900, 204800, 0]"];
        assert_eq!(told(&digest), expected);
        assert_eq!(digest.issues.count(Code::TablesSideBySide), 0);
    }

    #[test]
    fn rows_of_a_second_clock_are_skipped() {
        let text = "# hostname;interval;timestamp;runq-sz;blocked\na;1;100;1;0\na;1;2019-04-18 13:20:19;2;0\n";
        let digest = read(&SadfD, "x", text.as_bytes());
        assert_eq!((told(&digest).len(), digest.skipped), (2, 1));
    }
}
