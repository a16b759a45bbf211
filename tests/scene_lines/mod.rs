//! A scene as text for a snapshot: a line for each mark, hit and row of its table, so that a difference shows what moved.

use oddnode::scene::{Hit, Mark, Palette, Point, Raster, Scene};
use std::fmt::Write;

/// Rows of a raster that are told, and the characters of each.
const ROWS_TOLD: usize = 12;
const COLUMNS_TOLD: usize = 64;

/// The scene, line by line, in the order of drawing.
pub fn lines(scene: &Scene) -> String {
    let mut out = format!("{}, {}: {:?}\n", scene.name, over(scene.size), scene.title);
    let _ = writeln!(out, "how to read: {:?}; what to do: {:?}", scene.how_to_read, scene.what_to_do);
    let _ = writeln!(out, "table has all: {}; passed over: {}", !scene.summed_up, scene.from);
    if let Some(plot) = &scene.plot {
        let _ = writeln!(out, "plot {}", json(plot));
    }
    scene.rasters.iter().for_each(|raster| out.push_str(&of_raster(raster)));
    scene.marks.iter().for_each(|mark| out.push_str(&of_mark(mark)));
    scene.hits.iter().for_each(|hit| out.push_str(&of_hit(hit)));
    if let Some(dial) = &scene.dial {
        let of = (dial.value, dial.found, dial.range, dial.pixels, &dial.axis, dial.line);
        let _ = writeln!(out, "dial {}", json(&of));
        dial.judged.iter().for_each(|judged| out.push_str(&format!("judged {}\n", json(judged))));
    }
    for row in std::iter::once(&scene.table.headers).chain(&scene.table.rows) {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out
}

fn json(of: &impl serde::Serialize) -> String {
    serde_json::to_string(of).unwrap_or_default()
}

fn at((x, y): Point) -> String {
    format!("{x},{y}")
}

fn over((width, height): Point) -> String {
    format!("{width}×{height}")
}

/// Its place, its size and a sum of all its cells; then how it looks from afar: of the cells that share a character the
/// strongest.
fn of_raster(raster: &Raster) -> String {
    let cells = format!("{} by {} cells, sum {:08x}", raster.columns, raster.rows, crc32fast::hash(&raster.shades));
    let mut out = format!("raster {} {} {cells} {:?}\n", at(raster.at), over(raster.size), raster.palette);
    let (columns, rows) = (raster.columns as usize, raster.rows as usize);
    let seen = |cell: u8| match raster.palette {
        Palette::Shades => u32::from(cell) / 16,
        Palette::Roles(_) => u32::from(cell).min(35),
    };
    for row in raster.shades.chunks(columns.max(1)).step_by(rows.div_ceil(ROWS_TOLD).max(1)) {
        let strongest = |cells: &[u8]| cells.iter().map(|cell| seen(*cell)).max().unwrap_or_default();
        let told = row.chunks(columns.div_ceil(COLUMNS_TOLD).max(1)).map(strongest);
        let told: String = told.filter_map(|cell| char::from_digit(cell, 36)).collect();
        let _ = writeln!(out, "  {told}");
    }
    out
}

fn of_mark(mark: &Mark) -> String {
    match mark {
        Mark::Rect { at: from, size, role } => format!("rect {} {} {role:?}\n", at(*from), over(*size)),
        Mark::Line { from, to, role } => format!("line {} to {} {role:?}\n", at(*from), at(*to)),
        Mark::Polyline { points, role } => {
            let points: Vec<String> = points.iter().map(|point| at(*point)).collect();
            format!("polyline {} {role:?}\n", points.join(" "))
        }
        Mark::Text { at: from, text, size_css_px, anchor, role } => {
            format!("text {} {anchor:?} {size_css_px} {role:?} {text:?}\n", at(*from))
        }
        Mark::Frame { at: from, size, width_css_px, role } => {
            format!("frame {} {} {width_css_px} {role:?}\n", at(*from), over(*size))
        }
        Mark::Circle { at: middle, radius, role } => format!("circle {} {radius} {role:?}\n", at(*middle)),
    }
}

fn of_hit(hit: &Hit) -> String {
    let node = hit.node.as_ref().map_or_else(String::new, |node| format!(" of {node:?}"));
    let picks = hit.picks.as_ref().map_or_else(String::new, |picks| format!(" picks {}", json(picks)));
    format!("hit {} {}{node} {:?}{picks}\n", at(hit.at), over(hit.size), hit.says)
}
