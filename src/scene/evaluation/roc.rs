//! True and false indictments at every threshold: of Maps, and of the metrics' profiles.

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::Evaluated;
use crate::evaluation::{BLACK_BOX, MAPS, Point, roc};
use crate::scene::axis::{Axis, tenth};
use crate::scene::legend::Legend;

/// Side of the plot, at most.
const SIDE_MAX: f32 = 260.0;
const LEFT: f32 = 44.0;
const TOP: f32 = 30.0;
const BOTTOM: f32 = 44.0;
/// A point's room for the pointer.
const TOUCH: f32 = 8.0;

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let side = (look.width_css_px - LEFT - 12.0).clamp(60.0, SIDE_MAX);
    let across = Axis::linear((0.0, 1.0), (LEFT, LEFT + side));
    let down = Axis::linear((0.0, 1.0), (TOP + side, TOP));
    let mut scene = Scene {
        title: String::from("What another threshold would have done (ROC)"),
        how_to_read: String::from(
            "Each point is a threshold on T, strict ones at the lower left. Up: the share of faulty nodes above it; to \
             the right: the share of control runs with some node above it.",
        ),
        size: (look.width_css_px, TOP + side + BOTTOM),
        table: Table {
            headers: ["signal", "threshold", "faulty nodes above", "control runs with a node above"]
                .map(String::from)
                .into(),
            rows: Vec::new(),
        },
        ..Scene::default()
    };
    for tick in across.ticks(4) {
        let (x, y) = (tenth(across.px(tick)), tenth(down.px(tick)));
        scene.line((x, TOP), (x, TOP + side), Role::Grid);
        scene.line((LEFT, y), (LEFT + side, y), Role::Grid);
        scene.text((x, TOP + side + 12.0), format!("{tick:.1}"), Anchor::Middle, Role::Faint);
        scene.text((LEFT - 6.0, y), format!("{tick:.1}"), Anchor::End, Role::Faint);
    }
    scene.text((4.0, TOP - 16.0), "faulty nodes above the threshold", Anchor::Start, Role::Faint);
    scene.text((LEFT, TOP + side + 30.0), "control runs with a node above it", Anchor::Start, Role::Faint);
    let mut legend = Legend::at(LEFT, TOP + side + 48.0);
    for (signal, role) in [(MAPS, Role::Node), (BLACK_BOX, Role::Threshold)] {
        legend.swatch(&mut scene, role, signal);
        let points = roc(&e.runs, signal);
        let at = |p: &Point| {
            let share = |rate: crate::evaluation::Rate| rate.share().unwrap_or(0.0);
            (tenth(across.px(share(p.fp))), tenth(down.px(share(p.tp))))
        };
        for p in &points {
            let row = [format!("{:.2}", p.threshold), p.tp.in_words(), p.fp.in_words()];
            scene.table.rows.push(std::iter::once(signal.to_owned()).chain(row.clone()).collect());
            let (x, y) = at(p);
            let [threshold, tp, fp] = row;
            let says =
                vec![format!("{signal}, T > {threshold}"), format!("faulty nodes {tp}"), format!("control runs {fp}")];
            let corner = ((x - TOUCH / 2.0).max(0.0), y - TOUCH / 2.0);
            scene.hits.push(Hit { at: corner, size: (TOUCH, TOUCH), says, ..Hit::default() });
        }
        scene.push(Mark::Polyline { points: points.iter().map(at).collect(), role });
    }
    scene.size.1 = legend.bottom() + 6.0;
    scene
}
