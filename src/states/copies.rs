//! The same log twice: in two archives, under two paths, copied once while it was
//! still written to, or its end alone (`tail -n`). It counts once.
//!
//! Two files are the same if length and checksum agree, unless they lie in one archive and
//! only their folders tell whose they are, none of them an attempt's or a container's. A file is the beginning of a
//! longer one if both are of one format and begin at the same time, the longer one lasts
//! at least as long, and most rows of the shorter one stand at the same line, at the same
//! time and with the same words in the longer one. A digest has no more to go by; two
//! logs that are not copies do not share a row, since rows name attempts and blocks at
//! a line and a millisecond. Rows of metrics do not: those of idle machines may be alike to the last, and
//! tell whose they are. So files that name hosts of which none is the other's are two logs. Not all rows
//! need agree: at the cut a log's parser gives out what it still awaits. A daemon's log is the end of a
//! longer one by the same rule, with its lines counted from the end, if both are of one host by their
//! names: thousands of tasks' logs may end at once.
//!
//! Of the same files that one stays which was read with the fewest issues, then the
//! first by path; of parts the longest. Rotated files begin and end at different times.
//!
//! Cost: O(files · log files); rows are read only of files that begin or end at the same time, the
//! first ones of each that begin so, and all only of two that begin alike.

use super::clock::archive_of;
use super::hosts::{daemon_and_host, is_of_nobody};
use crate::base::{Arrange, Timestamp};
use crate::model::{Clock, Digest, Event, FileDigest, FileKey, HostClaim, HostSource, Row, formats};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Longer files that one is held against: all that begin, or end, in the same millisecond, but
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
    /// It is a part of that file only.
    pub(super) part: Option<Part>,
}

/// Which part of a longer file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// It was copied while the log was still written to.
    Beginning,
    /// What came before is not in it.
    End,
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
        // Those that begin at one time, and those of a host that end so: beginnings first.
        let mut alike: BTreeMap<(Part, &str, Clock, Timestamp, &str), Vec<usize>> = BTreeMap::new();
        for group in same.values() {
            let issues = |i: &usize| files.get(*i).map_or(0, |(_, file)| file.issues.iter().count());
            let Some(kept) = group.iter().copied().min_by_key(|i| (issues(i), *i)) else { continue };
            for i in group.iter().copied() {
                let (Some(file), Some(first)) = (files.get(i), files.get(kept)) else { continue };
                if i != kept && are_one_log(file, first) {
                    copies.by_file.insert(i, Copy { of: kept, part: None });
                } else if let Some((begin, end)) = file.1.span.filter(|_| !file.1.events.is_empty()) {
                    let of_host = daemon_and_host(&file.0.path).map(|(_, host)| (Part::End, end, host));
                    for (part, at, host) in [(Part::Beginning, begin, "")].into_iter().chain(of_host) {
                        alike.entry((part, &file.1.format, file.1.clock, at, host)).or_default().push(i);
                    }
                }
            }
        }
        for ((part, ..), mut group) in alike {
            group.retain(|i| !copies.by_file.contains_key(i));
            if group.len() > 1 {
                copies.find_parts(&files, group, part);
            }
        }
        copies.follow();
        copies
    }

    /// Finds the parts among files of one format that begin, or end, at the same time.
    fn find_parts(&mut self, files: &[File<'_>], mut group: Vec<usize>, part: Part) {
        let bytes = |i: &usize| files.get(*i).map_or(0, |(key, _)| key.bytes);
        group.arrange_by(|i| (std::cmp::Reverse(bytes(i)), *i));
        let mut longer: Vec<(usize, &File<'_>, Rows<'_>)> = Vec::new();
        for i in group {
            let Some(file) = files.get(i) else { continue };
            let rows = Rows::of(file.1);
            let is_whole = |(_, longer, all): &&(usize, &File<'_>, Rows<'_>)| {
                are_one_log(file, longer) && may_be(part, file.1, longer.1) && rows.are(part, all)
            };
            match longer.iter().find(is_whole) {
                Some((of, ..)) => _ = self.by_file.insert(i, Copy { of: *of, part: Some(part) }),
                None if longer.len() < HELD_AGAINST => longer.push((i, file, rows)),
                None => {}
            }
        }
    }

    /// A copy of a part is a copy of the whole.
    fn follow(&mut self) {
        let next = self.by_file.clone();
        for copy in self.by_file.values_mut() {
            while let Some(further) = next.get(&copy.of) {
                copy.of = further.of;
                copy.part = copy.part.or(further.part);
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

/// The hosts that a file itself says it is of.
fn own_hosts(file: &FileDigest) -> impl Iterator<Item = &str> {
    let is_own = |claim: &&HostClaim| claim.source != HostSource::Mention && !is_of_nobody(&claim.name);
    file.hosts.iter().filter(is_own).map(|claim| &*claim.name)
}

/// Whether nothing but a file's folder tells its host: equal traces in two folders of one
/// archive are those of two machines.
fn is_told_by_folder((key, file): &File<'_>) -> bool {
    let names_host = own_hosts(file).next().is_some() || daemon_and_host(&key.path).is_some();
    // What tells of jobs says all itself: a copy is one wherever it lies.
    !names_host && !formats::OF_JOBS.contains(&file.format.as_str())
}

/// Whether two files of equal content, or of which one begins or ends as the other, are one log.
fn are_one_log(a: &File<'_>, b: &File<'_>) -> bool {
    let apart = archive_of(&a.0.path) != archive_of(&b.0.path);
    let of_one_process = || process_of(&a.0.path).is_some_and(|process| process_of(&b.0.path) == Some(process));
    let names: Vec<&str> = own_hosts(a.1).collect();
    let mut others = own_hosts(b.1).peekable();
    if !names.is_empty() && others.peek().is_some() && !others.any(|name| names.contains(&name)) {
        return false;
    }
    apart || !is_told_by_folder(a) || !is_told_by_folder(b) || of_one_process()
}

/// The attempt or container in whose folder a file lies: its id is of one machine.
fn process_of(path: &str) -> Option<&str> {
    let is_process = |folder: &&str| folder.starts_with("attempt_") || folder.starts_with("container_");
    path.rsplit('/').skip(1).find(is_process)
}

/// Whether the lengths of `file` and `longer` let it be such a part of the longer one.
fn may_be(part: Part, file: &FileDigest, longer: &FileDigest) -> bool {
    let ((first, last), (longer_first, longer_last)) = (file.span.unzip(), longer.span.unzip());
    let within = match part {
        Part::Beginning => last <= longer_last,
        Part::End => first >= longer_first,
    };
    file.lines <= longer.lines && within
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
        Self { file, first: hashes(file.events.iter().take(FIRST_ROWS), 0), all: OnceCell::new() }
    }

    fn all(&self) -> &[(u64, u64)] {
        self.all.get_or_init(|| hashes(self.file.events.iter(), 0))
    }

    /// Whether most of these rows stand in that part of `longer` too. Where the first ones of a beginning do not,
    /// the rest is not looked at: a cut is at the end.
    fn are(&self, part: Part, longer: &Self) -> bool {
        match part {
            Part::Beginning => {
                // The last of the file's lines may be cut.
                let whole = self.file.lines;
                most_stand_in(&self.first, whole, &longer.first) && most_stand_in(self.all(), whole, longer.all())
            }
            Part::End => {
                let before = longer.file.lines - self.file.lines.min(longer.file.lines);
                most_stand_in(&hashes(self.file.events.iter(), before), u64::MAX, longer.all())
            }
        }
    }
}

/// Whether most rows of lines before `end` stand among others.
#[inline(never)]
fn most_stand_in(rows: &[(u64, u64)], end: u64, others: &[(u64, u64)]) -> bool {
    let (mut all, mut common) = (0_usize, 0_usize);
    for (hash, _) in rows.iter().filter(|(_, line)| *line < end) {
        all += 1;
        common += usize::from(others.binary_search_by_key(hash, |(hash, _)| *hash).is_ok());
    }
    all > 0 && 2 * common >= all
}

/// The hashes of rows that stand behind so many lines more, with their lines.
#[inline(never)]
fn hashes(rows: impl Iterator<Item = Row>, before: u64) -> Vec<(u64, u64)> {
    let hash = |mut row: Row| {
        // Of a log that goes on the next line may tell that it ended; whose metrics they are, two files of one host both
        // tell, of whatever tables; and daemons may be started anew side by side.
        match &row.event {
            Event::FetchOpen { .. } | Event::MetricsHost { .. } | Event::Processors { .. } => return None,
            Event::Complaint(said) if said.kind.is_start() => return None,
            _ => {}
        }
        let line = row.line;
        row.line = line.saturating_add(before);
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
