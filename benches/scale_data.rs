//! Writes what `tests/browser/scale.bench.mjs` drops on the page: logs as large as the papers'. It tests nothing.
//! Without a name it writes all of them, gigabytes:
//!
//! ```sh
//! ODDNODE_SCALE_TO=DIR cargo bench --features cli --bench scale_data -- [NAME…]
//! ```
//! `month`: Theia's month, 64 nodes, 1,373 jobs, 1.85 million tasks (T21). `cells`: 700 nodes ×
//! 1,200 jobs, each of which ran on each (T08). `wide`: 300 nodes. `metrics`: 64 nodes × 24
//! hours, a sample a second, and two hours of them as a control run.
#![allow(clippy::disallowed_methods, reason = "it writes files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

#[path = "../tests/month/mod.rs"]
mod month;

use month::{Attempt, End, Job, Month, PAPER, Planted, Scale};
use oddnode::stats::random::Shuffler;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// A folder of this name, made anew.
fn folder(name: &str) -> PathBuf {
    let to = PathBuf::from(std::env::var("ODDNODE_SCALE_TO").unwrap_or_else(|_| "tests/browser/out/scale".to_owned()));
    let to = to.join(name);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).unwrap();
    to
}

fn write_month(name: &str, scale: Scale, seed: u64) {
    let to = folder(name);
    let mut month = Month::new(scale, seed);
    let (mut bytes, mut attempts) = (0, 0);
    while let Some(job) = month.next_job() {
        let text = job.v1();
        bytes += text.len();
        attempts += job.attempts.len();
        fs::write(to.join(job.v1_name()), text).unwrap();
    }
    println!("{name}: {attempts} attempts, {} MB", bytes / 1_000_000);
}

fn month() {
    write_month("month", PAPER, 2012);
}

fn wide() {
    let scale = Scale { nodes: 300, jobs: 40, tasks: 120_000, days: 1, ..PAPER };
    write_month("wide", Scale { application: 3, skew: 0, seen: 1, blacklisted: 0, idle: 0, ..scale }, 300);
}

/// Every job has one map on every node; now and then a node is slow for some jobs.
fn cells() {
    let (nodes, jobs) = (700, 1_200);
    let to = folder("cells");
    let mut rng = Shuffler::new(1200);
    for number in 1..=jobs {
        let submit_ms = month::BEGIN_MS + i64::from(number) * 120_000;
        let attempts = (0..nodes).map(|node| {
            let sick = node * 7 % 700 < 9 && (number / 60) % 5 == node as u32 % 5;
            let took = 20_000.0 * (1.0 + 0.2 * rng.unit()) * if sick { 3.0 } else { 1.0 };
            let (start_ms, task) = (submit_ms + 500, u32::try_from(node).unwrap());
            let end_ms = start_ms + took as i64;
            let (end, bytes, error) = (End::Success, 60_000_000 + (rng.unit() * 4e6) as i64, None);
            Attempt {
                letter: 'm',
                task,
                number: 0,
                node,
                start_ms,
                shuffle_ms: start_ms,
                sort_ms: start_ms,
                end_ms,
                end,
                bytes,
                error,
            }
        });
        let job = Job {
            number,
            name: String::from("scan"),
            user: String::from("user"),
            queue: "default",
            submit_ms,
            finish_ms: submit_ms + 70_000,
            end: End::Success,
            maps: u32::try_from(nodes).unwrap(),
            reduces: 0,
            attempts: attempts.collect(),
            planted: Planted::Nothing,
        };
        fs::write(to.join(job.v1_name()), job.v1()).unwrap();
    }
}

/// What `sadf -d -U -- -u -w -q -B -b -n DEV` writes of one node: a table after another.
fn write_metrics(to: &std::path::Path, node: usize, seconds: i64, sick: bool) -> u64 {
    let tables: [(&str, usize); 6] = [
        ("CPU;%user;%nice;%system;%iowait;%steal;%idle", 7),
        ("proc/s;cswch/s", 2),
        ("runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked", 6),
        ("pgpgin/s;pgpgout/s;fault/s;majflt/s", 4),
        ("tps;rtps;wtps;bread/s;bwrtn/s", 5),
        ("IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s", 5),
    ];
    let host = month::write::node(node);
    let mut out = BufWriter::new(fs::File::create(to.join(format!("{host}.sadf.txt"))).unwrap());
    let mut bytes = 0;
    for (t, (heading, columns)) in tables.iter().enumerate() {
        let mut rng = Shuffler::new(node as u64 * 64 + t as u64);
        let mut line = format!("# hostname;interval;timestamp;{heading}\n");
        for second in 0..seconds {
            out.write_all(line.as_bytes()).unwrap();
            bytes += line.len() as u64;
            // Ten minutes of work, five of rest, on all nodes at once; the sick one works on.
            let busy = second % 900 < 600 || sick && second % 7_200 > 3_600;
            let level = if busy { 60.0 } else { 2.0 };
            line.clear();
            line.push_str(&format!("{host};1;{}", month::BEGIN_MS / 1000 + second));
            for column in 0..*columns {
                let value = level * (0.7 + 0.6 * rng.unit()) * [1.0, 0.1, 0.3][column % 3];
                match (t, column) {
                    (0, 0) => line.push_str(";-1"),
                    (5, 0) => line.push_str(";eth0"),
                    (2, 0 | 1) => line.push_str(&format!(";{}", value as u32)),
                    (0, _) => line.push_str(&format!(";{value:.2}")),
                    _ => line.push_str(&format!(";{:.2}", value * 10.0)),
                }
            }
            line.push('\n');
        }
        out.write_all(line.as_bytes()).unwrap();
    }
    out.flush().unwrap();
    bytes
}

fn metrics() {
    for (name, seconds, sick) in [("metrics", 24 * 3_600, Some(17)), ("controls", 2 * 3_600, None)] {
        let to = folder(name);
        let bytes: u64 = (0..64).map(|node| write_metrics(&to, node, seconds, sick == Some(node))).sum();
        println!("{name}: {} MB", bytes / 1_000_000);
    }
}

/// What can be written.
const SETS: [(&str, fn()); 4] = [("month", month), ("cells", cells), ("wide", wide), ("metrics", metrics)];

fn main() {
    // Cargo adds a switch of its own.
    let asked: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let unknown = asked.iter().find(|name| SETS.iter().all(|(set, _)| set != name));
    assert!(unknown.is_none(), "{unknown:?} is none of {:?}", SETS.map(|(set, _)| set));
    for (_, write) in SETS.iter().filter(|(set, _)| asked.is_empty() || asked.iter().any(|name| name == set)) {
        write();
    }
}
