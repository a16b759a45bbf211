mod lost;
mod rules;
mod waits;

use super::*;
use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};
use crate::model::{
    Coverage, FileInfo, FileReading, Flow, FlowKind, Job, JobStatus, Lanes, Mirrors, Node, Outcome, TaskAttempt,
    TaskType, ZoneSource,
};

/// When the logs of [`cluster`] begin and end.
pub(super) const LOGS: (Timestamp, Timestamp) = (Timestamp::from_millis(0), Timestamp::from_millis(100_000));

/// Five slaves 0 to 4 and a master 5, each with its daemon's log as the file of its number, and a second log of each
/// slave as the file of its number and 6; complaints as (kind, by, of), a second apart, in the log of who says so.
pub(super) fn cluster(complaints: &[(ComplaintKind, u32, u32)]) -> Trace {
    let file = |node: u32| {
        let format = match node {
            5 => "resourcemanager",
            0..5 => "nodemanager",
            _ => "datanode",
        };
        let coverage = Coverage { format: Some(format.to_owned()), ..Coverage::default() };
        FileInfo { node: Some(NodeId(if node > 5 { node - 6 } else { node })), coverage, ..empty_file() }
    };
    let complaint = |(line, (kind, by, of)): (usize, &(ComplaintKind, u32, u32))| Complaint {
        kind: *kind,
        by: Some(NodeId(*by)),
        of: Some(NodeId(*of)),
        at: Timestamp::from_millis(line as i64 * 1000),
        job: None,
        attempt: None,
        block: None,
        took_ms: None,
        place: Place { file: FileId(*by), line: line as u64 + 1 },
    };
    let reading = FileReading { span: Some(LOGS), ..FileReading::default() };
    Trace {
        files: (0..11).map(file).collect(),
        readings: vec![reading; 11],
        nodes: (0..6).map(|i| Node { name: format!("h{i}"), is_peer: i < 5 }).collect(),
        complaints: complaints.iter().enumerate().map(complaint).collect(),
        ..Trace::default()
    }
}

pub(super) fn accused(trace: &Trace) -> Vec<(String, u32, Strength)> {
    let witnesses = SlowWarnings.run(trace, &Params::default());
    witnesses
        .iter()
        .flat_map(|w| w.indicted.iter().map(|i| (w.signal.name().to_owned(), i.node.0, i.strength)))
        .collect()
}

#[test]
fn node_named_three_times_as_often_ties_and_more_stands_out() {
    use ComplaintKind::TimedOut;
    let times = |n: usize| {
        let mut said = vec![(TimedOut, 5, 1)];
        said.extend(vec![(TimedOut, 5, 2); n]);
        accused(&cluster(&said))
    };
    assert!(times(3).is_empty());
    assert_eq!(times(4), [("timed-out".to_owned(), 2, Strength::Strong)]);
}

#[test]
fn one_timeout_is_moderate_two_are_strong() {
    use ComplaintKind::TimedOut;
    let one = (TimedOut, 5, 2);
    assert_eq!(accused(&cluster(&[one])), [("timed-out".to_owned(), 2, Strength::Moderate)]);
    assert_eq!(accused(&cluster(&[one, one])), [("timed-out".to_owned(), 2, Strength::Strong)]);
    assert!(accused(&cluster(&[one, (TimedOut, 5, 1)])).is_empty(), "two nodes, one each: the job's own trouble");
}

#[test]
fn timeout_began_with_its_attempt() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3), (ComplaintKind::TimedOut, 5, 2)]);
    trace.complaints.remove(0);
    trace.complaints[0].at = Timestamp::from_millis(90_000);
    let since = |trace: &Trace| SlowWarnings.run(trace, &Params::default())[0].indicted[0].since;
    assert_eq!(since(&trace), Some(Timestamp::from_millis(90_000)));
    let hung = map(4, 2, (20, 90), Outcome::Failed);
    trace.complaints[0].attempt = Some(hung.id);
    trace.tasks = vec![hung];
    assert_eq!(since(&trace), Some(Timestamp::from_millis(20_000)));
}

#[test]
fn common_end_of_failed_fetches_is_moderately_suspect() {
    use ComplaintKind::FetchFailed;
    let from_two = [(FetchFailed, 0, 2), (FetchFailed, 1, 2), (FetchFailed, 3, 2)];
    assert_eq!(accused(&cluster(&from_two)), [("fetch-failed".to_owned(), 2, Strength::Moderate)]);
    // One partner only: it may as well be that one's fault.
    assert!(accused(&cluster(&[(FetchFailed, 0, 2); 9])).is_empty());
    // Who fetched is named by the same lines.
    let text = |said: &[_]| SlowWarnings.run(&cluster(said), &Params::default())[0].indicted[0].text.clone();
    let words = "h2 could not be fetched from, or could not fetch: 3 lines in the logs of h0, h1, h3; every such line involves it";
    assert_eq!(text(&from_two), words);
    // 3 of 4 connections are less than 90 %.
    let with_another = [from_two.as_slice(), &[(FetchFailed, 0, 1)]].concat();
    assert!(accused(&cluster(&with_another)).is_empty());
}

#[test]
fn one_line_of_a_second_partner_is_not_two_partners() {
    use ComplaintKind::Unreachable;
    let said = |first: usize, others: &[u32]| {
        let others = others.iter().map(|other| (Unreachable, 2, *other));
        let said = vec![(Unreachable, 2, 0); first].into_iter().chain(others).collect::<Vec<_>>();
        accused(&cluster(&said)).into_iter().map(|(_, node, _)| node).collect::<Vec<_>>()
    };
    assert_eq!((said(10, &[1]), said(10, &[])), (vec![], vec![]), "the first may be what cannot be reached");
    assert_eq!((said(4, &[1, 3]), said(1, &[1, 3])), (vec![2], vec![2]));
}

#[test]
fn tries_of_a_task_that_succeeds_nowhere_are_one_on_a_node() {
    use ComplaintKind::{AttemptFailed, TimedOut};
    let said = |kind: ComplaintKind, tasks: [u32; 2], tried: Vec<TaskAttempt>| {
        let mut trace = Trace { tasks: tried, ..cluster(&[(kind, 5, 2), (kind, 5, 2)]) };
        for (attempt, (complaint, task)) in (0..).zip(trace.complaints.iter_mut().zip(tasks)) {
            complaint.attempt = Some(AttemptId { attempt, ..map(task, 2, (0, 1), Outcome::Failed).id });
        }
        accused(&trace).into_iter().map(|(.., strength)| strength).collect::<Vec<_>>()
    };
    assert_eq!(said(AttemptFailed, [7, 7], Vec::new()), []);
    assert_eq!(said(TimedOut, [7, 7], Vec::new()), [Strength::Moderate]);
    assert_eq!(said(AttemptFailed, [7, 8], Vec::new()), [Strength::Strong], "two tasks");
    assert_eq!(said(AttemptFailed, [7, 7], vec![map(7, 3, (2, 3), Outcome::Success)]), [Strength::Strong]);
    assert_eq!(said(AttemptFailed, [7, 7], vec![map(6, 3, (2, 3), Outcome::Success)]), [], "another task's");
    // A TaskTracker tells of one try, and so does the JobTracker.
    let mut twice = Trace {
        tasks: vec![map(7, 2, (0, 1), Outcome::Failed)],
        ..cluster(&[(AttemptFailed, 2, 2), (AttemptFailed, 5, 2)])
    };
    let later = map(7, 3, (2, 3), Outcome::Success);
    twice.tasks.push(TaskAttempt { id: AttemptId { attempt: 1, ..later.id }, ..later });
    twice.complaints.iter_mut().for_each(|c| c.attempt = Some(twice.tasks[0].id));
    assert_eq!(accused(&twice), []);
}

#[test]
fn map_outputs_that_had_to_be_made_again_are_strong() {
    let said = |outcomes: [Outcome; 3]| {
        let maps = || (0..).zip(outcomes).map(|(task, outcome)| map(task, 2, (0, 1), outcome));
        let mut trace = Trace { tasks: maps().collect(), ..cluster(&[(ComplaintKind::MapOutputLost, 2, 2); 3]) };
        for (complaint, map) in trace.complaints.iter_mut().zip(maps()) {
            complaint.attempt = Some(map.id);
        }
        accused(&trace).into_iter().map(|(.., strength)| strength).collect::<Vec<_>>()
    };
    use Outcome::{Failed, Success};
    assert_eq!(said([Failed; 3]), [Strength::Strong]);
    assert_eq!(said([Failed, Failed, Success]), [Strength::Moderate], "whoever fetched one may have gone away");
    // Outputs go with their job.
    let mut over = cluster(&[(ComplaintKind::MapOutputLost, 2, 2); 3]);
    over.complaints.iter_mut().for_each(|c| c.job = Some(JOB));
    over.jobs = vec![job(0, JobStatus::Killed)];
    assert_eq!(accused(&over), []);
    over.jobs = vec![job(60, JobStatus::Killed)];
    assert_eq!(accused(&over).len(), 1);
}

#[test]
fn node_that_half_of_its_peers_name_stands_out_among_what_breaks_with_it() {
    use ComplaintKind::BrokenPipeline;
    // Each of three peers names node 2 four times, and as often another in its pipelines.
    let mut said = [(BrokenPipeline, 0, 2), (BrokenPipeline, 1, 2), (BrokenPipeline, 3, 2)].repeat(4);
    said.extend([(BrokenPipeline, 0, 1), (BrokenPipeline, 1, 3), (BrokenPipeline, 3, 0)]);
    assert_eq!(accused(&cluster(&said)), [("broken-pipeline".to_owned(), 2, Strength::Moderate)]);
    // One peer names it, however often; or another is named a third as often.
    let by_one = [vec![(BrokenPipeline, 0, 2); 12], vec![(BrokenPipeline, 1, 3), (BrokenPipeline, 4, 3)]].concat();
    assert!(accused(&cluster(&by_one)).is_empty());
    said.extend([(BrokenPipeline, 0, 1); 3]);
    assert!(accused(&cluster(&said)).is_empty());
}

#[test]
fn node_that_alone_cannot_reach_a_master_is_suspect() {
    use ComplaintKind::Unreachable;
    let mut said = vec![(Unreachable, 2, 5); 8];
    assert_eq!(accused(&cluster(&said)), [("unreachable".to_owned(), 2, Strength::Moderate)]);
    said.extend([(Unreachable, 1, 5); 2]);
    assert_eq!(accused(&cluster(&said)).len(), 1);
    said.push((Unreachable, 1, 5));
    assert!(accused(&cluster(&said)).is_empty(), "the master may be gone");
    assert!(accused(&cluster(&[(Unreachable, 2, 0); 8])).is_empty(), "a peer may be gone");
    assert!(accused(&cluster(&[(ComplaintKind::BrokenPipeline, 2, 5); 8])).is_empty(), "no master writes blocks");
    // Nobody vouches for who has no master's log, nor whoever was not heard at the time.
    let mut trace = cluster(&[(Unreachable, 2, 5); 8]);
    trace.files[5].coverage.format = Some("nodemanager".to_owned());
    assert!(accused(&trace).is_empty());
    let mut trace = cluster(&[(Unreachable, 2, 5); 8]);
    for node in [0, 1, 3, 6, 7, 9] {
        trace.readings[node].span = Some((Timestamp::from_millis(50_000), LOGS.1));
    }
    assert!(accused(&trace).is_empty());
}

const JOB: JobId = JobId { cluster: 1, number: 1 };

/// A map of [`JOB`].
pub(super) fn map(task: u32, node: u32, seconds: (i64, i64), outcome: Outcome) -> TaskAttempt {
    let at = |second: i64| Some(Timestamp::from_millis(second * 1000));
    TaskAttempt {
        node: Some(NodeId(node)),
        start: at(seconds.0),
        finish: at(seconds.1),
        outcome: Some(outcome),
        ..TaskAttempt::of(
            AttemptId { job: JOB, letter: TaskLetter::Map, task, attempt: 0 },
            TaskType::Map,
            Place { file: FileId(0), line: 1 },
        )
    }
}

pub(super) fn job(finish: i64, status: JobStatus) -> Job {
    Job { finish: Some(Timestamp::from_millis(finish * 1000)), ..Job::of(JOB, status) }
}

#[test]
fn containers_that_fail_on_one_node_only_accuse_it() {
    use ComplaintKind::ContainerFailed;
    let named = |strength| vec![("container-failed".to_owned(), 2, strength)];
    let failed = |times: usize| {
        let mut trace = cluster(&vec![(ContainerFailed, 2, 2); times]);
        trace.complaints.iter_mut().for_each(|c| c.job = Some(JOB));
        trace
    };
    assert_eq!(accused(&failed(3)), named(Strength::Moderate), "nobody knows how its job does elsewhere");
    assert_eq!(accused(&failed(2)), []);
    let mut trace = failed(3);
    trace.tasks = vec![map(0, 1, (0, 9), Outcome::Success)];
    assert_eq!(accused(&trace), named(Strength::Strong));
    trace.tasks.push(map(1, 2, (1, 9), Outcome::Success));
    assert_eq!(accused(&trace), named(Strength::Moderate), "the job does well here too");
    trace.tasks.pop();
    trace.jobs = vec![job(1, JobStatus::Killed)];
    assert_eq!(accused(&trace), [], "it was killed");
    let elsewhere = [vec![(ContainerFailed, 2, 2); 3], vec![(ContainerFailed, 1, 1)]].concat();
    assert_eq!(accused(&cluster(&elsewhere)), []);
    let by_master = [vec![(ContainerFailed, 2, 2); 3], vec![(ContainerFailed, 5, 5)]].concat();
    let mut trace = cluster(&by_master);
    trace.files[5].coverage.format = Some("nodemanager".to_owned());
    assert_eq!(accused(&trace), [], "also on a node that is not judged");
    // Of the others no such log was given, or none of that time.
    let mut trace = failed(3);
    trace.files[..2].iter_mut().for_each(|file| file.coverage.format = None);
    assert_eq!(accused(&trace).len(), 1, "three have one");
    trace.readings[3].span = Some((Timestamp::from_millis(50_000), LOGS.1));
    trace.readings[4].span = trace.readings[3].span;
    assert_eq!(accused(&trace), []);
    trace.files[3].coverage.format = None;
    let abstained = SlowWarnings.run(&trace, &Params::default())[0].abstained;
    assert_eq!((accused(&trace).len(), abstained), (0, Some(Abstention::NoPeers)));
}

#[test]
fn who_is_taken_out_of_service_is_not_lost() {
    use ComplaintKind::{Decommissioned, LostNode};
    assert_eq!(accused(&cluster(&[(Decommissioned, 5, 2), (LostNode, 5, 2)])), []);
    assert_eq!(accused(&cluster(&[(LostNode, 5, 2), (Decommissioned, 5, 2)])).len(), 1, "it was lost before");
}

#[test]
fn who_is_unusable_to_an_application_master_alone_may_be_out_of_service() {
    let mut trace = cluster(&[(ComplaintKind::UnhealthyNode, 5, 2)]);
    let said = |strength| vec![("unhealthy-node".to_owned(), 2, strength)];
    assert_eq!(accused(&trace), said(Strength::Strong));
    trace.files[5].coverage.format = Some("am-syslog".to_owned());
    assert_eq!(accused(&trace), said(Strength::Moderate));
    let text = &SlowWarnings.run(&trace, &Params::default())[0].indicted[0].text;
    assert!(text.starts_with("h2 was called unusable by an ApplicationMaster: 1 line in"), "{text}");
}

/// Pauses of nodes: which, when told of, how long, all in seconds; logs of so many seconds.
fn paused(pauses: &[(u32, i64, i64)], logs: i64) -> Trace {
    let of = |(node, ..): &(u32, i64, i64)| (ComplaintKind::Paused, *node, *node);
    let mut trace = cluster(&pauses.iter().map(of).collect::<Vec<_>>());
    for (c, (_, at, took)) in trace.complaints.iter_mut().zip(pauses) {
        (c.at, c.took_ms) = (Timestamp::from_millis(at * 1000), Some(*took as u64 * 1000));
        // What is told on an odd second, the second daemon tells.
        c.place.file = FileId(c.place.file.0 + if at % 2 == 1 { 6 } else { 0 });
    }
    trace.readings.iter_mut().for_each(|r| r.span = Some((LOGS.0, Timestamp::from_millis(logs * 1000))));
    trace.span = Some((Timestamp::default(), Timestamp::from_millis(logs * 1000)));
    trace
}

#[test]
fn seconds_that_a_node_stood_still_count_once() {
    let judged = |pauses: &[(u32, i64, i64)], logs| accused(&paused(pauses, logs));
    let named = |strength| vec![("paused".to_owned(), 2, strength)];
    // Two daemons tell of the same 40 s; four short ones make ten.
    let both = [(2, 100, 40), (2, 101, 40)];
    assert_eq!(judged(&both, 600), named(Strength::Strong));
    assert_eq!(judged(&both, 900), named(Strength::Moderate), "41 s are less than a twentieth of 900 s");
    assert_eq!(judged(&both, 5000), [], "and less than a hundredth of 5,000");
    assert_eq!(judged(&both[..1], 600), named(Strength::Moderate), "one daemon may have trouble of its own");
    assert_eq!(judged(&[(2, 100, i64::MAX / 4000)], 600), [], "a damaged line");
    let mut damaged = paused(&both, 600);
    damaged.complaints[0].took_ms = Some(u64::MAX);
    let pauses = || damaged.complaints.iter();
    assert_eq!(standstill::longest_ms(&damaged, pauses()), Some(40_000), "longer than any number of time");
    let long = standstill::first_long(&damaged, &pauses().collect::<Vec<_>>());
    assert_eq!(long.map(|c| c.took_ms), Some(Some(40_000)));
    assert_eq!(judged(&[(2, 10, 3), (2, 20, 3), (2, 30, 3), (2, 40, 1)], 60), named(Strength::Moderate));
    assert_eq!(judged(&[(2, 10, 3), (2, 11, 3), (2, 30, 3)], 60), [], "seven seconds");
    assert_eq!(judged(&[(0, 50, 40), (1, 50, 40), (2, 50, 40), (3, 50, 40), (4, 50, 40)], 600), []);
    let witnesses = SlowWarnings.run(&paused(&both, 600), &Params::default());
    let word = &witnesses[0].indicted[0];
    assert_eq!(word.since, Some(Timestamp::from_millis(60_000)), "it began before it was told");
    let after_a_short_one = [&[(2, 20, 5)][..], &both].concat();
    let witnesses = SlowWarnings.run(&paused(&after_a_short_one, 600), &Params::default());
    assert_eq!(witnesses[0].indicted[0].since, Some(Timestamp::from_millis(60_000)), "such as any node has");
    assert_eq!(
        word.text,
        "h2 stood still, or one of its daemons, 41 s in all: 2 lines in the log of h2; no such line about any other node"
    );
}

#[test]
fn warnings_spread_evenly_are_ordinary() {
    let mut said = Vec::new();
    for (node, count) in [7, 9, 7, 8, 7].into_iter().enumerate() {
        said.extend(vec![(ComplaintKind::SlowDisk, node as u32, node as u32); count]);
    }
    assert!(accused(&cluster(&said)).is_empty());
    said.extend(vec![(ComplaintKind::SlowDisk, 2, 2); 30]);
    assert_eq!(accused(&cluster(&said)), [("slow-disk".to_owned(), 2, Strength::Moderate)]);
}

#[test]
fn master_and_unknown_nodes_are_not_judged() {
    let mut trace = cluster(&[(ComplaintKind::NoSpace, 5, 5), (ComplaintKind::NoSpace, 5, 5)]);
    trace.complaints[0].of = None;
    assert!(accused(&trace).is_empty());
}

/// A block read from a node, its end known.
pub(super) fn from(node: u32, end_ms: i64) -> Flow {
    let place = Place { file: FileId(0), line: 1 };
    Flow { src: Some(node), dest: Some(0), ..Flow::of(FlowKind::Read, Timestamp::from_millis(end_ms), place) }
}

pub(super) fn empty_file() -> FileInfo {
    FileInfo {
        path: String::new(),
        node: None,
        daemon_last: None,
        last_line: 0,
        coverage: Coverage::default(),
        issues: Vec::new(),
    }
}

#[test]
fn two_nodes_cannot_be_compared() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 0)]);
    trace.nodes.iter_mut().skip(2).for_each(|n| n.is_peer = false);
    let witness = &SlowWarnings.run(&trace, &Params::default())[0];
    assert_eq!((witness.abstained, witness.indicted.len()), (Some(Abstention::NoPeers), 0));
}

/// Each log asked for each complaint, it takes minutes.
#[test]
fn many_complaints_of_many_nodes_are_vouched_for_in_time() {
    let nodes = 50_000;
    let mut trace = cluster(&vec![(ComplaintKind::Paused, 2, 2); 300_000]);
    let (file, reading) = (trace.files[2].clone(), trace.readings[2].clone());
    let of = |node: u32| FileInfo { node: Some(NodeId(node)), ..file.clone() };
    trace.files = (0..nodes).map(of).collect();
    trace.readings = vec![reading; nodes as usize];
    let mut judged = (0..nodes).map(NodeId).collect();
    let mut complaints: Vec<&Complaint> = trace.complaints.iter().collect();
    keep_vouched(&trace, is_slaves, &mut judged, &mut complaints);
    // The logs end after 100 s, the complaints go on, one a second.
    assert_eq!((judged.len(), complaints.len()), (nodes as usize, 101));
}
