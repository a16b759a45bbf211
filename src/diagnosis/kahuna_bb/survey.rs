//! What there is to compare: which slaves were measured, when, how often, in which
//! metrics.

use crate::base::{NodeId, Timestamp};
use crate::model::{Metric, OfMetrics, Trace};

/// A metric counts as measured on a node if so many of its samples have it.
const MEASURED_SHARE: f64 = 0.5;
/// Distances of samples from which the usual one is taken, of each node.
const GAPS: usize = 512;
/// Cells of the grid of nodes and steps at the most, nine bytes each: two days of seconds on
/// a hundred nodes. A longer observation gets longer steps.
const MAX_CELLS: i64 = 16 << 20;
/// Steps a sample at the most: one wrong date among the samples stretches no grid to years.
const STEPS_A_SAMPLE: i64 = 64;

/// Samples in a window at the least: fewer are no share of time.
const MIN_IN_WINDOW: f64 = 5.0;

/// The grid that samples are put on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Survey {
    /// Slaves with samples, in order.
    pub(super) nodes: Vec<NodeId>,
    /// Time of the first sample.
    pub(super) start: Timestamp,
    /// Length of a step: the usual distance of two samples, or more in a long observation.
    pub(super) period_ms: i64,
    /// The usual distance of two samples, which a step may be longer than; of one alone, none is near.
    usual_ms: i64,
    /// Steps to the last sample.
    pub(super) steps: usize,
    /// Which metrics all of these nodes have.
    pub(super) measured: OfMetrics<bool>,
}

/// Looks through the slaves' samples once. `None` if there is none.
pub(super) fn survey(trace: &Trace) -> Option<Survey> {
    let mut nodes = Vec::new();
    let mut span: Option<(Timestamp, Timestamp)> = None;
    let mut gaps = Vec::new();
    let mut measured = [true; Metric::ALL.len()];
    let mut samples = 0_i64;
    for node in trace.peer_nodes() {
        let mut count = 0.0;
        let mut known = OfMetrics::<f64>::default();
        let mut before: Option<Timestamp> = None;
        let mut room = GAPS;
        for sample in trace.samples.of_node(node) {
            count += 1.0;
            for (known, value) in known.iter_mut().zip(sample.values) {
                *known += f64::from(u8::from(!value.is_nan()));
            }
            if let Some(before) = before.filter(|_| room > 0) {
                gaps.push(sample.at.millis_since(before));
                room -= 1;
            }
            before = Some(sample.at);
            let (first, last) = span.unwrap_or((sample.at, sample.at));
            span = Some((first.min(sample.at), last.max(sample.at)));
        }
        if count > 0.0 {
            samples = samples.max(count as i64);
            nodes.push(node);
            for (measured, known) in measured.iter_mut().zip(known) {
                *measured &= known >= MEASURED_SHARE * count;
            }
        }
    }
    let (start, end) = span?;
    gaps.sort_unstable();
    let usual = gaps.get(gaps.len() / 2).map(|ms| (*ms).max(1));
    let most_steps = (MAX_CELLS / nodes.len().max(1) as i64).min(STEPS_A_SAMPLE * samples).max(1);
    let period_ms = usual.unwrap_or(1).max(end.millis_since(start) / most_steps + 1);
    // Below `most_steps` by the line above.
    let steps = (end.millis_since(start) / period_ms) as usize + 1;
    Some(Survey { nodes, start, period_ms, usual_ms: usual.unwrap_or(i64::MAX), steps, measured })
}

impl Survey {
    /// So many seconds in steps.
    pub(super) fn steps_in(&self, seconds: f64) -> f64 {
        seconds * 1000.0 / self.period_ms as f64
    }

    /// So many seconds in usual samples of a node.
    pub(super) fn samples_in(&self, seconds: f64) -> f64 {
        seconds * 1000.0 / self.usual_ms as f64
    }

    /// Steps of a window of so many seconds; `None` where samples are too far apart to fill one.
    pub(super) fn window(&self, seconds: f64) -> Option<usize> {
        let least = MIN_IN_WINDOW.min(seconds);
        let are_enough = self.samples_in(seconds) >= least;
        are_enough.then(|| self.steps_in(seconds).round().max(least) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_is_as_long_however_often_samples_are_taken() {
        let every = |usual_ms: i64, period_ms: i64| Survey {
            nodes: Vec::new(),
            start: Timestamp::default(),
            period_ms,
            usual_ms,
            steps: 1000,
            measured: [true; Metric::ALL.len()],
        };
        let of = |usual_ms, period_ms| every(usual_ms, period_ms).window(60.0);
        assert_eq!([1000, 2000, 5000, 10_000, 12_000].map(|ms| of(ms, ms)), [60, 30, 12, 6, 5].map(Some));
        assert_eq!([15_000, 60_000, 600_000].map(|ms| of(ms, ms)), [None; 3]);
        assert_eq!(of(1000, 40_000), Some(5), "a long observation");
        assert_eq!(every(1000, 1000).window(3.0), Some(3));
        assert_eq!(every(60_000, 60_000).window(600.0), Some(10));
    }
}
