//! How much longer the jobs took than on control runs, beside what the paper printed (Kahuna
//! Table IV).

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::{Evaluated, ROW_CSS_PX, TOP_CSS_PX, left_of};
use crate::base::quantity::percent;
use crate::evaluation::{Cell, is_control, printed_slowdown};
use crate::scene::axis::{Axis, tenth};

/// Room right of the bars for the number.
const NUMBER_CSS_PX: f32 = 130.0;

/// Lays out the figure; without a title where no lengths are known.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let known: Vec<(&Cell, f64)> =
        e.cells.iter().filter(|c| !is_control(&c.fault)).filter_map(|c| Some((c, c.slowdown?))).collect();
    if known.is_empty() {
        return Scene::default();
    }
    let names: Vec<String> = known.iter().map(|(c, _)| format!("{} {} {}", c.fault, c.workload, c.nodes)).collect();
    let left = left_of(names.iter().map(String::as_str), look);
    let most = known.iter().map(|(_, x)| *x).fold(0.1, f64::max);
    let least = known.iter().map(|(_, x)| *x).fold(0.0, f64::min);
    let axis = Axis::linear((least, most), (left, (look.width_css_px - NUMBER_CSS_PX).max(left + 30.0)));
    let bottom = TOP_CSS_PX + ROW_CSS_PX * known.len() as f32;
    let mut scene = Scene {
        title: String::from("How much longer the jobs took than on control runs (printed in Kahuna's Table IV)"),
        how_to_read: String::from(
            "The median over the runs of a fault, workload and size, each beside the control of its round or, without \
             one, the median of the controls. In brackets what the paper printed for its cluster.",
        ),
        size: (look.width_css_px, bottom + 8.0),
        table: Table {
            headers: ["fault", "workload", "nodes", "slowdown", "printed"].map(String::from).into(),
            rows: known.iter().map(|(cell, x)| row(cell, *x)).collect(),
        },
        ..Scene::default()
    };
    let zero = tenth(axis.px(0.0));
    scene.line((zero, TOP_CSS_PX), (zero, bottom), Role::Ink);
    for (i, ((cell, x), name)) in known.iter().zip(&names).enumerate() {
        let top = TOP_CSS_PX + ROW_CSS_PX * i as f32;
        let end = tenth(axis.px(*x));
        scene.text(
            (left - 8.0, top + ROW_CSS_PX / 2.0),
            super::super::axis::fitted(name, left - 10.0),
            Anchor::End,
            Role::Faint,
        );
        let (at, size) = ((zero.min(end), top + 4.0), ((end - zero).abs().max(1.0), ROW_CSS_PX - 8.0));
        scene.push(Mark::Rect { at, size, role: Role::Node });
        let printed =
            printed_slowdown(&cell.fault, &cell.workload).map_or_else(String::new, |p| format!(" ({p:.1} %)"));
        let words = format!("{}{printed}", percent(*x));
        scene.text((zero.max(end) + 6.0, top + ROW_CSS_PX / 2.0), words.clone(), Anchor::Start, Role::Ink);
        let says = vec![name.clone(), words];
        scene.hits.push(Hit { at: (0.0, top), size: (look.width_css_px, ROW_CSS_PX), says, ..Hit::default() });
    }
    scene
}

fn row(cell: &Cell, x: f64) -> Vec<String> {
    let printed = printed_slowdown(&cell.fault, &cell.workload);
    vec![
        cell.fault.clone(),
        cell.workload.clone(),
        cell.nodes.to_string(),
        percent(x),
        printed.map_or_else(|| String::from("–"), |p| format!("{p:.1} %")),
    ]
}
