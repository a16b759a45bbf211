//! Scores of pairs of nodes: the semantic algorithm's evidence. A faulty node is a dark
//! row and column.

use super::CallsShown;
use crate::base::quantity::trimmed;
use crate::base::{Arrange, Gathered};
use crate::diagnosis::syscalls::Hog;
use crate::diagnosis::syscalls::peers::End;
use crate::scene::axis::{fitted, tenth};
use crate::scene::{Anchor, Hit, Look, Raster, Role, Scene};
use std::collections::BTreeMap;

/// Largest cell.
const CELL_MAX_CSS_PX: f32 = 34.0;
/// Rows narrower than this carry no label.
const CELL_LABELLED_CSS_PX: f32 = 13.0;
/// Room above, for the columns' numbers.
const TOP_CSS_PX: f32 = 24.0;
/// Room below, and a line of it.
const BOTTOM_CSS_PX: f32 = 16.0;
/// Ends drawn: those with the highest sums.
const ENDS_SHOWN: usize = 60;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let unit = if shown.examination.switches.literal { "calls out of their bands" } else { "seconds beyond the bands" };
    let mut scene = Scene {
        title: String::from("Which pairs of nodes are slow"),
        how_to_read: format!(
            "Each cell is a pair of nodes, stronger for more {unit} in connections between them; a slow look-up of a \
             file counts for all pairs of its node. Columns carry the numbers of the rows. A faulty node is a strong row \
             and column; where the strong cells do not meet in one node, none is named."
        ),
        size: (look.width_css_px, 40.0),
        ..Scene::default()
    };
    let mut all: BTreeMap<(End, End), [f64; 2]> = BTreeMap::new();
    for (hog, pairs) in &shown.examination.spikes.pairs {
        for (pair, score) in pairs {
            if let Some(slot) = all.entry(*pair).or_default().get_mut(usize::from(*hog == Hog::Network)) {
                *slot += score;
            }
        }
    }
    let mut ends: BTreeMap<End, f64> = shown.examination.nodes.keys().map(|n| (End::Node(*n), 0.0)).gathered();
    for ((a, b), scores) in &all {
        for end in [a, b] {
            *ends.entry(*end).or_default() += scores.iter().sum::<f64>();
        }
    }
    let highest = all.values().map(|s| s.iter().sum::<f64>()).fold(0.0, f64::max);
    if highest <= 0.0 {
        scene.text((0.0, 20.0), shown.no_slow_call(), Anchor::Start, Role::Faint);
        return scene;
    }
    let mut order: Vec<(End, f64)> = ends.into_iter().collect();
    order.arrange(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let ends: Vec<End> = order.iter().take(ENDS_SHOWN).map(|(end, _)| *end).collect();
    let names: Vec<String> = ends.iter().map(|end| end.name(shown.trace)).collect();
    let score = |a: End, b: End| all.get(&(a.min(b), a.max(b))).copied().unwrap_or_default();

    let n = ends.len();
    let left = (shown.label_width(look) + 36.0).max(110.0).min(look.width_css_px * 0.4);
    let cell = ((look.width_css_px - left - 4.0) / n.max(1) as f32).min(CELL_MAX_CSS_PX);
    let side = tenth(cell * n as f32);
    let strongest = format!("the strongest: {} {unit}", trimmed(highest, 2));
    let room = (look.width_css_px, BOTTOM_CSS_PX);
    scene.size.1 = scene.paragraph((0.0, TOP_CSS_PX + side + BOTTOM_CSS_PX), room, &strongest, Role::Faint);
    let count = u32::try_from(n).unwrap_or_default();
    let shade = |s: [f64; 2]| (s.iter().sum::<f64>() / highest * 255.0).round() as u8;
    let shades = ends.iter().flat_map(|a| ends.iter().map(|b| shade(score(*a, *b)))).collect();
    scene.rasters.push(Raster {
        at: (left, TOP_CSS_PX),
        size: (side, side),
        columns: count,
        rows: count,
        shades,
        ..Raster::default()
    });
    scene.table.headers = ["one end", "other end", "disk", "network"].map(String::from).to_vec();
    for (i, (a, name)) in ends.iter().zip(&names).enumerate() {
        let y = tenth(TOP_CSS_PX + cell * i as f32);
        if cell >= CELL_LABELLED_CSS_PX {
            let accused = matches!(a, End::Node(n) if shown.is_accused(*n));
            let role = if accused { Role::Culprit } else { Role::Faint };
            let label = format!("{} {}", fitted(name, left - 36.0), i + 1);
            scene.text((left - 8.0, tenth(y + cell * 0.5)), label, Anchor::End, role);
            scene.text(
                (tenth(left + cell * (i as f32 + 0.5)), TOP_CSS_PX - 9.0),
                (i + 1).to_string(),
                Anchor::Middle,
                role,
            );
        }
        for (j, (b, other)) in ends.iter().zip(&names).enumerate().filter(|(j, _)| *j != i) {
            let [disk, network] = score(*a, *b);
            let says = vec![
                format!("{name} and {other}"),
                format!("disk {}, network {} ({unit})", trimmed(disk, 2), trimmed(network, 2)),
            ];
            let node = matches!(a, End::Node(_)).then(|| name.clone());
            scene.hits.push(Hit {
                at: (tenth(left + cell * j as f32), y),
                size: (cell, cell),
                says,
                node,
                ..Hit::default()
            });
            if j > i && disk + network > 0.0 {
                scene.table.rows.push(vec![name.clone(), other.clone(), format!("{disk:.3}"), format!("{network:.3}")]);
            }
        }
    }
    scene
}
