//! Raw lines of the logs: found again in the files that were dropped, and shown where they are
//! spoken of.

use super::client::Failure;
use super::dom::{document, el};
use super::envelope::Attachments;
use super::session::Session;
use crate::protocol::{Answer, Question};
use crate::report::LineRef;
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
}

/// Fetches the raw text of the quotes, file by file, and puts it in its place.
///
/// # Errors
/// If the worker that reads ends.
pub async fn fetch(session: Rc<Session>, quotes: Vec<Quote>) -> Result<(), Failure> {
    let Some(finder) = session.finder.clone() else { return Ok(()) };
    let mut by_input: BTreeMap<usize, Vec<LineRef>> = BTreeMap::new();
    for quote in &quotes {
        let holds = |name: &str| {
            let rest = quote.at.file.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if let Some(input) = session.inputs.iter().position(|input| holds(&input.name)) {
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
                    quote.text.set_text_content(Some(&line.text));
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
    let text = el("code").class("raw").text(says);
    let cell = el("td").attr("colspan", &row.child_element_count().to_string()).child(text.clone());
    let _ = row.after_with_node_1(el("tr").class("quoted").child(cell).get());
    if !here {
        return;
    }
    let text = text.get().clone();
    let quote = Quote { at, text: text.clone() };
    let found = fetch(session, vec![quote]).await;
    let still_looking = text.text_content().as_deref() == Some(says) && document().contains(Some(&text));
    match found {
        Err(why) => text.set_text_content(Some(&format!("The line could not be read: {why}."))),
        Ok(()) if still_looking => text.set_text_content(Some("The line was not found again")),
        Ok(()) => {}
    }
}
