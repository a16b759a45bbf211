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
