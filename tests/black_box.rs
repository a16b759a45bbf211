//! Kahuna's black box on the labelled runs that carry metrics: whom it indicts with
//! profiles of the archive itself, and with profiles of control runs (the paper's way; a
//! control run is left out of its own training).
//!
//! The data are those of `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::diagnosis::correlated::correlated;
use oddnode::diagnosis::kahuna_bb::{self, KahunaBlackBox};
use oddnode::diagnosis::{Baseline, Comparison, Diagnosis, Params, Witness};
use oddnode::model::{Trace, samples::SamplesBuilder};
use shared::{Run, digest_of};
use std::fmt::Write;
use std::sync::Arc;

fn runs() -> Vec<(Run, Trace)> {
    shared::runs::<Run>(&["hadoop1"])
        .into_iter()
        .map(|(run, archive)| (run, oddnode::states::build(&digest_of(&archive), None)))
        .collect()
}

/// The highest score with its node, `*` where it is indicted, and the next one.
fn said(trace: &Trace, witness: &Witness) -> String {
    let mut scores = witness.scores.clone();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mark = |node| if witness.indicted.iter().any(|i| i.node == node) { "*" } else { " " };
    let shown = scores.iter().take(2).map(|(n, t)| format!("{}{} {t:.2}", mark(*n), trace.node_name(*n)));
    format!("{} / {:.2}", shown.collect::<Vec<_>>().join(" "), witness.threshold.unwrap())
}

#[test]
fn black_box_names_the_faulty_node_or_none() {
    let runs = runs();
    if runs.is_empty() {
        return;
    }
    let mut table =
        String::from("run  fault         node  profiles of the archive        profiles of control runs       levels\n");
    let mut right = [0, 0, 0];
    for (run, trace) in &runs {
        let controls: Vec<&Trace> =
            runs.iter().filter(|(other, _)| other.fault == "none" && other.run != run.run).map(|(_, t)| t).collect();
        let black_box = kahuna_bb::learn_controls(&controls, &Params::default());
        let params =
            Params { baseline: Some(Arc::new(Baseline { black_box, ..Baseline::default() })), ..Params::default() };
        let witnesses = KahunaBlackBox.run(trace, &params);
        assert_eq!(witnesses.len(), 3);
        assert!(!correlated(&witnesses), "{}: its peers are like those of the control runs", run.run);
        if let Some(Comparison::System(c)) = &witnesses[1].comparison {
            let largest = c.nodes.iter().map(|node| node.unusual).fold(0.0, f64::max);
            println!(
                "{} {}: {largest:.2} of samples unusual, unlike from {:.2}",
                run.run,
                run.fault,
                c.unlike_from.unwrap()
            );
        }
        for (witness, right) in witnesses.iter().zip(&mut right) {
            let named: Vec<&str> = witness.indicted.iter().map(|i| trace.node_name(i.node)).collect();
            let truth = run.node.as_deref();
            assert!(named.iter().all(|n| Some(*n) == truth), "{}: {named:?} named, at fault is {truth:?}", run.run);
            *right += usize::from(!named.is_empty());
        }
        let [own, control, levels] = [0, 1, 2].map(|i| said(trace, &witnesses[i]));
        let node = run.node.as_deref().unwrap_or("-");
        writeln!(table, "{:4} {:13} {node:5} {own:30} {control:30} {levels}", run.run, run.fault).unwrap();
    }
    assert!(right[0] >= 8 && right[1] >= 7 && right[2] >= 6, "{right:?} right:\n{table}");
    insta::assert_snapshot!("black_box", table);
}

/// Every so many seconds a sample.
fn sparser(trace: &Trace, seconds: i64) -> Trace {
    let mut samples = SamplesBuilder::default();
    trace.samples.iter().filter(|s| s.at.millis() / 1000 % seconds == 0).for_each(|sample| samples.push(&sample));
    Trace { samples: samples.finish(), ..trace.clone() }
}

/// Half-life and windows are seconds, however often samples are taken.
#[test]
fn sparser_samples_name_the_same_nodes() {
    for (run, trace) in runs() {
        let is_hog = ["CPUHog", "DiskHog"].contains(&run.fault.as_str());
        for seconds in [5, 6, 8, 10] {
            let witnesses = KahunaBlackBox.run(&sparser(&trace, seconds), &Params::default());
            for witness in &witnesses {
                let named: Vec<&str> = witness.indicted.iter().map(|i| trace.node_name(i.node)).collect();
                println!("{} {} every {seconds} s, {}: {named:?}", run.run, run.fault, witness.signal.name());
                let truth = run.node.as_deref();
                assert!(named.iter().all(|n| Some(*n) == truth), "{}: {named:?} named, at fault is {truth:?}", run.run);
            }
            let is_named = witnesses.iter().any(|w| !w.indicted.is_empty());
            assert!(!is_hog || is_named, "{} every {seconds} s", run.run);
        }
        // One a minute, and sysstat's usual one in ten, are too few.
        let witnesses = KahunaBlackBox.run(&sparser(&trace, 60), &Params::default());
        assert!(witnesses.iter().all(|w| w.abstained.is_some() && w.indicted.is_empty()), "{}", run.run);
    }
}

/// 64 nodes, a day of seconds: 5.5 million vectors, of which one node's behave oddly for
/// the last hour. By hand: `cargo test --release --test black_box -- --ignored --nocapture`.
#[test]
#[ignore = "takes long; prints its time"]
fn a_day_of_64_nodes() {
    use oddnode::base::{NodeId, Timestamp};
    use oddnode::model::{Metric, Node, Sample};
    let begin = std::time::Instant::now();
    let mut state = 1_u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / 16_777_216.0
    };
    let mut samples = SamplesBuilder::default();
    for node in 0..64 {
        for second in 0..86_400_i64 {
            // All nodes pass through the same phases of ten minutes.
            let odd = node == 7 && second >= 82_800;
            let level = if odd { 30.0 } else { [2.0, 60.0, 15.0][(second / 600 % 3) as usize] };
            let values = std::array::from_fn::<f64, { Metric::ALL.len() }, _>(|m| {
                ((level * (m + 1) as f64 * (0.5 + noise())) * if odd && m == 2 { 900.0 } else { 100.0 }).round() / 100.0
            });
            samples.push(&Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values });
        }
    }
    let trace = Trace {
        nodes: (0..64).map(|i| Node { name: format!("h{i:02}"), is_peer: true }).collect(),
        samples: samples.finish(),
        ..Trace::default()
    };
    println!("made in {:?}", begin.elapsed());
    let begin = std::time::Instant::now();
    let witnesses = KahunaBlackBox.run(&trace, &Params::default());
    println!("{} vectors learned, classified and compared in {:?}", trace.samples.len(), begin.elapsed());
    let named: Vec<NodeId> = witnesses[0].indicted.iter().map(|i| i.node).collect();
    assert_eq!(named, [NodeId(7)]);
}
