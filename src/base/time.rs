//! Points and stretches of time.
//!
//! A [`Timestamp`] counts milliseconds. Whether it counts them from the epoch
//! in UTC or along a log's own wall clock is a property of the file it was
//! read from (`model::Clock`); the `states` room turns all of them into UTC.

use super::Arrange;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroU64;

/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;
/// Milliseconds of a quarter of an hour, of which zones are multiples.
pub const QUARTER_HOUR_MS: i64 = 900_000;
/// Milliseconds of half an hour, of which nearly all zones are multiples.
pub const HALF_HOUR_MS: i64 = 2 * QUARTER_HOUR_MS;
/// The months in the C locale, as `date` and Java's `Date` write them.
pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A time farther from 1970 is taken for this far: 285,000 years, so that no log means it, sums of a few such times
/// do not overflow, and JavaScript's numbers hold it, whatever a file claims.
pub const FAR_MS: i64 = 9_000_000_000_000_000;

/// What is added to milliseconds: the earliest that there can be becomes 0, and the order stays.
const BIAS: u64 = 1 << 63;

/// What times are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeZone {
    /// UTC.
    #[default]
    Utc,
    /// Whatever the logs were written in: nothing in them tells.
    Unknown,
}

impl TimeZone {
    /// What is written behind a time.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utc => "UTC",
            Self::Unknown => "(zone unknown)",
        }
    }
}

/// Milliseconds since 1970-01-01T00:00:00, negative before. One that may not be known takes no more
/// room: millions of rows have several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub struct Timestamp(NonZeroU64);

impl Default for Timestamp {
    /// 1970.
    fn default() -> Self {
        Self::of(0)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.millis().fmt(f)
    }
}

impl From<i64> for Timestamp {
    fn from(ms: i64) -> Self {
        Self::from_millis(ms)
    }
}

impl From<Timestamp> for i64 {
    fn from(at: Timestamp) -> Self {
        at.millis()
    }
}

impl Timestamp {
    /// The earliest of all is taken for the one behind it.
    const fn of(ms: i64) -> Self {
        match NonZeroU64::new((ms as u64).wrapping_add(BIAS)) {
            Some(biased) => Self(biased),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// From milliseconds since 1970; beyond [`FAR_MS`] it is that.
    #[must_use]
    pub const fn from_millis(ms: i64) -> Self {
        if ms > FAR_MS {
            Self::of(FAR_MS)
        } else if ms < -FAR_MS {
            Self::of(-FAR_MS)
        } else {
            Self::of(ms)
        }
    }

    /// From a proleptic Gregorian calendar date and time of day, as log4j's
    /// `%d{ISO8601}` writes it. `None` if a field is out of its range.
    #[must_use]
    pub const fn from_civil(y: i64, mo: u32, d: u32, h: u32, mi: u32, s: u32, ms: u32) -> Option<Self> {
        if mo < 1 || mo > 12 || d < 1 || d > 31 || h > 23 || mi > 59 || s > 60 || ms > 999 || y < 0 || y > 9999 {
            return None;
        }
        let leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
        let days_in_month = match mo {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if d > days_in_month {
            return None;
        }
        // Days from civil: years counted from March, in 400-year eras.
        let y = if mo <= 2 { y - 1 } else { y };
        let era = y.div_euclid(400);
        let year_of_era = y.rem_euclid(400);
        let month_from_march = (mo as i64 + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + d as i64 - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        let seconds = days * 86_400 + h as i64 * 3600 + mi as i64 * 60 + s as i64;
        Some(Self::of(seconds * 1000 + ms as i64))
    }

    /// Year, month and day, the inverse of [`Self::from_civil`].
    #[must_use]
    pub fn civil_date(self) -> (i64, u32, u32) {
        let z = self.millis().div_euclid(DAY_MS) + 719_468;
        let era = z.div_euclid(146_097);
        let day_of_era = z.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let mp = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * mp + 2) / 5 + 1;
        let month = if mp < 10 { mp + 3 } else { mp - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month as u32, day as u32)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0.get().wrapping_sub(BIAS) as i64
    }

    /// This time moved by `ms` milliseconds, saturating.
    #[must_use]
    pub const fn plus_millis(self, ms: i64) -> Self {
        Self::of(self.millis().saturating_add(ms))
    }

    /// `2026-11-21 02:26:04`: log4j's form without its milliseconds.
    #[must_use]
    pub fn to_seconds(self) -> String {
        let mut text = self.to_string();
        text.truncate(text.find(',').unwrap_or(text.len()));
        text
    }

    /// Milliseconds from `earlier` to this time, saturating; negative if `earlier` is later.
    #[must_use]
    pub const fn millis_since(self, earlier: Self) -> i64 {
        self.millis().saturating_sub(earlier.millis())
    }
}

/// `2026-11-21 02:26:04,119`, log4j's own form.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.millis().rem_euclid(1000);
        let second_of_day = self.millis().div_euclid(1000).rem_euclid(86_400);
        let (year, month, day) = self.civil_date();
        write!(
            f,
            "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02},{ms:03}",
            second_of_day / 3600,
            second_of_day / 60 % 60,
            second_of_day % 60
        )
    }
}

/// A half-open stretch of time: `start` belongs to it, `end` does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Interval {
    /// First instant inside.
    pub start: Timestamp,
    /// First instant after it.
    pub end: Timestamp,
}

impl Interval {
    /// The stretch from `start` to `end`; an end before the start becomes the
    /// start (lines of one log may be out of order by some milliseconds).
    #[must_use]
    pub fn new(start: Timestamp, end: Timestamp) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Length in milliseconds, never negative.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.end.millis_since(self.start)
    }

    /// Whether the two stretches share an instant.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The instants of all these, as stretches in order of which no two meet.
    #[must_use]
    pub fn union(mut all: Vec<Self>) -> Vec<Self> {
        all.arrange(Ord::cmp);
        let mut joined: Vec<Self> = Vec::new();
        for next in all {
            match joined.last_mut() {
                Some(last) if next.start <= last.end => last.end = last.end.max(next.end),
                _ => joined.push(next),
            }
        }
        joined
    }

    /// Those of stretches, which are in order and apart, that share an instant with this one.
    pub fn met_in(self, apart: &[Self]) -> impl Iterator<Item = Self> + '_ {
        let from = apart.partition_point(|one| one.end <= self.start);
        apart.iter().skip(from).copied().take_while(move |one| one.start < self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn civil_times_match_known_epochs() {
        let t = |y, mo, d, h, mi, s, ms| Timestamp::from_civil(y, mo, d, h, mi, s, ms).map(Timestamp::millis);
        assert_eq!(t(1970, 1, 1, 0, 0, 0, 0), Some(0));
        assert_eq!(t(2000, 2, 29, 12, 0, 0, 5), Some(951_825_600_005));
        assert_eq!(t(2026, 11, 21, 2, 24, 44, 210), Some(1_795_227_884_210));
        assert_eq!(t(2026, 13, 1, 0, 0, 0, 0), None);
        assert_eq!(t(2026, 2, 29, 0, 0, 0, 0), None);
        assert_eq!(t(1900, 2, 29, 0, 0, 0, 0), None);
        assert_eq!(t(2026, 4, 31, 0, 0, 0, 0), None);
    }

    #[test]
    fn display_inverts_from_civil() {
        let t = Timestamp::from_civil(2024, 2, 29, 23, 59, 58, 7);
        assert_eq!(t.map(|t| t.to_string()).as_deref(), Some("2024-02-29 23:59:58,007"));
        assert_eq!(Timestamp::from_millis(-1).to_string(), "1969-12-31 23:59:59,999");
    }

    #[test]
    fn times_keep_their_order_and_their_ends() {
        let moved = [i64::MIN, -FAR_MS, -1, 0, 1, FAR_MS, i64::MAX].map(|ms| Timestamp::default().plus_millis(ms));
        assert!(moved.is_sorted());
        assert_eq!(moved.map(Timestamp::millis), [i64::MIN + 1, -FAR_MS, -1, 0, 1, FAR_MS, i64::MAX]);
        assert_eq!(Timestamp::from_millis(i64::MIN).millis(), -FAR_MS);
        assert_eq!(size_of::<Option<Timestamp>>(), size_of::<i64>());
        assert_eq!(format!("{:?}", Timestamp::from_millis(-5)), "-5");
    }

    #[test]
    fn stretches_joined_are_found_by_what_they_share() {
        let of = |(start, end): (i64, i64)| Interval::new(Timestamp::from_millis(start), Timestamp::from_millis(end));
        let apart = Interval::union([(20, 30), (0, 5), (3, 8), (8, 9), (12, 13)].map(of).to_vec());
        assert_eq!(apart, [(0, 9), (12, 13), (20, 30)].map(of));
        let met = |start, end| of((start, end)).met_in(&apart).collect::<Vec<_>>();
        assert_eq!(met(8, 21), apart);
        assert_eq!(met(9, 12), [], "ends do not belong to a stretch");
        assert_eq!(met(12, 20), [of((12, 13))]);
        assert_eq!(met(30, 40), []);
    }

    #[test]
    fn interval_ending_before_its_start_is_empty() {
        let i = Interval::new(Timestamp::from_millis(5), Timestamp::from_millis(3));
        assert_eq!(i.millis(), 0);
    }
}
