//! Reports, links and keys given where logs could be: opened instead of read.

use super::{bad_input, input, say};
use crate::report::key::{self, Key, KeyFile};
use crate::report::{Report, check, file, link};
use anyhow::Result;
use std::io::Read;
use std::path::Path;

/// Opens the report that a path names or a link is; `None` where it is neither and may be
/// logs. What does not follow from the report's own numbers is taken out and told.
///
/// # Errors
/// [`super::BadInput`] with the reason where it is one and cannot be shown.
pub(super) fn report(path: &Path) -> Result<Option<Report>> {
    let bytes = match path.to_str().filter(|text| text.contains(link::PREFIX) && !path.exists()) {
        Some(link) => link.as_bytes().to_vec(),
        None => match reported(path)? {
            Some(bytes) => bytes,
            None => return Ok(None),
        },
    };
    let shown = path.to_string_lossy();
    // A link is its own name, and too long for one.
    let shown: String = if shown.contains(link::PREFIX) { "the link".into() } else { shown.into_owned() };
    let (mut report, left_out) = file::open(&bytes).map_err(|error| bad_input(format!("{shown}: {error}")))?;
    say(&check::enforce(&mut report, &left_out).in_words());
    if !left_out.is_empty() {
        say(&format!("left out to keep the link short: {}", left_out.join(", ")));
    }
    Ok(Some(report))
}

/// The bytes of a file that begins as a report does.
fn reported(path: &Path) -> Result<Option<Vec<u8>>> {
    // To open a pipe and close it again would take from its writer what is still to be read.
    if !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return Ok(None);
    }
    let Ok(mut opened) = std::fs::File::open(path) else { return Ok(None) };
    let mut head = Vec::new();
    if (&mut opened).take(file::HEAD_BYTES as u64).read_to_end(&mut head).is_err() || !file::is_one(&head) {
        return Ok(None);
    }
    let mut bytes = head;
    let rest = opened.take(file::LIMIT_BYTES as u64).read_to_end(&mut bytes);
    rest.map_err(|error| bad_input(format!("{}: cannot be read: {error}", path.display())))?;
    Ok(Some(bytes))
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

/// The key file at a path.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read or is none.
pub(super) fn key_file(path: &Path) -> Result<KeyFile> {
    let mut bytes = Vec::new();
    input::Input::file(path).read(|piece| {
        if bytes.len() <= key::LIMIT_BYTES {
            bytes.extend_from_slice(piece);
        }
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
