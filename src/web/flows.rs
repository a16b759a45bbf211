//! The flows of one job's data: four figures, and the group of paths to look into.

use super::dom::{El, Listeners, el, fill};
use super::figures::Figures;
use super::reading::Session;
use super::views::PageView;
use crate::diagnosis::mochi::paths::MOST_GROUPS;
use crate::scene::View;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct FlowsView {
    figures: Rc<Figures>,
    group: Cell<Option<usize>>,
    groups: Element,
    listeners: RefCell<Listeners>,
}

impl FlowsView {
    /// Puts the view into `root`; `None` where no job was read.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        if session.report.jobs.is_empty() {
            return None;
        }
        let groups = el("div").class("chips").attr("role", "group").attr("aria-label", "Group of paths");
        let view = Rc::new(Self {
            figures: Figures::new(session, View::FLOWS),
            group: Cell::default(),
            groups: groups.clone().into(),
            listeners: RefCell::default(),
        });
        let mut listeners = Listeners::default();
        let chips = std::iter::once(None).chain((0..MOST_GROUPS).map(Some)).map(|group| {
            let me = Rc::downgrade(&view);
            let name = group.map_or(String::from("critical"), |g| (g + 1).to_string());
            let chip = el("button").attr("type", "button").text(&name);
            let chip = chip.attr("aria-pressed", if group.is_none() { "true" } else { "false" });
            chip.on("click", &mut listeners, move |_| {
                if let Some(view) = me.upgrade() {
                    view.look_into(group);
                }
            })
        });
        let chips: Vec<El> = chips.collect();
        fill(&view.groups, chips);
        view.listeners.replace(listeners);
        let controls = el("div").class("controls").child(el("span").text("Paths of group")).child(groups);
        fill(root, std::iter::once(controls.into()).chain(view.figures.elements()));
        let me = Rc::downgrade(&view);
        view.figures.choose(move |_, look| look.group = me.upgrade().and_then(|v| v.group.get()));
        view.refresh();
        Some(view)
    }

    fn look_into(&self, group: Option<usize>) {
        self.group.set(group);
        let children = self.groups.children();
        for (i, g) in (0..).zip(std::iter::once(None).chain((0..MOST_GROUPS).map(Some))) {
            if let Some(chip) = children.item(i) {
                let _ = chip.set_attribute("aria-pressed", if g == group { "true" } else { "false" });
            }
        }
        self.refresh();
    }
}

impl PageView for FlowsView {
    fn refresh(&self) {
        self.figures.refresh();
    }

    fn redraw(&self) {
        self.figures.redraw();
    }
}
