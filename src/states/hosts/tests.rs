use super::paths::{is_host_name, name_in_folders};
use super::votes::names_of_others;
use super::*;
use crate::model::{FileKey, HostClaim};

fn hosts(votes: &[(&str, u64)]) -> Hosts {
    let of = votes.iter().map(|(name, votes)| ((*name).to_owned(), *votes)).collect();
    let mut hosts = Hosts::default();
    hosts.take(&Votes { of, ..Votes::default() });
    hosts
}

#[test]
fn name_with_domain_joins_the_short_name() {
    let h = hosts(&[("h1", 2), ("h1-b", 1), ("h1.example.com", 5), ("h2.example.com", 1)]);
    assert_eq!(h.names().collect::<Vec<_>>(), ["h1-b", "h1.example.com", "h2.example.com"]);
    assert_eq!(h.by_name.get("h1"), h.by_name.get("h1.example.com"));
}

#[test]
fn folder_names_the_only_host_that_continues_it_with_a_domain() {
    let h = hosts(&[("n1.lab.org", 1), ("n10.lab.org", 1), ("n2.east.org", 1), ("n2.west.org", 1), ("10.0.0.1", 1)]);
    let of = |path: &str| h.of_file(path, &FileDigest::default()).map(|node| h.name(node));
    assert_eq!(of("x/n1/userlogs/application_1_0001/container_1_0001_01_000002/syslog"), Some("n1.lab.org"));
    assert_eq!(of("x/n10/userlogs/syslog"), Some("n10.lab.org"));
    assert_eq!(of("x/n10.lab.org/n1/syslog"), Some("n10.lab.org"));
    assert_eq!(of("x/n2/userlogs/syslog"), None);
    assert_eq!(of("x/n/userlogs/syslog"), None);
    assert_eq!(of("x/10/userlogs/syslog"), None);
}

#[test]
fn equal_votes_show_the_shorter_name() {
    assert_eq!(hosts(&[("h1", 1), ("h1.a.b", 1)]).names().collect::<Vec<_>>(), ["h1"]);
}

#[test]
fn addresses_are_never_joined_as_domains() {
    assert_eq!(hosts(&[("10", 1), ("10.0.0.1", 1)]).names().count(), 2);
}

#[test]
fn host_is_read_from_a_daemons_file_name() {
    let name = name_in_file_name;
    assert_eq!(name("x/hadoop-hadoop-tasktracker-h103.log"), Some("h103"));
    assert_eq!(name("yarn-root-nodemanager-ip-172-31-2-135.log.1"), Some("ip-172-31-2-135"));
    assert_eq!(name("hadoop-u-secondarynamenode-a.b.c.log"), Some("a.b.c"));
    assert_eq!(name("hadoop-cmf-hdfs-DATANODE-h101.dom.log.out.1"), Some("h101.dom"));
    assert_eq!(name("hadoop-u-datanode-h101 (1).log"), Some("h101"));
    // Hosts called after a daemon.
    assert_eq!(name("hadoop-root-nodemanager-datanode-1.log"), Some("datanode-1"));
    assert_eq!(name("hadoop-root-datanode-namenode-x.log"), Some("namenode-x"));
    assert_eq!(name("hdfs-audit.log"), None);
    assert_eq!(name("datanode-x.log"), None);
}

#[test]
fn traces_alone_name_their_hosts_by_folder_or_file() {
    let traced = |paths: &[&str]| {
        let mut digest = Digest::default();
        for path in paths {
            let key = crate::model::FileKey { path: (*path).to_owned(), bytes: 1, crc: 1 };
            digest.insert(key, FileDigest { format: "strace-ttt".into(), ..FileDigest::default() });
        }
        Hosts::join(&digest, &digest.files().collect::<Vec<_>>()).names().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(traced(&["r.tar.gz/r/h1/tt.strace", "r.tar.gz/r/h2/tt.strace"]), ["h1", "h2"]);
    assert_eq!(traced(&["r.tar.gz/r/h1/datanode.strace.12"]), ["h1"]);
    assert_eq!(traced(&["traces/h1.strace", "traces/h2.strace"]), ["h1", "h2"]);
    assert_eq!(traced(&["h1.strace"]), ["h1"]);
    assert_eq!(traced(&["r.tar/../../h1/tt.strace", "r.tar/../../h2/tt.strace"]), ["h1", "h2"]);
    assert_eq!(traced(&["h1.tar/../datanode.strace", "h2.tar/../datanode.strace"]), ["h1", "h2"]);
    // An archive a host, each with the same folders in it.
    assert_eq!(traced(&["h1.tgz/hadoop/strace/tt.strace", "h2.tgz/hadoop/strace/tt.strace"]), ["h1", "h2"]);
}

#[test]
fn host_is_read_from_the_folder_of_aggregated_logs() {
    assert_eq!(name_in_folders("a.tar.gz/logs/h301_45454/container_1_0001_01_000002/syslog"), Some("h301"));
    assert_eq!(
        name_in_folders("y.txt/ip-10-0-0-1.ec2.internal:8042/container_1_0001_01_000002/syslog"),
        Some("ip-10-0-0-1.ec2.internal")
    );
    assert_eq!(
        name_in_folders("y.txt/w1.example.com_45454_1540000000000/container_1_0001_01_000002/syslog"),
        Some("w1.example.com")
    );
    assert_eq!(name_in_folders("y.txt/w1_1540000000000/container_1_0001_01_000002/syslog"), None, "no port");
    assert_eq!(name_in_folders("h301/userlogs/container_1_0001_01_000002/syslog"), None);
    let of_task = "h301/userlogs/application_1795226467746_0015/container_1795226467746_0015_01_000002/syslog";
    assert_eq!(name_in_folders(of_task), None);
    let of_many = of_task.replace("_0015/", "_10815/");
    assert_eq!(name_in_folders(&of_many), None);
    assert_eq!(name_in_path(&of_many, |name| name == "h301"), Some("h301"));
    assert_eq!(name_in_folders("worker_3/container_1_0001_01_000002/syslog"), None);
    assert_eq!(name_in_folders("h301_45454/userlogs"), None);
    let by_name = hosts(&[("h300", 1), ("h301", 1)]);
    let node = by_name.of_file("h300/logs/h301_45454/container_1/syslog", &FileDigest::default());
    assert_eq!(node, Some(NodeId(1)));
}

#[test]
fn localhost_is_nobodys_name() {
    assert!(!is_host_name("localhost") && !is_host_name("localhost.localdomain") && !is_host_name("a b"));
    assert!(is_host_name("node-7.example.com") && is_host_name("10.0.0.1"));
    assert!(["", ".", "..", "...", "-", "_"].iter().all(|name| !is_host_name(name)));
}

/// A file at this path that claims these hosts.
fn claiming(path: &str, hosts: Vec<HostClaim>) -> (FileKey, FileDigest) {
    let key = FileKey { path: path.to_owned(), bytes: 1, crc: 1 };
    (key, FileDigest { hosts, ..FileDigest::default() })
}

fn claim(source: HostSource, name: &str, last: u32) -> HostClaim {
    HostClaim { source, name: name.into(), ip: Some((0x0a00_0000 + last).to_be_bytes().into()) }
}

/// Who is called by another name, and how it calls itself.
fn others_names(files: &[(FileKey, FileDigest)], votes: &[&str]) -> Vec<(String, String)> {
    let files: Vec<File<'_>> = files.iter().map(|(key, file)| (key, file)).collect();
    let votes = votes.iter().map(|name| ((*name).to_owned(), 1)).collect();
    names_of_others(&files, &votes).into_iter().collect()
}

#[test]
fn loose_files_are_of_one_archive() {
    let own = || vec![claim(HostSource::Startup, "ip-10-0-0-5", 5)];
    let mention = || vec![claim(HostSource::Mention, "master", 5)];
    let joined = |own_path: &str, mention_path: &str| {
        others_names(&[claiming(own_path, own()), claiming(mention_path, mention())], &["ip-10-0-0-5", "master"])
    };
    let one = [("master".to_owned(), "ip-10-0-0-5".to_owned())];
    assert_eq!(joined("namenode.log", "datanode.log"), one);
    assert_eq!(joined("a.tar/namenode.log", "a.tar/datanode.log"), one);
    assert!(joined("a.tar/namenode.log", "b.tar/datanode.log").is_empty());
    assert!(joined("a.tar/namenode.log", "datanode.log").is_empty());
}

#[test]
fn name_with_a_domain_elsewhere_is_no_other_name() {
    let files = [claiming(
        "a/x.log",
        vec![claim(HostSource::Startup, "ip-10-0-0-5", 5), claim(HostSource::Mention, "master", 5)],
    )];
    let joined = |other: &str| others_names(&files, &["ip-10-0-0-5", "master", other]).len();
    assert_eq!(["master-2", "master2.lab", "maste", "lab.master"].map(joined), [1; 4]);
    assert_eq!(["master.lab", "ip-10-0-0-5.lab.org"].map(joined), [0; 2]);
    let full = [claiming(
        "a/x.log",
        vec![claim(HostSource::Startup, "ip-10-0-0-5", 5), claim(HostSource::Mention, "master.lab.org", 5)],
    )];
    let joined = |other: &str| others_names(&full, &["ip-10-0-0-5", "master.lab.org", other]).len();
    assert_eq!(["master", "master.lab", "lab.org"].map(joined), [0, 0, 1]);
}

#[test]
fn owner_with_and_without_its_domain_is_one() {
    let own = |last| {
        let names = [("ip-10-0-0-5", 5), ("ip-10-0-0-5.ec2.internal", last)];
        names.map(|(name, last)| claim(HostSource::Startup, name, last)).to_vec()
    };
    let joined = |last| {
        let mut hosts = own(last);
        hosts.push(claim(HostSource::Mention, "master", 5));
        others_names(&[claiming("a/x.log", hosts)], &["ip-10-0-0-5", "ip-10-0-0-5.ec2.internal", "master"])
    };
    assert_eq!(joined(5), [("master".to_owned(), "ip-10-0-0-5".to_owned())]);
    assert!(joined(6).is_empty(), "its longer name is that of another address");
}

/// The hosts of these files.
fn hosts_of(files: &[(FileKey, FileDigest)]) -> Hosts {
    let mut digest = Digest::default();
    for (key, file) in files {
        digest.insert(key.clone(), file.clone());
    }
    let files: Vec<File<'_>> = files.iter().map(|(key, file)| (key, file)).collect();
    Hosts::join(&digest, &files)
}

/// What is shown for each of these names, of files that start by the first and call their tracker by the second.
fn nodes_by_tracker(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let file = |(i, (own, tracker)): (u32, &(&str, &str))| {
        let tracker = HostClaim { ip: None, ..claim(HostSource::Tracker, tracker, i) };
        claiming(&format!("{i}.log"), vec![claim(HostSource::Startup, own, i), tracker])
    };
    let hosts = hosts_of(&(0..).zip(pairs).map(file).collect::<Vec<_>>());
    let shown = |name: &str| hosts.name(hosts.named(name).unwrap()).to_owned();
    pairs.iter().map(|(own, tracker)| (shown(own), shown(tracker))).collect()
}

#[test]
fn metrics_that_name_an_unknown_host_are_those_of_their_folder() {
    let log = |host: &str| claiming(&format!("r/{host}/x.log"), vec![claim(HostSource::Startup, host, 1)]);
    let measured = |folder: &str, name: &str| {
        let named = HostClaim { ip: None, ..claim(HostSource::Metrics, name, 0) };
        claiming(&format!("r/{folder}/{name}.sadf"), vec![named])
    };
    let shown = |files: &[(FileKey, FileDigest)]| {
        let hosts = hosts_of(files);
        let of = files.iter().filter(|(key, _)| key.path.ends_with(".sadf"));
        of.map(|(key, file)| hosts.name(hosts.of_file(&key.path, file).unwrap()).to_owned()).collect::<Vec<_>>()
    };
    let logs = || vec![log("h101"), log("h102")];
    let with = |files: Vec<_>| [logs(), files].concat();
    assert_eq!(shown(&with(vec![measured("h101", "node1"), measured("h102", "node2")])), ["h101", "h102"]);
    // Gathered in one folder they keep their names, as does what is another host's by its own word.
    assert_eq!(shown(&with(vec![measured("h101", "node1"), measured("h101", "node2")])), ["node1", "node2"]);
    assert_eq!(shown(&with(vec![measured("h101", "h102")])), ["h102"]);
}

#[test]
fn host_goes_by_the_name_of_its_tracker_too() {
    let same = |names: &[(String, String)]| names.iter().map(|(own, tracker)| own == tracker).collect::<Vec<_>>();
    let two = nodes_by_tracker(&[("ip-10-77-1-11", "h101"), ("ip-10-77-1-12.ec2.internal", "h102.corp.net")]);
    assert_eq!(same(&two), [true, true], "{two:?}");
    assert_ne!(two[0].0, two[1].0);
    // All start by the name of the image they were made from.
    assert_eq!(same(&nodes_by_tracker(&[("ubuntu", "h101"), ("ubuntu", "h102")])), [false, false]);
    // Both are names that hosts give themselves.
    assert_eq!(same(&nodes_by_tracker(&[("h101", "h102"), ("h102", "h101")])), [false, false]);
}

/// Each name looked at beside all others, these take minutes.
#[test]
fn many_names_of_others_end_in_time() {
    let many = 60_000;
    let names = |prefix: &str| (0..many).map(|i| format!("{prefix}{i:05}")).collect::<Vec<_>>();
    let claims = |source: HostSource, prefix: &str| {
        names(prefix).iter().zip(0..).map(|(name, last)| claim(source, name, last)).collect::<Vec<_>>()
    };
    let files = [
        claiming("a/1.log", claims(HostSource::Startup, "own")),
        claiming("a/2.log", claims(HostSource::Mention, "told")),
    ];
    let votes = [names("own"), names("told")].concat();
    let votes: Vec<&str> = votes.iter().map(String::as_str).collect();
    assert_eq!(others_names(&files, &votes).len(), many);
}
