//! The time at the head of a log4j line, in the layouts that [`log4j`](super) shows.

use crate::base::{Timestamp, zone_offset_ms};

/// Length of `yyyy-MM-dd HH:mm:ss`, the longest text whose time is remembered.
pub const SECOND_BYTES: usize = 19;

/// How the time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `yyyy-MM-dd HH:mm:ss`, or with a `T` as log4j 2's ISO8601 has it, and milliseconds behind it.
    Iso,
    /// `yy/MM/dd HH:mm:ss`
    Console,
    /// `yyMMdd HHmmss`
    Short,
}

/// Whether a text begins so: digits stand where `0` stands, other bytes for themselves.
pub fn fits(text: &[u8], pattern: &[u8]) -> bool {
    text.len() >= pattern.len()
        && text.iter().zip(pattern).all(|(t, p)| if *p == b'0' { t.is_ascii_digit() } else { t == p })
}

/// Whether a text begins with a time as these lines have it.
pub fn begins(text: &[u8]) -> bool {
    shape_of(text).is_some()
}

/// How the time at the head of a line is written.
pub fn shape_of(line: &[u8]) -> Option<Shape> {
    if fits(line, b"0000-00-00 00:00:00") || fits(line, b"0000-00-00T00:00:00") {
        Some(Shape::Iso)
    } else if fits(line, b"00/00/00 00:00:00 ") {
        Some(Shape::Console)
    } else if fits(line, b"000000 000000 0") {
        Some(Shape::Short)
    } else {
        None
    }
}

impl Shape {
    /// Its bytes, without milliseconds.
    pub const fn len(self) -> usize {
        match self {
            Self::Iso => 19,
            Self::Console => 17,
            Self::Short => 13,
        }
    }

    /// The second that `text` names; `text` has this shape.
    pub fn read(self, text: &[u8]) -> Option<Timestamp> {
        let n = |at: usize, len: usize| {
            text.get(at..at + len)?.iter().try_fold(0_u32, |n, b| Some(n * 10 + u32::from(b.checked_sub(b'0')?)))
        };
        let (y, mo, d, h, mi, s) = match self {
            Self::Iso => (n(0, 4)?, n(5, 2)?, n(8, 2)?, n(11, 2)?, n(14, 2)?, n(17, 2)?),
            Self::Console => (2000 + n(0, 2)?, n(3, 2)?, n(6, 2)?, n(9, 2)?, n(12, 2)?, n(15, 2)?),
            Self::Short => (2000 + n(0, 2)?, n(2, 2)?, n(4, 2)?, n(7, 2)?, n(9, 2)?, n(11, 2)?),
        };
        Timestamp::from_civil(i64::from(y), mo, d, h, mi, s, 0)
    }
}

/// Reads `,SSS` (or `.SSS`); a layout without milliseconds has none.
pub fn millis_of(rest: &[u8]) -> (Option<i64>, &[u8]) {
    match rest {
        [b',' | b'.', a, b, c, after @ ..] if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit() => {
            let ms = i64::from(a - b'0') * 100 + i64::from(b - b'0') * 10 + i64::from(c - b'0');
            (Some(ms), after)
        }
        [b' ' | b'\t' | b']', ..] => (Some(0), rest),
        _ => (behind_zone(rest).map(|_| 0), rest),
    }
}

/// What stands behind further digits of a second and a zone: `456Z text`, `+0100 text`, `-05:00 text`.
#[cold]
#[inline(never)]
pub fn behind_zone(rest: &[u8]) -> Option<&[u8]> {
    let from = |rest: &[u8], is_of: fn(&u8) -> bool| rest.iter().take_while(|b| is_of(b)).count();
    let rest = rest.get(from(rest, u8::is_ascii_digit)..)?;
    let rest = match rest {
        [b'Z', rest @ ..] => rest,
        [b'+' | b'-', zone @ ..] => {
            let end = from(zone, |b| b.is_ascii_digit() || *b == b':');
            zone.get(end..).filter(|_| (2..=5).contains(&end))?
        }
        _ => rest,
    };
    rest.strip_prefix(b" ").map(<[u8]>::trim_ascii_start)
}

/// The second that a line begins with as `yyyy-MM-dd HH:mm:ss`, whatever stands behind it.
pub fn second_of(line: &[u8]) -> Option<Timestamp> {
    shape_of(line).filter(|shape| *shape == Shape::Iso)?.read(line.get(..SECOND_BYTES)?)
}

/// What makes UTC of the time `yyyy-MM-dd HH:mm:ss` that a text begins with, in milliseconds, by the zone behind it:
/// `.791Z`, `,791+0100`, `-05:00`.
pub fn zone_of(text: &[u8]) -> Option<i64> {
    second_of(text)?;
    let rest = text.get(SECOND_BYTES..)?;
    let part = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b",")).unwrap_or(rest);
    let zone = part.get(part.iter().position(|b| !b.is_ascii_digit())?..)?;
    let is_of_zone = |b: &&u8| b.is_ascii_digit() || matches!(b, b'Z' | b'+' | b'-' | b':');
    let zone = zone.get(..zone.iter().take_while(is_of_zone).count()).filter(|zone| !zone.starts_with(b":"))?;
    zone_offset_ms(std::str::from_utf8(zone).ok().filter(|zone| !zone.is_empty())?)
}

/// The second in UTC that a text begins with, where a zone stands behind it.
pub fn epoch_of(text: &[u8]) -> Option<Timestamp> {
    Some(second_of(text)?.plus_millis(zone_of(text)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zone_behind_a_time_is_read() {
        for (text, offset_ms) in [
            ("2026-11-21T02:15:47.791Z INFO", Some(0)),
            ("2026-11-21 02:15:47,791Z", Some(0)),
            ("2026-11-21T02:15:47Z", Some(0)),
            ("2026-11-21T02:15:47.791000123Z stdout", Some(0)),
            ("2026-11-21 02:15:47,791+0100 [main]", Some(-3_600_000)),
            ("2026-11-21T02:15:47-05:00|INFO", Some(18_000_000)),
            ("2026-11-21 02:15:47,791 INFO", None),
            ("2026-11-21 02:15:47,791 - INFO", None),
            ("2026-11-21 02:15:47,791-INFO", None),
            ("2026-11-21 02:15:47", None),
            ("02:15:47Z", None),
        ] {
            assert_eq!(zone_of(text.as_bytes()), offset_ms, "{text}");
        }
        let at = Timestamp::from_civil(2026, 11, 21, 1, 15, 47, 0);
        assert_eq!(epoch_of(b"2026-11-21T02:15:47.791+01:00 h301"), at);
    }
}
