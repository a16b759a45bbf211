use super::*;
use crate::base::{FileId, Place, Timestamp};
use crate::model::{Coverage, FileInfo, Flow, FlowKind, Lanes, Node};

/// Five slaves 0 to 4 and a master 5; complaints as (kind, by, of), a second apart.
fn cluster(complaints: &[(ComplaintKind, u32, u32)]) -> Trace {
    let complaint = |(line, (kind, by, of)): (usize, &(ComplaintKind, u32, u32))| Complaint {
        kind: *kind,
        by: Some(NodeId(*by)),
        of: Some(NodeId(*of)),
        at: Timestamp::from_millis(line as i64 * 1000),
        job: None,
        attempt: None,
        block: None,
        took_ms: None,
        place: Place { file: FileId(0), line: line as u64 + 1 },
    };
    Trace {
        nodes: (0..6).map(|i| Node { name: format!("h{i}"), is_peer: i < 5 }).collect(),
        complaints: complaints.iter().enumerate().map(complaint).collect(),
        ..Trace::default()
    }
}

fn accused(trace: &Trace) -> Vec<(String, u32, Strength)> {
    let witnesses = SlowWarnings.run(trace, &Params::default());
    witnesses.iter().flat_map(|w| w.indicted.iter().map(|i| (w.signal.clone(), i.node.0, i.strength))).collect()
}

#[test]
fn lost_node_is_named_by_one_line() {
    let trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
    assert_eq!(accused(&trace), [("lost-node".to_owned(), 3, Strength::Strong)]);
    let word = &SlowWarnings.run(&trace, &Params::default())[0].indicted[0];
    assert_eq!(word.text, "h3 was given up as lost: 1 line in the log of h5; none of any other node");
    assert_eq!((word.since, word.lines.len()), (Some(Timestamp::from_millis(0)), 1));
}

#[test]
fn cluster_that_is_stopped_loses_all_and_names_none() {
    let lost: Vec<_> = (0..5).map(|i| (ComplaintKind::LostNode, 5, i)).collect();
    assert!(accused(&cluster(&lost)).is_empty());
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
fn common_end_of_failed_fetches_is_moderately_suspect() {
    use ComplaintKind::FetchFailed;
    let from_two = [(FetchFailed, 0, 2), (FetchFailed, 1, 2), (FetchFailed, 3, 2)];
    assert_eq!(accused(&cluster(&from_two)), [("fetch-failed".to_owned(), 2, Strength::Moderate)]);
    // One partner only: it may as well be that one's fault.
    assert!(accused(&cluster(&[(FetchFailed, 0, 2); 9])).is_empty());
    // 3 of 4 connections are less than 90 %.
    let with_another = [from_two.as_slice(), &[(FetchFailed, 0, 1)]].concat();
    assert!(accused(&cluster(&with_another)).is_empty());
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
}

#[test]
fn containers_that_fail_on_one_node_only_accuse_it() {
    use ComplaintKind::ContainerFailed;
    let mut said = vec![(ContainerFailed, 2, 2); 3];
    assert_eq!(accused(&cluster(&said)), [("container-failed".to_owned(), 2, Strength::Strong)]);
    assert!(accused(&cluster(&said[1..])).is_empty());
    said.push((ContainerFailed, 1, 1));
    assert!(accused(&cluster(&said)).is_empty(), "it happens elsewhere too");
}

/// Pauses of nodes: which, when told of, how long, all in seconds; logs of so many seconds.
fn paused(pauses: &[(u32, i64, i64)], logs: i64) -> Trace {
    let of = |(node, ..): &(u32, i64, i64)| (ComplaintKind::Paused, *node, *node);
    let mut trace = cluster(&pauses.iter().map(of).collect::<Vec<_>>());
    for (c, (_, at, took)) in trace.complaints.iter_mut().zip(pauses) {
        (c.at, c.took_ms) = (Timestamp::from_millis(at * 1000), Some(*took as u64 * 1000));
    }
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
    assert_eq!(judged(&[(2, 10, 3), (2, 20, 3), (2, 30, 3), (2, 40, 1)], 60), named(Strength::Moderate));
    assert_eq!(judged(&[(2, 10, 3), (2, 11, 3), (2, 30, 3)], 60), [], "seven seconds");
    assert_eq!(judged(&[(0, 50, 40), (1, 50, 40), (2, 50, 40), (3, 50, 40), (4, 50, 40)], 600), []);
    let witnesses = SlowWarnings.run(&paused(&both, 600), &Params::default());
    let word = &witnesses[0].indicted[0];
    assert_eq!(word.since, Some(Timestamp::from_millis(60_000)), "it began before it was told");
    assert_eq!(
        word.text,
        "h2 stood still with all that ran on it, 41 s in all: 2 lines in the log of h2; none of any other node"
    );
}

#[test]
fn daemon_that_is_gone_is_missed() {
    use ComplaintKind::BrokenPipeline;
    let broken = vec![(BrokenPipeline, 0, 2), (BrokenPipeline, 1, 2), (BrokenPipeline, 3, 0)];
    let judged = |datanodes: [i64; 5], said: &[(ComplaintKind, u32, u32)], at: i64| {
        let mut trace = cluster(said);
        trace.complaints.iter_mut().for_each(|c| c.at = Timestamp::from_millis(at * 1000));
        let file = |format: &str, node: usize, end: i64| {
            let mut file = FileInfo {
                node: Some(NodeId(node as u32)),
                daemon_last: Some(Timestamp::from_millis(end * 1000)),
                ..empty_file()
            };
            file.coverage.format = Some(format.to_owned());
            file
        };
        trace.files = (0..5).map(|node| file("nodemanager", node, 200)).collect();
        trace.files.extend(datanodes.into_iter().enumerate().map(|(node, end)| file("datanode", node, end)));
        accused(&trace)
    };
    let missed = [broken.clone(), vec![(BrokenPipeline, 4, 2)]].concat();
    let gone = ("silence".to_owned(), 2, Strength::Strong);
    assert!(judged([190, 180, 120, 170, 190], &missed, 150).contains(&gone));
    assert!(!judged([190, 180, 120, 170, 190], &broken, 150).contains(&gone), "two lines are too few");
    assert!(!judged([190, 180, 120, 165, 190], &missed, 150).contains(&gone), "another ends 45 s later");
    assert!(!judged([190, 180, 120, 170, 190], &missed, 100).contains(&gone), "complained of before");
    let hangs = vec![(ComplaintKind::TimedOut, 5, 2); 4];
    assert!(
        !judged([190, 180, 120, 170, 190], &hangs, 150).contains(&gone),
        "its tasks hang, and it has nothing to do"
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

#[test]
fn only_a_single_silent_node_counts() {
    let mut trace = cluster(&[]);
    let logs = |ends: [i64; 5]| {
        let file = |(i, s): (usize, i64)| FileInfo {
            node: Some(NodeId(i as u32)),
            daemon_last: Some(Timestamp::from_millis(s * 1000)),
            ..empty_file()
        };
        ends.into_iter().enumerate().map(file).collect()
    };
    trace.files = logs([100, 100, 54, 100, 99]);
    assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Moderate)], "it may have had nothing to do");
    let mut missed = cluster(&[(ComplaintKind::Unreachable, 1, 2)]).complaints;
    missed[0].at = Timestamp::from_millis(50_000);
    trace.complaints = missed;
    assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Strong)]);
    // A block came from it 11 s after its last line: it is alive.
    trace.flows = Lanes::from_rows([from(2, 65_000)]);
    assert!(accused(&trace).is_empty());
    trace.flows = Lanes::from_rows([from(2, 64_000)]);
    assert_eq!(accused(&trace).len(), 1, "within ten seconds the clocks may differ");
    trace.files = logs([100, 100, 55, 100, 99]);
    assert!(accused(&trace).is_empty(), "45 s are not more than 45 s");
    trace.files = logs([100, 20, 54, 100, 99]);
    assert!(accused(&trace).is_empty());
}

/// A block read from a node, its end known.
fn from(node: u32, end_ms: i64) -> Flow {
    Flow {
        kind: FlowKind::Read,
        src: Some(node),
        dest: Some(0),
        start: None,
        end: Timestamp::from_millis(end_ms),
        bytes: None,
        block: None,
        attempt: None,
        reduce: None,
        place: Place { file: FileId(0), line: 1 },
    }
}

fn empty_file() -> FileInfo {
    FileInfo { path: String::new(), node: None, daemon_last: None, coverage: Coverage::default(), issues: Vec::new() }
}

#[test]
fn two_nodes_cannot_be_compared() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 0)]);
    trace.nodes.iter_mut().skip(2).for_each(|n| n.is_peer = false);
    let witness = &SlowWarnings.run(&trace, &Params::default())[0];
    assert_eq!((witness.abstained, witness.indicted.len()), (Some(Abstention::NoPeers), 0));
}
