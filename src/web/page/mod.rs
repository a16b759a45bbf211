//! The page: its states, and what leads from one to the next.
//!
//! ```text
//! empty --files--> working --verdict--> ready        error <--nothing readable, bad link--
//!   ^                 | cancel            | other files: working again
//!   +-----------------+ what was shown before is shown again, from an error too
//! Back from a link: the verdict that it was opened over, else empty
//!
//! ready --control runs--> working, with the verdict in sight --verdict, cancel, nothing learned--> ready
//!
//! working --a baseline, a key--> working, and once the verdict is shown they are given again
//! ```

mod beside;
mod listen;
mod opening;
mod settling;
mod showing;

use super::address::Address;
use super::client::Failure;
use super::compiled;
use super::controls::{self, Lesson};
use super::dom::{Listeners, by_id, document, el, focus, focus_part, message_of, window};
use super::intake::{self, Input, Kind};
use super::progress::{self, ProgressPanel};
use super::reading::Ingestion;
use super::save::BlobUrl;
use super::session::{Again, Session};
use super::theme;
use super::views::PageView;
use crate::base::text::named;
use crate::protocol::BUILD;
use beside::Comparison;
use settling::Settling;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// Values of `data-state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Empty,
    Working,
    /// To a reader it is working while something is done beside the verdict, which stays in sight.
    Ready,
    Error,
}

/// Inputs, and the names of what could not be opened.
type Given = (Vec<Input>, Vec<String>);

#[derive(Default)]
struct Page {
    state: Cell<State>,
    /// Works under way beside the verdict.
    beside: Cell<u32>,
    /// Counts what the whole page was asked to do: who comes back and finds another number is no longer waited for.
    turn: Cell<u32>,
    /// Counts what was given, in the same way: until it is known what that is, it ends nothing.
    given: Cell<u32>,
    /// It is not known yet what the last is. To a reader the page works.
    is_looking: Cell<bool>,
    /// What is for the verdict that is worked on: it is given again once that is shown.
    kept: RefCell<Given>,
    ingestion: RefCell<Option<Rc<Ingestion>>>,
    /// Compares two runs.
    other: RefCell<Option<Rc<Comparison>>>,
    lesson: RefCell<Option<Rc<Lesson>>>,
    /// What could not be read for a reason that may have passed, and how it shall be compared.
    failed: RefCell<(Given, Again)>,
    views: RefCell<Vec<Rc<dyn PageView>>>,
    session: RefCell<Option<Rc<Session>>>,
    /// What was shown before something else was asked for that is not shown yet, and its address.
    before: RefCell<Option<(Rc<Session>, Address)>>,
    /// The verdict over which links were opened: whoever goes back to an address without one finds it again.
    below: RefCell<Option<Rc<Session>>>,
    /// What belongs to the report that is shown, and ends with it.
    shown: RefCell<(Listeners, Vec<BlobUrl>)>,
    /// What belongs to the page itself.
    listeners: RefCell<Listeners>,
    /// The shared report that the address named when it was last followed: itself, or where it lies.
    followed: RefCell<(Option<String>, Option<String>)>,
    /// Keeps in sight what was last scrolled to.
    settling: RefCell<Option<Settling>>,
    /// How far down the page was when it last scrolled to something itself.
    placed_css_px: Rc<Cell<f64>>,
    width_css_px: Cell<i32>,
    /// As figures were drawn last.
    pixels_per_css_px: Cell<f64>,
    /// Height of the report when it was last scrolled.
    height_css_px: Cell<i32>,
}

/// Starts the page.
pub fn start() {
    console_error_panic_hook::set_once();
    if let Some(root) = document().document_element() {
        // The service worker keeps the files of each build apart.
        let _ = root.set_attribute("data-build", BUILD);
    }
    theme::restore();
    progress::furnish();
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
        for id in ["sample", "other-samples"] {
            let _ = by_id(id).remove_attribute("disabled");
        }
        self.take_chosen();
    }

    /// A sample takes the same way as a dropped file.
    fn begin_sample(self: &Rc<Self>, name: String) {
        compiled::begin();
        let (page, given) = (Rc::clone(self), self.get_ready("Fetching the sample"));
        spawn_local(async move {
            let sample = intake::sample(&name).await;
            if !page.is_last_given(given) {
                return;
            }
            match sample {
                Ok(input) => page.begin(vec![input], Vec::new()),
                Err(e) => {
                    page.next_turn();
                    let why = message_of(&e);
                    let advice = [format!("{name} could not be loaded from beside this page: {why}")];
                    page.fail("The sample is not here", &advice, &Failure::Refused(why));
                }
            }
        });
    }

    /// Takes what is given: a shared report, a key, or both together are opened, a baseline is compared with, anything
    /// else is read. What is under way ends only for what takes its place.
    fn begin(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        self.begin_again(inputs, refused, Again::default());
    }

    /// The same; logs are compared as they were to be before.
    fn begin_again(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>, again: Again) {
        compiled::begin();
        let given = self.get_ready("Starting");
        let (page, inputs) = (Rc::clone(self), intake::told_apart(inputs));
        spawn_local(async move {
            let (baselines, inputs) = intake::apart(inputs).await;
            let (mut report, mut key) = (None, None);
            if inputs.len() <= 2 {
                for Input { file, .. } in &inputs {
                    match intake::kind_of(file).await {
                        Kind::Report => report = Some(file),
                        Kind::Key => key = Some(file),
                        Kind::Baseline | Kind::Logs => {}
                    }
                }
            }
            intake::measure(&inputs).await;
            if !page.is_last_given(given) {
                return;
            }
            page.look_no_more();
            let opened = report.iter().chain(&key).count();
            if opened < inputs.len() || (inputs.is_empty() && baselines.is_empty()) {
                return page.begin_logs(inputs, baselines, refused, again);
            }
            if report.is_none() && page.state.get() == State::Working {
                return page.keep(inputs.into_iter().chain(baselines).collect(), refused);
            }
            if inputs.is_empty() {
                return page.use_baselines(baselines, &refused);
            }
            if let Some(report) = report {
                let turn = page.next_turn();
                page.clear();
                page.leave_address(false);
                page.set_state(State::Working);
                page.open("This report cannot be shown", Box::pin(opening::file(report.clone()))).await;
                if !page.is_turn(turn) || page.session.borrow().is_none() {
                    return;
                }
            }
            if let Some(key) = key {
                page.use_key(key).await;
            }
            if !baselines.is_empty() {
                page.use_baselines(baselines, &refused);
            }
        });
    }

    /// Something is given: that is shown, in these words, before anything is known of it. What is under way goes on, and
    /// is shown instead.
    fn get_ready(&self, words: &str) -> u32 {
        if self.state.get() != State::Working {
            progress::begin(words);
        }
        self.is_looking.set(true);
        self.show_state();
        self.given.set(self.given.get().wrapping_add(1));
        self.given.get()
    }

    /// It is known what was given, or nobody wants to know it any more.
    fn look_no_more(&self) {
        self.is_looking.set(false);
        self.given.set(self.given.get().wrapping_add(1));
        self.show_state();
    }

    /// Keeps what is for the verdict that is worked on, and says so.
    fn keep(&self, inputs: Vec<Input>, refused: Vec<String>) {
        let (mut kept, mut unopened) = self.take_kept();
        kept.extend(inputs);
        unopened.extend(refused);
        let names: Vec<String> = kept.iter().map(|input| input.name.clone()).collect();
        let says = format!("Once the verdict is shown, this is used too: {}.", named(&names));
        let _ = by_id("progress").append_child(el("p").class("note").attr("role", "status").text(&says).get());
        self.kept.replace((kept, unopened));
    }

    /// What was kept, of which nothing is said any more.
    fn take_kept(&self) -> Given {
        if let Ok(Some(says)) = document().query_selector("#progress .note") {
            says.remove();
        }
        self.kept.take()
    }

    /// Starts on new inputs; whatever was under way or shown ends.
    fn begin_logs(self: &Rc<Self>, mut inputs: Vec<Input>, baselines: Vec<Input>, refused: Vec<String>, again: Again) {
        let turn = self.next_turn();
        self.clear();
        self.leave_address(true);
        if inputs.is_empty() {
            let mut lines = vec![String::from("No file was given. Drop an archive, files or a folder with logs.")];
            lines.extend(intake::all_unopened(&refused));
            return self.fail("Nothing to read", &lines, &Failure::Cancelled);
        }
        // What a folder holds is accounted for, a baseline too.
        let mut read = inputs.clone();
        read.extend(baselines.iter().filter(|baseline| baseline.is_of_folder()).cloned());
        let ingestion = Ingestion::new(&read, &refused, cores());
        self.ingestion.replace(Some(Rc::clone(&ingestion)));
        self.set_state(State::Working);
        ProgressPanel::start("progress").follow(
            &ingestion,
            &ingestion.working,
            Ingestion::is_over,
            Ingestion::progress,
        );
        let page = Rc::clone(self);
        spawn_local(async move {
            let result = Rc::clone(&ingestion).run(read, &baselines, again.clone()).await;
            if !page.is_turn(turn) {
                return;
            }
            page.ingestion.replace(None);
            ingestion.cancel();
            match result {
                Ok(session) => page.show_session(Rc::new(Session { refused, ..session })).await,
                Err(Failure::Cancelled) => page.go_back(),
                Err(why) => {
                    page.fail("The logs could not be read", &[why.to_string()], &why);
                    inputs.extend(baselines);
                    page.offer_retry(inputs, refused, again);
                }
            }
        });
    }

    /// What comes is not what the address names: it names no report any more, and nothing that was looked at in
    /// what was shown. Logs that follow a shared report may be its own, in which the same is looked at.
    fn leave_address(&self, for_logs: bool) {
        self.followed.take();
        let now = Address::current();
        let stays = self.before.borrow().as_ref().is_none_or(|(session, _)| for_logs && session.opened.is_some());
        let left = match stays {
            true => Address { report: None, url: None, ..now.clone() },
            false => Address::default(),
        };
        if left != now {
            left.replace();
        }
        let had_pseudonyms = |(session, _): &(Rc<Session>, Address)| session.report.pseudonyms.is_some();
        if self.before.borrow().as_ref().is_some_and(had_pseudonyms) {
            Address::without_names();
        }
    }

    /// Gives up what is under way or failed: what was shown before is shown again, under its address.
    fn go_back(self: &Rc<Self>) {
        // It was only looked at what is given: what is shown stays, with what is done beside it.
        if self.is_looking.get() && self.state.get() == State::Ready {
            self.look_no_more();
            self.views.borrow().iter().for_each(|view| view.refresh());
            return focus_title();
        }
        self.next_turn();
        compiled::give_up();
        self.clear();
        let Some((session, address)) = self.before.take() else {
            self.set_state(State::Empty);
            // What was pressed has gone.
            return focus(&by_id("choose-files"));
        };
        session.selected.written(address.clone()).replace();
        self.show_again(session, address);
    }

    /// Shows what was shown before, under its address.
    fn show_again(self: &Rc<Self>, session: Rc<Session>, address: Address) {
        session.selected.follow(address.selection.clone());
        self.followed.replace(address.shared());
        let page = Rc::clone(self);
        spawn_local(async move {
            page.show_session(session).await;
            focus_title();
        });
    }

    /// Something new is asked for: whatever was under way ends.
    fn next_turn(&self) -> u32 {
        if let Some(ingestion) = self.ingestion.take() {
            ingestion.cancel();
        }
        self.cancel_other();
        // Nobody waits for a lesson about other logs.
        if let Some(lesson) = self.lesson.take() {
            lesson.cancel();
            controls::show_lesson(false);
        }
        self.take_kept();
        self.is_looking.set(false);
        for count in [&self.turn, &self.given] {
            count.set(count.get().wrapping_add(1));
        }
        self.turn.get()
    }

    /// Whether nothing else was asked for since.
    fn is_turn(&self, turn: u32) -> bool {
        self.turn.get() == turn
    }

    /// Whether nothing else was given since.
    fn is_last_given(&self, given: u32) -> bool {
        self.given.get() == given
    }

    /// Whether this is what the page shows.
    fn shows(&self, session: &Rc<Session>) -> bool {
        self.session.borrow().as_ref().is_some_and(|shown| Rc::ptr_eq(shown, session))
    }
}

/// What was pressed has gone: keys go on at the verdict.
fn focus_title() {
    if let Ok(Some(title)) = document().query_selector("#verdict-card h1") {
        focus_part(&title);
    }
}

/// How many can work side by side.
fn cores() -> usize {
    Address::workers().unwrap_or_else(|| window().navigator().hardware_concurrency() as usize)
}
