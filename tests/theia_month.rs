//! A made month of the paper's cluster through the whole pipeline: classes and incidents
//! beside what was planted, laid out as Theia's Table 2.
//!
//! A tenth of the month is run here; `cargo test --release --features cli --test theia_month
//! -- --ignored --nocapture` runs the whole of it, measures, and holds it to `docs/scale.md`: with `ODDNODE_MONTH` one format
//! of the two, with `ODDNODE_SEEDS` other seeds, with `ODDNODE_SHARE=4` a quarter, with
//! `ODDNODE_DATANODES` the slaves' logs beside the histories.
#![allow(clippy::disallowed_methods, reason = "the whole month is written to a file and timed")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod memory;
mod month;

use month::{Kind, Month, PAPER, Planted, Scale};
use oddnode::diagnosis::Params;
use oddnode::model::Digest;
use oddnode::pipeline::{self, Ingest};
use oddnode::report::Report;
use oddnode::source::Limits;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The month's text is so many times its digest at the least, by format.
const LEAST_OF_JHIST: u64 = 60;
const LEAST_OF_V1: u64 = 40;

const TENTH: Scale =
    Scale { nodes: 64, jobs: 200, tasks: 90_000, days: 8, application: 24, skew: 2, seen: 6, blacklisted: 1, idle: 2 };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    V1,
    Jhist,
}

/// What was planted, by job and by incident.
struct Truth {
    jobs: BTreeMap<String, Planted>,
    /// Jobs of which an attempt began on a sick node.
    touched: BTreeMap<String, bool>,
    sick: Vec<month::Sick>,
    attempts: usize,
}

/// Makes the histories, and with `datanodes` the slaves' logs beside them.
fn make(scale: Scale, seed: u64, format: Format, datanodes: bool, mut take: impl FnMut(&str, &[u8])) -> Truth {
    let mut month = Month::new(scale, seed);
    let mut truth = Truth { jobs: BTreeMap::new(), touched: BTreeMap::new(), sick: month.sick.clone(), attempts: 0 };
    while let Some(job) = month.next_job() {
        let (id, name, text) = match format {
            Format::V1 => (job.id(), job.v1_name(), job.v1()),
            Format::Jhist => (job.jhist_id(), format!("{}.jhist", job.jhist_id()), job.jhist()),
        };
        take(&format!("history/{name}"), text.as_bytes());
        let ill = |a: &month::Attempt| {
            month.sick.iter().any(|s| s.node == a.node && s.from_ms <= a.start_ms && a.start_ms < s.to_ms)
        };
        truth.touched.insert(id.clone(), job.attempts.iter().any(ill));
        truth.attempts += job.attempts.len();
        truth.jobs.insert(id, job.planted);
    }
    for node in (0..scale.nodes).filter(|_| datanodes) {
        let (name, text) = month::daemons::datanode(&month, node, seed);
        take(&name, text.as_bytes());
    }
    truth
}

/// The table, and what it must not say.
fn judge(truth: &Truth, report: &Report) -> (String, Vec<String>) {
    let mut wrong = Vec::new();
    let mut of = |planted: Planted, class: &str| {
        let asked = truth.jobs.iter().filter(|(_, p)| **p == planted);
        let found = |id: &str| report.jobs.iter().any(|j| j.job == id && j.class == class);
        let (all, hit) = asked.fold((0, 0), |(all, hit), (id, _)| {
            if !found(id) {
                wrong.push(format!("missed: {id} {planted:?}"));
            }
            (all + 1, hit + usize::from(found(id)))
        });
        (all, hit)
    };
    let application = of(Planted::Application, "application");
    let skew = of(Planted::Skew, "skew");
    let meets = |s: &month::Sick, i: &oddnode::report::IncidentRow| {
        i.node == month::write::node(s.node) && i.from_ms < s.to_ms && s.from_ms < i.to_ms
    };
    let mut infrastructure = BTreeMap::new();
    for s in &truth.sick {
        let seen = report.incidents.iter().any(|i| meets(s, i));
        let entry: &mut (usize, usize) = infrastructure.entry(format!("{:?}", s.kind)).or_default();
        *entry = (entry.0 + 1, entry.1 + usize::from(seen));
        // While nothing runs a history is silent: such faults are missed without other logs.
        if s.kind != Kind::Idle && !seen {
            wrong.push(format!(
                "missed: {:?} incident of {} from {} to {}",
                s.kind,
                month::write::node(s.node),
                s.from_ms,
                s.to_ms
            ));
        }
    }
    for i in report.incidents.iter().filter(|i| !truth.sick.iter().any(|s| meets(s, i))) {
        wrong.push(format!("no such incident: {i:?}"));
    }
    for j in &report.jobs {
        let clean = truth.jobs[&j.job] == Planted::Nothing && !truth.touched[&j.job];
        if clean && j.class != "none" {
            wrong.push(format!("claimed on a clean job: {} {} {}", j.job, j.class, j.rule));
        }
    }
    let clean = truth.jobs.iter().filter(|(id, p)| **p == Planted::Nothing && !truth.touched[*id]).count();
    let sum = |kinds: &[&str]| {
        kinds.iter().filter_map(|k| infrastructure.get(*k)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
    };
    let all = sum(&["Seen", "Blacklisted", "Idle"]);
    let mut table = String::new();
    let mut row = |name: &str, (all, hit): (usize, usize), paper: &str| {
        writeln!(table, "{name:34} {all:6} {hit:10}   {paper}").unwrap();
    };
    row("Application-level problem", application, "157 of 157");
    row("Data-skew", skew, "2 of 2");
    row("Infrastructural problem", all, "33 of 45");
    row("  nothing ran there: blacklisted", sum(&["Blacklisted"]), "0 of 4");
    row("  nothing ran there: idle", sum(&["Idle"]), "0 of 8");
    writeln!(table, "claims on {clean} clean jobs: {}", wrong.iter().filter(|w| w.starts_with("claimed")).count())
        .unwrap();
    (format!("{:34} {:>6} {:>10}   {}\n{table}", "Type", "total", "diagnosed", "paper"), wrong)
}

fn report_of(digest: &Digest) -> Report {
    pipeline::analyse(digest, &Params::default()).report
}

fn run(scale: Scale, seed: u64, format: Format, datanodes: bool) -> (Truth, Report) {
    let mut ingest = Ingest::new(Limits::default());
    let truth = make(scale, seed, format, datanodes, |name, bytes| {
        ingest.start(name);
        ingest.feed(bytes);
    });
    (truth, report_of(&ingest.into_digest()))
}

#[test]
fn tenth_of_a_month_gets_its_classes_and_nothing_else() {
    for (seed, format, datanodes) in [(1, Format::V1, false), (2, Format::Jhist, true)] {
        let (truth, report) = run(TENTH, seed, format, datanodes);
        let (table, wrong) = judge(&truth, &report);
        println!("{format:?}, seed {seed}, {} attempts\n{table}", truth.attempts);
        let planted = |kind| truth.sick.iter().filter(|s| s.kind == kind).count();
        let of_kinds = [Kind::Seen, Kind::Blacklisted, Kind::Idle].map(planted);
        assert_eq!(of_kinds, [TENTH.seen, TENTH.blacklisted, TENTH.idle], "seed {seed}");
        assert!(wrong.is_empty(), "{wrong:#?}");
        let sick: Vec<String> = truth.sick.iter().map(|s| month::write::node(s.node)).collect();
        assert!(report.verdict.culprits.iter().all(|c| sick.contains(&c.node)), "{}", report.verdict.sentence);
    }
}

#[test]
fn both_formats_tell_the_same() {
    let small =
        Scale { nodes: 12, jobs: 24, tasks: 3_000, days: 2, application: 4, skew: 1, seen: 1, blacklisted: 0, idle: 0 };
    let classes = |format| {
        let (_, report) = run(small, 7, format, false);
        let of = |j: &oddnode::report::JobRow| format!("{} {}", j.job.rsplit_once('_').unwrap().1, j.class);
        report.jobs.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(classes(Format::V1), classes(Format::Jhist));
}

/// Formats, seeds and share of the month that are asked for.
fn asked() -> (Vec<Format>, Vec<u64>, usize) {
    let formats = match std::env::var("ODDNODE_MONTH").as_deref() {
        Ok("v1") => vec![Format::V1],
        Ok("jhist") => vec![Format::Jhist],
        _ => vec![Format::V1, Format::Jhist],
    };
    let seeds = std::env::var("ODDNODE_SEEDS").unwrap_or_else(|_| "2012".to_owned());
    let share = std::env::var("ODDNODE_SHARE").map_or(1, |n| n.parse().unwrap());
    (formats, seeds.split(',').map(|s| s.parse().unwrap()).collect(), share)
}

/// One part of so many of the paper's month, with as much of everything.
fn part(share: usize) -> Scale {
    let of = |n: usize| n.div_ceil(share);
    Scale {
        nodes: PAPER.nodes,
        jobs: of(PAPER.jobs),
        tasks: of(PAPER.tasks),
        days: PAPER.days / share as i64,
        application: of(PAPER.application),
        skew: of(PAPER.skew),
        seen: of(PAPER.seen),
        blacklisted: of(PAPER.blacklisted),
        idle: of(PAPER.idle),
    }
}

#[test]
#[ignore = "the whole month: minutes, and gigabytes of text"]
fn whole_month() {
    let (formats, seeds, share) = asked();
    let datanodes = std::env::var("ODDNODE_DATANODES").is_ok();
    for (format, seed) in formats.iter().flat_map(|f| seeds.iter().map(move |s| (f, s))) {
        let mut ingest = Ingest::new(Limits::default());
        let mut bytes = 0_u64;
        let mut reading = Duration::ZERO;
        let truth = make(part(share), *seed, *format, datanodes, |name, text| {
            let begun = Instant::now();
            ingest.start(name);
            ingest.feed(text);
            ingest.finish_input();
            reading += begun.elapsed();
            bytes += text.len() as u64;
        });
        println!("read: at most {} MB held", peak_mb());
        let digest = ingest.into_digest();
        let encoded = digest.encode().len();
        println!("digest: {} MB, 1/{} of the text", encoded / 1_000_000, bytes / encoded as u64);
        let begun = Instant::now();
        let trace = oddnode::states::build(&digest, None);
        println!("trace: {:?}, at most {} MB held; {} states", begun.elapsed(), peak_mb(), trace.states.len());
        drop(trace);
        let begun = Instant::now();
        let report = report_of(&digest);
        let analysing = begun.elapsed();
        let (table, wrong) = judge(&truth, &report);
        println!(
            "{format:?}, seed {seed}: {} attempts, {} MB of text, read in {reading:?}, analysed in {analysing:?}, at most {} MB held",
            truth.attempts,
            bytes / 1_000_000,
            peak_mb()
        );
        println!("{table}{}\n{}", wrong.join("\n"), report.verdict.sentence);
        // Where nothing runs on a node a history alone may miss it; all else is told, and nothing that is not so.
        let missed_idle = |wrong: &&String| wrong.starts_with("missed: Blacklisted");
        let wrong: Vec<&String> = wrong.iter().filter(|wrong| datanodes || !missed_idle(wrong)).collect();
        assert!(wrong.is_empty(), "{format:?}, seed {seed}: {wrong:#?}");
        let least = if *format == Format::Jhist { LEAST_OF_JHIST } else { LEAST_OF_V1 };
        assert!(bytes >= least * encoded as u64, "{bytes} bytes of text, {encoded} of digest");
    }
}

/// The most memory that this process held.
fn peak_mb() -> u64 {
    memory::peak_kib().unwrap_or(0) * 1024 / 1_000_000
}
