//! Chunks of work: what each takes hold of, how long it lasts, and what nodes have done by it.
//!
//! ```text
//! demand   1 core second on a node · 64 MB of its disk · 64 MB from there to another node
//! lasts    as long as the slowest of them, each at the share of the resource that is there when it begins
//! ```
//! Why shares are those of the begin: [`super::machine`]. Packets that are lost make connections slower and stall them
//! ([`super::network`]).
//!
//! Cost: O(nodes that it needs) to begin a chunk and to end it.

use super::machine::{Resource, Second};
use super::model::Model;
use super::{Micros, micros, network};

/// A chunk's wishes.
#[derive(Clone, Debug, Default)]
pub(super) struct Demand {
    /// Core seconds on a node.
    pub(super) cpu: Option<(usize, f64)>,
    /// Bytes at disks; true: written.
    pub(super) disks: Vec<(usize, f64, bool)>,
    /// Bytes between nodes.
    pub(super) links: Vec<(usize, usize, f64)>,
    /// It takes no less than this.
    pub(super) floor_s: f64,
}

/// What a chunk holds, to be given back.
pub(super) type Held = Vec<(usize, Resource)>;

impl Model {
    /// Begins a chunk: takes hold of what it needs and says how long it lasts.
    pub(super) fn begin(&mut self, demand: &Demand) -> (Micros, Held) {
        let mut held: Held = Vec::new();
        held.extend(demand.cpu.map(|(node, _)| (node, Resource::Cpu)));
        held.extend(demand.disks.iter().map(|(node, ..)| (*node, Resource::Disk)));
        for (from, to, _) in demand.links.iter().filter(|(from, to, _)| from != to) {
            held.extend([(*from, Resource::Up), (*to, Resource::Down)]);
        }
        for (node, resource) in &held {
            self.nodes[*node].hold(*resource);
        }
        let cpu_s = demand.cpu.map_or(0.0, |(node, s)| s / self.nodes[node].share(Resource::Cpu).max(1e-3));
        let disk_s = |(node, bytes, _): &(usize, f64, bool)| bytes / self.nodes[*node].share(Resource::Disk);
        let disks_s: Vec<f64> = demand.disks.iter().map(disk_s).collect();
        let mut links_s: f64 = 0.0;
        for (from, to, bytes) in demand.links.iter().filter(|(from, to, _)| from != to) {
            let loss = self.loss_between(*from, *to);
            let rate = self.nodes[*from].share(Resource::Up).min(self.nodes[*to].share(Resource::Down));
            let stalls = network::stalls_s(loss, *bytes, &mut self.draw);
            links_s = links_s.max(bytes / rate.min(network::steady_rate(loss)) + stalls);
        }
        let slowest_disk = disks_s.iter().copied().fold(0.0, f64::max);
        let length_s = demand.floor_s.max(cpu_s).max(slowest_disk).max(links_s);
        let length = micros(length_s).max(1);
        self.account(demand, length, &disks_s, (cpu_s, links_s));
        (length, held)
    }

    /// Chance that a packet from the one to the other, or its answer, is lost.
    pub(super) fn loss_between(&self, from: usize, to: usize) -> f64 {
        network::round_loss(self.nodes[from].loss, self.nodes[to].loss)
    }

    fn account(&mut self, demand: &Demand, length: Micros, disks_s: &[f64], (cpu_s, links_s): (f64, f64)) {
        let (from, to) = (self.now, self.now + length);
        if let Some((node, seconds)) = demand.cpu {
            let done = Second { cpu_s: seconds, wanted_s: cpu_s, ..Second::default() };
            self.nodes[node].account(from, to, done);
        }
        for ((node, bytes, written), seconds) in demand.disks.iter().zip(disks_s) {
            // Who waits for a connection does not wait for the disk behind it.
            let waited_s = (seconds - cpu_s.max(links_s)).max(0.0);
            let (read, written) = if *written { (0.0, *bytes) } else { (*bytes, 0.0) };
            self.nodes[*node].account(from, to, Second { read, written, waited_s, ..Second::default() });
        }
        for (a, b, bytes) in demand.links.iter().filter(|(a, b, _)| a != b) {
            self.nodes[*a].account(from, to, Second { sent: *bytes, ..Second::default() });
            self.nodes[*b].account(from, to, Second { received: *bytes, ..Second::default() });
        }
    }

    pub(super) fn give_back(&mut self, held: Held) {
        for (node, resource) in held {
            self.nodes[node].release(resource);
        }
    }

    /// An attempt lets go of what its chunk held.
    pub(super) fn release(&mut self, attempt: usize) {
        let held = std::mem::take(&mut self.doing[attempt].held);
        self.give_back(held);
    }

    /// An attempt begins a chunk.
    pub(super) fn chunk(&mut self, attempt: usize, demand: &Demand) {
        let (length, held) = self.begin(demand);
        self.doing[attempt].held = held;
        self.wait(attempt, length);
    }
}
