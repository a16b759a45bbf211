//! How the logs' times became UTC, and how far each node's clock is off.

use crate::base::{FileId, NodeId, TimeZone, Timestamp};
use serde::{Deserialize, Serialize};

/// What the user says of the clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockChoice {
    /// Milliseconds to add to log times instead of the offset found; `None`: find it.
    pub tz_offset_ms: Option<i64>,
    /// Take each node's skew out of its times.
    pub fix_clocks: bool,
}

impl From<Option<i64>> for ClockChoice {
    fn from(tz_offset_ms: Option<i64>) -> Self {
        Self { tz_offset_ms, fix_clocks: false }
    }
}

/// Whence the zone of the logs is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZoneSource {
    /// No log has local times.
    #[default]
    NotNeeded,
    /// The user gave it.
    Given,
    /// Local and epoch times of the same instants stand in the input.
    Found,
    /// Neither: read as UTC.
    Assumed,
}

impl ZoneSource {
    /// Of times that need no more than to be shown in this zone.
    #[must_use]
    pub const fn of_zone(zone: TimeZone) -> Self {
        match zone {
            TimeZone::Utc => Self::NotNeeded,
            TimeZone::Unknown => Self::Assumed,
        }
    }

    /// All, in order.
    pub const ALL: [Self; 4] = [Self::NotNeeded, Self::Given, Self::Found, Self::Assumed];

    /// The source of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|source| source.name() == name)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotNeeded => "not-needed",
            Self::Given => "given",
            Self::Found => "found",
            Self::Assumed => "assumed",
        }
    }

    /// What the times are in that were read so.
    #[must_use]
    pub const fn zone(self) -> TimeZone {
        match self {
            Self::NotNeeded | Self::Given | Self::Found => TimeZone::Utc,
            Self::Assumed => TimeZone::Unknown,
        }
    }
}

/// What tells of one instant in both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// Begin or end of an attempt, in a log and in the job history.
    Attempt,
    /// A line that holds the epoch time at which it was written (JobSummary, ApplicationSummary), or that has a zone
    /// behind its time, or its time in UTC before it.
    Summary,
    /// The start of a ResourceManager and the number in its applications' ids.
    ClusterId,
    /// A history's file name: the JobTracker's start in epoch milliseconds beside a job id
    /// that holds the same start as local date and time.
    FileName,
    /// When daemons logged and when metrics and system calls were taken beside them: one lies within the other at this
    /// offset alone.
    Measured,
    /// What nodes sent one another: of a node whose logs have no epoch times, by the others'.
    Messages,
}

impl Evidence {
    /// As reports name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attempt => "attempts in log and history",
            Self::Summary => "epoch times and zones in the logs",
            Self::ClusterId => "ids of applications and the start of their master",
            Self::FileName => "names of history files",
            Self::Measured => "time of the metrics and traces beside the logs",
            Self::Messages => "messages between it and other nodes",
        }
    }
}

/// The offset of an archive, of one of its nodes, or of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// The archive or folder that was dropped.
    pub archive: String,
    /// The node, where it differs from its archive.
    pub node: Option<NodeId>,
    /// The file, where it differs from its node.
    pub file: Option<FileId>,
    /// Milliseconds to add to its times.
    pub offset_ms: i64,
    /// How many pairs of local and epoch times say so.
    pub pairs: u64,
    /// Which they are, and how many of each.
    pub evidence: Vec<(Evidence, u64)>,
    /// Where the offset changes (summer time): from when, and to what.
    pub changes: Vec<(Timestamp, i64)>,
}

/// How far the clock of one node is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skew {
    /// The node whose clock it is.
    pub node: NodeId,
    /// Ahead of the reference by so much; negative: behind.
    pub skew_ms: i64,
    /// It is not less than this …
    pub low_ms: i64,
    /// … and not more than this, since no message arrives before it was sent.
    pub high_ms: i64,
    /// Messages that say so.
    pub messages: u64,
    /// Whether it was taken out of the node's times.
    pub corrected: bool,
}

/// A line may be written so long after the time that stands on it: lines of one log are out of order by as much.
const WRITTEN_LATE_MS: i64 = 100;

impl Skew {
    /// Whether the clock is off for certain.
    #[must_use]
    pub const fn is_certain(&self) -> bool {
        self.low_ms > WRITTEN_LATE_MS || self.high_ms < -WRITTEN_LATE_MS
    }
}

/// All that is known of the clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Whence the zone is known.
    pub source: ZoneSource,
    /// The offsets: archives first, then what differs from its archive.
    pub zones: Vec<Zone>,
    /// The skew of each node that can be told, in order of node.
    pub skews: Vec<Skew>,
    /// Against what: the master's name, `master` where it has none, or `median`.
    pub reference: String,
    /// Where an offset was given: the one that the logs' own times tell, if it is another, and how many pairs tell it.
    pub told: Option<(i64, u64)>,
}

impl Clocks {
    /// How far a node's times are ahead of the reference, in milliseconds: by its skew, where that is certain and was not
    /// taken out of them.
    #[must_use]
    pub fn ahead_ms(&self, node: NodeId) -> i64 {
        self.skew(node).filter(|s| s.is_certain() && !s.corrected).map_or(0, |s| s.skew_ms)
    }

    /// By how many milliseconds a node's times may be later than they say, [`Self::ahead_ms`] taken off.
    #[must_use]
    pub fn may_be_later_ms(&self, node: NodeId) -> i64 {
        self.skew(node).map_or(0, |s| if s.is_certain() { s.skew_ms } else { 0 }.saturating_sub(s.low_ms))
    }

    fn skew(&self, node: NodeId) -> Option<&Skew> {
        self.skews.get(self.skews.binary_search_by_key(&node, |s| s.node).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_skew_is_taken_off_once() {
        let of = |low_ms: i64, high_ms: i64, corrected: bool| {
            let skew = Skew {
                node: NodeId(1),
                skew_ms: i64::midpoint(low_ms, high_ms),
                low_ms,
                high_ms,
                messages: 1,
                corrected,
            };
            let clocks = Clocks { skews: vec![skew], ..Clocks::default() };
            assert_eq!((clocks.ahead_ms(NodeId(0)), clocks.may_be_later_ms(NodeId(0))), (0, 0));
            (clocks.ahead_ms(NodeId(1)), clocks.may_be_later_ms(NodeId(1)))
        };
        assert_eq!(of(-60_600, -60_000, false), (-60_300, 300));
        assert_eq!(of(-60_600, -60_000, true), (0, 300));
        assert_eq!(of(-500, 100, false), (0, 500));
        assert_eq!((of(-300, -100, false), of(-300, -102, false)), ((0, 300), (-201, 99)));
    }
}
