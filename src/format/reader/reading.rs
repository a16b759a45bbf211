//! What is read of a file, or of one process's lines in a file of several.

use crate::base::{Code, Timestamp};
use crate::format::shape::Folder;
use crate::format::{Format, Gathered, Out, Parse, unread};
use crate::model::{Clock, Event, FileDigest, Unknown};
use crate::source::Line;

/// A log was modified at its last line or so long behind it, or it was some other file of which the time is told.
const MODIFIED_MS: i64 = 120_000;

/// What is read so far.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) digest: FileDigest,
    pub(super) gathered: Gathered,
    pub(super) folder: Folder,
    /// It is in no known format, and looks like a log all the same.
    pub(super) is_log: bool,
}

impl Reading {
    pub(super) const fn out(&mut self) -> Out<'_> {
        Out::new(&mut self.digest, &mut self.gathered)
    }

    /// It is in this format: what reads it, under a path.
    pub(super) fn begin(&mut self, format: &dyn Format, path: &str) -> Box<dyn Parse> {
        let about = format.about();
        about.name.clone_into(&mut self.digest.format);
        self.digest.clock = about.clock;
        format.start(path)
    }

    /// Counts a line that nobody understands.
    pub(super) fn count(&mut self, line: Line<'_>) {
        self.digest.lines += 1;
        self.digest.skipped += 1;
        self.folder.note_foreign(line.bytes, line.number);
    }

    /// The file, of this path and so many bytes, is over; it was modified then, by the clock of some zone and in UTC.
    pub(super) fn settle(self, path: &str, bytes: u64, modified: Option<(Timestamp, Timestamp)>) -> FileDigest {
        let Self { mut digest, mut gathered, folder, is_log } = self;
        // Where they were gathered long behind its last line, or printed in another zone, the times tell nothing.
        if let (Some((_, last)), Some((local, epoch)), Clock::Local) = (digest.span, modified, digest.clock)
            && (-1_000..=MODIFIED_MS).contains(&local.millis_since(last))
        {
            gathered.events.push(digest.lines, last, &Event::EpochTold { epoch });
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
