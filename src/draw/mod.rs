//! Scenes onto any plotters backend: `canvas` on the page, [`svg`] for export, [`record`]
//! for tests. A scene is in CSS pixels; the drawing area may be larger (a screen with two
//! device pixels a CSS pixel), and everything grows with it.

#[cfg(feature = "web")]
pub mod canvas;
pub mod html;
mod pixels;
pub mod record;
pub mod svg;
pub mod theme;

pub use theme::Theme;

use crate::base::text::shown;
use crate::scene::axis::CHARACTER_WIDTH;
use crate::scene::{Anchor, Mark, Point, Role, Scene};
use pixels::Pixels;
use plotters::coord::Shift;
use plotters::prelude::{Circle, DrawingArea, DrawingBackend, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, ShapeStyle, TextStyle};
use plotters_backend::{BackendColor, BackendCoord};

/// Font of all labels: the one that the page is set in, so nothing is loaded.
const FONT: &str = "system-ui, sans-serif";
/// Width of a polyline.
const POLYLINE_CSS_PX: f32 = 1.5;

/// A drawing went wrong in its backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("drawing failed: {0}")]
pub struct DrawError(String);

/// Draws a scene over the whole of `area`, as large as it fits across.
///
/// # Errors
/// [`DrawError`] with the backend's own words.
pub fn draw<B: DrawingBackend>(scene: &Scene, area: &DrawingArea<B, Shift>, theme: &Theme) -> Result<(), DrawError> {
    draw_with(scene, area, theme, |scale| {
        area.fill(&theme.surface)?;
        Pixels::of(&scene.rasters, scale, theme).try_for_each(|picture| area.draw(&picture))
    })
}

/// [`draw`], where ground and pictures may be drawn in another way than by the backend.
fn draw_with<B: DrawingBackend>(
    scene: &Scene,
    area: &DrawingArea<B, Shift>,
    theme: &Theme,
    below: impl FnOnce(Scale) -> AreaResult<B>,
) -> Result<(), DrawError> {
    let device = area.dim_in_pixel().0 as f32;
    let scale = Scale(if scene.size.0 > 0.0 { device / scene.size.0 } else { 1.0 });
    let result = below(scale)
        .and_then(|()| scene.marks.iter().try_for_each(|mark| draw_mark(mark, area, scale, theme)))
        .and_then(|()| area.present());
    result.map_err(|e| DrawError(e.to_string()))
}

/// Device pixels a CSS pixel.
#[derive(Clone, Copy)]
struct Scale(f32);

impl Scale {
    fn length(self, css_px: f32) -> i32 {
        (css_px * self.0).round() as i32
    }

    fn point(self, p: Point) -> BackendCoord {
        (self.length(p.0), self.length(p.1))
    }

    fn stroke(self, css_px: f32) -> u32 {
        (css_px * self.0).round().max(1.0) as u32
    }
}

type AreaResult<B> = Result<(), plotters::drawing::DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw_mark<B: DrawingBackend>(
    mark: &Mark,
    area: &DrawingArea<B, Shift>,
    scale: Scale,
    theme: &Theme,
) -> AreaResult<B> {
    let stroke = |role: &Role, css_px: f32| theme.color(*role).stroke_width(scale.stroke(css_px));
    match mark {
        Mark::Rect { at, size, role } => {
            let far = (at.0 + size.0, at.1 + size.1);
            area.draw(&Rectangle::new([scale.point(*at), scale.point(far)], theme.color(*role).filled()))
        }
        Mark::Frame { at, size, width_css_px, role } => {
            let (near, far) = (scale.point(*at), scale.point((at.0 + size.0, at.1 + size.1)));
            let wide = scale.length(*width_css_px).max(1).min((far.0 - near.0).min(far.1 - near.1));
            let style = theme.color(*role).filled();
            let sides = [
                [near, (far.0, near.1 + wide)],
                [(near.0, far.1 - wide), far],
                [(near.0, near.1 + wide), (near.0 + wide, far.1 - wide)],
                [(far.0 - wide, near.1 + wide), (far.0, far.1 - wide)],
            ];
            sides.into_iter().try_for_each(|side| area.draw(&Rectangle::new(side, style)))
        }
        Mark::Line { from, to, role } => {
            let width = if *role == Role::Threshold { POLYLINE_CSS_PX } else { 1.0 };
            area.draw(&PathElement::new(vec![scale.point(*from), scale.point(*to)], stroke(role, width)))
        }
        Mark::Polyline { points, role } => {
            let points: Vec<BackendCoord> = points.iter().map(|p| scale.point(*p)).collect();
            area.draw(&PathElement::new(points, stroke(role, POLYLINE_CSS_PX)))
        }
        Mark::Text { at, text, size_css_px, anchor, role } => {
            let h = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let font = (FontFamily::Name(FONT), f64::from(size_css_px * scale.0));
            let color = theme.color(*role);
            let style = TextStyle::from(font).color(&color).pos(Pos::new(h, VPos::Center));
            let text: String = text.chars().map(shown).collect();
            area.draw(&Text::new(text, scale.point(*at), style))
        }
        Mark::Circle { at, radius, role } => {
            let style: ShapeStyle = theme.color(*role).filled();
            area.draw(&Circle::new(scale.point(*at), scale.stroke(*radius), style))
        }
    }
}

/// `#rrggbb`.
fn hex(color: BackendColor) -> String {
    let (r, g, b) = color.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Estimated size of a text in pixels, for backends that cannot measure it.
fn estimated_text_size(text: &str, size: f64) -> (u32, u32) {
    ((text.chars().count() as f32 * size as f32 * CHARACTER_WIDTH) as u32, size as u32)
}
