//! What masters say of nodes.
//!
//! ```text
//! JobTracker       Lost tracker 'tracker_h103:localhost/127.0.0.1:40719'
//! JobInProgress    TaskTracker at 'h105' turned 'flaky'
//! JobTracker       Adding new blacklisted tracker : h432 Reason for blacklisting is : NODE_UNHEALTHY Reason details : …
//! TaskInProgress   Error from attempt_…_m_000001_0: Map output lost, rescheduling: getMapOutput(attempt_…,1) failed :
//! TaskInProgress   Error from attempt_… on tracker_slave4:127.0.0.1/127.0.0.1:42360: Task attempt_… failed to report …
//! StateChange      BLOCK* removeDeadDatanode: lost heartbeat from 10.77.3.14:9866, removeBlocksFromBlockMap true
//! NameNode         Disk error on DatanodeRegistration(10.77.3.14:9866, datanodeUuid=…): DataNode failed volumes:/data/2;
//! RMNodeImpl       h304:45454 Node Transitioned from RUNNING to LOST
//! ```

use super::text::{address_after, attempt_after, block_after, host_after, word};
use crate::base::AttemptId;
use crate::base::bytes;
use crate::model::errors::LOST_TRACKER;
use crate::model::{ComplaintKind, Said, Subject};

/// Beginnings of a JobTracker's messages behind which the host stands.
const OF_HOSTS: &[(&[u8], ComplaintKind)] = &[
    (b"Lost tracker '", ComplaintKind::LostNode),
    (b"TaskTracker at '", ComplaintKind::Blacklisted),
    // JobTracker$FaultyTrackersInfo since 0.20.203.
    (b"Adding new blacklisted tracker : ", ComplaintKind::Blacklisted),
    (b"Blacklisting tracker : ", ComplaintKind::Blacklisted),
    (b"Adding new graylisted tracker : ", ComplaintKind::Blacklisted),
    // It says that the tracker is lost, too, a moment later.
    (b"Decommissioning host ", ComplaintKind::Decommissioned),
    (b"No room for map task. Node ", ComplaintKind::NoSpace),
    (b"No room for reduce task. Node ", ComplaintKind::NoSpace),
];

/// The same where a tracker's own health script may be why.
const OF_HOSTS_UNHEALTHY: [&[u8]; 3] = [
    b"Adding new blacklisted tracker : ",
    b"Adding/overwriting reason for blacklisted tracker : ",
    b"Adding new reason for blacklisted tracker : ",
];

pub(super) fn jobtracker(message: &[u8]) -> Option<Said> {
    if let Some(text) = message.strip_prefix(b"Error from ") {
        return error_from(text);
    }
    // `… Reason details : ERROR disk sdb1 is failing`: what the node's health script says.
    let unhealthy = OF_HOSTS_UNHEALTHY.iter().find(|key| message.starts_with(key));
    if let Some(key) = unhealthy.filter(|_| bytes::contains(message, b": NODE_UNHEALTHY")) {
        return Some(Said::new(ComplaintKind::UnhealthyNode, host_after(message, key)?));
    }
    if let Some((key, kind)) = OF_HOSTS.iter().find(|(key, _)| message.starts_with(key)) {
        return Some(Said::new(*kind, host_after(message, key)?));
    }
    // 0.20.2: `Adding h103 to the blacklist across all jobs`.
    if let Some(text) = message.strip_prefix(b"Adding ")
        && text.get(word(text).len()..)?.starts_with(b" to the blacklist")
    {
        return Some(Said::new(ComplaintKind::Blacklisted, host_after(text, b"")?));
    }
    if message.starts_with(b"Failed fetch notification #") {
        // `… for task ATT` up to 0.20.203, then `… for map task: ATT running on tracker: T and reduce task: ATT …`.
        let attempt = attempt_after(message, b" for task ").or_else(|| attempt_after(message, b" for map task: "))?;
        return Some(Said::of_attempt(ComplaintKind::FetchFailed, attempt));
    }
    if message.starts_with(b"Too many fetch-failures for output of task") {
        let attempt = AttemptId::find(message)?;
        return Some(Said::of_attempt(ComplaintKind::TooManyFetchFailures, attempt));
    }
    None
}

/// `ATT[ on tracker_HOST:…]: ERROR`
fn error_from(text: &[u8]) -> Option<Said> {
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    let kind = ComplaintKind::of_error(rest).unwrap_or(ComplaintKind::AttemptFailed);
    let before_host = if rest.starts_with(b" on ") { b" on " } else { LOST_TRACKER.as_bytes() };
    let of = host_after(rest, before_host);
    Some(Said { of: of.unwrap_or(Subject::Attempt), ..Said::of_attempt(kind, attempt) })
}

/// How the NameNode begins to pass on what a DataNode says of its disks; by the second it has none left that works.
const DISK_ERRORS: [&[u8]; 2] = [b"Disk error on ", b"Fatal disk error on "];

/// How the NameNode begins to tell whom it takes out of service: up to 2.0, up to 2.6, since then, for a while (2.10).
const DECOMMISSIONS: [&[u8]; 4] = [
    b"Start Decommissioning node ",
    b"Start Decommissioning ",
    b"Starting decommission of ",
    b"Starting maintenance of ",
];

pub(super) fn namenode(message: &[u8]) -> Option<Said> {
    if let Some(node) = DISK_ERRORS.iter().find_map(|key| message.strip_prefix(*key)) {
        // Up to 1.x the address stands alone.
        let node = node.strip_prefix(b"DatanodeRegistration(").unwrap_or(node);
        let of = address_after(node, b"").map_or(Subject::Unsaid, Subject::Address);
        return Some(Said::new(ComplaintKind::BadDisk, of));
    }
    if let Some(node) = DECOMMISSIONS.iter().find_map(|key| message.strip_prefix(*key)) {
        return Some(Said::new(ComplaintKind::Decommissioned, Subject::Address(address_after(node, b"")?)));
    }
    if let Some(nodes) = message.strip_prefix(b"Slow nodes list: [") {
        // SlowPeerTracker, since 3.3: whom most that write through it find slow.
        let of = Subject::Address(address_after(nodes, b"").filter(|_| !nodes.contains(&b','))?);
        return Some(Said::new(ComplaintKind::SlowNetwork, of));
    }
    if !message.starts_with(b"BLOCK") {
        return None;
    }
    if let Some(ip) = address_after(message, b"lost heartbeat from ") {
        return Some(Said::new(ComplaintKind::LostNode, Subject::Address(ip)));
    }
    // `BLOCK NameSystem.addToCorruptReplicasMap: blk_1 added as corrupt on 10.0.0.1:50010 by /10.0.0.2`
    let ip = address_after(message, b" added as corrupt on ")?;
    let block = block_after(message, b"addToCorruptReplicasMap: ");
    Some(Said { block, ..Said::new(ComplaintKind::BadChecksum, Subject::Address(ip)) })
}

pub(super) fn resourcemanager(message: &[u8]) -> Option<Said> {
    if let Some(at) = bytes::find(message, b" Node Transitioned from ") {
        let kind = match message.rsplit(|b| *b == b' ').next()? {
            b"LOST" => ComplaintKind::LostNode,
            b"UNHEALTHY" => ComplaintKind::UnhealthyNode,
            b"DECOMMISSIONED" | b"DECOMMISSIONING" => ComplaintKind::Decommissioned,
            _ => return None,
        };
        return Some(Said::new(kind, host_after(message.get(..at)?, b"")?));
    }
    let details = message.strip_prefix(b"Node ").filter(|text| bytes::contains(text, b" reported UNHEALTHY"))?;
    let kind = ComplaintKind::of_words(details).unwrap_or(ComplaintKind::UnhealthyNode);
    Some(Said::new(kind, host_after(details, b"")?))
}
