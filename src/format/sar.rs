//! `sar`: sysstat's tables for people.
//!
//! ```text
//! Linux 2.6.32-573.el6.x86_64 (h101)     03/28/16     _x86_64_    (2 CPU)
//!
//! 11:50:01 PM       CPU     %user     %nice   %system   %iowait    %steal     %idle
//! 12:00:01 AM       all      0.13      0.00      0.13      0.38      0.00     99.37
//! Average:          all      0.13 …
//! 09:33:38     LINUX RESTART    (8 CPU)
//! ```
//! Lines have no date: the banner's is that of the first line, and a table whose time goes
//! back by half a day has passed midnight. A table's heading carries the time of the
//! sample before its first row, and comes again after a page of rows; `sar` on a terminal
//! prints all tables for each sample in turn. So each table (each set of headings) keeps
//! its own day. The clock is that of the machine, with 12 or 24 hours; the half of the day is
//! told in the words of many locales ([`super::sar_time`]). `sar -h` rounds to a decimal and writes units (`18.6%`,
//! `1.5M`), which are taken off.
//!
//! Tables of processes (pidstat's, if they stand among others) are told and not read.
//!
//! Cost: O(bytes), and a word for each kind of table.

use super::metrics::{self, Column, Gather};
use super::sar_time::{Dated, Timed, date_of};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::{Code, DAY_MS, Timestamp, bytes};
use crate::model::{Clock, Metric, formats};
use std::collections::BTreeMap;

/// The format.
pub struct Sar;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SAR,
    title: "sar (sysstat)",
    versions: "any",
    written_by: "sysstat's sar, and its mpstat",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &["Linux 4.4.14-200.fc22.x86_64 (kluane.home) \t01/21/17 \t_x86_64_\t(8 CPU)\n\n\
         08:16:11     LINUX RESTART\t(8 CPU)\n\n\
         08:17:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n\
         08:17:02        all      0.13      0.00      0.13      0.38      0.00     99.37\n\
         Average:        all      0.13      0.00      0.13      0.38      0.00     99.37"],
};

const HALF_DAY_S: i64 = DAY_MS / 2000;
/// Kinds of tables that are told apart; sysstat has some 60.
const MOST_TABLES: usize = 256;

impl Format for Sar {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        if lines.next().and_then(Banner::parse).is_none() {
            return Confidence::No;
        }
        // Likely, not sure: iostat has the same banner.
        match lines.find(|line| heads_processes(line) || Timed::parse(line).is_some()) {
            Some(line) if heads_processes(line) => Confidence::No,
            Some(_) => Confidence::Sure,
            None => Confidence::Likely,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Tables>::default()
    }
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Banner {
    /// Host, in brackets.
    pub host: Vec<u8>,
    /// Midnight before the first sample.
    pub day: Timestamp,
    /// Whether its day and month may each be the other.
    pub is_ambiguous: bool,
}

impl Banner {
    /// Reads a banner of sysstat's, which all its tools print.
    #[must_use]
    pub fn parse(line: &[u8]) -> Option<Self> {
        let rest = line.strip_prefix(b"Linux ")?;
        let open = bytes::find(rest, b" (")?;
        let rest = rest.get(open + 2..)?;
        let close = memchr::memchr(b')', rest)?;
        let host = rest.get(..close)?.to_vec();
        let date =
            rest.get(close + 1..)?.split(|b| *b == b'\t').map(<[u8]>::trim_ascii).find(|part| !part.is_empty())?;
        let Dated { day, is_ambiguous } = date_of(date)?;
        Some(Self { host, day, is_ambiguous })
    }
}

/// A value in hundredths; those with a unit of bytes stand in columns of kB.
fn value_of(cell: &[u8]) -> Option<u64> {
    let Some((unit, digits)) = cell.split_last().filter(|(unit, _)| !unit.is_ascii_digit()) else {
        return metrics::hundredths(cell);
    };
    let value = metrics::hundredths(digits)?;
    match unit {
        b'%' | b'k' => Some(value),
        b'B' => Some(value / 1024),
        b'M' => value.checked_mul(1 << 10),
        b'G' => value.checked_mul(1 << 20),
        b'T' => value.checked_mul(1 << 30),
        _ => None,
    }
}

/// Whether a line is the heading of a table of pidstat's: with `-h`, `# Time` stands for its time.
pub(super) fn heads_processes(line: &[u8]) -> bool {
    let cells = || line.split(u8::is_ascii_whitespace).filter(|cell| !cell.is_empty());
    cells().next_back() == Some(b"Command") && metrics::is_of_processes(cells())
}

/// How far a table has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) day: i64,
    pub(super) second: i64,
}

impl Progress {
    /// The day of the next time of the table.
    pub(super) fn to(&mut self, second: i64) {
        if second + HALF_DAY_S < self.second {
            self.day += 1;
        }
        self.second = second;
    }
}

#[derive(Default)]
struct Tables {
    banner: Option<Banner>,
    /// How far each kind of table has come, by its headings.
    progress: BTreeMap<Vec<u8>, Progress>,
    /// The file's first time, of which the banner tells the day.
    first: Option<i64>,
    heading: Vec<u8>,
    columns: Vec<Column>,
    gather: Gather,
    /// The metric that the last row ends in, if its decimals may have been cut off.
    may_be_cut: Option<Metric>,
    /// It is told that tables are not the node's.
    told_foreign: bool,
}

impl Parse for Tables {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        self.may_be_cut = None;
        let text = line.bytes.trim_ascii();
        let read = if text.is_empty() {
            Some(())
        } else if let Some(banner) = Banner::parse(text) {
            self.gather.flush(out);
            self.progress.clear();
            self.first = None;
            self.columns.clear();
            if banner.is_ambiguous {
                out.issue(Code::AmbiguousDate, line.number);
            }
            self.processors(line.number, text, &banner.host, out);
            self.banner = Some(banner);
            Some(())
        } else if let Some(timed) = Timed::parse(text) {
            self.timed(line.number, &timed, out)
        } else {
            // `Average:`, in any language.
            let first = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            (first.ends_with(b":") || text.split(u8::is_ascii_whitespace).nth(1) == Some(b":")).then_some(())
        };
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

impl Tables {
    fn processors(&mut self, line: u64, text: &[u8], host: &[u8], out: &mut Out<'_>) {
        if let Some(count) = metrics::processors(text) {
            self.gather.processors(line, host, count, out);
        }
    }

    fn timed(&mut self, line: u64, timed: &Timed<'_>, out: &mut Out<'_>) -> Option<()> {
        if timed.rest.starts_with(b"LINUX RESTART") || timed.rest.starts_with(b"COM ") {
            self.gather.flush(out);
            if timed.rest.starts_with(b"L") {
                let host = self.banner.as_ref().map(|banner| banner.host.clone()).unwrap_or_default();
                self.processors(line, timed.rest, &host, out);
            }
            return Some(());
        }
        let cells: Vec<&[u8]> = timed.rest.split(u8::is_ascii_whitespace).filter(|cell| !cell.is_empty()).collect();
        // Headings of interrupts are numbers too: `9/s`.
        if !cells.iter().any(|cell| cell.first().is_some_and(u8::is_ascii_digit) && !cell.ends_with(b"/s")) {
            self.heading(line, timed.second_of_day, &cells, out);
            return Some(());
        }
        let progress = self.progress.get_mut(&self.heading)?;
        progress.to(timed.second_of_day);
        let banner = self.banner.as_ref()?;
        let since = progress.day.checked_mul(DAY_MS)?.checked_add(timed.second_of_day * 1000)?;
        let at = banner.day.plus_millis(since);
        out.time(at);
        self.row(line, at, &cells, out)
    }

    fn heading(&mut self, line: u64, second: i64, cells: &[&[u8]], out: &mut Out<'_>) {
        self.gather.flush(out);
        self.heading = cells.join(&b' ');
        let foreign = metrics::is_of_processes(cells.iter().copied());
        let column = |cell: &&[u8]| if foreign { Column::Other } else { metrics::column(cell) };
        self.columns = cells.iter().map(column).collect();
        if foreign && !std::mem::replace(&mut self.told_foreign, true) {
            out.issue(Code::ForeignMetrics, line);
        }
        if self.progress.len() >= MOST_TABLES {
            self.progress.clear();
        }
        let start = Progress { day: 0, second: *self.first.get_or_insert(second) };
        self.progress.entry(self.heading.clone()).or_insert(start).to(second);
    }

    fn row(&mut self, line: u64, at: Timestamp, cells: &[&[u8]], out: &mut Out<'_>) -> Option<()> {
        // No name is its column's heading: it is a half of the day in words that are not known.
        if self.heading.split(|b| *b == b' ').next() == cells.first().copied() {
            return None;
        }
        let needed = self.columns.iter().any(|column| *column != Column::Other);
        if needed && cells.len() != self.columns.len() {
            return None;
        }
        let pairs = || self.columns.iter().zip(cells);
        let wanted = pairs().all(|(column, cell)| match column {
            Column::Cpu => metrics::is_all_cpus(cell),
            Column::Iface => *cell != metrics::LOOPBACK,
            _ => true,
        });
        if !wanted {
            return Some(());
        }
        let host = self.banner.as_ref().map_or(&[][..], |banner| &banner.host);
        let mut begun = false;
        for (i, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            let (Column::Value(metric) | Column::Share(metric, _)) = *column else { continue };
            let Some(value) = value_of(cell) else { continue };
            if !begun {
                self.gather.row(line, host, at, out);
                begun = true;
            }
            match *column {
                Column::Share(_, unit) => self.gather.share(metric, value.saturating_mul(unit)),
                _ => self.gather.value(metric, value),
            }
            let last = i + 1 == cells.len();
            self.may_be_cut = (last && metrics::may_be_cut(cell)).then_some(metric);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read;
    use crate::model::Event;

    fn told(text: &str) -> Vec<(String, u16, Vec<u64>)> {
        let digest = read(&Sar, "x", text.as_bytes());
        assert_eq!(digest.skipped, 0, "{:?}", digest.issues);
        let rows = digest.events.iter().filter_map(|row| match row.event {
            Event::Metrics { which, hundredths } => Some((row.at.to_string(), which, hundredths.into())),
            _ => None,
        });
        rows.collect()
    }

    #[test]
    fn half_of_the_day_in_unknown_words_is_skipped() {
        let text = "Linux 3.10 (h1) \t2016-03-28\n\n01:50:01 du. CPU %usr %idle\n01:55:01 du. all 1.00 99.00\n";
        let digest = read(&Sar, "x", text.as_bytes());
        assert_eq!((digest.skipped, digest.issues.count(Code::MalformedLine)), (1, 1));
        assert!(!digest.events.iter().any(|row| matches!(row.event, Event::Metrics { .. })));
    }

    #[test]
    fn a_process_s_switches_are_not_the_node_s() {
        let banner = "Linux 3.10 (h1) \t2016-03-28\n\n";
        let node = "01:50:01 cswch/s\n01:55:01 900.00\n";
        for columns in ["UID PID", "PID", "UID TGID TID", "USER PID"] {
            let cells = "1 ".repeat(columns.split(' ').count());
            let processes = format!(
                "01:50:01 {columns} cswch/s nvcswch/s Command\n01:55:01 {cells}5.00 0.00 java\n\
                 02:00:01 {columns} cswch/s nvcswch/s Command\n02:05:01 {cells}6.00 0.00 java\n"
            );
            let text = format!("{banner}{processes}");
            assert_eq!(Sar.sniff(&Head::new("x", text.as_bytes())), Confidence::No, "{columns}");
            let among = format!("{banner}{node}{processes}");
            assert_eq!(Sar.sniff(&Head::new("x", among.as_bytes())), Confidence::Sure, "{columns}");
            let digest = read(&Sar, "x", among.as_bytes());
            assert_eq!((digest.skipped, digest.issues.count(Code::ForeignMetrics)), (0, 1), "{columns}");
            assert_eq!(told(&among), [("2016-03-28 01:55:01,000".to_owned(), 8, vec![90_000])], "{columns}");
        }
    }

    #[test]
    fn units_are_taken_off() {
        let text = "Linux 3.10 (h1) \tFriday 20 November 2026\n\n01:50:01 CPU %usr %sys\n01:55:01 all 18.6% 6.5%\n\n\
            01:50:01 IFACE rxkB/s txkB/s\n01:55:01 lo 9.0k 9.0k\n01:55:01 eth0 1.5M 512.0B\n";
        let digest = read(&Sar, "x", text.as_bytes());
        assert_eq!((digest.lines, digest.skipped), (8, 0));
        assert_eq!(
            told(text).into_iter().map(|(_, _, values)| values).collect::<Vec<_>>(),
            [vec![1860, 650], vec![1536 * 100 * 1024, 50 * 1024],]
        );
        let odd = "Linux 3.10 (h1) \t2016-03-28\n\n01:50:01 pgpgin/s pgpgout/s\n01:55:01 1.5x 2.00\n";
        assert_eq!(told(odd)[0].2, [200], "an unknown unit");
    }

    #[test]
    fn each_table_passes_midnight_for_itself() {
        let text = "Linux 3.10 (h1) \t03/28/16 \t_x86_64_\t(2 CPU)\n\n\
            11:50:01 PM     CPU     %usr   %idle\n\
            11:55:01 PM     all     1.00   99.00\n\
            12:05:01 AM     all     2.00   98.00\n\n\
            12:05:01 AM     CPU     %usr   %idle\n\
            12:15:01 AM     all     3.00   97.00\n\
            Average:        all     2.00   98.00\n\n\
            11:50:01 PM  cswch/s\n\
            11:55:01 PM     5.00\n\
            12:05:01 AM     6.00\n\
            Average:        5.50\n";
        let expected = [
            ("2016-03-28 23:55:01,000", 1, 100),
            ("2016-03-29 00:05:01,000", 1, 200),
            ("2016-03-29 00:15:01,000", 1, 300),
            ("2016-03-28 23:55:01,000", 8, 500),
            ("2016-03-29 00:05:01,000", 8, 600),
        ];
        assert_eq!(told(text), expected.map(|(at, which, value)| (at.to_owned(), which, vec![value])));
    }

    #[test]
    fn tables_of_a_terminal_pass_midnight_together() {
        let text = "Linux 3.10 (h1) \t03/28/16\n\n23:59:58  CPU  %usr  %idle\n23:59:59  all  1.00  2.00\n\n\
            23:59:58  cswch/s\n23:59:59  5.00\n\n23:59:59  CPU  %usr  %idle\n00:00:00  all  3.00  2.00\n\n\
            23:59:59  cswch/s\n00:00:00  6.00\n";
        let days: Vec<_> = told(text).into_iter().map(|(at, ..)| at).collect();
        let (before, after) = ("2016-03-28 23:59:59,000", "2016-03-29 00:00:00,000");
        assert_eq!(days, [before, before, after, after]);
    }

    #[test]
    fn a_table_that_begins_after_midnight_is_of_the_next_day() {
        let text = "Linux 3.10 (h1) \t03/28/16\n\n23:59:58  CPU  %usr  %idle\n23:59:59  all  1.00  2.00\n\n\
            00:00:01  cswch/s\n00:00:02  5.00\n";
        let days: Vec<_> = told(text).into_iter().map(|(at, ..)| at).collect();
        assert_eq!(days, ["2016-03-28 23:59:59,000", "2016-03-29 00:00:02,000"]);
    }

    #[test]
    fn names_may_stand_last_and_interfaces_are_summed() {
        let text = "Linux 5 (h1) \t04/18/19\n\n13:20:09   rxkB/s   txkB/s IFACE\n\
            13:20:19   9.00   9.00 lo\n13:20:19   1.00   0.50 e0\n13:20:19   0.01   0.00 e1\n\
            13:20:19   LINUX RESTART\t(9 CPU)\n13:20:20   COM so be it\n";
        assert_eq!(told(text), [("2019-04-18 13:20:19,000".to_owned(), 384, vec![103_424, 51_200])]);
    }
}
