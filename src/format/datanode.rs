//! DataNode log, Hadoop 0.18 to 3.x.
//!
//! ```text
//! 081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_… src: /10.0.0.2:54106 dest: /…             0.18
//! … DataNode: Receiving block blk_-46…_1763 src: /10.77.1.11:38004 dest: /10.77.1.12:50010                  0.19, 0.20
//! … DataNode: Receiving BP-…:blk_1073741825_1001 src: /10.77.3.10:50706 dest: /10.77.3.11:9866               2.x, 3.x
//! … DataNode.clienttrace: src: …, op: HDFS_WRITE, …
//! … DataNode.clienttrace: DatanodeRegistration(…) Served block blk_-46…_1763 to /10.77.1.12       0.19 on, to no client
//! … DataNode: PacketResponder 1 for block blk_… terminating
//! ```
//! Written by DataNode, DataXceiver, BlockReceiver (its PacketResponder) and BlockSender
//! (`org.apache.hadoop.dfs`, `org.apache.hadoop.hdfs.server.datanode`). Cost: O(line).

use super::daemon::{Fit, Messages, Walk};
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse, address, clienttrace};
use crate::base::BlockId;
use crate::base::bytes;
use crate::base::ids::number;
use crate::model::{Clock, Event, PORT_NOT_PRINTED, formats};
use std::net::SocketAddr;

/// The format.
#[derive(Debug)]
pub struct DataNode;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::DATANODE,
    title: "DataNode log",
    versions: "0.18 to 3.x",
    written_by: "org.apache.hadoop.hdfs.server.datanode.DataNode",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "081109 203518 143 INFO dfs.DataNode$DataXceiver: Receiving block blk_-1608 src: /10.0.0.2:54106 dest: /10.0.0.2:50010",
        "2026-11-20 21:24:28,649 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block blk_-8724932680214079537_1068 src: /10.77.1.10:60254 dest: /10.77.1.11:50010",
        "2026-11-20 21:24:28,688 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: PacketResponder 2 for block blk_-8724932680214079537_1068 terminating",
        "2026-11-20 21:24:35,029 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: /10.77.1.11:50010, dest: /10.77.1.10:60010, bytes: 11273, op: HDFS_READ, cliID: DFSClient_-458403616, srvID: DS-1082934178-10.77.1.11-50010-1795226677364, blockid: blk_-7370931232896319564_1069",
        "2026-11-21 02:17:27,962 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: src: /10.77.3.11:50476, dest: /10.77.3.11:9866, bytes: 4194304, op: HDFS_WRITE, cliID: DFSClient_attempt_1795226467746_0009_r_000004_0_-101954046_1, offset: 0, srvID: 9360afee-b422-4514-abc5-5ff9432d4cac, blockid: BP-1788024524-10.77.3.10-1795226328902:blk_1073742003_1179, duration(ns): 1311501741",
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
            b"clienttrace" => traced(record.message),
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
            clienttrace::give_out(&event, record, line, out);
        }
        fit
    }
}

/// What a line of the trace says. Where the reader names no client, as another DataNode, DataXceiver hands its
/// BlockSender `… Served block …` for this line, without an operation (0.19 to 3.x, `clientTraceFmt`).
fn traced(message: &[u8]) -> (Fit, Option<Event>) {
    match clienttrace::event_of(message) {
        (Fit::Malformed, None) if served_in(message).is_some() => event_of(message),
        said => said,
    }
}

/// What a message of the DataNode's own classes says.
fn event_of(message: &[u8]) -> (Fit, Option<Event>) {
    if let Some(text) = message.strip_prefix(b"Receiving ") {
        return Fit::of(receiving(text));
    }
    if let Some(text) = message.strip_prefix(b"PacketResponder") {
        // `PacketResponder 0 for block blk_… Interrupted.` is no end: the exception follows.
        return if text.trim_ascii_end().ends_with(b" terminating") {
            Fit::of(BlockId::find(text).map(|block| Event::Terminating { block }))
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
    if let Some(text) = served_in(message) {
        return Fit::of(served(text));
    }
    if let Some(text) = bytes::after(message, b"Got exception while serving ") {
        return Fit::of(serve_failed(text));
    }
    (Fit::Other, None)
}

/// `[block ]BLK`, and what follows.
fn block_at(text: &[u8]) -> Option<(BlockId, &[u8])> {
    BlockId::parse_prefix(text.strip_prefix(b"block ").unwrap_or(text))
}

/// The word behind `key`, up to a blank.
fn word_after<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let text = text.get(bytes::find(text, key)? + key.len()..)?;
    text.split(|b| *b == b' ').next()
}

fn receiving(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    let src = address::socket(word_after(rest, b"src: ")?)?;
    Some(Event::Receiving { block, src, dest: word_after(rest, b"dest: ").and_then(address::socket) })
}

/// `BLK src: /a:p dest: /b:p of size N`, or `BLK of size N from /a`; in 2.x and 3.x `BLK size N from /a`.
fn received(text: &[u8]) -> Option<Event> {
    let (block, rest) = block_at(text)?;
    let (bytes, _) = number(word_after(rest, b" size ")?)?;
    let src = match word_after(rest, b"src: ") {
        Some(address) => address::socket(address),
        None => word_after(rest, b"from ")
            .and_then(|a| address::socket(a).or_else(|| Some(SocketAddr::new(address::ip(a)?, PORT_NOT_PRINTED)))),
    };
    Some(Event::Received { block, src, bytes })
}

/// What stands behind `Served block `, or `Served ` in 1.x.
fn served_in(message: &[u8]) -> Option<&[u8]> {
    let text = bytes::after(message, b"Served ")?;
    text.strip_prefix(b"block ").or_else(|| Some(text).filter(|text| text.starts_with(b"blk_")))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Option<Event> {
        event_of(message.as_bytes()).1
    }

    #[test]
    fn zeros_before_a_line_hide_nothing() {
        let line = "2026-11-21 02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: \
                    Receiving block blk_7_1 src: /10.0.0.1:5 dest: /10.0.0.2:6\n";
        let found = crate::format::tests::rows(&DataNode, &format!("{line}{}{line}", "\0".repeat(300)));
        assert_eq!(found.iter().filter(|row| matches!(row.event, Event::Receiving { .. })).count(), 2);
    }

    #[test]
    fn missing_client_is_told() {
        let said = |client: &str| {
            let line = format!(
                "2026-11-21 02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace: \
                 src: /10.0.0.1:5, dest: /10.0.0.2:6, bytes: 7, op: HDFS_WRITE,{client} srvID: u, blockid: blk_5_6\n"
            );
            let rows = crate::format::tests::rows(&DataNode, &line);
            assert!(matches!(rows.last().unwrap().event, Event::Wrote { bytes: 7, .. }));
            rows.iter().filter(|row| matches!(row.event, Event::ClientUntold)).count()
        };
        assert_eq!(
            [" cliID: DFSClient_NONMAPREDUCE_1_1,", " cliID: DFSClient_attempt_1_0001_m_000003_0,"].map(said),
            [0; 2]
        );
        assert_eq!(["", " cliID: ,", " cliID:,"].map(said), [1; 3]);
    }

    #[test]
    fn pool_stamp_and_the_word_block_do_not_matter() {
        let forms = [
            "Receiving block blk_7_1 src: /10.0.0.1:5 dest: /10.0.0.2:6",
            "Receiving blk_7_2 src: /10.0.0.1:5 dest: /10.0.0.2:6",
            "Receiving BP-1-10.0.0.9-2:blk_7_3 src: /10.0.0.1:5 dest: /10.0.0.2:6",
        ];
        let first = forms.first().and_then(|form| said(form));
        assert!(matches!(first, Some(Event::Receiving { block: BlockId(7), .. })));
        assert!(forms.iter().all(|form| said(form) == first));
    }

    #[test]
    fn replica_is_read_in_both_forms() {
        let src = |message: &str| match said(message) {
            Some(Event::Received { block: BlockId(7), bytes: 9, src }) => src.map(|a| a.to_string()),
            _ => None,
        };
        assert_eq!(
            src("Received block blk_7_1 src: /10.0.0.1:5 dest: /10.0.0.2:6 of size 9").as_deref(),
            Some("10.0.0.1:5")
        );
        assert_eq!(src("Received block blk_7 of size 9 from /10.0.0.1").as_deref(), Some("10.0.0.1:0"));
        assert_eq!(src("Received BP-1-10.0.0.9-2:blk_7_3 size 9 from /10.0.0.1").as_deref(), Some("10.0.0.1:0"));
    }

    #[test]
    fn block_is_served_in_the_trace_to_a_reader_without_a_name() {
        let registered = "DatanodeRegistration(10.0.0.1:50010, storageID=DS-1, infoPort=50075, ipcPort=50020)";
        let of = |block: &str, to: &str| traced(format!("{registered} Served block {block} to {to}").as_bytes());
        let dest = std::net::IpAddr::from([10, 0, 0, 2]);
        let served = (Fit::Known, Some(Event::Served { block: BlockId(7), dest }));
        assert_eq!(of("blk_7_1", "/10.0.0.2"), served);
        assert_eq!(of("BP-1-10.0.0.9-2:blk_7_1", "/10.0.0.2:41"), served);
        // 1.x has no word for what is served.
        let in_1 = |to: &str| traced(format!("{registered} Served blk_7_1 to {to}").as_bytes());
        assert_eq!(in_1("/10.0.0.2"), served);
        assert_eq!(of("blk_7_1", ""), (Fit::Malformed, None));
        assert_eq!(traced(b"src: /10.0.0.1:50010, dest: /10.0.0.2:41, byt"), (Fit::Malformed, None));
    }

    #[test]
    fn interrupted_responder_is_no_end() {
        assert_eq!(said("PacketResponder 0 for block blk_7_1 Interrupted."), None);
        assert_eq!(
            said("PacketResponder 0 for block blk_7_1 terminating"),
            Some(Event::Terminating { block: BlockId(7) })
        );
    }

    #[test]
    fn cut_line_is_malformed() {
        assert_eq!(event_of(b"Receiving block blk_7_1 sr"), (Fit::Malformed, None));
    }
}
