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
/// Windows drawn at the most, of as many a line has a point a pixel; longer observations get longer steps, and windows that
/// are longer with them, so that every state is in some.
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
    /// T(i) over time: the states that end in a window, on the whole log's bins. For the view alone: a verdict from windows
    /// has too few states to trust, and since when a node is at fault its own states tell.
    pub(super) fn windows(&self, trace: &Trace, bins: &Bins, window_s: f64) -> Vec<PeerWindow> {
        let Some((first, last)) = trace.span else { return Vec::new() };
        let cost = bins_of_pairs(self.nodes.len(), bins.count()).max(1);
        let most = (WINDOWS_BUDGET / cost).clamp(MIN_WINDOWS, MAX_WINDOWS);
        let (length, step) = length_and_step(window_s, last.millis_since(first), most);
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

/// How long windows are and how far one begins behind the one before, in milliseconds, for so many windows at the most.
fn length_and_step(window_s: f64, span_ms: i64, most: usize) -> (i64, i64) {
    let asked = ((window_s * 1000.0) as i64).max(1);
    let step = ((asked as f64 * WINDOW_STEP) as i64).max(span_ms / most as i64).max(1);
    (asked.max((step as f64 / WINDOW_STEP) as i64), step)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::NodeId;
    use crate::diagnosis::Numbers;
    use crate::model::{Node, State, StateKind, States};

    const MINUTE: i64 = 60_000;

    #[test]
    fn windows_of_long_logs_are_longer_so_that_they_overlap() {
        let of = |minutes: i64| length_and_step(60.0, minutes * MINUTE, MAX_WINDOWS);
        assert_eq!([of(0), of(10), of(150)], [(MINUTE, MINUTE / 4); 3], "as long as was asked");
        assert_eq!(of(151), (60_400, 15_100));
        assert_eq!(of(30 * 24 * 60), (4 * 72 * MINUTE, 72 * MINUTE), "a month: from 72 minutes to 72 minutes");
        assert_eq!(length_and_step(1e-9, 0, MAX_WINDOWS), (4, 1));
        assert_eq!(length_and_step(f64::MAX, i64::MAX, 1).0, i64::MAX);
    }

    /// A fault of ten minutes in three days, between two windows' begins.
    #[test]
    fn no_state_lies_between_windows() {
        let rows = (0..3 * 24 * 60).flat_map(|minute| (0..4).map(move |node| (minute, node)));
        let state = |(minute, node): (i64, u32)| {
            let ms = if node == 2 && (1801..1811).contains(&minute) { 50_000 } else { 10_000 + minute % 7 * 100 };
            State::made(StateKind::Map, NodeId(node), (minute * MINUTE, minute * MINUTE + ms), minute as u64 * 4)
        };
        let states: Vec<State> = rows.map(state).collect();
        let trace = Trace {
            nodes: (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            span: Some((Timestamp::default(), Timestamp::from_millis(3 * 24 * 60 * MINUTE))),
            states: States::from_rows(states.clone()),
            ..Trace::default()
        };
        let comparer = Comparer::new(&trace, StateKind::Map, Numbers::default()).unwrap();
        let windows = comparer.windows(&trace, &comparer.bins().unwrap(), 60.0);
        assert!(windows.len() <= MAX_WINDOWS + 1, "{}", windows.len());
        let holding =
            |s: &State| windows.iter().filter(|w| w.interval.start <= s.end && s.end < w.interval.end).count();
        assert!(states.iter().all(|s| holding(s) >= 1), "each state is in some window");
        let shows = windows.iter().filter(|w| w.scores[2].is_some_and(|t| t > w.scores[0].unwrap() + 0.2));
        assert!(shows.count() >= 1, "the fault shows");
    }
}
