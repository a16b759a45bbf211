//! Names of hosts inside messages.

use crate::base::bytes::after;
use crate::base::{AttemptId, BlockId};
use crate::format::address;
use crate::model::Subject;
use std::net::IpAddr;

/// The word that begins `text`: up to a blank or one of Java's list and bracket marks.
#[must_use]
pub fn word(text: &[u8]) -> &[u8] {
    let ends = |b: &u8| matches!(b, b' ' | b',' | b'[' | b']' | b'(' | b')' | b'\'' | b'"' | b';' | b'\t');
    text.get(..text.iter().position(ends).unwrap_or(text.len())).unwrap_or_default()
}

/// The address that begins what stands behind `key`: `/10.0.0.1:50010`, `10.0.0.1:9866,`,
/// `DatanodeInfoWithStorage[10.0.0.1:9866,DS-…`.
#[must_use]
pub fn address_after(text: &[u8], key: &[u8]) -> Option<IpAddr> {
    let text = after(text, key)?;
    let text = text.strip_prefix(b"DatanodeInfoWithStorage[").unwrap_or(text);
    let word = word(text);
    // `… to mirror 10.0.0.1:50010. continuing …`, `… 10.0.0.1:9866- continuing …`; what has a name as well goes by that.
    let ends = [b":", b".", b"-"].into_iter().find_map(|mark| word.strip_suffix(mark));
    let ends = ends.filter(|address| word.ends_with(b":") || !address.contains(&b'/'));
    address::ip(ends.unwrap_or(word)).filter(|ip| !ip.is_loopback())
}

/// The host that begins what stands behind `key`: `h304:45454`, `h304`,
/// `tracker_h103:localhost/127.0.0.1:4`, `h300/10.77.3.10:9000`, `10.77.3.10:9000`.
#[must_use]
pub fn host_after(text: &[u8], key: &[u8]) -> Option<Subject> {
    let word = word(after(text, key)?);
    let word = word.strip_prefix(b"tracker_").unwrap_or(word);
    if let Some(ip) = address::ip(word).filter(|ip| !ip.is_loopback()) {
        // `name/ip` has a name too, but the address is the surer of both.
        return Some(Subject::Address(ip));
    }
    let end = word.iter().position(|b| matches!(b, b':' | b'/')).unwrap_or(word.len());
    let name = std::str::from_utf8(word.get(..end)?).ok()?.trim_end_matches('.');
    (!name.is_empty()).then(|| Subject::Host(name.into()))
}

/// The attempt that begins what stands behind `key`.
#[must_use]
pub fn attempt_after(text: &[u8], key: &[u8]) -> Option<AttemptId> {
    AttemptId::parse_prefix(after(text, key)?).map(|(attempt, _)| attempt)
}

/// The block that begins what stands behind `key`, with or without the word.
#[must_use]
pub fn block_after(text: &[u8], key: &[u8]) -> Option<BlockId> {
    let text = after(text, key)?;
    BlockId::parse_prefix(text.strip_prefix(b"block ").unwrap_or(text)).map(|(block, _)| block)
}
