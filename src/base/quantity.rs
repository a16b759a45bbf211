//! Quantities as a person says them: durations, bytes, numbers.

/// Two days less what is rounded up to them: below, hours are still counted without thought.
const TOLD_IN_DAYS_S: f64 = 48.0 * 3600.0 - 30.0;

/// A duration: `640 µs`, `6.4 ms`, `340 ms`, `2.5 s`, `63.4 s`, `3 min 4 s`, `2 h 5 min`, `2 533 days 21 h`; where a clock
/// was set back, `-5 s`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    let two = |one: i64, unit: &str, other: i64, smaller: &str| match other {
        0 => format!("{} {unit}", grouped(one.unsigned_abs())),
        _ => format!("{} {unit} {other} {smaller}", grouped(one.unsigned_abs())),
    };
    // Of the smaller unit, so that what is rounded up is told in the greater one.
    let rounded = |unit_s: f64| (seconds / unit_s).round() as i64;
    match seconds {
        s if s <= -0.000_000_5 => format!("-{}", duration(-s)),
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.099_95 => format!("{} ms", trimmed(s * 1e3, 1)),
        s if s < 0.999_5 => format!("{:.0} ms", s * 1e3),
        s if s < 9.995 => format!("{} s", trimmed(s, 2)),
        s if s < 99.95 => format!("{} s", trimmed(s, 1)),
        s if s < 3599.5 => two(rounded(1.0) / 60, "min", rounded(1.0) % 60, "s"),
        s if s < TOLD_IN_DAYS_S => two(rounded(60.0) / 60, "h", rounded(60.0) % 60, "min"),
        _ => two(rounded(3600.0) / 24, "days", rounded(3600.0) % 24, "h"),
    }
}

/// A share of 1 as percent: `4.2 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// [`duration`] of milliseconds, as logs keep them: they know no shorter time than one.
#[must_use]
pub fn of_millis(ms: f64) -> String {
    if ms == 0.0 { String::from("less than 1 ms") } else { duration(ms / 1e3) }
}

/// [`duration`] of microseconds.
#[must_use]
pub fn of_micros(us: f64) -> String {
    duration(us / 1e6)
}

/// Bytes in powers of ten: `12 B`, `1.2 MB`, `84.3 MB`, `490 MB`.
#[must_use]
pub fn bytes(n: f64) -> String {
    const UNITS: [(f64, &str); 5] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];
    let (size, unit) = UNITS.into_iter().find(|(size, _)| n >= 0.999_5 * size).unwrap_or((1.0, "B"));
    let value = n / size;
    format!("{} {unit}", trimmed(value, if value < 99.95 { 1 } else { 0 }))
}

/// A number with at most `digits` decimals and no zeros at its end.
#[must_use]
pub fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// How many times: `2.1`, from a hundred on without decimals, below 1 with two digits that are not 0: `0.0054`.
#[must_use]
pub fn ratio(times: f64, digits: usize) -> String {
    let digits = match times {
        t if t >= 99.95 => 0,
        t if !(0.000_05..0.995).contains(&t) => digits,
        t if t >= 0.0995 => digits.max(2),
        t if t >= 0.009_95 => digits.max(3),
        _ => digits.max(4),
    };
    format!("{times:.digits$}")
}

/// A number that may be below zero, with as many decimals; `−0.00` is `0.00`.
#[must_use]
pub fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    match text.strip_prefix('-') {
        Some(size) if size.bytes().any(|b| matches!(b, b'1'..=b'9')) => format!("−{size}"),
        Some(nothing) => nothing.to_owned(),
        None => text,
    }
}

/// `1 file`, `12 files`.
#[must_use]
pub fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `1 234 567`, with narrow spaces, at which no line ends.
#[must_use]
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(d);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well_from_microseconds_to_days() {
        let said = [
            (0.0, "0 µs"),
            (0.000_64, "640 µs"),
            (0.000_999_6, "1 ms"),
            (0.0064, "6.4 ms"),
            (0.34, "340 ms"),
            (0.9996, "1 s"),
            (2.5, "2.5 s"),
            (9.996, "10 s"),
            (63.44, "63.4 s"),
            (99.96, "1 min 40 s"),
            (-5.0, "-5 s"),
            (184.4, "3 min 4 s"),
            (720.0, "12 min"),
            (3599.6, "1 h"),
            (7500.0, "2 h 5 min"),
            (90_000.0, "25 h"),
            (172_760.0, "47 h 59 min"),
            (172_780.0, "2 days"),
            (180_000.0, "2 days 2 h"),
            (218_928_180.0, "2\u{202f}533 days 21 h"),
        ];
        for (seconds, words) in said {
            assert_eq!(duration(seconds), words, "{seconds} s");
        }
    }

    #[test]
    fn bytes_read_well() {
        let said = [0.0, 12.0, 999.4, 999.6, 1_500.0, 84_254_896.0, 490_000_000.0, 1.5e9, 999.6e9, 5e12, 4e15];
        assert_eq!(
            said.map(bytes),
            ["0 B", "12 B", "999 B", "1 kB", "1.5 kB", "84.3 MB", "490 MB", "1.5 GB", "1 TB", "5 TB", "4000 TB"]
        );
    }

    #[test]
    fn numbers_have_no_zeros_at_their_end_and_thin_spaces() {
        assert_eq!([trimmed(2.50, 2), trimmed(100.0, 0), trimmed(0.04, 1)], ["2.5", "100", "0"]);
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!([signed(-0.004, 2), signed(-0.006, 2), signed(1.0, 2)], ["0.00", "−0.01", "1.00"]);
        assert_eq!([ratio(2.0, 1), ratio(99.94, 1), ratio(1644.0, 1)], ["2.0", "99.9", "1644"]);
        assert_eq!(
            [0.996, 0.54, 0.1, 0.0112, 0.0054, 0.0].map(|x| ratio(x, 1)),
            ["1.0", "0.54", "0.10", "0.011", "0.0054", "0.0"]
        );
        assert_eq!([of_millis(0.0), of_millis(2.0), of_millis(0.5)], ["less than 1 ms", "2 ms", "500 µs"]);
    }
}
