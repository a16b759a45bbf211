//! A cluster that ran: what the logs are written from, and its label.
//!
//! Cost: of the label O(jobs).

use super::arena::Arena;
use super::machine::Machine;
use super::record::{Attempt, End, Fetch, Job, Notice, Read, Task, Write};
use super::{Generation, JobTruth, Micros, Parameters, Spec, Truth};

/// A cluster that ran.
#[derive(Debug)]
pub struct Run {
    /// What was asked for.
    pub spec: Spec,
    /// The faulty node.
    pub culprit: Option<usize>,
    /// When the fault began.
    pub fault_at: Option<Micros>,
    /// The slaves.
    pub nodes: Arena<Machine>,
    /// The jobs.
    pub jobs: Arena<Job>,
    /// The tasks of all jobs.
    pub tasks: Arena<Task>,
    /// The attempts of all tasks.
    pub attempts: Arena<Attempt>,
    /// Blocks written.
    pub writes: Vec<Write>,
    /// Blocks read.
    pub reads: Vec<Read>,
    /// Map outputs fetched.
    pub fetches: Vec<Fetch>,
    /// What the master noticed of nodes.
    pub notices: Vec<(Micros, usize, Notice)>,
    /// The end of the logs.
    pub end: Micros,
    /// Epoch milliseconds of time 0.
    pub epoch_ms: i64,
}

impl Run {
    /// Epoch milliseconds of a time.
    #[must_use]
    pub const fn ms(&self, at: Micros) -> i64 {
        self.epoch_ms + (at / 1000) as i64
    }

    /// The label.
    #[must_use]
    pub fn truth(&self) -> Truth {
        let spec = &self.spec;
        let status = |job: &Job| match job.end {
            Some(End::Success) => "SUCCESS",
            Some(End::Failed) => "FAILED",
            Some(End::Killed) | None => "KILLED",
        };
        Truth {
            run: spec.run.clone(),
            workload: spec.workload.name().to_owned(),
            fault: spec.fault.label().to_owned(),
            node: self.culprit.map(|node| self.nodes[node].name.clone()),
            begin_ms: self.jobs.iter().map(|j| self.ms(j.submitted)).min().unwrap_or(self.epoch_ms),
            end_ms: self.jobs.iter().filter_map(|j| j.finished).max().map_or(self.ms(self.end), |at| self.ms(at)),
            fault_begin_ms: self.fault_at.map(|at| self.ms(at)),
            parameters: Parameters {
                simulated: true,
                nodes: spec.nodes,
                generation: if spec.generation == Generation::One { 1 } else { 3 },
                speculation: spec.speculation,
                strace: spec.strace,
                size: spec.size,
                seed: spec.seed,
            },
            jobs: self
                .jobs
                .iter()
                .map(|job| JobTruth { job: self.job_id(job.number), status: status(job).to_owned() })
                .collect(),
        }
    }

    /// Seconds from the first submission to the last job's end.
    #[must_use]
    pub fn length_s(&self) -> f64 {
        let begin = self.jobs.iter().map(|j| j.submitted).min().unwrap_or(0);
        let end = self.jobs.iter().filter_map(|j| j.finished).max().unwrap_or(self.end);
        end.saturating_sub(begin) as f64 / 1e6
    }
}
