//! The times that `sadf` prints.
//!
//! ```text
//! 1795230195                 -U: seconds since 1970
//! 2026-11-21 03:03:15 UTC    UTC
//! 2026-11-20 22:03:15        -t, -T: the clock of the machine
//! 2026-11-20 22:03:15 EST    newer versions add its zone's abbreviation
//! ```
//! Abbreviations are no zones (`CST` is three of them), so but for `UTC` and `GMT` they
//! are read as local time.

use super::Out;
use crate::base::{Timestamp, ids::number};
use crate::model::Clock;

/// A time and the clock that it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The time.
    pub at: Timestamp,
    /// UTC or local.
    pub clock: Clock,
}

impl Stamp {
    /// Reads a timestamp and nothing else.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        if let Some((seconds, [])) = number(text) {
            let ms = i64::try_from(seconds).ok()?.checked_mul(1000)?;
            return Some(Self { at: Timestamp::from_millis(ms), clock: Clock::Epoch });
        }
        let mut parts = text.split(|b| *b == b' ');
        let (date, time, zone) = (parts.next()?, parts.next()?, parts.next());
        if parts.next().is_some() {
            return None;
        }
        Self::of_parts(date, time, clock_of(zone))
    }

    /// From a date as `2026-11-21`, a time as `03:03:15`, and the clock they are of.
    #[must_use]
    pub fn of_parts(date: &[u8], time: &[u8], clock: Clock) -> Option<Self> {
        let (year, rest) = number(date)?;
        let (month, rest) = number(rest.strip_prefix(b"-")?)?;
        let (day, rest) = number(rest.strip_prefix(b"-")?)?;
        if !rest.is_empty() || date.len() != b"2026-11-21".len() {
            return None;
        }
        let [h, mi, s] = clock_face(time)?;
        let (year, month, day) = (i64::try_from(year).ok()?, u32::try_from(month).ok()?, u32::try_from(day).ok()?);
        Some(Self { at: Timestamp::from_civil(year, month, day, h, mi, s, 0)?, clock })
    }
}

/// The clock that a zone's name stands for.
#[must_use]
pub fn clock_of(zone: Option<&[u8]>) -> Clock {
    match zone {
        Some(b"UTC" | b"GMT" | b"Z") => Clock::Epoch,
        _ => Clock::Local,
    }
}

/// `hh:mm:ss` and nothing else.
#[must_use]
pub fn clock_face(text: &[u8]) -> Option<[u32; 3]> {
    let [h1, h2, b':', m1, m2, b':', s1, s2] = text else { return None };
    let two = |a: &u8, b: &u8| {
        (a.is_ascii_digit() && b.is_ascii_digit()).then(|| u32::from(a - b'0') * 10 + u32::from(b - b'0'))
    };
    let [h, m, s] = [two(h1, h2)?, two(m1, m2)?, two(s1, s2)?];
    (h < 24 && m < 60 && s <= 60).then_some([h, m, s])
}

/// A file has one clock: that of its first time.
#[derive(Debug, Default)]
pub struct OneClock {
    clock: Option<Clock>,
}

impl OneClock {
    /// The time of a stamp; `None` if it is of another clock than the file's.
    pub fn read(&mut self, stamp: Stamp, out: &mut Out<'_>) -> Option<Timestamp> {
        match self.clock {
            None => {
                self.clock = Some(stamp.clock);
                out.clock(stamp.clock);
            }
            Some(clock) if clock != stamp.clock => return None,
            Some(_) => {}
        }
        Some(stamp.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_of_all_clocks_are_read() {
        for (text, ms, clock) in [
            ("1795230195", 1_795_230_195_000, Clock::Epoch),
            ("2026-11-21 03:03:15 UTC", 1_795_230_195_000, Clock::Epoch),
            ("2026-11-20 22:03:15", 1_795_212_195_000, Clock::Local),
            ("2026-11-20 22:03:15 EST", 1_795_212_195_000, Clock::Local),
        ] {
            assert_eq!(Stamp::parse(text.as_bytes()), Some(Stamp { at: Timestamp::from_millis(ms), clock }), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_stamps() {
        for text in ["", "x", "2026-11-21", "2026-11-21 3:03:15", "2026-13-21 03:03:15", "26-11-21 03:03:15", "-5"] {
            assert_eq!(Stamp::parse(text.as_bytes()), None, "{text}");
        }
    }
}
