//! MIROS as a matrix: rows are the nodes of Maps, columns those of Reduces; before it the
//! bytes into the Maps of each node, behind it those out of its tasks.
//!
//! ```text
//!         in │ h1 h2 h3 │ out
//!   h1    ▓  │ ▓  ▒  ░  │  ▒       each block has a scale of its own: its darkest is its
//!   h2    ▓  │ ▓  ▒  ░  │  ▓       greatest
//! ```

use super::{JobShown, job_name, paragraphs};
use crate::base::quantity::bytes;
use crate::model::Trace;
use crate::scene::axis::{FONT_CSS_PX, fitted, label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Look, Raster, Role, Scene, Table};

/// Largest cell.
const CELL_MAX: f32 = 30.0;
/// Height of the matrix at the most.
const HEIGHT_MAX: f32 = 600.0;
/// Below the blocks' names and those of the columns.
const TOP: f32 = 34.0;
/// Base line of the columns' names.
const COLUMN_NAMES: f32 = 26.0;
const LABEL_CSS_PX: f32 = 150.0;
/// Between the blocks.
const GAP: f32 = 10.0;
/// Cells that answer one by one; beyond it, rows do.
const HITS: usize = 10_000;

pub(super) fn lay_out(trace: &Trace, shown: &JobShown, look: &Look) -> Scene {
    let v = &shown.volumes;
    let n = v.nodes.len();
    let name = |i: usize| v.nodes.get(i).map_or("?", |node| trace.node_name(*node));
    let mut scene = Scene {
        title: format!("Volumes between nodes in {}", job_name(trace, shown.flow.job)),
        how_to_read: format!(
            "Rows are nodes with Maps, columns nodes with Reduces: the stronger a cell, the more bytes went from the one's Maps \
             to the other's Reduces. The strip before the matrix is what each node's Maps read, the one behind it what its \
             tasks wrote; each has a scale of its own. A strong column is a node that the shuffle weighs on. Skew is the \
             greatest volume over the mean. {}",
            source_words(shown)
        ),
        size: (look.width_css_px, 40.0),
        ..Scene::default()
    };
    if n == 0 {
        scene.text((0.0, 16.0), "No task of this job is known with its node.", Anchor::Start, Role::Faint);
        return scene;
    }
    let widest = (0..n).map(|i| label_width_css_px(name(i))).fold(30.0, f32::max) + 10.0;
    let left = widest.min(LABEL_CSS_PX).min(look.width_css_px * 0.35);
    let across = (look.width_css_px - left - 2.0 * GAP - 4.0) / (n as f32 + 2.0);
    let cell = across.min(CELL_MAX).min(HEIGHT_MAX / n as f32);
    let side = tenth(cell * n as f32);
    let x = [left, left + cell + GAP, left + cell + 2.0 * GAP + side].map(tenth);
    let received = v.received();
    let shades = |values: &[f64]| -> Vec<u8> {
        let most = values.iter().copied().fold(0.0, f64::max);
        let shade = |b: &f64| if most > 0.0 { (b / most * 255.0).round() as u8 } else { 0 };
        values.iter().map(shade).collect()
    };
    let count = u32::try_from(n).unwrap_or_default();
    for (at, width, columns, values) in
        [(x[0], cell, 1, &v.into_maps), (x[1], side, count, &v.between), (x[2], cell, 1, &v.out)]
    {
        let (at, size) = ((at, TOP), (tenth(width), side));
        scene.rasters.push(Raster { at, size, columns, rows: count, shades: shades(values), ..Raster::default() });
    }
    for (x, text) in [(x[0], "in"), (x[1], "to the Reduces of"), (x[2], "out")] {
        scene.text((x, 10.0), text, Anchor::Start, Role::Faint);
    }
    let names: Vec<&str> = (0..n).map(name).collect();
    for (i, text) in column_names(&names, cell) {
        let role = look.marked(name(i)).unwrap_or(Role::Faint);
        scene.text((tenth(x[1] + cell * (i as f32 + 0.5)), COLUMN_NAMES), text, Anchor::Middle, role);
    }
    for i in 0..n {
        let y = tenth(TOP + cell * i as f32);
        if cell >= FONT_CSS_PX {
            let role = look.marked(name(i)).unwrap_or(Role::Faint);
            scene.text((left - 6.0, tenth(y + cell / 2.0)), fitted(name(i), left - 10.0), Anchor::End, role);
        }
        let node = Some(name(i).to_owned());
        let said = |text: String| vec![name(i).to_owned(), text];
        let at = |list: &[f64]| list.get(i).copied().unwrap_or(0.0);
        let read =
            format!("{} into its Maps, {} of it from its own disks", bytes(at(&v.into_maps)), bytes(at(&v.local)));
        let hit = |x: f32, width: f32, says| Hit {
            at: (x, y),
            size: (width, cell),
            says,
            node: node.clone(),
            ..Hit::default()
        };
        scene.hits.push(hit(x[0], cell, said(read)));
        scene.hits.push(hit(x[2], cell, said(format!("{} out of its tasks", bytes(at(&v.out))))));
        if n * n > HITS {
            let sent: f64 = (0..n).map(|j| v.from_to(i, j)).sum();
            scene.hits.push(hit(
                x[1],
                side,
                said(format!("{} out of its Maps, {} into its Reduces", bytes(sent), bytes(at(&received)))),
            ));
            continue;
        }
        for j in 0..n {
            let says = vec![format!("Maps of {} → Reduces of {}", name(i), name(j)), bytes(v.from_to(i, j))];
            scene.hits.push(hit(tenth(x[1] + cell * j as f32), cell, says));
        }
    }
    let mut words = v.skew_in_words(trace);
    if v.unknown > 0.0 {
        words.push(format!("{} more were shuffled, of which an end is not known", bytes(v.unknown)));
    }
    let y = paragraphs(&mut scene, TOP + side + 14.0, look.width_css_px, &words, Role::Ink);
    let most = |values: &[f64]| bytes(values.iter().copied().fold(0.0, f64::max));
    let mut trust =
        vec![format!("Strongest: in {}, between {}, out {}", most(&v.into_maps), most(&v.between), most(&v.out))];
    trust.extend(shown.trust());
    let y = paragraphs(&mut scene, y + 4.0, look.width_css_px, &trust, Role::Faint);
    scene.size.1 = y + 6.0;
    let mut headers: Vec<String> = ["node", "into Maps, bytes", "of these local, bytes"].map(str::to_owned).to_vec();
    headers.extend((0..n).map(|j| format!("to {}, bytes", name(j))));
    headers.push("out, bytes".to_owned());
    let whole = |list: &[f64], i: usize| format!("{:.0}", list.get(i).copied().unwrap_or(0.0));
    let row = |i: usize| {
        let mut row = vec![name(i).to_owned(), whole(&v.into_maps, i), whole(&v.local, i)];
        row.extend((0..n).map(|j| format!("{:.0}", v.from_to(i, j))));
        row.push(whole(&v.out, i));
        row
    };
    scene.table = Table { headers, rows: (0..n).map(row).collect() };
    scene
}

/// Names above columns of this width: whole where they fit, else what tells them apart, and
/// of narrow columns every second, third, …
fn column_names<'a>(names: &[&'a str], cell: f32) -> Vec<(usize, &'a str)> {
    let widest = |from: usize| {
        let widths = names.iter().filter_map(|name| name.get(from..)).map(label_width_css_px);
        widths.fold(1.0, f32::max) + 4.0
    };
    let alike = |name: &str| {
        let first = names.first().copied().unwrap_or_default();
        first
            .char_indices()
            .zip(name.chars())
            .take_while(|((_, a), b)| a == b)
            .map(|((i, a), _)| i + a.len_utf8())
            .last()
    };
    let shared = names.iter().skip(1).map(|name| alike(name).unwrap_or(0)).min().unwrap_or(0);
    let from = if widest(0) <= cell { 0 } else { shared };
    let every = (widest(from) / cell).ceil().max(1.0) as usize;
    names.iter().enumerate().step_by(every).filter_map(|(i, name)| Some((i, name.get(from..)?))).collect()
}

/// Where the numbers come from.
pub(super) fn source_words(shown: &JobShown) -> &'static str {
    match (shown.volumes.reads_counted, shown.flow.fetches.is_empty()) {
        (false, false) => "All from the transfers in the logs.",
        (true, false) => "Reads are the tasks' own counts: no block transfer of this job is in the logs.",
        (false, true) => "No map output was seen served or fetched, so the matrix is empty.",
        (true, true) => "From the tasks' own counts: no transfer of this job is in the logs, so the matrix is empty.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_far_as_there_is_room() {
        let names = ["h101", "h102", "h112"];
        let told = |cell| column_names(&names, cell).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
        assert_eq!(told(60.0), names);
        assert_eq!(told(20.0), ["01", "02", "12"]);
        assert_eq!(told(12.0), ["01", "12"]);
        assert_eq!(column_names(&["h1"], 5.0).len(), 1);
        assert!(column_names(&[], 5.0).is_empty());
    }
}
