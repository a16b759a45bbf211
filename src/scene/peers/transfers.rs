//! How long each node's transfers take beside others of their size: what the witness of transfers goes by.
//!
//! ```text
//! Map outputs fetched                × 1    × 2     × 5
//! h106                                │  ├──█───────┤────────
//! h101                               ├█┤─
//! ```

use super::ROW_CSS_PX;
use super::row::Row;
use crate::base::quantity::{duration, grouped, trimmed};
use crate::base::{Arrange, NodeId};
use crate::diagnosis::flows::{Spread, spreads};
use crate::diagnosis::{Method, Signal, Witness};
use crate::model::{FlowKind, Trace};
use crate::scene::axis::Axis;
use crate::scene::names::{Hosts, NameColumn};
use crate::scene::{Anchor, Hit, Look, Role, Scene, Table, View};

/// Room for the words above a kind's rows, and for its axis below them.
const HEAD_CSS_PX: f32 = 22.0;
const FOOT_CSS_PX: f32 = 34.0;
/// Rows of a kind: the slowest nodes, and those that stand out.
const ROWS_SHOWN: usize = 20;
/// Room for a tick of the axis.
const TICK_CSS_PX: f32 = 60.0;

const KINDS: [(FlowKind, &str); 3] =
    [(FlowKind::Shuffle, "Map outputs fetched"), (FlowKind::Write, "Blocks written"), (FlowKind::Read, "Blocks read")];

/// Lays out the transfers of the chosen job, or of all jobs; says so where none can be compared.
#[must_use]
pub fn lay_out(trace: &Trace, witnesses: &[Witness], look: &Look) -> Scene {
    let job = look.selection.job;
    let kinds = KINDS.map(|(kind, name)| (kind, name, spreads(trace, kind, job)));
    let of = job.map_or_else(|| String::from("all jobs"), |job| job.to_string());
    let mut scene = Scene {
        name: View::PeersTransfers.name().to_owned(),
        title: format!("How long transfers take on each node: {of}{}", look.at_any_time()),
        ..Scene::default()
    };
    if kinds.iter().all(|(.., spreads)| spreads.is_empty()) {
        scene.text(
            (0.0, HEAD_CSS_PX / 2.0),
            "No transfer with its begin and end is in these logs.",
            Anchor::Start,
            Role::Faint,
        );
        scene.size = (look.width_css_px, HEAD_CSS_PX);
        return scene;
    }
    scene.how_to_read = String::from(
        "One row a node, the slowest first; a transfer stands in the rows of both its ends, a written block in \
         those of its whole pipeline. The axis tells how many times as long as others of their size they take, and is \
         logarithmic. The box holds the middle half of a node's transfers, the tick in it is the median, the line ends \
         at the slowest tenth.",
    );
    let headers = ["transfers", "node", "count", "lower quartile (×)", "median (×)", "upper quartile (×)"];
    let headers = headers.into_iter().chain(["slowest tenth (×)", "median (s)"]).map(String::from).collect();
    scene.table = Table { headers, rows: Vec::new() };
    let names = || kinds.iter().flat_map(|(.., spreads)| spreads).map(|spread| trace.node_name(spread.node));
    let left = NameColumn::USUAL.width_css_px(&mut names(), 0.0, look.width_css_px) + 10.0;
    let hosts = Hosts::of(&mut names());
    let mut y = 0.0;
    for (kind, name, spreads) in kinds.into_iter().filter(|(.., spreads)| !spreads.is_empty()) {
        let indicted = |node: NodeId| {
            let of_kind = witnesses.iter().filter(|w| w.method == Method::Flows && w.signal == Signal::Transfers(kind));
            of_kind.flat_map(|w| &w.indicted).any(|word| word.node == node)
        };
        y = Rows { trace, look, left, hosts: &hosts, indicted: &indicted }.put(&mut scene, name, spreads, y);
    }
    scene.size = (look.width_css_px, y);
    scene
}

/// The rows of one kind of transfer.
struct Rows<'a> {
    trace: &'a Trace,
    look: &'a Look,
    left: f32,
    hosts: &'a Hosts,
    indicted: &'a dyn Fn(NodeId) -> bool,
}

impl Rows<'_> {
    fn stands_out(&self, node: NodeId) -> bool {
        (self.indicted)(node) || self.look.marked(self.trace.node_name(node)).is_some()
    }

    /// Puts them below `top`, and returns where they end.
    fn put(&self, scene: &mut Scene, name: &str, mut spreads: Vec<Spread>, top: f32) -> f32 {
        spreads.arrange(|a, b| b.times.median.total_cmp(&a.times.median).then(a.node.cmp(&b.node)));
        let all = spreads.len();
        let shown: Vec<&Spread> =
            (0..).zip(&spreads).filter(|(i, s)| *i < ROWS_SHOWN || self.stands_out(s.node)).map(|(_, s)| s).collect();
        let ends = shown.iter().flat_map(|s| [s.times.lower, s.times.slowest_tenth]);
        let (low, high) = ends.fold((1.0_f64, 2.0_f64), |(low, high), x| (low.min(x), high.max(x)));
        let axis = Axis::log((low / 1.1, high * 1.1), (self.left, self.look.width_css_px - 16.0));
        let (rows_top, foot) = (top + HEAD_CSS_PX, top + HEAD_CSS_PX + ROW_CSS_PX * shown.len() as f32);
        let among = if shown.len() < all { format!(": {} of {all} nodes", shown.len()) } else { String::new() };
        scene.text((0.0, top + 10.0), format!("{name}{among}"), Anchor::Start, Role::Ink);
        for value in axis.ratio_ticks(((self.look.width_css_px - self.left) / TICK_CSS_PX) as usize) {
            let x = axis.px(value);
            scene.line((x, rows_top), (x, foot), Role::Grid);
            scene.text((x, foot + 12.0), format!("× {}", trimmed(value, 3)), Anchor::Middle, Role::Faint);
        }
        for (row, spread) in shown.into_iter().enumerate() {
            self.row(scene, name, spread, rows_top + ROW_CSS_PX * row as f32, axis);
        }
        scene.table.rows.extend(spreads.iter().map(|spread| self.told(name, spread)));
        foot + FOOT_CSS_PX
    }

    fn row(&self, scene: &mut Scene, name: &str, spread: &Spread, y: f32, axis: Axis) {
        let node = self.trace.node_name(spread.node);
        let row = Row::named(scene, self.look, (self.hosts, node, (self.indicted)(spread.node)), (self.left, y));
        let times = &spread.times;
        let ends = [times.upper, times.slowest_tenth].map(|x| (axis.px(x), row.middle));
        scene.line(ends[0], ends[1], row.role);
        row.half(scene, [times.lower, times.median, times.upper].map(|x| axis.px(x)));
        scene.hits.push(Hit {
            at: (0.0, y),
            size: (self.look.width_css_px, ROW_CSS_PX),
            says: vec![
                node.to_owned(),
                format!("{name}: {}", grouped(spread.count as u64)),
                format!("median × {:.2}, {} over all sizes", times.median, duration(spread.median_s)),
                format!("middle half × {:.2} to {:.2}", times.lower, times.upper),
                format!("slowest tenth from × {:.2} on", times.slowest_tenth),
            ],
            node: Some(node.to_owned()),
            ..Hit::default()
        });
    }

    fn told(&self, name: &str, spread: &Spread) -> Vec<String> {
        let times = &spread.times;
        let numbers = [times.lower, times.median, times.upper, times.slowest_tenth].map(|x| format!("{x:.3}"));
        let first = [name.to_owned(), self.trace.node_name(spread.node).to_owned(), spread.count.to_string()];
        first.into_iter().chain(numbers).chain([format!("{:.3}", spread.median_s)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::flows::Flows;
    use crate::diagnosis::flows::tests::cluster;
    use crate::diagnosis::{Diagnosis, Params};
    use crate::scene::Mark;

    #[test]
    fn slowest_node_comes_first_and_bears_the_culprits_colour() {
        // Four times each pair of five nodes: in a second, or in four where node 2 is an end.
        let trace = cluster(5, |a, b| if a == 2 || b == 2 { 4.0 } else { 1.0 }, |_, _| 1 << 20);
        let witnesses = Flows.run(&trace, &Params::default());
        let scene = lay_out(&trace, &witnesses, &Look { width_css_px: 600.0, ..Look::default() });
        let rows: Vec<&[String]> = scene.table.rows.iter().map(Vec::as_slice).collect();
        assert_eq!(rows.len(), 5, "map outputs alone were moved");
        // Six of ten pairs take 1 s, so that is the median: (4 + 0.05) / (1 + 0.05).
        assert_eq!(rows[0], ["Map outputs fetched", "h2", "16", "3.857", "3.857", "3.857", "3.857", "4.000"]);
        assert!(rows[1..].iter().all(|row| row[4] == "1.000" && row[6] == "3.857"), "{rows:?}");
        let of_culprits = |mark: &&Mark| matches!(mark, Mark::Rect { role: Role::Culprit, .. });
        assert_eq!(scene.marks.iter().filter(of_culprits).count(), 1, "the box of h2");
        assert_eq!(scene.hits[0].node.as_deref(), Some("h2"));
    }

    #[test]
    fn logs_without_transfers_are_told() {
        let scene = lay_out(&Trace::default(), &[], &Look { width_css_px: 600.0, ..Look::default() });
        assert!(scene.table.rows.is_empty() && scene.hits.is_empty());
        assert!(!scene.title.is_empty());
    }
}
