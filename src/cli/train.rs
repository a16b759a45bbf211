//! Baselines: learned from control runs, or read from a file.

use super::input::{self, Input};
use super::switches::ParamArgs;
use super::{bad_input, read_logs, say};
use crate::diagnosis::{Baseline, Params};
use crate::model::Trace;
use crate::states;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::slice;

/// The switches, with the baseline that they ask for.
///
/// # Errors
/// [`super::BadInput`] where it or a control run cannot be read.
pub(super) fn params(args: &ParamArgs, workers: usize) -> Result<Params> {
    Ok(args.to_params(baseline(args, workers)?))
}

/// The baseline that the switches ask for, if any.
///
/// # Errors
/// [`super::BadInput`] where it or a control run cannot be read.
fn baseline(params: &ParamArgs, workers: usize) -> Result<Option<Baseline>> {
    match (&params.baseline, params.control.as_slice()) {
        (Some(path), _) => read(path).map(Some),
        (None, []) => Ok(None),
        (None, controls) => {
            let learned = learned(controls, &params.to_params(None), workers)?;
            if learned.is_none() {
                say(&format!("{}; diagnosed without them", nothing_in(controls)));
            }
            Ok(learned)
        }
    }
}

/// Learns from control runs, each path one run.
///
/// # Errors
/// [`super::BadInput`] where one cannot be read, or nothing can be learned from them.
pub(super) fn learn(controls: &[PathBuf], params: &Params, workers: usize) -> Result<Baseline> {
    learned(controls, params, workers)?.ok_or_else(|| bad_input(nothing_in(controls)))
}

/// What is said of control runs that teach nothing.
fn nothing_in(controls: &[PathBuf]) -> String {
    let names: Vec<String> = controls.iter().map(|path| path.display().to_string()).collect();
    format!(
        "{}: nothing can be learned from these control runs: they hold no metrics of three slaves",
        names.join(", ")
    )
}

/// A baseline from control runs; `None` where their logs could be read and nothing can be learned from them.
fn learned(controls: &[PathBuf], params: &Params, workers: usize) -> Result<Option<Baseline>> {
    let mut runs: Vec<Trace> = Vec::new();
    for path in controls {
        let digest = read_logs(&input::list(slice::from_ref(path))?, workers)?;
        runs.push(states::build(&digest, None));
    }
    let baseline = Baseline::learn(&runs.iter().collect::<Vec<_>>(), params);
    if baseline.is_empty() {
        let is_log = |trace: &Trace| trace.files.iter().any(|file| file.coverage.format.is_some());
        return if runs.iter().any(is_log) { Ok(None) } else { Err(bad_input(nothing_in(controls))) };
    }
    say(&format!("baseline: {}", baseline.in_words()));
    Ok(Some(baseline))
}

fn read(path: &Path) -> Result<Baseline> {
    let mut bytes = Vec::new();
    Input::at(path).read(|piece| bytes.extend_from_slice(piece))?;
    Baseline::decode(&bytes).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}
