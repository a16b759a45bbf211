//! A control run: what it teaches, and whether it is as healthy as it was said to be.

use super::{Analysis, analyse};
use crate::diagnosis::Params;
use crate::model::{Digest, Trace};
use crate::report::OutcomeKind;

/// A run that was given as healthy.
#[derive(Debug)]
pub struct Control {
    /// What is learned from.
    pub trace: Trace,
    /// The verdict on it alone, where that names a node: what it teaches holds the fault.
    pub unwell: Option<String>,
}

impl Control {
    /// Judges a run by these switches, without any baseline.
    #[must_use]
    pub fn of(digest: &Digest, params: &Params) -> Self {
        let alone = Params { baseline: None, ..params.clone() };
        let Analysis { trace, report, .. } = analyse(digest, &alone);
        let unwell = (report.verdict.outcome == OutcomeKind::Indicted).then_some(report.verdict.sentence);
        Self { trace, unwell }
    }

    /// What is to be told of the run of this name, if anything.
    #[must_use]
    pub fn doubt(&self, name: &str) -> Option<String> {
        let verdict = self.unwell.as_ref()?;
        Some(format!("{name} does not look healthy, and what it teaches may hide the same fault: {verdict}"))
    }
}
