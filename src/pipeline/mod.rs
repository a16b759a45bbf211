//! Logs to a digest, a digest to a verdict: the one way that command and worker share.
//!
//! ```text
//! Ingest (any number, side by side)  --Digest-->  merge  --Digest-->  analyse
//!                                                           or prepare | measure, side by side, and finish
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

use crate::diagnosis::{Method, Params, Witness, hardware, verdict};
use crate::model::{Digest, Topic, Trace};
use crate::report::{self, Report};
use crate::states;
use serde::{Deserialize, Serialize};

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
    prepare(digest, params, tell).finish(None, tell)
}

/// An analysis in which metrics are not compared yet.
#[derive(Debug)]
pub struct Prepared {
    trace: Trace,
    params: Params,
    turns: Vec<Vec<Witness>>,
}

/// Does all of an analysis that can be done while metrics are compared elsewhere ([`measure`]).
#[must_use]
pub fn prepare(digest: &Digest, params: &Params, tell: &dyn Fn(&str)) -> Prepared {
    tell("putting the states together");
    let mut trace = states::build(digest, params.clocks());
    let turns = hardware::turns(&mut trace, params, &|method| method != Method::KahunaBb, tell);
    Prepared { trace, params: params.clone(), turns }
}

impl Prepared {
    /// Reaches the verdict; compares metrics where nobody else did.
    #[must_use]
    pub fn finish(self, measured: Option<Measured>, tell: &dyn Fn(&str)) -> Analysis {
        let Self { mut trace, params, mut turns } = self;
        let measured = measured.unwrap_or_else(|| measured_in(&mut trace, &params, tell));
        for (turn, of_metrics) in turns.iter_mut().zip(measured.0) {
            turn.extend(of_metrics);
        }
        let witnesses: Vec<Witness> = turns.into_iter().flatten().collect();
        tell("reaching the verdict");
        let decided = verdict::decide(&trace, &witnesses);
        let report = report::build(&trace, &witnesses, &decided, &params);
        Analysis { trace, params, witnesses, report }
    }

    /// What it was prepared with.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }
}

/// What the comparison of metrics says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured(Vec<Vec<Witness>>);

/// Compares metrics, and builds no more of the trace than that takes: half of an analysis, for who can do
/// two halves side by side.
#[must_use]
pub fn measure(digest: &Digest, params: &Params) -> Measured {
    if metrics_in(digest) == 0 {
        return Measured(Vec::new());
    }
    measured_in(&mut states::build_for_metrics(digest, params.clocks()), params, &|_| ())
}

fn measured_in(trace: &mut Trace, params: &Params, tell: &dyn Fn(&str)) -> Measured {
    Measured(hardware::turns(trace, params, &|method| method == Method::KahunaBb, tell))
}

/// Rows of metrics.
#[must_use]
pub fn metrics_in(digest: &Digest) -> u64 {
    digest.files().map(|(_, file)| file.events.len_of(Topic::Metrics)).fold(0, u64::saturating_add)
}
