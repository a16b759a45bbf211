//! Clocks that were set forward while they were logged.
//!
//! ```text
//! n's clock  ─● ─● ─● ─●            ● ─● ─● ─●     no time between 21:21 and 23:21
//!             │  ▲  │  ▲            │  ▲  │  ▲
//! o's clock  ─▼──●──▼──●────────────▼──●──▼──●─    before: n at most 40 ms ahead; after: at least two hours
//! ```
//! A clock that is set forward skips some of its times, and what it tells after that contradicts what it told before:
//! before, what it received bounds it from above, after, what it sent bounds it from below. That has to be so
//! against several others, and most of them. A clock that is set back tells some times twice, and of what ended
//! before it began nobody is accused.
//!
//! Cost: O(messages log messages) for each clock, and of the [`GAPS`] longest gaps one look at each other clock.

use super::bounds::{ClockId, Message, Messages};
use crate::base::{Arrange, Timestamp};

/// By less no clock is taken to have been set: lines are written late by seconds.
const LEAST_MS: i64 = 10_000;
/// So many other clocks have to say so, the master's counting twice: all are told by it.
const LEAST_OTHERS: usize = 2;
/// Gaps of a clock that are looked at, the longest.
const GAPS: usize = 64;

/// A clock that was set forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub clock: ClockId,
    /// What it tells from this time of its own on is of after.
    pub at: Timestamp,
    /// By how much, in milliseconds.
    pub by_ms: i64,
}

impl Step {
    /// What takes it back, once all that the clock told after it was moved.
    pub const fn back(self) -> Self {
        Self { at: self.at.plus_millis(-self.by_ms), by_ms: -self.by_ms, ..self }
    }
}

/// Messages of a clock with another: by its own times, milliseconds that it is ahead of that at most, and at least.
#[derive(Clone, Default)]
struct Bounding {
    most: Vec<(Timestamp, i64)>,
    least: Vec<(Timestamp, i64)>,
}

/// What another clock says of a gap: the clock was set by this at least, and at most.
#[derive(Clone, Copy)]
struct Word {
    least_ms: i64,
    most_ms: i64,
}

impl Bounding {
    /// What it says of a gap that ends at `at`, if it says anything.
    fn word(&self, at: Timestamp) -> Option<Word> {
        let most = |after: bool| fastest(&mut self.most.iter().filter(|(t, _)| (*t >= at) == after).map(|(_, ms)| *ms));
        let least = |after: bool| {
            let minus = self.least.iter().filter(|(t, _)| (*t >= at) == after).map(|(_, ms)| ms.saturating_neg());
            fastest(&mut { minus }).map(i64::saturating_neg)
        };
        let least_ms = least(true)?.saturating_sub(most(false)?);
        let most_ms = most(true).zip(least(false)).map_or(i64::MAX, |(m, l)| m.saturating_sub(l));
        Some(Word { least_ms, most_ms })
    }
}

/// The smallest but one, which may be of a message that is taken for what it is not.
fn fastest(all: &mut dyn Iterator<Item = i64>) -> Option<i64> {
    let (mut first, mut second) = (None, None);
    for ms in all {
        if first.is_none_or(|first| ms < first) {
            (first, second) = (Some(ms), first);
        } else if second.is_none_or(|second| ms < second) {
            second = Some(ms);
        }
    }
    second
}

/// The messages of each clock: of the other, whether that sent them, and they.
type ByClock<'m> = Vec<Vec<(ClockId, bool, &'m [Message])>>;

/// The clock that most others say was set; never the master's.
#[inline(never)]
pub fn find(messages: &Messages, master: ClockId) -> Option<Step> {
    let mut by_clock = ByClock::new();
    for ((from, to), all) in &messages.pairs {
        by_clock.resize(by_clock.len().max(from.max(to) + 1), Vec::new());
        for (clock, other, received) in [(*to, *from, true), (*from, *to, false)] {
            by_clock.get_mut(clock)?.push((other, received, all));
        }
    }
    let mut best: Option<(usize, Step)> = None;
    for (clock, own) in by_clock.iter().enumerate().filter(|(clock, _)| *clock != master) {
        let found = of_clock(clock, own, by_clock.len(), master);
        let is_more = |found: &(usize, Step)| best.is_none_or(|best| (found.0, found.1.by_ms) > (best.0, best.1.by_ms));
        best = found.filter(is_more).or(best);
    }
    best.map(|(_, step)| step)
}

/// When one of so many clocks was set, and how many others say so.
fn of_clock(
    clock: ClockId,
    own: &[(ClockId, bool, &[Message])],
    clocks: usize,
    master: ClockId,
) -> Option<(usize, Step)> {
    let mut others = vec![Bounding::default(); clocks];
    let mut told: Vec<Timestamp> = Vec::new();
    for (other, received, all) in own {
        let other = others.get_mut(*other)?;
        for message in *all {
            let (at, ahead_ms) = match received {
                true => (message.received(), message.took_ms),
                false => (message.sent, message.took_ms.saturating_neg()),
            };
            told.push(at);
            if *received { &mut other.most } else { &mut other.least }.push((at, ahead_ms));
        }
    }
    let mut speaking: Vec<(usize, Bounding)> = Vec::new();
    for (other, of) in others.into_iter().enumerate() {
        if !of.most.is_empty() && !of.least.is_empty() {
            speaking.push((if other == master { 2 } else { 1 }, of));
        }
    }
    told.arrange(Ord::cmp);
    let mut gaps: Vec<(i64, Timestamp)> = Vec::new();
    for (before, after) in told.iter().zip(told.iter().skip(1)) {
        gaps.extend(Some((after.millis_since(*before), *after)).filter(|(gap_ms, _)| *gap_ms >= LEAST_MS));
    }
    gaps.arrange(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
    let mut best: Option<(usize, Step)> = None;
    for (gap_ms, at) in gaps.into_iter().take(GAPS) {
        let (mut says, mut denies, mut least_ms, mut most_ms) = (0, 0, 0, gap_ms);
        for (counts, of) in &speaking {
            let Some(word) = of.word(at) else { continue };
            most_ms = most_ms.min(word.most_ms);
            if (LEAST_MS..=gap_ms).contains(&word.least_ms) {
                (says, least_ms) = (says + counts, word.least_ms.max(least_ms));
            } else if word.most_ms < LEAST_MS {
                denies += counts;
            }
        }
        let by_ms = i64::midpoint(least_ms, most_ms.max(least_ms));
        let is_more = best.is_none_or(|(most, step)| (says, by_ms) > (most, step.by_ms));
        if says >= LEAST_OTHERS && says > denies && is_more {
            best = Some((says, Step { clock, at, by_ms }));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(s: i64) -> Timestamp {
        Timestamp::from_millis(s * 1000)
    }

    /// Clocks 0 (the master's) to 3 exchange messages each ten seconds, that take a second; `set` are set by so many
    /// seconds at a time.
    fn messages(set: &[(ClockId, i64, i64)]) -> Messages {
        let mut messages = Messages::default();
        let tells = |clock: ClockId, s: i64| {
            (
                clock,
                at(s + set.iter().filter(|(of, from, _)| *of == clock && s >= *from).map(|(_, _, by)| by).sum::<i64>()),
            )
        };
        for s in (0..200).step_by(10) {
            for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)] {
                messages.note(tells(a, s), tells(b, s + 1));
                messages.note(tells(b, s + 3), tells(a, s + 4));
            }
        }
        messages
    }

    /// The clocks found: since when, by its own time, and by how much, in seconds; and whether no contradiction is left.
    fn found(set: &[(ClockId, i64, i64)]) -> (Vec<(ClockId, i64, i64)>, bool) {
        let (solved, steps) = messages(set).solve(0, 0);
        let seconds = |step: &Step| (step.clock, step.at.millis() / 1000, (step.by_ms + 1500) / 3000 * 3);
        (steps.iter().map(seconds).collect(), solved.overlooked == 0)
    }

    #[test]
    fn clock_that_is_set_forward_is_found() {
        assert_eq!(found(&[]), (vec![], true));
        assert_eq!(found(&[(2, 100, 120)]), (vec![(2, 220, 120)], true));
        assert_eq!(found(&[(3, 60, 3600)]), (vec![(3, 3661, 3600)], true));
        assert_eq!(found(&[(3, 170, 60)]).0, [(3, 231, 60)], "late");
    }

    #[test]
    fn a_clock_is_taken_to_be_set_on_no_less_than_that() {
        assert_eq!(found(&[(2, 100, 6)]).0, [], "lines are late by as much");
        assert_eq!(found(&[(2, 100, -120)]).0, [], "back");
        assert_eq!(found(&[(0, 100, 120)]).0, [], "the master's");
        assert_eq!(found(&[(0, 100, -120)]).0, [], "the master's, back: each other seems to be set forward");
        assert_eq!(found(&[(1, 0, 120)]), (vec![], true), "it was wrong at all times");
        // One message that is taken for another.
        let mut odd = messages(&[]);
        odd.note((2, at(500)), (1, at(10)));
        odd.note((2, at(500)), (0, at(10)));
        assert_eq!(odd.solve(0, 0).1, []);
        // A node that stood still: what was sent to it came late, and that is all.
        let mut late = messages(&[]);
        for clock in [0, 1, 3] {
            late.note((clock, at(205)), (2, at(900)));
            late.note((2, at(901)), (clock, at(902)));
        }
        assert_eq!(late.solve(0, 0).1, []);
    }
}
