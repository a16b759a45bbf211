//! The page: its states, and what leads from one to the next.
//!
//! ```text
//! empty --files--> working --verdict--> ready        error <--nothing readable, bad link--
//!   ^                 | cancel            | other files: working again
//!   +-----------------+
//! ```

mod listen;

use super::address::Address;
use super::client::{Client, Failure};
use super::compare;
use super::compiled;
use super::controls::{self, Lesson};
use super::dom::{Listeners, by_id, document, el, fill, message_of, set_shown, window};
use super::envelope::Attachments;
use super::intake::{self, Input, Kind};
use super::progress::ProgressPanel;
use super::quotes::{self, Quote};
use super::reading::Job;
use super::save::BlobUrl;
use super::session::{self, Session};
use super::views::{self, PageView};
use super::{clocks, coverage, share, theme, verdict};
use crate::model::ClockChoice;
use crate::protocol::{BUILD, ToWorker};
use crate::report::Report;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;

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
    lesson: RefCell<Option<Rc<Lesson>>>,
    /// What could not be read for a reason that may have passed.
    failed: RefCell<Vec<Input>>,
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
    if let Some(root) = document().document_element() {
        // The service worker keeps the files of each build apart.
        let _ = root.set_attribute("data-build", BUILD);
    }
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
    /// The page listens: only now has it a state, and files chosen before are taken.
    fn open_to_input(self: &Rc<Self>) {
        self.set_state(State::Empty);
        let _ = by_id("sample").remove_attribute("disabled");
        self.take_chosen();
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
        } else if let Some(url) = address.url {
            let page = Rc::clone(self);
            page.clear();
            page.set_state(State::Working);
            spawn_local(async move {
                if let Err(why) = page.open_url(&url).await {
                    page.fail("This report cannot be fetched", &[why.to_string()], &why);
                }
            });
        } else {
            scroll_to(&address);
        }
    }

    async fn open_link(self: &Rc<Self>, fragment: String) -> Result<(), Failure> {
        by_id("progress-words").set_text_content(Some("Opening the shared report"));
        let client = Rc::new(Client::start(|_, _| {}).await?);
        let question = |request| ToWorker::OpenLink { request, fragment };
        let session = session::open(client, question, Attachments::default()).await?;
        self.show_session(Rc::new(session));
        Ok(())
    }

    /// Opens a report's file.
    async fn open_file(self: &Rc<Self>, file: &web_sys::File) -> Result<Session, Failure> {
        by_id("progress-words").set_text_content(Some("Opening the shared report"));
        let client = Rc::new(Client::start(|_, _| {}).await?);
        let handle = Attachments::handles([file.as_ref()]);
        session::open(client, |request| ToWorker::OpenFile { request }, handle).await
    }

    /// Opens a report that lies at an address. Of another host's nothing is asked: the page's
    /// policy forbids it, and whoever wants it fetches it knowingly.
    async fn open_url(self: &Rc<Self>, url: &str) -> Result<(), Failure> {
        let base = document().base_uri().ok().flatten().unwrap_or_default();
        let Ok(whole) = web_sys::Url::new_with_base(url, &base) else {
            return Err(Failure::Refused(format!("{url} is no address")));
        };
        if whole.origin() != window().location().origin().unwrap_or_default() {
            return Err(Failure::Refused(format!(
                "it lies on another host ({}), and this page asks no host but its own for anything. Save the file \
                 from there yourself and drop it here, or put this page beside it. The address is {}",
                whole.host(),
                whole.href()
            )));
        }
        let file = intake::fetched(&whole.href()).await;
        let file =
            file.map_err(|e| Failure::Refused(format!("{} could not be fetched: {}", whole.href(), message_of(&e))))?;
        let session = self.open_file(&file).await?;
        self.show_session(Rc::new(session));
        Ok(())
    }

    /// Turns the pseudonyms of the report shown back.
    async fn use_key(self: &Rc<Self>, key: &web_sys::File) {
        let session = self.session.borrow().clone().filter(|session| session.opened.is_some());
        let Some(session) = session else {
            let says = [String::from("Open the link or the report that it belongs to first, then drop the key.")];
            return self.fail("This is the key of a shared report", &says, &Failure::Cancelled);
        };
        let handle = Attachments::handles([key.as_ref()]);
        let named = session::open(Rc::clone(&session.analyst), |request| ToWorker::Reveal { request }, handle).await;
        match named {
            Ok(named) => {
                self.clear();
                self.show_session(Rc::new(named));
            }
            Err(why) => {
                self.set_state(State::Ready);
                by_id("banner").set_text_content(Some(&format!("The names stay pseudonyms: {why}.")));
            }
        }
    }

    /// Compares the run that is shown with another, or two that are given together.
    fn compare(self: &Rc<Self>, inputs: Vec<Input>) {
        let mut runs: Vec<Vec<Input>> = intake::runs(inputs).into_values().collect();
        let shown = self.session.borrow().clone();
        let says = by_id("compare-says");
        if runs.len() > 2 || (runs.len() == 1 && shown.is_none()) || runs.is_empty() {
            let text = "Drop two runs, each an archive, a folder or a report; or one, once a run is shown.";
            return says.set_text_content(Some(text));
        }
        says.set_text_content(Some("Reading the other run"));
        let now = if runs.len() == 2 { runs.pop() } else { None };
        let Some(before) = runs.pop() else { return };
        if now.is_some() {
            self.clear();
            self.set_state(State::Working);
        }
        let page = Rc::clone(self);
        spawn_local(async move {
            let done = page.compared(before, now, shown).await;
            by_id("compare-says").set_text_content(None);
            if let Err(why) = done {
                match page.session.borrow().is_some() {
                    true => by_id("compare-says").set_text_content(Some(&format!("They cannot be compared: {why}."))),
                    false => page.fail("The runs could not be compared", &[why.to_string()], &why),
                }
            }
        });
    }

    async fn compared(
        self: &Rc<Self>,
        before: Vec<Input>,
        now: Option<Vec<Input>>,
        shown: Option<Rc<Session>>,
    ) -> Result<(), Failure> {
        let before = self.session_of(before).await?;
        let session = match now {
            Some(now) => {
                let session = Rc::new(self.session_of(now).await?);
                self.show_session(Rc::clone(&session));
                session
            }
            None => shown.ok_or(Failure::Cancelled)?,
        };
        compare::show(true);
        let view = compare::make(session, &before, &by_id("compare-result")).await?;
        self.views.borrow_mut().push(view);
        by_id(compare::SECTION[0]).scroll_into_view();
        Ok(())
    }

    /// Reads one run aside: logs, or a report.
    async fn session_of(self: &Rc<Self>, inputs: Vec<Input>) -> Result<Session, Failure> {
        if let [only] = inputs.as_slice()
            && intake::kind_of(&only.file).await == Kind::Report
        {
            return self.open_file(&only.file).await;
        }
        let cores = Address::workers().unwrap_or_else(|| window().navigator().hardware_concurrency() as usize);
        let job = Job::new(&inputs, Vec::new(), cores);
        let session = Rc::clone(&job).run(inputs).await;
        job.cancel();
        session
    }

    /// The sample takes the same way as a dropped file.
    fn begin_sample(self: &Rc<Self>) {
        compiled::begin();
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

    /// Takes what is given: a shared report and a key are opened, anything else is read.
    fn begin(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        compiled::begin();
        let [only] = inputs.as_slice() else { return self.begin_logs(inputs, refused) };
        let file = only.file.clone();
        self.set_state(State::Working);
        by_id("progress-words").set_text_content(Some("Starting"));
        let page = Rc::clone(self);
        spawn_local(async move {
            match intake::kind_of(&file).await {
                Kind::Logs => page.begin_logs(inputs, refused),
                Kind::Key => page.use_key(&file).await,
                Kind::Report => {
                    page.clear();
                    match page.open_file(&file).await {
                        Ok(session) => page.show_session(Rc::new(session)),
                        Err(why) => page.fail("This report cannot be shown", &[why.to_string()], &why),
                    }
                }
            }
        });
    }

    /// Starts on new inputs; whatever was under way or shown ends.
    fn begin_logs(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        if let Some(job) = self.job.take() {
            job.cancel();
        }
        // Nobody waits for a lesson about other logs.
        if let Some(lesson) = self.lesson.take() {
            lesson.cancel();
            controls::show_lesson(false);
        }
        self.clear();
        if inputs.is_empty() {
            let mut lines = vec![String::from("No file was given. Drop an archive, files or a folder with logs.")];
            lines.extend(refused.iter().map(|name| format!("{name} could not be opened")));
            return self.fail("Nothing to read", &lines, &Failure::Cancelled);
        }
        let mut address = Address::current();
        if address.report.take().is_some() | address.url.take().is_some() {
            address.replace();
        }
        let cores = Address::workers().unwrap_or_else(|| window().navigator().hardware_concurrency() as usize);
        let job = Job::new(&inputs, refused, cores);
        self.job.replace(Some(Rc::clone(&job)));
        self.set_state(State::Working);
        ProgressPanel::start().follow(&job, &job.working, Job::is_over, Job::progress);
        let page = Rc::clone(self);
        spawn_local(async move {
            let result = Rc::clone(&job).run(inputs.clone()).await;
            let current = page.job.borrow().as_ref().is_some_and(|j| Rc::ptr_eq(j, &job));
            if !current {
                return;
            }
            page.job.replace(None);
            job.cancel();
            match result {
                Ok(session) => page.show_session(Rc::new(session)),
                Err(Failure::Cancelled) => page.set_state(State::Empty),
                Err(why) => {
                    page.fail("The logs could not be read", &[why.to_string()], &why);
                    page.failed.replace(inputs);
                    set_shown(&by_id("retry"), true);
                }
            }
        });
    }

    /// Learns from control runs and reaches the verdict again; without any, forgets them.
    fn learn(self: &Rc<Self>, inputs: Vec<Input>) {
        let Some(session) = self.session.borrow().clone() else { return };
        // One lesson at a time.
        if self.lesson.borrow().is_some() {
            return;
        }
        let lesson = Lesson::new(Rc::clone(&session), &inputs);
        self.lesson.replace(Some(Rc::clone(&lesson)));
        controls::show_lesson(true);
        ProgressPanel::of_lesson().follow(&lesson, &session.working, Lesson::is_over, Lesson::progress);
        let page = Rc::clone(self);
        spawn_local(async move {
            let result = Rc::clone(&lesson).learn(inputs).await;
            if !page.lesson.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, &lesson)) {
                return;
            }
            page.lesson.take();
            controls::show_lesson(false);
            set_shown(&by_id("forget-controls"), session.baseline.is_some());
            // Other logs may have been dropped meanwhile.
            if !page.session.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, &session)) {
                return;
            }
            match result {
                Ok(session) => {
                    page.clear();
                    page.show_session(Rc::new(session));
                }
                Err(Failure::Cancelled) => {}
                Err(why) => by_id("baseline-says").set_text_content(Some(&format!("No baseline: {why}."))),
            }
        });
    }

    fn cancel(&self) {
        if let Some(job) = self.job.take() {
            job.cancel();
        }
        self.set_state(State::Empty);
    }

    fn show_session(self: &Rc<Self>, session: Rc<Session>) {
        let understood = session.report.coverage.iter().any(|c| c.understood > 0);
        if !understood && session.opened.is_none() {
            return self.fail_unread(&session);
        }
        by_id("banner").set_text_content(session.opened.as_deref());
        self.session.replace(Some(Rc::clone(&session)));
        fill(&by_id("baseline-says"), [controls::says(&session)]);
        set_shown(&by_id("controls"), session.opened.is_none());
        set_shown(&by_id("forget-controls"), session.baseline.is_some());
        let apply = {
            let (page, session) = (Rc::downgrade(self), Rc::downgrade(&session));
            Rc::new(move |clocks: ClockChoice| {
                if let (Some(page), Some(session)) = (page.upgrade(), session.upgrade()) {
                    page.analyse_again(session, clocks);
                }
            })
        };
        let clocks = session.opened.is_none().then_some((session.clocks, apply as clocks::Apply));
        let quotes = self.show_report(&session.report, &session.failures, clocks);
        {
            let mut shown = self.shown.borrow_mut();
            let (owned, urls) = &mut *shown;
            fill(&by_id("share"), share::row(&session, owned, urls));
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
        if session.opened.is_none() {
            self.offer_quotes(session, quotes);
        }
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
    ) -> Vec<Quote> {
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
    fn offer_quotes(&self, session: Rc<Session>, quotes: Vec<Quote>) {
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
        let show = el("button").class("button").attr("type", "button").text("Show the log lines").on(
            "click",
            &mut self.shown.borrow_mut().0,
            move |_| {
                if let Some(quotes) = quotes.take() {
                    let session = Rc::clone(&session);
                    spawn_local(async move {
                        let _ = quotes::fetch(session, quotes).await;
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
        // Whoever tries again begins anew: the workers' code may be what is broken.
        compiled::forget();
        by_id("error-title").set_text_content(Some(title));
        fill(&by_id("error-lines"), lines.iter().map(|line| el("p").text(line)));
        set_shown(&by_id("retry"), false);
        set_shown(&by_id("reload"), matches!(why, Failure::Stale | Failure::Crashed(_)));
        self.set_state(State::Error);
    }

    /// Ends what belongs to the report shown.
    fn clear(&self) {
        self.views.replace(Vec::new());
        views::clear();
        compare::show(false);
        set_shown(&by_id("selection"), false);
        self.session.replace(None);
        set_shown(&by_id("controls"), false);
        self.shown.replace((Listeners::default(), Vec::new()));
        for id in ["verdict-card", "share", "grounds", "coverage", "banner", "compare-result", "compare-says"] {
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
