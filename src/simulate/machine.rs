//! A node: what it can do, who shares it now, and what it did in each second.
//!
//! ```text
//! work of a task = chunks; a chunk holds processor, disks and links for a while
//! share of a chunk = capacity / number of chunks that hold the resource when it begins
//! length of a chunk = its slowest part (read-ahead and buffers overlap the others)
//! ```
//! A chunk lasts about a second, so that shares follow what goes on. Faults change
//! capacities here and nothing else: a hog takes cores or adds rivals at the disk.

use super::Micros;

/// What a chunk can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// A core for one thread.
    Cpu,
    /// The disk.
    Disk,
    /// The link's sending half.
    Up,
    /// Its receiving half.
    Down,
}

/// Capacities of a node: the machines of the papers' time, four cores and one disk.
pub const CORES: f64 = 4.0;
/// Bytes a second of a disk, sequential.
pub const DISK_RATE: f64 = 70e6;
/// Bytes a second of a link, each way: gigabit Ethernet.
pub const LINK_RATE: f64 = 110e6;
/// What each further stream costs the disk in seeks.
const SEEK_COST: f64 = 0.04;

/// What happened on a node within one second.
#[derive(Clone, Copy, Debug, Default)]
pub struct Second {
    /// Core seconds of tasks.
    pub cpu_s: f64,
    /// Seconds that threads waited for the disk.
    pub waited_s: f64,
    /// Bytes read from the disk.
    pub read: f64,
    /// Bytes written to it.
    pub written: f64,
    /// Bytes received.
    pub received: f64,
    /// Bytes sent.
    pub sent: f64,
    /// Thread seconds that wanted a core.
    pub wanted_s: f64,
    /// Processes started.
    pub forks: f64,
}

/// A node.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Last two parts of its address.
    pub address: [u8; 2],
    /// How fast its cores are; machines of one order differ by a few percent.
    pub speed: f64,
    /// Cores that a hog takes.
    pub cores_taken: f64,
    /// Streams that a hog keeps at the disk.
    pub disk_rivals: f64,
    /// Share of packets lost, each way.
    pub loss: f64,
    /// Its disk takes nothing more.
    pub full: bool,
    /// It has said that it is unwell (2 and 3).
    pub unhealthy: bool,
    /// Its daemons are gone.
    pub crashed: Option<Micros>,
    /// The master has given it up.
    pub lost: Option<Micros>,
    /// Map slots in use.
    pub maps: usize,
    /// Reduce slots in use.
    pub reduces: usize,
    /// Attempts whose end the master does not know of yet.
    pub unreported: Vec<usize>,
    /// Blocks being written to it.
    pub receiving: u32,
    /// Chunks that hold each resource now.
    pub holding: [u32; 4],
    /// What it did, second by second.
    pub seconds: Vec<Second>,
}

impl Machine {
    fn slot(&mut self, resource: Resource) -> &mut u32 {
        let [cpu, disk, up, down] = &mut self.holding;
        match resource {
            Resource::Cpu => cpu,
            Resource::Disk => disk,
            Resource::Up => up,
            Resource::Down => down,
        }
    }

    /// A chunk begins to hold the resource.
    pub fn hold(&mut self, resource: Resource) {
        *self.slot(resource) += 1;
    }

    /// It ends.
    pub fn release(&mut self, resource: Resource) {
        let slot = self.slot(resource);
        *slot = slot.saturating_sub(1);
    }

    /// What one holder gets of a resource now: cores, or bytes a second.
    #[must_use]
    pub fn share(&self, resource: Resource) -> f64 {
        let [cpu, disk, up, down] = self.holding.map(|n| f64::from(n.max(1)));
        match resource {
            Resource::Cpu => self.speed * ((CORES - self.cores_taken) / cpu).min(1.0),
            Resource::Disk => DISK_RATE / (1.0 + SEEK_COST * (disk - 1.0)) / (disk + self.disk_rivals),
            Resource::Up => LINK_RATE / up,
            Resource::Down => LINK_RATE / down,
        }
    }

    /// Spreads what a chunk does evenly over its time.
    pub fn account(&mut self, from: Micros, to: Micros, total: Second) {
        const SECOND: Micros = 1_000_000;
        let length = (to.saturating_sub(from)).max(1) as f64;
        let mut at = from;
        while at < to.max(from + 1) {
            let second = at / SECOND;
            let until = ((second + 1) * SECOND).min(to.max(from + 1));
            let part = (until - at) as f64 / length;
            let index = second as usize;
            if self.seconds.len() <= index {
                self.seconds.resize(index + 1, Second::default());
            }
            if let Some(s) = self.seconds.get_mut(index) {
                s.cpu_s += total.cpu_s * part;
                s.waited_s += total.waited_s * part;
                s.read += total.read * part;
                s.written += total.written * part;
                s.received += total.received * part;
                s.sent += total.sent * part;
                s.wanted_s += total.wanted_s * part;
                s.forks += total.forks * part;
            }
            at = until;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> Machine {
        Machine { speed: 1.0, ..Machine::default() }
    }

    #[test]
    fn holders_share() {
        let mut m = machine();
        (0..8).for_each(|_| m.hold(Resource::Cpu));
        assert_eq!(m.share(Resource::Cpu), 0.5);
        (0..5).for_each(|_| m.release(Resource::Cpu));
        assert_eq!(m.share(Resource::Cpu), 1.0, "a thread has no use for a second core");
        m.cores_taken = 2.8;
        assert!((m.share(Resource::Cpu) - 0.4).abs() < 1e-12);
        m.hold(Resource::Disk);
        m.disk_rivals = 9.0;
        assert_eq!(m.share(Resource::Disk), 7e6);
    }

    #[test]
    fn work_is_spread_over_its_seconds() {
        let mut m = machine();
        m.account(500_000, 2_500_000, Second { read: 8.0, ..Second::default() });
        let read: Vec<f64> = m.seconds.iter().map(|s| s.read).collect();
        assert_eq!(read, [2.0, 4.0, 2.0]);
    }
}
