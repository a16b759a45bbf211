//! A node's row in figures of how long something takes: its name, and the middle half of its values.

use super::ROW_CSS_PX;
use crate::scene::names::Hosts;
use crate::scene::{Anchor, Look, Mark, Role, Scene};

/// A row that has its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// What marks of it are.
    pub(super) role: Role,
    /// Where its middle is.
    pub(super) middle: f32,
    top: f32,
}

impl Row {
    /// Puts the name of a node, and whether it is indicted, to the left of the plot, whose row is at `top`.
    pub(super) fn named(
        scene: &mut Scene,
        look: &Look,
        (hosts, name, is_indicted): (&Hosts, &str, bool),
        (left, top): (f32, f32),
    ) -> Self {
        let marked = look.marked(name);
        let odd = is_indicted || marked == Some(Role::Culprit);
        let ink = if odd { Role::Culprit } else { marked.unwrap_or(Role::Faint) };
        let middle = top + ROW_CSS_PX / 2.0;
        scene.text((left - 8.0, middle), hosts.fitted(name, left - 10.0), Anchor::End, ink);
        Self { role: if odd { Role::Culprit } else { Role::Node }, middle, top }
    }

    /// Puts the box of the middle half, with a tick at the median: pixels of lower quartile, median, upper quartile.
    pub(super) fn half(&self, scene: &mut Scene, [from, median, to]: [f32; 3]) {
        let size = ((to - from).max(2.0), ROW_CSS_PX - 10.0);
        scene.push(Mark::Rect { at: (from, self.top + 5.0), size, role: self.role });
        let (at, size) = ((median - 1.0, self.top + 2.0), (2.0, ROW_CSS_PX - 4.0));
        scene.push(Mark::Rect { at, size, role: Role::Ink });
    }
}
