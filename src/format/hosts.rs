//! Hosts that a log names: its own, and others.
//!
//! ```text
//! STARTUP_MSG:   host = h101/10.77.1.11                          StringUtils, 0.18 to 3.x
//! … Starting tracker tracker_h101:localhost/127.0.0.1:43729      TaskTracker, 0.18 to 1.x
//! … Problem connecting to server: h300/10.77.3.10:9000           any `name/ip` in a message
//! … Auth successful for x (auth:SIMPLE) from h301:33474 / 10.77.3.11:33474    `name:port / ip:port` (3.3 and later)
//! ```
//! A loopback address (127.*) says nothing about a host and is never claimed.
//! Cost: a `memchr` for `/` a message; each address is remembered, so that it allocates
//! once a file.

use super::{Out, address};
use crate::base::HOST_NAME_BYTES;
use crate::model::{HostClaim, HostSource};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses remembered a file: more than any cluster has nodes; a bound for hostile input.
const ADDRESSES_KEPT: usize = 1 << 16;
/// Longest `ip` text of a mention; `255.255.255.255`.
const IPV4_BYTES: usize = 15;

/// Names remembered an address: its own, with a domain and without, and what its service is called.
const NAMES_KEPT: usize = 4;

/// The hosts mentioned so far; the first names of an address are kept.
#[derive(Debug, Default)]
pub struct Mentions {
    seen: BTreeMap<IpAddr, Vec<Box<[u8]>>>,
}

impl Mentions {
    /// Claims every `name/ip` and `name:port / ip:port` in `message`.
    pub fn scan(&mut self, message: &[u8], out: &mut Out<'_>) {
        for slash in memchr::memchr_iter(b'/', message) {
            let after = message.get(slash + 1..).unwrap_or_default();
            let spaced = after.strip_prefix(b" ");
            let after = spaced.unwrap_or(after);
            if !after.first().is_some_and(u8::is_ascii_digit) {
                continue;
            }
            let before = message.get(..slash).unwrap_or_default();
            let before = match spaced {
                None => Some(before),
                Some(_) => before.strip_suffix(b" ").and_then(without_port),
            };
            let Some(name) = before.and_then(name_before) else { continue };
            let digits = after.iter().take(IPV4_BYTES).take_while(|b| b.is_ascii_digit() || **b == b'.').count();
            let Some(ip) = real_ip(after.get(..digits).unwrap_or_default()) else { continue };
            let has_room = self.seen.len() < ADDRESSES_KEPT;
            let names = match self.seen.get_mut(&ip) {
                Some(names) if names.len() < NAMES_KEPT && names.iter().all(|known| **known != *name) => names,
                None if has_room => self.seen.entry(ip).or_default(),
                _ => continue,
            };
            names.push(name.into());
            claim(HostSource::Mention, name, Some(ip), out);
        }
    }
}

/// Claims the host of a `STARTUP_MSG:   host = NAME/IP` line.
pub fn startup(line: &[u8], out: &mut Out<'_>) {
    let Some(text) = line.strip_prefix(b"STARTUP_MSG:") else { return };
    let Some(text) = text.trim_ascii_start().strip_prefix(b"host = ") else { return };
    let text = text.trim_ascii_end();
    let slash = memchr::memchr(b'/', text).unwrap_or(text.len());
    let name = text.get(..slash).unwrap_or_default();
    if is_name(name) {
        claim(HostSource::Startup, name, real_ip(text.get(slash + 1..).unwrap_or_default()), out);
    }
}

/// Claims the host of a `Starting tracker tracker_NAME:…` message; says whether it is one.
pub fn tracker(message: &[u8], out: &mut Out<'_>) -> bool {
    let Some(text) = message.strip_prefix(b"Starting tracker tracker_") else { return false };
    let name = text.split(|b| *b == b':').next().unwrap_or_default();
    if is_name(name) {
        claim(HostSource::Tracker, name, None, out);
    }
    true
}

/// Claims the host that whoever gathered a log names as its own.
pub fn named(name: &[u8], out: &mut Out<'_>) {
    if is_name(name) {
        claim(HostSource::Tracker, name, None, out);
    }
}

fn claim(source: HostSource, name: &[u8], ip: Option<IpAddr>, out: &mut Out<'_>) {
    if let Ok(name) = std::str::from_utf8(name) {
        out.host(HostClaim { source, name: name.into(), ip });
    }
}

fn real_ip(text: &[u8]) -> Option<IpAddr> {
    address::ip(text).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

/// Bytes of a host name, with at least one letter: a number before a slash is none.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= HOST_NAME_BYTES
        && name.iter().all(|b| is_name_byte(*b))
        && name.iter().any(u8::is_ascii_alphabetic)
}

const fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_')
}

/// `… h301:33474` without the port; `None` where there is none.
fn without_port(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    text.get(..text.len() - digits)?.strip_suffix(b":")
}

/// The host name that ends `text`, unless it is part of a path.
fn name_before(text: &[u8]) -> Option<&[u8]> {
    let len = text.iter().rev().take(HOST_NAME_BYTES).take_while(|b| is_name_byte(**b)).count();
    let (before, name) = text.split_at_checked(text.len() - len)?;
    let path = matches!(before.last(), Some(b'/' | b'\\' | b'%' | b'='));
    (!path && is_name(name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Gathered;
    use crate::model::FileDigest;

    fn claims(read: impl FnOnce(&mut Out<'_>)) -> Vec<String> {
        let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
        read(&mut Out::new(&mut digest, &mut gathered));
        gathered.hosts.iter().map(|h| format!("{:?} {} {:?}", h.source, h.name, h.ip)).collect()
    }

    #[test]
    fn startup_names_host_and_address() {
        assert_eq!(
            claims(|out| startup(b"STARTUP_MSG:   host = h101/10.77.1.11", out)),
            ["Startup h101 Some(10.77.1.11)"]
        );
        assert_eq!(claims(|out| startup(b"STARTUP_MSG:   host = box/127.0.1.1", out)), ["Startup box None"]);
        assert!(claims(|out| startup(b"STARTUP_MSG:   host = java.net.UnknownHostException: x: x", out)).is_empty());
    }

    #[test]
    fn mentions_are_names_not_paths() {
        let scan = |message: &'static [u8]| claims(|out| Mentions::default().scan(message, out));
        assert_eq!(scan(b"For namenode h300/10.77.3.10:9000 using"), ["Mention h300 Some(10.77.3.10)"]);
        let both_ports = b"Auth successful for job_1_0001 (auth:SIMPLE) from h403:33474 / 10.88.4.13:33474";
        assert_eq!(scan(both_ports), ["Mention h403 Some(10.88.4.13)"]);
        let renamed = b"a/10.0.0.9 b/10.0.0.9 a/10.0.0.9 c/10.0.0.9 d/10.0.0.9 e/10.0.0.9";
        assert_eq!(scan(renamed), ["a", "b", "c", "d"].map(|name| format!("Mention {name} Some(10.0.0.9)")));
        assert!(scan(b"from 10.88.4.13:33474 / 10.88.4.13:33474").is_empty());
        assert!(scan(b"12 / 10.88.4.13").is_empty() && scan(b"h403 / 10.88.4.13:1").is_empty());
        assert!(scan(b"Adding /default-rack/10.77.3.10:50010").is_empty());
        assert!(scan(b"src: /10.77.3.10:50010 at localhost/127.0.0.1:1").is_empty());
        assert!(scan(b"12/10.77.3.10").is_empty());
    }
}
