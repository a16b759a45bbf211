use super::*;
use crate::base::Timestamp;
use crate::format::tests::{read, rows};
use crate::model::{AttemptRecord, Event, Outcome};

const START: &str = "MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_1_0001_m_000000_0\" START_TIME=\"5\" \
                     TRACKER_NAME=\"tracker_n1\\.lab:localhost/127\\.0\\.0\\.1:4\" .\n";

fn attempt(text: &str) -> Option<AttemptRecord> {
    rows(&JobHistoryV1, text).into_iter().find_map(|row| match row.event {
        Event::Attempt(record) => Some(*record),
        _ => None,
    })
}

fn end(fields: &str) -> String {
    format!("MapAttempt TASK_TYPE=\"MAP\" TASK_ATTEMPT_ID=\"attempt_1_0001_m_000000_0\" {fields}")
}

#[test]
fn value_may_hold_line_breaks_and_escapes() {
    let text = format!(
        "{START}{}",
        end("TASK_STATUS=\"FAILED\" FINISH_TIME=\"9\" HOSTNAME=\"n1\" ERROR=\"a \\\"b\\\"\\=c\\.\n\tat d\\.e\n\" .\n")
    );
    let record = attempt(&text);
    assert_eq!(record.as_ref().and_then(|r| r.error.as_deref()), Some("a \"b\"=c."));
    assert_eq!(record.and_then(|r| r.outcome), Some(Outcome::Failed));
    let digest = read(&JobHistoryV1, "x", text.as_bytes());
    assert_eq!((digest.lines, digest.skipped, digest.issues.is_empty()), (4, 0, true));
}

#[test]
fn line_of_a_value_that_looks_like_a_record_begins_none() {
    let error = "ERROR=\"a\nMapAttempt TASK_TYPE\\=\\\"MAP\\\" \\.\nb\" FINISH_TIME=\"9\" HOSTNAME=\"n1\" .\n";
    let text = format!("{START}{}", end(&format!("TASK_STATUS=\"FAILED\" {error}")));
    let record = attempt(&text).unwrap();
    assert_eq!((record.finish, record.outcome), (Some(Timestamp::from_millis(9)), Some(Outcome::Failed)));
    assert!(read(&JobHistoryV1, "x", text.as_bytes()).issues.is_empty());
}

#[test]
fn old_version_has_no_escapes() {
    let names = |text: &str| {
        let rows = rows(&JobHistoryV1, text).into_iter();
        let jobs = rows.filter_map(|row| match row.event {
            Event::Job(job) => Some((job.name?.to_string(), job.user?.to_string())),
            _ => None,
        });
        jobs.collect::<Vec<_>>()
    };
    let pair = |name: &str, user: &str| vec![(name.to_owned(), user.to_owned())];
    let v0 = "Job JOBID=\"job_200811092035_0001\" JOBNAME=\"a\\b c\" USER=\"dom\\u\" SUBMIT_TIME=\"5\"\n";
    assert_eq!(names(v0), pair("a\\b c", "dom\\u"));
    let backslash_last = v0.replace("a\\b c", "a\\");
    assert_eq!(names(&backslash_last), pair("a\\", "dom\\u"));
    let v1 = v0.replace("\"\n", "\" .\n");
    assert_eq!(names(&v1), pair("ab c", "domu"));
    assert_eq!(names(&format!("Meta VERSION=\"1\" .\n{v0}")), pair("ab c", "domu"));
}

#[test]
fn ids_of_before_018_are_attempts_too() {
    let old = START.replace("attempt_1_0001_m_000000_0", "task_0001_m_000000_0");
    assert_eq!(attempt(&old).map(|r| r.attempt.to_string()).as_deref(), Some("attempt_0001_m_000000_0"));
}

#[test]
fn tracker_is_the_host_of_an_attempt_without_end() {
    assert_eq!(attempt(START).and_then(|r| r.host).as_deref(), Some("n1.lab"));
}

#[test]
fn start_time_zero_is_no_time() {
    let record = attempt(&START.replace("\"5\"", "\"0\""));
    assert_eq!(record.map(|r| (r.start, r.start_line)), Some((None, 1)));
}

#[test]
fn cut_value_is_not_taken_for_a_shorter_one() {
    let text = format!("{START}{}", end("TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"1234"));
    assert_eq!(attempt(&text).map(|r| (r.outcome, r.finish)), Some((Some(Outcome::Success), None)));
    assert_eq!(read(&JobHistoryV1, "x", text.as_bytes()).issues.count(Code::CutRecord), 1);
}

#[test]
fn record_beyond_the_limit_is_told_where_it_begins() {
    let trace = |lines: usize| {
        let trace = "\tat a\\.b\\.C\\.d(C\\.java:1)\n".repeat(lines);
        format!("{START}{}", end(&format!("TASK_STATUS=\"FAILED\" ERROR=\"x\n{trace}\" FINISH_TIME=\"9\" .\n{START}")))
    };
    let told = |text: &str| {
        let issues = read(&JobHistoryV1, "x", text.as_bytes()).issues;
        issues.iter().map(|(code, count)| (code, count.lines.clone())).collect::<Vec<_>>()
    };
    let (short, long) = (trace(1000), trace(RECORD_BYTES / 20));
    assert_eq!(told(&short), []);
    assert_eq!(told(&long), [(Code::LineTooLong, vec![2])]);
    let read = |text: &str| attempt(text).map(|r| (r.outcome, r.error.as_deref().map(str::to_owned), r.finish));
    let (outcome, error, at) = (Some(Outcome::Failed), Some("x".to_owned()), Some(Timestamp::from_millis(9)));
    assert_eq!(read(&short), Some((outcome, error.clone(), at)));
    assert_eq!(read(&long), Some((outcome, error, None)), "what came before is kept");
}

#[test]
fn nothing_is_read_behind_the_gap_of_a_record_beyond_the_limit() {
    // The line that is left out ends one value and begins another.
    let gap = format!("\" COUNTERS=\"{}\n", "x".repeat(RECORD_BYTES));
    let text = format!("{START}{}", end(&format!("ERROR=\"a\n{gap}b\" FINISH_TIME=\"9\" .\n")));
    assert_eq!(attempt(&text).and_then(|r| r.finish), None);
    assert_eq!(read(&JobHistoryV1, "x", text.as_bytes()).issues.count(Code::LineTooLong), 1);
}

#[test]
fn record_after_a_cut_one_is_read() {
    let text = format!("{}{START}", end("ERROR=\"cut here\n"));
    assert_eq!(attempt(&text).and_then(|r| r.start), Some(Timestamp::from_millis(5)));
}

#[test]
fn later_end_replaces_an_earlier_one() {
    let done = end("TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"7\" HOSTNAME=\"/r/n1\" .\n");
    let lost = end("TASK_STATUS=\"KILLED\" FINISH_TIME=\"9\" HOSTNAME=\"n1\" .\n");
    let record = attempt(&format!("{START}{done}{lost}"));
    assert_eq!(record.and_then(|r| r.outcome), Some(Outcome::Killed));
}
