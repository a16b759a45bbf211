//! DataNodes of both generations.

use super::super::record::Leg;
use super::super::{Generation, Write};
use super::{Lines, View};

const LOGGER: &str = "org.apache.hadoop.hdfs.server.datanode.DataNode";

pub(super) fn text(view: &View<'_>, node: usize) -> String {
    let run = view.run;
    let mut out = Lines::new(run, run.silent_from(node));
    let host = format!("{}/{}", run.nodes[node].name, run.ip(node));
    let version = if run.spec.generation == Generation::One { "0.20.2" } else { "3.3.6" };
    out.start(500_000, LOGGER, "DataNode", &host, version);
    for (write, leg) in View::of(&view.legs, node) {
        match run.spec.generation {
            Generation::One => old_write(view, write, leg, &mut out),
            Generation::Three => new_write(view, write, leg, &mut out),
        }
    }
    for read in View::of(&view.reads, node) {
        let (src, storage, port) = (view.ip(node), run.storage(node), read.port);
        let bytes = with_checksums(read.bytes as u64);
        let reader = run.attempts[read.attempt].node;
        let (dest, id) = (view.ip(reader), run.attempt_id(read.attempt));
        let text = match run.spec.generation {
            Generation::One => format!(
                "INFO {LOGGER}.clienttrace: src: /{src}:50010, dest: /{dest}:{port}, bytes: {bytes}, op: HDFS_READ, cliID: DFSClient_{id}, srvID: {storage}, blockid: blk_{}_{}",
                read.block, 1000
            ),
            Generation::Three => format!(
                "DEBUG {LOGGER}.clienttrace: src: /{src}:9866, dest: /{dest}:{port}, bytes: {bytes}, op: HDFS_READ, cliID: DFSClient_{id}_{port}_1, offset: 0, srvID: {storage}, blockid: {}:blk_{}_{}, duration(ns): {}",
                pool(view),
                read.block,
                1000,
                (read.ended - read.begun) * 1000
            ),
        };
        out.say(read.ended, text);
    }
    out.stop(LOGGER, "DataNode", &host);
    out.text()
}

/// Bytes on the wire of so many of data: a reader is sent the checksum of each piece with it (`BlockSender`;
/// `io.bytes.per.checksum`).
const fn with_checksums(bytes: u64) -> u64 {
    const PIECE: u64 = 512;
    const SUM: u64 = 4;
    bytes + bytes.div_ceil(PIECE) * SUM
}

fn pool(view: &View<'_>) -> String {
    format!("BP-1788024524-10.88.1.10-{}", view.run.epoch_ms - 86_400_000)
}

fn old_write(view: &View<'_>, write: &Write, leg: &Leg, out: &mut Lines<'_>) {
    let run = view.run;
    let block = format!("blk_{}_{}", write.block, write.stamp);
    let (src, dest, port) = (view.ip(leg.from), view.ip(leg.node), leg.port);
    out.info(leg.begun, LOGGER, format_args!("Receiving block {block} src: /{src}:{port} dest: /{dest}:50010"));
    let Some(at) = leg.ended else { return };
    if leg.good {
        let (id, storage) = (run.attempt_id(write.attempt), run.storage(leg.node));
        out.say(
            at,
            format!(
                "INFO {LOGGER}.clienttrace: src: /{src}:{port}, dest: /{dest}:50010, bytes: {}, op: HDFS_WRITE, cliID: DFSClient_{id}, srvID: {storage}, blockid: {block}",
                leg.bytes as u64
            ),
        );
        out.info(at + 1000, LOGGER, format_args!("PacketResponder {} for block {block} terminating", leg.behind));
    } else if run.nodes[leg.node].full {
        out.info(
            at,
            LOGGER,
            format_args!("writeBlock {block} received exception java.io.IOException: No space left on device"),
        );
        out.info(at + 1000, LOGGER, format_args!("PacketResponder {} for block {block} terminating", leg.behind));
    } else {
        out.info(at, LOGGER, format_args!("PacketResponder {} for block {block} Interrupted.", leg.behind));
        out.info(at + 1000, LOGGER, format_args!("PacketResponder {} for block {block} terminating", leg.behind));
    }
}

fn new_write(view: &View<'_>, write: &Write, leg: &Leg, out: &mut Lines<'_>) {
    let run = view.run;
    let block = format!("{}:blk_{}_{}", pool(view), write.block, write.stamp);
    let (src, dest, port) = (view.ip(leg.from), view.ip(leg.node), leg.port);
    out.info(leg.begun, LOGGER, format_args!("Receiving {block} src: /{src}:{port} dest: /{dest}:9866"));
    let Some(at) = leg.ended else { return };
    let mut behind: Vec<&Leg> = write.legs.iter().filter(|l| l.behind < leg.behind).collect();
    behind.sort_by_key(|l| std::cmp::Reverse(l.behind));
    let place = if behind.is_empty() {
        "type=LAST_IN_PIPELINE".to_owned()
    } else {
        let addresses: Vec<String> = behind.iter().map(|l| format!("{}:9866", view.ip(l.node))).collect();
        format!("type=HAS_DOWNSTREAM_IN_PIPELINE, downstreams={}:[{}]", addresses.len(), addresses.join(", "))
    };
    if leg.good {
        let (id, storage) = (run.attempt_id(write.attempt), run.storage(leg.node));
        out.say(
            at,
            format!(
                "INFO {LOGGER}.clienttrace: src: /{src}:{port}, dest: /{dest}:9866, bytes: {}, op: HDFS_WRITE, cliID: DFSClient_{id}_{port}_1, offset: 0, srvID: {storage}, blockid: {block}, duration(ns): {}",
                leg.bytes as u64,
                at.saturating_sub(leg.begun) * 1000
            ),
        );
    } else if run.nodes[leg.node].full {
        out.info(at, LOGGER, format_args!("Exception for {block}\njava.io.IOException: No space left on device\n\tat java.io.FileOutputStream.writeBytes(Native Method)"));
    } else {
        out.info(at, LOGGER, format_args!("PacketResponder: {block}, {place}: Thread is interrupted."));
    }
    out.info(at + 1000, LOGGER, format_args!("PacketResponder: {block}, {place} terminating"));
}
