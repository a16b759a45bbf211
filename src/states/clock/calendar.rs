//! Dates for times of day (`strace -tt`): the date that brings a file nearest to the begin
//! of its archive's dated logs, which are written by the same wall clock.

use super::archive_of;
use crate::base::{DAY_MS, Timestamp};
use crate::model::{Clock, Digest, FileDigest};
use crate::states::OTHER_LOG;
use std::collections::BTreeMap;

/// First wall-clock time of each archive's dated logs.
pub struct Calendar(BTreeMap<String, Timestamp>);

impl Calendar {
    /// Of all archives.
    pub fn read(digest: &Digest) -> Self {
        let mut first: BTreeMap<String, Timestamp> = BTreeMap::new();
        for (key, file) in digest.files().filter(|(_, f)| f.clock == Clock::Local && f.format != OTHER_LOG) {
            if let Some((begin, _)) = file.span {
                let slot = first.entry(archive_of(&key.path).to_owned()).or_insert(begin);
                *slot = (*slot).min(begin);
            }
        }
        Self(first)
    }

    /// Milliseconds that make the file's times of day local times; `None` without a dated
    /// log beside it.
    pub fn days_ms(&self, path: &str, file: &FileDigest) -> Option<i64> {
        let (dated, (begin, _)) = (self.0.get(archive_of(path))?, file.span?);
        Some((dated.millis_since(begin) + DAY_MS / 2).div_euclid(DAY_MS) * DAY_MS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_day_gets_the_date_of_the_logs_beside_it() {
        let at = Timestamp::from_millis;
        let calendar = Calendar(BTreeMap::from([("a".to_owned(), at(10 * DAY_MS + 1000))]));
        let file =
            |begin| FileDigest { clock: Clock::TimeOfDay, span: Some((at(begin), at(begin))), ..FileDigest::default() };
        // A minute past midnight, and a minute before it: the trace began the evening before.
        assert_eq!(calendar.days_ms("a/x", &file(60_000)), Some(10 * DAY_MS));
        assert_eq!(calendar.days_ms("a/x", &file(DAY_MS - 60_000)), Some(9 * DAY_MS));
        assert_eq!(calendar.days_ms("b/x", &file(60_000)), None);
    }
}
