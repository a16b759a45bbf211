//! Files that oddnode itself wrote and that are no logs, known so that whoever gives one among logs hears what takes it.
//!
//! ```text
//! {"format": "oddnode-report", …            a report; so begin a key (`oddnode-key`) and other results
//! <!doctype html>\n<html lang="en" data-made-by="oddnode">     a report as a page
//! https://example.org/#r=2.…                a report as a link
//! ODDNODE-BASELINE …                        what control runs taught
//! ```
//! Digests are read like logs, and labels (`truth.json`) are a format. Cost: O(head).

use crate::base::Code;
use memchr::memmem;

/// So much of a file is looked at.
const HEAD_BYTES: usize = 512;

/// What a file is that begins so, if it is one of them.
pub(super) fn of(head: &[u8]) -> Option<Code> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::FileReader;
    use crate::source::Limits;

    #[test]
    fn own_files_are_named_and_none_of_their_lines_is_unknown() {
        for (text, code) in [
            ("{\n  \"format\": \"oddnode-report\",\n  \"version\": 1\n}", Code::SavedReport),
            ("{\"format\":\"oddnode-key\"}", Code::SavedKey),
            ("{\"format\":\"oddnode-evaluation\"}", Code::SavedResult),
            ("<!doctype html>\n<html lang=\"en\" data-made-by=\"oddnode\">\n", Code::SavedReport),
            ("https://example.org/x/#r=2.AAAA\n", Code::SavedReport),
            ("ODDNODE-BASELINE\n\u{2}", Code::SavedBaseline),
        ] {
            let mut reader = FileReader::new("x", &Limits::default());
            reader.feed(text.as_bytes());
            let (_, file) = reader.finish();
            let codes: Vec<Code> = file.issues.iter().map(|(code, _)| code).collect();
            assert_eq!((codes, file.lines, file.format.as_str()), (vec![code], 0, ""), "{text}");
            assert!(code.is_own_file());
        }
        assert_eq!(of(b"{\"format\":\"x\"}"), None);
        assert_eq!(of(b"https://example.org/ is down"), None);
        assert_eq!(of(b""), None);
    }
}
