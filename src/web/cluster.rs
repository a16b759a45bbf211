//! The cluster view: the anomaly heatmap, and the order of its rows.

use super::dom::{Listeners, el, fill};
use super::figures::Figures;
use super::reading::Session;
use super::views::PageView;
use crate::scene::View;
use crate::scene::jobs::RowOrder;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct ClusterView {
    figures: Rc<Figures>,
    order: Cell<RowOrder>,
    orders: Element,
    listeners: RefCell<Listeners>,
}

impl ClusterView {
    /// Puts the view into `root`; `None` where there are no jobs.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        if session.report.jobs.is_empty() {
            return None;
        }
        let figures = Figures::new(session, [View::Cluster]);
        let orders = el("div").class("chips").attr("role", "group").attr("aria-label", "Order of the nodes");
        let controls = el("div").class("controls").child(orders.clone());
        fill(root, [Element::from(controls)].into_iter().chain(figures.elements()));
        let view =
            Rc::new(Self { figures, order: Cell::default(), orders: orders.into(), listeners: RefCell::default() });
        let me = Rc::downgrade(&view);
        view.figures
            .choose(move |_, look| look.row_order = me.upgrade().map(|view| view.order.get()).unwrap_or_default());
        view.show_orders();
        view.figures.refresh();
        Some(view)
    }

    fn show_orders(self: &Rc<Self>) {
        let mut listeners = Listeners::default();
        let chips = RowOrder::ALL.map(|order| {
            let me = Rc::downgrade(self);
            let pressed = if self.order.get() == order { "true" } else { "false" };
            let chip = el("button").attr("type", "button").attr("aria-pressed", pressed);
            chip.text(&format!("by {}", order.name())).on("click", &mut listeners, move |_| {
                if let Some(view) = me.upgrade() {
                    view.order.set(order);
                    view.show_orders();
                    view.figures.refresh();
                }
            })
        });
        fill(&self.orders, chips);
        self.listeners.replace(listeners);
    }
}

impl PageView for ClusterView {
    fn refresh(&self) {
        self.figures.refresh();
    }

    fn redraw(&self) {
        self.figures.redraw();
    }
}
