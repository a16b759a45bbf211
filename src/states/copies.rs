//! The same log twice: in two archives, under two paths, or copied once while it was
//! still written to. It counts once.
//!
//! Two files are the same if length and checksum agree, unless they lie in one archive and
//! only their folders tell whose they are. A file is the beginning of a
//! longer one if both are of one format and begin at the same time, the longer one lasts
//! at least as long, and most rows of the shorter one stand at the same line, at the same
//! time and with the same words in the longer one. A digest has no more to go by; two
//! logs that are not copies do not share a row, since rows name attempts and blocks at
//! a line and a millisecond. Not all rows need agree: at the cut a log's parser gives out
//! what it still awaits.
//!
//! Of the same files that one stays which was read with the fewest issues, then the
//! first by path; of beginnings the longest. Rotated files begin at different times.
//!
//! Cost: O(files · log files); rows are read only of files that begin at the same time, the
//! first ones of each, and all only of two that begin alike.

use super::clock::archive_of;
use super::hosts::{LAST_RESORT, name_in_file_name};
use crate::base::{Arrange, Timestamp};
use crate::model::{Clock, Digest, Event, FileDigest, FileKey, HostClaim, HostSource, Row};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Longer files that one is held against: all that begin in the same millisecond, but
/// for hostile input.
const HELD_AGAINST: usize = 16;
/// Rows that are compared before all are.
const FIRST_ROWS: usize = 256;

/// A file and what was read of it.
pub(super) type File<'a> = (&'a FileKey, &'a FileDigest);

/// Why a file does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copy {
    /// The file that counts in its place, by its number in the digest.
    pub(super) of: usize,
    /// It is the beginning of that file only.
    pub(super) beginning: bool,
}

/// The copies among the files of a digest.
#[derive(Debug, Default)]
pub(super) struct Copies {
    by_file: BTreeMap<usize, Copy>,
}

impl Copies {
    /// Finds them.
    #[inline(never)]
    pub(super) fn find(digest: &Digest) -> Self {
        let files: Vec<File<'_>> = digest.files().collect();
        let mut copies = Self::default();
        let mut same: BTreeMap<(u64, u32), Vec<usize>> = BTreeMap::new();
        // What is wrong with an archive is told in rows without lines; those never count twice.
        let logs = files.iter().enumerate().filter(|(_, (_, file))| !file.format.is_empty() && file.lines > 0);
        for (i, (key, _)) in logs {
            same.entry((key.bytes, key.crc)).or_default().push(i);
        }
        let mut begins: BTreeMap<(&str, Clock, Timestamp), Vec<usize>> = BTreeMap::new();
        for group in same.values() {
            let issues = |i: &usize| files.get(*i).map_or(0, |(_, file)| file.issues.iter().count());
            let Some(kept) = group.iter().copied().min_by_key(|i| (issues(i), *i)) else { continue };
            for i in group.iter().copied() {
                let (Some(file), Some(first)) = (files.get(i), files.get(kept)) else { continue };
                if i != kept && are_one_log(file, first) {
                    copies.by_file.insert(i, Copy { of: kept, beginning: false });
                } else if let Some((begin, _)) = file.1.span.filter(|_| !file.1.events.is_empty()) {
                    begins.entry((file.1.format.as_str(), file.1.clock, begin)).or_default().push(i);
                }
            }
        }
        for group in begins.into_values().filter(|group| group.len() > 1) {
            copies.find_beginnings(&files, group);
        }
        copies.follow();
        copies
    }

    /// Finds the beginnings among files of one format that begin at the same time.
    fn find_beginnings(&mut self, files: &[File<'_>], mut group: Vec<usize>) {
        let bytes = |i: &usize| files.get(*i).map_or(0, |(key, _)| key.bytes);
        group.arrange_by(|i| (std::cmp::Reverse(bytes(i)), *i));
        let mut longer: Vec<(usize, &File<'_>, Rows<'_>)> = Vec::new();
        for i in group {
            let Some(file) = files.get(i) else { continue };
            let rows = Rows::of(file.1);
            let is_begun = |(_, longer, all): &&(usize, &File<'_>, Rows<'_>)| {
                are_one_log(file, longer) && may_begin(file.1, longer.1) && rows.begin(all)
            };
            match longer.iter().find(is_begun) {
                Some((of, ..)) => _ = self.by_file.insert(i, Copy { of: *of, beginning: true }),
                None if longer.len() < HELD_AGAINST => longer.push((i, file, rows)),
                None => {}
            }
        }
    }

    /// A copy of a beginning is a copy of the whole.
    fn follow(&mut self) {
        let next = self.by_file.clone();
        for copy in self.by_file.values_mut() {
            while let Some(further) = next.get(&copy.of) {
                copy.of = further.of;
                copy.beginning |= further.beginning;
            }
        }
    }

    /// Whether file number `i` is a copy, and of what.
    pub(super) fn get(&self, i: usize) -> Option<Copy> {
        self.by_file.get(&i).copied()
    }

    /// The files of a digest that count.
    pub(super) fn originals<'a>(&self, digest: &'a Digest) -> Vec<File<'a>> {
        digest.files().enumerate().filter(|(i, _)| !self.by_file.contains_key(i)).map(|(_, file)| file).collect()
    }

    /// Each copy with the file that counts in its place.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.by_file.iter().map(|(i, copy)| (*i, copy.of))
    }
}

/// Formats whose content says all: a copy is one wherever it lies.
const SELF_TOLD: [&str; 7] =
    ["jhist", "jobhistory-v1", "job-summary", "job-conf", "rumen-trace", "rumen-topology", "spark-events"];

/// Whether nothing but a file's folder tells its host: equal traces in two folders of one
/// archive are those of two machines.
fn is_told_by_folder((key, file): &File<'_>) -> bool {
    let is_name = |claim: &HostClaim| claim.source != HostSource::Mention && claim.name.as_ref() != LAST_RESORT;
    let names_host = file.hosts.iter().any(is_name) || name_in_file_name(&key.path).is_some();
    !names_host && !SELF_TOLD.contains(&file.format.as_str())
}

/// Whether two files of equal content, or of which one begins as the other, are one log.
fn are_one_log(a: &File<'_>, b: &File<'_>) -> bool {
    let apart = archive_of(&a.0.path) != archive_of(&b.0.path);
    apart || !is_told_by_folder(a) || !is_told_by_folder(b)
}

/// Whether the lengths of `file` and `longer` let it be what the longer one was when it was copied.
fn may_begin(file: &FileDigest, longer: &FileDigest) -> bool {
    let last = |file: &FileDigest| file.span.map(|(_, last)| last);
    file.lines <= longer.lines && last(file) <= last(longer)
}

/// The rows of a file: each one's hash and line, by hash. The hash covers line, time and
/// words; of 64 bits, it tells a million rows apart.
struct Rows<'a> {
    file: &'a FileDigest,
    first: Vec<(u64, u64)>,
    all: OnceCell<Vec<(u64, u64)>>,
}

impl<'a> Rows<'a> {
    fn of(file: &'a FileDigest) -> Self {
        Self { file, first: hashes(file.events.iter().take(FIRST_ROWS)), all: OnceCell::new() }
    }

    fn all(&self) -> &[(u64, u64)] {
        self.all.get_or_init(|| hashes(self.file.events.iter()))
    }

    /// Whether most of these rows stand in `longer` too. Where the first ones do not, the rest is
    /// not looked at: a cut is at the end.
    fn begin(&self, longer: &Self) -> bool {
        self.most_stand_in(&self.first, &longer.first) && self.most_stand_in(self.all(), longer.all())
    }

    /// The last of the file's lines may be cut.
    #[inline(never)]
    fn most_stand_in(&self, own: &[(u64, u64)], longer: &[(u64, u64)]) -> bool {
        let (mut all, mut common) = (0_usize, 0_usize);
        for (hash, _) in own.iter().filter(|(_, line)| *line < self.file.lines) {
            all += 1;
            common += usize::from(longer.binary_search_by_key(hash, |(hash, _)| *hash).is_ok());
        }
        all > 0 && 2 * common >= all
    }
}

#[inline(never)]
fn hashes(rows: impl Iterator<Item = Row>) -> Vec<(u64, u64)> {
    let hash = |row: Row| {
        let line = row.line;
        let mut hasher = DefaultHasher::new();
        postcard::to_stdvec(&without_later_words(row)).ok()?.hash(&mut hasher);
        Some((hasher.finish(), line))
    };
    let mut rows: Vec<(u64, u64)> = rows.filter_map(hash).collect();
    rows.sort_unstable();
    rows.dedup_by_key(|(hash, _)| *hash);
    rows
}

/// A row without what a later line of the log tells.
fn without_later_words(mut row: Row) -> Row {
    if let Event::Fetched { host, .. } = &mut row.event {
        *host = None;
    }
    row
}
