//! Advice to a job's owner, by Dr. Elephant's thresholds.
//!
//! ```text
//! map-spill   severe   spilled 2.7 records for each record of output (800 maps)
//!                      Raise io.sort.mb …
//! ```
//! Source: Dr. Elephant's MapReduce heuristics with their default thresholds (low, moderate,
//! severe, critical). A rule has several limits (how bad, and whether it matters: number of
//! tasks, time); its severity is the least of them. Unlike there, all tasks count, not a
//! sample of 200, and jobs that failed are advised too. A rule of our own names the task that a job waited for until
//! it was given up (`unended.rs`). Set-ups and clean-ups do not count.
//! Assumption: where the configuration is not there, blocks have 64 MB and containers 2 GB,
//! Dr. Elephant's and Hadoop's defaults. Cost: O(tasks log tasks) of a job.

mod unended;

use super::job_class::Class;
use super::theia::survey::Side;
use crate::base::Arrange;
use crate::base::quantity::counted;
use crate::model::{Job, Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeMap;
use unended::unended;

/// A minute in milliseconds.
const MINUTE_MS: f64 = 60_000.0;
/// Container size where no configuration tells it, and by which containers are measured.
const CONTAINER_MB: f64 = 2048.0;
/// Bytes of a megabyte as Hadoop's settings count.
const MIB: f64 = 1024.0 * 1024.0;

/// Four limits, low to critical.
type Limits = [f64; 4];

/// Tasks that make a skew matter.
const SKEW_TASKS: Limits = [10.0, 50.0, 100.0, 200.0];
/// How many times the smaller group's mean the larger's lies above it.
const SKEW_DEVIATION: Limits = [2.0, 4.0, 8.0, 16.0];
/// Mean bytes of the larger group, in blocks.
const SKEW_BLOCKS: Limits = [0.125, 0.25, 0.5, 1.0];
/// Collection of garbage, as a share of processor time.
const GC_SHARE: Limits = [0.01, 0.02, 0.03, 0.04];
/// Minutes of a task that make it matter.
const GC_MINUTES: Limits = [5.0, 10.0, 12.0, 15.0];
/// Minutes of short tasks; fewer are worse.
const SHORT_MINUTES: Limits = [10.0, 4.0, 2.0, 1.0];
/// Minutes of long tasks.
const LONG_MINUTES: Limits = [15.0, 30.0, 60.0, 120.0];
/// Short tasks that make it matter.
const SHORT_TASKS: Limits = [50.0, 101.0, 500.0, 1000.0];
/// Blocks that a map reads in a second; fewer are worse.
const SPEED_BLOCKS: Limits = [0.5, 0.25, 0.125, 1.0 / 32.0];
/// Minutes of a map that make its speed matter.
const SPEED_MINUTES: Limits = [5.0, 10.0, 15.0, 30.0];
/// Records spilled for each record of output.
const SPILL_RATIO: Limits = [2.01, 2.2, 2.5, 3.0];
/// Maps that make spilling matter.
const SPILL_TASKS: Limits = [50.0, 100.0, 500.0, 1000.0];
/// Memory used of the container; less is worse.
const MEMORY_USED: Limits = [0.6, 0.5, 0.4, 0.3];
/// Container, in default containers.
const MEMORY_CONTAINER: Limits = [1.1, 1.5, 2.0, 2.5];
/// Twice the shuffle's (or sort's) time to the rest's.
const SHUFFLE_RATIO: Limits = [1.0, 2.0, 4.0, 8.0];
/// Minutes of shuffle (or sort) that matter.
const SHUFFLE_MINUTES: Limits = [1.0, 5.0, 10.0, 30.0];

/// Bytes of a file in the distributed cache beyond which it costs.
const CACHE_FILE_BYTES: u64 = 500_000_000;

/// How much an advice matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Worth trying.
    Moderate,
    /// Costs clearly.
    Severe,
    /// Costs most of what the job costs.
    Critical,
}

impl Severity {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::Severe => "severe",
            Self::Critical => "critical",
        }
    }

    const fn of_count(passed: usize) -> Option<Self> {
        match passed {
            0 => None,
            1 => Some(Self::Low),
            2 => Some(Self::Moderate),
            3 => Some(Self::Severe),
            _ => Some(Self::Critical),
        }
    }

    /// The highest limit that `x` reaches.
    fn above(x: f64, limits: Limits) -> Option<Self> {
        Self::of_count(limits.iter().filter(|limit| x >= **limit).count())
    }

    /// The lowest limit that `x` does not exceed.
    fn below(x: f64, limits: Limits) -> Option<Self> {
        Self::of_count(limits.iter().filter(|limit| x <= **limit).count())
    }
}

/// The least of several; none where one is none.
fn least<const N: usize>(severities: [Option<Severity>; N]) -> Option<Severity> {
    severities.into_iter().min().flatten()
}

/// One advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Which rule: side and heuristic.
    pub rule: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The numbers.
    pub text: String,
    /// What to try.
    pub suggestion: &'static str,
}

/// What can be advised for a job of that class, most severe first.
#[must_use]
pub fn advise(trace: &Trace, job: &Job, class: Class) -> Vec<Advice> {
    let conf = trace.confs.get(&job.id).copied().unwrap_or_default();
    let block = conf.block_size();
    let [maps, reduces] = Side::BOTH.map(|side| Tasks::of(trace.tasks_of(job.id), side));
    let memory = |task_type, mb: Option<u32>| {
        let held = trace.memory.get(&(job.id, task_type)).filter(|m| m.attempts > 0)?;
        Some((held.sum_bytes as f64 / held.attempts as f64 / MIB, f64::from(mb?)))
    };
    let mut advice: Vec<Advice> = [
        data_skew("map-skew-data", &maps, block),
        time_skew("map-skew-time", &maps, class),
        data_skew("reduce-skew-data", &reduces, block),
        time_skew("reduce-skew-time", &reduces, class),
        gc("map-gc", &maps),
        gc("reduce-gc", &reduces),
        short("map-short", &maps),
        long("map-long", &maps),
        short("reduce-short", &reduces),
        long("reduce-long", &reduces),
        speed(&maps, block),
        spill(&maps),
        memory_use("map-memory", memory(TaskType::Map, conf.map_memory_mb)),
        memory_use("reduce-memory", memory(TaskType::Reduce, conf.reduce_memory_mb)),
        phase("shuffle", &reduces, |r| r.shuffle_ms, "Have reduces start later (mapreduce.job.reduce.slowstart.completedmaps), compress map output, or use a combiner."),
        phase("sort", &reduces, |r| r.sort_ms, "Give reduces more memory to merge in, or use a combiner so that there is less to sort."),
        cache(conf.cache_file_bytes),
        exception(trace, job),
        unended("map-unended", trace, job, Side::Map, class),
        unended("reduce-unended", trace, job, Side::Reduce, class),
    ]
    .into_iter()
    .flatten()
    .collect();
    advice.arrange_by(|a| std::cmp::Reverse(a.severity));
    advice
}

/// One attempt, as far as the rules ask.
struct Task {
    ms: f64,
    bytes: f64,
    shuffle_ms: Option<f64>,
    sort_ms: Option<f64>,
}

/// The attempts of one type of a job.
struct Tasks {
    side: Side,
    all: Vec<Task>,
    mean_ms: f64,
    spilled: f64,
    output_records: f64,
    cpu_ms: f64,
    gc_ms: f64,
}

impl Tasks {
    /// `None` where no attempt ended. Killed attempts say how long somebody let them run,
    /// so they do not count.
    fn of(tasks: &[TaskAttempt], side: Side) -> Option<Self> {
        let ended = || {
            let telling = |t: &&TaskAttempt| matches!(t.outcome, Some(Outcome::Success | Outcome::Failed));
            tasks.iter().filter(move |t| Side::of(t.task_type) == Some(side)).filter(telling)
        };
        let all: Vec<Task> = ended().filter_map(task).collect();
        let mean_ms = all.iter().map(|t| t.ms).sum::<f64>() / all.len().max(1) as f64;
        let sum = |of: fn(&TaskAttempt) -> Option<i64>| ended().filter_map(of).map(|n| n.max(0) as f64).sum::<f64>();
        // Garbage counts only where processor time does, too.
        let gc = |t: &TaskAttempt| t.counters.cpu_ms.get().and(t.counters.gc_ms.get());
        (!all.is_empty()).then(|| Self {
            side,
            mean_ms,
            all,
            spilled: sum(|t| t.counters.spilled_records.get()),
            output_records: sum(|t| t.counters.map_output_records.get()),
            cpu_ms: sum(|t| t.counters.cpu_ms.get()),
            gc_ms: sum(gc),
        })
    }

    fn count(&self) -> f64 {
        self.all.len() as f64
    }
}

fn task(t: &TaskAttempt) -> Option<Task> {
    let (start, finish) = (t.start?, t.finish?);
    let since = |from: Option<_>, to: Option<crate::base::Timestamp>| Some(to?.millis_since(from?).max(0) as f64);
    Some(Task {
        ms: finish.millis_since(start).max(0) as f64,
        bytes: t.bytes_in().unwrap_or(0).max(0) as f64,
        shuffle_ms: since(Some(start), t.shuffle_end),
        sort_ms: since(t.shuffle_end, t.sort_end),
    })
}

/// Two groups of numbers, split where the sum of squares within them is least.
struct Groups {
    low: (usize, f64),
    high: (usize, f64),
}

fn groups(values: impl Iterator<Item = f64>) -> Option<Groups> {
    let values = sorted(values);
    let n = values.len();
    let total: f64 = values.iter().sum();
    let mut best: Option<(f64, usize, f64)> = None;
    let mut below = 0.0;
    for (i, v) in values.iter().enumerate().take(n.saturating_sub(1)) {
        below += v;
        let (k, rest) = ((i + 1) as f64, (n - i - 1) as f64);
        // The sum of squares within is least where the one between is largest.
        let between = below * below / k + (total - below) * (total - below) / rest;
        if best.is_none_or(|(most, ..)| between > most) {
            best = Some((between, i + 1, below));
        }
    }
    let (_, k, below) = best?;
    Some(Groups { low: (k, below / k as f64), high: (n - k, (total - below) / (n - k) as f64) })
}

impl Groups {
    /// How far the means are apart, in means of the lower group, which is taken as 1 (byte
    /// or second) at least.
    fn deviation(&self) -> f64 {
        (self.high.1 - self.low.1) / self.low.1.max(1.0)
    }

    /// `4 maps took 90.0 s each, the other 60 10.0 s`.
    fn in_words(&self, tasks: &Tasks, took: &str, much: impl Fn(f64) -> String) -> String {
        let ((few, more), (others, less)) = (self.high, self.low);
        let tasks = counted(few as u64, tasks.side.name().trim_end_matches('s'));
        let each = if few == 1 { "" } else { " each" };
        format!("{tasks} {took} {}{each}, the other {others} {}", much(more), much(less))
    }
}

const BALANCE: &str = "Spread the keys (another partitioner, a salt for hot keys) or split the input into even parts.";
/// Where a node had the slow tasks, no other keys make them quick.
const MEND_NODE: &str = "Have the faulty node fixed before you change anything in the job.";

fn data_skew(rule: &'static str, tasks: &Option<Tasks>, block: f64) -> Option<Advice> {
    let tasks = tasks.as_ref()?;
    let g = groups(tasks.all.iter().map(|t| t.bytes))?;
    let severity = least([
        Severity::above(g.deviation(), SKEW_DEVIATION),
        Severity::above(g.high.1 / block, SKEW_BLOCKS),
        Severity::above(g.low.0 as f64, SKEW_TASKS),
    ])?;
    let text = g.in_words(tasks, "took in", |bytes| format!("{:.1} MB", bytes / 1e6));
    Some(Advice { rule, severity, text, suggestion: BALANCE })
}

fn time_skew(rule: &'static str, tasks: &Option<Tasks>, class: Class) -> Option<Advice> {
    let tasks = tasks.as_ref()?;
    let g = groups(tasks.all.iter().map(|t| t.ms / 1000.0))?;
    let severity =
        least([Severity::above(g.deviation(), SKEW_DEVIATION), Severity::above(g.low.0 as f64, SKEW_TASKS)])?;
    let text = g.in_words(tasks, "took", |seconds| format!("{seconds:.1} s"));
    let suggestion = if class == Class::Infrastructure { MEND_NODE } else { BALANCE };
    Some(Advice { rule, severity, text, suggestion })
}

fn gc(rule: &'static str, tasks: &Option<Tasks>) -> Option<Advice> {
    let tasks = tasks.as_ref().filter(|t| t.cpu_ms > 0.0)?;
    let share = tasks.gc_ms / tasks.cpu_ms;
    let severity = least([Severity::above(share, GC_SHARE), Severity::above(tasks.mean_ms / MINUTE_MS, GC_MINUTES)])?;
    let text = format!(
        "{:.1} % of the {}' processor time collected garbage, at {:.1} min each",
        100.0 * share,
        tasks.side.name(),
        tasks.mean_ms / MINUTE_MS
    );
    Some(Advice {
        rule,
        severity,
        text,
        suggestion: "Give the tasks more heap (mapred.child.java.opts, mapreduce.*.java.opts), or create fewer objects a record.",
    })
}

fn short(rule: &'static str, tasks: &Option<Tasks>) -> Option<Advice> {
    let tasks = tasks.as_ref()?;
    let minutes = tasks.mean_ms / MINUTE_MS;
    let severity = least([Severity::below(minutes, SHORT_MINUTES), Severity::above(tasks.count(), SHORT_TASKS)])?;
    let text =
        format!("{} {} of {:.0} s each: much of it is starting them", tasks.count(), tasks.side.name(), minutes * 60.0);
    let suggestion = match tasks.side {
        Side::Map => "Let each map read more: larger files, or several to a split (CombineFileInputFormat).",
        Side::Reduce => "Use fewer reduces.",
    };
    Some(Advice { rule, severity, text, suggestion })
}

fn long(rule: &'static str, tasks: &Option<Tasks>) -> Option<Advice> {
    let tasks = tasks.as_ref()?;
    let minutes = tasks.mean_ms / MINUTE_MS;
    let severity = Severity::above(minutes, LONG_MINUTES)?;
    let text = format!("{} {} of {minutes:.0} min each: a failure costs all of one", tasks.count(), tasks.side.name());
    let suggestion = match tasks.side {
        Side::Map => "Use smaller splits, so that there are more maps.",
        Side::Reduce => "Use more reduces.",
    };
    Some(Advice { rule, severity, text, suggestion })
}

fn speed(maps: &Option<Tasks>, block: f64) -> Option<Advice> {
    let maps = maps.as_ref()?;
    let per_second = |t: &Task| (t.ms > 0.0 && t.bytes > 0.0).then(|| t.bytes * 1000.0 / t.ms);
    let speed = median(&sorted(maps.all.iter().filter_map(per_second)))?;
    let minutes = median(&sorted(maps.all.iter().map(|t| t.ms / MINUTE_MS)))?;
    let severity = least([Severity::below(speed / block, SPEED_BLOCKS), Severity::above(minutes, SPEED_MINUTES)])?;
    let text = format!("maps read {:.2} MB/s, at {minutes:.1} min each", speed / 1e6);
    Some(Advice {
        rule: "map-speed",
        severity,
        text,
        suggestion: "The maps are bound by their own work: make it cheaper, or use smaller splits.",
    })
}

fn spill(maps: &Option<Tasks>) -> Option<Advice> {
    let maps = maps.as_ref().filter(|m| m.output_records > 0.0)?;
    let ratio = maps.spilled / maps.output_records;
    let severity = least([Severity::above(ratio, SPILL_RATIO), Severity::above(maps.count(), SPILL_TASKS)])?;
    let text = format!("spilled {ratio:.2} records for each record of output ({} maps)", maps.count());
    Some(Advice {
        rule: "map-spill",
        severity,
        text,
        suggestion: "Raise io.sort.mb (mapreduce.task.io.sort.mb) so that a map's output fits, or use a combiner.",
    })
}

fn memory_use(rule: &'static str, used: Option<(f64, f64)>) -> Option<Advice> {
    let (used_mb, container_mb) = used.filter(|(_, container)| *container > 0.0)?;
    let severity = least([
        Severity::below(used_mb / container_mb, MEMORY_USED),
        Severity::above(container_mb / CONTAINER_MB, MEMORY_CONTAINER),
    ])?;
    let text = format!("tasks used {used_mb:.0} MB of containers of {container_mb:.0} MB");
    Some(Advice {
        rule,
        severity,
        text,
        suggestion: "Ask for smaller containers (mapreduce.map.memory.mb, mapreduce.reduce.memory.mb), so that more run side by side.",
    })
}

fn phase(
    rule: &'static str,
    reduces: &Option<Tasks>,
    of: fn(&Task) -> Option<f64>,
    suggestion: &'static str,
) -> Option<Advice> {
    let reduces = reduces.as_ref()?;
    let both = |t: &Task| Some((of(t)?, t.ms - t.shuffle_ms? - t.sort_ms?));
    let times: Vec<(f64, f64)> = reduces.all.iter().filter_map(both).collect();
    let n = times.len().max(1) as f64;
    let ms = times.iter().map(|(ms, _)| ms).sum::<f64>() / n;
    let rest_ms = times.iter().map(|(_, rest)| rest.max(0.0)).sum::<f64>() / n;
    let ratio = 2.0 * ms / rest_ms.max(1.0);
    let severity = least([Severity::above(ratio, SHUFFLE_RATIO), Severity::above(ms / MINUTE_MS, SHUFFLE_MINUTES)])?;
    let text = format!(
        "reduces spent {:.1} min in {rule} and {:.1} min in their own work",
        ms / MINUTE_MS,
        rest_ms / MINUTE_MS
    );
    Some(Advice { rule, severity, text, suggestion })
}

/// A file that every node fetches before its first task.
fn cache(largest: Option<u64>) -> Option<Advice> {
    let bytes = largest.filter(|bytes| *bytes > CACHE_FILE_BYTES)?;
    Some(Advice {
        rule: "distributed-cache",
        severity: Severity::Critical,
        text: format!("a file of {:.0} MB goes to every node before its first task", bytes as f64 / 1e6),
        suggestion: "Put less into the distributed cache (mapreduce.job.cache.files): have tasks read large files from HDFS.",
    })
}

/// The error that most attempts of a failed job ended with.
fn exception(trace: &Trace, job: &Job) -> Option<Advice> {
    if job.status != crate::model::JobStatus::Failed {
        return None;
    }
    let mut errors: BTreeMap<&str, usize> = BTreeMap::new();
    for t in trace.tasks_of(job.id).iter().filter(|t| t.outcome == Some(Outcome::Failed)) {
        *errors.entry(t.error.as_deref().unwrap_or("no error text")).or_default() += 1;
    }
    let (error, count) = errors.into_iter().max_by_key(|(error, count)| (*count, std::cmp::Reverse(*error)))?;
    let text = format!("{} ended with: {error}", counted(count as u64, "attempt"));
    Some(Advice {
        rule: "exception",
        severity: Severity::Moderate,
        text,
        suggestion: "Read this error in the attempt's own log, and the input record that it stopped at.",
    })
}

#[cfg(test)]
mod tests;
