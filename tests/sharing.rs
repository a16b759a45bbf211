//! What is shared of the labelled runs: it opens again, says the same, gives no name away, and
//! two runs compared name what changed. The data are those of
//! `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "reads the data set")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test may panic and tells sizes"
)]

mod shared;

use oddnode::base::TimeZone;
use oddnode::diagnosis::Params;
use oddnode::draw::html;
use oddnode::pipeline::{Analysis, Ingest, analyse};
use oddnode::report::check::{check, enforce};
use oddnode::report::heatmap::HeatmapFigure;
use oddnode::report::key::{Key, KeyFile};
use oddnode::report::link::{Size, decode, decode_whole, encode_whole, encode_within};
use oddnode::report::scrub::{scrub, strings};
use oddnode::report::sealed::Sealed;
use oddnode::report::summary::JobSum;
use oddnode::report::{JobRow, Lines, OutcomeKind, Report, Verdict, compare, file};
use oddnode::scene::{Look, View, peers};
use oddnode::source::Limits;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const V1_LINK: &str = include_str!("shared_reports/v1.link");
const V1_REPORT: &[u8] = include_bytes!("shared_reports/v1.json");
/// `oddnode diagnose --link=verdict --real-names` of a simulated run with a processor hog, by the second version, and the report
/// that it opened to.
const V2_LINK: &str = include_str!("shared_reports/v2.link");
const V2_REPORT: &[u8] = include_bytes!("shared_reports/v2.json");

fn analysis(path: &Path) -> Analysis {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start(path.file_name().unwrap().to_str().unwrap());
    ingest.feed(&std::fs::read(path).unwrap());
    analyse(&ingest.into_digest(), &Params::default())
}

fn runs() -> Vec<(String, Analysis)> {
    if shared::data("").is_none() {
        return Vec::new();
    }
    // Of both generations: faulty, healthy, without a verdict, with system calls.
    let names = ["hadoop1/r01", "hadoop1/r06", "hadoop1/r12", "hadoop1/s01", "hadoop3/y04", "hadoop3/y30"];
    let paths: Vec<PathBuf> = names.iter().filter_map(|name| shared::data(&format!("{name}.tar.gz"))).collect();
    assert!(!paths.is_empty(), "no run of {names:?}");
    let named = |path: &PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), analysis(path));
    paths.iter().map(named).collect()
}

/// Every name of a run that must not leave: of hosts, addresses, users, jobs and paths.
fn secrets(analysis: &Analysis) -> BTreeSet<String> {
    let trace = &analysis.trace;
    let mut found: BTreeSet<String> = trace.nodes.iter().map(|n| n.name.clone()).collect();
    found.extend(trace.peers.iter().cloned());
    found.extend(trace.addresses.keys().map(ToString::to_string));
    found.extend(trace.racks.values().map(ToString::to_string));
    for job in &trace.jobs {
        found.insert(job.id.to_string());
        found.extend(job.name.as_deref().map(str::to_owned));
        found.extend(job.user.as_deref().map(str::to_owned));
    }
    for file in &trace.files {
        found.insert(file.path.clone());
        found.extend(file.path.split('/').filter(|part| part.contains(['.', '_'])).map(str::to_owned));
    }
    found
}

/// Whether a text holds a name as a word of its own.
fn holds(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric();
        let before = text[..at].chars().next_back().is_some_and(is_word);
        let after = text[at + name.len()..].chars().next().is_some_and(is_word);
        !before && !after
    })
}

#[test]
fn every_link_and_page_of_the_runs_opens_follows_and_gives_no_name_away() {
    let key = Key::from_random(*b"a key for a test");
    for (name, analysis) in runs() {
        let report = &analysis.report;
        let done = check(report);
        assert_eq!(done.refused, [], "{name}: an honest report follows from its numbers");
        let (scrubbed, key_file) = scrub(report, &key);
        assert_eq!(check(&scrubbed).refused, [], "{name}: under pseudonyms too");
        assert_eq!(scrubbed.verdict.culprits.len(), report.verdict.culprits.len());

        let secrets = secrets(&analysis);
        assert!(secrets.len() > 20, "{name}: there are names to keep");
        // The words of our own sentences are no secret where a job is called by one.
        let page = html::page(&scrubbed, &Lines::new()).unwrap();
        let mut decoded =
            vec![("page", page.clone()), ("file", scrubbed.to_json()), ("strings", strings(&scrubbed).join("\n"))];
        for size in Size::ALL {
            let (link, carried) = encode_within(&scrubbed, size);
            assert!(link.fragment.len() <= size.max_characters());
            let mut opened = decode(&link.fragment).unwrap();
            assert_eq!((&opened, &opened.left_out), (&carried, &link.left_out), "{name} {}", size.name());
            let done = enforce(&mut opened);
            assert_eq!(done.refused, [], "{name} {}", size.name());
            assert_eq!(opened.verdict.outcome, report.verdict.outcome);
            let saved = html::page(&opened, &Lines::new()).unwrap();
            assert!(!saved.contains("Refused:"), "{name} {}: what a link left out is no contradiction", size.name());
            println!("{name} {}: {} characters; {}", size.name(), link.fragment.len(), done.in_words());
            if size == Size::Verdict && report.verdict.outcome == OutcomeKind::Indicted {
                assert!(done.follow >= 5, "{name}: the shortest link carries its grounds: {done:?}");
            }
            decoded.push((size.name(), opened.to_json()));
        }
        println!(
            "{name}: page {} bytes, file {} bytes, key {} bytes",
            page.len(),
            report.to_json().len(),
            key_file.to_json().len()
        );
        for (rung, text) in &decoded {
            let found: Vec<_> = secrets.iter().filter(|secret| holds(text, secret)).collect();
            assert!(found.is_empty(), "{name} {rung}: {found:?}");
        }

        // Whoever has the key reads the real names again.
        let opened = decode(&encode_within(&scrubbed, Size::Full).0.fragment).unwrap();
        let named = KeyFile::decode(key_file.to_json().as_bytes()).unwrap().reveal(&opened).unwrap();
        assert_eq!(named.verdict.sentence, report.verdict.sentence, "{name}");
        assert_eq!(named.nodes, report.nodes, "{name}");
        let from_page = file::open(page.as_bytes()).unwrap();
        assert_eq!(from_page, scrubbed, "{name}");
        assert_eq!(decode_whole(&encode_whole(report)).unwrap(), *report, "{name}");
        assert_eq!(file::open(report.to_json().as_bytes()).unwrap(), *report, "{name}");
    }
}

#[test]
fn figures_of_a_report_are_those_of_the_logs() {
    for (name, analysis) in runs() {
        let report = file::open(analysis.report.to_json().as_bytes()).unwrap();
        let carried = peers::of_report(&report, None);
        let own = peers::comparisons(&analysis.witnesses, None);
        assert_eq!(own.keys().collect::<Vec<_>>(), carried.keys().collect::<Vec<_>>(), "{name}");
        for (kind, comparison) in own {
            let names: Vec<String> =
                comparison.nodes.iter().map(|own| analysis.trace.node_name(own.node).to_owned()).collect();
            let (again, again_names) = &carried[&kind];
            let look = Look { width_css_px: 800.0, ..Look::default() };
            for view in View::PEERS {
                let a = peers::lay_out(view, peers::Peers { comparison, names: &names, zone: TimeZone::Utc }, &look);
                let b = peers::lay_out(
                    view,
                    peers::Peers { comparison: again, names: again_names, zone: TimeZone::Utc },
                    &look,
                );
                assert_eq!(a.table, b.table, "{name} {kind:?} {view:?}");
                assert_eq!(
                    (a.marks.len(), a.rasters.len()),
                    (b.marks.len(), b.rasters.len()),
                    "{name} {kind:?} {view:?}"
                );
                // Nodes whose scores differ by less than is carried may change places.
                let says = |scene: &oddnode::scene::Scene| {
                    let hits = scene.hits.iter().map(|h| h.says.iter().cloned().collect::<BTreeSet<_>>());
                    hits.collect::<Vec<_>>()
                };
                assert_eq!(says(&a), says(&b), "{name} {kind:?} {view:?}");
            }
        }
    }
}

#[test]
fn control_and_faulty_run_compared_name_the_node_and_the_change() {
    let Some(data) = shared::data("") else { return };
    // A sort without a fault, and the same sort with a processor hog on h103.
    let truth: serde_json::Value =
        serde_json::from_slice(&std::fs::read(data.join("hadoop1/truth.json")).unwrap()).unwrap();
    let workload = |run: &str| {
        let rows = truth.as_array().unwrap();
        rows.iter()
            .find(|row| row["run"] == run)
            .map(|row| (row["workload"].clone(), row["fault"].clone(), row["node"].clone()))
    };
    let (work, fault, node) = workload("r06").unwrap();
    let control = truth
        .as_array()
        .unwrap()
        .iter()
        .find(|row| {
            row["fault"] == "none"
                && row["workload"] == work
                && data.join(format!("hadoop1/{}.tar.gz", row["run"].as_str().unwrap())).exists()
        })
        .unwrap();
    let control = control["run"].as_str().unwrap();
    let of = |run: &str| analysis(&data.join(format!("hadoop1/{run}.tar.gz"))).report;
    let (a, b) = (of(control), of("r06"));
    let difference = compare::compare(&a, &b);
    println!("{control} and r06 ({fault}): {}", difference.sentence);
    let node = node.as_str().unwrap();
    assert!(difference.sentence.starts_with(&format!("Now: {node} (")), "{}", difference.sentence);
    assert!(difference.sentence.contains(&format!(" on {node} takes ")), "{}", difference.sentence);
    assert!(difference.states.first().is_some_and(|c| c.apart && c.node == node), "{:?}", difference.states.first());
    // A link of the control run and the archive of the other compare the same.
    let linked = decode(&encode_within(&a, Size::Full).0.fragment).unwrap();
    assert_eq!(compare::compare(&linked, &b).sentence, difference.sentence);
}

#[test]
fn links_and_reports_of_the_first_version_open() {
    let report = decode(V1_LINK).unwrap();
    assert_eq!((report.verdict.culprits[0].node.as_str(), report.verdict.culprits[0].cause.as_str()), ("h103", "cpu"));
    let done = check(&report);
    assert_eq!(done.refused, [], "{done:?}");
    assert!(done.unchecked.contains(&"sureness"), "the first version carried no weights: {done:?}");
    assert!(!html::page(&report, &Lines::new()).unwrap().contains("Refused:"), "saved again");
    // What a link says it left out is known; what is gone without a word is a contradiction.
    let culprits = Vec::new();
    let less = Report { verdict: Verdict { culprits, ..report.verdict.clone() }, ..report.clone() };
    assert!(html::page(&less, &Lines::new()).unwrap().contains("Refused:"));
    let whole = file::open(V1_REPORT).unwrap();
    assert_eq!(whole.verdict.sentence, report.verdict.sentence);
    assert!(whole.figures.peers.is_empty() && check(&whole).refused.is_empty());
    assert!(encode_within(&whole, Size::Verdict).0.fragment.starts_with("#r=2."));
}

#[test]
fn link_of_the_second_version_opens_to_the_report_that_it_opened_to() {
    assert!(V2_LINK.starts_with("#r=2."));
    let report = decode(V2_LINK).unwrap();
    assert_eq!(report, file::open(V2_REPORT).unwrap());
    let [culprit] = report.verdict.culprits.as_slice() else { panic!("{:?}", report.verdict) };
    assert_eq!((&*culprit.node, &*culprit.cause, culprit.since_ms), ("n002", "cpu", Some(1_262_595_623_000)));
    let done = check(&report);
    assert!(done.refused.is_empty() && done.follow >= 5, "{done:?}");
}

/// A month as Theia's: 64 nodes, 1,373 jobs. The numbers are noise, which deflates worst.
#[test]
fn month_of_a_large_cluster_fits_its_links() {
    let mut state = 1_u64;
    let mut noise = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut report = oddnode::report::Report { format: "oddnode-report".into(), version: 1, ..Report::default() };
    report.nodes = (0..64).map(|i| format!("cloud{i:02}.example.org")).collect();
    report.verdict.outcome = OutcomeKind::Clean;
    for i in 0..1373 {
        let job = format!("job_201110{:02}_{i:04}", 1 + i / 45);
        let name = Some(format!("HALFCAM{}_kmeans_iteration_{}", noise(9), i % 7));
        let class = if noise(9) == 0 { "application" } else { "none" };
        let start_ms = 1_317_427_200_000 + noise(2_592_000_000) as i64;
        report.jobs.push(JobRow {
            job: job.clone(),
            class: class.into(),
            name: name.clone(),
            status: "success".into(),
            ..JobRow::default()
        });
        report.summary.jobs.push(JobSum {
            job,
            name,
            start_ms: Some(start_ms),
            finish_ms: Some(start_ms + noise(9_000_000) as i64),
            maps: Some(noise(3000)),
            reduces: Some(noise(64)),
            attempts: noise(3100),
            failed: noise(9),
            read_bytes: Some(noise(1 << 40) as i64),
            written_bytes: Some(noise(1 << 40) as i64),
            ..JobSum::default()
        });
    }
    // Scores as most are, and of one node in fifty jobs as few are.
    let cell = |row: usize, i: usize, noise: &mut dyn FnMut(u64) -> u64| match noise(7) {
        0 => '.',
        _ if row == 17 && (900..950).contains(&i) => '/',
        _ => char::from_digit(10 + (noise(13) + noise(13)) as u32, 36).unwrap(),
    };
    let cells = HeatmapFigure {
        nodes: report.nodes.clone(),
        jobs: report.jobs.iter().map(|job| job.job.clone()).collect(),
        begin_ms: (0..1373).map(|i| Some(if i == 0 { 1_317_427_200_000 } else { noise(3_700_000) as i64 })).collect(),
        highest: 1.0,
        literal: false,
        cells: (0..64).map(|row| (0..1373).map(|i| cell(row, i, &mut noise)).collect()).collect(),
        whole: None,
    };
    report.figures.heatmap = Sealed::of(Some(&cells));
    report.compared = Some(64);
    report.verdict.sentence = oddnode::report::sentence::of_verdict(&report);
    let (scrubbed, key_file) = scrub(&report, &Key::from_random([9; 16]));
    for size in Size::ALL {
        let (link, carried) = encode_within(&scrubbed, size);
        println!(
            "month, {}: {} characters; left out: {:?}; jobs {}",
            size.name(),
            link.fragment.len(),
            link.left_out,
            carried.summary.jobs.len()
        );
        assert!(link.fragment.len() <= size.max_characters());
        let opened = decode(&link.fragment).unwrap();
        assert_eq!(check(&opened).refused, [], "{}", size.name());
        let cells = opened.figures.heatmap.open().map(|cells| (cells.nodes.len(), cells.jobs.len(), cells.whole));
        assert_eq!(cells.is_some_and(|cells| cells == (64, 1373, None)), size == Size::Full, "{cells:?}");
    }
    let page = html::page(&scrubbed, &Lines::new()).unwrap();
    println!(
        "month: page {} bytes, file {} bytes, key {} bytes",
        page.len(),
        report.to_json().len(),
        key_file.to_json().len()
    );
}
