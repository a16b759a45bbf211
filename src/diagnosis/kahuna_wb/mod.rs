//! Kahuna, white box: peers are compared by the durations of their log states.
//!
//! # Finds
//! Nodes whose states of one kind last longer than those of a majority of their peers:
//! CPU and disk hogs, hangs, heavy packet loss.
//!
//! # Paper
//! Kahuna (IEEE NOMS 2010) §VI-A: histograms of state durations per node (K19), pairwise
//! sqrt of the Jensen–Shannon divergence (K20), indictment of a node that differs from a
//! majority (K21), six states (K18). Open points of the paper and the rules taken here:
//! thresholds X3, few samples X4, logarithm base 2 X5, no majority X6.
//!
//! # Needs
//! States with a begin on at least three nodes, two on each.
//!
//! # Method
//! ```text
//! x = ln(duration) − median of its job        (block, merge, localize: ln(duration + 0.25 s))
//! localisations: those that fetch what the job needs and those that find it on the node have medians of their own
//! histogram of x per node: 5 equal bins between the 2 % and 98 % quantile of all; if the two coincide, between the least
//! and the greatest x, and the gap rule is off; if all x are equal, one bin
//! d(i, j) = sqrt JSD;  T(i) = the ⌈N/2⌉-th largest of d(i, ·)
//! threshold = max(98 % quantile of max T over permutations of node labels in a job, 0.5)
//! indicted  ⇔ T(i) ≥ threshold, p ≤ 0.02, and the node's median is ≥ 1.4 × its peers'
//! where a phase of a reduce is by two clocks (YARN): the node's reduces end later after the last map, too
//! gap rule  ⇔ lower quartile ≥ 1.5 × the upper quartile of every other node; or, of four states and more, each
//!             longer than any of the others', and the median ≥ 1.4 × theirs;
//!             2 s longer than the others' median or more, by the median, in seconds of their own job; and T(i) ≥ 0.5;
//!             or, of Maps, the last of a node in a job, two or more, each ≥ 1.5 × the longest that its peers ended since
//!             the first of them began, if of so many chance makes them the longest in 2 % of all jobs and nodes at most
//!             (T saturates at 1 with 2 to 8 states a node, so chance cannot decide)
//! parts of several jobs are judged alone as well, down to single ones, each at so small a part of α;
//! and, of 20 nodes at most, halves and quarters of long jobs with 24 states a node, where a node did six things one
//! after the other in them
//! of 50 nodes and more: and its ratio lies 2.2 · √(2 ln N) deviations beyond the nodes' own
//! ```
//! A fixed threshold X stands in for the one that permutation finds: T(i) > X, and all else as above, but no parts.
//! To the letter ([`Reading::Literal`]) a node is indicted by its distance alone, by all states at once of the paper's six kinds: T(i) over either
//! threshold, whichever way it differs and by how much. The paper says "differs significantly … from those of a majority", and
//! not "is slower"; but a node whose tasks are over sooner than its peers' is hardly at fault.
//! Where half of the nodes or more are slow, nobody is named by it: [`halves`].
//!
//! # Parameters
//! [`Params::threshold`], [`Params::window_s`] (of the view alone), [`Params::kahuna`], the numbers [`Number::WbStates`] and on; the constants below, each
//! with its reason.
//!
//! # Abstains when
//! Fewer than three nodes have two states of the kind; or none has a known begin; or a node is farther from the others than in
//! any permutation, and `wb_alpha` is so small that more of them would be needed than there is time for.
//!
//! # Known misses
//! Faults that move no duration (loss that TCP repairs), that hit all nodes alike (K09) where no control run did the
//! same work ([`usual`]), or that hit kinds with one state a node.
//!
//! # Cost
//! O((permutations + windows) · nodes² · bins), both cut down for large clusters.

mod chance;
mod comparison;
mod gap;
mod halves;
mod last;
mod parts;
mod peers;
mod sample;
mod tails;
mod usual;
mod windows;

pub use comparison::{NodeDurations, PAIRS_SHOWN, PeerComparison};
pub use last::Last;
use peers::Comparer;
pub use peers::compare;
use sample::{RESOLUTION_S, nobodys, seconds};
pub use usual::{BesideControls, Usual, UsualBefore};
pub use windows::PeerWindow;

use super::{
    Abstention, Comparison, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Params,
    Reading, Scope, Signal, Strength, Threshold, Witness, chance_in_words, may_stand_beside,
};
use crate::base::math::ln;
use crate::base::quantity::{self, duration};
use crate::base::{Arrange, AttemptId, JobId, NodeId, Place, Timestamp};
use crate::model::{State, StateKind, Trace};
use crate::stats::onset::{Run, is_usual_again};
use crate::stats::outlier::stands_out;
use crate::stats::quantile::{median, medians_by, quantile, sorted};

/// Kinds compared: the six of K18, the reduce function alone (hangs show there), and the
/// NodeManager's localisation (a busy CPU or disk shows there on Hadoop 2/3).
pub const KINDS: [StateKind; 8] = [
    StateKind::Map,
    StateKind::Reduce,
    StateKind::ReduceCopy,
    StateKind::ReduceMergeCopy,
    StateKind::ReduceReducer,
    StateKind::ReadBlock,
    StateKind::WriteBlock,
    StateKind::Localize,
];
/// Those that the paper does not have (K18): to the letter they are not compared.
const BEYOND_PAPER: [StateKind; 2] = [StateKind::ReduceReducer, StateKind::Localize];
/// With this ratio and [`STRONG_P`] a word is strong.
const STRONG_RATIO: f64 = 2.0;
/// See [`STRONG_RATIO`].
const STRONG_P: f64 = 0.01;
/// A state of a culprit is out of line if it is so many times its peers' upper quartile in the same job.
const SINCE_RATIO: f64 = 1.5;
/// The ratio of jobs evened out is said to be that where it differs so much from that of
/// the medians beside it.
const VISIBLE_DIFFERENCE: f64 = 0.05;

/// The method.
pub struct KahunaWhiteBox;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::KahunaWb,
    paper: "Kahuna, IEEE NOMS 2010, §VI-A",
    needs: "TaskTracker and DataNode logs or job history: states with begin and end on three nodes",
    abstains: "fewer than three nodes with two states of the kind, each node unlike most of the others, or one that is and too small a wb_alpha to tell of so many nodes",
};
impl Diagnosis for KahunaWhiteBox {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        let (mut pooled, mut of_parts) = (Vec::new(), Vec::new());
        let is_asked = |kind: &StateKind| params.kahuna == Reading::Usual || !BEYOND_PAPER.contains(kind);
        let kinds = KINDS.into_iter().filter(is_asked);
        for kind in kinds.filter(|kind| trace.states.of_kind(*kind).next().is_some()) {
            let Some(comparer) = Comparer::new(trace, kind, params.numbers) else {
                pooled.push(abstaining(trace, kind));
                continue;
            };
            let witness = witness(trace, &comparer, params);
            of_parts.extend(parts::witnesses(trace, &comparer, params, &witness));
            pooled.push(witness);
        }
        pooled.extend(of_parts);
        pooled
    }
}

/// The witness of a kind of which too few nodes have enough states.
fn abstaining(trace: &Trace, kind: StateKind) -> Witness {
    let timed = trace.states.of_kind(kind).any(|s| s.start.is_some());
    let why = match (timed, trace.peer_nodes().count() < MIN_PEERS) {
        (false, _) => Abstention::NotLogged,
        (true, true) => Abstention::NoPeers,
        (true, false) => Abstention::TooFewData,
    };
    Witness { abstained: Some(why), ..Witness::new(Method::KahunaWb, Signal::States(kind)) }
}

/// The witness of one kind by all states.
fn witness(trace: &Trace, comparer: &Comparer, params: &Params) -> Witness {
    let comparison = comparer.compare(trace, params);
    if comparison.nodes.is_empty() {
        return abstaining(trace, comparer.kind());
    }
    let scope = Scope::default();
    let indicted: Vec<Indictment> =
        comparison.nodes.iter().filter_map(|own| indict(trace, &comparison, own, params, &scope)).collect();
    let compared: Vec<NodeId> = comparison.nodes.iter().map(|own| own.node).collect();
    let usual = params.baseline.as_ref().map(|baseline| &baseline.usual);
    let unlike_controls = usual.map(|usual| usual.slower(trace, comparer.kind(), &compared, &params.numbers));
    // What chance does not decide of holds for half of the nodes, however strong each word.
    let asks_less = params.kahuna == Reading::Literal || params.threshold != Threshold::Auto;
    let worse = if asks_less && 2 * indicted.len() >= compared.len() {
        indicted.iter().map(|word| word.node).collect()
    } else {
        comparer.slow_half(trace)
    };
    let is_open = comparison.leaves_open && indicted.is_empty();
    Witness {
        abstained: is_open.then_some(Abstention::TooManyPermutations),
        worse,
        unlike_controls: unlike_controls.unwrap_or_default(),
        ..speaking(comparer.kind(), scope, comparison, indicted)
    }
}

/// The witness with a comparison and what it says by it.
fn speaking(kind: StateKind, scope: Scope, mut comparison: PeerComparison, indicted: Vec<Indictment>) -> Witness {
    comparison.jobs = scope.ends().iter().map(ToString::to_string).collect();
    comparison.stretch = scope.stretch().map(|stretch| stretch.name().to_owned());
    for own in &mut comparison.nodes {
        own.indicted = indicted.iter().any(|word| word.node == own.node);
    }
    Witness {
        scores: comparison.nodes.iter().map(|own| (own.node, own.score)).collect(),
        threshold: Some(comparison.threshold),
        indicted,
        scope,
        comparison: Some(Comparison::Durations(Box::new(comparison))),
        ..Witness::new(Method::KahunaWb, Signal::States(kind))
    }
}

/// Whether the states of all jobs speak against a node without those of some attempts, too.
#[must_use]
pub fn indicts_without(
    trace: &Trace,
    kind: StateKind,
    node: NodeId,
    params: &Params,
    is_left_out: &dyn Fn(AttemptId) -> bool,
) -> bool {
    let is_meant = |state: &State| !state.attempt.is_some_and(is_left_out);
    let Some(comparer) = Comparer::of(trace, kind, params.numbers, &is_meant) else { return false };
    let Some(bins) = comparer.bins() else { return false };
    let comparison = comparer.compare_at_once(&bins, params);
    let own = comparison.nodes.iter().find(|own| own.node == node);
    own.is_some_and(|own| indict(trace, &comparison, own, params, &Scope::default()).is_some())
}

/// What is said of a node by the states of all jobs, or of a part of them.
fn indict(
    trace: &Trace,
    c: &PeerComparison,
    own: &NodeDurations,
    params: &Params,
    scope: &Scope,
) -> Option<Indictment> {
    let NodeDurations { node, score, ratio, p, .. } = *own;
    let slow = ratio >= params.numbers.get(Number::WbSlow);
    // With few states T ties with the threshold at 1; then chance decides.
    let unlikely = p.is_some_and(|p| p <= params.numbers.get(Number::WbAlpha));
    let is_far = match params.threshold {
        Threshold::Fixed(threshold) => score > threshold,
        Threshold::Auto => score >= c.threshold && unlikely,
    };
    // Of many parts some have a gap by chance; how rare last states are is known. A distance that is asked for is asked
    // of a gap, too.
    let is_rare = scope.is_all() || unlikely || own.last.is_some();
    let is_usual = params.kahuna == Reading::Usual;
    let by_gap = is_usual && own.gap && is_rare && (is_far || params.threshold == Threshold::Auto);
    let ratios = || c.nodes.iter().map(|own| own.ratio).collect::<Vec<f64>>();
    let kind = c.kind?;
    let holds = match params.kahuna {
        Reading::Usual => {
            ((is_far && slow) || by_gap) && stands_out(&ratios(), ratio) && tails::bear_out(trace, kind, node, scope)
        }
        Reading::Literal => is_far,
    };
    if !holds {
        return None;
    }
    let can_be_strong =
        matches!(kind, StateKind::Map | StateKind::Reduce | StateKind::ReduceReducer | StateKind::WriteBlock);
    let apart = if is_usual { ratio } else { ratio.max(1.0 / ratio) };
    let convincing = by_gap || (apart >= STRONG_RATIO && p.is_none_or(|p| p <= STRONG_P));
    let strength = if can_be_strong && convincing { Strength::Strong } else { Strength::Moderate };
    let text = sentence(trace, c, own, by_gap, scope)?;
    let OutOfLine { lines, since, until } = out_of_line(trace, kind, &c.nodes, node, scope, !is_usual && ratio < 1.0);
    Some(Indictment { node, strength, score, ratio, p, text, lines, since, until })
}

fn sentence(trace: &Trace, c: &PeerComparison, of_node: &NodeDurations, by_gap: bool, scope: &Scope) -> Option<String> {
    let kind = c.kind?.name();
    let NodeDurations { node, count, score, ratio, p, last, quartiles_s: [own, low, _], .. } = *of_node;
    let others = || c.nodes.iter().filter(|other| other.node != node).map(|other| other.quartiles_s);
    let (name, peers) = (trace.node_name(node), median(&sorted(others().map(|[median, ..]| median)))?);
    let (of, times) = (scope.after("of"), quantity::ratio(ratio, 1));
    let mut text = if (own / peers / ratio - 1.0).abs() > VISIBLE_DIFFERENCE {
        let alike =
            if c.kind == Some(StateKind::Localize) { "the first and the later of a job apart" } else { "job by job" };
        let beside = if may_stand_beside(ratio, own, peers) {
            format!("medians over all: {} of {count}, on its peers {}", duration(own), duration(peers))
        } else {
            format!("{count} of them")
        };
        format!("{kind}{of} on {name} takes × {times} as long as on its peers, {alike} ({beside})")
    } else {
        let (own, peers) = (duration(own), duration(peers));
        format!("{kind}{of} on {name} takes {own} (median of {count}), on its peers {peers}: × {times}")
    };
    text.push_str(&format!("; T = {score:.2}, threshold {:.2}", c.threshold));
    if let Some(p) = p {
        text.push_str(", ");
        text.push_str(&chance_in_words(p));
    }
    if by_gap {
        let others = others().map(|[.., upper]| upper).fold(0.0, f64::max);
        if let Some(Last { count, shortest_s, peers, peers_longest_s }) = last {
            let (shortest, longest) = (duration(shortest_s), duration(peers_longest_s));
            text.push_str(&format!(
                "; gap rule met: each of its last {count} took at least {shortest}, and none of the {peers} that its peers finished meanwhile more than {longest}"
            ));
            return Some(text);
        }
        // Jobs evened out, or of so few that the least counts, it does so in another way than these two show.
        text.push_str(&match low > others {
            true => {
                let (low, others) = (duration(low), duration(others));
                format!("; gap rule met: even its lower quartile {low} lies above every peer's upper quartile {others}")
            }
            false => String::from("; gap rule met job by job: even its shorter ones lie above most of every peer's"),
        });
    }
    Some(text)
}

/// A node's states that are out of line with its peers'.
struct OutOfLine {
    /// Where they are told, the longest of them first.
    lines: Vec<Place>,
    /// Begin of the first of them.
    since: Option<Timestamp>,
    /// End of the last of them, if enough that came after it were as usual.
    until: Option<Timestamp>,
}

/// How long a state lasted beside its peers'.
struct Lasted {
    job: Option<JobId>,
    start: Timestamp,
    end: Timestamp,
    place: Place,
    /// The logarithm of how many times as long as the median of the peers' in the same job.
    beyond: f64,
}

/// Each is compared with its peers' of the same job: longer ones, or shorter ones of a node that is faster. What came after
/// them may be of jobs that the word does not speak of.
fn out_of_line(
    trace: &Trace,
    kind: StateKind,
    peers: &[NodeDurations],
    node: NodeId,
    scope: &Scope,
    is_faster: bool,
) -> OutOfLine {
    let (mut own, mut others) = (Vec::new(), Vec::new());
    let is_nobodys = nobodys(trace, kind);
    for state in trace.states.of_kind(kind).filter(|state| !is_nobodys(state)) {
        let State { job, end, place, .. } = state;
        let Some((start, seconds)) = state.start.zip(seconds(trace, &state)) else { continue };
        let lasted = Lasted { job, start, end, place, beyond: ln(seconds.max(RESOLUTION_S)) };
        if state.node == Some(node) {
            own.push(lasted);
        } else if state.node.is_some_and(|other| peers.binary_search_by_key(&other, |peer| peer.node).is_ok()) {
            others.push(lasted);
        }
    }
    let mut usual = medians_by(others.iter().map(|s| (s.job, s.beyond)));
    // A job's files, which are written before its tasks run, are few and small: slow are those that take longer than tasks' do,
    // and fast those that take less than theirs.
    let of_tasks = median(&sorted(others.iter().filter(|s| s.job.is_some()).map(|s| s.beyond)));
    if let Some((of_none, of_tasks)) = usual.get_mut(&None).zip(of_tasks) {
        *of_none = if is_faster { of_tasks.min(*of_none) } else { of_tasks.max(*of_none) };
    }
    for states in [&mut own, &mut others] {
        states.retain_mut(|s| usual.get(&s.job).map(|usual| s.beyond -= usual).is_some());
        if is_faster {
            states.iter_mut().for_each(|s| s.beyond = -s.beyond);
        }
    }
    let is_meant = |s: &&Lasted| scope.covers_end(s.job, s.end);
    let others = sorted(others.iter().filter(is_meant).map(|s| s.beyond));
    let limit = quantile(&others, 0.75).unwrap_or(0.0) + ln(SINCE_RATIO);
    own.arrange_by(|s| (s.start, s.place));
    let mut meant: Vec<&Lasted> = own.iter().filter(is_meant).collect();
    let run = Run::of(meant.iter().map(|s| s.beyond - limit));
    let since = run.and_then(|run| meant.get(run.first)).map(|s| s.start);
    let last = run.and_then(|run| meant.get(run.last)).map(|s| s.end);
    let behind = |last: Timestamp| own.iter().filter(move |s| s.start > last).map(|s| s.beyond);
    let until = last.filter(|last| is_usual_again(behind(*last)));
    meant.arrange(|a, b| b.beyond.total_cmp(&a.beyond).then((a.start, a.place).cmp(&(b.start, b.place))));
    OutOfLine { lines: meant.into_iter().take(EVIDENCE_LINES).map(|s| s.place).collect(), since, until }
}
