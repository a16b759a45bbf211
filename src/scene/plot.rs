//! The part of a scene that pans and zooms, and in which stretches of time are chosen.

use super::{Point, Viewport};
use crate::base::Timestamp;
use serde::{Deserialize, Serialize};

/// The part of a scene that pans and zooms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// Upper left corner.
    pub at: Point,
    /// Width and height.
    pub size: Point,
    /// What it shows of the whole.
    pub shown: Viewport,
    /// The smallest part that still shows more than the next larger one, across and down;
    /// 1: does not zoom that way.
    pub least: (f64, f64),
    /// First and last time of the whole, where across is time: a stretch of it can be chosen.
    pub times_ms: Option<(i64, i64)>,
}

impl Plot {
    /// A plot over the whole of a stretch of time, which does not zoom.
    #[must_use]
    pub const fn of_time(at: Point, size: Point, times_ms: (i64, i64)) -> Self {
        Self { at, size, shown: Viewport::WHOLE, least: (1.0, 1.0), times_ms: Some(times_ms) }
    }

    /// The same, zooming across down to a part that is so long.
    #[must_use]
    pub fn zooming_to(self, least_ms: i64, shown: Viewport) -> Self {
        let whole_ms = self.times_ms.map_or(1, |(from, to)| to.saturating_sub(from)).max(1);
        let least = (least_ms as f64 / whole_ms as f64).clamp(f64::MIN_POSITIVE, 1.0);
        Self { least: (least, 1.0), shown: Viewport { x: shown.x, ..Viewport::WHOLE }, ..self }
    }

    /// The stretch of time that a part of what is shown marks, however short: what zooming ends at does not bound
    /// it. `None` where across is not time, or the part has no width.
    #[must_use]
    pub fn marked(&self, part: Viewport) -> Option<(Timestamp, Timestamp)> {
        let (from, to) = self.times_ms?;
        let (left, right) = self.shown.part(part, (0.0, 0.0)).x;
        let at = |share: f64| Timestamp::from_millis(from + ((to - from) as f64 * share).round() as i64);
        Some((at(left), at(right))).filter(|(from, to)| from < to)
    }

    /// The pixel of the middle of a stretch of time, on the plot or beside it.
    #[must_use]
    pub fn px_of(&self, (from, to): (Timestamp, Timestamp)) -> Option<f32> {
        let (begin, end) = self.times_ms?;
        let middle = (from.millis() as f64 + to.millis() as f64) / 2.0 - begin as f64;
        let share = middle / (end - begin).max(1) as f64 - self.shown.x.0;
        Some(self.at.0 + self.size.0 * (share / (self.shown.x.1 - self.shown.x.0)) as f32)
    }

    /// What was `wanted` of the plot before, where the whole is another stretch of time by now: the same times, and
    /// all rows, which are others too.
    #[must_use]
    pub fn following(&self, before: &Self, wanted: Viewport) -> Viewport {
        let ((from, to), (began, ended)) = match (self.times_ms, before.times_ms) {
            (Some(now), Some(then)) if now != then => (now, then),
            _ => return wanted,
        };
        if wanted.x == Viewport::WHOLE.x {
            return Viewport::WHOLE;
        }
        let share = |share: f64| ((began - from) as f64 + (ended - began) as f64 * share) / (to - from).max(1) as f64;
        Viewport::WHOLE.part(Viewport { x: (share(wanted.x.0), share(wanted.x.1)), ..Viewport::WHOLE }, self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(from: f64, to: f64) -> Viewport {
        Viewport { x: (from, to), ..Viewport::WHOLE }
    }

    #[test]
    fn a_stretch_is_marked_in_a_plot_that_does_not_zoom() {
        let plot = Plot::of_time((0.0, 0.0), (100.0, 10.0), (1_000, 11_000));
        let [from, to] = [3_500, 4_500].map(Timestamp::from_millis);
        assert_eq!(plot.marked(part(0.25, 0.35)), Some((from, to)));
        // Of what is shown, and shorter than the least that is zoomed to.
        let near = plot.zooming_to(5_000, part(0.5, 1.0));
        let [from, to] = [6_500, 7_000].map(Timestamp::from_millis);
        assert_eq!(near.marked(part(0.1, 0.2)), Some((from, to)));
    }

    #[test]
    fn a_mark_of_no_width_chooses_no_time() {
        let plot = Plot::of_time((0.0, 0.0), (100.0, 10.0), (1_000, 11_000));
        assert_eq!([part(0.3, 0.3), part(1.0, 1.0)].map(|part| plot.marked(part)), [None, None]);
        assert_eq!(Plot { times_ms: None, ..plot }.marked(part(0.1, 0.9)), None);
    }

    #[test]
    fn what_is_looked_at_stays_where_the_whole_becomes_another() {
        let of = |from, to| Plot::of_time((0.0, 0.0), (100.0, 10.0), (from, to)).zooming_to(200, Viewport::WHOLE);
        let (all, job) = (of(0, 100_000), of(40_000, 60_000));
        let near = Viewport { x: (0.45, 0.5), y: (0.2, 0.3) };
        assert_eq!(all.following(&all, near), near);
        assert_eq!(job.following(&all, near), part(0.25, 0.5));
        // And back; what reaches beyond the job ends with it.
        assert_eq!(all.following(&job, part(0.25, 0.5)), part(0.45, 0.5));
        assert_eq!(job.following(&all, part(0.35, 0.45)), part(0.0, 0.5));
        assert_eq!(job.following(&all, part(0.1, 0.9)), Viewport::WHOLE);
    }

    #[test]
    fn who_looks_at_all_goes_on_looking_at_all() {
        let of = |from, to| Plot::of_time((0.0, 0.0), (100.0, 10.0), (from, to));
        let rows = Viewport { y: (0.2, 0.3), ..Viewport::WHOLE };
        assert_eq!(of(0, 100).following(&of(40, 60), rows), Viewport::WHOLE);
        let no_time = Plot { times_ms: None, ..of(0, 100) };
        assert_eq!(no_time.following(&no_time, rows), rows);
    }
}
