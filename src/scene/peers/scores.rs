//! T(i) of every node over the whole log, as bars against the threshold.
//!
//! ```text
//! h103 ███████████████████████│████████ 0.71
//! h101 ██████████             │         0.21
//!                             threshold
//! ```

use super::{Peers, ROW_CSS_PX, ROWS_SHOWN};
use crate::base::quantity::{counted, grouped, of_millis, trimmed};
use crate::report::figures::carried_ratio;
use crate::scene::axis::{Axis, label_width_css_px};
use crate::scene::names::Hosts;
use crate::scene::{Anchor, DialAxis, Hit, Judged, Look, Mark, Role, Scene, Table};

/// Room above the rows, for the threshold's label.
const TOP_CSS_PX: f32 = 22.0;
/// Room below, for the axis.
const BOTTOM_CSS_PX: f32 = 30.0;
/// Room at the right, for the numbers.
const RIGHT_CSS_PX: f32 = 44.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let bars = Bars::of(peers, look);
    let mut scene = Scene {
        title: format!(
            "Distance of each node from most others: {}{}",
            peers.compared_whole(look),
            peers.of_the_accused(look)
        ),
        how_to_read: String::from(
            "One bar for each node: T, the distance that it keeps from a majority of its peers. The distance compares \
             how long the states lasted: 0 when two nodes' durations are spread alike, 1 when they share nothing \
             (square root of the Jensen–Shannon divergence). Nodes in colour are indicted: the bar reaches the threshold \
             line, chance rarely does that (p), and their states take clearly longer; or, by the gap rule, most of \
             them, or the last of its Maps, take longer than most of every other node's. A frame in that colour is around \
             the bar of whom the verdict names for other reasons. On the page a slider moves \
             the line; moved, it judges by T alone, as the paper does.",
        ),
        size: (look.width_css_px, bars.foot() + BOTTOM_CSS_PX),
        table: table(peers, &bars.order),
        ..Scene::default()
    };
    bars.add_axis(&mut scene);
    let judged = bars.add_rows(&mut scene, look);
    bars.add_folded(&mut scene);
    let threshold = bars.threshold();
    let line = scene.line((threshold, TOP_CSS_PX - 2.0), (threshold, bars.rows_end()), Role::Threshold);
    scene.text((bars.left(), 8.0), "T (no unit); the line is the threshold", Anchor::Start, Role::Faint);
    scene.dial = Some(peers.dial(bars.axis, DialAxis::X, line, judged));
    scene
}

/// What is drawn, and where.
struct Bars<'a> {
    peers: Peers<'a>,
    hosts: Hosts,
    /// All nodes, the oddest first.
    order: Vec<usize>,
    /// Those that have a bar, in that order.
    shown: Vec<usize>,
    /// Where T is; bars begin at its left end.
    axis: Axis,
}

impl<'a> Bars<'a> {
    fn of(peers: Peers<'a>, look: &Look) -> Self {
        let order = peers.by_score();
        let scores = peers.comparison.nodes.iter().map(|own| own.score);
        let highest = scores.fold(peers.comparison.threshold, f64::max);
        let pixels = (peers.label_width(look) + 10.0, look.width_css_px - RIGHT_CSS_PX);
        let axis = Axis::linear((0.0, (highest * 1.08).clamp(0.1, 1.0)), pixels);
        Self { peers, hosts: peers.hosts(), shown: peers.drawn(&order, look, ROWS_SHOWN), order, axis }
    }

    fn left(&self) -> f32 {
        self.axis.pixels.0
    }

    fn threshold(&self) -> f32 {
        self.axis.px(self.peers.comparison.threshold)
    }

    /// How many nodes have no bar.
    fn folded(&self) -> usize {
        self.order.len() - self.shown.len()
    }

    /// Lower edge of the last bar's row.
    fn rows_end(&self) -> f32 {
        TOP_CSS_PX + ROW_CSS_PX * self.shown.len() as f32
    }

    /// Lower edge of all rows: the words on those that are folded have one of their own, which no line goes through.
    fn foot(&self) -> f32 {
        if self.folded() == 0 { self.rows_end() } else { self.rows_end() + ROW_CSS_PX }
    }

    fn add_axis(&self, scene: &mut Scene) {
        for value in self.axis.ticks(5) {
            let x = self.axis.px(value);
            scene.line((x, TOP_CSS_PX), (x, self.rows_end()), Role::Grid);
            scene.text((x, self.foot() + 12.0), trimmed(value, 2), Anchor::Middle, Role::Faint);
        }
    }

    /// The bars with their names and numbers; returns how the dial judges all nodes.
    fn add_rows(&self, scene: &mut Scene, look: &Look) -> Vec<Judged> {
        let peers = self.peers;
        let mut judged = Vec::new();
        let mut y = TOP_CSS_PX;
        for (row, &node) in self.order.iter().enumerate() {
            let place = u32::try_from(row).ok();
            if !self.shown.contains(&node) {
                judged.push(peers.judged(node, Vec::new(), place));
                continue;
            }
            let bar = self.add_row(scene, node, y, look);
            let hit = u32::try_from(scene.hits.len()).ok();
            judged.push(Judged { hit, ..peers.judged(node, vec![bar], place) });
            scene.hits.push(Hit {
                at: (0.0, y),
                size: (look.width_css_px, ROW_CSS_PX),
                says: says(peers, node),
                node: Some(peers.name(node).to_owned()),
                ..Hit::default()
            });
            y += ROW_CSS_PX;
        }
        judged
    }

    /// A node's name, bar, framed if it is chosen or named by the verdict alone, and number; returns the bar.
    fn add_row(&self, scene: &mut Scene, node: usize, y: f32, look: &Look) -> u32 {
        let name = self.peers.name(node);
        let ink = look.marked(name).unwrap_or(Role::Faint);
        let is_chosen = look.selection.node.as_deref() == Some(name);
        let (left, threshold) = (self.left(), self.threshold());
        let score = self.peers.score(node);
        scene.text((left - 8.0, y + 11.0), self.hosts.fitted(name, left - 10.0), Anchor::End, ink);
        let end = self.axis.px(score);
        let size = ((end - left).max(1.0), ROW_CSS_PX - 8.0);
        let role = if self.peers.indicted(node) { Role::Culprit } else { Role::Node };
        let bar = scene.push(Mark::Rect { at: (left, y + 4.0), size, role });
        let frame = match (is_chosen, self.peers.only_named(node, look)) {
            (true, _) => Some(Role::Ink),
            (false, named) => named.then_some(Role::Culprit),
        };
        if let Some(role) = frame {
            scene.push(Mark::Frame { at: (left, y + 4.0), size, width_css_px: 2.0, role });
        }
        let number = format!("{score:.2}");
        let beside = end + 6.0;
        let is_crossed = beside < threshold && threshold < beside + label_width_css_px(&number) + 2.0;
        // The line of the threshold would go through it.
        let x = if is_crossed { threshold + 4.0 } else { beside };
        scene.text((x, y + 11.0), number, Anchor::Start, ink);
        bar
    }

    /// How many nodes have no bar, and how long it would be at most.
    fn add_folded(&self, scene: &mut Scene) {
        if let Some(&next) = self.order.iter().find(|node| !self.shown.contains(node)) {
            let says = format!(
                "{}, T at most {:.2} (all are in the table)",
                counted(self.folded() as u64, "more node"),
                self.peers.score(next)
            );
            scene.text((self.left(), self.foot() - 11.0), says, Anchor::Start, Role::Faint);
        }
    }
}

fn says(peers: Peers<'_>, node: usize) -> Vec<String> {
    let mut says = vec![peers.name(node).to_owned(), format!("T {:.3}", peers.score(node))];
    if let Some(own) = peers.node(node) {
        says.push(format!("{} {} states", grouped(own.count as u64), peers.kind()));
        says.push(format!("median {}, {} times its peers'", of_millis(own.quartiles_s[0] * 1e3), times(own.ratio)));
        says.extend(own.p.map(|p| format!("chance {}", chance(p)).replace("< ", "<\u{a0}")));
    }
    // The dial's words: the last.
    says.push(Judged::words(true, peers.indicted(node)).to_owned());
    says
}

/// A ratio of peers' medians in words: as reports carry it, so that rounded twice it is rounded alike here and there.
fn times(ratio: f64) -> String {
    format!("{:.2}", carried_ratio(ratio))
}

/// A chance in words; so few permutations tell no smaller ones apart.
fn chance(p: f64) -> String {
    if p < 0.001 { String::from("< 0.001") } else { format!("{p:.3}") }
}

fn yes_or_no(is: bool) -> String {
    String::from(if is { "yes" } else { "no" })
}

fn table(peers: Peers<'_>, order: &[usize]) -> Table {
    let headers =
        ["node", "states", "T", "median duration (s)", "times the peers' median", "chance (p)", "gap", "indicted"];
    let rows = order.iter().filter_map(|&node| table_row(peers, node)).collect();
    Table { headers: headers.map(String::from).to_vec(), rows }
}

fn table_row(peers: Peers<'_>, node: usize) -> Option<Vec<String>> {
    let own = peers.node(node)?;
    Some(vec![
        peers.name(node).to_owned(),
        own.count.to_string(),
        format!("{:.3}", own.score),
        format!("{:.3}", own.quartiles_s[0]),
        times(own.ratio),
        own.p.map_or_else(String::new, chance),
        yes_or_no(own.gap),
        yes_or_no(own.indicted),
    ])
}
