//! What each node did for each job: the numbers behind the heatmap and the stream.
//!
//! ```text
//! job_…_0007   maps     h101  12 ok            148 s   768 MB   z 0.1 −0.4  –     score 0.03
//!              maps     h102  11 ok 2 failed   510 s   704 MB   z 2.0 −1.1 1.9    score 0.93
//!              reduces  h101   2 ok            …
//! ```
//! Source: Theia (T04): peers are the nodes that worked for the same job; maps and reduces
//! apart, since they do different work. Durations of all attempts count, the unfinished
//! with their age: a slow node's attempts are the ones that get killed.
//!
//! An attempt is **bad** if it failed, or took more than [`SLOW`] times the median of its
//! job's maps (or reduces), its share of the data considered. To the letter of the paper
//! (T05, T06) a node has one score in a job, of maps and reduces together. Cost: O(attempts log attempts
//! of one job); [`Work`] is 72 bytes.

use super::score::{self, Scored};
use crate::base::{Arrange, JobId, NodeId, Timestamp};
use crate::diagnosis::Reading;
use crate::model::{Job, JobStatus, Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeMap;

/// An attempt is slow from so many times the median. Where ordinary attempts reach this too,
/// they do so on the peers as well, and are counted there: a lower limit costs no false
/// incident, a higher one misses disks that are half as fast.
pub const SLOW: f64 = 1.5;
/// And longer than it by so much: below, the start of a JVM decides.
const SLOW_MS: f64 = 3_000.0;

/// Maps or reduces (T12).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Maps.
    Map,
    /// Reduces.
    Reduce,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::Map, Self::Reduce];

    /// The side that a task is of; set-ups and clean-ups are of none.
    #[must_use]
    pub const fn of(task_type: TaskType) -> Option<Self> {
        match task_type {
            TaskType::Map => Some(Self::Map),
            TaskType::Reduce => Some(Self::Reduce),
            TaskType::Setup | TaskType::Cleanup | TaskType::TaskCleanup => None,
        }
    }

    /// `maps` or `reduces`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "maps",
            Self::Reduce => "reduces",
        }
    }

    /// `M` or `R`, as in a stream.
    #[must_use]
    pub const fn letter(self) -> &'static str {
        match self {
            Self::Map => "M",
            Self::Reduce => "R",
        }
    }
}

/// What one node did of one side of one job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// The node that worked.
    pub node: NodeId,
    /// Maps or reduces.
    pub side: Side,
    /// Attempts that succeeded.
    pub success: u32,
    /// Attempts that failed.
    pub failed: u32,
    /// Attempts that were killed.
    pub killed: u32,
    /// Attempts whose end is not known.
    pub open: u32,
    /// Attempts that tell whether the node is well: all but those killed or still running
    /// before they were slow.
    pub tried: u32,
    /// Those of them that are bad.
    pub bad: u32,
    /// Attempts whose time is known: all but those that failed before they began.
    pub timed: u32,
    /// Time of these.
    pub time_ms: u64,
    /// Read and written, local files and HDFS (T18).
    pub bytes: u64,
    /// The score and its parts; to the letter those of the node in the whole job, maps and reduces together.
    pub scored: Scored,
}

impl Work {
    /// All attempts.
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.success + self.failed + self.killed + self.open
    }

    /// Mean time of an attempt; `None` where that of none is known.
    #[must_use]
    pub fn mean_ms(&self) -> Option<f64> {
        (self.timed > 0).then(|| self.time_ms as f64 / f64::from(self.timed))
    }

    /// Failed to successful attempts (X2: finite without a success).
    #[must_use]
    pub fn failure_ratio(&self) -> f64 {
        score::ratio(self.failed, self.success)
    }

    /// Killed to successful attempts.
    #[must_use]
    pub fn killed_ratio(&self) -> f64 {
        score::ratio(self.killed, self.success)
    }
}

/// A job with its place in the survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurveyedJob {
    /// The job.
    pub id: JobId,
    /// Its launch, else its submission, else its first attempt.
    pub start: Option<Timestamp>,
    /// Its finish, else its last attempt's.
    pub end: Option<Timestamp>,
    from: usize,
    to: usize,
}

/// All jobs in order of start, all nodes that worked for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    jobs: Vec<SurveyedJob>,
    works: Vec<Work>,
}

impl Survey {
    /// Surveys the jobs on the nodes of `peers` (in order).
    #[must_use]
    pub fn of(trace: &Trace, peers: &[NodeId], reading: Reading) -> Self {
        let mut jobs: Vec<(SurveyedJob, &[TaskAttempt])> = trace
            .jobs
            .iter()
            .map(|job| {
                let tasks = trace.tasks_of(job.id);
                let [start, end] = span_of(job, tasks);
                (SurveyedJob { id: job.id, start, end, from: 0, to: 0 }, tasks)
            })
            .collect();
        jobs.arrange_by(|(job, _)| (job.start, job.id));
        let mut survey = Self::default();
        for (mut job, tasks) in jobs {
            job.from = survey.works.len();
            let of_side = |side| work_of(tasks, side, peers, until(trace, job.end));
            let mut sides = Side::BOTH.map(of_side);
            match reading {
                Reading::Usual => sides.iter_mut().for_each(|works| score_apart(works)),
                Reading::Literal => score_together(&mut sides),
            }
            survey.works.extend(sides.into_iter().flatten());
            job.to = survey.works.len();
            survey.jobs.push(job);
        }
        survey
    }

    /// Of scores that are known from elsewhere, and nothing else is: each job with its begin and the score of each node
    /// that worked for it, in order of node.
    pub fn of_scores(jobs: impl IntoIterator<Item = (JobId, Option<Timestamp>, Vec<(NodeId, Option<f32>)>)>) -> Self {
        let mut survey = Self::default();
        for (id, start, scores) in jobs {
            let from = survey.works.len();
            survey.works.extend(
                scores.into_iter().map(|(node, score)| Work {
                    scored: Scored { z: [None; 3], score },
                    ..Work::none(node, Side::Map)
                }),
            );
            survey.jobs.push(SurveyedJob { id, start, end: None, from, to: survey.works.len() });
        }
        survey.jobs.arrange_by(|job| (job.start, job.id));
        survey
    }

    /// The jobs in order of start.
    #[must_use]
    pub fn jobs(&self) -> &[SurveyedJob] {
        &self.jobs
    }

    /// Where a job stands in that order.
    #[must_use]
    pub fn index_of(&self, job: JobId) -> Option<usize> {
        self.jobs.iter().position(|j| j.id == job)
    }

    /// The nodes that worked for the job at `index`: maps in order of node, then reduces.
    #[must_use]
    pub fn works(&self, index: usize) -> &[Work] {
        self.jobs.get(index).and_then(|job| self.works.get(job.from..job.to)).unwrap_or_default()
    }

    /// Both sides' work of one node for the job at `index`.
    pub fn on(&self, index: usize, node: NodeId) -> impl Iterator<Item = &Work> + '_ {
        let works = self.works(index);
        let reduces = works.partition_point(|w| w.side == Side::Map);
        let (maps, reduces) = works.split_at(reduces);
        let find = move |side: &'_ [Work]| side.binary_search_by_key(&node, |w| w.node).ok();
        find(maps).and_then(|i| maps.get(i)).into_iter().chain(find(reduces).and_then(|i| reduces.get(i)))
    }

    /// The score that is strongest in colour, of the jobs at these places: to the letter a score has no bound of its own.
    #[must_use]
    pub fn highest(&self, reading: Reading, jobs: impl Iterator<Item = usize>) -> f32 {
        match reading {
            Reading::Usual => 1.0,
            Reading::Literal => jobs
                .flat_map(|index| self.works(index))
                .filter_map(|work| work.scored.score)
                .fold(f32::MIN_POSITIVE, f32::max),
        }
    }

    /// The heatmap's cell: the larger of the two sides' scores. `None`: the node ran
    /// nothing of the job; `Some(None)`: what it ran cannot be compared.
    #[must_use]
    pub fn cell(&self, index: usize, node: NodeId) -> Option<Option<f32>> {
        self.on(index, node).map(|w| w.scored.score).reduce(|a, b| if b > a { b } else { a })
    }
}

/// When a job began and ended, as a survey has it.
#[must_use]
pub fn span_of(job: &Job, tasks: &[TaskAttempt]) -> [Option<Timestamp>; 2] {
    let first = || tasks.iter().filter_map(|t| t.start).min();
    let last = || tasks.iter().filter_map(|t| t.finish).max().filter(|_| job.status != JobStatus::Running);
    [job.start.or(job.submit).or_else(first), job.finish.or_else(last)]
}

/// Until when attempts last whose own end is not known: their job's end, else all records'.
#[must_use]
pub fn until(trace: &Trace, job_end: Option<Timestamp>) -> Option<Timestamp> {
    job_end.or(trace.span.map(|(_, end)| end))
}

/// Bytes that an attempt read and wrote.
#[must_use]
pub fn bytes_of(t: &TaskAttempt) -> u64 {
    let c = &t.counters;
    [c.hdfs_read, c.hdfs_written, c.file_read, c.file_written]
        .into_iter()
        .filter_map(|counted| u64::try_from(counted.get()?).ok())
        .fold(0, u64::saturating_add)
}

/// Time of an attempt; until `end` where its own end is not known.
#[must_use]
pub fn millis_of(t: &TaskAttempt, end: Option<Timestamp>) -> Option<u64> {
    u64::try_from(t.finish.or(end)?.millis_since(t.start?)).ok()
}

/// When the own work of an attempt of a job begins: a reduce waits for the last of the maps first.
pub fn own_begins(tasks: &[TaskAttempt]) -> impl Fn(&TaskAttempt) -> Option<Timestamp> + use<> {
    let maps = tasks.iter().filter(|t| t.task_type == TaskType::Map && t.outcome == Some(Outcome::Success));
    let maps_end = maps.filter_map(|t| t.finish).max();
    move |t| {
        let waits_until = maps_end.filter(|_| t.task_type == TaskType::Reduce);
        t.start.map(|start| waits_until.map_or(start, |end| end.max(start)))
    }
}

/// What is usual for one side of one job.
struct Usual {
    ms: f64,
    bytes: f64,
}

impl Usual {
    fn of(tasks: &[TaskAttempt], side: Side) -> Option<Self> {
        let done = || {
            let of_side = move |t: &&TaskAttempt| Side::of(t.task_type) == Some(side);
            tasks.iter().filter(of_side).filter(|t| t.outcome == Some(Outcome::Success))
        };
        let ms = median(&sorted(done().filter_map(|t| millis_of(t, None)).map(|ms| ms as f64)))?;
        let bytes = median(&sorted(done().map(|t| bytes_of(t) as f64))).unwrap_or(0.0);
        Some(Self { ms, bytes })
    }

    /// Whether an attempt tells that its node is well or not, and whether it is bad: it failed, or took too
    /// long, `ms`, where something is usual.
    fn judge(usual: Option<&Self>, t: &TaskAttempt, ms: Option<u64>) -> (bool, bool) {
        let slow = usual.zip(ms).is_some_and(|(usual, ms)| usual.is_slow(t, ms));
        match t.outcome {
            Some(Outcome::Success) => (true, slow),
            Some(Outcome::Failed) => (true, true),
            Some(Outcome::Killed) | None => (slow, slow),
        }
    }

    /// Whether an attempt took too long for its data.
    fn is_slow(&self, t: &TaskAttempt, ms: u64) -> bool {
        let more_data = if self.bytes > 0.0 { (bytes_of(t) as f64 / self.bytes).max(1.0) } else { 1.0 };
        let ms = ms as f64;
        ms > SLOW * self.ms * more_data && ms > self.ms + SLOW_MS
    }
}

fn work_of(tasks: &[TaskAttempt], side: Side, peers: &[NodeId], end: Option<Timestamp>) -> Vec<Work> {
    let usual = Usual::of(tasks, side);
    let mut by_node: BTreeMap<NodeId, Work> = BTreeMap::new();
    for t in tasks.iter().filter(|t| Side::of(t.task_type) == Some(side)) {
        let Some(node) = t.node.filter(|node| peers.binary_search(node).is_ok()) else { continue };
        let ms = millis_of(t, end);
        // What was given to a node, and taken away before it began, tells nothing of it; what failed before does.
        if ms.is_none() && t.outcome != Some(Outcome::Failed) {
            continue;
        }
        let work = by_node.entry(node).or_insert_with(|| Work::none(node, side));
        *match t.outcome {
            Some(Outcome::Success) => &mut work.success,
            Some(Outcome::Failed) => &mut work.failed,
            Some(Outcome::Killed) => &mut work.killed,
            None => &mut work.open,
        } += 1;
        let (telling, bad) = Usual::judge(usual.as_ref(), t, ms);
        work.tried += u32::from(telling);
        work.bad += u32::from(bad);
        work.timed += u32::from(ms.is_some());
        work.time_ms = work.time_ms.saturating_add(ms.unwrap_or_default());
        work.bytes = work.bytes.saturating_add(bytes_of(t));
    }
    by_node.into_values().collect()
}

/// Scores the nodes by one side of a job.
fn score_apart(works: &mut [Work]) {
    let factors: Vec<[f64; score::FACTORS]> = works.iter().map(Work::factors).collect();
    for (work, scored) in works.iter_mut().zip(score::score(&factors, Reading::Usual)) {
        work.scored = scored;
    }
}

/// Scores the nodes to the letter: each by all that it ran of the job.
fn score_together(sides: &mut [Vec<Work>]) {
    let mut by_node: BTreeMap<NodeId, Work> = BTreeMap::new();
    for work in sides.iter().flatten() {
        let whole = by_node.entry(work.node).or_insert_with(|| Work::none(work.node, work.side));
        whole.success += work.success;
        whole.failed += work.failed;
        whole.killed += work.killed;
        whole.open += work.open;
        whole.timed += work.timed;
        whole.time_ms = whole.time_ms.saturating_add(work.time_ms);
        whole.bytes = whole.bytes.saturating_add(work.bytes);
    }
    let factors: Vec<[f64; score::FACTORS]> = by_node.values().map(Work::factors).collect();
    for (whole, scored) in by_node.values_mut().zip(score::score(&factors, Reading::Literal)) {
        whole.scored = scored;
    }
    for work in sides.iter_mut().flatten() {
        work.scored = by_node.get(&work.node).map_or(work.scored, |whole| whole.scored);
    }
}

impl Work {
    fn factors(&self) -> [f64; score::FACTORS] {
        [self.mean_ms().unwrap_or(f64::NAN), self.bytes as f64, self.failure_ratio()]
    }

    const fn none(node: NodeId, side: Side) -> Self {
        Self {
            node,
            side,
            success: 0,
            failed: 0,
            killed: 0,
            open: 0,
            tried: 0,
            bad: 0,
            timed: 0,
            time_ms: 0,
            bytes: 0,
            scored: Scored { z: [None; 3], score: None },
        }
    }
}

/// The bad attempts of a job on one node: those that [`Work::bad`] counts.
#[must_use]
pub fn bad_attempts(trace: &Trace, job: JobId, node: NodeId) -> Vec<&TaskAttempt> {
    let tasks = trace.tasks_of(job);
    let job_end = trace.job(job).and_then(|job| span_of(job, tasks)[1]);
    let end = until(trace, job_end);
    let sides: Vec<(Side, Option<Usual>)> = Side::BOTH.into_iter().map(|side| (side, Usual::of(tasks, side))).collect();
    let usual = |side: Side| sides.iter().find(|(s, _)| *s == side).and_then(|(_, u)| u.as_ref());
    let is_bad =
        |t: &&TaskAttempt| Side::of(t.task_type).is_some_and(|side| Usual::judge(usual(side), t, millis_of(t, end)).1);
    tasks.iter().filter(|t| t.node == Some(node)).filter(is_bad).collect()
}
