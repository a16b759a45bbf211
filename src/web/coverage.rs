//! The coverage view: what was read of each file, and what was odd about the input.

use super::dom::{El, Listeners, el, fill, set_shown};
use crate::model::Coverage;
use crate::report::{IssueRow, LineRef, Report};
use crate::scene::axis::grouped;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Rows shown before the user asks for all: a document of more elements is slow to lay out.
const ROWS_SHOWN: usize = 300;

/// The columns: name, and how two files compare by it.
type Column = (&'static str, fn(&Coverage, &Coverage) -> Ordering);
const COLUMNS: [Column; 7] = [
    ("File", |a, b| a.file.cmp(&b.file)),
    ("Format", |a, b| a.format.cmp(&b.format)),
    ("Node", |a, b| a.node.cmp(&b.node)),
    ("Lines", |a, b| b.lines.cmp(&a.lines)),
    ("Understood", |a, b| b.understood.cmp(&a.understood)),
    ("Skipped", |a, b| b.skipped.cmp(&a.skipped)),
    ("Why", |a, b| b.why.cmp(&a.why)),
];

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Its format is known.
    Read,
    /// In no format that is read.
    Unread,
    /// Nothing is in it.
    Empty,
}

impl Group {
    const ALL: [Self; 3] = [Self::Read, Self::Unread, Self::Empty];

    /// The group of a file.
    pub fn of(c: &Coverage) -> Self {
        // Only the reason tells an empty file from one whose content is not made of lines.
        let empty = || c.why.as_ref().is_some_and(|why| why.starts_with("is empty"));
        if c.format.is_some() {
            Self::Read
        } else if empty() {
            Self::Empty
        } else {
            Self::Unread
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Unread => "Not read",
            Self::Empty => "Empty",
        }
    }
}

/// What of the coverage is shown.
struct Shown {
    files: Vec<Coverage>,
    /// `None`: all.
    group: Option<Group>,
    column: usize,
    filter: String,
    all: bool,
}

/// The view's content.
pub fn view(report: &Report, owned: &mut Listeners) -> Vec<Element> {
    let mut parts: Vec<Element> = vec![el("p").class("lead").text(&summary(report)).into()];
    if !report.issues.is_empty() {
        parts.push(issues(&report.issues).into());
    }
    if report.coverage.is_empty() {
        return parts;
    }
    let files = report.coverage.clone();
    // The files that said something come first; where none did, there is nothing to hide.
    let group = files.iter().any(|c| Group::of(c) == Group::Read).then_some(Group::Read);
    let shown = Rc::new(RefCell::new(Shown { files, group, column: 0, filter: String::new(), all: false }));
    let chips: Element = el("div").class("chips").attr("role", "group").attr("aria-label", "Files shown").into();
    let body: Element = el("tbody").into();
    let more: Element = el("button").class("button").attr("type", "button").into();
    let redraw = {
        let (shown, body, more, chips) = (Rc::clone(&shown), body.clone(), more.clone(), chips.clone());
        Rc::new(move || {
            draw_rows(&shown.borrow(), &body, &more);
            count_chips(&shown.borrow(), &chips);
        })
    };
    for group in groups() {
        let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
        let chip = el("button").attr("type", "button").on("click", owned, move |_| {
            to.borrow_mut().group = group;
            again();
        });
        let _ = chips.append_child(chip.get());
    }
    let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
    owned.add(&more, "click", move |_| {
        to.borrow_mut().all = true;
        again();
    });
    let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
    let filter = el("input")
        .attr("type", "search")
        .attr("placeholder", "Filter files, formats, nodes")
        .attr("aria-label", "Filter files, formats, nodes")
        .on("input", owned, move |event| {
            if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                to.borrow_mut().filter = field.value().to_lowercase();
                again();
            }
        });
    let headers = COLUMNS.iter().enumerate().map(|(i, (name, _))| {
        let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
        let sort = el("button").attr("type", "button").attr("title", "Sort by this").text(name);
        let sort = sort.on("click", owned, move |_| {
            to.borrow_mut().column = i;
            again();
        });
        el("th").attr("scope", "col").class(if (3..6).contains(&i) { "number" } else { "" }).child(sort)
    });
    let head = el("thead").child(el("tr").children(headers.collect::<Vec<_>>()));
    redraw();
    let table = el("table").test_id("table-coverage").child(head).child(body);
    parts.push(el("div").class("controls").child(chips).child(filter).into());
    parts.push(el("div").class("scroll").test_id("coverage").child(table).into());
    parts.push(more);
    parts
}

/// `128 files, 96 understood …`
fn summary(report: &Report) -> String {
    let files = &report.coverage;
    if files.is_empty() {
        return String::from("This report says nothing of single files.");
    }
    let known = files.iter().filter(|c| c.format.is_some()).count();
    let lines: u64 = files.iter().map(|c| c.lines).sum();
    let skipped: u64 = files.iter().map(|c| c.skipped).sum();
    let zone = match report.clock.pairs {
        0 => "times in the logs are taken as UTC".to_owned(),
        pairs => format!("log times were placed in UTC by {} times of the job history", grouped(pairs)),
    };
    format!(
        "{} files, {} of them in a format that is read; {} lines, {} skipped; {zone}.",
        grouped(files.len() as u64),
        grouped(known as u64),
        grouped(lines),
        grouped(skipped)
    )
}

/// The groups of files that can be chosen, all of them first.
fn groups() -> impl Iterator<Item = Option<Group>> {
    std::iter::once(None).chain(Group::ALL.map(Some))
}

fn is_in(c: &Coverage, group: Option<Group>) -> bool {
    group.is_none_or(|group| Group::of(c) == group)
}

/// Writes on each chip how many of its files pass the filter; a group without files has none.
fn count_chips(shown: &Shown, chips: &Element) {
    let children = chips.children();
    for (i, group) in (0..).zip(groups()) {
        let Some(chip) = children.item(i) else { continue };
        let count = shown.files.iter().filter(|c| is_in(c, group) && matches(c, &shown.filter)).count() as u64;
        chip.set_text_content(Some(&format!("{} {}", group.map_or("All", Group::label), grouped(count))));
        let _ = chip.set_attribute("aria-pressed", if shown.group == group { "true" } else { "false" });
        set_shown(&chip, shown.files.iter().any(|c| is_in(c, group)));
    }
}

fn draw_rows(shown: &Shown, body: &Element, more: &Element) {
    let chosen = |c: &&Coverage| is_in(c, shown.group) && matches(c, &shown.filter);
    let mut files: Vec<&Coverage> = shown.files.iter().filter(chosen).collect();
    if let Some((_, compare)) = COLUMNS.get(shown.column) {
        files.sort_by(|a, b| compare(a, b));
    }
    let count = if shown.all { files.len() } else { files.len().min(ROWS_SHOWN) };
    fill(body, files.iter().take(count).map(|c| row(c)));
    more.set_text_content(Some(&format!("Show all {} files", grouped(files.len() as u64))));
    set_shown(more, count < files.len());
}

fn matches(c: &Coverage, filter: &str) -> bool {
    let fields = [Some(&c.file), c.format.as_ref(), c.node.as_ref(), c.why.as_ref()];
    filter.is_empty() || fields.into_iter().flatten().any(|field| field.to_lowercase().contains(filter))
}

fn row(c: &Coverage) -> El {
    let text = |text: Option<&String>| el("td").text(text.map_or("–", String::as_str));
    let number = |n: u64| el("td").class("number").text(&grouped(n));
    el("tr")
        .class(if c.format.is_none() { "unread" } else { "" })
        .child(el("td").class("path").text(&c.file))
        .child(text(c.format.as_ref()))
        .child(text(c.node.as_ref()))
        .child(number(c.lines))
        .child(number(c.understood))
        .child(number(c.skipped))
        .child(el("td").text(c.why.as_deref().unwrap_or_default()))
}

/// What was odd, gravest first, with what to do; what costs nothing is behind a fold.
fn issues(rows: &[IssueRow]) -> El {
    let rank = |row: &IssueRow| match row.severity.as_str() {
        "error" => 0,
        "data-loss" => 1,
        "notice" => 2,
        _ => 3,
    };
    let mut rows: Vec<&IssueRow> = rows.iter().collect();
    rows.sort_by_key(|row| rank(row));
    let (grave, plain): (Vec<&IssueRow>, Vec<&IssueRow>) = rows.into_iter().partition(|row| rank(row) < 3);
    let list = |rows: &[&IssueRow]| el("ul").class("issues").children(rows.iter().map(|row| issue(row)));
    let all = el("div").child(list(&grave));
    if plain.is_empty() {
        return all;
    }
    let notes = if plain.len() == 1 { "note" } else { "notes" };
    let says = format!("{} {notes} about files that had nothing to say", plain.len());
    all.child(el("details").class("fold").child(el("summary").text(&says)).child(list(&plain)))
}

fn issue(row: &IssueRow) -> El {
    let said = format!("{} × {}", grouped(row.count), row.code);
    el("li")
        .attr("data-severity", &row.severity)
        .child(el("strong").text(&said))
        .child(el("span").text(&format!(": {}. What to do: {}.", row.text, row.advice)))
        .child(el("span").class("path").text(&places(&row.lines)))
}

fn places(lines: &[LineRef]) -> String {
    let places = lines.iter().map(|at| if at.line == 0 { at.file.clone() } else { format!("{}:{}", at.file, at.line) });
    places.collect::<Vec<_>>().join(", ")
}
