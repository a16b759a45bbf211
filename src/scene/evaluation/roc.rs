//! True and false indictments at every threshold: of Maps, and of the metrics' profiles.

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::Evaluated;
use crate::evaluation::{BLACK_BOX, MAPS, Point, Told, black_box_of, roc};
use crate::scene::axis::{Axis, tenth};
use crate::scene::legend::Legend;

/// Side of the plot, at most.
const SIDE_MAX_CSS_PX: f32 = 260.0;
/// Room around the plot: for the scale at the left, for the axes' names above and below.
const LEFT_CSS_PX: f32 = 44.0;
const TOP_CSS_PX: f32 = 30.0;
const BOTTOM_CSS_PX: f32 = 44.0;
/// A point's room for the pointer.
const TOUCH_CSS_PX: f32 = 8.0;

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let side = (look.width_css_px - LEFT_CSS_PX - 12.0).clamp(60.0, SIDE_MAX_CSS_PX);
    let across = Axis::linear((0.0, 1.0), (LEFT_CSS_PX, LEFT_CSS_PX + side));
    let down = Axis::linear((0.0, 1.0), (TOP_CSS_PX + side, TOP_CSS_PX));
    let mut scene = Scene {
        title: String::from("What another threshold would have done (ROC)"),
        how_to_read: String::from(
            "Each point is a threshold on T, strict ones at the lower left. Up: the share of faulty nodes above it; to \
             the right: the share of control runs with some node above it. A run of which a signal says nothing counts \
             as one without any node above; the table says how many those are.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + side + BOTTOM_CSS_PX),
        table: Table {
            headers: ["signal", "threshold", "faulty nodes above", "control runs with a node above", "nothing said"]
                .map(String::from)
                .into(),
            rows: Vec::new(),
        },
        ..Scene::default()
    };
    for tick in across.ticks(4) {
        let (x, y) = (tenth(across.px(tick)), tenth(down.px(tick)));
        scene.line((x, TOP_CSS_PX), (x, TOP_CSS_PX + side), Role::Grid);
        scene.line((LEFT_CSS_PX, y), (LEFT_CSS_PX + side, y), Role::Grid);
        scene.text((x, TOP_CSS_PX + side + 12.0), format!("{tick:.1}"), Anchor::Middle, Role::Faint);
        scene.text((LEFT_CSS_PX - 6.0, y), format!("{tick:.1}"), Anchor::End, Role::Faint);
    }
    scene.text((4.0, TOP_CSS_PX - 16.0), "faulty nodes above the threshold", Anchor::Start, Role::Faint);
    scene.text(
        (LEFT_CSS_PX, TOP_CSS_PX + side + 30.0),
        "control runs with a node above it",
        Anchor::Start,
        Role::Faint,
    );
    let mut legend = Legend::at(LEFT_CSS_PX, TOP_CSS_PX + side + 48.0);
    let black_box = (BLACK_BOX, black_box_of(&e.runs), Role::Threshold);
    for (of, signal, role) in [(MAPS, MAPS, Role::Node), black_box] {
        legend.swatch(&mut scene, role, signal);
        let points = roc(&e.runs, of);
        let silent = Told::by(&e.runs, &[of]).silent.in_words();
        let at = |p: &Point| {
            let share = |rate: crate::evaluation::Rate| rate.share().unwrap_or(0.0);
            (tenth(across.px(share(p.fp))), tenth(down.px(share(p.tp))))
        };
        for p in &points {
            let row = [format!("{:.2}", p.threshold), p.tp.in_words(), p.fp.in_words(), silent.clone()];
            scene.table.rows.push(std::iter::once(signal.to_owned()).chain(row.clone()).collect());
            let (x, y) = at(p);
            let [threshold, tp, fp, silent] = row;
            let says = vec![
                format!("{signal}, T > {threshold}"),
                format!("faulty nodes {tp}"),
                format!("control runs {fp}"),
                format!("nothing said {silent}"),
            ];
            let corner = ((x - TOUCH_CSS_PX / 2.0).max(0.0), y - TOUCH_CSS_PX / 2.0);
            scene.hits.push(Hit { at: corner, size: (TOUCH_CSS_PX, TOUCH_CSS_PX), says, ..Hit::default() });
        }
        scene.push(Mark::Polyline { points: points.iter().map(at).collect(), role });
    }
    scene.size.1 = legend.bottom() + 6.0;
    scene
}
