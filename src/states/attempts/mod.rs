//! Task attempts from every log that tells of them.
//!
//! ```text
//! TaskTracker   LaunchTaskAction ─────────────── is done. | Killed | …      (0.18–1.x)
//! JobTracker    Adding task ──────────────────── has completed | Error from (0.18–1.x)
//! history       START_TIME ── SHUFFLE ── SORT ── FINISH_TIME                (all)
//! AM            ASSIGNED→RUNNING ─────────────── RUNNING→SUCC* | FAIL* | …  (0.23–3.x)
//! NodeManager   SCHEDULED→RUNNING ────────────── RUNNING→EXITED_*
//! container     first line ──── finalMerge ───── Task 'ATT' done.
//! ```
//! States take the TaskTracker's times where it has the launch, else the history's, else
//! the ApplicationMaster's, else the container's. `tasks` rows are the history's, with
//! the attempts that it does not know added. The JobTracker's word counts where there is no TaskTracker's log, and of
//! jobs without history: all reports to it wait for a heartbeat, so its times are compared among themselves alone.

mod histories;
mod jobtracker;
mod logs;
mod phase_clocks;
mod phases;
mod rows;
mod told;

pub use histories::{FORMATS as HISTORIES, Histories};

use super::{FileView, Found, Input, basis::peers_by_logs, clusters};
use crate::base::{AttemptId, ContainerId, Gathered, JobId, NodeId, Place, TaskLetter, Timestamp};
use crate::model::{Event, Outcome, State, StateKind, TaskType, Topic, formats};
use logs::{LoggedSpan, Logs};
use phase_clocks::PhaseClocks;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs all attempts into states, tasks and jobs. What the histories hold is given away as it
/// becomes tasks: of a month of a cluster there is no room for it twice.
#[inline(never)]
pub fn pair(input: &Input<'_>, histories: Histories, found: &mut Found) {
    let logs = Logs::read(input, found);
    let phase_clocks = PhaseClocks::of(&histories.attempts);
    Builder { input, histories, logs, phase_clocks }.build(found);
    sent_by_scheduler(input, found);
}

/// Where a ResourceManager's log is all that there is, those nodes worked that it gave containers, other than for an
/// ApplicationMaster.
#[inline(never)]
fn sent_by_scheduler(input: &Input<'_>, found: &mut Found) {
    if input.files.iter().any(FileView::is_metrics) || !peers_by_logs(input, &found.ran).is_empty() {
        return;
    }
    for row in input.files_of(formats::RESOURCEMANAGER).flat_map(|file| file.about(Topic::Tasks)) {
        if let Event::ContainerAssigned { container, host } = row.event
            && container.number > 1
        {
            found.ran.extend(input.node_named(&host));
        }
    }
}

struct Builder<'a> {
    input: &'a Input<'a>,
    histories: Histories,
    logs: Logs,
    phase_clocks: PhaseClocks,
}

/// An attempt on a node with all that is known of its time.
struct LoggedAttempt {
    attempt: AttemptId,
    task_type: TaskType,
    node: Option<NodeId>,
    start: Timestamp,
    end: Option<(Timestamp, Outcome)>,
    place: Place,
}

impl Builder<'_> {
    fn build(mut self, found: &mut Found) {
        let launched: BTreeSet<AttemptId> = self.logs.launched.keys().map(|(attempt, _)| *attempt).gathered();
        let mut logged: Vec<LoggedAttempt> = Vec::new();
        for ((attempt, node), seen) in &self.logs.launched {
            // A log may be of nobody, or of several hosts.
            let told = || self.node_of(*attempt).filter(|of| !self.logs.launched.contains_key(&(*attempt, Some(*of))));
            let node = node.or_else(told);
            let end = self.ended(*attempt, node, seen.end);
            let task_type = self.type_of(*attempt);
            let (start, place) = (seen.start, seen.place);
            logged.push(LoggedAttempt { attempt: *attempt, task_type, node, start, end, place });
        }
        let only_by_others = self.only_by_others(&launched);
        logged.extend(only_by_others.iter().filter_map(|attempt| self.ran_elsewhere(*attempt)));
        for told in self.histories.attempts.iter().filter(|told| !launched.contains(&told.record.attempt)) {
            let (attempt, record) = (told.record.attempt, &told.record);
            if let Some(start) = record.start {
                let end = record.finish.zip(record.outcome).or_else(|| self.logged_end(attempt));
                let node = told.node.or_else(|| self.node_by_logs(attempt));
                let task_type = record.task_type;
                let place = told.place;
                self.push_states(&LoggedAttempt { attempt, task_type, node, start, end, place }, found);
            }
        }
        for r in &logged {
            self.push_states(r, found);
        }
        found.under_way = self.under_way(&logged);
        found.began_before = only_by_others.into_iter().filter(|attempt| self.began_before(*attempt)).gathered();
        self.push_cleanups(found);
        self.push_localizations(found);
        logged.retain(|r| self.histories.attempts.get(r.attempt).is_none());
        self.push_tasks(&logged, found);
        self.push_jobs(found);
    }

    /// Until when attempts that TaskTrackers launched were under way for certain: their JobTracker, by its log or its history
    /// of the job (which in 0.20 has attempts only once they have ended), knows no end of them, and it wrote one of those
    /// until then, and the attempt's node any log: what else is on the master's host goes on where its own logs are cut.
    /// A JobTracker writes nothing while nothing ends: for longer if the TaskTracker's own log goes on without an end.
    #[inline(never)]
    fn under_way(&self, logged: &[LoggedAttempt]) -> BTreeMap<AttemptId, Timestamp> {
        let open = || logged.iter().filter(|r| r.end.is_none() && self.logged_end(r.attempt).is_none());
        if open().next().is_none() {
            return BTreeMap::new();
        }
        let in_history = |r: &LoggedAttempt| {
            let file = self.histories.attempts.get(r.attempt)?.place.file;
            (self.input.files.get(file.index())?.digest.format == formats::JOBHISTORY_V1).then_some(file)
        };
        let in_log = jobtracker::awaited(self.input, &open().map(|r| r.attempt).gathered());
        let heard_of = self.heard_of(|_| true);
        let masters = [formats::JOBTRACKER, formats::JOBHISTORY_V1];
        let master_heard_of = self.heard_of(|file| masters.contains(&file.digest.format.as_str()));
        let tracker_heard_of = self.heard_of(|file| file.digest.format == formats::TASKTRACKER);
        let until = |r: &LoggedAttempt| {
            let master = in_history(r).or_else(|| in_log.get(&r.attempt).copied())?;
            let master = self.input.files.get(master.index())?.node?;
            let until = *master_heard_of.get(&master)?.min(heard_of.get(&r.node?)?);
            let until = tracker_heard_of.get(&r.node?).map_or(until, |last| until.max(*last));
            (until > r.start).then_some((r.attempt, until))
        };
        open().filter_map(until).gathered()
    }

    /// When each node was heard of last, by these files of it.
    fn heard_of(&self, by: impl Fn(&FileView<'_>) -> bool) -> BTreeMap<NodeId, Timestamp> {
        let mut heard_of = BTreeMap::new();
        let files = self.input.files.iter().filter(|file| by(file));
        for (node, last) in files.filter_map(|file| Some((file.node?, file.last?))) {
            let latest: &mut Timestamp = heard_of.entry(node).or_insert(last);
            *latest = last.max(*latest);
        }
        heard_of
    }

    /// The end of an attempt that a TaskTracker launched. A kill ends what is still there: where its log
    /// lacks the end before it, the history may have that.
    fn ended(
        &self,
        attempt: AttemptId,
        node: Option<NodeId>,
        logged: Option<(Timestamp, Outcome)>,
    ) -> Option<(Timestamp, Outcome)> {
        let told = || self.history_end(attempt, node);
        match logged {
            Some((killed, Outcome::Killed)) => {
                told().filter(|(end, outcome)| *end < killed && *outcome == Outcome::Success).or(logged)
            }
            Some(_) => logged,
            None => told(),
        }
    }

    /// End of the history, if it says that the attempt ended on this node, or names none.
    fn history_end(&self, attempt: AttemptId, node: Option<NodeId>) -> Option<(Timestamp, Outcome)> {
        let told = self.histories.attempts.get(attempt)?;
        told.node.is_none_or(|told| Some(told) == node).then(|| told.record.finish.zip(told.record.outcome)).flatten()
    }

    /// End as the AM, the container or its NodeManager saw it, or a TaskTracker whose word of the launch is missing.
    fn logged_end(&self, attempt: AttemptId) -> Option<(Timestamp, Outcome)> {
        let done = || self.logs.done.get(&attempt).map(|at| (*at, Outcome::Success));
        let left = || self.logs.container_left.get(&self.container_of(attempt)?).copied();
        let unseen = || self.logs.ended_unseen.get(&attempt).copied();
        self.logs.master_left.get(&attempt).copied().or_else(done).or_else(left).or_else(unseen)
    }

    fn container_of(&self, attempt: AttemptId) -> Option<ContainerId> {
        let from_log = || self.logs.task_logs.get(&attempt).and_then(|log| log.container);
        self.logs.assigned.get(&attempt).map(|(container, _)| *container).or_else(from_log)
    }

    /// Where an attempt ran: the history's host, else the AM's, the NodeManager's, the
    /// folder of its own log, the ResourceManager's.
    fn node_of(&self, attempt: AttemptId) -> Option<NodeId> {
        let history = self.histories.attempts.get(attempt).and_then(|told| told.node);
        history.or_else(|| self.node_by_logs(attempt))
    }

    /// The same, as far as logs tell it.
    fn node_by_logs(&self, attempt: AttemptId) -> Option<NodeId> {
        let sent = || self.logs.sent.get(&attempt).copied();
        let am = || self.logs.assigned.get(&attempt).and_then(|(_, node)| *node);
        let container = || {
            let container = self.container_of(attempt)?;
            self.logs.container_running.get(&container).and_then(|(.., node)| *node)
        };
        let own_log = || self.logs.task_logs.get(&attempt).and_then(|log| log.node);
        let scheduler = || self.logs.container_sent.get(&self.container_of(attempt)?).copied();
        am().or_else(container).or_else(own_log).or_else(sent).or_else(scheduler)
    }

    /// Attempts that neither a TaskTracker nor a history tells of.
    fn only_by_others(&self, launched: &BTreeSet<AttemptId>) -> BTreeSet<AttemptId> {
        let is_untold = |a: &AttemptId| !self.logs.sent.contains_key(a) || !self.histories.attempts.know(a.job);
        let from_am = self.logs.master_running.keys();
        let from_logs = self.logs.task_logs.keys();
        let known = |a: &AttemptId| {
            launched.contains(a) || self.histories.attempts.get(*a).is_some_and(|told| told.record.start.is_some())
        };
        from_am.chain(from_logs).filter(|a| !known(a) && is_untold(a)).copied().gathered()
    }

    /// When another attempt of its task succeeded after this one began, which has the JobTracker kill this one without a
    /// word. A success before it says why it began: the output was lost.
    fn outrun(&self, attempt: AttemptId, start: Timestamp) -> Option<(Timestamp, Outcome)> {
        self.logs.sent.get(&attempt)?;
        let tries = self.logs.master_left.range(attempt.first()..).take_while(|(id, _)| id.first() == attempt.first());
        let done = tries.map(|(_, end)| *end).find(|(at, outcome)| *outcome == Outcome::Success && *at > start);
        done.map(|(at, _)| (at, Outcome::Killed))
    }

    fn ran_elsewhere(&self, attempt: AttemptId) -> Option<LoggedAttempt> {
        let (task_type, node) = (self.type_of(attempt), self.node_of(attempt));
        if let Some((start, place)) = self.logs.master_running.get(&attempt) {
            let end = self.logged_end(attempt).or_else(|| self.outrun(attempt, *start));
            return Some(LoggedAttempt { attempt, task_type, node, start: *start, end, place: *place });
        }
        let log = self.logs.task_logs.get(&attempt)?;
        let running = self.container_of(attempt).and_then(|c| self.logs.container_running.get(&c));
        let (start, place) = running.map(|(at, place, _)| (*at, *place)).or(log.first_line())?;
        Some(LoggedAttempt { attempt, task_type, node, start, end: self.logged_end(attempt), place })
    }

    /// Whether the log that has an attempt's end was cut before its launch: it began some time before its own log does.
    fn began_before(&self, attempt: AttemptId) -> bool {
        let logs = &self.logs;
        let container = self.container_of(attempt);
        let launched = container.is_some_and(|c| logs.container_running.contains_key(&c));
        let left = || container.is_some_and(|c| logs.container_left.contains_key(&c));
        let is_told = logs.master_running.contains_key(&attempt) || launched;
        !is_told && (left() || logs.ended_unseen.contains_key(&attempt))
    }

    /// What an attempt does: the history's word, else its progress lines', else what its task does, else its letter.
    fn type_of(&self, attempt: AttemptId) -> TaskType {
        let history = self.histories.attempts.get(attempt).map(|told| told.record.task_type);
        let progress = || self.logs.types.get(&attempt).copied();
        history.or_else(progress).or_else(|| self.type_of_task(attempt)).unwrap_or(match attempt.letter {
            TaskLetter::Map => TaskType::Map,
            TaskLetter::Reduce => TaskType::Reduce,
            TaskLetter::Setup => TaskType::Setup,
            TaskLetter::Cleanup => TaskType::Cleanup,
        })
    }

    /// What the task of an attempt does, by other tries at it, else by its number: a JobTracker numbers clean-up and set-up
    /// behind all maps, and behind all reduces (`JobInProgress.initTasks`, 0.20 to 1.x).
    fn type_of_task(&self, attempt: AttemptId) -> Option<TaskType> {
        let history = self.histories.attempts.first_of_task(attempt).map(|told| told.record.task_type);
        let progress = || {
            let (other, task_type) = self.logs.types.range(attempt.first()..).next()?;
            (other.first() == attempt.first()).then_some(*task_type)
        };
        let number = || {
            let job = self.histories.jobs.get(&attempt.job).filter(|_| attempt.job.is_dated())?;
            let planned = match attempt.letter {
                TaskLetter::Map => job.maps?,
                TaskLetter::Reduce => job.reduces?,
                TaskLetter::Setup | TaskLetter::Cleanup => return None,
            };
            match attempt.task.checked_sub(planned)? {
                0 => Some(TaskType::Cleanup),
                1 => Some(TaskType::Setup),
                _ => None,
            }
        };
        history.or_else(progress).or_else(number)
    }

    fn state(&self, kind: StateKind, attempt: AttemptId, node: Option<NodeId>, seen: LoggedSpan) -> State {
        State { attempt: Some(attempt), ..self.state_of_job(kind, attempt.job, node, seen) }
    }

    fn state_of_job(&self, kind: StateKind, job: JobId, node: Option<NodeId>, seen: LoggedSpan) -> State {
        let (end, outcome) = match seen.end {
            Some((end, outcome)) => (end, Some(outcome)),
            None => (self.input.end_of_observation(Some(job), seen.place.file), None),
        };
        State {
            start: Some(seen.start),
            open: outcome.is_none(),
            job: Some(job),
            outcome,
            ..State::of(kind, node, end.max(seen.start), seen.place)
        }
    }

    #[inline(never)]
    fn push_states(&self, r: &LoggedAttempt, found: &mut Found) {
        let kind = r.task_type.state_kind();
        if let (StateKind::Map | StateKind::Reduce, Some(node)) = (kind, r.node) {
            found.ran.insert(node);
            clusters::note(&mut found.masters, node, r.attempt.job, r.start, r.place);
        }
        if !matches!(r.end, Some((_, Outcome::Success)))
            && let Some(last) = self.marks_of(r).last
        {
            found.got_on_ms.insert(r.attempt, last.millis_since(r.start));
        }
        let seen = LoggedSpan { start: r.start, end: r.end, place: r.place };
        found.push_state(self.state(kind, r.attempt, r.node, seen), None);
        if kind == StateKind::Reduce {
            self.push_phases(r, found);
        }
    }

    fn push_cleanups(&self, found: &mut Found) {
        for (attempt, node, seen) in &self.logs.cleanups {
            found.push_state(self.state(StateKind::TaskCleanup, *attempt, *node, *seen), None);
        }
    }

    #[inline(never)]
    fn push_localizations(&self, found: &mut Found) {
        let attempt_of: BTreeMap<ContainerId, AttemptId> = self
            .logs
            .task_logs
            .iter()
            .filter_map(|(attempt, log)| Some((log.container?, *attempt)))
            .chain(self.logs.assigned.iter().map(|(attempt, (container, _))| (*container, *attempt)))
            .gathered();
        for (container, node, seen) in &self.logs.localizing {
            let state = self.state_of_job(StateKind::Localize, container.job, *node, *seen);
            let state = State { attempt: attempt_of.get(container).copied(), ..state };
            found.push_state(state, None);
        }
    }
}
