//! What DataNodes and their clients say of disks, pipelines and one another.
//!
//! ```text
//! DataNode   Slow BlockReceiver write packet to mirror took 316ms (threshold=300ms), downstream DNs=[10.77.3.14:9866], blockId=7
//! DataNode   Slow flushOrSync took 412ms (threshold=300ms), isSync:true, …, volume=file:/…, blockId=7
//! DataNode   h305:9866:DataXceiver error processing WRITE_BLOCK operation  src: /10.77.3.10:39288 dst: /10.77.3.15:9866
//! DataNode   DatanodeRegistration(…):Failed to transfer blk_7_1 to 10.77.1.15:50010 got java.net.SocketException: …
//! DataNode   checkDiskErrorAsync callback got 1 failed volumes: [/data/2]
//! DataNode   DataNode.handleDiskError on: [/data/2] Keep Running: true
//! DataNode   PacketResponder: BP-…:blk_7_1, type=HAS_DOWNSTREAM_IN_PIPELINE, downstreams=1:[10.77.3.14:9866]
//! DFSClient  Exception in createBlockOutputStream java.io.IOException: Bad connect ack with firstBadLink 10.77.1.11:50010
//! DFSClient  Error Recovery for block blk_7_1 in pipeline 10.77.1.11:50010, 10.77.1.15:50010: bad datanode 10.77.1.11:50010
//! ```
//! A wait for the pipeline as a whole (`Slow ReadProcessor`, `Slow waitForAckedSeqno`) has
//! a subject only where the pipeline has one node.

use super::text::{address_after, block_after, word};
use crate::base::BlockId;
use crate::base::bytes::{self, after};
use crate::base::ids::number;
use crate::format::log4j::Level;
use crate::model::{ComplaintKind, Said, Subject};
use memchr::memmem;

/// Messages of a DataNode's every day, which are no complaints.
const EVERYDAY: &[&[u8]] = &[b"Receiv", b"Served ", b"Deleting ", b"Scheduling "];

pub(super) fn datanode(message: &[u8], level: Level) -> Option<Said> {
    if message.starts_with(b"Slow ") {
        return slow(message);
    }
    if message.starts_with(b"PacketResponder") {
        return responder(message);
    }
    // `writeBlock` is the form of 0.18 to 1.x; later forms have a line with the address.
    if let Some(text) = message.strip_prefix(b"writeBlock ") {
        let has = |word: &[u8]| bytes::contains(text, word);
        if ComplaintKind::of_words(text) == Some(ComplaintKind::NoSpace) {
            return Some(Said { block: block_after(text, b""), ..Said::new(ComplaintKind::NoSpace, Subject::Own) });
        }
        let broken = has(b" received exception ") && !has_the_block(text);
        let said = Said { block: block_after(text, b""), ..Said::new(ComplaintKind::WriteBroken, Subject::Unsaid) };
        return broken.then_some(said);
    }
    if let Some(text) = message.strip_prefix(b"checkDiskErrorAsync callback got ") {
        let (failed, _) = number(text)?;
        return (failed > 0).then(|| Said::new(ComplaintKind::BadDisk, Subject::Own));
    }
    // Up to 2.7 `handleDiskError: Keep Running: …` without the volumes.
    if message.starts_with(b"DataNode.handleDiskError") {
        return Some(Said::new(ComplaintKind::BadDisk, Subject::Own));
    }
    if level < Level::Warn && EVERYDAY.iter().any(|begin| message.starts_with(begin)) {
        return None;
    }
    if let Some(command) = message.strip_prefix(b"DatanodeCommand action") {
        let register = bytes::contains(command, b"DNA_REGISTER");
        return register.then(|| Said::new(ComplaintKind::Rejoined, Subject::Own));
    }
    if let Some(text) = after(message, b":DataXceiver error processing ") {
        let kind = match word(text) {
            b"WRITE_BLOCK" => ComplaintKind::WriteBroken,
            b"READ_BLOCK" => ComplaintKind::ReadBroken,
            _ => return None,
        };
        let said = Said::new(kind, address(address_after(text, b" src: ")));
        return (!has_the_block(text)).then_some(said);
    }
    for (key, behind, kind) in [
        (b"Got exception while serving ".as_slice(), b" to ".as_slice(), ComplaintKind::ReadBroken),
        (b":Failed to transfer ", b" to ", ComplaintKind::BrokenPipeline),
        (b"Exception writing ", b" to mirror ", ComplaintKind::BrokenPipeline),
        // Until 3.3, and since 3.4.
        (b"Exception transfering ", b" to mirror ", ComplaintKind::BrokenPipeline),
        (b"Exception transferring ", b" to mirror ", ComplaintKind::BrokenPipeline),
    ] {
        if let Some(text) = after(message, key) {
            let block = block_after(text, b"");
            return Some(Said { block, ..Said::new(kind, address(address_after(text, behind))) });
        }
    }
    None
}

/// Whether a write was refused since the block is there already: no trouble (`BlockAlreadyExistsException` up to 1.x, then
/// `ReplicaAlreadyExistsException`).
pub(super) fn has_the_block(text: &[u8]) -> bool {
    bytes::contains(text, b"AlreadyExistsException")
}

/// `checkAllVolumes timed out after 600000 ms`, `Volume /data/2 detected as being unhealthy` (DatasetVolumeChecker, 2.9 and
/// later).
pub(super) fn volume_checker(message: &[u8]) -> Option<Said> {
    let bad = message.starts_with(b"checkAllVolumes timed out")
        || (message.starts_with(b"Volume ") && message.ends_with(b" detected as being unhealthy"));
    bad.then(|| Said::new(ComplaintKind::BadDisk, Subject::Own))
}

fn address(ip: Option<std::net::IpAddr>) -> Subject {
    ip.map_or(Subject::Unsaid, Subject::Address)
}

/// A responder that neither terminates nor is interrupted has lost the node behind it.
fn responder(message: &[u8]) -> Option<Said> {
    let text = message.trim_ascii_end();
    let old = bytes::contains(text, b" Exception ");
    let new = text.starts_with(b"PacketResponder: ") && bytes::contains(text, b"type=HAS_DOWNSTREAM_IN_PIPELINE");
    if !(old || new) || text.ends_with(b"terminating") || text.ends_with(b"Interrupted.") {
        return None;
    }
    let of = bytes::find(text, b"downstreams=").and_then(|at| address_after(text.get(at..)?, b":["));
    Some(Said { block: BlockId::find(text), ..Said::new(ComplaintKind::BrokenPipeline, address(of)) })
}

/// `Slow WHAT took|cost: Nms (threshold=…`.
fn slow(message: &[u8]) -> Option<Said> {
    let text = message.strip_prefix(b"Slow ")?;
    let millis = after(text, b" took ").or_else(|| after(text, b" cost:"))?.trim_ascii_start();
    let (took, rest) = number(millis)?;
    rest.strip_prefix(b"ms")?;
    let (kind, of) = match text {
        t if t.starts_with(b"BlockReceiver write packet to mirror") => {
            (ComplaintKind::SlowNetwork, address(address_after(rest, b"downstream DNs=[")))
        }
        t if t.starts_with(b"PacketResponder") => (ComplaintKind::SlowNetwork, Subject::Unsaid),
        t if t.starts_with(b"ReadProcessor") => (ComplaintKind::SlowNetwork, only_one(rest, b"targets: [")),
        t if t.starts_with(b"waitForAckedSeqno") => (ComplaintKind::SlowNetwork, only_one(rest, b"datanodes: [")),
        _ => (ComplaintKind::SlowDisk, Subject::Own),
    };
    let block = match after(rest, b"blockId=").and_then(number) {
        Some((id, _)) => i64::try_from(id).ok().map(BlockId),
        None => block_after(text, b" for block "),
    };
    Some(Said { block, took_ms: Some(took), ..Said::new(kind, of) })
}

/// The node of a list that has one only.
fn only_one(text: &[u8], key: &[u8]) -> Subject {
    let Some(list) = after(text, key) else { return Subject::Unsaid };
    let nodes = memmem::find_iter(list, b"DatanodeInfoWithStorage[").count();
    // Up to 2.6 the addresses stand alone.
    let bare = nodes == 0 && list.strip_suffix(b"]").is_some_and(|list| !list.contains(&b','));
    if nodes == 1 || bare { address(address_after(list, b"")) } else { Subject::Unsaid }
}

pub(super) fn client(message: &[u8]) -> Option<Said> {
    if message.starts_with(b"Slow ") {
        return slow(message);
    }
    let (kind, ip) = if let Some(text) = message.strip_prefix(b"Error Recovery for ") {
        let bad = after(text, b": bad datanode ").map(|text| address_after(text, b""));
        // `…: datanode 0(DatanodeInfoWithStorage[10.0.0.1:9866,DS-…,DISK]) is bad.`
        let new = || address_after(after(text, b": datanode ")?, b"(");
        (ComplaintKind::BrokenPipeline, bad.unwrap_or_else(new)?)
    } else if message.starts_with(b"Excluding datanode ") {
        (ComplaintKind::BrokenPipeline, address_after(message, b"Excluding datanode ")?)
    } else if message.starts_with(b"Exception in createBlockOutputStream ") {
        // 1.x puts `as` before the address; later versions tell it in the trace, and exclude the node in a line of its own.
        let link = after(message, b" with firstBadLink ")?;
        (ComplaintKind::Unreachable, address_after(link.strip_prefix(b"as ").unwrap_or(link), b"")?)
    } else if message.starts_with(b"Failed to connect to ") {
        (ComplaintKind::Unreachable, address_after(message, b"Failed to connect to ")?)
    } else {
        let bad = bytes::find(message, b"Bad response ")?;
        (ComplaintKind::BrokenPipeline, address_after(message.get(bad..)?, b" from datanode ")?)
    };
    Some(Said { block: BlockId::find(message), ..Said::new(kind, Subject::Address(ip)) })
}

/// `Verification failed for blk_7_1. …`, `Reporting bad BP-…:blk_7_1 on /data/1`.
pub(super) fn scanner(message: &[u8]) -> Option<Said> {
    let bad = message.starts_with(b"Verification failed for ") || message.starts_with(b"Reporting bad ");
    bad.then(|| Said { block: BlockId::find(message), ..Said::new(ComplaintKind::BadChecksum, Subject::Own) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_every_day_are_met() {
        for begin in EVERYDAY {
            let trouble = b":DataXceiver error processing WRITE_BLOCK operation  src: /10.0.0.1:5 dest: /10.0.0.2:6";
            let message = [*begin, trouble].concat();
            // What begins otherwise, or is a warning, is looked at further.
            assert!(datanode(&message, Level::Warn).is_some() && datanode(trouble, Level::Info).is_some());
            assert_eq!(datanode(&message, Level::Info), None);
        }
    }
}
