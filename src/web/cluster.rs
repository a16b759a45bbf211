//! The cluster view: the anomaly heatmap, and the order of its rows.

use super::chips::Chips;
use super::dom::{el, fill};
use super::figures::Figures;
use super::session::Session;
use super::views::PageView;
use crate::scene::View;
use crate::scene::jobs::RowOrder;
use std::rc::{Rc, Weak};
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct ClusterView {
    figures: Rc<Figures>,
    orders: Chips,
}

impl ClusterView {
    /// Puts the view into `root`; `None` where there is nothing to draw it of.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        if !session.draws(View::Cluster) {
            return None;
        }
        let settings = Rc::clone(&session.settings);
        let view = Rc::new_cyclic(|me: &Weak<Self>| {
            let me = Weak::clone(me);
            let names = RowOrder::ALL.map(|order| format!("by {}", order.name()));
            let pressed = RowOrder::ALL.iter().position(|order| *order == session.settings.row_order.get());
            let set = Rc::clone(&settings);
            let orders = Chips::new("Order of the nodes", names, pressed, move |i| {
                if let (Some(view), Some(order)) = (me.upgrade(), RowOrder::ALL.get(i)) {
                    set.row_order.set(*order);
                    view.refresh();
                }
            });
            Self { figures: Figures::new(session, [View::Cluster]), orders }
        });
        let controls = el("div").class("controls").child(view.orders.element().clone());
        fill(root, [Element::from(controls)].into_iter().chain(view.figures.elements()));
        view.figures.choose(move |_, look| look.row_order = settings.row_order.get());
        view.refresh();
        Some(view)
    }
}

impl PageView for ClusterView {
    fn figures(&self) -> &Rc<Figures> {
        &self.figures
    }
}
