//! A figure: a scene on a canvas, with its tooltip, keyboard cursor, table twin and exports.

use super::dom::{El, Listeners, document, el, fill, set_shown, set_style, window};
use super::save::BlobUrl;
use super::theme;
use crate::draw::{Theme, canvas::draw_on, svg::to_svg};
use crate::scene::{Scene, Step, Table, View};
use js_sys::Promise;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Element, HtmlCanvasElement, KeyboardEvent, MouseEvent};

/// Room between the pointer and its tooltip.
const TIP_GAP_CSS_PX: f32 = 12.0;

/// A figure on the page.
#[derive(Debug)]
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
    at: Cell<Option<usize>>,
    listeners: RefCell<Listeners>,
    saved: RefCell<Option<BlobUrl>>,
}

impl Figure {
    /// An empty figure.
    pub fn new(view: View) -> Rc<Self> {
        let name = view.name();
        let [title, how, cursor, tip, spoken] =
            [el("h3"), el("p"), el("div").class("cursor"), el("div").class("tip"), el("p").class("aside")];
        let canvas = el("canvas").attr("tabindex", "0").attr("role", "img").attr("aria-label", name);
        let table = el("table").test_id(&format!("table-{name}"));
        set_shown(cursor.get(), false);
        set_shown(tip.get(), false);
        let tools = el("div").class("tools");
        let plot = el("div").class("plot").child(canvas.clone()).child(cursor.clone()).child(tip.clone());
        let below = el("div")
            .class("below")
            .child(el("details").child(el("summary").text("How to read")).child(how.clone()))
            .child(
                el("details").child(el("summary").text("Table")).child(el("div").class("scroll").child(table.clone())),
            );
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
            at: Cell::default(),
            listeners: RefCell::default(),
            saved: RefCell::default(),
        });
        figure.listen(&tools);
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

    /// Width that a scene may fill.
    pub fn width_css_px(&self) -> f32 {
        self.plot.client_width() as f32
    }

    /// Shows a scene.
    pub fn show(&self, scene: Scene) {
        self.title.set_text_content(Some(&scene.title));
        self.how.set_text_content(Some(&scene.how_to_read));
        let hint = "arrow keys move through the values; the table below has them all";
        let _ = self.canvas.set_attribute("aria-label", &format!("{}; {hint}", scene.title));
        set_style(&self.canvas, "width", &format!("{}px", scene.size.0));
        set_style(&self.canvas, "height", &format!("{}px", scene.size.1));
        self.scene.replace(scene);
        self.move_to(None);
        self.redraw();
        self.write_table();
    }

    /// Draws it again, for another theme or threshold.
    pub fn redraw(&self) {
        if let Some(canvas) = self.canvas.dyn_ref::<HtmlCanvasElement>() {
            // A canvas that cannot be drawn on still has its table.
            let _ = draw_on(canvas, &self.scene.borrow(), &theme::current(), window().device_pixel_ratio());
        }
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

    fn write_table(&self) {
        fill(&self.table, table_of(&self.scene.borrow().table));
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
            ("PNG", "Save as picture", Self::save_png as fn(&Rc<Self>)),
            ("SVG", "Save as drawing", Self::save_svg),
            ("CSV", "Save the table", Self::save_csv),
        ] {
            let button = el("button").attr("type", "button").attr("title", what).text(label);
            let _ = tools.get().append_child(button.on("click", &mut listeners, with(save)).get());
        }
        let to = Weak::clone(&me);
        listeners.add(&self.canvas, "pointermove", move |event| {
            if let (Some(figure), Some(event)) = (to.upgrade(), event.dyn_ref::<MouseEvent>()) {
                let hit = figure.scene.borrow().hit_at((event.offset_x() as f32, event.offset_y() as f32));
                figure.move_to(hit);
            }
        });
        listeners.add(&self.canvas, "pointerleave", with(|figure| figure.move_to(None)));
        listeners.add(&self.canvas, "blur", with(|figure| figure.move_to(None)));
        listeners.add(&self.canvas, "keydown", move |event| {
            let (Some(figure), Some(key)) = (me.upgrade(), event.dyn_ref::<KeyboardEvent>()) else { return };
            let step = match key.key().as_str() {
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
        let threshold = scene.dial.as_ref().map(|dial| format!(", threshold {:.3}", dial.value));
        let version = env!("CARGO_PKG_VERSION");
        scene.captioned(&format!("oddnode {version}, {}{}", scene.name, threshold.unwrap_or_default()))
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

fn table_of(table: &Table) -> [El; 2] {
    let head = el("tr").children(table.headers.iter().map(|h| el("th").attr("scope", "col").text(h)));
    let rows = table.rows.iter().map(|row| {
        el("tr").children(row.iter().enumerate().map(|(i, cell)| match i {
            0 => el("th").attr("scope", "row").text(cell),
            _ => el("td").class("number").text(cell),
        }))
    });
    [el("thead").child(head), el("tbody").children(rows.collect::<Vec<_>>())]
}
