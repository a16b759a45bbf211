//! Metrics may be compared elsewhere than all else: the report is the same to the byte. On simulated
//! clusters, and on the labelled runs where they are there.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod labelled;
mod simulated;

use labelled::{SETS, digest_of, runs};
use oddnode::diagnosis::{Method, Params, kahuna_bb};
use oddnode::model::Digest;
use oddnode::pipeline::{Measured, analyse, measure, prepare};
use oddnode::simulate::{self, Fault, Generation, Workload};
use serde_json::Value;

/// The digest of a simulated run with a processor hog.
fn hogged(generation: Generation) -> Digest {
    simulated::digest_of(&simulate::run(&simulated::spec(Workload::Sort, Fault::CpuHog, generation)))
}

/// Metrics compared by another, who sends what it found; whether it says anything.
fn compared_elsewhere(digest: &Digest, params: &Params) -> bool {
    let alone = analyse(digest, params);
    let sent = postcard::to_stdvec(&measure(digest, params)).unwrap();
    let measured: Measured = postcard::from_bytes(&sent).unwrap();
    let together = prepare(digest, params, &|_| ()).finish(digest, Some(measured), &|_| ());
    assert_eq!(together.report.to_json(), alone.report.to_json());
    assert_eq!(together.witnesses, alone.witnesses, "what views draw is the same too");
    assert!(together.trace == alone.trace, "two halves make the whole trace");
    let unhelped = prepare(digest, params, &|_| ()).finish(digest, None, &|_| ());
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
    let measured = runs::<Value>(&SETS)
        .iter()
        .filter(|(_, archive)| compared_elsewhere(&digest_of(archive), &Params::default()))
        .count();
    println!("{measured} runs with metrics");
}
