use super::super::tests::{LOGS, accused, cluster, empty_file, from, job, map};
use super::super::*;
use crate::base::{BlockId, FileId, Place, Timestamp};
use crate::model::{
    Coverage, FileInfo, FileReading, Flow, FlowKind, JobStatus, Lanes, Outcome, Skew, State, StateKind,
};

#[test]
fn daemon_that_is_gone_is_missed() {
    use ComplaintKind::BrokenPipeline;
    let broken = vec![(BrokenPipeline, 0, 2), (BrokenPipeline, 1, 2), (BrokenPipeline, 3, 0)];
    let judged_in =
        |told_in: &str, block: Option<BlockId>, datanodes: [i64; 5], said: &[(ComplaintKind, u32, u32)], at: i64| {
            let mut trace = cluster(said);
            trace.complaints.iter_mut().for_each(|c| (c.block, c.place.file) = (block, FileId(10)));
            trace.complaints.iter_mut().for_each(|c| c.at = Timestamp::from_millis(at * 1000));
            trace.readings.clear();
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
            let coverage = Coverage { format: Some(told_in.to_owned()), ..Coverage::default() };
            trace.files.push(FileInfo { coverage, ..empty_file() });
            accused(&trace)
        };
    let judged = |datanodes, said: &[(ComplaintKind, u32, u32)], at| judged_in("datanode", None, datanodes, said, at);
    let missed = [broken.clone(), vec![(BrokenPipeline, 4, 2); 2]].concat();
    let gone = ("silence".to_owned(), 2, Strength::Strong);
    assert!(judged([190, 180, 120, 170, 190], &missed, 150).contains(&gone));
    assert!(!judged([190, 180, 120, 170, 190], &broken, 150).contains(&gone), "two lines are too few");
    assert!(judged([190, 180, 120, 20, 190], &missed, 150).contains(&gone), "another's is of long ago");
    assert!(!judged([140, 150, 120, 190, 190], &missed, 150).contains(&gone), "half of the others end soon too");
    let of_another = [missed.clone(), vec![(BrokenPipeline, 4, 0)]].concat();
    assert!(!judged([190, 180, 120, 170, 190], &of_another, 150).contains(&gone), "another is missed nearly as often");
    let of_tasks = vec![(ComplaintKind::FetchFailed, 0, 2); 4];
    assert!(!judged([190, 180, 120, 170, 190], &of_tasks, 150).contains(&gone), "a DataNode serves no map output");
    assert!(!judged([190, 180, 120, 170, 190], &missed, 100).contains(&gone), "complained of before");
    let refused = vec![(ComplaintKind::Unreachable, 5, 2); 4];
    let by = |told_in, block| judged_in(told_in, block, [190, 180, 120, 170, 190], &refused, 150).contains(&gone);
    assert!(by("task-syslog", None), "tasks connect to DataNodes");
    assert!(by("am-syslog", Some(BlockId(7))) && !by("am-syslog", None), "or, without a block, to a NodeManager");
    assert!(!by("resourcemanager", Some(BlockId(7))), "whoever else that was");
    let hangs = vec![(ComplaintKind::TimedOut, 5, 2); 4];
    assert!(
        !judged([190, 180, 120, 170, 190], &hangs, 150).contains(&gone),
        "its tasks hang, and it has nothing to do"
    );
}

#[test]
fn clock_that_is_slow_for_certain_or_may_be_so_makes_no_silence() {
    let mut trace = cluster(&[]);
    let ends = |of_third: i64| {
        let file = |node: u32| FileInfo {
            node: Some(NodeId(node)),
            daemon_last: Some(Timestamp::from_millis(if node == 2 { of_third } else { 200_000 })),
            ..empty_file()
        };
        (0..5).map(file).collect::<Vec<_>>()
    };
    let skew = |low_ms: i64, high_ms: i64, corrected: bool| Skew {
        node: NodeId(2),
        skew_ms: i64::midpoint(low_ms, high_ms),
        low_ms,
        high_ms,
        messages: 9,
        corrected,
    };
    let judged = |trace: &Trace| accused(trace).len();
    trace.files = ends(140_000);
    assert_eq!(judged(&trace), 1);
    trace.clocks.skews = vec![skew(-60_600, -60_000, false)];
    assert_eq!(judged(&trace), 0, "its clock is a minute slow");
    trace.clocks.skews = vec![skew(-60_600, -60_000, true)];
    assert_eq!(judged(&trace), 1, "that was taken out already");
    trace.clocks.skews = vec![skew(-20_000, 100, false)];
    assert_eq!(judged(&trace), 0, "it may be 20 s slow");
    trace.clocks.skews = vec![skew(-10_000, 100, false)];
    assert_eq!(judged(&trace), 1);
    // One that is fast hides it.
    trace.files = ends(200_000);
    trace.clocks.skews = vec![skew(60_000, 60_600, false)];
    assert_eq!(judged(&trace), 1);
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
    let mut logged = trace.clone();
    logged.files[2].coverage.format = Some("datanode".to_owned());
    logged.files[2].last_line = 7;
    let lines = &SlowWarnings.run(&logged, &Params::default())[0].indicted[0].lines;
    assert_eq!(*lines, [Place { file: FileId(2), line: 7 }], "its last line");
    let mut contained = trace.clone();
    let coverage = Coverage { format: Some("am-syslog".to_owned()), ..Coverage::default() };
    contained.files.push(FileInfo { node: Some(NodeId(2)), coverage, ..empty_file() });
    contained.readings[5].span = Some((LOGS.0, Timestamp::from_millis(84_000)));
    assert_eq!(
        SlowWarnings.run(&contained, &Params::default())[0].indicted[0].text,
        "all daemons of h2 fall silent 46 s before the others end; no other node does; \
         a container on it logs for 30 s more, so the machine was up then"
    );
    let mut missed = cluster(&[(ComplaintKind::Unreachable, 1, 2)]).complaints;
    missed[0].at = Timestamp::from_millis(50_000);
    trace.complaints = missed;
    assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Strong)]);
    // A block came from it 11 s after its last line: it is alive.
    trace.flows = Lanes::from_rows([from(2, 65_000)]);
    assert!(accused(&trace).is_empty());
    trace.flows = Lanes::from_rows([from(2, 64_000)]);
    assert_eq!(accused(&trace).len(), 1, "within ten seconds the clocks may differ");
    trace.tasks = vec![map(0, 2, (65, 70), Outcome::Killed)];
    assert!(accused(&trace).is_empty(), "an attempt began there");
    trace.tasks = vec![map(0, 2, (5, 70), Outcome::Failed)];
    trace.tasks[0].error = Some("java.lang.NumberFormatException".into());
    assert!(accused(&trace).is_empty(), "an attempt failed by itself");
    for by_master in [
        "Lost task tracker: tracker_h2:localhost/127.0.0.1:40719",
        "Container released on a *lost* node",
        "TaskAttempt killed because it ran on unusable node h2:45454",
        "AttemptID:x Timed out after 600 secs",
        "Too Many fetch failures.Failing the attempt",
    ] {
        trace.tasks[0].error = Some(by_master.into());
        assert_eq!(accused(&trace).len(), 1, "{by_master}");
    }
    trace.complaints.clear();
    assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Strong)], "its attempt was given up");
    trace.jobs = vec![job(70, JobStatus::Killed)];
    assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Moderate)], "with all of its job");
    let master =
        FileInfo { coverage: Coverage { format: Some("namenode".to_owned()), ..Coverage::default() }, ..empty_file() };
    trace.files.push(FileInfo { node: Some(NodeId(5)), ..master });
    let long = FileReading { span: Some((LOGS.0, Timestamp::from_millis(955_000))), ..FileReading::default() };
    trace.readings = vec![FileReading::default(); 5];
    trace.readings.push(long);
    assert_eq!(accused(&trace), [], "its master went on for fifteen minutes and did not lose it");
    trace.files.pop();
    trace.files = logs([100, 100, 55, 100, 99]);
    assert!(accused(&trace).is_empty(), "45 s are not more than 45 s");
    trace.files = logs([100, 20, 54, 100, 99]);
    assert!(accused(&trace).is_empty());
}

#[test]
fn datanode_fell_with_the_last_block_that_it_moved_whatever_tasks_did_beside_it() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
    trace.files[5].coverage.format = Some("namenode".to_owned());
    trace.complaints[0].at = Timestamp::from_millis(400_000);
    trace.tasks = vec![map(2, 3, (63, 400), Outcome::Success)];
    let state = |kind, end: i64| State {
        outcome: Some(Outcome::Success),
        ..State::made(kind, NodeId(3), (end - 1000, end), end as u64)
    };
    trace.states = Lanes::from_rows(vec![state(StateKind::Map, 390_000), state(StateKind::WriteBlock, 50_000)]);
    let flow = |kind, src: u32, end: i64| Flow { kind, dest: Some(3), ..from(src, end) };
    trace.flows = Lanes::from_rows(vec![flow(FlowKind::Write, 1, 55_000), flow(FlowKind::Shuffle, 1, 380_000)]);
    // Its daemons go on beyond the loss, so that their last lines tell nothing.
    for file in &mut trace.files {
        file.daemon_last = Some(Timestamp::from_millis(500_000));
    }
    let since = |trace: &Trace| SlowWarnings.run(trace, &Params::default())[0].indicted[0].since;
    assert_eq!(since(&trace), Some(Timestamp::from_millis(55_000)));
    trace.files[5].coverage.format = Some("resourcemanager".to_owned());
    assert_eq!(since(&trace), Some(Timestamp::from_millis(390_000)), "of who runs tasks these tell");
}
