//! Messages between the page and its workers.
//!
//! What serde cannot carry crosses beside the message as attachments, named with each
//! variant: `File` handles (the page never reads a file itself) and bytes as transferred
//! `ArrayBuffer`s. Any worker can do any task; the page uses several as parsers and one as
//! the analyst.
//!
//! ```text
//! page     --Read + Files-->   parser    --Progress…, Digest-->             page
//! page     <--Dealt + calls--  parser, which has helpers
//! page     --Hear + calls-->   helper    --Heard-->  page  --Eased-->       parser
//! page     --Finish-->         helper    --Digest-->                        page
//! page     --GivePart-->       parser    --Part + bytes-->                  page
//! page     --Merge + bytes-->  analyst   --Merged-->                        page
//! page     --Learn + bytes-->  parser    --Learned + baseline's bytes-->    page
//! page     --Take + bytes-->   analyst   --Taken-->                         page
//! page     --Prepare-->        analyst   --Placed + bytes, Prepared-->      page
//! page     --Measure + bytes-->  another --Measured + bytes-->              page
//! page     --Analyse-->        analyst   --Working…, Analysed + bytes-->    page
//! page     --LayOut-->         analyst   --LaidOut + scene's bytes-->       page
//! page     --Search-->         analyst   --Found-->                         page
//! page     --TraceEvents-->    analyst   --Exported + JSON's bytes-->       page
//! page     --Open… + File-->   analyst   --Opened + report's bytes-->       page
//! page     --Share, Write…-->  analyst   --Shared, Written + bytes-->       page
//! ```
//! A worker speaks first ([`FromWorker::Ready`]): what is sent to it earlier is lost.

use crate::model::{ClockChoice, StateKind};
use crate::report::compare::Difference;
use crate::report::key::KEY_BYTES;
use crate::report::link::{LinkOf, Size};
use crate::report::{LineRef, Report};
use crate::scene::search::Findings;
use crate::scene::{Look, View};
use serde::{Deserialize, Serialize};

/// Tells builds apart: the page and a worker out of an older cache must not talk. The
/// builder sets `ODDNODE_BUILD` to the commit; without it the version has to do.
pub const BUILD: &str = match COMMIT {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};

/// The name that no other build has, where the builder gave one.
pub const COMMIT: Option<&str> = option_env!("ODDNODE_BUILD");

/// Ties an answer to its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RequestId(pub u32);

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Read the attached files, one for each name, into one digest.
    Read {
        /// Ties the answer to this question.
        request: RequestId,
        /// Names as they are to stand in the report.
        names: Vec<String>,
        /// How many others read members that it unpacks.
        hands: usize,
    },
    /// Read what the attached calls say, and what later ones will.
    Hear {
        /// Ties the answer to this question.
        request: RequestId,
        /// So much of the buffer.
        bytes: usize,
    },
    /// No more calls come: make the digest of what they said.
    Finish {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Give away the next part of the digest of what was read.
    GivePart {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Another has read what it was dealt; attached: the buffer. This is no question.
    Eased {
        /// The number of the helper.
        hand: usize,
        /// So many bytes of calls; `None`: it reads no more.
        bytes: Option<usize>,
    },
    /// Add the attached digest.
    Merge {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Learn a baseline from the attached digests: those of the first control run's parts, of the
    /// second's…
    Learn {
        /// Ties the answer to this question.
        request: RequestId,
        /// Parts of each run.
        parts: Vec<usize>,
    },
    /// Compare with the attached baseline from now on; none: forget the one there is.
    Take {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Compare the metrics of all that was merged, and nothing else. Attached: by what, the last of what was
    /// [`FromWorker::Placed`].
    Measure {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Do all that comes before the verdict but the comparison of metrics.
    Prepare {
        /// Ties the answer to this question.
        request: RequestId,
        /// What the user says of the clocks.
        clocks: ClockChoice,
    },
    /// Reach the verdict on all that was merged; may be asked again. Attached, if metrics were compared
    /// elsewhere: what was [`FromWorker::Measured`].
    Analyse {
        /// Ties the answer to this question.
        request: RequestId,
        /// What the user says of the clocks.
        clocks: ClockChoice,
    },
    /// Lay out a figure.
    LayOut {
        /// Ties the answer to this question.
        request: RequestId,
        /// The figure.
        view: View,
        /// What is looked at.
        look: Look,
    },
    /// Look for a name or an id.
    Search {
        /// Ties the answer to this question.
        request: RequestId,
        /// It, or a part of it.
        words: String,
    },
    /// Write all intervals as trace events.
    TraceEvents {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Find the raw text of lines in the attached file.
    FindLines {
        /// Ties the answer to this question.
        request: RequestId,
        /// The file's name.
        name: String,
        /// The lines.
        wanted: Vec<LineRef>,
    },
    /// Read a link's fragment.
    OpenLink {
        /// Ties the answer to this question.
        request: RequestId,
        /// The part behind `#r=`, with it.
        fragment: String,
    },
    /// Read the attached file, which is a report.
    OpenFile {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Turn the pseudonyms of the opened report back with the attached file, which is a key.
    Reveal {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Make a link.
    Share {
        /// Ties the answer to this question.
        request: RequestId,
        /// What leaves.
        leaving: Leaving,
        /// How much the link carries.
        size: Size,
        /// Characters of the address before it.
        address: usize,
    },
    /// Write the report as one page that opens from disk.
    WriteHtml {
        /// Ties the answer to this question.
        request: RequestId,
        /// What leaves.
        leaving: Leaving,
    },
    /// Write the verdict for a ticket.
    WriteTicket {
        /// Ties the answer to this question.
        request: RequestId,
        /// With Markdown's marks.
        markdown: bool,
    },
    /// Give the digest of all that was merged.
    GiveDigest {
        /// Ties the answer to this question.
        request: RequestId,
    },
    /// Compare with the attached report (JSON, as a blob), which is the run before; a second attachment is
    /// the digest of its logs.
    Compare {
        /// Ties the answer to this question.
        request: RequestId,
    },
}

/// Under which names a report leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaving {
    /// Names stay as they are.
    pub real_names: bool,
    /// Random bytes, from the browser: the key of the pseudonyms.
    pub key: [u8; KEY_BYTES],
}

/// A link and what goes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// The link.
    pub link: LinkOf,
    /// Where it survives.
    pub survives: String,
    /// What it carries beside the verdict.
    pub carries: Vec<String>,
    /// Every text in it.
    pub texts: Vec<String>,
    /// What turns its pseudonyms back, as the text of a file; `None` where names are real or
    /// came as pseudonyms.
    pub key_file: Option<String>,
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It can be spoken to.
    Ready {
        /// Its build.
        build: String,
    },
    /// How far a reading is.
    Progress {
        /// The question that it answers.
        request: RequestId,
        /// Where it is.
        reading: Reading,
    },
    /// A file could not be read to its end; what was read of it stays in the digest.
    Unreadable {
        /// The question that it answers.
        request: RequestId,
        /// Which and why.
        why: String,
    },
    /// Another is to read what the attached calls say.
    Dealt {
        /// The question that it answers.
        request: RequestId,
        /// Which one, from 0.
        hand: usize,
        /// So much of the buffer.
        bytes: usize,
    },
    /// Calls were heard; attached: their buffer.
    Heard {
        /// The question that it answers.
        request: RequestId,
        /// How far it is with all it was told.
        reading: Reading,
    },
    /// Files are read; their digest can be had part by part.
    Digest {
        /// The question that it answers.
        request: RequestId,
        /// What it took.
        reading: Reading,
    },
    /// A part of a digest is attached, itself one; nothing if that was all.
    Part {
        /// The question that it answers.
        request: RequestId,
    },
    /// A digest is added.
    Merged {
        /// The question that it answers.
        request: RequestId,
    },
    /// What control runs taught is attached.
    Learned {
        /// The question that it answers.
        request: RequestId,
    },
    /// What the next verdict will be compared with.
    Taken {
        /// The question that it answers.
        request: RequestId,
        /// The baseline in words; `None` where there is none.
        baseline: Option<String>,
    },
    /// It pays to compare metrics elsewhere; attached: their digest in parts, and by what, a
    /// [`crate::states::Basis`].
    Placed {
        /// The question that it answers.
        request: RequestId,
    },
    /// Attached: what the comparison of metrics says.
    Measured {
        /// The question that it answers.
        request: RequestId,
    },
    /// All that comes before the verdict is done.
    Prepared {
        /// The question that it answers.
        request: RequestId,
    },
    /// What an analysis is at.
    Working {
        /// The question that it answers.
        request: RequestId,
        /// In words.
        doing: String,
    },
    /// The verdict; attached: the rows of its files as `postcard` bytes (there may be a hundred thousand), and the
    /// report's JSON as a blob, the same bytes as the command's.
    Analysed {
        /// The question that it answers.
        request: RequestId,
        /// The report, without that and what only figures and comparisons need.
        report: Box<Report>,
        /// Kinds of state in which nodes can be compared, the most telling first.
        kinds: Vec<StateKind>,
        /// Whether there are metrics of the operating system.
        measured: bool,
        /// How many labelled runs there are.
        labelled: usize,
    },
    /// A figure; attached: the scene as `postcard` bytes (thousands of marks are too many
    /// JavaScript objects).
    LaidOut {
        /// The question that it answers.
        request: RequestId,
    },
    /// What was looked for.
    Found {
        /// Of which question.
        request: RequestId,
        /// What there is.
        findings: Findings,
    },
    /// Trace events; attached: their JSON.
    Exported {
        /// The question that it answers.
        request: RequestId,
    },
    /// Raw text of lines.
    Lines {
        /// The question that it answers.
        request: RequestId,
        /// Those that were found.
        found: Vec<FoundLine>,
    },
    /// A shared report; attached as with [`Self::Analysed`].
    Opened {
        /// The question that it answers.
        request: RequestId,
        /// The report, without that and what only figures and comparisons need.
        report: Box<Report>,
        /// What was left out to keep the link short.
        left_out: Vec<String>,
        /// What recomputing its statements gave, in words.
        checked: String,
        /// Kinds of state whose figures it carries.
        kinds: Vec<StateKind>,
    },
    /// A link.
    Shared {
        /// The question that it answers.
        request: RequestId,
        /// The link and what goes with it.
        shared: Box<Shared>,
    },
    /// What was written is attached.
    Written {
        /// The question that it answers.
        request: RequestId,
    },
    /// What is different from the run before.
    Compared {
        /// The question that it answers.
        request: RequestId,
        /// The difference.
        difference: Box<Difference>,
    },
    /// A question could not be answered.
    Failed {
        /// The question that it answers.
        request: RequestId,
        /// Why, as a person would say it.
        why: String,
    },
    /// The worker is at its end; it answers no more.
    Panicked {
        /// Where and why.
        why: String,
    },
}

impl FromWorker {
    /// The question that this message ends; `None` if it ends none.
    #[must_use]
    pub const fn ends(&self) -> Option<RequestId> {
        match self {
            Self::Heard { request, .. }
            | Self::Digest { request, .. }
            | Self::Part { request }
            | Self::Merged { request }
            | Self::Learned { request }
            | Self::Taken { request, .. }
            | Self::Measured { request }
            | Self::Prepared { request }
            | Self::Analysed { request, .. }
            | Self::LaidOut { request }
            | Self::Found { request, .. }
            | Self::Exported { request }
            | Self::Lines { request, .. }
            | Self::Opened { request, .. }
            | Self::Shared { request, .. }
            | Self::Written { request }
            | Self::Compared { request, .. }
            | Self::Failed { request, .. } => Some(*request),
            Self::Ready { .. }
            | Self::Progress { .. }
            | Self::Working { .. }
            | Self::Placed { .. }
            | Self::Unreadable { .. }
            | Self::Dealt { .. }
            | Self::Panicked { .. } => None,
        }
    }
}

/// How far a reading is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Bytes of the given files, as they lie on disk.
    pub done_bytes: u64,
    /// Members of archives, or files.
    pub members: u64,
    /// Lines.
    pub lines: u64,
}

impl Reading {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            done_bytes: self.done_bytes + other.done_bytes,
            members: self.members + other.members,
            lines: self.lines + other.lines,
        }
    }
}

/// A line with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundLine {
    /// Where it stands.
    pub at: LineRef,
    /// What it says (cut if very long).
    pub text: String,
}
