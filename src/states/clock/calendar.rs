//! Dates for times of day (`strace -tt`), from the dated logs of the same archive, which are written by the same wall
//! clock.
//!
//! ```text
//! logs     ├───── up to a day ─────┤      ├──── days ──────────────────────────────────┤
//! trace  ├─┤ as near to their begin as may be         ├─┤ the last that lies within ─┘
//! ```
//! Who takes a trace does so while there is something to be seen, and collects the logs when that is over: of the days
//! of a long log the last is the likeliest.

use super::archive_of;
use crate::base::{DAY_MS, Timestamp};
use crate::model::{Clock, Digest, FileDigest, formats};
use std::collections::BTreeMap;

/// A trace may end so long after the last line of the logs: a cluster that hangs says nothing while somebody looks for
/// the cause. Ours, since a trace that is longer than an hour is rare.
const SILENCE_MS: i64 = 3_600_000;

/// First and last wall-clock time of each archive's dated logs.
pub struct Calendar(BTreeMap<String, (Timestamp, Timestamp)>);

/// The date of a file's times of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Milliseconds that make them local times.
    pub days_ms: i64,
    /// Whether the logs leave no other.
    pub sure: bool,
}

impl Calendar {
    /// Of all archives.
    pub fn read(digest: &Digest) -> Self {
        let mut spans: BTreeMap<String, (Timestamp, Timestamp)> = BTreeMap::new();
        for (key, file) in digest.files().filter(|(_, f)| f.clock == Clock::Local && f.format != formats::OTHER_PROCESS)
        {
            if let Some((begin, end)) = file.span {
                let (first, last) = spans.entry(archive_of(&key.path).to_owned()).or_insert((begin, end));
                (*first, *last) = ((*first).min(begin), (*last).max(end));
            }
        }
        Self(spans)
    }

    /// The date of the file's times of day; `None` without a dated log beside it.
    pub fn date(&self, path: &str, file: &FileDigest) -> Option<Date> {
        let ((first, last), (begin, end)) = (*self.0.get(archive_of(path))?, file.span?);
        if last.millis_since(first) <= DAY_MS {
            return Some(Date { days_ms: whole_days(first.millis_since(begin) + DAY_MS / 2), sure: true });
        }
        let days_ms = whole_days(last.millis_since(end) + SILENCE_MS);
        Some(Date { days_ms, sure: begin.plus_millis(days_ms - DAY_MS) < first })
    }
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
