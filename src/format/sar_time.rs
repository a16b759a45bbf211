//! Dates and times of day as sysstat's tools print them for people, in the words of many locales.
//!
//! ```text
//! 03/28/16     28.03.2016     2016-03-28     2016年03月28日
//! 12:00:01 AM  00:00:01       01:00:00 p. m.  下午 01时00分00秒
//! ```
//! Dates are `03/28/16`, `03/28/2016`, `28/03/16` where no month can be meant, `2016-03-28`,
//! `28.03.2016`, `20-Nov-2026`, `Friday 20 November 2026`. `03/04/16` is read as the 4th of March, as in the C locale, and told to be
//! ambiguous: which it is, the logs beside it tell ([`crate::states`]). A half of the day in words that are not
//! among [`HALVES`] makes no time: a line is skipped rather than read half a day off.

use crate::base::{MONTHS, Timestamp, ids::number};

/// A date of any locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dated {
    /// Its midnight.
    pub(super) day: Timestamp,
    /// Whether day and month may each be the other; the month was taken to stand first.
    pub(super) is_ambiguous: bool,
}

/// Two-digit years from here on are of the 20th century.
const CENTURY_TURN: i64 = 70;

/// The date that a text says.
pub(super) fn date_of(text: &[u8]) -> Option<Dated> {
    let named = |name: &&str| memchr::memmem::find(text, name.as_bytes()).is_some();
    if let Some(month) = (1..).zip(&MONTHS).find_map(|(month, name)| named(name).then_some(month)) {
        let mut parts = text.split(|b| !b.is_ascii_digit()).filter(|part| !part.is_empty());
        let (a, b) = (parts.next()?, parts.next()?);
        let (day, year) = if a.len() == 4 { (b, a) } else { (a, b) };
        let year_digits = year.len();
        let [day, year] = [day, year].map(|part| number(part).and_then(|(value, _)| i64::try_from(value).ok()));
        let day = midnight(full(year?, year_digits), month, u32::try_from(day?).ok()?)?;
        return Some(Dated { day, is_ambiguous: false });
    }
    let mut numbers = Vec::with_capacity(3);
    let mut separator = None;
    let mut rest = text;
    while numbers.len() < 3 {
        let skip = rest.iter().position(u8::is_ascii_digit)?;
        if numbers.len() == 1 {
            separator = rest.first();
        }
        let (value, after) = number(rest.get(skip..)?)?;
        numbers.push((i64::try_from(value).ok()?, rest.len() - skip - after.len()));
        rest = after;
    }
    let [(a, a_digits), (b, _), (c, c_digits)] = *numbers.as_slice() else { return None };
    let (year, month, day, is_ambiguous) = match separator {
        _ if a_digits == 4 => (a, b, c, false),
        // 28.03.16, 28-03-2016, and 28/03/16 where there is no 28th month.
        Some(b'/') if a <= 12 => (full(c, c_digits), a, b, b <= 12 && a != b),
        _ => (full(c, c_digits), b, a, false),
    };
    let day = midnight(year, u32::try_from(month).ok()?, u32::try_from(day).ok()?)?;
    Some(Dated { day, is_ambiguous })
}

/// The begin of a day.
const fn midnight(year: i64, month: u32, day: u32) -> Option<Timestamp> {
    Timestamp::from_civil(year, month, day, 0, 0, 0, 0)
}

/// A year that is written with so many digits.
const fn full(year: i64, digits: usize) -> i64 {
    match (digits, year) {
        (4.., _) => year,
        (_, CENTURY_TURN..) => year + 1900,
        _ => year + 2000,
    }
}

/// What the locales of sysstat's users call the halves of the day, and whether it is the second.
static HALVES: &[(&str, bool)] = &[
    ("AM", false),
    ("PM", true),
    ("am", false),
    ("pm", true),
    ("A.M.", false),
    ("P.M.", true),
    ("a.m.", false),
    ("p.m.", true),
    ("a. m.", false),
    ("p. m.", true),
    ("a.\u{a0}m.", false),
    ("p.\u{a0}m.", true),
    ("上午", false),
    ("下午", true),
    ("午前", false),
    ("午後", true),
    ("오전", false),
    ("오후", true),
    ("πμ", false),
    ("μμ", true),
    ("π.μ.", false),
    ("μ.μ.", true),
];

/// What locales set behind hours, minutes and seconds.
static MARKS: &[[&str; 3]] =
    &[[":", ":", ""], [".", ".", ""], ["时", "分", "秒"], ["時", "分", "秒"], ["시 ", "분 ", "초"]];

/// The half of the day that a text begins with, and the rest.
fn half(text: &[u8]) -> (Option<bool>, &[u8]) {
    let first = text.first().copied().unwrap_or_default();
    // Most lines have none: they go on with a number or a heading.
    let may_be = matches!(first, b'A' | b'P' | b'a' | b'p') || !first.is_ascii();
    let found = HALVES.iter().filter(|_| may_be).find_map(|(word, second)| {
        let rest = text.strip_prefix(word.as_bytes())?;
        // Before the time it may stand without a blank.
        let whole = rest.first().is_none_or(|b| b.is_ascii_whitespace() || (!first.is_ascii() && b.is_ascii_digit()));
        whole.then_some((Some(*second), rest.trim_ascii_start()))
    });
    found.unwrap_or((None, text))
}

/// The time of day that a line begins with, two digits each, and what stands behind.
fn face(text: &[u8]) -> Option<([u32; 3], &[u8])> {
    let marked = |marks: &[&str; 3]| {
        let (mut parts, mut rest) = ([0_u32; 3], text);
        for (part, mark) in parts.iter_mut().zip(marks) {
            let [a @ b'0'..=b'9', b @ b'0'..=b'9', behind @ ..] = rest else { return None };
            *part = u32::from(a - b'0') * 10 + u32::from(b - b'0');
            rest = behind.strip_prefix(mark.as_bytes())?;
        }
        Some((parts, rest))
    };
    let (parts, rest) = MARKS.iter().find_map(marked)?;
    let [h, m, s] = parts;
    let ends = rest.first().is_some_and(u8::is_ascii_whitespace);
    (ends && h < 24 && m < 60 && s <= 60).then_some((parts, rest.trim_ascii_start()))
}

/// A line that begins with a time.
pub(super) struct Timed<'a> {
    pub(super) second_of_day: i64,
    /// What stands behind it.
    pub(super) rest: &'a [u8],
}

impl<'a> Timed<'a> {
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        let (before, text) = half(line);
        let ([mut h, m, s], rest) = face(text)?;
        let (behind, rest) = half(rest);
        // No heading and no name begins so: it is a half of the day in words that are not known.
        if rest.first().is_some_and(|b| !b.is_ascii()) {
            return None;
        }
        if let Some(second) = before.or(behind) {
            h = h % 12 + if second { 12 } else { 0 };
        }
        Some(Self { second_of_day: i64::from(h * 3600 + m * 60 + s), rest })
    }
}

/// The second of the day of a time that stands alone.
pub(super) fn second_of_day(time: &[u8]) -> Option<i64> {
    // On a line something follows it.
    Timed::parse(&[time, b" "].concat()).filter(|timed| timed.rest.is_empty()).map(|timed| timed.second_of_day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_locales_are_read() {
        let day = |y, m, d| Timestamp::from_civil(y, m, d, 0, 0, 0, 0);
        for (text, date) in [
            ("03/28/16", day(2016, 3, 28)),
            ("03/28/2016", day(2016, 3, 28)),
            ("28/03/16", day(2016, 3, 28)),
            ("03/04/16", day(2016, 3, 4)),
            ("2016-12-26", day(2016, 12, 26)),
            ("2016/12/26", day(2016, 12, 26)),
            ("26.12.2016", day(2016, 12, 26)),
            ("26-12-16", day(2016, 12, 26)),
            ("2016. 12. 26.", day(2016, 12, 26)),
            ("2016年12月26日", day(2016, 12, 26)),
            ("26/12/99", day(1999, 12, 26)),
            ("20-Nov-2026", day(2026, 11, 20)),
            ("20-Nov-26", day(2026, 11, 20)),
            ("Friday 20 November 2026", day(2026, 11, 20)),
            ("November 20, 2026", day(2026, 11, 20)),
            ("2026 Nov 20", day(2026, 11, 20)),
            ("31 November 2026", None),
            ("Nov 20", None),
            ("13/13/16", None),
            ("x", None),
            ("1/2", None),
        ] {
            assert_eq!(date_of(text.as_bytes()).map(|dated| dated.day), date, "{text}");
        }
    }

    #[test]
    fn dates_that_can_be_read_two_ways_are_told() {
        for (text, is_ambiguous) in [
            ("05/11/26", true),
            ("11/05/2026", true),
            ("05/13/26", false),
            ("13/05/26", false),
            ("05/05/26", false),
            ("2026/11/05", false),
            ("05.11.26", false),
            ("05-Nov-26", false),
        ] {
            assert_eq!(date_of(text.as_bytes()).map(|dated| dated.is_ambiguous), Some(is_ambiguous), "{text}");
        }
    }

    #[test]
    fn hours_of_both_clocks_are_read() {
        let second = |text: &str| Timed::parse(text.as_bytes()).map(|t| t.second_of_day);
        assert_eq!(second("12:00:01 AM all"), Some(1));
        assert_eq!(second("12:00:01 PM all"), Some(43_201));
        assert_eq!(second("01:00:00 PM all"), Some(46_800));
        assert_eq!(second("23:59:59 all"), Some(86_399));
        assert_eq!(second("10:00:00 AMD 1"), Some(36_000));
        for (text, hour) in [
            ("01:00:00 p.m. all", 13),
            ("12:00:00 a.m. all", 0),
            ("01:00:00 P.M. all", 13),
            ("11:00:00 am all", 11),
            ("01:00:00 pm all", 13),
            ("01:00:00 p. m. all", 13),
            ("01:00:00 p.\u{a0}m. all", 13),
            ("01:00:00 μμ all", 13),
            ("下午 01时00分00秒 all", 13),
            ("午前01時00分00秒 all", 1),
            ("오후 01시 00분 00초 all", 13),
            ("00时00分00秒 all", 0),
            ("13.00.00 all", 13),
        ] {
            assert_eq!(second(text), Some(hour * 3600), "{text}");
        }
        assert_eq!(second("01:00:00 öö all"), None);
        assert_eq!(second("24:00:00 all"), None);
        assert_eq!(second("1.50 all"), None);
        assert_eq!(second("Average: all"), None);
    }
}
