//! Baselines: learned from control runs, read from a file, or both: the file's extended by the runs.

use super::input::{self, Input};
use super::switches::ParamArgs;
use super::{bad_input, cannot_be, read_logs, say};
use crate::diagnosis::baseline::{self, TEACH_NOTHING};
use crate::diagnosis::{Baseline, Params};
use crate::model::Trace;
use crate::pipeline::{self, Control, Untaught, only_baseline};
use anyhow::Result;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::slice;

/// The switches, with the baseline that they ask for.
///
/// # Errors
/// [`super::BadInput`] where it or a control run cannot be read.
pub(super) fn params(args: &ParamArgs, workers: usize) -> Result<Params> {
    Ok(args.to_params(baseline(args, workers)?))
}

/// The baseline that the switches ask for, if any; control runs extend that of a file.
///
/// # Errors
/// [`super::BadInput`] where it or a control run cannot be read.
fn baseline(params: &ParamArgs, workers: usize) -> Result<Option<Baseline>> {
    let before = only(params.baseline.as_deref().map(named).transpose()?)?;
    let controls = params.control.as_slice();
    if controls.is_empty() {
        if let Some(doubt) = before.as_ref().and_then(Baseline::doubt) {
            say(&doubt);
        }
        return Ok(before);
    }
    let learned = learned(&before.clone().unwrap_or_default(), controls, &params.to_params(None), workers)?;
    if learned.is_none() {
        say(&format!("{}; diagnosed without them", nothing_in(controls)));
    }
    Ok(learned.or(before))
}

/// Learns from control runs, each path one run; a baseline among the paths is what they extend.
///
/// # Errors
/// [`super::BadInput`] where one cannot be read, or nothing can be learned from them.
pub(super) fn learn(paths: &[PathBuf], params: &Params, workers: usize) -> Result<Baseline> {
    let (mut baselines, mut controls) = (Vec::new(), Vec::new());
    for path in paths {
        if is_baseline(path)? {
            baselines.push(named(path)?);
        } else {
            controls.push(path.clone());
        }
    }
    let before = only(baselines)?;
    if controls.is_empty() {
        return Err(bad_input("there is no control run to extend the baseline by".to_owned()));
    }
    let learned = learned(&before.unwrap_or_default(), &controls, params, workers)?;
    learned.ok_or_else(|| bad_input(nothing_in(&controls)))
}

/// Whether a file begins as a baseline does.
fn is_baseline(path: &Path) -> Result<bool> {
    let mut head = Vec::new();
    if path.is_file() {
        let file = File::open(path).and_then(|file| file.take(baseline::MAGIC.len() as u64).read_to_end(&mut head));
        file.map_err(|error| cannot_be("read", path, &error))?;
    }
    Ok(Baseline::is_one(&head))
}

/// What is said of control runs that teach nothing.
fn nothing_in(controls: &[PathBuf]) -> String {
    let names: Vec<String> = controls.iter().map(|path| path.display().to_string()).collect();
    format!("{}: {TEACH_NOTHING}", names.join(", "))
}

/// A baseline extended by control runs; `None` where their logs could be read and nothing can be learned from them.
fn learned(before: &Baseline, controls: &[PathBuf], params: &Params, workers: usize) -> Result<Option<Baseline>> {
    let mut runs: Vec<Trace> = Vec::new();
    for path in controls {
        let control = Control::of(&read_logs(&input::list(slice::from_ref(path))?, workers)?, params);
        if let Some(doubt) = control.doubt(&path.display().to_string()) {
            say(&doubt);
        }
        runs.push(control.trace);
    }
    match pipeline::learn(before, &runs, params) {
        Ok(baseline) => {
            say(&format!("baseline: {}", baseline.in_words()));
            if let Some(doubt) = baseline.doubt() {
                say(&doubt);
            }
            Ok(Some(baseline))
        }
        Err(Untaught::Nothing) => Ok(None),
        Err(Untaught::NoLog) => Err(bad_input(nothing_in(controls))),
    }
}

/// The bytes of a baseline's file, with the name that is told.
fn named(path: &Path) -> Result<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    Input::at(path).read_while(|piece| {
        bytes.extend_from_slice(piece);
        bytes.len() <= baseline::LIMIT_BYTES
    })?;
    Ok((path.display().to_string(), bytes))
}

fn only(baselines: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Option<Baseline>> {
    only_baseline(baselines).map_err(bad_input)
}
