//! Logs of the masters: JobTracker and NameNode (0.18 on), ResourceManager and
//! JobHistoryServer (0.23 on).
//!
//! ```text
//! … org.apache.hadoop.mapred.JobTracker: Adding task 'attempt_…_m_000000_0' to tip task_…, for tracker 'tracker_h101:…'
//! … org.apache.hadoop.hdfs.StateChange: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.77.1.11:50010 is added …
//! ```
//! Their lines give no states: what a master orders, the slaves' logs say better. They
//! count for the time that the logs cover, name hosts, and tell of clocks ([`Instants`]).
//! Cost: O(line).

use super::daemon::Walk;
use super::instants::Instants;
use super::kind::{self, Kind};
use super::{Confidence, Feed, Format, FormatAbout, Head, Parse};
use crate::model::Clock;

/// The format of one master's log.
#[derive(Debug)]
pub struct Master {
    kind: Kind,
    about: &'static FormatAbout,
}

const fn about(
    name: &'static str,
    title: &'static str,
    versions: &'static str,
    written_by: &'static str,
    samples: &'static [&'static str],
) -> FormatAbout {
    FormatAbout { name, title, versions, written_by, feed: Feed::Lines, clock: Clock::Local, samples }
}

/// JobTracker.
pub static JOBTRACKER: Master = Master {
    kind: Kind::JobTracker,
    about: &about(
        "jobtracker",
        "JobTracker log",
        "0.18 to 1.x",
        "org.apache.hadoop.mapred.JobTracker",
        &[
            "2026-11-20 21:24:38,050 INFO org.apache.hadoop.mapred.JobTracker: Adding task 'attempt_202611202124_0001_m_000037_0' to tip task_202611202124_0001_m_000037, for tracker 'tracker_h101:localhost/127.0.0.1:43729'",
        ],
    ),
};

/// NameNode.
pub static NAMENODE: Master = Master {
    kind: Kind::NameNode,
    about: &about(
        "namenode",
        "NameNode log",
        "0.18 to 3.x",
        "org.apache.hadoop.hdfs.server.namenode.NameNode",
        &[
            "2026-11-20 21:24:28,683 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.77.1.13:50010 is added to blk_-8724932680214079537_1068 size 4",
        ],
    ),
};

/// ResourceManager.
pub static RESOURCEMANAGER: Master = Master {
    kind: Kind::ResourceManager,
    about: &about(
        "resourcemanager",
        "ResourceManager log",
        "0.23 to 3.x",
        "org.apache.hadoop.yarn.server.resourcemanager.ResourceManager",
        &[
            "2026-11-21 02:15:52,661 INFO org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerImpl: container_1795226467746_0009_01_000001 Container Transitioned from ACQUIRED to RUNNING",
        ],
    ),
};

/// JobHistoryServer.
pub static HISTORYSERVER: Master = Master {
    kind: Kind::HistoryServer,
    about: &about(
        "historyserver",
        "JobHistoryServer log",
        "0.23 to 3.x",
        "org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer",
        &[
            "2026-11-21 02:15:42,381 INFO org.apache.hadoop.mapreduce.v2.hs.JobHistory: Starting scan to move intermediate done files",
        ],
    ),
};

impl Format for Master {
    fn about(&self) -> &'static FormatAbout {
        self.about
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, self.kind)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Walk::new(Instants::default()))
    }
}
