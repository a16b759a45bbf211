//! One identity for each machine, from the many names that logs give it (states.md §2).
//!
//! Names are collected with votes, names that differ only by a domain behind them are
//! joined, and the name with most votes is shown. Addresses are given to names.

use crate::base::NodeId;
use crate::model::{Digest, Event, FileDigest, HostSource};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// Votes of `STARTUP_MSG:   host = NAME/IP`: the host's own word.
const STARTUP_VOTES: u64 = 5;
/// How many events of a DataNode log are looked at to learn its own address: any of
/// its transfers names it.
const OWN_ADDRESS_EVENTS: usize = 2000;
/// Daemons whose name stands before the host's in `hadoop-USER-DAEMON-HOST.log`.
const DAEMONS: [&str; 12] = [
    "secondarynamenode",
    "namenode",
    "datanode",
    "journalnode",
    "zkfc",
    "jobtracker",
    "tasktracker",
    "resourcemanager",
    "nodemanager",
    "historyserver",
    "timelineserver",
    "proxyserver",
];

/// The name of a host that has no other.
pub(super) const LAST_RESORT: &str = "localhost";

/// All hosts, in order of the name shown.
pub struct Hosts {
    names: Vec<String>,
    by_name: BTreeMap<String, NodeId>,
    by_ip: BTreeMap<IpAddr, NodeId>,
}

impl Hosts {
    /// Collects and joins the names in a digest.
    pub fn join(digest: &Digest) -> Self {
        let mut votes: BTreeMap<String, u64> = BTreeMap::new();
        let mut addresses: Vec<(String, IpAddr)> = Vec::new();
        let mut mentions: BTreeSet<(String, IpAddr)> = BTreeSet::new();
        let mut vote = |name: &str, weight: u64| {
            if is_host_name(name) {
                *votes.entry(name.to_owned()).or_default() += weight;
            }
        };
        for (key, file) in digest.files() {
            if let Some(name) = name_in_file_name(&key.path) {
                vote(name, 1);
            }
            for claim in &file.hosts {
                let ip = claim.ip.filter(|ip| !ip.is_loopback());
                match claim.source {
                    HostSource::Startup => {
                        vote(&claim.name, STARTUP_VOTES);
                        addresses.extend(ip.map(|ip| (claim.name.to_string(), ip)));
                    }
                    HostSource::Tracker | HostSource::Metrics => vote(&claim.name, 1),
                    HostSource::Mention => mentions.extend(ip.map(|ip| (claim.name.to_string(), ip))),
                }
            }
            if matches!(file.format.as_str(), "jobhistory-v1" | "jhist" | "am-syslog") {
                for row in file.events.iter() {
                    match row.event {
                        Event::Attempt(a) => a.host.iter().for_each(|host| vote(host, 1)),
                        Event::Assigned { host, .. } => vote(&host, 1),
                        _ => {}
                    }
                }
            }
        }
        if votes.is_empty() {
            // A cluster on one machine that calls itself localhost and nothing else.
            votes.insert(LAST_RESORT.to_owned(), 1);
        }
        let mut hosts = Self::from_votes(votes);
        hosts.claim_addresses(digest, addresses, mentions);
        hosts
    }

    /// Joins `node7` and `node7.example.com`; the name with most votes is shown, the
    /// shorter one if equal.
    fn from_votes(votes: BTreeMap<String, u64>) -> Self {
        // A name sorts before itself with a domain, but other names may stand between
        // them, so each name looks for the prefixes that end at its own dots.
        let mut root_of: BTreeMap<&str, &str> = BTreeMap::new();
        for name in votes.keys() {
            let mut dots = name.match_indices('.').map(|(at, _)| at);
            let short = dots.find_map(|at| name.get(..at).filter(|short| votes.contains_key(*short)));
            let root = match short {
                Some(short) if name.parse::<IpAddr>().is_err() => root_of.get(short).copied().unwrap_or(short),
                _ => name.as_str(),
            };
            root_of.insert(name, root);
        }
        let mut shown: BTreeMap<&str, (u64, usize, &str)> = BTreeMap::new();
        for (name, root) in &root_of {
            let count = votes.get(*name).copied().unwrap_or(0);
            let best = shown.entry(root).or_insert((0, usize::MAX, name));
            if (count, usize::MAX - name.len()) > (best.0, usize::MAX - best.1) {
                *best = (count, name.len(), name);
            }
        }
        let mut names: Vec<String> = shown.values().map(|(.., name)| (*name).to_owned()).collect();
        names.sort_unstable();
        let id_of = |root: &str| {
            let (.., name) = shown.get(root)?;
            let index = names.binary_search_by(|n| n.as_str().cmp(name)).ok()?;
            u32::try_from(index).ok().map(NodeId)
        };
        let by_name = root_of.iter().filter_map(|(name, root)| Some(((*name).to_owned(), id_of(root)?))).collect();
        Self { names, by_name, by_ip: BTreeMap::new() }
    }

    fn claim_addresses(
        &mut self,
        digest: &Digest,
        startup: Vec<(String, IpAddr)>,
        mentions: BTreeSet<(String, IpAddr)>,
    ) {
        for (name, ip) in startup {
            if let Some(node) = self.by_name.get(&name) {
                self.by_ip.entry(ip).or_insert(*node);
            }
        }
        for (key, file) in digest.files().filter(|(_, f)| f.format == "datanode") {
            if let (Some(node), Some(ip)) = (self.of_file(&key.path, file), own_address(file)) {
                self.by_ip.entry(ip).or_insert(node);
            }
        }
        for (name, ip) in mentions {
            if let Some(node) = self.by_name.get(&name) {
                self.by_ip.entry(ip).or_insert(*node);
            }
        }
    }

    /// The node that a file belongs to.
    pub fn of_file(&self, path: &str, file: &FileDigest) -> Option<NodeId> {
        let measured = file.hosts.iter().filter(|claim| claim.source == HostSource::Metrics);
        let mut measured = measured.filter_map(|claim| self.by_name.get(&*claim.name));
        if let Some(first) = measured.next()
            && measured.any(|other| other != first)
        {
            // Metrics of several hosts in one file.
            return None;
        }
        let own = file
            .hosts
            .iter()
            .filter(|claim| claim.source != HostSource::Mention && self.by_name.contains_key(&*claim.name))
            .min_by_key(|claim| claim.source)
            .map(|claim| &*claim.name);
        let folders = || path.rsplit('/').skip(1).find(|part| self.by_name.contains_key(*part));
        let base_name = path.rsplit('/').next().unwrap_or_default();
        let leading = || base_name.split(['-', '_', '.']).next().filter(|part| self.by_name.contains_key(*part));
        let name = own.or_else(|| name_in_file_name(path)).or_else(folders).or_else(leading)?;
        self.by_name.get(name).copied()
    }

    /// Names shown, in order; the index is the node's id.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Every name of every node.
    pub fn by_name(&self) -> BTreeMap<String, NodeId> {
        self.by_name.clone()
    }

    /// Every address that a node claims.
    pub fn by_ip(&self) -> BTreeMap<IpAddr, NodeId> {
        self.by_ip.clone()
    }
}

/// Whether a text can be a host's name; `localhost` names every machine and so none.
fn is_host_name(name: &str) -> bool {
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b':');
    !name.is_empty()
        && name.len() <= 255
        && name.bytes().all(letters)
        && (!name.contains(':') || name.parse::<IpAddr>().is_ok())
        && name != "localhost"
        && !name.starts_with("localhost.")
        && !name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// HOST of `hadoop-USER-DAEMON-HOST.log`, `.log.1`, `.out`.
fn name_in_file_name(path: &str) -> Option<&str> {
    let base = path.rsplit('/').next()?;
    let rest = DAEMONS.iter().find_map(|daemon| {
        let (_, rest) = base.split_once(daemon)?;
        let before = base.len() - rest.len() - daemon.len();
        let dashed = before > 0 && base.as_bytes().get(before - 1) == Some(&b'-');
        rest.strip_prefix('-').filter(|_| dashed)
    })?;
    let end = rest.find(".log").or_else(|| rest.find(".out"))?;
    rest.get(..end).filter(|host| is_host_name(host))
}

/// The address that a DataNode log's transfers name most often as its own.
fn own_address(file: &FileDigest) -> Option<IpAddr> {
    let mut seen: BTreeMap<IpAddr, u64> = BTreeMap::new();
    for row in file.events.iter().take(OWN_ADDRESS_EVENTS) {
        let own = match row.event {
            Event::Receiving { dest, .. } | Event::Wrote { dest, .. } => dest,
            Event::Read { src, .. } => src,
            _ => None,
        };
        if let Some(ip) = own.as_ref().map(SocketAddr::ip).filter(|ip| !ip.is_loopback()) {
            *seen.entry(ip).or_default() += 1;
        }
    }
    seen.into_iter().max_by_key(|(ip, count)| (*count, std::cmp::Reverse(*ip))).map(|(ip, _)| ip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(votes: &[(&str, u64)]) -> Hosts {
        Hosts::from_votes(votes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect())
    }

    #[test]
    fn name_with_domain_joins_the_short_name() {
        let h = hosts(&[("h1", 2), ("h1-b", 1), ("h1.example.com", 5), ("h2.example.com", 1)]);
        assert_eq!(h.names().collect::<Vec<_>>(), ["h1-b", "h1.example.com", "h2.example.com"]);
        assert_eq!(h.by_name.get("h1"), h.by_name.get("h1.example.com"));
    }

    #[test]
    fn equal_votes_show_the_shorter_name() {
        assert_eq!(hosts(&[("h1", 1), ("h1.a.b", 1)]).names().collect::<Vec<_>>(), ["h1"]);
    }

    #[test]
    fn addresses_are_never_joined_as_domains() {
        assert_eq!(hosts(&[("10", 1), ("10.0.0.1", 1)]).names().count(), 2);
    }

    #[test]
    fn host_is_read_from_a_daemons_file_name() {
        let name = name_in_file_name;
        assert_eq!(name("x/hadoop-hadoop-tasktracker-h103.log"), Some("h103"));
        assert_eq!(name("yarn-root-nodemanager-ip-172-31-2-135.log.1"), Some("ip-172-31-2-135"));
        assert_eq!(name("hadoop-u-secondarynamenode-a.b.c.log"), Some("a.b.c"));
        assert_eq!(name("hdfs-audit.log"), None);
        assert_eq!(name("datanode-x.log"), None);
    }

    #[test]
    fn localhost_is_nobodys_name() {
        assert!(!is_host_name("localhost") && !is_host_name("localhost.localdomain") && !is_host_name("a b"));
        assert!(is_host_name("node-7.example.com") && is_host_name("10.0.0.1"));
    }
}
