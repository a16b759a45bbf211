//! What a link leaves out of a report, step by step, until it is short enough.

use super::attempts::AttemptsFigure;
use super::figures::PeerFigure;
use super::flow::FlowFigure;
use super::heatmap::{self, HeatmapFigure, Named, TELLING};
use super::sealed::Sealed;
use super::steps;
use super::{Culprit, Evidence, JobRow, Report, WitnessRow, doubts, parameters, sentence, symptom};
use crate::base::math::rounded;
use crate::base::text::begin_of;
use crate::diagnosis::Method;
use crate::diagnosis::job_class::Class;
use std::borrow::Cow;
use std::sync::Arc;

// What a reader has to know of, to check the rest by.
/// All jobs: what links of earlier versions left out.
pub(super) const JOBS: &str = "jobs";
/// Figures of peers, as links of earlier versions call them.
const FIGURES: &str = "figures";
/// What is left out of a heatmap as soon as it is there.
const FINE_STEPS: &str = "fine steps of the heatmap";
const MANY_WELL_JOBS: &str = "many jobs that are well";
const WELL_JOBS: &str = "jobs that are well";
pub(super) const JOBS_BUT_ONE: &str = "jobs but the one that is named";
pub(super) const EVIDENCE_BEYOND_THREE: &str = "evidence beyond three grounds";
pub(super) const WITNESSES: &str = "witnesses";
pub(super) const ABSTAINING: &str = "witnesses that abstain";
pub(super) const HEALTHY_SCORES: &str = "scores of nodes that are not indicted";
pub(super) const CLEARING: &str = "witnesses that clear all nodes";
pub(super) const ISSUES: &str = "issues";
pub(super) const HEALTHY: &str = "names of healthy nodes";
pub(super) const CULPRITS_BEYOND_FIVE: &str = "culprits beyond the first five";
pub(super) const EVIDENCE_BEYOND_ONE: &str = "evidence beyond the first ground";
pub(super) const ENDS_OF_TEXTS: &str = "ends of long texts";
pub(super) const EVIDENCE: &str = "evidence";
pub(super) const CULPRITS_BEYOND_ONE: &str = "all but the first culprit";
/// What is left out where nothing else helps.
pub(super) const ALL_BUT_OUTCOME: &str = "all but the outcome";

/// The name of what a step leaves out, and how it goes.
pub(super) type Rung = (&'static str, fn(&mut Report));

/// What can be left out, least missed first.
pub(super) const RUNGS: &[Rung] = &[
    ("shapes of unknown lines", |r| r.unknown.clear()),
    ("decimals of distances beyond the third", |r| each_figure(r, true, PeerFigure::round_distances)),
    ("figures over time, where nobody is indicted", |r| each_figure(r, false, clear_windows)),
    ("distances over time", |r| each_figure(r, true, clear_windows)),
    ("single durations, where nobody is indicted", |r| each_figure(r, false, |f| f.durations_ms.clear())),
    ("metrics over time, where they indict nobody", |r| clear_metrics(r, false)),
    ("coverage of single files", |r| r.coverage = Arc::default()),
    ("figures of states that nobody is indicted for", keep_telling_figures),
    ("digits of flows beyond the third", |r| r.figures.attempts.change(round_flow)),
    (FINE_STEPS, |r| r.figures.heatmap.change(HeatmapFigure::coarsen)),
    ("what jobs were told", |r| r.summary.jobs.iter_mut().for_each(|j| j.conf.clear())),
    ("milliseconds and single bytes of jobs", round_jobs),
    ("single durations", |r| each_figure(r, true, |f| f.durations_ms.clear())),
    ("sums of jobs", |r| r.summary.jobs.clear()),
    ("sums of states", |r| r.summary.states.clear()),
    ("advice to many jobs", |r| of_many_jobs(r, |jobs| jobs.iter_mut().for_each(|j| j.advice.clear()))),
    ("how alike the nodes of many jobs were", |r| {
        of_many_jobs(r, |jobs| jobs.iter_mut().for_each(|j| j.likeness = None));
    }),
    ("times, users and queues of many jobs", |r| of_many_jobs(r, |jobs| jobs.iter_mut().for_each(outline_job))),
    (MANY_WELL_JOBS, |r| of_many_jobs(r, |jobs| jobs.retain(|j| j.class() != Some(Class::None)))),
    ("metrics over time", |r| clear_metrics(r, true)),
    ("flows of a job", |r| r.figures.attempts.change(|a| a.flow = None)),
    ("attempts, but for their heatmap", leave_heatmap),
    (FINE_STEPS, |r| r.figures.heatmap.change(HeatmapFigure::coarsen)),
    ("rows and columns of the heatmap", keep_telling_cells),
    ("figures of peers", |r| r.figures.peers.clear()),
    ("places of issues", |r| r.issues.iter_mut().for_each(|i| i.lines.clear())),
    ("what issues are about", |r| r.issues.iter_mut().for_each(|i| i.notes.clear())),
    ("zones of archives", |r| r.clock.zones.clear()),
    ("clocks that are right", |r| r.skew.nodes.retain(|s| s.certain)),
    ("how alike the nodes of jobs were", |r| r.jobs.iter_mut().for_each(|j| j.likeness = None)),
    ("advice to jobs", |r| r.jobs.iter_mut().for_each(|j| j.advice.clear())),
    ("lines of jobs' errors", |r| r.jobs.iter_mut().for_each(|j| j.lines.clear())),
    ("why causes are named", |r| r.verdict.culprits.iter_mut().for_each(|c| c.because.clear())),
    ("rules of jobs", |r| r.jobs.iter_mut().for_each(|j| j.rule.clear())),
    (WELL_JOBS, |r| r.jobs.retain(|j| j.class() != Some(Class::None))),
    ("times, users and queues of jobs", |r| r.jobs.iter_mut().for_each(outline_job)),
    ("parameters at their usual values", |r| parameters::keep_set(&mut r.parameters)),
    ("what the report was made by and of", |r| r.provenance = None),
    (ABSTAINING, |r| r.witnesses.retain(|w| w.abstained.is_none())),
    (HEALTHY_SCORES, keep_indicted_scores),
    (ISSUES, |r| r.issues.retain(doubts::is_of_loss)),
    ("clocks of nodes", |r| r.skew = super::SkewSection::default()),
    (CLEARING, |r| r.witnesses.retain(|w| !w.indicted.is_empty())),
    ("evidence lines beyond the first", |r| each_evidence(r, |e| e.lines.truncate(1))),
    ("the heatmap", |r| r.figures.heatmap = Sealed::default()),
    ("jobs of incidents", |r| r.incidents.iter_mut().for_each(|i| i.jobs.clear())),
    ("nodes without evidence", |r| {
        r.no_evidence.clear();
        r.seldom.clear();
    }),
    ("what control runs tell", |r| r.controls = None),
    ("what of the input is missing", |r| r.issues.clear()),
    (HEALTHY, |r| r.nodes.clear()),
    ("incidents", |r| r.incidents.clear()),
    (JOBS_BUT_ONE, keep_named_job),
    (EVIDENCE_BEYOND_THREE, |r| r.verdict.culprits.iter_mut().for_each(|c| keep_grounds(c, 3))),
    ("grounds against nodes that are only suspected", |r| r.suspects.clear()),
    ("evidence lines", |r| each_evidence(r, |e| e.lines.clear())),
    (WITNESSES, |r| r.witnesses.clear()),
    // Those that were set tell by what the verdict was reached.
    ("parameters", |r| r.parameters.clear()),
    (CULPRITS_BEYOND_FIVE, |r| r.verdict.culprits.truncate(5)),
    (EVIDENCE_BEYOND_ONE, |r| r.verdict.culprits.iter_mut().for_each(|c| keep_grounds(c, 1))),
    (ENDS_OF_TEXTS, clip_texts),
    (EVIDENCE, |r| r.verdict.culprits.iter_mut().for_each(leave_words)),
    (CULPRITS_BEYOND_ONE, |r| r.verdict.culprits.truncate(1)),
];

impl Report {
    /// Whether a link left out some of its jobs.
    #[must_use]
    pub fn lacks_jobs(&self) -> bool {
        self.left_out_any(&[JOBS, MANY_WELL_JOBS, WELL_JOBS, JOBS_BUT_ONE, ALL_BUT_OUTCOME])
    }

    /// Whether a link left out some of its culprits.
    #[must_use]
    pub fn lacks_culprits(&self) -> bool {
        self.left_out_any(&[CULPRITS_BEYOND_FIVE, CULPRITS_BEYOND_ONE, ALL_BUT_OUTCOME])
    }

    pub(super) fn left_out_any(&self, names: &[&str]) -> bool {
        self.left_out.iter().any(|left| names.contains(&left.as_str()))
    }
}

/// Names of what was left out, as a link that anybody may have written tells them: what no step is called is not
/// repeated.
pub(super) fn known(left_out: Vec<String>) -> Vec<String> {
    let is_known =
        |name: &str| [JOBS, FIGURES, ALL_BUT_OUTCOME].contains(&name) || RUNGS.iter().any(|(known, _)| *known == name);
    let all = left_out.len();
    let mut known: Vec<String> = Vec::new();
    let mut repeated = 0;
    for name in left_out.into_iter().filter(|name| is_known(name)) {
        // There are no more of them than steps.
        if known.contains(&name) {
            repeated += 1;
        } else {
            known.push(name);
        }
    }
    if known.len() + repeated < all {
        known.push(String::from("what this version does not know"));
    }
    known
}

/// Keeps the job that the verdict's sentence names, where it names one.
fn keep_named_job(report: &mut Report) {
    let named = sentence::named_job(report).cloned();
    report.jobs = named.into_iter().map(|job| JobRow { name: None, ..job }).collect();
}

fn keep_indicted_scores(report: &mut Report) {
    for WitnessRow { nodes, indicted, .. } in &mut report.witnesses {
        nodes.retain(|node, _| indicted.contains(node));
    }
}

fn outline_job(job: &mut JobRow) {
    (job.user, job.queue, job.start_ms, job.finish_ms) = (None, None, None, None);
}

/// Rows of so many jobs are most of a link, and of what it says they are the least.
const MANY_JOBS: usize = 50;

fn of_many_jobs(report: &mut Report, change: fn(&mut Vec<JobRow>)) {
    if report.jobs.len() > MANY_JOBS {
        change(&mut report.jobs);
    }
}

/// Of attempts leaves what the heatmap says of them.
fn leave_heatmap(report: &mut Report) {
    let trace = report.figures.attempts.open().and_then(|attempts| attempts.trace(report.clock.zone()));
    let cells = trace.and_then(|trace| {
        let named = Named::by(&report.verdict.culprits, &report.incidents);
        heatmap::of(&trace, report.reading(), &named)
    });
    report.figures.attempts = Sealed::default();
    if cells.is_some() {
        report.figures.heatmap = Sealed::of(cells.as_ref());
    }
}

fn round_flow(attempts: &mut AttemptsFigure) {
    attempts.flow.iter_mut().for_each(FlowFigure::round);
}

/// Leaves whom the report names, and what is odd beside them.
fn keep_telling_cells(report: &mut Report) {
    let named = Named::by(&report.verdict.culprits, &report.incidents);
    report.figures.heatmap.change(|cells| cells.keep_telling(&named, TELLING));
}

/// The figures of kinds for which a witness indicts a node, or of the others too.
fn each_figure(report: &mut Report, telling: bool, change: fn(&mut PeerFigure)) {
    let told = told(report);
    report.figures.peers.iter_mut().filter(|f| telling || !told.contains(&f.kind)).for_each(change);
}

/// Seconds and megabytes (2^20): a sum of a job says no more to a reader.
fn round_jobs(report: &mut Report) {
    const MB: i64 = 1 << 20;
    for job in &mut report.summary.jobs {
        for ms in job.start_ms.iter_mut().chain(&mut job.finish_ms) {
            *ms = steps::floor(*ms, 1000);
        }
        let volumes = job.read_bytes.iter_mut().chain(&mut job.written_bytes).chain(&mut job.shuffle_bytes);
        for bytes in volumes.filter(|bytes| **bytes >= MB) {
            *bytes = steps::floor(*bytes, MB);
        }
    }
}

/// The metrics, or only those that tell nothing of a node.
fn clear_metrics(report: &mut Report, telling: bool) {
    let indicts = |w: &WitnessRow| w.method == Method::KahunaBb.name() && !w.indicted.is_empty();
    if telling || !report.witnesses.iter().any(indicts) {
        report.figures.metrics = Sealed::default();
    }
}

fn told(report: &Report) -> Vec<String> {
    let indicting = report.witnesses.iter().filter(|w| !w.indicted.is_empty());
    indicting.map(|w| w.signal.clone()).collect()
}

fn keep_telling_figures(report: &mut Report) {
    let told = told(report);
    report.figures.peers.retain(|f| told.contains(&f.kind));
}

fn clear_windows(figure: &mut PeerFigure) {
    figure.windows_ms.clear();
    figure.window_scores.clear();
}

fn each_evidence(report: &mut Report, change: fn(&mut Evidence)) {
    report.grounds_mut().for_each(change);
}

/// Of more grounds than any diagnosis has, only the first of each kind are tried.
const GROUNDS_TRIED: usize = 200;

/// Drops the last of a culprit's grounds that its sentence can do without, until so many are left or all are needed.
pub(super) fn keep_grounds(c: &mut Culprit, most: usize) {
    let said = symptom::what(c);
    if c.evidence.len() > GROUNDS_TRIED {
        // What is said goes by which there are, not by how many.
        let mut kinds: Vec<[String; 2]> = Vec::new();
        c.evidence.retain(|e| {
            let kind = [e.method.clone(), e.signal.clone()];
            let is_first = kinds.len() < GROUNDS_TRIED && !kinds.contains(&kind);
            kinds.extend(is_first.then_some(kind));
            is_first
        });
    }
    let mut at = c.evidence.len();
    while at > 0 && c.evidence.len() > most {
        at -= 1;
        let ground = c.evidence.remove(at);
        if symptom::what(c) == said {
            at = c.evidence.len();
        } else {
            c.evidence.insert(at, ground);
        }
    }
}

/// Leaves of the grounds no more than the name of one, and that only where the sentence would say something else without it.
fn leave_words(c: &mut Culprit) {
    keep_grounds(c, 0);
    for e in &mut c.evidence {
        let Evidence { method, signal, score, faster, .. } = std::mem::take(e);
        *e = Evidence { method, signal, score, faster, ..Evidence::default() };
    }
}

/// Longest text that the narrowest link carries, in characters.
const CLIPPED: usize = 120;

pub(super) fn clip(text: &mut String) {
    if let Cow::Owned(begin) = begin_of(text, CLIPPED) {
        *text = begin;
    }
}

pub(super) fn clip_texts(report: &mut Report) {
    clip(&mut report.verdict.sentence);
    if let Some(reason) = &mut report.verdict.reason {
        clip(reason);
    }
    report.jobs.iter_mut().for_each(|job| clip(&mut job.job));
    for Culprit { node, cause, who, sentence, advice, evidence, .. } in &mut report.verdict.culprits {
        [node, cause, who, sentence, advice].into_iter().for_each(clip);
        for e in evidence {
            [&mut e.method, &mut e.signal, &mut e.text].into_iter().for_each(clip);
        }
    }
}

/// Three decimals say all that a reader compares, and deflate well.
fn round(value: &mut f64) {
    *value = rounded(*value, 1000.0);
}

pub(super) fn round_scores(report: &mut Report) {
    for witness in &mut report.witnesses {
        witness.nodes.values_mut().chain(&mut witness.threshold).for_each(round);
    }
    report.verdict.culprits.iter_mut().for_each(|culprit| round(&mut culprit.sureness));
    for e in report.grounds_mut() {
        std::iter::once(&mut e.score).chain(&mut e.threshold).chain(&mut e.p).for_each(round);
    }
}
