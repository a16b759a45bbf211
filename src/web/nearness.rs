//! Which elements are near the screen: in sight, or a screen's height away.

use js_sys::Array;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// How far beyond the screen is near: what is scrolled to is there before it is seen.
const MARGIN: &str = "100% 0px";

/// A watch over some elements; it ends with its owner.
pub struct Nearness {
    observer: IntersectionObserver,
    _changed: Closure<dyn FnMut(Array)>,
}

impl std::fmt::Debug for Nearness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nearness").finish_non_exhaustive()
    }
}

impl Nearness {
    /// Tells of each element, by its place in the list, whether it is near: soon, and
    /// whenever that changes. `None` where the browser cannot tell.
    pub fn watch(elements: Vec<Element>, mut tell: impl FnMut(usize, bool) + 'static) -> Option<Self> {
        let watched = elements.clone();
        let changed = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            for entry in entries.iter().filter_map(|e| e.dyn_into::<IntersectionObserverEntry>().ok()) {
                if let Some(i) = watched.iter().position(|element| *element == entry.target()) {
                    tell(i, entry.is_intersecting());
                }
            }
        });
        let init = IntersectionObserverInit::new();
        init.set_root_margin(MARGIN);
        let observer = IntersectionObserver::new_with_options(changed.as_ref().unchecked_ref(), &init).ok()?;
        elements.iter().for_each(|element| observer.observe(element));
        Some(Self { observer, _changed: changed })
    }
}

impl Drop for Nearness {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}
