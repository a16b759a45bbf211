//! Attempts that rivals overtook, and none since that came through: where jobs start rivals, a node on which tasks stand still
//! has no attempt that lasts long, nor one that fails.
//!
//! ```text
//! h117   m_000024_0  ├─────────────────── killed
//!        m_000031_0      ├────────────────── killed
//!        m_000040_0                          ├────────────────── killed     no success that began after the first
//! h103   m_000024_1               ├── success
//! ```
//! A node that is only slow brings some through: a rival is started late, and needs its own time. Source: Kahuna's HANG-1036 under
//! speculation (§VIII, footnotes to Table IV), simulated. Cost: O(attempts), for each node that is asked for.

use super::BEYOND_HOGS;
use super::standing::{STANDING, times_needed};
use crate::base::NodeId;
use crate::model::{Outcome, TaskAttempt, TaskType, Trace};

/// Whether several attempts of one type on the node were overtaken, and none that began there since the first of them came through.
/// Of a node whose processor is taken each must have lasted so many times as long as its rival as no hog slows down, or have been
/// silent.
pub(super) fn overtaken(trace: &Trace, node: NodeId, task_type: TaskType, is_hogged: bool) -> bool {
    let times = if is_hogged { BEYOND_HOGS } else { 1.0 };
    let begins = || {
        let rows =
            trace.tasks.chunk_by(|a, b| a.id.job == b.id.job && (a.id.letter, a.id.task) == (b.id.letter, b.id.task));
        rows.flat_map(move |tries| {
            let here = tries.iter().filter(move |t| t.node == Some(node) && t.task_type == task_type);
            here.filter(move |t| lost(trace, t, tries, times)).filter_map(|t| t.start)
        })
    };
    let Some(first) = begins().min() else { return false };
    let came_through = |t: &TaskAttempt| {
        t.node == Some(node)
            && t.task_type == task_type
            && t.outcome == Some(Outcome::Success)
            && t.start >= Some(first)
    };
    begins().count() >= STANDING && !trace.tasks.iter().any(came_through)
}

/// Whether an attempt was killed for a rival after so many times as long as the rival needed, or of
/// fewer, if it was silent ([`times_needed`]).
fn lost(trace: &Trace, attempt: &TaskAttempt, tries: &[TaskAttempt], times: f64) -> bool {
    let lasted = |t: &TaskAttempt| Some(t.finish?.millis_since(t.start?));
    let by_far = |rival: &TaskAttempt| {
        let (own, its) = (lasted(attempt)?, lasted(rival)?);
        Some(own as f64 >= times_needed(trace.silent_ms(attempt.id, own), its, times) * its as f64)
    };
    tries.iter().any(|rival| attempt.lost_to(rival) && by_far(rival) == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};

    /// Two maps of node 1 that lasted so many seconds, each killed for one of node 0 that needed 15 s, and told of progress
    /// last after so many seconds, if they did.
    fn cluster(lasted_s: i64, got_on_s: Option<i64>) -> Trace {
        let mut trace = Trace::default();
        for task in 0..2 {
            let mut push = |attempt: u32, node: u32, (from, to): (i64, i64), outcome: Outcome| {
                let job = JobId { cluster: 1, number: 1 };
                let id = AttemptId { job, letter: TaskLetter::Map, task, attempt };
                let [start, finish] = [from, to].map(|s| Some(Timestamp::from_millis(s * 1000)));
                let of = TaskAttempt::of(id, TaskType::Map, Place { file: FileId(0), line: 1 });
                trace.tasks.push(TaskAttempt { node: Some(NodeId(node)), start, finish, outcome: Some(outcome), ..of });
                id
            };
            let id = push(0, 1, (100, 100 + lasted_s), Outcome::Killed);
            push(1, 0, (85 + lasted_s, 100 + lasted_s), Outcome::Success);
            trace.got_on_ms.extend(got_on_s.map(|s| (id, s * 1000)));
        }
        trace
    }

    #[test]
    fn what_is_silent_need_not_last_as_long_on_a_taken_processor() {
        let is_so = |trace: &Trace, is_hogged| overtaken(trace, NodeId(1), TaskType::Map, is_hogged);
        assert!(is_so(&cluster(45, None), false));
        assert!(!is_so(&cluster(45, None), true), "three times as long as its rival needed");
        assert!(is_so(&cluster(60, None), true));
        assert!(is_so(&cluster(45, Some(5)), true), "40 s without progress");
        assert!(!is_so(&cluster(45, Some(25)), true), "it got on after 25 s");
    }
}
