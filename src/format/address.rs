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
    bare_ip(after_slash(text)).or_else(|| socket(text).map(|address| address.ip()))
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

/// Four decimal numbers, none with a zero before it, as std reads them: every transfer has two.
fn ipv4(text: &[u8]) -> Option<Ipv4Addr> {
    let mut octets = [0_u8; 4];
    let mut rest = text;
    for (i, octet) in octets.iter_mut().enumerate() {
        let text = if i == 0 { rest } else { rest.strip_prefix(b".")? };
        let (value, after) = number(text)?;
        if text.starts_with(b"0") && text.len() - after.len() > 1 {
            return None;
        }
        *octet = u8::try_from(value).ok()?;
        rest = after;
    }
    rest.is_empty().then(|| Ipv4Addr::from(octets))
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
