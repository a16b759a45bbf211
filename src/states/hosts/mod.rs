//! One identity for each machine, from the many names that logs give it.
//!
//! Names are collected with votes, names that differ only by a domain behind them are
//! joined, as are those that differ by the size of their letters, and the name with most votes is shown, as most write
//! it. Addresses are given to names; a name that
//! is an address (`10.0.0.5` in a history) is the host that claims it, and so is one that others
//! use of its address (`master/10.0.0.5` where the daemon there calls itself `ip-10-0-0-5`). So are the name of a tracker
//! and that by which its log starts, and a name that only metrics use and the host in whose folder they lie, where each
//! goes with one alone. A name that paths alone give is the host's on which, by its logs, all of its tasks ran ([`contents`]).
//! Logs that name no host (`localhost`) go by their folders, where these differ. Claims that cannot all be
//! true are told by [`conflicts`].

mod conflicts;
mod contents;
mod nameless;
mod owners;
mod paths;
mod traced;
mod votes;

pub use conflicts::Conflict;
pub(super) use nameless::{LAST_RESORT, is_of_nobody};
pub(super) use paths::daemon_and_host;

use super::Input;
use super::copies::File;
use crate::base::{Arrange, Gathered, NodeId};
use crate::model::{Digest, Event, FileDigest, HostSource, Topic, formats};
use contents::Doubts;
use nameless::{folders_of_nameless, name_of_nobody, workers_of_nameless};
use owners::Owners;
use paths::{name_in_file_name, name_in_path, names_in_folders, names_of_pod};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use traced::traced_hosts;
use votes::Votes;

/// How many events of a DataNode log are looked at to learn its own address: any of
/// its transfers names it.
const OWN_ADDRESS_EVENTS: usize = 2000;

/// Names that a host may have had during one log: it was made from an image, or renamed. Of more, the log is several hosts'.
const NAMES_OF_A_HOST: usize = 2;

/// All hosts, in order of the name shown.
#[derive(Default)]
pub struct Hosts {
    names: Vec<String>,
    /// By their names in small letters, and as logs write them.
    by_name: BTreeMap<String, NodeId>,
    by_ip: BTreeMap<IpAddr, NodeId>,
    /// Short names that fit several full ones, in small letters.
    ambiguous: BTreeSet<String>,
    /// Those that are named elsewhere than in one of several banners of a log.
    borne_out: BTreeSet<NodeId>,
    /// Those that a history or a master names.
    workers: BTreeSet<NodeId>,
    owners: Owners,
    doubts: Doubts,
}

/// Whose a log is by its own word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    /// It does not tell.
    Untold,
    Of(NodeId),
    /// Logs of several hosts are in it, one behind another.
    OfSeveral,
}

impl Hosts {
    /// Collects and joins the names in the paths of all files and in those `files` that count.
    #[inline(never)]
    pub fn join(digest: &Digest, files: &[File<'_>]) -> Self {
        let mut votes = Votes::gather(digest, files);
        let mut hosts = Self::default();
        hosts.take(&votes);
        hosts.owners = Owners::of(files, &hosts);
        if votes.add(traced_hosts(digest, &votes, &hosts.owners)) {
            hosts.take(&votes);
        }
        if votes.add(folders_of_nameless(files, &hosts)) {
            hosts.take(&votes);
        }
        if votes.workers.is_empty() && votes.add(workers_of_nameless(files, &hosts)) {
            hosts.take(&votes);
        }
        let told = contents::told(files, &hosts);
        if contents::join(&mut votes, &hosts, &told.same) {
            hosts.take(&votes);
            hosts.owners = Owners::of(files, &hosts);
        }
        hosts.doubts = told.doubts;
        if hosts.names.is_empty() {
            // A cluster on one machine that calls itself localhost and nothing else.
            let name = name_of_nobody(files);
            votes.add(BTreeSet::from([name.to_owned()]));
            votes.aliases.insert(LAST_RESORT.to_owned(), name.to_owned());
            hosts.take(&votes);
        }
        hosts.claim_addresses(files, votes.own, votes.mentioned);
        hosts
    }

    /// Takes in all names, `node7` and `node7.example.com` as one host's; the name with most votes is shown, the shorter one
    /// if equal.
    #[inline(never)]
    fn take(&mut self, all: &Votes) {
        let votes = &all.of;
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
        // In order, small letters come last: they win if equal.
        let mut written: BTreeMap<Cow<'_, str>, (u64, &str)> = BTreeMap::new();
        for (name, count) in &all.heard {
            let most = written.entry(folded(name)).or_default();
            if *count >= most.0 {
                *most = (*count, name);
            }
        }
        let as_written = |name| written.get(name).map_or(name, |(_, name)| *name);
        let mut names: Vec<(&str, &str)> = shown.iter().map(|(root, (.., name))| (as_written(*name), *root)).collect();
        names.arrange(Ord::cmp);
        let ids: BTreeMap<&str, NodeId> = (0..).map(NodeId).zip(&names).map(|(id, (_, root))| (*root, id)).gathered();
        let id_of = |(name, root): (&&str, &&str)| Some(((*name).to_owned(), *ids.get(root)?));
        self.by_name = root_of.iter().filter_map(id_of).gathered();
        self.names = names.iter().map(|(name, _)| (*name).to_owned()).collect();
        let aliases = all.aliases.iter().map(|(alias, shown)| (&**alias, &**shown));
        for (name, known) in aliases.chain(all.heard.keys().map(|name| (&**name, &**name))) {
            if let Some(node) = self.named(known) {
                self.by_name.insert(name.to_owned(), node);
            }
        }
        self.ambiguous = ambiguous.into_iter().map(str::to_owned).gathered();
        self.borne_out = all.borne_out.iter().filter_map(|name| self.named(name)).gathered();
        self.workers = all.workers.keys().filter_map(|name| self.named(name)).gathered();
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
        node_of(&self.by_name, part)
    }

    /// The node that a file belongs to.
    pub fn of_file(&self, path: &str, file: &FileDigest) -> Option<NodeId> {
        let mut measured = self.said(file, HostSource::Metrics);
        if let Some(first) = measured.next()
            && measured.any(|other| other != first)
        {
            // Metrics of several hosts in one file.
            return None;
        }
        match self.own_word(path, file) {
            Own::Of(node) => return Some(node),
            Own::OfSeveral => return None,
            Own::Untold => {}
        }
        // A tracker may be called after another name of its host's.
        let tracker = || self.said(file, HostSource::Tracker).next();
        let named = || self.named(name_in_path(path, |part| self.named(part).is_some())?);
        // A folder may be called after a host whose logs all give its domain.
        let in_domain = || self.in_domain(name_in_path(path, |part| self.in_domain(part).is_some())?);
        let pod = || names_of_pod(path).find_map(|name| self.named(name).or_else(|| self.in_domain(name)));
        let owner = || self.named(self.owners.owner(path)?);
        tracker().or_else(pod).or_else(named).or_else(in_domain).or_else(owner)
    }

    /// What a file calls its own host. Of several names that it starts by one may be that of the image its machine was
    /// made from, or its former name: the one counts that path or other logs bear out, else the last.
    fn own_word(&self, path: &str, file: &FileDigest) -> Own {
        let in_name = || self.named(name_in_file_name(path)?);
        let last = self.said(file, HostSource::Startup).next();
        let started: BTreeSet<NodeId> = self.said(file, HostSource::Startup).gathered();
        if started.len() < 2 {
            let in_folder = || names_in_folders(path).find_map(|part| self.named(part));
            let is_worker = |node: &NodeId| self.workers.contains(node);
            if last.is_some_and(|node| !is_worker(&node))
                && formats::PER_NODE.contains(&file.format.as_str())
                && let Some(node) = in_name().or_else(in_folder).filter(is_worker)
            {
                return Own::Of(node);
            }
            let measured = || self.said(file, HostSource::Metrics).next();
            return last.or_else(measured).or_else(in_name).map_or(Own::Untold, Own::Of);
        }
        let is_own = |node: &NodeId| started.contains(node);
        if let Some(node) = in_name().filter(is_own) {
            return Own::Of(node);
        }
        let folder = || names_in_folders(path).filter_map(|part| self.named(part)).find(is_own);
        let tracker = || self.said(file, HostSource::Tracker).find(is_own);
        let mut borne_out = started.intersection(&self.borne_out);
        match (borne_out.next(), borne_out.next()) {
            (Some(node), None) => Own::Of(*node),
            _ if started.len() > NAMES_OF_A_HOST => Own::OfSeveral,
            (None, _) => folder().or_else(tracker).or(last).map_or(Own::Untold, Own::Of),
            _ => folder().or_else(tracker).map_or(Own::OfSeveral, Own::Of),
        }
    }

    /// The nodes that a file names in claims of a kind.
    fn said<'a>(&'a self, file: &'a FileDigest, source: HostSource) -> impl Iterator<Item = NodeId> + 'a {
        let claims = file.hosts.iter().filter(move |claim| claim.source == source);
        claims.filter_map(|claim| self.named(&claim.name))
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
    pub(super) fn name(&self, node: NodeId) -> &str {
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

/// A name in small letters.
fn folded(name: &str) -> Cow<'_, str> {
    match name.bytes().any(|b| b.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    }
}

/// The node of a name, which has no case. Most are written as they were when names were gathered: those cost no more.
pub(super) fn node_of(by_name: &BTreeMap<String, NodeId>, name: &str) -> Option<NodeId> {
    let otherwise = || match folded(name) {
        Cow::Owned(name) => by_name.get(&name),
        Cow::Borrowed(_) => None,
    };
    by_name.get(name).or_else(otherwise).copied()
}

/// The only node whose name differs from this by a domain behind one of them.
pub(super) fn but_for_domain(by_name: &BTreeMap<String, NodeId>, name: &str) -> Option<NodeId> {
    let mut shorter = name.match_indices('.').filter_map(|(at, _)| node_of(by_name, name.get(..at)?));
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
    let begin = format!("{}.", folded(name));
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

/// The address that a DataNode log's transfers name most often as its own.
#[inline(never)]
pub(super) fn own_address(file: &FileDigest) -> Option<IpAddr> {
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
