//! Who a host is that nothing but paths names, by what its logs hold: folders, archives and files may be called after an
//! address, a date, or whatever came to the mind of who gathered them.
//!
//! ```text
//! 10.77.3.13/nodemanager.log    Container container_…_000007 transitioned from SCHEDULED to RUNNING
//! h300/resourcemanager.log      Assigned container container_…_000007 … on host h303     what ran there ran on h303
//! 10.77.3.11/nodemanager.log    … from h303:48642 / 10.77.3.13:48642                     its address is h303's
//! 10.77.3.12/datanode.log       dest: /10.77.3.13:56850 … DFSClient_attempt_…_m_000007   what read from there did, too
//! ```
//! Two machines never become one: all that speaks must name the same host, more than one attempt has to, and two logs of
//! a daemon that tell of one time are of two machines. What is not enough for that is told as a doubt.
//! Cost: where there is such a host O(events · log events), else O(files).

use super::votes::{NAMING, Votes};
use super::{Hosts, OWN_ADDRESS_EVENTS, but_for_domain, folded, own_address};
use crate::base::{Arrange, AttemptId, ContainerId, Gathered, NodeId, Timestamp};
use crate::model::{Clock, Event, HostSource, TaskType, Topic, formats};
use crate::states::clock::archive_of;
use crate::states::copies::File;
use std::collections::BTreeSet;
use std::net::IpAddr;

/// Attempts that have to name a host: one alone may be an accident.
const ENOUGH: usize = 2;
/// Of so many one may name another: an attempt that was moved, a log that was misplaced.
const STRAY_OF: usize = 10;

/// Names of hosts that stand in paths alone, each with those that it may be.
pub(super) type Doubts = Vec<(String, String)>;

/// Who hosts are that paths alone name.
#[derive(Default)]
pub(super) struct Told {
    /// Each with the host that it is.
    pub(super) same: Vec<(NodeId, NodeId)>,
    pub(super) doubts: Doubts,
}

/// What a log tells of that a master, a history or a DataNode knows too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Attempt(AttemptId),
    Container(ContainerId),
}

/// Ways in which work is known to be of a host, each judged by itself: by two of them one attempt would count twice.
const WAYS: usize = 3;
/// Attempts that it ran.
const RUN: usize = 0;
/// Containers that it ran.
const CONTAINED: usize = 1;
/// Attempts that read from its address.
const READ: usize = 2;

/// What the logs of a host hold.
#[derive(Default)]
struct Held<'a> {
    work: [Vec<Work>; WAYS],
    /// Its address by its transfers.
    own: Vec<IpAddr>,
    /// That, and the one it is called after.
    addresses: Vec<IpAddr>,
    archives: Vec<&'a str>,
    written: Vec<Written<'a>>,
}

/// A daemon's log: its format, and when it was written.
type Written<'a> = (&'a str, Clock, (Timestamp, Timestamp));

/// Where work was done, in its order; nowhere where masters differ.
type Ran = Vec<(Work, Option<NodeId>, bool)>;

/// Names with their addresses, as the logs of each archive pair them, in order: those of another may be another cluster's.
#[derive(Default)]
struct Pairs<'a> {
    by_address: Vec<(&'a str, IpAddr, NodeId)>,
    by_node: Vec<(&'a str, NodeId, IpAddr)>,
}

/// Who they are.
#[inline(never)]
pub(super) fn told(files: &[File<'_>], hosts: &Hosts) -> Told {
    let mut told = Told::default();
    let mut known = hosts.workers.clone();
    for (_, file) in files {
        for source in [HostSource::Startup, HostSource::Tracker] {
            known.extend(hosts.said(file, source));
        }
    }
    if known.is_empty() || known.len() == hosts.names.len() {
        return told;
    }
    let mut all = held(files, hosts, &known);
    if all.iter().all(|held| held.archives.is_empty()) {
        return told;
    }
    hear_readers(files, &mut all);
    let ran = ran(files, hosts, &mut all);
    let pairs = pairs(files, hosts, &known);
    let mut is: Vec<(NodeId, NodeId)> = Vec::new();
    for (node, held) in (0..).map(NodeId).zip(&all).filter(|(_, held)| !held.archives.is_empty()) {
        let called = |host: &NodeId| holds(hosts.name(node), hosts.name(*host));
        let (mut may, sure) = held.host(&ran, &pairs, called);
        let is_told = !may.is_empty();
        if !is_told {
            may = known.iter().filter(|host| called(host)).copied().gathered();
        }
        match may.first() {
            Some(host) if sure && may.len() == 1 => is.push((*host, node)),
            // That a name is part of several says nothing.
            Some(_) if is_told || may.len() == 1 => told.doubt(hosts, node, &may),
            _ => {}
        }
    }
    is.arrange(Ord::cmp);
    for nodes in is.chunk_by(|a, b| a.0 == b.0) {
        let are_one = are_one(hosts, nodes, &all);
        for (host, node) in nodes {
            if are_one {
                told.same.push((*node, *host));
            } else {
                told.doubt(hosts, *node, &BTreeSet::from([*host]));
            }
        }
    }
    told.doubts.arrange(Ord::cmp);
    told
}

impl Told {
    fn doubt(&mut self, hosts: &Hosts, node: NodeId, may: &BTreeSet<NodeId>) {
        let may: Vec<&str> = may.iter().map(|host| hosts.name(*host)).collect();
        self.doubts.push((hosts.name(node).to_owned(), may.join(" or ")));
    }
}

/// What is in the logs of each host; of the known ones only when logs of daemons were written.
#[inline(never)]
fn held<'a>(files: &[File<'a>], hosts: &Hosts, known: &BTreeSet<NodeId>) -> Vec<Held<'a>> {
    let mut all: Vec<Held<'a>> = hosts.names.iter().map(|_| Held::default()).collect();
    for (key, file) in files {
        let format = file.format.as_str();
        let per_node = formats::PER_NODE.contains(&format);
        if !per_node && format != formats::TASK_SYSLOG {
            continue;
        }
        let Some(node) = hosts.of_file(&key.path, file) else { continue };
        let Some(held) = all.get_mut(node.index()) else { continue };
        if let Some(span) = file.span.filter(|_| per_node) {
            held.written.push((format, file.clock, span));
        }
        if known.contains(&node) {
            continue;
        }
        let archive = archive_of(&key.path);
        if !held.archives.contains(&archive) {
            held.archives.push(archive);
        }
        if format == formats::DATANODE {
            held.own.extend(own_address(file));
        }
        for row in file.events.about(Topic::Tasks) {
            match row.event {
                Event::Launched { attempt, cleanup: false } => held.add(RUN, Work::Attempt(attempt)),
                Event::TaskLog { attempt, container } => {
                    held.add(RUN, Work::Attempt(attempt));
                    container.into_iter().for_each(|container| held.add(CONTAINED, Work::Container(container)));
                }
                Event::Localizing { container } | Event::ContainerRunning { container } => {
                    held.add(CONTAINED, Work::Container(container));
                }
                _ => {}
            }
        }
    }
    for (name, node) in &hosts.by_name {
        let held = all.get_mut(node.index()).filter(|held| !held.archives.is_empty());
        if let (Some(held), Ok(ip)) = (held, name.parse()) {
            held.addresses.push(ip);
        }
    }
    for held in &mut all {
        held.addresses.extend(held.own.iter().copied());
    }
    all
}

/// Takes the attempts that DataNodes of the same archive saw read from the address of each.
#[inline(never)]
fn hear_readers(files: &[File<'_>], all: &mut [Held<'_>]) {
    let mut of: Vec<(IpAddr, usize)> = Vec::new();
    for (i, held) in all.iter().enumerate() {
        of.extend(held.addresses.iter().map(|ip| (*ip, i)));
    }
    in_order(&mut of);
    for (key, file) in files.iter().filter(|(_, file)| file.format == formats::DATANODE && !of.is_empty()) {
        let archive = archive_of(&key.path);
        for row in file.events.about(Topic::Blocks).take(OWN_ADDRESS_EVENTS) {
            let Event::Read { dest, attempt: Some(attempt), .. } = row.event else { continue };
            let from = of.partition_point(|(ip, _)| *ip < dest.ip());
            for (_, i) in of.iter().skip(from).take_while(|(ip, _)| *ip == dest.ip()) {
                if let Some(held) = all.get_mut(*i).filter(|held| held.archives.contains(&archive)) {
                    held.add(READ, Work::Attempt(attempt));
                }
            }
        }
    }
}

/// Where all that ran, by histories and masters; each host's comes in order.
#[inline(never)]
fn ran(files: &[File<'_>], hosts: &Hosts, all: &mut [Held<'_>]) -> Ran {
    let mut asked: Vec<Work> = Vec::new();
    for work in all.iter_mut().flat_map(|held| &mut held.work) {
        in_order(work);
        asked.extend_from_slice(work);
    }
    in_order(&mut asked);
    let mut ran: Ran = asked.into_iter().map(|work| (work, None, false)).collect();
    let mut hear = |work: Work, host: &str| {
        let place = ran.partition_point(|(other, ..)| *other < work);
        if let Some((_, at, heard)) = ran.get_mut(place).filter(|(other, ..)| *other == work)
            && let Some(node) = hosts.named(host)
        {
            *at = if *heard { at.filter(|before| *before == node) } else { Some(node) };
            *heard = true;
        }
    };
    for (_, file) in files.iter().filter(|(_, file)| NAMING.contains(&file.format.as_str())) {
        for row in file.events.iter() {
            match row.event {
                Event::Attempt(a) => a.host.iter().for_each(|host| hear(Work::Attempt(a.attempt), host)),
                Event::Assigned { attempt, container, host } => {
                    hear(Work::Attempt(attempt), &host);
                    hear(Work::Container(container), &host);
                }
                Event::ContainerAssigned { container, host } => hear(Work::Container(container), &host),
                Event::TaskAssigned { attempt, task_type, host } if task_type != Some(TaskType::TaskCleanup) => {
                    hear(Work::Attempt(attempt), &host);
                }
                _ => {}
            }
        }
    }
    ran
}

fn in_order<T: Ord>(rows: &mut Vec<T>) {
    rows.arrange(Ord::cmp);
    rows.dedup();
}

/// The known hosts' names and addresses, as they stand side by side.
#[inline(never)]
fn pairs<'a>(files: &[File<'a>], hosts: &Hosts, known: &BTreeSet<NodeId>) -> Pairs<'a> {
    let mut pairs = Pairs::default();
    for (key, file) in files {
        let archive = archive_of(&key.path);
        for claim in &file.hosts {
            let Some(ip) = claim.ip.filter(|ip| !ip.is_loopback()) else { continue };
            let node = hosts.named(&claim.name).or_else(|| but_for_domain(&hosts.by_name, &claim.name));
            if let Some(node) = node.filter(|node| known.contains(node)) {
                pairs.by_address.push((archive, ip, node));
            }
        }
    }
    in_order(&mut pairs.by_address);
    pairs.by_node = pairs.by_address.iter().map(|(archive, ip, node)| (*archive, *node, *ip)).collect();
    pairs.by_node.arrange(Ord::cmp);
    pairs
}

impl Pairs<'_> {
    /// The host of an address: an address that passes from host to host says nothing, nor does one of several.
    fn host(&self, archive: &str, ip: IpAddr) -> Option<NodeId> {
        let from = self.by_address.partition_point(|(of, other, _)| (*of, *other) < (archive, ip));
        let mut nodes = self.by_address.iter().skip(from).take_while(|(of, other, _)| (*of, *other) == (archive, ip));
        match (nodes.next(), nodes.next()) {
            (Some((.., node)), None) => Some(*node).filter(|node| self.addresses(archive, *node).count() == 1),
            _ => None,
        }
    }

    fn addresses(&self, archive: &str, node: NodeId) -> impl Iterator<Item = IpAddr> {
        let from = self.by_node.partition_point(|(of, other, _)| (*of, *other) < (archive, node));
        let own = self.by_node.iter().skip(from).take_while(move |(of, other, _)| (*of, *other) == (archive, node));
        own.map(|(.., ip)| *ip)
    }
}

impl Held<'_> {
    fn add(&mut self, way: usize, work: Work) {
        if let Some(all) = self.work.get_mut(way) {
            all.push(work);
        }
    }

    /// Those that it may be, and, of one, whether that is enough: of one attempt it is for who is `called` so.
    fn host(&self, ran: &Ran, pairs: &Pairs<'_>, called: impl Fn(&NodeId) -> bool) -> (BTreeSet<NodeId>, bool) {
        let mut may: BTreeSet<NodeId> = BTreeSet::new();
        for archive in &self.archives {
            may.extend(self.addresses.iter().filter_map(|ip| pairs.host(archive, *ip)));
        }
        let mut sure = !may.is_empty();
        for work in &self.work {
            let place = |work: &Work| ran.get(ran.partition_point(|(other, ..)| other < work));
            let mut nodes: Vec<NodeId> = work.iter().filter_map(|work| place(work)?.1).collect();
            nodes.arrange(Ord::cmp);
            let is_most = |of: &&[NodeId]| (nodes.len() - of.len()) * STRAY_OF <= nodes.len();
            match nodes.chunk_by(|a, b| a == b).find(is_most) {
                Some(of) => {
                    may.extend(of.first());
                    sure |= of.len() >= ENOUGH;
                }
                None => may.extend(nodes),
            }
        }
        let has_other = |node: &NodeId| {
            let mut known = self.archives.iter().flat_map(|archive| pairs.addresses(archive, *node)).peekable();
            !self.own.is_empty() && known.peek().is_some() && !known.any(|ip| self.own.contains(&ip))
        };
        let sure = may.iter().all(|node| (sure || called(node)) && !has_other(node));
        (may, sure)
    }
}

/// Whether all of these, each beside the host that it is, can be one machine: no two logs of a daemon are of one time, and
/// where two of them have such logs both are called after it.
#[inline(never)]
fn are_one(hosts: &Hosts, nodes: &[(NodeId, NodeId)], all: &[Held<'_>]) -> bool {
    let logs = |node: NodeId| all.get(node.index()).into_iter().flat_map(|held| &held.written);
    let any = |a: NodeId, b: NodeId, at_once: bool| {
        logs(a).any(|(format, clock, (first, last))| {
            logs(b).any(|(other, by, (from, to))| {
                format == other && (!at_once || clock == by && first < to && from < last)
            })
        })
    };
    let called = |(host, node): &(NodeId, NodeId)| holds(hosts.name(*node), hosts.name(*host));
    let may_be = |(i, a): (usize, &(NodeId, NodeId))| {
        let with = |b: &(NodeId, NodeId)| !any(a.1, b.1, called(a) && called(b));
        !any(a.1, a.0, true) && nodes.iter().skip(i + 1).all(with)
    };
    nodes.iter().enumerate().all(may_be)
}

/// Whether a host's name, but for its domain, is part of another, between marks: `h303` of `logs_h303_20261121`.
fn holds(whole: &str, name: &str) -> bool {
    let (whole, name) = (folded(whole), folded(name));
    let name = match name.parse::<IpAddr>() {
        Ok(_) => &*name,
        Err(_) => name.split('.').next().unwrap_or_default(),
    };
    let is_end = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric());
    whole.match_indices(name).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| whole.as_bytes().get(at));
        is_end(before) && is_end(whole.as_bytes().get(at + name.len()))
    })
}

/// Joins them; whether there were any.
pub(super) fn join(votes: &mut Votes, hosts: &Hosts, same: &[(NodeId, NodeId)]) -> bool {
    for (node, host) in same {
        let names = votes.of.keys().filter(|name| hosts.named(name) == Some(*node)).cloned().collect();
        let shown = folded(hosts.name(*host)).into_owned();
        votes.join(names, &shown);
    }
    votes.settle_aliases();
    !same.is_empty()
}
