//! OS metrics: what sysstat measured of a node each second (K16, Kahuna Table II).

use crate::base::{NodeId, Timestamp};

/// The metrics of a sadc-vector in the order of Kahuna's Table II, named as
/// `extract samples` prints them.
pub const METRICS: [&str; 14] = [
    "user",
    "system",
    "iowait",
    "ctxt",
    "runq_sz",
    "plist_sz",
    "ldavg_1",
    "eth_rxbyt",
    "eth_txbyt",
    "pgpgin",
    "pgpgout",
    "fault",
    "bread",
    "bwrtn",
];

/// One node's sadc-vector of one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Whose.
    pub node: NodeId,
    /// When, UTC.
    pub at: Timestamp,
    /// In the order of [`METRICS`], in sysstat's units; NaN where not measured.
    pub values: [f64; METRICS.len()],
}

/// All samples, by node, then by time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    rows: Vec<Sample>,
}

impl Samples {
    /// Puts rows in order; of several with one node and time the first stays.
    #[must_use]
    pub fn from_rows(mut rows: Vec<Sample>) -> Self {
        rows.sort_by_key(|s| (s.node, s.at));
        rows.dedup_by_key(|s| (s.node, s.at));
        Self { rows }
    }

    /// Number of samples.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All, by node, then by time.
    pub fn iter(&self) -> impl Iterator<Item = Sample> + '_ {
        self.rows.iter().copied()
    }

    /// Those of one node in order of time (a binary search finds them).
    pub fn of_node(&self, node: NodeId) -> impl Iterator<Item = Sample> + '_ {
        let from = self.rows.partition_point(|s| s.node < node);
        let to = self.rows.partition_point(|s| s.node <= node);
        self.rows.get(from..to).unwrap_or_default().iter().copied()
    }
}
