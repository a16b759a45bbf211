//! Two runs compared, node by node and state by state: how many times longer a node's states
//! take than they did.
//!
//! ```text
//!        Map  Reduce  WriteBlock
//! h101   1.0     1.1         0.9
//! h103   2.2     1.9        12.1   dark: far from what it was
//! ```

use super::axis::{FONT_CSS_PX, fitted, label_width_css_px, tenth};
use super::{Anchor, Hit, Look, Raster, Role, Scene, Table, View};
use crate::base::quantity::of_millis;
use crate::base::{Arrange, Gathered};
use crate::report::compare::{Difference, StateChange};
use std::collections::BTreeSet;

/// Height of a row with its label; many nodes get thinner ones.
const ROW_MAX_CSS_PX: f32 = 22.0;
/// Height of all rows at the most.
const ROWS_CSS_PX: f32 = 720.0;
/// Widest column.
const COLUMN_MAX_CSS_PX: f32 = 120.0;
/// Room above and below.
const TOP_CSS_PX: f32 = 24.0;
const BOTTOM_CSS_PX: f32 = 44.0;
/// Room for names, at most.
const LABEL_CSS_PX: f32 = 150.0;
/// Eight times as long, or an eighth, is as dark as it gets.
const DARKEST: f64 = 8.0;

/// Lays out the figure.
#[must_use]
pub fn lay_out(d: &Difference, look: &Look) -> Scene {
    let nodes: Vec<&str> = d.states.iter().map(|c| c.node.as_str()).gathered::<BTreeSet<_>>().into_iter().collect();
    let kinds: Vec<&str> = d.states.iter().map(|c| c.kind.as_str()).gathered::<BTreeSet<_>>().into_iter().collect();
    let widest = nodes.iter().map(|n| label_width_css_px(n)).fold(30.0, f32::max);
    let left = widest.min(LABEL_CSS_PX).min(look.width_css_px * 0.35) + 12.0;
    let column = ((look.width_css_px - left - 8.0) / kinds.len().max(1) as f32).clamp(8.0, COLUMN_MAX_CSS_PX);
    let row = ROW_MAX_CSS_PX.min(ROWS_CSS_PX / nodes.len().max(1) as f32);
    let size = (tenth(column * kinds.len() as f32), tenth(row * nodes.len() as f32));
    let mut scene = Scene {
        name: View::Differences.name().to_owned(),
        title: String::from("Median duration now over before, of each node and kind of state"),
        how_to_read: String::from(
            "Each cell is one node's states of one kind: the median now over the median before. Pale is unchanged, \
             strong is eight times as long or an eighth. A column that is strong all over is another input or another \
             configuration; one strong cell in a pale column is that node's own change.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + size.1 + BOTTOM_CSS_PX),
        table: Table {
            headers: [
                "node",
                "state",
                "median before (s)",
                "median now (s)",
                "times",
                "times, other nodes",
                "changed by itself",
            ]
            .map(String::from)
            .to_vec(),
            rows: d.states.iter().map(table_row).collect(),
        },
        ..Scene::default()
    };
    let mut shades = vec![0; nodes.len() * kinds.len()];
    let columns = u32::try_from(kinds.len()).unwrap_or_default();
    let rows = u32::try_from(nodes.len()).unwrap_or_default();
    for (i, kind) in kinds.iter().enumerate() {
        let x = left + column * (i as f32 + 0.5);
        scene.text((tenth(x), TOP_CSS_PX - 10.0), fitted(kind, column - 4.0), Anchor::Middle, Role::Faint);
    }
    for (i, node) in nodes.iter().enumerate().filter(|_| row > FONT_CSS_PX) {
        let slower = |c: &StateChange| c.apart && c.times > c.others && c.node == **node;
        let role = if d.states.iter().any(slower) { Role::Culprit } else { Role::Faint };
        let y = TOP_CSS_PX + row * (i as f32 + 0.5);
        scene.text((left - 8.0, tenth(y)), fitted(node, left - 10.0), Anchor::End, role);
    }
    let mut hits = Vec::new();
    for change in &d.states {
        let (Ok(y), Ok(x)) = (nodes.binary_search(&change.node.as_str()), kinds.binary_search(&change.kind.as_str()))
        else {
            continue;
        };
        if let Some(cell) = shades.get_mut(y * kinds.len() + x) {
            *cell = shade(change.times);
        }
        let at = (tenth(left + column * x as f32), tenth(TOP_CSS_PX + row * y as f32));
        hits.push((
            y,
            x,
            Hit { at, size: (column, row), says: says(change), node: Some(change.node.clone()), ..Hit::default() },
        ));
    }
    hits.arrange_by(|(y, x, _)| (*y, *x));
    scene.hits = hits.into_iter().map(|(_, _, hit)| hit).collect();
    scene.rasters.push(Raster { at: (left, TOP_CSS_PX), size, columns, rows, shades, ..Raster::default() });
    let legend = 160.0_f32.min(look.width_css_px - left - 10.0).max(40.0);
    let y = TOP_CSS_PX + size.1 + 16.0;
    let shades = (0..=255).collect();
    scene.rasters.push(Raster {
        at: (left, y),
        size: (legend, 8.0),
        columns: 256,
        rows: 1,
        shades,
        ..Raster::default()
    });
    scene.text((left, y + 17.0), "as before", Anchor::Start, Role::Faint);
    scene.text((left + legend, y + 17.0), "× 8 or 1/8", Anchor::End, Role::Faint);
    scene
}

/// 0 for unchanged, 255 for eight times or an eighth.
fn shade(times: f64) -> u8 {
    let factor = if times >= 1.0 { times } else { 1.0 / times.max(0.001) };
    let extent = crate::base::math::ln(factor.min(DARKEST)) / crate::base::math::ln(DARKEST);
    (extent.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn says(c: &StateChange) -> Vec<String> {
    let [was, now] = [c.a_ms, c.b_ms].map(|ms| of_millis(ms as f64));
    let mut says = vec![
        format!("{} on {}", c.kind, c.node),
        format!("median {now}, before {was}: × {:.2}", c.times),
        format!("on the other nodes × {:.2}", c.others),
    ];
    if c.apart {
        says.push(String::from("changed by itself"));
    }
    says
}

fn table_row(c: &StateChange) -> Vec<String> {
    let [was, now] = [c.a_ms, c.b_ms].map(|ms| format!("{:.3}", ms as f64 / 1000.0));
    let apart = if c.apart { "yes" } else { "no" };
    vec![c.node.clone(), c.kind.clone(), was, now, format!("{:.2}", c.times), format!("{:.2}", c.others), apart.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_cells_and_the_darkest_is_the_largest() {
        let change = |node: &str, times: f64, apart| StateChange {
            node: node.into(),
            kind: "Map".into(),
            a_ms: 1000,
            b_ms: (1000.0 * times) as i64,
            times,
            others: 1.0,
            apart,
        };
        let states = vec![change("b", 8.0, true), change("a", 1.0, false), change("c", 0.125, false)];
        let d = Difference { states, ..Difference::default() };
        let scene = lay_out(&d, &Look { width_css_px: 600.0, ..Look::default() });
        assert_eq!(scene.rasters[0].shades, [0, 255, 255]);
        assert_eq!((scene.hits.len(), scene.hits[1].node.as_deref(), scene.table.rows.len()), (3, Some("b"), 3));
        let none = lay_out(&Difference::default(), &Look { width_css_px: 600.0, ..Look::default() });
        assert!(none.hits.is_empty());
    }
}
