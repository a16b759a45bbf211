//! Kahuna, white box: peers are compared by the durations of their log states.

use crate::base::{Interval, NodeId};
use crate::model::StateKind;

/// The peers compared in one kind of state: everything that the peers view draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeerComparison {
    /// The kind of state; `None` only in an empty comparison.
    pub kind: Option<StateKind>,
    /// Nodes with enough states, in order; the other vectors follow this order.
    pub nodes: Vec<NodeId>,
    /// Nodes with too few states to be judged (X4).
    pub too_few: Vec<NodeId>,
    /// Number of states of each node.
    pub counts: Vec<usize>,
    /// sqrt of the Jensen–Shannon divergence of each pair, 0 to 1; symmetric, 0 on the diagonal.
    pub distances: Vec<Vec<f64>>,
    /// T(i): the distance that node i exceeds from a majority of the others.
    pub scores: Vec<f64>,
    /// The threshold on T(i).
    pub threshold: f64,
    /// Median duration of each node over the median of its peers' medians.
    pub ratios: Vec<f64>,
    /// Median, lower and upper quartile of each node's durations in seconds.
    pub quartiles_s: Vec<[f64; 3]>,
    /// Durations in seconds of each node, ascending.
    pub durations_s: Vec<Vec<f64>>,
    /// T(i) in sliding windows.
    pub windows: Vec<PeerWindow>,
}

/// T(i) of the states that end in one window.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerWindow {
    /// The window.
    pub interval: Interval,
    /// T(i) in the order of the comparison's nodes; `None` where there are too few states.
    pub scores: Vec<Option<f64>>,
}
