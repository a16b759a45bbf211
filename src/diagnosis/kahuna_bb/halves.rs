//! Half of the nodes or more are busier than their work makes them (X6): those that behave unlike a majority are then the few
//! that are well.
//!
//! ```text
//! h1 ▇▇▇▇  h2 ▇▇▇▇  h3 ▇▇▆▇  h4 ▇▇▇▇       alike, half of all or more, and as busy as a hog makes a node
//! h5 ▂▃▂▂  h6 ▂▂▃▂                          indicted, for they do less, with as many tasks at a time
//! ```
//! Where a job ends, some nodes have nothing left to do, and one may have less to do than all others: so two are asked for, they
//! must have run tasks in that time, no less than the others and with no less traffic, and a level of all others
//! ([`super::levels`]) must lie above theirs by as much as accuses a node. Cost: O(samples).

use super::watched::WATCHED;
use super::{STRONG, SystemComparison, WORKS, shift, worked_ms};
use crate::base::{Interval, NodeId};
use crate::diagnosis::{Indictment, Number, Numbers};
use crate::model::Trace;
use crate::stats::quantile::{median, sorted};

/// Nodes that are well at the least.
const LIGHT: usize = 2;
/// The tasks on them over those on the others, from which they have as many.
const AS_MANY: f64 = 0.8;

/// The nodes that are busier than the indicted ones, where they are half or more and nothing but a fault tells why; else none.
pub(super) fn busy_half(
    trace: &Trace,
    c: &SystemComparison,
    indicted: &[Indictment],
    threshold: f64,
    numbers: &Numbers,
) -> Vec<NodeId> {
    let (light, busy): (Vec<NodeId>, Vec<NodeId>) =
        (c.nodes.iter().map(|own| own.node)).partition(|node| indicted.iter().any(|word| word.node == *node));
    let clearly = indicted.iter().all(|word| word.score >= STRONG);
    if light.len() < LIGHT || 2 * busy.len() < c.nodes.len() || !clearly {
        return Vec::new();
    }
    let over = |node: &NodeId| c.nodes.iter().find(|own| own.node == *node).map(|own| c.over(own, threshold));
    let during = light.iter().filter_map(over).reduce(|a, b| common(&a, &b)).unwrap_or_default();
    let length_ms: i64 = during.iter().map(|interval| interval.millis()).sum();
    let holds = length_ms >= c.window_ms()
        && work_as_much(trace, &light, &busy, &during, c.window_ms())
        && light.iter().all(|node| !shift::of(trace, *node, &during).carries_less())
        && are_busier(trace, &light, &busy, &during, numbers.get(Number::BbLevels));
    if holds { busy } else { Vec::new() }
}

/// What two lists of times, each in order, have in common.
fn common(a: &[Interval], b: &[Interval]) -> Vec<Interval> {
    let shared = |a: &Interval, b: Interval| Interval::new(a.start.max(b.start), a.end.min(b.end));
    a.iter().flat_map(|a| a.met_in(b).map(move |b| shared(a, b))).collect()
}

/// Whether each of the light nodes is seen at work, for no less than the others: tasks that the logs do not tell of may be what
/// those are busy with.
fn work_as_much(trace: &Trace, light: &[NodeId], busy: &[NodeId], during: &[Interval], window_ms: i64) -> bool {
    let worked = worked_ms(trace, during);
    let of = |nodes: &[NodeId]| -> Vec<f64> {
        sorted(nodes.iter().map(|node| worked.get(node).copied().unwrap_or(0) as f64))
    };
    let typical = median(&of(busy)).unwrap_or(0.0);
    of(light).first().is_some_and(|least| *least >= WORKS * window_ms as f64 && *least >= AS_MANY * typical)
}

/// Whether some level of each busy node is so many times that of every light one, and the busy ones differ by less.
fn are_busier(trace: &Trace, light: &[NodeId], busy: &[NodeId], during: &[Interval], times: f64) -> bool {
    WATCHED.iter().any(|level| {
        let means = |nodes: &[NodeId]| -> Option<Vec<f64>> {
            let means: Option<Vec<f64>> = nodes.iter().map(|node| level.mean(trace, *node, during)).collect();
            means.map(sorted)
        };
        let Some((light, busy)) = means(light).zip(means(busy)) else { return false };
        let (Some(high), Some(low), Some(most)) = (light.last(), busy.first(), busy.last()) else { return false };
        let apart = low / (high + level.nothing);
        apart >= times && most / low < apart
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Timestamp;

    #[test]
    fn times_in_common_are_those_of_both() {
        let of = |spans: &[(i64, i64)]| -> Vec<Interval> {
            let at = Timestamp::from_millis;
            spans.iter().map(|(start, end)| Interval::new(at(*start), at(*end))).collect()
        };
        assert_eq!(common(&of(&[(0, 10), (20, 30)]), &of(&[(5, 25)])), of(&[(5, 10), (20, 25)]));
        assert_eq!(common(&of(&[(0, 10)]), &of(&[(10, 20)])), []);
    }
}
