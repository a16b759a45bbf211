//! Who indicts whom, white and black box side by side (K27): a row for each witness that judges, a column for each node, so
//! that a culprit is a column that is filled where healthy nodes have small squares.
//!
//! ```text
//!                   h101 h102 h103
//!  kahuna-wb Map     ▪    ▪    █     indicted: the whole cell, in colour
//!  flows Shuffle     ▪    ·    ▪     otherwise as large as the score is beside the threshold
//! ```
//!
//! Cost: O(witnesses × nodes).

use super::axis::{FONT_CSS_PX, ended, label_width_css_px, tenth};
use super::legend::Legend;
use super::names::{Hosts, thinned};
use super::{Anchor, Hit, Look, Mark, Role, Scene, Table, View};
use crate::base::Arrange;
use crate::base::quantity::{counted, grouped};
use crate::diagnosis::{Method, Strength};
use crate::report::{Report, WitnessRow, agreement};

/// Room above the rows, for the nodes' names.
const TOP_CSS_PX: f32 = 24.0;
/// Height of a row.
const ROW_CSS_PX: f32 = 20.0;
/// Side of the square of a node that is indicted; what is left of a cell keeps two of them apart.
const SQUARE_CSS_PX: f32 = 16.0;
/// Side of the least square, which says that the node was judged.
const LEAST_CSS_PX: f32 = 2.0;
/// Width of a column at least and at most.
const COLUMN_CSS_PX: (f32, f32) = (18.0, 96.0);
/// Room for the witnesses' names at most, and as a share of the figure.
const NAMES_CSS_PX: f32 = 300.0;
const NAMES_SHARE: f32 = 0.45;
/// From a witness's name to its row, and left of it.
const GAP_CSS_PX: f32 = 8.0;
/// Rows drawn; those that indict nobody are folded first.
const ROWS_SHOWN: usize = 40;
/// Rows of the table twin.
const ROWS_TOLD: usize = 2_000;

/// Lays out the figure; one without a title where no witness judges a node.
#[must_use]
pub fn lay_out(report: &Report, look: &Look) -> Scene {
    let Some(grid) = Grid::of(report, look) else { return Scene::default() };
    let indicting = grid.rows.iter().filter(|row| indicts(row)).count();
    let mut scene = Scene {
        name: View::Witnesses.name().to_owned(),
        title: format!(
            "Who indicts whom: {} that judge {}, of which {} a node",
            witnesses(grid.rows.len()),
            counted((grid.nodes.len() + grid.left_out) as u64, "node"),
            if indicting == 1 { String::from("1 indicts") } else { format!("{} indict", grouped(indicting as u64)) }
        ),
        how_to_read: String::from(
            "A row for each witness that judges, those that indict first; a column for each node. A full square in colour: \
             the witness indicts the node. Otherwise the square is as large as the node's score is beside the witness's \
             threshold; a frame: the threshold is reached, but that may be chance, or a job explains it. No square: the \
             witness does not judge the node. A culprit is a column with squares in colour from witnesses that read \
             different data.",
        ),
        size: (look.width_css_px, 0.0),
        ..Scene::default()
    };
    grid.add_heads(&mut scene, look);
    for (row, witness) in grid.rows.iter().take(ROWS_SHOWN).enumerate() {
        grid.add_row(&mut scene, row, witness, report);
    }
    grid.frame_chosen(&mut scene, look);
    let mut legend = Legend::at(4.0, grid.bottom() + 14.0);
    legend.swatch(&mut scene, Role::Culprit, "indicted");
    legend.swatch(&mut scene, Role::Node, "below the threshold");
    let (at, size) = legend.swatch(&mut scene, Role::Surface, "reached, left open");
    scene.push(Mark::Frame { at, size, width_css_px: 2.0, role: Role::Node });
    for words in grid.folded() {
        legend.words(&mut scene, &words);
    }
    scene.size.1 = legend.bottom() + 4.0;
    (scene.table, scene.summed_up) = grid.table(report);
    scene
}

/// What is drawn, and where.
struct Grid<'a> {
    /// Witnesses that judge: those that indict first.
    rows: Vec<&'a WitnessRow>,
    /// Nodes with a column.
    nodes: Vec<&'a str>,
    /// How many nodes have none.
    left_out: usize,
    hosts: Hosts,
    /// Left edge of the first column.
    left: f32,
    /// Width of a column.
    column: f32,
}

impl<'a> Grid<'a> {
    fn of(report: &'a Report, look: &Look) -> Option<Self> {
        let mut rows: Vec<&WitnessRow> = report.witnesses.iter().filter(|row| judges(row)).collect();
        rows.arrange_by(|row| !indicts(row));
        if rows.is_empty() {
            return None;
        }
        let names = rows.iter().take(ROWS_SHOWN).map(|row| label_width_css_px(&name(row, report)));
        let most = NAMES_CSS_PX.min(look.width_css_px * NAMES_SHARE);
        let left = tenth(names.fold(0.0, f32::max).min(most) + 2.0 * GAP_CSS_PX);
        let room = look.width_css_px - left - GAP_CSS_PX;
        let is_judged = |node: &&str| rows.iter().any(|row| row.nodes.contains_key(*node));
        let mut nodes: Vec<&str> = report.nodes.iter().map(String::as_str).filter(is_judged).collect();
        let (all, fits) = (nodes.len(), ((room / COLUMN_CSS_PX.0) as usize).max(1));
        if all > fits {
            let oddness = |node: &str| rows.iter().map(|row| share(row, node).unwrap_or(-1.0)).fold(-1.0, f64::max);
            let accused = |node: &str| rows.iter().filter(|row| row.indicted.iter().any(|name| name == node)).count();
            let rank = |node: &&'a str| (*node, (look.marked(node).is_some(), accused(node)), oddness(node));
            let mut odd: Vec<(&str, (bool, usize), f64)> = nodes.iter().map(rank).collect();
            odd.arrange(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
            odd.truncate(fits);
            nodes.retain(|node| odd.iter().any(|(of, ..)| of == node));
        }
        let hosts = Hosts::of(&mut nodes.iter().copied());
        let column = tenth((room / nodes.len() as f32).clamp(COLUMN_CSS_PX.0, COLUMN_CSS_PX.1));
        Some(Self { rows, left_out: all - nodes.len(), nodes, hosts, left, column })
    }

    fn bottom(&self) -> f32 {
        TOP_CSS_PX + ROW_CSS_PX * self.rows.len().min(ROWS_SHOWN) as f32
    }

    fn middle(&self, column: usize) -> f32 {
        tenth(self.left + self.column * (column as f32 + 0.5))
    }

    /// Nodes' names above the columns, as many as there is room for.
    fn add_heads(&self, scene: &mut Scene, look: &Look) {
        let widest = self.nodes.iter().map(|node| label_width_css_px(self.hosts.short(node))).fold(0.0, f32::max);
        let name_css_px = (widest + 6.0).min(COLUMN_CSS_PX.1);
        let marked = |column: usize| self.nodes.get(column).and_then(|node| look.marked(node));
        // Rows have room for names as high as the font, columns for names as wide as these.
        for (column, role) in thinned(self.nodes.len(), FONT_CSS_PX * self.column / name_css_px, &marked) {
            let Some(node) = self.nodes.get(column) else { continue };
            let label = self.hosts.fitted(node, name_css_px.max(self.column) - 4.0);
            scene.text_around((self.middle(column), TOP_CSS_PX - 12.0), label, role);
        }
    }

    /// A witness's name and its squares.
    fn add_row(&self, scene: &mut Scene, row: usize, witness: &WitnessRow, report: &Report) {
        let top = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        let (name, middle) = (name(witness, report), top + ROW_CSS_PX / 2.0);
        let ink = if indicts(witness) { Role::Ink } else { Role::Faint };
        let room = self.left - GAP_CSS_PX;
        // Of a name that is too long the signal says more than the method.
        let label = if label_width_css_px(&name) <= room { name.clone() } else { signal(witness, report) };
        scene.text((room, middle), ended(&label, room), Anchor::End, ink);
        scene.line((self.left, top), (tenth(self.left + self.column * self.nodes.len() as f32), top), Role::Grid);
        for (column, node) in self.nodes.iter().enumerate() {
            let Some(share) = share(witness, node) else { continue };
            let side = tenth((SQUARE_CSS_PX * share.sqrt() as f32).max(LEAST_CSS_PX));
            let (at, size) = ((self.middle(column) - side / 2.0, middle - side / 2.0), (side, side));
            scene.push(match say(witness, node) {
                Say::Indicts => Mark::Rect { at, size, role: Role::Culprit },
                Say::LeavesOpen => Mark::Frame { at, size, width_css_px: 2.0, role: Role::Node },
                Say::Clears => Mark::Rect { at, size, role: Role::Node },
            });
            scene.hits.push(Hit {
                at: (tenth(self.left + self.column * column as f32), top),
                size: (self.column, ROW_CSS_PX),
                says: vec![format!("{node}: {name}"), number(witness, node), said(witness, node)],
                node: Some((*node).to_owned()),
                ..Hit::default()
            });
        }
    }

    /// A frame around the column of the node that is chosen.
    fn frame_chosen(&self, scene: &mut Scene, look: &Look) {
        if let Some(column) = self.nodes.iter().position(|node| look.selection.node.as_deref() == Some(*node)) {
            let at = (tenth(self.left + self.column * column as f32), TOP_CSS_PX);
            let size = (self.column, self.bottom() - TOP_CSS_PX);
            scene.push(Mark::Frame { at, size, width_css_px: 1.0, role: Role::Ink });
        }
    }

    /// What has no row or no column.
    fn folded(&self) -> Vec<String> {
        let rows = self.rows.len().saturating_sub(ROWS_SHOWN);
        let rows = (rows > 0).then(|| format!("{} more in the table", witnesses(rows)));
        let columns = self.left_out;
        let columns = (columns > 0).then(|| format!("{} more in the table", counted(columns as u64, "node")));
        rows.into_iter().chain(columns).collect()
    }

    /// The table twin, and whether it ends before all is told.
    fn table(&self, report: &Report) -> (Table, bool) {
        let headers = ["witness", "node", "score", "threshold", "says"].map(String::from).to_vec();
        let of = |row: &&WitnessRow| {
            let row = *row;
            let nodes = agreement::oddest_first(row).into_iter();
            let cells = move |(node, score): (&str, f64)| {
                vec![
                    name(row, report),
                    node.to_owned(),
                    format!("{score:.3}"),
                    agreement::threshold(row),
                    said(row, node),
                ]
            };
            nodes.map(cells).collect::<Vec<_>>()
        };
        let rows: Vec<Vec<String>> = self.rows.iter().flat_map(of).take(ROWS_TOLD + 1).collect();
        let is_cut = rows.len() > ROWS_TOLD;
        (Table { headers, rows: rows.into_iter().take(ROWS_TOLD).collect() }, is_cut)
    }
}

/// `1 witness`, `12 witnesses`.
fn witnesses(n: usize) -> String {
    format!("{} witness{}", grouped(n as u64), if n == 1 { "" } else { "es" })
}

/// Whether a witness judges nodes: likeness is shown only.
#[must_use]
pub fn judges(witness: &WitnessRow) -> bool {
    witness.abstained.is_none() && !witness.nodes.is_empty() && witness.method != Method::PeerSimilarity.name()
}

/// Whether a witness indicts a node, and no job explains it.
fn indicts(witness: &WitnessRow) -> bool {
    witness.indicted.iter().any(|node| !witness.excused.contains(node))
}

/// What a witness says of a node that it judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Say {
    Indicts,
    LeavesOpen,
    Clears,
}

fn say(witness: &WitnessRow, node: &str) -> Say {
    let is_named = |names: &[String]| names.iter().any(|name| name == node);
    match witness.nodes.get(node) {
        _ if is_named(&witness.excused) => Say::LeavesOpen,
        _ if is_named(&witness.indicted) => Say::Indicts,
        Some(score) if agreement::leaves_open(witness, node, *score) => Say::LeavesOpen,
        _ => Say::Clears,
    }
}

/// The same in words.
fn said(witness: &WitnessRow, node: &str) -> String {
    let strong = witness.strengths.get(node) == Some(&Strength::Strong);
    String::from(match say(witness, node) {
        Say::Indicts if strong => "indicts it strongly",
        Say::Indicts => "indicts it",
        Say::LeavesOpen if witness.excused.iter().any(|name| name == node) => "indicts it, and a job explains it",
        Say::LeavesOpen => "leaves it open: that may be chance, or too little",
        Say::Clears => "clears it",
    })
}

/// A node's score beside the threshold, 0 to 1; `None` where it is not judged. Who is indicted has all of it.
fn share(witness: &WitnessRow, node: &str) -> Option<f64> {
    let score = *witness.nodes.get(node)?;
    let of = witness.threshold.filter(|threshold| *threshold > 0.0).map_or(0.0, |threshold| score / threshold);
    Some(if say(witness, node) == Say::Clears { of.clamp(0.0, 1.0) } else { 1.0 })
}

/// The score and the threshold.
fn number(witness: &WitnessRow, node: &str) -> String {
    let score = witness.nodes.get(node).copied().unwrap_or_default();
    let threshold = witness.threshold.map_or_else(String::new, |threshold| format!(", threshold {threshold:.2}"));
    format!("score {score:.2}{threshold}")
}

fn signal(witness: &WitnessRow, report: &Report) -> String {
    agreement::signal(witness, &report.witnesses)
}

fn name(witness: &WitnessRow, report: &Report) -> String {
    format!("{} {}", witness.method, signal(witness, report))
}

#[cfg(test)]
mod tests {
    use super::super::Selection;
    use super::*;
    use std::collections::BTreeMap;

    fn witness(signal: &str, scores: &[(&str, f64)], indicted: &[&str]) -> WitnessRow {
        WitnessRow {
            method: String::from("kahuna-wb"),
            signal: signal.to_owned(),
            nodes: scores.iter().map(|(node, score)| ((*node).to_owned(), *score)).collect(),
            threshold: Some(0.4),
            indicted: indicted.iter().map(|node| (*node).to_owned()).collect(),
            strengths: indicted.iter().map(|node| ((*node).to_owned(), Strength::Strong)).collect(),
            ..WitnessRow::default()
        }
    }

    fn report(nodes: &[&str], witnesses: Vec<WitnessRow>) -> Report {
        Report { nodes: nodes.iter().map(|node| (*node).to_owned()).collect(), witnesses, ..Report::default() }
    }

    fn look(width_css_px: f32) -> Look {
        Look { width_css_px, ..Look::default() }
    }

    /// Left edges and sides of what is drawn of the nodes, above the legend.
    fn squares(scene: &Scene) -> Vec<(Role, f32, f32)> {
        let legend = scene.marks.len() - 7;
        let square = |mark: &Mark| match mark {
            Mark::Rect { at, size, role } | Mark::Frame { at, size, role, .. } => Some((*role, at.0, size.0)),
            _ => None,
        };
        scene.marks.iter().take(legend).filter_map(square).collect()
    }

    #[test]
    fn who_is_indicted_is_full_and_others_are_as_large_as_their_scores() {
        let map = witness("Map", &[("h1", 0.1), ("h2", 0.4), ("h3", 0.8)], &["h3"]);
        let reduce = witness("Reduce", &[("h1", 0.2)], &[]);
        let scene = lay_out(&report(&["h1", "h2", "h3"], vec![reduce, map]), &look(600.0));
        assert_eq!(scene.title, "Who indicts whom: 2 witnesses that judge 3 nodes, of which 1 indicts a node");
        let squares = squares(&scene);
        let sides: Vec<(Role, f32)> = squares.iter().map(|(role, _, side)| (*role, *side)).collect();
        let full = SQUARE_CSS_PX;
        // The row that indicts is the first: a quarter of the threshold is half a side; half of it in the second row.
        assert_eq!(sides, [(Role::Node, 8.0), (Role::Node, full), (Role::Culprit, full), (Role::Node, 11.3)]);
        assert!(scene.marks.iter().any(|mark| matches!(mark, Mark::Frame { at, .. } if at.0 == squares[1].1)), "open");
        let says: Vec<&str> = scene.hits.iter().map(|hit| hit.says[2].as_str()).collect();
        assert_eq!(says[..2], ["clears it", "leaves it open: that may be chance, or too little"]);
        assert_eq!(says[2..], ["indicts it strongly", "clears it"]);
        assert_eq!(scene.table.rows[0], ["kahuna-wb Map", "h3", "0.800", "0.40", "indicts it strongly"]);
        assert_eq!((scene.table.rows.len(), scene.summed_up), (4, false));
    }

    #[test]
    fn whom_a_job_explains_is_left_open() {
        let excused = vec![String::from("h2")];
        let map = WitnessRow { excused, ..witness("Map", &[("h1", 0.1), ("h2", 0.9)], &["h2"]) };
        let scene = lay_out(&report(&["h1", "h2"], vec![map]), &look(600.0));
        assert!(scene.title.ends_with("of which 0 indict a node"), "{}", scene.title);
        assert!(squares(&scene).iter().all(|(role, ..)| *role == Role::Node));
        assert_eq!(scene.table.rows[0][4], "indicts it, and a job explains it");
    }

    #[test]
    fn of_more_nodes_than_fit_the_odd_ones_are_there_in_their_order() {
        let names: Vec<String> = (0..200).map(|i| format!("n{i:03}")).collect();
        let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
        let scores: Vec<(&str, f64)> = nodes.iter().map(|n| (*n, if *n == "n150" { 0.39 } else { 0.1 })).collect();
        let rows = vec![witness("Map", &scores, &[]), witness("Reduce", &[("n199", 0.9), ("n000", 0.0)], &["n199"])];
        let selection = Selection { node: Some("n120".into()), ..Selection::default() };
        let scene = lay_out(&report(&nodes, rows), &Look { selection, ..look(400.0) });
        let columns =
            ((400.0 - 2.0 * GAP_CSS_PX - GAP_CSS_PX - label_width_css_px("kahuna-wb Reduce")) / 18.0) as usize;
        let of_map: Vec<&str> = scene.hits.iter().skip(2).filter_map(|hit| hit.node.as_deref()).collect();
        assert_eq!(of_map.len(), columns);
        assert_eq!(of_map[columns - 3..], ["n120", "n150", "n199"], "the chosen one too");
        assert!(of_map.is_sorted());
        let left_out = format!("{} nodes more in the table", 200 - columns);
        assert!(scene.marks.iter().any(|mark| matches!(mark, Mark::Text { text, .. } if *text == left_out)));
        assert_eq!(scene.table.rows.len(), 202, "the table has all");
    }

    #[test]
    fn where_nobody_judges_there_is_no_figure() {
        let likeness = WitnessRow {
            method: Method::PeerSimilarity.name().to_owned(),
            ..witness("Map", &[("h1", 0.9), ("h2", 0.9)], &[])
        };
        let silent = WitnessRow { nodes: BTreeMap::new(), ..witness("Reduce", &[], &[]) };
        assert_eq!(lay_out(&report(&["h1", "h2"], vec![likeness, silent]), &look(600.0)), Scene::default());
    }
}
