//! Logs of Hadoop that are not read, or not all of them.

use super::kind::Kind;
use super::writers::{self, DAEMONS};
use super::{Head, log4j};
use crate::base::Code;
use crate::model::shapes::ShapeTable;
use memchr::memmem;

/// In so much of a line of a log stand its time and level, whatever the layout.
const LINE_BYTES: usize = 200;

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
        let kind = log4j::logger_in(shape.as_bytes()).and_then(writers::of_logger);
        if kind.is_some_and(|kind| kind != *own && DAEMONS.iter().any(|(_, daemon)| *daemon == kind)) {
            others += count.count;
            first = first.into_iter().chain(count.lines.first().copied()).min();
        }
    }
    first.filter(|_| others * OF_ANOTHER >= all)
}

/// What lies in a folder of histories beside them, and may be empty; `….jhist_tmp` is a copy that was not made to its end.
const BESIDE_HISTORIES: [&str; 4] = [".xml", ".crc", ".summary", "_tmp"];

/// What a file of 0 bytes is: a job's history by its name, or one below `history/` that is called after a job, never is
/// so, while logs are that were just rolled.
#[must_use]
pub fn of_nothing(path: &str) -> Code {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_called_so = name.contains("job_") && !BESIDE_HISTORIES.iter().any(|end| name.ends_with(end));
    let is_history = name.ends_with(".jhist") || is_called_so && folder.split('/').any(|part| part == "history");
    if is_history { Code::EmptyHistory } else { Code::EmptyFile }
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
    if writers::of_path(head.path).is_some() && (name.contains(".log") || name.starts_with("syslog")) {
        return true;
    }
    let (mut dated, mut all) = (0, 0);
    for line in head.lines().filter(|line| !line.is_empty()) {
        all += 1;
        dated += usize::from(is_dated(line));
    }
    2 * dated > all && OF_HADOOP.iter().any(|name| memmem::find(head.bytes, name).is_some())
}

/// Whether a line begins with a time and a level, as records do in most layouts.
#[must_use]
pub fn is_dated(line: &[u8]) -> bool {
    const LEVELS: [&[u8]; 5] = [b"INFO", b"WARN", b"ERROR", b"FATAL", b"DEBUG"];
    let begin = line.get(..LINE_BYTES).unwrap_or(line);
    LEVELS.iter().any(|level| memmem::find(begin, level).is_some())
        && begin.windows(8).any(|part| log4j::fits(part, b"00:00:00"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::formats;
    use crate::model::shapes::{SHAPES_KEPT, Unknown};

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
    fn empty_history_is_a_loss_and_an_empty_log_is_none() {
        let jhist = "history/done/2026/11/21/000000/job_1795226467746_0017-1795228400000-u-n-1-1-SUCCEEDED.jhist";
        let of_0_20 = "h100/logs/history/h100_1795227629679_job_202611202120_0001_hadoop_sorter";
        for path in [jhist, "x.jhist", of_0_20, "r.tgz/history/job_202611202120_0001_u"] {
            assert_eq!(of_nothing(path), Code::EmptyHistory, "{path}");
        }
        for path in [
            "h1/hadoop-u-datanode-h1.log",
            "history/.job_1_0001.jhist.crc",
            "history/job_1_0001_conf.xml",
            "history/_SUCCESS",
            "history/done_intermediate/u/job_1_0001-1-u-n-2-30-0-KILLED-default-1.jhist_tmp",
            "x/job_1_0001",
            "container_1_0001_01_000001/stdout",
            "",
        ] {
            assert_eq!(of_nothing(path), Code::EmptyFile, "{path}");
        }
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
}
