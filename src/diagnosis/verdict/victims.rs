//! Nodes that are slow because they deal with one whose transfers are slow.

use super::{Culprit, Word};
use crate::base::{NodeId, Timestamp};
use crate::diagnosis::cause::Causes;
use crate::diagnosis::{Method, Numbers, Scope, Signal, Strength, flows};
use crate::model::errors::may_be_of_others;
use crate::model::{Complaint, ComplaintKind, FlowKind, Outcome, StateKind, Trace};

/// A node whose transfers take so many times as long without the slow ones is slow itself: as for states. In simulated
/// clusters with two faults true ones have 2.2 and more, victims below 1.
const SLOWER: f64 = 1.4;

/// A node whose transfers are slow slows whoever moves data through it (Kahuna §VIII-A calls such
/// faults correlated): beside it, nobody is accused by the times of tasks and by metrics alone, nor by blocks
/// that are slow only where it is an end, nor by Reduces that wait for ever to copy from it, or to write through it.
/// What only the transfers of some jobs tell explains nothing that happened in others. Beside one that was lost nobody is
/// accused by attempts alone that failed since, as they did not get what others have.
pub(super) fn spare_victims(
    trace: &Trace,
    causes: &Causes<'_>,
    numbers: &Numbers,
    culprits: &mut Vec<Culprit>,
    clusters: &[Vec<NodeId>],
) {
    let of_transfers = |word: &&Word| word.method == Method::Flows && word.indictment.strength == Strength::Strong;
    let slow: Vec<(NodeId, &Word)> =
        culprits.iter().flat_map(|c| c.evidence.iter().filter(of_transfers).map(|word| (c.node, word))).collect();
    let fell = |word: &Word| matches!(word.signal, Signal::Silence | Signal::Complaints(ComplaintKind::LostNode));
    let since = |word: &Word| word.indictment.since.filter(|_| fell(word));
    let lost: Vec<(NodeId, Timestamp)> =
        culprits.iter().filter_map(|c| Some((c.node, c.evidence.iter().filter_map(since).min()?))).collect();
    let is_victim = |c: &Culprit| {
        let explains = |scope: &Scope| c.evidence.iter().all(|word| word.scope.meets(scope));
        let peers = clusters.iter().filter(|peers| peers.contains(&c.node));
        let of_peers =
            peers.flat_map(|peers| slow.iter().filter(|(node, word)| peers.contains(node) && explains(&word.scope)));
        let beside: Vec<NodeId> = of_peers.clone().map(|(node, _)| *node).collect();
        let write_slowly = || of_peers.clone().any(|(_, word)| word.signal == Signal::Transfers(FlowKind::Write));
        let by_them = |Word { method, signal, scope, .. }: &Word| {
            let blocks = [(StateKind::ReadBlock, FlowKind::Read), (StateKind::WriteBlock, FlowKind::Write)];
            let moved = blocks.into_iter().find(|(state, _)| *signal == Signal::States(*state));
            match method {
                Method::KahunaBb | Method::Theia => true,
                Method::KahunaWb => moved.is_none_or(|(_, kind)| {
                    // No slower than others' once the slow nodes are set aside.
                    let ratio = flows::ratio_without(trace, numbers, (kind, scope), c.node, &beside);
                    ratio.is_some_and(|ratio| ratio < SLOWER)
                }),
                Method::SlowWarnings => *signal == Signal::Stuck && wait(trace, causes, c.node, write_slowly()),
                _ => false,
            }
        };
        let of_cluster = |node: &NodeId| clusters.iter().any(|peers| peers.contains(node) && peers.contains(&c.node));
        let fell = lost.iter().filter(|(node, _)| *node != c.node && of_cluster(node)).map(|(_, since)| *since).min();
        let lacks = || fell.is_some_and(|since| lacked(trace, c, since));
        (!beside.is_empty() && !beside.contains(&c.node) && c.evidence.iter().all(by_them)) || lacks()
    };
    let victims: Vec<NodeId> = culprits.iter().filter(|c| is_victim(c)).map(|c| c.node).collect();
    culprits.retain(|c| !victims.contains(&c.node));
}

/// Whether nothing accuses a node but attempts that failed on it from then on, each for what another node has.
fn lacked(trace: &Trace, c: &Culprit, since: Timestamp) -> bool {
    let (node, failed) = (c.node, Signal::Complaints(ComplaintKind::AttemptFailed));
    let error = |complaint: &Complaint| trace.task(complaint.attempt?)?.error.as_deref();
    let mut told = trace.complaints.iter().filter(|c| c.kind == ComplaintKind::AttemptFailed && c.of == Some(node));
    c.evidence.iter().all(|word| word.signal == failed)
        && told.all(|said| said.at >= since && error(said).is_some_and(may_be_of_others))
}

/// Whether what stands still on a node are Reduces that still copy or, where blocks are written slowly, may be writing:
/// what they wait for is elsewhere. To merge they need nobody.
fn wait(trace: &Trace, causes: &Causes<'_>, node: NodeId, write_slowly: bool) -> bool {
    let stand_in = |kind| trace.states.of_kind_on(kind, Some(node)).any(|s| s.outcome != Some(Outcome::Success));
    causes.standing_on(node).is_some_and(|standing| standing.kind == StateKind::Reduce)
        && !stand_in(StateKind::ReduceMergeCopy)
        && (write_slowly || !stand_in(StateKind::ReduceReducer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, BlockId, FileId, JobId, Place, TaskLetter, Timestamp};
    use crate::diagnosis::Indictment;
    use crate::diagnosis::cause::Rule;
    use crate::diagnosis::numbers::Setting;
    use crate::model::{Flow, Lanes, Node, State, TaskAttempt, TaskType};

    const SLOW: NodeId = NodeId(2);

    /// A method, what it looked at, and the job whose data alone it read.
    type Said = (Method, Signal, Option<u32>);

    const MAP: Signal = Signal::States(StateKind::Map);

    /// Six nodes, each pair of which writes four blocks of one size.
    fn writes(seconds: impl Fn(u32, u32) -> i64) -> Trace {
        let pairs = (0..4).flat_map(|_| (0..6_u32).flat_map(|a| (0..a).map(move |b| (a, b))));
        let flows = (0..).zip(pairs).map(|(line, (src, dest))| Flow {
            kind: FlowKind::Write,
            src: Some(src),
            dest: Some(dest),
            start: Some(Timestamp::default()),
            end: Timestamp::from_millis(seconds(src, dest) * 1000),
            bytes: Some(1000),
            block: Some(BlockId(line)),
            attempt: None,
            reduce: None,
            place: Place { file: FileId(0), line: line as u64 },
        });
        Trace {
            flows: Lanes::from_rows(flows),
            nodes: (0..6).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            ..Trace::default()
        }
    }

    fn culprit(node: NodeId, words: &[Said]) -> Culprit {
        let word = |(method, signal, job): &Said| Word {
            method: *method,
            signal: *signal,
            threshold: None,
            scope: job.map_or_else(Scope::default, |number| Scope::of_job(JobId { cluster: 1, number })),
            indictment: Indictment { score: 4.0, ratio: 4.0, ..Indictment::bare(node, Strength::Strong) },
        };
        let evidence = words.iter().map(word).collect();
        Culprit { node, rule: Rule::Untold, since: None, until: None, sureness: 0.9, evidence }
    }

    /// A map that failed on node 4.
    fn failed_with(task: u32, error: &str) -> TaskAttempt {
        let job = JobId { cluster: 1, number: 1 };
        TaskAttempt {
            node: Some(NodeId(4)),
            start: Some(Timestamp::default()),
            finish: Some(Timestamp::from_millis(9000)),
            outcome: Some(Outcome::Failed),
            error: Some(error.into()),
            ..TaskAttempt::of(
                AttemptId { job, letter: TaskLetter::Map, task, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        }
    }

    fn left(trace: &Trace, slow: Said, other: &[Said]) -> Vec<u32> {
        left_by(&Numbers::default(), trace, slow, other)
    }

    fn left_by(numbers: &Numbers, trace: &Trace, slow: Said, other: &[Said]) -> Vec<u32> {
        let mut culprits = vec![culprit(SLOW, &[slow]), culprit(NodeId(4), other)];
        spare_victims(trace, &Causes::new(trace), numbers, &mut culprits, &[trace.peer_nodes().collect()]);
        culprits.iter().map(|c| c.node.0).collect()
    }

    #[test]
    fn blocks_that_are_slow_with_the_slow_node_only_accuse_nobody_else() {
        let slow = (Method::Flows, Signal::Transfers(FlowKind::Write), None);
        let blocks = [(Method::KahunaWb, Signal::States(StateKind::WriteBlock), None)];
        let one = writes(|a, b| if a == 2 || b == 2 { 40 } else { 1 });
        assert_eq!(left(&one, slow, &blocks), [2]);
        let more = Numbers::with(&[Setting::new("flows_transfers", 100.0).unwrap()]);
        assert_eq!(left_by(&more, &one, slow, &blocks), [2, 4], "too few to tell");
        let two = writes(|a, b| if [a, b].iter().any(|n| *n == 2 || *n == 4) { 40 } else { 1 });
        assert_eq!(left(&two, slow, &blocks), [2, 4]);
        assert_eq!(left(&Trace { flows: Lanes::default(), ..one }, slow, &blocks), [2, 4], "no transfer tells");
    }

    /// A node that was lost takes blocks and map outputs with it.
    #[test]
    fn attempts_that_lacked_what_a_lost_node_had_accuse_nobody() {
        let lost = (Method::SlowWarnings, Signal::Complaints(ComplaintKind::LostNode), None);
        let failed = (Method::SlowWarnings, Signal::Complaints(ComplaintKind::AttemptFailed), None);
        let of_clusters = |at_s: i64, errors: [&str; 2], slow: Said, words: &[Said], clusters: &[Vec<NodeId>]| {
            let mut trace = writes(|_, _| 1);
            for (task, error) in (0..).zip(errors) {
                let tried = failed_with(task, error);
                trace.complaints.push(Complaint {
                    kind: ComplaintKind::AttemptFailed,
                    by: None,
                    of: Some(NodeId(4)),
                    at: Timestamp::from_millis(at_s * 1000),
                    job: Some(tried.id.job),
                    attempt: Some(tried.id),
                    block: None,
                    took_ms: None,
                    place: Place { file: FileId(0), line: 1 },
                });
                trace.tasks.push(tried);
            }
            let mut culprits = vec![culprit(SLOW, &[slow]), culprit(NodeId(4), words)];
            culprits[0].evidence[0].indictment.since = Some(Timestamp::from_millis(50_000));
            spare_victims(&trace, &Causes::new(&trace), &Numbers::default(), &mut culprits, clusters);
            culprits.iter().map(|c| c.node.0).collect::<Vec<_>>()
        };
        let whole: Vec<NodeId> = (0..6).map(NodeId).collect();
        let of = |errors, slow, words: &[Said]| of_clusters(60, errors, slow, words, std::slice::from_ref(&whole));
        let [block, shuffle] =
            ["java.io.IOException: Could not obtain block: blk_1", "Error: error in shuffle in fetcher#3"];
        assert_eq!(of([block, shuffle], lost, &[failed]), [2]);
        assert_eq!(of([block, "java.lang.OutOfMemoryError"], lost, &[failed]), [2, 4]);
        assert_eq!(of([block, shuffle], lost, &[failed, (Method::KahunaWb, MAP, None)]), [2, 4]);
        let metrics = (Method::KahunaBb, Signal::Levels, None);
        assert_eq!(of([block, shuffle], metrics, &[failed]), [2, 4], "nobody was lost");
        assert_eq!(of_clusters(40, [block, shuffle], lost, &[failed], std::slice::from_ref(&whole)), [2, 4], "before");
        let two = [whole[..3].to_vec(), whole[3..].to_vec()];
        assert_eq!(of_clusters(60, [block, shuffle], lost, &[failed], &two), [2, 4], "of another cluster");
    }

    #[test]
    fn reduces_that_copy_or_write_for_ever_wait_for_the_slow_node() {
        let slow_by = |kind| (Method::Flows, Signal::Transfers(kind), None);
        let (slow, slow_to_write) = (slow_by(FlowKind::Shuffle), slow_by(FlowKind::Write));
        let stuck = [(Method::SlowWarnings, Signal::Stuck, None)];
        // Reduces of 60 s on all nodes but node 4, where two of 900 s are killed in this phase.
        let cluster = |killed_in: Option<StateKind>| {
            let state = |kind, node, seconds: i64, outcome| {
                let line = u64::from(node) + seconds as u64;
                let times = (0, seconds * 1000);
                State { outcome: Some(outcome), ..State::made(kind, NodeId(node), times, line) }
            };
            let done = (0..6).filter(|node| *node != 4).map(|node| (StateKind::Reduce, node, 60, Outcome::Success));
            let killed = [900, 901].into_iter().flat_map(|seconds| {
                let kinds = [StateKind::Reduce, StateKind::ReduceCopy].into_iter().chain(killed_in);
                kinds.map(move |kind| (kind, 4, seconds, Outcome::Killed))
            });
            let states = done.chain(killed).map(|(kind, node, seconds, outcome)| state(kind, node, seconds, outcome));
            Trace { states: Lanes::from_rows(states.collect::<Vec<_>>()), ..writes(|_, _| 1) }
        };
        assert_eq!(left(&cluster(None), slow, &stuck), [2]);
        let beside_metrics = [stuck[0], (Method::KahunaBb, Signal::Levels, None)];
        assert_eq!(left(&cluster(None), slow, &beside_metrics), [2]);
        let reducing = cluster(Some(StateKind::ReduceReducer));
        assert_eq!((left(&reducing, slow, &stuck), left(&reducing, slow_to_write, &stuck)), (vec![2, 4], vec![2]));
        assert_eq!(left(&cluster(Some(StateKind::ReduceMergeCopy)), slow_to_write, &stuck), [2, 4]);
        let no_transfers = (Method::KahunaWb, MAP, None);
        assert_eq!(left(&cluster(None), no_transfers, &stuck), [2, 4]);
    }

    #[test]
    fn transfers_of_one_job_explain_nothing_in_another() {
        let trace = writes(|_, _| 1);
        let of_job = (Method::Flows, Signal::Transfers(FlowKind::Shuffle), Some(1));
        assert_eq!(left(&trace, of_job, &[(Method::KahunaWb, MAP, Some(1))]), [2]);
        assert_eq!(left(&trace, of_job, &[(Method::KahunaWb, MAP, Some(2))]), [2, 4]);
        assert_eq!(
            left(
                &trace,
                (Method::Flows, Signal::Transfers(FlowKind::Shuffle), None),
                &[(Method::KahunaWb, MAP, Some(2))]
            ),
            [2]
        );
    }
}
