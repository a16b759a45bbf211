//! A figure: a scene on a canvas, with its tooltip, keyboard cursor, table twin and exports.

mod pointing;
mod saving;
mod table;
mod zoom;
mod zooming;

use super::dom::{El, Listeners, el, plain, scroller, set_shown, set_style, set_text, window};
use super::save::BlobUrl;
use super::theme;
use crate::draw::canvas::draw_on;
use crate::report::LineRef;
use crate::scene::{Plot, Scene, Selection, Table, View, Viewport};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, EventTarget, HtmlCanvasElement};
use zoom::Zoom;

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

/// What a figure does when something happens.
type Act = fn(&Rc<Figure>, &Event);

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
    /// The box around it.
    scroll: Element,
    scene: RefCell<Scene>,
    /// Tells what it is of, for whoever sees it saved.
    pub(super) origin: RefCell<Option<Box<dyn Fn() -> String>>>,
    /// What is chosen in it.
    pub(super) chosen: RefCell<Selection>,
    /// What the table twin holds.
    told: RefCell<Table>,
    at: Cell<Option<usize>>,
    /// Keys led the cursor there: what moves below a resting pointer does not take it away.
    led: Cell<bool>,
    listeners: RefCell<Listeners>,
    saved: RefCell<Option<BlobUrl>>,
    /// Its buttons, each with what it does.
    tools: RefCell<Vec<(El, &'static str)>>,
    zoom: Zoom,
    zoom_tools: Element,
    /// Chooses the time shown.
    time_tool: RefCell<Option<El>>,
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
    /// An empty figure, to be looked at in this part.
    pub fn new(view: View, part: Viewport) -> Rc<Self> {
        let name = view.name();
        let [title, how, cursor, tip, spoken] = [
            el("h3").text("Drawing…"),
            el("p"),
            el("div").class("cursor"),
            el("div").class("tip"),
            el("p").class("aside"),
        ];
        // Keys steer it: what reads out a picture would keep them to itself.
        let canvas = el("canvas").attr("tabindex", "0").attr("role", "application");
        let canvas = canvas.attr("aria-roledescription", "figure").attr("aria-label", name);
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
        let scroll = scroller(name, table.clone());
        let below = el("div")
            .class("below")
            .child(el("details").child(el("summary").text("How to read")).child(how.clone()))
            .child(el("details").child(el("summary").text("Table")).child(scroll.clone()));
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
            scroll: scroll.into(),
            scene: RefCell::default(),
            origin: RefCell::default(),
            chosen: RefCell::default(),
            told: RefCell::default(),
            at: Cell::default(),
            led: Cell::default(),
            listeners: RefCell::default(),
            saved: RefCell::default(),
            tools: RefCell::default(),
            zoom: Zoom::default(),
            zoom_tools: zoom_tools.into(),
            time_tool: RefCell::default(),
            mark: mark.into(),
            frames: Cell::default(),
            framed: Cell::default(),
            wish: RefCell::default(),
        });
        figure.zoom.set(part);
        figure.offer_to_save(&tools);
        figure.listen_to_pointer_and_keys();
        figure.listen_to_lines();
        figure.listen_to_zoom();
        // What draws for the browser was started anew, and has lost the picture.
        figure.on(&figure.canvas, "contextrestored", |figure, _| figure.redraw());
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

    /// Does this whenever that happens, as long as the figure is there.
    fn on(self: &Rc<Self>, target: &EventTarget, kind: &'static str, act: Act) {
        let me = Rc::downgrade(self);
        self.listeners.borrow_mut().add(target, kind, move |event| {
            if let Some(figure) = me.upgrade() {
                act(&figure, &event);
            }
        });
    }

    /// A button among its tools: what it is called says which figure it is of.
    fn tool(self: &Rc<Self>, place: &Element, label: &str, title: &str, what: &'static str, act: Act) -> El {
        let button = el("button").attr("type", "button").attr("title", title).text(label);
        let button = button.attr("aria-label", &format!("{what}: {}", self.view.name()));
        self.on(button.get(), "click", act);
        let _ = place.append_child(button.get());
        self.tools.borrow_mut().push((button.clone(), what));
        button
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
        let plots = scene.plot.zip(self.scene.borrow().plot);
        if plots.is_some_and(|(plot, before)| self.zoom.follow(&plot, &before)) {
            // It shows another part than is looked at: what is there stays until that part comes.
            self.scene.borrow_mut().plot = scene.plot;
            return self.want(Wish::Viewport);
        }
        let title = plain(&scene.title);
        set_text(&self.title, &title);
        let moving = how_to_move(scene.plot.as_ref());
        let how = [&scene.how_to_read, &scene.what_to_do, &moving].map(String::as_str);
        let how: Vec<&str> = how.into_iter().filter(|text| !text.is_empty()).collect();
        self.how.set_text_content(Some(&how.join(" ")));
        let has = if scene.summed_up { "has the main ones" } else { "has them all" };
        let hint = format!("{title}; arrow keys move through the values; the table below {has}");
        let _ = self.canvas.set_attribute("aria-label", &hint);
        let _ = self.scroll.set_attribute("aria-label", &format!("Table: {title}"));
        for (button, what) in self.tools.borrow().iter() {
            let _ = button.get().set_attribute("aria-label", &format!("{what}: {title}"));
        }
        set_style(&self.canvas, "width", &format!("{}px", scene.size.0));
        set_style(&self.canvas, "height", &format!("{}px", scene.size.1));
        let zooms = scene.plot.as_ref().is_some_and(zooms);
        set_shown(&self.zoom_tools, zooms);
        let _ = self.canvas.toggle_attribute_with_force("data-zooms", zooms);
        if let Some(plot) = &scene.plot {
            let shown = plot.shown.x;
            let _ = self.canvas.set_attribute("data-shown", &format!("{}..{}", shown.0, shown.1));
        }
        let before = self.scene.replace(scene);
        if let Some(tool) = self.time_tool.borrow().as_ref() {
            set_shown(tool.get(), self.shows_part_of_time());
        }
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
        if self.scene.borrow().dial.is_none() {
            return;
        }
        self.scene.borrow_mut().turn(value);
        self.redraw();
        self.write_table();
    }

    /// Range and value of its threshold, if it has one.
    pub fn dial(&self) -> Option<((f64, f64), f64)> {
        self.scene.borrow().dial.as_ref().map(|dial| (dial.range, dial.value))
    }

    /// How many of a list its scene passes over, and how many come after those that it shows.
    pub fn left_out(&self) -> (u32, u32) {
        let scene = self.scene.borrow();
        (scene.from, scene.after)
    }

    /// See [`Scene::groups`].
    pub fn groups(&self) -> usize {
        self.scene.borrow().groups
    }
}

/// Whether a plot shows more when it is looked at closer.
fn zooms(plot: &Plot) -> bool {
    plot.least.0 < 1.0 || plot.least.1 < 1.0
}

/// What pointer and keys do to a plot.
fn how_to_move(plot: Option<&Plot>) -> String {
    const ZOOM: &str = "Ctrl and the wheel, + and −, or W and S, zoom; a drag, Shift and the arrow keys, or A and D, move; 0 shows all.";
    const CHOOSE: &str = "A drag with Shift chooses a stretch of time in all figures";
    match plot.map(|plot| (zooms(plot), plot.times_ms.is_some())) {
        Some((true, true)) => format!("{ZOOM} {CHOOSE}, as T does with what is shown."),
        Some((true, false)) => ZOOM.to_owned(),
        Some((false, true)) => format!("{CHOOSE}."),
        Some((false, false)) | None => String::new(),
    }
}
