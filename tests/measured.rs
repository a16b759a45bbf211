//! Metrics may be compared elsewhere than all else: the report is the same to the byte. On simulated
//! clusters, and on the labelled runs where they are there.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;
mod simulated;

use oddnode::diagnosis::{Method, Params, kahuna_bb};
use oddnode::model::Digest;
use oddnode::pipeline::{Measured, analyse, measure, prepare};
use oddnode::simulate::{self, Fault, Generation, Workload};
use oddnode::states::{self, Basis};
use serde_json::Value;
use shared::{SETS, digest_of, runs};
use std::path::Path;

/// The digest of a simulated run with a processor hog.
fn hogged(generation: Generation) -> Digest {
    simulated::digest_of(&simulate::run(&simulated::spec(Workload::Sort, Fault::CpuHog, generation)))
}

/// Metrics compared by another, who sends what it found; whether it says anything.
fn compared_elsewhere(digest: &Digest, params: &Params) -> bool {
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
    assert!(measured.iter().all(|one| Some(one) == measured.first()), "all else in the digest makes no difference");
    let together = prepared.finish(digest, measured.pop(), &|_| ());
    assert_eq!(together.report.to_json(), alone.report.to_json());
    assert_eq!(together.witnesses, alone.witnesses, "what views draw is the same too");
    assert!(together.trace == alone.trace, "two halves make the whole trace");
    let unhelped = prepare(digest, params, &|_| (), &mut |_| ()).finish(digest, None, &|_| ());
    assert_eq!(unhelped.report.to_json(), alone.report.to_json(), "where the other does not come back");
    alone.witnesses.iter().any(|w| w.method == Method::KahunaBb && w.comparison.is_some())
}

#[test]
fn report_of_two_who_share_the_work_is_that_of_one() {
    for generation in [Generation::One, Generation::Three] {
        let digest = hogged(generation);
        assert!(compared_elsewhere(&digest, &Params::default()), "metrics are compared");
        // Where clocks are mended, the metrics' times move too.
        assert!(compared_elsewhere(&digest, &Params { fix_clocks: true, ..Params::default() }));
        let literal = kahuna_bb::Learning::Literal;
        assert!(compared_elsewhere(&digest, &Params { learning: literal, ..Params::default() }));
    }
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
        assert!(compared_elsewhere(&digest, &Params::default()));
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
    assert!(compared_elsewhere(&digest, &Params::default()));
}

#[test]
fn who_has_no_metrics_says_nothing() {
    let mut digest = Digest::default();
    for (key, file) in hogged(Generation::Three).into_files() {
        if !file.format.starts_with("sa") {
            digest.insert(key, file);
        }
    }
    assert!(!compared_elsewhere(&digest, &Params::default()));
}

#[test]
fn labelled_runs_say_the_same() {
    let runs = runs::<Value>(&SETS);
    let has_metrics = |archive: &Path| compared_elsewhere(&digest_of(archive), &Params::default());
    let measured = runs.iter().filter(|(_, archive)| has_metrics(archive)).count();
    assert!(measured > 0 || runs.is_empty(), "no run has metrics");
}
