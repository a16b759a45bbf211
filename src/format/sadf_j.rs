//! `sadf -j`: JSON, one object for each instant.
//!
//! ```text
//! {"sysstat": { "hosts": [ { "nodename": "vm", …, "statistics": [
//!     { "timestamp": {"date": "2026-11-21", "time": "03:03:15", "utc": 1, "interval": 1},
//!       "cpu-load": [ {"cpu": "all", "usr": 18.59, …}, … ], "io": {"io-reads": {"bread": 544.00}}, … }, …
//! ```
//! A scanner follows brackets and keys and cuts the instants out; each is then parsed as
//! a whole, so that a day of them never is. Newer versions say `"tz": "UTC"` for `"utc": 1`.
//! mpstat's JSON looks alike, with the day of its first instant beside `nodename` and times alone:
//!
//! ```text
//! {"nodename": "vm", …, "date": "06/01/20", "statistics": [ { "timestamp": "12:53:21", "cpu-load": […], … }, …
//! ```
//! iostat's has no times, unless asked for: its instants are left out, and said so.
//!
//! Cost: O(bytes); one instant is held.

use super::metrics::{self, Column, Gather};
use super::sar::Progress;
use super::sar_time;
use super::sysstat_time::{OneClock, Stamp, clock_of};
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, json};
use crate::base::{Code, DAY_MS, Timestamp};
use crate::model::{Clock, formats};
use serde_json::Value;

/// The format.
pub struct SadfJ;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SADF_J,
    title: "sadf -j, or mpstat's JSON (sysstat)",
    versions: "any",
    written_by: "sysstat's sadf -j and mpstat -o JSON",
    feed: Feed::Bytes,
    clock: Clock::Local,
    samples: &[
        r#"{"sysstat": {"hosts": [{"nodename": "vm", "statistics": [{"timestamp": {"date": "2026-11-21", "time": "03:03:15", "utc": 1, "interval": 1}, "process-and-context-switch": {"proc": 24.00, "cswch": 6225.00}}]}]}}"#,
    ],
};

/// Longest instant; those of machines with hundreds of processors take some 300 kB.
const INSTANT_BYTES: usize = 8 << 20;
/// Longest key or host name that is compared.
const WORD_BYTES: usize = 256;
/// Deepest nesting; sysstat's instants end at 9.
const DEEPEST: usize = 64;

impl Format for SadfJ {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut text = head.bytes.iter().filter(|b| !b.is_ascii_whitespace()).copied();
        let begins = b"{\"sysstat\":{".iter().all(|b| text.next() == Some(*b));
        if begins { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Scanner>::default()
    }
}

/// An open bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Object,
    Array,
    /// The array of instants.
    Statistics,
}

#[derive(Default)]
struct Scanner {
    open: Vec<Open>,
    in_text: bool,
    escaped: bool,
    /// A value comes next, not a key.
    value: bool,
    word: Vec<u8>,
    key: Vec<u8>,
    host: Vec<u8>,
    /// The number of processors so far.
    processors: Option<u32>,
    /// The instant so far, and how many brackets were open before it.
    instant: Option<(Vec<u8>, usize)>,
    number: u64,
    clock: OneClock,
    /// The day of the host's first instant, and how far its times have come since.
    day: Option<Timestamp>,
    progress: Option<Progress>,
    gather: Gather,
    /// Nothing more is read: the text is no JSON of sysstat's.
    stopped: bool,
}

impl Parse for Scanner {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for b in bytes {
            if self.stopped {
                return;
            }
            self.byte(*b, out);
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        self.gather.flush(out);
        if self.instant.is_some() {
            out.skipped(Code::CutRecord, self.number + 1);
        } else if !self.open.is_empty() && !self.stopped {
            out.issue(Code::CutRecord, self.number);
        }
    }
}

impl Scanner {
    fn byte(&mut self, b: u8, out: &mut Out<'_>) {
        if let Some((instant, _)) = &mut self.instant {
            instant.push(b);
            if instant.len() > INSTANT_BYTES {
                return self.stop(out);
            }
        }
        if self.in_text {
            if self.escaped {
                self.escaped = false;
            } else if b == b'\\' {
                self.escaped = true;
            } else if b == b'"' {
                self.in_text = false;
                return self.text_ends();
            }
            if self.instant.is_none() && self.word.len() < WORD_BYTES {
                self.word.push(b);
            }
            return;
        }
        match b {
            b'"' => {
                self.in_text = true;
                self.word.clear();
            }
            b':' => {
                self.value = true;
                self.processors = (self.instant.is_none() && self.key == b"number-of-cpus").then_some(0);
            }
            b'0'..=b'9' => {
                let digit = u32::from(b - b'0');
                self.processors = self.processors.and_then(|count| count.checked_mul(10)?.checked_add(digit));
            }
            b',' => {
                self.value = false;
                self.processors_end(out);
            }
            b'{' => {
                if self.open.last() == Some(&Open::Statistics) && self.instant.is_none() {
                    self.instant = Some((vec![b], self.open.len()));
                }
                self.push(Open::Object, out);
            }
            b'[' => {
                let statistics = self.instant.is_none() && self.value && self.key == b"statistics";
                self.push(if statistics { Open::Statistics } else { Open::Array }, out);
            }
            b'}' | b']' => {
                self.processors_end(out);
                let opened = self.open.pop();
                self.value = false;
                if opened.is_none_or(|o| (o == Open::Object) != (b == b'}')) {
                    return self.stop(out);
                }
                if self.instant.as_ref().is_some_and(|(_, depth)| *depth == self.open.len()) {
                    let (instant, _) = self.instant.take().unwrap_or_default();
                    self.instant_ends(&instant, out);
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, open: Open, out: &mut Out<'_>) {
        self.value = false;
        self.open.push(open);
        if self.open.len() > DEEPEST {
            self.stop(out);
        }
    }

    fn stop(&mut self, out: &mut Out<'_>) {
        self.stopped = true;
        self.instant = None;
        out.skipped(Code::BadRecord, self.number + 1);
    }

    fn processors_end(&mut self, out: &mut Out<'_>) {
        if let Some(count) = self.processors.take() {
            self.gather.processors(self.number, &self.host, count, out);
        }
    }

    fn text_ends(&mut self) {
        if self.instant.is_some() {
            return;
        }
        if !self.value {
            std::mem::swap(&mut self.key, &mut self.word);
        } else if self.key == b"nodename" {
            std::mem::swap(&mut self.host, &mut self.word);
            (self.day, self.progress) = (None, None);
        } else if self.key == b"date" {
            self.day = sar_time::date_of(&self.word).map(|dated| dated.day);
        }
    }

    /// The instant of a time of mpstat's, which passes midnight where it goes back by half a day.
    fn stamp_of_day(&mut self, value: &Value) -> Option<Stamp> {
        let second = sar_time::second_of_day(value.as_str()?.as_bytes())?;
        let progress = self.progress.get_or_insert(Progress { day: 0, second });
        progress.to(second);
        let since_ms = progress.day.checked_mul(DAY_MS)?.checked_add(second * 1000)?;
        Some(Stamp { at: self.day?.plus_millis(since_ms), clock: Clock::Local })
    }

    fn instant_ends(&mut self, text: &[u8], out: &mut Out<'_>) {
        self.number += 1;
        let read = json::read::<Value>(text).ok();
        let Some(instant) = read else { return out.skipped(Code::BadRecord, self.number) };
        match instant.get("timestamp").map(|value| stamp(value).or_else(|| self.stamp_of_day(value))) {
            Some(Some(stamp)) => {
                let Some(at) = self.clock.read(stamp, out) else { return out.skipped(Code::BadTime, self.number) };
                out.understood();
                out.time(at);
                self.gather.row(self.number, &self.host, at, out);
                take(&instant, "", &mut self.gather);
                self.gather.flush(out);
            }
            // iostat prints date and time, or neither.
            Some(None) => out.skipped(Code::ForeignMetrics, self.number),
            None if instant.get("avg-cpu").is_some() => out.skipped(Code::ForeignMetrics, self.number),
            None => out.skipped(Code::BadTime, self.number),
        }
    }
}

fn stamp(value: &Value) -> Option<Stamp> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let utc = value.get("utc").and_then(Value::as_i64) == Some(1);
    let clock = if utc { Clock::Epoch } else { clock_of(text("tz").map(str::as_bytes)) };
    Stamp::of_parts(text("date")?.as_bytes(), text("time")?.as_bytes(), clock)
}

/// Takes the metrics of `value`, which stands under `key`.
fn take(value: &Value, key: &str, gather: &mut Gather) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| take(item, key, gather)),
        Value::Object(fields) => {
            let name = |key: &str| fields.get(key).and_then(Value::as_str).map(str::as_bytes);
            let all_cpus = key.starts_with("cpu-load") && name("cpu").is_some_and(metrics::is_all_cpus);
            let outside = name("iface").is_some_and(|iface| iface != metrics::LOOPBACK);
            for (key, value) in fields {
                let Some(number) = value.as_f64() else {
                    take(value, key, gather);
                    continue;
                };
                let Some(hundredths) = metrics::printed(number) else { continue };
                match metrics::column(key.as_bytes()) {
                    Column::Value(metric) if all_cpus || !metric.is_of_processors() => gather.value(metric, hundredths),
                    Column::Share(metric, unit) if outside => gather.share(metric, hundredths.saturating_mul(unit)),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read;
    use crate::model::Event;

    #[test]
    fn instants_are_cut_out_whatever_the_spaces() {
        let spaced = r#"{"sysstat": {"hosts": [{"nodename": "a", "statistics": [
            {"timestamp": {"date": "2026-11-21", "time": "03:03:15", "tz": "UTC", "interval": 1},
             "cpu-load": [{"cpu": "all", "usr": 1.25, "sys": 2, "iowait": 0.00}, {"cpu": "0", "usr": 9.00}],
             "network": {"net-dev": [{"iface": "lo", "rxkB": 9.00}, {"iface": "e0", "rxkB": 1.00}, {"iface": "e1", "rxkB": 0.01}]}},
            {"timestamp": {"date": "2026-11-21", "time": "03:03:16", "tz": "UTC", "interval": 1}, "queue": {"runq-sz": 3}}
            ], "restarts": []}]}}"#;
        let dense: String = spaced.split_whitespace().collect();
        for text in [spaced.to_owned(), dense] {
            let digest = read(&SadfJ, "x", text.as_bytes());
            let rows: Vec<_> = digest.events.iter().map(|row| (row.at.millis(), row.event)).collect();
            assert_eq!((digest.lines, digest.skipped, digest.clock, rows.len()), (2, 0, Clock::Epoch, 3));
            let first = Event::Metrics { which: 0b1000_0111, hundredths: [125, 200, 0, 103_424].into() };
            assert_eq!(rows[1], (1_795_230_195_000, first));
            assert_eq!(rows[2], (1_795_230_196_000, Event::Metrics { which: 16, hundredths: [300].into() }));
        }
    }

    #[test]
    fn times_of_mpstat_are_of_the_day_beside_the_host() {
        let text = r#"{"sysstat": {"hosts": [{"nodename": "a", "number-of-cpus": 2, "date": "06/30/20", "statistics": [
            {"timestamp": "23:59:59", "cpu-load": [{"cpu": "all", "usr": 1.25, "sys": 2, "iowait": 0.50}, {"cpu": "0", "usr": 9}]},
            {"timestamp": "00:00:00", "cpu-load": [{"cpu": "all", "usr": 3.00, "sys": 2, "iowait": 0.50}]},
            {"timestamp": "x", "cpu-load": []}, {"avg-cpu": {"user": 1.00}}]}]}}"#;
        let digest = read(&SadfJ, "x", text.as_bytes());
        let rows = digest.events.iter().filter_map(|row| match row.event {
            Event::Metrics { which: 7, hundredths } => Some((row.at, hundredths[0])),
            _ => None,
        });
        // 2020-07-01.
        let midnight = Timestamp::from_millis(1_593_561_600_000);
        assert_eq!(rows.collect::<Vec<_>>(), [(midnight.plus_millis(-1000), 125), (midnight, 300)]);
        assert_eq!((digest.clock, digest.skipped), (Clock::Local, 2));
        assert_eq!(digest.issues.count(Code::ForeignMetrics), 2);
    }

    #[test]
    fn instant_without_its_end_is_left_out() {
        let digest = read(&SadfJ, "x", br#"{"sysstat":{"hosts":[{"nodename":"a","statistics":[{"timestamp":{"#);
        assert_eq!((digest.events.len(), digest.issues.count(Code::CutRecord)), (0, 1));
    }

    #[test]
    fn brackets_without_end_stop_the_reading() {
        let digest = read(&SadfJ, "x", format!("{{\"sysstat\":{{{}", "[".repeat(1000)).as_bytes());
        assert_eq!(digest.issues.count(Code::BadRecord), 1);
    }
}
