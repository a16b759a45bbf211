//! Reports as files: what was saved or sent is opened again, by content and not by name.
//!
//! ```text
//! {"format": "oddnode-report", …      the JSON that the page and the command save
//! <!doctype html> … name="oddnode-report" content="#r=2.…"      the one-file page
//! … #r=2.…                            a link, alone or in the text of a mail, wrapped or not
//! ```

use super::link::{self, LinkError};
use super::rungs::known;
use super::{FORMAT, Report, VERSION};
use crate::base::FAR_MS;
use crate::base::text::without_bom;
use serde::Deserialize;

/// A report's file is never longer: that of the largest real run is a hundredth of it.
pub const LIMIT_BYTES: usize = 64 << 20;
/// So much of a file tells what it is: what stands before a link in the text of a ticket or mail.
pub const HEAD_BYTES: usize = 16 << 10;
/// So much tells it of what is not such a text.
const BEGIN_BYTES: usize = 512;
/// Characters that a link has at the least where any text may stand around it: its length, checksum and an empty report.
const LEAST_CHARACTERS: usize = 64;
/// Text that a link is looked for in.
const NOTE_BYTES: usize = 2 << 20;
/// What the one-file page begins with, and the mark behind which it carries its report.
pub const HTML_BEGIN: &str = "<!doctype html>\n<html lang=\"en\" data-made-by=\"oddnode\">";
/// See [`HTML_BEGIN`].
pub const HTML_MARK: &str = "name=\"oddnode-report\" content=\"";

/// Why a file is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It is something else.
    #[error("this is no report of oddnode's")]
    NotAReport,
    /// Made by a later version.
    #[error("the report was made by a newer oddnode (report version {found}, this one reads up to {known})")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest known.
        known: u32,
    },
    /// It is one, and broken.
    #[error("the report is damaged: {why}")]
    Damaged {
        /// What is wrong with it.
        why: String,
    },
    /// Longer than any report.
    #[error("the file has {found} bytes; no report is longer than {}", LIMIT_BYTES)]
    TooLong {
        /// Its length.
        found: usize,
    },
    /// The link that it carries cannot be read.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// Nothing lasts longer, and no clock is farther off: there are no times farther apart.
pub(super) const LONG_MS: i64 = 2 * FAR_MS;

/// Whether a report's times can be times: what comes from outside holds any number.
pub(super) fn plausible(report: &Report) -> bool {
    let evidence = report.grounds().flat_map(|e| [e.since_ms, e.until_ms]).flatten();
    let zones = report.clock.zones.iter();
    let zones = zones.flat_map(|z| z.changes.iter().flat_map(|c| [c.at_ms, c.offset_ms]).chain([z.offset_ms]));
    let skews = report.skew.nodes.iter().flat_map(|s| [s.skew_ms, s.uncertainty_ms]);
    let jobs = report.summary.jobs.iter().flat_map(|j| [j.start_ms, j.finish_ms]).flatten();
    let sums = report.summary.states.iter().flat_map(|s| s.nodes.values()).flat_map(|n| [n.total_ms, n.median_ms]);
    let windows = report.figures.peers.iter().flat_map(|f| f.windows_ms.iter().flatten().copied());
    let clock = &report.clock;
    let clock = [Some(clock.offset_ms), clock.told.map(|told| told.offset_ms), clock.first_ms, clock.last_ms];
    let culprits = report.verdict.culprits.iter().flat_map(|c| [c.since_ms, c.until_ms]).flatten();
    let mut times = culprits.chain(evidence).chain(zones).chain(jobs).chain(windows);
    let mut spans = skews.chain(sums);
    let is_time = |ms: i64| (-FAR_MS..=FAR_MS).contains(&ms);
    times.all(is_time) && clock.into_iter().flatten().all(is_time) && spans.all(|ms| (-LONG_MS..=LONG_MS).contains(&ms))
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u32,
}

/// Whether a file that begins so is a report, a link or a text with a link in it.
#[must_use]
pub fn is_one(head: &[u8]) -> bool {
    let whole = without_bom(head.get(..HEAD_BYTES).unwrap_or(head));
    let head = whole.get(..BEGIN_BYTES).unwrap_or(whole);
    let text = head.trim_ascii_start();
    let json = text.starts_with(b"{") && holds(head, b"\"oddnode-report\"") && holds(head, b"\"format\"");
    let link = (text.starts_with(b"http") || text.starts_with(b"#r=")) && holds(head, link::PREFIX.as_bytes());
    // Archives have zeros in their heads: a note in one of them is not what was given.
    let note = || !text.starts_with(b"{") && !whole.contains(&0) && link_at(whole).is_some();
    json || link || text.starts_with(HTML_BEGIN.as_bytes()) || note()
}

/// Where a text has what can only be a link: its beginning, a version's digit, and a long run of base64url, which lines
/// may part.
fn link_at(text: &[u8]) -> Option<usize> {
    let is_link = |text: &[u8]| {
        let behind = text.strip_prefix(link::PREFIX.as_bytes()).unwrap_or_default();
        let Some(([b'1'..=b'9', b'.'], body)) = behind.split_first_chunk::<2>() else { return false };
        let run = body.iter().take_while(|b| link::is_base64url(**b) || b.is_ascii_whitespace());
        run.filter(|b| !b.is_ascii_whitespace()).take(LEAST_CHARACTERS).count() == LEAST_CHARACTERS
    };
    (0..text.len()).find(|at| text.get(*at..).is_some_and(is_link))
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

/// Opens a file; the report says what was left out of it.
///
/// # Errors
/// [`FileError`] says whether it is none, too new, cut or damaged.
pub fn open(bytes: &[u8]) -> Result<Report, FileError> {
    if bytes.len() > LIMIT_BYTES {
        return Err(FileError::TooLong { found: bytes.len() });
    }
    if !is_one(bytes) {
        return Err(FileError::NotAReport);
    }
    let text = without_bom(bytes).trim_ascii_start();
    if text.starts_with(b"{") {
        let mut report = open_json(text)?;
        report.left_out = known(std::mem::take(&mut report.left_out));
        return Ok(report);
    }
    if text.starts_with(HTML_BEGIN.as_bytes()) {
        let cut = || FileError::Damaged { why: String::from("truncated: the report that the page carries is missing") };
        let at = memchr::memmem::find(text, HTML_MARK.as_bytes()).ok_or_else(cut)?;
        let carried = text.get(at + HTML_MARK.len()..).unwrap_or_default();
        let end = memchr::memchr(b'"', carried).unwrap_or(carried.len());
        let fragment = std::str::from_utf8(carried.get(..end).unwrap_or_default());
        let fragment = fragment.map_err(|e| FileError::Damaged { why: e.to_string() })?;
        return Ok(link::decode_whole(fragment)?);
    }
    let text = text.get(..NOTE_BYTES).unwrap_or(text);
    let at = link_at(text).or_else(|| memchr::memmem::find(text, link::PREFIX.as_bytes()));
    let note = String::from_utf8_lossy(text.get(at.ok_or(FileError::NotAReport)?..).unwrap_or_default());
    let end = note.find(|c: char| c.is_whitespace() || c == '"' || c == '<' || c == '>').unwrap_or(note.len());
    let (fragment, behind) = note.split_at_checked(end).unwrap_or((&note, ""));
    Ok(link::decode(fragment).or_else(|error| unwrapped(fragment, behind, error))?)
}

/// A link whose lines were wrapped: it goes on in the words behind it, as far as its length says. `error` is what is
/// wrong with its first line alone, and with all of it if words of the text are taken for it.
fn unwrapped(fragment: &str, behind: &str, error: LinkError) -> Result<Report, LinkError> {
    let mut whole = fragment.to_owned();
    let words = behind.split_whitespace().map(link::without_marks);
    let mut words = words.take_while(|word| !word.is_empty() && word.bytes().all(link::is_base64url));
    let mut told = error.clone();
    loop {
        let wanted = match told {
            LinkError::Truncated { expected, .. } => expected,
            // Not even the length is in the first line.
            LinkError::Stub { found } => found + 1,
            _ => return Err(error),
        };
        let before = whole.len();
        words
            .by_ref()
            .take_while(|word| {
                whole.push_str(word);
                whole.len() < wanted
            })
            .for_each(drop);
        if whole.len() == before {
            return Err(error);
        }
        match link::decode(&whole) {
            Ok(report) => return Ok(report),
            Err(why) => told = why,
        }
    }
}

fn open_json(bytes: &[u8]) -> Result<Report, FileError> {
    let damaged = |e: serde_json::Error| {
        let why = if e.is_eof() { format!("truncated: it ends within line {}", e.line()) } else { e.to_string() };
        FileError::Damaged { why }
    };
    let head: Head = serde_json::from_slice(bytes).map_err(damaged)?;
    if head.format != FORMAT {
        return Err(FileError::NotAReport);
    }
    if head.version > VERSION {
        return Err(FileError::Newer { found: head.version, known: VERSION });
    }
    let report: Report = serde_json::from_slice(bytes).map_err(damaged)?;
    if !plausible(&report) {
        return Err(FileError::Damaged { why: String::from("it names times that are no times") });
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Timestamp;
    use crate::report::summary::{NodeSum, StateSum};

    fn report() -> Report {
        let mut report = Report { format: FORMAT.into(), version: VERSION, ..Report::default() };
        report.nodes = vec!["h1".into()];
        report
    }

    #[test]
    fn json_link_and_page_open_to_the_same_report() {
        let json = report().to_json();
        let fragment = link::encode_whole(&report());
        let page = format!("{HTML_BEGIN}<meta {HTML_MARK}{fragment}\">");
        for bytes in [json, fragment.clone(), format!("https://example.org/x/{fragment}\n"), page] {
            assert_eq!(open(bytes.as_bytes()), Ok(report()), "{bytes}");
        }
    }

    /// The text in lines of so many characters.
    fn folded(text: &str, width: usize) -> String {
        let lines: Vec<&str> = text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        lines.join("\n")
    }

    #[test]
    fn link_in_a_text_is_found_and_its_lines_are_joined() {
        let link = format!("https://example.org/x/{}", link::encode_whole(&report()));
        let before = "h1 is slow again, see below (a link has #r= in it).\n\n".repeat(9);
        for width in [30, 76, 9000] {
            let link = folded(&link, width);
            for text in [link.clone(), format!("{before}{link}.\n\nRegards, us\n"), format!("see <{link}> and so on")] {
                assert!(is_one(text.as_bytes()), "{text}");
                assert_eq!(open(text.as_bytes()), Ok(report()), "{text}");
            }
        }
        let cut = format!("{before}{}\n\nRegards and all that, us\n", &link[..link.len() - 9]);
        let found = link.len() - 9 - "https://example.org/x/".len();
        let error = open(cut.as_bytes()).unwrap_err();
        assert!(matches!(error, FileError::Link(LinkError::Truncated { found: f, .. }) if f == found), "{error}");
        for text in
            ["a link begins with #r=2. and goes on", "#r is no link", &format!("tar\0{link}"), &format!("{{{link}")]
        {
            assert!(!is_one(text.as_bytes()), "{text}");
        }
    }

    /// A history may count nanoseconds, or be damaged.
    #[test]
    fn what_we_write_of_any_times_can_be_opened() {
        let [far, near] = [i64::MAX, i64::MIN].map(Timestamp::from_millis);
        let mut report = report();
        report.clock.first_ms = Some(near.millis());
        report.clock.last_ms = Some(far.millis());
        let longest = NodeSum { count: 1, total_ms: LONG_MS, median_ms: far.millis_since(near) };
        report.summary.states =
            vec![StateSum { kind: "Map".into(), nodes: [("h1".to_owned(), longest)].into_iter().collect() }];
        assert_eq!(open(report.to_json().as_bytes()), Ok(report.clone()));
        report.clock.last_ms = Some(far.millis() + 1);
        assert!(matches!(open(report.to_json().as_bytes()), Err(FileError::Damaged { .. })));
    }

    #[test]
    fn mark_of_the_byte_order_is_passed_over() {
        let fragment = link::encode_whole(&report());
        let page = format!("{HTML_BEGIN}<meta {HTML_MARK}{fragment}\">");
        for text in [report().to_json(), fragment, page] {
            assert_eq!(open(format!("\u{feff}{text}").as_bytes()), Ok(report()), "{text}");
        }
    }

    #[test]
    fn each_fault_has_its_name() {
        let json = report().to_json();
        let error = |bytes: &str| open(bytes.as_bytes()).map(|_| ()).unwrap_err();
        assert_eq!(error("2026-11-21 02:24:44,210 INFO"), FileError::NotAReport);
        assert_eq!(error("{\"format\": \"oddnode-report-list\", \"x\": \"oddnode-report\"}"), FileError::NotAReport);
        assert_eq!(error(&json.replace("\"version\": 1", "\"version\": 7")), FileError::Newer { found: 7, known: 1 });
        let cut = error(&json[..json.len() / 2]);
        assert!(cut.to_string().contains("truncated"), "{cut}");
        assert!(matches!(error(&json.replace("\"nodes\": [", "\"nodes\": [7,")), FileError::Damaged { .. }));
        assert!(matches!(error(HTML_BEGIN), FileError::Damaged { .. }));
        let fragment = link::encode_whole(&report());
        assert!(matches!(error(&fragment[..30]), FileError::Link(LinkError::Truncated { .. })));
        let page = format!("{HTML_BEGIN}<meta {HTML_MARK}{}", &fragment[..30]);
        assert!(matches!(error(&page), FileError::Link(LinkError::Truncated { .. })));
    }
}
