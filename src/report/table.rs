//! A trace as tables: what `oddnode extract` writes and the page offers as CSV.
//!
//! ```text
//! kind,node,start_ms,end_ms,open,job,attempt,peer,bytes,outcome,how
//! Map,h103,1795227884210,1795227891377,0,job_…_0001,attempt_…_m_000004_0,,,success,
//! ```
//! The columns are a contract; more may follow at the end. Cost: O(rows),
//! one row in memory.

use crate::base::{NodeId, Timestamp};
use crate::model::Trace;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// A table of a trace.
#[derive(Debug)]
pub struct Table {
    /// Its name on the command line.
    pub name: &'static str,
    /// Names of its columns.
    pub header: &'static [&'static str],
    rows: fn(&Trace, &mut EachRow<'_>),
}

/// Takes the rows of a table, one after another.
type EachRow<'a> = dyn FnMut(&[Cell]) + 'a;

/// States.
pub static STATES: Table = Table {
    name: "states",
    header: &["kind", "node", "start_ms", "end_ms", "open", "job", "attempt", "peer", "bytes", "outcome", "how"],
    rows: states,
};

/// Task attempts.
pub static TASKS: Table = Table {
    name: "tasks",
    header: &[
        "job",
        "attempt",
        "type",
        "node",
        "start_ms",
        "shuffle_end_ms",
        "sort_end_ms",
        "finish_ms",
        "outcome",
        "hdfs_read",
        "hdfs_written",
        "file_read",
        "file_written",
    ],
    rows: tasks,
};

/// Jobs.
pub static JOBS: Table = Table {
    name: "jobs",
    header: &[
        "job",
        "name",
        "user",
        "submit_ms",
        "start_ms",
        "finish_ms",
        "status",
        "maps",
        "reduces",
        "block_bytes",
        "map_slots",
        "reduce_slots",
        "map_speculation",
        "reduce_speculation",
        "task_timeout_ms",
        "queue",
    ],
    rows: jobs,
};

/// Transfers between hosts.
pub static FLOWS: Table = Table {
    name: "flows",
    header: &["kind", "src", "dest", "start_ms", "end_ms", "bytes", "block", "attempt"],
    rows: flows,
};

/// Complaints of nodes about nodes.
pub static COMPLAINTS: Table = Table {
    name: "complaints",
    header: &["kind", "by", "of", "time_ms", "job", "attempt", "block", "took_ms", "file", "line"],
    rows: complaints,
};
/// System calls.
pub static CALLS: Table =
    Table { name: "calls", header: &["node", "pid", "time_s", "syscall", "ret", "duration_s", "args"], rows: calls };
/// OS metrics, in the order of `Metric::ALL`.
pub static SAMPLES: Table = Table {
    name: "samples",
    header: &[
        "node",
        "time_ms",
        "user",
        "system",
        "iowait",
        "ctxt",
        "runq_sz",
        "plist_sz",
        "ldavg_1",
        "eth_rxbyt",
        "eth_txbyt",
        "pgpgin",
        "pgpgout",
        "fault",
        "bread",
        "bwrtn",
    ],
    rows: samples,
};

impl Table {
    /// Gives the rows of `trace`, each with as many cells as the header has names.
    pub fn each_row(&self, trace: &Trace, mut each: impl FnMut(&[Cell])) {
        (self.rows)(trace, &mut each);
    }

    /// A row as one JSON object with the header's names in their order, without line end.
    #[must_use]
    pub fn json(&self, cells: &[Cell]) -> String {
        serde_json::to_string(&Object { header: self.header, cells }).unwrap_or_default()
    }
}

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Not known.
    Unknown,
    /// A number.
    Number(i64),
    /// Seconds, counted in microseconds.
    Micros(i64),
    /// A number that may have decimals.
    Decimal(f64),
    /// A text.
    Text(String),
}

/// As it stands in CSV: nothing where unknown.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            Self::Number(number) => number.fmt(f),
            Self::Micros(us) => {
                let sign = if *us < 0 { "-" } else { "" };
                write!(f, "{sign}{}.{:06}", us.unsigned_abs() / 1_000_000, us.unsigned_abs() % 1_000_000)
            }
            Self::Decimal(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// As it stands in JSON: null where unknown.
impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            Self::Number(number) => serializer.serialize_i64(*number),
            // Exact to the microsecond up to the year 2255.
            Self::Micros(us) => serializer.serialize_f64(*us as f64 / 1e6),
            Self::Decimal(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

struct Object<'a> {
    header: &'static [&'static str],
    cells: &'a [Cell],
}

impl Serialize for Object<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.header.len()))?;
        for (name, cell) in self.header.iter().zip(self.cells) {
            map.serialize_entry(name, cell)?;
        }
        map.end()
    }
}

fn text(value: Option<impl ToString>) -> Cell {
    value.map_or(Cell::Unknown, |value| Cell::Text(value.to_string()))
}

fn number(value: Option<impl TryInto<i64>>) -> Cell {
    // No size or count of a log is beyond i64.
    value.map_or(Cell::Unknown, |value| Cell::Number(value.try_into().unwrap_or(i64::MAX)))
}

fn time(value: Option<Timestamp>) -> Cell {
    number(value.map(Timestamp::millis))
}

fn node(trace: &Trace, id: Option<NodeId>) -> Cell {
    text(id.map(|id| trace.node_name(id)))
}

fn peer(trace: &Trace, index: Option<u32>) -> Cell {
    text(index.and_then(|index| trace.peers.get(usize::try_from(index).ok()?)))
}

fn states(trace: &Trace, each: &mut EachRow<'_>) {
    for state in trace.states.iter() {
        each(&[
            text(Some(state.kind.name())),
            node(trace, state.node),
            time(state.start),
            time(Some(state.end)),
            number(Some(state.open)),
            text(state.job),
            text(state.attempt),
            peer(trace, state.peer),
            number(state.bytes),
            text(state.outcome.map(|outcome| outcome.name())),
            text(state.origin.map(|origin| origin.name())),
        ]);
    }
}

fn tasks(trace: &Trace, each: &mut EachRow<'_>) {
    for task in &trace.tasks {
        each(&[
            text(Some(task.id.job)),
            text(Some(task.id)),
            text(Some(task.task_type.name())),
            node(trace, task.node),
            time(task.start),
            time(task.shuffle_end),
            time(task.sort_end),
            time(task.finish),
            text(task.outcome.map(|outcome| outcome.name())),
            number(task.counters.hdfs_read.get()),
            number(task.counters.hdfs_written.get()),
            number(task.counters.file_read.get()),
            number(task.counters.file_written.get()),
        ]);
    }
}

fn jobs(trace: &Trace, each: &mut EachRow<'_>) {
    for job in &trace.jobs {
        let conf = trace.confs.get(&job.id).copied().unwrap_or_default();
        each(&[
            text(Some(job.id)),
            text(job.name.as_ref()),
            text(job.user.as_ref()),
            time(job.submit),
            time(job.start),
            time(job.finish),
            text(Some(job.status.name())),
            number(job.maps),
            number(job.reduces),
            number(conf.block_bytes),
            number(conf.map_slots),
            number(conf.reduce_slots),
            number(conf.map_speculation),
            number(conf.reduce_speculation),
            number(conf.task_timeout_ms),
            text(trace.queues.get(&job.id)),
        ]);
    }
}

fn flows(trace: &Trace, each: &mut EachRow<'_>) {
    for flow in trace.flows.iter() {
        each(&[
            text(Some(flow.kind.name())),
            peer(trace, flow.src),
            peer(trace, flow.dest),
            time(flow.start),
            time(Some(flow.end)),
            number(flow.bytes),
            text(flow.block),
            text(flow.attempt),
        ]);
    }
}

fn complaints(trace: &Trace, each: &mut EachRow<'_>) {
    for complaint in &trace.complaints {
        each(&[
            text(Some(complaint.kind.name())),
            node(trace, complaint.by),
            node(trace, complaint.of),
            time(Some(complaint.at)),
            text(complaint.job),
            text(complaint.attempt),
            text(complaint.block),
            number(complaint.took_ms),
            text(Some(trace.path(complaint.place.file))),
            number(Some(complaint.place.line)),
        ]);
    }
}

fn calls(trace: &Trace, each: &mut EachRow<'_>) {
    for call in trace.calls.iter() {
        let duration = call.duration_us.map(|us| i64::try_from(us).unwrap_or(i64::MAX));
        each(&[
            node(trace, call.node),
            number(call.pid),
            Cell::Micros(call.at_us),
            text(Some(call.name)),
            text(Some(call.ret)),
            duration.map_or(Cell::Unknown, Cell::Micros),
            text(Some(call.args)),
        ]);
    }
}

fn samples(trace: &Trace, each: &mut EachRow<'_>) {
    for sample in trace.samples.iter() {
        let values = sample.values.iter().map(|v| if v.is_nan() { Cell::Unknown } else { Cell::Decimal(*v) });
        let mut cells = vec![node(trace, Some(sample.node)), time(Some(sample.at))];
        cells.extend(values);
        each(&cells);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, BlockId, FileId, JobId, Place};
    use crate::model::*;

    fn trace() -> Trace {
        let attempt = AttemptId::find(b"attempt_202611210224_0001_m_000004_0").unwrap();
        let at = |ms| Some(Timestamp::from_millis(ms));
        let place = Place { file: FileId(0), line: 1 };
        let state = |kind, start, peer| State {
            kind,
            node: Some(NodeId(1)),
            start,
            end: Timestamp::from_millis(9),
            open: start.is_none(),
            job: Some(attempt.job),
            attempt: Some(attempt),
            peer,
            bytes: peer.map(|_| 64),
            outcome: start.map(|_| Outcome::Success),
            origin: peer.map(|_| WriteOrigin::Remote),
            block: None,
            place,
        };
        Trace {
            nodes: ["h1", "h2"].map(|name| Node { name: name.into(), is_peer: true }).to_vec(),
            peers: vec!["h1".into(), "h2".into(), "10.0.0.9".into()],
            jobs: vec![Job {
                name: Some("a, \"b\"".into()),
                submit: at(1),
                finish: at(3),
                maps: Some(4),
                ..Job::of(attempt.job, JobStatus::Failed)
            }],
            confs: [(attempt.job, JobConf { map_speculation: Some(true), ..JobConf::default() })].into(),
            tasks: vec![TaskAttempt {
                start: at(5),
                outcome: Some(Outcome::Killed),
                counters: Counters { file_written: Some(7).into(), ..Counters::default() },
                ..TaskAttempt::of(attempt, TaskType::Map, place)
            }],
            states: States::from_rows(vec![
                state(StateKind::WriteBlock, at(5), Some(2)),
                state(StateKind::Map, None, None),
            ]),
            flows: Lanes::from_rows([Flow {
                kind: FlowKind::Write,
                src: Some(2),
                dest: Some(0),
                start: None,
                end: Timestamp::from_millis(8),
                bytes: Some(64),
                block: Some(BlockId(-5)),
                attempt: None,
                reduce: None,
                place,
            }]),
            complaints: vec![Complaint {
                kind: ComplaintKind::SlowNetwork,
                by: Some(NodeId(0)),
                of: Some(NodeId(1)),
                at: Timestamp::from_millis(4),
                job: None,
                attempt: None,
                block: Some(BlockId(7)),
                took_ms: Some(316),
                place,
            }],
            samples: Samples::from_rows(vec![Sample {
                node: NodeId(1),
                at: Timestamp::from_millis(7000),
                values: std::array::from_fn(|i| if i == 2 { f64::NAN } else { i as f64 + 0.25 }),
            }]),
            ..Trace::default()
        }
    }

    fn csv(table: &Table) -> Vec<String> {
        let mut rows = Vec::new();
        table.each_row(&trace(), |cells| {
            assert_eq!(cells.len(), table.header.len());
            rows.push(cells.iter().map(ToString::to_string).collect::<Vec<_>>().join("|"));
        });
        rows
    }

    #[test]
    fn rows_have_the_columns_of_the_contract() {
        let job: JobId = trace().jobs[0].id;
        let attempt = trace().tasks[0].id;
        assert_eq!(
            csv(&STATES),
            [
                format!("Map|h2||9|1|{job}|{attempt}||||"),
                format!("WriteBlock|h2|5|9|0|{job}|{attempt}|10.0.0.9|64|success|remote"),
            ]
        );
        assert_eq!(csv(&TASKS), [format!("{job}|{attempt}|{}||5||||killed||||7", TaskType::Map.name())]);
        assert_eq!(csv(&JOBS), [format!("{job}|a, \"b\"||1||3|failed|4|||||1|||")]);
        assert_eq!(csv(&FLOWS), ["write|10.0.0.9|h1||8|64|blk_-5|"]);
        assert_eq!(csv(&COMPLAINTS), ["slow-network|h1|h2|4|||blk_7|316||1"]);
        let values = "0.25|1.25||3.25|4.25|5.25|6.25|7.25|8.25|9.25|10.25|11.25|12.25|13.25";
        assert_eq!(csv(&SAMPLES), [format!("h2|7000|{values}")]);
        assert_eq!(SAMPLES.header[2..], Metric::ALL.map(Metric::name));
    }

    #[test]
    fn json_keeps_the_order_and_has_null_for_unknown() {
        let mut rows = Vec::new();
        FLOWS.each_row(&trace(), |cells| rows.push(FLOWS.json(cells)));
        let expected = r#"{"kind":"write","src":"10.0.0.9","dest":"h1","start_ms":null,"end_ms":8,"bytes":64,"block":"blk_-5","attempt":null}"#;
        assert_eq!(rows, [expected]);
    }
}
