//! A Hadoop cluster that is not there: a seeded discrete-event model that writes logs.
//!
//! ```text
//! Spec ── model ──> Run (what the cluster did) ── logs ──> lines of each daemon ── archive ──> .tar.gz
//!                                              └────────────────────────────────────────────> truth.json
//! ```
//! Source: the papers' experiments (Kahuna §VII and Tables III and IV), 0.20's and 3.3's
//! behaviour as the real logs show it. A fault is a mechanism (a hog takes capacity, loss slows
//! both ends of a connection, a hang holds a slot until its timeout): nothing is painted
//! onto times, and the logs say only what a real cluster's would. This room knows nothing of
//! the diagnosis: it uses `base` and `stats` alone. Native only. What it leaves out, and how
//! its times compare with real runs, is in `docs/simulator.md`.
//!
//! Cost: O(chunks of work · log): a Sort on 100 nodes is some 10⁶ events.

mod archive;
mod arena;
mod assignment;
mod chunk;
mod draw;
mod faults;
mod hdfs;
mod logs;
mod machine;
mod maps;
mod master;
mod model;
mod network;
mod record;
mod reduces;
mod run;
mod work;

pub use archive::{Packing, write_archive};
pub use arena::Arena;
pub use model::run;
pub use record::{Attempt, End, Error, Fetch, Job, Kind, Leg, Notice, Read, Task, Write};
pub use run::Run;

use serde::Serialize;

/// Microseconds since the begin of a run.
pub type Micros = u64;

/// Microseconds of so many seconds.
pub(crate) fn micros(seconds: f64) -> Micros {
    (seconds.max(0.0) * 1e6).round() as Micros
}

/// What the jobs do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workload {
    /// Writes random bytes: maps only.
    RandWriter,
    /// Sorts them.
    Sort,
    /// A crawl of five jobs.
    Nutch,
    /// Three jobs that compute.
    Pig,
}

impl Workload {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 4] = [Self::RandWriter, Self::Sort, Self::Nutch, Self::Pig];

    /// The name on the command line and in labels.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RandWriter => "randwriter",
            Self::Sort => "sort",
            Self::Nutch => "nutch",
            Self::Pig => "pig",
        }
    }
}

/// What is wrong with one node, or with the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// Nothing.
    None,
    /// A process that takes 70 % of the processor.
    CpuHog,
    /// A process that writes 20 GB.
    DiskHog,
    /// A disk that takes nothing more.
    DiskFull,
    /// 1 % of the packets in and out are lost.
    PacketLoss1,
    /// 5 %.
    PacketLoss5,
    /// 50 %.
    PacketLoss50,
    /// HADOOP-1036: maps hold their slots and do nothing.
    Hang1036,
    /// HADOOP-1152: reduces hang while they copy.
    Hang1152,
    /// HADOOP-2080: reduces hang while they merge.
    Hang2080,
    /// The daemons are gone.
    Crash,
    /// The application throws.
    AppBug,
    /// One reduce gets most of the data.
    Skew,
}

impl Fault {
    /// All of them: the paper's nine, then those beside it.
    pub const ALL: [Self; 13] = [
        Self::None,
        Self::CpuHog,
        Self::DiskHog,
        Self::DiskFull,
        Self::PacketLoss1,
        Self::PacketLoss5,
        Self::PacketLoss50,
        Self::Hang1036,
        Self::Hang1152,
        Self::Hang2080,
        Self::Crash,
        Self::AppBug,
        Self::Skew,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::CpuHog => "cpuhog",
            Self::DiskHog => "diskhog",
            Self::DiskFull => "diskfull",
            Self::PacketLoss1 => "packetloss1",
            Self::PacketLoss5 => "packetloss5",
            Self::PacketLoss50 => "packetloss50",
            Self::Hang1036 => "hang1036",
            Self::Hang1152 => "hang1152",
            Self::Hang2080 => "hang2080",
            Self::Crash => "crash",
            Self::AppBug => "appbug",
            Self::Skew => "skew",
        }
    }

    /// The name in labels, as the paper and the labelled runs write it.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::CpuHog => "CPUHog",
            Self::DiskHog => "DiskHog",
            Self::DiskFull => "DiskFull",
            Self::PacketLoss1 => "PacketLoss1",
            Self::PacketLoss5 => "PacketLoss5",
            Self::PacketLoss50 => "PacketLoss50",
            Self::Hang1036 => "HANG-1036",
            Self::Hang1152 => "HANG-1152",
            Self::Hang2080 => "HANG-2080",
            Self::Crash => "Crash",
            Self::AppBug => "app-exception",
            Self::Skew => "app-skew",
        }
    }

    /// Whether one node is at fault.
    #[must_use]
    pub const fn is_of_a_node(self) -> bool {
        !matches!(self, Self::None | Self::AppBug | Self::Skew)
    }
}

/// Which Hadoop writes the logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// 0.20 and 1.x: JobTracker and TaskTrackers.
    One,
    /// 3.x: YARN.
    Three,
}

/// What is to be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Name of the run and of its archive.
    pub run: String,
    /// Slaves.
    pub nodes: usize,
    /// What the jobs do.
    pub workload: Workload,
    /// What is wrong.
    pub fault: Fault,
    /// Whose logs.
    pub generation: Generation,
    /// Slow attempts get a speculative one beside them.
    pub speculation: bool,
    /// The daemons' system calls are traced.
    pub strace: bool,
    /// Tasks as a multiple of the usual number.
    pub size: f64,
    /// Of all chance.
    pub seed: u64,
}

/// The label of a run: an object of `truth.json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// Name of the run; its archive is `<run>.tar.gz`.
    pub run: String,
    /// What the jobs did.
    pub workload: String,
    /// What was wrong.
    pub fault: String,
    /// The faulty node.
    pub node: Option<String>,
    /// First submission.
    pub begin_ms: i64,
    /// End of the last job.
    pub end_ms: i64,
    /// The fault begins.
    pub fault_begin_ms: Option<i64>,
    /// How it was made.
    pub parameters: Parameters,
    /// The jobs and how they ended.
    pub jobs: Vec<JobTruth>,
}

/// How a run was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameters {
    /// Made, not measured.
    pub simulated: bool,
    /// Slaves.
    pub nodes: usize,
    /// 1 or 3.
    pub generation: u8,
    /// Slow attempts get a speculative one beside them.
    pub speculation: bool,
    /// The daemons' system calls are traced.
    pub strace: bool,
    /// Tasks as a multiple of the usual number.
    pub size: f64,
    /// Of all chance.
    pub seed: u64,
}

/// A job's end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobTruth {
    /// Its id.
    pub job: String,
    /// SUCCESS, FAILED or KILLED.
    pub status: String,
}
