//! The system view: one figure of all metrics.

use super::dom::fill;
use super::figures::Figures;
use super::reading::Session;
use super::views::PageView;
use crate::scene::View;
use std::rc::Rc;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct SystemView(Rc<Figures>);

impl SystemView {
    /// Puts the view into `root`; `None` where there are no metrics.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        if !session.measured {
            return None;
        }
        let figures = Figures::new(session, [View::System]);
        fill(root, figures.elements());
        figures.refresh();
        Some(Rc::new(Self(figures)))
    }
}

impl PageView for SystemView {
    fn refresh(&self) {
        self.0.refresh();
    }

    fn redraw(&self) {
        self.0.redraw();
    }
}
