//! Two habits of jobs that cost time and that a swimlane shows to the eye, found by rule.
//!
//! # Idle Reduce nodes (M16)
//! Paper §4.2: a node that runs no Reduce of a job while others do. The job has too few
//! Reduces, or they queue elsewhere. A node counts that worked for the cluster in the job's
//! time, unless a master lost it or ran nothing on it, or it fell silent; the advice is the paper's: as many Reduces as nodes have slots.
//!
//! # A constant delay (M17)
//! Paper §4.3: tasks of 100 ms that take three minutes, all the same three minutes. Work
//! varies, a timer does not:
//! ```text
//! durations of Maps   ▇▇▇▇▇▇▇▇                         ▇▇
//!                     2 s                              182 s    delay 180 s
//! hint ⇔ ≥ 5 tasks and 1 % of its type are later than the median by the same time, within
//!        5 % or 1 s; that time is ≥ 5 s and ≥ 5 × the spread of the others; few lie between
//! ```
//! # Known misses
//! Delays in all tasks alike; a job with one or two waves of few tasks.
//!
//! Cost: O(attempts · log attempts) a job.

use super::{JobFlow, in_one_clock};
use crate::base::quantity::{counted, of_millis};
use crate::base::text::and_more;
use crate::base::{Arrange, Gathered, NodeId, Timestamp};
use crate::diagnosis::silence::silent_since;
use crate::model::{Complaint, ComplaintKind, JobConf, Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// Tasks that must be delayed alike: fewer are chance.
const MIN_DELAYED: usize = 5;
/// And the share of all tasks of the type.
const MIN_DELAYED_SHARE: f64 = 0.01;
/// Delays within this factor, or [`SAME_MS`], are the same.
const SAME: f64 = 0.05;
const SAME_MS: f64 = 1000.0;
/// A shorter delay is no timer's: heartbeats and garbage collection make such.
const MIN_DELAY_MS: f64 = 5000.0;
/// A delay stands out from the others' quartiles by this factor.
const STANDS_OUT: f64 = 5.0;
/// Tasks between the others and the delayed, as a share of the delayed: a tail has more.
const MAX_BETWEEN: f64 = 0.2;
/// Fewer Reduces for each node than this are meant so: a total order takes one.
const MEANT_TO_SPREAD: f64 = 0.5;
/// Reduces that take a smaller share of the job do not matter.
const MIN_REDUCE_SHARE: f64 = 0.2;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Hint {
    /// Nodes that ran no Reduce of the job.
    IdleReduceNodes {
        /// Which, in order.
        nodes: Vec<NodeId>,
        /// Reduces of the job.
        reduces: usize,
        /// Nodes that could have run one.
        of: usize,
        /// Reduces side by side on one node: by configuration, else as seen.
        slots: u32,
        /// Some node ran one Reduce after another meanwhile.
        queued: bool,
    },
    /// Tasks that were late by the same time.
    ConstantDelay {
        /// Maps or Reduces.
        task_type: TaskType,
        /// How many were late.
        delayed: usize,
        /// Of how many.
        of: usize,
        /// On how many nodes.
        nodes: usize,
        /// By how much, in milliseconds: the median.
        delay_ms: f64,
        /// Half of the spread of the delays.
        spread_ms: f64,
        /// What the others took: the median.
        usual_ms: f64,
    },
}

/// All hints of a job.
#[must_use]
pub fn of(trace: &Trace, flow: &JobFlow) -> Vec<Hint> {
    let delays = [TaskType::Map, TaskType::Reduce].into_iter().filter_map(|t| constant_delay(trace, flow, t));
    idle_reduce_nodes(trace, flow).into_iter().chain(delays).collect()
}

impl Hint {
    /// In words, with what to try.
    #[must_use]
    pub fn words(&self, trace: &Trace) -> String {
        match self {
            Self::IdleReduceNodes { nodes, reduces, of, slots, queued } => {
                let names: Vec<&str> = nodes.iter().take(5).map(|n| trace.node_name(*n)).collect();
                let more = and_more(nodes.len().saturating_sub(names.len()));
                let meanwhile = if *queued { ", while others ran one after another" } else { "" };
                let wanted = (*of as u64).saturating_mul(u64::from(*slots));
                let advice = if wanted > *reduces as u64 {
                    format!("with {wanted} Reduces ({of} nodes × {slots} side by side) each node would have its share")
                } else {
                    "see why the scheduler passed it over".to_owned()
                };
                format!("{}{more} ran no Reduce of the job's {reduces}{meanwhile}: {advice}", names.join(", "))
            }
            Self::ConstantDelay { task_type, delayed, of, nodes, delay_ms, spread_ms, usual_ms } => format!(
                "{delayed} of {of} {} on {} took {} ± {} longer than the usual {}: work varies, a timer does \
                 not; look for something that is tried in vain before each of them (a name that is not found, IPv6 \
                 before IPv4: -Djava.net.preferIPv4Stack=true)",
                if *task_type == TaskType::Map { "Maps" } else { "Reduces" },
                counted(*nodes as u64, "node"),
                of_millis(*delay_ms),
                of_millis(*spread_ms),
                of_millis(*usual_ms),
            ),
        }
    }
}

fn idle_reduce_nodes(trace: &Trace, flow: &JobFlow) -> Option<Hint> {
    let reduces: Vec<&TaskAttempt> = flow.done(trace, TaskType::Reduce).map(|(_, t)| t).collect();
    let begin = reduces.iter().filter_map(|t| t.start).min()?;
    let end = reduces.iter().filter_map(|t| t.finish).max()?;
    let launch = flow.tasks.iter().filter_map(|i| trace.tasks.get(*i)?.start).min()?;
    let tried = || flow.tasks.iter().filter_map(|i| trace.tasks.get(*i)).filter(|t| t.task_type == TaskType::Reduce);
    let ran: BTreeSet<NodeId> = tried().filter_map(|t| t.node).gathered();
    let count = tried().map(|t| t.id.task).gathered::<BTreeSet<_>>().len();
    let mut able = able_nodes(trace, launch, end);
    let mut idle: Vec<NodeId> = able.iter().copied().filter(|n| !ran.contains(n)).collect();
    if !idle.is_empty() {
        let unfit = unfit_nodes(trace, end);
        idle.retain(|node| !unfit.contains(node));
        able.retain(|node| !unfit.contains(node));
    }
    let spread = count as f64 >= MEANT_TO_SPREAD * able.len() as f64 && count > 1;
    let matters = end.millis_since(begin) as f64 >= MIN_REDUCE_SHARE * end.millis_since(launch) as f64;
    if idle.is_empty() || !spread || !matters || able.len() < 2 {
        return None;
    }
    let by_conf = trace.confs.get(&flow.job).and_then(|conf: &JobConf| conf.reduce_slots);
    let slots = by_conf.unwrap_or_else(|| side_by_side(trace)).max(1);
    let queued = one_after_another(&reduces);
    Some(Hint::IdleReduceNodes { nodes: idle, reduces: count, of: able.len(), slots, queued })
}

/// Peers that ran any task between two instants, or of which nothing says that they could
/// not: those that ran one before and one after.
fn able_nodes(trace: &Trace, from: Timestamp, to: Timestamp) -> BTreeSet<NodeId> {
    let mut seen: BTreeMap<NodeId, (bool, bool, bool)> = BTreeMap::new();
    for task in &trace.tasks {
        let (Some(node), Some(start)) = (task.node, task.start) else { continue };
        if task.outcome == Some(Outcome::Failed) {
            continue;
        }
        let (before, during, after) = seen.entry(node).or_default();
        *before |= start < from;
        *after |= start > to;
        *during |= start >= from && start <= to;
    }
    let able = seen.into_iter().filter(|(_, (before, during, after))| *during || (*before && *after));
    able.map(|(node, _)| node).filter(|n| trace.nodes.get(n.index()).is_some_and(|n| n.is_peer)).gathered()
}

/// Nodes that masters lost or ran nothing on, or that fell silent, before an instant: no number of Reduces gives them one.
fn unfit_nodes(trace: &Trace, before: Timestamp) -> BTreeSet<NodeId> {
    let given_up = |c: &&Complaint| {
        use ComplaintKind::{Blacklisted, LostNode, UnhealthyNode};
        matches!(c.kind, LostNode | UnhealthyNode | Blacklisted)
    };
    let told = trace.complaints.iter().filter(given_up).filter(|c| c.at <= before).filter_map(|c| c.of);
    let silent = silent_since(trace, &BTreeSet::new()).filter(|(_, since, _)| *since <= before);
    told.chain(silent.map(|(node, ..)| node)).gathered()
}

/// Reduces that ran at once on one node, at the most, in the whole trace.
fn side_by_side(trace: &Trace) -> u32 {
    let mut edges: BTreeMap<NodeId, Vec<(Timestamp, i32)>> = BTreeMap::new();
    for t in trace.tasks.iter().filter(|t| t.task_type == TaskType::Reduce) {
        if let (Some(node), Some(start), Some(end)) = (t.node, t.start, t.finish) {
            edges.entry(node).or_default().extend([(start, 1), (end, -1)]);
        }
    }
    let most = edges.into_values().map(|mut edges| {
        edges.arrange(Ord::cmp);
        edges
            .iter()
            .scan(0, |now, (_, step)| {
                *now += step;
                Some(*now)
            })
            .max()
            .unwrap_or(0)
    });
    u32::try_from(most.max().unwrap_or(1)).unwrap_or(1)
}

/// Whether on some node a Reduce of the job began after another had ended.
fn one_after_another(reduces: &[&TaskAttempt]) -> bool {
    let mut first_end: BTreeMap<NodeId, Timestamp> = BTreeMap::new();
    for t in reduces {
        if let (Some(node), Some(end)) = (t.node, t.finish) {
            let known = first_end.entry(node).or_insert(end);
            *known = end.min(*known);
        }
    }
    reduces.iter().any(|t| {
        let end = t.node.and_then(|node| first_end.get(&node)).copied();
        // One of no length began when it ended itself.
        end.is_some() && t.start >= end && t.finish > end
    })
}

/// Of Maps by all of their time. Of Reduces by what follows their copying, which waits for Maps; else by all of the time of
/// those that began after the last Map's end, and so waited for none.
fn constant_delay(trace: &Trace, flow: &JobFlow, task_type: TaskType) -> Option<Hint> {
    let took = |t: &TaskAttempt, from: Option<Timestamp>| Some((t.finish?.millis_since(from?) as f64, t.node));
    let done = || flow.done(trace, task_type).map(|(_, t)| t);
    if task_type == TaskType::Map {
        return delayed_alike(task_type, done().filter_map(|t| took(t, t.start)).collect());
    }
    let ends = flow.done(trace, TaskType::Map).map(|(_, t)| in_one_clock(trace, t, t.finish));
    let maps_end = ends.max().flatten();
    let waited_for_none = |t: &&TaskAttempt| in_one_clock(trace, t, t.start) >= maps_end;
    delayed_alike(task_type, done().filter_map(|t| took(t, t.shuffle_end.or(t.start))).collect())
        .or_else(|| delayed_alike(task_type, done().filter(waited_for_none).filter_map(|t| took(t, t.start)).collect()))
}

/// Whether some of these tasks, each with its milliseconds and its node, were late by the same time.
fn delayed_alike(task_type: TaskType, tasks: Vec<(f64, Option<NodeId>)>) -> Option<Hint> {
    let all = sorted(tasks.iter().map(|(ms, _)| *ms));
    let usual = median(&all)?;
    let late: Vec<f64> = all.iter().map(|ms| ms - usual).filter(|ms| *ms >= MIN_DELAY_MS).collect();
    // The delay that most tasks share.
    let reach = |from: f64| from + (from * SAME).max(SAME_MS);
    let alike = |i: usize| {
        let from = late.get(i).copied().unwrap_or(0.0);
        late.partition_point(|ms| *ms <= reach(from)) - i
    };
    let best = (0..late.len()).max_by_key(|i| (alike(*i), std::cmp::Reverse(*i)))?;
    let count = alike(best);
    let delays = late.get(best..best + count)?;
    let (shortest, delay) = (*delays.first()?, median(delays)?);
    let spread = quantile(&all, 0.75)? - quantile(&all, 0.25)?;
    let between = late.get(..best).map_or(0, |l| l.iter().filter(|ms| **ms > delay * 0.25).count());
    let enough = count >= MIN_DELAYED && count as f64 >= MIN_DELAYED_SHARE * all.len() as f64;
    let stands_out = shortest >= STANDS_OUT * spread && between as f64 <= MAX_BETWEEN * count as f64;
    if !enough || !stands_out || count * 2 > all.len() {
        return None;
    }
    let is_delayed = |ms: f64| ms - usual >= shortest && ms - usual <= *delays.last().unwrap_or(&shortest);
    let nodes: BTreeSet<NodeId> = tasks.iter().filter(|(ms, _)| is_delayed(*ms)).filter_map(|(_, n)| *n).gathered();
    Some(Hint::ConstantDelay {
        task_type,
        delayed: count,
        of: all.len(),
        nodes: nodes.len(),
        delay_ms: delay,
        spread_ms: (delays.last()? - shortest) / 2.0,
        usual_ms: usual,
    })
}
