//! Faults as mechanisms (Kahuna Table III).
//!
//! ```text
//! CPUHog        70 % of the cores are taken
//! DiskHog       a writer of 20 GB keeps the disk's queue full: 12 rivals for every stream
//! DiskFull      files cannot be laid out nor spilled, blocks go elsewhere
//! PacketLossN   each packet in or out is lost with that probability
//! HANG-1036     maps that begin on the node do nothing until they are given up
//! HANG-1152     reduces there stop copying half-way, likewise
//! HANG-2080     reduces there stop before they merge, likewise
//! Crash         no daemon of the node lives; its tasks die with it
//! ```

use super::Fault;
use super::machine::{CORES, DISK_RATE};
use super::master::{EXPIRY_S, TASK_TIMEOUT_S};
use super::model::{Event, Model, Phase};

/// Share of the processor that a hog takes.
pub(super) const HOG_SHARE: f64 = 0.7;
/// Requests that a sequential writer keeps queued, against one of a reader that waits.
pub(super) const HOG_STREAMS: f64 = 12.0;
/// Bytes that it writes.
const HOG_BYTES: f64 = 20e9;
/// Seconds until a NodeManager's check finds its disk full.
const HEALTH_CHECK_S: f64 = 60.0;

/// Seconds that a disk hog writes; the others slow it down by a tenth or so.
pub(super) fn disk_hog_s() -> f64 {
    HOG_BYTES / DISK_RATE * 1.1
}

impl Model {
    pub(super) fn begin_fault(&mut self) {
        self.faulty = true;
        let node = self.culprit;
        match self.spec.fault {
            Fault::CpuHog => self.nodes[node].cores_taken = CORES * HOG_SHARE,
            Fault::DiskHog => {
                self.nodes[node].disk_rivals = HOG_STREAMS;
                self.after(disk_hog_s(), Event::FaultEnds);
            }
            Fault::DiskFull => {
                self.nodes[node].full = true;
                let found_s = self.draw.between(1.0, HEALTH_CHECK_S);
                if !self.is_old() {
                    self.after(found_s, Event::Unhealthy(node));
                }
            }
            Fault::PacketLoss1 => self.nodes[node].loss = 0.01,
            Fault::PacketLoss5 => self.nodes[node].loss = 0.05,
            Fault::PacketLoss50 => self.nodes[node].loss = 0.5,
            Fault::Crash => self.crash(node),
            Fault::Hang1036 | Fault::Hang1152 | Fault::Hang2080 | Fault::None | Fault::AppBug | Fault::Skew => {}
        }
    }

    pub(super) fn end_fault(&mut self) {
        self.nodes[self.culprit].disk_rivals = 0.0;
    }

    fn crash(&mut self, node: usize) {
        self.nodes[node].crashed = Some(self.now);
        for attempt in 0..self.attempts.len() {
            if self.attempts[attempt].node == node && self.attempts[attempt].finished.is_none() {
                self.release(attempt);
                self.doing[attempt].version += 1;
                self.doing[attempt].phase = Phase::Over;
                for fetch in std::mem::take(&mut self.doing[attempt].fetching) {
                    self.drop_fetch(fetch);
                }
            }
        }
        // Since its last heartbeat, plus the interval of the check.
        let expiry = EXPIRY_S + self.draw.between(-3.0, 15.0);
        self.after(expiry, Event::Expire(node));
    }

    /// An attempt does nothing until it is given up.
    pub(super) fn hang(&mut self, attempt: usize) {
        self.release(attempt);
        let doing = &mut self.doing[attempt];
        doing.version += 1;
        doing.phase = Phase::Hang;
        for fetch in std::mem::take(&mut doing.fetching) {
            self.drop_fetch(fetch);
        }
        self.after(TASK_TIMEOUT_S, Event::TimeOut(attempt));
    }
}
