//! Answers to what Mochi's users ask of a job (M01, paper §1 Table 1): "must all Maps finish first?" and "are Maps beating up
//! nodes in the shuffle?". How many Maps and Reduces there should be is asked in [`super::hints`] and
//! [`crate::diagnosis::advice`], where the time goes in [`super::critical`].
//!
//! ```text
//! Map    ▇▇▇▇                first Reduce begun when 2 of 4 Maps were over
//! Map    ▇▇▇▇▇▇▇             the last Map's end: only behind it begins a reduce function
//! Reduce      ▇▇▇▇▇▇▇▇▇▇▇
//! ```
//! Cost: O(attempts + fetches).

use super::volumes::Volumes;
use super::words::skew_word;
use super::{JobFlow, in_one_clock};
use crate::base::quantity::{bytes, counted, grouped, of_millis};
use crate::base::{Interval, Timestamp};
use crate::model::{TaskType, Trace};

/// All that can be answered.
#[must_use]
pub fn of(trace: &Trace, flow: &JobFlow, volumes: &Volumes) -> Vec<String> {
    overlap(trace, flow).into_iter().chain(shuffle(trace, flow, volumes)).collect()
}

/// How many Maps were over when the first Reduce began. Reduces copy before the last Map's end, but none reduces.
fn overlap(trace: &Trace, flow: &JobFlow) -> Option<String> {
    let instants = |of: TaskType, end: bool| -> Vec<Timestamp> {
        let at = flow.done(trace, of).map(|(_, t)| in_one_clock(trace, t, if end { t.finish } else { t.start }));
        at.flatten().collect()
    };
    let maps = instants(TaskType::Map, true);
    let (first, last) = (instants(TaskType::Reduce, false).into_iter().min()?, *maps.iter().max()?);
    let over = maps.iter().filter(|end| **end <= first).count();
    let (of_all, known) = (flow.ended(trace, TaskType::Map), counted(maps.len() as u64, "Map"));
    let when = match grouped(over as u64) {
        over if of_all.0 < of_all.1 => format!("{over} of the {known} known to have ended were over"),
        _ if over == maps.len() => String::from(if over == 1 { "the Map was over" } else { "all Maps were over" }),
        over => {
            let later = of_millis(last.millis_since(first) as f64);
            format!("{over} of {known} were over, and could reduce {later} later, when the last was")
        }
    };
    Some(format!("The first Reduce began when {when}"))
}

/// From which node the Reduces fetched most, and how fast it gave.
fn shuffle(trace: &Trace, flow: &JobFlow, volumes: &Volumes) -> Option<String> {
    let sent = volumes.sent();
    let (index, node, most) = volumes.skew(&sent).filter(|_| sent.len() > 1)?;
    let gave = |f: &&super::Joined| f.task.and_then(|i| trace.tasks.get(i)?.node).or(f.src) == Some(node);
    let giving = flow.fetches.iter().filter(gave).filter_map(|f| Some(Interval::new(f.start?, f.end)));
    let ms: i64 = Interval::union(giving.collect()).into_iter().map(Interval::millis).sum();
    let within = match ms {
        1.. => format!(", {}/s in the {} in which it did", bytes(most * 1000.0 / ms as f64), of_millis(ms as f64)),
        _ => String::new(),
    };
    Some(format!(
        "The shuffle is {} over the nodes: {} gave most, {}, {index:.1} times the mean{within}",
        skew_word(index),
        trace.node_name(node),
        bytes(most),
    ))
}
