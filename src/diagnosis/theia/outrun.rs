//! Attempts that another of their task, the rival, outran by far: on a healthy node a speculative attempt saves a third of
//! the time at most, on one whose tasks stand still it saves nearly all of it.
//!
//! ```text
//! h117   m_000024_0  ├────────────────────────── killed     time since it could work: 110 s
//! h103   m_000024_1                        ├─ success      its rival's: 12 s
//! ```
//! Reduces wait for their job's maps, so their time counts from the last success among these. An
//! attempt that was outrun counts against its node; where one node has [`LEAST`] and more than
//! [`TIMES_ANY_OTHER`] times as many as any other, the chance that so many of all outrun attempts
//! fall on one of the nodes (binomial, any node: times their number) decides how much it weighs.
//!
//! Source: Kahuna's HANG faults where speculation hides them (§VIII, footnotes to Table IV): the
//! attempts are killed, so no duration of a success moves. Cost: O(attempts).

use super::survey::own_begins;
use crate::base::{Arrange, Gathered, NodeId, Timestamp};
use crate::diagnosis::{EVIDENCE_LINES, Indictment, Method, Signal, Strength, Witness};
use crate::model::{Outcome, TaskAttempt, TaskType, Trace};
use crate::stats::binomial::tail;
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeMap;

/// An attempt is outrun by a rival that needed so many times less: a busy neighbour or a slow disk
/// mostly cost less…
const TIMES_RIVAL: f64 = 3.0;
/// …and whose lead is so long: below, the start of a JVM decides.
const LEAD_MS: i64 = 10_000;
/// Fewer are an accident.
const LEAST: u32 = 2;
/// A node stands out if it has so many times as many as any other.
const TIMES_ANY_OTHER: u32 = 3;
/// Chance up to which the word is strong…
const STRONG: f64 = 0.01;
/// …and up to which it is one at all.
const MODERATE: f64 = 0.1;
/// Chances of tenths and twenty-fifths are not exact.
const ROUNDING: f64 = 1e-9;
/// An attempt and its rival.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Outrun<'a> {
    attempt: &'a TaskAttempt,
    node: NodeId,
    start: Timestamp,
    ms: f64,
    rival_ms: f64,
}

/// The witness; `None` where no attempt was outrun.
#[must_use]
pub fn witness(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    let all: Vec<Outrun<'_>> = trace
        .tasks
        .chunk_by(|a, b| a.id.job == b.id.job)
        .flat_map(of_job)
        .filter(|o| peers.binary_search(&o.node).is_ok())
        .collect();
    if all.is_empty() {
        return None;
    }
    let mut counts: BTreeMap<NodeId, u32> = peers.iter().map(|node| (*node, 0)).gathered();
    for outrun in &all {
        *counts.entry(outrun.node).or_default() += 1;
    }
    let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let chance = |count: u32| (peers.len() as f64 * tail(total, 1.0 / peers.len() as f64, count)).min(1.0);
    let mut witness = Witness::new(Method::Theia, Signal::Outrun);
    witness.scores = counts.iter().map(|(node, count)| (*node, f64::from(*count))).collect();
    let least = (LEAST..=total).find(|count| chance(*count) <= MODERATE + ROUNDING);
    witness.threshold = Some(least.map_or(f64::from(total.max(LEAST)), |least| f64::from(least) - 1.0));
    let stands_out = |node: NodeId, count: u32| {
        counts.iter().all(|(other, theirs)| *other == node || count > TIMES_ANY_OTHER.saturating_mul(*theirs))
    };
    witness.indicted = counts
        .iter()
        .filter(|(node, count)| least.is_some_and(|least| **count >= least) && stands_out(**node, **count))
        .map(|(node, count)| indict(trace, *node, chance(*count), &all))
        .collect();
    Some(witness)
}

/// How many maps and reduces of these attempts of one job were outrun.
#[must_use]
pub fn counts(tasks: &[TaskAttempt]) -> [(TaskType, usize); 2] {
    let outrun = of_job(tasks);
    [TaskType::Map, TaskType::Reduce].map(|kind| (kind, outrun.iter().filter(|o| o.attempt.task_type == kind).count()))
}

/// The attempts of one job that were outrun.
fn of_job(tasks: &[TaskAttempt]) -> Vec<Outrun<'_>> {
    let own_begin = own_begins(tasks);
    let millis = |t: &TaskAttempt| Some(t.finish?.millis_since(own_begin(t)?).max(0) as f64);
    let mut found = Vec::new();
    for attempts in tasks.chunk_by(|a, b| (a.id.letter, a.id.task) == (b.id.letter, b.id.task)) {
        for attempt in attempts.iter().filter(|t| t.outcome == Some(Outcome::Killed)) {
            let (Some(node), Some(start), Some(ms)) = (attempt.node, attempt.start, millis(attempt)) else { continue };
            let rivals = attempts.iter().filter(|rival| attempt.lost_to(rival));
            let rival_ms = rivals.filter_map(millis).min_by(f64::total_cmp);
            let by_far = |rival_ms: &f64| ms >= TIMES_RIVAL * rival_ms && ms - rival_ms >= LEAD_MS as f64;
            found.extend(rival_ms.filter(by_far).map(|rival_ms| Outrun { attempt, node, start, ms, rival_ms }));
        }
    }
    found
}

fn indict(trace: &Trace, node: NodeId, chance: f64, all: &[Outrun<'_>]) -> Indictment {
    let mut own: Vec<&Outrun<'_>> = all.iter().filter(|o| o.node == node).collect();
    own.arrange_by(|o| (o.start, o.attempt.id));
    let middle = |value: fn(&Outrun<'_>) -> f64| median(&sorted(own.iter().map(|o| value(o)))).unwrap_or(0.0);
    let (ms, rival_ms) = (middle(|o| o.ms), middle(|o| o.rival_ms));
    let text = format!(
        "{} of {} attempts that another of their task outran by far ran on {}: they were killed after {:.0} s of work, the others needed {:.0} s",
        own.len(),
        all.len(),
        trace.node_name(node),
        ms / 1000.0,
        rival_ms / 1000.0,
    );
    Indictment {
        node,
        strength: if chance <= STRONG + ROUNDING { Strength::Strong } else { Strength::Moderate },
        score: own.len() as f64,
        ratio: ms / rival_ms.max(1.0),
        p: Some(chance),
        text,
        lines: own.iter().take(EVIDENCE_LINES).map(|o| o.attempt.place).collect(),
        since: own.first().map(|o| o.start),
        until: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter};
    use crate::model::Node;

    /// An attempt: letter, task, attempt, node, start and finish in seconds, outcome.
    type Row = (TaskLetter, u32, u32, u32, i64, i64, Outcome);

    const M: TaskLetter = TaskLetter::Map;
    const R: TaskLetter = TaskLetter::Reduce;
    const OK: Outcome = Outcome::Success;
    const KILLED: Outcome = Outcome::Killed;

    fn trace(nodes: u32, rows: &[Row]) -> Trace {
        let attempt = |(letter, task, attempt, node, start, finish, outcome): &Row| TaskAttempt {
            node: Some(NodeId(*node)),
            start: Some(Timestamp::from_millis(start * 1000)),
            finish: Some(Timestamp::from_millis(finish * 1000)),
            outcome: Some(*outcome),
            ..TaskAttempt::of(
                AttemptId { job: JobId { cluster: 1, number: 1 }, letter: *letter, task: *task, attempt: *attempt },
                if *letter == M { TaskType::Map } else { TaskType::Reduce },
                Place { file: FileId(0), line: 1 },
            )
        };
        let mut tasks: Vec<TaskAttempt> = rows.iter().map(attempt).collect();
        tasks.arrange_by(|t| t.id);
        let nodes = (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
        Trace { nodes, tasks, ..Trace::default() }
    }

    fn heard(trace: &Trace) -> Option<Witness> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        witness(trace, &peers)
    }

    fn accused(trace: &Trace) -> Vec<(u32, Strength)> {
        heard(trace).into_iter().flat_map(|w| w.indicted).map(|i| (i.node.0, i.strength)).collect()
    }

    /// So many maps on each of these nodes, outrun by rivals on another.
    fn outrun_on(nodes: &[u32]) -> Vec<Row> {
        let pair = |(task, node): (u32, &u32)| [(M, task, 0, *node, 0, 60, KILLED), (M, task, 1, node + 1, 50, 60, OK)];
        (0..).zip(nodes).flat_map(pair).collect()
    }

    #[test]
    fn all_on_one_node_accuse_it_the_stronger_the_more_nodes_there_are() {
        // N · (1/N)^k: two of ten 0.1, three of ten 0.01, two of five 0.2, three of five 0.04.
        assert_eq!(accused(&trace(10, &outrun_on(&[3, 3]))), [(3, Strength::Moderate)]);
        assert_eq!(accused(&trace(10, &outrun_on(&[3, 3, 3]))), [(3, Strength::Strong)]);
        assert_eq!(accused(&trace(5, &outrun_on(&[3, 3]))), []);
        assert_eq!(accused(&trace(5, &outrun_on(&[3, 3, 3]))), [(3, Strength::Moderate)]);
        assert_eq!(accused(&trace(10, &outrun_on(&[3]))), [], "once is an accident");
    }

    #[test]
    fn word_says_how_long_and_since_when() {
        let found = heard(&trace(10, &outrun_on(&[3, 3, 3]))).unwrap();
        assert_eq!((found.threshold, found.scores[3].1), (Some(2.0), 3.0));
        let word = &found.indicted[0];
        assert_eq!(
            word.text,
            "3 of 3 attempts that another of their task outran by far ran on h3: they were killed after 60 s of work, the others needed 10 s"
        );
        assert_eq!((word.ratio, word.since, word.lines.len()), (6.0, Some(Timestamp::from_millis(0)), 3));
    }

    #[test]
    fn node_with_three_times_as_many_as_another_does_not_stand_out() {
        assert_eq!(accused(&trace(10, &outrun_on(&[3, 3, 3, 5]))), []);
        assert_eq!(accused(&trace(10, &outrun_on(&[3, 3, 3, 3, 5]))), [(3, Strength::Strong)]);
    }

    #[test]
    fn rivals_that_gain_little_come_from_the_same_node_or_lose_tell_nothing() {
        let with_rival = |rival: Row| heard(&trace(10, &[(M, 0, 0, 3, 0, 60, KILLED), rival]));
        assert!(with_rival((M, 0, 1, 4, 40, 60, OK)).is_some(), "20 s are a third of 60");
        assert!(with_rival((M, 0, 1, 4, 39, 60, OK)).is_none(), "21 s are more");
        assert!(with_rival((M, 0, 1, 3, 50, 60, OK)).is_none(), "the same node");
        assert!(with_rival((M, 0, 1, 4, 50, 60, KILLED)).is_none(), "the rival was killed");
        assert!(with_rival((M, 0, 1, 4, 60, 70, OK)).is_none(), "killed before, for another reason");
        // 14 s beside 4.7: three times, but no lead of 10 s.
        let short = [(M, 0, 0, 3, 0, 14, KILLED), (M, 0, 1, 4, 10, 14, OK)];
        assert!(heard(&trace(10, &[short[0], short[1]])).is_some());
        assert!(heard(&trace(10, &[(M, 0, 0, 3, 1, 14, KILLED), short[1]])).is_none());
    }

    #[test]
    fn reduces_wait_for_the_maps() {
        let reduces = [(R, 0, 0, 3, 0, 100, KILLED), (R, 0, 1, 4, 90, 100, OK)];
        assert!(heard(&trace(10, &reduces)).is_some());
        // The last map ends at 85: 15 s of work beside 10.
        let map: Row = (M, 0, 0, 5, 0, 85, OK);
        assert!(heard(&trace(10, &[reduces[0], reduces[1], map])).is_none());
    }
}
