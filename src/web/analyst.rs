//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::Params;
use crate::diagnosis::syscalls::{self, Examination};
use crate::model::{ClockChoice, Digest, DigestError};
use crate::pipeline::{Analysis, analyse};
use crate::protocol::{FromWorker, RequestId};
use crate::report::link;
use crate::scene::calls::{self, CallsShown};
use crate::scene::{Look, Scene, View, coverage, peers, system};

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    analysis: Option<Analysis>,
    /// Looked at once for all its figures.
    calls: Option<Examination>,
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

    /// Reaches the verdict, again where it was reached under another choice.
    pub fn analyse(&mut self, request: RequestId, clocks: ClockChoice) -> FromWorker {
        let ClockChoice { tz_offset_ms, fix_clocks } = clocks;
        let analysis = analyse(&self.digest, &Params { tz_offset_ms, fix_clocks, ..Params::default() });
        let answer = FromWorker::Analysed {
            request,
            report: Box::new(analysis.report.clone()),
            link: link::encode(&analysis.report),
            measured: system::has_something(&analysis.trace),
            kinds: peers::most_telling_first(&peers::comparisons(&analysis.witnesses)),
        };
        let bands = analysis.params.baseline.as_deref().and_then(|b| b.calls.as_ref());
        self.calls = syscalls::examine(&analysis.trace, analysis.params.syscalls, bands);
        self.analysis = Some(analysis);
        answer
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&self, view: View, look: &Look) -> Scene {
        let Some(analysis) = &self.analysis else { return Scene::default() };
        if View::SYSCALLS.contains(&view) {
            let Some(examination) = &self.calls else { return Scene::default() };
            return calls::lay_out(view, &CallsShown::new(&analysis.trace, examination), look);
        }
        if view == View::System {
            return system::lay_out(&analysis.trace, system::Marks::default(), look);
        }
        if view == View::CoverageMap {
            return coverage::lay_out(&analysis.trace, look);
        }
        let comparisons = peers::comparisons(&analysis.witnesses);
        let kind = look.kind.or_else(|| peers::most_telling_first(&comparisons).first().copied());
        let Some(comparison) = kind.and_then(|kind| comparisons.get(&kind)) else { return Scene::default() };
        let names = comparison.nodes.iter().map(|id| analysis.trace.node_name(*id).to_owned());
        let names: Vec<String> = names.collect();
        peers::lay_out(view, peers::Peers { comparison, names: &names }, look)
    }
}
