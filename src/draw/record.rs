//! A backend that writes down what it is told: the drawing's snapshot in tests.

use super::hex;
use crate::base::crc::crc32;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Calls in words, one a line.
#[derive(Debug)]
pub struct Recorder<'a> {
    size: (u32, u32),
    calls: &'a mut Vec<String>,
}

impl<'a> Recorder<'a> {
    /// A recorder of `size` pixels into `calls`.
    pub fn new(size: (u32, u32), calls: &'a mut Vec<String>) -> Self {
        Self { size, calls }
    }

    fn say(&mut self, call: String) -> Result<(), DrawingErrorKind<Infallible>> {
        self.calls.push(call);
        Ok(())
    }
}

impl DrawingBackend for Recorder<'_> {
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

    fn draw_pixel(&mut self, at: BackendCoord, color: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        self.say(format!("pixel {at:?} {}", hex(color)))
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.say(format!("line {from:?} {to:?} {}", hex(style.color())))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        near: BackendCoord,
        far: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let verb = if fill { "fill" } else { "frame" };
        self.say(format!("{verb} {near:?} {far:?} {}", hex(style.color())))
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        self.say(format!("path {path:?} {}", hex(style.color())))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        at: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let verb = if fill { "circle" } else { "ring" };
        self.say(format!("{verb} {at:?} {radius} {}", hex(style.color())))
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.say(format!("text {at:?} {text:?} {}", hex(style.color())))
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        Ok(super::estimated_text_size(text, style.size()))
    }

    fn blit_bitmap(
        &mut self,
        at: BackendCoord,
        size: (u32, u32),
        rgb: &[u8],
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        self.say(format!("picture {at:?} {size:?} {} bytes, crc {:08x}", rgb.len(), crc32(rgb)))
    }
}
