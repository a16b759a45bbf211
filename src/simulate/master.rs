//! The master: jobs in order of submission, retries, and what it does about nodes. What it
//! gives to a node is in [`super::assignment`].
//!
//! ```text
//! 0.20   heartbeat 3 s; set-up and clean-up are tasks
//! 3.x    heartbeat 1 s
//! ```
//! Sources: 0.20's `JobInProgress` and `JobTracker`, MRv2's `RMContainerAllocator`, as far as
//! their logs show it: four failures of a task fail the job, four (three) failures on a node
//! keep the job off it, a node silent for a minute is lost with all that it holds.

use super::model::{Event, LINGER_S, Managed, Model, Phase};
use super::record::{End, Error, Job, Kind, Notice, Task};
use super::{Generation, micros, network};

/// Failures of a task that fail its job (`mapred.map.max.attempts`).
pub(super) const TASK_FAILURES: u32 = 4;
/// Share of the nodes that a job keeps off (`CLUSTER_BLACKLIST_PERCENT`).
const KEPT_OFF: f64 = 0.25;
/// A task that says nothing for so long is given up (`mapred.task.timeout`; 600 by default,
/// set so that runs take minutes).
pub(super) const TASK_TIMEOUT_S: f64 = 200.0;
/// A node is given up after so long (`mapred.tasktracker.expiry.interval`, set likewise).
pub(super) const EXPIRY_S: f64 = 60.0;
/// Replicas of a block.
pub(super) const REPLICAS: usize = 3;

impl Model {
    pub(super) fn submit(&mut self, plan: usize) {
        let Some(plan) = self.plans.get(plan).copied() else { return };
        let number = self.jobs.len() as u32 + 1;
        let job = self.jobs.push(Job { number, name: plan.name, submitted: self.now, ..Job::default() });
        let pause = self.draw.between(0.3, 0.6);
        let launched = self.now + micros(pause);
        let maps: Vec<usize> = (0..plan.maps).map(|i| self.new_task(job, Kind::Map, i, plan.map_in)).collect();
        let reduces: Vec<usize> = (0..plan.reduces).map(|i| self.new_task(job, Kind::Reduce, i, 0.0)).collect();
        let row = &mut self.jobs[job];
        row.launched = launched;
        row.maps.clone_from(&maps);
        row.reduces.clone_from(&reduces);
        // Popped from the end.
        let wanted = |tasks: &[usize]| tasks.iter().rev().copied().collect();
        self.managed.push(Managed {
            plan: Some(plan),
            maps_wanted: wanted(&maps),
            reduces_wanted: wanted(&reduces),
            containers: 1,
            ..Managed::default()
        });
        if self.spec.generation == Generation::One {
            let setup = self.new_task(job, Kind::Setup, plan.maps + 1, 0.0);
            let cleanup = self.new_task(job, Kind::Cleanup, plan.maps, 0.0);
            self.jobs[job].setup = Some(setup);
            self.jobs[job].cleanup = Some(cleanup);
        }
    }

    fn new_task(&mut self, job: usize, kind: Kind, index: usize, input: f64) -> usize {
        let at = if input > 0.0 { self.scattered(REPLICAS) } else { Vec::new() };
        let block = if input > 0.0 { self.new_block() } else { 0 };
        self.tasks.push(Task { job, kind, index: index as u32, at, block, input, ..Task::default() })
    }

    /// So many nodes, each another.
    fn scattered(&mut self, count: usize) -> Vec<usize> {
        let mut nodes = Vec::new();
        while nodes.len() < count.min(self.spec.nodes) {
            let node = self.draw.below(self.spec.nodes);
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        nodes
    }

    pub(super) fn heartbeat(&mut self, node: usize) {
        if self.nodes[node].crashed.is_some() {
            return;
        }
        let late = network::call_s(self.nodes[node].loss, &mut self.draw);
        self.after(self.beat_s() + late, Event::Heartbeat(node));
        for attempt in std::mem::take(&mut self.nodes[node].unreported) {
            self.report(attempt);
        }
        for job in 0..self.jobs.len() {
            if self.jobs[job].finished.is_none() && self.jobs[job].launched <= self.now {
                self.assign(job, node);
            }
        }
    }

    /// The master learns how an attempt ended.
    fn report(&mut self, attempt: usize) {
        let (task, job) = (self.attempts[attempt].task, self.job_of(attempt));
        self.attempts[attempt].reported = Some(self.now);
        self.managed[job].running.remove(&attempt);
        if self.jobs[job].finished.is_some() || self.tasks[task].done.is_some() {
            return;
        }
        match self.attempts[attempt].end {
            Some(End::Success) => self.succeed(attempt, task, job),
            Some(End::Failed) => self.fail_task(attempt, task, job),
            Some(End::Killed) | None => {
                if !self.is_running(task) {
                    self.want_again(task, job);
                }
            }
        }
    }

    pub(super) fn is_running(&self, task: usize) -> bool {
        self.tasks[task].attempts.iter().any(|a| self.attempts[*a].finished.is_none())
    }

    fn succeed(&mut self, attempt: usize, task: usize, job: usize) {
        self.tasks[task].done = Some(attempt);
        self.tasks[task].done_at = Some(self.now);
        let kind = self.tasks[task].kind;
        let begun = self.attempts[attempt].launched;
        let length_s = self.attempts[attempt].finished.unwrap_or(begun).saturating_sub(begun) as f64 / 1e6;
        let [maps, reduces] = &mut self.managed[job].lengths;
        match kind {
            Kind::Map => {
                (maps.0, maps.1) = (maps.0 + length_s, maps.1 + 1.0);
                self.managed[job].maps_done += 1;
                self.managed[job].outputs.push(attempt);
            }
            Kind::Reduce => {
                (reduces.0, reduces.1) = (reduces.0 + length_s, reduces.1 + 1.0);
                self.managed[job].reduces_done += 1;
            }
            Kind::Setup => {}
            Kind::Cleanup => return self.end_job(job, End::Success),
        }
        let rivals: Vec<usize> = self.tasks[task].attempts.clone();
        for rival in rivals.into_iter().filter(|rival| *rival != attempt) {
            self.end_attempt(rival, End::Killed, Error::NotNeeded);
        }
        if self.spec.generation == Generation::Three && self.all_done(job) {
            self.end_job(job, End::Success);
        }
    }

    pub(super) fn all_done(&self, job: usize) -> bool {
        let managed = &self.managed[job];
        managed.maps_done >= self.jobs[job].maps.len() && managed.reduces_done >= self.jobs[job].reduces.len()
    }

    fn fail_task(&mut self, attempt: usize, task: usize, job: usize) {
        let node = self.attempts[attempt].node;
        self.tasks[task].failures += 1;
        self.tasks[task].failed_on.push(node);
        let failures = self.managed[job].failures.entry(node).or_default();
        *failures += 1;
        let failed = *failures;
        let allowed = self.failures_allowed();
        if failed == allowed && self.keeps_off_one_more(job) {
            self.notices.push((self.now, node, Notice::Blacklisted(job)));
        }
        if self.tasks[task].failures >= TASK_FAILURES {
            self.tasks[task].failed_at = Some(self.now);
            self.end_job(job, End::Failed);
        } else if !self.is_running(task) {
            self.want_again(task, job);
        }
    }

    /// A job keeps off a quarter of the nodes at most: where more fail, it is not the nodes.
    fn keeps_off_one_more(&self, job: usize) -> bool {
        let kept_off = self.notices.iter().filter(|(_, _, n)| *n == Notice::Blacklisted(job)).count();
        (kept_off + 1) as f64 <= KEPT_OFF * self.spec.nodes as f64
    }

    /// Failures of a job's attempts that keep it off a node.
    const fn failures_allowed(&self) -> u32 {
        match self.spec.generation {
            Generation::One => 4,
            Generation::Three => 3,
        }
    }

    fn want_again(&mut self, task: usize, job: usize) {
        let managed = &mut self.managed[job];
        let wanted = match self.tasks[task].kind {
            Kind::Map => &mut managed.maps_wanted,
            Kind::Reduce => &mut managed.reduces_wanted,
            Kind::Setup | Kind::Cleanup => return,
        };
        // Failed tasks go first.
        if !wanted.contains(&task) {
            wanted.push(task);
        }
    }

    fn end_job(&mut self, job: usize, end: End) {
        if self.jobs[job].finished.is_some() {
            return;
        }
        self.jobs[job].finished = Some(self.now);
        self.jobs[job].end = Some(end);
        for attempt in self.managed[job].running.clone() {
            self.end_attempt(attempt, End::Killed, Error::JobEnded);
        }
        self.go_on(end == End::Success);
    }

    /// Nobody waits any longer: jobs are killed.
    pub(super) fn break_off(&mut self) {
        for job in 0..self.jobs.len() {
            self.end_job(job, End::Killed);
        }
        self.over = Some(self.now + micros(LINGER_S));
    }

    /// An attempt is over, for its node.
    pub(super) fn end_attempt(&mut self, attempt: usize, end: End, error: Error) {
        if self.attempts[attempt].finished.is_some() {
            return;
        }
        self.close(attempt, end, (end != End::Success).then_some(error));
        let node = self.attempts[attempt].node;
        self.nodes[node].unreported.push(attempt);
        if self.spec.generation == Generation::Three && self.nodes[node].crashed.is_none() {
            // The task itself tells the application's master.
            self.nodes[node].unreported.pop();
            self.report(attempt);
        }
    }

    fn close(&mut self, attempt: usize, end: End, error: Option<Error>) {
        self.release(attempt);
        let doing = &mut self.doing[attempt];
        doing.version += 1;
        doing.phase = Phase::Over;
        let (fetching, writing) = (std::mem::take(&mut doing.fetching), doing.writing.take());
        for fetch in fetching {
            self.drop_fetch(fetch);
        }
        if let Some(write) = writing {
            self.close_write(write, end == End::Success);
        }
        let row = &mut self.attempts[attempt];
        row.finished = Some(self.now.max(row.launched));
        row.end = Some(end);
        row.error = error;
        let node = row.node;
        match self.tasks[self.attempts[attempt].task].kind {
            Kind::Reduce => self.nodes[node].reduces = self.nodes[node].reduces.saturating_sub(1),
            _ => self.nodes[node].maps = self.nodes[node].maps.saturating_sub(1),
        }
    }

    pub(super) fn time_out(&mut self, attempt: usize) {
        self.end_attempt(attempt, End::Failed, Error::TimedOut);
    }

    /// A silent node is given up.
    pub(super) fn expire(&mut self, node: usize) {
        self.nodes[node].lost = Some(self.now);
        self.leave(node, Notice::Lost);
    }

    /// A node says that it is unwell, and is given nothing more (`RMNodeImpl`).
    pub(super) fn turn_unhealthy(&mut self, node: usize) {
        self.nodes[node].unhealthy = true;
        self.leave(node, Notice::Unhealthy);
    }

    /// What runs on a node that cannot be used is killed, what it holds is done again.
    fn leave(&mut self, node: usize, notice: Notice) {
        self.notices.push((self.now, node, notice));
        for job in 0..self.jobs.len() {
            if self.jobs[job].finished.is_some() {
                continue;
            }
            for attempt in self.managed[job].running.clone() {
                if self.attempts[attempt].node == node {
                    self.give_up(attempt);
                }
            }
            let unfinished = self.managed[job].reduces_done < self.jobs[job].reduces.len();
            for task in self.jobs[job].maps.clone() {
                let here = self.tasks[task].done.filter(|a| self.attempts[*a].node == node && unfinished);
                if let Some(attempt) = here {
                    self.withdraw(attempt, Error::LostNode);
                }
            }
        }
    }

    /// An attempt of a node that is given up: killed, as the master has it. What had ended before its node was gone,
    /// and was not told, has ended all the same.
    fn give_up(&mut self, attempt: usize) {
        if self.attempts[attempt].finished.is_none() {
            self.close(attempt, End::Killed, Some(Error::LostNode));
            return self.report(attempt);
        }
        let (task, job) = (self.attempts[attempt].task, self.job_of(attempt));
        self.managed[job].running.remove(&attempt);
        self.attempts[attempt].withdrawn = Some((self.now, Error::LostNode));
        if self.tasks[task].done.is_none() && !self.is_running(task) {
            self.want_again(task, job);
        }
    }

    /// A map's output cannot be had: it is done again.
    pub(super) fn withdraw(&mut self, attempt: usize, error: Error) {
        let (task, job) = (self.attempts[attempt].task, self.job_of(attempt));
        if self.tasks[task].done != Some(attempt) {
            return;
        }
        self.attempts[attempt].withdrawn = Some((self.now, error));
        self.tasks[task].done = None;
        self.tasks[task].done_at = None;
        self.managed[job].maps_done = self.managed[job].maps_done.saturating_sub(1);
        self.managed[job].withdrawn.insert(attempt);
        self.want_again(task, job);
    }
}
