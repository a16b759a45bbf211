//! Work shared out to threads, and inputs to one digest by it.

use super::input::Input;
use super::notices::Told;
use super::{deal, say};
use crate::base::crc::crc32;
use crate::base::{Code, IssueTable};
use crate::model::{Digest, FileDigest, FileKey};
use crate::pipeline::Ingest;
use crate::pipeline::ingest::ARCHIVE;
use crate::source::Limits;
use anyhow::{Result, anyhow};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How often progress is shown: as a film, not more.
const REDRAW: Duration = Duration::from_millis(40);
/// Of each thread so many items may be ahead of the one whose result is taken next: what one slow item holds up is kept in
/// memory.
const AHEAD: usize = 2;

/// Does `work` for every item, by threads that take one item after another; the results
/// are in the order of the items. Meanwhile calls `watch` with the number of items
/// begun, if standard error is a terminal.
///
/// # Errors
/// That of the first item, in their order, that has one; then no more are begun.
pub(super) fn share_out<T: Sync, R: Send>(
    items: &[T],
    workers: usize,
    work: impl Fn(&T) -> Result<R> + Sync,
    watch: impl Fn(usize) + Sync,
) -> Result<Vec<R>> {
    let (begun, done) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut results = Vec::with_capacity(items.len());
    thread::scope(|scope| {
        if std::io::stderr().is_terminal() {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    watch(begun.load(Ordering::Relaxed));
                    thread::sleep(REDRAW);
                }
                clear_line();
            });
        }
        let work = |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            work(item)
        };
        let take = |result: Result<R>| {
            results.push(result?);
            Ok(())
        };
        // All are kept in the end: none has to wait for a slow one.
        let ahead = items.len().max(1);
        let all = in_order_within(ahead, items.iter().map(anyhow::Ok), workers.min(items.len()), work, take);
        done.store(true, Ordering::Relaxed);
        all
    })?;
    Ok(results)
}

/// Does `work` for every item as it comes, by threads, and takes the results in the order of the items. An item is asked
/// for when fewer than [`AHEAD`] for each thread are not taken yet.
///
/// # Errors
/// The first that an item has, or that `take` says.
pub(super) fn in_order<T: Send, R: Send, E: Into<anyhow::Error>>(
    items: impl Iterator<Item = Result<T, E>>,
    workers: usize,
    work: impl Fn(T) -> R + Sync,
    take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    in_order_within(AHEAD * workers.max(1), items, workers, work, take)
}

/// [`in_order`], where `ahead` items, one at least, may be not taken yet.
fn in_order_within<T: Send, R: Send, E: Into<anyhow::Error>>(
    ahead: usize,
    mut items: impl Iterator<Item = Result<T, E>>,
    workers: usize,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<()>,
) -> Result<()> {
    let workers = workers.max(1);
    let (give, given) = sync_channel(workers);
    let given = Arc::new(Mutex::new(given));
    let (hand_back, done) = channel();
    let take_turns = |given: Arc<Mutex<Receiver<(usize, T)>>>, hand_back: Sender<(usize, thread::Result<R>)>| {
        loop {
            let next = given.lock().ok().and_then(|given| given.recv().ok());
            let Some((index, item)) = next else { return };
            // Who waits for a result would wait for ever if a thread died of it without a word.
            let result = catch_unwind(AssertUnwindSafe(|| work(item)));
            // Nobody listens any more where something went wrong.
            let _ = hand_back.send((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 0..workers {
            let (given, hand_back) = (Arc::clone(&given), hand_back.clone());
            scope.spawn(|| take_turns(given, hand_back));
        }
        drop((given, hand_back));
        let mut early = BTreeMap::new();
        let mut next = 0;
        let mut take_what_is_next = |(index, result): (usize, thread::Result<R>)| {
            early.insert(index, result.map_err(|_| anyhow!("a working thread died"))?);
            while let Some(result) = early.remove(&next) {
                take(result)?;
                next += 1;
            }
            anyhow::Ok(next)
        };
        let mut taken = 0;
        for index in 0.. {
            while index >= taken + ahead {
                taken = take_what_is_next(done.recv()?)?;
            }
            let Some(item) = items.next() else { break };
            let item = item.map_err(Into::into)?;
            give.send((index, item)).map_err(|_| anyhow!("a working thread died"))?;
            for one in done.try_iter() {
                taken = take_what_is_next(one)?;
            }
        }
        drop(give);
        done.iter().try_for_each(|one| take_what_is_next(one).map(drop))
    })
}

/// Reads one input; what cannot be read is named in the digest if nobody named it, or if it shall be.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read.
pub(super) fn or_named(
    input: &Input,
    limits: Limits,
    keep_going: bool,
    count: impl Fn(usize),
) -> Result<(Digest, bool)> {
    let (mut digest, why) = what_is_readable(input, limits, count);
    let Some(why) = why else { return Ok((digest, true)) };
    if !keep_going && !input.found {
        return Err(why);
    }
    say(&format!("{why:#}"));
    let mut issues = IssueTable::default();
    issues.note(Code::Unreadable, 0);
    let (key, row) = row_of_issues(&input.name, ARCHIVE, issues)?;
    digest.insert(key, row);
    Ok((digest, false))
}

/// The row of a digest that holds nothing but what was wrong with an input.
///
/// # Errors
/// If what was wrong cannot be written as postcard.
pub(super) fn row_of_issues(name: &str, format: &str, issues: IssueTable) -> Result<(FileKey, FileDigest)> {
    let key = FileKey { path: name.to_owned(), bytes: 0, crc: crc32(&postcard::to_stdvec(&issues)?) };
    Ok((key, FileDigest { format: format.to_owned(), issues, ..FileDigest::default() }))
}

/// Reads one input as far as that is possible, and says why no further.
fn what_is_readable(input: &Input, limits: Limits, count: impl Fn(usize)) -> (Digest, Option<anyhow::Error>) {
    let mut ingest = Ingest::new(limits);
    let mut bytes_read = 0;
    ingest.start(&input.name);
    let read = input.read(|bytes| {
        bytes_read += bytes.len();
        ingest.feed(bytes);
        count(bytes.len());
    });
    match read {
        // It is not an empty file: nobody knows what it is.
        Err(why) if bytes_read == 0 => (Digest::default(), Some(why)),
        read => (ingest.into_digest(), read.err()),
    }
}

/// Reads all inputs, and names those of which it was told why they cannot be read; the result does not depend on the
/// number of `workers`.
///
/// # Errors
/// That of the first input, in their order, that cannot be read; what was found in a folder is named instead.
pub(super) fn digest(inputs: &[Input], workers: usize, limits: Limits) -> Result<(Digest, Told)> {
    let bytes = AtomicU64::new(0);
    let helpers = workers / inputs.len().max(1);
    let read = |input: &Input| {
        let count = |count| {
            bytes.fetch_add(count as u64, Ordering::Relaxed);
        };
        if helpers > 1 && input.can_be_read_again() {
            match deal::digest(input, limits, helpers, count) {
                Ok(Some(digest)) => return Ok((digest, true)),
                Err(why) if !input.found => return Err(why),
                // One alone decides what is left out, and names what cannot be read.
                Ok(None) | Err(_) => {}
            }
        }
        or_named(input, limits, false, count)
    };
    let watch = |begun| {
        let megabytes = bytes.load(Ordering::Relaxed) / 1_000_000;
        rewrite_line(&format!("reading {begun} of {}, {megabytes} MB", inputs.len()));
    };
    let (mut merged, mut told) = (Digest::default(), Told::new());
    for (input, (share, is_whole)) in inputs.iter().zip(share_out(inputs, workers, read, watch)?) {
        merged.merge(share);
        if !is_whole {
            told.insert(input.name.clone());
        }
    }
    Ok((merged, told))
}

/// Shows `text` in the terminal's present line. Progress may get lost.
pub(super) fn rewrite_line(text: &str) {
    let _ = write!(std::io::stderr(), "\r{text}");
}

fn clear_line() {
    rewrite_line("\x1b[K");
}

#[cfg(test)]
mod tests {
    use super::{AHEAD, in_order, share_out};
    use anyhow::bail;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    #[test]
    fn results_are_in_order_for_any_number_of_threads() {
        let items: Vec<u32> = (0..100).collect();
        for workers in [1, 3, 200] {
            let squares = share_out(&items, workers, |i| Ok(i * i), |_| {}).unwrap();
            assert_eq!(squares, items.iter().map(|i| i * i).collect::<Vec<_>>());
        }
        assert!(share_out(&[0_u32; 0], 4, |i| Ok(*i), |_| {}).unwrap().is_empty());
    }

    #[test]
    fn what_comes_is_taken_in_order_whoever_is_done_first() {
        for workers in [0, 1, 3, 40] {
            let mut taken = Vec::new();
            let slow_first = |i: u64| {
                std::thread::sleep(Duration::from_micros(if i.is_multiple_of(7) { 500 } else { 0 }));
                i * i
            };
            let items = (0..100).map(anyhow::Ok);
            let take = |square| {
                taken.push(square);
                Ok(())
            };
            in_order(items, workers, slow_first, take).unwrap();
            assert_eq!(taken, (0..100).map(|i| i * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_slow_item_keeps_few_others_waiting() {
        for workers in [1, 2, 8] {
            let asked_for = AtomicUsize::new(0);
            let items = (0..1000_usize).inspect(|_| {
                asked_for.fetch_add(1, Ordering::Relaxed);
            });
            let slow_first = |i: usize| {
                std::thread::sleep(Duration::from_millis(if i == 0 { 200 } else { 0 }));
                asked_for.load(Ordering::Relaxed)
            };
            let mut seen = Vec::new();
            let take = |asked_for| {
                seen.push(asked_for);
                Ok(())
            };
            in_order(items.map(anyhow::Ok), workers, slow_first, take).unwrap();
            assert_eq!(seen.len(), 1000);
            for (i, asked_for) in seen.into_iter().enumerate() {
                assert!(asked_for <= i + AHEAD * workers, "{asked_for} while {i} was worked on by {workers}");
            }
        }
    }

    #[test]
    fn an_error_ends_what_comes() {
        let items = (0..100).map(|i| if i == 40 { bail!("item {i}") } else { Ok(i) });
        let mut taken = 0;
        let take = |_| {
            taken += 1;
            Ok(())
        };
        let why = in_order(items, 3, |i| i, take).unwrap_err();
        assert_eq!(why.to_string(), "item 40");
        assert!(taken <= 40);
        let why = in_order((0..100).map(anyhow::Ok), 3, |i| i, |i| if i == 5 { bail!("full") } else { Ok(()) });
        assert_eq!(why.unwrap_err().to_string(), "full");
        let why = in_order((0..9).map(anyhow::Ok), 2, |i| assert!(i != 3, "of a test"), |()| Ok(()));
        assert_eq!(why.unwrap_err().to_string(), "a working thread died");
    }

    #[test]
    fn first_error_in_order_is_told() {
        let work = |i: &u32| if *i % 7 == 6 { bail!("item {i}") } else { Ok(*i) };
        let error = share_out(&(0..50).collect::<Vec<_>>(), 4, work, |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "item 6");
    }

    #[test]
    fn a_slow_item_holds_up_none_that_are_all_kept() {
        let done = AtomicUsize::new(0);
        let slow_first = |i: &u32| {
            if *i == 0 {
                for _ in 0..1_000 {
                    if done.load(Ordering::Relaxed) == 99 {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(10));
                }
                return Ok(done.load(Ordering::Relaxed));
            }
            Ok(done.fetch_add(1, Ordering::Relaxed))
        };
        let seen = share_out(&(0..100).collect::<Vec<_>>(), 2, slow_first, |_| {}).unwrap();
        assert_eq!(seen.first(), Some(&99));
    }
}
