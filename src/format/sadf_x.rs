//! `sadf -x`: XML, one `timestamp` element for each instant.
//!
//! ```text
//! <host nodename="vm"> … <statistics>
//!   <timestamp date="2026-11-21" time="03:03:15" utc="1" interval="1">
//!     <cpu-load> <cpu number="all" usr="18.59" nice="47.74" sys="6.53" …/> …
//!     <io per="second"> … <io-reads rtps="65.00" bread="544.00"/> …
//! ```
//! All values are attributes; versions differ in the elements around them, which do not
//! matter but for `cpu`. Newer versions say `tz="UTC"` for `utc="1"`.
//!
//! Cost: O(bytes); one tag is held.

use super::metrics::{self, Column, Gather};
use super::sysstat_time::{OneClock, Stamp, clock_of};
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::Code;
use crate::model::{Clock, formats};

/// The format.
pub struct SadfX;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SADF_X,
    title: "sadf -x (sysstat)",
    versions: "any",
    written_by: "sysstat's sadf -x",
    feed: Feed::Bytes,
    clock: Clock::Local,
    samples: &[
        r#"<sysstat><host nodename="vm"><statistics><timestamp date="2026-11-21" time="03:03:15" utc="1" interval="1"><process-and-context-switch per="second" proc="24.00" cswch="6225.00"/></timestamp></statistics></host></sysstat>"#,
    ],
};

/// Longest tag; sysstat's have some 300 bytes.
const TAG_BYTES: usize = 64 * 1024;

impl Format for SadfX {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.bytes.trim_ascii_start();
        let named = memchr::memmem::find(text, b"<sysstat").is_some_and(|at| {
            // Behind the declaration, a document type and comments at most.
            let before = text.get(..at).unwrap_or_default();
            let tags = before.iter().zip(before.iter().skip(1)).filter(|(a, _)| **a == b'<');
            tags.into_iter().all(|(_, b)| matches!(b, b'?' | b'!'))
        });
        if text.starts_with(b"<") && named { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Scanner>::default()
    }
}

#[derive(Default)]
struct Scanner {
    /// The tag so far, without its `<`.
    tag: Option<Vec<u8>>,
    /// The quote that an attribute is in.
    quote: Option<u8>,
    host: Vec<u8>,
    /// The number of processors so far, within its element.
    processors: Option<u32>,
    /// Inside an instant.
    inside: bool,
    /// Instants so far.
    number: u64,
    clock: OneClock,
    gather: Gather,
    /// The outermost element has ended.
    over: bool,
}

impl Parse for Scanner {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for b in bytes {
            let Some(tag) = &mut self.tag else {
                if *b == b'<' {
                    self.tag = Some(Vec::new());
                } else if let Some(count) = &mut self.processors {
                    let digit = b.checked_sub(b'0').filter(|digit| *digit < 10);
                    self.processors = digit.and_then(|d| count.checked_mul(10)?.checked_add(d.into()));
                }
                continue;
            };
            match (self.quote, *b) {
                (None, b'>') => {
                    let tag = std::mem::take(tag);
                    self.tag = None;
                    self.take(&tag, out);
                    continue;
                }
                (None, b'"' | b'\'') => self.quote = Some(*b),
                (Some(quote), b) if b == quote => self.quote = None,
                _ => {}
            }
            tag.push(*b);
            if tag.len() > TAG_BYTES {
                out.issue(Code::BadRecord, self.number);
                (self.tag, self.quote) = (None, None);
            }
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        if self.inside {
            // Its sums may lack an interface, and nothing of it can be relied on.
            self.gather.forget();
            out.skipped(Code::CutRecord, self.number);
        } else if !self.over {
            out.issue(Code::CutRecord, self.number);
        }
        self.gather.flush(out);
    }
}

impl Scanner {
    fn take(&mut self, tag: &[u8], out: &mut Out<'_>) {
        let end = tag.iter().position(|b| b.is_ascii_whitespace() || (*b == b'/')).filter(|at| *at > 0);
        let (name, rest) = tag.split_at(end.unwrap_or(tag.len()));
        match name {
            b"host" => {
                let node = attributes(rest).find(|(name, _)| *name == b"nodename");
                self.host = node.map_or(&[][..], |(_, value)| value).to_vec();
            }
            b"number-of-cpus" => self.processors = Some(0),
            b"/number-of-cpus" => {
                if let Some(count) = self.processors.take() {
                    self.gather.processors(self.number, &self.host, count, out);
                }
            }
            b"/sysstat" => self.over = true,
            b"timestamp" => self.begin(rest, out),
            b"/timestamp" if self.inside => {
                self.inside = false;
                out.understood();
                self.gather.flush(out);
            }
            _ if self.inside => self.values(name, rest),
            _ => {}
        }
    }

    fn begin(&mut self, rest: &[u8], out: &mut Out<'_>) {
        if self.inside {
            // The one before has no end.
            self.gather.forget();
            out.skipped(Code::BadRecord, self.number);
            self.inside = false;
        }
        self.number += 1;
        let (mut date, mut time, mut clock) = (&[][..], &[][..], Clock::Local);
        for (name, value) in attributes(rest) {
            match name {
                b"date" => date = value,
                b"time" => time = value,
                b"utc" if value == b"1" => clock = Clock::Epoch,
                b"tz" => clock = clock_of(Some(value)),
                _ => {}
            }
        }
        let at = Stamp::of_parts(date, time, clock).and_then(|stamp| self.clock.read(stamp, out));
        match at {
            Some(at) => {
                out.time(at);
                self.gather.row(self.number, &self.host, at, out);
                // Older versions close the tag at once and let the values follow.
                self.inside = !rest.ends_with(b"/");
                if !self.inside {
                    out.understood();
                }
            }
            None => out.skipped(Code::BadTime, self.number),
        }
    }

    fn values(&mut self, name: &[u8], rest: &[u8]) {
        let is = |wanted: &[u8]| attributes(rest).find(|(name, _)| *name == wanted).map(|(_, value)| value);
        let all_cpus = name == b"cpu" && is(b"number").is_some_and(metrics::is_all_cpus);
        let outside = is(b"iface").is_some_and(|iface| iface != metrics::LOOPBACK);
        for (name, value) in attributes(rest) {
            let Some(hundredths) = metrics::hundredths(value) else { continue };
            match metrics::column(name) {
                Column::Value(metric) if all_cpus || !metric.is_of_processors() => {
                    self.gather.value(metric, hundredths)
                }
                Column::Share(metric, unit) if outside => self.gather.share(metric, hundredths.saturating_mul(unit)),
                _ => {}
            }
        }
    }
}

/// The attributes of a tag: names and values.
fn attributes(mut rest: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let equals = memchr::memchr(b'=', rest)?;
        let name = rest.get(..equals)?.trim_ascii();
        let value = rest.get(equals + 1..)?.trim_ascii_start();
        let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
        let end = memchr::memchr(*quote, value)?;
        rest = value.get(end + 1..)?;
        Some((name, value.get(..end)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read;
    use crate::model::Event;

    #[test]
    fn values_are_taken_from_attributes() {
        let text = r#"<?xml version="1.0"?><sysstat xmlns="a>b"><host nodename='a'><statistics>
            <timestamp date="2026-11-21" time="03:03:15" tz="UTC" interval="1">
            <cpu-load><cpu number="all" usr="1.25" sys="2.00"/><cpu number="0" usr="9.00"/></cpu-load>
            <net-dev iface="lo" rxkB="9.00"/><net-dev iface="e0" rxkB="1.00"/><net-dev iface="e1" rxkB="0.01"/>
            </timestamp></statistics></host></sysstat>"#;
        let digest = read(&SadfX, "x", text.as_bytes());
        let rows: Vec<_> = digest.events.iter().map(|row| (row.at.millis(), row.event)).collect();
        assert_eq!((digest.lines, digest.skipped, rows.len(), digest.issues.is_empty()), (1, 0, 2, true));
        let metrics = Event::Metrics { which: 0b1000_0011, hundredths: [125, 200, 103_424].into() };
        assert_eq!(rows[1], (1_795_230_195_000, metrics));
    }

    #[test]
    fn instant_without_its_end_is_left_out() {
        let text = r#"<sysstat><timestamp date="2026-11-21" time="03:03:15"><queue runq-sz="3"/>"#;
        let digest = read(&SadfX, "x", text.as_bytes());
        assert_eq!((digest.events.len(), digest.issues.count(Code::CutRecord)), (0, 1));
    }
}
