//! The digest: what was read, file by file, compact and mergeable.
//!
//! A digest is a set of [`FileDigest`]s keyed by path and content, so merging is a set
//! union: associative, commutative, with the empty digest as its neutral element. Which
//! worker read which file, and in which order, leaves no trace in it.
//!
//! Events are not kept as values but as bytes ([`EventLog`]), by column and packed as they come, so that
//! memory grows with the packed events and not with the logs (M18 asks for 100-fold reduction); in a file
//! they are deflated as well.
//!
//! A digest's bytes are [`frames`]; as text it is [`lines`]. Cost: O(1) a row, both ways.

mod append;
mod columns;
mod deflate;
mod events;
pub mod frames;
pub mod lines;
mod old;
pub(super) mod pack;
mod writer;

pub use events::{EventLog, Row, Topic};
pub use writer::EventWriter;

use super::{Density, Shapes};
use crate::base::{Gathered, IssueTable, Timestamp};
use frames::{FrameReader, FrameWriter, ReadError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;

/// A part that is passed on is full with this.
const PART_BYTES: usize = 2 * 1024 * 1024;
/// First bytes of a digest file.
pub const MAGIC: &[u8] = b"ODDNODE-DIGEST\n";
/// Version of the digest's layout. 2: a file's density, shapes and unused lines; 3: frames; 4: rows by
/// topic; 5: rows and shapes packed before frames are deflated; 6: rows by column; 7: two kinds of
/// rows more; 8: two kinds of complaints more; 9: a phase more.
pub const VERSION: u8 = 9;
/// Format name of the row that says what is wrong with an archive.
pub const ARCHIVE: &str = "archive";
/// Format name of the row that says what is wrong with a digest, and at which bytes.
pub const DIGEST: &str = "digest";
/// The same of one in lines ([`lines`]), which are told.
pub const DIGEST_LINES: &str = "digest-lines";
/// What a file takes in memory beside its path and what was read of it, about.
const FILE_BYTES: usize = 512;
/// What a host's claim takes beside its name, about.
const HOST_BYTES: usize = 64;
/// A digest file may inflate to this at most: the address space that a browser gives.
const DIGEST_LIMIT: u64 = 1 << 30;

/// How a file's times are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Clock {
    /// A wall clock without zone (log4j): needs the archive's offset.
    #[default]
    Local,
    /// Milliseconds since the epoch (history, strace -ttt).
    Epoch,
    /// Milliseconds since some midnight of the local zone (strace -tt): needs a date too.
    TimeOfDay,
}

/// Where a host's name was found, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum HostSource {
    /// `STARTUP_MSG:   host = NAME/IP`: this file's own host.
    Startup,
    /// `Starting tracker tracker_NAME:…`, or whoever gathered the log: this file's own host.
    Tracker,
    /// `name/ip` in any message: some host.
    Mention,
    /// Host whose metrics the file holds, or some of them: its own word.
    Metrics,
}

/// A host named in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostClaim {
    /// Where it stood.
    pub source: HostSource,
    /// The name.
    pub name: Box<str>,
    /// The address beside it.
    pub ip: Option<IpAddr>,
}

impl HostClaim {
    /// What it takes in memory, about: the same on every target, as it decides where reading ends.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        HOST_BYTES + self.name.len()
    }
}

/// What tells two files apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileKey {
    /// `archive/member path`.
    pub path: String,
    /// Length of the content in bytes.
    pub bytes: u64,
    /// CRC-32 of the content.
    pub crc: u32,
}

/// What was read of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Name of the format; empty where none was recognised.
    pub format: String,
    /// How its times are to be read.
    pub clock: Clock,
    /// First and last time in it, in its clock.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Lines (records for binary formats).
    pub lines: u64,
    /// Lines that fit the format.
    pub understood: u64,
    /// Lines that do not.
    pub skipped: u64,
    /// Hosts it names, sorted, each once, but that of its last banner before all others.
    pub hosts: Vec<HostClaim>,
    /// What was odd about it.
    pub issues: IssueTable,
    /// What its lines say.
    pub events: EventLog,
    /// Lines that fit the format and say nothing that is used; they are among the
    /// understood.
    pub unused: u64,
    /// When its records were written.
    pub density: Arc<Density>,
    /// What the lines that were skipped or not used look like.
    pub shapes: Shapes,
}

impl FileDigest {
    /// What it takes in memory under this key, about: the same on every target.
    #[must_use]
    pub fn memory_bytes(&self, key: &FileKey) -> usize {
        let hosts: usize = self.hosts.iter().map(HostClaim::bytes).sum();
        key.path.len() + self.events.bytes() + self.shapes.bytes() + hosts + FILE_BYTES
    }

    /// A total order of readings, fewest issues first.
    fn rank(&self) -> (usize, Vec<u8>) {
        (self.issues.iter().count(), postcard::to_stdvec(self).unwrap_or_default())
    }
}

/// All that was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    files: BTreeMap<FileKey, FileDigest>,
}

/// Why bytes are no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DigestError {
    /// The first bytes are not a digest's.
    #[error("not an oddnode digest")]
    NotADigest,
    /// Written by a later version.
    #[error("digest of version {found}, this program reads up to {known}")]
    Newer {
        /// Its version.
        found: u8,
        /// The newest known.
        known: u8,
    },
    /// Fewer bytes than announced.
    #[error("digest is cut after {found} bytes{}", expected.map(|n| format!(" of {n}")).unwrap_or_default())]
    Cut {
        /// Bytes there.
        found: u64,
        /// Bytes announced, where they are.
        expected: Option<u64>,
    },
    /// The content does not fit its checksum or layout.
    #[error("digest is damaged{}", at.map(|at| format!(" in what begins at byte {at}")).unwrap_or_default())]
    Damaged {
        /// Where the frame begins that does not, in a digest that is a file.
        at: Option<u64>,
    },
}

impl DigestError {
    /// The byte where it shows, 0 where that is not told.
    #[must_use]
    pub fn byte(&self) -> u64 {
        match self {
            Self::Damaged { at } => at.unwrap_or_default(),
            _ => 0,
        }
    }
}

/// Whether places in what is wrong with a file of this format are bytes.
#[must_use]
pub fn has_bytes(format: &str) -> bool {
    format == ARCHIVE || format == DIGEST
}

impl Digest {
    /// Adds a file. A second file of the same key has the same content; should it still
    /// have been read otherwise (its archive broke off right behind it), the reading
    /// with fewer issues stays, whichever came first.
    pub fn insert(&mut self, key: FileKey, file: FileDigest) {
        match self.files.entry(key) {
            Entry::Vacant(place) => {
                place.insert(file);
            }
            Entry::Occupied(mut place) => {
                if *place.get() != file {
                    let before = std::mem::take(place.get_mut());
                    place.insert(settle(before, file));
                }
            }
        }
    }

    /// Adds all files of `other`.
    pub fn merge(&mut self, other: Self) {
        for (key, file) in other.files {
            self.insert(key, file);
        }
    }

    /// Whether it holds this file.
    #[must_use]
    pub fn has(&self, key: &FileKey) -> bool {
        self.files.contains_key(key)
    }

    /// The files in order of path, length and checksum.
    pub fn files(&self) -> impl Iterator<Item = (&FileKey, &FileDigest)> {
        self.files.iter()
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The digest as a file's bytes: equal digests give equal bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let written = || {
            let mut out = FrameWriter::new(Vec::new())?;
            self.files.iter().try_for_each(|(key, file)| out.push(key, file))?;
            out.finish()
        };
        // Writing to a Vec does not fail.
        written().unwrap_or_default()
    }

    /// The digest for the next worker, in parts that are digests of some files each, so that what is
    /// encoded is gone before the next is: larger than a file's, and sooner there.
    pub fn into_parts(self) -> impl Iterator<Item = Vec<u8>> {
        parts_of(self.files.into_iter())
    }

    /// [`Digest::into_parts`] of some files of a digest that is kept.
    pub fn parts_of(&self, wanted: impl Fn(&FileDigest) -> bool) -> impl Iterator<Item = Vec<u8>> {
        parts_of(self.files.iter().filter(move |(_, file)| wanted(file)))
    }

    /// Reads what [`Digest::encode`] wrote.
    ///
    /// # Errors
    /// [`DigestError`] says whether the bytes are no digest, too new, cut or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, DigestError> {
        let mut digest = Self::default();
        let trouble = Self::each_whole(bytes, &mut |key, file| {
            digest.insert(key, file);
            true
        });
        trouble.map_or(Ok(digest), Err)
    }

    /// Gives what is whole of a digest that may be cut or damaged, file by file as long as `each` wants more, and says what
    /// is wrong as far as it was read.
    pub fn each_whole(bytes: &[u8], each: &mut dyn FnMut(FileKey, FileDigest) -> bool) -> Option<DigestError> {
        // Bytes in memory can always be read.
        let named = |why| match why {
            ReadError::Digest(why) => why,
            ReadError::Io(_) => DigestError::Damaged { at: None },
        };
        let reader = match FrameReader::new(bytes) {
            Ok(reader) => reader,
            Err(why) => return Some(named(why)),
        };
        for file in reader {
            match file {
                Ok((key, file)) => {
                    if !each(key, file) {
                        break;
                    }
                }
                Err(why) => return Some(named(why)),
            }
        }
        None
    }

    /// The files, given away.
    pub fn into_files(self) -> impl Iterator<Item = (FileKey, FileDigest)> {
        self.files.into_iter()
    }
}

/// Files in order as digests of some each.
fn parts_of<K: Borrow<FileKey>, F: Borrow<FileDigest>>(
    files: impl Iterator<Item = (K, F)>,
) -> impl Iterator<Item = Vec<u8>> {
    let mut files = files.peekable();
    std::iter::from_fn(move || {
        files.peek()?;
        // Writing to a Vec does not fail.
        let mut part = FrameWriter::passing(Vec::new()).ok()?;
        let mut bytes = 0;
        while let Some((key, file)) = files.next_if(|_| bytes < PART_BYTES) {
            let (key, file) = (key.borrow(), file.borrow());
            bytes += file.memory_bytes(key);
            part.push(key, file).ok()?;
        }
        part.finish().ok()
    })
}

/// Of two readings of one file the one that stays: that with fewer issues, whichever came
/// first.
fn settle(one: FileDigest, other: FileDigest) -> FileDigest {
    if one == other || one.rank() <= other.rank() { one } else { other }
}

/// The files of a digest whose rows are `F`.
fn files_of<F: DeserializeOwned + Into<FileDigest>>(plain: &[u8]) -> Option<BTreeMap<FileKey, FileDigest>> {
    let (files, rest) = postcard::take_from_bytes::<BTreeMap<FileKey, F>>(plain).ok()?;
    rest.is_empty().then(|| files.into_iter().map(|(key, file)| (key, file.into())).gathered())
}
