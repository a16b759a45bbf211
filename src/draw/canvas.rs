//! Scenes onto an HTML canvas: `plotters-canvas`, with three of its answers replaced.
//!
//! Text is measured by the context (plotters' own way adds elements to the document), pictures
//! go through `putImageData` (plotters' own way is a rectangle a pixel), and rectangles of one
//! colour that follow each other name it once (figures have thousands of them).

use super::{DrawError, Theme, draw};
use crate::scene::Scene;
use plotters::prelude::IntoDrawingArea;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Draws the scene; the canvas gets `scale` device pixels a CSS pixel.
///
/// # Errors
/// [`DrawError`] if the canvas cannot be drawn on.
pub fn draw_on(canvas: &HtmlCanvasElement, scene: &Scene, theme: &Theme, scale: f64) -> Result<(), DrawError> {
    canvas.set_width((f64::from(scene.size.0) * scale).round() as u32);
    canvas.set_height((f64::from(scene.size.1) * scale).round() as u32);
    let backend = Canvas::on(canvas).ok_or_else(|| DrawError(String::from("no 2d canvas")))?;
    draw(scene, &backend.into_drawing_area(), theme)
}

struct Canvas {
    inner: CanvasBackend,
    context: CanvasRenderingContext2d,
    /// What the context fills with, as far as it is known.
    fill: Option<((u8, u8, u8), f64)>,
}

type Drawn<T = ()> = Result<T, DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

impl Canvas {
    fn on(canvas: &HtmlCanvasElement) -> Option<Self> {
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { inner: CanvasBackend::with_canvas_object(canvas.clone())?, context, fill: None })
    }

    fn fill_with(&mut self, color: BackendColor) {
        let BackendColor { rgb: (red, green, blue), alpha } = color;
        if self.fill.replace((color.rgb, alpha)) != Some((color.rgb, alpha)) {
            self.context.set_fill_style_str(&format!("rgba({red},{green},{blue},{alpha})"));
        }
    }

    /// plotters' own way, for all that is rare; what it fills with is not known afterwards.
    fn rare(&mut self) -> &mut CanvasBackend {
        self.fill = None;
        &mut self.inner
    }
}

impl DrawingBackend for Canvas {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.inner.get_size()
    }

    fn ensure_prepared(&mut self) -> Drawn {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Drawn {
        self.inner.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Drawn {
        self.rare().draw_pixel(at, color)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.inner.draw_line(from, to, style)
    }

    fn draw_rect<S: BackendStyle>(&mut self, near: BackendCoord, far: BackendCoord, style: &S, fill: bool) -> Drawn {
        if !fill {
            return self.inner.draw_rect(near, far, style, fill);
        }
        self.fill_with(style.color());
        let [x, y, right, bottom] = [near.0, near.1, far.0, far.1].map(f64::from);
        self.context.fill_rect(x, y, right - x, bottom - y);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        // Of two points it is a line, which the backend keeps sharp on whole pixels.
        match path.as_slice() {
            [from, to] => self.inner.draw_line(*from, *to, style),
            _ => self.inner.draw_path(path, style),
        }
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        self.rare().draw_circle(at, radius, style, fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.rare().fill_polygon(path, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        self.rare().draw_text(text, style, at)
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Drawn<(u32, u32)> {
        self.context.set_font(&format!("{}px {}", style.size(), style.family().as_str()));
        let measured = self.context.measure_text(text).map(|m| m.width() as u32);
        Ok(measured.map_or_else(|_| super::estimated_text_size(text, style.size()), |w| (w, style.size() as u32)))
    }

    fn blit_bitmap(&mut self, (x, y): BackendCoord, (width, height): (u32, u32), rgb: &[u8]) -> Drawn {
        let mut rgba = vec![255; rgb.len() / 3 * 4];
        for (to, [red, green, blue]) in rgba.as_chunks_mut::<4>().0.iter_mut().zip(rgb.as_chunks::<3>().0) {
            *to = [*red, *green, *blue, 255];
        }
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&rgba), width, height);
        // A picture that does not fit is left out; the marks above it still stand.
        if let Ok(image) = image {
            let _ = self.context.put_image_data(&image, f64::from(x), f64::from(y));
        }
        Ok(())
    }
}
