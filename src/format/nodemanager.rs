//! NodeManager log, Hadoop 0.23 to 3.x.
//!
//! ```text
//! … ContainerImpl: Container container_1795226467746_0009_01_000003 transitioned from NEW to LOCALIZING
//! … ContainerImpl: Container container_… transitioned from LOCALIZING to SCHEDULED      (LOCALIZED before 3.0)
//! … ContainerImpl: Container container_… transitioned from SCHEDULED to RUNNING
//! … ContainerImpl: Container container_… transitioned from RUNNING to EXITED_WITH_SUCCESS
//! … ShuffleHandler.audit: shuffle for job_1795226467746_0009 reducer 0 length 2659545   (at DEBUG)
//! ```
//! Written by `org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerImpl`
//! (logger `…container.Container` before 2.8) and `org.apache.hadoop.mapred.ShuffleHandler`.
//! A container leaves each state once, and may end without having run. Cost: O(line).

use super::daemon::{Fit, Messages, Walk};
use super::kind::{self, Kind};
use super::log4j::Record;
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::base::ids::number;
use crate::base::{ContainerId, JobId, bytes};
use crate::model::{Clock, Event, Outcome, formats};

/// The format.
#[derive(Debug)]
pub struct NodeManager;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::NODEMANAGER,
    title: "NodeManager log",
    versions: "0.23 to 3.x",
    written_by: "org.apache.hadoop.yarn.server.nodemanager.NodeManager",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "2026-11-21 02:15:58,479 INFO org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerImpl: Container container_1795226467746_0009_01_000002 transitioned from NEW to LOCALIZING",
        "2026-11-21 02:16:37,254 DEBUG org.apache.hadoop.mapred.ShuffleHandler.audit: shuffle for job_1795226467746_0009 reducer 0 length 2659545",
    ],
};

impl Format for NodeManager {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        kind::sniff(head, Kind::NodeManager)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Walk::new(Node))
    }
}

#[derive(Debug)]
struct Node;

impl Messages for Node {
    fn message(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) -> Fit {
        let event = match record.class() {
            b"ContainerImpl" | b"Container" => match record.message.strip_prefix(b"Container ") {
                Some(text) => transition(text),
                None => return Fit::Other,
            },
            b"audit" => match record.message.strip_prefix(b"shuffle for ") {
                Some(text) => match audit(text) {
                    Some(event) => Some(event),
                    None => return Fit::Malformed,
                },
                None => return Fit::Other,
            },
            _ => return Fit::Other,
        };
        if let Some(event) = event {
            out.event(line, record.at, &event);
        }
        Fit::Known
    }
}

/// `C transitioned from A to B`, of the transitions that count.
fn transition(text: &[u8]) -> Option<Event> {
    let (container, rest) = ContainerId::parse_prefix(text)?;
    let rest = rest.strip_prefix(b" transitioned from ")?;
    match bytes::split(rest, b" to ")? {
        (b"NEW", b"LOCALIZING") => Some(Event::Localizing { container }),
        (b"LOCALIZING", b"KILLING") => Some(Event::LocalizingKilled { container }),
        (b"LOCALIZING", to) => Some(Event::Localized { container, ok: matches!(to, b"LOCALIZED" | b"SCHEDULED") }),
        (b"SCHEDULED" | b"LOCALIZED", b"RUNNING") => Some(Event::ContainerRunning { container }),
        // Paused and relaunched containers come back; one that is killed has left before it exits.
        (b"KILLING", _) | (b"RUNNING", b"RUNNING" | b"PAUSING" | b"RELAUNCHING") => None,
        // Of those that never ran, too: killed in the queue, or failing at launch.
        (b"RUNNING", to)
        | (b"NEW", to @ b"DONE")
        | (_, to @ (b"EXITED_WITH_SUCCESS" | b"EXITED_WITH_FAILURE" | b"KILLING")) => {
            let outcome = match to {
                b"EXITED_WITH_SUCCESS" => Outcome::Success,
                b"EXITED_WITH_FAILURE" => Outcome::Failed,
                _ => Outcome::Killed,
            };
            Some(Event::ContainerLeft { container, outcome })
        }
        _ => None,
    }
}

/// `JOB reducer N length L`; some versions name the mappers between them.
fn audit(text: &[u8]) -> Option<Event> {
    let (job, rest) = JobId::parse_prefix(text)?;
    let (bytes, _) = number(rest.get(bytes::rfind(rest, b" length ")? + b" length ".len()..)?)?;
    Some(Event::ShuffleAudit { job, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paused_container_has_not_left() {
        let step =
            |to: &str| transition(format!("container_1_0001_01_000002 transitioned from RUNNING to {to}").as_bytes());
        assert_eq!(step("PAUSING"), None);
        assert!(matches!(step("KILLING"), Some(Event::ContainerLeft { outcome: Outcome::Killed, .. })));
    }

    #[test]
    fn container_leaves_from_whatever_state() {
        let left =
            |step: &str| match transition(format!("container_1_0001_01_000002 transitioned from {step}").as_bytes()) {
                Some(Event::ContainerLeft { outcome, .. }) => Some(outcome),
                _ => None,
            };
        assert_eq!(left("SCHEDULED to EXITED_WITH_FAILURE"), Some(Outcome::Failed));
        assert_eq!(left("LOCALIZED to KILLING"), Some(Outcome::Killed));
        assert_eq!(left("PAUSED to KILLING"), Some(Outcome::Killed));
        assert_eq!(left("NEW to DONE"), Some(Outcome::Killed));
        assert_eq!(left("KILLING to EXITED_WITH_SUCCESS"), None);
        assert_eq!(left("EXITED_WITH_FAILURE to DONE"), None);
    }

    #[test]
    fn failed_localization_is_not_ok() {
        let step = |to: &str| {
            transition(format!("container_1_0001_01_000002 transitioned from LOCALIZING to {to}").as_bytes())
        };
        assert!(matches!(step("SCHEDULED"), Some(Event::Localized { ok: true, .. })));
        assert!(matches!(step("LOCALIZATION_FAILED"), Some(Event::Localized { ok: false, .. })));
        assert!(matches!(step("KILLING"), Some(Event::LocalizingKilled { .. })));
    }
}
