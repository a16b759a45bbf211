//! Labelled runs diagnosed, and the verdicts counted against the labels.
//!
//! `truth.json` is a list with one object a run: `{"run":"r07","workload":"sort",
//! "fault":"CPUHog","node":"h103",…}`; `fault` is `none` for controls, `node` null where
//! no node is at fault. The archive is `<run>.tar.gz` beside it; runs without one are
//! counted and left out. Counting is the room `evaluation`, drawing
//! `scene::evaluation`; the page does the same with labels that are dropped (`pipeline::labelled`).

use super::input::Input;
use super::{bad_input, notices, read};
use crate::diagnosis::Params;
use crate::draw::Theme;
use crate::draw::svg::to_svg;
use crate::evaluation::{self, Cell, Point, Scored, Summary, Truth};
use crate::pipeline::analyse;
use crate::scene::{Look, evaluation as scene};
use crate::source::Limits;
use anyhow::Result;
use serde::Serialize;
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
    runs: Vec<Scored>,
}

/// Diagnoses every run of `dir`, each alone.
///
/// # Errors
/// [`super::BadInput`] if `truth.json` or an archive cannot be read.
pub(super) fn evaluate(dir: &Path, params: &Params, workers: usize) -> Result<Evaluation> {
    let path = dir.join("truth.json");
    let told = |error: &dyn std::fmt::Display| bad_input(format!("{}: cannot be read: {error}", path.display()));
    let text = std::fs::read(&path).map_err(|error| told(&error))?;
    // serde_json's message ends with line and column.
    let truths: Vec<Truth> = serde_json::from_slice(&text).map_err(|error| told(&error))?;
    let archives = truths.iter().map(|truth| dir.join(format!("{}.tar.gz", truth.run)));
    let (there, absent): (Vec<_>, Vec<_>) = truths.iter().zip(archives).partition(|(_, archive)| archive.is_file());
    let diagnose = |(truth, archive): &(&Truth, PathBuf)| {
        let (digest, _) = read::or_named(&Input::file(archive), Limits::default(), false, |_| {})?;
        notices::require_readable(&digest)?;
        notices::tell(&digest);
        Ok(Scored::new(truth, &analyse(&digest, params).report))
    };
    let watch = |begun| read::rewrite_line(&format!("diagnosing {begun} of {}", there.len()));
    let runs = read::share_out(&there, workers, diagnose, watch)?;
    let signals = [evaluation::MAPS, evaluation::BLACK_BOX];
    Ok(Evaluation {
        format: FORMAT,
        version: VERSION,
        summary: Summary::of(&runs, absent.len() as u64),
        cells: evaluation::cells(&runs),
        roc: signals.map(|signal| (signal, evaluation::roc(&runs, signal))).into(),
        runs,
    })
}

impl Evaluation {
    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    pub(super) fn to_text(&self, cells: bool) -> String {
        evaluation::text(&self.runs, self.summary.without_archive, cells)
    }

    pub(super) fn to_svg(&self) -> Result<String> {
        let evaluated = scene::Evaluated::new(self.runs.clone(), self.summary.without_archive);
        let look = Look { width_css_px: WIDTH_CSS_PX, ..Look::default() };
        Ok(to_svg(&scene::sheet(&evaluated, &look), &Theme::light())?)
    }
}
