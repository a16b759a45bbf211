//! Whose a folder or an archive is that is called after nobody: where each holds the daemons' logs of one host, what
//! names no host in it is that host's too.
//!
//! ```text
//! logs-1.tgz/hadoop/hadoop-mapred-tasktracker-h101.log      so logs-1.tgz is h101's
//! logs-1.tgz/hadoop/userlogs/attempt_…/syslog               and this
//! logs-2.tgz/hadoop/hadoop-mapred-tasktracker-h102.log
//! ```
//! Cost: O(per-node logs · levels), and O(levels · log folders) a file that is asked for.

use super::{Hosts, Own};
use crate::base::NodeId;
use crate::model::formats;
use crate::states::copies::File;
use std::collections::{BTreeMap, BTreeSet};

/// Levels of folders that are looked at, from the archive down.
const LEVELS: usize = 4;

/// Folders and archives, each with the name of the host whose it is.
#[derive(Default)]
pub(super) struct Owners(BTreeMap<String, String>);

impl Owners {
    /// By the first level at which each folder with logs of daemons that run on all nodes holds those of one host.
    #[inline(never)]
    pub(super) fn of(files: &[File<'_>], hosts: &Hosts) -> Self {
        let per_node = files.iter().filter(|(_, file)| formats::PER_NODE.contains(&file.format.as_str()));
        let named: Vec<(&str, NodeId)> = per_node
            .filter_map(|(key, file)| match hosts.own_word(&key.path, file) {
                Own::Of(node) => Some((key.path.as_str(), node)),
                Own::Untold | Own::OfSeveral => None,
            })
            .collect();
        let at = |level| owners_at(level, &named).filter(|owners| owners.values().collect::<BTreeSet<_>>().len() > 1);
        let owners = (0..LEVELS).find_map(at).unwrap_or_default();
        Self(owners.into_iter().map(|(folder, node)| (folder.to_owned(), hosts.name(node).to_owned())).collect())
    }

    /// The host whose the folder is that a file lies in.
    pub(super) fn owner(&self, path: &str) -> Option<&str> {
        (0..LEVELS).find_map(|level| self.0.get(folder_at(level, path)?)).map(String::as_str)
    }
}

/// The folders of a level with their hosts; `None` where a folder holds logs of several, or a log lies above the level.
fn owners_at<'a>(level: usize, named: &[(&'a str, NodeId)]) -> Option<BTreeMap<&'a str, NodeId>> {
    let mut owners = BTreeMap::new();
    for (path, node) in named {
        if owners.insert(folder_at(level, path)?, *node).is_some_and(|other| other != *node) {
            return None;
        }
    }
    Some(owners)
}

/// A path up to the end of its folder at a level; 0 is the archive.
fn folder_at(level: usize, path: &str) -> Option<&str> {
    path.match_indices('/').nth(level).and_then(|(end, _)| path.get(..end))
}
