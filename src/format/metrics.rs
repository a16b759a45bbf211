//! What sysstat's tables have in common: which column is which metric, numbers with two
//! decimals, and rows of one instant gathered to one event.
//!
//! ```text
//! CPU  %user … %system %iowait      only the row of all processors
//! IFACE … rxkB/s txkB/s             summed over all interfaces but lo, in bytes
//! ```
//! Columns are known by their heading, never by their place: names and order differ by
//! version (`%user`/`%usr`, `rxbyt/s`/`rxkB/s`, `dtps` between `wtps` and `bread/s`).
//! sysstat prints two decimals, so values are held exactly, as hundredths.
//!
//! Cost: O(1) a cell; one instant of one host is held.

use super::Out;
use crate::base::bytes::text;
use crate::base::ids::number;
use crate::base::{Code, HOST_NAME_BYTES, Timestamp};
use crate::model::{Event, HostClaim, HostSource, Metric, OfMetrics};

/// Bytes in sysstat's kB.
const KB_BYTES: u64 = 1024;
/// The interface that reaches no other node.
pub const LOOPBACK: &[u8] = b"lo";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// A metric.
    Value(Metric),
    /// A share of a metric that is summed over interfaces, in units of so many bytes.
    Share(Metric, u64),
    /// Which processor the row is about.
    Cpu,
    /// Which interface the row is about.
    Iface,
    /// Nothing that is kept.
    Other,
}

/// What the column under this heading holds; `/s` may be absent, as in JSON and XML.
#[must_use]
pub fn column(heading: &[u8]) -> Column {
    let name = heading.strip_suffix(b"/s").unwrap_or(heading);
    match name {
        b"%user" | b"%usr" | b"user" | b"usr" => Column::Value(Metric::User),
        b"%system" | b"%sys" | b"system" | b"sys" => Column::Value(Metric::System),
        b"%iowait" | b"iowait" => Column::Value(Metric::Iowait),
        b"cswch" => Column::Value(Metric::Switches),
        b"runq-sz" => Column::Value(Metric::RunQueue),
        b"plist-sz" => Column::Value(Metric::Processes),
        b"ldavg-1" => Column::Value(Metric::Load),
        b"rxkB" => Column::Share(Metric::Received, KB_BYTES),
        b"txkB" => Column::Share(Metric::Sent, KB_BYTES),
        b"rxbyt" => Column::Share(Metric::Received, 1),
        b"txbyt" => Column::Share(Metric::Sent, 1),
        b"pgpgin" => Column::Value(Metric::PagedIn),
        b"pgpgout" => Column::Value(Metric::PagedOut),
        b"fault" => Column::Value(Metric::Faults),
        b"bread" => Column::Value(Metric::BlocksRead),
        b"bwrtn" => Column::Value(Metric::BlocksWritten),
        b"CPU" => Column::Cpu,
        b"IFACE" => Column::Iface,
        _ => Column::Other,
    }
}

/// Whether a table is about processes, by the cells of its heading: its values are of one each, not of the node.
#[must_use]
pub fn is_of_processes<'a>(mut heading: impl Iterator<Item = &'a [u8]>) -> bool {
    heading.any(|cell| matches!(cell, b"UID" | b"PID" | b"TGID" | b"TID"))
}

/// How sadf's word on a restart begins: `LINUX-RESTART (2 CPU)`, a tab between them.
pub const RESTART: &[u8] = b"LINUX-RESTART";

/// The number in `(2 CPU)` at the end of a banner or of a restart's line.
#[must_use]
pub fn processors(line: &[u8]) -> Option<u32> {
    let line = line.trim_ascii_end().strip_suffix(b" CPU)")?;
    let (count, b"") = number(line.get(memchr::memrchr(b'(', line)? + 1..)?)? else { return None };
    u32::try_from(count).ok()
}

/// Whether a processor's name stands for all of them.
#[must_use]
pub fn is_all_cpus(name: &[u8]) -> bool {
    matches!(name, b"-1" | b"all")
}

/// A number in hundredths, as `12.34` or, in other locales, `12,34`. `None` where it is
/// negative, no number, or beyond what can be held.
#[must_use]
pub fn hundredths(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|b| matches!(b, b'.' | b','));
    let (whole, fraction) = match point {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?),
        None => (text, &[] as &[u8]),
    };
    let digit = |b: &u8| b.is_ascii_digit().then(|| u64::from(b - b'0'));
    let (value, b"") = number(whole)? else { return None };
    let mut decimals = [0_u64; 3];
    for (i, b) in fraction.iter().enumerate() {
        let digit = digit(b)?;
        if let Some(place) = decimals.get_mut(i) {
            *place = digit;
        }
    }
    let [tenths, hundredths, rest] = decimals;
    value.checked_mul(100)?.checked_add(tenths * 10 + hundredths + u64::from(rest >= 5))
}

/// Whether the last cell of a file may have lost its end: sysstat prints two decimals but
/// for the two lengths of lists.
#[must_use]
pub fn may_be_cut(cell: &[u8]) -> bool {
    !matches!(cell.iter().rev().position(|b| matches!(b, b'.' | b',')), Some(2..))
}

/// A computed value in hundredths, rounded as C's `printf("%.2f")` does: its exact value,
/// halves to even. `None` where it is negative or beyond what can be held.
#[must_use]
pub fn printed(value: f64) -> Option<u64> {
    let scaled = value * 100.0;
    // What the multiplication lost decides where the product is right between two numbers.
    let lost = value.mul_add(100.0, -scaled);
    let below = scaled.floor();
    let above_half = (scaled - below - 0.5) + lost;
    let up = above_half > 0.0 || (above_half == 0.0 && below % 2.0 != 0.0);
    let rounded = if up { below + 1.0 } else { below };
    (rounded >= 0.0 && rounded < u64::MAX as f64).then_some(rounded as u64)
}

/// Gathers what rows say of one host and instant, and tells it as one event once a row
/// of another comes.
#[derive(Debug, Default)]
pub struct Gather {
    host: Vec<u8>,
    /// Host of the last event told.
    told_host: Option<Vec<u8>>,
    /// Host whose processors were told last, and how many.
    told_processors: Option<(Vec<u8>, u32)>,
    at: Option<Timestamp>,
    line: u64,
    which: u16,
    values: OfMetrics<u64>,
    /// Interfaces summed for this instant.
    ifaces: u32,
    /// Interfaces of the instant before.
    ifaces_before: u32,
}

impl Gather {
    /// The row at `line` is about this host (empty: the file does not say) and instant.
    pub fn row(&mut self, line: u64, host: &[u8], at: Timestamp, out: &mut Out<'_>) {
        let host = if host.len() > HOST_NAME_BYTES { <&[u8]>::default() } else { host };
        if self.at != Some(at) || self.host != host {
            self.flush(out);
            self.at = Some(at);
            if self.host != host {
                self.host.clear();
                self.host.extend_from_slice(host);
            }
        }
        self.line = line;
    }

    /// A metric of the present instant; the first word on it counts.
    pub fn value(&mut self, metric: Metric, hundredths: u64) {
        if self.which & metric.bit() == 0
            && let Some(value) = self.values.get_mut(metric.place())
        {
            self.which |= metric.bit();
            *value = hundredths;
        }
    }

    /// One interface's share of a metric of the present instant.
    pub fn share(&mut self, metric: Metric, hundredths: u64) {
        if let Some(value) = self.values.get_mut(metric.place()) {
            *value = if self.which & metric.bit() == 0 { hundredths } else { value.saturating_add(hundredths) };
            self.which |= metric.bit();
        }
        self.ifaces += u32::from(metric == Metric::Received);
    }

    /// The row at `line` says how many processors this host has (empty: the file does not say which host).
    pub fn processors(&mut self, line: u64, host: &[u8], count: u32, out: &mut Out<'_>) {
        let is_told = self.told_processors.as_ref().is_some_and(|(of, told)| of == host && *told == count);
        if !is_told && count > 0 {
            self.told_processors = Some((host.to_vec(), count));
            out.event(line, Timestamp::default(), &Event::Processors { host: text(host).into(), count });
        }
    }

    /// Tells what is gathered.
    pub fn flush(&mut self, out: &mut Out<'_>) {
        let which = std::mem::take(&mut self.which);
        let ifaces = std::mem::take(&mut self.ifaces);
        if ifaces > 0 {
            self.ifaces_before = ifaces;
        }
        let (Some(at), true) = (self.at.take(), which != 0) else { return };
        if self.told_host.as_ref() != Some(&self.host) {
            let host = text(&self.host).into_owned();
            if !host.is_empty() {
                out.host(HostClaim { source: HostSource::Metrics, name: host.as_str().into(), ip: None });
            }
            out.event(self.line, at, &Event::MetricsHost { host: host.into() });
            self.told_host = Some(self.host.clone());
        }
        let mut hundredths = Vec::with_capacity(which.count_ones() as usize);
        let there = Metric::ALL.into_iter().zip(self.values).filter(|(metric, _)| which & metric.bit() != 0);
        hundredths.extend(there.map(|(_, value)| value));
        out.event(self.line, at, &Event::Metrics { which, hundredths: hundredths.into() });
    }

    /// The file is over. An instant with fewer interfaces than the one before was cut:
    /// its sum would be too small.
    pub fn end(&mut self, out: &mut Out<'_>) {
        if self.ifaces > 0 && self.ifaces < self.ifaces_before {
            self.drop_shares(out);
        }
        self.flush(out);
    }

    /// The file is over, within the row that told the metric at `cut`, if any.
    pub fn end_cut(&mut self, cut: Option<Metric>, out: &mut Out<'_>) {
        if let Some(metric) = cut {
            self.drop_value(metric, out);
        }
        self.end(out);
    }

    /// Forgets the sums over interfaces of the present instant, which are not complete.
    pub fn drop_shares(&mut self, out: &mut Out<'_>) {
        let shares = Metric::Received.bit() | Metric::Sent.bit();
        if self.which & shares != 0 {
            self.which &= !shares;
            out.issue(Code::CutRecord, self.line);
        }
    }

    /// Forgets all of the present instant.
    pub const fn forget(&mut self) {
        self.which = 0;
    }

    /// Forgets one metric of the present instant: the row that told it was cut.
    fn drop_value(&mut self, metric: Metric, out: &mut Out<'_>) {
        if self.which & metric.bit() != 0 {
            self.which &= !metric.bit();
            out.issue(Code::CutRecord, self.line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Gathered;
    use crate::model::FileDigest;

    #[test]
    fn numbers_are_held_as_hundredths() {
        for (text, value) in [
            ("0.00", Some(0)),
            ("75.97", Some(7597)),
            ("12,5", Some(1250)),
            ("3", Some(300)),
            ("1.005", Some(101)),
            ("1.004", Some(100)),
            ("", None),
            (".5", None),
            ("-1.00", None),
            ("nan", None),
            ("1.x", None),
            ("184467440737095516.15", Some(u64::MAX)),
            ("184467440737095516.16", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(hundredths(text.as_bytes()), value, "{text}");
        }
    }

    #[test]
    fn processors_stand_at_the_end() {
        let banner = "Linux 2.6.32-573.el6.x86_64 (h101) \t03/28/16 \t_x86_64_\t(2 CPU)";
        let cases = [(banner, Some(2)), ("LINUX RESTART\t(16 CPU)\t", Some(16)), ("LINUX RESTART", None)];
        let bad = ["Linux 2.6 (h1) 03/28/16", "( CPU)", "(x CPU)", "2 CPU)", "(-2 CPU)", "(99999999999 CPU)", ""];
        for (line, count) in cases.into_iter().chain(bad.map(|line| (line, None))) {
            assert_eq!(processors(line.as_bytes()), count, "{line}");
        }
    }

    #[test]
    fn computed_values_are_rounded_as_printf_does() {
        for (value, hundredths) in [
            (0.0, Some(0)),
            (0.125, Some(12)),
            (0.375, Some(38)),
            // In binary 1.005 is a little less than it looks, 8.345 a little more.
            (1.005, Some(100)),
            (8.345, Some(835)),
            (99.999, Some(10_000)),
            (-0.01, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(printed(value), hundredths, "{value}");
            if let Some(hundredths) = hundredths {
                assert_eq!(format!("{value:.2}"), format!("{}.{:02}", hundredths / 100, hundredths % 100));
            }
        }
    }

    #[test]
    fn name_that_no_host_can_have_is_none() {
        let hosts = |len: usize| {
            let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
            let out = &mut Out::new(&mut digest, &mut gathered);
            let mut rows = Gather::default();
            rows.row(1, &vec![b'h'; len], Timestamp::from_millis(0), out);
            rows.value(Metric::User, 100);
            rows.end(out);
            gathered.settle(&mut digest);
            let named = digest.events.iter().filter_map(|row| match row.event {
                Event::MetricsHost { host } => Some(host.len()),
                _ => None,
            });
            (digest.hosts.len(), named.collect::<Vec<_>>(), digest.events.iter().count())
        };
        assert_eq!(hosts(HOST_NAME_BYTES), (1, vec![HOST_NAME_BYTES], 2));
        assert_eq!(hosts(HOST_NAME_BYTES + 1), (0, vec![0], 2));
    }

    #[test]
    fn every_metric_has_a_heading() {
        let headings = "%usr %sys %iowait cswch/s runq-sz plist-sz ldavg-1 rxkB/s txkB/s pgpgin/s pgpgout/s fault/s \
                        bread/s bwrtn/s";
        let metrics: Vec<_> = headings
            .split(' ')
            .map(|h| match column(h.as_bytes()) {
                Column::Value(metric) | Column::Share(metric, _) => metric,
                other => panic!("{h} is {other:?}"),
            })
            .collect();
        assert_eq!(metrics, Metric::ALL);
        assert_eq!(column(b"majflt/s"), Column::Other);
    }
}
