//! One archive read by several threads: one unpacks it, the others read its members.

use super::input::Input;
use crate::model::Digest;
use crate::pipeline::Ingest;
use crate::pipeline::ingest::{Call, Collector, Helper};
use crate::source::Limits;
use anyhow::{Result, anyhow};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{self, ScopedJoinHandle};

/// What is sent to a thread at a time, unless that has nothing to do: to wake one takes as long as to
/// read some kilobytes.
const SENT_BYTES: usize = 128 << 10;
/// Sendings that may wait for a thread, some 16 MB: no log that one reads for long shall keep whoever unpacks from
/// giving the others theirs.
const WAITING: usize = 96;

/// Reads an input by so many threads beside the one that unpacks; `count` is told of its bytes.
/// `None` if it may be more than is held: one alone has to decide then what is left out.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read.
pub(super) fn digest(input: &Input, limits: Limits, threads: usize, count: impl Fn(usize)) -> Result<Option<Digest>> {
    let share = Limits { held_bytes: limits.held_bytes / (threads + 1), ..limits };
    let waiting: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
    let (read, parts) = thread::scope(|scope| {
        let mut readers = Vec::new();
        let mut helpers = Vec::new();
        for waiting in &waiting {
            let (to, calls) = sync_channel(WAITING);
            let (give_back, spare) = channel();
            helpers.push(Thread { to, waiting, calls: Vec::new(), spare });
            readers.push(scope.spawn(move || taken(follow(&calls, &give_back, waiting, Collector::new(share)))));
        }
        // Whoever unpacks has enough to do with that.
        let mut ingest = Ingest::dealing(share, helpers, usize::MAX);
        ingest.start(&input.name);
        let read = input.read(|piece| {
            ingest.feed(piece);
            count(piece.len());
        });
        // With it their channels are closed, and the threads come to an end.
        let rest = taken(ingest.into_collector());
        let mut parts: Vec<_> = readers.into_iter().map(ScopedJoinHandle::join).collect();
        parts.push(Ok(rest));
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

/// Does what comes until nothing comes any more, and gives back in what it came.
fn follow(
    sent: &Receiver<Vec<u8>>,
    give_back: &Sender<Vec<u8>>,
    waiting: &AtomicUsize,
    mut to: Collector,
) -> Collector {
    for mut calls in sent {
        to.replay(&calls);
        waiting.fetch_sub(calls.len(), Ordering::Relaxed);
        calls.clear();
        // Nobody takes it any more where all was sent.
        let _ = give_back.send(calls);
    }
    to
}

/// A thread that reads members, as the one that unpacks sees it.
struct Thread<'a> {
    to: SyncSender<Vec<u8>>,
    /// Bytes that were sent to it and it has not read.
    waiting: &'a AtomicUsize,
    /// What it is sent next.
    calls: Vec<u8>,
    /// What was sent and heard: memory that the system need not clear once more.
    spare: Receiver<Vec<u8>>,
}

impl Thread<'_> {
    fn send(&mut self) {
        let next = self.spare.try_recv().unwrap_or_else(|_| Vec::with_capacity(2 * SENT_BYTES));
        let calls = std::mem::replace(&mut self.calls, next);
        self.waiting.fetch_add(calls.len(), Ordering::Relaxed);
        // It hears nothing only if it died, which is found out when it is waited for.
        let _ = self.to.send(calls);
    }
}

impl Helper for Thread<'_> {
    fn waits(&self) -> usize {
        self.waiting.load(Ordering::Relaxed) + self.calls.len()
    }

    fn call(&mut self, call: Call<'_>) {
        call.write(&mut self.calls);
        if self.calls.len() >= SENT_BYTES || self.waiting.load(Ordering::Relaxed) == 0 {
            self.send();
        }
    }
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        self.send();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::read::or_named;
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
            let (alone, _) = or_named(&input, Limits::default(), false, |_| {}).unwrap();
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
