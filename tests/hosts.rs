//! Who is who: names joined where that is certain, conflicts shown.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::diagnosis::Params;
use oddnode::pipeline::{Ingest, analyse};
use oddnode::report::Report;
use oddnode::source::Limits;

/// A DataNode's log whose banner names `host`, and which receives a block at `ip`.
fn log(host: &str, ip: &str) -> String {
    let head = "2026-11-21 02:00:00,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode";
    format!("{head}: STARTUP_MSG: \nSTARTUP_MSG: Starting DataNode\nSTARTUP_MSG:   host = {host}/{ip}\n")
}

fn report(files: &[(&str, String)]) -> Report {
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in files {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    analyse(&ingest.into_digest(), &Params::default()).report
}

/// Behind an attempt that failed another node may clean up, under the attempt's name.
#[test]
fn complaint_is_of_the_node_that_ran_the_attempt() {
    let attempt = "attempt_202611202124_0001_m_000000_0";
    let to = |what: &str, host: &str| {
        format!(
            "JobTracker: Adding task {what}'{attempt}' to tip task_202611202124_0001_m_000000, for tracker 'tracker_{host}:localhost/127.0.0.1:43729'"
        )
    };
    let error = format!(
        "TaskInProgress: Error from {attempt}: Task {attempt} failed to report status for 600 seconds. Killing!"
    );
    for clean_up in ["(cleanup)", "(TASK_CLEANUP) "] {
        let lines = [to("(MAP) ", "h1"), error.clone(), to(clean_up, "h2")];
        let at = |second: usize, text: &str| {
            format!("2026-11-20 21:24:3{second},000 INFO org.apache.hadoop.mapred.{text}\n")
        };
        let log: String = lines.iter().enumerate().map(|(second, text)| at(second, text)).collect();
        let mut ingest = Ingest::new(Limits::default());
        ingest.start("a/h0/hadoop-u-jobtracker-h0.log");
        ingest.feed(log.as_bytes());
        for host in ["h1", "h2"] {
            ingest.start(&format!("a/{host}/hadoop-u-tasktracker-{host}.log"));
            ingest.feed(b"2026-11-20 21:24:30,000 INFO org.apache.hadoop.mapred.TaskTracker: Starting thread\n");
        }
        let trace = oddnode::states::build(&ingest.into_digest(), Some(0));
        let of: Vec<&str> = trace.complaints.iter().filter_map(|c| c.of).map(|node| trace.node_name(node)).collect();
        assert_eq!(of, ["h1"], "{clean_up}");
    }
}

fn nodes(r: &Report) -> Vec<(&str, Option<&str>)> {
    r.coverage.iter().map(|c| (c.file.as_str(), c.node.as_deref())).collect()
}

/// Notes and places of an issue.
fn issue<'a>(r: &'a Report, code: &str) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let row = r.issues.iter().find(|i| i.code == code)?;
    Some((row.notes.iter().map(String::as_str).collect(), row.lines.iter().map(|l| l.file.as_str()).collect()))
}

#[test]
fn agreeing_claims_are_no_conflict() {
    let r = report(&[("a/h1/hadoop-u-datanode-h1.log", log("h1", "10.0.0.1")), ("a/h2/x.log", log("h2", "10.0.0.2"))]);
    assert_eq!(nodes(&r), [("a/h1/hadoop-u-datanode-h1.log", Some("h1")), ("a/h2/x.log", Some("h2"))]);
    assert!(r.issues.iter().all(|i| i.notes.is_empty()));
}

#[test]
fn steps_of_a_path_name_no_node() {
    let line = "2026-11-20 10:00:00,000 INFO org.apache.hadoop.mapred.TaskTracker: Starting thread\n".to_owned();
    let r = report(&[("x.tar/../../h1/tt.log", line.clone()), ("x.tar/h2/tt.log", line.clone() + &line)]);
    assert!(r.coverage.iter().all(|c| c.node.as_deref().is_none_or(|node| node.starts_with('h'))), "{:?}", nodes(&r));
    let r = report(&[("x.tar/../../h1/tt.log", line.clone()), ("x.tar/../../h2/tt.log", line.clone() + &line)]);
    let named: Vec<_> = nodes(&r).into_iter().map(|(_, node)| node).collect();
    assert_eq!(named, [Some("h1"), Some("h2")]);
}

/// An application's folder ends in what could be a port.
#[test]
fn logs_of_containers_are_their_nodes() {
    let container = "userlogs/application_1795226467746_0015/container_1795226467746_0015_01_000002";
    let syslog = "2026-11-21 02:30:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: numReduceTasks: 1\n";
    let path = format!("a/h1/{container}/syslog");
    let r = report(&[("a/h1/hadoop-u-datanode-h1.log", log("h1", "10.0.0.1")), (path.as_str(), syslog.to_owned())]);
    assert_eq!(nodes(&r)[1], (path.as_str(), Some("h1")));
    assert_eq!(r.nodes, ["h1"]);
}

#[test]
fn one_address_of_two_hosts_is_told_with_both() {
    let r = report(&[("a/h1/d.log", log("h1", "10.0.0.1")), ("a/h2/d.log", log("h2", "10.0.0.1"))]);
    let (notes, places) = issue(&r, "address-claimed-twice").unwrap();
    assert_eq!(notes, ["10.0.0.1 is claimed by h1 and by h2"]);
    assert_eq!(places, ["a/h1/d.log", "a/h2/d.log"]);
}

#[test]
fn two_names_in_one_log_are_told() {
    let r = report(&[("a/d.log", log("h1", "10.0.0.1") + &log("h2", "10.0.0.2"))]);
    let (notes, places) = issue(&r, "two-hosts-in-one-file").unwrap();
    assert_eq!((notes, places), (vec!["h1 and h2 in a/d.log"], vec!["a/d.log"]));
    assert_eq!(nodes(&r), [("a/d.log", Some("h2"))]);
}

/// A history by which a task ran on each of these hosts.
fn history(hosts: &[&str]) -> String {
    let attempts = hosts.iter().zip(0..).map(|(host, i)| {
        format!(
            "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_202611210200_0001_m_{i:06}_0\" \
             START_TIME=\"1795226400000\" TRACKER_NAME=\"tracker_{host}:x\" .\n"
        )
    });
    format!("Meta VERSION=\"1\" .\n{}", attempts.collect::<String>())
}

/// A line of a DataNode's log that names no host.
fn line(second: u32) -> String {
    format!("2026-11-21 02:00:{second:02},000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x\n")
}

#[test]
fn names_have_no_case() {
    let r = report(&[
        ("a/H1/hadoop-u-datanode-h1.log", log("H1", "10.0.0.1")),
        ("a/h2/d.log", log("h2", "10.0.0.2")),
        ("a/H2.tgz/userlogs/attempt_202611210200_0001_m_000001_0/syslog", line(0)),
        ("a/hadoop-u-tasktracker-H3.EXAMPLE.com.log", line(1)),
        ("a/history", history(&["h1", "h1", "H2", "h3"])),
    ]);
    // H1 by a banner, which counts more than two attempts and a file's name; of h2 the banner, too.
    assert_eq!(r.nodes, ["H1", "h2", "h3"]);
    let named: Vec<_> = nodes(&r).into_iter().filter_map(|(_, node)| node).collect();
    assert_eq!(named, ["H1", "h2", "h2", "h3"]);
    assert!(r.issues.iter().all(|i| i.notes.is_empty()), "{:?}", r.issues);
    let r = report(&[("a/history", history(&["h1", "H1", "H2", "H2", "h2"]))]);
    assert_eq!(r.nodes, ["H2", "h1"]);
}

#[test]
fn date_of_a_rotated_log_is_no_part_of_its_host() {
    let of = |names: &[&str], history: &str| {
        let files = names.iter().zip(0..).map(|(name, i)| (*name, line(i))).chain([("history", history.to_owned())]);
        let r = report(&files.collect::<Vec<_>>());
        names
            .iter()
            .map(|name| nodes(&r).iter().find(|(file, _)| file == name).unwrap().1.unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let rotated = [
        "hadoop-u-datanode-h1-20261120.log",
        "hadoop-u-datanode-h1_20261120.log",
        "hadoop-u-datanode-h1.20261120.log",
        "hadoop-u-datanode-h1-2026-11-20-1.log.1",
        "hadoop-u-datanode-h1-1.log",
    ];
    assert_eq!(of(&rotated, &history(&["h1"])), ["h1"; 5]);
    assert_eq!(of(&rotated, &history(&["H1.example.com"])), ["h1"; 5]);
    let beside = ["hadoop-u-datanode-h1.log", "hadoop-u-datanode-h1-1.log"];
    assert_eq!(of(&beside, ""), ["h1", "h1"]);
    // A host's name may end so.
    assert_eq!(of(&beside, &history(&["h1", "h1-1.example.com"])), ["h1", "h1-1"]);
    let master = ["hadoop-u-namenode-h.log", "hadoop-u-datanode-h-1.log", "hadoop-u-datanode-h-2.log"];
    assert_eq!(of(&master, ""), ["h", "h-1", "h-2"]);
}

#[test]
fn former_name_at_the_head_of_a_log_is_not_its_hosts() {
    let renamed = |host: &str, ip: &str| log("base-image", "10.0.0.99") + &log(host, ip);
    let r = report(&[
        ("a/hadoop-u-datanode-h1.log", renamed("h1", "10.0.0.1")),
        ("a/h2/d.log", renamed("h2", "10.0.0.2")),
        ("a/3.log", renamed("h3", "10.0.0.3")),
        ("a/4.log", log("h4", "10.0.0.4") + &log("former", "10.0.0.4")),
        ("a/5.log", renamed("a5", "10.0.0.5")),
        ("a/history", history(&["h4"])),
    ]);
    let named: Vec<_> = nodes(&r).into_iter().filter_map(|(_, node)| node).collect();
    assert_eq!(named, ["h3", "h4", "a5", "h2", "h1"]);
    assert_eq!(r.nodes, ["a5", "h1", "h2", "h3", "h4"]);
}

/// Its last banner is in no log any more.
#[test]
fn former_name_alone_is_not_its_hosts_where_a_history_knows_the_other() {
    let files = |known: &[&str]| {
        let old = |second| log("base-image", "10.0.0.99") + &line(second);
        let r = report(&[
            ("a/hadoop-u-datanode-h1.log", old(1)),
            ("a/h2/d.log", old(2)),
            ("a/3.log", old(3)),
            ("a/history", history(known)),
        ]);
        nodes(&r).into_iter().filter_map(|(_, node)| node.map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(files(&["h1", "h2"]), ["base-image", "h2", "h1"]);
    assert_eq!(files(&["h1", "h2", "base-image"]), ["base-image"; 3]);
}

/// What `cat */hadoop-*-tasktracker-*.log` leaves.
#[test]
fn file_with_logs_of_several_hosts_is_nobodys() {
    let hosts = ["h1", "h2", "h3"];
    let tracker = |(host, i): (&&str, u32)| {
        let at = |text: &str| format!("2026-11-21 02:00:0{i},000 INFO org.apache.hadoop.mapred.TaskTracker: {text}\n");
        let banner = at("STARTUP_MSG: ")
            + &format!("STARTUP_MSG: Starting TaskTracker\nSTARTUP_MSG:   host = {host}/10.0.0.{i}\n");
        let attempt = format!("attempt_202611210200_0001_m_{:06}_0", i - 1);
        let launch = at(&format!("LaunchTaskAction (registerTask): {attempt} task's state:UNASSIGNED"));
        banner + &launch + &at(&format!("Task {attempt} is done."))
    };
    let all: String = hosts.iter().zip(1..).map(tracker).collect();
    let files = [("a/h1/all.log", all), ("a/history", history(&hosts))];
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in &files {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    let trace = oddnode::states::build(&ingest.into_digest(), None);
    let ran: Vec<_> =
        trace.states.iter().map(|state| state.node.map(|node| trace.node_name(node).to_owned())).collect();
    assert_eq!(ran, hosts.map(|host| Some(host.to_owned())));
    let r = report(&files);
    assert_eq!(nodes(&r)[0], ("a/h1/all.log", None));
    assert_eq!(issue(&r, "two-hosts-in-one-file").unwrap().0, ["h1 and h2 and h3 in a/h1/all.log"]);
}

#[test]
fn number_of_a_pod_is_no_host() {
    let pods = |others: &[(&str, String)]| {
        let own = [("a/hadoop-datanode-0.log", line(0)), ("a/hadoop-datanode-1.log", line(1))];
        let r = report(&own.into_iter().chain(others.iter().cloned()).collect::<Vec<_>>());
        nodes(&r)
            .iter()
            .filter(|(file, _)| file.contains("datanode-"))
            .map(|(_, node)| node.map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let named = |names: [&str; 2]| names.map(|name| Some(name.to_owned()));
    assert_eq!(pods(&[]), named(["datanode-0", "datanode-1"]));
    assert_eq!(pods(&[("a/history", history(&["h1", "h2"]))]), [None, None]);
    let full = ["hadoop-datanode-0.hadoop-datanode.default.svc", "hadoop-datanode-1.hadoop-datanode.default.svc"];
    assert_eq!(pods(&[("a/history", history(&full))]), named(full));
}

#[test]
fn tasks_alone_are_of_the_hosts_that_their_folders_name() {
    let syslog = "2026-11-21 02:30:00,000 INFO org.apache.hadoop.mapred.MapTask: numReduceTasks: 1\n";
    let of = |folders: [&str; 2], others: &[(&str, String)]| {
        let paths = [0, 1].map(|i| format!("a/{}/userlogs/attempt_202611210200_0001_m_00000{i}_0/syslog", folders[i]));
        let own = paths.iter().zip([syslog.to_owned(), syslog.repeat(2)]).map(|(path, text)| (path.as_str(), text));
        let r = report(&own.chain(others.iter().cloned()).collect::<Vec<_>>());
        paths.clone().map(|path| nodes(&r).iter().find(|(file, _)| *file == path).unwrap().1.map(str::to_owned))
    };
    let named = |name: &str| Some(name.to_owned());
    assert_eq!(of(["h1", "h2"], &[]), [named("h1"), named("h2")]);
    assert_eq!(of(["h1/hadoop", "h2/hadoop"], &[]), [named("h1"), named("h2")]);
    assert_eq!(of(["hadoop", "hadoop"], &[]), [None, None]);
    assert_eq!(of(["slave-1", "slave-2"], &[("a/history", history(&["h1", "h2"]))]), [None, None]);
}

/// Of a ResourceManager's log alone.
#[test]
fn nodes_that_were_given_containers_are_peers() {
    let head = "2026-11-21 02:32:35,587 INFO org.apache.hadoop.yarn.server.resourcemanager";
    let assigned = |(host, number): (&str, u32)| {
        format!(
            "{head}.scheduler.common.fica.FiCaSchedulerNode: Assigned container container_1795226467746_0017_01_{number:06} of \
             capacity <memory:192, vCores:1> on host {host}:45454, which has 1 containers, <memory:192, vCores:1> used and \
             <memory:1, vCores:1> available after allocation\n"
        )
    };
    let lost = format!("{head}.rmnode.RMNodeImpl: h3:45454 Node Transitioned from RUNNING to LOST\n");
    let log: String = [("h0", 1), ("h1", 2), ("h2", 3), ("h3", 4), ("h4", 5)].map(assigned).concat() + &lost;
    let r = report(&[("a/hadoop-u-resourcemanager-h0.log", log)]);
    assert_eq!(r.nodes, ["h1", "h2", "h3", "h4"]);
    assert_eq!(
        r.verdict.culprits.iter().map(|c| c.node.as_str()).collect::<Vec<_>>(),
        ["h3"],
        "{}",
        r.verdict.sentence
    );
}

#[test]
fn log_in_the_folder_of_another_host_counts_by_its_own_word() {
    let r = report(&[
        ("a/h1/d.log", log("h1", "10.0.0.1")),
        ("a/h2/d.log", log("h3", "10.0.0.3")),
        ("a/h2/e.log", log("h2", "10.0.0.2")),
    ]);
    let (notes, places) = issue(&r, "host-against-path").unwrap();
    assert_eq!(notes, ["h3 by its own word, h2 by its path: a/h2/d.log"]);
    assert_eq!(places, ["a/h2/d.log"]);
    assert_eq!(nodes(&r)[1], ("a/h2/d.log", Some("h3")));
}

#[test]
fn file_name_of_another_host_is_told() {
    let r = report(&[("a/hadoop-u-datanode-h2.log", log("h1", "10.0.0.1"))]);
    let (notes, _) = issue(&r, "host-against-path").unwrap();
    assert_eq!(notes, ["h1 by its own word, h2 by its path: a/hadoop-u-datanode-h2.log"]);
}

#[test]
fn file_name_counts_before_the_name_of_its_tracker() {
    let line =
        |message: &str| format!("2026-11-20 10:00:00,000 INFO org.apache.hadoop.mapred.TaskTracker: {message}\n");
    let tracker = line("Starting tracker tracker_h4:localhost/127.0.0.1:43729");
    let r = report(&[("a/hadoop-u-tasktracker-h1.log", tracker.clone()), ("a/h2/tt.log", tracker)]);
    assert_eq!(nodes(&r), [("a/h2/tt.log", Some("h4")), ("a/hadoop-u-tasktracker-h1.log", Some("h1"))]);
    let (notes, _) = issue(&r, "host-against-path").unwrap();
    assert_eq!(notes, ["h4 by its own word, h1 by its path: a/hadoop-u-tasktracker-h1.log"]);
}

#[test]
fn short_name_joins_its_only_full_one() {
    let r =
        report(&[("a/1.log", log("h1.lab.org", "10.0.0.1")), ("a/hadoop-u-datanode-h1.log", log("h1", "10.0.0.1"))]);
    let names: Vec<_> = nodes(&r).into_iter().map(|(_, node)| node).collect();
    assert_eq!(names[0], names[1]);
    assert!(r.issues.iter().all(|i| i.notes.is_empty()), "{:?}", r.issues);
}

#[test]
fn short_name_of_two_full_ones_joins_neither() {
    let r = report(&[
        ("a/1.log", log("h1.east.org", "10.0.0.1")),
        ("a/2.log", log("h1.west.org", "10.0.0.2")),
        ("a/3.log", log("h1", "10.0.0.3")),
    ]);
    let names: Vec<_> = nodes(&r).into_iter().map(|(_, node)| node.unwrap()).collect();
    assert_eq!(names, ["h1.east.org", "h1.west.org", "h1"]);
    assert_eq!(issue(&r, "ambiguous-host").unwrap(), (vec!["h1 may be h1.east.org or h1.west.org"], vec!["a/3.log"]));
}

#[test]
fn address_is_that_of_the_host_mentioned_with_it_by_any_of_its_names() {
    let said = |names: &[&str]| {
        let head = "2026-11-20 10:00:00,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode:";
        let lines = names.iter().map(|name| format!("{head} For namenode {name}/10.0.0.9:9000 using x\n"));
        let master = head.replace("datanode.DataNode", "namenode.FSNamesystem") + " x\n";
        let r = [("a/hadoop-u-datanode-h1.log", lines.collect()), ("a/hadoop-u-namenode-nn.log", master)];
        let mut ingest = Ingest::new(Limits::default());
        for (name, text) in r {
            ingest.start(name);
            ingest.feed(text.as_bytes());
        }
        let trace = oddnode::states::build(&ingest.into_digest(), None);
        let node = trace.addresses.get(&"10.0.0.9".parse().unwrap());
        node.map(|node| trace.node_name(*node).to_owned())
    };
    assert_eq!(said(&["nn"]), Some("nn".into()));
    assert_eq!(said(&["nn.example.org"]), Some("nn".into()));
    assert_eq!(said(&["hdfs-active", "nn.example.org"]), Some("nn".into()));
    assert_eq!(said(&["hdfs-active", "nn2.example.org"]), None);
}

#[test]
fn localhost_logs_go_by_their_folders() {
    let local = || log("localhost", "127.0.0.1");
    let r = report(&[("a/slave-1/logs/d.log", local()), ("a/slave-2/logs/d.log", local())]);
    let names: Vec<_> = nodes(&r).into_iter().map(|(_, node)| node).collect();
    assert_eq!(names, [Some("slave-1"), Some("slave-2")]);
    // Of one log no folder is told apart from another: it is the machine that calls itself so.
    let r = report(&[("a/slave-1/logs/d.log", local())]);
    assert_eq!(nodes(&r)[0].1, Some("localhost"));
}

/// What each host's `tar czf … $HADOOP_LOG_DIR` leaves: archives that all hold the same folder.
#[test]
fn archive_with_the_logs_of_one_hosts_daemons_is_that_hosts() {
    let task = "2026-11-21 02:30:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: numReduceTasks: 1\n";
    let of_task = |first: (&str, &str), second: (&str, &str)| {
        let tasks = "1.tgz/hadoop/userlogs/attempt_202611210200_0001_m_000001_0/syslog";
        let log = |(path, host)| (path, log(host, "10.0.0.1"));
        let r = report(&[log(first), log(second), (tasks, task.to_owned())]);
        r.coverage.iter().find(|c| c.file == tasks).and_then(|c| c.node.clone())
    };
    assert_eq!(of_task(("1.tgz/hadoop/d.log", "h1"), ("2.tgz/hadoop/d.log", "h2")).as_deref(), Some("h1"));
    assert_eq!(of_task(("1.tgz/hadoop/d.log", "h2"), ("2.tgz/hadoop/d.log", "h1")).as_deref(), Some("h2"));
    assert_eq!(of_task(("1.tgz/hadoop/d.log", "h1"), ("1.tgz/other/d.log", "h2")).as_deref(), Some("h1"));
    // All daemons that are known are of one host: nothing says that the archive is one host's alone.
    assert_eq!(of_task(("1.tgz/hadoop/d.log", "h1"), ("2.tgz/hadoop/d.log", "h1")), None);
    assert_eq!(of_task(("1.tgz/hadoop/d.log", "h1"), ("1.tgz/hadoop/e.log", "h2")), None, "one folder, two hosts");
}

#[test]
fn archive_is_called_after_its_host() {
    let task = "2026-11-21 02:30:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: numReduceTasks: 1\n";
    let named = |archive: &str| {
        let path = format!("{archive}/hadoop/userlogs/attempt_202611210200_0001_m_000001_0/syslog");
        let r = report(&[("all/d.log", log("h1.example.com", "10.0.0.1")), (path.as_str(), task.to_owned())]);
        r.coverage.iter().find(|c| c.file == path).and_then(|c| c.node.clone())
    };
    for archive in ["h1.example.com.tgz", "h1.tar.gz", "h1.zip", "all.zip/h1.tar.xz", "h1"] {
        assert_eq!(named(archive).as_deref(), Some("h1.example.com"), "{archive}");
    }
    assert_eq!(["h2.tgz", "h1.old.tgz", "h1.log"].map(named), [None, None, None]);
}

#[test]
fn address_as_a_name_is_the_host_that_claims_it() {
    let history = "Meta VERSION=\"1\" .\nMapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_202611210200_0001_m_000000_0\" \
                   START_TIME=\"1795226400000\" TRACKER_NAME=\"tracker_10.0.0.2:x\" .\n";
    let r = report(&[
        ("a/h1/d.log", log("h1", "10.0.0.1")),
        ("a/h2/d.log", log("h2", "10.0.0.2")),
        ("a/history", history.to_owned()),
    ]);
    assert_eq!(r.nodes, ["h1", "h2"]);
}

#[test]
fn same_host_in_two_archives_is_one_node() {
    let r = report(&[("a/h1/d.log", log("h1", "10.0.0.1")), ("b/h1/d.log", log("h1", "10.0.0.1"))]);
    assert_eq!(r.nodes, ["h1"]);
    assert!(r.issues.iter().all(|i| i.notes.is_empty()));
}

/// A TaskTracker's log of one hour that names no host, with a launch of each of these attempts of [`history`].
fn tracker(hour: u32, attempts: &[u32]) -> String {
    let launch = |(minute, i): (u32, &u32)| {
        format!(
            "2026-11-21 {hour:02}:{minute:02}:00,000 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction (registerTask): \
             attempt_202611210200_0001_m_{i:06}_0 task's state:UNASSIGNED\n"
        )
    };
    (0..).zip(attempts).map(launch).collect()
}

/// All hosts of these files, and what is told of those that may be others.
fn hosts_of(files: &[(&str, String)]) -> (Vec<String>, Vec<String>) {
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in files {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    let trace = oddnode::states::build(&ingest.into_digest(), None);
    let doubts = trace.notes.iter().filter(|(code, _)| code.name() == "host-uncertain");
    (trace.nodes.iter().map(|node| node.name.clone()).collect(), doubts.map(|(_, text)| text.clone()).collect())
}

#[test]
fn host_that_paths_alone_name_is_the_one_on_which_its_attempts_ran() {
    for [first, second] in [
        ["a/h1_logs/tt.log", "a/h2_logs/tt.log"],
        ["a/srv7/tt.log", "a/srv8/tt.log"],
        ["logs_h1_20261121.tar.gz/tt.log", "logs_h2_20261121.tar.gz/tt.log"],
        ["prod.h1.tgz/logs/tt.log", "prod.h2.tgz/logs/tt.log"],
        ["a/hadoop-u-tasktracker-10.0.0.1.log", "a/hadoop-u-tasktracker-10.0.0.2.log"],
        ["a/h1/hadoop-u-tasktracker-10.0.0.1.log", "a/h2/hadoop-u-tasktracker-10.0.0.2.log"],
        // Each is called like the other.
        ["a/h2_logs/tt.log", "a/h1_logs/tt.log"],
    ] {
        let mut files = vec![
            (first, tracker(2, &[0, 1])),
            (second, tracker(2, &[2, 3])),
            ("a/history", history(&["h1", "h1", "h2", "h2"])),
        ];
        let r = report(&files);
        let named = |path: &str| nodes(&r).iter().find(|(file, _)| *file == path).and_then(|(_, node)| *node);
        assert_eq!((named(first), named(second)), (Some("h1"), Some("h2")), "{first}");
        let (hosts, doubts) = hosts_of(&files);
        assert_eq!((hosts, doubts.len()), (vec!["h1".to_owned(), "h2".to_owned()], 0), "{first}");
        files.reverse();
        assert_eq!(hosts_of(&files), (vec!["h1".to_owned(), "h2".to_owned()], doubts), "{first}");
    }
}

#[test]
fn host_that_paths_alone_name_stays_where_its_attempts_do_not_agree() {
    let of = |attempts: &[u32], ran: &[&str]| {
        let other = tracker(2, &[97, 98, 99]);
        hosts_of(&[("a/x1/tt.log", tracker(2, attempts)), ("a/x2/tt.log", other), ("a/history", history(ran))])
    };
    let told = |text: &str| vec![text.to_owned()];
    assert_eq!(
        of(&[0, 1], &["h1", "h2"]),
        (["h1", "h2", "x1", "x2"].map(str::to_owned).to_vec(), told("x1 may be h1 or h2"))
    );
    assert_eq!(
        of(&[0], &["h1"]),
        (["h1", "x1", "x2"].map(str::to_owned).to_vec(), told("x1 may be h1")),
        "one attempt"
    );
    assert_eq!(of(&[5], &["h1"]), (["h1", "x1", "x2"].map(str::to_owned).to_vec(), vec![]), "nothing is said");
    let mostly: Vec<u32> = (0..10).collect();
    let mut ran = vec!["h1"; 10];
    ran[7] = "h2";
    assert_eq!(of(&mostly, &ran), (["h1", "h2", "x2"].map(str::to_owned).to_vec(), vec![]), "one of ten");
    ran[8] = "h2";
    assert_eq!(of(&mostly, &ran).0, ["h1", "h2", "x1", "x2"], "two of ten");
    // One attempt is enough where the folder is called after the host.
    let r = hosts_of(&[
        ("a/h1_logs/tt.log", tracker(2, &[0])),
        ("a/x2/tt.log", tracker(2, &[9])),
        ("a/history", history(&["h1"])),
    ]);
    assert_eq!(r, (["h1", "x2"].map(str::to_owned).to_vec(), vec![]));
}

/// Two TaskTrackers at one time are two machines, whatever their masters call them.
#[test]
fn hosts_with_logs_of_one_time_are_two() {
    let of = |first: (&str, u32), second: (&str, u32)| {
        let log = |(path, hour), attempts: &[u32]| (path, tracker(hour, attempts));
        hosts_of(&[log(first, &[0, 1, 2]), log(second, &[3, 4, 5]), ("a/history", history(&["ubuntu"; 6]))])
    };
    let (hosts, doubts) = of(("a/x1/tt.log", 2), ("a/x2/tt.log", 2));
    assert_eq!(hosts, ["ubuntu", "x1", "x2"]);
    assert_eq!(doubts, ["x1 may be ubuntu", "x2 may be ubuntu"]);
    assert_eq!(of(("a/x1/tt.log", 2), ("a/x2/tt.log", 3)).0, ["ubuntu", "x1", "x2"], "one after the other");
    // An archive a day.
    assert_eq!(of(("ubuntu_1.tgz/tt.log", 2), ("ubuntu_2.tgz/tt.log", 3)).0, ["ubuntu"]);
    assert_eq!(of(("ubuntu_1.tgz/tt.log", 2), ("ubuntu_2.tgz/tt.log", 2)).0, ["ubuntu", "ubuntu_1", "ubuntu_2"]);
    // The host's own log is of that time.
    let own = "2026-11-21 02:00:30,000 INFO org.apache.hadoop.mapred.TaskTracker: STARTUP_MSG: \n\
               STARTUP_MSG: Starting TaskTracker\nSTARTUP_MSG:   host = h1/10.0.0.1\n";
    let beside = |hour| {
        let files = [
            ("a/o/tt.log", own.to_owned() + &tracker(2, &[7, 8, 9])),
            ("a/x1/tt.log", tracker(hour, &[0, 1])),
            ("a/x2/tt.log", tracker(hour, &[5])),
            ("a/history", history(&["h1", "h1"])),
        ];
        hosts_of(&files).0
    };
    assert_eq!([beside(2), beside(3)].map(|hosts| hosts.contains(&"x1".to_owned())), [true, false]);
}

#[test]
fn host_that_paths_call_by_its_address_is_the_one_that_logs_name_beside_it() {
    let head = "2026-11-21 02:00:00,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode";
    let said = |names: &[&str]| {
        let lines = names.iter().map(|name| format!("{head}: Auth successful for x (auth:SIMPLE) from {name}\n"));
        lines.collect::<String>()
    };
    let of = |archive: &str, names: &[&str]| {
        let path = format!("{archive}/hadoop-u-datanode-10.0.0.1.log");
        hosts_of(&[
            (&path, line(1)),
            ("a/h2/hadoop-u-datanode-h2.log", said(names)),
            ("a/history", history(&["h1", "h2", "h3"])),
        ])
        .0
    };
    assert_eq!(of("a", &["h1:4 / 10.0.0.1:4"]), ["h1", "h2", "h3"]);
    let split = ["10.0.0.1", "h1", "h2", "h3"];
    assert_eq!(of("a", &[]), split);
    assert_eq!(of("a", &["h9:4 / 10.0.0.1:4"]), split, "nobody that is known");
    assert_eq!(of("a", &["h1:4 / 10.0.0.1:4", "h3:4 / 10.0.0.1:4"]), split, "two names");
    assert_eq!(of("a", &["h1:4 / 10.0.0.1:4", "h1:4 / 10.0.0.2:4"]), split, "two addresses");
    assert_eq!(of("b", &["h1:4 / 10.0.0.1:4"]), split, "another archive may be of another cluster");
    // What read from there ran there.
    let read = |i: u32| {
        format!(
            "{head}.clienttrace: src: /10.0.0.9:50010, dest: /10.0.0.1:3{i:04}, bytes: 5, op: HDFS_READ, cliID: \
             DFSClient_attempt_202611210200_0001_m_{i:06}_0, offset: 0, srvID: DS-1, blockid: blk_{i}_1, duration: 5\n"
        )
    };
    let by_readers = |reads: &[u32]| {
        let log = reads.iter().map(|i| read(*i)).collect::<String>();
        hosts_of(&[
            ("a/hadoop-u-datanode-10.0.0.1.log", line(1)),
            ("a/hadoop-u-datanode-h2.log", log),
            ("a/history", history(&["h1", "h1", "h2", "h3"])),
        ])
        .0
    };
    assert_eq!(by_readers(&[0, 1]), ["h1", "h2", "h3"]);
    assert_eq!(by_readers(&[0]), split);
    assert_eq!(by_readers(&[0, 2, 3]), split);
}

/// Its attempts ran on h1, and its DataNode's address is h2's.
#[test]
fn attempts_and_address_of_two_hosts_are_a_doubt() {
    let head = "2026-11-21 02:00:00,000 INFO org.apache.hadoop.hdfs.server.datanode.DataNode";
    let of = |address: &str| {
        let receives = format!("{head}: Receiving block blk_1_1 src: /10.0.0.9:5 dest: /{address}:50010\n");
        hosts_of(&[
            ("a/x1/d.log", receives),
            ("a/x1/tt.log", tracker(2, &[0, 1])),
            ("a/x2/d.log", line(2)),
            ("a/x2/tt.log", tracker(2, &[9])),
            ("a/m.log", line(1) + &log("h1", "10.0.0.1") + &log("h2", "10.0.0.2") + &log("h3", "10.0.0.3")),
            ("a/history", history(&["h1", "h1", "h2"])),
        ])
    };
    let (hosts, doubts) = of("10.0.0.1");
    assert!(!hosts.contains(&"x1".to_owned()) && doubts.is_empty(), "{hosts:?} {doubts:?}");
    let (hosts, doubts) = of("10.0.0.2");
    assert!(hosts.contains(&"x1".to_owned()), "{hosts:?}");
    assert_eq!(doubts, ["x1 may be h1 or h2"]);
    let (_, doubts) = of("10.0.0.7");
    assert_eq!(doubts, ["x1 may be h1"]);
}

/// Nobody's log launches what a JobTracker sent to each host.
#[test]
fn jobtracker_tells_where_attempts_of_a_log_of_several_hosts_ran() {
    let sent = |(i, host): (u32, &&str)| {
        format!(
            "2026-11-21 01:59:00,000 INFO org.apache.hadoop.mapred.JobTracker: Adding task (MAP) \
             'attempt_202611210200_0001_m_{i:06}_0' to tip task_202611210200_0001_m_{i:06}, for tracker \
             'tracker_{host}:localhost/127.0.0.1:43729'\n"
        )
    };
    let master: String = (0..).zip(&["h1", "h2", "h3"]).map(sent).collect();
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in [("hadoop-u-jobtracker-h0.log", master), ("tt.log", tracker(2, &[0, 1, 2, 3]))] {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    let trace = oddnode::states::build(&ingest.into_digest(), None);
    let name = |node: Option<_>| node.map(|node| trace.node_name(node).to_owned());
    let ran: Vec<_> = trace.tasks.iter().map(|task| name(task.node)).collect();
    let named = |host: &str| Some(host.to_owned());
    assert_eq!(ran, [named("h1"), named("h2"), named("h3"), None]);
    let mut states: Vec<_> = trace.states.iter().map(|state| (state.attempt, name(state.node))).collect();
    states.sort();
    assert_eq!(states.into_iter().map(|(_, node)| node).collect::<Vec<_>>(), ran);
}
