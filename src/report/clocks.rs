//! The report's words on clocks: zones found, skews estimated.

use crate::base::quantity::counted;
use crate::base::{FileId, Gathered, TimeZone};
use crate::model::{Evidence, Trace, Zone, ZoneSource};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Zones listed: archives, nodes and files that differ. More say no more.
const ZONES_LISTED: usize = 100;

/// How log times became UTC.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRow {
    /// Milliseconds added.
    pub offset_ms: i64,
    /// How many pairs of log and history times gave it; 0: none, or given by hand.
    pub pairs: u64,
    /// First time in the input, epoch milliseconds.
    pub first_ms: Option<i64>,
    /// Last.
    pub last_ms: Option<i64>,
    /// not-needed, given, found or assumed.
    #[serde(default)]
    pub source: String,
    /// The offset of each archive, and of the nodes and files that differ from it.
    #[serde(default)]
    pub zones: Vec<ZoneRow>,
    /// The offset that the logs' own times tell, where another was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<ToldRow>,
}

/// What pairs of local and epoch times tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldRow {
    /// Milliseconds to add.
    pub offset_ms: i64,
    /// How many pairs say so.
    pub pairs: u64,
}

impl ClockRow {
    /// Where the zone is known from; `None` in reports of versions that did not tell.
    #[must_use]
    pub fn source(&self) -> Option<ZoneSource> {
        ZoneSource::named(&self.source)
    }

    /// By what the zone was found, in words.
    #[must_use]
    pub fn found_by(&self) -> String {
        let mut evidence = self.zones.iter().flat_map(|zone| zone.evidence.keys()).peekable();
        let measured = Evidence::Measured.name();
        match evidence.peek().is_some() && evidence.all(|kind| kind == measured) {
            true => format!("the {measured}"),
            false => format!("{} of local and epoch times", counted(self.pairs, "pair")),
        }
    }

    /// What the report's times are in: UTC, where the zone of the logs was told or found.
    #[must_use]
    pub fn zone(&self) -> TimeZone {
        if self.source() == Some(ZoneSource::Assumed) { TimeZone::Unknown } else { TimeZone::Utc }
    }
}

/// The offset of an archive, a node or a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneRow {
    /// The archive or folder.
    pub archive: String,
    /// The node, where it differs from its archive.
    pub node: Option<String>,
    /// The file, where it differs from its node.
    pub file: Option<String>,
    /// Milliseconds added.
    pub offset_ms: i64,
    /// How many pairs of local and epoch times say so.
    pub pairs: u64,
    /// What they are, and how many of each.
    pub evidence: BTreeMap<String, u64>,
    /// Where the offset changes.
    pub changes: Vec<ZoneChange>,
}

/// A change of an offset: summer time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneChange {
    /// From when, epoch milliseconds.
    pub at_ms: i64,
    /// To what.
    pub offset_ms: i64,
}

/// How far the nodes' clocks are off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkewSection {
    /// Against whose clock: a node's name, `master`, or `median`.
    pub reference: String,
    /// The nodes whose clock can be told.
    pub nodes: Vec<SkewRow>,
}

/// How far one node's clock is off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkewRow {
    /// The node.
    pub node: String,
    /// Ahead by so many milliseconds; negative: behind.
    pub skew_ms: i64,
    /// It may be more or less by this.
    pub uncertainty_ms: i64,
    /// Messages that say so.
    pub messages: u64,
    /// Whether the clock is off for certain.
    pub certain: bool,
    /// Whether it was taken out of the node's times.
    pub corrected: bool,
}

impl SkewRow {
    /// On which side of the others the clock is.
    #[must_use]
    pub const fn side(&self) -> &'static str {
        if self.skew_ms < 0 { "behind" } else { "ahead" }
    }
}

/// The row of the clocks.
pub(super) fn clock_row(trace: &Trace) -> ClockRow {
    ClockRow {
        offset_ms: trace.offset_ms,
        pairs: trace.offset_pairs,
        first_ms: trace.span.map(|(first, _)| first.millis()),
        last_ms: trace.span.map(|(_, last)| last.millis()),
        source: trace.clocks.source.name().to_owned(),
        zones: trace.clocks.zones.iter().take(ZONES_LISTED).map(|zone| zone_row(trace, zone)).collect(),
        told: trace.clocks.told.map(|(offset_ms, pairs)| ToldRow { offset_ms, pairs }),
    }
}

fn zone_row(trace: &Trace, zone: &Zone) -> ZoneRow {
    ZoneRow {
        archive: zone.archive.clone(),
        node: zone.node.map(|node| trace.node_name(node).to_owned()),
        file: zone.file.map(|file: FileId| trace.path(file).to_owned()),
        offset_ms: zone.offset_ms,
        pairs: zone.pairs,
        evidence: zone.evidence.iter().map(|(kind, n)| (kind.name().to_owned(), *n)).gathered(),
        changes: zone
            .changes
            .iter()
            .map(|(at, offset_ms)| ZoneChange { at_ms: at.millis(), offset_ms: *offset_ms })
            .collect(),
    }
}

/// The section of the skews.
pub(super) fn skew_section(trace: &Trace) -> SkewSection {
    let row = |s: &crate::model::Skew| SkewRow {
        node: trace.node_name(s.node).to_owned(),
        skew_ms: s.skew_ms,
        uncertainty_ms: s.high_ms.saturating_sub(s.low_ms).saturating_add(1) / 2,
        messages: s.messages,
        certain: s.is_certain(),
        corrected: s.corrected,
    };
    let nodes: Vec<SkewRow> = trace.clocks.skews.iter().map(row).collect();
    let reference = if nodes.is_empty() { String::new() } else { trace.clocks.reference.clone() };
    SkewSection { reference, nodes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zone_that_was_found_by_metrics_is_said_to_be() {
        let zone = |kind: Evidence| ZoneRow { evidence: [(kind.name().to_owned(), 1)].into(), ..ZoneRow::default() };
        let by = |zones: Vec<ZoneRow>| ClockRow { pairs: 2, zones, ..ClockRow::default() }.found_by();
        assert_eq!(by(vec![zone(Evidence::Measured)]), "the time of the metrics and traces beside the logs");
        for zones in [vec![], vec![ZoneRow::default()], vec![zone(Evidence::Measured), zone(Evidence::Attempt)]] {
            assert_eq!(by(zones), "2 pairs of local and epoch times");
        }
    }
}
