//! What a cell and the margin beside it say where they are pointed at, and the job that a cell picks.
//!
//! ```text
//! cloud07 · job_200905121314_0007 sort
//! Map: score 0.412; 31 ok, 2 failed, 0 killed, 1.9 GiB in 0h 23m 28s
//! ```
//! A shared report may carry the scores alone: then these are all that a cell says.
//! Cost: O(cells in sight); texts of [`HITS`] cells at the most, and of each row.

use super::grid::Cell;
use super::{Figure, MARGIN_CSS_PX, MARGIN_GAP_CSS_PX};
use crate::base::Arrange;
use crate::base::quantity::bytes;
use crate::scene::jobs::{total_time, z_in_words};
use crate::scene::{Hit, Scene, Selection};

/// Cells that answer one by one; of more, the most anomalous do.
const HITS: usize = 3_000;

impl Figure<'_> {
    pub(super) fn hits(&self, scene: &mut Scene) {
        let mut cells: Vec<(usize, usize, f32)> = Vec::new();
        let all = self.rows.len() * self.columns.len() <= HITS;
        for row in self.rows.from..self.rows.to {
            let of_row = self.grid.row(row).get(self.columns.from..self.columns.to).unwrap_or_default();
            let from = self.columns.from;
            let telling = |c: &Cell| all || matches!(c, Cell::Score(_) | Cell::Alone);
            cells
                .extend(of_row.iter().enumerate().filter(|(_, c)| telling(c)).map(|(i, c)| (row, from + i, c.score())));
        }
        if !all {
            if cells.len() > HITS {
                cells.select_nth_unstable_by(HITS, |a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));
                cells.truncate(HITS);
            }
            cells.arrange_by(|(row, column, _)| (*row, *column));
        }
        for (row, column, _) in cells {
            scene.hits.push(Hit {
                at: (self.columns.px(column), self.rows.px(row)),
                size: (self.columns.each(), self.rows.each()),
                says: self.cell_says(row, column),
                node: Some(self.name(row).to_owned()),
                picks: self.picks(column),
            });
        }
        let right = self.columns.at + self.columns.size + MARGIN_GAP_CSS_PX;
        for row in self.rows.from..self.rows.to {
            scene.hits.push(Hit {
                at: (right, self.rows.px(row)),
                size: (MARGIN_CSS_PX, self.rows.each()),
                says: vec![self.name(row).to_owned(), margin_says(self.grid.margin(row))],
                node: Some(self.name(row).to_owned()),
                ..Hit::default()
            });
        }
    }

    fn picks(&self, column: usize) -> Option<Box<Selection>> {
        let job = self.grid.jobs.get(column).and_then(|i| self.shown.survey.jobs().get(*i))?;
        Some(Box::new(Selection { job: Some(job.id), ..Selection::default() }))
    }

    fn cell_says(&self, row: usize, column: usize) -> Vec<String> {
        let (Some(index), Some(node)) = (self.grid.jobs.get(column), self.grid.nodes.get(row)) else {
            return Vec::new();
        };
        let Some(job) = self.shown.survey.jobs().get(*index) else { return Vec::new() };
        let title =
            self.shown.row(*index).and_then(|r| r.name.as_deref()).map_or_else(String::new, |t| format!(" {t}"));
        let mut says = vec![format!("{} · {}{title}", self.name(row), job.id)];
        for work in self.shown.survey.on(*index, *node) {
            let score = work.scored.score.map_or_else(|| "not comparable".to_owned(), |s| format!("score {s:.3}"));
            // A shared report may carry the scores alone.
            if work.attempts() == 0 {
                says.push(work.scored.score.map_or(score, |s| format!("score about {s:.2}")));
                continue;
            }
            says.push(format!(
                "{}: {score}; {} ok, {} failed, {} killed, {} in {}",
                work.side.name(),
                work.success,
                work.failed,
                work.killed,
                bytes(work.bytes as f64),
                total_time(work),
            ));
            says.push(z_in_words(work));
        }
        if says.len() == 1 {
            let why = if self.shown.is_blacklisted(*index, *node) { "blacklisted" } else { "ran nothing of it" };
            says.push(format!("{why}: nothing is known"));
        }
        says
    }
}

/// What is known of a node over all jobs that are shown.
fn margin_says(margin: Cell) -> String {
    match margin {
        Cell::Score(mean) => format!("mean score {mean:.3}"),
        Cell::Alone => String::from("nothing it ran can be compared"),
        Cell::Blacklisted => String::from("blacklisted: nothing is known"),
        Cell::Empty => String::from("ran nothing of these jobs: nothing is known"),
    }
}
