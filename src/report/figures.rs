//! What figures are drawn from: a report draws them again without the logs. Here those of the peers; the attempts are
//! [`super::attempts`], the heatmap is [`super::heatmap`], the metrics are [`super::metrics`].
//!
//! The peers' are the same to the last decimal that is shown: distances and T are counted in millionths, durations in
//! milliseconds (the logs' own resolution). Of many durations those are kept that the figure draws as dots.

use super::attempts::{self, AttemptsFigure};
use super::heatmap::{self, HeatmapFigure, Named};
use super::metrics::{self, MetricsFigure};
use super::permuted::{by_name, permute};
use super::sealed::Sealed;
use crate::base::math::pairs;
use crate::base::{Arrange, Interval, NodeId, Timestamp};
use crate::diagnosis::Reading;
use crate::diagnosis::kahuna_wb::{NodeDurations, PAIRS_SHOWN, PeerComparison, PeerWindow};
use crate::diagnosis::{Comparison, Witness};
use crate::model::{StateKind, Trace};
use serde::{Deserialize, Serialize};

/// Ratios are counted in so many parts of one.
const RATIO_PARTS: f64 = 1e4;
/// Dots of a row of durations: as many as the figure draws.
pub const DOTS: usize = 60;
/// Scores in windows kept for one kind of state: beyond it (nodes times windows) a report
/// would be mostly these, and their figure says that they are left out.
const WINDOW_SCORES: usize = 12_000;
/// Nodes of a figure at most: rows of more would not be seen, and a hostile link names as
/// many as it likes.
const NODES: usize = 2_000;
/// No state lasts longer (30,000 years).
const LONGEST_S: f64 = 1e12;
/// Parts of 1 that distances and T are counted in: rounding these again to the three decimals
/// that are shown gives what the numbers themselves give.
const FINE: f64 = 1e6;

/// All figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// One a kind of state compared.
    #[serde(default)]
    pub peers: Vec<PeerFigure>,
    /// The attempts, where they are few.
    #[serde(default, skip_serializing_if = "Sealed::is_none")]
    pub attempts: Sealed<AttemptsFigure>,
    /// The heatmap, where they are many.
    #[serde(default, skip_serializing_if = "Sealed::is_none")]
    pub heatmap: Sealed<HeatmapFigure>,
    /// The metrics of the operating system, where they were measured.
    #[serde(default, skip_serializing_if = "Sealed::is_none")]
    pub metrics: Sealed<MetricsFigure>,
}

/// The peers in one kind of state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PeerFigure {
    /// The kind.
    pub kind: String,
    /// As [`PeerComparison::jobs`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// As [`PeerComparison::stretch`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<String>,
    /// Names of the nodes; the other fields follow their order.
    pub nodes: Vec<String>,
    /// Peers with too few states.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_few: Vec<String>,
    /// States of each node.
    pub counts: Vec<u64>,
    /// T of each node, millionths.
    pub scores: Vec<u32>,
    /// The threshold, likewise.
    pub threshold: u32,
    /// Times the peers' median, ten-thousandths.
    pub ratios: Vec<u32>,
    /// Chance of each T under no fault, millionths; -1: not worked out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chances: Vec<i32>,
    /// Whether the gap rule holds for each node.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<bool>,
    /// Median, lower and upper quartile in seconds, to the last bit: they may lie halfway
    /// between two milliseconds, where any rounding would show.
    pub quartiles_s: Vec<[f64; 3]>,
    /// Distances of the pairs (0,1), (0,2) … (1,2) …, millionths; none where there are more than [`PAIRS_SHOWN`].
    #[serde(default)]
    pub distances: Vec<u32>,
    /// Durations of each node, ascending, milliseconds: the first, the last, and evenly
    /// chosen ones between.
    #[serde(default)]
    pub durations_ms: Vec<Vec<u64>>,
    /// Begin and end of each window, epoch milliseconds.
    #[serde(default)]
    pub windows_ms: Vec<[i64; 2]>,
    /// T of each node in each window, one window after another; -1: too few states.
    #[serde(default)]
    pub window_scores: Vec<i32>,
}

/// The figures of an analysis.
#[must_use]
pub fn of(trace: &Trace, witnesses: &[Witness], reading: Reading, named: &Named) -> Figures {
    let durations = witnesses.iter().filter_map(|w| match w.comparison.as_ref()? {
        Comparison::Durations(c) => Some(c),
        _ => None,
    });
    let attempts = attempts::of(trace);
    let heatmap = if attempts.is_none() { heatmap::of(trace, reading, named) } else { None };
    Figures {
        peers: durations.filter_map(|c| peer_figure(trace, c)).collect(),
        attempts: Sealed::of(attempts.as_ref()),
        heatmap: Sealed::of(heatmap.as_ref()),
        metrics: Sealed::of(metrics::of(trace, witnesses, &named.nodes).as_ref()),
    }
}

/// A score in the millionths that reports carry.
#[must_use]
pub fn fine(x: f64) -> u32 {
    (x * FINE).round().clamp(0.0, f64::from(u32::MAX)) as u32
}

/// The same, or -1 for what is not known.
fn fine_or_unknown(x: Option<f64>) -> i32 {
    x.map_or(-1, |x| i32::try_from(fine(x)).unwrap_or(i32::MAX))
}

fn ms(seconds: f64) -> u64 {
    (seconds * 1000.0).round().max(0.0) as u64
}

/// A ratio as reports carry it.
#[must_use]
pub fn carried_ratio(ratio: f64) -> f64 {
    f64::from(ratio_parts(ratio)) / RATIO_PARTS
}

fn ratio_parts(ratio: f64) -> u32 {
    (ratio * RATIO_PARTS).round().clamp(0.0, 4e9) as u32
}

fn peer_figure(trace: &Trace, c: &PeerComparison) -> Option<PeerFigure> {
    let name = |id: NodeId| trace.node_name(id).to_owned();
    let (n, nodes) = (c.nodes.len(), c.nodes.iter());
    let distances = c.distances.iter().enumerate().flat_map(|(i, row)| row.iter().skip(i + 1).map(|d| fine(*d)));
    let windows = if n.saturating_mul(c.windows.len()) <= WINDOW_SCORES { c.windows.as_slice() } else { &[] };
    Some(PeerFigure {
        kind: c.kind?.name().to_owned(),
        jobs: c.jobs.clone(),
        stretch: c.stretch.clone(),
        nodes: nodes.clone().map(|own| name(own.node)).collect(),
        too_few: c.too_few.iter().map(|id| name(*id)).collect(),
        counts: nodes.clone().map(|own| own.count as u64).collect(),
        scores: nodes.clone().map(|own| fine(own.score)).collect(),
        threshold: fine(c.threshold),
        ratios: nodes.clone().map(|own| ratio_parts(own.ratio)).collect(),
        chances: nodes.clone().map(|own| fine_or_unknown(own.p)).collect(),
        gaps: nodes.clone().map(|own| own.gap).collect(),
        quartiles_s: nodes.clone().map(|own| own.quartiles_s).collect(),
        distances: distances.collect(),
        durations_ms: nodes.map(|own| dots(&own.durations_s).map(ms).collect()).collect(),
        windows_ms: windows.iter().map(|w| [w.interval.start.millis(), w.interval.end.millis()]).collect(),
        window_scores: windows.iter().flat_map(|w| w.scores.iter().map(|s| fine_or_unknown(*s))).collect(),
    })
}

/// The durations that are drawn: at most [`DOTS`], evenly chosen, ends included.
pub fn dots(durations: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let dots = DOTS.min(durations.len());
    let last = durations.len().saturating_sub(1);
    (0..dots).filter_map(move |i| durations.get(i * last / dots.saturating_sub(1).max(1)).copied())
}

impl PeerFigure {
    /// Three decimals of each distance: as many as are shown.
    pub(super) fn round_distances(&mut self) {
        const STEP: u32 = (FINE / 1e3) as u32;
        self.distances.iter_mut().for_each(|d| *d = d.saturating_add(STEP / 2) / STEP * STEP);
    }

    /// The comparison again, its nodes numbered in the figure's own order. A figure that does
    /// not fit together (it comes from outside) gives `None`.
    #[must_use]
    pub fn comparison(&self) -> Option<PeerComparison> {
        let n = self.nodes.len();
        let kind = StateKind::ALL.into_iter().find(|kind| kind.name() == self.kind)?;
        let lengths = [self.counts.len(), self.scores.len(), self.ratios.len(), self.quartiles_s.len()];
        let fits = n > 0
            && n <= NODES
            && lengths.iter().all(|length| *length == n)
            && (self.distances.is_empty() || (self.distances.len() == pairs(n) && pairs(n) <= PAIRS_SHOWN))
            && (self.chances.is_empty() || self.chances.len() == n)
            && (self.gaps.is_empty() || self.gaps.len() == n)
            && (self.durations_ms.is_empty() || self.durations_ms.len() == n)
            && self.quartiles_s.iter().flatten().all(|s| (0.0..LONGEST_S).contains(s))
            && self.durations_ms.iter().all(|d| d.len() <= DOTS)
            && self.windows_ms.iter().all(|[start, end]| start <= end)
            && self.window_scores.len() == self.windows_ms.len() * n;
        if !fits {
            return None;
        }
        let whole = |t: &u32| f64::from(*t) / FINE;
        let seconds = |ms: u64| ms as f64 / 1000.0;
        let window = |([start, end], scores): (&[i64; 2], &[i32])| PeerWindow {
            interval: Interval { start: Timestamp::from_millis(*start), end: Timestamp::from_millis(*end) },
            scores: scores.iter().map(|s| u32::try_from(*s).ok().map(|s| whole(&s))).collect(),
        };
        let node = |i: usize| {
            let score = self.scores.get(i)?;
            let durations_ms = self.durations_ms.get(i).map(Vec::as_slice).unwrap_or_default();
            Some(NodeDurations {
                node: NodeId(u32::try_from(i).ok()?),
                count: usize::try_from(*self.counts.get(i)?).unwrap_or(usize::MAX),
                score: whole(score),
                p: self.chances.get(i).and_then(|p| u32::try_from(*p).ok()).map(|p| whole(&p)),
                ratio: f64::from(*self.ratios.get(i)?) / RATIO_PARTS,
                gap: self.gaps.get(i) == Some(&true),
                quartiles_s: *self.quartiles_s.get(i)?,
                durations_s: durations_ms.iter().map(|ms| seconds(*ms)).collect(),
                ..NodeDurations::default()
            })
        };
        Some(PeerComparison {
            kind: Some(kind),
            jobs: self.jobs.clone(),
            stretch: self.stretch.clone(),
            nodes: (0..n).filter_map(node).collect(),
            too_few: Vec::new(),
            distances: self.matrix(n),
            threshold: whole(&self.threshold),
            leaves_open: false,
            windows: self.windows_ms.iter().zip(self.window_scores.chunks(n)).map(window).collect(),
        })
    }

    /// Puts the nodes into the order of their names.
    pub(super) fn sort_by_name(&mut self) {
        let order = by_name(&self.nodes);
        let n = order.len();
        if n <= NODES && self.distances.len() == pairs(n) {
            let square = self.square(n);
            let at = |i: &usize, j: &usize| square.get(*i).and_then(|row| row.get(*j)).copied();
            let of =
                |(i, row): (usize, &usize)| order.iter().skip(i + 1).filter_map(|column| at(row, column)).collect();
            self.distances = order.iter().enumerate().flat_map(|(i, row)| -> Vec<u32> { of((i, row)) }).collect();
        }
        for list in [&mut self.scores, &mut self.ratios] {
            permute(list, &order);
        }
        permute(&mut self.counts, &order);
        permute(&mut self.chances, &order);
        permute(&mut self.gaps, &order);
        permute(&mut self.quartiles_s, &order);
        permute(&mut self.durations_ms, &order);
        let windows = self.window_scores.chunks(n.max(1)).flat_map(|scores| {
            let mut scores = scores.to_vec();
            permute(&mut scores, &order);
            scores
        });
        self.window_scores = windows.collect();
        permute(&mut self.nodes, &order);
        self.too_few.arrange(Ord::cmp);
    }

    fn matrix(&self, n: usize) -> Vec<Vec<f64>> {
        let whole = |row: Vec<u32>| row.into_iter().map(|d| f64::from(d) / FINE).collect();
        self.square(n).into_iter().map(whole).collect()
    }

    /// The distances of each node to each; none where there are none.
    fn square(&self, n: usize) -> Vec<Vec<u32>> {
        if self.distances.is_empty() {
            return Vec::new();
        }
        let mut square = vec![vec![0; n]; n];
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
        for ((i, j), d) in pairs.zip(&self.distances) {
            for (a, b) in [(i, j), (j, i)] {
                if let Some(cell) = square.get_mut(a).and_then(|row| row.get_mut(b)) {
                    *cell = *d;
                }
            }
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_gives_the_comparison_back() {
        let figure = PeerFigure {
            kind: "Map".into(),
            jobs: vec!["job_1_0007".into()],
            stretch: Some("last quarter".into()),
            nodes: ["a", "b", "c"].map(String::from).to_vec(),
            counts: vec![2, 3, 4],
            scores: vec![100_000, 999_900, 0],
            threshold: 432_100,
            ratios: vec![10_000, 25_000, 9_900],
            quartiles_s: vec![[1.5, 1.0, 2.0]; 3],
            distances: vec![100, 200, 300],
            durations_ms: vec![vec![5], vec![6, 7], vec![]],
            windows_ms: vec![[0, 60_000], [15_000, 75_000]],
            window_scores: vec![-1, 500_000, 100, 2, 3, -1],
            ..PeerFigure::default()
        };
        let c = figure.comparison().unwrap();
        assert_eq!((c.kind, c.jobs, c.stretch), (Some(StateKind::Map), figure.jobs.clone(), figure.stretch.clone()));
        assert_eq!((c.nodes[1].score, c.threshold, c.nodes[1].ratio), (0.9999, 0.4321, 2.5));
        assert_eq!(
            (c.distances[0][2], c.distances[2][0], c.distances[1][2], c.distances[1][1]),
            (2e-4, 2e-4, 3e-4, 0.0)
        );
        assert_eq!((c.nodes[0].quartiles_s, c.nodes[1].durations_s[1]), ([1.5, 1.0, 2.0], 0.007));
        assert_eq!((c.windows[0].scores.clone(), c.windows.len()), (vec![None, Some(0.5), Some(1e-4)], 2));
        let of_many = |n: usize| PeerFigure {
            nodes: vec![String::new(); n],
            counts: vec![2; n],
            scores: vec![0; n],
            ratios: vec![10_000; n],
            quartiles_s: vec![[1.0; 3]; n],
            distances: vec![0; pairs(n)],
            kind: "Map".into(),
            ..PeerFigure::default()
        };
        assert_eq!(of_many(500).comparison().map(|c| c.distances.len()), Some(500));
        for lie in [
            PeerFigure { scores: vec![1], ..figure.clone() },
            PeerFigure { chances: vec![1], ..figure.clone() },
            PeerFigure { gaps: vec![true], ..figure.clone() },
            PeerFigure { distances: vec![1], ..figure.clone() },
            of_many(501),
            PeerFigure { window_scores: vec![1], ..figure.clone() },
            PeerFigure { kind: "Nap".into(), ..figure.clone() },
            PeerFigure { quartiles_s: vec![[-1.0, 0.0, 0.0]; 3], ..figure.clone() },
            PeerFigure { windows_ms: vec![[1, 0], [0, 1]], ..figure.clone() },
            PeerFigure::default(),
        ] {
            assert_eq!(lie.comparison(), None);
        }
    }

    #[test]
    fn all_lists_follow_the_names() {
        let figure = |nodes: [&str; 3]| PeerFigure {
            kind: "Map".into(),
            nodes: nodes.map(String::from).to_vec(),
            counts: vec![2, 3, 4],
            scores: vec![20, 30, 40],
            ratios: vec![200, 300, 400],
            quartiles_s: vec![[2.0; 3], [3.0; 3], [4.0; 3]],
            distances: vec![23, 24, 34],
            windows_ms: vec![[0, 1], [1, 2]],
            window_scores: vec![2, 3, 4, 20, 30, 40],
            ..PeerFigure::default()
        };
        let told = |figure: &PeerFigure| {
            let c = figure.comparison().unwrap();
            let place = |name: &str| figure.nodes.iter().position(|node| node == name).unwrap();
            ["n3", "n1", "n2"].map(|name| {
                let at = place(name);
                let windows: Vec<_> = c.windows.iter().map(|w| w.scores[at]).collect();
                (c.nodes[at].count, c.nodes[at].score, c.nodes[at].quartiles_s, windows, c.distances[at][place("n1")])
            })
        };
        let mut sorted = figure(["n3", "n1", "n2"]);
        let before = told(&sorted);
        sorted.sort_by_name();
        assert_eq!(sorted.nodes, ["n1", "n2", "n3"]);
        assert_eq!(told(&sorted), before);
    }

    #[test]
    fn distances_are_rounded_to_what_is_shown() {
        let mut figure =
            PeerFigure { distances: vec![0, 499, 500, 123_456, 999_999, u32::MAX], ..PeerFigure::default() };
        figure.round_distances();
        assert_eq!(figure.distances[..5], [0, 0, 1_000, 123_000, 1_000_000]);
        let once = figure.clone();
        figure.round_distances();
        assert_eq!(figure, once);
    }

    #[test]
    fn dots_are_the_ends_and_evenly_chosen_ones() {
        let many: Vec<f64> = (0..1000).map(f64::from).collect();
        let chosen: Vec<f64> = dots(&many).collect();
        assert_eq!((chosen.len(), chosen[0], chosen[59]), (60, 0.0, 999.0));
        assert_eq!(dots(&chosen).collect::<Vec<_>>(), chosen, "those that are drawn draw the same");
        assert_eq!(dots(&[]).count(), 0);
    }
}
