//! The ends of transfers: nodes, addresses that no node claims, and hosts that are named in no other place.

use crate::base::NodeId;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses and names are numbered from here until it is known how many nodes there are.
const FIRST_ADDRESS: u32 = 1 << 31;

/// The end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Node(NodeId),
    Address(IpAddr),
    /// A name: its number.
    Named(u32),
}

/// The ends as they are met, each with a number: of millions of transfers, each holds no more
/// than that.
#[derive(Debug, Default)]
pub struct Ends {
    addresses: BTreeMap<IpAddr, u32>,
    names: BTreeMap<Box<str>, u32>,
}

impl Ends {
    /// The number of an end until [`Ends::settle`].
    pub fn number(&mut self, end: End) -> u32 {
        match end {
            End::Node(node) => node.0,
            End::Address(ip) => {
                let next = self.next();
                *self.addresses.entry(ip).or_insert(next)
            }
            End::Named(number) => number,
        }
    }

    /// The end that is a host of this name.
    pub fn named(&mut self, host: &str) -> End {
        if let Some(number) = self.names.get(host) {
            return End::Named(*number);
        }
        let next = self.next();
        self.names.insert(host.into(), next);
        End::Named(next)
    }

    /// The number of the next address or name.
    fn next(&self) -> u32 {
        FIRST_ADDRESS + u32::try_from(self.addresses.len() + self.names.len()).unwrap_or_default()
    }

    /// The addresses in order, then the names, and what a number becomes behind so many nodes.
    pub fn settle(self, nodes: u32) -> (Vec<String>, impl Fn(u32) -> u32) {
        let mut places = vec![0; self.addresses.len() + self.names.len()];
        for (place, number) in (nodes..).zip(self.addresses.values().chain(self.names.values())) {
            if let Some(slot) = places.get_mut((number - FIRST_ADDRESS) as usize) {
                *slot = place;
            }
        }
        let place = move |number: u32| match number.checked_sub(FIRST_ADDRESS) {
            Some(address) => places.get(address as usize).copied().unwrap_or(number),
            None => number,
        };
        let addresses = self.addresses.into_keys().map(|ip| ip.to_string());
        (addresses.chain(self.names.into_keys().map(String::from)).collect(), place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_come_behind_the_nodes_in_order() {
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let mut ends = Ends::default();
        let met = [End::Address(address(9)), End::Node(NodeId(1)), End::Address(address(2)), End::Address(address(9))];
        let named = [ends.named("h9"), ends.named("h7"), ends.named("h9")];
        let numbers = met.map(|end| ends.number(end));
        let of_names = named.map(|end| ends.number(end));
        let (addresses, place) = ends.settle(3);
        assert_eq!(addresses, ["10.0.0.2", "10.0.0.9", "h7", "h9"]);
        assert_eq!(numbers.map(&place), [4, 1, 3, 4]);
        assert_eq!(of_names.map(&place), [6, 5, 6]);
    }
}
