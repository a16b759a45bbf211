//! What is done beside the run that is shown: comparing it with another, learning from control runs.

use super::super::address::Address;
use super::super::client::Failure;
use super::super::compare;
use super::super::controls::{self, Lesson};
use super::super::dom::{by_id, set_shown, window};
use super::super::intake::{self, Input, Kind};
use super::super::progress::ProgressPanel;
use super::super::reading::Job;
use super::super::session::Session;
use super::{Page, State};
use std::rc::Rc;
use wasm_bindgen_futures::spawn_local;

impl Page {
    /// Compares the run that is shown with another, or two that are given together.
    pub(super) fn compare(self: &Rc<Self>, inputs: Vec<Input>) {
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

    pub(super) async fn compared(
        self: &Rc<Self>,
        before: Vec<Input>,
        now: Option<Vec<Input>>,
        shown: Option<Rc<Session>>,
    ) -> Result<(), Failure> {
        let before = self.session_of(before).await?;
        let session = match now {
            Some(now) => {
                let session = Rc::new(self.session_of(now).await?);
                self.show_session(Rc::clone(&session)).await;
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
    pub(super) async fn session_of(self: &Rc<Self>, inputs: Vec<Input>) -> Result<Session, Failure> {
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

    /// Learns from control runs and reaches the verdict again; without any, forgets them.
    pub(super) fn learn(self: &Rc<Self>, inputs: Vec<Input>) {
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
                    page.show_session(Rc::new(session)).await;
                }
                Err(Failure::Cancelled) => {}
                Err(why) => by_id("baseline-says").set_text_content(Some(&format!("No baseline: {why}."))),
            }
        });
    }
}
