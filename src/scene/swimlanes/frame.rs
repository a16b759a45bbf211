//! Which part of the runs a figure of swimlanes shows, and where.
//!
//! The rows of all runs stand one below the other, and each run's time begins at the left: the [`Whole`]. A look shows a
//! [`Frame`] of it, in which each run has a [`Part`].

use super::Run;
use crate::scene::axis::Axis;
use crate::scene::{Look, Point};

/// Height of the plot.
const PLOT_CSS_PX: f32 = 480.0;
/// Room above it.
const TOP_CSS_PX: f32 = 6.0;
/// A row is not drawn higher.
pub(super) const ROW_MAX_CSS_PX: f32 = 18.0;
/// Rows that there is always room for, so that a few do not fill the plot.
const LEAST_ROOM: f64 = 4.0;
/// Rows are marks from this height on: below it a pointer could not tell them apart.
const NEAR_CSS_PX: f32 = 3.0;
/// Intervals drawn as marks at the most; packed rows hold many.
const NEAR_MARKS: usize = 4_000;

/// How much time and how many rows all runs together take.
pub(super) struct Whole {
    /// Milliseconds of the unit that is common to all: the coarsest of the runs'.
    pub(super) unit_ms: f64,
    /// Length of the longest run.
    pub(super) span_ms: f64,
    /// Rows of all runs; of few runs no more is shown than they need.
    pub(super) rows: f64,
}

impl Whole {
    pub(super) fn of(runs: &[Run<'_>]) -> Self {
        let rows: usize = runs.iter().map(|r| r.lanes.rows()).sum();
        Self {
            unit_ms: runs.iter().map(|r| r.lanes.unit_ms()).max().unwrap_or(1) as f64,
            span_ms: runs.iter().map(|r| r.lanes.units() * r.lanes.unit_ms() as f64).fold(1.0, f64::max),
            rows: (rows as f64).max(LEAST_ROOM),
        }
    }
}

/// Where rows and times are drawn.
pub(super) struct Frame {
    pub(super) at: Point,
    pub(super) size: Point,
    /// Milliseconds of a unit, the same for each run.
    pub(super) unit_ms: f64,
    /// Shown units from the begin.
    pub(super) units: (f64, f64),
    /// Shown rows of all runs.
    pub(super) rows: (f64, f64),
}

impl Frame {
    /// What a look shows of the whole, from `left` to the right edge.
    pub(super) fn of(whole: &Whole, left: f32, look: &Look) -> Self {
        let part = |(from, to): (f64, f64), whole: f64| (from * whole, (to * whole).max(from * whole + 1e-6));
        Self {
            at: (left, TOP_CSS_PX),
            size: ((look.width_css_px - left - 2.0).max(40.0), PLOT_CSS_PX.min(whole.rows as f32 * ROW_MAX_CSS_PX)),
            unit_ms: whole.unit_ms,
            units: part(look.viewport.x, whole.span_ms / whole.unit_ms),
            rows: part(look.viewport.y, whole.rows),
        }
    }

    pub(super) fn bottom(&self) -> f32 {
        self.at.1 + self.size.1
    }

    pub(super) fn right(&self) -> f32 {
        self.at.0 + self.size.0
    }

    pub(super) fn x(&self, unit: f64) -> f32 {
        let share = (unit - self.units.0) / (self.units.1 - self.units.0);
        self.at.0 + share.clamp(0.0, 1.0) as f32 * self.size.0
    }

    pub(super) fn y(&self, row: f64) -> f32 {
        let share = (row - self.rows.0) / (self.rows.1 - self.rows.0);
        self.at.1 + share.clamp(0.0, 1.0) as f32 * self.size.1
    }

    /// Where the milliseconds are; those of one run alone are since the epoch, else since each run's begin.
    pub(super) fn times(&self, alone: Option<&Run<'_>>) -> Axis {
        let begin = alone.map_or(0, |run| run.lanes.span.0.millis()) as f64;
        let (from, to) = self.units;
        Axis::linear((begin + from * self.unit_ms, begin + to * self.unit_ms), (self.at.0, self.right()))
    }

    pub(super) fn row_css_px(&self) -> f32 {
        (f64::from(self.size.1) / (self.rows.1 - self.rows.0)) as f32
    }
}

/// The rows of a run that are shown.
pub(super) struct Part<'a> {
    pub(super) run: &'a Run<'a>,
    /// The figure's row that is the run's first.
    pub(super) first_row: usize,
    /// The run's own rows.
    pub(super) rows: std::ops::Range<usize>,
}

impl<'a> Part<'a> {
    pub(super) fn of(run: &'a Run<'a>, first_row: usize, frame: &Frame) -> Option<Self> {
        let last_row = first_row + run.lanes.rows();
        let (from, to) = (frame.rows.0.max(first_row as f64), frame.rows.1.min(last_row as f64));
        let rows = || (from as usize - first_row)..((to.ceil() as usize).min(last_row) - first_row);
        (from < to).then(|| Self { run, first_row, rows: rows() })
    }

    /// Upper edge of one of the run's rows.
    pub(super) fn y(&self, frame: &Frame, row: usize) -> f32 {
        frame.y((self.first_row + row) as f64)
    }

    /// Whether its intervals can be told apart, and are few enough to be drawn one by one.
    pub(super) fn is_near(&self, frame: &Frame) -> bool {
        frame.row_css_px() >= NEAR_CSS_PX && {
            let mut count = 0;
            self.run.lanes.each(self.rows.clone(), window(frame, self.run), |_| count += 1);
            count <= NEAR_MARKS
        }
    }
}

/// The stretch that is shown, in a run's own units.
pub(super) fn window(frame: &Frame, run: &Run<'_>) -> (u32, u32) {
    let own = |unit: f64| unit * frame.unit_ms / run.lanes.unit_ms().max(1) as f64;
    (own(frame.units.0) as u32, own(frame.units.1).ceil().min(f64::from(u32::MAX)) as u32)
}
