//! What can be set of the methods, as the command sets it. A worker tells what there is and checks what is given: the
//! page only has the fields. An empty field is as usual.

use super::client::{Client, Failure};
use super::dom::{El, by_id, document, el, fill, set_shown, set_text};
use super::envelope::Attachments;
use super::session::Session;
use super::settings::Settings;
use crate::base::quantity::grouped;
use crate::diagnosis::settable::Settable;
use crate::protocol::{Answer, Question, Set};
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// The form, folded.
pub const FOLD: &str = "parameters";
/// Applies what is given.
pub const APPLY: &str = "apply-parameters";
const FIELDS: &str = "parameter-fields";

/// The fields that there are, in their order.
fn fields() -> impl Iterator<Item = HtmlInputElement> {
    let all = document().query_selector_all(&format!("#{FIELDS} input")).ok();
    let all = all.into_iter().flat_map(|all| (0..all.length()).filter_map(move |i| all.get(i)));
    all.filter_map(|field| field.dyn_into().ok())
}

/// Whether what it sets is on or off.
fn is_switch(field: &HtmlInputElement) -> bool {
    field.type_() == "checkbox"
}

/// Asks for the fields, unless they are there.
///
/// # Errors
/// The worker cannot work any more.
pub async fn furnish(session: &Session) -> Result<(), Failure> {
    if fields().next().is_none() {
        let (answer, _) = session.analyst.ask(Question::Settable, Attachments::default()).await?;
        let Answer::Settable(all) = answer else { return Err(Failure::Stale) };
        fill(&by_id(FIELDS), all.iter().map(field));
        fit(&session.asked.set);
    }
    Ok(())
}

fn field(one: &Settable) -> El {
    let input = el("input").attr("name", &one.name).attr("autocomplete", "off").attr("spellcheck", "false");
    let input = match &one.usual {
        Some(usual) => input.attr("type", "text").attr("placeholder", usual),
        None => input.attr("type", "checkbox"),
    };
    let name = el("span").class("path").text(&one.name);
    let label = el("label").child(name).child(input).child(el("span").class("note").text(&one.about));
    el("div").child(label).child(el("output"))
}

thread_local! {
    /// The settings of the logs that the fields are of.
    static OF: RefCell<Weak<Settings>> = const { RefCell::new(Weak::new()) };
}

/// Shows them where there are logs, with what is set: of other logs than they were of.
pub fn show(session: &Session) {
    set_shown(&by_id(FOLD), session.opened.is_none());
    let set = &session.asked.set;
    let count = if set.is_empty() { String::new() } else { format!(" ({} set)", grouped(set.len() as u64)) };
    set_text(&by_id("parameters-title"), &format!("Parameters{count}"));
    say("");
    // On the same logs they stay as they were typed.
    if session.opened.is_none()
        && !OF.with(|of| of.replace(Rc::downgrade(&session.settings)).ptr_eq(&Rc::downgrade(&session.settings)))
    {
        fit(set);
    }
}

/// Puts into the fields what is set.
pub fn fit(set: &[Set]) {
    for field in fields() {
        let text = set.iter().find(|(name, _)| *name == field.name()).map(|(_, text)| text.as_str());
        if is_switch(&field) {
            field.set_checked(text.is_some());
        } else {
            field.set_value(text.unwrap_or_default());
        }
    }
    refuse(&[]);
}

/// What the fields set.
fn given() -> Vec<Set> {
    let text_of = |field: &HtmlInputElement| match is_switch(field) {
        true => field.checked().then(String::new),
        false => Some(field.value().trim().to_owned()).filter(|text| !text.is_empty()),
    };
    fields().filter_map(|field| Some((field.name(), text_of(&field)?))).collect()
}

/// What is set, if all of it can be; what cannot is told at its field.
///
/// # Errors
/// The worker cannot work any more.
pub async fn checked(analyst: &Client) -> Result<Option<Vec<Set>>, Failure> {
    let set = given();
    let (answer, _) = analyst.ask(Question::Check(set.clone()), Attachments::default()).await?;
    let Answer::Checked(refused) = answer else { return Err(Failure::Stale) };
    refuse(&refused);
    Ok(refused.is_empty().then_some(set))
}

/// Tells at each field what is wrong with it; the first has the focus.
fn refuse(refused: &[Set]) {
    let mut is_first = true;
    for field in fields() {
        let why = refused.iter().find(|(name, _)| *name == field.name()).map(|(_, why)| why.as_str());
        let _ = if why.is_some() {
            field.set_attribute("aria-invalid", "true")
        } else {
            field.remove_attribute("aria-invalid")
        };
        let says: Option<Element> = field.parent_element().and_then(|label| label.next_element_sibling());
        if let Some(says) = says {
            set_text(&says, why.unwrap_or_default());
        }
        if why.is_some() && std::mem::take(&mut is_first) {
            let _ = field.focus();
        }
    }
}

/// Says what becomes of what was given.
pub fn say(text: &str) {
    by_id("parameters-say").set_text_content(Some(text));
}
