//! The labelled runs of real clusters (`data/hadoop1`, `data/hadoop3` of the shared
//! data): what the whole pipeline says of each, beside the truth.
//!
//! The data are those of `tests/shared`. The table is a snapshot, misses
//! included; above it stand the promises that no change may break. Behind each sureness stand the seconds from the fault's
//! begin to "since when" and the rule that named the cause.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::diagnosis::Params;
use oddnode::diagnosis::cause::Rule;
use oddnode::model::Digest;
use oddnode::pipeline;
use oddnode::report::{Culprit, JobRow, OutcomeKind, Report, file};
use oddnode::scene::peers;
use serde::Deserialize;
use shared::{Run, SETS, digest_of};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// A label with the times of its fault, where it has one.
#[derive(Deserialize)]
struct Labelled {
    #[serde(flatten)]
    of: Run,
    #[serde(alias = "fault_start_ms")]
    fault_begin_ms: Option<i64>,
    fault_end_ms: Option<i64>,
}

fn said(report: &Report, truth: &Labelled) -> String {
    let told = |c: &Culprit| {
        let late = c.since_ms.zip(truth.fault_begin_ms).map(|(since, begin)| format!("{:+} s", (since - begin) / 1000));
        let (late, rule) = (late.unwrap_or_else(|| "-".to_owned()), Rule::of_words(&c.because).unwrap());
        format!("{} {} {:.2} {late} {rule:?}", c.node, c.cause, c.sureness)
    };
    let culprits = report.verdict.culprits.iter().map(told);
    match report.verdict.outcome {
        OutcomeKind::Indicted => culprits.collect::<Vec<_>>().join(", "),
        OutcomeKind::Clean => "clean".to_owned(),
        OutcomeKind::NoVerdict => format!("no verdict: {}", report.verdict.reason.as_deref().unwrap_or_default()),
    }
}

#[test]
fn labelled_runs_get_the_right_verdict_or_none() {
    let runs = shared::runs::<Labelled>(&SETS);
    let mut table = String::new();
    for (label, archive) in &runs {
        let run = &label.of;
        let report = pipeline::analyse(&digest_of(archive), &Params::default()).report;
        let named: Vec<&str> = report.verdict.culprits.iter().map(|c| c.node.as_str()).collect();
        let truth = run.node.as_deref();
        assert!(named.iter().all(|n| Some(*n) == truth), "{}: {named:?} named, at fault is {truth:?}", run.run);
        for c in &report.verdict.culprits {
            // Not before its begin either, but for an attempt that was launched before a fault and is the first to show it.
            let since_ms = c.since_ms.unwrap();
            let is_over = label.fault_end_ms.is_some_and(|end_ms| since_ms > end_ms);
            assert!(!is_over, "{}: since {since_ms}, when the fault was over", run.run);
        }
        let cause = match run.fault.as_str() {
            "CPUHog" => Some("cpu"),
            "DiskHog" => Some("disk"),
            _ => None,
        };
        if let Some(cause) = cause {
            let found: Vec<&str> = report.verdict.culprits.iter().map(|c| c.cause.as_str()).collect();
            assert_eq!(found, [cause], "{}: {} on {truth:?}", run.run, run.fault);
        }
        writeln!(table, "{:4} {:13} {:5} {}", run.run, run.fault, truth.unwrap_or("-"), said(&report, label)).unwrap();
    }
    if !runs.is_empty() {
        insta::assert_snapshot!("labelled_runs", table);
    }
}

#[derive(Deserialize)]
struct Timed {
    run: String,
    node: Option<String>,
    #[serde(alias = "start_ms")]
    begin_ms: i64,
    fault_end_ms: Option<i64>,
}

/// Each run with a fault beside a later one of the same cluster without: where the fault is told to have passed, it is so to
/// ten seconds (as long as a histogram of profiles remembers it), and the later jobs are not blamed on it. Alone its fault lasts as
/// long as the logs do, and nobody says that it passed.
#[test]
fn fault_that_has_passed_is_told_with_its_end() {
    let runs: Vec<(Timed, _)> = shared::runs(&["hadoop1"]);
    let report = |archives: &[&PathBuf]| {
        let mut digest = Digest::default();
        archives.iter().for_each(|archive| digest.merge(digest_of(archive)));
        pipeline::analyse(&digest, &Params::default()).report
    };
    let mut told = Vec::new();
    for (run, archive) in runs.iter().filter(|(run, _)| run.node.is_some()) {
        let Some(end_ms) = run.fault_end_ms else { continue };
        assert!(report(&[archive]).verdict.culprits.iter().all(|c| c.until_ms.is_none()), "{}", run.run);
        let later = runs.iter().filter(|(other, _)| other.node.is_none() && other.begin_ms > end_ms);
        let Some((control, beside)) = later.min_by_key(|(other, _)| other.begin_ms) else { continue };
        let report = report(&[archive, beside]);
        for (c, until_ms) in report.verdict.culprits.iter().filter_map(|c| Some((c, c.until_ms?))) {
            assert!((until_ms - end_ms).abs() <= 10_000 + 1_000, "{}: {} ms", run.run, until_ms - end_ms);
            let blamed = |job: &&JobRow| job.start_ms > Some(control.begin_ms) && job.class == "infrastructure";
            assert_eq!(report.jobs.iter().filter(blamed).count(), 0, "{}: {}", run.run, c.sentence);
            told.push(run.run.clone());
        }
    }
    assert!(runs.is_empty() || told.len() >= 2, "{told:?}");
}

/// Two clusters dropped as one: each node is compared with its own peers, and found as it is alone.
#[test]
fn clusters_given_together_are_compared_apart() {
    let [first, second] = SETS.map(|set| shared::runs::<Run>(&[set]));
    for ((_, a), (_, b)) in first.iter().zip(second.iter().cycle()) {
        let report = |digest: &Digest| pipeline::analyse(digest, &Params::default()).report;
        let said = |report: &Report| -> BTreeSet<(String, String)> {
            report.verdict.culprits.iter().map(|c| (c.node.clone(), c.cause.clone())).collect()
        };
        let (mut both, other) = (digest_of(a), digest_of(b));
        let alone = [report(&both), report(&other)];
        both.merge(other);
        let both = report(&both);
        assert_eq!(said(&both), alone.iter().flat_map(said).collect(), "{a:?} {b:?}");
        let told = |report: &Report| report.issues.iter().filter(|i| i.code == "several-clusters").count();
        assert_eq!((told(&both), told(&alone[0]), told(&alone[1])), (1, 0, 0));
        assert!(file::open(both.to_json().as_bytes()).is_ok(), "{a:?} {b:?}");
        let shown = peers::of_report(&both, Some("h301"));
        assert!(shown.values().any(|(_, names)| names.contains(&String::from("h301"))));
    }
}

#[test]
fn digest_that_went_through_a_file_gives_the_same_report() {
    let Some((_, archive)) = shared::runs::<Run>(&SETS).into_iter().next() else { return };
    let digest = digest_of(&archive);
    let back = Digest::decode(&digest.encode()).unwrap();
    let report = |d: &Digest| pipeline::analyse(d, &Params::default()).report.to_json();
    assert_eq!(report(&digest), report(&back));
}
