//! What all job histories together say of attempts and jobs.

use super::told::{Attempts, HistoryAttempt};
use crate::base::{AttemptId, Gathered, JobId, Timestamp};
use crate::model::{Event, JobConf, JobRecord, JobStatus, TaskMemory, TaskRecord, TaskType, Topic, formats};
use crate::states::{FileView, Input};
use std::collections::BTreeMap;

/// Whose logs tell how jobs ended, the fullest first.
const APPLICATIONS: [&str; 2] = [formats::RESOURCEMANAGER, formats::AM_SYSLOG];

/// Formats that tell of attempts and jobs, the fullest first: the last sum jobs up.
pub const FORMATS: [&str; 8] = [
    formats::JOBHISTORY_V1,
    formats::JHIST,
    formats::RUMEN_TRACE,
    formats::SPARK_EVENTS,
    formats::JOB_CONF,
    formats::JOB_SUMMARY,
    formats::JOBTRACKER,
    formats::HISTORYSERVER,
];

/// What all histories say, one record an attempt and a job.
#[derive(Default)]
pub struct Histories {
    pub(super) attempts: Attempts,
    pub(super) jobs: BTreeMap<JobId, JobRecord>,
    /// What masters' logs say of jobs: of those that no history tells of, but logs of their tasks do.
    pub(super) applications: BTreeMap<JobId, JobRecord>,
    tasks: BTreeMap<AttemptId, TaskRecord>,
    pub(super) confs: BTreeMap<JobId, JobConf>,
    pub(super) queues: BTreeMap<JobId, Box<str>>,
    pub(super) memory: BTreeMap<(JobId, TaskType), TaskMemory>,
}

impl Histories {
    /// Reads the history files, and the masters' sums. Where two tell of one attempt (a copy in the staging
    /// folder, an edited duplicate) each gap of the first is filled from the second.
    #[inline(never)]
    pub fn read(input: &Input<'_>) -> Self {
        let mut histories = Self::default();
        let mut told: Vec<HistoryAttempt> = Vec::new();
        // A JobTracker's words of an end count less than what sums a job up.
        let mut ends: Vec<JobRecord> = Vec::new();
        // Of millions, doubling takes three times the room. A digest may lie about its rows, so
        // what is not to be had is not insisted on.
        let rows = |file: &FileView<'_>| {
            let events = &file.digest.events;
            events.len_of(Topic::Summaries).min(events.bytes() as u64)
        };
        let most: u64 = FORMATS.iter().flat_map(|format| input.files_of(format)).map(rows).sum();
        let _ = told.try_reserve_exact(usize::try_from(most).unwrap_or(0));
        for file in FORMATS.iter().flat_map(|format| input.files_of(format)) {
            histories.take(input, file, &mut told, &mut ends);
        }
        for file in APPLICATIONS.iter().flat_map(|format| input.files_of(format)) {
            for row in input.about(file, Topic::Summaries) {
                if let Event::Job(record) = row.event {
                    histories.add_application(*record);
                }
            }
        }
        ends.into_iter().for_each(|end| histories.add_application(end));
        told.shrink_to_fit();
        histories.attempts = Attempts::of(told);
        histories
    }

    /// Takes what one file says; its attempts go to `told`.
    #[inline(never)]
    fn take(
        &mut self,
        input: &Input<'_>,
        file: &FileView<'_>,
        told: &mut Vec<HistoryAttempt>,
        ends: &mut Vec<JobRecord>,
    ) {
        for row in input.about(file, Topic::Summaries) {
            match row.event {
                Event::Attempt(record) => {
                    let node = record.host.as_deref().and_then(|host| input.node_named(host));
                    told.push(HistoryAttempt::new(*record, node, file.place(row.line)));
                }
                Event::Job(record) if record.is_end_alone() => ends.push(*record),
                Event::Job(record) => self.add_job(*record),
                Event::Task(record) => {
                    let held = self.tasks.entry(record.task).or_insert(record);
                    held.start = held.start.or(record.start);
                    held.finish = held.finish.or(record.finish);
                }
                Event::JobQueue { job, queue } => {
                    self.queues.entry(job).or_insert(queue);
                }
                Event::JobMemory { job, task_type, memory } => {
                    // A second history of the job counts the same attempts again.
                    let held = self.memory.entry((job, task_type)).or_default();
                    if memory.attempts > held.attempts {
                        *held = memory;
                    }
                }
                Event::JobConf { job, conf } => self.confs.entry(job).or_default().or(&conf),
                Event::CacheFile { job, bytes } => {
                    let held = &mut self.confs.entry(job).or_default().cache_file_bytes;
                    *held = Some(bytes).max(*held);
                }
                _ => {}
            }
        }
    }

    fn add_job(&mut self, new: JobRecord) {
        add(&mut self.jobs, new);
    }

    /// A history that was cut, or is still written, does not tell how its job ended.
    fn add_application(&mut self, new: JobRecord) {
        match self.jobs.get_mut(&new.job) {
            Some(old) if old.status == JobStatus::Running => {
                old.status = new.status;
                old.finish = old.finish.or(new.finish);
            }
            Some(_) => {}
            None => add(&mut self.applications, new),
        }
    }

    /// Finish of every job that has one.
    pub fn finishes(&self) -> BTreeMap<JobId, Timestamp> {
        self.jobs.values().filter_map(|j| Some((j.job, j.finish?))).gathered()
    }

    /// All attempts.
    pub fn attempts(&self) -> impl Iterator<Item = &HistoryAttempt> {
        self.attempts.iter()
    }

    /// The task of an attempt by its JobTracker's clock.
    pub fn task_of(&self, attempt: AttemptId) -> Option<TaskRecord> {
        self.tasks.get(&attempt.first()).copied()
    }
}

/// Fills what is not known of a job yet.
fn add(jobs: &mut BTreeMap<JobId, JobRecord>, new: JobRecord) {
    let Some(old) = jobs.get_mut(&new.job) else {
        jobs.insert(new.job, new);
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
