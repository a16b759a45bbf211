//! What could not be read, told on standard error.

use super::{bad_input, say};
use crate::base::Code;
use crate::base::issue::{IssueCount, Severity};
use crate::format::truth::NAME as LABELS;
use crate::model::digest::{DIGEST_LINES, has_bytes};
use crate::model::{Digest, FileDigest, FileKey, Trace, ZoneSource};
use crate::pipeline::ingest::{ARCHIVE, DIGEST};
use anyhow::Result;
use std::collections::BTreeSet;

/// More notices than this are counted, not shown: the report lists all.
const SHOWN: usize = 10;

/// Whether the file is of a known log format, and not so damaged that nothing of it could be read.
fn is_log(file: &FileDigest) -> bool {
    let is_lost = || file.issues.iter().any(|(code, _)| code.about().severity >= Severity::DataLoss);
    !matches!(file.format.as_str(), "" | ARCHIVE | DIGEST | DIGEST_LINES | LABELS)
        && (file.understood > 0 || !is_lost())
}

/// Names of inputs of which it was told, as they were read, why they cannot be.
pub(super) type Told = BTreeSet<String>;

/// Files of labels, and what takes them.
fn labels(digest: &Digest) -> impl Iterator<Item = String> {
    let files = digest.files().filter(|(_, file)| file.format == LABELS);
    files.map(|(key, _)| format!("{}: holds labels of runs, and no log; `oddnode evaluate FOLDER` takes the folder that it lies in, with the runs", key.path))
}

/// One issue of one file.
fn describe(key: &FileKey, file: &FileDigest, code: Code, count: &IssueCount) -> String {
    let about = code.about();
    let (line, byte) = match count.lines.first().copied().unwrap_or_default() {
        0 if code.breaks_off() && file.format != ARCHIVE => {
            (String::new(), format!(" behind {} bytes of its content", key.bytes))
        }
        // Of what another command could not read, its place went to the one who ran that.
        0 if key.bytes == 0 && code != Code::EmptyFile => (String::new(), String::new()),
        0 => (String::new(), format!(" ({} bytes read)", key.bytes)),
        byte if has_bytes(&file.format) => (String::new(), code.at_byte(byte)),
        line => (format!(":{line}"), String::new()),
    };
    let times = if count.count > 1 { format!(", {} times", count.count) } else { String::new() };
    format!("{}{line}: {}{byte}{times}; {}", key.path, about.text, about.advice)
}

/// The issues that are at least so bad or stand for a file of our own, worst first, then in order of file.
fn issues(digest: &Digest, least: Severity, told: &Told) -> Vec<String> {
    let of_file = |(key, file): (&FileKey, &FileDigest)| {
        let is_told = |code| code == Code::Unreadable && told.contains(&key.path);
        let lines = file.issues.iter().filter(|(code, _)| code.about().severity >= least || code.is_own_file());
        let lines = lines.filter(|(code, _)| !is_told(*code));
        lines.map(|(code, count)| (code.about().severity, describe(key, file, code, count))).collect::<Vec<_>>()
    };
    let mut found: Vec<(Severity, String)> = digest.files().flat_map(of_file).collect();
    found.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    found.into_iter().map(|(_, text)| text).collect()
}

/// # Errors
/// [`super::BadInput`] if nothing of what was read is a log, saying what is wrong.
pub(super) fn require_readable(digest: &Digest, told: &Told) -> Result<()> {
    unreadable(digest, told).map_or(Ok(()), |told| Err(bad_input(told)))
}

/// Whether something of what was read is a log; tells if nothing is.
pub(super) fn is_readable(digest: &Digest, told: &Told) -> bool {
    let why = unreadable(digest, told);
    if let Some(why) = &why {
        say(why);
    }
    why.is_none()
}

/// That nothing of what was read is a log, and what is wrong; `None` if something is.
fn unreadable(digest: &Digest, told: &Told) -> Option<String> {
    if has_log(digest) {
        return None;
    }
    let mut reasons = issues(digest, Severity::Info, told);
    reasons.extend(labels(digest));
    let more = reasons.len().saturating_sub(SHOWN);
    reasons.truncate(SHOWN);
    if more > 0 {
        reasons.push(format!("and {more} more"));
    }
    if reasons.is_empty() && told.is_empty() {
        reasons.push("the input holds no file".to_owned());
    }
    Some(["no log could be read".to_owned()].into_iter().chain(reasons).collect::<Vec<_>>().join("\n  "))
}

/// Whether something of what was read is a log.
pub(super) fn has_log(digest: &Digest) -> bool {
    digest.files().any(|(_, file)| is_log(file))
}

/// Whether no file of it, or input that it is of, could not be read at all.
pub(super) fn all_readable(digest: &Digest) -> bool {
    digest.files().all(|(_, file)| file.issues.count(Code::Unreadable) == 0)
}

/// Tells of rows whose times nothing ties to UTC.
pub(super) fn tell_zone(trace: &Trace) {
    if trace.clocks.source == ZoneSource::Assumed && !trace.states.is_empty() {
        let about = Code::ZoneUnknown.about();
        say(&format!("notice: {}; {}", about.text, about.advice));
    }
}

/// Tells of what is missing from the analysis, and of files that are none of it.
pub(super) fn tell(digest: &Digest, told: &Told) {
    tell_first(issues(digest, Severity::DataLoss, told).into_iter().chain(labels(digest)).collect());
}

/// The same where labels of runs are what is asked for.
pub(super) fn tell_lost(digest: &Digest, told: &Told) {
    tell_first(issues(digest, Severity::DataLoss, told));
}

fn tell_first(texts: Vec<String>) {
    for text in texts.iter().take(SHOWN) {
        say(&format!("notice: {text}"));
    }
    if texts.len() > SHOWN {
        say(&format!("notice: and {} more, listed in the report", texts.len() - SHOWN));
    }
}
