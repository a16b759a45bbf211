//! How far each node's clock is off (X9), from messages whose both ends are logged.
//!
//! ```text
//! DataNode h1  Receiving blk_7 ───────────────────────────► h2  Receiving blk_7, src: h1
//!              clienttrace HDFS_WRITE blk_7 ◄────────────── h2  clienttrace HDFS_WRITE blk_7
//! JobTracker   Adding task ATT … for tracker h1 ──────────► h1  LaunchTaskAction ATT
//!              Task ATT has completed ◄──────────────────── h1  Task ATT is done.
//! ```
//! Likewise ResourceManager and NodeManager (a container's steps), ApplicationMaster and
//! task (first line, given its task, done), serving and fetching side of a shuffle, and
//! in a JobTracker's history the task's times (the JobTracker's clock) around those of its
//! attempts (the tracker's). The skew is told against the master where it takes part, else
//! against the median of the nodes. A clock that was set forward meanwhile is told and taken out in any case
//! ([`steps`]): it would make what ran at that time too long.
//!
//! Cost: one reading of the digest; the shuffle's rows are noted while they are paired ([`Shuffles`]). At
//! most [`KEPT`] blocks and map outputs are looked at.

mod bounds;
mod corrections;
mod pipelines;
mod shuffles;
mod steps;

use super::Input;
use super::attempts::Histories;
use crate::base::math::mixed;
use crate::base::{AttemptId, ContainerId, NodeId, Timestamp};
use crate::model::{ContainerStep, Event, Outcome, Skew, Topic, formats};
use bounds::{Bounds, ClockId, Messages, Solved, Stamp};
pub use corrections::{Ahead, ClockSet, Corrections};
pub use pipelines::Hop;
use pipelines::Hops;
pub use shuffles::Shuffles;
use std::collections::BTreeMap;

/// Blocks, and map outputs, looked at, at most: so many bound the clocks as well as all of them.
const KEPT: usize = 25_000;

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Of each node that messages tie to the reference from both sides, in order of node.
    pub skews: Vec<Skew>,
    /// The reference: a node, or a master without one.
    pub reference: Reference,
    /// Nodes whose clocks were set while they were logged.
    pub set: Vec<ClockSet>,
    /// The ways of blocks along their pipelines.
    pub hops: Vec<Hop>,
}

/// Against whose clock skews are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// The node of the JobTracker or ResourceManager.
    Node(NodeId),
    /// The JobTracker of a history, whose node is not known.
    Master,
    /// The nodes' median.
    #[default]
    Median,
}

/// The messages of a cluster, but for those of its shuffles; times are those of the logs in UTC.
pub struct Gathered {
    master: Option<NodeId>,
    nodes: usize,
    messages: Messages,
    hops: Hops,
}

impl Gathered {
    /// Those that histories tell of.
    pub fn of_histories(input: &Input<'_>, histories: &Histories, nodes: usize) -> Self {
        let mut gathered =
            Self { master: master_of(input), nodes, messages: Messages::default(), hops: Hops::default() };
        gathered.clocks(input).tasks_of_histories(histories, &mut gathered.messages);
        gathered
    }

    /// Adds those that logs tell of.
    pub fn read_logs(&mut self, input: &Input<'_>) {
        let clocks = self.clocks(input);
        clocks.writes(&mut self.messages, &mut self.hops);
        clocks.tracker_attempts(&mut self.messages);
        clocks.containers(&mut self.messages);
    }

    fn clocks<'a>(&self, input: &'a Input<'a>) -> Clocks<'a> {
        Clocks { input, master: self.master.map_or(self.nodes, NodeId::index) }
    }

    /// Estimates the skews.
    pub fn estimate(self, shuffles: Shuffles) -> Found {
        let Self { master, nodes, mut messages, hops } = self;
        shuffles.send(&mut messages);
        Found { hops: hops.timed(), ..estimate(&mut messages, master, nodes) }
    }
}

#[inline(never)]
fn estimate(messages: &mut Messages, master: Option<NodeId>, nodes: usize) -> Found {
    let of_master = master.map_or(nodes, NodeId::index);
    let root = if messages.has(of_master) { Some(of_master) } else { messages.busiest() };
    let Some(root) = root else { return Found::default() };
    let (Solved { mut bounds, .. }, steps) = messages.solve(root, of_master);
    let reference = match master {
        Some(node) if root == of_master => Reference::Node(node),
        None if root == of_master => Reference::Master,
        _ => Reference::Median,
    };
    if reference == Reference::Median {
        // The clocks' median lies between the medians of their bounds: what that leaves open is open for each of them.
        let (low, high) = (median(bounds.values().map(|b| b.low_ms)), median(bounds.values().map(|b| b.high_ms)));
        for b in bounds.values_mut() {
            *b = Bounds { low_ms: b.low_ms.saturating_sub(high), high_ms: b.high_ms.saturating_sub(low) };
        }
    }
    let mut set = Vec::new();
    for step in steps.into_iter().filter(|step| step.clock < nodes) {
        set.extend(ClockSet::of(step, bounds.get_mut(&step.clock)));
    }
    let counts = messages.counts(nodes);
    let skews = bounds
        .iter()
        .filter(|_| bounds.len() > 1)
        .filter_map(|(clock, b)| {
            let node = NodeId(u32::try_from(*clock).ok()?);
            let (skew_ms, messages) = (b.middle_ms(), *counts.get(*clock)?);
            Some(Skew { node, skew_ms, low_ms: b.low_ms, high_ms: b.high_ms, messages, corrected: false })
        })
        .collect();
    Found { skews, reference, set, ..Found::default() }
}

/// The upper median; 0 of none.
fn median(values: impl Iterator<Item = i64>) -> i64 {
    let mut values: Vec<i64> = values.collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The node of the master: the JobTracker's, else the ResourceManager's.
fn master_of(input: &Input<'_>) -> Option<NodeId> {
    [formats::JOBTRACKER, formats::RESOURCEMANAGER]
        .iter()
        .find_map(|format| input.files_of(format).find_map(|f| f.node))
}

struct Clocks<'a> {
    input: &'a Input<'a>,
    master: ClockId,
}

/// Notes a message where both ends are known.
fn send(messages: &mut Messages, from: Option<Stamp>, to: Option<Stamp>) {
    if let Some((from, to)) = from.zip(to) {
        messages.note(from, to);
    }
}

/// Which of too many are looked at: a part chosen by their ids, the same whatever the order.
#[derive(Default)]
struct Chosen {
    /// Bits that an id, mixed, must not have; all of them: none is taken, since too many have one id.
    mask: u64,
}

impl Chosen {
    const fn takes(&self, id: u64) -> bool {
        self.mask != u64::MAX && mixed(id) & self.mask == 0
    }

    /// From now on half of them, if there are too many; tells whether the others are to go.
    const fn halves(&mut self, there_are: usize) -> bool {
        let halves = there_are > KEPT && self.mask != u64::MAX;
        if halves {
            self.mask = self.mask << 1 | 1;
        }
        halves
    }
}

impl Clocks<'_> {
    /// Between JobTracker and TaskTracker.
    #[inline(never)]
    fn tracker_attempts(&self, messages: &mut Messages) {
        let mut assigned: BTreeMap<(AttemptId, NodeId), Timestamp> = BTreeMap::new();
        let mut reported: BTreeMap<AttemptId, Timestamp> = BTreeMap::new();
        for file in self.input.files_of(formats::JOBTRACKER) {
            for row in file.about(Topic::Tasks) {
                match row.event {
                    Event::TaskAssigned { attempt, host, .. } => {
                        if let Some(node) = self.input.node_named(&host) {
                            assigned.entry((attempt, node)).or_insert(row.at);
                        }
                    }
                    Event::TaskCompleted { attempt } => {
                        reported.entry(attempt).or_insert(row.at);
                    }
                    _ => {}
                }
            }
        }
        if assigned.is_empty() {
            return;
        }
        for file in self.input.files_of(formats::TASKTRACKER) {
            let Some(node) = file.node else { continue };
            let here = |at| Some((node.index(), at));
            for row in file.about(Topic::Tasks) {
                match row.event {
                    Event::Launched { attempt, cleanup: false } => {
                        let sent = assigned.get(&(attempt, node)).map(|at| (self.master, *at));
                        send(messages, sent, here(row.at));
                    }
                    Event::Ended { attempt, outcome: Outcome::Success } => {
                        let heard = reported.get(&attempt).filter(|_| assigned.contains_key(&(attempt, node)));
                        send(messages, here(row.at), heard.map(|at| (self.master, *at)));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Between ResourceManager, NodeManagers, ApplicationMasters and tasks.
    #[inline(never)]
    fn containers(&self, messages: &mut Messages) {
        let (steps, given) = (self.container_steps(), self.tasks_given());
        if steps.is_empty() && given.is_empty() {
            return;
        }
        let step = |container, step| steps.get(&(container, step)).map(|at| (self.master, *at));
        self.nodemanagers(&step, messages);
        self.task_logs(&step, &given, messages);
    }

    /// The first time that the ResourceManager tells of each step of each container.
    fn container_steps(&self) -> BTreeMap<(ContainerId, ContainerStep), Timestamp> {
        let mut steps = BTreeMap::new();
        for file in self.input.files_of(formats::RESOURCEMANAGER) {
            for row in file.about(Topic::Tasks) {
                if let Event::ContainerStepped { container, step } = row.event {
                    steps.entry((container, step)).or_insert(row.at);
                }
            }
        }
        steps
    }

    /// When each attempt's JVM was given its task, by its ApplicationMaster.
    fn tasks_given(&self) -> BTreeMap<AttemptId, Stamp> {
        let mut given = BTreeMap::new();
        for file in self.input.files_of(formats::AM_SYSLOG) {
            let Some(node) = file.node else { continue };
            for row in file.about(Topic::Tasks) {
                if let Event::TaskGiven { attempt } = row.event {
                    given.entry(attempt).or_insert((node.index(), row.at));
                }
            }
        }
        given
    }

    /// What NodeManagers localize after the ResourceManager has given it away, and tell it of when it is over.
    fn nodemanagers(&self, step: &dyn Fn(ContainerId, ContainerStep) -> Option<Stamp>, messages: &mut Messages) {
        for file in self.input.files_of(formats::NODEMANAGER) {
            let Some(node) = file.node else { continue };
            let here = |at| Some((node.index(), at));
            for row in file.about(Topic::Tasks) {
                match row.event {
                    // A heartbeat may tell of a container, and so the master log that it runs, before the node
                    // localizes it: the application is set up first, which took up to 1.3 s in 3.4.1.
                    Event::Localizing { container } => {
                        send(messages, step(container, ContainerStep::Acquired), here(row.at));
                    }
                    // One that is killed may be over for the master before it is.
                    Event::ContainerLeft { container, outcome: Outcome::Success } => {
                        send(messages, here(row.at), step(container, ContainerStep::Completed));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Tasks' own logs, which begin before and end after their ApplicationMaster gives them their tasks.
    fn task_logs(
        &self,
        step: &dyn Fn(ContainerId, ContainerStep) -> Option<Stamp>,
        given: &BTreeMap<AttemptId, Stamp>,
        messages: &mut Messages,
    ) {
        // A task may have several logs; its JVM begins with the first line of all.
        let mut began: BTreeMap<AttemptId, (Stamp, Option<ContainerId>)> = BTreeMap::new();
        let mut unnamed: BTreeMap<ContainerId, Stamp> = BTreeMap::new();
        for file in self.input.files_of(formats::TASK_SYSLOG) {
            let Some(node) = file.node else { continue };
            for row in file.about(Topic::Tasks) {
                match row.event {
                    Event::TaskLog { attempt, container } => {
                        let log = ((node.index(), row.at), container);
                        let first = began.entry(attempt).or_insert(log);
                        if row.at < first.0.1 {
                            *first = log;
                        }
                    }
                    Event::ContainerLog { container } => {
                        unnamed.entry(container).or_insert((node.index(), row.at));
                    }
                    Event::TaskDone { attempt } => {
                        send(messages, given.get(&attempt).copied(), Some((node.index(), row.at)));
                    }
                    _ => {}
                }
            }
        }
        for (attempt, (first, container)) in began {
            let other = container.and_then(|c| unnamed.get(&c)).filter(|other| other.1 < first.1);
            let first = *other.unwrap_or(&first);
            send(messages, container.and_then(|c| step(c, ContainerStep::Acquired)), Some(first));
            send(messages, Some(first), given.get(&attempt).copied());
        }
    }

    /// In the histories of a JobTracker: tasks by its clock, attempts by their trackers'.
    #[inline(never)]
    fn tasks_of_histories(&self, histories: &Histories, messages: &mut Messages) {
        for told in histories.attempts().filter(|told| told.record.attempt.job.is_dated()) {
            let (Some(node), record) = (told.node, &told.record) else { continue };
            let Some(task) = histories.task_of(record.attempt) else { continue };
            let here = |at: Option<Timestamp>| at.map(|at| (node.index(), at));
            let master = |at: Option<Timestamp>| at.map(|at| (self.master, at));
            send(messages, master(task.start), here(record.start));
            if record.outcome == Some(Outcome::Success) {
                send(messages, here(record.finish), master(task.finish));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_ends_where_all_have_one_id() {
        // The one id that the mixer makes 0 of, and one that is 0 itself.
        for id in [0_u64.wrapping_sub(0x9e37_79b9_7f4a_7c15), 0] {
            let mut chosen = Chosen::default();
            let mut held = vec![id; KEPT + 1];
            while chosen.halves(held.len()) {
                held.retain(|id| chosen.takes(*id));
            }
            assert!(held.is_empty() && !chosen.takes(id), "{id:x}");
        }
    }

    #[test]
    fn median_that_is_not_known_makes_no_clock_certain() {
        let messages = |ms: [i64; 2]| {
            let mut messages = Messages::default();
            let at = |ms| Timestamp::from_millis(ms);
            messages.note((0, at(0)), (1, at(ms[0])));
            messages.note((1, at(0)), (0, at(ms[1])));
            estimate(&mut messages, None, 2).skews
        };
        // Both clocks right: the answer took 4 s.
        let certain = |skews: &[Skew]| skews.iter().filter(|s| s.is_certain()).count();
        assert_eq!(certain(&messages([4_000, 10])), 0);
        // One is off by 60 s.
        assert_eq!(certain(&messages([64_000, -59_990])), 1);
    }
}
