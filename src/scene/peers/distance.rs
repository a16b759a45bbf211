//! Distances of all pairs of nodes: an odd node is a dark cross.

use super::Peers;
use crate::scene::axis::{FONT_CSS_PX, fitted, tenth};
use crate::scene::{Anchor, Hit, Look, Point, Raster, Role, Scene, Table};

/// Largest cell; few nodes need no poster.
const CELL_MAX_CSS_PX: f32 = 34.0;
/// Rows narrower than this carry no label.
const CELL_LABELLED_CSS_PX: f32 = FONT_CSS_PX + 1.0;
/// Room above, for the columns' numbers.
const TOP_CSS_PX: f32 = 24.0;
/// Room below, for the legend.
const BOTTOM_CSS_PX: f32 = 44.0;
/// Cells that answer one by one; beyond it, rows do.
const HITS: usize = 10_000;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let n = peers.comparison.nodes.len();
    let left = peers.label_width(look) + 36.0;
    let cell = ((look.width_css_px - left - 4.0) / n.max(1) as f32).min(CELL_MAX_CSS_PX);
    let side = tenth(cell * n as f32);
    let mut scene = Scene {
        title: format!("Distance of each pair of nodes: {}", peers.compared()),
        how_to_read: String::from(
            "Each cell is the distance between the durations of two nodes, 0 (pale) to 1 (strong); columns carry the \
             numbers of the rows. A healthy cluster is evenly pale; an odd node is a strong row and column.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + side + BOTTOM_CSS_PX),
        table: table(peers),
        ..Scene::default()
    };
    let count = u32::try_from(n).unwrap_or_default();
    let shades = (0..n * n).map(|i| shade(distance(peers, i / n, i % n))).collect();
    scene.rasters.push(Raster {
        at: (left, TOP_CSS_PX),
        size: (side, side),
        columns: count,
        rows: count,
        shades,
        ..Raster::default()
    });
    for node in 0..n {
        let middle = TOP_CSS_PX + cell * (node as f32 + 0.5);
        let odd = peers.indicted(node);
        if cell >= CELL_LABELLED_CSS_PX {
            let label = format!("{} {}", fitted(peers.name(node), left - 36.0), node + 1);
            let role = if odd { Role::Culprit } else { Role::Faint };
            scene.text((left - 8.0, tenth(middle)), label, Anchor::End, role);
            let x = tenth(left + cell * (node as f32 + 0.5));
            scene.text((x, TOP_CSS_PX - 9.0), (node + 1).to_string(), Anchor::Middle, role);
        } else if odd {
            scene.text((left - 8.0, tenth(middle)), fitted(peers.name(node), left - 12.0), Anchor::End, Role::Culprit);
        }
    }
    add_hits(&mut scene, peers, left, cell);
    legend(&mut scene, (left, TOP_CSS_PX + side + 16.0), ["0 alike", "1 apart"]);
    scene
}

fn distance(peers: Peers<'_>, a: usize, b: usize) -> f64 {
    peers.comparison.distances.get(a).and_then(|row| row.get(b)).copied().unwrap_or_default()
}

fn shade(distance: f64) -> u8 {
    (distance.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn add_hits(scene: &mut Scene, peers: Peers<'_>, left: f32, cell: f32) {
    let n = peers.comparison.nodes.len();
    for a in 0..n {
        let y = tenth(TOP_CSS_PX + cell * a as f32);
        let node = Some(peers.name(a).to_owned());
        if n * n > HITS {
            let says = vec![peers.name(a).to_owned(), format!("T {:.3}", peers.score(a))];
            scene.hits.push(Hit { at: (left, y), size: (cell * n as f32, cell), says, node, ..Hit::default() });
            continue;
        }
        for b in (0..n).filter(|b| *b != a) {
            let says = vec![
                format!("{} and {}", peers.name(a), peers.name(b)),
                format!("distance {:.3}", distance(peers, a, b)),
            ];
            let at = (tenth(left + cell * b as f32), y);
            scene.hits.push(Hit { at, size: (cell, cell), says, node: node.clone(), ..Hit::default() });
        }
    }
}

/// All shades from 0 to 1, with words at both ends.
pub(super) fn legend(scene: &mut Scene, (left, y): Point, ends: [&str; 2]) {
    let width = 160.0_f32.min(scene.size.0 - left - 10.0).max(40.0);
    let shades = (0..=255).collect();
    scene.rasters.push(Raster {
        at: (left, y),
        size: (width, 8.0),
        columns: 256,
        rows: 1,
        shades,
        ..Raster::default()
    });
    let [least, most] = ends;
    scene.text((left, y + 17.0), least, Anchor::Start, Role::Faint);
    scene.text((left + width, y + 17.0), most, Anchor::End, Role::Faint);
}

fn table(peers: Peers<'_>) -> Table {
    let mut headers = vec![String::from("node")];
    headers.extend(peers.names.iter().cloned());
    let n = peers.comparison.nodes.len();
    let rows = (0..n).map(|a| {
        let cells = (0..n).map(|b| format!("{:.3}", distance(peers, a, b)));
        std::iter::once(peers.name(a).to_owned()).chain(cells).collect()
    });
    Table { headers, rows: rows.collect() }
}
