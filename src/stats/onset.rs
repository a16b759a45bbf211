//! When something began, and whether it passed: the run of large values that stands out most.
//!
//! ```text
//! excess   −  +  −  −  −  +  +  −  +  +  −  −  −  −  −        one large value long before is chance
//!                         ^ first     ^ last                  and so many small ones behind it are none
//! ```
//! The stretch with the greatest sum of excess over a limit, as Page's CUSUM finds it (Biometrika 1954): each value
//! counts up to 1 either way, so that no single one decides. Cost: O(values).

use crate::base::math::ln;

/// Fewer values behind a run tell nothing: what is a little large throughout has so many small ones in a row by chance
/// (of a normal distribution 0.5 wide about 0.47, which is × 1.6, the mean of eight is as small as this in 2 of 100).
const BEHIND: usize = 8;
/// And they are times as large as usual at the most.
const USUAL: f64 = 1.1;

/// A stretch of large values, by the indices of its first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl Run {
    /// The one in these values; `None` where nothing is above the limit. Of equal stretches the first.
    #[must_use]
    pub fn of(excess: impl Iterator<Item = f64>) -> Option<Self> {
        Self::with_sum(excess).0
    }

    /// What the one in these values adds up to; 0 where nothing is above the limit.
    #[must_use]
    pub fn sum_in(excess: impl Iterator<Item = f64>) -> f64 {
        Self::with_sum(excess).1
    }

    fn with_sum(excess: impl Iterator<Item = f64>) -> (Option<Self>, f64) {
        let (mut best, mut found) = (0.0, None);
        let (mut sum, mut first) = (0.0, 0);
        for (at, value) in excess.enumerate() {
            if sum <= 0.0 {
                (sum, first) = (0.0, at);
            }
            sum += value.clamp(-1.0, 1.0);
            if sum > best {
                (best, found) = (sum, Some(Self { first, last: at }));
            }
        }
        (found, best)
    }
}

/// Whether a run is over, by what came behind it: it is as usual. Values are logarithms of how many times as large they are.
#[must_use]
pub fn is_usual_again(behind: impl Iterator<Item = f64>) -> bool {
    let (sum, count) = behind.fold((0.0, 0_usize), |(sum, count), value| (sum + value, count + 1));
    count >= BEHIND && sum <= count as f64 * ln(USUAL)
}

#[cfg(test)]
mod tests {
    use super::{Run, is_usual_again};

    fn of(excess: &[f64]) -> Option<(usize, usize)> {
        Run::of(excess.iter().copied()).map(|run| (run.first, run.last))
    }

    #[test]
    fn one_large_value_long_before_is_no_onset() {
        assert_eq!(of(&[-0.5, 9.0, -0.5, -0.5, -0.5, 0.8, 0.9, -0.2, 0.7, 0.9]), Some((5, 9)));
    }

    #[test]
    fn what_is_large_from_the_first_on_began_there() {
        assert_eq!(of(&[0.5, -0.1, 0.5]), Some((0, 2)));
        assert_eq!(of(&[2.0]), Some((0, 0)));
        assert_eq!([&[0.5, -0.25, 0.5][..], &[2.0], &[-1.0]].map(|x| Run::sum_in(x.iter().copied())), [0.75, 1.0, 0.0]);
    }

    #[test]
    fn nothing_large_has_no_onset() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[-1.0, 0.0, f64::NAN.min(-1.0)]), None);
    }

    #[test]
    fn it_is_over_when_enough_was_as_usual() {
        let then = |behind: &[f64]| is_usual_again(behind.iter().copied());
        assert!(then(&[0.0, 0.3, -0.3, 0.2, -0.1, 0.0, 0.1, -0.2]));
        assert!(!then(&[0.0; 7]), "too few");
        assert!(!then(&[0.2; 20]), "a fifth larger, if not by as much as before");
        assert!(!then(&[f64::NAN; 8]));
        assert!(!then(&[]));
    }
}
