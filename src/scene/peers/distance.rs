//! Distances of all pairs of nodes: an odd node is a dark cross.

use super::Peers;
use crate::base::math::pairs;
use crate::base::quantity::grouped;
use crate::scene::axis::{FONT_CSS_PX, LINE_CSS_PX, tenth};
use crate::scene::legend::scale;
use crate::scene::names::thinned;
use crate::scene::pairs::PairGrid;
use crate::scene::{Hit, Look, Mark, Role, Scene, Table, shade};

/// Room above, for the columns' numbers.
const TOP_CSS_PX: f32 = 24.0;
/// Room below, for the legend.
const BOTTOM_CSS_PX: f32 = 44.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    if peers.comparison.distances.is_empty() {
        return left_out(peers, look);
    }
    let n = peers.comparison.nodes.len();
    let left = PairGrid::numbered_left(peers.label_width(look));
    let grid = PairGrid::fitting((left, TOP_CSS_PX), n, look);
    let mut scene = Scene {
        title: title(peers, look),
        how_to_read: String::from(
            "Each cell is the distance between the durations of two nodes, 0 (pale) to 1 (strong); columns carry the \
             numbers of the rows. A healthy cluster is evenly pale; an odd node is a strong row and column.",
        ),
        size: (look.width_css_px, grid.bottom() + BOTTOM_CSS_PX),
        table: table(peers),
        ..Scene::default()
    };
    scene.rasters.push(grid.raster((0..n * n).map(|i| shade(distance(peers, i / n, i % n))).collect()));
    add_names(&mut scene, peers, grid, look);
    add_hits(&mut scene, peers, grid);
    scale(&mut scene, (left, grid.bottom() + 16.0), ["0 alike", "1 apart"]);
    scene
}

/// Says that the distances are not there: those of so many pairs are not kept.
fn left_out(peers: Peers<'_>, look: &Look) -> Scene {
    let mut scene = Scene {
        title: title(peers, look),
        how_to_read: String::from(
            "T, the distance of each node from most others, says of all nodes which of them is odd.",
        ),
        ..Scene::default()
    };
    let count = grouped(pairs(peers.comparison.nodes.len()) as u64);
    let words = format!("The distances of {count} pairs of nodes are left out.");
    let end = scene.paragraph((0.0, 12.0), (look.width_css_px, LINE_CSS_PX), &words, Role::Faint);
    scene.size = (look.width_css_px, end);
    scene
}

fn title(peers: Peers<'_>, look: &Look) -> String {
    format!("Distance of each pair of nodes: {}", peers.compared_whole(look))
}

fn distance(peers: Peers<'_>, a: usize, b: usize) -> f64 {
    peers.comparison.distances.get(a).and_then(|row| row.get(b)).copied().unwrap_or_default()
}

/// Names with their numbers, as many as there is room for; a frame around row and column of who is chosen.
fn add_names(scene: &mut Scene, peers: Peers<'_>, grid: PairGrid, look: &Look) {
    let (left, hosts) = (grid.at.0, peers.hosts());
    let marked = |node: usize| match look.marked(peers.name(node)) {
        _ if peers.indicted(node) => Some(Role::Culprit),
        marked => marked,
    };
    let row_css_px = if grid.is_numbered() { FONT_CSS_PX } else { grid.cell };
    for (node, role) in thinned(grid.count, row_css_px, &marked) {
        let middle = tenth(TOP_CSS_PX + grid.cell * (node as f32 + 0.5));
        grid.name(scene, node, middle, (&hosts, peers.name(node)), role);
    }
    if let Some(at) = peers.names.iter().position(|name| look.selection.node.as_ref() == Some(name)) {
        for (at, size) in [
            ((left, grid.row(at)), (grid.side(), tenth(grid.cell))),
            ((grid.column(at), grid.at.1), (tenth(grid.cell), grid.side())),
        ] {
            scene.push(Mark::Frame { at, size, width_css_px: 1.0, role: Role::Ink });
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
