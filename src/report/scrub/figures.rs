//! What leaves of the figures: named field by field, as all else.

use super::super::Figures;
use super::super::attempts::AttemptsFigure;
use super::super::figures::PeerFigure;
use super::super::flow::FlowFigure;
use super::super::heatmap::HeatmapFigure;
use super::super::metrics::MetricsFigure;
use super::super::sealed::Sealed;
use super::super::words::words;
use super::Names;

impl Names {
    pub(super) fn figures(&self, f: &Figures) -> Figures {
        Figures {
            peers: f.peers.iter().map(|f| self.figure(f)).collect(),
            attempts: Sealed::of(f.attempts.open().map(|f| self.attempts(f)).as_ref()),
            heatmap: Sealed::of(f.heatmap.open().map(|f| self.heatmap(f)).as_ref()),
            metrics: Sealed::of(f.metrics.open().map(|f| self.metrics(f)).as_ref()),
        }
    }

    fn attempts(&self, f: AttemptsFigure) -> AttemptsFigure {
        AttemptsFigure {
            nodes: self.nodes_of(&f.nodes),
            compared: f.compared,
            jobs: f.jobs.iter().map(|job| self.job(job)).collect(),
            jobs_ms: f.jobs_ms,
            statuses: f.statuses,
            until_ms: f.until_ms,
            blacklisted: f.blacklisted,
            flow: f.flow.map(|flow| self.flow(flow)),
            job: f.job,
            reduce: f.reduce,
            task: f.task,
            attempt: f.attempt,
            node: f.node,
            begin_ms: f.begin_ms,
            end_ms: f.end_ms,
            outcome: f.outcome,
            bytes: f.bytes,
            state: f.state,
        }
    }

    fn flow(&self, f: FlowFigure) -> FlowFigure {
        FlowFigure {
            job: f.job,
            nodes: f.nodes,
            into_maps: f.into_maps,
            local: f.local,
            between: f.between,
            out: f.out,
            unknown: f.unknown,
            reads_counted: f.reads_counted,
            writes_counted: f.writes_counted,
            groups: f.groups,
            critical: f.critical,
            paths: f.paths,
            folded: f.folded,
            fetches_logged: f.fetches_logged,
            reduces: f.reduces,
            words: f.words.iter().filter(|text| !self.lists_nodes(text)).map(|text| self.say(text)).collect(),
            trust: f.trust.iter().map(|text| self.say(text)).collect(),
        }
    }

    /// Whether a text names several nodes, whose order would tell who they are.
    fn lists_nodes(&self, text: &str) -> bool {
        words(text).filter(|word| self.nodes.contains_key(*word)).count() > 1
    }

    fn heatmap(&self, f: HeatmapFigure) -> HeatmapFigure {
        let cells = f.only_letters();
        HeatmapFigure {
            nodes: self.nodes_of(&f.nodes),
            jobs: f.jobs.iter().map(|job| self.job(job)).collect(),
            begin_ms: f.begin_ms,
            highest: f.highest,
            literal: f.literal,
            cells,
            whole: f.whole,
        }
    }

    fn metrics(&self, f: MetricsFigure) -> MetricsFigure {
        let cells = f.only_letters();
        MetricsFigure {
            nodes: self.nodes_of(&f.nodes),
            begin_ms: f.begin_ms,
            column_ms: f.column_ms,
            metrics: f.metrics.iter().map(|name| self.term(name)).collect(),
            greatest: f.greatest,
            cells,
            indicted: f.indicted,
            indicted_ms: f.indicted_ms,
            whole: f.whole,
        }
    }

    fn figure(&self, f: &PeerFigure) -> PeerFigure {
        PeerFigure {
            kind: self.term(&f.kind),
            jobs: f.jobs.iter().map(|job| self.job(job)).collect(),
            stretch: f.stretch.as_deref().map(|stretch| self.term(stretch)),
            nodes: self.nodes_of(&f.nodes),
            too_few: self.nodes_of(&f.too_few),
            counts: f.counts.clone(),
            scores: f.scores.clone(),
            threshold: f.threshold,
            ratios: f.ratios.clone(),
            chances: f.chances.clone(),
            gaps: f.gaps.clone(),
            quartiles_s: f.quartiles_s.clone(),
            distances: f.distances.clone(),
            durations_ms: f.durations_ms.clone(),
            windows_ms: f.windows_ms.clone(),
            window_scores: f.window_scores.clone(),
        }
    }
}
