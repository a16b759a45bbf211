//! True and false indictments of each fault, with their intervals.

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::{Evaluated, NUMBERS, ROW_CSS_PX, TOP_CSS_PX, left_of, numbers};
use crate::base::quantity::percent;
use crate::evaluation::{Cell, Summary, wilson};
use crate::scene::axis::{Axis, tenth};
use crate::scene::legend::Legend;

/// Room right of the axis: half of its last label.
const RIGHT_CSS_PX: f32 = 16.0;
/// Radius of a rate's dot.
const RADIUS_CSS_PX: f32 = 4.0;

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let left = left_of(e.by_fault.iter().map(|c| c.fault.as_str()), look);
    let axis = Axis::linear((0.0, 1.0), (left, (look.width_css_px - RIGHT_CSS_PX).max(left + 40.0)));
    let bottom = TOP_CSS_PX + ROW_CSS_PX * e.by_fault.len() as f32;
    let mut scene = Scene {
        title: title(&e.summary),
        how_to_read: String::from(
            "Each run was diagnosed alone. Upper line of a fault: the share of its runs in which the faulty node is \
             named, with Wilson's 95 % interval; lower line: the share in which another node is. Few runs make wide \
             intervals.",
        ),
        size: (look.width_css_px, bottom + 24.0),
        table: Table {
            headers: std::iter::once("fault").chain(NUMBERS).chain(["slowdown"]).map(String::from).collect(),
            rows: e.by_fault.iter().map(row).collect(),
        },
        ..Scene::default()
    };
    for tick in axis.ticks(5) {
        let px = tenth(axis.px(tick));
        scene.line((px, TOP_CSS_PX), (px, bottom), Role::Grid);
        scene.text((px, TOP_CSS_PX - 12.0), format!("{tick:.1}"), Anchor::Middle, Role::Faint);
    }
    for (i, cell) in e.by_fault.iter().enumerate() {
        add_row(&mut scene, axis, cell, TOP_CSS_PX + ROW_CSS_PX * i as f32);
    }
    let mut legend = Legend::at(4.0, bottom + 14.0);
    for (role, name) in [(Role::Node, "the faulty node named"), (Role::Culprit, "another node named")] {
        legend.swatch(&mut scene, role, name);
    }
    scene.size.1 = legend.bottom() + 4.0;
    scene
}

/// How the verdicts on all runs went.
fn title(s: &Summary) -> String {
    format!(
        "{} labelled {}: {} of {} faulty nodes named ({} of {} with the right cause), {}{} wrong; {} of {} clean runs and {} of {} application faults with a node named{}",
        s.runs,
        if s.runs == 1 { "run" } else { "runs" },
        s.right,
        s.with_culprit,
        s.right_cause,
        s.cause_told,
        s.in_part().map_or_else(String::new, |part| format!("{part}, ")),
        s.wrong,
        s.clean_false,
        s.clean,
        s.application_false,
        s.application,
        match s.without_archive {
            0 => String::new(),
            1 => String::from("; 1 label without logs"),
            n => format!("; {n} labels without logs"),
        },
    )
}

/// A fault's name and both of its rates, each a dot on a line from end to end of its interval.
fn add_row(scene: &mut Scene, axis: Axis, cell: &Cell, top: f32) {
    let name = cell.fault.clone();
    scene.text((axis.pixels.0 - 8.0, top + ROW_CSS_PX / 2.0), name, Anchor::End, Role::Ink);
    for (rate, y, role) in [(cell.tp, top + 6.0, Role::Node), (cell.fp, top + 14.0, Role::Culprit)] {
        let Some(share) = rate.share() else { continue };
        let (low, high) = wilson(rate);
        scene.line((tenth(axis.px(low)), y), (tenth(axis.px(high)), y), role);
        scene.push(Mark::Circle { at: (tenth(axis.px(share)), y), radius: RADIUS_CSS_PX, role });
    }
    let size = (scene.size.0, ROW_CSS_PX);
    scene.hits.push(Hit { at: (0.0, top), size, says: says(cell), ..Hit::default() });
}

fn says(cell: &Cell) -> Vec<String> {
    let numbers = NUMBERS.iter().zip(numbers(cell)).map(|(name, number)| format!("{name}: {number}"));
    std::iter::once(cell.fault.clone()).chain(numbers).collect()
}

fn row(cell: &Cell) -> Vec<String> {
    let slowdown = cell.slowdown.map_or_else(|| String::from("–"), percent);
    std::iter::once(cell.fault.clone()).chain(numbers(cell)).chain([slowdown]).collect()
}
