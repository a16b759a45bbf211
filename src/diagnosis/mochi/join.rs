//! Which tasks ran on a node at an instant: the paper's join of transfers and tasks.
//!
//! ```text
//! node h1, maps     ├──m_0──┤
//!                      ├─────m_7─────┤      at: m_0 and m_7, in order of begin
//!                          ^
//! ```
//! Cost: O(n log n) to build; a query looks at the tasks begun before the instant, from the
//! last on, until none that began earlier reaches it.

use crate::base::{Arrange, NodeId, Timestamp};
use crate::model::{FlowKind, TaskType, Trace};
use std::collections::BTreeMap;

/// A task beyond its logged end: its last lines may be written a moment later.
const GRACE_MS: i64 = 1000;

#[derive(Clone, Copy, Debug)]
struct TaskInterval {
    start: Timestamp,
    end: Timestamp,
    /// The latest end of this and all that began before.
    reaches: Timestamp,
    task: usize,
}

/// Tasks by node, type and time.
#[derive(Debug, Default)]
pub(super) struct Running(BTreeMap<(NodeId, TaskType), Vec<TaskInterval>>);

impl Running {
    /// Of all maps and reduces.
    pub(super) fn of(trace: &Trace) -> Self {
        let mut by_node: BTreeMap<(NodeId, TaskType), Vec<TaskInterval>> = BTreeMap::new();
        for (task, t) in trace.tasks.iter().enumerate() {
            // What has not ended runs until the logs end: what hangs is what one looks for.
            let end = t.finish.or(trace.span.map(|(_, end)| end));
            if let (Some(node), Some(start), Some(end)) = (t.node, t.start, end) {
                let ran = TaskInterval { start, end, reaches: end, task };
                by_node.entry((node, t.task_type)).or_default().push(ran);
            }
        }
        for ran in by_node.values_mut() {
            ran.arrange_by(|r| (r.start, r.task));
            let mut reaches = Timestamp::from_millis(i64::MIN);
            for r in ran {
                reaches = reaches.max(r.end);
                r.reaches = reaches;
            }
        }
        Self(by_node)
    }

    /// The tasks on `node` at `at` that can take part in a transfer of this kind, in order
    /// of their begin: maps read; reduces fetch; reduces write, and maps where none does.
    pub(super) fn at(&self, node: NodeId, at: Timestamp, kind: FlowKind) -> Vec<usize> {
        let of = |task_type| self.of_type(node, at, task_type);
        match kind {
            FlowKind::Read => of(TaskType::Map),
            FlowKind::Shuffle => of(TaskType::Reduce),
            FlowKind::Write | FlowKind::Replicate => {
                let reduces = of(TaskType::Reduce);
                if reduces.is_empty() { of(TaskType::Map) } else { reduces }
            }
        }
    }

    fn of_type(&self, node: NodeId, at: Timestamp, task_type: TaskType) -> Vec<usize> {
        let Some(ran) = self.0.get(&(node, task_type)) else { return Vec::new() };
        let begun = ran.partition_point(|r| r.start <= at);
        let mut found = Vec::new();
        for r in ran.get(..begun).unwrap_or_default().iter().rev() {
            if r.reaches.plus_millis(GRACE_MS) < at {
                break;
            }
            if r.end.plus_millis(GRACE_MS) >= at {
                found.push(r.task);
            }
        }
        found.reverse();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter};
    use crate::model::TaskAttempt;

    #[test]
    fn what_has_not_ended_runs_until_the_logs_do() {
        let at = Timestamp::from_millis;
        let task = |task: u32, start: i64, finish: Option<i64>| TaskAttempt {
            node: Some(NodeId(0)),
            start: Some(at(start)),
            finish: finish.map(at),
            ..TaskAttempt::of(
                AttemptId { job: JobId { cluster: 1, number: 1 }, letter: TaskLetter::Map, task, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        };
        let tasks = vec![task(0, 0, Some(10_000)), task(1, 5_000, None)];
        let running = Running::of(&Trace { tasks, span: Some((at(0), at(60_000))), ..Trace::default() });
        let reading = |ms| running.at(NodeId(0), at(ms), FlowKind::Read);
        assert_eq!((reading(7_000), reading(50_000), reading(70_000)), (vec![0, 1], vec![1], vec![]));
    }
}
