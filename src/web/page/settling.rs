//! What was scrolled to stays in sight while figures above it come and take their room, until the reader moves; and the
//! bar marks what the reader moves to.

use super::super::address::Address;
use super::super::dom::{by_id, document, focus_part, scroll_to};
use super::Page;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

/// What a reader's own move begins with.
pub(super) const MOVES: [&str; 4] = ["wheel", "keydown", "pointerdown", "pointermove"];

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
    /// Scrolls to an element now and whenever the report has another height; `None` where the browser cannot tell.
    fn on(element: Element) -> Option<Self> {
        scroll_to(&element);
        let changed = Closure::<dyn FnMut()>::new(move || scroll_to(&element));
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
        address.push();
        let session = self.session.borrow().clone();
        if let Some(session) = session {
            session.selected.follow(address.selection.clone());
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
        self.settling.replace(Settling::on(section_of(view)));
    }

    /// Marks the link of the section that the reader has scrolled to: the last one that begins at the bar or above it.
    /// What scrolls because figures take another height is not the reader.
    pub(super) fn follow_scroll(&self) {
        let height = by_id("report").client_height();
        if self.height_css_px.replace(height) != height || self.settling.borrow().is_some() {
            return;
        }
        let bottom = f64::from(by_id("bar").client_height()) + NEAR_BAR_CSS_PX;
        let is_passed = |link: &Element| {
            let section = section_of(&view_of(link).unwrap_or_default());
            section.client_height() > 0 && section.get_bounding_client_rect().top() <= bottom
        };
        mark(links().filter(is_passed).last());
    }

    /// The reader moves: nothing else does from now on.
    pub(super) fn settle(&self) {
        self.settling.take();
    }
}

/// Marks a link of the bar, and no other.
fn mark(link: Option<Element>) {
    if let Ok(Some(before)) = document().query_selector("nav [aria-current]") {
        let _ = before.remove_attribute("aria-current");
    }
    if let Some(link) = link {
        let _ = link.set_attribute("aria-current", "true");
    }
}

/// The links of the bar.
pub(super) fn links() -> impl Iterator<Item = Element> {
    let links = document().query_selector_all("nav a").ok();
    let links = links.into_iter().flat_map(|links| (0..links.length()).map(move |i| links.get(i)));
    links.filter_map(|link| link?.dyn_into().ok())
}

/// The view that a link leads to.
pub(super) fn view_of(link: &Element) -> Option<String> {
    link.get_attribute("href")?.strip_prefix("#v=").map(str::to_owned)
}

/// The section of a view; what has none is the verdict's.
pub(super) fn section_of(view: &str) -> Element {
    document().get_element_by_id(&format!("view-{view}")).unwrap_or_else(|| by_id("verdict"))
}
