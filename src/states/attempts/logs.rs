//! What TaskTrackers, JobTrackers, ApplicationMasters, NodeManagers and tasks log of attempts.

use super::jobtracker;
use crate::base::{AttemptId, Code, ContainerId, Gathered, JobId, NodeId, Place, TaskLetter, Timestamp};
use crate::model::{Event, Outcome, Phase, TaskType, Topic, formats};
use crate::states::{FileView, Found, Input};
use std::collections::{BTreeMap, BTreeSet};

/// An attempt on one node as a daemon or the AM saw it.
#[derive(Clone, Copy)]
pub(super) struct LoggedSpan {
    pub(super) start: Timestamp,
    pub(super) end: Option<(Timestamp, Outcome)>,
    pub(super) place: Place,
}

/// What progress lines say of an attempt, and of a reduce's phases.
#[derive(Clone, Copy, Default)]
pub(super) struct PhaseMarks {
    /// The last of all, where the attempt did not succeed.
    pub(super) last: Option<Timestamp>,
    pub(super) last_copy: Option<Timestamp>,
    pub(super) last_sort: Option<Timestamp>,
    pub(super) saw_reduce: bool,
}

/// What a reduce's own log says of them.
#[derive(Clone, Copy, Default)]
pub(super) struct Merges {
    pub(super) last: Option<Timestamp>,
    pub(super) last_pass: Option<Timestamp>,
}

/// What the logs of daemons, masters and tasks say of attempts.
#[derive(Default)]
pub(super) struct Logs {
    /// TaskTracker: attempts launched, by node.
    pub(super) launched: BTreeMap<(AttemptId, Option<NodeId>), LoggedSpan>,
    /// TaskTracker: the first end of attempts whose launch is in no log.
    pub(super) ended_unseen: BTreeMap<AttemptId, (Timestamp, Outcome)>,
    /// TaskTracker: attempts that clear up, by node.
    pub(super) cleanups: Vec<(AttemptId, Option<NodeId>, LoggedSpan)>,
    /// Attempts whose progress lines say set-up or clean-up.
    pub(super) types: BTreeMap<AttemptId, TaskType>,
    /// TaskTracker: progress of attempts and phases of reduces, by node. AM: progress, of no node.
    pub(super) marks: BTreeMap<(AttemptId, Option<NodeId>), PhaseMarks>,
    pub(super) merges: BTreeMap<AttemptId, Merges>,
    /// JobTracker: where it sent attempts, if there is no TaskTracker's log at all, or one that is nobody's has them.
    pub(super) sent: BTreeMap<AttemptId, NodeId>,
    /// AM: host and container of an attempt.
    pub(super) assigned: BTreeMap<AttemptId, (ContainerId, Option<NodeId>)>,
    /// AM and JobTracker: when an attempt ran.
    pub(super) master_running: BTreeMap<AttemptId, (Timestamp, Place)>,
    pub(super) master_left: BTreeMap<AttemptId, (Timestamp, Outcome)>,
    /// NodeManager: containers.
    pub(super) container_running: BTreeMap<ContainerId, (Timestamp, Place, Option<NodeId>)>,
    pub(super) container_left: BTreeMap<ContainerId, (Timestamp, Outcome)>,
    pub(super) localizing: Vec<(ContainerId, Option<NodeId>, LoggedSpan)>,
    /// ResourceManager: where containers were sent of which nothing else tells.
    pub(super) container_sent: BTreeMap<ContainerId, NodeId>,
    /// Task logs.
    pub(super) task_logs: BTreeMap<AttemptId, TaskLog>,
    /// First lines of containers' logs that do not name the attempt, and whose they are.
    container_logs: BTreeMap<ContainerId, (Timestamp, Place, Option<NodeId>)>,
    pub(super) done: BTreeMap<AttemptId, Timestamp>,
    /// AM and JobTracker: the first error of an attempt.
    pub(super) errors: BTreeMap<AttemptId, Box<str>>,
}

impl Logs {
    /// Reads all logs that tell of attempts.
    pub(super) fn read(input: &Input<'_>, found: &mut Found) -> Self {
        let mut logs = Self::default();
        let trackers = input.daemons(formats::TASKTRACKER);
        for daemon in &trackers {
            read_tasktracker(input, daemon, &mut logs, found);
        }
        for file in input.files_of(formats::AM_SYSLOG) {
            read_master(input, &[file], &mut logs);
        }
        // Beside TaskTrackers it tells of errors alone.
        let read_jobtracker = if trackers.is_empty() { jobtracker::read } else { read_master };
        let launched = logs.launched.keys();
        let unplaced: BTreeSet<AttemptId> =
            launched.filter(|(_, node)| node.is_none()).map(|(attempt, _)| *attempt).gathered();
        for daemon in input.daemons(formats::JOBTRACKER) {
            read_jobtracker(input, &daemon, &mut logs);
            if !unplaced.is_empty() {
                jobtracker::place(input, &daemon, &unplaced, &mut logs.sent);
            }
        }
        for daemon in input.daemons(formats::NODEMANAGER) {
            read_nodemanager(input, &daemon, &mut logs);
        }
        for file in input.files_of(formats::TASK_SYSLOG) {
            read_task_log(input, file, &mut logs);
        }
        for log in logs.task_logs.values_mut() {
            if let Some((at, place, _)) = log.container.and_then(|container| logs.container_logs.get(&container)) {
                log.began(*at, *place);
            }
        }
        read_resourcemanagers(input, &mut logs);
        logs
    }
}

#[inline(never)]
fn read_resourcemanagers(input: &Input<'_>, logs: &mut Logs) {
    let assigned = logs.assigned.values().map(|(container, node)| (Some(*container), *node));
    let in_logs = logs.task_logs.values().map(|log| (log.container, log.node));
    let has_run =
        |container: &ContainerId| logs.container_running.get(container).is_some_and(|(.., node)| node.is_some());
    let untold = assigned.chain(in_logs).filter(|(_, node)| node.is_none()).filter_map(|(container, _)| container);
    let untold: BTreeSet<ContainerId> = untold.filter(|container| !has_run(container)).gathered();
    if untold.is_empty() {
        return;
    }
    for row in input.files_of(formats::RESOURCEMANAGER).flat_map(|file| file.about(Topic::Tasks)) {
        if let Event::ContainerAssigned { container, host } = row.event
            && untold.contains(&container)
            && let Some(node) = input.node_named(&host)
        {
            logs.container_sent.entry(container).or_insert(node);
        }
    }
}

#[inline(never)]
fn read_tasktracker(input: &Input<'_>, daemon: &[&FileView<'_>], logs: &mut Logs, found: &mut Found) {
    let node = daemon.first().and_then(|f| f.node);
    let mut open: BTreeMap<AttemptId, LoggedSpan> = BTreeMap::new();
    let mut ended: BTreeMap<AttemptId, LoggedSpan> = BTreeMap::new();
    let mut cleaning: BTreeMap<AttemptId, LoggedSpan> = BTreeMap::new();
    // All that ever cleaned up, since their progress lines speak of clean-up as well.
    let mut cleaned: BTreeSet<AttemptId> = BTreeSet::new();
    for file in daemon {
        for row in input.about(file, Topic::Tasks) {
            let place = file.place(row.line);
            match row.event {
                Event::Launched { attempt, cleanup: true } => {
                    cleaned.insert(attempt);
                    cleaning.entry(attempt).or_insert(LoggedSpan { start: row.at, end: None, place });
                }
                Event::Launched { attempt, cleanup: false } if !ended.contains_key(&attempt) => {
                    open.entry(attempt).or_insert(LoggedSpan { start: row.at, end: None, place });
                }
                Event::Ended { attempt, outcome } => {
                    if let Some(seen) = cleaning.remove(&attempt) {
                        logs.cleanups.push((attempt, node, LoggedSpan { end: Some((row.at, outcome)), ..seen }));
                    } else if let Some(seen) = open.remove(&attempt) {
                        ended.insert(attempt, LoggedSpan { end: Some((row.at, outcome)), ..seen });
                    } else if !ended.contains_key(&attempt) {
                        logs.ended_unseen.entry(attempt).or_insert((row.at, outcome));
                        found.issues.push((place, Code::EndWithoutBegin));
                    }
                }
                Event::JobKilled { job } => {
                    let end = Some((row.at, Outcome::Killed));
                    for (attempt, seen) in taken(&mut cleaning, job) {
                        logs.cleanups.push((attempt, node, LoggedSpan { end, ..seen }));
                    }
                    for (attempt, seen) in taken(&mut open, job) {
                        ended.insert(attempt, LoggedSpan { end, ..seen });
                    }
                }
                Event::Progress { attempt, phase: Phase::Cleanup, .. } if cleaned.contains(&attempt) => {}
                Event::Progress { attempt, phase, .. } => read_progress((attempt, node), phase, row.at, logs),
                _ => {}
            }
        }
    }
    logs.launched.extend(open.into_iter().chain(ended).map(|(attempt, seen)| ((attempt, node), seen)));
    logs.cleanups.extend(cleaning.into_iter().map(|(attempt, seen)| (attempt, node, seen)));
}

/// Takes out what is of a job.
fn taken(from: &mut BTreeMap<AttemptId, LoggedSpan>, job: JobId) -> Vec<(AttemptId, LoggedSpan)> {
    let first = AttemptId { job, letter: TaskLetter::Map, task: 0, attempt: 0 };
    let of_job: Vec<AttemptId> = from.range(first..).map(|(id, _)| *id).take_while(|id| id.job == job).collect();
    of_job.into_iter().filter_map(|attempt| Some((attempt, from.remove(&attempt)?))).collect()
}

fn read_progress(of: (AttemptId, Option<NodeId>), phase: Phase, last: Timestamp, logs: &mut Logs) {
    let marks = logs.marks.entry(of).or_default();
    marks.last = marks.last.max(Some(last));
    match phase {
        Phase::Other => {}
        Phase::Copy => marks.last_copy = marks.last_copy.max(Some(last)),
        Phase::Sort => marks.last_sort = marks.last_sort.max(Some(last)),
        Phase::Reduce => marks.saw_reduce = true,
        Phase::Setup => {
            logs.types.insert(of.0, TaskType::Setup);
        }
        Phase::Cleanup => {
            logs.types.insert(of.0, TaskType::Cleanup);
        }
    }
}

#[inline(never)]
fn read_master(input: &Input<'_>, master: &[&FileView<'_>], logs: &mut Logs) {
    for (row, place) in input.tasks_in(master) {
        match row.event {
            Event::Assigned { attempt, container, host } => {
                logs.assigned.insert(attempt, (container, input.node_named(&host)));
            }
            Event::AmRunning { attempt } => {
                logs.master_running.entry(attempt).or_insert((row.at, place));
            }
            Event::AmLeft { attempt, outcome } => {
                logs.master_left.entry(attempt).or_insert((row.at, outcome));
            }
            Event::AttemptError { attempt, error } => {
                logs.errors.entry(attempt).or_insert(error);
            }
            Event::Progress { attempt, phase, .. } => read_progress((attempt, None), phase, row.at, logs),
            _ => {}
        }
    }
}

#[inline(never)]
fn read_nodemanager(input: &Input<'_>, daemon: &[&FileView<'_>], logs: &mut Logs) {
    let node = daemon.first().and_then(|f| f.node);
    let mut localizing: BTreeMap<ContainerId, LoggedSpan> = BTreeMap::new();
    for file in daemon {
        for row in input.about(file, Topic::Tasks) {
            let place = file.place(row.line);
            match row.event {
                Event::Localizing { container } => {
                    localizing.entry(container).or_insert(LoggedSpan { start: row.at, end: None, place });
                }
                Event::Localized { container, .. } | Event::LocalizingKilled { container } => {
                    let outcome = match row.event {
                        Event::Localized { ok: true, .. } => Outcome::Success,
                        Event::Localized { .. } => Outcome::Failed,
                        _ => Outcome::Killed,
                    };
                    if outcome != Outcome::Success {
                        logs.container_left.entry(container).or_insert((row.at, outcome));
                    }
                    if let Some(seen) = localizing.remove(&container) {
                        logs.localizing.push((container, node, LoggedSpan { end: Some((row.at, outcome)), ..seen }));
                    }
                }
                Event::ContainerRunning { container } => {
                    logs.container_running.entry(container).or_insert((row.at, place, node));
                }
                Event::ContainerLeft { container, outcome } => {
                    logs.container_left.entry(container).or_insert((row.at, outcome));
                }
                _ => {}
            }
        }
    }
    logs.localizing.extend(localizing.into_iter().map(|(container, seen)| (container, node, seen)));
}

/// What the logs of an attempt say of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskLog {
    /// The first line of those that are not cut.
    begin: Option<(Timestamp, Place)>,
    /// The first line of those whose own first lines are lost, or that begin in the middle.
    cut: Option<Timestamp>,
    pub(super) container: Option<ContainerId>,
    pub(super) node: Option<NodeId>,
}

impl TaskLog {
    /// What is first of all its logs stays.
    fn began(&mut self, at: Timestamp, place: Place) {
        if self.begin.is_none_or(|(begin, _)| at < begin) {
            self.begin = Some((at, place));
        }
    }

    /// The attempt's first line, unless it is lost: another log of it has an earlier one.
    pub(super) fn first_line(&self) -> Option<(Timestamp, Place)> {
        self.begin.filter(|(begin, _)| self.cut.is_none_or(|cut| *begin <= cut))
    }

    /// What is told first of where it ran stays.
    fn ran(&mut self, container: Option<ContainerId>, node: Option<NodeId>) {
        self.container = self.container.or(container);
        self.node = self.node.or(node);
    }
}

#[inline(never)]
fn read_task_log(input: &Input<'_>, file: &FileView<'_>, logs: &mut Logs) {
    for row in input.about(file, Topic::Tasks) {
        match row.event {
            Event::TaskLog { attempt, container } => {
                let log = logs.task_logs.entry(attempt).or_default();
                log.began(row.at, file.place(row.line));
                log.ran(container, file.node);
            }
            Event::ContainerLog { container } => {
                let begin = (row.at, file.place(row.line), file.node);
                let first = logs.container_logs.entry(container).or_insert(begin);
                *first = begin.min(*first);
            }
            Event::TaskLogCut { attempt, container } => {
                let log = logs.task_logs.entry(attempt).or_default();
                log.cut = Some(log.cut.map_or(row.at, |cut| cut.min(row.at)));
                log.ran(container, file.node);
            }
            Event::TaskDone { attempt } => {
                logs.done.entry(attempt).or_insert(row.at);
            }
            Event::FinalMerge { attempt } => {
                let merges = logs.merges.entry(attempt).or_default();
                merges.last = merges.last.or(Some(row.at));
            }
            Event::LastMergePass { attempt } => {
                let merges = logs.merges.entry(attempt).or_default();
                merges.last_pass = merges.last_pass.max(Some(row.at));
            }
            _ => {}
        }
    }
}
