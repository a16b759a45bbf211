//! Panning and zooming a figure: what the pointer, the wheel and the keys make of its
//! viewport, and the picture that stands in until the analyst has laid out the new part.
//!
//! ```text
//! wheel (Ctrl, or led there by keys), pinch  zoom around the pointer
//! + and -                                    zoom around what is chosen, or the middle
//! drag, Shift + arrows                       pan
//! Shift + drag                               choose a stretch of time, or zoom into a part
//! 0, double click                            everything again
//! ```

use crate::base::math;
use crate::draw::Theme;
use crate::scene::{Plot, Point, Viewport};
use crate::web::dom::document;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, MouseEvent, PointerEvent, WheelEvent};

/// Zoom of one notch of a wheel (120 units in most browsers).
const PER_WHEEL_UNIT: f64 = 0.002;
/// Zoom of one key or button.
pub const PER_STEP: f64 = 1.6;
/// Pan of one key, as a share of what is shown.
const PAN_STEP: f64 = 0.2;
/// A pointer that moved less has clicked.
const CLICK_SLOP_CSS_PX: f64 = 4.0;
/// Pixels of a line, where a wheel counts in lines.
const WHEEL_LINE_CSS_PX: f64 = 16.0;

/// A pointer that is down.
#[derive(Clone, Copy, Debug)]
struct Down {
    id: i32,
    from: (f64, f64),
    at: (f64, f64),
}

/// What a drag is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    Pan,
    Choose,
}

/// What came of a drag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dragged {
    /// Nothing: it was a click.
    Click,
    /// The viewport moved.
    Panned,
    /// A part was marked, in shares of what is shown.
    Marked(Viewport),
}

/// The state of a figure that pans and zooms.
#[derive(Debug, Default)]
pub struct Zoom {
    wanted: Cell<Viewport>,
    at_start: Cell<Viewport>,
    down: RefCell<Vec<Down>>,
    drag: Cell<Option<Drag>>,
    /// The pointer that may click, and where it went down: anywhere on the canvas.
    pressed: Cell<Option<(i32, (f64, f64))>>,
    still: RefCell<Option<HtmlCanvasElement>>,
    /// The canvas holds a picture that is not kept yet.
    fresh: Cell<bool>,
}

impl Zoom {
    /// The part that is to be shown.
    pub fn wanted(&self) -> Viewport {
        self.wanted.get()
    }

    /// Shows this part.
    pub fn set(&self, viewport: Viewport) {
        self.wanted.set(viewport);
    }

    /// Goes on looking at the same times where another plot has come. Returns whether it does not show them yet.
    pub fn follow(&self, plot: &Plot, before: &Plot) -> bool {
        let wanted = self.wanted.get();
        self.wanted.set(plot.following(before, wanted));
        self.wanted.get() != wanted
    }

    /// Zooms around a point of the scene, or the plot's middle.
    pub fn step(&self, plot: &Plot, factor: f64, around: Option<Point>) {
        let share = around.map_or((0.5, 0.5), |p| share_of(plot, (f64::from(p.0), f64::from(p.1))));
        self.wanted.set(self.wanted.get().zoomed((factor, factor), share, plot.least));
    }

    /// Pans by steps across and down.
    pub fn pan(&self, steps: (f64, f64)) {
        self.wanted.set(self.wanted.get().moved((steps.0 * PAN_STEP, steps.1 * PAN_STEP)));
    }

    /// Zooms by the wheel, if it is meant: held with Ctrl (as a pinch on a pad reports), or
    /// over a figure that keys led to. Returns whether another part is wanted.
    pub fn wheel(&self, plot: &Plot, event: &WheelEvent, led: bool) -> bool {
        let at = place_of(event);
        let held = event.ctrl_key() || event.meta_key();
        if !(held || led) || !inside(plot, at) {
            return false;
        }
        let unit = if event.delta_mode() == WheelEvent::DOM_DELTA_PIXEL { 1.0 } else { WHEEL_LINE_CSS_PX };
        let before = self.wanted.get();
        if event.shift_key() {
            let by = (event.delta_y() + event.delta_x()) * unit / f64::from(plot.size.0.max(1.0));
            self.wanted.set(before.moved((by, 0.0)));
        } else {
            let factor = math::pow(2.0, -event.delta_y() * unit * PER_WHEEL_UNIT);
            self.wanted.set(before.zoomed((factor, factor), share_of(plot, at), plot.least));
        }
        let moves = self.wanted.get() != before;
        // At either end the wheel scrolls the page again; with Ctrl the browser would zoom all of it.
        if moves || held {
            event.prevent_default();
        }
        moves
    }

    /// A pointer went down on the canvas, on its plot or beside it.
    pub fn touch(&self, event: &PointerEvent) {
        self.pressed.set(Some((event.pointer_id(), place_of(event))));
    }

    /// A pointer came up. Returns whether it clicked: it went down on the canvas, and has hardly moved since.
    pub fn clicks(&self, event: &PointerEvent) -> bool {
        let pressed = self.pressed.take();
        event.button() == 0
            && pressed
                .is_some_and(|(id, from)| id == event.pointer_id() && apart(from, place_of(event)) < CLICK_SLOP_CSS_PX)
    }

    /// A pointer went down. Returns whether a drag began.
    pub fn press(&self, plot: &Plot, event: &PointerEvent) -> bool {
        let at = place_of(event);
        // With Ctrl a Mac opens a menu, which keeps the release to itself.
        if event.button() != 0 || event.ctrl_key() || !inside(plot, at) {
            return false;
        }
        let mut down = self.down.borrow_mut();
        down.retain(|one| one.id != event.pointer_id());
        down.push(Down { id: event.pointer_id(), from: at, at });
        down.truncate(2);
        let pinch = down.len() == 2;
        if !pinch {
            self.drag.set(Some(if event.shift_key() { Drag::Choose } else { Drag::Pan }));
        }
        if pinch {
            self.drag.set(None);
            down.iter_mut().for_each(|one| one.from = one.at);
        }
        self.at_start.set(self.wanted.get());
        true
    }

    /// A pointer moved. Returns the marked rectangle while a part is chosen.
    pub fn moved(&self, plot: &Plot, event: &PointerEvent) -> Option<(Point, Point)> {
        // It came up where nobody told.
        if event.buttons() == 0 {
            self.let_go();
        }
        let mut down = self.down.borrow_mut();
        let one = down.iter_mut().find(|one| one.id == event.pointer_id())?;
        one.at = place_of(event);
        let start = self.at_start.get();
        match (down.as_slice(), self.drag.get()) {
            ([a, b], _) => {
                let factor = apart(a.at, b.at).max(1.0) / apart(a.from, b.from).max(1.0);
                let middle = ((a.from.0 + b.from.0) / 2.0, (a.from.1 + b.from.1) / 2.0);
                self.wanted.set(start.zoomed((factor, factor), share_of(plot, middle), plot.least));
                None
            }
            ([one], Some(Drag::Pan)) => {
                let by = (one.from.0 - one.at.0, one.from.1 - one.at.1);
                let size = (f64::from(plot.size.0.max(1.0)), f64::from(plot.size.1.max(1.0)));
                self.wanted.set(start.moved((by.0 / size.0, by.1 / size.1)));
                None
            }
            ([one], Some(Drag::Choose)) => Some(mark_of(plot, one)),
            _ => None,
        }
    }

    /// A pointer went up.
    pub fn release(&self, plot: &Plot, event: &PointerEvent) -> Dragged {
        let mut down = self.down.borrow_mut();
        let Some(i) = down.iter().position(|one| one.id == event.pointer_id()) else { return Dragged::Click };
        let pinched = down.len() > 1;
        let one = down.remove(i);
        let drag = self.drag.take();
        match drag {
            _ if pinched => Dragged::Panned,
            _ if apart(one.from, one.at) < CLICK_SLOP_CSS_PX => Dragged::Click,
            Some(Drag::Choose) => {
                let (at, size) = mark_of(plot, &one);
                let far = (at.0 + size.0, at.1 + size.1);
                let [near, far] = [at, far].map(|p| share_of(plot, (f64::from(p.0), f64::from(p.1))));
                Dragged::Marked(Viewport { x: (near.0, far.0), y: (near.1, far.1) })
            }
            _ => Dragged::Panned,
        }
    }

    /// Ends all drags.
    pub fn let_go(&self) {
        self.down.borrow_mut().clear();
        self.drag.set(None);
        self.pressed.set(None);
    }

    /// A picture was just drawn: it is kept before something else is drawn over it.
    pub fn drawn(&self) {
        self.fresh.set(true);
    }

    /// Keeps the canvas' picture.
    fn keep(&self, canvas: &HtmlCanvasElement) {
        let mut still = self.still.borrow_mut();
        let kept = still.take().or_else(|| document().create_element("canvas").ok()?.dyn_into().ok());
        let Some(kept) = kept else { return };
        kept.set_width(canvas.width());
        kept.set_height(canvas.height());
        if let Some(context) = context_of(&kept) {
            let _ = context.draw_image_with_html_canvas_element(canvas, 0.0, 0.0);
        }
        *still = Some(kept);
    }

    /// Forgets the kept picture.
    pub fn forget(&self) {
        self.fresh.set(false);
        self.still.replace(None);
    }

    /// Puts the kept picture, stretched and shifted, where the wanted part will be.
    pub fn stand_in(&self, canvas: &HtmlCanvasElement, plot: &Plot, theme: &Theme, scale: f64) {
        if self.fresh.take() {
            self.keep(canvas);
        }
        let still = self.still.borrow();
        let (Some(still), Some(context)) = (still.as_ref(), context_of(canvas)) else { return };
        let px = |css_px: f32| f64::from(css_px) * scale;
        let (x, y, w, h) = (px(plot.at.0), px(plot.at.1), px(plot.size.0), px(plot.size.1));
        let wanted = self.wanted.get();
        let axis = |shown: (f64, f64), wanted: (f64, f64), at: f64, size: f64| {
            let span = (wanted.1 - wanted.0).max(1e-12);
            let place = |share: f64| at + (share - wanted.0) / span * size;
            (place(shown.0), place(shown.1) - place(shown.0))
        };
        let (to_x, to_w) = axis(plot.shown.x, wanted.x, x, w);
        let (to_y, to_h) = axis(plot.shown.y, wanted.y, y, h);
        let ground = theme.surface;
        context.save();
        // It is looked at for a moment: sharp or not, smooth takes four times as long.
        context.set_image_smoothing_enabled(false);
        context.begin_path();
        context.rect(x, y, w, h);
        context.clip();
        context.set_fill_style_str(&format!("rgb({} {} {})", ground.0, ground.1, ground.2));
        context.fill_rect(x, y, w, h);
        let _ = context.draw_image_with_html_canvas_element_and_sw_and_sh_and_dx_and_dy_and_dw_and_dh(
            still, x, y, w, h, to_x, to_y, to_w, to_h,
        );
        context.restore();
    }
}

fn context_of(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}

/// Where a pointer is on the canvas.
fn place_of(event: &MouseEvent) -> (f64, f64) {
    (f64::from(event.offset_x()), f64::from(event.offset_y()))
}

/// How far two places are from each other, across or down.
fn apart(p: (f64, f64), q: (f64, f64)) -> f64 {
    (p.0 - q.0).abs().max((p.1 - q.1).abs())
}

fn inside(plot: &Plot, at: (f64, f64)) -> bool {
    let share = share_of(plot, at);
    (0.0..=1.0).contains(&share.0) && (0.0..=1.0).contains(&share.1)
}

/// Where a point of the scene lies in the plot: 0 left or above, 1 right or below.
fn share_of(plot: &Plot, at: (f64, f64)) -> (f64, f64) {
    let axis = |at: f64, from: f32, size: f32| (at - f64::from(from)) / f64::from(size.max(1.0));
    (axis(at.0, plot.at.0, plot.size.0), axis(at.1, plot.at.1, plot.size.1))
}

/// The rectangle that a drag marks: the full height where only time can be chosen.
fn mark_of(plot: &Plot, down: &Down) -> (Point, Point) {
    let axis = |from: f64, to: f64, at: f32, size: f32| {
        let keep = |v: f64| v.clamp(f64::from(at), f64::from(at + size)) as f32;
        let (low, high) = (keep(from.min(to)), keep(from.max(to)));
        (low, high - low)
    };
    let (x, w) = axis(down.from.0, down.at.0, plot.at.0, plot.size.0);
    let (y, h) = if plot.times_ms.is_some() {
        (plot.at.1, plot.size.1)
    } else {
        axis(down.from.1, down.at.1, plot.at.1, plot.size.1)
    };
    ((x, y), (w, h))
}
