//! What a simulated cluster did: the rows that logs are written from, and that tests
//! compare with what was read back. Times are microseconds since the begin of the run.

use super::Micros;

/// Kinds of task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Before the maps (0.20 runs it as a task).
    Setup,
    /// A map.
    #[default]
    Map,
    /// A reduce.
    Reduce,
    /// After everything.
    Cleanup,
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As it should.
    Success,
    /// By an error of its own.
    Failed,
    /// By order.
    Killed,
}

/// Why an attempt did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The disk took nothing more while its files were laid out.
    NoSpaceAtStart,
    /// The disk took nothing more while it worked.
    NoSpace,
    /// It said nothing until it was given up.
    TimedOut,
    /// Its own code threw.
    Application,
    /// Its node was given up.
    LostNode,
    /// Its output could not be fetched.
    FetchFailures,
    /// Another attempt was faster.
    NotNeeded,
    /// Its job ended.
    JobEnded,
}

/// A job.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Number within the cluster's life, from 1.
    pub number: u32,
    /// What it is called.
    pub name: &'static str,
    /// Given to the master.
    pub submitted: Micros,
    /// Taken up.
    pub launched: Micros,
    /// When it was over.
    pub finished: Option<Micros>,
    /// How it ended.
    pub end: Option<End>,
    /// Its maps.
    pub maps: Vec<usize>,
    /// Its reduces.
    pub reduces: Vec<usize>,
    /// The set-up task (0.20).
    pub setup: Option<usize>,
    /// The clean-up task (0.20).
    pub cleanup: Option<usize>,
}

/// A task.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Its job.
    pub job: usize,
    /// Its kind.
    pub kind: Kind,
    /// Its number among those of its letter.
    pub index: u32,
    /// Where the block that it reads lies.
    pub at: Vec<usize>,
    /// The block.
    pub block: i64,
    /// Bytes that it reads from the file system.
    pub input: f64,
    /// Its attempts in order.
    pub attempts: Vec<usize>,
    /// The attempt that succeeded and still counts.
    pub done: Option<usize>,
    /// When the master knew.
    pub done_at: Option<Micros>,
    /// When it failed for good, and its job with it.
    pub failed_at: Option<Micros>,
    /// First attempt's assignment.
    pub started: Option<Micros>,
    /// Attempts that failed.
    pub failures: u32,
    /// Nodes where they did.
    pub failed_on: Vec<usize>,
}

/// An attempt.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// Its task.
    pub task: usize,
    /// Its number.
    pub number: u32,
    /// Its node.
    pub node: usize,
    /// Its container's number within the job (2 and 3).
    pub container: u32,
    /// The node held the task's block.
    pub local: bool,
    /// Chosen by the master.
    pub assigned: Micros,
    /// Known to the node.
    pub launched: Micros,
    /// Its files are laid out and its process is started.
    pub spawned: Option<Micros>,
    /// Its process speaks.
    pub up: Option<Micros>,
    /// All map outputs are there.
    pub shuffled: Option<Micros>,
    /// They are merged.
    pub sorted: Option<Micros>,
    /// Its work is done and waits for permission.
    pub worked: Option<Micros>,
    /// When it was over.
    pub finished: Option<Micros>,
    /// The master knows.
    pub reported: Option<Micros>,
    /// How it ended.
    pub end: Option<End>,
    /// Why, if badly.
    pub error: Option<Error>,
    /// Taken back by the master: a map whose output was lost later, or what a node that was lost had not yet told.
    pub withdrawn: Option<(Micros, Error)>,
    /// Bytes read from HDFS.
    pub hdfs_read: f64,
    /// Bytes written to HDFS.
    pub hdfs_written: f64,
    /// Bytes read from local disks.
    pub file_read: f64,
    /// Bytes written to local disks.
    pub file_written: f64,
    /// Bytes of map outputs fetched.
    pub shuffle_bytes: f64,
    /// When it asked for finished maps, and how many were new.
    pub polls: Vec<(Micros, usize)>,
}

/// A block being written through one node of its pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Leg {
    /// The node that writes.
    pub node: usize,
    /// Who sends: another node, or the client's.
    pub from: usize,
    /// The sender's port.
    pub port: u32,
    /// Begin.
    pub begun: Micros,
    /// End; `None` while open.
    pub ended: Option<Micros>,
    /// Bytes.
    pub bytes: f64,
    /// It ended well.
    pub good: bool,
    /// Nodes behind it.
    pub behind: usize,
}

/// A block being written.
#[derive(Clone, Debug, Default)]
pub struct Write {
    /// The block's id.
    pub block: i64,
    /// Its generation stamp.
    pub stamp: u64,
    /// The attempt that writes.
    pub attempt: usize,
    /// One row for each node of the pipeline.
    pub legs: Vec<Leg>,
}

/// A block being read.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The block's id.
    pub block: i64,
    /// The attempt that reads.
    pub attempt: usize,
    /// The node that serves.
    pub from: usize,
    /// The reader's port.
    pub port: u32,
    /// Begin.
    pub begun: Micros,
    /// End.
    pub ended: Micros,
    /// Bytes.
    pub bytes: f64,
}

/// A map output being fetched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fetch {
    /// The reduce that fetches.
    pub reduce: usize,
    /// The map whose output it is.
    pub map: usize,
    /// Which fetcher of the reduce.
    pub fetcher: u32,
    /// The fetching side's port.
    pub port: u32,
    /// The connection is tried.
    pub begun: Micros,
    /// Bytes come.
    pub flowing: Micros,
    /// The last has come, or it failed.
    pub ended: Option<Micros>,
    /// Bytes.
    pub bytes: f64,
    /// It ended well.
    pub good: bool,
    /// Seconds to wait before that host is tried again.
    pub penalty_s: u32,
}

/// What the master noticed of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// No heartbeat for too long.
    Lost,
    /// A job gives it no more tasks.
    Blacklisted(usize),
    /// It said that it is unwell (2 and 3).
    Unhealthy,
    /// A reduce could not fetch this attempt's output; how often that was said.
    FetchFailed(usize, u32),
}
