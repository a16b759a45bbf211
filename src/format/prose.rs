//! Notes and mails into which someone put lines of a log: what they quote may be of another run, and accuses nobody.
//!
//! ```text
//! Dear all, h3 looks ill:
//! 2026-11-20 21:55:57,541 INFO org.apache.hadoop.mapred.JobTracker: Lost tracker 'tracker_h3:…
//! Shall we take it out?
//! ```
//! Logs hold lines that are no records, too. So only a file counts that is seen whole, is not named as a log, begins with
//! words, has more other lines than records, and no stack trace. Cost: O(head) of a file that begins with words.

use super::log4j::{Split, Splitter};
use super::{Head, writers};

/// How lines begin that a process prints beside its records.
const OF_PROCESSES: [&[u8]; 3] = [b"SLF4J: ", b"log4j:", b"STARTUP_MSG"];
/// What its output is called.
const OUTPUTS: [&str; 2] = ["stdout", "stderr"];

/// Whether a file is such a note.
#[must_use]
pub fn is_note(head: &Head<'_>) -> bool {
    let mut lines = head.lines().map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
    let name = head.path.rsplit('/').next().unwrap_or_default();
    if OUTPUTS.iter().any(|output| name.contains(output)) {
        return false;
    }
    if head.goes_on || !lines.next().is_some_and(is_prose) || writers::of_path(head.path).is_some() {
        return false;
    }
    let (mut records, mut others) = (0, 1);
    let mut splitter = Splitter::default();
    for line in lines {
        if line.starts_with(b"\tat ") || OF_PROCESSES.iter().any(|begin| line.starts_with(begin)) {
            return false;
        }
        match splitter.split(line) {
            Split::Continuation => others += 1,
            _ => records += 1,
        }
    }
    records < others
}

/// Whether a line is of words: the first, and at least half of all, of which there are two or more.
fn is_prose(line: &[u8]) -> bool {
    let mut tokens = line.split(|byte| *byte == b' ').filter(|token| !token.is_empty());
    if !tokens.next().is_some_and(is_word) {
        return false;
    }
    let (words, others) = tokens.fold((1, 0), |(words, others), token| match is_word(token) {
        true => (words + 1, others),
        false => (words, others + 1),
    });
    words + others > 1 && words >= others
}

/// A letter, then letters and digits, then marks or none.
fn is_word(token: &[u8]) -> bool {
    let end = token.iter().rposition(|byte| !byte.is_ascii_punctuation()).map_or(0, |last| last + 1);
    let word = token.get(..end).unwrap_or_default();
    word.first().is_some_and(|byte| !byte.is_ascii_digit())
        && word.iter().all(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str =
        "2026-11-20 21:55:57,541 INFO org.apache.hadoop.mapred.JobTracker: Lost tracker 'tracker_h3:x/1'\n";

    fn note(path: &str, text: &str) -> bool {
        is_note(&Head::new(path, text.as_bytes()))
    }

    #[test]
    fn words_around_few_records_are_a_note() {
        for (before, after) in [
            ("Dear all,", "Shall we take it out?"),
            ("h3 looks ill, see:\n", "What now?"),
            ("From: x@example.org\nSubject: h3", ""),
            ("\n\nGrüße aus dem Keller", "\r\n\r\nbis bald\r\n"),
        ] {
            assert!(note("q/mail.txt", &format!("{before}\n{RECORD}{after}\n")), "{before}");
        }
    }

    #[test]
    fn log_with_other_lines_is_no_note() {
        let words = "Dear all,\nwhat is this\n";
        assert!(note("x", &[words, RECORD].concat()));
        assert!(!note("x", &[words, RECORD, RECORD].concat()), "as many records");
        assert!(!note("x", &[words, RECORD, "java.io.IOException: x\n\tat a.B.c(B.java:1)\n"].concat()));
        assert!(!note("x", &[RECORD, words].concat()));
        assert!(!note("h1/hadoop-u-datanode-h1.log.3", &[words, RECORD].concat()));
        let slf4j = "SLF4J: Class path contains multiple SLF4J bindings.\n";
        assert!(!note("x", &["Starting datanode on h3\n", slf4j, slf4j, RECORD].concat()), "a console's");
        assert!(!note("h3/stdout.txt", &[words, RECORD].concat()));
        assert!(!is_note(&Head::new("x", [words, RECORD].concat().as_bytes()).going_on(true)));
        for begin in [
            "/****",
            "STARTUP_MSG: Starting x",
            "java.io.IOException: no such file",
            "        at",
            "Counters:",
            "a=b c d",
        ] {
            assert!(!is_prose(begin.as_bytes()), "{begin}");
        }
    }
}
