//! The view of system calls: its figures, shown where traces were given.

use super::dom::fill;
use super::figures::Figures;
use super::reading::Session;
use super::views::PageView;
use crate::diagnosis::Method;
use crate::scene::View;
use std::rc::Rc;
use web_sys::Element;

/// The view.
#[derive(Debug)]
pub struct CallsView(Rc<Figures>);

impl CallsView {
    /// Puts the view into `root`; `None` where no call was traced.
    pub fn make(session: Rc<Session>, root: &Element) -> Option<Rc<dyn PageView>> {
        let name = Method::SyscallStatistical.name();
        if !session.report.witnesses.iter().any(|w| w.method == name) {
            return None;
        }
        let figures = Figures::new(session, View::SYSCALLS);
        fill(root, figures.elements());
        figures.refresh();
        Some(Rc::new(Self(figures)))
    }
}

impl PageView for CallsView {
    fn refresh(&self) {
        self.0.refresh();
    }

    fn redraw(&self) {
        self.0.redraw();
    }
}
