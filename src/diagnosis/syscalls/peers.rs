//! The other end of a network call, read from its arguments.
//!
//! ```text
//! {sa_family=AF_INET, sin_port=htons(50010), sin_addr=inet_addr("10.77.1.12")}, 16
//! {sa_family=AF_INET6, sin6_port=htons(50010), …, inet_pton(AF_INET6, "::ffff:10.77.1.12", &sin6_addr), …}, 28
//! ```
//! An IPv4 address mapped into IPv6 is the IPv4 address.

use crate::base::NodeId;
use crate::model::Trace;
use std::net::IpAddr;

/// The end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// A host of the trace.
    Node(NodeId),
    /// An address that no host claims.
    Address(IpAddr),
}

impl End {
    /// Its name.
    #[must_use]
    pub fn name(self, trace: &Trace) -> String {
        match self {
            Self::Node(node) => trace.node_name(node).to_owned(),
            Self::Address(ip) => ip.to_string(),
        }
    }
}

/// The address in the arguments; `None` for other families and where it was cut.
#[must_use]
pub fn address(args: &str) -> Option<IpAddr> {
    let quoted = |after: &str| args.split_once(after)?.1.split('"').next();
    let text = quoted("inet_addr(\"").or_else(|| quoted("inet_pton(AF_INET6, \""))?;
    Some(text.parse::<IpAddr>().ok()?.to_canonical())
}

/// Whose end an address is, if it is not the machine's own loopback.
#[must_use]
pub fn end(trace: &Trace, args: &str) -> Option<End> {
    let ip = address(args).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())?;
    Some(trace.addresses.get(&ip).map_or(End::Address(ip), |node| End::Node(*node)))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn addresses_of_both_families_are_read() {
        let of = |args: &str| address(args).map(|ip| ip.to_string());
        let v4 = "39, {sa_family=AF_INET, sin_port=htons(9001), sin_addr=inet_addr(\"10.77.1.10\")}, 16";
        assert_eq!(of(v4).as_deref(), Some("10.77.1.10"));
        let v6 = |ip: &str| {
            format!(
                "39, {{sa_family=AF_INET6, sin6_port=htons(9001), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, \"{ip}\", &sin6_addr), sin6_scope_id=0}}, 28"
            )
        };
        assert_eq!(of(&v6("fe80::1")).as_deref(), Some("fe80::1"));
        assert_eq!(of(&v6("::ffff:10.77.1.10")).as_deref(), Some("10.77.1.10"));
        for none in ["3, {sa_family=AF_UNIX, sun_path=\"/var/run/nscd\"}, 110", "3, {sin_addr=inet_addr(\"10.77", ""] {
            assert_eq!(of(none), None);
        }
    }
}
