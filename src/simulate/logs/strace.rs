//! System calls of a node's daemons and of their children, as
//! `strace -f -T -ttt -e trace=accept,connect,bind,socket,access,stat,execve,poll -o FILE -p PID`
//! writes them.
//!
//! ```text
//! look-ups   answered from memory, but for some that are COLD: these wait for the disk, behind
//!            all who wait for it in that second and behind a hog's requests
//! connects   a round trip; of a fetch what the model drew; elsewhere SYNs that either end loses
//! accepts    wait for the next connection that stands
//! ```
//! Hadoop 0.20's Java connects and waits in one call; 3.x' connects without blocking and waits in
//! poll. A call during which another thread calls is told in two lines, as strace does.

use super::View;
use crate::simulate::draw::Draw;
use crate::simulate::faults::HOG_STREAMS;
use crate::simulate::record::{Fetch, Leg, Read};
use crate::simulate::{Fault, Generation, Micros, Run, network};
use std::borrow::Cow;
use std::fmt::Write;

/// Share of look-ups whose inode is not in memory.
const COLD: f64 = 0.15;
/// A request of a disk of that time: seek and half a turn.
const SEEK_S: f64 = 0.008;
/// Microseconds of a look-up in memory, of a call that makes a socket, of a program's start.
const LOOK_UP_US: f64 = 9.0;
const SOCKET_US: f64 = 14.0;
const EXECVE_US: f64 = 450.0;
/// Microseconds of a connection within the machine, and in a rack.
const LOCAL_US: f64 = 45.0;
const RACK_US: f64 = 260.0;
/// Spread of all of them, as the deviation of a logarithm.
const SPREAD: f64 = 0.35;
/// Look-ups of a JVM that starts: its archives and libraries.
const LOOK_UPS_OF_JVM: usize = 14;
/// Threads: those that listen, and the first of all others. One is started for each task and for
/// each connection, as a DataNode does.
const DATANODE: usize = 1010;
const TASK_SERVER: usize = 2010;
const FIRST_THREAD: usize = 3000;
/// Descriptors of listening sockets, and of the first connection.
const LISTENING: usize = 97;
const CONNECTED: usize = 110;

/// A call: what is known when it begins, what it adds when it ends.
struct Call {
    begun: Micros,
    ended: Micros,
    pid: usize,
    entry: String,
    rest: Cow<'static, str>,
    returned: String,
}

/// A connection to a DataNode.
struct Opening {
    from: usize,
    to: usize,
    port: u32,
    begun: Micros,
    /// When the transfer was over, if it was.
    over: Option<Micros>,
}

impl Opening {
    fn of_read(run: &Run, read: &Read) -> Self {
        let from = run.attempts[read.attempt].node;
        Self { from, to: read.from, port: read.port, begun: read.begun, over: Some(read.ended) }
    }

    const fn of_leg(leg: &Leg) -> Self {
        Self { from: leg.from, to: leg.node, port: leg.port, begun: leg.begun, over: leg.ended }
    }

    /// Microseconds that lost packets delay it by: both ends see the same, and no transfer ends before it stands.
    fn delayed_us(&self, run: &Run) -> f64 {
        if self.from == self.to || run.fault_at.is_none_or(|since| self.begun < since) {
            return 0.0;
        }
        let loss = network::round_loss(run.nodes[self.from].loss, run.nodes[self.to].loss);
        let seed = run.spec.seed ^ self.begun.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(self.port);
        let us = network::connect_s(loss, &mut Draw::new(seed)) * 1e6;
        self.over.map_or(us, |over| us.min(over.saturating_sub(self.begun) as f64))
    }

    /// When it stands.
    fn stands(&self, run: &Run) -> Micros {
        self.begun + self.delayed_us(run) as Micros
    }
}

/// The calls of one node.
struct Tracing<'a> {
    view: &'a View<'a>,
    node: usize,
    draw: Draw,
    calls: Vec<Call>,
    descriptors: usize,
    threads: usize,
}

/// The trace of a node.
pub(super) fn text(view: &View<'_>, node: usize) -> String {
    let seed = view.run.spec.seed ^ (node as u64 + 1).wrapping_mul(0x5851_f42d_4c95_7f2d);
    let mut tracing =
        Tracing { view, node, draw: Draw::new(seed), calls: Vec::new(), descriptors: 0, threads: FIRST_THREAD };
    tracing.children();
    tracing.datanode();
    tracing.served_outputs();
    tracing.written()
}

impl Tracing<'_> {
    fn old(&self) -> bool {
        self.view.run.spec.generation == Generation::One
    }

    fn data_port(&self) -> u32 {
        if self.old() { 50_010 } else { 9866 }
    }

    fn call(
        &mut self,
        begun: Micros,
        us: f64,
        pid: usize,
        entry: impl Into<String>,
        rest: impl Into<Cow<'static, str>>,
        returned: impl Into<String>,
    ) {
        let ended = begun + us.max(1.0) as Micros;
        self.calls.push(Call { begun, ended, pid, entry: entry.into(), rest: rest.into(), returned: returned.into() });
    }

    fn thread(&mut self) -> usize {
        self.threads += 1;
        self.threads
    }

    /// Microseconds around a typical value.
    fn about(&mut self, us: f64) -> f64 {
        us * self.draw.factor(SPREAD)
    }

    /// Microseconds of a look-up at a time.
    fn look_up_us(&mut self, at: Micros) -> f64 {
        let run = self.view.run;
        let machine = &run.nodes[self.node];
        let in_memory = self.about(LOOK_UP_US);
        if !self.draw.happens(COLD) {
            return in_memory;
        }
        let second = (at / 1_000_000) as usize;
        let waiting = machine.seconds.get(second).map_or(0.0, |s| s.waited_s);
        let hogged = run.culprit == Some(self.node) && run.spec.fault == Fault::DiskHog && run.disk_hog_lasts(second);
        let ahead = waiting + if hogged { HOG_STREAMS } else { 0.0 };
        in_memory + self.about(SEEK_S * 1e6 * (1.0 + ahead))
    }

    /// Look-ups one after another; returns when they are done.
    fn look_up(&mut self, mut at: Micros, pid: usize, paths: impl IntoIterator<Item = String>) -> Micros {
        for (i, path) in paths.into_iter().enumerate() {
            let us = self.look_up_us(at);
            if i % 3 == 2 {
                self.call(at, us, pid, format!("access(\"{path}\", F_OK"), "", "0");
            } else {
                let entry = format!("stat(\"{path}\", ");
                self.call(at, us, pid, entry, "{st_mode=S_IFREG|0644, st_size=4096, ...}", "0");
            }
            at += us as Micros + 5;
        }
        at
    }

    /// A connection to a node, begun at a time, that lost packets delay by `us`.
    fn connect(&mut self, at: Micros, pid: usize, to: usize, port: u32, us: f64) {
        let usual = self.about(if to == self.node { LOCAL_US } else { RACK_US });
        let us = us + usual;
        self.descriptors += 1;
        let fd = CONNECTED + self.descriptors % 400;
        let made = self.about(SOCKET_US);
        self.call(at, made, pid, "socket(AF_INET, SOCK_STREAM, IPPROTO_IP", "", fd.to_string());
        let at = at + made as Micros + 8;
        let address = address(&self.view.ip(to), port);
        let entry = format!("connect({fd}, {address}, 16");
        if self.old() {
            self.call(at, us, pid, entry, "", "0");
        } else {
            let begun_us = self.about(SOCKET_US);
            self.call(at, begun_us, pid, entry, "", "-1 EINPROGRESS (Operation now in progress)");
            let ready = format!("1 ([{{fd={fd}, revents=POLLOUT}}])");
            let wait = format!("poll([{{fd={fd}, events=POLLOUT}}], 1, 60000");
            self.call(at + 60, (us - 60.0).max(2.0), pid, wait, "", ready);
        }
    }

    /// A thread that listens takes these connections: time, from whom, from which port.
    fn accepts(&mut self, pid: usize, mut clients: Vec<(Micros, usize, u32)>) {
        clients.sort_unstable();
        let name = if self.old() { "accept" } else { "accept4" };
        let flags = if self.old() { "" } else { ", SOCK_CLOEXEC" };
        let mut listening = 0;
        for (at, from, port) in clients {
            let at = at.max(listening + 2);
            self.descriptors += 1;
            let fd = CONNECTED + self.descriptors % 400;
            // Who came is known when it returns.
            let client = format!("{}, [16]{flags}", address(&self.view.ip(from), port));
            self.call(listening, (at - listening) as f64, pid, format!("{name}({LISTENING}, "), client, fd.to_string());
            listening = at + 20;
        }
    }

    /// Programs that are started, and what they look up and read.
    fn children(&mut self) {
        let view = self.view;
        let run = view.run;
        let attempts = View::of(&view.attempts, self.node);
        for attempt in attempts {
            let Some(spawned) = run.attempts[*attempt].spawned else { continue };
            let pid = self.thread();
            let us = self.about(EXECVE_US);
            let main = if self.old() { "org.apache.hadoop.mapred.Child" } else { "org.apache.hadoop.mapred.YarnChild" };
            let entry = format!("execve(\"/usr/bin/java\", [\"java\", \"{main}\"], 0x7ffd5c3e /* 31 vars */");
            self.call(spawned, us, pid, entry, "", "0");
            let jars = (0..LOOK_UPS_OF_JVM).map(|i| format!("/opt/hadoop/lib/part{i}.jar"));
            let at = self.look_up(spawned + us as Micros + 50, pid, jars);
            let us = self.about(SOCKET_US);
            self.call(at, us, pid, "socket(AF_INET6, SOCK_STREAM, IPPROTO_IP", "", "5");
            let bound = "bind(5, {sa_family=AF_INET6, sin6_port=htons(0), inet_pton(AF_INET6, \"::\", &sin6_addr)}, 28";
            self.call(at + us as Micros + 8, us, pid, bound, "", "0");
        }
        let here = |attempt: usize| run.attempts[attempt].node == self.node;
        let port = self.data_port();
        let read = run.reads.iter().filter(|r| here(r.attempt)).map(|r| Opening::of_read(run, r));
        let first = run.writes.iter().filter(|w| here(w.attempt)).filter_map(|w| w.legs.first());
        let blocks = read.chain(first.map(Opening::of_leg)).map(|o| (o.begun, o.to, port, o.delayed_us(run)));
        let outputs = if self.old() { 50_060 } else { 13_562 };
        let fetched = attempts.iter().flat_map(|attempt| View::of(&view.fetches, *attempt)).map(|fetch| {
            let us = fetch.flowing.saturating_sub(fetch.begun) as f64;
            (fetch.begun, run.attempts[fetch.map].node, outputs, us)
        });
        let connected: Vec<(Micros, usize, u32, f64)> = blocks.chain(fetched).collect();
        for (at, to, port, us) in connected {
            let pid = self.thread();
            self.connect(at, pid, to, port, us);
        }
    }

    /// The DataNode: whom it serves, where it looks, to whom it passes blocks on.
    fn datanode(&mut self) {
        let view = self.view;
        let run = view.run;
        let reads = View::of(&view.reads, self.node);
        let legs = View::of(&view.legs, self.node);
        let readers = reads.iter().map(|read| Opening::of_read(run, read));
        let clients = readers.chain(legs.iter().map(|(_, leg)| Opening::of_leg(leg)));
        self.accepts(DATANODE, clients.map(|o| (o.stands(run), o.from, o.port)).collect());
        let folder = |block: i64, state: &str| ["", ".meta"].map(|end| format!("/data/dfs/{state}/blk_{block}{end}"));
        for read in reads {
            let pid = self.thread();
            self.look_up(read.begun + 200, pid, folder(read.block, "current"));
        }
        for (write, leg) in legs {
            let pid = self.thread();
            let at = self.look_up(leg.begun + 200, pid, folder(write.block, "tmp"));
            let place = write.legs.iter().position(|l| l.node == self.node && l.begun == leg.begun);
            if let Some(next) = place.and_then(|place| write.legs.get(place + 1)) {
                self.connect(at, pid, next.node, self.data_port(), Opening::of_leg(next).delayed_us(run));
            }
        }
    }

    /// Who serves map outputs.
    fn served_outputs(&mut self) {
        let view = self.view;
        let run = view.run;
        let served: Vec<&&Fetch> = View::of(&view.served, self.node).iter().filter(|f| f.good).collect();
        let clients = served.iter().map(|f| (f.flowing, run.attempts[f.reduce].node, f.port)).collect();
        self.accepts(TASK_SERVER, clients);
        for fetch in served {
            let pid = self.thread();
            let attempt = run.attempt_id(fetch.map);
            let files = ["file.out.index", "file.out"].map(|file| format!("/data/local/{attempt}/{file}"));
            self.look_up(fetch.flowing + 100, pid, files);
        }
    }

    /// Lines in order of time; nothing after the node or the run ended.
    fn written(self) -> String {
        let run = self.view.run;
        let until = run.nodes[self.node].crashed.unwrap_or(run.end).min(run.end);
        let calls: Vec<&Call> = self.calls.iter().filter(|call| call.begun < until).collect();
        let mut moments: Vec<(Micros, usize, bool)> = Vec::with_capacity(calls.len() * 2);
        for (i, call) in calls.iter().enumerate() {
            moments.push((call.begun, i, false));
            if call.ended < until {
                moments.push((call.ended, i, true));
            }
        }
        moments.sort_unstable_by_key(|(at, i, ends)| (*at, *i, *ends));
        let mut out = String::new();
        let mut whole: Option<usize> = None;
        for (k, (at, i, ends)) in moments.iter().enumerate() {
            let Some(call) = calls.get(*i) else { continue };
            let next = moments.get(k + 1);
            let us = run.epoch_ms.unsigned_abs() * 1000 + at;
            let (seconds, micros) = (us / 1_000_000, us % 1_000_000);
            let took = (call.ended - call.begun) as f64 / 1e6;
            let name = call.entry.split('(').next().unwrap_or_default();
            let Call { pid, entry, rest, returned, .. } = call;
            let _ = match (ends, next) {
                (false, Some((_, j, true))) if j == i => {
                    whole = Some(*i);
                    writeln!(out, "{pid} {seconds}.{micros:06} {entry}{rest}) = {returned} <{took:.6}>")
                }
                (false, _) => writeln!(out, "{pid} {seconds}.{micros:06} {entry} <unfinished ...>"),
                (true, _) if whole == Some(*i) => Ok(()),
                (true, _) => {
                    writeln!(out, "{pid} {seconds}.{micros:06} <... {name} resumed>{rest}) = {returned} <{took:.6}>")
                }
            };
        }
        out
    }
}

fn address(ip: &str, port: u32) -> String {
    format!("{{sa_family=AF_INET, sin_port=htons({port}), sin_addr=inet_addr(\"{ip}\")}}")
}
