//! What of a scene answers to the pointer and to the arrow keys.

use super::{Point, Scene, Selection};
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
