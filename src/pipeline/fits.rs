//! What fits into a page: a tab has an address space of 4 GiB and no disk to go to, so what
//! cannot fit is refused in words, best before it is read.
//!
//! ```text
//! bytes given  --at least so many events-->  require_to_read       before anything is read
//! events read  --so much memory each----->  require_to_analyse     as digests are merged
//! ```
//! The command has no such bound: its address space is the machine's.

use crate::base::quantity::grouped;
use crate::model::{FileDigest, Topic};

/// What the analysis of one event takes at its peak: its row, its state, its part in figures.
/// 2.0 million events of a Sort on 64 simulated nodes took 50 bytes each, 2.5 million of PigMix 40.
const EVENT_BYTES: u64 = 80;
/// The same of one that a history sums up: a whole attempt with its counters. 1.8 million of a month
/// of 64 nodes took 520 to 600 bytes each natively; in a page, which gives nothing back, 600 became 850.
const SUMMARY_BYTES: u64 = 900;
/// The same of a system call: 48 bytes in a list that doubles, and its part of the texts.
const CALL_BYTES: u64 = 200;
/// The same of a row of metrics, of which several become a sample of some thirty bytes: 33 million
/// of 64 nodes took 13 bytes each.
const METRICS_ROW_BYTES: u64 = 24;
/// The same of one file: its row in the digest and in the coverage. 718,000 tiny files took
/// 2,100 bytes each.
const FILE_BYTES: u64 = 2_200;
/// Of an address space of 4 GiB; the rest is the program's, and what the allocator wastes.
const SPACE_BYTES: u64 = 3 << 30;
/// Fewer events than one in so many bytes are not expected of logs: the same Sort had one in 500
/// bytes of text, and one in 50 of the archive.
const BYTES_A_EVENT: u64 = 2_000;
/// What is left to do, in words.
const NATIVE: &str = "The command has no such limit: `oddnode diagnose PATH` gives the same report, and `oddnode digest` \
    makes of each node's logs a small file that can be dropped here.";

/// Whether inputs of so many bytes can fit, as they are given.
///
/// # Errors
/// In words, if they cannot.
pub fn require_to_read(bytes: u64) -> Result<(), String> {
    let events = bytes / BYTES_A_EVENT;
    if events.saturating_mul(EVENT_BYTES) <= SPACE_BYTES {
        return Ok(());
    }
    Err(format!("{} GB of logs are more than a page can hold, so they were not read. {NATIVE}", bytes / 1_000_000_000))
}

/// How much there is to analyse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Files.
    pub files: u64,
    /// Events of logs.
    pub events: u64,
    /// What histories sum up.
    pub summaries: u64,
    /// System calls.
    pub calls: u64,
    /// Rows of metrics.
    pub metrics: u64,
}

impl Load {
    /// With one more file.
    #[must_use]
    pub fn with(self, file: &FileDigest) -> Self {
        let of = |topic| file.events.len_of(topic);
        let [summaries, calls, metrics] = [Topic::Summaries, Topic::Calls, Topic::Metrics].map(of);
        let others = [summaries, calls, metrics].into_iter().fold(0, u64::saturating_add);
        Self {
            files: self.files + 1,
            events: self.events.saturating_add(file.events.len().saturating_sub(others)),
            summaries: self.summaries.saturating_add(summaries),
            calls: self.calls.saturating_add(calls),
            metrics: self.metrics.saturating_add(metrics),
        }
    }

    /// All but files.
    const fn rows(self) -> u64 {
        self.events.saturating_add(self.summaries).saturating_add(self.calls).saturating_add(self.metrics)
    }

    const fn bytes(self) -> u64 {
        self.events
            .saturating_mul(EVENT_BYTES)
            .saturating_add(self.summaries.saturating_mul(SUMMARY_BYTES))
            .saturating_add(self.calls.saturating_mul(CALL_BYTES))
            .saturating_add(self.metrics.saturating_mul(METRICS_ROW_BYTES))
            .saturating_add(self.files.saturating_mul(FILE_BYTES))
    }
}

/// Whether the analysis of so much fits.
///
/// # Errors
/// In words, if it does not.
pub fn require_to_analyse(load: Load) -> Result<(), String> {
    let bytes = load.bytes();
    if bytes <= SPACE_BYTES {
        return Ok(());
    }
    let [events, files] = [load.rows(), load.files].map(grouped);
    Err(format!(
        "{events} events in {files} files are more than a page can analyse (about {} GB of memory). {NATIVE}",
        bytes / 1_000_000_000
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_fit_is_refused_with_its_size_and_the_command() {
        assert_eq!(require_to_read(5 << 30), Ok(()));
        // 3 GiB / 80 bytes * 2 kB = 80.5 GB.
        assert_eq!(require_to_read(80_000_000_000), Ok(()));
        let why = require_to_read(81_000_000_000).err().unwrap_or_default();
        assert!(why.starts_with("81 GB") && why.contains("`oddnode diagnose PATH`"), "{why}");
        assert!(require_to_read(u64::MAX).is_err());
    }

    #[test]
    fn many_events_and_many_files_both_count() {
        let load = |events, files| Load { events, files, ..Load::default() };
        assert_eq!(require_to_analyse(load(39_000_000, 1000)), Ok(()));
        assert_eq!(require_to_analyse(load(0, 1_400_000)), Ok(()));
        let why = require_to_analyse(load(39_000_000, 100_000)).err().unwrap_or_default();
        assert!(
            why.starts_with("39\u{202f}000\u{202f}000 events in 100\u{202f}000 files")
                && why.contains("oddnode digest"),
            "{why}"
        );
        assert!(require_to_analyse(load(u64::MAX, u64::MAX)).is_err());
        // The month of Theia's cluster, and three of them.
        let month = |months: u64| Load { summaries: months * 1_850_000, ..load(0, months * 1_373) };
        assert_eq!(require_to_analyse(month(1)), Ok(()));
        assert!(require_to_analyse(month(3)).is_err());
        // A day of seconds of 64 nodes, six rows each.
        assert_eq!(require_to_analyse(Load { metrics: 64 * 86_400 * 6, ..load(0, 64) }), Ok(()));
        assert!(require_to_analyse(Load { metrics: u64::MAX, ..load(0, 0) }).is_err());
    }
}
