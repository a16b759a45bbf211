//! The search: a name or an id out of a log leads to what it is of.

use super::address::Address;
use super::dom::{El, Listeners, by_id, el, fill, row_head, scroller, set_shown};
use super::envelope::Attachments;
use super::quotes;
use super::session::Session;
use crate::base::quantity::grouped;
use crate::protocol::{Answer, Question};
use crate::scene::Selection;
use crate::scene::search::{Findings, Found, LEAST_LETTERS};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, HtmlInputElement};

/// The search, and where what is found leads to.
struct Search {
    session: Rc<Session>,
    results: Element,
    found: RefCell<Listeners>,
    go_to: Box<dyn Fn(&Address)>,
}

/// Puts the search into its place, for as long as `listeners` lives; what is found leads to an address. A report
/// without its logs has none.
pub fn offer(session: &Rc<Session>, listeners: &mut Listeners, go_to: impl Fn(&Address) + 'static) {
    let place = by_id("search");
    set_shown(&place, session.opened.is_none());
    if session.opened.is_some() {
        return;
    }
    let words: Element = el("input")
        .attr("type", "search")
        .attr("autocomplete", "off")
        .attr("spellcheck", "false")
        .attr("placeholder", "Node, job, attempt, block or error")
        .attr("aria-label", "Search: a node, job, attempt, block or error")
        .test_id("search-words")
        .into();
    let results: Element = el("div").attr("role", "status").test_id("search-found").into();
    // Escape empties the field, and ends what its words found.
    let (emptied, found) = (words.clone(), results.clone());
    listeners.add(&words, "input", move |_| {
        if emptied.dyn_ref::<HtmlInputElement>().is_some_and(|words| words.value().is_empty()) {
            found.set_text_content(None);
        }
    });
    let form = el("form").attr("role", "search").child(words.clone());
    let form = form.child(el("button").attr("class", "button").text("Search"));
    let search = Rc::new(Search {
        session: Rc::clone(session),
        results: results.clone(),
        found: RefCell::default(),
        go_to: Box::new(go_to),
    });
    let form = form.on("submit", listeners, move |event| {
        event.prevent_default();
        let words = words.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value).unwrap_or_default();
        spawn_local(look_for(Rc::clone(&search), words));
    });
    fill(&place, [form.into(), results]);
}

/// Asks for it and shows what there is.
async fn look_for(search: Rc<Search>, words: String) {
    let answer = search.session.analyst.ask(Question::Search(words.clone()), Attachments::default()).await;
    let mut fresh = Listeners::default();
    let shown = match answer {
        Ok((Answer::Found(findings), _)) => view(&search, words.trim(), &findings, &mut fresh),
        Ok(_) => Vec::new(),
        Err(why) => vec![el("p").class("note").text(&why.to_string())],
    };
    fill(&search.results, shown);
    search.found.replace(fresh);
}

fn view(search: &Rc<Search>, words: &str, findings: &Findings, listeners: &mut Listeners) -> Vec<El> {
    if words.is_empty() {
        return Vec::new();
    }
    if findings.rows.is_empty() {
        let says = match words.chars().nth(LEAST_LETTERS - 1) {
            Some(_) => format!("Nothing is called {words}: no node, job, attempt, block or error."),
            None => String::from("Type at least two characters."),
        };
        return vec![el("p").class("note").text(&says)];
    }
    let rows: Vec<El> = findings.rows.iter().map(|found| row(search, found, listeners)).collect();
    let mut parts = vec![scroller("What was found", el("table").child(el("tbody").children(rows)))];
    if findings.more > 0 {
        let says = format!("{} more: a longer part of the name finds fewer.", grouped(findings.more as u64));
        parts.push(el("p").class("note").text(&says));
    }
    parts
}

fn row(search: &Rc<Search>, found: &Found, listeners: &mut Listeners) -> El {
    let (me, picks) = (Rc::downgrade(search), found.picks.clone());
    let name = el("button").attr("type", "button").class("line").text(&found.name).on("click", listeners, move |_| {
        if let Some(me) = me.upgrade() {
            me.show(&picks);
        }
    });
    let row = el("tr").child(row_head().child(name)).child(el("td").text(&found.says));
    let Some(at) = found.at.clone() else { return row.child(el("td")) };
    let (me, of) = (Rc::clone(&search.session), row.get().clone());
    let place = el("button").attr("type", "button").class("line").text(&at.to_string());
    row.child(el("td").child(place.on("click", listeners, move |_| {
        spawn_local(quotes::open_below(Rc::clone(&me), of.clone(), at.clone()));
    })))
}

impl Search {
    /// Goes to the first view that shows what was picked, which is chosen there.
    fn show(&self, picks: &Selection) {
        let views = match (picks.attempt, picks.job) {
            (Some(_), _) => ["swimlanes", "jobs"],
            (None, Some(_)) => ["jobs", "swimlanes"],
            (None, None) => ["cluster", "peers"],
        };
        let is_there = |view: &&str| by_id(&format!("view-{view}")).client_height() > 0;
        let view = views.into_iter().find(is_there).map(str::to_owned);
        let selection = self.session.selected.now().and(picks);
        (self.go_to)(&Address { view, selection, ..Address::current() });
    }
}
