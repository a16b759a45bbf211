//! Samples to columns of pixels: the least and the greatest of each metric in each.
//!
//! ```text
//! 86 400 samples:  ..:.'.::..'':.||.:..      700 columns:  ▁▂▃│▂▁  (least to greatest)
//! ```
//! No peak is lost, however many samples share a pixel, and time without samples stays
//! empty. Where many share one, the samples are not read again for each picture: they are folded
//! once, [`FOLDED`] to a row, whose peak then stands in the one or two columns that it touches.
//!
//! Cost: O(samples) once, then O(samples / 32 + samples shown); 8 bytes a column and metric.

use crate::base::{NodeId, Timestamp};
use crate::model::{Metric, OfMetrics, Samples};

/// Samples to a row of what is folded.
const FOLDED: i64 = 32;

/// How time is cut into columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// First instant.
    pub from_ms: i64,
    /// Last instant.
    pub to_ms: i64,
    /// Columns.
    pub columns: usize,
    /// The usual time from one sample to the next.
    pub step_ms: i64,
}

/// Least and greatest value of a column; NaN where nothing was measured.
pub type Cell = (f32, f32);

/// What the whole time has of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Values.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
}

/// Nothing measured.
const NONE: OfMetrics<Summary> =
    [Summary { count: 0, sum: 0.0, least: f64::INFINITY, greatest: f64::NEG_INFINITY }; Metric::ALL.len()];

/// What is kept of one node's samples from picture to picture.
#[derive(Clone, Debug)]
pub struct Folded {
    /// The node measured.
    pub node: NodeId,
    /// For each metric its summary, of all samples.
    pub summaries: OfMetrics<Summary>,
    rows: Vec<Row>,
}

/// Some samples that follow one another.
#[derive(Clone, Copy, Debug)]
struct Row {
    first_ms: i64,
    last_ms: i64,
    cells: OfMetrics<Cell>,
}

/// For each metric the cells of one node.
pub type NodeColumns = Vec<Vec<Cell>>;

impl Time {
    /// A part of the time of all samples, given in shares of it, in columns of a pixel or of a
    /// sample, whichever is wider.
    #[must_use]
    pub fn of(samples: &Samples, part: (f64, f64), width_css_px: f32) -> Option<Self> {
        let (from, to) = samples.span()?;
        let span_ms = to.millis_since(from) as f64;
        let at = |share: f64| from.millis().saturating_add((span_ms * share).round() as i64);
        let (from_ms, to_ms) = (at(part.0), at(part.1));
        let usual_ms = samples.usual_step_ms();
        let pixels = (width_css_px.max(1.0)) as i64;
        let columns = (to_ms.saturating_sub(from_ms) / usual_ms).saturating_add(1).clamp(1, pixels);
        Some(Self { from_ms, to_ms, columns: usize::try_from(columns).unwrap_or(1), step_ms: usual_ms })
    }

    /// The column of an instant.
    #[must_use]
    pub fn column(&self, ms: i64) -> usize {
        let span = self.to_ms.saturating_sub(self.from_ms).max(1) as f64;
        let share = (ms.saturating_sub(self.from_ms)).max(0) as f64 / span;
        ((share * (self.columns - 1) as f64).round() as usize).min(self.columns - 1)
    }

    /// Where a column begins; the first and last instants are the middles of the outermost
    /// columns.
    #[must_use]
    pub fn begin_ms(&self, column: usize) -> i64 {
        let span = self.to_ms.saturating_sub(self.from_ms) as f64;
        let share = (column as f64 - 0.5) / (self.columns - 1).max(1) as f64;
        self.from_ms.saturating_add((span * share.clamp(0.0, 1.0)) as i64)
    }
}

/// The least and greatest with one value more; the other one of a number and NaN is the number.
pub(super) fn with((least, greatest): Cell, value: Cell) -> Cell {
    (least.min(value.0), greatest.max(value.1))
}

pub(super) const NOTHING: Cell = (f32::NAN, f32::NAN);

impl Folded {
    /// Folds the samples of a node.
    #[must_use]
    pub fn of(samples: &Samples, node: NodeId) -> Self {
        let mut folded = Self { node, summaries: NONE, rows: Vec::new() };
        let mut room = 0;
        for sample in samples.of_node(node) {
            let at_ms = sample.at.millis();
            if room == 0 {
                room = FOLDED;
                folded.rows.push(Row { first_ms: at_ms, last_ms: at_ms, cells: [NOTHING; Metric::ALL.len()] });
            }
            room -= 1;
            let Some(row) = folded.rows.last_mut() else { continue };
            row.last_ms = at_ms;
            for (cell, value) in row.cells.iter_mut().zip(sample.values).filter(|(_, value)| value.is_finite()) {
                *cell = with(*cell, (value as f32, value as f32));
            }
            folded.sum_up(&sample.values);
        }
        folded
    }

    /// What a stretch of the time has of each metric.
    #[must_use]
    pub fn within(&self, samples: &Samples, (from, to): (Timestamp, Timestamp)) -> Self {
        let inside = samples.of_node_around(self.node, from, to).filter(|s| from <= s.at && s.at <= to);
        let mut folded = Self { node: self.node, summaries: NONE, rows: Vec::new() };
        inside.for_each(|sample| folded.sum_up(&sample.values));
        folded
    }

    fn sum_up(&mut self, values: &OfMetrics<f64>) {
        for (summary, value) in self.summaries.iter_mut().zip(values).filter(|(_, value)| value.is_finite()) {
            summary.count += 1;
            summary.sum += value;
            summary.least = summary.least.min(*value);
            summary.greatest = summary.greatest.max(*value);
        }
    }

    /// The node's columns.
    #[must_use]
    pub fn columns(&self, samples: &Samples, time: Time) -> NodeColumns {
        let mut cells = vec![vec![NOTHING; time.columns]; Metric::ALL.len()];
        let mut put = |at_ms: i64, row: &OfMetrics<Cell>| {
            if !(time.from_ms..=time.to_ms).contains(&at_ms) {
                return;
            }
            let column = time.column(at_ms);
            for (cells, cell) in cells.iter_mut().zip(row) {
                if let Some(slot) = cells.get_mut(column) {
                    *slot = with(*slot, *cell);
                }
            }
        };
        let column_ms = time.to_ms.saturating_sub(time.from_ms) / time.columns.max(1) as i64;
        if column_ms >= 2 * FOLDED * time.step_ms {
            for row in &self.rows {
                put(row.first_ms, &row.cells);
                put(row.last_ms, &row.cells);
            }
            return cells;
        }
        let at = Timestamp::from_millis;
        for sample in samples.of_node_around(self.node, at(time.from_ms), at(time.to_ms)) {
            let known = |value: f64| if value.is_finite() { (value as f32, value as f32) } else { NOTHING };
            put(sample.at.millis(), &sample.values.map(known));
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Timestamp;
    use crate::model::Sample;

    const ALL: (f64, f64) = (0.0, 1.0);

    #[test]
    fn a_part_of_the_time_has_its_samples_and_the_summary_of_all() {
        let samples = samples(&[(0, 1.0), (600, 2.0), (1200, 3.0), (1800, 4.0)]);
        let time = Time::of(&samples, (0.5, 1.0), 500.0).unwrap();
        assert_eq!((time.from_ms, time.to_ms, time.columns), (900_000, 1_800_000, 2));
        let folded = Folded::of(&samples, NodeId(0));
        assert_eq!(folded.columns(&samples, time)[0], [(3.0, 3.0), (4.0, 4.0)]);
        assert_eq!((folded.summaries[0].count, folded.summaries[0].least), (4, 1.0));
        let at = Timestamp::from_millis;
        let within = folded.within(&samples, (at(600_000), at(1_300_000))).summaries[0];
        assert_eq!((within.count, within.least, within.greatest), (2, 2.0, 3.0));
    }

    fn samples(values: &[(i64, f64)]) -> Samples {
        let sample = |(s, v): &(i64, f64)| Sample {
            node: NodeId(0),
            at: Timestamp::from_millis(s * 1000),
            values: std::array::from_fn(|i| if i == 0 { *v } else { f64::NAN }),
        };
        Samples::from_rows(values.iter().map(sample).collect())
    }

    #[test]
    fn no_peak_is_lost_and_gaps_stay() {
        let day: Vec<_> = (0..86_400).filter(|s| !(20_000..60_000).contains(s)).collect();
        let samples = samples(&day.iter().map(|s| (*s, if *s == 77 { 99.0 } else { 1.0 })).collect::<Vec<_>>());
        let time = Time::of(&samples, ALL, 100.0).unwrap();
        assert_eq!(time.columns, 100);
        // 20 000 s is 22.9 columns of 99, 60 000 s 68.8; the second column begins at half of one.
        assert_eq!((time.column(19_999_000), time.column(60_000_000)), (23, 69));
        assert_eq!((time.begin_ms(0), time.begin_ms(1), time.begin_ms(100)), (0, 436_358, 86_399_000));
        let folded = Folded::of(&samples, NodeId(0));
        let cells = folded.columns(&samples, time);
        assert_eq!(cells[0][0], (1.0, 99.0));
        assert_eq!(cells[0].iter().filter(|(least, _)| least.is_nan()).count(), 45);
        assert!(cells[1].iter().all(|(least, _)| least.is_nan()));
        assert_eq!((folded.summaries[0].count, folded.summaries[0].greatest), (46_400, 99.0));
    }

    #[test]
    fn near_and_far_show_the_same_peaks() {
        let wave: Vec<_> = (0..20_000).map(|s| (s, f64::from((s * 37 % 1_000) as i32))).collect();
        let samples = samples(&wave);
        let folded = Folded::of(&samples, NodeId(0));
        // 20 columns of 1000 s are made of folded rows, 400 of 50 s of the samples themselves.
        let columns = |count: f32| {
            let time = Time::of(&samples, ALL, count).unwrap();
            folded.columns(&samples, time).swap_remove(0)
        };
        // The outermost ones are halves.
        let far = columns(20.0);
        assert!(far.len() == 20 && far[1..19].iter().all(|cell| *cell == (0.0, 999.0)), "{far:?}");
        let near = columns(400.0);
        let all = near.iter().fold(NOTHING, |all, cell| with(all, *cell));
        assert_eq!((near.len(), all), (400, (0.0, 999.0)));
        // A part of it passes over what lies outside.
        let part = Time::of(&samples, (0.5, 0.51), 200.0).unwrap();
        let cells = folded.columns(&samples, part).swap_remove(0);
        assert_eq!(cells.len(), 200);
        // The first column is that of second 10 000, whose value is 10 000 · 37 mod 1000 = 0.
        assert_eq!(cells[0].0, 0.0);
    }

    #[test]
    fn few_samples_take_a_column_each() {
        let samples = samples(&[(0, 1.0), (600, 2.0), (1200, f64::NAN), (1800, 4.0)]);
        let time = Time::of(&samples, ALL, 500.0).unwrap();
        assert_eq!(time.columns, 4);
        let cells = &Folded::of(&samples, NodeId(0)).columns(&samples, time)[0];
        assert_eq!((cells[0], cells[1], cells[3]), ((1.0, 1.0), (2.0, 2.0), (4.0, 4.0)));
        assert!(cells[2].0.is_nan());
    }

    #[test]
    fn one_sample_is_one_column() {
        let time = Time::of(&samples(&[(5, 1.0)]), ALL, 500.0).unwrap();
        assert_eq!((time.columns, time.column(5000), time.column(i64::MAX)), (1, 0, 0));
        assert_eq!(Time::of(&Samples::default(), ALL, 9.0), None);
    }
}
