//! Metrics of a node, one row a second, in the style of `sadf -d -U FILE -- -u -w -B -b -q -n DEV`.

use super::super::Fault;
use super::super::faults::HOG_SHARE;
use super::super::machine::{CORES, DISK_RATE, Second};
use super::super::run::Run;
use std::fmt::Write;

/// Bytes of a sector, in which `bread/s` counts.
const SECTOR: f64 = 512.0;
/// Bytes of a full packet.
const PACKET: f64 = 1448.0;
/// Share of a task's processor time that the kernel takes.
const SYSTEM: f64 = 0.18;
/// Context switches of an idle node in a second, and for a core second of work.
const SWITCHES: (f64, f64) = (120.0, 900.0);
/// Page faults for a core second, and for a process.
const FAULTS: (f64, f64) = (2500.0, 4000.0);
/// Processes of an idle node…
const PROCESSES: f64 = 95.0;
/// …of which so many are threads of Hadoop's daemons: as many ended with those of a real slave of Hadoop 0.20.
const DAEMONS: f64 = 30.0;

/// What a second looks like from outside.
struct Row {
    user: f64,
    system: f64,
    iowait: f64,
    idle: f64,
    second: Second,
    switches: f64,
    faults: f64,
    queue: u64,
    processes: u64,
    load: f64,
}

pub(super) fn text(run: &Run, node: usize) -> String {
    let rows = rows(run, node);
    let host = &run.nodes[node].name;
    let first = run.epoch_ms / 1000;
    let mut out = String::new();
    let mut block = |head: &str, line: &dyn Fn(&Row) -> String| {
        let _ = writeln!(out, "# hostname;interval;timestamp;{head}");
        for (i, row) in rows.iter().enumerate() {
            let _ = writeln!(out, "{host};1;{};{}", first + i as i64 + 1, line(row));
        }
    };
    block("CPU;%user;%nice;%system;%iowait;%steal;%idle", &|r| {
        format!("-1;{:.2};0.00;{:.2};{:.2};0.00;{:.2}", r.user, r.system, r.iowait, r.idle)
    });
    block("proc/s;cswch/s", &|r| format!("{:.2};{:.2}", r.second.forks, r.switches));
    block("pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff", &|r| {
        format!(
            "{:.2};{:.2};{:.2};0.00;0.00;0.00;0.00;0.00;0.00",
            r.second.read / 1024.0,
            r.second.written / 1024.0,
            r.faults
        )
    });
    block("tps;rtps;wtps;dtps;bread/s;bwrtn/s;bdscd/s", &|r| {
        let (read, written) = (r.second.read, r.second.written);
        let (rtps, wtps) = (read / 131_072.0, written / 262_144.0);
        format!("{:.2};{rtps:.2};{wtps:.2};0.00;{:.2};{:.2};0.00", rtps + wtps, read / SECTOR, written / SECTOR)
    });
    block("runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked", &|r| {
        format!("{};{};{:.2};{:.2};{:.2};0", r.queue, r.processes, r.load, r.load * 0.6, r.load * 0.3)
    });
    block("IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil", &|r| {
        let (received, sent) = (r.second.received, r.second.sent);
        format!(
            "eth0;{:.2};{:.2};{:.2};{:.2};0.00;0.00;0.00;0.00",
            received / PACKET + sent / PACKET / 2.0,
            sent / PACKET + received / PACKET / 2.0,
            received / 1024.0,
            sent / 1024.0
        )
    });
    out
}

fn rows(run: &Run, node: usize) -> Vec<Row> {
    let machine = &run.nodes[node];
    let seconds = (run.end / 1_000_000) as usize;
    let ours = run.culprit == Some(node);
    let mut load = 0.0;
    // Small things that every node does by itself, the same in every run of one seed.
    let mut noise = super::super::draw::Draw::new(run.spec.seed ^ (node as u64 + 1).wrapping_mul(0x9e37_79b9));
    let attempts: Vec<_> = run
        .attempts
        .iter()
        .filter(|a| a.node == node)
        .map(|a| (a.launched, a.finished.into_iter().chain(machine.crashed).min().unwrap_or(run.end)))
        .collect();
    (0..seconds)
        .map(|i| {
            let mut second = machine.seconds.get(i).copied().unwrap_or_default();
            let faulty = ours && run.fault_at.is_some_and(|at| at / 1_000_000 <= i as u64);
            let mut cpu = second.cpu_s;
            let mut waited = second.waited_s;
            let mut wanted = second.wanted_s;
            if faulty && run.spec.fault == Fault::CpuHog {
                cpu += CORES * HOG_SHARE;
                wanted += CORES;
            }
            if faulty && run.spec.fault == Fault::DiskHog && run.disk_hog_lasts(i) {
                let free = (DISK_RATE - second.read - second.written).max(0.0);
                second.written += free * noise.between(0.9, 1.0);
                waited += 3.0;
                cpu += 0.2;
            }
            // Heartbeats, checks, the kernel's own writing.
            cpu += noise.between(0.0, 0.06) * CORES;
            second.written += noise.wait(20_000.0);
            second.received += 1500.0 + noise.wait(1500.0);
            second.sent += 1500.0 + noise.wait(1500.0);
            let busy = (cpu / CORES * 100.0).min(100.0) * noise.between(0.97, 1.0);
            let iowait = (waited / CORES * 100.0).min(100.0 - busy).max(0.0);
            let running = attempts
                .iter()
                .filter(|(from, to)| *from / 1_000_000 <= i as u64 && i as u64 <= *to / 1_000_000)
                .count();
            let daemons = if machine.crashed.is_some_and(|at| at / 1_000_000 <= i as u64) { 0.0 } else { DAEMONS };
            load += ((wanted + waited) - load) / 60.0;
            Row {
                user: busy * (1.0 - SYSTEM),
                system: busy * SYSTEM,
                iowait,
                idle: 100.0 - busy - iowait,
                switches: (SWITCHES.0 + SWITCHES.1 * cpu + (second.received + second.sent) / PACKET / 4.0)
                    * noise.between(0.85, 1.15),
                faults: (FAULTS.0 * second.cpu_s + FAULTS.1 * second.forks) * noise.between(0.8, 1.2),
                queue: (wanted + noise.unit()) as u64,
                processes: (PROCESSES - DAEMONS + daemons + 24.0 * running as f64 + 2.0 * noise.unit()) as u64,
                load,
                second,
            }
        })
        .collect()
}
