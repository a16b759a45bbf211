//! The lanes of a node: one for each metric, a line or a row of shades, with its label and what it answers.
//!
//! ```text
//! user, %   ▁▂▇▇▇▇▂▁  100      few nodes: lines, from the least to the greatest value in each pixel
//! ░░▒▒▓▓▓▓▒▒░░                 many: shades, by the greatest
//! ```
//! What was not measured is left empty. Cost: O(columns) a lane.

use super::columns::{self, Cell};
use super::words::number;
use super::{BAR_ROOM_CSS_PX, LABELLED_NODES, LEAST_SHADE, LINED_NODES, Layout, NAME_CSS_PX};
use crate::base::NodeId;
use crate::model::Metric;
use crate::scene::axis::{Axis, fitted, from_to, label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Mark, Point, Raster, Role, Scene};

/// Heights of a lane: with a label, with a line, with a shade.
const LABELLED_CSS_PX: f32 = 16.0;
const LINED_CSS_PX: f32 = 10.0;
const SHADED_CSS_PX: f32 = 3.0;
/// Between lanes; between those of shades there is nothing.
pub(super) const LANE_GAP_CSS_PX: f32 = 1.0;
/// From the lower end of a lane to the middle of its label, which stands on the lane's line.
const LABEL_UP_CSS_PX: f32 = 4.5;
/// Empty columns up to here are bridged: samples do not come to the millisecond.
const BRIDGED: usize = 1;

/// How the lanes of the nodes look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    Labelled,
    Lined,
    Shaded,
}

impl Lane {
    pub(super) const fn for_nodes(nodes: usize) -> Self {
        if nodes <= LABELLED_NODES {
            Self::Labelled
        } else if nodes <= LINED_NODES {
            Self::Lined
        } else {
            Self::Shaded
        }
    }

    const fn height(self) -> f32 {
        match self {
            Self::Labelled => LABELLED_CSS_PX,
            Self::Lined => LINED_CSS_PX,
            Self::Shaded => SHADED_CSS_PX,
        }
    }

    /// From one lane to the next.
    pub(super) const fn step(self) -> f32 {
        match self {
            Self::Shaded => SHADED_CSS_PX,
            Self::Labelled | Self::Lined => self.height() + LANE_GAP_CSS_PX,
        }
    }

    /// From a node's top to its first lane. Lanes of shades have no labels, so names have the room at their left.
    pub(super) const fn head(self) -> f32 {
        match self {
            Self::Shaded => BAR_ROOM_CSS_PX,
            Self::Labelled | Self::Lined => NAME_CSS_PX,
        }
    }
}

impl Layout<'_> {
    pub(super) fn lane(&self, scene: &mut Scene, metric: Metric, cells: &[Cell], y: f32, role: Role) {
        let height = self.lane.height();
        let greatest = self.greatest.get(metric.place()).copied().unwrap_or(1.0);
        if self.lane == Lane::Shaded {
            let shade = |cell: &Cell| match cell.1 {
                value if value.is_nan() => 0,
                value => {
                    (LEAST_SHADE + (f32::from(u8::MAX) - LEAST_SHADE) * (value / greatest as f32).clamp(0.0, 1.0)) as u8
                }
            };
            let (size, shades) = ((self.right - self.left, height), cells.iter().map(shade).collect());
            scene.rasters.push(Raster::of_shades((self.left, y), size, (cells.len(), 1), shades));
            return;
        }
        let axis = Axis::linear((0.0, greatest), (y + height - 0.5, y + 0.5));
        scene.line((self.left, y + height), (self.right, y + height), Role::Grid);
        for points in self.runs(cells, axis) {
            match points.as_slice() {
                [at] => scene.push(Mark::Circle { at: *at, radius: 1.0, role }),
                _ => scene.push(Mark::Polyline { points, role }),
            };
        }
    }

    /// The lines of a lane, broken where nothing was measured.
    fn runs(&self, cells: &[Cell], axis: Axis) -> Vec<Vec<Point>> {
        let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
        let mut empty = 0;
        for (column, (least, greatest)) in cells.iter().enumerate() {
            if least.is_nan() {
                empty += 1;
                continue;
            }
            if std::mem::take(&mut empty) > BRIDGED {
                runs.push(Vec::new());
            }
            let x = tenth(self.left + (column as f32 + 0.5) * self.column_px());
            let (low, high) = (axis.px(f64::from(*least)), axis.px(f64::from(*greatest)));
            let Some(run) = runs.last_mut() else { continue };
            // The end nearer to where the line is comes first.
            let down = run.last().is_some_and(|(_, y)| (y - low).abs() > (y - high).abs());
            let (near, far) = if down { (high, low) } else { (low, high) };
            run.push((x, near));
            if near != far {
                run.push((x, far));
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    pub(super) fn labels(&self, scene: &mut Scene, metric: Metric, y: f32, first: bool) {
        let middle = y + self.lane.height() - LABEL_UP_CSS_PX;
        if self.lane == Lane::Labelled {
            let room = self.left - 6.0;
            // Where there is no room for the unit, the table has it.
            let whole = format!("{}, {}", metric.name(), metric.unit());
            let label = if label_width_css_px(&whole) <= room { whole } else { fitted(metric.name(), room) };
            scene.text((room, middle), label, Anchor::End, Role::Faint);
        }
        if first && self.lane == Lane::Labelled {
            let end = number(self.greatest.get(metric.place()).copied().unwrap_or_default());
            scene.text((self.right + 6.0, y + 5.0), end, Anchor::Start, Role::Faint);
        }
    }

    pub(super) fn hits(&self, scene: &mut Scene, node: NodeId, (metric, cells): (Metric, &[Cell]), y: f32) {
        let parts = self.parts;
        let (name, unit) = (metric.name(), metric.unit());
        for part in 0..parts {
            let bound = |part: usize| part * cells.len() / parts;
            let (from, to) = (bound(part), bound(part + 1));
            let (least, greatest) = cells
                .get(from..to)
                .unwrap_or_default()
                .iter()
                .fold(columns::NOTHING, |all, cell| columns::with(all, *cell));
            let value = match least {
                least if least.is_nan() => String::from("not measured"),
                least if least == greatest => format!("{} {unit}", number(f64::from(least))),
                least => format!("{} to {} {unit}", number(f64::from(least)), number(f64::from(greatest))),
            };
            let span = from_to(self.time.begin_ms(from), self.time.begin_ms(to), self.trace.zone());
            scene.hits.push(Hit {
                at: (self.left + from as f32 * self.column_px(), y),
                size: ((to - from) as f32 * self.column_px(), self.lane.step()),
                says: vec![format!("{}: {name}", self.trace.node_name(node)), value, span],
                node: Some(self.trace.node_name(node).to_owned()),
                ..Hit::default()
            });
        }
    }
}
