//! A report as what was asked for: text, JSON and tickets for the user's own eyes with real
//! names; pages and links, which are for others, with pseudonyms unless told otherwise.

use super::args::{ReportFormat, ShareArgs};
use super::{bad_input, opened, output, say, text};
use crate::draw::html;
use crate::report::ticket::{self, Form};
use crate::report::{Lines, Report, link, scrub, survival};
use anyhow::Result;
use std::path::Path;

/// Whether the report is for others.
const fn leaves(format: ReportFormat, share: &ShareArgs) -> bool {
    share.link.is_some() || matches!(format, ReportFormat::Html)
}

/// Tells of a key that is asked for while logs are diagnosed and no name is hidden.
pub(super) fn tell_of_key(format: ReportFormat, share: &ShareArgs) {
    if share.key.is_some() && (share.real_names || !leaves(format, share)) {
        say("names stay as they are, so no key is kept; --link and --format html hide them");
    }
}

/// Tells of real names that are asked for where no name is hidden.
pub(super) fn tell_of_real_names(format: ReportFormat, share: &ShareArgs) {
    if share.real_names && !leaves(format, share) {
        say("--real-names does nothing here: only --link and --format html hide names");
    }
}

/// Characters that a page's address may have, before which a link of the command is put: it counts where a link is cut.
const PAGE_CHARACTERS: usize = 100;

/// Writes the report, and its link if one is asked for.
///
/// # Errors
/// [`super::BadInput`] where a file cannot be written or a key not be read.
pub(super) fn write(
    report: &Report,
    lines: &Lines,
    format: ReportFormat,
    to: Option<&Path>,
    share: &ShareArgs,
) -> Result<()> {
    let leaves = leaves(format, share);
    let hidden = leaves && scrub::hides_names(report, share.real_names);
    let scrubbed = if hidden { Some(pseudonymous(report, share.key.as_deref())?) } else { None };
    let outward = scrubbed.as_ref().unwrap_or(report);
    // Raw lines are full of names.
    let no_lines = Lines::new();
    let body = match format {
        ReportFormat::Json => report.to_json(),
        ReportFormat::Text => text::report(report, lines),
        ReportFormat::Markdown => ticket::text(report, lines, Form::Markdown),
        ReportFormat::Ticket => ticket::text(report, lines, Form::Plain),
        ReportFormat::Html => html::page(outward, if hidden { &no_lines } else { lines })?,
    };
    output::write(to, body.as_bytes())?;
    let Some(size) = share.link else { return Ok(()) };
    let (made, _) = link::encode_behind(outward, size.size(), PAGE_CHARACTERS);
    let characters = made.fragment.len() + PAGE_CHARACTERS;
    say(&format!(
        "{} characters, with a page's address of {PAGE_CHARACTERS} before it {characters}: {}",
        made.fragment.len(),
        survival::in_words(characters)
    ));
    match (format, to) {
        // Standard output is the document and nothing else.
        (ReportFormat::Json | ReportFormat::Html, None) => say(&made.fragment),
        _ => output::write(None, format!("{}\n", made.fragment).as_bytes())?,
    }
    Ok(())
}

/// The report under pseudonyms; their key goes into the file, if one is named.
fn pseudonymous(report: &Report, path: Option<&Path>) -> Result<Report> {
    let key = opened::key(path)?;
    let (scrubbed, file) = scrub::scrub(report, &key);
    match path {
        Some(path) if path.exists() && opened::key_file(path)?.id != file.id => {
            return Err(bad_input(format!("{}: keeps the names of another report; name another file", path.display())));
        }
        Some(path) => output::write_private(path, file.to_json().as_bytes())
            .map_err(|error| bad_input(format!("the key is not kept: {error}")))?,
        None => say("names are pseudonyms; --key FILE keeps what turns them back, --real-names leaves them"),
    }
    Ok(scrubbed)
}
