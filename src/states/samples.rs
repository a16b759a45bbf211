//! Rows of sysstat's tables, joined by node and instant into sadc-vectors (K16).
//!
//! ```text
//! h101/metrics.sadf.txt  21:24:44  user system iowait ┐
//!                        21:24:44  ctxt               ├ one sample of h101
//! h101/sa21              21:24:44  all 14             ┘ what an earlier file says stays
//! ```
//! The host is the one that the file names; where it names none, the file's own node.
//! Cost: O(rows · log instants), again for each few hosts of a file that holds many, and of files of one node and time;
//! the instants of a few nodes are held at a time.

use super::files::agreed;
use super::{FileView, Found, Input};
use crate::base::{Arrange, Code, FileId, Gathered, NodeId, Timestamp};
use crate::model::{Event, HostSource, Metric, OfMetrics, Sample, Samples, Topic, samples::SamplesBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// Nodes joined at a time: a day of each takes some 13 MB, and a file that holds several
/// hosts is read once for so many of them.
const NODES_AT_ONCE: usize = 4;

/// The instants of some nodes.
type Instants = BTreeMap<(NodeId, Timestamp), OfMetrics<f64>>;

/// The files that can hold metrics of a node.
type FilesOfNodes = BTreeMap<NodeId, BTreeSet<FileId>>;

/// Tells which files to join; one that holds metrics of no node has an issue.
#[inline(never)]
pub(super) fn files_of_nodes(input: &Input<'_>, found: &mut Found) -> FilesOfNodes {
    let mut files = FilesOfNodes::new();
    for file in input.files.iter().filter(|f| f.is_metrics()) {
        let nodes = nodes_of(input, file);
        if nodes.is_empty() && !file.digest.events.is_empty() {
            found.issues.push((file.place(0), Code::UnknownNode));
        }
        for node in nodes {
            files.entry(node).or_default().insert(file.id);
        }
    }
    files
}

/// Tells of files that have other values than one before them for the same node and instant.
#[inline(never)]
pub(super) fn tell_differences(input: &Input<'_>, files: &FilesOfNodes, found: &mut Found) {
    let mut told = BTreeSet::new();
    for (node, ids) in files {
        let of_node = || ids.iter().filter_map(|id| input.files.get(id.index())).filter(|file| file.copy.is_none());
        if !share_time(of_node().filter_map(|file| input.span(file))) {
            continue;
        }
        let mut before = Instants::new();
        for file in of_node() {
            let mut own = Instants::new();
            read(input, file, &[*node], &mut own);
            for (instant, values) in own {
                let known = before.entry(instant).or_insert(values);
                for (known, value) in known.iter_mut().zip(values) {
                    if known.is_nan() {
                        *known = value;
                    } else if !value.is_nan() && value.to_bits() != known.to_bits() && told.insert(file.id) {
                        found.issues.push((file.place(0), Code::MetricsDiffer));
                    }
                }
            }
        }
    }
}

/// Whether any two of these spans have an instant in common.
fn share_time(spans: impl Iterator<Item = (Timestamp, Timestamp)>) -> bool {
    let mut spans: Vec<_> = spans.collect();
    spans.arrange(Ord::cmp);
    spans.iter().zip(spans.iter().skip(1)).any(|((_, end), (begin, _))| begin <= end)
}

/// Joins the metrics of all these files.
#[inline(never)]
pub(super) fn join(input: &Input<'_>, files: &FilesOfNodes) -> Samples {
    let mut samples = SamplesBuilder::default();
    let nodes: Vec<NodeId> = files.keys().copied().collect();
    for nodes in nodes.chunks(NODES_AT_ONCE) {
        let mut instants = Instants::new();
        let ids: BTreeSet<FileId> = nodes.iter().filter_map(|node| files.get(node)).flatten().copied().gathered();
        for file in ids.iter().filter_map(|id| input.files.get(id.index())) {
            read(input, file, nodes, &mut instants);
        }
        for ((node, at), values) in instants {
            samples.push(&Sample { node, at, values });
        }
    }
    samples.finish()
}

/// The nodes whose metrics a file can hold.
fn nodes_of(input: &Input<'_>, file: &FileView<'_>) -> BTreeSet<NodeId> {
    let named = file.digest.hosts.iter().filter(|claim| claim.source == HostSource::Metrics);
    named.filter_map(|claim| input.node_named(&claim.name)).chain(own(input, file)).gathered()
}

/// The node of rows that do not name a host, or call it localhost.
fn own(input: &Input<'_>, file: &FileView<'_>) -> Option<NodeId> {
    file.node.or_else(|| input.node_named(super::hosts::LAST_RESORT))
}

/// How many processors each node has; nothing of those that had now these and now those.
#[inline(never)]
pub(super) fn processors(input: &Input<'_>) -> BTreeMap<NodeId, u32> {
    let of_file = |file| {
        let named = move |host: &str| input.node_named(host).or_else(|| own(input, file));
        file.about(Topic::Summaries).filter_map(move |row| match row.event {
            Event::Processors { host, count } => Some((named(&host)?, count)),
            _ => None,
        })
    };
    agreed(input.files.iter().filter(|f| f.is_metrics()).flat_map(of_file))
}

/// Takes the rows of one file.
#[inline(never)]
fn read(input: &Input<'_>, file: &FileView<'_>, nodes: &[NodeId], instants: &mut Instants) {
    let wanted = |node: Option<NodeId>| node.filter(|node| nodes.contains(node));
    let mut of = wanted(own(input, file));
    for row in file.about(Topic::Metrics) {
        match row.event {
            Event::MetricsHost { host } => of = wanted(input.node_named(&host).or_else(|| own(input, file))),
            Event::Metrics { which, hundredths } => {
                let Some(node) = of else { continue };
                let values = instants.entry((node, row.at)).or_insert([f64::NAN; Metric::ALL.len()]);
                let places = Metric::ALL.into_iter().zip(values).filter(|(metric, _)| which & metric.bit() != 0);
                for ((_, place), value) in places.zip(hundredths) {
                    if place.is_nan() {
                        *place = value as f64 / 100.0;
                    }
                }
            }
            _ => {}
        }
    }
}
