//! From messages between clocks to how far each clock is off.
//!
//! ```text
//! a's clock   ──●───────────────●──►     sent at ta, received at tb:   skew(b) − skew(a) ≤ tb − ta
//!                ╲             ╱         answered at tb', heard at ta': skew(b) − skew(a) ≥ tb' − ta'
//! b's clock   ────●───────────●────►
//! ```
//! A message cannot arrive before it was sent, whatever it took on the way. Each message
//! bounds the difference of two clocks from one side, so messages both ways enclose it;
//! bounds add up along paths, so that a node is bounded by way of others. The skew is the
//! middle of what is left, its uncertainty half of the width. That messages contradict one
//! another means that some were taken for what they are not, or logged late: the fastest
//! share of each pair's is left out, and if that is not enough, all are given more time,
//! which widens the bounds.
//!
//! Cost: O(messages log messages + rounds · pairs); rounds are about the length of the
//! longest chain of hosts, and at most [`EDGES_MAX`].

use super::steps::{self, Step};
use crate::base::{Gathered, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Percent of a pair's fastest messages that are left out, in the order of trying.
const LEFT_OUT: [usize; 3] = [1, 10, 25];
/// Where that is not enough, all messages are given so much more time, doubled until none
/// contradicts another: lines are written a little after what they tell of.
const SLACK_MAX_MS: i64 = 1 << 22;
/// The time that removes a contradiction halves it between both ways. Were the messages of
/// one way late, the truth lies that much farther on their side.
const SLACK_FACTOR: i64 = 3;

/// Edges on the way from one clock to another: each hears of most others by way of a few.
const EDGES_MAX: usize = 128;

/// A clock: the index of a node, or one behind them for a master that has no node.
pub type ClockId = usize;

/// A time by a clock: one end of a message.
pub type Stamp = (ClockId, Timestamp);

/// One message of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// By the clock of the one that sends.
    pub sent: Timestamp,
    /// Received minus sent, by the two clocks, in milliseconds.
    pub took_ms: i64,
}

impl Message {
    /// By the clock of the one that receives.
    pub const fn received(self) -> Timestamp {
        self.sent.plus_millis(self.took_ms)
    }
}

/// The messages of each pair, from the first to the second.
#[derive(Debug, Default)]
pub struct Messages {
    pub(super) pairs: BTreeMap<(ClockId, ClockId), Vec<Message>>,
}

/// What messages say of clocks.
#[derive(Debug, Default)]
pub struct Solved {
    /// Of every clock that they tie to the root from both sides.
    pub bounds: BTreeMap<ClockId, Bounds>,
    /// How much had to be overlooked for it: 0 is next to nothing.
    pub overlooked: usize,
}

/// Bounds on how far a clock is ahead of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Not less.
    pub low_ms: i64,
    /// Not more.
    pub high_ms: i64,
}

impl Bounds {
    /// The middle.
    pub const fn middle_ms(self) -> i64 {
        self.low_ms.saturating_add(self.high_ms.saturating_sub(self.low_ms) / 2)
    }
}

impl Messages {
    /// Notes a message from one clock to another, when it was sent and when received.
    pub fn note(&mut self, (from, sent): Stamp, (to, received): Stamp) {
        if from != to {
            self.pairs.entry((from, to)).or_default().push(Message { sent, took_ms: received.millis_since(sent) });
        }
    }

    /// How many there are from or to each of so many clocks.
    pub fn counts(&self, clocks: usize) -> Vec<u64> {
        let mut counts = vec![0; clocks];
        for ((a, b), messages) in &self.pairs {
            for clock in [a, b] {
                if let Some(count) = counts.get_mut(*clock) {
                    *count += messages.len() as u64;
                }
            }
        }
        counts
    }

    /// The clock that most others exchange messages with; the first of equals.
    pub fn busiest(&self) -> Option<ClockId> {
        let mut partners: BTreeMap<ClockId, usize> = BTreeMap::new();
        for (a, b) in self.pairs.keys().filter(|(a, b)| self.pairs.contains_key(&(*b, *a))) {
            *partners.entry(*a).or_default() += 1;
            *partners.entry(*b).or_default() += 1;
        }
        partners.into_iter().max_by_key(|(clock, n)| (*n, std::cmp::Reverse(*clock))).map(|(clock, _)| clock)
    }

    /// Whether there are messages from and to this clock.
    pub fn has(&self, clock: ClockId) -> bool {
        self.pairs.keys().any(|(a, _)| *a == clock) && self.pairs.keys().any(|(_, b)| *b == clock)
    }

    /// Bounds of every clock that the messages tie to `root` from both sides. Clocks that were set on the way are found
    /// first, and their later messages moved to where their earlier clock would have them.
    /// `master`: all are told by its clock, be it right or wrong.
    pub fn solve(&mut self, root: ClockId, master: ClockId) -> (Solved, Vec<Step>) {
        let (mut best, mut found) = (self.bounds(root), Vec::new());
        // Not most of them: then it was one that all others are told by.
        while best.overlooked > 0 && 2 * (found.len() + 1) < clocks_of(self.pairs.keys()) {
            let Some(step) = steps::find(self, master) else { break };
            self.undo(step);
            let solved = self.bounds(root);
            if solved.overlooked >= best.overlooked {
                self.undo(step.back());
                break;
            }
            best = solved;
            found.push(step);
        }
        (best, found)
    }

    /// Moves what a clock told after it was set to what it would have told else.
    fn undo(&mut self, step: Step) {
        let after_ms = |at: Timestamp| if at >= step.at { step.by_ms } else { 0 };
        for ((from, to), messages) in &mut self.pairs {
            for message in messages {
                if *from == step.clock {
                    let by_ms = after_ms(message.sent);
                    *message = Message {
                        sent: message.sent.plus_millis(-by_ms),
                        took_ms: message.took_ms.saturating_add(by_ms),
                    };
                } else if *to == step.clock {
                    message.took_ms = message.took_ms.saturating_sub(after_ms(message.received()));
                }
            }
        }
    }

    fn bounds(&self, root: ClockId) -> Solved {
        let sorted = |(pair, messages): (&(ClockId, ClockId), &Vec<Message>)| {
            let mut took: Vec<i64> = messages.iter().map(|message| message.took_ms).collect();
            took.sort_unstable();
            (*pair, took)
        };
        let took: Vec<((ClockId, ClockId), Vec<i64>)> = self.pairs.iter().map(sorted).collect();
        let tries = LEFT_OUT.iter().map(|percent| (*percent, 0));
        let slacks = std::iter::successors(Some(1), |ms| Some(ms * 2)).take_while(|ms| *ms <= SLACK_MAX_MS);
        let slacks = slacks.map(|ms| (LEFT_OUT.last().copied().unwrap_or_default(), ms));
        let found = tries.chain(slacks).enumerate().find_map(|(overlooked, (percent, slack_ms))| {
            let bounds = bounds_with(&took, root, percent, slack_ms)?;
            // Which side's messages were late is not known: it may have been those of one.
            let bounds = match slack_ms {
                0 => bounds,
                _ => bounds_with(&took, root, percent, SLACK_FACTOR * slack_ms)?,
            };
            Some(Solved { bounds, overlooked })
        });
        found.unwrap_or(Solved { overlooked: usize::MAX, ..Solved::default() })
    }
}

/// The bounds without the fastest percent, all messages given some time; `None` where
/// they contradict one another.
fn bounds_with(
    took: &[((ClockId, ClockId), Vec<i64>)],
    root: ClockId,
    percent: usize,
    slack_ms: i64,
) -> Option<BTreeMap<ClockId, Bounds>> {
    let fastest = |took: &Vec<i64>| took.get(took.len().saturating_sub(1) * percent / 100).copied();
    let edges: BTreeMap<(ClockId, ClockId), i64> =
        took.iter().filter_map(|(pair, took)| Some((*pair, fastest(took)?.saturating_add(slack_ms)))).gathered();
    let back = edges.iter().map(|((a, b), ms)| ((*b, *a), *ms)).gathered();
    let (high, low) = (shortest(&edges, root)?, shortest(&back, root)?);
    let both = |(clock, high_ms): (&ClockId, &i64)| {
        Some((*clock, Bounds { low_ms: low.get(clock)?.saturating_neg(), high_ms: *high_ms }))
    };
    Some(high.iter().filter_map(both).gathered())
}

/// How many clocks there are in these pairs.
fn clocks_of<'p>(pairs: impl Iterator<Item = &'p (ClockId, ClockId)>) -> usize {
    pairs.flat_map(|(a, b)| [a, b]).gathered::<BTreeSet<&ClockId>>().len()
}

/// The least sum of edges from `root` to each clock (Bellman and Ford); `None` if a circle
/// of edges has a sum below 0, as messages that contradict one another do, or a way is longer than [`EDGES_MAX`].
fn shortest(edges: &BTreeMap<(ClockId, ClockId), i64>, root: ClockId) -> Option<BTreeMap<ClockId, i64>> {
    let mut sums = BTreeMap::from([(root, 0_i64)]);
    for _ in 0..=clocks_of(edges.keys()).min(EDGES_MAX) {
        let mut changed = false;
        for ((a, b), ms) in edges {
            let Some(sum) = sums.get(a).map(|sum| sum.saturating_add(*ms)) else { continue };
            let best = sums.entry(*b).or_insert(i64::MAX);
            if sum < *best {
                *best = sum;
                changed = true;
            }
        }
        if !changed {
            return Some(sums);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    /// A message that took so long.
    fn note(messages: &mut Messages, from: ClockId, to: ClockId, took_ms: i64) {
        messages.pairs.entry((from, to)).or_default().push(Message { sent: Timestamp::default(), took_ms });
    }

    /// Clocks ahead by `skews`, messages of 1 to 50 ms both ways between neighbours.
    fn chain(skews: &[i64], each: usize, wrong: usize) -> Messages {
        let mut random = Pcg64Mcg::seed_from_u64(7);
        let mut messages = Messages::default();
        for a in 0..skews.len() - 1 {
            for i in 0..each {
                let way = |random: &mut Pcg64Mcg| random.random_range(1..50_i64);
                let apart = skews[a + 1] - skews[a];
                let lie = if i < wrong { 10_000_000 } else { 0 };
                note(&mut messages, a, a + 1, apart + way(&mut random) - lie);
                note(&mut messages, a + 1, a, -apart + way(&mut random));
            }
        }
        messages
    }

    #[test]
    fn skews_are_recovered_along_a_chain() {
        let skews = [0, -500_000, 977, -977_123, 0, 3];
        let bounds = chain(&skews, 40, 0).bounds(0).bounds;
        for (clock, skew) in skews.iter().enumerate() {
            let b = bounds[&clock];
            assert!((b.middle_ms() - skew).abs() <= 25 && b.high_ms - b.low_ms < 120, "{clock}: {b:?} for {skew}");
        }
        // What is left out is the fastest percent: the truth may lie outside by that little.
        assert!(skews.iter().enumerate().all(|(c, s)| bounds[&c].low_ms - 5 <= *s && *s <= bounds[&c].high_ms + 5));
    }

    #[test]
    fn one_way_bounds_nothing() {
        let mut messages = Messages::default();
        note(&mut messages, 0, 1, 5);
        note(&mut messages, 1, 2, 5);
        note(&mut messages, 2, 1, 5);
        let bounds = messages.bounds(0).bounds;
        assert_eq!(bounds.keys().copied().collect::<Vec<_>>(), [0]);
        assert!(!messages.has(0) && messages.has(1));
        assert_eq!(messages.busiest(), Some(1));
        assert_eq!(messages.counts(2), [1, 3], "of the first two clocks");
    }

    #[test]
    fn contradictions_are_left_out() {
        let skews = [0, 700, -700];
        let bounds = chain(&skews, 40, 3).bounds(0).bounds;
        for (clock, skew) in skews.iter().enumerate() {
            assert!((bounds[&clock].middle_ms() - skew).abs() < 40, "{clock}: {bounds:?}");
        }
    }

    #[test]
    fn late_lines_widen_the_bounds() {
        let mut messages = Messages::default();
        for took in [-90, -88, -86, 4] {
            note(&mut messages, 0, 1, took);
            note(&mut messages, 1, 0, 2);
        }
        let b = messages.bounds(0).bounds[&1];
        assert!(b.low_ms <= 0 && b.high_ms >= 0 && b.high_ms - b.low_ms < 400, "{b:?}");
    }

    #[test]
    fn farthest_times_saturate() {
        let mut messages = Messages::default();
        for took in [i64::MAX, i64::MIN] {
            note(&mut messages, 0, 1, took);
            note(&mut messages, 1, 0, i64::MAX);
            note(&mut messages, 1, 2, took);
        }
        messages.bounds(0);
        let far = Bounds { low_ms: i64::MIN, high_ms: i64::MAX };
        assert!(far.low_ms < far.middle_ms() && far.middle_ms() < far.high_ms);
        assert_eq!(Bounds { low_ms: -3, high_ms: 0 }.middle_ms(), -2);
    }

    #[test]
    fn no_message_no_bounds() {
        assert!(Messages::default().bounds(3).bounds.len() == 1);
        assert_eq!(Messages::default().busiest(), None);
    }
}
