//! Samples against what sysstat itself prints of the same files: every value that one of
//! both has. What differs has a named reason, and each reason is counted.

#![allow(clippy::disallowed_methods, reason = "tests read their data from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
#![allow(clippy::print_stdout, reason = "says what was compared and what was skipped")]

mod reading;
mod shared;

use oddnode::base::Code;
use oddnode::model::{Event, FileDigest, Metric};
use serde_json::Value;
use shared::data;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// Samples by time and name of the metric.
type Samples = BTreeMap<(i64, &'static str), f64>;

/// Half of the last printed digit, and what adding up and multiplying lose.
const HALF_DIGIT: f64 = 0.005_001;
/// Bytes in sysstat's kB.
const KB: f64 = 1024.0;

fn bytes_of(path: &Path) -> Vec<u8> {
    let raw = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|e| e != "gz") {
        return raw;
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&raw[..]).read_to_end(&mut plain).unwrap();
    plain
}

fn samples(digest: &FileDigest) -> Samples {
    let mut samples = Samples::new();
    for row in reading::events(digest) {
        if let Event::Metrics { which, hundredths } = row.event {
            let there = Metric::ALL.into_iter().filter(|metric| which & metric.bit() != 0);
            for (metric, value) in there.zip(hundredths) {
                samples.entry((row.at.millis(), metric.name())).or_insert(value as f64 / 100.0);
            }
        }
    }
    samples
}

/// What the file says; its format is as told.
fn ours(path: &Path, format: &str) -> Samples {
    let digest = reading::read("x", &bytes_of(path)).unwrap();
    assert_eq!(digest.format, format, "{}", path.display());
    samples(&digest)
}

/// The metrics by the names that sysstat gives them, whatever the version.
const NAMES: [(&str, &[&str]); 14] = [
    ("user", &["%user", "%usr"]),
    ("system", &["%system", "%sys"]),
    ("iowait", &["%iowait"]),
    ("ctxt", &["cswch/s"]),
    ("runq_sz", &["runq-sz"]),
    ("plist_sz", &["plist-sz"]),
    ("ldavg_1", &["ldavg-1"]),
    ("eth_rxbyt", &["rxkB/s"]),
    ("eth_txbyt", &["txkB/s"]),
    ("pgpgin", &["pgpgin/s"]),
    ("pgpgout", &["pgpgout/s"]),
    ("fault", &["fault/s"]),
    ("bread", &["bread/s"]),
    ("bwrtn", &["bwrtn/s"]),
];

fn metric(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(metric, _)| *metric)
}

/// Seconds since 1970 of `2026-11-21 03:03:15 UTC` or of a number.
fn seconds(stamp: &str) -> i64 {
    if let Ok(seconds) = stamp.parse() {
        return seconds;
    }
    let n: Vec<i64> =
        stamp.split(|c: char| !c.is_ascii_digit()).filter(|t| !t.is_empty()).map(|t| t.parse().unwrap()).collect();
    let (y, m, d) = (n[0], n[1], n[2]);
    // Days since 1970, counted year by year and month by month.
    let leap = |y: i64| (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    let years: i64 = (1970..y).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let lengths = [31, if leap(y) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let months: i64 = lengths[..m as usize - 1].iter().sum();
    (years + months + d - 1) * 86_400 + n[3] * 3600 + n[4] * 60 + n[5]
}

/// A key, read with the plainest means: `sadf -d` as it is defined. Also
/// the number of interfaces summed at each time.
fn key_of_sadf_d(text: &str) -> (Samples, BTreeMap<i64, f64>) {
    let (mut key, mut summed) = (Samples::new(), BTreeMap::new());
    let mut heading: Vec<&str> = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(';').collect();
        if line.starts_with('#') {
            heading = cells;
            continue;
        }
        if cells[1] == "-1" {
            continue;
        }
        let at = seconds(cells[2]) * 1000;
        let skip = match heading[3] {
            "CPU" => cells[3] != "-1",
            "IFACE" => cells[3] == "lo",
            _ => false,
        };
        if skip {
            continue;
        }
        for (name, cell) in heading.iter().zip(&cells) {
            let Some(metric) = metric(name) else { continue };
            let value: f64 = cell.parse().unwrap();
            if metric.starts_with("eth") {
                *key.entry((at, metric)).or_default() += value * KB;
                *summed.entry(at).or_default() += f64::from(u8::from(metric == "eth_rxbyt"));
            } else {
                key.insert((at, metric), value);
            }
        }
    }
    (key, summed)
}

/// Values compared, equal, and different by reason.
#[derive(Default)]
struct Outcome {
    compared: u32,
    different: BTreeMap<&'static str, u32>,
    unexplained: Vec<String>,
}

impl Outcome {
    /// Compares; `why` names the reason for a difference, or that there is none.
    fn of(
        ours: &Samples,
        key: &Samples,
        why: impl Fn(i64, &str, Option<f64>, Option<f64>) -> Option<&'static str>,
    ) -> Self {
        let mut outcome = Self::default();
        let mut both: Vec<_> = ours.keys().chain(key.keys()).copied().collect();
        both.sort_unstable();
        both.dedup();
        for (at, metric) in both {
            outcome.compared += 1;
            let (a, b) = (ours.get(&(at, metric)).copied(), key.get(&(at, metric)).copied());
            if a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 0.000_01) {
                continue;
            }
            match why(at, metric, a, b) {
                Some(reason) => *outcome.different.entry(reason).or_default() += 1,
                None => outcome.unexplained.push(format!("{at} {metric}: ours {a:?}, key {b:?}")),
            }
        }
        outcome
    }

    fn end(self, what: &str, least: u32) {
        println!(
            "{what}: {} values, differ {:?}, unexplained {}",
            self.compared,
            self.different,
            self.unexplained.len()
        );
        assert!(
            self.unexplained.is_empty(),
            "{what}:\n{}",
            self.unexplained[..self.unexplained.len().min(20)].join("\n")
        );
        assert!(self.compared >= least, "{what}: only {} values", self.compared);
    }
}

const ROUNDED: &str = "the text rounds each interface to 0.01 kB/s";

/// The one reason for which binary files differ from the text made of them.
fn rounding(summed: &BTreeMap<i64, f64>) -> impl Fn(i64, &str, Option<f64>, Option<f64>) -> Option<&'static str> {
    move |at, metric, ours, key| {
        let room = summed.get(&at).copied().unwrap_or(0.0) * HALF_DIGIT * KB;
        let near = ours.zip(key).is_some_and(|(a, b)| (a - b).abs() <= room);
        (metric.starts_with("eth") && near).then_some(ROUNDED)
    }
}

const NOTHING_MAY_DIFFER: fn(i64, &str, Option<f64>, Option<f64>) -> Option<&'static str> = |_, _, _, _| None;

#[test]
fn binary_files_are_read_as_sysstat_reads_them() {
    let Some(folder) = data("public/sysstat") else { return };
    for (name, least) in
        [("data-9.1.6", 14), ("data-11.6.5", 14), ("data-12.0.0", 14), ("data-extra-12.1.7", 4), ("data-ukwn", 3)]
    {
        let key = std::fs::read_to_string(folder.join(format!("key/{name}.sadf-d.csv"))).unwrap();
        let (key, summed) = key_of_sadf_d(&key);
        Outcome::of(&ours(&folder.join(name), "sa"), &key, rounding(&summed)).end(name, least);
    }
    // The two activities that it has are of unknown layouts.
    assert!(ours(&folder.join("data-ukwn0"), "sa").is_empty());
}

#[test]
fn our_own_binary_file_is_read_as_sysstat_reads_it() {
    let Some(folder) = data("hadoop1/sar") else { return };
    let sa = ours(&folder.join("sa21.gz"), "sa");
    let text = String::from_utf8(bytes_of(&folder.join("sadf-d-A.txt.gz"))).unwrap();
    let (key, summed) = key_of_sadf_d(&text);
    Outcome::of(&sa, &key, rounding(&summed)).end("sa21 and sadf -d -A", 119 * 14);
    Outcome::of(&ours(&folder.join("sadf-d-A.txt.gz"), "sadf-d"), &key, NOTHING_MAY_DIFFER).end("sadf -d -A", 119 * 14);
    Outcome::of(&ours(&folder.join("sadf-j-A.json.gz"), "sadf-j"), &key, NOTHING_MAY_DIFFER)
        .end("sadf -j -A", 119 * 14);

    let text = String::from_utf8(bytes_of(&folder.join("sadf-dU-uwqBbn.txt.gz"))).unwrap();
    let (of_u, _) = key_of_sadf_d(&text);
    let with_interrupts = "-u prints %system with interrupts and %user with guests, -A without";
    let same = ours(&folder.join("sadf-dU-uwqBbn.txt.gz"), "sadf-d");
    Outcome::of(&same, &of_u, NOTHING_MAY_DIFFER).end("sadf -d -U", 119 * 14);
    let why = |at, metric: &str, ours: Option<f64>, key: Option<f64>| match metric {
        "system" | "user" if ours.zip(key).is_some_and(|(a, b)| a < b && b - a < 20.0) => Some(with_interrupts),
        _ => rounding(&summed)(at, metric, ours, key),
    };
    Outcome::of(&sa, &of_u, why).end("sa21 and sadf -d -U -- -u", 119 * 14);

    // The clock of the machine that printed it was five hours behind UTC.
    let local = |path: &str| -> Samples {
        ours(&folder.join(path), "sar")
            .into_iter()
            .map(|((at, metric), value)| ((at + 18_000_000, metric), value))
            .collect()
    };
    Outcome::of(&local("sar-A.txt.gz"), &key, NOTHING_MAY_DIFFER).end("sar -A", 119 * 14);
    let processors: Samples =
        of_u.into_iter().filter(|((_, metric), _)| ["user", "system", "iowait"].contains(metric)).collect();
    Outcome::of(&local("sar-u.txt"), &processors, NOTHING_MAY_DIFFER).end("sar -u", 119 * 3);
}

#[test]
fn texts_of_one_file_say_the_same() {
    let Some(folder) = data("public/sysstat") else { return };
    let (key, _) = key_of_sadf_d(&std::fs::read_to_string(folder.join("expected.sadf-d")).unwrap());
    for (name, format) in [("expected.sadf-d", "sadf-d"), ("expected.sadf-j", "sadf-j"), ("expected.sadf-x", "sadf-x")]
    {
        Outcome::of(&ours(&folder.join(name), format), &key, NOTHING_MAY_DIFFER).end(name, 40);
    }
    for name in ["data-9.1.6", "data-11.6.5", "data-12.0.0", "data-extra-12.1.7", "data-ukwn"] {
        let (key, _) = key_of_sadf_d(&std::fs::read_to_string(folder.join(format!("key/{name}.sadf-d.csv"))).unwrap());
        let d = ours(&folder.join(format!("key/{name}.sadf-d.csv")), "sadf-d");
        Outcome::of(&d, &key, NOTHING_MAY_DIFFER).end(&format!("{name} -d"), 3);
        let j = ours(&folder.join(format!("key/{name}.sadf-j.json")), "sadf-j");
        // Its context switches are of a layout that sysstat does not know: -d leaves them out.
        let why = |_, metric: &str, ours: Option<f64>, key: Option<f64>| {
            (name == "data-ukwn" && metric == "ctxt" && ours == Some(0.0) && key.is_none())
                .then_some("-j prints zeros for an activity of unknown layout")
        };
        Outcome::of(&j, &key, why).end(&format!("{name} -j"), 3);
    }
}

/// `sar` prints local times: only the values, in the order of their times, can be compared.
fn by_metric(samples: &Samples) -> BTreeMap<&'static str, Vec<f64>> {
    let mut values: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    for ((_, metric), value) in samples {
        values.entry(*metric).or_default().push(*value);
    }
    values
}

#[test]
fn sar_says_what_sadf_says() {
    let Some(folder) = data("public/sysstat") else { return };
    let mut compared = 0;
    for (sar, key) in [
        ("expected.data-9.1.6", "key/data-9.1.6.sadf-d.csv"),
        ("expected.data-11.6.5", "key/data-11.6.5.sadf-d.csv"),
        ("expected.data-12.0.0", "key/data-12.0.0.sadf-d.csv"),
        ("expected.data-extra-12.1.7", "key/data-extra-12.1.7.sadf-d.csv"),
        ("expected.sar-data-ukwn", "key/data-ukwn.sadf-d.csv"),
        ("expected.sar-all", "expected.sadf-d"),
    ] {
        let (key, _) = key_of_sadf_d(&std::fs::read_to_string(folder.join(key)).unwrap());
        let (ours, key) = (by_metric(&ours(&folder.join(sar), "sar")), by_metric(&key));
        for (metric, values) in &ours {
            let key = &key[metric];
            // sar stops at the restart where sadf goes on.
            assert!(values.len() <= key.len(), "{sar} {metric}: {values:?} {key:?}");
            for (a, b) in values.iter().zip(key) {
                assert!((a - b).abs() < 0.000_01, "{sar} {metric}: {a} and {b}");
                compared += 1;
            }
        }
    }
    println!("sar: {compared} values equal");
    assert!(compared > 80);
}

#[test]
fn what_a_real_reader_refuses_claims_nothing() {
    let Some(folder) = data("public/sysstat") else { return };
    let mut asked = 0;
    for file in std::fs::read_dir(folder.join("key")).unwrap().map(|e| e.unwrap().path()) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let Some(name) = name.strip_suffix(".reader.json") else { continue };
        asked += 1;
        let reader: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let digest = reading::read("x", &std::fs::read(folder.join(name)).unwrap()).unwrap();
        let refused = reader["sadf-d"]["rc"] != 0;
        let found = samples(&digest).len();
        let codes: Vec<Code> = digest.issues.iter().map(|(code, _)| code).collect();
        println!("{name}: refused {refused}, {found} values, {codes:?}");
        // Sysstat passes over an activity whose layout it does not know, and says nothing.
        let passed_over = name.starts_with("data-ukwn") && codes == [Code::UnreadSysstat];
        assert_eq!(refused || passed_over, !codes.is_empty(), "{name}");
        if name.contains("-err") || name.contains("SARerr") {
            assert_eq!((found, &codes), (0, &vec![Code::BadRecord]), "{name}");
        }
        if name == "data-trunc" {
            // It ends inside its first record.
            assert_eq!((found, codes), (0, vec![Code::CutRecord]));
        }
    }
    assert!(asked > 0, "no answer of a real reader in {}", folder.display());
}

#[test]
fn other_tools_and_systems_are_named() {
    let Some(_) = data("public/sysstat") else { return };
    // Its collector has put four lines of its own at the end of the second sar.
    for (path, format, least, skipped) in [
        ("public/ksar/kSar/samples/sar-Solaris-11.3", "sar-foreign", 0, 0),
        ("public/sysstat/expected.iostat-x", "sar-foreign", 0, 0),
        ("public/ksar/kSar/samples/sar-11.6.1-full-output", "sar", 84, 4),
        ("public/ksar/src/test/resources/sar-10.1.5", "sar", 14, 0),
        ("public/sysstat/expected.mpstat-A", "sar", 3, 0),
        ("public/sysstat/expected.sar-u", "sar", 3, 0),
    ] {
        let path = data(path).unwrap();
        let digest = reading::read("x", &std::fs::read(&path).unwrap()).unwrap();
        let found = samples(&digest).len();
        println!("{}: {found} values, {} of {} lines skipped", path.display(), digest.skipped, digest.lines);
        assert_eq!(digest.format, format, "{}", path.display());
        assert_eq!(digest.skipped, skipped, "{}: {:?}", path.display(), digest.issues);
        assert!(found >= least, "{}", path.display());
        assert_eq!(digest.issues.count(Code::ForeignMetrics), u64::from(format == "sar-foreign"));
    }
    let path = data("public/sysstat/expected.mpstat-A-JSON").unwrap();
    let digest = reading::read("x", &std::fs::read(&path).unwrap()).unwrap();
    assert_eq!((&*digest.format, samples(&digest).len(), digest.issues.is_empty()), ("sadf-j", 3, true));
}

#[test]
fn metrics_of_the_runs_are_read_whole() {
    let Some(folder) = data("hadoop1") else { return };
    let mut archives = 0;
    for name in ["r06.tar.gz", "r12.tar.gz"] {
        let raw = std::fs::File::open(folder.join(name)).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(raw));
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let path = entry.path().unwrap().to_str().unwrap().to_owned();
            if !path.ends_with("metrics.sadf.txt") {
                continue;
            }
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            let digest = reading::read(&path, text.as_bytes()).unwrap();
            assert_eq!((digest.skipped, digest.issues.is_empty()), (0, true), "{path}");
            let (key, _) = key_of_sadf_d(&text);
            Outcome::of(&samples(&digest), &key, NOTHING_MAY_DIFFER).end(&path, 1000);
            archives += 1;
        }
    }
    assert_eq!(archives, 14);
}

#[test]
fn processors_are_counted_as_sysstat_counts_them() {
    let Some(folder) = data("public/sysstat") else { return };
    let counted = |digest: &FileDigest| {
        let count = |event| if let Event::Processors { count, .. } = event { Some(count) } else { None };
        reading::events(digest).into_iter().find_map(|row| count(row.event))
    };
    for name in ["data-9.1.6", "data-11.6.5", "data-12.0.0", "data-extra-12.1.7"] {
        let json = std::fs::read(folder.join(format!("key/{name}.sadf-j.json"))).unwrap();
        let key: Value = serde_json::from_slice(&json).unwrap();
        let count = key["sysstat"]["hosts"][0]["number-of-cpus"].as_u64().unwrap();
        for bytes in [json, std::fs::read(folder.join(name)).unwrap()] {
            let digest = reading::read("x", &bytes).unwrap();
            assert_eq!(counted(&digest).map(u64::from), Some(count), "{name}, {}", digest.format);
        }
    }
}
