use super::super::{Evidence, OutcomeKind};
use super::*;
use crate::base::TimeZone;
use crate::base::issue::Severity;
use crate::diagnosis::Strength;
use crate::diagnosis::cause::Rule;

fn real() -> Report {
    let lines = vec![LineRef { file: "r.tar.gz/h103/tt.log".into(), line: 12 }];
    let evidence = Evidence {
        method: "kahuna-wb".into(),
        signal: "Map".into(),
        score: 0.7,
        text: "Map on h103 (10.0.0.7, user alice, job wordy title) takes 9.5 s: see /var/log/x".into(),
        lines,
        ..Evidence::default()
    };
    let lines = vec![LineRef { file: "r.tar.gz/h102/dn.log".into(), line: 3 }];
    let text = "h102 (user alice) was slow: 3 lines in the log of h101".into();
    let said =
        Evidence { method: "slow-warnings".into(), signal: "died".into(), score: 3.0, text, lines, ..evidence.clone() };
    let suspect = Suspect { node: "h102".into(), evidence: vec![said] };
    let culprit = Culprit { node: "h103".into(), cause: "cpu".into(), evidence: vec![evidence], ..Culprit::default() };
    Report {
        verdict: Verdict { outcome: OutcomeKind::Indicted, culprits: vec![culprit], ..Verdict::default() },
        nodes: ["h101", "h102", "h103"].map(String::from).to_vec(),
        suspects: vec![suspect],
        jobs: vec![JobRow { job: "job_1_0001".into(), name: Some("wordy title".into()), ..JobRow::default() }],
        issues: vec![IssueRow { notes: vec!["h102 is 10.0.0.9".into()], ..IssueRow::default() }],
        ..Report::default()
    }
}

/// Figures of three nodes and one job, with what must not leave in each of their texts.
fn with_figures() -> Report {
    use super::super::attempts::AttemptsFigure;
    use super::super::flow::FlowFigure;
    use super::super::heatmap::HeatmapFigure;
    use super::super::metrics::MetricsFigure;
    use super::super::sealed::Sealed;
    let nodes = ["h101", "h102", "h103"].map(String::from).to_vec();
    let flow = FlowFigure {
        nodes: vec![0, 1, 2],
        into_maps: vec![1, 2, 3],
        local: vec![0; 3],
        between: (0..9).collect(),
        out: vec![4, 5, 6],
        words: vec!["Into Maps of h103 by Alice".into(), "h101, h102 had no Reduce".into()],
        trust: vec!["read by 10.0.0.9".into()],
        ..FlowFigure::default()
    };
    let attempts = AttemptsFigure {
        nodes: nodes.clone(),
        compared: 3,
        jobs: vec!["job_1_0001".into()],
        jobs_ms: vec![[None; 2]],
        statuses: vec![1],
        flow: Some(flow),
        job: vec![0; 3],
        reduce: vec![0; 3],
        task: vec![0, 1, 2],
        attempt: vec![0; 3],
        node: vec![0, 1, 2],
        begin_ms: vec![None; 3],
        end_ms: vec![None; 3],
        outcome: vec![0; 3],
        bytes: vec![101, 102, 103],
        state: vec![None; 3],
        ..AttemptsFigure::default()
    };
    let metrics = MetricsFigure {
        nodes: nodes.clone(),
        begin_ms: 1_795_227_884_000,
        column_ms: 1_000,
        metrics: vec!["user".into()],
        greatest: vec![9_900],
        cells: ["01aZ/", "h103/", "-\".!_"].map(String::from).to_vec(),
        indicted: vec![2],
        indicted_ms: vec![[1_795_227_884_000, 1_795_227_886_000]],
        whole: None,
    };
    let heatmap = HeatmapFigure {
        nodes,
        jobs: vec!["job_1_0001".into(); 5],
        begin_ms: vec![None; 5],
        highest: 1.0,
        literal: false,
        cells: ["01aZ/", "h103/", "-\".!_"].map(String::from).to_vec(),
        whole: None,
    };
    let mut report = real();
    report.figures.attempts = Sealed::of(Some(&attempts));
    report.figures.heatmap = Sealed::of(Some(&heatmap));
    report.figures.metrics = Sealed::of(Some(&metrics));
    report.incidents = vec![IncidentRow {
        node: "h103".into(),
        jobs: vec!["job_1_0001".into()],
        text: "9 of 9 attempts on h103 by alice were slow or failed".into(),
        ..IncidentRow::default()
    }];
    report
}

/// Whoever knows the names of the hosts must not read them off the order in which pseudonyms stand.
#[test]
fn figures_leave_in_the_order_of_the_pseudonyms() {
    let report = with_figures();
    let mut orders = BTreeSet::new();
    for seed in 0..8 {
        let (scrubbed, file) = scrub(&report, &Key::from_random([seed; 16]));
        let json = scrubbed.to_json();
        for secret in ["h101", "h102", "alice", "Alice", "10.0.0", "job_1"] {
            assert!(!json.contains(secret), "{secret} in {json}");
        }
        let (attempts, heatmap) = (scrubbed.figures.attempts.open().unwrap(), scrubbed.figures.heatmap.open().unwrap());
        assert!(attempts.nodes.is_sorted() && heatmap.nodes.is_sorted());
        let metrics = scrubbed.figures.metrics.open().unwrap();
        assert!(metrics.nodes.is_sorted());
        let node = &scrubbed.verdict.culprits[0].node;
        let indicted = metrics.indicted.iter().map(|at| &metrics.nodes[*at as usize]);
        assert_eq!(indicted.collect::<Vec<_>>(), [node]);
        assert_eq!(scrubbed.incidents[0].node, *node);
        assert_eq!(attempts.flow.as_ref().unwrap().words, [format!("Into Maps of {node} by …")]);
        assert!(strings(&scrubbed).iter().all(|text| !text.contains("aZ")), "cells are no texts");
        orders.insert(attempts.node.clone());
        let out: BTreeSet<u64> = attempts.flow.as_ref().unwrap().out.iter().copied().gathered();
        assert_eq!(out, [4, 5, 6].into());
        let Suspect { node, evidence } = &scrubbed.suspects[0];
        assert!(evidence[0].text.starts_with(&format!("{node} (user …) was slow: 3 lines in the log of node-")));
        let back = file.reveal(&scrubbed).unwrap();
        assert_eq!(back.suspects[0].node, "h102");
        assert_eq!(back.suspects[0].evidence[0].lines, real().suspects[0].evidence[0].lines);
        assert_eq!(back.figures.attempts.open().unwrap().flow.unwrap().between, (0..9).collect::<Vec<u64>>());
        let (attempts, heatmap) = (back.figures.attempts.open().unwrap(), back.figures.heatmap.open().unwrap());
        assert_eq!(
            (attempts.nodes, attempts.node, attempts.bytes),
            (report.nodes.clone(), vec![0, 1, 2], vec![101, 102, 103])
        );
        assert_eq!(heatmap.cells, ["01aZ/", "h103/", "...!_"].map(String::from));
        let metrics = back.figures.metrics.open().unwrap();
        assert_eq!(metrics.cells, ["01aZ/", "h103/", "....."].map(String::from));
        assert_eq!((metrics.nodes, metrics.indicted), (report.nodes.clone(), vec![2]));
    }
    assert!(orders.len() > 1, "another key is another order");
}

#[test]
fn nothing_but_the_allowed_leaves_and_the_key_brings_it_back() {
    let key = Key::from_random([7; 16]);
    let (scrubbed, file) = scrub(&real(), &key);
    let json = scrubbed.to_json();
    for secret in ["h10", "10.0.0", "alice", "wordy", "title", "/var", "r.tar.gz", "tt.log", "dn.log", "job_1"] {
        assert!(!json.contains(secret), "{secret} in {json}");
    }
    let text = &scrubbed.verdict.culprits[0].evidence[0].text;
    let node = &scrubbed.verdict.culprits[0].node;
    assert_eq!(*text, format!("Map on {node} (…, user …, job … …) takes 9.5 s: see /…"));
    let back = file.reveal(&scrubbed).unwrap();
    assert_eq!(back.verdict.culprits[0].node, "h103");
    assert_eq!(back.verdict.culprits[0].evidence[0].lines, real().verdict.culprits[0].evidence[0].lines);
    assert_eq!(back.jobs[0].name.as_deref(), Some("wordy title"));
    assert!(back.verdict.sentence.starts_with("h103 is at fault"));
    assert_eq!(KeyFile::decode(format!("\u{feff}{}", file.to_json()).as_bytes()).as_ref(), Ok(&file));
    assert_eq!(KeyFile::decode(file.to_json().as_bytes()), Ok(file));
}

/// Errors hold what a cluster works with: numbers of customers, and words that our sentences have too.
#[test]
fn what_rules_and_grounds_quote_of_logs_does_not_leave() {
    use super::super::link::{Size, decode, encode_within};
    let error = "java.io.IOException: customer 555123456789 has no network: 4111 1111 1111 1111, disk 31337";
    let rules = [
        "9 of 9 attempts failed, on 3 of the 3 nodes that ran maps for the job; the first: ",
        "task_1_0001_m_000003 failed 4 times on 2 nodes and the job with it: ",
        "task_1_0001_m_000003 failed 3 times on 2 nodes and succeeded nowhere until the job was killed: ",
    ];
    let mut report = real();
    for (i, rule) in (2..).zip(rules) {
        let (job, rule) = (format!("job_1_000{i}"), format!("{rule}{error}"));
        report.jobs.push(JobRow { job, class: "application".into(), rule, ..JobRow::default() });
    }
    let call = "stat(\"/data/customer/31337/network\", {…}) = -1 ENOENT 555123456789";
    let said = "network-hog: too few. 3 look-ups of files on h103 took far longer than they ever should.";
    let text = format!("{said} The longest took 2.1 s, control runs at most 5.0 ms: {call}.");
    let ground = Evidence { method: "syscall-semantic".into(), signal: "disk-hog".into(), text, ..Evidence::default() };
    report.verdict.culprits[0].evidence.push(ground);
    let (scrubbed, _) = scrub(&report, &Key::from_random([7; 16]));
    for size in [Size::Report, Size::Full] {
        let (link, _) = encode_within(&scrubbed, size);
        let opened = decode(&link.fragment).unwrap();
        let json = opened.to_json();
        for quoted in ["customer", "has no network", "555123456789", "4111", "1111", "31337", "ENOENT"] {
            assert!(!json.contains(quoted), "{}: {quoted} in {json}", size.name());
        }
        let rules: Vec<&str> =
            opened.jobs.iter().map(|job| job.rule.as_str()).filter(|rule| !rule.is_empty()).collect();
        assert!(rules.len() == 3 && rules.iter().all(|rule| rule.ends_with(": …") && rule.len() > 30), "{rules:?}");
        let text = &opened.verdict.culprits[0].evidence[1].text;
        assert!(text.ends_with("The longest took 2.1 s, control runs at most 5.0 ms: …"), "{text}");
    }
}

#[test]
fn terms_stay_whatever_names_are_like_them() {
    use super::super::check::{check, enforce};
    let mut report = real();
    let culprit = &mut report.verdict.culprits[0];
    let evidence = &mut culprit.evidence[0];
    evidence.threshold = Some(0.45);
    evidence.strength = Some(Strength::Strong);
    evidence.text = "Map on h103 takes 9.5 s; T = 0.70".into();
    culprit.who = "operator".into();
    culprit.sureness = 0.9;
    culprit.sentence = sentence::of_culprit(culprit, TimeZone::Unknown);
    let terms = ["cpu", "operator", "kahuna-wb", "strong", "success", "last quarter", "application", "write"];
    for (i, term) in terms.into_iter().enumerate() {
        let name = Some(term.to_owned());
        report.jobs.push(JobRow { job: format!("job_1_{i}"), class: "none".into(), name, ..JobRow::default() });
    }
    report.nodes.extend(["flows", "notice", "auto"].map(String::from));
    report.issues = vec![IssueRow { code: "write".into(), severity: Severity::Notice, ..IssueRow::default() }];
    report.parameters = [("threshold".to_owned(), "auto".into())].into();
    report.verdict.sentence = sentence::of_verdict(&report);
    let (scrubbed, _) = scrub(&report, &Key::from_random([5; 16]));
    let culprit = &scrubbed.verdict.culprits[0];
    assert_eq!((culprit.cause.as_str(), culprit.who.as_str()), ("cpu", "operator"));
    let evidence = &culprit.evidence[0];
    assert_eq!((evidence.method.as_str(), evidence.strength), ("kahuna-wb", Some(Strength::Strong)));
    assert_eq!((scrubbed.issues[0].code.as_str(), scrubbed.issues[0].severity), ("write", Severity::Notice));
    assert_eq!(scrubbed.parameters["threshold"], "auto");
    assert!(scrubbed.jobs.iter().skip(1).all(|job| job.name.as_ref().is_some_and(|name| name.starts_with("name-"))));
    assert!(scrubbed.nodes.iter().all(|node| node.starts_with("node-")), "{:?}", scrubbed.nodes);
    assert_eq!(check(&scrubbed).refused, check(&report).refused);
    assert_eq!(enforce(&mut scrubbed.clone()).refused, []);
}

/// `s`, `a b` and a blank are names of jobs, `logs` of a folder; our sentences have them too.
#[test]
fn sentences_stay_whatever_jobs_and_archives_are_called() {
    let text = "complain of h103: its peers' fetches, 4 lines in the logs of a; T = 0.70, × 2.2 in 27.2 s";
    let mut report = real();
    report.verdict.culprits[0].evidence[0].text = text.into();
    for (i, title) in ["s", "peers'", "a b", " ", "s o", "0.70", "2.2", "its", "logs"].into_iter().enumerate() {
        let name = Some(title.to_owned());
        report.jobs.push(JobRow { job: format!("job_2_{i}"), name, ..JobRow::default() });
    }
    report.clock.zones = vec![ZoneRow { archive: "logs".into(), ..ZoneRow::default() }];
    let (scrubbed, _) = scrub(&report, &Key::from_random([5; 16]));
    let culprit = &scrubbed.verdict.culprits[0];
    assert_eq!(culprit.evidence[0].text, text.replace("h103", &culprit.node));
    assert!(scrubbed.clock.zones[0].archive.starts_with("archive-"));
    assert!(scrubbed.jobs.iter().skip(1).all(|job| job.name.as_ref().is_some_and(|name| name.starts_with("name-"))));
}

#[test]
fn a_term_with_a_strange_word_says_no_more_than_a_sentence() {
    let mut report = real();
    report.verdict.culprits[0].cause = "cpu alice h103".into();
    let (scrubbed, _) = scrub(&report, &Key::from_random([5; 16]));
    let culprit = &scrubbed.verdict.culprits[0];
    assert_eq!(culprit.cause, format!("cpu … {}", culprit.node));
}

#[test]
fn why_a_cause_is_named_leaves_in_our_own_words_alone() {
    let mut report = real();
    let mut left = |because: &str| {
        report.verdict.culprits[0].because = because.into();
        scrub(&report, &Key::from_random([5; 16])).0.verdict.culprits[0].because.clone()
    };
    let ours = Rule::ProcessorTaken.in_words();
    assert_eq!((left(ours).as_str(), left("alice was here.").as_str()), (ours, ""));
}

#[test]
fn codes_of_issues_and_who_acts_leave() {
    let mut report = real();
    let row = |code: &str| IssueRow { code: code.into(), ..IssueRow::default() };
    report.issues = vec![row("several-clusters"), row("h101-is-slow")];
    report.jobs = vec![JobRow { who: Some("job-owner".into()), ..JobRow::default() }];
    let (scrubbed, _) = scrub(&report, &Key::from_random([5; 16]));
    assert_eq!(scrubbed.issues[0].code, "several-clusters");
    assert!(!scrubbed.issues[1].code.contains("h101"), "{}", scrubbed.issues[1].code);
    assert_eq!(scrubbed.jobs[0].who.as_deref(), Some("job-owner"));
}

#[test]
fn what_is_said_of_lost_input_leaves() {
    use super::super::doubts;
    let (severity, text) = (Severity::DataLoss, String::from("is damaged"));
    let row =
        |code: &str| IssueRow { code: code.into(), severity, count: 2, text: text.clone(), ..IssueRow::default() };
    for code in ["truncated", "corrupt-stream", "corrupt-archive", "too-many-members", "unreadable"] {
        let (scrubbed, _) = scrub(&Report { issues: vec![row(code)], ..real() }, &Key::from_random([5; 16]));
        assert_eq!(scrubbed.issues[0].code, code);
        assert_eq!(
            doubts::of(&scrubbed),
            ["Part of the input is missing: a file is damaged (and 1 more, alike). What was lost may hold a fault."]
        );
    }
}

/// A report that was edited before it is shared again.
#[test]
fn what_made_a_report_leaves_as_we_write_it_alone() {
    use crate::model::Content;
    let made = Provenance::of(Content { files: 2, bytes: 9, mark: 0xab });
    let left =
        |made: Provenance| scrub(&Report { provenance: Some(made), ..real() }, &Key::from_random([5; 16])).0.provenance;
    assert_eq!(left(made.clone()), Some(made.clone()));
    assert_eq!(left(Provenance { version: "secret-host.corp".into(), ..made.clone() }), None);
    assert_eq!(left(Provenance { content: "alice's clusters".into(), ..made }), None);
}

#[test]
fn numbers_depend_on_the_key() {
    let name = |seed| scrub(&real(), &Key::from_random([seed; 16])).0.verdict.culprits[0].node.clone();
    let names: BTreeSet<String> = (0..20).map(name).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn key_of_another_report_is_named() {
    use super::super::key::KeyError;
    let (scrubbed, _) = scrub(&real(), &Key::from_random([1; 16]));
    let (_, other) = scrub(&real(), &Key::from_random([2; 16]));
    assert!(matches!(other.reveal(&scrubbed), Err(KeyError::OfAnother { .. })));
    assert_eq!(other.reveal(&real()), Err(KeyError::NotNeeded));
    let cut = other.to_json();
    assert!(matches!(KeyFile::decode(&cut.as_bytes()[..cut.len() / 2]), Err(KeyError::Damaged { .. })));
    assert_eq!(KeyFile::decode(b"{}"), Err(KeyError::NotAKey));
    let newer = cut.replace("\"version\": 1", "\"version\": 9");
    assert_eq!(KeyFile::decode(newer.as_bytes()), Err(KeyError::Newer { found: 9, known: 1 }));
    let forged = cut.replace(&other.id, "00000000");
    assert!(matches!(KeyFile::decode(forged.as_bytes()), Err(KeyError::Damaged { .. })));
}

#[test]
fn list_of_words_is_sorted_and_holds_no_name() {
    let words: Vec<&str> = WORDS.lines().collect();
    assert!(words.is_sorted() && words.len() > 100);
    let digits = |w: &str| w.bytes().filter(u8::is_ascii_digit).count();
    assert!(words.iter().all(|w| digits(w) <= 1), "names and addresses have more: {words:?}");
}

#[test]
fn every_string_is_shown_before_it_leaves() {
    let (scrubbed, _) = scrub(&real(), &Key::from_random([3; 16]));
    let shown = strings(&scrubbed);
    assert!(shown.contains(&"kahuna-wb".to_owned()) && shown.contains(&"name-01".to_owned()), "{shown:?}");
}
