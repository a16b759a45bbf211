//! Nodes on which attempts stand still, as a witness: each outlasts every success elsewhere by far, and however many
//! attempts did well, they say nothing of these.

use super::super::cause::{Causes, InMerge, STANDING, Standing, StandingOfJob};
use super::super::{EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Signal, Strength, Witness};
use crate::base::quantity::of_millis;
use crate::base::{Arrange, Gathered, JobId, NodeId};
use crate::model::{Outcome, State, Trace};
use std::collections::BTreeSet;

/// The witness; `None` unless nodes have such attempts, each in jobs in which nobody else has any.
pub(super) fn witness(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    if peers.len() < MIN_PEERS {
        return None;
    }
    let causes = Causes::new(trace);
    let standing = peers.iter().filter_map(|node| Some((*node, causes.standing_on(*node)?)));
    let indicted: Vec<Indictment> = standing.filter_map(|(node, standing)| indict(trace, node, standing)).collect();
    if indicted.is_empty() {
        return None;
    }
    let score = |node: &NodeId| indicted.iter().find(|word| word.node == *node).map_or(0.0, |word| word.score);
    let scores = peers.iter().map(|node| (*node, score(node))).collect();
    let threshold = Some(STANDING as f64);
    Some(Witness { scores, threshold, indicted, ..Witness::new(Method::SlowWarnings, Signal::Stuck) })
}

/// What the attempts that stand still say of a node.
fn indict(trace: &Trace, node: NodeId, standing: Standing) -> Option<Indictment> {
    // Where a job's other attempts did not do well either, it may have been given up by whoever ran it.
    let done = |s: &State| s.outcome == Some(Outcome::Success) && s.node != Some(node);
    let well: BTreeSet<(Option<JobId>, Option<NodeId>)> =
        trace.states.of_kind(standing.kind).filter(done).map(|s| (s.job, s.node)).gathered();
    let did_well = |job: Option<JobId>| well.iter().filter(|(of, _)| *of == job).count() + 1 >= MIN_PEERS;
    let mut jobs: Vec<StandingOfJob> = standing.jobs.into_iter().filter(|of| did_well(of.job)).collect();
    let lasted_ms = |s: &State| trace.lasted_ms(s).filter(|_| s.open || s.outcome != Some(Outcome::Success));
    let is_stuck = |s: &State| {
        let outlasts = |of: &StandingOfJob| of.job == s.job && lasted_ms(s).is_some_and(|ms| of.holds(s.attempt, ms));
        s.node == Some(node) && jobs.iter().any(outlasts)
    };
    let mut stuck: Vec<State> =
        trace.states.of_kind(standing.kind).map(|s| trace.as_told(s)).filter(is_stuck).collect();
    jobs.retain(|of| stuck.iter().any(|s| s.job == of.job));
    let is_stuck = |of: &&InMerge| stuck.iter().any(|s| s.attempt == Some(of.attempt));
    let in_merges: Vec<InMerge> = jobs.iter().flat_map(|of| &of.in_merges).filter(is_stuck).copied().collect();
    let weight = stuck.len() + in_merges.len();
    if weight < STANDING {
        return None;
    }
    stuck.arrange_by(|s| (s.start, s.place));
    let than = than(&jobs);
    let (kind, name) = (standing.kind.name(), trace.node_name(node));
    let mut text = match stuck.len() {
        1 => format!("A {kind} attempt on {name} does not come to an end: it lasts longer than {than}"),
        count => format!("{count} {kind} attempts on {name} do not come to an end: each lasts longer than {than}"),
    };
    if let Some(InMerge { ms, longest_ms, .. }) = in_merges.first() {
        let [took, longest] = [*ms, *longest_ms].map(|ms| of_millis(ms as f64));
        let (whose, counts) = if stuck.len() == 1 { ("it has", "it counts") } else { ("one has", "they count") };
        text.push_str(&format!(
            "; {whose} stood in its merge for {took} (others {longest} at most) and fetched at most twice what one of them did, so that {counts} as {weight}"
        ));
    }
    if let Some(ms) = silent_ms(trace, &stuck).filter(|ms| jobs.iter().all(|of| *ms > of.longest_ms)) {
        let none = if stuck.len() == 1 { "it told of no progress" } else { "none told of progress" };
        text.push_str(&format!("; {none} in its last {}", of_millis(ms as f64)));
    }
    Some(Indictment {
        node,
        strength: Strength::Strong,
        score: weight as f64,
        ratio: weight as f64,
        p: None,
        text,
        lines: stuck.iter().take(EVIDENCE_LINES).map(|s| s.place).collect(),
        since: stuck.first().and_then(|s| s.start),
        until: None,
    })
}

/// For how long none of the attempts had told of progress, where that of each is told.
fn silent_ms(trace: &Trace, stuck: &[State]) -> Option<i64> {
    let of_one = |s: &State| trace.silent_ms(s.attempt?, trace.lasted_ms(s)?);
    let all: Option<Vec<i64>> = stuck.iter().map(of_one).collect();
    all?.into_iter().min()
}

/// What each of the attempts outlasts.
fn than(jobs: &[StandingOfJob]) -> String {
    let [of] = jobs else { return "any of its job that succeeds elsewhere".to_owned() };
    let [beyond, longest] = [of.beyond_ms, of.longest_ms].map(|ms| of_millis(ms as f64));
    format!("{beyond}; the longest that succeeds elsewhere takes {longest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, TaskLetter, Timestamp};
    use crate::diagnosis::cause::merges::tests::cluster as in_merge;
    use crate::diagnosis::slow_warnings::tests::map;
    use crate::model::{Lanes, Node, StateKind, TaskAttempt};

    /// Twenty maps a node of 10 to 19 s, and two more on node 2 of so many seconds.
    fn cluster(seconds: i64, open: bool, outcome: Option<Outcome>) -> Trace {
        let map = |node: u32, start: i64, seconds: i64, open: bool, outcome: Option<Outcome>| {
            let times = (start * 1000, (start + seconds) * 1000);
            State { open, outcome, ..State::made(StateKind::Map, NodeId(node), times, start as u64 + 1) }
        };
        let mut states: Vec<State> = (0..4)
            .flat_map(|node| (0..20).map(move |at| (node, at)))
            .map(|(node, at)| map(node, at * 20, 10 + at % 10, false, Some(Outcome::Success)))
            .collect();
        states.extend([100, 130].map(|start| map(2, start, seconds, open, outcome)));
        Trace {
            nodes: (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(states),
            ..Trace::default()
        }
    }

    fn peers() -> Vec<NodeId> {
        (0..4).map(NodeId).collect()
    }

    #[test]
    fn node_whose_maps_never_end_is_named_however_many_others_do() {
        let witness = witness(&cluster(300, false, Some(Outcome::Killed)), &peers()).unwrap();
        let [word] = witness.indicted.as_slice() else { panic!("{:?}", witness.indicted) };
        assert_eq!((word.node, word.strength, word.score), (NodeId(2), Strength::Strong, 2.0));
        assert_eq!(word.since, Some(Timestamp::from_millis(100_000)));
        let expected = "2 Map attempts on h2 do not come to an end: each lasts longer than 57 s; the longest that succeeds elsewhere takes 19 s";
        assert_eq!(word.text, expected, "three times the longest of its own, 19 s");
    }

    #[test]
    fn for_how_long_they_told_of_no_progress_is_said() {
        let said = |got_on_s: [i64; 2]| {
            let mut trace = cluster(300, false, Some(Outcome::Killed));
            let mut rows: Vec<State> = trace.states.iter().collect();
            let killed = rows.iter_mut().filter(|s| s.outcome == Some(Outcome::Killed));
            for (task, (s, got_on_s)) in (70..).zip(killed.zip(got_on_s)) {
                let id = map(task, 2, (0, 300), Outcome::Killed).id;
                s.attempt = Some(id);
                trace.got_on_ms.insert(id, got_on_s * 1000);
            }
            trace.states = Lanes::from_rows(rows);
            let told = witness(&trace, &peers()).unwrap().indicted.remove(0).text;
            told.split_once(" 19 s").unwrap().1.to_owned()
        };
        assert_eq!(said([10, 200]), "; none told of progress in its last 1 min 40 s");
        assert_eq!(said([10, 281]), "", "no longer than others take in all");
    }

    /// A task may have far more to do, and its rival was started with half of it done. A node that brings others of the job
    /// to their end while such a task is overdue does not hang; without rivals they say nothing of those that stand still.
    #[test]
    fn long_tasks_that_rivals_overtook_accuse_nobody_who_brings_others_to_their_end() {
        let mut trace = cluster(300, false, Some(Outcome::Killed));
        let is_killed = |s: &State| s.outcome == Some(Outcome::Killed);
        let start_s = |s: &State| s.start.unwrap().millis() / 1000;
        let job = JobId { cluster: 1, number: 1 };
        let named = |task: u32, attempt: u32| AttemptId { job, letter: TaskLetter::Map, task, attempt };
        let mut number = 100;
        let mut tasks = Vec::new();
        let mut states = Vec::new();
        for s in trace.states.iter() {
            let mut own = State { job: Some(job), ..s };
            if is_killed(&s) {
                number += 1;
                own.attempt = Some(named(number, 0));
                let (from, to) = (start_s(&s), start_s(&s) + 300);
                let lost = map(number, 2, (from, to), Outcome::Killed);
                let rival = map(number, 1, (from + 200, to), Outcome::Success);
                tasks.push(TaskAttempt { id: named(number, 0), ..lost });
                tasks.push(TaskAttempt { id: named(number, 1), ..rival });
            }
            states.push(own);
        }
        trace.states = Lanes::from_rows(states.clone());
        assert!(witness(&trace, &peers()).is_some(), "no rival is known");
        trace.tasks = tasks;
        trace.tasks.sort_by_key(|t| t.id);
        assert_eq!(witness(&trace, &peers()), None);
        // The first began at 100 s, and is overdue three times the longest of its node later: what ended before says nothing.
        let before = |s: &State| s.node != Some(NodeId(2)) || is_killed(s) || s.end.millis() < 145_000;
        let began_later = |s: &State| s.node == Some(NodeId(2)) && !is_killed(s) && start_s(s) > 100;
        assert!(states.iter().any(|s| began_later(s) && before(s)), "the case");
        trace.states = Lanes::from_rows(states.into_iter().filter(before).collect::<Vec<_>>());
        assert!(witness(&trace, &peers()).is_some(), "none came through since");
    }

    /// A TaskTracker names an attempt that threw when its job ends: its history tells that it was over long before.
    #[test]
    fn attempts_that_failed_by_their_history_stand_not_still() {
        let mut trace = cluster(300, false, Some(Outcome::Killed));
        let is_killed = |s: &State| s.outcome == Some(Outcome::Killed);
        let start_s = |s: &State| s.start.unwrap().millis() / 1000;
        // Each begins at another second.
        let told = trace.states.iter().filter(is_killed);
        let told = told.map(|s| map(start_s(&s) as u32, 2, (start_s(&s), start_s(&s) + 9), Outcome::Failed));
        let tasks: Vec<TaskAttempt> = told.collect();
        let named = |s: State| {
            let of = tasks.iter().find(|t| is_killed(&s) && t.start == s.start);
            State { attempt: of.map(|t| t.id), ..s }
        };
        trace.states = Lanes::from_rows(trace.states.iter().map(named).collect::<Vec<State>>());
        assert!(witness(&trace, &peers()).is_some());
        trace.tasks = tasks;
        assert_eq!(witness(&trace, &peers()), None);
    }

    /// What it waits for is on its node, while a single attempt that outlasts all others may have a bad record.
    #[test]
    fn one_reduce_that_stands_in_its_merge_is_enough() {
        let found = witness(&in_merge(50, 1100), &peers()).unwrap();
        let [word] = found.indicted.as_slice() else { panic!("{:?}", found.indicted) };
        assert_eq!((word.node, word.strength, word.score), (NodeId(3), Strength::Strong, 2.0));
        let expected = "A Reduce attempt on h3 does not come to an end: it lasts longer than 63 s; the longest that succeeds elsewhere takes 60 s; \
                        it has stood in its merge for 50 s (others 1 s at most) and fetched at most twice what one of them did, so that it counts as 2";
        assert_eq!(word.text, expected);
        assert_eq!(witness(&in_merge(50, 5000), &peers()), None, "it has more to merge");
    }

    #[test]
    fn limit_without_a_success_of_the_nodes_own_lies_beyond_the_longest_by_the_spread() {
        let mut trace = cluster(300, false, Some(Outcome::Killed));
        let alone = |s: &State| s.node != Some(NodeId(2)) || s.outcome != Some(Outcome::Success);
        trace.states = Lanes::from_rows(trace.states.iter().filter(alone).collect::<Vec<_>>());
        let witness = witness(&trace, &peers()).unwrap();
        let expected = "2 Map attempts on h2 do not come to an end: each lasts longer than 31 s; the longest that succeeds elsewhere takes 19 s";
        assert_eq!(witness.indicted[0].text, expected, "10 to 19 s, and a heartbeat");
    }

    #[test]
    fn attempts_are_measured_by_their_own_job() {
        let of_job = |number: u32| move |s: State| State { job: Some(JobId { cluster: 1, number }), ..s };
        let mut trace = cluster(300, false, Some(Outcome::Killed));
        let hung: Vec<State> = trace.states.iter().map(of_job(1)).collect();
        // A job of long maps, also on that node, of which one failed at once elsewhere, as its record was bad.
        let long = cluster(900, false, Some(Outcome::Success));
        let failed =
            State { node: Some(NodeId(0)), outcome: Some(Outcome::Failed), ..long.states.iter().next().unwrap() };
        let beside: Vec<State> = long.states.iter().chain([failed]).map(of_job(2)).collect();
        trace.states = Lanes::from_rows([hung.clone(), beside.clone()].concat());
        let found = witness(&trace, &peers()).unwrap();
        assert_eq!((found.indicted[0].node, found.indicted[0].score), (NodeId(2), 2.0), "900 s of another job");
        assert!(found.indicted[0].text.contains("the longest that succeeds elsewhere takes 19 s"));
        // An attempt of the other job that never ends elsewhere is trouble of another where one job has two here.
        let never = State { start: Some(Timestamp::default()), end: Timestamp::from_millis(9_000_000), ..failed };
        let never: Vec<State> = beside.into_iter().chain([of_job(2)(never)]).collect();
        let named = |rows: &[Vec<State>]| {
            witness(&Trace { states: Lanes::from_rows(rows.concat()), ..cluster(300, false, None) }, &peers())
                .map(|witness| witness.indicted[0].node)
        };
        assert_eq!(named(&[hung, never.clone()]), Some(NodeId(2)));
        // One in each of two jobs is a straggler in each, as others have.
        let one_of = |number: u32| -> Vec<State> {
            let second = Some(Timestamp::from_millis(130_000));
            let all = cluster(300, false, Some(Outcome::Killed));
            let is_kept = |s: &State| s.outcome == Some(Outcome::Success) || s.start != second;
            all.states.iter().filter(is_kept).map(of_job(number)).collect()
        };
        assert_eq!(named(&[one_of(3), one_of(4)]), Some(NodeId(2)));
        assert_eq!(named(&[one_of(3), one_of(4), never]), None);
    }

    #[test]
    fn two_nodes_that_hang_in_two_jobs_are_both_named() {
        let of_job = |number: u32, moved: u32| {
            let moved = |s: State| State {
                job: Some(JobId { cluster: 1, number }),
                node: s.node.map(|node| NodeId((node.0 + moved) % 4)),
                ..s
            };
            cluster(300, false, Some(Outcome::Killed)).states.iter().map(moved).collect::<Vec<State>>()
        };
        let both = |other_job: u32| {
            let rows = [of_job(1, 0), of_job(other_job, 1)].concat();
            witness(&Trace { states: Lanes::from_rows(rows), ..cluster(300, false, None) }, &peers())
        };
        let witness = both(2).unwrap();
        let named: Vec<(NodeId, f64)> = witness.indicted.iter().map(|word| (word.node, word.score)).collect();
        assert_eq!(named, [(NodeId(2), 2.0), (NodeId(3), 2.0)]);
        assert_eq!(witness.scores.iter().map(|(_, score)| *score).collect::<Vec<_>>(), [0.0, 0.0, 2.0, 2.0]);
        assert_eq!(both(1), None, "of one job");
    }

    #[test]
    fn what_is_shorter_succeeds_or_is_cut_says_nothing() {
        assert_eq!(witness(&cluster(50, false, Some(Outcome::Killed)), &peers()), None);
        assert_eq!(witness(&cluster(300, false, Some(Outcome::Success)), &peers()), None);
        let mut open = cluster(300, true, None);
        assert_eq!(witness(&open, &peers()), None);
        // Unless both are known to be under way.
        let id =
            |number: u32| AttemptId { job: JobId { cluster: 1, number }, letter: TaskLetter::Map, task: 0, attempt: 0 };
        let (mut number, mut named) = (0, Vec::new());
        for mut state in open.states.iter() {
            number += 1;
            state.attempt = Some(id(number));
            named.push(state);
        }
        open.states = Lanes::from_rows(named.clone());
        let ids: Vec<AttemptId> = named.iter().filter(|s| s.open).filter_map(|s| s.attempt).collect();
        let mut until = |seconds: i64| {
            open.under_way = ids.iter().map(|id| (*id, Timestamp::from_millis(seconds * 1000))).collect();
            witness(&open, &peers()).map(|w| w.indicted[0].score)
        };
        assert_eq!((until(300), until(150)), (Some(2.0), None), "200 and 170 s, or 50 and 20");
        let mut alone = cluster(300, false, Some(Outcome::Killed));
        let of_own_job = |s: State| match s.outcome {
            Some(Outcome::Killed) => State { job: Some(JobId { cluster: 1, number: 2 }), ..s },
            _ => s,
        };
        alone.states = Lanes::from_rows(alone.states.iter().map(of_own_job).collect::<Vec<_>>());
        assert_eq!(witness(&alone, &peers()), None, "nobody else did well in their job");
        assert_eq!(witness(&cluster(300, false, Some(Outcome::Killed)), &peers()[..2]), None);
    }
}
