//! What an attempt does, step by step; the maps' part.
//!
//! ```text
//! launched ─ files laid out ─ JVM starts ─ up ─ [read + compute + spill] × chunks ─ done
//! ```
//! Costs of a start are those of the JVMs of the time: about a core second and a half.

use super::chunk::Demand;
use super::machine::Second;
use super::model::{Model, Phase};
use super::record::{End, Error, Kind};
use super::{Fault, Generation, micros};

/// Core seconds until a JVM speaks.
const JVM_CPU_S: f64 = 1.5;
/// Bytes read by it: most classes are in memory.
const JVM_BYTES: f64 = 2e6;
/// Bytes of a job's files that are laid out for an attempt.
const LAID_OUT_BYTES: f64 = 1e6;
/// Core seconds for that.
const LAY_OUT_CPU_S: f64 = 0.15;
/// Bytes that a chunk of a map works through.
const CHUNK_BYTES: f64 = 8e6;
/// Chunks of a map that reads nothing, or waits.
const CHUNKS: f64 = 8.0;
/// A failing map of the application fails at its first records; some have none such.
const BAD_INPUT: f64 = 0.85;

impl Model {
    pub(super) fn step(&mut self, attempt: usize) {
        let kind = self.tasks[self.attempts[attempt].task].kind;
        match self.doing[attempt].phase {
            Phase::LayOut => self.lay_out(attempt),
            Phase::Start if self.attempts[attempt].spawned.is_none() => self.start(attempt),
            Phase::Start => {
                self.attempts[attempt].up = Some(self.now);
                match kind {
                    Kind::Setup | Kind::Cleanup => self.commit(attempt, 0.2),
                    Kind::Map => self.begin_map(attempt),
                    Kind::Reduce => self.begin_copy(attempt),
                }
            }
            Phase::Map(left) => self.work_map(attempt, left),
            Phase::Merge => self.end_merge(attempt),
            Phase::Reduce(left) => self.work_reduce(attempt, left),
            Phase::Commit => self.end_attempt(attempt, End::Success, Error::NotNeeded),
            Phase::Copy | Phase::Hang | Phase::Over => {}
        }
    }

    /// Whether an attempt that begins something now is on the node whose fault it is.
    pub(super) fn suffers(&self, attempt: usize, fault: Fault) -> bool {
        self.faulty && self.spec.fault == fault && self.attempts[attempt].node == self.culprit
    }

    fn lay_out(&mut self, attempt: usize) {
        let node = self.attempts[attempt].node;
        if self.nodes[node].full {
            return self.end_attempt(attempt, End::Failed, Error::NoSpaceAtStart);
        }
        self.doing[attempt].phase = Phase::Start;
        let noise = self.draw.factor(0.15);
        let floor_s = self.draw.between(0.05, 0.4);
        let demand = Demand {
            cpu: Some((node, LAY_OUT_CPU_S * noise)),
            disks: vec![(node, LAID_OUT_BYTES, true)],
            floor_s,
            ..Demand::default()
        };
        self.chunk(attempt, &demand);
    }

    fn start(&mut self, attempt: usize) {
        self.attempts[attempt].spawned = Some(self.now);
        let node = self.attempts[attempt].node;
        let now = self.now;
        self.nodes[node].account(now, now + 1, Second { forks: 4.0, ..Second::default() });
        let noise = self.draw.factor(0.12);
        let demand =
            Demand { cpu: Some((node, JVM_CPU_S * noise)), disks: vec![(node, JVM_BYTES, false)], ..Demand::default() };
        self.chunk(attempt, &demand);
    }

    fn begin_map(&mut self, attempt: usize) {
        if self.suffers(attempt, Fault::Hang1036) {
            return self.hang(attempt);
        }
        let plan = self.plan_of(attempt);
        let chunks =
            (plan.map_in.max(plan.map_writes) / CHUNK_BYTES).max(if plan.map_wait_s > 0.0 { CHUNKS } else { 1.0 });
        let chunks = chunks.round() as u32;
        let source = self.source(attempt);
        let doing = &mut self.doing[attempt];
        doing.chunks = chunks;
        doing.phase = Phase::Map(chunks);
        doing.reading = source.map(|node| (node, self.now));
        self.work_map(attempt, chunks);
    }

    fn work_map(&mut self, attempt: usize, left: u32) {
        let plan = self.plan_of(attempt);
        let node = self.attempts[attempt].node;
        if self.nodes[node].full && plan.map_out > 0.0 {
            return self.end_attempt(attempt, End::Failed, Error::NoSpace);
        }
        let chunks = self.doing[attempt].chunks.max(1);
        if self.spec.fault == Fault::AppBug && left < chunks && self.has_bad_input(attempt) {
            return self.end_attempt(attempt, End::Failed, Error::Application);
        }
        if left == 0 {
            return self.end_map(attempt);
        }
        self.doing[attempt].phase = Phase::Map(left - 1);
        let part = 1.0 / f64::from(chunks);
        let noise = self.draw.factor(0.1) * self.doing[attempt].cost;
        let mut demand = Demand {
            cpu: Some((node, plan.map_cpu_s * part * noise)),
            floor_s: plan.map_wait_s * part * noise,
            ..Demand::default()
        };
        let source = self.reading_from(attempt);
        let row = &mut self.attempts[attempt];
        if let Some(source) = source {
            row.hdfs_read += plan.map_in * part;
            demand.disks.push((source, plan.map_in * part, false));
            demand.links.push((source, node, plan.map_in * part));
        }
        if plan.map_out > 0.0 {
            row.file_written += plan.map_out * part;
            demand.disks.push((node, plan.map_out * part, true));
        }
        if plan.map_writes > 0.0 {
            self.write_chunk(attempt, plan.map_writes * part, &mut demand);
        }
        self.chunk(attempt, &demand);
    }

    /// Which maps the application cannot digest: the same ones on every node.
    fn has_bad_input(&self, attempt: usize) -> bool {
        let index = self.tasks[self.attempts[attempt].task].index;
        f64::from(index.wrapping_mul(2_654_435_761) >> 16) / 65_536.0 < BAD_INPUT
    }

    fn end_map(&mut self, attempt: usize) {
        self.end_read(attempt);
        self.end_writing(attempt);
        let pause = self.draw.between(0.05, 0.25);
        self.commit(attempt, pause);
    }

    /// Waits for permission to be done: with the next heartbeat in 0.20 where there is
    /// output to move, at once in 3.x.
    pub(super) fn commit(&mut self, attempt: usize, least_s: f64) {
        self.attempts[attempt].worked = Some(self.now);
        self.doing[attempt].phase = Phase::Commit;
        let writes = self.attempts[attempt].hdfs_written > 0.0;
        let asks = writes && self.spec.generation == Generation::One;
        let wait_s = if asks { least_s + self.draw.between(0.2, 3.0) } else { least_s };
        self.wait(attempt, micros(wait_s));
    }
}
