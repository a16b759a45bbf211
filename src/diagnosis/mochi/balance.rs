//! What the logs' transfers sum up to, beside what the job itself counted.
//!
//! ```text
//!                    logs          counters
//! into Maps          84.3 MB       84.3 MB  (HDFS_BYTES_READ)
//! through shuffle    84.1 MB       84.1 MB  (REDUCE_SHUFFLE_BYTES)
//! out of tasks       84.3 MB       84.3 MB  (HDFS_BYTES_WRITTEN)
//! ```
//! Only attempts that have the counter are summed on both sides. What a DataNode sends is
//! more than what a task counts as read, for three reasons that are told apart: checksums
//! (taken out by [`super::without_checksums`]); packets sent ahead into the next block, from
//! which a task reads no more than the record that crosses the border; files that each task
//! reads beside its split. And a Reduce of 0.20 may count less than it fetched: its copying
//! threads add to one counter without a lock, and the last to write wins. Where what is
//! missing is to the byte one of its fetches, or two, that is told too.
//! Cost: O(transfers), for a Reduce with a gap O(fetches²).

use super::{JobFlow, Joined, sum};
use crate::base::quantity::{bytes, percent, trimmed};
use crate::base::{BlockId, Gathered};
use crate::model::{Counters, TaskType, Trace};
use std::collections::BTreeMap;

/// Logs and counters that differ by no more agree.
pub const TOLERANCE: f64 = 0.01;
/// From here on a difference is said in times, which a person grasps sooner than hundreds of percent.
const IN_TIMES: f64 = 2.0;

/// What is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Passage {
    /// Blocks into Maps.
    IntoMaps,
    /// Map outputs into Reduces.
    ThroughShuffle,
    /// Blocks out of Reduces, and out of Maps where the job has no Reduce.
    OutOfTasks,
}

impl Passage {
    /// All, in the order of the flow.
    pub const ALL: [Self; 3] = [Self::IntoMaps, Self::ThroughShuffle, Self::OutOfTasks];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::IntoMaps => "into Maps",
            Self::ThroughShuffle => "through the shuffle",
            Self::OutOfTasks => "out of tasks",
        }
    }
}

/// One passage, weighed on both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// The way of the data.
    pub passage: Passage,
    /// Bytes of data in the logs' transfers; `None` where no such line was read.
    pub logged: Option<u64>,
    /// Of these, sent at the borders of splits and for side files, beyond the attempt's own
    /// blocks.
    pub at_borders: u64,
    /// Fetches, and their bytes, that are missing from their Reduce's counter to the byte.
    pub missed: (u64, u64),
    /// Bytes that the attempts counted; `None` where no attempt has the counter.
    pub counted: Option<u64>,
    /// Bytes in transfers of attempts without the counter: failed, killed, or not in any
    /// history.
    pub uncounted: u64,
}

impl Weighed {
    /// What is left of the difference when the borders are taken out, as a share of what
    /// was counted; `None` where there is nothing to compare.
    #[must_use]
    pub fn difference(&self) -> Option<f64> {
        let (logged, counted) = (self.logged? as f64, self.counted? as f64);
        // Of what was sent at the borders some was used, so the true sum lies between.
        let own = logged - self.at_borders.saturating_add(self.missed.1) as f64;
        let left = (own - counted).max(counted - logged).max(0.0);
        (counted > 0.0).then(|| left / counted)
    }

    /// Whether logs and counters agree.
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        self.difference().map(|d| d <= TOLERANCE)
    }

    /// In one sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let mb = |n: u64| bytes(n as f64);
        let name = self.passage.name();
        let mut text = match (self.logged, self.counted) {
            (None, None) => return format!("{name}: neither logged nor counted"),
            (None, Some(counted)) => {
                return format!("{name}: {} counted by the tasks, no transfer logged", mb(counted));
            }
            (Some(logged), None) => format!("{name}: {} logged, no task counted", mb(logged)),
            (Some(logged), Some(counted)) => {
                let verdict = match self.difference() {
                    Some(d) if d <= TOLERANCE => "they agree".to_owned(),
                    Some(d) if d < IN_TIMES => format!("they differ by {}", percent(d)),
                    Some(d) => format!("they differ by {} times what was counted", trimmed(d, 1)),
                    None => "nothing to compare".to_owned(),
                };
                format!("{name}: {} logged, {} counted; {verdict}", mb(logged), mb(counted))
            }
        };
        if self.at_borders > 0 && self.counted.is_some() {
            let used =
                self.counted.unwrap_or(0).saturating_sub(self.logged.unwrap_or(0).saturating_sub(self.at_borders));
            text.push_str(&format!(
                "; of the logged, {} were sent at borders of splits and for side files, of which tasks used {}",
                mb(self.at_borders),
                mb(used.min(self.at_borders))
            ));
        }
        if self.missed.0 > 0 {
            text.push_str(&format!(
                "; in the logs and missing to the byte in their Reduces' counters: {} {} of {}",
                self.missed.0,
                if self.missed.0 == 1 { "fetch" } else { "fetches" },
                mb(self.missed.1)
            ));
        }
        if self.uncounted > 0 {
            text.push_str(&format!("; {} more went to attempts without counters", mb(self.uncounted)));
        }
        text
    }
}

/// All passages of a job.
#[must_use]
pub fn weigh(trace: &Trace, flow: &JobFlow) -> [Weighed; 3] {
    let has_reduces = flow.tasks.iter().any(|i| trace.tasks.get(*i).is_some_and(|t| t.task_type == TaskType::Reduce));
    let writer = if has_reduces { TaskType::Reduce } else { TaskType::Map };
    let read: fn(&Counters) -> Option<i64> = |c| c.hdfs_read.get();
    let fetched: fn(&Counters) -> Option<i64> = Counters::fetched;
    let written: fn(&Counters) -> Option<i64> = |c| c.hdfs_written.get();
    let borders = borders(flow);
    [
        side(trace, flow, (Passage::IntoMaps, TaskType::Map), &flow.reads, |t| t.task, read, &borders),
        side(trace, flow, (Passage::ThroughShuffle, TaskType::Reduce), &flow.fetches, |t| t.reduce, fetched, &[]),
        side(trace, flow, (Passage::OutOfTasks, writer), &flow.writes, |t| t.task, written, &[]),
    ]
}

fn side(
    trace: &Trace,
    flow: &JobFlow,
    (passage, task_type): (Passage, TaskType),
    transfers: &[Joined],
    owner: impl Fn(&Joined) -> Option<usize>,
    counter: impl Fn(&Counters) -> Option<i64>,
    borders: &[bool],
) -> Weighed {
    let of_task = |i: usize| {
        let task = trace.tasks.get(i).filter(|t| t.task_type == task_type)?;
        counter(&task.counters).and_then(|n| u64::try_from(n).ok())
    };
    let mut weighed = Weighed { passage, logged: None, at_borders: 0, missed: (0, 0), counted: None, uncounted: 0 };
    for task in &flow.tasks {
        if let Some(n) = of_task(*task) {
            weighed.counted = Some(weighed.counted.unwrap_or(0).saturating_add(n));
        }
    }
    for (i, transfer) in transfers.iter().enumerate() {
        let is_counted = owner(transfer).is_some_and(|task| of_task(task).is_some());
        if is_counted || weighed.counted.is_none() {
            weighed.logged = Some(weighed.logged.unwrap_or(0).saturating_add(transfer.bytes));
            if borders.get(i) == Some(&true) {
                weighed.at_borders = weighed.at_borders.saturating_add(transfer.bytes);
            }
        } else if owner(transfer).is_none() && passage == Passage::ThroughShuffle {
            // Who fetched is not told, but that it was fetched.
            weighed.logged = Some(weighed.logged.unwrap_or(0).saturating_add(transfer.bytes));
        } else {
            weighed.uncounted = weighed.uncounted.saturating_add(transfer.bytes);
        }
    }
    if passage == Passage::ThroughShuffle {
        weighed.missed = missed(transfers, of_task);
    }
    weighed
}

/// Fetches that make up exactly what a Reduce's counter lacks.
fn missed(fetches: &[Joined], counted: impl Fn(usize) -> Option<u64>) -> (u64, u64) {
    /// More fetches than this are not tried in pairs.
    const PAIRED: usize = 2_000;
    let mut by_reduce: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    for fetch in fetches {
        if let Some(reduce) = fetch.reduce {
            by_reduce.entry(reduce).or_default().push(fetch.bytes);
        }
    }
    let mut missed = (0_u64, 0_u64);
    for (reduce, sizes) in by_reduce {
        let lacks = counted(reduce).and_then(|n| sum(sizes.iter().copied()).checked_sub(n)).filter(|lacks| *lacks > 0);
        let Some(lacks) = lacks else { continue };
        let known: std::collections::BTreeSet<u64> = sizes.iter().copied().gathered();
        let pair = |a: &u64| lacks.checked_sub(*a).is_some_and(|b| b != *a && known.contains(&b));
        if known.contains(&lacks) {
            missed = (missed.0 + 1, missed.1.saturating_add(lacks));
        } else if sizes.len() <= PAIRED && known.iter().any(pair) {
            missed = (missed.0 + 2, missed.1.saturating_add(lacks));
        }
    }
    missed
}

/// Which reads are not of the attempt's own blocks: another task reads more of the block,
/// and the attempt reads more of another block.
fn borders(flow: &JobFlow) -> Vec<bool> {
    let mut by_block: BTreeMap<Block, BTreeMap<usize, u64>> = BTreeMap::new();
    let mut by_task: BTreeMap<usize, BTreeMap<Block, u64>> = BTreeMap::new();
    for (i, read) in flow.reads.iter().enumerate() {
        if let Some(task) = read.task {
            let key = block_of(i, read);
            for sum in [
                by_block.entry(key).or_default().entry(task).or_default(),
                by_task.entry(task).or_default().entry(key).or_default(),
            ] {
                *sum = sum.saturating_add(read.bytes);
            }
        }
    }
    let most_of = |sums: Option<&BTreeMap<usize, u64>>| sums.and_then(|s| s.values().max()).copied().unwrap_or(0);
    let reads = flow.reads.iter().enumerate().map(|(i, read)| {
        let Some(task) = read.task else { return false };
        let key = block_of(i, read);
        let own = by_task.get(&task).and_then(|t| t.get(&key)).copied().unwrap_or(0);
        let largest = by_task.get(&task).and_then(|t| t.values().max()).copied().unwrap_or(0);
        let read_by = by_block.get(&key).map_or(0, BTreeMap::len);
        // A side file is read alike by many; a border is read less than the block's owner does.
        own < largest && (own < most_of(by_block.get(&key)) || read_by > 2)
    });
    reads.collect()
}

/// A block; a read whose line does not name it stands for itself.
type Block = (Option<BlockId>, usize);

fn block_of(i: usize, read: &Joined) -> Block {
    (read.block, if read.block.is_some() { 0 } else { i })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_differences_are_said_in_times() {
        let weighed = |logged: u64| Weighed {
            passage: Passage::IntoMaps,
            logged: Some(logged),
            at_borders: 0,
            missed: (0, 0),
            counted: Some(100_000_000),
            uncounted: 0,
        };
        let says = |logged: u64| weighed(logged).words().split("; ").last().unwrap_or_default().to_owned();
        assert_eq!(says(100_000_000), "they agree");
        assert_eq!(says(150_000_000), "they differ by 50.0 %");
        assert_eq!(says(1_534_600_000), "they differ by 14.3 times what was counted");
    }
}
