//! The coverage view: what was read of each file, and what was odd about the input.

use super::dom::{El, Listeners, el, fill, scroller, set_shown};
use super::{clocks, unknown};
use crate::base::issue::Severity;
use crate::base::quantity::{counted, grouped};
use crate::base::text::{counting, holds};
use crate::base::{Arrange, Code};
use crate::model::{ClockChoice, Coverage};
use crate::report::{IssueRow, LineRef, Report};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Rows of a page: a document of more elements is slow to lay out.
const ROWS_SHOWN: usize = 200;
/// Files named with an issue's notes.
const NOTES_SHOWN: usize = 5;
/// Where the map's figure goes.
pub const MAP_ID: &str = "coverage-map";

/// The columns: name, and how two files compare by it.
type Column = (&'static str, fn(&Coverage, &Coverage) -> Ordering);
const COLUMNS: [Column; 7] = [
    ("File", |a, b| counting(&a.file, &b.file)),
    ("Format", |a, b| a.format.cmp(&b.format)),
    ("Node", |a, b| counting(a.node.as_deref().unwrap_or_default(), b.node.as_deref().unwrap_or_default())),
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
        let empty = || c.why.as_ref().is_some_and(|why| why.starts_with(Code::EmptyFile.about().text));
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
    files: Arc<Vec<Coverage>>,
    /// `None`: all.
    group: Option<Group>,
    column: usize,
    filter: String,
    /// The page, from 0.
    page: usize,
}

/// The view's content.
pub fn view(report: &Report, clocks: Option<(ClockChoice, clocks::Apply)>, owned: &mut Listeners) -> Vec<Element> {
    let mut parts: Vec<Element> = vec![el("p").class("lead").text(&summary(report)).into()];
    parts.extend(report.made().map(|made| el("p").class("note").text(&made).into()));
    if !report.issues.is_empty() {
        parts.push(issues(&report.issues).into());
    }
    if report.coverage.is_empty() {
        return parts;
    }
    parts.push(el("div").attr("id", MAP_ID).into());
    let (choice, apply) = clocks.map_or((ClockChoice::default(), None), |(choice, apply)| (choice, Some(apply)));
    parts.push(clocks::panel(report, choice, apply, owned).into());
    parts.push(el("h3").text("Files").into());
    let files = Arc::clone(&report.coverage);
    // The files that said something come first; where none did, there is nothing to hide.
    let group = files.iter().any(|c| Group::of(c) == Group::Read).then_some(Group::Read);
    let shown = Rc::new(RefCell::new(Shown { files, group, column: 0, filter: String::new(), page: 0 }));
    let chips: Element = el("div").class("chips").attr("role", "group").attr("aria-label", "Files shown").into();
    let body: Element = el("tbody").into();
    let pager = Pager::new();
    let redraw = {
        let (shown, body, pager, chips) = (Rc::clone(&shown), body.clone(), pager.clone(), chips.clone());
        Rc::new(move || {
            draw_rows(&mut shown.borrow_mut(), &body, &pager);
            count_chips(&shown.borrow(), &chips);
        })
    };
    for group in groups() {
        let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
        let chip = el("button").attr("type", "button").on("click", owned, move |_| {
            let mut shown = to.borrow_mut();
            (shown.group, shown.page) = (group, 0);
            drop(shown);
            again();
        });
        let _ = chips.append_child(chip.get());
    }
    for (button, step) in [(&pager.back, -1), (&pager.on, 1)] {
        let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
        owned.add(button, "click", move |_| {
            let page = to.borrow().page.saturating_add_signed(step);
            to.borrow_mut().page = page;
            again();
        });
    }
    let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
    let filter = el("input")
        .attr("type", "search")
        .attr("placeholder", "Filter files, formats, nodes")
        .attr("aria-label", "Filter files, formats, nodes")
        .on("input", owned, move |event| {
            if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                let mut shown = to.borrow_mut();
                (shown.filter, shown.page) = (field.value(), 0);
                drop(shown);
                again();
            }
        });
    let headers = COLUMNS.iter().enumerate().map(|(i, (name, _))| {
        let (to, again) = (Rc::clone(&shown), Rc::clone(&redraw));
        let sort = el("button").attr("type", "button").attr("title", "Sort by this").text(name);
        let sort = sort.on("click", owned, move |_| {
            let mut shown = to.borrow_mut();
            (shown.column, shown.page) = (i, 0);
            drop(shown);
            again();
        });
        el("th").attr("scope", "col").class(if (3..6).contains(&i) { "number" } else { "" }).child(sort)
    });
    let head = el("thead").child(el("tr").children(headers.collect::<Vec<_>>()));
    redraw();
    let table = el("table").test_id("table-coverage").child(head).child(body);
    parts.push(el("div").class("controls").child(chips).child(filter).into());
    parts.push(scroller(table).test_id("coverage").into());
    parts.push(pager.root.clone());
    parts.extend(unknown::panel(report, owned).map(Element::from));
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
    let unused: u64 = files.iter().map(|c| c.unused).sum();
    format!(
        "{}, {} in a format that is read; {}, {} skipped, {} understood but not used.",
        counted(files.len() as u64, "file"),
        if known == files.len() { String::from("all") } else { grouped(known as u64) },
        counted(lines, "line"),
        grouped(skipped),
        grouped(unused)
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

/// The buttons below the table.
#[derive(Clone)]
struct Pager {
    root: Element,
    back: Element,
    on: Element,
    says: Element,
}

impl Pager {
    fn new() -> Self {
        let button = |text: &str| el("button").class("button").attr("type", "button").text(text);
        let (back, says, on) = (button("Before"), el("span").attr("role", "status"), button("Next"));
        let on = on.test_id("coverage-next");
        let root = el("div").class("pager").child(back.clone()).child(says.clone()).child(on.clone());
        Self { root: root.into(), back: back.into(), on: on.into(), says: says.into() }
    }

    /// Shows which of so many files these are.
    fn show(&self, page: usize, files: usize) {
        let from = page * ROWS_SHOWN;
        let to = (from + ROWS_SHOWN).min(files);
        let says = format!("{} to {} of {}", grouped(from as u64 + 1), grouped(to as u64), grouped(files as u64));
        self.says.set_text_content(Some(&says));
        set_shown(&self.root, files > ROWS_SHOWN);
        for (button, works) in [(&self.back, page > 0), (&self.on, to < files)] {
            let _ = button.toggle_attribute_with_force("disabled", !works);
        }
    }
}

fn draw_rows(shown: &mut Shown, body: &Element, pager: &Pager) {
    let chosen = |c: &&Coverage| is_in(c, shown.group) && matches(c, &shown.filter);
    let mut files: Vec<&Coverage> = shown.files.iter().filter(chosen).collect();
    if let Some((_, compare)) = COLUMNS.get(shown.column) {
        files.arrange(|a, b| compare(a, b));
    }
    let page = shown.page.min(files.len().saturating_sub(1) / ROWS_SHOWN);
    fill(body, files.iter().skip(page * ROWS_SHOWN).take(ROWS_SHOWN).map(|c| row(c)));
    pager.show(page, files.len());
    shown.page = page;
}

fn matches(c: &Coverage, filter: &str) -> bool {
    let fields = [Some(&c.file), c.format.as_ref(), c.node.as_ref(), c.why.as_ref()];
    fields.into_iter().flatten().any(|field| holds(field, filter))
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
        .child(el("td").class("why").text(c.why.as_deref().unwrap_or_default()))
}

/// What was odd, gravest first, with what to do; what costs nothing is behind a fold.
fn issues(rows: &[IssueRow]) -> El {
    let mut rows: Vec<&IssueRow> = rows.iter().collect();
    rows.arrange_by(|row| std::cmp::Reverse(row.severity));
    let (grave, plain): (Vec<&IssueRow>, Vec<&IssueRow>) =
        rows.into_iter().partition(|row| row.severity > Severity::Info);
    let list = |rows: &[&IssueRow]| el("ul").class("issues").children(rows.iter().map(|row| issue(row)));
    let all = el("div").child(list(&grave));
    if plain.is_empty() {
        return all;
    }
    let says = format!("{} about what lost nothing", counted(plain.len() as u64, "note"));
    all.child(el("details").class("fold").child(el("summary").text(&says)).child(list(&plain)))
}

fn issue(row: &IssueRow) -> El {
    let said = format!("{} × {}", grouped(row.count), row.code);
    el("li")
        .attr("data-severity", row.severity.name())
        .child(el("strong").text(&said))
        .child(el("span").text(&format!(": {}. What to do: {}.", row.text, row.advice)))
        .children(row.notes.iter().take(NOTES_SHOWN).map(|note| el("div").text(note)))
        .child(el("span").class("path").text(&places(&row.lines)))
}

fn places(lines: &[LineRef]) -> String {
    let places = lines.iter().map(|at| if at.line == 0 { at.file.clone() } else { format!("{}:{}", at.file, at.line) });
    places.collect::<Vec<_>>().join(", ")
}
