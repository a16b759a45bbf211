//! The state file of a matrix: one result a line, added as its run ends.
//!
//! Where a matrix was broken off, the last line may be cut: it is taken out before the next is added, and its run is
//! done again. Any other line that is no result is somebody else's, and the file is left alone.

use super::{bad_input, cannot_be};
use crate::evaluation::Scored;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A line is no longer: one has some kilobytes, of the largest cluster a hundred times as many.
const LINE_LIMIT: usize = 16 << 20;

/// What came of a run by one judge.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(flatten)]
    pub(super) scored: Scored,
    /// Where it was judged as the paper has it: by so many control runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) controls: Option<u64>,
}

/// Results so far.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub(super) lines: Vec<Line>,
    /// Bytes of the file that they take.
    bytes: u64,
    /// Behind them is a line that was cut off.
    is_cut: bool,
    /// The last of them has no end of line.
    is_open: bool,
}

impl Results {
    /// Those of a file.
    ///
    /// # Errors
    /// [`super::BadInput`] where it cannot be read or holds anything else.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let cannot_be_read = |error| cannot_be("read", path, &error);
        let strange = |line| bad_input(format!("{}: line {line} is no result of a matrix", path.display()));
        let file = File::open(path).map_err(cannot_be_read)?;
        Self::parse(BufReader::new(file)).map_err(cannot_be_read)?.map_err(strange)
    }

    /// Those of a file's bytes; else the number of the first line that is none.
    fn parse(mut bytes: impl BufRead) -> io::Result<Result<Self, u64>> {
        let mut results = Self::default();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if bytes.by_ref().take(LINE_LIMIT as u64).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            results.is_open = !line.ends_with(b"\n");
            match serde_json::from_slice(&line) {
                Ok(line) => results.lines.push(line),
                Err(_) if line.trim_ascii().is_empty() => {}
                Err(why) if results.is_open && why.is_eof() && line.len() < LINE_LIMIT => {
                    return Ok(Ok(Self { is_cut: true, is_open: false, ..results }));
                }
                Err(_) => return Ok(Err(number)),
            }
            results.bytes += line.len() as u64;
        }
        Ok(Ok(results))
    }
}

/// A state file that results are added to.
#[derive(Debug)]
pub(super) struct State {
    path: PathBuf,
    file: Mutex<File>,
}

impl State {
    /// Opens the file that these results are of, or makes it.
    ///
    /// # Errors
    /// [`super::BadInput`] where it cannot be written.
    pub(super) fn open(path: &Path, results: &Results) -> Result<Self> {
        let open = || -> io::Result<File> {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            if results.is_cut {
                file.set_len(results.bytes)?;
            }
            if results.is_open {
                file.write_all(b"\n")?;
            }
            Ok(file)
        };
        let file = open().map_err(|error| cannot_be("written", path, &error))?;
        Ok(Self { path: path.to_owned(), file: Mutex::new(file) })
    }

    /// Adds the results of a run.
    ///
    /// # Errors
    /// [`super::BadInput`] where they cannot be written.
    pub(super) fn add(&self, lines: &[Line]) -> Result<()> {
        let mut text = String::new();
        for line in lines {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        let Ok(mut file) = self.file.lock() else { return Ok(()) };
        file.write_all(text.as_bytes()).map_err(|error| cannot_be("written", &self.path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Truth;
    use crate::report::Report;
    use std::fs;

    fn line(run: &str) -> String {
        let truth = Truth { run: run.to_owned(), ..Truth::default() };
        serde_json::to_string(&Scored::new(&truth, &Report::default())).unwrap()
    }

    fn parsed(text: &str) -> Result<Results, u64> {
        Results::parse(text.as_bytes()).unwrap()
    }

    fn runs(results: &Results) -> Vec<&str> {
        results.lines.iter().map(|line| line.scored.run.as_str()).collect()
    }

    #[test]
    fn results_behind_a_cut_line_and_an_open_one_are_lines_of_their_own() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        let whole = format!("{}\n", line("a"));
        let cut = format!("{whole}{}", &line("b")[..20]);
        for (begun, expected) in [(&whole, &["a", "c"][..]), (&cut, &["a", "c"]), (&line("a"), &["a", "c"])] {
            fs::write(&path, begun).unwrap();
            let results = Results::read(&path).unwrap();
            State::open(&path, &results).unwrap().add(&[serde_json::from_str(&line("c")).unwrap()]).unwrap();
            assert_eq!(runs(&Results::read(&path).unwrap()), expected, "behind {begun}");
            assert_eq!(fs::read_to_string(&path).unwrap(), format!("{whole}{}\n", line("c")));
        }
    }

    #[test]
    fn line_says_by_how_many_control_runs_it_was_judged() {
        let paper = line("a").replacen('{', "{\"controls\":4,", 1);
        let lines = parsed(&format!("{}\n{paper}\n", line("a"))).unwrap().lines;
        assert_eq!(lines.iter().map(|line| line.controls).collect::<Vec<_>>(), [None, Some(4)]);
        assert_eq!(lines[0].scored, lines[1].scored);
        assert_eq!(serde_json::to_string(&lines[0]).unwrap(), line("a"), "as it was before there were others");
    }

    #[test]
    fn what_is_no_result_is_told_with_its_line() {
        let a = line("a");
        for (text, number) in [
            ("hello".to_owned(), 1),
            (format!("{a}\nhello\n"), 2),
            (format!("{a}\n{{}}"), 2),
            (format!("{}\n{a}\n", &a[..20]), 1),
        ] {
            assert_eq!(parsed(&text).map(|_| ()), Err(number), "{text}");
        }
        assert_eq!(runs(&parsed(&format!("{a}\n\n")).unwrap()), ["a"]);
        assert!(parsed("").unwrap().lines.is_empty());
    }

    #[test]
    fn line_without_end_is_no_cut_one() {
        let endless = format!("{}\n{{\"run\":\"{}", line("a"), "x".repeat(LINE_LIMIT));
        assert_eq!(parsed(&endless).map(|_| ()), Err(2));
    }
}
