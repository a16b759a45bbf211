//! `sadf -p`: one value a line, separated by tabs, as awk likes it; the default of `sadf`
//! before version 10.
//!
//! ```text
//! linux.home    46    2018-08-29 09:34:34 UTC    -    cswch/s    16003.44
//! linux.home    46    2018-08-29 09:34:34 UTC    all    %usr    0.47
//! linux.home    46    2018-08-29 09:34:34 UTC    eth0    rxkB/s    0.33
//! ```
//! Cost: O(bytes).

use super::metrics::{self, Column, Gather};
use super::sysstat_time::{OneClock, Stamp};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::Code;
use crate::model::{Clock, Metric, formats};

/// The format.
pub struct SadfP;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SADF_P,
    title: "sadf -p (sysstat)",
    versions: "any",
    written_by: "sysstat's sadf -p",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "linux.home\t46\t2018-08-29 09:34:34 UTC\t-\tcswch/s\t16003.44",
        "h101\t1\t1795230195\tall\t%user\t18.59",
    ],
};

impl Format for SadfP {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let first = head.lines().next().unwrap_or_default();
        match Cells::of(first.strip_suffix(b"\r").unwrap_or(first)) {
            Some(_) => Confidence::Sure,
            None => Confidence::No,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Values>::default()
    }
}

/// What a line says.
enum What<'a> {
    /// Item, metric and value.
    Value([&'a [u8]; 3]),
    /// A restart, and how many processors there are since; a comment without.
    Break(Option<u32>),
}

/// The cells of a line.
struct Cells<'a> {
    host: &'a [u8],
    stamp: Stamp,
    what: What<'a>,
}

impl<'a> Cells<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let mut cells = line.split(|b| *b == b'\t');
        let (host, interval, stamp) = (cells.next()?, cells.next()?, Stamp::parse(cells.next()?)?);
        if interval == b"-1" {
            // LINUX-RESTART, a tab, (2 CPU).
            let is_restart = cells.next().is_some_and(|word| word.starts_with(metrics::RESTART));
            let processors = metrics::processors(line).filter(|_| is_restart);
            return Some(Self { host, stamp, what: What::Break(processors) });
        }
        let whole = !interval.is_empty() && interval.iter().all(u8::is_ascii_digit);
        let what = What::Value([cells.next()?, cells.next()?, cells.next()?]);
        (whole && cells.next().is_none()).then_some(Self { host, stamp, what })
    }
}

#[derive(Default)]
struct Values {
    clock: OneClock,
    gather: Gather,
    /// The metric of the last line, if its decimals may have been cut off.
    may_be_cut: Option<Metric>,
}

impl Parse for Values {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        self.may_be_cut = None;
        if line.bytes.is_empty() {
            return out.understood();
        }
        let read = self.value(&line, out);
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

impl Values {
    fn value(&mut self, line: &Line<'_>, out: &mut Out<'_>) -> Option<()> {
        let cells = Cells::of(line.bytes)?;
        let at = self.clock.read(cells.stamp, out)?;
        out.time(at);
        let [item, name, value] = match cells.what {
            What::Value(value) => value,
            What::Break(processors) => {
                if let Some(count) = processors {
                    self.gather.processors(line.number, cells.host, count, out);
                }
                return Some(());
            }
        };
        let column = metrics::column(name);
        // Another processor's, or what does not leave the machine.
        let wanted = match column {
            Column::Value(metric) if metric.is_of_processors() => metrics::is_all_cpus(item),
            Column::Value(_) => item == b"-",
            Column::Share(..) => item != metrics::LOOPBACK,
            _ => false,
        };
        let (Some(value_read), true) = (metrics::hundredths(value), wanted) else { return Some(()) };
        self.gather.row(line.number, cells.host, at, out);
        let metric = match column {
            Column::Value(metric) => {
                self.gather.value(metric, value_read);
                metric
            }
            Column::Share(metric, unit) => {
                self.gather.share(metric, value_read.saturating_mul(unit));
                metric
            }
            _ => return Some(()),
        };
        self.may_be_cut = metrics::may_be_cut(value).then_some(metric);
        Some(())
    }
}
