//! Logs to a digest, a digest to a verdict: the one way that command and worker share.
//!
//! ```text
//! Ingest (any number, side by side)  --Digest-->  merge  --Digest-->  analyse
//!                                                           or prepare ─┬─────────► finish
//!                                                                       └─ measure ─┘
//! ```

mod batches;
mod control;
pub mod fits;
pub mod ingest;
pub mod labelled;
pub mod layout;
pub mod lines;
pub mod mochi;

pub use batches::{Batch, batches};
pub use control::{Control, Untaught, learn, only_baseline};
pub use ingest::{Ingest, Progress};
pub use layout::Views;
pub use lines::LineFinder;
pub use mochi::{Lacking, RunBefore};

use crate::diagnosis::{Method, Params, Witness, hardware, verdict};
use crate::model::{Digest, Samples, Topic, Trace};
use crate::report::{self, Report};
use crate::states::{self, Basis};
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
    tell(BUILDING);
    let mut trace = states::build(digest, params.clocks());
    let witnesses = hardware::witnesses(&mut trace, params, tell);
    concluded(trace, params.clone(), witnesses, tell)
}

/// What is done first, in words.
pub const BUILDING: &str = "putting the states together";

/// Reaches the verdict.
fn concluded(trace: Trace, params: Params, witnesses: Vec<Witness>, tell: &dyn Fn(&str)) -> Analysis {
    tell("reaching the verdict");
    let decided = verdict::decide(&trace, &witnesses, &params);
    let report = report::build(&trace, &witnesses, &decided, &params);
    Analysis { trace, params, witnesses, report }
}

/// An analysis in which metrics are neither joined nor compared yet.
#[derive(Debug)]
pub struct Prepared {
    trace: Trace,
    params: Params,
    turns: Vec<Vec<Witness>>,
    /// By what they can be; `None` where there is nothing else, and they are joined.
    basis: Option<Basis>,
    /// It turned out to be another than others heard of.
    is_other: bool,
}

/// Does all of an analysis that can be done while metrics are joined and compared elsewhere ([`measure`]);
/// `others` hears by what, if there is anything but metrics.
#[must_use]
pub fn prepare(digest: &Digest, params: &Params, tell: &dyn Fn(&str), others: &mut dyn FnMut(&Basis)) -> Prepared {
    tell(BUILDING);
    let (mut basis, mut heard) = (None, 0);
    let mut trace = states::build_without_metrics(digest, params.clocks(), &mut |known| {
        let known = basis.insert(known);
        if heard == 0 {
            others(known);
        }
        heard += 1;
    });
    let turns = hardware::turns(&mut trace, params, &|method| method != Method::KahunaBb, tell);
    Prepared { trace, params: params.clone(), turns, basis, is_other: heard > 1 }
}

impl Prepared {
    /// Reaches the verdict on the same digest; measures where nobody else did.
    #[must_use]
    pub fn finish(self, digest: &Digest, measured: Option<Measured>, tell: &dyn Fn(&str)) -> Analysis {
        let Self { mut trace, params, turns, basis, is_other } = self;
        let measured = measured.filter(|_| !is_other).or_else(|| Some(measure(digest, &params, basis?)));
        let of_metrics = match measured {
            Some(Measured { samples, turns }) => {
                trace.samples = samples;
                turns
            }
            None => compared(&mut trace, &params),
        };
        let turns = turns.into_iter().zip(of_metrics);
        let witnesses = turns.flat_map(|(turn, of_metrics)| turn.into_iter().chain(of_metrics)).collect();
        concluded(trace, params, witnesses, tell)
    }

    /// What it was prepared with.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }
}

/// The metrics, joined, and what their comparison says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    samples: Samples,
    turns: Vec<Vec<Witness>>,
}

/// Joins and compares metrics: a part of an analysis that can be done beside the rest of it. The digest may
/// be the whole one, or its files of metrics alone.
#[must_use]
pub fn measure(digest: &Digest, params: &Params, basis: Basis) -> Measured {
    let mut trace = basis.trace(digest);
    let turns = compared(&mut trace, params);
    Measured { samples: trace.samples, turns }
}

fn compared(trace: &mut Trace, params: &Params) -> Vec<Vec<Witness>> {
    hardware::turns(trace, params, &|method| method == Method::KahunaBb, &|_| ())
}

/// Rows of metrics.
#[must_use]
pub fn metrics_in(digest: &Digest) -> u64 {
    digest.files().map(|(_, file)| file.events.len_of(Topic::Metrics)).fold(0, u64::saturating_add)
}
