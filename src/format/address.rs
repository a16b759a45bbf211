//! Addresses as Java prints them: `/10.77.1.11:50010`, `10.77.1.11:50060`,
//! `h301/10.77.3.11:45454`, `/0:0:0:0:0:0:0:1:50010`, `/[0:0:0:0:0:0:0:1]:50010`
//! (`InetSocketAddress.toString`; brackets from JDK 14 on).

use crate::base::ids::number;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Longest text of an IP address worth parsing (an IPv6 address with a scope).
const IP_BYTES: usize = 64;

/// Reads the address and port that `text` is.
#[must_use]
pub fn socket(text: &[u8]) -> Option<SocketAddr> {
    let text = after_slash(text);
    let colon = memchr::memrchr(b':', text)?;
    let (port, rest) = number(text.get(colon + 1..)?)?;
    if !rest.is_empty() {
        return None;
    }
    Some(SocketAddr::new(bare_ip(text.get(..colon)?)?, u16::try_from(port).ok()?))
}

/// Reads the address that `text` is, with or without a port.
#[must_use]
pub fn ip(text: &[u8]) -> Option<IpAddr> {
    let text = after_slash(text);
    match ipv4_at(text) {
        Some((ip, [])) => Some(IpAddr::V4(ip)),
        Some((ip, [b':', port @ ..])) if is_port(port) => Some(IpAddr::V4(ip)),
        _ => bare_ip(text).or_else(|| socket(text).map(|address| address.ip())),
    }
}

fn is_port(text: &[u8]) -> bool {
    number(text).is_some_and(|(port, rest)| rest.is_empty() && u16::try_from(port).is_ok())
}

fn after_slash(text: &[u8]) -> &[u8] {
    match memchr::memchr(b'/', text) {
        Some(slash) => text.get(slash + 1..).unwrap_or_default(),
        None => text,
    }
}

fn bare_ip(text: &[u8]) -> Option<IpAddr> {
    let text = text.strip_prefix(b"[").and_then(|t| t.strip_suffix(b"]")).unwrap_or(text);
    if text.len() > IP_BYTES {
        return None;
    }
    // A scope (`%eth0`) says nothing about the host.
    let text = text.split(|b| *b == b'%').next().unwrap_or_default();
    match ipv4(text) {
        Some(ip) => Some(IpAddr::V4(ip)),
        None => std::str::from_utf8(text).ok()?.parse().ok(),
    }
}

/// The address that a text is, as std reads it.
fn ipv4(text: &[u8]) -> Option<Ipv4Addr> {
    ipv4_at(text).and_then(|(ip, rest)| rest.is_empty().then_some(ip))
}

/// Four decimal numbers at the start, none with a zero before it: every transfer has two.
fn ipv4_at(text: &[u8]) -> Option<(Ipv4Addr, &[u8])> {
    let mut octets = [0_u8; 4];
    let mut rest = text;
    for (i, octet) in octets.iter_mut().enumerate() {
        let text = if i == 0 { rest } else { rest.strip_prefix(b".")? };
        (*octet, rest) = octet_at(text)?;
    }
    Some((Ipv4Addr::from(octets), rest))
}

/// A number of three digits at most, none a zero before others.
fn octet_at(text: &[u8]) -> Option<(u8, &[u8])> {
    let (mut value, mut rest) = (0_u32, text);
    while let [b @ b'0'..=b'9', behind @ ..] = rest {
        let digits = text.len() - rest.len();
        if digits == 3 || (digits > 0 && value == 0) {
            return None;
        }
        value = value * 10 + u32::from(b - b'0');
        rest = behind;
    }
    if rest.len() == text.len() { None } else { Some((u8::try_from(value).ok()?, rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ipv4_is_what_std_reads(text in "[0-9]{0,4}([.][0-9]{1,4}){2,4}[.x]?") {
            prop_assert_eq!(ipv4(text.as_bytes()), text.parse().ok());
        }

        #[test]
        fn ip_is_what_its_parts_are(text in "(h/)?[0-9]{0,4}([.][0-9]{1,3}){3}(:[0-9]{0,6}){0,2}") {
            let bare = super::after_slash(text.as_bytes());
            let by_parts = bare_ip(bare).or_else(|| socket(bare).map(|address| address.ip()));
            prop_assert_eq!(ip(text.as_bytes()), by_parts);
        }

        #[test]
        fn likely_ipv4_is_what_std_reads(parts in prop::array::uniform4(0_u16..300)) {
            let text = parts.map(|n| n.to_string()).join(".");
            prop_assert_eq!(ipv4(text.as_bytes()), text.parse().ok());
        }
    }

    #[test]
    fn address_is_read_in_every_form() {
        let s = |text: &[u8]| socket(text).map(|a| a.to_string());
        assert_eq!(s(b"/10.77.1.11:50010").as_deref(), Some("10.77.1.11:50010"));
        assert_eq!(s(b"10.77.1.11:50060").as_deref(), Some("10.77.1.11:50060"));
        assert_eq!(s(b"h301/10.77.3.11:45454").as_deref(), Some("10.77.3.11:45454"));
        assert_eq!(s(b"/[0:0:0:0:0:0:0:1]:50010").as_deref(), Some("[::1]:50010"));
        assert_eq!(s(b"/0:0:0:0:0:0:0:1:50010").as_deref(), Some("[::1]:50010"));
        assert_eq!(s(b"/10.77.1.11:99999"), None);
        assert_eq!(s(b"h301/<unresolved>:50010"), None);
    }

    #[test]
    fn ip_may_have_a_port() {
        let s = |text: &[u8]| ip(text).map(|a| a.to_string());
        assert_eq!(s(b"/10.251.214.18").as_deref(), Some("10.251.214.18"));
        assert_eq!(s(b"/10.251.214.18:50010").as_deref(), Some("10.251.214.18"));
        assert_eq!(s(b"nowhere"), None);
    }
}
