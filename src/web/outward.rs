//! What leaves, made on the worker's side: links, pages and tickets, under pseudonyms or real
//! names.

use crate::base::Gathered;
use crate::draw::html;
use crate::protocol::{FoundLine, Leaving, Shared};
use crate::report::key::{Key, KeyFile};
use crate::report::link::{Size, encode_behind};
use crate::report::ticket::{self, Form};
use crate::report::{Lines, Report, carried, scrub, survival};
use std::borrow::Cow;

/// The report under the names that it leaves with, and the key where there is one.
fn outward<'a>(report: &'a Report, leaving: &Leaving) -> (Cow<'a, Report>, Option<KeyFile>) {
    if !scrub::hides_names(report, leaving.real_names) {
        return (Cow::Borrowed(report), None);
    }
    let (scrubbed, key) = scrub::scrub(report, &Key::from_random(leaving.key));
    (Cow::Owned(scrubbed), Some(key))
}

/// A link, behind an address of so many characters.
pub fn share(report: &Report, leaving: &Leaving, size: Size, address: usize) -> Shared {
    let (report, key) = outward(report, leaving);
    let (link, carried) = encode_behind(&report, size, address);
    Shared {
        survives: survival::in_words(address + link.fragment.len()),
        carries: carried::in_words(&carried, &report),
        link,
        texts: scrub::strings(&carried),
        key_file: key.map(|key| key.to_json()),
    }
}

/// The page that opens from disk, and every text of the report in it.
///
/// # Errors
/// In words, if a figure could not be drawn.
pub fn page(report: &Report, leaving: &Leaving) -> Result<(String, Vec<String>), String> {
    let (report, _) = outward(report, leaving);
    let page = html::page(&report, &Lines::new()).map_err(|e| e.to_string())?;
    Ok((page, scrub::strings(&report)))
}

/// The text for a ticket. Raw lines hold names: they go with real ones only.
pub fn ticket(report: &Report, leaving: &Leaving, form: Form, lines: Vec<FoundLine>) -> String {
    let (report, key) = outward(report, leaving);
    let lines = lines.into_iter().filter(|_| key.is_none());
    let lines: Lines = lines.map(|FoundLine { at, text }| (at, text)).gathered();
    ticket::text(&report, &lines, form)
}
