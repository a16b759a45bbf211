//! T(i) of every node over the whole log, as bars against the threshold.
//!
//! ```text
//! h103 ███████████████████████│████████ 0.71
//! h101 ██████████             │         0.21
//!                             threshold
//! ```

use super::{Peers, ROW_CSS_PX, ROWS_SHOWN};
use crate::base::quantity::{counted, duration, grouped, trimmed};
use crate::report::figures::carried_ratio;
use crate::scene::axis::{Axis, fitted, label_width_css_px};
use crate::scene::{Anchor, Dial, DialAxis, Hit, Judged, Look, Mark, Role, Scene, Table};

/// Room above the rows, for the threshold's label.
const TOP_CSS_PX: f32 = 22.0;
/// Room below, for the axis.
const BOTTOM_CSS_PX: f32 = 30.0;
/// Room at the right, for the numbers.
const RIGHT_CSS_PX: f32 = 44.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let order = peers.by_score();
    let shown = order.get(..ROWS_SHOWN.min(order.len())).unwrap_or_default();
    let folded = order.len() - shown.len();
    let left = peers.label_width(look) + 10.0;
    // No line goes through the words on those that are folded.
    let rows_end = TOP_CSS_PX + ROW_CSS_PX * shown.len() as f32;
    let foot = if folded > 0 { rows_end + ROW_CSS_PX } else { rows_end };
    let highest = peers.comparison.scores.iter().copied().fold(peers.comparison.threshold, f64::max);
    let axis = Axis::linear((0.0, (highest * 1.08).clamp(0.1, 1.0)), (left, look.width_css_px - RIGHT_CSS_PX));

    let mut scene = Scene {
        title: format!("Distance of each node from most others: {}", peers.compared()),
        how_to_read: String::from(
            "One bar a node: T, the distance that it keeps from a majority of its peers. The distance compares \
             how long the states lasted: 0 when two nodes' durations are spread alike, 1 when they share nothing \
             (square root of the Jensen–Shannon divergence). Coloured is who is indicted: its bar reaches the threshold \
             line, that is unlikely by chance (p), and its states take clearly longer; or, by the gap rule, most of \
             them take longer than most of every other node's. On the page a slider moves the line; moved, it judges by T \
             alone, as the paper does.",
        ),
        size: (look.width_css_px, foot + BOTTOM_CSS_PX),
        table: Table {
            headers: [
                "node",
                "states",
                "T",
                "median duration (s)",
                "times the peers' median",
                "chance (p)",
                "gap",
                "indicted",
            ]
            .map(String::from)
            .to_vec(),
            rows: Vec::new(),
        },
        ..Scene::default()
    };
    for value in axis.ticks(5) {
        let x = axis.px(value);
        scene.line((x, TOP_CSS_PX), (x, rows_end), Role::Grid);
        scene.text((x, foot + 12.0), trimmed(value, 2), Anchor::Middle, Role::Faint);
    }
    let threshold = axis.px(peers.comparison.threshold);
    let mut judged = Vec::new();
    for (row, &node) in shown.iter().enumerate() {
        let y = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        let odd = peers.indicted(node);
        let role = if odd { Role::Culprit } else { Role::Node };
        let score = peers.score(node);
        let name = peers.name(node);
        let ink = look.marked(name).unwrap_or(Role::Faint);
        scene.text((left - 8.0, y + 11.0), fitted(name, left - 10.0), Anchor::End, ink);
        let bar = scene.push(Mark::Rect {
            at: (left, y + 4.0),
            size: ((axis.px(score) - left).max(1.0), ROW_CSS_PX - 8.0),
            role,
        });
        let number = format!("{score:.2}");
        let beside = axis.px(score) + 6.0;
        let crossed = beside < threshold && threshold < beside + label_width_css_px(&number) + 2.0;
        // The line would go through it.
        let at = if crossed { threshold + 4.0 } else { beside };
        scene.text((at, y + 11.0), number, Anchor::Start, ink);
        let hit = u32::try_from(scene.hits.len()).ok();
        judged.push(Judged { hit, ..peers.judged(node, vec![bar], u32::try_from(row).ok()) });
        scene.hits.push(Hit {
            at: (0.0, y),
            size: (look.width_css_px, ROW_CSS_PX),
            says: says(peers, node),
            node: Some(name.to_owned()),
            ..Hit::default()
        });
    }
    scene.table.rows = order.iter().map(|&node| table_row(peers, node)).collect();
    for (row, &node) in order.iter().enumerate().skip(shown.len()) {
        judged.push(peers.judged(node, Vec::new(), u32::try_from(row).ok()));
    }
    if let (true, Some(&next)) = (folded > 0, order.get(shown.len())) {
        let says = format!(
            "{}, T at most {:.2} (all are in the table)",
            counted(folded as u64, "more node"),
            peers.score(next)
        );
        scene.text((left, foot - 11.0), says, Anchor::Start, Role::Faint);
    }
    let line = scene.line((threshold, TOP_CSS_PX - 2.0), (threshold, rows_end), Role::Threshold);
    scene.text((left, 8.0), "T (no unit); the line is the threshold", Anchor::Start, Role::Faint);
    scene.dial = Some(Dial {
        value: peers.comparison.threshold,
        found: peers.comparison.threshold,
        range: axis.range,
        pixels: axis.pixels,
        axis: DialAxis::X,
        line,
        judged,
    });
    scene
}

fn says(peers: Peers<'_>, node: usize) -> Vec<String> {
    let mut says = vec![peers.name(node).to_owned(), format!("T {:.3}", peers.score(node))];
    if let Some(count) = peers.comparison.counts.get(node) {
        says.push(format!("{} {} states", grouped(*count as u64), peers.kind()));
    }
    if let (Some([median, ..]), Some(ratio)) =
        (peers.comparison.quartiles_s.get(node), peers.comparison.ratios.get(node))
    {
        says.push(format!("median {}, {} times its peers'", duration(*median), times(*ratio)));
    }
    if let Some(p) = peers.comparison.p_values.get(node).copied().flatten() {
        says.push(format!("chance {}", chance(p)));
    }
    // The dial's words: the last.
    says.push(Judged::words(true, peers.indicted(node)).to_owned());
    says
}

/// A ratio of peers' medians in words: as reports carry it, so that rounded twice it is rounded alike here and there.
fn times(ratio: f64) -> String {
    format!("{:.2}", carried_ratio(ratio))
}

/// So few permutations tell no smaller chances apart.
fn chance(p: f64) -> String {
    if p < 0.001 { String::from("< 0.001") } else { format!("{p:.3}") }
}

fn yes_or_no(is: bool) -> String {
    String::from(if is { "yes" } else { "no" })
}

fn table_row(peers: Peers<'_>, node: usize) -> Vec<String> {
    let comparison = peers.comparison;
    vec![
        peers.name(node).to_owned(),
        comparison.counts.get(node).copied().unwrap_or_default().to_string(),
        format!("{:.3}", peers.score(node)),
        comparison.quartiles_s.get(node).map_or_else(String::new, |q| format!("{:.3}", q[0])),
        comparison.ratios.get(node).map_or_else(String::new, |r| times(*r)),
        comparison.p_values.get(node).copied().flatten().map_or_else(String::new, chance),
        yes_or_no(comparison.gaps.get(node) == Some(&true)),
        yes_or_no(peers.indicted(node)),
    ]
}
