//! What the reader has set in the views: it stays where the verdict on the same logs is reached again.

use super::coverage::Listing;
use crate::scene::jobs::{JobFilter, RowOrder};
use crate::scene::swimlanes::Order;
use crate::scene::{View, Viewport};
use std::cell::{Cell, OnceCell, RefCell};
use web_sys::HtmlInputElement;

/// The settings of all views.
#[derive(Debug, Default)]
pub struct Settings {
    /// The order of the cluster's rows.
    pub row_order: Cell<RowOrder>,
    /// The order of the swimlanes' rows.
    pub order: Cell<Order>,
    /// The files that are listed.
    pub files: RefCell<Listing>,
    /// The jobs that are listed.
    pub jobs: RefCell<JobFilter>,
    /// The group of paths that is looked into; `None` for the critical ones.
    pub group: Cell<Option<usize>>,
    /// The fields of the form of clocks, the zone's and the other: what is typed there stays.
    pub clocks: OnceCell<[HtmlInputElement; 2]>,
    /// The part that each figure shows, where it was asked for one.
    parts: RefCell<Vec<(View, Viewport)>>,
}

impl Settings {
    /// The part of a figure that is looked at.
    pub fn part(&self, view: View) -> Viewport {
        self.parts.borrow().iter().find(|(of, _)| *of == view).map_or(Viewport::WHOLE, |(_, part)| *part)
    }

    /// A figure is looked at in this part.
    pub fn look_at(&self, view: View, part: Viewport) {
        let mut parts = self.parts.borrow_mut();
        parts.retain(|(of, _)| *of != view);
        parts.push((view, part));
    }

    /// The same parts are others by now.
    pub fn forget_parts(&self) {
        self.parts.borrow_mut().clear();
    }
}
