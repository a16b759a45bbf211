//! Times as steps: each as milliseconds after the one that was told before it. Small numbers are short in JSON and deflate
//! well.

/// Each time as what it is after the one told before it; the first since 1970.
pub(super) fn encode(times_ms: impl IntoIterator<Item = Option<i64>>) -> Vec<Option<i64>> {
    let mut last = 0_i64;
    let step = |ms: Option<i64>| {
        let (ms, before) = (ms?, last);
        last = ms;
        Some(ms.saturating_sub(before))
    };
    times_ms.into_iter().map(step).collect()
}

/// The times again; of steps from outside none is beyond what a number holds.
pub(super) fn decode(steps: &[Option<i64>]) -> Vec<Option<i64>> {
    let mut last = 0_i64;
    let time = |step: &Option<i64>| {
        last = last.saturating_add((*step)?);
        Some(last)
    };
    steps.iter().map(time).collect()
}

/// Of each place the time that was told last up to there; 0 before the first.
pub(super) fn told_last(times_ms: &[Option<i64>]) -> Vec<i64> {
    let mut last = 0;
    let told = |ms: &Option<i64>| {
        last = ms.unwrap_or(last);
        last
    };
    times_ms.iter().map(told).collect()
}

/// The begin of the step that a time, or any number, lies in; all steps are as long.
pub(super) const fn floor(value: i64, step: i64) -> i64 {
    value.div_euclid(step).saturating_mul(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_told_by_what_went_before() {
        let times = [None, Some(1_000), Some(900), None, Some(1_500)];
        assert_eq!(encode(times), [None, Some(1_000), Some(-100), None, Some(600)]);
        assert_eq!(told_last(&times), [0, 1_000, 900, 900, 1_500]);
        assert_eq!((floor(1_999, 100), floor(-1, 100)), (1_900, -100));
        assert_eq!(decode(&[Some(i64::MAX), Some(i64::MAX), Some(-1)]), [i64::MAX, i64::MAX, i64::MAX - 1].map(Some));
    }

    proptest! {
        #[test]
        fn times_come_back(times in prop::collection::vec(prop::option::of(-9_000_000_000_000_000_i64..9_000_000_000_000_000), 0..20)) {
            prop_assert_eq!(decode(&encode(times.clone())), times);
        }
    }
}
