//! Dates for times that have none (`strace -tt`), or an ambiguous one (`05/11/26`), from the dated logs of the same
//! archive, which are written by the same wall clock.
//!
//! ```text
//! logs          ├──────────────────── days or an hour ────────────────────┤
//! trace                              the last day that lies within ─├──┤
//!             ├──┤ where none does: as near to the begin as may be, of a day's logs; else still the last
//! ```
//! Who takes a trace does so while there is something to be seen, and collects the logs when that is over: of the days
//! of a long log the last is the likeliest. An ambiguous date stays as it was read, unless it lies apart from the logs
//! and does not with day and month exchanged.

use super::archive_of;
use crate::base::{Code, DAY_MS, Timestamp};
use crate::model::{Clock, Digest, FileDigest, formats};
use std::collections::BTreeMap;

/// A trace may end so long after the last line of the logs: a cluster that hangs says nothing while somebody looks for
/// the cause. Ours, since a trace that is longer than an hour is rare.
const SILENCE_MS: i64 = 3_600_000;

/// First and last wall-clock time of each archive's dated logs, but those whose dates are ambiguous.
pub struct Calendar(BTreeMap<String, (Timestamp, Timestamp)>);

/// The date of a file's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Milliseconds that make them local times: whole days.
    pub days_ms: i64,
    /// Whether the logs leave no other.
    pub sure: bool,
}

impl Calendar {
    /// Of all archives.
    pub fn read(digest: &Digest) -> Self {
        let mut spans: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
        let is_dated = |file: &FileDigest| {
            file.clock == Clock::Local && file.format != formats::OTHER_PROCESS && !is_ambiguous(file)
        };
        for (key, file) in digest.files().filter(|(_, file)| is_dated(file)) {
            if let Some((begin, end)) = file.span {
                let (first, last) = spans.entry(archive_of(&key.path).to_owned()).or_insert((begin, end));
                (*first, *last) = ((*first).min(begin), (*last).max(end));
            }
        }
        Self(spans)
    }

    /// The date of a file's times of day, or another one of local times whose own is ambiguous; `None` without a dated
    /// log beside it, and where its own is right.
    pub fn date(&self, path: &str, file: &FileDigest) -> Option<Date> {
        let (logs, span) = (*self.0.get(archive_of(path))?, file.span?);
        match file.clock {
            Clock::TimeOfDay => Some(of_time_of_day(logs, span)),
            Clock::Local if is_ambiguous(file) => exchanged(logs, span),
            Clock::Local | Clock::Epoch => None,
        }
    }
}

/// The date of times of day that go from `begin` to `end`, beside logs from `first` to `last`.
const fn of_time_of_day((first, last): (Timestamp, Timestamp), (begin, end): (Timestamp, Timestamp)) -> Date {
    let latest_ms = whole_days(last.millis_since(end) + SILENCE_MS);
    let lies_within = begin.plus_millis(latest_ms).millis_since(first) >= 0;
    let is_only = begin.plus_millis(latest_ms - DAY_MS).millis_since(first) < 0;
    if lies_within || last.millis_since(first) > DAY_MS {
        return Date { days_ms: latest_ms, sure: is_only };
    }
    let nearest_ms = whole_days(first.millis_since(begin) + DAY_MS / 2);
    let meets = end.plus_millis(nearest_ms).millis_since(first) >= -SILENCE_MS
        && begin.plus_millis(nearest_ms).millis_since(last) <= SILENCE_MS;
    Date { days_ms: nearest_ms, sure: meets }
}

/// The date of local times with day and month exchanged, where these are near the logs and those of their own are not.
fn exchanged((first, last): (Timestamp, Timestamp), (begin, end): (Timestamp, Timestamp)) -> Option<Date> {
    let (year, month, day) = begin.civil_date();
    let other = Timestamp::from_civil(year, day, month, 0, 0, 0, 0)?;
    let days_ms = other.millis() - whole_days(begin.millis());
    let is_near = |ms: i64| {
        end.plus_millis(ms).millis_since(first) >= -DAY_MS && begin.plus_millis(ms).millis_since(last) <= DAY_MS
    };
    (!is_near(0) && is_near(days_ms)).then_some(Date { days_ms, sure: true })
}

/// Whether day and month of a file's dates may each be the other.
fn is_ambiguous(file: &FileDigest) -> bool {
    file.issues.count(Code::AmbiguousDate) > 0
}

/// As many whole days as are in a time.
const fn whole_days(ms: i64) -> i64 {
    ms.div_euclid(DAY_MS) * DAY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = DAY_MS / 24;

    /// The date of calls from `begin` to `end` beside logs from `first` to `last`: its day, and whether it is sure.
    fn date((first, last): (i64, i64), (begin, end): (i64, i64)) -> Option<(i64, bool)> {
        let at = Timestamp::from_millis;
        let calendar = Calendar(BTreeMap::from([("a".to_owned(), (at(first), at(last)))]));
        let span = Some((at(begin), at(end)));
        let file = FileDigest { clock: Clock::TimeOfDay, span, ..FileDigest::default() };
        assert_eq!(calendar.date("b/x", &file), None);
        let date = calendar.date("a/x", &file)?;
        assert_eq!(date.days_ms % DAY_MS, 0);
        Some((date.days_ms / DAY_MS, date.sure))
    }

    #[test]
    fn time_of_day_gets_the_date_of_the_logs_beside_it() {
        let logs = (10 * DAY_MS + 1000, 10 * DAY_MS + HOUR_MS);
        // A minute past midnight, and a minute before it: the trace began the evening before.
        assert_eq!(date(logs, (60_000, 61_000)), Some((10, true)));
        assert_eq!(date(logs, (DAY_MS - 60_000, DAY_MS + 60_000)), Some((9, true)));
        // An hour after the last line it may still be a trace of the cluster that hangs.
        assert_eq!(date(logs, (90 * 60_000, 2 * HOUR_MS)), Some((10, true)));
        assert_eq!(date(logs, (20 * HOUR_MS, 21 * HOUR_MS)), Some((9, false)), "three hours before the first line");
    }

    #[test]
    fn time_of_day_lies_within_the_logs_of_a_day() {
        let logs = (10 * DAY_MS + 5 * 60_000, 11 * DAY_MS - 5 * 60_000);
        let hours = |from: i64, to: i64| date(logs, (from * HOUR_MS, to * HOUR_MS));
        assert_eq!(hours(20, 21), Some((10, true)), "nearer to the begin would be the evening before");
        assert_eq!(hours(1, 2), Some((10, true)));
        assert_eq!(hours(23, 24), Some((10, true)));
    }

    #[test]
    fn ambiguous_dates_are_those_of_the_logs_beside_them() {
        let day = |month, day, hour| Timestamp::from_civil(2026, month, day, hour, 0, 0, 0).unwrap_or_default();
        let logs = (day(11, 5, 8), day(11, 5, 18));
        let calendar = Calendar(BTreeMap::from([("a".to_owned(), logs)]));
        let moved = |month: u32, of_month: u32, is_ambiguous: bool| {
            let span = Some((day(month, of_month, 0), day(month, of_month, 23)));
            let mut file = FileDigest { clock: Clock::Local, span, ..FileDigest::default() };
            if is_ambiguous {
                file.issues.note(Code::AmbiguousDate, 1);
            }
            let date = calendar.date("a/sar", &file)?;
            Some(day(month, of_month, 7).plus_millis(date.days_ms))
        };
        assert_eq!(moved(5, 11, true), Some(day(11, 5, 7)), "the 5th of November, read as the 11th of May");
        assert_eq!(moved(11, 5, true), None, "as it was read");
        assert_eq!(moved(11, 4, true), None, "the day before, by a clock of another zone");
        assert_eq!(moved(4, 11, true), Some(day(11, 4, 7)));
        assert_eq!(moved(3, 11, true), None, "neither is near the logs");
        assert_eq!(moved(5, 11, false), None, "the 11th of May for certain");
    }

    #[test]
    fn time_of_day_gets_the_last_date_of_long_logs() {
        // From eight in the morning to six in the evening, five days later.
        let logs = (10 * DAY_MS + 8 * HOUR_MS, 15 * DAY_MS + 18 * HOUR_MS);
        let hours = |from: i64, to: i64| date(logs, (from * HOUR_MS, to * HOUR_MS));
        assert_eq!(hours(9, 10), Some((15, false)));
        assert_eq!(hours(17, 19), Some((15, false)), "it was still traced when the logs ended");
        assert_eq!(hours(20, 21), Some((14, false)));
        assert_eq!(hours(23, 25), Some((14, false)), "over midnight");
        assert_eq!(hours(0, 5 * 24), Some((10, true)), "longer than any other place");
    }

    #[test]
    fn date_is_sure_where_the_calls_fit_one_day_only() {
        let logs = (10 * DAY_MS + 8 * HOUR_MS, 11 * DAY_MS + 18 * HOUR_MS);
        let hours = |from: i64, to: i64| date(logs, (from * HOUR_MS, to * HOUR_MS));
        assert_eq!(hours(20, 21), Some((10, true)));
        assert_eq!(hours(6, 7), Some((11, true)));
        assert_eq!(hours(9, 10), Some((11, false)));
    }
}
