//! What of a scene answers to the pointer and to the arrow keys.

use super::{Plot, Point, Scene, Selection};
use serde::{Deserialize, Serialize};

/// A place that answers to the pointer and to the arrow keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Upper left corner.
    pub at: Point,
    /// Width and height.
    pub size: Point,
    /// What is told of it, line by line.
    pub says: Vec<String>,
    /// The node that it stands for.
    pub node: Option<String>,
    /// What a click on it chooses, beside the node.
    pub picks: Option<Box<Selection>>,
}

impl Hit {
    /// What a click on it chooses; `None`: nothing.
    #[must_use]
    pub fn selection(&self) -> Option<Selection> {
        let mut picks = self.picks.as_deref().cloned().unwrap_or_default();
        if picks.node.is_none() {
            picks.node.clone_from(&self.node);
        }
        (!picks.is_empty()).then_some(picks)
    }

    fn middle(&self) -> Point {
        (self.at.0 + self.size.0 / 2.0, self.at.1 + self.size.1 / 2.0)
    }

    fn contains(&self, p: Point) -> bool {
        p.0 >= self.at.0 && p.1 >= self.at.1 && p.0 < self.at.0 + self.size.0 && p.1 < self.at.1 + self.size.1
    }
}

/// A step of the keyboard cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
    /// To the first.
    First,
    /// To the last.
    Last,
}

impl Scene {
    /// Where on a plot the choice is: its row, and its time or column; the middle where one of these is not chosen or
    /// out of sight. `None` where both are.
    #[must_use]
    pub fn place_of(&self, plot: &Plot, chosen: &Selection) -> Option<Point> {
        let (right, bottom) = (plot.at.0 + plot.size.0, plot.at.1 + plot.size.1);
        let (mut x, mut y) = (None, None);
        for hit in &self.hits {
            let at = hit.middle();
            if at.0 < plot.at.0 || at.0 > right || at.1 < plot.at.1 || at.1 > bottom {
                continue;
            }
            let picks = hit.picks.as_deref();
            if chosen.attempt.is_some() && picks.is_some_and(|picks| picks.attempt == chosen.attempt) {
                return Some(at);
            }
            if chosen.node.is_some() && hit.node == chosen.node {
                y = y.or(Some(at.1));
            }
            // Where across is time, a job is in many places.
            let is_grid = plot.times_ms.is_none() && chosen.job.is_some();
            if is_grid && picks.is_some_and(|picks| picks.job == chosen.job) {
                x = x.or(Some(at.0));
            }
        }
        if let Some(span) = chosen.span {
            x = plot.px_of(span).filter(|px| (plot.at.0..=right).contains(px));
        }
        let middle = ((plot.at.0 + right) / 2.0, (plot.at.1 + bottom) / 2.0);
        (x.is_some() || y.is_some()).then(|| (x.unwrap_or(middle.0), y.unwrap_or(middle.1)))
    }

    /// The hit under a point: the smallest that contains it.
    #[must_use]
    pub fn hit_at(&self, p: Point) -> Option<usize> {
        let area = |h: &Hit| h.size.0 * h.size.1;
        let under = self.hits.iter().enumerate().filter(|(_, h)| h.contains(p));
        under.min_by(|a, b| area(a.1).total_cmp(&area(b.1))).map(|(i, _)| i)
    }

    /// The hit that a step of the keyboard cursor leads to: the nearest in that direction,
    /// looking straight ahead rather than aside.
    #[must_use]
    pub fn hit_after(&self, from: Option<usize>, step: Step) -> Option<usize> {
        let last = self.hits.len().checked_sub(1)?;
        let Some(here) = from.and_then(|i| self.hits.get(i)) else { return Some(0) };
        let (x, y) = here.middle();
        let ahead = |h: &Hit| {
            let (dx, dy) = (h.middle().0 - x, h.middle().1 - y);
            match step {
                Step::Left => (-dx, dy),
                Step::Right => (dx, dy),
                Step::Up => (-dy, dx),
                Step::Down => (dy, dx),
                Step::First | Step::Last => (0.0, 0.0),
            }
        };
        match step {
            Step::First => Some(0),
            Step::Last => Some(last),
            _ => {
                let near = self.hits.iter().enumerate().filter_map(|(i, h)| {
                    let (forward, aside) = ahead(h);
                    (forward > 0.5).then_some((i, forward + 4.0 * aside.abs()))
                });
                near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i).or(from)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, Timestamp};

    fn hit(x: f32, y: f32, w: f32) -> Hit {
        Hit { at: (x, y), size: (w, 10.0), ..Hit::default() }
    }

    #[test]
    fn pointer_finds_the_smallest_hit() {
        let scene = Scene { hits: vec![hit(0.0, 0.0, 100.0), hit(10.0, 0.0, 5.0)], ..Scene::default() };
        assert_eq!(scene.hit_at((12.0, 5.0)), Some(1));
        assert_eq!(scene.hit_at((50.0, 5.0)), Some(0));
        assert_eq!(scene.hit_at((50.0, 15.0)), None);
    }

    #[test]
    fn choice_has_a_place_while_it_is_in_sight() {
        let plot = Plot::of_time((0.0, 0.0), (100.0, 40.0), (0, 1000));
        let of = |node: &str, y| Hit { node: Some(node.into()), ..hit(20.0, y, 10.0) };
        let scene = Scene { hits: vec![of("a", 0.0), of("b", 20.0), of("c", 60.0)], ..Scene::default() };
        let node = |name: &str| Selection { node: Some(name.into()), ..Selection::default() };
        let place = |chosen: &Selection| scene.place_of(&plot, chosen);
        assert_eq!(place(&node("b")), Some((50.0, 25.0)), "its row");
        assert_eq!([place(&node("c")), place(&node("d")), place(&Selection::default())], [None; 3], "out of sight");
        let span = Some((Timestamp::from_millis(600), Timestamp::from_millis(800)));
        assert_eq!(place(&Selection { span, ..Selection::default() }), Some((70.0, 20.0)));
        assert_eq!(place(&Selection { span, ..node("b") }), Some((70.0, 25.0)), "its row, and the time");
        let later = Some((Timestamp::from_millis(2600), Timestamp::from_millis(2800)));
        assert_eq!(place(&Selection { span: later, ..node("b") }), Some((50.0, 25.0)));
        let attempt = AttemptId::parse(b"attempt_202611202200_0001_m_000003_0");
        let one = Selection { attempt, ..node("b") };
        let picks = Some(Box::new(one.clone()));
        let scene = Scene { hits: vec![of("b", 20.0), Hit { picks, ..of("b", 24.0) }], ..Scene::default() };
        assert_eq!(scene.place_of(&plot, &one), Some((25.0, 29.0)));
    }

    #[test]
    fn arrow_keys_walk_a_grid_and_stop_at_its_edge() {
        let grid = [(0.0, 0.0), (20.0, 0.0), (0.0, 20.0), (20.0, 20.0)];
        let scene = Scene { hits: grid.iter().map(|&(x, y)| hit(x, y, 10.0)).collect(), ..Scene::default() };
        assert_eq!(scene.hit_after(None, Step::Right), Some(0));
        assert_eq!(scene.hit_after(Some(0), Step::Right), Some(1));
        assert_eq!(scene.hit_after(Some(1), Step::Down), Some(3));
        assert_eq!(scene.hit_after(Some(3), Step::Right), Some(3));
        assert_eq!(scene.hit_after(Some(3), Step::First), Some(0));
        assert_eq!(Scene::default().hit_after(None, Step::Left), None);
    }
}
