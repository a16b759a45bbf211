//! The system view: the metrics of every node over time, one small figure a metric (K16),
//! with the profile that a node was in below them (K23) and a bar over the time in which
//! it was indicted.
//!
//! ```text
//! h103  ▔▔▔▔▔▔▔▔▔▔▔▔▔     indicted
//!  user, %   ▁▂▇▇▇▇▂▁
//!  system, % ▁▁▂▂▂▂▁▁     14 lanes, all nodes of one metric to one scale
//!  …
//!  ░░▒▒▒▒▓▓▓▓▓▓▒▒░░░░     profile
//! ```
//! Few nodes have lanes of lines, from the least to the greatest value in each pixel; many
//! have lanes of shades, by the greatest, close together and with the name beside them. What was not measured is left
//! empty.
//!
//! Cost: [`columns`]; marks do not grow with the samples.

pub mod columns;
mod lanes;
mod stripes;
mod words;

use self::words::{how_to_read, of_profiles, table};
use super::axis::{Axis, LINE_CSS_PX, from_to, time_ticks_within, times_from};
use super::legend::{Legend, strip};
use super::names::Hosts;
use super::{Anchor, Hit, Look, Mark, Palette, Plot, Raster, Role, Scene, View};
use crate::base::{Arrange, Interval, NodeId};
use crate::diagnosis::kahuna_bb::{SystemComparison, indicted_times};
use crate::diagnosis::{Comparison, Signal, Witness};
use crate::model::{Metric, OfMetrics, Trace};
use columns::{Folded, NodeColumns, Time};
use lanes::{LANE_GAP_CSS_PX, Lane};
use std::collections::BTreeMap;
use stripes::stripes;

/// Up to so many nodes have lanes high enough for a label.
const LABELLED_NODES: usize = 10;
/// Up to so many have lines, which take a thousand points a lane; more have shades.
const LINED_NODES: usize = 24;
/// Nodes shown at most: a canvas can be some 16 000 pixels high.
const NODES_SHOWN: usize = 128;
/// Room for a node's name, with the bar of its indictments below it.
const NAME_CSS_PX: f32 = 16.0;
/// Room for the bar alone, where the name stands beside the lanes.
const BAR_ROOM_CSS_PX: f32 = 5.0;
const BAR_CSS_PX: f32 = 3.0;
/// Height of the stripe of profiles.
const STRIPE_CSS_PX: f32 = 7.0;
/// Between nodes.
const NODE_GAP_CSS_PX: f32 = 9.0;
/// Room for the times above.
const TOP_CSS_PX: f32 = 36.0;
/// Width of the scale of shades, and its height with its words.
const SCALE_CSS_PX: (f32, f32) = (220.0, 26.0);
/// Room for the metrics' names at the left, and for the scale's end at the right.
const LEFT_CSS_PX: f32 = 132.0;
const RIGHT_CSS_PX: f32 = 64.0;
/// Hits of all lanes: of few nodes so many that each is a moment, and few enough to be sent with each picture.
const HITS: usize = 4_032;
/// Shade of the least value, so that it differs from nothing measured.
const LEAST_SHADE: f32 = 24.0;
/// The shortest time that is zoomed to: ten samples of the finest that sysstat takes.
const LEAST_SHOWN_MS: i64 = 10_000;

/// What other methods say about the nodes over time.
#[derive(Clone, Debug, Default)]
pub struct Marks<'a> {
    /// The profile of each node in each second.
    pub profiles: Option<&'a SystemComparison>,
    /// When a node was indicted.
    pub indicted: Vec<(NodeId, Interval)>,
}

impl<'a> Marks<'a> {
    /// What the black box says: profiles of control runs, where there are any, and the
    /// times of its indictments.
    #[must_use]
    pub fn of(witnesses: &'a [Witness]) -> Self {
        let compared = || {
            witnesses.iter().filter_map(|w| match w.comparison.as_ref()? {
                Comparison::System(c) => Some((w, c.as_ref())),
                _ => None,
            })
        };
        let controls = compared().find(|(w, _)| w.signal == Signal::ControlProfiles);
        let profiles = controls.or_else(|| compared().next()).map(|(_, c)| c);
        Self { profiles, indicted: indicted_times(witnesses) }
    }
}

/// Whether there is anything to show.
#[must_use]
pub fn has_something(trace: &Trace) -> bool {
    !trace.samples.is_empty()
}

/// What is kept of a trace's samples from picture to picture; made by the first.
pub type Kept = Option<Vec<Folded>>;

/// Lays out the view.
#[must_use]
pub fn lay_out(trace: &Trace, marks: &Marks<'_>, look: &Look, kept: &mut Kept) -> Scene {
    let mut scene = Scene {
        name: View::System.name().to_owned(),
        title: String::from("Metrics of the operating system"),
        size: (look.width_css_px, 60.0),
        ..Scene::default()
    };
    let left = LEFT_CSS_PX.min(look.width_css_px * 0.35);
    let right = (look.width_css_px - RIGHT_CSS_PX).max(left + 1.0);
    let Some(time) = Time::of(&trace.samples, look.viewport.x, right - left) else {
        scene.text((0.0, 30.0), "No metrics are among the logs.", Anchor::Start, Role::Faint);
        return scene;
    };
    let fold = || trace.samples.nodes().map(|node| Folded::of(&trace.samples, node)).collect();
    let nodes: &[Folded] = kept.get_or_insert_with(fold);
    let shown = shown(trace, nodes, marks, look);
    let lane = Lane::for_nodes(shown.len());
    let mut layout = Layout {
        trace,
        hosts: Hosts::of(&mut nodes.iter().map(|n| trace.node_name(n.node))),
        time,
        lane,
        top: TOP_CSS_PX,
        parts: (HITS / (Metric::ALL.len() * shown.len().max(1))).clamp(1, time.columns),
        left,
        right,
        greatest: greatest(nodes),
        marks,
        stripes: marks.profiles.map_or_else(BTreeMap::new, |compared| stripes(compared, time)),
    };
    scene.how_to_read = how_to_read(lane, nodes.len() - shown.len());
    scene.how_to_read.push_str(&marks.profiles.map_or_else(String::new, |compared| of_profiles(trace, compared)));
    layout.top += layout.key(&mut scene);
    scene.size.1 = layout.top + shown.len() as f32 * (layout.node_height() + NODE_GAP_CSS_PX);
    layout.times(&mut scene);
    for (i, node) in shown.iter().enumerate() {
        let top = layout.top + i as f32 * (layout.node_height() + NODE_GAP_CSS_PX);
        layout.node(&mut scene, (node.node, &node.columns(&trace.samples, time)), top, i == 0, look);
    }
    if let Some((from, to)) = trace.samples.span() {
        scene.mark_since(layout.x(), (layout.top, scene.size.1), look);
        let size = (right - left, scene.size.1 - layout.top);
        let plot = Plot::of_time((left, layout.top), size, (from.millis(), to.millis()));
        scene.choose_time(plot.zooming_to(LEAST_SHOWN_MS, look.viewport), layout.x(), look.selection.span);
    }
    scene.table = match look.selection.span {
        Some(span) => {
            let within: Vec<Folded> = nodes.iter().map(|node| node.within(&trace.samples, span)).collect();
            table(trace, &within)
        }
        None => table(trace, nodes),
    };
    scene.summed_up = true;
    layout.legend(&mut scene);
    scene
}

struct Layout<'a> {
    trace: &'a Trace,
    hosts: Hosts,
    time: Time,
    lane: Lane,
    /// Upper edge of the first node.
    top: f32,
    /// Hits along a lane.
    parts: usize,
    left: f32,
    right: f32,
    /// The end of each metric's scale.
    greatest: OfMetrics<f64>,
    marks: &'a Marks<'a>,
    stripes: BTreeMap<NodeId, Vec<u8>>,
}

impl Layout<'_> {
    fn node_height(&self) -> f32 {
        let stripe = if self.marks.profiles.is_none() { 0.0 } else { STRIPE_CSS_PX + LANE_GAP_CSS_PX };
        self.lane.head() + Metric::ALL.len() as f32 * self.lane.step() + stripe
    }

    /// Time across: the first and last instants are the middles of the outermost columns.
    fn x(&self) -> Axis {
        let half = self.column_px() / 2.0;
        let range = (self.time.from_ms as f64, self.time.to_ms as f64);
        Axis::linear(range, (self.left + half, self.right - half))
    }

    fn column_px(&self) -> f32 {
        (self.right - self.left) / self.time.columns as f32
    }

    /// The names of the lanes, where they have no labels, and what shades stand for; returns the room that it takes.
    fn key(&self, scene: &mut Scene) -> f32 {
        if self.lane == Lane::Labelled {
            return 0.0;
        }
        let begin = 8.0;
        let names = format!("Lanes of each node, from above: {}.", Metric::ALL.map(Metric::name).join(", "));
        let mut y = scene.paragraph((0.0, begin), (scene.size.0, LINE_CSS_PX), &names, Role::Faint);
        if self.lane == Lane::Shaded {
            let shades = ((LEAST_SHADE as u8)..=u8::MAX).collect();
            let words = [(0.0, "0", Anchor::Start), (1.0, "the greatest on any node", Anchor::End)];
            strip(scene, (0.0, y - 4.0), SCALE_CSS_PX.0, (shades, Palette::Shades), &words);
            y += SCALE_CSS_PX.1;
        }
        y - begin
    }

    fn times(&self, scene: &mut Scene) {
        let (from, to, x) = (self.time.from_ms, self.time.to_ms, self.x());
        scene.text((0.0, self.top - 28.0), times_from(from, self.trace.zone()), Anchor::Start, Role::Faint);
        let bottom = scene.size.1;
        for (ms, label) in time_ticks_within(from, to, self.right - self.left) {
            let px = x.px(ms as f64);
            scene.line((px, self.top - 4.0), (px, bottom), Role::Grid);
            scene.text((px, self.top - 11.0), label, Anchor::Middle, Role::Faint);
        }
    }

    fn node(&self, scene: &mut Scene, (node, columns): (NodeId, &NodeColumns), top: f32, first: bool, look: &Look) {
        let name = self.trace.node_name(node);
        let marked = look.marked(name);
        let role = marked.unwrap_or(Role::Faint);
        let beside = self.lane == Lane::Shaded;
        let (y, room) = if beside { (self.lane.head() + 6.0, self.left - 6.0) } else { (6.0, self.right) };
        scene.text((0.0, top + y), self.hosts.fitted(name, room), Anchor::Start, role);
        self.indictments(scene, node, top + self.lane.head() - BAR_CSS_PX - 1.0);
        for (metric, cells) in Metric::ALL.into_iter().zip(columns) {
            let y = top + self.lane.head() + metric.place() as f32 * self.lane.step();
            self.lane(scene, metric, cells, y, marked.unwrap_or(Role::Node));
            self.labels(scene, metric, y, first);
            self.hits(scene, node, (metric, cells), y);
        }
        self.stripe(scene, node, top + self.node_height() - STRIPE_CSS_PX);
    }

    fn indictments(&self, scene: &mut Scene, node: NodeId, y: f32) {
        let x = self.x();
        let seen = |i: &Interval| i.end.millis() >= self.time.from_ms && i.start.millis() <= self.time.to_ms;
        for (_, interval) in self.marks.indicted.iter().filter(|(n, i)| *n == node && seen(i)) {
            let (from, to) = (x.px(interval.start.millis() as f64), x.px(interval.end.millis() as f64));
            let size = ((to - from).max(1.0), BAR_CSS_PX);
            scene.push(Mark::Rect { at: (from, y), size, role: Role::Culprit });
            scene.hits.push(Hit {
                at: (from, y - 2.0),
                size: (size.0, size.1 + 4.0),
                says: vec![
                    format!("{} indicted", self.trace.node_name(node)),
                    from_to(interval.start.millis(), interval.end.millis(), self.trace.zone()),
                ],
                node: Some(self.trace.node_name(node).to_owned()),
                ..Hit::default()
            });
        }
    }

    /// What the colours of bars and stripes are, where there are any.
    fn legend(&self, scene: &mut Scene) {
        let mut legend = Legend::at(0.0, scene.size.1 + 6.0);
        if !self.marks.indicted.is_empty() {
            legend.swatch(scene, Role::Culprit, "indicted");
        }
        if let Some(compared) = self.marks.profiles {
            legend.swatch(scene, Role::Shade(0), "no profile");
            let names = compared.profile_count - usize::from(compared.none_of_them.is_some());
            for profile in (0..PROFILES_NAMED).take(compared.profile_count) {
                let name =
                    if usize::from(profile) < names { format!("profile {}", profile + 1) } else { "another".into() };
                legend.swatch(scene, Role::Shade(stripes::shade(compared, profile)), &name);
            }
        }
        if !self.marks.indicted.is_empty() || self.marks.profiles.is_some() {
            scene.size.1 = legend.bottom() + 4.0;
        }
    }

    /// The profiles of a node, as shades.
    fn stripe(&self, scene: &mut Scene, node: NodeId, y: f32) {
        let Some(shades) = self.stripes.get(&node).cloned() else { return };
        let size = (self.right - self.left, STRIPE_CSS_PX);
        scene.rasters.push(Raster::of_shades((self.left, y), size, (shades.len(), 1), shades));
        if self.lane == Lane::Labelled {
            scene.text((self.left - 6.0, y + STRIPE_CSS_PX - 1.0), "profile", Anchor::End, Role::Faint);
        }
    }
}

/// Profiles that the legend names at the most.
const PROFILES_NAMED: u8 = 12;

/// The nodes to show: all, or where they are too many those that are looked at or
/// indicted, then the others, in order of name.
fn shown<'a>(trace: &Trace, nodes: &'a [Folded], marks: &Marks<'_>, look: &Look) -> Vec<&'a Folded> {
    let mut shown: Vec<&Folded> = nodes.iter().collect();
    if shown.len() > NODES_SHOWN {
        let told = |n: &Folded| {
            look.marked(trace.node_name(n.node)).is_some() || marks.indicted.iter().any(|(id, _)| *id == n.node)
        };
        shown.arrange_by(|n| !told(n));
        shown.truncate(NODES_SHOWN);
    }
    // Of more than are seen at once, the nodes at fault come first.
    let all_seen = shown.len() <= LABELLED_NODES;
    let is_odd = |n: &Folded| look.nodes.iter().any(|name| name == trace.node_name(n.node));
    shown.arrange_by(|n| (!all_seen && !is_odd(n), n.node));
    shown
}

/// The greatest value of each metric on any node; shares of the processor end at 100.
fn greatest(nodes: &[Folded]) -> OfMetrics<f64> {
    Metric::ALL.map(|metric| {
        let all = nodes.iter().filter_map(|node| node.summaries.get(metric.place())).filter(|s| s.count > 0);
        let most = all.map(|s| s.greatest).fold(0.0, f64::max);
        if metric.is_of_processors() { most.max(100.0) } else { most.max(1.0) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::axis::label_width_css_px;

    #[test]
    fn widest_label_fits_its_room() {
        let labels = Metric::ALL.map(|metric| format!("{}, {}", metric.name(), metric.unit()));
        let widest = labels.iter().map(|label| label_width_css_px(label)).fold(0.0, f32::max);
        assert!(widest <= LEFT_CSS_PX - 6.0, "{widest}");
    }
}
