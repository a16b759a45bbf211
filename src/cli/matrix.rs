//! Kahuna's whole evaluation on simulated clusters: every workload, fault and size, many
//! runs each, on one static page.
//!
//! Each run is simulated, read and diagnosed in memory; what each judge said of it is a line of the
//! state file, so that a matrix can be broken off and gone on with. Runs go round by
//! round through all cells: a matrix that was broken off has as many in each.

use super::input::STDIN;
use super::matrix_judges::{CONTROL, Judge, Judges};
use super::matrix_state::{Line, Results, State};
use super::simulate::{LEAST_NODES, MOST_NODES};
use super::values::{a_file, size, whole};
use super::{apart, bad_input, output, read};
use crate::evaluation::Scored;
use crate::simulate::{Fault, Generation, Spec, Workload};
use anyhow::Result;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The ten conditions of the paper, and those beside them.
const FAULTS: [Fault; 13] = Fault::ALL;

/// Runs of a cell at the most: they take days. Rounds from here on are those of control runs that methods learn from.
pub(super) const MOST_RUNS: u64 = 1000;

/// Control runs of a workload and a size at the most: all are held while profiles are learned.
const MOST_CONTROLS: u64 = 20;
/// Usually: one of each generation with and without speculation.
const CONTROLS: u64 = 4;

/// What the matrix covers.
#[derive(Debug, Args)]
pub(super) struct MatrixArgs {
    /// Sizes of the clusters: 10,25 or --nodes 10 --nodes 25.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10, 25, 50, 100], allow_negative_numbers = true, value_parser = whole(LEAST_NODES, MOST_NODES))]
    nodes: Vec<usize>,
    /// Workloads: a,b or --workload a --workload b [default: all].
    #[arg(long, value_enum, value_delimiter = ',', ignore_case = true)]
    workload: Vec<Workload>,
    /// Faults: a,b or --fault a --fault b [default: all].
    #[arg(long, value_enum, value_delimiter = ',', ignore_case = true)]
    fault: Vec<Fault>,
    /// Runs of each cell; every second run with Hadoop 3 logs; of every four, the last two with speculation.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = whole(1, MOST_RUNS))]
    runs: u64,
    /// Control runs of each workload and size, outside those that are counted, that the paper's black box learns from; the
    /// paper's findings are counted by it and by the literal white box too. 0: by the usual methods only.
    #[arg(long, value_name = "N", default_value_t = CONTROLS, allow_negative_numbers = true, value_parser = whole(0, MOST_CONTROLS))]
    controls: u64,
    /// Tasks as a multiple of the usual number.
    #[arg(long, value_name = "X", default_value_t = 1.0, allow_negative_numbers = true, value_parser = size)]
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
        if self.controls != CONTROLS {
            text.push_str(&format!(" --controls {}", self.controls));
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
        let mut specs = Vec::new();
        for round in 0..self.runs {
            for nodes in &self.nodes {
                for workload in &workloads {
                    specs.extend(faults.iter().map(|fault| self.spec(*workload, *fault, *nodes, round)));
                }
            }
        }
        let mut named = BTreeSet::new();
        specs.retain(|spec| named.insert(spec.run.clone()));
        specs
    }

    /// A run of a round.
    fn spec(&self, workload: Workload, fault: Fault, nodes: usize, round: u64) -> Spec {
        let size = self.unusual_size().map_or_else(String::new, |size| format!("x{size}-"));
        Spec {
            run: format!("{}-{}-{size}{nodes}-{round}", workload.name(), fault.name()),
            nodes,
            workload,
            fault,
            generation: if round.is_multiple_of(2) { Generation::One } else { Generation::Three },
            speculation: round % 4 >= 2,
            strace: false,
            size: self.size,
            // One cluster and one placement for all faults of a round: lengths can be compared.
            seed: round * 1_000_003 + nodes as u64,
        }
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
        results.lines.extend(run_missing(args, &specs, &results.lines, &state, workers)?);
    }
    let by = |judge| of_judge(&results.lines, judge, &specs);
    let paper = if args.controls > 0 { by(Judge::Paper { controls: args.controls }) } else { Vec::new() };
    let usual = by(Judge::Usual);
    if usual.is_empty() && !results.lines.is_empty() {
        return Err(bad_input(format!(
            "{}: holds runs, and none of these workloads, faults, nodes and sizes: give the options that they were made with",
            args.state.display()
        )));
    }
    let page = super::matrix_page::page(&usual, &paper, args.controls, &args.command());
    output::write(to, page.as_bytes())
}

/// What a judge said of these runs, of each once.
fn of_judge(lines: &[Line], judge: Judge, specs: &[Spec]) -> Vec<Scored> {
    let mut wanted: BTreeSet<&str> = specs.iter().map(|spec| spec.run.as_str()).collect();
    let of_judge = lines.iter().filter(|line| Judge::of(line) == judge);
    of_judge.filter(|line| wanted.remove(line.scored.run.as_str())).map(|line| line.scored.clone()).collect()
}

/// Runs those that are not judged by all yet.
fn run_missing(args: &MatrixArgs, specs: &[Spec], done: &[Line], state: &State, workers: usize) -> Result<Vec<Line>> {
    let done: BTreeSet<(&str, Judge)> = done.iter().map(|line| (line.scored.run.as_str(), Judge::of(line))).collect();
    let judges = Judge::all(args.controls);
    let missing = |spec: &Spec| -> Vec<Judge> {
        judges.iter().copied().filter(|judge| !done.contains(&(spec.run.as_str(), *judge))).collect()
    };
    let missing: Vec<(&Spec, Vec<Judge>)> =
        specs.iter().map(|spec| (spec, missing(spec))).filter(|(_, judges)| !judges.is_empty()).collect();
    let of_paper = missing.iter().filter(|(_, judges)| judges.iter().any(|judge| *judge != Judge::Usual));
    let control = |workload, nodes, round| args.spec(workload, CONTROL, nodes, round);
    let taught = Judges::taught(of_paper.map(|(spec, _)| *spec), args.controls, control, workers)?;
    let work = |(spec, judges): &(&Spec, Vec<Judge>)| {
        let lines = taught.judge(spec, judges)?;
        state.add(&lines)?;
        Ok(lines)
    };
    let watch = |begun| read::rewrite_line(&format!("run {begun} of {}", missing.len()));
    Ok(read::share_out(&missing, workers, work, watch)?.into_iter().flatten().collect())
}
