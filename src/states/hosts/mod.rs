//! One identity for each machine, from the many names that logs give it.
//!
//! Names are collected with votes, names that differ only by a domain behind them are
//! joined, and the name with most votes is shown. Addresses are given to names; a name that
//! is an address (`10.0.0.5` in a history) is the host that claims it, and so is one that others
//! use of its address (`master/10.0.0.5` where the daemon there calls itself `ip-10-0-0-5`). Logs that name no
//! host (`localhost`) go by their folders, where these differ. Claims that cannot all be
//! true are told by [`conflicts`].

mod conflicts;
mod nameless;
mod owners;
mod paths;

pub use conflicts::Conflict;
pub(super) use nameless::{LAST_RESORT, is_of_nobody};
pub(super) use paths::name_in_file_name;

use super::Input;
use super::clock::archive_of;
use super::copies::File;
use crate::base::archive::packed;
use crate::base::{Arrange, Gathered, NodeId};
use crate::model::{Digest, Event, FileDigest, HostClaim, HostSource, Topic, formats};
use nameless::{folders_of_nameless, name_of_nobody};
use owners::Owners;
use paths::{DAEMONS, is_host_name, is_step, name_in_folders, name_in_path, stem};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};

/// Votes of `STARTUP_MSG:   host = NAME/IP`: the host's own word.
const STARTUP_VOTES: u64 = 5;
/// How many events of a DataNode log are looked at to learn its own address: any of
/// its transfers names it.
const OWN_ADDRESS_EVENTS: usize = 2000;
/// Formats whose events name the hosts of attempts, or all hosts.
const NAMING: [&str; 8] = [
    formats::JOBHISTORY_V1,
    formats::JHIST,
    formats::AM_SYSLOG,
    formats::JOBTRACKER,
    formats::RESOURCEMANAGER,
    formats::RUMEN_TRACE,
    formats::RUMEN_TOPOLOGY,
    formats::SPARK_EVENTS,
];

/// All hosts, in order of the name shown.
pub struct Hosts {
    names: Vec<String>,
    by_name: BTreeMap<String, NodeId>,
    by_ip: BTreeMap<IpAddr, NodeId>,
    /// Short names that fit several full ones.
    ambiguous: BTreeSet<String>,
    owners: Owners,
}

impl Hosts {
    /// Collects and joins the names in the paths of all files and in those `files` that count.
    #[inline(never)]
    pub fn join(digest: &Digest, files: &[File<'_>]) -> Self {
        let mut votes: BTreeMap<String, u64> = BTreeMap::new();
        let mut addresses: Vec<(String, IpAddr)> = Vec::new();
        let mut mentions: BTreeSet<(String, IpAddr)> = BTreeSet::new();
        let mut vote = |name: &str, weight: u64| {
            if let Some(votes) = votes.get_mut(name) {
                *votes += weight;
            } else if is_host_name(name) {
                votes.insert(name.to_owned(), weight);
            }
        };
        for path in digest.files().map(|(key, _)| key.path.as_str()) {
            if let Some(name) = name_in_file_name(path).or_else(|| name_in_folders(path)) {
                vote(name, 1);
            }
        }
        for (_, file) in files {
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
            if NAMING.contains(&file.format.as_str()) {
                vote_by_events(file, &mut vote);
            }
        }
        let claimed = sole_claims(&addresses);
        let mut aliases: BTreeMap<String, String> = BTreeMap::new();
        votes.retain(|name, _| match name.parse::<IpAddr>().ok().and_then(|ip| claimed.get(&ip)) {
            Some(owner) => aliases.insert(name.clone(), owner.clone()).is_some(),
            None => true,
        });
        for (name, owner) in names_of_others(files, &votes) {
            // The name with most votes is shown.
            let weight = |name: &str| votes.get(name).copied().unwrap_or_default();
            let (shown, alias) = if weight(&name) > weight(&owner) { (name, owner) } else { (owner, name) };
            let joined = votes.remove(&alias).unwrap_or_default();
            votes.entry(shown.clone()).and_modify(|votes| *votes += joined);
            aliases.insert(alias, shown);
        }
        let mut hosts = Self::from_votes(votes.clone());
        let owners = Owners::of(files, &hosts);
        for name in traced_hosts(digest, &votes, &owners) {
            votes.insert(name, 1);
        }
        if hosts.by_name.len() != votes.len() {
            hosts = Self::from_votes(votes.clone());
        }
        hosts.owners = owners;
        let folders = folders_of_nameless(files, &hosts);
        for folder in folders {
            *votes.entry(folder).or_default() += 1;
        }
        if votes.is_empty() {
            // A cluster on one machine that calls itself localhost and nothing else.
            let name = name_of_nobody(files);
            aliases.extend((name != LAST_RESORT).then(|| (LAST_RESORT.to_owned(), name.to_owned())));
            votes.insert(name.to_owned(), 1);
        }
        if hosts.by_name.len() != votes.len() {
            hosts = Self { owners: hosts.owners, ..Self::from_votes(votes) };
        }
        for (alias, owner) in aliases {
            if let Some(node) = hosts.by_name.get(&owner).copied() {
                hosts.by_name.insert(alias, node);
            }
        }
        hosts.claim_addresses(files, addresses, mentions);
        hosts
    }

    /// Joins `node7` and `node7.example.com`; the name with most votes is shown, the
    /// shorter one if equal.
    #[inline(never)]
    fn from_votes(votes: BTreeMap<String, u64>) -> Self {
        // A name sorts before itself with a domain, but other names may stand between
        // them, so each name looks for the prefixes that end at its own dots.
        let ambiguous = ambiguous(votes.keys().map(String::as_str));
        let mut root_of: BTreeMap<&str, &str> = BTreeMap::new();
        for name in votes.keys() {
            let joins = |short: &&str| votes.contains_key(*short) && !ambiguous.contains(*short);
            let mut dots = name.match_indices('.').map(|(at, _)| at);
            let short = dots.find_map(|at| name.get(..at).filter(joins));
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
        names.arrange(Ord::cmp);
        let id_of = |root: &str| {
            let (.., name) = shown.get(root)?;
            let index = names.binary_search_by(|n| n.as_str().cmp(name)).ok()?;
            u32::try_from(index).ok().map(NodeId)
        };
        let by_name = root_of.iter().filter_map(|(name, root)| Some(((*name).to_owned(), id_of(root)?))).gathered();
        let ambiguous = ambiguous.into_iter().map(str::to_owned).gathered();
        Self { names, by_name, by_ip: BTreeMap::new(), ambiguous, owners: Owners::default() }
    }

    #[inline(never)]
    fn claim_addresses(
        &mut self,
        files: &[File<'_>],
        startup: Vec<(String, IpAddr)>,
        mentions: BTreeSet<(String, IpAddr)>,
    ) {
        for (name, ip) in startup {
            if let Some(node) = self.by_name.get(&name) {
                self.by_ip.entry(ip).or_insert(*node);
            }
        }
        for (key, file) in files.iter().filter(|(_, f)| f.format == formats::DATANODE) {
            if let (Some(node), Some(ip)) = (self.of_file(&key.path, file), own_address(file)) {
                self.by_ip.entry(ip).or_insert(node);
            }
        }
        let (known, others): (Vec<_>, Vec<_>) =
            mentions.into_iter().partition(|(name, _)| self.by_name.contains_key(name));
        let is_ambiguous = |name: &str| {
            name.match_indices('.').any(|(at, _)| name.get(..at).is_some_and(|s| self.ambiguous.contains(s)))
        };
        for (name, ip) in known.into_iter().chain(others) {
            let in_domain = || but_for_domain(&self.by_name, &name).filter(|_| !is_ambiguous(&name));
            if let Some(node) = self.by_name.get(&name).copied().or_else(in_domain) {
                self.by_ip.entry(ip).or_insert(node);
            }
        }
    }

    /// The node that a part of a path names.
    fn named(&self, part: &str) -> Option<NodeId> {
        self.by_name.get(part).copied()
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
        // A tracker may be called after another name of its host's.
        let tracker = || self.said(file, HostSource::Tracker);
        let named = || name_in_path(path, |part| self.by_name.contains_key(part));
        if let Some(name) = self.own_word(path, file).or_else(tracker).or_else(named) {
            return self.named(name);
        }
        // A folder may be called after a host whose logs all give its domain.
        let in_domain = name_in_path(path, |part| self.in_domain(part).is_some()).and_then(|part| self.in_domain(part));
        in_domain.or_else(|| self.named(self.owners.owner(path)?))
    }

    /// What a file calls its own host.
    fn own_word<'a>(&self, path: &'a str, file: &'a FileDigest) -> Option<&'a str> {
        let said = |source| self.said(file, source);
        said(HostSource::Startup).or_else(|| said(HostSource::Metrics)).or_else(|| name_in_file_name(path))
    }

    /// The first known name among the claims of a kind.
    fn said<'a>(&self, file: &'a FileDigest, source: HostSource) -> Option<&'a str> {
        let known = |claim: &&HostClaim| claim.source == source && self.by_name.contains_key(&*claim.name);
        file.hosts.iter().find(known).map(|claim| &*claim.name)
    }

    /// The only node whose names continue a part of a path with a domain.
    fn in_domain(&self, part: &str) -> Option<NodeId> {
        sole(with_domains(&self.by_name, part))
    }

    /// Claims that cannot all be true.
    pub fn conflicts(&self, input: &Input<'_>) -> Vec<Conflict> {
        conflicts::of(self, input)
    }

    /// Names shown, in order; the index is the node's id.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The name shown of a node.
    fn name(&self, node: NodeId) -> &str {
        self.names.get(node.index()).map_or("", String::as_str)
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

/// The only node whose name differs from this by a domain behind one of them.
pub(super) fn but_for_domain(by_name: &BTreeMap<String, NodeId>, name: &str) -> Option<NodeId> {
    let mut shorter = name.match_indices('.').filter_map(|(at, _)| by_name.get(name.get(..at)?).copied());
    if let Some(node) = shorter.next() {
        return Some(node);
    }
    sole(with_domains(by_name, name))
}

/// The node of all these names.
fn sole<'a>(names: impl Iterator<Item = (&'a str, NodeId)>) -> Option<NodeId> {
    let mut nodes = names.map(|(_, node)| node);
    let first = nodes.next()?;
    nodes.all(|node| node == first).then_some(first)
}

/// The names that continue one with a domain, in order; an address has none.
fn with_domains<'a>(by_name: &'a BTreeMap<String, NodeId>, name: &str) -> impl Iterator<Item = (&'a str, NodeId)> {
    let begin = format!("{name}.");
    let from = by_name.range(begin.clone()..);
    let longer = from.take_while(move |(long, _)| long.starts_with(&begin)).map(|(long, node)| (&**long, *node));
    longer.filter(|(long, _)| long.parse::<IpAddr>().is_err())
}

/// Whether a name is another with a domain behind it.
fn continues(long: &str, short: &str) -> bool {
    long.strip_prefix(short).is_some_and(|rest| rest.starts_with('.'))
}

/// Short names whose full forms do not continue one another (`h1`, where there are
/// `h1.east` and `h1.west`).
fn ambiguous<'a>(names: impl Iterator<Item = &'a str> + Clone) -> BTreeSet<&'a str> {
    let all: BTreeSet<&str> = names.gathered();
    let mut longest: BTreeMap<&str, &str> = BTreeMap::new();
    let mut found = BTreeSet::new();
    // In order, a name comes before those that continue it.
    for name in all.iter().copied().filter(|name| name.parse::<IpAddr>().is_err()) {
        for (at, _) in name.match_indices('.') {
            let Some(short) = name.get(..at).filter(|short| all.contains(short)) else { continue };
            let before = longest.insert(short, name);
            if before.is_some_and(|before| !continues(name, before)) {
                found.insert(short);
            }
        }
    }
    found
}

/// A vote for each host that an event of a file names.
#[inline(never)]
fn vote_by_events(file: &FileDigest, vote: &mut dyn FnMut(&str, u64)) {
    for row in file.events.iter() {
        match row.event {
            Event::Attempt(a) => a.host.iter().for_each(|host| vote(host, 1)),
            Event::Assigned { host, .. } | Event::TaskAssigned { host, .. } | Event::ContainerAssigned { host, .. } => {
                vote(&host, 1)
            }
            Event::Rack { host, .. } if file.format == formats::RUMEN_TOPOLOGY => vote(&host, 1),
            _ => {}
        }
    }
}

/// Addresses that exactly one name claims as its own.
fn sole_claims(addresses: &[(String, IpAddr)]) -> BTreeMap<IpAddr, String> {
    let mut owners: BTreeMap<IpAddr, BTreeSet<&String>> = BTreeMap::new();
    for (name, ip) in addresses {
        owners.entry(*ip).or_default().insert(name);
    }
    let sole = |(ip, names): (IpAddr, BTreeSet<&String>)| {
        let mut names = names.into_iter();
        names.next().filter(|_| names.len() == 0).map(|name| (ip, name.clone()))
    };
    owners.into_iter().filter_map(sole).gathered()
}

/// Names of hosts that only others use, each with the name that the daemon at its address gives itself. Both are known
/// as hosts, and the address is one name's own and the other's only one among the logs of an archive: addresses of other
/// clusters may be the same.
#[inline(never)]
fn names_of_others(files: &[File<'_>], votes: &BTreeMap<String, u64>) -> BTreeMap<String, String> {
    let mut own: BTreeMap<(&str, IpAddr), BTreeSet<&str>> = BTreeMap::new();
    let mut told: BTreeMap<(&str, &str), BTreeSet<IpAddr>> = BTreeMap::new();
    let mut claims: BTreeSet<&str> = BTreeSet::new();
    for (key, file) in files {
        let archive = archive_of(&key.path);
        for claim in &file.hosts {
            let Some(ip) = claim.ip.filter(|ip| !ip.is_loopback()) else { continue };
            match claim.source {
                HostSource::Startup => {
                    claims.insert(&*claim.name);
                    own.entry((archive, ip)).or_default().insert(&*claim.name);
                }
                HostSource::Mention if votes.contains_key(&*claim.name) => {
                    told.entry((archive, &*claim.name)).or_default().insert(ip);
                }
                _ => {}
            }
        }
    }
    // Names that differ by a domain alone are joined as such.
    let is_alone = |name: &str| {
        // In order, the names that continue one stand together.
        let longer = || votes.range(format!("{name}.")..).next().is_some_and(|(other, _)| continues(other, name));
        let shorter = || name.match_indices('.').any(|(at, _)| name.get(..at).is_some_and(|s| votes.contains_key(s)));
        votes.contains_key(name) && !longer() && !shorter()
    };
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut owners: BTreeSet<&str> = BTreeSet::new();
    for ((archive, name), ips) in &told {
        let mut ips = ips.iter();
        let (Some(ip), None) = (ips.next(), ips.next()) else { continue };
        let Some(owner) = own.get(&(*archive, *ip)).filter(|names| names.len() == 1).and_then(|names| names.first())
        else {
            continue;
        };
        if !claims.contains(name) && is_alone(name) && is_alone(owner) && owners.insert(owner) {
            found.entry((*name).to_owned()).or_insert_with(|| (*owner).to_owned());
        }
    }
    found
}

/// Formats whose logs are each node's own.
pub(super) const PER_NODE: [&str; 3] = [formats::TASKTRACKER, formats::DATANODE, formats::NODEMANAGER];

/// Hosts of traces whose path holds no known name: nothing inside of a trace names its
/// host. A first part of base names that occurs in several folders, or is a daemon's, says
/// what was traced, so the folder says where; else it is the other way round.
#[inline(never)]
fn traced_hosts(digest: &Digest, votes: &BTreeMap<String, u64>, owners: &Owners) -> BTreeSet<String> {
    let of_calls = digest.files().filter(|(_, f)| f.format.starts_with("strace-")).map(|(key, _)| key.path.as_str());
    let is_named = |path: &str| name_in_path(path, |part| votes.contains_key(part)).is_some();
    let strange: Vec<&str> = of_calls.filter(|path| !is_named(path) && owners.owner(path).is_none()).collect();
    let folder = folder_that_differs(&strange);
    let mut folders_of: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for path in &strange {
        folders_of.entry(stem(path)).or_default().insert(folder(path));
    }
    let named = strange.iter().map(|path| {
        let is_daemon = DAEMONS.contains(&stem(path)) || stem(path) == "strace";
        let several = folders_of.get(stem(path)).is_some_and(|folders| folders.len() > 1);
        if is_daemon || several { folder(path) } else { stem(path).to_owned() }
    });
    named.filter(|name| is_host_name(name)).gathered()
}

/// Of a path its folder or archive, of those the nearest to the file by which these paths differ; without an ending.
fn folder_that_differs(paths: &[&str]) -> impl Fn(&str) -> String + use<> {
    let at = |path: &str, i: usize| path.rsplit('/').skip(1).filter(|part| !is_step(part)).nth(i).map(str::to_owned);
    let depth = paths.iter().map(|path| path.matches('/').count()).max().unwrap_or_default();
    let differ = |i: &usize| paths.windows(2).any(|pair| matches!(pair, [a, b] if at(a, *i) != at(b, *i)));
    let nearest = (0..depth).find(differ).unwrap_or_default();
    move |path| at(path, nearest).map_or(String::new(), |part| packed(&part).unwrap_or(&part).to_owned())
}

/// The address that a DataNode log's transfers name most often as its own.
#[inline(never)]
fn own_address(file: &FileDigest) -> Option<IpAddr> {
    let mut seen: BTreeMap<IpAddr, u64> = BTreeMap::new();
    for row in file.events.about(Topic::Blocks).take(OWN_ADDRESS_EVENTS) {
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
mod tests;
