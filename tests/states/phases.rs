//! Phases of reduces, and what they fetch.

use super::{JOB, TT, at, att, con, ended, file, history, launched, of, receiving, record, times, trace};
use oddnode::model::{Event, Outcome, Phase, StateKind};

#[test]
fn reduce_has_three_phases() {
    let mut r = record("r_000000_0", "h1", 10, Some((100, Outcome::Success)));
    (r.shuffle_end, r.sort_end) = (Some(at(40)), Some(at(60)));
    let t = trace(vec![history(vec![r])]);
    let phase = |kind| of(&t, kind).iter().map(times).collect::<Vec<_>>();
    let ok = Some(Outcome::Success);
    assert_eq!(phase(StateKind::ReduceCopy), [(10, 40, ok)]);
    assert_eq!(phase(StateKind::ReduceMergeCopy), [(40, 60, ok)]);
    assert_eq!(phase(StateKind::ReduceReducer), [(60, 100, ok)]);
    assert_eq!(phase(StateKind::Reduce), [(10, 100, ok)]);
}

#[test]
fn killed_reduce_with_filled_times_was_copying() {
    let mut r = record("r_000000_0", "h1", 10, Some((100, Outcome::Killed)));
    (r.shuffle_end, r.sort_end) = (Some(at(100)), Some(at(100)));
    let t = trace(vec![history(vec![r])]);
    assert_eq!(times(&of(&t, StateKind::ReduceCopy)[0]), (10, 100, Some(Outcome::Killed)));
    assert_eq!(of(&t, StateKind::ReduceMergeCopy).len() + of(&t, StateKind::ReduceReducer).len(), 0);
}

#[test]
fn phases_come_from_progress_lines_without_history() {
    let progress = |phase, first| Event::Progress { attempt: att("r_000000_0"), phase, first: at(first) };
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[
            (10, launched("r_000000_0")),
            (90, ended("r_000000_0", Outcome::Failed)),
            (40, progress(Phase::Copy, 20)),
            (50, progress(Phase::Sort, 44)),
            (80, progress(Phase::Reduce, 60)),
        ],
    )]);
    assert_eq!(times(&of(&t, StateKind::ReduceCopy)[0]), (10, 40, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceMergeCopy)[0]), (40, 50, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceReducer)[0]), (50, 90, Some(Outcome::Failed)));
}

#[test]
fn failed_yarn_reduce_takes_its_phases_from_its_own_log() {
    let attempt = att("r_000000_0");
    let log = file(
        "a/h1/userlogs/application_1_0001/container_1_0001_01_000002/syslog",
        "task-syslog",
        &[
            (12, Event::TaskLog { attempt, container: Some(con(2)) }),
            (40, Event::FinalMerge { attempt }),
            (45, Event::LastMergePass { attempt }),
        ],
    );
    let t = trace(vec![log, history(vec![record("r_000000_0", "h1", 10, Some((100, Outcome::Failed)))])]);
    assert_eq!(times(&of(&t, StateKind::ReduceMergeCopy)[0]), (40, 45, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceReducer)[0]), (45, 100, Some(Outcome::Failed)));
}

#[test]
fn fetched_map_outputs_replace_served_ones() {
    let served = Event::ShuffleServed {
        map: Some(att("m_000000_0")),
        dest: Some("10.0.0.2".parse().unwrap()),
        bytes: 7,
        duration_ns: None,
    };
    let tt = || file(TT, "tasktracker", &[(10, launched("m_000000_0")), (50, served.clone())]);
    let without = trace(vec![tt()]);
    assert_eq!((without.flows.len(), without.flows.get(0).unwrap().bytes), (1, Some(7)));
    let fetched = Event::Fetched {
        reduce: att("r_000000_0"),
        map: att("m_000000_0"),
        host: Some("h1".into()),
        start: at(44),
        bytes: 8,
    };
    let log = file("a/h2/userlogs/x/syslog", "task-syslog", &[(49, fetched)]);
    let h2 = file("a/h2/hadoop-u-datanode-h2.log", "datanode", &[(1, receiving(1, "10.0.0.2:5"))]);
    let with = trace(vec![tt(), log, h2]);
    assert_eq!(with.flows.len(), 1);
    let flow = with.flows.get(0).unwrap();
    assert_eq!((flow.bytes, flow.start, flow.end), (Some(8), Some(at(44)), at(49)));
    assert_eq!(
        (with.peers[flow.src.unwrap() as usize].as_str(), with.peers[flow.dest.unwrap() as usize].as_str()),
        ("h1", "h2")
    );
    assert_eq!(of(&with, StateKind::Shuffle).len(), 1);
}

#[test]
fn phases_of_an_id_on_two_nodes_do_not_mix() {
    let phase = |ms, phase| (ms, Event::Progress { attempt: att("r_000000_0"), phase, first: at(ms) });
    let lost = [(1000, launched("r_000000_0")), phase(5000, Phase::Copy), (6000, ended("r_000000_0", Outcome::Failed))];
    let again = [
        (20_000, launched("r_000000_0")),
        phase(25_000, Phase::Copy),
        phase(30_000, Phase::Reduce),
        (60_000, ended("r_000000_0", Outcome::Success)),
    ];
    let t =
        trace(vec![file(TT, "tasktracker", &lost), file("a/h2/hadoop-u-tasktracker-h2.log", "tasktracker", &again)]);
    let copies: Vec<_> = of(&t, StateKind::ReduceCopy).iter().map(times).collect();
    assert_eq!(copies, [(1000, 6000, Some(Outcome::Failed)), (20_000, 25_000, Some(Outcome::Success))]);
    assert_eq!(of(&t, StateKind::ReduceReducer).len(), 1);
}

/// What a reduce fetched of a map's task from a host of this name.
fn fetched(host: &str, task: u32) -> Event {
    Event::Fetched {
        reduce: att("r_000000_0"),
        map: att(&format!("m_00000{task}_0")),
        host: Some(host.into()),
        start: at(3000),
        bytes: 30,
    }
}

#[test]
fn host_of_a_fetch_that_no_other_log_names_is_its_source() {
    let rows = [(4000, fetched("h7", 0)), (4000, fetched("10.0.0.8", 1)), (4000, fetched("h7", 2))];
    let t = trace(vec![file("a/h5/userlogs/attempt_1_0001_r_000000_0/syslog", "task-syslog", &rows)]);
    let mut sources: Vec<_> =
        t.flows.iter().map(|flow| (flow.attempt.unwrap().task, t.peers[flow.src.unwrap() as usize].clone())).collect();
    sources.sort_unstable();
    assert_eq!(sources, [(0, "h7".to_owned()), (1, "10.0.0.8".to_owned()), (2, "h7".to_owned())]);
    assert!(t.nodes.iter().all(|node| node.name != "h7"));
}

#[test]
fn host_of_a_fetch_is_its_node_but_for_a_domain() {
    let rows = [(4000, fetched("h1.lab.example", 0)), (4000, fetched("h2", 1)), (4000, fetched("h3", 2))];
    let node = |path, host| file(path, "datanode", &[]).startup(host, "10.0.0.1");
    let t = trace(vec![
        file("a/syslog", "task-syslog", &rows),
        node("a/1.log", "h1"),
        node("a/2.log", "h2.lab"),
        node("a/3.log", "h3.east"),
        node("a/4.log", "h3.west"),
    ]);
    let mut sources: Vec<_> =
        t.flows.iter().map(|flow| (flow.attempt.unwrap().task, t.peers[flow.src.unwrap() as usize].clone())).collect();
    sources.sort_unstable();
    assert_eq!(sources, [(0, "h1".to_owned()), (1, "h2.lab".to_owned()), (2, "h3".to_owned())]);
}

#[test]
fn maps_served_at_once_are_one_state_and_flow() {
    let served = Event::ShuffleServedMaps {
        reduce: att("r_000000_0"),
        dest: Some("10.0.0.2".parse().unwrap()),
        duration_ns: Some(500_000_000),
    };
    let t = trace(vec![file(TT, "tasktracker", &[(5000, served)])]);
    let states = of(&t, StateKind::Shuffle);
    let told: Vec<_> = states.iter().map(|s| (s.start, s.end.millis(), s.job, s.attempt, s.bytes)).collect();
    assert_eq!(told, [(Some(at(4500)), 5000, Some(JOB), None, None)]);
    assert_eq!(states[0].peer.map(|peer| t.peers[peer as usize].as_str()), Some("10.0.0.2"));
    let flows: Vec<_> = t.flows.iter().map(|flow| (flow.attempt, flow.reduce, flow.bytes)).collect();
    assert_eq!(flows, [(None, Some(att("r_000000_0")), None)]);
}

#[test]
fn maps_served_to_a_partition_are_a_state_and_a_flow_if_nobody_tells_of_fetches() {
    let served = Event::ShuffleServedPart { dest: Some("10.0.0.2".parse().unwrap()), duration_ns: Some(500_000_000) };
    let tracker = || file(TT, "tasktracker", &[(5000, served.clone())]);
    let t = trace(vec![tracker()]);
    let states = of(&t, StateKind::Shuffle);
    let told: Vec<_> = states.iter().map(|s| (s.start, s.end.millis(), s.job, s.attempt, s.bytes)).collect();
    assert_eq!(told, [(Some(at(4500)), 5000, None, None, None)]);
    assert_eq!(t.flows.iter().map(|flow| (flow.attempt, flow.reduce)).collect::<Vec<_>>(), [(None, None)]);
    let t = trace(vec![tracker(), file("a/h5/syslog", "task-syslog", &[(4000, fetched("h1", 0))])]);
    assert_eq!((of(&t, StateKind::Shuffle).len(), t.flows.len()), (1, 1), "the fetch tells it");
}

/// A node ends a reduce's phases by its own clock, the ApplicationMaster begins and ends the attempt by its own.
#[test]
fn phases_that_clocks_put_where_they_cannot_be_are_moved_there_by_the_clock() {
    let map = |name: &str, finish| record(name, "h9", 0, Some((finish, Outcome::Success)));
    let reduce = |name: &str, host: &str, shuffle, sort| {
        let mut r = record(name, host, 10, Some((20_000, Outcome::Success)));
        (r.shuffle_end, r.sort_end) = (Some(at(shuffle)), Some(at(sort)));
        r
    };
    let t = trace(vec![history(vec![
        // The second was run again when its output was lost; the reduces may have fetched it before.
        map("m_000000_0", 8_000),
        map("m_000001_0", 9_000),
        map("m_000001_1", 15_000),
        reduce("r_000000_0", "h1", 11_000, 12_000),
        reduce("r_000001_0", "h2", 5_000, 6_000),
        reduce("r_000002_0", "h2", 4_000, 5_500),
        reduce("r_000003_0", "h3", 21_000, 23_000),
    ])]);
    let copied =
        of(&t, StateKind::ReduceCopy).into_iter().map(|s| (t.node_name(s.node.unwrap()).to_owned(), s.end.millis()));
    let copied: Vec<_> = copied.collect();
    let expected = [("h1", 11_000), ("h2", 9_000), ("h2", 10_000), ("h3", 18_000)];
    assert_eq!(copied, expected.map(|(node, ms)| (node.to_owned(), ms)));
    let reduced = of(&t, StateKind::ReduceReducer);
    assert!(reduced.iter().all(|s| s.start < Some(s.end) || s.node == reduced[3].node), "{reduced:?}");
    assert_eq!(reduced[3].start, Some(at(20_000)));
}
