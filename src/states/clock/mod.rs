//! From a log's wall clock to UTC.
//!
//! log4j writes no zone, job history writes epoch milliseconds. Where both tell of the
//! same instant their difference is the zone ([`evidence`]). Offsets are found for each
//! archive; one of its nodes, or one file, has its own where at least [`SURE_PAIRS`] pairs
//! agree that it differs by half hours. An archive without pairs takes those of all; a node without pairs
//! whose messages to others tell that it is in another zone than they is moved there ([`by_messages`]). Summer
//! time changes them inside a log ([`timeline`]).

mod by_messages;
mod calendar;
mod evidence;
mod measured;
mod timeline;

pub use by_messages::Moved;
pub use calendar::{Calendar, Date};
pub use timeline::{Timeline, Walker};

use super::copies::Copies;
use super::hosts::Hosts;
use crate::base::archive::packed;
use crate::base::{FileId, Gathered, HALF_HOUR_MS, NodeId, QUARTER_HOUR_MS};
use crate::model::{Clock, Digest, Evidence, Zone, ZoneSource, formats};
use evidence::{Epochs, Pair};
use measured::Measured;
use std::collections::{BTreeMap, BTreeSet};
use timeline::Fold;

/// Fewer pairs do not tell a node or file from its archive.
const SURE_PAIRS: usize = 3;
/// Percent of them that have to agree.
const SURE_PERCENT: usize = 80;
/// Two logs that repeat the same hour do so within this (one may be silent for a while).
const SAME_FOLD_MS: i64 = HALF_HOUR_MS;
/// What makes UTC of the local times of Nepal, Eucla and Chatham, there in summer as well.
const QUARTER_ZONES_MS: [i64; 4] =
    [-23 * QUARTER_HOUR_MS, -35 * QUARTER_HOUR_MS, -51 * QUARTER_HOUR_MS, -55 * QUARTER_HOUR_MS];

/// The offset of each file.
pub struct Offsets {
    by_file: BTreeMap<FileId, Timeline>,
    by_node: BTreeMap<(String, NodeId), Timeline>,
    by_archive: BTreeMap<String, Timeline>,
    default: Timeline,
    pairs: u64,
    /// Nodes of which any log has pairs of its own.
    with_pairs: BTreeSet<NodeId>,
    /// Nodes that messages put into another zone, and by how many milliseconds.
    moved: BTreeMap<NodeId, i64>,
    /// Whence, and what was found where.
    pub source: ZoneSource,
    /// What was found where.
    pub zones: Vec<Zone>,
    /// See [`Clocks::told`](crate::model::Clocks::told).
    pub told: Option<(i64, u64)>,
}

/// What is known of one log.
struct Log<'a> {
    id: FileId,
    archive: &'a str,
    node: Option<NodeId>,
    is_jobtrackers: bool,
    pairs: Vec<Pair>,
    folds: Vec<Fold>,
}

impl Offsets {
    /// Finds the offsets, or takes `given` for all.
    #[inline(never)]
    pub fn find(digest: &Digest, copies: &Copies, hosts: &Hosts, given: Option<i64>) -> Self {
        let epochs = if given.is_some() { Epochs::default() } else { Epochs::read(&copies.originals(digest)) };
        let mut logs = Vec::new();
        let mut named: BTreeMap<&str, Vec<Pair>> = BTreeMap::new();
        let mut measured: BTreeMap<&str, Measured> = BTreeMap::new();
        for (id, (i, (key, file))) in (0..).map(FileId).zip(digest.files().enumerate()) {
            if copies.get(i).is_some() {
                continue;
            }
            let archive = archive_of(&key.path);
            measured.entry(archive).or_default().take(file);
            if file.clock == Clock::Epoch {
                named.entry(archive).or_default().extend(evidence::of_name(&key.path));
            } else if !file.format.is_empty() && file.format != formats::OTHER_PROCESS && file.span.is_some() {
                let (pairs, folds) = epochs.of_file(file);
                let is_jobtrackers = file.format == formats::JOBTRACKER;
                logs.push(Log { id, archive, node: hosts.of_file(&key.path, file), is_jobtrackers, pairs, folds });
            }
        }
        let mut found = Self {
            by_file: BTreeMap::new(),
            by_node: BTreeMap::new(),
            by_archive: BTreeMap::new(),
            default: Timeline::constant(given.unwrap_or_default()),
            pairs: 0,
            with_pairs: BTreeSet::new(),
            moved: BTreeMap::new(),
            source: ZoneSource::NotNeeded,
            zones: Vec::new(),
            told: None,
        };
        if logs.is_empty() {
            return found;
        }
        found.with_pairs.extend(logs.iter().filter(|log| !log.pairs.is_empty()).filter_map(|log| log.node));
        if given.is_none() {
            for (archive, measured) in &measured {
                let place = named.entry(archive).or_default();
                if place.is_empty() {
                    place.extend(measured.pair());
                }
            }
            found.learn(&logs, &named);
        }
        if let Some(given) = given {
            found.source = ZoneSource::Given;
            let own = Self::find(digest, copies, hosts, None);
            let is_given = |zone: &Zone| zone.offset_ms == given || zone.changes.iter().any(|(_, ms)| *ms == given);
            let differs = own.source == ZoneSource::Found && !own.zones.iter().any(is_given);
            found.told = differs.then(|| (own.main(), own.pairs));
        }
        found.fold(&logs);
        found
    }

    #[inline(never)]
    fn learn(&mut self, logs: &[Log<'_>], named: &BTreeMap<&str, Vec<Pair>>) {
        let mut by_archive: BTreeMap<&str, Vec<Pair>> = BTreeMap::new();
        let mut by_node: BTreeMap<(&str, NodeId), Vec<Pair>> = BTreeMap::new();
        let mut by_nobody: BTreeMap<&str, Vec<&Vec<Pair>>> = BTreeMap::new();
        let mut folds: BTreeMap<&str, Vec<Fold>> = BTreeMap::new();
        for log in logs {
            let place = by_archive.entry(log.archive).or_default();
            place.extend(log.pairs.iter().filter(|_| !log.is_jobtrackers));
            folds.entry(log.archive).or_default().extend(&log.folds);
            if let Some(node) = log.node {
                by_node.entry((log.archive, node)).or_default().extend(&log.pairs);
            } else {
                by_nobody.entry(log.archive).or_default().push(&log.pairs);
            }
        }
        // The JobTracker tells of every task, but is one node.
        for log in logs.iter().filter(|log| log.is_jobtrackers) {
            let place = by_archive.entry(log.archive).or_default();
            if place.is_empty() {
                place.extend(&log.pairs);
            }
        }
        // A name tells to the minute, and only of the JobTracker, a span by half hours: where nothing else does.
        for (archive, pairs) in named {
            let place = by_archive.entry(archive).or_default();
            if place.is_empty() {
                place.extend(pairs);
            }
        }
        let all: Vec<Pair> = by_archive.values().flatten().copied().collect();
        self.pairs = all.len() as u64;
        self.source = if all.is_empty() { ZoneSource::Assumed } else { ZoneSource::Found };
        self.default = Timeline::constant_of(&all).unwrap_or(Timeline::constant(0));
        let folds_of = |archive: &str| folds.get(archive).map_or(&[][..], Vec::as_slice);
        for (archive, pairs) in &by_archive {
            let Some(median) = Timeline::constant_of(pairs) else { continue };
            // That offsets change is only believed of one node's logs: nodes of different
            // zones that work by turns look the same. It holds for all if all agree.
            let of_nodes = by_node.range((*archive, NodeId(0))..).take_while(|((of, _), _)| of == archive);
            let of_nodes = of_nodes.map(|(_, pairs)| pairs);
            let of_alone = by_nobody.get(archive).into_iter().flatten().copied();
            let changing = of_nodes.chain(of_alone).filter_map(|pairs| Timeline::of(pairs, folds_of(archive)));
            let agreed = |t: &Timeline| !t.changes().is_empty() && t.agreement(pairs) >= SURE_PERCENT;
            let timeline = changing.filter(agreed).max_by_key(|t| t.agreement(pairs)).unwrap_or(median);
            self.zones.push(zone(archive, None, None, &timeline, pairs));
            self.by_archive.insert((*archive).to_owned(), timeline);
        }
        for ((archive, node), pairs) in &by_node {
            if let Some(timeline) = differs(pairs, folds_of(archive), self.by_archive.get(*archive)) {
                self.zones.push(zone(archive, Some(*node), None, &timeline, pairs));
                self.by_node.insert(((*archive).to_owned(), *node), timeline);
            }
        }
        for log in logs {
            let of_node = log.node.and_then(|node| self.by_node.get(&(log.archive.to_owned(), node)));
            if let Some(timeline) =
                differs(&log.pairs, folds_of(log.archive), of_node.or_else(|| self.by_archive.get(log.archive)))
            {
                self.zones.push(zone(log.archive, log.node, Some(log.id), &timeline, &log.pairs));
                self.by_file.insert(log.id, timeline);
            }
        }
    }

    /// Puts in the hours that logs repeat: for the whole archive where logs of two nodes
    /// do, or those of its only one; else for the log alone, whose clock was set.
    #[inline(never)]
    fn fold(&mut self, logs: &[Log<'_>]) {
        let mut by_archive: BTreeMap<&str, Vec<&Log<'_>>> = BTreeMap::new();
        for log in logs {
            by_archive.entry(log.archive).or_default().push(log);
        }
        for (archive, logs) in by_archive {
            let folded: Vec<(&Log<'_>, Fold)> =
                logs.iter().filter_map(|log| Some((*log, *log.folds.first()?))).collect();
            let Some(first) = folded.iter().map(|(_, fold)| *fold).min() else { continue };
            let alike = |fold: &Fold| fold.before.millis_since(first.before) < SAME_FOLD_MS;
            let nodes =
                |all: &mut dyn Iterator<Item = &Log<'_>>| all.map(|log| log.node).gathered::<BTreeSet<_>>().len();
            let shared = nodes(&mut folded.iter().filter(|(_, fold)| alike(fold)).map(|(log, _)| *log));
            if shared > 1 || nodes(&mut logs.iter().copied()) == 1 {
                // The log that was written last before it tells best when it was.
                let latest = folded.iter().map(|(_, fold)| *fold).filter(alike).max().unwrap_or(first);
                let timeline = self.by_archive.get(archive).unwrap_or(&self.default).clone().with_fold(latest);
                self.note(archive, None, None, &timeline);
                self.by_archive.insert(archive.to_owned(), timeline);
            } else {
                for (log, fold) in folded {
                    let timeline = self.of(log.id, log.archive, log.node).with_fold(fold);
                    self.note(archive, log.node, Some(log.id), &timeline);
                    self.by_file.insert(log.id, timeline);
                }
            }
        }
    }

    /// Notes the changes of a timeline in its row.
    fn note(&mut self, archive: &str, node: Option<NodeId>, file: Option<FileId>, timeline: &Timeline) {
        let new = zone(archive, node, file, timeline, &[]);
        let same = |z: &&mut Zone| (z.archive.as_str(), z.node, z.file) == (archive, node, file);
        match self.zones.iter_mut().find(same) {
            Some(row) => row.changes = new.changes,
            None => self.zones.push(new),
        }
    }

    /// The offsets of a log.
    pub fn of(&self, file: FileId, archive: &str, node: Option<NodeId>) -> Timeline {
        let of_node = || node.and_then(|node| self.by_node.get(&(archive.to_owned(), node)));
        let found = self.by_file.get(&file).or_else(of_node).or_else(|| self.by_archive.get(archive));
        let timeline = found.unwrap_or(&self.default).clone();
        match node.and_then(|node| self.moved.get(&node)) {
            Some(by_ms) => timeline.moved(*by_ms),
            None => timeline,
        }
    }

    /// The offset of all archives together.
    pub const fn main(&self) -> i64 {
        self.default.first_ms()
    }

    /// How many pairs were found.
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }
}

/// The timeline of these pairs, if it is sure and another than the one around it.
fn differs(pairs: &[Pair], folds: &[Fold], around: Option<&Timeline>) -> Option<Timeline> {
    let timeline = Timeline::of(pairs, folds).filter(|_| pairs.len() >= SURE_PAIRS)?;
    let around = around?;
    let apart = timeline.first_ms() - around.first_ms();
    // Zones of quarter hours are few: any other such step is a clock that is wrong.
    let is_zone = |ms: i64| ms % HALF_HOUR_MS == 0 || QUARTER_ZONES_MS.contains(&timeline.first_ms());
    let other = apart != 0 && is_zone(apart) || (apart == 0 && around.agreement(pairs) < SURE_PERCENT);
    (other && timeline.agreement(pairs) >= SURE_PERCENT).then_some(timeline)
}

fn zone(archive: &str, node: Option<NodeId>, file: Option<FileId>, timeline: &Timeline, pairs: &[Pair]) -> Zone {
    let mut evidence: BTreeMap<Evidence, u64> = BTreeMap::new();
    for pair in pairs {
        *evidence.entry(pair.kind).or_default() += 1;
    }
    Zone {
        archive: archive.to_owned(),
        node,
        file,
        offset_ms: timeline.first_ms(),
        pairs: pairs.len() as u64,
        evidence: evidence.into_iter().collect(),
        changes: timeline.changes().iter().map(|s| (s.from, s.offset_ms)).collect(),
    }
}

/// The archive that a file came in, or the folder that was dropped: the first part of its path, and where a folder held
/// archives, as far as the first that is called as one. Of archives packed into one all came in that.
pub fn archive_of(path: &str) -> &str {
    let mut folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
    let archive = folders.clone().find(|folder| packed(folder).is_some());
    archive.or_else(|| folders.next()).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_of_a_folder_are_archives_each() {
        for (path, archive) in [
            ("r06.tar.gz/r06/h1/x.log", "r06.tar.gz"),
            ("runs/r06.tar.gz/r06/h1/x.log", "runs/r06.tar.gz"),
            ("runs.zip/r06.tar.gz/r06/h1/x.log", "runs.zip"),
            ("logs/h1/x.log", "logs"),
            ("x.log", ""),
        ] {
            assert_eq!(archive_of(path), archive, "{path}");
        }
    }
}
