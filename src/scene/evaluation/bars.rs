//! Bars by fault, a block a workload, a bar a size: TP up, FP down (Kahuna Figs 4–7). The paper's bars are the
//! black box's alone: it is a line across the verdict's.

use super::super::legend::Legend;
use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::{Evaluated, NUMBERS, each_once, numbers};
use crate::evaluation::{BLACK_BOX, Cell, Rate, Told, black_box_of};
use crate::scene::axis::{fitted, label_width_css_px, tenth};

/// Height of a rate of 1.
const HEIGHT_CSS_PX: f32 = 56.0;
/// Room for a block's heading, and for the faults' names below its bars.
const HEAD_CSS_PX: f32 = 22.0;
const FOOT_CSS_PX: f32 = 34.0;
/// Rows of faults' names at the most: what has no room in them is told where the pointer is.
const NAME_ROWS: usize = 8;
/// Between two names in a row.
const NAME_GAP_CSS_PX: f32 = 10.0;
/// From the end of a bar down to the middle of its size.
const SIZE_CSS_PX: f32 = 10.0;
/// From the sizes to the faults' names.
const NAME_CSS_PX: f32 = 12.0;
/// Height of the mark of a rate of 0, which no runs do not have.
const NONE_CSS_PX: f32 = 1.5;
/// Room at the left, for the scale.
const LEFT_CSS_PX: f32 = 24.0;
/// Room for a fault, at most.
const GROUP_MAX_CSS_PX: f32 = 92.0;
/// Between the bars of two faults.
const GAP_CSS_PX: f32 = 8.0;
/// Headers of [`black_box`].
const BLACK_BOXES: [&str; 3] = ["TP of the black box", "FP of the black box", "nothing said by the black box"];

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let workloads = each_once(e.cells.iter().map(|c| c.workload.as_str()));
    let mut scene = Scene {
        title: String::from("Faulty nodes named (up) and other nodes named (down), by workload, fault and size"),
        how_to_read: format!(
            "One block for each workload, a group of bars for each fault, a bar for each size of cluster, small to large. Up: the share of runs \
             in which the faulty node is named. Down: the share in which another node is. A rate of 0 is a thin mark at the middle line; \
             controls only have a bar down. \
             The line across a bar is what the black box says alone ({}), of the same runs: one of which it says nothing \
             is missed, and no other node is named. Where it says nothing of any, it has no line.",
            black_box_of(&e.runs)
        ),
        size: (look.width_css_px, 0.0),
        table: Table {
            headers: ["fault", "workload", "nodes"]
                .into_iter()
                .chain(NUMBERS)
                .chain(BLACK_BOXES)
                .map(String::from)
                .collect(),
            rows: e.cells.iter().map(|cell| row(e, cell)).collect(),
        },
        ..Scene::default()
    };
    let mut top = 0.0;
    for workload in &workloads {
        let cells: Vec<&Cell> = e.cells.iter().filter(|c| c.workload == *workload).collect();
        top = draw_block(&mut scene, e, workload, &cells, top, look.width_css_px);
    }
    add_legend(&mut scene, e, top);
    scene
}

/// Where in its row each name begins, and in which row, so that none runs into another; `None` where no row has room.
fn name_places(names: &[String], group: f32, width: f32) -> Vec<Option<(f32, usize)>> {
    let mut ends: Vec<f32> = Vec::new();
    let place = |(i, name): (usize, &String)| {
        let long = label_width_css_px(name);
        let x = (LEFT_CSS_PX + group * i as f32).min(width - long).max(0.0);
        let row = ends.iter().position(|end| end + NAME_GAP_CSS_PX <= x).unwrap_or(ends.len());
        match ends.get_mut(row) {
            Some(end) => *end = x + long,
            None if row < NAME_ROWS => ends.push(x + long),
            None => return None,
        }
        Some((tenth(x), row))
    };
    names.iter().enumerate().map(place).collect()
}

/// Says below the blocks what bars, colours and lines are.
fn add_legend(scene: &mut Scene, e: &Evaluated, top: f32) {
    let mut sizes: Vec<usize> = e.cells.iter().map(|c| c.nodes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let mut legend = Legend::at(4.0, top + 8.0);
    legend.swatch(scene, Role::Node, "up: the faulty node is named (TP)");
    legend.swatch(scene, Role::Culprit, "down: another node is (FP)");
    legend.words(scene, "line across a bar: the black box alone");
    legend.words(scene, &format!("bars from left to right: {} nodes", sizes.join(", ")));
    scene.size.1 = legend.bottom() + 4.0;
}

/// Draws a workload's block, and says where it ends.
fn draw_block(scene: &mut Scene, e: &Evaluated, workload: &str, cells: &[&Cell], top: f32, width: f32) -> f32 {
    let faults = each_once(cells.iter().map(|c| c.fault.as_str()));
    let zero = top + HEAD_CSS_PX + HEIGHT_CSS_PX;
    let group = tenth(((width - LEFT_CSS_PX - 2.0) / faults.len().max(1) as f32).min(GROUP_MAX_CSS_PX));
    scene.text((LEFT_CSS_PX, top + HEAD_CSS_PX / 2.0), workload, Anchor::Start, Role::Ink);
    for (label, y) in [("1", zero - HEIGHT_CSS_PX + 5.0), ("0", zero), ("1", zero + HEIGHT_CSS_PX - 5.0)] {
        scene.text((LEFT_CSS_PX - 6.0, y), label, Anchor::End, Role::Faint);
    }
    let names: Vec<String> = faults.iter().map(|fault| fitted(fault, width - LEFT_CSS_PX)).collect();
    let places = name_places(&names, group, width);
    for (i, fault) in faults.iter().enumerate() {
        let of: Vec<&&Cell> = cells.iter().filter(|c| c.fault == *fault).collect();
        let x = LEFT_CSS_PX + group * i as f32;
        let bar = (group - GAP_CSS_PX).max(1.0) / of.len().max(1) as f32;
        for (k, cell) in of.iter().enumerate() {
            let at = tenth(x + bar * k as f32);
            let size = tenth((bar - 1.0).max(0.5));
            for (rate, up, role) in [(cell.tp, true, Role::Node), (cell.fp, false, Role::Culprit)] {
                if let Some(share) = rate.share() {
                    let height = tenth(share as f32 * HEIGHT_CSS_PX).max(NONE_CSS_PX);
                    let y = if up { zero - height } else { zero };
                    scene.push(Mark::Rect { at: (at, y), size: (size, height), role });
                }
            }
            let black_box = black_box(e, cell);
            for (rate, direction) in [(black_box.tp, -1.0), (black_box.fp, 1.0)] {
                if let Some(share) = rate.share().filter(|_| !black_box.is_silent()) {
                    let y = tenth(zero + direction * share as f32 * HEIGHT_CSS_PX);
                    scene.line((at, y), (at + size, y), Role::Ink);
                }
            }
            let nodes = cell.nodes.to_string();
            if label_width_css_px(&nodes) <= bar {
                let middle = (tenth(at + size / 2.0), zero + HEIGHT_CSS_PX + SIZE_CSS_PX);
                scene.text(middle, nodes, Anchor::Middle, Role::Faint);
            }
            scene.hits.push(Hit {
                at: (at, zero - HEIGHT_CSS_PX),
                size: (size, 2.0 * HEIGHT_CSS_PX),
                says: says(cell, black_box),
                ..Hit::default()
            });
        }
    }
    let first = zero + HEIGHT_CSS_PX + SIZE_CSS_PX + NAME_CSS_PX;
    let mut rows = 0;
    for (name, place) in names.into_iter().zip(places) {
        if let Some((x, row)) = place {
            scene.text((x, first + NAME_CSS_PX * row as f32), name, Anchor::Start, Role::Faint);
            rows = rows.max(row);
        }
    }
    scene.line((LEFT_CSS_PX, zero), (tenth(LEFT_CSS_PX + group * faults.len() as f32), zero), Role::Ink);
    zero + HEIGHT_CSS_PX + FOOT_CSS_PX + NAME_CSS_PX * rows as f32
}

/// What the black box says of the runs of a cell.
fn black_box(e: &Evaluated, cell: &Cell) -> Told {
    Told::by(e.runs.iter().filter(|s| cell.has(s)), &[BLACK_BOX])
}

/// In the order of [`BLACK_BOXES`].
fn in_words(black_box: Told) -> [String; 3] {
    [black_box.tp, black_box.fp, black_box.silent].map(Rate::in_words)
}

fn says(cell: &Cell, black_box: Told) -> Vec<String> {
    let head = format!("{}, {}, {} nodes", cell.fault, cell.workload, cell.nodes);
    let numbers = NUMBERS.iter().zip(numbers(cell)).map(|(name, number)| format!("{name}: {number}"));
    let black_box = BLACK_BOXES.iter().zip(in_words(black_box)).map(|(name, rate)| format!("{name}: {rate}"));
    std::iter::once(head).chain(numbers).chain(black_box).collect()
}

fn row(e: &Evaluated, cell: &Cell) -> Vec<String> {
    let head = [cell.fault.clone(), cell.workload.clone(), cell.nodes.to_string()];
    head.into_iter().chain(numbers(cell)).chain(in_words(black_box(e, cell))).collect()
}
