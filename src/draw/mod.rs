//! Scenes onto any plotters backend: [`canvas`] on the page, [`svg`] for export, [`record`]
//! for tests. A scene is in CSS pixels; the drawing area may be larger (a screen with two
//! device pixels a CSS pixel), and everything grows with it.

#[cfg(feature = "web")]
pub mod canvas;
pub mod html;
pub mod record;
pub mod svg;
pub mod theme;

pub use theme::Theme;

use crate::scene::{Anchor, Mark, Point, Raster, Role, Scene};
use plotters::coord::Shift;
use plotters::element::{Drawable, PointCollection};
use plotters::prelude::{Circle, DrawingArea, DrawingBackend, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, ShapeStyle, TextStyle};
use plotters_backend::{BackendCoord, DrawingErrorKind};

/// Font of all labels: the one that the page is set in, so nothing is loaded.
const FONT: &str = "system-ui, sans-serif";
/// Width of a polyline.
const POLYLINE_CSS_PX: f32 = 1.5;

/// Ground between two rasters of one picture, at most, in device pixels…
const GAP_PX: i32 = 64;
/// …and the height of the whole.
const HIGHEST_PX: u32 = 4096;

/// A drawing went wrong in its backend.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("drawing failed: {0}")]
pub struct DrawError(String);

/// Draws a scene over the whole of `area`, as large as it fits across.
///
/// # Errors
/// [`DrawError`] with the backend's own words.
pub fn draw<B: DrawingBackend>(scene: &Scene, area: &DrawingArea<B, Shift>, theme: &Theme) -> Result<(), DrawError> {
    let device = area.dim_in_pixel().0 as f32;
    let scale = Scale(if scene.size.0 > 0.0 { device / scene.size.0 } else { 1.0 });
    let result = area
        .fill(&theme.surface)
        .and_then(|()| Pixels::of(&scene.rasters, scale, theme).iter().try_for_each(|pixels| area.draw(pixels)))
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
            area.draw(&Text::new(text.as_str(), scale.point(*at), style))
        }
        Mark::Circle { at, radius, role } => {
            let style: ShapeStyle = theme.color(*role).filled();
            area.draw(&Circle::new(scale.point(*at), scale.stroke(*radius), style))
        }
    }
}

/// Rasters blown up to device pixels, as one picture: those that stand one below the other, with
/// the ground between them. A picture costs something beside its pixels.
struct Pixels {
    at: BackendCoord,
    size: (u32, u32),
    rgb: Vec<u8>,
}

impl Pixels {
    fn of(rasters: &[Raster], scale: Scale, theme: &Theme) -> Vec<Self> {
        let mut pictures: Vec<Self> = Vec::new();
        for raster in rasters {
            let at = scale.point(raster.at);
            let far = scale.point((raster.at.0 + raster.size.0, raster.at.1 + raster.size.1));
            let size = ((far.0 - at.0).max(0) as u32, (far.1 - at.1).max(0) as u32);
            let above = pictures.last_mut().filter(|above| above.takes(at, size));
            match above {
                Some(above) => above.append(raster, at, size, theme),
                None => {
                    let mut picture = Self { at, size: (size.0, 0), rgb: Vec::new() };
                    picture.append(raster, at, size, theme);
                    pictures.push(picture);
                }
            }
        }
        pictures
    }

    /// Whether a raster stands straight below, not too far away.
    fn takes(&self, at: BackendCoord, (width, height): (u32, u32)) -> bool {
        let gap = self.gap_to(at);
        let fits = (0..=GAP_PX).contains(&gap) && self.size.1 + gap as u32 + height <= HIGHEST_PX;
        at.0 == self.at.0 && width == self.size.0 && fits
    }

    fn gap_to(&self, at: BackendCoord) -> i32 {
        at.1 - self.at.1 - self.size.1 as i32
    }

    fn append(&mut self, raster: &Raster, at: BackendCoord, (width, height): (u32, u32), theme: &Theme) {
        let gap = self.gap_to(at).max(0) as u32;
        let rgb = &mut self.rgb;
        let ground = theme.surface;
        rgb.extend([ground.0, ground.1, ground.2].repeat((gap * width) as usize));
        self.size.1 += gap + height;
        let cell = |pixel: u32, pixels: u32, cells: u32| (pixel as u64 * cells as u64 / pixels.max(1) as u64) as usize;
        let columns: Vec<usize> = (0..width).map(|x| cell(x, width, raster.columns)).collect();
        // A colour for each shade that a byte can be: one look a pixel, and no more.
        let mut colors = [[0; 3]; 256];
        colors.iter_mut().zip(theme.palette(&raster.palette)).for_each(|(color, of)| *color = of);
        let line = width as usize * 3;
        rgb.reserve(line * height as usize);
        let mut drawn = None;
        for y in 0..height {
            let from = cell(y, height, raster.rows) * raster.columns as usize;
            let begin = rgb.len();
            // Most lines of pixels are the one above once more.
            if drawn.replace(from) == Some(from) {
                rgb.extend_from_within(begin.saturating_sub(line)..);
                continue;
            }
            let row = raster.shades.get(from..).unwrap_or_default();
            rgb.resize(begin + line, 0);
            let pixels = rgb.get_mut(begin..).unwrap_or_default().as_chunks_mut::<3>().0;
            for (pixel, &x) in pixels.iter_mut().zip(&columns) {
                let shade = row.get(x).copied().unwrap_or_default();
                *pixel = colors.get(usize::from(shade)).copied().unwrap_or_default();
            }
        }
    }
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Pixels {
    type Point = &'a BackendCoord;
    type IntoIter = std::iter::Once<&'a BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<B: DrawingBackend> Drawable<B> for Pixels {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut at: I,
        backend: &mut B,
        _parent: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        match at.next() {
            Some(at) if self.size.0 > 0 && self.size.1 > 0 => backend.blit_bitmap(at, self.size, &self.rgb),
            _ => Ok(()),
        }
    }
}

/// Estimated size of a text in pixels, for backends that cannot measure it.
fn estimated_text_size(text: &str, size: f64) -> (u32, u32) {
    ((text.chars().count() as f64 * size * 0.58) as u32, size as u32)
}
