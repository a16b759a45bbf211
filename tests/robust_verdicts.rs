//! The labelled runs of real clusters, with parts of their logs missing or other runs' logs beside them: the verdict
//! stays right or there is none; no other node is named.
//!
//! ```text
//! renamed      the slaves under other names, in another order
//! no-…         a kind of log is missing: metrics, histories, tasks' own logs, a daemon's, the master's
//! only-…       one kind is all there is
//! without-h…   one slave's logs are missing
//! first-, last- of every log only what was written before, or after, a moment
//! beside-…     with the logs of so many other runs of the cluster, none of which had a node at fault
//! cut-h…       one slave's logs were cut where others tell that it went on
//! mapreduce-…  the MapReduce daemons' logs end before those of HDFS and the metrics
//! (a clock)    one slave's clock was set forward while it worked
//! …-it…        metrics of the node at fault alone, of all others; no other slave's logs
//! ```
//! The data are not part of this repository (see `tests/runs.rs`); without them the test says that
//! it skips. A verdict that names the right node, and no cause or the wrong one, is counted, not refused: the
//! counts are a snapshot.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod clock_set;
mod shared;

use clock_set::with_clock_set;
use oddnode::evaluation::cause_of;
use oddnode::report::Report;
use serde::Deserialize;
use shared::{Files, SETS, members, report};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Run {
    run: String,
    fault: String,
    node: Option<String>,
    #[serde(alias = "start_ms")]
    begin_ms: i64,
    end_ms: i64,
    /// Zone of the logs; none: five hours behind UTC, as the older set's README tells.
    time_zone: Option<String>,
}

/// System calls are most of some archives, and no verdict rests on them.
fn files(archive: &Path) -> Files {
    members(archive).into_iter().filter(|(path, _)| !path.ends_with(".strace")).collect()
}

fn without(files: &Files, parts: &[&str]) -> Files {
    files.iter().filter(|(path, _)| !parts.iter().any(|part| path.contains(part))).cloned().collect()
}

fn only(files: &Files, parts: &[&str]) -> Files {
    files.iter().filter(|(path, _)| parts.iter().any(|part| path.contains(part))).cloned().collect()
}

fn slaves(files: &Files) -> BTreeSet<String> {
    let nodes = files.iter().filter_map(|(path, _)| path.split('/').nth(1));
    nodes.filter(|n| n.len() == 4 && n.starts_with('h') && !n.ends_with('0')).map(str::to_owned).collect()
}

/// Other names of the same length (histories hold lengths), so that their order is reversed.
fn renamed(files: &Files) -> (Files, BTreeMap<String, String>) {
    let slaves = slaves(files);
    let names: BTreeMap<String, String> =
        slaves.iter().zip(slaves.iter().rev()).map(|(old, new)| (old.clone(), format!("w{}", &new[1..]))).collect();
    let rename = |bytes: &[u8]| {
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            match rest.get(..4).and_then(|word| names.get(std::str::from_utf8(word).ok()?)) {
                Some(new) => {
                    out.extend_from_slice(new.as_bytes());
                    rest = &rest[4..];
                }
                None => {
                    out.push(*first);
                    rest = after;
                }
            }
        }
        out
    };
    let path = |path: &str| String::from_utf8(rename(path.as_bytes())).unwrap();
    (files.iter().map(|(p, b)| (path(p), rename(b))).collect(), names)
}

/// Milliseconds of a log4j line's own time, as if it were UTC.
fn log_ms(line: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(line.get(..23)?).ok()?;
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let shape = [(4, '-'), (7, '-'), (10, ' '), (13, ':'), (16, ':'), (19, ',')];
    if !shape.iter().all(|(at, mark)| text[*at..].starts_with(*mark)) {
        return None;
    }
    // All runs lie within one month: days count from its first.
    let days = number(8, 10)? - 1;
    let seconds = ((days * 24 + number(11, 13)?) * 60 + number(14, 16)?) * 60 + number(17, 19)?;
    Some(seconds * 1000 + number(20, 23)?)
}

/// Epoch milliseconds of the month's first day, in which all runs lie.
const NOVEMBER_MS: i64 = 1_793_491_200_000;

/// What was written in a stretch of time. Histories are written when a job ends: they are kept
/// only with the end.
fn between(files: &Files, from_ms: i64, to_ms: i64, zone_ms: i64, with_end: bool) -> Files {
    let mut out = Files::new();
    for (path, bytes) in files {
        let history = path.contains("/history/") || path.ends_with(".summary");
        if history || path.ends_with("_conf.xml") {
            if with_end || path.ends_with("_conf.xml") {
                out.push((path.clone(), bytes.clone()));
            }
            continue;
        }
        let mut keep = true;
        let mut kept = Vec::new();
        for line in bytes.split_inclusive(|b| *b == b'\n') {
            let at = if path.contains("metrics") {
                let text = std::str::from_utf8(line).unwrap_or_default();
                text.split(';').nth(2).and_then(|s| s.parse::<i64>().ok()).map(|s| s * 1000)
            } else {
                log_ms(line).map(|ms| NOVEMBER_MS + ms + zone_ms)
            };
            if let Some(at) = at {
                keep = (from_ms..=to_ms).contains(&at);
            }
            if keep {
                kept.extend_from_slice(line);
            }
        }
        if !kept.is_empty() {
            out.push((path.clone(), kept));
        }
    }
    out
}

/// The logs of one slave, of each file the first part only.
fn cut(files: &Files, slave: &str, share: usize) -> Files {
    let here = |path: &str| path.split('/').nth(1) == Some(slave);
    let end = |path: &str, bytes: &[u8]| if here(path) { bytes.len() * share / 100 } else { bytes.len() };
    files.iter().map(|(path, bytes)| (path.clone(), bytes[..end(path, bytes)].to_vec())).collect()
}

fn variants(run: &Run, all: &Files) -> Vec<(String, Files)> {
    let mut out: Vec<(String, Files)> = [
        ("no-metrics", vec!["/metrics."]),
        ("no-history", vec!["/history/"]),
        ("no-task-logs", vec!["/userlogs/", "/app-logs/"]),
        ("no-master", vec!["/h100/", "/h300/"]),
        ("no-jobtracker", vec!["-jobtracker-", "-resourcemanager-"]),
        ("no-datanodes", vec!["-datanode-"]),
        ("no-tasktrackers", vec!["-tasktracker-", "-nodemanager-"]),
        ("no-history-and-metrics", vec!["/history/", "/metrics."]),
    ]
    .into_iter()
    .map(|(name, parts)| (name.to_owned(), without(all, &parts)))
    .collect();
    for (name, parts) in [
        ("only-history", ["/history/"].as_slice()),
        ("only-jobtracker", &["-jobtracker-"]),
        ("only-datanodes", &["-datanode-"]),
        ("only-metrics", &["/metrics."]),
        ("only-task-logs", &["/userlogs/", "/app-logs/"]),
        ("only-tasktrackers", &["-tasktracker-", "-nodemanager-"]),
    ] {
        out.push((name.to_owned(), only(all, parts)));
    }
    let slaves = slaves(all);
    for slave in &slaves {
        out.push((format!("without-{slave}"), without(all, &[&format!("/{slave}/")])));
    }
    let zone_ms = if run.time_zone.is_some() { 0 } else { 5 * 3_600_000 };
    let length = run.end_ms - run.begin_ms;
    for (first, percent) in [(true, 40), (true, 60), (true, 80), (false, 40), (false, 60)] {
        let at = run.begin_ms + length * percent / 100;
        if first {
            out.push((format!("first-{percent}"), between(all, 0, at, zone_ms, false)));
        } else {
            out.push((format!("last-{}", 100 - percent), between(all, at, i64::MAX, zone_ms, true)));
        }
    }
    for percent in [30, 60, 90] {
        let at = run.begin_ms + length * percent / 100;
        let (of_daemons, others): (Files, Files) =
            without(all, &["/history/", "/userlogs/", "/app-logs/", "/client/"]).into_iter().partition(|(path, _)| {
                ["-jobtracker-", "-tasktracker-", "-resourcemanager-", "-nodemanager-"]
                    .iter()
                    .any(|of| path.contains(of))
            });
        let early = between(&of_daemons, 0, at, zone_ms, false);
        out.push((format!("mapreduce-first-{percent}"), early.into_iter().chain(others).collect()));
    }
    if let Some(node) = &run.node {
        let here = format!("/{node}/");
        let are_metrics = |path: &str| path.contains("/metrics.");
        let of = |keep: &dyn Fn(&str) -> bool| all.iter().filter(|(path, _)| keep(path)).cloned().collect::<Files>();
        out.push(("metrics-of-it-alone".to_owned(), of(&|path| !are_metrics(path) || path.contains(&here))));
        out.push(("metrics-of-others".to_owned(), of(&|path| !are_metrics(path) || !path.contains(&here))));
        out.push(("master-and-it".to_owned(), only(all, &["/h100/", "/h300/", &here])));
    }
    out
}

/// Node and cause of each culprit.
type Named = Vec<(String, String)>;

/// What is said of a run in each of its variants.
fn said_of(run: &Run, archive: &Path, healthy: &[&Path]) -> Vec<(String, Named)> {
    let named = |report: &Report| -> Named {
        report.verdict.culprits.iter().map(|c| (c.node.clone(), c.cause.clone())).collect()
    };
    let all = files(archive);
    let (other, names) = renamed(&all);
    let back = |(node, cause): (String, String)| {
        let old = names.iter().find(|(_, new)| **new == node).map(|(old, _)| old.clone());
        (old.unwrap_or(node), cause)
    };
    let mut out = vec![("renamed".to_owned(), named(&report(&other)).into_iter().map(back).collect())];
    out.extend(variants(run, &all).into_iter().map(|(variant, files)| (variant, named(&report(&files)))));
    for count in [1, 4] {
        let beside = healthy.iter().take(count).flat_map(|archive| files(archive));
        out.push((format!("beside-{count}"), named(&report(&all.iter().cloned().chain(beside).collect()))));
    }
    // Where the history tells what else the slave did, its logs were cut and it lives.
    if run.fault == "none" {
        for slave in slaves(&all) {
            for share in [30, 60] {
                out.push((format!("cut-{slave}"), named(&report(&cut(&all, &slave, share)))));
            }
        }
    }
    out
}

/// The other runs of an archive's set that had no node at fault.
fn healthy_beside<'a>(runs: &'a [(Run, PathBuf)], archive: &Path) -> Vec<&'a Path> {
    let others = runs.iter().filter(|(run, path)| run.node.is_none() && path != archive);
    others.map(|(_, path)| &**path).filter(|path| path.parent() == archive.parent()).collect()
}

#[test]
fn missing_logs_make_no_wrong_verdict() {
    let runs = shared::runs::<Run>(&SETS);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let runs = &runs;
    let share = move |first: usize| -> Vec<(usize, Vec<(String, Named)>)> {
        let own = runs.iter().enumerate().skip(first).step_by(workers);
        own.map(|(i, (run, archive))| (i, said_of(run, archive, &healthy_beside(runs, archive)))).collect()
    };
    let mut said: Vec<(usize, Vec<(String, Named)>)> = std::thread::scope(|scope| {
        let begun: Vec<_> = (0..workers).map(|first| scope.spawn(move || share(first))).collect();
        begun.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    said.sort();
    let mut wrong = Vec::new();
    let mut counts: BTreeMap<&str, [u32; 5]> = BTreeMap::new();
    for (i, variants) in &said {
        let (run, _) = &runs[*i];
        for (variant, named) in variants {
            if named.iter().any(|(node, _)| Some(node) != run.node.as_ref()) {
                wrong.push(format!("{} {variant}: {named:?}, at fault is {:?} ({})", run.run, run.node, run.fault));
            }
            let cause = cause_of(&run.fault);
            let slot = match (named.first(), &run.node) {
                (None, Some(_)) => 3,
                (None, None) => 4,
                (Some((_, found)), _) if found == "unknown" => 1,
                (Some((_, found)), _) if cause.is_some_and(|cause| cause != found) => 2,
                (Some(_), _) => 0,
            };
            let kind =
                variant.split_once("-h1").or_else(|| variant.split_once("-h3")).map_or(&**variant, |(kind, _)| kind);
            counts.entry(kind).or_default()[slot] += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if !runs.is_empty() {
        let mut table = String::from("variant: right, no cause, wrong cause, missed, rightly quiet\n");
        for (kind, [right, untold, wrong, missed, quiet]) in counts {
            writeln!(table, "{kind}: {right}, {untold}, {wrong}, {missed}, {quiet}").unwrap();
        }
        insta::assert_snapshot!("robust_verdicts", table);
    }
}

/// The same logs as each host's `tar czf` of its folder of logs leaves them: an archive each, none called after its host.
fn archive_a_host(files: &Files) -> Files {
    let mut archives: BTreeMap<&str, usize> = BTreeMap::new();
    let renamed = files.iter().map(|(path, bytes)| {
        let (host, file) = path.split_once('/').and_then(|(_, rest)| rest.split_once('/')).unwrap_or(("", path));
        let next = archives.len();
        let archive = archives.entry(host).or_insert(next);
        (format!("logs-{archive}.tgz/hadoop/{file}"), bytes.clone())
    });
    renamed.collect()
}

#[test]
fn archive_a_host_says_what_folders_say() {
    for (run, archive) in shared::runs::<Run>(&SETS) {
        let all = files(&archive);
        let [folders, archives] = [report(&all), report(&archive_a_host(&all))];
        // Masters run no daemon by which an archive would be known.
        let of_slaves = |report: &Report| -> Vec<(String, Option<String>)> {
            let known =
                report.coverage.iter().filter(|c| c.node.as_ref().is_some_and(|node| report.nodes.contains(node)));
            known.map(|c| (c.file.rsplit('/').next().unwrap().to_owned(), c.node.clone())).collect()
        };
        assert_eq!(archives.nodes, folders.nodes, "{}", run.run);
        let [mut ours, mut theirs] = [of_slaves(&archives), of_slaves(&folders)];
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{}", run.run);
        let said = |report: &Report| {
            let culprits = report.verdict.culprits.iter();
            culprits.map(|c| (c.node.clone(), c.cause.clone(), c.since_ms, c.sureness)).collect::<Vec<_>>()
        };
        assert_eq!(said(&archives), said(&folders), "{}", run.run);
    }
}

/// The same logs under paths that are called otherwise, and without the lines by which daemons name their hosts: those of
/// long-running ones have none.
fn otherwise(files: &Files, path: &dyn Fn(&str, &str) -> String) -> Files {
    let is_own = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        text.contains("STARTUP_MSG") || text.contains("Starting tracker") || text.starts_with("****")
    };
    let renamed = files.iter().filter_map(|(old, bytes)| {
        let (host, rest) = old.split_once('/')?.1.split_once('/')?;
        let lines = bytes.split_inclusive(|b| *b == b'\n');
        let cut = if rest.contains("hadoop-") {
            lines.filter(|line| !is_own(line)).flatten().copied().collect()
        } else {
            bytes.clone()
        };
        Some((path(host, rest), cut))
    });
    renamed.collect()
}

/// Another path of a host's file.
type Way = fn(&str, &str) -> String;

/// `datanode.log` of `logs/hadoop-hadoop-datanode-h303.log`.
fn bare(host: &str, rest: &str) -> String {
    rest.replace("hadoop-hadoop-", "").replace(&format!("-{host}."), ".")
}

/// That of `h303` is 10.77.3.13.
fn address(host: &str) -> String {
    format!("10.77.{}.1{}", &host[1..2], &host[3..])
}

#[test]
fn names_that_paths_alone_give_change_no_verdict() {
    let ways: [(&str, Way); 5] = [
        ("addresses", |host, rest| format!("r/{}/{}", address(host), rest.replace(host, &address(host)))),
        ("addresses inside", |host, rest| format!("r/{host}/{}", rest.replace(host, &address(host)))),
        ("dates", |host, rest| format!("r/2026-11-21_{host}/{}", bare(host, rest))),
        ("archives", |host, rest| format!("logs_{host}_20261121.tar.gz/{}", bare(host, rest))),
        ("others", |host, rest| format!("r/srv{}/{}", &host[2..], bare(host, rest))),
    ];
    let tried = ["y02", "y10", "y11", "y32", "r06", "r12"];
    for (run, archive) in shared::runs::<Run>(&SETS).into_iter().filter(|(run, _)| tried.contains(&&*run.run)) {
        let all = files(&archive);
        let said = |report: &Report| {
            let culprits = report.verdict.culprits.iter();
            let named: Vec<_> = culprits.map(|c| (c.node.clone(), c.cause.clone(), c.sureness)).collect();
            (report.nodes.clone(), named)
        };
        let plain = said(&report(&otherwise(&all, &|host, rest| format!("r/{host}/{rest}"))));
        assert_eq!(plain.1.first().map(|(node, ..)| node), run.node.as_ref(), "{}", run.run);
        for (way, path) in &ways {
            assert_eq!(said(&report(&otherwise(&all, path))), plain, "{} by {way}", run.run);
        }
    }
}

/// What `cat h10[1-6]/*tasktracker*.log` leaves, beside the JobTracker's log alone.
#[test]
fn log_of_all_tasktrackers_beside_the_jobtrackers_takes_no_verdict_away() {
    for (run, archive) in shared::runs::<Run>(&["hadoop1"]).into_iter().filter(|(run, _)| run.run == "r06") {
        let all = files(&archive);
        let master = only(&all, &["-jobtracker-"]);
        let trackers = only(&all, &["-tasktracker-"]).into_iter().filter(|(path, _)| path.ends_with(".log"));
        let tracker: Vec<u8> = trackers.flat_map(|(_, bytes)| bytes).collect();
        let both = master.iter().cloned().chain([("tt.log".to_owned(), tracker)]).collect();
        for files in [master, both] {
            let report = report(&files);
            let named: Vec<_> = report.verdict.culprits.iter().map(|c| &*c.node).collect();
            assert_eq!(named, [run.node.as_deref().unwrap()], "{}", report.verdict.sentence);
        }
    }
}

#[test]
fn clock_that_is_set_forward_meanwhile_accuses_nobody() {
    let tried = ["r34", "r38", "r06"];
    for (run, archive) in shared::runs::<Run>(&["hadoop1"]).into_iter().filter(|(run, _)| tried.contains(&&*run.run)) {
        let all = files(&archive);
        // While Maps run, and while Reduces do.
        for share in [25, 45] {
            let from_ms = run.begin_ms + (run.end_ms - run.begin_ms) * share / 100;
            for host in ["h101", "h103"] {
                let report = report(&with_clock_set(&all, host, (from_ms, 120_000), 5 * 3_600_000));
                let named: Vec<_> = report.verdict.culprits.iter().map(|c| (&*c.node, &*c.cause)).collect();
                let truth: Vec<_> =
                    run.node.iter().map(|node| (&**node, cause_of(&run.fault).unwrap_or_default())).collect();
                assert_eq!(named, truth, "{} with the clock of {host} set at {share} %", run.run);
                assert!(report.issues.iter().any(|issue| issue.code == "clock-set"), "{}: {host}, {share} %", run.run);
            }
        }
    }
}
