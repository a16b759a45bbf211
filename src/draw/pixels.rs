//! Rasters blown up to device pixels, as one picture: those that stand one below the other, with
//! the ground between them. A picture costs something beside its pixels.

use super::{Scale, Theme};
use crate::scene::Raster;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

/// Ground between two rasters of one picture, at most, in device pixels…
const GAP_PX: i32 = 64;
/// …and the height of the whole.
const HIGHEST_PX: u32 = 4096;

/// A picture, in device pixels of `N` bytes: red, green, blue, and a fourth, that it is opaque, for who
/// wants one.
pub(super) struct Pixels<const N: usize> {
    /// Its upper left corner.
    pub at: BackendCoord,
    /// Its width and height.
    pub size: (u32, u32),
    /// Its pixels, line by line.
    pub colors: Vec<[u8; N]>,
}

impl<const N: usize> Pixels<N> {
    /// The pictures that rasters become, one after the other: all at once can be a hundred megabytes.
    pub fn of(rasters: &[Raster], scale: Scale, theme: &Theme) -> impl Iterator<Item = Self> {
        let placed = rasters.iter().map(move |raster| {
            let at = scale.point(raster.at);
            let far = scale.point((raster.at.0 + raster.size.0, raster.at.1 + raster.size.1));
            (raster, at, ((far.0 - at.0).max(0) as u32, (far.1 - at.1).max(0) as u32))
        });
        let mut placed = placed.peekable();
        std::iter::from_fn(move || {
            let (raster, at, size) = placed.next()?;
            let mut picture = Self { at, size: (size.0, 0), colors: Vec::new() };
            picture.append(raster, at, size, theme);
            while let Some((raster, at, size)) = placed.next_if(|(_, at, size)| picture.takes(*at, *size)) {
                picture.append(raster, at, size, theme);
            }
            Some(picture)
        })
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
        let line = width as usize;
        let pixels = &mut self.colors;
        self.size.1 += gap + height;
        pixels.reserve(line * (gap + height) as usize);
        let ground = theme.surface;
        pixels.resize(pixels.len() + gap as usize * line, opaque([ground.0, ground.1, ground.2]));
        let cell = |pixel: u32, pixels: u32, cells: u32| (pixel as u64 * cells as u64 / pixels.max(1) as u64) as usize;
        let columns: Vec<usize> = (0..width).map(|x| cell(x, width, raster.columns)).collect();
        // A colour for each shade that a byte can be: one look a pixel, and no more.
        let mut colors = [opaque([0; 3]); 256];
        colors.iter_mut().zip(theme.palette(&raster.palette)).for_each(|(color, of)| *color = opaque(of));
        let color = |shade: u8| colors.get(usize::from(shade)).copied().unwrap_or([0; N]);
        let mut drawn = None;
        for y in 0..height {
            let from = cell(y, height, raster.rows) * raster.columns as usize;
            // Most lines of pixels are the one above once more.
            if drawn.replace(from) == Some(from) {
                pixels.extend_from_within(pixels.len().saturating_sub(line)..);
                continue;
            }
            let row = raster.shades.get(from..).unwrap_or_default();
            if line == raster.columns as usize && row.len() >= line {
                pixels.extend(row.iter().take(line).map(|shade| color(*shade)));
            } else {
                pixels.extend(columns.iter().map(|&x| color(row.get(x).copied().unwrap_or_default())));
            }
        }
    }
}

fn opaque<const N: usize>(rgb: [u8; 3]) -> [u8; N] {
    let mut pixel = [u8::MAX; N];
    pixel.iter_mut().zip(rgb).for_each(|(to, of)| *to = of);
    pixel
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Pixels<3> {
    type Point = &'a BackendCoord;
    type IntoIter = std::iter::Once<&'a BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::once(&self.at)
    }
}

impl<B: DrawingBackend> Drawable<B> for Pixels<3> {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        mut at: I,
        backend: &mut B,
        _parent: (u32, u32),
    ) -> Result<(), DrawingErrorKind<B::ErrorType>> {
        match at.next() {
            Some(at) if self.size.0 > 0 && self.size.1 > 0 => {
                backend.blit_bitmap(at, self.size, self.colors.as_flattened())
            }
            _ => Ok(()),
        }
    }
}
