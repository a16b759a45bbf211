//! Files that oddnode itself wrote and that are no logs, known so that whoever gives one among logs hears what takes it.
//!
//! ```text
//! {"format": "oddnode-report", …            a report; so begin a key (`oddnode-key`) and other results
//! <!doctype html>\n<html lang="en" data-made-by="oddnode">     a report as a page
//! https://example.org/#r=2.…                a report as a link
//! ODDNODE-BASELINE …                        what control runs taught
//! h103 has been at fault …\n\nCULPRITS\n  …   a report for people, which quotes lines of the logs that it is of
//! h103 is at fault (CPU)\n=====…\n           a ticket, or `## h103 is at fault (CPU)` in Markdown
//! ```
//! Digests are read like logs, and labels (`truth.json`) are a format. Cost: O(head).

use crate::base::{Code, bytes};
use memchr::memmem;

/// So much of a file is looked at where its beginning tells what it is.
const HEAD_BYTES: usize = 512;
/// What a report's text may have behind its first paragraph.
const HEADINGS: [&[u8]; 7] = [b"CULPRITS", b"SUSPECTS", b"AGREEMENT", b"WITNESSES", b"JOBS", b"INCIDENTS", b"COVERAGE"];
/// Titles of tickets that name no node.
const TITLES: [&[u8]; 2] = [b"No node stands out", b"No verdict"];
/// How sections of a ticket begin, one of which every ticket has before its first quoted line or soon behind it.
const SECTIONS: [&[u8]; 4] = [b"Evidence against ", b"Said against ", b"What to do", b"Reproduce"];

/// What a file is that begins so, if it is one of them.
pub(super) fn of(head: &[u8]) -> Option<Code> {
    let all = head.trim_ascii_start();
    if is_report_as_text(all) || is_ticket(all) {
        return Some(Code::SavedResult);
    }
    let text = head.get(..HEAD_BYTES).unwrap_or(head).trim_ascii_start();
    let holds = |part: &[u8]| memmem::find(text, part).is_some();
    match text.first()? {
        b'{' if holds(b"\"format\"") && holds(b"\"oddnode-report\"") => Some(Code::SavedReport),
        b'{' if holds(b"\"format\"") && holds(b"\"oddnode-key\"") => Some(Code::SavedKey),
        b'{' if holds(b"\"format\"") && holds(b"\"oddnode-") => Some(Code::SavedResult),
        b'<' if holds(b"data-made-by=\"oddnode\"") => Some(Code::SavedReport),
        b'#' | b'h' if (text.starts_with(b"http") || text.starts_with(b"#r=")) && holds(b"#r=") => {
            Some(Code::SavedReport)
        }
        b'O' if text.starts_with(b"ODDNODE-BASELINE") => Some(Code::SavedBaseline),
        _ => None,
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes::lines(text).map(<[u8]>::trim_ascii_end)
}

/// A sentence that names a node, or a paragraph, a heading of ours, and what is indented below it.
fn is_report_as_text(text: &[u8]) -> bool {
    let says = |first: &[u8]| {
        let holds = |part: &[u8]| memmem::find(first, part).is_some();
        holds(b" at fault ") && holds(b"This is for the cluster's operator.")
    };
    // That of many culprits is longer than the head.
    if lines(text).next().is_some_and(says) {
        return true;
    }
    let mut behind = lines(text).skip_while(|line| !line.is_empty()).skip(1);
    behind.next().is_some_and(|line| HEADINGS.contains(&line))
        && behind.next().is_some_and(|line| line.starts_with(b"  "))
}

/// A title of ours, underlined or marked as such, and a section of ours.
fn is_ticket(text: &[u8]) -> bool {
    let mut lines = lines(text);
    let Some(first) = lines.next() else { return false };
    let marked = first.strip_prefix(b"## ");
    let title = marked.unwrap_or(first);
    let is_title =
        TITLES.contains(&title) || title.ends_with(b" at fault") || memmem::find(title, b" at fault (").is_some();
    let is_line = |line: &[u8]| !line.is_empty() && line.iter().all(|byte| *byte == b'=');
    is_title
        && (marked.is_some() || lines.next().is_some_and(is_line))
        && lines.any(|line| {
            let line = line.strip_prefix(b"### ").unwrap_or(line);
            SECTIONS.iter().any(|section| line.starts_with(section))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FileReader;
    use crate::source::Limits;

    /// The codes of a file of this text, and how many of its lines are understood.
    fn read(text: &str) -> (Vec<Code>, u64) {
        let mut reader = FileReader::new("x", &Limits::default());
        reader.feed(text.as_bytes());
        let (_, file) = reader.finish();
        (file.issues.iter().map(|(code, _)| code).collect(), file.understood)
    }

    #[test]
    fn text_that_is_no_report_is_read() {
        let record =
            "2026-11-20 21:55:57,541 INFO org.apache.hadoop.mapred.JobTracker: Lost tracker 'tracker_h3:l/1'\n";
        for before in ["", "/**\n\nCOVERAGE\n", "# at fault\n===\n", "## h3 is at fault (CPU)\n", "=\n=\nReproduce\n"] {
            assert_ne!(read(&[before, record].concat()).1, 0, "{before}");
        }
    }

    #[test]
    fn own_files_are_named_and_none_of_their_lines_is_unknown() {
        let one = "h1 has been at fault since 2026-11-21 02:24:44 UTC: x; very likely (0.90). This is for the cluster's operator.";
        let quoted = "2026-11-20 21:55:57,541 INFO org.apache.hadoop.mapred.JobTracker: Lost tracker 'tracker_h3:l/1'";
        let long = format!("{}\n\nCULPRITS\n  h1: CPU\n        {quoted}\n", [one; 60].join(" "));
        for (text, code) in [
            ("{\n  \"format\": \"oddnode-report\",\n  \"version\": 1\n}", Code::SavedReport),
            ("{\"format\":\"oddnode-key\"}", Code::SavedKey),
            ("{\"format\":\"oddnode-evaluation\"}", Code::SavedResult),
            ("<!doctype html>\n<html lang=\"en\" data-made-by=\"oddnode\">\n", Code::SavedReport),
            ("https://example.org/x/#r=2.AAAA\n", Code::SavedReport),
            ("ODDNODE-BASELINE\n\u{2}", Code::SavedBaseline),
            ("No node stands out.\r\n\r\nCOVERAGE\r\n  format  files\r\n", Code::SavedResult),
            (&long, Code::SavedResult),
            ("No node stands out.\nThere is some evidence.\n\nSUSPECTS\n  h1\n", Code::SavedResult),
            ("## No node stands out\n\nx\n\n### Said against h1, and so on\n- x\n", Code::SavedResult),
            ("## No verdict\n\nNo verdict: x\n\n### Reproduce\n", Code::SavedResult),
            ("2 nodes are at fault\n====================\n\nx\n\nEvidence against h3\n- x\n", Code::SavedResult),
        ] {
            assert_eq!(read(text), (vec![code], 0), "{text}");
            assert!(code.is_own_file());
        }
        assert_eq!(of(b"{\"format\":\"x\"}"), None);
        assert_eq!(of(b"https://example.org/ is down"), None);
        assert_eq!(of(b""), None);
    }
}
