//! By what names Hadoop's daemons and tasks are known: of loggers, classes, processes and files.

use super::kind::Kind;
use crate::base::bytes::Word;
use crate::base::text::between_dashes;
use crate::model::formats;

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

/// Daemons that are read by what their files ([`formats::DAEMONS`]), and the formats of these, are called after.
pub const DAEMONS: [(&str, Kind); 8] = [
    ("tasktracker", Kind::TaskTracker),
    ("jobtracker", Kind::JobTracker),
    ("datanode", Kind::DataNode),
    ("secondarynamenode", Kind::SecondaryNameNode),
    ("namenode", Kind::NameNode),
    ("resourcemanager", Kind::ResourceManager),
    ("nodemanager", Kind::NodeManager),
    ("historyserver", Kind::HistoryServer),
];

/// Who a process is that is called so in `STARTUP_MSG: Starting X` or in `processName=X`. `None` without a name.
#[must_use]
pub fn of_process(name: &[u8]) -> Option<Kind> {
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

/// Who logs by a logger.
#[must_use]
pub fn of_logger(logger: &[u8]) -> Option<Kind> {
    let found = LOGGERS.iter().find(|(part, _)| part.is_in(logger)).map(|(_, kind)| *kind);
    found.or_else(|| CLASSES.iter().find(|(_, names)| names.contains(&logger)).map(|(kind, _)| *kind))
}

/// What a file's name says of its writer.
#[must_use]
pub fn of_path(path: &str) -> Option<Kind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.strip_suffix(name).unwrap_or_default();
    // The first says it: a host may be called after a daemon, as `datanode-1`.
    let daemon = |part: &str| formats::DAEMONS.into_iter().find(|daemon| part.eq_ignore_ascii_case(daemon));
    match between_dashes(name, daemon) {
        Some((found, _)) => {
            let kind = DAEMONS.iter().find(|(daemon, _)| *daemon == found).map(|(_, kind)| *kind);
            Some(kind.unwrap_or(Kind::Foreign))
        }
        None if name.starts_with("syslog") && (folder.contains("container_") || folder.contains("attempt_")) => {
            Some(Kind::Task)
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn daemons_that_are_read_are_known_by_their_files() {
        assert!(DAEMONS.iter().all(|(daemon, _)| formats::DAEMONS.contains(daemon)));
    }

    #[test]
    fn no_logger_stands_behind_a_part_of_it() {
        for (at, (part, _)) in LOGGERS.iter().enumerate() {
            let hides = |(behind, _): &&(Word<'_>, Kind)| part.is_in(behind.text());
            assert_eq!(LOGGERS.iter().skip(at + 1).find(hides).map(|(behind, _)| behind.text()), None, "{part:?}");
        }
        for (logger, expected) in [
            ("mapred.MapTaskRunner", Kind::TaskTracker),
            ("mapred.ReduceTaskRunner", Kind::TaskTracker),
            ("mapred.ReduceTask", Kind::Task),
            ("hdfs.server.datanode.DataNode", Kind::DataNode),
            ("yarn.server.resourcemanager.ResourceManager", Kind::ResourceManager),
        ] {
            assert_eq!(of_logger(format!("org.apache.hadoop.{logger}").as_bytes()), Some(expected), "{logger}");
        }
    }
}
