//! Mochi's job-centric data flow: what a job's attempts read, fetched and wrote, from
//! which node, how much and how long.
//!
//! # Finds
//! Nothing by itself: it indicts nobody. Its sums are drawn (MIROS, REP), set against the
//! job's own counters ([`balance`]), walked ([`critical`], [`paths`]) and looked through
//! for two habits that cost time ([`hints`]).
//!
//! # Paper
//! Tan et al., Mochi (CMU-PDL-09-103) §3.1: "correlating these accesses with Maps and
//! Reduces running at the same time" (M05, M06). Later logs name the client of a block and
//! the reduce of a fetch; the paper's join is used where they do not, and for the tasks of
//! Spark, whose clients have no names of their own. A block whose client is no attempt of
//! Hadoop's (an ApplicationMaster, a job's submitter) belongs to none of its tasks.
//!
//! ```text
//! block ──read──> Map ──> map output ──shuffle──> Reduce ──write──> block
//!        bytes         bytes          bytes              bytes
//!        duration      duration       duration           duration
//! ```
//!
//! # Join
//! In this order, and the share of each rule is kept: the attempt in a DataNode's client
//! id; map and reduce in a fetcher's lines; the map in a TaskTracker's shuffle line with
//! the reduce that ran at the other end; else the task that ran at the other end.
//! Instants of two nodes are compared in one clock: the skews that are certain are taken
//! out if they were not before.
//!
//! # Assumptions
//! Sizes of reads are those on the wire: each 512 bytes carry 4 of checksum (the default
//! of every version).
//!
//! # Cost
//! O(flows · log tasks) for one job.

pub mod answers;
pub mod balance;
pub mod critical;
pub mod hints;
mod join;
pub mod paths;
pub mod study;
pub mod volumes;
pub mod words;

use crate::base::{BlockId, FileId, Gathered, JobId, NodeId, Timestamp};
use crate::model::{FileInfo, Flow, FlowKind, Outcome, TaskAttempt, TaskType, Trace, formats};
use join::Running;
use std::collections::{BTreeMap, BTreeSet};

/// How a transfer was joined to the attempts that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// The DataNode's line names the attempt as its client.
    ClientId,
    /// The line names map and reduce: the reduce's own log of its fetches, or a shuffle line of
    /// 0.21.
    FetchLine,
    /// The shuffle line names the map; one reduce of the job copied at the other end.
    ShuffleLine,
    /// The shuffle line names the map; several reduces copied at the other end, and each
    /// fetches a map once.
    ShuffleLineOfSeveral,
    /// One task ran at the other end at that time.
    NodeAndTime,
    /// Several did; the one begun last has it, since tasks read as they begin.
    NodeAndTimeOfSeveral,
}

impl Rule {
    /// In words, for tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClientId => "client id",
            Self::FetchLine => "fetch, map and reduce named",
            Self::ShuffleLine => "shuffle line, one reduce there",
            Self::ShuffleLineOfSeveral => "shuffle line, several reduces there",
            Self::NodeAndTime => "node and time, one task there",
            Self::NodeAndTimeOfSeveral => "node and time, several tasks there",
        }
    }
}

/// A transfer with its attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined {
    /// Index into [`Trace::flows`].
    pub flow: usize,
    /// The attempt that reads or writes, of a shuffle the map: index into
    /// [`Trace::tasks`]; `None` where the job's attempts are not known.
    pub task: Option<usize>,
    /// Of a shuffle the reduce.
    pub reduce: Option<usize>,
    /// Whose node it leaves.
    pub src: Option<NodeId>,
    /// Whose node it reaches.
    pub dest: Option<NodeId>,
    /// The block.
    pub block: Option<BlockId>,
    /// Bytes of data: on the wire less checksums.
    pub bytes: u64,
    /// When it began, where logged, in the one clock of [`in_one_clock`].
    pub start: Option<Timestamp>,
    /// When it ended, likewise.
    pub end: Timestamp,
    /// How it was joined.
    pub rule: Rule,
}

/// What one rule joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many transfers.
    pub transfers: u64,
    /// Their bytes of data.
    pub bytes: u64,
}

/// The data flow of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobFlow {
    /// The job.
    pub job: JobId,
    /// Its attempts that work: maps and reduces; indices into [`Trace::tasks`].
    pub tasks: Vec<usize>,
    /// Blocks read by attempts.
    pub reads: Vec<Joined>,
    /// Map outputs fetched.
    pub fetches: Vec<Joined>,
    /// Blocks written by attempts, each once however many copies it has; `dest` is the
    /// first node of its pipeline.
    pub writes: Vec<Joined>,
    /// What each rule joined, by kind of flow; copies of a block count once.
    pub shares: BTreeMap<(FlowKind, Rule), Share>,
}

impl JobFlow {
    /// Of a job of which no transfer is at hand.
    #[must_use]
    pub const fn none(job: JobId) -> Self {
        Self {
            job,
            tasks: Vec::new(),
            reads: Vec::new(),
            fetches: Vec::new(),
            writes: Vec::new(),
            shares: BTreeMap::new(),
        }
    }
}

/// Bytes of data in so many on the wire.
#[must_use]
pub const fn without_checksums(wire_bytes: u64) -> u64 {
    /// `io.bytes.per.checksum`, and a CRC's length.
    const CHUNK: u64 = 512;
    const SUM: u64 = 4;
    wire_bytes.saturating_sub(wire_bytes.div_ceil(CHUNK + SUM) * SUM)
}

/// An instant of a task in the one clock in which those of several nodes are compared: the reference's, as far as skews are
/// certain. Its tracker's clock wrote it where a JobTracker ran the job; on YARN the ApplicationMaster's did, one for all
/// tasks of a job.
#[must_use]
pub fn in_one_clock(trace: &Trace, task: &TaskAttempt, at: Option<Timestamp>) -> Option<Timestamp> {
    let wrote = task.node.filter(|_| task.id.job.is_dated());
    at.map(|at| at.plus_millis(-wrote.map_or(0, |node| trace.clocks.ahead_ms(node))))
}

/// Sum of bytes that a log may have wrong: it stays at the largest.
fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

impl JobFlow {
    /// The data flow of `job`.
    #[must_use]
    pub fn of(trace: &Trace, job: JobId) -> Self {
        let from = trace.tasks.partition_point(|t| t.id.job < job);
        let works = |t: &TaskAttempt| matches!(t.task_type, TaskType::Map | TaskType::Reduce);
        let all = (from..).zip(trace.tasks_of(job));
        let tasks = all.filter(|(_, t)| works(t)).map(|(i, _)| i).collect();
        let mut flow =
            Self { job, tasks, reads: Vec::new(), fetches: Vec::new(), writes: Vec::new(), shares: BTreeMap::new() };
        Joining::new(trace, job).join(&mut flow);
        flow
    }

    /// The attempts of one type that ended well and whose begin and end are known.
    pub fn done<'t>(
        &'t self,
        trace: &'t Trace,
        task_type: TaskType,
    ) -> impl Iterator<Item = (usize, &'t TaskAttempt)> + 't {
        let known = self.tasks.iter().filter_map(|i| Some((*i, trace.tasks.get(*i)?)));
        known.filter(move |(_, t)| {
            t.task_type == task_type && t.outcome == Some(Outcome::Success) && t.start.is_some() && t.finish >= t.start
        })
    }

    /// How many tasks of one type ended well, and how many the job has, by its own count or by its attempts.
    #[must_use]
    pub fn ended(&self, trace: &Trace, task_type: TaskType) -> (usize, usize) {
        let count = |tasks: BTreeSet<u32>| tasks.len();
        let tried = self.tasks.iter().filter_map(|i| trace.tasks.get(*i)).filter(|t| t.task_type == task_type);
        let told = trace.job(self.job).and_then(|j| if task_type == TaskType::Map { j.maps } else { j.reduces });
        let ended = count(self.done(trace, task_type).map(|(_, t)| t.id.task).gathered());
        (ended, count(tried.map(|t| t.id.task).gathered()).max(told.unwrap_or(0) as usize))
    }

    /// Sum of the bytes of some transfers.
    #[must_use]
    pub fn bytes<'t>(transfers: impl IntoIterator<Item = &'t Joined>) -> u64 {
        sum(transfers.into_iter().map(|t| t.bytes))
    }
}

/// Source and destination of one stage of a block's pipeline.
type Stage = (Option<u32>, Option<u32>);

/// Whether a pipeline begins at a node. Where no client is named the writer is there alone: a node that handed a block on may
/// have run a task of another job.
fn is_head(stages: &[Stage], node: Option<u32>) -> bool {
    let is_handed = stages.iter().any(|(src, dest)| *dest == node && src != dest);
    stages.iter().any(|(src, dest)| *src == node && (src == dest || !is_handed))
}

/// One job's flows, on the way to their attempts.
struct Joining<'a> {
    trace: &'a Trace,
    job: JobId,
    /// Event logs of Spark: their tasks read and write as clients that are no attempts.
    of_spark: BTreeSet<FileId>,
    running: Option<Running>,
}

impl<'a> Joining<'a> {
    fn new(trace: &'a Trace, job: JobId) -> Self {
        let is_of_spark = |f: &FileInfo| f.coverage.format.as_deref() == Some(formats::SPARK_EVENTS);
        let of_spark = (0..).zip(&trace.files).filter(|(_, f)| is_of_spark(f)).map(|(i, _)| FileId(i));
        Self { trace, job, of_spark: of_spark.gathered(), running: None }
    }

    fn join(mut self, into: &mut JobFlow) {
        let mut writes: BTreeMap<BlockId, Joined> = BTreeMap::new();
        let mut fetched: BTreeSet<(usize, usize)> = BTreeSet::new();
        let stages = self.stages();
        for (index, flow) in self.trace.flows.iter().enumerate() {
            match flow.kind {
                FlowKind::Read => {
                    if let Some(read) = self.of_block(index, &flow, flow.dest) {
                        into.reads.push(Joined { bytes: without_checksums(read.bytes), ..read });
                    }
                }
                FlowKind::Write => {
                    let of_block = flow.block.and_then(|block| stages.get(&block)).filter(|_| flow.attempt.is_none());
                    if of_block.is_none_or(|of_block| is_head(of_block, flow.src))
                        && let Some(write) = self.of_block(index, &flow, flow.src)
                        && let Some(block) = flow.block
                    {
                        let first = writes.entry(block).or_insert(write);
                        // The writer's end of the pipeline is the stage that begins first.
                        let (begin, bytes) = (write.start.or(Some(write.end)), first.bytes.max(write.bytes));
                        let end = first.end.max(write.end);
                        if begin < first.start.or(Some(first.end)) {
                            *first = write;
                        }
                        (first.bytes, first.end) = (bytes, end);
                    }
                }
                FlowKind::Shuffle => into.fetches.extend(self.of_shuffle(index, &flow, &mut fetched)),
                FlowKind::Replicate => {}
            }
        }
        into.writes.extend(writes.into_values());
        let kinds =
            [(FlowKind::Read, &into.reads), (FlowKind::Shuffle, &into.fetches), (FlowKind::Write, &into.writes)];
        for (kind, transfers) in kinds {
            for transfer in transfers {
                let share = into.shares.entry((kind, transfer.rule)).or_default();
                share.transfers += 1;
                share.bytes = share.bytes.saturating_add(transfer.bytes);
            }
        }
    }

    /// The stages of the pipelines of blocks whose clients are not named, if tasks may have written them.
    fn stages(&self) -> BTreeMap<BlockId, Vec<Stage>> {
        let mut stages: BTreeMap<BlockId, Vec<Stage>> = BTreeMap::new();
        for flow in self.trace.flows.iter().filter(|flow| flow.kind == FlowKind::Write && flow.attempt.is_none()) {
            let may_be = !self.of_spark.is_empty() || !self.trace.is_flow_of_others(&flow);
            if let Some(block) = flow.block.filter(|_| may_be) {
                stages.entry(block).or_default().push((flow.src, flow.dest));
            }
        }
        stages
    }

    /// A block's transfer, if it is this job's; `client` is the end at which the task is.
    fn of_block(&mut self, index: usize, flow: &Flow, client: Option<u32>) -> Option<Joined> {
        let bytes = flow.bytes?;
        let joined = |task, rule| self.joined(index, flow, (task, None), bytes, rule);
        if let Some(attempt) = flow.attempt {
            return (attempt.job == self.job).then(|| joined(self.task(attempt), Rule::ClientId));
        }
        let of_others = self.trace.is_flow_of_others(flow);
        if of_others && self.of_spark.is_empty() {
            return None;
        }
        let node = self.node(client)?;
        let at = self.instant(flow, node);
        let trace = self.trace;
        let running = self.running.get_or_insert_with(|| Running::of(trace));
        let mut candidates = running.at(node, at, flow.kind);
        if of_others {
            let of_spark = &self.of_spark;
            candidates.retain(|i| trace.tasks.get(*i).is_some_and(|t| of_spark.contains(&t.place.file)));
        }
        let task = *candidates.last()?;
        let rule = if candidates.len() == 1 { Rule::NodeAndTime } else { Rule::NodeAndTimeOfSeveral };
        let own = trace.tasks.get(task).is_some_and(|t| t.id.job == self.job);
        own.then(|| self.joined(index, flow, (Some(task), None), bytes, rule))
    }

    fn of_shuffle(&mut self, index: usize, flow: &Flow, fetched: &mut BTreeSet<(usize, usize)>) -> Option<Joined> {
        let bytes = flow.bytes?;
        let map = flow.attempt.or(flow.reduce)?;
        if map.job != self.job {
            return None;
        }
        let map = flow.attempt.and_then(|map| self.task(map));
        if let Some(reduce) = flow.reduce {
            return Some(self.joined(index, flow, (map, self.task(reduce)), bytes, Rule::FetchLine));
        }
        let Some(node) = self.node(flow.dest) else {
            return Some(self.joined(index, flow, (map, None), bytes, Rule::ShuffleLine));
        };
        let at = self.instant(flow, node);
        let trace = self.trace;
        let running = self.running.get_or_insert_with(|| Running::of(trace));
        let mut candidates = running.at(node, at, FlowKind::Shuffle);
        candidates.retain(|i| trace.tasks.get(*i).is_some_and(|t| t.id.job == self.job));
        let rule = if candidates.len() > 1 { Rule::ShuffleLineOfSeveral } else { Rule::ShuffleLine };
        let fresh = map.and_then(|map| candidates.iter().find(|reduce| !fetched.contains(&(map, **reduce))));
        let reduce = fresh.or(candidates.first()).copied();
        fetched.extend(map.zip(reduce));
        Some(self.joined(index, flow, (map, reduce), bytes, rule))
    }

    fn joined(
        &self,
        flow: usize,
        of: &Flow,
        (task, reduce): (Option<usize>, Option<usize>),
        bytes: u64,
        rule: Rule,
    ) -> Joined {
        let (src, dest) = (self.node(of.src), self.node(of.dest));
        let ahead_ms = self.ahead_ms(self.logged_by(of));
        let start = of.start.map(|start| start.plus_millis(-ahead_ms));
        Joined {
            flow,
            task,
            reduce,
            src,
            dest,
            block: of.block,
            bytes,
            start,
            end: of.end.plus_millis(-ahead_ms),
            rule,
        }
    }

    fn task(&self, attempt: crate::base::AttemptId) -> Option<usize> {
        self.trace.tasks.binary_search_by_key(&attempt, |t| t.id).ok()
    }

    /// The node of an end of a transfer, where it is one.
    fn node(&self, end: Option<u32>) -> Option<NodeId> {
        end.map(NodeId).filter(|node| node.index() < self.trace.nodes.len())
    }

    /// How far a node's clock is ahead of the reference's, for certain.
    fn ahead_ms(&self, node: Option<NodeId>) -> i64 {
        node.map_or(0, |node| self.trace.clocks.ahead_ms(node))
    }

    /// The node whose clock a transfer's times are of: that of its line. A fetch may stand in the Reduce's own log, or in
    /// that of the tracker which had the map output.
    fn logged_by(&self, flow: &Flow) -> Option<NodeId> {
        self.trace.files.get(flow.place.file.0 as usize)?.node
    }

    /// When a transfer was under way, in the clock of the node at which the task ran: at
    /// its begin, else its end, moved from the clock of the node that logged it.
    fn instant(&self, flow: &Flow, at: NodeId) -> Timestamp {
        let moved_ms = self.ahead_ms(Some(at)) - self.ahead_ms(self.logged_by(flow));
        flow.start.unwrap_or(flow.end).plus_millis(moved_ms)
    }
}
