//! Names of the formats that several rooms tell apart, as the coverage has them.

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
