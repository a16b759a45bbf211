//! By what each run of a matrix is judged: by the usual methods, and as the paper has them (K21, K23).
//!
//! ```text
//! usual   white box: who is slower by far; black box: profiles of the run itself
//! paper   white box: whoever is far from a majority; black box: profiles of control runs, of the
//!         workload and size, with seeds of their own
//! ```
//! Cost: each control run is simulated and diagnosed once; a run is read once and diagnosed twice.

use super::matrix::MOST_RUNS;
use super::matrix_state::Line;
use super::read;
use crate::diagnosis::{Baseline, Params, Reading};
use crate::evaluation::{Scored, Truth};
use crate::model::Digest;
use crate::pipeline::{self, Control, Ingest, analyse};
use crate::simulate::{self, Fault, Packing, Run, Spec, Workload};
use crate::source::Limits;
use anyhow::{Result, anyhow};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::Arc;

/// By what a run is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Judge {
    /// The usual methods.
    Usual,
    /// The paper's, with so many control runs.
    Paper {
        /// Control runs of each workload and size.
        controls: u64,
    },
}

impl Judge {
    /// All that a matrix with so many control runs asks.
    pub(super) fn all(controls: u64) -> Vec<Self> {
        let paper = (controls > 0).then_some(Self::Paper { controls });
        std::iter::once(Self::Usual).chain(paper).collect()
    }

    /// Whose word a line of the state is.
    pub(super) const fn of(line: &Line) -> Self {
        match line.controls {
            Some(controls) => Self::Paper { controls },
            None => Self::Usual,
        }
    }

    const fn controls(self) -> Option<u64> {
        match self {
            Self::Usual => None,
            Self::Paper { controls } => Some(controls),
        }
    }
}

/// Judges with what they have learned.
#[derive(Debug, Default)]
pub(super) struct Judges {
    baselines: BTreeMap<(Workload, usize), Arc<Baseline>>,
}

impl Judges {
    /// Learns what they need for these runs: a baseline of each workload and size, from so many runs as `control` makes of
    /// a round.
    ///
    /// # Errors
    /// A fault of our own.
    pub(super) fn taught<'a>(
        runs: impl Iterator<Item = &'a Spec>,
        controls: u64,
        control: impl Fn(Workload, usize, u64) -> Spec + Sync,
        workers: usize,
    ) -> Result<Self> {
        let cells: BTreeSet<(Workload, usize)> = runs.map(|spec| (spec.workload, spec.nodes)).collect();
        let cells: Vec<(Workload, usize)> = cells.into_iter().collect();
        let learn = |&(workload, nodes): &(Workload, usize)| {
            let params = Params::default();
            let mut traces = Vec::new();
            for round in 0..controls {
                let spec = control(workload, nodes, MOST_RUNS + round);
                traces.push(Control::of(&read_run(&simulate::run(&spec))?, &params).trace);
            }
            let baseline = pipeline::learn(&Baseline::default(), &traces, &params)?;
            Ok(((workload, nodes), Arc::new(baseline)))
        };
        let watch = |begun| read::rewrite_line(&format!("control runs {begun} of {}", cells.len()));
        Ok(Self { baselines: read::share_out(&cells, workers, learn, watch)?.into_iter().collect() })
    }

    /// Simulates a run and has it judged.
    ///
    /// # Errors
    /// A fault of our own.
    pub(super) fn judge(&self, spec: &Spec, judges: &[Judge]) -> Result<Vec<Line>> {
        let run = simulate::run(spec);
        let digest = read_run(&run)?;
        let truth = truth_of(&run);
        let judged = judges.iter().map(|judge| {
            let scored = Scored::new(&truth, &analyse(&digest, &self.params(*judge, spec)?).report);
            Ok(Line { scored, controls: judge.controls() })
        });
        judged.collect()
    }

    fn params(&self, judge: Judge, spec: &Spec) -> Result<Params> {
        if judge == Judge::Usual {
            return Ok(Params::default());
        }
        let baseline = self.baselines.get(&(spec.workload, spec.nodes));
        let baseline = Some(Arc::clone(baseline.ok_or_else(|| anyhow!("no control runs of {}", spec.run))?));
        Ok(Params { kahuna: Reading::Literal, baseline, ..Params::default() })
    }
}

fn truth_of(run: &Run) -> Truth {
    let label = run.truth();
    Truth {
        run: label.run,
        workload: label.workload,
        fault: label.fault,
        // A fault that began after the last job's end is no fault of this run.
        node: label.node,
        begin_ms: Some(label.begin_ms),
        end_ms: Some(label.end_ms),
        // Each run has a control of its round.
        ..Truth::default()
    }
}

/// Reads a run in memory.
fn read_run(run: &Run) -> Result<Digest> {
    let mut feed = Feed(Ingest::new(Limits::default()));
    feed.0.start(&format!("{}.tar", run.spec.run));
    simulate::write_archive(run, Packing::Plain, &mut feed)?;
    feed.0.finish_input();
    Ok(feed.0.into_digest())
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

/// The fault of control runs.
pub(super) const CONTROL: Fault = Fault::None;
