//! Where in the input something stands.

use super::FileId;
use serde::{Deserialize, Serialize};

/// A line of a file, counted from 1. Line 0 is the file as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file, an index into the trace's files.
    pub file: FileId,
    /// Line number from 1 (for binary formats the record's number).
    pub line: u64,
}

impl Place {
    /// Of what no line is known.
    pub const NOWHERE: Self = Self { file: FileId(0), line: 0 };
}
