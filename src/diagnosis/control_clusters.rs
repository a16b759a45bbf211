//! Which clusters the control runs of a baseline were of: profiles, bands and times of one teach little of another.
//!
//! ```text
//! run 1   h101 h102 h103 h104 h105          TaskTrackers
//! run 2   h101 h103 h104 h105               TaskTrackers      the same cluster, one node idle
//! run 3   c1 c2 … c12                       NodeManagers      no node in common, more than twice as many, YARN
//! ```
//! Source: Kahuna §III (K07) and the syscall paper's assumptions (C03): identical hardware, and control runs of the cluster that
//! is diagnosed. What differs is told beside what was learned, and refused nowhere: a cloud gives its nodes new names
//! each day. Runs that have a node in common are of one cluster, however many of its nodes each has: some may have been idle,
//! or their logs not gathered. Cost: kept are the names of each cluster's slaves, of [`CLUSTERS_KEPT`] clusters at most.

use crate::base::text::host_and_domain;
use crate::base::{Arrange, Gathered};
use crate::model::{Trace, formats};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Clusters kept: where there are more it is known already that they differ.
const CLUSTERS_KEPT: usize = 16;
/// Slaves kept of one, the first by name: those of the largest clusters that there are.
const SLAVES_KEPT: usize = 10_000;
/// Clusters of which one has so many times as many slaves as the other have far more.
const AS_MANY: f64 = 1.25;

/// What is known of a control run's cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Cluster {
    /// Their hosts' names as [`host`] has them, in order.
    slaves: Vec<String>,
    /// TaskTrackers ran its tasks: it is of Hadoop 0 or 1.
    task_trackers: bool,
    /// NodeManagers did: it is of Hadoop 2 or 3.
    yarn: bool,
}

/// A host's name without its domain, which some logs tell and others do not; of an address all of it.
fn host(name: &str) -> String {
    host_and_domain(name).map_or(name, |(host, _)| host).to_ascii_lowercase()
}

impl Cluster {
    fn of(run: &Trace) -> Self {
        let has = |formats: [&str; 3]| {
            let read = run.files.iter().filter_map(|file| file.coverage.format.as_deref());
            read.into_iter().any(|format| formats.contains(&format))
        };
        let slaves: BTreeSet<String> = run.peer_nodes().map(|node| host(run.node_name(node))).gathered();
        Self {
            slaves: slaves.into_iter().collect(),
            task_trackers: has([formats::TASKTRACKER, formats::JOBTRACKER, formats::JOBHISTORY_V1]),
            yarn: has([formats::NODEMANAGER, formats::RESOURCEMANAGER, formats::AM_SYSLOG]),
        }
    }

    fn is_strange_to(&self, other: &Self) -> bool {
        other.slaves.iter().all(|slave| self.slaves.binary_search(slave).is_err())
    }

    fn add(&mut self, other: Self) {
        let slaves: BTreeSet<String> = self.slaves.drain(..).chain(other.slaves).gathered();
        self.slaves = slaves.into_iter().take(SLAVES_KEPT).collect();
        self.task_trackers |= other.task_trackers;
        self.yarn |= other.yarn;
    }
}

/// The clusters of a baseline's control runs, of which no two have a node in common, in order of their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlClusters(Vec<Cluster>);

impl ControlClusters {
    /// Adds that of one more control run.
    pub fn update(&mut self, control: &Trace) {
        let mut one = Cluster::default();
        one.add(Cluster::of(control));
        let (strange, same): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.0).into_iter().partition(|c| c.is_strange_to(&one));
        same.into_iter().for_each(|cluster| one.add(cluster));
        self.0 = strange;
        if !one.slaves.is_empty() && self.0.len() < CLUSTERS_KEPT {
            self.0.push(one);
            self.0.arrange(|a, b| a.slaves.cmp(&b.slaves));
        }
    }

    /// Whether it is what control runs can have left.
    pub(crate) fn is_sound(&self) -> bool {
        self.0.len() <= CLUSTERS_KEPT && self.0.iter().all(|c| c.slaves.len() <= SLAVES_KEPT && c.slaves.is_sorted())
    }

    /// In what they differ from each other, and from that of the run that is diagnosed.
    #[must_use]
    pub fn differ(&self, run: Option<&Trace>) -> Differ {
        let counts = || self.0.iter().map(|cluster| cluster.slaves.len() as u32);
        let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
        let (task_trackers, yarn) = (self.0.iter().any(|c| c.task_trackers), self.0.iter().any(|c| c.yarn));
        let run = run.map(Cluster::of).filter(|run| !run.slaves.is_empty() && !self.0.is_empty());
        Differ {
            strange: self.0.len() > 1,
            nodes: (f64::from(most) > AS_MANY * f64::from(least)).then_some([least, most]),
            engines: task_trackers && yarn,
            elsewhere: run.is_some_and(|run| self.0.iter().all(|cluster| cluster.is_strange_to(&run))),
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
    /// None has a node in common with the run that is diagnosed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
}

impl Differ {
    /// Each in a sentence.
    pub fn in_words(self) -> impl Iterator<Item = String> {
        let strange = self.strange.then(|| String::from("some have no node in common"));
        let nodes = self.nodes.map(|[least, most]| format!("they have {least} to {most} nodes"));
        let engines = self.engines.then(|| String::from("some are of Hadoop 0 or 1, others of 2 or 3"));
        let all: Vec<String> = strange.into_iter().chain(nodes).chain(engines).collect();
        let differ = (!all.is_empty()).then(|| {
            format!(
                "The control runs are of different clusters ({}): what one of them teaches may not hold for another.",
                all.join("; ")
            )
        });
        let elsewhere = self.elsewhere.then(|| {
            String::from(
                "None of these nodes is in the control runs: of another cluster, what they teach may not hold here.",
            )
        });
        differ.into_iter().chain(elsewhere)
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
            files: vec![FileInfo {
                path: String::new(),
                node: None,
                daemon_last: None,
                last_line: 0,
                coverage,
                issues: Vec::new(),
            }],
            ..Trace::default()
        }
    }

    fn learned(runs: &[Trace]) -> ControlClusters {
        let mut clusters = ControlClusters::default();
        runs.iter().for_each(|run| clusters.update(run));
        clusters
    }

    fn differ(runs: &[Trace]) -> Differ {
        learned(runs).differ(None)
    }

    #[test]
    fn clusters_differ_in_names_numbers_and_engine() {
        let five = run(&["h1", "h2", "h3", "h4", "h5"], formats::TASKTRACKER);
        let others = run(&["c1", "c2", "c3", "c4", "c5"], formats::TASKTRACKER);
        assert_eq!(differ(&[five.clone(), others]), Differ { strange: true, ..Differ::default() });
        let three = run(&["c1", "c2", "c3"], formats::DATANODE);
        let both = Differ { strange: true, nodes: Some([3, 5]), ..Differ::default() };
        assert_eq!(differ(&[five.clone(), three]), both);
        let yarn = run(&["h1", "h2", "h3", "h4", "h5"], formats::NODEMANAGER);
        assert_eq!(differ(&[five, yarn]), Differ { engines: true, ..Differ::default() });
        let documents = include_str!("../../docs/verdicts.md");
        let all = Differ { strange: true, nodes: Some([4, 8]), engines: true, elsewhere: true };
        let told: Vec<String> = all.in_words().filter(|said| documents.contains(said)).collect();
        assert_eq!(told.len(), 2);
        assert_eq!(Differ::default().in_words().count(), 0);
    }

    #[test]
    fn runs_with_a_node_in_common_are_of_one_cluster() {
        let five = run(&["h1", "h2", "h3", "h4", "h5"], formats::TASKTRACKER);
        let some = run(&["H3.lab.org", "h4", "h5.lab.org"], formats::TASKTRACKER);
        let first = run(&["h1", "h2"], formats::TASKTRACKER);
        // Whatever joins two parts comes last, too.
        for runs in [[&five, &some, &first], [&some, &first, &five]] {
            let runs = runs.map(Clone::clone);
            assert_eq!(learned(&runs), learned(std::slice::from_ref(&five)));
            assert_eq!(differ(&runs), Differ::default());
        }
        // Of addresses the first part is not a host's name.
        let addresses = [run(&["10.0.0.1"], formats::DATANODE), run(&["10.0.0.2"], formats::DATANODE)];
        assert!(differ(&addresses).strange);
        assert_eq!(differ(&[five, Trace::default()]), Differ::default());
    }

    #[test]
    fn run_of_none_of_their_clusters_is_told() {
        let of = |name: &str| run(&[name, "x9"], formats::TASKTRACKER);
        let elsewhere = |controls: &[Trace], run: &Trace| learned(controls).differ(Some(run)).elsewhere;
        let (h, c) = (run(&["h1", "h2"], formats::TASKTRACKER), run(&["c1"], formats::TASKTRACKER));
        assert!(elsewhere(&[h.clone(), c.clone()], &of("d1")));
        assert!(!elsewhere(&[h.clone(), c], &of("h2.lab.org")));
        assert!(!elsewhere(&[], &h) && !elsewhere(&[h], &Trace::default()), "nothing is known");
    }
}
