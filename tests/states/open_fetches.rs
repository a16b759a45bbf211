//! Fetches that never end: whom reduces wait for until they are killed.

use super::{F, at, att, con, file, history, record, trace};
use oddnode::diagnosis::slow_warnings::SlowWarnings;
use oddnode::diagnosis::{Diagnosis, Params, Strength};
use oddnode::model::{AttemptRecord, ComplaintKind, Event, Outcome, Trace};

/// Where the logs of reduces 0 to 3 lie, which run on h2 to h5.
const LOGS: [&str; 4] = [
    "a/h2/userlogs/application_1_0001/container_1_0001_01_000002/syslog.shuffle",
    "a/h3/userlogs/application_1_0001/container_1_0001_01_000003/syslog.shuffle",
    "a/h4/userlogs/application_1_0001/container_1_0001_01_000004/syslog.shuffle",
    "a/h5/userlogs/application_1_0001/container_1_0001_01_000005/syslog.shuffle",
];

fn reduce(n: usize) -> String {
    format!("r_00000{n}_0")
}

/// A map's output, of 1,000 bytes, that a reduce got within so long.
fn fetched(n: usize, map: &str, from_ms: i64, ms: i64) -> (i64, Event) {
    let (reduce, map) = (att(&reduce(n)), att(map));
    (from_ms + ms, Event::Fetched { reduce, map, host: None, start: at(from_ms), bytes: 1000 })
}

fn open(n: usize, map: &str, from_ms: i64, bytes: u64) -> (i64, Event) {
    (from_ms, Event::FetchOpen { reduce: att(&reduce(n)), map: att(map), bytes })
}

/// The log of a reduce, from 10 s on.
fn log(n: usize, rows: &[(i64, Event)]) -> F {
    let begin = (10_000, Event::TaskLog { attempt: att(&reduce(n)), container: Some(con(n as u64 + 2)) });
    file(LOGS[n], "task-syslog", &[&[begin], rows].concat())
}

/// Two maps each on h1 to h5, numbered through, and reduces on h2 to h5, killed at 200 s.
fn job() -> Vec<AttemptRecord> {
    let map =
        |n: usize| record(&format!("m_00000{n}_0"), &format!("h{}", n / 2 + 1), 0, Some((9000, Outcome::Success)));
    let killed = |n: usize| record(&reduce(n), &format!("h{}", n + 2), 9500, Some((200_000, Outcome::Killed)));
    (0..10).map(map).chain((0..4).map(killed)).collect()
}

/// Who complains of whom, when and after how many milliseconds.
fn complaints(t: &Trace) -> Vec<(String, String, i64, u64)> {
    let of = t.complaints.iter().filter(|c| c.kind == ComplaintKind::FetchFailed);
    let name = |node: Option<oddnode::base::NodeId>| t.node_name(node.unwrap()).to_owned();
    of.map(|c| (name(c.by), name(c.of), c.at.millis(), c.took_ms.unwrap())).collect()
}

/// What the first reduce complains of, whose log has these rows; the others fetched what they did within a second.
fn first(rows: &[(i64, Event)], more: impl IntoIterator<Item = F>) -> Vec<(String, String, i64, u64)> {
    let others =
        (1..4).map(|n| log(n, &[fetched(n, "m_000002_0", 20_000, 1000), fetched(n, "m_000000_0", 21_000, 900)]));
    let all = others.chain([log(0, rows), history(job())]).chain(more);
    complaints(&trace(all.collect()))
}

fn waits(until_ms: i64, ms: u64) -> [(String, String, i64, u64); 1] {
    [("h2".into(), "h1".into(), until_ms, ms)]
}

#[test]
fn reduce_complains_of_the_node_that_it_waits_for_until_it_ends() {
    assert_eq!(first(&[open(0, "m_000000_0", 80_000, 1000)], []), waits(200_000, 120_000));
    assert_eq!(first(&[open(0, "m_000000_0", 140_000, 1000)], []), waits(200_000, 60_000));
    assert_eq!(first(&[open(0, "m_000000_0", 140_001, 1000)], []), [], "not long enough");
    assert_eq!(first(&[open(0, "m_000002_0", 80_000, 1000)], []), [], "its own node");
    assert_eq!(first(&[open(0, "m_000077_0", 80_000, 1000)], []), [], "nobody knows where that ran");
    let two = [open(0, "m_000000_0", 80_000, 1000), open(0, "m_000001_0", 81_000, 1000)];
    assert_eq!(first(&two, []), waits(200_000, 120_000), "once");
}

#[test]
fn what_ended_says_how_long_is_far_longer() {
    let stands = open(0, "m_000000_0", 80_000, 1000);
    let beside = |map: &str, ms: i64| first(&[fetched(0, map, 20_000, ms), stands.clone()], []);
    assert_eq!(beside("m_000004_0", 40_000), waits(200_000, 120_000));
    assert_eq!(beside("m_000004_0", 40_001), [], "three times as long is less than 120.003 s");
    assert_eq!(beside("m_000001_0", 59_000), waits(200_000, 120_000), "of the same node");
    assert_eq!(first(&[open(0, "m_000000_0", 80_000, 40_000)], []), waits(200_000, 120_000));
    assert_eq!(first(&[open(0, "m_000000_0", 80_000, 40_001)], []), [], "it is 40 times as large as any other");
    let alone = trace(vec![log(0, &[fetched(0, "m_000001_0", 20_000, 10), stands]), history(job())]);
    assert_eq!(complaints(&alone), [], "nothing else was fetched");
}

#[test]
fn reduce_whose_end_is_not_known_may_have_gone_on() {
    let stands = || log(0, &[open(0, "m_000000_0", 80_000, 1000)]);
    let with = |finish: Option<(i64, Outcome)>, copied: Option<i64>| {
        let mut job = job();
        job[10] = AttemptRecord { shuffle_end: copied.map(at), ..record("r_000000_0", "h2", 9500, finish) };
        let other = log(1, &[fetched(1, "m_000002_0", 20_000, 1000)]);
        complaints(&trace(vec![stands(), other, history(job)]))
    };
    assert_eq!(with(Some((200_000, Outcome::Failed)), None), waits(200_000, 120_000));
    assert_eq!(with(None, None), []);
    assert_eq!(with(Some((200_000, Outcome::Success)), Some(190_000)), [], "it got all it asked for");
    assert_eq!(with(Some((200_000, Outcome::Killed)), Some(190_000)), [], "here, too");
    assert_eq!(with(Some((200_000, Outcome::Killed)), Some(200_000)), waits(200_000, 120_000), "filled in at its end");
}

#[test]
fn reduce_that_waits_for_several_nodes_may_stand_still_itself() {
    assert_eq!(first(&[open(0, "m_000000_0", 80_000, 1000), open(0, "m_000004_0", 81_000, 1000)], []), []);
    // What it had just begun with another says nothing.
    let begun = [open(0, "m_000000_0", 80_000, 1000), open(0, "m_000004_0", 190_000, 1000)];
    assert_eq!(first(&begun, []), waits(200_000, 120_000));
}

#[test]
fn log_that_goes_on_elsewhere_or_was_gathered_before_ends_no_fetch() {
    let stands = [open(0, "m_000000_0", 80_000, 1000)];
    let next = |begin_ms: i64| {
        let whose = Event::TaskLog { attempt: att("r_000000_0"), container: Some(con(2)) };
        let path = "a/h2/userlogs/application_1_0001/container_1_0001_01_000002/syslog";
        first(&stands, [file(path, "task-syslog", &[(begin_ms, whose)])])
    };
    assert_eq!(next(9_900), waits(200_000, 120_000), "its other log, which began before");
    assert_eq!(next(90_000), [], "the same, rolled");
    let runner = |path, last_ms: i64| {
        let wrote = |ms: i64| (ms, Event::Localizing { container: con(ms as u64) });
        first(&stands, [file(path, "nodemanager", &[wrote(1), wrote(last_ms)])])
    };
    let own = "a/h2/hadoop-u-nodemanager-h2.log";
    assert_eq!(runner(own, 300_000), waits(200_000, 120_000));
    assert_eq!(runner(own, 145_000), waits(145_000, 65_000));
    assert_eq!(runner(own, 85_000), [], "that daemon may be gone, and the reduce with it");
    assert_eq!(runner("a/h3/hadoop-u-nodemanager-h3.log", 85_000), waits(200_000, 120_000), "another node's");
}

/// Who is accused of fetches, where each reduce is at one from these maps for so long when all are killed.
fn accused(maps: [&str; 4], ms: i64) -> Vec<(String, Strength)> {
    let rows = |n: usize| [fetched(n, "m_000005_0", 20_000, 500), open(n, maps[n], 200_000 - ms, 1000)];
    let t = trace((0..4).map(|n| log(n, &rows(n))).chain([history(job())]).collect());
    assert_eq!(t.flows.len(), 4, "those that ended");
    let indicted = SlowWarnings.run(&t, &Params::default()).into_iter().flat_map(|w| w.indicted);
    indicted.map(|word| (t.node_name(word.node).to_owned(), word.strength)).collect()
}

#[test]
fn node_for_which_all_reduces_wait_is_named() {
    let from_h1 = ["m_000000_0", "m_000001_0", "m_000000_0", "m_000000_0"];
    assert_eq!(accused(from_h1, 100_000), [("h1".to_owned(), Strength::Strong)]);
    let each_from_another = ["m_000004_0", "m_000006_0", "m_000008_0", "m_000002_0"];
    assert_eq!(accused(each_from_another, 100_000), []);
}

#[test]
fn reduces_that_are_killed_while_they_copy_accuse_nobody() {
    assert_eq!(accused(["m_000000_0"; 4], 2_000), []);
    assert_eq!(accused(["m_000000_0"; 4], 59_999), []);
}
