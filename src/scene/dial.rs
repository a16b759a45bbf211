//! A threshold that the reader moves: the scene is judged anew where it is shown.

use super::{Mark, Role, Scene, axis};
use serde::{Deserialize, Serialize};

/// Nearer to where it was found, a dial stands there: more than a slider's rounding.
const NEAR: f64 = 5e-4;

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
    /// How it is judged where the dial stands as found: a threshold may not be all that counts.
    pub found: bool,
    /// Indices of the marks that show it.
    pub marks: Vec<u32>,
    /// Row of the table whose last cell says `yes` or `no`.
    pub row: Option<u32>,
    /// The hit whose last line says how it is judged.
    pub hit: Option<u32>,
}

impl Judged {
    /// How it is judged: where the dial stands as found by all that counts, else by the line alone.
    #[must_use]
    pub const fn words(as_found: bool, over: bool) -> &'static str {
        match (as_found, over) {
            (true, true) => "indicted",
            (true, false) => "not indicted",
            (false, true) => "over the line",
            (false, false) => "below the line",
        }
    }
}

/// A threshold that can be moved without asking the worker again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dial {
    /// Where it stands.
    pub value: f64,
    /// Where it stood at first.
    pub found: f64,
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

impl Scene {
    /// Moves the threshold: its line, the roles of what it judges and what is told of them, the table's last column.
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
        let as_found = (dial.value - dial.found).abs() < NEAR;
        for judged in &dial.judged {
            let over = if as_found { judged.found } else { judged.score > dial.value };
            for mark in &judged.marks {
                if let Some(mark) = self.marks.get_mut(*mark as usize) {
                    // The grey of a node's marks is too faint to be read.
                    let is_text = matches!(mark, Mark::Text { .. });
                    mark.set_role(match over {
                        true => Role::Culprit,
                        false if is_text => Role::Faint,
                        false => Role::Node,
                    });
                }
            }
            let hit = judged.hit.and_then(|hit| self.hits.get_mut(hit as usize));
            if let Some(line) = hit.and_then(|hit| hit.says.last_mut()) {
                Judged::words(as_found, over).clone_into(line);
            }
            let row = judged.row.and_then(|row| self.table.rows.get_mut(row as usize));
            if let Some(cell) = row.and_then(|row| row.last_mut()) {
                *cell = String::from(if over { "yes" } else { "no" });
                if let Some(header) = self.table.headers.last_mut() {
                    Judged::words(as_found, true).clone_into(header);
                }
            }
        }
    }
}
