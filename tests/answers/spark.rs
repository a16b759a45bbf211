//! Keys of Spark's event logs: what its own history server answers.

use super::{Case, Report, attempts, content, digest, jobs};
use oddnode::base::Timestamp;
use oddnode::model::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;

/// Stages of the attempts, from the log's own plan of stages and jobs: job and place among
/// its stages, as our ids have them.
fn stages(bytes: &[u8]) -> BTreeMap<(u64, u64), u64> {
    let mut found = BTreeMap::new();
    for event in super::values(bytes).filter(|e| e["Event"] == "SparkListenerJobStart") {
        let mut ids: Vec<u64> = event["Stage IDs"].as_array().unwrap().iter().filter_map(Value::as_u64).collect();
        ids.sort_unstable();
        for (place, id) in (0..).zip(ids) {
            found.insert((event["Job ID"].as_u64().unwrap(), place), id);
        }
    }
    found
}

/// `*stage_list_json_expectation.json`: tasks by outcome, bytes, first launch of each stage.
pub fn stage_list(case: &Case, report: &mut Report) {
    let digest = digest(&case.file);
    let stage_of = stages(&content(&case.file));
    let mut done = BTreeMap::<u64, [u64; 3]>::new();
    let mut bytes = BTreeMap::<u64, [i64; 3]>::new();
    let mut first = BTreeMap::<u64, Timestamp>::new();
    for record in attempts(&digest).values() {
        let place = u64::from(record.attempt.task / 1_000_000);
        let stage = stage_of[&(u64::from(record.attempt.job.number), place)];
        let counts = done.entry(stage).or_default();
        match record.outcome {
            Some(Outcome::Success) => counts[0] += 1,
            Some(Outcome::Failed) => counts[1] += 1,
            _ => counts[2] += 1,
        }
        let c = record.counters;
        let sums = bytes.entry(stage).or_default();
        for (sum, value) in sums.iter_mut().zip([c.hdfs_read, c.hdfs_written, c.map_output]) {
            *sum += value.get().unwrap_or_default();
        }
        let start = record.start.unwrap();
        let earliest = first.entry(stage).or_insert(start);
        *earliest = start.min(*earliest);
    }
    for stage in case.key().as_array().unwrap() {
        let id = stage["stageId"].as_u64().unwrap();
        let n = |name: &str| stage[name].as_u64().unwrap();
        let key = [n("numCompleteTasks"), n("numFailedTasks"), n("numKilledTasks")];
        report.same(&format!("stage {id} tasks"), key, done[&id]);
        let b = |name: &str| stage[name].as_i64().unwrap();
        let key = [b("inputBytes"), b("outputBytes"), b("shuffleWriteBytes")];
        report.same(&format!("stage {id} bytes"), key, bytes[&id]);
        let launched = stage["firstTaskLaunchedTime"].as_str().unwrap().replace("GMT", "").replace('T', " ");
        let ours = first[&id].to_string().replace(',', ".");
        report.same(&format!("stage {id} first launch"), launched, ours);
    }
}

/// `application_list_json_expectation.json`: name, user and end of the applications whose
/// logs are there.
pub fn applications(case: &Case, report: &mut Report) {
    for app in case.key().as_array().unwrap() {
        let id = app["id"].as_str().unwrap();
        let Some(path) = crate::listed(&case.file).into_iter().find(|p| p.ends_with(id)) else { continue };
        let digest = digest(&path);
        let attempt = &app["attempts"][0];
        let span = digest.span.unwrap();
        let within = |name: &str| attempt[name].as_i64().unwrap();
        let inside = within("startTimeEpoch") <= span.0.millis() && span.1.millis() <= within("endTimeEpoch");
        report.same(&format!("{id} lies within its times"), true, inside);
        for job in jobs(&digest) {
            report.same(&format!("{} name", job.job), app["name"].as_str(), job.name.as_deref());
            report.same(&format!("{} user", job.job), attempt["sparkUser"].as_str(), job.user.as_deref());
        }
    }
}

/// `truth.json` of our own run: tasks of each stage, and the stage that is skewed.
pub fn truth(case: &Case, report: &mut Report) {
    let file = case.key()[0].clone();
    let path = case.file.join(file["file"].as_str().unwrap());
    let digest = digest(&path);
    let stage_of = stages(&content(&path));
    let mut tasks = BTreeMap::<u64, u64>::new();
    for record in attempts(&digest).values() {
        let place = u64::from(record.attempt.task / 1_000_000);
        *tasks.entry(stage_of[&(u64::from(record.attempt.job.number), place)]).or_default() += 1;
    }
    for (stage, text) in file["stages"].as_object().unwrap() {
        let side = text.as_str().unwrap();
        let count = side.split(", ").find_map(|part| part.strip_suffix(" tasks")?.parse::<u64>().ok());
        let id: u64 = stage.parse().unwrap();
        report.same(&format!("stage {id} tasks"), count, tasks.get(&id).copied());
    }
    let reduces = attempts(&digest).keys().filter(|id| id.contains("_r_")).count();
    report.same("tasks on the reduce side", 16, reduces);
}
