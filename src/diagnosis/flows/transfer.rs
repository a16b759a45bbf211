//! Transfers out of a trace's flows, each with the nodes that it touches and its time beside others of its kind.

use crate::base::math::ln;
use crate::base::{Arrange, BlockId, JobId, NodeId, Place, Timestamp};
use crate::diagnosis::kept_open;
use crate::model::{Flow, FlowKind, Trace};
use crate::stats::quantile::medians_by;
use std::cmp::Reverse;

/// Added to every duration: differences below a twentieth of a second are scheduling.
const SHORT_TRANSFER_S: f64 = 0.05;
/// Sizes within one class differ by this factor at most: with wider ones the skewed node
/// of an application is named for its large transfers.
const SIZE_CLASS_FACTOR: f64 = 4.0;
/// Transfers compared at the most, evenly chosen: more say nothing new, and to permute these takes a browser
/// about a second.
pub(super) const MAX_TRANSFERS: usize = 50_000;

/// One transfer.
#[derive(Clone)]
pub(super) struct Transfer {
    /// Places among the peers, ascending.
    pub(super) nodes: Vec<usize>,
    pub(super) job: Option<JobId>,
    pub(super) seconds: f64,
    bytes: u64,
    /// The logarithm of its time over the median of its kind, job and size class.
    pub(super) x: f64,
    pub(super) start: Timestamp,
    pub(super) place: Place,
}

impl Transfer {
    /// When it was done.
    pub(super) fn end(&self) -> Timestamp {
        self.start.plus_millis((self.seconds * 1000.0) as i64)
    }

    /// The same, measured otherwise.
    pub(super) fn with_x(&self, x: f64) -> Self {
        Self { x, ..self.clone() }
    }

    /// The logarithm of its time.
    pub(super) fn log_seconds(&self) -> f64 {
        log_of(self.seconds)
    }
}

/// Whether any transfer of the kind was logged, and those that can be compared, in order of their begins.
pub(super) fn collect(trace: &Trace, kind: FlowKind, peers: &[NodeId]) -> (bool, Vec<Transfer>) {
    let index = |end: Option<u32>| end.and_then(|end| peers.binary_search(&NodeId(end)).ok());
    let (any, mut rows) = if kind == FlowKind::Write { written(trace, index) } else { moved(trace, kind, index) };
    rows.sort_by_key(|transfer: &Transfer| transfer.start);
    subtract_class_medians(&mut rows);
    (any, rows)
}

/// What a transfer needs to be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Has {
    begin: bool,
    bytes: bool,
    peer: bool,
}

impl Has {
    fn of(flow: &Flow, index: impl Fn(Option<u32>) -> Option<usize>) -> Self {
        let peer = index(flow.src).or_else(|| index(flow.dest)).is_some();
        Self { begin: flow.start.is_some(), bytes: flow.bytes.is_some(), peer }
    }

    const fn or(self, other: Self) -> Self {
        Self { begin: self.begin || other.begin, bytes: self.bytes || other.bytes, peer: self.peer || other.peer }
    }

    const fn is_enough(self) -> bool {
        self.begin && self.bytes && self.peer
    }
}

/// Whether there is any flow of a kind, and those that can be compared, each a transfer: of too many every
/// second, third…
fn moved(trace: &Trace, kind: FlowKind, index: impl Fn(Option<u32>) -> Option<usize> + Copy) -> (bool, Vec<Transfer>) {
    let (mut any, mut count) = (false, 0_usize);
    trace.flows.each_of_kind(kind, &mut |_, flow| {
        any = true;
        count += usize::from(Has::of(flow, index).is_enough());
    });
    let step = count.div_ceil(MAX_TRANSFERS).max(1);
    let (mut rows, mut at) = (Vec::with_capacity(count / step + 1), 0_usize);
    trace.flows.each_of_kind(kind, &mut |_, flow| {
        if Has::of(flow, index).is_enough() {
            if at.is_multiple_of(step) {
                rows.extend(transfer(std::slice::from_ref(flow), index));
            }
            at += 1;
        }
    });
    (any, rows)
}

/// The same of writes: a block's pipeline is one transfer. Those that a writer which is no attempt keeps open are left out.
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
        blocks.filter(|block| block.iter().fold(Has::default(), |all, (.., has)| all.or(*has)).is_enough())
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
        let of_others = || pipeline.iter().any(|flow| trace.is_flow_of_others(flow));
        transfer(&pipeline, index).filter(|t| !(t.job.is_none() && kept_open::is_so(t.seconds, t.bytes) && of_others()))
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

fn log_of(seconds: f64) -> f64 {
    ln(seconds + SHORT_TRANSFER_S)
}

/// One transfer of its stages.
fn transfer(stages: &[Flow], index: impl Fn(Option<u32>) -> Option<usize>) -> Option<Transfer> {
    let Length { begin: (start, place), millis, bytes } = Length::of(stages)?;
    let mut nodes: Vec<usize> = touched(stages, index).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let seconds = millis.max(0) as f64 / 1000.0;
    let job = stages.iter().find_map(|f| f.attempt).map(|attempt| attempt.job);
    let x = log_of(seconds);
    Some(Transfer { nodes, job, seconds, bytes, x, start, place })
}

/// Larger transfers take longer, and so do those of a job that moves much at once: times
/// are compared within a class of size and a job.
fn subtract_class_medians(rows: &mut [Transfer]) {
    let class = |row: &Transfer| (row.job, (ln(row.bytes.max(1) as f64) / ln(SIZE_CLASS_FACTOR)) as u32);
    let medians = medians_by(rows.iter().map(|row| (class(row), row.x)));
    for row in rows {
        row.x -= medians.get(&class(row)).copied().unwrap_or(0.0);
    }
}
