//! The heatmap's cells: which nodes, which jobs, what stands where they cross. Made once for a
//! choice of jobs and an order of rows; a pan or a zoom looks at another part of them.
//!
//! Cost: O(nodes × jobs) look-ups to make, 8 bytes a cell.

use super::order;
use crate::base::{Gathered, NodeId, Timestamp};
use crate::report::heatmap::{SCORE_STEPS, step_of};
use crate::scene::jobs::{JobFilter, JobsShown, RowOrder};
use crate::scene::{Look, Table};
use std::collections::BTreeMap;

/// Rows of the table twin.
const ROWS_TOLD: usize = 1_000;
/// Jobs that have a column of it at the most; of more their scores are summed up.
const JOBS_TOLD: usize = 24;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// Nothing ran: nothing is known.
    Empty,
    /// The node was given nothing.
    Blacklisted,
    /// What ran cannot be compared: too few nodes worked for the job.
    Alone,
    /// A score, 0 to 1; to the letter without an end.
    Score(f32),
}

impl Cell {
    pub(super) fn score(self) -> f32 {
        if let Self::Score(score) = self { score } else { 0.0 }
    }

    /// The more telling of two cells under one pixel.
    pub(super) fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Score(a), Self::Score(b)) => Self::Score(a.max(b)),
            (Self::Score(a), _) | (_, Self::Score(a)) => Self::Score(a),
            (Self::Alone, _) | (_, Self::Alone) => Self::Alone,
            (Self::Blacklisted, _) | (_, Self::Blacklisted) => Self::Blacklisted,
            _ => Self::Empty,
        }
    }

    /// Its index in the palette, where `most` is the strongest.
    pub(super) fn index(self, most: f32) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Score(score) => 1 + step_of(score / most),
            Self::Blacklisted => SCORE_STEPS + 1,
            Self::Alone => SCORE_STEPS + 2,
        }
    }
}

/// The cells of the chosen jobs, row by row in the order of the nodes.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) nodes: Vec<NodeId>,
    /// Places in the survey.
    pub(super) jobs: Vec<usize>,
    /// The score that is strongest in colour.
    pub(super) most: f32,
    cells: Vec<Cell>,
    means: Vec<Option<f32>>,
}

impl Grid {
    fn of(shown: &JobsShown<'_>, look: &Look) -> Self {
        let nodes: Vec<NodeId> = shown.trace.peer_nodes().collect();
        let place: BTreeMap<NodeId, usize> = nodes.iter().enumerate().map(|(i, n)| (*n, i)).gathered();
        let jobs = shown.chosen(look);
        let mut cells = vec![Cell::Empty; nodes.len() * jobs.len()];
        let works = || jobs.iter().enumerate().flat_map(|(c, j)| shown.survey.works(*j).iter().map(move |w| (c, w)));
        let most = shown.highest.unwrap_or_else(|| shown.survey.highest(shown.reading, jobs.iter().copied()));
        for (column, work) in works() {
            let Some(row) = place.get(&work.node) else { continue };
            if let Some(cell) = cells.get_mut(row * jobs.len() + column) {
                *cell = cell.or(work.scored.score.map_or(Cell::Alone, Cell::Score));
            }
        }
        let crossings = nodes.iter().flat_map(|node| jobs.iter().map(move |job| (*job, *node)));
        for (cell, (job, node)) in cells.iter_mut().zip(crossings) {
            if *cell == Cell::Empty && shown.is_blacklisted(job, node) {
                *cell = Cell::Blacklisted;
            }
        }
        let mut grid = Self { nodes, jobs, most, cells, means: Vec::new() };
        grid.means = (0..grid.nodes.len()).map(|row| grid.mean_of(row)).collect();
        let order = order::of(&grid, look.row_order);
        grid.reorder(&order);
        grid
    }

    pub(super) fn row(&self, row: usize) -> &[Cell] {
        self.cells.get(row * self.jobs.len()..(row + 1) * self.jobs.len()).unwrap_or_default()
    }

    fn reorder(&mut self, order: &[usize]) {
        self.cells = order.iter().flat_map(|row| self.row(*row).to_vec()).collect();
        self.nodes = order.iter().filter_map(|row| self.nodes.get(*row).copied()).collect();
        self.means = order.iter().map(|row| self.mean(*row)).collect();
    }

    /// Mean score of a row, over the cells that have one.
    pub(super) fn mean(&self, row: usize) -> Option<f32> {
        self.means.get(row).copied().flatten()
    }

    /// What stands for a row: its mean score; without any score the most telling of its cells, as no evidence is not
    /// health (T24, X10).
    pub(super) fn margin(&self, row: usize) -> Cell {
        let telling = || self.row(row).iter().fold(Cell::Empty, |a, b| a.or(*b));
        self.mean(row).map_or_else(telling, Cell::Score)
    }

    fn mean_of(&self, row: usize) -> Option<f32> {
        let scores = self.row(row).iter().filter(|c| matches!(c, Cell::Score(_)));
        let (sum, n) = scores.fold((0.0, 0_u32), |(sum, n), c| (sum + c.score(), n + 1));
        (n > 0).then(|| sum / n as f32)
    }

    fn table(&self, shown: &JobsShown<'_>) -> Table {
        let headers = [
            "node",
            "jobs it ran",
            "mean score",
            "highest score",
            "in job",
            "incidents",
            "jobs that ran nothing there",
            "jobs not comparable",
        ];
        let told: &[usize] = if self.has_all() { &self.jobs } else { &[] };
        let ids = told.iter().map(|i| shown.survey.jobs().get(*i).map_or_else(String::new, |job| job.id.to_string()));
        let rows = (0..self.nodes.len()).take(ROWS_TOLD).map(|row| {
            let cells = self.row(row);
            let count = |is: fn(&&Cell) -> bool| cells.iter().filter(is).count();
            let compared = count(|c| matches!(c, Cell::Score(_)));
            let alone = count(|c| **c == Cell::Alone);
            let highest =
                cells.iter().enumerate().max_by(|a, b| a.1.score().total_cmp(&b.1.score()).then(b.0.cmp(&a.0)));
            let (column, score) = highest.map_or((0, 0.0), |(c, cell)| (c, cell.score()));
            let job = self.jobs.get(column).and_then(|i| shown.survey.jobs().get(*i));
            let incidents = shown.incidents.iter().filter(|i| self.nodes.get(row) == Some(&i.node)).count();
            let number = |x: Option<f32>| x.map_or_else(String::new, |x| format!("{x:.3}"));
            let mut texts = vec![
                self.nodes.get(row).map_or("", |node| shown.trace.node_name(*node)).to_owned(),
                (compared + alone).to_string(),
                number(self.mean(row)),
                number((compared > 0).then_some(score)),
                job.filter(|_| score > 0.0).map_or_else(String::new, |j| j.id.to_string()),
                incidents.to_string(),
                (cells.len() - compared - alone).to_string(),
                alone.to_string(),
            ];
            texts.extend(cells.iter().take(told.len()).map(|cell| match cell {
                Cell::Empty => String::new(),
                Cell::Blacklisted => String::from("blacklisted"),
                Cell::Alone => String::from("not comparable"),
                Cell::Score(score) => format!("{score:.3}"),
            }));
            texts
        });
        Table { headers: headers.map(str::to_owned).into_iter().chain(ids).collect(), rows: rows.collect() }
    }

    /// Whether the table has all cells.
    pub(super) fn has_all(&self) -> bool {
        self.jobs.len() <= JOBS_TOLD && self.nodes.len() <= ROWS_TOLD
    }
}

/// What the cells are of.
type Choice = (Box<JobFilter>, RowOrder, Option<(Timestamp, Timestamp)>);

/// The cells of the last choice, with their table.
#[derive(Debug)]
pub struct Kept {
    choice: Choice,
    pub(super) grid: Grid,
    pub(super) table: Table,
}

impl Kept {
    /// The cells of what is looked at; those of `kept` where they are the same.
    pub(super) fn of<'a>(kept: &'a mut Option<Self>, shown: &JobsShown<'_>, look: &Look) -> &'a Self {
        let choice = (look.jobs.clone(), look.row_order, look.selection.span);
        let held = kept.take().filter(|held| held.choice == choice);
        kept.insert(held.unwrap_or_else(|| {
            let grid = Grid::of(shown, look);
            let table = grid.table(shown);
            Self { choice, grid, table }
        }))
    }
}
