//! The page: its states, and what leads from one to the next.
//!
//! ```text
//! empty --files--> working --verdict--> ready        error <--nothing readable, bad link--
//!   ^                 | cancel            | other files: working again
//!   +-----------------+
//! ```

use super::address::Address;
use super::client::{Client, Failure};
use super::dom::{Listeners, by_id, document, el, fill, message_of, set_shown, window};
use super::intake::{self, Input};
use super::progress::ProgressPanel;
use super::reading::{Job, Session};
use super::save::BlobUrl;
use super::views::{self, PageView};
use super::{clocks, controls, coverage, share, theme, verdict};
use crate::model::ClockChoice;
use crate::protocol::{FromWorker, ToWorker};
use crate::report::Report;
use crate::web::envelope::Attachments;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, Element, HtmlInputElement};

/// How often progress is shown.
const PROGRESS_EVERY_MS: i32 = 100;
/// Input up to this size is read a second time for the evidence's text without being asked:
/// it takes less than a second.
const QUOTES_UNASKED_BYTES: f64 = 128.0 * 1024.0 * 1024.0;

/// Values of `data-state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Empty,
    Working,
    Ready,
    Error,
}

#[derive(Default)]
struct Page {
    job: RefCell<Option<Rc<Job>>>,
    views: RefCell<Vec<Rc<dyn PageView>>>,
    session: RefCell<Option<Rc<Session>>>,
    /// What belongs to the report that is shown, and ends with it.
    shown: RefCell<(Listeners, Vec<BlobUrl>)>,
    /// What belongs to the page itself.
    listeners: RefCell<Listeners>,
    width_css_px: Cell<i32>,
}

/// Starts the page.
pub fn start() {
    console_error_panic_hook::set_once();
    theme::restore();
    let page = Rc::new(Page::default());
    page.listen();
    page.open_to_input();
    page.follow_address();
    PAGE.with(|slot| slot.replace(Some(page)));
}

thread_local! {
    /// The page lives as long as its document; nobody else is left to own it.
    static PAGE: RefCell<Option<Rc<Page>>> = const { RefCell::new(None) };
}

impl Page {
    fn listen(self: &Rc<Self>) {
        let mut listeners = self.listeners.borrow_mut();
        for id in ["choose-files", "choose-folder"] {
            let page = Rc::clone(self);
            listeners.add(&by_id(id), "change", move |event| {
                if let Some(field) = event.target().and_then(|t| t.dyn_into().ok()) {
                    page.take_chosen(&field);
                }
            });
        }
        let page = Rc::clone(self);
        listeners.add(&by_id("choose-controls"), "change", move |event| {
            let field = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
            if let Some(field) = field {
                let inputs = field.files().map(|list| intake::from_list(&list)).unwrap_or_default();
                field.set_value("");
                page.learn(inputs);
            }
        });
        let page = Rc::clone(self);
        listeners.add(&by_id("forget-controls"), "click", move |_| page.learn(Vec::new()));
        let page = Rc::clone(self);
        listeners.add(&by_id("sample"), "click", move |_| page.begin_sample());
        let page = Rc::clone(self);
        listeners.add(&by_id("cancel"), "click", move |_| page.cancel());
        let page = Rc::clone(self);
        listeners.add(&by_id("theme"), "click", move |_| {
            theme::toggle();
            page.redraw();
        });
        if let Ok(Some(dark)) = window().match_media("(prefers-color-scheme: dark)") {
            let page = Rc::clone(self);
            listeners.add(&dark, "change", move |_| page.redraw());
        }
        let links = document().query_selector_all("nav a").ok();
        for link in links.iter().flat_map(|links| (0..links.length()).filter_map(|i| links.get(i))) {
            listeners.add(&link, "click", |event| {
                let Some(link) = event.current_target().and_then(|t| t.dyn_into::<Element>().ok()) else { return };
                // The fragment may hold a shared report, which must stay in it.
                event.prevent_default();
                let view = link.get_attribute("href").and_then(|href| href.strip_prefix("#v=").map(str::to_owned));
                let address = Address { view, ..Address::current() };
                address.replace();
                scroll_to(&address);
            });
        }
        let page = Rc::clone(self);
        listeners.add(&window(), "resize", move |_| page.resized());
        let page = Rc::clone(self);
        listeners.add(&window(), "hashchange", move |_| page.follow_address());
        listeners.add(&by_id("reload"), "click", |_| {
            let _ = window().location().reload();
        });
        for kind in ["dragenter", "dragover"] {
            listeners.add(&document(), kind, |event| {
                event.prevent_default();
                let _ = by_id("intake").class_list().add_1("over");
            });
        }
        listeners.add(&document(), "dragleave", |event| {
            // Out of the window, not only from one element to the next.
            if event.dyn_ref::<DragEvent>().is_some_and(|e| e.related_target().is_none()) {
                let _ = by_id("intake").class_list().remove_1("over");
            }
        });
        let page = Rc::clone(self);
        listeners.add(&document(), "drop", move |event| {
            event.prevent_default();
            let _ = by_id("intake").class_list().remove_1("over");
            let dropped = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
            let Some(dropped) = dropped else { return };
            let entries = intake::entries_of(&dropped);
            let plain = dropped.files().map(|list| intake::from_list(&list)).unwrap_or_default();
            let on = event.target().and_then(|t| t.dyn_into::<web_sys::Node>().ok());
            let as_controls = page.session.borrow().is_some() && by_id("controls").contains(on.as_ref());
            let page = Rc::clone(&page);
            spawn_local(async move {
                let (inputs, refused) = intake::walk(entries).await;
                let inputs = if inputs.is_empty() { plain } else { inputs };
                if as_controls {
                    page.learn(inputs);
                } else {
                    page.begin(inputs, refused);
                }
            });
        });
    }

    /// The page listens: only now has it a state, and files chosen before are taken.
    fn open_to_input(self: &Rc<Self>) {
        self.set_state(State::Empty);
        let _ = by_id("sample").remove_attribute("disabled");
        for id in ["choose-files", "choose-folder"] {
            if let Ok(field) = by_id(id).dyn_into::<HtmlInputElement>()
                && field.files().is_some_and(|list| list.length() > 0)
            {
                self.take_chosen(&field);
            }
        }
    }

    fn take_chosen(self: &Rc<Self>, field: &HtmlInputElement) {
        let inputs = field.files().map(|list| intake::from_list(&list)).unwrap_or_default();
        // The same files may be chosen again.
        field.set_value("");
        self.begin(inputs, Vec::new());
    }

    /// Does what the fragment says: a shared report is opened, anything else waits for logs.
    fn follow_address(self: &Rc<Self>) {
        let address = Address::current();
        if let Some(fragment) = address.report {
            let page = Rc::clone(self);
            page.clear();
            page.set_state(State::Working);
            spawn_local(async move {
                if let Err(why) = page.open_link(fragment).await {
                    page.fail("This link cannot be shown", &[why.to_string()], &why);
                }
            });
        } else {
            scroll_to(&address);
        }
    }

    async fn open_link(self: &Rc<Self>, fragment: String) -> Result<(), Failure> {
        by_id("progress-words").set_text_content(Some("Opening the shared report"));
        let client = Client::start(|_| {}).await?;
        let question = |request| ToWorker::OpenLink { request, fragment };
        let (answer, _) = client.ask(question, Attachments::default()).await?;
        let FromWorker::Opened { report, left_out, .. } = answer else { return Err(Failure::Stale) };
        let banner = if left_out.is_empty() {
            String::from("Shared report: no logs here. Drop the logs to see the evidence itself.")
        } else {
            format!("Shared report: no logs here. Left out to keep the link short: {}.", left_out.join(", "))
        };
        by_id("banner").set_text_content(Some(&banner));
        self.show_report(&report, &[], None);
        let absent = "The comparison of the nodes is drawn from the logs; a link does not carry it.";
        fill(&by_id("peers"), [el("p").class("lead").text(absent)]);
        self.set_state(State::Ready);
        scroll_to(&Address::current());
        Ok(())
    }

    /// The sample takes the same way as a dropped file.
    fn begin_sample(self: &Rc<Self>) {
        let page = Rc::clone(self);
        spawn_local(async move {
            match intake::sample().await {
                Ok(input) => page.begin(vec![input], Vec::new()),
                Err(e) => {
                    let why = message_of(&e);
                    let advice = [format!("{} could not be loaded from beside this page: {why}", intake::SAMPLE_NAME)];
                    page.fail("The sample is not here", &advice, &Failure::Refused(why));
                }
            }
        });
    }

    /// Starts on new inputs; whatever was under way or shown ends.
    fn begin(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        if let Some(job) = self.job.take() {
            job.cancel();
        }
        self.clear();
        if inputs.is_empty() {
            let mut lines = vec![String::from("No file was given. Drop an archive, files or a folder with logs.")];
            lines.extend(refused.iter().map(|name| format!("{name} could not be opened")));
            return self.fail("Nothing to read", &lines, &Failure::Cancelled);
        }
        let mut address = Address::current();
        if address.report.take().is_some() {
            address.replace();
        }
        let cores = Address::workers().unwrap_or_else(|| window().navigator().hardware_concurrency() as usize);
        let job = Job::new(&inputs, refused, cores);
        self.job.replace(Some(Rc::clone(&job)));
        self.set_state(State::Working);
        self.show_progress(&job);
        let page = Rc::clone(self);
        spawn_local(async move {
            let result = Rc::clone(&job).run(inputs).await;
            let current = page.job.borrow().as_ref().is_some_and(|j| Rc::ptr_eq(j, &job));
            if !current {
                return;
            }
            page.job.replace(None);
            job.cancel();
            match result {
                Ok(session) => page.show_session(Rc::new(session)),
                Err(Failure::Cancelled) => page.set_state(State::Empty),
                Err(why) => page.fail("The logs could not be read", &[why.to_string()], &why),
            }
        });
    }

    /// Learns from control runs and reaches the verdict again; without any, forgets them.
    fn learn(self: &Rc<Self>, inputs: Vec<Input>) {
        let Some(session) = self.session.borrow().clone() else { return };
        let says = by_id("baseline-says");
        let busy =
            if inputs.is_empty() { "Comparing the logs with themselves" } else { "Learning from the control runs" };
        says.set_text_content(Some(busy));
        let page = Rc::clone(self);
        spawn_local(async move {
            let result = match inputs.is_empty() {
                true => controls::forget(&session).await,
                false => controls::learn(&session, inputs).await,
            };
            // Other logs may have been dropped meanwhile.
            if !page.session.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, &session)) {
                return;
            }
            match result {
                Ok(session) => {
                    page.clear();
                    page.show_session(Rc::new(session));
                }
                Err(why) => says.set_text_content(Some(&format!("No baseline: {why}."))),
            }
        });
    }

    fn cancel(&self) {
        if let Some(job) = self.job.take() {
            job.cancel();
        }
        self.set_state(State::Empty);
    }

    fn show_progress(self: &Rc<Self>, job: &Rc<Job>) {
        let panel = ProgressPanel::start();
        let job = Rc::downgrade(job);
        spawn_local(async move {
            while let Some(job) = job.upgrade().filter(|job| !job.is_over()) {
                panel.show(job.progress());
                drop(job);
                sleep(PROGRESS_EVERY_MS).await;
            }
        });
    }

    fn show_session(self: &Rc<Self>, session: Rc<Session>) {
        let understood = session.report.coverage.iter().any(|c| c.understood > 0);
        if !understood {
            return self.fail_unread(&session);
        }
        by_id("banner").set_text_content(None);
        self.session.replace(Some(Rc::clone(&session)));
        fill(&by_id("baseline-says"), [controls::says(&session)]);
        set_shown(&by_id("controls"), true);
        set_shown(&by_id("forget-controls"), session.baseline.is_some());
        let apply = {
            let (page, session) = (Rc::downgrade(self), Rc::downgrade(&session));
            Rc::new(move |clocks: ClockChoice| {
                if let (Some(page), Some(session)) = (page.upgrade(), session.upgrade()) {
                    page.analyse_again(session, clocks);
                }
            })
        };
        let quotes = self.show_report(&session.report, &session.failures, Some((session.clocks, apply)));
        {
            let mut shown = self.shown.borrow_mut();
            let (owned, urls) = &mut *shown;
            fill(&by_id("share"), [share::row(&session.link, &session.json, owned, urls)]);
        }
        self.set_state(State::Ready);
        // Figures measure the room they have, so they come after it is shown.
        let address = Address::current();
        self.views.replace(views::make(&session));
        let me = Rc::downgrade(self);
        session.selected.listen(move || {
            if let Some(page) = me.upgrade() {
                page.views.borrow().iter().for_each(|view| view.selected());
            }
        });
        self.offer_quotes(session, quotes);
        scroll_to(&address);
    }

    /// Reaches the verdict again under another choice of clocks.
    fn analyse_again(self: &Rc<Self>, session: Rc<Session>, clocks: ClockChoice) {
        let page = Rc::clone(self);
        spawn_local(async move {
            match session.again(clocks).await {
                Ok(session) => {
                    page.clear();
                    page.show_session(Rc::new(session));
                    // The form was built anew: whoever used it goes on there.
                    if let Some(form) = document().get_element_by_id("fix-clocks").and_then(|f| f.dyn_into().ok()) {
                        let _ = web_sys::HtmlElement::focus(&form);
                    }
                }
                Err(Failure::Cancelled) => {}
                Err(why) => page.fail("The logs could not be analysed again", &[why.to_string()], &why),
            }
        });
    }

    /// Shows a report, and returns the places whose text could be fetched.
    fn show_report(
        &self,
        report: &Report,
        failures: &[String],
        clocks: Option<(ClockChoice, clocks::Apply)>,
    ) -> Vec<verdict::Quote> {
        let mut shown = self.shown.borrow_mut();
        let mut quotes = Vec::new();
        let outcome = serde_wasm_bindgen::to_value(&report.verdict.outcome).ok().and_then(|v| v.as_string());
        let _ = by_id("verdict").set_attribute("data-outcome", outcome.as_deref().unwrap_or_default());
        fill(&by_id("verdict-card"), verdict::card(report));
        by_id("in-short").set_text_content(Some(&verdict::in_short(report)));
        fill(&by_id("grounds"), verdict::grounds(report, failures, &mut quotes));
        fill(&by_id("coverage"), coverage::view(report, clocks, &mut shown.0));
        document().set_title(&format!("{} · oddnode", verdict::in_short(report)));
        quotes
    }

    /// Shows the raw text of the evidence at once where that is quick, else on demand.
    fn offer_quotes(&self, session: Rc<Session>, quotes: Vec<verdict::Quote>) {
        if quotes.is_empty() {
            return;
        }
        let size: f64 = session.inputs.iter().map(|i| i.file.size()).sum();
        if size <= QUOTES_UNASKED_BYTES {
            spawn_local(async move {
                // Without it the places still stand there.
                let _ = verdict::fetch_quotes(session, quotes).await;
            });
            return;
        }
        let mut quotes = Some(quotes);
        let show = el("button").class("button").attr("type", "button").text("Show the log lines").on(
            "click",
            &mut self.shown.borrow_mut().0,
            move |_| {
                if let Some(quotes) = quotes.take() {
                    let session = Rc::clone(&session);
                    spawn_local(async move {
                        let _ = verdict::fetch_quotes(session, quotes).await;
                    });
                }
            },
        );
        let _ = by_id("grounds").prepend_with_node_1(show.get());
    }

    /// Nothing of the input could be understood: says of each file why.
    fn fail_unread(&self, session: &Session) {
        let mut lines = session.failures.clone();
        for row in session.report.issues.iter().filter(|row| row.severity != "info") {
            lines.push(format!("{} {}: {}.", verdict::affected(row), row.text, row.advice));
        }
        let unknown = session.report.coverage.iter().filter(|c| c.format.is_none());
        lines.extend(unknown.take(5).map(|c| match &c.why {
            Some(why) => format!("{} {why}", c.file),
            None => format!("{} is in no format that is read", c.file),
        }));
        if lines.is_empty() {
            lines.extend(session.inputs.iter().take(5).map(|i| format!("{} holds nothing that is read", i.name)));
        }
        lines.push(String::from(
            "What is read: logs of JobTracker, TaskTracker, NameNode, DataNode, ResourceManager, \
             NodeManager, task logs and job history of Hadoop 0.20 to 3.x, and sysstat's metrics (sar, sadf, sa files), \
             plain or in tar and gz.",
        ));
        self.fail("No Hadoop log was found in this", &lines, &Failure::Cancelled);
    }

    fn fail(&self, title: &str, lines: &[String], why: &Failure) {
        by_id("error-title").set_text_content(Some(title));
        fill(&by_id("error-lines"), lines.iter().map(|line| el("p").text(line)));
        set_shown(&by_id("reload"), matches!(why, Failure::Stale | Failure::Crashed(_)));
        self.set_state(State::Error);
    }

    /// Ends what belongs to the report shown.
    fn clear(&self) {
        self.views.replace(Vec::new());
        views::clear();
        set_shown(&by_id("selection"), false);
        self.session.replace(None);
        set_shown(&by_id("controls"), false);
        self.shown.replace((Listeners::default(), Vec::new()));
        for id in ["verdict-card", "share", "grounds", "coverage", "banner"] {
            by_id(id).set_text_content(None);
        }
    }

    fn set_state(&self, state: State) {
        let name = match state {
            State::Empty => "empty",
            State::Working => "working",
            State::Ready => "ready",
            State::Error => "error",
        };
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-state", name);
        }
    }

    fn redraw(&self) {
        self.views.borrow().iter().for_each(|view| view.redraw());
    }

    fn resized(&self) {
        let width = document().document_element().map_or(0, |root| root.client_width());
        if self.width_css_px.replace(width) == width {
            return;
        }
        self.views.borrow().iter().for_each(|view| view.refresh());
    }
}

/// Brings the section that the address names into sight.
fn scroll_to(address: &Address) {
    if let Some(view) = &address.view {
        let section = document().get_element_by_id(&format!("view-{view}"));
        section.unwrap_or_else(|| by_id("verdict")).scroll_into_view();
    }
}

async fn sleep(ms: i32) {
    let timer = js_sys::Promise::new(&mut |done, _| {
        let _ = window().set_timeout_with_callback_and_timeout_and_arguments_0(&done, ms);
    });
    // A timer does not fail.
    let _ = JsFuture::from(timer).await;
}
