//! The coverage map's figure: which node has which log when. What cannot be drawn leaves the
//! tables beside it.

use super::dom::fill;
use super::figures::Figures;
use super::reading::Session;
use super::views::PageView;
use crate::scene::View;
use std::rc::Rc;
use web_sys::Element;

/// The figure.
#[derive(Debug)]
pub struct CoverageMap(Rc<Figures>);

impl CoverageMap {
    /// Puts the figure into `root`.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        let figures = Figures::new(session, [View::CoverageMap]);
        fill(root, figures.elements());
        figures.refresh();
        Some(Rc::new(Self(figures)))
    }
}

impl PageView for CoverageMap {
    fn refresh(&self) {
        self.0.refresh();
    }

    fn redraw(&self) {
        self.0.redraw();
    }
}
