//! Logs as they are where the clock of one host is set forward meanwhile.

use oddnode::base::Timestamp;

/// Daemons' and tasks' logs of the host, which lie in a folder of its name, and its attempts in histories of a JobTracker:
/// what is told from a time in UTC on is later by so much. Local times are `behind_ms` behind UTC.
pub fn with_clock_set(
    files: &[(String, Vec<u8>)],
    host: &str,
    (from, by_ms): (i64, i64),
    behind_ms: i64,
) -> Vec<(String, Vec<u8>)> {
    let moved = |at: i64| if at >= from { at + by_ms } else { at };
    let local = |line: &[u8]| {
        let text = std::str::from_utf8(line.get(..23)?).ok()?;
        let number = |range: std::ops::Range<usize>| text.get(range).and_then(|digits| digits.parse::<u32>().ok());
        let [year, month, day] = [number(0..4)?, number(5..7)?, number(8..10)?];
        let [hour, minute, second] = [number(11..13)?, number(14..16)?, number(17..19)?];
        let at = Timestamp::from_civil(year.into(), month, day, hour, minute, second, number(20..23)?)?;
        let at = Timestamp::from_millis(moved(at.millis() + behind_ms) - behind_ms);
        Some([at.to_string().as_bytes(), line.get(23..)?].concat())
    };
    let times = regex::bytes::Regex::new("_(TIME|FINISHED)=\"([0-9]{13})\"").unwrap();
    let epoch = |of: &regex::bytes::Captures<'_>| {
        let at = std::str::from_utf8(&of[2]).unwrap().parse().unwrap();
        [b"_", &of[1], b"=\"", moved(at).to_string().as_bytes(), b"\""].concat()
    };
    let of_attempt = |line: &[u8]| {
        let has = |words: &str| line.windows(words.len()).any(|part| part == words.as_bytes());
        has("Attempt TASK_TYPE") && (has(&format!("tracker_{host}:")) || has(&format!("/{host}\"")))
    };
    let line = |path: &str, line: &[u8]| match local(line).filter(|_| path.contains(&format!("/{host}/"))) {
        Some(moved) => moved,
        None if of_attempt(line) => times.replace_all(line, epoch).into_owned(),
        None => line.to_owned(),
    };
    let file = |(path, bytes): &(String, Vec<u8>)| {
        (path.clone(), bytes.split_inclusive(|byte| *byte == b'\n').flat_map(|of| line(path, of)).collect())
    };
    files.iter().map(file).collect()
}
