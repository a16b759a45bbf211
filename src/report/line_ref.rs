//! A line of the input as reports name it, by its file's path: `r06.tar.gz/h103/tasktracker.log:812`.

use crate::base::Place;
use crate::model::Trace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A line of the input.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LineRef {
    /// `archive/member path`.
    pub file: String,
    /// Number from 1; 0 is the file as a whole.
    pub line: u64,
}

/// The text of raw lines.
pub type Lines = BTreeMap<LineRef, String>;

impl LineRef {
    /// A place of the trace by its file's path.
    #[must_use]
    pub fn of(trace: &Trace, place: Place) -> Self {
        Self { file: trace.path(place.file).to_owned(), line: place.line }
    }

    /// `a.log:3, b.log:12`.
    #[must_use]
    pub fn list(lines: &[Self]) -> String {
        lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }

    /// `file, line 12`.
    #[must_use]
    pub fn in_words(&self) -> String {
        format!("{}, line {}", self.file, self.line)
    }
}

impl fmt::Display for LineRef {
    /// `file:12`, or only the file for line 0.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 { write!(f, ":{}", self.line) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_0_is_the_file_as_a_whole() {
        let at = |line| LineRef { file: "r/h1.log".into(), line }.to_string();
        assert_eq!((at(12), at(0)), ("r/h1.log:12".to_owned(), "r/h1.log".to_owned()));
    }
}
