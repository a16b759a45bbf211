//! Mochi on real runs: what the logs' transfers sum up to agrees with what the jobs counted
//! themselves, within 1 %, or the difference is told in words.
//!
//! The runs are those of `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::diagnosis::mochi::JobFlow;
use oddnode::diagnosis::mochi::balance::weigh;
use oddnode::diagnosis::mochi::critical::CriticalPath;
use oddnode::diagnosis::mochi::hints::{self, Hint};
use oddnode::diagnosis::mochi::paths::Paths;
use oddnode::model::{FlowKind, Trace};
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use oddnode::states;
use std::fmt::Write;
use std::path::PathBuf;

fn trace(paths: &[PathBuf]) -> Trace {
    let mut ingest = Ingest::new(Limits::default());
    for path in paths {
        ingest.start(path.file_name().unwrap().to_str().unwrap());
        ingest.feed(&std::fs::read(path).unwrap());
        ingest.finish_input();
    }
    states::build(&ingest.into_digest(), None)
}

fn archive(run: &str) -> Option<Trace> {
    Some(trace(&[shared::data(&format!("{run}.tar.gz"))?]))
}

/// Passages, rules and critical path of each job that has attempts.
fn told(name: &str, trace: &Trace, out: &mut String) {
    for job in &trace.jobs {
        let flow = JobFlow::of(trace, job.id);
        if flow.tasks.is_empty() {
            continue;
        }
        writeln!(out, "{name} {}", job.name.as_deref().unwrap_or("?")).unwrap();
        for weighed in weigh(trace, &flow) {
            writeln!(out, "  {}", weighed.words()).unwrap();
        }
        for ((kind, rule), share) in &flow.shares {
            writeln!(out, "  {} by {}: {} of {} bytes", kind.name(), rule.name(), share.transfers, share.bytes)
                .unwrap();
        }
        if let Some(path) = CriticalPath::of(trace, &flow) {
            writeln!(out, "  {}", path.sentence()).unwrap();
        }
        let paths = Paths::of(trace, &flow, CriticalPath::of(trace, &flow).as_ref());
        let sizes: Vec<String> = paths.groups.iter().map(|g| format!("{:.0}", g.weight)).collect();
        writeln!(
            out,
            "  {:.0} paths in groups of {} (silhouette {:.2})",
            paths.count,
            sizes.join(", "),
            paths.silhouette
        )
        .unwrap();
        for hint in hints::of(trace, &flow) {
            writeln!(out, "  hint: {}", hint.words(trace)).unwrap();
        }
    }
}

#[test]
fn transfers_agree_with_counters_on_healthy_sorts() {
    let mut out = String::new();
    let mut any = false;
    for run in ["hadoop1/r22", "hadoop1/s01", "hadoop1/r34", "hadoop1/r43", "hadoop3/y01", "hadoop3/y11"] {
        let Some(trace) = archive(run) else { continue };
        any = true;
        for job in &trace.jobs {
            let flow = JobFlow::of(&trace, job.id);
            for weighed in weigh(&trace, &flow) {
                assert_ne!(weighed.agrees(), Some(false), "{run} {}: {}", job.id, weighed.words());
            }
        }
        told(run, &trace, &mut out);
    }
    if let Some(folder) = shared::data("public/chukwa") {
        let trace = trace(&["ClientTrace.log", "JobHistory.log"].map(|name| folder.join(name)));
        let sorter = trace.jobs.iter().find(|j| j.name.as_deref() == Some("sorter")).unwrap();
        for weighed in weigh(&trace, &JobFlow::of(&trace, sorter.id)) {
            println!("chukwa: {}", weighed.words());
        }
        told("chukwa", &trace, &mut out);
    }
    println!("{out}");
    if any {
        insta::assert_snapshot!(out);
    }
}

/// All maps failed or were killed: what was written then the ApplicationMaster and the job's client wrote.
#[test]
fn no_block_is_written_by_tasks_that_wrote_none() {
    for run in ["hadoop3/y15", "hadoop3/y18", "hadoop3/y30"] {
        let Some(trace) = archive(run) else { continue };
        assert!(trace.flows.iter().any(|f| f.kind == FlowKind::Write && f.bytes.is_some()), "{run}");
        for job in &trace.jobs {
            let flow = JobFlow::of(&trace, job.id);
            assert_eq!(JobFlow::bytes(&flow.writes), 0, "{run} {}", job.id);
        }
    }
}

#[test]
fn no_run_is_told_of_a_constant_delay_that_it_has_not() {
    for set in ["hadoop1", "hadoop3"] {
        let Some(folder) = shared::data(set) else { continue };
        let mut runs: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        runs.retain(|p| p.to_str().is_some_and(|p| p.ends_with(".tar.gz")));
        assert!(!runs.is_empty(), "no run in {}", folder.display());
        runs.sort();
        for run in runs {
            let trace = trace(std::slice::from_ref(&run));
            for job in &trace.jobs {
                let flow = JobFlow::of(&trace, job.id);
                for hint in hints::of(&trace, &flow) {
                    println!("{} {}: {}", run.display(), job.id, hint.words(&trace));
                    assert!(!matches!(hint, Hint::ConstantDelay { .. }), "{}: {}", run.display(), hint.words(&trace));
                }
            }
        }
    }
}
