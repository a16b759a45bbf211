//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::syscalls::{self, Examination};
use crate::diagnosis::{Baseline, Params, peer_similarity};
use crate::model::{ClockChoice, Digest, DigestError, Trace};
use crate::pipeline::mochi::MochiScenes;
use crate::pipeline::{Analysis, analyse};
use crate::protocol::{FromWorker, RequestId};
use crate::report::{link, trace_events};
use crate::scene::calls::{self, CallsShown};
use crate::scene::{Look, Scene, View, coverage, peers, system};
use crate::states;
use std::sync::Arc;

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    baseline: Option<Arc<Baseline>>,
    analysis: Option<Analysis>,
    /// Looked at once for all its figures.
    calls: Option<Examination>,
    /// Swimlanes and data flows, made when first looked at.
    mochi: MochiScenes,
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
        let bands = analysis.params.baseline.as_deref().and_then(|b| b.calls.as_ref());
        self.calls = syscalls::examine(&analysis.trace, analysis.params.syscalls, bands);
        self.mochi = MochiScenes::default();
        self.analysis = Some(analysis);
        answer
    }

    /// All intervals as trace events.
    pub fn trace_events(&self) -> String {
        let mut json = String::new();
        if let Some(analysis) = &self.analysis {
            trace_events::write(&analysis.trace, |text| json.push_str(text));
        }
        json
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&mut self, view: View, look: &Look) -> Scene {
        let Some(analysis) = &self.analysis else { return Scene::default() };
        if let Some(scene) = self.mochi.lay_out(view, &analysis.trace, look) {
            return scene;
        }
        if View::SYSCALLS.contains(&view) {
            let Some(examination) = &self.calls else { return Scene::default() };
            return calls::lay_out(view, &CallsShown::new(&analysis.trace, examination), look);
        }
        if view == View::System {
            return system::lay_out(&analysis.trace, &system::Marks::of(&analysis.witnesses), look);
        }
        if view == View::CoverageMap {
            return coverage::lay_out(&analysis.trace, look);
        }
        if View::OF_MAPS.contains(&view) {
            let Some(similarity) = peer_similarity::of_largest_job(&analysis.trace) else { return Scene::default() };
            let names = similarity.nodes.iter().map(|id| analysis.trace.node_name(*id).to_owned());
            return peers::similarity::lay_out(view, &similarity, &names.collect::<Vec<_>>(), look);
        }
        let comparisons = peers::comparisons(&analysis.witnesses);
        let kind = look.kind.or_else(|| peers::most_telling_first(&comparisons).first().copied());
        let Some(comparison) = kind.and_then(|kind| comparisons.get(&kind)) else { return Scene::default() };
        let names = comparison.nodes.iter().map(|id| analysis.trace.node_name(*id).to_owned());
        let names: Vec<String> = names.collect();
        peers::lay_out(view, peers::Peers { comparison, names: &names }, look)
    }
}
