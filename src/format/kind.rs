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

use super::log4j::{Record, Split, Splitter};
use super::{Confidence, Head, bystanders, prose, writers};
use crate::base::bytes;
use crate::base::text::without_zeros;

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

/// How a line of a stack trace begins.
const FRAME: &[u8] = b"\tat ";

/// Votes of a banner, and of a line that only one kind of process writes: nothing else is
/// looked at then.
const DECISIVE: u32 = 1000;

/// Who wrote the file that begins as `head`, and how sure that is. `None` for a file
/// without log4j lines or without a hint of its writer.
#[must_use]
pub fn of(head: &Head<'_>) -> Option<(Kind, Confidence)> {
    if prose::is_note(head) {
        return None;
    }
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
                Some(name) => (writers::of_process(name), DECISIVE),
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
    let named = writers::of_path(head.path);
    if most == 0 {
        // An ApplicationMaster's log has the name of a task's.
        let told = named.filter(|kind| !(head.goes_on && *kind == Kind::Task));
        // Who may speak to a daemon is audited beside its log, by a logger that any daemon has.
        return told.or(audit.then_some(Kind::Foreign)).map(|kind| (kind, Confidence::Likely));
    }
    let mut first = KINDS.iter().zip(votes).filter(|(_, n)| *n == most).map(|(kind, _)| *kind);
    let (kind, second) = match (first.next()?, named) {
        // They log by the NameNode's classes: the second NameNode, and a JournalNode.
        (Kind::NameNode, Some(kind @ (Kind::SecondaryNameNode | Kind::Foreign))) => (kind, first.next()),
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

/// The confidence that a file is of `kind`.
#[must_use]
pub fn sniff(head: &Head<'_>, kind: Kind) -> Confidence {
    match head.writer() {
        Some((found, confidence)) if found == kind => confidence,
        _ => Confidence::No,
    }
}

fn vote_of(record: &Record<'_>) -> (Option<Kind>, u32) {
    match record.class() {
        b"MRAppMaster" => return (Some(Kind::AppMaster), DECISIVE),
        b"YarnChild" => return (Some(Kind::Task), DECISIVE),
        b"SecondaryNameNode" => return (Some(Kind::SecondaryNameNode), DECISIVE),
        b"JvmMetrics" => {
            let name = bytes::after(record.message, b"processName=").unwrap_or_default();
            return (writers::of_process(name), DECISIVE);
        }
        b"MetricsSystemImpl" => {
            // `MapTask metrics system started`, `DataNode metrics system started`
            return match record.message {
                m if m.starts_with(b"MapTask ") || m.starts_with(b"ReduceTask ") => (Some(Kind::Task), 1),
                m => (writers::of_process(m).filter(|kind| *kind != Kind::Foreign), 1),
            };
        }
        // A task's own log says so too when its job's code throws.
        b"TaskTracker" if record.message.starts_with(b"Error running child") => return (Some(Kind::Task), 1),
        b"TaskRunner" if record.message.starts_with(b"Task") => return (Some(Kind::Task), 1),
        // A task's JVM links the files of the distributed cache itself, a line for each of them (1.x).
        b"TaskRunner" if record.message.starts_with(b"Creating symlink") => return (None, 0),
        b"Task" => return (Some(Kind::Task), 1),
        _ => {}
    }
    (writers::of_logger(record.logger), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(path: &str, bytes: &str) -> Option<(Kind, Confidence)> {
        of(&Head::new(path, bytes.as_bytes()))
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
    fn what_several_write_is_told_by_the_files_name() {
        let link = "2014-05-04 17:13:45,049 INFO org.apache.hadoop.mapred.TaskRunner: Creating symlink: /d/distcache/a <- /d/work/a\n";
        let path = "userlogs/job_201405041304_0009/attempt_201405041304_0009_r_000001_0/syslog";
        assert_eq!(kind(path, &link.repeat(9)), Some((Kind::Task, Confidence::Likely)));
        let edits = "2014-05-04 17:13:45,049 INFO org.apache.hadoop.hdfs.server.namenode.FileJournalManager: Finalizing edits file x\n";
        assert_eq!(kind("hadoop-hdfs-journalnode-w1.log.3", edits).map(|(kind, _)| kind), Some(Kind::Foreign));
        assert_eq!(kind("hadoop-hdfs-namenode-w1.log.3", edits).map(|(kind, _)| kind), Some(Kind::NameNode));
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
        let failover = kind("x/hadoop-hdfs-zkfc-namenode-1.log.1", log);
        assert_eq!(failover, Some((Kind::Foreign, Confidence::Likely)), "a host may be called after a daemon");
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
        assert_eq!(of(&Head::new(path, log.as_bytes()).going_on(true)), None);
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
