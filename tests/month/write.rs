//! The month's jobs as Hadoop writes them: JobHistory of 0.20.2, and `.jhist` of 3.x as JSON.

use super::{Attempt, End, Job, Month};
use std::fmt::Write;

pub fn node(i: usize) -> String {
    format!("cloud{:02}", i + 1)
}

/// What the history of 0.20.2 escapes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if matches!(c, '"' | '=' | '.' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

impl Job {
    pub fn id(&self) -> String {
        format!("job_201210010000_{:04}", self.number)
    }

    /// The name of its history file.
    pub fn v1_name(&self) -> String {
        format!("jt_1349049600000_{}_{}_{}", self.id(), self.user, self.name)
    }

    pub fn jhist_id(&self) -> String {
        format!("job_1349049600000_{:04}", self.number)
    }

    fn setup_task(&self) -> u32 {
        self.maps + 1
    }

    fn in_order(&self) -> Vec<(i64, bool, &Attempt)> {
        let mut records: Vec<(i64, bool, &Attempt)> =
            self.attempts.iter().flat_map(|a| [(a.start_ms, false, a), (a.end_ms, true, a)]).collect();
        records.sort_by_key(|(at, end, a)| (*at, *end, a.letter, a.task, a.number));
        records
    }

    /// The history as text, version 1.
    pub fn v1(&self) -> String {
        let id = self.id();
        let status = match self.end {
            End::Success => "SUCCESS",
            End::Failed => "FAILED",
            End::Killed => "KILLED",
        };
        let mut out = String::from("Meta VERSION=\"1\" .\n");
        let _ = writeln!(
            out,
            "Job JOBID=\"{id}\" JOBNAME=\"{}\" USER=\"{}\" SUBMIT_TIME=\"{}\" JOBCONF=\"hdfs://jt:9000/mapred/system/{id}/job\\.xml\" .",
            escaped(&self.name),
            self.user,
            self.submit_ms
        );
        if self.attempts.is_empty() {
            let _ = writeln!(
                out,
                "Job JOBID=\"{id}\" FINISH_TIME=\"{}\" JOB_STATUS=\"{status}\" FINISHED_MAPS=\"0\" FINISHED_REDUCES=\"0\" .",
                self.finish_ms
            );
            return out;
        }
        let _ = writeln!(
            out,
            "Job JOBID=\"{id}\" LAUNCH_TIME=\"{}\" TOTAL_MAPS=\"{}\" TOTAL_REDUCES=\"{}\" JOB_STATUS=\"PREP\" .",
            self.submit_ms + 400,
            self.maps,
            self.reduces
        );
        for (_, ends, a) in self.in_order() {
            let (record, kind, letter, task) = match a.letter {
                'r' => ("ReduceAttempt", "REDUCE", 'r', a.task),
                's' => ("MapAttempt", "SETUP", 'm', self.setup_task()),
                _ => ("MapAttempt", "MAP", 'm', a.task),
            };
            let task = format!("{}_{letter}_{task:06}", id.trim_start_matches("job_"));
            let _ = write!(
                out,
                "{record} TASK_TYPE=\"{kind}\" TASKID=\"task_{task}\" TASK_ATTEMPT_ID=\"attempt_{task}_{}\"",
                a.number
            );
            let host = node(a.node);
            let _ = match (ends, a.end) {
                (false, _) => write!(
                    out,
                    " START_TIME=\"{}\" TRACKER_NAME=\"tracker_{host}:localhost/127\\.0\\.0\\.1:{}\" HTTP_PORT=\"50060\"",
                    a.start_ms,
                    40_000 + a.node
                ),
                (true, End::Success) => write!(
                    out,
                    " TASK_STATUS=\"SUCCESS\"{} FINISH_TIME=\"{}\" HOSTNAME=\"/default-rack/{host}\" STATE_STRING=\"\" COUNTERS=\"{}\"",
                    if a.letter == 'r' {
                        format!(" SHUFFLE_FINISHED=\"{}\" SORT_FINISHED=\"{}\"", a.shuffle_ms, a.sort_ms)
                    } else {
                        String::new()
                    },
                    a.end_ms,
                    counters_v1(a)
                ),
                (true, end) => write!(
                    out,
                    " TASK_STATUS=\"{}\" FINISH_TIME=\"{}\" HOSTNAME=\"{host}\" ERROR=\"{}\"",
                    if end == End::Failed { "FAILED" } else { "KILLED" },
                    a.end_ms,
                    escaped(a.error.unwrap_or_default())
                ),
            };
            out.push_str(" .\n");
        }
        let _ = writeln!(
            out,
            "Job JOBID=\"{id}\" FINISH_TIME=\"{}\" JOB_STATUS=\"{status}\" FINISHED_MAPS=\"{}\" FINISHED_REDUCES=\"{}\" .",
            self.finish_ms, self.maps, self.reduces
        );
        out
    }

    /// The history as `.jhist`.
    pub fn jhist(&self) -> String {
        let id = self.jhist_id();
        let mut out = String::from(
            "Avro-Json\n{\"type\":\"record\",\"name\":\"Event\",\"namespace\":\"org.apache.hadoop.mapreduce.jobhistory\",\"fields\":[]}\n",
        );
        let mut event = |kind: &str, record: &str, fields: String| {
            let _ = writeln!(
                out,
                "{{\"type\":\"{kind}\",\"event\":{{\"org.apache.hadoop.mapreduce.jobhistory.{record}\":{{{fields}}}}}}}\n"
            );
        };
        event(
            "JOB_SUBMITTED",
            "JobSubmitted",
            format!(
                "\"jobid\":\"{id}\",\"jobName\":\"{}\",\"userName\":\"{}\",\"submitTime\":{},\"jobConfPath\":\"hdfs://jt/x\",\"acls\":{{}},\"jobQueueName\":\"{}\"",
                self.name, self.user, self.submit_ms, self.queue
            ),
        );
        if !self.attempts.is_empty() {
            event(
                "JOB_INITED",
                "JobInited",
                format!(
                    "\"jobid\":\"{id}\",\"launchTime\":{},\"totalMaps\":{},\"totalReduces\":{},\"jobStatus\":\"INITED\",\"uberized\":false",
                    self.submit_ms + 400,
                    self.maps,
                    self.reduces
                ),
            );
        }
        for (_, ends, a) in self.in_order() {
            let (kind, letter, task) = match a.letter {
                'r' => ("REDUCE", 'r', a.task),
                's' => ("MAP", 'm', self.setup_task()),
                _ => ("MAP", 'm', a.task),
            };
            let task = format!("{}_{letter}_{task:06}", id.trim_start_matches("job_"));
            let attempt = format!(
                "\"taskid\":\"task_{task}\",\"taskType\":\"{kind}\",\"attemptId\":\"attempt_{task}_{}\"",
                a.number
            );
            let host = node(a.node);
            match (ends, a.end) {
                (false, _) => event(
                    &format!("{kind}_ATTEMPT_STARTED"),
                    "TaskAttemptStarted",
                    format!(
                        "{attempt},\"startTime\":{},\"trackerName\":\"{host}\",\"httpPort\":8042,\"shufflePort\":13562,\"containerId\":\"container_1349049600000_{:04}_01_{:06}\"",
                        a.start_ms,
                        self.number,
                        a.task + 2
                    ),
                ),
                (true, End::Success) => {
                    let (record, parts) = if kind == "REDUCE" {
                        (
                            "ReduceAttemptFinished",
                            format!(",\"shuffleFinishTime\":{},\"sortFinishTime\":{}", a.shuffle_ms, a.sort_ms),
                        )
                    } else {
                        ("MapAttemptFinished", format!(",\"mapFinishTime\":{}", a.end_ms))
                    };
                    event(
                        &format!("{kind}_ATTEMPT_FINISHED"),
                        record,
                        format!(
                            "{attempt},\"taskStatus\":\"SUCCEEDED\"{parts},\"finishTime\":{},\"hostname\":\"{host}\",\"port\":45454,\"rackname\":\"/default-rack\",\"state\":\"\",\"counters\":{{\"name\":\"COUNTERS\",\"groups\":[{}]}}",
                            a.end_ms,
                            counters_jhist(a)
                        ),
                    );
                }
                (true, end) => event(
                    &format!("{kind}_ATTEMPT_{}", if end == End::Failed { "FAILED" } else { "KILLED" }),
                    "TaskAttemptUnsuccessfulCompletion",
                    format!(
                        "{attempt},\"finishTime\":{},\"hostname\":\"{host}\",\"port\":45454,\"rackname\":\"/default-rack\",\"status\":\"{}\",\"error\":\"{}\"",
                        a.end_ms,
                        if end == End::Failed { "FAILED" } else { "KILLED" },
                        a.error.unwrap_or_default()
                    ),
                ),
            }
        }
        match self.end {
            End::Success => event(
                "JOB_FINISHED",
                "JobFinished",
                format!(
                    "\"jobid\":\"{id}\",\"finishTime\":{},\"finishedMaps\":{},\"finishedReduces\":{},\"failedMaps\":0,\"failedReduces\":0",
                    self.finish_ms, self.maps, self.reduces
                ),
            ),
            end => {
                let status = if end == End::Failed { "FAILED" } else { "KILLED" };
                event(
                    &format!("JOB_{status}"),
                    "JobUnsuccessfulCompletion",
                    format!(
                        "\"jobid\":\"{id}\",\"finishTime\":{},\"finishedMaps\":0,\"finishedReduces\":0,\"jobStatus\":\"{status}\"",
                        self.finish_ms
                    ),
                );
            }
        }
        out
    }
}

fn numbers(a: &Attempt) -> Vec<(&'static str, &'static str, &'static str, i64)> {
    let (frame, files) = ("org.apache.hadoop.mapred.Task$Counter", "FileSystemCounters");
    let records = a.bytes / 100;
    if a.letter == 'm' {
        vec![
            (frame, "MAP_INPUT_RECORDS", "Map input records", records),
            (frame, "SPILLED_RECORDS", "Spilled Records", records),
            (frame, "MAP_OUTPUT_RECORDS", "Map output records", records),
            (frame, "MAP_OUTPUT_BYTES", "Map output bytes", a.bytes / 2),
            (files, "HDFS_BYTES_READ", "HDFS_BYTES_READ", a.bytes),
            (files, "FILE_BYTES_WRITTEN", "FILE_BYTES_WRITTEN", a.bytes / 2),
        ]
    } else {
        vec![
            (frame, "REDUCE_SHUFFLE_BYTES", "Reduce shuffle bytes", a.bytes),
            (frame, "REDUCE_INPUT_RECORDS", "Reduce input records", records),
            (files, "FILE_BYTES_READ", "FILE_BYTES_READ", a.bytes),
            (files, "FILE_BYTES_WRITTEN", "FILE_BYTES_WRITTEN", a.bytes),
            (files, "HDFS_BYTES_WRITTEN", "HDFS_BYTES_WRITTEN", a.bytes / 2),
        ]
    }
}

fn counters_v1(a: &Attempt) -> String {
    let all = numbers(a);
    let mut out = String::new();
    for (group, shown) in [
        ("org.apache.hadoop.mapred.Task$Counter", "Map-Reduce Framework"),
        ("FileSystemCounters", "FileSystemCounters"),
    ] {
        let _ = write!(out, "{{({})({shown})", escaped(group));
        for (_, name, display, value) in all.iter().filter(|(g, ..)| *g == group) {
            let _ = write!(out, "[({name})({display})({value})]");
        }
        out.push('}');
    }
    out
}

fn counters_jhist(a: &Attempt) -> String {
    let counts: Vec<String> = numbers(a)
        .iter()
        .map(|(_, name, display, value)| {
            format!("{{\"name\":\"{name}\",\"displayName\":\"{display}\",\"value\":{value}}}")
        })
        .collect();
    format!(
        "{{\"name\":\"org.apache.hadoop.mapreduce.TaskCounter\",\"displayName\":\"Map-Reduce Framework\",\"counts\":[{}]}}",
        counts.join(",")
    )
}

/// What the incidents did: the jobs that each touched.
pub fn touched(month: &Month, jobs: &[Job], incident: usize) -> usize {
    let sick = &month.sick[incident];
    jobs.iter()
        .filter(|j| {
            j.attempts.iter().any(|a| a.node == sick.node && a.start_ms >= sick.from_ms && a.start_ms < sick.to_ms)
        })
        .count()
}
