//! Transfers that touch a node against those of the same size that do not.
//!
//! # Finds
//! Nodes whose network or disk holds up every transfer that has an end there: packet
//! loss above all, which moves task times little since a task waits for other things too.
//!
//! # Paper
//! None: Kahuna §VI-A compares a node's own states, and a transfer is the state of two
//! nodes. Here it counts for both, so that a slow end shows as the common one.
//!
//! # Needs
//! Transfers with begin and end: clienttrace with durations, `Receiving` lines, the
//! fetches in the reduces' logs.
//!
//! # Method
//! ```text
//! transfer   a read; a block written, through its whole pipeline; a map output fetched
//! x          ln(seconds + 0.05) − median of the transfers of its kind, job and size class
//! score(i)   mean x of the transfers that touch node i − mean x of those that do not
//! indicted ⇔ exp(score) ≥ 1.5 (writes: 1.6), of those nodes weighed(i) = score(i) · √(n m / (n + m)) is the largest, of n
//!            transfers that touch i and m that do not, and p ≤ 0.001 among 2000 permutations of x: the largest there is as large
//! strong   ⇔ exp(score) ≥ 3, or the slowest tenth of its transfers takes 5 × that of the others
//! ```
//! Only that one is indicted: a slow node makes its partners' transfers slow as well. Then all that touches it is set
//! aside, and the rest is asked again, with p times the number of questions: so a second slow node is named, and nobody for
//! dealing with the first. Of several each counts by what touches none of the others. So small a chance takes more permutations:
//! of the k-th question, at the usual α, those of 100,000 / k transfers at the most, chosen by lot.
//!
//! Parts of several jobs are asked as well, down to single ones ([`Scope`]). A fault began in a job in which it shows: where
//! the run of slow transfers goes back into one before, it is cut off there.
//!
//! # Parameters
//! [`Number::FlowsTransfers`], [`Number::FlowsAlpha`], [`Number::FlowsSlow`], [`Number::FlowsSlowWrites`]; the constants
//! here and in the files beside.
//!
//! # Abstains when
//! Fewer than three nodes have three transfers each that touch them.
//!
//! # Known misses
//! Loss that TCP repairs within a round trip; nodes that take part in every transfer; of the k-th question (30 parts of many
//! jobs make as many), nodes that show in all transfers and not in 100,000 / k of them.
//!
//! # Cost
//! O(transfers · pipeline · permutations), the transfers at most [`transfer::MAX_TRANSFERS`].

mod compare;
mod transfer;

use super::scope::keep_the_best;
use super::{
    Abstention, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Numbers, Params,
    Scope, Signal, Strength, Witness, chance_in_words, may_stand_beside,
};
use crate::base::math::{exp, ln};
use crate::base::quantity::{self, of_millis};
use crate::base::{Arrange, BlockId, Gathered, JobId, NodeId, Place, Timestamp};
use crate::model::{FlowKind, StateKind, Trace};
use crate::stats::onset::{Run, is_usual_again};
use crate::stats::quantile::{median, quantile, sorted};
use compare::{Field, Limits, Named, PERMUTATION_BUDGET, named};
use std::collections::{BTreeMap, BTreeSet};
use transfer::Transfer;

/// From here on the word is strong.
const STRONG_RATIO: f64 = 3.0;
/// Or the slowest tenth takes so many times as long as the others' slowest tenth: a lost
/// packet waits for TCP's timer (0.2 s, doubling), which moves the tail before the mean.
/// Runs without a fault stay below 2.
const STRONG_TAIL: f64 = 5.0;
/// The tail looked at.
const TAIL: f64 = 0.9;
/// Permutations: p down to 1/2001.
const PERMUTATIONS: usize = 2000;
/// A transfer is out of line if it is so many times its class's upper quartile.
const SINCE_RATIO: f64 = 1.5;
/// What the slow transfers of a job, each of which counts 1 at most, add up to where a fault shows in it: one or two are slow
/// by chance.
const SHOWN: f64 = 2.5;
/// Seeds the permutations ("flows" in ASCII); the kind's number is added.
const SEED: u64 = 0x0066_6c6f_7773;

/// The method.
pub struct Flows;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::Flows,
    paper: "beside the papers; transfers as in Mochi's data flow (CMU-PDL-09-103 §3)",
    needs: "transfers with begin and end on three nodes",
    abstains: "fewer than three nodes with three transfers, or each node unlike most of the others",
};

/// The transfers of one kind with the nodes that they touch.
struct Transfers {
    kind: FlowKind,
    nodes: Vec<NodeId>,
    rows: Vec<Transfer>,
}

impl Diagnosis for Flows {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        [FlowKind::Read, FlowKind::Write, FlowKind::Shuffle]
            .into_iter()
            .filter_map(|kind| Transfers::collect(trace, kind))
            .flat_map(|transfers| {
                let pooled = transfers.judged(trace, &params.numbers, &Scope::default(), 1, &transfers);
                let of_parts = transfers.of_parts(trace, &params.numbers, &pooled);
                std::iter::once(pooled).chain(of_parts)
            })
            .collect()
    }
}

impl Transfers {
    /// `None` where no transfer of the kind was logged.
    fn collect(trace: &Trace, kind: FlowKind) -> Option<Self> {
        let nodes: Vec<NodeId> = trace.peer_nodes().collect();
        let (any, rows) = transfer::collect(trace, kind, &nodes);
        any.then_some(Self { kind, nodes, rows })
    }

    /// What the transfers of some jobs say where those of all say nothing, or less: a fault that lasted for some of several
    /// jobs is lost among the others. The chance allowed is divided among the parts that are judged.
    fn of_parts(&self, trace: &Trace, numbers: &Numbers, pooled: &Witness) -> Vec<Witness> {
        let jobs: BTreeSet<JobId> = self.rows.iter().filter_map(|row| row.job).gathered();
        let parts = Scope::parts_of(&jobs);
        let judged = parts.iter().map(|part| {
            let rows = self.rows.iter().filter(|row| part.covers(row.job)).cloned().collect();
            Self { kind: self.kind, nodes: self.nodes.clone(), rows }.judged(trace, numbers, part, parts.len(), self)
        });
        let mut witnesses: Vec<Witness> = judged.collect();
        keep_the_best(pooled, witnesses.iter_mut().map(|w| &mut w.indicted));
        witnesses.retain(|w| !w.indicted.is_empty());
        witnesses
    }

    /// The witness of these jobs, a part of `all`; so many parts are tested for the same.
    fn judged(&self, trace: &Trace, numbers: &Numbers, scope: &Scope, tests: usize, all: &Self) -> Witness {
        let slow = if self.kind == FlowKind::Write { Number::FlowsSlowWrites } else { Number::FlowsSlow };
        let limits = Limits {
            least: numbers.count(Number::FlowsTransfers),
            ratio: numbers.get(slow),
            alpha: numbers.get(Number::FlowsAlpha),
            asked: tests,
            budget: PERMUTATION_BUDGET,
        };
        let mut witness = Witness { scope: scope.clone(), ..Witness::new(Method::Flows, Signal::Transfers(self.kind)) };
        let judged = self.without(&[]).ratios(limits.least);
        if judged.len() < MIN_PEERS {
            witness.abstained = Some(match (self.rows.is_empty(), self.nodes.len() < MIN_PEERS) {
                (true, _) => Abstention::NotLogged,
                (false, true) => Abstention::NoPeers,
                (false, false) => Abstention::TooFewData,
            });
            return witness;
        }
        witness.scores = judged.iter().filter_map(|(i, ratio)| Some((*self.nodes.get(*i)?, *ratio))).collect();
        witness.threshold = Some(limits.ratio);
        let named = named(self.kind, self.nodes.len(), &self.rows, limits);
        witness.indicted = named.iter().filter_map(|one| self.indict(trace, *one, &named, scope, all)).collect();
        // Whoever is named among others has the score that it was named for.
        for word in &witness.indicted {
            witness.scores.iter_mut().filter(|(node, _)| *node == word.node).for_each(|(_, score)| *score = word.score);
        }
        witness
    }

    fn without(&self, aside: &[usize]) -> Field<'_> {
        Field::without(self.kind, self.nodes.len(), &self.rows, aside)
    }

    /// One of those named, by what touches none of the others.
    fn indict(&self, trace: &Trace, one: Named, named: &[Named], scope: &Scope, all: &Self) -> Option<Indictment> {
        let Named { node: i, ratio, p } = one;
        let node = *self.nodes.get(i)?;
        let aside: Vec<usize> = named.iter().map(|other| other.node).filter(|other| *other != i).collect();
        let (mut own, others): (Vec<&Transfer>, Vec<&Transfer>) =
            self.without(&aside).rows.into_iter().partition(|t| t.nodes.contains(&i));
        let seconds = |rows: &[&Transfer]| median(&sorted(rows.iter().map(|t| t.seconds))).unwrap_or(0.0);
        let plural = match self.kind {
            FlowKind::Read => "Block reads",
            FlowKind::Write => "Block writes",
            FlowKind::Replicate => "Block copies",
            FlowKind::Shuffle => "Fetches of map outputs",
        };
        let tail = |rows: &[&Transfer]| quantile(&sorted(rows.iter().map(|t| t.x)), TAIL);
        let tail = exp(tail(&own)? - tail(&others)?);
        let (own_s, others_s) = (seconds(&own), seconds(&others));
        let (these, more) = (own.len(), others.len());
        let beside = if may_stand_beside(ratio, own_s, others_s) {
            let [own, others] = [own_s, others_s].map(|s| of_millis(s * 1e3));
            format!("medians over all sizes: {own} for these {these}, {others} for {more} others")
        } else {
            format!("{these} transfers, {more} others")
        };
        let text = format!(
            "{plural}{} from or to {} take {} times as long as others of the same size, the slowest tenth {} times, {} ({beside})",
            scope.after("in"),
            trace.node_name(node),
            quantity::ratio(ratio, 1),
            quantity::ratio(tail, 1),
            chance_in_words(p),
        );
        let x_of_others = sorted(others.iter().map(|t| t.x));
        let (usual, limit) = (median(&x_of_others)?, quantile(&x_of_others, 0.75)? + ln(SINCE_RATIO));
        // They are in order of their begins.
        let of_tasks = beside_tasks(&own, &others);
        let timed: Vec<&Transfer> = of_tasks.iter().collect();
        let run = Run::of(timed.iter().map(|t| t.x - limit));
        let within: &[&Transfer] = run.and_then(|run| timed.get(run.first..=run.last)).unwrap_or_default();
        let first = Self::begin(within, &timed, &others, limit).or(within.first().copied());
        // Map outputs are fetched when maps are done: what holds that up held the maps up before.
        let long_map =
            first.filter(|_| self.kind == FlowKind::Shuffle).and_then(|t| first_long_map(trace, node, t.job?));
        let since = first.map(|t| long_map.map_or(t.start, |long| long.min(t.start)));
        let behind = |last: Timestamp| {
            let own = all.without(&aside).rows.into_iter().filter(move |t| t.nodes.contains(&i) && t.start > last);
            own.map(|t| t.x - usual)
        };
        let last = run.and_then(|run| timed.get(run.last)).map(|t| t.end());
        let until = last.filter(|last| is_usual_again(behind(*last)));
        own.arrange(|a, b| b.x.total_cmp(&a.x).then(a.place.cmp(&b.place)));
        let mut lines: Vec<Place> = own.iter().take(EVIDENCE_LINES).map(|t| t.place).collect();
        if self.kind == FlowKind::Write {
            quote_stages_of(trace, node, &mut lines);
        }
        let strength = if ratio >= STRONG_RATIO || tail >= STRONG_TAIL { Strength::Strong } else { Strength::Moderate };
        Some(Indictment { node, strength, score: ratio, ratio, p: Some(p), text, lines, since, until })
    }

    /// With which of the transfers of a run it began, where that is told: the first slow one in a job in which those of the
    /// node at this place add up to more than those of any other. A few at the end of the job before may be slow by chance, or
    /// as others are, and the run goes on from them.
    fn begin<'t>(run: &[&'t Transfer], own: &[&Transfer], others: &[&Transfer], limit: f64) -> Option<&'t Transfer> {
        let jobs: BTreeSet<Option<JobId>> = run.iter().map(|t| t.job).gathered();
        let mut by_node: BTreeMap<(Option<JobId>, usize), Vec<f64>> = BTreeMap::new();
        for t in others.iter().filter(|t| jobs.contains(&t.job)) {
            for node in &t.nodes {
                by_node.entry((t.job, *node)).or_default().push(t.x - limit);
            }
        }
        let mut most_of_others: BTreeMap<Option<JobId>, f64> = BTreeMap::new();
        for ((job, _), excess) in by_node {
            let most = most_of_others.entry(job).or_insert(SHOWN);
            *most = Run::sum_in(excess.into_iter()).max(*most);
        }
        // What is of no job that is known may be of the next.
        let shows = |job: Option<JobId>| {
            let of_own = || Run::sum_in(own.iter().filter(|t| t.job == job).map(|t| t.x - limit));
            job.is_none() || of_own() > most_of_others.get(&job).copied().unwrap_or(SHOWN)
        };
        let shown: BTreeSet<Option<JobId>> = jobs.iter().copied().filter(|job| shows(*job)).gathered();
        run.iter().copied().filter(|t| t.x > limit).find(|t| shown.contains(&t.job))
    }
}

/// Of blocks' pipelines, each known by the line of its longest stage, puts in the lines of the stages that a node is an end of:
/// that of its own log, if there is one, else what another has of it.
fn quote_stages_of(trace: &Trace, node: NodeId, lines: &mut [Place]) {
    let mut blocks: Vec<Option<BlockId>> = vec![None; lines.len()];
    trace.flows.each_of_kind(FlowKind::Write, &mut |_, flow| {
        for (block, _) in blocks.iter_mut().zip(&*lines).filter(|(_, line)| **line == flow.place) {
            *block = flow.block;
        }
    });
    let mut shown = vec![0; lines.len()];
    trace.flows.each_of_kind(FlowKind::Write, &mut |_, flow| {
        let shows = match (flow.src == Some(node.0), flow.dest == Some(node.0)) {
            (_, true) => 2,
            (true, _) => 1,
            _ => return,
        };
        for ((line, block), shown) in lines.iter_mut().zip(&blocks).zip(&mut shown) {
            if block.is_some() && flow.block == *block && shows > *shown {
                (*line, *shown) = (flow.place, shows);
            }
        }
    });
}

/// A node's transfers, those of no job measured by the tasks' on other nodes too. A job's files, which are written before its
/// tasks run, have few of their size beside them; but they are small, and slow only if tasks' own transfers take less.
fn beside_tasks(own: &[&Transfer], others: &[&Transfer]) -> Vec<Transfer> {
    let usual = median(&sorted(others.iter().filter(|t| t.job.is_some()).map(|t| t.log_seconds())));
    let x = |t: &Transfer| match usual.filter(|_| t.job.is_none()) {
        Some(usual) => t.x.min(t.log_seconds() - usual),
        None => t.x,
    };
    own.iter().map(|t| t.with_x(x(t))).collect()
}

/// How many times as long as others of their size a node's transfers take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The lower quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// Where the slowest tenth begins.
    pub slowest_tenth: f64,
}

/// The transfers that touch a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The node.
    pub node: NodeId,
    /// How many transfers touch it.
    pub count: usize,
    /// Beside others of their size.
    pub times: Times,
    /// Their median, over all sizes, in seconds.
    pub median_s: f64,
}

/// The transfers of a kind by the nodes that they touch, in a job or in all: what the witness compares, for figures.
#[must_use]
pub fn spreads(trace: &Trace, kind: FlowKind, job: Option<JobId>) -> Vec<Spread> {
    let Some(transfers) = Transfers::collect(trace, kind) else { return Vec::new() };
    let mut touching: Vec<Vec<&Transfer>> = vec![Vec::new(); transfers.nodes.len()];
    for row in transfers.rows.iter().filter(|row| job.is_none() || row.job == job) {
        for i in &row.nodes {
            touching.get_mut(*i).into_iter().for_each(|own| own.push(row));
        }
    }
    let spread = |(node, own): (&NodeId, Vec<&Transfer>)| {
        let x = sorted(own.iter().map(|t| t.x));
        let times = |share: f64| quantile(&x, share).map(exp);
        Some(Spread {
            node: *node,
            count: own.len(),
            times: Times { lower: times(0.25)?, median: times(0.5)?, upper: times(0.75)?, slowest_tenth: times(TAIL)? },
            median_s: median(&sorted(own.iter().map(|t| t.seconds)))?,
        })
    };
    transfers.nodes.iter().zip(touching).filter_map(spread).collect()
}

/// When the first of a node's maps in a job began that was out of line with its peers', where half of the node's are.
fn first_long_map(trace: &Trace, node: NodeId, job: JobId) -> Option<Timestamp> {
    let maps = trace.states.of_kind(StateKind::Map).filter(|state| state.job == Some(job) && state.node.is_some());
    let timed = maps.filter_map(|state| Some((state.node, state.start?, state.end.millis_since(state.start?) as f64)));
    let (own, others): (Vec<_>, Vec<_>) = timed.partition(|(of, ..)| *of == Some(node));
    let ms = |maps: &[(Option<NodeId>, Timestamp, f64)]| sorted(maps.iter().map(|(.., ms)| *ms));
    let (own_ms, others_ms) = (ms(&own), ms(&others));
    let long = quantile(&others_ms, 0.75)? * SINCE_RATIO;
    let is_slow = others.len() >= MIN_PEERS && median(&own_ms)? > long;
    own.iter().filter(|(.., ms)| is_slow && *ms > long).map(|(_, start, _)| *start).min()
}

/// How many times as long as others a node's transfers take, where all that touches some other nodes is set aside: those
/// of a part of the jobs, or of all where that has too few left; `None` where too few of all are left to tell.
#[must_use]
pub fn ratio_without(
    trace: &Trace,
    numbers: &Numbers,
    (kind, scope): (FlowKind, &Scope),
    node: NodeId,
    aside: &[NodeId],
) -> Option<f64> {
    let transfers = Transfers::collect(trace, kind)?;
    let place = |node: &NodeId| transfers.nodes.binary_search(node).ok();
    let aside: Vec<usize> = aside.iter().filter_map(place).collect();
    let own = place(&node)?;
    let least = numbers.count(Number::FlowsTransfers);
    let ratio_of =
        |field: &Field<'_>| field.ratios(least).into_iter().find_map(|(of, ratio)| (of == own).then_some(ratio));
    let all = transfers.without(&aside);
    ratio_of(&all.within(scope)).or_else(|| ratio_of(&all))
}

#[cfg(test)]
pub(crate) mod tests;
