//! The same log twice: in two archives, under two paths, or copied once while it was
//! still written to. It counts once.
//!
//! Two files are the same if length and checksum agree, and, where neither content nor file
//! name tells their host, the name of their folder. A file is the beginning of a
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
//! Cost: O(files · log files); rows are read only of files that begin at the same time.

use super::hosts::{LAST_RESORT, name_in_file_name};
use crate::base::Timestamp;
use crate::model::{Clock, Digest, Event, FileDigest, FileKey, HostSource, Row};
use std::collections::{BTreeMap, BTreeSet};

/// Longer files that one is held against: all that begin in the same millisecond, but
/// for hostile input.
const HELD_AGAINST: usize = 16;

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
    pub(super) fn find(digest: &Digest) -> Self {
        let files: Vec<File<'_>> = digest.files().collect();
        let mut copies = Self::default();
        let mut same: BTreeMap<(u64, u32, &str), Vec<usize>> = BTreeMap::new();
        // What is wrong with an archive is told in rows without lines; those never count twice.
        let logs = files.iter().enumerate().filter(|(_, (_, file))| !file.format.is_empty() && file.lines > 0);
        for (i, (key, file)) in logs {
            same.entry((key.bytes, key.crc, place_of(&key.path, file))).or_default().push(i);
        }
        let mut begins: BTreeMap<(&str, Clock, Timestamp, &str), Vec<usize>> = BTreeMap::new();
        for group in same.values() {
            let issues = |i: &usize| files.get(*i).map_or(0, |(_, file)| file.issues.iter().count());
            let Some(kept) = group.iter().copied().min_by_key(|i| (issues(i), *i)) else { continue };
            for i in group.iter().filter(|i| **i != kept) {
                copies.by_file.insert(*i, Copy { of: kept, beginning: false });
            }
            if let Some((key, file)) = files.get(kept)
                && let Some((first, _)) = file.span
                && !file.events.is_empty()
            {
                begins
                    .entry((file.format.as_str(), file.clock, first, place_of(&key.path, file)))
                    .or_default()
                    .push(kept);
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
        group.sort_by_key(|i| (std::cmp::Reverse(bytes(i)), *i));
        let mut longer: Vec<usize> = Vec::new();
        for i in group {
            let Some((_, file)) = files.get(i) else { continue };
            let of = longer
                .iter()
                .take(HELD_AGAINST)
                .copied()
                .find(|of| files.get(*of).is_some_and(|(_, longer)| is_beginning(file, longer)));
            match of {
                Some(of) => _ = self.by_file.insert(i, Copy { of, beginning: true }),
                None => longer.push(i),
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

/// What tells a file apart beside its content: nothing where the content or the file's name
/// names its host; else its folder, since equal traces of two machines are no copies.
fn place_of<'a>(path: &'a str, file: &FileDigest) -> &'a str {
    let names_host =
        file.hosts.iter().any(|claim| claim.source != HostSource::Mention && claim.name.as_ref() != LAST_RESORT);
    if SELF_TOLD.contains(&file.format.as_str()) || names_host || name_in_file_name(path).is_some() {
        return "";
    }
    path.rsplit('/').nth(1).unwrap_or_default()
}

/// Whether `file` may be what `longer` was when it was copied.
fn is_beginning(file: &FileDigest, longer: &FileDigest) -> bool {
    let last = |file: &FileDigest| file.span.map(|(_, last)| last);
    if file.lines > longer.lines || last(file) > last(longer) {
        return false;
    }
    // Its last line may be cut.
    let rows = |of: &FileDigest| -> BTreeSet<Vec<u8>> {
        let before = of.events.iter().filter(|row| row.line < file.lines);
        before.filter_map(|row| postcard::to_stdvec(&without_later_words(row)).ok()).collect()
    };
    let (own, others) = (rows(file), rows(longer));
    !own.is_empty() && 2 * own.intersection(&others).count() >= own.len()
}

/// A row without what a later line of the log tells.
fn without_later_words(mut row: Row) -> Row {
    if let Event::Fetched { host, .. } = &mut row.event {
        *host = None;
    }
    row
}
