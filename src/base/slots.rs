//! Slots side by side in which intervals lie without overlap, each in the first that is free.
//!
//! ```text
//! slot 0  ├─────────┤  ├──┤
//! slot 1     ├──┤├───────┤        what ends as another begins does not overlap it
//! ```
//! Cost: O(log slots) an interval.

use super::Timestamp;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Slots, as many as the intervals so far have needed.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Those taken, with their ends, the first to end first.
    taken: BinaryHeap<Reverse<(Timestamp, usize)>>,
    /// The others, the first first.
    free: BinaryHeap<Reverse<usize>>,
}

impl Slots {
    /// The slot of the next interval, in order of begin.
    pub fn take(&mut self, begin: Timestamp, end: Timestamp) -> usize {
        while let Some(Reverse((_, slot))) = self.taken.peek().filter(|Reverse((end, _))| *end <= begin).copied() {
            self.taken.pop();
            self.free.push(Reverse(slot));
        }
        let slot = self.free.pop().map_or(self.taken.len(), |Reverse(slot)| slot);
        self.taken.push(Reverse((end, slot)));
        slot
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.taken.len() + self.free.len()
    }

    /// Whether nothing has needed one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn the_first_free_slot_is_taken() {
        let mut slots = Slots::default();
        assert!(slots.is_empty());
        let taken = [(0, 9), (1, 3), (2, 8), (3, 3), (3, 5), (8, 10), (9, 9)].map(|(a, b)| slots.take(at(a), at(b)));
        assert_eq!((taken, slots.len()), ([0, 1, 2, 1, 1, 1, 0], 3));
    }

    #[test]
    fn a_hundred_thousand_that_are_open_have_a_slot_each() {
        let mut slots = Slots::default();
        for i in 0..100_000 {
            assert_eq!(slots.take(at(i), at(i64::MAX)), i as usize);
        }
    }

    proptest! {
        #[test]
        fn slots_are_those_of_a_search_from_the_first(mut intervals in prop::collection::vec((0..50_i64, 0..20_i64), 0..80)) {
            intervals.sort_unstable();
            let (mut slots, mut ends) = (Slots::default(), Vec::<i64>::new());
            for (begin, length) in intervals {
                let found = ends.iter().position(|end| *end <= begin).unwrap_or(ends.len());
                ends.resize(ends.len().max(found + 1), 0);
                ends[found] = begin + length;
                prop_assert_eq!(slots.take(at(begin), at(begin + length)), found);
            }
            prop_assert_eq!(slots.len(), ends.len());
        }
    }
}
