//! The figures that a report carries: drawn without its logs, by the code that draws them of logs.
//!
//! ```text
//! numbers of the peers     peers, peers-time, peers-durations, peers-distance
//! attempts, if few         cluster, jobs-stream, jobs-detail, swimlanes-nodes, swimlanes, peers-stripes, peers-correlation
//! one job's flows          flows-paths, flows-matrix, flows-diagram
//! cells, if many           cluster
//! means of metrics         system
//! ```
//! Cost: a report's attempts, and its metrics, are made into a trace once; each figure then costs what it does of logs.

use super::jobs::{self, JobsShown};
use super::swimlanes::{self, Chosen, Lanes, Moved, Run};
use super::{Look, Scene, View, cluster, flows, peers, system, witnesses};
use crate::base::quantity::{counted, grouped, of_millis};
use crate::base::{AttemptId, Gathered, Interval, JobId, NodeId, Timestamp};
use crate::diagnosis::Reading;
use crate::diagnosis::job_class::Class;
use crate::diagnosis::mochi::study::JobStudy;
use crate::diagnosis::numbers::Setting;
use crate::diagnosis::theia::Survey;
use crate::diagnosis::theia::survey::SurveyedJob;
use crate::diagnosis::{Number, Numbers, Params};
use crate::model::{Complaint, Node, Trace, ZoneSource};
use crate::report::{JobRow, Report};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What a report carries beside the numbers of the peers, made ready to be drawn.
#[derive(Debug, Default)]
pub struct Carried {
    jobs: Option<Rebuilt>,
    metrics: Option<Measured>,
    views: Vec<View>,
}

/// What the figures of jobs and tasks are drawn of.
#[derive(Debug)]
struct Rebuilt {
    trace: Trace,
    survey: Survey,
    reading: Reading,
    views: Vec<View>,
    /// The data flow of one job.
    study: Option<JobStudy>,
    /// The report's rows of the jobs, with what else is known of them.
    jobs: Vec<JobRow>,
    /// How many nodes and jobs there were, where some were left out.
    whole: Option<(u64, u64)>,
    /// The highest score to the letter, where only scores are there.
    highest: Option<f32>,
    /// Cells of the last choice of jobs.
    cluster: RefCell<Option<cluster::Kept>>,
}

/// What the system view is drawn of.
#[derive(Debug)]
struct Measured {
    /// Of which it has the samples alone.
    trace: Trace,
    indicted: Vec<(NodeId, Interval)>,
    /// How long each sample is the mean of.
    column_ms: i64,
    /// How many nodes were measured, where some were left out.
    whole: Option<u64>,
    kept: RefCell<system::Kept>,
}

/// What attempts are drawn as.
const OF_ATTEMPTS: [View; 7] = [
    View::Cluster,
    View::JobsStream,
    View::JobsDetail,
    View::SwimlanesNodes,
    View::Swimlanes,
    View::PeersStripes,
    View::PeersCorrelation,
];

/// What the sums of a job's flows are drawn as.
const OF_FLOWS: [View; 3] = [View::FlowsPaths, View::FlowsMatrix, View::FlowsDiagram];

impl Carried {
    /// Of a report; what does not fit together in it (it comes from outside) is not drawn.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let jobs = Rebuilt::of_attempts(report).or_else(|| Rebuilt::of_cells(report));
        let metrics = Measured::of(report);
        let of_jobs = jobs.iter().flat_map(|rebuilt| &rebuilt.views).copied();
        let views = of_jobs.chain(metrics.as_ref().map(|_| View::System)).collect();
        Self { jobs, metrics, views }
    }

    /// Figures of jobs, tasks and metrics that can be drawn.
    #[must_use]
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// Whether it knows a job.
    #[must_use]
    pub fn has_job(&self, job: JobId) -> bool {
        self.jobs.as_ref().is_some_and(|rebuilt| rebuilt.survey.index_of(job).is_some())
    }

    /// Whether it knows an attempt.
    #[must_use]
    pub fn has_attempt(&self, attempt: AttemptId) -> bool {
        self.jobs.as_ref().is_some_and(|rebuilt| rebuilt.trace.task(attempt).is_some())
    }

    /// Whether it knows a node.
    #[must_use]
    pub fn has_node(&self, name: &str) -> bool {
        let of_jobs = self.jobs.as_ref().map(|rebuilt| &rebuilt.trace);
        let measured = self.metrics.as_ref().map(|measured| &measured.trace);
        of_jobs.into_iter().chain(measured).any(|trace| trace.nodes.iter().any(|node| node.name == name))
    }

    /// Lays out a figure of the report; one without a title if it does not carry it.
    #[must_use]
    pub fn lay_out(&self, report: &Report, view: View, look: &Look) -> Scene {
        if view == View::Witnesses {
            return witnesses::lay_out(report, look);
        }
        if view == View::System {
            return self.metrics.as_ref().map_or_else(Scene::default, |measured| measured.lay_out(look));
        }
        if !View::PEERS.contains(&view) {
            let rebuilt = self.jobs.as_ref().filter(|rebuilt| rebuilt.views.contains(&view));
            return rebuilt.map_or_else(Scene::default, |rebuilt| rebuilt.lay_out(report, view, look).without_logs());
        }
        let node = peers::node_meant(report, look);
        let compared = peers::of_report(report, node);
        let kind = look.kind.or_else(|| peers::kinds_of_report(&compared, node).first().copied());
        let figure = kind.and_then(|kind| compared.get(&kind));
        figure.map_or_else(Scene::default, |(comparison, names)| {
            peers::lay_out(view, peers::Peers { comparison, names, zone: report.clock.zone() }, look)
        })
    }
}

impl Measured {
    fn of(report: &Report) -> Option<Self> {
        let figure = report.figures.metrics.open()?;
        let (mut trace, indicted) = figure.trace()?;
        trace.clocks.source = ZoneSource::of_zone(report.clock.zone());
        Some(Self { trace, indicted, column_ms: figure.column_ms, whole: figure.whole, kept: RefCell::default() })
    }

    fn lay_out(&self, look: &Look) -> Scene {
        let marks = system::Marks { profiles: None, indicted: self.indicted.clone() };
        let mut scene = system::lay_out(&self.trace, &marks, look, &mut self.kept.borrow_mut());
        scene.how_to_read.push_str(&format!(
            " Without the logs the values are means of {}, in 64 steps from 0 to the greatest of them.",
            of_millis(self.column_ms as f64)
        ));
        if let Some(whole) = self.whole {
            scene.how_to_read.push_str(&format!(
                " {} of the {} that were measured are here.",
                counted(self.trace.nodes.len() as u64, "node"),
                grouped(whole)
            ));
        }
        scene.without_logs()
    }
}

impl Rebuilt {
    fn of_attempts(report: &Report) -> Option<Self> {
        let figure = report.figures.attempts.open()?;
        let mut trace = figure.trace(report.clock.zone())?;
        let names: BTreeMap<&str, &str> =
            report.jobs.iter().filter_map(|row| Some((row.job.as_str(), row.name.as_deref()?))).gathered();
        for job in &mut trace.jobs {
            job.name = names.get(job.id.to_string().as_str()).map(|name| Box::from(*name));
        }
        let reading = report.reading();
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let survey = Survey::of(&trace, &peers, reading);
        let study = figure.study();
        let of_flows: &[View] = if study.is_some() { &OF_FLOWS } else { &[] };
        let views = OF_ATTEMPTS.iter().chain(of_flows).copied().collect();
        let jobs = rows(report, &trace, &survey);
        let (whole, highest) = (None, None);
        Some(Self { trace, survey, reading, views, study, jobs, whole, highest, cluster: RefCell::default() })
    }

    fn of_cells(report: &Report) -> Option<Self> {
        let figure = report.figures.heatmap.open()?;
        let (survey, blacklisted) = figure.scores()?;
        let node = |name: &String| Node { name: name.clone(), is_peer: true };
        let mut trace = Trace {
            nodes: figure.nodes.iter().map(node).collect(),
            complaints: blacklisted
                .into_iter()
                .map(|(node, job)| Complaint::blacklisting(node, Some(job), Timestamp::default()))
                .collect(),
            ..Trace::default()
        };
        trace.clocks.source = ZoneSource::of_zone(report.clock.zone());
        let reading = figure.reading();
        let jobs = rows(report, &trace, &survey);
        let (views, study) = (vec![View::Cluster], None);
        let (whole, highest) = (figure.whole, Some(figure.highest));
        Some(Self { trace, survey, reading, views, study, jobs, whole, highest, cluster: RefCell::default() })
    }

    fn lay_out(&self, report: &Report, view: View, look: &Look) -> Scene {
        let trace = &self.trace;
        let shown = || {
            JobsShown::new(trace, &self.survey, self.reading, &self.jobs, &report.incidents)
                .out_of(self.whole, self.highest)
        };
        match view {
            View::Cluster => cluster::lay_out(&shown(), look, &mut self.cluster.borrow_mut()),
            View::JobsStream => jobs::stream::lay_out(&shown(), look),
            View::JobsDetail => jobs::detail::lay_out(&shown(), look),
            View::PeersStripes | View::PeersCorrelation => {
                peers::similarity::of_trace(view, trace, &params(report), look)
            }
            View::FlowsPaths | View::FlowsMatrix | View::FlowsDiagram => {
                self.study.as_ref().map_or_else(Scene::default, |study| flows::of_one_job(view, trace, study, look))
            }
            _ => {
                let lanes = Lanes::of(trace, view, look.order, look.selection.job, look.selection.span);
                let mut chosen = None;
                // Of what an attempt moved the report has the sum alone.
                Chosen::renew(&mut chosen, trace, look, |_, _| Moved::default());
                let run = Run { trace, lanes: &lanes, name: "", chosen: chosen.as_ref() };
                swimlanes::lay_out(view, &[run], look)
            }
        }
    }
}

/// The rows of the jobs that are drawn. What a shared report leaves out of them, their times or all of one that is well,
/// is made up from what is drawn, so that it is found by time and class.
fn rows(report: &Report, trace: &Trace, survey: &Survey) -> Vec<JobRow> {
    let known: BTreeMap<&str, &JobRow> = report.jobs.iter().map(|row| (row.job.as_str(), row)).gathered();
    let row = |job: &SurveyedJob| {
        let id = job.id.to_string();
        let status = trace.job(job.id).map_or("", |job| job.status.name());
        let millis = |at: Option<Timestamp>| at.map(Timestamp::millis);
        let well = || JobRow { class: Class::None.name().to_owned(), status: status.to_owned(), ..JobRow::default() };
        let row = known.get(id.as_str()).map_or_else(well, |row| (*row).clone());
        JobRow {
            start_ms: row.start_ms.or(millis(job.start)),
            // Of cells no end is known: a stretch of time has the jobs that began in it.
            finish_ms: row.finish_ms.or(millis(job.end)).or(millis(job.start).filter(|_| trace.jobs.is_empty())),
            job: id,
            ..row
        }
    };
    survey.jobs().iter().map(row).collect()
}

/// The switches of the report that figures of attempts depend on.
fn params(report: &Report) -> Params {
    let name = Number::Alike.about().name;
    let alike = report.parameters.get(name).and_then(Value::as_f64).and_then(|value| Setting::new(name, value).ok());
    Params { numbers: Numbers::with(alike.as_slice()), ..Params::default() }
}

impl Scene {
    /// The scene without what only logs could tell: they are not there.
    fn without_logs(mut self) -> Self {
        let columns = self.table.headers.len().saturating_sub(std::mem::take(&mut self.log_columns));
        self.table.headers.truncate(columns);
        self.table.rows.iter_mut().for_each(|row| row.truncate(columns));
        self
    }
}

#[cfg(test)]
mod tests;
