//! A node whose processor, run queue or disk stays above what any peer's reaches.
//!
//! # Finds
//! Hogs of processor and disk, also those that no task notices, and too short or too mild ones to
//! make a behaviour of their own among the profiles.
//!
//! # Method
//! In windows as long as the black box's, of the processor's time (user and system),
//! the run queue, iowait, pages in and pages out:
//!
//! ```text
//! score(i) = low(i) / (high + nothing)      low:  what i is above in four fifths of the window
//!                                           high: what every peer is below in four fifths of it
//! indicted ⇔ score ≥ 1.5 in a window        nothing: an amount that nobody would look at
//! ```
//! Of ten peers and more, one in ten may lie higher, four at the most: so two hogs do not hide each other.
//! Since when: from there it is followed backwards, six seconds at a time, while its mean of some level of the same kind lies
//! above every peer's by more than nothing: while peers are busy too, none is 1.5 times as high as they. Until when is
//! told in the same way where the node was measured for a window more.
//! Source: measured on the labelled runs with metrics, where every hog of processor or disk, and a map
//! that hangs spinning, reaches 4.5 to 11 and every other node stays below 0.92 (`tests/black_box.rs`).
//!
//! # Known misses
//! What a node was given to do raises its levels too: such a word is a moderate one where the node
//! works alone, or where its network carries more than its peers' as well; of many nodes also where one waits for its
//! disk and writes no more to it than they.
//!
//! # Cost
//! O(samples · levels), each sample in three windows.

use super::super::{Abstention, Comparison, Indictment, MIN_PEERS, Method, Number, Params, Signal, Witness};
use super::shift;
use super::survey::{Survey, survey};
use super::watched::{Level, Resource, WATCHED, at_most, with_unit};
use super::{Apart, is_given_more};
use crate::base::quantity::{of_millis, ratio};
use crate::base::{Arrange, Interval, NodeId, Timestamp};
use crate::model::{Metric, Sample, Trace};
use crate::stats::outlier::MANY_NODES;
use serde::{Deserialize, Serialize};

/// What a node is above, and its peers below, in so much of a window.
const MOST: f64 = 0.8;
/// A node is compared in a window if it has so much of its samples.
const KNOWN: f64 = 0.6;
/// Windows that a sample is in.
const OVERLAP: usize = 3;
/// One peer of so many may lie higher…
const PEERS_A_RIVAL: usize = 10;
/// …and so many at the most: of hundreds of nodes many are above what nine tenths of them reach, at any time.
const MOST_RIVALS: usize = 4;
/// A word is strong if the level was up in so much of what was observed, and in a window at least:
/// in a long log something of a minute is found on any node.
const STRONG_SHARE: f64 = 0.01;

/// From where a node was over the limit it is followed backwards and onwards in stretches of so much time…
const STRETCH_MS: i64 = 6_000;
/// …and of so many samples at least…
const STRETCH_SAMPLES: i64 = 4;
/// …so often at the most: what was so for longer may be what the node is always like.
const MOST_STRETCHES: usize = 20;

/// When which node's levels were up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelComparison {
    /// Nodes with samples, in order.
    pub nodes: Vec<NodeLevels>,
}

/// When the levels of one node were up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeLevels {
    /// The node.
    pub node: NodeId,
    /// When one of them was, as far as it is over the threshold.
    pub up: Vec<Interval>,
}

/// Which way a node is followed in time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Back,
    Onwards,
}

/// How the nodes are watched.
struct Watch<'a> {
    trace: &'a Trace,
    survey: &'a Survey,
    /// Steps of a window.
    window: usize,
    threshold: f64,
}

/// The largest score of a node, and what it was of.
#[derive(Clone, Copy, Debug, Default)]
struct Peak {
    score: f64,
    level: usize,
    low: f64,
    high: f64,
}

/// The last samples of one node, on its way through time.
struct Lane<I: Iterator<Item = Sample>> {
    node: NodeId,
    samples: std::iter::Peekable<I>,
    /// Of each level, the values of the window's steps; NaN where there is none.
    rings: [Vec<f32>; WATCHED.len()],
    peak: Peak,
    up: Vec<Interval>,
}

/// What the witness says. `None` without samples.
pub(super) fn witness(trace: &Trace, params: &Params) -> Option<Witness> {
    let survey = survey(trace)?;
    let mut witness = Witness::new(Method::KahunaBb, Signal::Levels);
    if survey.nodes.len() < MIN_PEERS {
        witness.abstained = Some(Abstention::NoPeers);
        return Some(witness);
    }
    // A threshold that is set for distances of histograms says nothing of this.
    let threshold = params.numbers.get(Number::BbLevels);
    let Some(window) = survey.window(params.numbers.get(Number::BbWindow)) else {
        witness.abstained = Some(Abstention::TooFewData);
        return Some(witness);
    };
    let watch = Watch { trace, survey: &survey, window, threshold };
    let lanes = watch.lanes();
    if lanes.iter().all(|lane| lane.peak.score <= 0.0) {
        witness.abstained = Some(Abstention::TooFewData);
        return Some(witness);
    }
    witness.scores = lanes.iter().map(|lane| (lane.node, lane.peak.score)).collect();
    witness.threshold = Some(threshold);
    let over = lanes.iter().filter(|lane| lane.peak.score >= threshold);
    witness.indicted = over.filter_map(|lane| watch.indict(lane)).collect();
    let nodes = lanes.into_iter().map(|lane| NodeLevels { node: lane.node, up: lane.up }).collect();
    witness.comparison = Some(Comparison::Levels(Box::new(LevelComparison { nodes })));
    Some(witness)
}

impl<'a> Watch<'a> {
    /// So many steps in milliseconds.
    fn millis(&self, steps: usize) -> i64 {
        self.survey.period_ms.saturating_mul(steps as i64)
    }

    /// Passes the samples of all nodes side by side.
    fn lanes(&self) -> Vec<Lane<impl Iterator<Item = Sample> + use<'a>>> {
        let Self { trace, survey, .. } = *self;
        let window = self.window.min(survey.steps).max(1);
        let mut lanes: Vec<_> = survey
            .nodes
            .iter()
            .map(|node| Lane {
                node: *node,
                samples: trace.samples.of_node(*node).peekable(),
                rings: WATCHED.map(|_| vec![f32::NAN; window]),
                peak: Peak::default(),
                up: Vec::new(),
            })
            .collect();
        let hop = (window / OVERLAP).max(1);
        for step in 0..survey.steps {
            let until = survey.start.plus_millis(self.millis(step + 1));
            for lane in &mut lanes {
                lane.pass(step % window, until);
            }
            if step + 1 >= window && ((step + 1 - window).is_multiple_of(hop) || step + 1 == survey.steps) {
                self.compare(&mut lanes, (step + 1) % window, until.plus_millis(-self.millis(window)));
            }
        }
        lanes
    }

    /// Compares the nodes in the window that lies in their rings, whose oldest value is at `oldest`.
    #[inline(never)]
    fn compare<I: Iterator<Item = Sample>>(&self, lanes: &mut [Lane<I>], oldest: usize, start: Timestamp) {
        let mut scratch: Vec<f32> = Vec::new();
        for (level, about) in WATCHED.iter().enumerate() {
            let quantiles: Vec<Option<[f64; 2]>> = lanes
                .iter()
                .map(|lane| low_and_high(lane.rings.get(level).map(Vec::as_slice).unwrap_or_default(), &mut scratch))
                .collect();
            let mut highs: Vec<f64> = quantiles.iter().flatten().map(|[_, high]| *high).collect();
            if highs.len() < MIN_PEERS {
                continue;
            }
            highs.arrange(|a, b| b.total_cmp(a));
            let rivals = rivals(highs.len() - 1);
            for (lane, quantiles) in lanes.iter_mut().zip(&quantiles) {
                let Some([low, own_high]) = *quantiles else { continue };
                // The node itself is no peer: where it is among the highest, those below move up.
                let itself = usize::from(highs.get(rivals).is_some_and(|high| own_high >= *high));
                let Some(high) = highs.get(rivals + itself).copied() else { continue };
                let score = low / (high + about.nothing);
                if score > lane.peak.score {
                    lane.peak = Peak { score, level, low, high };
                }
                if score >= self.threshold {
                    let limit = self.threshold * (high + about.nothing);
                    lane.note(level, oldest, limit, start, self.survey.period_ms);
                }
            }
        }
    }

    /// How far a node was apart that was over the limit at some time, by the levels of what it was over the limit of.
    fn followed(&self, node: NodeId, mut at: Timestamp, way: Way, resource: Resource) -> Timestamp {
        let stretch_ms = self.survey.period_ms.saturating_mul(STRETCH_SAMPLES).max(STRETCH_MS);
        for _ in 0..MOST_STRETCHES {
            let next = at.plus_millis(if way == Way::Back { -stretch_ms } else { stretch_ms });
            let during = Interval::new(at.min(next), at.max(next));
            let mut of_it = WATCHED.iter().filter(|level| level.of == resource);
            if !of_it.any(|level| self.is_above(node, level, during)) {
                break;
            }
            at = next;
        }
        at
    }

    /// Whether a node's mean of a level lies above its peers' in some time.
    fn is_above(&self, node: NodeId, level: &Level, during: Interval) -> bool {
        let Some(own) = level.mean(self.trace, node, &[during]) else { return false };
        let peers = self.survey.nodes.iter().filter(|peer| **peer != node);
        let mut means: Vec<f64> = peers.filter_map(|peer| level.mean(self.trace, *peer, &[during])).collect();
        means.arrange(|a, b| b.total_cmp(a));
        let rival = means.get(rivals(means.len())).filter(|_| means.len() + 1 >= MIN_PEERS);
        rival.is_some_and(|rival| own >= rival + level.nothing)
    }

    /// What is said of a node that is over the threshold.
    fn indict<I: Iterator<Item = Sample>>(&self, lane: &Lane<I>) -> Option<Indictment> {
        let (trace, threshold, node) = (self.trace, self.threshold, lane.node);
        let Peak { score, level, low, high } = lane.peak;
        let Level { name, unit, nothing, of, metrics } = WATCHED.get(level)?;
        let since = self.followed(node, lane.up.first()?.start, Way::Back, *of);
        let until = self.followed(node, lane.up.last()?.end, Way::Onwards, *of);
        let lasted_ms: i64 = lane.up.iter().map(|up| up.millis()).sum();
        let (window_ms, observed_ms) = (self.millis(self.window), self.millis(self.survey.steps));
        let shift = shift::of(trace, node, &lane.up);
        let mut text = format!(
            "{} differs from its peers for {}: {name} at least {} during four fifths of a {} window, on its peers {}; that is {} times the sum of their level and {}, threshold {threshold:.2}",
            trace.node_name(node),
            of_millis(lasted_ms as f64),
            with_unit(low, unit),
            of_millis(window_ms as f64),
            at_most(high, unit),
            ratio(score, 2),
            with_unit(*nothing, unit),
        );
        text.push_str(&shift.over_in_words(lasted_ms));
        let long_ms = window_ms.max((observed_ms as f64 * STRONG_SHARE) as i64);
        // Most of a window is over the limit, so what lasted may be a little less than the window.
        let lasted = lasted_ms as f64 >= MOST * long_ms as f64;
        // Of many nodes some hold what many others read at once.
        let may_be_read = *metrics == [Metric::Iowait]
            && self.survey.nodes.len() >= MANY_NODES
            && shift.is_not_up(Metric::BlocksWritten);
        let strong = lasted && !may_be_read && !is_given_more(trace, node, &lane.up, &shift);
        Some(Apart { node, score, threshold, strong, text, since, until }.word(trace, window_ms))
    }
}

impl<I: Iterator<Item = Sample>> Lane<I> {
    /// Passes a step, whose last sample counts. Never inlined: a browser makes a function fast while it
    /// runs, but only calls that come after take the fast one.
    #[inline(never)]
    fn pass(&mut self, slot: usize, until: Timestamp) {
        let mut last = None;
        while let Some(sample) = self.samples.next_if(|sample| sample.at < until) {
            last = Some(sample);
        }
        for (ring, level) in self.rings.iter_mut().zip(&WATCHED) {
            if let Some(slot) = ring.get_mut(slot) {
                *slot = last.as_ref().and_then(|sample| level.value(sample)).map_or(f32::NAN, |value| value as f32);
            }
        }
    }
}

/// How many of these peers may lie higher.
fn rivals(peers: usize) -> usize {
    (peers / PEERS_A_RIVAL).min(MOST_RIVALS)
}

/// What the values are above in most of a window, and what they are below; `None` where too few are known.
fn low_and_high(ring: &[f32], scratch: &mut Vec<f32>) -> Option<[f64; 2]> {
    scratch.clear();
    scratch.extend(ring.iter().filter(|value| !value.is_nan()));
    let known = scratch.len();
    if known == 0 || (known as f64) < KNOWN * ring.len() as f64 {
        return None;
    }
    let mut at_share = |share: f64| {
        let rank = ((known - 1) as f64 * share).round() as usize;
        f64::from(*scratch.select_nth_unstable_by(rank, f32::total_cmp).1)
    };
    Some([at_share(1.0 - MOST), at_share(MOST)])
}

impl<I: Iterator<Item = Sample>> Lane<I> {
    /// Notes that a level is over the limit in the window that begins at `start`.
    fn note(&mut self, level: usize, oldest: usize, limit: f64, start: Timestamp, period_ms: i64) {
        let ring = self.rings.get(level).map(Vec::as_slice).unwrap_or_default();
        let (newer, older) = ring.split_at_checked(oldest).unwrap_or_default();
        let over = || older.iter().chain(newer).enumerate().filter(|(_, value)| f64::from(**value) >= limit);
        let (Some((first, _)), Some((last, _))) = (over().next(), over().last()) else { return };
        let at = |step: usize| start.plus_millis((step as i64).saturating_mul(period_ms));
        let mut up = Interval::new(at(first), at(last + 1));
        while let Some(before) = self.up.pop_if(|before| up.start <= before.end) {
            up = Interval::new(before.start.min(up.start), before.end.max(up.end));
        }
        self.up.push(up);
    }
}

#[cfg(test)]
mod tests;
