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
use super::standing::STANDING;
use crate::base::NodeId;
use crate::model::{Outcome, TaskAttempt, TaskType, Trace};

/// Whether several attempts of one type on the node were overtaken, and none that began there since the first of them came through.
/// Of a node whose processor is taken each must have lasted so many times as long as its rival as no hog slows down.
pub(super) fn overtaken(trace: &Trace, node: NodeId, task_type: TaskType, is_hogged: bool) -> bool {
    let times = if is_hogged { BEYOND_HOGS } else { 1.0 };
    let begins = || {
        let rows =
            trace.tasks.chunk_by(|a, b| a.id.job == b.id.job && (a.id.letter, a.id.task) == (b.id.letter, b.id.task));
        rows.flat_map(move |tries| {
            let here = tries.iter().filter(move |t| t.node == Some(node) && t.task_type == task_type);
            here.filter(move |t| lost(t, tries, times)).filter_map(|t| t.start)
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

/// Whether an attempt was killed for a rival after so many times as long as the rival needed.
fn lost(attempt: &TaskAttempt, tries: &[TaskAttempt], times: f64) -> bool {
    let needed = |t: &TaskAttempt| Some(t.finish?.millis_since(t.start?) as f64);
    let by_far = |rival: &TaskAttempt| needed(attempt).zip(needed(rival)).is_some_and(|(own, its)| own >= times * its);
    tries.iter().any(|rival| attempt.lost_to(rival) && by_far(rival))
}
