//! `oddnode digest`: logs to a digest, or to its lines, one input after another.

use super::args::{FormArgs, ListArgs};
use super::input::{self, Input};
use super::merge::Form;
use super::{bad_input, output, read, read_logs, say};
use crate::base::crc::crc32;
use crate::base::{Code, IssueTable};
use crate::model::digest::deflated;
use crate::model::digest::lines::line_of;
use crate::model::{Digest, FileDigest, FileKey};
use crate::pipeline::ingest::ARCHIVE;
use crate::source::Limits;
use anyhow::Result;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

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
    if let (None, Form::Binary, false) = (&list.list, form.form(), form.keep_going) {
        let digest = read_logs(&input::list(paths)?, workers)?;
        output::stream(to, |out| {
            digest.encode_by(out, |frames, write| {
                read::in_order(frames, workers, |plain| deflated(&plain), |body| Ok(write(&body)?))
            })
        })?;
        return Ok(true);
    }
    let mut whole = true;
    let mut readable = |input: &Input| {
        let (mut digest, why) = read::what_is_readable(input, Limits::default(), |_| {});
        if let Some(why) = why {
            if !form.keep_going {
                return Err(why);
            }
            say(&format!("{why:#}"));
            whole = false;
            name_unreadable(input, &mut digest)?;
        }
        Ok(digest)
    };
    match form.form() {
        Form::Binary => {
            let mut merged = Digest::default();
            each_input(paths, list, |input| {
                merged.merge(readable(&input)?);
                Ok(())
            })?;
            output::write(to, &merged.encode())?;
        }
        // A line is written as soon as its file is read: of many files one is in memory.
        Form::Lines => output::stream(to, |out| {
            each_input(paths, list, |input| {
                let digest = readable(&input)?;
                Ok(digest.files().try_for_each(|(key, file)| writeln!(out, "{}", line_of(key, file)))?)
            })
        })?,
    }
    Ok(whole)
}

/// Gives the inputs that arguments or a list name, one after another.
fn each_input(paths: &[PathBuf], list: &ListArgs, mut each: impl FnMut(Input) -> Result<()>) -> Result<()> {
    let Some(path) = &list.list else { return input::list(paths)?.into_iter().try_for_each(each) };
    let listed = list.listed();
    for line in BufReader::new(Input::at(path).open()?).lines() {
        let line = line.map_err(|e| bad_input(format!("{}: cannot be read: {e}", path.display())))?;
        listed.input(&line).map_or(Ok(()), &mut each)?;
    }
    Ok(())
}

/// Adds a row that names an input which could not be read, or not to its end.
fn name_unreadable(input: &Input, digest: &mut Digest) -> Result<()> {
    let mut issues = IssueTable::default();
    issues.note(Code::Unreadable, 0);
    let crc = crc32(&postcard::to_stdvec(&issues)?);
    let row = FileDigest { format: ARCHIVE.to_owned(), issues, ..FileDigest::default() };
    digest.insert(FileKey { path: input.name.clone(), bytes: 0, crc }, row);
    Ok(())
}
