use super::*;
use crate::report::{Culprit, Verdict, WitnessRow};

fn report(indicted: &[&str], outcome: OutcomeKind) -> Report {
    let culprits = indicted.iter().map(|node| Culprit { node: (*node).into(), ..Culprit::default() }).collect();
    Report { verdict: Verdict { outcome, culprits, ..Verdict::default() }, ..Report::default() }
}

fn marked(node: Option<&str>, indicted: &[&str], outcome: OutcomeKind) -> Mark {
    let truth = Truth { node: node.map(str::to_owned), ..Truth::default() };
    Mark::of(&truth, &report(indicted, outcome))
}

#[test]
fn verdicts_are_marked_against_the_label() {
    use OutcomeKind::{Clean, Indicted, NoVerdict};
    assert_eq!(marked(Some("a"), &["a"], Indicted), Mark::Hit);
    assert_eq!(marked(Some("a"), &["b", "a"], Indicted), Mark::HitAmongOthers);
    assert_eq!(marked(Some("a"), &["b"], Indicted), Mark::Wrong);
    assert_eq!(marked(Some("a"), &[], Clean), Mark::Miss);
    assert_eq!(marked(Some("a"), &[], NoVerdict), Mark::Abstained);
    assert_eq!(marked(None, &["b"], Indicted), Mark::False);
    assert_eq!(marked(None, &[], Clean), Mark::Quiet);
}

#[test]
fn each_of_several_faulty_nodes_is_right() {
    use OutcomeKind::{Clean, Indicted};
    let text = r#"{"run":"a14","fault":"CPUHog+DiskHog","node":["h103","h106"]}"#;
    let label = serde_json::from_str::<Truth>(text).unwrap();
    assert_eq!(label.node.as_deref(), Some("h103, h106"));
    for (named, mark, place) in [
        (&["h106", "h103"][..], Mark::Hit, Some(1)),
        (&["h103"], Mark::HitSome, Some(1)),
        (&["h101", "h106"], Mark::HitAmongOthers, Some(2)),
        (&["h101"], Mark::Wrong, None),
    ] {
        let scored = Scored::new(&label, &report(named, Indicted));
        assert_eq!((scored.mark, scored.rank), (mark, place), "{named:?}");
        let right = named.iter().filter(|node| **node != "h101").count();
        assert_eq!(scored.named(), (right, 2), "{named:?}");
    }
    assert_eq!(Mark::of(&label, &report(&[], Clean)), Mark::Miss);
    let nodes = [("h101", 0.3), ("h103", 0.2), ("h106", 0.9)].map(|(name, score)| (name.to_owned(), score)).into();
    let witness = WitnessRow { nodes, indicted: vec!["h106".into(), "h101".into()], ..WitnessRow::default() };
    let said = said(&witness, label.node.as_deref());
    assert_eq!((said.hit, said.others, said.score, said.largest_other), (true, 1, Some(0.9), Some(0.3)));
}

#[test]
fn a_label_names_a_node_with_its_domain_or_without() {
    use OutcomeKind::Indicted;
    let scored = |label: &str, nodes: &[&str], culprit: &str| {
        let nodes = nodes.iter().map(|name| (*name).to_owned()).collect();
        let truth = Truth { node: Some(label.to_owned()), ..Truth::default() };
        let report = Report { nodes, ..report(&[culprit], Indicted) };
        assert_eq!(Mark::of(&truth, &report), Scored::new(&truth, &report).mark);
        let Scored { mark, rank, node, .. } = Scored::new(&truth, &report);
        (mark, rank, node.unwrap())
    };
    let hit = |node: &str| (Mark::Hit, Some(1), node.to_owned());
    assert_eq!(scored("H103.example.com", &["h101", "h103"], "h103"), hit("h103"));
    assert_eq!(scored("h103", &["h101.example.com", "h103.example.com"], "h103.example.com"), hit("h103.example.com"));
    assert_eq!(scored("h103, h103.example.com", &["h103"], "h103"), hit("h103"), "one node, named twice");
    // One that fits several is none of them, unless it is one's whole name.
    let several = ["h103.a", "h103.b"];
    assert_eq!(scored("h103", &several, "h103.a"), (Mark::Wrong, None, "h103".to_owned()));
    assert_eq!(scored("h103", &["h103", "h103.a"], "h103"), hit("h103"));
}

#[test]
fn an_empty_name_labels_no_node() {
    for node in [r#""""#, r#"" , ""#, "[]", r#"[""]"#, "null"] {
        let label = format!(r#"{{"run":"r1","fault":"None","node":{node}}}"#);
        assert_eq!(serde_json::from_str::<Truth>(&label).unwrap().node, None, "{node}");
    }
}

#[test]
fn workloads_of_the_paper_are_known_however_they_are_written() {
    let workload = |text: &str| serde_json::from_str::<Truth>(text).unwrap().workload;
    assert_eq!(workload(r#"{"run":"r1","workload":"Sort","fault":"none","node":null}"#), "sort");
    assert_eq!(workload(r#"{"run":"r1","workload":"Rand-Writer","fault":"none","node":null}"#), "randwriter");
    assert_eq!(workload(r#"{"run":"r1","workload":"TeraSort","fault":"none","node":null}"#), "TeraSort");
    assert!(printed_slowdown("CPUHog", &workload_of("PIG".to_owned())).is_some());
}

#[test]
fn none_in_letters_of_either_size_labels_a_control() {
    let fault = |text: &str| serde_json::from_str::<Truth>(text).unwrap().fault;
    assert_eq!(fault(r#"{"run":"r1","fault":"None","node":null}"#), CONTROL);
    assert_eq!(fault(r#"{"run":"r2","fault":"CPUHog","node":"h1"}"#), "CPUHog");
}

#[test]
fn faults_of_the_papers_go_by_one_name() {
    let fault = |written: &str| fault_of(written.to_owned());
    assert_eq!([fault("cpu_hog"), fault("Disk Hog"), fault("hang-1152")], ["CPUHog", "DiskHog", "HANG-1152"]);
    assert_eq!(fault("slow Switch"), "slow Switch", "another's as it is");
}

#[test]
fn suspects_are_ordered_by_signals_that_no_job_explains() {
    let said = |signal: &str, of: &[&str], excused: &[&str]| WitnessRow {
        method: "kahuna-wb".into(),
        signal: signal.into(),
        indicted: of.iter().map(|node| (*node).into()).collect(),
        excused: excused.iter().map(|node| (*node).into()).collect(),
        ..WitnessRow::default()
    };
    let parts = [said("Map", &["a"], &[]), said("Map", &["a"], &[]), said("Reduce", &["c"], &["c"])];
    let others = [said("Map", &["b"], &[]), said("WriteBlock", &["b"], &[])];
    let report = Report { witnesses: parts.into_iter().chain(others).collect(), ..Report::default() };
    assert_eq!(["b", "a", "c"].map(|node| rank(&report, node)), [Some(1), Some(2), None]);
}

#[test]
fn run_that_ends_before_it_begins_has_no_length() {
    let length = |begin_ms: Option<i64>, end_ms: Option<i64>| {
        let truth = Truth { begin_ms, end_ms, ..Truth::default() };
        Scored::new(&truth, &Report::default()).length_s
    };
    assert_eq!(length(Some(1000), Some(3500)), Some(2.5));
    for (begin, end) in [(Some(9), Some(3)), (Some(9), Some(9)), (None, Some(9)), (Some(i64::MIN), Some(9))] {
        assert_eq!(length(begin, end), None, "{begin:?} {end:?}");
    }
}

/// A white-box witness of a part has the signal of the one of the whole.
#[test]
fn witnesses_of_one_signal_are_one() {
    let said = |hit, others, abstained, score| Said {
        signal: "x".into(),
        hit,
        others,
        abstained,
        why: abstained.then(|| "too-few-data".to_owned()),
        score,
        ..Said::default()
    };
    let of = |said: Vec<Said>| Scored { said, ..Scored::new(&Truth::default(), &Report::default()) }.signal("x");
    let (quiet, loud, none) =
        (said(false, 1, false, Some(0.2)), said(true, 0, false, Some(0.7)), said(false, 0, true, None));
    let all = of(vec![quiet.clone(), none.clone(), loud]).unwrap();
    assert_eq!((all.hit, all.others, all.abstained, all.why, all.score), (true, 1, false, None, Some(0.7)));
    assert!(!of(vec![none.clone(), quiet]).unwrap().abstained);
    let silent = of(vec![none.clone(), none]).unwrap();
    assert_eq!((silent.abstained, silent.why.as_deref()), (true, Some("too-few-data")));
    assert_eq!(of(Vec::new()), None);
}

/// The paper's black box learns from control runs (K23).
#[test]
fn black_box_is_that_of_control_runs_where_there_are_such() {
    let said = |signal: &str, hit| Said { signal: signal.into(), hit, ..Said::default() };
    let of = |said: Vec<Said>| Scored { said, ..Scored::new(&Truth::default(), &Report::default()) };
    let own = of(vec![said(BLACK_BOX, false)]);
    let trained = of(vec![said(BLACK_BOX, false), said(BLACK_BOX_TRAINED, true)]);
    assert_eq!([&own, &trained].map(|run| run.signal(BLACK_BOX).unwrap().hit), [false, true]);
    assert_eq!(black_box_of(std::slice::from_ref(&own)), BLACK_BOX);
    assert_eq!(black_box_of(std::slice::from_ref(&trained)), BLACK_BOX_TRAINED);
    assert_eq!(black_box_of(&[trained, own]), "kahuna-bb profiles of control runs, else of these logs");
}

#[test]
fn suspects_come_after_culprits_by_their_signals() {
    let mut report = report(&["c"], OutcomeKind::Indicted);
    report.nodes = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
    let witness = |signal: &str, names: &[&str]| WitnessRow {
        signal: signal.into(),
        indicted: names.iter().map(|n| (*n).to_owned()).collect(),
        ..WitnessRow::default()
    };
    report.witnesses = vec![witness("Map", &["a", "b"]), witness("Reduce", &["b"]), witness("Map", &["c"])];
    assert_eq!(["c", "b", "a", "d"].map(|n| rank(&report, n)), [Some(1), Some(2), Some(3), None]);
}

#[test]
fn causes_of_all_data_sets_are_known() {
    assert_eq!(cause_of("PacketLoss20"), Some("network"));
    assert_eq!((cause_of("MapHang"), cause_of("none"), cause_of("app-skew")), (Some("hang"), None, None));
    // However they are written, and as the syscall paper calls them (C17).
    for (labels, cause) in [
        (["disk-hog", "disk_hog", "Disk Hog"], "disk"),
        (["network-hog", "network-hog 5 %", "packet-loss-50"], "network"),
        (["cpu-hog", "CPUHog", "cpu hog"], "cpu"),
        (["disk-full", "DiskFull", "DISK_FULL"], "disk-full"),
        (["hang-1036", "HANG_1152", "Hang 2080"], "hang"),
    ] {
        assert_eq!(labels.map(cause_of), [Some(cause); 3], "{labels:?}");
    }
}

#[test]
fn label_that_tells_no_cause_makes_none_right() {
    let of = |fault: &str| {
        let truth = Truth { fault: fault.into(), node: Some("a".into()), ..Truth::default() };
        let mut report = report(&["a"], OutcomeKind::Indicted);
        report.verdict.culprits[0].cause = "disk".into();
        let scored = Scored::new(&truth, &report);
        (scored.tells_cause(), scored.right_cause)
    };
    assert_eq!([of("disk-hog"), of("cpu-hog"), of("gremlins")], [(true, true), (true, false), (false, false)]);
}
