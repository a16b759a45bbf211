//! What a file's path says of its host: folders, base names, node addresses in either.
//!
//! ```text
//! h103/hadoop-mapred-tasktracker-h103.log           the folder, or what stands behind the daemon's name
//! h103.tar.gz/var/log/hadoop/userlogs/…             the archive
//! h103_45454/container_1540000000000_0001_…/syslog  the folder of a node's aggregated logs
//! ```

use super::nameless::is_of_nobody;
use crate::base::HOST_NAME_BYTES;
use crate::base::archive::packed;
use crate::base::text::between_dashes;
use crate::model::formats::DAEMONS;
use std::net::IpAddr;

/// Characters of a date, 20261120.
const DATE: usize = 8;
/// Digits of a pod's number.
const ORDINAL_DIGITS: usize = 3;
/// Numbers in `2026-11-20-1`.
const ROTATION_PARTS: usize = 4;

/// Ports below need a privilege that no NodeManager has.
const PORT_MIN: u16 = 1024;

/// Whether a part of a path only says which way it goes on: an archive may hold `../../h1/x.log`.
pub(super) fn is_step(part: &str) -> bool {
    matches!(part, "" | "." | "..")
}

/// What the folders and archives of a path may be called after, the last first.
pub(super) fn names_in_folders(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit('/').skip(1).flat_map(|part| [Some(part), without_port(part), packed(part)]).flatten()
}

/// A folder or archive of a path, the last first, or the first part of its base name, that is known.
pub(super) fn name_in_path(path: &str, known: impl Fn(&str) -> bool) -> Option<&str> {
    let found = names_in_folders(path).find(|part| known(part));
    found.or_else(|| Some(stem(path)).filter(|part| known(part)))
}

/// The first part of a base name.
pub(super) fn stem(path: &str) -> &str {
    let base = path.rsplit('/').next().unwrap_or_default();
    base.split(['-', '_', '.']).next().unwrap_or_default()
}

/// Whether a text can be a host's name; `localhost` is none, nor is `..` of a path.
pub(super) fn is_host_name(name: &str) -> bool {
    let letters = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b':');
    name.bytes().any(|b| b.is_ascii_alphanumeric())
        && name.len() <= HOST_NAME_BYTES
        && name.bytes().all(letters)
        && (!name.contains(':') || name.parse::<IpAddr>().is_ok())
        && !is_of_nobody(name)
}

/// HOST of `hadoop-USER-DAEMON-HOST.log`, `.log.1`, `.out`; a bare number is a pod's ordinal, and no host.
pub(in crate::states) fn name_in_file_name(path: &str) -> Option<&str> {
    let (_, host) = daemon_and_host(path)?;
    (!is_ordinal(host)).then_some(host)
}

/// `hadoop-datanode-2`, `datanode-2` and, in case that hosts are called so, `2` of a pod's `hadoop-datanode-2.log`.
pub(super) fn names_of_pod(path: &str) -> impl Iterator<Item = &str> {
    let whole = daemon_and_host(path).filter(|(_, host)| is_ordinal(host)).map(|(whole, _)| whole);
    let ends = whole.into_iter().flat_map(|whole| whole.match_indices('-').filter_map(|(at, _)| whole.get(at + 1..)));
    whole.into_iter().chain(ends)
}

/// Whether a name is a bare number, as pods of a set have.
pub(super) fn is_ordinal(name: &str) -> bool {
    name.len() <= ORDINAL_DIGITS && name.bytes().all(|b| b.is_ascii_digit())
}

/// What may stand before the date or the number of a rotated log, the longest first: `h1-2` and `h1` of `h1-2-20261120`,
/// each with whether a date follows.
pub(super) fn before_rotation(name: &str) -> impl Iterator<Item = (&str, bool)> {
    fn before<'a>(name: &&'a str) -> Option<&'a str> {
        let rest = name.trim_end_matches(|c: char| c.is_ascii_digit());
        rest.strip_suffix(['-', '_', '.']).filter(|_| rest.len() < name.len())
    }
    let is_date = move |rest: &str| name.get(rest.len() + 1..).is_some_and(|s| s.starts_with("20") && s.len() >= DATE);
    std::iter::successors(Some(name), before).skip(1).take(ROTATION_PARTS).map(move |rest| (rest, is_date(rest)))
}

/// `hadoop-USER-DAEMON-HOST` and HOST of `hadoop-USER-DAEMON-HOST.log`, `.log.1`, `.out`.
pub(in crate::states) fn daemon_and_host(path: &str) -> Option<(&str, &str)> {
    // Most files are logs of tasks, whose names hold no dash.
    let base = path.rsplit('/').next().filter(|base| base.contains('-'))?;
    // In letters of either size: Cloudera writes `-DATANODE-`. A host may be called after a daemon, so the first counts.
    let (_, rest) = between_dashes(base, |part| DAEMONS.iter().find(|daemon| part.eq_ignore_ascii_case(daemon)))?;
    // A host may be called n1.logs.example.com.
    let ends = |ending: &str| {
        let ends = |at: &usize| {
            rest.get(at + ending.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
        };
        rest.rmatch_indices(ending).map(|(at, _)| at).find(ends)
    };
    let end = ends(".log").or_else(|| ends(".out"))?;
    // Behind a blank stands which copy of a file it is.
    let host = rest.get(..end)?.split(' ').next().filter(|host| is_host_name(host))?;
    Some((base.get(..base.len() - rest.len() + host.len())?, host))
}

/// HOST of aggregated logs, `HOST_45454/container_…/syslog`.
pub(super) fn name_in_folders(path: &str) -> Option<&str> {
    let (before, _) = path.split_once("/container_")?;
    without_port(before.rsplit('/').next()?)
}

/// Digits of a time in milliseconds, since 2001.
const TIME_DIGITS: usize = 13;

/// `HOST_45454` of `HOST_45454_1540000000000`: of an application that runs long each upload has a file of its own.
fn without_time(node: &str) -> &str {
    let is_time = |time: &str| time.len() == TIME_DIGITS && time.bytes().all(|b| b.is_ascii_digit());
    node.rsplit_once('_').filter(|(_, time)| is_time(time)).map_or(node, |(before, _)| before)
}

/// HOST of `HOST_45454` or `HOST:8042`; an application's folder, `application_1795226467746_0015`, is none, nor
/// are machines that somebody numbered, `worker_3`.
pub(super) fn without_port(node: &str) -> Option<&str> {
    let (host, port) = without_time(node).rsplit_once(['_', ':'])?;
    (port.parse::<u16>().is_ok_and(|port| port >= PORT_MIN) && is_host_name(host) && !is_application(node))
        .then_some(host)
}

/// Whether a folder is named after an application of YARN.
fn is_application(folder: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let numbers = folder.strip_prefix("application_").and_then(|rest| rest.split_once('_'));
    numbers.is_some_and(|(start, number)| digits(start) && digits(number))
}
