//! Machines whose logs name no host, or one that every machine has: `localhost` is nobody in particular.

use super::Hosts;
use super::paths::{is_host_name, is_step, names_of_pod};
use super::traced::folder_that_differs;
use super::votes::STARTUP_VOTES;
use crate::base::archive::packed;
use crate::base::{Arrange, Gathered as _, HOST_NAME_BYTES, Timestamp};
use crate::model::{FileDigest, HostSource, formats};
use crate::states::copies::File;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// A name of the host that has no other; it may be shown with a domain.
pub(in crate::states) const LAST_RESORT: &str = "localhost";

/// Whether a name is that of every machine, and so of none.
pub(in crate::states) fn is_of_nobody(name: &str) -> bool {
    let is_loopback = || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let is_local = |name: &str| name.eq_ignore_ascii_case(LAST_RESORT);
    name.split('.').next().is_some_and(is_local) || is_loopback()
}

/// What logs call the machine that they all call localhost: the name with most votes, the shorter one if equal.
#[inline(never)]
pub(super) fn name_of_nobody<'a>(files: &[File<'a>]) -> &'a str {
    let mut votes: BTreeMap<&str, u64> = BTreeMap::new();
    let may_be = |name: &str| name.get(..LAST_RESORT.len()).is_some_and(|head| head.eq_ignore_ascii_case(LAST_RESORT));
    for claim in files.iter().flat_map(|(_, file)| &file.hosts).filter(|claim| may_be(&claim.name)) {
        let weight = match claim.source {
            HostSource::Startup => STARTUP_VOTES,
            HostSource::Tracker | HostSource::Metrics => 1,
            HostSource::Mention => continue,
        };
        *votes.entry(&claim.name).or_default() += weight;
    }
    let named = votes.into_iter().filter(|(name, _)| is_of_nobody(name) && name.len() <= HOST_NAME_BYTES);
    named.max_by_key(|(name, votes)| (*votes, std::cmp::Reverse(name.len()))).map_or(LAST_RESORT, |(name, _)| name)
}

/// The folders that tell logs of one daemon apart, or metrics of one format, which name no host: the first level, from
/// the archive down, at which they differ.
#[inline(never)]
pub(super) fn folders_of_nameless(files: &[File<'_>], hosts: &Hosts) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for format in formats::PER_NODE.iter().chain(&formats::METRICS) {
        let of_format = files.iter().filter(|(_, file)| file.format == *format);
        let nameless: Vec<(&FileDigest, Vec<&str>)> = of_format
            .filter(|(key, file)| hosts.of_file(&key.path, file).is_none())
            .map(|(key, file)| (*file, key.path.split('/').filter(|part| !is_step(part)).collect()))
            .collect();
        let Some(((_, first), others)) = nameless.split_first() else { continue };
        // The last part is the file itself.
        let level =
            (0..first.len().saturating_sub(1)).find(|i| others.iter().any(|(_, parts)| parts.get(*i) != first.get(*i)));
        let Some(level) = level else { continue };
        let folder = |parts: &Vec<&str>| {
            let folder = parts.get(level).filter(|_| level + 1 < parts.len())?;
            Some(packed(folder).unwrap_or(folder).to_owned())
        };
        // Metrics of one machine may have a folder a day.
        if formats::METRICS.contains(format)
            && !are_of_one_time(nameless.iter().map(|(file, parts)| (*file, folder(parts))))
        {
            continue;
        }
        found.extend(nameless.iter().filter_map(|(_, parts)| folder(parts)).filter(|folder| is_host_name(folder)));
    }
    found
}

/// Hosts of logs of daemons and of tasks where no log of a node says whose it is: by the pods that these ran in, and the
/// folders above `userlogs/`, where there are several.
#[inline(never)]
pub(super) fn workers_of_nameless(files: &[File<'_>], hosts: &Hosts) -> BTreeSet<String> {
    let of_format = |wanted: &'static [&'static str]| files.iter().filter(|(_, f)| wanted.contains(&f.format.as_str()));
    let daemons = || of_format(&formats::PER_NODE);
    if daemons().chain(of_format(&formats::METRICS)).any(|(key, file)| hosts.of_file(&key.path, file).is_some()) {
        return BTreeSet::new();
    }
    let pods: BTreeSet<String> = daemons()
        .filter_map(|(key, _)| names_of_pod(&key.path).filter(|name| name.contains('-')).last())
        .map(str::to_owned)
        .gathered();
    if !pods.is_empty() {
        return pods;
    }
    let tasks = of_format(&[formats::TASK_SYSLOG]).filter_map(|(key, _)| key.path.split_once("userlogs/"));
    let of_tasks: BTreeSet<&str> = tasks.map(|(above, _)| above).gathered();
    let of_tasks: Vec<&str> = of_tasks.into_iter().collect();
    let folder = folder_that_differs(&of_tasks);
    let folders: BTreeSet<String> =
        of_tasks.iter().map(|path| folder(path)).filter(|name| is_host_name(name)).gathered();
    if folders.len() > 1 { folders } else { BTreeSet::new() }
}

/// Whether files of two folders tell of one time.
fn are_of_one_time<'a>(files: impl Iterator<Item = (&'a FileDigest, Option<String>)>) -> bool {
    let mut spans: Vec<_> = files.filter_map(|(file, folder)| Some((file.span?, folder))).collect();
    spans.arrange(Ord::cmp);
    // The one that ends last of those so far: where folders overlap, some file begins before it ends.
    let mut longest: Option<&((Timestamp, Timestamp), Option<String>)> = None;
    for file in &spans {
        let (span, folder) = file;
        // The last record of a day may be the first of the next.
        let meet = |other: &(Timestamp, Timestamp)| span.0 < other.1 || span == other;
        if longest.is_some_and(|(other, of)| meet(other) && folder != of) {
            return true;
        }
        if longest.is_none_or(|(other, _)| other.1 < span.1) {
            longest = Some(file);
        }
    }
    false
}
