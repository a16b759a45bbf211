//! The events and the state that they change.

use super::arena::Arena;
use super::chunk::Held;
use super::draw::Draw;
use super::machine::Machine;
use super::record::{Attempt, Fetch, Job, Notice, Read, Task, Write};
use super::run::Run;
use super::work::{NONE, Plan, plans};
use super::{Generation, Micros, Spec, micros};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A run is broken off after so long: nobody waits longer for minutes of work.
pub(super) const DEADLINE_S: f64 = 1800.0;
/// Machines of one order differ by a few percent.
const SPEED_SPREAD: f64 = 0.02;
/// Between the daemons' start and the first job.
pub(super) const FIRST_JOB_S: f64 = 12.0;
/// Between a job's end and the next of its chain.
const NEXT_JOB_S: f64 = 3.0;
/// The fault begins so many seconds after the first job.
const FAULT_BEGIN_S: (f64, f64) = (10.0, 25.0);
/// … but within jobs that are shorter, after this share of their time.
const EARLY_FAULT_SHARE: f64 = 0.3;
/// Daemons write on for so long after the last job.
pub(super) const LINGER_S: f64 = 8.0;
/// Epoch of a run's begin: a morning of the generation's time.
const EPOCH_MS: (i64, i64) = (1_262_595_600_000, 1_709_283_600_000);

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A job is given to the master.
    Submit(usize),
    /// A node reports and is given work.
    Heartbeat(usize),
    /// A chunk of an attempt is over.
    Step(usize, u32),
    /// A fetch is over.
    Fetched(usize),
    /// A reduce asks for finished maps.
    Poll(usize),
    /// An attempt that says nothing is given up.
    TimeOut(usize),
    /// The fault begins.
    Fault,
    /// It ends.
    FaultEnds,
    /// The master gives a silent node up.
    Expire(usize),
    /// A node says that it is unwell.
    Unhealthy(usize),
    /// Nobody waits any longer.
    Deadline,
}

/// Where an attempt is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Its files are laid out.
    #[default]
    LayOut,
    /// Its process starts.
    Start,
    /// A map works; so many chunks are left.
    Map(u32),
    /// A reduce copies.
    Copy,
    /// It merges.
    Merge,
    /// It reduces; so many chunks are left.
    Reduce(u32),
    /// It waits for permission to be done.
    Commit,
    /// It does nothing for ever.
    Hang,
    /// It is over.
    Over,
}

/// What an attempt is doing, beside its record.
#[derive(Clone, Debug, Default)]
pub(super) struct Doing {
    pub(super) phase: Phase,
    /// Steps of an earlier plan are stale.
    pub(super) version: u32,
    pub(super) held: Held,
    /// Its own costs over the plan's.
    pub(super) cost: f64,
    /// Chunks in all.
    pub(super) chunks: u32,
    /// The block being written.
    pub(super) writing: Option<usize>,
    /// Bytes of it.
    pub(super) in_block: f64,
    /// Where it reads from, and since when.
    pub(super) reading: Option<(usize, Micros)>,
    /// Fetches under way.
    pub(super) fetching: BTreeSet<usize>,
    /// Map attempts known and not yet fetched, by node.
    pub(super) wanted: BTreeMap<usize, Vec<usize>>,
    /// Maps of which it has the output.
    pub(super) have: BTreeSet<usize>,
    /// Position in the job's list of finished maps.
    pub(super) seen: usize,
    /// When a node may be asked again, and how often it failed.
    pub(super) penalty: BTreeMap<usize, (Micros, u32)>,
    /// Its share of the maps' outputs.
    pub(super) share: f64,
}

/// What the master knows of a job, beside its record.
#[derive(Clone, Debug, Default)]
pub(super) struct Managed {
    pub(super) plan: Option<Plan>,
    pub(super) maps_wanted: Vec<usize>,
    pub(super) reduces_wanted: Vec<usize>,
    pub(super) maps_done: usize,
    pub(super) reduces_done: usize,
    /// Map attempts whose outputs can be fetched, in the order in which that was known.
    pub(super) outputs: Vec<usize>,
    pub(super) withdrawn: BTreeSet<usize>,
    /// Failures on each node.
    pub(super) failures: BTreeMap<usize, u32>,
    /// Notifications of failed fetches of an attempt.
    pub(super) unfetchable: BTreeMap<usize, u32>,
    pub(super) containers: u32,
    /// Sum and number of the lengths of done maps and reduces.
    pub(super) lengths: [(f64, f64); 2],
    pub(super) running: BTreeSet<usize>,
}

pub(super) struct Model {
    pub(super) spec: Spec,
    pub(super) draw: Draw,
    pub(super) now: Micros,
    queue: BinaryHeap<Reverse<(Micros, u64, Event)>>,
    queued: u64,
    pub(super) culprit: usize,
    pub(super) fault_at: Micros,
    pub(super) faulty: bool,
    pub(super) nodes: Arena<Machine>,
    pub(super) jobs: Arena<Job>,
    pub(super) managed: Arena<Managed>,
    pub(super) tasks: Arena<Task>,
    pub(super) attempts: Arena<Attempt>,
    pub(super) doing: Arena<Doing>,
    pub(super) writes: Arena<Write>,
    pub(super) reads: Vec<Read>,
    pub(super) fetches: Arena<Fetch>,
    pub(super) fetch_held: Arena<Held>,
    pub(super) notices: Vec<(Micros, usize, Notice)>,
    pub(super) plans: Vec<Plan>,
    pub(super) next_plan: usize,
    pub(super) over: Option<Micros>,
}

/// Lets the cluster run. Where its jobs are over before the fault would begin, it runs again with the fault within
/// them: until it begins it changes nothing.
#[must_use]
pub fn run(spec: &Spec) -> Run {
    let run = Model::new(spec).run();
    let (Some(fault_at), Some(over)) = (run.fault_at, run.jobs.iter().filter_map(|j| j.finished).max()) else {
        return run;
    };
    if fault_at < over {
        return run;
    }
    let first = micros(FIRST_JOB_S);
    let within = first + (over.saturating_sub(first) as f64 * EARLY_FAULT_SHARE) as Micros;
    Model { fault_at: within, ..Model::new(spec) }.run()
}

impl Model {
    fn new(spec: &Spec) -> Self {
        let mut draw = Draw::new(spec.seed);
        let machine = |(i, draw): (usize, &mut Draw)| Machine {
            name: node_name(spec.generation, i),
            address: [1 + (i / 200) as u8, 11 + (i % 200) as u8],
            speed: draw.factor(SPEED_SPREAD),
            ..Machine::default()
        };
        let nodes = Arena::new((0..spec.nodes).map(|i| machine((i, &mut draw))).collect());
        let culprit = draw.below(spec.nodes);
        let (low, high) = FAULT_BEGIN_S;
        let fault_at = micros(FIRST_JOB_S + draw.between(low, high));
        Self {
            plans: plans(spec.workload, spec.nodes, spec.size),
            spec: spec.clone(),
            draw,
            now: 0,
            queue: BinaryHeap::new(),
            queued: 0,
            culprit,
            fault_at,
            faulty: false,
            nodes,
            jobs: Arena::default(),
            managed: Arena::default(),
            tasks: Arena::default(),
            attempts: Arena::default(),
            doing: Arena::default(),
            writes: Arena::default(),
            reads: Vec::new(),
            fetches: Arena::default(),
            fetch_held: Arena::default(),
            notices: Vec::new(),
            next_plan: 0,
            over: None,
        }
    }

    fn run(mut self) -> Run {
        self.at(micros(FIRST_JOB_S), Event::Submit(0));
        for node in 0..self.spec.nodes {
            let first = self.draw.between(3.0, 3.0 + self.beat_s());
            self.at(micros(first), Event::Heartbeat(node));
        }
        if self.spec.fault.is_of_a_node() {
            self.at(self.fault_at, Event::Fault);
        }
        self.at(micros(DEADLINE_S), Event::Deadline);
        while let Some(Reverse((at, _, event))) = self.queue.pop() {
            self.now = at;
            if self.over.is_some_and(|over| at > over) {
                break;
            }
            self.happen(event);
        }
        self.finish()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Submit(plan) => self.submit(plan),
            Event::Heartbeat(node) => self.heartbeat(node),
            Event::Step(attempt, version) => {
                if self.doing[attempt].version == version {
                    self.release(attempt);
                    self.step(attempt);
                }
            }
            Event::Fetched(fetch) => self.fetched(fetch),
            Event::Poll(attempt) => self.poll(attempt),
            Event::TimeOut(attempt) => self.time_out(attempt),
            Event::Fault => self.begin_fault(),
            Event::FaultEnds => self.end_fault(),
            Event::Expire(node) => self.expire(node),
            Event::Unhealthy(node) => self.turn_unhealthy(node),
            Event::Deadline => self.break_off(),
        }
    }

    fn finish(self) -> Run {
        let end = self.over.unwrap_or(self.now);
        let of_node = self.spec.fault.is_of_a_node();
        Run {
            culprit: of_node.then_some(self.culprit),
            fault_at: of_node.then_some(self.fault_at),
            epoch_ms: match self.spec.generation {
                Generation::One => EPOCH_MS.0,
                Generation::Three => EPOCH_MS.1,
            },
            spec: self.spec,
            nodes: self.nodes,
            jobs: self.jobs,
            tasks: self.tasks,
            attempts: self.attempts,
            writes: self.writes.iter().cloned().collect(),
            reads: self.reads,
            fetches: self.fetches.iter().copied().collect(),
            notices: self.notices,
            end,
        }
    }

    /// Seconds between a node's reports.
    pub(super) const fn beat_s(&self) -> f64 {
        match self.spec.generation {
            Generation::One => 3.0,
            Generation::Three => 1.0,
        }
    }

    pub(super) fn at(&mut self, at: Micros, event: Event) {
        self.queued += 1;
        self.queue.push(Reverse((at, self.queued, event)));
    }

    pub(super) fn after(&mut self, seconds: f64, event: Event) {
        self.at(self.now + micros(seconds), event);
    }

    /// An attempt goes on after a while.
    pub(super) fn wait(&mut self, attempt: usize, length: Micros) {
        self.doing[attempt].version += 1;
        let version = self.doing[attempt].version;
        self.at(self.now + length, Event::Step(attempt, version));
    }

    pub(super) fn plan_of(&self, attempt: usize) -> Plan {
        let job = self.tasks[self.attempts[attempt].task].job;
        self.managed[job].plan.unwrap_or(NONE)
    }

    pub(super) fn job_of(&self, attempt: usize) -> usize {
        self.tasks[self.attempts[attempt].task].job
    }

    /// The next job of the chain, or the end.
    pub(super) fn go_on(&mut self, success: bool) {
        self.next_plan += 1;
        if success && self.next_plan < self.plans.len() {
            let plan = self.next_plan;
            let pause = self.draw.between(NEXT_JOB_S, NEXT_JOB_S + 2.0);
            self.after(pause, Event::Submit(plan));
        } else {
            self.over = Some(self.now + micros(LINGER_S));
        }
    }
}

/// `h107`, `h307`; a thousand nodes have names too.
fn node_name(generation: Generation, index: usize) -> String {
    let first = if generation == Generation::One { 'n' } else { 's' };
    format!("{first}{:03}", index + 1)
}
