//! Logs of a cluster that is not there, with their label.

use super::values::{a_file, size, whole};
use super::{apart, bad_input};
use crate::base::text::without_bom;
use crate::evaluation::run_of_archive;
use crate::simulate::{self, Fault, Generation, Packing, Spec, Truth, Workload};
use anyhow::Result;
use clap::builder::{PathBufValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Nodes at the least: of fewer none is odd.
pub(super) const LEAST_NODES: usize = 3;
/// Nodes at the most: addresses and memory end somewhere beyond.
pub(super) const MOST_NODES: usize = 2000;

/// What is to be simulated.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// Slaves.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(LEAST_NODES, MOST_NODES))]
    nodes: usize,
    /// What the jobs do.
    #[arg(long, value_enum, default_value_t = Workload::Sort)]
    workload: Workload,
    /// What is wrong with one node, or with the application.
    #[arg(long, value_enum, default_value_t = Fault::None)]
    fault: Fault,
    /// Whose logs: Hadoop 0.20 and 1.x, or 3.x.
    #[arg(long, value_name = "1|3", default_value = "1", value_parser = generation)]
    generation: Generation,
    /// Start rivals for slow attempts.
    #[arg(long)]
    speculation: bool,
    /// Trace the daemons' system calls too, as strace would.
    #[arg(long)]
    strace: bool,
    /// Tasks as a multiple of the usual number.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = size)]
    size: f64,
    /// Seed of all chance: the same gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole(0, u64::MAX))]
    seed: u64,
    /// The archive, RUN.tar.gz: its name without the ending is the run's in the label.
    #[arg(short, long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    output: PathBuf,
    /// Where the label goes [default: truth.json beside the archive, where other runs' labels stay].
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    truth: Option<PathBuf>,
}

impl ValueEnum for Workload {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

impl ValueEnum for Fault {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

fn generation(text: &str) -> Result<Generation, String> {
    match text {
        "1" => Ok(Generation::One),
        "3" => Ok(Generation::Three),
        _ => Err("neither 1 nor 3".to_owned()),
    }
}

/// Simulates, and writes archive and label.
///
/// # Errors
/// [`super::BadInput`] if a file cannot be written.
pub(super) fn simulate(args: &SimulateArgs) -> Result<()> {
    let name = args.output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let run = Some(run_of_archive(&name)).filter(|run| !run.is_empty());
    let run = run.ok_or_else(|| bad_input(format!("{}: names no file", args.output.display())))?;
    let truth = args.truth.clone().unwrap_or_else(|| args.output.with_file_name("truth.json"));
    apart::require(Some(&args.output), [truth.as_path()])?;
    let spec = Spec {
        run: run.to_owned(),
        nodes: args.nodes,
        workload: args.workload,
        fault: args.fault,
        generation: args.generation,
        speculation: args.speculation,
        strace: args.strace,
        size: args.size,
        seed: args.seed,
    };
    let done = simulate::run(&spec);
    let told =
        |error: &dyn std::fmt::Display| bad_input(format!("{}: cannot be written: {error}", args.output.display()));
    let file = File::create(&args.output).map_err(|error| told(&error))?;
    simulate::write_archive(&done, Packing::Gzip, BufWriter::new(file)).map_err(|error| told(&error))?;
    add_truth(&truth, &done.truth())
}

/// Puts a label into a list of labels, in place of an earlier one of that run.
fn add_truth(path: &Path, truth: &Truth) -> Result<()> {
    let told =
        |what: &str, error: &dyn std::fmt::Display| bad_input(format!("{}: cannot be {what}: {error}", path.display()));
    let mut truths: Vec<Value> = match std::fs::read(path) {
        Ok(text) => serde_json::from_slice(without_bom(&text)).map_err(|error| told("read", &error))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(told("read", &error)),
    };
    truths.retain(|old| old.get("run").and_then(Value::as_str) != Some(&truth.run));
    truths.push(serde_json::to_value(truth)?);
    let mut text = serde_json::to_string_pretty(&truths)?;
    text.push('\n');
    std::fs::write(path, text).map_err(|error| told("written", &error))
}
