//! `oddnode digest`: logs to a digest, or to its lines, one input after another.

use super::args::{FormArgs, ListArgs};
use super::input::{self, Input};
use super::merge::Form;
use super::{bad_input, output, read, read_logs};
use crate::model::Digest;
use crate::model::digest::deflated;
use crate::model::digest::lines::line_of;
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
        let (digest, is_whole) = read::or_named(input, Limits::default(), form.keep_going, |_| {})?;
        whole &= is_whole;
        anyhow::Ok(digest)
    };
    match form.form() {
        Form::Binary => {
            let mut merged = Digest::default();
            each_input(paths, list, form.keep_going, |input| {
                merged.merge(readable(&input)?);
                Ok(())
            })?;
            output::write(to, &merged.encode())?;
        }
        // A line is written as soon as its file is read: of many files one is in memory.
        Form::Lines => output::stream(to, |out| {
            each_input(paths, list, form.keep_going, |input| {
                let digest = readable(&input)?;
                Ok(digest.files().try_for_each(|(key, file)| writeln!(out, "{}", line_of(key, file)))?)
            })
        })?,
    }
    Ok(whole)
}

/// Gives the inputs that arguments or a list name, one after another; `keep_going`: also what is not there.
fn each_input(
    paths: &[PathBuf],
    list: &ListArgs,
    keep_going: bool,
    mut each: impl FnMut(Input) -> Result<()>,
) -> Result<()> {
    let Some(path) = &list.list else {
        for path in paths {
            let inputs = match input::inputs_at(path) {
                // It is tried, and told.
                Err(_) if keep_going => vec![Input::file(path)],
                inputs => inputs?,
            };
            inputs.into_iter().try_for_each(&mut each)?;
        }
        return Ok(());
    };
    let listed = list.listed();
    for line in BufReader::new(Input::at(path).open()?).lines() {
        let line = line.map_err(|e| bad_input(format!("{}: cannot be read: {e}", path.display())))?;
        listed.input(&line).map_or(Ok(()), &mut each)?;
    }
    Ok(())
}
