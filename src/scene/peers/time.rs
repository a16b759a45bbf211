//! T(i) in sliding windows: when a node is odd.

use super::Peers;
use crate::base::Arrange;
use crate::base::quantity::{of_millis, trimmed};
use crate::diagnosis::kahuna_wb::PeerWindow;
use crate::scene::axis::{Axis, date_and_clock, from_to, time_ticks_within, times_from};
use crate::scene::{Anchor, DialAxis, Hit, Judged, Look, Mark, Plot, Point, Role, Scene, Table};

/// Height of the figure.
const HEIGHT_CSS_PX: f32 = 240.0;
/// Room for the scale at the left.
const LEFT_CSS_PX: f32 = 36.0;
/// Room for the names at the right.
const RIGHT_CSS_PX: f32 = 76.0;
/// Room above, for the day.
const TOP_CSS_PX: f32 = 22.0;
/// Lower end of the plot; the times have the rest.
const FOOT_CSS_PX: f32 = HEIGHT_CSS_PX - 30.0;
/// Height of the plot.
const PLOT_CSS_PX: f32 = FOOT_CSS_PX - TOP_CSS_PX;
/// Lines drawn at most: those of who stands out, and those with the highest peaks.
const LINES_SHOWN: usize = 60;
/// Lines that carry their name.
const LINES_NAMED: usize = 4;
/// Dots on one line at most: more would cover the line, and take the room of other marks.
const DOTS_SHOWN: usize = 50;
/// Names nearer than this would cover each other.
const LABEL_GAP_CSS_PX: f32 = 12.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let mut scene = Scene {
        title: format!("The same distance over time: {}{}", peers.compared(), peers.of_the_accused(look)),
        how_to_read: format!(
            "One line for each node: T in {}, placed at the window's end. \
             A gap means that the node had too few states in that window to be judged. A healthy node stays low; \
             a fault shows as a line that rises and stays up. Windows hold few states, so single peaks mean little: \
             in colour are the nodes indicted by the whole log or, once the line is moved, those whose T over the whole log is above it. \
             In that colour with dots on its line is whom the verdict names for other reasons.",
            sliding(&peers.comparison.windows),
        ),
        size: (look.width_css_px, HEIGHT_CSS_PX),
        ..Scene::default()
    };
    let Some(plane) = Plane::of(peers, look) else {
        scene.size.1 = 60.0;
        let text = "Too few states for windows: T is known for the whole log only.";
        scene.text((0.0, 30.0), text, Anchor::Start, Role::Faint);
        return scene;
    };
    plane.add_axes(&mut scene);
    let judged = plane.add_lines(&mut scene, look);
    let ((left, right), threshold) = (plane.x.pixels, plane.y.px(peers.comparison.threshold));
    let line = scene.line((left, threshold), (right, threshold), Role::Threshold);
    scene.dial = Some(peers.dial(plane.y, DialAxis::Y, line, judged));
    plane.add_hits(&mut scene);
    scene.mark_since(plane.x, (TOP_CSS_PX, FOOT_CSS_PX), look);
    let plot = Plot::of_time((left, TOP_CSS_PX), (right - left, PLOT_CSS_PX), plane.span);
    scene.choose_time(plot, plane.x, look.selection.span);
    scene.table = table(peers);
    scene
}

/// How long the windows are, and how far each lies behind the one before.
fn sliding(windows: &[PeerWindow]) -> String {
    let [first, second, ..] = windows else { return String::from("a window that slides over the log") };
    let length = first.interval.millis();
    let step = second.interval.start.millis_since(first.interval.start);
    format!("a window of {} that slides over the log, {} at a time", of_millis(length as f64), of_millis(step as f64))
}

/// Where times and scores are.
struct Plane<'a> {
    peers: Peers<'a>,
    x: Axis,
    y: Axis,
    /// The ends of the first and the last window in which T is known of a node, UTC milliseconds.
    span: (i64, i64),
}

impl<'a> Plane<'a> {
    /// `None` where T is known in no window.
    fn of(peers: Peers<'a>, look: &Look) -> Option<Self> {
        let windows = &peers.comparison.windows;
        let known = windows.iter().filter(|w| w.scores.iter().flatten().count() > 0);
        let ends = known.map(|w| w.interval.end.millis());
        let span = (ends.clone().min()?, ends.max()?);
        let all = windows.iter().flat_map(|w| w.scores.iter().flatten().copied());
        let highest = all.fold(peers.comparison.threshold, f64::max);
        let y = Axis::linear((0.0, (highest * 1.08).clamp(0.1, 1.0)), (FOOT_CSS_PX, TOP_CSS_PX));
        let x = Axis::linear((span.0 as f64, span.1 as f64), (LEFT_CSS_PX, look.width_css_px - RIGHT_CSS_PX));
        Some(Self { peers, x, y, span })
    }

    /// Scores at the left, times below, and the day above.
    fn add_axes(&self, scene: &mut Scene) {
        let (left, right) = self.x.pixels;
        for value in self.y.ticks(4) {
            let y = self.y.px(value);
            scene.line((left, y), (right, y), Role::Grid);
            scene.text((left - 6.0, y), trimmed(value, 2), Anchor::End, Role::Faint);
        }
        let (from, to) = self.span;
        for (ms, label) in time_ticks_within(from, to, right - left) {
            let x = self.x.px(ms as f64);
            scene.line((x, FOOT_CSS_PX), (x, FOOT_CSS_PX + 4.0), Role::Faint);
            scene.text((x, FOOT_CSS_PX + 14.0), label, Anchor::Middle, Role::Faint);
        }
        let text = format!("T; {}", times_from(from, self.peers.zone));
        scene.text((0.0, 8.0), text, Anchor::Start, Role::Faint);
    }

    /// The lines of the oddest nodes, some with their names; returns how the dial judges these nodes.
    fn add_lines(&self, scene: &mut Scene, look: &Look) -> Vec<Judged> {
        let peers = self.peers;
        let mut ranked: Vec<(usize, f64)> =
            (0..peers.names.len()).map(|node| (node, rank(peers, node, look))).collect();
        ranked.arrange(|a, b| b.1.total_cmp(&a.1));
        let nodes: Vec<usize> = ranked.into_iter().take(LINES_SHOWN).map(|(node, _)| node).collect();
        let (labels, hosts) = (labels(peers, &nodes, self.y), peers.hosts());
        // The oddest are drawn last, above the others.
        let line = |&node: &usize| {
            let role = if peers.indicted(node) { Role::Culprit } else { Role::Node };
            let mut marks = Vec::new();
            let named = peers.only_named(node, look);
            let runs = runs(peers, node, self.x, self.y);
            if let Some(role) = dot_of(peers.name(node), named, look) {
                let points = || runs.iter().flatten();
                for at in points().step_by(points().count().div_ceil(DOTS_SHOWN).max(1)) {
                    scene.push(Mark::Circle { at: *at, radius: 3.0, role });
                }
            }
            for points in runs {
                let single = if let [at] = points.as_slice() { Some(*at) } else { None };
                let role = if named { Role::Culprit } else { role };
                let mark = match single {
                    Some(at) => scene.push(Mark::Circle { at, radius: 2.0, role }),
                    None => scene.push(Mark::Polyline { points, role }),
                };
                // Whom the verdict names keeps its colour wherever the dial stands.
                marks.extend((!named).then_some(mark));
            }
            if let Some((_, y)) = labels.iter().find(|(named, _)| *named == node) {
                let name = hosts.fitted(peers.name(node), RIGHT_CSS_PX - 8.0);
                let at = (self.x.pixels.1 + 6.0, *y);
                // Who stands out otherwise does so wherever the dial stands.
                match look.marked(peers.name(node)).filter(|_| role == Role::Node) {
                    Some(ink) => _ = scene.text(at, name, Anchor::Start, ink),
                    None => {
                        let ink = if role == Role::Node { Role::Faint } else { role };
                        marks.push(scene.text(at, name, Anchor::Start, ink));
                    }
                }
            }
            peers.judged(node, marks, None)
        };
        nodes.iter().rev().map(line).collect()
    }

    /// One hit a window: a column that tells the highest nodes.
    fn add_hits(&self, scene: &mut Scene) {
        let (peers, x) = (self.peers, self.x);
        let windows = &peers.comparison.windows;
        let width = ((x.pixels.1 - x.pixels.0) / windows.len().max(1) as f32).max(3.0);
        let on_axis = |w: &&PeerWindow| (x.range.0..=x.range.1).contains(&(w.interval.end.millis() as f64));
        for window in windows.iter().filter(on_axis) {
            let mut scores: Vec<(usize, f64)> =
                window.scores.iter().enumerate().filter_map(|(i, s)| s.map(|s| (i, s))).collect();
            // Of those that are told alike the first come first, whatever lies behind the last digit.
            let told = |score: f64| (score * 100.0).round();
            scores.arrange(|a, b| told(b.1).total_cmp(&told(a.1)));
            let mut says = vec![from_to(window.interval.start.millis(), window.interval.end.millis(), peers.zone)];
            says.extend(scores.iter().take(4).map(|(node, score)| format!("{} {score:.2}", peers.name(*node))));
            if scores.is_empty() {
                says.push(String::from("too few states"));
            }
            let at = (x.px(window.interval.end.millis() as f64) - width / 2.0, TOP_CSS_PX);
            let node = scores.first().map(|(node, _)| peers.name(*node).to_owned());
            scene.hits.push(Hit { at, size: (width, PLOT_CSS_PX), says, node, ..Hit::default() });
        }
    }
}

/// What the dots on a node's line are, if it has any: of who is chosen, whose line keeps its colour, and of
/// whom the verdict alone names.
fn dot_of(name: &str, named: bool, look: &Look) -> Option<Role> {
    match look.selection.node.as_deref() == Some(name) {
        true => Some(Role::Ink),
        false => named.then_some(Role::Culprit),
    }
}

/// By what lines are chosen: that of who is chosen, those of whom the verdict names, those of nodes indicted, then those
/// with the highest peaks.
fn rank(peers: Peers<'_>, node: usize, look: &Look) -> f64 {
    let scores = peers.comparison.windows.iter().filter_map(|w| w.scores.get(node).copied().flatten());
    // Peaks end at 1, which any T of a node that stands out shall beat.
    match look.marked(peers.name(node)) {
        _ if look.selection.node.as_deref() == Some(peers.name(node)) => 4.0,
        Some(Role::Culprit) => 2.0 + peers.score(node),
        None if !peers.indicted(node) => scores.fold(0.0, f64::max),
        _ => 1.0 + peers.score(node),
    }
}

/// Which nodes carry their name, and at which height: each where its line ends, unless
/// an odder one has the place.
fn labels(peers: Peers<'_>, nodes: &[usize], y: Axis) -> Vec<(usize, f32)> {
    let mut labels: Vec<(usize, f32)> = Vec::new();
    for &node in nodes.iter().take(LINES_NAMED) {
        let last = peers.comparison.windows.iter().rev().find_map(|w| w.scores.get(node).copied().flatten());
        let Some(at) = last.map(|score| y.px(score)) else { continue };
        if labels.iter().all(|(_, other)| (at - other).abs() > LABEL_GAP_CSS_PX) {
            labels.push((node, at));
        }
    }
    labels
}

/// The points of a node's line, broken where it could not be judged.
fn runs(peers: Peers<'_>, node: usize, x: Axis, y: Axis) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
    for window in &peers.comparison.windows {
        let point = window.scores.get(node).copied().flatten();
        match (point, runs.last_mut()) {
            (Some(score), Some(run)) => run.push((x.px(window.interval.end.millis() as f64), y.px(score))),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn table(peers: Peers<'_>) -> Table {
    let mut headers = vec![String::from("window begins"), String::from("window ends")];
    headers.extend(peers.names.iter().cloned());
    let cell = |score: &Option<f64>| score.map_or_else(String::new, |s| format!("{s:.3}"));
    let rows = peers.comparison.windows.iter().map(|w| {
        let times = [w.interval.start, w.interval.end].map(|t| date_and_clock(t.millis(), peers.zone));
        times.into_iter().chain(w.scores.iter().map(cell)).collect()
    });
    Table { headers, rows: rows.collect() }
}
