//! The flows of one job's data: four figures, and the group of paths to look into.

use super::chips::Chips;
use super::dom::{el, fill, set_shown};
use super::figures::Figures;
use super::session::Session;
use super::settings::Settings;
use super::views::PageView;
use crate::diagnosis::mochi::paths::MOST_GROUPS;
use crate::scene::View;
use std::rc::{Rc, Weak};
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct FlowsView {
    figures: Rc<Figures>,
    settings: Rc<Settings>,
    groups: Chips,
}

impl FlowsView {
    /// Puts the view into `root`; `None` where there is nothing to draw it of.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        let drawn: Vec<View> = View::FLOWS.into_iter().filter(|view| session.draws(*view)).collect();
        if drawn.is_empty() {
            return None;
        }
        let settings = Rc::clone(&session.settings);
        let pressed = settings.group.get().map_or(0, |group| group + 1);
        let view = Rc::new_cyclic(|me: &Weak<Self>| {
            let me = Weak::clone(me);
            let names = std::iter::once(String::from("critical")).chain((1..=MOST_GROUPS).map(|g| g.to_string()));
            let groups = Chips::new("Group of paths", names, Some(pressed), move |i| {
                if let Some(view) = me.upgrade() {
                    view.settings.group.set(i.checked_sub(1));
                    view.refresh();
                }
            });
            Self { figures: Figures::new(session, drawn), settings, groups }
        });
        let controls = el("div").class("controls").child(el("span").text("Paths of group"));
        let controls = controls.child(view.groups.element().clone());
        fill(root, std::iter::once(controls.into()).chain(view.figures.elements()));
        let me = Rc::downgrade(&view);
        let chips = view.groups.element().children();
        view.figures.shown(move |figure| {
            let groups = figure.groups();
            if figure.view() == View::FlowsPaths {
                let chips = (0..).map_while(|i| chips.item(i));
                chips.enumerate().for_each(|(i, chip)| set_shown(&chip, i <= groups));
                // The figure shows the critical one where a job has no such group.
                if let Some(view) =
                    me.upgrade().filter(|view| view.settings.group.get().is_some_and(|group| group >= groups))
                {
                    view.settings.group.set(None);
                    view.groups.press(Some(0));
                }
            }
        });
        let settings = Rc::clone(&view.settings);
        view.figures.choose(move |_, look| look.group = settings.group.get());
        view.refresh();
        Some(view)
    }
}

impl PageView for FlowsView {
    fn figures(&self) -> &Rc<Figures> {
        &self.figures
    }
}
