//! The logs of a run, file by file, as the daemons of either generation write them.
//!
//! Lines are those that real logs of 0.20.2 and 3.3.6 have, with the model's names, times
//! and numbers in them; lines that say nothing of what the model knows (sockets, tokens,
//! configuration) are left out but for a few. Times are UTC. Cost: one file in memory.

mod am;
mod container;
mod datanode;
mod history;
mod jhist;
mod jobtracker;
mod lines;
mod metrics;
mod nodemanager;
mod resourcemanager;
mod strace;
mod task;
mod tasktracker;

use super::record::{End, Error, Fetch, Leg, Read, Task, Write};
use super::run::Run;
use super::{Attempt, Generation, Kind, Micros, faults};
pub(super) use lines::Lines;
use std::io::Result;

/// Takes a file's path below the run's folder, and its text.
type Each<'a> = dyn FnMut(&str, &str) -> Result<()> + 'a;

/// What a file is written from: the run, and its rows by node and attempt.
pub(super) struct View<'a> {
    pub(super) run: &'a Run,
    /// Attempts of each node.
    pub(super) attempts: Vec<Vec<usize>>,
    /// Legs written on each node.
    pub(super) legs: Vec<Vec<(&'a Write, &'a Leg)>>,
    /// Blocks read from each node.
    pub(super) reads: Vec<Vec<&'a Read>>,
    /// Outputs fetched from each node.
    pub(super) served: Vec<Vec<&'a Fetch>>,
    /// Outputs fetched by each attempt.
    pub(super) fetches: Vec<Vec<&'a Fetch>>,
}

impl<'a> View<'a> {
    fn new(run: &'a Run) -> Self {
        fn by<T>(rows: impl IntoIterator<Item = (usize, T)>, len: usize) -> Vec<Vec<T>> {
            let mut out: Vec<Vec<T>> = (0..len).map(|_| Vec::new()).collect();
            for (at, row) in rows {
                if let Some(slot) = out.get_mut(at) {
                    slot.push(row);
                }
            }
            out
        }
        let nodes = run.nodes.len();
        Self {
            run,
            attempts: by(run.attempts.iter().enumerate().map(|(i, a)| (a.node, i)), nodes),
            legs: by(run.writes.iter().flat_map(|w| w.legs.iter().map(move |leg| (leg.node, (w, leg)))), nodes),
            reads: by(run.reads.iter().map(|r| (r.from, r)), nodes),
            served: by(run.fetches.iter().map(|f| (run.attempts[f.map].node, f)), nodes),
            fetches: by(run.fetches.iter().map(|f| (f.reduce, f)), run.attempts.len()),
        }
    }

    pub(super) fn of<T>(rows: &[Vec<T>], at: usize) -> &[T] {
        rows.get(at).map_or(&[], Vec::as_slice)
    }

    /// The address of a node.
    pub(super) fn ip(&self, node: usize) -> String {
        self.run.ip(node)
    }

    pub(super) fn kind(&self, attempt: &Attempt) -> Kind {
        self.run.tasks[attempt.task].kind
    }
}

/// What was measured on a node beside its daemons' logs.
fn write_measured(view: &View<'_>, node: usize, each: &mut Each<'_>) -> Result<()> {
    let run = view.run;
    let host = &run.nodes[node].name;
    each(&format!("{host}/metrics.sadf.txt"), &metrics::text(run, node))?;
    if run.spec.strace {
        each(&format!("{host}/strace.out"), &strace::text(view, node))?;
    }
    Ok(())
}

/// Writes every file of a run.
pub(super) fn write(run: &Run, each: &mut Each<'_>) -> Result<()> {
    let view = View::new(run);
    match run.spec.generation {
        Generation::One => write_one(&view, each),
        Generation::Three => write_three(&view, each),
    }
}

fn write_one(view: &View<'_>, each: &mut Each<'_>) -> Result<()> {
    let run = view.run;
    let master = run.master();
    each(&format!("{master}/hadoop-hadoop-jobtracker-{master}.log"), &jobtracker::text(view))?;
    for job in 0..run.jobs.len() {
        let (name, text) = history::text(view, job);
        each(&format!("{master}/history/{name}"), &text)?;
    }
    for (node, machine) in run.nodes.iter().enumerate() {
        let host = &machine.name;
        each(&format!("{host}/hadoop-hadoop-tasktracker-{host}.log"), &tasktracker::text(view, node))?;
        each(&format!("{host}/hadoop-hadoop-datanode-{host}.log"), &datanode::text(view, node))?;
        write_measured(view, node, each)?;
        for attempt in View::of(&view.attempts, node) {
            if let Some(text) = task::text(view, *attempt) {
                each(&format!("{host}/userlogs/{}/syslog", run.attempt_id(*attempt)), &text)?;
            }
        }
    }
    Ok(())
}

fn write_three(view: &View<'_>, each: &mut Each<'_>) -> Result<()> {
    let run = view.run;
    let master = run.master();
    each(&format!("{master}/logs/hadoop-hadoop-resourcemanager-{master}.log"), &resourcemanager::text(view))?;
    for (job, row) in run.jobs.iter().enumerate() {
        let (name, text) = jhist::text(view, job);
        each(&format!("{master}/history/done/2024/03/01/000000/{name}"), &text)?;
        let folder = format!("{}/{}", run.application_id(row.number), run.container_id(row.number, 1));
        each(&format!("{master}/userlogs/{folder}/syslog"), &am::text(view, job))?;
    }
    for (node, machine) in run.nodes.iter().enumerate() {
        let host = &machine.name;
        each(&format!("{host}/logs/hadoop-hadoop-nodemanager-{host}.log"), &nodemanager::text(view, node))?;
        each(&format!("{host}/logs/hadoop-hadoop-datanode-{host}.log"), &datanode::text(view, node))?;
        write_measured(view, node, each)?;
        for attempt in View::of(&view.attempts, node) {
            let row = &run.attempts[*attempt];
            let number = run.jobs[run.tasks[row.task].job].number;
            let folder = format!("{}/{}", run.application_id(number), run.container_id(number, row.container));
            for (name, text) in container::texts(view, *attempt) {
                each(&format!("{host}/userlogs/{folder}/{name}"), &text)?;
            }
        }
    }
    Ok(())
}

impl Run {
    /// The master's name.
    #[must_use]
    pub fn master(&self) -> &'static str {
        match self.spec.generation {
            Generation::One => "n000",
            Generation::Three => "s000",
        }
    }

    /// Whether a disk hog still writes in this second.
    pub(super) fn disk_hog_lasts(&self, second: usize) -> bool {
        let lasts_s = faults::disk_hog_s();
        self.fault_at.is_some_and(|at| (second as f64) < at as f64 / 1e6 + lasts_s)
    }

    pub(super) fn ip(&self, node: usize) -> String {
        let [high, low] = self.nodes[node].address;
        format!("10.88.{high}.{low}")
    }

    /// When the master was started, as job ids say it.
    fn cluster_id(&self) -> String {
        match self.spec.generation {
            Generation::One => {
                let text = crate::base::Timestamp::from_millis(self.epoch_ms).to_string();
                text.chars().filter(char::is_ascii_digit).take(12).collect()
            }
            Generation::Three => self.epoch_ms.to_string(),
        }
    }

    /// A job's id.
    #[must_use]
    pub fn job_id(&self, number: u32) -> String {
        format!("job_{}_{number:04}", self.cluster_id())
    }

    pub(super) fn application_id(&self, number: u32) -> String {
        format!("application_{}_{number:04}", self.cluster_id())
    }

    pub(super) fn container_id(&self, number: u32, container: u32) -> String {
        format!("container_{}_{number:04}_01_{container:06}", self.cluster_id())
    }

    pub(super) fn task_id(&self, task: usize) -> String {
        let row = &self.tasks[task];
        let letter = if row.kind == Kind::Reduce { 'r' } else { 'm' };
        format!("task_{}_{:04}_{letter}_{:06}", self.cluster_id(), self.jobs[row.job].number, row.index)
    }

    /// An attempt's id.
    #[must_use]
    pub fn attempt_id(&self, attempt: usize) -> String {
        let row = &self.attempts[attempt];
        self.task_id(row.task).replacen("task", "attempt", 1) + &format!("_{}", row.number)
    }

    /// The last attempt of a task that failed, and why.
    pub(super) fn last_failure(&self, task: &Task) -> Option<(usize, Error)> {
        let why = |attempt: &usize| {
            let row = &self.attempts[*attempt];
            row.error.filter(|_| row.end == Some(End::Failed)).map(|error| (*attempt, error))
        };
        task.attempts.iter().rev().find_map(why)
    }

    /// What a node's daemons could still write: nothing after a crash.
    pub(super) fn silent_from(&self, node: usize) -> Option<Micros> {
        self.nodes[node].crashed
    }

    /// The storage of a node's DataNode.
    pub(super) fn storage(&self, node: usize) -> String {
        match self.spec.generation {
            Generation::One => {
                format!("DS-{}-{}-50010-{}", 1_082_934 + 977 * node, self.ip(node), self.epoch_ms - 86_400_000)
            }
            Generation::Three => format!("9360afee-b422-4514-abc5-{:012x}", 0x5ff9_432d_0000_u64 + node as u64),
        }
    }

    /// A TaskTracker's name.
    pub(super) fn tracker(&self, node: usize) -> String {
        format!("tracker_{}:localhost/127.0.0.1:{}", self.nodes[node].name, 32_800 + (node * 7919) % 20_000)
    }
}
