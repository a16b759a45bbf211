//! Each rule at its limits, with numbers worked by hand.

use super::*;
use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};
use crate::model::{Counters, JobConf, JobStatus, TaskMemory};

const JOB: JobId = JobId { cluster: 1, number: 1 };
const MB: i64 = 1 << 20;

pub(super) fn job(status: JobStatus) -> Job {
    Job::of(JOB, status)
}

pub(super) fn attempt(letter: TaskLetter, number: u32, ms: i64, counters: Counters) -> TaskAttempt {
    TaskAttempt {
        start: Some(Timestamp::from_millis(1000)),
        finish: Some(Timestamp::from_millis(1000 + ms)),
        outcome: Some(Outcome::Success),
        counters,
        ..TaskAttempt::of(
            AttemptId { job: JOB, letter, task: number, attempt: 0 },
            if letter == TaskLetter::Map { TaskType::Map } else { TaskType::Reduce },
            Place { file: FileId(0), line: 1 },
        )
    }
}

fn maps(n: u32, ms: i64, counters: Counters) -> Vec<TaskAttempt> {
    (0..n).map(|i| attempt(TaskLetter::Map, i, ms, counters)).collect()
}

fn trace(tasks: Vec<TaskAttempt>) -> Trace {
    Trace { tasks, ..Trace::default() }
}

fn said(trace: &Trace) -> Vec<(&'static str, Severity)> {
    advise(trace, &job(JobStatus::Success), Class::None).into_iter().map(|a| (a.rule, a.severity)).collect()
}

fn of(trace: &Trace, rule: &str) -> Option<Severity> {
    said(trace).into_iter().find(|(r, _)| *r == rule).map(|(_, severity)| severity)
}

const TWENTY_MINUTES: i64 = 20 * 60_000;

#[test]
fn job_without_attempts_is_not_advised() {
    assert_eq!(said(&trace(Vec::new())), []);
}

#[test]
fn severity_is_the_least_of_its_limits() {
    // 2.7 records a record is severe; the number of maps lowers it.
    let spilling =
        Counters { spilled_records: Some(27).into(), map_output_records: Some(10).into(), ..Counters::default() };
    let with = |n| of(&trace(maps(n, TWENTY_MINUTES, spilling)), "map-spill");
    assert_eq!(with(49), None);
    assert_eq!(with(50), Some(Severity::Low));
    assert_eq!(with(100), Some(Severity::Moderate));
    assert_eq!(with(1000), Some(Severity::Severe), "2.7 is below 3");
}

#[test]
fn spill_of_every_record_once_or_twice_is_ordinary() {
    let twice =
        Counters { spilled_records: Some(20).into(), map_output_records: Some(10).into(), ..Counters::default() };
    assert_eq!(of(&trace(maps(1000, TWENTY_MINUTES, twice)), "map-spill"), None);
}

#[test]
fn collection_of_garbage_by_processor_time() {
    let gc = |gc_ms, ms| {
        let counters = Counters { cpu_ms: Some(10_000).into(), gc_ms: Some(gc_ms).into(), ..Counters::default() };
        of(&trace(maps(3, ms, counters)), "map-gc")
    };
    assert_eq!(gc(99, TWENTY_MINUTES), None);
    assert_eq!(gc(100, TWENTY_MINUTES), Some(Severity::Low));
    assert_eq!(gc(400, TWENTY_MINUTES), Some(Severity::Critical));
    assert_eq!(gc(400, 10 * 60_000), Some(Severity::Moderate));
    assert_eq!(gc(400, 4 * 60_000), None);
    // 0.20 counts no processor time.
    let counters = Counters { gc_ms: Some(9_000).into(), ..Counters::default() };
    assert_eq!(of(&trace(maps(3, TWENTY_MINUTES, counters)), "map-gc"), None);
}

#[test]
fn short_tasks_matter_if_there_are_many() {
    assert_eq!(of(&trace(maps(1000, 60_000, Counters::default())), "map-short"), Some(Severity::Critical));
    assert_eq!(of(&trace(maps(499, 60_000, Counters::default())), "map-short"), Some(Severity::Moderate));
    assert_eq!(of(&trace(maps(1000, 9 * 60_000, Counters::default())), "map-short"), Some(Severity::Low));
    assert_eq!(of(&trace(maps(49, 60_000, Counters::default())), "map-short"), None);
}

#[test]
fn long_tasks_matter_alone() {
    assert_eq!(of(&trace(maps(1, 15 * 60_000, Counters::default())), "map-long"), Some(Severity::Low));
    assert_eq!(of(&trace(maps(1, 120 * 60_000, Counters::default())), "map-long"), Some(Severity::Critical));
    assert_eq!(of(&trace(maps(1, 14 * 60_000, Counters::default())), "map-long"), None);
}

#[test]
fn slow_reading_is_measured_in_blocks() {
    // 64 MB blocks: 1/8 of one a second is 8 MB/s; over 20 minutes 9600 MB.
    let at = |mb_per_s: i64| Counters { hdfs_read: Some(mb_per_s * MB * 20 * 60).into(), ..Counters::default() };
    assert_eq!(of(&trace(maps(2, TWENTY_MINUTES, at(8))), "map-speed"), Some(Severity::Severe));
    assert_eq!(of(&trace(maps(2, TWENTY_MINUTES, at(33))), "map-speed"), None);
    let mut small_blocks = trace(maps(2, TWENTY_MINUTES, at(8)));
    small_blocks.confs.insert(JOB, JobConf { block_bytes: Some(4 << 20), ..JobConf::default() });
    assert_eq!(of(&small_blocks, "map-speed"), None, "two blocks a second");
}

#[test]
fn one_task_apart_is_told_as_one() {
    let read = |mb: i64| Counters { hdfs_read: Some(mb * MB).into(), ..Counters::default() };
    let mut tasks = maps(60, 10_000, read(10));
    tasks.push(attempt(TaskLetter::Map, 60, 90_000, read(90)));
    let found = advise(&trace(tasks), &job(JobStatus::Success), Class::None);
    let text = |rule: &str| found.iter().find(|a| a.rule == rule).map(|a| a.text.as_str());
    assert_eq!(text("map-skew-data"), Some("1 map took in 94.4 MB, the other 60 10.5 MB"));
    assert_eq!(text("map-skew-time"), Some("1 map took 90.0 s, the other 60 10.0 s"));
}

#[test]
fn skew_splits_tasks_into_two_groups() {
    // 60 maps of 10 MB in 10 s, 4 of 90 MB in 90 s: eight times above, above one block.
    let mut tasks = maps(60, 10_000, Counters { hdfs_read: Some(10 * MB).into(), ..Counters::default() });
    tasks.extend((60..64).map(|i| {
        attempt(TaskLetter::Map, i, 90_000, Counters { hdfs_read: Some(90 * MB).into(), ..Counters::default() })
    }));
    let trace_of = trace(tasks);
    let found = advise(&trace_of, &job(JobStatus::Success), Class::None);
    let text = |rule: &str| found.iter().find(|a| a.rule == rule).map(|a| (a.severity, a.text.as_str()));
    assert_eq!(
        text("map-skew-data"),
        Some((Severity::Moderate, "4 maps took in 94.4 MB each, the other 60 10.5 MB")),
        "60 tasks make it moderate"
    );
    assert_eq!(text("map-skew-time"), Some((Severity::Moderate, "4 maps took 90.0 s each, the other 60 10.0 s")));
    // Where a node was slow, it is the node that is to be mended; what tasks took in stays the keys' affair.
    let suggested = |rule: &str| {
        let found = advise(&trace_of, &job(JobStatus::Success), Class::Infrastructure);
        found.into_iter().find(|a| a.rule == rule).map(|a| a.suggestion)
    };
    assert_eq!((suggested("map-skew-time"), suggested("map-skew-data")), (Some(MEND_NODE), Some(BALANCE)));
    assert_eq!(
        of(
            &trace(maps(64, 10_000, Counters { hdfs_read: Some(10 * MB).into(), ..Counters::default() })),
            "map-skew-data"
        ),
        None
    );
}

#[test]
fn memory_asked_for_and_not_used() {
    let with = |used_mb: u64, container: u32| {
        let mut t = trace(maps(1, 1000, Counters::default()));
        let memory = TaskMemory { attempts: 2, sum_bytes: (2 * used_mb) << 20, max_bytes: used_mb << 20 };
        t.memory.insert((JOB, TaskType::Map), memory);
        t.confs.insert(JOB, JobConf { map_memory_mb: Some(container), ..JobConf::default() });
        of(&t, "map-memory")
    };
    assert_eq!(with(1200, 4096), Some(Severity::Severe), "0.29 used is critical, two default containers severe");
    assert_eq!(with(3000, 4096), None);
    assert_eq!(with(600, 2048), None, "a default container is nothing to save on");
}

#[test]
fn large_files_of_the_distributed_cache_are_critical() {
    let with = |bytes| {
        let mut t = trace(Vec::new());
        t.confs.insert(JOB, JobConf { cache_file_bytes: bytes, ..JobConf::default() });
        of(&t, "distributed-cache")
    };
    assert_eq!([None, Some(500_000_000), Some(500_000_001)].map(with), [None, None, Some(Severity::Critical)]);
}

#[test]
fn shuffle_and_sort_against_the_reduces_own_work() {
    let reduce = |shuffle_min: i64, sort_min: i64, rest_min: i64| {
        let mut t = attempt(TaskLetter::Reduce, 0, (shuffle_min + sort_min + rest_min) * 60_000, Counters::default());
        let start = Timestamp::from_millis(1000);
        t.shuffle_end = Some(start.plus_millis(shuffle_min * 60_000));
        t.sort_end = Some(start.plus_millis((shuffle_min + sort_min) * 60_000));
        trace(vec![t])
    };
    // 2·6/3 = 4 is severe, 6 minutes are moderate.
    assert_eq!(of(&reduce(6, 0, 3), "shuffle"), Some(Severity::Moderate));
    assert_eq!(of(&reduce(6, 0, 13), "shuffle"), None);
    assert_eq!(of(&reduce(0, 40, 2), "sort"), Some(Severity::Critical));
}

#[test]
fn failed_job_is_told_its_commonest_error() {
    let mut tasks = maps(3, 1000, Counters::default());
    for (t, error) in tasks.iter_mut().zip(["java.lang.X: a", "java.lang.Y: b", "java.lang.Y: b"]) {
        (t.outcome, t.error) = (Some(Outcome::Failed), Some(error.into()));
    }
    let of_status =
        |status| advise(&trace(tasks.clone()), &job(status), Class::None).into_iter().find(|a| a.rule == "exception");
    let advice = of_status(JobStatus::Failed).unwrap();
    assert_eq!(advice.text, "2 attempts ended with: java.lang.Y: b");
    assert_eq!(advice.severity, Severity::Moderate);
    assert_eq!(of_status(JobStatus::Success), None);
}

#[test]
fn most_severe_comes_first() {
    let spilling =
        Counters { spilled_records: Some(30).into(), map_output_records: Some(10).into(), ..Counters::default() };
    let rules = said(&trace(maps(1000, 9 * 60_000, spilling)));
    assert_eq!(rules, [("map-spill", Severity::Critical), ("map-short", Severity::Low)]);
}
