//! The ends of transfers: nodes, and addresses that no node claims.

use crate::base::NodeId;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Addresses are numbered from here until it is known how many nodes there are.
const FIRST_ADDRESS: u32 = 1 << 31;

/// The end of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Node(NodeId),
    Address(IpAddr),
}

/// The ends as they are met, each with a number: of millions of transfers, each holds no more
/// than that.
#[derive(Debug, Default)]
pub struct Ends {
    addresses: BTreeMap<IpAddr, u32>,
}

impl Ends {
    /// The number of an end until [`Ends::settle`].
    pub fn number(&mut self, end: End) -> u32 {
        match end {
            End::Node(node) => node.0,
            End::Address(ip) => {
                let next = FIRST_ADDRESS + u32::try_from(self.addresses.len()).unwrap_or_default();
                *self.addresses.entry(ip).or_insert(next)
            }
        }
    }

    /// The addresses in order, and what a number becomes behind so many nodes.
    pub fn settle(self, nodes: u32) -> (Vec<IpAddr>, impl Fn(u32) -> u32) {
        let mut places = vec![0; self.addresses.len()];
        for (place, number) in (nodes..).zip(self.addresses.values()) {
            if let Some(slot) = places.get_mut((number - FIRST_ADDRESS) as usize) {
                *slot = place;
            }
        }
        let place = move |number: u32| match number.checked_sub(FIRST_ADDRESS) {
            Some(address) => places.get(address as usize).copied().unwrap_or(number),
            None => number,
        };
        (self.addresses.into_keys().collect(), place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_behind_the_nodes_in_order() {
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let mut ends = Ends::default();
        let met = [End::Address(address(9)), End::Node(NodeId(1)), End::Address(address(2)), End::Address(address(9))];
        let numbers = met.map(|end| ends.number(end));
        let (addresses, place) = ends.settle(3);
        assert_eq!(addresses, [address(2), address(9)]);
        assert_eq!(numbers.map(place), [4, 1, 3, 4]);
    }
}
