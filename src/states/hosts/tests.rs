use super::*;

fn hosts(votes: &[(&str, u64)]) -> Hosts {
    Hosts::from_votes(votes.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect())
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
    assert_eq!(traced(&["h1.tar/../datanode.strace", "h2.tar/../datanode.strace"]), ["h1.tar", "h2.tar"]);
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
