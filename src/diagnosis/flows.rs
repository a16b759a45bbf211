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
//! x          ln(seconds + 0.05) − median of the transfers of its kind and size class
//! score(i)   mean x of the transfers that touch node i − mean x of those that do not
//! indicted ⇔ score(i) is the largest, exp(score) ≥ 1.5 (writes: 2), p ≤ 0.001 among 2000 permutations of x
//! strong   ⇔ exp(score) ≥ 3, or the slowest tenth of its transfers takes 5 × that of the others
//! ```
//! Only the largest is indicted: a slow node makes its partners' transfers slow as well.
//!
//! # Abstains when
//! Fewer than three nodes have three transfers each that touch them.
//!
//! # Known misses
//! Loss that TCP repairs within a round trip; nodes that take part in every transfer.
//!
//! # Cost
//! O(transfers · pipeline · permutations), the transfers at most [`MAX_TRANSFERS`].

use super::{
    Abstention, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, JOBS_ALONE, MIN_PEERS, Method, Number, Numbers,
    Params, Strength, Witness, chance_in_words,
};
use crate::base::math::{exp, ln};
use crate::base::quantity::duration;
use crate::base::{Arrange, BlockId, Gathered, JobId, NodeId, Place, Timestamp};
use crate::model::{Flow, FlowKind, Trace};
use crate::stats::onset::onset;
use crate::stats::outlier::stands_out;
use crate::stats::quantile::{median, quantile, sorted};
use crate::stats::random::{Shuffler, chance};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Added to every duration: differences below a twentieth of a second are scheduling.
const SHORT_TRANSFER_S: f64 = 0.05;
/// Sizes within one class differ by this factor at most: with wider ones the skewed node
/// of an application is named for its large transfers.
const SIZE_CLASS_FACTOR: f64 = 4.0;
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
/// Transfers compared at the most, evenly chosen: more say nothing new, and to permute these takes a browser
/// about a second.
const MAX_TRANSFERS: usize = 50_000;
/// Values moved by permutations at the most.
const PERMUTATION_BUDGET: usize = PERMUTATIONS * MAX_TRANSFERS;
/// A transfer is out of line if it is so many times its class's upper quartile.
const SINCE_RATIO: f64 = 1.5;
/// Seeds the permutations ("flows" in ASCII); the kind's number is added.
const SEED: u64 = 0x0066_6c6f_7773;

/// The method.
pub struct Flows;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::Flows,
    paper: "beside the papers; transfers as in Mochi's data flow (CMU-PDL-09-103 §3)",
    needs: "transfers with begin and end on three nodes",
    abstains: "fewer than three nodes with three transfers",
};

/// One transfer.
struct Transfer {
    nodes: Vec<usize>,
    job: Option<JobId>,
    seconds: f64,
    bytes: u64,
    x: f64,
    start: Timestamp,
    place: Place,
}

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
                let pooled = transfers.judged(trace, &params.numbers, 1);
                let alone = if pooled.indicted.is_empty() { transfers.of_a_job(trace, &params.numbers) } else { None };
                std::iter::once(pooled).chain(alone)
            })
            .collect()
    }
}

impl Transfers {
    /// `None` where no transfer of the kind was logged.
    fn collect(trace: &Trace, kind: FlowKind) -> Option<Self> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let index = |end: Option<u32>| end.and_then(|end| peers.binary_search(&NodeId(end)).ok());
        let (any, mut rows) = if kind == FlowKind::Write { written(trace, index) } else { moved(trace, kind, index) };
        rows.sort_by_key(|transfer: &Transfer| transfer.start);
        subtract_class_medians(&mut rows);
        any.then_some(Self { kind, nodes: peers, rows })
    }

    /// Score of each node with enough transfers of its own and of others.
    fn scores(&self, x: &[f64], least: usize) -> Vec<Option<f64>> {
        let mut touching = vec![(0.0, 0_usize); self.nodes.len()];
        let total: f64 = x.iter().sum();
        for (row, x) in self.rows.iter().zip(x) {
            for node in &row.nodes {
                if let Some((sum, count)) = touching.get_mut(*node) {
                    *sum += x;
                    *count += 1;
                }
            }
        }
        let score = |(sum, count): &(f64, usize)| {
            let others = x.len() - count;
            let enough = *count >= least && others >= least;
            enough.then(|| sum / *count as f64 - (total - sum) / others as f64)
        };
        touching.iter().map(score).collect()
    }

    /// The largest score of each permutation, ascending.
    fn permuted_maxima(&self, x: &[f64], least: usize, rounds: usize) -> Vec<f64> {
        let mut x = x.to_vec();
        let mut shuffler = Shuffler::new(SEED.wrapping_add(self.kind as u64));
        let maxima = (0..rounds).map(|_| {
            shuffler.shuffle(&mut x);
            self.scores(&x, least).into_iter().flatten().fold(f64::NEG_INFINITY, f64::max)
        });
        sorted(maxima.collect::<Vec<_>>())
    }

    /// What the transfers of one job say where those of all say nothing: a fault that lasted for one of several jobs is
    /// lost among the others. The chance allowed is divided among the jobs that are judged.
    fn of_a_job(self, trace: &Trace, numbers: &Numbers) -> Option<Witness> {
        let mut by_job: BTreeMap<JobId, Vec<Transfer>> = BTreeMap::new();
        for row in self.rows {
            if let Some(job) = row.job {
                by_job.entry(job).or_default().push(row);
            }
        }
        let mut jobs: Vec<(JobId, Vec<Transfer>)> = by_job.into_iter().collect();
        jobs.arrange(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
        jobs.truncate(JOBS_ALONE);
        let judged = jobs.len();
        if judged < 2 {
            return None;
        }
        let witnesses = jobs.into_iter().map(|(job, rows)| {
            let of_job = Self { kind: self.kind, nodes: self.nodes.clone(), rows };
            Witness { job: Some(job), ..of_job.judged(trace, numbers, judged) }
        });
        witnesses.filter(|w| !w.indicted.is_empty()).reduce(|a, b| if strongest(&b) > strongest(&a) { b } else { a })
    }

    /// The witness, one of so many that are asked the same.
    fn judged(&self, trace: &Trace, numbers: &Numbers, of: usize) -> Witness {
        let least = numbers.count(Number::FlowsTransfers);
        let mut witness = Witness::new(Method::Flows, self.kind.name());
        let x: Vec<f64> = self.rows.iter().map(|t| t.x).collect();
        let judged: Vec<(usize, f64)> =
            self.scores(&x, least).into_iter().enumerate().filter_map(|(i, score)| Some((i, score?))).collect();
        if judged.len() < MIN_PEERS {
            witness.abstained = Some(match (self.rows.is_empty(), self.nodes.len() < MIN_PEERS) {
                (true, _) => Abstention::NotLogged,
                (false, true) => Abstention::NoPeers,
                (false, false) => Abstention::TooFewData,
            });
            return witness;
        }
        let ratio_of = |score: f64| exp(score);
        witness.scores =
            judged.iter().filter_map(|(i, score)| Some((*self.nodes.get(*i)?, ratio_of(*score)))).collect();
        let slow = if self.kind == FlowKind::Write { Number::FlowsSlowWrites } else { Number::FlowsSlow };
        let limit = numbers.get(slow);
        witness.threshold = Some(limit);
        let slowest = judged.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
        let ratios: Vec<f64> = witness.scores.iter().map(|(_, ratio)| *ratio).collect();
        let is_far = |score: f64| ratio_of(score) >= limit && stands_out(&ratios, ratio_of(score));
        if let Some((i, score)) = slowest.filter(|(_, score)| is_far(*score)) {
            // So small a chance needs more of them.
            let rounds = (PERMUTATIONS * of).min(PERMUTATION_BUDGET / x.len().max(1));
            let null = self.permuted_maxima(&x, least, rounds);
            let p = chance(&null, score) * of as f64;
            if p <= numbers.get(Number::FlowsAlpha) {
                witness.indicted.extend(self.indict(trace, i, ratio_of(score), p));
            }
        }
        witness
    }

    fn indict(&self, trace: &Trace, i: usize, ratio: f64, p: f64) -> Option<Indictment> {
        let node = *self.nodes.get(i)?;
        let (mut own, others): (Vec<&Transfer>, Vec<&Transfer>) = self.rows.iter().partition(|t| t.nodes.contains(&i));
        let seconds = |rows: &[&Transfer]| median(&sorted(rows.iter().map(|t| t.seconds))).unwrap_or(0.0);
        let plural = match self.kind {
            FlowKind::Read => "blocks read",
            FlowKind::Write => "blocks written",
            FlowKind::Replicate => "blocks copied",
            FlowKind::Shuffle => "map outputs fetched",
        };
        let tail = |rows: &[&Transfer]| quantile(&sorted(rows.iter().map(|t| t.x)), TAIL);
        let tail = exp(tail(&own)? - tail(&others)?);
        let text = format!(
            "{plural} from or to {} take × {ratio:.1} as long as others of their size, their slowest tenth × {tail:.1}, {} (medians over all sizes: {} of {}, {} of {} others)",
            trace.node_name(node),
            chance_in_words(p),
            duration(seconds(&own)),
            own.len(),
            duration(seconds(&others)),
            others.len(),
        );
        let limit = quantile(&sorted(others.iter().map(|t| t.x)), 0.75)? + ln(SINCE_RATIO);
        // They are in order of their begins.
        let since = onset(own.iter().map(|t| t.x - limit)).and_then(|at| own.get(at)).map(|t| t.start);
        own.arrange(|a, b| b.x.total_cmp(&a.x).then(a.place.cmp(&b.place)));
        let lines = own.iter().take(EVIDENCE_LINES).map(|t| t.place).collect();
        let strength = if ratio >= STRONG_RATIO || tail >= STRONG_TAIL { Strength::Strong } else { Strength::Moderate };
        Some(Indictment { node, strength, score: ratio, ratio, p: Some(p), text, lines, since })
    }
}

fn strongest(witness: &Witness) -> f64 {
    witness.indicted.iter().map(|word| word.ratio).fold(0.0, f64::max)
}

/// What a transfer needs to be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Has {
    begin: bool,
    bytes: bool,
    peer: bool,
}

impl Has {
    const ALL: Self = Self { begin: true, bytes: true, peer: true };

    fn of(flow: &Flow, index: impl Fn(Option<u32>) -> Option<usize>) -> Self {
        let peer = index(flow.src).or_else(|| index(flow.dest)).is_some();
        Self { begin: flow.start.is_some(), bytes: flow.bytes.is_some(), peer }
    }

    const fn or(self, other: Self) -> Self {
        Self { begin: self.begin || other.begin, bytes: self.bytes || other.bytes, peer: self.peer || other.peer }
    }
}

/// Whether there is any flow of a kind, and those that can be compared, each a transfer: of too many every
/// second, third…
fn moved(trace: &Trace, kind: FlowKind, index: impl Fn(Option<u32>) -> Option<usize> + Copy) -> (bool, Vec<Transfer>) {
    let (mut any, mut count) = (false, 0_usize);
    trace.flows.each_of_kind(kind, &mut |_, flow| {
        any = true;
        count += usize::from(Has::of(flow, index) == Has::ALL);
    });
    let step = count.div_ceil(MAX_TRANSFERS).max(1);
    let (mut rows, mut at) = (Vec::with_capacity(count / step + 1), 0_usize);
    trace.flows.each_of_kind(kind, &mut |_, flow| {
        if Has::of(flow, index) == Has::ALL {
            if at.is_multiple_of(step) {
                rows.extend(transfer(std::slice::from_ref(flow), index));
            }
            at += 1;
        }
    });
    (any, rows)
}

/// The same of writes: a block's pipeline is one transfer.
fn written(trace: &Trace, index: impl Fn(Option<u32>) -> Option<usize> + Copy) -> (bool, Vec<Transfer>) {
    let mut any = false;
    let mut by_block: Vec<(BlockId, usize, Has)> = Vec::new();
    trace.flows.each_of_kind(FlowKind::Write, &mut |i, flow| {
        any = true;
        by_block.extend(flow.block.map(|block| (block, i, Has::of(flow, index))));
    });
    by_block.sort_unstable();
    let blocks = || {
        let blocks = by_block.chunk_by(|(a, ..), (b, ..)| a == b);
        blocks.filter(|block| block.iter().fold(Has::default(), |all, (.., has)| all.or(*has)) == Has::ALL)
    };
    let step = blocks().count().div_ceil(MAX_TRANSFERS).max(1);
    // Which flows are of which block, in the order of flows: they are unpacked once.
    let chosen = (0_usize..).zip(blocks().step_by(step));
    let mut chosen: Vec<(usize, usize)> =
        chosen.flat_map(|(number, block)| block.iter().map(move |(_, i, _)| (*i, number))).collect();
    drop(by_block);
    chosen.sort_unstable();
    let mut next = chosen.iter().peekable();
    let mut stages: Vec<(usize, Flow)> = Vec::with_capacity(chosen.len());
    trace.flows.each_of_kind(FlowKind::Write, &mut |i, flow| {
        stages.extend(next.next_if(|(of, _)| *of == i).map(|(_, number)| (*number, *flow)));
    });
    stages.arrange_by(|(number, _)| *number);
    let mut pipeline = Vec::new();
    let rows = stages.chunk_by(|(a, _), (b, _)| a == b).filter_map(|stages| {
        pipeline.clear();
        pipeline.extend(stages.iter().map(|(_, flow)| *flow));
        transfer(&pipeline, index)
    });
    (any, rows.collect())
}

/// The longest of a transfer's stages: the first node's, which ends when all behind it have. Begin and end are of one
/// log: two nodes' clocks would make a transfer long or short by as much as they differ.
struct Length {
    begin: (Timestamp, Place),
    millis: i64,
    bytes: u64,
}

impl Length {
    fn of(stages: &[Flow]) -> Option<Self> {
        let timed = stages.iter().filter_map(|f| Some((f.end.millis_since(f.start?), f.start?, f.place)));
        let (millis, start, place) = timed.max_by_key(|(millis, start, place)| (*millis, Reverse((*start, *place))))?;
        Some(Self { begin: (start, place), millis, bytes: stages.iter().filter_map(|f| f.bytes).max()? })
    }
}

/// Every node that is an end of a stage, some more than once.
fn touched(stages: &[Flow], index: impl Fn(Option<u32>) -> Option<usize>) -> impl Iterator<Item = usize> {
    stages.iter().flat_map(|f| [f.src, f.dest]).filter_map(index)
}

/// One transfer of its stages.
fn transfer(stages: &[Flow], index: impl Fn(Option<u32>) -> Option<usize>) -> Option<Transfer> {
    let Length { begin: (start, place), millis, bytes } = Length::of(stages)?;
    let mut nodes: Vec<usize> = touched(stages, index).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let seconds = millis.max(0) as f64 / 1000.0;
    let job = stages.iter().find_map(|f| f.attempt).map(|attempt| attempt.job);
    let x = ln(seconds + SHORT_TRANSFER_S);
    Some(Transfer { nodes, job, seconds, bytes, x, start, place })
}

/// Larger transfers take longer, and so do those of a job that moves much at once: times
/// are compared within a class of size and a job.
fn subtract_class_medians(rows: &mut [Transfer]) {
    let class = |row: &Transfer| (row.job, (ln(row.bytes.max(1) as f64) / ln(SIZE_CLASS_FACTOR)) as u32);
    let mut by_class: BTreeMap<(Option<JobId>, u32), Vec<f64>> = BTreeMap::new();
    for row in rows.iter() {
        by_class.entry(class(row)).or_default().push(row.x);
    }
    let medians: BTreeMap<(Option<JobId>, u32), f64> =
        by_class.into_iter().map(|(class, x)| (class, median(&sorted(x)).unwrap_or(0.0))).gathered();
    for row in rows {
        row.x -= medians.get(&class(row)).copied().unwrap_or(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId};
    use crate::model::{Lanes, Node};

    /// A cluster of `n` nodes in which every pair moves four times `bytes`, each taking
    /// `seconds(src, dest)`.
    fn cluster(n: u32, seconds: impl Fn(u32, u32) -> f64, bytes: impl Fn(u32, u32) -> u64) -> Trace {
        let pairs = (0..4).flat_map(|_| (0..n).flat_map(|a| (0..a).map(move |b| (a, b))));
        let flows = pairs.enumerate().map(|(line, (src, dest))| {
            let start = Timestamp::from_millis(line as i64 * 1000);
            Flow {
                kind: FlowKind::Shuffle,
                src: Some(src),
                dest: Some(dest),
                start: Some(start),
                end: start.plus_millis((seconds(src, dest) * 1000.0) as i64),
                bytes: Some(bytes(src, dest)),
                block: None,
                attempt: None,
                reduce: None,
                place: Place { file: FileId(0), line: line as u64 },
            }
        });
        Trace {
            flows: Lanes::from_rows(flows),
            nodes: (0..n).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            ..Trace::default()
        }
    }

    fn shuffle(trace: &Trace) -> Witness {
        let mut witnesses = Flows.run(trace, &Params::default());
        assert_eq!(witnesses.len(), 1, "one kind of flow, one witness");
        witnesses.remove(0)
    }

    #[test]
    fn slow_end_is_named_with_its_ratio() {
        // All of node 2 takes 4 s, the rest 1 s: x differs by ln(4.05 / 1.05).
        let trace = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
        let witness = shuffle(&trace);
        assert_eq!(witness.indicted.len(), 1);
        let word = &witness.indicted[0];
        assert_eq!((word.node, word.strength), (NodeId(2), Strength::Strong));
        assert!((word.ratio - 4.05 / 1.05).abs() < 1e-9, "{}", word.ratio);
        assert!(word.p.unwrap() <= Numbers::default().get(Number::FlowsAlpha));
        // The first transfer of node 2 (to node 0) is the second of all.
        assert_eq!(word.since, Some(Timestamp::from_millis(1000)));
        assert_eq!(word.lines.len(), EVIDENCE_LINES);
    }

    #[test]
    fn fault_of_one_job_is_found_among_the_transfers_of_others() {
        // Three quarters of all are of a job that had no fault.
        let slow = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1000);
        let well = cluster(5, |_, _| 1.0, |_, _| 1000);
        let of_job = |number: u32, flows: Vec<Flow>| {
            let attempt = AttemptId::parse(format!("attempt_202611201000_000{number}_r_000000_0").as_bytes());
            flows.into_iter().map(move |f| Flow { attempt, place: Place { line: f.place.line * 4, ..f.place }, ..f })
        };
        let mut rows: Vec<Flow> = of_job(2, slow.flows.iter().collect()).collect();
        (0..9).for_each(|_| rows.extend(of_job(1, well.flows.iter().collect())));
        let trace = Trace { flows: Lanes::from_rows(rows), ..slow };
        let witnesses = Flows.run(&trace, &Params::default());
        let [pooled, alone] = witnesses.as_slice() else { panic!("{} witnesses", witnesses.len()) };
        assert!(pooled.indicted.is_empty());
        assert_eq!(alone.job.map(|job| job.number), Some(2));
        assert_eq!(alone.indicted.iter().map(|word| word.node).collect::<Vec<_>>(), [NodeId(2)]);
        assert!(alone.indicted[0].p.unwrap() <= Numbers::default().get(Number::FlowsAlpha));
    }

    #[test]
    fn slow_tail_makes_a_word_strong() {
        // Of the transfers that touch node 2 each fourth (those with node 4) waits 20 s, the
        // rest takes 1.5 s: mean ratio below 3, tail ratio 20.05 / 1.05.
        let slow = |a: u32, b: u32| match (a, b) {
            (4, 2) | (2, 4) => 20.0,
            (2, _) | (_, 2) => 1.5,
            _ => 1.0,
        };
        let word = shuffle(&cluster(5, slow, |_, _| 1000)).indicted.remove(0);
        assert!(word.ratio < STRONG_RATIO, "{}", word.ratio);
        assert_eq!((word.node, word.strength), (NodeId(2), Strength::Strong));
        assert!(word.text.contains("slowest tenth × 19.1"), "{}", word.text);
    }

    #[test]
    fn slowness_below_the_ratio_is_no_word() {
        let trace = cluster(5, |a, b| if a == 2 || b == 2 { 1.5 } else { 1.0 }, |_, _| 1000);
        let witness = shuffle(&trace);
        let (node, score) = witness.scores[2];
        assert_eq!(node, NodeId(2));
        assert!((score - 1.55 / 1.05).abs() < 1e-9 && witness.indicted.is_empty(), "{score}");
    }

    #[test]
    fn equal_transfers_accuse_nobody() {
        let witness = shuffle(&cluster(5, |_, _| 1.0, |_, _| 1000));
        assert!(witness.indicted.is_empty() && witness.abstained.is_none());
        assert!(witness.scores.iter().all(|(_, score)| (*score - 1.0).abs() < 1e-12));
    }

    #[test]
    fn larger_transfers_may_take_longer() {
        // Node 2 moves 64 times as much in 8 times the time, as a skewed task's does.
        let touches = |a, b| a == 2 || b == 2;
        let trace =
            cluster(5, |a, b| if touches(a, b) { 8.0 } else { 1.0 }, |a, b| if touches(a, b) { 64_000 } else { 1000 });
        assert!(shuffle(&trace).indicted.is_empty());
    }

    #[test]
    fn pipeline_counts_once_and_for_all_its_nodes() {
        let mut trace = cluster(5, |_, _| 1.0, |_, _| 1000);
        trace.flows = Lanes::from_rows(trace.flows.iter().map(|flow| {
            let block = Some(BlockId(flow.place.line as i64 / 2));
            Flow { kind: FlowKind::Write, block, ..flow }
        }));
        let transfers = Transfers::collect(&trace, FlowKind::Write).unwrap();
        assert_eq!(transfers.rows.len(), trace.flows.len() / 2);
        // Pairs (1,0) and (2,0) touch three nodes; each log says 1 s, whatever the other's clock shows.
        let first = &transfers.rows[0];
        assert_eq!((first.nodes.as_slice(), first.seconds), ([0, 1, 2].as_slice(), 1.0));
    }

    #[test]
    fn abstains_and_says_why() {
        let two = shuffle(&cluster(2, |_, _| 1.0, |_, _| 1000));
        assert_eq!(two.abstained, Some(Abstention::NoPeers));
        let mut few = cluster(5, |_, _| 1.0, |_, _| 1000);
        few.flows = Lanes::from_rows(few.flows.iter().take(3));
        assert_eq!(shuffle(&few).abstained, Some(Abstention::TooFewData));
        let mut endless = cluster(5, |_, _| 1.0, |_, _| 1000);
        endless.flows = Lanes::from_rows(endless.flows.iter().map(|f| Flow { start: None, ..f }));
        assert_eq!(shuffle(&endless).abstained, Some(Abstention::NotLogged));
        assert!(Flows.run(&Trace::default(), &Params::default()).is_empty());
    }
}
