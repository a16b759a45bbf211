//! Putting in order what is short or is ordered once, by machine code that is there once.
//!
//! std's sorts are compiled anew for each type and each comparison, five to eight kilobytes a time,
//! and so is what collects into a map or a set, which sorts first: all of them were a quarter of
//! the worker. Here one sort of places does it for all:
//!
//! ```text
//! rows      d b c a      what is compared
//! places    3 1 2 0      what is moved, then the rows once each
//! ```
//! A place is four bytes however long a row is, but each comparison looks the rows up. Where
//! millions of small rows are sorted on the way to the verdict, std's sorts stay.

use std::cmp::Ordering;

/// Sorts that are not compiled anew.
pub trait Arrange<T> {
    /// Sorts by a comparison; what is equal stays as it was.
    fn arrange(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key; what is equal stays as it was.
    fn arrange_by<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.arrange(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> Arrange<T> for [T] {
    fn arrange(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let swaps = swaps_into_order(self.len(), &mut |a, b| match (self.get(a), self.get(b)) {
            (Some(a), Some(b)) => compare(a, b),
            _ => Ordering::Equal,
        });
        for (a, b) in swaps {
            self.swap(a as usize, b as usize);
        }
    }
}

/// Collecting that is not compiled anew.
pub trait Gathered: Iterator + Sized {
    /// As `collect`, one by one: into a map or a set that would sort what it is given first.
    fn gathered<C: Default + Extend<Self::Item>>(self) -> C {
        let mut all = C::default();
        all.extend(self);
        all
    }
}

impl<I: Iterator> Gathered for I {}

/// What is to change places, one after another, so that so many rows are in order; more than 4 billion stay as they
/// are.
fn swaps_into_order(rows: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<(u32, u32)> {
    let mut from: Vec<u32> = (0..u32::try_from(rows).unwrap_or(0)).collect();
    from.sort_by(|a, b| compare(*a as usize, *b as usize));
    let mut swaps = Vec::new();
    for first in 0..from.len() as u32 {
        // Round the circle of those that take each other's places; what is done takes its own.
        let mut place = first;
        while let Some(slot) = from.get_mut(place as usize) {
            let other = std::mem::replace(slot, place);
            if other == first {
                break;
            }
            swaps.push((place, other));
            place = other;
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    #[test]
    fn later_values_of_a_key_stay() {
        let map: BTreeMap<u8, char> = [(2, 'a'), (1, 'b'), (2, 'c')].into_iter().gathered();
        assert_eq!(map, BTreeMap::from([(1, 'b'), (2, 'c')]));
        assert_eq!([2, 1, 2].into_iter().gathered::<BTreeSet<u8>>(), BTreeSet::from([1, 2]));
    }

    proptest! {
        #[test]
        fn rows_stand_as_std_would_have_them(rows in prop::collection::vec((0_u8..9, any::<u8>()), 0..80)) {
            let (mut ours, mut stds) = (rows.clone(), rows);
            ours.arrange_by(|row| row.0);
            stds.sort_by_key(|row| row.0);
            prop_assert_eq!(&ours, &stds);
            ours.arrange(|a, b| b.cmp(a));
            stds.sort_by(|a, b| b.cmp(a));
            prop_assert_eq!(&ours, &stds);
        }
    }
}
