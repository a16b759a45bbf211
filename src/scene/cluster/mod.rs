//! The anomaly heatmap (T07–T09): nodes down, jobs by start time across, a cell as dark as
//! the node's anomaly score in the job.
//!
//! ```text
//!           ░░░▓░░░░░▓▓▓░░░    most of any node
//! cloud07   ░░·░░░░░░▓▓▓▓░░    ▓      a run of dark cells: that node's disk
//! cloud08   ░░░▓··░░░░░░░░░    ░      grey (·): it ran nothing, so nothing is known (T24)
//! ```
//! Seen from afar a cell is two pixels or less, and where several fall on one pixel the most
//! anomalous is shown; near, cells carry their numbers. The margins hold the highest score of
//! each job and the mean of each node. A frame surrounds each incident.
//! Cost: O(nodes × jobs shown); pixels and marks do not grow with the cells.

mod answers;
mod grid;
mod order;

use crate::base::Gathered;
pub use grid::Kept;
use grid::{Cell, Grid};

use super::axis::{FONT_CSS_PX, LINE_CSS_PX, date_and_clock, from_to, tenth};
use super::jobs::JobsShown;
use super::legend::{Legend, strip};
use super::names::{Hosts, NameColumn};
use super::{Anchor, Hit, Look, Mark, Palette, Plot, Raster, Role, Scene, Selection, View, shade_of_step};
use crate::base::quantity::{counted, grouped, trimmed};
use crate::report::heatmap::SCORE_STEPS;
use std::collections::BTreeMap;

/// Height of a row when all are shown: a label's where they are few, two pixels (T08) where
/// they are many.
const ROW_MAX_CSS_PX: f32 = 16.0;
const ROW_MIN_CSS_PX: f32 = 2.0;
/// Height that the rows together should keep to.
const ROWS_CSS_PX: f32 = 520.0;
/// Rows from this height on carry their nodes' names.
const LABELLED_CSS_PX: f32 = FONT_CSS_PX - 1.0;
/// A cell of this width and height carries its score.
const NUMBERED_CSS_PX: (f32, f32) = (34.0, 12.0);
/// Cells and rows of the greatest zoom.
const LEAST_COLUMNS: f64 = 8.0;
const LEAST_ROWS: f64 = 4.0;
/// Room for the margins: above and at the right.
const TOP_CSS_PX: f32 = 36.0;
const MARGIN_CSS_PX: f32 = 9.0;
const MARGIN_GAP_CSS_PX: f32 = 3.0;
/// Room below for times, the name of the axis and the legend.
const BOTTOM_CSS_PX: f32 = 56.0 + LINE_CSS_PX;

fn palette() -> Palette {
    let shades = (0..SCORE_STEPS).map(|step| Role::Shade(shade_of_step(step, SCORE_STEPS - 1)));
    Palette::Roles(std::iter::once(Role::Idle).chain(shades).chain([Role::Faint, Role::Surface]).collect())
}

/// A range of rows or columns that is looked at, on its pixels.
#[derive(Clone, Copy, Debug)]
struct Range {
    from: usize,
    to: usize,
    at: f32,
    size: f32,
}

impl Range {
    fn of(count: usize, part: (f64, f64), at: f32, size: f32) -> Self {
        let from = ((part.0 * count as f64).round() as usize).min(count.saturating_sub(1));
        let to = ((part.1 * count as f64).round() as usize).clamp(from + 1, count.max(from + 1));
        Self { from, to, at, size }
    }

    const fn len(self) -> usize {
        self.to - self.from
    }

    fn each(self) -> f32 {
        self.size / self.len() as f32
    }

    fn px(self, i: usize) -> f32 {
        tenth(self.at + self.each() * (i as f32 - self.from as f32))
    }

    /// Cells that share one pixel.
    fn folded(self) -> usize {
        self.len().div_ceil((self.size as usize).max(1)).max(1)
    }
}

/// Lays out the heatmap.
#[must_use]
pub fn lay_out(shown: &JobsShown<'_>, look: &Look, kept: &mut Option<Kept>) -> Scene {
    let Kept { grid, table, .. } = Kept::of(kept, shown, look);
    let mut scene = Scene {
        name: View::Cluster.name().to_owned(),
        title: String::from("Anomaly of each node in each job"),
        how_to_read: String::from(
            "One row for each node, one column for each job in order of start. The stronger the colour, the more the \
             node's tasks of that job differ from its peers' (how long they took, how much they moved, how many failed). \
             A run of strong cells in one row, over jobs of several users: that node is failing; such runs are framed. \
             A strong column: that job is uneven everywhere. Grey: nothing of the job ran there, so nothing is known of \
             the node; a stronger grey: it was blacklisted; blank: what ran there cannot be compared, as fewer than three \
             nodes worked for the job. At the right the mean of each node, above the highest of each \
             job.",
        ),
        what_to_do: String::from("Zoom in for the numbers."),
        size: (look.width_css_px, 60.0),
        ..Scene::default()
    };
    if grid.jobs.is_empty() || grid.nodes.is_empty() {
        scene.text((0.0, 30.0), "No job fits this choice.", Anchor::Start, Role::Faint);
        return scene;
    }
    let names = || grid.nodes.iter().map(|n| shown.trace.node_name(*n));
    let left = tenth(NameColumn::NARROW.width_css_px(&mut names(), 8.0, look.width_css_px));
    let width = tenth((look.width_css_px - left - MARGIN_GAP_CSS_PX - MARGIN_CSS_PX - 2.0).max(40.0));
    let row_css_px = (ROWS_CSS_PX / grid.nodes.len() as f32).clamp(ROW_MIN_CSS_PX, ROW_MAX_CSS_PX);
    let height = tenth(row_css_px * grid.nodes.len() as f32);
    scene.size.1 = TOP_CSS_PX + height + BOTTOM_CSS_PX;
    let columns = Range::of(grid.jobs.len(), look.viewport.x, left, width);
    let rows = Range::of(grid.nodes.len(), look.viewport.y, TOP_CSS_PX, height);
    let figure = Figure { shown, grid, hosts: Hosts::of(&mut names()), columns, rows, look };
    figure.rasters(&mut scene);
    figure.labels(&mut scene);
    figure.numbers(&mut scene);
    figure.incidents(&mut scene);
    figure.choice(&mut scene);
    figure.hits(&mut scene);
    figure.legend(&mut scene, TOP_CSS_PX + height);
    scene.plot = Some(Plot {
        at: (left, TOP_CSS_PX),
        size: (width, height),
        shown: look.viewport,
        least: ((LEAST_COLUMNS / grid.jobs.len() as f64).min(1.0), (LEAST_ROWS / grid.nodes.len() as f64).min(1.0)),
        times_ms: None,
    });
    scene.table = table.clone();
    scene.summed_up = !grid.has_all();
    scene
}

struct Figure<'a> {
    shown: &'a JobsShown<'a>,
    grid: &'a Grid,
    hosts: Hosts,
    columns: Range,
    rows: Range,
    look: &'a Look,
}

impl Figure<'_> {
    fn name(&self, row: usize) -> &str {
        self.grid.nodes.get(row).map_or("", |node| self.shown.trace.node_name(*node))
    }

    fn rasters(&self, scene: &mut Scene) {
        let (across, down) = (self.columns.folded(), self.rows.folded());
        let (wide, high) = (self.columns.len().div_ceil(across), self.rows.len().div_ceil(down));
        let mut cells = vec![Cell::Empty; wide * high];
        for row in self.rows.from..self.rows.to {
            let cells_of_row = self.grid.row(row).get(self.columns.from..self.columns.to).unwrap_or_default();
            for (i, cell) in cells_of_row.iter().enumerate() {
                if let Some(pixel) = cells.get_mut((row - self.rows.from) / down * wide + i / across) {
                    *pixel = pixel.or(*cell);
                }
            }
        }
        let mut above = vec![Cell::Empty; wide];
        for row in cells.chunks(wide) {
            above.iter_mut().zip(row).for_each(|(most, cell)| *most = most.or(*cell));
        }
        let margins = (self.rows.from..self.rows.to).map(|row| self.grid.margin(row));
        let beside: Vec<Cell> =
            margins.collect::<Vec<_>>().chunks(down).map(|c| c.iter().fold(Cell::Empty, |a, b| a.or(*b))).collect();
        let (left, top) = (self.columns.at, self.rows.at);
        let mut raster = |at, size, columns: usize, rows: usize, cells: &[Cell]| {
            let indices = cells.iter().map(|c| c.index(self.grid.most)).collect();
            let raster = Raster::of_shades(at, size, (columns, rows), indices);
            scene.rasters.push(Raster { palette: palette(), ..raster });
        };
        raster((left, top), (self.columns.size, self.rows.size), wide, high, &cells);
        raster((left, top - MARGIN_GAP_CSS_PX - MARGIN_CSS_PX), (self.columns.size, MARGIN_CSS_PX), wide, 1, &above);
        let right = left + self.columns.size + MARGIN_GAP_CSS_PX;
        raster((right, top), (MARGIN_CSS_PX, self.rows.size), 1, beside.len(), &beside);
    }

    /// Names of the rows: all where there is room, else of those that stand out.
    fn labels(&self, scene: &mut Scene) {
        let troubled = self.shown.troubled();
        let mut last = f32::NEG_INFINITY;
        for row in self.rows.from..self.rows.to {
            let is_troubled = self.grid.nodes.get(row).is_some_and(|n| troubled.contains(n));
            let marked = if is_troubled { Some(Role::Culprit) } else { self.look.marked(self.name(row)) };
            let middle = self.rows.px(row) + self.rows.each() / 2.0;
            let fits = self.rows.each() >= LABELLED_CSS_PX || (marked.is_some() && middle - last >= LABELLED_CSS_PX);
            if fits {
                // The room was rounded to a tenth of a pixel.
                let text = self.hosts.fitted(self.name(row), self.columns.at - 7.9);
                scene.text((self.columns.at - 6.0, tenth(middle)), text, Anchor::End, marked.unwrap_or(Role::Faint));
                last = middle;
            }
        }
        let of = |all: Option<u64>| all.map_or_else(String::new, |all| format!(" of {}", grouped(all)));
        let total = format!(
            "{}{}, {}{} in order of start",
            counted(self.grid.nodes.len() as u64, "node"),
            of(self.shown.whole.map(|(nodes, _)| nodes)),
            counted(self.grid.jobs.len() as u64, "job"),
            of(self.shown.whole.map(|(_, jobs)| jobs)),
        );
        scene.text((0.0, 8.0), total, Anchor::Start, Role::Faint);
        let start = |column: usize| {
            let job = self.grid.jobs.get(column).and_then(|i| self.shown.survey.jobs().get(*i))?;
            Some(date_and_clock(job.start?.millis(), self.shown.trace.zone()))
        };
        let y = self.rows.at + self.rows.size + 12.0;
        let right = self.columns.at + self.columns.size;
        if let Some(text) = start(self.columns.from) {
            scene.text((self.columns.at, y), text, Anchor::Start, Role::Faint);
        }
        let middle = (self.columns.at + self.columns.size / 2.0, y + LINE_CSS_PX);
        scene.text_around(middle, String::from("Job ID (sorted by start time)"), Role::Faint);
        let has_two_ends = self.columns.size > 300.0 && self.columns.from + 1 < self.columns.to;
        if let Some(text) = start(self.columns.to - 1).filter(|_| has_two_ends) {
            scene.text((right, y), text, Anchor::End, Role::Faint);
        }
    }

    /// The scores, where cells are near enough to be read.
    fn numbers(&self, scene: &mut Scene) {
        if self.columns.each() < NUMBERED_CSS_PX.0 || self.rows.each() < NUMBERED_CSS_PX.1 {
            return;
        }
        for row in self.rows.from..self.rows.to {
            let y = tenth(self.rows.px(row) + self.rows.each() / 2.0);
            for column in self.columns.from..self.columns.to {
                let cell = self.grid.row(row).get(column).copied().unwrap_or(Cell::Empty);
                let x = tenth(self.columns.px(column) + self.columns.each() / 2.0);
                let (text, role) = match cell {
                    Cell::Empty => continue,
                    Cell::Blacklisted => ("black".to_owned(), Role::Surface),
                    Cell::Alone => ("–".to_owned(), Role::Faint),
                    Cell::Score(score) => (
                        format!("{score:.2}"),
                        Role::On(shade_of_step(cell.index(self.grid.most) - 1, SCORE_STEPS - 1)),
                    ),
                };
                scene.text((x, y), text, Anchor::Middle, role);
            }
        }
    }

    fn column_of(&self, job: crate::base::JobId) -> Option<usize> {
        let jobs = self.shown.survey.jobs();
        self.grid.jobs.iter().position(|i| jobs.get(*i).is_some_and(|j| j.id == job))
    }

    /// A frame around each incident that is in sight.
    fn incidents(&self, scene: &mut Scene) {
        let columns: BTreeMap<crate::base::JobId, usize> = {
            let jobs = self.shown.survey.jobs();
            self.grid.jobs.iter().enumerate().filter_map(|(c, i)| Some((jobs.get(*i)?.id, c))).gathered()
        };
        for incident in &self.shown.incidents {
            let Some(row) = self.grid.nodes.iter().position(|n| *n == incident.node) else { continue };
            let of_jobs = || incident.jobs.iter().filter_map(|job| columns.get(job).copied());
            let (Some(from), Some(to)) = (of_jobs().min(), of_jobs().max()) else { continue };
            let in_sight =
                (self.rows.from..self.rows.to).contains(&row) && from < self.columns.to && to >= self.columns.from;
            if !in_sight {
                continue;
            }
            let left = self.columns.px(from.max(self.columns.from)) - 2.0;
            let right = self.columns.px((to + 1).min(self.columns.to)) + 2.0;
            let (at, size) = ((left, self.rows.px(row) - 2.0), (right - left, self.rows.each() + 4.0));
            scene.push(Mark::Frame { at, size, width_css_px: 1.5, role: Role::Culprit });
            scene.hits.push(Hit {
                at,
                size,
                says: vec![
                    format!("{}: {} jobs in a row", self.name(row), incident.jobs.len()),
                    incident.text.to_owned(),
                    from_to(incident.span.0.millis(), incident.span.1.millis(), self.shown.trace.zone()),
                ],
                node: Some(self.name(row).to_owned()),
                picks: Some(Box::new(Selection { span: Some(incident.span), ..Selection::default() })),
            });
        }
    }

    /// Lines along the chosen node and job.
    fn choice(&self, scene: &mut Scene) {
        let (left, top) = (self.columns.at, self.rows.at);
        let chosen = self.look.selection.node.as_deref();
        if let Some(row) = (self.rows.from..self.rows.to).find(|row| chosen == Some(self.name(*row))) {
            let (y, below) = (self.rows.px(row), self.rows.px(row + 1));
            for y in [y - 0.5, below + 0.5] {
                scene.line((left, y), (left + self.columns.size, y), Role::Ink);
            }
        }
        let column = self.look.selection.job.and_then(|job| self.column_of(job));
        if let Some(column) = column.filter(|c| (self.columns.from..self.columns.to).contains(c)) {
            let (x, beyond) = (self.columns.px(column), self.columns.px(column + 1));
            for x in [x - 0.5, beyond + 0.5] {
                scene.line((x, top), (x, top + self.rows.size), Role::Ink);
            }
        }
    }

    fn legend(&self, scene: &mut Scene, bottom: f32) {
        let y = bottom + 24.0 + LINE_CSS_PX;
        let left = self.columns.at;
        let width = 128.0_f32.min(self.columns.size * 0.4);
        // Shades go by the root of the score.
        let score = |share: f32| trimmed(f64::from(share * share * self.grid.most), 2);
        let [half, top] = [0.5, 1.0].map(score);
        let words = [(0.0, "0", Anchor::Start), (0.5, &half, Anchor::Middle), (1.0, &top, Anchor::End)];
        strip(scene, (left, y), width, ((1..=SCORE_STEPS).collect(), palette()), &words);
        let mut legend = Legend::at(left + width + 20.0, y + 4.0);
        for (role, text) in [(Role::Idle, "ran nothing"), (Role::Faint, "blacklisted")] {
            legend.swatch(scene, role, text);
        }
        let mut framed = vec![("not comparable", 1.0, Role::Faint)];
        if !self.shown.incidents.is_empty() {
            framed.push(("a run of anomalies", 1.5, Role::Culprit));
        }
        for (words, width_css_px, role) in framed {
            let (at, size) = legend.swatch(scene, Role::Surface, words);
            scene.push(Mark::Frame { at, size, width_css_px, role });
        }
        let y = legend.bottom().max(y + 26.0) + 8.0;
        let words = "0: as its peers; strips: mean of a node, highest of a job";
        scene.size.1 = scene.paragraph((0.0, y), (scene.size.0, LINE_CSS_PX), words, Role::Faint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixel_of_several_cells_shows_the_most_anomalous() {
        assert_eq!(Cell::Empty.or(Cell::Score(0.1)).or(Cell::Score(0.7)), Cell::Score(0.7));
        assert_eq!(Cell::Blacklisted.or(Cell::Empty), Cell::Blacklisted);
        assert_eq!(Cell::Blacklisted.or(Cell::Score(0.0)), Cell::Score(0.0));
        assert_eq!(Cell::Blacklisted.or(Cell::Alone), Cell::Alone, "something ran");
    }

    #[test]
    fn grey_and_the_lowest_score_differ() {
        let index = |cell: Cell| cell.index(1.0);
        assert_eq!([Cell::Empty, Cell::Score(0.0), Cell::Score(1.0)].map(index), [0, 1, SCORE_STEPS]);
        assert_eq!(Cell::Score(2.2).index(2.2), SCORE_STEPS, "to the letter a score has no end");
        let Palette::Roles(roles) = palette() else { panic!("roles") };
        assert_eq!(roles.len(), usize::from(SCORE_STEPS) + 3);
        assert_eq!((roles[0], roles[1], roles[64]), (Role::Idle, Role::Shade(0), Role::Shade(255)));
        assert_eq!(roles[usize::from(index(Cell::Blacklisted))], Role::Faint);
        assert_eq!(roles[usize::from(index(Cell::Alone))], Role::Surface);
    }

    #[test]
    fn range_is_never_empty_nor_beyond_its_end() {
        let range = |part| {
            let r = Range::of(10, part, 0.0, 100.0);
            (r.from, r.to)
        };
        assert_eq!((range((0.0, 1.0)), range((0.5, 0.5)), range((1.0, 1.0))), ((0, 10), (5, 6), (9, 10)));
        assert_eq!(Range::of(1200, (0.0, 1.0), 0.0, 900.0).folded(), 2);
        assert_eq!(Range::of(1200, (0.0, 0.5), 0.0, 900.0).folded(), 1);
    }
}
