//! Logs of several clusters given as one: which nodes belong together.
//!
//! ```text
//! job_202611202149_0001     on h101 h102 h103 h104
//! job_202611210224_0007     on h102 h103 h104        the master was started anew: still one cluster
//! job_1795226467746_0015    on h301 h302 h303        no node of these: another one
//! ```
//! Rule: a job's id begins with its master's start. Nodes that ran attempts under one start belong together, and
//! so do those that share a node. Groups of nodes are clusters if they worked at the same time, since a cluster has
//! one master at a time, came in archives of their own, or are so large that one cluster would have used some node
//! under both starts; else a master may have been started anew, and they are one.
//! Each cluster has as many nodes as a comparison needs; else all are one, as are nodes whose ids do not tell. A
//! node that ran nothing goes with the cluster whose archive it came in.
//! Assumption: clusters whose hosts have the same names are not told apart.
//! Cost: O(nodes · clusters · starts · log starts), starts bounded.

use super::clock::archive_of;
use super::{Found, Input};
use crate::base::text::and_more;
use crate::base::{Arrange, Code, FileId, JobId, NodeId, Place, Timestamp};
use crate::model::MIN_PEERS;
use std::collections::BTreeMap;

/// Starts of masters among which clusters are looked for: of more, the ids are damaged or made up.
const STARTS: usize = 1000;
/// Groups of nodes likewise.
const GROUPS: usize = 64;
/// Nodes named for each cluster in the note.
const NAMED: usize = 3;
/// Two draws of one cluster's nodes that have none in common are less likely than this only where they are of two.
const CHANCE: f64 = 0.01;

/// Under which masters' starts each node ran attempts.
pub(super) type Masters = BTreeMap<(NodeId, u64), MasterBegins>;

/// What a node ran under one start.
#[derive(Clone, Copy, Debug)]
pub(super) struct MasterBegins {
    /// The first line that says so.
    place: Place,
    /// The first begin and the last.
    begins: (Timestamp, Timestamp),
}

/// Notes an attempt of a node; what a machine runs for itself has no master.
pub(super) fn note(masters: &mut Masters, node: NodeId, job: JobId, begin: Timestamp, place: Place) {
    if job.cluster & JobId::LOCAL != 0 {
        return;
    }
    let ran = masters.entry((node, job.cluster)).or_insert(MasterBegins { place, begins: (begin, begin) });
    ran.place = ran.place.min(place);
    ran.begins = (ran.begins.0.min(begin), ran.begins.1.max(begin));
}

/// Nodes that belong together.
#[derive(Clone, Debug, Default)]
struct Group<'a> {
    /// In order.
    nodes: Vec<NodeId>,
    /// Under each start, in order, the first begin and the last.
    starts: Vec<(u64, (Timestamp, Timestamp))>,
    /// What the files came in that tell of them.
    archives: Vec<&'a str>,
}

impl<'a> Group<'a> {
    fn has(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }

    fn came_in(&mut self, archive: &'a str) {
        if !self.archives.contains(&archive) {
            self.archives.push(archive);
        }
    }

    fn shares_an_archive(&self, other: &Self) -> bool {
        self.archives.iter().any(|archive| other.archives.contains(archive))
    }

    /// Whether both worked at one time, under different starts.
    fn overlaps(&self, other: &Self) -> bool {
        let meet = |(a, b): (Timestamp, Timestamp), (c, d): (Timestamp, Timestamp)| a <= d && c <= b;
        self.starts.iter().any(|(_, own)| other.starts.iter().any(|(_, theirs)| meet(*own, *theirs)))
    }

    fn join(mut self, other: Self) -> Self {
        self.nodes.extend(other.nodes);
        self.nodes.arrange(Ord::cmp);
        other.archives.into_iter().for_each(|archive| self.came_in(archive));
        for (start, (first, last)) in other.starts {
            match self.starts.binary_search_by_key(&start, |(own, _)| *own) {
                Ok(at) => {
                    if let Some((_, begins)) = self.starts.get_mut(at) {
                        *begins = (begins.0.min(first), begins.1.max(last));
                    }
                }
                Err(at) => self.starts.insert(at, (start, (first, last))),
            }
        }
        self
    }
}

/// The nodes of each cluster, and an issue; nothing where all are one.
pub(super) fn find(input: &Input<'_>, names: &[&str], found: &mut Found) -> Vec<Vec<NodeId>> {
    let mut starts: Vec<u64> = found.masters.keys().map(|(_, start)| *start).collect();
    starts.sort_unstable();
    starts.dedup();
    let archive = |file: FileId| input.files.get(file.index()).map_or("", |f| archive_of(f.path));
    let groups = if starts.len() > STARTS { Vec::new() } else { together(&found.masters, archive) };
    if !(2..=GROUPS).contains(&groups.len()) {
        return Vec::new();
    }
    let mut clusters = joined(groups, |a, b| may_be_one(a, b, names.len()), Group::overlaps);
    if clusters.len() < 2 || clusters.iter().any(|cluster| cluster.nodes.len() < MIN_PEERS) {
        return Vec::new();
    }
    for cluster in &clusters {
        let places = found.masters.iter().filter(|((node, _), _)| cluster.has(*node)).map(|(_, ran)| ran.place);
        found.issues.extend(places.min().map(|place| (place, Code::SeveralClusters)));
        found.notes.push((Code::SeveralClusters, in_words(&cluster.nodes, names)));
    }
    for other in others(input, &clusters) {
        let mut beside = clusters.iter_mut().filter(|cluster| cluster.shares_an_archive(&other));
        if let (Some(cluster), None) = (beside.next(), beside.next()) {
            cluster.nodes.extend(other.nodes);
        }
    }
    let sorted = |mut cluster: Group<'_>| {
        cluster.nodes.arrange(Ord::cmp);
        cluster.nodes
    };
    clusters.into_iter().map(sorted).collect()
}

/// The nodes with logs that are in no group, each alone with what its files came in.
fn others<'a>(input: &Input<'a>, groups: &[Group<'a>]) -> Vec<Group<'a>> {
    let mut others: BTreeMap<NodeId, Group<'a>> = BTreeMap::new();
    for file in &input.files {
        let Some(node) = file.node.filter(|node| !groups.iter().any(|group| group.has(*node))) else { continue };
        let other = others.entry(node).or_insert_with(|| Group { nodes: vec![node], ..Group::default() });
        other.came_in(archive_of(file.path));
    }
    others.into_values().collect()
}

/// Whether groups under different starts may be of one cluster, whose master was started anew: with so many hosts,
/// none may be in both by chance.
fn may_be_one(a: &Group<'_>, b: &Group<'_>, hosts: usize) -> bool {
    !a.overlaps(b) && a.shares_an_archive(b) && apart_by_chance(a.nodes.len(), b.nodes.len(), hosts) >= CHANCE
}

/// How likely two draws of so many of these hosts have none in common.
fn apart_by_chance(a: usize, b: usize, hosts: usize) -> f64 {
    let (few, many) = (a.min(b), a.max(b));
    let hosts = hosts.max(a + b);
    (0..few).map(|drawn| (hosts - many - drawn) as f64 / (hosts - drawn) as f64).product()
}

/// Joins groups of which some two are `one`, in order of their first node. A group that may be one with several that
/// are `two` stays alone: it is not known with which.
fn joined<'a>(
    groups: Vec<Group<'a>>,
    one: impl Fn(&Group<'a>, &Group<'a>) -> bool,
    two: impl Fn(&Group<'a>, &Group<'a>) -> bool,
) -> Vec<Group<'a>> {
    let mut clusters: Vec<Group<'a>> = Vec::new();
    for group in groups {
        let (same, apart): (Vec<Group<'a>>, Vec<Group<'a>>) =
            clusters.into_iter().partition(|cluster| one(cluster, &group));
        clusters = apart;
        if same.iter().enumerate().any(|(i, a)| same.iter().skip(i + 1).any(|b| two(a, b))) {
            clusters.extend(same);
            clusters.push(group);
        } else {
            clusters.push(same.into_iter().fold(group, Group::join));
        }
    }
    clusters.arrange(|a, b| a.nodes.cmp(&b.nodes));
    clusters
}

/// Nodes joined by the starts that they share; what the lines' files came in is theirs.
fn together<'a>(masters: &Masters, archive: impl Fn(FileId) -> &'a str) -> Vec<Group<'a>> {
    let ran: Vec<(NodeId, u64, MasterBegins)> =
        masters.iter().map(|((node, start), ran)| (*node, *start, *ran)).collect();
    let of_node = |ran: &[(NodeId, u64, MasterBegins)]| Group {
        nodes: ran.iter().take(1).map(|(node, ..)| *node).collect(),
        starts: ran.iter().map(|(_, start, ran)| (*start, ran.begins)).collect(),
        archives: ran.iter().map(|(.., ran)| archive(ran.place.file)).collect(),
    };
    let groups = ran.chunk_by(|(a, ..), (b, ..)| a == b).map(of_node).collect();
    let began = |group: &Group<'_>, start: u64| group.starts.binary_search_by_key(&start, |(own, _)| *own).is_ok();
    joined(groups, |a, b| b.starts.iter().any(|(start, _)| began(a, *start)), |_, _| false)
}

/// `one has h101, h102, h103 and 3 more`.
fn in_words(nodes: &[NodeId], names: &[&str]) -> String {
    let named: Vec<&str> = nodes.iter().take(NAMED).filter_map(|node| names.get(node.index()).copied()).collect();
    format!("one has {}{}", named.join(", "), and_more(nodes.len() - named.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes with the starts they worked under, each from its own second to ten seconds on.
    fn masters(of: &[(u32, &[u64])]) -> Masters {
        let mut masters = Masters::new();
        for (node, starts) in of {
            for start in *starts {
                let (place, job) = (Place { file: FileId(*node), line: 1 }, JobId { cluster: *start, number: 1 });
                for second in [*start & 0xff, (*start & 0xff) + 10] {
                    note(&mut masters, NodeId(*node), job, Timestamp::from_millis(second as i64 * 1000), place);
                }
            }
        }
        masters
    }

    fn of(masters: &Masters) -> Vec<Vec<u32>> {
        together(masters, |_| "a")
            .into_iter()
            .map(|group| group.nodes.into_iter().map(|node| node.0).collect())
            .collect()
    }

    #[test]
    fn nodes_that_share_a_start_belong_together() {
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[7]), (3, &[8])])), [[0, 2], [1, 3]]);
    }

    #[test]
    fn a_master_started_anew_is_one_cluster() {
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[7, 8]), (3, &[8])])), [[0, 1, 2, 3]]);
        assert_eq!(of(&masters(&[(0, &[7]), (1, &[8]), (2, &[9]), (3, &[7, 8, 9])])), [[0, 1, 2, 3]]);
    }

    #[test]
    fn two_masters_at_one_time_are_two_clusters() {
        let overlap = |of: &[(u32, &[u64])]| {
            let groups = together(&masters(of), |_| "a");
            groups[0].overlaps(&groups[1])
        };
        assert!(overlap(&[(0, &[7]), (1, &[17])]), "the first is at work when the second begins");
        assert!(!overlap(&[(0, &[7]), (1, &[18])]));
        assert!(overlap(&[(0, &[7, 40]), (1, &[45])]), "after its own master was started anew");
        assert!(!overlap(&[(0, &[7, 40]), (1, &[20])]), "between");
    }

    #[test]
    fn groups_of_one_archive_are_one_unless_they_worked_at_one_time() {
        let groups = |second_start: u64, archive: fn(FileId) -> &'static str| {
            let found = masters(&[(0, &[7]), (1, &[second_start])]);
            joined(together(&found, archive), |a, b| may_be_one(a, b, 0), Group::overlaps).len()
        };
        let one = |_| "a";
        let each_its_own = |file| if file == FileId(0) { "a" } else { "b" };
        assert_eq!((groups(17, one), groups(18, one)), (2, 1));
        assert_eq!((groups(17, each_its_own), groups(18, each_its_own)), (2, 2));
    }

    #[test]
    fn draws_without_a_common_node_are_chance_where_they_are_small() {
        assert!((apart_by_chance(1, 1, 2) - 0.5).abs() < 1e-12);
        assert!((apart_by_chance(3, 3, 6) - 0.05).abs() < 1e-12, "1 of 20 ways to draw three of six");
        assert!(apart_by_chance(5, 5, 10) < CHANCE, "all hosts that there are were used, and never one twice");
        assert!(apart_by_chance(5, 5, 300) > 0.9, "two small jobs on a large cluster");
        assert!(apart_by_chance(8, 1789, 0) < 1e-12);
    }

    #[test]
    fn jobs_without_a_master_tell_nothing() {
        assert_eq!(of(&masters(&[(0, &[JobId::LOCAL | 5]), (1, &[7])])), [[1]]);
        assert_eq!(of(&Masters::new()), [[0; 0]; 0]);
    }

    #[test]
    fn names_are_cut_short() {
        let nodes: Vec<NodeId> = (0..5).map(NodeId).collect();
        assert_eq!(in_words(&nodes, &["a", "b", "c", "d", "e"]), "one has a, b, c and 2 more");
        assert_eq!(in_words(&nodes[..3], &["a", "b", "c"]), "one has a, b, c");
    }
}
