//! `oddnode digest`: logs to a digest, or to its lines, as many inputs at a time as there are workers.

use super::args::{FormArgs, ListArgs};
use super::input::{self, Input};
use super::merge::Form;
use super::notices::Told;
use super::{apart, bad_input, cannot_be, notices, output, read};
use crate::model::Digest;
use crate::model::digest::lines::line_of;
use crate::source::Limits;
use anyhow::Result;
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A line of a list is no longer: a path ends at 4,096 bytes.
const LINE_LIMIT: u64 = 64 << 10;
/// A list that is held is no longer: that of a million paths is some 100 MB.
const LIST_LIMIT: usize = 1 << 30;

/// Writes the digest of the inputs; returns whether all of them could be read.
///
/// # Errors
/// [`super::BadInput`] where an input cannot be read (unless it shall keep going) or the output
/// cannot be written.
pub(super) fn digest(
    paths: &[PathBuf],
    list: &ListArgs,
    form: FormArgs,
    workers: usize,
    to: Option<&Path>,
) -> Result<bool> {
    let lines = listed_lines(list, to)?;
    if let (None, Form::Binary, false) = (&lines, form.form(), form.keep_going) {
        let inputs = input::list(paths)?;
        apart::require_inputs(to, &inputs)?;
        let (digest, told) = read::digest(&inputs, workers, Limits::default())?;
        let is_readable = notices::is_readable(&digest, &told);
        if is_readable {
            notices::tell(&digest, &told);
        }
        // A part without a log is one as any other: it tells what could not be read, and others have the logs.
        require_worth(is_readable, to)?;
        output::stream(to, |out| {
            digest.encode_by(out, |frames, write| {
                read::in_order(frames, workers, |plain| plain.deflated(), |body| Ok(write(&body)?))
            })
        })?;
        return Ok(is_readable && notices::all_readable(&digest));
    }
    apart::require(to, paths.iter().map(PathBuf::as_path))?;
    let mut whole = true;
    // Before there is an output, which may lie in a folder that is read.
    let inputs = inputs_of(paths, list, lines, form.keep_going)?;
    let read = |input: Input| {
        let (digest, is_whole) = read::or_named(&input, Limits::default(), form.keep_going, |_| {})?;
        anyhow::Ok((input.name, digest, is_whole))
    };
    // Who goes on whatever comes takes what comes of it.
    let has_log = Cell::new(form.keep_going);
    let mut taken = |(name, digest, is_whole): (String, Digest, bool)| {
        whole &= is_whole;
        has_log.set(has_log.get() || notices::has_log(&digest));
        notices::tell(&digest, &if is_whole { Told::new() } else { Told::from([name]) });
        digest
    };
    match form.form() {
        Form::Binary => {
            let mut merged = Digest::default();
            read::in_order(inputs, workers, read, |digest| {
                merged.merge(taken(digest?));
                Ok(())
            })?;
            require_worth(has_log.get(), to)?;
            output::write(to, &merged.encode())?;
        }
        // Lines are written as soon as their file and those before it are read: of many files a few are in memory.
        Form::Lines => output::stream(to, |out| {
            read::in_order(inputs, workers, read, |digest| {
                let digest = taken(digest?);
                Ok(digest.files().try_for_each(|(key, file)| writeln!(out, "{}", line_of(key, file)))?)
            })?;
            require_worth(has_log.get(), to)
        })?,
    }
    Ok(whole)
}

/// Keeps a file that holds something from being replaced by a digest that holds no log.
///
/// # Errors
/// [`super::BadInput`] where it would be.
fn require_worth(has_log: bool, to: Option<&Path>) -> Result<()> {
    let kept = to.filter(|path| std::fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() > 0));
    match kept {
        Some(path) if !has_log => {
            Err(bad_input(format!("{}: stays as it is, since no log could be read", path.display())))
        }
        _ => Ok(()),
    }
}

/// Lines of a list.
type Lines = Box<dyn Iterator<Item = Result<String>>>;

/// The lines of a list as they come.
struct ListLines {
    from: BufReader<Box<dyn Read>>,
    path: PathBuf,
    /// That of the line before.
    number: u64,
}

impl ListLines {
    fn next_line(&mut self) -> Result<Option<String>> {
        self.number += 1;
        let mut line = String::new();
        let read = self.from.by_ref().take(LINE_LIMIT).read_line(&mut line);
        let read = read.map_err(|error| cannot_be("read", &self.path, &error))?;
        if read as u64 == LINE_LIMIT {
            let (path, number) = (self.path.display(), self.number);
            return Err(bad_input(format!("{path}: line {number} is too long for a path")));
        }
        Ok((read > 0).then_some(line))
    }
}

impl Iterator for ListLines {
    type Item = Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_line().transpose()
    }
}

/// The lines of the list, if there is one, as they come. All of them at once where a file is written: nothing that
/// they name may be that file.
fn listed_lines(list: &ListArgs, to: Option<&Path>) -> Result<Option<Lines>> {
    let Some(path) = list.list.clone() else { return Ok(None) };
    let from = BufReader::new(Input::at(&path).open()?);
    let listed_by = ListLines { from, path: path.clone(), number: 0 };
    if to.is_none() {
        return Ok(Some(Box::new(listed_by)));
    }
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for line in listed_by {
        let line = line?;
        bytes += line.len();
        if bytes > LIST_LIMIT {
            let most = LIST_LIMIT >> 30;
            return Err(bad_input(format!("{}: a list may have {most} GiB where -o is given", path.display())));
        }
        lines.push(line);
    }
    let listed = list.listed();
    let inputs: Vec<Input> = lines.iter().filter_map(|line| listed.input(line)).collect();
    apart::require(to, inputs.iter().filter_map(Input::path).chain([path.as_path()]))?;
    Ok(Some(Box::new(lines.into_iter().map(Ok))))
}

/// Inputs that are listed before any is read, or as the lines of their list come.
type Inputs = Box<dyn Iterator<Item = Result<Input>>>;

/// The inputs that arguments or a list's lines name; `keep_going`: also what is not there.
fn inputs_of(paths: &[PathBuf], list: &ListArgs, lines: Option<Lines>, keep_going: bool) -> Result<Inputs> {
    if let Some(lines) = lines {
        let listed = list.listed();
        return Ok(Box::new(lines.filter_map(move |line| line.map(|line| listed.input(&line)).transpose())));
    }
    let mut inputs = Vec::new();
    for (path, name) in paths.iter().zip(input::names(paths)) {
        match input::inputs_at(path, name) {
            // It is tried, and told.
            Err(_) if keep_going => inputs.push(Input::file(path)),
            of_path => inputs.extend(of_path?),
        }
    }
    Ok(Box::new(inputs.into_iter().map(Ok)))
}
