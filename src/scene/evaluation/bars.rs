//! Bars by fault, a block a workload, a bar a size: TP up, FP down (Kahuna Figs 4–7).

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::{Evaluated, NUMBERS, each_once, numbers};
use crate::evaluation::Cell;
use crate::scene::axis::{fitted, tenth};

/// Height of a rate of 1.
const HEIGHT: f32 = 56.0;
/// Room for a block's heading, and for the faults' names below its bars.
const HEAD: f32 = 22.0;
const FOOT: f32 = 22.0;
const LEFT: f32 = 24.0;
/// Room for a fault, at most.
const GROUP_MAX: f32 = 92.0;
const GAP: f32 = 8.0;

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let workloads = each_once(e.cells.iter().map(|c| c.workload.as_str()));
    let block = HEAD + 2.0 * HEIGHT + FOOT;
    let mut scene = Scene {
        title: String::from("Faulty nodes named (up) and other nodes named (down), by workload, fault and size"),
        how_to_read: String::from(
            "A block a workload, a group of bars a fault, a bar a size of cluster, small to large. Up: the share of runs \
             in which the faulty node is named. Down: the share in which another node is. Controls only have a bar down.",
        ),
        size: (look.width_css_px, block * workloads.len() as f32),
        table: Table {
            headers: ["fault", "workload", "nodes"].into_iter().chain(NUMBERS).map(String::from).collect(),
            rows: e.cells.iter().map(row).collect(),
        },
        ..Scene::default()
    };
    for (i, workload) in workloads.iter().enumerate() {
        let cells: Vec<&Cell> = e.cells.iter().filter(|c| c.workload == *workload).collect();
        draw_block(&mut scene, workload, &cells, block * i as f32, look.width_css_px);
    }
    scene
}

fn draw_block(scene: &mut Scene, workload: &str, cells: &[&Cell], top: f32, width: f32) {
    let faults = each_once(cells.iter().map(|c| c.fault.as_str()));
    let zero = top + HEAD + HEIGHT;
    let group = tenth(((width - LEFT - 2.0) / faults.len().max(1) as f32).min(GROUP_MAX));
    scene.text((LEFT, top + HEAD / 2.0), workload, Anchor::Start, Role::Ink);
    for (label, y) in [("1", zero - HEIGHT + 5.0), ("0", zero), ("1", zero + HEIGHT - 5.0)] {
        scene.text((LEFT - 6.0, y), label, Anchor::End, Role::Faint);
    }
    for (i, fault) in faults.iter().enumerate() {
        let of: Vec<&&Cell> = cells.iter().filter(|c| c.fault == *fault).collect();
        let x = LEFT + group * i as f32;
        let bar = (group - GAP).max(1.0) / of.len().max(1) as f32;
        for (k, cell) in of.iter().enumerate() {
            let at = tenth(x + bar * k as f32);
            let size = tenth((bar - 1.0).max(0.5));
            for (rate, up, role) in [(cell.tp, true, Role::Node), (cell.fp, false, Role::Culprit)] {
                let height = tenth(rate.share().unwrap_or(0.0) as f32 * HEIGHT);
                if height > 0.0 {
                    let y = if up { zero - height } else { zero };
                    scene.push(Mark::Rect { at: (at, y), size: (size, height), role });
                }
            }
            scene.hits.push(Hit {
                at: (at, zero - HEIGHT),
                size: (size, 2.0 * HEIGHT),
                says: says(cell),
                ..Hit::default()
            });
        }
        scene.text((tenth(x), zero + HEIGHT + 10.0), fitted(fault, group - 4.0), Anchor::Start, Role::Faint);
    }
    scene.line((LEFT, zero), (tenth(LEFT + group * faults.len() as f32), zero), Role::Ink);
}

fn says(cell: &Cell) -> Vec<String> {
    let head = format!("{}, {}, {} nodes", cell.fault, cell.workload, cell.nodes);
    let numbers = NUMBERS.iter().zip(numbers(cell)).map(|(name, number)| format!("{name}: {number}"));
    std::iter::once(head).chain(numbers).collect()
}

fn row(cell: &Cell) -> Vec<String> {
    let head = [cell.fault.clone(), cell.workload.clone(), cell.nodes.to_string()];
    head.into_iter().chain(numbers(cell)).collect()
}
