//! The jobs view: the stream of jobs and one job over time, by words, user, queue, status and
//! class.

use super::dom::{El, Listeners, el, fill};
use super::figures::Figures;
use super::session::Session;
use super::settings::Settings;
use super::views::PageView;
use crate::base::{Gathered, JobId};
use crate::report::JobRow;
use crate::scene::View;
use crate::scene::jobs::{JobFilter, stream};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, HtmlSelectElement};

/// A field of the filter.
type Field = fn(&mut JobFilter) -> &mut String;

/// The view.
#[derive(Debug)]
pub struct JobsView {
    figures: Rc<Figures>,
    settings: Rc<Settings>,
    /// Jobs that a step goes on by.
    step: u32,
    /// To jobs before and after those shown.
    steps: [El; 2],
    /// How many jobs the stream leaves out, before and after those that it shows.
    left_out: Cell<(u32, u32)>,
    /// Where the stream was last asked to begin.
    asked_from: Cell<u32>,
    /// The chosen job that the stream was led to.
    job: Cell<Option<JobId>>,
    listeners: RefCell<Listeners>,
}

impl JobsView {
    /// Puts the view into `root`; `None` where there is nothing to draw it of.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        if !session.draws(View::JobsStream) {
            return None;
        }
        let figures = Figures::new(Rc::clone(&session), [View::JobsStream, View::JobsDetail]);
        let view = Rc::new(Self {
            figures,
            settings: Rc::clone(&session.settings),
            step: stream::step(session.report.nodes.len()) as u32,
            steps: ["Earlier", "Later"].map(|name| el("button").class("button").attr("type", "button").text(name)),
            left_out: Cell::default(),
            asked_from: Cell::default(),
            job: Cell::new(session.selected.now().job),
            listeners: RefCell::default(),
        });
        fill(root, [view.controls(&session.report.jobs)].into_iter().chain(view.figures.elements()));
        let me = Rc::downgrade(&view);
        view.figures.choose(move |figure, look| {
            let Some(view) = me.upgrade() else { return };
            let mut filter = view.settings.jobs.borrow_mut();
            if view.job.replace(look.selection.job) != look.selection.job {
                filter.turned = false;
            }
            if figure == View::JobsStream {
                view.asked_from.set(filter.from);
            }
            *look.jobs = filter.clone();
        });
        let me = Rc::downgrade(&view);
        view.figures.shown(move |figure| {
            let Some(view) = me.upgrade().filter(|_| figure.view() == View::JobsStream) else { return };
            let (before, after) = figure.left_out();
            for (button, left) in view.steps.iter().zip([before, after]) {
                let _ = Element::from(button.clone()).toggle_attribute_with_force("disabled", left == 0);
            }
            view.left_out.set((before, after));
            let mut filter = view.settings.jobs.borrow_mut();
            // Unless a step went on from there meanwhile.
            if !filter.turned || filter.from == view.asked_from.get() {
                filter.from = before;
            }
        });
        view.figures.refresh();
        Some(view)
    }

    fn controls(self: &Rc<Self>, jobs: &[JobRow]) -> Element {
        let mut listeners = Listeners::default();
        let words = el("input").attr("type", "search").attr("placeholder", "id, name, user, queue");
        let words = words.attr("value", &self.settings.jobs.borrow().words);
        let words = words.test_id("jobs-words").on("input", &mut listeners, self.sets(|filter| &mut filter.words));
        let mut parts = vec![el("label").text("Search").child(words)];
        let values = |of: fn(&JobRow) -> Option<&str>| jobs.iter().filter_map(of).gathered::<BTreeSet<&str>>();
        let fields: [(&str, BTreeSet<&str>, Field); 4] = [
            ("User", values(|j| j.user.as_deref()), |filter| &mut filter.user),
            ("Queue", values(|j| j.queue.as_deref()), |filter| &mut filter.queue),
            ("Status", values(|j| Some(&j.status)), |filter| &mut filter.status),
            ("Class", values(|j| Some(&j.class)), |filter| &mut filter.class),
        ];
        for (name, values, field) in fields {
            let mut filter = self.settings.jobs.borrow_mut();
            let set = field(&mut filter);
            // By another verdict no job may be of the class that was asked for.
            if !values.contains(set.as_str()) {
                set.clear();
            }
            let option = |value: &str, text: &str| {
                let option = el("option").attr("value", value).text(text);
                if value == set.as_str() { option.attr("selected", "") } else { option }
            };
            let all: Vec<El> = std::iter::once(option("", "all"))
                .chain(values.into_iter().map(|value| option(value, value)))
                .collect();
            let select = el("select").children(all).on("change", &mut listeners, self.sets(field));
            parts.push(el("label").text(name).child(select));
        }
        for (button, forward) in self.steps.iter().zip([false, true]) {
            let me = Rc::downgrade(self);
            parts.push(button.clone().on("click", &mut listeners, move |_| {
                if let Some(view) = me.upgrade() {
                    view.step(forward);
                }
            }));
        }
        self.listeners.replace(listeners);
        el("div").class("controls").children(parts).into()
    }

    /// What puts a control's value into a field.
    fn sets(self: &Rc<Self>, field: Field) -> impl FnMut(Event) + 'static {
        let me = Rc::downgrade(self);
        move |event| {
            let (Some(view), Some(target)) = (me.upgrade(), event.target()) else { return };
            let input = target.dyn_ref::<HtmlInputElement>().map(HtmlInputElement::value);
            let Some(value) = input.or_else(|| Some(target.dyn_ref::<HtmlSelectElement>()?.value())) else { return };
            {
                let mut filter = view.settings.jobs.borrow_mut();
                *field(&mut filter) = value;
                (filter.from, filter.turned) = (0, false);
            }
            view.figures.refresh();
        }
    }

    fn step(&self, forward: bool) {
        {
            let mut filter = self.settings.jobs.borrow_mut();
            let (before, after) = self.left_out.get();
            // Buttons that would lead nowhere are off, but only once the step before is shown.
            filter.from = match forward {
                true if filter.from >= before + after => return,
                true => filter.from + self.step,
                false => filter.from.saturating_sub(self.step),
            };
            filter.turned = true;
        }
        self.figures.refresh();
    }
}

impl PageView for JobsView {
    fn figures(&self) -> &Rc<Figures> {
        &self.figures
    }
}
