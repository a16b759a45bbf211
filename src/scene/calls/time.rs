//! Calls out of their bands over time, a strip a node: since when, and which lines.

use super::{CallsShown, ROWS_SHOWN};
use crate::base::quantity::of_micros;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::syscalls::normalise::RULES;
use crate::diagnosis::syscalls::semantic::Spike;
use crate::scene::axis::{Axis, date_and_clock, fitted, tenth, time_ticks_within};
use crate::scene::{Anchor, Hit, Look, Mark, Plot, Role, Scene, Table};

/// Height of a strip.
const ROW_CSS_PX: f32 = 24.0;
/// Room above and below.
const TOP_CSS_PX: f32 = 18.0;
const BOTTOM_CSS_PX: f32 = 28.0;
/// Dots drawn: those that took longest beyond their bands.
const DOTS: usize = 4000;
/// Rows of the table.
const TABLE_ROWS: usize = 500;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let headers = ["node", "when (UTC)", "call", "took (ms)", "band to (ms)", "other end", "file", "line"];
    let mut scene = Scene {
        title: String::from("Slow calls over time"),
        how_to_read: format!(
            "One strip a node, one dot a call that took far longer than the same call should ({}); larger \
             dots took longer. Dots of one node in one stretch of time are a fault; single ones are chance. Calls are \
             the same if name, arguments and result are, where {}.",
            shown.examination.healthy(),
            RULES.join("; ")
        ),
        size: (look.width_css_px, 40.0),
        table: Table { headers: headers.map(String::from).to_vec(), rows: Vec::new() },
        ..Scene::default()
    };
    let mut spikes: Vec<&Spike> = shown.examination.spikes.all.iter().collect();
    let times = || shown.trace.calls.iter().map(|c| c.at_us.div_euclid(1000));
    let (Some(from), Some(to), false) = (times().min(), times().max(), spikes.is_empty()) else {
        scene.text((0.0, 20.0), shown.no_slow_call(), Anchor::Start, Role::Faint);
        return scene;
    };
    let excess = |s: &Spike| s.took_us.saturating_sub(s.max_us);
    spikes.arrange(|a, b| excess(b).cmp(&excess(a)).then(a.place.cmp(&b.place)));
    let nodes = shown.nodes();
    let rows = nodes.get(..ROWS_SHOWN.min(nodes.len())).unwrap_or_default();
    let left = shown.label_width(look) + 10.0;
    let foot = TOP_CSS_PX + ROW_CSS_PX * rows.len() as f32;
    scene.size.1 = foot + BOTTOM_CSS_PX;
    let x = Axis::linear((from as f64, to as f64), (left, look.width_css_px - 10.0));
    for (ms, label) in time_ticks_within(from, to, look.width_css_px - left) {
        let px = x.px(ms as f64);
        scene.line((px, TOP_CSS_PX), (px, foot), Role::Grid);
        scene.text_around((px, foot + 12.0), label, Role::Faint);
    }
    scene.text((left, 8.0), format!("times in UTC, from {}", date_and_clock(from)), Anchor::Start, Role::Faint);
    for (row, node) in rows.iter().enumerate() {
        let y = tenth(TOP_CSS_PX + ROW_CSS_PX * (row as f32 + 0.5));
        let role = if shown.is_accused(*node) { Role::Culprit } else { Role::Faint };
        scene.text((left - 8.0, y), fitted(shown.name(*node), left - 12.0), Anchor::End, role);
        scene.line((left, y), (look.width_css_px - 10.0, y), Role::Grid);
    }
    let row_of = |node: NodeId| rows.iter().position(|n| *n == node);
    for spike in spikes.iter().take(DOTS) {
        let Some(row) = row_of(spike.node) else { continue };
        let at_ms = spike.at_us.div_euclid(1000);
        let y = tenth(TOP_CSS_PX + ROW_CSS_PX * (row as f32 + 0.5));
        let seconds = excess(spike) as f32 / 1e6;
        let radius = tenth((2.0 + seconds.sqrt() * 2.0).min(ROW_CSS_PX * 0.45));
        let role = if shown.is_accused(spike.node) { Role::Culprit } else { Role::Node };
        let px = x.px(at_ms as f64);
        scene.push(Mark::Circle { at: (px, y), radius, role });
        let says = vec![
            format!("{}, {}", shown.name(spike.node), date_and_clock(at_ms)),
            spike.what.clone(),
            format!(
                "took {}, {} at most {}",
                of_micros(spike.took_us as f64),
                shown.examination.healthy(),
                of_micros(spike.max_us as f64)
            ),
            shown.place(spike.place),
        ];
        let reach = radius.max(4.0);
        let at = (tenth(px - reach), tenth(y - reach));
        scene.hits.push(Hit {
            at,
            size: (reach * 2.0, reach * 2.0),
            says,
            node: Some(shown.name(spike.node).to_owned()),
            ..Hit::default()
        });
    }
    let plot = Plot::of_time((left, TOP_CSS_PX), (look.width_css_px - 10.0 - left, foot - TOP_CSS_PX), (from, to));
    scene.choose_time(plot, x, look.selection.span);
    for spike in spikes.iter().take(TABLE_ROWS) {
        scene.table.rows.push(vec![
            shown.name(spike.node).to_owned(),
            date_and_clock(spike.at_us.div_euclid(1000)),
            spike.what.clone(),
            format!("{:.3}", spike.took_us as f64 / 1e3),
            format!("{:.3}", spike.max_us as f64 / 1e3),
            spike.peer.map_or_else(String::new, |p| p.name(shown.trace)),
            shown.trace.path(spike.place.file).to_owned(),
            spike.place.line.to_string(),
        ]);
    }
    scene
}
