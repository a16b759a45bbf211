//! Histograms of durations: a row a node, a column a call, the band behind.
//!
//! ```text
//!         stat        access      connect until ready
//! h102    ▁▃█▂        ▁█▂              ▁ ▂ █
//! h101    ▁▄█▁        ▂█▁         ▁▆█▂
//! ```

use super::{CallsShown, ROWS_SHOWN};
use crate::base::NodeId;
use crate::base::quantity::grouped;
use crate::base::quantity::of_micros;
use crate::model::calls::{BUCKETS, bucket_begins_us};
use crate::scene::axis::{ended, fitted, tenth};
use crate::scene::legend::Legend;
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Table};

/// Height of a histogram.
const CELL_CSS_PX: f32 = 36.0;
/// Room between rows.
const GAP_CSS_PX: f32 = 8.0;
/// Room above, for the calls' names.
const TOP_CSS_PX: f32 = 22.0;
/// Height of a line of words about the scale.
const LINE_CSS_PX: f32 = 16.0;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let (nodes, calls) = (shown.nodes(), shown.calls());
    let rows = nodes.get(..ROWS_SHOWN.min(nodes.len())).unwrap_or_default();
    let left = shown.label_width(look) + 10.0;
    let width = (look.width_css_px - left) / calls.len().max(1) as f32;
    let foot = TOP_CSS_PX + (CELL_CSS_PX + GAP_CSS_PX) * rows.len() as f32;
    let mut scene = Scene {
        title: String::from("How long the calls took"),
        how_to_read: format!(
            "One row a node, the oddest first; one column a call. Each bar is the share of the node's calls that took so \
             long: from 1 µs at the left, each bar four times longer than the one before, to minutes at the right. {} \
             A bar above it is dark, an accused node's coloured.",
            shown.band_is()
        ),
        size: (look.width_css_px, foot),
        table: table(shown, &nodes, &calls),
        ..Scene::default()
    };
    let timed = |node: &NodeId| {
        let usage = shown.examination.nodes.get(node);
        usage.is_some_and(|n| n.calls.values().any(|call| call.buckets.iter().any(|count| *count > 0)))
    };
    if !nodes.iter().any(timed) {
        let why = "Only sums of the calls are known, as strace -c counts them, and not how long each took.";
        scene.size.1 = scene.paragraph((0.0, 20.0), (look.width_css_px, LINE_CSS_PX), why, Role::Faint);
        return scene;
    }
    for (column, name) in calls.iter().enumerate() {
        let x = tenth(left + width * column as f32);
        scene.text((x, 8.0), ended(name, width - 6.0), Anchor::Start, Role::Faint);
    }
    let scale = format!(
        "across: 1 µs to {} and more; up: to all of the node's calls",
        of_micros(bucket_begins_us(BUCKETS - 1) as f64)
    );
    let below = scene.paragraph((0.0, foot + 6.0), (look.width_css_px, LINE_CSS_PX), &scale, Role::Faint);
    scene.size.1 = below;
    if !shown.examination.bands.is_empty() {
        let mut legend = Legend::at(0.0, below);
        let mut keys = vec![(Role::Grid, "band"), (Role::Node, "within it"), (Role::Threshold, "above it")];
        if rows.iter().any(|node| shown.is_accused(*node)) {
            keys.push((Role::Culprit, "above it, on an accused node"));
        }
        for (role, name) in keys {
            legend.swatch(&mut scene, role, name);
        }
        scene.size.1 = legend.bottom() + 4.0;
    }
    for (row, node) in rows.iter().enumerate() {
        let y = TOP_CSS_PX + (CELL_CSS_PX + GAP_CSS_PX) * row as f32;
        let role = if shown.is_accused(*node) { Role::Culprit } else { Role::Faint };
        scene.text(
            (left - 8.0, tenth(y + CELL_CSS_PX * 0.5)),
            fitted(shown.name(*node), left - 12.0),
            Anchor::End,
            role,
        );
        for (column, name) in calls.iter().enumerate() {
            cell(&mut scene, shown, *node, name, (tenth(left + width * column as f32), y), width - 8.0);
        }
    }
    scene
}

fn cell(scene: &mut Scene, shown: &CallsShown<'_>, node: NodeId, name: &str, at: (f32, f32), width: f32) {
    let usage = shown.examination.nodes.get(&node).map(|n| n.of(name)).unwrap_or_default();
    let band = shown.examination.band(node, name);
    let step = width / BUCKETS as f32;
    let foot = at.1 + CELL_CSS_PX;
    scene.line((at.0, foot), (tenth(at.0 + width), foot), Role::Grid);
    for bucket in 0..BUCKETS {
        let x = tenth(at.0 + step * bucket as f32);
        let range = band.and_then(|b| b.shares.get(bucket));
        let high = range.map_or(0.0, |r| r.high);
        if high > 0.0 {
            let top = tenth(foot - CELL_CSS_PX * high as f32);
            scene.push(Mark::Rect { at: (x, top), size: (tenth(step), foot - top), role: Role::Grid });
        }
        let share = usage.share(bucket);
        if share > 0.0 {
            // One call must be seen.
            let height = (CELL_CSS_PX * share as f32).max(1.0);
            let role = if range.is_some() && share > high { shown.beyond(node) } else { Role::Node };
            let inner = (tenth(x + step * 0.15), tenth(foot - height));
            scene.push(Mark::Rect { at: inner, size: (tenth(step * 0.7).max(1.0), tenth(height)), role });
        }
    }
    let mut says = vec![
        format!("{}, {name}", shown.name(node)),
        format!("{} calls, {} a call", grouped(usage.calls), of_micros(usage.mean_us())),
    ];
    if let Some(band) = band {
        says.push(format!("band: {} to {} a call", of_micros(band.mean_us.low), of_micros(band.mean_us.high)));
        let over = |b: &usize| band.shares.get(*b).is_some_and(|r| usage.share(*b) > r.high);
        if let Some(bucket) = (0..BUCKETS).rev().find(over) {
            let begin = of_micros(bucket_begins_us(bucket) as f64);
            says.push(format!(
                "{:.1} % took {begin} or up to four times that: more than the band",
                usage.share(bucket) * 100.0
            ));
        }
    }
    if let Some(place) = longest(shown, node, name) {
        says.push(place);
    }
    scene.hits.push(Hit {
        at,
        size: (width, CELL_CSS_PX),
        says,
        node: Some(shown.name(node).to_owned()),
        ..Hit::default()
    });
}

/// Where the longest call stands.
fn longest(shown: &CallsShown<'_>, node: NodeId, name: &str) -> Option<String> {
    let own = shown.trace.calls.of_node(node).filter(|c| name.starts_with(c.name) && c.duration_us.is_some());
    let call = own.max_by_key(|c| c.duration_us)?;
    Some(format!("longest single call: {}, {}", of_micros(call.duration_us? as f64), shown.place(call.place)))
}

fn table(shown: &CallsShown<'_>, nodes: &[NodeId], calls: &[&'static str]) -> Table {
    let headers = ["node", "call", "calls", "failed", "total (s)", "mean (ms)", "band from (ms)", "band to (ms)"];
    let mut rows = Vec::new();
    for node in nodes {
        for name in calls {
            let usage = shown.examination.nodes.get(node).map(|n| n.of(name)).unwrap_or_default();
            let band = shown.examination.band(*node, name).map(|b| b.mean_us);
            let ms = |us: f64| format!("{:.3}", us / 1e3);
            rows.push(vec![
                shown.name(*node).to_owned(),
                (*name).to_owned(),
                usage.calls.to_string(),
                usage.errors.to_string(),
                format!("{:.3}", usage.total_us as f64 / 1e6),
                ms(usage.mean_us()),
                band.map_or_else(String::new, |b| ms(b.low)),
                band.map_or_else(String::new, |b| ms(b.high)),
            ]);
        }
    }
    Table { headers: headers.map(String::from).to_vec(), rows }
}
