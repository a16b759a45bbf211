//! Time in each call: its share of the node's time in the watched calls, and the mean of
//! one call (C20, C21).

use super::{CallsShown, ROWS_SHOWN};
use crate::base::quantity::of_micros;
use crate::diagnosis::syscalls::usage::CONNECTED;
use crate::scene::axis::{ended, fitted, label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Table};

/// Height of a row.
const ROW_CSS_PX: f32 = 26.0;
/// Room above, for the calls' names.
const TOP_CSS_PX: f32 = 22.0;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let (nodes, calls) = (shown.nodes(), shown.calls());
    let rows = nodes.get(..ROWS_SHOWN.min(nodes.len())).unwrap_or_default();
    let left = shown.label_width(look) + 10.0;
    let width = (look.width_css_px - left) / calls.len().max(1) as f32;
    let headers = ["node", "call", "total (s)", "share of time", "mean (ms)"];
    let mut scene = Scene {
        title: String::from("Where the time goes"),
        how_to_read: String::from(
            "One row a node. The bar is the call's share of all time that the node spends in the watched calls, the \
             number the mean time of one call; dark where that is more than the band, an accused node's coloured. A busy disk shows as a node \
             that spends most of its time in stat, and less in execve; a lossy network as connections that take \
             long to stand, and accepts that take less. accept waits for others, so it often has most of the time.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + ROW_CSS_PX * rows.len() as f32 + 6.0),
        table: Table { headers: headers.map(String::from).to_vec(), rows: Vec::new() },
        ..Scene::default()
    };
    for (column, name) in calls.iter().enumerate() {
        let x = tenth(left + width * column as f32);
        scene.text((x, 8.0), ended(name, width - 6.0), Anchor::Start, Role::Faint);
    }
    for (row, node) in rows.iter().enumerate() {
        let y = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        let role = if shown.is_accused(*node) { Role::Culprit } else { Role::Faint };
        scene.text(
            (left - 8.0, tenth(y + ROW_CSS_PX * 0.5)),
            fitted(shown.name(*node), left - 12.0),
            Anchor::End,
            role,
        );
        let Some(found) = shown.examination.nodes.get(node) else { continue };
        let beyond = shown.beyond(*node);
        for (column, name) in calls.iter().enumerate() {
            // Connections until they stand are mostly waits beside the calls.
            let counted = if *name == CONNECTED { "connect" } else { name };
            let share = found.share_of_time(counted);
            let (mean, over) = shown.mean(*node, name);
            let x = tenth(left + width * column as f32);
            let room = width - 8.0;
            let bar = tenth(room * share as f32);
            scene.push(Mark::Rect { at: (x, y + ROW_CSS_PX - 8.0), size: (room, 4.0), role: Role::Grid });
            if bar > 0.0 {
                let role = if over { beyond } else { Role::Node };
                scene.push(Mark::Rect { at: (x, y + ROW_CSS_PX - 8.0), size: (bar.max(1.0), 4.0), role });
            }
            let told = of_micros(mean);
            // Part of a number is another number.
            if label_width_css_px(&told) <= room {
                scene.text((x, y + 8.0), told, Anchor::Start, if over { beyond } else { Role::Ink });
            }
            let mut says = vec![
                format!("{}, {name}", shown.name(*node)),
                format!("{:.1} % of the time in the watched calls", share * 100.0),
                format!("{} in all, {} a call", of_micros(found.of(name).total_us as f64), of_micros(mean)),
            ];
            if let Some(band) = shown.examination.band(*node, name) {
                says.push(format!("band: {} to {} a call", of_micros(band.mean_us.low), of_micros(band.mean_us.high)));
            }
            scene.hits.push(Hit {
                at: (x, y),
                size: (room, ROW_CSS_PX),
                says,
                node: Some(shown.name(*node).to_owned()),
                ..Hit::default()
            });
        }
    }
    for node in &nodes {
        let Some(found) = shown.examination.nodes.get(node) else { continue };
        for name in &calls {
            let usage = found.of(name);
            scene.table.rows.push(vec![
                shown.name(*node).to_owned(),
                (*name).to_owned(),
                format!("{:.3}", usage.total_us as f64 / 1e6),
                format!("{:.3}", found.share_of_time(if *name == CONNECTED { "connect" } else { name })),
                format!("{:.3}", usage.mean_us() / 1e3),
            ]);
        }
    }
    scene
}
