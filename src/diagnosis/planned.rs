//! How long a job would have taken, had the nodes at fault worked as their peers did.
//!
//! ```text
//! as it was                             as it is planned
//! h1 ├─m0─┤ ├─m3─┤   ├────── r0 ──────┤   h1 ├─m0─┤ ├─m3─┤├── r0 ──┤
//! h2 ├─m1─┤ ├─m4─┤                        h2 ├─m1─┤ ├─m4─┤
//! h3 ├─────m2────┤ ├─────m5─────┤         h3 ├─m2─┤ ├─m5─┤
//! ```
//! The job is planned anew as its scheduler did it: each task, in the order in which they began, goes to the lane that is
//! free first. A node has as many lanes as it ran attempts side by side: of Maps and of Reduces each in Hadoop 0.20 and 1,
//! whose slots are of one kind, of both together in YARN. A lane is free from its first attempt on, and behind each by
//! what usually lay between two. A Reduce ends when the last Map has, and what it took from there on. A task takes what it
//! took from its first attempt's begin to its end; of those that a node at fault had, one that it brought to its end takes
//! no more than the median of the others, and one that was done elsewhere what that attempt took.
//!
//! What other nodes waited for these (blocks, map outputs) stays in their tasks, as where a node loses half of its packets:
//! the true time is far shorter then. Where the last Map would have ended much sooner, Reduces have more left to copy
//! behind it than is counted. So it is an estimate, made of jobs that succeeded alone, and where the same plan with nobody
//! at fault ends when the job did. How well it tells: `docs/simulator.md`. Beyond the papers. Cost: O(attempts log attempts).

use crate::base::{Arrange, Gathered, NodeId};
use crate::model::{Job, JobStatus, Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::quantile::median_of;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A scheduler fills a lane within some heartbeats; one that is free for longer had nothing to do.
const HEARTBEATS_MS: f64 = 5_000.0;
/// Tasks of other nodes whose median tells what is usual.
const FEWEST: usize = 3;
/// Attempts that a node runs side by side; of a job with more nothing is estimated.
const LANES_MAX: usize = 1_000;
/// A plan may be off by a tenth of what the job took.
const OFF_PART: i64 = 10;

/// How long a job would have taken in milliseconds, had these nodes worked as their peers; `None` where its tasks are not
/// known well enough, or too few of them ran elsewhere.
#[must_use]
pub fn without_fault(trace: &Trace, job: &Job, at_fault: &BTreeSet<NodeId>) -> Option<i64> {
    let begin = job.start.or(job.submit)?;
    let took = job.finish.filter(|_| job.status == JobStatus::Success)?.millis_since(begin);
    let plan = Plan::of(trace.tasks_of(job.id), job.id.is_dated())?;
    let (as_it_was, without) = (plan.end(&BTreeSet::new())?, plan.end(at_fault)?);
    let is_like_it = as_it_was.saturating_sub(plan.ended).saturating_abs() <= took / OFF_PART;
    (is_like_it && without <= as_it_was).then(|| took.saturating_sub(as_it_was.saturating_sub(without)))
}

/// A stretch of an attempt, in milliseconds since 1970.
#[derive(Clone, Copy)]
struct Span {
    node: Option<NodeId>,
    start: i64,
    finish: i64,
}

/// A task that was done.
struct Task {
    is_map: bool,
    /// Its attempt that began first.
    first: Span,
    /// The one that did it.
    last: Span,
    /// Where any of them ran.
    nodes: BTreeSet<NodeId>,
}

impl Task {
    /// From `since` to its end, of all attempts or of the last alone.
    fn took(&self, since: i64, is_alone: bool) -> i64 {
        let begin = if is_alone { self.last.start } else { self.first.start };
        self.last.finish - begin.max(since)
    }

    fn ran_on(&self, nodes: &BTreeSet<NodeId>) -> bool {
        !self.nodes.is_disjoint(nodes)
    }
}

/// When lanes are free, and what lies between two attempts of one.
#[derive(Clone, Default)]
struct Lanes {
    free: BinaryHeap<Reverse<i64>>,
    between: i64,
}

impl Lanes {
    /// Those in which these attempts ran, in order of their begin; `None` if a node had too many.
    fn of(attempts: impl Iterator<Item = Span>) -> Option<Self> {
        let mut by_node: BTreeMap<Option<NodeId>, Vec<i64>> = BTreeMap::new();
        let (mut free, mut between) = (BinaryHeap::new(), Vec::new());
        for Span { node, start, finish } in attempts {
            let ends = by_node.entry(node).or_default();
            let is_full = ends.len() >= LANES_MAX;
            match ends.iter_mut().filter(|end| **end <= start).max() {
                Some(end) => {
                    between.push((start - *end) as f64);
                    *end = finish;
                }
                None if is_full => return None,
                None => {
                    free.push(Reverse(start));
                    ends.push(finish);
                }
            }
        }
        let between = median_of(&mut between).unwrap_or_default().min(HEARTBEATS_MS) as i64;
        Some(Self { free, between })
    }

    fn next(&mut self) -> Option<i64> {
        self.free.pop().map(|Reverse(at)| at)
    }

    fn free_behind(&mut self, end: i64) {
        self.free.push(Reverse(end.saturating_add(self.between)));
    }
}

/// What there is to plan.
struct Plan {
    /// In the order in which they began.
    tasks: Vec<Task>,
    lanes: Lanes,
    /// Those of Reduces, where they have their own.
    of_reduces: Option<Lanes>,
    /// When the last Map ended.
    mapped: i64,
    /// When the last task ended.
    ended: i64,
}

impl Plan {
    fn of(attempts: &[TaskAttempt], has_slots: bool) -> Option<Self> {
        let mut tasks: Vec<Task> = attempts.chunk_by(|a, b| a.id.first() == b.id.first()).filter_map(task_of).collect();
        tasks.arrange_by(|task| task.first.start);
        let mut spans: Vec<(bool, Span)> = attempts.iter().filter_map(|a| Some((is_map(a), span_of(a)?))).collect();
        spans.arrange_by(|(_, it)| it.start);
        let of_kind =
            |of_maps: bool| Lanes::of(spans.iter().filter(|(is_map, _)| *is_map == of_maps).map(|(_, it)| *it));
        let (lanes, of_reduces) = match has_slots {
            true => (of_kind(true)?, Some(of_kind(false)?)),
            false => (Lanes::of(spans.iter().map(|(_, it)| *it))?, None),
        };
        let mapped = tasks.iter().filter(|task| task.is_map).map(|task| task.last.finish).max()?;
        let ended = tasks.iter().map(|task| task.last.finish).max()?;
        Some(Self { tasks, lanes, of_reduces, mapped, ended })
    }

    /// When the last task ends, if these nodes work as the others did.
    fn end(&self, at_fault: &BTreeSet<NodeId>) -> Option<i64> {
        let usual = |is_map: bool, since: i64| {
            let others = self.tasks.iter().filter(|task| task.is_map == is_map && !task.ran_on(at_fault));
            let mut took: Vec<f64> = others.map(|task| task.took(since, true).max(0) as f64).collect();
            if took.len() < FEWEST { None } else { median_of(&mut took).map(|ms| ms as i64) }
        };
        let (of_map, of_reduce) = (usual(true, i64::MIN)?, usual(false, self.mapped));
        let takes = |task: &Task, since: i64, usual: Option<i64>| {
            let (took, was_done_well) =
                (task.took(since, false), task.last.node.is_none_or(|n| !at_fault.contains(&n)));
            match usual {
                _ if !task.ran_on(at_fault) => took,
                _ if was_done_well => task.took(since, true),
                usual => usual.map_or(took, |usual| took.min(usual)),
            }
        };
        let (mut lanes, mut of_reduces) = (self.lanes.clone(), self.of_reduces.clone());
        // Reduces keep their lanes until the last Map has ended, of which nothing is known before all are planned.
        let (mut begun, mut waiting, mut mapped) = (Vec::new(), Vec::new(), i64::MIN);
        for task in &self.tasks {
            if task.is_map {
                let end = lanes.next()?.saturating_add(takes(task, i64::MIN, Some(of_map)));
                lanes.free_behind(end);
                mapped = mapped.max(end);
                continue;
            }
            match of_reduces.as_mut().unwrap_or(&mut lanes).next().filter(|_| waiting.is_empty()) {
                Some(begin) => begun.push((task, begin)),
                None => waiting.push(task),
            }
        }
        let mut lanes = of_reduces.unwrap_or(lanes);
        let mut last = mapped;
        let mut reduce = |lanes: &mut Lanes, task: &Task, begin: i64| {
            let end = begin.max(mapped).saturating_add(takes(task, self.mapped, of_reduce));
            lanes.free_behind(end);
            last = last.max(end);
        };
        for (task, begin) in begun {
            reduce(&mut lanes, task, begin);
        }
        for task in waiting {
            let begin = lanes.next()?;
            reduce(&mut lanes, task, begin);
        }
        Some(last)
    }
}

/// When a Map's or a Reduce's attempt ran.
fn span_of(attempt: &TaskAttempt) -> Option<Span> {
    let is_work = matches!(attempt.task_type, TaskType::Map | TaskType::Reduce);
    let (start, finish) = attempt.start.zip(attempt.finish).filter(|_| is_work)?;
    Some(Span { node: attempt.node, start: start.millis(), finish: finish.max(start).millis() })
}

fn is_map(attempt: &TaskAttempt) -> bool {
    attempt.task_type == TaskType::Map
}

/// The task of these attempts, if one of them did it.
fn task_of(attempts: &[TaskAttempt]) -> Option<Task> {
    let spans = || attempts.iter().filter_map(|a| Some((a, span_of(a)?)));
    let done = spans().filter(|(a, _)| a.outcome == Some(Outcome::Success));
    let (attempt, last) = done.min_by_key(|(_, it)| it.finish)?;
    let (_, first) = spans().min_by_key(|(_, it)| it.start)?;
    let nodes = spans().filter_map(|(_, it)| it.node).gathered();
    Some(Task { is_map: is_map(attempt), first, last, nodes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};

    const JOB: JobId = JobId { cluster: 202_611_202_120, number: 1 };
    const OF_YARN: JobId = JobId { cluster: 1_795_226_467_746, number: 1 };
    const DONE: Outcome = Outcome::Success;

    /// Letter and numbers of an attempt, its node, from when to when in seconds, and how it ended.
    type Row = (char, u32, u32, u32, i64, i64, Outcome);

    fn trace(job: JobId, finish_s: i64, rows: &[Row]) -> Trace {
        let at = |s: i64| Some(Timestamp::from_millis(s * 1_000));
        let attempt = |(letter, task, attempt, node, from, to, outcome): &Row| {
            let is_map = *letter == 'm';
            let (letter, task_type) =
                if is_map { (TaskLetter::Map, TaskType::Map) } else { (TaskLetter::Reduce, TaskType::Reduce) };
            let id = AttemptId { job, letter, task: *task, attempt: *attempt };
            let node = Some(NodeId(*node));
            let it = TaskAttempt::of(id, task_type, Place { file: FileId(0), line: 1 });
            TaskAttempt { node, start: at(*from), finish: at(*to), outcome: Some(*outcome), ..it }
        };
        let mut tasks: Vec<TaskAttempt> = rows.iter().map(attempt).collect();
        tasks.arrange_by(|task| task.id);
        let job = Job { start: at(0), finish: at(finish_s), ..Job::of(job, JobStatus::Success) };
        Trace { jobs: vec![job], tasks, ..Trace::default() }
    }

    /// In seconds, without the fault of node 3.
    fn would_take(trace: &Trace) -> Option<i64> {
        without_fault(trace, trace.jobs.first()?, &BTreeSet::from([NodeId(3)])).map(|ms| ms / 1_000)
    }

    /// Two Maps each on two nodes with one slot, one on a third that takes 30 s, and one that had to wait.
    const MAPS: [Row; 6] = [
        ('m', 0, 0, 1, 0, 10, DONE),
        ('m', 1, 0, 2, 0, 10, DONE),
        ('m', 2, 0, 3, 0, 30, DONE),
        ('m', 3, 0, 1, 10, 20, DONE),
        ('m', 4, 0, 2, 10, 20, DONE),
        ('m', 5, 0, 1, 20, 30, DONE),
    ];

    #[test]
    fn slow_node_takes_on_what_others_had_to_do() {
        let with = |rows: &[Row], finish_s| would_take(&trace(JOB, finish_s, &[&MAPS, rows].concat()));
        // The last Map goes to node 3, which is free after 10 s.
        assert_eq!(with(&[], 30), Some(20));
        assert_eq!(with(&[], 32), Some(22), "the job's end is as far behind");
        assert_eq!(with(&[('r', 0, 0, 1, 5, 45, DONE)], 45), Some(35));
        assert_eq!(with(&[('r', 0, 0, 3, 5, 45, DONE)], 45), Some(35), "nothing tells what is usual");
        let reduces = [('r', 0, 0, 1, 5, 36, DONE), ('r', 1, 0, 2, 5, 38, DONE), ('r', 2, 0, 4, 5, 37, DONE)];
        let slow = ('r', 3, 0, 3, 5, 90, DONE);
        assert_eq!(with(&[&reduces[..], &[slow]].concat(), 90), Some(28), "7 s behind the last Map are usual");
    }

    #[test]
    fn containers_that_reduces_hold_are_not_there_for_maps() {
        // A Reduce takes a container of node 1; what lies behind has one of node 2 to wait for.
        let rows = [
            ('m', 0, 0, 1, 0, 10, DONE),
            ('m', 1, 0, 2, 0, 10, DONE),
            ('m', 2, 0, 3, 0, 40, DONE),
            ('r', 0, 0, 1, 10, 45, DONE),
            ('m', 3, 0, 2, 10, 20, DONE),
            ('m', 4, 0, 2, 20, 30, DONE),
        ];
        // Node 3 is free after 10 s, so that of the last two Maps each has a container.
        assert_eq!(would_take(&trace(OF_YARN, 45, &rows)), Some(25));
    }

    #[test]
    fn tries_on_the_node_are_not_waited_for() {
        let mut rows = MAPS.to_vec();
        rows.push(('m', 7, 0, 2, 20, 30, DONE));
        rows.extend([('m', 6, 0, 3, 30, 90, Outcome::Failed), ('m', 6, 1, 1, 95, 107, DONE)]);
        // As planned Map 6 begins after 20 s, and takes the 12 s of its second try.
        assert_eq!(would_take(&trace(JOB, 107, &rows)), Some(32));
    }

    #[test]
    fn nothing_is_said_of_what_is_not_known() {
        assert_eq!(would_take(&trace(JOB, 30, &MAPS[..3])), None, "two Maps elsewhere do not tell what is usual");
        let mut killed = trace(JOB, 30, &MAPS);
        killed.jobs.iter_mut().for_each(|job| job.status = JobStatus::Killed);
        assert_eq!(would_take(&killed), None);
        // The last Map waited for something that the plan knows nothing of.
        let late = [&MAPS[..5], &[('m', 5, 0, 1, 80, 90, DONE)]].concat();
        assert_eq!(would_take(&trace(JOB, 90, &late)), None);
        let side_by_side = (0..=LANES_MAX as u32).map(|task| ('m', task, 0, 1, 0, 10, DONE)).collect::<Vec<_>>();
        assert_eq!(would_take(&trace(JOB, 10, &side_by_side[1..])), Some(10));
        assert_eq!(would_take(&trace(JOB, 10, &side_by_side)), None);
    }
}
