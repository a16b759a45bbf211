//! What was scrolled to stays in sight while figures above it come and take their room, until the reader moves.

use super::super::address::Address;
use super::super::dom::{by_id, document};
use super::Page;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};

/// What a reader's own move begins with.
pub(super) const MOVES: [&str; 4] = ["wheel", "keydown", "pointerdown", "pointermove"];

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
        element.scroll_into_view();
        let changed = Closure::<dyn FnMut()>::new(move || element.scroll_into_view());
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
    /// Brings the section that the address names into sight, and marks its link.
    pub(super) fn scroll_to(&self, address: &Address) {
        let Some(view) = &address.view else { return };
        if let Ok(Some(before)) = document().query_selector("nav [aria-current]") {
            let _ = before.remove_attribute("aria-current");
        }
        if let Ok(Some(link)) = document().query_selector(&format!("nav [href='#v={view}']")) {
            let _ = link.set_attribute("aria-current", "true");
        }
        self.settling.replace(Settling::on(section_of(view)));
    }

    /// The reader moves: nothing else does from now on.
    pub(super) fn settle(&self) {
        self.settling.take();
    }
}

/// The section of a view; what has none is the verdict's.
pub(super) fn section_of(view: &str) -> Element {
    document().get_element_by_id(&format!("view-{view}")).unwrap_or_else(|| by_id("verdict"))
}
