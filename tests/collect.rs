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
    program(&root.join("reach"), "shift\nexec \"$@\"\n");
}

fn program(path: &Path, text: &str) {
    write(path, &format!("#!/bin/sh\n{text}"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Where a program of the system lies.
fn system(name: &str) -> String {
    let found = std::env::var("PATH").unwrap();
    found.split(':').map(|folder| format!("{folder}/{name}")).find(|path| Path::new(path).exists()).unwrap()
}

/// What it prints, and what it says beside.
fn collect(root: &Path, arguments: &[&str]) -> (String, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("cluster/collect");
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    let run = Command::new("sh")
        .arg(script)
        .args(arguments)
        .env("PATH", path)
        .args(["-s", root.join("reach").to_str().unwrap(), "-o", root.join("out").to_str().unwrap(), "h1"])
        .env("HADOOP_HOME", root.join("hadoop"))
        .env_remove("HADOOP_LOG_DIR")
        .env_remove("HADOOP_CONF_DIR")
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap())
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
    let (listed, _) = collect(root.path(), &[]);
    for name in ["core-site.xml", "job_1_conf.xml", "job.xml", "hadoop-x-datanode-h1.log"] {
        assert!(listed.contains(name), "{name} in {listed}");
    }
    assert!(!root.path().join("out/h1.tar.gz").exists());
}

#[test]
fn log_that_vanishes_or_cannot_be_read_is_told_and_the_others_come() {
    let root = tempfile::tempdir().unwrap();
    home(root.path());
    let rolled = root.path().join("hadoop/logs/rolled.log");
    write(&rolled, "2026-11-21 02:24:47,081 INFO x: gone\n");
    // One is gone when tar comes to it. One is listed that nobody can read: where tests run as root, one that is not there.
    program(&root.path().join("bin/tar"), &format!("rm -f '{}'\nexec '{}' \"$@\"\n", rolled.display(), system("tar")));
    let find = system("find");
    program(&root.path().join("bin/find"), &format!("'{find}' \"$@\"\necho \"$1locked.log\"\n"));
    let (_, said) = collect(root.path(), &["-g"]);
    let names = tar(root.path(), "-tzf");
    assert!(names.contains("hadoop-x-datanode-h1.log") && names.contains("core-site.xml"), "{names}");
    for name in ["hadoop/logs/locked.log", "hadoop/logs/rolled.log"] {
        assert!(said.contains(name) && !names.contains(name), "{name} in {said}");
    }
}

#[test]
fn secrets_stay_on_the_host_however_they_are_written() {
    let root = tempfile::tempdir().unwrap();
    home(root.path());
    let conf = [
        r#"<property name="fs.s3a.secret.key2" value="hunter2"/><property name='b.token' value='"hunter2"'/>"#,
        "<property\n value = \"x > hunter2\"\n name = \"c.password\" />",
        "<property><name>d.password</name><value><![CDATA[hunter2 </value> hunter2]]></value></property>",
        "<property><name><![CDATA[e.key]]></name><value>x<!-- y -->hunter2</value></property>",
        "<property><value>hunter2</value><name> f.Secret\n</name></property>",
        r#"<property name="g.key"><value>hunter2</value></property><property><name>h.key</name><value/></property>"#,
        r#"<property name="dfs.replication" value="3"/><property><name>x</name><value>a<!-- b --></value></property>"#,
        "<property><name>i.key</name><value>hunter2 and no end",
    ];
    write(&root.path().join("hadoop/conf/core-site.xml"), &conf.join("\n"));
    collect(root.path(), &["-g"]);
    let text = tar(root.path(), "-xzOf");
    assert!(!text.contains(PLANTED), "a secret left the host: {text}");
    for kept in [
        r#"<property name="fs.s3a.secret.key2" value="removed"/>"#,
        "<name>h.key</name><value/></property>",
        r#"<property name="dfs.replication" value="3"/>"#,
        "<value>a<!-- b --></value>",
    ] {
        assert!(text.contains(kept), "{kept} is missing in {text}");
    }
}
