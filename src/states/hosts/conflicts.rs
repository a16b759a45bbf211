//! Claims about hosts that cannot all be true: shown, not guessed.
//!
//! ```text
//! a/h101/…datanode-h101.log   STARTUP_MSG: host = h101/10.0.0.1
//! a/h102/…datanode-h102.log   STARTUP_MSG: host = h102/10.0.0.1      one address, two hosts
//! a/h103/x.log                STARTUP_MSG: host = h104/10.0.0.4      folder against log
//! ```
//! Cost: O(claims of all files · log hosts).

use super::paths::{name_in_file_name, names_in_folders};
use super::{Hosts, folded, own_address, with_domains};
use crate::base::issue::PLACES_KEPT;
use crate::base::{Arrange, Code, Gathered, NodeId, Place};
use crate::model::{HostSource, formats};
use crate::states::{FileView, Input};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Claims that contradict one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Which kind.
    pub code: Code,
    /// The files that claim.
    pub places: Vec<Place>,
    /// Both claims.
    pub text: String,
}

/// All conflicts, by kind and file.
#[inline(never)]
pub fn of(hosts: &Hosts, input: &Input<'_>) -> Vec<Conflict> {
    let mut conflicts = Vec::new();
    let mut claims: BTreeMap<IpAddr, BTreeMap<NodeId, Place>> = BTreeMap::new();
    for file in &input.files {
        in_file(hosts, file, &mut conflicts);
        for (node, ip) in addresses(hosts, file) {
            claims.entry(ip).or_default().entry(node).or_insert(file.place(0));
        }
    }
    for (ip, claims) in claims.into_iter().filter(|(_, claims)| claims.len() > 1) {
        let names: Vec<&str> = claims.keys().map(|node| hosts.name(*node)).collect();
        let text = format!("{ip} is claimed by {}", names.join(" and by "));
        conflicts.push(Conflict { code: Code::AddressClaimedTwice, places: claims.into_values().collect(), text });
    }
    ambiguous(hosts, input, &mut conflicts);
    for (name, may) in &hosts.doubts {
        let own = input.files.iter().filter(|file| file.node.is_some() && file.node == hosts.named(name));
        let places = own.take(PLACES_KEPT).map(|file| file.place(0)).collect();
        let text = format!("{name} may be {may}");
        conflicts.push(Conflict { code: Code::HostUncertain, places, text });
    }
    conflicts.arrange(|a, b| (a.code, &a.places, &a.text).cmp(&(b.code, &b.places, &b.text)));
    conflicts
}

/// Short names of several hosts, each with the files that go by it.
#[inline(never)]
fn ambiguous(hosts: &Hosts, input: &Input<'_>, conflicts: &mut Vec<Conflict>) {
    let mut claims: Vec<(Cow<'_, str>, Place)> = Vec::new();
    for file in input.files.iter().filter(|_| !hosts.ambiguous.is_empty()) {
        let said = file.digest.hosts.iter().map(|claim| &*claim.name).chain(name_in_file_name(file.path));
        let short = said.map(folded).filter(|name| hosts.ambiguous.contains(&**name));
        claims.extend(short.map(|name| (name, file.place(0))));
    }
    claims.arrange(Ord::cmp);
    claims.dedup();
    for short in &hosts.ambiguous {
        let from = claims.partition_point(|(name, _)| **name < **short);
        let own = claims.iter().skip(from).take_while(|(name, _)| **name == **short);
        let places = own.map(|(_, place)| *place).collect();
        let long: BTreeSet<&str> = with_domains(&hosts.by_name, short).map(|(_, node)| hosts.name(node)).gathered();
        let long: Vec<&str> = long.into_iter().collect();
        let text = format!("{short} may be {}", long.join(" or "));
        conflicts.push(Conflict { code: Code::AmbiguousHost, places, text });
    }
}

/// What a file says of its own host, against itself and against its path.
#[inline(never)]
fn in_file(hosts: &Hosts, file: &FileView<'_>, conflicts: &mut Vec<Conflict>) {
    let own = |claim: &&crate::model::HostClaim| claim.source != HostSource::Mention;
    let said: BTreeMap<NodeId, &str> = file
        .digest
        .hosts
        .iter()
        .filter(own)
        .filter_map(|claim| Some((hosts.named(&claim.name)?, &*claim.name)))
        .gathered();
    let mut conflict = |code, text| conflicts.push(Conflict { code, places: vec![file.place(0)], text });
    if said.len() > 1 {
        let names: Vec<&str> = said.values().copied().collect();
        conflict(Code::TwoHostsInOneFile, format!("{} in {}", names.join(" and "), file.path));
    }
    let Some(name) = said.values().next() else { return };
    let differs = |part: &&str| hosts.named(part).is_some_and(|other| !said.contains_key(&other));
    let in_name = name_in_file_name(file.path).filter(|part| differs(part));
    // Masters' logs may hold folders of other hosts (collected there); a node's do not.
    let per_node = formats::PER_NODE.contains(&file.digest.format.as_str());
    let folder = || names_in_folders(file.path).find(|part| hosts.named(part).is_some()).filter(|_| per_node);
    if let Some(other) = in_name.or_else(|| folder().filter(differs)) {
        let text = format!("{name} by its own word, {other} by its path: {}", file.path);
        conflict(Code::HostAgainstPath, text);
    }
}

/// The addresses that a file claims for its own host.
#[inline(never)]
fn addresses(hosts: &Hosts, file: &FileView<'_>) -> BTreeSet<(NodeId, IpAddr)> {
    let startup = file.digest.hosts.iter().filter(|claim| claim.source == HostSource::Startup);
    let mut found: BTreeSet<(NodeId, IpAddr)> = startup
        .filter_map(|claim| Some((hosts.named(&claim.name)?, claim.ip.filter(|ip| !ip.is_loopback())?)))
        .gathered();
    if file.digest.format == formats::DATANODE {
        found.extend(file.node.zip(own_address(file.digest)));
    }
    found
}
