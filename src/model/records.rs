//! What records of histories and labels hold, and the words in which events say how something went.

use super::Counters;
use super::StateKind;
use crate::base::{AttemptId, JobId, Timestamp};
use serde::{Deserialize, Serialize};

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// It did what it should.
    Success,
    /// It ended in an error.
    Failed,
    /// It was stopped by somebody: speculation, user, job's end.
    Killed,
}

impl Outcome {
    /// All of them, in order, by which reports number them.
    pub const ALL: [Self; 3] = [Self::Success, Self::Failed, Self::Killed];

    /// `success`, `failed` or `killed`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Killed => "killed",
        }
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TaskType {
    /// MAP.
    Map,
    /// REDUCE.
    Reduce,
    /// SETUP or JOB_SETUP.
    Setup,
    /// CLEANUP or JOB_CLEANUP.
    Cleanup,
    /// TASK_CLEANUP: clearing up after a failed or killed attempt.
    TaskCleanup,
}

impl TaskType {
    /// The state of an attempt as a whole.
    #[must_use]
    pub const fn state_kind(self) -> StateKind {
        match self {
            Self::Map => StateKind::Map,
            Self::Reduce => StateKind::Reduce,
            Self::Setup => StateKind::Setup,
            Self::Cleanup => StateKind::Cleanup,
            Self::TaskCleanup => StateKind::TaskCleanup,
        }
    }

    /// As `extract tasks` prints it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "MAP",
            Self::Reduce => "REDUCE",
            Self::Setup => "SETUP",
            Self::Cleanup => "CLEANUP",
            Self::TaskCleanup => "TASK_CLEANUP",
        }
    }
}

/// Part of a task that a progress line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// `reduce > copy`
    Copy,
    /// `reduce > sort`
    Sort,
    /// `reduce > reduce`
    Reduce,
    /// `setup`: the attempt is a job's set-up.
    Setup,
    /// `cleanup`: the attempt is a job's clean-up.
    Cleanup,
    /// Any other: a map's split, what a job writes there itself, or nothing.
    Other,
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum JobStatus {
    /// No end seen.
    Running,
    /// SUCCESS / SUCCEEDED.
    Success,
    /// FAILED / ERROR.
    Failed,
    /// KILLED.
    Killed,
}

impl JobStatus {
    /// All of them, in order, by which reports number them.
    pub const ALL: [Self; 4] = [Self::Running, Self::Success, Self::Failed, Self::Killed];

    /// `success`, `failed`, `killed` or `running`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Killed => "killed",
        }
    }
}

/// All that one history file says of one attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// Which attempt.
    pub attempt: AttemptId,
    /// What the history calls its task.
    pub task_type: TaskType,
    /// Host as the history names it, rack and `tracker_` cut off: from the end record,
    /// else from the tracker's name of the start record.
    pub host: Option<Box<str>>,
    /// START_TIME; `None` where absent or 0 (it never started).
    pub start: Option<Timestamp>,
    /// SHUFFLE_FINISHED of a reduce.
    pub shuffle_end: Option<Timestamp>,
    /// SORT_FINISHED of a reduce.
    pub sort_end: Option<Timestamp>,
    /// FINISH_TIME.
    pub finish: Option<Timestamp>,
    /// How it ended; `None` while it runs or where the record was cut.
    pub outcome: Option<Outcome>,
    /// The counters kept.
    pub counters: Counters,
    /// First line of its error text, at most 200 bytes.
    pub error: Option<Box<str>>,
    /// Line of its start record, 0 if none.
    pub start_line: u64,
}

/// All that one history file says of one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Which job.
    pub job: JobId,
    /// JOBNAME.
    pub name: Option<Box<str>>,
    /// USER.
    pub user: Option<Box<str>>,
    /// SUBMIT_TIME.
    pub submit: Option<Timestamp>,
    /// LAUNCH_TIME.
    pub launch: Option<Timestamp>,
    /// FINISH_TIME.
    pub finish: Option<Timestamp>,
    /// Last status that is an end, else running.
    pub status: JobStatus,
    /// TOTAL_MAPS.
    pub maps: Option<u32>,
    /// TOTAL_REDUCES.
    pub reduces: Option<u32>,
}

impl JobRecord {
    /// Of a job of which no more is known.
    #[must_use]
    pub const fn with_status(job: JobId, status: JobStatus) -> Self {
        let (submit, launch, finish) = (None, None, None);
        Self { job, name: None, user: None, submit, launch, finish, status, maps: None, reduces: None }
    }

    /// Whether it tells the end alone.
    #[must_use]
    pub const fn is_end_alone(&self) -> bool {
        self.submit.is_none() && self.launch.is_none() && self.finish.is_none() && self.name.is_none()
    }
}

/// What a JobTracker's history says of the time of one task, in the JobTracker's clock
/// (the attempts' times are in their trackers').
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// An attempt's id stands for its task; the attempt's number is 0.
    pub task: AttemptId,
    /// START_TIME.
    pub start: Option<Timestamp>,
    /// FINISH_TIME.
    pub finish: Option<Timestamp>,
}

/// A step of a container as the ResourceManager sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ContainerStep {
    /// ALLOCATED to ACQUIRED: its ApplicationMaster has it.
    Acquired,
    /// ACQUIRED to RUNNING: its NodeManager says that it has begun.
    Running,
    /// RUNNING to COMPLETED: its NodeManager says that it is over.
    Completed,
}

/// A run's label: an object of `truth.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Name of the run.
    pub run: Box<str>,
    /// What the jobs did.
    pub workload: Box<str>,
    /// What was wrong; `none` for controls.
    pub fault: Box<str>,
    /// The faulty node; of several, their names with commas between them.
    pub node: Option<Box<str>>,
    /// Begin, where it is said; milliseconds since 1970, UTC.
    pub begin_ms: Option<i64>,
    /// End, likewise.
    pub end_ms: Option<i64>,
}

/// Memory of a job's attempts of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskMemory {
    /// Attempts that counted it.
    pub attempts: u64,
    /// Sum over them.
    pub sum_bytes: u64,
    /// The most of any.
    pub max_bytes: u64,
}

impl TaskMemory {
    /// Adds that of other attempts.
    pub fn add(&mut self, other: &Self) {
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.sum_bytes = self.sum_bytes.saturating_add(other.sum_bytes);
        self.max_bytes = self.max_bytes.max(other.max_bytes);
    }
}
