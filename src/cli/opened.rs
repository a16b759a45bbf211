//! Reports, links and keys given where logs could be: opened instead of read.

use super::input::{self, Input, STDIN};
use super::switches::ParamArgs;
use super::{bad_input, say};
use crate::base::text::first_of;
use crate::report::key::{self, Key, KeyFile};
use crate::report::{Report, check, file, link};
use anyhow::Result;
use std::fmt::Display;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Parts that a link left out, named when it is opened; the report's JSON has all.
const LEFT_OUT_NAMED: usize = 4;

/// What a path turns out to be.
pub(super) enum Opened {
    /// A report, or a link that is one.
    Report(Box<Report>),
    /// Anything else, which may be logs.
    Logs(Vec<Input>),
}

/// Opens what a path names or a link is. A report that says what its own numbers do not is refused as a whole, as in the
/// page: its witnesses and jobs would still name the node.
///
/// # Errors
/// [`super::BadInput`] with the reason where it is a report and cannot be shown, or no file is there.
pub(super) fn open(path: &Path) -> Result<Opened> {
    // Some programs write `%3D` for the `=` of a link, which is its own name, and too long for one.
    let text = path.to_str().map(|text| text.replacen("#r%3D", link::PREFIX, 1));
    let (bytes, shown) = match text.filter(|text| text.contains(link::PREFIX) && !path.exists()) {
        Some(link) => (link.into_bytes(), "the link".to_owned()),
        None if path.as_os_str() == STDIN => {
            let shown = "standard input".to_owned();
            match read_report(&mut io::stdin().lock(), &shown)? {
                (bytes, true) => (bytes, shown),
                (head, false) => return Ok(Opened::Logs(vec![Input::begun(head)])),
            }
        }
        None => match reported(path)? {
            Some(bytes) => (bytes, path.display().to_string()),
            None => return Ok(Opened::Logs(input::list(&[path.to_owned()])?)),
        },
    };
    let mut report = file::open(&bytes).map_err(|error| bad_input(format!("{shown}: {error}")))?;
    let checked = check::enforce(&mut report);
    if let Some(why) = report.refused() {
        return Err(bad_input(why.to_owned()));
    }
    say(&checked.in_words());
    if !report.left_out.is_empty() {
        say(&format!("left out to keep the link short: {}", most_missed(&report.left_out)));
    }
    Ok(Opened::Report(Box::new(report)))
}

/// Of what a link left out, the parts that are missed most, which went last; a part of another goes without saying.
fn most_missed(left_out: &[String]) -> String {
    let within = |part: &&String| {
        !left_out.iter().any(|other| part.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with(' ')))
    };
    let parts: Vec<&str> = left_out.iter().rev().filter(within).map(String::as_str).collect();
    first_of(&parts, LEFT_OUT_NAMED)
}

/// Opens the only one of these paths; several are logs.
///
/// # Errors
/// As [`open`].
pub(super) fn open_any(paths: &[PathBuf]) -> Result<Opened> {
    match paths {
        [only] => open(only),
        several => Ok(Opened::Logs(input::list(several)?)),
    }
}

/// The bytes of a file that begins as a report does.
fn reported(path: &Path) -> Result<Option<Vec<u8>>> {
    // To open a pipe and close it again would take from its writer what is still to be read.
    if !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Ok(None);
    }
    // What cannot be opened or read is told where it is read as a log.
    let Ok(mut opened) = std::fs::File::open(path) else { return Ok(None) };
    Ok(read_report(&mut opened, &path.display().to_string()).ok().filter(|(_, is_one)| *is_one).map(|(bytes, _)| bytes))
}

/// All bytes of what begins as a report does, or else those that it took to see that it does not.
fn read_report(from: &mut dyn Read, shown: &str) -> Result<(Vec<u8>, bool)> {
    let told = |error: io::Error| bad_input(format!("{shown}: cannot be read: {error}"));
    let mut bytes = Vec::new();
    from.take(file::HEAD_BYTES as u64).read_to_end(&mut bytes).map_err(told)?;
    let is_one = file::is_one(&bytes);
    if is_one {
        from.take(file::LIMIT_BYTES as u64).read_to_end(&mut bytes).map_err(told)?;
    }
    Ok((bytes, is_one))
}

/// Tells that a report is shown as it was made, where anything else was asked for.
pub(super) fn tell_of_switches(asked: &ParamArgs) {
    if asked.are_set() {
        say(
            "a saved report cannot be diagnosed again: options and control runs have no effect on it; give them with the logs",
        );
    }
}

/// The report with its real names, where it has pseudonyms and a key is given.
///
/// # Errors
/// [`super::BadInput`] where the key cannot be read or is another report's.
pub(super) fn named(report: Report, key: Option<&Path>) -> Result<Report> {
    let (Some(path), true) = (key, report.pseudonyms.is_some()) else { return Ok(report) };
    let file = key_file(path)?;
    file.reveal(&report).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}

/// Gives those that are reports with pseudonyms of a key their real names.
///
/// # Errors
/// [`super::BadInput`] where the key cannot be read, or none has its pseudonyms.
pub(super) fn name_any(opened: &mut [Opened], key: &Path) -> Result<()> {
    let file = key_file(key)?;
    let refused = |why: &dyn Display| bad_input(format!("{}: {why}", key.display()));
    let mut fits = false;
    for one in opened {
        if let Opened::Report(report) = one
            && report.pseudonyms.as_ref() == Some(&file.id)
        {
            **report = file.reveal(report).map_err(|error| refused(&error))?;
            fits = true;
        }
    }
    if fits { Ok(()) } else { Err(refused(&"neither run has pseudonyms of this key")) }
}

/// The key file at a path.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read or is none.
pub(super) fn key_file(path: &Path) -> Result<KeyFile> {
    let mut bytes = Vec::new();
    Input::file(path).read_while(|piece| {
        bytes.extend_from_slice(piece);
        bytes.len() <= key::LIMIT_BYTES
    })?;
    KeyFile::decode(&bytes).map_err(|error| bad_input(format!("{}: {error}", path.display())))
}

/// The key in a file; a new one where there is no file.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read; the system's where it gives no random bytes.
pub(super) fn key(path: Option<&Path>) -> Result<Key> {
    if let Some(path) = path.filter(|path| path.exists()) {
        let damaged = || bad_input(format!("{}: holds no key", path.display()));
        return key_file(path)?.key().ok_or_else(damaged);
    }
    let mut bytes = [0; key::KEY_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("the system gives no random bytes: {error}"))?;
    Ok(Key::from_random(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_link_left_out_is_told_in_short() {
        let parts = [
            "shapes of unknown lines",
            "issues",
            "evidence lines beyond the first",
            "nodes",
            "evidence lines",
            "witnesses",
        ];
        let parts = parts.map(String::from);
        assert_eq!(most_missed(&parts), "witnesses, evidence lines, nodes, issues and 1 more");
        assert_eq!(most_missed(&parts[..1]), parts[0]);
    }
}
