//! What all job histories together say of attempts and jobs.

use crate::base::{AttemptId, JobId, Place, Timestamp};
use crate::model::{AttemptRecord, Event, JobConf, JobRecord, JobStatus, TaskMemory, TaskRecord, TaskType};
use crate::states::Input;
use std::collections::BTreeMap;

/// Formats that tell of attempts and jobs, the fullest first: the last sum jobs up.
pub const FORMATS: [&str; 8] =
    ["jobhistory-v1", "jhist", "rumen-trace", "spark-events", "job-conf", "job-summary", "jobtracker", "historyserver"];

/// What all histories say, one record an attempt and a job.
#[derive(Default)]
pub struct Histories {
    pub(super) attempts: BTreeMap<AttemptId, (AttemptRecord, Place)>,
    pub(super) jobs: BTreeMap<JobId, JobRecord>,
    tasks: BTreeMap<AttemptId, TaskRecord>,
    pub(super) confs: BTreeMap<JobId, JobConf>,
    pub(super) queues: BTreeMap<JobId, Box<str>>,
    pub(super) memory: BTreeMap<(JobId, TaskType), TaskMemory>,
}

impl Histories {
    /// Reads the history files, and the masters' sums. Where two tell of one attempt (a copy in the staging
    /// folder, an edited duplicate) each gap of the first is filled from the second.
    pub fn read(input: &Input<'_>) -> Self {
        let mut histories = Self::default();
        for file in FORMATS.iter().flat_map(|format| input.files_of(format)) {
            for row in input.rows(file) {
                match row.event {
                    Event::Attempt(record) => histories.add_attempt(*record, file.place(row.line)),
                    Event::Job(record) => histories.add_job(*record),
                    Event::Task(record) => {
                        let held = histories.tasks.entry(record.task).or_insert(record);
                        held.start = held.start.or(record.start);
                        held.finish = held.finish.or(record.finish);
                    }
                    Event::JobQueue { job, queue } => {
                        histories.queues.entry(job).or_insert(queue);
                    }
                    Event::JobMemory { job, task_type, memory } => {
                        // A second history of the job counts the same attempts again.
                        let held = histories.memory.entry((job, task_type)).or_default();
                        if memory.attempts > held.attempts {
                            *held = memory;
                        }
                    }
                    Event::JobConf { job, conf } => histories.confs.entry(job).or_default().or(&conf),
                    _ => {}
                }
            }
        }
        histories
    }

    fn add_attempt(&mut self, new: AttemptRecord, place: Place) {
        let (mut best, rest) = match self.attempts.remove(&new.attempt) {
            None => ((new, place), None),
            Some(old) if old.0.finish.is_none() && new.finish.is_some() => ((new, place), Some(old.0)),
            Some(old) => (old, Some(new)),
        };
        if let Some(rest) = rest {
            let record = &mut best.0;
            record.host = record.host.take().or(rest.host);
            record.start = record.start.or(rest.start);
            record.shuffle_end = record.shuffle_end.or(rest.shuffle_end);
            record.sort_end = record.sort_end.or(rest.sort_end);
            record.finish = record.finish.or(rest.finish);
            record.outcome = record.outcome.or(rest.outcome);
            record.error = record.error.take().or(rest.error);
        }
        self.attempts.insert(best.0.attempt, best);
    }

    fn add_job(&mut self, new: JobRecord) {
        let Some(old) = self.jobs.get_mut(&new.job) else {
            self.jobs.insert(new.job, new);
            return;
        };
        old.name = old.name.take().or(new.name);
        old.user = old.user.take().or(new.user);
        old.submit = old.submit.or(new.submit);
        old.launch = old.launch.or(new.launch);
        old.finish = old.finish.or(new.finish);
        old.maps = old.maps.or(new.maps);
        old.reduces = old.reduces.or(new.reduces);
        if old.status == JobStatus::Running {
            old.status = new.status;
        }
    }

    /// Finish of every job that has one.
    pub fn finishes(&self) -> BTreeMap<JobId, Timestamp> {
        self.jobs.values().filter_map(|j| Some((j.job, j.finish?))).collect()
    }

    /// All attempts.
    pub fn attempts(&self) -> impl Iterator<Item = (AttemptId, &AttemptRecord)> {
        self.attempts.iter().map(|(id, (record, _))| (*id, record))
    }

    /// The task of an attempt by its JobTracker's clock.
    pub fn task_of(&self, attempt: AttemptId) -> Option<TaskRecord> {
        self.tasks.get(&AttemptId { attempt: 0, ..attempt }).copied()
    }

    /// The host on which the history says that an attempt ran.
    pub fn host_of(&self, attempt: AttemptId) -> Option<&str> {
        self.attempts.get(&attempt)?.0.host.as_deref()
    }
}
