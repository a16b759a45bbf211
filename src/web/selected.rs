//! What the reader has chosen: one for all views, kept in the page's address.

use super::address::{Address, marked, marked_view};
use super::dom::{Listeners, by_id, document, el, fill, focus, plain, set_shown};
use crate::base::TimeZone;
use crate::report::Report;
use crate::scene::{Selection, axis, chosen};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The choice, and who is told when it changes.
#[derive(Default)]
pub struct Selected {
    now: RefCell<Selection>,
    /// What times are in.
    zone: TimeZone,
    /// A key has turned its names back.
    has_secrets: Cell<bool>,
    told: RefCell<Option<Rc<dyn Fn()>>>,
    listeners: RefCell<Listeners>,
}

impl std::fmt::Debug for Selected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Selected").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Shows what the report says of what is chosen, beside the chips or below them; what was opened there stays open for the next choice.
pub fn tell(report: &Report, now: &Selection) {
    let pane = by_id("chosen");
    let told = chosen::of(report, now);
    set_shown(&pane, !told.is_empty());
    let text: String = told.iter().flat_map(|told| std::iter::once(&told.gist).chain(&told.lines)).cloned().collect();
    if pane.text_content().as_deref() == Some(&*plain(&text)) {
        return;
    }
    let is_open = pane.query_selector("[open]").is_ok_and(|open| open.is_some());
    let had_focus = pane.contains(document().active_element().as_deref());
    fill(
        &pane,
        told.iter().map(|told| {
            if told.lines.is_empty() {
                return el("p").text(&told.gist);
            }
            let lines = el("ul").children(told.lines.iter().map(|line| el("li").text(line)));
            let fold = el("details").child(el("summary").text(&told.gist)).child(lines);
            if is_open { fold.attr("open", "") } else { fold }
        }),
    );
    if let Some(summary) = pane.query_selector("summary").ok().flatten().filter(|_| had_focus) {
        focus(&summary);
    }
}

/// The chip at this place has gone, and the focus with it: the next one takes it, else the link of what is looked at.
fn focus_after(i: usize) {
    let chips = by_id("selection").children();
    let chip = (0..=i).rev().find_map(|at| chips.item(at as u32));
    focus(&chip.or_else(marked).unwrap_or_else(|| by_id("in-short")));
}

/// What is chosen: a node, a job, an attempt, a time.
pub fn in_words(now: &Selection, zone: TimeZone) -> [Option<String>; 4] {
    let span = now.span.map(|(from, to)| axis::from_to(from.millis(), to.millis(), zone));
    let named = |what: &str, name: Option<String>| name.map(|name| format!("{what}: {name}"));
    [
        named("Node", now.node.clone()),
        named("Job", now.job.map(|id| id.to_string())),
        named("Attempt", now.attempt.map(|id| id.to_string())),
        named("Time", span),
    ]
}

impl Selected {
    /// The choice that the address names; what it shows has its times in that zone.
    pub fn of_address(zone: TimeZone) -> Rc<Self> {
        Self::of(Address::current().selection, zone)
    }

    /// This choice; what it shows has its times in that zone.
    pub fn of(now: Selection, zone: TimeZone) -> Rc<Self> {
        Rc::new(Self { now: RefCell::new(now), zone, ..Self::default() })
    }

    /// What is chosen.
    pub fn now(&self) -> Selection {
        self.now.borrow().clone()
    }

    /// A key has turned its names back: they do not go into an address beside the report with their pseudonyms.
    pub fn keep_names(&self) {
        self.has_secrets.set(true);
    }

    fn keeps_names_out_of(&self, address: &Address) -> bool {
        self.has_secrets.get() && (address.report.is_some() || address.url.is_some())
    }

    /// What of an address goes into the browser's.
    pub fn written(&self, mut address: Address) -> Address {
        if self.keeps_names_out_of(&address) {
            address.selection = address.selection.without_names();
        }
        address
    }

    /// What the browser's address chooses: names that are not in it stay chosen.
    pub fn chosen_by(&self, address: &Address) -> Selection {
        let chosen = address.selection.clone();
        if self.keeps_names_out_of(address) { Selection { span: chosen.span, ..self.now() } } else { chosen }
    }

    /// Calls `f` whenever the choice has changed, and shows it.
    pub fn listen(self: &Rc<Self>, f: impl Fn() + 'static) {
        self.told.replace(Some(Rc::new(f)));
        self.show();
    }

    /// Chooses what is named, in place of what of it was chosen.
    pub fn add(self: &Rc<Self>, picked: &Selection) {
        let next = self.now.borrow().and(picked);
        self.set(next);
    }

    /// Chooses this and nothing else; Back leads to what was chosen before. The reader is where the bar says, which
    /// may be far from what was last linked to.
    pub fn set(self: &Rc<Self>, next: Selection) {
        self.written(Address { view: marked_view(), selection: next.clone(), ..Address::current() }).push();
        self.follow(next);
    }

    /// Ends all that is chosen.
    pub fn end(self: &Rc<Self>) {
        if self.now.borrow().is_empty() {
            return;
        }
        let active = document().active_element();
        let had_focus = ["selection", "chosen"].into_iter().any(|id| by_id(id).contains(active.as_deref()));
        self.set(Selection::default());
        if had_focus {
            focus_after(0);
        }
    }

    /// Chooses what the address has come to name.
    pub fn follow(self: &Rc<Self>, next: Selection) {
        if self.now.replace(next.clone()) == next {
            return;
        }
        self.show();
        let told = self.told.borrow().clone();
        if let Some(told) = told {
            told();
        }
    }

    /// The bar that says what is chosen, a button to end each choice.
    fn show(self: &Rc<Self>) {
        let bar = by_id("selection");
        let now = self.now();
        let mut listeners = Listeners::default();
        let without = [
            Selection { node: None, attempt: None, ..now.clone() },
            Selection { job: None, attempt: None, ..now.clone() },
            Selection { attempt: None, ..now.clone() },
            Selection { span: None, ..now.clone() },
        ];
        let chips =
            in_words(&now, self.zone).into_iter().zip(without).filter_map(|(says, without)| Some((says?, without)));
        let chips = chips.enumerate().map(|(i, (says, without))| {
            let me = Rc::downgrade(self);
            let chip = el("button").attr("type", "button").attr("title", "Show all again").text(&says);
            chip.child(el("span").attr("aria-hidden", "true").text(" ×")).on("click", &mut listeners, move |_| {
                if let Some(selected) = me.upgrade() {
                    selected.set(without.clone());
                    focus_after(i);
                }
            })
        });
        fill(&bar, chips.collect::<Vec<_>>());
        set_shown(&bar, !now.is_empty());
        self.listeners.replace(listeners);
    }
}
