//! What is known of one job's data flow: its volumes, its paths, what its end waited for, what stands out (M01, M06,
//! M07, M11 to M17), and the sentences that tell it.
//!
//! Cost: that of joining its transfers ([`JobFlow::of`]) and grouping its paths ([`Paths::of`]).

use super::answers;
use super::balance::weigh;
use super::critical::CriticalPath;
use super::hints;
use super::paths::Paths;
use super::volumes::Volumes;
use super::{JobFlow, Rule, Share};
use crate::base::JobId;
use crate::base::quantity::{bytes, counted, grouped, of_millis};
use crate::model::{FlowKind, TaskAttempt, TaskType, Trace};
use std::collections::BTreeMap;

/// The job whose attempts counted most bytes; of equals the one with the most attempts.
#[must_use]
pub fn busiest<'t>(tasks: impl IntoIterator<Item = &'t TaskAttempt>) -> Option<JobId> {
    let mut sums: BTreeMap<JobId, (i64, usize)> = BTreeMap::new();
    for t in tasks {
        let (moved, count) = sums.entry(t.id.job).or_default();
        let c = &t.counters;
        let own = [c.hdfs_read.get(), c.hdfs_written.get(), c.fetched()];
        *moved = own.into_iter().flatten().fold(*moved, i64::saturating_add);
        *count += 1;
    }
    sums.into_iter().max_by_key(|(id, sums)| (*sums, std::cmp::Reverse(*id))).map(|(id, _)| id)
}

/// A job's data flow and all that its figures need.
#[derive(Clone, Debug, PartialEq)]
pub struct JobStudy {
    /// The data flow.
    pub flow: JobFlow,
    /// Over the nodes.
    pub volumes: Volumes,
    /// Its paths in groups.
    pub paths: Paths,
    /// The path that its end waited for.
    pub critical: Option<CriticalPath>,
    /// The group of its path.
    pub critical_group: Option<usize>,
    /// Some paths lead through a Reduce.
    pub has_reduces: bool,
    /// What there is to say of the job, most telling first.
    pub words: Vec<String>,
    /// How far the sums can be trusted: logs beside counters, and by which rules transfers were joined.
    pub trust: Vec<String>,
}

impl JobStudy {
    /// Of one job.
    #[must_use]
    pub fn of(trace: &Trace, job: JobId) -> Self {
        let flow = JobFlow::of(trace, job);
        let critical = CriticalPath::of(trace, &flow);
        let paths = Paths::of(trace, &flow, critical.as_ref());
        let mut words: Vec<String> = critical.iter().map(|c| capital(&c.sentence())).collect();
        words.extend(structure(trace, &flow));
        let volumes = Volumes::of(trace, &flow);
        words.extend(answers::of(trace, &flow, &volumes));
        words.extend(hints::of(trace, &flow).iter().map(|h| h.words(trace)));
        Self {
            volumes,
            critical_group: critical.as_ref().and_then(|c| paths.group_of(c.map, c.reduce)),
            has_reduces: paths.paths.iter().any(|path| path.reduce.is_some()),
            paths,
            critical,
            words,
            trust: trust(trace, &flow),
            flow,
        }
    }
}

/// How Maps and Reduces divide the job's time (M15).
fn structure(trace: &Trace, flow: &JobFlow) -> Option<String> {
    // Mean time of those that ended well, and who they are: "12 Maps", "12 of 14 Maps".
    let told = |of: TaskType, name: &str| {
        let took: Vec<f64> =
            flow.done(trace, of).filter_map(|(_, t)| Some(t.finish?.millis_since(t.start?) as f64)).collect();
        let (ended, all) = flow.ended(trace, of);
        let tasks = counted(all as u64, name);
        let who = if ended < all { format!("{} of {tasks}", grouped(ended as u64)) } else { tasks };
        (all, took.iter().sum::<f64>() / took.len() as f64, who)
    };
    let ((_, map_ms, maps), (of, reduce_ms, reduces)) = (told(TaskType::Map, "Map"), told(TaskType::Reduce, "Reduce"));
    let say = of_millis;
    if map_ms.is_nan() {
        return None;
    }
    Some(match of {
        0 => format!("The job has Maps only: {maps} of {} on average", say(map_ms)),
        _ if reduce_ms.is_nan() => format!(
            "{maps} of {} on average; none of {} is known to have ended well",
            say(map_ms),
            counted(of as u64, "Reduce")
        ),
        _ => format!(
            "{maps} of {} and {reduces} of {} on average: a Reduce takes {:.1} times as long as a Map",
            say(map_ms),
            say(reduce_ms),
            reduce_ms / map_ms.max(1.0)
        ),
    })
}

/// How far the sums can be trusted.
fn trust(trace: &Trace, flow: &JobFlow) -> Vec<String> {
    let mut words: Vec<String> = weigh(trace, flow).iter().map(|w| capital(&w.words())).collect();
    let told = |((kind, rule), share): (&(FlowKind, Rule), &Share)| {
        format!(
            "{} joined by {}: {}, {}",
            kind.name(),
            rule.name(),
            counted(share.transfers, "transfer"),
            bytes(share.bytes as f64)
        )
    };
    words.extend(flow.shares.iter().map(told).map(|t| capital(&t)));
    words
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| std::iter::once(first.to_ascii_uppercase()).chain(chars).collect())
}
