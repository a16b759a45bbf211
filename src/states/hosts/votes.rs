//! What logs call their hosts, with votes, and which of these names only others use.

use super::paths::{before_rotation, daemon_and_host, is_host_name, is_ordinal, name_in_folders, names_in_folders};
use super::{continues, folded};
use crate::base::{Arrange, Gathered};
use crate::model::{Digest, Event, FileDigest, HostSource, formats};
use crate::states::clock::archive_of;
use crate::states::copies::File;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Votes of `STARTUP_MSG:   host = NAME/IP`: the host's own word.
pub(super) const STARTUP_VOTES: u64 = 5;
/// Formats whose events name the hosts of attempts, or all hosts.
pub(super) const NAMING: [&str; 8] = [
    formats::JOBHISTORY_V1,
    formats::JHIST,
    formats::AM_SYSLOG,
    formats::JOBTRACKER,
    formats::RESOURCEMANAGER,
    formats::RUMEN_TRACE,
    formats::RUMEN_TOPOLOGY,
    formats::SPARK_EVENTS,
];

/// Ways in which a name can come to stand for another: its address, others' word, its tracker's, its metrics'.
const JOINS: usize = 4;

/// Names of hosts and addresses, as they were met; in small letters but for `heard`.
#[derive(Default)]
pub(super) struct Votes {
    /// How much speaks for each name.
    pub(super) of: BTreeMap<String, u64>,
    /// How much speaks for each name as it is written.
    pub(super) heard: BTreeMap<String, u64>,
    /// Names of hosts that stand elsewhere than in one of several banners of a log.
    pub(super) borne_out: BTreeSet<String>,
    /// Those that a history or a master names, and how often.
    pub(super) workers: BTreeMap<String, u64>,
    /// Names that stand for another, each with that.
    pub(super) aliases: BTreeMap<String, String>,
    /// Names with an address that their host claims.
    pub(super) own: Vec<(String, IpAddr)>,
    /// Names with an address that others give them.
    pub(super) mentioned: BTreeSet<(String, IpAddr)>,
}

impl Votes {
    /// By the paths of all files and by those `files` that count.
    #[inline(never)]
    pub(super) fn gather(digest: &Digest, files: &[File<'_>]) -> Self {
        let mut votes = Self::default();
        for (_, file) in files {
            if NAMING.contains(&file.format.as_str()) {
                votes.hear_events(file);
            }
        }
        votes.fold();
        votes.workers = votes.of.clone();
        votes.borne_out.extend(votes.workers.keys().cloned());
        for (_, file) in files {
            votes.hear_claims(file);
        }
        votes.hear_paths(digest);
        votes.fold();
        votes.join_addresses();
        votes.join_names_of_others(files);
        votes
    }

    fn vote(&mut self, name: &str, weight: u64) {
        if let Some(votes) = self.heard.get_mut(name) {
            *votes += weight;
        } else if is_host_name(name) {
            self.heard.insert(name.to_owned(), weight);
        }
    }

    /// A vote for each host that a path names. What stands behind it in the names of rotated logs is none of a name that
    /// is known otherwise: from where hosts run tasks, from a log of the same daemon or, where it is a date, from any log.
    #[inline(never)]
    fn hear_paths(&mut self, digest: &Digest) {
        self.fold();
        let mut named: BTreeMap<(&str, &str), u64> = BTreeMap::new();
        for path in digest.files().map(|(key, _)| key.path.as_str()) {
            if let Some(name) = daemon_and_host(path).filter(|(_, host)| !is_ordinal(host)) {
                *named.entry(name).or_default() += 1;
            } else if let Some(name) = name_in_folders(path) {
                self.vote(name, 1);
            }
        }
        for ((whole, host), votes) in &named {
            let name = folded(host);
            let is_known = |names: &BTreeMap<String, u64>, name: &str| names.contains_key(name) || has_kin(names, name);
            let beside = |rest: &str| {
                let whole = whole.get(..whole.len() - host.len() + rest.len());
                whole.zip(host.get(..rest.len())).is_some_and(|name| named.contains_key(&name))
            };
            let known = |(rest, is_date): &(&str, bool)| {
                beside(rest) || is_known(&self.workers, rest) || *is_date && is_known(&self.of, rest)
            };
            let may_be = !self.of.contains_key(&*name) && !goes_on(&self.of, &name) && name.parse::<IpAddr>().is_err();
            let rest = before_rotation(&name).filter(|_| may_be).find(known).map(|(rest, _)| rest);
            if let Some(rest) = rest {
                self.aliases.insert(name.to_string(), rest.to_owned());
            }
            let name = rest.unwrap_or(&name);
            self.borne_out.insert(name.to_owned());
            self.vote(host.get(..name.len()).unwrap_or_default(), *votes);
        }
    }

    /// Joins names that differ by the size of their letters alone.
    fn fold(&mut self) {
        self.of.clear();
        for (name, votes) in &self.heard {
            *self.of.entry(folded(name).into_owned()).or_default() += votes;
        }
    }

    fn hear_claims(&mut self, file: &FileDigest) {
        let banners = file.hosts.iter().filter(|claim| claim.source == HostSource::Startup);
        let is_sole = banners.map(|claim| folded(&claim.name)).collect::<BTreeSet<_>>().len() == 1;
        for claim in &file.hosts {
            let address = claim.ip.filter(|ip| !ip.is_loopback()).map(|ip| (folded(&claim.name).into_owned(), ip));
            match claim.source {
                HostSource::Startup => {
                    self.vote(&claim.name, STARTUP_VOTES);
                    self.own.extend(address);
                }
                HostSource::Tracker | HostSource::Metrics => self.vote(&claim.name, 1),
                HostSource::Mention => self.mentioned.extend(address),
            }
            if claim.source == HostSource::Metrics || claim.source == HostSource::Startup && is_sole {
                self.borne_out.insert(folded(&claim.name).into_owned());
            }
        }
    }

    /// A vote for each host that an event of a file names.
    #[inline(never)]
    fn hear_events(&mut self, file: &FileDigest) {
        for row in file.events.iter() {
            match row.event {
                Event::Attempt(a) => a.host.iter().for_each(|host| self.vote(host, 1)),
                Event::Assigned { host, .. }
                | Event::TaskAssigned { host, .. }
                | Event::ContainerAssigned { host, .. } => self.vote(&host, 1),
                Event::Rack { host, .. } if file.format == formats::RUMEN_TOPOLOGY => self.vote(&host, 1),
                _ => {}
            }
        }
    }

    /// An address used as a name is the host's that claims it, where only one does.
    fn join_addresses(&mut self) {
        let claimed = sole_claims(&self.own);
        let aliases = &mut self.aliases;
        self.of.retain(|name, _| match name.parse::<IpAddr>().ok().and_then(|ip| claimed.get(&ip)) {
            Some(owner) => aliases.insert(name.clone(), owner.clone()).is_some(),
            None => true,
        });
    }

    /// A name that only others use is the host's at its address, and those of its tracker and its metrics are its own; of
    /// all that with most votes stays.
    fn join_names_of_others(&mut self, files: &[File<'_>]) {
        for (name, owner) in self.other_names(files) {
            let weight = |name: &str| self.of.get(name).copied().unwrap_or_default();
            let mut names: Vec<String> = family(&self.of, &owner).chain(family(&self.of, &name)).collect();
            // Of names with as many votes the host's own.
            let Some(shown) = names.iter().rev().max_by_key(|name| weight(name)).cloned() else { continue };
            names.retain(|name| *name != shown);
            self.join(names, &shown);
        }
        self.settle_aliases();
    }

    /// Names stand for another from now on.
    pub(super) fn join(&mut self, names: Vec<String>, shown: &str) {
        for alias in names {
            let joined = self.of.remove(&alias).unwrap_or_default();
            *self.of.entry(shown.to_owned()).or_default() += joined;
            self.aliases.insert(alias, shown.to_owned());
        }
    }

    /// What a name stands for may have been joined with another since.
    pub(super) fn settle_aliases(&mut self) {
        let last = |shown: &str| {
            let of = |name: &&str| self.aliases.get(*name).map(String::as_str);
            std::iter::successors(Some(shown), of).take(JOINS).last().unwrap_or(shown).to_owned()
        };
        let aliases = self.aliases.iter().map(|(alias, shown)| (alias.clone(), last(shown))).gathered();
        self.aliases = aliases;
    }

    /// Names of hosts that logs call otherwise, each with the other name.
    fn other_names(&self, files: &[File<'_>]) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = names_of_others(files, &self.of).into_iter().collect();
        names.extend(names_of_trackers(files, &self.of));
        names.extend(names_of_measured(files, &self.of, &self.workers));
        names
    }

    /// Whether a name was heard.
    pub(super) fn have(&self, name: &str) -> bool {
        self.of.contains_key(&*folded(name))
    }

    /// A vote for each of these names; whether there were any.
    pub(super) fn add(&mut self, names: BTreeSet<String>) -> bool {
        let any = !names.is_empty();
        for name in names {
            *self.of.entry(folded(&name).into_owned()).or_default() += 1;
            *self.heard.entry(name).or_default() += 1;
        }
        any
    }
}

/// Whether a name differs from one of these by a domain alone.
fn has_kin(names: &BTreeMap<String, u64>, name: &str) -> bool {
    goes_on(names, name) || is_continued(names, name)
}

/// Whether a name is one of these with a domain behind it.
fn is_continued(names: &BTreeMap<String, u64>, name: &str) -> bool {
    name.match_indices('.').any(|(at, _)| name.get(..at).is_some_and(|shorter| names.contains_key(shorter)))
}

/// Whether one of these names is this one with a domain behind it; in order, they stand together.
fn goes_on(names: &BTreeMap<String, u64>, name: &str) -> bool {
    names.range(format!("{name}.")..).next().is_some_and(|(other, _)| continues(other, name))
}

/// A name and those that continue it with a domain, if they are known.
fn family<'a>(names: &'a BTreeMap<String, u64>, name: &'a str) -> impl Iterator<Item = String> + 'a {
    let from = names.range(format!("{name}.")..).map(|(other, _)| other);
    let longer = from.take_while(move |other| continues(other, name)).cloned();
    names.contains_key(name).then(|| name.to_owned()).into_iter().chain(longer)
}

/// The one of these names that the others continue with a domain, if they are all of its kin that there are.
fn root_of<'a>(known: &BTreeMap<String, u64>, names: &'a BTreeSet<Cow<'_, str>>) -> Option<&'a str> {
    // In order, a name comes before those that continue it.
    let root = names.first()?;
    let is_whole = names.iter().all(|name| name == root || continues(name, root))
        && family(known, root).all(|name| names.contains(&*name))
        && known.contains_key(&**root);
    (is_whole && !is_continued(known, root)).then_some(&**root)
}

/// The pairs of which neither name is in another.
fn one_to_one(mut pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs.arrange(Ord::cmp);
    pairs.dedup();
    let [mut firsts, mut seconds] = [const { BTreeMap::<String, u64>::new() }; 2];
    for (first, second) in &pairs {
        *firsts.entry(first.clone()).or_default() += 1;
        *seconds.entry(second.clone()).or_default() += 1;
    }
    pairs.retain(|(first, second)| firsts.get(first) == Some(&1) && seconds.get(second) == Some(&1));
    pairs
}

/// The names that a file gives its own host by claims of a kind.
fn said(file: &FileDigest, source: HostSource) -> BTreeSet<Cow<'_, str>> {
    file.hosts.iter().filter(|claim| claim.source == source).map(|claim| folded(&claim.name)).gathered()
}

/// Names by which trackers go whose logs start by another, each with that: one of the one and one of the other.
#[inline(never)]
fn names_of_trackers(files: &[File<'_>], votes: &BTreeMap<String, u64>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut claims: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    for (_, file) in files {
        let (own, trackers) = (said(file, HostSource::Startup), said(file, HostSource::Tracker));
        if let (Some(root), Some(tracker), 1) = (root_of(votes, &own), trackers.first(), trackers.len()) {
            pairs.push((tracker.to_string(), root.to_owned()));
        }
        for name in own {
            claims.insert(name);
        }
    }
    let mut found = one_to_one(pairs);
    // Names that differ by a domain alone are joined as such.
    found.retain(|(tracker, own)| {
        let whole = || family(votes, tracker).map(Cow::Owned).gathered();
        !claims.contains(tracker.as_str())
            && !continues(own, tracker)
            && !continues(tracker, own)
            && root_of(votes, &whole()).is_some()
    });
    found
}

/// Names that only metrics give their host, each with that of the folder where they lie: those of one host alone.
#[inline(never)]
fn names_of_measured(
    files: &[File<'_>],
    votes: &BTreeMap<String, u64>,
    workers: &BTreeMap<String, u64>,
) -> Vec<(String, String)> {
    let measured: Vec<_> = files.iter().filter(|(_, file)| !said(file, HostSource::Metrics).is_empty()).collect();
    if measured.is_empty() {
        return Vec::new();
    }
    let mut otherwise = workers.clone();
    for (key, file) in files {
        let own = [HostSource::Startup, HostSource::Tracker].map(|source| said(file, source));
        let in_path = daemon_and_host(&key.path).map(|(_, host)| folded(host));
        let names = own.into_iter().flatten().chain(in_path).filter(|name| votes.contains_key(&**name));
        names.for_each(|name| *otherwise.entry(name.into_owned()).or_default() += 1);
    }
    let is_known = |name: &str| otherwise.contains_key(name) || has_kin(&otherwise, name);
    let mut pairs = Vec::new();
    for (key, file) in measured {
        let names = said(file, HostSource::Metrics);
        let Some(name) = names.first().filter(|name| names.len() == 1 && !is_known(name)) else { continue };
        let folders = names_in_folders(&key.path).map(folded);
        if let Some(folder) = folders.into_iter().find(|folder| otherwise.contains_key(&**folder)) {
            pairs.push((name.to_string(), folder.into_owned()));
        }
    }
    one_to_one(pairs)
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
pub(super) fn names_of_others(files: &[File<'_>], votes: &BTreeMap<String, u64>) -> BTreeMap<String, String> {
    let mut own: BTreeMap<(&str, IpAddr), BTreeSet<Cow<'_, str>>> = BTreeMap::new();
    let mut told: BTreeMap<(&str, Cow<'_, str>), BTreeSet<IpAddr>> = BTreeMap::new();
    let mut claims: BTreeSet<Cow<'_, str>> = BTreeSet::new();
    for (key, file) in files {
        let archive = archive_of(&key.path);
        for claim in &file.hosts {
            let Some(ip) = claim.ip.filter(|ip| !ip.is_loopback()) else { continue };
            let name = folded(&claim.name);
            match claim.source {
                HostSource::Startup => {
                    claims.insert(name.clone());
                    own.entry((archive, ip)).or_default().insert(name);
                }
                HostSource::Mention if votes.contains_key(&*name) => {
                    told.entry((archive, name)).or_default().insert(ip);
                }
                _ => {}
            }
        }
    }
    // Names that differ by a domain alone are joined as such.
    let is_alone = |name: &str| votes.contains_key(name) && !has_kin(votes, name);
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut owners: BTreeSet<&str> = BTreeSet::new();
    for ((archive, name), ips) in &told {
        let mut ips = ips.iter();
        let (Some(ip), None) = (ips.next(), ips.next()) else { continue };
        let Some(owner) = own.get(&(*archive, *ip)).and_then(|names| root_of(votes, names)) else { continue };
        if !claims.contains(name) && is_alone(name) && owners.insert(owner) {
            found.entry(name.to_string()).or_insert_with(|| owner.to_string());
        }
    }
    found
}
