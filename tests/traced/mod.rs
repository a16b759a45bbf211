//! Traces of small clusters made by hand, read as the program would read them.
#![allow(dead_code, reason = "each test file takes what it needs")]

use oddnode::diagnosis::Params;
use oddnode::diagnosis::syscalls::{Hog, Opinion, Switches};
use oddnode::evaluation::syscalls::SetMark;
use oddnode::model::Trace;
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use oddnode::states;

/// When the traces begin, seconds since 1970.
pub const BEGIN_S: u64 = 1_795_232_700;

/// Marks an opinion as the paper counts; `truth` is the faulty node's name and what hogs it.
pub fn mark(trace: &Trace, opinion: Option<&Opinion>, truth: Option<(&str, Hog)>) -> SetMark {
    let found = opinion.and_then(|opinion| opinion.found.as_ref());
    let is_faulty = |name: &str| truth.is_some_and(|(node, _)| node == name);
    let said = found.map(|(hog, set)| {
        (hog.map_or("calls", Hog::cause), set.len(), set.iter().any(|n| is_faulty(trace.node_name(*n))))
    });
    SetMark::of(said, truth.map(|(_, hog)| hog.cause()))
}

/// To the letter, or the usual way.
pub fn reading(literal: bool) -> Params {
    Params { syscalls: Switches { literal, peer_only: false }, ..Params::default() }
}

/// One line of a call: process, microseconds since the begin, text, microseconds inside.
pub fn call(pid: u32, at_us: u64, text: &str, took_us: u64) -> String {
    let at = |us: u64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    format!("{pid} {} {text} <{}>", at(BEGIN_S * 1_000_000 + at_us), at(took_us))
}

/// The address of the node of this number.
pub fn ip(node: usize) -> String {
    format!("10.0.0.{}", node + 1)
}

/// A connect to the node of this number.
pub fn connect(fd: u32, to: usize, ret: &str) -> String {
    format!(
        "connect({fd}, {{sa_family=AF_INET, sin_port=htons(50010), sin_addr=inet_addr(\"{}\")}}, 16) = {ret}",
        ip(to)
    )
}

/// A cluster of nodes n1, n2, …: each has a DataNode's log that tells its address, and, if
/// it has lines, a trace.
pub fn cluster(nodes: &[Vec<String>]) -> Trace {
    let mut ingest = Ingest::new(Limits::default());
    for (i, lines) in nodes.iter().enumerate() {
        let node = format!("n{}", i + 1);
        let ip = ip(i);
        ingest.start(&format!("run/{node}/hadoop-u-datanode-{node}.log"));
        let log = format!(
            "2026-11-20 22:45:12,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: STARTUP_MSG: \n\
             /************************************************************\n\
             STARTUP_MSG: Starting DataNode\n\
             STARTUP_MSG:   host = {node}/{ip}\n\
             ************************************************************/\n"
        );
        ingest.feed(log.as_bytes());
        if !lines.is_empty() {
            ingest.start(&format!("run/{node}/datanode.strace"));
            ingest.feed(lines.join("\n").as_bytes());
            ingest.feed(b"\n");
        }
    }
    states::build(&ingest.into_digest(), None)
}
