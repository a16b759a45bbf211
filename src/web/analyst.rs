//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::{Params, peer_similarity};
use crate::model::{Digest, DigestError};
use crate::pipeline::{Analysis, analyse};
use crate::protocol::{FromWorker, RequestId};
use crate::report::link;
use crate::scene::{Look, Scene, View, peers};

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    analysis: Option<Analysis>,
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

    /// Reaches the verdict.
    pub fn analyse(&mut self, request: RequestId) -> FromWorker {
        let analysis = analyse(&self.digest, &Params::default());
        let answer = FromWorker::Analysed {
            request,
            report: Box::new(analysis.report.clone()),
            link: link::encode(&analysis.report),
            kinds: peers::most_telling_first(&peers::comparisons(&analysis.witnesses)),
        };
        self.analysis = Some(analysis);
        answer
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&self, view: View, look: &Look) -> Scene {
        let Some(analysis) = &self.analysis else { return Scene::default() };
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
