//! What can be asked for.

use super::compare::CompareArgs;
use super::diagnose::DiagnoseArgs;
use super::draw::DrawArgs;
use super::extract::ExtractArgs;
use super::input::{Listed, STDIN};
use super::matrix::MatrixArgs;
use super::merge::Form;
use super::simulate::SimulateArgs;
use super::switches::{LearningArgs, ParamArgs};
use super::values::{a_file, at_least, attempt, job, kind, order, whole};
use crate::base::{AttemptId, JobId};
use crate::model::StateKind;
use crate::report::Report;
use crate::report::link::Size;
use crate::scene::swimlanes::Order;
use crate::scene::{Look, Selection};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Names the faulty node of a Hadoop cluster from its logs.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "PATH is a log, an archive of logs, a folder, a digest, or - for standard input.\n\
                  diagnose and compare open reports and links, too.\n\
                  Exit code: 0 no culprit, 3 culprit(s) found (by compare: in B), 2 bad input or usage, 1 internal error."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Say which node is at fault, and why.
    Diagnose(DiagnoseArgs),
    /// Say what changed from run A (before) to run B (now).
    Compare(CompareArgs),
    /// Write what was read as a table.
    Extract(ExtractArgs),
    /// Write a compact, mergeable summary of logs.
    Digest {
        /// Logs, archives, folders or digests.
        #[arg(value_name = "PATH", required_unless_present = "list")]
        paths: Vec<PathBuf>,
        #[command(flatten)]
        list: ListArgs,
        #[command(flatten)]
        form: FormArgs,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        workers: WorkerArgs,
    },
    /// Make one digest of several.
    Merge {
        /// Digests, or lines of digests; - for standard input.
        #[arg(value_name = "DIGEST", required = true)]
        digests: Vec<PathBuf>,
        #[command(flatten)]
        form: FormArgs,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Write a baseline learned from runs known to be healthy (each CONTROL is one run), or extend a baseline.
    ///
    /// When a baseline is extended, its bands of system calls become those of all runs together; its profiles of metrics
    /// stay as they are; the levels that count as usual rise to what the control runs reach; of each job the longest time
    /// counts; what it lacks is learned from the control runs alone. Extend a baseline only with runs of its own cluster.
    Train {
        /// Control runs: an archive, a folder, a log or a digest each; and at most one baseline, which they extend.
        #[arg(value_name = "[BASELINE] CONTROL", required = true)]
        controls: Vec<PathBuf>,
        #[command(flatten)]
        learning: LearningArgs,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        workers: WorkerArgs,
    },
    /// Draw a figure of the page: a picture where the output ends in .png, else SVG.
    Draw(DrawArgs),
    /// Simulate and diagnose every workload, fault and size of Kahuna's evaluation; write one page of results.
    Matrix {
        #[command(flatten)]
        args: MatrixArgs,
        #[command(flatten)]
        workers: WorkerArgs,
    },
    /// Write the logs of a simulated cluster, with a label.
    Simulate(SimulateArgs),
    /// Diagnose labelled runs and count how often the verdict is right.
    Evaluate {
        /// Folder of truth.json, or of labels.csv with columns run,fault,node and perhaps workload, and, for each run in it,
        /// RUN.tar.gz (or another archive, or a folder RUN).
        dir: PathBuf,
        #[command(flatten)]
        params: ParamArgs,
        /// How to write the result.
        #[arg(long, value_enum, default_value_t = EvaluationFormat::Text)]
        format: EvaluationFormat,
        /// In text, also the rates of each fault, workload and size.
        #[arg(long)]
        cells: bool,
        #[command(flatten)]
        output: OutputArgs,
        #[command(flatten)]
        workers: WorkerArgs,
    },
}

/// Where the result goes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct OutputArgs {
    /// Write to this file instead of standard output (-).
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    /// The file; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != STDIN)
    }
}

/// What of a figure is drawn.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct LookArgs {
    /// Width of the picture.
    #[arg(long, value_name = "PIXELS", default_value_t = 1200, allow_negative_numbers = true, value_parser = whole(200_u16, 8000))]
    width: u16,
    /// The kind of state to compare by (Map, Reduce, WriteBlock, ...) instead of the most telling one.
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Option<StateKind>,
    /// The node to highlight, or to show.
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,
    /// The job to show.
    #[arg(long, value_name = "JOB", value_parser = job)]
    pub(super) job: Option<JobId>,
    /// The attempt to show.
    #[arg(long, value_name = "ATTEMPT", value_parser = attempt)]
    pub(super) attempt: Option<AttemptId>,
    /// Order of the rows of swimlanes: start, end or duration.
    #[arg(long, value_name = "ORDER", value_parser = order)]
    order: Option<Order>,
    /// Light on dark.
    #[arg(long)]
    pub(super) dark: bool,
}

impl LookArgs {
    /// What is looked at; the culprits stand out.
    pub(super) fn look(&self, report: &Report) -> Look {
        let (node, job, attempt) = (self.node.clone(), self.job, self.attempt);
        let selection = Selection { node, job, attempt, ..Selection::default() };
        let order = self.order.unwrap_or_default();
        Look { kind: self.kind, width_css_px: f32::from(self.width), selection, order, ..Look::of(report) }
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ReportFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// One page that opens from disk; names are pseudonyms unless --real-names.
    Html,
    /// For a ticket, with Markdown's marks.
    Markdown,
    /// For a ticket, without marks.
    Ticket,
}

/// What leaves, and under which names.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ShareArgs {
    /// Also print a link fragment (#r=...) to append to the page's address.
    #[arg(long, value_enum, value_name = "SIZE", num_args = 0..=1, require_equals = true, default_missing_value = "verdict")]
    pub(super) link: Option<SizeArg>,
    /// Leave the names of nodes, jobs and files in links and pages as they are.
    #[arg(long)]
    pub(super) real_names: bool,
    /// File that holds the key of the pseudonyms, created if missing; given with a report or link made with it, restores
    /// the real names.
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    pub(super) key: Option<PathBuf>,
}

/// How much a link carries.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum SizeArg {
    /// The verdict: at most 2,000 characters.
    Verdict,
    /// With scores and figures: at most 8,000.
    Report,
    /// With what most figures are drawn from: at most 80,000.
    Full,
}

impl SizeArg {
    pub(super) const fn size(self) -> Size {
        match self {
            Self::Verdict => Size::Verdict,
            Self::Report => Size::Report,
            Self::Full => Size::Full,
        }
    }
}

/// How an evaluation is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum EvaluationFormat {
    /// Tables for people.
    Text,
    /// For programs.
    Json,
    /// The papers' figures.
    Svg,
}

/// Inputs from a list instead of arguments.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Read the paths from this file, one per line (the last field of each line); - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(super) list: Option<PathBuf>,
    /// Read each listed file from the output of this command (such as "hdfs dfs -cat"), run with the path as its last argument.
    #[arg(long, value_name = "COMMAND", requires = "list", conflicts_with = "paths")]
    fetch: Option<String>,
    /// Name the listed files as if this folder had been given as PATH.
    #[arg(long, value_name = "DIR", requires = "list", conflicts_with = "paths")]
    below: Option<String>,
}

impl ListArgs {
    pub(super) fn listed(&self) -> Listed {
        let fetch = self.fetch.as_deref().unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        Listed { fetch, below: self.below.clone() }
    }
}

/// How a digest is written, and what becomes of what cannot be read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct FormArgs {
    /// Write one line of text a file, the file's path being its key: records for Hadoop Streaming.
    #[arg(long)]
    lines: bool,
    /// Go on where an input cannot be read or is damaged, and end with code 0: it is named on
    /// standard error and in the digest.
    #[arg(long)]
    pub(super) keep_going: bool,
}

impl FormArgs {
    pub(super) const fn form(self) -> Form {
        if self.lines { Form::Lines } else { Form::Binary }
    }
}

/// Threads at the most: more gain nothing anywhere, and a system refuses to start any number.
const WORKERS: usize = 256;

/// How many threads read.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct WorkerArgs {
    /// Threads that read inputs; the result is the same for any number [default: one per processor].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = at_least(1_usize))]
    workers: Option<usize>,
}

impl WorkerArgs {
    pub(super) fn count(&self) -> usize {
        let there = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.workers.unwrap_or_else(there).min(WORKERS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_fit_together() {
        Args::command().debug_assert();
    }
}
