//! Pauses of daemons, as Hadoop's own monitor logs them: how long a node stood still.

use crate::base::{NodeId, Timestamp};
use crate::model::{Complaint, Trace};

/// Share of the logs' time that a node must have stood still: half a minute in a day's logs is no sick node.
const SHARE_OF_TIME: f64 = 0.05;

/// How long a node stood still: its daemons do so together, and each tells of it.
pub(super) fn seconds(node: NodeId, complaints: &[&Complaint]) -> usize {
    let of_node = complaints.iter().filter(|c| c.of == Some(node));
    let mut pauses: Vec<(i64, i64)> = of_node.map(|c| (began(c).millis(), c.at.millis())).collect();
    pauses.sort_unstable();
    let (mut until, mut ms) = (i64::MIN, 0);
    for (begin, end) in pauses {
        ms += end.saturating_sub(begin.max(until)).max(0);
        until = until.max(end);
    }
    usize::try_from(ms / 1000).unwrap_or_default()
}

/// When what is complained of began: a pause is told of at its end.
pub(super) fn began(complaint: &Complaint) -> Timestamp {
    let took = complaint.took_ms.and_then(|ms| i64::try_from(ms).ok()).unwrap_or(0);
    Timestamp::from_millis(complaint.at.millis().saturating_sub(took))
}

/// Whether so many seconds are much of the logs' time.
pub(super) fn is_long(trace: &Trace, seconds: usize) -> bool {
    let all_ms = trace.span.map_or(0, |(from, to)| to.millis_since(from));
    seconds as f64 * 1000.0 >= SHARE_OF_TIME * all_ms as f64
}
