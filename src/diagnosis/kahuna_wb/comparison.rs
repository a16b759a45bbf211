//! What a comparison of the peers in one kind of state says: all that the view draws.

use super::last::Last;
use super::windows::PeerWindow;
use crate::base::NodeId;
use crate::model::StateKind;

/// Pairs of nodes whose distances are kept, for the view: 500 nodes have as many, 2 MB for each comparison. Of 4,000 nodes
/// they were 128 MB, and cells too small to see.
pub const PAIRS_SHOWN: usize = 125_000;

/// The peers compared in one kind of state: everything that the peers view draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeerComparison {
    /// The kind of state; `None` only in an empty comparison.
    pub kind: Option<StateKind>,
    /// The first and the last of the jobs whose states alone it compares, or the only one; none if it compares all.
    pub jobs: Vec<String>,
    /// The stretch of the job in which the states ended that it compares, if not all: "second half".
    pub stretch: Option<String>,
    /// Nodes with enough states, in order.
    pub nodes: Vec<NodeDurations>,
    /// Peer nodes with too few states to be judged (X4).
    pub too_few: Vec<NodeId>,
    /// sqrt of the Jensen–Shannon divergence of each pair, 0 to 1; symmetric, 0 on the diagonal. Empty where there are more
    /// than [`PAIRS_SHOWN`].
    pub distances: Vec<Vec<f64>>,
    /// The threshold on T(i).
    pub threshold: f64,
    /// Whether some node is so far from the others that none of the permutations is, and these are too few to tell whether
    /// that is as rare as is asked. A report's figure does not carry it.
    pub leaves_open: bool,
    /// T(i) in sliding windows.
    pub windows: Vec<PeerWindow>,
}

/// One of the nodes compared, by the durations of its states.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeDurations {
    /// The node.
    pub node: NodeId,
    /// Number of its states: of a report opened without its logs, more than there are durations.
    pub count: usize,
    /// T(i): the distance that it exceeds from a majority of the others.
    pub score: f64,
    /// Chance of a T as large on any node if labels meant nothing, also where the threshold is fixed; `None` where
    /// there was nothing to permute.
    pub p: Option<f64>,
    /// Its median duration over the median of its peers' medians, jobs evened out.
    pub ratio: f64,
    /// Whether the gap rule holds, by all of its states or by the last of them.
    pub gap: bool,
    /// What that compared, where it holds: the short end of the node's states and the long end of its peers', in seconds,
    /// jobs evened out. A report's figure does not carry it.
    pub gap_s: Option<[f64; 2]>,
    /// Its last states, where it holds by them. A report's figure does not carry it.
    pub last: Option<Last>,
    /// Whether it is indicted, by T or by the gap rule.
    pub indicted: bool,
    /// Median, lower and upper quartile of its durations in seconds.
    pub quartiles_s: [f64; 3],
    /// Its durations in seconds, ascending.
    pub durations_s: Vec<f64>,
}
