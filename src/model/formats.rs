//! Names of the formats that several rooms tell apart, as the coverage has them, and the sets that these look for: a new
//! format takes part where it stands in one.

/// Daemons whose name stands before the host's in `hadoop-USER-DAEMON-HOST.log`.
pub const DAEMONS: [&str; 12] = [
    "secondarynamenode",
    "namenode",
    "datanode",
    "journalnode",
    "zkfc",
    "jobtracker",
    "tasktracker",
    "resourcemanager",
    "nodemanager",
    "historyserver",
    "timelineserver",
    "proxyserver",
];

/// What a DataNode logs.
pub const DATANODE: &str = "datanode";
/// What a NodeManager logs.
pub const NODEMANAGER: &str = "nodemanager";
/// What a TaskTracker logs.
pub const TASKTRACKER: &str = "tasktracker";
/// What a NameNode logs.
pub const NAMENODE: &str = "namenode";
/// What a JobTracker logs.
pub const JOBTRACKER: &str = "jobtracker";
/// What a ResourceManager logs.
pub const RESOURCEMANAGER: &str = "resourcemanager";
/// What who runs a job logs in its container.
pub const AM_SYSLOG: &str = "am-syslog";
/// What a task logs.
pub const TASK_SYSLOG: &str = "task-syslog";
/// The JobTracker's history of a job.
pub const JOBHISTORY_V1: &str = "jobhistory-v1";
/// The history of a job since 0.21.
pub const JHIST: &str = "jhist";
/// What Rumen makes of histories.
pub const RUMEN_TRACE: &str = "rumen-trace";
/// Rumen's racks and hosts.
pub const RUMEN_TOPOLOGY: &str = "rumen-topology";
/// The event log of a Spark application.
pub const SPARK_EVENTS: &str = "spark-events";
/// A job's configuration.
pub const JOB_CONF: &str = "job-conf";
/// A line for each job, as masters write it.
pub const JOB_SUMMARY: &str = "job-summary";
/// What a JobHistoryServer logs.
pub const HISTORYSERVER: &str = "historyserver";
/// What a process that is none of the nodes' logs by log4j: it tells how long the observation lasted and nothing else.
pub const OTHER_PROCESS: &str = "other-process";
/// Metrics, as `sadf -d` prints them.
pub const SADF_D: &str = "sadf-d";
/// Metrics, as `sadf -p` prints them.
pub const SADF_P: &str = "sadf-p";
/// Metrics, as `sadf -j` prints them.
pub const SADF_J: &str = "sadf-j";
/// Metrics, as `sadf -x` prints them.
pub const SADF_X: &str = "sadf-x";
/// Metrics, as `sar` prints them.
pub const SAR: &str = "sar";
/// Metrics, as sysstat's collector keeps them.
pub const SA: &str = "sa";
/// Calls with seconds since 1970.
pub const STRACE_TTT: &str = "strace-ttt";
/// Calls with times of the day.
pub const STRACE_TT: &str = "strace-tt";
/// Calls counted.
pub const STRACE_COUNT: &str = "strace-count";

/// Logs of daemons that run on each node.
pub const PER_NODE: [&str; 3] = [TASKTRACKER, DATANODE, NODEMANAGER];
/// Logs of masters.
pub const MASTERS: [&str; 3] = [NAMENODE, JOBTRACKER, RESOURCEMANAGER];
/// Histories as Hadoop writes them, which keep the errors of attempts.
pub const HISTORIES: [&str; 2] = [JOBHISTORY_V1, JHIST];
/// What tells of jobs, whoever's file it is.
pub const OF_JOBS: [&str; 7] = [JHIST, JOBHISTORY_V1, JOB_SUMMARY, JOB_CONF, RUMEN_TRACE, RUMEN_TOPOLOGY, SPARK_EVENTS];
/// Metrics and nothing else. Their times say nothing of how long the daemons were observed.
pub const METRICS: [&str; 6] = [SADF_D, SADF_P, SADF_J, SADF_X, SAR, SA];
/// System calls.
pub const CALLS: [&str; 3] = [STRACE_TTT, STRACE_TT, STRACE_COUNT];
