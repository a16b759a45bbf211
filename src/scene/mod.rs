//! Views as plain data: a [`Scene`] is what a figure shows, laid out in CSS pixels.
//!
//! The model stays in the worker, which lays out scenes; the page draws them, shows their
//! tooltips and writes their table twins. Colours are not chosen here: a mark has a
//! [`Role`], and the theme that draws it knows the colour.
//!
//! ```text
//! model + what is looked at ([`Look`])  --lay_out-->  Scene  --draw-->  canvas, SVG, record
//! ```
//!
//! Adding a view: its file here, one [`View`], its arm in `pipeline`'s layout, a snapshot.

pub mod axis;
pub mod peers;

use crate::model::StateKind;
use serde::{Deserialize, Serialize};

/// Marks in a scene at most: a canvas draws about a rectangle in 2 µs, and a frame has 16 ms
/// (twice over; dense grids are a [`Raster`] and cost nothing here).
pub const MARK_BUDGET: usize = 20_000;

/// The figures there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum View {
    /// T(i) of every node, whole log.
    Peers,
    /// T(i) over time.
    PeersTime,
    /// Distance of each pair of nodes.
    PeersDistance,
    /// Durations of each node against its peers'.
    PeersDurations,
}

impl View {
    /// All figures in the order of the page.
    pub const ALL: [Self; 4] = [Self::Peers, Self::PeersTime, Self::PeersDurations, Self::PeersDistance];

    /// The name in links, test ids and file names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Peers => "peers",
            Self::PeersTime => "peers-time",
            Self::PeersDistance => "peers-distance",
            Self::PeersDurations => "peers-durations",
        }
    }
}

/// What is looked at, and how much room there is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The chosen kind of state; `None`: the one with the highest score.
    pub kind: Option<StateKind>,
    /// Names of the nodes to stand out: the culprits and the chosen one.
    pub nodes: Vec<String>,
    /// Width to fill.
    pub width_css_px: f32,
}

/// What a mark stands for; the theme knows its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Text and axes.
    Ink,
    /// Secondary text.
    Faint,
    /// Grid lines.
    Grid,
    /// A node like any other.
    Node,
    /// A node that is over the threshold or named by the verdict.
    Culprit,
    /// The threshold.
    Threshold,
}

/// Which end of a text its point is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// It ends there.
    End,
}

/// A point: x to the right, y down.
pub type Point = (f32, f32);

/// One thing drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Mark {
    /// A filled rectangle.
    Rect {
        /// Upper left corner.
        at: Point,
        /// Width and height.
        size: Point,
        /// What it is.
        role: Role,
    },
    /// A straight line, 1 pixel wide.
    Line {
        /// From.
        from: Point,
        /// To.
        to: Point,
        /// What it is.
        role: Role,
    },
    /// A broken line, 1.5 pixels wide.
    Polyline {
        /// Its corners.
        points: Vec<Point>,
        /// What it is.
        role: Role,
    },
    /// A text, centred vertically on its point.
    Text {
        /// Its point.
        at: Point,
        /// What it says.
        text: String,
        /// Height of the font.
        size_css_px: f32,
        /// Which end the point is.
        anchor: Anchor,
        /// What it is.
        role: Role,
    },
    /// A filled disc.
    Circle {
        /// Its centre.
        at: Point,
        /// Its radius.
        radius: f32,
        /// What it is.
        role: Role,
    },
}

impl Mark {
    fn move_down(&mut self, by: f32) {
        match self {
            Self::Line { from, to, .. } => {
                from.1 += by;
                to.1 += by;
            }
            Self::Polyline { points, .. } => points.iter_mut().for_each(|p| p.1 += by),
            Self::Rect { at, .. } | Self::Text { at, .. } | Self::Circle { at, .. } => at.1 += by,
        }
    }

    /// Gives the mark another role.
    pub fn set_role(&mut self, new: Role) {
        match self {
            Self::Rect { role, .. }
            | Self::Line { role, .. }
            | Self::Polyline { role, .. }
            | Self::Text { role, .. }
            | Self::Circle { role, .. } => *role = new,
        }
    }
}

/// A dense grid: one shade a cell, drawn as pixels under the marks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Raster {
    /// Upper left corner.
    pub at: Point,
    /// Width and height on the page.
    pub size: Point,
    /// Cells in a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// Shades of the sequential map row by row, 0 (none) to 255 (most).
    pub shades: Vec<u8>,
}

/// A place that answers to the pointer and to the arrow keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Upper left corner.
    pub at: Point,
    /// Width and height.
    pub size: Point,
    /// What is told of it, line by line.
    pub says: Vec<String>,
    /// The node that it stands for.
    pub node: Option<String>,
}

impl Hit {
    fn middle(&self) -> Point {
        (self.at.0 + self.size.0 / 2.0, self.at.1 + self.size.1 / 2.0)
    }

    fn contains(&self, p: Point) -> bool {
        p.0 >= self.at.0 && p.1 >= self.at.1 && p.0 < self.at.0 + self.size.0 && p.1 < self.at.1 + self.size.1
    }
}

/// The same content as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Column names, with units.
    pub headers: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as CSV (RFC 4180).
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut out = String::new();
        for row in std::iter::once(&self.headers).chain(&self.rows) {
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                if cell.contains([',', '"', '\n', '\r']) {
                    out.push('"');
                    out.push_str(&cell.replace('"', "\"\""));
                    out.push('"');
                } else {
                    out.push_str(cell);
                }
            }
            out.push_str("\r\n");
        }
        out
    }
}

/// Along which axis a [`Dial`] moves its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DialAxis {
    /// A vertical line that moves sideways.
    X,
    /// A horizontal line that moves up and down.
    Y,
}

/// Something judged by a dial's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Over the threshold if greater than the dial's value.
    pub score: f64,
    /// Indices of the marks that show it.
    pub marks: Vec<u32>,
    /// Row of the table whose last cell says `yes` or `no`.
    pub row: Option<u32>,
}

/// A threshold that can be moved without asking the worker again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dial {
    /// Where it stands.
    pub value: f64,
    /// Least and greatest score on the axis.
    pub range: (f64, f64),
    /// Pixels of these two.
    pub pixels: (f32, f32),
    /// Which way it moves.
    pub axis: DialAxis,
    /// Index of the mark that is its line.
    pub line: u32,
    /// What it judges.
    pub judged: Vec<Judged>,
}

/// A figure, ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The view's name.
    pub name: String,
    /// What it shows, as a heading.
    pub title: String,
    /// How to read it.
    pub how_to_read: String,
    /// Its width and height.
    pub size: Point,
    /// Dense layers, drawn first.
    pub rasters: Vec<Raster>,
    /// Everything else, in order of drawing.
    pub marks: Vec<Mark>,
    /// What answers to the pointer, in reading order.
    pub hits: Vec<Hit>,
    /// The table twin.
    pub table: Table,
    /// The threshold, if it has one.
    pub dial: Option<Dial>,
}

/// A step of the keyboard cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
    /// To the first.
    First,
    /// To the last.
    Last,
}

impl Scene {
    /// Adds a mark and returns its index; beyond the budget it is dropped.
    pub fn push(&mut self, mark: Mark) -> u32 {
        if self.marks.len() < MARK_BUDGET {
            self.marks.push(mark);
        }
        u32::try_from(self.marks.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Adds a text.
    pub fn text(&mut self, at: Point, text: impl Into<String>, anchor: Anchor, role: Role) -> u32 {
        self.push(Mark::Text { at, text: text.into(), size_css_px: axis::FONT_CSS_PX, anchor, role })
    }

    /// Adds a line.
    pub fn line(&mut self, from: Point, to: Point, role: Role) -> u32 {
        self.push(Mark::Line { from, to, role })
    }

    /// The scene with its title and a line of provenance above, for where no page around
    /// it says what it is.
    #[must_use]
    pub fn captioned(&self, provenance: &str) -> Self {
        const ROOM: f32 = 44.0;
        let mut scene = self.clone();
        scene.size.1 += ROOM;
        scene.rasters.iter_mut().for_each(|raster| raster.at.1 += ROOM);
        scene.marks.iter_mut().for_each(|mark| mark.move_down(ROOM));
        scene.hits.iter_mut().for_each(|hit| hit.at.1 += ROOM);
        let text = |y: f32, text: &str, size_css_px: f32, role: Role| {
            let text = text.to_owned();
            Mark::Text { at: (4.0, y), text, size_css_px, anchor: Anchor::Start, role }
        };
        scene.marks.push(text(12.0, &self.title, 14.0, Role::Ink));
        scene.marks.push(text(30.0, provenance, 11.0, Role::Faint));
        // Its pixels are those of the scene without the caption.
        scene.dial = None;
        scene
    }

    /// The hit under a point: the smallest that contains it.
    #[must_use]
    pub fn hit_at(&self, p: Point) -> Option<usize> {
        let area = |h: &Hit| h.size.0 * h.size.1;
        let under = self.hits.iter().enumerate().filter(|(_, h)| h.contains(p));
        under.min_by(|a, b| area(a.1).total_cmp(&area(b.1))).map(|(i, _)| i)
    }

    /// The hit that a step of the keyboard cursor leads to: the nearest in that direction,
    /// looking straight ahead rather than aside.
    #[must_use]
    pub fn hit_after(&self, from: Option<usize>, step: Step) -> Option<usize> {
        let last = self.hits.len().checked_sub(1)?;
        let Some(here) = from.and_then(|i| self.hits.get(i)) else { return Some(0) };
        let (x, y) = here.middle();
        let ahead = |h: &Hit| {
            let (dx, dy) = (h.middle().0 - x, h.middle().1 - y);
            match step {
                Step::Left => (-dx, dy),
                Step::Right => (dx, dy),
                Step::Up => (-dy, dx),
                Step::Down => (dy, dx),
                Step::First | Step::Last => (0.0, 0.0),
            }
        };
        match step {
            Step::First => Some(0),
            Step::Last => Some(last),
            _ => {
                let near = self.hits.iter().enumerate().filter_map(|(i, h)| {
                    let (forward, aside) = ahead(h);
                    (forward > 0.5).then_some((i, forward + 4.0 * aside.abs()))
                });
                near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i).or(from)
            }
        }
    }

    /// Moves the threshold: its line, the roles of what it judges, the table's last column.
    pub fn turn(&mut self, value: f64) {
        let Some(dial) = &mut self.dial else { return };
        dial.value = value.clamp(dial.range.0, dial.range.1);
        let span = dial.range.1 - dial.range.0;
        let share = if span > 0.0 { ((dial.value - dial.range.0) / span) as f32 } else { 0.0 };
        let px = axis::tenth(dial.pixels.0 + share * (dial.pixels.1 - dial.pixels.0));
        if let Some(Mark::Line { from, to, .. }) = self.marks.get_mut(dial.line as usize) {
            match dial.axis {
                DialAxis::X => (from.0, to.0) = (px, px),
                DialAxis::Y => (from.1, to.1) = (px, px),
            }
        }
        for judged in &dial.judged {
            let over = judged.score > dial.value;
            for mark in &judged.marks {
                if let Some(mark) = self.marks.get_mut(*mark as usize) {
                    mark.set_role(if over { Role::Culprit } else { Role::Node });
                }
            }
            let row = judged.row.and_then(|row| self.table.rows.get_mut(row as usize));
            if let Some(cell) = row.and_then(|row| row.last_mut()) {
                *cell = String::from(if over { "yes" } else { "no" });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(x: f32, y: f32, w: f32) -> Hit {
        Hit { at: (x, y), size: (w, 10.0), says: Vec::new(), node: None }
    }

    #[test]
    fn pointer_finds_the_smallest_hit() {
        let scene = Scene { hits: vec![hit(0.0, 0.0, 100.0), hit(10.0, 0.0, 5.0)], ..Scene::default() };
        assert_eq!(scene.hit_at((12.0, 5.0)), Some(1));
        assert_eq!(scene.hit_at((50.0, 5.0)), Some(0));
        assert_eq!(scene.hit_at((50.0, 15.0)), None);
    }

    #[test]
    fn arrow_keys_walk_a_grid_and_stop_at_its_edge() {
        let grid = [(0.0, 0.0), (20.0, 0.0), (0.0, 20.0), (20.0, 20.0)];
        let scene = Scene { hits: grid.iter().map(|&(x, y)| hit(x, y, 10.0)).collect(), ..Scene::default() };
        assert_eq!(scene.hit_after(None, Step::Right), Some(0));
        assert_eq!(scene.hit_after(Some(0), Step::Right), Some(1));
        assert_eq!(scene.hit_after(Some(1), Step::Down), Some(3));
        assert_eq!(scene.hit_after(Some(3), Step::Right), Some(3));
        assert_eq!(scene.hit_after(Some(3), Step::First), Some(0));
        assert_eq!(Scene::default().hit_after(None, Step::Left), None);
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let table = Table {
            headers: vec!["node".into(), "says, \"loud\"".into()],
            rows: vec![vec!["h1".into(), "a\nb".into()]],
        };
        assert_eq!(table.to_csv(), "node,\"says, \"\"loud\"\"\"\r\nh1,\"a\nb\"\r\n");
    }
}
