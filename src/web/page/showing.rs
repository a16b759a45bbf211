//! A verdict shown, or why there is none.

use super::super::address::{Address, marked_view};
use super::super::client::Failure;
use super::super::dom::{
    Listeners, by_id, document, el, fill, fill_fold, focus, focus_part, set_shown, set_text, sleep, window,
};
use super::super::intake::{self, Input};
use super::super::quotes::{self, Quote};
use super::super::session::{Again, Session};
use super::super::{
    clocks, compare, compiled, controls, coverage, parameters, search, selected, share, verdict, views,
};
use super::settling::top_of;
use super::{Page, State, beside};
use crate::base::issue::Severity;
use crate::model::ClockChoice;
use crate::protocol::Asked;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// Input up to this size is read a second time for the evidence's text without being asked:
/// it takes less than a second.
const QUOTES_UNASKED_BYTES: f64 = 128.0 * 1024.0 * 1024.0;

impl Page {
    /// Shows what a session says, then its figures.
    pub(super) async fn show_session(self: &Rc<Self>, session: Rc<Session>) {
        if session.understands_nothing() {
            return self.fail_unread(&session);
        }
        if let Some(why) = session.report.refused() {
            // None of its statements is shown as one, and nothing of it leaves.
            let why = [why.to_owned()];
            return self.fail("The verdict of this report is not shown", &why, &Failure::Cancelled);
        }
        self.before.take();
        if *self.followed.borrow() == (None, None) {
            self.below.take();
        }
        let banner = by_id("banner");
        banner.set_text_content(None);
        if let Some(says) = &session.opened {
            let fold = el("details").class("fold").test_id("left-out");
            fill_fold(fold.get(), "Left out to keep it short", &session.report.left_out);
            fill(&banner, [el("p").text(says), fold]);
        }
        self.session.replace(Some(Rc::clone(&session)));
        set_shown(&by_id("controls"), session.opened.is_none());
        let apply = {
            let (page, session) = (Rc::downgrade(self), Rc::downgrade(&session));
            Rc::new(move |clocks: ClockChoice| {
                let both = page.upgrade().zip(session.upgrade());
                both.is_some_and(|(page, session)| {
                    let asked = Asked { clocks, ..session.asked.clone() };
                    page.analyse_again(session, asked, "fix-clocks")
                })
            })
        };
        let clocks = session.opened.is_none().then_some((session.asked.clocks, apply as clocks::Apply));
        let quotes = self.show_report(&session, clocks);
        {
            let mut shown = self.shown.borrow_mut();
            let (owned, urls) = &mut *shown;
            controls::say(&session, urls);
            parameters::show(&session);
            fill(&by_id("share"), share::row(&session, owned, urls));
            let page = Rc::downgrade(self);
            search::offer(&session, owned, move |address| page.upgrade().iter().for_each(|page| page.go_to(address)));
        }
        // What comes next measures the room it has: together they would keep the page from answering.
        sleep(0).await;
        if self.shows(&session) {
            self.show_views(session, quotes);
        }
    }

    /// Shows what stands beside a session's report: its figures, and the text of its evidence.
    fn show_views(self: &Rc<Self>, session: Rc<Session>, quotes: Vec<Quote>) {
        self.set_state(State::Ready);
        // They measure the room they have, so they come after it is shown.
        let address = Address::current();
        self.views.replace(views::make(&session));
        let (me, of) = (Rc::downgrade(self), Rc::downgrade(&session));
        selected::tell(&session.report, &session.selected.now());
        session.selected.listen(move || {
            if let Some(session) = of.upgrade() {
                selected::tell(&session.report, &session.selected.now());
            }
            if let Some(page) = me.upgrade() {
                page.views.borrow().iter().for_each(|view| view.selected());
            }
        });
        if session.opened.is_none() {
            self.offer_quotes(session, quotes);
        }
        self.scroll_to(&address);
        let (kept, unopened) = self.take_kept();
        if !kept.is_empty() {
            self.begin(kept, unopened);
        }
    }

    /// Reaches the verdict again where something else is asked, by a form with this element; returns whether that has
    /// begun.
    pub(super) fn analyse_again(self: &Rc<Self>, session: Rc<Session>, asked: Asked, form: &'static str) -> bool {
        if session.working.analyses_again.replace(true) {
            return false;
        }
        let (page, work) = (Rc::clone(self), self.work_beside());
        spawn_local(async move {
            let _work = work;
            let again = session.again(asked.clone()).await;
            session.working.end_again();
            let is_shown = page.shows(&session);
            match again {
                Ok(again) => {
                    let is_seen = is_shown && !page.is_looking.get();
                    let form = || document().get_element_by_id(form).filter(|_| is_seen);
                    let top_css_px = form().map(|form| top_of(&form));
                    let has_focus = page.show_instead(&session, again).await;
                    // The form was built anew: whoever used it goes on there, and finds it where it was.
                    if let Some((form, top_css_px)) = form().zip(top_css_px) {
                        if !has_focus {
                            focus(&form);
                        }
                        page.hold(form, top_css_px);
                    }
                }
                Err(Failure::Cancelled) => {}
                Err(why) if is_shown => {
                    page.fail("The logs could not be analysed again", &[why.to_string()], &why);
                    let again = Again { asked, baseline: session.baseline.clone() };
                    page.offer_retry(session.inputs.clone(), session.refused.clone(), again);
                }
                Err(_) => {}
            }
        });
        true
    }

    /// Puts another verdict on the same logs in the place of one, wherever that is: the analyst answers by the last.
    /// What it was compared with is no longer there. Returns whether what had the focus has it still.
    pub(super) async fn show_instead(self: &Rc<Self>, session: &Rc<Session>, again: Session) -> bool {
        let is_one = |kept: &Rc<Session>| Rc::ptr_eq(kept, session);
        if !self.shows(session) {
            let again = Rc::new(again);
            if let Some((kept, address)) = self.before.borrow_mut().as_mut().filter(|(kept, _)| is_one(kept)) {
                (*kept, address.selection) = (Rc::clone(&again), again.selected.now());
            }
            if let Some(kept) = self.below.borrow_mut().as_mut().filter(|kept| is_one(kept)) {
                *kept = again;
            }
            return true;
        }
        let was_compared = by_id("compare-result").has_child_nodes();
        let active = document().active_element();
        self.clear();
        Address { view: marked_view(), selection: again.selected.now(), ..Address::current() }.replace();
        self.show_session(Rc::new(again)).await;
        // Whoever types in a field that stays goes on there.
        active.iter().for_each(focus);
        let has_focus = document().active_element() == active;
        if was_compared {
            beside::say("The verdict is another one now: compare again.");
        }
        has_focus
    }

    /// Shows a report, and returns the places whose text could be fetched.
    pub(super) fn show_report(&self, session: &Session, clocks: Option<(ClockChoice, clocks::Apply)>) -> Vec<Quote> {
        let report = &session.report;
        let mut shown = self.shown.borrow_mut();
        let mut quotes = Vec::new();
        let _ = by_id("verdict").set_attribute("data-outcome", report.verdict.outcome.name());
        fill(&by_id("verdict-card"), verdict::card(session));
        set_text(&by_id("in-short"), &verdict::in_short(report));
        fill(&by_id("grounds"), verdict::grounds(session, &mut quotes));
        fill(&by_id("coverage"), coverage::view(session, clocks, &mut shown.0));
        document().set_title(&format!("{} · oddnode", verdict::in_short(report)));
        quotes
    }

    /// Shows the raw text of the evidence at once where that is quick, else on demand.
    pub(super) fn offer_quotes(&self, session: Rc<Session>, quotes: Vec<Quote>) {
        if quotes.is_empty() {
            return;
        }
        let size: f64 = session.inputs.iter().map(|i| i.file.size()).sum();
        if size <= QUOTES_UNASKED_BYTES {
            spawn_local(async move {
                // Without it the places still stand there.
                let _ = quotes::fetch(session, quotes).await;
            });
            return;
        }
        let mut quotes = Some(quotes);
        let show = el("button").class("button").attr("type", "button").text("Show the log lines");
        let button = show.get().clone();
        let show = show.on("click", &mut self.shown.borrow_mut().0, move |_| {
            if let Some(quotes) = quotes.take() {
                let (session, button) = (Rc::clone(&session), button.clone());
                button.set_text_content(Some("Looking for the log lines"));
                let _ = button.set_attribute("disabled", "");
                // Keys go on where the lines will be.
                focus_part(&by_id("grounds"));
                spawn_local(async move {
                    match quotes::fetch(session, quotes).await {
                        Ok(()) => button.remove(),
                        Err(why) => button.set_text_content(Some(&format!("They could not be read: {why}"))),
                    }
                });
            }
        });
        let _ = by_id("grounds").prepend_with_node_1(show.get());
    }

    /// Nothing of the input could be understood: says of each file why.
    pub(super) fn fail_unread(&self, session: &Session) {
        let mut lines = intake::few(session.failures.clone());
        for row in session.report.issues.iter().filter(|row| row.severity > Severity::Info) {
            lines.push(format!("{} {}: {}.", verdict::affected(row), row.text, row.advice));
        }
        let unknown = session.report.coverage.iter().filter(|c| c.format.is_none());
        lines.extend(unknown.take(5).map(|c| match &c.why {
            Some(why) => format!("{} {why}", c.file),
            None => format!("{} is not in a format that oddnode reads", c.file),
        }));
        if lines.is_empty() {
            lines.extend(session.inputs.iter().take(5).map(|i| format!("{} holds nothing that oddnode reads", i.name)));
        }
        lines.push(String::from(
            "What is read: logs of JobTracker, TaskTracker, NameNode, DataNode, ResourceManager, \
             NodeManager, tasks, Spark and job history of Hadoop 0.18 to 3.x, sysstat's metrics (sar, sadf, sa files), \
             traces of strace, and reports and digests of oddnode; plain or in tar, zip, gz, zstd, xz and bzip2.",
        ));
        self.fail("No Hadoop log was found in this", &lines, &Failure::Cancelled);
        // What could not be read may be there again.
        if !session.failures.is_empty() {
            let again = Again { asked: session.asked.clone(), baseline: session.baseline.clone() };
            self.offer_retry(session.inputs.clone(), session.refused.clone(), again);
        }
    }

    /// Offers to try once more, with what was kept for the verdict, and to compare so.
    pub(super) fn offer_retry(&self, mut inputs: Vec<Input>, mut refused: Vec<String>, again: Again) {
        let (kept, unopened) = self.take_kept();
        inputs.extend(kept);
        refused.extend(unopened);
        self.failed.replace(((inputs, refused), again));
        set_shown(&by_id("retry"), true);
    }

    pub(super) fn fail(&self, title: &str, lines: &[String], why: &Failure) {
        // Whoever tries again begins anew: the workers' code may be what is broken.
        compiled::forget();
        by_id("error-title").set_text_content(Some(title));
        fill(&by_id("error-lines"), lines.iter().map(|line| el("p").text(line)));
        set_shown(&by_id("retry"), false);
        set_shown(&by_id("back"), self.session.borrow().is_some() || self.before.borrow().is_some());
        document().set_title("oddnode");
        set_shown(&by_id("reload"), matches!(why, Failure::Stale | Failure::Crashed(_)));
        self.set_state(State::Error);
    }

    /// Where the reader is.
    pub(super) fn address(&self) -> Address {
        self.session.borrow().as_ref().map_or_else(Address::current, |session| self.address_of(session))
    }

    /// The address of what is shown, where the browser's may already name something else.
    fn address_of(&self, session: &Session) -> Address {
        let (report, url) = self.followed.borrow().clone();
        Address { report, url, selection: session.selected.now(), ..Address::current() }
    }

    /// Ends what belongs to the report shown.
    pub(super) fn clear(&self) {
        self.settle();
        self.views.replace(Vec::new());
        views::clear();
        compare::show(false);
        for id in ["selection", "chosen"] {
            set_shown(&by_id(id), false);
        }
        if let Some(session) = self.session.take() {
            let address = self.address_of(&session);
            self.before.replace(Some((session, address)));
        }
        document().set_title("oddnode");
        set_shown(&by_id("controls"), false);
        self.shown.replace((Listeners::default(), Vec::new()));
        for id in ["verdict-card", "share", "grounds", "coverage", "banner", "search", "compare-result", "compare-says"]
        {
            by_id(id).set_text_content(None);
        }
    }

    pub(super) fn set_state(&self, state: State) {
        self.state.set(state);
        self.show_state();
    }

    /// Tells the state to style and to tests: the page's own, and what is done beside it.
    pub(super) fn show_state(&self) {
        let state = if self.is_looking.get() { State::Working } else { self.state.get() };
        let is_beside = state == State::Ready && self.beside.get() > 0;
        let name = match state {
            State::Empty => "empty",
            State::Ready if !is_beside => "ready",
            State::Working | State::Ready => "working",
            State::Error => "error",
        };
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-state", name);
            let _ = root.toggle_attribute_with_force("data-beside", is_beside);
        }
    }

    pub(super) fn redraw(&self) {
        self.views.borrow().iter().for_each(|view| view.redraw());
    }

    pub(super) fn resized(&self) {
        let width = document().document_element().map_or(0, |root| root.client_width());
        let pixels = window().device_pixel_ratio();
        if self.pixels_per_css_px.replace(pixels) != pixels {
            self.redraw();
        }
        if self.width_css_px.replace(width) == width {
            return;
        }
        self.views.borrow().iter().for_each(|view| view.refresh());
    }
}
