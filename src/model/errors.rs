//! What a text of trouble complains of, whoever tells it: a daemon's warning, a master's log, a history, or the error
//! that a trace keeps of an attempt.
//!
//! ```text
//! Error from attempt_…_m_000013_0: java.io.IOException: No space left on device           no-space
//! TASK_ATTEMPT_ID="attempt_…_m_000013_0" … ERROR="java\.io\.IOException: No space left …  no-space
//! ```
//! Cost: O(text) a word.

use super::ComplaintKind;
use crate::base::bytes::Word;

type Words = [(Word<'static>, ComplaintKind)];

/// What only the errors of attempts say. They come before the others: whose output is lost may have lost it with a disk.
static OF_ATTEMPTS: &Words = &[
    (Word::new(b"Lost task tracker: "), ComplaintKind::LostNode),
    (Word::new(b"*lost* node"), ComplaintKind::LostNode),
    (Word::new(b"Map output lost"), ComplaintKind::MapOutputLost),
    (Word::new(b"Too many fetch-failures"), ComplaintKind::TooManyFetchFailures),
    // Hadoop 2's and 3's.
    (Word::new(b"Too Many fetch failures"), ComplaintKind::TooManyFetchFailures),
    (Word::new(b"Too many fetch failures"), ComplaintKind::TooManyFetchFailures),
    (Word::new(b"failed to report status for"), ComplaintKind::TimedOut),
    (Word::new(b"TimedOut: true"), ComplaintKind::TimedOut),
    (Word::new(b"taskStuck: true"), ComplaintKind::TimedOut),
    (Word::new(b" Timed out after "), ComplaintKind::TimedOut),
];

/// Words that mean the same wherever they stand, the most telling first.
static ANYWHERE: &Words = &[
    (Word::new(b"No space left on device"), ComplaintKind::NoSpace),
    (Word::new(b"No space available in any of the local directories"), ComplaintKind::NoSpace),
    (Word::new(b"no more usable space"), ComplaintKind::NoSpace),
    (Word::new(b"used space above threshold"), ComplaintKind::NoSpace),
    (Word::new(b"DiskOutOfSpaceException"), ComplaintKind::NoSpace),
    (Word::new(b"Could not find any valid local directory"), ComplaintKind::NoSpace),
    (Word::new(b"Mkdirs failed to create"), ComplaintKind::BadDisk),
    (Word::new(b"Read-only file system"), ComplaintKind::BadDisk),
    (Word::new(b"Input/output error"), ComplaintKind::BadDisk),
    (Word::new(b"removing from list of valid directories"), ComplaintKind::BadDisk),
    (Word::new(b"local-dirs are bad"), ComplaintKind::BadDisk),
    (Word::new(b"log-dirs are bad"), ComplaintKind::BadDisk),
    (Word::new(b"-dirs have errors"), ComplaintKind::BadDisk),
    (Word::new(b"Most of the disks failed"), ComplaintKind::BadDisk),
    (Word::new(b"ChecksumException"), ComplaintKind::BadChecksum),
    (Word::new(b"DiskErrorException"), ComplaintKind::BadDisk),
];

/// A `DiskErrorException` that is none: a TaskTracker looks for the output of a task that
/// has not written any, on every healthy cluster.
static NO_OUTPUT_YET: Word<'_> = Word::new(b"Could not find taskTracker/");

fn first(words: &Words, text: &[u8]) -> Option<ComplaintKind> {
    words.iter().find(|(word, _)| word.is_in(text)).map(|(_, kind)| *kind)
}

impl ComplaintKind {
    /// The kind that some word in `text` tells.
    #[must_use]
    pub fn of_words(text: &[u8]) -> Option<Self> {
        first(ANYWHERE, text).filter(|_| !NO_OUTPUT_YET.is_in(text))
    }

    /// What the error of an attempt complains of; `None` where it is the program's own, as far as words tell:
    /// `Lost task tracker: …`, `…: No space left on device`,
    /// `AttemptID:… task timeout set: 40s, taskTimedOut: true; task stuck timeout set: 40s, taskStuck: false`.
    #[must_use]
    pub fn of_error(text: &[u8]) -> Option<Self> {
        first(OF_ATTEMPTS, text).or_else(|| Self::of_words(text))
    }
}
