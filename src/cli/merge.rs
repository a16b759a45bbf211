//! Digests to one, in bounded memory: sorted runs on disk where they do not fit.
//!
//! ```text
//! digests, lines of digests --(in memory up to RUN_BYTES)--> runs on disk --(frame by frame)--> digest or lines
//! ```

use super::args::FormArgs;
use super::input::Input;
use super::{BadInput, bad_input, output, read, say};
use crate::base::{Code, IssueTable};
use crate::model::digest::DIGEST_LINES;
use crate::model::digest::MAGIC;
use crate::model::digest::frames::{self, FrameReader, FrameWriter, ReadError};
use crate::model::digest::lines::{LINE_PREFIX, each_of_line, line_of};
use crate::model::{Digest, DigestError, FileDigest, FileKey};
use crate::pipeline::ingest::DIGEST;
use anyhow::Result;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek};
use std::path::{Path, PathBuf};

/// What is kept in memory before a run goes to disk: as much as the analysis of a page may
/// take for itself.
const RUN_BYTES: usize = 64 << 20;
/// Runs merged at once: each has a file open, of which a process has some 1,000.
const RUNS_AT_ONCE: usize = 256;
/// A line of a digest at most: one file's digest in base64.
const LINE_BYTES: u64 = 1 << 30;

/// How a digest is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Its own bytes.
    Binary,
    /// One line a file.
    Lines,
}

/// What is merged so far.
struct Pool {
    digest: Digest,
    bytes: usize,
    run_bytes: usize,
    runs: Vec<File>,
}

impl Pool {
    fn new(run_bytes: usize) -> Self {
        Self { digest: Digest::default(), bytes: 0, run_bytes, runs: Vec::new() }
    }

    fn add(&mut self, key: FileKey, file: FileDigest) -> Result<()> {
        self.bytes += file.memory_bytes(&key);
        self.digest.insert(key, file);
        if self.bytes > self.run_bytes {
            self.spill()?;
        }
        Ok(())
    }

    /// Puts what is in memory into a run.
    fn spill(&mut self) -> Result<()> {
        let digest = std::mem::take(&mut self.digest);
        self.bytes = 0;
        let run = run_of(|out| digest.files().try_for_each(|(key, file)| out.push(key, file)))?;
        self.runs.push(run);
        if self.runs.len() >= RUNS_AT_ONCE {
            let runs = std::mem::take(&mut self.runs);
            let one = run_of(|out| merge_runs(runs, |key, file| out.push(key, file)))?;
            self.runs.push(one);
        }
        Ok(())
    }

    /// Nothing more is added: if there are runs, all is in them.
    fn settled(mut self) -> Result<Self> {
        if !self.runs.is_empty() {
            self.spill()?;
        }
        Ok(self)
    }

    /// Gives every file of a settled pool once, in order of key.
    fn each(self, mut each: impl FnMut(&FileKey, &FileDigest) -> io::Result<()>) -> io::Result<()> {
        if self.runs.is_empty() {
            return self.digest.files().try_for_each(|(key, file)| each(key, file));
        }
        merge_runs(self.runs, each)
    }
}

/// A file without a name, at its beginning, that holds the digest that `write` writes.
fn run_of(write: impl FnOnce(&mut FrameWriter<BufWriter<File>>) -> io::Result<()>) -> Result<File> {
    let written = || {
        let mut out = FrameWriter::new(BufWriter::new(tempfile::tempfile()?))?;
        write(&mut out)?;
        let mut file = out.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(file)
    };
    written().map_err(|e: io::Error| bad_input(format!("{}: no room for a merge: {e}", std::env::temp_dir().display())))
}

fn merge_runs(runs: Vec<File>, each: impl FnMut(&FileKey, &FileDigest) -> io::Result<()>) -> io::Result<()> {
    let readers = runs.into_iter().map(|run| FrameReader::new(BufReader::new(run)));
    let readers = readers.collect::<Result<Vec<_>, _>>().map_err(|e| io::Error::other(e.to_string()))?;
    let mut trouble = None;
    frames::merge(readers, each, |_, why| trouble = Some(why))?;
    // Our own runs: a disk that does not give back what was put on it.
    trouble.map_or(Ok(()), |why| Err(io::Error::other(why.to_string())))
}

/// Merges digests and lines of digests; returns whether all of them were whole. What is not
/// is named on standard error and in the merged digest; what could be read of it is kept.
///
/// # Errors
/// [`super::BadInput`] where an input is no digest or cannot be opened (unless it shall keep going), or the output
/// cannot be written.
pub(super) fn merge(paths: &[PathBuf], form: FormArgs, to: Option<&Path>) -> Result<bool> {
    let mut pool = Pool::new(RUN_BYTES);
    let mut whole = true;
    for path in paths {
        let mut issues = IssueTable::default();
        let mut format = DIGEST;
        if let Err(why) = add(&mut pool, path, &mut issues, &mut format) {
            if !form.keep_going || !why.is::<BadInput>() {
                return Err(why);
            }
            say(&format!("{why:#}"));
            issues.note(Code::Unreadable, 0);
        }
        if !issues.is_empty() {
            whole = false;
            let (key, row) = read::row_of_issues(&Input::at(path).name, format, issues)?;
            pool.add(key, row)?;
        }
    }
    let pool = pool.settled()?;
    output::stream(to, |out| {
        match form.form() {
            Form::Binary => {
                let mut out = FrameWriter::new(out)?;
                pool.each(|key, file| out.push(key, file))?;
                out.finish()?;
            }
            Form::Lines => pool.each(|key, file| writeln!(out, "{}", line_of(key, file)))?,
        }
        Ok(())
    })?;
    Ok(whole)
}

/// Adds what an input holds; `format` is that of a row for its issues.
///
/// # Errors
/// [`super::BadInput`] where it is no digest, or cannot be read.
fn add(pool: &mut Pool, path: &Path, issues: &mut IssueTable, format: &mut &str) -> Result<()> {
    let mut from = BufReader::with_capacity(1 << 20, Input::at(path).open()?);
    let head = from.fill_buf().map_err(|e| bad_input(format!("{}: cannot be read: {e}", path.display())))?;
    if head.is_empty() {
        // A reducer that got nothing leaves such part files; so does a host where the command failed.
        say(&format!("notice: {}: is empty", path.display()));
        Ok(())
    } else if head.starts_with(LINE_PREFIX) {
        *format = DIGEST_LINES;
        add_lines(pool, from, path, issues)
    } else if MAGIC.starts_with(head.get(..MAGIC.len().min(head.len())).unwrap_or_default()) {
        add_frames(pool, from, path, issues)
    } else {
        Err(bad_input(format!("{}: {}", path.display(), DigestError::NotADigest)))
    }
}

fn code_of(why: &DigestError) -> Code {
    if matches!(why, DigestError::Newer { .. }) { Code::NewerDigest } else { Code::BadDigest }
}

fn add_frames(pool: &mut Pool, from: impl Read, path: &Path, issues: &mut IssueTable) -> Result<()> {
    let mut broken = |why: ReadError| match why {
        ReadError::Digest(why) => {
            say(&format!("{}: {why}", path.display()));
            issues.note(code_of(&why), why.byte());
            Ok(())
        }
        why => Err(bad_input(format!("{}: {why}", path.display()))),
    };
    let reader = match FrameReader::new(from) {
        Ok(reader) => reader,
        Err(why) => return broken(why),
    };
    for file in reader {
        match file {
            Ok((key, file)) => pool.add(key, file)?,
            Err(why) => return broken(why),
        }
    }
    Ok(())
}

fn add_lines(pool: &mut Pool, mut from: impl BufRead, path: &Path, issues: &mut IssueTable) -> Result<()> {
    for number in 1.. {
        let mut line = Vec::new();
        let read = from.by_ref().take(LINE_BYTES).read_until(b'\n', &mut line);
        if read.map_err(|e| bad_input(format!("{}: cannot be read at line {number}: {e}", path.display())))? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let mut added = Ok(());
        let trouble = each_of_line(&line, &mut |key, file| {
            added = pool.add(key, file);
            added.is_ok()
        });
        added?;
        if let Some(why) = trouble {
            say(&format!("{}: line {number}: {why}", path.display()));
            issues.note(code_of(&why), number);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_on_disk_change_nothing() {
        let file = |n: u64| {
            let key = FileKey { path: format!("h{}", n * 37 % 101), bytes: n % 3, crc: 0 };
            (key, FileDigest { lines: n % 3 * 1000 + n * 37 % 101, ..FileDigest::default() })
        };
        let mut whole = Digest::default();
        // So small that every second file makes a run, and the runs are merged on the way.
        let mut pool = Pool::new(750);
        for n in 0..1400 {
            let (key, file) = file(n);
            whole.insert(key.clone(), file.clone());
            pool.add(key, file).unwrap();
        }
        assert!(pool.runs.len() > 1);
        let mut merged = Digest::default();
        let mut last = None;
        let each = |key: &FileKey, file: &FileDigest| {
            assert!(last.as_ref().is_none_or(|before| before < key), "in order, each once");
            last = Some(key.clone());
            merged.insert(key.clone(), file.clone());
            Ok(())
        };
        pool.settled().unwrap().each(each).unwrap();
        assert_eq!(merged, whole);
    }
}
