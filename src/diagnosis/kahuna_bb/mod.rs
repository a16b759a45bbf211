//! Kahuna, black box: peers are compared by the behaviours that their OS metrics show.
//!
//! # Finds
//! Nodes that behave unlike a majority of their peers for most of a minute: processor and
//! disk hogs, heavy packet loss, hangs that spin, nodes that stopped working.
//!
//! # Paper
//! Kahuna (IEEE NOMS 2010) §VI-B: few behaviours, one of which dominates in a second
//! (K22); learned by EM over sadc-vectors (K16, K23), found again in each second (K24),
//! counted in histograms that decay with time (K25), compared pairwise, with the majority
//! rule of the white box (K26). Unpublished there and chosen here (X3): the number of
//! profiles, the decay, the threshold, how long a node has to stay over it.
//!
//! # Needs
//! Samples of sysstat on at least three slaves, for most of a minute: seven a minute at the least for profiles, five for levels.
//!
//! # Method
//! ```text
//! per second   profile = likeliest of 7 Gaussians over the standardised ln(1 + metric),
//!              or "none of them" below the density that 99 % of what was learned from reach
//! per node     histogram of profiles, half-life 60 s
//! per second   d(i, j) = sqrt JSD;  T(i) = the ⌈N/2⌉-th largest of d(i, ·)
//! indicted  ⇔ T(i) > threshold in 60 % of some 60 s
//! threshold = 0.45 with profiles of the logs themselves;
//!             with those of control runs: 0.1 above the largest T that lasted there, at least 0.4;
//!             more where samples are farther apart than a second, since few differ by chance
//! ```
//! Profiles are learned from the logs that are diagnosed, and, where there is a baseline,
//! from control runs as well: one witness each. A behaviour that no control run has snaps
//! to the nearest one that they have, and what is rare in the logs makes no profile of its
//! own. On the labelled runs the logs' own profiles see 9 of 14, those of control runs 8 of
//! these 9, and neither names a wrong node (`tests/black_box.rs`). To the letter ([`Learning::Literal`]) they are those of
//! control runs alone, learned to the letter too: without them it abstains.
//!
//! Beside them, and outside the paper, one that needs no profiles: [`levels`].
//!
//! # Parameters
//! `Params::learning` (`literal`: all 14 metrics, the number of profiles by BIC 2…16, no other, control runs alone),
//! `Params::threshold`, `Params::baseline`, the numbers [`Number::BbProfiles`] and on; the constants here and in the
//! files beside.
//!
//! # Abstains when
//! There are no samples, on fewer than three slaves, for less than most of a minute, or too far apart: sysstat's
//! usual ten minutes tell nothing of one.
//! Where every node is over the threshold none has a majority to differ from: the verdict marks it as abstaining (X6).
//!
//! # Known misses
//! Faults that change no second's behaviour: a task that waits, loss that TCP repairs.
//! A majority at fault (K36), of which no node can be named; that there is one is told by [`halves`]. Profiles have no meaning of their own; what moved is told
//! from the metrics ([`shift`]).
//!
//! # Cost
//! O(samples · profiles · metrics) and O(seconds · nodes² · profiles), the latter bounded.

mod compare;
mod halves;
mod levels;
mod profiles;
pub mod shift;
mod survey;
mod watched;

pub use compare::{NO_PROFILE, NodeProfile, SystemComparison};
pub use levels::{LevelComparison, NodeLevels};
pub use profiles::{Learning, Profiles};

use super::{
    Abstention, Baseline, Comparison, Diagnosis, DiagnosisAbout, Indictment, MIN_PEERS, Method, Number, Numbers,
    Params, Signal, Strength, Threshold, Witness,
};
use crate::base::quantity::of_millis;
use crate::base::{Gathered, Interval, JobId, NodeId, Timestamp};
use crate::model::{Outcome, State, StateKind, Trace};
use crate::stats::outlier::MANY_NODES;
use crate::stats::quantile::{median, sorted};
use compare::compare;
use shift::Shift;
use std::collections::BTreeMap;

/// A word is strong from here, where the node does more of something than its peers.
const STRONG: f64 = 0.6;

/// Share of the samples that were there before by which a node counts as measured still.
const MEASURED_ON: f64 = 0.6;
/// Tasks that a node runs on average to be at work…
const WORKS: f64 = 0.5;
/// …and alone, if so many times as many as its typical peer.
const ALONE: f64 = 3.0;
/// Maps that last so many times the longest of their job elsewhere are late…
const LATE: f64 = 2.0;
/// …and so many at a time are the node's doing.
const TOGETHER: usize = 2;

/// The method.
pub struct KahunaBlackBox;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::KahunaBb,
    paper: "Kahuna, IEEE NOMS 2010, §VI-B",
    needs: "sysstat's metrics of three slaves, at best one sample a second, at least seven a minute; levels five",
    abstains: "no samples, fewer than three slaves with them, less than most of a minute, samples too far apart, or each node unlike most of the others",
};

impl Diagnosis for KahunaBlackBox {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        if trace.samples.is_empty() {
            return Vec::new();
        }
        let of_controls = params.baseline.as_ref().map(|baseline| by_controls(trace, baseline, params));
        if params.learning == Learning::Literal {
            return vec![of_controls.flatten().unwrap_or_else(without_baseline)];
        }
        let own = Profiles::learn(&[trace], params);
        let mut witnesses = vec![witness(trace, own.as_ref(), Signal::OwnProfiles, params)];
        witnesses.extend(of_controls.flatten());
        witnesses.extend(levels::witness(trace, params));
        if trace.peer_nodes().count() >= MANY_NODES {
            require_levels(&mut witnesses);
        }
        witnesses
    }
}

/// The witness of control runs' profiles; `None` where they have none. Profiles that were learned otherwise mean another thing.
fn by_controls(trace: &Trace, baseline: &Baseline, params: &Params) -> Option<Witness> {
    let profiles = baseline.black_box.as_ref()?;
    let is_alike = baseline.learning == params.learning;
    Some(if is_alike { witness(trace, Some(profiles), Signal::ControlProfiles, params) } else { without_baseline() })
}

fn without_baseline() -> Witness {
    Witness { abstained: Some(Abstention::NoBaseline), ..Witness::new(Method::KahunaBb, Signal::ControlProfiles) }
}

/// Of many nodes one behaves unlike the others by chance, as whose reduces end last: there, a word of profiles is
/// strong only where that of levels is.
fn require_levels(witnesses: &mut [Witness]) {
    let is_strong = |i: &&Indictment| i.strength == Strength::Strong;
    let levels =
        witnesses.iter().filter(|w| w.signal == Signal::Levels).flat_map(|w| w.indicted.iter().filter(is_strong));
    let levels: Vec<NodeId> = levels.map(|i| i.node).collect();
    for word in witnesses.iter_mut().flat_map(|w| &mut w.indicted).filter(|word| !levels.contains(&word.node)) {
        word.strength = Strength::Moderate;
    }
}

/// When the metrics of nodes were odd, whichever comparison of them indicts these: in order of node and time.
#[must_use]
pub fn indicted_times(witnesses: &[Witness]) -> Vec<(NodeId, Interval)> {
    let mut times: BTreeMap<NodeId, Vec<Interval>> = BTreeMap::new();
    for witness in witnesses {
        for indictment in &witness.indicted {
            times.entry(indictment.node).or_default().extend(witness.odd_times(indictment.node));
        }
    }
    let each = |(node, times)| Interval::union(times).into_iter().map(move |interval| (node, interval));
    times.into_iter().flat_map(each).collect()
}

/// Learns from control runs, each a trace of its own (K23). `None` if they have too few
/// samples.
#[must_use]
pub fn learn_controls(runs: &[&Trace], params: &Params) -> Option<Profiles> {
    Some(widen_by_controls(Profiles::learn(runs, params)?, runs, params))
}

/// Profiles as they are, with what more control runs reach by them: thresholds rise to what is usual there too. The
/// profiles themselves cannot be joined with others, nor learned on without all samples that they came from.
#[must_use]
pub fn widen_by_controls(mut profiles: Profiles, runs: &[&Trace], params: &Params) -> Profiles {
    let measured: Vec<SystemComparison> = runs.iter().filter_map(|trace| compare(trace, &profiles, params)).collect();
    let largest = |of: fn(&NodeProfile) -> f64, so_far: f64| {
        measured.iter().flat_map(|c| &c.nodes).map(of).fold(so_far, f64::max)
    };
    profiles.largest_unusual = largest(|node| node.unusual, profiles.largest_unusual);
    profiles.largest_score = largest(|node| node.sustained, profiles.largest_score);
    profiles.runs = profiles.runs.saturating_add(measured.len() as u32);
    profiles
}

/// The threshold of profiles where that on distances is fixed: the same, unless they have their own.
pub(crate) fn threshold_beside(fixed: f64, numbers: &Numbers) -> f64 {
    numbers.chosen(Number::BbThreshold).unwrap_or(fixed)
}

fn threshold(profiles: &Profiles, coarse: f64, params: &Params) -> f64 {
    let number = |number| params.numbers.get(number);
    match params.threshold {
        Threshold::Fixed(threshold) => threshold_beside(threshold, &params.numbers),
        Threshold::Auto if profiles.runs() > 0 => {
            (profiles.largest_score + number(Number::BbMargin)).max(number(Number::BbFloor)) + coarse
        }
        Threshold::Auto => number(Number::BbThreshold) + coarse,
    }
}

fn witness(trace: &Trace, profiles: Option<&Profiles>, signal: Signal, params: &Params) -> Witness {
    let mut witness = Witness::new(Method::KahunaBb, signal);
    let peers = trace.peer_nodes().count();
    let comparison = profiles.and_then(|profiles| {
        let comparison = compare(trace, profiles, params)?;
        let threshold = threshold(profiles, comparison.coarse, params);
        Some((comparison, threshold))
    });
    let Some((comparison, threshold)) = comparison else {
        // Samples, but none of a slave's: or too few to learn from.
        let none = survey::survey(trace).is_none();
        witness.abstained = Some(match (peers < MIN_PEERS, none) {
            (true, _) => Abstention::NoPeers,
            (_, true) => Abstention::NotLogged,
            _ => Abstention::TooFewData,
        });
        return witness;
    };
    let nodes = comparison.nodes.iter();
    if nodes.len() < MIN_PEERS {
        witness.abstained = Some(Abstention::NoPeers);
    } else if nodes.clone().all(|node| node.scores.iter().all(Option::is_none))
        || nodes.clone().all(|node| node.sustained <= 0.0 && node.profiles.len() < comparison.window)
    {
        witness.abstained = Some(Abstention::TooFewData);
    } else {
        witness.scores = nodes.clone().map(|node| (node.node, node.sustained)).collect();
        witness.threshold = Some(threshold);
        let judged = nodes.filter_map(|node| indict(trace, &comparison, node, threshold, signal));
        witness.indicted = judged.collect();
        witness.worse = match params.threshold {
            // One that was not chosen for these logs may be passed by anybody.
            Threshold::Fixed(_) if 2 * witness.indicted.len() >= comparison.nodes.len() => {
                witness.indicted.iter().map(|word| word.node).collect()
            }
            _ => halves::busy_half(trace, &comparison, &witness.indicted, threshold, &params.numbers),
        };
    }
    witness.comparison = Some(Comparison::System(Box::new(comparison)));
    witness
}

/// How long each node's tasks ran in this time, added up; its stretches are in order and apart.
fn worked_ms(trace: &Trace, during: &[Interval]) -> BTreeMap<NodeId, i64> {
    let mut worked_ms: BTreeMap<NodeId, i64> = trace.peer_nodes().map(|peer| (peer, 0)).gathered();
    for s in StateKind::OF_WORK.into_iter().flat_map(|kind| trace.states.of_kind(kind)) {
        let (Some(start), Some(slot)) = (s.start, s.node.and_then(|n| worked_ms.get_mut(&n))) else { continue };
        let shared = Interval::new(start, s.end).met_in(during);
        *slot += shared.map(|d| d.end.min(s.end).millis_since(d.start.max(start)).max(0)).sum::<i64>();
    }
    worked_ms
}

/// Whether the node ran tasks in this time while its typical peer ran hardly any: then its
/// metrics differ by what it was given to do.
fn works_alone(trace: &Trace, node: NodeId, during: &[Interval]) -> bool {
    let mut worked_ms = worked_ms(trace, during);
    let length: i64 = during.iter().map(|d| d.millis()).sum();
    let own = worked_ms.remove(&node).unwrap_or(0) as f64;
    let typical = median(&sorted(worked_ms.into_values().map(|ms| ms as f64))).unwrap_or(0.0);
    own >= WORKS * length as f64 && own > ALONE * typical
}

/// Whether its metrics may differ in this time, in which they moved so, by more that it was given to do. Not where it is
/// late with that.
fn is_given_more(trace: &Trace, node: NodeId, during: &[Interval], shift: &Shift) -> bool {
    (shift.carries_more() || works_alone(trace, node, during)) && !is_late(trace, node, during)
}

/// Whether several Maps at once last far longer on the node than any of their job elsewhere, and none that began there
/// meanwhile came to its end sooner: it works alone as it is slow. A single one may have more to do.
fn is_late(trace: &Trace, node: NodeId, during: &[Interval]) -> bool {
    let mut longest_ms: BTreeMap<Option<JobId>, i64> = BTreeMap::new();
    let mut own: Vec<State> = Vec::new();
    for map in trace.states.of_kind(StateKind::Map).map(|map| trace.as_told(map)) {
        if map.node == Some(node) {
            own.extend(map.start.map(|_| map));
        } else if let Some(ms) = map.millis().filter(|ms| *ms > 0 && map.outcome == Some(Outcome::Success)) {
            let longest = longest_ms.entry(map.job).or_default();
            *longest = ms.max(*longest);
        }
    }
    let is_overdue = |map: &&State| {
        let limit = longest_ms.get(&map.job).map_or(f64::INFINITY, |longest| LATE * *longest as f64);
        let shared = map.start.is_some_and(|start| Interval::new(start, map.end).met_in(during).next().is_some());
        shared && map.millis().is_some_and(|ms| ms as f64 >= limit)
    };
    let overdue: Vec<&State> = own.iter().filter(is_overdue).collect();
    let Some(begin) = overdue.iter().filter_map(|map| map.start).min() else { return false };
    let until = during.last().map(|last| last.end);
    let mut done =
        own.iter().filter(|map| map.start >= Some(begin) && map.start < until && map.outcome == Some(Outcome::Success));
    overdue.len() >= TOGETHER && done.all(|map| is_overdue(&map))
}

/// Whether a node was measured later for a window more, as it was in the one before: what it was like would show.
fn is_measured_on(trace: &Trace, node: NodeId, from: Timestamp, window_ms: i64) -> bool {
    let samples = |during: Interval| trace.samples.of_node_during(node, &[during]).count() as f64;
    let before = samples(Interval::new(from.plus_millis(-window_ms), from));
    let later = Interval::new(from, Timestamp::from_millis(i64::MAX));
    before > 0.0 && samples(later) >= MEASURED_ON * before
}

fn indict(
    trace: &Trace,
    c: &SystemComparison,
    of_node: &NodeProfile,
    threshold: f64,
    signal: Signal,
) -> Option<Indictment> {
    let (node, score) = (of_node.node, of_node.sustained);
    let over = c.over(of_node, threshold);
    let (since, until) = (over.first()?.start, over.last()?.end);
    if score <= threshold {
        return None;
    }
    let ms: i64 = over.iter().map(|interval| interval.millis()).sum();
    let lasted = over.iter().map(|interval| interval.millis() / c.period_ms.max(1)).sum::<i64>();
    let name = trace.node_name(node);
    let mut text = format!(
        "{name} behaves unlike its peers for {}: T = {score:.2} through most of {}, threshold {threshold:.2} ({})",
        of_millis(ms as f64),
        of_millis(c.window_ms() as f64),
        signal.name()
    );
    let shift = shift::of(trace, node, &over);
    text.push_str(&shift.over_in_words(ms));
    // A node that only does less than its peers may have been given nothing to do, and one
    // that does more may have been given the rest; what lasts less than a window may be a
    // phase of its own.
    let strong =
        score >= STRONG && lasted >= c.window as i64 && shift.does_more() && !is_given_more(trace, node, &over, &shift);
    Some(Apart { node, score, threshold, strong, text, since, until }.word(trace, c.window_ms()))
}

/// A node whose metrics are beyond a threshold.
struct Apart {
    node: NodeId,
    score: f64,
    threshold: f64,
    strong: bool,
    text: String,
    since: Timestamp,
    until: Timestamp,
}

impl Apart {
    /// What is said of it. It has passed where the node was measured for a window more.
    fn word(self, trace: &Trace, window_ms: i64) -> Indictment {
        Indictment {
            node: self.node,
            strength: if self.strong { Strength::Strong } else { Strength::Moderate },
            score: self.score,
            ratio: self.score / self.threshold.max(f64::MIN_POSITIVE),
            p: None,
            text: self.text,
            lines: Vec::new(),
            since: Some(self.since),
            until: Some(self.until).filter(|until| is_measured_on(trace, self.node, *until, window_ms)),
        }
    }
}

#[cfg(test)]
mod tests;
