//! Time zones, as their distance from UTC.

/// No zone is farther from UTC, in milliseconds (UTC+14, with room).
pub const ZONE_LIMIT_MS: i64 = 15 * 3_600_000;

/// An offset as a zone's distance from UTC: `UTC+05:30`, `UTC-05:00`, `UTC`.
#[must_use]
pub fn zone_name(offset_ms: i64) -> String {
    let minutes = -offset_ms / 60_000;
    if minutes == 0 {
        return String::from("UTC");
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("UTC{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

/// The distance of a zone from UTC as a person writes it, `±HH:MM`, `±HHMM` or `±HH`, east where no sign is, or `UTC`
/// or `Z`; as milliseconds to add to its times to make them UTC. A number alone is never minutes.
#[must_use]
pub fn zone_offset_ms(text: &str) -> Option<i64> {
    let text = text.trim();
    if matches!(text, "UTC" | "Z") {
        return Some(0);
    }
    let text = text.strip_prefix("UTC").map_or(text, str::trim);
    let (sign, distance) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(west) => (1, west),
        None => (-1, text.strip_prefix('+').unwrap_or(text)),
    };
    let halves = distance.split_at_checked(2).filter(|_| distance.len() == 4);
    let (hours, minutes) = distance.split_once(':').or(halves).unwrap_or((distance, "0"));
    let number = |digits: &str| {
        let is_one = digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|_| is_one)
    };
    let minutes = number(hours)? * 60 + number(minutes).filter(|minutes| *minutes < 60)?;
    let ms = minutes * 60_000;
    (ms <= ZONE_LIMIT_MS).then_some(sign * ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zone_is_told_in_hours() {
        let ms = zone_offset_ms;
        assert_eq!(ms("-05:00"), Some(18_000_000));
        assert_eq!(ms("+05:30"), Some(-19_800_000));
        assert_eq!(ms(" 05:30 "), Some(-19_800_000));
        assert_eq!(ms("UTC-00:30"), Some(1_800_000));
        assert_eq!(ms("\u{2212}05:00"), Some(18_000_000));
        assert_eq!((ms("5"), ms("+5"), ms("UTC-05")), (Some(-18_000_000), Some(-18_000_000), Some(18_000_000)));
        assert_eq!((ms("0530"), ms("-0530"), ms("5:30")), (Some(-19_800_000), Some(19_800_000), Some(-19_800_000)));
        assert_eq!((ms("UTC"), ms(" Z "), ms("0"), ms("+00:00")), (Some(0), Some(0), Some(0), Some(0)));
        for bad in ["", "5h", "+25:00", "1:99", "1:-5", "+-5:00:00", "99999", "9223372036854775807:00", "Europe/Berlin"]
        {
            assert_eq!(ms(bad), None, "{bad}");
        }
        for bad in ["60", "-300", "530", "0599", "1:", ":30", "+", "UTC+", "UTCZ", "--5", "+5:+3", "a\u{e9}1"] {
            assert_eq!(ms(bad), None, "{bad}");
        }
    }

    #[test]
    fn zone_names_are_read_again() {
        for ms in [0, 18_000_000, -19_800_000, -20_700_000, 1_800_000] {
            assert_eq!(zone_offset_ms(&zone_name(ms)), Some(ms));
        }
        assert_eq!(zone_name(18_000_000), "UTC-05:00");
        assert_eq!(zone_name(-20_700_000), "UTC+05:45");
    }
}
