//! When something began: where the run of large values begins that stands out most.
//!
//! ```text
//! excess   −  +  −  −  −  +  +  −  +  +        one large value long before is chance
//!                         ^ onset
//! ```
//! The stretch with the greatest sum of excess over a limit, as Page's CUSUM finds it (Biometrika 1954): each value
//! counts up to 1 either way, so that no single one decides. Cost: O(values).

/// The first index of that stretch; `None` where nothing is above the limit. Of equal stretches the first.
#[must_use]
pub fn onset(excess: impl Iterator<Item = f64>) -> Option<usize> {
    let (mut best, mut found) = (0.0, None);
    let (mut sum, mut begin) = (0.0, 0);
    for (at, value) in excess.enumerate() {
        if sum <= 0.0 {
            (sum, begin) = (0.0, at);
        }
        sum += value.clamp(-1.0, 1.0);
        if sum > best {
            (best, found) = (sum, Some(begin));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::onset;

    fn of(excess: &[f64]) -> Option<usize> {
        onset(excess.iter().copied())
    }

    #[test]
    fn one_large_value_long_before_is_no_onset() {
        assert_eq!(of(&[-0.5, 9.0, -0.5, -0.5, -0.5, 0.8, 0.9, -0.2, 0.7, 0.9]), Some(5));
    }

    #[test]
    fn what_is_large_from_the_first_on_began_there() {
        assert_eq!(of(&[0.5, -0.1, 0.5]), Some(0));
        assert_eq!(of(&[2.0]), Some(0));
    }

    #[test]
    fn nothing_large_has_no_onset() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[-1.0, 0.0, f64::NAN.min(-1.0)]), None);
    }
}
