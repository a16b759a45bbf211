//! What the events of a Spark application say, in Hadoop's terms (the table in
//! [`super::spark`]). Fields that a version lacks are unknown. Cost: O(event).

use super::history;
use crate::base::ids::number;
use crate::base::{AttemptId, JobId, TaskLetter, Timestamp};
use crate::model::{ComplaintKind, Counters, Outcome, Said, Subject};
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Room for the number of an application beside its cluster's digits, of which there are 14; the id of a later one is
/// as unknown as that of none.
const APPLICATIONS: u64 = 100_000;
/// Room for the tasks of a stage; Spark's own limit on a screen is 100,000.
const TASKS: u32 = 1_000_000;
/// Room for the attempts of a task in one attempt of its stage.
const ATTEMPTS: u32 = 1000;
/// Stages held: a bound for hostile input, above what a long streaming job has in one log.
const STAGES_HELD: usize = 1 << 20;

/// The number of the job of tasks whose job began in an earlier file and has not ended in this one: no application has
/// so many.
const UNKNOWN_JOB: u32 = u32::MAX;

/// What is known of a stage.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    job: Option<JobId>,
    /// Its place among the stages of its job.
    place: u32,
    /// Whether it reads another's shuffle; `None` before its job or it is announced.
    reads_shuffle: Option<bool>,
}

/// Tasks of a job by what they become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// Those of stages without parents.
    pub maps: u32,
    /// The others.
    pub reduces: u32,
}

/// An application in the middle of its log.
#[derive(Debug, Default)]
pub struct Application {
    cluster: u64,
    /// Its name.
    pub name: Option<Box<str>>,
    /// Who runs it.
    pub user: Option<Box<str>>,
    stages: BTreeMap<u32, Stage>,
}

/// A task's start or end.
#[derive(Clone, Debug)]
pub struct Task {
    stage: u32,
    stage_attempt: u32,
    index: u32,
    attempt: u32,
    executor: String,
    host: String,
    /// Begin.
    pub launch: Option<Timestamp>,
    /// End.
    pub finish: Option<Timestamp>,
    /// How it ended.
    pub outcome: Outcome,
    /// What went wrong.
    pub error: Option<String>,
}

impl Application {
    /// The application whose id stands in the file's path, if one does.
    pub fn of_path(path: &str) -> Self {
        let id = path.rsplit('/').find_map(|part| {
            ["application_", "app-", "local-"].iter().find_map(|begin| cluster_of(part.get(part.find(begin)?..)?))
        });
        Self { cluster: id.unwrap_or_default(), ..Self::default() }
    }

    /// `SparkListenerApplicationStart`.
    pub fn starts(&mut self, event: &Value) {
        self.cluster = text(event, "App ID").and_then(cluster_of).unwrap_or(self.cluster);
        self.name = text(event, "App Name").and_then(history::name);
        self.user = text(event, "User").and_then(history::name);
    }

    /// The job of an event.
    pub fn job(&self, event: &Value) -> Option<JobId> {
        Some(JobId { cluster: self.cluster, number: small(event, "Job ID")? })
    }

    /// The job under which tasks stand whose job is not known.
    pub const fn unknown_job(&self) -> JobId {
        JobId { cluster: self.cluster, number: UNKNOWN_JOB }
    }

    /// `SparkListenerJobStart`: its stages are this job's from now on, even if an earlier
    /// job had them, since stages whose output is still there do not run again.
    /// Without the plan where no stage tells its parents (before 1.3).
    pub fn job_starts(&mut self, event: &Value) -> Option<(JobId, Option<Planned>)> {
        let job = self.job(event)?;
        let mut ids: Vec<u32> =
            list(event, "Stage IDs").filter_map(Value::as_u64).filter_map(|n| n.try_into().ok()).collect();
        ids.sort_unstable();
        ids.dedup();
        for (place, id) in (0..).zip(&ids) {
            if self.stages.len() < STAGES_HELD || self.stages.contains_key(id) {
                let stage = self.stages.entry(*id).or_default();
                (stage.job, stage.place) = (Some(job), place);
                // Before 1.3 no stage tells its parents: the first of a job has none.
                stage.reads_shuffle = stage.reads_shuffle.or(Some(place > 0));
            }
        }
        let mut planned = Some(Planned::default());
        for info in list(event, "Stage Infos") {
            self.stage(info);
            let tasks = small(info, "Number of Tasks").unwrap_or_default();
            planned = planned.zip(reads_shuffle(info)).map(|(mut planned, reads)| {
                let side = if reads { &mut planned.reduces } else { &mut planned.maps };
                *side = side.saturating_add(tasks);
                planned
            });
        }
        Some((job, planned))
    }

    /// A `Stage Info`.
    pub fn stage(&mut self, info: &Value) {
        let Some(id) = small(info, "Stage ID") else { return };
        if self.stages.len() < STAGES_HELD || self.stages.contains_key(&id) {
            let stage = self.stages.entry(id).or_insert(Stage { place: id, ..Stage::default() });
            stage.reads_shuffle = reads_shuffle(info).or(stage.reads_shuffle);
        }
    }

    /// The attempt that a task is, and its host.
    pub fn attempt(&mut self, task: &Task) -> Option<(AttemptId, Option<Box<str>>)> {
        if self.stages.len() >= STAGES_HELD && !self.stages.contains_key(&task.stage) {
            return None;
        }
        let unknown_job = self.unknown_job();
        let unknown = Stage { place: task.stage, ..Stage::default() };
        let stage = self.stages.entry(task.stage).or_insert(unknown);
        let reduces = stage.reads_shuffle.unwrap_or_default();
        let attempt = AttemptId {
            job: stage.job.unwrap_or(unknown_job),
            letter: if reduces { TaskLetter::Reduce } else { TaskLetter::Map },
            task: stage.place.checked_mul(TASKS)?.checked_add(task.index).filter(|_| task.index < TASKS)?,
            attempt: task.stage_attempt.checked_mul(ATTEMPTS)?.checked_add(task.attempt)?,
        };
        Some((attempt, task.node()))
    }
}

impl Task {
    /// The host; on a loopback address, the executor.
    fn node(&self) -> Option<Box<str>> {
        let loopback = self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        if loopback && self.executor.bytes().all(|b| b.is_ascii_digit()) && !self.executor.is_empty() {
            return Some(format!("executor-{}", self.executor).into());
        }
        history::host_of(&self.host)
    }
}

/// The task of a `TaskStart` or `TaskEnd`.
pub fn task(event: &Value) -> Option<Task> {
    let info = event.get("Task Info")?;
    let reason = event.get("Task End Reason");
    let why = reason.and_then(|reason| text(reason, "Reason"));
    let flag = |name: &str| info.get(name).and_then(Value::as_bool).unwrap_or_default();
    let outcome = match why {
        Some("TaskKilled" | "TaskCommitDenied") => Outcome::Killed,
        _ if flag("Killed") => Outcome::Killed,
        Some("Success") => Outcome::Success,
        Some(_) => Outcome::Failed,
        None if flag("Failed") => Outcome::Failed,
        None => Outcome::Success,
    };
    let describe = || {
        let reason = reason?;
        let class = text(reason, "Class Name").map(|class| format!("{class}: ")).unwrap_or_default();
        let told = ["Description", "Loss Reason", "Message", "Kill Reason"].iter().find_map(|name| text(reason, name));
        Some(format!("{class}{}", told.or(why).unwrap_or_default()))
    };
    Some(Task {
        stage: small(event, "Stage ID")?,
        stage_attempt: small(event, "Stage Attempt ID").unwrap_or_default(),
        index: small(info, "Index")?,
        attempt: small(info, "Attempt").unwrap_or_default(),
        executor: text(info, "Executor ID").unwrap_or_default().to_owned(),
        host: text(info, "Host").unwrap_or_default().to_owned(),
        launch: time(info, "Launch Time"),
        finish: time(info, "Finish Time"),
        outcome,
        error: if outcome == Outcome::Success { None } else { describe() },
    })
}

/// The counters of a `TaskEnd`.
pub fn counters(event: &Value) -> Counters {
    let metrics = event.get("Task Metrics");
    let top = |name: &str| metrics?.get(name)?.as_i64();
    let part = |group: &str, name: &str| metrics?.get(group)?.get(name)?.as_i64();
    let read = |name: &str| part("Shuffle Read Metrics", name);
    let shuffle = match (read("Remote Bytes Read"), read("Local Bytes Read")) {
        (None, None) => None,
        (remote, local) => Some(remote.unwrap_or_default().saturating_add(local.unwrap_or_default())),
    };
    Counters {
        hdfs_read: part("Input Metrics", "Bytes Read").into(),
        hdfs_written: part("Output Metrics", "Bytes Written").into(),
        map_output: part("Shuffle Write Metrics", "Shuffle Bytes Written").into(),
        map_output_records: part("Shuffle Write Metrics", "Shuffle Records Written").into(),
        shuffle: shuffle.into(),
        cpu_ms: top("Executor CPU Time").map(|ns| ns / 1_000_000).into(),
        gc_ms: top("JVM GC Time").into(),
        ..Counters::default()
    }
}

/// What a failed task complains of.
pub fn complaint(event: &Value, attempt: AttemptId, host: Option<&str>) -> Option<Said> {
    let reason = event.get("Task End Reason")?;
    let (kind, host) = match text(reason, "Reason")? {
        "FetchFailed" => {
            let served = reason.get("Block Manager Address").and_then(|address| text(address, "Host"));
            (ComplaintKind::FetchFailed, served.and_then(history::host_of))
        }
        "ExecutorLostFailure" => (ComplaintKind::ContainerFailed, host.map(Into::into)),
        "ExceptionFailure" => (ComplaintKind::AttemptFailed, host.map(Into::into)),
        _ => return None,
    };
    Some(Said { of: host.map_or(Subject::Unsaid, Subject::Host), ..Said::of_attempt(kind, attempt) })
}

/// `NodeBlacklisted`, `NodeExcluded` and their relatives for one stage: when, and of whom.
pub fn excluded(name: &str, event: &Value) -> Option<(Timestamp, Said)> {
    if name.starts_with("NodeUn") {
        return None;
    }
    let host = text(event, "hostId").and_then(history::host_of)?;
    Some((time(event, "time")?, Said::new(ComplaintKind::Blacklisted, Subject::Host(host))))
}

/// Whether a stage has parents; `None` before 1.3, which does not say.
fn reads_shuffle(info: &Value) -> Option<bool> {
    info.get("Parent IDs")?.as_array().map(|parents| !parents.is_empty())
}

/// The digits of an application's id: `app-20261121021933-0000`, `local-1422981780767`,
/// `application_1516285256255_0012`.
fn cluster_of(id: &str) -> Option<u64> {
    let digits = id.get(id.find(|c: char| c.is_ascii_digit())?..)?.as_bytes();
    let (cluster, rest) = number(digits)?;
    let number = match rest {
        [b'_' | b'-', rest @ ..] => number(rest).map_or(0, |(n, _)| n),
        _ => 0,
    };
    let joined = cluster.checked_mul(APPLICATIONS)?.checked_add(number)?;
    (number < APPLICATIONS && joined & JobId::LOCAL == 0).then_some(joined)
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

fn small(value: &Value, name: &str) -> Option<u32> {
    u32::try_from(value.get(name)?.as_u64()?).ok()
}

fn list<'a>(value: &'a Value, name: &str) -> impl Iterator<Item = &'a Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// A time in epoch milliseconds; 0 stands for "not yet".
pub fn time(value: &Value, name: &str) -> Option<Timestamp> {
    history::time(value.get(name)?.as_i64()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_of_all_masters_have_ids() {
        assert_eq!(cluster_of("app-20261121021933-0007"), Some(2_026_112_102_193_300_007));
        assert_eq!(cluster_of("application_1516285256255_0012"), Some(151_628_525_625_500_012));
        assert_eq!(cluster_of("application_1516285256255_10012"), Some(151_628_525_625_510_012));
        assert_eq!(cluster_of("application_1516285256255_100012"), None, "it is not the 12th");
        assert_eq!(cluster_of("local-1422981780767"), Some(142_298_178_076_700_000));
        assert_eq!(cluster_of("driver"), None);
        assert_eq!(cluster_of("app-18446744073709551615-1"), None);
    }

    #[test]
    fn killed_and_denied_tasks_have_not_failed() {
        let outcome = |reason: &str| {
            let text = format!(
                "{{\"Stage ID\":0,\"Task End Reason\":{{\"Reason\":\"{reason}\"}},\"Task Info\":{{\"Index\":0}}}}"
            );
            serde_json::from_str::<Value>(&text).ok().and_then(|event| task(&event)).map(|task| task.outcome)
        };
        assert_eq!(outcome("Success"), Some(Outcome::Success));
        assert_eq!(outcome("TaskKilled"), Some(Outcome::Killed));
        assert_eq!(outcome("TaskCommitDenied"), Some(Outcome::Killed));
        assert_eq!(outcome("ExceptionFailure"), Some(Outcome::Failed));
    }
}
