//! Words that every room shares: times, ids, places, issues, portable arithmetic, looking
//! for words in lines.
//! Uses no other room.

pub mod bytes;
pub mod ids;
pub mod issue;
pub mod math;
pub mod place;
pub mod time;
pub mod varint;

pub use ids::{AttemptId, BlockId, ContainerId, FileId, JobId, NodeId, TaskLetter};
pub use issue::{Code, IssueTable};
pub use place::Place;
pub use time::{Interval, Timestamp};
