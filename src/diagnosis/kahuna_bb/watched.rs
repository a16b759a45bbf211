//! The levels of a node that are watched: what a hog of its processor or its disk raises.

use crate::base::quantity::{grouped, trimmed};
use crate::base::{Interval, NodeId};
use crate::model::{Metric, Sample, Trace};
use Resource::{Disk, Processor};

/// One of the things that are watched.
pub(super) struct Level {
    /// What stays high, in a sentence.
    pub(super) name: &'static str,
    /// Its unit, behind a number.
    pub(super) unit: &'static str,
    /// The metrics that it is the sum of.
    pub(super) metrics: &'static [Metric],
    /// What nobody would look at, in its unit.
    pub(super) nothing: f64,
    /// What it is of.
    pub(super) of: Resource,
}

/// What a hog takes from its node.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Processor,
    Disk,
}

/// One process is told without the plural's `es`.
const PROCESSES: &str = " processes";

pub(super) const WATCHED: [Level; 5] = [
    Level {
        name: "its CPU usage is",
        unit: " %",
        metrics: &[Metric::User, Metric::System],
        nothing: 10.0,
        of: Processor,
    },
    Level { name: "its run queue holds", unit: PROCESSES, metrics: &[Metric::RunQueue], nothing: 2.0, of: Processor },
    Level { name: "it waits for its disk", unit: " % of the time", metrics: &[Metric::Iowait], nothing: 8.0, of: Disk },
    Level { name: "it reads from its disk", unit: " KiB/s", metrics: &[Metric::PagedIn], nothing: 1500.0, of: Disk },
    Level { name: "it writes to its disk", unit: " KiB/s", metrics: &[Metric::PagedOut], nothing: 1500.0, of: Disk },
];

impl Level {
    /// What it was when a sample was taken; `None` where a part of it was not measured.
    pub(super) fn value(&self, sample: &Sample) -> Option<f64> {
        self.metrics.iter().map(|metric| sample.value(*metric)).sum()
    }

    /// Its mean on a node in some time; `None` where nothing is known.
    pub(super) fn mean(&self, trace: &Trace, node: NodeId, during: &[Interval]) -> Option<f64> {
        let samples = trace.samples.of_node_during(node, during);
        let values: Vec<f64> = samples.filter_map(|sample| self.value(&sample)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }
}

/// A number of a level with its unit.
pub(super) fn with_unit(value: f64, unit: &str) -> String {
    let number = if value < 10.0 { trimmed(value, 1) } else { grouped(value.round() as u64) };
    if (unit, number.as_str()) == (PROCESSES, "1") { String::from("1 process") } else { number + unit }
}

/// The same of what is not passed.
pub(super) fn at_most(value: f64, unit: &str) -> String {
    let most = with_unit(value, unit);
    if unit == PROCESSES && most.starts_with("0 ") { String::from("none") } else { format!("at most {most}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_and_none_are_told_as_such() {
        let told = [0.0, 0.02, 0.9, 1.0, 12.4].map(|value| at_most(value, PROCESSES));
        assert_eq!(told, ["none", "none", "at most 0.9 processes", "at most 1 process", "at most 12 processes"]);
        assert_eq!(at_most(0.0, " % of the time"), "at most 0 % of the time");
    }
}
