//! What the `states` room makes of events, fact by fact.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod attempts;
mod blocks;
mod histories;
mod nodes;
mod open_fetches;
mod phases;

use oddnode::base::{AttemptId, BlockId, ContainerId, JobId, Timestamp};
use oddnode::model::{
    AttemptRecord, Clock, ComplaintKind, Counters, Digest, Event, EventWriter, FileDigest, FileKey, HostClaim,
    HostSource, Outcome, Said, State, StateKind, Subject, TaskType, Trace,
};
use oddnode::states;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn att(text: &str) -> AttemptId {
    AttemptId::parse(format!("attempt_1_0001_{text}").as_bytes()).unwrap()
}

fn con(n: u64) -> ContainerId {
    ContainerId::find(format!("container_1_0001_01_{n:06}").as_bytes()).unwrap()
}

const JOB: JobId = JobId { cluster: 1, number: 1 };

/// A file of the archive under test.
struct F {
    path: &'static str,
    digest: FileDigest,
}

fn file(path: &'static str, format: &str, rows: &[(i64, Event)]) -> F {
    let clock = if matches!(format, "jobhistory-v1" | "jhist") { Clock::Epoch } else { Clock::Local };
    let mut digest = FileDigest { format: format.to_owned(), clock, ..FileDigest::default() };
    let mut events = EventWriter::default();
    for (line, (ms, event)) in (1..).zip(rows) {
        events.push(line, at(*ms), event);
        let (first, last) = digest.span.unwrap_or((at(*ms), at(*ms)));
        digest.span = Some((first.min(at(*ms)), last.max(at(*ms))));
    }
    digest.events = events.finish();
    F { path, digest }
}

impl F {
    fn startup(mut self, name: &str, ip: &str) -> Self {
        let claim = HostClaim { source: HostSource::Startup, name: name.into(), ip: Some(ip.parse().unwrap()) };
        self.digest.hosts.push(claim);
        self
    }
}

fn trace(files: Vec<F>) -> Trace {
    let mut digest = Digest::default();
    for f in files {
        digest.insert(FileKey { path: f.path.to_owned(), bytes: 1, crc: 1 }, f.digest);
    }
    states::build(&digest, None)
}

fn of(t: &Trace, kind: StateKind) -> Vec<State> {
    t.states.of_kind(kind).collect()
}

fn times(s: &State) -> (i64, i64, Option<Outcome>) {
    (s.start.unwrap().millis(), s.end.millis(), s.outcome)
}

fn launched(a: &str) -> Event {
    Event::Launched { attempt: att(a), cleanup: false }
}

fn ended(a: &str, outcome: Outcome) -> Event {
    Event::Ended { attempt: att(a), outcome }
}

fn record(a: &str, host: &str, start: i64, finish: Option<(i64, Outcome)>) -> AttemptRecord {
    let attempt = att(a);
    let task_type = if a.starts_with('r') { TaskType::Reduce } else { TaskType::Map };
    AttemptRecord {
        attempt,
        task_type,
        host: Some(host.into()),
        start: Some(at(start)),
        shuffle_end: None,
        sort_end: None,
        finish: finish.map(|(ms, _)| at(ms)),
        outcome: finish.map(|(_, o)| o),
        counters: Counters::default(),
        error: None,
        start_line: 0,
    }
}

fn history(rows: Vec<AttemptRecord>) -> F {
    let rows: Vec<_> =
        rows.into_iter().map(|r| (r.finish.or(r.start).unwrap().millis(), Event::Attempt(Box::new(r)))).collect();
    file("a/h0/history/job", "jobhistory-v1", &rows)
}

const TT: &str = "a/h1/hadoop-u-tasktracker-h1.log";
const DN: &str = "a/h1/hadoop-u-datanode-h1.log";

fn receiving(block: i64, src: &str) -> Event {
    Event::Receiving { block: BlockId(block), src: src.parse().unwrap(), dest: Some("10.0.0.1:50010".parse().unwrap()) }
}

fn said(kind: ComplaintKind, of: Subject, attempt: Option<AttemptId>) -> Event {
    Event::Complaint(Box::new(Said { attempt, ..Said::new(kind, of) }))
}
