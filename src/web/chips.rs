//! A row of buttons of which one is pressed: a choice that a view offers.

use super::dom::{El, Listeners, el, set_shown};
use std::rc::Rc;
use web_sys::Element;

/// The row.
#[derive(Debug)]
pub struct Chips {
    root: Element,
    _listeners: Listeners,
}

impl Chips {
    /// A row with these names, the one at `pressed` pressed. A click presses another, and
    /// calls `choose` with its place.
    pub fn new(
        label: &str,
        names: impl IntoIterator<Item = String>,
        pressed: Option<usize>,
        choose: impl Fn(usize) + 'static,
    ) -> Self {
        let root: Element = el("div").class("chips").attr("role", "group").attr("aria-label", label).into();
        let choose = Rc::new(choose);
        let mut listeners = Listeners::default();
        for (i, name) in names.into_iter().enumerate() {
            let (row, choose) = (root.clone(), Rc::clone(&choose));
            let chip = el("button").attr("type", "button").attr("aria-pressed", word(pressed == Some(i))).text(&name);
            let chip: El = chip.on("click", &mut listeners, move |_| {
                press(&row, Some(i));
                choose(i);
            });
            let _ = root.append_child(chip.get());
        }
        Self { root, _listeners: listeners }
    }

    /// Presses the one at `pressed` without a click.
    pub fn press(&self, pressed: Option<usize>) {
        press(&self.root, pressed);
    }

    /// Writes another name on the one at `i`, or hides it.
    pub fn rename(&self, i: u32, name: &str, shown: bool) {
        if let Some(chip) = self.root.children().item(i) {
            chip.set_text_content(Some(name));
            set_shown(&chip, shown);
        }
    }

    /// Its element.
    pub const fn element(&self) -> &Element {
        &self.root
    }
}

fn press(row: &Element, pressed: Option<usize>) {
    let chips = row.children();
    for (i, chip) in (0..chips.length()).filter_map(|i| chips.item(i)).enumerate() {
        let _ = chip.set_attribute("aria-pressed", word(Some(i) == pressed));
    }
}

const fn word(pressed: bool) -> &'static str {
    if pressed { "true" } else { "false" }
}
