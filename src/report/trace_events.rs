//! Swimlanes as Chrome's trace events, which Perfetto, speedscope and chrome://tracing open.
//!
//! ```text
//! {"displayTimeUnit":"ms","traceEvents":[
//! {"ph":"M","name":"process_name","pid":2,"args":{"name":"h101"}},
//! {"ph":"M","name":"thread_name","pid":2,"tid":3001,"args":{"name":"Map 1"}},
//! {"ph":"X","name":"m_000004_0","cat":"Map,success","ts":1795227884210000,"dur":7167000,"pid":2,"tid":3001,"args":{…}},
//! ]}
//! ```
//! By the "Trace Event Format": complete events (`X`) with microseconds, a process for each
//! node, a thread for each slot of each kind of state: slices of a thread may not overlap, so
//! tasks that ran side by side have threads of their own. A state whose begin is not known has
//! no length, and is left out. Cost: O(states · log states), one event in memory.

use super::json::{self, Layout};
use crate::base::{Arrange, NodeId, Slots, Timestamp};
use crate::model::{State, StateKind, Trace};
use serde::Serialize;

/// A thread's number: the kind's place times this, plus its slot.
const SLOTS: u64 = 1_000_000;
/// Slots beyond these begin anew behind so many kinds; there are a dozen.
const KINDS: u64 = 100;

/// The number of the thread of a kind's slot.
const fn thread(kind: StateKind, slot: usize) -> u64 {
    let slot = slot as u64;
    (slot / SLOTS * KINDS + kind as u64 + 1) * SLOTS + slot % SLOTS
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Meta<'a> {
    ph: &'static str,
    name: &'static str,
    pid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tid: Option<u64>,
    args: Named<'a>,
}

#[derive(Serialize)]
struct Args {
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
}

#[derive(Serialize)]
struct Slice {
    ph: &'static str,
    name: String,
    cat: String,
    ts: i64,
    dur: i64,
    pid: u64,
    tid: u64,
    args: Args,
}

/// Gives the whole text piece by piece.
pub fn write(trace: &Trace, mut out: impl FnMut(&str)) {
    out("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    let mut first = true;
    let mut event = |text: String| {
        if !std::mem::take(&mut first) {
            out(",\n");
        }
        out(&text);
    };
    let mut lanes: Vec<(Option<NodeId>, StateKind)> = trace.states.lanes().map(|(kind, node)| (node, kind)).collect();
    lanes.arrange(Ord::cmp);
    let mut last = None;
    for (node, kind) in lanes {
        let mut states = trace.states.of_kind_on(kind, node).filter_map(|s| Some((s.start?, s))).peekable();
        if states.peek().is_none() {
            continue;
        }
        let pid = node.map_or(0, |n| u64::from(n.0) + 1);
        if last != Some(pid) {
            last = Some(pid);
            let args = Named { name: node.map_or("unknown node", |n| trace.node_name(n)) };
            event(json::text(&Meta { ph: "M", name: "process_name", pid, tid: None, args }, Layout::Compact));
        }
        let mut slots = Slots::default();
        for (start, s) in states {
            let end = s.end.max(start);
            let tid = thread(kind, slots.take(start, end));
            event(json::text(&slice(trace, &s, (start, end), pid, tid), Layout::Compact));
        }
        for slot in 0..slots.len() {
            let name = format!("{} {}", kind.name(), slot + 1);
            let tid = Some(thread(kind, slot));
            let args = Named { name: &name };
            event(json::text(&Meta { ph: "M", name: "thread_name", pid, tid, args }, Layout::Compact));
        }
    }
    out("\n]}\n");
}

fn slice(trace: &Trace, s: &State, (start, end): (Timestamp, Timestamp), pid: u64, tid: u64) -> Slice {
    let attempt = s.attempt.map(|a| a.to_string());
    // Behind the job's number: `m_000004_0`.
    let short = attempt.as_deref().and_then(|a| a.splitn(4, '_').nth(3)).map(str::to_owned);
    let name = short.or_else(|| s.block.map(|b| b.to_string())).unwrap_or_else(|| s.kind.name().to_owned());
    Slice {
        ph: "X",
        name,
        cat: s.outcome.map_or_else(|| s.kind.name().to_owned(), |o| format!("{},{}", s.kind.name(), o.name())),
        ts: start.millis().saturating_mul(1000),
        dur: end.millis_since(start).saturating_mul(1000),
        pid,
        tid,
        args: Args {
            job: s.job.map(|j| j.to_string()),
            attempt,
            block: s.block.map(|b| b.to_string()),
            peer: s.peer.and_then(|p| trace.peers.get(p as usize)).cloned(),
            bytes: s.bytes,
            outcome: s.outcome.map(crate::model::Outcome::name),
            open: s.open,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_slots_are_one_thread() {
        assert_eq!((thread(StateKind::Map, 0), thread(StateKind::Reduce, 999_999)), (1_000_000, 2_999_999));
        let slots = [0, 1, 999_999, 1_000_000, 1_000_001, 99_999_999, 100_000_000, 4_000_000_000];
        let threads: BTreeSet<u64> =
            StateKind::ALL.iter().flat_map(|kind| slots.map(|slot| thread(*kind, slot))).collect();
        assert_eq!(threads.len(), slots.len() * StateKind::ALL.len());
        assert!((StateKind::ALL.len() as u64) < KINDS);
    }
}
