//! Messages between the page and its workers.
//!
//! What serde cannot carry crosses beside the message as attachments, named with each
//! variant: `File` handles (the page never reads a file itself) and bytes as transferred
//! `ArrayBuffer`s. Any worker can do any task; the page uses several as parsers and one as
//! the analyst.
//!
//! ```text
//! page  --Read + Files-->               parser    --Progress…, Read-->                 page
//! page  <--Dealt + members--            parser, which has helpers
//! page  --ReadMembers + members-->      helper    --Read-->  page  --HelperRead-->     parser
//! page  --Finish-->                     helper    --Read-->                            page
//! page  --GivePart-->                   either    --Done + part of the digest-->       page
//! page  --Merge + part-->               analyst   --Done-->                            page
//! page  --Learn + Files, parts-->       parser    --Learned + baseline-->              page
//! page  --SetBaseline + baseline-->     analyst   --BaselineSet-->                     page
//! page  --Prepare-->                    analyst   --MetricsReady + metrics, Done-->    page
//! page  --CompareMetrics + basis-->     another   --Done + comparison-->               page
//! page  --Analyse + comparison-->       analyst   --Working…, Analysed + report-->     page
//! page  --LayOut-->                     analyst   --Done + scene-->                    page
//! page  --Search-->                     analyst   --Found-->                           page
//! page  --Open… + File-->               analyst   --Opened + report-->                 page
//! page  --Share, Write…-->              analyst   --Shared, Done + bytes-->            page
//! ```
//! A worker speaks first ([`FromWorker::Ready`]): what is sent to it earlier is lost.

use crate::diagnosis::settable::Settable;
use crate::model::{ClockChoice, StateKind};
use crate::report::compare::Difference;
use crate::report::key::KEY_BYTES;
use crate::report::link::{LinkOf, Size};
use crate::report::ticket::Form;
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

/// What the page says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// A question, which gets one answer.
    Ask(RequestId, Question),
    /// A helper has read what it was dealt; attached: the buffer.
    HelperRead {
        /// The number of the helper.
        helper: usize,
        /// Bytes of members it read; `None` if it has stopped.
        bytes: Option<usize>,
    },
}

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// Read the attached files, one for each name, into one digest.
    Read {
        /// Names as they are to stand in the report.
        names: Vec<String>,
        /// How many others read members that it unpacks.
        helpers: usize,
    },
    /// Read the attached members, or parts of them; more may follow.
    ReadMembers {
        /// Bytes of the buffer in use.
        bytes: usize,
    },
    /// No more members follow: make the digest of those that came.
    Finish,
    /// Give away the next part of the digest of what was read; nothing attached to the answer if that was all.
    GivePart,
    /// Add the attached digest.
    Merge,
    /// Learn a baseline from the attached files of baselines, of which there can be one, and digests: those of the
    /// first control run's parts, of the second's…
    Learn {
        /// The names of the baselines.
        baselines: Vec<String>,
        /// Each run's name, and of how many parts it is.
        runs: Vec<(String, usize)>,
        /// What is set.
        set: Vec<Set>,
    },
    /// Compare with the attached baseline from now on; none: forget the one there is.
    SetBaseline,
    /// Compare the metrics of all that was merged, and nothing else. Attached: on which basis, the last attachment
    /// of [`News::MetricsReady`].
    CompareMetrics,
    /// Do all that comes before the verdict but the comparison of metrics.
    Prepare(Asked),
    /// Reach the verdict on all that was merged; may be asked again. Attached, if metrics were compared
    /// elsewhere: what came of [`Self::CompareMetrics`].
    Analyse(Asked),
    /// Tell what else can be set.
    Settable,
    /// Say what of this cannot be set so, and why.
    Check(Vec<Set>),
    /// Lay out a figure: the scene comes as `postcard` bytes (thousands of marks are too many JavaScript objects).
    LayOut {
        /// The figure.
        view: View,
        /// What is looked at.
        look: Look,
    },
    /// Look for a name or an id, or a part of it.
    Search(String),
    /// Write all intervals as trace events, in JSON.
    TraceEvents,
    /// Find the raw text of lines in the attached file.
    FindLines {
        /// The file's name.
        name: String,
        /// The lines.
        wanted: Vec<LineRef>,
    },
    /// Read a link's fragment: the part behind `#r=`, with it.
    OpenLink(String),
    /// Read the attached file, which is a report.
    OpenFile,
    /// Turn the pseudonyms of the opened report back with the attached file, which is a key.
    Reveal,
    /// Make a link.
    Share {
        /// What leaves.
        leaving: Leaving,
        /// How much the link carries.
        size: Size,
        /// Characters of the address before it.
        address: usize,
    },
    /// Write the report as one page that opens from disk; beside it come the texts of the report in it.
    WriteHtml(Leaving),
    /// Write the verdict for a ticket.
    WriteTicket {
        /// What leaves.
        leaving: Leaving,
        /// How it is written.
        form: Form,
        /// The raw text of its lines, as far as it is known.
        lines: Vec<FoundLine>,
    },
    /// Give the digest of all that was merged.
    GiveDigest,
    /// Compare with the attached report (JSON, as a blob), which is the run before; a second attachment is
    /// the digest of its logs.
    Compare,
}

/// What is set otherwise than usual: the name of a [`Settable`], and its text.
pub type Set = (String, String);

/// What a verdict is asked for by, beside what control runs taught.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// What the user says of the clocks.
    pub clocks: ClockChoice,
    /// What is set.
    pub set: Vec<Set>,
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

/// What a worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromWorker {
    /// It can be spoken to.
    Ready {
        /// Its build.
        build: String,
    },
    /// The answer to a question, or why there is none, as a person would say it.
    Answer(RequestId, Result<Answer, String>),
    /// What happens while it works.
    News(News),
    /// The worker is at its end; it answers no more.
    Panicked {
        /// Where and why.
        why: String,
    },
}

/// What a worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// It is done; attached: what was asked for, if that is bytes.
    Done,
    /// Files or members are read; [`Question::GivePart`] has their digest. To [`Question::ReadMembers`] attached: the
    /// buffer.
    Read(Reading),
    /// Control runs taught; attached: the baseline.
    Learned {
        /// Of runs that do not look healthy, each a sentence.
        doubts: Vec<String>,
    },
    /// What the next verdict will be compared with, in words; `None` where there is no baseline.
    BaselineSet(Option<String>),
    /// The verdict; attached: the rows of its files as `postcard` bytes (there may be a hundred thousand), and the
    /// report's JSON as a blob, the same bytes as the command's.
    Analysed {
        /// The report, without that and what only figures and comparisons need.
        report: Box<Report>,
        /// Kinds of state in which nodes can be compared, the most telling first.
        kinds: Vec<StateKind>,
        /// Whether there are metrics of the operating system.
        measured: bool,
        /// How many labelled runs there are.
        labelled: usize,
        /// What was set otherwise than usual, in words.
        told: Option<String>,
    },
    /// What can be set.
    Settable(Vec<Settable>),
    /// What cannot be set so, each with the reason.
    Checked(Vec<Set>),
    /// What was looked for.
    Found(Findings),
    /// Raw text of lines, of those that were found.
    Lines(Vec<FoundLine>),
    /// A shared report; attached as with [`Self::Analysed`].
    Opened {
        /// The report, without that and what only figures and comparisons need.
        report: Box<Report>,
        /// What recomputing its statements gave, in words.
        checked: String,
        /// Kinds of state whose figures it carries.
        kinds: Vec<StateKind>,
        /// Figures of jobs and tasks that it carries.
        views: Vec<View>,
        /// What was set otherwise than usual, in words.
        told: Option<String>,
    },
    /// A link and what goes with it.
    Shared(Box<Shared>),
    /// What is different from the run before.
    Compared(Box<Difference>),
}

/// What happens while a worker works.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum News {
    /// How far a reading is.
    Progress(Reading),
    /// A file could not be read to its end, which and why; what was read of it stays in the digest.
    Unreadable(String),
    /// A helper is to read the attached members.
    Dealt {
        /// Which one, from 0.
        helper: usize,
        /// Bytes of the buffer in use.
        bytes: usize,
    },
    /// Comparing metrics in another worker pays off; attached: the digest of the metrics in parts, then the
    /// [`crate::states::Basis`].
    MetricsReady,
    /// What an analysis is at, in words.
    Working(String),
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
