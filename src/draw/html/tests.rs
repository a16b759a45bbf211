use super::*;
use crate::report::OutcomeKind;
use crate::report::figures::PeerFigure;
use crate::report::{Culprit, Evidence, Figures, LineRef, Suspect, Verdict, WitnessRow};

fn report() -> Report {
    let figure = PeerFigure {
        kind: "Map".into(),
        nodes: ["a", "b", "c"].map(String::from).to_vec(),
        counts: vec![3; 3],
        scores: vec![100_000, 999_900, 0],
        threshold: 432_100,
        ratios: vec![10_000, 25_000, 9_900],
        quartiles_s: vec![[1.5, 1.0, 2.0]; 3],
        distances: vec![1, 2, 3],
        durations_ms: vec![vec![5, 6, 7]; 3],
        windows_ms: vec![[0, 60_000], [15_000, 75_000]],
        window_scores: vec![100, 5000, 1, 2, 3, 100],
        ..PeerFigure::default()
    };
    let culprit = Culprit { node: "<b>b</b>".into(), cause: "cpu".into(), ..Culprit::default() };
    Report {
        format: crate::report::FORMAT.into(),
        version: crate::report::VERSION,
        verdict: Verdict {
            outcome: OutcomeKind::Indicted,
            culprits: vec![culprit],
            sentence: "<script>alert(1)</script>".into(),
            ..Verdict::default()
        },
        nodes: ["a", "b", "c"].map(String::from).to_vec(),
        witnesses: vec![WitnessRow {
            method: "kahuna-wb".into(),
            signal: "Map".into(),
            nodes: [("a", 0.1), ("b", 0.9), ("c", 0.2)].map(|(node, score)| (node.to_owned(), score)).into(),
            threshold: Some(0.4),
            indicted: vec!["b".into()],
            ..WitnessRow::default()
        }],
        figures: Figures { peers: vec![figure], ..Figures::default() },
        ..Report::default()
    }
}

#[test]
fn page_carries_its_report_and_opens_again() {
    let text = page(&report(), &Lines::new()).unwrap();
    assert_eq!(file::open(text.as_bytes()), Ok(report()));
}

#[test]
fn culprit_has_its_facts_and_one_sentence_once() {
    let mut report = report();
    report.verdict.sentence = "b is at fault".into();
    report.verdict.culprits[0].sentence = "b is at fault".into();
    report.verdict.culprits[0].sureness = 0.97;
    report.verdict.culprits[0].because = "its <b> is busy.".into();
    let text = page(&report, &Lines::new()).unwrap();
    assert_eq!(text.matches("b is at fault").count(), 1, "the headline");
    assert!(text.contains("Cause: CPU · Since: not known · Sureness (0 to 1): 0.97"), "{text}");
    assert!(text.contains("<strong>Why this cause:</strong> its &lt;b&gt; is busy.</p>"), "{text}");
    assert!(!text.contains("Recomputed here"), "a file recomputes nothing");
}

#[test]
fn what_is_said_against_a_suspect_stands_with_its_lines() {
    let at = LineRef { file: "b/x.log".into(), line: 7 };
    let evidence = Evidence { text: "b is <odd>".into(), lines: vec![at.clone()], ..Evidence::default() };
    let report = Report { suspects: vec![Suspect { node: "b".into(), evidence: vec![evidence] }], ..report() };
    let text = page(&report, &Lines::from([(at, "a <line>".to_owned())])).unwrap();
    let article = text.split("<article class=\"suspect\">").nth(1).unwrap();
    assert!(article.starts_with("<h2>Said against b, and not enough for a verdict</h2>"), "{article}");
    assert!(article.contains("<p>b is &lt;odd&gt;</p>") && article.contains("b/x.log:7 a &lt;line&gt;"), "{article}");
}

#[test]
fn of_several_culprits_each_is_said_once() {
    let mut report = report();
    let of = |node: &str| Culprit { node: node.into(), sentence: format!("{node} is odd."), ..Culprit::default() };
    report.verdict.culprits = vec![of("a"), of("b")];
    report.verdict.sentence = "a is odd. b is odd. But see job_1.".into();
    let text = page(&report, &Lines::new()).unwrap();
    assert!(text.contains("<h1>a, b are at fault. But see job_1.</h1>"), "{text}");
    assert_eq!(["a is odd.", "b is odd."].map(|said| text.matches(said).count()), [1, 1]);
}

#[test]
fn page_has_no_script_no_address_and_its_styles_hash() {
    let text = page(&report(), &Lines::new()).unwrap();
    assert!(!text.contains("<script") && !text.contains("<b>b"), "text is text");
    for outside in ["http://", "https://", "src=", "href=", "url(", "@import", " style=", " on"] {
        let found = text.replace("http://www.w3.org/2000/svg", "");
        let tags: String = found.split('<').filter_map(|part| part.split('>').next()).collect::<Vec<_>>().join(" ");
        assert!(!tags.contains(outside), "{outside}");
    }
    let style = text.split("<style>").nth(1).and_then(|t| t.split("</style>").next()).unwrap();
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    assert!(text.contains(&format!("style-src 'sha256-{hash}'")));
}

#[test]
fn figures_are_drawn_in_both_themes_with_their_tables() {
    let text = page(&report(), &Lines::new()).unwrap();
    for view in View::PEERS.into_iter().chain([View::Witnesses]) {
        assert!(text.contains(&format!("data-testid=\"view-{}\"", view.name())), "{}", view.name());
        assert!(text.contains(&format!("data-testid=\"table-{}\"", view.name())), "{}", view.name());
    }
    let figures = text.split("<h2>Peers</h2>").nth(1).unwrap();
    assert!(figures.contains("fill=\"var(--c0)\"") && !figures.contains("fill=\"#"), "every colour is a variable");
}

#[test]
fn each_row_of_a_table_says_what_it_is_of() {
    let text = page(&report(), &Lines::new()).unwrap();
    let bodies = text.split("<tbody>\n").skip(1).filter_map(|part| part.split("</tbody>").next());
    let rows: Vec<&str> = bodies.flat_map(str::lines).collect();
    assert!(rows.len() > 10, "{rows:?}");
    let is_headed = |row: &str| row.starts_with("<tr><th scope=\"row\">") && row.matches("<th").count() == 1;
    assert!(rows.iter().all(|row| is_headed(row)), "{rows:?}");
}

#[test]
fn figures_of_each_kind_have_names_of_their_own() {
    let mut report = report();
    let first = report.figures.peers[0].clone();
    report.figures.peers.push(PeerFigure { kind: "Reduce".into(), ..first });
    let text = page(&report, &Lines::new()).unwrap();
    let ids = || text.split("data-testid=\"").skip(1).filter_map(|part| part.split('"').next());
    let unlike: std::collections::BTreeSet<&str> = ids().collect();
    assert_eq!(ids().count(), unlike.len(), "{unlike:?}");
    for id in ["view-peers", "table-peers", "view-peers-Reduce", "table-peers-Reduce"] {
        assert!(unlike.contains(id), "{id}: {unlike:?}");
    }
}

#[test]
fn unlike_drawings_are_not_mixed() {
    let mut palette = Palette::default();
    assert_eq!(palette.merge("a \"#111111\" b", "a \"#222222\" b"), "a \"var(--c0)\" b");
    assert_eq!(palette.merge("a \"#111111\" b", "c \"#222222\" b"), "a \"#111111\" b");
    assert_eq!(palette.merge("a \"#111111\" b", "a"), "a \"#111111\" b");
}
