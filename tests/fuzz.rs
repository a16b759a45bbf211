//! Samples of every format and container, mutated: nothing panics, hangs or grows beyond
//! its input's limits. Digests, mutated behind a checksum that fits: damage, or a digest that
//! can be analysed. Links, reports and keys, mutated: the right report or a named error.
//!
//! Each entry of the registries gets `$ODDNODE_FUZZ_SECONDS` (one, if not set) and runs
//! the same cases in the same order every time; `$ODDNODE_FUZZ_FROM` begins at a later
//! case, `$ODDNODE_FUZZ_ONLY` names those that are asked (`jhist,zip`). A case that fails is
//! named with its number.
#![allow(clippy::disallowed_methods, reason = "a fuzz run reads samples and the clock")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod memory;
mod packing;
mod shared;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oddnode::base::crc::Crc;
use oddnode::base::{AttemptId, TimeZone};
use oddnode::diagnosis::Params;
use oddnode::draw::html;
use oddnode::format::FORMATS;
use oddnode::model::Digest;
use oddnode::model::digest::{MAGIC, VERSION};
use oddnode::pipeline::{self, Ingest, Views};
use oddnode::report::attempts::AttemptsFigure;
use oddnode::report::figures::PeerFigure;
use oddnode::report::flow::{FlowFigure, GroupFigure};
use oddnode::report::heatmap::HeatmapFigure;
use oddnode::report::key::{Key, KeyFile};
use oddnode::report::link::{self, Size};
use oddnode::report::metrics::MetricsFigure;
use oddnode::report::sealed::Sealed;
use oddnode::report::summary::{JobSum, NodeSum, StateSum};
use oddnode::report::{Lines, Report, Suspect, check, compare, file, scrub, ticket};
use oddnode::scene::carried::Carried;
use oddnode::scene::{Look, Selection, View, differences, peers};
use oddnode::source::container::CONTAINERS;
use oddnode::source::{Limits, Unpacker, Visitor};
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// A case is at most this long: long enough for every length field to lie in.
const CASE_BYTES: usize = 160 * 1024;
/// What a decompressor may give for a case, whatever its length.
const LIMITS: Limits =
    Limits { depth: 8, ratio: 100, ratio_from: 1 << 20, line_bytes: 1 << 20, members: 100_000, held_bytes: 64 << 20 };
/// A case of this length may take so long on a machine that does much else; the worst
/// that the limits allow takes a tenth.
const CASE_TIME: Duration = Duration::from_secs(30);
/// All of it may use so much memory: the windows of two streams at a time, and the program.
const MEMORY_KIB: u64 = 400_000;
/// One case in so many goes through to the report.
const ANALYSED: u64 = 8;

/// splitmix64: small, seeded, the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        (self.roll() % n.max(1) as u64) as usize
    }
}

/// Values that lengths and counts lie with.
const LIES: [u64; 8] = [0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, u64::MAX];

fn mutated(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seeds[dice.below(seeds.len())].clone();
    for _ in 0..=dice.below(6) {
        let (at, other) = (dice.below(bytes.len()), dice.below(bytes.len() + 1));
        let (from, to) = (at.min(other), at.max(other));
        match dice.below(9) {
            0 | 1 if !bytes.is_empty() => bytes[at] ^= 1 << dice.below(8),
            2 if !bytes.is_empty() => bytes[at] = dice.roll() as u8,
            3 => bytes.truncate(at),
            4 => {
                let part = bytes[from..to.min(from + 4096)].to_vec();
                bytes.splice(to..to, part);
            }
            5 => {
                let donor = &seeds[dice.below(seeds.len())];
                let start = dice.below(donor.len());
                let part = donor[start..donor.len().min(start + dice.below(4096))].to_vec();
                bytes.splice(from..to.min(from + 4096), part);
            }
            6 => _ = bytes.drain(from..to.min(from + 1 + dice.below(64))),
            7 => {
                let (lie, width) = (LIES[dice.below(LIES.len())], [1, 2, 4, 8][dice.below(4)]);
                let lie = if dice.below(2) == 0 { lie.to_le_bytes() } else { lie.to_be_bytes() };
                let lie = if dice.below(2) == 0 { &lie[..width] } else { &lie[8 - width..] };
                for (to, from) in bytes.iter_mut().skip(at).zip(lie) {
                    *to = *from;
                }
            }
            _ => {
                // A number in text, made absurd.
                if let Some(digit) = bytes[from..].iter().position(u8::is_ascii_digit) {
                    let number = ["99999999999999999999", "-1", "0", "18446744073709551615", "4294967296"];
                    let number = number[dice.below(number.len())];
                    bytes.splice(from + digit..=from + digit, number.bytes());
                }
            }
        }
    }
    bytes.truncate(CASE_BYTES);
    bytes
}

/// Counts what comes out.
#[derive(Default)]
struct Count {
    bytes: u64,
    members: u64,
}

impl Visitor for Count {
    fn open(&mut self, _path: &str) {
        self.members += 1;
    }
    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        self.bytes += bytes.len() as u64;
        None
    }
    fn close(&mut self) {}
    fn issue(&mut self, _path: &str, _code: oddnode::base::Code) {}
}

/// Takes a case through unpacking and parsing, and now and then to the report.
fn take(path: &str, case: &[u8], number: u64, dice: &mut Dice) {
    let mut count = Count::default();
    let mut unpacker = Unpacker::new(path, &LIMITS);
    unpacker.feed(case, &mut count);
    unpacker.finish(&mut count);
    // Every level of nesting is held to the ratio of the input's next block of 64 KiB.
    let allowed = LIMITS.ratio_from.max(LIMITS.ratio * 65_536 * (case.len() as u64 / 65_536 + 1)) + case.len() as u64;
    assert!(count.bytes <= allowed, "{} bytes of {}", count.bytes, case.len());
    assert!(count.members <= LIMITS.members + 1, "{} members", count.members);

    let mut ingest = Ingest::new(LIMITS);
    ingest.start(path);
    let mut rest = case;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at((1 + dice.below(8192)).min(rest.len()));
        ingest.feed(piece);
        rest = behind;
    }
    let digest = ingest.into_digest();
    if number.is_multiple_of(ANALYSED) {
        analysed(&digest);
    }
}

/// Takes what was read to the report and to every figure.
fn analysed(digest: &Digest) {
    let analysis = pipeline::analyse(digest, &Params::default());
    assert!(!analysis.report.to_json().is_empty());
    let views = Views::new(analysis);
    for view in View::ALL {
        let _ = views.lay_out(view, &Look { width_css_px: 700.0, ..Look::default() });
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Whether others are asked for, and this target is not.
fn is_left_out(name: &str) -> bool {
    std::env::var("ODDNODE_FUZZ_ONLY").is_ok_and(|only| only.split(',').all(|one| one != name))
}

/// Takes cases one after the other for as long as is asked, one at least, and names the one that fails; `take` is given
/// the case's number and says whether it was of use. Returns how many were, of how many.
fn cases(name: &str, mut take: impl FnMut(u64, &mut Dice) -> bool) -> (u64, u64) {
    let budget = Duration::from_secs(variable("ODDNODE_FUZZ_SECONDS").unwrap_or(1));
    let first = variable("ODDNODE_FUZZ_FROM").unwrap_or(0);
    if is_left_out(name) {
        return (0, 0);
    }
    let begin = Instant::now();
    let (mut number, mut of_use) = (first, 0);
    // On a machine that does much else all the time may be over before the first.
    while number == first || begin.elapsed() < budget {
        let mut dice = Dice(number ^ u64::from(crc32fast::hash(name.as_bytes())) << 32);
        let started = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| take(number, &mut dice)));
        assert!(result.is_ok(), "{name}: case {number} failed");
        assert!(started.elapsed() < CASE_TIME, "{name}: case {number} took {:?}", started.elapsed());
        of_use += u64::from(result.unwrap_or(false));
        number += 1;
    }
    (of_use, number - first)
}

fn fuzz(name: &str, paths: &[&str], seeds: &[Vec<u8>]) {
    assert!(!seeds.is_empty(), "no sample of {name}");
    let (_, all) = cases(name, |number, dice| {
        let case = mutated(seeds, dice);
        let path = paths[dice.below(paths.len())];
        take(path, &case, number, dice);
        true
    });
    assert!(all > 0 || is_left_out(name), "no case of {name}");
    println!("{name}: {all} cases");
}

/// All files of a format's samples.
fn logs(format: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(format);
    let mut files = Vec::new();
    for version in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let mut paths: Vec<_> = std::fs::read_dir(version.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| path.file_name().is_some_and(|name| name != "README.md"));
        paths.sort();
        files.extend(paths.iter().map(|path| std::fs::read(path).unwrap()));
    }
    files
}

/// Logs as collectors wrap them.
#[test]
fn mutated_wrapped_logs_are_taken() {
    let wraps: [fn(&str) -> String; 7] = [
        |line| format!("Nov 21 02:15:47 h301 datanode[4242]: {line}\n"),
        |line| format!("2026-11-21T02:15:47.791000123Z stdout F {line}\n"),
        |line| format!("{}\n", serde_json::json!({ "log": format!("{line}\n"), "hostname": "h301" })),
        |line| format!("\"{}\",h301\n", line.replace('"', "\"\"")),
        |line| {
            line.split_once(' ')
                .map_or_else(String::new, |(day, rest)| format!("[{day}T{}\n", rest.replacen(' ', "] ", 1)))
        },
        |line| {
            let message = line.split_once(": ").map_or(line, |(_, message)| message);
            let (at, logger) = ("2026-11-21T02:15:47.791Z", "org.apache.hadoop.hdfs.server.datanode.DataNode");
            let object =
                serde_json::json!({ "@timestamp": at, "level": "INFO", "logger_name": logger, "message": message });
            format!("{object}\n")
        },
        |line| {
            let message = line.split_once(": ").map_or(line, |(_, message)| message);
            format!(
                "<log4j:event logger=\"x.DataNode\" timestamp=\"1795227348209\" level=\"INFO\" thread=\"main\">\n\
                 <log4j:message><![CDATA[{message}]]></log4j:message>\n</log4j:event>\n\n"
            )
        },
    ];
    let logs = ["datanode", "nodemanager", "tasktracker"].iter().flat_map(|format| logs(format));
    let texts: Vec<String> = logs.map(|log| String::from_utf8_lossy(&log).into_owned()).collect();
    let wrapped =
        texts.iter().flat_map(|text| wraps.map(|wrap| text.lines().map(wrap).collect::<String>().into_bytes()));
    let mut seeds: Vec<Vec<u8>> = wrapped.collect();
    seeds.retain(|seed| seed.len() <= CASE_BYTES);
    fuzz("wrapped", &["x", "h301/logs/hadoop-u-datanode-h301.log"], &seeds);
}

#[test]
fn mutated_containers_are_taken() {
    for container in CONTAINERS {
        let of_kind = packing::samples().into_iter().filter(|(name, _)| *name == container.name);
        let mut seeds: Vec<Vec<u8>> = of_kind.map(|(_, bytes)| bytes).collect();
        seeds.retain(|seed| seed.len() <= CASE_BYTES);
        fuzz(container.name, &["x", "h301_45454"], &seeds);
    }
    assert_memory();
}

#[test]
fn mutated_logs_are_taken() {
    for format in FORMATS {
        let about = format.about();
        let mut seeds = logs(about.name);
        seeds.push(about.samples.join("\n").into_bytes());
        fuzz(about.name, &["h101/x.log", "userlogs/attempt_1_0001_r_000001_0/syslog"], &seeds);
    }
    assert_memory();
}

/// What a digest's first frame holds.
fn frame_of(digest: &[u8]) -> Vec<u8> {
    let length = u32::from_le_bytes(digest[16..20].try_into().unwrap()) as usize;
    let mut plain = Vec::new();
    flate2::read::DeflateDecoder::new(&digest[24..24 + length]).read_to_end(&mut plain).unwrap();
    plain
}

fn deflated(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// A digest of one frame whose checksum and count fit, whatever it holds.
fn digest_of(plain: &[u8]) -> Vec<u8> {
    let body = deflated(plain);
    let files = plain.first_chunk::<4>().map_or(0, |count| u32::from_le_bytes(*count));
    let mut bytes = [MAGIC, &[VERSION]].concat();
    bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(&0_u32.to_le_bytes());
    bytes.extend_from_slice(&u64::from(files).to_le_bytes());
    bytes
}

#[test]
fn mutated_digests_are_damage_or_a_digest() {
    let of_format = |name: &str| {
        let mut ingest = Ingest::new(LIMITS);
        for (i, log) in logs(name).into_iter().enumerate() {
            ingest.start(&format!("h10{i}/x.log"));
            ingest.feed(&log);
            ingest.finish_input();
        }
        frame_of(&ingest.into_digest().encode())
    };
    let mut seeds: Vec<Vec<u8>> = FORMATS.iter().map(|format| of_format(format.about().name)).collect();
    seeds.retain(|seed| (1..=CASE_BYTES).contains(&seed.len()));
    assert!(seeds.len() > 20, "{} seeds", seeds.len());
    for seed in &seeds {
        assert!(Digest::decode(&digest_of(seed)).is_ok(), "the seed itself is read");
    }
    let (read, all) = cases("digest", |_, dice| {
        let Ok(digest) = Digest::decode(&digest_of(&mutated(&seeds, dice))) else { return false };
        analysed(&digest);
        assert!(Digest::decode(&digest.encode()).is_ok());
        true
    });
    println!("digest: {all} cases, {read} read and analysed");
    assert_memory();
}

/// A report with everything that is drawn and compared, small enough to be mutated in all its parts.
fn shared_report() -> Report {
    let mut report = file::open(include_bytes!("shared_reports/v1.json")).unwrap();
    let figure = PeerFigure {
        kind: "Map".into(),
        nodes: report.nodes.clone(),
        counts: vec![3; 6],
        scores: vec![100_000, 200_000, 999_999, 0, 5, 7],
        threshold: 500_000,
        ratios: vec![10_000; 6],
        quartiles_s: vec![[1.5, 1.0, 2.5]; 6],
        distances: (0..15).map(|i| i * 60_000).collect(),
        durations_ms: vec![vec![1000, 1500, 2500]; 6],
        windows_ms: vec![[1_795_227_884_210, 1_795_227_944_210], [1_795_227_899_210, 1_795_227_959_210]],
        window_scores: vec![-1, 5, 500_000, 3, 4, 5, 6, 7, 8, 9, 10, -1],
        ..PeerFigure::default()
    };
    report.figures.peers.push(figure);
    let node = |name: &String| (name.clone(), NodeSum { count: 4, total_ms: 8000, median_ms: 2000 });
    report.summary.states.push(StateSum { kind: "Map".into(), nodes: report.nodes.iter().map(node).collect() });
    let job = JobSum {
        job: "job_1_0001".into(),
        name: Some("sorter".into()),
        start_ms: Some(0),
        finish_ms: Some(9),
        ..JobSum::default()
    };
    report.summary.jobs.push(job);
    let attempts = AttemptsFigure {
        nodes: report.nodes.clone(),
        compared: 6,
        jobs: vec!["job_1_0001".into()],
        jobs_ms: vec![[Some(1_795_227_884_210), None]],
        statuses: vec![1],
        until_ms: Some(1_795_227_984_210),
        blacklisted: vec![(3, -1, 1_795_227_884_310), (4, 0, 5)],
        flow: Some(flow()),
        job: vec![0; 8],
        reduce: vec![0, 0, 0, 0, 0, 0, 1, 1],
        task: vec![0, 1, 2, 3, 4, 5, 0, 1],
        attempt: vec![0; 8],
        node: vec![0, 1, 2, 3, 4, 5, 0, -1],
        begin_ms: vec![Some(1_795_227_884_220), Some(5), Some(7), None, Some(-3), Some(11), Some(900), Some(4)],
        end_ms: vec![Some(9_000), Some(8_000), Some(30_000), Some(40), Some(9_500), None, Some(20_000), Some(21_000)],
        outcome: vec![0, 0, 0, 1, 2, -1, 0, 0],
        bytes: vec![67_108_864; 8],
        state: vec![
            Some((120, -80, 0)),
            Some((0, 0, 0)),
            None,
            None,
            Some((5, 5, 2)),
            Some((0, 30_000, -2)),
            Some((0, 0, 0)),
            Some((1, 2, -1)),
        ],
    };
    report.figures.attempts = Sealed::of(Some(&attempts));
    report
}

/// What six nodes read, sent and wrote for one job.
fn flow() -> FlowFigure {
    FlowFigure {
        nodes: (0..6).collect(),
        into_maps: vec![67_108_864; 6],
        local: vec![1_000; 6],
        between: (0..36).map(|i| i * 1_000).collect(),
        out: vec![5_000_000; 6],
        unknown: 7,
        groups: vec![GroupFigure { paths: 12, millis: [1, 2, 3, 4, 5, 6, 7], bytes: [7, 6, 5, 4, 3, 2, 1] }; 2],
        critical: Some(1),
        paths: 24,
        reduces: true,
        words: vec!["56 % of the critical path's 54 s waits for its Reduce to start".into()],
        trust: vec!["Reads are counted".into()],
        ..FlowFigure::default()
    }
}

/// The same with the heatmap in the place of the attempts.
fn report_with_cells() -> Report {
    let mut report = shared_report();
    let cells = HeatmapFigure {
        nodes: report.nodes.clone(),
        jobs: (1..=4).map(|i| format!("job_1_000{i}")).collect(),
        begin_ms: vec![Some(1_795_227_884_210), None, Some(60_000), Some(60_000)],
        highest: 1.0,
        literal: false,
        cells: vec!["0aZ/".into(), "....".into(), "!_09".into(), "9999".into(), "zzzz".into(), "/+//".into()],
        whole: Some((64, 1_373)),
    };
    report.figures.attempts = Sealed::default();
    report.figures.heatmap = Sealed::of(Some(&cells));
    report.figures.metrics = Sealed::of(Some(&metrics_of(&report.nodes)));
    let evidence = report.verdict.culprits.iter().flat_map(|c| c.evidence.clone()).collect();
    report.suspects = vec![Suspect { node: "h101".into(), evidence }];
    report
}

/// Of two metrics, with a stretch in which a node was indicted.
fn metrics_of(nodes: &[String]) -> MetricsFigure {
    MetricsFigure {
        nodes: nodes.to_vec(),
        begin_ms: 1_795_227_884_210,
        column_ms: 2_000,
        metrics: ["user", "eth_rxbyt"].map(String::from).to_vec(),
        greatest: vec![9_750, 100_000_000],
        cells: (0..2 * nodes.len()).map(|i| if i % 5 == 2 { "09zZ/".into() } else { "012..".into() }).collect(),
        indicted: vec![2],
        indicted_ms: vec![[1_795_227_884_210, 1_795_227_890_210]],
        whole: Some(30),
    }
}

/// Everything that is done with what was opened.
fn use_report(mut report: Report) {
    let _ = check::enforce(&mut report);
    let look = Look { width_css_px: 700.0, ..Look::default() };
    for (comparison, names) in peers::of_report(&report, None).values() {
        for view in View::PEERS {
            let _ = peers::lay_out(view, peers::Peers { comparison, names, zone: TimeZone::Utc }, &look);
        }
    }
    let carried = Carried::of(&report);
    let attempt = AttemptId::parse(b"attempt_1_0001_m_000002_0");
    let chosen = Selection { job: attempt.map(|id| id.job), attempt, ..Selection::default() };
    for look in [look.clone(), Look { selection: chosen, ..look.clone() }] {
        for view in carried.views() {
            let _ = carried.lay_out(&report, *view, &look);
        }
    }
    let (scrubbed, key) = scrub::scrub(&report, &Key::from_random([5; 16]));
    assert!(key.reveal(&scrubbed).is_ok());
    let difference = compare::compare(&report, &shared_report());
    let _ = differences::lay_out(&difference, &look);
    assert!(!html::page(&scrubbed, &Lines::new()).unwrap().is_empty());
    assert!(!ticket::text(&report, &Lines::new(), ticket::Form::Markdown).is_empty());
    for size in Size::ALL {
        assert!(link::encode_within(&report, size).0.fragment.len() <= size.max_characters());
    }
}

/// A link whose checksum fits, whatever it holds.
fn sealed(json: &[u8]) -> String {
    let body = deflated(json);
    let mut bytes = (body.len() as u32).to_be_bytes().to_vec();
    bytes.extend_from_slice(&crc32fast::hash(&body).to_be_bytes());
    bytes.extend_from_slice(&body);
    format!("#r=2.{}", URL_SAFE_NO_PAD.encode(bytes))
}

#[test]
fn mutated_links_reports_and_keys_are_the_right_report_or_a_named_error() {
    let report = shared_report();
    let (scrubbed, key) = scrub::scrub(&report, &Key::from_random([3; 16]));
    let links: Vec<Vec<u8>> =
        Size::ALL.iter().map(|s| link::encode_within(&scrubbed, *s).0.fragment.into_bytes()).collect();
    let payload = serde_json::json!({ "r": scrubbed, "x": ["evidence lines"] }).to_string().into_bytes();
    let page = html::page(&scrubbed, &Lines::new()).unwrap().into_bytes();
    let whole: [(&str, Vec<Vec<u8>>); 5] = [
        ("link", [links, vec![include_bytes!("shared_reports/v1.link").to_vec()]].concat()),
        ("sealed link", vec![payload]),
        ("report", vec![report.to_json().into_bytes(), report_with_cells().to_json().into_bytes()]),
        ("page", vec![page]),
        ("key", vec![key.to_json().into_bytes()]),
    ];
    for (name, seeds) in &whole {
        let sent: Vec<Report> = match *name {
            "link" => seeds.iter().map(|seed| link::decode(&String::from_utf8_lossy(seed)).unwrap()).collect(),
            _ => Vec::new(),
        };
        let (opened, all) = cases(name, |number, dice| {
            // The first case is the seed itself, which must open.
            let case = if number == 0 { seeds[0].clone() } else { mutated(seeds, dice) };
            let told = |error: String| {
                assert!(!error.is_empty());
                false
            };
            let opened = match *name {
                "key" => match KeyFile::decode(&case).and_then(|key| key.reveal(&scrubbed)) {
                    Ok(named) => named.verdict.culprits[0].node == "h103",
                    Err(error) => told(error.to_string()),
                },
                "link" | "sealed link" => {
                    let text =
                        if *name == "link" { String::from_utf8_lossy(&case).into_owned() } else { sealed(&case) };
                    match link::decode(&text) {
                        Ok(report) => {
                            // What a link's checksum lets pass is what was sent.
                            assert!(*name != "link" || sent.contains(&report), "{text}");
                            use_report(report);
                            true
                        }
                        Err(error) => told(error.to_string()),
                    }
                }
                _ => match file::open(&case) {
                    Ok(report) => {
                        use_report(report);
                        true
                    }
                    Err(error) => told(error.to_string()),
                },
            };
            assert!(number > 0 || opened, "{name}: the seed itself opens");
            opened
        });
        println!("{name}: {all} cases, {opened} opened");
    }
    assert_memory();
}

/// The most that this process has used so far.
fn assert_memory() {
    let Some(peak) = memory::peak_kib() else {
        shared::skipped("the system does not tell the peak of memory");
        return;
    };
    println!("peak memory: {peak} KiB");
    assert!(peak < MEMORY_KIB, "{peak} KiB");
}
