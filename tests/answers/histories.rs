//! Keys of job histories.

use super::{Answer, Case, Report, attempts, content, digest, jobs, ms, outcome, values};
use oddnode::base::Code;
use oddnode::model::FileDigest;
use serde_json::Value;
use std::collections::BTreeMap;

/// `.v1.json`: a stand-alone reader of the text history.
pub fn v1(case: &Case, report: &mut Report) {
    let digest = digest(&case.file);
    let (key, jobs) = (case.key(), jobs(&digest));
    let mut answers = BTreeMap::new();
    for job in key["jobs"].as_array().unwrap() {
        for a in job["attempts"].as_array().unwrap() {
            let outcome = a["status"].as_str().and_then(outcome);
            answers.insert(a["id"].as_str().unwrap().to_owned(), Answer { outcome, ..times(a) });
        }
        let fields = &job["job"];
        if fields.get("JOBID").is_none() {
            continue;
        }
        let ours = jobs.iter().find(|j| j.job.to_string() == job["jobId"].as_str().unwrap()).unwrap();
        let n = |name: &str| fields[name].as_str().and_then(|text| text.parse::<i64>().ok());
        let status = fields["JOB_STATUS"].as_str().unwrap().to_lowercase();
        let times = [n("SUBMIT_TIME"), n("LAUNCH_TIME"), n("FINISH_TIME")];
        report.job(ours, times, &status, [n("TOTAL_MAPS"), n("TOTAL_REDUCES")]);
        report.same("job name", fields["JOBNAME"].as_str(), ours.name.as_deref());
        report.same("user", fields["USER"].as_str(), ours.user.as_deref());
    }
    report.attempts(&attempts(&digest), &answers);
    let cut = digest.issues.count(Code::CutRecord);
    report.same("records cut", key["recordsNotClosed"].as_u64(), Some(cut));
}

/// Host and times of an attempt in the stand-alone readers' keys.
fn times(a: &Value) -> Answer {
    Answer {
        host: a["host"].as_str().map(str::to_owned),
        start: ms(&a["start"]),
        shuffle: ms(&a["shuffle"]),
        sort: ms(&a["sort"]),
        finish: ms(&a["finish"]),
        outcome: None,
    }
}

/// `.events.json`: a stand-alone reader of jhist; also for the same history written anew
/// by Hadoop 3's binary writer.
pub fn events(case: &Case, report: &mut Report) {
    let key = case.key();
    events_of(&digest(&case.file), &key, report);
    let binary = case.file.parent().unwrap().join("binary").join(case.file.file_name().unwrap());
    if binary.is_file() {
        events_of(&digest(&binary), &key, report);
    }
}

fn events_of(digest: &FileDigest, key: &Value, report: &mut Report) {
    let ours = attempts(digest);
    let mut answers = BTreeMap::new();
    for a in key["attempts"].as_array().unwrap() {
        let id = a["id"].as_str().unwrap();
        let end = a["end"].as_str().and_then(|end| end.rsplit('_').next()).unwrap_or_default();
        let finished = if end == "FINISHED" { "SUCCESS" } else { end };
        if let Some(record) = ours.get(id) {
            report.counters(record, &a["counters"]);
        }
        answers.insert(id.to_owned(), Answer { outcome: outcome(finished), ..times(a) });
    }
    report.attempts(&ours, &answers);
    let job = &key["job"];
    let status = match job["outcome"].as_str() {
        Some("JOB_FINISHED") => "success",
        Some("JOB_FAILED") => "failed",
        Some("JOB_KILLED") => "killed",
        _ => "running",
    };
    let times = [ms(&job["submitTime"]), ms(&job["launchTime"]), ms(&job["finishTime"])];
    let totals = [job["totalMaps"].as_i64(), job["totalReduces"].as_i64()];
    let ours = &jobs(digest)[0];
    report.job(ours, times, status, totals);
    report.same("job name", job["jobName"].as_str().filter(|n| !n.is_empty()), ours.name.as_deref());
    let events: i64 = key["events"].as_object().unwrap().values().filter_map(Value::as_i64).sum();
    let read = i64::try_from(digest.understood).unwrap();
    report.same("events read", true, read >= events + 2);
    report.same("lines skipped", key["badLines"].as_u64(), Some(digest.skipped));
}

/// `.trace.json` and Hadoop's own expected outputs: Rumen's reading of a history. Of a
/// trace itself: a plain walk over its JSON.
pub fn trace(case: &Case, report: &mut Report) {
    let digest = digest(&case.file);
    let (ours, ours_jobs) = (attempts(&digest), jobs(&digest));
    let mut answers = BTreeMap::new();
    for job in values(&content(&case.key)) {
        for list in ["mapTasks", "reduceTasks", "otherTasks"] {
            for a in job[list].as_array().into_iter().flatten().flat_map(|t| t["attempts"].as_array().unwrap()) {
                let Some(id) = a["attemptID"].as_str() else { continue };
                // Rumen leaves the escapes of the text history in host names.
                let host = a["hostName"].as_str().map(|h| h.replace('\\', ""));
                let answer = Answer {
                    host: host.and_then(|h| h.rsplit('/').next().map(str::to_owned)),
                    start: ms(&a["startTime"]),
                    shuffle: ms(&a["shuffleFinished"]),
                    sort: ms(&a["sortFinished"]),
                    finish: ms(&a["finishTime"]),
                    outcome: a["result"].as_str().and_then(outcome),
                };
                answers.insert(id.to_owned(), answer);
                let Some(record) = ours.get(id) else { continue };
                let c = record.counters;
                for (name, value) in [
                    ("hdfsBytesRead", c.hdfs_read),
                    ("hdfsBytesWritten", c.hdfs_written),
                    ("fileBytesRead", c.file_read),
                    ("fileBytesWritten", c.file_written),
                    ("mapOutputBytes", c.map_output),
                    ("mapOutputRecords", c.map_output_records),
                    ("reduceShuffleBytes", c.shuffle),
                    ("spilledRecords", c.spilled_records),
                ] {
                    report.same(&format!("{id} {name}"), a[name].as_i64().filter(|n| *n >= 0), value.get());
                }
            }
        }
        let ours = ours_jobs.iter().find(|j| Some(j.job.to_string().as_str()) == job["jobID"].as_str());
        report.same(job["jobID"].as_str().unwrap(), true, ours.is_some());
        if let Some(ours) = ours {
            let times = [ms(&job["submitTime"]), ms(&job["launchTime"]), ms(&job["finishTime"])];
            let status = job["outcome"].as_str().unwrap_or("running").to_lowercase();
            report.job(ours, times, &status, [job["totalMaps"].as_i64(), job["totalReduces"].as_i64()]);
        }
    }
    report.attempts(&ours, &answers);
}
