//! `oddnode compare`: two runs, what is different.

use super::args::{OutputArgs, WorkerArgs};
use super::input::STDIN;
use super::opened::{self, Opened};
use super::switches::ParamArgs;
use super::values::a_file;
use super::{analysed, apart, bad_input, each, exit_code, output, read_logs, train};
use crate::diagnosis::Params;
use crate::report::{Report, compare};
use anyhow::Result;
use clap::ValueEnum;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::PathBuf;

/// What is compared, and how the difference is written.
#[derive(Debug, clap::Args)]
pub(super) struct CompareArgs {
    /// The first run: an archive, a folder, a digest, a report or a link.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second.
    #[arg(value_name = "B")]
    b: PathBuf,
    #[command(flatten)]
    params: ParamArgs,
    /// How to write it.
    #[arg(long, value_enum, default_value_t = ComparisonFormat::Text)]
    format: ComparisonFormat,
    /// Key of the pseudonyms of a report or a link, which restores the real names; given once for each of the two.
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    key: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    workers: WorkerArgs,
}

/// How a comparison of two runs is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ComparisonFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Writes what is different in the second run.
///
/// # Errors
/// If a run cannot be read, or the difference not be written.
pub(super) fn compare(args: &CompareArgs) -> Result<u8> {
    let output = args.output.file();
    let both = [&args.a, &args.b].map(PathBuf::as_path);
    apart::require(output, both.into_iter().chain(args.params.paths()).chain(each(&args.key)))?;
    if both.iter().all(|path| path.as_os_str() == STDIN) {
        return Err(bad_input("-: standard input can be one of both runs, not both"));
    }
    let workers = args.workers.count();
    let learned = train::params(&args.params, workers)?;
    let mut both = [opened::open(&args.a)?, opened::open(&args.b)?];
    if both.iter().any(|one| matches!(one, Opened::Report(_))) {
        opened::tell_of_switches(&args.params);
    }
    for path in &args.key {
        opened::name_any(&mut both, path)?;
    }
    let [a, b] = both;
    let (a, b) = (reported(a, &learned, workers)?, reported(b, &learned, workers)?);
    let difference = compare::compare(&a, &b);
    let body = match args.format {
        ComparisonFormat::Json => {
            let mut text = serde_json::to_string_pretty(&difference)?;
            text.push('\n');
            text
        }
        ComparisonFormat::Text => compare::text(&difference),
    };
    output::write(output, body.as_bytes())?;
    Ok(exit_code(&b))
}

/// A report as it is, the report of logs.
fn reported(run: Opened, params: &Params, workers: usize) -> Result<Report> {
    match run {
        Opened::Report(report) => Ok(*report),
        Opened::Logs(inputs) => Ok(analysed(&read_logs(&inputs, workers)?, params, workers).report),
    }
}
