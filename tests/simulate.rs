//! Simulated clusters: what is read back from their logs equals what they did, and the same
//! seed writes the same bytes.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod simulated;

use oddnode::base::{Code, NodeId};
use oddnode::diagnosis::Params;
use oddnode::diagnosis::mochi::without_checksums;
use oddnode::diagnosis::planned;
use oddnode::diagnosis::syscalls::{Bands, Hog, examine, statistical};
use oddnode::model::{ClockChoice, FlowKind, Outcome, StateKind, TaskType, Trace};
use oddnode::pipeline::analyse;
use oddnode::simulate::{self, End, Fault, Generation, Kind, Packing, Run, Spec, Workload};
use oddnode::states;
use simulated::{digest_of, packed, spec};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

fn trace_of(run: &Run) -> Trace {
    states::build(&digest_of(run), ClockChoice::default())
}

/// Every workload and fault at least once, in both generations, and what was read of each.
static VARIETY: LazyLock<Vec<(Run, Trace)>> = LazyLock::new(|| {
    let mut specs = Vec::new();
    for (i, fault) in Fault::ALL.into_iter().enumerate() {
        for generation in [Generation::One, Generation::Three] {
            specs.push(spec(Workload::ALL[i % 4], fault, generation));
            specs.push(Spec { speculation: true, strace: true, ..spec(Workload::Sort, fault, generation) });
        }
    }
    let read = |run: Run| {
        let trace = trace_of(&run);
        (run, trace)
    };
    specs.iter().map(simulate::run).map(read).collect()
});

#[test]
fn same_seed_same_bytes() {
    for generation in [Generation::One, Generation::Three] {
        let spec = spec(Workload::Sort, Fault::DiskHog, generation);
        let first = packed(&simulate::run(&spec), Packing::Gzip);
        assert_eq!(first, packed(&simulate::run(&spec), Packing::Gzip));
        let other = Spec { seed: 12, ..spec };
        assert_ne!(first, packed(&simulate::run(&other), Packing::Gzip));
    }
}

#[test]
fn every_line_is_understood() {
    for (run, trace) in &*VARIETY {
        for file in &trace.files {
            let name = format!("{:?}: {}", run.spec.fault, file.path);
            assert!(file.coverage.format.is_some(), "{name} was not recognised");
            assert_eq!(file.coverage.skipped, 0, "{name}");
            assert_eq!(file.coverage.lines, file.coverage.understood, "{name}");
            // What is under way when a trace is stopped has no end in it.
            let issues: Vec<_> = file.issues.iter().filter(|(code, ..)| *code != Code::CallWithoutEnd).collect();
            assert!(issues.is_empty(), "{name}: {issues:?}");
        }
    }
}

/// Milliseconds of a time of the model.
fn ms(run: &Run, at: u64) -> i64 {
    run.ms(at)
}

#[test]
fn task_states_are_those_that_ran() {
    for (run, trace) in &*VARIETY {
        let told = format!("{:?} {:?} {:?}", run.spec.fault, run.spec.workload, run.spec.generation);
        // Attempts that a log may leave out.
        let mut silent = BTreeSet::new();
        let mut made = BTreeMap::new();
        for (i, row) in run.attempts.iter().enumerate() {
            let kind = match run.tasks[row.task].kind {
                Kind::Map => StateKind::Map,
                Kind::Reduce => StateKind::Reduce,
                Kind::Setup | Kind::Cleanup => continue,
            };
            // A node that is gone writes nothing of what it is given; 0.20's master nothing of what it gives.
            let is_gone = run.nodes[row.node].crashed.is_some_and(|at| row.launched >= at);
            if is_gone || row.launched > run.end || row.error == Some(simulate::Error::JobEnded) {
                silent.insert(run.attempt_id(i));
                continue;
            }
            let outcome = row.end.map(|end| match end {
                End::Success => Outcome::Success,
                End::Failed => Outcome::Failed,
                End::Killed => Outcome::Killed,
            });
            let end = outcome.zip(row.finished.map(|at| ms(run, at)));
            made.insert(run.attempt_id(i), (row, kind, ms(run, row.launched), end));
        }
        let mut read = BTreeSet::new();
        for state in trace.states.iter().filter(|s| matches!(s.kind, StateKind::Map | StateKind::Reduce)) {
            let id = state.attempt.unwrap().to_string();
            let Some((row, kind, start, end)) = made.get(&id) else {
                assert!(silent.contains(&id), "{told}: nobody ran {id}");
                continue;
            };
            assert_eq!(state.kind, *kind, "{told} {id}");
            assert_eq!(trace.node_name(state.node.unwrap()), run.nodes[row.node].name, "{told} {id}");
            assert_eq!(state.start.unwrap().millis(), *start, "{told} {id}");
            // Of a task that threw 0.20's TaskTracker says nothing until the master orders it away; what was taken back
            // later ends then, as `JobHistoryParser` has it.
            let is_thrown = matches!(row.error, Some(simulate::Error::NoSpace | simulate::Error::Application));
            if is_thrown && run.spec.generation == Generation::One || row.withdrawn.is_some() {
                read.insert(id);
                continue;
            }
            // What a lost node had under way has no end of its own in any log.
            if state.outcome.is_some() || end.is_some_and(|(outcome, _)| outcome == Outcome::Success) {
                assert_eq!(state.outcome.map(|outcome| (outcome, state.end.millis())), *end, "{told} {id}");
            }
            read.insert(id);
        }
        let missing: Vec<&String> = made.keys().filter(|id| !read.contains(*id)).collect();
        assert!(missing.is_empty(), "{told}: {missing:?} of {}", made.len());
    }
}

#[test]
fn phases_counters_and_jobs_are_those_that_ran() {
    for generation in [Generation::One, Generation::Three] {
        let run = simulate::run(&spec(Workload::Pig, Fault::None, generation));
        let trace = trace_of(&run);
        assert_eq!(trace.jobs.len(), run.jobs.len());
        for (job, row) in trace.jobs.iter().zip(run.jobs.iter()) {
            assert_eq!(job.id.to_string(), run.job_id(row.number));
            assert_eq!(job.finish.map(|t| t.millis()), row.finished.map(|at| ms(&run, at)));
            assert_eq!(job.maps, Some(row.maps.len() as u32));
        }
        let by_id: BTreeMap<String, usize> = (0..run.attempts.len()).map(|i| (run.attempt_id(i), i)).collect();
        let mut reduces = 0;
        for task in trace.tasks.iter().filter(|t| t.task_type == TaskType::Reduce) {
            let row = &run.attempts[by_id[&task.id.to_string()]];
            assert_eq!(task.shuffle_end.map(|t| t.millis()), row.shuffled.map(|at| ms(&run, at)));
            assert_eq!(task.sort_end.map(|t| t.millis()), row.sorted.map(|at| ms(&run, at)));
            assert_eq!(task.counters.shuffle.get(), Some(row.shuffle_bytes as i64));
            reduces += 1;
        }
        assert_eq!(reduces, run.jobs.iter().map(|j| j.reduces.len()).sum::<usize>());
    }
}

#[test]
fn flows_are_those_that_went() {
    for generation in [Generation::One, Generation::Three] {
        let run = simulate::run(&spec(Workload::Sort, Fault::None, generation));
        let trace = trace_of(&run);
        let flows = |kind: FlowKind| {
            let mut out: Vec<(Option<u64>, i64)> =
                trace.flows.iter().filter(|f| f.kind == kind).map(|f| (f.bytes, f.end.millis())).collect();
            out.sort_unstable();
            out
        };
        let mut fetched: Vec<(Option<u64>, i64)> =
            run.fetches.iter().map(|f| (Some(f.bytes as u64), ms(&run, f.ended.unwrap()))).collect();
        fetched.sort_unstable();
        assert_eq!(flows(FlowKind::Shuffle), fetched);
        let mut written: Vec<(Option<u64>, i64)> = run
            .writes
            .iter()
            .flat_map(|w| &w.legs)
            .map(|leg| (Some(leg.bytes as u64), ms(&run, leg.ended.unwrap())))
            .collect();
        written.sort_unstable();
        assert_eq!(flows(FlowKind::Write), written);
        // A reader is sent four bytes of checksum for each 512.
        let mut read: Vec<(Option<u64>, i64)> =
            run.reads.iter().map(|r| (Some(r.bytes as u64), ms(&run, r.ended))).collect();
        read.sort_unstable();
        let data = |(bytes, at): (Option<u64>, i64)| (bytes.map(without_checksums), at);
        assert_eq!(flows(FlowKind::Read).into_iter().map(data).collect::<Vec<_>>(), read);
    }
}

#[test]
fn metrics_are_read_for_every_node_and_second() {
    let run = simulate::run(&spec(Workload::RandWriter, Fault::CpuHog, Generation::One));
    let trace = trace_of(&run);
    let mut seconds: BTreeMap<NodeId, BTreeSet<i64>> = BTreeMap::new();
    for row in trace.samples.iter() {
        assert!(seconds.entry(row.node).or_default().insert(row.at.millis() / 1000), "a second comes once");
    }
    assert_eq!(seconds.len(), run.nodes.len(), "every node");
    for of_node in seconds.values() {
        assert_eq!(of_node.len() as u64, run.end / 1_000_000);
        let (first, last) = (of_node.first().unwrap(), of_node.last().unwrap());
        assert_eq!((last - first + 1) as usize, of_node.len(), "none is left out");
    }
}

#[test]
fn crashed_node_says_nothing_more_and_its_work_is_done_elsewhere() {
    let run = simulate::run(&spec(Workload::Sort, Fault::Crash, Generation::One));
    let node = run.culprit.unwrap();
    let crashed = run.nodes[node].crashed.unwrap();
    assert_eq!(run.jobs[0].end, Some(End::Success), "the others finish it");
    let digest = digest_of(&run);
    let its = format!("{}/", run.nodes[node].name);
    let mut logs = 0;
    // Its system lives, and is measured.
    for (key, file) in digest.files().filter(|(key, _)| key.path.contains(&its) && !key.path.contains("/metrics.")) {
        let (_, last) = file.span.unwrap();
        assert!(last.millis() < ms(&run, crashed), "{} goes on until {last}", key.path);
        logs += 1;
    }
    assert!(logs > 2, "{logs} logs of {its}");
    for row in run.attempts.iter().filter(|a| a.node == node) {
        assert!(row.launched <= run.nodes[node].lost.unwrap_or(run.end), "nothing is given to a lost node");
        assert!(row.end != Some(End::Success) || row.finished.unwrap() <= crashed);
    }
    assert!(run.fetches.iter().any(|f| f.penalty_s > 0), "fetches from it are refused");
}

#[test]
fn application_bug_fails_its_job_on_many_nodes() {
    for generation in [Generation::One, Generation::Three] {
        let run = simulate::run(&spec(Workload::Pig, Fault::AppBug, generation));
        assert_eq!(run.jobs.iter().map(|j| j.end).collect::<Vec<_>>(), [Some(End::Failed)], "and its chain");
        assert_eq!(run.truth().node, None);
    }
}

/// Each fault of a node does there what its name says (K31), and nowhere else.
#[test]
fn faults_act_on_their_node_alone() {
    use simulate::Error::{NoSpace, NoSpaceAtStart, TimedOut};
    for generation in [Generation::One, Generation::Three] {
        let ran = |fault| simulate::run(&Spec { size: 1.0, ..spec(Workload::Sort, fault, generation) });
        for (fault, kind, errors) in [
            (Fault::DiskFull, None, &[NoSpace, NoSpaceAtStart][..]),
            (Fault::Hang1036, Some(Kind::Map), &[TimedOut]),
            (Fault::Hang1152, Some(Kind::Reduce), &[TimedOut]),
            (Fault::Hang2080, Some(Kind::Reduce), &[TimedOut]),
        ] {
            let run = ran(fault);
            let ill: Vec<_> =
                run.attempts.iter().filter(|a| a.error.is_some_and(|error| errors.contains(&error))).collect();
            assert!(!ill.is_empty(), "{fault:?} {generation:?}");
            for attempt in ill {
                assert_eq!(Some(attempt.node), run.culprit, "{fault:?} {generation:?}");
                assert!(kind.is_none_or(|kind| run.tasks[attempt.task].kind == kind), "{fault:?} {generation:?}");
                assert!(attempt.finished >= run.fault_at, "{fault:?} {generation:?}");
            }
        }
        for (fault, loss) in [(Fault::PacketLoss1, 0.01), (Fault::PacketLoss5, 0.05), (Fault::PacketLoss50, 0.5)] {
            let run = ran(fault);
            let of_nodes: Vec<f64> = run.nodes.iter().map(|node| node.loss).collect();
            let mut wanted = vec![0.0; run.nodes.len()];
            wanted[run.culprit.unwrap()] = loss;
            assert_eq!(of_nodes, wanted, "{generation:?}");
        }
        for fault in [Fault::CpuHog, Fault::DiskHog] {
            let run = ran(fault);
            // Maps that began under the fault: there, and elsewhere.
            let mean_s = |there: bool| {
                let maps = run.attempts.iter().filter(|a| {
                    run.tasks[a.task].kind == Kind::Map
                        && (Some(a.node) == run.culprit) == there
                        && Some(a.launched) > run.fault_at
                        && a.end == Some(End::Success)
                });
                let lengths: Vec<f64> = maps.filter_map(|a| Some((a.finished? - a.launched) as f64 / 1e6)).collect();
                lengths.iter().sum::<f64>() / lengths.len() as f64
            };
            assert!(
                mean_s(true) > 1.15 * mean_s(false),
                "{fault:?} {generation:?}: {} {}",
                mean_s(true),
                mean_s(false)
            );
        }
        let run = ran(Fault::Skew);
        let shuffled = |index: Option<u32>| {
            let reduces = run.attempts.iter().filter(|a| {
                run.tasks[a.task].kind == Kind::Reduce && index.is_none_or(|i| run.tasks[a.task].index == i)
            });
            reduces.map(|a| a.shuffle_bytes).sum::<f64>()
        };
        assert!(shuffled(Some(0)) > 0.5 * shuffled(None), "{generation:?}");
    }
}

/// A fault begins within its jobs, however short they are, and 3.x gives an unwell node nothing more.
#[test]
fn faults_begin_in_time_and_unwell_nodes_rest() {
    for seed in 1..4 {
        let short = Spec { nodes: 3, size: 0.1, seed, ..spec(Workload::RandWriter, Fault::CpuHog, Generation::Three) };
        let truth = simulate::run(&short).truth();
        assert!(truth.node.is_some());
        assert!(truth.fault_begin_ms.is_some_and(|at| truth.begin_ms < at && at < truth.end_ms), "{truth:?}");

        let full = Spec { nodes: 6, seed, ..spec(Workload::Pig, Fault::DiskFull, Generation::Three) };
        let run = simulate::run(&full);
        let unwell = run.notices.iter().find(|(_, _, notice)| *notice == simulate::Notice::Unhealthy);
        let Some((at, node, _)) = unwell else { panic!("seed {seed}: its disk is full, and nobody says so") };
        assert_eq!(Some(*node), run.culprit);
        assert!(run.attempts.iter().all(|a| a.node != *node || a.assigned <= *at), "seed {seed}");
    }
}

/// What had ended before its node died, but was not yet told of, is not ended again (K20).
#[test]
fn ends_before_a_crash_stay_where_they_were() {
    let mut untold = 0;
    for seed in 1..12 {
        let crashed = Spec { nodes: 6, seed, ..spec(Workload::Pig, Fault::Crash, Generation::One) };
        let run = simulate::run(&crashed);
        let node = run.culprit.unwrap();
        let at = run.nodes[node].crashed.unwrap();
        for row in run.attempts.iter().filter(|a| a.node == node) {
            let ended_before = row.finished.is_some_and(|finished| finished <= at);
            assert!(ended_before || row.end != Some(End::Success), "seed {seed}");
            untold += usize::from(ended_before && row.reported.is_none());
        }
    }
    assert!(untold > 0, "no seed has one");
}

/// Hands the whole way: what an operator would be told of plain faults.
#[test]
fn plain_faults_are_named_and_a_healthy_cluster_is_not() {
    for generation in [Generation::One, Generation::Three] {
        for (fault, cause) in [(Fault::None, None), (Fault::Crash, Some("crashed")), (Fault::Hang2080, Some("hang"))] {
            let run = simulate::run(&Spec { nodes: 8, size: 1.0, ..spec(Workload::Sort, fault, generation) });
            let report = analyse(&digest_of(&run), &Params::default()).report;
            let said: Vec<(&str, &str)> =
                report.verdict.culprits.iter().map(|c| (c.node.as_str(), c.cause.as_str())).collect();
            let truth = run.truth();
            let expected: Vec<(&str, &str)> = truth.node.as_deref().zip(cause).into_iter().collect();
            assert_eq!(said, expected, "{fault:?} {generation:?}");
        }
    }
}

/// Who is idle, tried the skewed task, or wrote through a lossy node is not at fault.
#[test]
fn bystanders_are_not_accused() {
    let seed = 3_000_019;
    let rivals = |fault| Spec {
        speculation: true,
        seed,
        nodes: 10,
        size: 1.0,
        ..spec(Workload::Sort, fault, Generation::Three)
    };
    let lossy =
        Spec { seed: 1_000_013, nodes: 10, size: 1.0, ..spec(Workload::Nutch, Fault::PacketLoss50, Generation::Three) };
    for spec in [rivals(Fault::PacketLoss5), rivals(Fault::Skew), lossy] {
        let run = simulate::run(&spec);
        let report = analyse(&digest_of(&run), &Params::default()).report;
        let truth = run.truth();
        let others = report.verdict.culprits.iter().filter(|c| Some(&c.node) != truth.node.as_ref()).count();
        assert_eq!(others, 0, "{:?}: {}", spec.fault, report.verdict.sentence);
    }
}

#[test]
fn calls_are_those_of_the_transfers() {
    for generation in [Generation::One, Generation::Three] {
        let run = simulate::run(&Spec { strace: true, ..spec(Workload::Sort, Fault::None, generation) });
        let trace = trace_of(&run);
        // Connects: to read a block, to write one, from node to node of its pipeline, to fetch an output.
        let pipelines: usize = run.writes.iter().map(|w| w.legs.len()).sum();
        let connects = run.reads.len() + pipelines + run.fetches.len();
        let called = |names: &[&str]| trace.calls.iter().filter(|c| names.contains(&c.name)).count();
        assert_eq!(called(&["connect"]), connects, "{generation:?}");
        let served = run.fetches.iter().filter(|f| f.good).count();
        assert_eq!(called(&["accept", "accept4"]), run.reads.len() + pipelines + served, "{generation:?}");
        let spawned = run.attempts.iter().filter(|a| a.spawned.is_some()).count();
        assert_eq!((called(&["execve"]), called(&["bind"])), (spawned, spawned), "{generation:?}");
        assert_eq!(trace.calls.nodes().len(), run.nodes.len());
    }
}

#[test]
fn system_calls_name_the_hogged_node() {
    let traced = |fault, generation, seed| {
        simulate::run(&Spec { strace: true, size: 1.0, seed, ..spec(Workload::Sort, fault, generation) })
    };
    for generation in [Generation::One, Generation::Three] {
        let controls: Vec<Trace> = (21..24).map(|seed| trace_of(&traced(Fault::None, generation, seed))).collect();
        let bands = Bands::learn(&controls.iter().collect::<Vec<_>>());
        let found = |fault, seed| {
            let run = traced(fault, generation, seed);
            let trace = trace_of(&run);
            let examined = examine(&trace, &Params::default(), Some(&bands)).unwrap();
            // The node that the decision rests on comes first in the paper's set.
            let named = statistical::diagnose(&trace, &examined).found;
            let named = named.and_then(|(hog, nodes)| Some((hog?, trace.node_name(nodes[0]).to_owned())));
            (named, run.culprit.map(|node| run.nodes[node].name.clone()))
        };
        for (fault, hog) in [(Fault::DiskHog, Hog::Disk), (Fault::PacketLoss50, Hog::Network)] {
            let (named, culprit) = found(fault, 31);
            assert_eq!(named, Some((hog, culprit.unwrap())), "{fault:?} {generation:?}");
        }
        assert_eq!(found(Fault::None, 32).0, None, "{generation:?}");
    }
}

/// How long a trace's first job took, in milliseconds.
fn took(trace: &Trace) -> i64 {
    let job = &trace.jobs[0];
    job.finish.unwrap().millis_since(job.start.or(job.submit).unwrap())
}

#[test]
fn job_would_have_taken_about_what_it_takes_without_the_fault() {
    for generation in [Generation::One, Generation::Three] {
        let of_sort = |fault: Fault| {
            let run = simulate::run(&Spec { size: 1.0, ..spec(Workload::Sort, fault, generation) });
            let node = run.culprit.map(|node| run.nodes[node].name.clone());
            (trace_of(&run), node)
        };
        let healthy = took(&of_sort(Fault::None).0);
        for fault in [Fault::CpuHog, Fault::DiskHog, Fault::Hang1036, Fault::Crash] {
            let (trace, node) = of_sort(fault);
            let node = trace.nodes.iter().position(|n| Some(&n.name) == node.as_ref()).unwrap();
            let would = planned::without_fault(&trace, &trace.jobs[0], &BTreeSet::from([NodeId(node as u32)]));
            let Some(would) = would else {
                // What was lost with the node is done again, of which the plan knows nothing.
                assert_eq!((fault, generation), (Fault::Crash, Generation::Three));
                continue;
            };
            let (off, was_off) = ((would - healthy).abs(), (took(&trace) - healthy).abs());
            assert!(off * 100 <= healthy * 35, "{fault:?} {generation:?}: {would} for {healthy}");
            // A hog of the processor costs these jobs less than chance does.
            assert!(off < was_off || fault == Fault::CpuHog, "{fault:?} {generation:?}: {would} for {healthy}");
        }
    }
}
