//! Logs of a cluster that is not there, with their label.

use super::values::{a_file, at_least, size, whole};
use super::{apart, bad_input, cannot_be, input, output};
use crate::base::text::without_bom;
use crate::evaluation::run_of_archive;
use crate::simulate::{self, Fault, Generation, Packing, Spec, Truth, Workload};
use anyhow::Result;
use clap::builder::{PathBufValueParser, PossibleValue, TypedValueParser};
use clap::{Args, ValueEnum};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Nodes at the least: of fewer none is odd.
pub(super) const LEAST_NODES: usize = 3;
/// Nodes at the most: addresses and memory end somewhere beyond.
pub(super) const MOST_NODES: usize = 2000;

/// What is to be simulated.
#[derive(Debug, Args)]
pub(super) struct SimulateArgs {
    /// Slaves.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = whole(LEAST_NODES, MOST_NODES))]
    nodes: usize,
    /// What the jobs do.
    #[arg(long, value_enum, default_value_t = Workload::Sort, ignore_case = true)]
    workload: Workload,
    /// What is wrong with one node, or with the application.
    #[arg(long, value_enum, default_value_t = Fault::None, ignore_case = true)]
    fault: Fault,
    /// Whose logs: Hadoop 0.20 and 1.x, or 3.x.
    #[arg(long, value_name = "1|3", default_value = "1", allow_negative_numbers = true, value_parser = generation)]
    generation: Generation,
    /// Start speculative attempts for slow ones.
    #[arg(long)]
    speculation: bool,
    /// Trace the daemons' system calls too, as strace would.
    #[arg(long)]
    strace: bool,
    /// Tasks as a multiple of the usual number.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
    size: f64,
    /// Random seed: the same seed gives the same bytes.
    #[arg(long, value_name = "S", default_value_t = 1, allow_negative_numbers = true, value_parser = at_least(0_u64))]
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

    /// Its name; the one in labels is taken as well.
    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).alias(self.label()))
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
/// [`super::BadInput`] if a file cannot be written, or what is there is no list of labels.
pub(super) fn simulate(args: &SimulateArgs) -> Result<()> {
    let name = args.output.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let run = Some(run_of_archive(&name)).filter(|run| !run.is_empty());
    let run = run.ok_or_else(|| bad_input(format!("{}: names no file", args.output.display())))?;
    let truth = args.truth.clone().unwrap_or_else(|| args.output.with_file_name("truth.json"));
    apart::require(Some(&args.output), [truth.as_path()])?;
    let labels = labels(&truth)?;
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
    output::stream(Some(&args.output), |out| Ok(simulate::write_archive(&done, Packing::Gzip, out)?))?;
    output::write(Some(&truth), with_label(labels, &done.truth())?.as_bytes())
}

/// The labels in a file, a list or one object; none where there is no file.
fn labels(path: &Path) -> Result<Vec<Value>> {
    match std::fs::metadata(path) {
        // Pipes and devices keep nothing.
        Ok(about) if !(about.is_file() || about.is_dir()) => return Ok(Vec::new()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(_) | Err(_) => {}
    }
    match serde_json::from_slice(without_bom(&input::whole_file(path)?)) {
        Ok(one @ Value::Object(_)) => Ok(vec![one]),
        Ok(list) => serde_json::from_value(list).map_err(|error| cannot_be("read", path, &error)),
        Err(error) => Err(cannot_be("read", path, &error)),
    }
}

/// The text of a list of labels with one more, in place of an earlier one of that run.
fn with_label(mut labels: Vec<Value>, truth: &Truth) -> Result<String> {
    labels.retain(|old| old.get("run").and_then(Value::as_str) != Some(&truth.run));
    labels.push(serde_json::to_value(truth)?);
    let mut text = serde_json::to_string_pretty(&labels)?;
    text.push('\n');
    Ok(text)
}
