//! What is said of attempts and containers by those who run them.
//!
//! ```text
//! TaskTracker      attempt_…: Task attempt_… failed to report status for 805 seconds. Killing!
//! TaskTracker      getMapOutput(attempt_…_m_000002_0,4) failed :
//! ReduceTask       attempt_…_r_000009_0 copy failed: attempt_…_m_000002_0 from h102
//! Fetcher          Failed to connect to h304:13562 with 2 map outputs
//! TaskAttemptImpl  Diagnostics report from attempt_…: … task timeout set: 40s, taskTimedOut: true; …
//! RMContainerAllocator  Killing taskAttempt:attempt_… because it is running on unusable node:h304:45454
//! DefaultContainerExecutor  Exit code from container container_… is : 1
//! ```

use super::text::{attempt_after, host_after};
use super::{NO_ROUTE, unreachable};
use crate::base::ids::number;
use crate::base::{AttemptId, ContainerId, TaskLetter, bytes};
use crate::model::{ComplaintKind, Said, Subject};

/// Exit codes of containers that were told to stop: 128 + SIGTERM, 128 + SIGKILL.
const STOPPED: [u64; 2] = [143, 137];

pub(super) fn tasktracker(message: &[u8]) -> Option<Said> {
    if let Some(text) = message.strip_prefix(b"getMapOutput(") {
        let (attempt, rest) = AttemptId::parse_prefix(text)?;
        let said = Said { of: Subject::Own, ..Said::of_attempt(ComplaintKind::MapOutputLost, attempt) };
        return bytes::find(rest, b" failed").map(|_| said);
    }
    // Spelled so in 0.20; later versions have it right.
    if message.ends_with(b"TrackerAction from JobTracker") {
        return Some(Said::new(ComplaintKind::Rejoined, Subject::Own));
    }
    // Progress of every attempt begins so too, a few times a second.
    let text = message.strip_prefix(b"Task ").unwrap_or(message);
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    let kind = if rest.starts_with(b": Task ") || rest.starts_with(b" failed to report") {
        bytes::find(rest, b"failed to report status for").map(|_| ComplaintKind::TimedOut)?
    } else if rest.starts_with(b" Child Error") || rest.starts_with(b" : Child Error") {
        ComplaintKind::AttemptFailed
    } else {
        return None;
    };
    Some(Said { of: Subject::Own, ..Said::of_attempt(kind, attempt) })
}

/// How a Fetcher begins to tell of a host that does not give its map outputs.
const FETCHES: [&[u8]; 4] = [
    b"Failed to connect to host: ",
    b"Failed to connect to ",
    b"Shuffle output from ",
    b"Timeout for copying MapOutput with retry on host ",
];

pub(super) fn fetch(message: &[u8]) -> Option<Said> {
    if message.starts_with(b"attempt_") {
        let attempt = attempt_after(message, b" copy failed: ")?;
        let of = host_after(message, b" from ")?;
        return Some(Said { of, ..Said::of_attempt(ComplaintKind::FetchFailed, attempt) });
    }
    if let Some(text) = message.strip_prefix(b"Failed to shuffle output of ") {
        let attempt = attempt_after(text, b"")?;
        let of = host_after(text, b" from ")?;
        return Some(Said { of, ..Said::of_attempt(ComplaintKind::FetchFailed, attempt) });
    }
    // Since 2.6, where NodeManagers keep their work over a restart, a fetch is tried again for three minutes.
    let text = FETCHES.iter().find_map(|key| message.strip_prefix(*key))?;
    let text = text.strip_prefix(b"https://").or_else(|| text.strip_prefix(b"http://")).unwrap_or(text);
    Some(Said::new(ComplaintKind::FetchFailed, host_after(text, b"")?))
}

/// `Diagnostics report from ATT: TEXT`
pub(super) fn diagnostics(message: &[u8]) -> Option<Said> {
    let text = message.strip_prefix(b"Diagnostics report from ")?;
    let (attempt, rest) = AttemptId::parse_prefix(text)?;
    let text = rest.strip_prefix(b": ").or_else(|| rest.strip_prefix(b":"))?;
    let kind = if let Some(kind) = ComplaintKind::of_error(text) {
        kind
    } else if !bytes::contains(text, NO_ROUTE)
        && let Some(said) = unreachable(text)
    {
        // Of an attempt that finds no way to a host, its own node may be cut off.
        return Some(Said { attempt: Some(attempt), ..said });
    } else if text.starts_with(b"Error: ") {
        ComplaintKind::AttemptFailed
    } else {
        return None;
    };
    Some(Said::of_attempt(kind, attempt))
}

pub(super) fn app_master(message: &[u8]) -> Option<Said> {
    if message.starts_with(b"Too many fetch-failures for output of task attempt: ") {
        let attempt = AttemptId::find(message)?;
        return Some(Said::of_attempt(ComplaintKind::TooManyFetchFailures, attempt));
    }
    if let Some(text) = message.strip_prefix(b"Blacklisted host ") {
        return Some(Said::new(ComplaintKind::Blacklisted, host_after(text, b"")?));
    }
    for key in [b" unusable node:".as_slice(), b" unusable node "] {
        if let Some(of) = host_after(message, key) {
            return Some(Said { of, ..Said::of_attempt(ComplaintKind::UnhealthyNode, AttemptId::find(message)?) });
        }
    }
    None
}

/// The map of which a NodeManager's ShuffleHandler says, below its warning, that its output is not there:
/// `…DiskErrorException: Could not find usercache/u/appcache/application_…/output/attempt_…/file.out.index in any of …`.
pub(super) fn missing_output(text: &[u8]) -> Option<AttemptId> {
    attempt_after(bytes::after(text, b"Could not find usercache/")?, b"/output/")
}

/// The reduce that misses what it had fetched: `Caused by: java.io.FileNotFoundException: File
/// /…/attempt_…_r_000003_0/output/map_7.out does not exist.` (HADOOP-1152; since 0.23 the attempt's folder stands in `output`).
pub(super) fn missing_input(text: &[u8]) -> Option<AttemptId> {
    let path = bytes::after(text, b"FileNotFoundException: ")?;
    let end = bytes::find(path, b" does not exist")?;
    let folder = bytes::find(path, b"/attempt_")?;
    let (reduce, rest) = AttemptId::parse_prefix(path.get(folder + 1..end)?)?;
    let (_, ending) = number(bytes::after(rest, b"/map_")?)?;
    (reduce.letter == TaskLetter::Reduce && ending.starts_with(b".out")).then_some(reduce)
}

pub(super) fn nodemanager(message: &[u8]) -> Option<Said> {
    if message.starts_with(b"Node is out of sync with ResourceManager") {
        return Some(Said::new(ComplaintKind::Rejoined, Subject::Own));
    }
    // Up to 2.9 it is not said which; the trace says why.
    if message == b"Localizer failed" {
        return Some(Said::new(ComplaintKind::ContainerFailed, Subject::Own));
    }
    let container = if message.starts_with(b"Localizer failed for ") {
        ContainerId::find(message)?
    } else {
        let text = message.strip_prefix(b"Exit code from container ")?;
        let (code, _) = number(bytes::after(text, b" is : ")?)?;
        ContainerId::find(text).filter(|_| code != 0 && !STOPPED.contains(&code))?
    };
    Some(Said { job: Some(container.job), ..Said::new(ComplaintKind::ContainerFailed, Subject::Own) })
}
