//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::Params;
use crate::diagnosis::kahuna_wb::PeerComparison;
use crate::model::{Digest, DigestError, StateKind};
use crate::pipeline::{Analysis, analyse};
use crate::protocol::{FromWorker, RequestId};
use crate::report::link;
use crate::scene::{Look, Scene, View, peers};
use std::collections::BTreeMap;

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    analysis: Option<Analysis>,
    comparisons: BTreeMap<StateKind, PeerComparison>,
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
        self.comparisons = peers::compare_all(&analysis.trace, &analysis.params);
        let answer = FromWorker::Analysed {
            request,
            report: Box::new(analysis.report.clone()),
            link: link::encode(&analysis.report),
            kinds: peers::most_telling_first(&self.comparisons),
        };
        self.analysis = Some(analysis);
        answer
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&self, view: View, look: &Look) -> Scene {
        let kind = look.kind.or_else(|| peers::most_telling_first(&self.comparisons).first().copied());
        let comparison = kind.and_then(|kind| self.comparisons.get(&kind));
        let (Some(comparison), Some(analysis)) = (comparison, &self.analysis) else { return Scene::default() };
        let names = comparison.nodes.iter().map(|id| analysis.trace.node_name(*id).to_owned());
        let names: Vec<String> = names.collect();
        peers::lay_out(view, peers::Peers { comparison, names: &names }, look)
    }
}
