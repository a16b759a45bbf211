//! Distances of all pairs of nodes: an odd node is a dark cross.

use super::Peers;
use crate::scene::axis::{fitted, tenth};
use crate::scene::legend::scale;
use crate::scene::pairs::PairGrid;
use crate::scene::{Anchor, Hit, Look, Role, Scene, Table};

/// Room above, for the columns' numbers.
const TOP_CSS_PX: f32 = 24.0;
/// Room below, for the legend.
const BOTTOM_CSS_PX: f32 = 44.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let n = peers.comparison.nodes.len();
    let left = PairGrid::numbered_left(peers.label_width(look));
    let grid = PairGrid::fitting((left, TOP_CSS_PX), n, look);
    let mut scene = Scene {
        title: format!("Distance of each pair of nodes: {}", peers.compared()),
        how_to_read: String::from(
            "Each cell is the distance between the durations of two nodes, 0 (pale) to 1 (strong); columns carry the \
             numbers of the rows. A healthy cluster is evenly pale; an odd node is a strong row and column.",
        ),
        size: (look.width_css_px, grid.bottom() + BOTTOM_CSS_PX),
        table: table(peers),
        ..Scene::default()
    };
    scene.rasters.push(grid.raster((0..n * n).map(|i| shade(distance(peers, i / n, i % n))).collect()));
    add_names(&mut scene, peers, grid);
    add_hits(&mut scene, peers, grid);
    scale(&mut scene, (left, grid.bottom() + 16.0), ["0 alike", "1 apart"]);
    scene
}

fn distance(peers: Peers<'_>, a: usize, b: usize) -> f64 {
    peers.comparison.distances.get(a).and_then(|row| row.get(b)).copied().unwrap_or_default()
}

fn shade(distance: f64) -> u8 {
    (distance.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// Names with their numbers; where these have no room, the names of those indicted alone.
fn add_names(scene: &mut Scene, peers: Peers<'_>, grid: PairGrid) {
    let left = grid.at.0;
    for node in 0..grid.count {
        let middle = tenth(TOP_CSS_PX + grid.cell * (node as f32 + 0.5));
        let odd = peers.indicted(node);
        if grid.is_numbered() {
            let role = if odd { Role::Culprit } else { Role::Faint };
            grid.number(scene, node, middle, peers.name(node), role);
        } else if odd {
            scene.text((left - 8.0, middle), fitted(peers.name(node), left - 12.0), Anchor::End, Role::Culprit);
        }
    }
}

fn add_hits(scene: &mut Scene, peers: Peers<'_>, grid: PairGrid) {
    for a in 0..grid.count {
        let node = Some(peers.name(a).to_owned());
        if !grid.cells_answer() {
            let says = vec![peers.name(a).to_owned(), format!("T {:.3}", peers.score(a))];
            let (at, size) = ((grid.at.0, grid.row(a)), (grid.cell * grid.count as f32, grid.cell));
            scene.hits.push(Hit { at, size, says, node, ..Hit::default() });
            continue;
        }
        for b in (0..grid.count).filter(|b| *b != a) {
            let says = vec![
                format!("{} and {}", peers.name(a), peers.name(b)),
                format!("distance {:.3}", distance(peers, a, b)),
            ];
            scene.hits.push(grid.hit(a, b, says, node.clone()));
        }
    }
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
