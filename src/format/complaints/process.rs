//! Whether a daemon's log goes on with another process than it began with, and how the one before ended.
//!
//! ```text
//! … TaskTracker: STARTUP_MSG:                      its first record
//! … TaskTracker: SHUTDOWN_MSG:                     by its hook, when it ends in order
//! … DataNode: RECEIVED SIGNAL 15: SIGTERM          before that, since 2.0 (SignalLogger)
//! … ExitUtil: Exiting with status 1
//! ```
//! Who is killed, or whose machine goes down, says nothing: the next process's banner stands right behind its last
//! record. Source: `StringUtils.startupShutdownMessage`, the same from 0.18 to 3.x.
//!
//! A process that ends within half a minute did not come up; one that was started while another ran (its file of the
//! process id is lost) ends so, and writes into the same log.

use super::super::Out;
use super::super::log4j::Record;
use crate::base::Timestamp;
use crate::model::{ComplaintKind, Event, Said, Subject};

/// Begins the first record of a process that is a daemon.
const BEGINS: &[u8] = b"STARTUP_MSG: ";
/// Begin what a daemon says when it ends.
const ENDS: [&[u8]; 4] = [b"SHUTDOWN_MSG: ", b"RECEIVED SIGNAL ", b"Exiting with status ", b"Halt with status "];
/// Who ends sooner did not come up: a port that is taken is tried for some seconds.
const COMES_UP_MS: i64 = 30_000;

/// What a record says of its process.
enum Word {
    Begins,
    Ends,
}

impl Word {
    /// Most records are told by their first two letters.
    fn of(message: &[u8]) -> Option<Self> {
        match message {
            [b'S', b'T', ..] => message.starts_with(BEGINS).then_some(Self::Begins),
            [b'S', b'H', ..] | [b'R', b'E', ..] | [b'E', b'x', ..] | [b'H', b'a', ..] => {
                ENDS.iter().any(|words| message.starts_with(words)).then_some(Self::Ends)
            }
            _ => None,
        }
    }
}

/// The process that writes a log.
#[derive(Debug, Default)]
pub(super) struct Process {
    state: Writes,
    /// It was started anew less than [`COMES_UP_MS`] ago.
    anew: Option<Anew>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Writes {
    /// Nothing yet.
    #[default]
    Unheard,
    /// It runs.
    Runs,
    /// It said that it ends.
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Anew {
    /// How the process before ended.
    kind: ComplaintKind,
    line: u64,
    at: Timestamp,
    /// What the process before did.
    before: Writes,
    /// It has ended again.
    failed: bool,
}

impl Process {
    /// Takes a record.
    pub(super) fn record(&mut self, record: &Record<'_>, line: u64, out: &mut Out<'_>) {
        if self.anew.is_some_and(|anew| record.at.millis_since(anew.at) > COMES_UP_MS) {
            self.tell(out);
        }
        match (Word::of(record.message), self.state) {
            (Some(Word::Begins), before) => {
                self.tell(out);
                let kind = match before {
                    Writes::Unheard => None,
                    Writes::Runs => Some(ComplaintKind::Died),
                    Writes::Ended => Some(ComplaintKind::Restarted),
                };
                self.anew = kind.map(|kind| Anew { kind, line, at: record.at, before, failed: false });
                self.state = Writes::Runs;
            }
            (Some(Word::Ends), _) => match &mut self.anew {
                Some(anew) => {
                    anew.failed = true;
                    self.state = anew.before;
                }
                None => self.state = Writes::Ended,
            },
            (None, Writes::Unheard) => self.state = Writes::Runs,
            (None, _) => {}
        }
    }

    /// The log is over, or it is known whether the process came up.
    pub(super) fn tell(&mut self, out: &mut Out<'_>) {
        if let Some(Anew { kind, line, at, .. }) = self.anew.take().filter(|anew| !anew.failed) {
            out.event(line, at, &Event::Complaint(Box::new(Said::new(kind, Subject::Own))));
        }
    }
}
