//! MIROS: Map inputs, Reduce outputs, shuffles (M11): bytes into the Maps and out of the
//! tasks of each node, and from the Maps of each node to the Reduces of each.
//!
//! ```text
//!          into Maps   to h1   h2   h3   out
//!   h1       28 MB      5 MB  5 MB  4 MB  14 MB
//!   h2       …
//! ```
//! By the logs' transfers; by the attempts' counters where no such transfer was logged, or the logs of some DataNodes are
//! missing.
//! Cost: O(transfers + attempts); the matrix has nodes² cells.

use super::words::{skew_index, skew_word};
use super::{JobFlow, Joined};
use crate::base::quantity::bytes;
use crate::base::{Gathered, NodeId};
use crate::model::{Counters, Outcome, TaskType, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// Volumes of one job over the nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volumes {
    /// The nodes, in order.
    pub nodes: Vec<NodeId>,
    /// Into the Maps of each node.
    pub into_maps: Vec<f64>,
    /// Of these, from blocks of the same node; zeros where no reads are logged.
    pub local: Vec<f64>,
    /// From the Maps of node i to the Reduces of node j: row by row.
    pub between: Vec<f64>,
    /// Out of the tasks of each node to the file system, each block once.
    pub out: Vec<f64>,
    /// Shuffled bytes of which one end is not known.
    pub unknown: f64,
    /// The reads are counted by the tasks, as they are not logged, or not all.
    pub reads_counted: bool,
    /// The writes are.
    pub writes_counted: bool,
}

/// Transfers in the logs are all of them if they make so much of what the tasks counted: with less the logs of some
/// DataNodes are missing, and where they are the volumes of their nodes would be none.
const ALL_LOGGED: f64 = 0.9;

fn are_logged_in_part(logged: &[f64], counted: &[f64]) -> bool {
    logged.iter().sum::<f64>() < ALL_LOGGED * counted.iter().sum::<f64>()
}

impl Volumes {
    /// Of one job.
    #[must_use]
    pub fn of(trace: &Trace, flow: &JobFlow) -> Self {
        let node_of = |task: Option<usize>| task.and_then(|i| trace.tasks.get(i)).and_then(|t| t.node);
        let at = |t: &Joined| node_of(t.task);
        let ends = |t: &Joined| (node_of(t.task).or(t.src), node_of(t.reduce).or(t.dest));
        let ran = flow.tasks.iter().filter_map(|i| trace.tasks.get(*i)?.node);
        let touched = flow.fetches.iter().flat_map(|f| [ends(f).0, ends(f).1]).flatten();
        let nodes: BTreeSet<NodeId> = ran.chain(touched).gathered();
        let nodes: Vec<NodeId> = nodes.into_iter().collect();
        let n = nodes.len();
        let index: BTreeMap<NodeId, usize> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).gathered();
        let place = |node: Option<NodeId>| node.and_then(|node| index.get(&node).copied());
        // Reduces and set-ups read, too.
        let is_of_map =
            |t: &&Joined| t.task.and_then(|i| trace.tasks.get(i)).is_none_or(|task| task.task_type == TaskType::Map);
        let reads = || flow.reads.iter().filter(is_of_map);
        let mut v = Self {
            into_maps: vec![0.0; n],
            local: vec![0.0; n],
            between: vec![0.0; n * n],
            out: vec![0.0; n],
            reads_counted: false,
            writes_counted: false,
            unknown: 0.0,
            nodes,
        };
        let add = |to: &mut Vec<f64>, i: Option<usize>, bytes: f64| {
            if let Some(slot) = i.and_then(|i| to.get_mut(i)) {
                *slot += bytes;
            }
        };
        for read in reads() {
            let here = at(read).or(read.dest);
            add(&mut v.into_maps, place(here), read.bytes as f64);
            if here.is_some() && here == read.src {
                add(&mut v.local, place(here), read.bytes as f64);
            }
        }
        for write in &flow.writes {
            add(&mut v.out, place(at(write).or(write.src)), write.bytes as f64);
        }
        for fetch in &flow.fetches {
            let (from, to) = ends(fetch);
            match place(from).zip(place(to)) {
                Some((from, to)) => add(&mut v.between, Some(from * n + to), fetch.bytes as f64),
                None => v.unknown += fetch.bytes as f64,
            }
        }
        let counted = |of: Option<TaskType>, counter: fn(&Counters) -> Option<i64>| {
            let mut volumes = vec![0.0; n];
            for t in flow.tasks.iter().filter_map(|i| trace.tasks.get(*i)) {
                if t.outcome == Some(Outcome::Success) && of.is_none_or(|of| of == t.task_type) {
                    add(&mut volumes, place(t.node), counter(&t.counters).unwrap_or(0).max(0) as f64);
                }
            }
            volumes
        };
        let read = counted(Some(TaskType::Map), |c| c.hdfs_read.get());
        if are_logged_in_part(&v.into_maps, &read) {
            (v.into_maps, v.local, v.reads_counted) = (read, vec![0.0; n], true);
        }
        let written = counted(None, |c| c.hdfs_written.get());
        if are_logged_in_part(&v.out, &written) {
            (v.out, v.writes_counted) = (written, true);
        }
        v.reads_counted |= reads().next().is_none();
        v.writes_counted |= flow.writes.is_empty();
        v
    }

    /// Bytes from the Maps of one node to the Reduces of another.
    #[must_use]
    pub fn from_to(&self, from: usize, to: usize) -> f64 {
        self.between.get(from * self.nodes.len() + to).copied().unwrap_or(0.0)
    }

    /// Shuffled out of each node.
    #[must_use]
    pub fn sent(&self) -> Vec<f64> {
        let n = self.nodes.len();
        (0..n).map(|i| (0..n).map(|j| self.from_to(i, j)).sum()).collect()
    }

    /// Shuffled into each node.
    #[must_use]
    pub fn received(&self) -> Vec<f64> {
        let n = self.nodes.len();
        (0..n).map(|j| (0..n).map(|i| self.from_to(i, j)).sum()).collect()
    }

    /// How evenly a volume lies on the nodes: its skew, the node that has most, of equals the first, and how much.
    #[must_use]
    pub fn skew(&self, volumes: &[f64]) -> Option<(f64, NodeId, f64)> {
        let (at, most) = volumes.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)))?;
        Some((skew_index(volumes)?, *self.nodes.get(at)?, *most))
    }

    /// How evenly each volume lies on the nodes, one sentence a volume.
    #[must_use]
    pub fn skew_in_words(&self, trace: &Trace) -> Vec<String> {
        let columns = [
            ("into Maps", self.into_maps.clone()),
            ("out of Maps", self.sent()),
            ("into Reduces", self.received()),
            ("out of tasks", self.out.clone()),
        ];
        let told = columns.into_iter().filter_map(|(what, volumes)| {
            let (index, node, most) = self.skew(&volumes)?;
            let (name, word) = (trace.node_name(node), skew_word(index));
            Some(format!(
                "{what}: {word} (skew {index:.2}: {name} has {}, the mean is {})",
                bytes(most),
                bytes(most / index)
            ))
        });
        told.collect()
    }
}
