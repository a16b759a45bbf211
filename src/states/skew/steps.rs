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

use super::bounds::{ClockId, Messages};
use crate::base::{Gathered, Timestamp};
use std::collections::BTreeMap;

/// By less no clock is taken to have been set: lines are written late by seconds.
const LEAST_MS: i64 = 10_000;
/// So many messages, the fastest, have to say so of each side: one may be taken for what it is not.
const FASTEST: usize = 2;
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

/// What another clock says of one: by times of its own, milliseconds that it is ahead at most, and at least.
#[derive(Default)]
struct Bounding {
    most: Vec<(Timestamp, i64)>,
    least: Vec<(Timestamp, i64)>,
}

/// What another clock says of a gap.
struct Word {
    /// The clock was set by this at least …
    least_ms: i64,
    /// … and at most.
    most_ms: i64,
}

impl Bounding {
    /// What it says of a gap that ends at `at`, if it says anything.
    fn word(&self, at: Timestamp) -> Option<Word> {
        let parts = |all: &[(Timestamp, i64)]| {
            let (before, after) = all.split_at(all.partition_point(|(t, _)| *t < at));
            let of = |part: &[(Timestamp, i64)]| part.iter().map(|(_, ms)| *ms).gathered::<Vec<_>>();
            (of(before), of(after))
        };
        let (most_before, most_after) = parts(&self.most);
        let (least_before, least_after) = parts(&self.least);
        let least_ms = largest(least_after)?.saturating_sub(smallest(most_before)?);
        let most_ms = smallest(most_after).zip(largest(least_before)).map_or(i64::MAX, |(m, l)| m.saturating_sub(l));
        Some(Word { least_ms, most_ms })
    }
}

/// The smallest but those that may be mistaken.
fn smallest(mut of: Vec<i64>) -> Option<i64> {
    (of.len() >= FASTEST).then(|| *of.select_nth_unstable(FASTEST - 1).1)
}

/// The largest but those that may be mistaken.
fn largest(of: Vec<i64>) -> Option<i64> {
    smallest(of.into_iter().map(i64::saturating_neg).gathered()).map(i64::saturating_neg)
}

/// The clock that most others say was set; never the master's.
#[inline(never)]
pub fn find(messages: &Messages, master: ClockId) -> Option<Step> {
    let clocks = messages.clocks().into_iter().filter(|clock| *clock != master);
    let found = clocks.filter_map(|clock| of_clock(messages, clock, master));
    found.max_by_key(|(others, step)| (*others, step.by_ms, std::cmp::Reverse(step.clock))).map(|(_, step)| step)
}

/// When a clock was set, and how many others say so.
fn of_clock(messages: &Messages, clock: ClockId, master: ClockId) -> Option<(usize, Step)> {
    let mut others: BTreeMap<ClockId, Bounding> = BTreeMap::new();
    for ((from, to), all) in &messages.pairs {
        if *to == clock {
            let bounds = all.iter().map(|m| (m.received(), m.took_ms));
            others.entry(*from).or_default().most.extend(bounds);
        } else if *from == clock {
            let bounds = all.iter().map(|m| (m.sent, m.took_ms.saturating_neg()));
            others.entry(*to).or_default().least.extend(bounds);
        }
    }
    others.retain(|_, of| !of.most.is_empty() && !of.least.is_empty());
    for of in others.values_mut() {
        of.most.sort_unstable();
        of.least.sort_unstable();
    }
    let mut told: Vec<Timestamp> =
        others.values().flat_map(|of| of.most.iter().chain(&of.least)).map(|t| t.0).gathered();
    told.sort_unstable();
    let mut gaps: Vec<(i64, Timestamp)> = told
        .windows(2)
        .filter_map(|of| {
            let [before, after] = *of else { return None };
            Some((after.millis_since(before), after)).filter(|(gap_ms, _)| *gap_ms >= LEAST_MS)
        })
        .gathered();
    gaps.sort_unstable_by_key(|(gap_ms, at)| (std::cmp::Reverse(*gap_ms), *at));
    gaps.truncate(GAPS);
    let words = gaps.into_iter().filter_map(|(gap_ms, at)| {
        let words = others.iter().filter_map(|(other, of)| Some((if *other == master { 2 } else { 1 }, of.word(at)?)));
        let words: Vec<(usize, Word)> = words.gathered();
        let says = |word: &Word| (LEAST_MS..=gap_ms).contains(&word.least_ms);
        let denies = |word: &Word| word.most_ms < LEAST_MS;
        let count =
            |of: &dyn Fn(&Word) -> bool| words.iter().filter(|(_, word)| of(word)).map(|(n, _)| n).sum::<usize>();
        let (for_it, against) = (count(&says), count(&denies));
        let least_ms = words.iter().filter(|(_, word)| says(word)).map(|(_, word)| word.least_ms).max()?;
        let most_ms = words.iter().map(|(_, word)| word.most_ms).min()?.min(gap_ms);
        let by_ms = i64::midpoint(least_ms, most_ms.max(least_ms));
        (for_it >= LEAST_OTHERS && for_it > against).then_some((for_it, Step { clock, at, by_ms }))
    });
    words.max_by_key(|(others, step)| (*others, step.by_ms, std::cmp::Reverse(step.at)))
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
