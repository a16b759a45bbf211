//! Why a culprit is slow, as far as the logs of its tasks, blocks and daemons tell.
//!
//! The first [`Rule`] that holds names the cause.

mod case;
pub(super) mod merges;
mod overtaken;
mod rule;
mod standing;
mod starts;

pub use merges::InMerge;
pub use rule::Rule;
pub use standing::{STANDING, Standing, StandingOfJob};

use super::kahuna_bb::shift::{self, Shift};
use super::silence::SILENCE_MS;
use super::slow_warnings::standstill::longest_ms;
use super::{MIN_PEERS, Scope, daemons};
use crate::base::{Gathered, Interval, NodeId, Timestamp};
use crate::diagnosis::Signal;
use crate::model::errors::finds_no_way;
use crate::model::{Complaint, ComplaintKind, Flow, Metric, Outcome, StateKind, TaskAttempt, TaskType, Trace, formats};
use crate::stats::quantile::{median, sorted};
use case::Case;
use overtaken::overtaken;
use standing::Ends;
use starts::{Slower, Starts};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Work slowed down by this factor more than the JVM's start is held up by its data; so are map outputs, more than maps,
/// of a node whose processor is taken.
const DATA_BOUND: f64 = 2.0;
/// Work that a processor hog came in the middle of is slowed down by less: by 2.3 and 2.5 in laboratory runs, by disk hogs
/// by 3.9 and more.
const IN_THE_MIDDLE: f64 = 3.0;
/// Block writes so many times slower than the peers' speak of a disk.
const SLOW_WRITES: f64 = 2.0;
/// Attempts that stand still, where the node's processor is taken, last so many times as long as the longest success
/// elsewhere: hogs slow down by 2 to 4, a task that spins for ever looks like one.
const BEYOND_HOGS: f64 = 4.0;
/// The same where no comparison of metrics accuses the node, as it would of most hogs.
const BEYOND_HIDDEN_HOGS: f64 = 3.0;
/// JVMs that start so many times slower than elsewhere: the node is slow, not the task.
const SLOW_START: f64 = 1.5;
/// Block writes of a node that must be known to say that they are not slow.
const MIN_STATES: usize = 2;

/// How long the tasks of a lost node's system are counted…
const LOOKED_AT_MS: i64 = 30_000;
/// …against the most that it held in so long before: masters wait for ten minutes before they lose a node.
const HELD_BEFORE_MS: i64 = 660_000;
/// Connections that break one after another, so that one that breaks by chance says nothing.
const BROKEN: usize = 3;
/// A client that cannot reach a server tries ten times before it gives up; fewer may be a moment's trouble.
const GIVEN_UP: f64 = 10.0;
/// Transfers that end while a daemon stands still: a lossy network lets single ones through.
const REACHED: usize = 8;
/// A daemon's JVM has more threads than so many.
const A_DAEMON: f64 = 10.0;

/// Why a node is slow, as far as it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its processor is taken or slow.
    Cpu,
    /// Its disk is taken or slow.
    Disk,
    /// Its disk is full.
    DiskFull,
    /// Its network loses or delays packets.
    Network,
    /// Its tasks stand still.
    Hang,
    /// It went away.
    Crashed,
    /// It cannot be told.
    Unknown,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Cpu, Self::Disk, Self::DiskFull, Self::Network, Self::Hang, Self::Crashed, Self::Unknown];

    /// The one of this name in reports.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.name() == name)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Disk => "disk",
            Self::DiskFull => "disk-full",
            Self::Network => "network",
            Self::Hang => "hang",
            Self::Crashed => "crashed",
            Self::Unknown => "unknown",
        }
    }
}

/// What is known of a node by the time that its cause is asked for.
#[derive(Clone, Debug, Default)]
pub struct Symptoms {
    /// How many times slower the indicted kinds of state are, or how often complaints were heard; by signal.
    pub slower: BTreeMap<Signal, f64>,
    /// The times in which the node's metrics were unlike its peers', in order and apart.
    pub odd: Vec<Interval>,
    /// When it began to show.
    pub since: Option<Timestamp>,
    /// When it fell silent or was lost, where something says that it did.
    pub fell: Option<Timestamp>,
    /// The jobs in which it shows, where it is known that it shows in some more than in others.
    pub scope: Scope,
}

/// What tells causes, looked up once for all nodes of a trace.
#[derive(Debug)]
pub struct Causes<'a> {
    trace: &'a Trace,
    ends: OnceCell<[Ends; 2]>,
    starts: OnceCell<Starts>,
}

/// What slow maps suffer from, by how their JVMs start and work: a processor that is taken holds up both.
fn of_jvms(slower: Slower) -> Option<Rule> {
    let (start, work) = slower.both()?;
    if work > DATA_BOUND * start {
        let is_doubtful = slower.may_have_started_before && !slower.starts_slowly() && work < IN_THE_MIDDLE;
        (!is_doubtful).then_some(Rule::SlowWork)
    } else {
        slower.starts_slowly().then_some(Rule::SlowStarts)
    }
}

impl<'a> Causes<'a> {
    /// Looks up nothing yet.
    #[must_use]
    pub const fn new(trace: &'a Trace) -> Self {
        Self { trace, ends: OnceCell::new(), starts: OnceCell::new() }
    }

    /// Whose causes these are.
    pub(super) const fn trace(&self) -> &'a Trace {
        self.trace
    }

    /// The first rule that holds, which names the cause.
    #[must_use]
    pub fn of(&self, node: NodeId, symptoms: &Symptoms) -> Rule {
        let case = Case::of(self, node, symptoms);
        (case.fallen().or_else(|| case.still()))
            .or_else(|| case.measured())
            .or_else(|| case.slow())
            .or_else(|| case.complained())
            .unwrap_or(Rule::Untold)
    }

    /// How many times slower its maps are, if they or job after job accuse it: as they say, or, where only some jobs show it,
    /// in these, if that is more than ordinary; else 0.
    fn maps_take(&self, node: NodeId, symptoms: &Symptoms) -> f64 {
        let told = symptoms.slower.get(&Signal::States(StateKind::Map)).copied();
        let accused = told.is_some() || symptoms.slower.contains_key(&Signal::Jobs);
        let mut times: Vec<f64> = told.into_iter().collect();
        if accused && !symptoms.scope.is_all() {
            let Slower { start, work, .. } = self.slower(node, &symptoms.scope, symptoms.since);
            times.extend([start, work].into_iter().flatten().filter(|times| *times >= SLOW_START));
        }
        times.into_iter().fold(0.0, f64::max)
    }

    /// Whether metrics show that no process of Hadoop's ended on the node: some time after `since`, and when its master
    /// has lost it, its system holds as many tasks as it did at most before.
    fn lives_on(&self, node: NodeId, since: Option<Timestamp>) -> bool {
        let Some(since) = since else { return false };
        let held = |from: Timestamp, to: Timestamp| {
            let during = [Interval::new(from, to)];
            sorted(
                self.trace.samples.of_node_during(node, &during).filter_map(|sample| sample.value(Metric::Processes)),
            )
        };
        let before = held(since.plus_millis(-HELD_BEFORE_MS), since);
        let lost = self.losses(node).map(|c| c.at).filter(|at| *at >= since).min();
        let gone = since.plus_millis(SILENCE_MS).max(lost.unwrap_or(since));
        let after = held(gone, gone.plus_millis(LOOKED_AT_MS));
        let (before, after) = (before.last().copied(), median(&after));
        before.zip(after).is_some_and(|(before, after)| after > before - A_DAEMON)
    }

    /// Whether a daemon that a master lost was started anew since: it had ended.
    fn started_anew(&self, node: NodeId) -> bool {
        let after = |(at, daemon)| daemons::after_loss(self.trace, node, daemon, at);
        self.lost_daemons(node).any(|lost| after(lost) == daemons::Afterwards::StartedAnew)
    }

    /// Whether the daemon that a master lost goes on with its log and was not started anew, or wrote it soon after, and it
    /// or a task of the node shortly before: they were there, and not heard. What has ended writes nothing before, as masters
    /// wait for long, and what is started anew seldom does so soon after.
    fn goes_on(&self, node: NodeId) -> bool {
        self.lost_daemons(node).any(|(at, daemon)| {
            let before = Interval::new(at.plus_millis(-SILENCE_MS), at);
            let after = Interval::new(at, at.plus_millis(SILENCE_MS));
            let wrote = |format: &str, during| daemons::wrote(self.trace, node, format, during);
            // A TaskTracker tells of its tasks' progress: where they write and it does not, it stands still.
            let tells_progress = daemon == formats::TASKTRACKER;
            daemons::after_loss(self.trace, node, daemon, at) == daemons::Afterwards::RanOn
                || (wrote(daemon, after)
                    && (wrote(daemon, before) || (!tells_progress && wrote(formats::TASK_SYSLOG, before))))
        })
    }

    /// Whether it ran maps, and all had ended by then.
    fn maps_were_over(&self, node: NodeId, since: Option<Timestamp>) -> bool {
        let last = self.trace.states.of_kind_on(StateKind::Map, Some(node)).map(|s| s.end).max();
        last.zip(since).is_some_and(|(last, since)| last <= since)
    }

    /// What masters say when they lose the node.
    fn losses(&self, node: NodeId) -> impl Iterator<Item = &'a Complaint> {
        self.trace.complaints.iter().filter(move |c| c.kind == ComplaintKind::LostNode && c.of == Some(node))
    }

    /// When masters lost the node's daemons, and the formats of those daemons' logs.
    fn lost_daemons(&self, node: NodeId) -> impl Iterator<Item = (Timestamp, &'static str)> {
        let daemon = |c: &Complaint| daemons::format_of(self.trace, c.place).and_then(daemons::slave_of);
        self.losses(node).filter_map(move |c| Some((c.at, daemon(c)?)))
    }

    /// Whether a daemon that its master lost wrote nothing for as long before as makes a silence, though its log goes on,
    /// and transfers between the node and others ended meanwhile.
    fn stood_while_reached(&self, node: NodeId) -> bool {
        self.lost_daemons(node).any(|(at, daemon)| {
            let during = Interval::new(at.plus_millis(-SILENCE_MS), at);
            let moved = |f: Flow| {
                let (src, dest) = (f.src.map(NodeId), f.dest.map(NodeId));
                let is_meant = (src == Some(node)) != (dest == Some(node));
                is_meant && during.start <= f.end && f.end < during.end
            };
            daemons::was_quiet(self.trace, node, daemon, during)
                && self.trace.flows.iter().filter(|f| moved(*f)).nth(REACHED - 1).is_some()
        })
    }

    /// Whether some daemon of the node writes its log long after it fell.
    fn another_goes_on(&self, node: NodeId, fell: Option<Timestamp>) -> bool {
        let last = daemons::heard(self.trace, daemons::is_slaves).get(&node).map(|heard| heard.end);
        last.zip(fell).is_some_and(|(last, fell)| last.millis_since(fell) > SILENCE_MS)
    }

    /// Whether a daemon of the node says that it stood still for as long at a time as makes a silence.
    fn stood_long(&self, node: NodeId) -> bool {
        let of_node = |c: &&Complaint| c.kind == ComplaintKind::Paused && c.of == Some(node);
        let longest = longest_ms(self.trace, self.trace.complaints.iter().filter(of_node));
        longest.is_some_and(|ms| ms >= SILENCE_MS as u64)
    }

    /// Whether anybody says that a disk of the node is full, from then on if a time is known.
    fn is_said_full(&self, node: NodeId, since: Option<Timestamp>) -> bool {
        let full = |c: &Complaint| c.kind == ComplaintKind::NoSpace && c.of == Some(node) && Some(c.at) >= since;
        self.trace.complaints.iter().any(full)
    }

    /// Whether a master that had lost the node, and no other, has one of its daemons join again: one that was started anew
    /// joins by itself, and a master that was started anew has all of them join.
    fn rejoined(&self, node: NodeId, since: Option<Timestamp>) -> bool {
        let again = |c: &&Complaint| c.kind == ComplaintKind::Rejoined && Some(c.at) >= since;
        let mut joined = self.trace.complaints.iter().filter(again).peekable();
        joined.peek().is_some() && joined.all(|c| c.of == Some(node))
    }

    /// Whether all attempts that failed on the node, as far as they say why, found no way to another host.
    fn has_no_way(&self, node: NodeId) -> bool {
        let failed = |t: &&TaskAttempt| t.node == Some(node) && t.outcome == Some(Outcome::Failed);
        let mut errors = self.trace.tasks.iter().filter(failed).filter_map(|t| t.error.as_deref()).peekable();
        errors.peek().is_some() && errors.all(finds_no_way)
    }

    /// Whether the node itself complains of broken connections.
    fn hears_nobody(&self, node: NodeId, since: Option<Timestamp>) -> bool {
        use ComplaintKind::{BrokenPipeline, FetchFailed, SlowNetwork, Unreachable, WriteBroken};
        let broken = [BrokenPipeline, FetchFailed, SlowNetwork, Unreachable, WriteBroken];
        let own = |c: &&Complaint| c.by == Some(node) && Some(c.at) >= since && broken.contains(&c.kind);
        self.trace.complaints.iter().filter(own).count() >= BROKEN
    }

    /// Whether the block writes of the node and of its peers are known well enough that slow ones would have shown.
    fn writes_are_known(&self, node: NodeId) -> bool {
        let mut writes: BTreeMap<NodeId, usize> = BTreeMap::new();
        for write in self.trace.states.of_kind(StateKind::WriteBlock).filter(|s| s.millis().is_some()) {
            if let Some(node) = write.node {
                *writes.entry(node).or_default() += 1;
            }
        }
        writes.retain(|_, count| *count >= MIN_STATES);
        writes.contains_key(&node) && writes.len() >= MIN_PEERS
    }

    /// Whether anything tells of the node's task attempts.
    fn knows_tasks_of(&self, node: NodeId) -> bool {
        let mut states =
            [StateKind::Map, StateKind::Reduce].into_iter().flat_map(|kind| self.trace.states.of_kind(kind));
        states.any(|s| s.node == Some(node)) || self.trace.tasks.iter().any(|t| t.node == Some(node))
    }

    /// Whether attempts of a kind stand still on this node: several without success, each outlasting
    /// every success of its job elsewhere and by far those here, and nobody else's like them. What is only slow
    /// is no hang: a node that starts its JVMs slowly, whose disk is waited for, or (up to a
    /// factor that no hog reaches) whose processor is taken.
    ///
    /// Attempts elsewhere that were still running when the logs end tell nothing.
    /// One Reduce alone may wait in its merge for a disk that block writes wait for, too.
    fn stood_still(&self, node: NodeId, metrics: Option<Told>, is_odd: bool, slow_writes: bool) -> bool {
        let attempts = |of: &Standing| of.jobs.iter().map(|of| of.attempts).sum::<usize>();
        let stands = |of: Standing| !slow_writes || attempts(&of) >= STANDING;
        let beyond = match metrics {
            Some(Told::Cpu) if is_odd => BEYOND_HOGS,
            Some(Told::Cpu) => BEYOND_HIDDEN_HOGS,
            _ => 1.0,
        };
        metrics != Some(Told::Disk) && self.standing(node, beyond).is_some_and(stands)
    }

    /// The attempts that stand still on a node, if some do, whatever its metrics show.
    #[must_use]
    pub fn standing_on(&self, node: NodeId) -> Option<Standing> {
        self.standing(node, 1.0)
    }

    fn standing(&self, node: NodeId, spinning: f64) -> Option<Standing> {
        let kinds = [StateKind::Map, StateKind::Reduce];
        let ends = self.ends.get_or_init(|| kinds.map(|kind| Ends::of(self.trace, kind)));
        let elsewhere = self.trace.of_other_clusters(&[node]);
        let beside = |other: Option<NodeId>| other != Some(node) && !other.is_some_and(|n| elsewhere.contains(&n));
        kinds.into_iter().zip(ends).find_map(|(kind, ends)| {
            let jobs = ends.standing_on(node, beside, spinning);
            // Starts in other jobs may be of a time before the fault.
            let of_them = || Scope::of(jobs.iter().filter_map(|of| of.job).gathered());
            let stands =
                standing::are_enough(&jobs) && (kind == StateKind::Reduce || !self.starts_slowly(node, &of_them()));
            stands.then_some(Standing { kind, jobs })
        })
    }

    /// Whether rivals overtook the node's attempts, and none came through since. What is only slow is no hang: a node that
    /// starts its JVMs slowly, or whose disk is waited for; nor are reduces where maps are slow too.
    fn stands_still_since(&self, node: NodeId, metrics: Option<Told>, slow_maps: bool) -> bool {
        let of_type = |task_type| overtaken(self.trace, node, task_type, metrics == Some(Told::Cpu));
        metrics != Some(Told::Disk)
            && !self.starts_slowly(node, &Scope::default())
            && (of_type(TaskType::Map) || (!slow_maps && of_type(TaskType::Reduce)))
    }

    /// Whether the node is known to start its JVMs more slowly than its peers, in these jobs or in all.
    fn starts_slowly(&self, node: NodeId, scope: &Scope) -> bool {
        self.slower(node, scope, None).starts_slowly()
    }

    /// How many times slower than its peers the node starts its maps' JVMs, and works in them, in these jobs or in all.
    fn slower(&self, node: NodeId, scope: &Scope, since: Option<Timestamp>) -> Slower {
        let starts = self.starts.get_or_init(|| Starts::of(self.trace));
        starts.slower(node, &self.trace.of_other_clusters(&[node]), scope, since)
    }
}

/// What metrics speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// Tasks wait for the disk.
    Disk,
    /// The processor is taken.
    Cpu,
    /// The node receives or sends far less than its peers, and works as they do.
    Quiet,
    /// It receives, sends and works far less.
    Idle,
}

impl Told {
    /// What metrics speak of that moved so, where they speak clearly.
    fn by(shift: &Shift) -> Option<Self> {
        use shift::Moved::{Down, Not, Unknown, Up};
        let moved = |metric| shift.of_metric(metric);
        let is_busy = || [Metric::User, Metric::System].into_iter().any(|metric| moved(metric) == Up);
        // sysstat's default is the processor alone; where its queue is measured, that decides.
        let is_taken = || match moved(Metric::RunQueue) {
            Up => is_busy() || shift.is_saturated(),
            Unknown => is_busy(),
            Down | Not => false,
        };
        if moved(Metric::Iowait) == Up {
            Some(Self::Disk)
        } else if is_taken() {
            Some(Self::Cpu)
        } else if shift.carries_less() && moved(Metric::BlocksWritten) == Up {
            // Where all wait for their disks a hog keeps its node from its work, too.
            Some(Self::Disk)
        } else if shift.carries_less() && shift.is_not_up(Metric::Iowait) {
            match moved(Metric::User) {
                Down => Some(Self::Idle),
                Up | Not => Some(Self::Quiet),
                Unknown => None,
            }
        } else {
            None
        }
    }
}
