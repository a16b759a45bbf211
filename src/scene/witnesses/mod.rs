//! Who indicts whom, white and black box side by side (K27): a row for each witness that judges, a column for each node, so
//! that a culprit is a column that is filled where healthy nodes have small squares.
//!
//! ```text
//!                   h101 h102 h103
//!  kahuna-wb Map     ▪    ▪    █     indicted: the whole cell, in colour
//!  flows Shuffle     ▪    ·    ▪     otherwise as large as the score is beside the threshold
//! ```
//!
//! Cost: O(scores · log nodes), whatever a report from elsewhere says.

use super::axis::{fitted, label_width_css_px, tenth};
use super::legend::Legend;
use super::names::Hosts;
use super::{Anchor, Hit, Look, Mark, Role, Scene, Table, View};
use crate::base::quantity::{counted, grouped};
use crate::base::{Arrange, Gathered};
use crate::diagnosis::Strength;
use crate::report::agreement::Signals;
use crate::report::{Report, WitnessRow, agreement};
use std::collections::{BTreeMap, BTreeSet};

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
/// Between the names of neighbouring columns.
const NAME_GAP_CSS_PX: f32 = 6.0;
/// Rows drawn; those that indict nobody are folded first.
const ROWS_SHOWN: usize = 40;
/// Rows of the table twin.
const ROWS_TOLD: usize = 2_000;

/// Lays out the figure; one without a title where no witness judges a node.
#[must_use]
pub fn lay_out(report: &Report, look: &Look) -> Scene {
    let Some(grid) = Grid::of(report, look) else { return Scene::default() };
    let mut scene = Scene {
        name: View::Witnesses.name().to_owned(),
        title: grid.title(),
        how_to_read: String::from(
            "A row for each witness that judges, those that indict first; a column for each node. A full square in colour: \
             the witness indicts the node. Otherwise the square is as large as the node's score is beside the witness's \
             threshold, and small where there is none; a frame: the threshold is reached, but that may be chance, or a job \
             explains it. No square: the node is not judged, or a link left its score out. A culprit has a square in colour \
             from a strong witness, or from two that read different data; the table says which are strong.",
        ),
        size: (look.width_css_px, 0.0),
        ..Scene::default()
    };
    grid.add_heads(&mut scene, look);
    for (place, row) in grid.rows.iter().take(ROWS_SHOWN).enumerate() {
        grid.add_row(&mut scene, place, row);
    }
    grid.frame_chosen(&mut scene, look);
    let mut legend = Legend::at(4.0, grid.bottom() + 14.0);
    legend.swatch(&mut scene, Role::Culprit, "indicted");
    legend.swatch(&mut scene, Role::Node, "cleared");
    let (at, size) = legend.swatch(&mut scene, Role::Surface, "threshold reached, left open");
    scene.push(Mark::Frame { at, size, width_css_px: 2.0, role: Role::Node });
    for words in grid.folded() {
        legend.words(&mut scene, &words);
    }
    scene.size.1 = legend.bottom() + 4.0;
    (scene.table, scene.summed_up) = grid.table();
    scene
}

/// Whether a witness judges nodes: likeness is shown only.
#[must_use]
pub fn judges(witness: &WitnessRow) -> bool {
    witness.abstained.is_none() && !witness.nodes.is_empty() && !witness.only_shows()
}

/// What a witness says of a node that it judges; in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Say {
    Strongly,
    Indicts,
    Explained,
    LeavesOpen,
    Clears,
}

impl Say {
    const fn words(self) -> &'static str {
        match self {
            Self::Strongly => "indicts it strongly",
            Self::Indicts => "indicts it",
            Self::Explained => "indicts it, and a job explains it",
            Self::LeavesOpen => "leaves it open: that may be chance, or too little",
            Self::Clears => "clears it",
        }
    }

    const fn indicts(self) -> bool {
        matches!(self, Self::Strongly | Self::Indicts)
    }
}

/// A witness that judges.
struct Row<'a> {
    witness: &'a WitnessRow,
    /// What it looks at, and of which jobs or among which nodes.
    signal: String,
    indicted: BTreeSet<&'a str>,
    excused: BTreeSet<&'a str>,
}

impl<'a> Row<'a> {
    fn of(witness: &'a WitnessRow, signals: &Signals<'_>) -> Self {
        let named = |names: &'a [String]| names.iter().map(String::as_str).gathered();
        let signal = signals.name(witness);
        Self { witness, signal, indicted: named(&witness.indicted), excused: named(&witness.excused) }
    }

    /// Its method and its signal.
    fn name(&self) -> String {
        format!("{} {}", self.witness.method, self.signal)
    }

    /// Whether it indicts a node, and no job explains it.
    fn indicts(&self) -> bool {
        self.indicted.iter().any(|node| !self.excused.contains(node))
    }

    fn say(&self, node: &str, score: f64) -> Say {
        let strong = self.witness.strengths.get(node) == Some(&Strength::Strong);
        match (self.indicted.contains(node), self.excused.contains(node)) {
            (true, true) => Say::Explained,
            (true, false) if strong => Say::Strongly,
            (true, false) => Say::Indicts,
            _ if agreement::leaves_open(self.witness, node, score) => Say::LeavesOpen,
            _ => Say::Clears,
        }
    }

    /// A score beside the threshold, 0 to 1. Whoever is not cleared has all of it.
    fn share(&self, say: Say, score: f64) -> f64 {
        let of = self.witness.threshold.filter(|threshold| *threshold > 0.0).map_or(0.0, |threshold| score / threshold);
        if say == Say::Clears { of.clamp(0.0, 1.0) } else { 1.0 }
    }
}

/// What is drawn, and where.
struct Grid<'a> {
    report: &'a Report,
    /// Witnesses that judge: those that indict first.
    rows: Vec<Row<'a>>,
    /// Nodes with a column.
    nodes: Vec<&'a str>,
    /// How many nodes have none.
    left_out: usize,
    /// How many nodes are judged.
    judged: usize,
    /// Nodes of which nothing can be said, though complaints are counted of them too.
    unknown: BTreeSet<&'a str>,
    hosts: Hosts,
    /// Left edge of the first column.
    left: f32,
    /// Width of a column.
    column: f32,
}

impl<'a> Grid<'a> {
    fn of(report: &'a Report, look: &Look) -> Option<Self> {
        let signals = Signals::of(&report.witnesses);
        let judging = report.witnesses.iter().filter(|row| judges(row));
        let mut rows: Vec<Row<'a>> = judging.map(|row| Row::of(row, &signals)).collect();
        rows.arrange_by(|row| !row.indicts());
        if rows.is_empty() {
            return None;
        }
        let unknown = agreement::unknown(report);
        let nodes = judged(report, &rows);
        let judged = nodes.iter().filter(|node| !unknown.contains(*node)).count();
        let names = rows.iter().take(ROWS_SHOWN).map(|row| label_width_css_px(&row.name()));
        let most = NAMES_CSS_PX.min(look.width_css_px * NAMES_SHARE);
        let left = tenth(names.fold(0.0, f32::max).min(most) + 2.0 * GAP_CSS_PX);
        let room = look.width_css_px - left - GAP_CSS_PX;
        let (all, fits) = (nodes.len(), ((room / COLUMN_CSS_PX.0) as usize).max(1));
        let nodes = if all > fits { oddest(&rows, nodes, fits, look) } else { nodes };
        let hosts = Hosts::of(&mut nodes.iter().copied());
        let column = tenth((room / nodes.len().max(1) as f32).clamp(COLUMN_CSS_PX.0, COLUMN_CSS_PX.1));
        Some(Self { report, rows, left_out: all - nodes.len(), judged, nodes, unknown, hosts, left, column })
    }

    fn title(&self) -> String {
        let indicting = self.rows.iter().filter(|row| row.indicts()).count();
        let verb = if indicting == 1 { "indicts" } else { "indict" };
        if agreement::is_cut(self.report) {
            return format!("Who indicts whom: {} {verb} a node", witnesses(indicting));
        }
        let (rows, nodes) = (witnesses(self.rows.len()), counted(self.judged as u64, "node"));
        let are = if self.judged == 1 { "is" } else { "are" };
        format!("Who indicts whom: {} of {rows} {verb} a node; {nodes} {are} judged", grouped(indicting as u64))
    }

    fn bottom(&self) -> f32 {
        TOP_CSS_PX + ROW_CSS_PX * self.rows.len().min(ROWS_SHOWN) as f32
    }

    /// Left edge of a column.
    fn edge(&self, column: usize) -> f32 {
        tenth(self.left + self.column * column as f32)
    }

    fn middle(&self, column: usize) -> f32 {
        tenth(self.left + self.column * (column as f32 + 0.5))
    }

    /// Nodes' names above the columns, as many as there is room for; first of all those that stand out.
    fn add_heads(&self, scene: &mut Scene, look: &Look) {
        let mut heads: Vec<(usize, &str, Option<Role>)> =
            self.nodes.iter().enumerate().map(|(column, node)| (column, *node, look.marked(node))).collect();
        heads.arrange_by(|(.., role)| match role {
            Some(Role::Ink) => 0,
            Some(_) => 1,
            None => 2,
        });
        // By the left end: where names stand, and where they end.
        let mut taken: BTreeMap<i32, i32> = BTreeMap::new();
        for (column, node, role) in heads {
            let label = self.hosts.fitted(node, COLUMN_CSS_PX.1 - NAME_GAP_CSS_PX);
            let half = (label_width_css_px(&label) + NAME_GAP_CSS_PX) / 2.0;
            let middle = self.middle(column).clamp(half.min(scene.size.0 / 2.0), (scene.size.0 - half).max(half));
            let (from, to) = ((middle - half) as i32, (middle + half) as i32);
            let is_free = taken.range(..to).next_back().is_none_or(|(_, end)| *end <= from);
            if is_free {
                taken.insert(from, to);
                scene.text((tenth(middle), TOP_CSS_PX - 12.0), label, Anchor::Middle, role.unwrap_or(Role::Faint));
            }
        }
    }

    /// A witness's name and its squares.
    fn add_row(&self, scene: &mut Scene, place: usize, row: &Row<'_>) {
        let top = TOP_CSS_PX + ROW_CSS_PX * place as f32;
        let (name, middle) = (row.name(), top + ROW_CSS_PX / 2.0);
        let ink = if row.indicts() { Role::Ink } else { Role::Faint };
        scene.text((self.left - GAP_CSS_PX, middle), self.label(row, &name), Anchor::End, ink);
        scene.line((self.left, top), (self.edge(self.nodes.len()), top), Role::Grid);
        for (column, node) in self.nodes.iter().enumerate() {
            let Some(score) = row.witness.nodes.get(*node).copied() else { continue };
            if self.unknown.contains(node) {
                continue;
            }
            let say = row.say(node, score);
            let side = tenth((SQUARE_CSS_PX * row.share(say, score).sqrt() as f32).max(LEAST_CSS_PX));
            let (at, size) = ((self.middle(column) - side / 2.0, middle - side / 2.0), (side, side));
            scene.push(match say {
                Say::Strongly | Say::Indicts => Mark::Rect { at, size, role: Role::Culprit },
                Say::Explained | Say::LeavesOpen => Mark::Frame { at, size, width_css_px: 2.0, role: Role::Node },
                Say::Clears => Mark::Rect { at, size, role: Role::Node },
            });
            scene.hits.push(Hit {
                at: (self.edge(column), top),
                size: (self.column, ROW_CSS_PX),
                says: vec![format!("{node}: {name}"), number(row.witness, score), say.words().to_owned()],
                node: Some((*node).to_owned()),
                ..Hit::default()
            });
        }
    }

    /// A witness's name, or what of it tells it from the others.
    fn label(&self, row: &Row<'_>, name: &str) -> String {
        let room = self.left - GAP_CSS_PX;
        if label_width_css_px(name) <= room {
            return name.to_owned();
        }
        // The signal says more than the method, unless two methods look at the same.
        let alike = self.rows.iter().take(ROWS_SHOWN).filter(|other| other.signal == row.signal);
        fitted(if alike.count() > 1 { name } else { &row.signal }, room)
    }

    /// A frame around the column of the node that is chosen.
    fn frame_chosen(&self, scene: &mut Scene, look: &Look) {
        if let Some(column) = self.nodes.iter().position(|node| look.selection.node.as_deref() == Some(*node)) {
            let size = (self.column, self.bottom() - TOP_CSS_PX);
            scene.push(Mark::Frame { at: (self.edge(column), TOP_CSS_PX), size, width_css_px: 1.0, role: Role::Ink });
        }
    }

    /// What is not drawn.
    fn folded(&self) -> Vec<String> {
        let (rows, nodes) = (self.rows.len().saturating_sub(ROWS_SHOWN), self.left_out);
        [
            (rows > 0).then(|| format!("{} more are not drawn", witnesses(rows))),
            (nodes > 0).then(|| format!("{} more are not drawn", counted(nodes as u64, "node"))),
            agreement::is_cut(self.report).then(|| String::from("this link left out the scores of other nodes")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The table twin, indictments first, and whether it ends before all is told.
    fn table(&self) -> (Table, bool) {
        let headers = ["witness", "node", "score", "threshold", "says"].map(String::from).to_vec();
        let known = |node: &str| !self.unknown.contains(node);
        let of = |(place, row): (usize, &Row<'a>)| {
            let scores = agreement::oddest_first(row.witness).into_iter().filter(|(node, _)| known(node));
            scores.map(|(node, score)| (row.say(node, score), place, node, score)).collect::<Vec<_>>()
        };
        let mut cells: Vec<(Say, usize, &str, f64)> = self.rows.iter().enumerate().flat_map(of).collect();
        cells.arrange_by(|(say, place, ..)| (*say, *place));
        let told = cells.iter().take(ROWS_TOLD).filter_map(|(say, place, node, score)| {
            let row = self.rows.get(*place)?;
            let threshold = agreement::threshold(row.witness);
            Some(vec![row.name(), (*node).to_owned(), format!("{score:.3}"), threshold, say.words().to_owned()])
        });
        (Table { headers, rows: told.collect() }, cells.len() > ROWS_TOLD)
    }
}

/// The nodes that a witness judges, each once: in the order of the report, then those whose names it left out.
fn judged<'a>(report: &'a Report, rows: &[Row<'a>]) -> Vec<&'a str> {
    let mut judged: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.witness.nodes.keys().map(String::as_str)).gathered();
    let mut nodes: Vec<&str> = report.nodes.iter().map(String::as_str).filter(|node| judged.remove(node)).collect();
    nodes.extend(judged);
    nodes
}

/// So many of the nodes, in their order: those that stand out, that most witnesses indict, that are the oddest.
fn oddest<'a>(rows: &[Row<'a>], nodes: Vec<&'a str>, count: usize, look: &Look) -> Vec<&'a str> {
    let mut odd: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for row in rows {
        for (node, score) in &row.witness.nodes {
            let say = row.say(node, *score);
            let (indicted, most) = odd.entry(node).or_insert((0, 0.0));
            *indicted += usize::from(say.indicts());
            *most = most.max(row.share(say, *score));
        }
    }
    let marked: BTreeSet<&str> = look.nodes.iter().chain(&look.selection.node).map(String::as_str).gathered();
    let mut ranked: Vec<(usize, (bool, usize), f64)> = Vec::with_capacity(nodes.len());
    for (place, node) in nodes.iter().enumerate() {
        let (indicted, most) = odd.get(node).copied().unwrap_or_default();
        ranked.push((place, (marked.contains(node), indicted), most));
    }
    ranked.arrange(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)));
    ranked.truncate(count);
    ranked.arrange_by(|(place, ..)| *place);
    ranked.iter().filter_map(|(place, ..)| nodes.get(*place).copied()).collect()
}

/// `1 witness`, `12 witnesses`.
pub(super) fn witnesses(n: usize) -> String {
    format!("{} witness{}", grouped(n as u64), if n == 1 { "" } else { "es" })
}

/// The score and the threshold.
fn number(witness: &WitnessRow, score: f64) -> String {
    let threshold = witness.threshold.map_or_else(String::new, |threshold| format!(", threshold {threshold:.2}"));
    format!("score {score:.2}{threshold}")
}

#[cfg(test)]
mod tests;
