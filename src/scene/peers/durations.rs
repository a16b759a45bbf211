//! Durations of each node's states beside its peers', on a logarithmic axis.
//!
//! ```text
//! h103        ·  ·├──█──┤· ··
//! h101   ·├─█─┤ ·
//! ```

use super::row::Row;
use super::{Peers, ROW_CSS_PX, ROWS_SHOWN};
use crate::base::quantity::{duration, grouped, of_millis};
use crate::diagnosis::kahuna_wb::NodeDurations;
use crate::report::figures::dots;
use crate::scene::axis::Axis;
use crate::scene::names::Hosts;
use crate::scene::{Anchor, Hit, Look, Mark, Point, Role, Scene, Table};

/// Room above and below the rows.
const TOP_CSS_PX: f32 = 20.0;
const BOTTOM_CSS_PX: f32 = 30.0;
/// A state of no length lies here: the logs count milliseconds.
const LEAST_S: f64 = 0.001;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let comparison = peers.comparison;
    let order = peers.by_score();
    let shown = peers.drawn(&order, look, ROWS_SHOWN);
    let left = peers.label_width(look) + 10.0;
    let foot = TOP_CSS_PX + ROW_CSS_PX * shown.len() as f32;
    let ends = comparison.nodes.iter().flat_map(|own| [own.durations_s.first(), own.durations_s.last()]).flatten();
    let (low, high) = ends.fold((f64::MAX, LEAST_S), |(low, high), d| (low.min(*d), high.max(*d)));
    let axis =
        Axis::log((low.clamp(LEAST_S, high), (high * 1.05).max(2.0 * LEAST_S)), (left, look.width_css_px - 16.0));

    let mut scene = Scene {
        title: format!("How long the states lasted: {}", peers.compared_whole(look)),
        how_to_read: String::from(
            "One row for each node, the oddest first. The box holds the middle half of the node's durations, the tick in \
             it is the median, dots are single states. The axis is logarithmic: equal steps are equal ratios.",
        ),
        size: (look.width_css_px, foot + BOTTOM_CSS_PX),
        table: Table {
            headers: [
                "node",
                "states",
                "shortest (s)",
                "lower quartile (s)",
                "median (s)",
                "upper quartile (s)",
                "longest (s)",
            ]
            .map(String::from)
            .to_vec(),
            rows: Vec::new(),
        },
        ..Scene::default()
    };
    for value in axis.duration_ticks() {
        let x = axis.px(value);
        scene.line((x, TOP_CSS_PX), (x, foot), Role::Grid);
        scene.text((x, foot + 12.0), duration(value), Anchor::Middle, Role::Faint);
    }
    let hosts = peers.hosts();
    for (row, &node) in shown.iter().enumerate() {
        let y = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        add_row(&mut scene, peers, look, (&hosts, node), (left, y), axis);
    }
    scene.table.rows = order.iter().filter_map(|&node| table_row(peers, node)).collect();
    let label = if shown.len() < order.len() {
        let also = if order.starts_with(&shown) { "" } else { ", and who is chosen," };
        format!("duration; the {} oddest{also} of {} nodes", shown.len(), order.len())
    } else {
        String::from("duration")
    };
    scene.text((left, 8.0), label, Anchor::Start, Role::Faint);
    scene
}

fn add_row(
    scene: &mut Scene,
    peers: Peers<'_>,
    look: &Look,
    (hosts, node): (&Hosts, usize),
    (left, y): Point,
    axis: Axis,
) {
    let name = peers.name(node);
    let Some(own) = peers.node(node) else { return };
    let row = Row::named(scene, look, (hosts, name, peers.indicted(node)), (left, y));
    let Row { role, middle, .. } = row;
    for d in dots(&own.durations_s) {
        scene.push(Mark::Circle { at: (axis.px(d), middle), radius: 1.5, role });
    }
    let [median, lower, upper] = own.quartiles_s;
    row.half(scene, [lower, median, upper].map(|s| axis.px(s)));
    let told = |s: f64| of_millis(s * 1e3);
    scene.hits.push(Hit {
        at: (0.0, y),
        size: (look.width_css_px, ROW_CSS_PX),
        says: vec![
            name.to_owned(),
            format!("{} {} states", grouped(own.count as u64), peers.kind()),
            format!("median {}, middle half {} to {}", told(median), told(lower), told(upper)),
        ],
        node: Some(name.to_owned()),
        ..Hit::default()
    });
}

fn table_row(peers: Peers<'_>, node: usize) -> Option<Vec<String>> {
    let NodeDurations { count, quartiles_s: [median, lower, upper], durations_s, .. } = peers.node(node)?;
    let [shortest, longest] = [durations_s.first(), durations_s.last()].map(|d| d.copied().unwrap_or_default());
    let numbers = [shortest, *lower, *median, *upper, longest].map(|s| format!("{s:.3}"));
    Some([peers.name(node).to_owned(), count.to_string()].into_iter().chain(numbers).collect())
}
