//! What one log line, or one history record, says: an [`Event`].
//!
//! An event holds what its line states and nothing else; what it means beside other
//! lines is decided by the `states` room. Its time (`Row::at`) and line number stand in
//! the row around it ([`super::Row`]).

use super::{
    AttemptRecord, CallCounts, Capacity, ContainerStep, JobConf, JobRecord, Label, Outcome, Phase, Said, TaskMemory,
    TaskRecord, TaskType,
};
use crate::base::{AttemptId, BlockId, ContainerId, JobId, Timestamp};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};

/// Stands for the port where a version prints the address alone.
pub const PORT_NOT_PRINTED: u16 = 0;

/// What a line says. All addresses are as printed; times are in the file's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Event {
    // --- TaskTracker, 0.18 to 1.x ---------------------------------------------------
    /// `LaunchTaskAction (registerTask): ATT task's state:STATE`; `cleanup` for
    /// FAILED_UNCLEAN and KILLED_UNCLEAN.
    Launched {
        /// The attempt.
        attempt: AttemptId,
        /// It clears up after an earlier attempt of this id.
        cleanup: bool,
    },
    /// One of the lines that end an attempt.
    Ended {
        /// The attempt.
        attempt: AttemptId,
        /// success, failed or killed by the line's wording.
        outcome: Outcome,
    },
    /// `Received 'KillJobAction' for job: JOB`: ends all open attempts of the job.
    JobKilled {
        /// The job.
        job: JobId,
    },
    /// First and last progress line of one phase of one attempt in this file; the row's
    /// time and line are those of the last.
    Progress {
        /// The attempt.
        attempt: AttemptId,
        /// The phase named.
        phase: Phase,
        /// Time of the first such line.
        first: Timestamp,
    },
    /// TaskTracker clienttrace `op: MAPRED_SHUFFLE`: a map's output was served.
    ShuffleServed {
        /// The map whose output it is (cliID).
        map: Option<AttemptId>,
        /// Who fetched it.
        dest: Option<IpAddr>,
        /// Bytes sent.
        bytes: u64,
        /// Nanoseconds, where the version prints them.
        duration_ns: Option<u64>,
    },
    /// ShuffleHandler audit of Hadoop 2/3: `shuffle for JOB reducer N length L`.
    ShuffleAudit {
        /// The job.
        job: JobId,
        /// Bytes announced.
        bytes: u64,
    },

    // --- DataNode ---------------------------------------------------------------------
    /// `Receiving [block] BLK src: /A dest: /B`.
    Receiving {
        /// The block.
        block: BlockId,
        /// The upstream host.
        src: SocketAddr,
        /// This DataNode.
        dest: Option<SocketAddr>,
    },
    /// clienttrace `op: HDFS_WRITE`.
    Wrote {
        /// The block.
        block: BlockId,
        /// The upstream host.
        src: SocketAddr,
        /// This DataNode.
        dest: Option<SocketAddr>,
        /// Bytes written.
        bytes: u64,
        /// Nanoseconds, where the version prints them.
        duration_ns: Option<u64>,
        /// The attempt inside cliID.
        attempt: Option<AttemptId>,
    },
    /// `Received [block] BLK … of size N`: a replica ordered by the NameNode (or, in
    /// 0.18, any replica).
    Received {
        /// The block.
        block: BlockId,
        /// The upstream address; its port may be [`PORT_NOT_PRINTED`].
        src: Option<SocketAddr>,
        /// Bytes.
        bytes: u64,
    },
    /// `PacketResponder … BLK … terminating`.
    Terminating {
        /// The block.
        block: BlockId,
    },
    /// `writeBlock|opWriteBlock BLK received exception …`.
    WriteFailed {
        /// The block.
        block: BlockId,
    },
    /// clienttrace `op: HDFS_READ`; the row's time is the read's end.
    Read {
        /// The block.
        block: BlockId,
        /// This DataNode.
        src: Option<SocketAddr>,
        /// The reader.
        dest: SocketAddr,
        /// Bytes read.
        bytes: u64,
        /// Nanoseconds, where the version prints them.
        duration_ns: Option<u64>,
        /// The attempt inside cliID.
        attempt: Option<AttemptId>,
    },
    /// `Served block BLK to /ip` (0.18, and later where there is no client name).
    Served {
        /// The block.
        block: BlockId,
        /// The reader.
        dest: IpAddr,
    },
    /// `Got exception while serving BLK to /ip`.
    ServeFailed {
        /// The block.
        block: BlockId,
        /// The reader.
        dest: Option<IpAddr>,
    },

    // --- Job history -------------------------------------------------------------------
    /// What a history file says of an attempt, all records joined; the row's time is its
    /// finish, else its start; the row's line its last record's.
    Attempt(Box<AttemptRecord>),
    /// What a history file says of a job, all records joined.
    Job(Box<JobRecord>),

    // --- Hadoop 2/3: ApplicationMaster, NodeManager, task containers -----------------------
    /// AM: `TaskAttempt: [ATT] using containerId: [C on NM: [host:port]`.
    Assigned {
        /// The attempt.
        attempt: AttemptId,
        /// Its container.
        container: ContainerId,
        /// The NodeManager's host.
        host: Box<str>,
    },
    /// AM: `ATT TaskAttempt Transitioned from ASSIGNED to RUNNING`.
    AmRunning {
        /// The attempt.
        attempt: AttemptId,
    },
    /// AM: first transition of ATT out of RUNNING (or COMMIT_PENDING) into an end.
    AmLeft {
        /// The attempt.
        attempt: AttemptId,
        /// By the name of the state entered: SUCC* success, FAIL* failed, else killed.
        outcome: Outcome,
    },
    /// NodeManager: `Container C transitioned from NEW to LOCALIZING`.
    Localizing {
        /// The container.
        container: ContainerId,
    },
    /// NodeManager: first transition out of LOCALIZING, but for [`Event::LocalizingKilled`].
    Localized {
        /// The container.
        container: ContainerId,
        /// Whether it went on to run (LOCALIZED, SCHEDULED), not to fail.
        ok: bool,
    },
    /// NodeManager: `Container C transitioned from SCHEDULED|LOCALIZED to RUNNING`.
    ContainerRunning {
        /// The container.
        container: ContainerId,
    },
    /// NodeManager: `Container C transitioned from … to …` where that is an end, from whatever state but LOCALIZING.
    ContainerLeft {
        /// The container.
        container: ContainerId,
        /// EXITED_WITH_SUCCESS success, EXITED_WITH_FAILURE failed, else killed.
        outcome: Outcome,
    },
    /// Task container's or 0.20 userlog's syslog: whose log this is. The row's time is
    /// the log's first.
    TaskLog {
        /// The attempt.
        attempt: AttemptId,
        /// The container (from the path), for Hadoop 2/3.
        container: Option<ContainerId>,
    },
    /// `Task 'ATT' done.` in a task's own log.
    TaskDone {
        /// The attempt.
        attempt: AttemptId,
    },
    /// `finalMerge called with …`: the reduce whose log this is has copied all.
    FinalMerge {
        /// The reduce.
        attempt: AttemptId,
    },
    /// The last `Down to the last merge-pass` after the final merge began: sorting is over.
    LastMergePass {
        /// The reduce.
        attempt: AttemptId,
    },
    /// One map output fetched by a reduce; the row's time is the end of the fetch.
    Fetched {
        /// The reduce whose log this is.
        reduce: AttemptId,
        /// The map.
        map: AttemptId,
        /// Host it came from, where the log names it.
        host: Option<Box<str>>,
        /// When the fetch began.
        start: Timestamp,
        /// Bytes on the wire.
        bytes: u64,
    },

    // --- Masters, and trouble in any log -----------------------------------------------------
    /// JobTracker: `Adding task [(TYPE)] 'ATT' to tip TIP, for tracker 'tracker_HOST:…'`.
    TaskAssigned {
        /// The attempt.
        attempt: AttemptId,
        /// What it does, where the version prints it.
        task_type: Option<TaskType>,
        /// The TaskTracker's host.
        host: Box<str>,
    },
    /// JobTracker: `Task 'ATT' has completed TIP successfully.`
    TaskCompleted {
        /// The attempt.
        attempt: AttemptId,
    },
    /// A line that speaks of trouble.
    Complaint(Box<Said>),
    // --- Clocks: what tells of one instant or one message in two of them --------------------
    /// A line that names the epoch time of about the moment at which it was written
    /// (`JobSummary: …,finishTime=`, `ApplicationSummary: …,finishTime=`; an ApplicationMaster's `Copying … to …-finish-….jhist_tmp`),
    /// that has a zone behind its time, or its time in UTC before it by whoever took it; and the last line of a file that
    /// was modified with it.
    EpochTold {
        /// That time.
        epoch: Timestamp,
    },
    /// A ResourceManager's first line; `stamp` stands in the ids of its applications. The
    /// row's time is the line's.
    ClusterStarted {
        /// Its start.
        stamp: Timestamp,
    },
    /// ResourceManager: `C Container Transitioned from A to B`.
    ContainerStepped {
        /// The container.
        container: ContainerId,
        /// Which step.
        step: ContainerStep,
    },
    /// ApplicationMaster: `JVM with ID: jvm_… given task: ATT`.
    TaskGiven {
        /// The attempt.
        attempt: AttemptId,
    },
    /// What a JobTracker's history says of the time of a task.
    Task(TaskRecord),
    // --- strace ------------------------------------------------------------------------------
    /// A text that later calls of this file name by its number: 0 for the first since the
    /// file's begin or since the last [`Event::CallTextsForgotten`].
    CallText(Box<str>),
    /// All texts of this file are forgotten: its table was full.
    CallTextsForgotten,
    /// One system call; the row's time is its begin, its line the one with the result.
    Call {
        /// Process or thread, where strace names it.
        pid: Option<u32>,
        /// Microseconds beyond the row's milliseconds, 0 to 999.
        micros: u16,
        /// Number of the canonical name's text.
        name: u32,
        /// Number of the arguments' text.
        args: u32,
        /// Number of the result's text.
        ret: u32,
        /// Time inside, where known.
        duration_us: Option<u64>,
    },
    /// Calls of one name that were not kept one by one; the row's line is the first.
    CallsFolded(Box<CallCounts>),
    /// A row of `strace -c`.
    CallsCounted(Box<CallCounts>),
    // --- Metrics: sysstat ---------------------------------------------------------------
    /// The rows behind this one, up to the next of its kind, are of this host; empty where
    /// the file does not say.
    MetricsHost {
        /// Name as printed.
        host: Box<str>,
    },
    /// Some of the metrics of one instant, the row's time.
    Metrics {
        /// The metrics that are there, by their bits.
        which: u16,
        /// Their values in the order of [`super::Metric::ALL`], in hundredths (sysstat prints two
        /// decimals).
        hundredths: Box<[u64]>,
    },
    /// A job's configuration. The row has no time.
    JobConf {
        /// The job.
        job: JobId,
        /// Its values in use.
        conf: Box<JobConf>,
    },
    /// A history or topology says in which rack a host stands. The row has no time.
    Rack {
        /// The host.
        host: Box<str>,
        /// Its rack, with a leading slash: `/default-rack`.
        rack: Box<str>,
    },
    /// ResourceManager: `NodeManager from node HOST(…) registered with capability: <memory:M, vCores:V>`.
    Capacity {
        /// The host.
        host: Box<str>,
        /// What it offers to containers.
        capacity: Capacity,
    },
    /// A history says in which queue a job was. The row has no time.
    JobQueue {
        /// The job.
        job: JobId,
        /// The queue.
        queue: Box<str>,
    },
    /// What the attempts of a history file that counted it held of memory
    /// (PHYSICAL_MEMORY_BYTES). The row has no time.
    JobMemory {
        /// The job.
        job: JobId,
        /// What the attempts do.
        task_type: TaskType,
        /// Their memory.
        memory: TaskMemory,
    },
    /// [`Event::ShuffleServed`] of a version that prints the reduce too (reduceID, 0.21).
    ShuffleServedTo {
        /// The map whose output it is (cliID).
        map: AttemptId,
        /// The reduce that fetched it.
        reduce: AttemptId,
        /// Where that runs.
        dest: Option<IpAddr>,
        /// Bytes sent.
        bytes: u64,
        /// Nanoseconds, where the version prints them.
        duration_ns: Option<u64>,
    },
    /// What was wrong in a run, told by whoever made it. The row has no time; no diagnosis reads it.
    Label(Box<Label>),
    /// [`Event::ShuffleServed`] of the trunk of 2011, which prints neither the maps nor their bytes.
    ShuffleServedMaps {
        /// The reduce that fetched them (reduceID).
        reduce: AttemptId,
        /// Where that runs.
        dest: Option<IpAddr>,
        /// Nanoseconds.
        duration_ns: Option<u64>,
    },
    /// How a labelled run was made, one parameter. The row has no time; no diagnosis reads it.
    LabelParameter {
        /// Name of the run.
        run: Box<str>,
        /// Name of the parameter.
        name: Box<str>,
        /// Its value as JSON.
        value: Box<str>,
    },
    /// ApplicationMaster: `Diagnostics report from ATT: TEXT`; JobTracker: `Error from ATT: TEXT`.
    AttemptError {
        /// The attempt.
        attempt: AttemptId,
        /// First line of the text, as histories keep it.
        error: Box<str>,
    },
    /// NodeManager: `Container C transitioned from LOCALIZING to KILLING`.
    LocalizingKilled {
        /// The container.
        container: ContainerId,
    },
    /// A job's configuration: the largest file or archive of its distributed cache. The row has no time.
    CacheFile {
        /// The job.
        job: JobId,
        /// Its size.
        bytes: u64,
    },
    /// [`Event::TaskLog`] of a log whose beginning is lost: the row's time is that of what is left.
    TaskLogCut {
        /// The attempt.
        attempt: AttemptId,
        /// The container (from the path), for Hadoop 2/3.
        container: Option<ContainerId>,
    },
    /// sysstat says how many processors a host has. The row has no time.
    Processors {
        /// The host; empty where the file does not name it.
        host: Box<str>,
        /// Processors.
        count: u32,
    },
    /// ResourceManager: `Assigned container C of capacity <…> on host HOST:PORT, …`.
    ContainerAssigned {
        /// The container.
        container: ContainerId,
        /// The NodeManager's host.
        host: Box<str>,
    },
    /// A DataNode's clienttrace line lacks its client (`cliID`), as none of Hadoop's own does. What it says besides is the
    /// next row.
    ClientUntold,
    /// One map output that a reduce began to fetch and was still fetching when its log ended; the row's time is the
    /// begin of the fetch.
    FetchOpen {
        /// The reduce whose log this is.
        reduce: AttemptId,
        /// The map.
        map: AttemptId,
        /// Bytes on the wire, once all have come.
        bytes: u64,
    },
    /// [`Event::ShuffleServedMaps`] that tells of the reduce no more than the number of its partition.
    ShuffleServedPart {
        /// Where the reduce runs.
        dest: Option<IpAddr>,
        /// Nanoseconds.
        duration_ns: Option<u64>,
    },
    /// The log of a task's container that does not name the attempt, from the JVM's start on. The row's time is the log's
    /// first.
    ContainerLog {
        /// The container.
        container: ContainerId,
    },
}
