//! False positives and false negatives of the white box, by Maps and by the other states
//! (Kahuna Figs 8–11): a row a fault, a column a workload and size.

use super::super::legend::Legend;
use super::super::{Anchor, Hit, Look, Mark, Raster, Role, Scene, Table};
use super::{Evaluated, left_of, rest};
use crate::base::Gathered;
use crate::evaluation::{MAPS, OTHER_STATES, Rate, Scored, Told, size_of};
use crate::scene::axis::{fitted, tenth};
use std::collections::BTreeSet;

/// Height of a row.
const ROW_CSS_PX: f32 = 15.0;
/// Widest column.
const COLUMN_MAX_CSS_PX: f32 = 64.0;
/// Room for a block's heading, and for the names above its columns.
const HEAD_CSS_PX: f32 = 22.0;
const NAMES_CSS_PX: f32 = 34.0;
/// Between two figures.
const GAP_CSS_PX: f32 = 10.0;
/// Said of runs that no state of a figure judges.
const UNJUDGED: &str = "nothing judged";
/// Headings of the four figures.
const TITLES: [&str; 4] = [
    "False positives by Map",
    "False negatives by Map",
    "False positives by the other states",
    "False negatives by the other states",
];

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let grid = Grid::of(e, look);
    let end = grid.block_css_px() * TITLES.len() as f32;
    let mut scene = Scene {
        title: String::from("What the durations of states say: rates of false positives and false negatives"),
        how_to_read: String::from(
            "As in the paper's figures, the deeper the colour, the lower the rate: deep is good. False positives: the share of \
             runs in which the states indict a node that is not at fault; false negatives: the share of runs with a faulty node \
             in which they do not indict it; of the other states the mean. States that judge nothing miss the faulty node and \
             indict no other; how often they judge nothing stands beside. The verdict weighs more than these states.",
        ),
        size: (look.width_css_px, end + HEAD_CSS_PX),
        table: Table {
            headers: ["figure", "fault", "workload", "nodes", "rate", UNJUDGED].map(String::from).into(),
            rows: Vec::new(),
        },
        ..Scene::default()
    };
    for figure in 0..TITLES.len() {
        grid.add_heading(&mut scene, figure);
        let rows = (0..grid.faults.len()).flat_map(|row| grid.add_row(&mut scene, figure, row));
        let shades = rows.collect();
        scene.rasters.push(grid.raster(figure, shades));
    }
    let mut legend = Legend::at(4.0, end + HEAD_CSS_PX / 2.0);
    legend.words(&mut scene, "rate, deep is good:");
    let shades = [0.0, 0.5, 1.0].map(|rate| Role::Shade(shade(rate))).into_iter().zip(["0", "0.5", "1"]);
    for (role, name) in shades.chain([(Role::Faint, UNJUDGED), (Role::Idle, "no run")]) {
        legend.swatch(&mut scene, role, name);
    }
    scene.size.1 = legend.bottom() + 4.0;
    scene
}

/// The cells of each of the four figures, which stand one below the other.
struct Grid<'a> {
    evaluated: &'a Evaluated,
    /// A row each.
    faults: Vec<&'a str>,
    /// A column each: a workload with a number of nodes.
    columns: Vec<(&'a str, usize)>,
    /// Left end of the first column.
    left: f32,
    /// Width of a column.
    column: f32,
}

impl<'a> Grid<'a> {
    fn of(e: &'a Evaluated, look: &Look) -> Self {
        let faults: Vec<&str> = e.by_fault.iter().map(|c| c.fault.as_str()).collect();
        let columns: Vec<(&str, usize)> =
            e.cells.iter().map(|c| (c.workload.as_str(), c.nodes)).gathered::<BTreeSet<_>>().into_iter().collect();
        let left = left_of(faults.iter().copied(), look);
        let room = look.width_css_px - left - 4.0;
        let column = tenth((room / columns.len().max(1) as f32).min(COLUMN_MAX_CSS_PX));
        Self { evaluated: e, faults, columns, left, column }
    }

    /// Height of one figure, with its heading and the gap to the next.
    fn block_css_px(&self) -> f32 {
        HEAD_CSS_PX + NAMES_CSS_PX + ROW_CSS_PX * self.faults.len() as f32 + GAP_CSS_PX
    }

    /// Upper edge of a figure, and that of its cells.
    fn tops(&self, figure: usize) -> [f32; 2] {
        let top = self.block_css_px() * figure as f32;
        [top, top + HEAD_CSS_PX + NAMES_CSS_PX]
    }

    /// A figure's heading, and the names of its columns.
    fn add_heading(&self, scene: &mut Scene, figure: usize) {
        let [top, _] = self.tops(figure);
        scene.text((4.0, top + HEAD_CSS_PX / 2.0), title(figure), Anchor::Start, Role::Ink);
        for (k, (workload, nodes)) in self.columns.iter().enumerate() {
            let x = tenth(self.left + self.column * (k as f32 + 0.5));
            let at = (x, top + HEAD_CSS_PX + 8.0);
            scene.text(at, fitted(workload, self.column - 2.0), Anchor::Middle, Role::Faint);
            scene.text((x, top + HEAD_CSS_PX + 22.0), nodes.to_string(), Anchor::Middle, Role::Faint);
        }
    }

    /// A fault's name and cells, and their rows of the table; returns the cells' shades.
    fn add_row(&self, scene: &mut Scene, figure: usize, row: usize) -> Vec<u8> {
        let [_, top] = self.tops(figure);
        let y = top + ROW_CSS_PX * row as f32;
        let fault = self.faults.get(row).copied().unwrap_or_default();
        scene.text((self.left - 8.0, y + ROW_CSS_PX / 2.0), fitted(fault, self.left - 10.0), Anchor::End, Role::Faint);
        let cell = |(k, (workload, nodes)): (usize, &(&str, usize))| {
            let told = told(self.evaluated, figure, (fault, workload, *nodes));
            let (rate, runs) = (rate(figure, &told), runs(figure, &told));
            let (at, size) = ((tenth(self.left + self.column * k as f32), y), (self.column, ROW_CSS_PX));
            if rate.of == 0 {
                let role = if runs > 0 { Role::Faint } else { Role::Idle };
                scene.push(Mark::Rect { at, size, role });
            }
            if runs > 0 {
                let shown = if rate.of > 0 { rate.in_words() } else { UNJUDGED.to_owned() };
                let (title, silent) = (title(figure), told.silent.in_words());
                let head = format!("{title}: {fault}, {workload}, {nodes} nodes");
                let says = vec![head, shown.clone(), format!("{UNJUDGED}: {silent}")];
                scene.hits.push(Hit { at, size, says, ..Hit::default() });
                let row = [title, fault, workload].map(String::from).into_iter();
                scene.table.rows.push(row.chain([nodes.to_string(), shown, silent]).collect());
            }
            rate.share().map_or(0, shade)
        };
        self.columns.iter().enumerate().map(cell).collect()
    }

    fn raster(&self, figure: usize, shades: Vec<u8>) -> Raster {
        let [_, top] = self.tops(figure);
        let (columns, rows) = (self.columns.len(), self.faults.len());
        let size = (tenth(self.column * columns as f32), ROW_CSS_PX * rows as f32);
        Raster::of_shades((self.left, top), size, (columns, rows), shades)
    }
}

/// The paper's colours: the lower a rate, the deeper.
fn shade(rate: f64) -> u8 {
    crate::scene::shade(1.0 - rate)
}

/// A figure's heading.
fn title(figure: usize) -> &'static str {
    TITLES.get(figure).copied().unwrap_or_default()
}

/// What the states of a figure say of a cell's runs: over all of them, which is the mean of their rates.
fn told(e: &Evaluated, figure: usize, (fault, workload, nodes): (&str, &str, usize)) -> Told {
    let states: &[&str] = if figure < 2 { &[MAPS] } else { &OTHER_STATES };
    let is_of = |s: &&Scored| s.fault == fault && s.workload == workload && size_of(s) == nodes;
    Told::by(e.runs.iter().filter(is_of), states)
}

/// Whether a figure is one of false positives.
const fn has_false_ones(figure: usize) -> bool {
    figure.is_multiple_of(2)
}

/// The rate of a cell of a figure. Where nothing is judged in any run, there is none of false positives: the best colour
/// would praise it.
fn rate(figure: usize, told: &Told) -> Rate {
    match has_false_ones(figure) {
        true if told.is_silent() => Rate::default(),
        true => told.fp,
        false => rest(told.tp),
    }
}

/// The runs that a cell of a figure is of, once for each state.
const fn runs(figure: usize, told: &Told) -> u64 {
    if has_false_ones(figure) { told.fp.of } else { told.tp.of }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Said, Truth};
    use crate::report::Report;

    fn run(fault: &str, said: &[(&str, bool, usize, bool)]) -> Scored {
        let node = (fault != "none").then(|| "b".to_owned());
        let truth = Truth { fault: fault.into(), node, ..Truth::default() };
        let said = said.iter().map(|(state, hit, others, abstained)| Said {
            signal: format!("kahuna-wb {state}"),
            hit: *hit,
            others: *others,
            abstained: *abstained,
            ..Said::default()
        });
        Scored { said: said.collect(), ..Scored::new(&truth, &Report::default()) }
    }

    #[test]
    fn low_rates_are_deep() {
        assert_eq!([0.0, 0.5, 1.0].map(shade), [255, 128, 0]);
    }

    #[test]
    fn other_states_are_averaged_and_those_that_abstain_miss_but_name_no_other() {
        let said = [
            ("Map", true, 0, false),
            ("Reduce", true, 2, false),
            ("ReadBlock", false, 0, false),
            ("WriteBlock", false, 0, true),
        ];
        let e = Evaluated::new(vec![run("CPUHog", &said)], 0);
        let rates = [0, 1, 2, 3].map(|figure| rate(figure, &told(&e, figure, ("CPUHog", "", 0))));
        // Of the five other states two judge, one of which hits.
        assert_eq!(rates.map(|rate| (rate.hits, rate.of)), [(0, 1), (0, 1), (1, 5), (4, 5)]);
        let scene = lay_out(&e, &Look::default());
        let silent: Vec<bool> = scene.table.rows.iter().map(|row| row[5].ends_with("of 5")).collect();
        assert_eq!(silent, [false, false, true, true]);
    }

    #[test]
    fn runs_that_nobody_judges_are_told_from_none() {
        let e = Evaluated::new(vec![run("CPUHog", &[("Map", false, 0, true)]), run("none", &[])], 0);
        let scene = lay_out(&e, &Look::default());
        let of = |title: usize, fault: &str| {
            let row = scene.table.rows.iter().find(|row| row[0] == TITLES[title] && row[1] == fault);
            row.map(|row| row[4].split(' ').next().unwrap().to_owned())
        };
        assert_eq!((of(0, "CPUHog").as_deref(), of(1, "CPUHog").as_deref()), (Some("nothing"), Some("1")));
        // Of a control no node can be missed.
        assert_eq!((of(0, "none").as_deref(), of(1, "none")), (Some("nothing"), None));
    }
}
