//! Rows of sysstat's tables, joined by node and instant into sadc-vectors (K16,
//! states.md §10).
//!
//! ```text
//! h101/metrics.sadf.txt  21:24:44  user system iowait ┐
//!                        21:24:44  ctxt               ├ one sample of h101
//! h101/sa21              21:24:44  all 14             ┘ what an earlier file says stays
//! ```
//! The host is the one that the file names; where it names none, the file's own node.
//! Cost: O(rows · log instants); the instants of one node are held at a time.

use super::{FileView, Input};
use crate::base::{NodeId, Timestamp};
use crate::model::{Event, HostSource, METRICS, Sample, Samples, samples::SamplesBuilder};
use std::collections::{BTreeMap, BTreeSet};

/// Formats that hold metrics and nothing else. Their times say nothing of how long the
/// daemons were observed.
pub const METRICS_FORMATS: [&str; 6] = ["sadf-d", "sadf-p", "sadf-j", "sadf-x", "sar", "sa"];

/// Joins the metrics of all files.
pub(super) fn join(input: &Input<'_>) -> Samples {
    let mut files: BTreeMap<NodeId, Vec<&FileView<'_>>> = BTreeMap::new();
    for file in input.files.iter().filter(|f| f.is_metrics()) {
        for node in nodes_of(input, file) {
            files.entry(node).or_default().push(file);
        }
    }
    let mut samples = SamplesBuilder::default();
    for (node, files) in files {
        let mut instants: BTreeMap<Timestamp, [f64; METRICS.len()]> = BTreeMap::new();
        for file in files {
            read(input, file, node, &mut instants);
        }
        for (at, values) in instants {
            samples.push(&Sample { node, at, values });
        }
    }
    samples.finish()
}

/// The nodes whose metrics a file can hold.
fn nodes_of(input: &Input<'_>, file: &FileView<'_>) -> BTreeSet<NodeId> {
    let named = file.digest.hosts.iter().filter(|claim| claim.source == HostSource::Metrics);
    named.filter_map(|claim| input.node_named(&claim.name)).chain(own(input, file)).collect()
}

/// The node of rows that do not name a host, or name it `localhost`.
fn own(input: &Input<'_>, file: &FileView<'_>) -> Option<NodeId> {
    file.node.or_else(|| input.node_named(super::hosts::LAST_RESORT))
}

fn read(
    input: &Input<'_>,
    file: &FileView<'_>,
    node: NodeId,
    instants: &mut BTreeMap<Timestamp, [f64; METRICS.len()]>,
) {
    let mut of = own(input, file);
    for row in file.rows() {
        match row.event {
            Event::MetricsHost { host } => of = input.node_named(&host).or_else(|| own(input, file)),
            Event::Metrics { which, hundredths } if of == Some(node) => {
                let values = instants.entry(row.at).or_insert([f64::NAN; METRICS.len()]);
                let places = values.iter_mut().enumerate().filter(|(i, _)| which & (1 << i) != 0);
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
