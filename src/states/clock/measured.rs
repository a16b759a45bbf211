//! The zone by what was measured meanwhile: daemons' logs have local times, metrics and traces epoch times, and where
//! nothing pairs an instant of both, they still tell of one time.
//!
//! ```text
//! logs      21:24 ───────────── 21:31          one lies within the other at the offset of one zone
//! metrics          02:25 ── 02:30 UTC          and at no other: UTC−5
//! ```
//! Where several zones fit, as in logs of a day beside a trace of a minute, nothing is found; where none does, one of
//! the few zones of quarter hours may (Nepal, UTC+5:45). An offset that is no zone's is a fault of a clock, or of times
//! that do not belong together.

use super::QUARTER_ZONES_MS;
use super::evidence::Pair;
use crate::base::{HALF_HOUR_MS, Timestamp};
use crate::model::{Clock, Evidence, FileDigest, formats};

/// Half hours that are added to local time to make it UTC, of zones of whole hours: from UTC+14 to UTC−12.
const WHOLE_ZONES: std::ops::RangeInclusive<i64> = -28..=24;
/// The same of the other zones that there are: Marquesas, Newfoundland in winter and summer; Iran, Afghanistan, India,
/// Myanmar, central Australia and Lord Howe.
const HALF_ZONES: [i64; 9] = [19, 7, 5, -7, -9, -11, -13, -19, -21];
/// What lies within the other may begin or end so much outside: collectors begin before daemons and end after them.
const SLACK_MS: i64 = 120_000;
/// What is shorter may lie within anything that begins some hours apart by chance: it moves no times.
const LEAST_MS: i64 = SLACK_MS;

type Span = (Timestamp, Timestamp);

/// When an archive's daemons logged, by their clocks, and when metrics and traces were taken.
#[derive(Default)]
pub struct Measured {
    logged: Option<Span>,
    measured: Option<Span>,
}

impl Measured {
    /// Takes a file's span.
    pub fn take(&mut self, file: &FileDigest) {
        let Some(span) = file.span else { return };
        let format = &file.format.as_str();
        let of = match file.clock {
            Clock::Local if formats::PER_NODE.contains(format) => &mut self.logged,
            Clock::Epoch if formats::METRICS.contains(format) || formats::CALLS.contains(format) => &mut self.measured,
            _ => return,
        };
        let held = of.get_or_insert(span);
        *held = (held.0.min(span.0), held.1.max(span.1));
    }

    /// The begin of the logs by both clocks, if it can only be that.
    pub fn pair(&self) -> Option<Pair> {
        let ((first, last), (begin, end)) = self.logged.zip(self.measured)?;
        let fits = |offset_ms: &i64| {
            let [first, last] = [first, last].map(|at| at.plus_millis(*offset_ms));
            let holds = |outer: Span, inner: Span| {
                outer.0 <= inner.0.plus_millis(SLACK_MS) && inner.1 <= outer.1.plus_millis(SLACK_MS)
            };
            holds((first, last), (begin, end)) || holds((begin, end), (first, last))
        };
        let half = WHOLE_ZONES.step_by(2).chain(HALF_ZONES).map(|half_hours| half_hours * HALF_HOUR_MS);
        let mut fitting: Vec<i64> = half.filter(fits).collect();
        if fitting.is_empty() {
            fitting.extend(QUARTER_ZONES_MS.into_iter().filter(fits));
        }
        let [offset_ms] = fitting[..] else { return None };
        if offset_ms != 0 && last.millis_since(first).min(end.millis_since(begin)) < LEAST_MS {
            return None;
        }
        Some(Pair { local: first, epoch: first.plus_millis(offset_ms), kind: Evidence::Measured })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset_ms(logged: [i64; 2], measured: [i64; 2]) -> Option<i64> {
        let mut spans = Measured::default();
        for (format, clock, [from, to]) in
            [(formats::DATANODE, Clock::Local, logged), (formats::SADF_D, Clock::Epoch, measured)]
        {
            let minutes = |m: i64| Timestamp::from_millis(1_795_212_000_000 + m * 60_000);
            let span = Some((minutes(from), minutes(to)));
            spans.take(&FileDigest { format: format.to_owned(), clock, span, ..FileDigest::default() });
        }
        spans.pair().map(|pair| pair.epoch.millis_since(pair.local))
    }

    #[test]
    fn offset_is_found_where_one_alone_puts_one_within_the_other() {
        assert_eq!(offset_ms([0, 7], [301, 306]), Some(300 * 60_000), "UTC−5");
        assert_eq!(offset_ms([1, 6], [-330, -323]), Some(-330 * 60_000), "UTC+5:30, metrics for longer");
        assert_eq!(offset_ms([0, 7], [-1, 8]), Some(0));
        assert_eq!(offset_ms([1, 6], [-345, -338]), Some(-345 * 60_000), "UTC+5:45");
        assert_eq!(offset_ms([0, 7], [570, 576]), Some(570 * 60_000), "UTC−9:30");
        assert_eq!(offset_ms([0, 7], [31, 36]), None, "no zone is UTC−0:30");
        assert_eq!(offset_ms([0, 7], [-164, -159]), None, "nor UTC+2:45");
        assert_eq!(offset_ms([0, 60], [301, 306]), Some(300 * 60_000), "nor UTC−4:30");
        assert_eq!(offset_ms([0, 130], [301, 306]), None, "two fit");
        assert_eq!(offset_ms([0, 20], [310, 325]), None, "none fits");
        assert_eq!(offset_ms([0, 7], [2_881, 2_886]), None, "of another day");
        assert_eq!(offset_ms([0, 7], [301, 302]), None, "a minute may be any");
        assert_eq!(offset_ms([0, 1], [301, 306]), None, "of either");
        assert_eq!(offset_ms([0, 1], [0, 6]), Some(0));
    }
}
