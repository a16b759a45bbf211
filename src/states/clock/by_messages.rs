//! The zone of a node by what it and others sent each other, where its logs have nothing of epoch time themselves.
//!
//! ```text
//! master, no pairs       21:24:44,100  Adding task ATT … for tracker h1
//! h1, pairs say UTC      02:24:44,135  LaunchTaskAction ATT                 the master is 5 h behind: UTC−5
//! ```
//! No clock is wrong by half hours to the minute, so a skew of that much is a zone.

use super::{Offsets, archive_of, zone};
use crate::base::{HALF_HOUR_MS, NodeId};
use crate::model::{Clock, Evidence, Skew, Zone, ZoneSource};
use crate::states::Input;

/// Clocks that are right differ by less.
const RIGHT_MS: u64 = 60_000;
/// The farthest zones are so far apart: UTC+14 and UTC−12.
const FARTHEST_MS: i64 = 26 * 2 * HALF_HOUR_MS;

/// A node to be moved into another zone.
#[derive(Debug)]
pub struct Moved {
    node: NodeId,
    /// The archive of its first log.
    archive: String,
    by_ms: i64,
    /// Messages that say so.
    messages: u64,
}

impl Offsets {
    /// Whether skews are those of clocks, and none of another zone.
    ///
    /// # Errors
    /// The nodes that are in another.
    pub fn told_by(&self, input: &Input<'_>, skews: &[Skew]) -> Result<(), Vec<Moved>> {
        let has_pairs = |skew: &&Skew| self.with_pairs.contains(&skew.node);
        let nobody_has = !skews.iter().any(|skew| has_pairs(&skew));
        let mut placed: Vec<i64> =
            skews.iter().filter(|skew| nobody_has || has_pairs(skew)).map(|skew| skew.skew_ms).collect();
        placed.sort_unstable();
        let median = placed.get(placed.len() / 2).copied().unwrap_or_default();
        let alike = placed.iter().filter(|ms| ms.abs_diff(median) <= RIGHT_MS).count();
        if self.source == ZoneSource::Given || !self.moved.is_empty() || 2 * alike <= placed.len() {
            return Ok(());
        }
        let mut moves = Vec::new();
        for skew in skews.iter().filter(|skew| !has_pairs(skew)) {
            let Some(by_ms) = zones_apart(skew, median) else { continue };
            let mut own = input.files.iter().filter(|f| f.node == Some(skew.node) && f.digest.clock == Clock::Local);
            let archive = own.next().map(|file| archive_of(file.path).to_owned());
            moves.extend(archive.map(|archive| Moved { node: skew.node, archive, by_ms, messages: skew.messages }));
        }
        if moves.is_empty() { Ok(()) } else { Err(moves) }
    }

    /// Moves nodes into their zones.
    pub fn move_zones(&mut self, moves: Vec<Moved>) {
        for Moved { node, archive, by_ms, messages } in moves {
            self.moved.insert(node, by_ms);
            let around = self.by_archive.get(&archive).unwrap_or(&self.default).clone();
            let row = zone(&archive, Some(node), None, &around.moved(by_ms), &[]);
            self.zones.push(Zone { pairs: messages, evidence: vec![(Evidence::Messages, messages)], ..row });
        }
    }
}

/// What makes a node's local times those of the others' zone, if a zone is what its clock is off by.
fn zones_apart(skew: &Skew, others_ms: i64) -> Option<i64> {
    let ahead_ms = skew.skew_ms.saturating_sub(others_ms);
    let zones_ms = ahead_ms.saturating_add(HALF_HOUR_MS / 2).div_euclid(HALF_HOUR_MS).saturating_mul(HALF_HOUR_MS);
    let is_sure = skew.high_ms.abs_diff(skew.low_ms) <= 2 * RIGHT_MS && ahead_ms.abs_diff(zones_ms) <= RIGHT_MS;
    (zones_ms != 0 && is_sure && zones_ms.abs() <= FARTHEST_MS).then_some(-zones_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_hours_are_zones_and_other_skews_are_not() {
        let apart = |skew_ms: i64, uncertain_ms: i64| {
            let (low_ms, high_ms) = (skew_ms - uncertain_ms, skew_ms + uncertain_ms);
            zones_apart(&Skew { node: NodeId(1), skew_ms, low_ms, high_ms, messages: 9, corrected: false }, 500)
        };
        let hours = |h: i64| h * 2 * HALF_HOUR_MS;
        assert_eq!(apart(hours(-5) + 700, 300), Some(hours(5)));
        assert_eq!(apart(hours(5) + HALF_HOUR_MS, 300), Some(-hours(5) - HALF_HOUR_MS));
        assert_eq!(apart(300, 300), None, "alike");
        assert_eq!(apart(hours(1) + 70_000, 300), None, "a clock that is wrong");
        assert_eq!(apart(hours(1), 200_000), None, "not known well");
        assert_eq!(apart(hours(27), 300), None, "no zones are so far apart");
    }
}
