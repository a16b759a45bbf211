//! What is done beside the run that is shown: comparing it with another, learning from control runs.

use super::super::address::Address;
use super::super::client::Failure;
use super::super::compare;
use super::super::controls::{self, Lesson};
use super::super::dom::{by_id, document, focus, set_shown, set_text};
use super::super::intake::{self, Input, Kind};
use super::super::parameters;
use super::super::progress::{self, ProgressPanel};
use super::super::reading::Ingestion;
use super::super::session::{Again, Session, of_analysis};
use super::{Page, State, cores, opening};
use crate::protocol::Asked;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

/// A work beside the verdict: the page is not ready as long as this lives.
pub(super) struct Work(Rc<Page>);

impl Drop for Work {
    fn drop(&mut self) {
        let page = &self.0;
        page.beside.set(page.beside.get().saturating_sub(1));
        page.show_state();
    }
}

/// A comparison under way: the page waits for it as long as it holds it.
#[derive(Default)]
pub(super) struct Comparison {
    /// Reads a run beside the verdict.
    ingestion: RefCell<Option<Rc<Ingestion>>>,
}

impl Page {
    /// Begins a work beside the verdict.
    pub(super) fn work_beside(self: &Rc<Self>) -> Work {
        self.beside.set(self.beside.get() + 1);
        self.show_state();
        Work(Rc::clone(self))
    }

    /// Compares the run that is shown with another, or two that are given together; `refused` names what could not
    /// be opened. Nobody waits for a comparison that was chosen before.
    pub(super) fn compare(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        let mut runs: Vec<Vec<Input>> = intake::runs(intake::told_apart(inputs)).into_values().collect();
        let is_shown = self.session.borrow().is_some();
        if runs.len() > 2 || (runs.len() == 1 && !is_shown) || runs.is_empty() {
            let mut text =
                String::from("Drop two runs, each an archive, a folder or a report; or one, once a run is shown.");
            intake::all_unopened(&refused).iter().for_each(|why| text.push_str(&format!(" {why}.")));
            return say(&text);
        }
        let now = if runs.len() == 2 { runs.pop() } else { None };
        let Some(before) = runs.pop() else { return };
        if now.is_some() {
            self.next_turn();
            self.clear();
            self.leave_address(false);
            progress::begin("Starting");
            self.set_state(State::Working);
        }
        self.cancel_other();
        say("");
        let comparison = Rc::new(Comparison::default());
        self.other.replace(Some(Rc::clone(&comparison)));
        let (page, work) = (Rc::clone(self), self.work_beside());
        spawn_local(async move {
            let _work = work;
            let done = page.compared(before, now, &refused, &comparison).await;
            if !page.awaits(&comparison) {
                return;
            }
            page.other.take();
            match done {
                Ok(left_out) if left_out.is_empty() => say(""),
                Ok(left_out) => {
                    say(&format!("Left out of what was compared: {}.", intake::few(left_out).join("; ")));
                }
                Err(Failure::Cancelled) => say(""),
                Err(why) if page.session.borrow().is_some() => say(&format!("They cannot be compared: {why}.")),
                Err(why) => page.fail("The runs could not be compared", &[why.to_string()], &why),
            }
        });
    }

    /// Gives up the comparison under way.
    pub(super) fn cancel_other(&self) {
        let Some(comparison) = self.other.take() else { return };
        if let Some(ingestion) = comparison.ingestion.take() {
            ingestion.cancel();
        }
        show_other(false);
    }

    /// Whether it was not given up, nor anything else asked for since.
    fn awaits(&self, comparison: &Rc<Comparison>) -> bool {
        self.other.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, comparison))
    }

    /// Shows what is different, and returns what of both runs could not be read.
    async fn compared(
        self: &Rc<Self>,
        before: Vec<Input>,
        now: Option<Vec<Input>>,
        refused: &[String],
        comparison: &Rc<Comparison>,
    ) -> Result<Vec<String>, Failure> {
        let aside = now.is_none();
        let before = self.session_of(before, refused, aside, comparison).await?;
        if before.understands_nothing() {
            return Err(Failure::Refused(format!("{} holds no log that oddnode reads", compare::name_of(&before))));
        }
        if let Some(why) = before.report.refused() {
            return Err(Failure::Refused(why.to_owned()));
        }
        if let Some(now) = now {
            let session = self.session_of(now, &[], aside, comparison).await?;
            self.show_session(Rc::new(session)).await;
        }
        if !self.awaits(comparison) {
            return Err(Failure::Cancelled);
        }
        let mut left_out = before.failures.clone();
        let (session, view) = loop {
            let session = self.session.borrow().clone().ok_or(Failure::Cancelled)?;
            let is_awaited = || self.awaits(comparison) && self.shows(&session);
            match compare::make(Rc::clone(&session), &before, &by_id("compare-result"), is_awaited).await {
                Ok(view) => break (session, view),
                // Another verdict on the same logs is shown by now: it is compared in the place of the one before.
                Err(Failure::Cancelled) if self.awaits(comparison) && !self.shows(&session) => {}
                Err(why) => return Err(why),
            }
        };
        if !aside {
            left_out.extend_from_slice(&session.failures);
        }
        self.views.borrow_mut().push(view);
        self.scroll_to(&Address { view: Some(String::from("compare")), ..Address::default() });
        Ok(left_out)
    }

    /// Reads one run, logs or a report: aside, or as what the page as a whole is at.
    async fn session_of(
        self: &Rc<Self>,
        inputs: Vec<Input>,
        refused: &[String],
        aside: bool,
        comparison: &Rc<Comparison>,
    ) -> Result<Session, Failure> {
        if let [only] = inputs.as_slice()
            && intake::kind_of(&only.file).await == Kind::Report
        {
            let session = opening::file(only.file.clone()).await;
            return if self.awaits(comparison) { session } else { Err(Failure::Cancelled) };
        }
        if !self.awaits(comparison) {
            return Err(Failure::Cancelled);
        }
        let ingestion = Ingestion::new(&inputs, refused, cores());
        let (slot, panel) = match aside {
            true => (&comparison.ingestion, "other"),
            false => (&self.ingestion, "progress"),
        };
        slot.replace(Some(Rc::clone(&ingestion)));
        show_other(aside);
        ProgressPanel::start(panel).follow(&ingestion, &ingestion.working, Ingestion::is_over, Ingestion::progress);
        let session = Rc::clone(&ingestion).run(inputs, &[], Again::default()).await;
        ingestion.cancel();
        if self.awaits(comparison) {
            slot.take();
            show_other(false);
            session
        } else {
            Err(Failure::Cancelled)
        }
    }

    /// Asks what can be set, once that is wished for.
    pub(super) fn furnish_parameters(self: &Rc<Self>) {
        let Some(session) = self.session.borrow().clone() else { return };
        spawn_local(async move {
            if let Err(why) = parameters::furnish(&session).await {
                parameters::say(&format!("They are not known: {why}."));
            }
        });
    }

    /// Reaches the verdict again with what is set, or as usual, or tells what cannot be set so.
    pub(super) fn apply_parameters(self: &Rc<Self>, as_usual: bool) {
        let Some(session) = self.session.borrow().clone() else { return };
        // Whoever is asked answers when the other is over, and what is typed would be taken then.
        if session.working.analyses_again.get() {
            return parameters::say(of_analysis(false));
        }
        if as_usual {
            parameters::fit(&[]);
        }
        let page = Rc::clone(self);
        spawn_local(async move {
            let set = match parameters::checked(&session.analyst).await {
                Ok(set) => set,
                Err(why) => return parameters::say(&format!("They cannot be set: {why}.")),
            };
            // Another verdict may be shown by now.
            if let Some(set) = set.filter(|_| page.shows(&session)) {
                let asked = Asked { set, ..session.asked.clone() };
                let begun = page.analyse_again(session, asked, parameters::APPLY);
                parameters::say(of_analysis(begun));
            }
        });
    }

    /// Compares with a baseline that was given alone, where there are logs.
    pub(super) fn use_baselines(self: &Rc<Self>, baselines: Vec<Input>, refused: &[String]) {
        let session = self.session.borrow().clone();
        match session {
            Some(session) if session.opened.is_none() => {
                self.set_state(State::Ready);
                self.learn(Some(baselines), refused);
            }
            Some(_) => {
                self.set_state(State::Ready);
                opening::say(opening::NOT_AGAIN);
            }
            None => {
                let says = "Drop it together with the logs, or once their verdict is shown.";
                self.fail("This is a baseline", &[says.to_owned()], &Failure::Cancelled);
            }
        }
    }

    /// Learns from control runs and reaches the verdict again; `None`: forgets them. `refused` names what could not
    /// be opened.
    pub(super) fn learn(self: &Rc<Self>, runs: Option<Vec<Input>>, refused: &[String]) {
        let Some(session) = self.session.borrow().clone() else { return };
        if self.lesson.borrow().is_some() {
            return controls::say_why_not(&session, "others are being learned from");
        }
        // Without a run that opens there is nothing to learn from, which is not the wish to forget.
        if runs.as_ref().is_some_and(Vec::is_empty) {
            let names = intake::all_unopened(refused);
            let why = if names.is_empty() { String::from("no file was given") } else { names.join("; ") };
            return controls::say_why_not(&session, &why);
        }
        let inputs = intake::told_apart(runs.unwrap_or_default());
        if session.working.analyses_again.replace(true) {
            return controls::say_why_not(&session, "another analysis is under way");
        }
        let lesson = Lesson::new(Rc::clone(&session), &inputs, refused);
        self.lesson.replace(Some(Rc::clone(&lesson)));
        controls::show_lesson(true);
        ProgressPanel::start("lesson").follow(&lesson, &session.working, Lesson::is_over, Lesson::progress);
        let (page, work) = (Rc::clone(self), self.work_beside());
        spawn_local(async move {
            let _work = work;
            let result = Rc::clone(&lesson).learn(inputs).await;
            session.working.end_again();
            let is_current = page.lesson.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, &lesson));
            if is_current {
                page.lesson.take();
                // The button that cancels goes with it.
                let had_focus = by_id("lesson").contains(document().active_element().as_deref());
                controls::show_lesson(false);
                if had_focus {
                    focus(&by_id("choose-controls"));
                }
                controls::show_keepers(&session);
            }
            match result {
                // Of one that was given up too: figures may be laid out with what it had learned.
                Ok(again) => {
                    page.show_instead(&session, again).await;
                }
                // Other logs may have been dropped meanwhile.
                Err(_) if !is_current || !page.shows(&session) => {}
                // What was refused meanwhile may stand there.
                Err(Failure::Cancelled) => controls::say(&session, &mut page.shown.borrow_mut().1),
                Err(why) => controls::say_why_not(&session, &why.to_string()),
            }
        });
    }
}

/// Says how the comparison stands, beside what starts one.
pub(super) fn say(text: &str) {
    set_text(&by_id("compare-says"), text);
}

/// Shows the progress of the run to compare with in the place of what chooses one.
fn show_other(under_way: bool) {
    set_shown(&by_id("other-run"), under_way);
    for id in ["compare-says", "offer-compare"] {
        set_shown(&by_id(id), !under_way);
    }
}
