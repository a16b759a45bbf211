//! The coverage view: what was read of each file, and what was odd about the input.

use super::chips::Chips;
use super::dom::{El, Listeners, el, fill, row_head, scroller, set_shown};
use super::session::Session;
use super::settings::Settings;
use super::{clocks, unknown};
use crate::base::Arrange;
use crate::base::issue::Severity;
use crate::base::quantity::{counted, grouped};
use crate::base::text::{counting, holds};
use crate::model::{ClockChoice, Coverage};
use crate::report::{IssueRow, LineRef, Report};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::{Rc, Weak};
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
        if c.format.is_some() {
            Self::Read
        } else if c.is_empty() {
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

/// Which files are listed, in which order.
#[derive(Debug, Default)]
pub struct Listing {
    /// What the reader chose, of all groups `None`. Who chose nothing sees the files that said something, where some
    /// did.
    group: Option<Option<Group>>,
    column: usize,
    /// In the order opposite to the column's own.
    turned: bool,
    filter: String,
    /// The page, from 0.
    page: usize,
}

/// The table of files with what is around it.
struct Files {
    files: Arc<Vec<Coverage>>,
    settings: Rc<Settings>,
    chips: Chips,
    heads: Vec<Element>,
    body: Element,
    pager: Pager,
    /// The places of those that are listed, in their order.
    listed: RefCell<Vec<usize>>,
}

/// The view's content.
pub fn view(session: &Session, clocks: Option<(ClockChoice, clocks::Apply)>, owned: &mut Listeners) -> Vec<Element> {
    let report = &session.report;
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
    parts.push(clocks::panel(session, choice, apply, owned).into());
    parts.push(el("h3").text("Files").into());
    parts.extend(Files::make(session, owned));
    parts.extend(unknown::panel(report, owned).map(Element::from));
    parts
}

impl Files {
    /// What chooses files, their table, and what turns its pages.
    fn make(session: &Session, owned: &mut Listeners) -> [Element; 3] {
        let head = |(i, (name, _)): (usize, &Column)| {
            let sort = el("button").attr("type", "button").attr("title", "Sort by this").text(name);
            el("th").attr("scope", "col").class(if (3..6).contains(&i) { "number" } else { "" }).child(sort).into()
        };
        let me = Rc::new_cyclic(|me: &Weak<Self>| {
            let me = Weak::clone(me);
            let names = groups().map(|_| String::new());
            let chips = Chips::new("Files shown", names, None, move |i| {
                if let Some(files) = me.upgrade() {
                    files.change(|listing| listing.group = groups().nth(i));
                }
            });
            Self {
                files: Arc::clone(&session.report.coverage),
                settings: Rc::clone(&session.settings),
                chips,
                heads: COLUMNS.iter().enumerate().map(head).collect(),
                body: el("tbody").into(),
                pager: Pager::new(),
                listed: RefCell::default(),
            }
        });
        for (i, head) in me.heads.iter().enumerate() {
            let files = Rc::clone(&me);
            owned.add(head, "click", move |_| {
                files.change(|listing| {
                    listing.turned = listing.column == i && !listing.turned;
                    listing.column = i;
                });
            });
        }
        for (button, step) in [(&me.pager.back, -1), (&me.pager.on, 1)] {
            let files = Rc::clone(&me);
            owned.add(button, "click", move |_| {
                let page = files.settings.files.borrow().page.saturating_add_signed(step);
                files.settings.files.borrow_mut().page = page;
                files.draw_page();
            });
        }
        let files = Rc::clone(&me);
        let filter = el("input")
            .attr("type", "search")
            .attr("value", &me.settings.files.borrow().filter)
            .attr("placeholder", "Filter files, formats, nodes")
            .attr("aria-label", "Filter files, formats, nodes")
            .on("input", owned, move |event| {
                if let Some(field) = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok()) {
                    files.change(|listing| listing.filter = field.value());
                }
            });
        me.draw();
        let head = el("thead").child(el("tr").children(me.heads.iter().cloned()));
        let table = el("table").test_id("table-coverage").child(head).child(me.body.clone());
        [
            el("div").class("controls").child(me.chips.element().clone()).child(filter).into(),
            scroller("Files", table).test_id("coverage").into(),
            me.pager.root.clone(),
        ]
    }

    /// Lists others, from the first page on.
    fn change(&self, f: impl FnOnce(&mut Listing)) {
        {
            let mut listing = self.settings.files.borrow_mut();
            f(&mut listing);
            listing.page = 0;
        }
        self.draw();
    }

    fn draw(&self) {
        let listing = self.settings.files.borrow();
        let has = |group| self.files.iter().any(|c| is_in(c, group));
        // By another verdict there may be no file of the group that was asked for.
        let group = listing.group.filter(|group| has(*group));
        // Where no file said something there is nothing to hide.
        let group = group.unwrap_or_else(|| Some(Group::Read).filter(|group| has(Some(*group))));
        let file = |place: &usize| self.files.get(*place);
        let is_in = |place: &usize, group| file(place).is_some_and(|c| is_in(c, group));
        let mut listed: Vec<usize> = (0..self.files.len()).collect();
        listed.retain(|place| file(place).is_some_and(|c| matches(c, &listing.filter)));
        for (i, of) in (0..).zip(groups()) {
            let count = listed.iter().filter(|place| is_in(place, of)).count() as u64;
            let name = format!("{} {}", of.map_or("All", Group::label), grouped(count));
            self.chips.rename(i, &name, has(of));
        }
        self.chips.press(groups().position(|of| of == group));
        listed.retain(|place| is_in(place, group));
        if let Some((_, compare)) = COLUMNS.get(listing.column) {
            listed.arrange(|a, b| {
                let (a, b) = if listing.turned { (b, a) } else { (a, b) };
                file(a).zip(file(b)).map_or(Ordering::Equal, |(a, b)| compare(a, b))
            });
        }
        for (i, head) in self.heads.iter().enumerate() {
            // The largest of numbers come first, and those with a reason.
            let order = if (i >= 3) == listing.turned { "ascending" } else { "descending" };
            let _ = head.set_attribute("aria-sort", if i == listing.column { order } else { "none" });
        }
        self.listed.replace(listed);
        drop(listing);
        self.draw_page();
    }

    /// Draws the rows of one page of those that are listed.
    fn draw_page(&self) {
        let listed = self.listed.borrow();
        let mut listing = self.settings.files.borrow_mut();
        listing.page = listing.page.min(listed.len().saturating_sub(1) / ROWS_SHOWN);
        let rows = listed.iter().skip(listing.page * ROWS_SHOWN).take(ROWS_SHOWN);
        fill(&self.body, rows.filter_map(|place| self.files.get(*place)).map(row));
        self.pager.show(listing.page, listed.len());
    }
}

/// `237 files, 139 read, 0 not read, 98 empty; …`
fn summary(report: &Report) -> String {
    let files = &report.coverage;
    if files.is_empty() {
        return String::from("This report does not list single files.");
    }
    let of = |group| grouped(files.iter().filter(|c| Group::of(c) == group).count() as u64);
    let (lines, skipped, unused) =
        (report.sum_of(|c| c.lines), report.sum_of(|c| c.skipped), report.sum_of(|c| c.unused));
    format!(
        "{}, {} read, {} not read, {} empty; {}, {} skipped, {} understood but not used.",
        counted(files.len() as u64, "file"),
        of(Group::Read),
        of(Group::Unread),
        of(Group::Empty),
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

/// The buttons below the table.
struct Pager {
    root: Element,
    back: Element,
    on: Element,
    says: Element,
}

impl Pager {
    fn new() -> Self {
        let button = |text: &str| el("button").class("button").attr("type", "button").text(text);
        let (back, says, on) = (button("Previous"), el("span").attr("role", "status"), button("Next"));
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

fn matches(c: &Coverage, filter: &str) -> bool {
    let fields = [Some(&c.file), c.format.as_ref(), c.node.as_ref(), c.why.as_ref()];
    fields.into_iter().flatten().any(|field| holds(field, filter))
}

fn row(c: &Coverage) -> El {
    let text = |text: Option<&String>| el("td").text(text.map_or("–", String::as_str));
    let number = |n: u64| el("td").class("number").text(&grouped(n));
    el("tr")
        .class(if c.format.is_none() { "unread" } else { "" })
        .child(row_head().class("path long").text(&c.file))
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
    let says = format!("{} without loss of data", counted(plain.len() as u64, "note"));
    all.child(el("details").class("fold").child(el("summary").text(&says)).child(list(&plain)))
}

fn issue(row: &IssueRow) -> El {
    let said = format!("{} × {}", grouped(row.count), row.code);
    el("li")
        .attr("data-severity", row.severity.name())
        .child(el("strong").text(&said))
        .child(el("span").text(&format!(": {}. What to do: {}.", row.text, row.advice)))
        .children(row.notes.iter().take(NOTES_SHOWN).map(|note| el("div").text(note)))
        .child(el("span").class("path").text(&LineRef::list(&row.lines)))
}
