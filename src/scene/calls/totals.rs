//! Time in each call: its share of the node's time in the watched calls, and the mean of
//! one call (C20, C21).

use super::{CallsShown, Columns, drawn};
use crate::base::NodeId;
use crate::base::quantity::of_micros;
use crate::diagnosis::syscalls::usage::{CONNECTED, NodeUse};
use crate::scene::axis::{label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Look, Mark, Point, Role, Scene, Table};

/// Height of a row.
const ROW_CSS_PX: f32 = 26.0;
/// Height of a bar, and from its upper edge to the end of its row.
const BAR_CSS_PX: f32 = 4.0;
const BAR_ROOM_CSS_PX: f32 = 8.0;
/// Room above, for the calls' names.
const TOP_CSS_PX: f32 = 22.0;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let (nodes, calls) = (shown.nodes(), shown.calls());
    let rows = drawn(&nodes);
    let columns = Columns::of(shown, &calls, look);
    let mut scene = Scene {
        title: String::from("Where the time goes"),
        how_to_read: String::from(
            "One row for each node. The bar is the call's share of all time that the node spends in the watched calls, the \
             number the mean time of one call; dark where that is more than the band, an accused node's coloured. A busy disk shows as a node \
             that spends most of its time in stat, and less in execve; a lossy network as connections that take \
             long to set up, and accepts that take less. accept waits for others, so it often has most of the time.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + ROW_CSS_PX * rows.len() as f32 + 6.0),
        table: table(shown, &nodes, &calls),
        ..Scene::default()
    };
    columns.add_names(&mut scene);
    for (row, node) in rows.iter().enumerate() {
        let y = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        shown.add_name(&mut scene, (columns.left, y + ROW_CSS_PX * 0.5), *node);
        let Some(found) = shown.examination.nodes.get(node) else { continue };
        // Part of a number is another number, and a row with gaps reads as one of calls that were not made.
        let fits = |name: &&'static str| label_width_css_px(&of_micros(shown.mean(*node, name).0)) <= columns.width();
        let numbered = calls.iter().all(fits);
        for (name, x) in columns.each() {
            add_cell(&mut scene, Cell { shown, node: *node, found, name }, (x, y), columns.width(), numbered);
        }
    }
    scene
}

/// What one node spends in one call.
#[derive(Clone, Copy)]
struct Cell<'a> {
    shown: &'a CallsShown<'a>,
    node: NodeId,
    found: &'a NodeUse,
    name: &'static str,
}

impl Cell<'_> {
    /// The call's share of the node's time. Connections until they stand are mostly waits beside the calls, so
    /// theirs is that of `connect` itself.
    fn share(self) -> f64 {
        self.found.share_of_time(if self.name == CONNECTED { "connect" } else { self.name })
    }

    fn says(self, mean_us: f64) -> Vec<String> {
        let mut says = vec![
            format!("{}, {}", self.shown.name(self.node), self.name),
            format!("{:.1} % of the time in the watched calls", self.share() * 100.0),
            format!("{} in all, {} a call", of_micros(self.found.of(self.name).total_us as f64), of_micros(mean_us)),
        ];
        if let Some(band) = self.shown.examination.band(self.node, self.name) {
            says.push(format!("band: {} to {} a call", of_micros(band.mean_us.low), of_micros(band.mean_us.high)));
        }
        says
    }
}

/// The mean time of a call, in rows with numbers, above the bar of its share.
fn add_cell(scene: &mut Scene, cell: Cell<'_>, at: Point, width: f32, numbered: bool) {
    let (mean, over) = cell.shown.mean(cell.node, cell.name);
    let beyond = cell.shown.beyond(cell.node);
    let bar_at = (at.0, at.1 + ROW_CSS_PX - BAR_ROOM_CSS_PX);
    scene.push(Mark::Rect { at: bar_at, size: (width, BAR_CSS_PX), role: Role::Grid });
    let bar = tenth(width * cell.share() as f32);
    if bar > 0.0 {
        let role = if over { beyond } else { Role::Node };
        scene.push(Mark::Rect { at: bar_at, size: (bar.max(1.0), BAR_CSS_PX), role });
    }
    if numbered {
        scene.text((at.0, at.1 + 8.0), of_micros(mean), Anchor::Start, if over { beyond } else { Role::Ink });
    }
    let node = Some(cell.shown.name(cell.node).to_owned());
    scene.hits.push(Hit { at, size: (width, ROW_CSS_PX), says: cell.says(mean), node, ..Hit::default() });
}

fn table(shown: &CallsShown<'_>, nodes: &[NodeId], calls: &[&'static str]) -> Table {
    let headers = ["node", "call", "total (s)", "share of time", "mean (ms)"];
    let mut rows = Vec::new();
    for node in nodes {
        let Some(found) = shown.examination.nodes.get(node) else { continue };
        for name in calls {
            let usage = found.of(name);
            rows.push(vec![
                shown.name(*node).to_owned(),
                (*name).to_owned(),
                format!("{:.3}", usage.total_us as f64 / 1e6),
                format!("{:.3}", Cell { shown, node: *node, found, name }.share()),
                format!("{:.3}", usage.mean_us() / 1e3),
            ]);
        }
    }
    Table { headers: headers.map(String::from).to_vec(), rows }
}
