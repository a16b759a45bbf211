//! A figure as a file: a picture, a drawing, or its table.

use super::{Act, Figure};
use crate::draw::{Theme, canvas::draw_on, svg::to_svg};
use crate::scene::Scene;
use crate::web::dom::{El, document};
use crate::web::save::BlobUrl;
use js_sys::Promise;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlCanvasElement};

impl Figure {
    /// A button for each kind of file.
    pub(super) fn offer_to_save(self: &Rc<Self>, tools: &El) {
        let kinds: [(&str, &'static str, Act); 3] = [
            ("PNG", "Save as picture, PNG", |figure, _| figure.save_png()),
            ("SVG", "Save as drawing, SVG", |figure, _| figure.save_svg()),
            ("CSV", "Save the table, CSV", |figure, _| figure.save_csv()),
        ];
        for (label, what, save) in kinds {
            self.tool(tools.get(), label, what, what, save);
        }
    }

    /// What is saved: it says where it comes from, of what it is and at which threshold it was drawn.
    fn captioned(&self) -> Scene {
        let scene = self.scene.borrow();
        let origin = self.origin.borrow().as_ref().map_or_else(String::new, |tell| tell());
        scene.captioned(&scene.provenance(&origin))
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
