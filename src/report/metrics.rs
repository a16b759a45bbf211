//! The metrics of the operating system in a report, a letter a mean: what the system view is drawn of without the logs (K16).
//!
//! ```text
//! columns    a stretch of time each, as long as the usual time between samples or several of these
//! user       h101  "3a9.Q0…"     a mean in 64 steps from 0 to the greatest of any node; . not measured
//!            h102  "03z_7…"
//! ```
//! Cost to make: each sample is read once. Six nodes take 8,000 letters, which deflate to three quarters of that or less.

use super::letters::{EMPTY, STEPS, place_of};
use super::permuted::{by_name, moved, permute};
use crate::base::{Arrange, Interval, NodeId, Timestamp};
use crate::diagnosis::Witness;
use crate::diagnosis::kahuna_bb::indicted_times;
use crate::model::samples::SamplesBuilder;
use crate::model::{Metric, Node, Sample, Samples, Trace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Letters at most: beyond it a report would be mostly these.
const MOST_LETTERS: usize = 16_000;
/// Columns at most, and at least where there are as many steps between samples.
const COLUMNS: (usize, usize) = (24, 96);
/// Nodes at most: what is left of [`MOST_LETTERS`] for each is too little otherwise. Those at fault stay.
const MOST_NODES: usize = 24;
/// Stretches told in which nodes were indicted.
const MOST_STRETCHES: usize = 400;
/// Parts of 1 that the greatest means are counted in.
const HUNDREDTHS: f64 = 100.0;
/// No log is as far from 1970 (30,000 years).
const FARTHEST_MS: i64 = 1_000_000_000_000_000;

/// The metrics of some nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MetricsFigure {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// When the first column begins, epoch milliseconds.
    pub begin_ms: i64,
    /// How long a column is.
    pub column_ms: i64,
    /// Names of the metrics that were measured.
    pub metrics: Vec<String>,
    /// The greatest mean of each, which the last step stands for, in hundredths as sysstat has it.
    pub greatest: Vec<u64>,
    /// A letter a column: the first metric of each node, the second of each node, and so on.
    pub cells: Vec<String>,
    /// Places of nodes that a comparison of metrics indicted…
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indicted: Vec<u32>,
    /// …and when: from and to, epoch milliseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indicted_ms: Vec<[i64; 2]>,
    /// Nodes that were measured, where some were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<u64>,
}

/// How the samples of a trace are put into columns.
#[derive(Clone, Copy)]
struct Columns {
    begin_ms: i64,
    column_ms: i64,
    count: usize,
}

impl Columns {
    fn of(samples: &Samples, nodes: usize) -> Option<Self> {
        let (from, to) = samples.span()?;
        let (least, most) = COLUMNS;
        let most = (MOST_LETTERS / (Metric::ALL.len() * nodes.max(1))).clamp(least, most) as i64;
        let (span_ms, step_ms) = (to.millis_since(from), samples.usual_step_ms());
        let steps = span_ms / step_ms + 1;
        let column_ms = step_ms.checked_mul(steps.div_euclid(most) + i64::from(steps % most > 0))?;
        let count = usize::try_from(span_ms / column_ms + 1).ok()?;
        Some(Self { begin_ms: from.millis(), column_ms, count })
    }

    fn place(&self, at: Timestamp) -> usize {
        let since_ms = at.millis().saturating_sub(self.begin_ms).max(0);
        usize::try_from(since_ms / self.column_ms).map_or(usize::MAX, |column| column.min(self.count - 1))
    }
}

/// The means of one node: for each metric, for each column.
type Means = Vec<Vec<f64>>;

fn means(samples: &Samples, node: NodeId, columns: Columns) -> Means {
    let mut sums = vec![vec![(0.0, 0_u32); columns.count]; Metric::ALL.len()];
    for sample in samples.of_node(node) {
        let column = columns.place(sample.at);
        for (sums, value) in sums.iter_mut().zip(sample.values).filter(|(_, value)| value.is_finite()) {
            if let Some((sum, count)) = sums.get_mut(column) {
                *sum += value;
                *count += 1;
            }
        }
    }
    let mean = |(sum, count): (f64, u32)| if count == 0 { f64::NAN } else { sum / f64::from(count) };
    sums.into_iter().map(|sums| sums.into_iter().map(mean).collect()).collect()
}

/// The metrics of a trace, those of nodes that are named and indicted first where there are too many; `None` where none
/// were measured.
#[must_use]
pub fn of(trace: &Trace, witnesses: &[Witness], named: &BTreeSet<String>) -> Option<MetricsFigure> {
    let samples = &trace.samples;
    let indicted = indicted_times(witnesses);
    let mut nodes: Vec<NodeId> = samples.nodes().collect();
    let measured = nodes.len();
    if measured > MOST_NODES {
        let is_told = |node: NodeId| named.contains(trace.node_name(node)) || indicted.iter().any(|(n, _)| *n == node);
        nodes.arrange_by(|node| !is_told(*node));
        nodes.truncate(MOST_NODES);
        nodes.arrange(Ord::cmp);
    }
    let columns = Columns::of(samples, nodes.len())?;
    let means: Vec<Means> = nodes.iter().map(|node| means(samples, *node, columns)).collect();
    let mut figure = MetricsFigure {
        nodes: nodes.iter().map(|node| trace.node_name(*node).to_owned()).collect(),
        begin_ms: columns.begin_ms,
        column_ms: columns.column_ms,
        whole: (nodes.len() < measured).then_some(measured as u64),
        ..MetricsFigure::default()
    };
    for metric in Metric::ALL {
        let rows = || means.iter().filter_map(|means| means.get(metric.place()));
        let known = || rows().flat_map(|row| row.iter()).copied().filter(|mean| !mean.is_nan());
        if known().next().is_none() {
            continue;
        }
        // Of what was always 0 any scale will do.
        let greatest = (known().fold(0.0, f64::max) * HUNDREDTHS).ceil().max(1.0) as u64;
        let scale = greatest as f64 / HUNDREDTHS;
        figure.metrics.push(metric.name().to_owned());
        figure.greatest.push(greatest);
        figure
            .cells
            .extend(rows().map(|row| row.iter().map(|mean| char::from(letter(*mean, scale))).collect::<String>()));
    }
    for (node, interval) in indicted.iter().take(MOST_STRETCHES) {
        let place = nodes.iter().position(|n| n == node).and_then(|place| u32::try_from(place).ok());
        if let Some(place) = place {
            figure.indicted.push(place);
            figure.indicted_ms.push([interval.start.millis(), interval.end.millis()]);
        }
    }
    figure.fits().then_some(figure)
}

fn letter(mean: f64, greatest: f64) -> u8 {
    if mean.is_nan() {
        return EMPTY;
    }
    let step = (mean / greatest).clamp(0.0, 1.0) * (STEPS.len() - 1) as f64;
    STEPS.get(step.round() as usize).copied().unwrap_or(EMPTY)
}

impl MetricsFigure {
    fn columns(&self) -> usize {
        self.cells.first().map_or(0, String::len)
    }

    fn fits(&self) -> bool {
        let (nodes, columns) = (self.nodes.len(), self.columns());
        let is_near = |ms: i64| (-FARTHEST_MS..=FARTHEST_MS).contains(&ms);
        (1..=MOST_NODES).contains(&nodes)
            && (1..=Metric::ALL.len()).contains(&self.metrics.len())
            && self.greatest.len() == self.metrics.len()
            && self.cells.len() == self.metrics.len() * nodes
            && self.cells.iter().all(|row| row.len() == columns && row.is_ascii())
            && (1..=MOST_LETTERS).contains(&columns.saturating_mul(self.cells.len()))
            && is_near(self.begin_ms)
            && self.column_ms > 0
            && (columns as i64).checked_mul(self.column_ms).is_some_and(is_near)
            && self.indicted.len() == self.indicted_ms.len()
            && self.indicted_ms.iter().all(|[from, to]| is_near(*from) && is_near(*to) && from <= to)
    }

    /// The rows, of which what is no step is what was not measured: nothing else leaves with a report.
    pub(super) fn only_letters(&self) -> Vec<String> {
        let clean = |b: u8| char::from(if place_of(b).is_some() { b } else { EMPTY });
        self.cells.iter().map(|row| row.bytes().map(clean).collect()).collect()
    }

    /// Puts the nodes into the order of their names.
    pub(super) fn sort_by_name(&mut self) {
        // What does not fit together is not drawn.
        if !self.fits() {
            return *self = Self::default();
        }
        let order = by_name(&self.nodes);
        let to = moved(&order);
        let rows = std::mem::take(&mut self.cells);
        self.cells =
            rows.chunks(order.len()).flat_map(|of| order.iter().filter_map(|at| of.get(*at).cloned())).collect();
        permute(&mut self.nodes, &order);
        for node in &mut self.indicted {
            let new = to.get(*node as usize).and_then(|new| u32::try_from(*new).ok());
            *node = new.unwrap_or(*node);
        }
        let mut times: Vec<usize> = (0..self.indicted.len()).collect();
        times.arrange_by(|i| (self.indicted.get(*i), self.indicted_ms.get(*i)));
        permute(&mut self.indicted_ms, &times);
        permute(&mut self.indicted, &times);
    }

    /// A trace of the means, each a sample in the middle of its column, and when which node was indicted; the nodes are
    /// numbered in the figure's own order. `None` where it does not fit together (it comes from outside).
    #[must_use]
    pub fn trace(&self) -> Option<(Trace, Vec<(NodeId, Interval)>)> {
        if !self.fits() {
            return None;
        }
        let half_ms = self.column_ms / 2;
        let places: Vec<Option<usize>> =
            self.metrics.iter().map(|name| Metric::named(name).map(Metric::place)).collect();
        let mut samples = SamplesBuilder::default();
        for node in (0..self.nodes.len()).filter_map(|node| u32::try_from(node).ok()) {
            for column in 0..self.columns() {
                let mut values = [f64::NAN; Metric::ALL.len()];
                let own = self.cells.iter().skip(node as usize).step_by(self.nodes.len());
                for ((place, greatest), row) in places.iter().zip(&self.greatest).zip(own) {
                    let step = row.as_bytes().get(column).and_then(|letter| place_of(*letter));
                    if let (Some(step), Some(value)) = (step, place.and_then(|place| values.get_mut(place))) {
                        *value = step as f64 / (STEPS.len() - 1) as f64 * (*greatest as f64 / HUNDREDTHS);
                    }
                }
                if values.iter().any(|value| !value.is_nan()) {
                    let at = Timestamp::from_millis(self.begin_ms + column as i64 * self.column_ms + half_ms);
                    samples.push(&Sample { node: NodeId(node), at, values });
                }
            }
        }
        let interval = |[from, to]: [i64; 2]| Interval::new(Timestamp::from_millis(from), Timestamp::from_millis(to));
        let trace = Trace {
            nodes: self.nodes.iter().map(|name| Node { name: name.clone(), is_peer: true }).collect(),
            samples: samples.finish(),
            ..Trace::default()
        };
        let indicted = self.indicted.iter().zip(&self.indicted_ms);
        let known = indicted.filter(|(node, _)| (**node as usize) < self.nodes.len());
        Some((trace, known.map(|(node, times)| (NodeId(*node), interval(*times))).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(nodes: u32, seconds: i64, value: impl Fn(u32, i64) -> f64) -> Trace {
        let rows = (0..nodes).flat_map(|node| (0..seconds).map(move |s| (node, s)));
        let rows = rows.map(|(node, s)| Sample {
            node: NodeId(node),
            at: Timestamp::from_millis(s * 1000),
            values: std::array::from_fn(|i| if i < 2 { value(node, s) * (i + 1) as f64 } else { f64::NAN }),
        });
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i:02}"), is_peer: true }).collect(),
            samples: Samples::from_rows(rows.collect()),
            ..Trace::default()
        }
    }

    fn figure() -> MetricsFigure {
        MetricsFigure {
            nodes: ["h2", "h1"].map(String::from).to_vec(),
            begin_ms: 1_000,
            column_ms: 2_000,
            metrics: ["user", "fault"].map(String::from).to_vec(),
            greatest: vec![6_300, 6_300],
            cells: ["0/.", "abc", "...", "..1"].map(String::from).to_vec(),
            indicted: vec![0],
            indicted_ms: vec![[1_000, 3_000]],
            whole: None,
        }
    }

    #[test]
    fn means_come_back_to_a_step() {
        let whole = trace(2, 200, |node, s| if node == 0 { 10.0 } else { (s % 40) as f64 });
        let figure = of(&whole, &[], &BTreeSet::new()).unwrap();
        assert_eq!((figure.begin_ms, figure.column_ms, figure.columns(), figure.whole), (0, 3_000, 67, None));
        assert_eq!(
            (figure.metrics.join(" "), figure.greatest.as_slice()),
            (String::from("user system"), &[3_850, 7_700][..])
        );
        let (again, indicted) = figure.trace().unwrap();
        assert_eq!((again.samples.len(), indicted.len()), (2 * 67, 0));
        let step = 38.5 / 63.0;
        for sample in again.samples.of_node(NodeId(0)) {
            assert!((sample.values[0] - 10.0).abs() <= step / 2.0, "{sample:?}");
        }
        // The mean of seconds 3, 4 and 5, in the middle of them. The last column has two seconds.
        let second = again.samples.of_node(NodeId(1)).nth(1).unwrap();
        assert_eq!(second.at.millis(), 4_500);
        assert!((second.values[0] - 4.0).abs() <= step / 2.0 && second.values[2].is_nan());
    }

    #[test]
    fn few_samples_are_a_column_each() {
        let ten_minutes = |_: u32, s: i64| s as f64;
        let mut whole = trace(1, 0, ten_minutes);
        let rows = (0..12).map(|i| Sample {
            node: NodeId(0),
            at: Timestamp::from_millis(i * 600_000),
            values: [i as f64; Metric::ALL.len()],
        });
        whole.samples = Samples::from_rows(rows.collect());
        let figure = of(&whole, &[], &BTreeSet::new()).unwrap();
        assert_eq!((figure.column_ms, figure.columns(), figure.metrics.len()), (600_000, 12, Metric::ALL.len()));
        assert!(figure.cells[0].bytes().all(|letter| place_of(letter).is_some()));
    }

    #[test]
    fn of_many_nodes_those_that_are_named_stay() {
        let whole = trace(200, 400, |node, s| f64::from(node) + s as f64);
        let named = BTreeSet::from([String::from("h177")]);
        let figure = of(&whole, &[], &named).unwrap();
        assert_eq!((figure.nodes.len(), figure.whole), (MOST_NODES, Some(200)));
        assert_eq!((figure.nodes[0].as_str(), figure.nodes.last().unwrap().as_str()), ("h00", "h177"));
        assert!(figure.trace().is_some());
        assert!(of(&Trace::default(), &[], &named).is_none());
    }

    #[test]
    fn rows_and_indictments_follow_the_names() {
        let mut figure = figure();
        figure.sort_by_name();
        assert_eq!(figure.nodes, ["h1", "h2"]);
        assert_eq!(figure.cells, ["abc", "0/.", "..1", "..."]);
        let (trace, indicted) = figure.trace().unwrap();
        assert_eq!(
            indicted,
            [(NodeId(1), Interval::new(Timestamp::from_millis(1_000), Timestamp::from_millis(3_000)))]
        );
        let user: Vec<_> = trace.samples.of_node(NodeId(1)).map(|s| (s.at.millis(), s.values[0])).collect();
        assert_eq!(user, [(2_000, 0.0), (4_000, 63.0)], "what was not measured is no sample");
    }

    #[test]
    fn figure_that_does_not_fit_together_is_none() {
        assert!(figure().trace().is_some());
        let with = |change: fn(&mut MetricsFigure)| {
            let mut lie = figure();
            change(&mut lie);
            lie
        };
        for lie in [
            MetricsFigure::default(),
            with(|f| f.column_ms = 0),
            with(|f| f.column_ms = i64::MAX),
            with(|f| f.begin_ms = i64::MIN),
            with(|f| f.nodes.truncate(1)),
            with(|f| f.cells[2].push('0')),
            with(|f| f.greatest.truncate(1)),
            with(|f| f.indicted_ms = vec![[2, 1]]),
            with(|f| f.indicted.push(1)),
            with(|f| f.cells.truncate(3)),
            with(|f| {
                (f.metrics, f.greatest) = (vec![f.metrics[0].clone(); 15], vec![1; 15]);
                f.cells = vec![f.cells[0].clone(); 30];
            }),
        ] {
            assert!(lie.trace().is_none(), "{lie:?}");
        }
        let mut lie = MetricsFigure { column_ms: -1, ..figure() };
        lie.sort_by_name();
        assert_eq!(lie, MetricsFigure::default());
    }

    #[test]
    fn metric_and_node_that_are_not_known_are_passed_over() {
        let mut strange = figure();
        strange.metrics[0] = String::from("a later one");
        strange.indicted.push(7);
        strange.indicted_ms.push([0, 1]);
        let (trace, indicted) = strange.trace().unwrap();
        assert_eq!((trace.samples.len(), indicted.len()), (1, 1));
    }
}
