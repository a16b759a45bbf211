//! Raw lines of the logs: found again in the files that were dropped, and shown where they are
//! spoken of.

use super::client::Failure;
use super::dom::{document, el, set_text};
use super::envelope::Attachments;
use super::session::Session;
use crate::base::text::below;
use crate::protocol::{Answer, Question};
use crate::report::LineRef;
use crate::source::label;
use std::collections::BTreeMap;
use std::rc::Rc;
use web_sys::Element;

/// A line of evidence on the page, waiting for its text.
#[derive(Debug)]
pub struct Quote {
    /// Where it stands.
    pub at: LineRef,
    /// What receives its text.
    pub text: Element,
    /// What of the line it is about.
    pub about: String,
}

/// A line of more characters is a wall: so many of it are shown, around what it is about…
const SHOWN_BYTES: usize = 300;
/// …of which so many before that.
const BEFORE_BYTES: usize = 100;

impl Quote {
    /// Puts the line into its place, the whole of a long one behind a fold.
    fn put(&self, line: &str) {
        if line.len() <= SHOWN_BYTES {
            return set_text(&self.text, line);
        }
        let about = self.about.as_bytes();
        let at = line.as_bytes().windows(about.len().max(1)).position(|part| part == about).unwrap_or(0);
        // The last part of a line is as long as others.
        let from = line.floor_char_boundary(at.saturating_sub(BEFORE_BYTES).min(line.len() - SHOWN_BYTES));
        let to = line.ceil_char_boundary(from + SHOWN_BYTES);
        let dots = |is_cut: bool| if is_cut { "…" } else { "" };
        let part = line.get(from..to).unwrap_or_default();
        let part = format!("{}{part}{}", dots(from > 0), dots(to < line.len()));
        set_text(&self.text, &part);
        let whole = el("details").class("fold").child(el("summary").text("More of this line"));
        let _ = self.text.after_with_node_1(whole.child(el("code").class("raw").text(line)).get());
    }
}

/// Fetches the raw text of the quotes, file by file, and puts it in its place.
///
/// # Errors
/// If the worker that reads ends.
pub async fn fetch(session: Rc<Session>, quotes: Vec<Quote>) -> Result<(), Failure> {
    let Some(finder) = session.finder.clone() else { return Ok(()) };
    let mut by_input: BTreeMap<usize, Vec<LineRef>> = BTreeMap::new();
    // As places name them.
    let labels: Vec<String> = session.inputs.iter().map(|input| label(input.name.as_bytes())).collect();
    for quote in &quotes {
        let holds = |name: &String| quote.at.file == *name || below(&quote.at.file, name).is_some();
        // A file may be called as a folder beside it: the longer name is the nearer one.
        let holding = labels.iter().enumerate().filter(|(_, name)| holds(name));
        if let Some((input, _)) = holding.max_by_key(|(_, name)| name.len()) {
            by_input.entry(input).or_default().push(quote.at.clone());
        }
    }
    for (input, wanted) in by_input {
        let Some(input) = session.inputs.get(input) else { continue };
        let name = input.name.clone();
        let handle = Attachments::handles([input.file.as_ref()]);
        let (answer, _) = finder.ask(Question::FindLines { name, wanted }, handle).await?;
        if let Answer::Lines(found) = answer {
            for line in &found {
                for quote in quotes.iter().filter(|q| q.at == line.at) {
                    quote.put(&line.text);
                }
            }
            session.quoted.borrow_mut().extend(found);
        }
    }
    Ok(())
}

/// Opens the line of a table's row below it, or closes it again.
pub async fn open_below(session: Rc<Session>, row: Element, at: LineRef) {
    if let Some(below) = row.next_element_sibling().filter(|below| below.class_list().contains("quoted")) {
        below.remove();
        return;
    }
    let here = session.finder.is_some();
    let says = if here { "Looking for the line" } else { "The log itself is not here" };
    let text = el("code").class("raw").attr("aria-live", "polite").text(says);
    let cell = el("td").attr("colspan", &row.child_element_count().to_string()).child(text.clone());
    let _ = row.after_with_node_1(el("tr").class("quoted").child(cell).get());
    if !here {
        return;
    }
    let text = text.get().clone();
    let quote = Quote { at, text: text.clone(), about: String::new() };
    let found = fetch(session, vec![quote]).await;
    let still_looking = text.text_content().as_deref() == Some(says) && document().contains(Some(&text));
    match found {
        Err(why) => text.set_text_content(Some(&format!("The line could not be read: {why}."))),
        Ok(()) if still_looking => text.set_text_content(Some("The line was not found again")),
        Ok(()) => {}
    }
}
