//! Realized execution paths (REP, M07) and their groups (M12).
//!
//! ```text
//! block ─ Map m ─ output ─ Reduce r ─ block     a path for each pair (m, r)
//! group 1, 120 paths   volume    ▇▇▇▇▇▅▅▅▃▃▃▂▂▂
//!                      duration  ▂▂▅▇▇▇▇▇▇▇▇▃▃
//! ```
//! A path has stages with a duration ([`Leg`]) and all but the wait and reducing a volume: bytes into the
//! Map, out of it, from it to this Reduce, into the Reduce from all Maps, and those written by the Reduce, or by
//! the Map of a job without any.
//!
//! # Paper
//! §3.1 and §3.2: paths by depth-first search, "a k-Means algorithm to group similar paths".
//! k is not given: the mean silhouette chooses it, from 2 to [`MOST_GROUPS`].
//!
//! # Large jobs
//! 10,000 Maps and 1,000 Reduces have ten million paths. Beyond [`ENUMERATED`] pairs, Maps
//! and Reduces are first folded into [`FOLDS`] kinds each, and a path stands for all pairs
//! of two kinds, with their number as its weight. Map and Reduce of the critical path are kinds of their own.
//!
//! # Assumptions
//! Durations and volumes have no common unit: those of each are divided by the largest standard
//! deviation among them, so that a stage that hardly varies does not decide (ours).
//!
//! Cost: O(pairs up to the bound + transfers + attempts · folds).

use super::critical::{CriticalPath, Leg, legs};
use super::{JobFlow, Joined};
use crate::base::Arrange;
use crate::model::{TaskAttempt, TaskType, Trace};
use crate::stats::kmeans::{Points, group, kmeans};
use crate::stats::moments::mean_and_deviation;
use std::collections::BTreeMap;

/// Pairs taken one by one: k-means over them stays below a second in a browser.
pub const ENUMERATED: usize = 20_000;
/// Kinds of Maps and of Reduces beyond it; 24 × 24 folded paths are grouped at once.
pub const FOLDS: usize = 24;
/// Tasks looked at to find the kinds, evenly chosen.
const FOLD_SAMPLE: usize = 3_000;
/// Groups at most: as many as one can tell apart in a figure.
pub const MOST_GROUPS: usize = 6;
/// Seeds k-means ("mochi" in ASCII).
const SEED: u64 = 0x006d_6f63_6869;
/// Stages of a path.
pub const STAGES: usize = Leg::ALL.len();

/// A path, or many alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its Map, or one of those it stands for: index into [`Trace::tasks`].
    pub map: usize,
    /// Its Reduce; `None` in a job of Maps only.
    pub reduce: Option<usize>,
    /// Milliseconds in each stage.
    pub millis: [f64; STAGES],
    /// Bytes in each stage.
    pub bytes: [f64; STAGES],
    /// How many paths it stands for.
    pub weight: f64,
}

impl Path {
    /// From the Map's begin to the path's end.
    #[must_use]
    pub fn total_ms(&self) -> f64 {
        self.millis.iter().sum()
    }
}

/// Paths alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Indices into [`Paths::paths`], the longest first.
    pub members: Vec<usize>,
    /// How many paths.
    pub weight: f64,
    /// Mean milliseconds in each stage.
    pub millis: [f64; STAGES],
    /// Mean bytes in each stage.
    pub bytes: [f64; STAGES],
}

/// All paths of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paths {
    /// The paths, or their folds.
    pub paths: Vec<Path>,
    /// Their groups, the one with the longest paths first.
    pub groups: Vec<Group>,
    /// Mean silhouette of the groups.
    pub silhouette: f64,
    /// How many paths there are.
    pub count: f64,
    /// They were folded.
    pub folded: bool,
    /// What a Map sent to a Reduce was logged, not the same share for each.
    pub fetches_logged: bool,
}

/// Sums of the transfers of each attempt.
struct Sums {
    read: BTreeMap<usize, u64>,
    sent: BTreeMap<usize, u64>,
    fetched: BTreeMap<usize, u64>,
    written: BTreeMap<usize, u64>,
    pairs: BTreeMap<(usize, usize), u64>,
}

impl Paths {
    /// Of one job; its critical path stands for itself, however many are folded.
    #[must_use]
    pub fn of(trace: &Trace, flow: &JobFlow, critical: Option<&CriticalPath>) -> Self {
        let sums = Sums::of(flow);
        let maps: Vec<(usize, &TaskAttempt)> = flow.done(trace, TaskType::Map).collect();
        let reduces: Vec<(usize, &TaskAttempt)> = flow.done(trace, TaskType::Reduce).collect();
        let folded = maps.len().saturating_mul(reduces.len().max(1)) > ENUMERATED;
        let mut paths = Self { folded, fetches_logged: !sums.pairs.is_empty(), ..Self::default() };
        let map_count = maps.len();
        let alone = critical.map(|c| c.map);
        let maps = kinds(&maps, folded, alone, |i, t| sums.map_features(i, t));
        let alone = critical.and_then(|c| c.reduce);
        let reduces = kinds(&reduces, folded, alone, |i, t| sums.reduce_features(i, t));
        for (map, map_weight) in &maps {
            let ends = reduces.iter().map(|(r, w)| (Some(*r), *w));
            let ends: Vec<_> = if reduces.is_empty() { vec![(None, 1.0)] } else { ends.collect() };
            for (reduce, weight) in ends {
                paths.paths.push(sums.path(flow, *map, reduce, map_weight * weight, map_count));
            }
        }
        paths.count = paths.paths.iter().map(|p| p.weight).sum();
        paths.group();
        paths
    }

    fn group(&mut self) {
        let rows = features(&self.paths);
        let weights: Vec<f64> = self.paths.iter().map(|p| p.weight).collect();
        let found = group(Points { rows: &rows, dims: 2 * STAGES, weights: &weights }, MOST_GROUPS, SEED);
        self.silhouette = found.silhouette;
        for g in 0..found.k {
            let mut members: Vec<usize> =
                found.of.iter().enumerate().filter(|(_, of)| **of == g).map(|(i, _)| i).collect();
            let total = |i: &usize| self.paths.get(*i).map_or(0.0, Path::total_ms);
            members.arrange(|a, b| total(b).total_cmp(&total(a)).then(a.cmp(b)));
            let of = || members.iter().filter_map(|i| self.paths.get(*i));
            let weight: f64 = of().map(|p| p.weight).sum();
            let mean = |x: fn(&Path) -> &[f64; STAGES]| {
                let mut sums = [0.0; STAGES];
                for path in of() {
                    for (sum, value) in sums.iter_mut().zip(x(path)) {
                        *sum += value * path.weight / weight;
                    }
                }
                sums
            };
            self.groups.push(Group { weight, millis: mean(|p| &p.millis), bytes: mean(|p| &p.bytes), members });
        }
        let length = |g: &Group| g.millis.iter().sum::<f64>();
        self.groups.arrange(|a, b| length(b).total_cmp(&length(a)).then(a.members.cmp(&b.members)));
    }

    /// The group of the path through `map` and `reduce`; of a fold that stands for it, if
    /// they are its example.
    #[must_use]
    pub fn group_of(&self, map: usize, reduce: Option<usize>) -> Option<usize> {
        let is = |i: &usize| self.paths.get(*i).is_some_and(|p| p.map == map && p.reduce == reduce);
        self.groups.iter().position(|g| g.members.iter().any(is))
    }
}

impl Sums {
    fn of(flow: &JobFlow) -> Self {
        let mut sums = Self {
            read: BTreeMap::new(),
            sent: BTreeMap::new(),
            fetched: BTreeMap::new(),
            written: BTreeMap::new(),
            pairs: BTreeMap::new(),
        };
        let add = |to: &mut BTreeMap<usize, u64>, transfers: &[Joined], key: fn(&Joined) -> Option<usize>| {
            for transfer in transfers {
                if let Some(task) = key(transfer) {
                    let sum = to.entry(task).or_default();
                    *sum = sum.saturating_add(transfer.bytes);
                }
            }
        };
        add(&mut sums.read, &flow.reads, |t| t.task);
        add(&mut sums.sent, &flow.fetches, |t| t.task);
        add(&mut sums.fetched, &flow.fetches, |t| t.reduce);
        add(&mut sums.written, &flow.writes, |t| t.task);
        for fetch in &flow.fetches {
            if let (Some(map), Some(reduce)) = (fetch.task, fetch.reduce) {
                let sum = sums.pairs.entry((map, reduce)).or_default();
                *sum = sum.saturating_add(fetch.bytes);
            }
        }
        sums
    }

    /// What the task counted itself, else what the logs' transfers sum up to.
    fn volume(counted: Option<i64>, logged: &BTreeMap<usize, u64>, task: usize) -> f64 {
        let counted = counted.and_then(|n| u64::try_from(n).ok());
        counted.or_else(|| logged.get(&task).copied()).unwrap_or(0) as f64
    }

    fn map_features(&self, i: usize, t: &TaskAttempt) -> Vec<f64> {
        let end = t.finish.map_or(0, |f| f.millis()) as f64;
        vec![length_ms(t), end, self.read_by(i, t), self.sent_by(i, t)]
    }

    fn reduce_features(&self, i: usize, t: &TaskAttempt) -> Vec<f64> {
        let at = |time: Option<crate::base::Timestamp>| time.map_or(0, |f| f.millis()) as f64;
        let c = &t.counters;
        let into = Self::volume(c.fetched(), &self.fetched, i);
        vec![at(t.shuffle_end.or(t.finish)), at(t.finish), into, Self::volume(c.hdfs_written.get(), &self.written, i)]
    }

    fn read_by(&self, i: usize, t: &TaskAttempt) -> f64 {
        Self::volume(t.counters.hdfs_read.get(), &self.read, i)
    }

    fn sent_by(&self, i: usize, t: &TaskAttempt) -> f64 {
        Self::volume(t.counters.map_output.get(), &self.sent, i)
    }

    fn path(
        &self,
        flow: &JobFlow,
        (map, m): (usize, &TaskAttempt),
        reduce: Option<(usize, &TaskAttempt)>,
        weight: f64,
        maps: usize,
    ) -> Path {
        let mut millis = [0.0; STAGES];
        for (leg, interval) in legs(flow, (map, m), reduce) {
            if let Some(slot) = millis.get_mut(leg as usize) {
                *slot = interval.millis() as f64;
            }
        }
        let (mut shuffled, mut into, mut out) =
            (0.0, 0.0, Self::volume(m.counters.hdfs_written.get(), &self.written, map));
        if let Some((r, t)) = reduce {
            into = Self::volume(t.counters.fetched(), &self.fetched, r);
            out = Self::volume(t.counters.hdfs_written.get(), &self.written, r);
            let logged = self.pairs.get(&(map, r)).map(|n| *n as f64);
            // Where no fetch is logged, each Map is taken to send the same share.
            let even = if self.pairs.is_empty() { into / maps.max(1) as f64 } else { 0.0 };
            shuffled = logged.unwrap_or(even);
        }
        let bytes = [self.read_by(map, m), self.sent_by(map, m), 0.0, shuffled, into, 0.0, out];
        Path { map, reduce: reduce.map(|(i, _)| i), millis, bytes, weight }
    }
}

fn length_ms(t: &TaskAttempt) -> f64 {
    t.finish.zip(t.start).map_or(0, |(finish, start)| finish.millis_since(start)) as f64
}

/// The tasks with weight 1, or examples of their kinds with how many they stand for; one is a kind of its own.
fn kinds<'a>(
    tasks: &[(usize, &'a TaskAttempt)],
    folded: bool,
    alone: Option<usize>,
    features: impl Fn(usize, &TaskAttempt) -> Vec<f64>,
) -> Vec<((usize, &'a TaskAttempt), f64)> {
    if !folded || tasks.len() <= FOLDS {
        return tasks.iter().map(|task| (*task, 1.0)).collect();
    }
    let (alone, tasks): (Vec<_>, Vec<_>) = tasks.iter().copied().partition(|(i, _)| Some(*i) == alone);
    let step = tasks.len().div_ceil(FOLD_SAMPLE).max(1);
    let sample: Vec<(usize, &TaskAttempt)> = tasks.iter().step_by(step).copied().collect();
    let mut rows: Vec<f64> = sample.iter().flat_map(|(i, t)| features(*i, t)).collect();
    let dims = rows.len() / sample.len().max(1);
    for d in 0..dims {
        scale(&mut rows, dims, &[d]);
    }
    let of = kmeans(Points { rows: &rows, dims, weights: &vec![1.0; sample.len()] }, FOLDS - alone.len(), SEED);
    let mut counts: BTreeMap<usize, (Vec<usize>, f64)> = BTreeMap::new();
    let share = tasks.len() as f64 / sample.len().max(1) as f64;
    for (i, g) in of.iter().enumerate() {
        let (members, weight) = counts.entry(*g).or_default();
        members.push(i);
        *weight += share;
    }
    // The middle one of a kind by time stands for it.
    let example = |members: &[usize]| members.get(members.len() / 2).and_then(|i| sample.get(*i)).copied();
    let kinds = counts.into_values().filter_map(|(members, weight)| Some((example(&members)?, weight)));
    kinds.chain(alone.into_iter().map(|task| (task, 1.0))).collect()
}

/// Durations and volumes in comparable numbers.
fn features(paths: &[Path]) -> Vec<f64> {
    let mut rows: Vec<f64> = paths.iter().flat_map(|p| p.millis.into_iter().chain(p.bytes)).collect();
    let (durations, volumes): (Vec<usize>, Vec<usize>) = ((0..STAGES).collect(), (STAGES..2 * STAGES).collect());
    scale(&mut rows, 2 * STAGES, &durations);
    scale(&mut rows, 2 * STAGES, &volumes);
    rows
}

/// Divides some columns by the largest standard deviation among them.
fn scale(rows: &mut [f64], dims: usize, columns: &[usize]) {
    let of_column = |d: &usize| mean_and_deviation(rows.iter().skip(*d).step_by(dims).copied());
    let widest = columns.iter().filter_map(of_column).map(|(_, sd)| sd).fold(0.0, f64::max);
    for row in rows.chunks_exact_mut(dims.max(1)) {
        for d in columns {
            if let Some(x) = row.get_mut(*d) {
                *x = if widest > 0.0 { *x / widest } else { 0.0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Rule;
    use super::*;
    use crate::base::{JobId, Timestamp};

    #[test]
    fn sums_of_bytes_stay_at_the_largest() {
        let transfer = |bytes: u64| Joined {
            flow: 0,
            task: Some(1),
            reduce: Some(2),
            src: None,
            dest: None,
            block: None,
            bytes,
            start: None,
            end: Timestamp::from_millis(0),
            rule: Rule::FetchLine,
        };
        let all = vec![transfer(u64::MAX), transfer(7)];
        let flow = JobFlow {
            job: JobId { cluster: 1, number: 1 },
            tasks: Vec::new(),
            reads: all.clone(),
            fetches: all,
            writes: Vec::new(),
            shares: BTreeMap::new(),
        };
        let sums = Sums::of(&flow);
        for sum in [sums.read.get(&1), sums.sent.get(&1), sums.fetched.get(&2), sums.pairs.get(&(1, 2))] {
            assert_eq!(sum, Some(&u64::MAX));
        }
    }
}
