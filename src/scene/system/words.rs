//! What the system view says in words: how it is read, what it left out, its table.

use super::Lane;
use super::columns::Folded;
use crate::base::Arrange;
use crate::base::quantity::trimmed;
use crate::diagnosis::kahuna_bb::SystemComparison;
use crate::model::{Metric, Trace};
use crate::scene::Table;

/// Nodes named that lack samples.
const LACKING_NAMED: usize = 4;

/// What the stripes were worked out from, and what lacked.
pub(super) fn of_profiles(trace: &Trace, compared: &SystemComparison) -> String {
    let learned = compared.profile_count - usize::from(compared.none_of_them.is_some());
    let none = if compared.none_of_them.is_some() { ", and the darkest is what is like none of them" } else { "" };
    let mut text = format!(
        " The {learned} profiles are told apart by {}; a profile's shade is a name, not a height{none}.",
        names(&compared.metrics)
    );
    if !compared.unmeasured.is_empty() {
        let left_out = names(&compared.unmeasured);
        text.push_str(&format!(" Left out, because not measured on all nodes: {left_out}."));
    }
    let lacking = compared.nodes.iter().filter(|own| own.missing > 0);
    let mut lacking: Vec<(u64, &str)> = lacking
        .map(|own| (own.missing as u64 * compared.period_ms.max(0) as u64 / 1000, trace.node_name(own.node)))
        .collect();
    lacking.arrange(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    if !lacking.is_empty() {
        let named: Vec<String> =
            lacking.iter().take(LACKING_NAMED).map(|(seconds, name)| format!("{name} {seconds} s")).collect();
        let more = if lacking.len() > LACKING_NAMED { " and on others" } else { "" };
        text.push_str(&format!(" Without a sample: {}{more}.", named.join(", ")));
    }
    text
}

/// A number with its thousands cut: `12.3 M`.
pub(super) fn number(value: f64) -> String {
    for (size, name) in [(1e9, " G"), (1e6, " M"), (1e4, " k")] {
        if value >= size {
            let unit = if size < 1e5 { 1e3 } else { size };
            return format!("{}{name}", trimmed(value / unit, 1));
        }
    }
    trimmed(value, if value < 100.0 { 2 } else { 0 })
}

/// How the lanes are read.
pub(super) fn how_to_read(lane: Lane, left_out: usize) -> String {
    let lanes = match lane {
        Lane::Labelled | Lane::Lined => {
            "Each lane is one metric of one node over time: a line from the least to the greatest value in each pixel."
        }
        Lane::Shaded => {
            "Each lane is one metric of one node over time: the stronger its colour, the greater its greatest value."
        }
    };
    let mut text = format!(
        "{lanes} Lanes of one metric have one scale on all nodes, from 0 to the greatest value anywhere (processor shares \
         to 100 %), so nodes can be compared by eye. From above: {}. Empty stretches were not measured. A bar under a \
         node's name marks when it was indicted; a stripe under its lanes shows which profile of behaviour it was in.",
        Metric::ALL.map(|metric| format!("{} ({}{})", metric.name(), metric.unit(), meaning(metric))).join(", ")
    );
    if left_out > 0 {
        text.push_str(&format!(" {left_out} more nodes are in the table only."));
    }
    text
}

/// What is measured, where sysstat's name does not say it.
const fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::Switches => ", context switches",
        Metric::RunQueue => ", waiting for a processor",
        Metric::Processes => ", processes and threads there are",
        Metric::Load => ", load over a minute",
        Metric::PagedIn | Metric::PagedOut => ", between memory and disks",
        Metric::Faults => ", page faults",
        Metric::BlocksRead => ", read from disks",
        Metric::BlocksWritten => ", written to disks",
        Metric::User | Metric::System | Metric::Iowait | Metric::Received | Metric::Sent => "",
    }
}

fn names(metrics: &[Metric]) -> String {
    metrics.iter().map(|metric| metric.name()).collect::<Vec<_>>().join(", ")
}

/// The metrics of all nodes in sums.
pub(super) fn table(trace: &Trace, nodes: &[Folded]) -> Table {
    let headers = ["node", "metric", "unit", "samples", "least", "mean", "greatest"].map(str::to_owned).to_vec();
    let rows = nodes.iter().flat_map(|node| {
        Metric::ALL.into_iter().zip(&node.summaries).filter(|(_, s)| s.count > 0).map(|(metric, s)| {
            let value = |v: f64| trimmed(v, 2);
            vec![
                trace.node_name(node.node).to_owned(),
                metric.name().to_owned(),
                metric.unit().to_owned(),
                s.count.to_string(),
                value(s.least),
                value(s.sum / s.count as f64),
                value(s.greatest),
            ]
        })
    });
    Table { headers, rows: rows.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(12.345), "12.35");
        assert_eq!(number(6387.21), "6387");
        assert_eq!(number(9999.0), "9999");
        assert_eq!(number(12_345.0), "12.3 k");
        assert_eq!(number(12_345_678.0), "12.3 M");
        assert_eq!(number(2.5e9), "2.5 G");
    }
}
