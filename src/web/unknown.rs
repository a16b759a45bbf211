//! Lines that were not understood or not used, by what they look like, with a search.

use super::dom::{El, Listeners, el, fill, row_head, scroller, set_shown};
use crate::base::quantity::grouped;
use crate::base::text::holds;
use crate::model::{Coverage, Unknown};
use crate::report::{LineRef, Report, UnknownRow};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Shapes shown at once.
const ROWS_SHOWN: usize = 50;

/// The panel; nothing where there is no such line.
pub fn panel(report: &Report, owned: &mut Listeners) -> Option<El> {
    if report.unknown.is_empty() {
        return None;
    }
    let rows = Rc::new(report.unknown.clone());
    let search = Rc::new(RefCell::new(String::new()));
    let all = Rc::new(Cell::new(false));
    let body: Element = el("tbody").into();
    let more: Element = el("button").class("button").attr("type", "button").into();
    let says: Element = el("p").class("note").attr("role", "status").into();
    let redraw = {
        let (rows, search, all, body, more, says) =
            (Rc::clone(&rows), Rc::clone(&search), Rc::clone(&all), body.clone(), more.clone(), says.clone());
        Rc::new(move || {
            let search = search.borrow();
            let found: Vec<&UnknownRow> = rows.iter().filter(|row| matches(row, &search)).collect();
            let shown = if all.get() { found.len() } else { found.len().min(ROWS_SHOWN) };
            fill(&body, found.iter().take(shown).map(|row| row_of(row)));
            more.set_text_content(Some(&format!("Show all {}", grouped(found.len() as u64))));
            set_shown(&more, shown < found.len());
            let none = if found.is_empty() { "No line pattern contains this." } else { "" };
            says.set_text_content(Some(none));
        })
    };
    redraw();
    let (to, again) = (Rc::clone(&search), Rc::clone(&redraw));
    let field = el("input")
        .attr("type", "search")
        .attr("placeholder", "Search in these lines")
        .attr("aria-label", "Search in unknown lines")
        .test_id("search-unknown")
        .on("input", owned, move |event| {
            if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                *to.borrow_mut() = field.value();
                again();
            }
        });
    owned.add(&more, "click", move |_| {
        all.set(true);
        redraw();
    });
    let headers = [("Lines", "number"), ("Files", "number"), ("Format", ""), ("What it looks like", "")];
    let head = headers.map(|(name, class)| el("th").attr("scope", "col").class(class).text(name));
    let table = el("table").test_id("table-unknown").child(el("thead").child(el("tr").children(head))).child(body);
    let sum = |of: fn(&Coverage) -> u64| grouped(report.sum_of(of));
    let summary =
        format!("Lines not used: {} understood but not used, {} skipped", sum(|c| c.unused), sum(|c| c.skipped));
    let how = "Lines that look alike are counted as one: # stands for numbers and ids, <path> for paths. A line that \
               matters and stands here is a pattern that oddnode does not know yet. Counts in large files are \
               estimated from a sample.";
    let details = el("details").class("fold").test_id("unknown").child(el("summary").text(&summary));
    let inside = el("div")
        .child(el("p").class("lead").text(how))
        .child(el("div").class("controls").child(field))
        .child(scroller("Lines not used", table))
        .child(says)
        .child(more);
    Some(details.child(inside))
}

fn matches(row: &UnknownRow, search: &str) -> bool {
    [Some(&row.shape), row.format.as_ref(), Some(&row.why)].into_iter().flatten().any(|text| holds(text, search))
}

fn row_of(row: &UnknownRow) -> El {
    let number = |n: u64| el("td").class("number").text(&grouped(n));
    let why = if row.why() == Some(Unknown::Unfit) { "does not fit" } else { "not used" };
    let places = LineRef::list(&row.lines);
    let format = format!("{}, {why}", row.format.as_deref().unwrap_or("no format"));
    let shape = row_head().class("path long");
    el("tr")
        .child(number(row.count))
        .child(number(row.files))
        .child(el("td").text(&format))
        .child(shape.child(el("code").text(&row.shape)).child(el("div").class("path").text(&places)))
}
