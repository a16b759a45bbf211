//! Logs to a digest, a digest to a verdict: the one way that command and worker share.
//!
//! ```text
//! Ingest (any number, side by side)  --Digest-->  merge  --Digest-->  analyse
//! ```

pub mod fits;
pub mod ingest;
pub mod labelled;
pub mod layout;
pub mod lines;
pub mod mochi;

pub use ingest::{Ingest, Progress};
pub use layout::Views;
pub use lines::LineFinder;
pub use mochi::RunBefore;

use crate::diagnosis::{Params, Witness, hardware, verdict};
use crate::model::{Digest, Trace};
use crate::report::{self, Report};
use crate::states;

/// What came of an analysis: the page asks it for scenes, the command for the report.
#[derive(Debug)]
pub struct Analysis {
    /// What the cluster did.
    pub trace: Trace,
    /// The switches used.
    pub params: Params,
    /// What each method says, with what the views draw of it.
    pub witnesses: Vec<Witness>,
    /// What is said of it.
    pub report: Report,
}

/// Builds the trace, asks all methods, reaches the verdict.
#[must_use]
pub fn analyse(digest: &Digest, params: &Params) -> Analysis {
    analyse_telling(digest, params, &|_| ())
}

/// [`analyse`]; `tell` hears in words what is being done.
#[must_use]
pub fn analyse_telling(digest: &Digest, params: &Params, tell: &dyn Fn(&str)) -> Analysis {
    tell("putting the states together");
    let mut trace = states::build(digest, params.clocks());
    let witnesses = hardware::witnesses(&mut trace, params, tell);
    tell("reaching the verdict");
    let decided = verdict::decide(&trace, &witnesses);
    let report = report::build(&trace, &witnesses, &decided, params);
    Analysis { trace, params: params.clone(), witnesses, report }
}
