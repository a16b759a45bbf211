//! `oddnode digest`: logs to a digest, or to its lines, one input after another.

use super::args::{FormArgs, ListArgs};
use super::input::{self, Input};
use super::merge::Form;
use super::{bad_input, output, read, read_logs, say};
use crate::base::{Code, IssueTable};
use crate::model::digest::lines::line_of;
use crate::model::{Digest, FileDigest, FileKey};
use crate::pipeline::ingest::ARCHIVE;
use crate::source::Limits;
use anyhow::Result;
use std::io::{self, BufRead, BufReader};
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
        output::write(to, &digest.encode())?;
        return Ok(true);
    }
    let mut whole = true;
    let mut merged = Digest::default();
    let mut failed = None;
    output::stream(to, |out| {
        let mut each = |input: Input| -> Result<()> {
            let (digest, why) = digest_of(&input)?;
            if let Some(why) = why {
                if !form.keep_going {
                    return Err(why);
                }
                say(&format!("{why:#}"));
                whole = false;
            }
            match form.form() {
                Form::Binary => merged.merge(digest),
                // A line is written as soon as its file is read: of many files one is in memory.
                Form::Lines => digest.files().try_for_each(|(key, file)| writeln!(out, "{}", line_of(key, file)))?,
            }
            Ok(())
        };
        let mut all = || match &list.list {
            None => input::list(paths)?.into_iter().try_for_each(&mut each),
            Some(path) => {
                let listed = list.listed();
                for line in BufReader::new(Input::at(path).open()?).lines() {
                    let line = line.map_err(|e| bad_input(format!("{}: cannot be read: {e}", path.display())))?;
                    listed.input(&line).map_or(Ok(()), &mut each)?;
                }
                Ok(())
            }
        };
        match all() {
            Ok(()) if form.form() == Form::Binary => out.write_all(&merged.encode()),
            Ok(()) => Ok(()),
            // Nobody reads on (`| head`).
            Err(why) if why.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) => {
                Ok(())
            }
            Err(why) => {
                failed = Some(why);
                Ok(())
            }
        }
    })?;
    failed.map_or(Ok(whole), Err)
}

/// What could be read of an input, with a row that names it where that is not all of it.
fn digest_of(input: &Input) -> Result<(Digest, Option<anyhow::Error>)> {
    let (mut digest, why) = read::what_is_readable(input, Limits::default());
    if why.is_some() {
        let mut issues = IssueTable::default();
        issues.note(Code::Unreadable, 0);
        let crc = crc32fast::hash(&postcard::to_stdvec(&issues)?);
        let row = FileDigest { format: ARCHIVE.to_owned(), issues, ..FileDigest::default() };
        digest.insert(FileKey { path: input.name.clone(), bytes: 0, crc }, row);
    }
    Ok((digest, why))
}
