//! Light or dark: as the system has it, until the user says otherwise.

use super::dom::{document, window};
use crate::draw::Theme;

/// Key under which the choice is kept in the browser.
const KEY: &str = "oddnode-theme";
/// The document's root has it while the page is printed.
const PRINTING: &str = "data-printing";

/// Applies the choice of an earlier visit.
pub fn restore() {
    if let Some(chosen) = storage().and_then(|s| s.get_item(KEY).ok().flatten()) {
        set(&chosen);
    }
}

/// The other one, from now on.
pub fn toggle() {
    let next = if is_dark() { "light" } else { "dark" };
    set(next);
    if let Some(storage) = storage() {
        let _ = storage.set_item(KEY, next);
    }
}

/// Colours for drawings.
pub fn current() -> Theme {
    if is_dark() { Theme::dark() } else { Theme::light() }
}

/// What the system has; it tells of changes.
pub fn system() -> Option<web_sys::MediaQueryList> {
    window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Paper is light, whatever the screen is. Style sheets know when they print; drawings are told.
pub fn set_printing(under_way: bool) {
    if let Some(root) = document().document_element() {
        let _ = root.toggle_attribute_with_force(PRINTING, under_way);
    }
}

fn storage() -> Option<web_sys::Storage> {
    // A browser may forbid storage; the choice then lasts as long as the page.
    window().local_storage().ok().flatten()
}

fn set(theme: &str) {
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-theme", if theme == "dark" { "dark" } else { "light" });
    }
}

fn is_dark() -> bool {
    let root = document().document_element();
    if root.as_ref().is_some_and(|root| root.has_attribute(PRINTING)) {
        return false;
    }
    match root.and_then(|root| root.get_attribute("data-theme")).as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => system().is_some_and(|dark| dark.matches()),
    }
}
