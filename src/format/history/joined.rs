//! Joins what the records of a history file say of each attempt and each job.
//!
//! ```text
//! start record of ATT ─┐
//! end record of ATT  ──┴─► Event::Attempt     submitted, launched, status, finished ─► Event::Job
//! ```
//! A second end record of an attempt replaces the first: a map that succeeded is written
//! again as KILLED when its tracker is lost, and Hadoop's own readers keep the last.
//! Cost: O(log attempts) a record; attempts and jobs are held until the end of the file, or until
//! there are 200 000 and 65 536 of them.

use super::{first_line, host_of};
use crate::base::{Arrange, AttemptId, JobId, TaskLetter, Timestamp};
use crate::format::Out;
use crate::model::{
    AttemptRecord, ComplaintKind, Counters, Event, JobRecord, JobStatus, Outcome, Said, TaskMemory, TaskRecord,
    TaskType,
};
use std::collections::{BTreeMap, BTreeSet};

/// Attempts held before those that have ended are given out, or all where most have not, and tasks held before all are:
/// 60 MB, ten times the largest job known to us.
const ATTEMPTS_HELD: usize = 200_000;
/// Jobs held before they are given out, and those whose memory is summed up: a history has one, a trace of Rumen's some
/// ten thousand.
const JOBS_HELD: usize = 1 << 16;
/// Hosts whose racks are held: more than any cluster has; a bound for hostile input.
const RACKS_HELD: usize = 1 << 16;

/// What one record says of an attempt; what it does not say is `None`.
#[derive(Clone, Debug, Default)]
pub struct AttemptPart {
    /// It is the record of the begin, even if that has no time.
    pub begins: bool,
    /// What its task is called.
    pub task_type: Option<TaskType>,
    /// Host of an end record.
    pub host: Option<Box<str>>,
    /// Host in the tracker's name of a start record.
    pub tracker: Option<Box<str>>,
    /// Begin.
    pub start: Option<Timestamp>,
    /// End of the shuffle.
    pub shuffle_end: Option<Timestamp>,
    /// End of the sort.
    pub sort_end: Option<Timestamp>,
    /// End.
    pub finish: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Counters.
    pub counters: Option<Counters>,
    /// PHYSICAL_MEMORY_BYTES.
    pub memory: Option<u64>,
    /// Error text, first line.
    pub error: Option<Box<str>>,
    /// What the whole of it complains of.
    pub complaint: Option<ComplaintKind>,
}

impl AttemptPart {
    /// Takes the text of an error.
    pub fn fail(&mut self, text: &str) {
        self.error = first_line(text);
        let of_error = || ComplaintKind::of_error(text.as_bytes()).unwrap_or(ComplaintKind::AttemptFailed);
        self.complaint = self.error.is_some().then(of_error);
    }

    /// What it complains of. Who is killed is so for others' sake, unless its node went away.
    fn complains(&self) -> Option<ComplaintKind> {
        self.complaint.filter(|kind| match self.outcome {
            Some(Outcome::Failed) => true,
            Some(Outcome::Killed) => *kind == ComplaintKind::LostNode,
            _ => false,
        })
    }
}

/// What one record says of a job.
#[derive(Clone, Debug, Default)]
pub struct JobPart {
    /// Its name.
    pub name: Option<Box<str>>,
    /// Its user.
    pub user: Option<Box<str>>,
    /// Submitted.
    pub submit: Option<Timestamp>,
    /// Launched.
    pub launch: Option<Timestamp>,
    /// Finished.
    pub finish: Option<Timestamp>,
    /// Its end, if it is one.
    pub status: Option<JobStatus>,
    /// Number of maps.
    pub maps: Option<u32>,
    /// Number of reduces.
    pub reduces: Option<u32>,
    /// Its queue.
    pub queue: Option<Box<str>>,
}

#[derive(Debug)]
struct HeldAttempt {
    record: AttemptRecord,
    tracker: Option<Box<str>>,
    /// PHYSICAL_MEMORY_BYTES.
    memory: Option<u64>,
    line: u64,
}

#[derive(Debug)]
struct HeldJob {
    record: JobRecord,
    line: u64,
}

/// The attempts and jobs of one history file.
#[derive(Debug, Default)]
pub struct Joined {
    attempts: BTreeMap<AttemptId, HeldAttempt>,
    jobs: BTreeMap<JobId, HeldJob>,
    tasks: BTreeMap<AttemptId, (TaskRecord, u64)>,
    /// Hosts and their racks.
    racks: BTreeSet<(Box<str>, Box<str>)>,
    queues: BTreeMap<JobId, Box<str>>,
    memory: BTreeMap<(JobId, TaskType), TaskMemory>,
}

impl Joined {
    /// Adds what the record at `line` says of the time of a task. Only a JobTracker's
    /// tasks are kept: in a later history all times are of one clock.
    pub fn task(
        &mut self,
        task: AttemptId,
        (start, finish): (Option<Timestamp>, Option<Timestamp>),
        line: u64,
        out: &mut Out<'_>,
    ) {
        if !task.job.is_dated() {
            return;
        }
        if self.tasks.len() >= ATTEMPTS_HELD && !self.tasks.contains_key(&task) {
            let rows = self.rows_of_tasks();
            give_out(rows, out);
        }
        let held = self.tasks.entry(task).or_insert((TaskRecord { task, start: None, finish: None }, line));
        set(&mut held.0.start, start);
        set(&mut held.0.finish, finish);
        held.1 = line;
    }

    /// Adds what the record at `line` says of an attempt.
    pub fn attempt(&mut self, attempt: AttemptId, part: AttemptPart, line: u64, out: &mut Out<'_>) {
        for at in [part.start, part.finish].into_iter().flatten() {
            out.time(at);
        }
        if let (Some(kind), Some(at)) = (part.complains(), part.finish) {
            out.event(line, at, &Event::Complaint(Box::new(Said::of_attempt(kind, attempt))));
        }
        if self.attempts.len() >= ATTEMPTS_HELD && !self.attempts.contains_key(&attempt) {
            self.make_room(out);
        }
        let held = self.attempts.entry(attempt).or_insert_with(|| HeldAttempt {
            record: AttemptRecord {
                attempt,
                task_type: if attempt.letter == TaskLetter::Reduce { TaskType::Reduce } else { TaskType::Map },
                host: None,
                start: None,
                shuffle_end: None,
                sort_end: None,
                finish: None,
                outcome: None,
                counters: Counters::default(),
                error: None,
                start_line: 0,
            },
            tracker: None,
            memory: None,
            line,
        });
        let record = &mut held.record;
        if part.begins {
            record.start_line = line;
        }
        set(&mut record.host, part.host);
        set(&mut record.start, part.start);
        set(&mut record.shuffle_end, part.shuffle_end);
        set(&mut record.sort_end, part.sort_end);
        set(&mut record.finish, part.finish);
        set(&mut record.outcome, part.outcome);
        set(&mut record.error, part.error);
        set(&mut held.tracker, part.tracker);
        if let Some(task_type) = part.task_type {
            record.task_type = task_type;
        }
        if let Some(counters) = part.counters {
            record.counters = counters;
        }
        // A task that never ran counts 0.
        set(&mut held.memory, part.memory.filter(|bytes| *bytes > 0));
        held.line = held.line.max(line);
    }

    /// Adds what the record at `line` says of a job.
    pub fn job(&mut self, job: JobId, part: JobPart, line: u64, out: &mut Out<'_>) {
        for at in [part.submit, part.launch, part.finish].into_iter().flatten() {
            out.time(at);
        }
        if self.jobs.len() >= JOBS_HELD && !self.jobs.contains_key(&job) {
            let rows = self.rows_of_jobs(out);
            give_out(rows, out);
        }
        if let Some(queue) = part.queue {
            self.queues.insert(job, queue);
        }
        let held = self
            .jobs
            .entry(job)
            .or_insert_with(|| HeldJob { record: JobRecord::with_status(job, JobStatus::Running), line });
        let record = &mut held.record;
        set(&mut record.name, part.name);
        set(&mut record.user, part.user);
        set(&mut record.submit, part.submit);
        set(&mut record.launch, part.launch);
        set(&mut record.finish, part.finish);
        set(&mut record.maps, part.maps);
        set(&mut record.reduces, part.reduces);
        if let Some(status) = part.status {
            record.status = status;
        }
        held.line = held.line.max(line);
    }

    /// Whether anything was said of a job.
    pub fn knows(&self, job: JobId) -> bool {
        self.jobs.contains_key(&job)
    }

    /// Gives the attempts of `from` to the job whose they turn out to be.
    pub fn rename(&mut self, from: JobId, to: JobId) {
        let first = AttemptId { job: from, letter: TaskLetter::Map, task: 0, attempt: 0 };
        let last = AttemptId { job: from, letter: TaskLetter::Cleanup, task: u32::MAX, attempt: u32::MAX };
        let moved: Vec<_> = self.attempts.extract_if(first..=last, |_, _| true).collect();
        for (attempt, mut held) in moved {
            held.record.attempt = AttemptId { job: to, ..attempt };
            self.attempts.entry(held.record.attempt).or_insert(held);
        }
    }

    /// Notes the rack in a host's path: `/default-rack/h101`.
    pub fn rack(&mut self, path: &str) {
        let Some((rack, host)) = path.rsplit_once('/').filter(|(rack, _)| rack.len() > 1 && rack.starts_with('/'))
        else {
            return;
        };
        if let Some(host) = host_of(host)
            && self.racks.len() < RACKS_HELD
        {
            self.racks.insert((host, rack.into()));
        }
    }

    /// Gives everything out, in the order of the last records.
    pub fn end(&mut self, out: &mut Out<'_>) {
        for (host, rack) in std::mem::take(&mut self.racks) {
            out.event(0, Timestamp::default(), &Event::Rack { host, rack });
        }
        let jobs = self.rows_of_jobs(out);
        let attempts = std::mem::take(&mut self.attempts);
        let mut rows = self.rows_of(attempts);
        for ((job, task_type), memory) in std::mem::take(&mut self.memory) {
            out.event(0, Timestamp::default(), &Event::JobMemory { job, task_type, memory });
        }
        rows.extend(jobs);
        rows.extend(self.rows_of_tasks());
        give_out(rows, out);
    }

    /// The rows of all tasks held: what comes later of one is another row of it.
    fn rows_of_tasks(&mut self) -> Vec<Held> {
        let row = |(record, line): (TaskRecord, u64)| {
            (line, record.finish.or(record.start).unwrap_or_default(), Event::Task(record))
        };
        std::mem::take(&mut self.tasks).into_values().map(row).collect()
    }

    /// The rows of all jobs held, after their queues: what comes later of one is another row of it.
    fn rows_of_jobs(&mut self, out: &mut Out<'_>) -> Vec<Held> {
        for (job, queue) in std::mem::take(&mut self.queues) {
            out.event(0, Timestamp::default(), &Event::JobQueue { job, queue });
        }
        let row = |HeldJob { record, line }| {
            let at = record.finish.or(record.launch).or(record.submit).unwrap_or_default();
            (line, at, Event::Job(Box::new(record)))
        };
        std::mem::take(&mut self.jobs).into_values().map(row).collect()
    }

    /// The rows of attempts of which no more is awaited; their memory is added to their job's.
    fn rows_of(&mut self, attempts: BTreeMap<AttemptId, HeldAttempt>) -> Vec<Held> {
        let row = |held: HeldAttempt| {
            let mut record = held.record;
            if let Some(bytes) = held.memory {
                let of = (record.attempt.job, record.task_type);
                if self.memory.len() < JOBS_HELD || self.memory.contains_key(&of) {
                    let sum = self.memory.entry(of).or_default();
                    sum.add(&TaskMemory { attempts: 1, sum_bytes: bytes, max_bytes: bytes });
                }
            }
            record.host = record.host.or(held.tracker);
            let at = record.finish.or(record.start).unwrap_or_default();
            (held.line, at, Event::Attempt(Box::new(record)))
        };
        attempts.into_values().map(row).collect()
    }

    /// Gives out the attempts that have ended; all of them if fewer than half have, since the room that those leave
    /// is soon filled again, and each time all that stay are moved. What comes later of one is another row of it.
    fn make_room(&mut self, out: &mut Out<'_>) {
        let held = std::mem::take(&mut self.attempts);
        let ended = held.values().filter(|held| held.record.finish.is_some()).count();
        let all = ended < held.len().div_ceil(2);
        let (given, kept) = held.into_iter().partition(|(_, held)| all || held.record.finish.is_some());
        self.attempts = kept;
        let rows = self.rows_of(given);
        give_out(rows, out);
    }
}

/// A row that is to be given out: its line, its time and what it says.
type Held = (u64, Timestamp, Event);

/// Gives rows out by their lines.
fn give_out(mut rows: Vec<Held>, out: &mut Out<'_>) {
    rows.arrange_by(|(line, _, _)| *line);
    for (line, at, event) in rows {
        out.event(line, at, &event);
    }
}

/// A later value replaces an earlier one; an absent one does not.
fn set<T>(slot: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *slot = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Gathered;
    use crate::format::history::time;
    use crate::model::FileDigest;

    #[test]
    fn jobs_beyond_those_held_are_given_out() {
        let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
        let mut out = Out::new(&mut digest, &mut gathered);
        let mut joined = Joined::default();
        let part = || JobPart { queue: Some("q".into()), ..JobPart::default() };
        let mut held = BTreeMap::new();
        for number in (0..JOBS_HELD as u32 + 5).chain([3]) {
            let job = JobId { cluster: 1, number };
            joined.job(job, part(), 1, &mut out);
            let bytes = TaskMemory { attempts: 1, sum_bytes: 7, max_bytes: 7 };
            let attempt = AttemptId { job, letter: TaskLetter::Map, task: 0, attempt: 0 };
            joined.attempt(attempt, AttemptPart { memory: Some(7), ..AttemptPart::default() }, 1, &mut out);
            held.insert((job, TaskType::Map), bytes);
        }
        assert_eq!((joined.jobs.len(), joined.queues.len()), (6, 6));
        let attempts = std::mem::take(&mut joined.attempts);
        assert_eq!(joined.rows_of(attempts).len(), held.len());
        held.retain(|(job, _), _| job.number < JOBS_HELD as u32);
        assert_eq!(joined.memory, held, "one attempt of each");
    }

    #[test]
    fn tasks_beyond_those_held_are_given_out() {
        let job = JobId { cluster: 202_611_202_124, number: 1 };
        let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
        let mut out = Out::new(&mut digest, &mut gathered);
        let mut joined = Joined::default();
        let mut say = |number, times| {
            let task = AttemptId { job, letter: TaskLetter::Map, task: number, attempt: 0 };
            joined.task(task, times, u64::from(number), &mut out);
            joined.tasks.len()
        };
        for number in 0..ATTEMPTS_HELD as u32 {
            say(number, (time(7), None));
        }
        assert_eq!(say(3, (None, time(9))), ATTEMPTS_HELD, "one that is held takes no more room");
        assert_eq!(say(ATTEMPTS_HELD as u32, (time(8), None)), 1, "the others are given out");
        assert_eq!(say(4, (None, time(9))), 2, "another row of the fifth");
        joined.end(&mut out);
        gathered.settle(&mut digest);
        assert_eq!(digest.events.len(), ATTEMPTS_HELD as u64 + 2);
    }

    #[test]
    fn attempts_beyond_those_held_are_given_out_many_at_a_time() {
        let job = JobId { cluster: 1, number: 1 };
        let attempt = |task| AttemptId { job, letter: TaskLetter::Map, task, attempt: 0 };
        let kept = |ended: u32| {
            let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
            let mut out = Out::new(&mut digest, &mut gathered);
            let mut joined = Joined::default();
            for task in 0..ATTEMPTS_HELD as u32 + 1 {
                let finish = time(7).filter(|_| task < ended);
                joined.attempt(attempt(task), AttemptPart { finish, ..AttemptPart::default() }, 1, &mut out);
            }
            joined.attempts.len()
        };
        assert_eq!(kept(0), 1, "none has ended");
        assert_eq!(kept(3), 1, "room for three is none");
        assert_eq!(kept(ATTEMPTS_HELD as u32 / 2), ATTEMPTS_HELD / 2 + 1, "the other half is awaited");
    }
}
