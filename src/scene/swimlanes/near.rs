//! Intervals near enough to be told apart: a mark each, with its numbers.

use super::frame::{Frame, Part, ROW_MAX_CSS_PX, window};
use super::{Class, Run, times};
use crate::base::quantity::bytes;
use crate::model::State;
use crate::scene::axis::tenth;
use crate::scene::{Hit, Hue, Look, Mark, Point, Role, Scene, Selection};

/// Narrower marks could not be seen.
const LEAST_CSS_PX: f32 = 1.0;

/// Adds the intervals of some rows.
pub(super) fn marks(scene: &mut Scene, frame: &Frame, part: &Part<'_>, look: &Look) {
    let run = part.run;
    // The frame counts in the coarsest unit of all runs.
    let units = |own: u32| f64::from(own) * (run.lanes.unit_ms() as f64 / frame.unit_ms);
    let height = frame.row_css_px();
    let gap = if height >= 6.0 { 1.0 } else { 0.5 };
    for row in part.rows.clone() {
        let top = part.y(frame, row);
        // Of the first and the last row a part may be outside.
        let size_y = (part.y(frame, row + 1) - top - gap).min(ROW_MAX_CSS_PX);
        if size_y <= 0.0 {
            continue;
        }
        run.lanes.each(row..row + 1, window(frame, run), |lane| {
            let Some(s) = run.trace.states.get(lane.state as usize).map(|s| run.trace.as_told(s)) else { return };
            let (from, to) = (frame.x(units(lane.start)), frame.x(units(lane.end)));
            let at = (tenth(from), tenth(top));
            let size = (tenth((to - from).max(LEAST_CSS_PX)), tenth(size_y));
            // What failed or was killed keeps the hue of its kind.
            let role = Role::Hue(Hue::of(s.kind));
            scene.push(Mark::Rect { at, size, role });
            shape(scene, if lane.open { Class::Open } else { lane.class }, at, size);
            let is_speculative = s.attempt.is_some_and(|a| run.lanes.speculative.contains(&a));
            if is_speculative && lane.class < Class::Killed && size.0 > 4.0 && size.1 > 4.0 {
                let inner = ((at.0 + 1.5, at.1 + 1.5), (size.0 - 3.0, size.1 - 3.0));
                scene.push(Mark::Rect { at: inner.0, size: inner.1, role: Role::Surface });
            }
            if s.attempt.is_some() && s.attempt == look.selection.attempt {
                scene.push(Mark::Frame { at, size, width_css_px: 2.0, role: Role::Ink });
            }
            scene.hits.push(hit(run, &s, is_speculative, at, size));
        });
    }
}

/// Where what still runs breaks up: from its right end, and how wide. Each gap is a mark, of which a scene has a budget.
const GAPS_CSS_PX: [(f32, f32); 2] = [(3.5, 1.5), (6.5, 1.0)];

/// What tells failed, killed and still running apart: a border in a colour of their own, and a stroke for where there is no
/// colour; a right end that breaks up.
pub(super) fn shape(scene: &mut Scene, class: Class, at: Point, size: Point) {
    let role = match class {
        Class::Failed | Class::Killed => class.role(),
        Class::Open => {
            for (from_end, wide) in GAPS_CSS_PX.into_iter().filter(|(from_end, _)| *from_end < size.0) {
                let at = (tenth(at.0 + size.0 - from_end), at.1);
                scene.push(Mark::Rect { at, size: (wide, size.1), role: Role::Surface });
            }
            return;
        }
        _ => return,
    };
    // Half of a low interval is left to the hue of its kind.
    let width_css_px = 2.0_f32.min(size.0 / 2.0).min(size.1 / 4.0);
    scene.push(Mark::Frame { at, size, width_css_px, role });
    let (right, bottom) = (at.0 + size.0, at.1 + size.1);
    let middle = at.1 + size.1 / 2.0;
    let (from, to) = if class == Class::Failed { (bottom, at.1) } else { (middle, middle) };
    scene.line((at.0, from), (right, to), Role::Ink);
}

fn hit(run: &Run<'_>, s: &State, is_speculative: bool, at: Point, size: Point) -> Hit {
    let node = s.node.map(|n| run.trace.node_name(n).to_owned());
    let mut says = vec![
        [s.kind.name(), node.as_deref().map_or("", |_| "on"), node.as_deref().unwrap_or("")]
            .join(" ")
            .trim()
            .to_owned(),
        times(s, run.trace.zone()),
    ];
    says.extend(s.attempt.map(|a| a.to_string()));
    if is_speculative {
        says.push("speculative: an earlier attempt of its task was running".to_owned());
    }
    says.extend(s.bytes.map(|n| bytes(n as f64)));
    let picks = Selection { job: s.job, attempt: s.attempt, ..Selection::default() };
    let picks = (!picks.is_empty()).then(|| Box::new(picks));
    Hit { at, size, says, node, picks }
}
