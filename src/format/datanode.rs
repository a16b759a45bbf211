//! DataNode log, Hadoop 0.18 to 3.x.
//!
//! ```text
//! 081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_-16… src: /10.250.19.102:54106 dest: /…   0.18
//! … DataNode: Receiving block blk_-46…_1763 src: /10.77.1.11:38004 dest: /10.77.1.12:50010                  0.19, 0.20
//! … DataNode: Receiving BP-…:blk_1073741825_1001 src: /10.77.3.10:50706 dest: /10.77.3.11:9866               2.x, 3.x
//! … DataNode.clienttrace: src: …, op: HDFS_WRITE, …
//! … DataNode: PacketResponder 1 for block blk_… terminating
//! ```
//! Written by DataNode, DataXceiver, BlockReceiver (its PacketResponder) and BlockSender
//! (`org.apache.hadoop.dfs`, `org.apache.hadoop.hdfs.server.datanode`). Cost: O(line).

use super::daemon::{Fit, Messages, Walk};
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, address, clienttrace};
use crate::base::BlockId;
use crate::base::ids::number;
use crate::model::{Clock, Event};
use memchr::memmem;
use std::net::SocketAddr;

/// Stands for the port where a version prints the address alone.
const PORT_NOT_PRINTED: u16 = 0;

/// The format.
#[derive(Debug)]
pub struct DataNode;

static ABOUT: FormatAbout = FormatAbout {
    name: "datanode",
    title: "DataNode log",
    versions: "0.18 to 3.x",
    written_by: "org.apache.hadoop.hdfs.server.datanode.DataNode",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_-1608999687919862906 src: /10.250.19.102:54106 dest: /10.250.19.102:50010",
        "2026-11-20 21:24:28,649 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block blk_-8724932680214079537_1068 src: /10.77.1.10:60254 dest: /10.77.1.11:50010",
        "2026-11-20 21:24:28,688 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: PacketResponder 2 for block blk_-8724932680214079537_1068 terminating",
        "2009-09-12 07:14:48,069 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: /127.0.0.1:50012, dest: /127.0.0.1:53107, bytes: 10620380, op: HDFS_READ, cliID: DFSClient_attempt_200909120624_0005_m_000000_0, srvID: DS-199263106-127.0.1.1-50012-1242830204189, blockid: blk_-4693506771893277444_1763, duration: 0",
        "2026-11-21 02:02:25,856 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving BP-1788024524-10.77.3.10-1795226328902:blk_1073741825_1001 src: /10.77.3.13:51822 dest: /10.77.3.11:9866",
    ],
};

impl Format for DataNode {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, Kind::DataNode)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Walk::new(Node))
    }
}

#[derive(Debug, Default)]
struct Node;

impl Messages for Node {
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let (fit, event) = match record.class() {
            b"clienttrace" => clienttrace::event_of(record.message),
            // 0.18 logs by inner classes: `dfs.DataNode$DataXceiver`.
            class
                if class.starts_with(b"DataNode")
                    || matches!(class, b"DataXceiver" | b"BlockReceiver" | b"BlockSender") =>
            {
                event_of(record.message)
            }
            _ => (Fit::Other, None),
        };
        if let Some(event) = event {
            out.event(line, record.at, &event);
        }
        fit
    }
}

/// What a message of the DataNode's own classes says.
fn event_of(message: &[u8]) -> (Fit, Option<Event>) {
    let known = |event: Option<Event>| match event {
        Some(event) => (Fit::Known, Some(event)),
        None => (Fit::Malformed, None),
    };
    if let Some(text) = message.strip_prefix(b"Receiving ") {
        return known(receiving(text));
    }
    if let Some(text) = message.strip_prefix(b"PacketResponder") {
        // `PacketResponder 0 for block blk_… Interrupted.` is no end: the exception follows.
        return if text.trim_ascii_end().ends_with(b" terminating") {
            known(block_in(text).map(|block| Event::Terminating { block }))
        } else {
            (Fit::Known, None)
        };
    }
    if let Some(text) = message.strip_prefix(b"Received ") {
        return match received(text) {
            Some(event) => (Fit::Known, Some(event)),
            None => (Fit::Other, None),
        };
    }
    if let Some(text) = message.strip_prefix(b"writeBlock ").or_else(|| message.strip_prefix(b"opWriteBlock ")) {
        return match block_at(text) {
            Some((block, rest)) if rest.starts_with(b" received exception") => {
                (Fit::Known, Some(Event::WriteFailed { block }))
            }
            _ => (Fit::Other, None),
        };
    }
    // The rest begins with the node's own address or registration, or is rare.
    if let Some(at) = memmem::find(message, b"Served block ") {
        return known(served(message.get(at + b"Served block ".len()..).unwrap_or_default()));
    }
    if let Some(at) = memmem::find(message, b"Got exception while serving ") {
        return known(serve_failed(message.get(at + b"Got exception while serving ".len()..).unwrap_or_default()));
    }
    (Fit::Other, None)
}

/// `[block ]BLK`, and what follows.
fn block_at(text: &[u8]) -> Option<(BlockId, &[u8])> {
    BlockId::parse_prefix(text.strip_prefix(b"block ").unwrap_or(text))
}

/// The first block named anywhere.
fn block_in(text: &[u8]) -> Option<BlockId> {
    BlockId::parse_prefix(text.get(memmem::find(text, b"blk_")?..)?).map(|(block, _)| block)
}

/// The word behind `key`, up to a blank.
fn word_after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let text = text.get(memmem::find(text, key)? + key.len()..)?;
    text.split(|b| *b == b' ').next()
}

fn receiving(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    let src = address::socket(word_after(rest, b"src: ")?)?;
    Some(Event::Receiving { block, src, dest: word_after(rest, b"dest: ").and_then(address::socket) })
}

/// `BLK src: /a:p dest: /b:p of size N`, or `BLK of size N from /a`.
fn received(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    let (bytes, _) = number(word_after(rest, b"of size ")?)?;
    let src = match word_after(rest, b"src: ") {
        Some(address) => address::socket(address),
        None => word_after(rest, b"from ")
            .and_then(|a| address::socket(a).or_else(|| Some(SocketAddr::new(address::ip(a)?, PORT_NOT_PRINTED)))),
    };
    Some(Event::Received { block, src, bytes })
}

fn served(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    Some(Event::Served { block, dest: address::ip(word_after(rest, b"to ")?)? })
}

fn serve_failed(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    let dest = word_after(rest, b"to ").and_then(|a| address::ip(a.strip_suffix(b":").unwrap_or(a)));
    Some(Event::ServeFailed { block, dest })
}
