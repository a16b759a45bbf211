//! Verdicts about what peers cannot tell of one another: correlated, without evidence, of
//! another kind; each tripped and just missed on clusters made by hand.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::base::{FileId, NodeId, Place, Timestamp};
use oddnode::diagnosis::idle::NoEvidence;
use oddnode::diagnosis::kahuna_bb::KahunaBlackBox;
use oddnode::diagnosis::numbers::Setting;
use oddnode::diagnosis::verdict::{Finding, Reason, Verdict, decide};
use oddnode::diagnosis::{Baseline, Diagnosis, Numbers, Params, hardware};
use oddnode::model::{
    Capacity, Complaint, ComplaintKind, Coverage, FileInfo, Flow, FlowKind, Lanes, Metric, Node, Outcome, Sample,
    Samples, State, StateKind, States, Trace,
};
use oddnode::report::{self, Report, agreement};
use std::sync::Arc;

const PLACE: Place = Place { file: FileId(0), line: 1 };

/// Nodes, each with maps of the seconds given, one after another.
fn cluster(seconds: &[&[f64]]) -> Trace {
    let mut rows = Vec::new();
    for (node, durations) in (0..).map(NodeId).zip(seconds) {
        let mut start = Timestamp::default();
        for s in *durations {
            let end = start.plus_millis((s * 1000.0) as i64);
            let state = State::of(StateKind::Map, Some(node), end, PLACE);
            rows.push(State { start: Some(start), outcome: Some(Outcome::Success), ..state });
            start = end;
        }
    }
    let coverage = Coverage { format: Some("tasktracker".into()), understood: 1, ..Coverage::default() };
    Trace {
        files: vec![FileInfo {
            path: "a/log".into(),
            node: None,
            daemon_last: None,
            last_line: 0,
            coverage,
            issues: Vec::new(),
        }],
        nodes: (0..seconds.len()).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
        span: rows.iter().map(|s| s.end).max().map(|end| (Timestamp::default(), end)),
        states: States::from_rows(rows),
        ..Trace::default()
    }
}

/// Five nodes measured for five minutes; the level of a node at a second. A little noise
/// that no two seconds share.
fn measured(level: impl Fn(u32, i64) -> f64) -> Trace {
    let rows = (0..5_u32).flat_map(|node| {
        let level = &level;
        (0..300_i64).map(move |second| {
            let noise = |m: usize| ((node as i64 * 7919 + second * 104_729 + m as i64 * 1301) % 97) as f64 / 97.0;
            let values = std::array::from_fn::<f64, { Metric::ALL.len() }, _>(|m| {
                (level(node, second) * (m + 1) as f64 * (0.8 + 0.4 * noise(m)) * 100.0).round() / 100.0
            });
            Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
        })
    });
    Trace { samples: Samples::from_rows(rows.collect()), ..cluster(&[EVEN; 5]) }
}

const EVEN: &[f64] = &[10.0, 11.0, 9.0, 12.0, 10.5, 11.5];
const SLOW: &[f64] = &[30.0, 31.0, 29.0, 33.0, 30.5, 32.0];

/// All nodes pass through the same three phases.
fn phase(second: i64) -> f64 {
    [2.0, 8.0, 30.0][(second / 60 % 3) as usize]
}

#[test]
fn most_nodes_unlike_the_control_runs_are_correlated() {
    let controls = [measured(|_, s| phase(s)), measured(|_, s| phase(s + 90))];
    let baseline = Arc::new(Baseline::learn(&controls.iter().collect::<Vec<_>>(), &Params::default()));
    let said = |trace: &Trace, baseline: Option<Arc<Baseline>>| {
        let params = Params { baseline, ..Params::default() };
        decide(trace, &hardware::witnesses(&mut trace.clone(), &params, &|_| ()), &Params::default()).finding
    };
    let like_controls = measured(|_, s| phase(s + 30));
    assert_eq!(said(&like_controls, Some(Arc::clone(&baseline))), Finding::Clean);
    // All nodes far beyond anything that the control runs did, for most of the time.
    let alike = measured(|_, s| if s < 180 { 3000.0 } else { phase(s) });
    assert_eq!(said(&alike, Some(Arc::clone(&baseline))), Finding::None(Reason::Correlated));
    assert_eq!(said(&alike, None), Finding::Clean, "without control runs it cannot be told");
    // For less than half of the time it is no other behaviour of the whole.
    let brief = measured(|_, s| if s < 130 { 3000.0 } else { phase(s) });
    assert_eq!(said(&brief, Some(Arc::clone(&baseline))), Finding::Clean);
    // Two of five nodes are not most of them; here it is asked of the count alone.
    let witnesses = |odd: u32| {
        let trace = measured(|node, s| if node < odd { 3000.0 } else { phase(s) });
        let params = Params { baseline: Some(Arc::clone(&baseline)), ..Params::default() };
        KahunaBlackBox.run(&trace, &params)
    };
    assert!(!oddnode::diagnosis::correlated::correlated(&witnesses(2)));
    assert!(oddnode::diagnosis::correlated::correlated(&witnesses(3)));
}

/// What the methods come to, each kind of node compared with itself.
fn decided(trace: &Trace) -> (Verdict, Report) {
    let params = Params::default();
    let witnesses = hardware::witnesses(&mut trace.clone(), &params, &|_| ());
    let decided = decide(trace, &witnesses, &Params::default());
    let report = report::build(trace, &witnesses, &decided, &params);
    (decided, report)
}

#[test]
fn metrics_that_tell_each_node_from_most_others_have_no_majority() {
    // Each node behaves in a way of its own.
    let trace = measured(|node, _| [10.0, 13.0, 17.0, 22.0, 28.5][node as usize]);
    let (v, report) = decided(&trace);
    let of_profiles = report.witnesses.iter().find(|w| w.signal == "profiles of these logs").unwrap();
    let over = of_profiles.nodes.values().filter(|score| **score > of_profiles.threshold.unwrap()).count();
    assert_eq!((over, of_profiles.nodes.len()), (5, 5), "{of_profiles:?}");
    assert_eq!((of_profiles.abstained.as_deref(), of_profiles.indicted.len()), (Some("no-majority"), 0));
    assert!(of_profiles.strengths.is_empty());
    assert!(!matches!(v.finding, Finding::Indicted(_)), "{:?}", v.finding);
    let said = agreement::of(&report).into_iter().find(|say| say.method == "kahuna-bb").unwrap();
    assert!(said.abstains.iter().any(|why| why == "profiles of these logs (no majority)"), "{said:?}");
    assert_eq!(said.indicts, [""; 0]);
    // Where nothing else compares them, nobody is called well.
    let trace = Trace { states: States::default(), ..trace };
    let alone: Vec<_> = KahunaBlackBox.run(&trace, &Params::default()).into_iter().take(1).collect();
    assert_eq!(alone[0].indicted.len(), 5);
    let v = decide(&trace, &alone, &Params::default());
    assert_eq!((v.finding, v.without_majority), (Finding::None(Reason::NoMajority), vec![0]));
}

#[test]
fn node_that_did_nothing_is_no_evidence() {
    let trace = cluster(&[EVEN, EVEN, EVEN, EVEN, &[]]);
    let (v, report) = decided(&trace);
    assert_eq!((v.finding, v.no_evidence), (Finding::Clean, vec![(NodeId(4), NoEvidence::Idle)]));
    assert!(report.verdict.sentence.contains("among the 4 compared"), "{}", report.verdict.sentence);
    let words = report.no_evidence_in_words().unwrap();
    assert!(words.starts_with("Not judged: h4 (idle). "), "{words}");
    assert!(report.to_json().contains("\"no_evidence\": [\n    {\n      \"node\": \"h4\",\n      \"why\": \"idle\""));

    let complaint = Complaint {
        kind: ComplaintKind::Blacklisted,
        by: None,
        of: Some(NodeId(4)),
        at: Timestamp::default(),
        job: None,
        attempt: None,
        block: None,
        took_ms: None,
        place: PLACE,
    };
    let blacklisted = Trace { complaints: vec![complaint], ..trace.clone() };
    assert_eq!(decided(&blacklisted).0.no_evidence, [(NodeId(4), NoEvidence::Blacklisted)]);

    // One task, or one block moved, is something, and too little to be compared.
    let (v, report) = decided(&cluster(&[EVEN, EVEN, EVEN, EVEN, &[10.0]]));
    assert_eq!(v.no_evidence, [(NodeId(4), NoEvidence::TooFewData)]);
    assert!(report.verdict.sentence.contains("among the 4 compared"), "{}", report.verdict.sentence);
    let words = report.no_evidence_in_words().unwrap();
    assert!(words.starts_with("Not judged: h4. Too little was done there"), "{words}");
    assert_eq!(decided(&cluster(&[EVEN, EVEN, EVEN, EVEN, EVEN])).0.no_evidence, []);
    let flow = Flow::of(FlowKind::Read, Timestamp::default(), PLACE);
    let flow = Flow { src: Some(4), dest: Some(0), bytes: Some(1), ..flow };
    let moved = Trace { flows: Lanes::from_rows([flow]), ..trace };
    assert_eq!(decided(&moved).0.no_evidence, [(NodeId(4), NoEvidence::TooFewData)]);
    // Where nobody did anything, nobody is told apart.
    let (v, report) = decided(&cluster(&[&[], &[], &[]]));
    assert_eq!((v.finding, v.no_evidence), (Finding::None(Reason::Idle), vec![]));
    assert_eq!(report.no_evidence_in_words(), None);
}

/// Three fast nodes and then slow ones, with the memory given.
fn two_kinds(slow: usize, memory_mib: &[u64]) -> Trace {
    let seconds: Vec<&[f64]> = (0..3 + slow).map(|i| if i < 3 { EVEN } else { SLOW }).collect();
    let mut trace = cluster(&seconds);
    trace.capacities =
        (0..).map(NodeId).zip(memory_mib).map(|(n, m)| (n, Capacity { memory_mib: *m, vcores: 8 })).collect();
    trace
}

#[test]
fn nodes_are_compared_within_their_kind() {
    let groups = |trace: &Trace| hardware::kinds(trace, &Numbers::default()).iter().map(Vec::len).collect::<Vec<_>>();
    let (small, large) = (8_192, 16_384);
    assert_eq!(groups(&two_kinds(3, &[large, large, large, small, small, small])), [3, 3]);
    assert_eq!(groups(&two_kinds(3, &[large; 6])), [0; 0], "one kind");
    assert_eq!(groups(&two_kinds(2, &[large, large, large, small, small])), [2, 3], "two have no peers");
    assert_eq!(groups(&two_kinds(3, &[large, large, large, small, small])), [2, 3, 1], "one does not tell");
    assert_eq!(groups(&two_kinds(3, &[large, large, large, large, large])), [0; 0], "all that tell are alike");
    // What differs little from what differs little is of its kind too.
    assert_eq!(groups(&two_kinds(3, &[1000, 1000, 1000, 1200, 1300, 1550])), [0; 0]);
    let close = |memory_mib| groups(&two_kinds(3, &[1000, 1000, 1000, memory_mib, memory_mib, memory_mib]));
    assert_eq!(close(1249), [0; 0], "equal but for what was free at the start");
    assert_eq!(close(1250), [3, 3]);
    let as_one = Numbers::with(&[Setting::new("kinds_apart", 1000.0).unwrap()]);
    assert!(hardware::kinds(&two_kinds(3, &[large, large, large, small, small, small]), &as_one).is_empty());
    // What Hadoop 1 does not say is told by the processors that sysstat counts.
    let counted = |counts: &[u32]| {
        let processors = (0..).map(NodeId).zip(counts.iter().copied()).collect();
        groups(&Trace { processors, ..cluster(&[EVEN, EVEN, EVEN, SLOW, SLOW, SLOW]) })
    };
    assert_eq!(counted(&[8, 8, 8, 4, 4, 4]), [3, 3]);
    assert_eq!(counted(&[8, 8, 8, 4, 4]), [2, 3, 1], "one is not told");
    // What nodes offer tells kinds apart, and processors tell more of one of them.
    let processors = (0..).map(NodeId).zip([8, 8, 8, 8, 8, 4]).collect();
    let memory = two_kinds(3, &[large, large, large, small, small, small]);
    assert_eq!(groups(&Trace { processors, ..memory }), [1, 2, 3]);

    // Of four fast nodes and three slow ones the slow ones differ from the majority.
    let seconds = [EVEN, EVEN, EVEN, EVEN, SLOW, SLOW, SLOW];
    let mixed = cluster(&seconds);
    let indicted = |trace: &Trace| {
        let before = trace.clone();
        let mut trace = trace.clone();
        let witnesses = hardware::witnesses(&mut trace, &Params::default(), &|_| ());
        assert_eq!(before, trace, "nodes are peers again");
        let scored: usize = witnesses.iter().map(|w| w.scores.len()).sum();
        let mut nodes: Vec<u32> = witnesses.iter().flat_map(|w| &w.indicted).map(|i| i.node.0).collect();
        nodes.dedup();
        (scored, nodes)
    };
    let kinds = |trace: &Trace| {
        let memory = |i: u32| if i < 4 { large } else { small };
        let capacities = (0..7).map(|i| (NodeId(i), Capacity { memory_mib: memory(i), vcores: 8 })).collect();
        Trace { capacities, ..trace.clone() }
    };
    assert_eq!(indicted(&kinds(&mixed)), (7, vec![]), "each kind is even");
    // Two slow nodes of a kind of their own are told to be without peers, and not accused.
    let few = cluster(&[EVEN, EVEN, EVEN, EVEN, EVEN, SLOW, SLOW]);
    let capacity = |i: u32| Capacity { memory_mib: if i < 5 { large } else { small }, vcores: 8 };
    let few = Trace { capacities: (0..7).map(|i| (NodeId(i), capacity(i))).collect(), ..few };
    let (verdict, report) = decided(&few);
    assert_eq!(verdict.finding, Finding::Clean);
    assert_eq!(verdict.no_evidence, [(NodeId(5), NoEvidence::NoPeers), (NodeId(6), NoEvidence::NoPeers)]);
    assert!(report.no_evidence_in_words().unwrap().contains("Fewer than three nodes here are of that"));
    // A slow node of the fast kind stands out among its own.
    let odd = cluster(&[EVEN, EVEN, EVEN, SLOW, SLOW, SLOW, SLOW]);
    assert!(!indicted(&odd).1.contains(&3), "hidden among the slow kind");
    assert_eq!(indicted(&kinds(&odd)).1, [3]);
}
