//! `cluster/collect` against a host that is this machine: what it takes, and what it must not take.

#![cfg(feature = "cli")]
#![allow(clippy::disallowed_methods, reason = "writes files, runs a script")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// What no archive may hold.
const PLANTED: &str = "hunter2";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn property(name: &str, value: &str) -> String {
    format!("<property><name>{name}</name>\n<value>{value}</value></property>\n")
}

/// A Hadoop's home with logs and configuration, and a command that reaches a "host".
fn home(root: &Path) {
    let secrets: String = ["fs.s3.awsSecretAccessKey", "ssl.client.keystore.PASSWORD", "my.passphrase", "dfs.token"]
        .map(|name| property(name, PLANTED))
        .concat();
    let conf = format!("<configuration>{secrets}{}</configuration>", property("dfs.block.size", "134217728"));
    write(&root.join("hadoop/conf/core-site.xml"), &conf);
    write(&root.join("hadoop/etc/hadoop/core-site.xml"), &conf.replace("134217728", "67108864"));
    write(&root.join("hadoop/logs/history/job_1_conf.xml"), &conf);
    write(&root.join("hadoop/logs/userlogs/job_1/job.xml"), &conf);
    write(&root.join("hadoop/logs/hadoop-x-datanode-h1.log"), "2026-11-21 02:24:47,081 INFO x: a line\n");
    let reach = root.join("reach");
    write(&reach, "#!/bin/sh\nshift\nexec \"$@\"\n");
    fs::set_permissions(&reach, fs::Permissions::from_mode(0o755)).unwrap();
}

fn collect(root: &Path, arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cluster/collect");
    let run = Command::new("sh")
        .arg(script)
        .args(arguments)
        .args(["-s", root.join("reach").to_str().unwrap(), "-o", root.join("out").to_str().unwrap(), "h1"])
        .env("HADOOP_HOME", root.join("hadoop"))
        .env_remove("HADOOP_LOG_DIR")
        .env_remove("HADOOP_CONF_DIR")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn tar(root: &Path, how: &str) -> String {
    let run = Command::new("tar").arg(how).arg(root.join("out/h1.tar.gz")).output().unwrap();
    assert!(run.status.success());
    String::from_utf8_lossy(&run.stdout).into_owned()
}

#[test]
fn secrets_stay_on_the_host_and_all_else_comes() {
    let root = tempfile::tempdir().unwrap();
    home(root.path());
    collect(root.path(), &["-g"]);
    let names = tar(root.path(), "-tzf");
    for name in [
        "hadoop/conf/core-site.xml",
        "hadoop/etc/hadoop/core-site.xml",
        "history/job_1_conf.xml",
        "userlogs/job_1/job.xml",
        "logs/hadoop-x-datanode-h1.log",
        "versions.txt",
    ] {
        assert_eq!(names.lines().filter(|line| line.ends_with(name)).count(), 1, "{name} in {names}");
    }
    let text = tar(root.path(), "-xzOf");
    assert!(!text.contains(PLANTED), "a secret left the host");
    assert_eq!(text.matches("<value>removed</value>").count(), 4 * 4);
    for kept in ["<value>134217728</value>", "<value>67108864</value>", "INFO x: a line"] {
        assert!(text.contains(kept), "{kept} is missing");
    }
}

#[test]
fn without_g_it_says_what_it_would_take_and_takes_nothing() {
    let root = tempfile::tempdir().unwrap();
    home(root.path());
    let listed = collect(root.path(), &[]);
    for name in ["core-site.xml", "job_1_conf.xml", "job.xml", "hadoop-x-datanode-h1.log"] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
    assert!(!root.path().join("out/h1.tar.gz").exists());
}
