//! Dirty input is normal and never stops a parse: it is counted here and shown.
//!
//! One [`Code`] a phenomenon, with its severity, whose doing it is and the advice
//! that names the fix. Tables merge by addition, so any partition of the files
//! gives the same table.

mod about;

pub use about::{CodeAbout, Origin, Severity};

use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every kind of issue there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// A compressed or archive member ends before its end.
    Truncated,
    /// A compressed stream is damaged in the middle.
    CorruptStream,
    /// An archive header is damaged.
    CorruptArchive,
    /// An archive holds no file.
    EmptyArchive,
    /// A file with no bytes.
    EmptyFile,
    /// A file in a format that is not read.
    UnknownFormat,
    /// Archives in archives beyond the limit.
    NestedTooDeep,
    /// A stream grows beyond the allowed ratio or size.
    ExpandsTooMuch,
    /// A line longer than the limit; its head was read.
    LineTooLong,
    /// A line that does not fit its file's format.
    MalformedLine,
    /// A time that does not exist.
    BadTime,
    /// A history record that ends before its closing quote or brace.
    CutRecord,
    /// A history record that could not be decoded.
    BadRecord,
    /// An end without its begin (the begin may be in a log that is not there).
    EndWithoutBegin,
    /// A file whose node could not be told.
    UnknownNode,
    /// Log times without any epoch time to place them in a zone.
    ZoneUnknown,
    /// The same file twice (counted once).
    DuplicateFile,
    /// An archive or compressed file of a kind that is not unpacked.
    UnreadContainer,
    /// A sparse file in a tar whose map is damaged.
    SparseMember,
    /// A link in a tar.
    LinkNotFollowed,
    /// Bytes behind the end of an archive or compressed stream.
    TrailingData,
    /// More files in an archive than the limit.
    TooManyMembers,
    /// A digest that is cut or damaged.
    BadDigest,
    /// A digest of a later version.
    NewerDigest,
    /// Two hosts claim one address.
    AddressClaimedTwice,
    /// One log names two hosts as its own.
    TwoHostsInOneFile,
    /// A log lies in the folder, or has the file name, of another host than it names.
    HostAgainstPath,
    /// A short name fits several full ones.
    AmbiguousHost,
    /// A system call that began and never returned.
    CallWithoutEnd,
    /// More system calls than are kept one by one; the rest is summed up.
    CallsFolded,
    /// A trace of system calls whose times are not told, or only in steps.
    StraceWithoutTimes,
    /// A trace of system calls without the time spent in them.
    StraceWithoutDurations,
    /// Times of day without any dated log beside them, or with logs of several days.
    DateUnknown,
    /// A binary file of a sysstat version whose layout is not read.
    UnreadSysstat,
    /// Output of another system's sar, or of another tool of sysstat.
    ForeignMetrics,
    /// `sadf -d -h`: tables side by side of which only the first can be told from the others.
    TablesSideBySide,
    /// An encrypted file in a zip.
    EncryptedMember,
    /// A file that could not be opened or fetched.
    Unreadable,
    /// An input of which more was understood than is held.
    TooMuchToHold,
    /// Nodes of several clusters.
    SeveralClusters,
    /// A report, a one-file page or a link of ours among logs.
    SavedReport,
    /// A baseline of ours among logs.
    SavedBaseline,
    /// A key of pseudonyms among logs.
    SavedKey,
    /// A report for people or another result of ours among logs.
    SavedResult,
    /// A compressed stream that refers farther back than is held.
    WindowTooLarge,
    /// The rest of a file in a tar of several volumes.
    ContinuedMember,
    /// Metrics that differ from those of another file for the same node and time.
    MetricsDiffer,
    /// A log of Hadoop, by its name or its lines, in a layout that is not read.
    UnreadLog,
    /// A log that holds records of other processes too.
    MixedLog,
    /// A log of which many records are in another layout than the others.
    OtherLayout,
    /// A digest longer than is read.
    DigestTooLong,
    /// A job's history of 0 bytes.
    EmptyHistory,
    /// A date of which day and month may each be the other.
    AmbiguousDate,
    /// A log whose path alone names its host, which may be another that logs name.
    HostUncertain,
    /// A file whose bytes are all 0, as a machine that fell over leaves some.
    OnlyZeros,
    /// The log of a node whose clock was set forward meanwhile.
    ClockSet,
}

impl Code {
    /// The name in reports: the variant's, in kebab-case.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for c in format!("{self:?}").chars() {
            if c.is_ascii_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }

    /// The code of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, ValueError> = name.into_deserializer();
        Self::deserialize(name).ok()
    }

    /// Whether it stands for a file that oddnode itself wrote.
    #[must_use]
    pub const fn is_own_file(self) -> bool {
        matches!(self, Self::SavedReport | Self::SavedBaseline | Self::SavedKey | Self::SavedResult)
    }

    /// Whether the bytes end before their time; all before were read.
    #[must_use]
    pub const fn breaks_off(self) -> bool {
        matches!(self, Self::Truncated | Self::CorruptStream)
    }

    /// Where an archive has this issue, behind its text. Damage in a stream may begin before the byte that shows it.
    #[must_use]
    pub fn at_byte(self, byte: u64) -> String {
        if self == Self::CorruptStream { format!(" (noticed at byte {byte})") } else { format!(" at byte {byte}") }
    }
}

/// The first few places of an issue that are kept.
pub const PLACES_KEPT: usize = 3;

/// Counts of one issue code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueCount {
    /// How often it occurred.
    pub count: u64,
    /// The first lines where it did, ascending, or the bytes where the file is an archive; 0 stands for the file as
    /// a whole.
    pub lines: Vec<u64>,
}

/// Issues of one file, by code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueTable {
    counts: BTreeMap<Code, IssueCount>,
}

impl IssueTable {
    /// Counts one occurrence at `line` (0: the file as a whole).
    pub fn note(&mut self, code: Code, line: u64) {
        let entry = self.counts.entry(code).or_default();
        entry.count += 1;
        if entry.lines.len() < PLACES_KEPT {
            entry.lines.push(line);
        }
    }

    /// The issues in order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = (Code, &IssueCount)> {
        self.counts.iter().map(|(code, count)| (*code, count))
    }

    /// How often `code` occurred.
    #[must_use]
    pub fn count(&self, code: Code) -> u64 {
        self.counts.get(&code).map_or(0, |c| c.count)
    }

    /// The first place of `code`.
    #[must_use]
    pub fn first_place(&self, code: Code) -> Option<u64> {
        self.counts.get(&code)?.lines.first().copied()
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
