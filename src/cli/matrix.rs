//! The papers' whole evaluation on simulated clusters: every workload, fault and size, many
//! runs each, on one static page.
//!
//! Each run is simulated, read and diagnosed in memory; what came of it is a line of the
//! state file, so that a matrix can be broken off and gone on with. Runs go round by
//! round through all cells: a matrix that was broken off has as many in each.

use super::input::STDIN;
use super::matrix_state::{Results, State};
use super::simulate::{LEAST_NODES, MOST_NODES};
use super::values::{a_file, size, whole};
use super::{apart, output, read};
use crate::diagnosis::Params;
use crate::evaluation::{Scored, Truth};
use crate::pipeline::{Ingest, analyse};
use crate::simulate::{self, Fault, Generation, Packing, Run, Spec, Workload};
use crate::source::Limits;
use anyhow::Result;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

/// The ten conditions of the paper, and those beside them.
const FAULTS: [Fault; 13] = Fault::ALL;

/// Runs of a cell at the most: they take days.
const MOST_RUNS: u64 = 1000;

/// What the matrix covers.
#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Sizes of the clusters: 10,25 or --nodes 10 --nodes 25.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 25, 50, 100], value_parser = whole(LEAST_NODES, MOST_NODES))]
    nodes: Vec<usize>,
    /// Workloads: a,b or --workload a --workload b [default: all].
    #[arg(long, value_enum, value_delimiter = ',', ignore_case = true)]
    workload: Vec<Workload>,
    /// Faults: a,b or --fault a --fault b [default: all].
    #[arg(long, value_enum, value_delimiter = ',', ignore_case = true)]
    fault: Vec<Fault>,
    /// Runs of each cell; every second run with Hadoop 3 logs; of every four, the last two with speculation.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole(1, MOST_RUNS))]
    runs: u64,
    /// Tasks as a multiple of the usual number.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = size)]
    size: f64,
    /// Results so far; runs that are in it are not done again.
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(a_file))]
    state: PathBuf,
    /// Write the page from what is there, without further runs.
    #[arg(long)]
    page_only: bool,
    /// The page; - for standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

impl MatrixArgs {
    /// What makes this page again.
    fn command(&self) -> String {
        let list = |items: Vec<String>| items.join(",");
        let mut text = format!(
            "oddnode matrix --nodes {} --runs {}",
            list(self.nodes.iter().map(ToString::to_string).collect()),
            self.runs
        );
        if !self.workload.is_empty() {
            text.push_str(&format!(
                " --workload {}",
                list(self.workload.iter().map(|w| w.name().to_owned()).collect())
            ));
        }
        if !self.fault.is_empty() {
            text.push_str(&format!(" --fault {}", list(self.fault.iter().map(|f| f.name().to_owned()).collect())));
        }
        if let Some(size) = self.unusual_size() {
            text.push_str(&format!(" --size {size}"));
        }
        text + " --state matrix.jsonl -o matrix.html"
    }

    /// The number of tasks, where it is not the usual one.
    fn unusual_size(&self) -> Option<f64> {
        Some(self.size).filter(|size| (size - 1.0).abs() > f64::EPSILON)
    }

    /// The runs, each once, however often its cell is asked for.
    fn specs(&self) -> Vec<Spec> {
        let workloads = if self.workload.is_empty() { Workload::ALL.to_vec() } else { self.workload.clone() };
        let faults = if self.fault.is_empty() { FAULTS.to_vec() } else { self.fault.clone() };
        let size = self.unusual_size().map_or_else(String::new, |size| format!("x{size}-"));
        let mut specs = Vec::new();
        for round in 0..self.runs {
            for nodes in &self.nodes {
                for workload in &workloads {
                    for fault in &faults {
                        let generation = if round % 2 == 0 { Generation::One } else { Generation::Three };
                        let run = format!("{}-{}-{size}{nodes}-{round}", workload.name(), fault.name());
                        // One cluster and one placement for all faults of a round: lengths can be compared.
                        let seed = round * 1_000_003 + *nodes as u64;
                        specs.push(Spec {
                            run,
                            nodes: *nodes,
                            workload: *workload,
                            fault: *fault,
                            generation,
                            speculation: round % 4 >= 2,
                            strace: false,
                            size: self.size,
                            seed,
                        });
                    }
                }
            }
        }
        let mut named = BTreeSet::new();
        specs.retain(|spec| named.insert(spec.run.clone()));
        specs
    }
}

/// Runs what is missing of the matrix and writes the page.
///
/// # Errors
/// [`super::BadInput`] if a file cannot be read or written.
pub(super) fn matrix(args: &MatrixArgs, workers: usize) -> Result<()> {
    let to = Some(args.output.as_path()).filter(|path| path.as_os_str() != STDIN);
    apart::require(to, [args.state.as_path()])?;
    let specs = args.specs();
    let is_there = args.page_only || args.state.exists();
    let mut results = if is_there { Results::read(&args.state)? } else { Results::default() };
    if !args.page_only {
        let state = State::open(&args.state, &results)?;
        results.scored.extend(run_missing(&specs, &results.scored, &state, workers)?);
    }
    let mut wanted: BTreeSet<&str> = specs.iter().map(|spec| spec.run.as_str()).collect();
    // Each counts once.
    results.scored.retain(|scored| wanted.remove(scored.run.as_str()));
    let page = super::matrix_page::page(&results.scored, &args.command());
    output::write(to, page.as_bytes())
}

/// Runs those that are not done yet.
fn run_missing(specs: &[Spec], done: &[Scored], state: &State, workers: usize) -> Result<Vec<Scored>> {
    let done: BTreeSet<&str> = done.iter().map(|scored| scored.run.as_str()).collect();
    let missing: Vec<&Spec> = specs.iter().filter(|spec| !done.contains(spec.run.as_str())).collect();
    let work = |spec: &&Spec| {
        let scored = score(&simulate::run(spec))?;
        state.add(&scored)?;
        Ok(scored)
    };
    let watch = |begun| read::rewrite_line(&format!("run {begun} of {}", missing.len()));
    read::share_out(&missing, workers, work, watch)
}

/// Reads and diagnoses a run in memory.
fn score(run: &Run) -> Result<Scored> {
    let mut feed = Feed(Ingest::new(Limits::default()));
    feed.0.start(&format!("{}.tar", run.spec.run));
    simulate::write_archive(run, Packing::Plain, &mut feed)?;
    feed.0.finish_input();
    let report = analyse(&feed.0.into_digest(), &Params::default()).report;
    let label = run.truth();
    let truth = Truth {
        run: label.run,
        workload: label.workload,
        fault: label.fault,
        // A fault that began after the last job's end is no fault of this run.
        node: label.node,
        begin_ms: Some(label.begin_ms),
        end_ms: Some(label.end_ms),
        // Each run has a control of its round.
        ..Truth::default()
    };
    Ok(Scored::new(&truth, &report))
}

/// An archive that is read as it is written.
struct Feed(Ingest);

impl Write for &mut Feed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.feed(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
