use super::super::rungs::RUNGS;
use super::*;
use crate::base::TimeZone;
use crate::diagnosis::verdict::Reason;
use crate::report::{IssueRow, JobRow, LineRef, NoEvidenceRow, Suspect, Verdict};

/// Two moderate words from different data: 1 - 0.4 * 0.4 = 0.84 sure.
fn sound() -> Report {
    let evidence = |method: &str, signal: &str, score: f64, threshold: f64, text: &str, since_ms: i64| Evidence {
        method: method.into(),
        signal: signal.into(),
        score,
        threshold: Some(threshold),
        text: text.into(),
        lines: vec![LineRef::default()],
        strength: Some(Strength::Moderate),
        since_ms: Some(since_ms),
        ..Evidence::default()
    };
    let mut culprit = Culprit {
        node: "h103".into(),
        cause: "disk".into(),
        because: Rule::SlowBlocks.in_words().into(),
        who: "operator".into(),
        since_ms: Some(1000),
        sureness: 0.84,
        evidence: vec![
            evidence("kahuna-wb", "Map", 0.71, 0.5, "Map on h103 takes 9.0 s; T = 0.71", 1000),
            evidence("flows", "read", 1.62, 1.5, "blocks read from h103: × 1.6 at equal size", 5000),
        ],
        ..Culprit::default()
    };
    culprit.advice = symptom::words_of("disk").1.into();
    culprit.sentence = sentence::of_culprit(&culprit, TimeZone::Utc);
    let witnesses = culprit.evidence.iter().map(|e| WitnessRow {
        method: e.method.clone(),
        signal: e.signal.clone(),
        nodes: [("h101".into(), 0.1), ("h103".into(), e.score)].into(),
        threshold: e.threshold,
        indicted: vec!["h103".into()],
        abstained: None,
        strengths: [("h103".into(), Strength::Moderate)].into(),
        excused: Vec::new(),
        jobs: Vec::new(),
        stretch: None,
    });
    Report {
        witnesses: witnesses.collect(),
        nodes: ["h101", "h102", "h103"].map(String::from).to_vec(),
        verdict: Verdict {
            outcome: OutcomeKind::Indicted,
            sentence: culprit.sentence.clone(),
            culprits: vec![culprit],
            ..Verdict::default()
        },
        ..Report::default()
    }
}

#[test]
fn sound_report_follows() {
    let done = check(&sound());
    assert_eq!((done.refused.clone(), done.unchecked.clone()), (vec![], vec![]), "{done:?}");
    assert!(done.follow >= 8, "{done:?}");
}

/// What becomes of a verdict with that sentence: how much is refused, and what is shown.
fn shown(outcome: OutcomeKind, reason: Option<&str>, sentence: &str) -> (usize, String) {
    let mut report = sound();
    report.verdict.outcome = outcome;
    report.verdict.reason = reason.map(str::to_owned);
    if outcome == OutcomeKind::Indicted {
        let c = &mut report.verdict.culprits[0];
        (c.cause, c.because, c.sentence) = ("cpu".into(), String::new(), sentence.into());
    } else {
        report.verdict.culprits.clear();
        report.witnesses.clear();
    }
    report.verdict.sentence = sentence.into();
    let refused = enforce(&mut report).refused.len();
    let verdict = report.verdict;
    assert!(verdict.culprits.iter().all(|c| c.sentence == verdict.sentence));
    (refused, verdict.sentence)
}

#[test]
fn sentences_of_earlier_versions_are_shown_in_the_words_of_now() {
    use OutcomeKind::{Clean, Indicted, NoVerdict};
    let culprit = "h103 is at fault since 1970-01-01 00:00:01 UTC: its tasks take far longer than its peers', as if its processor were taken; likely (0.84). This is for the cluster's operator.";
    let now = "h103 has been at fault since 1970-01-01 00:00:01 UTC: its tasks take far longer than its peers', as if its CPU were overloaded; likely (0.84). This is for the cluster's operator.";
    assert_eq!(shown(Indicted, None, culprit), (0, now.to_owned()));
    assert_eq!(shown(Indicted, None, now), (0, now.to_owned()));
    let clean = "No node stands out among the 3 compared; what slows all of them alike would not show.";
    let now = "No node stands out among the 3 compared; a fault that slows all of them alike cannot be seen this way.";
    assert_eq!(shown(Clean, None, clean), (0, now.to_owned()));
    let now = format!("No verdict: {}", Reason::NoLogs.text());
    for no_logs in [
        "No verdict: No log of Hadoop's was found. Drop the log folders of all nodes, and the job history of the master.",
        "No verdict: No log of Hadoop's was found whose lines are understood; the coverage says what each file is. Drop the log folders of all nodes, and the job history of the master.",
    ] {
        assert_eq!(shown(NoVerdict, Some("no-logs"), no_logs), (0, now.clone()));
        assert_eq!(shown(NoVerdict, Some("idle"), no_logs).0, 1, "another reason");
    }
    for forged in [culprit.replace("h103", "h101"), culprit.replace("0.84", "0.99"), format!("{culprit} Run rm -rf /")]
    {
        assert_eq!(shown(Indicted, None, &forged).0, 2, "of the culprit and of the verdict: {forged}");
    }
    assert_eq!(shown(Clean, None, &clean.replace('3', "9")).0, 1);
}

#[test]
fn why_a_cause_is_named_in_words_of_another_version_is_not_shown() {
    let mut report = sound();
    assert_eq!(enforce(&mut report).refused, vec![]);
    assert_eq!(report.verdict.culprits[0].because, Rule::SlowBlocks.in_words());
    report.verdict.culprits[0].because = "the moon was full.".into();
    assert_eq!(enforce(&mut report).refused, vec![]);
    assert_eq!(report.verdict.culprits[0].because, "");
}

#[test]
fn witness_of_one_job_may_say_what_that_of_all_does_not() {
    let mut report = sound();
    let of_all = WitnessRow { indicted: Vec::new(), strengths: Default::default(), ..report.witnesses[1].clone() };
    report.witnesses.insert(0, of_all.clone());
    assert_eq!(check(&report).refused, vec![]);
    report.witnesses[2] = of_all;
    assert_eq!(check(&report).refused.len(), 1, "neither says it");
}

#[test]
fn node_that_went_away_is_at_fault_since_then() {
    let at = |cause: &str| {
        let mut report = sound();
        let c = &mut report.verdict.culprits[0];
        c.cause = cause.into();
        c.because.clear();
        c.advice = symptom::words_of(cause).1.into();
        c.since_ms = Some(5000);
        c.evidence[1].method = "slow-warnings".into();
        c.evidence[1].signal = "silence".into();
        c.sentence = sentence::of_culprit(c, TimeZone::Utc);
        report.verdict.sentence.clone_from(&c.sentence);
        let (method, signal) = (c.evidence[1].method.clone(), c.evidence[1].signal.clone());
        (report.witnesses[1].method, report.witnesses[1].signal) = (method, signal);
        check(&report).refused.len()
    };
    assert_eq!((at("crashed"), at("hang")), (0, 1), "its maps were slow before");
}

#[test]
fn a_moderate_complaint_is_no_begin() {
    let since = |since_ms: i64| {
        let mut report = sound();
        let c = &mut report.verdict.culprits[0];
        let complaint = &mut c.evidence[1];
        (complaint.method, complaint.signal) = ("slow-warnings".into(), "fetch-failed".into());
        complaint.since_ms = Some(500);
        c.since_ms = Some(since_ms);
        c.sentence = sentence::of_culprit(c, TimeZone::Utc);
        report.verdict.sentence.clone_from(&c.sentence);
        let (method, signal) = (c.evidence[1].method.clone(), c.evidence[1].signal.clone());
        (report.witnesses[1].method, report.witnesses[1].signal) = (method, signal);
        check(&report).refused.len()
    };
    assert_eq!(since(1000), 0, "since the maps are slow");
    assert_eq!(since(500), 0, "as versions said that took the first complaint for the begin");
    assert_eq!(since(700), 1);
}

/// The verdict becomes one that names nobody: that all is well, or why nothing is said.
fn nobody_named(report: &mut Report, reason: Option<Reason>) {
    let outcome = if reason.is_some() { OutcomeKind::NoVerdict } else { OutcomeKind::Clean };
    let reason = reason.map(|reason| reason.name().to_owned());
    report.verdict = Verdict { outcome, reason, ..Verdict::default() };
    report.verdict.sentence = sentence::of_verdict(report);
}

/// Words that may count, or not: it is said that this could not be recomputed.
#[test]
fn what_may_object_is_told() {
    type Change = fn(&mut Report);
    let told = |change: Change| {
        let mut report = sound();
        nobody_named(&mut report, None);
        change(&mut report);
        let done = check(&report);
        (done.refused.len(), done.unchecked)
    };
    let several = |r: &mut Report| r.issues = vec![IssueRow { code: "several-clusters".into(), ..IssueRow::default() }];
    let changes: [Change; 5] = [
        |r| r.witnesses[0].strengths.clear(),
        several,
        |r| r.left_out = vec![ISSUES.to_owned()],
        |r| r.witnesses[0].method = "of-tomorrow".into(),
        |r| {
            r.jobs = vec![JobRow { job: "job_1".into(), class: "skew".into(), ..JobRow::default() }];
            r.verdict.sentence = sentence::of_verdict(r);
        },
    ];
    for change in changes {
        assert_eq!(told(change), (0, vec![OBJECTS]));
    }
    let alone: Change = |r| {
        r.witnesses[0].indicted.clear();
        r.witnesses[0].strengths.clear();
    };
    assert_eq!(told(alone), (0, vec![]), "one moderate word makes no culprit");
    let of_half: Change = |r| r.witnesses[0].indicted.push("h101".into());
    assert_eq!(told(of_half), (0, vec![OBJECTS]), "a word without weight, and one of a witness that is not heard");
    let unnamed: Change = |r| {
        r.nodes.clear();
        r.compared = Some(3);
        r.verdict.sentence = sentence::of_verdict(r);
        r.left_out = vec![HEALTHY.to_owned()];
    };
    assert_eq!(told(unnamed), (0, vec!["how many nodes were compared", OBJECTS]));
    let mut report = sound();
    report.nodes.clear();
    report.left_out = vec![HEALTHY.to_owned()];
    let done = check(&report);
    assert_eq!((done.refused, done.unchecked), (vec![], vec!["that most nodes are well"]));
}

#[test]
fn each_lie_is_refused_with_its_reason() {
    type Lie = (&'static str, fn(&mut Report), &'static str);
    let lies: &[Lie] = &[
        (
            "another node in the sentence",
            |r| r.verdict.sentence = r.verdict.sentence.replace("h103", "h101"),
            "they say",
        ),
        (
            "another culprit throughout",
            |r| {
                let c = &mut r.verdict.culprits[0];
                c.node = "h101".into();
                c.sentence = sentence::of_culprit(c, TimeZone::Utc);
                r.verdict.sentence = c.sentence.clone();
            },
            "against h101",
        ),
        ("a score below the threshold", |r| r.verdict.culprits[0].evidence[0].score = 0.4, "does not pass"),
        (
            "a text with another number",
            |r| {
                r.verdict.culprits[0].evidence[0].text = "Map on h103 takes 9.0 s; T = 0.99".into();
            },
            "with the score 0.71",
        ),
        (
            "surer than its grounds",
            |r| {
                let c = &mut r.verdict.culprits[0];
                c.sureness = 0.99;
                c.sentence = sentence::of_culprit(c, TimeZone::Utc);
                r.verdict.sentence = c.sentence.clone();
            },
            "0.84 sure",
        ),
        (
            "one moderate word",
            |r| {
                r.verdict.culprits[0].evidence.truncate(1);
            },
            "do not make a culprit",
        ),
        (
            "earlier than its grounds",
            |r| {
                let c = &mut r.verdict.culprits[0];
                c.since_ms = Some(0);
                c.sentence = sentence::of_culprit(c, TimeZone::Utc);
                r.verdict.sentence = c.sentence.clone();
            },
            "another time",
        ),
        ("a witness that clears", |r| r.witnesses[0].indicted.clear(), "says something else"),
        ("half of the nodes", |r| r.nodes.truncate(2), "half of the nodes"),
        ("no nodes", |r| r.nodes.clear(), "half of the nodes"),
        ("nodes named twice", |r| r.nodes = ["h103", "h103", "h101"].map(String::from).to_vec(), "half of the nodes"),
        ("a culprit that is no node", |r| r.nodes[2] = "h104".into(), "half of the nodes"),
        (
            "a culprit named twice",
            |r| {
                r.nodes.extend(["h104", "h105"].map(String::from));
                let again = r.verdict.culprits[0].clone();
                r.verdict.culprits.push(again);
                r.verdict.sentence = sentence::of_verdict(r);
            },
            "each named once",
        ),
        (
            "a culprit that did nothing",
            |r| r.no_evidence = vec![NoEvidenceRow { node: "h103".into(), why: "idle".into() }],
            "nothing can be said of h103",
        ),
        (
            "words that jobs explain",
            |r| r.witnesses.iter_mut().for_each(|w| w.excused = vec!["h103".into()]),
            "says something else",
        ),
        (
            "words of who abstains",
            |r| r.witnesses.iter_mut().for_each(|w| w.abstained = Some("no-peers".into())),
            "says something else",
        ),
        ("clean with a culprit", |r| r.verdict.outcome = OutcomeKind::Clean, "contradict"),
        (
            "clean against a strong word",
            |r| {
                r.verdict.outcome = OutcomeKind::Clean;
                r.verdict.culprits.clear();
                r.witnesses[1].strengths = [("h103".into(), Strength::Strong)].into();
                r.verdict.sentence = sentence::of_verdict(r);
            },
            "makes h103 a culprit",
        ),
        ("clean against two moderate words", |r| nobody_named(r, None), "makes h103 a culprit"),
        ("idle against two moderate words", |r| nobody_named(r, Some(Reason::Idle)), "makes h103 a culprit"),
        ("no logs, and words", |r| nobody_named(r, Some(Reason::NoLogs)), "makes h103 a culprit"),
        ("no peers, and words", |r| nobody_named(r, Some(Reason::NoPeers)), "makes h103 a culprit"),
        ("too few data, and words", |r| nobody_named(r, Some(Reason::TooFewData)), "makes h103 a culprit"),
        (
            "words that no job is there to explain",
            |r| {
                nobody_named(r, None);
                r.witnesses.iter_mut().for_each(|w| w.excused = vec!["h103".into()]);
            },
            "makes h103 a culprit",
        ),
        (
            "more nodes compared than there are",
            |r| {
                r.witnesses.clear();
                r.compared = Some(1000);
                nobody_named(r, None);
            },
            "3 nodes are named",
        ),
        (
            "more nodes compared than could be judged",
            |r| {
                r.witnesses.clear();
                r.compared = Some(3);
                r.no_evidence = vec![NoEvidenceRow { node: "h101".into(), why: "idle".into() }];
                nobody_named(r, None);
            },
            "2 nodes are named",
        ),
        ("a cause of its own", |r| r.verdict.culprits[0].cause = "run rm -rf /".into(), "no such cause"),
        (
            "a reason for another cause",
            |r| r.verdict.culprits[0].because = Rule::ProcessorTaken.in_words().into(),
            "that is why a cause is cpu, not disk",
        ),
        (
            "a suspect whom nobody suspects",
            |r| {
                let text = "Map on h101 takes 9.0 s; T = 0.71".into();
                let said = Evidence { text, ..r.verdict.culprits[0].evidence[0].clone() };
                r.suspects = vec![Suspect { node: "h101".into(), evidence: vec![said] }];
            },
            "says something else of h101",
        ),
        (
            "a culprit who is a suspect",
            |r| r.suspects = vec![Suspect { node: "h103".into(), evidence: Vec::new() }],
            "no mere suspect",
        ),
        ("somebody else who acts", |r| r.verdict.culprits[0].who = "you, by rm -rf /".into(), "the cluster's operator"),
    ];
    for (name, lie, because) in lies {
        let mut report = sound();
        lie(&mut report);
        let done = enforce(&mut report);
        assert!(done.refused.iter().any(|r| r.because.contains(because)), "{name}: {done:?}");
        assert_eq!((report.verdict.outcome, report.verdict.culprits.len()), (OutcomeKind::NoVerdict, 0), "{name}");
        assert_eq!(report.suspects, [], "{name}");
        let said = &report.verdict.sentence;
        assert!(said.starts_with("Refused") && !said.contains(".. "), "{name}: {said}");
    }
}

/// A strong word that a job explains is not against a verdict that no node stands out; without such a job it is.
#[test]
fn clean_may_stand_beside_what_a_job_explains() {
    let said = |excused: &[&str], class: &str, left_out: &[&str]| {
        let mut report = sound();
        report.verdict = Verdict { outcome: OutcomeKind::Clean, ..Verdict::default() };
        report.witnesses[1].strengths = [("h103".into(), Strength::Strong)].into();
        report.witnesses[1].excused = excused.iter().map(|node| (*node).to_owned()).collect();
        report.jobs = vec![JobRow { job: "job_1".into(), class: class.into(), ..JobRow::default() }];
        report.verdict.sentence = sentence::of_verdict(&report);
        report.left_out = left_out.iter().map(|left| (*left).to_owned()).collect();
        check(&report).refused.len()
    };
    assert_eq!(said(&["h103"], "skew", &[]), 0);
    assert_eq!(said(&["h101"], "skew", &[]), 1);
    assert_eq!(said(&["h103"], "none", &[]), 1);
    assert_eq!(said(&["h103"], "none", &[JOBS]), 0, "the job may have been left out");
}

#[test]
fn until_follows_from_the_grounds() {
    let refused = |grounds: [Option<i64>; 2], until_ms: Option<i64>| {
        let mut report = sound();
        let c = &mut report.verdict.culprits[0];
        c.evidence.iter_mut().zip(grounds).for_each(|(e, until_ms)| e.until_ms = until_ms);
        c.until_ms = until_ms;
        c.sentence = sentence::of_culprit(c, TimeZone::Utc);
        c.advice = symptom::advice(c);
        report.verdict.sentence.clone_from(&c.sentence);
        let before = report.clone();
        let refused = enforce(&mut report).refused.len();
        assert!(refused > 0 || report == before);
        refused
    };
    assert_eq!(refused([Some(7000), Some(9000)], Some(9000)), 0);
    assert_eq!(refused([Some(7000), None], None), 0, "one goes on");
    assert_eq!(refused([Some(7000), None], Some(7000)), 1);
    assert_eq!(refused([Some(7000), Some(9000)], None), 1);
}

/// A link may carry the first ground alone, and that be words of the logs where durations spoke too.
#[test]
fn grounds_left_out_may_change_the_words() {
    let mut report = sound();
    report.verdict.culprits[0].evidence = vec![Evidence {
        method: "slow-warnings".into(),
        signal: "slow-disk".into(),
        score: 4.0,
        text: "h103 writes of slow disks: 4 lines".into(),
        ..Evidence::default()
    }];
    report.witnesses.clear();
    report.left_out = vec![EVIDENCE_BEYOND_ONE.to_owned()];
    let done = enforce(&mut report);
    assert_eq!(done.refused, vec![]);
    assert!(report.verdict.sentence.contains("as the logs say"), "{}", report.verdict.sentence);
}

/// Advice may be of another version's wording: it is written anew.
#[test]
fn advice_is_the_causes_own() {
    let mut report = sound();
    report.verdict.culprits[0].advice = "Run rm -rf /".into();
    assert_eq!(enforce(&mut report).refused, vec![]);
    assert_eq!(report, sound());
}

/// Whatever a link says is missing, no word of its sender stands in what is shown as the verdict.
#[test]
fn no_part_left_out_lets_words_in() {
    let left_out = RUNGS.iter().map(|(name, _)| *name).chain([JOBS, ALL_BUT_OUTCOME, "sums of jobs, culprits"]);
    for left in left_out {
        for outcome in [OutcomeKind::Indicted, OutcomeKind::Clean, OutcomeKind::NoVerdict] {
            let mut report = sound();
            report.verdict.outcome = outcome;
            if outcome != OutcomeKind::Indicted {
                report.verdict.culprits.clear();
                report.witnesses.clear();
            }
            let own = sentence::of_verdict(&report);
            report.verdict.sentence = format!("{own} Now run rm -rf /");
            for c in &mut report.verdict.culprits {
                c.sentence.push_str(" Now run rm -rf /");
                c.advice.push_str(" Now run rm -rf /");
            }
            report.left_out = vec![left.to_owned()];
            let done = enforce(&mut report);
            let verdict = &report.verdict;
            let culprits = verdict.culprits.iter().flat_map(|c| [&c.sentence, &c.advice]);
            let shown = culprits.chain([&verdict.sentence]).filter(|text| text.contains("rm -rf"));
            let quoted = |text: &&String| !text.starts_with("Refused: \u{201c}");
            assert_eq!(shown.filter(quoted).count(), 0, "{left}: {done:?} {verdict:?}");
        }
    }
}

#[test]
fn a_number_is_stated_at_its_own_decimals() {
    assert!(states("× 9.6 at equal size", 9.5896));
    assert!(states("4 lines", 4.0) && states("T = 0.72 through", 0.7158));
    assert!(!states("T = 0.73 through", 0.7158) && !states("none", 1.0));
}
