//! Rasters blown up to device pixels: as pictures for who draws pictures ([`Pixels::of`]), or with
//! the ground around them, as all that a canvas shows before its marks (`Pixels::sheets`).

use super::{Scale, Theme};
use crate::scene::Raster;
use plotters::element::{Drawable, PointCollection};
use plotters_backend::{BackendCoord, DrawingBackend, DrawingErrorKind};

/// Ground between two rasters of one picture, at most, in device pixels.
const GAP_PX: i32 = 64;
/// Device pixels of a picture at most: 16 MiB of four bytes.
const LARGEST_PX: u32 = 1 << 22;

/// A picture, in device pixels.
pub(super) struct Pixels {
    /// Its upper left corner.
    pub at: BackendCoord,
    /// Its width and height.
    pub size: (u32, u32),
    /// Its pixels, line by line: red, green, blue, and that they are opaque.
    pub colors: Vec<[u8; 4]>,
}

impl Pixels {
    /// The pictures that rasters become, one after the other (all at once can be a hundred megabytes):
    /// those that stand one below the other are one, with the ground between them, as far as it is not
    /// too large. A picture costs something beside its pixels.
    pub fn of(rasters: &[Raster], scale: Scale, theme: &Theme) -> impl Iterator<Item = Self> {
        let mut placed = rasters.iter().map(move |raster| Placed::of(raster, scale)).peekable();
        let pictures = std::iter::from_fn(move || {
            let first = placed.next()?;
            let (at, mut size) = (first.at, first.size);
            let mut of_picture = vec![first];
            while let Some(next) = placed.next_if(|next| next.continues(at, size)) {
                size.1 = (next.at.1 - at.1) as u32 + next.size.1;
                of_picture.push(next);
            }
            Some((at, size, of_picture))
        });
        pictures.flat_map(|(at, size, of_picture)| Self::bands(at, size, of_picture, theme))
    }

    /// All pixels of a canvas of `size`, from the top down: to put them is less work than to fill it, and
    /// what was drawn there before and waits to be shown need not be drawn any more.
    #[cfg(any(test, feature = "web"))]
    pub fn sheets(rasters: &[Raster], size: (u32, u32), scale: Scale, theme: &Theme) -> impl Iterator<Item = Self> {
        let placed = rasters.iter().map(|raster| Placed::of(raster, scale)).collect();
        Self::bands((0, 0), size, placed, theme)
    }

    fn bands(
        at: BackendCoord,
        (width, height): (u32, u32),
        placed: Vec<Placed<'_>>,
        theme: &Theme,
    ) -> impl Iterator<Item = Self> {
        let high = (LARGEST_PX / width.max(1)).max(1);
        (0..height)
            .step_by(high as usize)
            .map(move |top| Self::painted((at.0, at.1 + top as i32), (width, high.min(height - top)), &placed, theme))
    }

    fn painted(at: BackendCoord, size: (u32, u32), placed: &[Placed<'_>], theme: &Theme) -> Self {
        let (at_x, from) = at;
        let ground = opaque([theme.surface.0, theme.surface.1, theme.surface.2]);
        let width = size.0 as usize;
        let mut colors = Vec::with_capacity(width * size.1 as usize);
        // Those that begin in each line of pixels.
        let mut beginning = vec![Vec::new(); size.1 as usize];
        for (order, placed) in placed.iter().enumerate() {
            let first = placed.at.1.max(from);
            if let Some(begin) = beginning.get_mut((first - from) as usize).filter(|_| placed.until() > first) {
                begin.push((order, placed));
            }
        }
        // Those that this line crosses, in the order in which they lie over each other.
        let mut brushes: Vec<Brush<'_>> = Vec::new();
        for (y, begin) in (from..).zip(beginning) {
            let before = brushes.len();
            brushes.retain(|brush| brush.placed.until() > y);
            // Most lines of pixels are the one above once more.
            let mut same = y > from && brushes.len() == before && begin.is_empty();
            for (order, placed) in begin {
                let at = brushes.partition_point(|brush| brush.order < order);
                brushes.insert(at, Brush::of(placed, order, at_x, size.0, theme));
            }
            for brush in &mut brushes {
                same &= !brush.turns_to(y);
            }
            let line = colors.len();
            if same {
                colors.extend_from_within(line - width..);
            } else {
                colors.resize(line + width, ground);
                brushes.iter().for_each(|brush| brush.paint(colors.get_mut(line..).unwrap_or_default()));
            }
        }
        Self { at, size, colors }
    }
}

/// A raster and its place in device pixels.
struct Placed<'a> {
    raster: &'a Raster,
    at: BackendCoord,
    size: (u32, u32),
}

impl<'a> Placed<'a> {
    fn of(raster: &'a Raster, scale: Scale) -> Self {
        let at = scale.point(raster.at);
        let far = scale.point((raster.at.0 + raster.size.0, raster.at.1 + raster.size.1));
        Self { raster, at, size: ((far.0 - at.0).max(0) as u32, (far.1 - at.1).max(0) as u32) }
    }

    /// The first line of pixels below it.
    const fn until(&self) -> i32 {
        self.at.1 + self.size.1 as i32
    }

    /// Whether it stands straight below a picture, not too far away.
    fn continues(&self, at: BackendCoord, (width, height): (u32, u32)) -> bool {
        let gap = self.at.1 - at.1 - height as i32;
        self.at.0 == at.0 && self.size.0 == width && (0..=GAP_PX).contains(&gap)
    }
}

/// Paints lines of pixels of a raster.
struct Brush<'a> {
    placed: &'a Placed<'a>,
    order: usize,
    /// Its first pixel in the line.
    left: usize,
    /// The column that each of its pixels shows.
    columns: Vec<usize>,
    /// A colour for each shade that a byte can be: one look a pixel, and no more.
    colors: [[u8; 4]; 256],
    /// The row that it shows.
    row: Option<u32>,
}

impl<'a> Brush<'a> {
    /// For lines of `width` pixels from `x` on; what sticks out is not painted.
    fn of(placed: &'a Placed<'a>, order: usize, x: i32, width: u32, theme: &Theme) -> Self {
        let (near, far) = (placed.at.0 - x, placed.at.0 - x + placed.size.0 as i32);
        let shown = near.clamp(0, width as i32)..far.clamp(0, width as i32);
        let mut colors = [opaque([0; 3]); 256];
        colors.iter_mut().zip(theme.palette(&placed.raster.palette)).for_each(|(color, of)| *color = opaque(of));
        let column = |x: i32| cell((x - near) as u32, placed.size.0, placed.raster.columns) as usize;
        Self { placed, order, left: shown.start as usize, columns: shown.map(column).collect(), colors, row: None }
    }

    /// Whether it shows another row at `y` than before.
    fn turns_to(&mut self, y: i32) -> bool {
        let row = cell((y - self.placed.at.1).max(0) as u32, self.placed.size.1, self.placed.raster.rows);
        self.row.replace(row) != Some(row)
    }

    fn paint(&self, line: &mut [[u8; 4]]) {
        let raster = self.placed.raster;
        let from = self.row.unwrap_or_default() as usize * raster.columns as usize;
        let row = raster.shades.get(from..).unwrap_or_default();
        let color = |shade: u8| self.colors.get(usize::from(shade)).copied().unwrap_or_default();
        let pixels = line.get_mut(self.left..).unwrap_or_default();
        let first = self.columns.first().copied().unwrap_or_default();
        let shades = row.get(first..).unwrap_or_default();
        if self.placed.size.0 == raster.columns && shades.len() >= self.columns.len() {
            let pixels = pixels.iter_mut().take(self.columns.len());
            pixels.zip(shades).for_each(|(pixel, shade)| *pixel = color(*shade));
        } else {
            for (pixel, column) in pixels.iter_mut().zip(&self.columns) {
                *pixel = color(row.get(*column).copied().unwrap_or_default());
            }
        }
    }
}

/// Which of `cells` a pixel of `pixels` shows.
fn cell(pixel: u32, pixels: u32, cells: u32) -> u32 {
    (u64::from(pixel) * u64::from(cells) / u64::from(pixels.max(1))) as u32
}

const fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, u8::MAX]
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
            Some(at) if self.size.0 > 0 && self.size.1 > 0 => {
                let rgb: Vec<u8> = self.colors.iter().flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
                backend.blit_bitmap(at, self.size, &rgb)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Palette;
    use proptest::prelude::*;

    /// Pixel by pixel, by the rasters' definition; those that come later lie above.
    fn expected(rasters: &[Raster], (width, height): (i32, i32), scale: Scale, theme: &Theme) -> Vec<[u8; 4]> {
        let mut shown = Vec::new();
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let mut color = opaque([theme.surface.0, theme.surface.1, theme.surface.2]);
            for raster in rasters {
                let placed = Placed::of(raster, scale);
                let (w, h) = (placed.size.0 as i32, placed.size.1 as i32);
                let (dx, dy) = (x - placed.at.0, y - placed.at.1);
                if (0..w).contains(&dx) && (0..h).contains(&dy) {
                    let (column, row) = (dx * raster.columns as i32 / w, dy * raster.rows as i32 / h);
                    let shade = raster.shades.get((row * raster.columns as i32 + column) as usize);
                    color = opaque(theme.palette(&raster.palette)[usize::from(shade.copied().unwrap_or_default())]);
                }
            }
            shown.push(color);
        }
        shown
    }

    fn raster() -> impl Strategy<Value = Raster> {
        let place = (-9.0_f32..40.0, -9.0_f32..40.0, 0.0_f32..30.0, 0.0_f32..30.0);
        (place, 1_u32..7, 1_u32..7, prop::collection::vec(0_u8..=255, 0..50)).prop_map(|(at, columns, rows, shades)| {
            Raster { at: (at.0, at.1), size: (at.2, at.3), columns, rows, shades, palette: Palette::Shades }
        })
    }

    proptest! {
        #[test]
        fn sheets_show_every_raster_where_it_stands(rasters in prop::collection::vec(raster(), 0..5), scale in 1_u8..3) {
            let (scale, size) = (Scale(f32::from(scale)), (37, 33));
            let theme = Theme::light();
            let mut sheets: Vec<Pixels> = Pixels::sheets(&rasters, size, scale, &theme).collect();
            prop_assert_eq!(sheets.len(), 1);
            let sheet = sheets.remove(0);
            prop_assert!(sheet.at == (0, 0) && sheet.size == size);
            prop_assert!(sheet.colors == expected(&rasters, (37, 33), scale, &theme));
        }

        #[test]
        fn pictures_show_what_sheets_do(rasters in prop::collection::vec(raster(), 1..4)) {
            let theme = Theme::light();
            // No two in each other's way.
            let apart = |(i, raster): (usize, Raster)| Raster { at: (3.0, 5.0 + 45.0 * i as f32), ..raster };
            let rasters: Vec<Raster> = rasters.into_iter().enumerate().map(apart).collect();
            let all = expected(&rasters, (40, 200), Scale(1.0), &theme);
            for picture in Pixels::of(&rasters, Scale(1.0), &theme) {
                let width = picture.size.0 as usize;
                for (y, line) in (picture.at.1 as usize..).zip(picture.colors.chunks_exact(width.max(1))) {
                    prop_assert!(*line == all[y * 40 + picture.at.0 as usize..][..width]);
                }
            }
        }
    }

    #[test]
    fn a_high_canvas_takes_several_sheets() {
        let raster = Raster {
            at: (0.0, 10.0),
            size: (2.0, 1e6),
            columns: 1,
            rows: 2,
            shades: vec![0, 255],
            ..Raster::default()
        };
        let theme = Theme::light();
        let (width, height) = (1000, 10_000);
        let sheets: Vec<Pixels> = Pixels::sheets(&[raster], (width, height), Scale(1.0), &theme).collect();
        assert_eq!(sheets.len(), 3);
        assert_eq!(sheets.iter().map(|s| s.size.1).sum::<u32>(), height);
        assert!(sheets.windows(2).all(|two| two[0].at.1 + two[0].size.1 as i32 == two[1].at.1));
        assert!(sheets.iter().all(|s| s.colors.len() == s.size.0 as usize * s.size.1 as usize));
        assert!(sheets.iter().all(|s| s.size.0 == width && s.colors.len() <= LARGEST_PX as usize));
    }
}
