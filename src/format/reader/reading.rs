//! What is read of a file, or of one process's lines in a file of several.

use crate::base::{Code, QUARTER_HOUR_MS, Timestamp, ZONE_LIMIT_MS};
use crate::format::shape::Folder;
use crate::format::{Format, Gathered, Head, Out, Parse, log4j, unread};
use crate::model::{Clock, Event, FileDigest, Unknown};
use crate::source::Line;

/// A log was modified at its last line or so long behind it, or it was some other file of which the time is told.
const MODIFIED_MS: i64 = 120_000;
/// Whoever takes the lines of a process has them by then.
const TAKEN_MS: i64 = 20_000;

/// What is read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) digest: FileDigest,
    pub(super) gathered: Gathered,
    pub(super) folder: Folder,
    /// It is in no known format, and looks like a log all the same.
    pub(super) is_log: bool,
    /// What makes its times UTC, in milliseconds, where a zone stands behind them.
    zone_ms: Option<i64>,
    /// The times in UTC at which its first and its last line came, by whoever took them.
    pub(super) taken: Option<(Timestamp, Timestamp)>,
}

impl Reading {
    pub(super) const fn out(&mut self) -> Out<'_> {
        Out::new(&mut self.digest, &mut self.gathered)
    }

    /// It is in this format, by its head: what reads it.
    pub(super) fn begin(&mut self, format: &dyn Format, head: &Head<'_>) -> Box<dyn Parse> {
        let about = format.about();
        about.name.clone_into(&mut self.digest.format);
        self.digest.clock = about.clock;
        let mut dated = head.lines().map(|line| line.strip_prefix(b"[").unwrap_or(line));
        self.zone_ms = dated.find(|line| log4j::second_of(line).is_some()).and_then(log4j::zone_of);
        format.start(head.path)
    }

    /// Counts a line that nobody understands.
    pub(super) fn count(&mut self, line: Line<'_>) {
        self.digest.lines += 1;
        self.digest.skipped += 1;
        self.folder.note_foreign(line.bytes, line.number);
    }

    /// The file, of this path and so many bytes, is over; it was modified then, by the clock of some zone and in UTC.
    pub(super) fn settle(self, path: &str, bytes: u64, modified: Option<(Timestamp, Timestamp)>) -> FileDigest {
        let Self { mut digest, mut gathered, folder, is_log, zone_ms, taken } = self;
        if let (Some(span), Clock::Local) = (digest.span, digest.clock) {
            let last = || taken.and_then(|taken| taken_at(span, taken)).or_else(|| written_by(span.1, modified?));
            let told = match zone_ms {
                Some(ms) => Some((1, span.0, span.0.plus_millis(ms))),
                None => last().map(|epoch| (digest.lines, span.1, epoch)),
            };
            if let Some((line, at, epoch)) = told {
                gathered.events.push(line, at, &Event::EpochTold { epoch });
            }
        }
        // What is known to be wrong says more than that no format fits.
        if digest.format.is_empty() && digest.issues.is_empty() {
            let unread = if is_log { Code::UnreadLog } else { Code::UnknownFormat };
            digest.issues.note(if bytes == 0 { unread::of_nothing(path) } else { unread }, 0);
        }
        if let Some(line) = unread::line_of_another(&digest.format, folder.table()) {
            digest.issues.note(Code::MixedLog, line);
        }
        digest.shapes = folder.table().into();
        gathered.settle(&mut digest);
        digest
    }
}

/// When the last line was taken, if lines were as they were written: where a log of before was gone through, the
/// first was longer behind its time than the last, or no zone explains how long.
fn taken_at(span: (Timestamp, Timestamp), taken: (Timestamp, Timestamp)) -> Option<Timestamp> {
    let (first, last) = (taken.0.millis_since(span.0), taken.1.millis_since(span.1));
    let late_ms = (last + 1_000).rem_euclid(QUARTER_HOUR_MS);
    ((first - last).abs() <= TAKEN_MS && late_ms <= TAKEN_MS && last.abs() <= ZONE_LIMIT_MS).then_some(taken.1)
}

/// When the last line was written, in UTC, if that was when the file was modified, by the clock of some zone and in UTC:
/// where it was gathered long behind its last line, or printed in another zone, the times tell nothing.
fn written_by(last: Timestamp, (local, epoch): (Timestamp, Timestamp)) -> Option<Timestamp> {
    (-1_000..=MODIFIED_MS).contains(&local.millis_since(last)).then_some(epoch)
}

/// Gives lines that stand in one of the file's to a parser, and notes what the first looks like if they are not used.
pub(super) fn give(
    line: Line<'_>,
    first: &[u8],
    out: &mut Out<'_>,
    folder: &mut Folder,
    parse: impl FnOnce(&mut Out<'_>),
) {
    if line.cut {
        out.issue(Code::LineTooLong, line.number);
    }
    let (skipped, unused) = out.unknown();
    parse(out);
    let now = out.unknown();
    if now.0 > skipped {
        folder.note(Unknown::Unfit, first, line.number, now.0);
    } else if now.1 > unused {
        folder.note(Unknown::Unused, first, line.number, now.1);
    }
}

/// Gives one line to a parser.
pub(super) fn give_line(line: Line<'_>, parser: &mut dyn Parse, out: &mut Out<'_>, folder: &mut Folder) {
    give(line, line.bytes, out, folder, |out| parser.line(line, out));
}
