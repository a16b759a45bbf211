//! The data flow of one job in sums: volumes from node to node (M11), groups of paths with their volumes and durations
//! (M12), and the sentences about it. Nodes and job are places in the lists of [`super::attempts`].
//!
//! ```text
//! nodes [0, 1, 2]    into_maps [134217728, …]    between [5242880, …]    out […]         bytes
//! groups             12 paths: 400 9100 0 31000 … ms, 4194304 4400000 … bytes
//! ```
//! Cost to make: [`JobStudy::of`], of the job that moved most; in a link two bytes for each pair of nodes.

use super::permuted::{permute, permute_square};
use crate::base::{Arrange, Gathered, JobId, NodeId};
use crate::diagnosis::mochi::JobFlow;
use crate::diagnosis::mochi::paths::{Group, MOST_GROUPS, Paths, STAGES};
use crate::diagnosis::mochi::study::JobStudy;
use crate::diagnosis::mochi::volumes::Volumes;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes at most: their pairs would be most of a link.
const MOST_NODES: usize = 128;
/// Sentences at most, and letters of one: there are some ten, of two lines.
const MOST_WORDS: (usize, usize) = (40, 1_000);
/// No job moves more (an exabyte): sums of what comes from outside stay numbers.
const MOST_BYTES: u64 = 1 << 60;
/// Leading digits of a number that a short link keeps.
const DIGITS: u32 = 3;

/// The sums.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowFigure {
    /// The job.
    pub job: u32,
    /// Its nodes; the next lists follow their order.
    pub nodes: Vec<u32>,
    /// Bytes into the Maps of each node.
    pub into_maps: Vec<u64>,
    /// Of these, from blocks of the same node.
    pub local: Vec<u64>,
    /// Bytes from the Maps of each node to the Reduces of each, row by row.
    pub between: Vec<u64>,
    /// Bytes out of the tasks of each node.
    pub out: Vec<u64>,
    /// Bytes of map output of which one end is not known.
    pub unknown: u64,
    /// The tasks counted what was read, no log told it.
    pub reads_counted: bool,
    /// The same of what was written.
    pub writes_counted: bool,
    /// Groups of its paths, the one with the longest first.
    pub groups: Vec<GroupFigure>,
    /// The group of the path that its end waited for.
    pub critical: Option<u32>,
    /// How many paths there are.
    pub paths: u64,
    /// Paths alike stand for one another.
    pub folded: bool,
    /// What each Map sent to each Reduce was logged.
    pub fetches_logged: bool,
    /// Some paths lead through a Reduce.
    pub reduces: bool,
    /// What there is to say of it.
    pub words: Vec<String>,
    /// How far the sums can be trusted.
    pub trust: Vec<String>,
}

/// Paths alike, stage by stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupFigure {
    /// How many.
    pub paths: u64,
    /// Mean milliseconds in each stage.
    pub millis: [u64; STAGES],
    /// Mean bytes in each stage.
    pub bytes: [u64; STAGES],
}

fn whole(value: f64) -> u64 {
    value.round().clamp(0.0, MOST_BYTES as f64) as u64
}

/// The sums of a job; `None` where there are none, or it has too many nodes.
pub(super) fn of(study: &JobStudy, jobs: &BTreeMap<JobId, u32>, nodes: &BTreeMap<NodeId, u32>) -> Option<FlowFigure> {
    let (v, paths) = (&study.volumes, &study.paths);
    if v.nodes.is_empty() || v.nodes.len() > MOST_NODES {
        return None;
    }
    let bytes = |list: &[f64]| list.iter().map(|bytes| whole(*bytes)).collect();
    let told = |texts: &[String]| {
        let short = texts.iter().filter(|text| text.len() <= MOST_WORDS.1);
        short.take(MOST_WORDS.0).cloned().collect()
    };
    let group =
        |g: &Group| GroupFigure { paths: whole(g.weight), millis: g.millis.map(whole), bytes: g.bytes.map(whole) };
    Some(FlowFigure {
        job: *jobs.get(&study.flow.job)?,
        nodes: v.nodes.iter().map(|node| nodes.get(node).copied()).collect::<Option<_>>()?,
        into_maps: bytes(&v.into_maps),
        local: bytes(&v.local),
        between: bytes(&v.between),
        out: bytes(&v.out),
        unknown: whole(v.unknown),
        reads_counted: v.reads_counted,
        writes_counted: v.writes_counted,
        groups: paths.groups.iter().take(MOST_GROUPS).map(group).collect(),
        critical: study.critical_group.and_then(|group| u32::try_from(group).ok()),
        paths: whole(paths.count),
        folded: paths.folded,
        fetches_logged: paths.fetches_logged,
        reduces: study.has_reduces,
        words: told(&study.words),
        trust: told(&study.trust),
    })
}

/// The same number with so many leading digits.
fn round(value: &mut u64) {
    let step = 10_u64.pow((value.checked_ilog10().unwrap_or(0) + 1).saturating_sub(DIGITS));
    *value -= *value % step;
}

impl FlowFigure {
    /// Three digits of each number: no figure shows more.
    pub(super) fn round(&mut self) {
        let lists = [&mut self.into_maps, &mut self.local, &mut self.between, &mut self.out];
        lists.into_iter().flatten().for_each(round);
        for group in &mut self.groups {
            group.millis.iter_mut().chain(&mut group.bytes).for_each(round);
        }
    }

    /// Numbers the nodes anew by where each has gone, and puts them into the order of their places.
    pub(super) fn renumber(&mut self, to: &[usize]) {
        let new = |node: u32| to.get(node as usize).and_then(|new| u32::try_from(*new).ok());
        self.nodes.iter_mut().for_each(|node| *node = new(*node).unwrap_or(*node));
        self.sort_by_place();
    }

    /// Puts the nodes into the order of their places.
    fn sort_by_place(&mut self) {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.arrange_by(|at| self.nodes.get(*at).copied());
        [&mut self.into_maps, &mut self.local, &mut self.out].into_iter().for_each(|list| permute(list, &order));
        permute_square(&mut self.between, &order);
        permute(&mut self.nodes, &order);
    }

    pub(super) fn fits(&self, nodes: usize) -> bool {
        let n = self.nodes.len();
        let lengths = [self.into_maps.len(), self.local.len(), self.out.len()];
        let unlike: BTreeSet<u32> = self.nodes.iter().copied().gathered();
        (1..=MOST_NODES).contains(&n)
            && unlike.len() == n
            && self.nodes.iter().all(|node| (*node as usize) < nodes)
            && lengths.iter().all(|length| *length == n)
            && self.between.len() == n * n
            && self.groups.len() <= MOST_GROUPS
            && [&self.words, &self.trust].into_iter().all(|texts| texts.len() <= MOST_WORDS.0)
            && self.words.iter().chain(&self.trust).all(|text| text.len() <= MOST_WORDS.1)
            && self.numbers().all(|bytes| bytes <= MOST_BYTES)
    }

    fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        let lists = [&self.into_maps, &self.local, &self.between, &self.out];
        let of_groups = self.groups.iter().flat_map(|g| g.millis.iter().chain(&g.bytes).chain([&g.paths]));
        lists.into_iter().flatten().chain(of_groups).chain([&self.unknown, &self.paths]).copied()
    }

    /// What is known of the job again, where there are so many nodes; `None` where it does not fit together (it comes
    /// from outside).
    pub(super) fn study(&self, job: JobId, nodes: usize) -> Option<JobStudy> {
        if !self.fits(nodes) {
            return None;
        }
        let bytes = |list: &[u64]| list.iter().map(|bytes| *bytes as f64).collect();
        let group = |g: &GroupFigure| Group {
            members: Vec::new(),
            weight: g.paths as f64,
            millis: g.millis.map(|ms| ms as f64),
            bytes: g.bytes.map(|bytes| bytes as f64),
        };
        let critical = self.critical.and_then(|group| usize::try_from(group).ok());
        Some(JobStudy {
            flow: JobFlow::none(job),
            volumes: Volumes {
                nodes: self.nodes.iter().map(|node| NodeId(*node)).collect(),
                into_maps: bytes(&self.into_maps),
                local: bytes(&self.local),
                between: bytes(&self.between),
                out: bytes(&self.out),
                unknown: self.unknown as f64,
                reads_counted: self.reads_counted,
                writes_counted: self.writes_counted,
            },
            paths: Paths {
                groups: self.groups.iter().map(group).collect(),
                count: self.paths as f64,
                folded: self.folded,
                fetches_logged: self.fetches_logged,
                ..Paths::default()
            },
            critical: None,
            critical_group: critical.filter(|group| *group < self.groups.len()),
            has_reduces: self.reduces,
            words: self.words.clone(),
            trust: self.trust.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure() -> FlowFigure {
        FlowFigure {
            nodes: vec![2, 0],
            into_maps: vec![5, 6],
            local: vec![1, 2],
            between: vec![1, 2, 3, 4],
            out: vec![7, 8],
            groups: vec![GroupFigure { paths: 3, millis: [1; STAGES], bytes: [2; STAGES] }],
            critical: Some(0),
            paths: 3,
            reduces: true,
            words: vec![String::from("a word")],
            ..FlowFigure::default()
        }
    }

    #[test]
    fn study_comes_back_in_sums() {
        let study = figure().study(JobId { cluster: 1, number: 1 }, 3).unwrap();
        assert_eq!((study.volumes.from_to(0, 1), study.volumes.sent()), (2.0, vec![3.0, 7.0]));
        assert_eq!((study.critical_group, study.has_reduces), (Some(0), true));
        assert_eq!(study.words, ["a word"]);
        assert_eq!(study.paths.groups[0].weight, 3.0);
    }

    #[test]
    fn figure_that_does_not_fit_together_is_none() {
        for lie in [
            FlowFigure { nodes: vec![2, 2], ..figure() },
            FlowFigure { nodes: vec![3, 0], ..figure() },
            FlowFigure { between: vec![1; 3], ..figure() },
            FlowFigure { out: vec![1], ..figure() },
            FlowFigure { unknown: u64::MAX, ..figure() },
            FlowFigure { trust: vec![String::new(); MOST_WORDS.0 + 1], ..figure() },
            FlowFigure { words: vec!["x".repeat(MOST_WORDS.1 + 1)], ..figure() },
            FlowFigure { groups: vec![GroupFigure::default(); MOST_GROUPS + 1], ..figure() },
            FlowFigure::default(),
        ] {
            assert!(lie.study(JobId { cluster: 1, number: 1 }, 3).is_none(), "{lie:?}");
        }
        let far = FlowFigure { critical: Some(9), ..figure() };
        assert_eq!(far.study(JobId { cluster: 1, number: 1 }, 3).unwrap().critical_group, None);
    }

    #[test]
    fn rows_and_columns_follow_the_places_of_the_nodes() {
        let mut figure = figure();
        figure.sort_by_place();
        assert_eq!((figure.nodes.as_slice(), figure.into_maps.as_slice()), (&[0, 2][..], &[6, 5][..]));
        assert_eq!(figure.between, [4, 3, 2, 1]);
    }

    #[test]
    fn three_digits_of_each_number_stay() {
        let rounded = |mut value: u64| {
            round(&mut value);
            value
        };
        assert_eq!([0, 7, 999, 1_234, 67_108_864, u64::MAX].map(rounded)[..5], [0, 7, 999, 1_230, 67_100_000]);
        let mut figure = FlowFigure { between: vec![1_999; 4], ..figure() };
        figure.round();
        assert_eq!(figure.between, [1_990; 4]);
    }
}
