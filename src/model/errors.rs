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

/// Begins the error of each attempt of a tracker that sends no heartbeat any more: `JobTracker.lostTaskTracker` (0.20 to
/// 1.x), and the tracker's name follows.
pub const LOST_TRACKER: &str = "Lost task tracker: ";

/// What only the errors of attempts say. They come before the others: whose output is lost may have lost it with a disk.
static OF_ATTEMPTS: &Words = &[
    (Word::new(LOST_TRACKER.as_bytes()), ComplaintKind::LostNode),
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
    (Word::new(b"free space below limit"), ComplaintKind::NoSpace),
    (Word::new(b"DiskOutOfSpaceException"), ComplaintKind::NoSpace),
    (Word::new(b"Could not find any valid local directory"), ComplaintKind::NoSpace),
    (Word::new(b"Mkdirs failed to create"), ComplaintKind::BadDisk),
    (Word::new(b"Read-only file system"), ComplaintKind::BadDisk),
    (Word::new(b"Input/output error"), ComplaintKind::BadDisk),
    // DirectoryCollection since 2.6, and up to then; TaskTracker.
    (Word::new(b"removing from list of valid directories"), ComplaintKind::BadDisk),
    (Word::new(b"removing from the list of valid directories"), ComplaintKind::BadDisk),
    (Word::new(b"removing from local dirs"), ComplaintKind::BadDisk),
    (Word::new(b"local-dirs are bad"), ComplaintKind::BadDisk),
    (Word::new(b"-dirs turned bad"), ComplaintKind::BadDisk),
    (Word::new(b"log-dirs are bad"), ComplaintKind::BadDisk),
    (Word::new(b"-dirs have errors"), ComplaintKind::BadDisk),
    (Word::new(b"Most of the disks failed"), ComplaintKind::BadDisk),
    (Word::new(b"ChecksumException"), ComplaintKind::BadChecksum),
    (Word::new(b"DiskErrorException"), ComplaintKind::BadDisk),
];

/// A `DiskErrorException` that is none: a TaskTracker looks for the output of a task that
/// has not written any, on every healthy cluster.
static NO_OUTPUT_YET: Word<'_> = Word::new(b"Could not find taskTracker/");

/// What an error says where packets find no way. A connection that is refused found one, to a daemon that is down.
static NO_WAY: [Word<'static>; 2] = [Word::new(b"NoRouteToHostException"), Word::new(b"Network is unreachable")];

/// What Hadoop's own clients say where another node may be at fault, as 0.20 to 3.x have it: RPC (`NetUtils.wrapException`,
/// `Client`), HDFS (`DFSClient`, `BlockManager`, `FSNamesystem`), sockets (`SocketIOWithTimeout`, `PacketReceiver`), fetching of
/// map outputs (`Fetcher`). What a program says of a server of its own has other words.
static OF_OTHERS: [Word<'static>; 16] = [
    Word::new(b"failed on connection exception"),
    Word::new(b"failed on socket timeout exception"),
    Word::new(b"failed on local exception"),
    Word::new(b"SafeModeException"),
    Word::new(b"could only be replicated to"),
    Word::new(b"could only be written to"),
    Word::new(b"Unable to create new block"),
    Word::new(b"are bad. Aborting"),
    Word::new(b"Could not obtain block"),
    Word::new(b"BlockMissingException"),
    Word::new(b"millis timeout while waiting for channel to be ready for"),
    Word::new(b"Premature EOF: no length prefix"),
    Word::new(b"Premature EOF from inputStream"),
    // As `IOUtils.readFully` of 0.20 and 1.x spells it.
    Word::new(b"Premeture EOF from inputStream"),
    Word::new(b"MAX_FAILED_UNIQUE_FETCHES"),
    Word::new(b"error in shuffle"),
];

/// What they say of the node's own folders.
static OF_FOLDERS: Word<'static> = Word::new(b"DiskChecker");

/// Whether an attempt's error says that packets found no way to another host.
#[must_use]
pub fn finds_no_way(error: &str) -> bool {
    NO_WAY.iter().any(|words| words.is_in(error.as_bytes()))
}

/// Whether an attempt's error is of its node, of another, or of what lies between, and not of the program: a kind of complaint
/// is, too, but silence ([`ComplaintKind::TimedOut`]), which may be either's.
#[must_use]
pub fn is_of_the_cluster(error: &str) -> bool {
    let complains = ComplaintKind::of_error(error.as_bytes()).is_some_and(|kind| kind != ComplaintKind::TimedOut);
    complains || OF_FOLDERS.is_in(error.as_bytes()) || may_be_of_others(error)
}

/// Whether an attempt's error tells that it did not get or could not pass on what another node has.
#[must_use]
pub fn may_be_of_others(error: &str) -> bool {
    finds_no_way(error) || OF_OTHERS.iter().any(|words| words.is_in(error.as_bytes()))
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_cluster_are_told_from_those_of_programs() {
        let of_cluster = [
            "java.net.ConnectException: Call From h3/10.0.0.3 to h1:9000 failed on connection exception: java.net.ConnectException: Connection refused",
            "java.net.NoRouteToHostException: No route to host",
            "org.apache.hadoop.hdfs.server.namenode.SafeModeException: Cannot create file/out. Name node is in safe mode.",
            "org.apache.hadoop.ipc.RemoteException: java.io.IOException: File /out could only be replicated to 0 nodes, instead of 1",
            "java.io.IOException: All datanodes 10.0.0.3:50010 are bad. Aborting...",
            "java.io.IOException: Could not obtain block: blk_1_1001 file=/in",
            "org.apache.hadoop.fs.ChecksumException: Checksum error: /in at 512",
            "Lost task tracker: tracker_h3:localhost/127.0.0.1:40000",
            "java.net.SocketTimeoutException: 65000 millis timeout while waiting for channel to be ready for read. ch : java.nio.channels.SocketChannel[connected]",
            "java.io.EOFException: Premature EOF: no length prefix available",
            "Error: java.io.IOException: org.apache.hadoop.util.DiskChecker$DiskErrorException: x",
        ];
        assert_eq!(of_cluster.map(is_of_the_cluster), [true; 11]);
        let of_others = [true, true, true, true, true, true, false, false, true, true, false];
        assert_eq!(of_cluster.map(may_be_of_others), of_others);
        let of_programs = [
            "java.lang.NumberFormatException: For input string: \"x\"",
            "java.net.ConnectException: Connection refused: db.example.com",
            "Task attempt_1_0001_m_000001_0 failed to report status for 600 seconds. Killing!",
            "Error: Java heap space",
            "java.io.IOException: Premature EOF",
        ];
        assert_eq!(of_programs.map(is_of_the_cluster), [false; 5]);
    }
}
