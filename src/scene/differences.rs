//! Two runs compared, node by node and state by state: how many times longer a node's states
//! take than they did.
//!
//! ```text
//!        Map  Reduce  WriteBlock
//! h101   1.0     1.1         0.9
//! h103   2.2     1.9        12.1   dark: far from what it was, slower in one hue, faster in another
//! ```

use super::axis::{FONT_CSS_PX, fitted, label_width_css_px, tenth};
use super::legend::{Legend, strip};
use super::names::{Hosts, NameColumn};
use super::{Anchor, Hit, Look, Palette, Point, Raster, Role, Scene, Table, View, shade_of_step};
use crate::base::quantity::{of_millis, ratio, trimmed};
use crate::base::{Arrange, Gathered};
use crate::report::compare::{Difference, StateChange};
use std::collections::BTreeSet;

/// Height of a row with its label; many nodes get thinner ones.
const ROW_MAX_CSS_PX: f32 = 22.0;
/// Height that all rows together may take.
const ROWS_CSS_PX: f32 = 720.0;
/// Widths of a column: the widest, and the least that can still be seen.
const COLUMN_MAX_CSS_PX: f32 = 120.0;
const COLUMN_LEAST_CSS_PX: f32 = 8.0;
/// Room above for one line of columns' names, and for each line more.
const TOP_CSS_PX: f32 = 24.0;
const LINE_CSS_PX: f32 = 14.0;
/// Lines of names at the most, and between two names in one.
const LINES: f32 = 8.0;
const GAP_CSS_PX: f32 = 8.0;
/// A cell of this width and height carries its number.
const NUMBERED_CSS_PX: Point = (34.0, 12.0);
/// Width of the strip of shades, and what it keeps on a figure that is hardly as wide.
const STRIP_CSS_PX: f32 = 240.0;
const STRIP_LEAST_CSS_PX: f32 = 40.0;
/// Eight times as long, or an eighth, is as dark as it gets.
const DARKEST: f64 = 8.0;
/// Steps of the map each way.
const STEPS: u8 = 63;
/// What is unchanged; below it is what got faster, above it what got slower, and 0 is what cannot be compared.
const UNCHANGED: u8 = 1 + STEPS;

/// Both maps are as light at the same step from unchanged.
fn palette() -> Palette {
    let faster = (1..=STEPS).rev().map(|step| Role::Less(shade_of_step(step, STEPS)));
    let slower = (0..=STEPS).map(|step| Role::Shade(shade_of_step(step, STEPS)));
    Palette::Roles(std::iter::once(Role::Idle).chain(faster).chain(slower).collect())
}

/// Lays out the figure.
#[must_use]
pub fn lay_out(d: &Difference, look: &Look) -> Scene {
    let grid = Grid::of(d, look);
    let mut scene = Scene {
        name: View::Differences.name().to_owned(),
        title: String::from("Median duration now over before, of each node and kind of state"),
        how_to_read: String::from(
            "Each cell is one node's states of one kind: the median now over the median before. Pale is unchanged, \
             strong is eight times as long, or an eighth, in the other colour. A column that is strong all over is \
             another input or another configuration; one strong cell in a pale column is that node's own change. Grey: \
             fewer than two such states in one of the runs, so nothing is known. Names in colour: at fault now.",
        ),
        size: (look.width_css_px, grid.bottom()),
        table: table(d),
        ..Scene::default()
    };
    grid.add_kinds(&mut scene);
    grid.add_nodes(&mut scene, d);
    grid.add_cells(&mut scene, d);
    add_legend(&mut scene, grid.bottom() + 16.0);
    scene
}

/// Rows of nodes and columns of kinds of state.
struct Grid<'a> {
    /// In order of name, like the kinds.
    nodes: Vec<&'a str>,
    hosts: Hosts,
    kinds: Vec<&'a str>,
    names: Names,
    /// Upper left corner of the first cell.
    at: Point,
    /// Width and height of a cell.
    cell: Point,
}

impl<'a> Grid<'a> {
    fn of(d: &'a Difference, look: &Look) -> Self {
        let nodes: Vec<&str> = d.states.iter().map(|c| c.node.as_str()).gathered::<BTreeSet<_>>().into_iter().collect();
        let kinds: Vec<&str> = d.states.iter().map(|c| c.kind.as_str()).gathered::<BTreeSet<_>>().into_iter().collect();
        let left = NameColumn::USUAL.width_css_px(&mut nodes.iter().copied(), 0.0, look.width_css_px) + 12.0;
        let room = look.width_css_px - left - 8.0;
        let column = (room / kinds.len().max(1) as f32).clamp(COLUMN_LEAST_CSS_PX, COLUMN_MAX_CSS_PX);
        let row = ROW_MAX_CSS_PX.min(ROWS_CSS_PX / nodes.len().max(1) as f32);
        let names = Names::of(&kinds, column);
        let top = TOP_CSS_PX + LINE_CSS_PX * (names.lines - 1.0);
        let hosts = Hosts::of(&mut nodes.iter().copied());
        Self { nodes, hosts, kinds, names, at: (left, top), cell: (column, row) }
    }

    /// Width and height of all cells.
    fn size(&self) -> Point {
        (tenth(self.cell.0 * self.kinds.len() as f32), tenth(self.cell.1 * self.nodes.len() as f32))
    }

    fn bottom(&self) -> f32 {
        self.at.1 + self.size().1
    }

    /// The names of the columns, with a line down from those that stand higher than the last line.
    fn add_kinds(&self, scene: &mut Scene) {
        let ((left, top), column) = (self.at, self.cell.0);
        for (i, kind) in self.kinds.iter().enumerate() {
            let x = tenth(left + column * (i as f32 + 0.5));
            let y = TOP_CSS_PX - 10.0 + LINE_CSS_PX * (i as f32 % self.names.lines);
            if y + LINE_CSS_PX < top {
                scene.line((x, y + 7.0), (x, top), Role::Grid);
            }
            let name = fitted(self.names.short(kind), column * self.names.lines - 4.0);
            scene.text_around((x, y), name, Role::Faint);
        }
    }

    /// The names of the rows, where these are as high as text.
    fn add_nodes(&self, scene: &mut Scene, d: &Difference) {
        let ((left, top), row) = (self.at, self.cell.1);
        for (i, node) in self.nodes.iter().enumerate().filter(|_| row > FONT_CSS_PX) {
            let is_named = d.b.culprits.iter().any(|(culprit, _)| culprit == node);
            let role = if is_named { Role::Culprit } else { Role::Faint };
            let y = top + row * (i as f32 + 0.5);
            scene.text((left - 8.0, tenth(y)), self.hosts.fitted(node, left - 10.0), Anchor::End, role);
        }
    }

    /// The cells: their colours, numbers where there is room, and what they say where they are pointed at.
    fn add_cells(&self, scene: &mut Scene, d: &Difference) {
        let (column, row) = self.cell;
        let is_numbered = column >= NUMBERED_CSS_PX.0 && row >= NUMBERED_CSS_PX.1;
        let mut steps = vec![0; self.nodes.len() * self.kinds.len()];
        let mut hits = Vec::new();
        for change in &d.states {
            let (Ok(y), Ok(x)) =
                (self.nodes.binary_search(&change.node.as_str()), self.kinds.binary_search(&change.kind.as_str()))
            else {
                continue;
            };
            let step = step(change.times);
            if let Some(cell) = steps.get_mut(y * self.kinds.len() + x) {
                *cell = step;
            }
            let at = (tenth(self.at.0 + column * x as f32), tenth(self.at.1 + row * y as f32));
            if is_numbered {
                let text = trimmed(change.times, if change.times < 10.0 { 2 } else { 0 });
                let middle = (tenth(at.0 + column / 2.0), tenth(at.1 + row / 2.0));
                scene.text(middle, text, Anchor::Middle, Role::On(shade_of_step(step.abs_diff(UNCHANGED), STEPS)));
            }
            let node = Some(change.node.clone());
            hits.push((y, x, Hit { at, size: self.cell, says: says(change), node, ..Hit::default() }));
        }
        hits.arrange_by(|(y, x, _)| (*y, *x));
        scene.hits = hits.into_iter().map(|(_, _, hit)| hit).collect();
        let raster = Raster::of_shades(self.at, self.size(), (self.kinds.len(), self.nodes.len()), steps);
        scene.rasters.push(Raster { palette: palette(), ..raster });
    }
}

/// What the colours are, from `y` on.
fn add_legend(scene: &mut Scene, y: f32) {
    let at = (4.0, y);
    let width = STRIP_CSS_PX.min(scene.size.0 - 8.0).max(STRIP_LEAST_CSS_PX);
    let words = [(0.0, "× 1/8", Anchor::Start), (0.5, "as before", Anchor::Middle), (1.0, "× 8", Anchor::End)];
    strip(scene, at, width, ((1..=UNCHANGED + STEPS).collect(), palette()), &words);
    let mut legend = Legend::at(at.0, y + 36.0);
    legend.swatch(scene, Role::Idle, "too few in one of the runs");
    scene.size.1 = legend.bottom() + 4.0;
}

/// The names of columns, in as many lines as they need to stand beside each other.
struct Names {
    whole: bool,
    lines: f32,
}

impl Names {
    fn of(kinds: &[&str], column: f32) -> Self {
        let widest = |names: &Self| {
            kinds.iter().map(|kind| label_width_css_px(names.short(kind)) + GAP_CSS_PX).fold(0.0, f32::max)
        };
        let mut names = Self { whole: true, lines: 1.0 };
        if widest(&names) > column {
            names.whole = false;
            let widest = widest(&names);
            // The last one moves to the left by up to half of its width.
            names.lines = if widest > column { (widest * 1.5 / column).ceil().min(LINES) } else { 1.0 };
        }
        names
    }

    /// Phases of a Reduce are told apart by the rest of their names.
    fn short<'a>(&self, kind: &'a str) -> &'a str {
        kind.strip_prefix("Reduce").filter(|rest| !self.whole && !rest.is_empty()).unwrap_or(kind)
    }
}

/// Its number in the palette: as far from the middle as eight times or an eighth at the most.
fn step(times: f64) -> u8 {
    let extent = crate::base::math::ln(times.clamp(1.0 / DARKEST, DARKEST)) / crate::base::math::ln(DARKEST);
    (f64::from(UNCHANGED) + extent * f64::from(STEPS)).round() as u8
}

fn says(c: &StateChange) -> Vec<String> {
    let [was, now] = [c.a_ms, c.b_ms].map(|ms| of_millis(ms as f64));
    let mut says = vec![
        format!("{} on {}", c.kind, c.node),
        format!("median {now}, before {was}: × {}", ratio(c.times, 2)),
        format!("on the other nodes × {}", ratio(c.others, 2)),
    ];
    if c.apart {
        says.push(String::from("changed by itself"));
    }
    says
}

fn table(d: &Difference) -> Table {
    let headers =
        ["node", "state", "median before (s)", "median now (s)", "times", "times, other nodes", "changed by itself"];
    Table { headers: headers.map(String::from).to_vec(), rows: d.states.iter().map(table_row).collect() }
}

fn table_row(c: &StateChange) -> Vec<String> {
    let [was, now] = [c.a_ms, c.b_ms].map(|ms| format!("{:.3}", ms as f64 / 1000.0));
    let apart = if c.apart { "yes" } else { "no" };
    vec![c.node.clone(), c.kind.clone(), was, now, format!("{:.2}", c.times), format!("{:.2}", c.others), apart.into()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::compare::Side;

    fn change(node: &str, times: f64, apart: bool) -> StateChange {
        StateChange {
            node: node.into(),
            kind: "Map".into(),
            a_ms: 1000,
            b_ms: (1000.0 * times) as i64,
            times,
            others: 1.0,
            apart,
        }
    }

    fn texts(scene: &Scene) -> Vec<(&str, f32, f32, Role)> {
        scene
            .marks
            .iter()
            .filter_map(|mark| match mark {
                crate::scene::Mark::Text { at, text, role, .. } => Some((text.as_str(), at.0, at.1, *role)),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn only_who_is_named_now_is_marked_and_what_is_missing_is_grey() {
        let mut copies = change("b", 3.0, true);
        copies.kind = "ReduceCopy".into();
        let states = vec![change("a", 3.0, true), copies];
        let b = Side { culprits: vec![("b".into(), "cpu".into())], ..Side::default() };
        let d = Difference { b, states, ..Difference::default() };
        let scene = lay_out(&d, &Look { width_css_px: 600.0, ..Look::default() });
        assert_eq!((scene.rasters[0].shades[1], scene.rasters[0].shades[2]), (0, 0));
        let role = |name: &str| texts(&scene).iter().find(|t| t.0 == name).map(|t| t.3);
        assert_eq!([role("a"), role("b")], [Some(Role::Faint), Some(Role::Culprit)]);
    }

    #[test]
    fn names_of_columns_stand_apart() {
        let kinds = [
            "Cleanup",
            "Localize",
            "Map",
            "ReadBlock",
            "Reduce",
            "ReduceCopy",
            "ReduceMergeCopy",
            "ReduceReducer",
            "Setup",
            "Shuffle",
            "WriteBlock",
        ];
        let states =
            kinds.map(|kind| StateChange { kind: kind.into(), ..change("node-1.example", 1.0, false) }).to_vec();
        let d = Difference { states, ..Difference::default() };
        for width_css_px in [328.0, 700.0, 1100.0, 1500.0] {
            let scene = lay_out(&d, &Look { width_css_px, ..Look::default() });
            let mut names: Vec<(f32, f32, f32)> = Vec::new();
            for (text, x, y, _) in texts(&scene).into_iter().take(kinds.len()) {
                assert!(!text.contains('…'), "{text} at {width_css_px}");
                let wide = label_width_css_px(text);
                // Those at the right edge end there.
                let left = if x >= width_css_px { x - wide } else { x - wide / 2.0 };
                assert!(names.iter().all(|n| n.0 != y || left >= n.2), "{text} at {width_css_px}");
                names.push((y, left, left + wide));
            }
            assert_eq!(names.len(), kinds.len());
        }
    }

    #[test]
    fn changes_are_cells_slower_in_one_colour_and_faster_in_another() {
        let states = vec![change("b", 8.0, true), change("a", 1.0, false), change("c", 0.125, false)];
        let d = Difference { states, ..Difference::default() };
        let scene = lay_out(&d, &Look { width_css_px: 600.0, ..Look::default() });
        assert_eq!(scene.rasters[0].shades, [UNCHANGED, UNCHANGED + STEPS, 1]);
        let Palette::Roles(roles) = &scene.rasters[0].palette else { panic!("roles") };
        let of = |step: u8| roles[usize::from(step)];
        assert_eq!([0, 1, UNCHANGED].map(of), [Role::Idle, Role::Less(255), Role::Shade(0)]);
        assert_eq!(of(UNCHANGED + STEPS), Role::Shade(255));
        let told = |name: &str| texts(&scene).iter().any(|text| text.0 == name);
        assert!(["× 1/8", "as before", "× 8"].into_iter().all(told), "how many times as long");
        assert_eq!((scene.hits.len(), scene.hits[1].node.as_deref(), scene.table.rows.len()), (3, Some("b"), 3));
        let none = lay_out(&Difference::default(), &Look { width_css_px: 600.0, ..Look::default() });
        assert!(none.hits.is_empty());
    }
}
