use super::super::attempts::AttemptsFigure;
use super::super::heatmap::{self, Named};
use super::super::rungs::{EVIDENCE, EVIDENCE_BEYOND_ONE, EVIDENCE_BEYOND_THREE};
use super::super::sealed::Sealed;
use super::super::symptom;
use super::super::{Culprit, Evidence, IssueRow, JobRow, LineRef, OutcomeKind, Verdict, WitnessRow};
use super::*;
use crate::diagnosis::Reading;
use crate::diagnosis::cause::{Cause, Rule};
use crate::model::Coverage;
use proptest::prelude::*;

/// A report of `nodes` nodes with `files` files, the first node at fault.
fn report(nodes: usize, files: usize) -> Report {
    let names: Vec<String> = (0..nodes).map(|i| format!("node-{i:03}.example.org")).collect();
    let lines = vec![LineRef { file: "r06.tar.gz/r06/logs/h103/tasktracker.log".into(), line: 812 }; 5];
    let evidence = |signal: &str| Evidence {
        method: "kahuna-wb".into(),
        signal: signal.into(),
        score: 0.712_345_678,
        threshold: Some(0.431_234_567),
        text: format!("{signal} states lasted 3.1 times as long as on the other nodes"),
        lines: lines.clone(),
        ..Evidence::default()
    };
    let witness = |signal: &str| WitnessRow {
        method: "kahuna-wb".into(),
        signal: signal.into(),
        nodes: names.iter().enumerate().map(|(i, n)| (n.clone(), 1.0 / (i as f64 + 1.37))).collect(),
        threshold: Some(0.43),
        indicted: names.iter().take(1).cloned().collect(),
        abstained: None,
        ..WitnessRow::default()
    };
    let culprit = Culprit {
        node: names.first().cloned().unwrap_or_default(),
        cause: "cpu".into(),
        because: Rule::ProcessorTaken.in_words().into(),
        who: "operator".into(),
        since_ms: Some(1_795_227_884_210),
        until_ms: None,
        sureness: 0.97,
        sentence: "Its Maps take three times as long as on its peers.".into(),
        advice: "Look for a process that takes the CPU.".into(),
        evidence: ["Map", "ReduceReducer", "Reduce"].map(evidence).to_vec(),
    };
    Report {
        format: super::super::FORMAT.into(),
        version: super::super::VERSION,
        verdict: Verdict {
            outcome: OutcomeKind::Indicted,
            sentence: "One node is at fault.".into(),
            culprits: vec![culprit],
            ..Verdict::default()
        },
        witnesses: ["Map", "Reduce", "ReduceCopy", "ReadBlock"].map(witness).to_vec(),
        jobs: vec![JobRow { job: "job_202611202124_0001".into(), class: "infrastructure".into(), ..JobRow::default() }],
        nodes: names,
        coverage: (0..files)
            .map(|i| Coverage { file: format!("a.tgz/logs/{i}.log"), ..Coverage::default() })
            .collect::<Vec<_>>()
            .into(),
        issues: vec![IssueRow { code: "truncated".into(), ..IssueRow::default() }],
        ..Report::default()
    }
}

fn decoded(fragment: &str) -> Report {
    decode(fragment).unwrap_or_default()
}

/// Whoever opens a link and saves what it carries, or makes a link of it again, holds a report that follows still.
#[test]
fn what_a_link_left_out_stays_known() {
    let mut whole = report(700, 50);
    let culprit = &mut whole.verdict.culprits[0];
    let least = culprit.evidence[0].clone();
    culprit.evidence.resize(9, least);
    let (link, carried) = encode_within(&whole, Size::Verdict);
    let opened = decode(&link.fragment).unwrap();
    let left_out = &opened.left_out;
    assert!(left_out.iter().any(|left| left.contains("evidence")), "{left_out:?}");
    assert_eq!(opened, carried);
    assert_eq!(crate::report::file::open(opened.to_json().as_bytes()).unwrap(), opened);
    assert_eq!(decode(&encode(&opened).fragment).unwrap(), opened);
    assert_eq!(decode_whole(&encode_whole(&opened)).unwrap(), opened);
}

/// The page's address has what is looked at behind the report; whoever copies it, copies that too.
#[test]
fn what_an_address_says_behind_a_link_is_none_of_it() {
    let link = encode(&report(3, 2)).fragment;
    assert_eq!(decode(&format!("{link}&v=peers&node=node-05")).unwrap(), decode(&link).unwrap());
    let note = format!("see https://x/{link}&amp;v=peers, please");
    assert_eq!(crate::report::file::open(note.as_bytes()).unwrap(), decode(&link).unwrap());
}

/// Which words a sentence has is told by its grounds, some of which a link leaves out.
#[test]
fn link_says_the_sentence_of_the_whole_report() {
    let signals = [
        ("kahuna-bb", "levels"),
        ("slow-warnings", "bad-disk"),
        ("slow-warnings", "lost-node"),
        ("slow-warnings", "map-output-lost"),
        ("slow-warnings", "attempt-failed"),
        ("slow-warnings", "stuck"),
        ("flows", "write"),
        ("kahuna-wb", "Map"),
        ("theia", "jobs"),
    ];
    let ground = |at: usize| {
        let (method, signal) = signals[at % signals.len()];
        Evidence { method: method.into(), signal: signal.into(), ..Evidence::default() }
    };
    let leave_out = |left: &str, r: &mut Report| RUNGS.iter().find(|(name, _)| *name == left).unwrap().1(r);
    for cause in Cause::ALL.map(Cause::name) {
        for at in 0..signals.len().pow(4) {
            let evidence = (0..4).map(|i| ground(at / signals.len().pow(i))).collect();
            let culprit = Culprit { cause: cause.into(), evidence, ..Culprit::default() };
            let said = symptom::what(&culprit);
            let mut left =
                Report { verdict: Verdict { culprits: vec![culprit], ..Verdict::default() }, ..Report::default() };
            for (rung, most) in [(EVIDENCE_BEYOND_THREE, 3), (EVIDENCE_BEYOND_ONE, 1), (EVIDENCE, 1)] {
                leave_out(rung, &mut left);
                let culprit = &left.verdict.culprits[0];
                assert!(culprit.evidence.len() <= most, "{cause} {at}: {rung}");
                assert_eq!(symptom::what(culprit), said, "{cause} {at}: {rung}");
            }
        }
    }
}

#[test]
fn small_report_survives_whole_but_for_rounding() {
    let mut small = report(3, 2);
    round_scores(&mut small);
    let link = encode(&small);
    assert_eq!(link.left_out, Vec::<String>::new());
    assert_eq!(decoded(&link.fragment), small);
}

#[test]
fn large_report_keeps_its_verdict_and_says_what_is_missing() {
    let large = report(700, 5_000);
    let link = encode(&large);
    assert!(link.fragment.len() <= MAX_CHARACTERS, "{}", link.fragment.len());
    assert!(link.left_out.contains(&"coverage of single files".to_owned()));
    let back = decoded(&link.fragment);
    assert_eq!(back.verdict.outcome, large.verdict.outcome);
    for (a, b) in back.verdict.culprits.iter().zip(&large.verdict.culprits) {
        assert_eq!((&a.node, &a.cause, &a.who, a.since_ms), (&b.node, &b.cause, &b.who, b.since_ms));
        assert_eq!((a.sureness, &a.sentence, &a.advice), (b.sureness, &b.sentence, &b.advice));
    }
}

#[test]
fn what_is_not_deflated_would_not_have_fit() {
    for (nodes, files) in [(3, 200), (60, 2_000), (700, 5_000)] {
        let report = report(nodes, files);
        for size in Size::ALL {
            let mut payload = Payload { report: report.clone(), left_out: Vec::new() };
            round_scores(&mut payload.report);
            let mut left_out = Vec::new();
            for (name, leave_out) in RUNGS {
                if fragment_of(&payload).len() <= size.max_characters() {
                    break;
                }
                let before = payload.report.clone();
                leave_out(&mut payload.report);
                left_out.extend((payload.report != before).then_some(*name));
                payload.left_out = left_out.iter().map(|name| (*name).to_owned()).collect();
            }
            assert_eq!(encode_within(&report, size).0.left_out, payload.left_out, "{nodes} nodes, {}", size.name());
        }
    }
}

/// A link that has no room for attempts has it for what the heatmap says of them.
#[test]
fn attempts_that_do_not_fit_leave_their_heatmap() {
    let mut state = 7_u64;
    let mut noise = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let (jobs, each) = (5, 240);
    let n = jobs * each;
    let attempts = AttemptsFigure {
        nodes: (0..6).map(|i| format!("h10{i}")).collect(),
        compared: 6,
        jobs: (1..=jobs).map(|i| format!("job_202611202124_{i:04}")).collect(),
        jobs_ms: vec![[Some(1_795_000_000_000), Some(1_795_000_900_000)]; jobs],
        statuses: vec![1; jobs],
        job: (0..n).map(|i| u32::try_from(i / each).unwrap()).collect(),
        reduce: vec![0; n],
        task: (0..n).map(|i| u32::try_from(i % each).unwrap()).collect(),
        attempt: vec![0; n],
        node: (0..n).map(|_| noise(6) as i32).collect(),
        begin_ms: (0..n).map(|i| Some(if i == 0 { 1_795_000_000_000 } else { noise(2_000) as i64 })).collect(),
        end_ms: (0..n).map(|_| Some(5_000 + noise(9_000) as i64)).collect(),
        outcome: vec![0; n],
        bytes: (0..n).map(|_| noise(1 << 27)).collect(),
        state: vec![None; n],
        ..AttemptsFigure::default()
    };
    let mut whole = Report::default();
    whole.figures.attempts = Sealed::of(Some(&attempts));
    let opened = |size| decode(&encode_within(&whole, size).0.fragment).unwrap().figures;
    assert_eq!(opened(Size::Full).attempts.open().as_ref(), Some(&attempts));
    let less = opened(Size::Report);
    assert!(less.attempts.is_none());
    let cells = less.heatmap.open().unwrap();
    let mut expected =
        heatmap::of(&attempts.trace(whole.clock.zone()).unwrap(), Reading::Usual, &Named::default()).unwrap();
    if cells != expected {
        expected.coarsen();
    }
    assert_eq!(cells, expected, "made of all that the attempts say");
}

/// Of a month's jobs a link tells less, of a few jobs all.
#[test]
fn rows_of_few_jobs_are_not_those_of_many() {
    let row = |i: usize| JobRow { job: format!("job_1_{i:04}"), class: "none".into(), ..JobRow::default() };
    for (n, left) in [(50, 50), (51, 0)] {
        let mut report = Report { jobs: (1..=n).map(row).collect(), ..Report::default() };
        let many = RUNGS.iter().filter(|(name, _)| name.contains("many jobs"));
        many.for_each(|(_, leave_out)| leave_out(&mut report));
        assert_eq!(report.jobs.len(), left);
    }
}

#[test]
fn worst_report_still_fits() {
    let mut bad = report(300, 10);
    // Texts that deflate cannot shorten.
    let mut state = 1_u32;
    let mut noise = |n: usize| -> String {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from_u32(0x4e00 + (state >> 18)).unwrap_or('x')
        };
        (0..n).map(|_| next()).collect()
    };
    for c in &mut bad.verdict.culprits {
        (c.node, c.cause, c.who) = (noise(5_000), noise(5_000), noise(5_000));
        (c.sentence, c.advice, c.because) = (noise(5_000), noise(5_000), noise(5_000));
    }
    bad.verdict.sentence = noise(10_000);
    bad.verdict.reason = Some(noise(10_000));
    let link = encode(&bad);
    assert!(link.fragment.len() <= MAX_CHARACTERS, "{}", link.fragment.len());
    assert_eq!(decoded(&link.fragment).verdict.outcome, OutcomeKind::Indicted);
}

#[test]
fn every_cut_is_told_with_its_numbers() {
    let link = encode(&report(5, 3)).fragment;
    for n in 0..link.len() {
        let cut = link.get(..n).unwrap_or_default();
        match decode(cut) {
            Err(LinkError::Truncated { found, expected }) => assert_eq!((found, expected), (n, link.len())),
            Err(LinkError::Stub { found }) => assert!(found <= n && n < 11),
            Err(LinkError::NotALink) => assert!(n < PREFIX.len()),
            other => panic!("cut at {n}: {other:?}"),
        }
    }
}

#[test]
fn newer_version_and_punctuation_of_chats() {
    assert_eq!(decode("#r=7.AAAA"), Err(LinkError::Newer { found: 7, known: VERSION }));
    let link = encode(&report(5, 3)).fragment;
    assert!(decode(&format!("{link}).\n")).is_ok());
    assert!(matches!(decode(&format!("{link}AA")), Err(LinkError::Damaged { .. })));
    let long = format!("#r={}", "A".repeat(READ_CHARACTERS));
    assert!(matches!(decode(&long), Err(LinkError::TooLong { .. })), "not: copy it again");
}

#[test]
fn bomb_meets_the_cap() {
    // Blanks behind a report are legal; a megabyte of them deflates to a kilobyte.
    let padded = |length: usize| {
        let mut plain = serde_json::json!({ "r": report(3, 3) }).to_string().into_bytes();
        plain.resize(length, b' ');
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&plain).unwrap();
        let body = encoder.finish().unwrap();
        let mut bytes = (body.len() as u32).to_be_bytes().to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&body).to_be_bytes());
        bytes.extend_from_slice(&body);
        decode(&format!("#r=2.{}", URL_SAFE_NO_PAD.encode(bytes)))
    };
    let limit = INFLATE_LIMIT as usize;
    assert!(padded(limit).is_ok());
    assert!(matches!(padded(limit + 1), Err(LinkError::Damaged { .. })));
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in ".*") {
        let _ = decode(&text);
        let _ = decode(&format!("#r={text}"));
        let _ = decode(&format!("#r=1.{text}"));
        let _ = decode(&format!("#r=2.{text}"));
    }

    #[test]
    fn any_changed_character_is_found(at in 5_usize..400, to in "[A-Za-z0-9_-]") {
        let link = encode(&report(4, 2)).fragment;
        prop_assume!(at < link.len() - 1 && link.get(at..=at) != Some(&to));
        let mut changed = link.clone();
        changed.replace_range(at..=at, &to);
        prop_assert!(decode(&changed).is_err());
    }

    #[test]
    fn any_report_fits(nodes in 0_usize..60, files in 0_usize..60) {
        let link = encode(&report(nodes, files));
        prop_assert!(link.fragment.len() <= MAX_CHARACTERS);
        prop_assert!(decode(&link.fragment).is_ok());
    }
}
