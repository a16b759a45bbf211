//! Which metrics of a node stand apart from its peers', and by how much: profiles carry
//! no meaning (K23), metrics do.
//!
//! ```text
//! user 82.0 % (peers 24.0), runq_sz 6.1 tasks (peers 1.0)      means over the time that is looked at
//! ```

use crate::base::quantity::of_millis;
use crate::base::{Arrange, Interval, NodeId};
use crate::model::{Metric, OfMetrics, Trace};
use crate::stats::quantile::{median, sorted};

/// A metric moved if it is so many times its peers' (or the inverse)…
const MOVED_RATIO: f64 = 1.5;
/// …and the difference is so much in its own unit: below it nobody would look. In the
/// order of [`Metric::ALL`]: percents, switches, tasks, processes, load, bytes, KiB, faults,
/// sectors a second.
const MOVED_BY: OfMetrics<f64> =
    [8.0, 8.0, 4.0, 200.0, 0.7, 5.0, 1.0, 20_000.0, 20_000.0, 100.0, 100.0, 300.0, 200.0, 200.0];
/// What a node's network carries.
const CARRIED: [Metric; 2] = [Metric::Received, Metric::Sent];
/// Percent of the processor's time that are left of one that is taken.
const SATURATED_LEFT: f64 = 10.0;
/// Peers of which a metric has to be known: one may itself be odd.
const PEERS_MEASURED: usize = 2;
/// Metrics named in a sentence.
const NAMED: usize = 4;

/// Means of a node's metrics and of its peers'.
#[derive(Clone, Debug, PartialEq)]
pub struct Shift {
    /// The node's mean and the median of its peers' means; NaN where not measured.
    pub means: OfMetrics<(f64, f64)>,
}

/// The means in the given stretches of time.
#[must_use]
pub fn of(trace: &Trace, node: NodeId, during: &[Interval]) -> Shift {
    let own = means(trace, node, during);
    let peers: Vec<OfMetrics<f64>> = trace.peers_of(node).into_iter().map(|peer| means(trace, peer, during)).collect();
    let mut shift = Shift { means: [(f64::NAN, f64::NAN); Metric::ALL.len()] };
    for (metric, (slot, own)) in shift.means.iter_mut().zip(own).enumerate() {
        let known = sorted(peers.iter().filter_map(|peer| peer.get(metric).copied()).filter(|mean| !mean.is_nan()));
        let of_peers = median(&known).filter(|_| known.len() >= PEERS_MEASURED);
        *slot = (own, of_peers.unwrap_or(f64::NAN));
    }
    shift
}

fn means(trace: &Trace, node: NodeId, during: &[Interval]) -> OfMetrics<f64> {
    let mut sums = OfMetrics::<(f64, f64)>::default();
    for sample in trace.samples.of_node_during(node, during) {
        for ((sum, n), value) in sums.iter_mut().zip(sample.values).filter(|(_, value)| !value.is_nan()) {
            *sum += value;
            *n += 1.0;
        }
    }
    sums.map(|(sum, n)| if n > 0.0 { sum / n } else { f64::NAN })
}

/// Which way a metric moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moved {
    /// Far above the peers'.
    Up,
    /// Far below.
    Down,
    /// Neither.
    Not,
    /// It was not measured, on the node or on two of its peers.
    Unknown,
}

impl Shift {
    /// Which way a metric moved.
    #[must_use]
    pub fn of_metric(&self, metric: Metric) -> Moved {
        let place = metric.place();
        let (Some((own, peers)), Some(by)) = (self.means.get(place), MOVED_BY.get(place)) else {
            return Moved::Unknown;
        };
        if own.is_nan() || peers.is_nan() {
            Moved::Unknown
        } else if own - peers >= *by && *own >= MOVED_RATIO * peers {
            Moved::Up
        } else if peers - own >= *by && *peers >= MOVED_RATIO * own {
            Moved::Down
        } else {
            Moved::Not
        }
    }

    /// Whether a metric was measured and is not far above the peers'.
    #[must_use]
    pub fn is_not_up(&self, metric: Metric) -> bool {
        matches!(self.of_metric(metric), Moved::Down | Moved::Not)
    }

    /// Whether some metric is far above the peers': an idle node's are below. How many processes
    /// there are tells nothing of what they do, and the load lags behind it.
    #[must_use]
    pub fn does_more(&self) -> bool {
        Metric::ALL.into_iter().any(|metric| !metric.is_standing() && self.of_metric(metric) == Moved::Up)
    }

    /// Whether the node's network carries more than its peers': then it was given more to do.
    #[must_use]
    pub fn carries_more(&self) -> bool {
        CARRIED.into_iter().any(|metric| self.of_metric(metric) == Moved::Up)
    }

    /// Whether it carries less than its peers'.
    #[must_use]
    pub fn carries_less(&self) -> bool {
        CARRIED.into_iter().any(|metric| self.of_metric(metric) == Moved::Down)
    }

    /// Whether the processor has next to nothing left, and less than half of what its peers' have: busy peers keep a
    /// percentage from being many times theirs.
    #[must_use]
    pub fn is_saturated(&self) -> bool {
        let shares = Metric::ALL.into_iter().zip(self.means).filter(|(metric, _)| metric.is_of_processors());
        let (own, peers) =
            shares.fold((100.0, 100.0), |(own, peers), (_, (of_own, of_peers))| (own - of_own, peers - of_peers));
        own <= SATURATED_LEFT && own * 2.0 <= peers
    }

    /// The metrics that moved most, with their numbers.
    #[must_use]
    pub fn in_words(&self) -> String {
        let mut moved: Vec<(f64, String)> = Metric::ALL
            .into_iter()
            .zip(self.means)
            .filter(|(metric, _)| matches!(self.of_metric(*metric), Moved::Up | Moved::Down))
            .map(|(metric, (own, peers))| {
                // As many times its peers', either way; what is 0 there counts as a hundredth.
                let ratio = (own.max(0.01) / peers.max(0.01)).max(peers.max(0.01) / own.max(0.01));
                (ratio, format!("{} {} {} (peers {})", metric.name(), short(own), metric.unit(), short(peers)))
            })
            .collect();
        moved.arrange(|a, b| b.0.total_cmp(&a.0));
        moved.into_iter().take(NAMED).map(|(_, words)| words).collect::<Vec<_>>().join(", ")
    }

    /// The same, to stand behind a sentence about so many milliseconds; nothing where none moved.
    #[must_use]
    pub fn over_in_words(&self, ms: i64) -> String {
        let moved = self.in_words();
        if moved.is_empty() { moved } else { format!("; means over the {}: {moved}", of_millis(ms as f64)) }
    }
}

fn short(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Timestamp;
    use crate::model::{Node, Sample, Samples};

    #[test]
    fn processor_is_saturated_with_half_of_what_its_peers_have_left() {
        let shift = |own: f64, peers: f64| {
            let mut means = OfMetrics::default();
            means[0] = (own, peers);
            Shift { means }.is_saturated()
        };
        assert!(shift(95.0, 80.0) && !shift(85.0, 20.0) && !shift(95.0, 92.0));
        assert!(!Shift { means: [(f64::NAN, f64::NAN); Metric::ALL.len()] }.is_saturated(), "nothing was measured");
    }

    #[test]
    fn means_are_those_of_the_time_looked_at() {
        let mut rows = Vec::new();
        for (node, user) in [(0, 80.0), (1, 20.0), (2, 10.0), (3, 30.0)] {
            for second in 0..10 {
                let mut values = [f64::NAN; Metric::ALL.len()];
                // The first five seconds are not looked at.
                values[0] = if second < 5 { 0.0 } else { user };
                rows.push(Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values });
            }
        }
        let trace = Trace {
            nodes: (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            samples: Samples::from_rows(rows),
            ..Trace::default()
        };
        let during = [Interval::new(Timestamp::from_millis(5_000), Timestamp::from_millis(10_000))];
        let shift = of(&trace, NodeId(0), &during);
        assert_eq!(shift.means[0], (80.0, 20.0));
        assert_eq!(shift.of_metric(Metric::User), Moved::Up);
        assert_eq!(shift.of_metric(Metric::Iowait), Moved::Unknown, "nobody measured it");
        assert!(!shift.is_not_up(Metric::Iowait) && !shift.is_not_up(Metric::User));
        assert_eq!(shift.in_words(), "user 80.0 % (peers 20.0)");
        assert_eq!(of(&trace, NodeId(2), &during).of_metric(Metric::User), Moved::Down);
        // A time of which nothing is known, and a node of whose peers one alone was measured.
        let later = [Interval::new(Timestamp::from_millis(20_000), Timestamp::from_millis(30_000))];
        assert_eq!(of(&trace, NodeId(0), &later).of_metric(Metric::User), Moved::Unknown);
        let two = trace.samples.iter().filter(|sample| sample.node.0 < 2).collect::<Vec<_>>();
        let trace = Trace { samples: Samples::from_rows(two), ..trace };
        assert_eq!(of(&trace, NodeId(0), &during).of_metric(Metric::User), Moved::Unknown);
    }
}
