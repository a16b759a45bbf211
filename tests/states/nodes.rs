//! Nodes: who is a peer, what is said of whom, and how long is observed.

use super::F;
use super::{DN, JOB, TT, at, att, con, file, history, launched, of, receiving, record, said, trace};
use oddnode::base::Code;
use oddnode::model::{ComplaintKind, Event, HostClaim, HostSource, Outcome, StateKind, Subject, Trace};

#[test]
fn master_is_a_peer_only_if_it_ran_tasks() {
    let nn = || file("a/m/hadoop-u-namenode-m.log", "namenode", &[(1, Event::JobKilled { job: JOB })]);
    let dn = || file("a/m/hadoop-u-datanode-m.log", "datanode", &[(1, receiving(1, "10.0.0.2:5"))]);
    let is_peer = |t: &Trace| t.nodes.iter().find(|n| n.name == "m").unwrap().is_peer;
    assert!(!is_peer(&trace(vec![nn(), dn()])));
    let ran = history(vec![record("m_000000_0", "m", 1, Some((2, Outcome::Success)))]);
    assert!(is_peer(&trace(vec![nn(), dn(), ran])));
    assert!(is_peer(&trace(vec![dn()])));
}

#[test]
fn complaints_name_who_speaks_and_of_whom() {
    let m0 = Some(att("m_000000_0"));
    let t = trace(vec![
        file("a/h1/hadoop-u-datanode-h1.log", "datanode", &[(9, said(ComplaintKind::SlowDisk, Subject::Own, None))])
            .startup("h1", "10.0.0.1"),
        file(
            "a/h2/hadoop-u-datanode-h2.log",
            "datanode",
            &[
                (8, said(ComplaintKind::SlowNetwork, Subject::Address("10.0.0.1".parse().unwrap()), None)),
                (7, said(ComplaintKind::FetchFailed, Subject::Host("h1.lab".into()), m0)),
                (6, said(ComplaintKind::Unreachable, Subject::Host("elsewhere".into()), None)),
            ],
        )
        .startup("h2", "10.0.0.2"),
        file("a/m/am.log", "am-syslog", &[(5, said(ComplaintKind::TimedOut, Subject::Attempt, m0))]),
        history(vec![record("m_000000_0", "h1.lab", 1, Some((2, Outcome::Success)))]),
    ]);
    let name = |node: Option<oddnode::base::NodeId>| node.map_or("?", |node| t.node_name(node)).to_owned();
    let rows: Vec<_> = t.complaints.iter().map(|c| (c.kind, name(c.by), name(c.of), c.at.millis())).collect();
    assert_eq!(
        rows,
        [
            (ComplaintKind::TimedOut, "?".into(), "h1".into(), 5),
            (ComplaintKind::FetchFailed, "h2".into(), "h1".into(), 7),
            (ComplaintKind::SlowDisk, "h1".into(), "h1".into(), 9),
            (ComplaintKind::SlowNetwork, "h2".into(), "h1".into(), 8),
            (ComplaintKind::Unreachable, "h2".into(), "?".into(), 6),
        ]
    );
    assert_eq!(t.complaints.iter().filter(|c| c.is_of_another()).count(), 3);
    assert_eq!(t.complaints[0].job, Some(JOB));
}

#[test]
fn output_that_a_master_gives_up_counts_once() {
    let given_up = || said(ComplaintKind::TooManyFetchFailures, Subject::Attempt, Some(att("m_000000_0")));
    // Its tracker could not serve it, either.
    let lost = said(ComplaintKind::MapOutputLost, Subject::Own, Some(att("m_000000_0")));
    let jobtracker = || file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &[(5, given_up()), (5, given_up())]);
    let tracker = || file("a/h1/hadoop-u-tasktracker-h1.log", "tasktracker", &[(4, lost.clone())]);
    let told = || file("a/m/job.jhist", "jhist", &[(9, given_up())]);
    let kinds = |files| trace(files).complaints.iter().map(|c| (c.kind, c.at.millis())).collect::<Vec<_>>();
    let once = (ComplaintKind::TooManyFetchFailures, 5);
    assert_eq!(kinds(vec![jobtracker(), told()]), [once]);
    assert_eq!(kinds(vec![jobtracker(), tracker(), told()]), [(ComplaintKind::MapOutputLost, 4), once]);
    assert_eq!(kinds(vec![told()]), [(ComplaintKind::TooManyFetchFailures, 9)]);
}

/// Who kills an attempt takes its folders away: no disk is full for that.
#[test]
fn attempt_that_was_killed_accuses_no_disk_since() {
    let attempt = att("m_000000_0");
    let full = || said(ComplaintKind::NoSpace, Subject::Own, None);
    let kinds = |outcome| {
        let own = [(1, Event::TaskLog { attempt, container: None }), (4, full()), (6, full())];
        let log = file("a/h1/userlogs/attempt_1_0001_m_000000_0/syslog", "task-syslog", &own);
        let t = trace(vec![log, history(vec![record("m_000000_0", "h1", 1, Some((5, outcome)))])]);
        t.complaints.iter().map(|c| c.at.millis()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(Outcome::Killed), [4], "before that it may have been");
    assert_eq!(kinds(Outcome::Failed), [4, 6]);
}

#[test]
fn host_is_blacklisted_for_the_job_of_its_application_master() {
    let blacklisted = || said(ComplaintKind::Blacklisted, Subject::Host("h1".into()), None);
    let failed = said(ComplaintKind::AttemptFailed, Subject::Attempt, Some(att("m_000000_0")));
    let of = |format: &str| {
        let log = file("a/m/syslog", format, &[(4, blacklisted()), (5, failed.clone()), (6, blacklisted())]);
        let t = trace(vec![log, history(vec![record("m_000000_0", "h1", 1, Some((2, Outcome::Failed)))])]);
        let rows = t.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
        rows.map(|c| (c.at.millis(), c.job)).collect::<Vec<_>>()
    };
    assert_eq!(of("am-syslog"), [(4, None), (6, Some(JOB))], "before it told of an attempt nobody knows");
    assert_eq!(of("jobtracker"), [(4, None), (6, None)], "which has many jobs");
}

#[test]
fn nodes_with_nodemanagers_are_peers_but_for_the_masters() {
    let started = [(1, Event::Localizing { container: con(4) })];
    let log = |path| file(path, "nodemanager", &started);
    let t = trace(vec![
        log("a/h1/hadoop-u-nodemanager-h1.log"),
        log("a/h2/hadoop-u-nodemanager-h2.log"),
        log("a/m/hadoop-u-nodemanager-m.log"),
        file("a/m/hadoop-u-resourcemanager-m.log", "resourcemanager", &[]),
    ]);
    assert_eq!(t.nodes.iter().map(|n| n.is_peer).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn console_of_a_client_tells_how_long_was_observed() {
    let mut console = file("a/h0/client/job.out", "other-process", &[]);
    console.digest.span = Some((at(0), at(70_000)));
    let t = trace(vec![file(TT, "tasktracker", &[(1000, launched("m_000000_0"))]), console]);
    let map = &of(&t, StateKind::Map)[0];
    assert_eq!((map.end.millis(), map.open), (70_000, true));
    assert_eq!(t.span, Some((at(1000), at(1000))));
    assert!(t.files.iter().filter(|f| f.path.ends_with(".out")).all(|f| f.daemon_last.is_none()));
}

#[test]
fn secondary_namenode_makes_no_master() {
    let slave = || file(DN, "datanode", &[(1000, receiving(1, "10.0.0.9:1"))]);
    let with = |format| trace(vec![slave(), file("a/h1/hadoop-u-x-h1.log", format, &[])]).nodes[0].is_peer;
    assert!(with("secondarynamenode"));
    assert!(!with("namenode"));
}

/// Metrics of a host that calls itself so: (time, hundredths of `user`).
fn metrics(path: &'static str, host: &str, rows: &[(i64, u64)]) -> F {
    let named = (rows[0].0, Event::MetricsHost { host: host.into() });
    let values = rows.iter().map(|(ms, user)| (*ms, Event::Metrics { which: 1, hundredths: [*user].into() }));
    let mut f = file(path, "sadf-d", &[named].into_iter().chain(values).collect::<Vec<_>>());
    f.digest.hosts.push(HostClaim { source: HostSource::Metrics, name: host.into(), ip: None });
    f
}

fn samples(t: &Trace) -> Vec<(String, i64, f64)> {
    t.samples.iter().map(|s| (t.node_name(s.node).to_owned(), s.at.millis(), s.values[0])).collect()
}

/// The paths of files with metrics that differ from others'.
fn differing(t: &Trace) -> Vec<&str> {
    let files = t.files.iter().filter(|f| f.issues.iter().any(|(code, ..)| *code == Code::MetricsDiffer));
    files.map(|f| &*f.path).collect()
}

#[test]
fn metrics_of_machines_that_are_all_localhost_go_by_their_folders() {
    for host in ["localhost", "localhost.localdomain", "127.0.0.1", ""] {
        let t = trace(vec![
            metrics("a/n0/sadf.txt", host, &[(1, 100), (2, 200)]),
            metrics("a/n1/sadf.txt", host, &[(1, 100), (2, 700)]),
        ]);
        let expected = [("n0", 1, 1.0), ("n0", 2, 2.0), ("n1", 1, 1.0), ("n1", 2, 7.0)];
        assert_eq!(samples(&t), expected.map(|(node, ms, user)| (node.to_owned(), ms, user)), "{host}");
        assert_eq!(differing(&t), [""; 0]);
    }
}

#[test]
fn metrics_of_one_machine_may_have_a_folder_a_day() {
    let days = |second: i64| {
        trace(vec![
            metrics("a/day1/sadf.txt", "localhost.localdomain", &[(1, 100), (20, 200)]),
            metrics("a/day2/sadf.txt", "localhost.localdomain", &[(second, 300), (60, 400)]),
        ])
    };
    let names = |t: &Trace| t.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&days(20)), ["localhost.localdomain"], "as it is called");
    assert_eq!(samples(&days(21)).len(), 4);
    assert_eq!(names(&days(19)), ["day1", "day2"]);
    let once = |path| metrics(path, "localhost", &[(1, 100)]);
    assert_eq!(names(&trace(vec![once("a/n0/sar.txt"), once("a/n1/sar.txt")])), ["n0", "n1"]);
}

#[test]
fn name_of_a_machine_without_another_is_shown_as_most_call_it() {
    let shown = |files| trace(files).nodes[0].name.clone();
    let one = |path, host| metrics(path, host, &[(1, 100)]);
    assert_eq!(shown(vec![one("a/x.txt", "localhost"), one("a/y.txt", "localhost.localdomain")]), "localhost");
    let long = ["a/x.txt", "a/y.txt"].map(|path| one(path, "localhost.localdomain"));
    assert_eq!(shown(long.into_iter().chain([one("a/z.txt", "localhost")]).collect()), "localhost.localdomain");
}

#[test]
fn other_values_for_a_node_and_time_are_told() {
    let first = || metrics("a/h1/1.txt", "h1", &[(1, 100), (2, 200)]);
    let second = |rows| trace(vec![first(), metrics("a/h1/2.txt", "h1", rows)]);
    assert_eq!(differing(&second(&[(2, 200), (3, 300)])), [""; 0]);
    assert_eq!(differing(&second(&[(3, 300)])), [""; 0]);
    let t = second(&[(2, 201), (3, 300)]);
    assert_eq!(differing(&t), ["a/h1/2.txt"]);
    assert_eq!(samples(&t)[1], ("h1".to_owned(), 2, 2.0), "what the first file says stays");
    let of_two = trace(vec![first(), metrics("a/h2/2.txt", "h2", &[(2, 201)])]);
    assert_eq!(differing(&of_two), [""; 0]);
}
