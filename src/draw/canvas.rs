//! Scenes onto an HTML canvas: `plotters-canvas`, with some of its answers replaced.
//!
//! Text is measured by the context (plotters' own way adds elements to the document), pictures
//! go through `putImageData` (plotters' own way is a rectangle a pixel), and what rectangles,
//! lines and texts that follow each other have in common is told to the context once (figures
//! have thousands of them, and each word costs a parse).

use super::pixels::Pixels;
use super::{DrawError, Theme, draw_with};
use crate::scene::Scene;
use plotters::prelude::IntoDrawingArea;
use plotters::style::FontTransform;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

/// Draws the scene; the canvas gets `scale` device pixels a CSS pixel. Returns how many milliseconds
/// of the page's clock it took to draw all that lies below the marks.
///
/// # Errors
/// [`DrawError`] if the canvas cannot be drawn on.
pub fn draw_on(canvas: &HtmlCanvasElement, scene: &Scene, theme: &Theme, scale: f64) -> Result<f64, DrawError> {
    let [width, height] = [scene.size.0, scene.size.1].map(|side| (f64::from(side) * scale).round() as u32);
    // Another size is another picture for the browser to make room for, even if it is the same.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context = canvas.get_context("2d").ok().flatten().and_then(|context| context.dyn_into().ok());
    let inner = CanvasBackend::with_canvas_object(canvas.clone());
    let no_canvas = || DrawError(String::from("no 2d canvas"));
    let context: CanvasRenderingContext2d = context.ok_or_else(no_canvas)?;
    let backend =
        Canvas { inner: inner.ok_or_else(no_canvas)?, context: context.clone(), told: ContextState::default() };
    let clock = web_sys::window().and_then(|window| window.performance());
    let now = || clock.as_ref().map_or(0.0, |clock| clock.now());
    let area = backend.into_drawing_area();
    let mut took_ms = 0.0;
    draw_with(scene, &area, theme, |scale| {
        let begin = now();
        if scene.rasters.is_empty() {
            area.fill(&theme.surface)?;
        } else {
            Pixels::sheets(&scene.rasters, (width, height), scale, theme).for_each(|sheet| put(&context, &sheet));
        }
        took_ms = now() - begin;
        Ok(())
    })?;
    Ok(took_ms)
}

/// A sheet that the browser does not take is left out; the marks above it still stand.
fn put(context: &CanvasRenderingContext2d, Pixels { at, size, colors }: &Pixels) {
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(colors.as_flattened()), size.0, size.1);
    if let Ok(image) = image {
        let _ = context.put_image_data(&image, f64::from(at.0), f64::from(at.1));
    }
}

struct Canvas {
    inner: CanvasBackend,
    context: CanvasRenderingContext2d,
    told: ContextState,
}

/// What the context was told, as far as it is known.
#[derive(Default)]
struct ContextState {
    fill: Option<Color>,
    stroke: Option<(Color, u32)>,
    font: Option<String>,
    anchor: Option<(&'static str, &'static str)>,
}

/// Red, green and blue, and how opaque.
type Color = ((u8, u8, u8), f64);

type Drawn<T = ()> = Result<T, DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>>;

impl Canvas {
    fn fill_with(&mut self, color: BackendColor) {
        let color = (color.rgb, color.alpha);
        if self.told.fill.replace(color) != Some(color) {
            self.context.set_fill_style_str(&css(color));
        }
    }

    fn stroke_with<S: BackendStyle>(&mut self, style: &S) {
        let BackendColor { rgb, alpha } = style.color();
        let stroke = ((rgb, alpha), style.stroke_width());
        if self.told.stroke.replace(stroke) != Some(stroke) {
            self.context.set_stroke_style_str(&css(stroke.0));
            self.context.set_line_width(f64::from(stroke.1));
        }
    }

    fn set_in<S: BackendTextStyle>(&mut self, style: &S) {
        let font = font_of(style);
        if self.told.font.as_ref() != Some(&font) {
            self.context.set_font(&font);
            self.told.font = Some(font);
        }
        let across = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "center",
            HPos::Right => "end",
        };
        let down = match style.anchor().v_pos {
            VPos::Top => "top",
            VPos::Center => "middle",
            VPos::Bottom => "bottom",
        };
        if self.told.anchor.replace((across, down)) != Some((across, down)) {
            self.context.set_text_align(across);
            self.context.set_text_baseline(down);
        }
    }

    /// plotters' own way, for all that is rare; what the context was told is not known afterwards.
    fn rare(&mut self) -> &mut CanvasBackend {
        self.told = ContextState::default();
        &mut self.inner
    }
}

fn css(((red, green, blue), alpha): Color) -> String {
    format!("rgba({red},{green},{blue},{alpha})")
}

fn font_of<S: BackendTextStyle>(style: &S) -> String {
    format!("{}px {}", style.size(), style.family().as_str())
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
        // Along the middle of pixels it is sharp.
        let sharp = |from: i32, to: i32| f64::from(from) - if from == to { 0.5 } else { 0.0 };
        self.stroke_with(style);
        self.context.begin_path();
        self.context.move_to(sharp(from.0, to.0), sharp(from.1, to.1));
        self.context.line_to(sharp(to.0, from.0), sharp(to.1, from.1));
        self.context.stroke();
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(&mut self, near: BackendCoord, far: BackendCoord, style: &S, fill: bool) -> Drawn {
        if !fill {
            return self.rare().draw_rect(near, far, style, fill);
        }
        self.fill_with(style.color());
        let [x, y, right, bottom] = [near.0, near.1, far.0, far.1].map(f64::from);
        self.context.fill_rect(x, y, right - x, bottom - y);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        // Of two points it is a line, which is sharp on whole pixels.
        match path.as_slice() {
            [from, to] => self.draw_line(*from, *to, style),
            _ => self.rare().draw_path(path, style),
        }
    }

    fn draw_circle<S: BackendStyle>(&mut self, at: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        if !fill {
            return self.rare().draw_circle(at, radius, style, fill);
        }
        self.fill_with(style.color());
        self.context.begin_path();
        // A radius is not below zero.
        let _ = self.context.arc(f64::from(at.0), f64::from(at.1), f64::from(radius), 0.0, std::f64::consts::TAU);
        self.context.fill();
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.rare().fill_polygon(path, style)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        if !matches!(style.transform(), FontTransform::None) {
            return self.rare().draw_text(text, style, at);
        }
        self.fill_with(style.color());
        self.set_in(style);
        // A text that cannot be set is left out.
        let _ = self.context.fill_text(text, f64::from(at.0), f64::from(at.1));
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Drawn<(u32, u32)> {
        self.context.save();
        self.context.set_font(&font_of(style));
        let measured = self.context.measure_text(text).map(|m| m.width() as u32);
        self.context.restore();
        Ok(measured.map_or_else(|_| super::estimated_text_size(text, style.size()), |w| (w, style.size() as u32)))
    }
}
