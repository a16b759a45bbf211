//! A figure: a scene on a canvas, with its tooltip, keyboard cursor, table twin and exports.

mod zoom;
mod zooming;

use zoom::{PER_STEP, Zoom};

use super::dom::{El, Listeners, document, el, fill, scroller, set_shown, set_style, window};
use super::save::BlobUrl;
use super::theme;
use crate::draw::{Theme, canvas::draw_on, svg::to_svg};
use crate::report::LineRef;
use crate::scene::{Plot, Scene, Selection, Step, Table, View, Viewport};
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Element, HtmlCanvasElement, KeyboardEvent, MouseEvent, PointerEvent};

/// Room between the pointer and its tooltip.
const TIP_GAP_CSS_PX: f32 = 12.0;

/// Cells of a table twin on the page: a document of more elements is slow to lay out, and the
/// saved table has all of them…
const CELLS_TOLD: usize = 8_000;
/// …but so many rows in any case.
const ROWS_TOLD: usize = 20;

/// Two columns that name a line of a log.
const LINE_HEADERS: [&str; 2] = ["file", "line"];

/// What a figure wants of the view that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// A scene of another part.
    Viewport,
    /// The reader chose something.
    Pick(Selection),
    /// The raw line that a row of the table speaks of, below that row.
    Line(Element, LineRef),
}

/// Who hears of wishes.
type Wishes = Rc<dyn Fn(Wish)>;

/// Frames drawn, and the longest of them: what `data-frames` and `data-longest-frame-ms` of the
/// canvas say, beside the last one's `data-frame-ms`.
#[derive(Clone, Copy, Debug, Default)]
struct Frames {
    count: u32,
    longest_ms: f64,
}

/// A figure on the page.
pub struct Figure {
    view: View,
    root: Element,
    title: Element,
    plot: Element,
    canvas: Element,
    cursor: Element,
    tip: Element,
    spoken: Element,
    how: Element,
    table: Element,
    scene: RefCell<Scene>,
    /// What the table twin holds.
    told: RefCell<Table>,
    at: Cell<Option<usize>>,
    listeners: RefCell<Listeners>,
    saved: RefCell<Option<BlobUrl>>,
    /// What saves it, each with what it does.
    savers: RefCell<Vec<(El, &'static str)>>,
    zoom: Zoom,
    zoom_tools: Element,
    mark: Element,
    frames: Cell<Frames>,
    /// A frame is asked for.
    framed: Cell<bool>,
    wish: RefCell<Option<Wishes>>,
}

impl std::fmt::Debug for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Figure").field("view", &self.view).finish_non_exhaustive()
    }
}

impl Figure {
    /// An empty figure.
    pub fn new(view: View) -> Rc<Self> {
        let name = view.name();
        let [title, how, cursor, tip, spoken] = [
            el("h3").text("Drawing…"),
            el("p"),
            el("div").class("cursor"),
            el("div").class("tip"),
            el("p").class("aside"),
        ];
        let canvas = el("canvas").attr("tabindex", "0").attr("role", "img").attr("aria-label", name);
        let table = el("table").test_id(&format!("table-{name}"));
        set_shown(cursor.get(), false);
        set_shown(tip.get(), false);
        let tools = el("div").class("tools");
        let mark = el("div").class("mark");
        set_shown(mark.get(), false);
        let zoom_tools = el("span").class("zoom");
        set_shown(zoom_tools.get(), false);
        let tools = tools.child(zoom_tools.clone());
        let plot = el("div").class("plot").child(canvas.clone()).child(cursor.clone()).child(mark.clone());
        let plot = plot.child(tip.clone());
        let below = el("div")
            .class("below")
            .child(el("details").child(el("summary").text("How to read")).child(how.clone()))
            .child(el("details").child(el("summary").text("Table")).child(scroller(table.clone())));
        let root = el("figure")
            .attr("data-figure", name)
            .child(el("figcaption").child(title.clone()).child(tools.clone()))
            .child(plot.clone())
            .child(spoken.clone().attr("aria-live", "polite"))
            .child(below);
        let figure = Rc::new(Self {
            view,
            root: root.into(),
            title: title.into(),
            plot: plot.into(),
            canvas: canvas.into(),
            cursor: cursor.into(),
            tip: tip.into(),
            spoken: spoken.into(),
            how: how.into(),
            table: table.into(),
            scene: RefCell::default(),
            told: RefCell::default(),
            at: Cell::default(),
            listeners: RefCell::default(),
            saved: RefCell::default(),
            savers: RefCell::default(),
            zoom: Zoom::default(),
            zoom_tools: zoom_tools.into(),
            mark: mark.into(),
            frames: Cell::default(),
            framed: Cell::default(),
            wish: RefCell::default(),
        });
        figure.listen(&tools);
        figure.listen_to_lines();
        figure.listen_to_zoom();
        figure
    }

    /// Its element.
    pub fn element(&self) -> &Element {
        &self.root
    }

    /// Which one it is.
    pub const fn view(&self) -> View {
        self.view
    }

    /// Tells whoever owns the figure what it wants.
    pub fn wish(&self, f: impl Fn(Wish) + 'static) {
        self.wish.replace(Some(Rc::new(f)));
    }

    fn want(&self, wish: Wish) {
        let to = self.wish.borrow().clone();
        if let Some(to) = to {
            to(wish);
        }
    }

    /// The part that is looked at.
    pub fn viewport(&self) -> Viewport {
        self.zoom.wanted()
    }

    /// Looks at another part.
    pub fn look_at(self: &Rc<Self>, viewport: Viewport) {
        self.zoom.set(viewport);
        self.zoomed();
    }

    /// Width that a scene may fill.
    pub fn width_css_px(&self) -> f32 {
        self.plot.client_width() as f32
    }

    /// Shows a scene.
    pub fn show(&self, scene: Scene) {
        self.title.set_text_content(Some(&scene.title));
        self.how.set_text_content(Some(&format!("{}{}", scene.how_to_read, how_to_move(scene.plot.as_ref()))));
        let hint = "arrow keys move through the values; the table below has them all";
        let _ = self.canvas.set_attribute("aria-label", &format!("{}; {hint}", scene.title));
        for (button, what) in self.savers.borrow().iter() {
            let _ = button.get().set_attribute("aria-label", &format!("{what}: {}", scene.title));
        }
        set_style(&self.canvas, "width", &format!("{}px", scene.size.0));
        set_style(&self.canvas, "height", &format!("{}px", scene.size.1));
        set_shown(&self.zoom_tools, scene.plot.as_ref().is_some_and(zooms));
        let _ = self.canvas.toggle_attribute_with_force("data-zooms", scene.plot.is_some());
        if let Some(plot) = &scene.plot {
            let shown = plot.shown.x;
            let _ = self.canvas.set_attribute("data-shown", &format!("{}..{}", shown.0, shown.1));
        }
        let before = self.scene.replace(scene);
        // What was pointed at stays so where it is still there: who chose it has not moved.
        let pointed = self.at.replace(None).and_then(|i| before.hits.into_iter().nth(i));
        let again = pointed.and_then(|hit| self.scene.borrow().hits.iter().position(|now| now.says == hit.says));
        self.move_to(again);
        self.redraw();
        self.write_table();
    }

    /// Draws it again, for another theme or threshold.
    pub fn redraw(&self) {
        let Some(canvas) = self.canvas.dyn_ref::<HtmlCanvasElement>() else { return };
        let plot = self.scene.borrow().plot;
        self.frame(|| {
            // A canvas that cannot be drawn on still has its table.
            let drawn = draw_on(canvas, &self.scene.borrow(), &theme::current(), window().device_pixel_ratio());
            let _ = canvas.set_attribute("data-pictures-ms", &format!("{:.1}", drawn.unwrap_or_default()));
            if plot.is_some() {
                self.zoom.drawn();
            } else {
                self.zoom.forget();
            }
        });
        // The reader went on while this part was laid out.
        if plot.is_some_and(|plot| plot.shown != self.zoom.wanted()) {
            self.stand_in();
        }
    }

    /// Draws a frame, and takes its time.
    fn frame(&self, draw: impl FnOnce()) {
        let now = || window().performance().map_or(0.0, |clock| clock.now());
        let before = now();
        draw();
        let Frames { count, longest_ms } = self.frames.get();
        let took_ms = now() - before;
        let frames = Frames { count: count + 1, longest_ms: longest_ms.max(took_ms) };
        self.frames.set(frames);
        let tell = |name: &str, ms: f64| self.canvas.set_attribute(name, &format!("{ms:.1}"));
        let _ = tell("data-frame-ms", took_ms);
        let _ = tell("data-longest-frame-ms", frames.longest_ms);
        let _ = self.canvas.set_attribute("data-frames", &frames.count.to_string());
    }

    /// Moves its threshold.
    pub fn turn(&self, value: f64) {
        self.scene.borrow_mut().turn(value);
        self.redraw();
        self.write_table();
    }

    /// Range and value of its threshold, if it has one.
    pub fn dial(&self) -> Option<((f64, f64), f64)> {
        self.scene.borrow().dial.as_ref().map(|dial| (dial.range, dial.value))
    }

    /// How many rows of its table are called so.
    pub fn rows_of(&self, what: &str) -> usize {
        let rows = &self.scene.borrow().table.rows;
        rows.iter().filter(|row| row.first().is_some_and(|name| name.starts_with(what))).count()
    }

    /// Elements are dear: a table that stays as it is, as in a pan, is not made again.
    fn write_table(&self) {
        let scene = self.scene.borrow();
        if *self.told.borrow() != scene.table {
            fill(&self.table, table_of(&scene.table));
            self.told.replace(scene.table.clone());
        }
    }

    /// Whoever clicks on a line's number sees the line.
    fn listen_to_lines(self: &Rc<Self>) {
        let me = Rc::downgrade(self);
        self.listeners.borrow_mut().add(&self.table, "click", move |event| {
            let button = event.target().and_then(|t| t.dyn_into::<Element>().ok());
            let button = button.and_then(|t| t.closest("button.line").ok().flatten());
            let place = |button: &Element| {
                let (file, line) = (button.get_attribute("data-file")?, button.text_content()?.parse().ok()?);
                Some((button.closest("tr").ok().flatten()?, LineRef { file, line }))
            };
            if let (Some(figure), Some((row, at))) = (me.upgrade(), button.as_ref().and_then(place)) {
                figure.want(Wish::Line(row, at));
            }
        });
    }

    fn listen(self: &Rc<Self>, tools: &El) {
        let mut listeners = self.listeners.borrow_mut();
        let me = Rc::downgrade(self);
        let with = |f: fn(&Rc<Self>)| {
            let me = Weak::clone(&me);
            move |_| {
                if let Some(figure) = me.upgrade() {
                    f(&figure);
                }
            }
        };
        for (label, what, save) in [
            ("PNG", "Save as picture, PNG", Self::save_png as fn(&Rc<Self>)),
            ("SVG", "Save as drawing, SVG", Self::save_svg),
            ("CSV", "Save the table, CSV", Self::save_csv),
        ] {
            let button = el("button").attr("type", "button").attr("title", what).text(label);
            let button = button.attr("aria-label", &format!("{what}: {}", self.view.name()));
            let button = button.on("click", &mut listeners, with(save));
            let _ = tools.get().append_child(button.get());
            self.savers.borrow_mut().push((button, what));
        }
        // A finger points where it is put, and what it showed stays when it is lifted.
        for event in ["pointermove", "pointerdown"] {
            let to = Weak::clone(&me);
            listeners.add(&self.canvas, event, move |event| {
                if let (Some(figure), Some(event)) = (to.upgrade(), event.dyn_ref::<MouseEvent>()) {
                    let hit = figure.scene.borrow().hit_at((event.offset_x() as f32, event.offset_y() as f32));
                    figure.move_to(hit);
                }
            });
        }
        let to = Weak::clone(&me);
        listeners.add(&self.canvas, "pointerleave", move |event| {
            let is_finger = event.dyn_ref::<PointerEvent>().is_some_and(|event| event.pointer_type() == "touch");
            if let Some(figure) = to.upgrade().filter(|_| !is_finger) {
                figure.move_to(None);
            }
        });
        listeners.add(&self.canvas, "blur", with(|figure| figure.move_to(None)));
        listeners.add(&self.canvas, "keydown", move |event| {
            let (Some(figure), Some(key)) = (me.upgrade(), event.dyn_ref::<KeyboardEvent>()) else { return };
            if key.ctrl_key() || key.meta_key() || key.alt_key() {
                return;
            }
            let pan = match (key.key().as_str(), key.shift_key()) {
                ("ArrowLeft", true) | ("a", _) => Some((-1.0, 0.0)),
                ("ArrowRight", true) | ("d", _) => Some((1.0, 0.0)),
                ("ArrowUp", true) => Some((0.0, -1.0)),
                ("ArrowDown", true) => Some((0.0, 1.0)),
                _ => None,
            };
            if let Some(steps) = pan {
                event.prevent_default();
                return figure.on_plot(|_| {
                    let before = figure.zoom.wanted();
                    figure.zoom.pan(steps);
                    figure.zoom.wanted() != before
                });
            }
            let step = match key.key().as_str() {
                "+" | "=" | "w" => return figure.zoom_by(Some(PER_STEP)),
                "-" | "s" => return figure.zoom_by(Some(1.0 / PER_STEP)),
                "0" => return figure.zoom_by(None),
                "Enter" | " " => {
                    event.prevent_default();
                    return figure.pick();
                }
                "ArrowLeft" => Step::Left,
                "ArrowRight" => Step::Right,
                "ArrowUp" => Step::Up,
                "ArrowDown" => Step::Down,
                "Home" => Step::First,
                "End" => Step::Last,
                "Escape" => return figure.move_to(None),
                _ => return,
            };
            event.prevent_default();
            let hit = figure.scene.borrow().hit_after(figure.at.get(), step);
            figure.move_to(hit);
            figure.speak();
        });
    }

    /// Puts cursor and tooltip on a hit, or takes them away.
    fn move_to(&self, hit: Option<usize>) {
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
        let tip_width = self.tip.client_width() as f32;
        let right = hit.at.0 + hit.size.0.min(scene.size.0 * 0.5) + TIP_GAP_CSS_PX;
        let left = right.min(scene.size.0 - tip_width).max(0.0);
        let low = hit.at.1 + hit.size.1.min(40.0) + TIP_GAP_CSS_PX * 0.5;
        set_style(&self.tip, "left", &px(left));
        set_style(&self.tip, "top", &px(low));
    }

    fn speak(&self) {
        let scene = self.scene.borrow();
        let says = self.at.get().and_then(|i| scene.hits.get(i)).map(|hit| hit.says.join(", "));
        self.spoken.set_text_content(says.as_deref());
    }

    /// What is saved: it says where it comes from and at which threshold it was drawn.
    fn captioned(&self) -> Scene {
        let scene = self.scene.borrow();
        scene.captioned(&scene.provenance())
    }

    fn save(&self, url: Result<BlobUrl, JsValue>, ending: &str) {
        if let Ok(url) = url {
            url.save_as(&format!("oddnode-{}.{ending}", self.view.name()));
            // The browser reads it after this call: it lives until the next one.
            self.saved.replace(Some(url));
        }
    }

    fn save_csv(self: &Rc<Self>) {
        let csv = self.scene.borrow().table.to_csv();
        self.save(BlobUrl::of_bytes(csv.as_bytes(), "text/csv"), "csv");
    }

    fn save_svg(self: &Rc<Self>) {
        if let Ok(svg) = to_svg(&self.captioned(), &Theme::light()) {
            self.save(BlobUrl::of_bytes(svg.as_bytes(), "image/svg+xml"), "svg");
        }
    }

    fn save_png(self: &Rc<Self>) {
        let figure = Rc::clone(self);
        spawn_local(async move {
            if let Some(png) = figure.png().await {
                figure.save(BlobUrl::of(&png), "png");
            }
        });
    }

    /// The scene on a canvas of its own: light, two pixels a CSS pixel, without the cursor.
    async fn png(&self) -> Option<Blob> {
        let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
        draw_on(&canvas, &self.captioned(), &Theme::light(), 2.0).ok()?;
        let blob = Promise::new(&mut |done, _| {
            let _ = canvas.to_blob(done.unchecked_ref());
        });
        JsFuture::from(blob).await.ok()?.dyn_into().ok()
    }
}

/// Whether a plot shows more when it is looked at closer.
fn zooms(plot: &Plot) -> bool {
    plot.least.0 < 1.0 || plot.least.1 < 1.0
}

/// What pointer and keys do to a plot.
fn how_to_move(plot: Option<&Plot>) -> String {
    let Some(plot) = plot else { return String::new() };
    let mut text = String::new();
    if zooms(plot) {
        text.push_str(
            " Ctrl and the wheel, + and −, or W and S, zoom; a drag, Shift and the arrow keys, or A and D, move; 0 shows all.",
        );
    }
    if plot.times_ms.is_some() {
        text.push_str(" A drag with Shift chooses a stretch of time in all figures.");
    }
    text
}

fn table_of(table: &Table) -> Vec<El> {
    let head = el("tr").children(table.headers.iter().map(|h| el("th").attr("scope", "col").text(h)));
    let shown = (CELLS_TOLD / table.headers.len().max(1)).max(ROWS_TOLD);
    let of_line = table.headers.windows(2).position(|pair| *pair == LINE_HEADERS).map(|file| (file, file + 1));
    // Every row is a copy of this one with other words.
    let blank = el("tr").children(table.headers.iter().enumerate().map(|(i, _)| match of_line {
        _ if i == 0 => el("th").attr("scope", "row"),
        Some((_, line)) if i == line => {
            el("td").class("number").child(el("button").class("line").attr("type", "button"))
        }
        _ => el("td").class("number"),
    }));
    let rows = table.rows.iter().take(shown).map(|row| {
        let filled = blank.again();
        let mut cell = filled.get().first_element_child();
        for (i, text) in row.iter().enumerate() {
            let Some(at) = cell else { break };
            match of_line.filter(|(_, line)| *line == i).zip(at.first_element_child()) {
                Some(((file, _), open)) => {
                    let _ = open.set_attribute("data-file", row.get(file).map_or("", String::as_str));
                    let _ = open.set_attribute("aria-label", &format!("Show line {text}"));
                    open.set_text_content(Some(text));
                }
                None => at.set_text_content(Some(text)),
            }
            cell = at.next_element_sibling();
        }
        filled
    });
    let mut parts = vec![el("thead").child(head), el("tbody").children(rows.collect::<Vec<_>>())];
    if let Some(more) = table.rows.len().checked_sub(shown).filter(|more| *more > 0) {
        let says = format!("The first {shown} rows; CSV saves the other {more} too.");
        parts.insert(0, el("caption").text(&says));
    }
    parts
}
