//! Rows too low to be told apart, folded into a raster: of each line of pixels, begins and ends are counted and summed up
//! from left to right.
//!
//! ```text
//! Map      ├─────┤             edges of Maps:     +1  0  0 −1  0  0
//! Map      ├──────────┤                           +1  0  0  0  0 −1
//! Reduce         ├─────────┤   the pixel is of the class that has most open
//! ```
//! What still runs when the log ends fades in its last pixels, which have a class of their own.

use super::Class;
use super::frame::{Frame, Part, window};
use crate::base::quantity::grouped;
use crate::scene::axis::tenth;
use crate::scene::{Hit, Palette, Raster, Scene};

/// Pixels in which fades what still runs.
const FADING: usize = 4;
/// Bands that answer for what is folded into them.
const BANDS: usize = 24;

/// How many intervals there are of each class.
type Counts = [u64; Class::ALL.len()];

/// Adds the rows as a raster, and what its parts say where they are pointed at.
pub(super) fn raster(scene: &mut Scene, frame: &Frame, part: &Part<'_>) {
    let (top, bottom) = (part.y(frame, part.rows.start), part.y(frame, part.rows.end));
    let columns = (frame.size.0 as usize).max(1);
    // No more lines than rows: few rows are high ones.
    let lines = ((bottom - top).ceil() as usize).clamp(1, part.rows.len().max(1));
    let (shades, bands) = folded(frame, part, columns, lines);
    let (at, size) = ((frame.at.0, tenth(top)), (frame.size.0, tenth(bottom - top)));
    let raster = Raster::of_shades(at, size, (columns, lines), shades);
    scene.rasters.push(Raster { palette: Palette::Roles(Class::ALL.map(Class::role).to_vec()), ..raster });
    let height = (bottom - top) / bands.len().max(1) as f32;
    for (i, band) in bands.iter().enumerate().filter(|(_, band)| band.iter().any(|n| *n > 0)) {
        let at = (frame.at.0, tenth(top + height * i as f32));
        scene.hits.push(Hit { at, size: (frame.size.0, height), says: says(band), ..Hit::default() });
    }
}

fn says(band: &Counts) -> Vec<String> {
    // What still runs is counted by its kind too.
    let counted = Class::ALL.into_iter().zip(band).filter(|(class, _)| *class != Class::Open);
    let total: u64 = counted.map(|(_, n)| n).sum();
    let mut says = vec![format!("{} intervals folded here: zoom in to see each", grouped(total))];
    let told = Class::ALL.into_iter().zip(band).filter(|(_, n)| **n > 0);
    says.extend(told.map(|(class, n)| format!("{}: {}", class.name(), grouped(*n))));
    says
}

/// The class of each pixel, line by line, and what each band holds.
fn folded(frame: &Frame, part: &Part<'_>, columns: usize, lines: usize) -> (Vec<u8>, Vec<Counts>) {
    let (lanes, rows) = (part.run.lanes, &part.rows);
    let window = window(frame, part.run);
    let own_unit_ms = lanes.unit_ms().max(1) as f64;
    let units = (frame.units.1 - frame.units.0) * frame.unit_ms / own_unit_ms;
    let from = frame.units.0 * frame.unit_ms / own_unit_ms;
    let scale = columns as f64 / units;
    let column = |unit: u32| ((f64::from(unit) - from) * scale).clamp(0.0, (columns - 1) as f64) as usize;
    let mut edges = Edges::new(columns);
    let mut shades = vec![u8::MAX; columns * lines];
    let mut bands: Vec<Counts> = vec![[0; Class::ALL.len()]; BANDS.min(lines)];
    let band_count = bands.len();
    for (line, pixels) in shades.chunks_exact_mut(columns).enumerate() {
        let own = rows.start + line * rows.len() / lines..rows.start + (line + 1) * rows.len() / lines;
        let mut seen: Counts = [0; Class::ALL.len()];
        lanes.each(own, window, |lane| {
            let (first, last) = (column(lane.start), column(lane.end));
            let mut add = |class: Class, first: usize, last: usize| {
                edges.add(class, first, last);
                if let Some(seen) = seen.get_mut(class as usize) {
                    *seen += 1;
                }
            };
            add(lane.class, first, last);
            if lane.open {
                add(Class::Open, first.max((last + 1).saturating_sub(FADING)), last);
            }
        });
        if let Some(band) = bands.get_mut(line * band_count / lines) {
            band.iter_mut().zip(seen).for_each(|(band, seen)| *band += seen);
        }
        edges.paint(&seen, pixels);
    }
    (shades, bands)
}

/// Where the intervals of one line of pixels begin and end.
struct Edges {
    /// Columns, and one behind them for what ends in the last.
    stride: usize,
    /// For each class how many more are open in each column than in the one before.
    steps: Vec<i32>,
    /// The most of one class that are open in each column.
    most: Vec<i32>,
}

impl Edges {
    fn new(columns: usize) -> Self {
        let stride = columns + 1;
        Self { stride, steps: vec![0; stride * Class::ALL.len()], most: vec![0; columns] }
    }

    /// Adds an interval from its first to its last column.
    fn add(&mut self, class: Class, first: usize, last: usize) {
        for (at, by) in [(first, 1), (last + 1, -1)] {
            if let Some(step) = self.steps.get_mut(class as usize * self.stride + at) {
                *step += by;
            }
        }
    }

    /// Gives each pixel the class of which most is open there, but a failure, a kill or the end of what still runs wherever
    /// there is one; then forgets the line. Only the classes that were `seen` in it are touched.
    fn paint(&mut self, seen: &Counts, pixels: &mut [u8]) {
        self.most.fill(0);
        // These come last.
        for (class, _) in Class::ALL.into_iter().zip(seen).filter(|(_, n)| **n > 0) {
            let begin = class as usize * self.stride;
            let Some(steps) = self.steps.get_mut(begin..begin + self.stride) else { continue };
            let mut open = 0;
            for ((pixel, most), step) in pixels.iter_mut().zip(&mut self.most).zip(steps.iter()) {
                open += step;
                if open > 0 && (class >= Class::Open || open >= *most) {
                    (*most, *pixel) = (open, class as u8);
                }
            }
            steps.fill(0);
        }
    }
}
