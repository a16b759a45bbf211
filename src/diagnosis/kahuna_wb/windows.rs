//! T(i) over time, in windows that overlap (K21).

use super::chance::bins_of_pairs;
use super::peers::Comparer;
use crate::base::{Interval, Timestamp};
use crate::diagnosis::{MIN_PEERS, Number};
use crate::model::Trace;
use crate::stats::histogram::Bins;
use crate::stats::majority::Distances;

/// Windows overlap: each begins this share of a window after the one before.
const WINDOW_STEP: f64 = 0.25;
/// Windows drawn at the most; longer observations get longer steps.
const MAX_WINDOWS: usize = 600;
/// Windows that any number of nodes gets.
const MIN_WINDOWS: usize = 60;
/// Bins of pairs of nodes compared in all windows at the most, about a second in a browser.
const WINDOWS_BUDGET: usize = 500_000_000;

/// T(i) of the states that end in one window.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerWindow {
    /// The window.
    pub interval: Interval,
    /// T(i) in the order of the comparison's nodes; `None` where there are too few states.
    pub scores: Vec<Option<f64>>,
}

impl Comparer {
    /// T(i) over time: the states that end in a window, on the whole log's bins. For
    /// "since when" and the view; a verdict from windows has too few states to trust.
    pub(super) fn windows(&self, trace: &Trace, bins: &Bins, window_s: f64) -> Vec<PeerWindow> {
        let Some((first, last)) = trace.span else { return Vec::new() };
        let length = ((window_s * 1000.0) as i64).max(1);
        let cost = bins_of_pairs(self.nodes.len(), bins.count()).max(1);
        let most = (WINDOWS_BUDGET / cost).clamp(MIN_WINDOWS, MAX_WINDOWS);
        let step = ((length as f64 * WINDOW_STEP) as i64).max(last.millis_since(first) / most as i64).max(1);
        let mut by_end: Vec<(Timestamp, usize, usize)> =
            self.samples.iter().map(|s| (s.end, s.node, bins.bin(s.x))).collect();
        by_end.sort_unstable();
        let mut windows = Vec::new();
        let mut start = first;
        while start < last {
            let interval = Interval::new(start, start.plus_millis(length));
            let from = by_end.partition_point(|(end, ..)| *end < interval.start);
            let to = by_end.partition_point(|(end, ..)| *end < interval.end);
            let mut counts = vec![vec![0_u32; bins.count()]; self.nodes.len()];
            for (_, node, bin) in by_end.get(from..to).unwrap_or_default() {
                if let Some(count) = counts.get_mut(*node).and_then(|c| c.get_mut(*bin)) {
                    *count += 1;
                }
            }
            windows.push(PeerWindow { interval, scores: window_scores(&counts, self.numbers.count(Number::WbStates)) });
            start = start.plus_millis(step);
        }
        windows
    }
}

/// T(i) among the nodes with enough states; `None` for the others, and for all if too
/// few are left.
fn window_scores(counts: &[Vec<u32>], least: usize) -> Vec<Option<f64>> {
    let enough = |c: &&Vec<u32>| c.iter().sum::<u32>() as usize >= least;
    let judged: Vec<Vec<u32>> = counts.iter().filter(enough).cloned().collect();
    if judged.len() < MIN_PEERS {
        return vec![None; counts.len()];
    }
    let mut scores = Distances::of_histograms(&judged).majority_scores().into_iter();
    counts.iter().map(|c| if enough(&c) { scores.next() } else { None }).collect()
}
