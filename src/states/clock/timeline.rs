//! Offsets over time: one, or several with the instants at which they change.
//!
//! ```text
//! local   00:40   01:30   01:59 | 01:00   01:20      the hour that comes twice in autumn
//! offset  +5 h    +5 h    +5 h  | +6 h    +6 h       what makes it UTC
//! ```
//! From pairs of local and epoch time: their differences, rounded to the quarter hour, in
//! order of epoch time; stretches of equal ones that differ by half an hour or an hour are
//! summer and winter time. Anything else is one offset, the median. The change lies where all
//! pairs become what they say: at a full hour between those of the old and of the new offset;
//! of an autumn without a log that goes back (a [`Fold`]), so early that no local time behind it is
//! taken for the hour's first.
//!
//! Cost: O(pairs log pairs) once, O(1) a row.

use super::evidence::Pair;
use crate::base::{Arrange, DAY_MS, HALF_HOUR_MS, QUARTER_HOUR_MS, Timestamp};
use serde::{Deserialize, Serialize};

const HOUR_MS: i64 = 2 * HALF_HOUR_MS;
/// Clocks are changed between midnight and four.
const NIGHT_MS: i64 = 4 * HOUR_MS;
/// A stretch of fewer pairs is an accident: an id met again after a restart.
const STRETCH_PAIRS: usize = 3;
/// Summer time begins and ends twice a year: eight changes are four years of logs.
const CHANGES_MAX: usize = 8;
/// No summer time is shorter (Morocco leaves it for a month).
const SEASON_MS: i64 = 20 * 24 * HOUR_MS;

/// An offset and since when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Epoch time from which on it holds; the first holds before as well.
    pub from: Timestamp,
    /// Milliseconds to add to local time.
    pub offset_ms: i64,
}

/// The offsets of some logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    first_ms: i64,
    changes: Vec<Segment>,
}

impl Timeline {
    /// One offset, always.
    pub const fn constant(offset_ms: i64) -> Self {
        Self { first_ms: offset_ms, changes: Vec::new() }
    }

    /// The one offset that the pairs say; `None` without any.
    pub fn constant_of(pairs: &[Pair]) -> Option<Self> {
        let mut exact: Vec<i64> = pairs.iter().map(|p| p.epoch.millis_since(p.local)).collect();
        exact.sort_unstable();
        exact.get(exact.len() / 2).map(|median| Self::constant(rounded(*median)))
    }

    /// What the pairs of one node say, and the hours that logs beside it repeat; `None` without any.
    pub fn of(pairs: &[Pair], folds: &[Fold]) -> Option<Self> {
        let median = Self::constant_of(pairs)?;
        let mut seen: Vec<(Timestamp, i64)> =
            pairs.iter().map(|p| (p.epoch, rounded(p.epoch.millis_since(p.local)))).collect();
        seen.arrange(Ord::cmp);
        let stretches = stretches_of(&seen);
        let Some((first, rest)) = stretches.split_first() else { return Some(median) };
        let apart = || rest.windows(2).filter_map(|w| Some(w.last()?.0.millis_since(w.first()?.0)));
        let steps = || stretches.windows(2).filter_map(|w| Some(w.last()?.2 - w.first()?.2));
        let seasons =
            steps().all(|step| matches!(step.abs(), HALF_HOUR_MS | HOUR_MS)) && apart().all(|ms| ms > SEASON_MS);
        if rest.is_empty() || rest.len() > CHANGES_MAX || !seasons {
            return Some(median);
        }
        let changes = stretches.windows(2).filter_map(|w| {
            let (before, after) = (w.first()?, w.last()?);
            let from = changed((before.1, before.2), (after.0, after.2), folds);
            Some(Segment { from, offset_ms: after.2 })
        });
        Some(Self { first_ms: first.2, changes: changes.collect() })
    }

    /// The same, with the hour that a log repeats (see [`Fold`]), if it has no change yet.
    pub fn with_fold(mut self, fold: Fold) -> Self {
        if self.changes.is_empty() {
            let offset_ms = self.first_ms + fold.step_ms;
            let before = fold.before.plus_millis(self.first_ms).millis();
            // The full quarter hour behind the last line of before.
            let from = before.div_euclid(QUARTER_HOUR_MS) * QUARTER_HOUR_MS + QUARTER_HOUR_MS;
            let after = fold.after.plus_millis(offset_ms);
            self.changes.push(Segment { from: Timestamp::from_millis(from).min(after), offset_ms });
        }
        self
    }

    /// That of another zone with the same summers.
    pub fn moved(mut self, by_ms: i64) -> Self {
        self.first_ms += by_ms;
        self.changes.iter_mut().for_each(|change| change.offset_ms += by_ms);
        self
    }

    /// The offset at the beginning.
    pub const fn first_ms(&self) -> i64 {
        self.first_ms
    }

    /// The changes.
    pub fn changes(&self) -> &[Segment] {
        &self.changes
    }

    /// The share of pairs that agree with it, in percent.
    pub fn agreement(&self, pairs: &[Pair]) -> usize {
        let agrees = |p: &&Pair| rounded(p.epoch.millis_since(p.local)) == self.offset_of_epoch(p.epoch);
        pairs.iter().filter(agrees).count() * 100 / pairs.len().max(1)
    }

    fn offset_of_epoch(&self, epoch: Timestamp) -> i64 {
        self.changes.iter().rev().find(|s| s.from <= epoch).map_or(self.first_ms, |s| s.offset_ms)
    }

    /// The offset of a local time that stands alone; in the hour that comes twice the
    /// first is meant.
    pub fn offset_at(&self, local: Timestamp) -> i64 {
        Walker::default().offset(self, 0, local)
    }

    /// The time in UTC of what began at this local time and ended at that of UTC, by the offset that a clock had which was
    /// not changed between: of what may be, the last. `ended_by`: the offset of the end.
    pub fn begin(&self, local: Timestamp, end: Timestamp, ended_by: i64) -> Timestamp {
        let begun = |i: usize| {
            let offset_ms = i.checked_sub(1).and_then(|i| self.changes.get(i)).map_or(self.first_ms, |s| s.offset_ms);
            let at = local.plus_millis(offset_ms);
            let since = i.checked_sub(1).and_then(|i| self.changes.get(i)).is_none_or(|s| at >= s.from);
            let until = self.changes.get(i).is_none_or(|s| at < s.from);
            (since && until && at <= end).then_some(at)
        };
        (0..=self.changes.len()).filter_map(begun).max().unwrap_or_else(|| local.plus_millis(ended_by))
    }

    /// Local time as UTC.
    pub fn utc(&self, local: Timestamp) -> Timestamp {
        local.plus_millis(self.offset_at(local))
    }
}

/// When an offset changed that held at `last` and another that held from `first` on: clocks change at a
/// full hour, and pairs only tell between which two it was.
fn changed((last, old_ms): (Timestamp, i64), (first, new_ms): (Timestamp, i64), folds: &[Fold]) -> Timestamp {
    let step_ms = new_ms - old_ms;
    let full_hour = |at: Timestamp| Timestamp::from_millis(at.millis().div_euclid(HOUR_MS) * HOUR_MS);
    let lies_here = |fold: &&Fold| {
        let (before, after) = (fold.before.plus_millis(old_ms), fold.after.plus_millis(new_ms));
        fold.step_ms == step_ms
            && before > last.plus_millis(-QUARTER_HOUR_MS)
            && after < first.plus_millis(QUARTER_HOUR_MS)
    };
    if let Some(fold) = folds.iter().filter(lies_here).max() {
        let (before, after) = (fold.before.plus_millis(old_ms), fold.after.plus_millis(new_ms));
        return if full_hour(after) > before { full_hour(after) } else { after };
    }
    // Local time that nothing shows to come again passes the change by the old offset.
    let unseen = (step_ms > 0).then(|| first.plus_millis(-step_ms));
    let candidates = [unseen.map(full_hour), unseen, Some(full_hour(first))];
    candidates.into_iter().flatten().find(|at| *at > last).unwrap_or(first)
}

/// Differences in order, as stretches of one difference: first and last time, offset.
fn stretches_of(seen: &[(Timestamp, i64)]) -> Vec<(Timestamp, Timestamp, i64)> {
    let mut stretches: Vec<(Timestamp, Timestamp, i64, usize)> = Vec::new();
    for &(at, offset) in seen {
        match stretches.last_mut() {
            Some(last) if last.2 == offset => (last.1, last.3) = (at, last.3 + 1),
            _ => stretches.push((at, at, offset, 1)),
        }
    }
    stretches.retain(|s| s.3 >= STRETCH_PAIRS);
    let mut merged: Vec<(Timestamp, Timestamp, i64)> = Vec::new();
    for (from, to, offset, _) in stretches {
        match merged.last_mut() {
            Some(last) if last.2 == offset => last.1 = to,
            _ => merged.push((from, to, offset)),
        }
    }
    merged
}

/// To the nearest quarter hour.
pub const fn rounded(ms: i64) -> i64 {
    (ms + QUARTER_HOUR_MS / 2).div_euclid(QUARTER_HOUR_MS) * QUARTER_HOUR_MS
}

/// A log whose local time goes back by an hour at night: what is written next is later all
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fold {
    /// The last local time before.
    pub before: Timestamp,
    /// The first after.
    pub after: Timestamp,
    /// By how much clocks were set back.
    pub step_ms: i64,
}

impl Fold {
    /// Whether the step from one line to the next is such a one: back by half an hour to
    /// an hour (lines are up to half an hour apart), between midnight and four, when
    /// clocks are changed.
    pub fn between(before: Timestamp, after: Timestamp) -> Option<Self> {
        let back_ms = before.millis_since(after);
        let night = time_of_day(before) < NIGHT_MS;
        (night && back_ms > HALF_HOUR_MS && back_ms <= HOUR_MS).then_some(Self { before, after, step_ms: HOUR_MS })
    }

    /// Whether a log that spans this can hold one: it has lines of a night.
    pub fn may_lie_in((first, last): (Timestamp, Timestamp)) -> bool {
        let begin = time_of_day(first);
        begin < NIGHT_MS || begin + last.millis_since(first).max(0) >= DAY_MS
    }
}

/// Milliseconds since midnight.
const fn time_of_day(local: Timestamp) -> i64 {
    local.millis().rem_euclid(DAY_MS)
}

/// Follows the lines of one file through the changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walker {
    passed: usize,
    /// At which line each change was passed.
    lines: [u64; CHANGES_MAX],
    line: u64,
    last: Option<Timestamp>,
}

impl Walker {
    /// The offset of the row at `line` with this local time. Rows may come late (those that
    /// sum up others do): they do not move the walk, and have the offset that held at their line.
    pub fn offset(&mut self, timeline: &Timeline, line: u64, local: Timestamp) -> i64 {
        if timeline.changes.is_empty() {
            return timeline.first_ms;
        }
        if line < self.line {
            let passed = self.lines.iter().take(self.passed).filter(|passed| **passed <= line).count();
            let mut then = Self { passed, ..Self::default() };
            return then.offset(timeline, line, local);
        }
        let folds = self.last.is_some_and(|last| Fold::between(last, local).is_some());
        if folds && self.passed < timeline.changes.len() && self.step(timeline) > 0 {
            self.pass(line);
        }
        while timeline.changes.get(self.passed).is_some_and(|next| local.plus_millis(self.now(timeline)) >= next.from) {
            self.pass(line);
        }
        (self.line, self.last) = (line, Some(local));
        self.now(timeline)
    }

    fn pass(&mut self, line: u64) {
        if let Some(passed) = self.lines.get_mut(self.passed) {
            *passed = line;
        }
        self.passed += 1;
    }

    /// The offset now.
    fn now(&self, timeline: &Timeline) -> i64 {
        let last = self.passed.checked_sub(1).and_then(|i| timeline.changes.get(i));
        last.map_or(timeline.first_ms, |s| s.offset_ms)
    }

    /// By how much the next change moves the offset.
    fn step(&self, timeline: &Timeline) -> i64 {
        timeline.changes.get(self.passed).map_or(0, |next| next.offset_ms - self.now(timeline))
    }
}

#[cfg(test)]
mod tests {
    use super::super::evidence::Pair;
    use super::*;
    use crate::model::Evidence;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    /// Pairs at these minutes of epoch time, in a zone so many hours behind UTC.
    fn pairs(minutes: &[i64], hours: i64) -> Vec<Pair> {
        let pair = |m: &i64| {
            let epoch = at(m * 60_000);
            Pair { local: epoch.plus_millis(-hours * HOUR_MS - 1700), epoch, kind: Evidence::Attempt }
        };
        minutes.iter().map(pair).collect()
    }

    #[test]
    fn median_is_rounded_to_the_quarter_hour() {
        let of = |ms: &[i64]| {
            let pair = |d: &i64| Pair { local: at(0), epoch: at(*d), kind: Evidence::Attempt };
            Timeline::of(&ms.iter().map(pair).collect::<Vec<_>>(), &[]).map(|t| t.first_ms())
        };
        assert_eq!(of(&[18_000_090, 18_001_700, 17_999_000]), Some(18_000_000));
        assert_eq!(of(&[-19_800_400]), Some(-19_800_000));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn autumn_hour_comes_twice() {
        // Five hours behind UTC until 07:00 UTC of day 1, then six.
        let change = DAY_MS + 7 * HOUR_MS;
        let minute = change / 60_000;
        let mut all = pairs(&[minute - 90, minute - 40, minute - 20], 5);
        all.extend(pairs(&[minute + 10, minute + 30, minute + 200], 6));
        let t = Timeline::of(&all, &[]).unwrap();
        assert_eq!(
            (t.first_ms(), t.changes()),
            (5 * HOUR_MS, &[Segment { from: at(change), offset_ms: 6 * HOUR_MS }][..])
        );
        let mut walker = Walker::default();
        let local = |h: i64, m: i64| at(DAY_MS + h * HOUR_MS + m * 60_000);
        let mut utc = |line, l: Timestamp| (l.millis() + walker.offset(&t, line, l) - change) / 60_000;
        assert_eq!(utc(1, local(1, 30)), -30);
        assert_eq!(utc(2, local(1, 59)), -1);
        assert_eq!(utc(3, local(1, 1)), 1);
        assert_eq!(utc(4, local(1, 30)), 30);
        assert_eq!(utc(5, local(2, 30)), 90);
        // Rows that sum up the earlier ones, of the hour's first and second coming.
        assert_eq!(utc(2, local(1, 59)), -1);
        assert_eq!(utc(4, local(1, 29)), 29);
        // What began before the change and ended behind it, and what lies behind it.
        let begin = |l: Timestamp, end: i64| {
            let end = at(change + end * 60_000);
            t.begin(l, end, 6 * HOUR_MS).millis_since(at(change)) / 60_000
        };
        assert_eq!(begin(local(1, 59), 1), -1);
        assert_eq!(begin(local(1, 10), 12), 10);
        assert_eq!(begin(local(0, 50), 12), -70);
    }

    #[test]
    fn autumn_hour_that_no_log_repeats_is_over_where_the_pairs_say_so() {
        // Five hours behind UTC until 07:00 UTC of day 1, then six; nothing is logged from 06:10 to 08:10.
        let change = DAY_MS + 7 * HOUR_MS;
        let minute = change / 60_000;
        let mut all = pairs(&[minute - 80, minute - 70, minute - 50], 5);
        all.extend(pairs(&[minute + 70, minute + 80, minute + 90], 6));
        let t = Timeline::of(&all, &[]).unwrap();
        assert_eq!(t.changes(), [Segment { from: at(change), offset_ms: 6 * HOUR_MS }]);
        let mut walker = Walker::default();
        for (line, pair) in (1..).zip(&all) {
            let utc = pair.local.plus_millis(walker.offset(&t, line, pair.local));
            assert_eq!(pair.epoch.millis_since(utc), 1700, "{line}");
        }
    }

    #[test]
    fn autumn_hour_that_a_log_repeats_is_where_it_does() {
        let change = DAY_MS + 7 * HOUR_MS;
        let minute = change / 60_000;
        let mut all = pairs(&[minute - 190, minute - 180, minute - 170], 5);
        all.extend(pairs(&[minute + 10, minute + 80, minute + 90], 6));
        let fold =
            Fold { before: at(change - 5 * HOUR_MS - 60_000), after: at(change - 6 * HOUR_MS), step_ms: HOUR_MS };
        let from = |folds: &[Fold]| Timeline::of(&all, folds).unwrap().changes()[0].from;
        assert_eq!(from(&[fold]), at(change));
        assert_eq!(from(&[]), at(change - HOUR_MS));
    }

    #[test]
    fn spring_hour_is_left_out() {
        let change = DAY_MS + 7 * HOUR_MS;
        let minute = change / 60_000;
        let mut all = pairs(&[minute - 90, minute - 40, minute - 20], 5);
        all.extend(pairs(&[minute + 10, minute + 30, minute + 200], 4));
        let t = Timeline::of(&all, &[]).unwrap();
        assert_eq!(t.offset_at(at(change - 5 * HOUR_MS - 60_000)), 5 * HOUR_MS);
        assert_eq!(t.offset_at(at(change - 4 * HOUR_MS + 60_000)), 4 * HOUR_MS);
        let begin = |l: i64| t.begin(at(l), at(change + 90 * 60_000), 4 * HOUR_MS).millis_since(at(change)) / 60_000;
        assert_eq!(begin(change - 5 * HOUR_MS - 60_000), -1);
        assert_eq!(begin(change - 4 * HOUR_MS + 10 * 60_000), 10);
    }

    #[test]
    fn accidents_and_strange_steps_change_nothing() {
        let mut all = pairs(&[1, 2, 3, 4, 5, 6, 7], 5);
        all.extend(pairs(&[3, 4], 6));
        assert_eq!(Timeline::of(&all, &[]).unwrap(), Timeline::constant(5 * HOUR_MS));
        all.extend(pairs(&[100, 101, 102], 9));
        assert_eq!(Timeline::of(&all, &[]).unwrap(), Timeline::constant(5 * HOUR_MS));
    }

    #[test]
    fn fold_is_an_hour_back_at_night() {
        let h = |h: i64, m: i64| at(DAY_MS + h * HOUR_MS + m * 60_000);
        assert!(Fold::between(h(1, 59), h(1, 2)).is_some());
        assert!(Fold::between(h(1, 59), h(1, 40)).is_none());
        assert!(Fold::between(h(13, 59), h(13, 2)).is_none());
        assert!(Fold::between(h(3, 59), h(1, 2)).is_none());
        let t = Timeline::constant(5 * HOUR_MS).with_fold(Fold::between(h(1, 52), h(1, 2)).unwrap());
        assert_eq!(t.changes(), [Segment { from: h(7, 0), offset_ms: 6 * HOUR_MS }]);
    }

    #[test]
    fn only_nights_have_folds() {
        let may = |from_h: i64, hours: i64| Fold::may_lie_in((at(from_h * HOUR_MS), at((from_h + hours) * HOUR_MS)));
        assert!(!may(4, 19) && !may(28, 1) && !may(-20, 19));
        assert!(may(3, 1) && may(4, 20) && may(23, 1) && may(12, 300) && may(-23, 1));
    }
}
