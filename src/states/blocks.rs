//! Blocks received and sent by the DataNodes.
//!
//! ```text
//! 21:24:28,660 … Receiving block blk_-872…_1068 src: /10.77.1.12:60884 dest: /10.77.1.13:50010   begin
//! 21:24:28,682 … clienttrace: src: …:60884, …, bytes: 4, op: HDFS_WRITE, …, blockid: blk_-872…    end
//! ```
//! A write is known by its daemon, its block without generation stamp, and its source
//! address with port. A read is one line at its end; its begin is its duration earlier.

use super::hosts::own_address;
use super::{End, FileView, Found, Input};
use crate::base::{AttemptId, BlockId, NodeId, Place, Timestamp};
use crate::model::{
    Event, Flow, FlowKind, HostSource, Outcome, PORT_NOT_PRINTED, State, StateKind, Topic, WriteOrigin, formats,
};
use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, SocketAddr};

/// Nanoseconds in a millisecond, the unit of `duration:` in clienttrace.
const NANOS_PER_MS: u64 = 1_000_000;

/// Who logs transfers: a file that several daemons write to is read as one of them.
const DAEMONS: [&str; 2] = [formats::DATANODE, formats::TASKTRACKER];

/// Writes of one block that one daemon may have open: a client that tries again has two.
const OPEN_WRITES_MAX: usize = 64;

/// A write that has begun.
struct OpenWrite {
    src: SocketAddr,
    start: Timestamp,
    place: Place,
    /// Its PacketResponder ended; a failure unless a proper end follows.
    terminated: Option<Timestamp>,
}

/// Pairs the reads and writes of all DataNodes.
#[inline(never)]
pub fn pair(input: &Input<'_>, found: &mut Found) {
    for format in DAEMONS {
        for daemon in input.daemons(format) {
            let node = daemon.first().and_then(|f| f.node);
            let own = node.map(End::Node).or_else(|| own_of_nobody(input, &daemon));
            Daemon { input, node, own, open: BTreeMap::new(), clients_untold: false }.read(&daemon, found);
        }
    }
}

/// What a log of a host that nothing names calls its own end: an address. One that several hosts start in has several.
fn own_of_nobody(input: &Input<'_>, daemon: &[&FileView<'_>]) -> Option<End> {
    let [file] = daemon else { return None };
    let is_started = file.digest.hosts.iter().any(|claim| claim.source == HostSource::Startup);
    own_address(file.digest).filter(|_| !is_started).map(|ip| input.end_of(ip))
}

/// The length of a transfer in milliseconds, rounded.
pub fn millis_of(duration_ns: u64) -> i64 {
    i64::try_from(duration_ns.saturating_add(NANOS_PER_MS / 2) / NANOS_PER_MS).unwrap_or(i64::MAX)
}

impl Input<'_> {
    /// The node that claims an address, else the address itself.
    pub(super) fn end_of(&self, ip: IpAddr) -> End {
        self.by_ip.get(&ip).map_or(End::Address(ip), |node| End::Node(*node))
    }
}

struct Daemon<'a> {
    input: &'a Input<'a>,
    node: Option<NodeId>,
    /// Its end of all transfers.
    own: Option<End>,
    open: BTreeMap<BlockId, VecDeque<OpenWrite>>,
    /// See [`Trace::clients_untold`](crate::model::Trace::clients_untold).
    clients_untold: bool,
}

/// How a write ended.
struct Written {
    block: BlockId,
    end: Timestamp,
    outcome: Outcome,
    bytes: Option<u64>,
    attempt: Option<AttemptId>,
    replicated: bool,
}

impl Daemon<'_> {
    #[inline(never)]
    fn read(mut self, files: &[&FileView<'_>], found: &mut Found) {
        for file in files {
            for row in self.input.about(file, Topic::Blocks) {
                self.event(row.event, row.at, file.place(row.line), found);
            }
        }
        for (block, queue) in std::mem::take(&mut self.open) {
            for begun in queue {
                self.leave(begun, block, found);
            }
        }
        if self.clients_untold {
            found.clients_untold.extend(files.iter().map(|file| file.id));
        }
    }

    #[inline(never)]
    fn event(&mut self, event: Event, at: Timestamp, place: Place, found: &mut Found) {
        match event {
            Event::Receiving { block, src, .. } => {
                self.begin(block, OpenWrite { src, start: at, place, terminated: None }, found);
            }
            Event::Wrote { block, src, bytes, duration_ns, attempt, .. } => {
                let written = Written { attempt, replicated: false, ..received(block, at, bytes) };
                let begin = self.take(block, Some(src)).map(Begin::from).unwrap_or(Begin {
                    src: Some(src.ip()),
                    start: begin_of(at, duration_ns),
                    place,
                });
                self.push_write(begin, written, found);
            }
            Event::Received { block, src, bytes } => {
                let begin = self.take(block, src).map(Begin::from).unwrap_or(Begin {
                    src: src.map(|src| src.ip()),
                    start: None,
                    place,
                });
                self.push_write(begin, received(block, at, bytes), found);
            }
            Event::Terminating { block } => {
                let queue = self.open.get_mut(&block);
                if let Some(begun) = queue.and_then(|q| q.iter_mut().find(|b| b.terminated.is_none())) {
                    begun.terminated = Some(at);
                }
            }
            Event::WriteFailed { block } => {
                if let Some(begun) = self.take_failed(block) {
                    let end = begun.terminated.unwrap_or(at);
                    self.push_write(begun.into(), failed(block, end), found);
                }
            }
            Event::Read { block, dest, bytes, duration_ns, attempt, .. } => {
                let start = begin_of(at, duration_ns);
                let read = Read { start, bytes: Some(bytes), attempt, ..Read::of(block, Some(dest.ip()), at, place) };
                self.push_read(&read, found);
            }
            Event::Served { block, dest } => self.push_read(&Read::of(block, Some(dest), at, place), found),
            Event::ServeFailed { block, dest } => {
                let read = Read { outcome: Outcome::Failed, ..Read::of(block, dest, at, place) };
                self.push_read(&read, found);
            }
            Event::ClientUntold => self.clients_untold = true,
            _ => {}
        }
    }

    /// Opens a write; of more than a daemon may have open of a block, the oldest is left.
    fn begin(&mut self, block: BlockId, begun: OpenWrite, found: &mut Found) {
        let queue = self.open.entry(block).or_default();
        queue.push_back(begun);
        if queue.len() > OPEN_WRITES_MAX
            && let Some(oldest) = queue.pop_front()
        {
            self.leave(oldest, block, found);
        }
    }

    /// The write of a block from `src`, the oldest that no responder ended first; if none is from there, such a one
    /// from elsewhere, else the oldest.
    fn take(&mut self, block: BlockId, src: Option<SocketAddr>) -> Option<OpenWrite> {
        let queue = self.open.get_mut(&block)?;
        let same = src.and_then(|src| {
            let from_there = |b: &OpenWrite| b.src == src || (src.port() == PORT_NOT_PRINTED && b.src.ip() == src.ip());
            let goes_on = queue.iter().position(|b| from_there(b) && b.terminated.is_none());
            goes_on.or_else(|| queue.iter().position(from_there))
        });
        let index = same.or_else(|| queue.iter().position(|b| b.terminated.is_none())).unwrap_or(0);
        let begun = queue.remove(index);
        if queue.is_empty() {
            self.open.remove(&block);
        }
        begun
    }

    /// A write whose end nobody logs.
    fn leave(&self, begun: OpenWrite, block: BlockId, found: &mut Found) {
        match begun.terminated {
            Some(end) => self.push_write(begun.into(), failed(block, end), found),
            None => self.push_open(&begun, block, found),
        }
    }

    /// The write of a block that an exception ends: one that its responder has ended, if none began since.
    fn take_failed(&mut self, block: BlockId) -> Option<OpenWrite> {
        let queue = self.open.get(&block)?;
        let last = queue.back()?.start;
        let ended = queue.iter().find(|begun| begun.terminated.is_some_and(|end| end >= last));
        let src = ended.map(|begun| begun.src);
        self.take(block, src)
    }

    fn push_write(&self, begin: Begin, w: Written, found: &mut Found) {
        let peer = begin.src.map(|ip| self.input.end_of(ip));
        let origin = if w.replicated { WriteOrigin::Replicated } else { self.origin(begin.src) };
        let end = begin.start.map_or(w.end, |start| w.end.max(start));
        let state = State {
            start: begin.start,
            job: w.attempt.map(|a| a.job),
            attempt: w.attempt,
            bytes: w.bytes,
            outcome: Some(w.outcome),
            origin: Some(origin),
            block: Some(w.block),
            ..State::of(StateKind::WriteBlock, self.node, end, begin.place)
        };
        let kind = if w.replicated { FlowKind::Replicate } else { FlowKind::Write };
        let flow = Flow {
            start: begin.start,
            bytes: w.bytes.filter(|_| w.outcome == Outcome::Success),
            block: Some(w.block),
            attempt: w.attempt,
            ..Flow::of(kind, end, begin.place)
        };
        found.push_flow(flow, peer, self.own);
        found.push_state(state, peer);
    }

    fn push_open(&self, begun: &OpenWrite, block: BlockId, found: &mut Found) {
        let end = self.input.end_of_observation(None, begun.place.file);
        let peer = self.input.end_of(begun.src.ip());
        let state = State {
            start: Some(begun.start),
            open: true,
            origin: Some(self.origin(Some(begun.src.ip()))),
            block: Some(block),
            ..State::of(StateKind::WriteBlock, self.node, end.max(begun.start), begun.place)
        };
        found.push_state(state, Some(peer));
    }

    fn origin(&self, src: Option<IpAddr>) -> WriteOrigin {
        let own = |src: IpAddr| {
            let is_node = |node| matches!(self.input.end_of(src), End::Node(peer) if peer == node);
            src.is_loopback() || self.node.is_some_and(is_node)
        };
        if src.is_some_and(own) { WriteOrigin::Local } else { WriteOrigin::Remote }
    }

    fn push_read(&self, read: &Read, found: &mut Found) {
        let peer = read.dest.map(|ip| self.input.end_of(ip));
        let state = State {
            start: read.start,
            job: read.attempt.map(|a| a.job),
            attempt: read.attempt,
            bytes: read.bytes,
            outcome: Some(read.outcome),
            block: Some(read.block),
            ..State::of(StateKind::ReadBlock, self.node, read.end, read.place)
        };
        let flow = Flow {
            start: read.start,
            bytes: read.bytes,
            block: Some(read.block),
            attempt: read.attempt,
            ..Flow::of(FlowKind::Read, read.end, read.place)
        };
        found.push_flow(flow, self.own, peer);
        found.push_state(state, peer);
    }
}

/// A block sent, as its only line tells.
struct Read {
    block: BlockId,
    dest: Option<IpAddr>,
    start: Option<Timestamp>,
    end: Timestamp,
    outcome: Outcome,
    bytes: Option<u64>,
    attempt: Option<AttemptId>,
    place: Place,
}

impl Read {
    /// One that went well, of which nothing more is known.
    const fn of(block: BlockId, dest: Option<IpAddr>, end: Timestamp, place: Place) -> Self {
        Self { block, dest, start: None, end, outcome: Outcome::Success, bytes: None, attempt: None, place }
    }
}

/// Where and when a write began, as far as known.
struct Begin {
    src: Option<IpAddr>,
    start: Option<Timestamp>,
    place: Place,
}

impl From<OpenWrite> for Begin {
    fn from(begun: OpenWrite) -> Self {
        Self { src: Some(begun.src.ip()), start: Some(begun.start), place: begun.place }
    }
}

/// When a transfer began that took so long.
fn begin_of(end: Timestamp, duration_ns: Option<u64>) -> Option<Timestamp> {
    duration_ns.map(|ns| end.plus_millis(-millis_of(ns)))
}

/// A write that another DataNode passed on, unless more is said of it.
const fn received(block: BlockId, end: Timestamp, bytes: u64) -> Written {
    Written { block, end, outcome: Outcome::Success, bytes: Some(bytes), attempt: None, replicated: true }
}

const fn failed(block: BlockId, end: Timestamp) -> Written {
    Written { block, end, outcome: Outcome::Failed, bytes: None, attempt: None, replicated: false }
}
