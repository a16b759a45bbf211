//! Axes: where ticks go and how numbers and times are written.

use crate::base::quantity::duration;
use crate::base::text::host_and_domain;
use crate::base::{DAY_MS, TimeZone, Timestamp, math};

/// Height of the font of labels.
pub const FONT_CSS_PX: f32 = 12.0;
/// From one line of words to the next.
pub const LINE_CSS_PX: f32 = 16.0;
/// Width of an average character at that height, over the height: system fonts lie
/// between 0.5 and 0.6.
pub const CHARACTER_WIDTH: f32 = 0.58;

/// Estimated width of a label; the worker cannot measure text.
#[must_use]
pub fn label_width_css_px(text: &str) -> f32 {
    text.chars().count() as f32 * CHARACTER_WIDTH * FONT_CSS_PX
}

/// Rounded to a tenth: finer than a pixel, and short in snapshots and messages.
#[must_use]
pub fn tenth(css_px: f32) -> f32 {
    (css_px * 10.0).round() / 10.0
}

/// A name cut to fit a width, with an ellipsis where it was cut: names of a cluster differ at their ends, or before
/// their domain. Sentences are [`ended`], and numbers are left out rather than cut.
#[must_use]
pub fn fitted(text: &str, width_css_px: f32) -> String {
    if label_width_css_px(text) <= width_css_px {
        return text.to_owned();
    }
    let room = ((width_css_px / (CHARACTER_WIDTH * FONT_CSS_PX)) as usize).saturating_sub(1);
    // What has words is no host.
    let host = host_and_domain(text).filter(|_| !text.contains(' ')).map_or(text, |(host, _)| host);
    let long = host.chars().count();
    if long <= room && 2 * long > room {
        return format!("{host}…");
    }
    // A host that is too long itself is cut without its domain.
    let text = if long > room { host } else { text };
    let (front, back) = (room.div_ceil(2), room / 2);
    let skipped = text.chars().count().saturating_sub(back);
    text.chars().take(front).chain(['…']).chain(text.chars().skip(skipped)).collect()
}

/// A sentence of which the words that fit are there, with an ellipsis for the others.
#[must_use]
pub fn ended(text: &str, width_css_px: f32) -> String {
    if label_width_css_px(text) <= width_css_px {
        return text.to_owned();
    }
    let first = wrapped(text, width_css_px - label_width_css_px("…")).into_iter().next();
    format!("{}…", first.unwrap_or_default())
}

/// What stands behind its number.
const UNITS: [&str; 14] = ["µs", "ms", "s", "min", "h", "days", "B", "kB", "MB", "GB", "TB", "%", "MB/s", "KiB/s"];

/// Whether a word is not told apart from the one before: `× 7.78`, `p < 0.001`, `54.8 s`, `152 MB,`.
fn is_bound(before: &str, word: &str) -> bool {
    let is_number = before.trim_start_matches(['−', '-', '(', '~']).starts_with(|c: char| c.is_ascii_digit());
    matches!(before, "×" | "<") || (is_number && UNITS.contains(&word.trim_end_matches([',', ';', '.', ':', ')'])))
}

/// Words in lines that fit a width; a word that no line holds is broken. A number stays with its unit or its sign.
#[must_use]
pub fn wrapped(text: &str, width_css_px: f32) -> Vec<String> {
    let room = ((width_css_px / (CHARACTER_WIDTH * FONT_CSS_PX)) as usize).max(1);
    let mut pieces: Vec<String> = Vec::new();
    let mut before = "";
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match pieces.last_mut().filter(|_| is_bound(before, word)) {
            Some(piece) => piece.extend([" ", word]),
            None => pieces.push(word.to_owned()),
        }
        before = word;
    }
    let mut lines: Vec<(String, usize)> = Vec::new();
    for piece in pieces {
        let letters: Vec<char> = piece.chars().collect();
        match lines.last_mut() {
            Some((line, long)) if *long + 1 + letters.len() <= room => {
                line.extend([" ", &piece]);
                *long += 1 + letters.len();
            }
            _ => lines.extend(letters.chunks(room).map(|part| (part.iter().collect(), part.len()))),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

/// A map from values to pixels, linear or logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Least and greatest value.
    pub range: (f64, f64),
    /// Their pixels.
    pub pixels: (f32, f32),
    /// Whether equal ratios take equal room.
    pub log: bool,
}

impl Axis {
    /// A linear axis; an empty range is widened.
    #[must_use]
    pub fn linear(range: (f64, f64), pixels: (f32, f32)) -> Self {
        let high = if range.1 > range.0 { range.1 } else { range.0 + 1.0 };
        Self { range: (range.0, high), pixels, log: false }
    }

    /// A logarithmic axis; what is not positive lies at its beginning.
    #[must_use]
    pub fn log(range: (f64, f64), pixels: (f32, f32)) -> Self {
        let low = range.0.max(1e-9);
        let high = if range.1 > low { range.1 } else { low * 10.0 };
        Self { range: (low, high), pixels, log: true }
    }

    /// The pixel of a value, kept within the axis.
    #[must_use]
    pub fn px(&self, value: f64) -> f32 {
        let value = value.clamp(self.range.0, self.range.1);
        let (low, high) = self.range;
        let share = if self.log {
            (math::ln(value) - math::ln(low)) / (math::ln(high) - math::ln(low))
        } else {
            (value - low) / (high - low)
        };
        tenth(self.pixels.0 + share as f32 * (self.pixels.1 - self.pixels.0))
    }

    /// Values for about `count` ticks of a linear axis: 1, 2 or 5 times a power of ten.
    #[must_use]
    pub fn ticks(&self, count: usize) -> Vec<f64> {
        self.multiples(nice_step((self.range.1 - self.range.0) / count.max(1) as f64))
    }

    /// Ratios for at most `most` ticks of a logarithmic axis: 1, 2 and 5 times powers of ten, else the powers alone.
    #[must_use]
    pub fn ratio_ticks(&self, most: usize) -> Vec<f64> {
        let of = |factors: &[f64]| {
            let all =
                (-4..=9).flat_map(|power| factors.iter().map(move |factor| factor * math::pow(10.0, f64::from(power))));
            all.filter(|ratio| self.has(*ratio)).collect::<Vec<f64>>()
        };
        let ticks = of(&[1.0, 2.0, 5.0]);
        if ticks.len() <= most { ticks } else { of(&[1.0]) }
    }

    /// Round seconds with room for a duration at each, and two at least: on a logarithmic axis of [`ROUND_S`], else one
    /// step apart from each other.
    #[must_use]
    pub fn duration_ticks(&self) -> Vec<f64> {
        let room = (((self.pixels.1 - self.pixels.0).abs() / DURATION_TICK_CSS_PX) as usize).max(2);
        let on_axis = |is_meant: &dyn Fn(bool) -> bool| {
            let meant = ROUND_S.iter().filter(|(s, is_main)| is_meant(*is_main) && self.has(*s));
            meant.map(|(s, _)| *s).collect::<Vec<f64>>()
        };
        let (round, main) = (on_axis(&|_| true), on_axis(&|is_main| is_main));
        if self.log && round.len() >= 2 {
            let ticks = if round.len() <= room || main.len() < 2 { round } else { main };
            let every = ticks.len().div_ceil(room);
            return ticks.into_iter().step_by(every).collect();
        }
        let mut ticks = Vec::new();
        for (step, _) in &ROUND_S {
            let fewer = self.multiples(*step);
            // Steps that are too fine for words are told alike.
            let told =
                fewer.windows(2).all(|two| two.first().map(|s| duration(*s)) != two.last().map(|s| duration(*s)));
            if told && (ticks.is_empty() || fewer.len() >= 2) {
                ticks = fewer;
            }
            if told && ticks.len() <= room {
                break;
            }
        }
        self.apart(ticks)
    }

    /// Those that stand apart from the one before; the last with the first, if these are all.
    fn apart(&self, ticks: Vec<f64>) -> Vec<f64> {
        let (last, mut kept) = (ticks.last().copied(), Vec::<f64>::new());
        for tick in ticks {
            if kept.last().is_none_or(|last| (self.px(tick) - self.px(*last)).abs() >= DURATION_TICK_CSS_PX) {
                kept.push(tick);
            }
        }
        if let (1, Some(last)) = (kept.len(), last.filter(|last| kept.first() != Some(last))) {
            kept.push(last);
        }
        kept
    }

    fn has(&self, value: f64) -> bool {
        value >= self.range.0 && value <= self.range.1
    }

    /// The multiples of a step that lie on the axis.
    fn multiples(&self, step: f64) -> Vec<f64> {
        let first = (self.range.0 / step - 1e-9).ceil() as i64;
        let last = (self.range.1 / step + 1e-9).floor() as i64;
        (first..=last.min(first.saturating_add(100))).map(|i| i as f64 * step).collect()
    }
}
/// Round durations in seconds: 1, 2 and 5 of a power of ten below a minute, then of minutes and hours 1, 2, 5, 10, 30,
/// and of days; and which of them are left where all are too many.
const ROUND_S: [(f64, bool); 34] = [
    (0.000_1, false),
    (0.000_2, false),
    (0.000_5, false),
    (0.001, true),
    (0.002, false),
    (0.005, false),
    (0.01, true),
    (0.02, false),
    (0.05, false),
    (0.1, true),
    (0.2, false),
    (0.5, false),
    (1.0, true),
    (2.0, false),
    (5.0, false),
    (10.0, true),
    (30.0, false),
    (60.0, true),
    (120.0, false),
    (300.0, false),
    (600.0, true),
    (1800.0, false),
    (3600.0, true),
    (7200.0, false),
    (18_000.0, false),
    (36_000.0, true),
    (86_400.0, false),
    (172_800.0, false),
    (432_000.0, true),
    (864_000.0, false),
    (1_728_000.0, false),
    (4_320_000.0, true),
    (8_640_000.0, false),
    (43_200_000.0, true),
];

/// Room for a duration at a tick: ten characters of `1 min 40 s`.
const DURATION_TICK_CSS_PX: f32 = 70.0;

fn nice_step(rough: f64) -> f64 {
    let power = math::pow(10.0, (math::ln(rough.max(1e-12)) / math::ln(10.0)).floor());
    let lead = rough / power;
    let nice = if lead <= 1.0 {
        1.0
    } else if lead <= 2.0 {
        2.0
    } else if lead <= 5.0 {
        5.0
    } else {
        10.0
    };
    nice * power
}

/// Steps between times on an axis, in seconds.
const TIME_STEPS_S: [i64; 17] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400];

/// Room for one time of an axis: eight characters, or ten of a date, and a gap.
const TIME_TICK_CSS_PX: f32 = 80.0;

/// As many round times of a stretch as there is room for on an axis, in epoch milliseconds, each with its label.
#[must_use]
pub fn time_ticks_within(from_ms: i64, to_ms: i64, width_css_px: f32) -> Vec<(i64, String)> {
    let ticks = time_ticks(from_ms, to_ms, (width_css_px / TIME_TICK_CSS_PX) as usize);
    ticks.into_iter().map(|ms| (ms, time_label(ms, (from_ms, to_ms)))).collect()
}

/// What a tick on an axis over a stretch says: its time, or its day, `11-22`, at a midnight within a stretch of several days.
#[must_use]
pub fn time_label(ms: i64, (from_ms, to_ms): (i64, i64)) -> String {
    let [from, at, to] = [from_ms, ms, to_ms].map(moment);
    let is_one_day = from.get(..10) == to.get(..10);
    if is_one_day || ms.rem_euclid(DAY_MS) != 0 {
        return clock(ms);
    }
    let begin = if from.get(..4) == to.get(..4) { 5 } else { 0 };
    at.get(begin..10).unwrap_or_default().to_owned()
}

/// Round times in a stretch, about `count` at most: one more where both of its ends are round. In epoch milliseconds.
#[must_use]
pub fn time_ticks(from_ms: i64, to_ms: i64, count: usize) -> Vec<i64> {
    let room = i64::try_from(count.max(1)).unwrap_or(1);
    let span = to_ms.saturating_sub(from_ms).max(1);
    let step_s = TIME_STEPS_S.iter().copied().find(|s| span / (s * 1000) <= room);
    let step_ms = step_s.unwrap_or_else(|| 86_400 * (span / (DAY_MS * room) + 1)) * 1000;
    let first = from_ms.div_euclid(step_ms) + i64::from(from_ms.rem_euclid(step_ms) != 0);
    (first..=to_ms.div_euclid(step_ms)).map(|i| i * step_ms).collect()
}

/// `21:24:05`.
#[must_use]
pub fn clock(ms: i64) -> String {
    Timestamp::from_millis(ms).to_string().get(11..19).unwrap_or_default().to_owned()
}

/// `26:24:05`: a time since a begin.
#[must_use]
pub fn elapsed(ms: i64) -> String {
    format!("{:02}:{:02}:{:02}", ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60)
}

/// `2026-11-21 02:24:05 UTC`.
#[must_use]
pub fn date_and_clock(ms: i64, zone: TimeZone) -> String {
    format!("{} {}", moment(ms), zone.name())
}

/// `times from 2026-11-21 02:24:05 UTC`: beside an axis that has the time of day.
#[must_use]
pub fn times_from(ms: i64, zone: TimeZone) -> String {
    format!("times from {}", date_and_clock(ms, zone))
}

/// `2026-11-21 02:24:05 to 02:25:14 UTC`; the end with its date where that is another.
#[must_use]
pub fn from_to(from_ms: i64, to_ms: i64, zone: TimeZone) -> String {
    format!("{} to {} {}", moment(from_ms), beside(to_ms, from_ms), zone.name())
}

/// A time beside another that has its date: `02:25:14`, or with its date where that is another.
#[must_use]
pub fn beside(ms: i64, other_ms: i64) -> String {
    if ms.div_euclid(DAY_MS) == other_ms.div_euclid(DAY_MS) { clock(ms) } else { moment(ms) }
}

fn moment(ms: i64) -> String {
    Timestamp::from_millis(ms).to_seconds()
}

#[cfg(test)]
mod tests;
