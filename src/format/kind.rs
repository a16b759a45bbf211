//! Which daemon or task wrote a log4j file, told from its first lines.
//!
//! ```text
//! STARTUP_MSG: Starting TaskTracker                                           says it all
//! … org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving block …       speaks for one
//! … metrics.jvm.JvmMetrics: Initializing JVM Metrics with processName=MAP, …  so does this
//! ```
//! Each logger in the head votes. A daemon's name in the file's name
//! (`hadoop-USER-datanode-HOST.log`) decides between equals and where nothing votes, as in a log that
//! was rolled inside a stack trace.
//! Logs may be cut or emptied while their daemon runs, so a banner cannot be relied on.
//!
//! Assumes that one file holds the log of one process, or is meant to be read as that of
//! the process with most lines in it. Cost: O(head), once a format.

use super::log4j::{self, Record, Split, Splitter};
use super::{Confidence, Head, bystanders};
use crate::base::bytes::{self, Word};
use crate::base::text::{between_dashes, without_zeros};
use crate::model::shapes::ShapeTable;
use memchr::memmem;

/// Who writes log4j lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// TaskTracker, 0.18 to 1.x.
    TaskTracker,
    /// JobTracker, 0.18 to 1.x.
    JobTracker,
    /// DataNode.
    DataNode,
    /// NameNode.
    NameNode,
    /// The NameNode's secondary, no master of anything.
    SecondaryNameNode,
    /// ResourceManager, 0.23 on.
    ResourceManager,
    /// NodeManager, 0.23 on.
    NodeManager,
    /// JobHistoryServer, 0.23 on.
    HistoryServer,
    /// MRAppMaster, 0.23 on.
    AppMaster,
    /// A task's JVM.
    Task,
    /// Something known that is none of these: a client's console, a journal node.
    Foreign,
}

/// All kinds, in the order that decides between equals that no file name tells apart.
const KINDS: [Kind; 11] = [
    Kind::AppMaster,
    Kind::TaskTracker,
    Kind::DataNode,
    Kind::NodeManager,
    Kind::Task,
    Kind::JobTracker,
    Kind::NameNode,
    Kind::SecondaryNameNode,
    Kind::ResourceManager,
    Kind::HistoryServer,
    Kind::Foreign,
];

/// In so much of a line of a log stand its time and level, whatever the layout.
const LINE_BYTES: usize = 200;

/// How a line of a stack trace begins.
const FRAME: &[u8] = b"\tat ";

/// Votes of a banner, and of a line that only one kind of process writes: nothing else is
/// looked at then.
const DECISIVE: u32 = 1000;

/// Parts of logger names and who logs by them. Short 0.18 names (`dfs.DataNode`) and full
/// ones (`org.apache.hadoop.dfs.DataNode`) both end so. The first match counts, so that none stands behind a part of it.
static LOGGERS: &[(Word<'_>, Kind)] = &[
    (Word::new(b"datanode."), Kind::DataNode),
    (Word::new(b"dfs.DataNode"), Kind::DataNode),
    (Word::new(b"dfs.FSDataset"), Kind::DataNode),
    (Word::new(b"dfs.DataBlockScanner"), Kind::DataNode),
    (Word::new(b"server.blockmanagement."), Kind::NameNode),
    (Word::new(b"namenode."), Kind::NameNode),
    (Word::new(b"dfs.NameNode"), Kind::NameNode),
    (Word::new(b"dfs.FSNamesystem"), Kind::NameNode),
    (Word::new(b"FSNamesystem.audit"), Kind::NameNode),
    (Word::new(b"hdfs.StateChange"), Kind::NameNode),
    (Word::new(b"BlockStateChange"), Kind::NameNode),
    (Word::new(b"nodemanager."), Kind::NodeManager),
    (Word::new(b"containermanager."), Kind::NodeManager),
    (Word::new(b"mapred.ShuffleHandler"), Kind::NodeManager),
    (Word::new(b"resourcemanager."), Kind::ResourceManager),
    (Word::new(b"mapreduce.v2.hs."), Kind::HistoryServer),
    (Word::new(b"hs.JobHistory"), Kind::HistoryServer),
    (Word::new(b"mapreduce.v2.app."), Kind::AppMaster),
    (Word::new(b"mapred.TaskAttemptListenerImpl"), Kind::AppMaster),
    (Word::new(b"mapreduce.task.reduce."), Kind::Task),
    (Word::new(b"mapred.YarnChild"), Kind::Task),
    (Word::new(b"mapred.MapTaskRunner"), Kind::TaskTracker),
    (Word::new(b"mapred.ReduceTaskRunner"), Kind::TaskTracker),
    (Word::new(b"mapred.MapTask"), Kind::Task),
    (Word::new(b"mapred.ReduceTask"), Kind::Task),
    (Word::new(b"mapred.Merger"), Kind::Task),
    (Word::new(b"mapred.TaskTracker"), Kind::TaskTracker),
    (Word::new(b"mapred.JvmManager"), Kind::TaskTracker),
    (Word::new(b"mapred.TaskRunner"), Kind::TaskTracker),
    (Word::new(b"mapred.TaskLogAggregator"), Kind::TaskTracker),
    (Word::new(b"mapred.JobTracker"), Kind::JobTracker),
    (Word::new(b"mapred.JobInProgress"), Kind::JobTracker),
    (Word::new(b"mapred.TaskInProgress"), Kind::JobTracker),
    (Word::new(b"mapred.JobHistory"), Kind::JobTracker),
    (Word::new(b"mapred.JobClient"), Kind::Foreign),
    (Word::new(b"mapred.LocalJobRunner"), Kind::Foreign),
    (Word::new(b"mapreduce.Job"), Kind::Foreign),
];

/// Who logs by these loggers where a layout gives their last part alone (`%c{1}`).
static CLASSES: &[(Kind, &[&[u8]])] = &[
    (
        Kind::DataNode,
        &[
            b"DataNode",
            b"DataXceiver",
            b"FsDatasetImpl",
            b"FsDatasetAsyncDiskService",
            b"BlockPoolSlice",
            b"DirectoryScanner",
            b"FSDataset",
            b"DataBlockScanner",
        ],
    ),
    (
        Kind::NodeManager,
        &[
            b"NodeManager",
            b"ContainerImpl",
            b"ContainerManagerImpl",
            b"ContainersMonitorImpl",
            b"ContainerLaunch",
            b"ApplicationImpl",
            b"NMAuditLogger",
            b"ResourceLocalizationService",
            b"LocalizedResource",
            b"NodeStatusUpdaterImpl",
            b"DefaultContainerExecutor",
            b"ShuffleHandler",
        ],
    ),
    (
        Kind::ResourceManager,
        &[
            b"ResourceManager",
            b"RMContainerImpl",
            b"RMAppImpl",
            b"RMAppAttemptImpl",
            b"RMNodeImpl",
            b"RMAuditLogger",
            b"CapacityScheduler",
            b"SchedulerNode",
            b"LeafQueue",
            b"ClientRMService",
        ],
    ),
    (Kind::NameNode, &[b"NameNode", b"FSNamesystem", b"StateChange", b"BlockManager", b"FSEditLog"]),
    (Kind::AppMaster, &[b"JobImpl", b"TaskAttemptImpl", b"RMContainerAllocator", b"TaskAttemptListenerImpl"]),
    (Kind::Task, &[b"MapTask", b"ReduceTask", b"Merger", b"MergeManagerImpl", b"ShuffleSchedulerImpl"]),
    (Kind::TaskTracker, &[b"TaskTracker", b"JvmManager"]),
    (Kind::JobTracker, &[b"JobTracker", b"JobInProgress", b"TaskInProgress"]),
];

/// Process names of `STARTUP_MSG: Starting X` and of `processName=X`.
fn process(name: &[u8]) -> Option<Kind> {
    let end = name.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(name.len());
    Some(match name.get(..end)? {
        b"TaskTracker" => Kind::TaskTracker,
        b"JobTracker" => Kind::JobTracker,
        b"DataNode" | b"SecureDataNodeStarter" => Kind::DataNode,
        b"NameNode" => Kind::NameNode,
        b"SecondaryNameNode" => Kind::SecondaryNameNode,
        b"ResourceManager" => Kind::ResourceManager,
        b"NodeManager" => Kind::NodeManager,
        b"JobHistoryServer" => Kind::HistoryServer,
        b"MRAppMaster" => Kind::AppMaster,
        // Phases of a task, as its JVM is called in 0.20 and 1.x.
        b"MAP" | b"REDUCE" | b"SHUFFLE" | b"SORT" | b"CLEANUP" | b"STARTING" => Kind::Task,
        b"" => return None,
        _ => Kind::Foreign,
    })
}

/// Who wrote the file that begins as `head`, and how sure that is. `None` for a file
/// without log4j lines or without a hint of its writer.
#[must_use]
pub fn of(head: &Head<'_>) -> Option<(Kind, Confidence)> {
    let mut votes = [0_u32; KINDS.len()];
    let mut records = 0_u32;
    let (mut inside_trace, mut audit) = (false, false);
    let mut splitter = Splitter::default();
    for line in head.lines() {
        let (kind, weight) = match splitter.split(without_zeros(line.trim_ascii_end())) {
            Split::Record(record) => {
                records += 1;
                audit |= record.logger.starts_with(b"SecurityLogger.");
                vote_of(&record)
            }
            Split::Continuation => match line.strip_prefix(b"STARTUP_MSG: Starting ") {
                Some(name) => (process(name), DECISIVE),
                None => {
                    inside_trace |= line.starts_with(FRAME);
                    continue;
                }
            },
            Split::BadTime | Split::Unreadable => continue,
        };
        if let (Some(kind), DECISIVE) = (kind, weight) {
            return Some((kind, Confidence::Sure));
        }
        let slot = kind.and_then(|kind| KINDS.iter().position(|k| *k == kind)).and_then(|at| votes.get_mut(at));
        if let Some(slot) = slot {
            *slot += weight;
        }
    }
    // What a daemon prints, traces too, lies beside its log under nearly the same name.
    if records == 0 && (!inside_trace || bystanders::is_printed(head.path)) {
        return None;
    }
    let most = votes.iter().copied().max().unwrap_or_default();
    let named = kind_of_path(head.path);
    if most == 0 {
        // An ApplicationMaster's log has the name of a task's.
        let told = named.filter(|kind| !(head.goes_on && *kind == Kind::Task));
        // Who may speak to a daemon is audited beside its log, by a logger that any daemon has.
        return told.or(audit.then_some(Kind::Foreign)).map(|kind| (kind, Confidence::Likely));
    }
    let mut first = KINDS.iter().zip(votes).filter(|(_, n)| *n == most).map(|(kind, _)| *kind);
    let (kind, second) = match (first.next()?, named) {
        // It logs by the NameNode's classes.
        (Kind::NameNode, Some(Kind::SecondaryNameNode)) => (Kind::SecondaryNameNode, first.next()),
        (kind, _) => (kind, first.next()),
    };
    match second {
        None => Some((kind, Confidence::Sure)),
        Some(_) => {
            let told = named.filter(|n| KINDS.iter().zip(votes).any(|(k, v)| k == n && v == most));
            Some((told.unwrap_or(kind), Confidence::Likely))
        }
    }
}

/// Share of a log's lines, as one of so many, that another daemon wrote before it is told.
const OF_ANOTHER: u64 = 20;

/// A line of a log in this format that another daemon wrote, if many are: a file that was made of several.
#[must_use]
pub fn line_of_another(format: &str, shapes: &ShapeTable) -> Option<u64> {
    // These log by the classes of others.
    let of_others = |kind: &Kind| matches!(kind, Kind::SecondaryNameNode | Kind::HistoryServer);
    let (_, own) = DAEMONS.iter().find(|(daemon, kind)| *daemon == format && !of_others(kind))?;
    let (mut all, mut others, mut first) = (0, 0, None);
    for (_, shape, count) in shapes.iter() {
        all += count.count;
        let kind = log4j::logger_in(shape.as_bytes()).and_then(of_logger);
        if kind.is_some_and(|kind| kind != *own && DAEMONS.iter().any(|(_, daemon)| *daemon == kind)) {
            others += count.count;
            first = first.into_iter().chain(count.lines.first().copied()).min();
        }
    }
    first.filter(|_| others * OF_ANOTHER >= all)
}

/// What stands in lines of Hadoop's daemons and tasks, and seldom in those of what runs beside them (ZooKeeper, HBase, agents).
const OF_HADOOP: [&[u8]; 10] = [
    b"org.apache.hadoop.hdfs",
    b"org.apache.hadoop.mapred",
    b"org.apache.hadoop.yarn",
    b"NameNode",
    b"DataNode",
    b"JobTracker",
    b"TaskTracker",
    b"ResourceManager",
    b"NodeManager",
    b"attempt_",
];

/// Whether a file in no known format is a log of Hadoop's: its name says so, or most of its lines have a time and a level
/// and some tell of Hadoop.
#[must_use]
pub fn may_be_log(head: &Head<'_>) -> bool {
    let name = head.path.rsplit('/').next().unwrap_or_default();
    if kind_of_path(head.path).is_some() && (name.contains(".log") || name.starts_with("syslog")) {
        return true;
    }
    let has_time = |line: &[u8]| line.windows(8).any(|part| log4j::fits(part, b"00:00:00"));
    let levels = [&b"INFO"[..], b"WARN", b"ERROR"];
    let has_level = |line: &[u8]| levels.iter().any(|level| memmem::find(line, level).is_some());
    let begins = head.lines().map(|line| line.get(..LINE_BYTES).unwrap_or(line)).filter(|line| !line.is_empty());
    let (mut dated, mut all) = (0, 0);
    for line in begins {
        all += 1;
        dated += usize::from(has_time(line) && has_level(line));
    }
    2 * dated > all && OF_HADOOP.iter().any(|name| memmem::find(head.bytes, name).is_some())
}

/// The confidence that a file is of `kind`.
#[must_use]
pub fn sniff(head: &Head<'_>, kind: Kind) -> Confidence {
    match head.writer() {
        Some((found, confidence)) if found == kind => confidence,
        _ => Confidence::No,
    }
}

fn vote_of(record: &Record<'_>) -> (Option<Kind>, u32) {
    let logger = record.logger;
    match record.class() {
        b"MRAppMaster" => return (Some(Kind::AppMaster), DECISIVE),
        b"YarnChild" => return (Some(Kind::Task), DECISIVE),
        b"SecondaryNameNode" => return (Some(Kind::SecondaryNameNode), DECISIVE),
        b"JvmMetrics" => {
            let name = bytes::after(record.message, b"processName=").unwrap_or_default();
            return (process(name), DECISIVE);
        }
        b"MetricsSystemImpl" => {
            // `MapTask metrics system started`, `DataNode metrics system started`
            return match record.message {
                m if m.starts_with(b"MapTask ") || m.starts_with(b"ReduceTask ") => (Some(Kind::Task), 1),
                m => (process(m).filter(|kind| *kind != Kind::Foreign), 1),
            };
        }
        // A task's own log says so too when its job's code throws.
        b"TaskTracker" if record.message.starts_with(b"Error running child") => return (Some(Kind::Task), 1),
        b"TaskRunner" if record.message.starts_with(b"Task") => return (Some(Kind::Task), 1),
        b"Task" => return (Some(Kind::Task), 1),
        _ => {}
    }
    (of_logger(logger), 1)
}

/// Who logs by a logger.
fn of_logger(logger: &[u8]) -> Option<Kind> {
    let found = LOGGERS.iter().find(|(part, _)| part.is_in(logger)).map(|(_, kind)| *kind);
    found.or_else(|| CLASSES.iter().find(|(_, names)| names.contains(&logger)).map(|(kind, _)| *kind))
}

/// Daemons by what their files, and the formats of these, are called after.
const DAEMONS: [(&str, Kind); 8] = [
    ("tasktracker", Kind::TaskTracker),
    ("jobtracker", Kind::JobTracker),
    ("datanode", Kind::DataNode),
    ("secondarynamenode", Kind::SecondaryNameNode),
    ("namenode", Kind::NameNode),
    ("resourcemanager", Kind::ResourceManager),
    ("nodemanager", Kind::NodeManager),
    ("historyserver", Kind::HistoryServer),
];

/// What a file's name says of its writer.
fn kind_of_path(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.strip_suffix(name).unwrap_or_default();
    // The first says it: a host may be called after a daemon, as `datanode-1`.
    let daemon = |part: &str| DAEMONS.iter().find(|(daemon, _)| part.eq_ignore_ascii_case(daemon));
    match between_dashes(name, daemon) {
        Some(((_, kind), _)) => Some(*kind),
        None if name.starts_with("syslog") && (folder.contains("container_") || folder.contains("attempt_")) => {
            Some(Kind::Task)
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formats;
    use crate::model::shapes::{SHAPES_KEPT, Unknown};

    fn kind(path: &str, bytes: &str) -> Option<(Kind, Confidence)> {
        of(&Head::new(path, bytes.as_bytes()))
    }

    #[test]
    fn no_logger_stands_behind_a_part_of_it() {
        for (at, (part, _)) in LOGGERS.iter().enumerate() {
            let hides = |(behind, _): &&(Word<'_>, Kind)| part.is_in(behind.text());
            assert_eq!(LOGGERS.iter().skip(at + 1).find(hides).map(|(behind, _)| behind.text()), None, "{part:?}");
        }
        let of = |logger: &str| kind("a", &format!("2026-11-20 21:24:33,513 INFO org.apache.hadoop.{logger}: x\n"));
        for (logger, expected) in [
            ("mapred.MapTaskRunner", Kind::TaskTracker),
            ("mapred.ReduceTaskRunner", Kind::TaskTracker),
            ("mapred.ReduceTask", Kind::Task),
            ("hdfs.server.datanode.DataNode", Kind::DataNode),
            ("yarn.server.resourcemanager.ResourceManager", Kind::ResourceManager),
        ] {
            assert_eq!(of(logger).map(|(kind, _)| kind), Some(expected), "{logger}");
        }
    }

    #[test]
    fn lines_of_another_daemon_are_told_if_they_are_many() {
        let shapes = |own: u64, others: u64| {
            let mut table = ShapeTable::default();
            let mut note = |shape: &str, line, weight| table.note(Unknown::Unused, shape, line, weight, SHAPES_KEPT);
            note("# # INFO org.apache.hadoop.hdfs.server.datanode.DataNode: x", 1, own);
            note("# # INFO org.apache.hadoop.hdfs.DFSClient: of nodemanager.X: y", 3, own);
            note("# # INFO [a b] org.apache.hadoop.yarn.server.nodemanager.NodeStatusUpdaterImpl: x", 9, others);
            note("# # INFO org.apache.hadoop.mapred.ShuffleHandler: x", 7, others);
            table
        };
        assert_eq!(line_of_another(formats::DATANODE, &shapes(10, 1)), Some(7));
        assert_eq!(line_of_another(formats::DATANODE, &shapes(100, 1)), None);
        assert_eq!(line_of_another(formats::NODEMANAGER, &shapes(1, 100)), None);
        assert_eq!(line_of_another(formats::TASK_SYSLOG, &shapes(10, 10)), None);
    }

    #[test]
    fn log_is_told_by_its_name_or_by_times_and_levels() {
        let may_be = |path: &str, text: &str| may_be_log(&Head::new(path, text.as_bytes()));
        assert!(may_be("h1/hadoop-u-datanode-h1.log.3", "x\n") && may_be("container_1/syslog", "x\n"));
        assert!(!may_be("h1/hadoop-u-datanode-h1.pid", "4242\n") && !may_be("h1/some.log", "x\n"));
        let line = "21 Nov 2026 02:13:53.542 | INFO | DataNode | Receiving x\n";
        assert!(may_be("x", line) && may_be("x", &(line.repeat(2) + "java.io.IOException: x\n")));
        assert!(!may_be("x", &format!("{line}a\nb\n")) && !may_be("x", "02:13:53 up 1 day\n"));
        let zookeeper = "2026-11-21 02:13:53,542 [myid:1] - INFO  [main:QuorumPeer@136] - Reading /etc/zoo.cfg\n";
        assert!(!may_be("zookeeper.log", zookeeper), "nobody misses it");
    }

    #[test]
    fn banner_decides() {
        let log = "2026-11-20 21:24:33,513 INFO org.apache.hadoop.util.X: STARTUP_MSG: \n\
                   STARTUP_MSG: Starting TaskTracker\nSTARTUP_MSG:   host = h101/10.77.1.11\n";
        assert_eq!(kind("a", log), Some((Kind::TaskTracker, Confidence::Sure)));
    }

    #[test]
    fn loggers_vote_without_a_banner() {
        let log = "2026-11-21 02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving x\n";
        assert_eq!(kind("a", log), Some((Kind::DataNode, Confidence::Sure)));
    }

    #[test]
    fn loggers_vote_in_other_layouts() {
        for log in [
            "2026-11-21T02:13:53,542 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving x\n",
            "2026-11-21 02:13:53,542 [main] INFO  datanode.DataNode: Receiving x\n",
            "2026-11-21 02:13:53,542 INFO datanode.DataNode:337: Receiving x\n",
            "2026-11-21 02:13:53,542 INFO datanode.DataNode (DataNode.java:337): Receiving x\n",
        ] {
            assert_eq!(kind("a", log), Some((Kind::DataNode, Confidence::Sure)), "{log}");
        }
        for (logger, expected) in [
            ("DataNode:99", Kind::DataNode),
            ("ContainerImpl", Kind::NodeManager),
            ("RMContainerImpl", Kind::ResourceManager),
            ("FSNamesystem:1", Kind::NameNode),
            ("MapTask", Kind::Task),
        ] {
            let log = format!("2026-11-21 02:13:53,542 INFO {logger}: x\n");
            assert_eq!(kind("a", &log).map(|(kind, _)| kind), Some(expected), "{log}");
        }
        let vital = "2026-11-21T02:13:53,542 INFO org.apache.hadoop.mapreduce.v2.app.MRAppMaster:99: x\n";
        assert_eq!(kind("a", vital), Some((Kind::AppMaster, Confidence::Sure)));
    }

    #[test]
    fn audit_of_whatever_daemon_is_known() {
        let audit = "2026-11-21 02:13:53,542 INFO SecurityLogger.org.apache.hadoop.ipc.Server: Auth successful for u\n";
        assert_eq!(kind("x/SecurityAuth-u.audit", audit), Some((Kind::Foreign, Confidence::Likely)));
        let daemon = "2026-11-21 02:13:53,543 INFO org.apache.hadoop.hdfs.server.datanode.DataNode: Receiving x\n";
        assert_eq!(kind("x/1.log", &(audit.repeat(3) + daemon)), Some((Kind::DataNode, Confidence::Sure)));
    }

    #[test]
    fn file_name_decides_where_nothing_votes() {
        let log = "2026-11-21 02:13:53,542 INFO org.apache.hadoop.ipc.Server: starting\n";
        assert_eq!(kind("x/hadoop-u-nodemanager-h1.log", log), Some((Kind::NodeManager, Confidence::Likely)));
        let named = kind("x/hadoop-cmf-yarn-NODEMANAGER-datanode-1.log.out", log);
        assert_eq!(named, Some((Kind::NodeManager, Confidence::Likely)));
        assert_eq!(kind("x/some.log", log), None);
    }

    #[test]
    fn log_that_begins_inside_a_trace_is_what_its_name_says() {
        let trace = "java.io.IOException: x\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n";
        assert_eq!(kind("x/hadoop-u-datanode-h1.log.3", trace), Some((Kind::DataNode, Confidence::Likely)));
        assert_eq!(kind("x/hadoop-u-datanode-h1.out", trace), None);
        assert_eq!(kind("x/some.log", trace), None);
    }

    #[test]
    fn log_of_a_container_is_a_tasks_if_nothing_more_of_it_says_otherwise() {
        let log = "2026-11-21 02:13:53,542 INFO [main] org.apache.hadoop.conf.Configuration: x\n";
        let path = "y/application_1_0001/container_1_0001_01_000001/syslog";
        assert_eq!(of(&Head::that_goes_on(path, log.as_bytes())), None);
        assert_eq!(kind(path, log), Some((Kind::Task, Confidence::Likely)));
        let more = log.repeat(60) + &log.replace("conf.Configuration", "mapreduce.v2.app.MRAppMaster");
        assert_eq!(kind(path, &more), Some((Kind::AppMaster, Confidence::Sure)));
    }

    #[test]
    fn secondary_is_no_namenode() {
        let log = "2026-11-21 02:13:53,542 INFO org.apache.hadoop.hdfs.server.namenode.FSNamesystem: x\n";
        let of = |path: &str, text: &str| kind(path, text).map(|(kind, _)| kind);
        assert_eq!(of("hadoop-u-secondarynamenode-h1.log", log), Some(Kind::SecondaryNameNode));
        assert_eq!(of("hadoop-u-namenode-h1.log", log), Some(Kind::NameNode));
        let own = log.to_owned() + &log.replace("FSNamesystem", "SecondaryNameNode");
        assert_eq!(of("a", &own), Some(Kind::SecondaryNameNode));
        assert_eq!(of("a", "STARTUP_MSG: Starting SecondaryNameNode\n"), Some(Kind::SecondaryNameNode));
    }

    #[test]
    fn text_without_log4j_lines_is_nothing() {
        assert_eq!(kind("hadoop-u-datanode-h1.log", "hello\nworld\n"), None);
        assert_eq!(kind("hadoop-u-datanode-h1.log", ""), None);
    }

    #[test]
    fn old_task_log_is_no_tasktracker() {
        let log = "2026-11-20 21:25:01,110 INFO org.apache.hadoop.metrics.jvm.JvmMetrics: Initializing JVM Metrics \
                   with processName=MAP, sessionId=\n\
                   2026-11-20 21:25:02,012 WARN org.apache.hadoop.mapred.TaskTracker: Error running child\n";
        assert_eq!(kind("a", log), Some((Kind::Task, Confidence::Sure)));
    }
}
