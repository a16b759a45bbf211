//! Metrics may be compared elsewhere than all else: the report is the same to the byte. On simulated
//! clusters, and on the labelled runs where they are there.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;
mod simulated;

use oddnode::diagnosis::{Baseline, Method, Params, kahuna_bb};
use oddnode::model::Digest;
use oddnode::pipeline::{Ingest, Measured, analyse, measure, prepare};
use oddnode::simulate::{self, Fault, Generation, Workload};
use oddnode::source::Limits;
use oddnode::states::{self, Basis};
use serde_json::Value;
use shared::{SETS, digest_of, runs};
use std::path::Path;
use std::sync::Arc;

/// The digest of a simulated run with a processor hog.
fn hogged(generation: Generation) -> Digest {
    simulated::digest_of(&simulate::run(&simulated::spec(Workload::Sort, Fault::CpuHog, generation)))
}

/// Metrics compared by another, who sends what it found; how often they were, if that says anything.
fn compared_elsewhere(digest: &Digest, params: &Params) -> Option<usize> {
    let alone = analyse(digest, params);
    let mut measured: Vec<Measured> = Vec::new();
    let mut other = |basis: &Basis| {
        // Whoever does it has the metrics alone.
        let mut metrics = Digest::default();
        for part in digest.parts_of(states::is_metrics) {
            metrics.merge(Digest::decode(&part).unwrap());
        }
        for digest in [&metrics, digest] {
            let basis: Basis = postcard::from_bytes(&postcard::to_stdvec(basis).unwrap()).unwrap();
            let sent = postcard::to_stdvec(&measure(digest, params, basis)).unwrap();
            measured.push(postcard::from_bytes(&sent).unwrap());
        }
    };
    let prepared = prepare(digest, params, &|_| (), &mut other);
    let times = measured.len();
    assert!(measured.iter().all(|one| Some(one) == measured.first()), "all else in the digest makes no difference");
    let together = prepared.finish(digest, measured.pop(), &|_| ());
    assert_eq!(together.report.to_json(), alone.report.to_json());
    assert_eq!(together.witnesses, alone.witnesses, "what views draw is the same too");
    assert!(together.trace == alone.trace, "two halves make the whole trace");
    let unhelped = prepare(digest, params, &|_| (), &mut |_| ()).finish(digest, None, &|_| ());
    assert_eq!(unhelped.report.to_json(), alone.report.to_json(), "where the other does not come back");
    let compares = alone.witnesses.iter().any(|w| w.method == Method::KahunaBb && w.comparison.is_some());
    compares.then_some(times)
}

#[test]
fn report_of_two_who_share_the_work_is_that_of_one() {
    for generation in [Generation::One, Generation::Three] {
        let digest = hogged(generation);
        // By metrics alone, and beside all else.
        assert_eq!(compared_elsewhere(&digest, &Params::default()), Some(2));
        // Where clocks are mended, the metrics' times move too.
        assert_eq!(compared_elsewhere(&digest, &Params { fix_clocks: true, ..Params::default() }), Some(2));
        // To the letter they are compared by profiles of control runs alone.
        let literal = Params { learning: kahuna_bb::Learning::Literal, ..Params::default() };
        assert_eq!(compared_elsewhere(&digest, &literal), None);
        let control = Baseline::learn(&[&analyse(&digest, &literal).trace], &literal);
        let literal = Params { baseline: Some(Arc::new(control)), ..literal };
        assert_eq!(compared_elsewhere(&digest, &literal), Some(2));
    }
}

/// A job of short maps on four nodes, and one reduce that sorts for 200 s on a node whose processor is busy meanwhile.
fn with_a_long_sort() -> Digest {
    let begin_s = 1_262_595_600;
    let at = |seconds: i64| (begin_s + seconds) * 1000;
    let attempt = |kind: &str, letter: char, task: i64, node: i64, start: i64, rest: String| {
        let of = format!(
            "{kind}Attempt TASK_TYPE=\"{}\" TASKID=\"task_201001040900_0001_{letter}_{task:06}\" TASK_ATTEMPT_ID=\"attempt_201001040900_0001_{letter}_{task:06}_0\"",
            kind.to_uppercase()
        );
        let tracker = format!("tracker_n00{node}:localhost/127\\.0\\.0\\.1:48638");
        format!(
            "{of} START_TIME=\"{}\" TRACKER_NAME=\"{tracker}\" HTTP_PORT=\"50060\" .\n{of} TASK_STATUS=\"SUCCESS\" {rest} HOSTNAME=\"/default-rack/n00{node}\" STATE_STRING=\"\" COUNTERS=\"\" .\n",
            at(start)
        )
    };
    let mut history = format!(
        "Meta VERSION=\"1\" .\nJob JOBID=\"job_201001040900_0001\" JOBNAME=\"sorter\" USER=\"u\" SUBMIT_TIME=\"{}\" JOBCONF=\"\" .\n",
        at(10)
    );
    for task in 0..16 {
        let start = 12 + task / 4 * 6;
        history += &attempt("Map", 'm', task, task % 4 + 1, start, format!("FINISH_TIME=\"{}\"", at(start + 5)));
    }
    let phases = [("SHUFFLE_FINISHED", 40), ("SORT_FINISHED", 240), ("FINISH_TIME", 250)]
        .map(|(of, s)| format!("{of}=\"{}\"", at(s)));
    history += &attempt("Reduce", 'r', 0, 1, 14, phases.join(" "));
    history += &format!(
        "Job JOBID=\"job_201001040900_0001\" FINISH_TIME=\"{}\" JOB_STATUS=\"SUCCESS\" FINISHED_MAPS=\"16\" FINISHED_REDUCES=\"1\" .\n",
        at(252)
    );
    let mut ingest = Ingest::new(Limits::default());
    let mut read = |name: &str, text: &str| {
        ingest.start(name);
        ingest.feed(text.as_bytes());
        ingest.finish_input();
    };
    read("history/n000_1262595600000_job_201001040900_0001_u_sorter", &history);
    for node in 1..=4 {
        let mut text = String::from("# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n");
        for second in 1..300_i64 {
            let busy = if (12..36).contains(&second) { 60.0 } else { 4.0 };
            let user = if node == 1 && (42..240).contains(&second) { 72.0 } else { busy };
            let user = user + f64::from(((second * 7 + node * 3) % 10) as i32) / 5.0;
            text += &format!("n00{node};1;{};-1;{user:.2};0.00;2.00;0.00;0.00;{:.2}\n", begin_s + second, 98.0 - user);
        }
        read(&format!("n00{node}/metrics.sadf.txt"), &text);
    }
    ingest.into_digest()
}

#[test]
fn node_that_alone_sorts_is_busy_for_that_elsewhere_too() {
    assert_eq!(compared_elsewhere(&with_a_long_sort(), &Params::default()), Some(2));
}

#[test]
fn metrics_without_any_log_are_not_passed_on() {
    let mut digest = Digest::default();
    for (key, file) in hogged(Generation::One).into_files().filter(|(_, file)| states::is_metrics(file)) {
        digest.insert(key, file);
    }
    let mut none = |_: &Basis| panic!("who is a peer is known by the metrics themselves");
    let prepared = prepare(&digest, &Params::default(), &|_| (), &mut none);
    let report = prepared.finish(&digest, None, &|_| ()).report;
    assert_eq!(report.to_json(), analyse(&digest, &Params::default()).report.to_json());
}

#[test]
fn metrics_tell_who_is_a_peer_beside_logs_that_do_not() {
    for generation in [Generation::One, Generation::Three] {
        let mut digest = Digest::default();
        let masters = ["jobtracker", "namenode", "resourcemanager"];
        for (key, file) in hogged(generation).into_files() {
            if states::is_metrics(&file) || masters.contains(&file.format.as_str()) {
                digest.insert(key, file);
            }
        }
        assert!(digest.files().any(|(_, file)| !states::is_metrics(file)), "a master has a log");
        assert!(compared_elsewhere(&digest, &Params::default()).is_some());
        let trace = states::build(&digest, None);
        assert_eq!(trace.peer_nodes().count(), trace.nodes.len() - 1, "all but the masters' node");
    }
}

#[test]
fn a_copy_of_metrics_counts_once_elsewhere_too() {
    let mut digest = hogged(Generation::One);
    let copied: Vec<_> = hogged(Generation::One).into_files().filter(|(_, file)| states::is_metrics(file)).collect();
    for (mut key, file) in copied {
        key.path.insert_str(0, "a-copy/");
        digest.insert(key, file);
    }
    assert!(compared_elsewhere(&digest, &Params::default()).is_some());
}

#[test]
fn who_has_no_metrics_says_nothing() {
    let mut digest = Digest::default();
    for (key, file) in hogged(Generation::Three).into_files() {
        if !file.format.starts_with("sa") {
            digest.insert(key, file);
        }
    }
    assert_eq!(compared_elsewhere(&digest, &Params::default()), None);
}

#[test]
fn labelled_runs_say_the_same() {
    let runs = runs::<Value>(&SETS);
    let has_metrics = |archive: &Path| compared_elsewhere(&digest_of(archive), &Params::default()).is_some();
    let measured = runs.iter().filter(|(_, archive)| has_metrics(archive)).count();
    assert!(measured > 0 || runs.is_empty(), "no run has metrics");
}
