//! `oddnode extract`: what was read, as a table.

use super::args::{OutputArgs, WorkerArgs};
use super::switches::ClockArgs;
use super::{apart, bad_input, input, notices, output, read_logs};
use crate::report::table::{self, Table};
use crate::states;
use anyhow::Result;
use clap::ValueEnum;
use std::path::PathBuf;

/// Of what which table is written, and how.
#[derive(Debug, clap::Args)]
pub(super) struct ExtractArgs {
    /// Which table.
    #[arg(value_enum)]
    what: What,
    /// Logs, archives, folders or digests.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How to write the table [default: csv].
    #[arg(long, value_enum)]
    format: Option<TableFormat>,
    #[command(flatten)]
    clocks: ClockArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    workers: WorkerArgs,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum TableFormat {
    /// Comma-separated, with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
}

/// Which table is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum What {
    /// Intervals of one kind on one node.
    States,
    /// Task attempts.
    Tasks,
    /// Jobs.
    Jobs,
    /// Transfers between hosts.
    Flows,
    /// Lines in which a node speaks of trouble, its own or another's.
    Complaints,
    /// System calls.
    Calls,
    /// Metrics of the operating system, as sysstat measured them.
    Samples,
    /// All intervals as Chrome's trace events, a JSON file that Perfetto opens.
    TraceEvents,
}

impl What {
    /// The table; `None` for what has a format of its own.
    const fn table(self) -> Option<&'static Table> {
        Some(match self {
            Self::States => &table::STATES,
            Self::Tasks => &table::TASKS,
            Self::Jobs => &table::JOBS,
            Self::Flows => &table::FLOWS,
            Self::Complaints => &table::COMPLAINTS,
            Self::Calls => &table::CALLS,
            Self::Samples => &table::SAMPLES,
            Self::TraceEvents => return None,
        })
    }
}

/// Writes the table.
///
/// # Errors
/// If an input cannot be read, or the table not be written, or not so.
pub(super) fn extract(args: &ExtractArgs) -> Result<()> {
    if args.what.table().is_none() && args.format.is_some() {
        return Err(bad_input("trace events have a format of their own; leave out --format"));
    }
    let output = args.output.file();
    let inputs = input::list(&args.paths)?;
    apart::require_inputs(output, &inputs)?;
    let digest = read_logs(&inputs, args.workers.count())?;
    let trace = states::build(&digest, args.clocks.choice());
    notices::tell_zone(&trace);
    match (args.what.table(), args.format) {
        (None, _) => output::write_trace_events(output, &trace),
        (Some(table), None | Some(TableFormat::Csv)) => output::write_csv(output, table, &trace),
        (Some(table), Some(TableFormat::Jsonl)) => output::write_jsonl(output, table, &trace),
    }
}
