//! Scores of pairs of nodes: the semantic algorithm's evidence. A faulty node is a dark
//! row and column.

use super::CallsShown;
use crate::base::quantity::trimmed;
use crate::base::{Arrange, Gathered};
use crate::diagnosis::syscalls::Hog;
use crate::diagnosis::syscalls::peers::End;
use crate::scene::axis::{LINE_CSS_PX, tenth};
use crate::scene::pairs::PairGrid;
use crate::scene::{Anchor, Look, Role, Scene, shade};
use std::collections::BTreeMap;

/// Room above, for the columns' numbers.
const TOP_CSS_PX: f32 = 24.0;
/// Room for names with their numbers, whatever the names of the nodes take: ends may be other hosts.
const LEFT_LEAST_CSS_PX: f32 = 110.0;
/// Share of the figure that this room takes at most.
const LEFT_SHARE: f32 = 0.4;
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
    let scores = Scores::of(shown);
    if scores.highest <= 0.0 {
        scene.text((0.0, 20.0), shown.no_slow_call(), Anchor::Start, Role::Faint);
        return scene;
    }
    let ends = scores.worst_ends(shown);
    let left = PairGrid::numbered_left(shown.label_width(look)).max(LEFT_LEAST_CSS_PX);
    let grid = PairGrid::fitting((left.min(look.width_css_px * LEFT_SHARE), TOP_CSS_PX), ends.len(), look);
    let strongest = format!("the strongest: {} {unit}", trimmed(scores.highest, 2));
    let room = (look.width_css_px, LINE_CSS_PX);
    scene.size.1 = scene.paragraph((0.0, grid.bottom() + LINE_CSS_PX), room, &strongest, Role::Faint);
    let shades = ends.iter().flat_map(|(a, _)| ends.iter().map(|(b, _)| scores.shade(*a, *b)));
    scene.rasters.push(grid.raster(shades.collect()));
    scene.table.headers = ["one end", "other end", "disk", "network"].map(String::from).to_vec();
    for (i, (end, name)) in ends.iter().enumerate() {
        if grid.is_numbered() {
            let accused = matches!(end, End::Node(n) if shown.is_accused(*n));
            let role = if accused { Role::Culprit } else { Role::Faint };
            grid.number(&mut scene, i, tenth(grid.row(i) + grid.cell * 0.5), (&shown.hosts, name), role);
        }
        for (j, (other, other_name)) in ends.iter().enumerate().filter(|(j, _)| *j != i) {
            let [disk, network] = scores.pair(*end, *other);
            let says = vec![
                format!("{name} and {other_name}"),
                format!("disk {}, network {} ({unit})", trimmed(disk, 2), trimmed(network, 2)),
            ];
            let node = matches!(end, End::Node(_)).then(|| name.clone());
            scene.hits.push(grid.hit(i, j, says, node));
            if j > i && disk + network > 0.0 {
                let scores = [disk, network].map(|score| format!("{score:.3}"));
                scene.table.rows.push([name.clone(), other_name.clone()].into_iter().chain(scores).collect());
            }
        }
    }
    scene
}

/// What each pair of ends scores, by what it tells of: the disk and the network.
struct Scores {
    pairs: BTreeMap<(End, End), [f64; 2]>,
    /// The greatest sum of both.
    highest: f64,
}

impl Scores {
    fn of(shown: &CallsShown<'_>) -> Self {
        let mut all: BTreeMap<(End, End), [f64; 2]> = BTreeMap::new();
        for (hog, pairs) in &shown.examination.spikes.pairs {
            for (pair, score) in pairs {
                if let Some(slot) = all.entry(*pair).or_default().get_mut(usize::from(*hog == Hog::Network)) {
                    *slot += score;
                }
            }
        }
        let highest = all.values().map(|s| s.iter().sum::<f64>()).fold(0.0, f64::max);
        Self { pairs: all, highest }
    }

    /// The ends with the highest sums over their pairs, the highest first, each with its name.
    fn worst_ends(&self, shown: &CallsShown<'_>) -> Vec<(End, String)> {
        let mut sums: BTreeMap<End, f64> = shown.examination.nodes.keys().map(|n| (End::Node(*n), 0.0)).gathered();
        for ((a, b), scores) in &self.pairs {
            for end in [a, b] {
                *sums.entry(*end).or_default() += scores.iter().sum::<f64>();
            }
        }
        let mut order: Vec<(End, f64)> = sums.into_iter().collect();
        order.arrange(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        order.into_iter().take(ENDS_SHOWN).map(|(end, _)| (end, end.name(shown.trace))).collect()
    }

    /// Scores of a pair, whichever end comes first.
    fn pair(&self, a: End, b: End) -> [f64; 2] {
        self.pairs.get(&(a.min(b), a.max(b))).copied().unwrap_or_default()
    }

    /// Of a pair's cell: the share of the highest score.
    fn shade(&self, a: End, b: End) -> u8 {
        shade(self.pair(a, b).iter().sum::<f64>() / self.highest)
    }
}
