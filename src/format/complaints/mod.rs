//! Lines that speak of trouble, in any log4j log.
//!
//! ```text
//! … TaskInProgress: Error from attempt_…_m_000013_0: java.io.IOException: No space left on device      a record
//! … ResourceLocalizationService: Localizer failed for container_…_000006                               and its
//! org.apache.hadoop.util.DiskChecker$DiskErrorException: No space available in any of the local …      cause
//! ```
//! Which class says it decides what it means, not whose log it is: a DFSClient complains in
//! tasks, masters and daemons alike. A record without a meaning of its own is searched for
//! a few words if it is a warning or worse, and so are the lines of its stack trace, but
//! for the frames. A complaint waits for the end of its trace, since only there may stand
//! that the disk was full.
//!
//! Cost: O(1) for most records (class and beginning of the message); O(message) for
//! warnings and errors.

mod hdfs;
mod masters;
mod process;
mod tasks;
pub mod text;

use super::Out;
use super::log4j::{Level, Record};
use crate::base::Timestamp;
use crate::base::bytes;
use crate::base::ids::number;
use crate::model::{ComplaintKind, Event, Said, Subject};
use process::Process;
use text::{address_after, host_after};

/// What a record complains of by itself, and whether its trace may say more.
#[must_use]
pub fn of(record: &Record<'_>) -> Option<Said> {
    let message = record.message;
    let said = match record.class() {
        b"JobTracker" | b"JobInProgress" | b"TaskInProgress" => masters::jobtracker(message),
        // BlockStateChange is a logger of its own (0.23 to 2.7); who decommissions is one class or another.
        b"StateChange"
        | b"BlockStateChange"
        | b"FSNamesystem"
        | b"NameNode"
        | b"DatanodeManager"
        | b"DecommissionManager"
        | b"DatanodeAdminManager"
        | b"SlowPeerTracker" => masters::namenode(message),
        b"RMNodeImpl" => masters::resourcemanager(message),
        b"TaskAttemptImpl" => tasks::diagnostics(message),
        b"JobImpl" | b"RMContainerAllocator" | b"RMContainerRequestor" => tasks::app_master(message),
        b"ReduceTask" | b"Fetcher" if record.level >= Level::Warn => tasks::fetch(message),
        b"TaskTracker" | b"TaskRunner" => tasks::tasktracker(message),
        b"ResourceLocalizationService"
        | b"DefaultContainerExecutor"
        | b"LinuxContainerExecutor"
        | b"NodeStatusUpdaterImpl" => tasks::nodemanager(message),
        b"DFSClient" | b"DataStreamer" | b"DFSOutputStream" | b"DFSInputStream" | b"BlockReaderFactory" => {
            hdfs::client(message)
        }
        class if class.starts_with(b"DataNode") || matches!(class, b"BlockReceiver" | b"DataXceiver") => {
            hdfs::datanode(message, record.level)
        }
        b"DataBlockScanner" | b"BlockPoolSliceScanner" | b"VolumeScanner" => hdfs::scanner(message),
        b"DatasetVolumeChecker" => hdfs::volume_checker(message),
        b"RetryInvocationHandler" | b"Client" => return unreachable(message),
        b"JvmPauseMonitor" => return pause(message),
        // These repeat an error that its own record tells: `PriviledgedActionException as:u cause:…` in whoever acted for a
        // user, `Task: ATT - exited : …` in the ApplicationMaster, of an attempt elsewhere (`Diagnostics report from ATT`).
        b"UserGroupInformation" | b"TaskAttemptListenerImpl" => return None,
        _ => None,
    };
    if said.is_some() || record.level < Level::Warn {
        return said;
    }
    ComplaintKind::of_words(message).map(|kind| Said::new(kind, Subject::Own)).or_else(|| unreachable(message))
}

/// `Detected pause in JVM or host machine (eg GC): pause of approximately 40563ms`, from a second on (Hadoop 2.0.3
/// and later). The lines below tell what was collected meanwhile, or that nothing was.
fn pause(message: &[u8]) -> Option<Said> {
    let text = message.strip_prefix(b"Detected pause in JVM or host machine (eg GC): pause of approximately ")?;
    let (took, rest) = number(text)?;
    rest.strip_prefix(b"ms")?;
    Some(Said { took_ms: Some(took), ..Said::new(ComplaintKind::Paused, Subject::Own) })
}

/// Milliseconds of `GC pool 'PS Scavenge' had collection(s): count=1 time=1204ms`.
fn collected_ms(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"GC pool ")?;
    Some(number(bytes::after(text, b" time=")?)?.0)
}

/// Begins what NetUtils says of a host that packets find no way to.
const NO_ROUTE: &[u8] = b"No Route to Host from ";

/// `Call From h301/10.77.3.11 to h304:45454 failed on connection exception: …`, or
/// `Problem connecting to server: h300/10.77.3.10:9000`, or
/// `Retrying connect to server: h400/10.88.4.10:42797. Already tried 7 time(s); …`, or
/// `No Route to Host from  h301/10.77.3.11 to h304:9000 failed on socket timeout exception: …`, or up to 1.x
/// `Call to h304/10.77.3.14:9000 failed on connection exception: …`.
fn unreachable(message: &[u8]) -> Option<Said> {
    let beginnings: [&[u8]; 2] = [b"Problem connecting to server: ", b"Retrying connect to server: "];
    if let Some(text) = beginnings.into_iter().find_map(|beginning| message.strip_prefix(beginning)) {
        let of = address_after(text, b"").map(Subject::Address).or_else(|| host_after(text, b""))?;
        return Some(Said::new(ComplaintKind::Unreachable, of));
    }
    let call = [b"Call From ", NO_ROUTE, b"Call to "].into_iter().find_map(|key| bytes::find(message, key))?;
    let call = message.get(call..)?;
    let end = bytes::find(call, b" failed on ")?;
    let of = host_after(call.get(..end)?, b" to ")?;
    Some(Said::new(ComplaintKind::Unreachable, of))
}

/// A complaint whose trace may follow.
#[derive(Debug)]
struct Pending {
    said: Option<Said>,
    line: u64,
    at: Timestamp,
    /// No line of the trace has told more yet.
    may_tell: bool,
    /// How long garbage was collected.
    collected_ms: u64,
}

/// Listens to the records of one file and to what follows each.
#[derive(Debug, Default)]
pub struct Listener {
    /// Whether a daemon writes the file: what holds up one of a job's own processes may be the job's fault.
    of_daemon: bool,
    process: Process,
    pending: Option<Pending>,
}

impl Listener {
    /// Listens to a daemon's log, or to that of some job's process.
    #[must_use]
    pub fn new(of_daemon: bool) -> Self {
        Self { of_daemon, ..Self::default() }
    }

    /// Takes a record.
    pub fn record(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) {
        self.tell(out);
        if self.of_daemon {
            self.process.record(record, line, out);
        }
        let said = of(record).filter(|said| self.of_daemon || said.kind != ComplaintKind::Paused);
        if said.is_some() || record.level >= Level::Warn {
            let may_tell = said.as_ref().is_none_or(|said| is_vague(said.kind));
            self.pending = Some(Pending { said, line, at: record.at, may_tell, collected_ms: 0 });
        }
    }

    /// Takes a line that belongs to the record above.
    pub fn continuation(&mut self, text: &[u8]) {
        let Some(pending) = self.pending.as_mut().filter(|pending| pending.may_tell) else { return };
        if text.starts_with(b"\tat ") {
            return;
        }
        if let Some((said, ms)) =
            pending.said.as_mut().filter(|said| said.kind == ComplaintKind::Paused).zip(collected_ms(text))
        {
            pending.collected_ms = pending.collected_ms.saturating_add(ms);
            // Most of the time went by so; a host that stands still collects next to nothing.
            if pending.collected_ms.saturating_mul(2) >= said.took_ms.unwrap_or(0) {
                said.kind = ComplaintKind::GcPaused;
            }
        } else if hdfs::has_the_block(text)
            && pending.said.as_ref().is_some_and(|said| said.kind == ComplaintKind::WriteBroken)
        {
            pending.said = None;
            pending.may_tell = false;
        } else if let Some(attempt) = tasks::missing_output(text) {
            pending.may_tell = false;
            pending.said = Some(Said { of: Subject::Own, ..Said::of_attempt(ComplaintKind::MapOutputLost, attempt) });
        } else if let Some(reduce) = tasks::missing_input(text) {
            pending.may_tell = false;
            let own = Said { of: Subject::Own, ..Said::of_attempt(ComplaintKind::FetchedOutputLost, reduce) };
            pending.said.get_or_insert(own).kind = ComplaintKind::FetchedOutputLost;
        } else if let Some(kind) = ComplaintKind::of_words(text) {
            pending.may_tell = false;
            let said = pending.said.get_or_insert(Said::new(kind, Subject::Own));
            said.kind = kind;
        }
    }

    /// The file is over.
    pub fn end(&mut self, out: &mut Out<'_>) {
        self.tell(out);
        self.process.tell(out);
    }

    /// Gives out what is held: a record ends where the next begins.
    fn tell(&mut self, out: &mut Out<'_>) {
        if let Some(Pending { said: Some(said), line, at, .. }) = self.pending.take() {
            out.event(line, at, &Event::Complaint(Box::new(said)));
        }
    }
}

/// Whether the cause below may say more than the complaint itself.
const fn is_vague(kind: ComplaintKind) -> bool {
    matches!(
        kind,
        ComplaintKind::AttemptFailed
            | ComplaintKind::ContainerFailed
            | ComplaintKind::WriteBroken
            | ComplaintKind::Paused
    )
}

#[cfg(test)]
mod tests;
