//! Job history of 3.3.6 as Avro JSON (`mapreduce.jobhistory.jhist.format=json`).

use super::super::record::{End, Error, Kind};
use super::super::{Attempt, Micros};
use super::View;
use serde_json::{Value, json};

/// The records of the events that are written, with their fields: the schema of line 2.
const RECORDS: &[(&str, &[&str])] = &[
    ("JobFinished", &["jobid", "finishTime", "finishedMaps", "finishedReduces", "failedMaps", "failedReduces"]),
    ("JobInfoChange", &["jobid", "submitTime", "launchTime"]),
    ("JobInited", &["jobid", "launchTime", "totalMaps", "totalReduces", "jobStatus", "uberized"]),
    (
        "AMStarted",
        &[
            "applicationAttemptId",
            "startTime",
            "containerId",
            "nodeManagerHost",
            "nodeManagerPort",
            "nodeManagerHttpPort",
        ],
    ),
    ("JobSubmitted", &["jobid", "jobName", "userName", "submitTime", "jobConfPath", "acls", "jobQueueName"]),
    ("JobUnsuccessfulCompletion", &["jobid", "finishTime", "finishedMaps", "finishedReduces", "jobStatus"]),
    (
        "MapAttemptFinished",
        &[
            "taskid",
            "attemptId",
            "taskType",
            "taskStatus",
            "mapFinishTime",
            "finishTime",
            "hostname",
            "port",
            "rackname",
            "state",
            "counters",
        ],
    ),
    (
        "ReduceAttemptFinished",
        &[
            "taskid",
            "attemptId",
            "taskType",
            "taskStatus",
            "shuffleFinishTime",
            "sortFinishTime",
            "finishTime",
            "hostname",
            "port",
            "rackname",
            "state",
            "counters",
        ],
    ),
    (
        "TaskAttemptStarted",
        &["taskid", "taskType", "attemptId", "startTime", "trackerName", "httpPort", "shufflePort", "containerId"],
    ),
    (
        "TaskAttemptUnsuccessfulCompletion",
        &["taskid", "taskType", "attemptId", "finishTime", "hostname", "port", "rackname", "status", "error"],
    ),
    ("TaskFailed", &["taskid", "taskType", "finishTime", "error", "failedDueToAttempt", "status"]),
    ("TaskFinished", &["taskid", "taskType", "finishTime", "status", "successfulAttemptId"]),
    ("TaskStarted", &["taskid", "taskType", "startTime", "splitLocations"]),
];
/// The types of the events that are written.
const TYPES: &[&str] = &[
    "AM_STARTED",
    "JOB_SUBMITTED",
    "JOB_INITED",
    "JOB_INFO_CHANGED",
    "JOB_FINISHED",
    "JOB_FAILED",
    "JOB_KILLED",
    "TASK_STARTED",
    "TASK_FINISHED",
    "TASK_FAILED",
    "MAP_ATTEMPT_STARTED",
    "MAP_ATTEMPT_FINISHED",
    "MAP_ATTEMPT_FAILED",
    "MAP_ATTEMPT_KILLED",
    "REDUCE_ATTEMPT_STARTED",
    "REDUCE_ATTEMPT_FINISHED",
    "REDUCE_ATTEMPT_FAILED",
    "REDUCE_ATTEMPT_KILLED",
];
const PACKAGE: &str = "org.apache.hadoop.mapreduce.jobhistory";

fn schema() -> Value {
    // The first that has counters says what they are.
    let mut counters = Some(counters_type());
    let mut field = |name: &&str| {
        let kind = match *name {
            "acls" => json!({"type": "map", "values": "string"}),
            "counters" => counters.take().unwrap_or_else(|| json!("JhCounters")),
            "failedDueToAttempt" => json!(["null", "string"]),
            "uberized" => json!("boolean"),
            name if name.ends_with("Time") => json!("long"),
            name if is_count(name) => json!("int"),
            _ => json!("string"),
        };
        json!({"name": name, "type": kind})
    };
    let records: Vec<Value> = RECORDS
        .iter()
        .map(|(name, fields)| json!({"type": "record", "name": name, "fields": fields.iter().map(&mut field).collect::<Vec<_>>()}))
        .collect();
    json!({"type": "record", "name": "Event", "namespace": PACKAGE, "fields": [
        {"name": "type", "type": {"type": "enum", "name": "EventType", "symbols": TYPES}},
        {"name": "event", "type": records},
    ]})
}

/// Fields that are numbers of 32 bits.
fn is_count(name: &str) -> bool {
    let of_job = ["total", "finished", "failed"]
        .iter()
        .any(|verb| name.strip_prefix(verb).is_some_and(|what| matches!(what, "Maps" | "Reduces")));
    of_job || name == "port" || name.ends_with("Port")
}

fn counters_type() -> Value {
    let array = |items: Value| json!({"type": "array", "items": items});
    let text = |name: &str| json!({"name": name, "type": "string"});
    let record = |name: &str, fields: Vec<Value>| json!({"type": "record", "name": name, "fields": fields});
    let counter =
        record("JhCounter", vec![text("name"), text("displayName"), json!({"name": "value", "type": "long"})]);
    let counts = json!({"name": "counts", "type": array(counter)});
    let group = record("JhCounterGroup", vec![text("name"), text("displayName"), counts]);
    record("JhCounters", vec![text("name"), json!({"name": "groups", "type": array(group)})])
}

struct Events(Vec<(Micros, String)>);

impl Events {
    fn say(&mut self, at: Micros, kind: &str, record: &str, fields: Value) {
        let mut event = serde_json::Map::new();
        event.insert(format!("{PACKAGE}.{record}"), fields);
        // Order of keys as the real files have it: the reader tells an event by its first key.
        let text = format!("{{\"type\":\"{kind}\",\"event\":{}}}", Value::Object(event));
        self.0.push((at, text));
    }
}

/// The file's name and text.
pub(super) fn text(view: &View<'_>, job: usize) -> (String, String) {
    let run = view.run;
    let row = &run.jobs[job];
    let id = run.job_id(row.number);
    let mut events = Events(Vec::new());
    let app = run.application_id(row.number).replacen("application", "appattempt", 1);
    let (submit, launch) = (run.ms(row.submitted), run.ms(row.launched));
    events.say(
        row.submitted + 1,
        "AM_STARTED",
        "AMStarted",
        json!({"applicationAttemptId": format!("{app}_000001"), "startTime": submit + 100, "containerId": run.container_id(row.number, 1),
            "nodeManagerHost": run.master(), "nodeManagerPort": 45454, "nodeManagerHttpPort": 8042}),
    );
    events.say(
        row.submitted + 2,
        "JOB_SUBMITTED",
        "JobSubmitted",
        json!({"jobid": id, "jobName": row.name, "userName": "hadoop", "submitTime": submit,
            "jobConfPath": format!("hdfs://{}:9000/tmp/hadoop-yarn/staging/hadoop/.staging/{id}/job.xml", run.master()), "acls": {}, "jobQueueName": "default"}),
    );
    events.say(
        row.launched,
        "JOB_INITED",
        "JobInited",
        json!({"jobid": id, "launchTime": launch, "totalMaps": row.maps.len(), "totalReduces": row.reduces.len(), "jobStatus": "INITED", "uberized": false}),
    );
    events.say(
        row.launched + 1,
        "JOB_INFO_CHANGED",
        "JobInfoChange",
        json!({"jobid": id, "submitTime": submit, "launchTime": launch}),
    );
    for task in row.maps.iter().chain(&row.reduces) {
        write_task(view, *task, row.launched, &mut events);
    }
    let finished = row.finished.unwrap_or(run.end);
    let done = |tasks: &[usize]| tasks.iter().filter(|t| run.tasks[**t].done.is_some()).count();
    let failed = |tasks: &[usize]| tasks.iter().map(|t| run.tasks[*t].failures).sum::<u32>();
    let (maps, reduces) = (done(&row.maps), done(&row.reduces));
    let status = match row.end {
        Some(End::Success) => "SUCCEEDED",
        Some(End::Failed) => "FAILED",
        _ => "KILLED",
    };
    if row.end == Some(End::Success) {
        let fields = json!({"jobid": id, "finishTime": run.ms(finished), "finishedMaps": maps, "finishedReduces": reduces,
            "failedMaps": failed(&row.maps), "failedReduces": failed(&row.reduces)});
        events.say(finished + 5, "JOB_FINISHED", "JobFinished", fields);
    } else {
        let fields = json!({"jobid": id, "finishTime": run.ms(finished), "finishedMaps": maps, "finishedReduces": reduces, "jobStatus": status});
        events.say(
            finished + 5,
            if status == "FAILED" { "JOB_FAILED" } else { "JOB_KILLED" },
            "JobUnsuccessfulCompletion",
            fields,
        );
    }
    events.0.sort_by_key(|(at, _)| *at);
    let mut out = format!("Avro-Json\n{}\n", schema());
    for (_, text) in &events.0 {
        out.push('\n');
        out.push_str(text);
        out.push('\n');
    }
    let name: String =
        row.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { "+".to_owned() }).collect();
    let file =
        format!("{id}-{submit}-hadoop-{name}-{}-{maps}-{reduces}-{status}-default-{launch}.jhist", run.ms(finished));
    (file, out)
}

const fn type_name(kind: Kind) -> &'static str {
    if matches!(kind, Kind::Reduce) { "REDUCE" } else { "MAP" }
}

fn write_task(view: &View<'_>, task: usize, created: Micros, events: &mut Events) {
    let run = view.run;
    let row = &run.tasks[task];
    let (id, kind) = (run.task_id(task), type_name(row.kind));
    let hosts: Vec<&str> = row.at.iter().map(|n| run.nodes[*n].name.as_str()).collect();
    events.say(
        created + 2,
        "TASK_STARTED",
        "TaskStarted",
        json!({"taskid": id, "taskType": kind, "startTime": run.ms(created), "splitLocations": hosts.join(",")}),
    );
    for attempt in &row.attempts {
        write_attempt(view, *attempt, &id, kind, events);
    }
    if let Some(at) = row.failed_at {
        let last = run.last_failure(row).map(|(attempt, error)| (run.attempt_id(attempt), error));
        let error = last.as_ref().map(|(id, error)| super::am::diagnostics(id, *error));
        let fields = json!({"taskid": id, "taskType": kind, "finishTime": run.ms(at), "error": error.unwrap_or_default(),
            "failedDueToAttempt": last.map(|(id, _)| json!({"string": id})), "status": "FAILED"});
        events.say(at + 3, "TASK_FAILED", "TaskFailed", fields);
    }
    if let (Some(at), Some(done)) = (row.done_at, row.done) {
        let fields = json!({"taskid": id, "taskType": kind, "finishTime": run.ms(at), "status": "SUCCEEDED", "successfulAttemptId": run.attempt_id(done)});
        events.say(at + 3, "TASK_FINISHED", "TaskFinished", fields);
    }
}

fn write_attempt(view: &View<'_>, attempt: usize, task: &str, kind: &str, events: &mut Events) {
    let run = view.run;
    let row = &run.attempts[attempt];
    let id = run.attempt_id(attempt);
    let host = &run.nodes[row.node].name;
    let number = run.jobs[run.tasks[row.task].job].number;
    events.say(
        row.launched,
        &format!("{kind}_ATTEMPT_STARTED"),
        "TaskAttemptStarted",
        json!({"taskid": task, "taskType": kind, "attemptId": id, "startTime": run.ms(row.launched), "trackerName": host, "httpPort": 8042, "shufflePort": 13562,
            "containerId": run.container_id(number, row.container)}),
    );
    let Some(at) = row.finished else { return };
    let finish = run.ms(at);
    if row.end == Some(End::Success) {
        let mut fields = json!({"taskid": task, "attemptId": id, "taskType": kind, "taskStatus": "SUCCEEDED", "finishTime": finish,
            "hostname": host, "port": 45454, "rackname": "/default-rack", "state": if kind == "MAP" { "map" } else { "reduce > reduce" }, "counters": counters(row, kind)});
        let phases = [
            ("mapFinishTime", row.worked.filter(|_| kind == "MAP")),
            ("shuffleFinishTime", row.shuffled),
            ("sortFinishTime", row.sorted),
        ];
        if let Value::Object(map) = &mut fields {
            map.extend(phases.into_iter().filter_map(|(name, at)| Some((name.to_owned(), json!(run.ms(at?))))));
        }
        let record = if kind == "MAP" { "MapAttemptFinished" } else { "ReduceAttemptFinished" };
        events.say(at + 1, &format!("{kind}_ATTEMPT_FINISHED"), record, fields);
    } else {
        let status = if row.end == Some(End::Failed) { "FAILED" } else { "KILLED" };
        unsuccessful(view, attempt, task, kind, (at, status, row.error), events);
    }
    if let Some((at, error)) = row.withdrawn {
        let status = if error == Error::LostNode { "KILLED" } else { "FAILED" };
        unsuccessful(view, attempt, task, kind, (at, status, Some(error)), events);
    }
}

fn unsuccessful(
    view: &View<'_>,
    attempt: usize,
    task: &str,
    kind: &str,
    end: (Micros, &str, Option<Error>),
    events: &mut Events,
) {
    let run = view.run;
    let (at, status, error) = end;
    let id = run.attempt_id(attempt);
    let error = error.map(|e| super::am::diagnostics(&id, e)).unwrap_or_default();
    let host = &run.nodes[run.attempts[attempt].node].name;
    let fields = json!({"taskid": task, "taskType": kind, "attemptId": id, "finishTime": run.ms(at), "hostname": host, "port": 45454,
        "rackname": "/default-rack", "status": status, "error": error});
    events.say(at + 1, &format!("{kind}_ATTEMPT_{status}"), "TaskAttemptUnsuccessfulCompletion", fields);
}

fn counters(row: &Attempt, kind: &str) -> Value {
    let count = |name: &str, value: f64| json!({"name": name, "displayName": name, "value": value as u64});
    let mut framework = vec![count("SPILLED_RECORDS", row.file_written / 100.0)];
    if kind == "REDUCE" {
        framework.push(count("REDUCE_SHUFFLE_BYTES", row.shuffle_bytes));
    }
    let files = vec![
        count("FILE_BYTES_READ", row.file_read),
        count("FILE_BYTES_WRITTEN", row.file_written),
        count("HDFS_BYTES_READ", row.hdfs_read),
        count("HDFS_BYTES_WRITTEN", row.hdfs_written),
    ];
    json!({"name": "COUNTERS", "groups": [
        {"name": "org.apache.hadoop.mapreduce.FileSystemCounter", "displayName": "File System Counters", "counts": files},
        {"name": "org.apache.hadoop.mapreduce.TaskCounter", "displayName": "Map-Reduce Framework", "counts": framework},
    ]})
}
