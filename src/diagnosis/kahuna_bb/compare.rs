//! The comparison itself: profiles over time, decayed histograms, T(i), its windows
//! (K24–K26).

use super::super::{Number, Params};
use super::profiles::{Classifier, Learning, Profiles};
use super::survey::survey;
use crate::base::math::{pairs, pow};
use crate::base::{Interval, NodeId, Timestamp};
use crate::diagnosis::MIN_PEERS;
use crate::model::{Metric, Sample, Trace};
use crate::stats::decay::DecayedHistogram;
use crate::stats::majority::Distances;
use crate::stats::quantile::sorted;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::iter::Peekable;

/// Recent samples that a node needs before it is compared: fewer make no histogram (X4). Where samples are
/// more than nine seconds apart a histogram never holds so many.
const MIN_RECENT: f64 = 10.0;
/// A node whose last sample is older is not compared: it is not known to do anything.
const MAX_SILENT_STEPS: usize = 10;
/// Distances of pairs that are worked out however often: a tenth of a second. Beyond it not every step is
/// compared but every second, every third…
const FEW_DISTANCES: usize = 1_000_000;
/// …up to this share of the half-life, in which the histograms hardly move…
const STRIDE_OF_HALF_LIFE: f64 = 0.05;
/// …and beyond that only where there are more than so many: some seconds.
const MAX_DISTANCES: usize = 60_000_000;
/// A node is unlike every control run if most of its samples are like hardly any of theirs…
const UNLIKE_SHARE: f64 = 0.5;
/// …and so much more of them than on any node of those runs.
const UNLIKE_MARGIN: f64 = 0.25;
/// Stands for "no sample" among profiles.
pub const NO_PROFILE: u8 = u8::MAX;

/// The peers compared by the profiles of their metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SystemComparison {
    /// Nodes with samples, in order.
    pub nodes: Vec<NodeProfile>,
    /// When step 0 begins.
    pub start: Timestamp,
    /// Length of a step.
    pub period_ms: i64,
    /// Steps of the window in which T is watched.
    pub window: usize,
    /// Share of a window that has to be over the threshold.
    pub share: f64,
    /// Number of profiles, [`SystemComparison::none_of_them`] among them.
    pub profile_count: usize,
    /// The profile of seconds that are like hardly any of those learned from. In a large cluster
    /// one node's behaviour is too rare to be learned, and would count as the nearest of the
    /// others'. `None` where the paper's rule is followed to the letter (K24).
    pub none_of_them: Option<u8>,
    /// Steps from one comparison to the next.
    pub stride: usize,
    /// Metrics that tell the profiles apart here.
    #[serde(serialize_with = "named", deserialize_with = "of_names")]
    pub metrics: Vec<Metric>,
    /// Metrics that do where they are measured, and are not on all of these nodes.
    #[serde(serialize_with = "named", deserialize_with = "of_names")]
    pub unmeasured: Vec<Metric>,
    /// From which [`NodeProfile::unusual`] on a node is unlike every control run; `None` without
    /// control runs, or where metrics of theirs lack here.
    pub unlike_from: Option<f64>,
    /// How much farther chance may put nodes apart than if there were a sample a second: the threshold found is raised by
    /// it. On the labelled runs thinned to a sample every five seconds healthy nodes reach 0.43, of six 0.52.
    pub coarse: f64,
}

/// One of the nodes compared, by the profiles of its metrics.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeProfile {
    /// The node.
    pub node: NodeId,
    /// Its profile in each step, or [`NO_PROFILE`].
    pub profiles: Vec<u8>,
    /// T(i) at each comparison; `None` where it was not compared.
    pub scores: Vec<Option<f32>>,
    /// The largest T that lasts for most of some window.
    pub sustained: f64,
    /// Steps without a sample.
    pub missing: usize,
    /// Share of its samples that are like hardly any of those learned from.
    pub unusual: f64,
}

/// Metrics are kept by their names.
fn named<S: Serializer>(metrics: &[Metric], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(metrics.iter().map(|metric| metric.name()))
}

/// The metrics that are called so.
fn of_names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Metric>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    Ok(names.iter().filter_map(|name| Metric::named(name)).collect())
}

/// Compares the peers second by second. `None` without samples.
pub(super) fn compare(trace: &Trace, profiles: &Profiles, params: &Params) -> Option<SystemComparison> {
    let survey = survey(trace)?;
    let none_of_them = match params.learning {
        Learning::Usual => u8::try_from(profiles.count()).ok(),
        Learning::Literal => None,
    };
    let k = profiles.count() + usize::from(none_of_them.is_some());
    let half_life_s = params.numbers.get(Number::BbHalfLife);
    let half_life = survey.steps_in(half_life_s);
    let window = survey.window(params.numbers.get(Number::BbWindow));
    let stride = stride(survey.steps.saturating_mul(pairs(survey.nodes.len())), half_life);
    let share = params.numbers.get(Number::BbShare);
    let watched = Watched::new(window.unwrap_or(1), share, stride);
    // Of too few samples in a window nobody is compared.
    let least = window.map_or(f64::INFINITY, |_| MIN_RECENT);
    let mut classifier = profiles.classifier(survey.measured);
    let lane = |node: &NodeId| Lane {
        node: *node,
        samples: trace.samples.of_node(*node).peekable(),
        histogram: DecayedHistogram::new(k, half_life),
        last_step: None,
        samples_seen: 0,
        unusual: 0,
        profiles: vec![NO_PROFILE; survey.steps],
        scores: Vec::with_capacity(survey.steps / stride + 1),
    };
    let mut lanes: Vec<Lane<_>> = survey.nodes.iter().map(lane).collect();
    for step in 0..survey.steps {
        let until = survey.start.plus_millis((step as i64 + 1).saturating_mul(survey.period_ms));
        for lane in &mut lanes {
            lane.pass(step, until, &mut classifier, none_of_them);
        }
        if step % stride == 0 {
            let scores = scores_at(&lanes, step, k, least);
            for (lane, score) in lanes.iter_mut().zip(scores) {
                lane.scores.push(score);
            }
        }
    }
    let measured = |metric: &Metric| survey.measured.get(metric.place()) == Some(&true);
    let (metrics, unmeasured): (Vec<_>, Vec<_>) = profiles.used().partition(measured);
    let unlike_from = (profiles.largest_unusual + UNLIKE_MARGIN).max(UNLIKE_SHARE);
    let coarse = (chance(survey.samples_in(half_life_s)) - chance(half_life_s)).max(0.0);
    Some(SystemComparison {
        unlike_from: (profiles.runs() > 0 && unmeasured.is_empty()).then_some(unlike_from),
        nodes: lanes.into_iter().map(|lane| lane.into_node(&watched)).collect(),
        start: survey.start,
        period_ms: survey.period_ms,
        window: window.unwrap_or(1),
        share,
        profile_count: k,
        none_of_them,
        stride,
        metrics,
        unmeasured,
        coarse,
    })
}

/// Steps from one comparison to the next, where there are so many distances of pairs in all steps.
fn stride(distances: usize, half_life: f64) -> usize {
    let still = (half_life * STRIDE_OF_HALF_LIFE) as usize;
    distances.div_ceil(FEW_DISTANCES).min(still).max(distances.div_ceil(MAX_DISTANCES)).max(1)
}

/// How far chance alone may put two histograms apart: one over the root of what they hold in the end.
fn chance(half_life_samples: f64) -> f64 {
    (1.0 - pow(0.5, 1.0 / half_life_samples)).sqrt()
}

/// One node on its way through time.
struct Lane<I: Iterator<Item = Sample>> {
    node: NodeId,
    samples: Peekable<I>,
    histogram: DecayedHistogram,
    last_step: Option<usize>,
    samples_seen: u64,
    unusual: u64,
    /// As of [`NodeProfile`].
    profiles: Vec<u8>,
    scores: Vec<Option<f32>>,
}

impl<I: Iterator<Item = Sample>> Lane<I> {
    /// Passes a step, whose profile is that of its last sample. Never inlined: a browser makes a function fast while
    /// it runs, but only calls that come after take the fast one.
    #[inline(never)]
    fn pass(&mut self, step: usize, until: Timestamp, classifier: &mut Classifier<'_>, none_of_them: Option<u8>) {
        self.histogram.step();
        while let Some(sample) = self.samples.next_if(|sample| sample.at < until) {
            let Some((profile, unusual)) = classifier.profile(&sample) else { continue };
            self.samples_seen += 1;
            self.unusual += u64::from(unusual);
            let profile = none_of_them.filter(|_| unusual).unwrap_or(profile);
            self.histogram.add(usize::from(profile));
            self.last_step = Some(step);
            if let Some(slot) = self.profiles.get_mut(step) {
                *slot = profile;
            }
        }
    }

    /// What all steps tell of the node.
    fn into_node(self, watched: &Watched) -> NodeProfile {
        NodeProfile {
            node: self.node,
            sustained: watched.sustained(&self.scores),
            missing: self.profiles.iter().filter(|profile| **profile == NO_PROFILE).count(),
            unusual: self.unusual as f64 / self.samples_seen.max(1) as f64,
            profiles: self.profiles,
            scores: self.scores,
        }
    }
}

/// T(i) now, of the nodes that can be compared now. Never inlined, as [`Lane::pass`].
#[inline(never)]
fn scores_at<I: Iterator<Item = Sample>>(lanes: &[Lane<I>], step: usize, k: usize, least: f64) -> Vec<Option<f32>> {
    let present = |lane: &&Lane<I>| {
        let fresh = lane.last_step.is_some_and(|last| step - last < MAX_SILENT_STEPS);
        fresh && lane.histogram.total() >= least
    };
    let shares: Vec<Vec<f64>> = lanes
        .iter()
        .filter(present)
        .map(|lane| {
            let mut shares = vec![0.0; k];
            lane.histogram.shares(&mut shares);
            shares
        })
        .collect();
    if shares.len() < MIN_PEERS {
        return vec![None; lanes.len()];
    }
    let mut scores = Distances::of_shares(&shares).majority_scores().into_iter();
    lanes.iter().map(|lane| if present(&lane) { scores.next().map(|t| t as f32) } else { None }).collect()
}

/// The window in which T is watched.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// Comparisons in it.
    window: usize,
    /// How many of them have to be over the threshold.
    need: usize,
}

impl Watched {
    fn new(steps: usize, share: f64, stride: usize) -> Self {
        let window = (steps / stride.max(1)).max(1);
        Self { window, need: ((window as f64 * share).ceil() as usize).max(1) }
    }

    /// All windows of these scores; a shorter observation has one, which needs as many.
    fn windows<'a>(&self, scores: &'a [Option<f32>]) -> impl Iterator<Item = &'a [Option<f32>]> + use<'a> {
        scores.windows(self.window.min(scores.len()).max(1))
    }

    /// The largest T that is reached or passed in most of some window.
    fn sustained(&self, scores: &[Option<f32>]) -> f64 {
        self.windows(scores).fold(0.0, |largest, w| {
            let known = || w.iter().flatten().map(|t| f64::from(*t));
            // Few windows have most of their scores above the largest so far: counting is less work than sorting.
            if known().filter(|t| *t > largest).count() < self.need {
                return largest;
            }
            let known = sorted(known());
            known.len().checked_sub(self.need).and_then(|at| known.get(at).copied()).unwrap_or(largest)
        })
    }
}

impl SystemComparison {
    /// How long a window is of what is compared, in milliseconds.
    #[must_use]
    pub const fn window_ms(&self) -> i64 {
        self.period_ms.saturating_mul(self.window as i64)
    }

    /// The nodes that behave unlike every control run.
    pub fn unlike_controls(&self) -> impl Iterator<Item = NodeId> + '_ {
        let unlike = |share: f64| self.unlike_from.is_some_and(|from| share >= from);
        self.nodes.iter().filter(move |own| unlike(own.unusual)).map(|own| own.node)
    }

    /// When a node was over the threshold in most of a window: from the first comparison
    /// over it to the last, windows that touch joined.
    #[must_use]
    pub fn over(&self, node: &NodeProfile, threshold: f64) -> Vec<Interval> {
        let is_over = |t: &Option<f32>| t.is_some_and(|t| f64::from(t) > threshold);
        let watched = Watched::new(self.window, self.share, self.stride);
        let mut stretches: Vec<(usize, usize)> = Vec::new();
        for (begin, w) in watched.windows(&node.scores).enumerate() {
            let over = || w.iter().enumerate().filter(|(_, t)| is_over(t)).map(|(i, _)| begin + i);
            if over().count() < watched.need {
                continue;
            }
            let (Some(first), Some(last)) = (over().next(), over().next_back()) else { continue };
            match stretches.last_mut() {
                Some((_, end)) if first <= *end => *end = last.max(*end),
                _ => stretches.push((first, last)),
            }
        }
        let at = |i: usize| self.start.plus_millis((i * self.stride) as i64 * self.period_ms);
        stretches.into_iter().map(|(first, last)| Interval::new(at(first), at(last + 1))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sustained_score_needs_most_of_a_window() {
        // 36 of 60: with 35 high values the 36th is a low one.
        let scores = |high: usize| -> Vec<Option<f32>> {
            (0..200).map(|i| Some(if (100..100 + high).contains(&i) { 0.75 } else { 0.25 })).collect()
        };
        let sustained = |scores: &[Option<f32>], stride| Watched::new(60, 0.6, stride).sustained(scores);
        assert_eq!(sustained(&scores(36), 1), 0.75);
        assert_eq!(sustained(&scores(35), 1), 0.25);
        assert_eq!(sustained(&[Some(1.0); 35], 1), 0.0, "too short");
        assert_eq!(sustained(&[Some(1.0); 36], 1), 1.0);
        assert_eq!(sustained(&[None; 200], 1), 0.0);
        assert_eq!(sustained(&[], 1), 0.0);
        // A step of 3 leaves windows of 20 comparisons, of which 12 count.
        assert_eq!(sustained(&scores(12), 3), 0.75);
        assert_eq!(sustained(&scores(11), 3), 0.25);
    }

    #[test]
    fn large_clusters_are_compared_less_often() {
        // Ten nodes for three hours, 64 for half an hour and for an hour, 300 for an hour, 1,000 for two.
        let distances = [10_000 * 45, 1_800 * 2_016, 3_600 * 2_016, 3_600 * 44_850, 7_200 * 499_500];
        assert_eq!(distances.map(|distances| stride(distances, 60.0)), [1, 3, 3, 3, 60]);
        assert_eq!(stride(1_800 * 2_016, 45.0), 2);
        // Of histograms that forget at once each step counts.
        assert_eq!(stride(1_800 * 2_016, 1.0), 1);
        assert_eq!(stride(0, 60.0), 1);
    }

    #[test]
    fn over_is_told_from_its_first_second_to_its_last() {
        let scores = (0..300).map(|i| Some(if (100..180).contains(&i) { 0.75 } else { 0.25 })).collect();
        let c = SystemComparison {
            start: Timestamp::from_millis(5_000),
            period_ms: 1_000,
            stride: 1,
            window: 60,
            share: 0.6,
            ..SystemComparison::default()
        };
        let node = NodeProfile { scores, ..NodeProfile::default() };
        let at = |s: i64| Timestamp::from_millis(5_000 + s * 1_000);
        assert_eq!(c.over(&node, 0.5), [Interval::new(at(100), at(180))]);
        assert_eq!(c.over(&node, 0.75), [], "what reaches the threshold is not over it");
        assert_eq!(c.over(&node, 0.8), []);
        assert_eq!(c.over(&NodeProfile::default(), 0.5), []);
    }
}
