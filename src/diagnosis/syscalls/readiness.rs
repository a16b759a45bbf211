//! Connections of modern runtimes: `connect` returns at once, and the waiting is done in
//! poll, ppoll or epoll_wait.
//!
//! ```text
//! 27678 …94.667744 connect(47, {…, "10.77.1.12"}, 16) = -1 EINPROGRESS <0.000081>      begin
//! 27678 …94.668104 epoll_wait(40, [], 1024, 9000) = 0 <9.000100>                       not yet
//! 27678 …03.669213 epoll_wait(40, [{events=EPOLLOUT, data={u32=47, …}}], …) = 1 <…>   ready: 9.0 s
//! ```
//! A descriptor belongs to a process, and threads of a process share it. Which threads are
//! one process is not in the trace (clone is rarely traced), so a wait is first looked for
//! in the thread that connects, then anywhere in the file, if no other thread of it is
//! connecting the same number. Assumes that `data` of an epoll event holds the descriptor,
//! as the JDK's and libuv's do; where it does not, the connection stays without an end.
//!
//! Cost: O(calls · descriptors in a wait).

use super::peers::{End, end};
use crate::base::{Arrange, FileId, NodeId, Place};
use crate::model::{Call, Trace};
use std::collections::BTreeMap;

/// A connection to another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Begin, microseconds since 1970.
    pub at_us: i64,
    /// Time until it stood, or failed.
    pub took_us: u64,
    /// To whom.
    pub peer: End,
    /// Signature-giving texts: name, arguments and result of the connect.
    pub texts: [u32; 3],
    /// The line that tells that it stood.
    pub place: Place,
}

/// Connections of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connections {
    /// Those whose end is known, in the order of their ends.
    pub known: Vec<Connection>,
    /// Begun without blocking, and no wait tells when they stood.
    pub unknown: u64,
}

impl Connections {
    /// Whether all connects return at once and no wait is traced: then nothing that the
    /// network does can show.
    #[must_use]
    pub const fn tell_nothing(&self) -> bool {
        self.known.is_empty() && self.unknown > 0
    }
}

struct PendingConnect {
    pid: Option<u32>,
    at_us: i64,
    peer: End,
    texts: [u32; 3],
}

/// Joins the connects of a node with their waits.
#[must_use]
pub fn connections(trace: &Trace, node: NodeId) -> Connections {
    let mut found = Connections::default();
    let mut begun: BTreeMap<(FileId, u32), Vec<PendingConnect>> = BTreeMap::new();
    // Waits begin before what they wait for is connected by another thread: go by ends.
    let mut calls: Vec<Call<'_>> =
        trace.calls.of_node(node).filter(|c| is_wait(c.name) || c.name == "connect").collect();
    calls.arrange_by(|c| (c.end_us(), c.at_us, c.place));
    for call in calls {
        if call.name == "connect" {
            let (Some(peer), Some(fd)) = (end(trace, call.args), first_number(call.args)) else { continue };
            let slot = begun.entry((call.place.file, fd)).or_default();
            // The same thread connects the same number anew: the earlier one was given up,
            // or it stands now.
            if let Some(at) = slot.iter().position(|b| b.pid == call.pid) {
                let earlier = slot.remove(at);
                if call.ret == "-1 EALREADY" && earlier.peer == peer {
                    // It is asked after, and still under way.
                    slot.insert(at, earlier);
                    continue;
                }
                let stands = matches!(call.ret, "0" | "-1 EISCONN") && earlier.peer == peer;
                if stands {
                    found.known.push(joined(&earlier, &call));
                    continue;
                }
                found.unknown += 1;
            }
            match (call.ret, call.duration_us) {
                ("-1 EINPROGRESS", _) => {
                    slot.push(PendingConnect { pid: call.pid, at_us: call.at_us, peer, texts: call.texts });
                }
                ("0" | "-1 ETIMEDOUT" | "-1 ECONNREFUSED" | "-1 EHOSTUNREACH", Some(took_us)) => {
                    found.known.push(Connection {
                        at_us: call.at_us,
                        took_us,
                        peer,
                        texts: call.texts,
                        place: call.place,
                    });
                }
                _ => {}
            }
        } else if !call.ret.starts_with(['-', '?']) && call.ret != "0" {
            for fd in ready(call.name, call.args) {
                let Some(slot) = begun.get_mut(&(call.place.file, fd)) else { continue };
                let own = slot.iter().position(|b| b.pid == call.pid);
                let Some(at) = own.or(if slot.len() == 1 { Some(0) } else { None }) else { continue };
                let earlier = slot.remove(at);
                found.known.push(joined(&earlier, &call));
            }
        }
    }
    found.unknown += begun.values().map(|b| b.len() as u64).sum::<u64>();
    found
}

fn joined(begun: &PendingConnect, wait: &Call<'_>) -> Connection {
    let took_us = u64::try_from(wait.end_us().saturating_sub(begun.at_us)).unwrap_or(0);
    Connection { at_us: begun.at_us, took_us, peer: begun.peer, texts: begun.texts, place: wait.place }
}

fn is_wait(name: &str) -> bool {
    matches!(name, "poll" | "ppoll" | "ppoll_time64" | "epoll_wait" | "epoll_pwait" | "epoll_pwait2")
}

fn first_number(args: &str) -> Option<u32> {
    args.split(',').next()?.trim().parse().ok()
}

/// The descriptors that a wait which returned says are writable, or failed.
fn ready<'a>(name: &str, args: &'a str) -> impl Iterator<Item = u32> + 'a {
    let polls = !name.contains("epoll");
    // One piece an entry: `{fd=39, events=POLLOUT}` or `{events=EPOLLOUT, data={u32=39, …}}`.
    let pieces = args.split(if polls { "{fd=" } else { "{events=" }).skip(1);
    pieces.filter_map(move |piece| {
        let (fd, events) =
            if polls { (piece, piece.split_once("events=")?.1) } else { (piece.split_once("u32=")?.1, piece) };
        let events = events.split([',', '}']).next()?;
        let fd = fd.split(|c: char| !c.is_ascii_digit()).next()?;
        fd.parse().ok().filter(|_| tells_of_connecting(events, polls))
    })
}

/// Whether the events of an entry can tell that a connection stands, or failed. poll's are those that were asked for:
/// who connects asks whether he can write. Who asks for POLLIN only, with POLLERR as the JDK does, waits for data, and
/// may be another process with the same number. epoll's are those that came, of which the kernel adds failures unasked.
fn tells_of_connecting(events: &str, polls: bool) -> bool {
    events.contains("OUT") || (!polls && ["ERR", "HUP"].iter().any(|e| events.contains(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writable_descriptors_are_read_from_waits() {
        let of = |name: &str, args: &str| ready(name, args).collect::<Vec<_>>();
        assert_eq!(of("poll", "[{fd=39, events=POLLIN|POLLOUT}, {fd=7, events=POLLIN}, {fd=-1}], 3, 0"), [39]);
        let events = "40, [{events=EPOLLOUT, data={u32=39, u64=139702401237031}}, {events=EPOLLIN, data={u32=5, u64=5}}], 1024, 9";
        assert_eq!(of("epoll_wait", events), [39]);
        assert_eq!(of("epoll_wait", "40, [{events=EPOLLERR|EPOLLHUP, data={u32=9, u64=9}}], 1, 0"), [9]);
        assert!(of("epoll_wait", "40, [], 1024, 9").is_empty());
        assert!(of("poll", "[{fd=").is_empty());
        assert!(of("poll", "[{fd=28, events=POLLIN|POLLERR}], 1, 1000").is_empty());
        assert_eq!(of("ppoll", "[{fd=28, events=POLLOUT|POLLERR}], 1, {tv_sec=1, tv_nsec=0}, NULL, 8"), [28]);
    }
}
