//! A figure whose plot pans and zooms: its events, its frames, what is chosen in it.

use super::zoom::{Dragged, PER_STEP};
use super::{Act, Figure, Wish};
use crate::scene::{Hit, Plot, Selection, Viewport};
use crate::web::dom::{set_shown, set_style, window};
use crate::web::theme;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlCanvasElement, PointerEvent, WheelEvent};

impl Figure {
    /// Draws what there is of the wanted part.
    pub(super) fn stand_in(&self) {
        let plot = self.scene.borrow().plot;
        if let (Some(plot), Some(canvas)) = (plot, self.canvas.dyn_ref::<HtmlCanvasElement>()) {
            let scale = window().device_pixel_ratio();
            self.frame(|| self.zoom.stand_in(canvas, &plot, &theme::current(), scale));
        }
    }

    /// Another part is wanted: shows what there is of it with the next frame, and asks for it.
    pub(super) fn zoomed(self: &Rc<Self>) {
        self.move_to(None);
        self.want(Wish::Viewport);
        if self.framed.replace(true) {
            return;
        }
        let figure = Rc::clone(self);
        let next = Closure::once_into_js(move || {
            figure.framed.set(false);
            if figure.scene.borrow().plot.is_some_and(|plot| plot.shown != figure.zoom.wanted()) {
                figure.stand_in();
            }
        });
        let _ = window().request_animation_frame(next.unchecked_ref());
    }

    /// Calls `f` with the plot; zooms if it says that the viewport changed.
    pub(super) fn on_plot(self: &Rc<Self>, f: impl FnOnce(&Plot) -> bool) {
        let plot = self.scene.borrow().plot;
        if plot.is_some_and(|plot| f(&plot)) {
            self.zoomed();
        }
    }

    /// Whether the figure has the focus by keys: who clicked into it goes on scrolling the page.
    fn was_led_to(&self) -> bool {
        self.canvas.matches(":focus-visible").unwrap_or_default()
    }

    pub(super) fn listen_to_zoom(self: &Rc<Self>) {
        self.offer_to_zoom();
        self.on(&self.canvas, "wheel", |figure, event| {
            let Some(wheel) = event.dyn_ref::<WheelEvent>() else { return };
            figure.on_plot(|plot| figure.zoom.wheel(plot, wheel, figure.was_led_to()));
        });
        self.on(&self.canvas, "pointerdown", |figure, event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else { return };
            figure.zoom.touch(event);
            figure.on_plot(|plot| {
                if figure.zoom.press(plot, event) {
                    // A drag goes on outside of the canvas; without capture it ends there.
                    let _ = figure.canvas.set_pointer_capture(event.pointer_id());
                }
                false
            });
        });
        self.on(&self.canvas, "pointermove", |figure, event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else { return };
            figure.on_plot(|plot| {
                let before = figure.zoom.wanted();
                let mark = figure.zoom.moved(plot, event);
                figure.show_mark(mark);
                figure.zoom.wanted() != before
            });
        });
        self.on(&self.canvas, "pointerup", |figure, event| {
            let Some(event) = event.dyn_ref::<PointerEvent>() else { return };
            figure.show_mark(None);
            let plot = figure.scene.borrow().plot;
            let clicks = figure.zoom.clicks(event);
            match plot.map_or(Dragged::Click, |plot| figure.zoom.release(&plot, event)) {
                Dragged::Click if clicks => figure.pick(),
                Dragged::Marked(part) => figure.choose(part),
                Dragged::Click | Dragged::Panned => {}
            }
        });
        // One that leaves is not captured: it may come up anywhere.
        for kind in ["pointercancel", "pointerleave"] {
            self.on(&self.canvas, kind, |figure, _| {
                figure.zoom.let_go();
                figure.show_mark(None);
            });
        }
        self.on(&self.canvas, "dblclick", |figure, _| figure.zoom_by(None));
    }

    /// The buttons that do what wheel, drags and keys do.
    fn offer_to_zoom(self: &Rc<Self>) {
        let zoom = |label: &str, what: &'static str, act: Act| self.tool(&self.zoom_tools, label, what, what, act);
        zoom("−", "Zoom out (−)", |figure, _| figure.zoom_by(Some(1.0 / PER_STEP)));
        zoom("+", "Zoom in (+)", |figure, _| figure.zoom_by(Some(PER_STEP)));
        zoom("⤢", "Show all (0)", |figure, _| figure.zoom_by(None));
        let title = "Choose the time shown, in all figures (T)";
        // Whoever speaks to the page says what is written there.
        let written = "Choose this time";
        let time = self.tool(&self.zoom_tools, written, title, written, |figure, _| figure.choose_shown());
        set_shown(time.get(), false);
        self.time_tool.replace(Some(time));
    }

    /// Zooms around what is chosen, or the middle; without a factor shows all.
    pub(super) fn zoom_by(self: &Rc<Self>, factor: Option<f64>) {
        self.on_plot(|plot| {
            let before = self.zoom.wanted();
            match factor {
                Some(factor) => self.zoom.step(plot, factor, self.scene.borrow().place_of(plot, &self.chosen.borrow())),
                None => self.zoom.set(Viewport::WHOLE),
            }
            self.zoom.wanted() != before
        });
    }

    /// Chooses what the cursor is on.
    pub(super) fn pick(&self) {
        let hit = self.at.get();
        let picked = hit.and_then(|i| self.scene.borrow().hits.get(i).and_then(Hit::selection));
        if let Some(picked) = picked {
            self.want(Wish::Pick(picked));
        }
    }

    /// A part was marked: of time it is chosen for all views; of anything else, zoomed into.
    fn choose(self: &Rc<Self>, part: Viewport) {
        let Some(plot) = self.scene.borrow().plot else { return };
        if plot.times_ms.is_none() {
            self.look_at(plot.shown.part(part, plot.least));
        } else if let Some(span) = plot.marked(part) {
            self.want(Wish::Pick(Selection { span: Some(span), ..Selection::default() }));
        }
    }

    /// Chooses the time that the plot shows, for all views: what a drag with Shift does, without a mouse.
    pub(super) fn choose_shown(self: &Rc<Self>) {
        if self.shows_part_of_time() {
            self.choose(Viewport::WHOLE);
        }
    }

    /// Whether there is more time than what is shown.
    pub(super) fn shows_part_of_time(&self) -> bool {
        let plot = self.scene.borrow().plot;
        plot.is_some_and(|plot| plot.times_ms.is_some() && plot.shown.x != Viewport::WHOLE.x)
    }

    fn show_mark(&self, mark: Option<((f32, f32), (f32, f32))>) {
        set_shown(&self.mark, mark.is_some());
        if let Some((at, size)) = mark {
            for (property, value) in [("left", at.0), ("top", at.1), ("width", size.0), ("height", size.1)] {
                set_style(&self.mark, property, &format!("{value}px"));
            }
        }
    }
}
