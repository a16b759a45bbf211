//! From a log's wall clock to UTC (states.md §1).
//!
//! log4j writes no zone, job history writes epoch milliseconds. Where both tell of the
//! same instant their difference is the zone:
//!
//! ```text
//! 2026-11-20 21:24:44,119 … LaunchTaskAction (registerTask): attempt_…_m_000000_0 task's state:UNASSIGNED
//! START_TIME="1795227884210"                                   → +18 000 000 ms (UTC−5)
//! ```
//! One offset an archive: the median of its pairs, rounded to the quarter hour (zones
//! such as +05:30 and +05:45 exist). An archive without pairs takes the median of all.

use super::samples::METRICS_FORMATS;
use crate::base::{AttemptId, Timestamp};
use crate::model::{Clock, Digest, Event, FileDigest, Outcome};
use std::collections::BTreeMap;

/// Zones differ from UTC by multiples of this.
const QUARTER_HOUR_MS: i64 = 900_000;

/// The offset of each archive.
pub struct Offsets {
    by_archive: BTreeMap<String, i64>,
    default_ms: i64,
    pairs: u64,
}

impl Offsets {
    /// Finds the offsets, or takes `given` for all.
    pub fn find(digest: &Digest, given: Option<i64>) -> Self {
        if let Some(default_ms) = given {
            return Self { by_archive: BTreeMap::new(), default_ms, pairs: 0 };
        }
        let mut starts: BTreeMap<AttemptId, Timestamp> = BTreeMap::new();
        let mut finishes: BTreeMap<AttemptId, Timestamp> = BTreeMap::new();
        for (_, file) in digest.files().filter(|(_, f)| f.clock == Clock::Epoch && !is_metrics(f)) {
            for row in file.events.iter() {
                let Event::Attempt(a) = row.event else { continue };
                if let Some(start) = a.start {
                    starts.entry(a.attempt).or_insert(start);
                }
                if let (Some(finish), Some(Outcome::Success)) = (a.finish, a.outcome) {
                    finishes.entry(a.attempt).or_insert(finish);
                }
            }
        }
        let mut differences: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (key, file) in digest.files().filter(|(_, f)| f.clock == Clock::Local && !is_metrics(f)) {
            for row in file.events.iter() {
                let epoch = match row.event {
                    Event::Launched { attempt, cleanup: false } => starts.get(&attempt),
                    Event::TaskDone { attempt } => finishes.get(&attempt),
                    _ => None,
                };
                if let Some(epoch) = epoch {
                    let archive = archive_of(&key.path).to_owned();
                    differences.entry(archive).or_default().push(epoch.millis_since(row.at));
                }
            }
        }
        let mut all: Vec<i64> = differences.values().flatten().copied().collect();
        let pairs = all.len() as u64;
        let default_ms = rounded_median(&mut all).unwrap_or(0);
        let by_archive =
            differences.into_iter().filter_map(|(archive, mut d)| Some((archive, rounded_median(&mut d)?))).collect();
        Self { by_archive, default_ms, pairs }
    }

    /// Milliseconds to add to the log times of the file at `path`.
    pub fn of(&self, path: &str) -> i64 {
        self.by_archive.get(archive_of(path)).copied().unwrap_or(self.default_ms)
    }

    /// The offset of all archives together.
    pub const fn main(&self) -> i64 {
        self.default_ms
    }

    /// How many pairs were found.
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }
}

/// Metrics name no attempt: they need not be unpacked.
fn is_metrics(file: &FileDigest) -> bool {
    METRICS_FORMATS.contains(&file.format.as_str())
}

/// The first part of a path: the archive or folder that was dropped.
fn archive_of(path: &str) -> &str {
    path.split_once('/').map_or("", |(archive, _)| archive)
}

fn rounded_median(values: &mut [i64]) -> Option<i64> {
    values.sort_unstable();
    let middle = *values.get(values.len() / 2)?;
    Some((middle + QUARTER_HOUR_MS / 2).div_euclid(QUARTER_HOUR_MS) * QUARTER_HOUR_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_rounded_to_the_quarter_hour() {
        assert_eq!(rounded_median(&mut [18_000_090, 18_001_700, 17_999_000]), Some(18_000_000));
        assert_eq!(rounded_median(&mut [-19_800_400]), Some(-19_800_000));
        assert_eq!(rounded_median(&mut []), None);
    }
}
