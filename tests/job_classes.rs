//! The classes of the jobs of the labelled runs: application, skew, infrastructure, none,
//! each with the rule that fired, beside what was done to the run.
//!
//! The data are those of `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::diagnosis::Params;
use oddnode::pipeline;
use oddnode::report::link;
use shared::{Run, SETS, digest_of};
use std::fmt::Write;

/// The class that a run's fault asks for.
fn asked(fault: &str) -> &'static str {
    match fault {
        "AppException" | "app-exception" => "application",
        "AppSkew" | "app-skew" => "skew",
        // Nothing of these shows in any log, as the truth itself says.
        "none" | "UserKill" | "AppStraggler" | "PacketLoss5" => "none",
        _ => "infrastructure",
    }
}

#[test]
fn labelled_runs_get_the_class_of_their_fault() {
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (run, archive) in shared::runs::<Run>(&SETS) {
        let report = pipeline::analyse(&digest_of(&archive), &Params::default()).report;
        assert!(link::encode(&report).fragment.len() <= link::MAX_CHARACTERS);
        let classes: Vec<&str> = report.jobs.iter().map(|j| j.class.as_str()).collect();
        let node = run.node.as_deref().unwrap_or("-");
        writeln!(table, "{:4} {:13} {node:5} {}", run.run, run.fault, classes.join(" ")).unwrap();
        for job in &report.jobs {
            writeln!(table, "     {}", job.rule).unwrap();
            for a in &job.advice {
                writeln!(table, "     - {} {}: {}", a.severity, a.rule, a.text).unwrap();
            }
        }
        let asked = asked(&run.fault);
        let is_right = |class: &&str| **class == *asked;
        // One of a chain's jobs may have been over before its fault could bite; of a healthy run none is blamed.
        let right = if asked == "none" { classes.iter().all(is_right) } else { classes.iter().any(is_right) };
        if !right || classes.is_empty() {
            wrong.push(format!("{} {}: {classes:?}", run.run, run.fault));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    if !table.is_empty() {
        insta::assert_snapshot!("classes_of_the_labelled_runs", table);
    }
}
