//! Hosts whose traces of system calls name them in their paths alone.
//!
//! ```text
//! h101/strace/tasktracker.strace     a daemon's name stands in several folders: the folder is the host
//! traces/h101.strace                 else the file is called after it
//! ```

use super::owners::Owners;
use super::paths::{is_host_name, is_step, name_in_path, stem};
use super::votes::Votes;
use crate::base::Gathered;
use crate::base::archive::packed;
use crate::model::{Digest, formats};
use std::collections::{BTreeMap, BTreeSet};

/// Hosts of traces whose path holds no known name: nothing inside of a trace names its
/// host. A first part of base names that occurs in several folders, or is a daemon's, says
/// what was traced, so the folder says where; else it is the other way round.
#[inline(never)]
pub(super) fn traced_hosts(digest: &Digest, votes: &Votes, owners: &Owners) -> BTreeSet<String> {
    let of_calls = digest.files().filter(|(_, f)| f.format.starts_with("strace-")).map(|(key, _)| key.path.as_str());
    let is_named = |path: &str| name_in_path(path, |part| votes.have(part)).is_some();
    let strange: Vec<&str> = of_calls.filter(|path| !is_named(path) && owners.owner(path).is_none()).collect();
    let folder = folder_that_differs(&strange);
    let mut folders_of: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for path in &strange {
        folders_of.entry(stem(path)).or_default().insert(folder(path));
    }
    let named = strange.iter().map(|path| {
        let is_daemon = formats::DAEMONS.contains(&stem(path)) || stem(path) == "strace";
        let several = folders_of.get(stem(path)).is_some_and(|folders| folders.len() > 1);
        if is_daemon || several { folder(path) } else { stem(path).to_owned() }
    });
    named.filter(|name| is_host_name(name)).gathered()
}

/// Of a path its folder or archive, of those the nearest to the file by which these paths differ; without an ending.
pub(super) fn folder_that_differs(paths: &[&str]) -> impl Fn(&str) -> String + use<> {
    let at = |path: &str, i: usize| path.rsplit('/').skip(1).filter(|part| !is_step(part)).nth(i).map(str::to_owned);
    let depth = paths.iter().map(|path| path.matches('/').count()).max().unwrap_or_default();
    let differ = |i: &usize| paths.windows(2).any(|pair| matches!(pair, [a, b] if at(a, *i) != at(b, *i)));
    let nearest = (0..depth).find(differ).unwrap_or_default();
    move |path| at(path, nearest).map_or(String::new(), |part| packed(&part).unwrap_or(&part).to_owned())
}
