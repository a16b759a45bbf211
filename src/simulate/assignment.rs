//! What a node that reports is given of a job: maps, those before others whose blocks lie there, reduces once enough
//! maps are done, and rivals for slow attempts where nothing waits.
//!
//! ```text
//! 0.20   2 map and 2 reduce slots a node; set-up first, clean-up last
//! 3.x    4 containers a node, at most 2 of them reduces
//! ```
//! Sources: 0.20's `JobInProgress`, MRv2's `RMContainerAllocator`, as far as their logs show it. A task goes to no node
//! on which it failed.
//!
//! Cost: O(tasks that wait + attempts that run) a report and job.

use super::model::{Doing, Model};
use super::record::{Attempt, Kind, Notice};
use super::{Generation, micros, network};

/// Map slots and reduce slots of a node.
const SLOTS: [usize; 2] = [2, 2];
/// Share of the maps done before reduces begin (`mapred.reduce.slowstart.completed.maps`).
const SLOW_START: f64 = 0.05;
/// A rival is started for an attempt this much longer than those done …
const SLOW: f64 = 1.6;
/// … and older than this.
const SLOW_S: f64 = 40.0;

impl Model {
    pub(super) fn assign(&mut self, job: usize, node: usize) {
        if self.nodes[node].unhealthy || self.is_kept_off(job, node) {
            return;
        }
        if self.spec.generation == Generation::One && !self.assign_ends(job, node) {
            return;
        }
        let [map_slots, reduce_slots] = SLOTS;
        // Containers are of one kind.
        let room = |model: &Self| match model.spec.generation {
            Generation::One => model.nodes[node].maps < map_slots,
            Generation::Three => model.nodes[node].maps + model.nodes[node].reduces < map_slots + reduce_slots,
        };
        while room(self) {
            let Some(task) = self.choose_map(job, node) else { break };
            self.launch(task, node);
        }
        let managed = &self.managed[job];
        let started = managed.maps_done as f64 >= SLOW_START * self.jobs[job].maps.len() as f64;
        let total = self.nodes[node].maps + self.nodes[node].reduces < map_slots + reduce_slots;
        if started && total && self.nodes[node].reduces < reduce_slots {
            if let Some(at) = self.position(&managed.reduces_wanted, node) {
                let task = self.managed[job].reduces_wanted.remove(at);
                self.launch(task, node);
            } else if self.spec.speculation {
                self.rival(job, node, Kind::Reduce);
            }
        }
        if self.spec.speculation && room(self) && self.managed[job].maps_wanted.is_empty() {
            self.rival(job, node, Kind::Map);
        }
    }

    fn is_kept_off(&self, job: usize, node: usize) -> bool {
        self.notices.iter().any(|(_, of, notice)| *of == node && *notice == Notice::Blacklisted(job))
    }

    /// Set-up first, clean-up last; whether the work itself may be given out.
    fn assign_ends(&mut self, job: usize, node: usize) -> bool {
        let (setup, cleanup) = (self.jobs[job].setup, self.jobs[job].cleanup);
        for (task, ready) in [(setup, true), (cleanup, self.all_done(job))] {
            let Some(task) = task.filter(|t| ready && self.tasks[*t].done.is_none()) else { continue };
            if !self.is_running(task) && self.nodes[node].maps < SLOTS[0] && !self.tasks[task].failed_on.contains(&node)
            {
                self.launch(task, node);
            }
            return false;
        }
        true
    }

    /// The last task of a list that did not fail on the node.
    fn position(&self, wanted: &[usize], node: usize) -> Option<usize> {
        wanted.iter().rposition(|task| !self.tasks[*task].failed_on.contains(&node))
    }

    fn choose_map(&mut self, job: usize, node: usize) -> Option<usize> {
        let wanted = &self.managed[job].maps_wanted;
        let fits = |task: &usize| !self.tasks[*task].failed_on.contains(&node);
        let local = wanted.iter().rposition(|task| fits(task) && self.tasks[*task].at.contains(&node));
        let at = local.or_else(|| self.position(wanted, node))?;
        Some(self.managed[job].maps_wanted.remove(at))
    }

    /// A second attempt for the slowest task of a kind, on another node.
    fn rival(&mut self, job: usize, node: usize, kind: Kind) {
        let [maps, reduces] = self.managed[job].lengths;
        let (sum, count) = if kind == Kind::Map { maps } else { reduces };
        if count < 1.0 {
            return;
        }
        let limit_s = (sum / count * SLOW).max(SLOW_S);
        let age_s = |attempt: usize| self.now.saturating_sub(self.attempts[attempt].launched) as f64 / 1e6;
        let alone = |attempt: &usize| {
            let task = &self.tasks[self.attempts[*attempt].task];
            task.kind == kind && task.attempts.len() == 1 && self.attempts[*attempt].node != node
        };
        let slow = self.managed[job].running.iter().copied().filter(alone).find(|a| age_s(*a) > limit_s);
        if let Some(attempt) = slow {
            self.launch(self.attempts[attempt].task, node);
        }
    }

    fn launch(&mut self, task: usize, node: usize) {
        let job = self.tasks[task].job;
        let number = self.tasks[task].attempts.len() as u32;
        self.managed[job].containers += 1;
        // The answer to the heartbeat; in 3.x the application's master calls the node itself.
        let way_s = match self.spec.generation {
            Generation::One => self.draw.between(0.02, 0.12),
            Generation::Three => self.draw.between(0.1, 0.6),
        };
        let late = network::call_s(self.nodes[node].loss, &mut self.draw);
        let attempt = self.attempts.push(Attempt {
            task,
            number,
            node,
            container: self.managed[job].containers,
            local: self.tasks[task].at.contains(&node),
            assigned: self.now,
            launched: self.now + micros(way_s + late),
            ..Attempt::default()
        });
        let spread = self.managed[job].plan.map_or(0.0, |plan| plan.map_spread);
        let cost = self.draw.factor(spread);
        self.doing.push(Doing { cost, ..Doing::default() });
        self.managed[job].running.insert(attempt);
        self.tasks[task].attempts.push(attempt);
        self.tasks[task].started.get_or_insert(self.now);
        match self.tasks[task].kind {
            Kind::Reduce => self.nodes[node].reduces += 1,
            _ => self.nodes[node].maps += 1,
        }
        self.wait(attempt, micros(way_s + late));
    }
}
