//! Scenes as SVG text, for tickets and papers.
//!
//! A backend of our own: plotters' measures text with a window or a font library, and the
//! page has neither in every place. It works in tenths of a CSS pixel, since backends know
//! whole numbers only.

use super::{DrawError, FONT, Theme, draw, hex};
use crate::base::text::shown;
use crate::scene::Scene;
use plotters::prelude::IntoDrawingArea;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;
use std::fmt::Write;

/// Units of the drawing a CSS pixel.
const FINENESS: f32 = 10.0;

/// The scene as an SVG document.
///
/// # Errors
/// [`DrawError`] if it could not be drawn.
pub fn to_svg(scene: &Scene, theme: &Theme) -> Result<String, DrawError> {
    let size = ((scene.size.0 * FINENESS) as u32, (scene.size.1 * FINENESS) as u32);
    let mut body = String::new();
    draw(scene, &Svg { size, body: &mut body }.into_drawing_area(), theme)?;
    let (w, h) = size;
    let (title, name) = (escaped(&scene.title), escaped(&scene.name));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         data-view=\"{name}\" font-family=\"{FONT}\">\n<title>{title}</title>\n{body}</svg>\n",
        scene.size.0, scene.size.1
    ))
}

/// As text of XML and HTML, between tags and in attributes.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML, and of no shape.
            c if c.is_control() => out.push(' '),
            c => out.push(shown(c)),
        }
    }
    out
}

struct Svg<'a> {
    size: (u32, u32),
    body: &'a mut String,
}

impl Svg<'_> {
    fn put(&mut self, element: std::fmt::Arguments<'_>) -> Result<(), DrawingErrorKind<Infallible>> {
        // Writing to a String does not fail.
        let _ = self.body.write_fmt(element);
        self.body.push('\n');
        Ok(())
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        self.put(format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\" fill=\"{}\"/>", hex(color)))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        far: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (w, h) = ((far.0 - x).max(0), (far.1 - y).max(0));
        let color = hex(style.color());
        let (inside, edge) = if fill { (color.as_str(), "none") } else { ("none", color.as_str()) };
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{inside}\" stroke=\"{edge}\"/>"
        ))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let points: Vec<String> = path.into_iter().map(|(x, y)| format!("{x},{y}")).collect();
        let (color, width) = (hex(style.color()), style.stroke_width());
        self.put(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"/>",
            points.join(" ")
        ))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let color = hex(style.color());
        let paint = if fill {
            format!("fill=\"{color}\"")
        } else {
            format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{}\"", style.stroke_width())
        };
        self.put(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {paint}/>"))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let anchor = match style.anchor().h_pos {
            HPos::Left => "start",
            HPos::Center => "middle",
            HPos::Right => "end",
        };
        let baseline = match style.anchor().v_pos {
            VPos::Top => "hanging",
            VPos::Center => "central",
            VPos::Bottom => "auto",
        };
        let (size, color, text) = (style.size(), hex(style.color()), escaped(text));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{color}\" text-anchor=\"{anchor}\" \
             dominant-baseline=\"{baseline}\">{text}</text>"
        ))
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok(super::estimated_text_size(text, style.size()))
    }

    /// A picture as rectangles: runs of one colour, over all the rows that are alike.
    fn blit_bitmap(
        &mut self,
        (x0, y0): BackendCoord,
        (width, height): (u32, u32),
        rgb: &[u8],
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let mut rows = rgb.chunks_exact((width as usize * 3).max(3)).take(height as usize).peekable();
        let mut y = y0;
        while let Some(row) = rows.next() {
            let mut tall = 1;
            while rows.next_if(|next| *next == row).is_some() {
                tall += 1;
            }
            let mut x = x0;
            let mut pixels = row.chunks_exact(3).peekable();
            while let Some(pixel) = pixels.next() {
                let mut wide = 1;
                while pixels.next_if(|next| *next == pixel).is_some() {
                    wide += 1;
                }
                if let [r, g, b] = pixel {
                    self.put(format_args!(
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{tall}\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>"
                    ))?;
                }
                x += wide;
            }
            y += tall;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::{RED, ShapeStyle};

    #[test]
    fn circle_asked_unfilled_is_a_ring() {
        let mut body = String::new();
        let mut svg = Svg { size: (10, 10), body: &mut body };
        let style = ShapeStyle { color: RED.into(), filled: false, stroke_width: 2 };
        svg.draw_circle((5, 5), 3, &style, false).unwrap();
        svg.draw_circle((5, 5), 3, &style, true).unwrap();
        let [ring, disc] = body.lines().collect::<Vec<_>>()[..] else { panic!("{body}") };
        assert_eq!(ring, r##"<circle cx="5" cy="5" r="3" fill="none" stroke="#ff0000" stroke-width="2"/>"##);
        assert_eq!(disc, r##"<circle cx="5" cy="5" r="3" fill="#ff0000"/>"##);
    }
}
