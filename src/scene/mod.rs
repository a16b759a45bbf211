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
//! A scene may have a [`Plot`] that pans and zooms: then the look's [`Viewport`] says which part
//! of the whole to lay out, and the answer says which part it is.
//!
//! Adding a view: its file here, one [`View`], its arm in `pipeline::layout`, a snapshot.

pub mod axis;
pub mod calls;
pub mod carried;
pub mod chosen;
pub mod cluster;
pub mod coverage;
mod dial;
pub mod differences;
pub mod evaluation;
pub mod facts;
pub mod flows;
mod hit;
mod hue;
pub mod jobs;
mod legend;
mod look;
mod names;
mod origin;
mod pairs;
pub mod peers;
mod plot;
pub mod search;
pub mod swimlanes;
pub mod system;
mod table;
mod view;
pub mod witnesses;

pub use dial::{Dial, DialAxis, Judged};
pub use hit::{Hit, Step};
pub use hue::Hue;
pub use look::{FaultTime, Look, Selection, Viewport};
pub use origin::{inputs_of, origin};
pub use plot::Plot;
pub use table::Table;
pub use view::View;

use crate::base::Timestamp;
use serde::{Deserialize, Serialize};

/// Marks in a scene at most: a canvas draws about a rectangle in 2 µs, and a frame has 16 ms
/// (twice over; dense grids are a [`Raster`] and cost nothing here).
pub const MARK_BUDGET: usize = 20_000;

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
    /// Background: what is white in print.
    Surface,
    /// Nothing ran there, or nothing is known.
    Idle,
    /// A step of the sequential map, 0 (least) to 255 (most).
    Shade(u8),
    /// A step of the map beside it, for what is less than it was, 0 (least) to 255 (most).
    Less(u8),
    /// Text or a stroke on that step of either.
    On(u8),
    /// A kind of state.
    Hue(Hue),
    /// What was killed.
    Killed,
    /// What failed.
    Failed,
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
    /// The border of a rectangle, drawn within it.
    Frame {
        /// Upper left corner.
        at: Point,
        /// Width and height.
        size: Point,
        /// Width of the border.
        width_css_px: f32,
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
            Self::Rect { at, .. } | Self::Frame { at, .. } | Self::Text { at, .. } | Self::Circle { at, .. } => {
                at.1 += by;
            }
        }
    }

    /// Gives the mark another role.
    pub fn set_role(&mut self, new: Role) {
        match self {
            Self::Rect { role, .. }
            | Self::Line { role, .. }
            | Self::Polyline { role, .. }
            | Self::Frame { role, .. }
            | Self::Text { role, .. }
            | Self::Circle { role, .. } => *role = new,
        }
    }
}

/// What the numbers of a [`Raster`] stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Palette {
    /// Steps of the sequential map.
    #[default]
    Shades,
    /// Indices of these roles; what is beyond them is [`Role::Surface`].
    Roles(Vec<Role>),
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
    /// One number a cell, row by row: by default shades of the sequential map, 0 (none) to
    /// 255 (most).
    pub shades: Vec<u8>,
    /// What the numbers stand for.
    pub palette: Palette,
}

/// The shade of a share, 0 to 1; none where it is not known.
fn shade(share: f64) -> u8 {
    (share.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The shade of a step of so many, the last of which is darkest.
fn shade_of_step(step: u8, last: u8) -> u8 {
    (u16::from(step) * 255 / u16::from(last)) as u8
}

impl Raster {
    /// Shades of the sequential map, in so many columns and rows.
    #[must_use]
    pub fn of_shades(at: Point, size: Point, (columns, rows): (usize, usize), shades: Vec<u8>) -> Self {
        let [columns, rows] = [columns, rows].map(|count| u32::try_from(count).unwrap_or_default());
        Self { at, size, columns, rows, shades, palette: Palette::Shades }
    }
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
    /// What to do with it on the page, beside panning and zooming; on paper it is left out.
    pub what_to_do: String,
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
    /// The table has not all that the figure shows: it sums that up, or has the first of many rows.
    pub summed_up: bool,
    /// Nodes stand in it as squares without their names, row by row: a picture, at which nobody can point, tells them below.
    pub names_below: bool,
    /// So many columns at the table's end are the logs' own words, known to them alone. The last two name a line: its file,
    /// and its number there.
    pub log_columns: usize,
    /// Of paths: how many groups there are to choose from.
    pub groups: usize,
    /// Of a list that is shown in part: how many are passed over.
    pub from: u32,
    /// And how many come after those shown.
    pub after: u32,
    /// The threshold, if it has one.
    pub dial: Option<Dial>,
    /// What pans and zooms, if anything does.
    pub plot: Option<Plot>,
}

impl Scene {
    /// Adds a mark and returns its index; beyond the budget it is dropped.
    pub fn push(&mut self, mark: Mark) -> u32 {
        if self.marks.len() < MARK_BUDGET {
            self.marks.push(mark);
        }
        u32::try_from(self.marks.len().saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Adds a text, in a role that can be read as one.
    pub fn text(&mut self, at: Point, text: impl Into<String>, anchor: Anchor, role: Role) -> u32 {
        debug_assert!(!matches!(role, Role::Node | Role::Grid | Role::Idle), "{role:?} is too faint for a text");
        self.push(Mark::Text { at, text: text.into(), size_css_px: axis::FONT_CSS_PX, anchor, role })
    }

    /// Adds a text in the middle of which `at` is, or beside which, where it would be cut.
    pub fn text_around(&mut self, at: Point, text: String, role: Role) -> u32 {
        let half = axis::label_width_css_px(&text) / 2.0;
        let (x, anchor) = match (at.0 < half, at.0 + half > self.size.0) {
            (true, _) => (0.0, Anchor::Start),
            (_, true) => (self.size.0, Anchor::End),
            _ => (at.0, Anchor::Middle),
        };
        self.text((x, at.1), text, anchor, role)
    }

    /// Adds words in lines of this height that fit a width, the first at `at`; returns where the next
    /// would be.
    pub fn paragraph(&mut self, at: Point, (width_css_px, line_css_px): Point, text: &str, role: Role) -> f32 {
        let mut y = at.1;
        for line in axis::wrapped(text, width_css_px) {
            self.text((at.0, axis::tenth(y)), line, Anchor::Start, role);
            y += line_css_px;
        }
        y
    }

    /// Adds a line.
    pub fn line(&mut self, from: Point, to: Point, role: Role) -> u32 {
        self.push(Mark::Line { from, to, role })
    }

    /// Marks on an axis of time since when the culprits are at fault, and until when, from the upper to the lower end of a plot.
    pub fn mark_since(&mut self, axis: axis::Axis, (top, bottom): (f32, f32), look: &Look) {
        let seen = |at: Timestamp| (axis.range.0..=axis.range.1).contains(&(at.millis() as f64));
        let ends = |fault: &FaultTime| [("since", fault.since), ("until", fault.until)];
        let marks =
            look.faults.iter().flat_map(|f| ends(f).into_iter().filter_map(|(word, at)| Some((&f.node, word, at?))));
        for (i, (node, word, at)) in marks.enumerate().filter(|(_, (.., at))| seen(*at)) {
            let px = axis.px(at.millis() as f64);
            let text = if look.faults.len() > 1 { format!("{node} {word}") } else { word.to_owned() };
            self.line((px, top), (px, bottom), Role::Culprit);
            let wide = axis::label_width_css_px(&text);
            let x = if px + wide + 3.0 > self.size.0 { px - wide - 3.0 } else { px + 3.0 };
            // Those of several culprits stand below each other, and not on what is drawn there.
            let y = top + 1.0 + axis::FONT_CSS_PX * i as f32;
            let size = (axis::tenth(wide), axis::FONT_CSS_PX);
            self.push(Mark::Rect { at: (axis::tenth(x), y), size, role: Role::Surface });
            self.text((axis::tenth(x), y + axis::FONT_CSS_PX / 2.0), text, Anchor::Start, Role::Culprit);
        }
    }

    /// Lets a stretch of time be chosen on a plot, and marks the one that is: its ends, and a
    /// bar along the top.
    pub fn choose_time(&mut self, plot: Plot, axis: axis::Axis, chosen: Option<(Timestamp, Timestamp)>) {
        const BAR_CSS_PX: f32 = 2.0;
        let (top, bottom) = (plot.at.1, plot.at.1 + plot.size.1);
        let seen = |ms: i64| (axis.range.0..=axis.range.1).contains(&(ms as f64));
        if let Some((from, to)) = chosen {
            let [from, to] = [from, to].map(Timestamp::millis);
            for end in [from, to].into_iter().filter(|ms| seen(*ms)) {
                let px = axis.px(end as f64);
                self.line((px, top), (px, bottom), Role::Ink);
            }
            if (to as f64) >= axis.range.0 && (from as f64) <= axis.range.1 {
                let (left, right) = (axis.px(from as f64), axis.px(to as f64));
                self.push(Mark::Rect { at: (left, top), size: (right - left, BAR_CSS_PX), role: Role::Ink });
            }
        }
        self.plot = Some(plot);
    }

    /// What drew the scene, at which threshold, and of what (see [`mod@origin`]).
    #[must_use]
    pub fn provenance(&self, origin: &str) -> String {
        let threshold = self.dial.as_ref().map(|dial| format!(", threshold {:.3}", dial.value)).unwrap_or_default();
        format!("oddnode {}, {}{threshold}{origin}", env!("CARGO_PKG_VERSION"), self.name)
    }

    /// The scene with another one below it, which keeps its title: a picture, of which nothing answers and no table tells.
    #[must_use]
    pub fn above(mut self, below: Self) -> Self {
        let Self { rasters, mut marks, title, size, .. } = below;
        let room = (self.size.0.max(size.0) - 8.0, axis::LINE_CSS_PX);
        let middle = (4.0, self.size.1 + axis::LINE_CSS_PX);
        let by = self.paragraph(middle, room, &title, Role::Ink);
        self.rasters.extend(rasters.into_iter().map(|raster| Raster { at: (raster.at.0, raster.at.1 + by), ..raster }));
        marks.iter_mut().for_each(|mark| mark.move_down(by));
        self.marks.extend(marks);
        self.size = (self.size.0.max(size.0), by + size.1);
        Self { hits: Vec::new(), table: Table::default(), dial: None, plot: None, ..self }
    }

    /// The scene with its title and lines of provenance above, and below it the nodes that only a tooltip
    /// would name: for where no page is around it.
    #[must_use]
    pub fn captioned(&self, provenance: &str) -> Self {
        // From the left edge; from the last line to what is drawn.
        const LEFT_CSS_PX: f32 = 4.0;
        const GAP_CSS_PX: f32 = 6.0;
        let mut scene = self.clone();
        let mut caption = 3.0;
        for (text, size_css_px, role) in [(self.title.as_str(), 14.0, Role::Ink), (provenance, 11.0, Role::Faint)] {
            let room = (self.size.0 - 2.0 * LEFT_CSS_PX) * axis::FONT_CSS_PX / size_css_px;
            for text in axis::wrapped(text, room) {
                let at = (LEFT_CSS_PX, caption + size_css_px / 2.0 + 2.0);
                scene.marks.push(Mark::Text { at, text, size_css_px, anchor: Anchor::Start, role });
                caption += size_css_px + 4.0;
            }
        }
        caption += GAP_CSS_PX;
        scene.size.1 += caption;
        scene.rasters.iter_mut().for_each(|raster| raster.at.1 += caption);
        scene.marks.iter_mut().take(self.marks.len()).for_each(|mark| mark.move_down(caption));
        scene.hits.iter_mut().for_each(|hit| hit.at.1 += caption);
        // What the page tells of who is pointed at.
        for line in jobs::names(self, self.size.0 - 8.0) {
            let (at, size_css_px, anchor) = ((LEFT_CSS_PX, scene.size.1 + 8.0), axis::FONT_CSS_PX, Anchor::Start);
            scene.marks.push(Mark::Text { at, text: line, size_css_px, anchor, role: Role::Faint });
            scene.size.1 += 18.0;
        }
        // Its pixels are those of the scene without the caption.
        scene.dial = None;
        scene.plot = None;
        scene
    }
}
