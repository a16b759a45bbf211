//! Keys of our own Hadoop 3 runs: Hadoop's JobHistoryParser.

use super::{Answer, Case, Report, attempts, content, digest, jobs, ms, outcome};
use oddnode::base::AttemptId;
use oddnode::model::{FileDigest, Outcome};
use std::collections::BTreeMap;
use std::io::Read;

/// `yNN.json`: the history inside the archive of the run; `big-binary.json.gz`: a file.
pub fn parser(case: &Case, report: &mut Report) {
    let key = case.key();
    let source = key["source"].as_str().unwrap();
    let digest = if case.file.is_dir() {
        digest(&case.file.join(format!("{source}.gz")))
    } else {
        let bytes = content(&case.file);
        let mut archive = tar::Archive::new(bytes.as_slice());
        let mut members = archive.entries().unwrap().map(Result::unwrap);
        let mut member = members.find(|m| m.path().unwrap().ends_with(source) && m.size() > 0).expect(source);
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).unwrap();
        crate::reading::read(source, &bytes).unwrap()
    };
    compare(&digest, &key, report);
}

fn compare(digest: &FileDigest, key: &serde_json::Value, report: &mut Report) {
    let ours = attempts(digest);
    let mut answers = BTreeMap::new();
    for a in key["tasks"].as_array().unwrap().iter().flat_map(|task| task["attempts"].as_array().unwrap()) {
        let id = a["id"].as_str().unwrap();
        if let Some(record) = ours.get(id) {
            report.counters(record, &a["counters"]);
        }
        let finish = ms(&a["finish"]);
        let outcome = a["status"].as_str().and_then(outcome);
        // JobHistoryParser sets a phase of a failed attempt to its finish.
        let mut phase = |name: &str, ours: Option<i64>| {
            let time = ms(&a[name]);
            let filled = outcome != Some(Outcome::Success) && time.is_some() && time == finish && ours.is_none();
            if filled {
                report.compared += 1;
                report.differs(format!("{id} {name} filled in by JobHistoryParser"));
            }
            time.filter(|_| !filled)
        };
        let record = ours.get(id).map(Answer::of);
        let answer = Answer {
            host: a["host"].as_str().filter(|h| !h.is_empty()).map(str::to_owned),
            start: ms(&a["start"]),
            shuffle: phase("shuffleFinish", record.as_ref().and_then(|r| r.shuffle)),
            sort: phase("sortFinish", record.as_ref().and_then(|r| r.sort)),
            finish,
            outcome,
        };
        answers.insert(id.to_owned(), answer);
    }
    report.attempts(&ours, &answers);
    let status = match key["status"].as_str() {
        Some("SUCCEEDED") => "success",
        Some("FAILED" | "ERROR") => "failed",
        Some("KILLED") => "killed",
        _ => "running",
    };
    let times = [ms(&key["submit"]), ms(&key["launch"]), ms(&key["finish"])];
    report.job(&jobs(digest)[0], times, status, [key["maps"].as_i64(), key["reduces"].as_i64()]);
    assert!(answers.keys().all(|id| AttemptId::parse(id.as_bytes()).is_some()));
}
