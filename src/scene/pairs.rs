//! Grids of pairs: a row and a column for each of the same nodes, a square cell for each pair.
//!
//! ```text
//!          1  2  3     numbers, where names would not fit above the columns
//!  h101 1  ░  ░  █
//!  h102 2  ░  ░  █
//!  h103 3  █  █  ░
//! ```

use super::axis::{FONT_CSS_PX, tenth};
use super::names::Hosts;
use super::{Anchor, Hit, Look, Point, Raster, Role, Scene};

/// Side of the largest cell: a few nodes need no poster.
const CELL_MAX_CSS_PX: f32 = 34.0;
/// Room left free at the right of the grid.
const RIGHT_CSS_PX: f32 = 4.0;
/// Cells are numbered from this side on: numbers of adjoining rows would touch in smaller ones.
const NUMBERED_CSS_PX: f32 = FONT_CSS_PX + 1.0;
/// Room at the left that is not a name's: a gap, and the number of the row.
const NUMBER_CSS_PX: f32 = 36.0;
/// From the middle of the columns' numbers to the grid.
const ABOVE_CSS_PX: f32 = 9.0;
/// Cells that answer one by one; in larger grids each row answers as a whole.
const HITS: usize = 10_000;

/// Where the cells are.
#[derive(Clone, Copy, Debug)]
pub struct PairGrid {
    /// Upper left corner.
    pub at: Point,
    /// Side of a cell.
    pub cell: f32,
    /// Rows, and columns.
    pub count: usize,
}

impl PairGrid {
    /// Room for names with their numbers at the left of a grid, where the names alone take this much.
    #[must_use]
    pub fn numbered_left(names_css_px: f32) -> f32 {
        names_css_px + NUMBER_CSS_PX
    }

    /// The grid whose cells are as large as the width of the figure allows.
    #[must_use]
    pub fn fitting(at: Point, count: usize, look: &Look) -> Self {
        let room = look.width_css_px - at.0 - RIGHT_CSS_PX;
        Self { at, cell: (room / count.max(1) as f32).min(CELL_MAX_CSS_PX), count }
    }

    /// Side of the whole grid.
    #[must_use]
    pub fn side(&self) -> f32 {
        tenth(self.cell * self.count as f32)
    }

    /// Lower edge of the grid.
    #[must_use]
    pub fn bottom(&self) -> f32 {
        self.at.1 + self.side()
    }

    /// Upper edge of a row.
    #[must_use]
    pub fn row(&self, i: usize) -> f32 {
        tenth(self.at.1 + self.cell * i as f32)
    }

    /// Left edge of a column.
    #[must_use]
    pub fn column(&self, i: usize) -> f32 {
        tenth(self.at.0 + self.cell * i as f32)
    }

    /// Middle of a column.
    #[must_use]
    pub fn column_middle(&self, i: usize) -> f32 {
        tenth(self.at.0 + self.cell * (i as f32 + 0.5))
    }

    /// Whether each cell answers to the pointer, or only each row.
    #[must_use]
    pub const fn cells_answer(&self) -> bool {
        self.count * self.count <= HITS
    }

    /// The cells as one dense layer, given their shades row by row.
    #[must_use]
    pub fn raster(&self, shades: Vec<u8>) -> Raster {
        Raster::of_shades(self.at, (self.side(), self.side()), (self.count, self.count), shades)
    }

    /// Whether rows and columns have room for their numbers.
    #[must_use]
    pub fn is_numbered(&self) -> bool {
        self.cell >= NUMBERED_CSS_PX
    }

    /// Writes a node's number above its column, and its name and number beside its row, the middle of which is at `y`.
    pub fn number(&self, scene: &mut Scene, i: usize, y: f32, (hosts, name): (&Hosts, &str), role: Role) {
        let label = format!("{} {}", hosts.fitted(name, self.at.0 - NUMBER_CSS_PX), i + 1);
        scene.text((self.at.0 - 8.0, y), label, Anchor::End, role);
        scene.text((self.column_middle(i), self.at.1 - ABOVE_CSS_PX), (i + 1).to_string(), Anchor::Middle, role);
    }

    /// Writes a node's name beside its row, the middle of which is at `y`, with its number where there is room for numbers.
    pub fn name(&self, scene: &mut Scene, i: usize, y: f32, (hosts, name): (&Hosts, &str), role: Role) {
        if self.is_numbered() {
            self.number(scene, i, y, (hosts, name), role);
        } else {
            scene.text((self.at.0 - 8.0, y), hosts.fitted(name, self.at.0 - 12.0), Anchor::End, role);
        }
    }

    /// What the cell of a pair of nodes answers.
    #[must_use]
    pub fn hit(&self, row: usize, column: usize, says: Vec<String>, node: Option<String>) -> Hit {
        let (at, size) = ((self.column(column), self.row(row)), (self.cell, self.cell));
        Hit { at, size, says, node, ..Hit::default() }
    }
}
