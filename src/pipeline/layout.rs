//! Views of an analysis: which scene answers which question, for page and command alike.

use super::Analysis;
use super::mochi::MochiScenes;
use crate::base::NodeId;
use crate::diagnosis::syscalls::{self, Examination};
use crate::diagnosis::theia::Survey;
use crate::model::StateKind;
use crate::scene::calls::{self, CallsShown};
use crate::scene::jobs::{self, JobsShown};
use crate::scene::{Look, Scene, View, cluster, coverage, peers, system, witnesses};
use std::cell::{OnceCell, RefCell};

/// An analysis, and what its views need beside it, made when it is first asked for.
#[derive(Debug)]
pub struct Views {
    analysis: Analysis,
    /// Looked at once for all figures of system calls.
    calls: OnceCell<Option<Examination>>,
    /// What each node did for each job.
    survey: OnceCell<Survey>,
    /// Cells of the last choice of jobs.
    cluster: RefCell<Option<cluster::Kept>>,
    /// Samples as the system view folds them.
    system: RefCell<system::Kept>,
    /// Rows and data flows of the last choice.
    mochi: RefCell<MochiScenes>,
}

impl Views {
    /// The views of an analysis.
    #[must_use]
    pub fn new(analysis: Analysis) -> Self {
        Self {
            analysis,
            calls: OnceCell::new(),
            survey: OnceCell::new(),
            cluster: RefCell::default(),
            system: RefCell::default(),
            mochi: RefCell::default(),
        }
    }

    /// What is shown.
    #[must_use]
    pub const fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// Lays out a figure; one without a title if there is nothing to show.
    #[must_use]
    pub fn lay_out(&self, view: View, look: &Look) -> Scene {
        let Analysis { trace, params, witnesses: words, report } = &self.analysis;
        match view {
            View::Witnesses => witnesses::lay_out(report, look),
            View::Syscalls | View::SyscallsSteps | View::SyscallsTotals | View::SyscallsPairs | View::SyscallsTime => {
                self.calls().map_or_else(Scene::default, |examination| {
                    calls::lay_out(view, &CallsShown::new(trace, examination), look)
                })
            }
            View::Cluster => cluster::lay_out(&self.jobs(), look, &mut self.cluster.borrow_mut()),
            View::JobsStream => jobs::stream::lay_out(&self.jobs(), look),
            View::JobsDetail => jobs::detail::lay_out(&self.jobs(), look),
            View::Swimlanes
            | View::SwimlanesDetailed
            | View::SwimlanesNodes
            | View::FlowsPaths
            | View::FlowsPath
            | View::FlowsMatrix
            | View::FlowsDiagram => self.mochi.borrow_mut().lay_out(view, trace, look).unwrap_or_default(),
            View::PeersTransfers => peers::transfers::lay_out(trace, words, look),
            View::System => system::lay_out(trace, &system::Marks::of(words), look, &mut self.system.borrow_mut()),
            // Two reports, or many runs, not an analysis: who holds them lays them out.
            View::Differences
            | View::SwimlanesCompared
            | View::Evaluation
            | View::EvaluationRuns
            | View::EvaluationWorkloads
            | View::EvaluationStates
            | View::EvaluationSlowdown
            | View::EvaluationRoc => Scene::default(),
            View::CoverageMap => coverage::lay_out(trace, look),
            View::PeersStripes | View::PeersCorrelation => peers::similarity::of_trace(view, trace, params, look),
            View::Peers | View::PeersTime | View::PeersDistance | View::PeersDurations => self.peers(view, look),
        }
    }

    fn jobs(&self) -> JobsShown<'_> {
        let Analysis { trace, params, report, .. } = &self.analysis;
        let survey = self.survey.get_or_init(|| {
            let peers: Vec<NodeId> = trace.peer_nodes().collect();
            Survey::of(trace, &peers, params.theia)
        });
        JobsShown::new(trace, survey, params.theia, &report.jobs, &report.incidents)
    }

    fn node_named(&self, name: &str) -> Option<NodeId> {
        let at = self.analysis.trace.nodes.iter().position(|node| node.name == name)?;
        u32::try_from(at).ok().map(NodeId)
    }

    /// Kinds of state in which nodes can be compared, the one in which the first culprit stands out most first.
    #[must_use]
    pub fn kinds(&self) -> Vec<StateKind> {
        let culprit = self.analysis.report.verdict.culprits.first();
        let culprit = culprit.and_then(|culprit| self.node_named(&culprit.node));
        peers::kinds(&peers::comparisons(&self.analysis.witnesses, culprit), culprit)
    }

    fn peers(&self, view: View, look: &Look) -> Scene {
        let witnesses = &self.analysis.witnesses;
        let mut meant = look.nodes_meant().filter_map(|name| self.node_named(name));
        let meant = meant.find(|node| peers::is_compared(witnesses, *node));
        let comparisons = peers::comparisons(witnesses, meant);
        let shown = look.kind.or_else(|| peers::kinds(&comparisons, meant).first().copied());
        let Some(comparison) = shown.and_then(|kind| comparisons.get(&kind)) else { return Scene::default() };
        let names = comparison.nodes.iter().map(|own| self.analysis.trace.node_name(own.node).to_owned());
        let names: Vec<String> = names.collect();
        let zone = self.analysis.trace.zone();
        peers::lay_out(view, peers::Peers { comparison, names: &names, zone }, look)
    }

    fn calls(&self) -> Option<&Examination> {
        let Analysis { trace, params, .. } = &self.analysis;
        let bands = params.baseline.as_deref().and_then(|b| b.calls.as_ref());
        self.calls.get_or_init(|| syscalls::examine(trace, params, bands)).as_ref()
    }
}
