//! How many records a file has in each stretch of time: what shows a gap inside a file.
//!
//! ```text
//! counts  ▇▇▇▅▁▁   ▃▇▇▇      at most 64 bins of 1, 2, 4, 8 … seconds, aligned to the epoch
//! ```
//! A bin begins at a multiple of its width, and widths double only when the times no
//! longer fit. So the bins depend on the set of times alone, not on their order.
//! Cost: O(1) a record, a doubling now and then; at most [`BINS`] counts.

use crate::base::Timestamp;
use serde::{Deserialize, Serialize};

/// Bins at most: a row of a map is about as wide in pixels as ten of them, and 5,000 files
/// of them are small.
pub const BINS: usize = 64;
/// The narrowest bin.
const FIRST_WIDTH_MS: i64 = 1000;

/// Records a bin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "StoredDensity")]
pub struct Density {
    /// Width of a bin in milliseconds: 1000 times a power of two.
    width_ms: i64,
    /// Number of the first bin: it begins at `first` · `width_ms`.
    first: i64,
    counts: Vec<u64>,
}

/// What a digest says of one.
#[derive(Deserialize)]
struct StoredDensity {
    width_ms: i64,
    first: i64,
    counts: Vec<u64>,
}

impl TryFrom<StoredDensity> for Density {
    type Error = &'static str;

    /// A digest may say what no log makes: bins without width, without number, or beyond all time.
    fn try_from(StoredDensity { width_ms, first, counts }: StoredDensity) -> Result<Self, Self::Error> {
        let (widths, rest) = (width_ms / FIRST_WIDTH_MS, width_ms % FIRST_WIDTH_MS);
        let is_width = rest == 0 && widths > 0 && widths.count_ones() == 1;
        let is_time = (i64::MIN / FIRST_WIDTH_MS - 1..=i64::MAX / FIRST_WIDTH_MS).contains(&first);
        let is_whole = is_width && is_time && counts.len() <= BINS;
        is_whole.then_some(Self { width_ms, first, counts }).ok_or("bins that no log has")
    }
}

impl Default for Density {
    fn default() -> Self {
        Self { width_ms: FIRST_WIDTH_MS, first: 0, counts: Vec::new() }
    }
}

impl Density {
    /// Counts a record.
    pub fn note(&mut self, at: Timestamp) {
        // Most records belong to the bin of the one before, and to divide takes longer than all the rest.
        let last_begins = self.first.saturating_add(self.counts.len() as i64 - 1).saturating_mul(self.width_ms);
        let into_last = at.millis().checked_sub(last_begins);
        if into_last.is_some_and(|ms| (0..self.width_ms).contains(&ms))
            && let Some(count) = self.counts.last_mut()
        {
            *count += 1;
            return;
        }
        let mut bin = at.millis().div_euclid(self.width_ms);
        if self.counts.is_empty() {
            self.first = bin;
        }
        loop {
            let low = self.first.min(bin);
            let high = bin.max(self.first.saturating_add(self.counts.len() as i64 - 1));
            if high.saturating_sub(low) < BINS as i64 {
                break;
            }
            self.double();
            bin = at.millis().div_euclid(self.width_ms);
        }
        if bin < self.first {
            let missing = usize::try_from(self.first - bin).unwrap_or_default();
            self.counts.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = bin;
        }
        let index = usize::try_from(bin - self.first).unwrap_or_default();
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(index) {
            *count += 1;
        }
    }

    /// Bins of twice the width.
    fn double(&mut self) {
        let first = self.first.div_euclid(2);
        let mut counts = vec![0_u64; self.counts.len() / 2 + 1];
        for (bin, count) in (self.first..).zip(&self.counts) {
            let slot = usize::try_from(bin.div_euclid(2) - first).ok().and_then(|i| counts.get_mut(i));
            if let Some(slot) = slot {
                *slot = slot.saturating_add(*count);
            }
        }
        if counts.last() == Some(&0) {
            counts.pop();
        }
        (self.first, self.counts) = (first, counts);
        self.width_ms = self.width_ms.saturating_mul(2);
    }

    /// Width of a bin in milliseconds.
    #[must_use]
    pub const fn width_ms(&self) -> i64 {
        self.width_ms
    }

    /// Whether no record was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Begin and count of each bin, in order; bins between two that count may be 0.
    pub fn bins(&self) -> impl Iterator<Item = (Timestamp, u64)> + '_ {
        let begin = |bin: i64| Timestamp::from_millis(bin.saturating_mul(self.width_ms));
        (self.first..).zip(&self.counts).map(move |(bin, count)| (begin(bin), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(seconds: &[i64]) -> Density {
        let mut density = Density::default();
        seconds.iter().for_each(|s| density.note(Timestamp::from_millis(s * 1000)));
        density
    }

    fn bins(density: &Density) -> Vec<(i64, u64)> {
        density.bins().map(|(at, count)| (at.millis() / 1000, count)).collect()
    }

    #[test]
    fn bins_widen_until_all_fits() {
        assert_eq!(bins(&of(&[10, 10, 12])), [(10, 2), (11, 0), (12, 1)]);
        assert_eq!(of(&[0, 63]).width_ms(), 1000);
        // From 0 to 64 there are 65 seconds: bins of two.
        let wide = of(&[0, 1, 64]);
        assert_eq!((wide.width_ms(), wide.bins().count()), (2000, 33));
        assert_eq!((bins(&wide)[0], bins(&wide)[32]), ((0, 2), (64, 1)));
    }

    #[test]
    fn earlier_record_takes_its_place() {
        assert_eq!(bins(&of(&[5, 3])), [(3, 1), (4, 0), (5, 1)]);
        assert_eq!(bins(&of(&[-2, 0])), [(-2, 1), (-1, 0), (0, 1)]);
    }

    #[test]
    fn farthest_times_are_held() {
        let mut density = of(&[0]);
        density.note(Timestamp::from_millis(i64::MAX));
        density.note(Timestamp::from_millis(i64::MIN));
        assert!(density.bins().count() <= BINS);
        assert_eq!(density.bins().map(|(_, n)| n).sum::<u64>(), 3);
    }

    #[test]
    fn bins_that_no_log_has_are_not_read() {
        let read = |width_ms: i64, first: i64, bins: usize| {
            let told = postcard::to_stdvec(&(width_ms, first, vec![1_u64; bins])).unwrap();
            postcard::from_bytes::<Density>(&told).ok()
        };
        let whole = of(&[10, 10, 12]);
        assert_eq!(postcard::from_bytes(&postcard::to_stdvec(&whole).unwrap()), Ok(whole));
        for (width_ms, first, bins) in [(1000, -5, 0), (1000, 7, BINS), (1000 << 53, -1, 2), (2000, i64::MIN / 1000, 1)]
        {
            let read = read(width_ms, first, bins);
            assert_eq!(read.map(|density| density.bins().count()), Some(bins), "{width_ms}, {first}, {bins}");
        }
        for (width_ms, first, bins) in [
            (0, 0, 1),
            (-1000, 0, 1),
            (i64::MIN, 0, 1),
            (1, 0, 1),
            (1500, 0, 1),
            (3000, 0, 1),
            (i64::MAX, 0, 1),
            (1000, 0, BINS + 1),
            (1000, i64::MAX, 2),
            (1000, i64::MIN, 2),
        ] {
            assert_eq!(read(width_ms, first, bins), None, "{width_ms}, {first}, {bins}");
        }
    }

    proptest! {
        #[test]
        fn order_does_not_matter(mut seconds in prop::collection::vec(-100_000_i64..100_000, 0..50)) {
            let as_given = of(&seconds);
            seconds.reverse();
            prop_assert_eq!(&as_given, &of(&seconds));
            seconds.sort_unstable();
            prop_assert_eq!(&as_given, &of(&seconds));
            prop_assert!(as_given.bins().count() <= BINS);
            prop_assert_eq!(as_given.bins().map(|(_, n)| n).sum::<u64>(), seconds.len() as u64);
        }
    }
}
