//! What is done beside the run that is shown: comparing it with another, learning from control runs.

use super::super::address::Address;
use super::super::client::Failure;
use super::super::compare;
use super::super::controls::{self, Lesson};
use super::super::dom::{by_id, set_shown};
use super::super::intake::{self, Input, Kind};
use super::super::progress::ProgressPanel;
use super::super::reading::Ingestion;
use super::super::session::Session;
use super::{Page, cores, opening};
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

impl Page {
    /// Begins a work beside the verdict.
    pub(super) fn work_beside(self: &Rc<Self>) -> Work {
        self.beside.set(self.beside.get() + 1);
        self.show_state();
        Work(Rc::clone(self))
    }

    /// Compares the run that is shown with another, or two that are given together; `refused` names what could not
    /// be opened.
    pub(super) fn compare(self: &Rc<Self>, inputs: Vec<Input>, refused: Vec<String>) {
        // One at a time.
        if self.other.borrow().is_some() {
            return;
        }
        let mut runs: Vec<Vec<Input>> = intake::runs(inputs).into_values().collect();
        let is_shown = self.session.borrow().is_some();
        if runs.len() > 2 || (runs.len() == 1 && !is_shown) || runs.is_empty() {
            let mut text =
                String::from("Drop two runs, each an archive, a folder or a report; or one, once a run is shown.");
            refused.iter().for_each(|name| text.push_str(&format!(" {}.", intake::unopened(name))));
            return say(&text);
        }
        let now = if runs.len() == 2 { runs.pop() } else { None };
        let Some(before) = runs.pop() else { return };
        let turn = match &now {
            Some(_) => {
                let turn = self.get_ready();
                self.clear();
                self.leave_address(false);
                turn
            }
            None => self.turn.get(),
        };
        let (page, work) = (Rc::clone(self), self.work_beside());
        spawn_local(async move {
            let _work = work;
            let done = page.compared(before, now, &refused, turn).await;
            if !page.is_turn(turn) {
                return;
            }
            match done {
                Ok(left_out) if left_out.is_empty() => say(""),
                Ok(left_out) => say(&format!("Left out of what was compared: {}.", left_out.join("; "))),
                Err(Failure::Cancelled) => say(""),
                Err(why) if page.session.borrow().is_some() => say(&format!("They cannot be compared: {why}.")),
                Err(why) => page.fail("The runs could not be compared", &[why.to_string()], &why),
            }
        });
    }

    /// Gives up the run that is read to be compared with.
    pub(super) fn cancel_other(&self) {
        if let Some(ingestion) = self.other.take() {
            ingestion.cancel();
        }
    }

    /// Shows what is different, and returns what of both runs could not be read.
    async fn compared(
        self: &Rc<Self>,
        before: Vec<Input>,
        now: Option<Vec<Input>>,
        refused: &[String],
        turn: u32,
    ) -> Result<Vec<String>, Failure> {
        let aside = now.is_none();
        let before = self.session_of(before, refused, aside, turn).await?;
        if let Some(now) = now {
            let session = self.session_of(now, &[], aside, turn).await?;
            self.show_session(Rc::new(session)).await;
        }
        // Another verdict on the same logs may be shown by now.
        let session = self.session.borrow().clone().ok_or(Failure::Cancelled)?;
        let mut left_out = before.failures.clone();
        if !aside {
            left_out.extend_from_slice(&session.failures);
        }
        compare::show(true);
        let view = compare::make(session, &before, &by_id("compare-result")).await?;
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
        turn: u32,
    ) -> Result<Session, Failure> {
        if let [only] = inputs.as_slice()
            && intake::kind_of(&only.file).await == Kind::Report
        {
            return opening::file(only.file.clone()).await;
        }
        if !self.is_turn(turn) {
            return Err(Failure::Cancelled);
        }
        let ingestion = Ingestion::new(&inputs, refused, cores());
        let (slot, panel) = match aside {
            true => (&self.other, "other"),
            false => (&self.ingestion, "progress"),
        };
        slot.replace(Some(Rc::clone(&ingestion)));
        show_other(aside);
        ProgressPanel::start(panel).follow(&ingestion, &ingestion.working, Ingestion::is_over, Ingestion::progress);
        let session = Rc::clone(&ingestion).run(inputs).await;
        ingestion.cancel();
        if self.is_turn(turn) {
            slot.take();
            show_other(false);
            session
        } else {
            Err(Failure::Cancelled)
        }
    }

    /// Learns from control runs and reaches the verdict again; `None`: forgets them. `refused` names what could not
    /// be opened.
    pub(super) fn learn(self: &Rc<Self>, runs: Option<Vec<Input>>, refused: &[String]) {
        let Some(session) = self.session.borrow().clone() else { return };
        // One lesson at a time.
        if self.lesson.borrow().is_some() {
            return;
        }
        // Without a run that opens there is nothing to learn from, which is not the wish to forget.
        if runs.as_ref().is_some_and(Vec::is_empty) {
            let names: Vec<String> = refused.iter().map(|name| intake::unopened(name)).collect();
            let why = if names.is_empty() { String::from("no file was given") } else { names.join("; ") };
            return controls::say_why_not(&session, &why);
        }
        let inputs = runs.unwrap_or_default();
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
            session.working.analyses_again.set(false);
            if !page.lesson.borrow().as_ref().is_some_and(|current| Rc::ptr_eq(current, &lesson)) {
                return;
            }
            page.lesson.take();
            controls::show_lesson(false);
            set_shown(&by_id("forget-controls"), session.baseline.is_some());
            // Other logs may have been dropped meanwhile.
            if !page.shows(&session) {
                return;
            }
            match result {
                Ok(session) => {
                    page.clear();
                    page.show_session(Rc::new(session)).await;
                }
                Err(Failure::Cancelled) => {}
                Err(why) => controls::say_why_not(&session, &why.to_string()),
            }
        });
    }
}

/// Says how the comparison stands, beside what starts one.
fn say(text: &str) {
    by_id("compare-says").set_text_content(Some(text));
}

/// Shows the progress of the run to compare with in the place of what chooses one.
pub(super) fn show_other(under_way: bool) {
    set_shown(&by_id("other-run"), under_way);
    for id in ["compare-says", "offer-compare"] {
        set_shown(&by_id(id), !under_way);
    }
}
