//! Which clusters the control runs of a baseline were of: profiles, bands and times of one teach little of another.
//!
//! ```text
//! run 1   h101 h102 h103 h104 h105          TaskTrackers
//! run 2   c1 c2 … c12                       NodeManagers      no node in common, more than twice as many, YARN
//! ```
//! Source: Kahuna §III (K07) and the syscall paper's assumptions (C03): identical hardware, and control runs of the cluster that
//! is diagnosed. What differs is told beside what was learned, and refused nowhere: a cloud gives its nodes new names
//! each day. Cost: kept are the names of each cluster's slaves, of [`CLUSTERS_KEPT`] clusters at most.

use crate::base::Gathered;
use crate::model::{Trace, formats};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Different clusters kept, and slaves of one: where there are more it is known already that they differ.
const CLUSTERS_KEPT: usize = 16;
/// See [`CLUSTERS_KEPT`].
const SLAVES_KEPT: usize = 1_000;
/// Clusters of which one has so many times as many slaves as the other differ: one that was idle is not in the logs.
const AS_MANY: f64 = 1.25;

/// What runs a cluster's tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Engine {
    /// TaskTrackers, of Hadoop 0 and 1.
    TaskTrackers,
    /// NodeManagers, of Hadoop 2 and 3.
    Yarn,
}

/// What is known of a control run's cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Cluster {
    slaves: BTreeSet<String>,
    count: u32,
    engines: BTreeSet<Engine>,
}

impl Cluster {
    /// `None` of a run without slaves.
    fn of(control: &Trace) -> Option<Self> {
        let slaves = || control.peer_nodes().map(|node| control.node_name(node).to_owned());
        let count = u32::try_from(slaves().count()).unwrap_or(u32::MAX);
        let read = control.files.iter().filter_map(|file| file.coverage.format.as_deref());
        let engines = read.filter_map(|format| match format {
            formats::TASKTRACKER | formats::JOBTRACKER | formats::JOBHISTORY_V1 => Some(Engine::TaskTrackers),
            formats::NODEMANAGER | formats::RESOURCEMANAGER | formats::AM_SYSLOG => Some(Engine::Yarn),
            _ => None,
        });
        let cluster = Self { slaves: slaves().take(SLAVES_KEPT).gathered(), count, engines: engines.gathered() };
        (count > 0).then_some(cluster)
    }

    fn is_strange_to(&self, other: &Self) -> bool {
        self.slaves.is_disjoint(&other.slaves)
    }
}

/// The different clusters of a baseline's control runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlClusters(BTreeSet<Cluster>);

impl ControlClusters {
    /// Adds that of one more control run.
    pub fn update(&mut self, control: &Trace) {
        if self.0.len() < CLUSTERS_KEPT {
            self.0.extend(Cluster::of(control));
        }
    }

    /// In what they differ.
    #[must_use]
    pub fn differ(&self) -> Differ {
        let strange = self.0.iter().enumerate().any(|(at, a)| self.0.iter().skip(at + 1).any(|b| a.is_strange_to(b)));
        let counts = || self.0.iter().map(|cluster| cluster.count);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let has = |engine| self.0.iter().any(|cluster| cluster.engines.contains(&engine));
        Differ {
            strange,
            nodes: (f64::from(most) > AS_MANY * f64::from(least)).then_some([least, most]),
            engines: has(Engine::TaskTrackers) && has(Engine::Yarn),
        }
    }
}

/// In what the clusters of control runs differ; in nothing where they may be one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differ {
    /// Two have no node in common.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strange: bool,
    /// How many nodes the smallest and the largest have, where these are far more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<[u32; 2]>,
    /// One is of Hadoop 0 or 1, another of 2 or 3.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engines: bool,
}

impl Differ {
    /// A sentence; `None` where they differ in nothing.
    #[must_use]
    pub fn in_words(self) -> Option<String> {
        let strange = self.strange.then(|| String::from("some have no node in common"));
        let nodes = self.nodes.map(|[least, most]| format!("they have {least} to {most} nodes"));
        let engines = self.engines.then(|| String::from("some are of Hadoop 0 or 1, others of 2 or 3"));
        let all: Vec<String> = strange.into_iter().chain(nodes).chain(engines).collect();
        (!all.is_empty()).then(|| {
            format!(
                "The control runs are of different clusters ({}): what one of them teaches may not hold for another.",
                all.join("; ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Coverage, FileInfo, Node};

    fn run(names: &[&str], format: &str) -> Trace {
        let coverage = Coverage { format: Some(format.to_owned()), ..Coverage::default() };
        Trace {
            nodes: names.iter().map(|name| Node { name: (*name).to_owned(), is_peer: true }).collect(),
            files: vec![FileInfo { path: String::new(), node: None, daemon_last: None, coverage, issues: Vec::new() }],
            ..Trace::default()
        }
    }

    fn differ(runs: &[Trace]) -> Differ {
        let mut clusters = ControlClusters::default();
        runs.iter().for_each(|run| clusters.update(run));
        clusters.differ()
    }

    #[test]
    fn clusters_differ_in_names_numbers_and_engine() {
        let five = run(&["h1", "h2", "h3", "h4", "h5"], formats::TASKTRACKER);
        let one_idle = run(&["h1", "h2", "h3", "h4"], formats::TASKTRACKER);
        assert_eq!(differ(&[five.clone(), one_idle, five.clone(), Trace::default()]), Differ::default());
        let three = run(&["h1", "h2", "h3"], formats::DATANODE);
        assert_eq!(differ(&[five.clone(), three]), Differ { nodes: Some([3, 5]), ..Differ::default() });
        let others = run(&["c1", "c2", "c3", "c4", "c5"], formats::TASKTRACKER);
        assert_eq!(differ(&[five.clone(), others]), Differ { strange: true, ..Differ::default() });
        let yarn = run(&["h1", "h2", "h3", "h4", "h5"], formats::NODEMANAGER);
        assert_eq!(differ(&[five, yarn]), Differ { engines: true, ..Differ::default() });
        let all = Differ { strange: true, nodes: Some([4, 8]), engines: true }.in_words().unwrap();
        assert!(include_str!("../../docs/verdicts.md").contains(&all), "{all}");
        assert_eq!(Differ::default().in_words(), None);
    }
}
