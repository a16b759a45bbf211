//! OS metrics: what sysstat measured of a node each second (K16, Kahuna Table II).
//!
//! ```text
//! chunk (one node, up to 1024 samples): step of time, which metrics, their differences
//!        1000 ms            0b11_1111_1111_1111      +12 −3 0 …   hundredths as varints
//! ```
//! sysstat prints two decimals, so a value is an exact number of hundredths, and from one
//! second to the next most of them change by little: about 30 bytes a sample, where an
//! array of numbers would take 128. A value that is no number of hundredths is held as it is.
//!
//! Cost: O(1) a sample both ways, in order; a node is found by a binary search.

use super::metric::{Metric, OfMetrics};
use crate::base::varint::{put, take, unzigzag, zigzag};
use crate::base::{Interval, NodeId, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Samples to a chunk: few enough that one is decoded at once, many enough that what is
/// kept for each chunk does not count.
const CHUNK: usize = 1024;
/// Largest number of hundredths that a `f64` holds exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Beside the bits of the metrics: values are not hundredths, but as they are.
const AS_THEY_ARE: u64 = 1 << Metric::ALL.len();

/// Steps between samples that are looked at to find the usual one.
const STEPS_SEEN: usize = 2000;

/// One node's sadc-vector of one instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The node measured.
    pub node: NodeId,
    /// When, UTC.
    pub at: Timestamp,
    /// In sysstat's units; NaN where not measured.
    pub values: OfMetrics<f64>,
}

impl Sample {
    /// The value of a metric, if it was measured.
    #[must_use]
    pub fn value(&self, metric: Metric) -> Option<f64> {
        self.values.get(metric.place()).copied().filter(|value| !value.is_nan())
    }
}

/// All samples, by node, then by time.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    chunks: Vec<Chunk>,
    len: usize,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Chunk {
    node: NodeId,
    first: Timestamp,
    last: Timestamp,
    #[serde(with = "serde_bytes")]
    bytes: Box<[u8]>,
}

/// Takes samples in order of node and time.
#[derive(Default)]
pub struct SamplesBuilder {
    done: Samples,
    open: Vec<u8>,
    open_len: usize,
    first: Option<Sample>,
    last: Option<Sample>,
    before: OfMetrics<u64>,
}

impl Samples {
    /// Puts rows in order; of several with one node and time the first stays.
    #[must_use]
    pub fn from_rows(mut rows: Vec<Sample>) -> Self {
        rows.sort_by_key(|s| (s.node, s.at));
        let mut builder = SamplesBuilder::default();
        rows.iter().for_each(|row| builder.push(row));
        builder.finish()
    }

    /// Number of samples.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// All, by node, then by time.
    pub fn iter(&self) -> impl Iterator<Item = Sample> + '_ {
        self.chunks.iter().flat_map(Chunk::samples)
    }

    /// Those of one node in order of time (a binary search finds them).
    pub fn of_node(&self, node: NodeId) -> impl Iterator<Item = Sample> + '_ {
        self.chunks_of(node).iter().flat_map(Chunk::samples)
    }

    /// Those of one node that lie in one of these stretches, which are in order and apart; chunks that meet none are
    /// passed over.
    pub fn of_node_during<'a>(&'a self, node: NodeId, during: &'a [Interval]) -> impl Iterator<Item = Sample> + 'a {
        debug_assert!(during.is_sorted_by(|a, b| a.end <= b.start), "in order and apart");
        let meets =
            |from: Timestamp, last: Timestamp| Interval::new(from, last.plus_millis(1)).met_in(during).next().is_some();
        let chunks = self.chunks_of(node).iter().filter(move |chunk| meets(chunk.first, chunk.last));
        chunks.flat_map(Chunk::samples).filter(move |sample| meets(sample.at, sample.at))
    }

    /// Those of one node that can lie between two instants, some before and after them among them:
    /// chunks that lie wholly outside are passed over.
    pub fn of_node_around(&self, node: NodeId, from: Timestamp, to: Timestamp) -> impl Iterator<Item = Sample> + '_ {
        let meets = move |chunk: &&Chunk| chunk.first <= to && from <= chunk.last;
        self.chunks_of(node).iter().filter(meets).flat_map(Chunk::samples)
    }

    /// Nodes that have samples, in order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let starts = self.chunks.iter().zip(std::iter::once(None).chain(self.chunks.iter().map(Some)));
        starts.filter(|(chunk, before)| before.is_none_or(|b| b.node != chunk.node)).map(|(chunk, _)| chunk.node)
    }

    /// First and last time of any sample.
    #[must_use]
    pub fn span(&self) -> Option<(Timestamp, Timestamp)> {
        self.chunks.iter().map(|c| (c.first, c.last)).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
    }

    /// The usual time from one sample to the next, by the first node's first samples; a second where only one is there. A
    /// comparison of nodes asks all of them (`diagnosis/kahuna_bb/survey.rs`); this is for columns of a figure.
    #[must_use]
    pub fn usual_step_ms(&self) -> i64 {
        let mut steps: Vec<i64> = Vec::new();
        if let Some(node) = self.nodes().next() {
            let times = || self.of_node(node).map(|s| s.at);
            steps = times().skip(1).zip(times()).take(STEPS_SEEN).map(|(b, a)| b.millis_since(a)).collect();
        }
        steps.sort_unstable();
        steps.get(steps.len() / 2).copied().unwrap_or(1000).max(1)
    }

    /// Bytes held for the samples.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.chunks.iter().map(|c| c.bytes.len() + size_of::<Chunk>()).sum()
    }

    fn chunks_of(&self, node: NodeId) -> &[Chunk] {
        let from = self.chunks.partition_point(|c| c.node < node);
        let to = self.chunks.partition_point(|c| c.node <= node);
        self.chunks.get(from..to).unwrap_or_default()
    }
}

/// How many there are: the samples themselves would fill a screen for each minute.
impl fmt::Debug for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Samples").field("len", &self.len).finish_non_exhaustive()
    }
}

impl SamplesBuilder {
    /// Appends a sample; one that is not behind the one before it is left out.
    #[inline(never)]
    pub fn push(&mut self, sample: &Sample) {
        if self.last.is_some_and(|last| (sample.node, sample.at) <= (last.node, last.at)) {
            return;
        }
        if self.open_len == CHUNK || self.first.is_some_and(|first| first.node != sample.node) {
            self.close();
        }
        let from = self.last.filter(|_| self.open_len > 0).map_or(sample.at, |last| last.at);
        put(&mut self.open, sample.at.millis_since(from) as u64);
        let there = Metric::ALL.into_iter().filter(|metric| sample.value(*metric).is_some());
        let which = there.fold(0, |which, metric| which | u64::from(metric.bit()));
        // Of those that are not measured nothing is told, so 0 will do.
        let exact = sample.values.map(|v| if v.is_nan() { Some(0) } else { hundredths(v) });
        if exact.iter().all(Option::is_some) {
            put(&mut self.open, which);
            let of_each = Metric::ALL.into_iter().zip(self.before.iter_mut().zip(exact));
            for (_, (before, value)) in of_each.filter(|(metric, _)| which & u64::from(metric.bit()) != 0) {
                let value = value.unwrap_or_default();
                put(&mut self.open, zigzag(value.wrapping_sub(*before) as i64));
                *before = value;
            }
        } else {
            put(&mut self.open, which | AS_THEY_ARE);
            for value in sample.values.iter().filter(|v| !v.is_nan()) {
                self.open.extend_from_slice(&value.to_le_bytes());
            }
        }
        self.first.get_or_insert(*sample);
        self.last = Some(*sample);
        self.open_len += 1;
    }

    fn close(&mut self) {
        if let (Some(first), Some(last)) = (self.first.take(), self.last) {
            let bytes = std::mem::take(&mut self.open).into_boxed_slice();
            self.done.chunks.push(Chunk { node: first.node, first: first.at, last: last.at, bytes });
            self.done.len += self.open_len;
        }
        self.open_len = 0;
        self.before = OfMetrics::default();
    }

    /// The samples.
    #[must_use]
    pub fn finish(mut self) -> Samples {
        self.close();
        self.done
    }
}

impl Chunk {
    fn samples(&self) -> ChunkSamples<'_> {
        ChunkSamples { node: self.node, at: self.first, before: OfMetrics::default(), rest: &self.bytes }
    }
}

/// Decodes a chunk.
struct ChunkSamples<'a> {
    node: NodeId,
    at: Timestamp,
    before: OfMetrics<u64>,
    rest: &'a [u8],
}

impl Iterator for ChunkSamples<'_> {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        self.at = self.at.plus_millis(take(&mut self.rest)? as i64);
        let which = take(&mut self.rest)?;
        let mut values = [f64::NAN; Metric::ALL.len()];
        for (metric, (value, before)) in Metric::ALL.into_iter().zip(values.iter_mut().zip(&mut self.before)) {
            if which & u64::from(metric.bit()) == 0 {
                continue;
            }
            if which & AS_THEY_ARE != 0 {
                let (bytes, rest) = self.rest.split_first_chunk::<8>()?;
                self.rest = rest;
                *value = f64::from_le_bytes(*bytes);
            } else {
                *before = before.wrapping_add(unzigzag(take(&mut self.rest)?) as u64);
                *value = *before as f64 / 100.0;
            }
        }
        Some(Sample { node: self.node, at: self.at, values })
    }
}

/// The hundredths that a value is a whole number of, if it is.
fn hundredths(value: f64) -> Option<u64> {
    let scaled = (value * 100.0).round_ties_even();
    let whole = scaled.is_sign_positive() && scaled <= EXACT && (scaled / 100.0).to_bits() == value.to_bits();
    whole.then_some(scaled as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(node: u32, at: i64, values: impl Fn(usize) -> f64) -> Sample {
        Sample { node: NodeId(node), at: Timestamp::from_millis(at), values: std::array::from_fn(values) }
    }

    fn same(a: &Sample, b: &Sample) -> bool {
        // A measurement of −0 is one of 0; adding 0 makes it so.
        let bits = |s: &Sample| s.values.map(|v| if v.is_nan() { u64::MAX } else { (v + 0.0).to_bits() });
        (a.node, a.at, bits(a)) == (b.node, b.at, bits(b))
    }

    #[test]
    fn samples_come_back_in_order_and_the_first_of_equals_stays() {
        let rows = vec![
            sample(1, 2000, |i| i as f64),
            sample(0, 3000, |_| 0.5),
            sample(1, 1000, |i| if i == 3 { f64::NAN } else { 75.97 }),
            sample(1, 2000, |_| 9.0),
        ];
        let samples = Samples::from_rows(rows);
        let got: Vec<_> = samples.iter().map(|s| (s.node.0, s.at.millis(), s.values[3], s.values[4])).collect();
        assert_eq!(got[0], (0, 3000, 0.5, 0.5));
        assert_eq!((got[1].0, got[1].1, got[1].2.is_nan(), got[1].3), (1, 1000, true, 75.97));
        assert_eq!((got[2], got.len(), samples.len()), ((1, 2000, 3.0, 4.0), 3, 3));
        assert_eq!(samples.of_node(NodeId(1)).count(), 2);
        assert_eq!(samples.of_node(NodeId(7)).count(), 0);
        assert_eq!(samples.nodes().collect::<Vec<_>>(), [NodeId(0), NodeId(1)]);
        assert_eq!(samples.span().map(|(a, b)| (a.millis(), b.millis())), Some((1000, 3000)));
    }

    #[test]
    fn day_of_a_node_takes_less_than_64_bytes_a_sample() {
        // Values that jump about as much as a busy node's, within their usual ranges.
        let sizes = [1e4, 1e4, 1e4, 2e6, 3e3, 5e4, 2e3, 1e9, 1e9, 3e6, 3e6, 3e6, 5e6, 5e6];
        let rows = (0..5000_i64).map(|s| {
            let noise = |i: usize| ((s as u64 * 2_654_435_761 + i as u64 * 40_503) % 65_536) as f64 / 65_536.0;
            sample(0, s * 1000, |i| (noise(i) * sizes[i]).round() / 100.0)
        });
        let samples = Samples::from_rows(rows.collect());
        assert_eq!(samples.len(), 5000);
        assert!(samples.bytes() < 64 * 5000, "{} bytes", samples.bytes() / 5000);
    }

    proptest! {
        #[test]
        fn any_values_come_back_as_they_were(
            rows in prop::collection::vec((0_u32..3, -5_i64..5000, prop::collection::vec(prop_oneof![
                any::<f64>(), Just(f64::NAN), (0_u64..1 << 50).prop_map(|h| h as f64 / 100.0), Just(-0.0),
            ], 14)), 0..50)
        ) {
            let rows: Vec<Sample> = rows.iter().map(|(n, at, v)| sample(*n, *at, |i| v[i])).collect();
            let samples = Samples::from_rows(rows.clone());
            let mut sorted = rows;
            sorted.sort_by_key(|s| (s.node, s.at));
            sorted.dedup_by_key(|s| (s.node, s.at));
            prop_assert_eq!(samples.len(), sorted.len());
            for (a, b) in samples.iter().zip(&sorted) {
                prop_assert!(same(&a, b), "{:?} {:?}", a, b);
            }
        }
    }
}
