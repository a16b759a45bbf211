//! What was read of each file: nothing is silently ignored.

use super::formats;
use crate::base::Code;
use serde::{Deserialize, Serialize};

/// One file's share of what was understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Path as `archive/member path`.
    pub file: String,
    /// Name of its format; `None` where none was recognised.
    pub format: Option<String>,
    /// Name of the node it belongs to, if told.
    pub node: Option<String>,
    /// Lines (records for binary formats).
    pub lines: u64,
    /// Lines that fit the format.
    pub understood: u64,
    /// Lines that do not.
    pub skipped: u64,
    /// Why the file, or part of it, was not read.
    pub why: Option<String>,
    /// Of the lines understood, those that say nothing that is used.
    #[serde(default)]
    pub unused: u64,
}

impl Coverage {
    /// Whether nothing is in the file: only the reason tells that from content that is not made of lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_for(Code::EmptyFile)
    }

    /// Whether it is a log that was not read.
    #[must_use]
    pub fn is_unread_log(&self) -> bool {
        self.is_for(Code::UnreadLog)
    }

    /// Whether this is why it was not read.
    fn is_for(&self, code: Code) -> bool {
        self.why.as_ref().is_some_and(|why| why.starts_with(code.about().text))
    }

    /// Whether it is what ran in a container that logs there, and no daemon of its node.
    #[must_use]
    pub fn is_of_container(&self) -> bool {
        matches!(self.format.as_deref(), Some(formats::AM_SYSLOG | formats::TASK_SYSLOG))
    }
}
