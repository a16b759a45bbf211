//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::{Baseline, Params};
use crate::model::{ClockChoice, Digest, DigestError, Trace};
use crate::pipeline::{Views, analyse};
use crate::protocol::{FromWorker, RequestId};
use crate::report::link;
use crate::scene::{Look, Scene, View, peers, system};
use crate::states;
use std::sync::Arc;

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    baseline: Option<Arc<Baseline>>,
    views: Option<Views>,
}

impl Analyst {
    /// Adds an encoded digest.
    ///
    /// # Errors
    /// If the bytes are no digest.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), DigestError> {
        self.digest.merge(Digest::decode(bytes)?);
        Ok(())
    }

    /// Learns from control runs, each an encoded digest; none: forgets what was learned.
    pub fn learn(&mut self, request: RequestId, runs: &[Vec<u8>]) -> FromWorker {
        self.baseline = None;
        let mut traces: Vec<Trace> = Vec::new();
        for run in runs {
            match Digest::decode(run) {
                Ok(digest) => traces.push(states::build(&digest, None)),
                Err(e) => return FromWorker::Failed { request, why: e.to_string() },
            }
        }
        if traces.is_empty() {
            return FromWorker::Learned { request, baseline: None };
        }
        let baseline = Baseline::learn(&traces.iter().collect::<Vec<_>>(), Params::default().learning);
        if baseline.is_empty() {
            let why =
                String::from("nothing can be learned from these control runs: they hold no metrics of three slaves");
            return FromWorker::Failed { request, why };
        }
        let says = baseline.in_words();
        self.baseline = Some(Arc::new(baseline));
        FromWorker::Learned { request, baseline: Some(says) }
    }

    /// Reaches the verdict, again where it was reached under another choice.
    pub fn analyse(&mut self, request: RequestId, clocks: ClockChoice) -> FromWorker {
        let ClockChoice { tz_offset_ms, fix_clocks } = clocks;
        let params = Params { tz_offset_ms, fix_clocks, baseline: self.baseline.clone(), ..Params::default() };
        let analysis = analyse(&self.digest, &params);
        let answer = FromWorker::Analysed {
            request,
            report: Box::new(analysis.report.clone()),
            link: link::encode(&analysis.report),
            measured: system::has_something(&analysis.trace),
            kinds: peers::most_telling_first(&peers::comparisons(&analysis.witnesses)),
        };
        self.views = Some(Views::new(analysis));
        answer
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&self, view: View, look: &Look) -> Scene {
        self.views.as_ref().map_or_else(Scene::default, |views| views.lay_out(view, look))
    }
}
