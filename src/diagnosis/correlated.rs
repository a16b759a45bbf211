//! What peers cannot tell of one another: most of them changed alike (K09).
//!
//! ```text
//! control runs   h1 ▁▂▁▁  h2 ▁▁▂▁  h3 ▂▁▁▁
//! this run       h1 ▇▇▇▇  h2 ▇▇▆▇  h3 ▇▇▇▇       alike, and like nothing in the control runs
//! ```
//! Source: Kahuna §III (footnote 1) and §VIII-A: peer comparison claims nothing of such
//! faults, so they must not pass for "clean". It needs control runs: with metrics; with the same work, of which states take
//! twice as long on most nodes (`kahuna_wb/usual.rs`); or with the same system calls, of which half and more do
//! ([`calls_unlike_controls`]). Without them it cannot be told, and the sentence for clean nodes says so. Other work than that
//! of the control runs has other metrics, so nobody is named. Where half of the nodes are
//! *indicted*, which needs no control run, the verdict is "no majority" instead.
//! Cost: O(nodes), of calls O(spikes).

use super::syscalls::{Examination, Hog};
use super::{Comparison, Number, Witness};
use crate::base::NodeId;
use std::collections::BTreeMap;

/// Share of a node's calls that control runs have too, from which it is unlike them.
const MOST_CALLS: f64 = 0.5;

/// Whether some comparison with control runs has more than half of its nodes unlike all
/// of these.
#[must_use]
pub fn correlated(witnesses: &[Witness]) -> bool {
    let by_metrics = witnesses.iter().filter(|w| w.abstained.is_none()).any(|w| match &w.comparison {
        Some(Comparison::System(c)) => c.unlike_controls().count() * 2 > c.nodes.len(),
        _ => false,
    });
    by_metrics || witnesses.iter().any(|w| !w.unlike_controls.is_empty())
}

/// The nodes of whose look-ups of files, or connections, half and more took far longer than the same call ever did in control
/// runs, where these are most of the nodes; else none.
#[must_use]
pub fn calls_unlike_controls(e: &Examination) -> Vec<NodeId> {
    if e.switches.peer_only {
        return Vec::new();
    }
    let times = e.numbers.get(Number::CallsSpike);
    let mut slow: BTreeMap<(Hog, NodeId), usize> = BTreeMap::new();
    for spike in e.spikes.all.iter().filter(|s| s.took_us as f64 > times * s.max_us as f64) {
        if let Some(hog) = spike.hog {
            *slow.entry((hog, spike.node)).or_default() += 1;
        }
    }
    let of = |hog: Hog| {
        let is_unlike = |node: &NodeId| {
            let slow = slow.get(&(hog, *node)).copied().unwrap_or(0);
            let known = e.spikes.known.get(&(hog, *node)).copied().unwrap_or(0);
            slow >= e.numbers.count(Number::CallsSpikes) && slow as f64 >= MOST_CALLS * known as f64
        };
        e.nodes.keys().copied().filter(is_unlike).collect::<Vec<NodeId>>()
    };
    let most = |nodes: &Vec<NodeId>| 2 * nodes.len() > e.nodes.len();
    [Hog::Disk, Hog::Network].map(of).into_iter().find(most).unwrap_or_default()
}
