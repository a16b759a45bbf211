//! What masters log that ties two clocks together: epoch times in the text, and messages
//! from and to their slaves.
//!
//! ```text
//! … JobInProgress$JobSummary: jobId=job_…,submitTime=…,launchTime=…,finishTime=1473983001122,numMaps=…
//! … RMAppManager$ApplicationSummary: appId=application_…,name=…,startTime=…,finishTime=1541421923372,finalStatus=…
//! … RMContainerImpl: container_1795226467746_0009_01_000001 Container Transitioned from ACQUIRED to RUNNING
//! ```
//! Written by JobTracker and JobInProgress (0.20 to 1.x), and by RMAppManager and
//! RMContainerImpl (0.23 to 3.x). Summaries are written when their job ends; the name in
//! an ApplicationSummary may hold anything, so the last `finishTime=` counts. The number in
//! an application's id is the time at which its ResourceManager was loaded, within a
//! second or two before its first line. Cost: O(line).

use super::daemon::{Fit, Messages};
use super::log4j::Record;
use super::{Out, history};
use crate::base::ids::number;
use crate::base::{ContainerId, QUARTER_HOUR_MS, Timestamp, ZONE_LIMIT_MS, bytes};
use crate::model::{ContainerStep, Event};

/// Between the number in an application's id and the ResourceManager's first line.
const LOADING_MS: i64 = 60_000;
/// Words of a ResourceManager's first message.
const BANNER: &[u8] = b"STARTUP_MSG: ";

/// Reads the lines of a master that tell of clocks, and nothing else.
#[derive(Debug, Default)]
pub struct Instants {
    /// Time and line of the last start, until its id is seen.
    started: Option<(Timestamp, u64)>,
}

impl Messages for Instants {
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let message = record.message;
        let event = match record.class() {
            b"JobInProgress$JobSummary" | b"RMAppManager$ApplicationSummary" => told(message).map(Some),
            b"RMContainerImpl" => {
                let (container, step) = match stepped(message) {
                    Some(found) => found,
                    None => return Fit::Other,
                };
                self.see(container, out);
                Some(step.map(|step| Event::ContainerStepped { container, step }))
            }
            b"ResourceManager" if message.starts_with(BANNER) => {
                self.started = Some((record.at, line));
                None
            }
            _ => None,
        };
        match event {
            Some(Some(event)) => {
                out.event(line, record.at, &event);
                Fit::Known
            }
            // A step that does not count is known all the same.
            Some(None) => Fit::Known,
            None => Fit::Other,
        }
    }
}

impl Instants {
    /// The first container after a start names it, unless it is one of before the start.
    fn see(&mut self, container: ContainerId, out: &mut Out<'_>) {
        let Some((at, line)) = self.started.take() else { return };
        let Some(stamp) = i64::try_from(container.job.cluster).ok().and_then(history::time) else { return };
        let offset_ms = stamp.millis_since(at);
        let rest_ms = (offset_ms + LOADING_MS).rem_euclid(QUARTER_HOUR_MS);
        if offset_ms.abs() <= ZONE_LIMIT_MS && rest_ms <= 2 * LOADING_MS {
            out.event(line, at, &Event::ClusterStarted { stamp });
        }
    }
}

/// The `finishTime=` of a summary.
fn told(message: &[u8]) -> Option<Event> {
    const KEY: &[u8] = b",finishTime=";
    let (ms, _) = number(message.get(bytes::rfind(message, KEY)? + KEY.len()..)?)?;
    // A job that never ran has 0.
    let epoch = history::time(i64::try_from(ms).ok()?).filter(|_| ms > 1_000_000_000_000)?;
    Some(Event::EpochTold { epoch })
}

/// `C Container Transitioned from A to B`, and the step if it counts.
fn stepped(message: &[u8]) -> Option<(ContainerId, Option<ContainerStep>)> {
    let (container, rest) = ContainerId::parse_prefix(message)?;
    let step = match rest.strip_prefix(b" Container Transitioned from ")? {
        b"ALLOCATED to ACQUIRED" => Some(ContainerStep::Acquired),
        b"ACQUIRED to RUNNING" => Some(ContainerStep::Running),
        b"RUNNING to COMPLETED" => Some(ContainerStep::Completed),
        _ => None,
    };
    Some((container, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::masters::{JOBTRACKER, RESOURCEMANAGER};
    use crate::format::tests::rows;

    #[test]
    fn summary_tells_the_time_of_its_end() {
        let log = "2016-09-15 19:43:21,130 INFO org.apache.hadoop.mapred.JobInProgress$JobSummary: jobId=job_201609160311_0002,\
                   submitTime=1473982827000,launchTime=1473982827400,finishTime=1473983001122,numMaps=20\n\
                   2016-09-15 19:43:21,140 INFO org.apache.hadoop.mapred.JobInProgress$JobSummary: jobId=job_x,finishTime=0,numMaps=20\n";
        let told: Vec<Event> = rows(&JOBTRACKER, log).into_iter().map(|row| row.event).collect();
        let epochs = told.iter().filter(|event| matches!(event, Event::EpochTold { .. })).collect::<Vec<_>>();
        assert_eq!(epochs, [&Event::EpochTold { epoch: Timestamp::from_millis(1_473_983_001_122) }]);
    }

    #[test]
    fn cluster_id_is_the_start_of_its_master() {
        // 1795226467746 is 2026-11-21 02:01:07,746 UTC.
        let log = |id: u64, at: &str| {
            format!(
                "2026-11-20 {at} INFO org.apache.hadoop.yarn.server.resourcemanager.ResourceManager: STARTUP_MSG: \n\
                 2026-11-20 21:02:00,000 INFO a.rmcontainer.RMContainerImpl: container_{id}_0009_01_000001 Container \
                 Transitioned from ACQUIRED to RUNNING\n"
            )
        };
        let found = rows(&RESOURCEMANAGER, &log(1_795_226_467_746, "21:01:08,900"));
        assert_eq!(found[0].event, Event::ClusterStarted { stamp: Timestamp::from_millis(1_795_226_467_746) });
        assert_eq!(found[0].at.millis() + 5 * 3_600_000 - 1_795_226_467_746, 1154);
        assert_eq!(found.len(), 2);
        // An application of an earlier start.
        assert_eq!(rows(&RESOURCEMANAGER, &log(1_795_226_467_746 - 400_000, "21:01:08,900")).len(), 1);
    }
}
