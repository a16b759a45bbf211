//! One archive read by several threads: one unpacks it, the others read its members.
//!
//! ```text
//! input -> Unpacker -> Dealer: each member to whom the fewest bytes wait for -> Collector of each -> merge
//! ```
//! The digest is a set of files, so that it does not matter who reads which. What is wrong with
//! an archive, and not with a member, the dealer notes itself.

use super::input::Input;
use crate::base::Code;
use crate::model::Digest;
use crate::pipeline::ingest::Collector;
use crate::source::{Limits, Unpacker, Visitor};
use anyhow::{Result, anyhow};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ScopedJoinHandle};

/// Calls that may wait for a thread, each with at most a piece of what was inflated at once:
/// enough that none runs dry, some megabytes at the most.
const WAITING: usize = 64;

/// What a [`Visitor`] is told, on its way to another thread.
enum Call {
    Open(String),
    Data(Vec<u8>),
    Close,
    Issue(String, Code),
}

/// Reads an input by so many threads beside the one that unpacks; `count` is told of its bytes.
/// `None` if it may be more than is held: one alone has to decide then what is left out.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read.
pub(super) fn digest(input: &Input, limits: Limits, threads: usize, count: impl Fn(usize)) -> Result<Option<Digest>> {
    let share = Limits { held_bytes: limits.held_bytes / (threads + 1), ..limits };
    let waiting: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
    let collector = || {
        let mut collector = Collector::new(share);
        collector.begin(&input.name);
        collector
    };
    let (read, parts) = thread::scope(|scope| {
        let mut readers = Vec::new();
        let mut hands = Vec::new();
        for waiting in &waiting {
            let (to, calls) = sync_channel(WAITING);
            hands.push(Hand { to, waiting });
            readers.push(scope.spawn(move || take(&calls, waiting, collector())));
        }
        let mut dealer = Dealer { hands, open: None, archives: collector() };
        let mut unpacker = Unpacker::new(&input.name, &limits);
        let mut bytes = 0;
        let read = input.read(|piece| {
            unpacker.feed(piece, &mut dealer);
            bytes += piece.len() as u64;
            count(piece.len());
        });
        unpacker.finish(&mut dealer);
        let Dealer { hands, mut archives, .. } = dealer;
        archives.add_archives(bytes);
        // Once their channels are closed they come to an end.
        drop(hands);
        let mut parts: Vec<_> = readers.into_iter().map(ScopedJoinHandle::join).collect();
        parts.push(Ok(taken(archives)));
        (read, parts)
    });
    read?;
    let mut merged = Digest::default();
    for part in parts {
        match part.map_err(|_| anyhow!("a working thread died"))? {
            Some(part) => merged.merge(part),
            None => return Ok(None),
        }
    }
    Ok(Some(merged))
}

/// What a collector took, if that is all it was given.
fn taken(collector: Collector) -> Option<Digest> {
    (!collector.overflowed()).then(|| collector.into_digest())
}

/// Passes on what comes until nothing comes any more.
fn take(calls: &Receiver<Call>, waiting: &AtomicUsize, mut to: Collector) -> Option<Digest> {
    for call in calls {
        match call {
            Call::Open(path) => to.open(&path),
            Call::Data(bytes) => {
                to.data(&bytes);
                waiting.fetch_sub(bytes.len(), Ordering::Relaxed);
            }
            Call::Close => to.close(),
            Call::Issue(path, code) => to.issue(&path, code),
        }
    }
    taken(to)
}

/// A thread that reads members, as the dealer sees it.
struct Hand<'a> {
    to: SyncSender<Call>,
    /// Bytes that it was given and has not read.
    waiting: &'a AtomicUsize,
}

struct Dealer<'a> {
    hands: Vec<Hand<'a>>,
    /// The member that is open, and who reads it.
    open: Option<(String, usize)>,
    archives: Collector,
}

impl Dealer<'_> {
    /// Who reads the member that is open.
    fn hand(&self) -> Option<&Hand<'_>> {
        self.open.as_ref().and_then(|(_, hand)| self.hands.get(*hand))
    }

    fn call(&self, call: Call) {
        if let Some(hand) = self.hand() {
            // It hears nothing only if it died, which is found out when it is waited for.
            let _ = hand.to.send(call);
        }
    }
}

impl Visitor for Dealer<'_> {
    fn open(&mut self, path: &str) {
        let waits = |hand: &Hand<'_>| hand.waiting.load(Ordering::Relaxed);
        let next = (0..self.hands.len()).min_by_key(|i| self.hands.get(*i).map(waits));
        self.open = next.map(|hand| (path.to_owned(), hand));
        self.call(Call::Open(path.to_owned()));
    }

    fn data(&mut self, bytes: &[u8]) {
        if let Some(hand) = self.hand() {
            hand.waiting.fetch_add(bytes.len(), Ordering::Relaxed);
        }
        self.call(Call::Data(bytes.to_vec()));
    }

    fn close(&mut self) {
        self.call(Call::Close);
        self.open = None;
    }

    fn issue(&mut self, path: &str, code: Code) {
        if self.open.as_ref().is_some_and(|(open, _)| open == path) {
            self.call(Call::Issue(path.to_owned(), code));
        } else {
            self.archives.issue(path, code);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::read::digest_of;
    use crate::source::tests::{gz, tar};
    use std::path::Path;

    const LOG: &str = "2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction \
        (registerTask): attempt_202611210224_0001_m_000001_0 task's state:UNASSIGNED\n";

    /// An archive of logs of many lengths, one of them packed again, and a member that is no log.
    fn archive() -> Vec<u8> {
        let members: Vec<(String, Vec<u8>)> = (0..40_usize)
            .map(|i| {
                let bytes = match i {
                    7 => gz(LOG.as_bytes()),
                    8 => vec![0, 1, 2],
                    _ => LOG.repeat(i * i * 10).into_bytes(),
                };
                (format!("h{}/{i}.log", i % 4), bytes)
            })
            .collect();
        gz(&tar(&members.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect::<Vec<_>>()))
    }

    fn at(folder: &Path, bytes: &[u8]) -> Input {
        let path = folder.join("r.tar.gz");
        std::fs::write(&path, bytes).unwrap();
        Input::file(&path)
    }

    #[test]
    fn it_does_not_matter_how_many_read() {
        let folder = tempfile::tempdir().unwrap();
        let whole = archive();
        for bytes in [&whole[..], &whole[..whole.len() - 5], &whole[..whole.len() / 2], &whole[..20], LOG.as_bytes()] {
            let input = at(folder.path(), bytes);
            let alone = digest_of(&input, Limits::default(), |_| {}).unwrap();
            for threads in [1, 2, 5] {
                assert_eq!(digest(&input, Limits::default(), threads, |_| {}).unwrap(), Some(alone.clone()));
            }
        }
    }

    #[test]
    fn what_is_too_much_to_hold_is_left_to_one() {
        let folder = tempfile::tempdir().unwrap();
        let input = at(folder.path(), &archive());
        let limits = Limits { held_bytes: 4_000, ..Limits::default() };
        assert_eq!(digest(&input, limits, 3, |_| {}).unwrap(), None);
    }

    #[test]
    fn what_is_not_there_is_told() {
        assert!(digest(&Input::file(Path::new("no such file")), Limits::default(), 2, |_| {}).is_err());
    }
}
