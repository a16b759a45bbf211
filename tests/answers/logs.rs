//! Keys of log4j logs.

use super::{Case, Report, content, digest};
use oddnode::format::log4j::{Record, Split, Splitter};
use oddnode::model::{Event, FileDigest, Subject};
use serde_json::Value;
use std::collections::BTreeMap;

/// A time's digits; 0.18 prints `081109 203518` and a thread's number.
fn digits(time: &str) -> String {
    let digits: String = time.chars().filter(char::is_ascii_digit).collect();
    if time.contains('-') { digits } else { format!("20{}000", &digits[..12]) }
}

/// Calls `each` with the records of a log; returns the number of its other lines.
fn records(bytes: &[u8], mut each: impl FnMut(&Record<'_>)) -> u64 {
    let (mut splitter, mut other) = (Splitter::default(), 0);
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for line in text.split(|b| *b == b'\n').map(|l| l.strip_suffix(b"\r").unwrap_or(l)) {
        match splitter.split(line) {
            Split::Record(record) => each(&record),
            _ => other += 1,
        }
    }
    other
}

/// `.lines.json`: a stand-alone reader of log4j lines.
pub fn lines(case: &Case, report: &mut Report) {
    let digest = digest(&case.file);
    let key = case.key();
    let log = &key["log"];
    report.same("lines", log["lines"].as_u64(), Some(digest.lines));
    let (first, last) = digest.span.unwrap();
    let (key_first, key_last) = (log["firstTime"].as_str().unwrap(), log["lastTime"].as_str().unwrap());
    // The span is the earliest and the latest time, the key's the first and last line's.
    report.same("first time", true, digits(&first.to_string()) <= digits(key_first));
    report.same("last time", true, digits(&last.to_string()) >= digits(key_last));
    let mut levels = BTreeMap::<String, u64>::new();
    let mut loggers = BTreeMap::<String, u64>::new();
    let other = records(&content(&case.file), |record| {
        *levels.entry(format!("{:?}", record.level).to_uppercase()).or_default() += 1;
        *loggers.entry(String::from_utf8_lossy(record.logger).into_owned()).or_default() += 1;
    });
    report.same("lines with time", log["linesWithTimestamp"].as_u64(), Some(levels.values().sum()));
    report.same("other lines", log["continuationOrOtherLines"].as_u64(), Some(other));
    for (level, count) in log["byLevel"].as_object().unwrap() {
        report.same(level, count.as_u64(), levels.get(level).copied());
    }
    for (logger, count) in log["topLoggers"].as_object().unwrap() {
        report.same(logger, count.as_u64(), loggers.get(logger).copied());
    }
    transfers(&digest, &key["clienttrace"], report);
    if key.get("jobtracker").is_some() {
        jobtracker(&digest, &key["jobtracker"], report);
    }
}

fn transfers(digest: &FileDigest, trace: &Value, report: &mut Report) {
    let mut counts = BTreeMap::<&str, [u64; 3]>::new();
    for row in crate::reading::events(digest) {
        let (op, bytes, duration_ns) = match row.event {
            Event::Wrote { bytes, duration_ns, .. } => ("HDFS_WRITE", bytes, duration_ns),
            Event::Read { bytes, duration_ns, .. } => ("HDFS_READ", bytes, duration_ns),
            Event::ShuffleServed { bytes, duration_ns, .. } | Event::ShuffleServedTo { bytes, duration_ns, .. } => {
                ("MAPRED_SHUFFLE", bytes, duration_ns)
            }
            _ => continue,
        };
        let sums = counts.entry(op).or_default();
        *sums = [sums[0] + 1, sums[1] + bytes, sums[2] + duration_ns.unwrap_or(0)];
    }
    for op in ["HDFS_WRITE", "HDFS_READ", "MAPRED_SHUFFLE"] {
        let n = |what: &str| trace[what][op].as_u64().unwrap_or(0);
        let key = [n("countByOp"), n("bytesByOp"), n("durationSumByOp")];
        report.same(op, key, counts.get(op).copied().unwrap_or_default());
    }
}

/// Assignments by host and type, attempts that ended well, errors by host.
fn jobtracker(digest: &FileDigest, key: &Value, report: &mut Report) {
    let (mut assigned, mut errors) = (BTreeMap::<(String, String), u64>::new(), BTreeMap::<String, u64>::new());
    let mut completed = 0;
    for row in crate::reading::events(digest) {
        match row.event {
            Event::TaskAssigned { task_type: Some(kind), host, .. } => {
                let kind = match kind.name() {
                    "SETUP" => "JOB_SETUP",
                    "CLEANUP" => "JOB_CLEANUP",
                    kind => kind,
                };
                *assigned.entry((host.into(), kind.to_owned())).or_default() += 1;
            }
            Event::TaskCompleted { .. } => completed += 1,
            Event::Complaint(said) if said.attempt.is_some() => {
                if let Subject::Host(host) = &said.of {
                    *errors.entry(host.to_string()).or_default() += 1;
                }
            }
            _ => {}
        }
    }
    for (host, kinds) in key["assignmentsPerTrackerHost"].as_object().unwrap() {
        for (kind, count) in kinds.as_object().unwrap() {
            report.same(
                &format!("{host} {kind}"),
                count.as_u64(),
                assigned.get(&(host.clone(), kind.clone())).copied(),
            );
        }
    }
    report.same("completed", key["completedAttempts"].as_u64(), Some(completed));
    for (host, count) in key["errorsPerTrackerHost"].as_object().unwrap() {
        report.same(&format!("errors on {host}"), count.as_u64(), errors.get(host).copied());
    }
}

/// LogHub's `_structured.csv`: each line of a log taken apart.
pub fn structured(case: &Case, report: &mut Report) {
    let mut rows = csv::Reader::from_reader(std::fs::File::open(&case.key).unwrap());
    let header = rows.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name);
    let [level, component, text, date, time] =
        ["Level", "Component", "Content", "Date", "Time"].map(|name| column(name).unwrap());
    let process = column("Process");
    let mut found = Vec::new();
    let other = records(&content(&case.file), |record| {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        let at = digits(&record.at.to_string());
        let level = format!("{:?}", record.level).to_uppercase();
        found.push([at, level, text(record.logger), text(record.message), text(record.thread)]);
    });
    report.same("other lines", 0, other);
    let rows: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    report.same("lines", rows.len(), found.len());
    for (number, (row, ours)) in (1..).zip(rows.iter().zip(&found)) {
        let at = format!("{} {}", &row[date], &row[time]);
        // Blanks at a message's ends are lost in the key.
        let key = [
            digits(&at),
            row[level].to_owned(),
            row[component].to_owned(),
            row[text].trim().to_owned(),
            process.map_or_else(String::new, |p| row[p].trim().to_owned()),
        ];
        report.same(&format!("line {number}"), &key, ours);
    }
}
