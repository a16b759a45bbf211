//! Words that every room shares: times and zones, ids, places, issues, portable arithmetic, looking
//! for words in lines, checksums, names of archives, intervals side by side.
//! Uses no other room.

pub mod archive;
pub mod bytes;
pub mod crc;
pub mod ids;
pub mod issue;
pub mod math;
pub mod order;
pub mod place;
pub mod quantity;
pub mod slots;
pub mod text;
pub mod time;
pub mod varint;
pub mod zone;

/// A table that is only looked into, in the order of no run: one look is a few instructions, where std's own
/// hasher takes a tenth of a microsecond.
pub type Lookup<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A host's name is at most this long (RFC 1035).
pub const HOST_NAME_BYTES: usize = 253;

pub use ids::{AttemptId, BlockId, ContainerId, FileId, JobId, NodeId, TaskLetter};
pub use issue::{Code, IssueTable};
// In place of `sort` and `collect` into maps and sets: std's take kilobytes of a module for each type.
pub use order::{Arrange, Gathered};
pub use place::Place;
pub use slots::Slots;
pub use time::{DAY_MS, FAR_MS, HALF_HOUR_MS, Interval, MONTHS, QUARTER_HOUR_MS, TimeZone, Timestamp};
pub use zone::{ZONE_LIMIT_MS, zone_name, zone_offset_ms};
