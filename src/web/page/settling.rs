//! What was scrolled to stays in sight while figures above it come and take their room, until the reader moves; and the
//! bar marks what the reader moves to.

use super::super::address::{Address, marked, view_of};
use super::super::dom::{by_id, clear_the_bar, document, focus_part, is_key, scroll_to, window};
use super::Page;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, Event, ResizeObserver};

/// What a reader's own move begins with.
pub(super) const MOVES: [&str; 4] = ["wheel", "keydown", "pointerdown", "pointermove"];

/// The key that presses what has the focus: it moves nothing by itself.
const PRESSES: &str = "Enter";

/// The key that leads to what is pressed next.
const LEADS_ON: &str = "Tab";

/// A section that begins so near below the bar is what is read.
const NEAR_BAR_CSS_PX: f64 = 48.0;

/// Keeps an element in sight for as long as it lives.
pub(super) struct Settling {
    observer: ResizeObserver,
    _changed: Closure<dyn FnMut()>,
}

impl std::fmt::Debug for Settling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settling").finish_non_exhaustive()
    }
}

impl Settling {
    /// Scrolls to an element, or has it begin so far below the window's top, now and whenever the report has another
    /// height, and tells where the page came to lie; `None` where the browser cannot tell.
    fn on(element: Element, top_css_px: Option<f64>, placed_css_px: &Rc<Cell<f64>>) -> Option<Self> {
        let placed_css_px = Rc::clone(placed_css_px);
        let place = move || {
            match top_css_px {
                Some(top) => window().scroll_by_with_x_and_y(0.0, top_of(&element) - top),
                None => scroll_to(&element),
            }
            placed_css_px.set(scrolled_css_px());
        };
        place();
        let changed = Closure::<dyn FnMut()>::new(place);
        let observer = ResizeObserver::new(changed.as_ref().unchecked_ref()).ok()?;
        observer.observe(&by_id("report"));
        Some(Self { observer, _changed: changed })
    }
}

impl Drop for Settling {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Page {
    /// Leads to a view, with what is chosen there; Back leads to where one was.
    pub(super) fn go_to(&self, address: &Address) {
        let session = self.session.borrow().clone();
        match session {
            Some(session) => {
                session.selected.written(address.clone()).push();
                session.selected.follow(address.selection.clone());
            }
            None => address.push(),
        }
        self.scroll_to(address);
        if let Some(view) = &address.view {
            focus_part(&section_of(view));
        }
    }

    /// Brings the section that the address names into sight, and marks its link.
    pub(super) fn scroll_to(&self, address: &Address) {
        let Some(view) = &address.view else { return };
        mark(document().query_selector(&format!("nav [href='#v={view}']")).ok().flatten());
        self.settling.replace(Settling::on(section_of(view), None, &self.placed_css_px));
    }

    /// Keeps an element, which takes the place of one that began so far below the window's top, where that was.
    pub(super) fn hold(&self, element: Element, top_css_px: f64) {
        self.settling.replace(Settling::on(element, Some(top_css_px), &self.placed_css_px));
    }

    /// Marks the link of the section that the reader has scrolled to: the last one that begins at the bar or above it.
    /// What scrolls because figures take another height is not the reader; nor is what the page scrolled to itself,
    /// which may be told only after the reader has moved.
    pub(super) fn follow_scroll(&self) {
        let height = by_id("report").client_height();
        let grew = self.height_css_px.replace(height) != height;
        if grew || self.settling.borrow().is_some() || self.placed_css_px.get() == scrolled_css_px() {
            return;
        }
        self.placed_css_px.set(f64::NAN);
        let bottom = f64::from(by_id("bar").client_height()) + NEAR_BAR_CSS_PX;
        let is_passed = |link: &Element| {
            let section = section_of(&view_of(link).unwrap_or_default());
            section.client_height() > 0 && top_of(&section) <= bottom
        };
        mark(links().filter(is_passed).last());
    }

    /// The reader moves: nothing else does from now on.
    pub(super) fn settle(&self) {
        self.settling.take();
    }

    /// The reader may have moved.
    pub(super) fn settle_by(&self, event: &Event) {
        // The browser scrolls to it after this event, and the bar hides none of it. Whenever the bar changes would be
        // too often: the browser may scroll then.
        if is_key(event, LEADS_ON) {
            clear_the_bar();
        }
        if !is_key(event, PRESSES) {
            self.settle();
        }
    }
}

/// How far below the window's top an element begins.
pub(super) fn top_of(element: &Element) -> f64 {
    element.get_bounding_client_rect().top()
}

/// How far down the page is scrolled.
fn scrolled_css_px() -> f64 {
    window().scroll_y().unwrap_or_default()
}

/// Marks a link of the bar, and no other. One that is marked already stays where the reader has it in its line.
fn mark(link: Option<Element>) {
    if link == marked() {
        return;
    }
    if let Some(before) = marked() {
        let _ = before.remove_attribute("aria-current");
    }
    if let Some(link) = link {
        let _ = link.set_attribute("aria-current", "true");
        show_in_line(&link);
    }
}

/// Brings a link into sight where the line of links is longer than the window is wide; the page stays where it is.
fn show_in_line(link: &Element) {
    if let Some(line) = link.parent_element() {
        let left = link.get_bounding_client_rect().left() - line.get_bounding_client_rect().left();
        line.set_scroll_left(line.scroll_left() + left as i32);
    }
}

/// The links of the bar.
pub(super) fn links() -> impl Iterator<Item = Element> {
    let links = document().query_selector_all("nav a").ok();
    let links = links.into_iter().flat_map(|links| (0..links.length()).map(move |i| links.get(i)));
    links.filter_map(|link| link?.dyn_into().ok())
}

/// The section of a view; what has none is the verdict's.
pub(super) fn section_of(view: &str) -> Element {
    document().get_element_by_id(&format!("view-{view}")).unwrap_or_else(|| by_id("verdict"))
}
