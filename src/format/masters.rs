//! Logs of the masters: JobTracker and NameNode (0.18 on), ResourceManager and
//! JobHistoryServer (0.23 on); and of the NameNode's secondary, which masters nothing.
//!
//! ```text
//! … org.apache.hadoop.mapred.JobTracker: Adding task 'attempt_…_m_000000_0' to tip task_…, for tracker 'tracker_h101:…'
//! … org.apache.hadoop.hdfs.StateChange: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.77.1.11:50010 is added …
//! ```
//! Their lines give no states: what a master orders, the slaves' logs say better. They tell
//! where attempts and containers were sent and which of them ended well, sum jobs up, complain of nodes
//! ([`super::complaints`]), tell what nodes offer (ResourceTrackerService), tell of clocks ([`Instants`]), count for the time that the logs
//! cover, and name hosts.
//! Cost: O(line).

use super::daemon::{Fit, Messages, Walk};
use super::instants::Instants;
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Format, FormatAbout, Head, Out, Parse, history, job_summary};
use crate::base::bytes;
use crate::base::ids::number;
use crate::base::{AttemptId, ContainerId, JobId};
use crate::model::{Capacity, Event, JobRecord, JobStatus, formats};

/// Number of the container that is an ApplicationMaster's, in which no attempt runs.
const APP_MASTER: u64 = 1;

/// The format of one master's log.
#[derive(Debug)]
pub struct Master {
    kind: Kind,
    about: &'static FormatAbout,
}

/// JobTracker.
pub static JOBTRACKER: Master = Master {
    kind: Kind::JobTracker,
    about: &FormatAbout::of_lines(
        formats::JOBTRACKER,
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
    about: &FormatAbout::of_lines(
        formats::NAMENODE,
        "NameNode log",
        "0.18 to 3.x",
        "org.apache.hadoop.hdfs.server.namenode.NameNode",
        &[
            "2026-11-20 21:24:28,683 INFO org.apache.hadoop.hdfs.StateChange: BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.77.1.13:50010 is added to blk_-8724932680214079537_1068 size 4",
        ],
    ),
};

/// SecondaryNameNode.
pub static SECONDARYNAMENODE: Master = Master {
    kind: Kind::SecondaryNameNode,
    about: &FormatAbout::of_lines(
        "secondarynamenode",
        "SecondaryNameNode log",
        "0.18 to 3.x",
        "org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode",
        &[
            "2026-11-20 21:24:33,602 WARN org.apache.hadoop.hdfs.server.namenode.SecondaryNameNode: Checkpoint Period   :3600 secs (60 min)",
        ],
    ),
};

/// ResourceManager.
pub static RESOURCEMANAGER: Master = Master {
    kind: Kind::ResourceManager,
    about: &FormatAbout::of_lines(
        formats::RESOURCEMANAGER,
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
    about: &FormatAbout::of_lines(
        formats::HISTORYSERVER,
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
        Box::new(Walk::new(Orders::default()))
    }
}

/// Reads what a master tells of attempts and jobs.
#[derive(Debug, Default)]
struct Orders {
    instants: Instants,
}

impl Messages for Orders {
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let event = match record.class() {
            b"JobTracker" => match record.message.strip_prefix(b"Adding task ") {
                Some(text) => assigned(text),
                None => return Fit::Other,
            },
            b"JobInProgress" => match record.message.strip_prefix(b"Task '") {
                Some(text) => completed(text),
                None => match job_end(record.message) {
                    Some(event) => Some(event),
                    None => return Fit::Other,
                },
            },
            b"JobSummary" | b"JobInProgress$JobSummary" => {
                self.instants.message(record, line, out);
                job_summary::record_of(record.message).map(|job| Event::Job(Box::new(job)))
            }
            b"RMAppManager$ApplicationSummary" => {
                if let Some(job) = job_summary::application_of(record.message) {
                    out.event(line, record.at, &Event::Job(Box::new(job)));
                }
                return self.instants.message(record, line, out);
            }
            b"TaskInProgress" => {
                // A host that the error names is looked for as in any text.
                if let Some(event) = record.message.strip_prefix(b"Error from ").and_then(history::logged_error) {
                    out.event(line, record.at, &event);
                }
                return Fit::Other;
            }
            // SchedulerNode in 2.6, the capacity scheduler's FiCaSchedulerNode in 3.3.
            class if class.ends_with(b"SchedulerNode") => match record.message.strip_prefix(b"Assigned container ") {
                Some(text) => match container_assigned(text) {
                    Some((container, _)) if container.number == APP_MASTER => return Fit::Known,
                    found => found.map(|(container, host)| Event::ContainerAssigned { container, host }),
                },
                None => return Fit::Other,
            },
            b"ResourceTrackerService" => match registered(record.message) {
                Some(event) => Some(event),
                None => return Fit::Other,
            },
            _ => return self.instants.message(record, line, out),
        };
        let Some(event) = event else { return Fit::Malformed };
        out.event(line, record.at, &event);
        Fit::Known
    }
}

/// `[(TYPE) ]'ATT' to tip TIP, for tracker 'tracker_HOST:…'`.
fn assigned(text: &[u8]) -> Option<Event> {
    let (task_type, text) = match text.strip_prefix(b"(") {
        Some(text) => {
            let end = memchr::memchr(b')', text)?;
            let name = std::str::from_utf8(text.get(..end)?).ok();
            (name.and_then(history::task_type), text.get(end + 1..)?.trim_ascii_start())
        }
        None => (None, text),
    };
    let (attempt, rest) = AttemptId::parse_prefix(text.strip_prefix(b"'")?)?;
    let tracker = rest.get(bytes::find(rest, b"'tracker_")? + 1..)?;
    let host = history::host_of(std::str::from_utf8(tracker).ok()?)?;
    Some(Event::TaskAssigned { attempt, task_type, host })
}

/// `C of capacity <…> on host HOST:PORT, …`.
fn container_assigned(text: &[u8]) -> Option<(ContainerId, Box<str>)> {
    let (container, rest) = ContainerId::parse_prefix(text)?;
    let address = bytes::after(rest, b" on host ")?;
    let address = address.get(..memchr::memchr(b',', address).unwrap_or(address.len()))?;
    let host = std::str::from_utf8(address.get(..memchr::memrchr(b':', address)?)?).ok()?;
    (!host.is_empty()).then(|| (container, host.into()))
}

/// `NodeManager from node HOST(…) registered with capability: <memory:M, vCores:V…>…`.
fn registered(message: &[u8]) -> Option<Event> {
    const OFFERS: &[u8] = b" registered with capability: <memory:";
    let text = message.strip_prefix(b"NodeManager from node ")?;
    let host = std::str::from_utf8(text.get(..memchr::memchr(b'(', text)?)?).ok()?;
    let (memory_mib, rest) = number(bytes::after(text, OFFERS)?)?;
    let (vcores, _) = number(rest.strip_prefix(b", vCores:")?)?;
    let capacity = Capacity { memory_mib, vcores: u32::try_from(vcores).ok()? };
    (!host.is_empty()).then(|| Event::Capacity { host: host.into(), capacity })
}

/// `ATT' has completed TIP successfully.`
fn completed(text: &[u8]) -> Option<Event> {
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    rest.starts_with(b"' has completed ").then_some(Event::TaskCompleted { attempt })
}

/// `Job JOB has completed successfully.`, `Aborting job JOB`, `Killing job 'JOB'`: the last follows the second, too.
fn job_end(message: &[u8]) -> Option<Event> {
    let (rest, status) = if let Some(rest) = message.strip_prefix(b"Job ") {
        (rest, JobStatus::Success)
    } else if let Some(rest) = message.strip_prefix(b"Aborting job ") {
        (rest, JobStatus::Failed)
    } else {
        (message.strip_prefix(b"Killing job '")?, JobStatus::Killed)
    };
    let (job, rest) = JobId::parse_prefix(rest)?;
    let fits = status != JobStatus::Success || rest == b" has completed successfully.";
    fits.then(|| Event::Job(Box::new(JobRecord::with_status(job, status))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::rows;
    use crate::model::TaskType;

    #[test]
    fn ends_of_jobs_are_told_by_three_lines() {
        let status = |text: &str| match job_end(text.as_bytes()) {
            Some(Event::Job(job)) => Some(job.status),
            _ => None,
        };
        assert_eq!(status("Job job_202611202120_0001 has completed successfully."), Some(JobStatus::Success));
        assert_eq!(status("Aborting job job_202611202207_0001"), Some(JobStatus::Failed));
        assert_eq!(status("Killing job 'job_202611202207_0001'"), Some(JobStatus::Killed));
        assert_eq!(status("Job job_202611202120_0001 initialized successfully with 36 map tasks"), None);
        assert_eq!(status("Killing job job_202611202134_0001"), None, "the JobTracker says it before");
    }

    #[test]
    fn registration_tells_what_a_node_offers() {
        let read = |text: &str| match registered(text.as_bytes()) {
            Some(Event::Capacity { host, capacity }) => Some((host.to_string(), capacity.memory_mib, capacity.vcores)),
            _ => None,
        };
        let head = "NodeManager from node h304(cmPort: 45454 httpPort: 8042) registered with capability:";
        let whole = format!("{head} <memory:384, vCores:8>, assigned nodeId h304:45454");
        assert_eq!(read(&whole), Some(("h304".into(), 384, 8)));
        assert_eq!(read(&format!("{head} <memory:384, vCores:8, gpu: 1>")), Some(("h304".into(), 384, 8)));
        assert_eq!(read(&format!("{head} 8192")), None);
        assert_eq!(read(&format!("{head} <memory:384, vCores:99999999999>")), None);
        assert_eq!(read("NodeManager from node (x) registered with capability: <memory:1, vCores:1>"), None);
    }

    #[test]
    fn scheduler_tells_where_it_sent_a_container() {
        let told = |class: &str, text: &str| {
            let log = format!("2018-11-14 12:39:05,886 INFO org.x.scheduler.{class}: {text}\n");
            let found = rows(&RESOURCEMANAGER, &log).into_iter().map(|row| row.event);
            found.map(|event| format!("{event:?}")).collect::<Vec<_>>().join(" ")
        };
        let line = |number: u32, host: &str| {
            format!(
                "Assigned container container_1542189090588_0002_01_{number:06} of capacity <memory:1024, vCores:1> on \
                 host {host}, which has 2 containers, <memory:3072, vCores:2> used and <memory:5120, vCores:6> \
                 available after allocation"
            )
        };
        for class in ["SchedulerNode", "common.fica.FiCaSchedulerNode"] {
            let found = told(class, &line(2, "n1.lab:51123"));
            assert!(found.starts_with("ContainerAssigned") && found.contains("n1.lab\""), "{found}");
        }
        assert_eq!(told("SchedulerNode", &line(1, "n1.lab:51123")), "", "an ApplicationMaster's");
        assert_eq!(told("SchedulerNode", "Released container container_1542189090588_0002_01_000002 of x"), "");
    }

    #[test]
    fn assignment_is_read_with_and_without_its_type() {
        let read = |text: &str| match assigned(text.as_bytes()) {
            Some(Event::TaskAssigned { task_type, host, .. }) => Some((task_type, host.to_string())),
            _ => None,
        };
        let tail =
            "'attempt_1_0001_m_000000_0' to tip task_1_0001_m_000000, for tracker 'tracker_h1.lab:x/127.0.0.1:4'";
        assert_eq!(read(tail), Some((None, "h1.lab".into())));
        assert_eq!(read(&format!("(JOB_SETUP) {tail}")), Some((Some(TaskType::Setup), "h1.lab".into())));
        assert_eq!(read(&format!("(cleanup){tail}")), Some((Some(TaskType::TaskCleanup), "h1.lab".into())), "0.20");
        assert_eq!(read("'attempt_1_0001_m_000000_0' to tip"), None);
    }
}
