//! Log formats: one format, one file. A format recognises its files by their content
//! (and, weaker, by their path), and turns lines into [`Event`]s. It knows nothing of
//! other files.
//!
//! Adding a format: its file here, a sample and snapshot under `tests/logs/<format>/`,
//! one line in [`FORMATS`]. `tests/formats.rs` walks the registry and fails if one is
//! missing.

pub mod address;
pub mod am_syslog;
pub mod avro;
pub mod avro_schema;
pub mod bystanders;
pub mod clienttrace;
pub mod complaints;
pub mod counters;
pub mod daemon;
pub mod datanode;
pub mod fetches;
pub mod history;
pub mod hosts;
pub mod instants;
pub mod jhist;
pub mod jhist_counters;
pub mod jhist_events;
pub mod jhist_fields;
pub mod job_conf;
pub mod job_summary;
pub mod jobhistory_v1;
pub mod json;
pub mod kind;
pub mod log4j;
pub mod masters;
pub mod metrics;
pub mod nodemanager;
mod own;
mod progress;
mod prose;
pub mod reader;
pub mod rumen;
pub mod sa;
pub mod sadf_d;
pub mod sadf_j;
pub mod sadf_p;
pub mod sadf_x;
pub mod sar;
pub mod sar_foreign;
mod sar_time;
pub mod shape;
mod side_by_side;
pub mod spark;
pub mod spark_events;
mod strace;
pub mod strace_calls;
pub mod strace_count;
pub mod sysstat_time;
pub mod task_syslog;
pub mod tasktracker;
pub mod truth;
mod unread;
pub mod wrapped;
mod writers;

pub use crate::source::Line;
pub use reader::FileReader;

use crate::base::{Code, Timestamp, bytes};
use crate::model::{Clock, Density, Event, EventWriter, FileDigest, HostClaim, HostSource};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All formats, most specific first; the surest one wins, the first of equals.
pub static FORMATS: &[&dyn Format] = &[
    &jhist::Jhist,
    &jobhistory_v1::JobHistoryV1,
    &am_syslog::AmSyslog,
    &task_syslog::TaskSyslog,
    &tasktracker::TaskTracker,
    &datanode::DataNode,
    &nodemanager::NodeManager,
    &spark::SparkEvents,
    &rumen::Trace,
    &rumen::Topology,
    &job_conf::JobConfXml,
    &job_summary::JobSummary,
    &truth::Truth,
    &masters::JOBTRACKER,
    &masters::NAMENODE,
    &masters::SECONDARYNAMENODE,
    &masters::RESOURCEMANAGER,
    &masters::HISTORYSERVER,
    &strace_calls::EPOCH,
    &strace_calls::TIME_OF_DAY,
    &strace_count::StraceCount,
    &strace_calls::UNTIMED,
    &sadf_d::SadfD,
    &sadf_p::SadfP,
    &sadf_j::SadfJ,
    &sadf_x::SadfX,
    &sar::Sar,
    &sa::Sa,
    &sar_foreign::SarForeign,
    &bystanders::CHECKSUM,
    &bystanders::LOG_INDEX,
    &bystanders::CONTAINER_LAUNCH,
    &bystanders::DAEMON_OUTPUT,
    &bystanders::TASK_OUTPUT,
    &bystanders::OTHER_PROCESS,
];

/// Whether a format wants lines or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feed {
    /// [`Parse::line`] is called.
    Lines,
    /// [`Parse::bytes`] is called.
    Bytes,
}

/// What there is to know about a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatAbout {
    /// The name used in coverage (`tasktracker`, `datanode`, `jobhistory-v1`, `jhist`, …).
    pub name: &'static str,
    /// What a person would call it.
    pub title: &'static str,
    /// Hadoop versions that write it.
    pub versions: &'static str,
    /// The class that writes it.
    pub written_by: &'static str,
    /// Whether lines or bytes are wanted.
    pub feed: Feed,
    /// How its times are read.
    pub clock: Clock,
    /// Real lines that it must understand (parsed by a test).
    pub samples: &'static [&'static str],
}

impl FormatAbout {
    /// Of lines with local times, as most logs are.
    const fn of_lines(
        name: &'static str,
        title: &'static str,
        versions: &'static str,
        written_by: &'static str,
        samples: &'static [&'static str],
    ) -> Self {
        Self { name, title, versions, written_by, feed: Feed::Lines, clock: Clock::Local, samples }
    }
}

/// The beginning of a file.
#[derive(Clone, Debug)]
pub struct Head<'a> {
    /// `archive/member path`; a hint only, a file may lie under any name.
    pub path: &'a str,
    /// Its first bytes, at most [`HEAD_BYTES`], or [`WIDE_HEAD_BYTES`] where those tell nothing.
    pub bytes: &'a [u8],
    /// More of them can be had.
    goes_on: bool,
    /// What [`kind::of`] says, once one of the log4j formats has asked.
    log4j: OnceCell<Option<(kind::Kind, Confidence)>>,
}

impl<'a> Head<'a> {
    /// The beginning of the file at this path.
    #[must_use]
    pub const fn new(path: &'a str, bytes: &'a [u8]) -> Self {
        Self { path, bytes, goes_on: false, log4j: OnceCell::new() }
    }

    /// The same, of which more can be had if it `goes_on` and no format knows it.
    #[must_use]
    pub const fn going_on(mut self, goes_on: bool) -> Self {
        self.goes_on = goes_on;
        self
    }

    /// Its lines; the last may be cut.
    pub fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        bytes::lines(self.bytes)
    }

    /// Who wrote its log4j lines, if any did.
    #[must_use]
    pub fn writer(&self) -> Option<(kind::Kind, Confidence)> {
        *self.log4j.get_or_init(|| kind::of(self))
    }
}

/// How much of a file [`Format::sniff`] sees.
pub const HEAD_BYTES: usize = 4096;
/// How much it sees of a file that no format knows by so little: one that begins inside of a long
/// trace or value, or in lines that any process may write.
pub const WIDE_HEAD_BYTES: usize = 64 << 10;

/// How sure a format is that a file is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Not this format.
    No,
    /// Could be; the content is not against it.
    Maybe,
    /// The content says so, weakly (or the path does and the content agrees).
    Likely,
    /// The content says so.
    Sure,
}

/// A log format.
pub trait Format: Sync {
    /// What it is.
    fn about(&self) -> &'static FormatAbout;
    /// Whether a file that begins so is of this format. No side effect.
    fn sniff(&self, head: &Head<'_>) -> Confidence;
    /// A parser for one file.
    fn start(&self, path: &str) -> Box<dyn Parse>;
}

/// A parser in the middle of a file.
pub trait Parse {
    /// Takes the next line ([`Feed::Lines`]). Exactly one of [`Out::understood`] and
    /// [`Out::skipped`] is to be called for each.
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        out.skipped(Code::MalformedLine, line.number);
    }
    /// Takes the next bytes ([`Feed::Bytes`]).
    fn bytes(&mut self, _bytes: &[u8], _out: &mut Out<'_>) {}
    /// The file is over.
    fn end(self: Box<Self>, _out: &mut Out<'_>) {}
}

/// What is gathered of a file until it is over.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What its lines say.
    pub events: EventWriter,
    /// Hosts that are named, each once.
    pub hosts: BTreeSet<HostClaim>,
    /// The one by whose name the file's daemon started last.
    last_started: Option<HostClaim>,
    /// What these take in memory.
    host_bytes: usize,
    /// When its records were written.
    pub density: Density,
}

impl Gathered {
    /// What it takes in memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.events.bytes() + self.host_bytes
    }

    /// The file is over.
    pub fn settle(self, digest: &mut FileDigest) {
        digest.events = self.events.finish();
        digest.hosts = self.hosts.into_iter().collect();
        let last = digest.hosts.iter().position(|claim| Some(claim) == self.last_started.as_ref());
        if let Some(until_last) = last.and_then(|at| digest.hosts.get_mut(..=at)) {
            until_last.rotate_right(1);
        }
        digest.density = Arc::new(self.density);
    }
}

/// Where a parser puts what it finds.
#[derive(Debug)]
pub struct Out<'a> {
    digest: &'a mut FileDigest,
    gathered: &'a mut Gathered,
}

impl<'a> Out<'a> {
    /// An output into `digest`, and into what settles there once the file is over.
    pub const fn new(digest: &'a mut FileDigest, gathered: &'a mut Gathered) -> Self {
        Self { digest, gathered }
    }

    /// A line (or record) fits the format.
    pub fn understood(&mut self) {
        self.digest.lines += 1;
        self.digest.understood += 1;
    }

    /// A line fits the format and says nothing that is used.
    pub fn unused(&mut self) {
        self.understood();
        self.digest.unused += 1;
    }

    /// A line (or record) does not fit the format; counted under `code`, its place kept.
    pub fn skipped(&mut self, code: Code, line: u64) {
        self.digest.lines += 1;
        self.digest.skipped += 1;
        self.digest.issues.note(code, line);
    }

    /// All lines that are read meanwhile stand in one of the file's, and count as that: understood where all of them are.
    pub fn as_one_line(&mut self, read: impl FnOnce(&mut Self)) {
        let [lines, understood, unused, skipped] = self.counts();
        read(self);
        let [_, of_it, unused_of_it, skipped_of_it] = self.counts();
        let fits = skipped_of_it == skipped;
        let says_nothing = unused_of_it - unused == of_it - understood;
        self.digest.lines = lines + 1;
        self.digest.understood = understood + u64::from(fits);
        self.digest.unused = unused + u64::from(fits && says_nothing);
        self.digest.skipped = skipped + u64::from(!fits);
    }

    const fn counts(&self) -> [u64; 4] {
        let digest = &self.digest;
        [digest.lines, digest.understood, digest.unused, digest.skipped]
    }

    /// Something is odd about a line that is counted otherwise.
    pub fn issue(&mut self, code: Code, line: u64) {
        self.digest.issues.note(code, line);
    }

    /// The file's times are of this clock, whatever its format's usually are.
    pub const fn clock(&mut self, clock: Clock) {
        self.digest.clock = clock;
    }

    /// A line's time, in the file's clock: widens the file's span, and counts where it lies.
    pub fn time(&mut self, at: Timestamp) {
        self.gathered.density.note(at);
        self.digest.span = Some(match self.digest.span {
            Some((first, last)) => (first.min(at), last.max(at)),
            None => (at, at),
        });
    }

    /// What a line says.
    pub fn event(&mut self, line: u64, at: Timestamp, event: &Event) {
        self.gathered.events.push(line, at, event);
    }

    /// How many lines so far were skipped, and how many not used.
    #[must_use]
    pub const fn unknown(&self) -> (u64, u64) {
        (self.digest.skipped, self.digest.unused)
    }

    /// A host is named.
    pub fn host(&mut self, claim: HostClaim) {
        let bytes = claim.bytes();
        if claim.source == HostSource::Startup {
            self.gathered.last_started = Some(claim.clone());
        }
        if self.gathered.hosts.insert(claim) {
            self.gathered.host_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Row;

    /// What `format` reads in `text`, bytes in pieces of 5.
    pub fn read(format: &dyn Format, path: &str, text: &[u8]) -> FileDigest {
        let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
        let mut out = Out::new(&mut digest, &mut gathered);
        let mut parse = format.start(path);
        if format.about().feed == Feed::Bytes {
            text.chunks(5).for_each(|piece| parse.bytes(piece, &mut out));
        } else {
            for (number, line) in (1..).zip(text.split_inclusive(|b| *b == b'\n')) {
                let ended = line.ends_with(b"\n");
                let bytes = line.strip_suffix(b"\n").unwrap_or(line);
                parse.line(Line { number, offset: 0, bytes, cut: false, ended }, &mut out);
            }
        }
        parse.end(&mut out);
        gathered.settle(&mut digest);
        digest
    }

    /// The rows that `format` reads in `text`.
    pub fn rows(format: &dyn Format, text: &str) -> Vec<Row> {
        read(format, "x", text.as_bytes()).events.iter().collect()
    }
}
