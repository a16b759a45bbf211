//! The logs of labelled runs in layouts that are not Hadoop's own, and all daemons' in one file, as collectors write
//! them: the verdict is that on the logs as they are.
//!
//! The data are not part of this repository (see `tests/runs.rs`); without them the tests say that they skip.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::base::Timestamp;
use oddnode::model::ZoneSource;
use oddnode::report::Report;
use serde::Deserialize;
use serde_json::json;
use shared::{Files, SETS, members, report};

#[derive(Deserialize)]
struct Run {
    run: String,
    node: Option<String>,
}

/// A record with the lines that belong to it.
struct Record {
    date: String,
    time: String,
    level: String,
    thread: String,
    logger: String,
    message: String,
}

impl Record {
    /// The record that begins with a line.
    fn of(line: &str) -> Option<Self> {
        let (date, rest) = line.split_once(' ')?;
        let (time, rest) = rest.split_once(' ')?;
        let (level, rest) = rest.split_once(' ')?;
        let is_time = date.len() == 10 && time.len() == 12 && date.starts_with("20") && time.as_bytes()[8] == b',';
        let (thread, rest) = match rest.strip_prefix('[').and_then(|inside| inside.split_once("] ")) {
            Some((thread, rest)) => (thread, rest),
            None => ("main", rest),
        };
        let (logger, message) = rest.split_once(": ").or_else(|| Some((rest.strip_suffix(':')?, "")))?;
        let [date, time, level, thread, logger, message] =
            [date, time, level, thread, logger, message].map(str::to_owned);
        is_time.then_some(Self { date, time, level, thread, logger, message })
    }

    /// As Hadoop's containers have it.
    fn text(&self) -> String {
        let Self { date, time, level, thread, logger, message } = self;
        format!("{date} {time} {level} [{thread}] {logger}: {message}")
    }

    /// Milliseconds since 1970, of a clock that shows UTC.
    fn millis(&self) -> i64 {
        let number = |text: &str| text.parse::<u32>().unwrap();
        let [year, month, day] = [&self.date[..4], &self.date[5..7], &self.date[8..]].map(number);
        let [hour, minute, second, ms] =
            [&self.time[..2], &self.time[3..5], &self.time[6..8], &self.time[9..]].map(number);
        Timestamp::from_civil(i64::from(year), month, day, hour, minute, second, ms).unwrap().millis()
    }
}

/// The records of a log.
fn records(log: &[u8]) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for line in String::from_utf8_lossy(log).lines() {
        match (Record::of(line), records.last_mut()) {
            (Some(record), _) => records.push(record),
            (None, Some(last)) => {
                last.message.push('\n');
                last.message.push_str(line);
            }
            (None, None) => {}
        }
    }
    records
}

/// Logs of daemons and tasks, without what else knows when something was.
fn logs(files: Files) -> Files {
    let is_log = |path: &str| {
        let name = path.rsplit('/').next().unwrap();
        name.ends_with(".log") && !name.contains("audit") || name.starts_with("syslog")
    };
    files.into_iter().filter(|(path, _)| is_log(path)).collect()
}

/// What a report says of each culprit: node, cause, since when, and how sure that is.
fn said(report: &Report) -> Vec<(String, String, Option<i64>, f64)> {
    let culprits = report.verdict.culprits.iter();
    culprits.map(|c| (c.node.clone(), c.cause.clone(), c.since_ms, c.sureness)).collect()
}

/// The runs that are tried: a crash, a full disk, a hung task, and one of no faulty node.
fn tried() -> Vec<(Run, Files)> {
    let runs = shared::runs::<Run>(&SETS).into_iter();
    let tried = runs.filter(|(run, _)| ["r06", "r26", "r34", "y08", "y10", "y14"].contains(&&*run.run));
    tried.map(|(run, archive)| (run, logs(members(&archive)))).collect()
}

#[test]
fn other_layouts_say_the_same() {
    type Layout = (&'static str, fn(&Record) -> String);
    let layouts: [Layout; 6] = [
        ("brackets", |r| format!("[{} {}] [{}] [{}] {} - {}", r.date, r.time, r.level, r.thread, r.logger, r.message)),
        ("bars", |r| format!("{} {} | {:5} | {} | {} | {}", r.date, r.time, r.level, r.thread, r.logger, r.message)),
        ("Log4Json", |r| {
            let date = format!("{} {}", r.date, r.time);
            json!({"name": r.logger, "time": r.millis(), "date": date, "level": r.level, "thread": r.thread, "message": r.message})
                .to_string()
        }),
        ("ECS", |r| {
            let at = format!("{}T{}Z", r.date, r.time.replace(',', "."));
            let (level, thread) = (&r.level, &r.thread);
            json!({"@timestamp": at, "log.level": level, "log.logger": r.logger, "process.thread.name": thread,
                   "message": r.message})
            .to_string()
        }),
        ("JsonLayout", |r| {
            json!({"timeMillis": r.millis(), "level": r.level, "loggerName": r.logger, "thread": r.thread,
                   "message": r.message})
            .to_string()
        }),
        ("XMLLayout", |r| {
            format!(
                "<log4j:event logger=\"{}\" timestamp=\"{}\" level=\"{}\" thread=\"main\">\r\n\
                 <log4j:message><![CDATA[{}]]></log4j:message>\r\n</log4j:event>\r\n",
                r.logger,
                r.millis(),
                r.level,
                r.message
            )
        }),
    ];
    for (run, files) in tried() {
        let plain = said(&report(&files));
        assert_eq!(plain.first().map(|(node, ..)| node), run.node.as_ref(), "{}", run.run);
        for (name, layout) in &layouts {
            let rewrite = |log: &[u8]| records(log).iter().map(|r| layout(r) + "\n").collect::<String>().into_bytes();
            let other = files.iter().map(|(path, log)| (path.clone(), rewrite(log))).collect();
            let report = report(&other);
            assert_eq!(said(&report), plain, "{} in {name}", run.run);
            let tells_zone = !["brackets", "bars"].contains(name);
            assert!(!tells_zone || report.clock.source() == Some(ZoneSource::Found), "{} in {name}", run.run);
        }
    }
}

#[test]
fn daemons_in_one_file_say_what_they_say_apart() {
    type Way = (&'static str, fn(&str, &str, &Record) -> String);
    let ways: [Way; 4] = [
        ("a journal's text", |host, daemon, record| {
            let before = format!("Nov 21 {} {host} {daemon}[4242]: ", &record.time[..8]);
            record.text().lines().map(|line| format!("{before}{line}\n")).collect()
        }),
        ("docker compose", |host, daemon, record| {
            record.text().lines().map(|line| format!("{daemon}-{host}  | {line}\n")).collect()
        }),
        ("objects", |host, daemon, record| {
            let path = format!("/var/log/hadoop/{daemon}.log");
            format!("{}\n", json!({"host": {"name": host}, "log": {"file": {"path": path}}, "message": record.text()}))
        }),
        ("a journal's objects", |host, daemon, record| {
            let taken = format!("{}000", record.millis() + 20);
            let object = json!({"_HOSTNAME": host, "SYSLOG_IDENTIFIER": daemon, "__REALTIME_TIMESTAMP": taken,
                                "MESSAGE": record.text()});
            format!("{object}\n")
        }),
    ];
    for (run, files) in tried() {
        let of_daemons: Files = files.into_iter().filter(|(path, _)| path.ends_with(".log")).collect();
        let apart = report(&of_daemons);
        let mut all: Vec<(&str, &str, Record)> = Vec::new();
        for (path, log) in &of_daemons {
            let (host, name) = (path.split('/').nth(1).unwrap(), path.rsplit('/').next().unwrap());
            let daemon = name.split('-').nth(2).unwrap();
            all.extend(records(log).into_iter().map(|record| (host, daemon, record)));
        }
        all.sort_by(|a, b| (&a.2.date, &a.2.time).cmp(&(&b.2.date, &b.2.time)));
        for (name, way) in &ways {
            // Where no banner tells a host, a container's name alone does not.
            if *name == "docker compose" && run.run.starts_with('y') {
                continue;
            }
            let text: String = all.iter().map(|(host, daemon, record)| way(host, daemon, record)).collect();
            let report = report(&vec![("all.log".to_owned(), text.into_bytes())]);
            assert_eq!(said(&report), said(&apart), "{} by {name}", run.run);
            assert_eq!(report.nodes, apart.nodes, "{} by {name}", run.run);
            assert_eq!(report.coverage.len(), apart.coverage.len(), "{} by {name}", run.run);
            let tells_zone = *name == "a journal's objects";
            assert!(!tells_zone || report.clock.source() == Some(ZoneSource::Found), "{} by {name}", run.run);
        }
    }
}
