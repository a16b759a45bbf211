//! What logs call their hosts, with votes, and which of these names only others use.

use super::paths::{before_rotation, daemon_and_host, is_host_name, is_ordinal, name_in_folders};
use super::{continues, folded};
use crate::base::Gathered;
use crate::model::{Digest, Event, FileDigest, HostSource, formats};
use crate::states::clock::archive_of;
use crate::states::copies::File;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// Votes of `STARTUP_MSG:   host = NAME/IP`: the host's own word.
pub(super) const STARTUP_VOTES: u64 = 5;
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

    /// A name that only others use is the host's at its address; of both that with most votes stays.
    fn join_names_of_others(&mut self, files: &[File<'_>]) {
        for (name, owner) in names_of_others(files, &self.of) {
            let weight = |name: &str| self.of.get(name).copied().unwrap_or_default();
            let (shown, alias) = if weight(&name) > weight(&owner) { (name, owner) } else { (owner, name) };
            let joined = self.of.remove(&alias).unwrap_or_default();
            *self.of.entry(shown.clone()).or_default() += joined;
            self.aliases.insert(alias, shown);
        }
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
    let shorter = || name.match_indices('.').any(|(at, _)| name.get(..at).is_some_and(|s| names.contains_key(s)));
    goes_on(names, name) || shorter()
}

/// Whether one of these names is this one with a domain behind it; in order, they stand together.
fn goes_on(names: &BTreeMap<String, u64>, name: &str) -> bool {
    names.range(format!("{name}.")..).next().is_some_and(|(other, _)| continues(other, name))
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
        let Some(owner) = own.get(&(*archive, *ip)).filter(|names| names.len() == 1).and_then(|names| names.first())
        else {
            continue;
        };
        if !claims.contains(name) && is_alone(name) && is_alone(owner) && owners.insert(owner) {
            found.entry(name.to_string()).or_insert_with(|| owner.to_string());
        }
    }
    found
}
