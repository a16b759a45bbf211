//! What peers cannot tell of one another: most of them changed alike (K09).
//!
//! ```text
//! control runs   h1 ▁▂▁▁  h2 ▁▁▂▁  h3 ▂▁▁▁
//! this run       h1 ▇▇▇▇  h2 ▇▇▆▇  h3 ▇▇▇▇       alike, and like nothing in the control runs
//! ```
//! Source: Kahuna §III (footnote 1) and §VIII-A: peer comparison claims nothing of such
//! faults, so they must not pass for "clean". It needs control runs with metrics; without
//! them it cannot be told, and the sentence for clean nodes says so. Other work than that
//! of the control runs looks the same, so nobody is named. Where half of the nodes are
//! *indicted*, which needs no control run, the verdict is "no majority" instead.
//! Cost: O(nodes).

use super::{Comparison, Witness};

/// Whether some comparison with control runs has more than half of its nodes unlike all
/// of these.
#[must_use]
pub fn correlated(witnesses: &[Witness]) -> bool {
    witnesses.iter().filter(|w| w.abstained.is_none()).any(|w| match &w.comparison {
        Some(Comparison::System(c)) => c.unlike_controls().count() * 2 > c.nodes.len(),
        _ => false,
    })
}
