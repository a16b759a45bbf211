//! Labelled runs diagnosed, and the verdicts counted against the labels.
//!
//! `truth.json` is a list with one object a run: `{"run":"r07","workload":"sort",
//! "fault":"CPUHog","node":"h103",…}`; `fault` is `none` for controls, `node` null where
//! no node is at fault, and a list where several are, each with its domain or without; `workload` may be missing, and one object stand for the list. Where there is none, `labels.csv` says the same in columns `run,fault,node` and, if it
//! likes, `workload`; an empty node is null. The archive is `<run>.tar.gz` beside it, or one that ends otherwise, or a folder `<run>`;
//! runs without one are counted and left out, and so are those that cannot be read, with the reason. Counting is the room
//! `evaluation`, drawing `scene::evaluation`; the page does the same with labels that are dropped (`pipeline::labelled`).

use super::notices::Told;
use super::{BadInput, bad_input, cannot_be, input, notices, read, say};
use crate::base::text::{joined_names, may_be_one_host, names_in, without_bom};
use crate::diagnosis::{Params, Reading};
use crate::draw::Theme;
use crate::draw::svg::to_svg;
use crate::evaluation::{self, Cell, Finding, Point, Scored, Summary, Truth, WhiteBox};
use crate::model::Digest;
use crate::pipeline::{analyse, labelled};
use crate::report::Report;
use crate::scene::{Look, evaluation as scene};
use crate::source::Limits;
use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Value of [`Evaluation::format`].
const FORMAT: &str = "oddnode-evaluation";
/// Width of the figures: a page of print.
const WIDTH_CSS_PX: f32 = 900.0;
/// Value of [`Evaluation::version`].
const VERSION: u32 = 1;

/// What came of an evaluation.
#[derive(Debug, Serialize)]
pub(super) struct Evaluation {
    format: &'static str,
    version: u32,
    summary: Summary,
    /// Each {fault, workload, size}.
    cells: Vec<Cell>,
    /// Each signal whose threshold is a distance: true and false indictments at every threshold.
    roc: Vec<(&'static str, Vec<Point>)>,
    /// What Kahuna found, by these runs.
    findings: Vec<Finding>,
    #[serde(skip)]
    white_box: WhiteBox,
    runs: Vec<Scored>,
    /// Those that could not be read.
    unread: Vec<Unread>,
}

/// A run that could not be read.
#[derive(Debug, Serialize)]
struct Unread {
    run: String,
    why: String,
}

/// Labelled runs.
pub(super) struct Runs {
    labels: PathBuf,
    /// Each with its archive or folder.
    there: Vec<(Truth, PathBuf)>,
    /// How many more have none.
    absent: u64,
}

impl Runs {
    /// Tells of runs that are judged by what was learned from themselves.
    pub(super) fn tell_of_controls<'a>(&self, controls: impl Iterator<Item = &'a Path>) {
        let controls: Vec<PathBuf> = controls.filter_map(|path| path.canonicalize().ok()).collect();
        for (truth, archive) in &self.there {
            if archive.canonicalize().is_ok_and(|archive| controls.contains(&archive)) {
                say(&format!(
                    "run {} is a control run as well: what it is compared with was learned from it",
                    truth.run
                ));
            }
        }
    }

    /// # Errors
    /// [`super::BadInput`] where no run has its archive.
    pub(super) fn require_any(&self) -> Result<()> {
        if self.there.is_empty() {
            let (labels, runs) = (self.labels.display(), self.absent);
            return Err(bad_input(format!("{labels}: none of its {runs} runs has an archive beside it")));
        }
        Ok(())
    }

    /// All that is read.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.labels.as_path()).chain(self.there.iter().map(|(_, archive)| archive.as_path()))
    }
}

/// Columns that `labels.csv` has to have: without that of the nodes, no label would name one.
const COLUMNS: [&str; 3] = ["run", "fault", "node"];

/// A row of `labels.csv`.
#[derive(serde::Deserialize)]
struct Row {
    run: String,
    fault: String,
    /// Empty where no node is at fault.
    node: Option<String>,
    #[serde(default)]
    workload: String,
}

/// The labels of a table, whose first line names its columns.
fn rows_of(text: &[u8]) -> Result<Vec<Truth>, String> {
    let mut table = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let named = table.headers().map_err(|error| error.to_string())?;
    if let Some(missing) = COLUMNS.iter().find(|column| !named.iter().any(|name| name == **column)) {
        let named: Vec<&str> = named.iter().collect();
        return Err(format!(
            "its first line names no column {missing}; it has to name {}, and says {}",
            COLUMNS.join(", "),
            named.join(", ")
        ));
    }
    let truth = |Row { run, fault, node, workload }| {
        let fault = evaluation::fault_of(if fault.is_empty() { evaluation::CONTROL.to_owned() } else { fault });
        let workload = evaluation::workload_of(workload);
        let node = joined_names(node.as_deref().into_iter().flat_map(names_in));
        Truth { run, fault, node, workload, ..Truth::default() }
    };
    table.deserialize().map(|row| row.map(truth).map_err(|error| error.to_string())).collect()
}

/// The labels of a `truth.json`, a list or one object, as the page reads them.
fn objects_of(text: &[u8]) -> Result<Vec<Truth>, String> {
    let read: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let is_one = read.is_object();
    let objects = if let Value::Array(objects) = read { objects } else { vec![read] };
    if let Some(truths) = objects.iter().map(labelled::truth_of).collect() {
        return Ok(truths);
    }
    // Read once more, for the place of what is no label.
    let strict = if is_one { serde_json::from_slice(text).map(|one| vec![one]) } else { serde_json::from_slice(text) };
    strict.map_err(|error| error.to_string())
}

/// The runs of a folder.
///
/// # Errors
/// [`super::BadInput`] if its `truth.json`, or its `labels.csv` where there is none, cannot be read.
pub(super) fn runs(dir: &Path) -> Result<Runs> {
    let (json, table) = (dir.join("truth.json"), dir.join("labels.csv"));
    let is_table = !json.exists() && table.exists();
    let path = if is_table { table } else { json };
    let text = input::whole_file(&path)?;
    let text = without_bom(&text);
    // Both kinds of messages end with the place.
    let truths = if is_table { rows_of(text) } else { objects_of(text) };
    let mut runs = Runs { there: Vec::new(), absent: 0, labels: PathBuf::new() };
    let mut labelled = BTreeSet::new();
    for truth in truths.map_err(|error| cannot_be("read", &path, &error))? {
        if truth.run.is_empty() {
            return Err(cannot_be("read", &path, &"a run has no name"));
        }
        if !labelled.insert(truth.run.clone()) {
            say(&format!("run {} is labelled twice; the first label counts", truth.run));
            continue;
        }
        let archive = evaluation::archives_of(&truth.run).map(|name| dir.join(name)).find(|archive| archive.exists());
        match archive {
            Some(archive) => runs.there.push((truth, archive)),
            None => runs.absent += 1,
        }
    }
    Ok(Runs { labels: path, ..runs })
}

/// Diagnoses every run, each alone. What cannot be read is told and left out.
///
/// # Errors
/// A fault of our own.
pub(super) fn evaluate(runs: &Runs, params: &Params, workers: usize) -> Result<Evaluation> {
    let diagnose = |(truth, archive): &(Truth, PathBuf)| match read_run(archive) {
        Ok(digest) => {
            let report = analyse(&digest, params).report;
            let scored = Scored::new(truth, &report);
            tell_of_label(&scored, &report);
            Ok(Ok(scored))
        }
        Err(why) if why.is::<BadInput>() => {
            let (run, why) = (truth.run.clone(), format!("{why:#}"));
            say(&format!("run {run} is left out: {why}"));
            Ok(Err(Unread { run, why }))
        }
        Err(ours) => Err(ours),
    };
    let watch = |begun| read::rewrite_line(&format!("diagnosing {begun} of {}", runs.there.len()));
    let (mut scored, mut unread) = (Vec::new(), Vec::new());
    for run in read::share_out(&runs.there, workers, diagnose, watch)? {
        match run {
            Ok(run) => scored.push(run),
            Err(run) => unread.push(run),
        }
    }
    let signals = [evaluation::MAPS, evaluation::BLACK_BOX];
    let named = |signal| if signal == evaluation::BLACK_BOX { evaluation::black_box_of(&scored) } else { signal };
    let white_box = match params.kahuna {
        Reading::Usual => WhiteBox::Usual,
        Reading::Literal => WhiteBox::Literal,
    };
    Ok(Evaluation {
        format: FORMAT,
        version: VERSION,
        summary: Summary { unread: unread.len() as u64, ..Summary::of(&scored, runs.absent) },
        cells: evaluation::cells(&scored),
        roc: signals.map(|signal| (named(signal), evaluation::roc(&scored, signal))).into(),
        findings: evaluation::findings(&scored, white_box),
        white_box,
        runs: scored,
        unread,
    })
}

/// Tells where a label cannot be right: nothing that is diagnosed would then agree with it.
fn tell_of_label(scored: &Scored, report: &Report) {
    let Some(node) = &scored.node else { return };
    let run = &scored.run;
    for node in names_in(node).filter(|name| report.nodes.iter().all(|node| node != name)) {
        if report.nodes.iter().any(|other| may_be_one_host(node, other)) {
            say(&format!("run {run}: its label names a node by a name that fits several of its logs: {node}"));
            continue;
        }
        let nodes = report.nodes.len();
        say(&format!("run {run}: its label names a node that is none of the {nodes} of its logs: {node}"));
    }
    if scored.is_control() {
        say(&format!("run {run}: its label names a node, and no fault: {node}"));
    }
}

/// What the archive or folder of a run says.
fn read_run(path: &Path) -> Result<Digest> {
    let (mut digest, mut told) = (Digest::default(), Told::new());
    for input in input::list(&[path.to_owned()])? {
        let (part, is_whole) = read::or_named(&input, Limits::default(), false, |_| {})?;
        digest.merge(part);
        if !is_whole {
            told.insert(input.name);
        }
    }
    notices::require_readable(&digest, &told)?;
    notices::tell(&digest, &told);
    Ok(digest)
}

impl Evaluation {
    /// Whether all archives that are there could be read.
    pub(super) const fn is_whole(&self) -> bool {
        self.unread.is_empty()
    }

    /// # Errors
    /// If a value is none of JSON's: a fault of our own.
    pub(super) fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    pub(super) fn to_text(&self, cells: bool) -> String {
        evaluation::text(&self.runs, &self.summary, cells, self.white_box)
    }

    pub(super) fn to_svg(&self) -> Result<String> {
        let evaluated = scene::Evaluated::new(self.runs.clone(), self.summary.without_archive);
        let look = Look { width_css_px: WIDTH_CSS_PX, ..Look::default() };
        Ok(to_svg(&scene::sheet(&evaluated, self.white_box, &look), &Theme::light())?)
    }
}
