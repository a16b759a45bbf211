//! What pointer and keys do to a figure: cursor, tooltip, and steps from value to value.

use super::Figure;
use super::zoom::PER_STEP;
use crate::scene::{Hit, Step};
use crate::web::dom::{document, el, fill, is_key, set_shown, set_style, window};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, MouseEvent, PointerEvent, ScrollIntoViewOptions, ScrollLogicalPosition};

/// Room between the pointer and its tooltip.
const TIP_GAP_CSS_PX: f32 = 12.0;

impl Figure {
    /// Follows pointer and keys.
    pub(super) fn listen_to_pointer_and_keys(self: &Rc<Self>) {
        // A finger points where it is put, and what it showed stays when it is lifted.
        for kind in ["pointermove", "pointerdown"] {
            self.on(&self.canvas, kind, |figure, event| {
                let Some(event) = event.dyn_ref::<MouseEvent>() else { return };
                let hit = figure.scene.borrow().hit_at((event.offset_x() as f32, event.offset_y() as f32));
                figure.led.set(false);
                figure.move_to(hit);
            });
        }
        self.on(&self.canvas, "pointerleave", |figure, event| {
            let is_finger = event.dyn_ref::<PointerEvent>().is_some_and(|event| event.pointer_type() == "touch");
            if !is_finger && !figure.led.get() {
                figure.move_to(None);
            }
        });
        self.on(&self.canvas, "blur", |figure, _| figure.move_to(None));
        // A pointer shows a tooltip wherever the focus is.
        self.on(&document(), "keydown", |figure, event| {
            if is_key(event, "Escape") {
                figure.move_to(None);
            }
        });
        self.on(&self.canvas, "keydown", |figure, event| {
            if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                figure.on_key(event);
            }
        });
    }

    /// Does what a key is for; keys of the browser's own are left to it.
    fn on_key(self: &Rc<Self>, event: &KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let mut key = event.key();
        // A letter is the same under Caps Lock.
        if key.len() == 1 {
            key.make_ascii_lowercase();
        }
        let steps = match (key.as_str(), event.shift_key()) {
            ("ArrowLeft", true) | ("a", _) => Some((-1.0, 0.0)),
            ("ArrowRight", true) | ("d", _) => Some((1.0, 0.0)),
            ("ArrowUp", true) => Some((0.0, -1.0)),
            ("ArrowDown", true) => Some((0.0, 1.0)),
            _ => None,
        };
        if let Some(steps) = steps {
            event.prevent_default();
            return self.on_plot(|_| {
                let before = self.zoom.wanted();
                self.zoom.pan(steps);
                self.zoom.wanted() != before
            });
        }
        let step = match key.as_str() {
            "+" | "=" | "w" => return self.zoom_by(Some(PER_STEP)),
            "-" | "s" => return self.zoom_by(Some(1.0 / PER_STEP)),
            "0" => return self.zoom_by(None),
            "t" => return self.choose_shown(),
            "Enter" | " " => {
                event.prevent_default();
                return self.pick();
            }
            "ArrowLeft" => Step::Left,
            "ArrowRight" => Step::Right,
            "ArrowUp" => Step::Up,
            "ArrowDown" => Step::Down,
            "Home" => Step::First,
            "End" => Step::Last,
            _ => return,
        };
        event.prevent_default();
        let hit = self.scene.borrow().hit_after(self.at.get(), step);
        self.led.set(true);
        self.move_to(hit);
        self.show_cursor();
        self.speak();
    }

    /// Puts cursor and tooltip on a hit, or takes them away.
    pub(super) fn move_to(&self, hit: Option<usize>) {
        if self.at.replace(hit) == hit && hit.is_some() {
            return;
        }
        let scene = self.scene.borrow();
        let hit = hit.and_then(|i| scene.hits.get(i));
        set_shown(&self.cursor, hit.is_some());
        set_shown(&self.tip, hit.is_some());
        let Some(hit) = hit else { return };
        let px = |v: f32| format!("{v}px");
        for (property, value) in [("left", hit.at.0), ("top", hit.at.1), ("width", hit.size.0), ("height", hit.size.1)]
        {
            set_style(&self.cursor, property, &px(value));
        }
        fill(&self.tip, hit.says.iter().map(|line| el("div").text(line)));
        self.place_tip(hit, scene.size.0);
    }

    /// Puts the tooltip below a hit, or above it where the window ends before it.
    fn place_tip(&self, hit: &Hit, scene_width: f32) {
        let put = |property: &str, v: f32| set_style(&self.tip, property, &format!("{v}px"));
        // How wide it is, and so how high, depends on the room behind its left end.
        put("left", 0.0);
        let right = hit.at.0 + hit.size.0.min(scene_width * 0.5) + TIP_GAP_CSS_PX;
        put("left", right.min(scene_width - self.tip.client_width() as f32).max(0.0));
        let tip_height = self.tip.client_height() as f32;
        let below = hit.at.1 + hit.size.1.min(40.0) + TIP_GAP_CSS_PX * 0.5;
        let above = hit.at.1 - tip_height - TIP_GAP_CSS_PX * 0.5;
        let plot_top = self.plot.get_bounding_client_rect().top() as f32;
        let window_height = window().inner_height().ok().and_then(|v| v.as_f64()).map_or(f32::MAX, |v| v as f32);
        let is_low = plot_top + below + tip_height > window_height && plot_top + above >= 0.0;
        put("top", if is_low { above } else { below });
    }

    /// Scrolls the cursor into the window where it is outside of it.
    fn show_cursor(&self) {
        let scene = self.scene.borrow();
        let Some(hit) = self.at.get().and_then(|i| scene.hits.get(i)) else { return };
        let nearest = ScrollIntoViewOptions::new();
        nearest.set_block(ScrollLogicalPosition::Nearest);
        nearest.set_inline(ScrollLogicalPosition::Nearest);
        self.cursor.scroll_into_view_with_scroll_into_view_options(&nearest);
        self.place_tip(hit, scene.size.0);
    }

    /// Says what the cursor is on to who listens.
    fn speak(&self) {
        let scene = self.scene.borrow();
        let says = self.at.get().and_then(|i| scene.hits.get(i)).map(|hit| hit.says.join(", "));
        self.spoken.set_text_content(says.as_deref());
    }
}
