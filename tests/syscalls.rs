//! The syscall paper's evaluation on real traces and on generated ones of its own setting.
//!
//! Real: the runs of `data/hadoop1` that were traced (`tests/shared`).
//! Three kinds, compared with controls of the same kind only: rNN
//! under `strace -T` (one control), rNN under `strace -c` (one control), sNN (two controls).
//! A control is judged by the other controls of its kind; where it is the only one, there
//! is no baseline for it.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod shared;
mod traced;

use oddnode::diagnosis::syscalls::{Bands, Hog, Opinion, examine, semantic, statistical};
use oddnode::evaluation::syscalls::{SetMark, Tally};
use oddnode::model::Trace;
use oddnode::states;
use serde::Deserialize;
use shared::digest_of;
use std::fmt::Write;

#[derive(Deserialize)]
struct Truth {
    run: String,
    fault: String,
    node: Option<String>,
    parameters: serde_json::Value,
}

struct Run {
    truth: Truth,
    kind: String,
    trace: Trace,
}

fn runs() -> Vec<Run> {
    shared::runs::<Truth>(&["hadoop1"])
        .into_iter()
        .filter_map(|(truth, archive)| {
            let strace = truth.parameters["strace"].as_str()?.to_owned();
            let kind = format!("{}{}", &truth.run[..1], if strace == "count" { " -c" } else { "" });
            let trace = states::build(&digest_of(&archive), None);
            Some(Run { truth, kind, trace })
        })
        .collect()
}

/// Where the tables stand for readers.
const DOCS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/results/syscalls.md");

type Algorithm = fn(&Trace, &oddnode::diagnosis::syscalls::Examination) -> Opinion;
const ALGORITHMS: [(&str, Algorithm); 2] = [("statistical", statistical::diagnose), ("semantic", semantic::diagnose)];

fn hog_of(fault: &str) -> Hog {
    if fault.starts_with("Disk") { Hog::Disk } else { Hog::Network }
}

fn named(trace: &Trace, opinion: &Opinion) -> String {
    opinion.found.as_ref().map_or_else(
        || "nothing".to_owned(),
        |(hog, set)| {
            let names: Vec<&str> = set.iter().map(|n| trace.node_name(*n)).collect();
            format!("{} {}", hog.map_or("possibly faulty", Hog::name), names.join(" "))
        },
    )
}

#[test]
fn traced_runs_in_the_layout_of_table_1() {
    let runs = runs();
    if runs.is_empty() {
        return;
    }
    let docs = std::fs::read_to_string(DOCS).unwrap();
    let (mut out, mut broken) = (String::new(), Vec::new());
    for (name, algorithm) in ALGORITHMS {
        for (mode, literal) in [("default", false), ("literal", true)] {
            let mut tally = Tally::default();
            let mut told = String::new();
            for run in &runs {
                let is_control =
                    |r: &&Run| r.kind == run.kind && r.truth.fault == "none" && r.truth.run != run.truth.run;
                let controls: Vec<&Trace> = runs.iter().filter(is_control).map(|r| &r.trace).collect();
                let bands = Bands::learn_by(&controls, traced::reading(literal).syscalls);
                let e = examine(&run.trace, &traced::reading(literal), Some(&bands)).unwrap();
                let truth = run.truth.node.as_deref().map(|node| (node, hog_of(&run.truth.fault)));
                let opinion = e.abstained.is_none().then(|| algorithm(&run.trace, &e));
                let mark = traced::mark(&run.trace, opinion.as_ref(), truth);
                tally.add(&run.truth.fault, mark);
                let said = match (&opinion, e.abstained) {
                    (Some(opinion), _) => named(&run.trace, opinion),
                    (None, why) => why.map(|w| w.name().to_owned()).unwrap_or_default(),
                };
                writeln!(
                    told,
                    "{:4} {:13} {:5} {mark:?}: {said}",
                    run.truth.run,
                    run.truth.fault,
                    run.truth.node.as_deref().unwrap_or("-")
                )
                .unwrap();
                for step in opinion.iter().flat_map(|o| &o.path) {
                    writeln!(told, "       {step}").unwrap();
                }
                if !literal && mark == SetMark::FalsePositive {
                    broken.push(format!("{name}: {} {said}", run.truth.run));
                }
                if !literal && run.truth.run == "s05" && mark != SetMark::Success {
                    broken.push(format!("{name} does not find the loss of s05: {said}"));
                }
            }
            let table = format!("## {name}, {mode}\n{}", tally.to_text(name));
            assert!(docs.contains(&table), "{DOCS} lacks:\n{table}");
            writeln!(out, "{table}\n{told}").unwrap();
        }
    }
    println!("{out}");
    assert_eq!(broken, Vec::<String>::new());
    insta::assert_snapshot!("syscalls_on_traced_runs", out);
}
