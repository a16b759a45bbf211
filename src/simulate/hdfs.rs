//! The file system: which replica is read, and pipelines of blocks being written.
//!
//! ```text
//! client ─> first node (its own, if that takes blocks) ─> second ─> third
//! ```
//! Each connects to the next when it has its request, so that the last may have to wait for several SYNs that are lost.
//! A chunk goes through all of them at the rate of the slowest. A node that is gone or full
//! drops out at the next chunk, and the others go on. A node that has far more transfers than the
//! others is not chosen (`dfs.namenode.replication.considerLoad`, on by default): without it,
//! blocks pile up on whichever node fell behind by chance.

use super::chunk::Demand;
use super::machine::Machine;
use super::master::REPLICAS;
use super::model::Model;
use super::record::{Leg, Read, Write};
use super::work::BLOCK_BYTES;
use super::{micros, network};

/// A node is not chosen if it has so many times the mean number of transfers
/// (`BlockPlacementPolicyDefault`, Hadoop 0.20 to 3.x).
const BUSY: f64 = 2.0;

impl Model {
    pub(super) fn new_block(&mut self) -> i64 {
        match self.spec.generation {
            super::Generation::One => {
                let id = self.draw.id();
                if self.draw.happens(0.5) { -id } else { id }
            }
            super::Generation::Three => 1_073_741_825 + self.draw.id() % 1_000_000_000,
        }
    }

    /// A client's port.
    pub(super) fn port(&mut self) -> u32 {
        32_768 + self.draw.below(28_000) as u32
    }

    /// The replica that an attempt reads: its own node's, or any that is alive.
    pub(super) fn source(&mut self, attempt: usize) -> Option<usize> {
        let task = self.attempts[attempt].task;
        let node = self.attempts[attempt].node;
        let alive: Vec<usize> =
            self.tasks[task].at.iter().copied().filter(|n| self.nodes[*n].crashed.is_none()).collect();
        if alive.contains(&node) {
            return Some(node);
        }
        let at = self.draw.below(alive.len());
        alive.get(at).copied()
    }

    /// Where it reads from now: another replica if that node is gone.
    pub(super) fn reading_from(&mut self, attempt: usize) -> Option<usize> {
        let (node, _) = self.doing[attempt].reading?;
        if self.nodes[node].crashed.is_none() {
            return Some(node);
        }
        let source = self.source(attempt);
        self.doing[attempt].reading = source.map(|node| (node, self.now));
        source
    }

    pub(super) fn end_read(&mut self, attempt: usize) {
        let Some((from, begun)) = self.doing[attempt].reading.take() else { return };
        let port = self.port();
        let (block, bytes) = {
            let task = &self.tasks[self.attempts[attempt].task];
            (task.block, task.input)
        };
        self.reads.push(Read { block, attempt, from, port, begun, ended: self.now, bytes });
    }

    /// Adds `bytes` written by an attempt to a chunk.
    pub(super) fn write_chunk(&mut self, attempt: usize, bytes: f64, demand: &mut Demand) {
        if self.doing[attempt].in_block + bytes > BLOCK_BYTES * 1.01 {
            self.end_writing(attempt);
        }
        let write = match self.doing[attempt].writing {
            Some(write) => write,
            None => {
                let write = self.open_write(attempt);
                let last = self.writes[write].legs.last().map_or(self.now, |leg| leg.begun);
                demand.floor_s = ((last - self.now) as f64 / 1e6).max(demand.floor_s);
                write
            }
        };
        self.doing[attempt].in_block += bytes;
        self.attempts[attempt].hdfs_written += bytes;
        self.drop_out(write);
        let client = self.attempts[attempt].node;
        let mut from = client;
        for leg in &mut self.writes[write].legs {
            if leg.ended.is_none() {
                leg.bytes += bytes;
                demand.disks.push((leg.node, bytes, true));
                demand.links.push((from, leg.node, bytes));
                from = leg.node;
            }
        }
    }

    fn open_write(&mut self, attempt: usize) -> usize {
        let client = self.attempts[attempt].node;
        // A DataNode counts the thread that listens, too.
        let load = |n: &Machine| 1.0 + f64::from(n.receiving);
        let busy = BUSY * self.nodes.iter().map(load).sum::<f64>() / self.spec.nodes as f64;
        let takes = |model: &Self, node: usize| {
            let n = &model.nodes[node];
            !n.full && n.lost.is_none() && n.crashed.is_none() && load(n) <= busy
        };
        let mut pipeline: Vec<usize> = Vec::new();
        if takes(self, client) {
            pipeline.push(client);
        }
        let able = (0..self.spec.nodes).filter(|n| takes(self, *n)).count();
        while pipeline.len() < REPLICAS.min(able) {
            let node = self.draw.below(self.spec.nodes);
            if !pipeline.contains(&node) && takes(self, node) {
                pipeline.push(node);
            }
        }
        let mut legs = Vec::new();
        let (mut from, mut begun) = (client, self.now);
        for (i, node) in pipeline.iter().enumerate() {
            let port = self.port();
            let loss = if *node == from { 0.0 } else { self.loss_between(from, *node) };
            begun += 1000 + micros(network::connect_s(loss, &mut self.draw));
            let behind = pipeline.len() - 1 - i;
            legs.push(Leg { node: *node, from, port, begun, ended: None, bytes: 0.0, good: false, behind });
            from = *node;
            self.nodes[*node].receiving += 1;
        }
        let block = self.new_block();
        let stamp = 1000 + self.writes.len() as u64;
        let write = self.writes.push(Write { block, stamp, attempt, legs });
        self.doing[attempt].writing = Some(write);
        self.doing[attempt].in_block = 0.0;
        write
    }

    /// Nodes that take nothing more leave the pipeline.
    fn drop_out(&mut self, write: usize) {
        let now = self.now;
        let gone = |node: usize| self.nodes[node].full || self.nodes[node].crashed.is_some();
        let out: Vec<bool> = self.writes[write].legs.iter().map(|leg| gone(leg.node)).collect();
        for (leg, out) in self.writes[write].legs.iter_mut().zip(out) {
            if out && leg.ended.is_none() {
                leg.ended = Some(now.max(leg.begun));
                self.nodes[leg.node].receiving -= 1;
            }
        }
    }

    /// The block is complete, or its writer is no more.
    pub(super) fn close_write(&mut self, write: usize, good: bool) {
        let now = self.now;
        let mut lag = 0;
        // Acknowledgements come from the end of the pipeline.
        for leg in self.writes[write].legs.iter_mut().rev().filter(|leg| leg.ended.is_none()) {
            leg.ended = Some((now + lag).max(leg.begun));
            leg.good = good;
            self.nodes[leg.node].receiving -= 1;
            lag += 700;
        }
    }

    pub(super) fn end_writing(&mut self, attempt: usize) {
        if let Some(write) = self.doing[attempt].writing.take() {
            self.close_write(write, true);
            self.doing[attempt].in_block = 0.0;
        }
    }
}
